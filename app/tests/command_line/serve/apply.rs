//! Bindings with `--apply`: what is posted over the socket of `kubectl proxy`, and what a proxy that fails costs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crossover_needs::wait_until;
use serde_json::{Value, json};

use super::api_server::{ApiServer, Posted, Reply};
use super::client::{Extender, list, node, pod};
use super::{applying, events, names, serve, written};
use crate::outcome_of;

/// An answer of Kubernetes: `assignPod` in pkg/registry/core/pod/storage/storage.go.
const ON_A: &str =
    "Operation cannot be fulfilled on pods/binding \"first\": pod first is already assigned to node \"a\"";
/// The same answer for another node.
const ON_B: &str =
    "Operation cannot be fulfilled on pods/binding \"first\": pod first is already assigned to node \"b\"";

/// Answers the first binding so, and later ones with the second reply.
fn first_then(
    first: impl Fn() -> Reply + Send + Sync + 'static,
    then: impl Fn() -> Reply + Send + Sync + 'static,
) -> impl Fn(&Posted) -> Reply + Send + Sync + 'static {
    let is_first = AtomicBool::new(true);
    move |_| if is_first.swap(false, Ordering::Relaxed) { first() } else { then() }
}

/// An extender for one node with one GPU, and its log.
fn with_one_gpu(folder: &Path, server: &ApiServer) -> (Extender, String) {
    let dump = written(folder, "dump.json", &list(&[node("a", 1)]));
    let log = folder.join("log.jsonl").to_str().expect("text").to_owned();
    (applying(server, &["--nodes", &dump, "--log", &log]), log)
}

#[test]
fn a_binding_with_the_gpus_is_posted_and_a_refusal_frees_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = ApiServer::start(folder.path(), |_| Reply::Refused(409, ON_B));
    let (extender, _) = with_one_gpu(folder.path(), &server);
    let mut connection = extender.connect();
    let (first, nodes) = (pod("first", 600), names(&["a"]));
    connection.filter(&first, &nodes);
    let said = connection.bind(&first, "a");
    assert_eq!(said, format!("crossover: the API server answered with status 409: {ON_B}"));
    // Its share is free again.
    assert_eq!(connection.filter(&pod("second", 1_000), &nodes).0, nodes);
    server.answer_with(|_| Reply::Bound);
    assert_eq!(connection.bind(&pod("second", 1_000), "a"), "");
    // kube-scheduler may send a bound pod again if an answer was lost: the pod keeps its GPU, and is not placed once more.
    let again = connection.post("/filter", &json!({ "Pod": pod("second", 1_000), "NodeNames": nodes }));
    assert_eq!(again["Error"], "crossover: pod default/second was bound to node a already");
    assert_eq!(connection.filter(&first, &nodes).0, Vec::<String>::new());

    let Posted { path, binding } = server.posted().pop().expect("a binding");
    assert_eq!(path, "/api/v1/namespaces/default/pods/second/binding");
    assert_eq!((&binding["kind"], &binding["metadata"]["uid"]), (&json!("Binding"), &json!("uid-second")));
    assert_eq!(binding["target"], json!({ "apiVersion": "v1", "kind": "Node", "name": "a" }));
    assert_eq!(binding["metadata"]["annotations"]["alibabacloud.com/gpu-index"], "0");
    assert_eq!(binding["metadata"]["annotations"]["crossover/cuda-mps-active-thread-percentage"], "100");
    // One proxy, which forwards bindings only, and one connection for both pods.
    let starts = server.starts();
    let [start] = &starts[..] else { panic!("{starts:?}") };
    assert!(start.starts_with("proxy --unix-socket /"), "{start}");
    assert!(start.ends_with(" --accept-paths=^/api/v1/namespaces/[^/]+/pods/[^/]+/binding$"), "{start}");
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_proxy_that_ends_midway_is_started_again_and_the_pod_is_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = ApiServer::start(folder.path(), first_then(|| Reply::ProxyEnds, || Reply::Bound));
    let (extender, log) = with_one_gpu(folder.path(), &server);
    let mut connection = extender.connect();
    let (first, nodes) = (pod("first", 1_000), names(&["a"]));
    connection.filter(&first, &nodes);
    assert_eq!(connection.bind(&first, "a"), "");
    assert_eq!(events(&log, "bind").pop().expect("a decision")["outcome"], "bound");
    let posted = server.posted();
    assert!(posted.len() == 2 && posted[0] == posted[1], "{posted:?}");
    assert_eq!(server.starts().len(), 2);
    let said = "crossover: kubectl proxy has ended; it is started again\n";
    wait_until("the end of the proxy to be said", || extender.messages().contains(said));
    assert_eq!(extender.messages().matches(said).count(), 1);
}

