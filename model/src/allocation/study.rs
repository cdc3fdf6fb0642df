//! What the user enters: nodes with GPUs, tasks, and the rule that brings them together.

use serde::{Deserialize, Serialize};

use super::policy::Policy;
use crate::provenance::Sources;
use crate::quantity::whole;
use crate::study::Part;

/// Most types of GPUs.
pub const MOST_TYPES: usize = 64;
/// Most groups of nodes, and of tasks.
pub const MOST_GROUPS: usize = 1_000;
/// Most nodes of a cluster.
pub const MOST_NODES: f64 = 50_000.0;
/// Most tasks of a list.
pub const MOST_TASKS: f64 = 1_000_000.0;

/// Most tasks of a replay, as expected.
pub const MOST_REPLAYED: f64 = 1_000_000.0;
/// Longest time, seconds: a year.
const YEAR: f64 = 366.0 * 86_400.0;

/// Source of what the published method has.
const METHOD: &str = "published method of allocation";
/// Source of what the published simulator has.
const PUBLISHED: &str = "Weng and others, USENIX ATC 2023";
/// Source of what it leaves out.
const EXTENSION: &str = "extension of the published protocol (docs/MODEL.md#allocation)";

/// An allocation study: tasks that share the GPUs of a cluster.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allocation {
    /// How much is asked for, and in which order.
    #[part]
    pub arrivals: Arrivals,
    /// Types of GPUs; at least one, names unique.
    #[list(named, least = 1, most = MOST_TYPES)]
    pub types: Vec<GpuType>,
    /// Nodes that are alike, group by group; at least one, names unique.
    #[list(named, least = 1, most = MOST_GROUPS)]
    pub nodes: Vec<NodeGroup>,
    /// Tasks that are alike, group by group; at least one, names unique.
    #[list(named, least = 1, most = MOST_GROUPS)]
    pub tasks: Vec<TaskGroup>,
    /// Tasks that come, wait, run and leave.
    #[part]
    #[serde(default)]
    pub replay: Timing,
    /// Which node a task gets.
    #[part]
    pub policy: Rule,
    /// Where the numbers come from, by field path; a field not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
}

/// How much is asked for, and in which order.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// Tasks arrive until they have asked for so much of all GPUs; from the list first, each task once, then from it at random.
    #[number(symbol = "d", label = "demand", unit = Share, range = 0.01..=10.0, source = PUBLISHED)]
    pub demand: f64,
    /// Results are means over so many orders in which the tasks arrive.
    #[number(label = "orders", unit = Count, range = 1.0..=100.0, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub orders: f64,
    /// The same seed gives the same orders; the second one has the next seed, and so on.
    #[number(label = "seed", unit = Count, range = 0.0..=1e15, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub seed: f64,
    /// So much of what is asked for of GPUs is to be given; nodes are added until it is.
    #[number(symbol = "τ", label = "target", unit = Share, range = 0.01..=1.0, source = EXTENSION)]
    #[serde(default = "most")]
    pub target: f64,
}

/// Tasks that come, wait, run and leave.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Tasks come for so long; the replay ends when the last of them has ended. 0: no replay.
    #[number(label = "tasks come for", unit = Seconds, range = 0.0..=YEAR, neutral = 0.0, source = EXTENSION)]
    pub seconds: f64,
    /// What saving and restoring costs a task that is stopped.
    #[number(label = "saving and restoring", unit = Seconds, range = 0.0..=86_400.0, source = METHOD)]
    #[serde(default = "half_a_minute")]
    pub save_seconds: f64,
    /// Whether latency-sensitive tasks take what others hold.
    #[serde(default = "yes")]
    pub does_release: bool,
}

impl Default for Timing {
    fn default() -> Self {
        Self { seconds: 0.0, save_seconds: half_a_minute(), does_release: true }
    }
}

/// A type of GPU.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuType {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// Power of a GPU that is wholly given away.
    #[number(label = "power of a GPU", unit = Watts, range = 0.0..=1e5, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub watts: f64,
}

/// Nodes that are alike.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeGroup {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// How many nodes there are.
    #[number(symbol = "n", label = "nodes", unit = Count, range = 0.0..=MOST_NODES, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub nodes: f64,
    /// CPU cores of a node.
    #[number(label = "cores of a node", unit = Count, range = 0.0..=4096.0, source = PUBLISHED)]
    pub cores: f64,
    /// Memory of a node.
    #[number(label = "memory of a node", unit = Gigabytes, range = 0.0..=1e6, source = PUBLISHED)]
    pub memory_gb: f64,
    /// GPUs of a node.
    #[number(symbol = "G", label = "GPUs of a node", unit = Count, range = 0.0..=16.0, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub gpus: f64,
    /// Their type.
    #[reference(list = "types", what = "type of GPU")]
    pub gpu_type: String,
}

/// Tasks that are alike.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskGroup {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// How many such tasks the list has.
    #[number(label = "tasks", unit = Count, range = 0.0..=MOST_TASKS, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub tasks: f64,
    /// CPU cores that a task asks for.
    #[number(label = "cores of a task", unit = Count, range = 0.0..=4096.0, source = PUBLISHED)]
    pub cores: f64,
    /// Memory that a task asks for.
    #[number(label = "memory of a task", unit = Gigabytes, range = 0.0..=1e6, source = PUBLISHED)]
    pub memory_gb: f64,
    /// GPUs that a task asks for, all on one node.
    #[number(label = "GPUs of a task", unit = Count, range = 0.0..=16.0, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub gpus: f64,
    /// What it asks for of each of these GPUs, in steps of a thousandth.
    #[number(symbol = "s", label = "share of a GPU", unit = Share, range = 0.001..=1.0, source = PUBLISHED)]
    #[serde(default = "all")]
    pub share: f64,
    /// Tasks that come in an hour, at random times; in the replay only.
    #[number(symbol = "λ", label = "tasks in an hour", unit = Count, range = 0.0..=1e6, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub per_hour: f64,
    /// Mean time that a task runs, each for a random one; in the replay only.
    #[number(symbol = "m", label = "time a task runs", unit = Seconds, range = 1e-3..=YEAR, source = EXTENSION)]
    #[serde(default = "an_hour")]
    pub run_seconds: f64,
    /// Whether somebody waits for its answers.
    #[serde(default)]
    pub is_sensitive: bool,
    /// The types of GPUs on which it can run; empty: all.
    #[list]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs_on: Vec<RunsOn>,
}

/// A type of GPU on which a task can run.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunsOn {
    /// The type.
    #[reference(list = "types", what = "type of GPU")]
    pub gpu_type: String,
}

/// Which node a task gets, and what is added where nodes are too few.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Which node a task gets, and which of its GPUs.
    pub rule: Policy,
    /// The group of nodes that grows to meet the target.
    #[reference(list = "nodes", what = "group of nodes")]
    pub grows: String,
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

fn all() -> f64 {
    1.0
}

fn most() -> f64 {
    0.95
}
