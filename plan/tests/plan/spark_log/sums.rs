//! What the tasks of a query add up to.

use serde_json::json;

use super::import;
use super::synthetic::{Synthetic, Task, node};

const ROWS: i64 = 1;
const SIZE: i64 = 2;

/// A query whose only node counts rows and bytes; the tasks are added by `tasks`.
fn totals(tasks: impl FnOnce(&mut Synthetic)) -> (Option<f64>, Option<f64>) {
    let mut log = Synthetic::begin();
    let scan = node("Scan parquet ", &[("number of output rows", ROWS, "sum"), ("data size", SIZE, "size")], &[]);
    log.query(0, &scan);
    log.job(0, 0, &[0]);
    tasks(&mut log);
    log.end(0);
    log.close();
    let import = import(log.0);
    let node = &import.queries[0].plan.nodes[0];
    (node.metric("number of output rows"), node.metric("data size"))
}

fn rows(tasks: impl FnOnce(&mut Synthetic)) -> Option<f64> {
    totals(tasks).0
}

#[test]
fn a_total_is_the_sum_over_tasks_and_the_driver() {
    let rows = rows(|log| {
        log.submit(0, 0, 2);
        log.task(Task { index: 0, updates: &[(ROWS, 10)], ..Task::default() });
        log.task(Task { index: 1, updates: &[(ROWS, 5)], ..Task::default() });
        log.driver(0, &[(ROWS, 100)]);
    });
    assert_eq!(rows, Some(115.0));
}

#[test]
fn what_is_not_reported_has_no_total() {
    assert_eq!(totals(|log| log.task(Task { updates: &[(ROWS, 10)], ..Task::default() })), (Some(10.0), None));
}

#[test]
fn failed_and_killed_tasks_do_not_count() {
    let rows = rows(|log| {
        log.submit(0, 0, 2);
        for reason in ["ExceptionFailure", "TaskKilled", "ExecutorLostFailure", "Resubmitted", "Success"] {
            log.task(Task { reason, updates: &[(ROWS, 10)], ..Task::default() });
        }
    });
    assert_eq!(rows, Some(10.0));
}

#[test]
fn of_two_tasks_for_the_same_partition_the_first_counts() {
    let rows = rows(|log| {
        log.submit(0, 0, 2);
        log.task(Task { index: 1, updates: &[(ROWS, 10)], ..Task::default() });
        log.task(Task { index: 1, updates: &[(ROWS, 11)], ..Task::default() });
        log.task(Task { index: 0, updates: &[(ROWS, 20)], ..Task::default() });
    });
    assert_eq!(rows, Some(30.0));
}

#[test]
fn a_later_attempt_adds_what_the_first_did_not_finish() {
    // Partitions 0 and 1 of four succeed at first; the second attempt repeats partition 1 and adds 2 and 3.
    let with_partitions = rows(|log| {
        log.submit(0, 0, 4);
        for (attempt, index, partition) in [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 2), (1, 2, 3)] {
            let task = Task { attempt, index, partition: Some(partition), updates: &[(ROWS, 10)], ..Task::default() };
            log.task(task);
        }
    });
    assert_eq!(with_partitions, Some(40.0));
    // Before Spark 3.3 the log does not say which ones are repeated, only how many there are.
    let without = rows(|log| {
        log.submit(0, 0, 4);
        log.task(Task { index: 0, updates: &[(ROWS, 10)], ..Task::default() });
        log.task(Task { index: 1, updates: &[(ROWS, 10)], ..Task::default() });
        log.submit(0, 1, 3);
        for index in 0..3 {
            log.task(Task { attempt: 1, index, updates: &[(ROWS, 10)], ..Task::default() });
        }
    });
    assert_eq!(without, Some(40.0));
}

#[test]
fn sizes_of_minus_one_are_unused_metrics() {
    let tasks = |log: &mut Synthetic| {
        log.submit(0, 0, 2);
        log.task(Task { index: 0, updates: &[(SIZE, -1)], ..Task::default() });
        log.task(Task { index: 1, updates: &[(SIZE, 7)], ..Task::default() });
    };
    assert_eq!(totals(tasks).1, Some(7.0));
    let unused = |log: &mut Synthetic| log.task(Task { updates: &[(SIZE, -1)], ..Task::default() });
    assert_eq!(totals(unused).1, None);
}

