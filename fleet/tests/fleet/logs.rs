//! Event logs as Spark writes them, of applications of a few queries.

use std::path::Path;

use serde_json::{Value, json};

/// An application of a test. Times are seconds after its start.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) id: String,
    pub(crate) attempt: &'static str,
    pub(crate) name: String,
    pub(crate) queue: String,
    /// Seconds from start to end; `None`: it still runs.
    pub(crate) seconds: Option<u64>,
    pub(crate) queries: Vec<Query>,
    /// From and to of a job that belongs to no query.
    pub(crate) other_job: Option<(u64, u64)>,
}

/// A query of a test: a scan, an aggregate, an exchange, an aggregate.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "what a query of a log may be, independent of each other")]
pub(crate) struct Query {
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// CPU time of its tasks, core-seconds.
    pub(crate) core_seconds: u64,
    pub(crate) gigabytes: u64,
    /// User code between scan and aggregate.
    pub(crate) python: bool,
    /// Its aggregates ran on GPUs.
    pub(crate) on_gpu: bool,
    pub(crate) failed: bool,
    /// Its tasks report no metric of its operators.
    pub(crate) bare: bool,
}

impl Query {
    pub(crate) fn new(from: u64, to: u64) -> Self {
        let (core_seconds, gigabytes) = ((to - from) * 100, 50);
        Self { from, to, core_seconds, gigabytes, python: false, on_gpu: false, failed: false, bare: false }
    }
}

