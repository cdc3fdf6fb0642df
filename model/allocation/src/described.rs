//! Nodes and tasks of a study, one by one.

use super::cluster::{Cluster, NodeSpec};
use super::fill::{Fill, Filled};
use super::fragment::Typical;
use super::group_requests::{GroupRequests, MIB_IN_GB, units};
use super::policy::Policy;
use super::replay::{Replay, Replayed};
use super::replay_tasks::ReplayTasks;
use super::score::Place;
use super::study::Allocation;
use super::workload::Workload;
use crossover_study::Watch;

/// Nodes and tasks of a study, one by one.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The idle cluster.
    pub cluster: Cluster,
    /// Names of its nodes.
    pub nodes: Vec<String>,
    /// One request for each group of tasks.
    requests: GroupRequests,
    /// Needs of typical tasks of the list.
    pub typical: Typical,
    /// The list of tasks: the group of each.
    pub tasks: Vec<usize>,
    /// Tasks that arrive in a replay. With added nodes these are tasks of the list, and nothing is replayed.
    pub replay_tasks: ReplayTasks,
}

/// The seed of the first order.
pub(super) fn seed(study: &Allocation) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: whole, below 2⁵³")]
    let seed = study.arrivals.seed as u64;
    seed
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated ranges, all below 2³²")]
impl Described {
    /// The cluster and the tasks of a valid study. `more`: added nodes of the growing group, after all others.
    #[must_use]
    pub fn new(study: &Allocation, more: usize) -> Self {
        let place = |name: &str| study.types.iter().position(|gpu_type| gpu_type.name == name).unwrap_or(0) as u16;
        let (mut specs, mut left) = (Vec::new(), Vec::new());
        let is_grown = more > 0;
        let more = study.nodes.iter().filter(|group| group.name == study.policy.growing_nodes).map(|group| {
            let nodes = group.nodes as usize;
            (group, nodes..nodes + more)
        });
        for (group, numbers) in study.nodes.iter().map(|group| (group, 0..group.nodes as usize)).chain(more) {
            let boards = group.more.iter().map(|board| (board.gpu_type.as_str(), board.gpus, board.left));
            let boards = std::iter::once((group.gpu_type.as_str(), group.gpus, group.left)).chain(boards);
            let gpus: Vec<(u16, u16)> =
                boards.flat_map(|(gpu_type, gpus, left)| vec![(place(gpu_type), units(left)); gpus as usize]).collect();
            for number in numbers {
                left.push(gpus.iter().map(|(_, left)| *left).collect::<Vec<u16>>());
                specs.push(NodeSpec {
                    name: format!("{} {}", group.name, number + 1),
                    cpu_milli: (group.cores * 1e3).round() as u32,
                    // Rounded so that requests in decimal gigabytes fit nodes in decimal gigabytes.
                    memory_mib: (group.memory_gb / MIB_IN_GB).ceil() as u32,
                    devices: gpus.iter().map(|(gpu_type, _)| *gpu_type).collect(),
                });
            }
        }
        let mut cluster = Cluster::new(&specs);
        for (node, left) in cluster.nodes.iter_mut().zip(left) {
            node.left[..left.len()].copy_from_slice(&left);
            node.memory_left = node.left;
        }
        let cluster = cluster.with_capacity();
        let first: f64 = study.nodes.iter().map(|group| group.nodes).sum();
        let requests = GroupRequests::new(study, &cluster, first as usize);
        let counts: Vec<usize> = study.tasks.iter().map(|group| (group.tasks * group.pieces) as usize).collect();
        let typical = Typical::new(&cluster, &requests.needed, &counts);
        let tasks = study.tasks.iter().enumerate();
        Self {
            tasks: tasks.flat_map(|(place, group)| vec![place; group.tasks as usize]).collect(),
            nodes: specs.into_iter().map(|spec| spec.name).collect(),
            replay_tasks: if is_grown {
                ReplayTasks::of_list(study, &requests, &typical)
            } else {
                ReplayTasks::new(study, &cluster, &requests, &typical)
            },
            requests,
            typical,
            cluster,
        }
    }
}

impl Described {
    /// Requests of tasks of the list under a policy.
    #[must_use]
    pub fn workload(&self, policy: Policy) -> &Workload {
        self.requests.under(policy)
    }

    pub(super) fn fill(&self, policy: Policy, seed: u64, until: f64, watch: Watch<'_>) -> Option<Filled> {
        self.filling(policy, seed, until).run(watch)
    }

    /// Places of every task of the list if each arrives once, in the study's first order under its policy; `None` where it fits
    /// no node, or where a latency-sensitive task took its place.
    #[must_use]
    pub fn placed(&self, study: &Allocation) -> Vec<Option<Vec<Place>>> {
        // Without regulation, as for declared shares, nothing is preempted.
        let preempts = study.replay.preempts && study.policy.name != Policy::Declared;
        self.filling(study.policy.name, seed(study), 0.0)
            .once(|task| preempts && study.tasks[self.tasks[task]].is_sensitive)
    }

    fn filling(&self, policy: Policy, seed: u64, until: f64) -> Fill<'_> {
        let Self { cluster, requests, typical, tasks, .. } = self;
        Fill {
            cluster,
            workload: requests.under(policy),
            needed: &requests.needed,
            typical,
            tasks,
            policy,
            seed,
            until,
        }
    }

    /// Replays the tasks, with a log of at most so many runs of tasks.
    pub(super) fn replay(
        &self,
        study: &Allocation,
        policy: Policy,
        seed: u64,
        most_logged: usize,
        watch: Watch<'_>,
    ) -> Option<Replayed> {
        let Self { cluster, replay_tasks, .. } = self;
        let (workload, sharing) = (replay_tasks.workload(policy), replay_tasks.sharing(study, policy));
        let typical = &replay_tasks.typical;
        let replay = Replay { cluster, workload, typical, policy, seed, sharing: &sharing, most_logged };
        replay.run(replay_tasks.arrivals(study, seed), watch)
    }
}
