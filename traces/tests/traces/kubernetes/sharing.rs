//! Parts of GPUs: replicas, instances and fractions, counted as parts of the GPUs that they are cut from.

use crossover_allocation::WHOLE;
use serde_json::{Value, json};

use super::{a100, node, of, pod, requested};

/// README of the device plugin, “Shared Access to GPUs”: 8 GPUs with 10 replicas are 80 resources, renamed or not.
#[test]
fn a_replica_is_its_part_of_a_gpu() {
    let shared = |strategy: &str| {
        json!({
            "nvidia.com/gpu.product": "Tesla-T4-SHARED", "nvidia.com/gpu.replicas": "10",
            "nvidia.com/gpu.sharing-strategy": strategy
        })
    };
    for strategy in ["time-slicing", "mps"] {
        let trace = of(&[
            node("t", &shared(strategy), &json!({ "nvidia.com/gpu": "80" })),
            pod("p", &json!({ "nvidia.com/gpu": "1" })),
        ]);
        let trace = trace.expect("a node and a pod");
        assert_eq!((trace.types[0].as_str(), trace.nodes[0].devices.len()), ("Tesla-T4", 8));
        assert_eq!(requested(&trace, "ml/p"), (0, 0, 1, vec![Some(100)]));
    }
    let renamed = json!({ "nvidia.com/gpu.product": "Tesla-T4", "nvidia.com/gpu.replicas": "10" });
    let items = [
        node("t", &renamed, &json!({ "nvidia.com/gpu.shared": "80" })),
        pod("shared", &json!({ "nvidia.com/gpu.shared": "3" })),
        pod("whole", &json!({ "nvidia.com/gpu": "1" })),
    ];
    let trace = of(&items).expect("a node and two pods");
    assert_eq!((trace.nodes[0].devices.len(), requested(&trace, "ml/shared")), (8, (0, 0, 1, vec![Some(300)])));
    assert!(
        trace.notes.iter().any(|note| note.contains("ml/whole: it requests 1 nvidia.com/gpu; no node offers that"))
    );
    let untold = json!({ "nvidia.com/gpu.product": "Tesla-T4-SHARED" });
    let error = of(&[node("t", &untold, &json!({ "nvidia.com/gpu": "80" }))]).expect_err("not told").to_string();
    assert!(error.contains("the label nvidia.com/gpu.replicas is absent"), "{error}");
}

/// README of GPU feature discovery, “MIG 'single' strategy”: 8 GPUs in 56 instances, `A100-SXM4-40GB-MIG-1g.5gb`.
#[test]
fn with_the_single_strategy_a_gpu_is_an_instance() {
    let labels = json!({
        "nvidia.com/mig.strategy": "single", "nvidia.com/gpu.product": "A100-SXM4-40GB-MIG-1g.5gb",
        "nvidia.com/gpu.count": "56"
    });
    let items =
        [node("m", &labels, &json!({ "nvidia.com/gpu": "56" })), pod("p", &json!({ "nvidia.com/gpu": "1" })), a100()];
    let trace = of(&items).expect("two nodes and a pod");
    assert_eq!(trace.types, ["A100-SXM4-40GB", "A100-SXM4-40GB (MIG 1g.5gb)"]);
    assert_eq!((&trace.nodes[0].devices, &trace.nodes[1].devices), (&vec![0; 8], &vec![1; 8]));
    // A whole one of the one type, a seventh of the other.
    assert_eq!(requested(&trace, "ml/p"), (0, 0, 1, vec![Some(1000), Some(142)]));
}

