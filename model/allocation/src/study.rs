//! What the user enters: nodes with GPUs, tasks, and the rule that brings them together.

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

/// Most tasks of a replay, as expected.
pub const MOST_REPLAYED: f64 = 1_000_000.0;
/// Longest time, seconds: a year.
const YEAR: f64 = 366.0 * 86_400.0;

/// Source of what the published method has.
const METHOD: &str = "published method of allocation";
/// Source of what the published simulator has.
const PUBLISHED: &str = "Weng and others, USENIX ATC 2023";
/// Source of what it leaves out.
const EXTENSION: &str = "extension of the published protocol (docs/model/allocation.md)";

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
    /// Tasks that were measured beside each other on one GPU; for all others a rule holds.
    #[list(most = MOST_PAIRS)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<Pair>,
    /// Tasks that come, wait, run and leave.
    #[part]
    #[serde(default)]
    pub replay: Timing,
    /// Which node a task gets.
    #[part]
    pub policy: Rule,
    /// What the machines cost; none: nobody asks.
    #[part(example = "(as_of: \"May 2026\", years: 4, used: 0.5, usd_per_kwh: 0.15, pue: 1.4, items: […])")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bill: Option<Box<Bill>>,
    /// Where the numbers come from, by field path; a field not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
    /// How far numbers may be from their values, by field path; a number that is not listed has the spread of its source, or none.
    #[serde(default, skip_serializing_if = "Spreads::is_empty")]
    pub uncertain: Spreads,
}

/// How much is asked for, and in which order.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// Tasks arrive until they have asked for so much of all GPUs; from the list first, each task once, then from it at random.
    #[number(symbol = "d", label = "demand", unit = Share, range = 0.01..=10.0, source = PUBLISHED)]
    pub demand: f64,
    /// Results are means over so many orders in which the tasks arrive.
    #[number(label = "orders", unit = Count, range = 1.0..=100.0, whole, source = PUBLISHED, chosen)]
    #[serde(serialize_with = "whole")]
    pub orders: f64,
    /// The same seed gives the same orders; the second one has the next seed, and so on.
    #[number(label = "seed", unit = Count, range = 0.0..=1e15, whole, source = PUBLISHED, chosen)]
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
    /// Recorded tasks that come at their own times, instead of tasks of the list at random ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<NamedTrace>,
    /// Whether latency-sensitive tasks take what others hold.
    #[serde(default = "yes")]
    pub does_release: bool,
    /// Waits are means over so many replays, each with the next seed.
    #[number(label = "replays", unit = Count, range = 1.0..=100.0, whole, source = EXTENSION, chosen)]
    #[serde(default = "three", serialize_with = "whole")]
    pub runs: f64,
    /// Time between two looks at a latency-sensitive task that is late; 0: nobody looks.
    #[number(label = "time between looks", unit = Seconds, range = 0.0..=86_400.0, neutral = 0.0, source = METHOD, chosen)]
    #[serde(default = "ten_seconds")]
    pub monitor_seconds: f64,
    /// What a task that is late gets of its GPU at each look, in steps of a thousandth.
    #[number(label = "step of growth", unit = Share, range = 0.001..=1.0, source = METHOD, chosen)]
    #[serde(default = "a_tenth")]
    pub step: f64,
    /// How much longer a task takes beside others that use a whole GPU together with it, where the pair was not measured.
    #[number(symbol = "c", label = "interference", unit = Share, range = 0.0..=100.0, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub interference: f64,
    /// What tasks really use of a GPU differs by so much from what they ask for: standard deviation of the logarithm.
    #[number(symbol = "σ", label = "error of prediction", unit = Share, range = 0.0..=2.0, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub error: f64,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            seconds: 0.0,
            trace: None,
            save_seconds: half_a_minute(),
            does_release: true,
            runs: three(),
            monitor_seconds: ten_seconds(),
            step: a_tenth(),
            interference: 0.0,
            error: 0.0,
        }
    }
}

/// A task that was measured beside another one on the same GPU.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The task.
    #[reference(list = "tasks", what = "group of tasks")]
    pub task: String,
    /// The one beside it.
    #[reference(list = "tasks", what = "group of tasks")]
    pub beside: String,
    /// How fast the task runs beside the other one, of how fast it runs alone.
    #[number(label = "speed beside the other", unit = Share, range = 0.001..=1.0, source = EXTENSION)]
    pub speed: f64,
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
    /// What is left of each of them for tasks of this study; others hold the rest all the time. In steps of a thousandth.
    #[number(label = "left of a GPU", unit = Share, range = 0.0..=1.0, neutral = 1.0, source = METHOD)]
    #[serde(default = "one")]
    pub left: f64,
    /// Further GPUs of a node: of another type, or with another part left.
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
            declares: 1.0,
            least: 1.0,
            at_start: 0.0,
            limit: twice(),
            per_hour: 0.0,
            run_seconds: an_hour(),
            is_sensitive: false,
            runs_on: Vec::new(),
        }
    }
}

