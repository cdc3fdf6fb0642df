//! Time slices: one kernel at a time, each for a while in turn.

#![expect(clippy::cast_possible_truncation, reason = "a study has far fewer launches than 2^31")]

use std::collections::VecDeque;

use super::observer::{Observer, SlotInterval, SlotState};
use super::run::Run;
use super::simulator::{LOOK, Simulator};
use super::stream::Launches;
use super::weigh::preempt_cycles;
use crossover_study::Watch;

struct Slicing<'a, O> {
    simulator: &'a Simulator<'a>,
    launches: &'a Launches,
    now: f64,
    /// Launches that have arrived and not ended, the next one first.
    turn: VecDeque<u32>,
    /// The next arrival.
    coming: usize,
    /// Work left of each.
    left: Vec<f64>,
    run: Run,
    observer: &'a mut O,
}

/// Runs a stream of launches in time slices; `None` if it was cancelled.
pub(super) fn sliced<O: Observer>(
    simulator: &Simulator<'_>,
    launches: &Launches,
    observer: &mut O,
    watch: Watch<'_>,
) -> Option<Run> {
    let mut slicing = Slicing {
        simulator,
        launches,
        now: 0.0,
        turn: VecDeque::new(),
        coming: 0,
        left: launches.cycles.clone(),
        run: Run::of(launches.len()),
        observer,
    };
    let (mut before, mut looked) = (None, 0);
    loop {
        if slicing.turn.is_empty() {
            let Some(next) = launches.arrivals.get(slicing.coming) else { return Some(slicing.run) };
            slicing.now = next.max(slicing.now);
            slicing.admit();
        }
        let Some(launch) = slicing.turn.pop_front() else { continue };
        if before != Some(launch) {
            slicing.load(launch);
        }
        slicing.slice(launch);
        before = Some(launch);
        if slicing.run.events - looked > LOOK {
            looked = slicing.run.events;
            if watch.is_cancelled() {
                return None;
            }
        }
    }
}

impl<O: Observer> Slicing<'_, O> {
    /// Admits the launches that have arrived.
    fn admit(&mut self) {
        while self.launches.arrivals.get(self.coming).is_some_and(|arrival| *arrival <= self.now) {
            self.turn.push_back(self.coming as u32);
            self.coming += 1;
            self.run.events += 1;
            if self.coming == self.launches.len() {
                self.run.last_arrival();
            }
        }
    }

    /// Loads a launch that was saved.
    fn load(&mut self, launch: u32) {
        let place = launch as usize;
        let restore = self.simulator.study.rule.restore;
        if restore > 0.0 && self.left[place] < self.launches.cycles[place] {
            self.switch(launch, restore * self.cost(launch));
        }
    }

    /// Runs a launch for a slice, and saves it if another one waits.
    fn slice(&mut self, launch: u32) {
        let place = launch as usize;
        // Alone, there is no decision before the next arrival.
        let mut slice = self.simulator.study.rule.slice_cycles.min(self.left[place]);
        if self.turn.is_empty() {
            let next = self.launches.arrivals.get(self.coming).map_or(f64::INFINITY, |arrival| arrival - self.now);
            slice = self.left[place].min(slice.max(next));
        }
        let from = self.now;
        self.now += slice;
        self.left[place] -= slice;
        self.run.busy += slice;
        self.run.worked += slice;
        self.run.occupied += slice;
        self.run.events += 1;
        self.admit();
        let is_done = self.left[place] <= 0.0;
        let state = if is_done { SlotState::Done } else { SlotState::Preempted };
        let kernel = self.launches.kernel[place];
        self.observer.occupied(SlotInterval { launch, kernel, slot: 0, from, to: self.now, state });
        if is_done {
            self.run.done[place] = self.now;
        } else {
            if !self.turn.is_empty() {
                self.switch(launch, self.cost(launch));
                self.run.preemptions += 1;
            }
            self.turn.push_back(launch);
        }
        if O::RECORDS {
            self.observer.waits(self.now, self.turn.len());
        }
    }

    /// Cycles to save the resident blocks of a launch; nothing runs beside it.
    fn cost(&self, launch: u32) -> f64 {
        let place = launch as usize;
        let spec = &self.simulator.specs[self.launches.kernel[place] as usize];
        preempt_cycles(&self.simulator.study.rule, 0.0, spec.context(self.left[place], self.launches.cycles[place]))
    }

    fn switch(&mut self, launch: u32, cycles: f64) {
        let kernel = self.launches.kernel[launch as usize];
        let (from, to) = (self.now, self.now + cycles);
        self.observer.occupied(SlotInterval { launch, kernel, slot: 0, from, to, state: SlotState::ContextSwitch });
        self.now = to;
        self.run.context_switch_cycles += cycles;
        self.run.occupied += cycles;
    }
}
