//! Scheduling policies: which node a task gets, and which of its GPUs.
//!
//! A policy gives every node a whole number as its score. The highest score wins; of equal scores, the first node. Ties are
//! frequent, so their order matters: with random ties, FGD allocates less than best fit.

mod clustering;
mod fgd;
mod packing;

use rand_distr::Distribution as _;
use rand_distr::Uniform;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::amount::{THOUSANDTH, WHOLE};
use super::cluster::{Cluster, Gpus, Lanes, MOST_GPUS, Node};
use super::fragment::Typical;
use super::workload::{Request, Workload, is_shared};
pub(super) use clustering::Kinds;

/// Cores of the largest node of the published simulator, in thousandths, and its GPUs, in units: scores are relative to them, or
/// to those of a larger node.
const LARGEST: [u32; 2] = [128_000, 8 * WHOLE as u32];

/// A rule that chooses a node and its GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Policy {
    /// The published method: the node whose GPU has most capacity left; on it, a latency-sensitive task gets that GPU, any other
    /// one the GPU on which it ends first.
    MostLeft,
    /// Any node with enough capacity, and any of its GPUs.
    Random,
    /// The node whose free cores and GPUs are least similar to the request (Grandl and others, “Multi-resource packing for
    /// cluster schedulers”, SIGCOMM 2014, with the sign of the published simulator).
    #[serde(alias = "DotProd")]
    DotProduct,
    /// Nodes that run tasks of the same size first (Xiao and others, “Gandiva”, OSDI 2018).
    Clustering,
    /// GPUs in use first, then idle GPUs of nodes in use (Weng and others, “`MLaaS` in the wild”, NSDI 2022).
    Packing,
    /// The node with least capacity left afterwards.
    BestFit,
    /// The node on which fragments grow least (Weng and others, “Beware of Fragmentation”, USENIX ATC 2023).
    #[serde(alias = "FGD")]
    Fgd,
    /// The declared share, on the fullest node that has it, without regulation: the baseline of the published method
    /// (vCUDA).
    #[serde(alias = "vCUDA")]
    Declared,
}

impl Policy {
    /// All policies, in the order of tables.
    pub const ALL: [Self; 8] = [
        Self::MostLeft,
        Self::Random,
        Self::DotProduct,
        Self::Clustering,
        Self::Packing,
        Self::BestFit,
        Self::Fgd,
        Self::Declared,
    ];

    /// Description, one sentence.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::MostLeft => "The node whose GPU has most capacity left; on it, the GPU on which the task ends first.",
            Self::Random => "Any node with enough capacity, and any of its GPUs.",
            Self::DotProduct => "The node whose free cores and GPUs are least similar to the request.",
            Self::Clustering => "Prefers nodes that already run tasks of the same GPU count; among these the fullest.",
            Self::Packing => "GPUs in use first, then idle GPUs of nodes in use, then idle nodes.",
            Self::BestFit => "The node with least capacity left afterwards.",
            Self::Fgd => "The node and GPU on which fragments grow least.",
            Self::Declared => "Best fit by the declared GPU share; no run-time adjustment of shares.",
        }
    }

    /// Name in tables and on the command line.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::MostLeft => "MostLeft",
            Self::Random => "Random",
            Self::DotProduct => "DotProd",
            Self::Clustering => "Clustering",
            Self::Packing => "Packing",
            Self::BestFit => "BestFit",
            Self::Fgd => "FGD",
            Self::Declared => "vCUDA",
        }
    }
}

/// Inputs of scores other than the node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting<'a> {
    pub(super) policy: Policy,
    pub(super) workload: &'a Workload,
    pub(super) typical: &'a Typical,
    /// Cores of the largest node, in thousandths, and its GPUs, in units.
    largest: [f64; 2],
}

/// The score of a node that the task does not fit.
pub(super) const UNFIT: i16 = -1;

impl<'a> Setting<'a> {
    /// The setting for a cluster.
    pub(super) fn new(policy: Policy, workload: &'a Workload, typical: &'a Typical, cluster: &Cluster) -> Self {
        Self::with_largest(policy, workload, typical, largest(cluster))
    }

    /// The setting for a cluster of which the cores and GPUs of the largest node are known, see [`largest`].
    pub(super) fn with_largest(
        policy: Policy,
        workload: &'a Workload,
        typical: &'a Typical,
        largest: [f64; 2],
    ) -> Self {
        Self { policy, workload, typical, largest }
    }
}

/// Cores of the largest node of an idle cluster, in thousandths, and its GPUs, in units.
pub(super) fn largest(cluster: &Cluster) -> [f64; 2] {
    let most = |of: fn(&Node) -> u32, least: u32| cluster.nodes.iter().map(of).fold(least, u32::max);
    let gpus = most(|node| u32::from(node.gpus) * u32::from(WHOLE), LARGEST[1]);
    [most(|node| node.cpu_milli, LARGEST[0]), gpus].map(f64::from)
}