#[test]
fn with_the_mixed_strategy_instances_have_names_of_their_own() {
    let labels = json!({ "nvidia.com/mig.strategy": "mixed", "nvidia.com/gpu.product": "A100-SXM4-40GB" });
    let gpus = json!({
        "nvidia.com/gpu": "4", "nvidia.com/mig-1g.5gb": "8", "nvidia.com/mig-2g.10gb": "4",
        "nvidia.com/mig-3g.20gb": "4", "nvidia.com/mig-7g.40gb": "0"
    });
    let items = [
        node("m", &labels, &gpus),
        pod("small", &json!({ "nvidia.com/mig-1g.5gb": "1" })),
        pod("large", &json!({ "nvidia.com/mig-3g.20gb": "1" })),
        pod("two", &json!({ "nvidia.com/mig-1g.5gb": "2" })),
        pod("whole", &json!({ "nvidia.com/gpu": "2" })),
        pod("both", &json!({ "nvidia.com/gpu": "1", "nvidia.com/mig-1g.5gb": "1" })),
    ];
    let trace = of(&items).expect("a node and pods");
    // Four GPUs are “all-balanced”: 2 × 1g, 1 × 2g, 1 × 3g each.
    assert_eq!((trace.types.len(), trace.nodes[0].devices.len()), (2, 8));
    assert_eq!(requested(&trace, "ml/small").3, [None, Some(142)]);
    assert_eq!(requested(&trace, "ml/large").3, [None, Some(428)]);
    assert_eq!(requested(&trace, "ml/two"), (0, 0, 1, vec![None, Some(285)]));
    assert_eq!(requested(&trace, "ml/whole"), (0, 0, 2, vec![Some(1000), None]));
    assert!(
        trace
            .notes
            .iter()
            .any(|note| note.contains("(Pod “both”): it requests nvidia.com/gpu and nvidia.com/mig-1g.5gb at once"))
    );
}

/// Instances that are shared by time slices, renamed or not: seven with four replicas each are 28 resources of one GPU. Labels as
/// `internal/lm/resource.go` of <https://github.com/NVIDIA/k8s-device-plugin> writes them.
#[test]
fn instances_that_are_shared_are_counted_by_their_labels() {
    let labels = |more: &[(&str, &str)]| {
        let mut labels = json!({ "nvidia.com/mig.strategy": "mixed", "nvidia.com/gpu.product": "A100-SXM4-40GB" });
        for (name, value) in more {
            labels[*name] = json!(value);
        }
        labels
    };
    let [replicas, count, product] = ["replicas", "count", "product"].map(|end| format!("nvidia.com/mig-1g.5gb.{end}"));
    let (replicas, count, product) = (replicas.as_str(), count.as_str(), product.as_str());
    let shared = "nvidia.com/mig-1g.5gb.shared";
    for (labels, resource) in [
        (labels(&[(replicas, "4"), (count, "7")]), shared),
        (labels(&[(replicas, "4")]), "nvidia.com/mig-1g.5gb"),
        (labels(&[(count, "7")]), shared),
        (labels(&[(count, "7"), (product, "A100-SXM4-40GB-MIG-1g.5gb-SHARED")]), "nvidia.com/mig-1g.5gb"),
    ] {
        let items = [node("m", &labels, &json!({ resource: "28" })), pod("p", &json!({ resource: "1" }))];
        let trace = of(&items).expect("a node and a pod");
        assert_eq!(trace.nodes[0].devices.len(), 1, "{labels}");
        // A fourth of a seventh, 42,000 / 28.
        assert_eq!(trace.requests[trace.tasks[0].request].shares[0], Some(WHOLE / 28), "{labels}");
    }
    // Three of four replicas can be allocated: the instance and its GPU are there.
    let trace = of(&[node("m", &labels(&[(replicas, "4")]), &json!({ shared: "3" }))]).expect("a node");
    assert_eq!(trace.nodes[0].devices.len(), 1);
    assert!(trace.notes.iter().any(|note| note.contains("1 node (m)")), "{:?}", trace.notes);
    let error = of(&[node("m", &labels(&[]), &json!({ shared: "28" }))]).expect_err("not told").to_string();
    assert!(error.contains("the label nvidia.com/mig-1g.5gb.replicas is absent"), "{error}");
}

