//! Jobs of Slurm's accounting, as `sacct --json` and `sacct --parsable2` print them: the same fields as those of `squeue --json`,
//! under other names. Unlike `squeue` it has jobs that ended long ago.
//! <https://slurm.schedmd.com/sacct.html>

use std::collections::BTreeMap;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use super::job::number;
use crate::left_out::shown;

/// The command whose output has all that is read.
pub(super) const COMMAND: &str = "sacct --allusers --parsable2 \
                                  --format=JobID,JobName,State,Submit,Eligible,Start,End,ElapsedRaw,NodeList,NNodes,NCPUS,ReqTRES,AllocTRES,\
                                  TimelimitRaw";

/// Whether an entry of a list of jobs is one of `sacct --json`.
pub(super) fn is_entry(entry: &Value) -> bool {
    entry.get("job_state").is_none() && entry.get("state").is_some_and(Value::is_object) && entry.get("time").is_some()
}

/// An entry of `sacct --json` as one of `squeue --json`.
pub(super) fn of_json(entry: &Value) -> Value {
    let at = |pointer: &str| entry.pointer(pointer).cloned().unwrap_or(Value::Null);
    let steps = entry.get("steps").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_batch = |step: &Value| {
        let name = step.pointer("/step/name").or_else(|| step.get("name")).and_then(Value::as_str);
        let id = step.pointer("/step/id/step_id").or_else(|| step.pointer("/step/id")).and_then(Value::as_str);
        name == Some("batch") || id.is_some_and(|id| id.rsplit('.').next() == Some("batch"))
    };
    let mut job = json!({
        "job_id": at("/job_id"),
        "name": at("/name"),
        "job_state": at("/state/current"),
        "node_count": at("/allocation_nodes"),
        "nodes": at("/nodes"),
        "cpus": at("/required/CPUs"),
        "memory_per_node": at("/required/memory_per_node"),
        "memory_per_cpu": at("/required/memory_per_cpu"),
        "tres_req_str": tracked(entry.pointer("/tres/requested")),
        "tres_alloc_str": tracked(entry.pointer("/tres/allocated")),
        "submit_time": at("/time/submission"),
        "eligible_time": at("/time/eligible"),
        "start_time": at("/time/start"),
        "end_time": at("/time/end"),
        "elapsed": at("/time/elapsed"),
        "time_limit": at("/time/limit"),
        "array_task_id": at("/array/task_id"),
        "array_task_string": at("/array/task"),
    });
    // A task of an array has a number of its own; users and the tables know it by that of the array.
    let id = |pointer: &str| entry.pointer(pointer).and_then(number).filter(|id| *id >= 0.0);
    let array = id("/array/job_id").filter(|array| *array > 0.0);
    if let Some((array, task)) = array.zip(id("/array/task_id"))
        && let Some(job) = job.as_object_mut()
    {
        job.insert("label".to_owned(), Value::String(format!("{array}_{task}")));
    }
    // Without steps it is not known.
    if let Some(job) = job.as_object_mut().filter(|_| !steps.is_empty()) {
        job.insert("batch_flag".to_owned(), Value::Bool(steps.iter().any(is_batch)));
    }
    job
}

/// A list of trackable resources as text: `cpu=8,mem=65536,node=1,gres/gpu=2`.
fn tracked(list: Option<&Value>) -> String {
    let entries = list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts = entries.iter().filter_map(|entry| {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        let count = entry.get("count").and_then(Value::as_i64).filter(|count| *count >= 0)?;
        let name = text("name");
        Some(if name.is_empty() {
            format!("{}={count}", text("type"))
        } else {
            format!("{}/{name}={count}", text("type"))
        })
    });
    texts.collect::<Vec<_>>().join(",")
}

/// The columns of a header of `sacct --parsable2`; `None` if it is none.
pub(super) fn header(line: &str) -> Option<Vec<String>> {
    let names: Vec<String> =
        line.trim_end_matches('|').split('|').map(|name| name.trim().to_ascii_lowercase()).collect();
    let has = |name: &str| names.iter().any(|known| known == name);
    (names.len() > 1 && (has("jobid") || has("jobidraw"))).then_some(names)
}

/// The number of a line, and its job or the reason why it is none.
pub(super) type Line = (usize, Result<Value, String>);

