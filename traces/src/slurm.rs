//! A cluster of Slurm and its jobs: nodes as `scontrol show node`, its JSON or `sinfo` print them; jobs as `squeue --json`,
//! `sacct --json` or `sacct --parsable2` do.
//!
//! GPUs are whole, cut into instances (MIG; types like `a100_1g.5gb`), or shared by `shard` or `mps`: a part is its
//! slices of seven, or as much of a GPU as there are GPUs for each share. A job over several nodes runs in equal
//! pieces, one a node.

mod accounting;
mod gres;
mod job;
mod listed;
mod node;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crossover_allocation::{MOST_GPUS, Request, Requests, Task, Trace};
use crossover_quantity::unread::Unread;
use serde_json::Value;

use self::job::ParsedJob;
use self::node::Record;
use crate::error::{self, TraceError};
use crate::gpus::{GpuRequest, ParsedNode, Types};
use crate::left_out::{LeftOut, shown};
use crate::{json, kind};

/// Largest text of nodes: 50,000 of them take 70 MB.
const LARGEST_BYTES: u64 = 256 << 20;
/// Most tasks, arrays counted by their tasks.
const MOST_TASKS: usize = 1_000_000;

/// Nodes of one file, and jobs of another if there is one. A job's task is named by its number and its name; it is
/// latency-sensitive if the job is interactive (`srun` or `salloc`), not a batch script. A job that has not ended runs as long as
/// its limit allows, or beyond the record. Amounts for a piece are rounded up.
///
/// # Errors
/// [`TraceError`]: unreadable, not what the commands print, or no usable node, or no usable job. A bad entry is left
/// out, also one that repeats a name or number, and notes say so.
pub fn read(nodes: &Path, jobs: Option<&Path>) -> Result<Trace, TraceError> {
    let mut notes = Vec::new();
    let mut unread = Unread::default();
    let found = read_nodes(nodes, &mut notes, &mut unread)?;
    let types = Types::of(&found).map_err(|problem| TraceError::unusable(nodes, problem))?;
    let mut requests = Requests::default();
    let tasks = match jobs {
        Some(jobs) => read_jobs(jobs, &types, &mut requests, &mut notes, &mut unread)?,
        None => Vec::new(),
    };
    Ok(Trace {
        types: types.names(),
        nodes: types.nodes(found),
        requests: requests.into_list(),
        tasks,
        notes,
        may_spread: false,
        unread,
    })
}

/// A node with its place in the file.
type Placed = (String, Record);

/// Nodes of a file, each with its place; the flag: whether a node may be listed several times, once for each partition.
fn records(path: &Path) -> Result<(Vec<Placed>, bool, Option<String>), TraceError> {
    let text = error::text(path, LARGEST_BYTES)?;
    let of_line = |(line, record): (usize, Record)| (format!("line {line}"), record);
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        let list = listed::list_of(&text);
        let mut records = Vec::new();
        let expected = "what “scontrol show node --json” or “sinfo --json” prints";
        let ended = json::each(path, list, expected, |place, entry| {
            records.extend(listed::of_json(&entry).into_iter().map(|record| (format!("entry {place}"), record)));
        })?;
        return Ok((records, list == "sinfo", ended.broken));
    }
    let of_table = if text.contains("NodeName=") { None } else { listed::of_table(&text) };
    match of_table {
        Some(records) => {
            let records = records.map_err(|problem| TraceError::unusable(path, problem))?;
            Ok((records.into_iter().map(of_line).collect(), true, None))
        }
        None => Ok((node::records(&text).into_iter().map(of_line).collect(), false, None)),
    }
}

fn read_nodes(path: &Path, notes: &mut Vec<String>, unread: &mut Unread) -> Result<Vec<ParsedNode>, TraceError> {
    let mut left_out = LeftOut::new("node", "nodes");
    let mut remarks = node::Remarks::default();
    let mut names = BTreeSet::new();
    let mut found = Vec::new();
    let (records, may_repeat, broken) = records(path)?;
    for (place, record) in records {
        let is_known = record.get("NodeName").is_some_and(|name| names.contains(name));
        if is_known && may_repeat {
            continue;
        }
        let outcome =
            if is_known { Err("duplicate node name".to_owned()) } else { node::read(&record, &mut remarks, unread) };
        match outcome {
            Ok(node) => {
                names.insert(node.name.clone());
                found.push(node);
            }
            Err(problem) => {
                let name = record.get("NodeName").map_or("", String::as_str);
                left_out.add(|| format!("{place} ({})", shown(name)), &problem);
            }
        }
    }
    if found.is_empty() {
        let expected = left_out.nothing_of("node (NodeName=…)");
        return Err(TraceError::unusable(path, format!("{expected}; run “scontrol show node > nodes.txt”")));
    }
    if let Some(problem) = broken {
        notes.push(format!("{}: damaged; the rest is not read: {problem}", path.display()));
    }
    left_out.note(path, notes);
    remarks.note(notes);
    Ok(found)
}

