//! Nodes and pods as kubectl prints them. Labels and resources follow the documents of NVIDIA's device plugin and GPU
//! feature discovery: <https://github.com/NVIDIA/k8s-device-plugin>.

mod balance;
mod claims;
mod makers;
mod sharing;

use std::io::Write as _;

use crossover_allocation::{Request, THOUSANDTH, Trace};
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
