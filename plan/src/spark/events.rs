//! The events of a log, and of each the fields that are read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::json::{Json, Malformed, Text};
use super::plan_info;
use super::raw::RawNode;

/// Beginning of a line as Spark writes it.
const START: &[u8] = b"{\"Event\":\"";

/// One event.
pub(super) enum Event<'a> {
    LogStart(LogStart),
    Environment(Environment<'a>),
    ApplicationStart(ApplicationStart),
    ApplicationEnd(ApplicationEnd),
    ExecutorAdded(ExecutorAdded),
    ExecutorRemoved(ExecutorRemoved),
    JobStart(JobStart<'a>),
    JobEnd(JobEnd),
    StageSubmitted(Stage<'a>),
    StageCompleted(Stage<'a>),
    TaskEnd(TaskEnd<'a>),
    Execution(Execution),
    AdaptivePlan(Execution),
    DriverUpdates(DriverUpdates),
    ExecutionEnd(ExecutionEnd),
    /// An event that no figure needs.
    Other,
}

#[derive(Deserialize)]
pub(super) struct LogStart {
    #[serde(rename = "Spark Version")]
    pub(super) version: String,
}

#[derive(Deserialize)]
pub(super) struct Environment<'a> {
    #[serde(rename = "Spark Properties", borrow, default)]
    pub(super) spark: BTreeMap<Text<'a>, Text<'a>>,
}

#[derive(Deserialize, Debug, Clone, PartialEq)]
pub(super) struct ApplicationStart {
    #[serde(rename = "App Name", default)]
    pub(super) name: String,
    #[serde(rename = "App ID", default)]
    pub(super) id: Option<String>,
    #[serde(rename = "App Attempt ID", default)]
    pub(super) attempt: Option<String>,
    #[serde(rename = "User", default)]
    pub(super) user: Option<String>,
    /// Milliseconds since 1970.
    #[serde(rename = "Timestamp", default)]
    pub(super) time: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct ApplicationEnd {
    /// Milliseconds since 1970.
    #[serde(rename = "Timestamp", default)]
    pub(super) time: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct ExecutorAdded {
    #[serde(rename = "Executor ID")]
    pub(super) id: String,
    #[serde(rename = "Executor Info")]
    pub(super) info: ExecutorInfo,
}

#[derive(Deserialize)]
pub(super) struct ExecutorInfo {
    #[serde(rename = "Host")]
    pub(super) host: String,
    #[serde(rename = "Total Cores")]
    pub(super) cores: u64,
    #[serde(rename = "Resources", default)]
    pub(super) resources: BTreeMap<String, Resource>,
}

#[derive(Deserialize)]
pub(super) struct Resource {
    #[serde(default)]
    pub(super) addresses: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct ExecutorRemoved {
    #[serde(rename = "Executor ID")]
    pub(super) id: String,
}

#[derive(Deserialize)]
pub(super) struct JobStart<'a> {
    #[serde(rename = "Job ID")]
    pub(super) id: u64,
    /// Milliseconds since 1970.
    #[serde(rename = "Submission Time", default)]
    pub(super) time: Option<u64>,
    #[serde(rename = "Stage IDs", default)]
    pub(super) stages: Vec<u64>,
    #[serde(rename = "Properties", borrow, default)]
    pub(super) properties: Option<Properties<'a>>,
}

/// Properties of a job or a stage.
#[derive(Deserialize)]
pub(super) struct Properties<'a> {
    #[serde(rename = "spark.sql.execution.id", borrow, default)]
    execution: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct JobEnd {
    #[serde(rename = "Job ID")]
    pub(super) id: u64,
    /// Milliseconds since 1970.
    #[serde(rename = "Completion Time", default)]
    pub(super) time: Option<u64>,
    #[serde(rename = "Job Result", default)]
    pub(super) result: JobResult,
}

#[derive(Deserialize, Default)]
pub(super) struct JobResult {
    #[serde(rename = "Result", default)]
    result: String,
    #[serde(rename = "Exception", default)]
    exception: Option<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "Message", default)]
    message: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Stage<'a> {
    #[serde(rename = "Stage Info")]
    pub(super) info: StageInfo,
    #[serde(rename = "Properties", borrow, default)]
    pub(super) properties: Option<Properties<'a>>,
}

#[derive(Deserialize)]
pub(super) struct StageInfo {
    #[serde(rename = "Stage ID")]
    pub(super) id: u64,
    #[serde(rename = "Stage Attempt ID", default)]
    pub(super) attempt: u64,
    #[serde(rename = "Number of Tasks", default)]
    pub(super) tasks: u64,
    #[serde(rename = "Accumulables", default)]
    pub(super) accumulables: SqlUpdates,
}

#[derive(Deserialize)]
pub(super) struct TaskEnd<'a> {
    #[serde(rename = "Stage ID")]
    pub(super) stage: u64,
    #[serde(rename = "Stage Attempt ID", default)]
    pub(super) attempt: u64,
    #[serde(rename = "Task End Reason", borrow)]
    reason: Reason<'a>,
    #[serde(rename = "Task Info")]
    pub(super) info: TaskInfo,
    #[serde(rename = "Task Metrics", default)]
    pub(super) metrics: Option<TaskMetrics>,
}

#[derive(Deserialize)]
struct Reason<'a> {
    #[serde(rename = "Reason", borrow)]
    reason: Text<'a>,
}

#[derive(Deserialize)]
pub(super) struct TaskInfo {
    /// Place in its attempt of the stage.
    #[serde(rename = "Index")]
    pub(super) index: u64,
    /// Place in the stage; from Spark 3.3 on.
    #[serde(rename = "Partition ID", default)]
    partition: Option<i64>,
    /// Milliseconds since 1970.
    #[serde(rename = "Launch Time", default)]
    pub(super) launched: Option<u64>,
    /// Milliseconds since 1970.
    #[serde(rename = "Finish Time", default)]
    pub(super) finished: Option<u64>,
    #[serde(rename = "Failed", default)]
    failed: bool,
    #[serde(rename = "Killed", default)]
    killed: bool,
    #[serde(rename = "Accumulables", default)]
    pub(super) accumulables: SqlUpdates,
}

/// Times are in milliseconds where the name does not say otherwise.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
pub(super) struct TaskMetrics {
    #[serde(rename = "Executor Run Time")]
    pub(super) run: f64,
    #[serde(rename = "Executor CPU Time")]
    pub(super) cpu_ns: f64,
    #[serde(rename = "JVM GC Time")]
    pub(super) gc: f64,
    #[serde(rename = "Disk Bytes Spilled")]
    pub(super) spilled: f64,
    #[serde(rename = "Shuffle Read Metrics")]
    pub(super) shuffle_read: ShuffleRead,
    #[serde(rename = "Input Metrics")]
    pub(super) input: Input,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ShuffleRead {
    #[serde(rename = "Fetch Wait Time")]
    pub(super) fetch_wait: f64,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Input {
    #[serde(rename = "Bytes Read")]
    pub(super) bytes: f64,
}

#[derive(Deserialize)]
pub(super) struct DriverUpdates {
    /// Accumulator and value.
    #[serde(rename = "accumUpdates", default)]
    pub(super) updates: Vec<(i64, f64)>,
}

#[derive(Deserialize)]
pub(super) struct ExecutionEnd {
    #[serde(rename = "executionId")]
    pub(super) id: u64,
    pub(super) time: u64,
    /// Empty from Spark 3.4 on if all went well; missing before.
    #[serde(rename = "errorMessage", default)]
    pub(super) error: Option<String>,
}

/// The start of a SQL execution, or a new plan of one that runs.
#[derive(Default)]
pub(super) struct Execution {
    pub(super) id: u64,
    pub(super) root: Option<u64>,
    pub(super) description: String,
    pub(super) time: Option<u64>,
    pub(super) nodes: Vec<RawNode>,
}

/// SQL metrics among accumulables: accumulator and update, if it is a number. All others are left out.
#[derive(Default)]
pub(super) struct SqlUpdates(pub(super) Vec<(i64, Option<f64>)>);

impl<'a> Event<'a> {
    /// Reads a line.
    ///
    /// # Errors
    /// It is not an event, or lacks a field that is needed.
    pub(super) fn parse(line: &'a [u8]) -> Result<Self, Malformed> {
        let line = line.trim_ascii();
        // An event that is not read is at least a whole one.
        if !line.ends_with(b"}") {
            return Err(Malformed);
        }
        Ok(match short(&name(line)?) {
            "TaskEnd" => Self::TaskEnd(serde_json::from_slice(line)?),
            "LogStart" => Self::LogStart(serde_json::from_slice(line)?),
            "EnvironmentUpdate" => Self::Environment(serde_json::from_slice(line)?),
            "ApplicationStart" => Self::ApplicationStart(serde_json::from_slice(line)?),
            "ApplicationEnd" => Self::ApplicationEnd(serde_json::from_slice(line)?),
            "ExecutorAdded" => Self::ExecutorAdded(serde_json::from_slice(line)?),
            "ExecutorRemoved" => Self::ExecutorRemoved(serde_json::from_slice(line)?),
            "JobStart" => Self::JobStart(serde_json::from_slice(line)?),
            "JobEnd" => Self::JobEnd(serde_json::from_slice(line)?),
            "StageSubmitted" => Self::StageSubmitted(serde_json::from_slice(line)?),
            "StageCompleted" => Self::StageCompleted(serde_json::from_slice(line)?),
            "SQLExecutionStart" => Self::Execution(Execution::parse(line)?),
            "SQLAdaptiveExecutionUpdate" => Self::AdaptivePlan(Execution::parse(line)?),
            "DriverAccumUpdates" => Self::DriverUpdates(serde_json::from_slice(line)?),
            "SQLExecutionEnd" => Self::ExecutionEnd(serde_json::from_slice(line)?),
            // SQLAdaptiveSQLMetricUpdates names further accumulators of a query; nodes name theirs in the plan itself.
            _ => Self::Other,
        })
    }
}

/// Name of a line's event, with its package.
fn name(line: &[u8]) -> Result<Cow<'_, str>, Malformed> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(rename = "Event", borrow)]
        name: Text<'a>,
    }

    // Somebody may have written it anew, with spaces or the fields in another order.
    let Some(rest) = line.strip_prefix(START) else { return Ok(serde_json::from_slice::<Named<'_>>(line)?.name.0) };
    let end = rest.iter().position(|byte| *byte == b'"').ok_or(Malformed)?;
    std::str::from_utf8(&rest[..end]).map(Cow::Borrowed).map_err(|_| Malformed)
}

/// An event's name without its package and `SparkListener`.
fn short(name: &str) -> &str {
    let class = name.rsplit('.').next().unwrap_or(name);
    class.strip_prefix("SparkListener").unwrap_or(class)
}

impl ApplicationStart {
    /// Whether both are the start of one attempt of an application.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        (&self.name, &self.id, &self.attempt) == (&other.name, &other.id, &other.attempt)
    }

    /// Id, attempt and name.
    pub(super) fn describe(&self) -> String {
        let attempt = self.attempt.as_ref().map(|attempt| format!(" attempt {attempt}")).unwrap_or_default();
        format!("{}{attempt} ({})", self.id.as_deref().unwrap_or("one without an id"), self.name)
    }
}

impl Execution {
    fn parse(line: &[u8]) -> Result<Self, Malformed> {
        let (mut execution, mut id) = (Self::default(), None);
        let mut json = Json::new(line);
        json.expect(b'{')?;
        loop {
            match json.name()?.0.as_ref() {
                "executionId" => id = json.value()?,
                "rootExecutionId" => execution.root = json.value()?,
                "description" => execution.description = json.value::<Option<String>>()?.unwrap_or_default(),
                "time" => execution.time = json.value()?,
                "sparkPlanInfo" => execution.nodes = plan_info::nodes(&mut json)?,
                _ => json.skip()?,
            }
            if !json.more(b'}')? {
                return id.map(|id| Self { id, ..execution }).ok_or(Malformed);
            }
        }
    }
}

impl TaskEnd<'_> {
    /// Whether its result counts.
    pub(super) fn succeeded(&self) -> bool {
        self.reason.reason.0 == "Success" && !self.info.failed && !self.info.killed
    }
}

impl TaskInfo {
    /// Place in the stage, if the log has it.
    pub(super) fn partition(&self) -> Option<u64> {
        self.partition.and_then(|partition| u64::try_from(partition).ok())
    }
}

impl Properties<'_> {
    /// The SQL execution that a job or a stage works for.
    pub(super) fn execution(&self) -> Option<u64> {
        self.execution.as_ref()?.0.parse().ok()
    }
}

