//! The balance of a query that ran on GPUs: the run time of its tasks, and the time that its operators report.
//!
//! A task runs on a CPU core and waits for the GPU, so CPU time says nothing there. The RAPIDS plugin measures `op time` of each
//! operator in the tasks that run it: <https://docs.nvidia.com/spark-rapids/user-guide/latest/tuning-guide.html>.
//!
//! ```text
//! task time of a stage = min(Σ own times of its operators, task time) + rest        total = Σ stages + Σ lost tasks
//! ```
//! The rest is reading, decoding and waiting for the GPU that no operator counts. An operator that ran in several stages reports one
//! time, which is shared in proportion to their task times.

use std::collections::BTreeMap;

use crossover_query::{Balance, BalanceOf, Kind, Node, Scope};

use super::metrics;
use super::raw::{LOST, RawStage, stage_list};

/// The balances of a query with operators on GPUs. `pipelines`: the stages of each operator.
pub(super) fn balances(nodes: &[Node], pipelines: &[Vec<u64>], ran: &BTreeMap<u64, &RawStage>) -> Vec<Balance> {
    let usable = |seconds: f64| if metrics::is_usable(seconds) { seconds.max(0.0) } else { 0.0 };
    let run = |id: &u64| ran.get(id).map_or(0.0, |stage| usable(stage.run_seconds));
    // Own times by stage.
    let mut of_stages: BTreeMap<u64, f64> = BTreeMap::new();
    for (node, stages) in nodes.iter().zip(pipelines) {
        // A broadcast is built by the driver, outside of tasks.
        let is_of_tasks = node.reuses.is_none() && node.kind != Kind::Broadcast;
        let own = node.time.filter(|time| is_of_tasks && time.scope == Scope::Exclusive);
        let seconds = own.map_or(0.0, |time| usable(time.seconds));
        let all: f64 = stages.iter().map(run).sum();
        for stage in stages {
            let share = if all > 0.0 { run(stage) / all } else { 0.0 };
            *of_stages.entry(*stage).or_default() += seconds * share;
        }
    }
    let (mut total, mut accounted, mut bare) = (0.0, 0.0, 0.0);
    let mut bare_stages = vec![];
    for (id, stage) in ran {
        total += run(id);
        match of_stages.get(id) {
            Some(own) => accounted += own.min(run(id)),
            None if run(id) > 0.0 => {
                bare += run(id);
                bare_stages.push(*stage);
            }
            None => {}
        }
    }
    let rest = total - accounted - bare;
    let of_lost: f64 = ran.values().map(|stage| usable(stage.lost_run_seconds)).sum();
    let tasks: u64 = ran.values().map(|stage| stage.tasks).sum();
    let lost: u64 = ran.values().map(|stage| stage.lost_tasks).sum();
    let balances = [
        Balance::new(BalanceOf::TaskSeconds, total + of_lost, accounted)
            .without(rest, "tasks read, decoded or waited for the GPU outside of the times of operators")
            .without(bare, format!("no operator of the logged plan ran in {}", stage_list(&bare_stages)))
            .without(of_lost, LOST),
        Balance::new(BalanceOf::Tasks, (tasks + lost) as f64, tasks as f64)
            .without(lost as f64, "they failed, were killed, or repeated others"),
    ];
    balances.into_iter().filter(|balance| balance.total > 0.0).collect()
}
