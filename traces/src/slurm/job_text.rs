//! Jobs as `scontrol show job` prints them: records of `Name=value`, on several lines or, with `--oneliner`, on one. Before 21.08
//! `squeue` has no JSON; with `--details` this text has the GPUs of each node, too.
//! <https://slurm.schedmd.com/scontrol.html>

use std::collections::BTreeMap;
use std::{iter, mem};

use serde_json::{Map, Value, json};

use super::accounting::{Line, seconds};
use super::{gres, listed};
use crate::left_out::shown;

/// What it prints if there are no jobs.
const NONE: &str = "No jobs in the system";

/// Whether a text is what `scontrol show job` prints.
pub(super) fn is_text(beginning: &str) -> bool {
    let beginning = beginning.trim_start();
    beginning.starts_with("JobId=") || beginning.starts_with(NONE)
}

/// Jobs of a text, each with its line and as an entry of `squeue --json`.
pub(super) fn of_text(text: &str) -> impl Iterator<Item = Line> {
    let is_first = |line: &str| line.starts_with("JobId=");
    let mut lines = (1..).zip(text.lines().map(str::trim)).peekable();
    iter::from_fn(move || {
        let (number, first) = lines.find(|(_, line)| is_first(line))?;
        let mut record = first.to_owned();
        while let Some((_, line)) = lines.next_if(|(_, line)| !is_first(line)) {
            record.push(' ');
            record.push_str(line);
        }
        Some((number, of_record(&record)))
    })
}

/// The fields of a record by their names. A comment or a path at its end cannot replace a field.
struct Fields<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Fields<'a> {
    /// The value of a field, if it has one.
    fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied().filter(|text| !matches!(*text, "" | "(null)" | "N/A"))
    }

    /// A count: `8`, `2K`; of a range such as `1-4`, which a job that waits may have, the least.
    fn count(&self, name: &str) -> Option<u64> {
        let text = self.text(name)?;
        gres::number(text.split_once('-').map_or(text, |(least, _)| least))
    }
}

fn of_record(record: &str) -> Result<Value, String> {
    let (name, rest) = without_name(record);
    let mut fields = BTreeMap::new();
    // With --details: how many nodes have the same resources, and their generic ones.
    let (mut nodes, mut details, mut of_nodes) = (0, Vec::new(), Vec::new());
    for (field, value) in rest.iter().flat_map(|part| part.split_whitespace()).filter_map(|word| word.split_once('=')) {
        match field {
            "Nodes" => nodes = listed::count(value),
            "GRES" => {
                details.push(value);
                of_nodes.push(mem::take(&mut nodes));
            }
            _ => _ = fields.entry(field).or_insert(value),
        }
    }
    let fields = Fields(fields);
    let id = fields.text("JobId").unwrap_or_default();
    let id: u64 = id.parse().map_err(|_| format!("JobId is “{}”; expected a number", shown(id)))?;
    let state = fields.text("JobState").ok_or("JobState is absent")?;
    let mut job = Map::new();
    let mut put = |name: &str, value: Value| _ = job.insert(name.to_owned(), value);
    put("job_id", json!(id));
    put("name", json!(name));
    put("job_state", json!(state));
    if let Some(task) = fields.text("ArrayTaskId") {
        match task.parse::<u64>() {
            Ok(number) => put("array_task_id", json!(number)),
            Err(_) => put("array_task_string", json!(task)),
        }
    }
    put("nodes", json!(fields.text("NodeList").unwrap_or_default()));
    put("gres_detail", json!(details));
    put("gres_detail_nodes", json!(of_nodes));
    if let Some(flag) = fields.text("BatchFlag") {
        put("batch_flag", json!(flag != "0"));
    }
    for (name, field) in [("node_count", "NumNodes"), ("cpus", "NumCPUs"), ("tasks", "NumTasks")] {
        if let Some(count) = fields.count(field) {
            put(name, json!(count));
        }
    }
    for (name, field) in [("memory_per_node", "MinMemoryNode"), ("memory_per_cpu", "MinMemoryCPU")] {
        if let Some(mib) = fields.text(field).and_then(gres::memory_mib) {
            put(name, json!(mib));
        }
    }
    for (name, field) in [
        ("submit_time", "SubmitTime"),
        ("eligible_time", "EligibleTime"),
        ("start_time", "StartTime"),
        ("end_time", "EndTime"),
    ] {
        if let Some(time) = fields.text(field).map(|text| seconds(field, text)).transpose()?.flatten() {
            put(name, json!(time));
        }
    }
    if let Some(limit) = fields.text("TimeLimit").and_then(span) {
        put("time_limit", json!(limit / 60));
    }
    if let Some(elapsed) = fields.text("RunTime").and_then(span) {
        put("elapsed", json!(elapsed));
    }
    for (name, field) in [("tres_per_job", "TresPerJob"), ("tres_per_task", "TresPerTask")] {
        put(name, json!(fields.text(field).unwrap_or_default()));
    }
    put("tres_per_node", json!(fields.text("TresPerNode").map(generic).unwrap_or_default()));
    // Before 23.02 one field has what was allocated or, of a job that waits, requested.
    let one = fields.text("TRES");
    let requested = fields.text("ReqTRES").or(one);
    let allocated = fields.text("AllocTRES").or(one).filter(|_| state != "PENDING");
    put("tres_req_str", json!(requested.unwrap_or_default()));
    put("tres_alloc_str", json!(allocated.unwrap_or_default()));
    Ok(Value::Object(job))
}

