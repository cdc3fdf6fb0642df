//! A cluster as it is now: its nodes, and pods with the node and the GPUs that they have, also one by one as a scheduler sends
//! them.

use std::collections::BTreeMap;
use std::path::Path;

use crossover_allocation::{Gpus, MOST_GPUS, NodeSpec, Request};
use crossover_quantity::unread::Unread;
use k8s_openapi::api::core::v1::Node;
use serde_json::Value;

use super::conventions::REGISTERS;
use super::pod::{self, ParsedPod};
use super::{COMMAND, Dump, GPU, GPU_INDEX, facts, node, registered, taken, typed, typed_pod};
use crate::error::TraceError;
use crate::gpus::{ParsedNode, Types};
use crate::json;
use crate::left_out::{LeftOut, Named};

/// The nodes of a cluster, with the types of their GPUs.
pub struct LiveCluster {
    nodes: BTreeMap<String, ParsedNode>,
    types: Types,
    /// Identifiers of the GPUs of nodes on which `HAMi` has registered them.
    identifiers: BTreeMap<String, Vec<String>>,
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
    /// Its priority: a pod is evicted only for one with a higher priority.
    pub priority: i64,
    /// Creation, seconds since 1970, where it is known.
    pub created: Option<i64>,
    /// Of each of its containers, whether it requests `nvidia.com/gpu`; empty if it has init containers.
    pub containers_with_gpus: Vec<bool>,
    parsed: ParsedPod,
}

/// What a pod says of its place.
struct Bound {
    uid: Option<String>,
    node: Option<String>,
    gpus: Option<Gpus>,
    has_ended: bool,
    priority: i64,
    containers_with_gpus: Vec<bool>,
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
        let Bound { uid, node, gpus, has_ended, priority, containers_with_gpus } = bound;
        let name = parsed.name.clone();
        let uid = uid.unwrap_or_else(|| name.clone());
        let (is_sensitive, created) = (parsed.is_sensitive, parsed.came);
        Self { uid, name, node, gpus, has_ended, is_sensitive, priority, created, containers_with_gpus, parsed }
    }
}

impl Bound {
    fn of(item: &Value) -> Self {
        let text = |pointer: &str| item.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
        let annotation = item.pointer("/metadata/annotations").and_then(|all| all.get(GPU_INDEX));
        let list = |pointer: &str| item.pointer(pointer).and_then(Value::as_array).filter(|list| !list.is_empty());
        let containers = list("/spec/containers").filter(|_| list("/spec/initContainers").is_none());
        let has_gpus = |container: &Value| {
            let of = |kind: &str| container.pointer(kind).is_some_and(|amounts| amounts.get(GPU).is_some());
            of("/resources/limits") || of("/resources/requests")
        };
        Self {
            uid: text("/metadata/uid").map(str::to_owned),
            node: text("/spec/nodeName").map(str::to_owned),
            gpus: annotation.and_then(Value::as_str).and_then(indices),
            has_ended: matches!(text("/status/phase"), Some("Succeeded" | "Failed")),
            priority: item.pointer("/spec/priority").and_then(Value::as_i64).unwrap_or(0),
            containers_with_gpus: containers.into_iter().flatten().map(has_gpus).collect(),
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
        Self { nodes: BTreeMap::new(), types: Types::none(), identifiers: BTreeMap::new() }
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
            self.identifiers.extend(identifiers(&item));
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

    /// The identifier of a GPU of a node, such as `GPU-1afede84-…`; `None` where `HAMi` has not registered the GPUs of the node.
    #[must_use]
    pub fn gpu_identifier(&self, node: &str, gpu: usize) -> Option<&str> {
        let gpus: usize = self.nodes.get(node)?.devices.iter().map(|(_, count)| count).sum();
        let identifiers = self.identifiers.get(node).filter(|identifiers| identifiers.len() == gpus)?;
        identifiers.get(gpu).map(String::as_str)
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
    let mut gpu_identifiers = BTreeMap::new();
    let mut left_out = LeftOut::new("entry", "entries");
    let expected = format!("what “{COMMAND}” prints");
    let ended = json::each(path, "items", &expected, |place, item| {
        let (bound, pods) = (Bound::of(&item), dump.pods.len());
        gpu_identifiers.extend(identifiers(&item));
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
    Ok(Snapshot { cluster: LiveCluster { nodes, types, identifiers: gpu_identifiers }, pods, notes })
}

/// The name of a node on which `HAMi` has registered GPUs, with their identifiers.
fn identifiers(item: &Value) -> Option<(String, Vec<String>)> {
    let annotations = item.pointer("/metadata/annotations")?;
    let text = REGISTERS.iter().find_map(|name| annotations.get(*name)?.as_str())?;
    let name = item.pointer("/metadata/name")?.as_str()?;
    Some((name.to_owned(), registered::identifiers(text)))
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
