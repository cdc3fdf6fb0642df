//! The extender under load, with an API server that is down for a time, a pod that is deleted while it is placed, and a client that stops
//! midway. A program stands for kubectl, and the test is the API server.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Mutex;

use crossover_needs::wait_until;
use serde_json::{Value, json};

use super::api_server::{ApiServer, DOWN, Posted, Reply};
use super::client::{Connection, list, node, pod};
use super::{applying, events, names};

/// What kubectl prints while the API server is down.
const REFUSED: &str =
    "The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?";

/// Writes a file in one step, as another program reads it meanwhile.
fn replace(folder: &Path, name: &str, text: &str) {
    let new = folder.join(format!("{name}.new"));
    fs::write(&new, text).expect("written");
    fs::rename(new, folder.join(name)).expect("renamed");
}

#[test]
fn an_api_server_that_restarts_costs_no_place_and_no_pod() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    replace(here, "dump.json", &list(&[node("a", 2)]));
    let log = here.join("log.jsonl");
    let log = log.to_str().expect("text");
    let server = ApiServer::start(here, |_| Reply::Bound);
    let extender = applying(&server, &["--policy", "BestFit", "--refresh", "1", "--log", log]);
    let mut connection = extender.connect();
    let nodes = names(&["a"]);
    let mut first = pod("first", 600);
    connection.filter(&first, &nodes);
    assert_eq!(connection.bind(&first, "a"), "");
    let gpu = events(log, "bind")[0]["gpus"][0].to_string();
    // As the API server lists it from now on.
    first["spec"]["nodeName"] = json!("a");
    first["status"]["phase"] = json!("Running");
    first["metadata"]["annotations"]["alibabacloud.com/gpu-index"] = json!(gpu);
    replace(here, "dump.json", &list(&[node("a", 2), first]));

    replace(here, "error", REFUSED);
    server.answer_with(|_| Reply::Down);
    wait_until("the list to fail", || extender.messages().contains("nodes and pods are kept as they were"));
    let second = pod("second", 600);
    assert_eq!(connection.filter(&second, &nodes).0, nodes);
    assert!(connection.bind(&second, "a").contains(DOWN));
    // The GPU of the second one is free again, that of the first one is not.
    assert_eq!(connection.filter(&pod("whole", 1_000), &nodes).0, nodes);
    assert_eq!(connection.filter(&pod("both", 2_000), &nodes).0, Vec::<String>::new());

    // The pod is deleted while it is placed.
    server.answer_with(|_| Reply::Refused(404, "pods \"deleted\" not found"));
    let deleted = pod("deleted", 1_000);
    assert_eq!(connection.filter(&deleted, &nodes).0, nodes);
    assert!(connection.bind(&deleted, "a").contains("status 404: pods \"deleted\" not found"));

    server.answer_with(|_| Reply::Bound);
    fs::remove_file(here.join("error")).expect("a file");
    wait_until("the list to be read again", || extender.messages().contains("nodes and pods are read again"));
    assert_eq!(connection.filter(&second, &nodes).0, nodes);
    assert_eq!(connection.bind(&second, "a"), "");
    assert_eq!(connection.filter(&pod("third", 600), &nodes).0, Vec::<String>::new());
    let outcomes = |name: &str| {
        let of_pod = events(log, "bind").into_iter().filter(|event| event["pod"] == format!("default/{name}"));
        of_pod.map(|event| event["outcome"].as_str().expect("text").to_owned()).collect::<Vec<String>>()
    };
    assert_eq!(outcomes("first"), ["bound"]);
    let of_second = outcomes("second");
    assert!(of_second.len() == 2 && of_second[0].contains(DOWN) && of_second[1] == "bound", "{of_second:?}");
    assert!(outcomes("deleted").iter().all(|outcome| outcome.starts_with("not bound")));
}

/// Places a pod as kube-scheduler does, again and again until it is bound.
fn schedule(connection: &mut Connection, pod: &Value, nodes: &[String]) {
    loop {
        let (fitting, failed) = connection.filter(pod, nodes);
        assert!(!fitting.is_empty(), "there is always a place: {failed}");
        let args = json!({ "Pod": pod, "Nodes": null, "NodeNames": fitting });
        let answer = connection.post("/prioritize", &args);
        let priorities = answer.as_array().expect("a list").iter();
        let best = priorities.max_by_key(|priority| priority["Score"].as_i64()).expect("a node");
        let said = connection.bind(pod, best["Host"].as_str().expect("text"));
        if said.is_empty() {
            return;
        }
        // Another client was faster, or the API server was down.
        assert!(said.contains("no longer has room for pod") || said.contains(DOWN), "{said}");
    }
}

/// 32 pods of 40 % fill 16 GPUs, two each. Four clients place them at the same time, the API server refuses each binding once, and a fifth
/// client stops in the middle of a request.
#[test]
fn under_load_and_faults_every_pod_is_bound_once_and_no_gpu_has_more_than_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let nodes: Vec<String> = (0..4).map(|place| format!("node-{place}")).collect();
    let dump = here.join("nodes.json");
    fs::write(&dump, list(&nodes.iter().map(|name| node(name, 4)).collect::<Vec<Value>>())).expect("written");
    let log = here.join("log.jsonl");
    let log = log.to_str().expect("text");
    let tried = Mutex::new(BTreeSet::new());
    let flaky = move |posted: &Posted| {
        let is_new = tried.lock().expect("no panic").insert(posted.path.clone());
        if is_new { Reply::Down } else { Reply::Bound }
    };
    let server = ApiServer::start(here, flaky);
    let extender = applying(&server, &["--policy", "BestFit", "--nodes", dump.to_str().expect("text"), "--log", log]);
    let mut slow = TcpStream::connect(&extender.address).expect("it listens");
    slow.write_all(b"POST /filter HTTP/1.1\r\nContent-Length: 100000\r\n\r\n{\"Pod\":").expect("sent");
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (extender, nodes) = (&extender, &nodes);
            scope.spawn(move || {
                let mut connection = extender.connect();
                for place in 0..8 {
                    schedule(&mut connection, &pod(&format!("pod-{client}-{place}"), 400), nodes);
                }
            });
        }
    });
    let all = events(log, "bind");
    let (bound, refused): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|event| event["outcome"] == "bound");
    assert_eq!((bound.len(), refused.len()), (32, 32));
    let mut pods: Vec<String> = bound.iter().map(|event| event["pod"].to_string()).collect();
    pods.sort();
    pods.dedup();
    assert_eq!(pods.len(), 32);
    let mut on_gpu: BTreeMap<String, u32> = BTreeMap::new();
    for event in bound {
        *on_gpu.entry(format!("{} {}", event["node"], event["gpus"])).or_default() += 1;
    }
    assert!(on_gpu.len() == 16 && on_gpu.values().all(|pods| *pods == 2), "{on_gpu:?}");
    // A connection for each client at most.
    assert!((1..=4).contains(&server.connections()), "{}", server.connections());
    // The slow client held no other one up, and is itself not answered before its request is complete.
    drop(slow);
}
