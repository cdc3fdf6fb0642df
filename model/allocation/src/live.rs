//! A live cluster: tasks are placed as they arrive, by any policy, and leave when they end.
//!
//! On the same arrivals and ends, with the same seed and typical tasks, the choices are those of a [`Replay`](super::Replay)
//! without preemption. Unlike there, requests are not known beforehand, only some of the nodes may be allowed, and tasks that
//! another scheduler has placed may take more than a node has.

use std::collections::BTreeMap;

use rand_distr::Distribution as _;
use rand_distr::Uniform;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::cluster::{Cluster, Gpus, MOST_GPUS, Node};
use super::fragment::Typical;
use super::policy::{Kinds, Policy, Setting, UNFIT, largest};
use super::release;
use super::replay::CHOICES;
use super::score::{PlacedNodes, Placing};
use super::workload::{NEVER, Request, Workload, enough};

/// Most requests that are kept.
pub const MOST_REQUESTS: usize = 16_384;

/// How a live cluster is scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveSetting {
    /// The scheduling policy.
    pub policy: Policy,
    /// Seed of the order of nodes that the policy ranks equally, and of random choices.
    pub seed: u64,
}

/// What a node lacks for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// GPUs of a type on which the task can run.
    GpuType,
    /// Capacity of its GPUs.
    Gpus,
    /// Cores.
    Cores,
    /// Memory.
    Memory,
}

/// A cluster in which tasks arrive and leave.
#[derive(Debug, Clone)]
pub struct Live {
    setting: LiveSetting,
    workload: Workload,
    /// Index of each request.
    requests: BTreeMap<Request, usize>,
    typical: Typical,
    largest: [f64; 2],
    /// `None` only while a method uses it.
    nodes: Option<PlacedNodes>,
    /// Nodes while nothing runs, in the order in which equal nodes are chosen.
    idle: Vec<Node>,
    /// Request and GPUs of each task of a node, in the same order.
    tasks: Vec<Vec<(usize, Gpus)>>,
    /// The index of each node in that order.
    positions: Vec<usize>,
    random: Pcg64Mcg,
}

impl Live {
    /// An idle cluster. `typical`: requests and how many tasks have each, by which [`Policy::Fgd`] counts fragments.
    #[must_use]
    pub fn new(cluster: &Cluster, typical: &[(Request, usize)], setting: LiveSetting) -> Self {
        let (ordered, order) = cluster.shuffled(setting.seed);
        let mut positions = vec![0; order.len()];
        for (position, node) in order.iter().enumerate() {
            positions[*node] = position;
        }
        let workload = Workload::new(cluster, typical.iter().map(|(request, _)| request.clone()).collect());
        let counts: Vec<usize> = typical.iter().map(|(_, count)| *count).collect();
        let typical_tasks = Typical::new(cluster, &workload, &counts);
        let largest = largest(cluster);
        let policy = Setting::with_largest(setting.policy, &workload, &typical_tasks, largest);
        let nodes = Placing::new(policy, ordered.clone(), true).keep();
        Self {
            nodes: Some(nodes),
            requests: typical.iter().enumerate().map(|(place, (request, _))| (request.clone(), place)).collect(),
            typical: typical_tasks,
            tasks: vec![Vec::new(); ordered.nodes.len()],
            idle: ordered.nodes,
            random: Pcg64Mcg::seed_from_u64(setting.seed ^ CHOICES),
            workload,
            largest,
            positions,
            setting,
        }
    }

    /// The index of a request, which is added if it is new. `None` if too many requests are kept: then the cluster is to be made
    /// anew with those in use.
    pub fn request(&mut self, request: &Request) -> Option<usize> {
        if let Some(known) = self.requests.get(request) {
            return Some(*known);
        }
        if self.requests.len() >= MOST_REQUESTS {
            return None;
        }
        let cluster = &self.nodes.as_ref()?.cluster;
        // Shares of types do not depend on what is left; the demand, which does, is not used here.
        let place = self.workload.add(cluster, request.clone());
        self.requests.insert(request.clone(), place);
        Some(place)
    }

    /// Counts fragments by other typical tasks: how many tasks have each request, by its index.
    pub fn set_typical(&mut self, counts: &[usize]) {
        let mut all = counts.to_vec();
        all.resize(self.workload.requests().len(), 0);
        let Some(nodes) = &self.nodes else { return };
        self.typical = Typical::new(&nodes.cluster, &self.workload, &all);
        self.with(|placing, _| placing.forget_fragments());
    }

