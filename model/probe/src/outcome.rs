//! Results of a study: the probe, the results of each centre, their ranking, and the schedule of work.

use rayon::prelude::*;

use super::build::{Built, Match, build};
use super::centre::{CentreOutcome, EstimateMethod};
use super::estimate::{ProbeTime, rough};
use super::ranking::{Rank, ranking};
use super::schedule::{Plan, Planner, plans};
use super::study::Probe;
use crossover_measured::probe::ProbeTask;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_study::Watch;

/// Results of a probe study.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The probe that was built from the target task.
    pub built: Built,
    /// Results of every centre, in the order of the study.
    pub centres: Vec<CentreOutcome>,
    /// Centres with a score, the best first.
    pub ranking: Vec<Rank>,
    /// Plans for the work: the plan from probes first, then the baselines; empty without work.
    pub plans: Vec<Plan>,
    /// Index of the best plan.
    pub chosen: usize,
    /// Reasons to doubt the numbers, a sentence each.
    pub warnings: Vec<String>,
}

impl Outcome {
    /// "alpha has the highest score, 87.5; its difference from beta is not significant."
    #[must_use]
    pub fn sentence(&self, study: &Probe) -> String {
        let Some(best) = self.ranking.first() else {
            return "No centre has run the probe yet, so centres cannot be compared.".to_owned();
        };
        let name = |centre: usize| study.centres[centre].name.as_str();
        let score = self.centres[best.centre].score.map_or(0.0, |score| score.value);
        let score = crossover_quantity::unit::Unit::Ratio.format(score);
        let tied: Vec<&str> = best.tied.iter().map(|centre| name(*centre)).collect();
        match &tied[..] {
            _ if self.ranking.len() == 1 => {
                format!("{} has a score of {score}; no other centre has run the probe.", name(best.centre))
            }
            [] => format!("{} has the highest score on {}: {score}.", name(best.centre), units(study.target.units)),
            tied => format!(
                "{} has the highest score, {score}; its difference from {} is not significant.",
                name(best.centre),
                listed(tied)
            ),
        }
    }

    /// Indices of all centres: ranked ones first, then the others.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = self.ranking.iter().map(|rank| rank.centre).collect();
        let mut is_ranked = vec![false; self.centres.len()];
        for centre in &order {
            is_ranked[*centre] = true;
        }
        order.extend((0..self.centres.len()).filter(|centre| !is_ranked[*centre]));
        order
    }

    /// The best baseline.
    #[must_use]
    pub fn best_baseline(&self) -> Option<&Plan> {
        let baselines = self.plans.iter().filter(|plan| plan.planner != Planner::Measured);
        baselines.min_by(|a, b| a.objective.total_cmp(&b.objective))
    }

    /// The best plan.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.plans.get(self.chosen)
    }
}

/// "1 unit", "4 units".
#[must_use]
pub fn units(count: f64) -> String {
    counted(count, "unit")
}

/// "a, b and c".
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Number of runs that an evaluation reads, at least 1.
#[must_use]
pub fn all_runs(study: &Probe) -> usize {
    study.centres.iter().flat_map(|centre| &centre.units).map(|of| of.runs.seconds.len()).sum::<usize>().max(1)
}

/// Evaluates a valid study.
///
/// # Panics
/// Never: it cannot be cancelled.
#[must_use]
pub fn evaluate(study: &Probe) -> Outcome {
    Watch::uncancellable(|watch| evaluate_watched(study, watch)).expect("it cannot be cancelled")
}

/// Evaluates a valid study with progress, counted in runs; `None` if it was cancelled.
#[must_use]
pub fn evaluate_watched(study: &Probe, watch: Watch<'_>) -> Option<Outcome> {
    let built = build("probe", &study.target, &study.operators);
    let of_centre = |centre| {
        let of = CentreOutcome::new(study, &built, centre);
        let runs: usize = centre.units.iter().map(|of| of.runs.seconds.len()).sum();
        watch.count(runs);
        (!watch.is_cancelled()).then_some(of)
    };
    let centres: Option<Vec<CentreOutcome>> = study.centres.par_iter().map(of_centre).collect();
    let centres = centres?;
    let names: Vec<&str> = study.centres.iter().map(|centre| centre.name.as_str()).collect();
    let ranking = ranking(&centres, &names);
    let plans = plans(study, &centres, watch)?;
    let mut chosen = 0;
    for (index, plan) in plans.iter().enumerate() {
        if plan.objective < plans[chosen].objective {
            chosen = index;
        }
    }
    let warnings = warnings(study, &built, &centres, &plans, chosen);
    Some(Outcome { built, centres, ranking, plans, chosen, warnings })
}