impl JobResult {
    /// Why the job failed, if it did.
    pub(super) fn failure(self) -> Option<String> {
        let message = self.exception.and_then(|exception| exception.message);
        (self.result == "JobFailed").then(|| message.unwrap_or_else(|| "a job failed".to_owned()))
    }
}

impl<'de> Deserialize<'de> for SqlUpdates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Accumulables;

        impl<'de> Visitor<'de> for Accumulables {
            type Value = SqlUpdates;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of accumulables")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<SqlUpdates, A::Error> {
                let mut updates = Vec::new();
                while let Some(Accumulable { id, update, metadata }) = list.next_element()? {
                    if metadata.is_some_and(|metadata| metadata.0 == "sql") {
                        updates.push((id, update.0));
                    }
                }
                Ok(SqlUpdates(updates))
            }

            fn visit_unit<E>(self) -> Result<SqlUpdates, E> {
                Ok(SqlUpdates::default())
            }
        }

        deserializer.deserialize_any(Accumulables)
    }
}

#[derive(Deserialize)]
struct Accumulable<'a> {
    #[serde(rename = "ID")]
    id: i64,
    #[serde(rename = "Update", default)]
    update: Number,
    #[serde(rename = "Metadata", borrow, default)]
    metadata: Option<Text<'a>>,
}

/// A number, or a string that is one; anything else, e.g. a list of blocks, is none.
#[derive(Default)]
struct Number(Option<f64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;

        impl<'de> Visitor<'de> for NumberVisitor {
            type Value = Number;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a number")
            }

            fn visit_str<E>(self, text: &str) -> Result<Number, E> {
                let whole = text.parse::<i64>().map(|number| number as f64);
                Ok(Number(whole.or_else(|_| text.parse()).ok().filter(|number: &f64| number.is_finite())))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Number, E> {
                Ok(Number(Some(number as f64)))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Number, E> {
                Ok(Number(Some(number as f64)))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Number, E> {
                Ok(Number(Some(number)))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Number, E> {
                Ok(Number(None))
            }

            fn visit_unit<E>(self) -> Result<Number, E> {
                Ok(Number(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Number, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Number(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Number, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Number(None))
            }
        }

        deserializer.deserialize_any(NumberVisitor)
    }
}
