//! The types of `k8s.io/kube-scheduler/extender/v1` with which kube-scheduler calls an extender.
//! <https://github.com/kubernetes/kube-scheduler/blob/master/extender/v1/types.go>
//!
//! Go reads keys in any case; kube-scheduler writes them as the fields are named. Lists may be `null`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Highest priority of a node (`MaxExtenderPriority`).
pub(super) const MOST_PRIORITY: i64 = 10;

/// The pod to be scheduled, and the nodes that fit it so far.
#[derive(Debug, Deserialize)]
pub(super) struct ExtenderArgs {
    #[serde(rename = "Pod", alias = "pod")]
    pub(super) pod: Value,
    /// Whole nodes, unless the extender is configured with `nodeCacheCapable`.
    #[serde(rename = "Nodes", alias = "nodes", default)]
    pub(super) nodes: Option<NodeList>,
    /// Else their names.
    #[serde(rename = "NodeNames", alias = "nodenames", default)]
    pub(super) node_names: Option<Vec<String>>,
}

/// Nodes, of which only names and versions are read: what they have is read where they are new.
#[derive(Debug, Deserialize)]
pub(super) struct NodeList {
    #[serde(default)]
    pub(super) items: Option<Vec<SentNode>>,
}

/// A node.
#[derive(Debug, Deserialize)]
pub(super) struct SentNode {
    pub(super) metadata: SentMetadata,
}

/// Name and version of a node.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SentMetadata {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) resource_version: String,
}

/// The same with whole nodes.
#[derive(Debug, Deserialize)]
pub(super) struct WholeArgs {
    #[serde(rename = "Nodes", alias = "nodes", default)]
    pub(super) nodes: Option<WholeList>,
}

/// Whole nodes.
#[derive(Debug, Deserialize)]
pub(super) struct WholeList {
    #[serde(default)]
    pub(super) items: Option<Vec<Value>>,
}

/// The nodes that fit, and why the others do not.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ExtenderFilterResult {
    /// In a list of nodes kube-scheduler reads their names alone.
    pub(super) nodes: Option<NamedList>,
    pub(super) node_names: Option<Vec<String>>,
    pub(super) failed_nodes: BTreeMap<String, String>,
    pub(super) failed_and_unresolvable_nodes: BTreeMap<String, String>,
    pub(super) error: String,
}

/// Nodes by their names.
#[derive(Debug, Serialize)]
pub(super) struct NamedList {
    pub(super) items: Vec<NamedNode>,
}

/// A node by its name.
#[derive(Debug, Serialize)]
pub(super) struct NamedNode {
    pub(super) metadata: NamedMetadata,
}

/// The name of a node.
#[derive(Debug, Serialize)]
pub(super) struct NamedMetadata {
    pub(super) name: String,
}

/// Priority of a node, 0 to [`MOST_PRIORITY`].
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct HostPriority {
    pub(super) host: String,
    pub(super) score: i64,
}

/// A pod to be bound to a node.
#[derive(Debug, Deserialize)]
pub(super) struct ExtenderBindingArgs {
    #[serde(rename = "PodName", alias = "podname")]
    pub(super) pod_name: String,
    #[serde(rename = "PodNamespace", alias = "podnamespace")]
    pub(super) pod_namespace: String,
    #[serde(rename = "PodUID", alias = "poduid", default)]
    pub(super) pod_uid: String,
    #[serde(rename = "Node", alias = "node")]
    pub(super) node: String,
}

/// Empty if the pod was bound.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ExtenderBindingResult {
    pub(super) error: String,
}

/// A pod that fits no node, and the pods that kube-scheduler would evict on each node that may be taken.
#[derive(Debug, Deserialize)]
pub(super) struct ExtenderPreemptionArgs {
    #[serde(rename = "Pod", alias = "pod")]
    pub(super) pod: Value,
    /// With whole pods, unless the extender is configured with `nodeCacheCapable`.
    #[serde(rename = "NodeNameToVictims", alias = "nodenametovictims", default)]
    pub(super) victims: Option<BTreeMap<String, Victims>>,
    /// Else with their identifiers.
    #[serde(rename = "NodeNameToMetaVictims", alias = "nodenametometavictims", default)]
    pub(super) meta_victims: Option<BTreeMap<String, Victims>>,
}

/// Pods of a node that kube-scheduler would evict. The extender chooses them anew, so that only their count is read.
#[derive(Debug, Deserialize)]
pub(super) struct Victims {
    /// Disruption budgets that this would violate.
    #[serde(rename = "NumPDBViolations", alias = "numpdbviolations", default)]
    pub(super) violations: i64,
}

