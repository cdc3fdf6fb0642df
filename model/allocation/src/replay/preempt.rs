//! A latency-sensitive task preempts others.

use std::cmp::Reverse;

use super::super::amount::changed;
use super::super::cluster::{Gpus, Node};
use super::super::release::to_release;
use super::super::score::Place;
use super::state::{ReplayState, Running, Task};

/// A preempted task, and the places where it ran.
pub(super) struct Preempted {
    pub(super) task: Task,
    places: Vec<Place>,
}

impl ReplayState<'_> {
    /// The first node that a task fits after preemptions, and the slots of the tasks to preempt.
    pub(super) fn find_preemption(&self, task: &Task) -> Option<(usize, Vec<usize>)> {
        let request = task.arrival.request;
        (0..self.on_node.len()).find_map(|node| Some((node, self.to_preempt(task.kind(), request, node)?)))
    }

    /// Preempts tasks for another one, which fits then; they continue elsewhere, or wait. Returns the nodes with more capacity.
    pub(super) fn preempt(&mut self, task: Task, slots: &[usize]) -> Vec<usize> {
        let preempted: Vec<Preempted> = slots.iter().filter_map(|slot| self.preempt_task(*slot)).collect();
        if let Some(task) = self.try_to_run(task) {
            self.enqueue(task);
        }
        self.resume(preempted)
    }

    /// Restores reduced shares where tasks were preempted; then preempted tasks continue elsewhere, or wait. Returns the nodes
    /// with more capacity.
    pub(super) fn resume(&mut self, preempted: Vec<Preempted>) -> Vec<usize> {
        let mut nodes = Vec::new();
        for place in preempted.iter().flat_map(|preempted| &preempted.places) {
            self.restore_shares(*place);
            if !nodes.contains(&place.node) {
                nodes.push(place.node);
            }
        }
        for Preempted { task, .. } in preempted {
            if let Some(task) = self.try_to_run(task) {
                self.enqueue(task);
            }
        }
        nodes
    }

    /// Tasks of a node to preempt so that a latency-sensitive one fits; `None` if it never does, and for tasks that may not
    /// preempt: other tasks, and tasks of several pieces.
    pub(super) fn to_preempt(&self, kind: usize, request: usize, node: usize) -> Option<Vec<usize>> {
        let workload = self.replay.workload;
        let may = kind == 0 && self.replay.sharing.preempts && workload.pieces(request) == 1;
        if !may || !workload.fits(request, &self.potential[node]) {
            return None;
        }
        let mut others: Vec<(usize, &Running)> = self.on_node[node]
            .iter()
            .filter_map(|slot| Some((*slot, self.running[*slot].as_ref()?)))
            .filter(|(_, running)| !running.task.arrival.is_sensitive)
            .collect();
        others.sort_unstable_by_key(|(_, running)| Reverse(running.task.number));
        let on_node = |running: &Running| {
            let own = running.places.iter().filter(|place| place.node == node).map(|place| place.gpus.0);
            Gpus(own.fold(0, |all, gpus| all | gpus))
        };
        let gpus: Vec<Gpus> = others.iter().map(|(_, running)| on_node(running)).collect();
        let left = self.placing.cluster().nodes[node];
        let change = |left: &mut Node, task: usize, does_leave: bool| {
            self.change(left, others[task].1, node, does_leave);
        };
        let released = to_release(workload, request, &self.potential[node], left, &gpus, change)?;
        Some(released.into_iter().map(|task| others[task].0).collect())
    }

    /// The capacity left on a node after a task leaves it (`does_leave`), or returns.
    fn change(&self, left: &mut Node, running: &Running, node: usize, does_leave: bool) {
        let request = running.task.arrival.request;
        let (requested, needs) = (&self.replay.workload.requests()[request], self.needs(request, node));
        for Place { gpus, .. } in running.places.iter().filter(|place| place.node == node) {
            let by = |value: u32, by: u32| if does_leave { value + by } else { value.saturating_sub(by) };
            left.cpu_milli = by(left.cpu_milli, requested.cpu_milli);
            left.memory_mib = by(left.memory_mib, requested.memory_mib);
            let memory = self.replay.workload.memory(request, left);
            if does_leave {
                left.release_memory(memory, *gpus);
            } else {
                left.take_memory(memory, *gpus);
            }
            for gpu in gpus.places() {
                let share = changed(needs[gpu], running.extra);
                let now = left.left[gpu];
                left.left[gpu] = if does_leave { now + share } else { now.saturating_sub(share) };
            }
        }
    }

    /// Checkpoints and preempts a running task.
    pub(super) fn preempt_task(&mut self, slot: usize) -> Option<Preempted> {
        self.note_progress(slot);
        let Running { task, done, places, .. } = self.remove(slot, false)?;
        self.counts[task.kind()].served.preempted += 1.0;
        let left = (task.left - done).max(0.0);
        let task = Task { left, restore: self.replay.sharing.checkpoint_seconds, waits_since: self.now, ..task };
        Some(Preempted { task, places })
    }
}
