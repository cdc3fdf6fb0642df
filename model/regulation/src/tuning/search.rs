//! Search over gains for the least settling time with little overshoot.
//!
//! Gains are eligible if they settle within the overshoot limit, with a steady-state error near the least of all that
//! were tried, and without a remaining error: a controller that never acts settles at once and is no solution. If all
//! leave a remaining error, those near the least are eligible. Among these the least settling time wins, then the least
//! integral of absolute error (IAE). The present gains take part and win ties. If they are eligible, gains with a larger
//! error are not, so the result is never worse.
//!
//! A coarse grid over the useful range of every gain of the controller's form comes first, then ever finer ones around
//! the best so far. The useful range follows from the control table. Kp: below the lower end even the largest
//! error, 1, stays in the dead zone; at the upper end an error as small as the dead zone, or of 1 if that is less, reaches
//! the outermost row. Ki: up to where an error of 1 reaches the outermost row after one period. Kd: as Kp. Each is widened to twice the present
//! gain, and none leaves the range that a study may have.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::remaining::{NO_REMAINING_ERROR, near_the_least, remaining_error};
use super::with_gains;
use crate::figures::{Figures, summary};
use crate::pid::Gains;
use crate::simulate::{Simulation, Strategy};
use crate::study::{Controller, Form, Regulation};
use crate::table;
use crossover_quantity::quantity::Quantity;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_study::Watch;

/// Largest overshoot that is allowed unless said otherwise, a share.
pub const MOST_OVERSHOOT: f64 = 0.05;

/// Values of each gain on the coarse grid, by how many gains are searched.
const COARSE: [usize; 3] = [48, 20, 10];
/// Values of each gain on a finer grid.
const FINE: usize = 5;
/// Finer grids, each within the neighbours of the best so far.
const REFINEMENTS: usize = 3;
/// A remaining error that exceeds the least one of those that settle by no more than this counts as good as it.
const ABOUT_THE_LEAST: f64 = 0.005;
/// Lower end of Ki and Kd above 0, as a share of the upper end.
const SMALLEST_SHARE: f64 = 0.01;

/// The lower end of Kp is never below this, however narrow the dead zone is.
const LEAST_KP: f64 = 1e-6;

/// A controller with the figures of its run.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The controller.
    pub controller: Controller,
    /// Periods to the last action; none if it does not settle.
    pub settling_periods: Option<usize>,
    /// Largest error of opposite sign ÷ largest error before the first zero crossing.
    pub overshoot: f64,
    /// Mean |e| at the end.
    pub steady_state_error: f64,
    /// The part of it that the controller could reduce, see [`remaining_error`].
    pub remaining_error: f64,
    /// Integral of absolute error (IAE), seconds.
    pub integral_absolute_error: f64,
}

impl Trial {
    fn new(study: &Regulation, controller: Controller, figures: &Figures) -> Self {
        Self {
            controller,
            settling_periods: figures.settling_periods,
            overshoot: figures.overshoot,
            steady_state_error: figures.steady_state_error,
            remaining_error: remaining_error(study, figures),
            integral_absolute_error: figures.integral_absolute_error,
        }
    }

    fn settles(&self) -> bool {
        self.settling_periods.is_some()
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// The controller as it is.
    pub present: Trial,
    /// The best controller; the present one if none is better.
    pub best: Trial,
    /// The best controller compared with the present one.
    pub verdict: Verdict,
    /// Runs that the search took.
    pub runs: usize,
}

impl SearchResult {
    /// The verdict in words; where the best gains are better, in which figures.
    #[must_use]
    pub fn sentence(&self) -> String {
        if self.verdict != Verdict::Better {
            return self.verdict.sentence().to_owned();
        }
        let (now, before) = (&self.best, &self.present);
        let settles = match (now.settling_periods, before.settling_periods) {
            (Some(now), None) => {
                Some(format!("they settle after {}, the current gains do not settle", counted(now as f64, "period")))
            }
            (Some(now), Some(before)) if now < before => {
                Some(format!("they settle after {} instead of {before}", counted(now as f64, "period")))
            }
            _ => None,
        };
        let less = |figure: &str, unit: Unit, now: f64, before: f64| {
            let (now_text, before_text) = (unit.format(now), unit.format(before));
            let is_less = now < before && now_text != before_text;
            is_less.then(|| format!("{figure} is {now_text} instead of {before_text}"))
        };
        let improved: Vec<String> = [
            settles,
            less("the remaining error", Unit::Share, now.remaining_error, before.remaining_error),
            less("the steady-state error", Unit::Share, now.steady_state_error, before.steady_state_error),
            less("the overshoot", Unit::Share, now.overshoot, before.overshoot),
            less(
                "the integral of absolute error",
                Unit::Seconds,
                now.integral_absolute_error,
                before.integral_absolute_error,
            ),
        ]
        .into_iter()
        .flatten()
        .collect();
        if improved.is_empty() {
            return self.verdict.sentence().to_owned();
        }
        format!("These gains are better: {}.", improved.join("; "))
    }
}

/// The best gains compared with the present ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They are better.
    Better,
    /// The present ones are as good as any that were tried.
    PresentIsBest,
    /// Some settle near the least error, but all of them exceed the overshoot limit.
    AllOvershoot,
    /// None settles near the least error.
    NothingSettles,
    /// Demand changes until the end, so nothing can settle.
    DemandKeepsChanging,
}

