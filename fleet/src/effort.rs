//! The effort of moves: the runs of an application that pay it back, and the effort of several moves in sum.
//!
//! ```text
//! runs of an application = n·k           n runs a month of a log; k logs with the same name and user, 1 where n was entered
//! payback of a move = U ÷ (S·n·k)        U effort, S expected saving of a run
//! payback in sum = U·a ÷ Σ S·n           a applications that move
//! ```
//! An effort is one of an application, however often it runs. See `docs/model/fleet.md`.

use std::collections::{BTreeMap, BTreeSet};

use crossover_decision::{Goal, Objective, Payback};
use crossover_placement::EnteredInputs;

use crate::application::{Summary, Verdict};
use crate::frequency::Frequency;

/// How often each application of a fleet runs in a month.
#[derive(Debug, Clone, Default)]
pub struct Recurrence {
    /// Runs of each log in a month; `None`: not known.
    runs: Option<f64>,
    /// Number of logs of each named application, by its name and user; empty where each log counts as an application.
    logs: BTreeMap<String, BTreeMap<String, usize>>,
}

impl Recurrence {
    /// That of logs which recur this often. An entered number of runs is one of each log of the list; in a history, logs with the same name
    /// and user are runs of one application.
    #[must_use]
    pub fn new<'a>(frequency: Frequency, summaries: impl IntoIterator<Item = &'a Summary>) -> Self {
        let mut logs: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        if matches!(frequency, Frequency::History(_)) {
            for summary in summaries.into_iter().filter(|summary| !summary.name.trim().is_empty()) {
                let users = logs.entry(summary.name.clone()).or_default();
                *users.entry(summary.user.clone()).or_default() += 1;
            }
        }
        Self { runs: frequency.is_monthly().then(|| frequency.runs()), logs }
    }

    /// Runs of the application of a log in a month; `None`: not known.
    fn runs_per_month(&self, summary: &Summary) -> Option<f64> {
        let logs = self.logs.get(&summary.name).and_then(|users| users.get(&summary.user));
        Some(self.runs? * logs.copied().unwrap_or(1) as f64)
    }

    /// What was entered, with the runs per month of this application if an effort was entered: they pay it back. Without one, runs change no
    /// decision, and stay as they are.
    #[must_use]
    pub fn inputs_of(&self, entered: EnteredInputs, summary: &Summary) -> EnteredInputs {
        if entered.effort().is_none() {
            return entered;
        }
        EnteredInputs { runs_per_month: self.runs_per_month(summary), ..entered }
    }

    /// When the recommended move of an application has paid back its effort; `None` without a move, an effort or a price, and where time
    /// decides.
    #[must_use]
    pub fn payback(&self, objective: &Objective, summary: &Summary) -> Option<Payback> {
        let effort_usd = counted_effort(objective)?;
        let saving_usd = summary.saved_usd().filter(|_| summary.verdict == Verdict::Move)?;
        Some(Payback::of(effort_usd, saving_usd, self.runs_per_month(summary).map(|runs| [runs; 2])))
    }
}

/// The effort of several moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffortSum {
    /// Number of applications that move.
    pub applications: usize,
    /// Effort of each, US dollars.
    pub each_usd: f64,
    /// Effort of all, US dollars.
    pub usd: f64,
    /// When their expected saving in sum has paid it back; without runs per month in runs of each log.
    pub payback: Payback,
}

impl EffortSum {
    /// That of moves, each a log with the name and the user of its application. `saving_usd`: what they save in a month, or in one run of
    /// each if runs per month are not known, US dollars. `None` without a move or an effort, and where time decides.
    #[must_use]
    pub fn of<'a>(
        objective: &Objective,
        frequency: Frequency,
        moves: impl IntoIterator<Item = (&'a str, &'a str)>,
        saving_usd: f64,
    ) -> Option<Self> {
        let each_usd = counted_effort(objective)?;
        let moves = moves.into_iter();
        let applications = if matches!(frequency, Frequency::History(_)) {
            moves.collect::<BTreeSet<(&str, &str)>>().len()
        } else {
            moves.count()
        };
        if applications == 0 {
            return None;
        }
        let usd = each_usd * applications as f64;
        let payback = Payback::of(usd, saving_usd, frequency.is_monthly().then_some([1.0; 2]));
        Some(Self { applications, each_usd, usd, payback })
    }
}