/// Labels of Google's page on sharing: `gke-max-shared-clients-per-gpu`, `gke-gpu-partition-size`.
#[test]
fn gpus_that_a_cloud_shares_or_partitions_are_counted_by_its_labels() {
    let shared = |strategy: &str, gpus: &str, clients: &str| {
        json!({
            "cloud.google.com/gke-accelerator": "nvidia-l4", "cloud.google.com/gke-accelerator-count": gpus,
            "cloud.google.com/gke-gpu-sharing-strategy": strategy,
            "cloud.google.com/gke-max-shared-clients-per-gpu": clients
        })
    };
    let partitioned = json!({
        "cloud.google.com/gke-accelerator": "nvidia-h100-80gb", "cloud.google.com/gke-accelerator-count": "2",
        "cloud.google.com/gke-gpu-partition-size": "2g.20gb"
    });
    let items = [
        node("a", &shared("time-sharing", "3", "4"), &json!({ "nvidia.com/gpu": "12" })),
        node("b", &shared("mps", "1", "20"), &json!({ "nvidia.com/gpu": "20" })),
        node("c", &partitioned, &json!({ "nvidia.com/gpu": "6" })),
        pod("p", &json!({ "nvidia.com/gpu": "1" })),
    ];
    let trace = of(&items).expect("nodes and a pod");
    let gpus: Vec<usize> = trace.nodes.iter().map(|node| node.devices.len()).collect();
    assert_eq!(gpus, [3, 1, 2]);
    let mut shares: Vec<u16> = requested(&trace, "ml/p").3.into_iter().flatten().collect();
    shares.sort_unstable();
    // 1/20, 1/4 and two of seven slices.
    assert_eq!(shares, [50, 250, 285]);
    assert!(trace.unread.is_empty(), "{:?}", trace.unread);
}

/// <https://github.com/NVIDIA/KAI-Scheduler/blob/main/docs/gpu-sharing/README.md>
#[test]
fn fractions_of_kai_are_parts_and_the_pods_that_hold_their_gpus_count_not() {
    let with = |name: &str, annotations: Value| {
        let mut pod = pod(name, &json!({}));
        pod["metadata"]["annotations"] = annotations;
        pod
    };
    let mut holder = pod("gpu-reservation-1", &json!({ "nvidia.com/gpu": "1" }));
    holder["metadata"]["namespace"] = json!("kai-resource-reservation");
    let items = [
        node("k", &json!({ "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" }), &json!({ "nvidia.com/gpu": "8" })),
        with("half", json!({ "gpu-fraction": "0.5" })),
        with("two", json!({ "gpu-fraction": "0.25", "gpu-fraction-num-devices": "2" })),
        with("memory", json!({ "gpu-memory": "20480" })),
        holder,
    ];
    let trace = of(&items).expect("a node and pods");
    assert_eq!(trace.tasks.len(), 3);
    assert_eq!(requested(&trace, "ml/half"), (0, 0, 1, vec![Some(500)]));
    assert_eq!(requested(&trace, "ml/two"), (0, 0, 2, vec![Some(250)]));
    // 20 of 80 GiB.
    assert_eq!(requested(&trace, "ml/memory"), (0, 0, 1, vec![Some(250)]));
    assert!(trace.notes.iter().any(|note| note.contains("no GPU counts twice")), "{:?}", trace.notes);
}

#[test]
fn counts_that_contradict_each_other_are_named_and_the_physical_gpus_decide() {
    let time_slices = json!({
        "nvidia.com/gpu.product": "NVIDIA-L40S", "nvidia.com/gpu.count": "2", "nvidia.com/gpu.replicas": "1"
    });
    let stale = json!({
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.count": "1", "nvidia.com/mig.strategy": "mixed"
    });
    let items = [
        node("a", &time_slices, &json!({ "nvidia.com/gpu": "12" })),
        node("b", &stale, &json!({ "nvidia.com/gpu": "1", "nvidia.com/mig-1g.10gb": "7" })),
        pod("p", &json!({ "nvidia.com/gpu": "1" })),
    ];
    let trace = of(&items).expect("nodes and a pod");
    assert_eq!((trace.nodes[0].devices.len(), trace.nodes[1].devices.len()), (2, 1));
    let shares: Vec<u16> = requested(&trace, "ml/p").3.into_iter().flatten().collect();
    assert_eq!(shares, [166]);
    let expected = "2 nodes with contradicting counts of GPUs: a: 12 nvidia.com/gpu, label nvidia.com/gpu.count is 2, and label \
                    nvidia.com/gpu.replicas is 1; read as 6 replicas of each GPU; b: 1 nvidia.com/gpu beside instances of \
                    1 GPU, but label nvidia.com/gpu.count is 1; 0 whole GPUs read";
    assert!(trace.notes.iter().any(|note| note.starts_with(expected)), "{:?}", trace.notes);
}

