//! Event logs as Spark writes them, event by event: `"Event"` first, SQL updates as strings, internal ones as numbers.

use serde_json::{Value, json};

/// A log that grows line by line.
#[derive(Clone, Default)]
pub(crate) struct Synthetic(pub(crate) String);

/// A task that ended.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) stage: u64,
    pub(crate) attempt: u64,
    pub(crate) index: u64,
    /// Named by the log from Spark 3.3 on.
    pub(crate) partition: Option<u64>,
    /// `Success`, or why it failed.
    pub(crate) reason: &'a str,
    pub(crate) cpu_ns: u64,
    pub(crate) bytes_read: u64,
    /// Accumulator and value.
    pub(crate) updates: &'a [(i64, i64)],
}

impl Default for Task<'_> {
    fn default() -> Self {
        let (stage, attempt, index, partition, reason) = (0, 0, 0, None, "Success");
        Self { stage, attempt, index, partition, reason, cpu_ns: 1_000_000, bytes_read: 0, updates: &[] }
    }
}

/// A node of a plan: its name, metrics (name, accumulator, type) and children.
pub(crate) fn node(name: &str, metrics: &[(&str, i64, &str)], children: &[Value]) -> Value {
    let metrics: Vec<Value> = metrics
        .iter()
        .map(|(name, id, kind)| json!({ "name": name, "accumulatorId": id, "metricType": kind }))
        .collect();
    json!({ "nodeName": name, "simpleString": name, "metadata": {}, "metrics": metrics, "children": children })
}

impl Synthetic {
    /// A log that begins as Spark 3.5 begins it: one application, one executor of 8 cores.
    pub(crate) fn begin() -> Self {
        let mut log = Self::default();
        log.event("SparkListenerLogStart", &json!({ "Spark Version": "3.5.1" }));
        log.event("SparkListenerEnvironmentUpdate", &json!({ "Spark Properties": { "spark.app.name": "test" } }));
        log.application("app-1");
        log.executor("1", "host-1", 8, &[]);
        log
    }

    /// Any event.
    pub(crate) fn event(&mut self, name: &str, fields: &Value) {
        self.0 += &format!("{{\"Event\":\"{name}\",{}\n", &fields.to_string()[1..]);
    }

    /// An event of SQL.
    pub(crate) fn sql(&mut self, name: &str, fields: &Value) {
        self.event(&format!("org.apache.spark.sql.execution.ui.SparkListener{name}"), fields);
    }

    pub(crate) fn application(&mut self, id: &str) {
        let fields = json!({ "App Name": "test", "App ID": id, "Timestamp": 1_000, "User": "u" });
        self.event("SparkListenerApplicationStart", &fields);
    }

    pub(crate) fn executor(&mut self, id: &str, host: &str, cores: u64, gpus: &[&str]) {
        let mut info = json!({ "Host": host, "Total Cores": cores, "Resources": {} });
        if !gpus.is_empty() {
            info["Resources"] = json!({ "gpu": { "name": "gpu", "addresses": gpus } });
        }
        self.event(
            "SparkListenerExecutorAdded",
            &json!({ "Timestamp": 1_000, "Executor ID": id, "Executor Info": info }),
        );
    }

    /// The start of a query.
    pub(crate) fn query(&mut self, id: u64, plan: &Value) {
        let fields = json!({
            "executionId": id, "rootExecutionId": id, "description": format!("query {id}"), "details": "",
            "physicalPlanDescription": "", "sparkPlanInfo": plan, "time": 10_000 + id,
        });
        self.sql("SQLExecutionStart", &fields);
    }

    /// A new plan of a query.
    pub(crate) fn adapt(&mut self, id: u64, plan: &Value) {
        let fields = json!({ "executionId": id, "physicalPlanDescription": "", "sparkPlanInfo": plan });
        self.sql("SQLAdaptiveExecutionUpdate", &fields);
    }

    /// The end of a query, two seconds after its start.
    pub(crate) fn end(&mut self, id: u64) {
        self.sql("SQLExecutionEnd", &json!({ "executionId": id, "time": 12_000 + id, "errorMessage": "" }));
    }

    /// A job of a query.
    pub(crate) fn job(&mut self, job: u64, query: u64, stages: &[u64]) {
        let properties = json!({ "spark.sql.execution.id": query.to_string() });
        self.event("SparkListenerJobStart", &json!({ "Job ID": job, "Stage IDs": stages, "Properties": properties }));
    }

    /// An attempt of a stage.
    pub(crate) fn submit(&mut self, stage: u64, attempt: u64, tasks: u64) {
        let info = json!({ "Stage ID": stage, "Stage Attempt ID": attempt, "Number of Tasks": tasks });
        self.event("SparkListenerStageSubmitted", &json!({ "Stage Info": info, "Properties": {} }));
    }

    pub(crate) fn task(&mut self, task: Task<'_>) {
        let accumulable = |(id, update): &(i64, i64)| {
            json!({
                "ID": id, "Name": "metric", "Update": update.to_string(), "Value": "99", "Internal": true,
                "Count Failed Values": true, "Metadata": "sql",
            })
        };
        let mut accumulables: Vec<Value> = task.updates.iter().map(accumulable).collect();
        let internal =
            json!({ "ID": 900, "Name": "internal.metrics.executorRunTime", "Update": 5, "Value": 9, "Internal": true });
        let blocks =
            json!({ "ID": 901, "Name": "internal.metrics.updatedBlockStatuses", "Update": [{ "Block ID": "b" }] });
        accumulables.extend([internal, blocks]);
        let mut info = json!({
            "Task ID": task.index, "Index": task.index, "Attempt": 0, "Launch Time": 1, "Executor ID": "1", "Host": "host-1",
            "Speculative": false, "Finish Time": 2, "Failed": task.reason == "ExceptionFailure",
            "Killed": task.reason == "TaskKilled", "Accumulables": accumulables,
        });
        if let Some(partition) = task.partition {
            info["Partition ID"] = partition.into();
        }
        let metrics = json!({
            "Executor Run Time": 7, "Executor CPU Time": task.cpu_ns, "JVM GC Time": 1, "Memory Bytes Spilled": 0,
            "Disk Bytes Spilled": 0, "Input Metrics": { "Bytes Read": task.bytes_read, "Records Read": 3 },
            "Output Metrics": { "Bytes Written": 0, "Records Written": 0 },
            "Shuffle Read Metrics": { "Remote Bytes Read": 1, "Local Bytes Read": 2, "Fetch Wait Time": 0, "Total Records Read": 0 },
            "Shuffle Write Metrics": { "Shuffle Bytes Written": 4, "Shuffle Write Time": 5, "Shuffle Records Written": 6 },
            "Updated Blocks": [],
        });
        let fields = json!({
            "Stage ID": task.stage, "Stage Attempt ID": task.attempt, "Task Type": "ResultTask",
            "Task End Reason": { "Reason": task.reason }, "Task Info": info, "Task Metrics": metrics,
        });
        self.event("SparkListenerTaskEnd", &fields);
    }

    /// What the driver reports.
    pub(crate) fn driver(&mut self, query: u64, updates: &[(i64, i64)]) {
        self.sql("DriverAccumUpdates", &json!({ "executionId": query, "accumUpdates": updates }));
    }

    /// The end of the application.
    pub(crate) fn close(&mut self) {
        self.event("SparkListenerApplicationEnd", &json!({ "Timestamp": 20_000 }));
    }
}
