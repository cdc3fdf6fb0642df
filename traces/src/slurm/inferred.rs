//! Nodes that jobs of the accounting name: each has the most that its jobs used at once. A lower bound, for records without a file
//! of nodes.

use std::collections::BTreeMap;
use std::path::Path;

use crossover_quantity::unread::Unread;
use serde_json::Value;

use super::job::{self, Purpose, Remarks};
use super::node::Record;
use super::{gres, jobs, listed};
use crate::error::TraceError;

/// Cores in thousandths, memory in MiB, and GPUs by their type, that jobs have of a node.
#[derive(Debug, Clone, Default, PartialEq)]
struct NodeUse {
    cpu_milli: u64,
    memory_mib: u64,
    gpus: BTreeMap<String, u64>,
}

/// A part of a job on a node, from its start to its end.
type Piece = (f64, f64, NodeUse);

/// The nodes as `scontrol show node` would name them.
///
/// # Errors
/// Unreadable, or no job names its nodes.
pub(super) fn records(path: &Path) -> Result<Vec<Record>, TraceError> {
    let mut nodes: BTreeMap<String, Vec<Piece>> = BTreeMap::new();
    jobs::each(path, |_, entry| {
        for (node, piece) in entry.ok().and_then(|entry| pieces(&entry)).into_iter().flatten() {
            nodes.entry(node).or_default().push(piece);
        }
    })?;
    if nodes.is_empty() {
        let problem = "no job that started names its nodes; give a file of nodes (“scontrol show node > nodes.txt”)";
        return Err(TraceError::unusable(path, problem));
    }
    Ok(nodes.into_iter().map(|(name, pieces)| record(name, &most(pieces))).collect())
}

/// The parts of a job, each with the name of its node; `None` if it never started or names none.
fn pieces(entry: &Value) -> Option<Vec<(String, Piece)>> {
    let label = job::label(entry).ok()?;
    // Problems of the entry are those of the second reading, which notes them.
    let (mut remarks, mut unread) = (Remarks::default(), Unread::default());
    let job = job::read(entry, &label, Purpose::History, &mut remarks, &mut unread).ok()??;
    let from = job.times.began?;
    let until = job.seconds.map_or(f64::INFINITY, |seconds| from + seconds);
    let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
    let mut allocated = gres::list(text("tres_alloc_str")).ok()?;
    allocated.retain(|gres| gres.kind == "gpu" && gres.count > 0);
    // The sum over all types stands beside each type.
    if allocated.iter().any(|gres| !gres.of.is_empty()) {
        allocated.retain(|gres| !gres.of.is_empty());
    }
    let gpus = allocated.into_iter().map(|gres| (gres.of, gres.count.div_ceil(u64::from(job.pieces.max(1)))));
    let each = NodeUse { cpu_milli: job.cpu_milli.into(), memory_mib: job.memory_mib.into(), gpus: gpus.collect() };
    let names = listed::expanded(text("nodes")).into_iter().filter(|name| name != "None assigned");
    Some(names.map(|name| (name, (from, until, each.clone()))).collect())
}

/// The most that pieces had at one time, of each resource by itself.
fn most(pieces: Vec<Piece>) -> NodeUse {
    // Ends before starts: what ends then is free for what starts then.
    let events = pieces.into_iter().flat_map(|(from, until, used)| [(from, true, used.clone()), (until, false, used)]);
    let mut events: Vec<(f64, bool, NodeUse)> = events.collect();
    events.sort_by(|(a, is_start, _), (b, other, _)| a.total_cmp(b).then(is_start.cmp(other)));
    let (mut now, mut most) = (NodeUse::default(), NodeUse::default());
    for (_, is_start, used) in events {
        let changed = |value: u64, by: u64| if is_start { value + by } else { value.saturating_sub(by) };
        now.cpu_milli = changed(now.cpu_milli, used.cpu_milli);
        now.memory_mib = changed(now.memory_mib, used.memory_mib);
        most.cpu_milli = most.cpu_milli.max(now.cpu_milli);
        most.memory_mib = most.memory_mib.max(now.memory_mib);
        for (of, count) in used.gpus {
            let at_once = now.gpus.entry(of.clone()).or_default();
            *at_once = changed(*at_once, count);
            let most = most.gpus.entry(of).or_default();
            *most = (*most).max(*at_once);
        }
    }
    most
}

fn record(name: String, most: &NodeUse) -> Record {
    let gres = most.gpus.iter().map(|(of, count)| {
        let of = if of.is_empty() { String::new() } else { format!(":{of}") };
        format!("gpu{of}:{count}")
    });
    Record::from([
        ("NodeName", name),
        ("CPUTot", most.cpu_milli.div_ceil(1_000).to_string()),
        ("RealMemory", most.memory_mib.to_string()),
        ("Gres", gres.collect::<Vec<_>>().join(",")),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_what_its_jobs_had_at_one_time_at_most() {
        let used = |cores: u64, memory_mib: u64, gpus: u64| NodeUse {
            cpu_milli: 1_000 * cores,
            memory_mib,
            gpus: BTreeMap::from([("a100".to_owned(), gpus)]),
        };
        // 4 and 2 GPUs at once; the third piece starts when the first has ended.
        let pieces =
            vec![(0.0, 10.0, used(8, 100, 4)), (5.0, 20.0, used(4, 500, 2)), (10.0, f64::INFINITY, used(9, 100, 3))];
        assert_eq!(most(pieces), used(13, 600, 6));
        let record = record("n".to_owned(), &used(13, 600, 6));
        assert_eq!((record["Gres"].as_str(), record["CPUTot"].as_str()), ("gpu:a100:6", "13"));
    }
}
