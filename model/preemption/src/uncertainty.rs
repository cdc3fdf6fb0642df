//! Uncertainty of the gain of a decision: instructions of a kernel are estimates, and so is the rest in which all running kernels
//! run together.

use std::f64::consts::SQRT_2;

use statrs::function::erf::erfc;

use super::study::Gain;
use super::weigh::{Case, weigh};
use crossover_quantity::estimate::CONFIDENCE;

/// Bisection steps for an end of an interval: to the last bit.
const STEPS: usize = 64;

/// The scheduler's estimate of a running launch. Work is in cycles alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimatedWork {
    /// Work done.
    pub done: f64,
    /// Estimate of all its work.
    pub all: f64,
    /// Work per cycle.
    pub rate: f64,
    /// Standard deviation of the logarithm of the true work around the estimate.
    pub error: f64,
}

impl EstimatedWork {
    /// Likelihood that it still runs after so many cycles, given that it runs now.
    fn runs_after(&self, cycles: f64) -> f64 {
        let later = self.done + cycles * self.rate;
        let has_more = |work: f64| match work / self.all {
            share if share <= 0.0 => 1.0,
            share if self.error > 0.0 => 0.5 * erfc(share.ln() / (self.error * SQRT_2)),
            share => f64::from(u8::from(share < 1.0)),
        };
        let now = has_more(self.done);
        if now > 0.0 { has_more(later) / now } else { 0.0 }
    }
}

/// Uncertainty of the gain of a decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GainUncertainty {
    /// 95 % interval of the gain, cycles of work.
    pub gain: [f64; 2],
    /// Likelihood that the gain is positive, 0 … 1.
    pub gain_probability: f64,
}

impl GainUncertainty {
    /// Of a switch while these run, with independent errors; `None` if every count is known. The switch cost is taken as known.
    #[must_use]
    pub fn of(running: &[EstimatedWork], case: &Case, by: Gain) -> Option<Self> {
        if running.iter().all(|of| of.error <= 0.0) {
            return None;
        }
        let together = |cycles: f64| running.iter().map(|of| of.runs_after(cycles)).product::<f64>();
        let gain = |rest_cycles: f64| weigh(&Case { rest_cycles, ..*case }, by).gain;
        let tail = (1.0 - CONFIDENCE) / 2.0;
        let [short, long] = [1.0 - tail, tail].map(|share| longest(together, share, case.rest_cycles));
        // It loses more and more until the switch is done, and less and less from then on.
        let switched = case.preempt_cycles;
        let at = [short, switched.clamp(short, long), long].map(gain);
        let [low, high] = [at.into_iter().fold(f64::INFINITY, f64::min), at[0].max(at[2])];
        let slope = case.after_sum - case.before_sum;
        let gain_probability = if slope > 0.0 { together(switched - gain(switched) / slope) } else { 0.0 };
        Some(Self { gain: [low, high], gain_probability })
    }
}

/// The most cycles after which all still run with this likelihood.
fn longest(together: impl Fn(f64) -> f64, share: f64, guess: f64) -> f64 {
    let mut high = guess.max(1.0);
    while together(high) > share && high < f64::MAX / 2.0 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if together(middle) > share { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One more for every cycle together, and 100,000 lost to the switch.
    const CASE: Case =
        Case { rest_cycles: 1_000_000.0, before_sum: 1.0, during_sum: 1.0, after_sum: 2.0, preempt_cycles: 100_000.0 };

    fn just_begun(error: f64) -> EstimatedWork {
        EstimatedWork { done: 0.0, all: 1_000_000.0, rate: 1.0, error }
    }

    fn uncertainty(running: &[EstimatedWork], case: &Case) -> GainUncertainty {
        GainUncertainty::of(running, case, Gain::Difference).expect("errors")
    }

    /// With 95 % it runs for 375,000 to 2,664,000 cycles: it may end before the switch does.
    #[test]
    fn what_may_end_during_the_switch_loses_most_at_its_end() {
        let case = Case { preempt_cycles: 600_000.0, during_sum: 0.5, ..CASE };
        // Half a cycle of work is lost in each of the 600,000.
        assert!((uncertainty(&[just_begun(0.5)], &case).gain[0] / -300_000.0 - 1.0).abs() < 1e-9);
    }

    /// 1.96 standard deviations of 0.5: e^0.98 = 2.664 times as long, or as short.
    #[test]
    fn one_kernel_has_the_interval_of_its_count() {
        let found = uncertainty(&[just_begun(0.5)], &CASE);
        let factor = (0.5_f64 * 1.959_964).exp();
        for (found, cycles) in found.gain.iter().zip([1e6 / factor, 1e6 * factor]) {
            assert!((found / (cycles - 100_000.0) - 1.0).abs() < 1e-5, "{found}");
        }
        // A tenth of the time is ln 10 / 0.5 = 4.605 deviations away: 1 − 2.06e-6.
        assert!((1.0 - found.gain_probability - 2.06e-6).abs() < 1e-8, "{}", found.gain_probability);
    }

    /// Each of two lasts as long as is estimated in half of the cases.
    #[test]
    fn the_first_that_ends_counts() {
        let case = Case { preempt_cycles: 1_000_000.0, ..CASE };
        assert!((uncertainty(&[just_begun(0.3)], &case).gain_probability - 0.5).abs() < 1e-9);
        assert!((uncertainty(&[just_begun(0.3), just_begun(2.0)], &case).gain_probability - 0.25).abs() < 1e-9);
        // One that is known to end sooner leaves no uncertainty.
        let known = EstimatedWork { all: 500_000.0, ..just_begun(0.0) };
        assert!(uncertainty(&[just_begun(0.3), known], &case).gain_probability == 0.0);
    }

    /// What has run as long as it was estimated to is in its upper half: 1 − Φ(ln 1.5 / 0.5) = 0.2087 of all, twice that of it.
    #[test]
    fn what_has_not_ended_yet_counts() {
        let running = EstimatedWork { done: 1_000_000.0, ..just_begun(0.5) };
        let case = Case { preempt_cycles: 500_000.0, ..CASE };
        assert!((uncertainty(&[running], &case).gain_probability - 2.0 * 0.2087).abs() < 1e-3);
    }

    #[test]
    fn known_counts_leave_no_doubt_and_extreme_ones_are_finite() {
        assert_eq!(GainUncertainty::of(&[just_begun(0.0)], &CASE, Gain::Difference), None);
        let long_over = EstimatedWork { done: 1e15, all: 1.0, rate: 1e-3, error: 0.01 };
        for running in [long_over, just_begun(3.0), EstimatedWork { all: 1e15, rate: 1e-6, ..just_begun(3.0) }] {
            let GainUncertainty { gain: [low, high], gain_probability } = uncertainty(&[running], &CASE);
            assert!(low.is_finite() && high.is_finite() && low <= high && (0.0..=1.0).contains(&gain_probability));
        }
    }
}
