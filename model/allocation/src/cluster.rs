//! Nodes of a cluster, and the capacity left on them.

use std::collections::BTreeMap;

use rand_distr::Distribution as _;
use rand_distr::Uniform;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::amount::{GpuAmount, WHOLE};

/// Most GPUs of a node.
pub const MOST_GPUS: usize = 16;

/// A number for each GPU of a node; GPUs that it does not have are last.
pub type Lanes = [u16; MOST_GPUS];

/// Some GPUs of a node, a bit for each, the first one lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gpus(pub u16);

impl Gpus {
    /// One GPU.
    #[must_use]
    pub fn one(gpu: usize) -> Self {
        Self(1 << gpu)
    }

    /// Their indices on the node, ascending.
    pub fn places(self) -> impl Iterator<Item = usize> {
        (0..MOST_GPUS).filter(move |gpu| self.0 & 1 << gpu != 0)
    }

    /// Number of these GPUs.
    #[must_use]
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }
}

/// A node with its full capacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSpec {
    /// Name, unique in the cluster.
    pub name: String,
    /// CPU cores, in thousandths.
    pub cpu_milli: u32,
    /// Memory, MiB.
    pub memory_mib: u32,
    /// Index of the type of each GPU.
    pub devices: Vec<u16>,
}

/// The capacity left on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// CPU cores, in thousandths.
    pub cpu_milli: u32,
    /// Memory, MiB.
    pub memory_mib: u32,
    /// Of each GPU, in units of which [`WHOLE`] are one; 0 for those that it does not have.
    pub left: Lanes,
    /// Of the memory of each GPU, in the same units.
    pub memory_left: Lanes,
    /// Number of GPUs.
    pub gpus: u8,
    /// Index of its combination of GPUs.
    pub shape: u16,
}

impl Node {
    /// Capacity left on all its GPUs together, in the same units.
    #[must_use]
    pub fn idle(&self) -> u32 {
        self.left.iter().map(|left| u32::from(*left)).sum()
    }

    /// The same as an amount of GPUs.
    #[must_use]
    pub fn amount_left(&self) -> GpuAmount {
        GpuAmount::from_units(u64::from(self.idle()))
    }

    /// Allocates memory of some GPUs.
    pub(super) fn take_memory(&mut self, memory: Option<&Lanes>, gpus: Gpus) {
        for (gpu, share) in gpus.places().filter_map(|gpu| Some((gpu, memory?[gpu]))) {
            self.memory_left[gpu] = self.memory_left[gpu].saturating_sub(share);
        }
    }

    /// Releases memory of some GPUs.
    pub(super) fn release_memory(&mut self, memory: Option<&Lanes>, gpus: Gpus) {
        for (gpu, share) in gpus.places().filter_map(|gpu| Some((gpu, memory?[gpu]))) {
            self.memory_left[gpu] += share;
        }
    }
}

/// A cluster of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// The capacity left on each node.
    pub nodes: Vec<Node>,
    /// Combinations of GPUs of nodes: the index of the type of each GPU.
    pub shapes: Vec<Vec<u16>>,
    /// Capacity of all GPUs.
    pub capacity: GpuAmount,
}

impl Cluster {
    /// An idle cluster of these nodes, in their order: of nodes with equal scores the first one is chosen.
    ///
    /// # Panics
    /// If a node has more than [`MOST_GPUS`] GPUs, or there are more than 65,536 combinations of types.
    #[must_use]
    pub fn new(nodes: &[NodeSpec]) -> Self {
        let mut shapes: Vec<Vec<u16>> = Vec::new();
        let mut known: BTreeMap<&[u16], u16> = BTreeMap::new();
        let nodes = nodes.iter().map(|spec| {
            let shape = *known.entry(&spec.devices).or_insert_with(|| {
                shapes.push(spec.devices.clone());
                u16::try_from(shapes.len() - 1).expect("fewer combinations than 65,536")
            });
            let mut left = [0; MOST_GPUS];
            left[..spec.devices.len()].fill(WHOLE);
            let gpus = u8::try_from(spec.devices.len()).expect("at most 16 GPUs");
            let (cpu_milli, memory_mib) = (spec.cpu_milli, spec.memory_mib);
            Node { cpu_milli, memory_mib, left, memory_left: left, gpus, shape }
        });
        Self { nodes: nodes.collect(), shapes, capacity: GpuAmount::NONE }.with_capacity()
    }

    /// The same nodes in an order drawn from a seed, and the former index of each. Further nodes at the end do not change
    /// what else the seed draws.
    #[must_use]
    pub fn shuffled(&self, seed: u64) -> (Self, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        shuffle(&mut order, &mut Pcg64Mcg::seed_from_u64(!seed));
        let nodes = order.iter().map(|node| self.nodes[*node]).collect();
        (Self { nodes, shapes: self.shapes.clone(), capacity: self.capacity }, order)
    }

    /// The same, with what is left on nodes as its capacity.
    #[must_use]
    pub fn with_capacity(mut self) -> Self {
        self.capacity = self.nodes.iter().map(Node::amount_left).sum();
        self
    }
}

/// A random permutation: Fisher and Yates.
pub(super) fn shuffle(order: &mut [usize], random: &mut Pcg64Mcg) {
    for last in (1..order.len()).rev() {
        let other = Uniform::new_inclusive(0, last).map_or(last, |places| places.sample(random));
        order.swap(last, other);
    }
}
