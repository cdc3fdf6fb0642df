//! Which numbers each figure of a study depends on most, and which change no figure: where tools begin, and what their lists grey.
//!
//! First every number is tried alone, near its value and at the ends of its range, which is quick and exact about numbers without
//! effect. Then the order is refined by the sensitivity of the Uncertainty page with fewer samples, where that is quick.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_quantity::quantity::Quantity;
use crossover_scenario::Study;
use crossover_study::{Watch, answer, numbers};
use crossover_tools::one_at_a_time::{Alone, Trial, one_at_a_time};
use crossover_tools::selected::{EVERY, SelectedFigure};
use crossover_tools::sensitivity::{OfFigure, SWING, evaluations};
use crossover_tools::{Sampling, Sensitivity, Unknowns, sensitivity};
use egui::Context;

use super::usual_range::around;

/// Samples; few are enough to tell the numbers that matter.
const SAMPLES: usize = 128;
/// Uncertainty of numbers without a distribution, ± share of their values, as on the Uncertainty page.
const WITHIN: f64 = 0.1;
/// Longest time of a round: of trying numbers, and of the sensitivity, which is left out where it takes longer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Rounds of trying numbers; those that are left then are neither offered nor greyed.
const MOST_ROUNDS: usize = 5;
/// Most values of all figures together, about 32 MB; a study with more is ranked by figures of the whole, and not sampled.
const MOST_VALUES: usize = 4_000_000;

/// Least change of a figure by a number that a map begins with, as a share of the largest change by one.
const VISIBLE: f64 = 0.01;

/// The influence of the numbers of a study, computed in the background.
#[derive(Debug, Default)]
pub(super) struct Influence(Computed<InfluenceRequest>);

/// The study.
#[derive(Debug, Clone)]
struct InfluenceRequest {
    study: Study,
}

/// A number, and the result of changing it alone.
#[derive(Debug, Clone, PartialEq)]
struct Number {
    path: String,
    /// Whether it has no uncertainty of its own, such as a seed or a sampling period: no curve or map begins with it.
    is_chosen: bool,
    /// Whether it is a decision variable.
    is_decision: bool,
    /// `None`: it was not tried yet.
    alone: Option<Alone>,
}

/// The ranking so far.
#[derive(Debug, Clone)]
pub(super) struct Ranking {
    /// The study that it is of.
    study: Study,
    /// Its ranked figures.
    figures: Vec<SelectedFigure>,
    /// The numbers in the order of the study.
    numbers: Vec<Number>,
    /// For each figure, the paths of the numbers that change it, the largest effect first.
    ranked: Vec<Vec<String>>,
    /// Paths of numbers that change no figure, and the values between which they were tried.
    without_effect: BTreeMap<String, [f64; 2]>,
    /// Rounds of trying numbers.
    rounds: usize,
    /// Whether sensitivities were sampled, or would take long.
    is_last: bool,
}

impl Influence {
    /// Requests the ranking of a study, once no number is dragged.
    pub(super) fn refresh(&mut self, ctx: &Context, study: &Study) {
        let is_dragged = ctx.egui_is_using_pointer();
        let is_same = |request: &InfluenceRequest| is_dragged || request.study == *study;
        self.0.refresh(ctx, is_same, || InfluenceRequest { study: study.clone() });
    }

    /// Whether the ranking is being computed.
    pub(super) fn is_busy(&self) -> bool {
        self.0.is_busy()
    }

    /// The ranking of the last study; none while it is computed.
    pub(super) fn ranking(&self) -> Option<Arc<Ranking>> {
        self.0.shown().filter(|_| !self.0.is_stale()).cloned()
    }
}

impl Ranking {
    /// The ranking by what trying numbers alone told.
    fn of(study: Study, figures: Vec<SelectedFigure>, numbers: Vec<Number>, rounds: usize) -> Self {
        let ranked = (0..figures.len()).map(|figure| in_order(&numbers, figure, |number| !number.is_chosen)).collect();
        let idle = numbers.iter().filter_map(|number| {
            let alone = number.alone.as_ref().filter(|alone| alone.is_idle())?;
            Some((number.path.clone(), alone.between))
        });
        let without_effect = idle.collect();
        Self { study, figures, ranked, without_effect, numbers, rounds, is_last: false }
    }

