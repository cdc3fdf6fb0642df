//! CPU time of operators: that of a stage, shared among the operators that ran in it.
//!
//! Spark measures CPU time by stage only. What it measures by operator is time on the clock:
//!
//! - `sort time` is sorting in memory, which never waits: it is the CPU time of the sort.
//! - `scan time` is decoding and waiting for storage. The scan's CPU time is estimated as scan time × CPU time of the
//!   stage ÷ its run time, as if the stage waited evenly. It is at least the scan time without all that the tasks
//!   waited (run time − CPU time − garbage collection − waiting for shuffled data), and at most what remains.
//! - `time to build` and `time to broadcast` of a broadcast are CPU time of the driver, which is in no stage;
//!   `time to collect` waits for the stages below.
//! - `shuffle write time` and `fetch wait time` wait for disks and the network: no CPU time.
//! - `duration`, `time in aggregation build` and the time to build a hash map contain the work of the operators below.
//!
//! The rest of the stage's CPU time is shared by weight: CPU time per 100 MB of the operator's kind × bytes that it
//! reads. An exchange is written in one stage and read in another: half of its weight counts in either. Shares add up
//! to the CPU time of the stage. A stage with an operator on a GPU is left out: its threads mostly drive the GPU, so
//! their CPU time is not that of the operators.
//!
//! Python workers, R workers and the programs of `SELECT TRANSFORM` are processes of their own, whose time Spark does not count as
//! CPU time. The time of Python workers is the metric of Spark 4 ("time to execute Python code", else "time to run Python workers"),
//! at most the run time of their tasks. The time of the others, and of Python before Spark 4, is the run time of the tasks of their
//! stage − CPU time − garbage collection − waiting for shuffled data.
//!
//! ```text
//! total CPU time = Σ stages + Σ lost tasks + Σ driver's work of broadcasts + Σ worker processes
//! ```
//! The balance of a query that ran on GPUs is in `gpu_time`. What belongs to no operator is a node of its own: stages in which no
//! operator of the plan ran, as below a command whose plan is not in the log, and tasks that failed, were killed, or repeated others.

use std::collections::{BTreeMap, BTreeSet};

use crossover_query::{Amount, Balance, BalanceOf, Kind, Node, Numbers, Rule};

use super::gpu_time;
use super::metrics;
use super::raw::{LOST, RawNode, RawQuery, RawStage, stage_list};
use super::scanned;

/// What one operator has of the CPU time of one stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share {
    /// The operator.
    pub(super) node: usize,
    /// The stage.
    pub(super) stage: u64,
    /// Its CPU time there, seconds.
    pub(super) seconds: f64,
    /// How it was estimated; `None` if Spark measured just this.
    pub(super) rule: Option<Rule>,
}

/// Spark's times of Python workers, the better one first.
pub(super) const OF_PYTHON: [&str; 2] = ["time to execute Python code", "time to run Python workers"];
/// The driver's own times of a broadcast.
pub(super) const ON_DRIVER: [&str; 2] = ["time to build", "time to broadcast"];

