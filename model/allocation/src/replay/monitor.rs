//! Latency-sensitive tasks that are behind get a larger share.
//!
//! A latency-sensitive task is behind if elapsed time + predicted remaining time exceed its time alone. The remaining time is
//! that of the remaining work with the present share, without other tasks: the time model knows the share, not the neighbours.
//! At every sample that shows it behind, its share of the GPU grows by a step. If the GPU is full, shares of other tasks are reduced, the last arrival first.
//! A task that would fall below its minimum share is preempted and waits (published method of allocation, worker nodes).

use std::cmp::Reverse;

use super::super::amount::{WHOLE, changed, thousandths};
use super::super::score::Place;
use super::preempt::Preempted;
use super::state::{ReplayState, do_share_gpu};

/// Samples of a task after which its polling interval doubles, and after as many again doubles again.
const SAMPLES_TO_DOUBLE: u32 = 64;

/// How a task made capacity available.
enum Reclaimed {
    /// Its share was reduced.
    Part,
    /// It was preempted.
    All(Preempted),
}

impl ReplayState<'_> {
    /// Schedules the next sample of a task, a multiple of the polling interval after its start.
    pub(super) fn schedule_sample(&mut self, slot: usize) {
        let (now, every) = (self.now, self.replay.sharing.polling_seconds);
        if every <= 0.0 {
            return;
        }
        let Some(running) = &mut self.running[slot] else { return };
        running.is_monitored = true;
        let number = running.task.number;
        let at = if running.samples < SAMPLES_TO_DOUBLE {
            let intervals = ((now - running.began) / every + 1e-9).floor() + 1.0;
            running.began + intervals * every
        } else {
            now + every * libm::exp2(f64::from(running.samples / SAMPLES_TO_DOUBLE))
        };
        running.samples += 1;
        // No sample where the interval is below the resolution of times.
        if at > now {
            self.push_sample(slot, at, number);
        }
    }

    /// Samples a task: if it is behind, its share grows.
    pub(super) fn sample(&mut self, slot: usize) {
        self.note_progress(slot);
        let now = self.now;
        let Some(rate_at_share) = self.running[slot].as_ref().map(|running| self.rate_at_share(running)) else {
            return;
        };
        let Some(running) = &mut self.running[slot] else { return };
        running.is_monitored = false;
        let elapsed = now - running.began;
        let alone = running.task.left / running.own_rate;
        let remaining = (running.task.left - running.done).max(0.0) / rate_at_share;
        let is_behind = elapsed + remaining > alone * (1.0 + 1e-9);
        let is_slow = running.rate < running.own_rate;
        if is_behind {
            self.grow(slot);
        }
        if is_behind || is_slow {
            self.schedule_sample(slot);
        }
    }

    /// The share of a task grows by a step, as far as there is capacity.
    fn grow(&mut self, slot: usize) {
        let Some(running) = &self.running[slot] else { return };
        let (request, Place { node, gpus }) = (running.task.arrival.request, running.places[0]);
        if !self.is_single_share(request, node) {
            return;
        }
        let Some(gpu) = gpus.places().next() else { return };
        let has = changed(self.needs(request, node)[gpu], running.extra);
        let wanted = self.replay.sharing.step.min(WHOLE - has);
        let mut preempted: Vec<Preempted> = Vec::new();
        while self.placing.cluster().nodes[node].left[gpu] < wanted {
            let missing = wanted - self.placing.cluster().nodes[node].left[gpu];
            match self.shrink_one(Place { node, gpus }, missing) {
                Some(Reclaimed::Part) => {}
                Some(Reclaimed::All(task)) => preempted.push(task),
                None => break,
            }
        }
        let more = wanted.min(self.placing.cluster().nodes[node].left[gpu]);
        if let Some(kind) = self.running[slot].as_ref().map(|running| running.task.kind()).filter(|_| more > 0) {
            self.counts[kind].served.share_increases += 1.0;
            self.adjust(slot, i32::from(more));
            self.update_rate(slot);
        }
        if !preempted.is_empty() {
            let nodes = self.resume(preempted);
            self.serve(nodes);
        }
    }

    /// Reduces the share of the last arrival of the tasks that may be preempted, or preempts it if its share would be too
    /// small; `None` without such a task.
    fn shrink_one(&mut self, place: Place, missing: u16) -> Option<Reclaimed> {
        let others = self.on_node[place.node].iter().copied();
        let last = others
            .filter_map(|slot| Some((slot, self.running[slot].as_ref()?)))
            .filter(|(_, other)| {
                !other.task.arrival.is_sensitive && do_share_gpu(&other.places, place.node, place.gpus)
            })
            .max_by_key(|(_, other)| other.task.number);
        let (slot, other) = last?;
        let request = other.task.arrival.request;
        let gpu = place.gpus.places().next()?;
        let requested = self.needs(request, place.node)[gpu];
        let has = changed(requested, other.extra);
        let min_share = thousandths(u32::from(requested)) * self.replay.sharing.requests[request].min_share;
        let rest = thousandths(u32::from(has)) - thousandths(u32::from(missing));
        if !self.is_single_share(request, place.node) || rest < min_share.max(1.0) {
            return self.preempt_task(slot).map(Reclaimed::All);
        }
        self.counts[1].served.share_reductions += 1.0;
        self.adjust(slot, -i32::from(missing));
        self.update_rate(slot);
        Some(Reclaimed::Part)
    }

    /// Restores reduced shares, as far as there is capacity, the first arrival first.
    pub(super) fn restore_shares(&mut self, place: Place) {
        if self.replay.sharing.polling_seconds <= 0.0 {
            return;
        }
        let others = self.on_node[place.node].iter().copied();
        let mut shrunk: Vec<(u64, usize)> = others
            .filter_map(|slot| Some((slot, self.running[slot].as_ref()?)))
            .filter(|(_, other)| other.extra < 0 && do_share_gpu(&other.places, place.node, place.gpus))
            .map(|(slot, other)| (other.task.number, slot))
            .collect();
        shrunk.sort_unstable_by_key(|(number, _)| Reverse(*number));
        while let Some((_, slot)) = shrunk.pop() {
            let Some((Place { node, gpus }, lacks)) =
                self.running[slot].as_ref().map(|other| (other.places[0], -other.extra))
            else {
                continue;
            };
            let Some(gpu) = gpus.places().next() else { continue };
            let left = i32::from(self.placing.cluster().nodes[node].left[gpu]);
            let more = lacks.min(left);
            if more > 0 {
                self.adjust(slot, more);
                self.update_rate(slot);
            }
        }
    }
}
