//! How long a folder of logs takes: read for the first time, and again with nothing changed; by processes with a core each, in
//! shards; and by another tool. `FLEET_LOGS` says how many logs are made, `FLEET_FOLDER` names a folder of others, and `FLEET_PEER`
//! the command of another tool, to which the folder that it writes to and the URI of that of the logs are added, as
//! `java -Xmx4g -cp 'TOOLS.jar:pyspark/jars/*' com.nvidia.spark.rapids.tool.qualification.QualificationMain -o`.
//!
//! A log is 5 MB of text, compressed with zstd as Spark does it: tasks as in `plan/benches/spark_log.rs`, with ids and
//! numbers that differ from log to log.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crossover_fleet::{Base, RunOptions, run};
use crossover_plan::{Control, Folders};
use crossover_scenario::read;
use crossover_tools::Shard;
use serde_json::{Value, json};

/// Default number of logs.
const LOGS: usize = 1000;
/// Bytes of a log without compression.
const BYTES: usize = 5_000_000;

fn line(event: &str, fields: &Value) -> String {
    format!("{{\"Event\":\"{event}\",{}\n", &fields.to_string()[1..])
}

/// The end of a task: about 5,800 bytes, as in logs of Spark 3.
fn task_end(query: u64, task: u64, log: u64) -> String {
    let sql = (0..14).map(|id| {
        json!({
            "ID": query * 100 + id, "Name": "number of output rows", "Update": (task * 7919 + id + log).to_string(),
            "Value": "1234567890", "Internal": true, "Count Failed Values": true, "Metadata": "sql",
        })
    });
    let internal = (0..22).map(|id| {
        json!({
            "ID": 90_000 + id, "Name": "internal.metrics.shuffle.read.remoteBlocksFetched", "Update": task * 31 + id + log,
            "Value": task * 331, "Internal": true, "Count Failed Values": true,
        })
    });
    let accumulables: Vec<Value> = sql.chain(internal).collect();
    let peaks: serde_json::Map<String, Value> =
        (0..20).map(|place| (format!("JVMHeapMemoryPeak{place}"), json!(task * 17 + place + log))).collect();
    let start = 1_700_000_000_000_u64 + query * 60_000;
    let info = json!({
        "Task ID": task, "Index": task, "Attempt": 0, "Partition ID": task, "Launch Time": start,
        "Executor ID": "7", "Host": "worker-7.example", "Locality": "PROCESS_LOCAL", "Speculative": false,
        "Getting Result Time": 0, "Finish Time": start + 50_000, "Failed": false, "Killed": false,
        "Accumulables": accumulables,
    });
    let metrics = json!({
        "Executor Run Time": 40_774 + task % 97, "Executor CPU Time": 40_552_731_885_u64 + task, "JVM GC Time": 12,
        "Memory Bytes Spilled": 0, "Disk Bytes Spilled": 0, "Updated Blocks": [],
        "Input Metrics": { "Bytes Read": 100_000_000 + task, "Records Read": 20_000 },
        "Output Metrics": { "Bytes Written": 0, "Records Written": 0 },
        "Shuffle Read Metrics": { "Remote Bytes Read": task, "Local Bytes Read": 2, "Fetch Wait Time": 0 },
        "Shuffle Write Metrics": { "Shuffle Bytes Written": 4, "Shuffle Write Time": 5, "Shuffle Records Written": 6 },
    });
    let fields = json!({
        "Stage ID": query, "Stage Attempt ID": 0, "Task Type": "ShuffleMapTask", "Task End Reason": { "Reason": "Success" },
        "Task Executor Metrics": peaks, "Task Info": info, "Task Metrics": metrics,
    });
    line("SparkListenerTaskEnd", &fields)
}

/// A log with five queries.
fn log(number: u64) -> String {
    let start = 1_700_000_000_000_u64;
    let mut text = line("SparkListenerLogStart", &json!({ "Spark Version": "3.5.3" }));
    let application = json!({
        "App Name": format!("job {}", number % 300), "App ID": format!("application_{number}"), "Timestamp": start, "User": "ada",
    });
    text += &line("SparkListenerApplicationStart", &application);
    for query in 0..5_u64 {
        let metric = |place: u64, name: &str, kind: &str| json!({ "name": name, "accumulatorId": query * 100 + place, "metricType": kind });
        let node = |name: &str, metrics: Vec<Value>, children: Vec<Value>| json!({ "nodeName": name, "simpleString": format!("{name} [sales.amount, sales.day] {}", "x".repeat(200)), "metadata": {}, "metrics": metrics, "children": children });
        let rows = |place: u64| vec![metric(place, "number of output rows", "sum")];
        let scan = |place: u64| node("Scan parquet db.sales", rows(place), vec![]);
        let exchange = |place: u64, child: Value| {
            node(
                "Exchange",
                vec![metric(place, "shuffle bytes written", "size"), metric(place + 1, "data size", "size")],
                vec![child],
            )
        };
        let join = node(
            "SortMergeJoin",
            rows(0),
            vec![
                node("Sort", vec![], vec![exchange(1, node("Filter", rows(3), vec![scan(4)]))]),
                node("Sort", vec![], vec![exchange(5, node("Filter", rows(7), vec![scan(8)]))]),
            ],
        );
        let plan = node("HashAggregate", rows(9), vec![exchange(10, node("HashAggregate", rows(12), vec![join]))]);
        let begun = start + query * 60_000;
        text += &line(
            "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart",
            &json!({
                "executionId": query, "description": format!("query {query}"), "sparkPlanInfo": plan, "time": begun,
            }),
        );
        let properties = json!({ "spark.sql.execution.id": query.to_string() });
        text += &line(
            "SparkListenerJobStart",
            &json!({ "Job ID": query, "Submission Time": begun, "Stage IDs": [query], "Properties": properties }),
        );
        let mut task = 0;
        while text.len() < BYTES * (usize::try_from(query).expect("few") + 1) / 5 {
            text += &task_end(query, task, number);
            task += 1;
        }
        text += &line(
            "SparkListenerJobEnd",
            &json!({ "Job ID": query, "Completion Time": begun + 50_000, "Job Result": { "Result": "JobSucceeded" } }),
        );
        text += &line(
            "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd",
            &json!({ "executionId": query, "time": begun + 50_000, "errorMessage": "" }),
        );
    }
    text + &line("SparkListenerApplicationEnd", &json!({ "Timestamp": start + 310_000 }))
}

