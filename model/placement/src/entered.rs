//! What a user enters once for a whole application, or for all applications of a fleet.

use crossover_decision::saving::effort_usd;
use crossover_decision::{Goal, Objective, TimeLimit};
use crossover_study::sources;
use serde::{Deserialize, Serialize};

use crate::study::Placement;

/// Runs per month, price today, goal with its limits, and effort, which hold for an application and for each application of a fleet, and for
/// its queries. Machines are not among them: each application has its own.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct EnteredInputs {
    /// Runs of each application in a month; `None`: as often as in the logs.
    pub runs_per_month: Option<f64>,
    /// Price of one of today's machines, US dollars per hour; `None`: the one that is assumed.
    pub price_today: Option<f64>,
    /// Longest time of a run, as a factor of today's; `None`: not slower than today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Longest time of a run, seconds, instead of a factor of today's time. Only an open application has it: the times of many applications
    /// differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_seconds: Option<f64>,
    /// What is least: the cost of a run within the time limit, or its time within the budget. The Pareto front is no goal of many
    /// applications: it names no option.
    #[serde(default, skip_serializing_if = "is_cost")]
    pub goal: Goal,
    /// Largest cost of a run of the whole application, US dollars, for the least time; `None`: today's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// What moving the application costs once in money, US dollars; `None`: not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort_usd: Option<f64>,
    /// Hours of work of this move; `None`: not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort_hours: Option<f64>,
    /// Cost of an hour of this work, US dollars; `None`: the hours are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hourly_rate_usd: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_cost(goal: &Goal) -> bool {
    *goal == Goal::Cost
}

impl EnteredInputs {
    /// Those of the study of a query.
    #[must_use]
    pub fn of_study(study: &Placement) -> Self {
        let price = study.engines.as_deref().and_then(|engines| engines.cpu.usd_per_hour);
        let inputs = study.decision_inputs();
        let objective = inputs.objective();
        let limit =
            Some(objective.time_limit).filter(|limit| objective.goal == Goal::Cost && *limit != TimeLimit::TODAY);
        Self {
            runs_per_month: objective.runs_per_month,
            // A number without a source was entered.
            price_today: price.filter(|_| !study.sources.contains_key("engines.cpu.usd_per_hour")),
            time_limit: limit.and_then(TimeLimit::as_factor),
            time_limit_seconds: limit.and_then(TimeLimit::as_seconds),
            goal: if objective.goal == Goal::Time { Goal::Time } else { Goal::Cost },
            budget_usd: inputs.budget_usd.filter(|usd| objective.goal == Goal::Time && *usd > 0.0),
            effort_usd: inputs.effort_usd.filter(|usd| *usd > 0.0),
            effort_hours: inputs.effort_hours.filter(|hours| *hours > 0.0),
            hourly_rate_usd: inputs.hourly_rate_usd.filter(|usd| *usd > 0.0),
        }
    }

    /// The time limit, in the form in which it was entered; `None`: not slower than today.
    #[must_use]
    pub fn limit(self) -> Option<TimeLimit> {
        self.time_limit_seconds.map(TimeLimit::Seconds).or(self.time_limit.map(TimeLimit::Factor))
    }

    /// What moving the application costs once, US dollars: money, and hours of work at their rate; `None` if nothing of it counts.
    #[must_use]
    pub fn effort(self) -> Option<f64> {
        effort_usd(self.effort_usd, self.effort_hours, self.hourly_rate_usd)
    }

    /// What the user wants of an application: the least cost of runs within the time limit, or their least time within the budget.
    #[must_use]
    pub fn objective(self) -> Objective {
        let usual = Objective::default();
        Objective {
            goal: self.goal,
            time_limit: self.limit().filter(|_| self.goal == Goal::Cost).unwrap_or(usual.time_limit),
            budget_usd: self.budget_usd.filter(|usd| self.goal == Goal::Time && *usd > 0.0),
            runs_per_month: self.runs_per_month,
            effort_usd: self.effort(),
            ..usual
        }
    }