/// Sets the CPU time of every operator that ran, and adds a node for what belongs to none of them. Gives the balances of the query:
/// those of its task time if it ran on GPUs, none if nothing of it is known.
pub(super) fn distribute(
    raw: &RawQuery,
    nodes: &mut Vec<Node>,
    numbers: &[Numbers],
    pipelines: &[Vec<u64>],
    ran: &BTreeMap<u64, &RawStage>,
) -> Vec<Balance> {
    let mut found: BTreeMap<usize, (f64, Option<Rule>)> = BTreeMap::new();
    let mut with_operators: BTreeSet<u64> = BTreeSet::new();
    for share in shares(raw, nodes, numbers, pipelines, ran) {
        with_operators.insert(share.stage);
        let (seconds, rule) = found.entry(share.node).or_insert((0.0, None));
        *seconds += share.seconds;
        *rule = rule.or(share.rule);
    }
    for (id, (seconds, rule)) in found {
        let figure = rule.map_or(Amount::reported(seconds), |rule| Amount::estimated(seconds, rule));
        nodes[id].cpu_seconds = Some(figure);
    }
    // CPU time in no stage.
    let mut outside = 0.0;
    for (node, raw) in nodes.iter_mut().zip(&raw.nodes) {
        if node.kind == Kind::Broadcast && node.reuses.is_none() && !node.ran_on_gpu && node.cpu_seconds.is_none() {
            node.cpu_seconds = on_driver(raw).map(|seconds| Amount::derived(seconds, Rule::WithoutWaiting));
            outside += node.cpu_seconds.map_or(0.0, |seconds| seconds.value);
        }
    }
    for (id, seconds) in of_workers(raw, nodes, pipelines, ran) {
        outside += seconds;
        let on_jvm = nodes[id].cpu_seconds.map_or(0.0, |share| share.value);
        nodes[id].cpu_seconds = Some(Amount::estimated(on_jvm + seconds, Rule::WorkerProcesses));
    }
    if nodes.is_empty() {
        return Vec::new();
    }
    if nodes.iter().any(|node| node.ran_on_gpu) {
        return gpu_time::balances(nodes, pipelines, ran);
    }
    let accounted: f64 = nodes.iter().filter_map(|node| node.cpu_seconds).map(|seconds| seconds.value).sum();
    let balances = balances(nodes, [accounted, outside], &with_operators, ran);
    let missing: f64 = balances.iter().filter(|of| of.quantity == BalanceOf::CpuSeconds).map(Balance::missing).sum();
    if missing > 0.0 {
        nodes.push(Node::without_operator(missing));
    }
    balances
}

/// The balances of a query on CPUs whose operators have this CPU time, some of it outside of stages. The total is that of the
/// stages as the log has them, so that a time that operators lose, or have twice, shows.
fn balances(
    nodes: &[Node],
    [accounted, outside]: [f64; 2],
    with_operators: &BTreeSet<u64>,
    ran: &BTreeMap<u64, &RawStage>,
) -> Vec<Balance> {
    let usable = |seconds: f64| if metrics::is_usable(seconds) { seconds } else { 0.0 };
    let is_bare = |stage: &&&RawStage| !with_operators.contains(&stage.id) && usable(stage.cpu_seconds) > 0.0;
    let bare: Vec<&RawStage> = ran.values().filter(is_bare).copied().collect();
    let of_bare: f64 = bare.iter().map(|stage| usable(stage.cpu_seconds)).sum();
    let lost: f64 = ran.values().map(|stage| usable(stage.lost_cpu_seconds)).sum();
    let of_stages: f64 = ran.values().map(|stage| usable(stage.cpu_seconds)).sum();
    let stages = stage_list(&bare);
    let why = match nodes.first() {
        Some(root) if root.name.starts_with("Execute ") && root.inputs.is_empty() => {
            format!("the log has no plan for the work of {} in {stages}", root.name.trim_start_matches("Execute "))
        }
        _ => format!("no operator of the logged plan ran in {stages}"),
    };
    let cpu = Balance::new(BalanceOf::CpuSeconds, of_stages + outside + lost, accounted)
        .without(of_bare, why)
        .without(lost, LOST);
    let tasks: u64 = ran.values().map(|stage| stage.tasks).sum();
    let lost_tasks: u64 = ran.values().map(|stage| stage.lost_tasks).sum();
    let tasks = Balance::new(BalanceOf::Tasks, (tasks + lost_tasks) as f64, tasks as f64)
        .without(lost_tasks as f64, "they failed, were killed, or repeated others");
    [cpu, tasks].into_iter().filter(|balance| balance.total > 0.0).collect()
}

/// Whether Python processes do an operator's work. A data source in Python (Spark 4) is a `BatchScan` with the description “(Python)”.
pub(super) fn runs_python(node: &Node, simple_string: &str) -> bool {
    let parts = ["Python", "Pandas", "InArrow", "InPySpark"];
    match node.kind {
        Kind::UserCode => parts.iter().any(|part| node.name.contains(part)),
        Kind::Scan => {
            let described = scanned::described(simple_string).unwrap_or_default();
            node.name.starts_with("BatchScan") && described.split_whitespace().next() == Some("(Python)")
        }
        _ => false,
    }
}

/// Whether a program that the query names does an operator's work: `SELECT TRANSFORM … USING`.
pub(super) fn runs_script(node: &Node) -> bool {
    node.kind == Kind::UserCode && node.name.ends_with("ScriptTransformation")
}

