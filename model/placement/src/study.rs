//! The inputs of a placement study: cluster, networks, GPU, compression, operators and policy.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::decision::DecisionInputs;
use crossover_engine::Engines;
use crossover_measured::calibration::{CostCurve, CurveNumbers};
use crossover_quantity::catalogue::NetworkFamily;
use crossover_quantity::provenance::Sources;
use crossover_quantity::quantity::{Quantity, whole};
use crossover_quantity::shared::Shared;
use crossover_quantity::spread::Spreads;
use crossover_quantity::unit::Unit;
use crossover_query::{Application, Kind, Node as PlanNode, Plan};
use crossover_study::bill::Bill;
use crossover_study::{Field, FieldKind, Number, Part};

/// Most networks of a study; each is evaluated with every operator, with and without compression.
pub const MOST_NETWORKS: usize = 50;
/// Most operators of a study.
pub const MOST_OPERATORS: usize = 200;

/// Source of the terms of the published method.
const PUBLISHED: &str = "published method, steps 120–130";
/// Source of the terms that the published method does not have.
const EXTENSION: &str = "extension of the published method, neutral by default (docs/model/placement.md)";

/// A placement study: one cluster, the networks to compare, and the operators of a workload.
///
/// Fields that the published method does not have default to their neutral value, so a file may
/// leave them out.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// Machines and how their results are aggregated.
    #[part]
    pub cluster: Cluster,
    /// The CPU side of every machine.
    #[part]
    #[serde(default)]
    pub node: Node,
    /// Networks to compare; one to 50, names unique.
    #[list(named, least = 1, most = MOST_NETWORKS)]
    pub networks: Vec<Network>,
    /// Link between host memory and GPU.
    #[part]
    pub bus: Bus,
    /// The GPU side of every machine.
    #[part]
    pub gpu: Gpu,
    /// Compression on the GPU.
    #[part]
    pub compression: Compression,
    /// Operators of the workload; one to 200, names unique.
    #[list(named, least = 1, most = MOST_OPERATORS)]
    pub operators: Vec<Operator>,
    /// How the placement is decided.
    #[part]
    pub policy: Policy,
    /// A query whose operators are placed together; their costs are those of `operators` by kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<Box<Query>>,
    /// Engines that run whole queries, each on machines of its own; they give the time of a query's plan.
    #[part(example = "(cpu: (…), gpu: (…))")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engines: Option<Box<Engines>>,
    /// What the user wants of the query in whole engines; without it, the least cost of runs that are not slower than today's.
    #[part(example = "(time_limit: 1.2, runs_per_month: 720)")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Box<DecisionInputs>>,
    /// Prices of the machines; without them no costs are computed.
    #[part(example = "(as_of: \"May 2026\", years: 4, utilisation: 0.5, usd_per_kwh: 0.15, pue: 1.4, items: […])")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bill: Option<Box<Bill>>,
    /// Sources of the numbers, by field path; a field that is not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
    /// Distributions of the numbers, by field path; a number that is not listed has the distribution of its source, or none.
    #[serde(default, skip_serializing_if = "Spreads::is_empty")]
    pub uncertain: Spreads,
}

/// Machines and how their results are aggregated.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[numbers(ClusterNumbers)]
pub struct Cluster {
    /// Machines in the cluster; every machine works on its own share of the data.
    #[number(symbol = "n", label = "machines", unit = Count, range = 1.0..=1e6, whole, source = PUBLISHED, decision)]
    #[serde(serialize_with = "whole")]
    pub machines: f64,
    /// Machines whose results are aggregated by one machine in each round.
    #[number(symbol = "k", label = "fan-in", unit = Count, range = 2.0..=1e6, whole, source = PUBLISHED, decision)]
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
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[numbers(NodeNumbers)]
pub struct Node {
    /// Name of the catalogue entry, free text.
    pub name: String,
    /// Speed of the whole machine ÷ speed of the one core that “CPU time per 100 MB” describes.
    #[number(
        symbol = "P", label = "CPU parallelism", unit = Ratio, range = 0.01..=1e5, neutral = 1.0, source = EXTENSION
    )]
    pub cpu_parallelism: f64,
    /// Data that all cores of one machine read per second at most, however fast the operator is on one core.
    #[number(
        symbol = "w", label = "memory bandwidth", unit = GigabytesPerSecond, range = 0.1..=1e5,
        neutral = f64::INFINITY, source = EXTENSION
    )]
    pub memory_gb_per_s: Option<f64>,
    /// Speed at which each machine reads its input from storage; paid on both sides.
    #[number(
        symbol = "s", label = "storage scan speed", unit = GigabytesPerSecond, range = 1e-3..=1e5,
        neutral = f64::INFINITY, source = EXTENSION
    )]
    pub scan_gb_per_s: Option<f64>,
    /// Speed at which one core converts rows to columns, or back, if the engine is row-based on CPUs; it counts where data of a
    /// plan moves between CPU and GPU.
    #[number(
        symbol = "u", label = "row conversion", unit = GigabytesPerSecond, range = 1e-3..=1e5,
        neutral = f64::INFINITY, source = EXTENSION
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_conversion_gb_per_s: Option<f64>,
}