impl Verdict {
    /// The verdict in words.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Better => "These gains are better than the current gains.",
            Self::PresentIsBest => "No tested gains are better than the current gains.",
            Self::AllOvershoot => {
                "All gains with a steady-state error near the minimum exceed the overshoot limit; raise the limit."
            }
            Self::NothingSettles => {
                "No tested gains settle with a steady-state error near the minimum; gains unchanged."
            }
            Self::DemandKeepsChanging => {
                "No gains settle, because demand changes until the end of the run; gains unchanged."
            }
        }
    }
}

/// Searches gains for a controller. `most_overshoot` is the largest overshoot that is allowed, a share.
/// `None` if it was cancelled.
#[must_use]
pub fn search(
    simulation: &Simulation<'_>,
    controller: &Controller,
    most_overshoot: f64,
    watch: Watch<'_>,
) -> Option<SearchResult> {
    let run = |controller: &Controller| {
        if (watch.is_cancelled)() {
            return None;
        }
        let found = summary(simulation, Strategy::Controller(controller));
        watch.done.fetch_add(1, Relaxed);
        Some(Trial::new(simulation.study(), controller.clone(), &found))
    };
    let present = run(controller)?;
    if simulation.steady_from() >= simulation.periods() {
        return Some(SearchResult { best: present.clone(), present, verdict: Verdict::DemandKeepsChanging, runs: 1 });
    }
    let axes = axes(simulation, controller);
    let mut trials = vec![present];
    let mut tried = BTreeSet::new();
    let mut grid: Vec<Vec<f64>> = axes.clone();
    for refinement in 0..=REFINEMENTS {
        let new: Vec<Controller> = points(&grid)
            .into_iter()
            .filter(|gains| tried.insert([gains.kp, gains.ki, gains.kd].map(f64::to_bits)))
            .map(|gains| with_gains(controller, gains))
            .collect();
        trials.extend(new.par_iter().map(run).collect::<Option<Vec<Trial>>>()?);
        if refinement < REFINEMENTS {
            let Controller { kp, ki, kd, .. } = trials[best(&trials, most_overshoot).unwrap_or_default()].controller;
            grid = grid.iter().zip([kp, ki, kd]).map(|(values, gain)| around(values, gain)).collect();
        }
    }
    let verdict = match best(&trials, most_overshoot) {
        Some(0) => Verdict::PresentIsBest,
        Some(_) => Verdict::Better,
        None if best(&trials, f64::INFINITY).is_some() => Verdict::AllOvershoot,
        None => Verdict::NothingSettles,
    };
    let index = best(&trials, most_overshoot).unwrap_or_default();
    let runs = trials.len();
    let best = trials[index].clone();
    Some(SearchResult { present: trials.swap_remove(0), best, verdict, runs })
}

/// Index of the best trial that counts, the first of equals.
fn best(trials: &[Trial], most_overshoot: f64) -> Option<usize> {
    let near = near_the_least(trials.iter().map(|trial| trial.steady_state_error));
    let is_allowed =
        |trial: &&Trial| trial.settles() && trial.overshoot <= most_overshoot && trial.steady_state_error <= near;
    let remaining = trials.iter().filter(is_allowed).map(|trial| trial.remaining_error);
    let mut most_remaining = (remaining.fold(f64::INFINITY, f64::min) + ABOUT_THE_LEAST).max(NO_REMAINING_ERROR);
    let mut most_error = near;
    let present = trials.first().filter(is_allowed);
    if let Some(present) = present.filter(|present| present.remaining_error <= most_remaining) {
        most_remaining = present.remaining_error;
        most_error = present.steady_state_error;
    }
    let counts = |trial: &Trial| trial.remaining_error <= most_remaining && trial.steady_state_error <= most_error;
    let eligible = trials.iter().enumerate().filter(|(_, trial)| is_allowed(trial) && counts(trial));
    let best = eligible.min_by(|(_, a), (_, b)| {
        a.settling_periods
            .cmp(&b.settling_periods)
            .then(a.integral_absolute_error.total_cmp(&b.integral_absolute_error))
    });
    best.map(|(index, _)| index)
}