/// The effort, US dollars, if it counts: a saving of time does not pay it back.
fn counted_effort(objective: &Objective) -> Option<f64> {
    objective.effort_usd.filter(|_| objective.goal == Goal::Cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<f64>, expected: f64) {
        assert!(
            found.is_some_and(|found| (found - expected).abs() <= 1e-9 * expected),
            "{found:?}, expected {expected}"
        );
    }

    fn run(name: &str, user: &str) -> Summary {
        Summary {
            name: name.to_owned(),
            user: user.to_owned(),
            verdict: Verdict::Move,
            expected_saving_usd: Some(0.5),
            ..Summary::default()
        }
    }

    fn with_effort(effort_usd: f64) -> Objective {
        Objective { effort_usd: Some(effort_usd), ..Objective::default() }
    }

    /// Logs of 60.875 days, twice a month's, recur 0.5 times a month: three of them are 1.5 runs.
    #[test]
    fn logs_of_a_name_and_a_user_are_runs_of_one_application_in_a_history() {
        let all = [
            run("nightly", "ada"),
            run("nightly", "ada"),
            run("nightly", "ada"),
            run("nightly", "bob"),
            run(" ", "ada"),
        ];
        let history = Recurrence::new(Frequency::History(60.875), &all);
        near(history.runs_per_month(&all[0]), 1.5);
        near(history.runs_per_month(&all[3]), 0.5);
        near(history.runs_per_month(&all[4]), 0.5);
        let entered = Recurrence::new(Frequency::Entered(30.0), &all);
        near(entered.runs_per_month(&all[0]), 30.0);
        let unknown = Recurrence::new(Frequency::Unknown, &all);
        assert_eq!(unknown.runs_per_month(&all[0]), None);

        let effort = EnteredInputs { effort_usd: Some(10.0), ..EnteredInputs::default() };
        near(history.inputs_of(effort, &all[0]).runs_per_month, 1.5);
        assert_eq!(history.inputs_of(EnteredInputs::default(), &all[0]), EnteredInputs::default());

        // $0.50 for each of 1.5 runs a month: $9 after 12 months; without runs per month after 18 runs.
        let Some(Payback::Months([least, most])) = history.payback(&with_effort(9.0), &all[0]) else {
            panic!("no months")
        };
        near(Some(least), 12.0);
        near(Some(most), 12.0);
        assert_eq!(unknown.payback(&with_effort(9.0), &all[0]), Some(Payback::Runs(18.0)));
        let stays = Summary { verdict: Verdict::Stay, ..run("nightly", "ada") };
        assert_eq!(history.payback(&with_effort(9.0), &stays), None);
        assert_eq!(history.payback(&Objective::default(), &all[0]), None);
        let fastest = Objective { goal: Goal::Time, ..with_effort(9.0) };
        assert_eq!(history.payback(&fastest, &all[0]), None);
    }

    /// $100 for each application: in a history two names are two of them, $200 for $25 a month.
    #[test]
    fn an_effort_in_sum_is_one_of_each_application_that_moves() {
        let moves = [("nightly", "ada"), ("nightly", "ada"), ("hourly", "ada")];
        let of =
            |frequency, saving_usd| EffortSum::of(&with_effort(100.0), frequency, moves, saving_usd).expect("moves");
        let history = of(Frequency::History(14.0), 25.0);
        assert_eq!((history.applications, history.each_usd, history.usd), (2, 100.0, 200.0));
        assert_eq!(history.payback, Payback::Months([8.0, 8.0]));
        let entered = of(Frequency::Entered(30.0), 25.0);
        assert_eq!((entered.applications, entered.usd, entered.payback), (3, 300.0, Payback::Months([12.0, 12.0])));
        assert_eq!(of(Frequency::Unknown, 25.0).payback, Payback::Runs(12.0));
        assert_eq!(of(Frequency::Unknown, 0.0).payback, Payback::Never);
        assert_eq!(EffortSum::of(&with_effort(100.0), Frequency::Unknown, [], 0.0), None);
        assert_eq!(EffortSum::of(&Objective::default(), Frequency::Unknown, moves, 25.0), None);
    }
}
