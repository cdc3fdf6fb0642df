//! A latency-sensitive task takes what others hold.

use std::cmp::Reverse;

use super::super::cluster::{Gpus, MOST_GPUS, Node};
use super::super::score::Place;
use super::state::{Running, State, Task};

/// A task that was stopped, and where it ran.
pub(super) struct Stopped {
    pub(super) task: Task,
    places: Vec<Place>,
}

impl State<'_> {
    /// The first node on which a task fits once others stop there, and their slots.
    pub(super) fn find_release(&self, task: &Task) -> Option<(usize, Vec<usize>)> {
        let request = task.arrival.request;
        (0..self.on_node.len()).find_map(|node| Some((node, self.to_stop(task.kind(), request, node)?)))
    }

    /// Stops others for a task that fits there then; they go on elsewhere, or wait. The nodes that have more left.
    pub(super) fn release(&mut self, task: Task, slots: &[usize]) -> Vec<usize> {
        let stopped: Vec<Stopped> = slots.iter().filter_map(|slot| self.stop(*slot)).collect();
        if let Some(task) = self.try_to_run(task) {
            self.wait(task);
        }
        self.go_on(stopped)
    }

    /// Others take back what they had given where somebody was stopped; then who was stopped goes on elsewhere, or waits. The
    /// nodes that have more left.
    pub(super) fn go_on(&mut self, stopped: Vec<Stopped>) -> Vec<usize> {
        let mut nodes = Vec::new();
        for place in stopped.iter().flat_map(|stopped| &stopped.places) {
            self.let_others_grow_back(*place);
            if !nodes.contains(&place.node) {
                nodes.push(place.node);
            }
        }
        for Stopped { task, .. } in stopped {
            if let Some(task) = self.try_to_run(task) {
                self.wait(task);
            }
        }
        nodes
    }

    /// Tasks of a node that must stop so that a latency-sensitive one fits; `None` if it never does, and for what may not stop
    /// others: other tasks, and those of several pieces.
    pub(super) fn to_stop(&self, kind: usize, request: usize, node: usize) -> Option<Vec<usize>> {
        let workload = self.replay.workload;
        let may = kind == 0 && self.replay.manners.does_release && workload.pieces(request) == 1;
        if !may || !workload.fits(request, &self.potential[node]) {
            return None;
        }
        let (asked, needs) = (&workload.requests()[request], self.needs(request, node));
        let mut left = self.placing.cluster.nodes[node];
        let mut others: Vec<(usize, &Running)> = self.on_node[node]
            .iter()
            .filter_map(|slot| Some((*slot, self.running[*slot].as_ref()?)))
            .filter(|(_, running)| !running.task.arrival.is_sensitive)
            .collect();
        others.sort_unstable_by_key(|(_, running)| Reverse(running.task.number));
        // The GPUs on which it could run, those with most left first.
        let potential = &self.potential[node].left;
        let mut able: Vec<usize> = (0..MOST_GPUS).filter(|gpu| potential[*gpu] >= needs[*gpu]).collect();
        able.sort_by_key(|gpu| Reverse(left.left[*gpu]));
        let wanted = able.get(..usize::from(asked.gpus))?;
        let wanted = wanted.iter().fold(Gpus::default(), |gpus, gpu| Gpus(gpus.0 | 1 << gpu));
        let mut stopped = Vec::new();
        for (slot, running) in others {
            let own = running.places.iter().filter(|place| place.node == node).map(|place| place.gpus.0);
            let own = Gpus(own.fold(0, |all, gpus| all | gpus) & wanted.0);
            let lacks_gpus = own.places().any(|gpu| left.left[gpu] < needs[gpu]);
            let lacks_others = left.cpu_milli < asked.cpu_milli || left.memory_mib < asked.memory_mib;
            if lacks_gpus || lacks_others {
                self.change(&mut left, running, node, true);
                stopped.push((slot, running));
            }
        }
        // The last ones may have freed what the first were stopped for.
        stopped.retain(|(_, running)| {
            let mut without = left;
            self.change(&mut without, running, node, false);
            let is_needless = workload.fits(request, &without);
            if is_needless {
                left = without;
            }
            !is_needless
        });
        workload.fits(request, &left).then(|| stopped.into_iter().map(|(slot, _)| slot).collect())
    }

    /// What a node has left once a task leaves it (`does_leave`), or comes back.
    fn change(&self, left: &mut Node, running: &Running, node: usize, does_leave: bool) {
        let request = running.task.arrival.request;
        let (asked, needs) = (&self.replay.workload.requests()[request], self.needs(request, node));
        for Place { gpus, .. } in running.places.iter().filter(|place| place.node == node) {
            let by = |value: u32, by: u32| if does_leave { value + by } else { value.saturating_sub(by) };
            left.cpu_milli = by(left.cpu_milli, asked.cpu_milli);
            left.memory_mib = by(left.memory_mib, asked.memory_mib);
            for gpu in gpus.places() {
                let share = needs[gpu].saturating_add_signed(running.extra);
                let now = left.left[gpu];
                left.left[gpu] = if does_leave { now + share } else { now.saturating_sub(share) };
            }
        }
    }

    /// Saves and stops a running task.
    pub(super) fn stop(&mut self, slot: usize) -> Option<Stopped> {
        self.note_progress(slot);
        let Running { task, done, places, .. } = self.leave(slot, false)?;
        self.counts[task.kind()].served.stopped += 1.0;
        let left = (task.left - done).max(0.0);
        let task = Task { left, restore: self.replay.manners.save_seconds, waits_since: self.now, ..task };
        Some(Stopped { task, places })
    }
}