    /// Score of each of these nodes for a request, higher is better; `None` where it does not fit.
    pub fn scores(&mut self, request: usize, nodes: &[usize]) -> Vec<Option<i16>> {
        let positions = self.positions(nodes);
        self.with(|placing, _| {
            let scores = placing.scores(request);
            positions.iter().map(|position| Some(scores[*position]).filter(|score| *score != UNFIT)).collect()
        })
    }

    /// The node among these that the policy chooses for a request; `None` if it fits none of them.
    pub fn choose(&mut self, request: usize, nodes: &[usize]) -> Option<usize> {
        let scores = self.scores(request, nodes);
        // In the order of the simulator, on which random choices and ties depend.
        let mut fitting: Vec<(usize, usize, i16)> =
            nodes.iter().zip(scores).filter_map(|(node, score)| Some((self.positions[*node], *node, score?))).collect();
        fitting.sort_unstable();
        if self.setting.policy == Policy::Random {
            let place = Uniform::new(0, fitting.len()).ok()?.sample(&mut self.random);
            return fitting.get(place).map(|(_, node, _)| *node);
        }
        let best = fitting.iter().map(|(.., score)| *score).max()?;
        fitting.iter().find(|(.., score)| *score == best).map(|(_, node, _)| *node)
    }

    /// The node among these that another policy would choose now; of equal scores the first one, also where the choice is random.
    #[must_use]
    pub fn would_choose(&self, policy: Policy, request: usize, nodes: &[usize]) -> Option<usize> {
        let setting = Setting::with_largest(policy, &self.workload, &self.typical, self.largest);
        let positions = self.positions(nodes);
        let best = self.nodes.as_ref()?.best(setting, request, &positions)?;
        nodes.iter().copied().find(|node| self.positions[*node] == best)
    }

    /// Places a task on a node, on the GPUs that the policy chooses there; `None` if it does not fit.
    pub fn place(&mut self, request: usize, node: usize) -> Option<Gpus> {
        let position = self.positions[node];
        if !self.workload.fits(request, &self.nodes.as_ref()?.cluster.nodes[position]) {
            return None;
        }
        let place = self.with(|placing, random| placing.place_on(request, position, random));
        self.tasks[position].push((request, place.gpus));
        Some(place.gpus)
    }

    /// Adds a task that already runs on a node, on these GPUs. What it needs beyond what is left there is ignored.
    pub fn occupy(&mut self, request: usize, node: usize, gpus: Gpus) {
        let position = self.positions[node];
        self.tasks[position].push((request, gpus));
        self.count_again(position);
    }

    /// Removes a task from its node; `false` if it is not there.
    pub fn release(&mut self, request: usize, node: usize, gpus: Gpus) -> bool {
        let position = self.positions[node];
        let Some(place) = self.tasks[position].iter().position(|task| *task == (request, gpus)) else { return false };
        self.tasks[position].remove(place);
        self.count_again(position);
        true
    }

    /// Which tasks of a node are released so that a latency-sensitive one with a request fits, by their places in `tasks`; `None` if it
    /// does not fit even then. `tasks` are those that may be released, request and GPUs of each; the first ones are released first.
    /// The same choice as in a replay with preemption.
    #[must_use]
    pub fn to_release(&self, request: usize, node: usize, tasks: &[(usize, Gpus)]) -> Option<Vec<usize>> {
        let position = self.positions[node];
        let mut kept = self.tasks[position].clone();
        for task in tasks {
            let place = kept.iter().position(|other| other == task)?;
            kept.remove(place);
        }
        let left_with = |is_released: &[bool]| {
            let stay = tasks.iter().zip(is_released).filter(|(_, is_released)| !**is_released).map(|(task, _)| task);
            self.left_with(position, kept.iter().chain(stay)).0
        };
        let potential = left_with(&vec![true; tasks.len()]);
        if !self.workload.fits(request, &potential) {
            return None;
        }
        let mut is_released = vec![false; tasks.len()];
        let left = left_with(&is_released);
        let gpus: Vec<Gpus> = tasks.iter().map(|(_, gpus)| *gpus).collect();
        // More than a node has may be taken, so that what is left is computed anew.
        let change = |left: &mut Node, task: usize, does_leave: bool| {
            is_released[task] = does_leave;
            *left = left_with(&is_released);
        };
        release::to_release(&self.workload, request, &potential, left, &gpus, change)
    }