impl Setting<'_> {
    /// Score of a node for a request, 0 or more; [`UNFIT`] if it does not fit. `kinds`: running tasks of the node; `fragment`:
    /// its present fragment.
    pub(super) fn score(&self, request: usize, node: &Node, kinds: &Kinds, fragment: f64) -> i16 {
        if !self.workload.fits(request, node) {
            return UNFIT;
        }
        let requested = &self.workload.requests()[request];
        let needs = &self.workload.needs_left(request, node);
        let [most_cores, most_gpus] = self.largest;
        match self.policy {
            Policy::MostLeft => most_left(&node.left, needs),
            Policy::Random => 0,
            Policy::DotProduct => {
                let gpus_needed = f64::from(requested.gpus) * f64::from(least(needs));
                let cores = f64::from(node.cpu_milli) / most_cores * (f64::from(requested.cpu_milli) / most_cores);
                let gpus = f64::from(node.idle()) / most_gpus * (gpus_needed / most_gpus);
                hundredths(1.0 - f64::midpoint(cores, gpus))
            }
            Policy::Clustering => clustering::score(requested, needs, node, kinds, most_gpus),
            Policy::Packing => packing::score(requested, needs, node),
            Policy::BestFit => {
                let gpus_needed = f64::from(requested.gpus) * f64::from(least(needs));
                let cores = (f64::from(node.cpu_milli) - f64::from(requested.cpu_milli)) / most_cores;
                let gpus = (f64::from(node.idle()) - gpus_needed) / most_gpus;
                hundredths(1.0 - 0.5 * (cores + gpus))
            }
            Policy::Fgd => fgd::score(self.typical, requested, needs, node, fragment).0,
            Policy::Declared => hundredths(1.0 - f64::from(node.idle()) / most_gpus),
        }
    }

    /// The GPUs that a request gets on a node that it fits.
    pub(super) fn pick(&self, request: usize, node: &Node, cluster: &Cluster, random: &mut Pcg64Mcg) -> Gpus {
        let requested = &self.workload.requests()[request];
        let needs = &self.workload.needs_left(request, node);
        if requested.gpus == 0 {
            return Gpus::default();
        }
        if !is_shared(requested, needs) {
            return tightest(&node.left, needs, requested.gpus);
        }
        let fitting = || (0..MOST_GPUS).filter(|gpu| node.left[*gpu] >= needs[*gpu]);
        match self.policy {
            Policy::MostLeft => {
                let shape = &cluster.shapes[usize::from(node.shape)];
                let time = |gpu: &usize| self.workload.seconds(request, shape[*gpu]);
                let best = fitting()
                    .min_by(|a, b| time(a).total_cmp(&time(b)).then_with(|| node.left[*b].cmp(&node.left[*a])));
                best.map_or_else(Gpus::default, Gpus::one)
            }
            Policy::Random => {
                let fitting: Vec<usize> = fitting().collect();
                let place = Uniform::new(0, fitting.len()).map_or(0, |places| places.sample(random));
                fitting.get(place).copied().map_or_else(Gpus::default, Gpus::one)
            }
            Policy::Fgd => fgd::score(self.typical, requested, needs, node, self.typical.fragment(node)).1,
            Policy::DotProduct | Policy::Clustering | Policy::Packing | Policy::BestFit | Policy::Declared => {
                tightest(&node.left, needs, 1)
            }
        }
    }
}

/// Most capacity left of the GPUs with enough, in thousandths.
fn most_left(left: &Lanes, needs: &Lanes) -> i16 {
    let most = left.iter().zip(needs).filter(|(left, need)| left >= need).map(|(left, _)| *left).max();
    i16::try_from(most.unwrap_or(0) / THOUSANDTH).expect("at most 1,000")
}

/// The least need over all GPUs.
fn least(needs: &Lanes) -> u16 {
    needs.iter().copied().min().unwrap_or(0).min(WHOLE)
}

/// The GPUs with least capacity left that have enough.
fn tightest(left: &Lanes, needs: &Lanes, count: u8) -> Gpus {
    let mut gpus = Gpus::default();
    for _ in 0..count {
        let fitting = (0..MOST_GPUS).filter(|gpu| left[*gpu] >= needs[*gpu] && gpus.0 & 1 << gpu == 0);
        if let Some(next) = fitting.min_by_key(|gpu| left[*gpu]) {
            gpus.0 |= 1 << next;
        }
    }
    gpus
}

/// A whole number of hundredths, truncated as in the published simulator.
fn hundredths(share: f64) -> i16 {
    #[expect(clippy::cast_possible_truncation, reason = "within a few hundreds")]
    let hundredths = (100.0 * share) as i16;
    hundredths.max(0)
}

/// A node after a request has got some of its GPUs.
pub(super) fn taken(node: &Node, request: &Request, needs: &Lanes, gpus: Gpus) -> Node {
    let mut after = *node;
    after.cpu_milli -= request.cpu_milli;
    after.memory_mib -= request.memory_mib;
    for gpu in gpus.places() {
        after.left[gpu] -= needs[gpu];
    }
    after
}