/// Whether R processes do an operator's work. Without Arrow, `dapply` is a `MapPartitions` of `MapPartitionsRWrapper`. Its text is that of
/// Scala's `Function1`, and its result is a `Row`. The functions of users have other texts since Scala 2.12, `$$Lambda$…`.
fn runs_r(node: &Node, simple_string: &str) -> bool {
    let is_dapply = || {
        let makes_rows = simple_string.trim_end().ends_with(": org.apache.spark.sql.Row");
        simple_string.starts_with("MapPartitions <function1>, ") && makes_rows
    };
    node.kind == Kind::UserCode && (node.name.contains("InR") || is_dapply())
}

/// Time of worker processes by operator, seconds.
fn of_workers(
    raw: &RawQuery,
    nodes: &[Node],
    pipelines: &[Vec<u64>],
    ran: &BTreeMap<u64, &RawStage>,
) -> Vec<(usize, f64)> {
    let has_workers = |id: &usize| {
        let node = &nodes[*id];
        let text = &raw.nodes[*id].simple_string;
        let runs = runs_python(node, text) || runs_script(node) || runs_r(node, text);
        runs && node.reuses.is_none() && !node.ran_on_gpu
    };
    let with_workers: Vec<usize> = (0..nodes.len()).filter(has_workers).collect();
    let in_stage = |stage: &u64| with_workers.iter().filter(|id| pipelines[**id].contains(stage)).count().max(1) as f64;
    let of_node = |id: usize| {
        let stages = || pipelines[id].iter().filter_map(|stage| Some((stage, *ran.get(stage)?)));
        let run: f64 = stages().map(|(_, stage)| stage.run_seconds).sum();
        let waited = |stage: &RawStage| {
            (stage.run_seconds - stage.cpu_seconds - stage.gc_seconds - stage.fetch_wait_seconds).max(0.0)
        };
        let measured = OF_PYTHON.iter().find_map(|name| metrics::seconds(&raw.nodes[id], name));
        // Clocks of whole milliseconds may differ a little; a stage without a run time limits nothing.
        let measured = measured.map(|seconds| if run > 0.0 { seconds.min(run) } else { seconds });
        measured.unwrap_or_else(|| stages().map(|(id, stage)| waited(stage) / in_stage(id)).sum())
    };
    let all = with_workers.iter().map(|id| (*id, of_node(*id)));
    all.filter(|(_, seconds)| *seconds > 0.0 && metrics::is_usable(*seconds)).collect()
}

/// The driver's own time of a broadcast, without waiting for its rows, seconds.
pub(super) fn on_driver(raw: &RawNode) -> Option<f64> {
    let [build, broadcast] = ON_DRIVER.map(|name| metrics::seconds(raw, name));
    if build.is_none() && broadcast.is_none() {
        return None;
    }
    Some(build.unwrap_or(0.0) + broadcast.unwrap_or(0.0))
}

/// The CPU time of all stages in shares.
pub(super) fn shares(
    raw: &RawQuery,
    nodes: &[Node],
    numbers: &[Numbers],
    pipelines: &[Vec<u64>],
    ran: &BTreeMap<u64, &RawStage>,
) -> Vec<Share> {
    let mut members: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (id, stages) in pipelines.iter().enumerate() {
        for stage in stages {
            members.entry(*stage).or_default().push(id);
        }
    }
    let mut shares = Vec::new();
    for (id, members) in members {
        let stage = ran[&id];
        let is_usable = stage.cpu_seconds > 0.0 && metrics::is_usable(stage.cpu_seconds);
        if !is_usable || members.iter().any(|member| nodes[*member].ran_on_gpu) {
            continue;
        }
        let parts: Vec<Part> = members
            .iter()
            .map(|member| Part {
                weight: weight(&nodes[*member], &numbers[*member], &pipelines[*member], id),
                timed: timed(&raw.nodes[*member], nodes[*member].kind, &pipelines[*member], id, ran),
            })
            .collect();
        let seconds = split(stage.cpu_seconds, &parts);
        shares.extend(members.iter().zip(&parts).zip(seconds).map(|((node, part), seconds)| Share {
            node: *node,
            stage: id,
            seconds,
            rule: part.rule(seconds),
        }));
    }
    shares
}

