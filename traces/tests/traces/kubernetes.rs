//! Nodes and pods as kubectl prints them. Labels and resources follow the documents of NVIDIA's device plugin and GPU
//! feature discovery: <https://github.com/NVIDIA/k8s-device-plugin>.

use std::io::Write as _;

use crossover_allocation::{Request, THOUSANDTH, Trace, WHOLE};
use crossover_traces::TraceError;
use crossover_traces::kubernetes::read;
use serde_json::{Value, json};

fn of(items: &[Value]) -> Result<Trace, TraceError> {
    of_text(
        &json!({ "apiVersion": "v1", "items": items, "kind": "List", "metadata": { "resourceVersion": "" } })
            .to_string(),
    )
}

fn of_text(text: &str) -> Result<Trace, TraceError> {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("space");
    read(&[file.path()])
}

fn node(name: &str, labels: &Value, gpus: &Value) -> Value {
    let mut has = json!({ "cpu": "64", "memory": "256Gi", "pods": "110" });
    has.as_object_mut().expect("an object").extend(gpus.as_object().expect("an object").clone());
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": name, "labels": labels, "creationTimestamp": "2024-01-01T00:00:00Z" },
        "spec": {}, "status": { "allocatable": has, "capacity": { "cpu": "128", "memory": "512Gi" } }
    })
}

fn pod(name: &str, requests: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": name, "namespace": "ml", "creationTimestamp": "2024-05-01T10:00:00Z" },
        "spec": { "containers": [{ "name": "main", "resources": { "requests": requests } }] },
        "status": { "phase": "Running", "qosClass": "Burstable" }
    })
}

/// Shares of a request in thousandths, rounded down.
fn shares(request: &Request) -> Vec<Option<u16>> {
    request.shares.iter().map(|share| share.map(|units| units / THOUSANDTH)).collect()
}

/// What a pod asks for: cores in thousandths, MiB, GPUs, shares.
fn requested(trace: &Trace, name: &str) -> (u32, u32, u8, Vec<Option<u16>>) {
    let task = trace.tasks.iter().find(|task| task.name == name).expect("a task of that name");
    let request = &trace.requests[task.request];
    (request.cpu_milli, request.memory_mib, request.gpus, shares(request))
}

fn a100() -> Value {
    node(
        "a",
        &json!({ "nvidia.com/gpu.product": "A100-SXM4-40GB", "nvidia.com/gpu.replicas": "1" }),
        &json!({ "nvidia.com/gpu": "8" }),
    )
}

#[test]
fn nodes_and_pods_of_one_list_are_read() {
    let service = json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "s" } });
    let items = [pod("p", &json!({ "cpu": "500m", "memory": "128M", "nvidia.com/gpu": "2" })), service, a100()];
    let trace = of(&items).expect("a node and a pod");
    assert_eq!(trace.types, ["A100-SXM4-40GB"]);
    assert_eq!(
        (trace.nodes[0].cpu_milli, trace.nodes[0].memory_mib, &trace.nodes[0].devices),
        (64_000, 262_144, &vec![0; 8])
    );
    // 128 · 10⁶ bytes are 122.07 MiB.
    assert_eq!(requested(&trace, "ml/p"), (500, 123, 2, vec![Some(1000)]));
    assert_eq!(trace.notes, ["1 pod (ml/p): memory rounded up to MiB"]);
}

#[test]
fn lists_of_the_api_that_name_the_kind_once_may_stand_in_two_files() {
    let bare = |mut item: Value| {
        item.as_object_mut().expect("an object").retain(|key, _| key != "kind" && key != "apiVersion");
        item
    };
    let file = |kind: &str, item: Value| {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        write!(file, "{}", json!({ "kind": kind, "apiVersion": "v1", "items": [bare(item)] })).expect("space");
        file
    };
    let nodes = file("NodeList", a100());
    let pods = file("PodList", pod("p", &json!({ "nvidia.com/gpu": 1 })));
    let trace = read(&[nodes.path(), pods.path()]).expect("a node and a pod");
    assert_eq!((trace.nodes.len(), trace.tasks.len()), (1, 1));
    let trace = read(&[pods.path()]).expect("a pod");
    assert_eq!((trace.nodes.len(), trace.tasks.len(), trace.types[0].as_str()), (0, 1, "GPU"));
    assert!(trace.notes[0].contains("run “kubectl get nodes,pods -A -o json > cluster.json”"), "{:?}", trace.notes);
}

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

