//! Which task ran on which GPUs, when and with which shares, from the log of a replay: for charts and for lists.

use super::amount::WHOLE;
use super::described::Described;
use super::policy::Policy;
use super::replay::{Log, ShareChange, TaskRun};

/// A run of a task, or of a piece of one, with what it had of its node.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedRun<'a> {
    /// Index of the run in the log.
    pub index: usize,
    /// The run.
    pub task_run: &'a TaskRun,
    /// Its GPUs; none if it needs none.
    pub gpus: Vec<GpuShare>,
    /// Later shares of its only GPU, in the order of time.
    pub changes: &'a [ShareChange],
}

/// What a run had of a GPU at its start, in units of which [`WHOLE`] are one GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GpuShare {
    /// Index of the GPU on the node.
    pub gpu: usize,
    /// Of the compute units.
    pub compute: u16,
    /// Of the memory; `None` if the task requests no share of it.
    pub memory: Option<u16>,
}

/// The runs of a log under its policy, in the order of their starts.
#[must_use]
pub fn placed_runs<'a>(described: &Described, policy: Policy, log: &'a Log) -> Vec<PlacedRun<'a>> {
    let workload = described.replay_tasks.workload(policy);
    let placed = |(index, task_run): (usize, &'a TaskRun)| {
        let node = &described.cluster.nodes[task_run.place.node];
        let needs = workload.needs(task_run.request, node);
        let memory = workload.memory(task_run.request, node);
        let share =
            |gpu: usize| GpuShare { gpu, compute: needs[gpu].min(WHOLE), memory: memory.map(|shares| shares[gpu]) };
        PlacedRun {
            index,
            task_run,
            gpus: task_run.place.gpus.places().map(share).collect(),
            changes: log.changes_of(index),
        }
    };
    let mut runs: Vec<PlacedRun<'a>> = log.task_runs.iter().enumerate().map(placed).collect();
    runs.sort_by(|a, b| a.task_run.from.total_cmp(&b.task_run.from));
    runs
}
