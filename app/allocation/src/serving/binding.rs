//! The binding of a pod to its node, with annotations, and how it is posted.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crossover_quantity::text::one_line;
use serde_json::{Value, json};

use super::decision::Decision;

/// Time after which the API server counts as silent.
const REQUEST_TIMEOUT: &str = "--request-timeout=10s";

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
    use crossover_allocation::WHOLE;
    use k8s_openapi::api::core::v1::Binding;

    use super::super::decision::tests::decision;
    use super::*;

    /// The types that are generated from Kubernetes’s published API have every key, and drop none.
    #[test]
    fn a_binding_is_one_of_the_published_api() {
        let annotations = BTreeMap::from([("crossover/gpus".to_owned(), "0".to_owned())]);
        let posted = binding(&decision("ns/a", &[0], WHOLE, None), &annotations);
        let read: Binding = serde_json::from_value(posted.clone()).expect("a binding");
        assert_eq!(read.target.name.as_deref(), posted["target"]["name"].as_str());
        assert_eq!(read.metadata.annotations.as_ref(), Some(&annotations));
        assert_eq!(serde_json::to_value(&read).expect("JSON"), posted);
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
