//! Nodes of a cluster, as Slurm and Kubernetes list them: the units of a centre that the scenario does not have yet.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;

use crossover_quantity::text::counted;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::Value;

/// Format of `sinfo --Node` that [`of_sinfo`] reads: node, CPUs, generic resources, partition.
pub(super) const SINFO_FORMAT: &str = "%N|%c|%G|%P";

/// Largest list of nodes that kubectl prints: 5,000 nodes, the most that Kubernetes supports
/// (<https://kubernetes.io/docs/setup/best-practices/cluster-large/>), with 50 images each are about 200 MB.
pub(super) const LARGEST_NODES: u64 = 512 << 20;

/// A node of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClusterNode {
    /// CPUs that jobs may use.
    cpus: u32,
    /// GPUs that jobs may request.
    gpus: u32,
}

/// Units that a centre lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedUnits {
    /// CPUs; of a host, its hardware threads.
    pub(crate) cpus: u32,
    /// GPUs.
    pub(crate) gpus: u32,
    /// All of them in words.
    pub(crate) summary: String,
}

impl ListedUnits {
    /// The units of all nodes if a run may use several of them, else the largest number of each type on any node.
    pub(super) fn of(nodes: &[ClusterNode], is_on_several: bool) -> Self {
        let units = |of: fn(&ClusterNode) -> u32| {
            let each = nodes.iter().map(of);
            if is_on_several { each.fold(0, u32::saturating_add) } else { each.max().unwrap_or(0) }
        };
        Self { cpus: units(|node| node.cpus), gpus: units(|node| node.gpus), summary: summary(nodes) }
    }
}

/// Equal nodes together, the largest first: "2 nodes with 64 CPUs and 8 GPUs each; 1 node with 32 CPUs".
pub(super) fn summary(nodes: &[ClusterNode]) -> String {
    let mut counts: BTreeMap<ClusterNode, u32> = BTreeMap::new();
    for node in nodes {
        *counts.entry(*node).or_default() += 1;
    }
    let parts = counts.iter().rev().map(|(node, count)| {
        let [nodes, cpus, gpus] = [(*count, "node"), (node.cpus, "CPU"), (node.gpus, "GPU")]
            .map(|(number, noun)| counted(f64::from(number), noun));
        let gpus = if node.gpus > 0 { format!(" and {gpus}") } else { String::new() };
        let each = if *count > 1 { " each" } else { "" };
        format!("{nodes} with {cpus}{gpus}{each}")
    });
    parts.collect::<Vec<String>>().join("; ")
}

/// The nodes that `sinfo --Node` prints in [`SINFO_FORMAT`]: those of the partition that it was called with, else of the default partition.
pub(super) fn of_sinfo(text: &str, is_of_partition: bool) -> Vec<ClusterNode> {
    let rows: Vec<[&str; 4]> = text.lines().filter_map(fields).collect();
    // A star marks the default partition.
    let is_default = |row: &[&str; 4]| row[3].ends_with('*');
    let are_all_meant = is_of_partition || !rows.iter().any(is_default);
    let meant = rows.iter().filter(|row| are_all_meant || is_default(row));
    // A node that is in several partitions has several rows.
    let nodes: BTreeMap<&str, ClusterNode> = meant
        .filter_map(|[name, cpus, resources, _]| {
            Some((*name, ClusterNode { cpus: cpus.parse().ok()?, gpus: gpus_of(resources) }))
        })
        .collect();
    nodes.into_values().collect()
}

fn fields(line: &str) -> Option<[&str; 4]> {
    let mut fields = line.trim().split('|');
    let all = [fields.next()?, fields.next()?, fields.next()?, fields.next()?];
    fields.next().is_none().then_some(all)
}

/// The GPUs among generic resources, such as `gpu:a100:4(S:0-1,3),shard:16`; `(null)`: none.
fn gpus_of(resources: &str) -> u32 {
    let mut depth = 0_u32;
    let is_outside = |c: &char| match c {
        '(' => {
            depth += 1;
            false
        }
        ')' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    };
    let plain: String = resources.chars().filter(is_outside).collect();
    let gpus = plain.split(',').filter_map(|entry| {
        let (kind, rest) = entry.trim().split_once(':')?;
        let count = rest.rsplit(':').next().and_then(|count| count.parse::<u32>().ok())?;
        (kind == "gpu").then_some(count)
    });
    gpus.fold(0, u32::saturating_add)
}

/// The schedulable nodes that `kubectl get nodes --output=json` prints, with their allocatable CPUs and GPUs.
///
/// # Errors
/// It is not JSON; a sentence.
pub(super) fn of_kubectl(output: &mut dyn Read) -> Result<Vec<ClusterNode>, String> {
    let listed: NodeList =
        serde_json::from_reader(output).map_err(|error| format!("kubectl did not print a list of nodes: {error}"))?;
    Ok(listed.items.0)
}

/// What kubectl prints.
#[derive(Deserialize)]
struct NodeList {
    #[serde(default)]
    items: Nodes,
}

/// The schedulable nodes of a list. Each is read alone, as most of its text are the images that it has.
#[derive(Default)]
struct Nodes(Vec<ClusterNode>);

impl<'de> Deserialize<'de> for Nodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(NodesVisitor)
    }
}

