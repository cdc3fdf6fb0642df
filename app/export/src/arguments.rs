//! The arguments of `crossover decide` with which a decision was made, in the terminal and in the window: the command that compares the log
//! of a trial has them.

mod amount;
mod effort;
mod limit;
mod price;

pub use amount::{LARGEST_AMOUNT, positive};
pub use effort::{Effort, entered_effort};
pub use limit::{factor, limit};
pub use price::{EnteredPrice, Runs, price, runs};

use std::path::{Path, PathBuf};

use crossover_decision::saving::effort_usd;
use crossover_decision::{Goal, Objective, TimeLimit};
use crossover_files::shell;
use jiff::civil::Date;

/// Everything that shapes a decision beside the log, as `crossover decide` reads it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DecideArguments {
    /// Id of the query; `None`: the whole application.
    pub query: Option<String>,
    /// GPU clusters to compare, such as "4xg6.2xlarge@0.40:spot".
    pub on: Vec<String>,
    /// What is to be least.
    pub goal: Goal,
    /// The time limit; `None`: today's time.
    pub within: Option<TimeLimit>,
    /// Largest cost of a run, US dollars; `None`: today's.
    pub budget: Option<f64>,
    /// Runs in a month, if they are known.
    pub runs_per_month: Option<Runs>,
    /// What the move costs once.
    pub effort: Option<Effort>,
    /// Cost of an hour of an effort in hours, US dollars.
    pub hourly_rate: Option<f64>,
    /// Today's machines instead of those of the log, such as "8xc5d.12xlarge".
    pub today: Option<String>,
    /// Price of one of today's machines.
    pub price_today: Option<EnteredPrice>,
    /// Price of one machine of the GPU clusters without a price of their own.
    pub price_gpu: Option<EnteredPrice>,
    /// Scenario with the engines.
    pub base: Option<PathBuf>,
    /// Profile with the engines.
    pub profile: Option<PathBuf>,
    /// Date of the decision; `None`: the present one.
    pub date: Option<Date>,
    /// Inputs of the decision that no option carries, in words.
    pub left_out: Vec<String>,
}

impl DecideArguments {
    /// Those of an objective alone.
    #[must_use]
    pub fn of_objective(objective: &Objective) -> Self {
        let is_limited = objective.goal == Goal::Cost && objective.time_limit != TimeLimit::TODAY;
        Self {
            goal: objective.goal,
            within: is_limited.then_some(objective.time_limit),
            budget: objective.budget_usd.filter(|_| objective.goal == Goal::Time),
            runs_per_month: objective.runs_per_month.map(|count| Runs { count, range: objective.runs_range }),
            effort: objective.effort_usd.map(Effort::Usd),
            ..Self::default()
        }
    }

    /// Takes an effort in money, in hours at an hourly rate, or in both, which only their sum says.
    pub fn take_effort(&mut self, usd: Option<f64>, hours: Option<f64>, hourly_rate_usd: Option<f64>) {
        let work = hours.zip(hourly_rate_usd).filter(|(hours, rate)| *hours > 0.0 && *rate > 0.0);
        let money = usd.filter(|usd| *usd > 0.0);
        (self.effort, self.hourly_rate) = match (money, work) {
            (None, Some((hours, rate))) => (Some(Effort::Hours(hours)), Some(rate)),
            _ => (effort_usd(usd, hours, hourly_rate_usd).map(Effort::Usd), None),
        };
        if matches!(self.effort, Some(Effort::Usd(usd)) if usd > LARGEST_AMOUNT) {
            self.effort = None;
            self.left_out.push("the effort of the move".to_owned());
        }
    }

    /// What the user wants of a workload.
    #[must_use]
    pub fn objective(&self) -> Objective {
        let effort = match self.effort {
            Some(Effort::Usd(usd)) => effort_usd(Some(usd), None, None),
            Some(Effort::Hours(hours)) => effort_usd(None, Some(hours), self.hourly_rate),
            None => None,
        };
        Objective {
            goal: self.goal,
            time_limit: self.within.unwrap_or(TimeLimit::TODAY),
            budget_usd: self.budget,
            runs_per_month: self.runs_per_month.map(|runs| runs.count),
            runs_range: self.runs_per_month.and_then(|runs| runs.range),
            effort_usd: effort,
        }
    }

