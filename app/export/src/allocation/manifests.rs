//! Where tasks run, as pods of Kubernetes.

use crossover_allocation::recorded::Recorded;
use crossover_allocation::score::Place;
use crossover_allocation::{Allocation, Cluster, Described, Fill, Policy, Trace, WHOLE, Workload};
use crossover_quantity::text::counted;
use crossover_traces::manifest::{self, Placed};

/// Longest value of a label in Kubernetes.
const LONGEST_LABEL: usize = 63;

/// Every task of a study on its node, as JSON for `kubectl apply -f`; and the number of rejected tasks.
#[must_use]
pub fn of(study: &Allocation) -> (String, usize) {
    let described = Described::new(study, 0);
    let workload = described.workload(study.policy.name);
    let tasks: Vec<(&str, usize)> =
        described.tasks.iter().map(|request| (study.tasks[*request].name.as_str(), *request)).collect();
    // Nodes of a study have the names of its groups, not of hosts.
    let nodes: Vec<String> = described.nodes.iter().map(|name| label(name)).collect();
    list(&described.cluster, workload, &tasks, &nodes, &described.placed(study))
}

/// Every task of a trace on the node that a policy chooses, and the number of rejected tasks.
#[must_use]
pub fn of_trace(trace: &Trace, recorded: &Recorded, policy: Policy, seed: u64) -> (String, usize) {
    let Recorded { cluster, workload, typical, tasks, .. } = recorded;
    let placed = Fill { cluster, workload, needed: workload, typical, tasks, policy, seed, until: 0.0 }
        .once(|task| policy != Policy::Declared && trace.tasks[task].is_sensitive);
    let named: Vec<(&str, usize)> =
        trace.tasks.iter().zip(tasks).map(|(task, request)| (task.name.as_str(), *request)).collect();
    let nodes: Vec<String> = trace.nodes.iter().map(|node| label(&node.name)).collect();
    list(cluster, workload, &named, &nodes, &placed)
}

/// "3 tasks fit nowhere, or wait for latency-sensitive ones, and are".
#[must_use]
pub fn without(count: usize) -> String {
    if count == 1 {
        "1 task fits nowhere, or waits for a latency-sensitive one, and is".to_owned()
    } else {
        let tasks = counted(count as f64, "task");
        format!("{tasks} fit nowhere, or wait for latency-sensitive ones, and are")
    }
}

fn list(
    cluster: &Cluster,
    workload: &Workload,
    tasks: &[(&str, usize)],
    nodes: &[String],
    placed: &[Option<Vec<Place>>],
) -> (String, usize) {
    let mut pods = Vec::new();
    for ((name, request), places) in tasks.iter().zip(placed) {
        let requested = &workload.requests()[*request];
        for place in places.iter().flatten() {
            let needs = workload.needs(*request, &cluster.nodes[place.node]);
            pods.push(Placed {
                task: (*name).to_owned(),
                node: nodes[place.node].clone(),
                cpu_milli: requested.cpu_milli,
                memory_mib: requested.memory_mib,
                gpus: requested.gpus,
                indices: place.gpus.places().collect(),
                share: place.gpus.places().map(|gpu| needs[gpu]).next().unwrap_or(WHOLE),
            });
        }
    }
    (manifest::manifests(&pods), placed.iter().filter(|places| places.is_none()).count())
}

/// A name as a value of a label: letters, digits, `-`, `_` and `.`, at most 63, a letter or digit at both ends.
fn label(name: &str) -> String {
    let is_end = |c: char| c.is_ascii_alphanumeric();
    let mut text = String::new();
    for c in name.chars() {
        if is_end(c) || matches!(c, '-' | '_' | '.') {
            text.push(c);
        } else if !text.ends_with('-') {
            text.push('-');
        }
    }
    // The end tells nodes of a group apart.
    let skipped = text.len().saturating_sub(LONGEST_LABEL);
    text[skipped..].trim_matches(|c| !is_end(c)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn a_name_becomes_a_value_that_a_label_may_have() {
        assert_eq!(label("gpu-a.example.org"), "gpu-a.example.org");
        assert_eq!(label("4 × A100, 63.5 cores 1"), "4-A100-63.5-cores-1");
        assert_eq!(label(&"x".repeat(80)).len(), 63);
    }
}
