//! Why a task is rejected, and which node comes nearest.

use super::amount::THOUSANDTH;
use super::cluster::{Cluster, Lanes, MOST_GPUS, Node};
use super::workload::{NEVER, Workload, enough};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;

/// Why a task fits no node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RejectionReason {
    /// No node has enough GPUs of types on which the task can run.
    NoSuchNode {
        /// Requested GPUs.
        gpus: u8,
        /// Such GPUs of the node that has most.
        most: u8,
    },
    /// No node has enough GPUs with enough capacity left.
    Gpus {
        /// Requested GPUs.
        gpus: u8,
        /// Share of each that the task needs on the nearest node, in units of which [`WHOLE`](super::WHOLE) are one.
        share: u16,
        /// The node that comes nearest.
        nearest: usize,
        /// Capacity left there on the last GPU that the task would need, in the same units.
        left: u16,
    },
    /// GPUs have enough capacity left, but too little memory.
    GpuMemory {
        /// Requested GPUs.
        gpus: u8,
        /// Share of the memory of each that the task needs on the nearest node, in units of which [`WHOLE`](super::WHOLE) are one.
        share: u16,
        /// The node that comes nearest.
        nearest: usize,
        /// Memory left there on the GPU with most, in the same units.
        left: u16,
    },
    /// A piece fits, but not all pieces at once.
    Pieces {
        /// Pieces of the task.
        pieces: u32,
    },
    /// Nodes with enough GPUs have too few cores; in thousandths.
    Cores {
        /// Requested cores.
        cpu_milli: u32,
        /// The node that comes nearest.
        nearest: usize,
        /// Capacity left there.
        left: u32,
    },
    /// Nodes with enough GPUs and cores have too little memory; MiB.
    Memory {
        /// Requested memory.
        memory_mib: u32,
        /// The node that comes nearest.
        nearest: usize,
        /// Capacity left there.
        left: u32,
    },
}

impl RejectionReason {
    /// Why a request fits no node of a cluster; `None` if it fits one. A task of several pieces is assumed not to fit.
    #[must_use]
    pub fn find(cluster: &Cluster, workload: &Workload, request: usize) -> Option<Self> {
        let requested = &workload.requests()[request];
        if cluster.nodes.iter().any(|node| workload.fits(request, node)) {
            let pieces = workload.pieces(request);
            return (pieces > 1).then_some(Self::Pieces { pieces });
        }
        let count = usize::from(requested.gpus);
        let nodes = || cluster.nodes.iter().enumerate();
        let able =
            |node: &Node| -> u8 { workload.needs(request, node).iter().map(|need| u8::from(*need != NEVER)).sum() };
        let most = nodes().map(|(_, node)| able(node)).max().unwrap_or(0);
        if most < requested.gpus {
            return Some(Self::NoSuchNode { gpus: requested.gpus, most });
        }
        // The GPU that decides whether there are enough of them: spare capacity, capacity left and need.
        let decisive = |node: &Node| -> Option<(i32, u16, u16)> {
            let mut lanes = lanes(node, workload.needs(request, node));
            lanes.sort_unstable_by_key(|(spare, ..)| std::cmp::Reverse(*spare));
            lanes.get(count.checked_sub(1)?).copied().filter(|(_, _, need)| *need != NEVER)
        };
        let has_gpus = |node: &Node| enough(&node.left, workload.needs(request, node)) >= u16::from(requested.gpus);
        if !nodes().any(|(_, node)| has_gpus(node)) {
            let nearest = nodes().filter_map(|(place, node)| Some((decisive(node)?, place)));
            // Of equal nodes the first one.
            let ((_, left, share), nearest) =
                nearest.max_by_key(|((spare, ..), place)| (*spare, std::cmp::Reverse(*place)))?;
            return Some(Self::Gpus { gpus: requested.gpus, share, nearest, left });
        }
        let has_memory =
            |node: &Node| enough(&node.left, &workload.needs_left(request, node)) >= u16::from(requested.gpus);
        if !nodes().any(|(_, node)| has_memory(node)) {
            let of_node = |(place, node): (usize, &Node)| {
                let (memory, needs) = (workload.memory(request, node)?, workload.needs(request, node));
                let able = (0..MOST_GPUS).filter(|gpu| has_gpus(node) && node.left[*gpu] >= needs[*gpu]);
                let lane = able.max_by_key(|gpu| i32::from(node.memory_left[*gpu]) - i32::from(memory[*gpu]))?;
                Some((node.memory_left[lane], memory[lane], place))
            };
            let nearest = nodes().filter_map(of_node);
            let (left, share, nearest) = nearest
                .max_by_key(|(left, share, place)| (i32::from(*left) - i32::from(*share), std::cmp::Reverse(*place)))?;
            return Some(Self::GpuMemory { gpus: requested.gpus, share, nearest, left });
        }
        let has_gpus = has_memory;
        let by = |left: fn(&Node) -> u32, fits: &dyn Fn(&Node) -> bool| {
            let nodes = nodes().filter(|(_, node)| fits(node));
            nodes
                .map(|(place, node)| (left(node), place))
                .max_by_key(|(left, place)| (*left, std::cmp::Reverse(*place)))
        };
        let (left, nearest) = by(|node| node.cpu_milli, &has_gpus)?;
        if left < requested.cpu_milli {
            return Some(Self::Cores { cpu_milli: requested.cpu_milli, nearest, left });
        }
        let (left, nearest) =
            by(|node| node.memory_mib, &|node| has_gpus(node) && node.cpu_milli >= requested.cpu_milli)?;
        Some(Self::Memory { memory_mib: requested.memory_mib, nearest, left })
    }

