//! A cluster of Slurm as it is now: its nodes, and its jobs with the node and the GPUs that they have.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::path::Path;

use crossover_allocation::{Gpus, MOST_GPUS, NodeSpec, Part, Request, Trace};
use crossover_quantity::unread::Unread;
use serde_json::Value;

use super::job::{self, Purpose};
use super::jobs;
use super::{listed, nodes_of, records, with_jobs};
use crate::error::TraceError;
use crate::gpus::{Device, GpuRequest, Types};

/// States of nodes that start no job now, in words or as the sign behind a state.
const AWAY: [&str; 12] =
    ["DOWN", "DRAIN", "FAIL", "ERROR", "MAINT", "FUTURE", "UNKNOWN", "INVAL", "NOT_RESPONDING", "POWER", "REBOOT", "*"];
/// States of jobs that have GPUs.
const HOLDING: [&str; 6] = ["RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "STAGE_OUT", "SIGNALING"];
/// Resources of which several share a GPU, in the order in which they are used.
const SHARED: [&str; 2] = ["shard", "mps"];

/// What a new job requests of a node's GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedGpus {
    /// Whole GPUs.
    Whole(u8),
    /// A share of one GPU, percent; rounded up to the parts in which nodes share their GPUs.
    Percent(u8),
}

/// What a new job requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Cores.
    pub cores: u32,
    /// Memory, MiB; 0 if it requests none.
    pub memory_mib: u32,
    /// GPUs.
    pub gpus: WantedGpus,
    /// Their type; none: any.
    pub gpu_type: Option<String>,
}

/// A piece of a job on a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedPiece {
    /// Number of its job.
    pub job: String,
    /// Index of the request of its job.
    pub request: usize,
    /// Index of the node.
    pub node: usize,
    /// Its GPUs there, where Slurm says which.
    pub gpus: Option<Gpus>,
}

/// Nodes that take jobs, and all jobs.
pub struct LiveCluster {
    /// The nodes, sorted by name; types of GPUs; requests and all jobs, also those that wait.
    pub trace: Trace,
    /// The pieces of jobs that have a node.
    pub placed: Vec<PlacedPiece>,
    /// Partitions of each node.
    pub partitions: Vec<Vec<String>>,
    /// Nodes that take no job now, with their state.
    pub away: Vec<(String, String)>,
    types: Types,
}

/// Nodes of a file with what `scontrol show node` prints, and jobs of one with what `squeue --json` prints.
///
/// # Errors
/// [`TraceError`]: unreadable, not what the commands print, or no node accepts jobs.
pub fn read(nodes: &Path, jobs: &Path) -> Result<LiveCluster, TraceError> {
    let (listed, may_repeat, broken) = records(nodes)?;
    let mut partitions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut away, mut able) = (Vec::new(), Vec::new());
    for (place, record) in listed {
        let text = |field: &str| record.get(field).map_or("", String::as_str);
        let (name, state) = (text("NodeName").to_owned(), text("State").to_ascii_uppercase());
        if AWAY.iter().any(|sign| state.contains(sign)) {
            away.push((name, state));
            continue;
        }
        let of_node = text("Partitions").split(',').filter(|partition| !partition.is_empty()).map(str::to_owned);
        partitions.insert(name, of_node.collect());
        able.push((place, record));
    }
    if able.is_empty()
        && let Some((name, state)) = away.first()
    {
        let problem = format!("no node accepts jobs now; {name} is {state}");
        return Err(TraceError::unusable(nodes, problem));
    }
    let (mut notes, mut unread, mut balances) = (Vec::new(), Unread::default(), Vec::new());
    let found = nodes_of(nodes, (able, may_repeat, broken), (&mut notes, &mut unread, &mut balances))?;
    let of_nodes = notes.len();
    let (mut trace, types) = with_jobs(Purpose::Snapshot, nodes, found, Some(jobs), (notes, unread, balances))?;
    // Other notes on jobs are about run times, which do not matter here.
    let of_jobs = trace.notes.split_off(of_nodes);
    trace.notes.extend(of_jobs.into_iter().filter(|note| note.contains(" left out: ")));
    let placed = placed(&trace, &types, jobs)?;
    let partitions = trace.nodes.iter().map(|node| partitions.remove(&node.name).unwrap_or_default()).collect();
    Ok(LiveCluster { trace, placed, partitions, away, types })
}

