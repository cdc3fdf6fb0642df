//! A job of Slurm gets its node and its share of a GPU by a policy, as it is submitted or while it runs.
//!
//! - `commands`: the commands of Slurm, and their words for a shell
//! - `interrupts`: the first one ends a command in order, the second one at once
//! - `suspended`: jobs that are suspended for another one, and resumed whatever happens

pub(crate) mod commands;
pub(crate) mod interrupts;
pub(crate) mod suspended;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crossover_allocation::live::MOST_REQUESTS;
use crossover_allocation::{Cluster, Lack, Live, LiveSetting, Policy, Request, WHOLE};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_traces::slurm::live::{LiveCluster, PlacedPiece, Wanted};

/// Nodes that are named in a message; the others are counted.
const NAMED: usize = 3;

/// Where a job goes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choice {
    /// The node.
    pub(crate) node: String,
    /// GPUs of it that the policy expects; Slurm chooses them.
    pub(crate) gpus: Vec<usize>,
    /// Of each of them, of which [`WHOLE`] is one.
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

/// What a node is chosen for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Among<'a> {
    /// Only nodes of this partition, or of several with commas.
    pub(crate) partition: Option<&'a str>,
    /// As if this job were not there: it gets another place.
    pub(crate) without: Option<&'a str>,
}

/// The node that a policy chooses for a job now.
///
/// # Errors
/// It fits none; a sentence with the reasons.
pub(crate) fn choose(
    cluster: &LiveCluster,
    wanted: &Wanted,
    setting: LiveSetting,
    among: Among<'_>,
) -> Result<Choice, String> {
    let partition = among.partition;
    let request = cluster.request(wanted)?;
    let trace = &cluster.trace;
    let is_in = |node: &usize| {
        let has = |partition: &str| cluster.partitions[*node].iter().any(|known| known == partition);
        partition.is_none_or(|partition| partition.split(',').any(has))
    };
    let nodes: Vec<usize> = (0..trace.nodes.len()).filter(is_in).collect();
    if nodes.is_empty() {
        return Err(format!("no node that accepts jobs is in the partition {}", partition.unwrap_or_default()));
    }
    let mut live = occupied(cluster, &request, setting, among.without);
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

impl Choice {
    /// The choice as lines for the user.
    pub(crate) fn lines(&self, policy: Policy) -> String {
        let mut text = String::new();
        let (fitting, nodes) = (self.fitting, counted(self.nodes as f64, "node"));
        _ = writeln!(text, "node       {}, by {}; the job fits {fitting} of {nodes}", self.node, policy.label());
        let gpus: Vec<String> = self.gpus.iter().map(usize::to_string).collect();
        let share = Unit::Share.format(f64::from(self.share) / f64::from(WHOLE));
        let of = if self.share < WHOLE { format!(", {share} of it") } else { String::new() };
        _ = writeln!(text, "GPUs       {} as {}{of}; Slurm may choose others on the node", gpus.join(", "), self.gres);
        let other = |(policy, node): &(Policy, Option<String>)| {
            format!("{} {}", policy.label(), node.as_deref().unwrap_or("–"))
        };
        let others: Vec<String> = self.others.iter().map(other).collect();
        _ = writeln!(text, "others     {}", others.join(", "));
        text
    }
}

/// The cluster with what its jobs have. Typical tasks are all jobs, and the new one.
fn occupied(cluster: &LiveCluster, request: &Request, setting: LiveSetting, without: Option<&str>) -> Live {
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
        let is_next =
            |piece: &&PlacedPiece| piece.gpus.is_some() == has_gpus && without.is_none_or(|job| piece.job != job);
        for piece in cluster.placed.iter().filter(is_next) {
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
