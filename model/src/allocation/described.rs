//! Node by node and task by task what a study describes.

use rand_distr::{Distribution as _, Exp1, StandardNormal, StandardUniform};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::cluster::{Cluster, NodeSpec, WHOLE};
use super::fill::{Fill, Filled};
use super::fragment::Typical;
use super::policy::Policy;
use super::replay::{Arrival, Manners, OfRequest, Replay, Replayed};
use super::score::Place;
use super::study::{Allocation, TaskGroup};
use super::workload::{Request, Workload};
use crate::study::Watch;

/// Bytes of a mebibyte, in gigabytes.
const MIB_IN_GB: f64 = 1_048_576.0 / 1e9;

/// Makes the seed of errors another one than that of arrivals.
const ERRORS: u64 = 0xbf58_476d_1ce4_e5b9;

/// What a study describes, node by node and task by task.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The idle cluster.
    pub cluster: Cluster,
    /// Names of its nodes.
    pub nodes: Vec<String>,
    /// What may be asked for: one request for each group of tasks.
    pub workload: Workload,
    /// The same with what owners declare instead of what is needed.
    pub declared: Workload,
    /// What typical tasks of the list need.
    pub typical: Typical,
    /// The list of tasks: the group of each.
    pub tasks: Vec<usize>,
    /// What tasks do to each other in the replay.
    pub manners: Manners,
}

/// The seed of the first order.
pub(super) fn seed(study: &Allocation) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: whole, below 2⁵³")]
    let seed = study.arrivals.seed as u64;
    seed
}

/// A share of a GPU, in thousandths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … 1000")]
fn thousandths(share: f64) -> u16 {
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
        let needed = workload(|_| 1.0);
        let counts: Vec<usize> = study.tasks.iter().map(|group| (group.tasks * group.pieces) as usize).collect();
        let tasks = study.tasks.iter().enumerate();
        Self {
            typical: Typical::new(&cluster, &needed, &counts),
            declared: workload(|group| group.declares),
            workload: needed,
            tasks: tasks.flat_map(|(place, group)| vec![place; group.tasks as usize]).collect(),
            nodes: specs.into_iter().map(|spec| spec.name).collect(),
            manners: manners(study),
            cluster,
        }
    }
}

impl Described {
    /// What tasks ask for under a policy.
    #[must_use]
    pub fn asked(&self, policy: Policy) -> &Workload {
        if policy == Policy::Declared { &self.declared } else { &self.workload }
    }

    pub(super) fn fill(&self, policy: Policy, seed: u64, until: f64, watch: Watch<'_>) -> Option<Filled> {
        let Self { cluster, workload: needed, typical, tasks, .. } = self;
        Fill { cluster, workload: self.asked(policy), needed, typical, tasks, policy, seed, until }.run(watch)
    }

    /// Where every task of the list runs if each comes once, in the study's first order under its rule; nothing where it fits
    /// nowhere.
    #[must_use]
    pub fn placed(&self, study: &Allocation) -> Vec<Option<Vec<Place>>> {
        let Self { cluster, workload: needed, typical, tasks, .. } = self;
        let policy = study.policy.rule;
        Fill { cluster, workload: self.asked(policy), needed, typical, tasks, policy, seed: seed(study), until: 0.0 }
            .once()
    }

    /// Replays tasks that come at random, with a log of so many stays.
    pub(super) fn replay(
        &self,
        study: &Allocation,
        policy: Policy,
        seed: u64,
        most_logged: usize,
        watch: Watch<'_>,
    ) -> Option<Replayed> {
        let regulated = policy != Policy::Declared;
        let mut manners = self.manners.clone();
        for (of_request, group) in manners.requests.iter_mut().zip(&study.tasks).filter(|_| !regulated) {
            of_request.needs = 1.0 / group.declares;
        }
        manners.does_release &= regulated;
        manners.monitor_seconds *= if regulated { 1.0 } else { 0.0 };
        let (workload, typical) = (self.asked(policy), &self.typical);
        let replay = Replay { cluster: &self.cluster, workload, typical, policy, seed, manners: &manners, most_logged };
        replay.run(arrivals(study, seed), watch)
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

fn speeds(study: &Allocation, group: &TaskGroup) -> Vec<f64> {
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

fn manners(study: &Allocation) -> Manners {
    let place = |name: &str| study.tasks.iter().position(|group| group.name == name);
    let mut measured = Vec::new();
    if !study.pairs.is_empty() {
        measured = vec![None; study.tasks.len() * study.tasks.len()];
    }
    for pair in &study.pairs {
        if let (Some(task), Some(beside)) = (place(&pair.task), place(&pair.beside)) {
            measured[task * study.tasks.len() + beside] = Some(1.0 / pair.speed - 1.0);
        }
    }
    let of_request = |group: &TaskGroup| OfRequest {
        speeds: speeds(study, group),
        needs: 1.0,
        least: group.least,
        limit: group.limit,
    };
    Manners {
        does_release: study.replay.does_release,
        save_seconds: study.replay.save_seconds,
        monitor_seconds: study.replay.monitor_seconds,
        step: thousandths(study.replay.step).max(1),
        interference: study.replay.interference,
        measured,
        requests: study.tasks.iter().map(of_request).collect(),
    }
}

/// The tasks that come in a replay: those of the beginning, then the others at random times, each of a random group and for a
/// random time.
fn arrivals(study: &Allocation, seed: u64) -> impl Iterator<Item = Arrival> {
    let total: f64 = study.tasks.iter().map(|group| group.per_hour).sum();
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    // Errors have random numbers of their own: the same tasks come, however large errors are.
    let mut errors = Pcg64Mcg::seed_from_u64(seed ^ ERRORS);
    let sigma = study.replay.error;
    let mut uses = move || -> f64 {
        let normal: f64 = StandardNormal.sample(&mut errors);
        libm::exp(sigma * normal)
    };
    let mut at = 0.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 10⁶")]
    let at_start = study.tasks.iter().enumerate().flat_map(|(request, group)| {
        let arrival =
            Arrival { at: 0.0, request, seconds: group.run_seconds, is_sensitive: group.is_sensitive, uses: 1.0 };
        std::iter::repeat_n(arrival, group.at_start as usize)
    });
    let later = std::iter::from_fn(move || {
        if total <= 0.0 {
            return None;
        }
        let [gap, seconds]: [f64; 2] = [(); 2].map(|()| Exp1.sample(&mut random));
        at += gap * 3_600.0 / total;
        let share: f64 = StandardUniform.sample(&mut random);
        let mut place = share * total;
        let request = study.tasks.iter().position(|group| {
            place -= group.per_hour;
            place < 0.0
        });
        // Rounding may leave nothing of the last group.
        let request =
            request.unwrap_or_else(|| study.tasks.iter().rposition(|group| group.per_hour > 0.0).unwrap_or(0));
        let group = &study.tasks[request];
        let seconds = seconds * group.run_seconds;
        let arrival = Arrival { at, request, seconds, is_sensitive: group.is_sensitive, uses: 1.0 };
        (at < study.replay.seconds).then_some(arrival)
    });
    at_start.chain(later).map(move |arrival| Arrival { uses: uses(), ..arrival })
}
