//! The events of jobs, stages and tasks, which are most of a log, and of each the fields that are read: field by field, because
//! most of such an event is stepped over.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::calendar::moment;
use super::json::{self, Json, Malformed, Text};

/// How Spark writes that an accumulator is a metric of SQL.
const SQL: &[u8] = b"\"sql\"";

/// A job begins.
pub(super) struct JobStart {
    pub(super) id: u64,
    /// Milliseconds since 1970.
    pub(super) time: Option<u64>,
    pub(super) stages: Vec<u64>,
    /// The SQL execution that it works for.
    pub(super) execution: Option<u64>,
}

/// An attempt of a stage begins or ends.
pub(super) struct Stage {
    pub(super) id: u64,
    pub(super) attempt: u64,
    pub(super) tasks: u64,
    pub(super) accumulables: SqlUpdates,
    /// The SQL execution that it works for.
    pub(super) execution: Option<u64>,
}

/// A task ends.
pub(super) struct TaskEnd {
    pub(super) stage: u64,
    pub(super) attempt: u64,
    pub(super) info: TaskInfo,
    pub(super) metrics: Option<TaskMetrics>,
    is_success: bool,
}

/// When and where a task ran.
#[derive(Default)]
pub(super) struct TaskInfo {
    /// Place in its attempt of the stage.
    pub(super) index: u64,
    /// Milliseconds since 1970.
    pub(super) launched: Option<u64>,
    /// Milliseconds since 1970.
    pub(super) finished: Option<u64>,
    pub(super) accumulables: SqlUpdates,
    partition: Option<i64>,
    failed: bool,
    killed: bool,
}

/// Metrics of a task. Times are in milliseconds unless the name has another unit.
#[derive(Default)]
pub(super) struct TaskMetrics {
    pub(super) run: f64,
    pub(super) cpu_ns: f64,
    /// CPU time before the task runs: deserialising it.
    pub(super) start_cpu_ns: f64,
    pub(super) gc: f64,
    pub(super) spilled_bytes: f64,
    pub(super) fetch_wait: f64,
    pub(super) input_bytes: f64,
}

/// SQL metrics among accumulables: accumulator and update, if it is a number. All others are left out.
#[derive(Default)]
pub(super) struct SqlUpdates(pub(super) Vec<(i64, Option<f64>)>);

/// All fields of an event.
fn event<'a>(line: &'a [u8], each: impl FnMut(&mut Json<'a>, &[u8]) -> Result<(), Malformed>) -> Result<(), Malformed> {
    let mut json = Json::new(line);
    json.object(each)?;
    if json.is_at_end() { Ok(()) } else { Err(Malformed) }
}

/// The SQL execution in the properties of a job or a stage.
fn execution(json: &mut Json<'_>) -> Result<Option<u64>, Malformed> {
    let mut execution = None;
    if !json.takes_null() {
        json.object(|json, name| {
            match name {
                b"spark.sql.execution.id" => {
                    execution = json.value::<Option<Text<'_>>>()?.and_then(|id| id.0.parse().ok());
                }
                _ => _ = json.skip()?,
            }
            Ok(())
        })?;
    }
    Ok(execution)
}

impl JobStart {
    /// Reads a line.
    ///
    /// # Errors
    /// It is no such event, or lacks a field that is needed.
    pub(super) fn parse(line: &[u8]) -> Result<Self, Malformed> {
        let (mut id, mut time, mut stages, mut of) = (None, None, Vec::new(), None);
        event(line, |json, name| {
            match name {
                b"Job ID" => id = Some(json.whole()?),
                b"Submission Time" => time = json.value()?,
                b"Stage IDs" => stages = json.value()?,
                b"Properties" => of = execution(json)?,
                _ => _ = json.skip()?,
            }
            Ok(())
        })?;
        id.map(|id| Self { id, time, stages, execution: of }).ok_or(Malformed)
    }
}

impl Stage {
    /// Reads a line.
    ///
    /// # Errors
    /// It is no such event, or lacks a field that is needed.
    pub(super) fn parse(line: &[u8]) -> Result<Self, Malformed> {
        let (mut id, mut attempt, mut tasks, mut accumulables, mut of) = (None, 0, 0, SqlUpdates::default(), None);
        event(line, |json, name| {
            match name {
                b"Stage Info" => json.object(|json, name| {
                    match name {
                        b"Stage ID" => id = Some(json.whole()?),
                        b"Stage Attempt ID" => attempt = json.whole()?,
                        b"Number of Tasks" => tasks = json.whole()?,
                        b"Accumulables" => accumulables = SqlUpdates::read(json)?,
                        _ => _ = json.skip()?,
                    }
                    Ok(())
                })?,
                b"Properties" => of = execution(json)?,
                _ => _ = json.skip()?,
            }
            Ok(())
        })?;
        id.map(|id| Self { id, attempt, tasks, accumulables, execution: of }).ok_or(Malformed)
    }
}

