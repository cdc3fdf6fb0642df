//! Why a task got nothing, and where it would have come nearest.

use super::cluster::{Cluster, Lanes, MOST_GPUS, Node};
use super::workload::{NEVER, Workload, enough};
use crossover_quantity::unit::Unit;

/// Why a task fits no node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// No node has so many GPUs of a type on which it can run; the most that one has.
    NoSuchNode {
        /// GPUs that it asks for.
        gpus: u8,
        /// GPUs of the node that has most.
        most: u8,
    },
    /// On no node is enough left of so many GPUs.
    Gpus {
        /// GPUs that it asks for.
        gpus: u8,
        /// What it needs of each, in thousandths, on the nearest node.
        share: u16,
        /// The node that comes nearest.
        nearest: usize,
        /// What is left there on the last GPU that it would need, in thousandths.
        left: u16,
    },
    /// A piece fits, but not all pieces at once.
    Pieces {
        /// Pieces of the task.
        pieces: u32,
    },
    /// Where GPUs would suffice, cores do not; in thousandths.
    Cores {
        /// What it asks for.
        cpu_milli: u32,
        /// The node that comes nearest.
        nearest: usize,
        /// What is left there.
        left: u32,
    },
    /// Where GPUs and cores would suffice, memory does not; MiB.
    Memory {
        /// What it asks for.
        memory_mib: u32,
        /// The node that comes nearest.
        nearest: usize,
        /// What is left there.
        left: u32,
    },
}

impl Refusal {
    /// Why a request fits no node of a cluster as it is; `None` if it fits one. For a task of several pieces that is known
    /// not to fit.
    #[must_use]
    pub fn find(cluster: &Cluster, workload: &Workload, request: usize) -> Option<Self> {
        let asked = &workload.requests()[request];
        if cluster.nodes.iter().any(|node| workload.fits(request, node)) {
            let pieces = workload.pieces(request);
            return (pieces > 1).then_some(Self::Pieces { pieces });
        }
        let count = usize::from(asked.gpus);
        let nodes = || cluster.nodes.iter().enumerate();
        let able =
            |node: &Node| -> u8 { workload.needs(request, node).iter().map(|need| u8::from(*need != NEVER)).sum() };
        let most = nodes().map(|(_, node)| able(node)).max().unwrap_or(0);
        if most < asked.gpus {
            return Some(Self::NoSuchNode { gpus: asked.gpus, most });
        }
        // What is left of the GPU that decides whether there are enough of them, beyond what is needed of it.
        let decisive = |node: &Node| -> Option<(i32, u16, u16)> {
            let mut lanes = lanes(node, workload.needs(request, node));
            lanes.sort_unstable_by_key(|(spare, ..)| std::cmp::Reverse(*spare));
            lanes.get(count.checked_sub(1)?).copied().filter(|(_, _, need)| *need != NEVER)
        };
        let has_gpus = |node: &Node| enough(&node.left, workload.needs(request, node)) >= u16::from(asked.gpus);
        if !nodes().any(|(_, node)| has_gpus(node)) {
            let nearest = nodes().filter_map(|(place, node)| Some((decisive(node)?, place)));
            // Of nodes alike the first one.
            let ((_, left, share), nearest) =
                nearest.max_by_key(|((spare, ..), place)| (*spare, std::cmp::Reverse(*place)))?;
            return Some(Self::Gpus { gpus: asked.gpus, share, nearest, left });
        }
        let by = |left: fn(&Node) -> u32, fits: &dyn Fn(&Node) -> bool| {
            let nodes = nodes().filter(|(_, node)| fits(node));
            nodes
                .map(|(place, node)| (left(node), place))
                .max_by_key(|(left, place)| (*left, std::cmp::Reverse(*place)))
        };
        let (left, nearest) = by(|node| node.cpu_milli, &has_gpus)?;
        if left < asked.cpu_milli {
            return Some(Self::Cores { cpu_milli: asked.cpu_milli, nearest, left });
        }
        let (left, nearest) = by(|node| node.memory_mib, &|node| has_gpus(node) && node.cpu_milli >= asked.cpu_milli)?;
        Some(Self::Memory { memory_mib: asked.memory_mib, nearest, left })
    }

    /// The same where nodes have other places.
    #[must_use]
    pub(super) fn on(mut self, place: impl Fn(usize) -> usize) -> Self {
        match &mut self {
            Self::Gpus { nearest, .. } | Self::Cores { nearest, .. } | Self::Memory { nearest, .. } => {
                *nearest = place(*nearest);
            }
            Self::NoSuchNode { .. } | Self::Pieces { .. } => {}
        }
        self
    }

    /// "no node with 60 % of one GPU left; nearest: node 17, 40 %". `name`: of a node by its place.
    #[must_use]
    pub fn sentence(&self, name: impl Fn(usize) -> String) -> String {
        let percent = |share: u16| format!("{} %", f64::from(share) / 10.0);
        match *self {
            Self::NoSuchNode { gpus, most: 0 } => format!("no node has a GPU that it can run on; it asks for {gpus}"),
            Self::NoSuchNode { gpus, most } => {
                format!("no node has {gpus} GPUs that it can run on; the largest has {most}")
            }
            Self::Gpus { gpus, share, nearest, left } => {
                let of = if gpus == 1 { "one GPU".to_owned() } else { format!("each of {gpus} GPUs") };
                let nearest = name(nearest);
                format!("no node with {} of {of} left; nearest: {nearest}, {}", percent(share), percent(left))
            }
            Self::Cores { cpu_milli, nearest, left } => {
                let (asked, left) = (f64::from(cpu_milli) / 1e3, f64::from(left) / 1e3);
                let nearest = name(nearest);
                format!("where GPUs suffice no node has {asked} cores left; nearest: {nearest}, {left} cores")
            }
            Self::Pieces { pieces } => format!("one piece fits, all {pieces} at once do not"),
            Self::Memory { memory_mib, nearest, left } => {
                let nearest = name(nearest);
                let [asked, left] =
                    [memory_mib, left].map(|mib| Unit::Gigabytes.format(f64::from(mib) * 1_048_576.0 / 1e9));
                format!("where GPUs and cores suffice no node has {asked} left; nearest: {nearest}, {left}")
            }
        }
    }
}

/// Of each GPU: what would remain, what is left, what is needed.
fn lanes(node: &Node, needs: &Lanes) -> [(i32, u16, u16); MOST_GPUS] {
    std::array::from_fn(|gpu| {
        let (left, need) = (node.left[gpu], needs[gpu]);
        (i32::from(left) - i32::from(need), left, need)
    })
}
