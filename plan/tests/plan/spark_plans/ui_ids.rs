//! Nodes have the numbers of Spark's own SQL page. What a page shows was asked from history servers of Spark 3.5.9 and
//! 4.3.0 through their REST interface (`applications/ID/sql`); for the log in `samples` see `ui_nodes.py`.

use std::path::PathBuf;

use crossover_plan::{Control, spark};
use crossover_query::Plan;

use super::build::{With, node, plan, query};
use super::real_logs::queries;

fn ids(plan: &Plan) -> Vec<Option<u64>> {
    plan.nodes.iter().map(|node| node.spark_ui_id).collect()
}

#[test]
fn every_node_of_the_sample_has_the_number_that_a_history_server_gives_it() {
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples/spark");
    let import = spark::read(&samples.join("shop-eventlog.zstd"), &Control::default()).expect("a log");
    let mut drawn: Vec<(String, u64, String)> = Vec::new();
    for query in &import.queries {
        let numbered = query.plan.nodes.iter().filter_map(|node| Some((node.spark_ui_id?, node.name.clone())));
        drawn.extend(numbered.map(|(id, name)| (query.id.clone(), id, name)));
    }
    drawn.sort_unstable();
    let mut table = csv::Reader::from_path(samples.join("shop-ui-nodes.csv")).expect("a table");
    let row = |row: csv::StringRecord| (row[0].to_owned(), row[1].parse().expect("a number"), row[2].to_owned());
    let mut expected: Vec<(String, u64, String)> = table.records().map(|record| row(record.expect("a row"))).collect();
    expected.sort_unstable();
    assert!(expected.len() > 100, "{}", expected.len());
    assert_eq!(drawn, expected);
}

#[test]
fn stages_and_adapters_are_not_drawn_and_clusters_are() {
    let nodes = vec![
        node(0, "AdaptiveSparkPlan"),
        node(1, "WholeStageCodegen (2)"),
        node(2, "HashAggregate"),
        node(3, "AQEShuffleRead"),
        node(4, "ShuffleQueryStage"),
        node(5, "Exchange"),
        node(6, "WholeStageCodegen (1)"),
        node(7, "HashAggregate"),
        node(8, "ColumnarToRow"),
        node(9, "InputAdapter"),
        node(10, "Scan parquet ").rows(1, 5.0),
    ];
    let expected = [Some(0), Some(1), Some(2), Some(3), None, Some(4), Some(5), Some(6), Some(7), None, Some(8)];
    assert_eq!(ids(&plan(&query(nodes, &[]), &[])), expected);
}

#[test]
fn what_is_used_again_is_drawn_once_and_counted_once() {
    let part = |depth| {
        [
            node(depth, "Exchange").text("Exchange hashpartitioning(a#1, 8), [plan_id=5]"),
            node(depth + 1, "InputAdapter"),
            node(depth + 2, "Range").rows(12, 100.0),
        ]
    };
    let mut nodes = vec![node(0, "Union")];
    nodes.extend(part(1));
    nodes.push(node(1, "ReusedExchange").text("ReusedExchange [a#2], Exchange hashpartitioning(a#1, 8)"));
    nodes.extend(part(2));
    nodes.push(node(1, "ShuffleQueryStage"));
    nodes.extend(part(2));
    nodes.push(node(1, "Filter"));
    nodes.extend([node(2, "Subquery").text("Subquery subquery#7"), node(3, "Range").rows(13, 1.0)]);
    nodes.push(node(1, "Project"));
    nodes.push(node(2, "ReusedSubquery").text("ReusedSubquery Subquery subquery#7"));
    nodes.extend([node(3, "Subquery").text("Subquery subquery#7"), node(4, "Range").rows(13, 1.0)]);
    let exchange = [Some(1), None, Some(2)];
    let expected = [
        &[Some(0)][..],
        &exchange,
        &[Some(1)],
        &exchange,
        &[None],
        &exchange,
        &[Some(3), Some(4), Some(5)],
        &[Some(6), None, Some(4), Some(5)],
    ];
    assert_eq!(ids(&plan(&query(nodes, &[]), &[])), expected.concat());
}

#[test]
fn exchanges_of_other_content_are_drawn_each() {
    let nodes = vec![
        node(0, "Union"),
        node(1, "Exchange").text("Exchange a"),
        node(2, "Range").text("Range (0, 1)"),
        node(1, "ReusedExchange").text("ReusedExchange, Exchange a"),
        node(2, "Exchange").text("Exchange a"),
        node(3, "Range").text("Range (0, 2)"),
    ];
    assert_eq!(ids(&plan(&query(nodes, &[]), &[])), (0..6).map(Some).collect::<Vec<_>>());
}

#[test]
fn real_logs_have_as_many_drawn_nodes_as_a_history_server_shows() {
    for (log, expected) in [
        ("dsAndDf_eventlog.zstd", vec![9, 21, 21, 21]),
        ("emr_join_agg_attempt_4_eventlog.zstd", vec![24]),
        ("aqeshuffle_eventlog.zstd", vec![24]),
        ("join_missing_sql_end", vec![21]),
        ("spark2-eventlog.zstd", vec![4, 4, 11, 10]),
        // 24 commands, and a query with five reused exchanges.
        ("nds_q66_gpu.zstd", [vec![1; 24], vec![66]].concat()),
    ] {
        let Some(queries) = queries(log) else { return };
        let drawn = |plan: &Plan| ids(plan).into_iter().flatten().max().map_or(0, |last| last + 1);
        assert_eq!(queries.iter().map(|query| drawn(&query.plan)).collect::<Vec<_>>(), expected, "{log}");
    }
}