/// The proxy ended after the API server had bound the pod, so that the second request is a conflict.
#[test]
fn a_pod_whose_answer_was_lost_is_bound_if_it_is_on_its_node() {
    for (conflict, expected) in [(ON_A, ""), (ON_B, ON_B)] {
        let folder = tempfile::tempdir().expect("a folder");
        let reply = first_then(|| Reply::ProxyEnds, move || Reply::Refused(409, conflict));
        let server = ApiServer::start(folder.path(), reply);
        let (extender, _) = with_one_gpu(folder.path(), &server);
        let mut connection = extender.connect();
        let (first, nodes) = (pod("first", 1_000), names(&["a"]));
        connection.filter(&first, &nodes);
        let said = connection.bind(&first, "a");
        assert!(said.ends_with(expected) && said.is_empty() == expected.is_empty(), "{said}");
        let is_free = connection.filter(&pod("second", 1_000), &nodes).0 == nodes;
        assert_eq!(is_free, !expected.is_empty());
    }
}

/// Two half answers: the API server may have bound the pod, so no other pod gets its GPU.
#[test]
fn a_pod_that_may_be_bound_keeps_its_gpu_until_it_is_sent_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = ApiServer::start(folder.path(), |_| Reply::Half);
    let (extender, log) = with_one_gpu(folder.path(), &server);
    let mut connection = extender.connect();
    let (first, nodes) = (pod("first", 600), names(&["a"]));
    connection.filter(&first, &nodes);
    let cut = "kubectl proxy: the connection ended in the middle of an answer";
    assert_eq!(connection.bind(&first, "a"), format!("crossover: {cut}"));
    assert_eq!(events(&log, "bind")[0]["outcome"], format!("may be bound: {cut}"));
    assert_eq!(server.posted().len(), 2);
    assert_eq!(connection.filter(&pod("second", 1_000), &nodes).0, Vec::<String>::new());
    // kube-scheduler sends a pod that is not bound once more.
    server.answer_with(|_| Reply::Bound);
    assert_eq!(connection.filter(&first, &nodes).0, nodes);
    assert_eq!(connection.bind(&first, "a"), "");
    assert_eq!(server.starts().len(), 1, "the proxy did not end");
}

#[test]
fn a_proxy_that_does_not_start_ends_the_command_with_its_last_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = ApiServer::start(folder.path(), |_| Reply::Bound);
    let program = folder.path().join("kubectl");
    fs::write(&program, "#!/bin/sh\necho 'error: no such context' >&2\nexit 1\n").expect("written");
    let dump = written(folder.path(), "dump.json", &list(&[node("a", 1)]));
    let mut command = serve(&["--nodes", &dump, "--apply"]);
    let (code, _, messages) = outcome_of(command.env("PATH", server.path()).output().expect("it starts"));
    let expected = "crossover: kubectl proxy cannot be started: error: no such context\n";
    assert_eq!((code, messages.as_str()), (Some(1), expected));
}

#[test]
fn a_proxy_ends_with_an_extender_that_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = ApiServer::start(folder.path(), |_| Reply::Bound);
    let (extender, _) = with_one_gpu(folder.path(), &server);
    let socket = server.socket();
    let its_folder = socket.parent().expect("a folder");
    assert_eq!(fs::metadata(its_folder).expect("it is there").permissions().mode() & 0o777, 0o700);
    // It gets no signal that it could handle.
    drop(extender);
    wait_until("the folder to be removed", || !its_folder.exists());
    wait_until("the proxy to end", || folder.path().join("ended").exists());
}

/// Twenty pods one after the other need one connection.
#[test]
fn a_connection_is_kept_for_the_next_pod() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = ApiServer::start(folder.path(), |_| Reply::Bound);
    let (extender, log) = with_one_gpu(folder.path(), &server);
    let mut connection = extender.connect();
    let nodes = names(&["a"]);
    for place in 0..20 {
        let pod = pod(&format!("pod-{place}"), 50);
        connection.filter(&pod, &nodes);
        assert_eq!(connection.bind(&pod, "a"), "");
    }
    let outcomes: Vec<Value> = events(&log, "bind").iter().map(|event| event["outcome"].clone()).collect();
    assert_eq!(outcomes, vec![json!("bound"); 20]);
    assert_eq!((server.posted().len(), server.connections(), server.starts().len()), (20, 1, 1));
}