impl TaskGroup {
    /// What a task asks for of a GPU on the type of which it needs least.
    #[must_use]
    pub fn least_share(&self) -> f64 {
        let shares = self.runs_on.iter().map(|on| if on.share > 0.0 { on.share } else { self.share });
        shares.reduce(f64::min).unwrap_or(self.share)
    }

    /// How fast it runs on the type on which it is fastest.
    #[must_use]
    pub fn most_speed(&self) -> f64 {
        self.runs_on.iter().map(|on| on.speed).reduce(f64::max).unwrap_or(1.0)
    }
}

impl NodeGroup {
    /// GPUs of a node, further ones too.
    #[must_use]
    pub fn all_gpus(&self) -> f64 {
        self.gpus + self.more.iter().map(|board| board.gpus).sum::<f64>()
    }

    /// What is left of them at the beginning, in GPUs.
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
    /// How many there are.
    #[number(label = "further GPUs of a node", unit = Count, range = 0.0..=16.0, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub gpus: f64,
    /// What is left of each of them for tasks of this study, in steps of a thousandth.
    #[number(label = "left of a further GPU", unit = Share, range = 0.0..=1.0, neutral = 1.0, source = METHOD)]
    #[serde(default = "one")]
    pub left: f64,
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
    /// Pieces of a task: each on one node, all of them at once or none. More than 1 for what is larger than a node.
    #[number(label = "pieces of a task", unit = Count, range = 1.0..=MOST_PIECES, whole, neutral = 1.0, source = EXTENSION)]
    #[serde(default = "one", serialize_with = "whole")]
    pub pieces: f64,
    /// GPUs that a piece asks for, all on one node.
    #[number(label = "GPUs of a task", unit = Count, range = 0.0..=16.0, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub gpus: f64,
    /// What it asks for of each of these GPUs, in steps of a thousandth.
    #[number(symbol = "s", label = "share of a GPU", unit = Share, range = 0.001..=1.0, source = PUBLISHED)]
    #[serde(default = "one")]
    pub share: f64,
    /// What its owner declares, times what it needs: so much is set aside where tasks get the share that was declared.
    #[number(label = "declared, of what is needed", unit = Factor, range = 0.01..=1000.0, neutral = 1.0, source = EXTENSION)]
    #[serde(default = "one")]
    pub declares: f64,
    /// Of its share, the part on which it still runs when it has to give; in the replay only.
    #[number(label = "least part of the share", unit = Share, range = 0.0..=1.0, source = METHOD)]
    #[serde(default = "one")]
    pub least: f64,
    /// Tasks that come at the beginning, before all others, group by group; in the replay only.
    #[number(label = "tasks at the beginning", unit = Count, range = 0.0..=MOST_REPLAYED, whole, neutral = 0.0, source = EXTENSION)]
    #[serde(default, serialize_with = "whole")]
    pub at_start: f64,
    /// It is late if it ends later than so many times its time after it came; in the replay only.
    #[number(label = "late after, of its time", unit = Factor, range = 1.0..=1e6, source = EXTENSION)]
    #[serde(default = "twice")]
    pub limit: f64,
    /// Tasks that come in an hour, at random times; in the replay only.
    #[number(symbol = "λ", label = "tasks in an hour", unit = Count, range = 0.0..=1e6, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub per_hour: f64,
    /// Mean time that a task runs, each for a random one; those of the beginning for just this time. In the replay only.
    #[number(symbol = "m", label = "time a task runs", unit = Seconds, range = 1e-3..=YEAR, source = EXTENSION)]
    #[serde(default = "an_hour")]
    pub run_seconds: f64,
    /// Whether somebody waits for its answers.
    #[serde(default)]
    pub is_sensitive: bool,
    /// The types of GPUs on which it can run, with what it needs there; empty: all, each alike.
    #[list]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs_on: Vec<RunsOn>,
}

/// A type of GPU on which a task can run, and how.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunsOn {
    /// The type.
    #[reference(list = "types", what = "type of GPU")]
    pub gpu_type: String,
    /// What it asks for of a GPU of this type, in steps of a thousandth; 0: the share of the group.
    #[number(label = "share of this type", unit = Share, range = 0.0..=1.0, neutral = 0.0, source = METHOD)]
    #[serde(default)]
    pub share: f64,
    /// How fast it runs there, times the speed for which its time is given.
    #[number(label = "speed on this type", unit = Factor, range = 0.001..=1000.0, neutral = 1.0, source = METHOD)]
    #[serde(default = "one")]
    pub speed: f64,
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
