//! Which tasks of a node are released so that a latency-sensitive one fits (published method, step a3).

use std::cmp::Reverse;

use super::cluster::{Gpus, MOST_GPUS, Node};
use super::workload::Workload;

/// The tasks that are released, by their places in `tasks`; `None` if the request does not fit even then.
///
/// The request fits `potential`, which is left if all of them are released; `left` is left now. `tasks` has the GPUs of each on
/// the node; the first ones are released first. `change` computes what is left after a task leaves (`true`) or returns.
pub(super) fn to_release(
    workload: &Workload,
    request: usize,
    potential: &Node,
    mut left: Node,
    tasks: &[Gpus],
    mut change: impl FnMut(&mut Node, usize, bool),
) -> Option<Vec<usize>> {
    let requested = &workload.requests()[request];
    // Where its memory does not fit even without the others, it cannot run.
    let needs = workload.needs_left(request, potential);
    // The GPUs on which it could run, those with most capacity left first.
    let mut able: Vec<usize> = (0..MOST_GPUS).filter(|gpu| potential.left[*gpu] >= needs[*gpu]).collect();
    able.sort_by_key(|gpu| Reverse(left.left[*gpu]));
    let wanted = able.get(..usize::from(requested.gpus))?;
    let wanted = wanted.iter().fold(Gpus::default(), |gpus, gpu| Gpus(gpus.0 | 1 << gpu));
    let mut released = Vec::new();
    for (task, gpus) in tasks.iter().enumerate() {
        let own = Gpus(gpus.0 & wanted.0);
        let memory = workload.memory(request, &left);
        let lacks_memory = |gpu: usize| memory.is_some_and(|memory| left.memory_left[gpu] < memory[gpu]);
        let lacks_gpus = own.places().any(|gpu| left.left[gpu] < needs[gpu] || lacks_memory(gpu));
        let lacks_others = left.cpu_milli < requested.cpu_milli || left.memory_mib < requested.memory_mib;
        if lacks_gpus || lacks_others {
            change(&mut left, task, true);
            released.push(task);
        }
    }
    // Releasing the last ones may make releasing the first ones needless.
    released.retain(|task| {
        change(&mut left, *task, false);
        let is_needless = workload.fits(request, &left);
        if !is_needless {
            change(&mut left, *task, true);
        }
        !is_needless
    });
    workload.fits(request, &left).then_some(released)
}
