//! Pods pinned to the nodes of a placement, for `kubectl apply -f`.

use std::collections::BTreeMap;

use crossover_allocation::{THOUSANDTH, WHOLE};
use k8s_openapi::api::core::v1::{Container, Pod, PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::json;

use crate::kubernetes::{GPU, GPU_COUNT, GPU_INDEX, GPU_MILLI, HOSTNAME};

/// Placeholder for the image of a pod.
pub const PLACEHOLDER_IMAGE: &str = "replace.invalid/image:tag";
/// Annotation that names the field to replace before the pods are applied.
pub const REPLACE: &str = "crossover/replace";

/// Longest name of a pod: a label of DNS (RFC 1123).
const LONGEST_NAME: usize = 63;

/// A task, or one piece of it, on its node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Name of the task.
    pub task: String,
    /// Name of the node, as its label `kubernetes.io/hostname` has it.
    pub node: String,
    /// CPU cores, in thousandths.
    pub cpu_milli: u32,
    /// Memory, MiB.
    pub memory_mib: u32,
    /// GPUs; 0 for a task that needs none.
    pub gpus: u8,
    /// Of each of these GPUs, in units of which [`WHOLE`] are one.
    pub share: u16,
    /// Indices of these GPUs on the node.
    pub indices: Vec<usize>,
}

/// Pods in a `List` of JSON, each pinned to its node. Whole GPUs are requested as `nvidia.com/gpu`, which every cluster
/// with NVIDIA's device plugin understands. Parts of GPUs are requested by the annotations `alibabacloud.com/gpu-milli`
/// and `alibabacloud.com/gpu-count`: the scheduler of openb's simulator understands them
/// (<https://github.com/hkust-adsl/kubernetes-scheduler-simulator>), and any other gives such a pod no GPU. The annotation
/// `alibabacloud.com/gpu-index` has the GPUs of the placement. The image is
/// [`PLACEHOLDER_IMAGE`]; the annotation [`REPLACE`] says so.
#[must_use]
pub fn manifests(placed: &[Placed]) -> String {
    let mut names = BTreeMap::new();
    let pods: Vec<Pod> = placed.iter().map(|placed| pod(placed, free(&dns_label(&placed.task), &mut names))).collect();
    // `{:#}` of a JSON value is its indented text.
    format!("{:#}\n", json!({ "apiVersion": "v1", "kind": "List", "items": pods }))
}

fn pod(placed: &Placed, name: String) -> Pod {
    let mut annotations = BTreeMap::from([
        (REPLACE.to_owned(), "spec.containers[0].image".to_owned()),
        ("crossover/task".to_owned(), placed.task.clone()),
    ]);
    let mut requests = BTreeMap::from([
        ("cpu".to_owned(), Quantity(format!("{}m", placed.cpu_milli))),
        ("memory".to_owned(), Quantity(format!("{}Mi", placed.memory_mib))),
    ]);
    let mut limits = None;
    if placed.gpus > 0 && placed.share >= WHOLE {
        let gpus = (GPU.to_owned(), Quantity(placed.gpus.to_string()));
        requests.extend([gpus.clone()]);
        // Extended resources need equal requests and limits.
        limits = Some(BTreeMap::from([gpus]));
    } else if placed.gpus > 0 {
        // Rounded down, so that all parts of a GPU fit on it.
        annotations.insert(GPU_MILLI.to_owned(), (placed.share / THOUSANDTH).max(1).to_string());
        annotations.insert(GPU_COUNT.to_owned(), placed.gpus.to_string());
    }
    if !placed.indices.is_empty() {
        let indices: Vec<String> = placed.indices.iter().map(ToString::to_string).collect();
        annotations.insert(GPU_INDEX.to_owned(), indices.join("-"));
    }
    let container = Container {
        name: "main".to_owned(),
        image: Some(PLACEHOLDER_IMAGE.to_owned()),
        resources: Some(ResourceRequirements { requests: Some(requests), limits, ..ResourceRequirements::default() }),
        ..Container::default()
    };
    Pod {
        metadata: ObjectMeta { name: Some(name), annotations: Some(annotations), ..ObjectMeta::default() },
        spec: Some(PodSpec {
            containers: vec![container],
            node_selector: Some(BTreeMap::from([(HOSTNAME.to_owned(), placed.node.clone())])),
            restart_policy: Some("Never".to_owned()),
            ..PodSpec::default()
        }),
        status: None,
    }
}

/// A name as RFC 1123 allows it: small letters, digits and inner hyphens.
fn dns_label(task: &str) -> String {
    let small = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let all: String = task.chars().map(small).collect();
    let words: Vec<&str> = all.split('-').filter(|word| !word.is_empty()).collect();
    let mut label = words.join("-");
    label.truncate(LONGEST_NAME);
    let label = label.trim_end_matches('-');
    if label.is_empty() { "task".to_owned() } else { label.to_owned() }
}

/// The name, or the name with the first number behind it that makes it unique. For each used name,
/// `names` keeps the next number to try.
fn free(label: &str, names: &mut BTreeMap<String, u64>) -> String {
    let mut number = names.get(label).copied().unwrap_or(1);
    let mut name = label.to_owned();
    while names.contains_key(&name) {
        number += 1;
        let end = format!("-{number}");
        let start = label.get(..label.len().min(LONGEST_NAME - end.len())).unwrap_or(label);
        name = format!("{}{end}", start.trim_end_matches('-'));
    }
    names.insert(label.to_owned(), number);
    names.entry(name.clone()).or_insert(1);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_labels_of_dns_and_unique() {
        let mut names = BTreeMap::new();
        let long = "x".repeat(80);
        let tasks = ["ns/Train_A", "ns/train a", "", "///", "--a--", "Größe", &long, &long];
        let made: Vec<String> = tasks.iter().map(|task| free(&dns_label(task), &mut names)).collect();
        let x = "x".repeat(63);
        let numbered = format!("{}-2", "x".repeat(61));
        assert_eq!(made, ["ns-train-a", "ns-train-a-2", "task", "task-2", "a", "gr-e", x.as_str(), numbered.as_str()]);
    }
}
