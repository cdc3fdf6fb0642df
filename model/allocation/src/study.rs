//! The inputs of a study: nodes with GPUs, tasks, and the scheduling policy.

use serde::{Deserialize, Serialize};

use super::named::NamedTrace;
use super::policy::Policy;
use crossover_quantity::provenance::Sources;
use crossover_quantity::quantity::whole;
use crossover_quantity::spread::Spreads;
use crossover_study::Part;
use crossover_study::bill::Bill;

/// Most types of GPUs.
pub const MOST_TYPES: usize = 64;
/// Most groups of nodes, and of tasks.
pub const MOST_GROUPS: usize = 1_000;
/// Most kinds of GPUs of a node.
pub const MOST_BOARDS: usize = 16;
/// Most pairs of tasks.
pub const MOST_PAIRS: usize = 10_000;
/// Most pieces of a task.
pub const MOST_PIECES: f64 = 1024.0;
/// Most nodes of a cluster.
pub const MOST_NODES: f64 = 50_000.0;
/// Most tasks of a list.
pub const MOST_TASKS: f64 = 1_000_000.0;

/// Most expected tasks of all replays.
pub const MOST_REPLAYED: f64 = 1_000_000.0;
/// Longest time, seconds: a year.
const YEAR: f64 = 366.0 * 86_400.0;

/// Source of numbers of the published method.
const METHOD: &str = "published method of allocation";
/// Source of numbers of the published simulator.
const PUBLISHED: &str = "Weng and others, USENIX ATC 2023";
/// Source of extensions.
const EXTENSION: &str = "extension of the published protocol (docs/model/allocation.md)";

/// An allocation study: tasks that share the GPUs of a cluster.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allocation {
    /// Demand and order of arrivals.
    #[part]
    pub arrivals: Arrivals,
    /// Types of GPUs; at least one, names unique.
    #[list(named, least = 1, most = MOST_TYPES)]
    pub types: Vec<GpuType>,
    /// Groups of equal nodes; at least one, names unique.
    #[list(named, least = 1, most = MOST_GROUPS)]
    pub nodes: Vec<NodeGroup>,
    /// Groups of equal tasks; at least one, names unique.
    #[list(named, least = 1, most = MOST_GROUPS)]
    pub tasks: Vec<TaskGroup>,
    /// Pairs of tasks that were measured on one GPU; all others use `replay.interference`.
    #[list(most = MOST_PAIRS)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<Pair>,
    /// The replay: tasks arrive, wait, run and leave.
    #[part]
    #[serde(default)]
    pub replay: Timing,
    /// The scheduling policy.
    #[part]
    pub policy: PolicyChoice,
    /// Prices of the machines; `None`: no cost figures.
    #[part(example = "(as_of: \"May 2026\", years: 4, utilisation: 0.5, usd_per_kwh: 0.15, pue: 1.4, items: […])")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bill: Option<Box<Bill>>,
    /// Provenance of the numbers, by field path; a field that is not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
    /// Spreads of uncertain numbers, by field path; a number that is not listed has the spread of its source, or none.
    #[serde(default, skip_serializing_if = "Spreads::is_empty")]
    pub uncertain: Spreads,
}

/// Demand and order of arrivals.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// Requested GPUs ÷ all GPUs at which arrivals end. Each task of the list arrives once, then randomly chosen tasks arrive again.
    #[number(symbol = "d", label = "demand", unit = Share, range = 0.01..=10.0, source = PUBLISHED)]
    pub demand: f64,
    /// Arrival orders over which results are means.
    #[number(label = "arrival orders", unit = Count, range = 1.0..=100.0, whole, source = PUBLISHED, chosen)]
    #[serde(serialize_with = "whole")]
    pub orders: f64,
    /// Seed of the first arrival order; each further one has the next seed.
    #[number(label = "seed", unit = Count, range = 0.0..=1e15, whole, source = PUBLISHED, chosen)]
    #[serde(serialize_with = "whole")]
    pub seed: f64,
    /// Share of the requested GPUs that is to be allocated; decides the nodes to add.
    #[number(symbol = "τ", label = "target", unit = Share, range = 0.01..=1.0, source = EXTENSION, decision)]
    #[serde(default = "most")]
    pub target: f64,
}

