//! The time of a probe before it is sent, from its executions and the known times of its operators.

use super::build::executions;
use super::study::Target;
use crossover_measured::probe::library::operator;
use crossover_measured::probe::{Executed, ProbeOperator, ProbeTask};
use crossover_quantity::unit::elapsed;

/// A probe takes seconds: a longer run has a warning, seconds.
pub const LONG_RUN: f64 = 60.0;
/// Longest time of a run for which a reference ratio is chosen, seconds, unless the user names another one.
pub const SHORT_RUN: f64 = 10.0;
/// The largest reference ratio.
const LARGEST_RATIO: f64 = 1e12;

/// The estimated time of a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeTime {
    /// Time of one run, seconds: Σ (executions + 1) · time of one execution, over operators with a known time. The one more is the
    /// warm-up.
    pub seconds: f64,
    /// Names of operators without a known time: programs, and operators on a GPU, that never ran.
    pub unknown: Vec<String>,
    /// The reference ratio with which a long run takes seconds; none if it is short, or no ratio does.
    pub better_ratio: Option<f64>,
}

impl ProbeTime {
    /// Estimates a probe of a target. `measured` is the measured time of one execution on the requested units, if there is one;
    /// otherwise the reference time ÷ `threads` counts, and without threads, on a GPU, none.
    #[must_use]
    pub fn new(
        probe: &ProbeTask,
        target: &Target,
        threads: Option<f64>,
        measured: &dyn Fn(&Executed) -> Option<f64>,
    ) -> Self {
        let one = |of: &ProbeOperator| one_execution(of, threads, measured);
        let unknown = probe.operators.iter().filter(|of| one(of).is_none()).map(|of| of.name.clone()).collect();
        let seconds = sum(probe, &one, &|of| of.executions);
        let better_ratio =
            if seconds > LONG_RUN { fitting_ratio(probe, target, threads, measured, SHORT_RUN) } else { None };
        Self { seconds, unknown, better_ratio }
    }

    /// Whether a run takes longer than a probe should.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.seconds > LONG_RUN
    }
}

/// The smallest reference ratio of 1, 2, 5, 10, 20 … above that of the target with which a run takes at most `most` seconds; none if
/// no ratio does. Arguments as those of [`ProbeTime::new`].
#[must_use]
pub fn fitting_ratio(
    probe: &ProbeTask,
    target: &Target,
    threads: Option<f64>,
    measured: &dyn Fn(&Executed) -> Option<f64>,
    most: f64,
) -> Option<f64> {
    let one = |of: &ProbeOperator| one_execution(of, threads, measured);
    let is_short = |ratio: &f64| {
        let target = Target { ratio: *ratio, ..target.clone() };
        sum(probe, &one, &|of| executions(of.in_target, &target)) <= most
    };
    ratios().filter(|ratio| *ratio > target.ratio).find(is_short)
}

/// Time of one execution, seconds: measured, or by reference.
fn one_execution(of: &ProbeOperator, threads: Option<f64>, measured: &dyn Fn(&Executed) -> Option<f64>) -> Option<f64> {
    let reference = || Some(operator(of.runs.key()?)?.reference_seconds / threads?);
    measured(&of.runs).or_else(reference)
}

/// Time of a run with so many executions of each operator, and one to warm up, seconds.
fn sum(probe: &ProbeTask, one: &dyn Fn(&ProbeOperator) -> Option<f64>, count: &dyn Fn(&ProbeOperator) -> u32) -> f64 {
    probe.operators.iter().filter_map(|of| Some((f64::from(count(of)) + 1.0) * one(of)?)).sum()
}

/// An estimated time with two digits: the machine of the reference is another one.
#[must_use]
pub fn rough(seconds: f64) -> String {
    let step = 10_f64.powf(seconds.abs().log10().floor() - 1.0);
    elapsed(if step > 0.0 && step.is_finite() { (seconds / step).round() * step } else { seconds })
}

/// 1, 2, 5, 10, 20 … up to the largest ratio.
fn ratios() -> impl Iterator<Item = f64> {
    let decades = std::iter::successors(Some(1.0), |decade| (*decade < LARGEST_RATIO).then_some(decade * 10.0));
    decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|step| decade * step)).take_while(|ratio| *ratio <= LARGEST_RATIO)
}

#[cfg(test)]
mod tests {
    use super::super::build::build;
    use super::super::study::TargetOperator;
    use super::*;

    /// Joins of a task, at a reference ratio of 1,000.
    fn joins(in_target: f64) -> (ProbeTask, Target) {
        let target = Target::default();
        let join = TargetOperator { name: "hash_join".to_owned(), executions: in_target, ..TargetOperator::default() };
        let built = build("probe", &target, &[join]);
        (built.probes[0].clone(), target)
    }

    fn time(in_target: f64, threads: Option<f64>, measured: Option<f64>) -> ProbeTime {
        let (probe, target) = joins(in_target);
        ProbeTime::new(&probe, &target, threads, &|_| measured)
    }

    /// 9,000 joins of 46 ms, and one to warm up: 414 s. 10 s are 216 of them: 180 at 50,000 to 1.
    #[test]
    fn thousands_of_joins_are_long_and_a_larger_ratio_makes_them_short() {
        let long = time(9e6, Some(1.0), None);
        assert!((long.seconds - 9_001.0 * 0.046).abs() < 1e-9 && long.is_long(), "{long:?}");
        assert_eq!(long.better_ratio, Some(50_000.0));
        let short = time(9e3, Some(1.0), None);
        assert!(!short.is_long() && short.better_ratio.is_none(), "{short:?}");
    }

    /// 9,000,000 ÷ ratio joins of 46 ms, and one more: at most 60 s at 10,000 to 1 (41.4 s), at most 1 s at 500,000 to 1 (0.87 s).
    #[test]
    fn a_ratio_fits_the_time_that_a_run_may_take() {
        let (probe, target) = joins(9e6);
        let fitting = |most: f64| fitting_ratio(&probe, &target, Some(1.0), &|_| None, most);
        assert_eq!((fitting(60.0), fitting(1.0)), (Some(10_000.0), Some(500_000.0)));
        // One join and one to warm up.
        assert_eq!((fitting(0.092), fitting(0.091)), (Some(1e7), None));
    }

    #[test]
    fn an_estimate_has_two_digits() {
        for (seconds, expected) in [(0.0, "0 s"), (7.34, "7.3 s"), (414.046, "6 min 50 s"), (36_000.0, "10 h")] {
            assert_eq!(rough(seconds), expected);
        }
    }

    #[test]
    fn measured_times_come_before_those_of_the_reference() {
        assert!((time(9e6, Some(1.0), Some(0.001)).seconds - 9.001).abs() < 1e-9);
        assert!((time(9e6, Some(2.0), None).seconds - 9_001.0 * 0.023).abs() < 1e-9, "twice the threads");
        let gpu = time(9e6, None, None);
        assert_eq!((gpu.seconds, &gpu.unknown[..]), (0.0, &["hash_join".to_owned()][..]));
        let slow = time(9e6, Some(1.0), Some(20.0));
        assert!(slow.is_long() && slow.better_ratio.is_none(), "one execution alone takes longer");
    }
}
