//! What a scheduler answers: nodes that a pod fits, its place, and what changed with a new list of pods.

use std::collections::BTreeMap;

use crossover_allocation::{Policy, Request};

/// Nodes that a pod fits, and why it does not fit the others.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Filtered {
    pub(crate) fits: Vec<String>,
    /// Nodes where it may fit later.
    pub(crate) failed: BTreeMap<String, String>,
    /// Nodes where it never fits.
    pub(crate) unresolvable: BTreeMap<String, String>,
}

/// Where a pod goes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decision {
    pub(crate) uid: String,
    /// `namespace/name`.
    pub(crate) pod: String,
    pub(crate) node: String,
    pub(crate) gpus: Vec<usize>,
    /// Of each of these GPUs, of which [`WHOLE`](crossover_allocation::WHOLE) is one.
    pub(crate) share: u16,
    /// Memory of the share of each of them, MiB, where it is known.
    pub(crate) memory_mib: Option<u64>,
    pub(crate) request: Request,
    pub(crate) is_sensitive: bool,
    /// Seconds from the first request about the pod.
    pub(crate) waited: f64,
    /// The node that each other policy would have chosen at that moment.
    pub(crate) others: Vec<(Policy, Option<String>)>,
    /// Whether the pod had this place before.
    pub(crate) is_repeated: bool,
}

/// What changed with a new list of nodes and pods.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Identifier and name of each pod that had GPUs and has ended or is gone.
    pub(crate) released: Vec<(String, String)>,
    /// Running pods whose GPUs are assumed, as none are named.
    pub(crate) assumed: usize,
    /// Running pods that are not counted: on an unknown node, or of a request that no node can meet.
    pub(crate) uncounted: Vec<String>,
}
