//! The verdict on each option, and the best option.

use super::{Decision, DecisionOption, is_judged};
use crate::verdict::Verdict;

impl DecisionOption {
    /// The verdict on it by its own numbers, whether or not something blocks it, if the move takes no effort.
    pub(crate) fn verdict_without_effort(&self) -> Verdict {
        let Self { better, saving, regret, .. } = self;
        Verdict::of(better.unwrap_or(0.0), saving.unwrap_or(0.0), regret.unwrap_or(0.0))
    }
}

impl Decision {
    /// The verdict, and the best option: of those to move to the one with the largest expected saving; if there are none, of those
    /// that are worth a trial.
    pub(super) fn verdict_and_best(&self) -> (Verdict, Option<usize>) {
        if !self.options.iter().any(|option| is_judged(&option.candidate)) {
            return (Verdict::CannotJudge, None);
        }
        let saving = |option: &DecisionOption| option.saving.unwrap_or(f64::NEG_INFINITY);
        for wanted in [Verdict::Move, Verdict::Try] {
            let judged = self.options.iter().enumerate().filter(|(_, option)| is_judged(&option.candidate));
            let such = judged.filter(|(_, option)| self.verdict_on(option) == wanted);
            if let Some((place, _)) = such.max_by(|(_, a), (_, b)| saving(a).total_cmp(&saving(b))) {
                return (wanted, Some(place));
            }
        }
        (Verdict::Stay, None)
    }

    /// The verdict on an option by its own numbers and the effort of the move, whether or not something blocks it.
    pub(crate) fn verdict_on(&self, option: &DecisionOption) -> Verdict {
        if self.late_payback(option).is_some() { Verdict::Stay } else { option.verdict_without_effort() }
    }
}