impl Node {
    /// GB/s at which one core of Spark converts columns to rows: 1.6 GB in 0.98 s (NVIDIA/spark-rapids, pull request 13842).
    pub const SPARK_ROW_CONVERSION: f64 = 1.63;
}

impl Default for Node {
    fn default() -> Self {
        Self {
            name: String::new(),
            cpu_parallelism: 1.0,
            memory_gb_per_s: None,
            scan_gb_per_s: None,
            row_conversion_gb_per_s: None,
        }
    }
}

/// A network between the machines.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[numbers(NetworkNumbers)]
pub struct Network {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// Kind of network; decides the colour of its curves.
    pub family: NetworkFamily,
    /// Nominal speed of the link; informative, the model uses the effective speed.
    #[number(label = "line speed", unit = GigabitsPerSecond, range = 1e-3..=1e6, source = PUBLISHED)]
    pub line_gbit_per_s: f64,
    /// Speed that an application gets between two nodes.
    #[number(symbol = "B", label = "effective speed", unit = GigabitsPerSecond, range = 1e-3..=1e6, source = PUBLISHED, decision)]
    pub effective_gbit_per_s: f64,
}

/// Link between host memory and GPU.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[numbers(BusNumbers)]
pub struct Bus {
    /// Name, e.g. "PCIe 3.0 ×16".
    #[serde(default)]
    pub name: String,
    /// Effective bus speed from host memory to the GPU.
    #[number(symbol = "b", label = "host → GPU", unit = GigabytesPerSecond, range = 1e-2..=1e5, source = PUBLISHED)]
    pub to_gpu_gb_per_s: f64,
    /// Effective bus speed from the GPU to host memory; the published method has one speed for both.
    #[number(symbol = "b′", label = "GPU → host", unit = GigabytesPerSecond, range = 1e-2..=1e5, source = PUBLISHED)]
    pub from_gpu_gb_per_s: f64,
}

/// The GPU side of every machine.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[numbers(GpuNumbers)]
pub struct Gpu {
    /// Name of the catalogue entry, free text.
    #[serde(default)]
    pub name: String,
    /// GPUs that share the work and the bus of one machine.
    #[number(
        symbol = "g", label = "GPUs per machine", unit = Count, range = 1.0..=64.0, whole, neutral = 1.0,
        source = EXTENSION, decision
    )]
    #[serde(default = "one", serialize_with = "whole")]
    pub gpus_per_machine: f64,
    /// How many times faster one GPU runs an operator than one CPU core, once the data is on the GPU. If the core ratio is not 1:
    /// the GPU cores that work at once.
    #[number(symbol = "M", label = "GPU parallelism", unit = Ratio, range = 1e-2..=1e6, source = PUBLISHED)]
    pub gpu_parallelism: f64,
    /// Speed of one CPU core ÷ speed of one GPU core; 1 where the GPU parallelism compares a whole GPU with one CPU core.
    #[number(
        symbol = "ρ", label = "core ratio", unit = Ratio, range = 1e-3..=1e3, neutral = 1.0, source = PUBLISHED
    )]
    #[serde(default = "one")]
    pub core_ratio: f64,
    /// Memory of one GPU; input and output that do not fit are processed in passes.
    #[number(
        symbol = "m", label = "GPU memory", unit = Gigabytes, range = 0.1..=1e5, neutral = f64::INFINITY,
        source = EXTENSION, decision
    )]
    #[serde(default)]
    pub gpu_memory_gb: Option<f64>,
}

