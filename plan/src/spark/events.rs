//! The events of a log, and of each the fields that are read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use super::json::{Json, Malformed, Text};
use super::native::{GlutenBuild, RapidsBuild};
use super::plan_info;
use super::raw::RawNode;
use super::tasks::{JobStart, Stage, TaskEnd};

/// Beginning of a line as Spark writes it.
const START: &[u8] = b"{\"Event\":\"";

/// One event.
pub(super) enum Event {
    LogStart(LogStart),
    Environment(Environment),
    ApplicationStart(ApplicationStart),
    ApplicationEnd(ApplicationEnd),
    ExecutorAdded(ExecutorAdded),
    ExecutorRemoved(ExecutorRemoved),
    JobStart(JobStart),
    JobEnd(JobEnd),
    StageSubmitted(Stage),
    StageCompleted(Stage),
    TaskEnd(TaskEnd),
    Execution(Execution),
    AdaptivePlan(Execution),
    DriverUpdates(DriverUpdates),
    ExecutionEnd(ExecutionEnd),
    RapidsBuild(RapidsBuild),
    GlutenBuild(GlutenBuild),
    /// An event that is not used.
    Other,
}

#[derive(Deserialize)]
pub(super) struct LogStart {
    #[serde(rename = "Spark Version")]
    pub(super) version: String,
}

#[derive(Deserialize)]
pub(super) struct Environment {
    #[serde(rename = "Spark Properties", default)]
    pub(super) spark: BTreeMap<String, String>,
    /// Files and where they come from.
    #[serde(rename = "Classpath Entries", default)]
    pub(super) class_path: BTreeMap<String, String>,
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

impl Event {
    /// Reads a line.
    ///
    /// # Errors
    /// It is not an event, or lacks a field that is needed.
    pub(super) fn parse(line: &[u8]) -> Result<Self, Malformed> {
        let line = line.trim_ascii();
        // An event that is not read is at least a whole one.
        if !line.ends_with(b"}") {
            return Err(Malformed);
        }
        Ok(match short(&name(line)?) {
            "TaskEnd" => Self::TaskEnd(TaskEnd::parse(line)?),
            "LogStart" => Self::LogStart(serde_json::from_slice(line)?),
            "EnvironmentUpdate" => Self::Environment(serde_json::from_slice(line)?),
            "ApplicationStart" => Self::ApplicationStart(serde_json::from_slice(line)?),
            "ApplicationEnd" => Self::ApplicationEnd(serde_json::from_slice(line)?),
            "ExecutorAdded" => Self::ExecutorAdded(serde_json::from_slice(line)?),
            "ExecutorRemoved" => Self::ExecutorRemoved(serde_json::from_slice(line)?),
            "JobStart" => Self::JobStart(JobStart::parse(line)?),
            "JobEnd" => Self::JobEnd(serde_json::from_slice(line)?),
            "StageSubmitted" => Self::StageSubmitted(Stage::parse(line)?),
            "StageCompleted" => Self::StageCompleted(Stage::parse(line)?),
            "SQLExecutionStart" => Self::Execution(Execution::parse(line)?),
            "SQLAdaptiveExecutionUpdate" => Self::AdaptivePlan(Execution::parse(line)?),
            "DriverAccumUpdates" => Self::DriverUpdates(serde_json::from_slice(line)?),
            "SQLExecutionEnd" => Self::ExecutionEnd(serde_json::from_slice(line)?),
            "SparkRapidsBuildInfoEvent" => Self::RapidsBuild(serde_json::from_slice(line)?),
            "GlutenBuildInfoEvent" => Self::GlutenBuild(serde_json::from_slice(line)?),
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

    // Another tool may have rewritten it, with spaces or with the fields in another order.
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
        format!("{}{attempt} ({})", self.id.as_deref().unwrap_or("no id"), self.name)
    }
}

impl Execution {
    fn parse(line: &[u8]) -> Result<Self, Malformed> {
        let (mut execution, mut id) = (Self::default(), None);
        let mut json = Json::new(line);
        json.object(|json, name| {
            match name {
                b"executionId" => id = json.value()?,
                b"rootExecutionId" => execution.root = json.value()?,
                b"description" => execution.description = json.value::<Option<String>>()?.unwrap_or_default(),
                b"time" => execution.time = json.value()?,
                b"sparkPlanInfo" => execution.nodes = plan_info::nodes(json)?,
                _ => _ = json.skip()?,
            }
            Ok(())
        })?;
        id.map(|id| Self { id, ..execution }).ok_or(Malformed)
    }
}

impl JobResult {
    /// Why the job failed, if it did.
    pub(super) fn failure(self) -> Option<String> {
        let message = self.exception.and_then(|exception| exception.message);
        (self.result == "JobFailed").then(|| message.unwrap_or_else(|| "a job failed".to_owned()))
    }
}
