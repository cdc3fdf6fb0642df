//! Scores of all nodes for a request. Few nodes change between two tasks with the same request, so scores are cached.

use std::cmp::Reverse;

use rand_distr::Distribution as _;
use rand_distr::Uniform;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::amount::changed;
use super::cluster::{Cluster, Gpus, Node};
use super::fragment::Typical;
use super::policy::{Kinds, Policy, Setting, UNFIT, taken};
use super::workload::Workload;

/// Most kept changes for each node.
const LONGEST: usize = 16;

/// A cluster in which tasks are placed one after the other.
#[derive(Debug, Clone)]
pub(super) struct Placing<'a> {
    setting: Setting<'a>,
    nodes: PlacedNodes,
}

/// What a [`Placing`] knows of nodes: it outlives the workload, to which requests are added.
#[derive(Debug, Clone)]
pub(super) struct PlacedNodes {
    /// The capacity left.
    pub(super) cluster: Cluster,
    kinds: Vec<Kinds>,
    /// Fragment of each node, in thousandths of a GPU.
    fragments: Vec<f64>,
    /// Nodes in the order in which they changed.
    changes: Vec<u32>,
    /// Whether tasks leave: then a node with too little capacity may have enough again.
    do_leave: bool,
    /// For each request: the score of every node, and the number of changes it includes. Empty until the first use.
    scores: Vec<(Vec<i16>, usize)>,
}

/// Where a task runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Index of the node in the cluster.
    pub node: usize,
    /// Its GPUs.
    pub gpus: Gpus,
}

/// Score of every node for a request, higher is better; `None` where it does not fit. `running`: node and request of each
/// running task.
#[must_use]
pub fn scores(
    cluster: &Cluster,
    workload: &Workload,
    typical: &Typical,
    policy: Policy,
    request: usize,
    running: &[(usize, usize)],
) -> Vec<Option<i16>> {
    let setting = Setting::new(policy, workload, typical, cluster);
    let mut kinds = vec![Kinds::default(); cluster.nodes.len()];
    for (node, request) in running {
        kinds[*node].add(&workload.requests()[*request], workload.needs(*request, &cluster.nodes[*node]));
    }
    let score = |(node, kinds): (&Node, &Kinds)| {
        let score = setting.score(request, node, kinds, typical.fragment(node));
        (score != UNFIT).then_some(score)
    };
    cluster.nodes.iter().zip(&kinds).map(score).collect()
}

/// The place that a policy chooses for a request; `None` if it fits no node. Of equal scores the first node.
#[must_use]
pub fn choose(
    cluster: &Cluster,
    workload: &Workload,
    typical: &Typical,
    policy: Policy,
    request: usize,
    running: &[(usize, usize)],
) -> Option<Place> {
    let scores = scores(cluster, workload, typical, policy, request, running);
    let best = scores.iter().flatten().max()?;
    let node = scores.iter().position(|score| score.as_ref() == Some(best))?;
    let mut random = Pcg64Mcg::seed_from_u64(0);
    let setting = Setting::new(policy, workload, typical, cluster);
    let gpus = setting.pick(request, &cluster.nodes[node], cluster, &mut random);
    Some(Place { node, gpus })
}

impl PlacedNodes {
    /// The node among these with the highest score for a request; of equal scores the first of the cluster. `None` if it fits none.
    pub(super) fn best(&self, setting: Setting<'_>, request: usize, nodes: &[usize]) -> Option<usize> {
        let scored = nodes.iter().filter_map(|node| {
            let score = setting.score(request, &self.cluster.nodes[*node], &self.kinds[*node], self.fragments[*node]);
            (score != UNFIT).then_some((score, Reverse(*node)))
        });
        scored.max().map(|(_, Reverse(node))| node)
    }
}

impl<'a> Placing<'a> {
    /// Starts with a cluster. `do_leave`: whether tasks also leave.
    pub(super) fn new(setting: Setting<'a>, cluster: Cluster, do_leave: bool) -> Self {
        let nodes = PlacedNodes {
            kinds: vec![Kinds::default(); cluster.nodes.len()],
            scores: vec![(Vec::new(), 0); setting.workload.requests().len()],
            changes: Vec::new(),
            do_leave,
            fragments: fragments(&setting, &cluster),
            cluster,
        };
        Self { setting, nodes }
    }

    /// Continues with nodes that were kept, also after requests were added to the workload.
    pub(super) fn resume(setting: Setting<'a>, mut nodes: PlacedNodes) -> Self {
        nodes.scores.resize(setting.workload.requests().len(), (Vec::new(), 0));
        Self { setting, nodes }
    }

    /// The nodes, to continue later.
    pub(super) fn keep(self) -> PlacedNodes {
        self.nodes
    }

    /// The capacity left.
    pub(super) fn cluster(&self) -> &Cluster {
        &self.nodes.cluster
    }

    /// Score of every node for a request; [`UNFIT`] where it does not fit.
    pub(super) fn scores(&mut self, request: usize) -> &[i16] {
        self.refresh(request);
        &self.nodes.scores[request].0
    }

    /// Places a piece of a task on a node that it fits.
    pub(super) fn place_on(&mut self, request: usize, node: usize, random: &mut Pcg64Mcg) -> Place {
        let gpus = self.setting.pick(request, &self.nodes.cluster.nodes[node], &self.nodes.cluster, random);
        self.take(request, Place { node, gpus });
        Place { node, gpus }
    }