/// Compression on the GPU. Speeds count uncompressed bytes.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[numbers(CompressionNumbers)]
pub struct Compression {
    /// Name of the codec, free text.
    #[serde(default)]
    pub name: String,
    /// Compressed size ÷ raw size of the results that cross the network.
    #[number(symbol = "c", label = "ratio on the network", unit = Ratio, range = 1e-3..=2.0, source = PUBLISHED)]
    pub network_ratio: f64,
    /// Compressed size ÷ raw size of the data that crosses the bus; 1: the bus carries raw data.
    #[number(
        symbol = "c′", label = "ratio on the bus", unit = Ratio, range = 1e-3..=2.0, neutral = 1.0,
        source = EXTENSION
    )]
    #[serde(default = "one")]
    pub bus_ratio: f64,
    /// Raw bytes per second that one GPU compresses.
    #[number(
        symbol = "v", label = "compression speed", unit = GigabytesPerSecond, range = 1e-3..=1e5, source = PUBLISHED
    )]
    pub compress_gb_per_s: f64,
    /// Raw bytes per second that one GPU decompresses; the published method has one speed for both.
    #[number(
        symbol = "v′", label = "decompression speed", unit = GigabytesPerSecond, range = 1e-3..=1e5,
        source = PUBLISHED
    )]
    pub decompress_gb_per_s: f64,
}

/// One operator of the workload (filter, join, aggregate …).
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[numbers(OperatorNumbers)]
pub struct Operator {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// Exponent of t/0.1 in the operator's time: 1 linear, 2 quadratic.
    #[number(symbol = "p", label = "growth exponent", unit = Ratio, range = 0.1..=4.0, source = PUBLISHED)]
    pub class: Class,
    /// Time that one CPU core needs for 100 MB of this operator's input.
    #[number(
        symbol = "t", label = "CPU time per 100 MB", unit = SecondsPer100Mb, range = 1e-6..=1e3, source = PUBLISHED
    )]
    pub cpu_seconds_per_100mb: f64,
    /// Data that each machine reads for this operator.
    #[number(symbol = "D", label = "input per machine", unit = Gigabytes, range = 1e-6..=1e6, source = PUBLISHED)]
    pub input_gb: f64,
    /// Size of the operator's result relative to its input: selectivity, or expansion above 1.
    #[number(symbol = "σ", label = "output ÷ input", unit = Ratio, range = 0.0..=1e3, source = PUBLISHED)]
    pub output_ratio: f64,
    /// Time to start the operator on the GPU, paid in every aggregation round and memory pass.
    #[number(symbol = "f", label = "fixed cost", unit = Seconds, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub fixed_seconds: f64,
    /// Measured time of the whole machine on CPUs; replaces `cpu_seconds_per_100mb` on the CPU side.
    #[part(numbers = CPU_CURVE, alone = CurveNumbers, example = "(fixed_seconds: 0.01, gb_per_s: 3)")]
    #[serde(default)]
    pub cpu_curve: Option<CostCurve>,
    /// Measured kernel time of one GPU; replaces the division by the GPU parallelism.
    #[part(numbers = GPU_CURVE, alone = CurveNumbers, example = "(fixed_seconds: 0.01, gb_per_s: 3)")]
    #[serde(default)]
    pub gpu_curve: Option<CostCurve>,
    /// Side to which the operator is pinned.
    #[serde(default)]
    pub pin: Option<Side>,
    /// Kind of the query's operators that have these costs; at most one operator for each kind.
    #[serde(default)]
    pub kind: Option<Kind>,
}