/// Jobs of a text of `sacct --parsable2`, each with its line and as an entry of `squeue --json`; steps are part of their job.
///
/// # Errors
/// It is no such text, or lacks a column.
pub(super) fn of_text(text: &str) -> Result<Vec<Line>, String> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let names = lines.next().and_then(|(_, line)| header(line));
    let names = names.ok_or_else(|| {
        format!("no jobs of Slurm; expected what “squeue --json”, “scontrol --details show job” or “{COMMAND}” prints")
    })?;
    let has = |wanted: &[&str]| wanted.iter().any(|name| names.iter().any(|known| known == name));
    for wanted in [&["state"][..], &["start"], &["end"], &["reqtres", "alloctres"]] {
        if !has(wanted) {
            return Err(format!("no column {}; run “{COMMAND}”", wanted.join(" or ")));
        }
    }
    let rows: Vec<(usize, Vec<&str>)> = lines.map(|(number, line)| (number, line.split('|').collect())).collect();
    let place = |wanted: &str| names.iter().position(|name| name == wanted);
    let id_place = place("jobid").or_else(|| place("jobidraw")).unwrap_or_default();
    // Whether a job has steps, and one of them is its batch script.
    let mut steps: BTreeMap<&str, bool> = BTreeMap::new();
    for (_, row) in &rows {
        if let Some((job, step)) = row.get(id_place).and_then(|id| id.split_once('.')) {
            *steps.entry(job).or_default() |= step == "batch";
        }
    }
    let jobs = rows.iter().filter(|(_, row)| !row.get(id_place).is_some_and(|id| id.contains('.')));
    let of_row = |(number, row): &(usize, Vec<&str>)| {
        let fields: BTreeMap<&str, &str> =
            names.iter().map(String::as_str).zip(row.iter().map(|field| field.trim())).collect();
        (*number, of_fields(&fields, row.get(id_place).copied().unwrap_or_default(), &steps))
    };
    Ok(jobs.map(of_row).collect())
}

fn of_fields(fields: &BTreeMap<&str, &str>, id: &str, steps: &BTreeMap<&str, bool>) -> Result<Value, String> {
    let text = |names: &[&'static str]| {
        names.iter().find_map(|name| fields.get(name).filter(|text| !text.is_empty())).copied()
    };
    let digits = id.find(|c: char| !c.is_ascii_digit()).unwrap_or(id.len());
    let (number, rest) = id.split_at(digits);
    let number: u64 = number.parse().map_err(|_| format!("JobID is “{}”; expected a number", shown(id)))?;
    let mut job = Map::new();
    let mut put = |name: &str, value: Value| job.insert(name.to_owned(), value);
    put("job_id", json!(number));
    // A task of an array, or one that waits with others: 123_4, 123_[1-5%2].
    if let Some(task) = rest.strip_prefix('_') {
        match task.strip_prefix('[') {
            Some(waiting) => put("array_task_string", json!(waiting.trim_end_matches(']'))),
            None => put("label", json!(id)),
        };
    } else if !rest.is_empty() {
        put("label", json!(id));
    }
    put("name", json!(text(&["jobname"]).unwrap_or_default()));
    // “CANCELLED by 1000”.
    let state = text(&["state"]).and_then(|state| state.split_whitespace().next()).unwrap_or_default();
    put("job_state", json!(state.trim_end_matches('+')));
    let times =
        [("submit_time", "submit"), ("eligible_time", "eligible"), ("start_time", "start"), ("end_time", "end")];
    for (name, column) in times {
        if let Some(seconds) = text(&[column]).map(|text| seconds(column, text)).transpose()?.flatten() {
            put(name, json!(seconds));
        }
    }
    let count =
        |names: &[&'static str]| text(names).and_then(|text| text.parse::<u64>().ok()).filter(|count| *count > 0);
    if let Some(nodes) = count(&["nnodes", "allocnodes", "reqnodes"]) {
        put("node_count", json!(nodes));
    }
    if let Some(cores) = count(&["ncpus", "alloccpus", "reqcpus"]) {
        put("cpus", json!(cores));
    }
    if let Some(seconds) = count(&["elapsedraw"]) {
        put("elapsed", json!(seconds));
    }
    if let Some(minutes) = count(&["timelimitraw"]) {
        put("time_limit", json!(minutes));
    }
    put("nodes", json!(text(&["nodelist"]).unwrap_or_default()));
    put("tres_req_str", json!(text(&["reqtres"]).unwrap_or_default()));
    put("tres_alloc_str", json!(text(&["alloctres"]).unwrap_or_default()));
    if let Some(is_batch) = steps.get(id) {
        put("batch_flag", json!(is_batch));
    }
    Ok(Value::Object(job))
}

/// Seconds since 1970 of a time without an offset, as if it were UTC: only differences count. `None` if it is not known.
pub(super) fn seconds(column: &str, text: &str) -> Result<Option<i64>, String> {
    if matches!(text, "Unknown" | "None" | "N/A") {
        return Ok(None);
    }
    if let Ok(seconds) = text.parse::<i64>() {
        return Ok(Some(seconds));
    }
    let time: Option<DateTime> = text.parse().ok();
    let time = time.and_then(|time| time.to_zoned(TimeZone::UTC).ok());
    let time = time.ok_or_else(|| format!("{column} is “{}”; expected 2024-06-10T08:13:20", shown(text)))?;
    Ok(Some(time.timestamp().as_second()))
}
