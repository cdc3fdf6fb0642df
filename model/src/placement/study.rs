//! What the user enters: cluster, networks, GPU, compression, operators and policy.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::catalogue::NetworkFamily;
use crate::plan::{Kind, Node as PlanNode, Plan};
use crate::provenance::Sources;
use crate::quantity::whole;
use crate::shared::Shared;

/// A placement study: one cluster, the networks to compare, and the operators of a workload.
///
/// Fields that the published method does not have default to their neutral value, so a file may
/// leave them out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// Machines and how their results are aggregated.
    pub cluster: Cluster,
    /// The CPU side of every machine.
    #[serde(default)]
    pub node: Node,
    /// Networks to compare; at least one, names unique.
    pub networks: Vec<Network>,
    /// Link between host memory and GPU.
    pub bus: Bus,
    /// The GPU side of every machine.
    pub gpu: Gpu,
    /// Compression on the GPU.
    pub compression: Compression,
    /// Operators of the workload; at least one, names unique.
    pub operators: Vec<Operator>,
    /// How the placement is decided.
    pub policy: Policy,
    /// A query whose operators are placed together; their costs are those of `operators` by kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<Box<Query>>,
    /// Where the numbers come from, by field path; a field not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
}

/// Machines and how their results are aggregated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Number of machines, n.
    #[serde(serialize_with = "whole")]
    pub machines: f64,
    /// Machines per aggregation, k.
    #[serde(serialize_with = "whole")]
    pub fan_in: f64,
    /// How aggregation rounds and sending nodes are counted.
    #[serde(default)]
    pub aggregation: Aggregation,
}

/// How aggregation rounds r and sending nodes A are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Aggregation {
    /// The published form: r = log_k n as a real number, A = n·k/(k−1), the limit of the series.
    Published,
    /// Whole rounds: r = ⌈log_k n⌉, A = Σ⌈n/k^i⌉ down to one machine.
    #[default]
    Exact,
}

/// The CPU side of every machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Node {
    /// Name of the catalogue entry, free text.
    pub name: String,
    /// How many times faster the whole machine is than the one core that `cpu_seconds_per_100mb` describes.
    pub cpu_parallelism: f64,
    /// Memory bandwidth of the whole machine, which no operator exceeds on all its cores, GB/s of input;
    /// `None`: cores add up without limit.
    pub memory_gb_per_s: Option<f64>,
    /// Speed at which the input is read from storage, GB/s; `None`: the input is already in memory.
    pub scan_gb_per_s: Option<f64>,
}

impl Default for Node {
    fn default() -> Self {
        Self { name: String::new(), cpu_parallelism: 1.0, memory_gb_per_s: None, scan_gb_per_s: None }
    }
}

/// A network between the machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Name, unique in the study.
    pub name: String,
    /// Kind of network; decides the colour of its curves.
    pub family: NetworkFamily,
    /// Line speed, Gbit/s; informative.
    pub line_gbit_per_s: f64,
    /// Speed that an application gets between two nodes, B, Gbit/s.
    pub effective_gbit_per_s: f64,
}

/// Link between host memory and GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bus {
    /// Name, e.g. "PCIe 3.0 ×16".
    #[serde(default)]
    pub name: String,
    /// Effective speed host → GPU, b, GB/s.
    pub to_gpu_gb_per_s: f64,
    /// Effective speed GPU → host, GB/s.
    pub from_gpu_gb_per_s: f64,
}

/// The GPU side of every machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// Name of the catalogue entry, free text.
    #[serde(default)]
    pub name: String,
    /// GPUs per machine; they share the bus.
    #[serde(default = "one", serialize_with = "whole")]
    pub gpus_per_machine: f64,
    /// How many times faster one GPU runs an operator than one CPU core, M.
    pub gpu_parallelism: f64,
    /// Memory of one GPU, GB; `None`: the data always fits.
    #[serde(default)]
    pub gpu_memory_gb: Option<f64>,
}

/// Compression on the GPU. Speeds count uncompressed bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compression {
    /// Name of the codec, free text.
    #[serde(default)]
    pub name: String,
    /// Compressed / raw size of what crosses the network, c.
    pub network_ratio: f64,
    /// Compressed / raw size of what crosses the bus; 1: the bus carries raw data.
    #[serde(default = "one")]
    pub bus_ratio: f64,
    /// Compression speed of one GPU, v, GB/s.
    pub compress_gb_per_s: f64,
    /// Decompression speed of one GPU, v, GB/s.
    pub decompress_gb_per_s: f64,
}

