//! Whether a preemption gains more than it costs.
//!
//! The published formulas, with the missing ones reconstructed from their variables; see `docs/model/preemption.md`.

use super::study::{Gain, Rule};
use crossover_measured::kernels::Class;

/// Switch cost, cycles: linear in the saved bytes, and higher beside a kernel with more cache misses.
///
/// `bytes` are the registers and shared memory of all blocks that leave.
#[must_use]
pub fn preempt_cycles(rule: &Rule, miss_rate: f64, bytes: f64) -> f64 {
    (rule.miss_cycles * miss_rate + rule.byte_cycles) * bytes
}

/// Share of its speed that a staying kernel keeps during a switch.
#[must_use]
pub fn decay(rule: &Rule, class: Class) -> f64 {
    match class {
        Class::Memory => rule.decay,
        Class::Compute => 1.0,
    }
}

/// Inputs of a decision. Sums are of normalised IPC.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// Cycles until the first running kernel ends.
    pub rest_cycles: f64,
    /// Sum of the running kernels.
    pub before_sum: f64,
    /// Sum of the kernels that stay during the switch: decayed.
    pub during_sum: f64,
    /// Sum of the new combination.
    pub after_sum: f64,
    /// Cycles of the switch.
    pub preempt_cycles: f64,
}

/// Result of weighing a switch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighed {
    /// Work without the switch: normalised IPC times cycles.
    pub before: f64,
    /// Work with it, in the same cycles.
    pub after: f64,
    /// Gain of the switch; negative if it loses work.
    pub gain: f64,
    /// Break-even switch cost: the cycles at which the switch gains nothing.
    pub break_even_cycles: f64,
}

impl Weighed {
    /// Whether the gain is positive.
    #[must_use]
    pub fn gains(&self) -> bool {
        self.gain > 0.0
    }
}

/// Weighs a switch.
#[must_use]
pub fn weigh(case: &Case, by: Gain) -> Weighed {
    let Case { rest_cycles, before_sum, during_sum, after_sum, preempt_cycles } = *case;
    // A switch longer than the rest fills all of it.
    let switch = preempt_cycles.min(rest_cycles);
    let left = rest_cycles - switch;
    let before = before_sum * rest_cycles;
    let after = during_sum * switch + after_sum * left;
    let (gain, slope) = match by {
        Gain::Difference => (after - before, after_sum - during_sum),
        Gain::AgainstCost => {
            let more = after_sum - before_sum;
            (more * left - during_sum * switch, more + during_sum)
        }
    };
    let break_even_cycles = if slope > 0.0 { (rest_cycles * (after_sum - before_sum) / slope).max(0.0) } else { 0.0 };
    Weighed { before, after, gain, break_even_cycles }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked case of the method: 3·10⁸ instructions at 300 and 2·10⁸ at 250 per cycle.
    fn published() -> Case {
        Case {
            rest_cycles: f64::min(3.0e8 / 300.0, 2.0e8 / 250.0),
            before_sum: 0.7 + 0.6,
            during_sum: 0.7 * 0.9,
            after_sum: 0.85 + 0.90,
            preempt_cycles: (0.09526 * 0.3 + 0.01633) * (32_768.0 + 6_144.0) * 120.0,
        }
    }

    #[test]
    fn the_published_case_gains_125_141_and_breaks_even_at_321_429() {
        let weighed = weigh(&published(), Gain::Difference);
        assert!((published().preempt_cycles / 209_695.2 - 1.0).abs() < 1e-6);
        assert!((weighed.before / 1_040_000.0 - 1.0).abs() < 1e-12);
        assert!((weighed.after / 1_165_141.36 - 1.0).abs() < 1e-6);
        assert!((weighed.gain / 125_141.36 - 1.0).abs() < 1e-6);
        assert!((weighed.break_even_cycles / 321_428.57 - 1.0).abs() < 1e-6);
    }

    /// 0.45 · (800,000 − 209,695.2) − 0.63 · 209,695.2, and 800,000 · 0.45 / 1.08.
    #[test]
    fn the_claim_weighs_the_gain_against_the_cost_alone() {
        let weighed = weigh(&published(), Gain::AgainstCost);
        assert!((weighed.gain / 133_529.0 - 1.0).abs() < 1e-4);
        assert!((weighed.break_even_cycles / 333_333.333 - 1.0).abs() < 1e-6);
    }

    /// Nothing is done by a switch that never ends but what stays does: 800,000 · (0.63 − 1.3).
    #[test]
    fn a_switch_longer_than_the_rest_loses_what_leaves_and_no_more() {
        for preempt_cycles in [800_000.0, 1e6, 1e12] {
            let weighed = weigh(&Case { preempt_cycles, ..published() }, Gain::Difference);
            assert!((weighed.gain / -536_000.0 - 1.0).abs() < 1e-12 && weighed.after >= 0.0);
        }
        // Whatever decides which combination is better: where it does less, no switch gains.
        let worse = Case { after_sum: 0.5, ..published() };
        for preempt_cycles in [0.0, 1e3, 1e6, 1e9] {
            let weighed = weigh(&Case { preempt_cycles, ..worse }, Gain::Difference);
            assert!(!weighed.gains() && weighed.break_even_cycles == 0.0);
        }
    }

    #[test]
    fn at_the_break_even_nothing_is_gained() {
        for by in [Gain::Difference, Gain::AgainstCost] {
            let at = Case { preempt_cycles: weigh(&published(), by).break_even_cycles, ..published() };
            assert!(weigh(&at, by).gain.abs() < 1e-6);
        }
    }
}
