//! Real event logs. Their numbers were added up by a Python script over the lines of the decompressed log: `Executor CPU
//! Time`, `Bytes Read` of `Input Metrics` by stage; totals of metrics are those of the files of expected values.

use crossover_needs::test_data;
use crossover_plan::{Control, Query, spark};
use crossover_query::{Amount, Kind, Rule, fill};

/// The queries of a log, or `None` where there are no logs.
pub(crate) fn queries(log: &str) -> Option<Vec<Query>> {
    let path = test_data("eventlogs")?.join(log);
    Some(spark::read(&path, &Control::default()).expect("the log is read").queries)
}

fn cpu_seconds(query: &Query, stage_kinds: impl Fn(usize) -> bool) -> f64 {
    let nodes = query.plan.nodes.iter().enumerate();
    nodes.filter(|(id, _)| stage_kinds(*id)).filter_map(|(_, node)| node.cpu_seconds).map(|seconds| seconds.value).sum()
}

#[test]
fn a_join_of_two_broadcasts_has_the_numbers_of_its_log() {
    let Some(queries) = queries("emr_join_agg_attempt_4_eventlog.zstd") else { return };
    let plan = &queries[0].plan;
    let numbers = fill(plan);
    // Stage 3 read 263,123,509 bytes, the files have 589,591,789.
    assert_eq!(plan.nodes[16].name, "Scan parquet");
    assert_eq!(plan.nodes[16].bytes_in, Some(Amount::reported(263_123_509.0)));
    assert_eq!(plan.nodes[16].rows_out, Some(Amount::reported(50_000_000.0)));
    assert_eq!(plan.nodes[16].row_width, Some(Amount::estimated(8.0, Rule::ColumnTypes)));
    // The filter keeps nearly all of 50 million rows; a broadcast of a million rows is 34,354,432 bytes.
    assert_eq!(numbers[13].rows_in.value, 50_000_000.0);
    assert_eq!(plan.nodes[26].bytes_out, Some(Amount::reported(34_354_432.0)));
    // The driver took 1,094 ms to build and 98 ms to send: accumulators 128 and 129.
    assert_eq!(plan.nodes[26].cpu_seconds, Some(Amount::derived(1.094 + 0.098, Rule::WithoutWaiting)));
    // Stages 1, 2, 3 and 5 used 6.469261 + 0.290004 + 87.967943 + 10.633058 s of CPUs; broadcasts work on the driver.
    let on_executors = cpu_seconds(&queries[0], |id| plan.nodes[id].kind != Kind::Broadcast);
    assert!((on_executors - 105.360_266).abs() < 1e-5, "{on_executors}");
}

#[test]
fn sorts_have_the_time_that_spark_measured() {
    let Some(queries) = queries("dsAndDf_eventlog.zstd") else { return };
    let query = &queries[1];
    // `sort time` of stage 3: 1,436 and 211 ms.
    let sorts: Vec<Amount> =
        query.plan.nodes.iter().filter(|node| node.kind == Kind::Sort).filter_map(|node| node.cpu_seconds).collect();
    let mut seconds: Vec<f64> = sorts.iter().map(|sort| sort.value).collect();
    seconds.sort_by(f64::total_cmp);
    assert_eq!(seconds, [0.211, 1.436]);
    assert!(sorts.iter().all(|sort| !sort.is_estimated()));
    // Stages 1 to 4: 3.340498 + 3.248630 + 11.724356 + 0.009599 s.
    let all = cpu_seconds(query, |_| true);
    assert!((all - 18.323_083).abs() < 1e-5, "{all}");
    // 79,999,984 bytes of 4,999,999 rows and so on: rows of 16 bytes in Spark's memory.
    let numbers = fill(&query.plan);
    for (node, numbers) in query.plan.nodes.iter().zip(&numbers).filter(|(node, _)| node.kind == Kind::Shuffle) {
        assert_eq!(numbers.row_width, Amount::derived(16.0, Rule::BytesPerRow), "{}", node.detail);
    }
}

#[test]
fn a_log_of_spark_2_gives_rows_bytes_and_cpu_time() {
    let Some(queries) = queries("spark2-eventlog.zstd") else { return };
    // Query 2 is CollectLimit(21) over a join of two files of 58 and 64 bytes, 3 rows each.
    let plan = &queries[2].plan;
    assert_eq!(plan.nodes[5].bytes_in, Some(Amount::reported(64.0)));
    assert_eq!(plan.nodes[11].bytes_in, Some(Amount::reported(58.0)));
    assert_eq!(plan.nodes[0].rows_out, Some(Amount::estimated(3.0, Rule::Limit)));
    assert_eq!(plan.nodes[7].bytes_out, Some(Amount::reported(168.0)));
    // Stages 2 and 3: 0.033288 + 0.023385 s.
    let on_executors = cpu_seconds(&queries[2], |id| plan.nodes[id].kind != Kind::Broadcast);
    assert!((on_executors - 0.056_673).abs() < 2e-6, "{on_executors}");
}

#[test]
fn no_operator_of_a_real_log_is_unknown() {
    for log in [
        "aqeshuffle_eventlog.zstd",
        "dsAndDf_eventlog.zstd",
        "emr_join_agg_attempt_4_eventlog.zstd",
        "join_missing_sql_end",
        "malformed_json_eventlog.zstd",
        "spark2-eventlog.zstd",
        "truncated_eventlog",
    ] {
        let Some(queries) = queries(log) else { return };
        assert!(!queries.is_empty(), "{log}");
        for query in &queries {
            let unknown = query.plan.nodes.iter().find(|node| node.kind == Kind::Other);
            assert_eq!(unknown.map(|node| &node.name), None, "{log}");
        }
    }
}