/// One operator of the workload (filter, join, aggregate …).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operator {
    /// Name, unique in the study.
    pub name: String,
    /// How the work grows with the time per 100 MB.
    pub class: Class,
    /// CPU seconds of one core per 100 MB of input, t.
    pub cpu_seconds_per_100mb: f64,
    /// Input per machine, D, GB.
    pub input_gb: f64,
    /// Output / input size, σ.
    pub output_ratio: f64,
    /// Fixed cost of starting the operator on the GPU, seconds per round and pass.
    #[serde(default)]
    pub fixed_seconds: f64,
    /// Measured CPU time of the whole machine; replaces `cpu_seconds_per_100mb` on the CPU side.
    #[serde(default)]
    pub cpu_curve: Option<CostCurve>,
    /// Measured kernel time of one GPU; replaces the division by M.
    #[serde(default)]
    pub gpu_curve: Option<CostCurve>,
    /// Side that the user insists on.
    #[serde(default)]
    pub pin: Option<Side>,
    /// Operators of the query that have these costs; at most one operator for each kind.
    #[serde(default)]
    pub kind: Option<Kind>,
}

/// A query whose operators are placed together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The plan as its engine reported it; shared by all copies of the study.
    pub plan: Shared<Plan>,
    /// Sides that the user insists on, by node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pins: BTreeMap<usize, Side>,
    /// Classes without a GPU version, each with the note of the support list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unsupported: BTreeMap<String, String>,
    /// How many times faster a class is on a GPU, from a list of scores.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, f64>,
    /// Whether the scores take the place of the model's GPU times.
    #[serde(default)]
    pub use_scores: bool,
}

impl Query {
    /// The score that takes the place of the model's GPU time of a node, if any does.
    #[must_use]
    pub fn score(&self, node: &PlanNode) -> Option<f64> {
        let class = node.class.as_ref().filter(|_| self.use_scores)?;
        self.scores.get(class).copied()
    }
}

/// How an operator's time on one machine grows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Class {
    /// (t/0.1)·D, e.g. filter.
    Linear,
    /// (t/0.1)²·D, e.g. join.
    Quadratic,
    /// (t/0.1)^p·D.
    Power(f64),
}

impl Class {
    /// The exponent p.
    #[must_use]
    pub fn power(self) -> f64 {
        match self {
            Self::Linear => 1.0,
            Self::Quadratic => 2.0,
            Self::Power(p) => p,
        }
    }

    /// "linear", "quadratic" or "power p".
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Linear => "linear".to_owned(),
            Self::Quadratic => "quadratic".to_owned(),
            Self::Power(p) => format!("power {p}"),
        }
    }
}

/// A measured cost curve: time = `fixed_seconds` + D / `gb_per_s`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostCurve {
    /// Time that does not depend on the amount of data, seconds.
    pub fixed_seconds: f64,
    /// Rate at which data is processed, GB/s.
    pub gb_per_s: f64,
}

/// Where an operator runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// On the CPU cluster.
    Cpu,
    /// On the GPU cluster.
    Gpu,
}

impl Side {
    /// The other side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Cpu => Self::Gpu,
            Self::Gpu => Self::Cpu,
        }
    }

    /// "CPU" or "GPU".
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Gpu => "GPU",
        }
    }
}

/// What runs at the same time: the longest of it counts instead of the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Overlap {
    /// Nothing: all terms add up, the published form.
    #[default]
    Nothing,
    /// Both bus directions and the work on the GPU.
    BusAndCompute,
    /// Bus, network, storage and work, on either side.
    Everything,
}

/// How the placement is decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// An operator goes to the GPU when its speedup exceeds this.
    #[serde(default = "one")]
    pub threshold: f64,
    /// Name of the network that the cluster has (the others are compared with it).
    pub network: String,
    /// Whether GPU results are compressed.
    #[serde(default)]
    pub compression: bool,
    /// What runs at the same time.
    #[serde(default)]
    pub overlap: Overlap,
}

fn one() -> f64 {
    1.0
}