    /// Replaces what is left on a node, and the tasks on it.
    pub(super) fn set_node(&mut self, node: usize, left: Node, kinds: Kinds) {
        self.nodes.cluster.nodes[node] = left;
        self.nodes.kinds[node] = kinds;
        self.change(node);
    }

    /// Computes all fragments and scores anew, after typical tasks changed.
    pub(super) fn forget_fragments(&mut self) {
        self.nodes.fragments = fragments(&self.setting, &self.nodes.cluster);
        self.forget_scores();
    }

    /// Fragments of all nodes, in thousandths of a GPU.
    pub(super) fn fragment(&self) -> f64 {
        self.nodes.fragments.iter().sum()
    }

    /// Places all pieces of a task, or none.
    pub(super) fn place_all(&mut self, request: usize, random: &mut Pcg64Mcg) -> Option<Vec<Place>> {
        let pieces = self.setting.workload.pieces(request);
        let mut places = Vec::new();
        for _ in 0..pieces {
            let Some(place) = self.place(request, random) else {
                for place in places {
                    self.release(request, place);
                }
                return None;
            };
            places.push(place);
        }
        Some(places)
    }

    /// Places one piece of a task; `None` if it fits no node.
    fn place(&mut self, request: usize, random: &mut Pcg64Mcg) -> Option<Place> {
        self.refresh(request);
        let scores = &self.nodes.scores[request].0;
        let node = if self.setting.policy == Policy::Random {
            let fitting: Vec<usize> = (0..scores.len()).filter(|node| scores[*node] != UNFIT).collect();
            let place = Uniform::new(0, fitting.len()).ok()?.sample(random);
            fitting[place]
        } else {
            let best = scores.iter().copied().max().filter(|best| *best != UNFIT)?;
            scores.iter().position(|score| *score == best)?
        };
        Some(self.place_on(request, node, random))
    }

    /// Allocates these GPUs, which have enough capacity left.
    pub(super) fn take(&mut self, request: usize, Place { node, gpus }: Place) {
        let workload = self.setting.workload;
        let before = &self.nodes.cluster.nodes[node];
        let (requested, needs) = (&workload.requests()[request], workload.needs(request, before));
        self.nodes.kinds[node].add(requested, needs);
        let memory = workload.memory(request, before);
        let mut after = taken(before, requested, needs, gpus);
        after.take_memory(memory, gpus);
        self.nodes.cluster.nodes[node] = after;
        self.change(node);
    }

    /// Releases the GPUs of a task.
    pub(super) fn release(&mut self, request: usize, place: Place) {
        self.release_changed(request, place, 0);
    }

    /// Releases the GPUs of a task that has so many units more of each than it requested, or fewer.
    pub(super) fn release_changed(&mut self, request: usize, Place { node, gpus }: Place, extra: i32) {
        let workload = self.setting.workload;
        let left = &mut self.nodes.cluster.nodes[node];
        let (requested, needs) = (&workload.requests()[request], workload.needs(request, left));
        let memory = workload.memory(request, left);
        left.release_memory(memory, gpus);
        self.nodes.kinds[node].remove(requested, needs);
        left.cpu_milli += requested.cpu_milli;
        left.memory_mib += requested.memory_mib;
        for gpu in gpus.places() {
            left.left[gpu] += changed(needs[gpu], extra);
        }
        self.change(node);
    }

    /// Allocates more of a GPU to a task, or less if `more` is negative.
    pub(super) fn adjust(&mut self, node: usize, gpu: usize, more: i32) {
        let left = &mut self.nodes.cluster.nodes[node].left[gpu];
        *left = u16::try_from(i32::from(*left) - more).expect("no task has more than there is");
        self.change(node);
    }

    /// Forgets all scores: nodes that a task did not fit may have been released.
    pub(super) fn forget_scores(&mut self) {
        self.nodes.changes.clear();
        self.nodes.scores.iter_mut().for_each(|(scores, seen)| {
            scores.clear();
            *seen = 0;
        });
    }

    fn change(&mut self, node: usize) {
        let nodes = &mut self.nodes;
        nodes.fragments[node] = self.setting.typical.fragment(&nodes.cluster.nodes[node]);
        // After so many changes, all scores are computed again anyway.
        if nodes.changes.len() > LONGEST * nodes.cluster.nodes.len().max(1) {
            self.forget_scores();
        }
        self.nodes.changes.push(u32::try_from(node).expect("fewer nodes than 2³²"));
    }

    /// Brings the scores of a request up to date.
    fn refresh(&mut self, request: usize) {
        let Self { setting, nodes } = self;
        let PlacedNodes { cluster, kinds, fragments, changes, do_leave, scores } = nodes;
        let (scores, seen) = &mut scores[request];
        let score = |node: usize| setting.score(request, &cluster.nodes[node], &kinds[node], fragments[node]);
        let missed = &changes[*seen..];
        if scores.is_empty() || missed.len() >= scores.len() {
            *scores = (0..cluster.nodes.len()).map(score).collect();
        } else {
            for node in missed {
                let node = *node as usize;
                if *do_leave || scores[node] != UNFIT {
                    scores[node] = score(node);
                }
            }
        }
        *seen = changes.len();
    }
}

/// Fragment of each node, in thousandths of a GPU.
fn fragments(setting: &Setting<'_>, cluster: &Cluster) -> Vec<f64> {
    cluster.nodes.iter().map(|node| setting.typical.fragment(node)).collect()
}
