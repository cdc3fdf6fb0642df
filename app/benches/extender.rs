//! How fast the scheduler extender answers: `cargo bench -p crossover --bench extender`.
//!
//! 1,000 nodes with eight GPUs each. A pod is one filter request, one prioritize request with the nodes that fit, and one request
//! to bind, one after the other as kube-scheduler sends them. Goals: p99 at most 10 ms a pod, 500 pods a second.
//!
//! The first measurements are dry runs. With `--apply`, each binding goes over the Unix socket of a stand-in for `kubectl proxy`
//! to an API server that answers at once. The figures include neither the time of the real proxy nor that of a real API server.
//!
//! The pods are created beforehand, and the answers are read in full; client and API server run on the same machine.

#![expect(clippy::print_stdout, reason = "figures are what a benchmark is for")]

#[cfg(unix)]
#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../tests/command_line/serve/api_server.rs"]
mod api_server;
#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../tests/command_line/serve/client.rs"]
mod client;

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use client::{Connection, Extender, list, node, pod};

/// Nodes of the cluster.
const NODES: usize = 1_000;
/// Pods that run at the start: their shares leave some of each GPU.
const RUNNING: usize = 4_000;
/// Pods that are scheduled.
const PODS: usize = 2_000;
/// Pods that are scheduled with whole nodes in each request.
const PODS_WITH_NODES: usize = 100;
/// Requests in thousandths of a GPU.
const REQUESTS: [u32; 6] = [100, 200, 300, 500, 1_000, 2_000];

/// Times of pods.
struct Times(Vec<Duration>);

impl Times {
    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … the last index")]
        let place = (share * (sorted.len() - 1) as f64).round() as usize;
        1e3 * sorted[place].as_secs_f64()
    }

    fn print(&self, what: &str) {
        let seconds: f64 = self.0.iter().map(Duration::as_secs_f64).sum();
        let (p50, p99) = (self.quantile(0.5), self.quantile(0.99));
        println!("{what}: p50 {p50:.2} ms, p99 {p99:.2} ms, {:.0} pods/s", self.0.len() as f64 / seconds);
    }
}

/// A pod, from the first request about it to the answer that it is bound, or in a dry run would be.
fn scheduled(connection: &mut Connection, pod: &Value, nodes: &[String], does_apply: bool) -> Duration {
    let text = json!({ "Pod": pod, "Nodes": null, "NodeNames": nodes }).to_string();
    let began = Instant::now();
    let (status, answer) = connection.post_text("/filter", &text);
    let took = began.elapsed();
    assert_eq!(status, 200, "{answer}");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let fitting: Vec<String> = serde_json::from_value(answer["NodeNames"].clone()).expect("names");
    let text = json!({ "Pod": pod, "Nodes": null, "NodeNames": fitting }).to_string();
    let began = Instant::now();
    let (status, answer) = connection.post_text("/prioritize", &text);
    let took = took + began.elapsed();
    assert_eq!(status, 200, "{answer}");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let best = answer.as_array().expect("a list").iter().find(|priority| priority["Score"] == 10).expect("a best node");
    let began = Instant::now();
    let said = connection.bind(pod, best["Host"].as_str().expect("a name"));
    let took = took + began.elapsed();
    assert!(if does_apply { said.is_empty() } else { said.contains("would bind") }, "{said}");
    took
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let nodes: Vec<String> = (0..NODES).map(|place| format!("node-{place:04}")).collect();
    let running = (0..RUNNING).map(|place| {
        let mut pod = pod(&format!("running-{place}"), 400);
        pod["spec"]["nodeName"] = json!(nodes[place % NODES]);
        pod["status"]["phase"] = json!("Running");
        pod["metadata"]["annotations"]["alibabacloud.com/gpu-index"] = json!((place / NODES).to_string());
        pod
    });
    let items: Vec<Value> = nodes.iter().map(|name| node(name, 8)).chain(running).collect();
    let (dump, log) = (folder.path().join("dump.json"), folder.path().join("log.jsonl"));
    fs::write(&dump, list(&items)).expect("written");
    let command = |policy: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crossover"));
        command.args(["allocate", "serve", "--policy", policy]).args(more).arg("--log").arg(&log);
        command
    };
    let start = |policy: &str, more: &[&str]| Extender::start(command(policy, more));
    let pods = |name: &str, count: usize| -> Vec<Value> {
        (0..count).map(|place| pod(&format!("{name}-{place}"), REQUESTS[place * 7 % REQUESTS.len()])).collect()
    };
    let file = ["--nodes", dump.to_str().expect("text")];
    for policy in ["FGD", "BestFit", "MostLeft"] {
        let extender = start(policy, &file);
        let mut connection = extender.connect();
        let times = pods(policy, PODS).iter().map(|pod| scheduled(&mut connection, pod, &nodes, false)).collect();
        Times(times).print(&format!("{policy}, names of {NODES} nodes"));
    }
    let extender = start("FGD", &[&file[..], &["--compare"][..]].concat());
    let mut connection = extender.connect();
    let times = pods("compared", PODS).iter().map(|pod| scheduled(&mut connection, pod, &nodes, false)).collect();
    Times(times).print("FGD with --compare");

    #[cfg(unix)]
    {
        let server = api_server::ApiServer::start(folder.path(), |_| api_server::Reply::Bound);
        let mut command = command("FGD", &[&file[..], &["--apply"][..]].concat());
        command.env("PATH", server.path());
        let extender = Extender::start(command);
        let mut connection = extender.connect();
        let times = pods("applied", PODS).iter().map(|pod| scheduled(&mut connection, pod, &nodes, true)).collect();
        Times(times).print("FGD with --apply");
    }

    let extender = start("FGD", &[]);
    let mut connection = extender.connect();
    let whole: Vec<Value> = nodes.iter().map(|name| node(name, 8)).collect();
    let times = pods("whole", PODS_WITH_NODES).into_iter().map(|pod| {
        let text = json!({ "Pod": pod, "Nodes": { "items": whole }, "NodeNames": null }).to_string();
        let began = Instant::now();
        let (status, answer) = connection.post_text("/filter", &text);
        assert_eq!(status, 200, "{answer}");
        began.elapsed()
    });
    let times = Times(times.collect());
    times.print("FGD, one filter request with whole nodes");
    println!("messages of the last extender: {} bytes from {}", extender.messages().len(), extender.address);
}
