//! One number at a time: how far figures change while all other numbers keep their values. A few evaluations of each number tell
//! whether it changes any figure at all.

use rayon::prelude::*;

use super::selected::{SelectedFigure, answer};
use super::unknowns::bare;
use crossover_study::{FigureValue, Subject, Watch, set_number, validate};

/// Two values of a figure that differ by less, as a share, are the same: formulas and `evaluate` round differently.
const ROUNDING: f64 = 1e-9;

/// A number with the values that it is tried at.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Its path.
    pub path: String,
    /// Its present value.
    pub present: f64,
    /// Values to begin with: their changes rank the number.
    pub near: Vec<f64>,
    /// The ends of its range, tried where no figure changes at the others.
    pub far: Vec<f64>,
}

/// How figures change with one number alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Alone {
    /// Of each selected figure, its largest value less its smallest one, the present one among them, in its unit; infinite where it has
    /// a value at one place and none at another. At the near values, if any of these changes a figure.
    pub changes: Vec<f64>,
    /// Whether any figure of the study changes, selected or not.
    pub has_effect: bool,
    /// Whether a figure changes at the near values already.
    pub is_near: bool,
    /// Smallest and largest tried value at which the study is valid, the present one among them.
    pub between: [f64; 2],
}

impl Alone {
    /// Whether the number was moved, and no figure changed.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        !self.has_effect && self.between[0] < self.between[1]
    }
}

/// Tries numbers one at a time; `present`: all figures of the valid study as it is. `None` for a number that was not tried because
/// the time is over or the computation was cancelled: `is_over` is checked before each number. The same on any number of threads,
/// unless it is cut short. Counts numbers.
#[must_use]
pub fn one_at_a_time(
    study: &dyn Subject,
    present: &[FigureValue],
    selected: &[SelectedFigure],
    trials: &[Trial],
    is_over: &(dyn Fn() -> bool + Sync),
    watch: Watch<'_>,
) -> Vec<Option<Alone>> {
    let one = |moved: &mut Box<dyn Subject>, trial: &Trial| {
        if watch.is_cancelled() || is_over() {
            return None;
        }
        let found = alone(&mut **moved, present, selected, trial, watch);
        set_number(&mut **moved, &trial.path, trial.present);
        watch.count(1);
        found
    };
    trials.par_iter().map_init(|| bare(study), one).collect()
}

/// Moves one number; `None` if it was cancelled.
fn alone(
    moved: &mut dyn Subject,
    present: &[FigureValue],
    selected: &[SelectedFigure],
    trial: &Trial,
    watch: Watch<'_>,
) -> Option<Alone> {
    let mut seen: Vec<Vec<Option<f64>>> = selected.iter().map(|figure| vec![figure.value(present)]).collect();
    let [mut low, mut high] = [trial.present; 2];
    let [mut has_effect, mut is_near] = [false; 2];
    for (values, are_near) in [(&trial.near, true), (&trial.far, false)] {
        for value in values {
            if *value == trial.present || !set_number(moved, &trial.path, *value) || validate(moved).is_err() {
                continue;
            }
            let figures = answer(moved, watch)?;
            [low, high] = [low.min(*value), high.max(*value)];
            has_effect |= present.len() != figures.len()
                || present.iter().zip(&figures).any(|(now, then)| change(&[now.value, then.value]) > 0.0);
            for (seen, figure) in seen.iter_mut().zip(selected) {
                seen.push(figure.value(&figures));
            }
        }
        if has_effect {
            is_near = are_near;
            break;
        }
    }
    let changes = seen.iter().map(|values| change(values)).collect();
    Some(Alone { changes, has_effect, is_near, between: [low, high] })
}

/// How far a figure moves; 0 where values differ by rounding only, infinite where some are missing.
pub(super) fn change(values: &[Option<f64>]) -> f64 {
    let known = values.iter().flatten();
    let count = known.clone().count();
    if count < values.len() {
        return if count == 0 { 0.0 } else { f64::INFINITY };
    }
    let [low, high] = known.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(*x), high.max(*x)]);
    let change = high - low;
    if change <= ROUNDING * low.abs().max(high.abs()) { 0.0 } else { change }
}

#[cfg(test)]
mod tests {
    use crossover_study::answer;

    use super::*;
    use crate::selected::EVERY;

    fn tried(trials: &[Trial], is_over: &(dyn Fn() -> bool + Sync)) -> Vec<Option<Alone>> {
        let text = include_str!("../../../scenarios/placement-published.ron");
        let study = crossover_scenario::read(text).expect("a valid example").study;
        let subject = study.subject();
        Watch::uncancellable(|watch| {
            let present = answer(subject, watch).expect("figures");
            let selected = SelectedFigure::of(&present, &[EVERY.to_owned()]).expect("all");
            one_at_a_time(subject, &present, &selected, trials, is_over, watch)
        })
    }

    fn trial(path: &str, present: f64, near: &[f64], far: &[f64]) -> Trial {
        Trial { path: path.to_owned(), present, near: near.to_vec(), far: far.to_vec() }
    }

    /// The published study uses InfiniBand, and has 1,000 machines.
    #[test]
    fn what_is_not_used_is_idle_over_the_whole_range_and_what_is_used_is_not() {
        let trials = [
            trial("networks.10 Gb Ethernet.effective_gbit_per_s", 1.0, &[0.9, 1.1], &[0.01, 10.0]),
            trial("cluster.machines", 1_000.0, &[900.0, 1_100.0], &[10.0, 100_000.0]),
        ];
        let found: Vec<Alone> = tried(&trials, &|| false).into_iter().flatten().collect();
        let [ethernet, machines] = &found[..] else { panic!("{found:?}") };
        assert!(ethernet.is_idle() && ethernet.changes.iter().all(|change| *change == 0.0), "{ethernet:?}");
        assert_eq!(ethernet.between, [0.01, 10.0], "the ends were tried, too");
        assert!(machines.has_effect && machines.is_near && !machines.is_idle());
        assert_eq!(machines.between, [900.0, 1_100.0], "the ends are not needed");
    }

    /// A number of machines below 1 is invalid, so nothing is known of it.
    #[test]
    fn a_number_that_cannot_be_moved_is_not_called_idle() {
        let found = tried(&[trial("cluster.machines", 1_000.0, &[], &[-5.0, 1_000.0])], &|| false);
        let [Some(machines)] = &found[..] else { panic!("{found:?}") };
        assert!(!machines.is_idle() && !machines.has_effect);
    }

    #[test]
    fn numbers_are_left_untried_once_the_time_is_over() {
        let machines = trial("cluster.machines", 1_000.0, &[900.0], &[]);
        assert_eq!(tried(&[machines.clone(), machines], &|| true), [None, None]);
    }

    #[test]
    fn a_figure_moves_from_its_smallest_to_its_largest_value_apart_from_rounding() {
        let rounded = [Some(1.0), Some(1.0 + 1e-12)];
        assert_eq!([change(&rounded), change(&[None, None]), change(&[Some(0.0), Some(0.0)])], [0.0; 3]);
        assert_eq!(change(&[Some(1.0), Some(1.5), Some(0.75)]), 0.75);
        assert_eq!(change(&[Some(1.0), None]), f64::INFINITY);
    }
}