    /// The same in the order of sensitivities; numbers without one follow.
    fn refined(&self, found: &Sensitivity) -> Self {
        let path = |cause: usize| {
            let number = found.causes[cause].numbers.first()?;
            Some(found.unknowns.numbers[*number].path.clone())
        };
        let order = |of: &OfFigure, before: &Vec<String>| {
            let places = of.ranked().into_iter().filter(|cause| of.effects[*cause].total.value > 0.0);
            let mut paths: Vec<String> = places.filter_map(path).filter(|path| !self.is_without_effect(path)).collect();
            let others = before.iter().filter(|path| !paths.contains(path));
            let others: Vec<String> = others.cloned().collect();
            paths.extend(others);
            paths
        };
        let ranked = self.figures.iter().zip(&self.ranked).map(|(figure, before)| {
            let sampled = found.figures.iter().find(|of| of.selected.key == figure.key);
            sampled.map_or_else(|| before.clone(), |of| order(of, before))
        });
        Self { ranked: ranked.collect(), ..self.last() }
    }

    /// The same as the last one.
    fn last(&self) -> Self {
        Self { is_last: true, ..self.clone() }
    }

    /// Whether every number was tried.
    pub(super) fn is_complete(&self) -> bool {
        self.numbers.iter().all(|number| number.alone.is_some())
    }

    /// Whether every number was tried, or no more are.
    fn is_tried(&self) -> bool {
        self.rounds >= MOST_ROUNDS || self.is_complete()
    }

    /// The figures.
    pub(super) fn figures(&self) -> impl Iterator<Item = &SelectedFigure> {
        self.figures.iter()
    }

    /// Paths of the numbers that a figure depends on, the largest effect first.
    pub(super) fn of_figure(&self, key: &str) -> &[String] {
        let place = self.figures.iter().position(|figure| figure.key == key);
        place.map_or(&[][..], |place| &self.ranked[place])
    }

    /// The figures that two numbers or more change, and of these the ones whose change alone, near their values, is at least [`VISIBLE`] of the
    /// largest one.
    pub(super) fn visible(&self) -> impl Iterator<Item = (&SelectedFigure, Vec<&str>)> {
        let figures = self.figures.iter().zip(&self.ranked).enumerate().filter(|(_, (_, paths))| paths.len() >= 2);
        figures.map(move |(place, (figure, paths))| {
            // What changes a figure only far from its value may not change it within the range of a map.
            let alone = |number: &Number| {
                let near = number.alone.as_ref().filter(|alone| alone.is_near);
                near.map_or(0.0, |alone| alone.changes[place])
            };
            let changes: BTreeMap<&str, f64> =
                self.numbers.iter().map(|number| (number.path.as_str(), alone(number))).collect();
            // Infinite where the figure has a value at one place only.
            let largest = changes.values().copied().filter(|change| change.is_finite()).fold(0.0, f64::max);
            let is_visible =
                |path: &&str| changes.get(path).is_some_and(|change| *change > 0.0 && *change >= VISIBLE * largest);
            (figure, paths.iter().map(String::as_str).filter(is_visible).collect())
        })
    }

    /// Paths of the decision variables that a figure depends on, the largest effect first; those without uncertainty follow. The order
    /// is that of changing each alone: samples may be left out for lack of time, and the list would not be the same again.
    pub(super) fn decisions(&self, key: &str) -> Vec<String> {
        let Some(figure) = self.figures.iter().position(|figure| figure.key == key) else { return Vec::new() };
        let mut decisions = in_order(&self.numbers, figure, |number| !number.is_chosen && number.is_decision);
        decisions.extend(in_order(&self.numbers, figure, |number| number.is_chosen && number.is_decision));
        decisions
    }

    /// The number that the first figure of the whole study depends on most.
    pub(super) fn first(&self) -> Option<&str> {
        let all = self.figures.iter().zip(&self.ranked);
        let mut whole = all.filter(|(figure, _)| figure.figure.list.is_none());
        whole.find_map(|(_, paths)| paths.first()).map(String::as_str)
    }

