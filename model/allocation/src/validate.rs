//! Validation of an allocation study across fields.

use super::amount::WHOLE;
use super::cluster::MOST_GPUS;
use super::group_shares::GroupShares;
use super::named::NamedTrace;
use super::recorded::{cut, shares};
use super::study::{Allocation, MOST_NODES, MOST_REPLAYED, MOST_TASKS, NodeGroup, TaskGroup, Timing};
use super::trace::Trace;
use super::workload::Request;
use crossover_quantity::invalid::Invalid;

/// Shortest polling interval, seconds.
const SHORTEST_INTERVAL: f64 = 1e-3;
/// Most samples of tasks in all replays: a second or two.
const MOST_SAMPLES: f64 = 1e7;

/// Checks rules between fields; each field by itself is already valid.
///
/// # Errors
/// Too many nodes or tasks, no task, no GPU.
pub(super) fn check(study: &Allocation) -> Result<(), Invalid> {
    let invalid = |path: &str, problem: String| Err(Invalid { path: path.to_owned(), problem });
    let nodes: f64 = study.nodes.iter().map(|group| group.nodes).sum();
    if nodes > MOST_NODES {
        return invalid("nodes", format!("{nodes} nodes of all groups together; at most {MOST_NODES} are allowed"));
    }
    let tasks: f64 = study.tasks.iter().map(|group| group.tasks).sum();
    if tasks > MOST_TASKS {
        return invalid("tasks", format!("{tasks} tasks of all groups together; at most {MOST_TASKS} are allowed"));
    }
    if tasks < 1.0 {
        return invalid("tasks", "no group has a task; at least one task is needed".to_owned());
    }
    for group in &study.nodes {
        let gpus = group.all_gpus();
        if gpus > MOST_GPUS as f64 {
            let path = format!("nodes.{}.more", group.name);
            return invalid(&path, format!("{gpus} GPUs of a node in total; at most {MOST_GPUS} are allowed"));
        }
    }
    let units = |left: f64| (left * f64::from(WHOLE)).round();
    let of_group = |group: &NodeGroup| {
        let more: f64 = group.more.iter().map(|board| board.gpus * units(board.left)).sum();
        group.nodes * (group.gpus * units(group.left) + more)
    };
    if study.nodes.iter().map(of_group).sum::<f64>() <= 0.0 {
        return invalid("nodes", "no node has a GPU with capacity left; at least one is needed".to_owned());
    }
    if let Some(problem) = study.replay.trace.as_ref().and_then(NamedTrace::problem) {
        return invalid("replay.trace", problem);
    }
    let filled = expected_fill(study);
    if filled > MOST_TASKS {
        let problem = format!(
            "about {filled:.0} tasks would arrive until the demand is reached; at most {MOST_TASKS} are allowed; lower the demand"
        );
        return invalid("arrivals.demand", problem);
    }
    // The size of a trace is checked when it is replayed: its tasks are not part of the study.
    let is_recorded = study.replay.trace.is_some();
    let replayed = if is_recorded { 0.0 } else { expected_tasks(study) * study.replay.runs };
    if replayed > MOST_REPLAYED {
        let problem = format!(
            "about {replayed:.0} tasks would arrive in all replays; at most {MOST_REPLAYED} are allowed; lower replay.runs or replay.seconds"
        );
        return invalid("replay.seconds", problem);
    }
    if study.replay.seconds > 0.0 && replayed == 0.0 && !is_recorded {
        return invalid(
            "replay.seconds",
            "no task arrives: per_hour is 0 in every group of tasks; set one, or set replay.seconds to 0".to_owned(),
        );
    }
    let every = study.replay.polling_seconds;
    if every > 0.0 && every < SHORTEST_INTERVAL {
        let problem = format!("{every} s; allowed: 0, or {SHORTEST_INTERVAL} to 86,400 s");
        return invalid("replay.polling_seconds", problem);
    }
    if every > 0.0 && replayed > 0.0 {
        let samples = expected_samples(study);
        if samples > MOST_SAMPLES {
            let problem = format!(
                "about {samples:.0} samples of tasks may be needed; at most {MOST_SAMPLES} are allowed; raise the polling interval, or lower replay.runs or replay.seconds"
            );
            return invalid("replay.polling_seconds", problem);
        }
    }
    Ok(())
}

/// Expected pieces of tasks that arrive until the demand is reached, in each order.
pub(super) fn expected_fill(study: &Allocation) -> f64 {
    let shares = GroupShares::new(study);
    let (mut requested, mut tasks) = (0.0, 0.0);
    for group in &study.tasks {
        requested += group.tasks * group.pieces * group.gpus * shares.of(group);
        tasks += group.tasks * group.pieces;
    }
    let gpus: f64 = study.nodes.iter().map(|group| group.nodes * group.all_left()).sum();
    if requested > 0.0 { tasks * study.arrivals.demand * gpus / requested } else { tasks }
}