/// The pieces of jobs of a file that have a node.
fn placed(trace: &Trace, types: &Types, jobs: &Path) -> Result<Vec<PlacedPiece>, TraceError> {
    let node_of: BTreeMap<&str, usize> =
        trace.nodes.iter().enumerate().map(|(place, node)| (node.name.as_str(), place)).collect();
    let request_of: BTreeMap<&str, usize> = trace.tasks.iter().map(|task| (task.name.as_str(), task.request)).collect();
    let mut placed = Vec::new();
    jobs::each(jobs, |_, entry| {
        let Ok(entry) = entry else { return };
        let Ok(job) = job::label(&entry) else { return };
        let Some(request) = request_of.get(title(&entry, &job).as_str()).copied() else { return };
        if !holds_gpus(&entry) {
            return;
        }
        let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
        let names = listed::expanded(text("nodes"));
        for (name, detail) in names.iter().zip(details(&entry).chain(iter::repeat(None))) {
            let Some(node) = node_of.get(name.as_str()).copied() else { continue };
            let gpus = detail.and_then(gpus_of);
            let gpus = gpus.filter(|gpus| is_numbered(&trace.nodes[node], types, *gpus));
            placed.push(PlacedPiece { job: job.clone(), request, node, gpus });
        }
    })?;
    Ok(placed)
}

/// What Slurm prints about the GPUs of each node of a job. As text it is one value for several nodes.
fn details(entry: &Value) -> impl Iterator<Item = Option<&str>> {
    let nodes = list(entry, "gres_detail_nodes").iter().map(|count| count.as_u64().unwrap_or_default());
    let nodes = nodes.map(|count| usize::try_from(count).unwrap_or(usize::MAX)).chain(iter::repeat(1));
    list(entry, "gres_detail").iter().zip(nodes).flat_map(|(detail, nodes)| iter::repeat_n(detail.as_str(), nodes))
}

fn list<'a>(entry: &'a Value, field: &str) -> &'a [Value] {
    entry.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The name that the task of a job has.
fn title(entry: &Value, job: &str) -> String {
    let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
    format!("{job} {name}").trim_end().to_owned()
}

fn holds_gpus(job: &Value) -> bool {
    let is_holding = |state: &Value| state.as_str().is_some_and(|state| HOLDING.contains(&state));
    match job.get("job_state") {
        Some(Value::Array(states)) => states.iter().any(is_holding),
        Some(state) => is_holding(state),
        None => false,
    }
}

/// The GPUs of a node that Slurm names: `gpu:a100:1(IDX:1)`, `shard:3(IDX:0)`, `gpu:h200:4(IDX:2,3-5)`.
fn gpus_of(detail: &str) -> Option<Gpus> {
    let mut found = Gpus::default();
    for (place, sign) in detail.match_indices("(IDX:") {
        let resource = detail[..place].rsplit(',').next().unwrap_or_default().trim_start_matches("gres:");
        let kind = resource.split(':').next().unwrap_or_default();
        if kind != "gpu" && !SHARED.contains(&kind) {
            continue;
        }
        let (ranges, _) = detail[place + sign.len()..].split_once(')')?;
        for range in ranges.split(',').filter(|range| *range != "N/A") {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
            for gpu in first..=last {
                if gpu >= MOST_GPUS {
                    return None;
                }
                found = Gpus(found.0 | Gpus::one(gpu).0);
            }
        }
    }
    (found != Gpus::default()).then_some(found)
}

/// Whether numbers of Slurm are those of the GPUs of a node here: all are whole, of one type, and there are so many.
fn is_numbered(node: &NodeSpec, types: &Types, gpus: Gpus) -> bool {
    let kinds: BTreeSet<u16> = node.devices.iter().copied().collect();
    let is_whole = |kind: &u16| types.devices()[usize::from(*kind)].offers.get("gpu") == Some(&Part::ONE);
    kinds.len() == 1 && kinds.iter().all(is_whole) && gpus.places().all(|gpu| gpu < node.devices.len())
}

