//! What a scheduler answers: nodes that a pod fits, its place, whom it displaces, and what changed with a new list of pods.

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
    /// Identifiers of its GPUs; empty where they are not known.
    pub(crate) gpu_identifiers: Vec<String>,
    /// Of each container of the pod, whether it requests GPUs; empty if it has init containers.
    pub(crate) containers_with_gpus: Vec<bool>,
    /// The node that each other policy would have chosen at that moment.
    pub(crate) others: Vec<(Policy, Option<String>)>,
    /// Whether the pod had this place before.
    pub(crate) is_repeated: bool,
}

/// Pods that are to be evicted for a latency-sensitive one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Released {
    /// Their node, on which the pod fits then.
    pub(crate) node: String,
    /// Identifier and name of each.
    pub(crate) pods: Vec<(String, String)>,
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A decision for a pod (`namespace/name`) on the node `node-a`.
    pub(in super::super) fn decision(pod: &str, gpus: &[usize], share: u16, memory_mib: Option<u64>) -> Decision {
        Decision {
            uid: "u1".to_owned(),
            pod: pod.to_owned(),
            node: "node-a".to_owned(),
            gpus: gpus.to_vec(),
            share,
            memory_mib,
            request: Request::of_any(1_000, 1_024, 1, share, 1),
            is_sensitive: false,
            waited: 0.0,
            gpu_identifiers: Vec::new(),
            containers_with_gpus: Vec::new(),
            others: Vec::new(),
            is_repeated: false,
        }
    }
}