impl TaskEnd {
    /// Reads a line.
    ///
    /// # Errors
    /// It is no such event, or lacks a field that is needed.
    pub(super) fn parse(line: &[u8]) -> Result<Self, Malformed> {
        let (mut stage, mut attempt, mut is_success, mut info, mut metrics) = (None, 0, None, None, None);
        event(line, |json, name| {
            match name {
                b"Stage ID" => stage = Some(json.whole()?),
                b"Stage Attempt ID" => attempt = json.whole()?,
                b"Task End Reason" => json.object(|json, name| {
                    match name {
                        b"Reason" => is_success = Some(json.value::<Text<'_>>()?.0 == "Success"),
                        _ => _ = json.skip()?,
                    }
                    Ok(())
                })?,
                b"Task Info" => info = Some(TaskInfo::read(json)?),
                b"Task Metrics" => metrics = TaskMetrics::read(json)?,
                _ => _ = json.skip()?,
            }
            Ok(())
        })?;
        match (stage, is_success, info) {
            (Some(stage), Some(is_success), Some(info)) => Ok(Self { stage, attempt, info, metrics, is_success }),
            _ => Err(Malformed),
        }
    }

    /// Whether its result counts.
    pub(super) fn succeeded(&self) -> bool {
        self.is_success && !self.info.failed && !self.info.killed
    }
}

impl TaskInfo {
    fn read(json: &mut Json<'_>) -> Result<Self, Malformed> {
        let (mut info, mut has_index) = (Self::default(), false);
        json.object(|json, name| {
            match name {
                b"Index" => {
                    info.index = json.whole()?;
                    has_index = true;
                }
                b"Partition ID" => info.partition = json.value()?,
                b"Launch Time" => info.launched = moment(json.value::<Option<u64>>()?),
                b"Finish Time" => info.finished = moment(json.value::<Option<u64>>()?),
                b"Failed" => info.failed = json.value()?,
                b"Killed" => info.killed = json.value()?,
                b"Accumulables" => info.accumulables = SqlUpdates::read(json)?,
                _ => _ = json.skip()?,
            }
            Ok(())
        })?;
        if has_index { Ok(info) } else { Err(Malformed) }
    }

    /// Place in the stage, if the log has it, as from Spark 3.3 on.
    pub(super) fn partition(&self) -> Option<u64> {
        self.partition.and_then(|partition| u64::try_from(partition).ok())
    }
}

impl TaskMetrics {
    fn read(json: &mut Json<'_>) -> Result<Option<Self>, Malformed> {
        if json.takes_null() {
            return Ok(None);
        }
        let mut metrics = Self::default();
        json.object(|json, name| {
            match name {
                b"Executor Run Time" => metrics.run = json.number()?,
                b"Executor CPU Time" => metrics.cpu_ns = json.number()?,
                b"Executor Deserialize CPU Time" => metrics.start_cpu_ns = json.number()?,
                b"JVM GC Time" => metrics.gc = json.number()?,
                b"Disk Bytes Spilled" => metrics.spilled_bytes = json.number()?,
                b"Shuffle Read Metrics" => metrics.fetch_wait = one_of(json, b"Fetch Wait Time")?,
                b"Input Metrics" => metrics.input_bytes = one_of(json, b"Bytes Read")?,
                _ => _ = json.skip()?,
            }
            Ok(())
        })?;
        Ok(Some(metrics))
    }
}

/// One number of an object; 0 if it is not there.
fn one_of(json: &mut Json<'_>, wanted: &[u8]) -> Result<f64, Malformed> {
    let mut found = 0.0;
    json.object(|json, name| {
        if name == wanted {
            found = json.number()?;
        } else {
            json.skip()?;
        }
        Ok(())
    })?;
    Ok(found)
}

impl SqlUpdates {
    fn read(json: &mut Json<'_>) -> Result<Self, Malformed> {
        let mut updates = Vec::new();
        if json.takes_null() {
            return Ok(Self(updates));
        }
        json.list(|json| {
            let (mut id, mut update, mut is_sql) = (None, None, false);
            json.object(|json, name| {
                match name {
                    b"ID" => id = Some(json.skip()?),
                    b"Update" => update = Some(json.skip()?),
                    b"Metadata" => is_sql = json.skip()? == SQL,
                    _ => _ = json.skip()?,
                }
                Ok(())
            })?;
            let id = id.ok_or(Malformed)?;
            // Of most accumulables neither number is needed.
            if is_sql {
                updates.push((Json::new(id).value()?, update.map(number).transpose()?.flatten()));
            }
            Ok(())
        })?;
        Ok(Self(updates))
    }
}

/// An update as it is written, if it is a number.
fn number(written: &[u8]) -> Result<Option<f64>, Malformed> {
    // Nearly all are whole numbers in quotes.
    let unquoted = written.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(written);
    match json::whole(unquoted) {
        Some(number) => Ok(Some(number as f64)),
        None => Ok(serde_json::from_slice::<Number>(written)?.0),
    }
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
