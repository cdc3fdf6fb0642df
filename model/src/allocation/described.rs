//! Node by node and task by task what a study describes.

use super::cluster::{Cluster, NodeSpec, WHOLE};
use super::coming::Coming;
use super::fill::{Fill, Filled};
use super::fragment::Typical;
use super::policy::Policy;
use super::replay::{Replay, Replayed};
use super::score::Place;
use super::study::{Allocation, TaskGroup};
use super::workload::{Request, Workload};
use crate::study::Watch;

/// Bytes of a mebibyte, in gigabytes.
const MIB_IN_GB: f64 = 1_048_576.0 / 1e9;

/// What a study describes, node by node and task by task.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The idle cluster.
    pub cluster: Cluster,
    /// Names of its nodes.
    pub nodes: Vec<String>,
    /// What may be asked for: one request for each group of tasks.
    asked: Asked,
    /// What typical tasks of the list need.
    pub typical: Typical,
    /// The list of tasks: the group of each.
    pub tasks: Vec<usize>,
    /// What comes in a replay.
    pub coming: Coming,
}

/// What may be asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    /// What is needed.
    pub needed: Workload,
    /// What owners declare instead.
    pub declared: Workload,
}

impl Asked {
    /// What tasks ask for under a policy.
    pub(super) fn under(&self, policy: Policy) -> &Workload {
        if policy == Policy::Declared { &self.declared } else { &self.needed }
    }
}

/// The seed of the first order.
pub(super) fn seed(study: &Allocation) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: whole, below 2⁵³")]
    let seed = study.arrivals.seed as u64;
    seed
}

/// A share of a GPU, in thousandths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … 1000")]
pub(super) fn thousandths(share: f64) -> u16 {
    (share * f64::from(WHOLE)).round().clamp(0.0, f64::from(WHOLE)) as u16
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated ranges, all below 2³²")]
impl Described {
    /// The cluster and the tasks of a valid study, with so many more nodes of the growing group behind the others.
    #[must_use]
    pub fn new(study: &Allocation, more: usize) -> Self {
        let place = |name: &str| study.types.iter().position(|gpu_type| gpu_type.name == name).unwrap_or(0) as u16;
        let (mut specs, mut left) = (Vec::new(), Vec::new());
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
        let workload = |declares: fn(&TaskGroup) -> f64| {
            let requests = study.tasks.iter().map(|group| request(study, group, declares(group))).collect();
            let pieces = study.tasks.iter().map(|group| group.pieces as u32).collect();
            let seconds = study.tasks.iter().map(|group| seconds(study, group)).collect();
            Workload::new(&cluster, requests).with_pieces(pieces).with_seconds(seconds)
        };
        let asked = Asked { needed: workload(|_| 1.0), declared: workload(|group| group.declares) };
        let counts: Vec<usize> = study.tasks.iter().map(|group| (group.tasks * group.pieces) as usize).collect();
        let typical = Typical::new(&cluster, &asked.needed, &counts);
        let tasks = study.tasks.iter().enumerate();
        Self {
            tasks: tasks.flat_map(|(place, group)| vec![place; group.tasks as usize]).collect(),
            nodes: specs.into_iter().map(|spec| spec.name).collect(),
            coming: Coming::new(study, &cluster, &asked, &typical),
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

/// What a piece of a task asks for, of GPUs so many times what it needs.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated ranges, all below 2³²")]
fn request(study: &Allocation, group: &TaskGroup, declares: f64) -> Request {
    let share_of = |name: &str| {
        let own = group.runs_on.iter().find(|on| on.gpu_type == name);
        let can = group.runs_on.is_empty() || own.is_some();
        let share = own.map(|on| on.share).filter(|share| *share > 0.0).unwrap_or(group.share);
        can.then(|| thousandths(share * declares).max(1))
    };
    Request {
        cpu_milli: (group.cores * 1e3).round() as u32,
        memory_mib: (group.memory_gb / MIB_IN_GB).floor() as u32,
        gpus: group.gpus as u8,
        shares: study.types.iter().map(|gpu_type| share_of(&gpu_type.name)).collect(),
    }
}

pub(super) fn speeds(study: &Allocation, group: &TaskGroup) -> Vec<f64> {
    let speed_of = |name: &str| group.runs_on.iter().find(|on| on.gpu_type == name).map_or(1.0, |on| on.speed);
    study.types.iter().map(|gpu_type| speed_of(&gpu_type.name)).collect()
}

/// How long a task runs on each type, where that decides: for a sensitive one it does not (published method).
fn seconds(study: &Allocation, group: &TaskGroup) -> Vec<f64> {
    if group.is_sensitive {
        return Vec::new();
    }
    speeds(study, group).into_iter().map(|speed| group.run_seconds / speed).collect()
}
