//! Eviction for a latency-sensitive pod, as kube-scheduler asks for it in the published types.

use std::fs;
use std::time::{Duration, SystemTime};

use crossover_needs::wait_until;
use serde_json::{Value, json};

use super::api_server::{ApiServer, Reply};
use super::client::{Connection, Extender, list, node, pod};
use super::{applying, events, names, serve, written};

/// A pod with a priority, for so many thousandths of a GPU.
fn with_priority(name: &str, milli: u32, priority: i64) -> Value {
    let mut pod = pod(name, milli);
    pod["spec"]["priority"] = json!(priority);
    pod
}

/// The same on the first GPU of a node.
fn running(name: &str, milli: u32, priority: i64, node: &str) -> Value {
    let mut pod = with_priority(name, milli, priority);
    pod["spec"]["nodeName"] = json!(node);
    pod["status"]["phase"] = json!("Running");
    pod["metadata"]["annotations"]["alibabacloud.com/gpu-index"] = json!("0");
    pod
}

/// What kube-scheduler sends with `nodeCacheCapable`: for each node, the pods that it would evict itself.
fn preempted(connection: &mut Connection, pod: &Value, nodes: &[&str]) -> Value {
    let victims: serde_json::Map<String, Value> = nodes
        .iter()
        .map(|node| ((*node).to_owned(), json!({ "Pods": [{ "UID": "uid-other" }], "NumPDBViolations": 1 })))
        .collect();
    let args = json!({ "Pod": pod, "NodeNameToVictims": null, "NodeNameToMetaVictims": victims });
    connection.post("/preempt", &args)
}

/// Example F of the document ([0085]): 20 % of the GPU of c are left, and a task that is not latency-sensitive has 40 %, so that a
/// latency-sensitive one of 35 % fits once it is released. On a, all tasks are latency-sensitive.
#[test]
fn a_latency_sensitive_pod_evicts_another_one_where_that_is_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    let others = [running("busy", 1_000, 5, "a"), running("guard", 400, 5, "c"), running("train", 400, 0, "c")];
    let items: Vec<Value> = [node("a", 1), node("c", 1)].into_iter().chain(others).collect();
    let dump = written(folder.path(), "dump.json", &list(&items));
    let log = folder.path().join("log.jsonl");
    let log = log.to_str().expect("text");
    let server = ApiServer::start(folder.path(), |_| Reply::Bound);
    let extender = applying(&server, &["--policy", "MostLeft", "--nodes", &dump, "--log", log]);
    let mut connection = extender.connect();
    let (infer, nodes) = (with_priority("infer", 350, 10), names(&["a", "c"]));
    let (fitting, failed) = connection.filter(&infer, &nodes);
    assert_eq!(fitting, Vec::<String>::new());
    assert_eq!(failed["c"], "too little is left of its GPUs");

    let none = json!({ "NodeNameToMetaVictims": {} });
    // Not for a pod that is not latency-sensitive, not where 60 % are too little, and not on another node than the named ones.
    assert_eq!(preempted(&mut connection, &pod("batch", 350), &["a", "c"]), none);
    assert_eq!(preempted(&mut connection, &with_priority("large", 700, 10), &["a", "c"]), none);
    assert_eq!(preempted(&mut connection, &infer, &["a"]), none);
    let expected =
        json!({ "NodeNameToMetaVictims": { "c": { "Pods": [{ "UID": "uid-train" }], "NumPDBViolations": 1 } } });
    assert_eq!(preempted(&mut connection, &infer, &["a", "c"]), expected);
    let event = events(log, "preempt").pop().expect("an eviction");
    assert_eq!((&event["pod"], &event["node"]), (&json!("default/infer"), &json!("c")));
    assert_eq!(event["victims"], json!([{ "pod": "default/train", "uid": "uid-train" }]));
    // The pod is still there, and another one is not evicted meanwhile. Its place is promised: it is not named for a second pod.
    assert_eq!(preempted(&mut connection, &infer, &["a", "c"]), none);
    assert_eq!(preempted(&mut connection, &with_priority("second", 350, 10), &["a", "c"]), none);
    assert_eq!(events(log, "preempt").len(), 1);

    // It is gone. Long after: what was bound shortly before a list was made may be absent from it.
    fs::write(&dump, list(&items[..4])).expect("written");
    let file = fs::File::options().write(true).open(&dump).expect("a file");
    file.set_modified(SystemTime::now() + Duration::from_mins(10)).expect("a time");
    wait_until("the pod to be released", || !events(log, "release").is_empty());
    assert_eq!(connection.filter(&infer, &nodes).0, ["c"]);
    assert_eq!(preempted(&mut connection, &infer, &["a", "c"]), none, "it fits");
}