struct NodesVisitor;

impl<'de> Visitor<'de> for NodesVisitor {
    type Value = Nodes;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of nodes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Nodes, A::Error> {
        let mut nodes = Vec::new();
        while let Some(listed) = sequence.next_element::<ListedNode>()? {
            nodes.extend(listed.schedulable());
        }
        Ok(Nodes(nodes))
    }
}

/// What is read of a node.
#[derive(Deserialize)]
struct ListedNode {
    #[serde(default)]
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Default, Deserialize)]
struct Spec {
    #[serde(default)]
    unschedulable: bool,
}

#[derive(Default, Deserialize)]
struct Status {
    #[serde(default)]
    allocatable: Allocatable,
}

/// Quantities of these resources, as text; others are not read.
#[derive(Default, Deserialize)]
struct Allocatable {
    #[serde(default)]
    cpu: Value,
    #[serde(default, rename = "nvidia.com/gpu")]
    gpus: Value,
}

impl ListedNode {
    fn schedulable(self) -> Option<ClusterNode> {
        let Allocatable { cpu, gpus } = self.status.allocatable;
        let gpus = gpus.as_str().and_then(|count| count.parse().ok()).unwrap_or(0);
        let node = ClusterNode { cpus: whole_cpus(cpu.as_str()?)?, gpus };
        (!self.spec.unschedulable).then_some(node)
    }
}

/// Whole CPUs of a quantity: `64`, or `63500m` in thousandths.
fn whole_cpus(quantity: &str) -> Option<u32> {
    match quantity.strip_suffix('m') {
        Some(thousandths) => thousandths.parse::<u32>().ok().map(|thousandths| thousandths / 1_000),
        None => quantity.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(cpus: u32, gpus: u32) -> ClusterNode {
        ClusterNode { cpus, gpus }
    }

    /// As Slurm 22.05 prints them; `b` is in two partitions.
    #[test]
    fn nodes_of_slurm_are_those_of_the_partition() {
        let all = "a|64|gpu:a100:4(S:0-1,3),shard:16|long*\nb|64|gpu:2,gpu:t4:1|long*\nb|64|gpu:2,gpu:t4:1|short\n\
                   c|32|(null)|short\nslurm_load_node error\n";
        assert_eq!(of_sinfo(all, false), [node(64, 4), node(64, 3)]);
        assert_eq!(of_sinfo("b|64|gpu:2|short\nc|32|(null)|short\n", true), [node(64, 2), node(32, 0)]);
        assert_eq!(of_sinfo("c|32|(null)|short\n", false), [node(32, 0)], "no partition is the default");
        assert!(of_sinfo("", true).is_empty());
    }

    #[test]
    fn nodes_of_kubernetes_are_those_that_take_pods() {
        let text = r#"{"items": [
            {"status": {"allocatable": {"cpu": "63500m", "nvidia.com/gpu": "8"}}},
            {"spec": {"unschedulable": true}, "status": {"allocatable": {"cpu": "64"}}},
            {"spec": {}, "status": {"allocatable": {"cpu": "4"}}},
            {"status": {}}]}"#;
        assert_eq!(of_kubectl(&mut text.as_bytes()), Ok(vec![node(63, 8), node(4, 0)]));
        assert_eq!(of_kubectl(&mut "{}".as_bytes()), Ok(Vec::new()));
        let refused = of_kubectl(&mut "Error".as_bytes()).expect_err("no JSON");
        assert!(refused.starts_with("kubectl did not print a list of nodes"), "{refused}");
    }

    /// Kubernetes supports 5,000 nodes; a node lists up to 50 images (`nodeStatusMaxImages`), each here with two names of 400 letters.
    #[test]
    fn the_largest_cluster_is_read_without_its_images() {
        let image = format!(r#"{{"names": ["{0}", "{0}"], "sizeBytes": 1}}"#, "x".repeat(400));
        let images = vec![image.as_str(); 50].join(", ");
        let status = format!(r#"{{"allocatable": {{"cpu": "64"}}, "images": [{images}]}}"#);
        let listed = format!(r#"{{"spec": {{"podCIDR": "10.0.0.0/24"}}, "status": {status}}}"#);
        assert!(listed.len() as u64 * 5_000 < LARGEST_NODES, "{} bytes of a node", listed.len());
        let three = format!(r#"{{"items": [{listed}, {listed}, {listed}], "kind": "List"}}"#);
        assert_eq!(of_kubectl(&mut three.as_bytes()), Ok(vec![node(64, 0); 3]));
    }

    #[test]
    fn a_run_on_one_node_has_at_most_the_units_of_each_type_of_one() {
        let nodes = [node(32, 0), node(64, 8), node(64, 8), node(16, 12)];
        let summary =
            "2 nodes with 64 CPUs and 8 GPUs each; 1 node with 32 CPUs; 1 node with 16 CPUs and 12 GPUs".to_owned();
        let one = ListedUnits { cpus: 64, gpus: 12, summary: summary.clone() };
        assert_eq!(ListedUnits::of(&nodes, false), one);
        // 32 + 64 + 64 + 16, and 8 + 8 + 12.
        assert_eq!(ListedUnits::of(&nodes, true), ListedUnits { cpus: 176, gpus: 28, summary });
    }
}
