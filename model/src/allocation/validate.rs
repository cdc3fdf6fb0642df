//! What makes an allocation study invalid, field by field.

use super::cluster::{MOST_GPUS, WHOLE};
use super::named::NamedTrace;
use super::study::{Allocation, MOST_NODES, MOST_REPLAYED, MOST_TASKS, NodeGroup, TaskGroup, Timing};
use crate::invalid::Invalid;

/// Shortest time between two looks at a task, seconds.
const SHORTEST_LOOK: f64 = 1e-3;
/// Most looks at tasks in all replays: a second or two.
const MOST_LOOKS: f64 = 1e7;

/// What does not hold between the fields of a study, each of which fits its description.
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
            return invalid(&path, format!("{gpus} GPUs of a node altogether; at most {MOST_GPUS} are allowed"));
        }
    }
    let thousandths = |left: f64| (left * f64::from(WHOLE)).round();
    let of_group = |group: &NodeGroup| {
        let more: f64 = group.more.iter().map(|board| board.gpus * thousandths(board.left)).sum();
        group.nodes * (group.gpus * thousandths(group.left) + more)
    };
    if study.nodes.iter().map(of_group).sum::<f64>() <= 0.0 {
        return invalid("nodes", "no node has a GPU of which something is left; at least one is needed".to_owned());
    }
    if let Some(problem) = study.replay.trace.as_ref().and_then(NamedTrace::problem) {
        return invalid("replay.trace", problem);
    }
    let filled = expected_fill(study);
    if filled > MOST_TASKS {
        let problem = format!(
            "about {filled:.0} tasks would come until so much is asked for, at most {MOST_TASKS} are allowed; ask for less"
        );
        return invalid("arrivals.demand", problem);
    }
    let replayed = expected_tasks(study) * study.replay.runs;
    if replayed > MOST_REPLAYED && study.replay.trace.is_some() {
        let problem = format!(
            "{replayed:.0} recorded tasks in all replays, at most {MOST_REPLAYED} are allowed; take fewer replays"
        );
        return invalid("replay.runs", problem);
    }
    if replayed > MOST_REPLAYED {
        let problem = format!(
            "about {replayed:.0} tasks would come in all replays, at most {MOST_REPLAYED} are allowed; take fewer replays, or let tasks come for a shorter time"
        );
        return invalid("replay.seconds", problem);
    }
    if study.replay.seconds > 0.0 && replayed == 0.0 && study.replay.trace.is_none() {
        return invalid("replay.seconds", "no group of tasks comes in time: tasks in an hour are 0".to_owned());
    }
    let every = study.replay.monitor_seconds;
    if every > 0.0 && every < SHORTEST_LOOK {
        let problem = format!("{every} s; allowed: 0, or {SHORTEST_LOOK} to 86,400 s");
        return invalid("replay.monitor_seconds", problem);
    }
    if every > 0.0 && replayed > 0.0 {
        let looks = expected_looks(study);
        if looks > MOST_LOOKS {
            let problem = format!(
                "about {looks:.0} looks at tasks may be needed, at most {MOST_LOOKS} are allowed; look less often, take fewer replays, or let tasks come for a shorter time"
            );
            return invalid("replay.monitor_seconds", problem);
        }
    }
    Ok(())
}

/// Pieces of tasks that are expected to come until as much is asked for as the demand says, in each order.
pub(super) fn expected_fill(study: &Allocation) -> f64 {
    let (mut asked, mut tasks) = (0.0, 0.0);
    for group in &study.tasks {
        asked += group.tasks * group.pieces * group.gpus * group.least_share();
        tasks += group.tasks * group.pieces;
    }
    let gpus: f64 = study.nodes.iter().map(|group| group.nodes * group.all_left()).sum();
    if asked > 0.0 { tasks * study.arrivals.demand * gpus / asked } else { tasks }
}

/// Pieces of tasks that are expected to come in a replay.
pub(super) fn expected_tasks(study: &Allocation) -> f64 {
    if let Some(trace) = &study.replay.trace {
        return trace.timed().pieces;
    }
    let per_hour: f64 = study.tasks.iter().map(|group| group.per_hour * group.pieces).sum();
    let at_start: f64 = study.tasks.iter().map(|group| group.at_start * group.pieces).sum();
    per_hour / 3_600.0 * study.replay.seconds + at_start
}

/// Looks at latency-sensitive tasks that are expected at most in all replays, if all of them are late all the time.
fn expected_looks(study: &Allocation) -> f64 {
    let Timing { seconds, runs, monitor_seconds, ref trace, .. } = study.replay;
    if let Some(trace) = trace {
        return runs * trace.timed().sensitive_seconds / monitor_seconds;
    }
    let of_group = |group: &TaskGroup| (group.per_hour / 3_600.0 * seconds + group.at_start) * group.run_seconds;
    let sensitive = study.tasks.iter().filter(|group| group.is_sensitive);
    runs * sensitive.map(of_group).sum::<f64>() / monitor_seconds
}
