//! A Spark event log, summed but not interpreted: queries with the nodes of their plans, and stages.
//!
//! `log` fills these types from the events; `derive` makes a [`Plan`](crossover_query::Plan) of them.

use std::collections::BTreeMap;

use crossover_quantity::text::counted;

/// One SQL execution.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawQuery {
    /// Spark's execution id.
    pub id: u64,
    /// The execution that started it; `None` before Spark 3.4. The same as `id` for one that nothing else started.
    pub root: Option<u64>,
    /// Spark's description: the user's, or the call site.
    pub description: String,
    /// When it started, milliseconds since 1970; `None` if unknown.
    pub start_ms: Option<u64>,
    /// When it ended; `None` if the end is not in the log.
    pub end_ms: Option<u64>,
    /// Spark's error message, if it failed.
    pub failure: Option<String>,
    /// Nodes of its last plan in preorder; a node's id is its place here. Empty if the log has no plan of it.
    pub nodes: Vec<RawNode>,
    /// Ids of the stages that its jobs ran, ascending. A stage may serve several queries, a skipped one is not listed.
    pub stages: Vec<u64>,
}

/// One node of a plan, as in `sparkPlanInfo`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawNode {
    /// `nodeName`, verbatim: `Scan parquet ` has its trailing space, `WholeStageCodegen (2)` its number.
    pub name: String,
    /// `simpleString`.
    pub simple_string: String,
    /// `metadata`: `ReadSchema`, `Location`, `PushedFilters` …; empty for most nodes.
    pub metadata: BTreeMap<String, String>,
    /// Ids of its children, left to right; each greater than its own.
    pub children: Vec<usize>,
    /// Number of nodes above it; 0 for the root.
    pub depth: usize,
    /// Its SQL metrics in the order of the plan.
    pub metrics: Vec<RawMetric>,
    /// Stages whose tasks reported one of its metrics, ascending. An exchange has those that write and those that read.
    pub stages: Vec<u64>,
}

/// One SQL metric of a node.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawMetric {
    /// Name, verbatim: `number of output rows`, in Spark 2 also `data size total (min, med, max)`.
    pub name: String,
    /// `sum` (a count), `size` (bytes), `timing` (ms), `nsTiming` (ns), `average` (ten times the value) …
    pub metric_type: String,
    /// Spark's accumulator; the same in two nodes if one repeats the other.
    pub accumulator: i64,
    /// Sum over tasks and the driver in Spark's own unit; `None` if it was not reported. Of an `average` it is the sum
    /// over tasks, of `partition data size` the largest partition.
    pub total: Option<f64>,
}

/// Why what lost tasks did belongs to no operator.
pub(super) const LOST: &str = "tasks failed, were killed, or repeated others";
/// Stages that are named one by one.
const STAGES_NAMED: usize = 5;

/// Sums of the tasks of one stage, each partition counted once: failed, killed and duplicate tasks are left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawStage {
    /// Spark's stage id.
    pub id: u64,
    /// Number of attempts that were submitted.
    pub attempts: u64,
    /// Tasks that succeeded and count.
    pub tasks: u64,
    /// `Executor CPU Time`, seconds.
    pub cpu_seconds: f64,
    /// `Executor Run Time`, seconds: wall-clock time of the tasks, added up.
    pub run_seconds: f64,
    /// `JVM GC Time`, seconds.
    pub gc_seconds: f64,
    /// Bytes read from storage or cache.
    pub bytes_read: f64,
    /// Time blocked on shuffled data, seconds.
    pub fetch_wait_seconds: f64,
    /// When its first task began, and its last one ended, milliseconds since 1970.
    pub span_ms: Option<(u64, u64)>,
    /// `Executor Run Time` of its longest task, seconds.
    pub longest_seconds: f64,
    /// `Disk Bytes Spilled`.
    pub spilled_bytes: f64,
    /// Tasks that do not count: failed, killed, and repeated ones.
    pub lost_tasks: u64,
    /// `Executor CPU Time` of these, seconds. Spark does not report it for a task that failed.
    pub lost_cpu_seconds: f64,
    /// `Executor Run Time` of these, seconds.
    pub lost_run_seconds: f64,
    /// Bytes that these read from storage or cache.
    pub lost_bytes_read: f64,
    /// `Executor Deserialize CPU Time` of all tasks, seconds; also of those that do not count.
    pub start_cpu_seconds: f64,
    /// How many tasks have such a time.
    pub tasks_with_start: u64,
}

/// "stage 7", "stages 1, 2 and 5", "23 stages".
pub(super) fn stage_list(stages: &[&RawStage]) -> String {
    let ids: Vec<String> = stages.iter().map(|stage| stage.id.to_string()).collect();
    match ids.as_slice() {
        [one] => format!("stage {one}"),
        [first @ .., last] if ids.len() <= STAGES_NAMED => format!("stages {} and {last}", first.join(", ")),
        _ => counted(ids.len() as f64, "stage"),
    }
}

impl RawNode {
    /// How many parts it has, itself among them.
    pub(super) fn parts(&self) -> usize {
        1 + self.children.len() + self.metrics.len() + self.metadata.len()
    }

    /// Bytes of its texts.
    pub(super) fn text_bytes(&self) -> usize {
        let metadata = self.metadata.iter().map(|(key, value)| key.len() + value.len());
        let metrics = self.metrics.iter().map(|metric| metric.name.len() + metric.metric_type.len());
        self.name.len() + self.simple_string.len() + metadata.chain(metrics).sum::<usize>()
    }

    /// Total of a metric by its name in Spark.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|metric| metric.name == name).and_then(|metric| metric.total)
    }
}
