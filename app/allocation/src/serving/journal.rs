//! Decisions as JSON lines, in a file or on standard output: what a replay under other policies reads.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use crossover_allocation::NodeSpec;
use crossover_page::terminal::{message, print};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::decision::{Decision, Released};

/// Where decisions are written.
pub(crate) struct Journal {
    file: Option<(PathBuf, File)>,
    /// Whether it was said that lines cannot be written.
    has_failed: bool,
}

impl Journal {
    /// Appends to a file; without one, lines are printed.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        let open = |path: &Path| -> Result<(PathBuf, File)> {
            let file = OpenOptions::new().create(true).append(true).open(path);
            Ok((path.to_owned(), file.with_context(|| format!("cannot write {}", path.display()))?))
        };
        Ok(Self { file: path.map(open).transpose()?, has_failed: false })
    }

    /// The nodes on which the following decisions are made.
    pub(crate) fn cluster(&mut self, nodes: &[NodeSpec], types: &[String]) {
        let node = |node: &NodeSpec| {
            let NodeSpec { name, cpu_milli, memory_mib, devices } = node;
            json!({ "name": name, "cpu_milli": cpu_milli, "memory_mib": memory_mib, "devices": devices })
        };
        let nodes: Vec<Value> = nodes.iter().map(node).collect();
        self.write(&json!({ "event": "cluster", "time": now(), "types": types, "nodes": nodes }));
    }

    /// A pod that was placed; `outcome` says what became of it.
    pub(crate) fn decision(&mut self, decision: &Decision, policy: &str, outcome: &str) {
        let request = &decision.request;
        let others: serde_json::Map<String, Value> =
            decision.others.iter().map(|(policy, node)| (policy.label().to_owned(), json!(node))).collect();
        self.write(&json!({
            "event": "bind",
            "time": now(),
            "pod": decision.pod,
            "uid": decision.uid,
            "policy": policy,
            "node": decision.node,
            "gpus": decision.gpus,
            "share": f64::from(decision.share) / f64::from(crossover_allocation::WHOLE),
            "memory_mib": decision.memory_mib,
            "waited_seconds": decision.waited,
            "is_sensitive": decision.is_sensitive,
            "request": {
                "cpu_milli": request.cpu_milli,
                "memory_mib": request.memory_mib,
                "gpus": request.gpus,
                "shares": request.shares,
            },
            "others": others,
            "outcome": outcome,
        }));
    }

    /// Pods that are to be evicted for a pod, identifier and name; `outcome` says what becomes of it.
    pub(crate) fn preempted(&mut self, (uid, pod): (&str, &str), released: &Released, policy: &str, outcome: &str) {
        let victims: Vec<Value> = released.pods.iter().map(|(uid, pod)| json!({ "pod": pod, "uid": uid })).collect();
        self.write(&json!({
            "event": "preempt",
            "time": now(),
            "pod": pod,
            "uid": uid,
            "policy": policy,
            "node": released.node,
            "victims": victims,
            "outcome": outcome,
        }));
    }

    /// A pod that has ended or is gone.
    pub(crate) fn released(&mut self, uid: &str, pod: &str) {
        self.write(&json!({ "event": "release", "time": now(), "pod": pod, "uid": uid }));
    }

    fn write(&mut self, value: &Value) {
        let line = format!("{value}\n");
        let written = match &mut self.file {
            Some((_, file)) => file.write_all(line.as_bytes()),
            None => print(&line).map_err(io::Error::other),
        };
        if let Err(error) = written
            && !self.has_failed
        {
            self.has_failed = true;
            let place = self.file.as_ref().map_or_else(|| "standard output".into(), |(path, _)| path.to_string_lossy());
            message(format!(
                "cannot write decisions to {place}: {error}; pods are placed, but not all decisions are kept"
            ));
        }
    }
}

fn now() -> String {
    Timestamp::now().to_string()
}