/// One operator of a stage.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Part {
    /// Its part of what is shared by weight.
    weight: f64,
    /// CPU time by its own wall-clock time.
    timed: Option<Timed>,
}

/// CPU time of an operator by its own time on the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Timed {
    /// Seconds.
    seconds: f64,
    /// Whether the operator never waits, so that this is its CPU time.
    is_exact: bool,
}

impl Part {
    /// How its share was estimated; `None` if it is as measured.
    fn rule(self, share: f64) -> Option<Rule> {
        match self.timed {
            Some(timed) if timed.is_exact => (timed.seconds != share).then_some(Rule::ShareOfStage),
            Some(_) => Some(Rule::ShareOfTime),
            None => Some(Rule::ShareOfStage),
        }
    }
}

/// Shares of `total`: operators whose CPU time is measured have it, then those with another time of their own have
/// what it says, then the others share the rest by weight. Always adds up to `total`.
fn split(total: f64, parts: &[Part]) -> Vec<f64> {
    let mut shares = vec![0.0; parts.len()];
    let mut left = total;
    let mut timed: Vec<(usize, Timed)> =
        parts.iter().enumerate().filter_map(|(index, part)| Some((index, part.timed?))).collect();
    timed.sort_by_key(|(_, timed)| !timed.is_exact);
    for (index, timed) in timed {
        shares[index] = timed.seconds.min(left);
        left -= shares[index];
    }
    let free: Vec<usize> = (0..parts.len()).filter(|index| parts[*index].timed.is_none()).collect();
    let weight: f64 = free.iter().map(|index| parts[*index].weight).sum();
    let given = total - left;
    if weight > 0.0 {
        for index in free {
            shares[index] = left * parts[index].weight / weight;
        }
    } else if !free.is_empty() {
        for index in &free {
            shares[*index] = left / free.len() as f64;
        }
    } else if given > 0.0 {
        // No other operator ran.
        for share in &mut shares {
            *share *= total / given;
        }
    } else {
        shares.fill(total / parts.len() as f64);
    }
    shares
}

/// What an operator weighs in one of its stages. Without bytes its kind alone counts, a little.
fn weight(node: &Node, numbers: &Numbers, stages: &[u64], stage: u64) -> f64 {
    let per_byte = node.kind.usual_seconds_per_100mb() / 1e8;
    let weight = per_byte * numbers.bytes_in.value.max(1.0);
    let is_shuffle = matches!(node.kind, Kind::Shuffle | Kind::Gather);
    match stages {
        [writer, readers @ ..] if is_shuffle && !readers.is_empty() => {
            if stage == *writer {
                weight / 2.0
            } else {
                weight / 2.0 / readers.len() as f64
            }
        }
        _ => weight / stages.len() as f64,
    }
}

/// CPU time of an operator in one of its stages, from Spark's own times.
fn timed(raw: &RawNode, kind: Kind, stages: &[u64], stage: u64, ran: &BTreeMap<u64, &RawStage>) -> Option<Timed> {
    // An operator that ran several times reports one time for all: in proportion to the stages' own.
    let all: f64 = stages.iter().map(|id| ran[id].cpu_seconds).sum();
    let part = if stages.len() > 1 { ran[&stage].cpu_seconds / all } else { 1.0 };
    match kind {
        Kind::Sort => {
            let sort = metrics::seconds(raw, "sort time")? * part;
            Some(Timed { seconds: sort, is_exact: true })
        }
        Kind::Scan => {
            let scan = metrics::seconds(raw, "scan time")? * part;
            let stage = ran[&stage];
            let busy = stage.cpu_seconds + stage.gc_seconds + stage.fetch_wait_seconds;
            let waited = (stage.run_seconds - busy).max(0.0);
            let least = (scan - waited).max(0.0);
            // A run time below the CPU time is that of a clock in whole milliseconds.
            let on_cpu = stage.cpu_seconds / stage.run_seconds.max(stage.cpu_seconds);
            Some(Timed { seconds: (scan * on_cpu).max(least), is_exact: false })
        }
        _ => None,
    }
}