#[test]
fn what_speaks_of_accelerators_and_is_not_used_is_named_once() {
    let mut labelled = a100();
    labelled["metadata"]["labels"]["example.com/gpu-slots"] = json!("3");
    labelled["metadata"]["annotations"] = json!({ "example.com/npu-register": "x", "example.com/input": "y" });
    labelled["status"]["allocatable"]["furiosa.ai/rngd"] = json!("4");
    labelled["status"]["allocatable"]["example.com/fpga"] = json!("0");
    let mut pod = pod("p", &json!({ "furiosa.ai/rngd": "1" }));
    pod["spec"]["containers"][0]["env"] = json!([
        { "name": "NVIDIA_VISIBLE_DEVICES", "value": "all" },
        { "name": "NVIDIA_DRIVER_CAPABILITIES", "value": "all" },
        { "name": "INPUT", "value": "x" }
    ]);
    pod["spec"]["resourceClaims"] = json!([{ "name": "gpu", "resourceClaimTemplateName": "single-gpu" }]);
    let trace = of(&[labelled, pod]).expect("a node and a pod");
    let named: Vec<(&str, usize)> = trace.unread.names().map(|name| (name.name, name.count)).collect();
    let expected = [
        ("furiosa.ai/rngd", 2),
        ("example.com/gpu-slots", 1),
        ("example.com/npu-register", 1),
        ("NVIDIA_VISIBLE_DEVICES", 1),
        ("single-gpu", 1),
    ];
    assert_eq!(named, expected);
    let messages = trace.messages().join("\n");
    assert!(messages.contains("not used: resource furiosa.ai/rngd (2, first in node a)"), "{messages}");
}