impl LiveCluster {
    /// What a new job requests of these nodes.
    ///
    /// # Errors
    /// No node has GPUs of the type, or shares them.
    pub fn request(&self, wanted: &Wanted) -> Result<Request, String> {
        let may_use = |device: &Device| of_type(device, wanted);
        let of = wanted.gpu_type.as_ref().map_or_else(String::new, |of| format!(" of type {of}"));
        let cpu_milli = wanted.cores.checked_mul(1_000).ok_or_else(|| format!("{} cores; too many", wanted.cores))?;
        let taken = match wanted.gpus {
            WantedGpus::Whole(count) => {
                let taken = self.types.taken("gpu", count.into(), may_use);
                taken.ok_or_else(|| format!("no node that accepts jobs has a GPU{of}"))?
            }
            WantedGpus::Percent(percent) => {
                let share = |device: &Device| {
                    let (_, count, part) = shared(device, percent).filter(|_| may_use(device))?;
                    u16::try_from(part.times(count).units()).ok()
                };
                let shares: Vec<Option<u16>> = self.types.devices().iter().map(share).collect();
                if shares.iter().all(Option::is_none) {
                    let kinds = SHARED.join(" or ");
                    return Err(format!("no node that accepts jobs shares its GPUs{of} (gres {kinds})"));
                }
                GpuRequest { gpus: 1, shares }
            }
        };
        let GpuRequest { gpus, shares } = taken;
        let count = u8::try_from(gpus).ok().filter(|gpus| usize::from(*gpus) <= MOST_GPUS);
        let gpus = count.ok_or_else(|| format!("{gpus} GPUs; at most {MOST_GPUS} of a node are supported"))?;
        Ok(Request { cpu_milli, memory_mib: wanted.memory_mib, gpus, shares })
    }

    /// What `sbatch --gres` says for a new job on GPUs of a type: `gpu:2`, `gpu:a100:1`, `shard:3`.
    #[must_use]
    pub fn gres(&self, wanted: &Wanted, gpu_type: u16) -> Option<String> {
        let device = self.types.devices().get(usize::from(gpu_type))?;
        match (wanted.gpus, &wanted.gpu_type) {
            (WantedGpus::Whole(count), None) => Some(format!("gpu:{count}")),
            (WantedGpus::Whole(count), Some(of)) => Some(format!("gpu:{of}:{count}")),
            (WantedGpus::Percent(percent), _) => {
                shared(device, percent).map(|(kind, count, _)| format!("{kind}:{count}"))
            }
        }
    }
}

fn of_type(device: &Device, wanted: &Wanted) -> bool {
    wanted.gpu_type.as_ref().is_none_or(|of| device.offers.contains_key(&format!("gpu:{of}")))
}

/// The resource by which a type is shared, how many of it are at least so many percent, and the part of a GPU that each is.
fn shared(device: &Device, percent: u8) -> Option<(&'static str, u64, Part)> {
    SHARED.into_iter().find_map(|kind| {
        let part = *device.offers.get(kind)?;
        let count = (u64::from(percent) * u64::from(part.whole)).div_ceil(100 * u64::from(part.of.max(1)));
        Some((kind, count.max(1), part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Slurm 22.05 prints them in `gres_detail`.
    #[test]
    fn the_gpus_of_a_job_are_those_that_slurm_names() {
        assert_eq!(gpus_of("gpu:a100:1(IDX:1)"), Some(Gpus(0b10)));
        assert_eq!(gpus_of("shard:3(IDX:0)"), Some(Gpus(0b1)));
        assert_eq!(gpus_of("gpu:h100:1(IDX:0),gpu:h200:4(IDX:2,3-5)"), Some(Gpus(0b11_1101)));
        assert_eq!(gpus_of("nic:1(IDX:3),gres:gpu:2(IDX:0-1)"), Some(Gpus(0b11)));
        for other in ["gpu:a100:0(IDX:N/A)", "nic:1(IDX:3)", "gpu:1(IDX:16)", "gpu:1(IDX:x)", "gpu:1", ""] {
            assert_eq!(gpus_of(other), None, "{other}");
        }
    }
}