impl App {
    /// An application whose two queries take most of its ten minutes.
    pub(crate) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            attempt: "1",
            name: format!("job {id}"),
            queue: "nightly".to_owned(),
            seconds: Some(600),
            queries: vec![Query::new(20, 300), Query { gigabytes: 20, ..Query::new(310, 590) }],
            other_job: None,
        }
    }

    /// Its log.
    pub(crate) fn log(&self) -> String {
        let (mut log, start) = (String::new(), 1_700_000_000_000_u64);
        let at = |seconds: u64| start + seconds * 1000;
        let mut event = |name: &str, fields: &Value| {
            log.push_str(&format!("{{\"Event\":\"{name}\",{}\n", &fields.to_string()[1..]));
        };
        event("SparkListenerLogStart", &json!({ "Spark Version": "3.5.3" }));
        let properties = json!({ "spark.app.name": self.name, "spark.yarn.queue": self.queue });
        event("SparkListenerEnvironmentUpdate", &json!({ "Spark Properties": properties }));
        event(
            "SparkListenerApplicationStart",
            &json!({ "App Name": self.name, "App ID": self.id, "Timestamp": start, "User": "ada", "App Attempt ID": self.attempt }),
        );
        for executor in 0..8 {
            let info = json!({ "Host": format!("host-{executor}"), "Total Cores": 14, "Resources": {} });
            let fields = json!({ "Timestamp": start, "Executor ID": executor.to_string(), "Executor Info": info });
            event("SparkListenerExecutorAdded", &fields);
        }
        for (id, query) in self.queries.iter().enumerate() {
            let metric = |name: &str, place: usize, kind: &str| json!({ "name": name, "accumulatorId": id * 100 + place, "metricType": kind });
            let node = |name: &str, metrics: Vec<Value>, children: Vec<Value>| json!({ "nodeName": name, "simpleString": name, "metadata": {}, "metrics": metrics, "children": children });
            let scan = node(
                "Scan parquet db.sales",
                vec![metric("number of output rows", 1, "sum"), metric("size of files read", 2, "size")],
                vec![],
            );
            let input = if query.python {
                node("ArrowEvalPython", vec![metric("number of output rows", 7, "sum")], vec![scan])
            } else {
                scan
            };
            let aggregate = if query.on_gpu { "GpuHashAggregate" } else { "HashAggregate" };
            let partial = node(aggregate, vec![metric("number of output rows", 3, "sum")], vec![input]);
            let exchange = node(
                "Exchange",
                vec![metric("shuffle bytes written", 4, "size"), metric("data size", 5, "size")],
                vec![partial],
            );
            let plan = node(aggregate, vec![metric("number of output rows", 6, "sum")], vec![exchange]);
            let fields = json!({
                "executionId": id, "rootExecutionId": id, "description": format!("load day {id}"), "details": "",
                "physicalPlanDescription": "", "sparkPlanInfo": plan, "time": at(query.from),
            });
            event("org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart", &fields);
            let properties = json!({ "spark.sql.execution.id": id.to_string() });
            event(
                "SparkListenerJobStart",
                &json!({ "Job ID": id, "Submission Time": at(query.from), "Stage IDs": [id], "Properties": properties }),
            );
            let info = json!({ "Stage ID": id, "Stage Attempt ID": 0, "Number of Tasks": 10 });
            event("SparkListenerStageSubmitted", &json!({ "Stage Info": info, "Properties": properties }));
            let bytes = query.gigabytes * 100_000_000;
            let rows = bytes / 100;
            let updates =
                [(1, rows), (2, bytes), (3, rows / 10), (4, bytes / 100), (5, bytes / 50), (6, 10), (7, rows)];
            for task in 0..10 {
                let reported = if query.bare { &[][..] } else { &updates[..] };
                let accumulables: Vec<Value> = reported
                    .iter()
                    .map(|(place, update)| json!({ "ID": id * 100 + place, "Update": update.to_string(), "Metadata": "sql" }))
                    .collect();
                let info = json!({
                    "Task ID": task, "Index": task, "Attempt": 0, "Partition ID": task, "Launch Time": at(query.from),
                    "Finish Time": at(query.to), "Failed": false, "Killed": false, "Accumulables": accumulables,
                });
                let metrics = json!({
                    "Executor Run Time": query.core_seconds * 100, "Executor CPU Time": query.core_seconds * 100_000_000,
                    "JVM GC Time": 0, "Disk Bytes Spilled": 0, "Input Metrics": { "Bytes Read": bytes },
                });
                let fields = json!({
                    "Stage ID": id, "Stage Attempt ID": 0, "Task End Reason": { "Reason": "Success" },
                    "Task Info": info, "Task Metrics": metrics,
                });
                event("SparkListenerTaskEnd", &fields);
            }
            let result = if query.failed {
                json!({ "Result": "JobFailed", "Exception": { "Message": "out of memory" } })
            } else {
                json!({ "Result": "JobSucceeded" })
            };
            event(
                "SparkListenerJobEnd",
                &json!({ "Job ID": id, "Completion Time": at(query.to), "Job Result": result }),
            );
            let error = if query.failed { "out of memory" } else { "" };
            event(
                "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd",
                &json!({ "executionId": id, "time": at(query.to), "errorMessage": error }),
            );
        }
        if let Some((from, to)) = self.other_job {
            event("SparkListenerJobStart", &json!({ "Job ID": 900, "Submission Time": at(from), "Stage IDs": [900] }));
            let result = json!({ "Result": "JobSucceeded" });
            event("SparkListenerJobEnd", &json!({ "Job ID": 900, "Completion Time": at(to), "Job Result": result }));
        }
        if let Some(seconds) = self.seconds {
            event("SparkListenerApplicationEnd", &json!({ "Timestamp": at(seconds) }));
        }
        log
    }

    /// Writes its log into a folder.
    pub(crate) fn write(&self, folder: &Path, name: &str) {
        std::fs::write(folder.join(name), self.log()).expect("as the test made it");
    }
}

/// A folder of twelve different applications, some of which cannot move.
pub(crate) fn fleet(folder: &Path) {
    for number in 0..12 {
        let mut app = App::new(&format!("application_{number}"));
        app.queries[0].gigabytes += number;
        match number {
            3 => app.queries.clear(),
            4 => app.queries[0].python = true,
            5 => app.queries[1].failed = true,
            6 => app.seconds = None,
            7 => app.other_job = Some((301, 309)),
            _ => {}
        }
        let sub = folder.join(format!("day-{}", number % 3));
        std::fs::create_dir_all(&sub).expect("as the test made it");
        let log = app.log();
        if number % 2 == 0 {
            std::fs::write(
                sub.join(format!("{}.zstd", app.id)),
                zstd::encode_all(log.as_bytes(), 1).expect("as the test made it"),
            )
            .expect("as the test made it");
        } else {
            std::fs::write(sub.join(&app.id), log).expect("as the test made it");
        }
    }
}