/// A warning of a probe that takes longer than seconds.
fn long_probe(study: &Probe, probe: &ProbeTask) -> Option<String> {
    let threads = study.target.units;
    let time = ProbeTime::new(probe, &study.target, Some(threads), &|_| None);
    let remedy = time.better_ratio.map_or_else(String::new, |ratio| {
        format!(" With a reference ratio of {} it takes seconds.", Unit::Count.format(ratio))
    });
    time.is_long().then(|| {
        let seconds = rough(time.seconds);
        format!(
            "A run of the probe takes about {seconds} on {}, by reference times.{remedy}",
            counted(threads, "thread")
        )
    })
}

fn warnings(study: &Probe, built: &Built, centres: &[CentreOutcome], plans: &[Plan], chosen: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    let unmatched: Vec<&str> = study
        .operators
        .iter()
        .zip(&built.matches)
        .filter(|(_, found)| **found == Match::None)
        .map(|(of, _)| of.name.as_str())
        .collect();
    if built.probes.is_empty() {
        warnings.push(
            "No operator of the task matches the library, so there is no probe. Choose an operator of the library for each."
                .to_owned(),
        );
    } else if !unmatched.is_empty() {
        warnings.push(format!("Not in the probe, because no operator of the library matches: {}.", listed(&unmatched)));
    }
    warnings.extend(built.probes.iter().filter_map(|probe| long_probe(study, probe)));
    for (centre, of) in study.centres.iter().zip(centres) {
        let name = &centre.name;
        let unit = match &of.unit {
            Ok(unit) => &centre.units[*unit],
            Err(why) => {
                warnings.push(format!("{name} cannot be compared: {why}."));
                continue;
            }
        };
        let failed = unit.runs.failed.len();
        if failed > 0 {
            let times = counted(failed as f64, "run");
            warnings.push(format!(
                "Left out: {times} at {name} failed. First reason: {}.",
                unit.runs.failed[0].trim_end_matches('.')
            ));
        }
        match of.seconds {
            None if unit.runs.seconds.is_empty() && failed > 0 => {
                warnings.push(format!("{name} has no valid run on {}, so it is not ranked.", unit.name));
            }
            None if unit.runs.seconds.is_empty() => {
                warnings.push(format!("{name} has not run the probe on {} yet.", unit.name));
            }
            None => {
                let units = units(study.target.units);
                warnings.push(format!("{name} has not run the probe on {units}, so it is not ranked."));
            }
            Some(seconds) if seconds.interval.is_none() => {
                warnings.push(format!("{name} ran the probe once, so its score has no interval. Repeat the run."));
            }
            Some(_) => {}
        }
        if of.seconds.is_some() && of.error.is_none() {
            warnings.push(format!("{name} has no relative error, so it gets no points for precision."));
        }
        if of.disturbed > 0 {
            let runs = counted(of.disturbed as f64, "run");
            warnings.push(format!("{name}: the scaling fit leaves out {runs} at hours with a slow network."));
        }
        if let Ok(scaled) = &of.scaled {
            for caution in scaled.cautions(unit.runs.seconds.len()) {
                warnings.push(format!("{name}: {caution}."));
            }
        }
        if matches!(of.target, Some((_, EstimateMethod::Ratio))) {
            warnings.push(format!(
                "{name} has no times of single operators. Its time of the whole task is a rough estimate: time of the probe × \
                 ratio of executions."
            ));
        }
    }
    let price = |centre: &usize| {
        let unit = centres[*centre].unit.as_ref().ok()?;
        Some(study.centres[*centre].units.get(*unit)?.price_per_hour)
    };
    let (free, paid): (Vec<usize>, Vec<usize>) = (0..centres.len())
        .filter(|centre| centres[*centre].target.is_some())
        .partition(|centre| price(centre) == Some(0.0));
    if !plans.is_empty() && !free.is_empty() && !paid.is_empty() {
        let names: Vec<&str> = free.iter().map(|centre| study.centres[*centre].name.as_str()).collect();
        warnings.push(format!("No price is entered for {}; the plan assumes a price of 0.", listed(&names)));
    }
    if let Some(plan) = plans.get(chosen).filter(|_| chosen > 0) {
        warnings.push(format!(
            "Baseline “{}” has a lower objective (cost + value of time) than the probe-based schedule and is used instead.",
            plan.planner.label()
        ));
    }
    warnings
}