    /// Nodes in the order in which a replay tries them.
    #[must_use]
    pub fn in_order(&self, mut nodes: Vec<usize>) -> Vec<usize> {
        nodes.sort_unstable_by_key(|node| self.positions[*node]);
        nodes
    }

    /// What a node lacks for a request; `None` if it fits.
    #[must_use]
    pub fn lack(&self, request: usize, node: usize) -> Option<Lack> {
        let position = self.positions[node];
        let left = &self.nodes.as_ref()?.cluster.nodes[position];
        let Request { cpu_milli, memory_mib, gpus, .. } = self.workload.requests()[request];
        let needs = self.workload.needs(request, left);
        let able = (0..MOST_GPUS).filter(|gpu| needs[*gpu] != NEVER).count();
        if able < usize::from(gpus) {
            return Some(Lack::GpuType);
        }
        if gpus > 0 && enough(&left.left, needs) < u16::from(gpus) {
            return Some(Lack::Gpus);
        }
        if left.cpu_milli < cpu_milli {
            return Some(Lack::Cores);
        }
        (left.memory_mib < memory_mib).then_some(Lack::Memory)
    }

    /// The share of each GPU of a node that a request needs, of which [`WHOLE`](super::WHOLE) is a GPU; 0 without GPUs.
    #[must_use]
    pub fn share(&self, request: usize, node: usize, gpus: Gpus) -> u16 {
        let idle = &self.idle[self.positions[node]];
        gpus.places().next().map_or(0, |gpu| self.workload.needs(request, idle)[gpu])
    }

    /// The GPUs that are assumed for a task of which only the node is known: those with most capacity left.
    #[must_use]
    pub fn most_left(&self, request: usize, node: usize) -> Gpus {
        let position = self.positions[node];
        let Some(nodes) = &self.nodes else { return Gpus::default() };
        let left = &nodes.cluster.nodes[position];
        let needs = self.workload.needs(request, left);
        let mut able: Vec<usize> = (0..usize::from(left.gpus)).filter(|gpu| needs[*gpu] != NEVER).collect();
        able.sort_by_key(|gpu| std::cmp::Reverse(left.left[*gpu]));
        let count = usize::from(self.workload.requests()[request].gpus);
        able.iter().take(count).fold(Gpus::default(), |gpus, gpu| Gpus(gpus.0 | 1 << gpu))
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    fn positions(&self, nodes: &[usize]) -> Vec<usize> {
        nodes.iter().map(|node| self.positions[*node]).collect()
    }

    /// Computes what is left on a node from its tasks: more than it has may be taken, so that a release alone cannot say it.
    fn count_again(&mut self, position: usize) {
        let (left, kinds) = self.left_with(position, self.tasks[position].iter());
        self.with(|placing, _| placing.set_node(position, left, kinds));
    }

    /// What is left on a node with these tasks, request and GPUs of each, and the kinds of these tasks.
    fn left_with<'a>(&self, position: usize, tasks: impl Iterator<Item = &'a (usize, Gpus)>) -> (Node, Kinds) {
        let mut left = self.idle[position];
        let mut kinds = Kinds::default();
        for (request, gpus) in tasks {
            let (requested, needs) = (&self.workload.requests()[*request], self.workload.needs(*request, &left));
            kinds.add(requested, needs);
            left.cpu_milli = left.cpu_milli.saturating_sub(requested.cpu_milli);
            left.memory_mib = left.memory_mib.saturating_sub(requested.memory_mib);
            for gpu in gpus.places() {
                left.left[gpu] = left.left[gpu].saturating_sub(needs[gpu]);
            }
        }
        (left, kinds)
    }

    /// Lends the nodes to a placement with the present workload.
    fn with<R>(&mut self, act: impl FnOnce(&mut Placing<'_>, &mut Pcg64Mcg) -> R) -> R {
        let nodes = self.nodes.take().expect("put back by every method");
        let setting = Setting::with_largest(self.setting.policy, &self.workload, &self.typical, self.largest);
        let mut placing = Placing::resume(setting, nodes);
        let result = act(&mut placing, &mut self.random);
        self.nodes = Some(placing.keep());
        result
    }
}
