//! How fast an event log of 48 MB is read, beside its decompression alone and beside parsing every line as any JSON.

use std::fs;
use std::hint::black_box;
use std::io;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use crossover_plan::{Control, spark};
use serde_json::{Value, json};

/// Bytes of the log without compression.
const BYTES: usize = 48_000_000;
/// SQL metrics that each task reports, as in a stage with a join and two aggregates.
const SQL_METRICS: u64 = 14;
/// Counters of Spark itself that each task reports.
const INTERNAL: u64 = 22;

/// A line as Spark writes it: the event first.
fn line(event: &str, fields: &Value) -> String {
    format!("{{\"Event\":\"{event}\",{}\n", &fields.to_string()[1..])
}

/// The end of a task: about 5,800 bytes, as in logs of Spark 3.
fn task_end(task: u64) -> String {
    let sql = (0..SQL_METRICS).map(|id| {
        json!({
            "ID": id, "Name": "number of output rows", "Update": (task * 7919 + id).to_string(), "Value": "1234567890",
            "Internal": true, "Count Failed Values": true, "Metadata": "sql",
        })
    });
    let internal = (100..100 + INTERNAL).map(|id| {
        json!({
            "ID": id, "Name": "internal.metrics.shuffle.read.remoteBlocksFetched", "Update": task * 31 + id,
            "Value": task * 331, "Internal": true, "Count Failed Values": true,
        })
    });
    let accumulables: Vec<Value> = sql.chain(internal).collect();
    let peaks: serde_json::Map<String, Value> =
        (0..20).map(|place| (format!("JVMHeapMemoryPeak{place}"), json!(task * 17 + place))).collect();
    let info = json!({
        "Task ID": task, "Index": task, "Attempt": 0, "Partition ID": task, "Launch Time": 1_622_043_427_661_u64 + task,
        "Executor ID": "7", "Host": "worker-7.example", "Locality": "PROCESS_LOCAL", "Speculative": false,
        "Getting Result Time": 0, "Finish Time": 1_622_043_428_457_u64 + task, "Failed": false, "Killed": false,
        "Accumulables": accumulables,
    });
    let metrics = json!({
        "Executor Run Time": 774 + task % 97, "Executor CPU Time": 552_731_885 + task, "JVM GC Time": 12,
        "Memory Bytes Spilled": 0, "Disk Bytes Spilled": 0, "Updated Blocks": [],
        "Input Metrics": { "Bytes Read": 1_000_000 + task, "Records Read": 20_000 },
        "Output Metrics": { "Bytes Written": 0, "Records Written": 0 },
        "Shuffle Read Metrics": { "Remote Bytes Read": task, "Local Bytes Read": 2, "Fetch Wait Time": 0, "Total Records Read": 9 },
        "Shuffle Write Metrics": { "Shuffle Bytes Written": 4, "Shuffle Write Time": 5, "Shuffle Records Written": 6 },
    });
    let fields = json!({
        "Stage ID": 0, "Stage Attempt ID": 0, "Task Type": "ShuffleMapTask", "Task End Reason": { "Reason": "Success" },
        "Task Executor Metrics": peaks, "Task Info": info, "Task Metrics": metrics,
    });
    line("SparkListenerTaskEnd", &fields)
}

/// A log of one query with many tasks; what is not the end of a task is its start.
fn log() -> String {
    let metrics: Vec<Value> = (0..SQL_METRICS)
        .map(|id| json!({ "name": format!("metric {id}"), "accumulatorId": id, "metricType": "sum" }))
        .collect();
    let plan =
        json!({ "nodeName": "HashAggregate", "simpleString": "", "metadata": {}, "metrics": metrics, "children": [] });
    let mut log = line("SparkListenerLogStart", &json!({ "Spark Version": "3.5.1" }));
    let start = json!({ "executionId": 0, "description": "q", "time": 1, "sparkPlanInfo": plan });
    log += &line("org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart", &start);
    for task in 0.. {
        if log.len() >= BYTES {
            break;
        }
        let padding = "x".repeat(500);
        log += &line(
            "SparkListenerTaskStart",
            &json!({ "Stage ID": 0, "Task Info": { "Task ID": task, "Host": padding } }),
        );
        log += &task_end(task);
    }
    log
}

fn spark_log(criterion: &mut Criterion) {
    let log = log();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let compressed = zstd::encode_all(log.as_bytes(), 1).expect("memory takes everything");
    let (plain_path, zstd_path) = (folder.path().join("log"), folder.path().join("log.zstd"));
    fs::write(&plain_path, &log).expect("the log is written");
    fs::write(&zstd_path, &compressed).expect("the log is written");

    let mut group = criterion.benchmark_group("spark log of 48 MB");
    group.throughput(Throughput::Bytes(log.len() as u64)).sample_size(10);
    for (name, path) in [("import, zstd", &zstd_path), ("import, plain", &plain_path)] {
        group.bench_function(name, |bench| {
            bench.iter(|| spark::read(black_box(path), &Control::default()).expect("the log is read"));
        });
    }
    group.bench_function("decompression alone", |bench| {
        bench.iter(|| {
            let file = fs::File::open(&zstd_path).expect("the log is there");
            let mut text = zstd::Decoder::new(file).expect("it is zstd");
            io::copy(&mut text, &mut io::sink()).expect("it is whole")
        });
    });
    group.bench_function("every line as any JSON", |bench| {
        bench.iter(|| {
            for line in log.lines() {
                black_box(serde_json::from_str::<Value>(line).expect("every line is JSON"));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, spark_log);
criterion_main!(benches);