/// A query whose operators are placed together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The plan as its engine reported it; shared by all copies of the study.
    pub plan: Shared<Plan>,
    /// Sides to which nodes are pinned, by node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pins: BTreeMap<usize, Side>,
    /// Classes without a GPU version, each with the note of the support list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unsupported: BTreeMap<String, String>,
    /// How many times faster a class is on a GPU, from a list of scores.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, f64>,
    /// Whether the scores replace the model's GPU times.
    #[serde(default)]
    pub use_scores: bool,
    /// Which queries the plan combines, if it is not one query: "3 queries of application shop (12.43 s of its 16.32 s)".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub combined: String,
    /// The application that ran it, if that is more than the query; shared by all copies of the study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<Shared<Application>>,
}

impl Query {
    /// The score that replaces the model's GPU time of a node, if there is one.
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

/// The exponent; setting it makes the class a power.
impl Number for Class {
    fn get(&self) -> Option<f64> {
        Some(self.power())
    }

    fn set(&mut self, value: f64) {
        *self = Self::Power(value);
    }
}

/// The numbers of a measured curve, as those of the CPU.
const CPU_CURVE: &[Field] = &[
    Field { key: "fixed_seconds", kind: FieldKind::Number(&CPU_CURVE_FIXED) },
    Field { key: "gb_per_s", kind: FieldKind::Number(&CPU_CURVE_RATE) },
];
/// Fixed part of the measured curve of the CPU.
pub const CPU_CURVE_FIXED: Quantity = Quantity::new("fixed_seconds", "a_c", "CPU curve, fixed", EXTENSION)
    .unit(Unit::Seconds, 0.0, 1e4)
    .neutral(0.0)
    .meaning("Fixed part of the measured time of the whole machine on CPUs, T = a + D/b.");
/// Rate of the measured curve of the CPU.
pub const CPU_CURVE_RATE: Quantity = Quantity::new("gb_per_s", "b_c", "CPU curve, rate", EXTENSION)
    .unit(Unit::GigabytesPerSecond, 1e-6, 1e6)
    .neutral(f64::INFINITY)
    .meaning("Rate of the measured time of the whole machine on CPUs, T = a + D/b.");

/// The numbers of a measured curve, as those of the GPU.
const GPU_CURVE: &[Field] = &[
    Field { key: "fixed_seconds", kind: FieldKind::Number(&GPU_CURVE_FIXED) },
    Field { key: "gb_per_s", kind: FieldKind::Number(&GPU_CURVE_RATE) },
];
/// Fixed part of the measured curve of the GPU.
pub const GPU_CURVE_FIXED: Quantity = Quantity::new("fixed_seconds", "a_g", "GPU curve, fixed", EXTENSION)
    .unit(Unit::Seconds, 0.0, 1e4)
    .neutral(0.0)
    .meaning("Fixed part of the measured kernel time of one GPU, T = a + D/b.");
/// Rate of the measured curve of the GPU.
pub const GPU_CURVE_RATE: Quantity = Quantity::new("gb_per_s", "b_g", "GPU curve, rate", EXTENSION)
    .unit(Unit::GigabytesPerSecond, 1e-6, 1e6)
    .neutral(f64::INFINITY)
    .meaning("Rate of the measured kernel time of one GPU, T = a + D/b.");

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

/// Terms that run at the same time: the longest counts instead of the sum.
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
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[numbers(PolicyNumbers)]
pub struct Policy {
    /// An operator goes to the GPU when its speedup exceeds this; 1 or more in the published method.
    #[number(
        symbol = "θ", label = "threshold", unit = Factor, range = 0.1..=100.0, neutral = 1.0,
        source = "published method, step 150",
        chosen, decision
    )]
    #[serde(default = "one")]
    pub threshold: f64,
    /// Name of the cluster's network; the others are compared with it.
    #[reference(list = "networks", what = "network")]
    pub network: String,
    /// Whether GPU results are compressed.
    #[serde(default)]
    pub compression: bool,
    /// Terms that run at the same time.
    #[serde(default)]
    pub overlap: Overlap,
}

impl Policy {
    /// The GPU's advantage on its side of a break-even: "GPU faster", with a threshold of 1.2 "GPU speedup above the threshold of 1.2×".
    #[must_use]
    pub fn gpu_advantage(&self) -> String {
        if self.threshold == 1.0 {
            "GPU faster".to_owned()
        } else {
            format!("GPU speedup above the threshold of {}", Unit::Factor.format(self.threshold))
        }
    }
}

fn one() -> f64 {
    1.0
}
