//! What runs cost today and with an option, a run and a month.

use crossover_decision::difference::costs_and_saving;
use crossover_decision::words::{dollars, price_dollars};
use crossover_decision::{Decision, Spending};
use crossover_quantity::unit::Unit;
use serde::Serialize;

/// What runs cost today, and with the recommended option.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecidedCosts {
    /// Today.
    pub today: Spending,
    /// Engine and machines of the recommended option; without one, of that most likely to meet the goal.
    pub option: Option<String>,
    /// What runs cost with it.
    pub with_option: Option<Spending>,
}

impl DecidedCosts {
    /// The costs of a decision; `None` without a price of today’s machines.
    #[must_use]
    pub fn of(decision: &Decision) -> Option<Self> {
        let option = decision.best_option().or_else(|| decision.likeliest());
        Some(Self {
            today: decision.spending_today()?,
            option: option.map(|option| option.candidate.title.clone()),
            with_option: option.and_then(|option| decision.spending_with(option)),
        })
    }
}

/// What runs cost today, and with the recommended option or else the likeliest one: "$0.00302 a run, $9.1 a month at 3,000 runs, at
/// an assumed price". Empty without a price of today’s machines.
#[must_use]
pub fn costs(decision: &Decision) -> Vec<(&'static str, String)> {
    let Some(DecidedCosts { today, option, with_option }) = DecidedCosts::of(decision) else { return Vec::new() };
    let run = |spending: &Spending| spending.usd_per_run;
    let month = |end: usize| move |spending: &Spending| spending.usd_per_month.map_or(0.0, |ends| ends[end]);
    let runs = pair(&today, with_option.as_ref(), run);
    let months = [0_usize, 1].map(|end| pair(&today, with_option.as_ref(), month(end)));
    let line = |which: usize, spending: &Spending| {
        let mut text = format!("{} a run", runs[which]);
        if spending.median_usd_per_run < spending.usd_per_run {
            text += &format!(" on average (median {})", dollars(spending.median_usd_per_run));
        }
        if let Some([fewest, most]) = decision.objective.runs() {
            let [low, high] = [&months[0][which], &months[1][which]];
            let [fewest, most] = [fewest, most].map(|runs| Unit::Count.format(runs));
            let usd = if low == high { high.clone() } else { format!("{low} … {high}") };
            let runs = if fewest == most { most } else { format!("{fewest} to {most}") };
            text += &format!(", {usd} a month at {runs} runs");
        }
        text + ", " + spending.basis.beside_a_cost()
    };
    let mut lines = vec![("Cost today", line(0, &today))];
    if let Some((title, spending)) = option.zip(with_option.as_ref()) {
        let label = if decision.best.is_some() { "Cost with best option" } else { "Cost with likeliest option" };
        lines.push((label, format!("{}; {title}", line(1, spending))));
    }
    lines
}

/// The cost today and with the option, rounded to the same place.
fn pair(today: &Spending, with_option: Option<&Spending>, of: impl Fn(&Spending) -> f64) -> [String; 2] {
    match with_option {
        Some(with_option) => {
            let [today, then, _] = costs_and_saving(of(today), of(with_option));
            [today, then]
        }
        None => [price_dollars(of(today)), String::new()],
    }
}
