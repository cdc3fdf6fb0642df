//! Speed of a task beside others.
//!
//! ```text
//! rate = speed(type) · share / (1 + Σ delay beside each other task of its GPU)
//! share = 1                            with its whole request, if it uses no more
//!         has ÷ uses                   if it has less than it uses: it is throttled
//!         has ÷ max(requested, uses)   if it has more than it requested
//! ```
//! Delays beside several others add up, which is an assumption: only pairs are measured.

use super::super::amount::{THOUSANDTH, WHOLE, thousandths};
use super::super::cluster::Gpus;
use super::super::score::Place;
use super::state::{ReplayState, Running, Task, do_share_gpu};

/// A whole GPU, in thousandths.
const ALL: f64 = 1_000.0;

impl ReplayState<'_> {
    /// Adds the work that a running task did since the last update.
    pub(super) fn note_progress(&mut self, slot: usize) {
        let now = self.now;
        if let Some(running) = &mut self.running[slot] {
            running.done += (now - running.since) * running.rate;
            running.since = now;
        }
    }

    /// Updates the rate and the end of a task.
    pub(super) fn update_rate(&mut self, slot: usize) {
        self.note_progress(slot);
        let Some(running) = &self.running[slot] else { return };
        let (rate, own_rate) = self.rates(slot, running);
        let is_slow = running.task.arrival.is_sensitive && rate < own_rate && !running.is_monitored;
        let now = self.now;
        let Some(running) = &mut self.running[slot] else { return };
        if rate == running.rate {
            return;
        }
        running.rate = rate;
        running.own_rate = own_rate;
        running.until = now + (running.task.left - running.done).max(0.0) / rate;
        let (until, number) = (running.until, running.task.number);
        self.push_end(slot, until, number);
        if is_slow {
            self.schedule_sample(slot);
        }
    }

    /// Work per second now, and alone with the requested share: of the slowest piece.
    pub(super) fn rates(&self, slot: usize, running: &Running) -> (f64, f64) {
        let request = running.task.arrival.request;
        let of_request = &self.replay.sharing.requests[request];
        let (mut slowest, mut own) = (f64::INFINITY, f64::INFINITY);
        for Place { node, gpus } in &running.places {
            let shape = &self.replay.cluster.shapes[usize::from(self.potential[*node].shape)];
            let speed = |gpu: usize| of_request.speeds[usize::from(shape[gpu])];
            let speed = gpus.places().map(speed).fold(f64::INFINITY, f64::min);
            let speed = if speed.is_finite() { speed } else { 1.0 };
            let share = self.share(running, Place { node: *node, gpus: *gpus });
            slowest =
                slowest.min(speed * share / (1.0 + self.delay(slot, running, Place { node: *node, gpus: *gpus })));
            own = own.min(speed);
        }
        (slowest, own)
    }

    /// Work per second with the present share and without other tasks: of the slowest piece.
    pub(super) fn rate_at_share(&self, running: &Running) -> f64 {
        let request = running.task.arrival.request;
        let of_place = |place: &Place| {
            let shape = &self.replay.cluster.shapes[usize::from(self.potential[place.node].shape)];
            let speeds =
                place.gpus.places().map(|gpu| self.replay.sharing.requests[request].speeds[usize::from(shape[gpu])]);
            let speed = speeds.fold(f64::INFINITY, f64::min);
            (if speed.is_finite() { speed } else { 1.0 }) * self.share(running, *place)
        };
        running.places.iter().map(of_place).fold(f64::INFINITY, f64::min)
    }

    /// Effect of the share of a task on its rate.
    fn share(&self, running: &Running, place: Place) -> f64 {
        let requested = self.requested(&running.task, place);
        let has = requested + extra(running);
        let uses = (requested * self.used_of_requested(&running.task)).min(ALL);
        if has > requested { has / requested.max(uses) } else { (has / uses).min(1.0) }
    }

    /// Requested share of a GPU of a place, in thousandths; a whole one for tasks without GPU.
    fn requested(&self, task: &Task, Place { node, gpus }: Place) -> f64 {
        let needs = self.needs(task.arrival.request, node);
        thousandths(u32::from(gpus.places().map(|gpu| needs[gpu]).max().unwrap_or(WHOLE)))
    }

    /// Used ÷ requested share of a task.
    fn used_of_requested(&self, task: &Task) -> f64 {
        task.arrival.uses * self.replay.sharing.requests[task.arrival.request].needs
    }

    /// Whether a task is throttled because it uses more than its share.
    pub(super) fn is_throttled(&self, task: &Task, place: Place) -> bool {
        place.gpus.count() > 0 && self.used_of_requested(task) > 1.0 && self.requested(task, place) < ALL
    }

    /// Extra time of a task beside others on a place, the largest over its GPUs.
    fn delay(&self, slot: usize, running: &Running, place: Place) -> f64 {
        let sharing = self.replay.sharing;
        if !sharing.do_interfere() || place.gpus.count() == 0 {
            return 0.0;
        }
        let request = running.task.arrival.request;
        let mut worst: f64 = 0.0;
        for gpu in place.gpus.places() {
            let shared = Place { node: place.node, gpus: Gpus::one(gpu) };
            let others = self.on_node[place.node].iter().filter(|other| **other != slot);
            let others = others.filter_map(|other| self.running[*other].as_ref());
            let beside = others.filter(|other| do_share_gpu(&other.places, place.node, shared.gpus));
            let delays =
                beside.map(|other| sharing.delay(request, other.task.arrival.request, self.uses(other, shared)));
            worst = worst.max(delays.sum());
        }
        worst
    }

    /// Share of a GPU that a task uses. An increased share makes it faster, but does not slow others more.
    fn uses(&self, other: &Running, place: Place) -> f64 {
        let requested = self.requested(&other.task, place);
        let has = requested + extra(other);
        (requested * self.used_of_requested(&other.task)).min(has) / ALL
    }

    /// Updates the rates of tasks that share a GPU with a task that came or left.
    pub(super) fn update_neighbours(&mut self, place: Place, slot: usize) {
        if !self.replay.sharing.do_interfere() {
            return;
        }
        let others: Vec<usize> = self.on_node[place.node].iter().copied().filter(|other| *other != slot).collect();
        for other in others {
            if self.running[other].as_ref().is_some_and(|other| do_share_gpu(&other.places, place.node, place.gpus)) {
                self.update_rate(other);
            }
        }
    }
}

/// Share of a task beyond its request, in thousandths of a GPU.
fn extra(running: &Running) -> f64 {
    f64::from(running.extra) / f64::from(THOUSANDTH)
}
