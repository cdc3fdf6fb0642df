//! Real event logs whose node totals were computed by another program.

use std::collections::BTreeMap;

use crossover_needs::test_data;
use crossover_plan::{Control, Import, spark};

fn import(path: &std::path::Path) -> Import {
    spark::read(path, &Control::default()).expect("the log is read")
}

/// One line of an expected file.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    sql_id: String,
    plan_index_preorder: usize,
    parent_index: isize,
    node_name: String,
    metric: String,
    metric_type: String,
    total: Option<f64>,
    stage_ids: String,
}

/// Every line of the expected file must be in the import of the log, and nothing else.
fn check(log: &str, expected: &str) {
    let Some(folder) = test_data("eventlogs") else { return };
    let import = import(&folder.join(log));
    let mut reader =
        csv::Reader::from_path(folder.join("expected").join(expected)).expect("the file of expected values exists");
    let mut wanted: BTreeMap<(String, usize), Vec<Row>> = BTreeMap::new();
    for row in reader.deserialize() {
        let row: Row = row.expect("the file of expected values has its columns");
        wanted.entry((row.sql_id.clone(), row.plan_index_preorder)).or_default().push(row);
    }
    let nodes: usize = import.queries.iter().map(|query| query.plan.nodes.len()).sum();
    assert_eq!(nodes, wanted.len(), "number of nodes");
    for ((id, index), rows) in wanted {
        let query = import.queries.iter().find(|query| query.id == id).expect("the query is in the log");
        let node = &query.plan.nodes[index];
        let place = format!("query {id}, node {index}");
        assert_eq!(node.name.trim(), rows[0].node_name.trim(), "{place}");
        let parent = query.plan.nodes.iter().position(|parent| parent.inputs.contains(&index));
        assert_eq!(parent.map_or(-1, usize::cast_signed), rows[0].parent_index, "{place}");
        let stages: Vec<String> = node.stages.iter().map(u64::to_string).collect();
        assert_eq!(stages.join(";"), rows[0].stage_ids, "stages of {place}");
        let wanted: Vec<_> = rows
            .iter()
            .filter(|row| !row.metric.is_empty())
            .map(|row| (row.metric.clone(), row.metric_type.clone(), row.total))
            .collect();
        let found: Vec<_> =
            node.metrics.iter().map(|metric| (metric.name.clone(), metric.unit.clone(), metric.total)).collect();
        assert_eq!(found, wanted, "metrics of {place}");
    }
}

#[test]
fn node_totals_of_spark_2_equal_the_expected_file() {
    check("spark2-eventlog.zstd", "spark2.metrics.csv");
}

#[test]
fn node_totals_of_four_queries_equal_the_expected_file() {
    check("dsAndDf_eventlog.zstd", "dsAndDf.metrics.csv");
}

#[test]
fn node_totals_after_adaptive_changes_equal_the_expected_file() {
    check("aqeshuffle_eventlog.zstd", "aqeshuffle.metrics.csv");
}

#[test]
fn node_totals_of_ten_executors_equal_the_expected_file() {
    check("emr_join_agg_attempt_4_eventlog.zstd", "emr_join_agg_attempt_4.metrics.csv");
}

#[test]
fn node_totals_of_a_log_that_is_cut_off_equal_the_expected_file() {
    check("truncated_eventlog", "truncated.metrics.csv");
}

#[test]
fn what_is_missing_in_a_log_is_noted() {
    let Some(folder) = test_data("eventlogs") else { return };
    let without_end = import(&folder.join("join_missing_sql_end"));
    assert_eq!((without_end.skipped_lines, without_end.queries.len()), (0, 1));
    assert_eq!(without_end.queries[0].duration_seconds, None);
    assert!(
        without_end.queries[0].warnings.iter().any(|note| note == "the end of query 0 is not in the log"),
        "{without_end:?}"
    );

    let cut = import(&folder.join("truncated_eventlog"));
    assert_eq!((cut.skipped_lines, cut.queries.len()), (0, 2));
    // A jar of the profiling tool, `rapids-4-spark-tools`, loads no engine.
    assert_eq!(cut.warnings, ["the end of the application is not in the log"]);
    assert_eq!(cut.queries[1].warnings, ["the end of query 1 is not in the log"]);
}

#[test]
fn a_malformed_line_is_counted_and_named() {
    let Some(folder) = test_data("eventlogs") else { return };
    let malformed = import(&folder.join("malformed_json_eventlog.zstd"));
    assert_eq!((malformed.skipped_lines, malformed.queries.len()), (1, 1));
    assert!(malformed.warnings[0].contains("line 4 of malformed_json_eventlog.zstd"), "{:?}", malformed.warnings);
    assert!(malformed.queries[0].duration_seconds.is_some());
}

#[test]
fn the_cluster_of_a_log_is_its_executors() {
    let Some(folder) = test_data("eventlogs") else { return };
    // Upstream has anonymised the hosts of the ten executors of three cores into one.
    let emr = import(&folder.join("emr_join_agg_attempt_4_eventlog.zstd"));
    assert_eq!(
        (emr.cluster.machines, emr.cluster.cores_per_machine, emr.cluster.gpus_per_machine),
        (Some(1), Some(30), None)
    );
    assert_eq!((emr.engine.as_str(), emr.application.as_str()), ("Spark 3.3.0-amzn-0", "ProcessLargeDataset"));
    assert_eq!(emr.queries[0].stages, 4);
}
