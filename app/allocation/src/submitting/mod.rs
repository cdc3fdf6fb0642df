//! A job of Slurm gets its node and its share of a GPU by a policy.
//!
//! - `commands`: the commands of Slurm, and their words for a shell

pub(crate) mod commands;

use std::collections::BTreeMap;

use crossover_allocation::live::MOST_REQUESTS;
use crossover_allocation::{Cluster, Lack, Live, LiveSetting, Policy, Request};
use crossover_quantity::text::counted;
use crossover_traces::slurm::live::{LiveCluster, Wanted};

/// Nodes that are named in a message; the others are counted.
const NAMED: usize = 3;

/// Where a job goes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choice {
    /// The node.
    pub(crate) node: String,
    /// GPUs of it that the policy expects; Slurm chooses them.
    pub(crate) gpus: Vec<usize>,
    /// Of each of them, of which [`WHOLE`](crossover_allocation::WHOLE) is one.
    pub(crate) share: u16,
    /// The value of `sbatch --gres`.
    pub(crate) gres: String,
    /// Nodes of the partition that take jobs.
    pub(crate) nodes: usize,
    /// Those of them that the job fits now.
    pub(crate) fitting: usize,
    /// The node that each other policy would choose.
    pub(crate) others: Vec<(Policy, Option<String>)>,
}

/// The node that a policy chooses for a job now, among those of a partition.
///
/// # Errors
/// It fits none; a sentence with the reasons.
pub(crate) fn choose(
    cluster: &LiveCluster,
    wanted: &Wanted,
    setting: LiveSetting,
    partition: Option<&str>,
) -> Result<Choice, String> {
    let request = cluster.request(wanted)?;
    let trace = &cluster.trace;
    let is_in = |node: &usize| {
        partition.is_none_or(|partition| cluster.partitions[*node].iter().any(|known| known == partition))
    };
    let nodes: Vec<usize> = (0..trace.nodes.len()).filter(is_in).collect();
    if nodes.is_empty() {
        return Err(format!("no node that takes jobs is in the partition {}", partition.unwrap_or_default()));
    }
    let mut live = occupied(cluster, &request, setting);
    let index = live.request(&request).ok_or_else(|| format!("more than {MOST_REQUESTS} different requests"))?;
    let fitting = nodes.iter().filter(|node| live.lack(index, **node).is_none()).count();
    let name = |node: usize| trace.nodes[node].name.clone();
    let others = Policy::ALL.into_iter().filter(|policy| *policy != setting.policy);
    let others = others.map(|policy| (policy, live.would_choose(policy, index, &nodes).map(name))).collect();
    let chosen = live.choose(index, &nodes).ok_or_else(|| why_none(cluster, &live, index, &nodes))?;
    let gpus = live.place(index, chosen).ok_or("the node that was chosen does not fit")?;
    let first = gpus.places().next().and_then(|gpu| trace.nodes[chosen].devices.get(gpu));
    let gres = first.and_then(|gpu_type| cluster.gres(wanted, *gpu_type));
    Ok(Choice {
        node: name(chosen),
        gpus: gpus.places().collect(),
        share: live.share(index, chosen, gpus),
        gres: gres.ok_or("the node that was chosen has no such GPU")?,
        nodes: nodes.len(),
        fitting,
        others,
    })
}

/// The cluster with what its jobs have. Typical tasks are all jobs, and the new one.
fn occupied(cluster: &LiveCluster, request: &Request, setting: LiveSetting) -> Live {
    let trace = &cluster.trace;
    let mut counts: BTreeMap<&Request, usize> = BTreeMap::from([(request, 1)]);
    for task in &trace.tasks {
        *counts.entry(&trace.requests[task.request]).or_default() += 1;
    }
    let mut typical: Vec<(Request, usize)> =
        counts.into_iter().map(|(request, count)| (request.clone(), count)).collect();
    typical.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    typical.truncate(MOST_REQUESTS / 2);
    let mut live = Live::new(&Cluster::new(&trace.nodes), &typical, setting);
    // Those with known GPUs first: the others are on what these leave.
    for has_gpus in [true, false] {
        for piece in cluster.placed.iter().filter(|piece| piece.gpus.is_some() == has_gpus) {
            let Some(of_piece) = live.request(&trace.requests[piece.request]) else { continue };
            let gpus = piece.gpus.unwrap_or_else(|| live.most_left(of_piece, piece.node));
            live.occupy(of_piece, piece.node, gpus);
        }
    }
    live
}

/// What the nodes lack, with their numbers, and which nodes take no jobs.
fn why_none(cluster: &LiveCluster, live: &Live, request: usize, nodes: &[usize]) -> String {
    let mut lacks: BTreeMap<&str, usize> = BTreeMap::new();
    for lack in nodes.iter().filter_map(|node| live.lack(request, *node)) {
        *lacks.entry(in_words(lack)).or_default() += 1;
    }
    let lacks: Vec<String> =
        lacks.into_iter().map(|(lack, count)| format!("{}: {lack}", counted(count as f64, "node"))).collect();
    let away = &cluster.away;
    let named: Vec<String> = away.iter().take(NAMED).map(|(name, state)| format!("{name} ({state})")).collect();
    let more = away.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let away = if away.is_empty() { String::new() } else { format!("; not available: {}{more}", named.join(", ")) };
    format!("the job fits no node now: {}{away}", lacks.join("; "))
}

fn in_words(lack: Lack) -> &'static str {
    match lack {
        Lack::GpuType => "too few GPUs that the job can use",
        Lack::Gpus => "too little is left of its GPUs",
        Lack::Cores => "too few cores are left",
        Lack::Memory => "too little memory is left",
    }
}