/// The replay: tasks arrive, wait, run and leave.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Time in which tasks arrive at random; the replay ends with the last task. 0: no random arrivals.
    #[number(label = "arrival period", unit = Seconds, range = 0.0..=YEAR, neutral = 0.0, source = EXTENSION)]
    pub seconds: f64,
    /// Time to checkpoint and restore a preempted task.
    #[number(label = "checkpoint time", unit = Seconds, range = 0.0..=86_400.0, source = METHOD)]
    #[serde(default = "half_a_minute")]
    pub checkpoint_seconds: f64,
    /// Recorded tasks that arrive at their recorded times, instead of random tasks of the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<NamedTrace>,
    /// Whether latency-sensitive tasks preempt others.
    #[serde(default = "yes")]
    pub preempts: bool,
    /// Replays over which waits are means, each with the next seed.
    #[number(label = "replays", unit = Count, range = 1.0..=100.0, whole, source = EXTENSION, chosen)]
    #[serde(default = "three", serialize_with = "whole")]
    pub runs: f64,
    /// Time between two samples of a latency-sensitive task; 0: no monitoring.
    #[number(label = "polling interval", unit = Seconds, range = 0.0..=86_400.0, neutral = 0.0, source = METHOD, chosen, decision)]
    #[serde(default = "ten_seconds")]
    pub polling_seconds: f64,
    /// GPU share that a task gains at each sample that shows it behind schedule, in steps of 1/42,000.
    #[number(label = "share step", unit = Share, range = 0.001..=1.0, source = METHOD, chosen, decision)]
    #[serde(default = "a_tenth")]
    pub step: f64,
    /// Extra time of a task beside another one that uses a whole GPU, for pairs that were not measured.
    #[number(symbol = "c", label = "interference", unit = Share, range = 0.0..=100.0, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub interference: f64,
    /// Standard deviation of the logarithm of used share ÷ requested share.
    #[number(symbol = "σ", label = "prediction error", unit = Share, range = 0.0..=2.0, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub error: f64,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            seconds: 0.0,
            trace: None,
            checkpoint_seconds: half_a_minute(),
            preempts: true,
            runs: three(),
            polling_seconds: ten_seconds(),
            step: a_tenth(),
            interference: 0.0,
            error: 0.0,
        }
    }
}

/// A pair of tasks that was measured on the same GPU.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The task whose speed was measured.
    #[reference(list = "tasks", what = "group of tasks")]
    pub task: String,
    /// The other task on the GPU.
    #[reference(list = "tasks", what = "group of tasks")]
    pub beside: String,
    /// Speed of the task beside the other one ÷ its speed alone.
    #[number(label = "speed of the pair", unit = Share, range = 0.001..=1.0, source = EXTENSION)]
    pub speed: f64,
}

/// A type of GPU.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuType {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// Power of a fully allocated GPU.
    #[number(label = "power of a GPU", unit = Watts, range = 0.0..=1e5, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub watts: f64,
}

/// A group of equal nodes.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeGroup {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// Number of nodes.
    #[number(symbol = "n", label = "nodes", unit = Count, range = 0.0..=MOST_NODES, whole, source = PUBLISHED, decision)]
    #[serde(serialize_with = "whole")]
    pub nodes: f64,
    /// CPU cores of a node.
    #[number(label = "cores of a node", unit = Count, range = 0.0..=4096.0, source = PUBLISHED, decision)]
    pub cores: f64,
    /// Memory of a node.
    #[number(label = "memory of a node", unit = Gigabytes, range = 0.0..=1e6, source = PUBLISHED, decision)]
    pub memory_gb: f64,
    /// GPUs of a node, of its first type.
    #[number(symbol = "G", label = "GPUs of a node", unit = Count, range = 0.0..=16.0, whole, source = PUBLISHED, decision)]
    #[serde(serialize_with = "whole")]
    pub gpus: f64,
    /// Their type.
    #[reference(list = "types", what = "type of GPU")]
    pub gpu_type: String,
    /// Share of each of these GPUs that tasks of this study can use, in steps of 1/42,000.
    #[number(label = "GPU capacity left", unit = Share, range = 0.0..=1.0, neutral = 1.0, source = METHOD)]
    #[serde(default = "one")]
    pub left: f64,
    /// Further GPUs of a node, of another type or with other capacity left.
    #[list(most = MOST_BOARDS)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Board>,
}