    /// The same for nodes in another order.
    #[must_use]
    pub(super) fn on(mut self, place: impl Fn(usize) -> usize) -> Self {
        match &mut self {
            Self::Gpus { nearest, .. }
            | Self::GpuMemory { nearest, .. }
            | Self::Cores { nearest, .. }
            | Self::Memory { nearest, .. } => {
                *nearest = place(*nearest);
            }
            Self::NoSuchNode { .. } | Self::Pieces { .. } => {}
        }
        self
    }

    /// "no node has 1 GPU with 60 % free; nearest: node “17” with 40 % free". `name`: of a node by its index.
    #[must_use]
    pub fn sentence(&self, name: impl Fn(usize) -> String) -> String {
        let percent = |thousandths: u16| format!("{} %", f64::from(thousandths) / 10.0);
        // Away from each other, so that a share that does not fit never looks as if it did.
        let (needed, free) = (|share: u16| percent(share.div_ceil(THOUSANDTH)), |left: u16| percent(left / THOUSANDTH));
        match *self {
            Self::NoSuchNode { gpus, most: 0 } => {
                format!("no node has a GPU of a type that the task can use; requested: {gpus}")
            }
            Self::NoSuchNode { gpus, most } => {
                let gpus = counted(f64::from(gpus), "GPU");
                format!("no node has {gpus} of types that the task can use; the largest has {most}")
            }
            Self::Gpus { gpus, share, nearest, left } => {
                let gpus = counted(f64::from(gpus), "GPU");
                let nearest = name(nearest);
                let (share, left) = (needed(share), free(left));
                format!("no node has {gpus} with {share} free; nearest: node “{nearest}” with {left} free")
            }
            Self::GpuMemory { gpus, share, nearest, left } => {
                let gpus = counted(f64::from(gpus), "GPU");
                let nearest = name(nearest);
                let (share, left) = (needed(share), free(left));
                format!(
                    "no node with enough compute capacity has {gpus} with {share} of the GPU memory free; nearest: node \
                     “{nearest}” with {left} free"
                )
            }
            Self::Cores { cpu_milli, nearest, left } => {
                let (requested, left) = (f64::from(cpu_milli) / 1e3, f64::from(left) / 1e3);
                let nearest = name(nearest);
                format!(
                    "no node with enough GPUs has {requested} cores free; nearest: node “{nearest}” with {left} cores free"
                )
            }
            Self::Pieces { pieces } => format!("one pod fits, the gang of {pieces} does not"),
            Self::Memory { memory_mib, nearest, left } => {
                let nearest = name(nearest);
                let [requested, left] =
                    [memory_mib, left].map(|mib| Unit::Gigabytes.format(f64::from(mib) * 1_048_576.0 / 1e9));
                format!(
                    "no node with enough GPUs and cores has {requested} of memory free; nearest: node “{nearest}” with {left} free"
                )
            }
        }
    }
}

/// Of each GPU: spare capacity, capacity left and need. One on which the request cannot run is the farthest from it.
fn lanes(node: &Node, needs: &Lanes) -> [(i32, u16, u16); MOST_GPUS] {
    std::array::from_fn(|gpu| {
        let (left, need) = (node.left[gpu], needs[gpu]);
        let spare = if need == NEVER { i32::MIN } else { i32::from(left) - i32::from(need) };
        (spare, left, need)
    })
}