fn read_jobs(
    path: &Path,
    types: &Types,
    requests: &mut Requests,
    notes: &mut Vec<String>,
    unread: &mut Unread,
) -> Result<Vec<Task>, TraceError> {
    let mut left_out = LeftOut::new("job", "jobs");
    let mut remarks = job::Remarks::default();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut tasks = Vec::new();
    let mut take = |place: String, entry: Result<Value, String>| {
        let label = entry.as_ref().ok().and_then(|entry| job::label(entry).ok());
        let above = label.as_ref().and_then(|label| known.get(label)).cloned();
        let outcome = match (entry, above) {
            (_, Some(above)) => Err(format!("duplicate of {above}")),
            (Err(problem), None) => Err(problem),
            (Ok(entry), None) => job::label(&entry).and_then(|label| {
                let job = job::read(&entry, &label, &mut remarks, unread)?;
                let room = MOST_TASKS.saturating_sub(tasks.len());
                tasks.extend(of_job(job, types, room, requests)?);
                known.insert(label, place.clone());
                Ok(())
            }),
        };
        if let Err(problem) = outcome {
            let label = label.map_or_else(String::new, |label| format!(" (job {})", shown(&label)));
            left_out.add(|| format!("{place}{label}"), &problem);
        }
    };
    let (entries, broken) = if kind::beginning(path)?.trim_start().starts_with('{') {
        let ended =
            json::each(path, "jobs", "what “squeue --json” or “sacct --json” prints", |place, entry| {
                let entry = if accounting::is_entry(&entry) { accounting::of_json(&entry) } else { entry };
                take(format!("entry {place}"), Ok(entry));
            })?;
        (ended.entries, ended.broken)
    } else {
        let jobs = accounting::of_text(&error::text(path, LARGEST_BYTES)?);
        let jobs = jobs.map_err(|problem| TraceError::unusable(path, problem))?;
        let entries = jobs.len();
        for (line, entry) in jobs {
            take(format!("line {line}"), entry);
        }
        (entries, None)
    };
    if tasks.is_empty() && entries > 0 {
        return Err(TraceError::unusable(path, left_out.nothing_of("job")));
    }
    if let Some(problem) = broken {
        notes.push(format!("{}: damaged after entry {entries}; the rest is not read: {problem}", path.display()));
    }
    left_out.note(path, notes);
    remarks.note(notes);
    let begin = tasks.iter().filter_map(|(_, came)| *came).reduce(f64::min).unwrap_or(0.0);
    let arrived = |(task, came): (Task, Option<f64>)| Task { arrives: came.map_or(0.0, |came| came - begin), ..task };
    let mut tasks: Vec<Task> = tasks.into_iter().map(arrived).collect();
    tasks.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tasks)
}

/// Tasks of a job, with its arrival, seconds since 1970.
fn of_job(
    job: ParsedJob,
    types: &Types,
    room: usize,
    requests: &mut Requests,
) -> Result<Vec<(Task, Option<f64>)>, String> {
    if job.names.len() > room {
        return Err(format!("more than {MOST_TASKS} tasks; split the file"));
    }
    let GpuRequest { gpus, shares } = match &job.gres {
        None => GpuRequest { gpus: 0, shares: vec![Some(0); types.devices().len()] },
        Some(gres) => {
            let resource = gres.resource();
            let taken = types.taken(&resource, gres.count, |_| true);
            taken.ok_or_else(|| format!("it requests {}; no node has that", shown(&resource)))?
        }
    };
    let of_a_node = u8::try_from(gpus).ok().filter(|gpus| usize::from(*gpus) <= MOST_GPUS);
    let gpus =
        of_a_node.ok_or_else(|| format!("it requests {gpus} GPUs of a node; at most {MOST_GPUS} are supported"))?;
    let ParsedJob { names, pieces, cpu_milli, memory_mib, is_sensitive, came, seconds, .. } = job;
    let request = requests.place(Request { cpu_milli, memory_mib, gpus, shares });
    let task = |name| (Task { name, request, pieces, is_sensitive, arrives: 0.0, seconds }, came);
    Ok(names.into_iter().map(task).collect())
}
