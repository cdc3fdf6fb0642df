//! Why an option is recommended, or not: the rule of the verdict that decided it.

use crossover_quantity::unit::{Unit, chance};

use crate::candidate::NO_DATA;
use crate::decision::{Decision, DecisionOption};
use crate::objective::Goal;
use crate::saving::LONGEST_PAYBACK_MONTHS;
use crate::verdict::{TRY_FROM, Verdict};
use crate::words::{dollars, joined_titles, known_dollars, likely, seconds};

impl Decision {
    /// Why the option at this place is recommended or not, as a phrase: of the rules of the verdict, the first one that it does
    /// not meet.
    #[must_use]
    pub fn why(&self, place: usize) -> String {
        let option = &self.options[place];
        if let Some(blocked) = &option.candidate.blocked_by {
            return blocked.clone();
        }
        if option.better.is_none() {
            return "no measured error".to_owned();
        }
        if self.lists_front() {
            return self.why_of_front(option);
        }
        if self.recommends(Some(place)) {
            return match self.verdict {
                _ if !self.near_ties.is_empty() => self.why_of_a_choice(place),
                Verdict::Move => "recommended".to_owned(),
                _ => "recommended for a trial".to_owned(),
            };
        }
        match self.verdict_on(option) {
            Verdict::Move | Verdict::Try => self.why_not_before_the_best(option),
            Verdict::Stay | Verdict::CannotJudge => self.why_to_stay(option),
        }
    }

    /// "recommended, as is Gluten (Velox), same machines: about the same cost"; of several others "recommended, as are …".
    fn why_of_a_choice(&self, place: usize) -> String {
        let others = self.recommended().filter(|other| *other != place);
        let others: Vec<&str> = others.map(|other| self.options[other].candidate.title.as_str()).collect();
        let same = if self.is_by_time() { "time" } else { "cost" };
        let are = if others.len() == 1 { "is" } else { "are" };
        format!("recommended, as {are} {}: about the same {same}", joined_titles(&others, " and "))
    }

    /// Why today's engine stays in spite of an option: it is unlikely to meet the goal, or its saving is too small.
    fn why_to_stay(&self, option: &DecisionOption) -> String {
        let is_unlikely = |chance: Option<f64>| chance.is_some_and(|chance| chance < TRY_FROM);
        if is_unlikely(option.feasible) {
            return match self.objective.goal {
                Goal::Cost | Goal::ParetoFront => self.too_slow(),
                Goal::Time => "likely to exceed the budget".to_owned(),
            };
        }
        // Where today's run breaks the limit, an option may cost more, or take longer.
        let is_compared = !self.is_limit_broken_today();
        if is_compared && is_unlikely(option.cheaper) && !self.is_by_time() {
            return "likely to cost more than today".to_owned();
        }
        if is_compared && is_unlikely(option.faster) && self.is_by_time() {
            return "likely to be slower than today".to_owned();
        }
        self.why_too_little(option)
            .unwrap_or_else(|| format!("only {} likely to meet the goal", likely(option.better.unwrap_or(0.0))))
    }

    /// Why the saving of an option is too small for a move or a trial, although it is likely to meet the goal: "expected saving $0.00004,
    /// not above the expected regret $0.00006", "an effort of $5,000 is paid back in 500 months, not within 36", "expected cost $0.0105, above
    /// the budget of $0.01"; `None` if that is not the reason.
    pub(crate) fn why_too_little(&self, option: &DecisionOption) -> Option<String> {
        let (saving, regret) = option.saving.zip(option.regret)?;
        if option.better? < TRY_FROM || self.verdict_on(option) != Verdict::Stay {
            return None;
        }
        if let Some(cost) = self.cost_above_budget(option) {
            let budget = self.objective.budget_usd.map(|usd| format!("the budget of {}", known_dollars(usd)));
            let budget = budget.unwrap_or_else(|| "today’s cost".to_owned());
            return Some(format!("expected cost {}, above {budget}", known_dollars(cost)));
        }
        if self.verdict_without_effort(option) != Verdict::Stay {
            let (effort, payback) = self.objective.effort_usd.zip(self.late_payback(option))?;
            let effort = Unit::Count.format(effort);
            return Some(format!(
                "an effort of ${effort} is {}, not within {LONGEST_PAYBACK_MONTHS}",
                payback.in_words()
            ));
        }
        let amount: fn(f64) -> String = if self.is_by_time() { seconds } else { dollars };
        Some(if saving <= 0.0 {
            let more = if self.is_by_time() { "longer" } else { "more expensive" };
            format!("{} {more} on average, because long times are far above the median", amount(-saving))
        } else {
            format!("expected saving {}, not above the expected regret {}", amount(saving), amount(regret))
        })
    }

    /// Why another option is recommended, of two that are worth a move or a trial: it saves more.
    fn why_not_before_the_best(&self, option: &DecisionOption) -> String {
        let Some(best) = self.best_option() else { return String::new() };
        let title = &best.candidate.title;
        let (saves, what) = match (self.is_by_time(), self.is_limit_broken_today()) {
            (true, true) => ("takes longer", "faster"),
            (true, false) => ("saves less time", "faster"),
            (false, true) => ("costs more", "cheaper"),
            (false, false) => ("saves less", "cheaper"),
        };
        let against = option.against.filter(|against| against.other == self.best);
        let likelihood =
            against.and_then(|against| if self.is_by_time() { Some(against.faster) } else { against.cheaper });
        let is_surer = self.verdict == Verdict::Try && self.verdict_on(option) == Verdict::Move;
        let surer = if is_surer { "needs no trial, but " } else { "" };
        let than = likelihood.map(|likelihood| format!("; {} likely to be {what} than that one", chance(likelihood)));
        format!("{surer}{saves} on average than {title}{}", than.unwrap_or_default())
    }

    /// "RAPIDS 25.12 (L4), 2 × p4d.24xlarge, which you named, has no measured data: measured on L4 only, not on A100."; empty if every option
    /// that the user named has a time.
    pub(crate) fn named_without_data(&self) -> String {
        let named = self.options.iter().map(|option| &option.candidate);
        let named = named.filter(|candidate| candidate.is_named && candidate.time.is_none());
        let sentences = named.filter_map(|candidate| {
            // What blocks every option, such as a run that failed, is no lack of data.
            let why = candidate.blocked_by.as_deref()?.strip_prefix(NO_DATA)?;
            Some(format!("{}, which you named, has no measured data: {why}.", candidate.title))
        });
        sentences.collect::<Vec<String>>().join(" ")
    }

    /// "likely to be slower than today"
    fn too_slow(&self) -> String {
        let limit = self.objective.time_limit;
        if limit.is_today(self.baseline.time.value()) {
            "likely to be slower than today".to_owned()
        } else {
            format!("likely to take more than {}", limit.in_words())
        }
    }
}