/// The name of a job, which may have spaces, and the parts of its record before and after it.
fn without_name(record: &str) -> (&str, [&str; 2]) {
    let Some((before, rest)) = record.split_once(" JobName=") else { return ("", [record, ""]) };
    let end = [" HetJobIdSet=", " UserId="].into_iter().filter_map(|next| rest.find(next)).min();
    let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
    (name.trim(), [before, after])
}

/// The generic resources of a node with their kind, which is missing before 21.08: `gpu:tesla:2` is `gres:gpu:tesla:2`.
fn generic(text: &str) -> String {
    let one = |entry: &str| if entry.starts_with("gres") { entry.to_owned() } else { format!("gres:{entry}") };
    text.split(',').map(one).collect::<Vec<_>>().join(",")
}

/// Seconds of a time span: `1-02:30:00`, `01:00:00`; nothing without a limit.
fn span(text: &str) -> Option<u64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let parts = clock.split(':').map(|part| part.parse::<u64>().ok()).collect::<Option<Vec<u64>>>()?;
    let [hours, minutes, seconds] = parts[..] else { return None };
    let hours = days.parse::<u64>().ok()?.checked_mul(24)?.checked_add(hours)?;
    hours.checked_mul(3_600)?.checked_add(minutes.checked_mul(60)?)?.checked_add(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_days_and_a_clock() {
        let cases = [
            ("00:01:30", Some(90)),
            ("365-00:00:00", Some(31_536_000)),
            ("UNLIMITED", None),
            ("Partition_Limit", None),
        ];
        for (text, expected) in cases {
            assert_eq!(span(text), expected, "{text}");
        }
    }

    /// Per node they would need gigabytes.
    #[test]
    fn resources_of_many_nodes_are_one_value() {
        let text = format!("JobId=7 JobState=RUNNING\n{}", "  Nodes=n[1-100000] GRES=gpu:1\n".repeat(20_000));
        let jobs: Vec<Line> = of_text(&text).collect();
        let [(1, Ok(job))] = &jobs[..] else { panic!("{} jobs", jobs.len()) };
        assert_eq!(job["gres_detail"].as_array().map(Vec::len), Some(20_000));
        assert_eq!((&job["gres_detail"][0], &job["gres_detail_nodes"][0]), (&json!("gpu:1"), &json!(100_000)));
    }

    #[test]
    fn a_name_may_look_like_fields() {
        let record = "JobId=7 JobName=a b NodeList=x UserId=root(0) NodeList=n1";
        assert_eq!(without_name(record), ("a b NodeList=x", ["JobId=7", " UserId=root(0) NodeList=n1"]));
    }
}
