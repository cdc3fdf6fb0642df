//! A cluster and the tasks that came to it, as somebody recorded them.

use std::collections::BTreeMap;

use super::cluster::{NodeSpec, WHOLE};
use super::policy::Policy;
use super::study::{Allocation, Arrivals, GpuType, NodeGroup, Rule, RunsOn, TaskGroup, Timing};
use super::workload::Request;
use crate::invalid::free_name;
use crate::provenance::Provenance;
use crate::study::numbers;

/// Gigabytes of a mebibyte.
const MIB_IN_GB: f64 = 1_048_576.0 / 1e9;

/// A cluster and the tasks that came to it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// Types of GPUs.
    pub types: Vec<String>,
    /// Nodes, sorted by name; empty if the record tells of none.
    pub nodes: Vec<NodeSpec>,
    /// What tasks ask for, each once.
    pub requests: Vec<Request>,
    /// Tasks, sorted by name.
    pub tasks: Vec<Task>,
    /// What was left out, and why; for the user.
    pub notes: Vec<String>,
}

/// A task as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Name.
    pub name: String,
    /// What each of its pieces asks for, by its place in the list of requests.
    pub request: usize,
    /// Pieces that begin and end together, each on one node, several on one if they fit; 1 unless it may spread.
    pub pieces: u32,
    /// Whether somebody waits for its answers.
    pub is_sensitive: bool,
    /// When it comes, seconds from the beginning of the record.
    pub arrives: f64,
    /// How long it runs, seconds; `None` if it runs on beyond the record.
    pub seconds: Option<f64>,
}

/// Gives every request one place, however many tasks ask for the same.
#[derive(Debug, Default)]
pub struct Requests {
    places: std::collections::BTreeMap<Request, usize>,
}

impl Requests {
    /// The place of a request.
    pub fn place(&mut self, request: Request) -> usize {
        let next = self.places.len();
        *self.places.entry(request).or_insert(next)
    }

    /// All of them by place.
    #[must_use]
    pub fn into_list(self) -> Vec<Request> {
        let mut list: Vec<(usize, Request)> =
            self.places.into_iter().map(|(request, place)| (place, request)).collect();
        list.sort_unstable_by_key(|(place, _)| *place);
        list.into_iter().map(|(_, request)| request).collect()
    }
}

/// A study of a trace: nodes that are alike and tasks that ask for the same stand together, tasks with the mean of their
/// memory. Its numbers come from this file.
#[must_use]
pub fn summarised(trace: &Trace, file: &str, rule: Policy, demand: f64) -> Allocation {
    let mut nodes: BTreeMap<(u32, u32, &[u16]), usize> = BTreeMap::new();
    for node in &trace.nodes {
        *nodes.entry((node.cpu_milli, node.memory_mib, &node.devices)).or_default() += 1;
    }
    let type_of = |devices: &[u16]| {
        let first = devices.first().map_or(0, |device| usize::from(*device));
        trace.types.get(first).cloned().unwrap_or_else(|| "GPU".to_owned())
    };
    let mut groups: Vec<NodeGroup> = Vec::new();
    for ((cpu_milli, memory_mib, devices), count) in nodes {
        let gpu_type = type_of(devices);
        let name = format!("{} × {gpu_type}, {} cores", devices.len(), f64::from(cpu_milli) / 1e3);
        groups.push(NodeGroup {
            name: free_name(&name, groups.iter().map(|group| group.name.as_str())),
            nodes: count as f64,
            cores: f64::from(cpu_milli) / 1e3,
            memory_gb: f64::from(memory_mib) * MIB_IN_GB,
            gpus: devices.len() as f64,
            gpu_type,
        });
    }
    // What is asked for but for memory, with how often and how much memory altogether.
    let mut asked = BTreeMap::new();
    for task in &trace.tasks {
        let request = &trace.requests[task.request];
        let (count, memory) = asked.entry((request.gpus, &request.shares, request.cpu_milli)).or_insert((0_usize, 0.0));
        *count += 1;
        *memory += f64::from(request.memory_mib) * MIB_IN_GB;
    }
    let mut tasks: Vec<TaskGroup> = Vec::new();
    for ((gpus, shares, cpu_milli), (count, memory)) in asked {
        let share = f64::from(shares.iter().flatten().min().copied().unwrap_or(WHOLE)) / f64::from(WHOLE);
        let cores = f64::from(cpu_milli) / 1e3;
        let of_gpus = match gpus {
            0 => "no GPU".to_owned(),
            1 if share < 1.0 => format!("{:.1} % of a GPU", 100.0 * share),
            1 => "1 GPU".to_owned(),
            gpus => format!("{gpus} GPUs"),
        };
        let named = shares.iter().zip(&trace.types).filter(|(share, _)| share.is_some());
        let runs_on: Vec<RunsOn> = named.map(|(_, name)| RunsOn { gpu_type: name.clone() }).collect();
        let name = format!("{of_gpus}, {cores} cores");
        tasks.push(TaskGroup {
            name: free_name(&name, tasks.iter().map(|group| group.name.as_str())),
            tasks: count as f64,
            cores,
            memory_gb: memory / count as f64,
            gpus: f64::from(gpus),
            share: if gpus == 0 { 1.0 } else { share },
            per_hour: 0.0,
            run_seconds: 3_600.0,
            is_sensitive: false,
            runs_on: if runs_on.len() == trace.types.len() { Vec::new() } else { runs_on },
        });
    }
    let largest = groups.iter().max_by(|a, b| (a.nodes * a.gpus).total_cmp(&(b.nodes * b.gpus)));
    let grows = largest.map(|group| group.name.clone()).unwrap_or_default();
    let mut study = Allocation {
        arrivals: Arrivals { demand, orders: 10.0, seed: 42.0, target: 0.95 },
        types: trace.types.iter().map(|name| GpuType { name: name.clone(), watts: 0.0 }).collect(),
        nodes: groups,
        tasks,
        replay: Timing::default(),
        policy: Rule { rule, grows },
        sources: std::collections::BTreeMap::new(),
    };
    let imported: Vec<String> = numbers(&study).into_iter().map(|(path, ..)| path.to_string()).collect();
    let is_of_file = |path: &String| path.starts_with("nodes.") || path.starts_with("tasks.");
    for path in imported.into_iter().filter(is_of_file) {
        study.sources.insert(path, Provenance::Imported { file: file.to_owned() });
    }
    study
}
