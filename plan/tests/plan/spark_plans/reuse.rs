//! Parts of a plan that Spark shows twice count once.

use crossover_plan::spark::raw::RawNode;
use crossover_plan::spark::reuse::reuse;
use crossover_query::{Graph, Kind, fill};

use super::build::{With, node, plan, query, stage};

/// A self-join: the exchange below `ReusedExchange` is the other one again, with its accumulators.
fn self_join() -> Vec<RawNode> {
    let exchange = |depth| {
        [
            node(depth, "Exchange").text("Exchange hashpartitioning(a#1, 8), [plan_id=5]").stages(&[0, 1]).metric(
                "data size",
                "size",
                11,
                1600.0,
            ),
            node(depth + 1, "Project").text("Project [a#1]"),
            node(depth + 2, "Range").stages(&[0]).rows(12, 100.0),
        ]
    };
    let mut nodes = vec![node(0, "SortMergeJoin").stages(&[1]).rows(10, 100.0)];
    nodes.extend(exchange(1));
    nodes.push(node(1, "ReusedExchange").text("ReusedExchange [a#2], Exchange hashpartitioning(a#1, 8), [plan_id=5]"));
    nodes.extend(exchange(2));
    nodes
}

#[test]
fn a_reused_exchange_is_the_first_one_again_with_all_that_is_below_it() {
    let query = query(self_join(), &[0, 1]);
    assert_eq!(reuse(&query.nodes), [None, None, None, None, None, Some(1), Some(2), Some(3)]);
}

#[test]
fn what_is_reused_counts_once() {
    let plan = plan(&query(self_join(), &[0, 1]), &[stage(0, 2.0), stage(1, 3.0)]);
    let graph = Graph::new(&plan, &fill(&plan));
    assert_eq!(graph.operators, [3, 2, 1, 0]);
    let edges: Vec<(usize, usize)> = graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(edges, [(3, 2), (2, 1), (1, 0), (1, 0)], "the join reads the one exchange twice");
    let cpu: f64 = plan.nodes.iter().filter_map(|node| node.cpu_seconds).map(|figure| figure.value).sum();
    assert!((cpu - 5.0).abs() < 1e-9, "{cpu}");
    assert!(plan.nodes[5..].iter().all(|node| node.cpu_seconds.is_none()));
}

#[test]
fn a_reused_exchange_without_children_is_found_by_what_it_says() {
    let mut nodes = self_join();
    nodes.truncate(5);
    let query = query(nodes, &[0, 1]);
    assert_eq!(reuse(&query.nodes), [None, None, None, None, Some(1)]);
    let plan = plan(&query, &[]);
    assert_eq!(fill(&plan)[0].rows_in.value, 200.0);
}

#[test]
fn a_reused_exchange_that_is_nowhere_else_is_a_source() {
    let nodes =
        vec![node(0, "Filter").rows(1, 5.0), node(1, "ReusedExchange").text("ReusedExchange [a#2], Exchange x")];
    let plan = plan(&query(nodes, &[]), &[]);
    assert_eq!(plan.nodes[1].kind, Kind::Values);
    assert_eq!(plan.nodes[1].reuses, None);
}

#[test]
fn a_node_never_repeats_one_above_it() {
    // No Spark writes this: every node has the accumulator of the root.
    let nodes = (0..4).map(|depth| node(depth, "Filter").rows(1, 5.0)).collect();
    let query = query(nodes, &[]);
    assert_eq!(reuse(&query.nodes), [None; 4]);
    plan(&query, &[]);
}

#[test]
fn what_is_below_a_repeated_node_and_looks_different_repeats_that_node() {
    let nodes = vec![
        node(0, "Union"),
        node(1, "Exchange").metric("data size", "size", 1, 8.0),
        node(1, "ReusedExchange"),
        node(2, "Exchange").metric("data size", "size", 1, 8.0),
        node(3, "Filter").rows(2, 1.0),
    ];
    assert_eq!(reuse(&query(nodes, &[]).nodes), [None, None, None, Some(1), Some(1)]);
}

#[test]
fn a_cached_table_of_an_earlier_query_is_a_source() {
    let nodes = vec![
        node(0, "Filter").stages(&[9]).rows(1, 10.0),
        node(1, "InMemoryTableScan").stages(&[9]).rows(2, 100.0),
        node(2, "Scan parquet ").stages(&[3]).rows(3, 100.0),
    ];
    let of_earlier = plan(&query(nodes.clone(), &[9]), &[stage(3, 5.0), stage(9, 2.0)]);
    let graph = Graph::new(&of_earlier, &fill(&of_earlier));
    assert_eq!(graph.operators, [1, 0]);
    assert_eq!(of_earlier.nodes[2].cpu_seconds, None, "its stage is not one of this query");
    // The query that fills the cache scans the file.
    let nodes: Vec<RawNode> = nodes.into_iter().map(|node| node.stages(&[9])).collect();
    let of_this = plan(&query(nodes, &[9]), &[stage(9, 2.0)]);
    assert_eq!(Graph::new(&of_this, &fill(&of_this)).operators, [2, 1, 0]);
}
