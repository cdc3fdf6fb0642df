//! Decisions of `crossover allocate serve`, as JSON lines: the nodes, and each pod with its arrival, wait and end.

use std::collections::BTreeMap;
use std::path::Path;

use crossover_allocation::{MOST_GPUS, NodeSpec, Request, Requests, Task, Trace, WHOLE};
use crossover_quantity::balance::BalanceOf;
use jiff::Timestamp;
use serde::Deserialize;

use crate::error::{self, TraceError};
use crate::gpus;
use crate::left_out::LeftOut;

/// Largest file: a million decisions take some 600 MB.
const LARGEST_BYTES: u64 = 1 << 30;

/// A line.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event {
    Cluster {
        types: Vec<String>,
        nodes: Vec<Node>,
    },
    Bind(Box<Bind>),
    Release {
        time: String,
        uid: String,
    },
    /// Pods were named for eviction: a release follows for each that is gone.
    Preempt {},
}

#[derive(Deserialize)]
struct Node {
    name: String,
    cpu_milli: u32,
    memory_mib: u32,
    devices: Vec<u16>,
}

#[derive(Deserialize)]
struct Bind {
    time: String,
    pod: String,
    uid: String,
    waited_seconds: f64,
    is_sensitive: bool,
    request: Requested,
    outcome: String,
}

#[derive(Deserialize)]
struct Requested {
    cpu_milli: u32,
    memory_mib: u32,
    gpus: u8,
    shares: Vec<Option<u16>>,
}

/// A pod that was placed.
struct Placed {
    name: String,
    request: Requested,
    /// Index of the list of types of which `request` has the shares.
    types: usize,
    is_sensitive: bool,
    /// Seconds since 1970.
    bound: f64,
    waited: f64,
    /// False for the outcome `may be bound`: the answer of the API server was lost, or the server failed.
    is_certain: bool,
    ended: Option<f64>,
}

/// What was read so far.
#[derive(Default)]
struct Read {
    /// Types of GPUs, one list for each line with a cluster.
    types: Vec<Vec<String>>,
    nodes: Vec<NodeSpec>,
    placed: BTreeMap<String, Placed>,
}

/// The pods of a file on its last nodes. If a pod was placed several times, as in a dry run, the first placement counts, unless only a
/// later one is certain. A bad line is left out, and a note says so.
///
/// # Errors
/// [`TraceError`]: unreadable, or without nodes.
pub fn read(path: &Path) -> Result<Trace, TraceError> {
    let text = error::text(path, LARGEST_BYTES)?;
    let (mut read, mut left_out) = (Read::default(), LeftOut::new("line", "lines"));
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let event = serde_json::from_str::<Event>(line).map_err(|problem| problem.to_string());
        if let Err(problem) = event.and_then(|event| read.take(event)) {
            left_out.add(|| format!("line {}", number + 1), &problem);
        }
    }
    if read.types.is_empty() {
        let problem =
            format!("{}; expected a log of “crossover allocate serve”", left_out.nothing_of("line with nodes"));
        return Err(TraceError::unusable(path, problem));
    }
    let mut notes = Vec::new();
    left_out.note(path, &mut notes);
    let of_jobs = left_out.total(BalanceOf::Jobs, read.placed.len());
    Ok(Trace { balances: of_jobs.balance().into_iter().collect(), ..read.into_trace(notes) })
}

impl Read {
    fn take(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Cluster { types, nodes } => {
                gpus::check(nodes.len(), types.len())?;
                let known = |node: &Node| {
                    node.devices.len() <= MOST_GPUS && node.devices.iter().all(|of| usize::from(*of) < types.len())
                };
                if let Some(bad) = nodes.iter().find(|node| !known(node)) {
                    return Err(format!("node {} has GPUs of a type that is not listed, or too many", bad.name));
                }
                let nodes = nodes.into_iter().map(|Node { name, cpu_milli, memory_mib, devices }| NodeSpec {
                    name,
                    cpu_milli,
                    memory_mib,
                    devices,
                });
                self.nodes = nodes.collect();
                self.types.push(types);
            }
            Event::Bind(bind) => self.bind(*bind)?,
            Event::Preempt {} => {}
            Event::Release { time, uid } => {
                let time = seconds(&time)?;
                if let Some(placed) = self.placed.get_mut(&uid) {
                    placed.ended.get_or_insert(time.max(placed.bound));
                }
            }
        }
        Ok(())
    }

    fn bind(&mut self, bind: Bind) -> Result<(), String> {
        let Bind { time, pod, uid, waited_seconds, is_sensitive, request, outcome } = bind;
        let bound = seconds(&time)?;
        let types = self.types.len().checked_sub(1).ok_or("no line with nodes is before it")?;
        let is_whole = |share: &u16| *share <= WHOLE;
        let has_shares =
            request.shares.len() == self.types[types].len() && request.shares.iter().flatten().all(is_whole);
        if usize::from(request.gpus) > MOST_GPUS || !has_shares {
            return Err(format!("pod {pod} requests more GPUs than a node has, or not a share of each type"));
        }
        if !(waited_seconds.is_finite() && waited_seconds >= 0.0) {
            return Err(format!("waited_seconds is {waited_seconds}; expected a number from 0"));
        }
        if outcome.starts_with("not bound") {
            return Ok(());
        }
        let is_certain = !outcome.starts_with("may be bound");
        // kube-scheduler sends a pod once more if it was not bound after all.
        if self.placed.get(&uid).is_none_or(|before| is_certain && !before.is_certain) {
            let waited = waited_seconds;
            let placed = Placed { name: pod, request, types, is_sensitive, bound, waited, is_certain, ended: None };
            self.placed.insert(uid, placed);
        }
        Ok(())
    }

    fn into_trace(self, notes: Vec<String>) -> Trace {
        let Self { types: all_types, mut nodes, placed } = self;
        let types = all_types.last().cloned().unwrap_or_default();
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        let arrived = |placed: &Placed| placed.bound - placed.waited;
        let begin = placed.values().map(arrived).fold(f64::INFINITY, f64::min);
        let mut requests = Requests::default();
        let task = |placed: Placed| {
            let arrives = arrived(&placed) - begin;
            let Placed { name, request, types: then, is_sensitive, bound, waited, ended, is_certain: _ } = placed;
            let Requested { cpu_milli, memory_mib, gpus, shares } = request;
            let share = |name: &String| {
                let place = all_types[then].iter().position(|known| known == name)?;
                shares[place]
            };
            let shares = types.iter().map(share).collect();
            let request = requests.place(Request { cpu_milli, memory_mib, gpus, shares });
            let seconds = ended.map(|ended| ended - bound);
            Task { name, request, pieces: 1, is_sensitive, arrives, seconds, waited: Some(waited) }
        };
        let mut tasks: Vec<Task> = placed.into_values().map(task).collect();
        tasks.sort_by(|a, b| a.name.cmp(&b.name));
        Trace { types, nodes, requests: requests.into_list(), tasks, notes, ..Trace::default() }
    }
}

/// Seconds since 1970 of a time such as `2026-03-01T12:00:00.5Z`.
fn seconds(time: &str) -> Result<f64, String> {
    let time = time.parse::<Timestamp>().map_err(|problem| format!("time is “{time}”: {problem}"))?;
    Ok(time.as_duration().as_secs_f64())
}
