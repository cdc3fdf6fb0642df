//! A cluster of Slurm and its jobs: nodes as `scontrol show node`, its JSON or `sinfo` print them; jobs as `squeue --json`,
//! `scontrol show job`, `sacct --json` or `sacct --parsable2` do.
//!
//! GPUs are whole, cut into instances (MIG; types like `a100_1g.5gb`), or shared by `shard` or `mps`: a part is its
//! slices of seven, or as much of a GPU as there are GPUs for each share. A job over several nodes runs in equal
//! pieces, one a node.

mod accounting;
mod gres;
mod inferred;
mod job;
mod job_text;
mod jobs;
mod listed;
pub mod live;
mod node;

use std::collections::BTreeSet;
use std::path::Path;

use crossover_allocation::{MOST_GPUS, Requests, Trace};
use crossover_quantity::balance::{Balance, BalanceOf, Tally};
use crossover_quantity::text::counted;
use crossover_quantity::unread::Unread;

use self::job::Purpose;
use self::jobs::Jobs;
use self::node::Record;
use crate::error::{self, TraceError};
use crate::gpus::{ParsedNode, Types};
use crate::json;
use crate::left_out::{LeftOut, shown};

/// Largest text of nodes: 50,000 of them take 70 MB.
const LARGEST_BYTES: u64 = 256 << 20;

/// Nodes of one file, and jobs of another if there is one. A job's task is named by its number and its name; it is
/// latency-sensitive if the job is interactive (`srun` or `salloc`), not a batch script. A job that has not ended runs as long as
/// its limit allows, or beyond the record. Amounts for a piece are rounded up.
///
/// # Errors
/// [`TraceError`]: unreadable, not what the commands print, or no usable node, or no usable job. A bad entry is left
/// out, also one that repeats a name or number, and notes say so.
pub fn read(nodes: &Path, jobs: Option<&Path>) -> Result<Trace, TraceError> {
    read_for(Purpose::Snapshot, nodes, jobs)
}

/// What happened to the jobs of the accounting (`sacct`): those that started, with their recorded waits. A job that still runs counts
/// up to the end of the record. Each run of a requeued job (`sacct --duplicates`) is a task. Jobs that never started are left out.
/// Without a file of nodes, each node that jobs name has the most that its jobs used at once.
///
/// # Errors
/// As [`read`].
pub fn read_history(nodes: Option<&Path>, jobs: &Path) -> Result<Trace, TraceError> {
    let Some(nodes) = nodes else {
        let records = inferred::records(jobs)?.into_iter().map(|record| ("nodes of its jobs".to_owned(), record));
        let (mut notes, mut unread, mut balances) = (Vec::new(), Unread::default(), Vec::new());
        let found = nodes_of(jobs, (records.collect(), false, None), (&mut notes, &mut unread, &mut balances))?;
        let gpus: usize = found.iter().flat_map(|node| &node.devices).map(|(_, count)| count).sum();
        let [nodes, gpus] = [counted(found.len() as f64, "node"), counted(gpus as f64, "GPU")];
        notes.push(format!(
            "no file of nodes: {nodes} with {gpus} assumed, each with the most that its jobs used at once"
        ));
        return Ok(with_jobs(Purpose::History, jobs, found, Some(jobs), (notes, unread, balances))?.0);
    };
    read_for(Purpose::History, nodes, Some(jobs))
}

fn read_for(purpose: Purpose, nodes: &Path, jobs: Option<&Path>) -> Result<Trace, TraceError> {
    let (mut notes, mut unread, mut balances) = (Vec::new(), Unread::default(), Vec::new());
    let found = nodes_of(nodes, records(nodes)?, (&mut notes, &mut unread, &mut balances))?;
    Ok(with_jobs(purpose, nodes, found, jobs, (notes, unread, balances))?.0)
}

/// The trace of nodes that were read from a file, with the jobs of another, whose notes are appended; and the types of its GPUs.
fn with_jobs(
    purpose: Purpose,
    nodes: &Path,
    found: Vec<ParsedNode>,
    jobs: Option<&Path>,
    (mut notes, mut unread, mut balances): (Vec<String>, Unread, Vec<Balance>),
) -> Result<(Trace, Types), TraceError> {
    let types = Types::of(&found).map_err(|problem| TraceError::unusable(nodes, problem))?;
    let mut requests = Requests::default();
    let tasks = match jobs {
        Some(jobs) => Jobs::new(purpose, &types, &mut requests, &mut unread).read(jobs, &mut notes, &mut balances)?,
        None => Vec::new(),
    };
    let trace = Trace {
        types: types.names(),
        nodes: types.nodes(found),
        requests: requests.into_list(),
        tasks,
        notes,
        may_spread: false,
        unread,
        balances,
    };
    Ok((trace, types))
}

/// A node with its place in the file.
type Placed = (String, Record);

/// Nodes, each with its place; the flag: whether a node may be listed several times, once for each partition; the problem where the
/// file is damaged.
type Records = (Vec<Placed>, bool, Option<String>);

/// Nodes of a file.
fn records(path: &Path) -> Result<Records, TraceError> {
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

/// The usable ones of these nodes of a file.
fn nodes_of(
    path: &Path,
    (records, may_repeat, broken): Records,
    (notes, unread, balances): (&mut Vec<String>, &mut Unread, &mut Vec<Balance>),
) -> Result<Vec<ParsedNode>, TraceError> {
    let mut left_out = LeftOut::new("node", "nodes");
    let mut remarks = node::Remarks::default();
    let mut names = BTreeSet::new();
    let mut found = Vec::new();
    let (mut of_nodes, mut of_gpus) = (Tally::new(BalanceOf::Nodes), Tally::new(BalanceOf::Gpus));
    for (place, record) in records {
        let is_known = record.get("NodeName").is_some_and(|name| names.contains(name));
        if is_known && may_repeat {
            continue;
        }
        let outcome =
            if is_known { Err("duplicate node name".to_owned()) } else { node::read(&record, &mut remarks, unread) };
        of_nodes.add(1.0, &outcome);
        let counted = outcome.as_ref().map(|node| node.devices.iter().map(|(_, count)| *count).sum::<usize>() as f64);
        of_gpus.add(counted.unwrap_or_else(|_| listed_gpus(&record)), &outcome);
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
    balances.extend([of_nodes, of_gpus].into_iter().filter_map(Tally::balance));
    Ok(found)
}

/// GPUs that the record of a node lists, also of one that cannot be read.
fn listed_gpus(record: &Record) -> f64 {
    let listed = record.get("Gres").and_then(|text| gres::list(text).ok()).unwrap_or_default();
    listed.iter().filter(|of| of.kind == "gpu" && of.count <= MOST_GPUS as u64).map(|of| of.count as f64).sum()
}