/// The coarse grid: values of Kp, Ki and Kd. A gain that the form does not have keeps its present value.
fn axes(simulation: &Simulation<'_>, controller: &Controller) -> Vec<Vec<f64>> {
    let table = &simulation.study().table;
    let size = |[from, to]: [f64; 2]| to.max(-from);
    let (edge, outermost) = (size(table::dead_zone(table)), size(table::ends(table)));
    // No error is larger than 1, however large the dead zone is.
    let steepest = outermost / edge.min(1.0);
    let (has_integral, has_derivative) = match controller.form {
        Form::P => (false, false),
        Form::PI => (true, false),
        Form::PD => (false, true),
        Form::PID => (true, true),
    };
    let count = COARSE[usize::from(has_integral) + usize::from(has_derivative)];
    let end = |quantity: &Quantity, present: f64, useful: f64| useful.max(2.0 * present).min(quantity.max);
    let or_zero = |quantity: &Quantity, present: f64, useful: f64, is_searched: bool| {
        if is_searched {
            let end = end(quantity, present, useful);
            let above = geometric(SMALLEST_SHARE * end, end, count - 1);
            std::iter::once(0.0).chain(above).collect()
        } else {
            vec![present]
        }
    };
    vec![
        geometric(edge.max(LEAST_KP), end(&Controller::KP, controller.kp, steepest), count),
        or_zero(&Controller::KI, controller.ki, outermost, has_integral),
        or_zero(&Controller::KD, controller.kd, steepest, has_derivative),
    ]
}

/// Numbers in equal ratios, both ends included and, in spite of rounding, none beyond the last.
fn geometric(from: f64, to: f64, count: usize) -> Vec<f64> {
    let last = (count - 1) as f64;
    (0..count).map(|index| (from * (to / from).powf(index as f64 / last)).min(to)).collect()
}

/// A finer grid between the neighbours of a gain; a single value stays alone.
fn around(values: &[f64], gain: f64) -> Vec<f64> {
    if values.len() < 2 {
        return values.to_vec();
    }
    // The gain is on the grid, but for the present one.
    let below = values.iter().copied().filter(|value| *value < gain).fold(None, |_, value| Some(value));
    let above = values.iter().copied().find(|value| *value > gain);
    let (from, to) = (below.unwrap_or(gain), above.unwrap_or(gain));
    let last = (FINE - 1) as f64;
    let mut finer: Vec<f64> = (0..FINE).map(|index| (from + (to - from) * index as f64 / last).min(to)).collect();
    finer.push(gain);
    finer.sort_by(f64::total_cmp);
    finer.dedup();
    finer
}

/// All combinations of the values of Kp, Ki and Kd.
fn points(grid: &[Vec<f64>]) -> Vec<Gains> {
    let [kps, kis, kds] = grid else { return Vec::new() };
    let of = |kp: f64, ki: f64| kds.iter().map(move |kd| Gains { kp, ki, kd: *kd });
    kps.iter().flat_map(|kp| kis.iter().flat_map(move |ki| of(*kp, *ki))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Band;

    fn published() -> Regulation {
        crossover_needs::study_in(include_str!("../../../../scenarios/regulation-published.ron"))
    }

    /// The published study with a table of three rows: the dead zone, and one on each side.
    fn with_rows(edge: f64, end: f64) -> Regulation {
        let band = |from, to, vgpus| Band { from, to, precision: 0.0, frequency_mhz: 0.0, vgpus };
        Regulation { table: vec![band(-end, -edge, 1.0), band(-edge, edge, 0.0), band(edge, end, -1.0)], ..published() }
    }

    #[test]
    fn no_gain_that_is_tried_is_more_than_a_study_may_have() {
        for (edge, end) in [(0.1, 0.9), (1e-300, 0.9), (1e-5, 1000.0), (999.0, 1000.0)] {
            let study = with_rows(edge, end);
            let simulation = Simulation::new(&study);
            for gain in [0.0, 1.0, 999.9, 1000.0] {
                let form = Form::PID;
                let controller = Controller { form, kp: gain, ki: gain, kd: gain, ..study.controllers[0].clone() };
                let mut grid = axes(&simulation, &controller);
                for _ in 0..REFINEMENTS {
                    assert!(points(&grid).into_iter().all(|gains| gains.problem().is_none()), "{grid:?}");
                    grid = grid.iter().map(|values| around(values, values[values.len() - 1])).collect();
                }
            }
        }
    }

    #[test]
    fn the_values_of_a_gain_ascend_even_where_the_dead_zone_is_larger_than_any_error() {
        // An error is at most 1, so that Kp = 2 leaves the dead zone and Kp = 3 reaches the end; 3/2 would do neither.
        let study = with_rows(2.0, 3.0);
        let controller = Controller { kp: 1.0, ..study.controllers[0].clone() };
        let kps = &axes(&Simulation::new(&study), &controller)[0];
        assert_eq!((kps[0], kps[kps.len() - 1]), (2.0, 3.0));
        assert!(kps.is_sorted());
        // The present gain lies below all of them: its neighbours are itself and the first one.
        assert_eq!(around(kps, 1.0), [1.0, 1.25, 1.5, 1.75, 2.0]);
    }
}
