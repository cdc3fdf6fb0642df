//! What runs cost today and with an option, a run and a month.

use crossover_decision::difference::{CostsAndSavings, costs_and_savings};
use crossover_decision::words::{self, dollars, known_dollars, monthly_dollars};
use crossover_decision::{Decision, DecisionOption, Spending};
use crossover_quantity::text::between;
use serde::Serialize;

/// Names of the costs of options that are about as good, in the order in which the answer names them.
const OF_TIES: [&str; 3] = ["Cost with first option", "Cost with second option", "Cost with third option"];

/// What runs cost today, and with the recommended option.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecidedCosts {
    /// Today.
    pub today: Spending,
    /// Engine and machines of the recommended option; without one, of that which only the effort of the move rejects, or else of that most
    /// likely to meet the goal, whether or not it can be judged. `None` also where the Pareto front is listed, whose options have their costs
    /// in the table.
    pub option: Option<String>,
    /// What runs cost with it.
    pub with_option: Option<Spending>,
    /// What runs cost with the options that are about as good as the recommended one.
    pub near_ties: Vec<TiedCosts>,
}

/// What runs cost with an option that is about as good as the recommended one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TiedCosts {
    /// Its engine and machines.
    pub option: String,
    /// What runs cost with it.
    pub with_option: Spending,
}

impl DecidedCosts {
    /// The costs of a decision; `None` without a price of today’s machines.
    #[must_use]
    pub fn of(decision: &Decision) -> Option<Self> {
        let option = decision.shown().filter(|_| !decision.lists_front());
        let tied = |option: &DecisionOption| {
            let with_option = decision.spending_with(option)?;
            Some(TiedCosts { option: option.candidate.title.clone(), with_option })
        };
        let ties = decision.recommended().skip(1);
        Some(Self {
            today: decision.spending_today()?,
            option: option.map(|option| option.candidate.title.clone()),
            with_option: option.and_then(|option| decision.spending_with(option)),
            near_ties: ties.filter_map(|place| tied(&decision.options[place])).collect(),
        })
    }
}

/// What runs cost today, and with the recommended options or else the likeliest one: "$0.00302 a run, $9.1 a month at 3,000 runs, at
/// an assumed price". Empty without a price of today’s machines.
#[must_use]
pub fn costs(decision: &Decision) -> Vec<(&'static str, String)> {
    let Some(DecidedCosts { today, option, with_option, near_ties }) = DecidedCosts::of(decision) else {
        return Vec::new();
    };
    let is_choice = !near_ties.is_empty();
    let ties = near_ties.into_iter().map(|tie| (tie.option, tie.with_option));
    let options: Vec<(String, Spending)> = option.zip(with_option).into_iter().chain(ties).collect();
    let spendings: Vec<Spending> = options.iter().map(|(_, spending)| *spending).collect();
    let of_runs = rounded(&today, &spendings);
    let [of_today, of_options @ ..] = of_runs.as_slice() else { return Vec::new() };
    let mut lines = vec![("Cost today", line(decision, &today, of_today))];
    for (place, ((title, spending), of_option)) in options.iter().zip(of_options).enumerate() {
        let label = match OF_TIES.get(place).copied() {
            Some(label) if is_choice => label,
            _ if decision.best.is_some() => "Cost with recommended option",
            _ if decision.is_kept_by_effort() => "Cost with best option",
            _ => "Cost with likeliest option",
        };
        lines.push((label, format!("{}; {title}", line(decision, spending, of_option))));
    }
    lines
}

/// The cost of a run today, rounded to the same digits as the costs beside it: "$0.00302"; `None` without a price of today’s machines.
#[must_use]
pub fn cost_today(decision: &Decision) -> Option<String> {
    let DecidedCosts { today, with_option, near_ties, .. } = DecidedCosts::of(decision)?;
    let options: Vec<Spending> = with_option.into_iter().chain(near_ties.iter().map(|tie| tie.with_option)).collect();
    rounded(&today, &options).into_iter().next()
}

/// "$0.00203 a run on average (median $0.0019; $0.0015 … $0.0032, 90 % interval), $6.1 a month at 3,000 runs ($4.5 … $9.6, 90 % interval),
/// at an assumed price"; `run`: the cost of a run. Costs of a month have the digits of the table of options.
fn line(decision: &Decision, spending: &Spending, run: &str) -> String {
    let mut text = format!("{run} a run");
    let interval = |ends: [f64; 2]| format!("{}, 90 % interval", between(ends.map(dollars)));
    if spending.median_usd_per_run < spending.usd_per_run {
        let of_run = spending.interval_usd_per_run.map(|ends| format!("; {}", interval(ends)));
        text += &format!(" on average (median {}{})", dollars(spending.median_usd_per_run), of_run.unwrap_or_default());
    }
    if let Some(([fewest, most], usd)) = decision.objective.runs().zip(spending.usd_per_month) {
        let usd = between(usd.map(monthly_dollars));
        let of_month = spending.interval_usd_per_month.map(|ends| format!(" ({})", interval(ends)));
        text += &format!(", {usd} a month at {}{}", words::runs([fewest, most]), of_month.unwrap_or_default());
    }
    text + ", " + spending.basis.beside_a_cost()
}

