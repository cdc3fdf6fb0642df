//! Why a kernel was preempted, or not.

use super::study::{Gain, Preemption};
use super::uncertainty::GainUncertainty;
use super::weigh::{Case, Weighed};
use crossover_quantity::unit::Unit;

/// A preemption that was considered.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// When, cycles.
    pub at: f64,
    /// The running launch that might be preempted, and its kernel.
    pub running: (u32, u32),
    /// The waiting launch that might replace it, and its kernel.
    pub waiting: (u32, u32),
    /// Kernels that keep running.
    pub co_running: Vec<u32>,
    /// What was weighed, by the scheduler's estimates of instructions.
    pub case: Case,
    /// Work, gain and break-even switch cost.
    pub weighed: Weighed,
    /// Uncertainty of the gain; `None` if every instruction count is known.
    pub uncertainty: Option<GainUncertainty>,
    /// Whether the kernel was preempted.
    pub is_preempted: bool,
}

impl Decision {
    /// "B is preempted for C at cycle 100,000. In the next 800,000 cycles, without preemption, the GPU completes work …".
    #[must_use]
    pub fn sentence(&self, study: &Preemption) -> String {
        let name = |kernel: u32| study.kernels.get(kernel as usize).map_or("", |kernel| kernel.name.as_str());
        let whole = |cycles: f64| Unit::Count.format(cycles.round());
        let (running, waiting) = (name(self.running.1), name(self.waiting.1));
        let verb = if self.is_preempted { "is" } else { "is not" };
        let whatever = if self.is_preempted && !self.weighed.gains() {
            " This policy preempts regardless of the gain."
        } else {
            ""
        };
        let break_even = if self.weighed.break_even_cycles > 0.0 {
            format!("Break-even switch cost: {} cycles.", whole(self.weighed.break_even_cycles))
        } else {
            "Preemption gains nothing at any switch cost.".to_owned()
        };
        let uncertainty = self.uncertainty.as_ref().map_or_else(String::new, |GainUncertainty { gain: [low, high], gain_probability }| {
            format!(
                " Instruction counts are estimates: the gain is {} to {} cycles of work (95 % interval), {} likely to be positive.",
                whole(*low),
                whole(*high),
                Unit::Share.format(*gain_probability)
            )
        });
        let against = match study.rule.gain {
            Gain::Difference => String::new(),
            Gain::AgainstCost => {
                format!(" With this scenario's criterion (gain against cost) the gain is {}.", whole(self.weighed.gain))
            }
        };
        let Case { rest_cycles, preempt_cycles, .. } = self.case;
        let switch = if preempt_cycles > rest_cycles {
            format!(
                "With preemption, the context switch would take {} cycles, longer than these {}, and the \
                 completed work would be {} cycles",
                whole(preempt_cycles),
                whole(rest_cycles),
                whole(self.weighed.after)
            )
        } else {
            format!(
                "With preemption, the context switch takes {} of these {} cycles, and the completed work is {} cycles",
                whole(preempt_cycles),
                whole(rest_cycles),
                whole(self.weighed.after)
            )
        };
        format!(
            "{running} {verb} preempted for {waiting} at cycle {}. In the next {} cycles, without preemption, the GPU completes work that \
             takes {} cycles if each kernel runs alone. {switch}. {break_even}{whatever}{uncertainty}{against}",
            whole(self.at),
            whole(rest_cycles),
            whole(self.weighed.before),
        )
    }
}
