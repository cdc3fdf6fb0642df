//! The scheduler extender: conversations as kube-scheduler leads them, over loopback.

#[cfg(unix)]
mod api_server;
#[cfg(unix)]
mod apply;
mod client;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod preempt;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use crossover_allocation::{Arrival, Cluster, Policy, Replay, SharingPolicy, TaskRun, Typical, Workload};
use crossover_needs::{certificate, wait_until};
use crossover_study::Watch;
use serde_json::{Value, json};

use super::{crossover, refusal, run};
use client::{Connection, Extender, list, node, pod};

/// `crossover allocate serve` with these arguments.
fn serve(arguments: &[&str]) -> Command {
    crossover(&[&["allocate", "serve"][..], arguments].concat())
}

/// An extender with `--apply`, for an API server.
#[cfg(unix)]
fn applying(server: &api_server::ApiServer, arguments: &[&str]) -> Extender {
    let mut command = serve(&[arguments, &["--apply"][..]].concat());
    command.env("PATH", server.path());
    Extender::start(command)
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    path.to_str().expect("text").to_owned()
}

/// Lines of a log of this event.
fn events(log: &str, event: &str) -> Vec<Value> {
    let text = fs::read_to_string(log).unwrap_or_default();
    let all = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    all.filter(|line| line["event"] == event).collect()
}

fn names(nodes: &[&str]) -> Vec<String> {
    nodes.iter().map(|name| (*name).to_owned()).collect()
}

/// A pod, with the node and the GPUs that it gets, if it is placed.
type Placed = (String, Option<(String, Vec<usize>)>);

/// What a replay does with the pods of a dump, in the order of their names, if none of them ends.
fn replayed(dump: &Path, policy: Policy) -> Vec<Placed> {
    let trace = crossover_traces::kubernetes::read(&[dump]).expect("a dump");
    let cluster = Cluster::new(&trace.nodes);
    let workload = Workload::new(&cluster, trace.requests.clone());
    let mut counts = vec![0; trace.requests.len()];
    trace.tasks.iter().for_each(|task| counts[task.request] += 1);
    let typical = Typical::new(&cluster, &workload, &counts);
    let sharing = SharingPolicy::none(trace.requests.len(), trace.types.len());
    let replay = Replay {
        cluster: &cluster,
        workload: &workload,
        typical: &typical,
        policy,
        seed: 42,
        sharing: &sharing,
        most_logged: 10_000,
    };
    let arrivals = trace.tasks.iter().enumerate().map(|(place, task)| Arrival {
        at: place as f64,
        request: task.request,
        seconds: 1e6,
        is_sensitive: false,
        uses: 1.0,
    });
    let replayed = Watch::uncancellable(|watch| replay.run(arrivals, watch)).expect("it cannot be cancelled");
    let of_task = |place: usize| {
        let is_first = |run: &&TaskRun| run.task == place as u64 && run.from == run.arrived;
        let run = replayed.log.task_runs.iter().find(is_first)?;
        Some((trace.nodes[run.place.node].name.clone(), run.place.gpus.places().collect()))
    };
    trace.tasks.iter().enumerate().map(|(place, task)| (task.name.clone(), of_task(place))).collect()
}

