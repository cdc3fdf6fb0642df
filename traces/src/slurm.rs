//! A cluster of Slurm and its jobs, as `scontrol show node` and `squeue --json` print them.
//!
//! GPUs are whole, cut into instances (MIG; types like `a100_1g.5gb`), or shared by `shard` or `mps`: a part is its
//! slices of seven, or as much of a GPU as there are GPUs for each share. A job over several nodes runs in equal
//! pieces, one a node.

mod gres;
mod job;
mod node;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crossover_allocation::{MOST_GPUS, Request, Requests, Task, Trace};

use self::job::ParsedJob;
use crate::error::{self, TraceError};
use crate::gpus::{GpuRequest, ParsedNode, Types};
use crate::json;
use crate::left_out::{LeftOut, shown};

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
    let found = read_nodes(nodes, &mut notes)?;
    let types = Types::of(&found).map_err(|problem| TraceError::unusable(nodes, problem))?;
    let mut requests = Requests::default();
    let tasks = match jobs {
        Some(jobs) => read_jobs(jobs, &types, &mut requests, &mut notes)?,
        None => Vec::new(),
    };
    Ok(Trace {
        types: types.names(),
        nodes: types.nodes(found),
        requests: requests.into_list(),
        tasks,
        notes,
        may_spread: false,
    })
}

fn read_nodes(path: &Path, notes: &mut Vec<String>) -> Result<Vec<ParsedNode>, TraceError> {
    let text = error::text(path, LARGEST_BYTES)?;
    let mut left_out = LeftOut::new("node", "nodes");
    let mut remarks = node::Remarks::default();
    let mut names = BTreeSet::new();
    let mut found = Vec::new();
    for (line, record) in node::records(&text) {
        let is_known = record.get("NodeName").is_some_and(|name| names.contains(*name));
        let outcome = if is_known { Err("duplicate node name".to_owned()) } else { node::read(&record, &mut remarks) };
        match outcome {
            Ok(node) => {
                names.insert(node.name.clone());
                found.push(node);
            }
            Err(problem) => {
                let name = record.get("NodeName").copied().unwrap_or_default();
                left_out.add(|| format!("line {line} ({})", shown(name)), &problem);
            }
        }
    }
    if found.is_empty() {
        let expected = left_out.nothing_of("node (NodeName=…)");
        return Err(TraceError::unusable(path, format!("{expected}; run “scontrol show node > nodes.txt”")));
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
) -> Result<Vec<Task>, TraceError> {
    let mut left_out = LeftOut::new("job", "jobs");
    let mut remarks = job::Remarks::default();
    let mut known = BTreeMap::new();
    let mut tasks = Vec::new();
    let expected = "what “squeue --json” prints";
    let ended = json::each(path, "jobs", expected, |place, entry| {
        let id = entry.get("job_id").and_then(serde_json::Value::as_u64);
        let above = id.and_then(|id| known.get(&id));
        let outcome = match above {
            Some(above) => Err(format!("duplicate of entry {above}")),
            None => job::read(&entry, &mut remarks).and_then(|job| {
                let id = job.id;
                let room = MOST_TASKS.saturating_sub(tasks.len());
                tasks.extend(of_job(job, types, room, requests)?);
                known.insert(id, place);
                Ok(())
            }),
        };
        if let Err(problem) = outcome {
            let id = id.map_or_else(String::new, |id| format!(" (job {id})"));
            left_out.add(|| format!("entry {place}{id}"), &problem);
        }
    })?;
    if tasks.is_empty() && ended.entries > 0 {
        return Err(TraceError::unusable(path, left_out.nothing_of("job")));
    }
    if let Some(problem) = ended.broken {
        notes.push(format!(
            "{}: damaged after entry {}; the rest is not read: {problem}",
            path.display(),
            ended.entries
        ));
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
