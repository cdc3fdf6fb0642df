//! An extender that runs, and requests to it as kube-scheduler sends them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// An extender; it ends with its value.
pub(crate) struct Extender {
    child: Child,
    /// `127.0.0.1:PORT`
    pub(crate) address: String,
    messages: Arc<Mutex<String>>,
}

/// A connection to it.
pub(crate) struct Connection(BufReader<TcpStream>);

impl Extender {
    /// Starts `crossover allocate serve` with some further arguments, on any port.
    pub(crate) fn start(mut command: Command) -> Self {
        command.args(["--listen", "127.0.0.1:0"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let mut said = String::new();
        let address = loop {
            let Some(Ok(line)) = lines.next() else { panic!("it does not listen: {said}") };
            said.push_str(&format!("{line}\n"));
            if let Some((_, rest)) = line.split_once("listening on ").and_then(|(_, url)| url.split_once("://")) {
                break rest.split(',').next().expect("an address").to_owned();
            }
        };
        let messages = Arc::new(Mutex::new(said));
        let kept = Arc::clone(&messages);
        let keep =
            move || lines.map_while(Result::ok).for_each(|line| *kept.lock().expect("no panic") += &(line + "\n"));
        thread::Builder::new().name("messages".to_owned()).spawn(keep).expect("a thread");
        Self { child, address, messages }
    }

    /// What it wrote to standard error so far.
    pub(crate) fn messages(&self) -> String {
        self.messages.lock().expect("no panic").clone()
    }

    pub(crate) fn connect(&self) -> Connection {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_nodelay(true).expect("a socket");
        Connection(BufReader::new(stream))
    }
}

impl Drop for Extender {
    fn drop(&mut self) {
        // It has no other end.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Connection {
    /// Sends text as it stands; the status and body of the answer.
    pub(crate) fn send(&mut self, text: &[u8]) -> (u16, String) {
        self.0.get_mut().write_all(text).expect("sent");
        let mut line = String::new();
        self.0.read_line(&mut line).expect("an answer");
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status: {line:?}"));
        let mut length = 0;
        loop {
            line.clear();
            self.0.read_line(&mut line).expect("a field");
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).expect("a body");
        (status, String::from_utf8(body).expect("UTF-8"))
    }

    /// Posts JSON.
    pub(crate) fn post_text(&mut self, path: &str, body: &str) -> (u16, String) {
        let length = body.len();
        let text = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.send(text.as_bytes())
    }

    /// Posts JSON that is answered with JSON.
    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.post_text(path, &body.to_string());
        assert_eq!(status, 200, "{path}: {answer}");
        serde_json::from_str(&answer).expect("JSON")
    }

    /// The nodes that a pod fits, and the failed ones with the reason.
    pub(crate) fn filter(&mut self, pod: &Value, nodes: &[String]) -> (Vec<String>, Value) {
        let answer = self.post("/filter", &json!({ "Pod": pod, "Nodes": null, "NodeNames": nodes }));
        assert_eq!(answer["Error"], "", "{answer}");
        let names = answer["NodeNames"].as_array().expect("names");
        let names = names.iter().map(|name| name.as_str().expect("text").to_owned()).collect();
        let mut failed = answer["FailedNodes"].clone();
        for (node, why) in answer["FailedAndUnresolvableNodes"].as_object().expect("nodes") {
            failed[node] = why.clone();
        }
        (names, failed)
    }

    /// The node that kube-scheduler takes: that with the highest priority. All others have less.
    pub(crate) fn best(&mut self, pod: &Value, nodes: &[String]) -> String {
        let answer = self.post("/prioritize", &json!({ "Pod": pod, "Nodes": null, "NodeNames": nodes }));
        let list = answer.as_array().expect("priorities");
        assert_eq!(list.len(), nodes.len());
        let best: Vec<&Value> = list.iter().filter(|priority| priority["Score"] == 10).collect();
        assert_eq!(best.len(), 1, "{answer}");
        assert!(list.iter().all(|priority| priority["Score"].as_i64().is_some_and(|score| (0..=10).contains(&score))));
        best[0]["Host"].as_str().expect("text").to_owned()
    }

    /// What a request to bind is answered.
    pub(crate) fn bind(&mut self, pod: &Value, node: &str) -> String {
        let metadata = &pod["metadata"];
        let args = json!({
            "PodName": metadata["name"],
            "PodNamespace": metadata["namespace"],
            "PodUID": metadata["uid"],
            "Node": node,
        });
        self.post("/bind", &args)["Error"].as_str().expect("text").to_owned()
    }
}

/// A node with so many T4.
pub(crate) fn node(name: &str, gpus: u8) -> Value {
    json!({
        "kind": "Node",
        "metadata": {
            "name": name,
            "resourceVersion": "1",
            "labels": { "nvidia.com/gpu.product": "Tesla-T4", "nvidia.com/gpu.memory": "15360", "nvidia.com/gpu.count": gpus.to_string() },
        },
        "status": { "allocatable": { "cpu": "64", "memory": "256Gi", "nvidia.com/gpu": gpus.to_string() } },
    })
}

/// A pod that waits, for so many thousandths of one GPU, or so many whole ones.
pub(crate) fn pod(name: &str, milli: u32) -> Value {
    let mut pod = json!({
        "kind": "Pod",
        "metadata": { "name": name, "namespace": "default", "uid": format!("uid-{name}") },
        "spec": { "containers": [{ "name": "main", "resources": { "requests": { "cpu": "2", "memory": "4Gi" } } }] },
        "status": { "phase": "Pending" },
    });
    if milli < 1_000 {
        pod["metadata"]["annotations"] =
            json!({ "alibabacloud.com/gpu-milli": milli.to_string(), "alibabacloud.com/gpu-count": "1" });
    } else {
        pod["spec"]["containers"][0]["resources"]["limits"] = json!({ "nvidia.com/gpu": (milli / 1_000).to_string() });
    }
    pod
}

/// What `kubectl get nodes,pods -A -o json` prints of these.
pub(crate) fn list(items: &[Value]) -> String {
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string()
}
