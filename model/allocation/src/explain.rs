//! Why a task ran where it ran, and why not before: from the log of a replay.

use super::cluster::{Cluster, Node};
use super::described::Described;
use super::policy::Policy;
use super::reason::Refusal;
use super::replay::{Log, Stay};
use super::score::scores;

/// Why a task ran where it ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// What the rule gave the node when the task began; none if the log does not tell.
    pub score: Option<i16>,
    /// Nodes on which it fitted then.
    pub fitting: usize,
    /// Nodes that suited it as well.
    pub alike: usize,
    /// The best other nodes with their numbers, the best first.
    pub others: Vec<(usize, i16)>,
    /// Why it did not begin when it came; none if it did, or if it had to stop in between.
    pub waited: Option<Refusal>,
}

/// Other nodes that are named.
const NAMED: usize = 5;

/// The cluster as it was at a time, with what ran there by node and what it asks for. `but`: a task that does not count.
#[must_use]
pub fn at(described: &Described, policy: Policy, log: &Log, time: f64, but: u64) -> (Cluster, Vec<(usize, usize)>) {
    let mut cluster = described.cluster.clone();
    let mut running = Vec::new();
    let ran = |stay: &&Stay| stay.from <= time && stay.until > time && stay.task != but;
    // What began at the same time came before it, or after it and then it fitted beside it.
    for stay in log.stays.iter().filter(ran) {
        let node = &mut cluster.nodes[stay.place.node];
        take(node, described, policy, stay);
        running.push((stay.place.node, stay.request));
    }
    (cluster, running)
}

fn take(node: &mut Node, described: &Described, policy: Policy, stay: &Stay) {
    let workload = described.coming.asked(policy);
    let asked = &workload.requests()[stay.request];
    let needs = *workload.needs(stay.request, node);
    // Tasks that had to give, or got more, are counted with what they ask for.
    node.cpu_milli = node.cpu_milli.saturating_sub(asked.cpu_milli);
    node.memory_mib = node.memory_mib.saturating_sub(asked.memory_mib);
    for gpu in stay.place.gpus.places() {
        node.left[gpu] = node.left[gpu].saturating_sub(needs[gpu]);
    }
}

/// Why the task of a stay ran there, under the rule of the replay that was logged.
#[must_use]
pub fn why(described: &Described, policy: Policy, log: &Log, stay: &Stay) -> Why {
    let (cluster, running) = at(described, policy, log, stay.from, stay.task);
    let workload = described.coming.asked(policy);
    let scores = scores(&cluster, workload, &described.coming.typical, policy, stay.request, &running);
    let score = scores.get(stay.place.node).copied().flatten();
    let mut others: Vec<(usize, i16)> = scores
        .iter()
        .enumerate()
        .filter(|(node, _)| *node != stay.place.node)
        .filter_map(|(node, score)| Some((node, (*score)?)))
        .collect();
    others.sort_by_key(|(node, score)| (std::cmp::Reverse(*score), *node));
    let alike = others.iter().filter(|(_, other)| Some(*other) == score).count();
    let fitting = scores.iter().flatten().count();
    others.truncate(NAMED);
    let waited = (stay.from > stay.came).then(|| {
        let (cluster, _) = at(described, policy, log, stay.came, stay.task);
        Refusal::find(&cluster, workload, stay.request)
    });
    Why { score, fitting, alike, others, waited: waited.flatten() }
}