    /// Paths of all numbers that were seen to change a figure, in the order of the study; not of those without uncertainty.
    pub(super) fn with_effect(&self) -> impl Iterator<Item = &str> {
        let has_effect = |number: &&Number| number.alone.as_ref().is_some_and(|alone| alone.has_effect);
        let moved = self.numbers.iter().filter(|number| !number.is_chosen).filter(has_effect);
        moved.map(|number| number.path.as_str())
    }

    /// Whether no figure changes with a number.
    fn is_without_effect(&self, path: &str) -> bool {
        self.without_effect.contains_key(path)
    }

    /// Why a number is greyed; `None`: it has an effect, or was not tried.
    pub(super) fn why_idle(&self, quantity: &Quantity, path: &str) -> Option<String> {
        let ends = self.without_effect.get(path)?.map(|end| quantity.unit.format(end));
        Some(format!("No figure changes while this number alone varies from {} to {}", ends[0], ends[1]))
    }
}

/// Paths of the wanted numbers that change the figure at this index when each is changed alone: the largest change first.
fn in_order(numbers: &[Number], figure: usize, is_wanted: impl Fn(&Number) -> bool) -> Vec<String> {
    let moved = numbers.iter().filter(|number| is_wanted(number)).filter_map(|number| {
        let alone = number.alone.as_ref()?;
        (alone.changes[figure] > 0.0).then_some((number, alone.is_near, alone.changes[figure]))
    });
    let mut moved: Vec<(&Number, bool, f64)> = moved.collect();
    // A change at the end of a wide range says less than one near the value.
    moved.sort_by(|a, b| b.1.cmp(&a.1).then(b.2.total_cmp(&a.2)));
    moved.into_iter().map(|(number, ..)| number.path.clone()).collect()
}

/// All numbers, none tried yet, with the values to try: near the present value, by its distribution, and the ends of the range that tools
/// begin with.
fn trials(study: &Study) -> Vec<(Trial, Number)> {
    let subject = study.subject();
    let unknowns = Unknowns::with_spread_all(subject, WITHIN).numbers;
    let mut unknowns = unknowns.into_iter().peekable();
    let numbers = numbers(subject).into_iter().map(|(path, quantity, present)| {
        let path = path.to_string();
        let unknown = unknowns.next_if(|unknown| unknown.path == path);
        let number = Number {
            path: path.clone(),
            is_chosen: unknown.is_none() && quantity.chosen,
            is_decision: quantity.is_decision(),
            alone: None,
        };
        let near = unknown.map_or_else(Vec::new, |unknown| {
            SWING.map(|share| unknown.spread.distribution.quantile(quantity, present, share)).to_vec()
        });
        let (far, _) = around(quantity, present);
        (Trial { path, present, near, far: far.to_vec() }, number)
    });
    numbers.collect()
}

impl Work for InfluenceRequest {
    type Outcome = Ranking;
    const NAME: &'static str = "ranking of numbers";
    const AGAIN: &'static str = "Rank";

    fn milliseconds(&self) -> f64 {
        // How long a study takes is not known in advance.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        "Ranking numbers by their effect".to_owned()
    }

    fn is_refinable(&self, outcome: &Ranking) -> bool {
        !outcome.is_last
    }

    fn compute(&self, before: Option<&Ranking>, ticket: &Ticket) -> Option<Ranking> {
        match before.filter(|before| before.study == self.study) {
            Some(before) if before.is_tried() => self.sampled(before, ticket),
            before => self.tried(before, ticket),
        }
    }
}