#[test]
fn under_every_policy_pods_are_placed_as_in_a_replay_of_the_same_arrivals() {
    let folder = tempfile::tempdir().expect("a folder");
    let nodes: Vec<String> = (0..6).map(|place| format!("node-{place}")).collect();
    // 24 GPUs; the pods request 44.
    let pods: Vec<Value> = (0..40_usize)
        .map(|place| pod(&format!("pod-{place:02}"), [300, 500, 1_000, 200, 700, 2_000, 100, 4_000][place * 5 % 8]))
        .collect();
    let items: Vec<Value> = nodes.iter().map(|name| node(name, 4)).chain(pods.iter().cloned()).collect();
    let dump = written(folder.path(), "dump.json", &list(&items));
    for policy in Policy::ALL {
        let log = folder.path().join(format!("{}.jsonl", policy.label()));
        let log = log.to_str().expect("text");
        let extender = Extender::start(serve(&["--policy", policy.label(), "--nodes", &dump, "--log", log]));
        let mut connection = extender.connect();
        let mut waiting = 0;
        for ((name, expected), pod) in replayed(Path::new(&dump), policy).into_iter().zip(&pods) {
            assert_eq!(name, format!("default/{}", pod["metadata"]["name"].as_str().expect("text")));
            let (fitting, failed) = connection.filter(pod, &nodes);
            assert_eq!(fitting.len() + failed.as_object().expect("nodes").len(), nodes.len());
            let Some((node, gpus)) = expected else {
                waiting += 1;
                assert_eq!(fitting, Vec::<String>::new(), "{policy:?} {name}");
                continue;
            };
            assert_eq!(connection.best(pod, &fitting), node, "{policy:?} {name}");
            assert!(connection.bind(pod, &node).contains("dry run: would bind"), "{policy:?} {name}");
            let decision = events(log, "bind").pop().expect("a decision");
            assert_eq!((&decision["node"], &decision["gpus"]), (&json!(node), &json!(gpus)), "{policy:?} {name}");
        }
        assert!(waiting > 0 && waiting < 30, "{policy:?}: {waiting} wait");
    }
}

/// Two nodes with two GPUs each; best fit fills one GPU after the other.
#[test]
fn whole_nodes_in_requests_are_enough_and_shares_of_a_gpu_add_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log.jsonl");
    let log = log.to_str().expect("text");
    let extender = Extender::start(serve(&["--policy", "BestFit", "--log", log, "--compare"]));
    let mut connection = extender.connect();
    let first = pod("first", 400);
    let whole = json!({ "metadata": {}, "items": [node("a", 2), node("b", 2)] });
    let answer = connection.post("/filter", &json!({ "Pod": first, "Nodes": whole, "NodeNames": null }));
    assert_eq!(answer["Nodes"]["items"].as_array().map(Vec::len), Some(2), "{answer}");
    assert_eq!((&answer["NodeNames"], &answer["Error"]), (&Value::Null, &json!("")));
    assert_eq!(events(log, "cluster").len(), 1);

    let both = names(&["a", "b"]);
    let node = connection.best(&first, &both);
    let other = both.iter().find(|name| **name != node).expect("two nodes").clone();
    let said = connection.bind(&first, &node);
    // 400 of 1,000 thousandths: 40 %, and 0.4 × 15,360 MiB = 6,144 MiB.
    for part in [
        "dry run: would bind default/first to",
        "crossover/cuda-visible-devices=",
        "crossover/cuda-mps-active-thread-percentage=40",
        "crossover/cuda-mps-pinned-device-mem-limit=0=6144M",
        "--apply",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let placed = |connection: &mut Connection, pod: &Value| {
        let (fitting, _) = connection.filter(pod, &both);
        let node = connection.best(pod, &fitting);
        connection.bind(pod, &node);
        let decision = events(log, "bind").pop().expect("a decision");
        (node, decision["gpus"][0].as_u64().expect("a GPU"))
    };
    let of_first = events(log, "bind")[0]["gpus"][0].as_u64().expect("a GPU");
    // 700 do not fit beside 400; 600 do.
    assert_eq!(placed(&mut connection, &pod("second", 700)), (node.clone(), 1 - of_first));
    assert_eq!(placed(&mut connection, &pod("third", 600)), (node.clone(), of_first));
    let (fitting, failed) = connection.filter(&pod("fourth", 1_000), &both);
    assert_eq!((fitting, failed), (vec![other.clone()], json!({ (node.clone()): "too little is left of its GPUs" })));
    let others = events(log, "bind")[1]["others"].as_object().expect("other policies").clone();
    assert!(others.len() == 7 && !others.contains_key("BestFit"), "{others:?}");
    assert!(others.values().all(|name| *name == json!("a") || *name == json!("b")), "{others:?}");

    // Bound twice: the same place, counted once.
    connection.bind(&first, &node);
    assert_eq!(events(log, "bind").pop().expect("a decision")["gpus"][0], of_first);
    assert_eq!(connection.filter(&pod("fifth", 300), &names(&[&node])).0, std::slice::from_ref(&node));
    // Another pod of the same name: the first one was deleted, and its 400 are free again.
    let mut again = pod("first", 400);
    again["metadata"]["uid"] = json!("uid-again");
    assert_eq!(placed(&mut connection, &again), (node.clone(), of_first));
    assert_eq!(events(log, "release")[0]["uid"], "uid-first");
    assert!(connection.bind(&first, &node).contains("is not known"));
}