/// A node with so many GPUs, each offered as so many parts by one of seven conventions, and what describes it.
fn offering(kind: usize, name: &str, gpus: u64, parts: u64) -> Vec<Value> {
    let registered = |product: &str| -> String {
        let one = |gpu: u64| format!("G-{gpu},{parts},16384,100,{product},0,true:");
        (0..gpus).map(one).collect::<Vec<String>>().concat()
    };
    let places = (gpus * parts).to_string();
    let with = |resource: &str, annotation: &str, product: &str| {
        let mut shared = node(name, &json!({}), &json!({ resource: places }));
        shared["metadata"]["annotations"] = json!({ annotation: registered(product) });
        vec![shared]
    };
    match kind {
        0 => vec![node(name, &json!({}), &json!({ "amd.com/gpu": gpus.to_string() }))],
        1 => {
            let labels = json!({ "nvidia.com/gpu.product": "T4", "nvidia.com/gpu.replicas": parts.to_string() });
            vec![node(name, &labels, &json!({ "nvidia.com/gpu": places }))]
        }
        2 => with("nvidia.com/gpu", "hami.io/node-nvidia-register", "NVIDIA-L4"),
        3 => with("hygon.com/dcunum", "hami.io/node-dcu-register", "DCU-Z100"),
        4 => vec![node(name, &json!({}), &json!({ "mthreads.com/sgpu-core": (16 * gpus).to_string() }))],
        5 => {
            let labels = json!({ "nvidia.com/gpu.product": "A100-SXM4-40GB" });
            vec![node(name, &labels, &json!({ "nvidia.com/mig-1g.5gb": (7 * gpus).to_string() }))]
        }
        _ => {
            let device = json!({
                "name": "gpu", "attributes": { "type": { "string": "gpu" }, "productName": { "string": "NVIDIA L40" } }
            });
            let devices = vec![device; usize::try_from(gpus).expect("few")];
            let slice = json!({
                "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": { "name": format!("s-{name}") },
                "spec": { "nodeName": name, "driver": "gpu.nvidia.com", "devices": devices }
            });
            vec![node(name, &json!({}), &json!({})), slice]
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(100))]

    /// Whatever a resource is called, its accelerators are GPUs of the node, or the resource is named, or the node is.
    #[test]
    fn no_accelerator_vanishes(
        domain in "(nvidia|amd|gpu\\.intel|habana|huawei|volcano|example|aliyun|koordinator|cambricon|hygon|mthreads|iluvatar\
            |enflame|metax-tech)\\.(com|ai|sh)",
        name in "(gpu|vgpu|vgpu-number|mig-1g\\.10gb|gaudi|i915|Ascend910|gpu-mem|gpu-core|cpx_nps1|dcunum|dcumem|sgpu\
            |drs-gcu|gcu-core|mlu\\.smlu\\.vcore|BI-V100-vgpu|BI-V100\\.vCore|sgpu-core|[a-z]{1,6})(\\.shared)?",
        count in 1u32..=16,
    ) {
        let resource = format!("{domain}/{name}");
        let mut offers = serde_json::Map::new();
        offers.insert(resource.clone(), json!(count.to_string()));
        match of(&[node("n", &json!({}), &Value::Object(offers)), pod("p", &json!({}))]) {
            Ok(trace) => {
                let gpus: usize = trace.nodes.iter().map(|node| node.devices.len()).sum();
                let is_named = trace.unread.names().any(|unread| unread.name == resource);
                let is_left_out = trace.notes.iter().any(|note| note.contains("left out: entry 1 (Node “n”)"));
                proptest::prop_assert!(gpus > 0 || is_named || is_left_out, "{resource}: {:?}", trace.notes);
            }
            Err(error) => proptest::prop_assert!(error.to_string().contains("entry 1 (Node “n”)"), "{error}"),
        }
    }

    /// A label, an annotation and a variable that speak of an accelerator and are in no table are each named with their count.
    #[test]
    fn no_label_annotation_or_variable_of_an_accelerator_vanishes(
        word in "(gpu|vgpu|npu|xpu|cuda|rocm|accelerator)",
        rest in "[a-z]{1,8}",
        nodes in 1_usize..4,
    ) {
        let label = format!("example.com/{word}-{rest}");
        let variable = format!("EXAMPLE_{}_{}", word.to_uppercase(), rest.to_uppercase());
        let mut items: Vec<Value> = (0..nodes)
            .map(|place| {
                let mut node = node(&format!("n{place}"), &json!({}), &json!({ "nvidia.com/gpu": "1" }));
                node["metadata"]["labels"][&label] = json!("1");
                node["metadata"]["annotations"] = json!({ &label: "1" });
                node
            })
            .collect();
        let mut pod = pod("p", &json!({ "nvidia.com/gpu": "1" }));
        pod["spec"]["containers"][0]["env"] = json!([{ "name": variable, "value": "1" }]);
        pod["spec"]["nodeSelector"] = json!({ &label: "1" });
        items.push(pod);
        let trace = of(&items).expect("nodes and a pod");
        let named: Vec<(&str, usize)> = trace.unread.names().map(|name| (name.name, name.count)).collect();
        // As a label of the nodes and of the pod, as an annotation, and as a variable.
        let expected = [(label.as_str(), nodes + 1), (label.as_str(), nodes), (variable.as_str(), 1)];
        proptest::prop_assert_eq!(named, expected);
    }

    /// The GPUs of a random cluster come out in sum however its nodes offer them, and so do the fractions that pods request.
    #[test]
    fn random_clusters_come_out_in_sum(
        nodes in proptest::collection::vec((0_usize..7, 1_u64..=8, 1_u64..=7), 1..12),
        percents in proptest::collection::vec(1_u32..=100, 1..12),
    ) {
        let mut items: Vec<Value> = Vec::new();
        for (place, (kind, gpus, parts)) in nodes.iter().enumerate() {
            items.extend(offering(*kind, &format!("n{place}"), *gpus, *parts));
        }
        for (place, percent) in percents.iter().enumerate() {
            let mut part = pod(&format!("p{place}"), &json!({}));
            part["metadata"]["annotations"] = json!({ "gpu-fraction": format!("{}", f64::from(*percent) / 100.0) });
            items.push(part);
        }
        let trace = of(&items).expect("nodes and pods");
        let read: usize = trace.nodes.iter().map(|node| node.devices.len()).sum();
        let written: u64 = nodes.iter().map(|(_, gpus, _)| gpus).sum();
        proptest::prop_assert_eq!(read as u64, written, "{:?}", trace.notes);
        let requested: u32 = trace.tasks.iter().map(|task| u32::from(trace.requests[task.request].shares[0].unwrap_or(0))).sum();
        let asked: u32 = percents.iter().sum();
        proptest::prop_assert_eq!(requested * 100, asked * u32::from(WHOLE));
    }

    /// The GPUs of random nodes, whole and shared, come out in sum.
    #[test]
    fn gpus_that_go_in_come_out(nodes in proptest::collection::vec((1u64..=16, 1u64..=12), 1..12)) {
        let items: Vec<Value> = nodes
            .iter()
            .enumerate()
            .map(|(place, (gpus, replicas))| {
                let labels = json!({ "nvidia.com/gpu.product": "T4", "nvidia.com/gpu.replicas": replicas.to_string() });
                node(&format!("n{place}"), &labels, &json!({ "nvidia.com/gpu": (gpus * replicas).to_string() }))
            })
            .collect();
        let trace = of(&items).expect("nodes");
        let read: usize = trace.nodes.iter().map(|node| node.devices.len()).sum();
        let written: u64 = nodes.iter().map(|(gpus, _)| *gpus).sum();
        proptest::prop_assert_eq!(read as u64, written);
    }
}

