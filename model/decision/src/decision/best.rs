//! The verdict on each option, and the best option.

use super::{Decision, DecisionOption, is_judged};
use crate::verdict::Verdict;

impl Decision {
    /// The verdict on an option by its own numbers, whether or not something blocks it, if the move takes no effort.
    pub(crate) fn verdict_without_effort(&self, option: &DecisionOption) -> Verdict {
        let DecisionOption { better, saving, regret, .. } = option;
        let better = better.unwrap_or(0.0);
        if self.is_limit_broken_today() {
            Verdict::within_limit(better)
        } else {
            Verdict::of(better, saving.unwrap_or(0.0), regret.unwrap_or(0.0))
        }
    }

    /// The verdict, and the best option: of those to move to and those that are worth a trial the one with the largest expected saving. A
    /// weaker limit only adds options to these, so it never makes the expected saving smaller, as long as today's run keeps both limits.
    pub(super) fn verdict_and_best(&self) -> (Verdict, Option<usize>) {
        if !self.options.iter().any(|option| is_judged(&option.candidate)) {
            return (Verdict::CannotJudge, None);
        }
        let best = self.saves_most(&[Verdict::Move, Verdict::Try]);
        best.map_or((Verdict::Stay, None), |place| (self.verdict_on(&self.options[place]), Some(place)))
    }

    /// Place of the option to move to without a trial that saves most, if the best option needs a trial; `None` if no option is likely enough.
    #[must_use]
    pub fn without_trial(&self) -> Option<usize> {
        let needs_trial = self.best.is_some() && self.verdict == Verdict::Try;
        if needs_trial { self.saves_most(&[Verdict::Move]) } else { None }
    }

    /// Place of the option with the largest expected saving, of those that can be judged and have one of these verdicts.
    fn saves_most(&self, verdicts: &[Verdict]) -> Option<usize> {
        let saving = |option: &DecisionOption| option.saving.unwrap_or(f64::NEG_INFINITY);
        let options = self.options.iter().enumerate();
        let wanted =
            options.filter(|(_, option)| is_judged(&option.candidate) && verdicts.contains(&self.verdict_on(option)));
        // Of equal savings, that without a trial.
        let order = |a: &DecisionOption, b: &DecisionOption| {
            saving(a).total_cmp(&saving(b)).then_with(|| self.verdict_on(b).cmp(&self.verdict_on(a)))
        };
        wanted.max_by(|(_, a), (_, b)| order(a, b)).map(|(place, _)| place)
    }

    /// Whether only the effort of the move keeps today's engine: an option that can be judged would be worth a move or a trial, but none of
    /// them pays it back within three years.
    #[must_use]
    pub fn is_kept_by_effort(&self) -> bool {
        self.rejected_by_effort().is_some()
    }

    /// Place of the option that would be recommended if the move took no effort, where only the effort keeps today's engine: of the options
    /// that do not pay it back, the one with the largest expected saving, which pays it back first.
    pub(crate) fn rejected_by_effort(&self) -> Option<usize> {
        let saving = |option: &DecisionOption| option.saving.unwrap_or(f64::NEG_INFINITY);
        let options = self.options.iter().enumerate().filter(|_| self.best.is_none());
        let rejected = options.filter(|(_, option)| self.is_rejected_by_effort(option));
        rejected.max_by(|(_, a), (_, b)| saving(a).total_cmp(&saving(b))).map(|(place, _)| place)
    }

    /// Whether an option that can be judged would be worth a move or a trial, but does not pay back the effort within three years.
    fn is_rejected_by_effort(&self, option: &DecisionOption) -> bool {
        is_judged(&option.candidate)
            && self.verdict_without_effort(option) != Verdict::Stay
            && self.late_payback(option).is_some()
    }

    /// The verdict on an option by its own numbers, the effort of the move and the budget, whether or not something blocks it.
    pub(crate) fn verdict_on(&self, option: &DecisionOption) -> Verdict {
        let is_rejected = self.late_payback(option).is_some() || self.cost_above_budget(option).is_some();
        if is_rejected { Verdict::Stay } else { self.verdict_without_effort(option) }
    }
}
