//! A cluster as it is now: its nodes, and pods with the node and the GPUs that they have, also one by one as a scheduler sends
//! them.

use std::collections::BTreeMap;
use std::path::Path;

use crossover_allocation::{Gpus, MOST_GPUS, NodeSpec, Request};
use crossover_quantity::unread::Unread;
use k8s_openapi::api::core::v1::Node;
use serde_json::Value;

use super::pod::{self, ParsedPod};
use super::{COMMAND, Dump, GPU_INDEX, facts, node, taken, typed, typed_pod};
use crate::error::TraceError;
use crate::gpus::{ParsedNode, Types};
use crate::json;
use crate::left_out::{LeftOut, Named};

/// The nodes of a cluster, with the types of their GPUs.
pub struct LiveCluster {
    nodes: BTreeMap<String, ParsedNode>,
    types: Types,
}

/// What was read of a cluster.
pub struct Snapshot {
    /// Its nodes.
    pub cluster: LiveCluster,
    /// Its pods, also those that ended.
    pub pods: Vec<LivePod>,
    /// What was left out, and why, for the user.
    pub notes: Vec<String>,
}

/// A pod as the API server has it.
pub struct LivePod {
    /// Unique identifier, or the name where the pod has none.
    pub uid: String,
    /// `namespace/name`.
    pub name: String,
    /// The node to which it is bound.
    pub node: Option<String>,
    /// Its GPUs there, by the annotation `alibabacloud.com/gpu-index`.
    pub gpus: Option<Gpus>,
    /// Whether all its containers ended.
    pub has_ended: bool,
    /// Whether it is latency-sensitive.
    pub is_sensitive: bool,
    parsed: ParsedPod,
}

/// What a pod says of its place.
struct Bound {
    uid: Option<String>,
    node: Option<String>,
    gpus: Option<Gpus>,
    has_ended: bool,
}

impl LivePod {
    /// A pod as JSON.
    ///
    /// # Errors
    /// It is not a pod, what it requests is not understood, or it names device claims, which stand elsewhere.
    pub fn of(item: Value) -> Result<Self, String> {
        let bound = Bound::of(&item);
        let pod = typed_pod(item)?;
        let parsed = pod::read(&pod, &mut pod::Remarks::default(), &mut Unread::default())?;
        if !parsed.claims.is_empty() {
            return Err("it names device claims (DRA), which only kube-scheduler itself can allocate".to_owned());
        }
        Ok(Self::new(bound, parsed))
    }

    fn new(bound: Bound, parsed: ParsedPod) -> Self {
        let Bound { uid, node, gpus, has_ended } = bound;
        let name = parsed.name.clone();
        let uid = uid.unwrap_or_else(|| name.clone());
        Self { uid, name, node, gpus, has_ended, is_sensitive: parsed.is_sensitive, parsed }
    }
}

impl Bound {
    fn of(item: &Value) -> Self {
        let text = |pointer: &str| item.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
        let annotation = item.pointer("/metadata/annotations").and_then(|all| all.get(GPU_INDEX));
        Self {
            uid: text("/metadata/uid").map(str::to_owned),
            node: text("/spec/nodeName").map(str::to_owned),
            gpus: annotation.and_then(Value::as_str).and_then(indices),
            has_ended: matches!(text("/status/phase"), Some("Succeeded" | "Failed")),
        }
    }
}

/// GPUs by their indices: `0-3`.
fn indices(text: &str) -> Option<Gpus> {
    text.split('-').try_fold(Gpus::default(), |gpus, index| {
        let index: usize = index.parse().ok().filter(|index| *index < MOST_GPUS)?;
        Some(Gpus(gpus.0 | Gpus::one(index).0))
    })
}

impl Default for LiveCluster {
    fn default() -> Self {
        Self { nodes: BTreeMap::new(), types: Types::none() }
    }
}