    /// As words of a command line that is split already: "--query", "1", "--runs-per-month", "3000".
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        fn text<T: ToString>(value: Option<&T>) -> Option<String> {
            value.map(ToString::to_string)
        }
        let path = |path: Option<&Path>| path.map(|path| path.display().to_string());
        let least = match self.goal {
            Goal::Cost => None,
            Goal::Time => Some("time".to_owned()),
            Goal::ParetoFront => Some("pareto-front".to_owned()),
        };
        let clusters = self.on.iter().map(|cluster| ("--on", Some(cluster.clone())));
        let others = [
            ("--least", least),
            ("--within", text(self.within.as_ref())),
            ("--budget", text(self.budget.as_ref())),
            ("--runs-per-month", text(self.runs_per_month.as_ref())),
            ("--effort", text(self.effort.as_ref())),
            ("--hourly-rate", text(self.hourly_rate.as_ref())),
            ("--today", self.today.clone()),
            ("--price-today", text(self.price_today.as_ref())),
            ("--price-gpu", text(self.price_gpu.as_ref())),
            ("--base", path(self.base.as_deref())),
            ("--profile", path(self.profile.as_deref())),
            ("--date", text(self.date.as_ref())),
        ];
        let named = std::iter::once(("--query", self.query.clone())).chain(clusters).chain(others);
        let words = named.filter_map(|(flag, value)| {
            let value = value?;
            // Alone, a value that begins with a hyphen would be another option.
            Some(if value.starts_with('-') { vec![format!("{flag}={value}")] } else { vec![flag.to_owned(), value] })
        });
        words.flatten().collect()
    }

    /// The command that compares the log of a trial, quoted for a shell: `crossover decide LOG --query 1 --trial TRIAL_LOG`.
    #[must_use]
    pub fn compare_command(&self) -> String {
        let begin = ["crossover", "decide", "LOG"].map(str::to_owned);
        let end = ["--trial", "TRIAL_LOG"].map(str::to_owned);
        shell::line(begin.into_iter().chain(self.words()).chain(end))
    }

    /// What the command does not carry, in a sentence; `None` if it carries everything.
    #[must_use]
    pub fn left_out_in_words(&self) -> Option<String> {
        let listed = match self.left_out.as_slice() {
            [] => return None,
            [only] => only.clone(),
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
        };
        Some(format!("The command leaves out {listed}, because crossover decide has no option for this."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_the_user_wants() {
        let of = |objective: Objective| DecideArguments::of_objective(&objective).words().join(" ");
        assert_eq!(of(Objective::default()), "");
        let limited =
            Objective { time_limit: TimeLimit::Factor(0.5), runs_per_month: Some(2000.0), ..Objective::default() };
        assert_eq!(of(limited), "--within 0.5x --runs-per-month 2000");
        let range =
            Objective { runs_per_month: Some(3000.0), runs_range: Some([2000.0, 4000.0]), ..Objective::default() };
        assert_eq!(of(Objective { effort_usd: Some(1600.0), ..range }), "--runs-per-month 2000..4000 --effort 1600");
        let budget = Objective { goal: Goal::Time, budget_usd: Some(0.01), ..Objective::default() };
        assert_eq!(of(budget), "--least time --budget 0.01");
        assert_eq!(of(Objective { goal: Goal::ParetoFront, ..Objective::default() }), "--least pareto-front");
    }

    #[test]
    fn an_objective_is_that_of_its_words() {
        let limited =
            Objective { time_limit: TimeLimit::Factor(0.5), effort_usd: Some(1600.0), ..Objective::default() };
        let range = Objective { runs_per_month: Some(3.0), runs_range: Some([2.0, 4.0]), ..Objective::default() };
        let budget = Objective { goal: Goal::Time, budget_usd: Some(0.01), ..Objective::default() };
        let time = Objective { time_limit: TimeLimit::Seconds(20.0), ..Objective::default() };
        for objective in [Objective::default(), limited, time, range, budget] {
            assert_eq!(DecideArguments::of_objective(&objective).objective(), objective);
        }
        // A time stays a time, whatever today's is.
        assert_eq!(DecideArguments::of_objective(&time).words(), ["--within", "20s"]);
    }

    /// 40 h at $90 cost $3,600.
    #[test]
    fn an_effort_in_money_and_in_hours_is_their_sum() {
        let of = |usd, hours, rate| {
            let mut arguments = DecideArguments::default();
            arguments.take_effort(usd, hours, rate);
            arguments.words().join(" ")
        };
        assert_eq!(of(Some(400.0), Some(40.0), Some(90.0)), "--effort 4000");
        assert_eq!(of(None, Some(40.0), Some(90.0)), "--effort 40h --hourly-rate 90");
        assert_eq!(of(Some(400.0), None, Some(90.0)), "--effort 400");
        assert_eq!(of(Some(0.0), Some(40.0), None), "");
    }

    #[test]
    fn the_command_is_quoted_for_a_shell() {
        let hostile = DecideArguments { query: Some("$(touch x) it's".to_owned()), ..DecideArguments::default() };
        let command = hostile.compare_command();
        assert_eq!(command, r"crossover decide LOG --query '$(touch x) it'\''s' --trial TRIAL_LOG");
        let hyphen = DecideArguments { query: Some("-1".to_owned()), ..DecideArguments::default() };
        assert_eq!(hyphen.compare_command(), "crossover decide LOG --query=-1 --trial TRIAL_LOG");
        assert_eq!(DecideArguments::default().compare_command(), "crossover decide LOG --trial TRIAL_LOG");
    }

    #[test]
    fn what_the_command_does_not_carry_is_named() {
        let of = |left_out: &[&str]| {
            let left_out = left_out.iter().map(|text| (*text).to_owned()).collect();
            DecideArguments { left_out, ..DecideArguments::default() }.left_out_in_words()
        };
        assert_eq!(of(&[]), None);
        assert_eq!(
            of(&["the measured time"]).as_deref(),
            Some("The command leaves out the measured time, because crossover decide has no option for this.")
        );
        let three = of(&["a", "b", "c"]).expect("a sentence");
        assert!(three.starts_with("The command leaves out a, b and c, because"), "{three}");
    }
}
