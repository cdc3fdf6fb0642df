//! What makes an allocation study invalid, field by field.

use super::study::{Allocation, MOST_NODES, MOST_REPLAYED, MOST_TASKS};
use crate::invalid::Invalid;

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
    let gpus: f64 = study.nodes.iter().map(|group| group.nodes * group.gpus).sum();
    if gpus < 1.0 {
        return invalid("nodes", "no node has a GPU; at least one GPU is needed".to_owned());
    }
    let replayed = expected_tasks(study);
    if replayed > MOST_REPLAYED {
        let problem = format!("about {replayed:.0} tasks would come; at most {MOST_REPLAYED} are allowed");
        return invalid("replay.seconds", problem);
    }
    if study.replay.seconds > 0.0 && replayed == 0.0 {
        return invalid("replay.seconds", "no group of tasks comes in time: tasks in an hour are 0".to_owned());
    }
    Ok(())
}

/// Tasks that are expected to come in a replay.
pub(super) fn expected_tasks(study: &Allocation) -> f64 {
    study.tasks.iter().map(|group| group.per_hour).sum::<f64>() / 3_600.0 * study.replay.seconds
}