/// Expected pieces of tasks that arrive in a replay.
pub(super) fn expected_tasks(study: &Allocation) -> f64 {
    if let Some(named) = &study.replay.trace {
        return recorded(study, named).map_or(0.0, |recorded| recorded.pieces);
    }
    let per_hour: f64 = study.tasks.iter().map(|group| group.per_hour * group.pieces).sum();
    let at_start: f64 = study.tasks.iter().map(|group| group.at_start * group.pieces).sum();
    per_hour / 3_600.0 * study.replay.seconds + at_start
}

/// Most expected samples of latency-sensitive tasks in all replays, if all of them are behind all the time.
fn expected_samples(study: &Allocation) -> f64 {
    let Timing { seconds, runs, polling_seconds, .. } = study.replay;
    let of_group = |group: &TaskGroup| (group.per_hour / 3_600.0 * seconds + group.at_start) * group.run_seconds;
    let sensitive = study.tasks.iter().filter(|group| group.is_sensitive);
    runs * sensitive.map(of_group).sum::<f64>() / polling_seconds
}

/// Recorded tasks that a study replays, and sums over those with known times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Replayable<'a> {
    pub(super) trace: &'a Trace,
    /// Pieces of tasks, as the nodes of the study cut them.
    pub(super) pieces: f64,
    /// GPU seconds that they request in total.
    pub(super) gpu_seconds: f64,
    /// Time from the first arrival to the last, seconds.
    pub(super) seconds: f64,
}

/// The recorded tasks that a study replays.
///
/// # Errors
/// A sentence for the user: the files are not available, have no run times, or exceed a limit.
pub(super) fn recorded<'a>(study: &Allocation, named: &'a NamedTrace) -> Result<Replayable<'a>, String> {
    let name = named.name();
    let Some(trace) = &named.found.trace else {
        return Err(format!("The recorded tasks of {name} are not available: nothing is replayed."));
    };
    if named.found.timed == 0 {
        return Err(format!("{name} has no run times: nothing is replayed."));
    }
    let whole = |left: f64, gpus: f64| if (left * f64::from(WHOLE)).round() >= f64::from(WHOLE) { gpus } else { 0.0 };
    let of_group = |group: &NodeGroup| {
        let more: f64 = group.more.iter().map(|board| whole(board.left, board.gpus)).sum();
        if group.nodes > 0.0 { whole(group.left, group.gpus) + more } else { 0.0 }
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 16 GPUs of a node")]
    let most = study.nodes.iter().map(of_group).fold(0.0, f64::max) as u8;
    let types: Vec<String> = study.types.iter().map(|gpu_type| gpu_type.name.clone()).collect();
    let GroupShares { mix, .. } = GroupShares::new(study);
    let demand = |request: &Request| {
        let shares = shares(trace, request, &types).into_iter().map(|share| share.map(f64::from));
        f64::from(request.gpus) * mix.share(shares) / f64::from(WHOLE)
    };
    let demands: Vec<f64> = trace.requests.iter().map(demand).collect();
    let (mut pieces, mut gpu_seconds, mut sensitive_seconds) = (0.0, 0.0, 0.0);
    let (mut first, mut last) = (f64::INFINITY, 0.0_f64);
    for (task, seconds) in trace.tasks.iter().filter_map(|task| Some((task, task.seconds?))) {
        pieces += f64::from(cut(trace, task, most).1);
        gpu_seconds += f64::from(task.pieces) * demands[task.request] * seconds;
        sensitive_seconds += if task.is_sensitive { seconds } else { 0.0 };
        (first, last) = (first.min(task.arrives), last.max(task.arrives));
    }
    let Timing { runs, polling_seconds, .. } = study.replay;
    if pieces * runs > MOST_REPLAYED {
        return Err(format!(
            "{name} has {:.0} recorded tasks and pieces in all replays; at most {MOST_REPLAYED} are allowed. Nothing is replayed; \
             lower replay.runs.",
            pieces * runs
        ));
    }
    let samples = if polling_seconds > 0.0 { runs * sensitive_seconds / polling_seconds } else { 0.0 };
    if samples > MOST_SAMPLES {
        return Err(format!(
            "About {samples:.0} samples of the latency-sensitive tasks of {name} may be needed; at most {MOST_SAMPLES} are allowed. \
             Nothing is replayed; raise replay.polling_seconds, or set it to 0."
        ));
    }
    Ok(Replayable { trace, pieces, gpu_seconds, seconds: last - first })
}