impl InfluenceRequest {
    /// Tries numbers alone, as many as the time allows; those of the round before are known. `None` if it was cancelled.
    fn tried(&self, before: Option<&Ranking>, ticket: &Ticket) -> Option<Ranking> {
        let subject = self.study.subject();
        let trials = trials(&self.study);
        let known = |place: usize| before.and_then(|before| before.numbers.get(place)?.alone.clone());
        let left: Vec<Trial> = trials
            .iter()
            .enumerate()
            .filter(|(place, _)| known(*place).is_none())
            .map(|(_, (trial, _))| trial.clone())
            .collect();
        let (figures, found) = watched(ticket, left.len(), |watch| {
            let present = answer(subject, Watch { is_cancelled: watch.is_cancelled, done: &AtomicUsize::new(0) })?;
            let mut figures: Vec<SelectedFigure> = SelectedFigure::all(&present).collect();
            if trials.len().saturating_mul(figures.len()) > MOST_VALUES {
                figures.retain(|figure| figure.figure.list.is_none());
            }
            let began = Instant::now();
            let is_over = || began.elapsed() > PATIENCE;
            let found = one_at_a_time(subject, &present, &figures, &left, &is_over, watch);
            Some((figures, found))
        })?;
        let mut found = found.into_iter();
        let numbers = trials.into_iter().enumerate().map(|(place, (_, number))| {
            let alone = known(place).or_else(|| found.next().flatten());
            Number { alone, ..number }
        });
        let numbers = numbers.collect();
        let rounds = before.map_or(0, |before| before.rounds) + 1;
        (!ticket.is_cancelled()).then(|| Ranking::of(self.study.clone(), figures, numbers, rounds))
    }

