//! Which numbers each figure of a study depends on most, and which change no figure: where tools begin, and what their lists
//! grey. It is the sensitivity of the Uncertainty page with fewer samples, where that is quick.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_scenario::Study;
use crossover_study::{Watch, figures, numbers};
use crossover_tools::selected::{EVERY, SelectedFigure};
use crossover_tools::sensitivity::{OfFigure, evaluations};
use crossover_tools::{Sampling, Sensitivity, sensitivity};
use egui::Context;

/// Samples; few are enough to tell the numbers that matter.
const SAMPLES: usize = 128;
/// Uncertainty of numbers without a distribution, ± share of their values, as on the Uncertainty page.
const WITHIN: f64 = 0.1;
/// A study that takes longer has no ranking.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most values of all figures together, about 32 MB; a study with more has no ranking either.
const MOST_VALUES: usize = 4_000_000;
/// Two values of a figure that differ by less, as a share, are the same: formulas and `evaluate` round differently.
const ROUNDING: f64 = 1e-9;
/// Why a number is greyed.
pub(super) const WITHOUT_EFFECT: &str = "No figure changes while this number alone varies within about ± 10 %";

/// The influence of the numbers of a study, computed in the background.
#[derive(Debug, Default)]
pub(super) struct Influence(Computed<InfluenceRequest>);

/// The study.
#[derive(Debug, Clone)]
struct InfluenceRequest {
    study: Study,
}

/// The ranking; empty where it takes long, or where nothing can vary.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// Figures, each with the paths of the numbers that it depends on, the largest effect first.
    figures: Vec<(SelectedFigure, Vec<String>)>,
    /// Paths of numbers that change no figure.
    without_effect: BTreeSet<String>,
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
    fn of(found: &Sensitivity) -> Self {
        let path = |cause: usize| {
            let number = found.causes[cause].numbers.first()?;
            Some(found.unknowns.numbers[*number].path.clone())
        };
        let ranked = |of: &OfFigure| {
            let places = of.ranked().into_iter().filter(|cause| of.effects[*cause].total.value > 0.0);
            (of.selected.clone(), places.filter_map(path).collect::<Vec<String>>())
        };
        let is_without_effect = |number: usize| {
            let is_same = |of: &OfFigure| of.swings[number].values.iter().all(|value| is_equal(*value, of.present));
            found.figures.iter().all(is_same)
        };
        let numbers = found.unknowns.numbers.iter().enumerate();
        let idle = numbers.filter(|(number, _)| is_without_effect(*number)).map(|(_, unknown)| unknown.path.clone());
        Self { figures: found.figures.iter().map(ranked).collect(), without_effect: idle.collect() }
    }

    /// The figures.
    pub(super) fn figures(&self) -> impl Iterator<Item = &SelectedFigure> {
        self.figures.iter().map(|(figure, _)| figure)
    }

    /// Paths of the numbers that a figure depends on, the largest effect first.
    pub(super) fn of_figure(&self, key: &str) -> &[String] {
        self.figures.iter().find(|(figure, _)| figure.key == key).map_or(&[][..], |(_, paths)| paths)
    }

    /// The number that the first figure of the whole study depends on most.
    pub(super) fn first(&self) -> Option<&str> {
        let mut whole = self.figures.iter().filter(|(figure, _)| figure.figure.list.is_none());
        whole.find_map(|(_, paths)| paths.first()).map(String::as_str)
    }

    /// Whether no figure changes with a number.
    pub(super) fn is_without_effect(&self, path: &str) -> bool {
        self.without_effect.contains(path)
    }
}

/// Whether a figure has the same value, or none in both cases.
fn is_equal(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= ROUNDING * one.abs().max(other.abs()),
        (one, other) => one.is_none() && other.is_none(),
    }
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

    fn compute(&self, _: Option<&Ranking>, ticket: &Ticket) -> Option<Ranking> {
        let study = self.study.subject();
        let evaluations = evaluations(SAMPLES, numbers(study).len());
        if evaluations.saturating_mul(figures(study).len()) > MOST_VALUES {
            return Some(Ranking::default());
        }
        let figures = vec![EVERY.to_owned()];
        let sampling = Sampling { samples: SAMPLES, spread_all: Some(WITHIN), figures, ..Sampling::default() };
        let began = Instant::now();
        let found = watched(ticket, evaluations, |watch| {
            let is_over = || watch.is_cancelled() || began.elapsed() > PATIENCE;
            sensitivity(study, &sampling, Watch { is_cancelled: &is_over, done: watch.done })
        });
        // Where it takes long, or nothing can vary, tools begin as without a ranking.
        let ranking = found.ok().flatten().map(|found| Ranking::of(&found)).unwrap_or_default();
        (!ticket.is_cancelled()).then_some(ranking)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(text: &str) -> Ranking {
        let scenario = crossover_scenario::read(text).expect("a valid example");
        let figures = vec![EVERY.to_owned()];
        let sampling = Sampling { samples: SAMPLES, spread_all: Some(WITHIN), figures, ..Sampling::default() };
        let found = Watch::uncancellable(|watch| sensitivity(scenario.study.subject(), &sampling, watch));
        Ranking::of(&found.expect("numbers that vary").expect("not cancelled"))
    }

    /// The join takes most of the published workload, and the first figure is the speedup.
    #[test]
    fn the_published_speedup_depends_most_on_the_cost_of_the_join() {
        let ranking = ranking(include_str!("../../../scenarios/placement-published.ron"));
        assert_eq!(ranking.first(), Some("operators.join.cpu_seconds_per_100mb"));
        let of_filter = ranking.of_figure("operators.filter.speedup");
        assert!(!of_filter.is_empty() && of_filter.iter().all(|path| !path.starts_with("operators.join.")));
    }

    /// The published study uses InfiniBand, and no compression.
    #[test]
    fn numbers_of_what_is_not_used_are_without_effect() {
        let ranking = ranking(include_str!("../../../scenarios/placement-published.ron"));
        for unused in ["compression.network_ratio", "networks.10 Gb Ethernet.effective_gbit_per_s"] {
            assert!(ranking.is_without_effect(unused), "{unused}");
        }
        assert!(!ranking.is_without_effect("networks.100 Gb InfiniBand.effective_gbit_per_s"));
        assert!(!ranking.is_without_effect("no.such.number"), "nothing is known of it");
    }

    #[test]
    fn values_that_differ_by_rounding_are_the_same() {
        assert!(is_equal(Some(1.0), Some(1.0 + 1e-12)) && is_equal(None, None) && is_equal(Some(0.0), Some(0.0)));
        assert!(!is_equal(Some(1.0), Some(1.001)) && !is_equal(Some(1.0), None));
    }
}
