//! Why a kernel left, or did not.

use super::doubt::Doubt;
use super::study::{Gain, Preemption};
use super::weigh::{Case, Weighed};
use crossover_quantity::unit::Unit;

/// Why a kernel left, or did not.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// When, cycles.
    pub at: f64,
    /// The launch that might leave, and its kernel.
    pub leaves: (u32, u32),
    /// The launch that might come, and its kernel.
    pub comes: (u32, u32),
    /// Kernels that stay.
    pub stay: Vec<u32>,
    /// What was weighed, as the scheduler believes it.
    pub case: Case,
    /// What came of it.
    pub weighed: Weighed,
    /// How sure that is; `None` where every count of instructions is known.
    pub doubt: Option<Doubt>,
    /// Whether it left.
    pub is_preempted: bool,
}

impl Decision {
    /// "B leaves for C at cycle 100,000: without the switch the next 800,000 cycles do 1,040,000 cycles of work …": what was weighed,
    /// with its numbers.
    #[must_use]
    pub fn sentence(&self, study: &Preemption) -> String {
        let name = |kernel: u32| study.kernels.get(kernel as usize).map_or("", |kernel| kernel.name.as_str());
        let whole = |cycles: f64| Unit::Count.format(cycles.round());
        let (leaves, comes) = (name(self.leaves.1), name(self.comes.1));
        let verb = if self.is_preempted { "leaves" } else { "does not leave" };
        let whatever =
            if self.is_preempted && !self.weighed.pays() { " This policy switches whatever it costs." } else { "" };
        let pays = if self.weighed.break_even_cycles > 0.0 {
            format!("It would pay up to a switch of {} cycles.", whole(self.weighed.break_even_cycles))
        } else {
            "It would not pay, however short the switch was.".to_owned()
        };
        let doubt = self.doubt.as_ref().map_or_else(String::new, |Doubt { gain: [low, high], pays }| {
            format!(
                " Counts of instructions are believed, not known: with 95 % it gains {} to {} cycles of work, and it pays in {} of the \
                 cases.",
                whole(*low),
                whole(*high),
                Unit::Share.format(*pays)
            )
        });
        let against = match study.rule.gain {
            Gain::Difference => String::new(),
            Gain::AgainstCost => format!(
                " Against what is done during the switch that is a gain of {}: what this study decides by.",
                whole(self.weighed.gain)
            ),
        };
        let Case { rest_cycles, preempt_cycles, .. } = self.case;
        let switch = if preempt_cycles > rest_cycles {
            format!(
                "the switch would take {}, longer than that, and {} are done meanwhile",
                whole(preempt_cycles),
                whole(self.weighed.after)
            )
        } else {
            format!("with it {}, of which {} cycles are the switch", whole(self.weighed.after), whole(preempt_cycles))
        };
        format!(
            "{leaves} {verb} for {comes} at cycle {}: without the switch the next {} cycles do {} cycles of work; {switch}. \
             {pays}{whatever}{doubt}{against}",
            whole(self.at),
            whole(rest_cycles),
            whole(self.weighed.before),
        )
    }
}