    /// The ranking by sensitivities, where they are quick; else the one before.
    fn sampled(&self, before: &Ranking, ticket: &Ticket) -> Option<Ranking> {
        let subject = self.study.subject();
        let evaluations = evaluations(SAMPLES, before.numbers.len());
        if evaluations.saturating_mul(before.figures.len()) > MOST_VALUES {
            return Some(before.last());
        }
        let figures = vec![EVERY.to_owned()];
        let sampling = Sampling { samples: SAMPLES, spread_all: Some(WITHIN), figures, ..Sampling::default() };
        let began = Instant::now();
        let found = watched(ticket, evaluations, |watch| {
            let is_over = || watch.is_cancelled() || began.elapsed() > PATIENCE;
            sensitivity(subject, &sampling, Watch { is_cancelled: &is_over, done: watch.done })
        });
        // Where it takes long, or nothing can vary, the order stays.
        let ranking = found.ok().flatten().map_or_else(|| before.last(), |found| before.refined(&found));
        (!ticket.is_cancelled()).then_some(ranking)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const PUBLISHED: &str = include_str!("../../../scenarios/placement-published.ron");

    /// The rankings of a study, from the first to the last.
    pub(crate) fn rankings(text: &str) -> Vec<Ranking> {
        let study = crossover_scenario::read(text).expect("a valid example").study;
        let request = InfluenceRequest { study };
        let mut found: Vec<Ranking> = Vec::new();
        while found.last().is_none_or(|last| request.is_refinable(last)) {
            let next = request.compute(found.last(), &Ticket::default());
            found.push(next.expect("not cancelled"));
        }
        found
    }

    /// The join takes most of the published workload, and the first figure is the speedup.
    #[test]
    fn the_published_speedup_depends_most_on_the_cost_of_the_join_tried_alone_and_sampled() {
        for ranking in rankings(PUBLISHED) {
            assert_eq!(ranking.first(), Some("operators.join.cpu_seconds_per_100mb"));
            let of_filter = ranking.of_figure("operators.filter.speedup");
            assert!(!of_filter.is_empty() && of_filter.iter().all(|path| !path.starts_with("operators.join.")));
        }
    }

    /// The published study uses InfiniBand, and no compression.
    #[test]
    fn numbers_of_what_is_not_used_are_without_effect_from_the_first_ranking_on() {
        let rankings = rankings(PUBLISHED);
        assert!(rankings.len() > 1, "tried, then sampled");
        for ranking in rankings {
            for unused in ["compression.network_ratio", "networks.10 Gb Ethernet.effective_gbit_per_s"] {
                assert!(ranking.is_without_effect(unused), "{unused}");
                let mut offered = ranking.with_effect().chain(ranking.ranked.iter().flatten().map(String::as_str));
                assert!(offered.all(|path| path != unused), "{unused}");
            }
            assert!(!ranking.is_without_effect("networks.100 Gb InfiniBand.effective_gbit_per_s"));
            assert!(!ranking.is_without_effect("no.such.number"), "nothing is known of it");
        }
    }

    /// Decision variables of the published placement are machines, fan-in, the network in use and the threshold. Times of operators and
    /// the GPU parallelism are facts.
    #[test]
    fn decisions_are_what_the_user_can_decide_the_largest_effect_first() {
        let rankings = rankings(PUBLISHED);
        for ranking in &rankings {
            let decisions = ranking.decisions("seconds");
            assert!(
                ranking.is_complete() && decisions == rankings[0].decisions("seconds"),
                "the same before and after samples"
            );
            let names = ["cluster.machines", "cluster.fan_in", "networks.100 Gb InfiniBand.effective_gbit_per_s"];
            assert!(names.iter().all(|name| decisions.iter().any(|path| path == name)), "{decisions:?}");
            let given = |path: &String| path.starts_with("operators.") || path == "gpu.gpu_parallelism";
            assert!(!decisions.iter().any(given), "{decisions:?}");
            let places: Vec<Option<usize>> = decisions
                .iter()
                .map(|path| rankings[0].of_figure("seconds").iter().position(|ranked| ranked == path))
                .collect();
            let ranked: Vec<usize> = places.iter().map_while(|place| *place).collect();
            assert!(ranked.is_sorted() && places[ranked.len()..].iter().all(Option::is_none), "{places:?}");
            assert_eq!(ranking.decisions("no figure"), Vec::<String>::new());
        }
    }

    /// The gains of the controller in use have no uncertainty and are decision variables; a seed is not one.
    #[test]
    fn gains_are_decisions_although_they_are_exact() {
        let rankings = rankings(include_str!("../../../scenarios/regulation-noisy.ron"));
        let ranking = rankings.last().expect("a ranking");
        let decisions: Vec<String> = ranking.figures().flat_map(|figure| ranking.decisions(&figure.key)).collect();
        let has = |text: &str| decisions.iter().any(|path| path.ends_with(text));
        assert!(has(".kp") || has(".ki"), "{decisions:?}");
        assert!(!has("run.seed") && !has("run.periods"), "{decisions:?}");
    }

    /// The sampling period and the number of periods of a regulation study have no uncertainty.
    #[test]
    fn numbers_without_uncertainty_are_not_offered_for_curves_and_maps() {
        for ranking in rankings(include_str!("../../../scenarios/regulation-published.ron")) {
            let decided = ["run.period_seconds", "run.periods"];
            let offered = ranking.with_effect().chain(ranking.ranked.iter().flatten().map(String::as_str));
            let offered: Vec<&str> = offered.collect();
            assert!(!offered.is_empty() && decided.iter().all(|path| !offered.contains(path)), "{offered:?}");
        }
    }

    /// As of a study of which each evaluation takes longer than a round.
    #[test]
    fn a_round_that_tries_few_numbers_offers_none_of_the_others_and_is_followed_by_another() {
        let complete = rankings(PUBLISHED).swap_remove(0);
        let study = complete.study.clone();
        let machines = |number: &Number| Number {
            alone: number.alone.clone().filter(|_| number.path == "cluster.machines"),
            ..number.clone()
        };
        let numbers: Vec<Number> = complete.numbers.iter().map(machines).collect();
        let few = Ranking::of(study.clone(), complete.figures.clone(), numbers, 1);
        assert_eq!(few.with_effect().collect::<Vec<_>>(), ["cluster.machines"]);
        assert_eq!(few.first(), Some("cluster.machines"));
        assert!(few.without_effect.is_empty(), "of the others nothing is known");
        let next = InfluenceRequest { study }.compute(Some(&few), &Ticket::default()).expect("not cancelled");
        assert_eq!((next.rounds, next.numbers), (2, complete.numbers));
    }

    #[test]
    fn a_greyed_number_has_the_reason_with_its_range() {
        let ranking = rankings(PUBLISHED).swap_remove(0);
        let path = "networks.10 Gb Ethernet.effective_gbit_per_s";
        let (quantity, _) = crossover_study::number_at(ranking.study.subject(), path).expect("a number");
        // 1 Gbit/s, two decades each way.
        assert_eq!(
            ranking.why_idle(quantity, path).as_deref(),
            Some("No figure changes while this number alone varies from 10 Mbit/s to 100 Gbit/s")
        );
        assert_eq!(ranking.why_idle(quantity, "cluster.machines"), None);
    }
}
