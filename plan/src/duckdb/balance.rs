//! How much of a query's time DuckDB's operators have.
//!
//! A query that is too short for its operators is named; no node carries the rest, because planning and the transfer of the
//! result do not grow with the data, and the profiles of engines are fitted to such plans.

use crossover_query::{Balance, Kind, Node, Quantity};

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
    let wall = seconds.map(|seconds| {
        let on_one_thread = all.min(seconds);
        Balance::new(Quantity::WallSeconds, seconds, on_one_thread).without(
            seconds - on_one_thread,
            "the operators took less than the query even on one thread; the rest is planning, files written, or waiting",
        )
    });
    (std::iter::once(cpu).chain(wall).collect(), None)
}
