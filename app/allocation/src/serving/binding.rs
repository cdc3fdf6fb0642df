//! What is written to a pod as it is bound: its node, and annotations with its GPUs and its share of them.
//!
//! The environment of a pod cannot change after it was created, but annotations can until its containers start. So the pod reads
//! them by the downward API (`fieldRef: metadata.annotations['crossover/cuda-visible-devices']`). The API server copies the
//! annotations of a `Binding` to the pod in the same step in which it sets the node
//! (`BindingREST.setPodNodeAndMetadata`, `pkg/registry/core/pod/storage/storage.go`).

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crossover_allocation::WHOLE;
use crossover_quantity::text::one_line;
use serde_json::{Value, json};

use super::decision::Decision;

/// The annotation by which GPUs are read again, see `crossover_traces::manifest`.
const GPU_INDEX: &str = "alibabacloud.com/gpu-index";
/// Time after which the API server counts as silent.
const REQUEST_TIMEOUT: &str = "--request-timeout=10s";

/// The annotations of a decision.
pub(super) fn annotations(decision: &Decision, policy: &str) -> BTreeMap<String, String> {
    let mut all = BTreeMap::from([("crossover/policy".to_owned(), policy.to_owned())]);
    if decision.gpus.is_empty() {
        return all;
    }
    let indices: Vec<String> = decision.gpus.iter().map(ToString::to_string).collect();
    all.insert(GPU_INDEX.to_owned(), indices.join("-"));
    all.insert("crossover/cuda-visible-devices".to_owned(), indices.join(","));
    // Whole percents, rounded down, so that all shares of a GPU together are not more than it.
    let percent = (u32::from(decision.share) * 100 / u32::from(WHOLE)).max(1);
    all.insert("crossover/cuda-mps-active-thread-percentage".to_owned(), percent.to_string());
    if let Some(memory) = decision.memory_mib {
        // Ordinals are those of the visible devices (MPS, 4.2.7).
        let limits: Vec<String> = (0..decision.gpus.len()).map(|ordinal| format!("{ordinal}={memory}M")).collect();
        all.insert("crossover/cuda-mps-pinned-device-mem-limit".to_owned(), limits.join(","));
    }
    all
}

/// The `Binding` of a decision. The API server refuses it if the pod has another identifier by now.
pub(super) fn binding(decision: &Decision, annotations: &BTreeMap<String, String>) -> Value {
    let (namespace, name) = decision.pod.split_once('/').unwrap_or(("default", &decision.pod));
    json!({
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": { "name": name, "namespace": namespace, "uid": decision.uid, "annotations": annotations },
        "target": { "apiVersion": "v1", "kind": "Node", "name": decision.node },
    })
}

/// The arguments with which `kubectl` posts the binding of a pod.
///
/// # Errors
/// Its name or namespace is none of Kubernetes: in a path it could lead elsewhere.
pub(super) fn arguments(decision: &Decision) -> Result<Vec<String>, String> {
    let (namespace, name) = decision.pod.split_once('/').unwrap_or(("default", &decision.pod));
    for part in [namespace, name] {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        let is_end = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        if !(part.chars().all(is_plain) && part.starts_with(is_end) && part.ends_with(is_end)) {
            return Err(format!("“{}” is not a name of Kubernetes", one_line(part)));
        }
    }
    let path = format!("/api/v1/namespaces/{namespace}/pods/{name}/binding");
    Ok(["create", REQUEST_TIMEOUT, "--raw", &path, "-f", "-"].map(str::to_owned).to_vec())
}

/// Posts a binding by `kubectl`.
///
/// # Errors
/// It cannot be started, or the API server refuses: in one line.
pub(super) fn post(decision: &Decision, binding: &Value) -> Result<(), String> {
    let arguments = arguments(decision)?;
    let mut command = Command::new("kubectl");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("kubectl cannot be started: {error}"))?;
    if let Some(mut input) = child.stdin.take() {
        // kubectl may have ended before it read anything; then its exit code says so.
        _ = input.write_all(binding.to_string().as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| format!("kubectl: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("kubectl ({}): {}", output.status, one_line(said.trim())))
}

#[cfg(test)]
mod tests {
    use crossover_allocation::{Request, THOUSANDTH};

    use super::*;

    fn decision(pod: &str, gpus: &[usize], share: u16, memory_mib: Option<u64>) -> Decision {
        Decision {
            uid: "u1".to_owned(),
            pod: pod.to_owned(),
            node: "node-a".to_owned(),
            gpus: gpus.to_vec(),
            share,
            memory_mib,
            request: Request::of_any(1_000, 1_024, 1, share, 1),
            is_sensitive: false,
            waited: 0.0,
            others: Vec::new(),
            is_repeated: false,
        }
    }

    /// 333 thousandths are 33 whole percents; 333 thousandths of 15,360 MiB are 5,114.88.
    #[test]
    fn a_share_becomes_limits_of_mps() {
        let share = 333 * THOUSANDTH;
        let all = annotations(&decision("ns/a", &[2], share, Some(5_114)), "FGD");
        let expected = [
            ("alibabacloud.com/gpu-index", "2"),
            ("crossover/cuda-mps-active-thread-percentage", "33"),
            ("crossover/cuda-mps-pinned-device-mem-limit", "0=5114M"),
            ("crossover/cuda-visible-devices", "2"),
            ("crossover/policy", "FGD"),
        ];
        assert_eq!(all.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect::<Vec<_>>(), expected);
        let all = annotations(&decision("ns/a", &[0, 3], WHOLE, None), "FGD");
        assert_eq!(all["crossover/cuda-visible-devices"], "0,3");
        assert_eq!(all["alibabacloud.com/gpu-index"], "0-3");
        assert_eq!(all["crossover/cuda-mps-active-thread-percentage"], "100");
        assert!(!all.contains_key("crossover/cuda-mps-pinned-device-mem-limit"));
        assert_eq!(annotations(&decision("ns/a", &[], 0, None), "FGD").len(), 1);
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_no_part_of_a_path() {
        let path = |pod: &str| arguments(&decision(pod, &[0], WHOLE, None)).map(|all| all[3].clone());
        assert_eq!(path("ns/a-1.b"), Ok("/api/v1/namespaces/ns/pods/a-1.b/binding".to_owned()));
        for bad in ["ns/../../nodes", "ns/a b", "ns/", "ns/-a", "../a", "ns/a?dryRun=All", "ns/A"] {
            assert!(path(bad).is_err(), "{bad}");
        }
    }
}