#[test]
fn the_last_plan_wins_and_keeps_the_totals_of_shared_metrics() {
    let mut log = Synthetic::begin();
    let exchange = node("Exchange", &[("shuffle records written", 5, "sum")], &[]);
    log.query(0, &node("SortMergeJoin", &[("number of output rows", 4, "sum")], &[exchange.clone(), exchange.clone()]));
    log.job(0, 0, &[0]);
    log.submit(0, 0, 1);
    log.task(Task { updates: &[(5, 42), (6, 3)], ..Task::default() });
    log.sql("SQLAdaptiveSQLMetricUpdates", &json!({ "executionId": 0, "sqlPlanMetrics": [] }));
    log.adapt(0, &node("BroadcastHashJoin", &[("number of output rows", 6, "sum")], &[exchange]));
    log.end(0);
    log.close();
    let import = import(log.0);
    let nodes = &import.queries[0].plan.nodes;
    assert_eq!(nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), ["BroadcastHashJoin", "Exchange"]);
    assert_eq!(nodes[0].metric("number of output rows"), Some(3.0));
    assert_eq!(nodes[1].metric("shuffle records written"), Some(42.0));
    assert_eq!((nodes[1].stages.as_slice(), import.queries[0].stages), (&[0][..], 1));
}

#[test]
fn a_stage_counts_for_the_query_that_ran_it() {
    let mut log = Synthetic::begin();
    for query in 0..2 {
        log.query(query, &node("Scan parquet ", &[], &[]));
        // The second job finds stage 0 done and skips it.
        log.job(query, query, &[0, query + 1]);
        for stage in if query == 0 { vec![0, 1] } else { vec![2] } {
            log.submit(stage, 0, 1);
            log.task(Task { stage, ..Task::default() });
        }
        log.end(query);
    }
    log.close();
    let stages: Vec<usize> = import(log.0).queries.iter().map(|query| query.stages).collect();
    assert_eq!(stages, [2, 1]);
}

#[test]
fn the_cluster_is_what_ran_at_the_same_time() {
    let mut log = Synthetic::default();
    log.event("SparkListenerLogStart", &json!({ "Spark Version": "3.5.1" }));
    log.executor("driver", "host-0", 2, &[]);
    log.executor("1", "host-1", 8, &["0"]);
    log.executor("2", "host-1", 8, &["1"]);
    log.executor("3", "host-2", 8, &["0"]);
    log.event("SparkListenerExecutorRemoved", &json!({ "Timestamp": 1, "Executor ID": "3", "Removed Reason": "idle" }));
    log.executor("4", "host-2", 8, &["0"]);
    // In containers every executor calls its first GPU "0".
    log.executor("5", "host-2", 8, &["0"]);
    let cluster = import(log.0).cluster;
    assert_eq!((cluster.machines, cluster.cores_per_machine, cluster.gpus_per_machine), (Some(2), Some(16), Some(2)));
}

#[test]
fn in_local_mode_the_driver_is_the_machine() {
    let mut log = Synthetic::default();
    log.executor("driver", "host-0", 12, &[]);
    let cluster = import(log.0).cluster;
    assert_eq!((cluster.machines, cluster.cores_per_machine, cluster.gpus_per_machine), (Some(1), Some(12), None));
}

#[test]
fn gpus_of_spark_s_properties_count_where_executors_name_none() {
    let mut log = Synthetic::default();
    let properties = json!({
        "spark.executor.resource.gpu.amount": "2",
        "spark.databricks.clusterUsageTags.sparkVersion": "13.3.x-gpu-ml-scala2.12",
        "spark.databricks.clusterUsageTags.clusterNodeType": "g5.8xlarge",
    });
    log.event("SparkListenerEnvironmentUpdate", &json!({ "Spark Properties": properties }));
    log.executor("1", "host-1", 8, &[]);
    let import = import(log.0);
    assert_eq!(import.cluster.gpus_per_machine, Some(2));
    assert_eq!(import.cluster.machine_type.as_deref(), Some("g5.8xlarge"));
    assert_eq!(import.engine, "Databricks 13.3.x-gpu-ml-scala2.12");
}