    /// Whether decisions may differ from those without them: runs per month alone multiply savings and change none, and a budget is one of
    /// another goal.
    #[must_use]
    pub fn change_decisions(self) -> bool {
        self.price_today.is_some() || self.limit().is_some() || self.effort().is_some() || self.goal != Goal::Cost
    }

    /// Enters them in the study of a query.
    pub fn enter(self, study: &mut Placement) {
        if let Some(runs) = self.runs_per_month {
            study.edit_decision(|inputs| inputs.runs_per_month = Some(runs));
        }
        if let Some(limit) = self.limit() {
            study.edit_decision(|inputs| inputs.set_limit(limit));
        }
        if self.goal != Goal::Cost {
            study.edit_decision(|inputs| inputs.goal = self.goal);
        }
        if let Some(usd) = self.budget_usd.filter(|_| self.goal == Goal::Time) {
            study.edit_decision(|inputs| inputs.budget_usd = Some(usd));
        }
        if self.effort().is_some() {
            study.edit_decision(|inputs| {
                inputs.effort_usd = self.effort_usd;
                inputs.effort_hours = self.effort_hours;
                inputs.hourly_rate_usd = self.hourly_rate_usd;
            });
        }
        if let Some(usd) = self.price_today {
            sources::enter(study, |study| {
                if let Some(engines) = study.engines.as_deref_mut() {
                    engines.cpu.usd_per_hour = Some(usd);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_entered_in_a_study_is_what_it_has() {
        let mut study: Placement =
            crossover_needs::study_in(include_str!("../../../scenarios/placement-truth-aws-l4.ron"));
        // The price of its machines is that of a list.
        assert_eq!(EnteredInputs::of_study(&study), EnteredInputs::default());
        let entered = EnteredInputs {
            runs_per_month: Some(720.0),
            price_today: Some(0.5),
            time_limit: Some(1.2),
            effort_usd: Some(5000.0),
            effort_hours: Some(40.0),
            hourly_rate_usd: Some(90.0),
            ..EnteredInputs::default()
        };
        entered.enter(&mut study);
        assert_eq!(EnteredInputs::of_study(&study), entered);
        // $5,000, and 40 hours at $90 are $3,600.
        assert_eq!(
            [entered.objective(), study.decision_inputs().objective()].map(|of| of.effort_usd),
            [Some(8600.0); 2]
        );
        // Hours without a rate are no money.
        let hours = EnteredInputs { effort_hours: Some(40.0), ..EnteredInputs::default() };
        assert!(hours.effort().is_none() && !hours.change_decisions());
        assert_eq!(entered.objective().time_limit, study.decision_inputs().objective().time_limit);
        // The least time has no limit of time.
        let mut fastest = study.clone();
        EnteredInputs { goal: Goal::Time, ..entered }.enter(&mut fastest);
        assert_eq!(EnteredInputs::of_study(&fastest), EnteredInputs { goal: Goal::Time, time_limit: None, ..entered });
        assert_eq!(EnteredInputs { goal: Goal::Time, ..entered }.objective().time_limit, TimeLimit::TODAY);
        // A time stays a time.
        let mut timed = study.clone();
        let of_time = EnteredInputs { time_limit: None, time_limit_seconds: Some(20.0), ..entered };
        of_time.enter(&mut timed);
        assert_eq!(EnteredInputs::of_study(&timed), of_time);
        assert_eq!(of_time.objective().time_limit, TimeLimit::Seconds(20.0));
        // A budget is one of the least time.
        let within = EnteredInputs { budget_usd: Some(0.01), ..entered };
        assert_eq!(within.objective().budget_usd, None);
        assert_eq!(EnteredInputs { goal: Goal::Time, ..within }.objective().budget_usd, Some(0.01));
        within.enter(&mut fastest);
        assert_eq!(EnteredInputs::of_study(&fastest).budget_usd, None);
        EnteredInputs { goal: Goal::Time, ..within }.enter(&mut fastest);
        assert_eq!(EnteredInputs::of_study(&fastest).budget_usd, Some(0.01));
        // Nothing entered changes nothing.
        let before = study.clone();
        EnteredInputs::default().enter(&mut study);
        assert_eq!(study, before);
    }
}