/// <https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers>
#[test]
fn a_pod_asks_for_the_most_that_runs_at_once() {
    let container = |name: &str, cpu: &str| json!({ "name": name, "resources": { "requests": { "cpu": cpu } } });
    let with = |spec: Value| {
        let mut pod = pod("p", &json!({}));
        pod["spec"] = spec;
        let trace = of(&[a100(), pod]).expect("a node and a pod");
        requested(&trace, "ml/p").0
    };
    let sum =
        json!({ "containers": [container("a", "1"), container("b", "500m")], "initContainers": [container("i", "1")] });
    assert_eq!(with(sum), 1_500);
    let init =
        json!({ "containers": [container("a", "1")], "initContainers": [container("i", "3"), container("j", "2")] });
    assert_eq!(with(init), 3_000);
    let mut stays = container("s", "1");
    stays["restartPolicy"] = json!("Always");
    let sidecar = json!({
        "containers": [container("a", "1")],
        "initContainers": [container("i", "3"), stays, container("j", "2500m")]
    });
    assert_eq!(with(sidecar), 3_500);
    let overhead = json!({ "containers": [container("a", "1")], "overhead": { "cpu": "250m" } });
    assert_eq!(with(overhead), 1_250);
    // Without a request the limit is the request.
    let limits = json!({ "containers": [{ "name": "a", "resources": { "limits": { "cpu": "2" } } }] });
    assert_eq!(with(limits), 2_000);
    let whole_pod = json!({ "containers": [container("a", "1")], "resources": { "requests": { "cpu": "4" } } });
    assert_eq!(with(whole_pod), 4_000);
}

/// `example/test-cluster` of <https://github.com/hkust-adsl/kubernetes-scheduler-simulator>.
#[test]
fn nodes_and_pods_of_the_published_simulator_are_read() {
    let labels = json!({ "alibabacloud.com/gpu-card-model": "V100", "kubernetes.io/hostname": "pai-node-00" });
    let gpus = json!({ "alibabacloud.com/gpu-count": "2", "alibabacloud.com/gpu-milli": "2000" });
    let mut shared = pod("gpu-pod-00", &json!({ "cpu": 4, "memory": "9216Mi" }));
    shared["metadata"]["annotations"] =
        json!({ "alibabacloud.com/gpu-milli": "500", "alibabacloud.com/gpu-count": "1" });
    let mut elsewhere = shared.clone();
    elsewhere["metadata"]["name"] = json!("elsewhere");
    elsewhere["metadata"]["annotations"]["alibabacloud.com/gpu-card-model"] = json!("T4|P100");
    let trace = of(&[node("pai-node-00", &labels, &gpus), shared, elsewhere]).expect("a node and a pod");
    assert_eq!((trace.types[0].as_str(), &trace.nodes[0].devices), ("V100", &vec![0, 0]));
    assert_eq!(requested(&trace, "ml/gpu-pod-00"), (4_000, 9_216, 1, vec![Some(500)]));
    assert!(
        trace.notes.iter().any(|note| note.contains("ml/elsewhere: it requests a GPU of T4, P100; no node has one"))
    );
}

#[test]
fn times_run_from_the_first_pod_and_pods_without_an_end_hold_nothing() {
    let state = |finished: &str| json!({ "terminated": { "exitCode": 0, "finishedAt": finished } });
    let status = |name: &str, finished: &str| {
        json!({
            "name": name, "image": "i", "imageID": "",
            "ready": false, "restartCount": 0, "state": state(finished)
        })
    };
    let mut done = pod("done", &json!({}));
    done["metadata"]["creationTimestamp"] = json!("2024-05-01T09:59:30Z");
    done["status"] = json!({
        "phase": "Succeeded", "startTime": "2024-05-01T10:00:00Z",
        "containerStatuses": [status("a", "2024-05-01T10:20:00Z"), status("b", "2024-05-01T11:00:00Z")]
    });
    let mut evicted = pod("evicted", &json!({}));
    evicted["status"] = json!({ "phase": "Failed", "reason": "Evicted", "startTime": "2024-05-01T10:00:00Z" });
    let mut first = pod("first", &json!({}));
    first["spec"]["priority"] = json!(1000);
    let mut batch = pod("batch", &json!({}));
    (batch["spec"]["priority"], batch["status"]["qosClass"]) = (json!(-10), json!("Guaranteed"));
    let mut sure = pod("sure", &json!({}));
    sure["status"]["qosClass"] = json!("Guaranteed");
    let trace = of(&[a100(), done, evicted, first, batch, sure]).expect("a node and pods");
    let names: Vec<(&str, f64, Option<f64>, bool)> =
        trace.tasks.iter().map(|task| (task.name.as_str(), task.arrives, task.seconds, task.is_sensitive)).collect();
    let expected = [
        ("ml/batch", 30.0, None, false),
        ("ml/done", 0.0, Some(3_600.0), false),
        ("ml/first", 30.0, None, true),
        ("ml/sure", 30.0, None, true),
    ];
    assert_eq!(names, expected);
    assert!(
        trace.notes[0].contains("(Pod “evicted”): its phase is Failed, but no container has an end time"),
        "{:?}",
        trace.notes
    );
}

