//! How much of a query's time DuckDB's operators have.
//!
//! A query that is too short for its operators is named; no node carries the rest, because planning and the transfer of the
//! result do not grow with the data, and the profiles of engines are fitted to such plans.

use std::collections::BTreeMap;

use crossover_query::{Balance, BalanceOf, Kind, Node};

use crate::explain::Totals;

/// Planning and the start of a query may take this long, seconds, without a word (assumed): statements of TPC-DS are planned in some
/// hundredths of a second.
const PLANNING_SECONDS: f64 = 0.1;
/// Steps between the operators that are named.
const STEPS_NAMED: usize = 3;
/// Why no operator of a run has a time.
const NO_TIMES: &str = "the profile has no operator times (operator_timing in custom_profiling_settings)";

/// The balances of a query with these totals: of CPU time, and of its time where the operators cannot have taken it.
pub(super) fn balances(nodes: &[Node], totals: &Totals) -> (Vec<Balance>, Option<Node>) {
    let mut accounted = 0.0;
    let mut steps: BTreeMap<&str, f64> = BTreeMap::new();
    for (node, time) in nodes.iter().filter_map(|node| Some((node, node.time?))) {
        if node.kind == Kind::Wrapper {
            *steps.entry(&node.name).or_default() += time.seconds;
        } else {
            accounted += time.seconds;
        }
    }
    let between: f64 = steps.values().sum();
    let all = accounted + between;
    if !nodes.iter().any(|node| node.time.is_some()) {
        let cpu = totals.cpu_seconds.map(|total| (BalanceOf::CpuSeconds, total));
        let total = cpu.or(totals.seconds.map(|total| (BalanceOf::WallSeconds, total)));
        let balance = total.map(|(quantity, total)| Balance::new(quantity, total, 0.0).without(total, NO_TIMES));
        return (balance.into_iter().collect(), None);
    }
    if all <= 0.0 {
        return (Vec::new(), None);
    }
    // DuckDB's own sum, so that a time that operators lose, or have twice, shows.
    let total = totals.cpu_seconds.unwrap_or(all);
    let cpu = Balance::new(BalanceOf::CpuSeconds, total, accounted)
        .without(between, format!("steps between the operators ({})", named(&steps)))
        .without(total - all, "no operator of the profile has it");
    let wall = totals.seconds.filter(|seconds| seconds - all > PLANNING_SECONDS).map(|seconds| {
        Balance::new(BalanceOf::WallSeconds, seconds, all).without(
            seconds - all,
            "the operators took less than the query even on one thread; the rest is planning, files written, or waiting",
        )
    });
    (std::iter::once(cpu).chain(wall).collect(), None)
}

/// The longest steps, "`LEFT_DELIM_JOIN`, `CTE` and others".
fn named(steps: &BTreeMap<&str, f64>) -> String {
    let mut longest: Vec<(&str, f64)> = steps.iter().map(|(name, seconds)| (*name, *seconds)).collect();
    longest.retain(|(_, seconds)| *seconds > 0.0);
    longest.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let names: Vec<&str> = longest.iter().take(STEPS_NAMED).map(|(name, _)| *name).collect();
    let others = if longest.len() > STEPS_NAMED { " and others" } else { "" };
    format!("{}{others}", names.join(", "))
}