impl Default for NodeGroup {
    /// A node with eight GPUs, of a type that has no name yet.
    fn default() -> Self {
        Self {
            name: "nodes".to_owned(),
            nodes: 1.0,
            cores: 96.0,
            memory_gb: 768.0,
            gpus: 8.0,
            gpu_type: String::new(),
            left: 1.0,
            more: Vec::new(),
        }
    }
}

impl Default for TaskGroup {
    /// A task on one whole GPU.
    fn default() -> Self {
        Self {
            name: "tasks".to_owned(),
            tasks: 1.0,
            cores: 4.0,
            memory_gb: 16.0,
            pieces: 1.0,
            gpus: 1.0,
            share: 1.0,
            memory_share: 0.0,
            declared_factor: 1.0,
            min_share: 1.0,
            at_start: 0.0,
            slo_factor: twice(),
            per_hour: 0.0,
            run_seconds: an_hour(),
            is_sensitive: false,
            runs_on: Vec::new(),
        }
    }
}

impl TaskGroup {
    /// Requested share of a GPU of a type; `None` where the task cannot run.
    #[must_use]
    pub fn share_on(&self, gpu_type: &str) -> Option<f64> {
        let own = self.runs_on.iter().find(|on| on.gpu_type == gpu_type);
        let can = self.runs_on.is_empty() || own.is_some();
        can.then(|| own.map(|on| on.share).filter(|share| *share > 0.0).unwrap_or(self.share))
    }

    /// Speed on the fastest type.
    #[must_use]
    pub fn most_speed(&self) -> f64 {
        self.runs_on.iter().map(|on| on.speed).reduce(f64::max).unwrap_or(1.0)
    }
}

impl NodeGroup {
    /// GPUs of a node, with further ones.
    #[must_use]
    pub fn all_gpus(&self) -> f64 {
        self.gpus + self.more.iter().map(|board| board.gpus).sum::<f64>()
    }

    /// Capacity left on them at the start, in GPUs.
    #[must_use]
    pub fn all_left(&self) -> f64 {
        self.gpus * self.left + self.more.iter().map(|board| board.gpus * board.left).sum::<f64>()
    }
}

/// Further GPUs of a node.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Their type.
    #[reference(list = "types", what = "type of GPU")]
    pub gpu_type: String,
    /// Further GPUs of each node.
    #[number(label = "further GPUs", unit = Count, range = 0.0..=16.0, whole, source = METHOD, decision)]
    #[serde(serialize_with = "whole")]
    pub gpus: f64,
    /// Share of each further GPU that tasks of this study can use, in steps of 1/42,000.
    #[number(label = "free, further GPUs", unit = Share, range = 0.0..=1.0, neutral = 1.0, source = METHOD)]
    #[serde(default = "one")]
    pub left: f64,
}

