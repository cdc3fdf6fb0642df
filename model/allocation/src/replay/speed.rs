//! How fast a task runs beside others.
//!
//! ```text
//! rate = speed(type) · share / (1 + Σ delay beside each other task of its GPU)
//! share = 1                       with all that it asks for, if it uses no more
//!         has ÷ uses              if it has less than it uses: it is held back
//!         has ÷ max(asks, uses)   if it has more than it asks for
//! ```
//! Delays of several others add up, which is an assumption: pairs were measured, not more.

use super::super::cluster::{Gpus, WHOLE};
use super::super::score::Place;
use super::state::{Running, State, Task, do_meet};

impl State<'_> {
    /// Counts what a running task did since anybody looked.
    pub(super) fn note_progress(&mut self, slot: usize) {
        let now = self.now;
        if let Some(running) = &mut self.running[slot] {
            running.done += (now - running.since) * running.rate;
            running.since = now;
        }
    }

    /// Finds out how fast a task runs now, and when it ends.
    pub(super) fn rate(&mut self, slot: usize) {
        self.note_progress(slot);
        let Some(running) = &self.running[slot] else { return };
        let (rate, own_rate) = self.rates(slot, running);
        let is_late = running.task.arrival.is_sensitive && rate < own_rate && !running.is_watched;
        let now = self.now;
        let Some(running) = &mut self.running[slot] else { return };
        if rate == running.rate {
            return;
        }
        running.rate = rate;
        running.own_rate = own_rate;
        running.until = now + (running.task.left - running.done).max(0.0) / rate;
        let (until, number) = (running.until, running.task.number);
        self.will_end(slot, until, number);
        if is_late {
            self.watch_over(slot);
        }
    }

    /// Work in a second, and alone with what it asks for: of the slowest piece.
    pub(super) fn rates(&self, slot: usize, running: &Running) -> (f64, f64) {
        let request = running.task.arrival.request;
        let of_request = &self.replay.manners.requests[request];
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

    /// What having more or less than it asks for, or uses, does to a task.
    fn share(&self, running: &Running, place: Place) -> f64 {
        let asks = self.asks(&running.task, place);
        let has = asks + f64::from(running.extra);
        let uses = (asks * self.used_of_asked(&running.task)).min(f64::from(WHOLE));
        if has > asks { has / asks.max(uses) } else { (has / uses).min(1.0) }
    }

    /// What a task asks for of a GPU of a place, in thousandths; a whole one where it needs none.
    fn asks(&self, task: &Task, Place { node, gpus }: Place) -> f64 {
        let needs = self.needs(task.arrival.request, node);
        f64::from(gpus.places().map(|gpu| needs[gpu]).max().unwrap_or(WHOLE))
    }

    /// What a task really uses, times what it asks for.
    fn used_of_asked(&self, task: &Task) -> f64 {
        task.arrival.uses * self.replay.manners.requests[task.arrival.request].needs
    }

    /// Whether a task uses more than its share, and so is held back.
    pub(super) fn is_held_back(&self, task: &Task, place: Place) -> bool {
        place.gpus.count() > 0 && self.used_of_asked(task) > 1.0 && self.asks(task, place) < f64::from(WHOLE)
    }

    /// How much longer a task takes beside others on a place, at worst over its GPUs.
    fn delay(&self, slot: usize, running: &Running, place: Place) -> f64 {
        let manners = self.replay.manners;
        if !manners.do_interfere() || place.gpus.count() == 0 {
            return 0.0;
        }
        let request = running.task.arrival.request;
        let mut worst: f64 = 0.0;
        for gpu in place.gpus.places() {
            let shared = Place { node: place.node, gpus: Gpus::one(gpu) };
            let others = self.on_node[place.node].iter().filter(|other| **other != slot);
            let others = others.filter_map(|other| self.running[*other].as_ref());
            let beside = others.filter(|other| do_meet(&other.places, place.node, shared.gpus));
            let delays =
                beside.map(|other| manners.delay(request, other.task.arrival.request, self.uses(other, shared)));
            worst = worst.max(delays.sum());
        }
        worst
    }

    /// What a task uses of a GPU that it shares. What it got because it was late makes it faster, and disturbs no more.
    fn uses(&self, other: &Running, place: Place) -> f64 {
        let asks = self.asks(&other.task, place);
        let has = asks + f64::from(other.extra);
        (asks * self.used_of_asked(&other.task)).min(has) / f64::from(WHOLE)
    }

    /// Somebody came to a place or left it: whoever shares a GPU with it gets slower or faster.
    pub(super) fn meet(&mut self, place: Place, slot: usize) {
        if !self.replay.manners.do_interfere() {
            return;
        }
        let others: Vec<usize> = self.on_node[place.node].iter().copied().filter(|other| *other != slot).collect();
        for other in others {
            if self.running[other].as_ref().is_some_and(|other| do_meet(&other.places, place.node, place.gpus)) {
                self.rate(other);
            }
        }
    }
}
