//! Node by node and task by task what a study describes.

use super::asked::{Asked, MIB_IN_GB, thousandths};
use super::cluster::{Cluster, NodeSpec};
use super::coming::Coming;
use super::fill::{Fill, Filled};
use super::fragment::Typical;
use super::policy::Policy;
use super::replay::{Replay, Replayed};
use super::score::Place;
use super::study::Allocation;
use super::workload::Workload;
use crossover_study::Watch;

/// What a study describes, node by node and task by task.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The idle cluster.
    pub cluster: Cluster,
    /// Names of its nodes.
    pub nodes: Vec<String>,
    /// What is asked for: one request for each group of tasks.
    asked: Asked,
    /// What typical tasks of the list need.
    pub typical: Typical,
    /// The list of tasks: the group of each.
    pub tasks: Vec<usize>,
    /// What comes in a replay. With more nodes than the study has it is that of the list: nothing is replayed on them.
    pub coming: Coming,
}

/// The seed of the first order.
pub(super) fn seed(study: &Allocation) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: whole, below 2⁵³")]
    let seed = study.arrivals.seed as u64;
    seed
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated ranges, all below 2³²")]
impl Described {
    /// The cluster and the tasks of a valid study, with so many more nodes of the growing group behind the others.
    #[must_use]
    pub fn new(study: &Allocation, more: usize) -> Self {
        let place = |name: &str| study.types.iter().position(|gpu_type| gpu_type.name == name).unwrap_or(0) as u16;
        let (mut specs, mut left) = (Vec::new(), Vec::new());
        let is_grown = more > 0;
        let more = study.nodes.iter().filter(|group| group.name == study.policy.grows).map(|group| {
            let nodes = group.nodes as usize;
            (group, nodes..nodes + more)
        });
        for (group, numbers) in study.nodes.iter().map(|group| (group, 0..group.nodes as usize)).chain(more) {
            let boards = group.more.iter().map(|board| (board.gpu_type.as_str(), board.gpus, board.left));
            let boards = std::iter::once((group.gpu_type.as_str(), group.gpus, group.left)).chain(boards);
            let gpus: Vec<(u16, u16)> = boards
                .flat_map(|(gpu_type, gpus, left)| vec![(place(gpu_type), thousandths(left)); gpus as usize])
                .collect();
            for number in numbers {
                left.push(gpus.iter().map(|(_, left)| *left).collect::<Vec<u16>>());
                specs.push(NodeSpec {
                    name: format!("{} {}", group.name, number + 1),
                    cpu_milli: (group.cores * 1e3).round() as u32,
                    // What was bought by decimal gigabytes holds what is asked for by them.
                    memory_mib: (group.memory_gb / MIB_IN_GB).ceil() as u32,
                    devices: gpus.iter().map(|(gpu_type, _)| *gpu_type).collect(),
                });
            }
        }
        let mut cluster = Cluster::new(&specs);
        for (node, left) in cluster.nodes.iter_mut().zip(left) {
            node.left[..left.len()].copy_from_slice(&left);
        }
        let cluster = cluster.with_capacity();
        let asked = Asked::new(study, &cluster);
        let counts: Vec<usize> = study.tasks.iter().map(|group| (group.tasks * group.pieces) as usize).collect();
        let typical = Typical::new(&cluster, &asked.needed, &counts);
        let tasks = study.tasks.iter().enumerate();
        Self {
            tasks: tasks.flat_map(|(place, group)| vec![place; group.tasks as usize]).collect(),
            nodes: specs.into_iter().map(|spec| spec.name).collect(),
            coming: if is_grown {
                Coming::of_list(study, &asked, &typical)
            } else {
                Coming::new(study, &cluster, &asked, &typical)
            },
            asked,
            typical,
            cluster,
        }
    }
}

impl Described {
    /// What tasks of the list ask for under a policy.
    #[must_use]
    pub fn asked(&self, policy: Policy) -> &Workload {
        self.asked.under(policy)
    }

    pub(super) fn fill(&self, policy: Policy, seed: u64, until: f64, watch: Watch<'_>) -> Option<Filled> {
        self.filling(policy, seed, until).run(watch)
    }

    /// Where every task of the list runs if each comes once, in the study's first order under its rule; nothing where it fits
    /// nowhere.
    #[must_use]
    pub fn placed(&self, study: &Allocation) -> Vec<Option<Vec<Place>>> {
        self.filling(study.policy.rule, seed(study), 0.0).once()
    }

    fn filling(&self, policy: Policy, seed: u64, until: f64) -> Fill<'_> {
        let Self { cluster, asked, typical, tasks, .. } = self;
        Fill { cluster, workload: asked.under(policy), needed: &asked.needed, typical, tasks, policy, seed, until }
    }

    /// Replays what comes, with a log of so many stays.
    pub(super) fn replay(
        &self,
        study: &Allocation,
        policy: Policy,
        seed: u64,
        most_logged: usize,
        watch: Watch<'_>,
    ) -> Option<Replayed> {
        let Self { cluster, coming, .. } = self;
        let (workload, manners) = (coming.asked(policy), coming.manners(study, policy));
        let typical = &coming.typical;
        let replay = Replay { cluster, workload, typical, policy, seed, manners: &manners, most_logged };
        replay.run(coming.arrivals(study, seed), watch)
    }
}