/// The cost of a run today, and those with each option, rounded to the same place.
fn rounded(today: &Spending, options: &[Spending]) -> Vec<String> {
    if options.is_empty() {
        return vec![known_dollars(today.usd_per_run)];
    }
    let of_options: Vec<f64> = options.iter().map(|spending| spending.usd_per_run).collect();
    let CostsAndSavings { today, changes } = costs_and_savings(today.usd_per_run, &of_options);
    std::iter::once(today).chain(changes.into_iter().map(|[then, _]| then)).collect()
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Goal, Objective, PredictedTime, Price, decide};

    use super::*;

    /// 20 s today at a dollar an hour; options of these seconds whose errors are a factor of 1.5.
    fn lines_of(options: &[(&str, f64)]) -> Vec<(&'static str, String)> {
        let candidate = |(title, seconds): &(&str, f64)| {
            let time = PredictedTime::within(*seconds, 1.5);
            Candidate::predicted(*title, time, Some(Price::entered(1.0)))
        };
        let baseline = Baseline::measured("today", 20.0, Some(Price::entered(1.0)));
        let objective = Objective { runs_per_month: Some(1000.0), ..Objective::default() };
        costs(&decide(baseline, options.iter().map(candidate).collect(), objective))
    }

    /// 20 s at a dollar an hour are $0.005556. Without an option, a measured cost has three digits.
    #[test]
    fn the_cost_of_a_run_today_is_the_same_text_alone_and_beside_the_costs_of_options() {
        let baseline = || Baseline::measured("today", 20.0, Some(Price::entered(1.0)));
        let alone = decide(baseline(), Vec::new(), Objective::default());
        assert_eq!(cost_today(&alone).as_deref(), Some("$0.00556"));
        let time = PredictedTime::within(10.0, 1.5);
        let option = Candidate::predicted("an option", time, Some(Price::entered(1.0)));
        for decision in [alone, decide(baseline(), vec![option], Objective::default())] {
            let text = cost_today(&decision).expect("a price");
            let (label, line) = &costs(&decision)[0];
            assert!(*label == "Cost today" && line.starts_with(&format!("{text} a run")), "{text}: {line}");
        }
        let unpriced = decide(Baseline::measured("today", 20.0, None), Vec::new(), Objective::default());
        assert_eq!(cost_today(&unpriced), None);
    }

    /// A run costs $0.005556 today and $0.002864 or $0.002921 on average. With two digits, $0.0056 − $0.0029 would not be $0.0026.
    #[test]
    fn costs_of_a_near_tie_are_rounded_to_the_place_of_one_cost_today() {
        let lines = lines_of(&[("one", 10.0), ("other", 10.2)]);
        let runs = ["$0.00556 a run, ", "$0.00287 a run on average ", "$0.00292 a run on average "];
        for ((_, text), run) in lines.iter().zip(runs) {
            assert!(text.starts_with(run), "{text} instead of {run}");
        }
    }

    /// 20 s at $1 an hour are $5.556 for 1,000 runs. An option of 10 s on machines at $100 costs $286 a month: the cost today has three
    /// digits all the same, as in the table.
    #[test]
    fn a_cost_of_a_month_has_three_digits_whatever_the_costs_beside_it() {
        let time = PredictedTime::within(10.0, 1.5);
        let dear = Candidate::predicted("dear", time, Some(Price::entered(100.0)));
        let baseline = Baseline::measured("today", 20.0, Some(Price::entered(1.0)));
        let objective =
            Objective { goal: Goal::Time, budget_usd: Some(1.0), runs_per_month: Some(1000.0), ..Objective::default() };
        let lines = costs(&decide(baseline, vec![dear], objective));
        assert!(lines[0].1.contains(", $5.56 a month at 1,000 runs") && lines.len() == 2, "{lines:?}");
    }

    #[test]
    fn each_option_of_a_near_tie_has_its_cost() {
        let lines = lines_of(&[("one", 10.0), ("other", 10.2)]);
        let labels: Vec<&str> = lines.iter().map(|(label, _)| *label).collect();
        assert_eq!(labels, ["Cost today", "Cost with first option", "Cost with second option"]);
        assert!(lines[1].1.ends_with("; one") && lines[2].1.ends_with("; other"), "{lines:?}");
        assert!(lines.iter().all(|(_, text)| text.contains(" a month at 1,000 runs")), "{lines:?}");
        // 10 s for a dollar an hour, within a factor of 1.5.
        for interval in ["(median $0.0028; $0.0019 … $0.0042, 90 % interval)", " ($1.9 … $4.2, 90 % interval)"] {
            assert!(lines[1].1.contains(interval) && !lines[0].1.contains("interval"), "{interval}: {lines:?}");
        }
        let alone: Vec<&str> = lines_of(&[("one", 10.0)]).iter().map(|(label, _)| *label).collect();
        assert_eq!(alone, ["Cost today", "Cost with recommended option"]);
    }
}
