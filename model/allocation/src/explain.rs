//! Why a task ran on its node, and why it waited: from the log of a replay.

use super::cluster::{Cluster, Node};
use super::described::Described;
use super::policy::Policy;
use super::reason::RejectionReason;
use super::replay::{Log, TaskRun};
use super::score::scores;

/// Why a task ran on its node.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Score of the node when the task started; `None` if it did not fit beside the logged tasks.
    pub score: Option<i16>,
    /// Nodes that it fitted then.
    pub fitting: usize,
    /// Other nodes with the same score.
    pub alike: usize,
    /// The best other nodes with their scores, the best first.
    pub others: Vec<(usize, i16)>,
    /// Why it did not start on arrival; `None` if it did.
    pub waited: Option<RejectionReason>,
}

/// Most other nodes that are listed.
const NAMED: usize = 5;

/// The cluster at a time, with node and request of each running task. `but`: a task that is left out.
#[must_use]
pub fn at(described: &Described, policy: Policy, log: &Log, time: f64, but: u64) -> (Cluster, Vec<(usize, usize)>) {
    let mut cluster = described.cluster.clone();
    let mut running = Vec::new();
    let ran = |task_run: &&TaskRun| task_run.from <= time && task_run.until > time && task_run.task != but;
    // A task that started at the same time arrived before, or after and then it fitted beside.
    for task_run in log.task_runs.iter().filter(ran) {
        let node = &mut cluster.nodes[task_run.place.node];
        take(node, described, policy, task_run);
        running.push((task_run.place.node, task_run.request));
    }
    (cluster, running)
}

fn take(node: &mut Node, described: &Described, policy: Policy, task_run: &TaskRun) {
    let workload = described.replay_tasks.workload(policy);
    let requested = &workload.requests()[task_run.request];
    let needs = *workload.needs(task_run.request, node);
    // Tasks with a reduced or increased share count with their request.
    node.cpu_milli = node.cpu_milli.saturating_sub(requested.cpu_milli);
    node.memory_mib = node.memory_mib.saturating_sub(requested.memory_mib);
    node.take_memory(workload.memory(task_run.request, node), task_run.place.gpus);
    for gpu in task_run.place.gpus.places() {
        node.left[gpu] = node.left[gpu].saturating_sub(needs[gpu]);
    }
}

/// Why a task ran on its node, under the policy of the logged replay.
#[must_use]
pub fn explanation(described: &Described, policy: Policy, log: &Log, task_run: &TaskRun) -> Explanation {
    let (cluster, running) = at(described, policy, log, task_run.from, task_run.task);
    let workload = described.replay_tasks.workload(policy);
    let scores = scores(&cluster, workload, &described.replay_tasks.typical, policy, task_run.request, &running);
    let score = scores.get(task_run.place.node).copied().flatten();
    let mut others: Vec<(usize, i16)> = scores
        .iter()
        .enumerate()
        .filter(|(node, _)| *node != task_run.place.node)
        .filter_map(|(node, score)| Some((node, (*score)?)))
        .collect();
    others.sort_by_key(|(node, score)| (std::cmp::Reverse(*score), *node));
    let alike = others.iter().filter(|(_, other)| Some(*other) == score).count();
    let fitting = scores.iter().flatten().count();
    others.truncate(NAMED);
    let waited = (task_run.from > task_run.arrived).then(|| {
        let (cluster, _) = at(described, policy, log, task_run.arrived, task_run.task);
        RejectionReason::find(&cluster, workload, task_run.request)
    });
    Explanation { score, fitting, alike, others, waited: waited.flatten() }
}
