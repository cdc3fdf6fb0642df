//! The extender under load, with an API server that is down for a time, a pod that is deleted while it is placed, and a client that stops
//! midway. A program stands for kubectl and the API server.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crossover_needs::wait_until;
use serde_json::{Value, json};

use super::client::{Connection, Extender, list, node, pod};
use super::{events, names, serve};

/// What kubectl prints while the API server is down.
const REFUSED: &str =
    "The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?";

/// A program that stands for kubectl: it lists `dump.json` and takes bindings. While there is a file `error`, it prints that and
/// fails; with a file `flaky`, it refuses the first binding of each pod.
fn kubectl(folder: &Path) -> OsString {
    let kept = folder.to_str().expect("text");
    let script = format!(
        "#!/bin/sh\nif [ -f '{kept}/error' ]; then cat '{kept}/error' >&2; exit 1; fi\n\
         if [ \"$1\" = get ]; then exec cat '{kept}/dump.json'; fi\n\
         cat > /dev/null\npod=$(basename \"$(dirname \"$4\")\")\n\
         if [ -f '{kept}/flaky' ] && mkdir \"{kept}/tried-$pod\" 2> /dev/null; then echo '{REFUSED}' >&2; exit 1; fi\n\
         exit 0\n"
    );
    let program = folder.join("kubectl");
    fs::write(&program, script).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path))).expect("paths")
}

/// Writes a file in one step, as another program reads it meanwhile.
fn replace(folder: &Path, name: &str, text: &str) {
    let new = folder.join(format!("{name}.new"));
    fs::write(&new, text).expect("written");
    fs::rename(new, folder.join(name)).expect("renamed");
}

/// `crossover allocate serve --apply` with that kubectl.
fn start(folder: &Path, more: &[&str]) -> Extender {
    let mut command = serve(&[&["--policy", "BestFit", "--apply"][..], more].concat());
    command.env("PATH", kubectl(folder));
    Extender::start(command)
}

#[test]
fn an_api_server_that_restarts_costs_no_place_and_no_pod() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    replace(here, "dump.json", &list(&[node("a", 2)]));
    let log = here.join("log.jsonl");
    let log = log.to_str().expect("text");
    let extender = start(here, &["--refresh", "1", "--log", log]);
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
    wait_until("the list to fail", || extender.messages().contains("nodes and pods are kept as they were"));
    let second = pod("second", 600);
    assert_eq!(connection.filter(&second, &nodes).0, nodes);
    assert!(connection.bind(&second, "a").contains(REFUSED));
    // The GPU of the second one is free again, that of the first one is not.
    assert_eq!(connection.filter(&pod("whole", 1_000), &nodes).0, nodes);
    assert_eq!(connection.filter(&pod("both", 2_000), &nodes).0, Vec::<String>::new());

    // The pod is deleted while it is placed.
    replace(here, "error", "Error from server (NotFound): pods \"deleted\" not found");
    let deleted = pod("deleted", 1_000);
    assert_eq!(connection.filter(&deleted, &nodes).0, nodes);
    assert!(connection.bind(&deleted, "a").contains("not found"));

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
    assert!(of_second.len() == 2 && of_second[0].contains(REFUSED) && of_second[1] == "bound", "{of_second:?}");
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
        assert!(said.contains("no longer has room for pod") || said.contains(REFUSED), "{said}");
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
    fs::write(here.join("flaky"), "").expect("written");
    let log = here.join("log.jsonl");
    let log = log.to_str().expect("text");
    let extender = start(here, &["--nodes", dump.to_str().expect("text"), "--log", log]);
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
    // The slow client held no other one up, and is itself not answered before its request is complete.
    drop(slow);
}