impl LiveCluster {
    /// Takes nodes as JSON, new ones and changed ones: whether anything changed that matters here, and for each bad node its name
    /// and problem.
    pub fn set_nodes(&mut self, items: Vec<Value>) -> (bool, Vec<(String, String)>) {
        let before = self.nodes.clone();
        let (mut changed, mut bad) = (false, Vec::new());
        for item in items {
            let name = item.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let read = typed(item)
                .and_then(|node: Node| node::read(&node, &mut facts::Remarks::default(), &mut Unread::default()));
            match read {
                Ok(node) if self.nodes.get(&name) == Some(&node) => {}
                Ok(node) => {
                    changed = true;
                    self.nodes.insert(name, node);
                }
                Err(problem) => bad.push((name, problem)),
            }
        }
        if changed {
            let nodes: Vec<ParsedNode> = self.nodes.values().cloned().collect();
            match Types::of(&nodes) {
                Ok(types) => self.types = types,
                Err(problem) => {
                    self.nodes = before;
                    bad.push(("all of them".to_owned(), problem));
                    changed = false;
                }
            }
        }
        (changed, bad)
    }

    /// The nodes, sorted by name.
    #[must_use]
    pub fn specs(&self) -> Vec<NodeSpec> {
        self.types.nodes(self.nodes.values().cloned().collect())
    }

    /// Names of the types of GPUs.
    #[must_use]
    pub fn types(&self) -> Vec<String> {
        self.types.names()
    }

    /// Memory of a type of GPU, MiB, where a label of its nodes says it.
    #[must_use]
    pub fn memory_mib(&self, gpu_type: u16) -> Option<u32> {
        let device = self.types.devices().get(usize::from(gpu_type))?;
        Some(device.memory_mib).filter(|memory| *memory > 0)
    }

    /// What a pod requests on these nodes.
    ///
    /// # Errors
    /// No node has what it requests.
    pub fn request(&self, pod: &LivePod) -> Result<Request, String> {
        let (gpus, shares) = taken(&pod.parsed, &self.types, true, &mut Named::default())?;
        let ParsedPod { cpu_milli, memory_mib, .. } = pod.parsed;
        Ok(Request { cpu_milli, memory_mib, gpus, shares })
    }
}

/// Nodes and pods of a file with what `kubectl get nodes,pods -A -o json` prints. A bad entry is left out, and notes say so.
///
/// # Errors
/// [`TraceError`]: unreadable, damaged, or without a node.
pub fn read(path: &Path) -> Result<Snapshot, TraceError> {
    let mut dump = Dump::default();
    let (mut bounds, mut notes) = (Vec::new(), Vec::new());
    let mut left_out = LeftOut::new("entry", "entries");
    let expected = format!("what “{COMMAND}” prints");
    let ended = json::each(path, "items", &expected, |place, item| {
        let (bound, pods) = (Bound::of(&item), dump.pods.len());
        dump.take(place, item, &mut left_out);
        if dump.pods.len() > pods {
            bounds.push(bound);
        }
    })?;
    if let Some(problem) = ended.broken {
        return Err(TraceError::unusable(path, format!("damaged after entry {}: {problem}", ended.entries)));
    }
    left_out.note(path, &mut notes);
    if dump.nodes.is_empty() {
        let problem = format!("{}; run “{COMMAND} > cluster.json”", left_out.nothing_of("node"));
        return Err(TraceError::unusable(path, problem));
    }
    dump.node_remarks.note(&mut notes);
    dump.join_claims(&mut notes);
    let types = Types::of(&dump.nodes).map_err(|problem| TraceError::unusable(path, problem))?;
    let pods = bounds.into_iter().zip(dump.pods).map(|(bound, parsed)| LivePod::new(bound, parsed)).collect();
    let nodes = dump.nodes.into_iter().map(|node| (node.name.clone(), node)).collect();
    notes.extend(dump.unread.sentences());
    Ok(Snapshot { cluster: LiveCluster { nodes, types }, pods, notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_of_gpus_are_those_of_the_annotation() {
        assert_eq!(indices("0-3"), Some(Gpus(0b1001)));
        assert_eq!(indices("15"), Some(Gpus(1 << 15)));
        for bad in ["", "16", "-1", "0-x"] {
            assert_eq!(indices(bad), None, "{bad}");
        }
    }
}
