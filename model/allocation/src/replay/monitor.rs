//! Sensitive tasks that would be late get more.
//!
//! A latency-sensitive task is late if the time since it began and what is left of its work take longer than it would alone.
//! At every look it gets a step more of its GPU. Where the GPU is full, others have to give, the last that came first; whoever
//! falls below what it needs is saved, stopped and waits (published method of allocation, worker nodes).

use std::cmp::Reverse;

use super::super::cluster::WHOLE;
use super::super::score::Place;
use super::release::Stopped;
use super::state::{State, do_meet};

/// After so many looks at a task there are half as many in a time, after as many again a quarter, and so on.
const PATIENCE: u32 = 64;

/// What a task gave.
enum Gave {
    /// A part of what it had.
    Some,
    /// All: it was stopped.
    All(Stopped),
}

impl State<'_> {
    /// Somebody will look at a task when the time since it began is a multiple of the time between looks.
    pub(super) fn watch_over(&mut self, slot: usize) {
        let (now, every) = (self.now, self.replay.manners.monitor_seconds);
        if every <= 0.0 {
            return;
        }
        let Some(running) = &mut self.running[slot] else { return };
        running.is_watched = true;
        let number = running.task.number;
        let at = if running.looks < PATIENCE {
            let looks = ((now - running.began) / every + 1e-9).floor() + 1.0;
            running.began + looks * every
        } else {
            now + every * libm::exp2(f64::from(running.looks / PATIENCE))
        };
        running.looks += 1;
        // Beyond what a time can tell apart nobody looks.
        if at > now {
            self.will_look(slot, at, number);
        }
    }

    /// Looks at a task: if it is late, it gets more.
    pub(super) fn look(&mut self, slot: usize) {
        self.note_progress(slot);
        let now = self.now;
        let Some(running) = &mut self.running[slot] else { return };
        running.is_watched = false;
        let elapsed = now - running.began;
        let alone = running.task.left / running.own_rate;
        let remaining = (running.task.left - running.done).max(0.0) / running.own_rate;
        let is_late = elapsed + remaining > alone * (1.0 + 1e-9);
        let is_slow = running.rate < running.own_rate;
        if is_late {
            self.grow(slot);
        }
        if is_late || is_slow {
            self.watch_over(slot);
        }
    }

    /// A task gets a step more of its GPU, as far as there is so much.
    fn grow(&mut self, slot: usize) {
        let Some(running) = &self.running[slot] else { return };
        let (request, Place { node, gpus }) = (running.task.arrival.request, running.places[0]);
        if !self.is_single_share(request, node) {
            return;
        }
        let Some(gpu) = gpus.places().next() else { return };
        let has = self.needs(request, node)[gpu].saturating_add_signed(running.extra);
        let wanted = self.replay.manners.step.min(WHOLE - has);
        let mut stopped: Vec<Stopped> = Vec::new();
        while self.placing.cluster.nodes[node].left[gpu] < wanted {
            let missing = wanted - self.placing.cluster.nodes[node].left[gpu];
            match self.shrink_one(Place { node, gpus }, missing) {
                Some(Gave::Some) => {}
                Some(Gave::All(task)) => stopped.push(task),
                None => break,
            }
        }
        let more = wanted.min(self.placing.cluster.nodes[node].left[gpu]);
        if let Some(kind) = self.running[slot].as_ref().map(|running| running.task.kind()).filter(|_| more > 0) {
            self.counts[kind].served.grown += 1.0;
            self.adjust(slot, i16::try_from(more).expect("at most 1,000"));
            self.rate(slot);
        }
        if !stopped.is_empty() {
            let nodes = self.go_on(stopped);
            self.serve(nodes);
        }
    }

    /// The task that came last of those that may be stopped gives so much of its GPU, or all if it could not run on then; none
    /// if there is nobody.
    fn shrink_one(&mut self, place: Place, missing: u16) -> Option<Gave> {
        let others = self.on_node[place.node].iter().copied();
        let last = others
            .filter_map(|slot| Some((slot, self.running[slot].as_ref()?)))
            .filter(|(_, other)| !other.task.arrival.is_sensitive && do_meet(&other.places, place.node, place.gpus))
            .max_by_key(|(_, other)| other.task.number);
        let (slot, other) = last?;
        let request = other.task.arrival.request;
        let gpu = place.gpus.places().next()?;
        let asks = self.needs(request, place.node)[gpu];
        let has = asks.saturating_add_signed(other.extra);
        let least = f64::from(asks) * self.replay.manners.requests[request].least;
        if !self.is_single_share(request, place.node) || f64::from(has) - f64::from(missing) < least.max(1.0) {
            return self.stop(slot).map(Gave::All);
        }
        self.counts[1].served.shrunk += 1.0;
        self.adjust(slot, -i16::try_from(missing).expect("at most 1,000"));
        self.rate(slot);
        Some(Gave::Some)
    }

    /// Tasks that had to give get back what they asked for, as far as there is so much: the first that came first.
    pub(super) fn let_others_grow_back(&mut self, place: Place) {
        if self.replay.manners.monitor_seconds <= 0.0 {
            return;
        }
        let others = self.on_node[place.node].iter().copied();
        let mut shrunk: Vec<(u64, usize)> = others
            .filter_map(|slot| Some((slot, self.running[slot].as_ref()?)))
            .filter(|(_, other)| other.extra < 0 && do_meet(&other.places, place.node, place.gpus))
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
            let left = i16::try_from(self.placing.cluster.nodes[node].left[gpu]).expect("at most 1,000");
            let more = lacks.min(left);
            if more > 0 {
                self.adjust(slot, more);
                self.rate(slot);
            }
        }
    }
}
