//! What would change a verdict: another time limit, prices, and the growth of the data.

use crossover_decision::growth::GrowthChange;
use crossover_decision::words::{price_dollars, price_limit, price_limit_of_several};
use crossover_decision::{Decision, PriceChange, PricedMachines};
use crossover_quantity::unit::{Unit, predicted};

/// What would change the verdict, a sentence each; `prices`: its prices of a change.
#[must_use]
pub fn what_changes_it(decision: &Decision, prices: &[PriceChange]) -> Vec<String> {
    let mut changes = Vec::new();
    if let Some((limit, place)) = decision.limit_of_a_move() {
        changes.push(format!(
            "With a time limit of {} today’s time: move to {}.",
            Unit::Factor.format(limit),
            decision.options[place].candidate.title
        ));
    }
    let of_today = |change: &&PriceChange| change.of == PricedMachines::Today;
    // Of the options' machines, those whose price is nearest; of a choice they have two.
    let nearest = prices.iter().find(|change| !of_today(change)).map(|change| change.of);
    let others = prices.iter().filter(|change| Some(change.of) == nearest);
    changes.extend(prices.iter().filter(of_today).chain(others).map(|change| price_sentence(decision, change)));
    changes
}

/// "If the machines of RAPIDS 25.12 (L4), 2 × g6.2xlarge cost less than $1.61 per hour together, $0.805 each (price used: $1.96): …".
fn price_sentence(decision: &Decision, change: &PriceChange) -> String {
    let now = change.usd_per_hour / change.factor;
    let machines = match change.of {
        PricedMachines::Today => "today’s machines".to_owned(),
        PricedMachines::OfOption(place) => format!("the machines of {}", decision.options[place].candidate.title),
    };
    // Rounded away from the present price, so that the recommendation has changed there.
    let limit = if change.machines > 1.0 {
        let [all, each] = price_limit_of_several(change.usd_per_hour, now, change.machines);
        format!("{all} per hour together, {each} each")
    } else {
        format!("{} per hour", price_limit(change.usd_per_hour, now))
    };
    let than = if change.factor > 1.0 { "more" } else { "less" };
    let title = |place: usize| decision.options[place].candidate.title.as_str();
    let then = change.best.map_or("today’s engine", title);
    let or_other = change.beside.map(|other| format!(" or {}", title(other))).unwrap_or_default();
    let only = if change.is_alone { "only " } else { "" };
    format!("If {machines} cost {than} than {limit} (price used: {}): {only}{then}{or_other}.", price_dollars(now))
}

/// "If the data grows to 3.3 times its size: RAPIDS 25.12 (L4), 4 × g6.2xlarge."
#[must_use]
pub fn growth_sentence(decision: &Decision, change: &GrowthChange) -> String {
    let then = change.best.map_or("today’s engine", |best| decision.options[best].candidate.title.as_str());
    let growth = match Unit::Ratio.format(predicted(change.growth)) {
        two if two == "2" => "twice".to_owned(),
        times => format!("{times} times"),
    };
    format!("If the data grows to {growth} its size: {then}. All rows, bytes and CPU times are assumed to grow alike.")
}