#[test]
fn bad_requests_have_a_status_and_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let dump = written(folder.path(), "dump.json", &list(&[node("a", 2)]));
    let extender = Extender::start(serve(&["--nodes", &dump]));
    let post = |path: &str, body: &str| extender.connect().post_text(path, body);
    let one_line = |path: &str, body: &str, status: u16, part: &str| {
        let (given, text) = post(path, body);
        assert_eq!((given, text.lines().count()), (status, 1), "{text}");
        assert!(text.contains(part), "{text}");
    };
    one_line("/filter", "{", 400, "line 1 column 1");
    one_line("/filter", "{}", 400, "Pod");
    one_line("/filter", r#"{"Pod":{"metadata":{"name":"p"},"spec":{"containers":[]}}}"#, 400, "NodeNames");
    one_line("/filter", r#"{"Pod":{"metadata":{}},"NodeNames":[]}"#, 400, "metadata.name is absent");
    one_line("/bind", r#"{"PodName":"p"}"#, 400, "PodNamespace");
    one_line("/preempt", "{}", 400, "Pod");
    one_line("/other", "{}", 404, "/prioritize");
    let of = |text: &str| extender.connect().send(text.as_bytes());
    assert_eq!(of("GET /filter HTTP/1.1\r\n\r\n").0, 405);
    assert_eq!(of("GET /healthz HTTP/1.1\r\n\r\n"), (200, "{}".to_owned()));
    assert_eq!(of("POST /filter HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n").0, 413);
    assert_eq!(of("POST /filter HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n").0, 411);
    assert_eq!(of("hello\r\n\r\n").0, 400);

    let mut connection = extender.connect();
    let (fitting, failed) = connection.filter(&pod("p", 500), &names(&["a", "ghost"]));
    assert_eq!(fitting, ["a"]);
    assert!(failed["ghost"].as_str().is_some_and(|why| why.contains("does not know this node")), "{failed}");
    assert!(connection.bind(&pod("stranger", 500), "a").contains("pod default/stranger (uid-stranger) is not known"));
    assert!(connection.bind(&pod("p", 500), "ghost").contains("node ghost is not known"));
    let answer = connection.post("/filter", &json!({ "Pod": pod("large", 9_000), "NodeNames": ["a"] }));
    assert_eq!(answer["FailedAndUnresolvableNodes"]["a"], "too few GPUs of a type that the pod can use");
    let mut unknown = pod("unknown", 1_000);
    unknown["spec"]["containers"][0]["resources"]["limits"] = json!({ "amd.com/gpu": "1" });
    let answer = connection.post("/filter", &json!({ "Pod": unknown, "NodeNames": ["a"] }));
    assert!(answer["Error"].as_str().is_some_and(|why| why.contains("amd.com/gpu; no node offers that")), "{answer}");
}

/// A pod that the file lacks is gone, and its GPU is free; a damaged file changes nothing.
#[test]
fn nodes_and_pods_are_read_again_when_the_file_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = |name: &str, milli: u32, gpu: &str| {
        let mut pod = pod(name, milli);
        pod["spec"]["nodeName"] = json!("a");
        pod["status"]["phase"] = json!("Running");
        pod["metadata"]["annotations"]["alibabacloud.com/gpu-index"] = json!(gpu);
        pod
    };
    let all = [node("a", 2), running("one", 700, "1"), running("two", 800, "0")];
    let dump = written(folder.path(), "dump.json", &list(&all));
    let log = folder.path().join("log.jsonl");
    let log = log.to_str().expect("text");
    let extender = Extender::start(serve(&["--policy", "BestFit", "--nodes", &dump, "--log", log]));
    let mut connection = extender.connect();
    let nodes = names(&["a"]);
    assert_eq!(connection.filter(&pod("new", 500), &nodes).0, Vec::<String>::new());
    assert_eq!(connection.filter(&pod("small", 300), &nodes).0, nodes);
    connection.bind(&pod("small", 300), "a");
    // GPU 1 has 300 left, GPU 0 has 200.
    assert_eq!(events(log, "bind")[0]["gpus"], json!([1]));

    fs::write(&dump, "{\"items\": [").expect("written");
    wait_until("the damaged file to be seen", || extender.messages().contains("kept as they were"));
    assert_eq!(connection.filter(&pod("new", 500), &nodes).0, Vec::<String>::new());

    // Long after: what was bound shortly before a list was made may be absent from it.
    fs::write(&dump, list(&all[..2])).expect("written");
    let file = fs::File::options().write(true).open(&dump).expect("a file");
    file.set_modified(SystemTime::now() + Duration::from_mins(10)).expect("a time");
    let released = |pod: &str| events(log, "release").iter().any(|event| event["pod"] == pod);
    wait_until("the pods to be released", || released("default/two") && released("default/small"));
    assert_eq!(connection.filter(&pod("new", 500), &nodes).0, nodes);
    connection.bind(&pod("new", 500), "a");
    assert_eq!(events(log, "bind").pop().expect("a decision")["gpus"], json!([0]));

    // One pod was placed and released, another one still runs.
    let (code, table, messages) = run(&["import", "decisions", log, "--replay"]);
    assert!(code == Some(0) && messages.contains("ran beyond the end of the record: 1 task"), "{messages}");
    assert!(table.contains("Waits of 1 task,") && table.contains("BestFit") && table.contains("FGD"), "{table}");
}

#[test]
fn an_address_that_others_reach_needs_tls_and_a_token() {
    // Neither of them is enough; files are opened later.
    let (tls, token) = (["--tls-certificate", "a.pem", "--tls-key", "a.key"], ["--token-file", "token"]);
    for some in [&[] as &[&str], &tls, &token] {
        let problem = refusal(2, &[&["allocate", "serve", "--listen", "0.0.0.0:0"][..], some].concat());
        assert!(problem.contains("--token-file") && problem.contains("--tls-certificate"), "{problem}");
    }
    refusal(2, &["allocate", "serve", "--tls-certificate", "a.pem"]);
    let folder = tempfile::tempdir().expect("a folder");
    let short = written(folder.path(), "short", "secret\n");
    let problem = refusal(1, &["allocate", "serve", "--token-file", &short]);
    assert!(problem.contains("at least 16"), "{problem}");
    let token = written(folder.path(), "token", "0123456789abcdef\n");
    let extender = Extender::start(serve(&["--token-file", &token]));
    let with = |field: &str| extender.connect().send(format!("GET /healthz HTTP/1.1\r\n{field}\r\n").as_bytes()).0;
    assert_eq!(with(""), 401);
    assert_eq!(with("Authorization: Bearer 0123456789abcdeF\r\n"), 401);
    assert_eq!(with("Authorization: Bearer 0123456789abcdef\r\n"), 200);
}

/// What OpenSSL's client, which accepts this certificate only, gets for a request; with a certificate of its own.
fn by_openssl(address: &str, accepted: &Path, own: Option<&[PathBuf; 2]>, request: &str) -> Option<String> {
    let mut command = Command::new("openssl");
    command.args(["s_client", "-quiet", "-verify_return_error", "-verify_hostname", "localhost", "-connect", address]);
    command.arg("-CAfile").arg(accepted).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some([certificate, key]) = own {
        command.arg("-cert").arg(certificate).arg("-key").arg(key);
    }
    let mut child = command.spawn().expect("openssl, which made the certificate");
    // It may have refused the server already.
    _ = child.stdin.as_mut().expect("piped").write_all(request.as_bytes());
    let output = child.wait_with_output().expect("an end");
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    (!answer.is_empty()).then_some(answer)
}

#[test]
fn tls_is_spoken_with_a_certificate_that_clients_check() {
    let folder = tempfile::tempdir().expect("a folder");
    let (Some(own), Some(other)) = (certificate(folder.path(), "own"), certificate(folder.path(), "other")) else {
        return;
    };
    let text = |path: &Path| path.to_str().expect("text").to_owned();
    let token = written(folder.path(), "token", "0123456789abcdef\n");
    let (certificate, key) = (text(&own[0]), text(&own[1]));
    let arguments = ["--tls-certificate", &certificate, "--tls-key", &key, "--token-file", &token];
    let extender = Extender::start(serve(&arguments));
    let request = |field: &str| format!("GET /healthz HTTP/1.1\r\nConnection: close\r\n{field}\r\n");
    let with_token = request("Authorization: Bearer 0123456789abcdef\r\n");
    let answer = by_openssl(&extender.address, &own[0], None, &with_token).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let answer = by_openssl(&extender.address, &own[0], None, &request("")).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    assert_eq!(by_openssl(&extender.address, &other[0], None, &with_token), None, "a certificate of another authority");
    // A request in clear is no handshake.
    let mut in_clear = TcpStream::connect(&extender.address).expect("it listens");
    in_clear.write_all(with_token.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    // It ends with or without an alert.
    _ = in_clear.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    // Instead of a token: a certificate of the client, as kube-scheduler has.
    let arguments = ["--tls-certificate", &certificate, "--tls-key", &key, "--tls-client-ca", &certificate];
    let extender = Extender::start(serve(&arguments));
    let answer = by_openssl(&extender.address, &own[0], Some(&own), &request("")).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    for stranger in [None, Some(&other)] {
        assert_eq!(by_openssl(&extender.address, &own[0], stranger, &request("")), None);
    }
    // Files that do not belong together.
    let key = text(&other[1]);
    let problem = refusal(1, &["allocate", "serve", "--tls-certificate", &certificate, "--tls-key", &key]);
    assert!(problem.contains("other.key"), "{problem}");
}

#[test]
fn a_configuration_of_kube_scheduler_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("scheduler.yaml");
    let path = file.to_str().expect("text");
    let arguments = ["allocate", "serve", "--write-config", path, "--ignored-resource", "nvidia.com/gpumem"];
    let (code, _, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    let text = fs::read_to_string(&file).expect("written");
    let read: Value = serde_saphyr::from_str(&text).expect("YAML");
    assert_eq!(
        (&read["apiVersion"], &read["kind"]),
        (&json!("kubescheduler.config.k8s.io/v1"), &json!("KubeSchedulerConfiguration"),)
    );
    let extender = &read["extenders"][0];
    let expected = [
        ("urlPrefix", json!("http://127.0.0.1:8888")),
        ("filterVerb", json!("filter")),
        ("prioritizeVerb", json!("prioritize")),
        ("preemptVerb", json!("preempt")),
        ("bindVerb", json!("bind")),
        ("nodeCacheCapable", json!(true)),
        ("ignorable", json!(false)),
    ];
    for (field, value) in expected {
        assert_eq!(extender[field], value, "{field}");
    }
    let managed = json!([
        { "name": "nvidia.com/gpu", "ignoredByScheduler": false },
        { "name": "nvidia.com/gpumem", "ignoredByScheduler": true },
    ]);
    assert_eq!(extender["managedResources"], managed);
    assert_eq!((&extender["enableHTTPS"], &extender["tlsConfig"]), (&json!(false), &Value::Null));

    // `ExtenderTLSConfig` of kubescheduler.config.k8s.io/v1. Without a CA, kube-scheduler does not check the server (`makeTransport`,
    // pkg/scheduler/extender.go).
    let tls = ["--tls-certificate", "a.pem", "--tls-key", "a.key", "--tls-client-ca", "b.pem"];
    let (code, _, messages) = run(&[&["allocate", "serve", "--write-config", path][..], &tls[..]].concat());
    assert_eq!(code, Some(0), "{messages}");
    let text = fs::read_to_string(&file).expect("written");
    let extender = serde_saphyr::from_str::<Value>(&text).expect("YAML")["extenders"][0].clone();
    assert_eq!((&extender["urlPrefix"], &extender["enableHTTPS"]), (&json!("https://127.0.0.1:8888"), &json!(true)));
    let files = json!({
        "caFile": "/etc/crossover/ca.pem",
        "certFile": "/etc/crossover/kube-scheduler.pem",
        "keyFile": "/etc/crossover/kube-scheduler.key",
    });
    assert_eq!(extender["tlsConfig"], files);
    let problem = refusal(2, &["allocate", "serve", "--write-config", path, "--managed-resource", "a: b"]);
    assert!(problem.contains("“a: b” is not the name of a resource"), "{problem}");
}