/// A group of equal tasks.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskGroup {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// Tasks of this group in the list.
    #[number(label = "tasks", unit = Count, range = 0.0..=MOST_TASKS, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub tasks: f64,
    /// CPU cores that a task requests.
    #[number(label = "cores of a task", unit = Count, range = 0.0..=4096.0, source = PUBLISHED)]
    pub cores: f64,
    /// Memory that a task requests.
    #[number(label = "memory of a task", unit = Gigabytes, range = 0.0..=1e6, source = PUBLISHED)]
    pub memory_gb: f64,
    /// Parts of a task that start together or not at all, each on one node. More than 1 if a task exceeds a node.
    #[number(label = "pods per gang", unit = Count, range = 1.0..=MOST_PIECES, whole, neutral = 1.0, source = EXTENSION)]
    #[serde(default = "one", serialize_with = "whole")]
    pub pieces: f64,
    /// GPUs that a piece requests, all on one node.
    #[number(label = "GPUs of a task", unit = Count, range = 0.0..=16.0, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub gpus: f64,
    /// Requested share of the compute units of each of these GPUs, in steps of 1/42,000.
    #[number(symbol = "s", label = "share of a GPU", unit = Share, range = 0.001..=1.0, source = PUBLISHED)]
    #[serde(default = "one")]
    pub share: f64,
    /// Share of the memory of each of these GPUs, in steps of 1/42,000; 0: GPU memory is not checked. It is allocated beside the
    /// share of the compute units.
    #[number(label = "checked GPU memory", unit = Share, range = 0.0..=1.0, neutral = 0.0, source = METHOD)]
    #[serde(default)]
    pub memory_share: f64,
    /// Share that the owner declares ÷ share that the task needs; vCUDA allocates the declared share.
    #[number(label = "declared ÷ needed", unit = Factor, range = 0.01..=1000.0, neutral = 1.0, source = EXTENSION)]
    #[serde(default = "one")]
    pub declared_factor: f64,
    /// Smallest share ÷ requested share on which a task still runs when its share is reduced; in the replay only.
    #[number(label = "minimum share", unit = Share, range = 0.0..=1.0, source = METHOD)]
    #[serde(default = "one")]
    pub min_share: f64,
    /// Tasks that arrive at the start, before all others, group by group; in the replay only.
    #[number(label = "tasks at the start", unit = Count, range = 0.0..=MOST_REPLAYED, whole, neutral = 0.0, source = EXTENSION)]
    #[serde(default, serialize_with = "whole")]
    pub at_start: f64,
    /// Longest time from arrival to end that meets the SLO, ÷ time alone; of latency-sensitive tasks, in the replay only.
    #[number(label = "SLO factor", unit = Factor, range = 1.0..=1e6, source = EXTENSION)]
    #[serde(default = "twice")]
    pub slo_factor: f64,
    /// Tasks that arrive per hour, at random times; in the replay only.
    #[number(symbol = "λ", label = "arrivals per hour", unit = Count, range = 0.0..=1e6, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub per_hour: f64,
    /// Mean of random run times; tasks at the start run for exactly this time. In the replay only.
    #[number(symbol = "m", label = "run time", unit = Seconds, range = 1e-3..=YEAR, source = EXTENSION)]
    #[serde(default = "an_hour")]
    pub run_seconds: f64,
    /// Whether the task is latency-sensitive.
    #[serde(default)]
    pub is_sensitive: bool,
    /// Types of GPUs on which the task can run, with its needs there; empty: all types.
    #[list]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs_on: Vec<RunsOn>,
}

/// A type of GPU on which a task can run, with its share and speed there.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunsOn {
    /// The type.
    #[reference(list = "types", what = "type of GPU")]
    pub gpu_type: String,
    /// Requested share of a GPU of this type, in steps of 1/42,000; 0: the share of the group.
    #[number(label = "share on this type", unit = Share, range = 0.0..=1.0, neutral = 0.0, source = METHOD)]
    #[serde(default)]
    pub share: f64,
    /// Share of the memory of a GPU of this type, in steps of 1/42,000; 0: that of the group.
    #[number(label = "memory on this type", unit = Share, range = 0.0..=1.0, neutral = 0.0, source = METHOD)]
    #[serde(default)]
    pub memory_share: f64,
    /// Speed on this type ÷ the speed for which the run time is given.
    #[number(label = "speed on this type", unit = Factor, range = 0.001..=1000.0, neutral = 1.0, source = METHOD)]
    #[serde(default = "one")]
    pub speed: f64,
}

/// The scheduling policy, and the nodes that grow where there are too few.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyChoice {
    /// The scheduling policy.
    pub name: Policy,
    /// The group of nodes that is enlarged until the target is met.
    #[reference(list = "nodes", what = "group of nodes")]
    pub growing_nodes: String,
}

fn yes() -> bool {
    true
}

fn half_a_minute() -> f64 {
    30.0
}

fn an_hour() -> f64 {
    3_600.0
}

fn one() -> f64 {
    1.0
}

fn three() -> f64 {
    3.0
}

fn ten_seconds() -> f64 {
    10.0
}

fn a_tenth() -> f64 {
    0.1
}

fn twice() -> f64 {
    2.0
}

fn most() -> f64 {
    0.95
}