#[test]
fn nodes_that_take_no_tasks_are_kept_and_selectors_choose_types() {
    let mut cordoned = a100();
    cordoned["metadata"]["name"] = json!("b");
    cordoned["spec"] = json!({
        "unschedulable": true,
        "taints": [{ "key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule" }]
    });
    let mut tainted = node("c", &json!({ "nvidia.com/gpu.product": "Tesla-T4" }), &json!({ "nvidia.com/gpu": "1" }));
    tainted["spec"] = json!({ "taints": [{ "key": "nvidia.com/gpu", "effect": "NoSchedule" }] });
    let mut choosy = pod("p", &json!({ "nvidia.com/gpu": "1" }));
    choosy["spec"]["nodeSelector"] = json!({ "nvidia.com/gpu.product": "Tesla-T4", "disk": "ssd" });
    let trace = of(&[a100(), cordoned, a100(), tainted, choosy]).expect("nodes and a pod");
    assert_eq!(trace.nodes.len(), 3);
    assert_eq!(requested(&trace, "ml/p").3, [None, Some(1000)]);
    assert!(trace.notes[0].ends_with("1 entry was left out: entry 3 (Node “a”): duplicate node name"));
    let expected_notes = [
        "1 node (b): unschedulable; assumed schedulable",
        "1 node (c): tainted; assumed tolerated by every task",
        "1 pod (ml/p): scheduling constraints other than the GPU type are ignored",
    ];
    assert_eq!(trace.notes[1..], expected_notes);
}

#[test]
fn a_file_that_breaks_off_gives_what_stands_before() {
    let whole = json!({ "apiVersion": "v1", "items": [a100(), pod("p", &json!({}))] }).to_string();
    let cut = &whole[..whole.len() - 30];
    let trace = of_text(cut).expect("a node");
    assert_eq!((trace.nodes.len(), trace.tasks.len()), (1, 0));
    assert!(
        trace.notes[0].contains("damaged after entry 1; the rest is not read: EOF while parsing"),
        "{:?}",
        trace.notes
    );
}

