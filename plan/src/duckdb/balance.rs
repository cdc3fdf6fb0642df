//! How much of a query's time DuckDB's operators have.
//!
//! A query that is too short for its operators is named; no node carries the rest, because planning and the transfer of the
//! result do not grow with the data, and the profiles of engines are fitted to such plans.

use crossover_query::{Balance, Kind, Node, Quantity};

/// Planning and the start of a query may take this long, seconds, without a word (assumed): statements of TPC-DS are planned in some
/// hundredths of a second.
const PLANNING_SECONDS: f64 = 0.1;

/// The balances of a query that took this long, seconds.
pub(super) fn balances(nodes: &[Node], seconds: Option<f64>) -> (Vec<Balance>, Option<Node>) {
    let times = || nodes.iter().filter_map(|node| Some((node.kind, node.time?.seconds)));
    let accounted: f64 = times().filter(|(kind, _)| *kind != Kind::Wrapper).map(|(_, seconds)| seconds).sum();
    let between: f64 = times().filter(|(kind, _)| *kind == Kind::Wrapper).map(|(_, seconds)| seconds).sum();
    let all = accounted + between;
    if all <= 0.0 {
        return (Vec::new(), None);
    }
    let cpu = Balance::new(Quantity::CpuSeconds, all, accounted)
        .without(between, "steps between the operators, such as collecting the result");
    let wall = seconds.filter(|seconds| seconds - all > PLANNING_SECONDS).map(|seconds| {
        Balance::new(Quantity::WallSeconds, seconds, all).without(
            seconds - all,
            "the operators took less than the query even on one thread; the rest is planning, files written, or waiting",
        )
    });
    (std::iter::once(cpu).chain(wall).collect(), None)
}