/// The pods to evict on each node that remains. kube-scheduler refuses an entry without pods.
#[derive(Debug, Default, Serialize)]
pub(super) struct ExtenderPreemptionResult {
    #[serde(rename = "NodeNameToMetaVictims")]
    pub(super) victims: BTreeMap<String, MetaVictims>,
}

/// Pods of a node.
#[derive(Debug, Serialize)]
pub(super) struct MetaVictims {
    #[serde(rename = "Pods")]
    pub(super) pods: Vec<MetaPod>,
    #[serde(rename = "NumPDBViolations")]
    pub(super) violations: i64,
}

/// A pod by its identifier.
#[derive(Debug, Serialize)]
pub(super) struct MetaPod {
    #[serde(rename = "UID")]
    pub(super) uid: String,
}

impl NamedList {
    /// A list of these names.
    pub(super) fn of(names: Vec<String>) -> Self {
        Self { items: names.into_iter().map(|name| NamedNode { metadata: NamedMetadata { name } }).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of `extender/v1/types_test.go` of Kubernetes, and in lower case as that test has them too.
    #[test]
    fn the_published_texts_are_read_and_written() {
        let args = r#"{"Pod":{"metadata":{"name":"podname"},"spec":{"containers":null},"status":{}},"Nodes":{"metadata":{},"items":[{"metadata":{"name":"nodename"},"spec":{},"status":{}}]},"NodeNames":["node1"]}"#;
        for text in [args.to_owned(), args.to_lowercase()] {
            let args: ExtenderArgs = serde_json::from_str(&text).expect("the published text");
            let nodes = args.nodes.and_then(|list| list.items).expect("nodes");
            assert_eq!(
                (nodes[0].metadata.name.as_str(), args.node_names),
                ("nodename", Some(vec!["node1".to_owned()]))
            );
            assert_eq!(args.pod["metadata"]["name"], "podname");
        }
        let none: ExtenderArgs =
            serde_json::from_str(r#"{"Pod":{},"Nodes":{"items":null},"NodeNames":null}"#).expect("lists may be null");
        assert!(none.node_names.is_none() && none.nodes.is_some_and(|list| list.items.is_none()));

        let args = r#"{"Pod":{"metadata":{"name":"podname"},"spec":{"containers":null},"status":{}},"NodeNameToVictims":{"foo":{"Pods":[{"metadata":{"name":"podname"},"spec":{"containers":null},"status":{}}],"NumPDBViolations":1}},"NodeNameToMetaVictims":{"foo":{"Pods":[{"UID":"myuid"}],"NumPDBViolations":1}}}"#;
        for text in [args.to_owned(), args.to_lowercase()] {
            let args: ExtenderPreemptionArgs = serde_json::from_str(&text).expect("the published text");
            for victims in [args.victims, args.meta_victims] {
                assert_eq!(victims.expect("one node")["foo"].violations, 1);
            }
        }
        let pods = vec![MetaPod { uid: "myuid".to_owned() }];
        let victims = BTreeMap::from([("foo".to_owned(), MetaVictims { pods, violations: 1 })]);
        let result = serde_json::to_string(&ExtenderPreemptionResult { victims }).expect("JSON");
        assert_eq!(result, r#"{"NodeNameToMetaVictims":{"foo":{"Pods":[{"UID":"myuid"}],"NumPDBViolations":1}}}"#);

        let binding = r#"{"PodName":"mypodname","PodNamespace":"mypodnamespace","PodUID":"mypoduid","Node":"mynode"}"#;
        let binding: ExtenderBindingArgs = serde_json::from_str(binding).expect("the published text");
        assert_eq!((binding.pod_uid.as_str(), binding.node.as_str()), ("mypoduid", "mynode"));
        let error = serde_json::to_string(&ExtenderBindingResult { error: "myerror".to_owned() }).expect("JSON");
        assert_eq!(error, r#"{"Error":"myerror"}"#);
        let priority = serde_json::to_string(&HostPriority { host: "myhost".to_owned(), score: 1 }).expect("JSON");
        assert_eq!(priority, r#"{"Host":"myhost","Score":1}"#);
        let result = ExtenderFilterResult {
            nodes: Some(NamedList::of(vec!["nodename".to_owned()])),
            node_names: Some(vec!["node1".to_owned()]),
            failed_nodes: BTreeMap::from([("foo".to_owned(), "bar".to_owned())]),
            failed_and_unresolvable_nodes: BTreeMap::from([("baz".to_owned(), "qux".to_owned())]),
            error: "myerror".to_owned(),
        };
        let expected = r#"{"Nodes":{"items":[{"metadata":{"name":"nodename"}}]},"NodeNames":["node1"],"FailedNodes":{"foo":"bar"},"FailedAndUnresolvableNodes":{"baz":"qux"},"Error":"myerror"}"#;
        assert_eq!(serde_json::to_string(&result).expect("JSON"), expected);
    }
}