/// The parts into which one GPU is cut, in the spellings of the device plugins of NVIDIA, AMD and Huawei and of GKE.
#[test]
fn all_parts_of_a_gpu_together_are_the_gpu() {
    let cases = [
        (json!({ "nvidia.com/gpu.product": "A100-SXM4-40GB-MIG-1g.5gb" }), "nvidia.com/gpu", 7),
        (json!({ "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" }), "nvidia.com/mig-1g.10gb", 7),
        (json!({ "nvidia.com/gpu.product": "NVIDIA-A30" }), "nvidia.com/mig-1g.6gb", 4),
        (json!({ "nvidia.com/gpu.product": "Tesla-T4-SHARED", "nvidia.com/gpu.replicas": "3" }), "nvidia.com/gpu", 3),
        (
            json!({
                "cloud.google.com/gke-accelerator": "nvidia-l4",
                "cloud.google.com/gke-max-shared-clients-per-gpu": "48"
            }),
            "nvidia.com/gpu",
            48,
        ),
        (json!({}), "amd.com/cpx_nps4", 8),
        (json!({}), "huawei.com/Ascend910-2c", 16),
        (json!({}), "huawei.com/Ascend910-6c.1cpu.16g", 4),
    ];
    for (labels, resource, parts) in cases {
        let items = [node("n", &labels, &json!({ resource: parts.to_string() })), pod("p", &json!({ resource: "1" }))];
        let trace = of(&items).expect("a node and a pod");
        assert_eq!(trace.nodes[0].devices.len(), 1, "{resource}");
        let share = trace.requests[trace.tasks[0].request].shares[0].expect("it can run there");
        assert_eq!(share * parts, WHOLE, "{resource}");
        assert!(!trace.notes.iter().any(|note| note.contains("rounded down to 1/42,000")), "{:?}", trace.notes);
    }
}
