//! The engine that ran a log.

use crossover_query::{BalanceOf, Kind, NativeEngine};
use serde_json::{Value, json};

use super::import;
use super::synthetic::{Synthetic, Task, node};

/// A log of one query with this plan, with an event before it.
fn log(properties: &Value, event: Option<(&str, Value)>, plan: &Value) -> String {
    let mut log = Synthetic::default();
    log.event("SparkListenerLogStart", &json!({ "Spark Version": "3.5.1" }));
    if let Some((name, fields)) = event {
        log.event(name, &fields);
    }
    let class_path = json!({ "/opt/jars/comet-spark-spark3.5_2.12-0.9.0.jar": "System Classpath" });
    log.event(
        "SparkListenerEnvironmentUpdate",
        &json!({ "Spark Properties": properties, "Classpath Entries": class_path }),
    );
    log.application("app-1");
    log.executor("1", "host-1", 8, &[]);
    log.query(0, plan);
    log.job(0, 0, &[0]);
    log.submit(0, 0, 1);
    log.task(Task { updates: &[(1, 10), (2, 5)], ..Task::default() });
    log.end(0);
    log.close();
    log.0
}

/// A project over a scan, by these names.
fn plan(project: &str, scan: &str) -> Value {
    const ROWS: &str = "number of output rows";
    node(project, &[(ROWS, 1, "sum")], &[node(scan, &[(ROWS, 2, "sum")], &[])])
}

#[test]
fn a_log_of_gluten_says_so_and_its_operators_have_kinds() {
    let properties = json!({ "spark.plugins": "org.apache.gluten.GlutenPlugin" });
    let event = ("org.apache.gluten.events.GlutenBuildInfoEvent", json!({ "info": { "Gluten Version": "1.4.0" } }));
    let children = [plan("ProjectExecTransformer", "FileSourceScanExecTransformer parquet db.t")];
    let import = import(log(&properties, Some(event), &node("VeloxColumnarToRow", &[], &children)));
    assert_eq!(import.engine, "Gluten 1.4.0 (Velox) on Spark 3.5.1");
    let plan = &import.queries[0].plan;
    assert_eq!(plan.native_engine(), Some(NativeEngine::Gluten));
    assert!(plan.is_of_spark());
    let kinds: Vec<Kind> = plan.nodes.iter().map(|node| node.kind).collect();
    assert_eq!(kinds, [Kind::Wrapper, Kind::Project, Kind::Scan]);
}

#[test]
fn a_log_of_rapids_says_that_it_ran_on_gpus() {
    let event = (
        "com.nvidia.spark.rapids.SparkRapidsBuildInfoEvent",
        json!({ "sparkRapidsBuildInfo": { "version": "25.02.0", "cudf_version": "25.02.0" } }),
    );
    let properties = json!({ "spark.plugins": "com.nvidia.spark.SQLPlugin" });
    let import = import(log(&properties, Some(event), &plan("GpuProject", "GpuScan parquet ")));
    assert_eq!(import.engine, "RAPIDS 25.02.0 on Spark 3.5.1");
    assert!(import.queries[0].plan.why_not_judged().is_some_and(|why| why.contains("ran on GPUs")));
}

#[test]
fn a_version_may_be_in_the_name_of_a_jar_and_an_engine_without_operators_did_not_run() {
    let properties = json!({ "spark.sql.extensions": "org.apache.comet.CometSparkSessionExtensions" });
    let ran = import(log(&properties, None, &plan("CometProject", "CometScan parquet db.t")));
    assert_eq!(ran.engine, "Comet 0.9.0 on Spark 3.5.1");
    let idle = import(log(&properties, None, &plan("Project", "Scan parquet db.t")));
    assert_eq!(idle.engine, "Spark 3.5.1");
    assert!(
        idle.warnings.iter().any(|note| note == "Comet is loaded, but no operator ran in it"),
        "{:?}",
        idle.warnings
    );
}

#[test]
fn velox_on_gpus_is_a_run_on_gpus() {
    let properties = json!({ "spark.gluten.sql.columnar.cudf": "true" });
    let children = [plan("ProjectExecTransformer", "FileSourceScanExecTransformer parquet db.t")];
    let import = import(log(&properties, None, &node("VeloxColumnarToRow", &[], &children)));
    assert_eq!(import.engine, "Gluten (Velox, cuDF) on Spark 3.5.1");
    assert!(import.queries[0].plan.nodes.iter().all(|node| node.ran_on_gpu));
    assert_eq!(import.queries[0].plan.native_engine(), Some(NativeEngine::GlutenOnGpus));
}

/// Two tasks of 7 ms each, of which the operators report 2 and 3 ms: 5 of 14 ms.
#[test]
fn the_task_time_of_a_run_on_gpus_is_balanced_with_the_times_of_its_operators() {
    let times = |id| [("number of output rows", id, "sum"), ("op time", id + 1, "nsTiming")];
    let mut log = Synthetic::begin();
    log.query(0, &node("GpuProject", &times(1), &[node("GpuScan parquet ", &times(3), &[])]));
    log.job(0, 0, &[0]);
    log.submit(0, 0, 2);
    let task = Task { updates: &[(1, 10), (2, 1_000_000), (3, 5), (4, 1_500_000)], ..Task::default() };
    log.task(task);
    log.task(Task { index: 1, ..task });
    log.end(0);
    log.close();
    let plan = &import(log.0).queries[0].plan;
    let balance = plan.balances.iter().find(|balance| balance.quantity == BalanceOf::TaskSeconds).expect("a balance");
    for (found, expected) in [(balance.total, 0.014), (balance.accounted, 0.005), (balance.missing(), 0.009)] {
        assert!((found - expected).abs() < 1e-9, "{balance:?}");
    }
    assert!(balance.is_judged() && plan.why_unaccounted().is_none());
    assert!(plan.why_not_judged().is_some_and(|why| why.contains("ran on GPUs")));
}

#[test]
fn a_repeated_task_is_a_part_of_the_balance() {
    let mut log = Synthetic::begin();
    log.query(0, &plan("Project", "Scan parquet db.t"));
    log.job(0, 0, &[0]);
    log.submit(0, 0, 2);
    let task = Task { cpu_ns: 4_000_000_000, updates: &[(1, 10), (2, 5)], ..Task::default() };
    log.task(Task { reason: "ExceptionFailure", cpu_ns: 1_000_000_000, ..task });
    log.task(task);
    log.task(Task { index: 1, ..task });
    log.end(0);
    log.close();
    let import = import(log.0);
    let balance = &import.queries[0].plan.balances[0];
    for (found, expected) in [(balance.total, 9.0), (balance.accounted, 8.0), (balance.missing(), 1.0)] {
        assert!((found - expected).abs() < 1e-9, "{balance:?}");
    }
}