/// 20 % are left, and 50 % are needed: of the two pods the later one goes first, and stays, as the earlier one alone is enough. Pods of
/// the same or a higher priority, and those whose GPUs no annotation names, are not evicted.
#[test]
fn only_pods_that_have_to_go_and_may_are_evicted() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |mut pod: Value, time: &str| {
        pod["metadata"]["creationTimestamp"] = json!(time);
        pod
    };
    let early = at(running("early", 400, 0, "c"), "2026-03-01T10:00:00Z");
    let late = at(running("late", 100, 0, "c"), "2026-03-01T11:00:00Z");
    let guard = running("guard", 300, 5, "c");
    let mut unnamed = running("unnamed", 1_000, 0, "d");
    unnamed["metadata"]["annotations"] = json!({});
    let equal = running("equal", 900, -1, "e");
    let nodes = [node("c", 1), node("d", 1), node("e", 1), node("f", 1)];
    let pods = [early, late, guard, unnamed, equal, running("other", 900, 0, "f")];
    let items: Vec<Value> = nodes.into_iter().chain(pods).collect();
    let dump = written(folder.path(), "dump.json", &list(&items));
    let log = folder.path().join("log.jsonl");
    let log = log.to_str().expect("text");
    let infer = with_priority("infer", 500, 10);
    let victims = |answer: &Value| answer["NodeNameToMetaVictims"].clone();

    let server = ApiServer::start(folder.path(), |_| Reply::Bound);
    let extender = applying(&server, &["--nodes", &dump]);
    let mut connection = extender.connect();
    let expected = json!({ "c": { "Pods": [{ "UID": "uid-early" }], "NumPDBViolations": 1 } });
    assert_eq!(victims(&preempted(&mut connection, &infer, &["c"])), expected);
    assert_eq!(victims(&preempted(&mut connection, &with_priority("second", 500, 10), &["d"])), json!({}));
    // Its class makes it latency-sensitive, not its priority.
    let mut guaranteed = with_priority("guaranteed", 500, 0);
    guaranteed["status"]["qosClass"] = json!("Guaranteed");
    assert_eq!(victims(&preempted(&mut connection, &guaranteed, &["c"])), json!({}));
    let expected = json!({ "e": { "Pods": [{ "UID": "uid-equal" }], "NumPDBViolations": 1 } });
    assert_eq!(victims(&preempted(&mut connection, &guaranteed, &["c", "e"])), expected);
    // Without `nodeCacheCapable` whole pods are sent.
    let whole_pods = json!({ "f": { "Pods": [running("other", 900, 0, "f")], "NumPDBViolations": 0 } });
    let args = json!({ "Pod": with_priority("whole", 500, 10), "NodeNameToVictims": whole_pods });
    let answer = connection.post("/preempt", &args);
    assert_eq!(answer["NodeNameToMetaVictims"]["f"]["Pods"], json!([{ "UID": "uid-other" }]));
    let (status, problem) = connection.post_text("/preempt", "{}");
    assert!(status == 400 && problem.contains("Pod"), "{status} {problem}");

    // A dry run evicts none, and the log says what it would do.
    let extender = Extender::start(serve(&["--nodes", &dump, "--log", log]));
    assert_eq!(victims(&preempted(&mut extender.connect(), &infer, &["c"])), json!({}));
    let event = events(log, "preempt").pop().expect("an eviction");
    assert_eq!((&event["victims"][0]["pod"], &event["outcome"]), (&json!("default/early"), &json!("dry run")));
    // Without a list of pods it would not learn that one is gone.
    let extender = applying(&server, &[]);
    assert_eq!(victims(&preempted(&mut extender.connect(), &infer, &["c"])), json!({}));
}
