//! Pods that are written are read back as what was placed.

use std::io::Write as _;

use crossover_allocation::{THOUSANDTH, WHOLE};
use crossover_traces::kubernetes;
use crossover_traces::manifest::{PLACEHOLDER_IMAGE, Placed, REPLACE, manifests};
use serde_json::{Value, json};

fn file(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("space");
    file
}

#[test]
fn a_list_of_pods_says_where_they_go_and_what_to_replace() {
    let placed = Placed {
        task: "ns/Train".into(),
        node: "n1".into(),
        cpu_milli: 500,
        memory_mib: 64,
        gpus: 2,
        share: WHOLE,
        indices: vec![0, 3],
    };
    let shared = Placed { gpus: 1, share: WHOLE / 4, indices: vec![1], ..placed.clone() };
    let list: Value = serde_json::from_str(&manifests(&[placed, shared])).expect("JSON");
    assert_eq!((&list["kind"], &list["apiVersion"]), (&json!("List"), &json!("v1")));
    let expected = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "ns-train",
            "annotations": { "crossover/replace": "spec.containers[0].image", "crossover/task": "ns/Train", "alibabacloud.com/gpu-index": "0-3" }
        },
        "spec": {
            "containers": [{
                "name": "main",
                "image": "replace.invalid/image:tag",
                "resources": {
                    "requests": { "cpu": "500m", "memory": "64Mi", "nvidia.com/gpu": "2" },
                    "limits": { "nvidia.com/gpu": "2" }
                }
            }],
            "nodeSelector": { "kubernetes.io/hostname": "n1" },
            "restartPolicy": "Never"
        }
    });
    assert_eq!(list["items"][0], expected);
    assert_eq!((REPLACE, PLACEHOLDER_IMAGE), ("crossover/replace", "replace.invalid/image:tag"));
    let shared = &list["items"][1];
    assert_eq!(shared["metadata"]["name"], "ns-train-2");
    assert_eq!(shared["metadata"]["annotations"]["alibabacloud.com/gpu-milli"], "250");
    assert_eq!(shared["metadata"]["annotations"]["alibabacloud.com/gpu-count"], "1");
    assert_eq!(shared["metadata"]["annotations"]["alibabacloud.com/gpu-index"], "1");
    assert_eq!(shared["spec"]["containers"][0]["resources"]["requests"]["nvidia.com/gpu"], Value::Null);
}

/// A thousand tasks of every sort: what they ask for comes back, under names that a cluster accepts, each once.
#[test]
fn pods_that_are_read_back_ask_for_the_same() {
    let sorts: Vec<Placed> = (0_u32..1000)
        .map(|k| {
            let gpus = u8::try_from(k % 17).expect("small");
            // Parts are of one GPU each; several are whole or equal parts.
            let share = THOUSANDTH * u16::try_from(1 + k * 7 % 1000).expect("small");
            let share = if k % 3 == 0 { WHOLE } else { share };
            let names = ["Train", "ns/a b", "ünïcode", "", "-x-", "a.b.c", &"long".repeat(30)].map(str::to_owned);
            let task = names[k as usize % names.len()].clone();
            Placed {
                task,
                node: "n".into(),
                cpu_milli: k * 333,
                memory_mib: k * 4_000_000,
                gpus,
                share,
                indices: (0..usize::from(gpus)).collect(),
            }
        })
        .collect();
    let node = json!({
        "kind": "Node", "apiVersion": "v1", "metadata": { "name": "n", "labels": { "nvidia.com/gpu.product": "T4" } },
        "status": { "allocatable": { "cpu": "64", "memory": "64Gi", "nvidia.com/gpu": "16" } }
    });
    let (nodes, pods) = (file(&json!({ "items": [node] }).to_string()), file(&manifests(&sorts)));
    let trace = kubernetes::read(&[nodes.path(), pods.path()]).expect("what was written");
    assert_eq!(trace.tasks.len(), sorts.len(), "{:?}", trace.notes);
    // The indices of GPUs are known, and say nothing of how many there are.
    assert!(trace.unread.is_empty(), "{:?}", trace.unread);
    let list: Value = serde_json::from_str(&manifests(&sorts)).expect("JSON");
    for (placed, pod) in sorts.iter().zip(list["items"].as_array().expect("a list")) {
        let name = pod["metadata"]["name"].as_str().expect("a name");
        let is_label = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(!name.is_empty() && name.len() <= 63 && name.chars().all(is_label), "{name}");
        assert!(!name.starts_with('-') && !name.ends_with('-'), "{name}");
        let task = trace.tasks.iter().find(|task| task.name == name).expect("each name once");
        let request = &trace.requests[task.request];
        let share = if placed.gpus == 0 { 0 } else { placed.share };
        let requested = (request.cpu_milli, request.memory_mib, request.gpus, &request.shares);
        assert_eq!(requested, (placed.cpu_milli, placed.memory_mib, placed.gpus, &vec![Some(share)]), "{name}");
    }
}
