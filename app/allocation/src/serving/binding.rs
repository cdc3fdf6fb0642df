//! The binding of a pod to its node, with annotations, and how it is posted.

use std::collections::BTreeMap;

use crossover_quantity::text::{one_line, shortened};
use serde_json::{Value, json};

use super::api_server::{ApiServer, Failure, Posted};
use super::decision::Decision;

/// Longest part of a message of the API server.
const SHOWN: usize = 400;
/// Beginning of the proxy's answer if it cannot connect to the API server: errors of Go's `net.Dialer`.
const NOT_REACHED: &str = "dial ";

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

/// The path to which the binding of a pod is posted.
///
/// # Errors
/// The name or namespace is not valid in Kubernetes: in a path it could lead elsewhere.
fn path(decision: &Decision) -> Result<String, String> {
    let (namespace, name) = decision.pod.split_once('/').unwrap_or(("default", &decision.pod));
    for part in [namespace, name] {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        let is_end = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        if !(part.chars().all(is_plain) && part.starts_with(is_end) && part.ends_with(is_end)) {
            return Err(format!("“{}” is not a name of Kubernetes", one_line(part)));
        }
    }
    Ok(format!("/api/v1/namespaces/{namespace}/pods/{name}/binding"))
}

/// Posts a binding to the API server.
///
/// # Errors
/// It refuses, or does not answer.
pub(super) fn post(api_server: &ApiServer, decision: &Decision, binding: &Value) -> Result<(), Failure> {
    let path = path(decision).map_err(|why| Failure { why, may_be_done: false })?;
    let posted = api_server.post(&path, &binding.to_string())?;
    outcome(&posted, &decision.node)
}

/// The result of a binding to a node, from the answer.
fn outcome(posted: &Posted, node: &str) -> Result<(), Failure> {
    let (status, is_repeated) = (posted.status, posted.is_repeated);
    if (200..300).contains(&status) {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&posted.body);
    let object: Option<Value> = serde_json::from_str(&text).ok();
    // The API server answers with a `Status` of Kubernetes, the proxy with a line.
    let (who, said) = match object.as_ref().and_then(|object| object["message"].as_str()) {
        Some(message) => ("the API server", message),
        None => ("kubectl proxy", text.trim()),
    };
    // The first request was carried out, and only its answer was lost.
    if is_repeated && status == 409 && said.ends_with(&format!("is already assigned to node \"{node}\"")) {
        return Ok(());
    }
    let is_untouched = status == 429 || (object.is_none() && said.starts_with(NOT_REACHED));
    let said = shortened(said, SHOWN);
    let said = if said.is_empty() { said } else { format!(": {said}") };
    let why = format!("{who} answered with status {status}{said}");
    // A server that fails midway may have carried out the request. A server that throttles or is not reached has not, but it may have
    // carried out an earlier request whose answer was lost. Any other refusal is about the pod.
    let may_be_done = if is_untouched { is_repeated } else { status >= 500 };
    Err(Failure { why, may_be_done })
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
        let path = |pod: &str| path(&decision(pod, &[0], WHOLE, None));
        assert_eq!(path("ns/a-1.b"), Ok("/api/v1/namespaces/ns/pods/a-1.b/binding".to_owned()));
        for bad in ["ns/../../nodes", "ns/a b", "ns/", "ns/-a", "../a", "ns/a?dryRun=All", "ns/A"] {
            assert!(path(bad).is_err(), "{bad}");
        }
    }

    /// As `assignPod` of Kubernetes answers (pkg/registry/core/pod/storage/storage.go).
    #[test]
    fn a_pod_that_the_first_request_bound_is_bound() {
        let conflict = |node: &str, is_repeated: bool| {
            let message = format!(
                "Operation cannot be fulfilled on pods/binding \"first\": pod first is already assigned to node \"{node}\""
            );
            let body = json!({ "kind": "Status", "status": "Failure", "message": message, "code": 409 });
            Posted { status: 409, body: body.to_string().into_bytes(), is_repeated }
        };
        assert_eq!(outcome(&conflict("a", true), "a"), Ok(()));
        for refused in [conflict("a", false), conflict("b", true)] {
            let failure = outcome(&refused, "a").expect_err("refused");
            let start = "the API server answered with status 409: Operation cannot";
            assert!(failure.why.starts_with(start) && !failure.may_be_done, "{failure:?}");
        }
    }

    /// Messages of kubectl proxy, of the API server (`NewTimeoutError`, `NewTooManyRequests`) and of etcd.
    #[test]
    fn a_pod_may_be_bound_if_the_server_failed_after_it_had_a_request() {
        let status =
            |code: u16, message: &str| json!({ "kind": "Status", "message": message, "code": code }).to_string();
        let down = "dial tcp 127.0.0.1:6443: connect: connection refused\n".to_owned();
        let throttled = status(429, "too many requests, please try again later");
        for (code, body, is_repeated, expected) in [
            (500, "EOF\n".to_owned(), false, true),
            (500, status(500, "etcdserver: request timed out"), false, true),
            (504, status(504, "Timeout: request did not complete within the allotted timeout"), false, true),
            (500, down.clone(), false, false),
            (500, down, true, true),
            (429, throttled.clone(), false, false),
            (429, throttled, true, true),
            (404, status(404, "pods \"a\" not found"), true, false),
        ] {
            let failure = outcome(&Posted { status: code, body: body.into_bytes(), is_repeated }, "a");
            let failure = failure.expect_err("refused");
            assert_eq!(failure.may_be_done, expected, "{failure:?}, {is_repeated}");
        }
    }

    #[test]
    fn a_refusal_is_one_line_with_the_words_of_the_api_server_or_of_the_proxy() {
        let of = |status: u16, body: &str| {
            outcome(&Posted { status, body: body.as_bytes().to_vec(), is_repeated: false }, "a")
        };
        assert_eq!(of(201, ""), Ok(()));
        let problem = |status: u16, body: &str| of(status, body).expect_err("refused").why;
        // What kubectl proxy answers while the API server is down.
        let down = "dial tcp 127.0.0.1:6443: connect: connection refused\n";
        assert_eq!(
            problem(500, down),
            "kubectl proxy answered with status 500: dial tcp 127.0.0.1:6443: connect: connection refused"
        );
        let absent = r#"{"kind":"Status","status":"Failure","message":"pods \"a\" not found","code":404}"#;
        assert_eq!(problem(404, absent), "the API server answered with status 404: pods \"a\" not found");
        assert_eq!(problem(502, ""), "kubectl proxy answered with status 502");
        assert_eq!(problem(500, "one\ntwo"), "kubectl proxy answered with status 500: one two");
    }
}