#[test]
fn what_is_no_dump_is_refused_with_the_command_to_run() {
    let cases = [
        ("", "EOF while parsing a value at line 1 column 0; expected what “kubectl get nodes,pods -A -o json” prints"),
        ("[1]", "expected an object with a list called “items”"),
        ("{\"a\": 1}", "no list called “items” in it; expected what “kubectl get nodes,pods -A -o json” prints"),
        ("{\"items\": 3}", "invalid type: integer `3`, expected a list at line 1 column 11"),
        ("{\"items\": []}", "no valid node or pod; run “kubectl get nodes,pods -A -o json > cluster.json”"),
        ("{\"items\": [7]}", "no valid node or pod; entry 1 ( “”): no kind; expected Node or Pod; run"),
    ];
    for (text, expected) in cases {
        let error = of_text(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let deep = format!("{{\"items\": {}", "[".repeat(100_000));
    assert!(of_text(&deep).expect_err("too deep").to_string().contains("recursion limit exceeded"));
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

/// A card of 24,576 MiB that `HAMi` splits in four: 6,144 MiB are a quarter of it, and 40 % of the cores are more.
#[test]
fn cards_that_hami_splits_are_cards_and_pods_request_parts_of_them() {
    let mut split = node("h", &json!({ "gpu": "on" }), &json!({ "nvidia.com/gpu": "8" }));
    split["metadata"]["annotations"] = json!({
        "hami.io/node-nvidia-register":
            "GPU-a,4,24576,100,NVIDIA-NVIDIA A10,0,true:GPU-b,4,24576,100,NVIDIA-NVIDIA A10,1,true:"
    });
    let items = [
        split,
        pod("memory", &json!({ "nvidia.com/gpu": "1", "nvidia.com/gpumem": "6144" })),
        pod("cores", &json!({ "nvidia.com/gpu": "1", "nvidia.com/gpumem": "6144", "nvidia.com/gpucores": "40" })),
        pod("percent", &json!({ "nvidia.com/gpu": "2", "nvidia.com/gpumem-percentage": "60" })),
        pod("whole", &json!({ "nvidia.com/gpu": "1" })),
        pod("large", &json!({ "nvidia.com/gpu": "1", "nvidia.com/gpumem": "30k" })),
    ];
    let trace = of(&items).expect("a node and pods");
    assert_eq!((trace.types[0].as_str(), trace.nodes[0].devices.len()), ("NVIDIA A10", 2));
    let share = |name: &str| requested(&trace, name);
    assert_eq!(share("ml/memory"), (0, 0, 1, vec![Some(250)]));
    assert_eq!(share("ml/cores"), (0, 0, 1, vec![Some(400)]));
    assert_eq!(share("ml/percent"), (0, 0, 2, vec![Some(600)]));
    assert_eq!(share("ml/whole"), (0, 0, 1, vec![Some(1000)]));
    let refused = "ml/large: it requests more of a GPU than any has";
    assert!(trace.notes.iter().any(|note| note.contains(refused)), "{:?}", trace.notes);
    // Without the annotation the label of memory is enough, and 8 of 2 GPUs are 4 of each.
    let labels = json!({
        "nvidia.com/gpu.product": "NVIDIA-A10", "nvidia.com/gpu.memory": "24576", "nvidia.com/gpu.count": "2"
    });
    let items = [
        node("h", &labels, &json!({ "nvidia.com/gpu": "8" })),
        pod("memory", &json!({ "nvidia.com/gpu": "1", "nvidia.com/gpumem": "6144" })),
    ];
    let trace = of(&items).expect("a node and a pod");
    assert_eq!((trace.nodes[0].devices.len(), requested(&trace, "ml/memory").3), (2, vec![Some(250)]));
}

#[test]
fn accelerators_of_all_makers_are_counted() {
    let labels = json!({ "amd.com/gpu.product-name": "MI325X" });
    let partitioned = json!({ "amd.com/gpu.compute-memory-partition": "cpx_nps1" });
    let numbered = json!({ "gpu.intel.com/gpu-numbers": "0.1" });
    let mut volcano =
        node("v", &json!({}), &json!({ "volcano.sh/vgpu-number": "6", "volcano.sh/vgpu-memory": "98304" }));
    volcano["metadata"]["annotations"] =
        json!({ "volcano.sh/node-vgpu-register": "GPU-a,6,16384,NVIDIA-Tesla V100,false:" });
    let items = [
        node("a", &labels, &json!({ "amd.com/gpu": "8" })),
        node("b", &partitioned, &json!({ "amd.com/gpu": "64" })),
        node("c", &json!({}), &json!({ "amd.com/cpx_nps4": "16" })),
        node("d", &numbered, &json!({ "gpu.intel.com/i915": "10", "gpu.intel.com/i915_monitoring": "1" })),
        node("e", &json!({}), &json!({ "habana.ai/gaudi": "8" })),
        node("f", &json!({}), &json!({ "huawei.com/Ascend910": "8" })),
        node("g", &json!({}), &json!({ "huawei.com/Ascend310P-2c": "4" })),
        node("h", &json!({}), &json!({ "aliyun.com/gpu-mem": "32", "aliyun.com/gpu-count": "2" })),
        node("i", &json!({}), &json!({ "koordinator.sh/gpu-core": "400", "koordinator.sh/gpu-memory-ratio": "400" })),
        volcano,
        pod("amd", &json!({ "amd.com/gpu": "4" })),
        pod("intel", &json!({ "gpu.intel.com/i915": "1" })),
        pod("npu", &json!({ "huawei.com/Ascend310P-2c": "1" })),
        pod("units", &json!({ "aliyun.com/gpu-mem": "4" })),
        pod("percent", &json!({ "koordinator.sh/gpu-core": "30", "koordinator.sh/gpu-memory-ratio": "45" })),
        pod("two", &json!({ "koordinator.sh/gpu-core": "200", "koordinator.sh/gpu-memory-ratio": "200" })),
        pod("vgpu", &json!({ "volcano.sh/vgpu-number": "1", "volcano.sh/vgpu-memory": "4096" })),
    ];
    let trace = of(&items).expect("nodes and pods");
    let gpus: Vec<usize> = trace.nodes.iter().map(|node| node.devices.len()).collect();
    assert_eq!(gpus, [8, 8, 2, 2, 8, 8, 1, 2, 4, 1]);
    let of_pod = |name: &str| {
        let (_, _, gpus, shares) = requested(&trace, name);
        let mut shares: Vec<u16> = shares.into_iter().flatten().collect();
        shares.sort_unstable();
        (gpus, shares)
    };
    // A resource is a GPU of node "a", and an eighth of one of node "b".
    assert_eq!(of_pod("ml/amd"), (4, vec![125, 1000]));
    assert_eq!(of_pod("ml/intel"), (1, vec![200]));
    assert_eq!(of_pod("ml/npu"), (1, vec![250]));
    assert_eq!(of_pod("ml/units"), (1, vec![250]));
    assert_eq!(of_pod("ml/percent"), (1, vec![450]));
    assert_eq!(of_pod("ml/two"), (2, vec![1000]));
    assert_eq!(of_pod("ml/vgpu"), (1, vec![250]));
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
                    nvidia.com/gpu.replicas is 1; read as 6 replicas of each GPU; b: 1 nvidia.com/gpu beside instances of 1 GPUs";
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

/// Objects of `resource.k8s.io/v1`: two GPUs of a node in a slice, a template for one, and a claim that two pods share.
#[test]
fn device_claims_are_requests_for_gpus() {
    let device = json!({
        "name": "gpu-0", "attributes": { "type": { "string": "gpu" }, "productName": { "string": "NVIDIA L40" } },
        "capacity": { "memory": { "value": "46068Mi" } }
    });
    let slice = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": { "name": "s" },
        "spec": { "nodeName": "d", "driver": "gpu.nvidia.com", "devices": [device, device] }
    });
    let requests =
        json!({ "devices": { "requests": [{ "name": "r", "exactly": { "deviceClassName": "gpu.nvidia.com" } }] } });
    let object = |kind: &str, name: &str, spec: Value| json!({ "apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": { "name": name, "namespace": "ml" }, "spec": spec });
    let claiming = |name: &str, claims: Value| {
        let mut pod = pod(name, &json!({}));
        pod["spec"]["resourceClaims"] = claims;
        pod
    };
    let items = [
        node("d", &json!({}), &json!({})),
        slice,
        object("ResourceClaimTemplate", "one", json!({ "spec": requests })),
        object("ResourceClaim", "common", requests.clone()),
        claiming("own", json!([{ "name": "a", "resourceClaimTemplateName": "one" }])),
        claiming(
            "both",
            json!([
                { "name": "a", "resourceClaimTemplateName": "one" }, { "name": "b", "resourceClaimTemplateName": "one" }
            ]),
        ),
        claiming("half", json!([{ "name": "a", "resourceClaimName": "common" }])),
        claiming("other-half", json!([{ "name": "a", "resourceClaimName": "common" }])),
        claiming("lost", json!([{ "name": "a", "resourceClaimName": "elsewhere" }])),
    ];
    let trace = of(&items).expect("a node and pods");
    assert_eq!((trace.types[0].as_str(), &trace.nodes[0].devices), ("NVIDIA L40", &vec![0, 0]));
    assert_eq!(requested(&trace, "ml/own"), (0, 0, 1, vec![Some(1000)]));
    assert_eq!(requested(&trace, "ml/both"), (0, 0, 2, vec![Some(1000)]));
    assert_eq!(requested(&trace, "ml/half"), (0, 0, 1, vec![Some(500)]));
    let named: Vec<&str> = trace.unread.names().map(|name| name.name).collect();
    assert_eq!(named, ["elsewhere"]);
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

/// Places on shared GPUs are no GPUs, and are named where no annotation says how many GPUs there are.
#[test]
fn whole_accelerators_of_further_makers_are_gpus() {
    for (resource, product) in [
        ("cambricon.com/mlu", "Cambricon MLU"),
        ("metax-tech.com/gpu", "MetaX GPU"),
        ("enflame.com/gcu", "Enflame GCU"),
    ] {
        let gpus = json!({ resource: "8", "hygon.com/dcunum": "4" });
        let trace = of(&[node("n", &json!({}), &gpus), pod("p", &json!({ resource: "2" }))]).expect("a node and a pod");
        assert_eq!((trace.types[0].as_str(), trace.nodes[0].devices.len()), (product, 8));
        assert_eq!(requested(&trace, "ml/p"), (0, 0, 2, vec![Some(1000)]));
        assert_eq!(trace.unread.names().map(|name| name.name).collect::<Vec<_>>(), ["hygon.com/dcunum"]);
    }
}

/// A node that offers these resources, with these annotations, is read as so many GPUs of a product; each request of a pod is of so
/// many GPUs, and of so many thousandths of each.
fn check_shared((offers, annotations): (Value, Value), (product, gpus): (&str, usize), requests: &[(Value, u8, u16)]) {
    let mut shared = node("n", &json!({}), &offers);
    shared["metadata"]["annotations"] = annotations;
    let pods = requests.iter().enumerate().map(|(place, (request, ..))| pod(&format!("p{place}"), request));
    let items: Vec<Value> = std::iter::once(shared).chain(pods).collect();
    let trace = of(&items).expect("a node and pods");
    assert_eq!((trace.types[0].as_str(), trace.nodes[0].devices.len()), (product, gpus));
    for (place, (request, gpus, share)) in requests.iter().enumerate() {
        let expected = (0, 0, *gpus, vec![Some(*share)]);
        assert_eq!(requested(&trace, &format!("ml/p{place}")), expected, "{request}");
    }
    assert!(trace.unread.is_empty(), "{product}: {:?}", trace.unread);
    assert!(!trace.notes.iter().any(|note| note.contains("contradicting")), "{:?}", trace.notes);
}

/// As the documents and tests of `HAMi` show them: <https://github.com/Project-HAMi/HAMi/tree/master/pkg/device>. Cores count
/// where they are the larger part; a task of Hygon or `MetaX` that names none has all of them.
#[test]
fn gpus_that_hami_registers_are_gpus_and_pods_request_parts_of_them() {
    let of_hygon = "D-0,4,16384,100,DCU-Z100,0,true,0,m:D-1,4,16384,100,DCU-Z100,0,true,1,m:";
    check_shared(
        (json!({ "hygon.com/dcunum": "8" }), json!({ "hami.io/node-dcu-register": of_hygon })),
        ("DCU-Z100", 2),
        &[
            (json!({ "hygon.com/dcunum": "1", "hygon.com/dcumem": "4096", "hygon.com/dcucores": "60" }), 1, 600),
            (json!({ "hygon.com/dcunum": "1", "hygon.com/dcumem": "4096", "hygon.com/dcucores": "10" }), 1, 250),
            (json!({ "hygon.com/dcunum": "1", "hygon.com/dcumem": "4096" }), 1, 1000),
            (json!({ "hygon.com/dcunum": "2" }), 2, 1000),
        ],
    );
    let of_metax =
        json!([{ "uuid": "G", "model": "C500", "totalDevCount": 16, "totalCompute": 100, "totalVRam": 65_536 }]);
    let request = |cores: &str, memory: &str| json!({ "metax-tech.com/sgpu": "1", "metax-tech.com/vcore": cores, "metax-tech.com/vmemory": memory });
    check_shared(
        (json!({ "metax-tech.com/sgpu": "16" }), json!({ "metax-tech.com/node-gpu-devices": of_metax.to_string() })),
        ("C500", 1),
        // GiB, or bytes with a unit: 8 of 64 GiB.
        &[(request("60", "4"), 1, 600), (request("5", "8192Mi"), 1, 125), (request("5", "8"), 1, 125)],
    );
    // 32 blocks of 256 MiB are 8 of 32 GiB.
    let request = json!({
        "iluvatar.ai/MR-V100-vgpu": "1", "iluvatar.ai/MR-V100.vCore": "10", "iluvatar.ai/MR-V100.vMem": "32"
    });
    check_shared(
        (
            json!({ "iluvatar.ai/MR-V100-vgpu": "10" }),
            json!({ "hami.io/node-MR-V100-register": "I-0,10,32768,100,MR-V100,0,true:" }),
        ),
        ("MR-V100", 1),
        &[(request, 1, 250), (json!({ "iluvatar.ai/MR-V100-vgpu": "1", "iluvatar.ai/MR-V100.vCore": "100" }), 1, 1000)],
    );
}

/// Enflame cuts a GPU into partitions of some of its slices, by request.
#[test]
fn partitions_that_hami_cuts_are_the_smallest_that_hold_a_request() {
    let of_enflame = json!({
        "devices": [{ "index": "0", "minor": "0", "capacity": 6 }, { "index": "1", "minor": "1", "capacity": 6 }],
        "profiles": { "1g.6gb": "0", "3g.20gb": "1", "6g.40gb": "2" }
    });
    check_shared(
        (json!({ "enflame.com/drs-gcu": "12" }), json!({ "enflame.com/gcu-drs-capacity": of_enflame.to_string() })),
        ("Enflame GCU", 2),
        &[
            (json!({ "enflame.com/drs-gcu": "3" }), 1, 500),
            (json!({ "enflame.com/gcu-memory": "20480", "enflame.com/gcu-core": "40" }), 1, 500),
            // A fifth of the cores takes two of six slices.
            (json!({ "enflame.com/gcu-core": "20" }), 1, 333),
        ],
    );
}

/// Nodes of Cambricon and Moore Threads offer the cores and the memory of all their GPUs.
#[test]
fn gpus_follow_from_their_cores_where_nothing_registers_them() {
    let request = |memory: &str, cores: &str| {
        json!({
            "cambricon.com/vmlu": "1", "cambricon.com/mlu.smlu.vmemory": memory, "cambricon.com/mlu.smlu.vcore": cores
        })
    };
    check_shared(
        // 192 blocks of 256 MiB are 24,576 MiB of each of two GPUs.
        (json!({ "cambricon.com/mlu.smlu.vcore": "200", "cambricon.com/mlu.smlu.vmemory": "192" }), json!({})),
        ("Cambricon MLU", 2),
        &[(request("24", "10"), 1, 250), (json!({ "cambricon.com/vmlu": "1" }), 1, 1000)],
    );
    let request = |gpus: &str, memory: &str, cores: &str| json!({ "mthreads.com/vgpu": gpus, "mthreads.com/sgpu-memory": memory, "mthreads.com/sgpu-core": cores });
    check_shared(
        // 16 cores are a GPU; a request is of all GPUs of a task together.
        (json!({ "mthreads.com/sgpu-core": "32", "mthreads.com/sgpu-memory": "192" }), json!({})),
        ("Moore Threads GPU", 2),
        &[(request("1", "24", "8"), 1, 500), (request("2", "48", "4"), 2, 250)],
    );
}

/// Without a label that says so, 64 partitions look like 64 GPUs.
#[test]
fn a_node_with_too_many_gpus_says_what_tells_parts_from_gpus() {
    let error = of(&[node("n", &json!({}), &json!({ "amd.com/gpu": "64" }))]).expect_err("too many").to_string();
    assert!(error.contains("it has 64 GPUs; at most 16 per node are supported"), "{error}");
    assert!(error.contains("amd.com/gpu.compute-memory-partition"), "{error}");
    // Beside a pod it is left out, and no message asks for the list of nodes, which the file already has.
    let items = [node("n", &json!({}), &json!({ "amd.com/gpu": "64" })), pod("p", &json!({ "amd.com/gpu": "1" }))];
    let notes = of(&items).expect("a pod").notes.join("\n");
    assert!(notes.contains("no node can be read") && !notes.contains("no node in it"), "{notes}");
}

/// Objects of `resource.k8s.io/v1alpha2` as `InstaSlice` and NVIDIA's first driver write them: a class, parameters in an object of the driver,
/// the names of a pod's claims in `source`, and the GPUs of a node in its `NodeAllocationState`.
#[test]
fn claims_of_a_class_are_requests_for_gpus() {
    let object = |group: &str, kind: &str, name: &str, spec: Value| json!({ "apiVersion": group, "kind": kind, "metadata": { "name": name, "namespace": "ml" }, "spec": spec });
    let template = |name: &str, kind: &str| {
        let parameters = json!({ "apiGroup": "gpu.resource.nvidia.com", "kind": kind, "name": name });
        let spec = json!({ "spec": { "resourceClassName": "gpu.nvidia.com", "parametersRef": parameters } });
        object("resource.k8s.io/v1alpha2", "ResourceClaimTemplate", name, spec)
    };
    let claiming = |name: &str, template: &str| {
        let mut pod = pod(name, &json!({}));
        pod["spec"]["resourceClaims"] = json!([{ "name": "c", "source": { "resourceClaimTemplateName": template } }]);
        pod
    };
    let gpu =
        json!({ "gpu": { "uuid": "G", "productName": "NVIDIA A100-SXM4-40GB", "memoryBytes": 42_949_672_960_u64 } });
    let instances = json!({ "mig": { "profile": "1g.5gb", "parentProductName": "NVIDIA A100-SXM4-40GB" } });
    let items = [
        node("n", &json!({}), &json!({})),
        object(
            "nas.gpu.resource.nvidia.com/v1alpha1",
            "NodeAllocationState",
            "n",
            json!({ "allocatableDevices": [gpu, gpu, instances] }),
        ),
        json!({
            "apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceClass", "metadata": { "name": "gpu.nvidia.com" },
            "driverName": "gpu.resource.nvidia.com"
        }),
        object("gpu.resource.nvidia.com/v1alpha1", "GpuClaimParameters", "two", json!({ "count": 2 })),
        object("gpu.resource.nvidia.com/v1alpha1", "MigDeviceClaimParameters", "slice", json!({ "profile": "1g.5gb" })),
        template("two", "GpuClaimParameters"),
        template("slice", "MigDeviceClaimParameters"),
        template("lost", "GpuClaimParameters"),
        claiming("whole", "two"),
        claiming("part", "slice"),
        claiming("unknown", "lost"),
    ];
    let trace = of(&items).expect("a node and pods");
    assert_eq!((trace.types[0].as_str(), trace.nodes[0].devices.len()), ("NVIDIA A100-SXM4-40GB", 2));
    assert_eq!(requested(&trace, "ml/whole"), (0, 0, 2, vec![Some(1000)]));
    assert_eq!(requested(&trace, "ml/part"), (0, 0, 1, vec![Some(142)]));
    assert_eq!(trace.unread.names().map(|name| (name.name, name.count)).collect::<Vec<_>>(), [("lost", 1)]);
}

/// The devices of a driver that is in no table, and slices of v1alpha2, are named with their count.
#[test]
fn slices_of_unknown_drivers_are_named() {
    let slice = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": { "name": "s" },
        "spec": { "nodeName": "n", "driver": "npu.example.com", "devices": [{ "name": "a" }, { "name": "b" }] }
    });
    let old = json!({
        "apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceSlice", "metadata": { "name": "t" }, "nodeName": "n",
        "driverName": "gpu.resource.nvidia.com", "namedResources": { "instances": [{ "name": "gpu-0" }] }
    });
    let trace = of(&[node("n", &json!({}), &json!({})), slice, old]).expect("a node");
    let named: Vec<_> = trace.unread.names().map(|name| (name.name, name.count, name.first)).collect();
    assert_eq!(named, [("gpu.resource.nvidia.com", 1, "node n"), ("npu.example.com", 2, "node n")]);
}

/// The layout of NVIDIA's driver for dynamic resource allocation: instances beside the GPU that they are cut from, or alone, and
/// the profile in an expression of the claim.
#[test]
fn a_claim_for_an_instance_is_a_part_of_a_gpu() {
    let instance = |name: &str| {
        json!({
            "name": name,
            "attributes": {
                "type": { "string": "mig" }, "profile": { "string": "1g.5gb" },
                "productName": { "string": "NVIDIA A100-SXM4-40GB" }
            }
        })
    };
    let gpu = json!({
        "name": "gpu-0",
        "attributes": { "type": { "string": "gpu" }, "productName": { "string": "NVIDIA A100-SXM4-40GB" } },
        "capacity": { "memory": { "value": "40Gi" } }
    });
    let template = |profile: &str| {
        let expression = format!("device.attributes['gpu.nvidia.com'].profile == '{profile}'");
        let request = json!({
            "name": "r",
            "exactly": { "deviceClassName": "mig.nvidia.com", "selectors": [{ "cel": { "expression": expression } }] }
        });
        json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
            "metadata": { "name": profile, "namespace": "ml" }, "spec": { "spec": { "devices": { "requests": [request] } } }
        })
    };
    for devices in [json!([gpu, instance("a")]), json!([instance("a"), instance("b")])] {
        let slice = json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": { "name": "s" },
            "spec": { "nodeName": "n", "driver": "gpu.nvidia.com", "devices": devices }
        });
        let mut claiming = pod("p", &json!({}));
        claiming["spec"]["resourceClaims"] = json!([{ "name": "c", "resourceClaimTemplateName": "1g.5gb" }]);
        let trace =
            of(&[node("n", &json!({}), &json!({})), slice, template("1g.5gb"), claiming]).expect("a node and a pod");
        assert_eq!(trace.nodes[0].devices.len(), 1);
        assert_eq!(trace.requests[trace.tasks[0].request].shares, [Some(WHOLE / 7)]);
        assert!(trace.unread.is_empty(), "{:?}", trace.unread);
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