/// The most memory that this process had, MB; `None` where the system does not tell.
fn peak_mb() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1000)
}

/// Processor time of this process so far, seconds: what counts where other programs run besides.
fn processor_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15 of proc_pid_stat(5), behind the name in brackets, in hundredths of a second.
    let fields = text.rsplit(") ").next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn timed(folder: &Path, out: &Path, shard: Option<Shard>, threads: usize) -> (f64, usize) {
    let scenario =
        read(include_str!("../../scenarios/placement-truth-aws-l4.ron")).expect("a scenario of the repository");
    let base = Base::new(&scenario).expect("it has engines");
    let paths = [folder.to_owned()];
    let order = RunOptions { store: &Folders, paths: &paths, base: &base, out, shard, threads };
    let begun = Instant::now();
    let read = run(&order, &Control::default()).expect("a folder that can be written").read;
    (begun.elapsed().as_secs_f64(), read)
}

/// Seconds of so many processes, each on a core of its own with its shard; none where no process can be kept on a core.
fn workers(folder: &Path, count: usize) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let out = tempfile::tempdir().ok()?;
    let begun = Instant::now();
    let start = |place: usize| {
        let mut command = Command::new("taskset");
        command.args(["-c", &place.to_string()]).arg(&program).arg("--bench");
        command.env("FLEET_FOLDER", folder).env("FLEET_SHARD", format!("{}/{count}", place + 1));
        command.env("FLEET_OUT", out.path().join(place.to_string())).spawn().ok()
    };
    let all: Vec<Option<Child>> = (0..count).map(start).collect();
    let ended: Vec<bool> = all
        .into_iter()
        .map(|child| child.is_some_and(|mut child| child.wait().is_ok_and(|code| code.success())))
        .collect();
    ended.iter().all(|ended| *ended).then(|| begun.elapsed().as_secs_f64())
}

/// Seconds of another tool that reads the same folder: a command line whose last word is the folder that it writes to.
fn peer(command: &str, folder: &Path) -> Option<f64> {
    let out = tempfile::tempdir().ok()?;
    let begun = Instant::now();
    let line = format!("{command} \"$0\" \"file://$1\"");
    let ended =
        Command::new("sh").args(["-c", &line]).args([out.path(), folder]).stdout(Stdio::null()).status().ok()?;
    ended.success().then(|| begun.elapsed().as_secs_f64())
}

#[expect(clippy::print_stdout, reason = "a benchmark tells what it measured")]
fn main() {
    // `cargo test` runs benchmarks as well.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let of = |name: &str| std::env::var(name).ok();
    if let (Some(folder), Some(shard), Some(out)) = (of("FLEET_FOLDER"), of("FLEET_SHARD"), of("FLEET_OUT")) {
        timed(Path::new(&folder), Path::new(&out), Some(shard.parse().expect("a shard")), 1);
        return;
    }
    let count = of("FLEET_LOGS").and_then(|count| count.parse().ok()).unwrap_or(LOGS);
    let made = tempfile::tempdir().expect("a folder");
    let folder = of("FLEET_FOLDER").map_or_else(|| made.path().to_owned(), PathBuf::from);
    if folder == made.path() {
        let mut bytes = 0;
        for number in 0..count {
            let packed = zstd::encode_all(log(number as u64).as_bytes(), 1).expect("memory takes it");
            bytes += packed.len();
            fs::write(folder.join(format!("application_{number}.zstd")), packed).expect("a disk with room");
        }
        let mb = |bytes: usize| bytes as f64 / 1e6;
        println!("{count} logs, {:.0} MB, compressed {:.0} MB", mb(count * BYTES), mb(bytes));
    }
    let before = peak_mb();
    let mut least = f64::INFINITY;
    for threads in [1, 2] {
        let out = tempfile::tempdir().expect("a folder");
        let processor = processor_seconds();
        let (first, read) = timed(&folder, out.path(), None, threads);
        let processor = processor_seconds() - processor;
        let (second, again) = timed(&folder, out.path(), None, threads);
        least = least.min(first);
        println!(
            "{threads} at once: {first:.2} s ({processor:.1} s of processors) for {read}, then {second:.3} s for {again}; most memory {} MB (before {} MB)",
            peak_mb().unwrap_or(0),
            before.unwrap_or(0)
        );
    }
    match (workers(&folder, 1), workers(&folder, 2)) {
        (Some(one), Some(two)) => {
            println!("1 process on a core {one:.2} s, 2 on one each {two:.2} s: {:.2} of linear", one / two / 2.0);
        }
        _ => println!("no taskset, or a process failed: how processes scale was not measured"),
    }
    if let Some(seconds) = of("FLEET_PEER").and_then(|command| peer(&command, &folder)) {
        println!("the other tool {seconds:.2} s: {:.1} times as long", seconds / least);
    }
}
