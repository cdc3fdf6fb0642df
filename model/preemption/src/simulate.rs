//! A stream of launches on one GPU under a policy, from event to event.
//!
//! Work is measured in cycles alone: beside others a kernel does its normalised IPC of them in a cycle. Speeds are constant between
//! events, so there is no discretisation error.

#![expect(clippy::cast_possible_truncation, reason = "a study has far fewer launches, kernels and slots than 2^31")]

use std::cell::RefCell;
use std::collections::HashMap;

use super::observer::{Observer, SlotInterval, SlotState};
use super::policy::Policy;
use super::run::Run;
use super::simulator::{LOOK, Simulator};
use super::stream::Launches;
use super::study::Rule;
use super::table::{Rank, Table, parts};
use super::waiting::{Head, QueueKind, Waiting};
use crossover_study::Watch;

/// Runs a stream from event to event; `None` if it was cancelled.
pub(super) fn simulated<O: Observer>(
    simulator: &Simulator<'_>,
    launches: &Launches,
    policy: Policy,
    observer: &mut O,
    watch: Watch<'_>,
) -> Option<Run> {
    let limit = if policy == Policy::Exclusive { 1 } else { simulator.limit() };
    let mut simulation = Simulation {
        simulator,
        rule: &simulator.study.rule,
        table: if policy == Policy::Partial { &simulator.partial } else { simulator.table() },
        experience: (simulator.study.rule.experience_weight > 0.0 && policy.combines())
            .then(|| simulator.by_classes.clone()),
        launches,
        policy,
        limit,
        now: launches.arrivals.first().copied().unwrap_or(0.0),
        running: Vec::with_capacity(limit),
        waiting: Waiting::new(simulator.kernels(), launches.len()),
        left: launches.cycles.clone(),
        preempted: vec![0; launches.len()],
        switch: None,
        coming: 0,
        is_stale: false,
        is_check: false,
        may_grow: false,
        shared: RefCell::new(HashMap::new()),
        equal: Vec::new(),
        run: Run::of(launches.len()),
        observer,
    };
    simulation.go(watch)?;
    Some(simulation.run)
}

/// A running launch that might be preempted for a waiting one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    /// Rank of the new combination, and its sum of normalised IPC.
    pub(super) rank: Rank,
    pub(super) sum: f64,
    /// The launch to preempt, by its position among the running ones.
    pub(super) victim: usize,
    pub(super) next: Head,
}

/// A launch that runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Running {
    pub(super) launch: u32,
    pub(super) kernel: usize,
    pub(super) slot: u8,
    /// When it started.
    pub(super) since: f64,
    /// Work left, cycles alone.
    pub(super) left: f64,
    /// Work left, by the scheduler's estimate.
    pub(super) estimated: f64,
    /// Normalised IPC beside the others.
    pub(super) normalised: f64,
    /// Blocks that it holds, as a share of those that it has alone.
    pub(super) held: f64,
    /// Work per cycle now: the same, or decayed during a switch.
    rate: f64,
}

/// A switch in progress.
#[derive(Debug, Clone, Copy)]
pub(super) enum Switch {
    /// A context is saved or loaded until then; then the launch starts.
    Copying { until: f64, from: f64, slot: u8, victim: Option<u32>, next: Head },
    /// A running launch ends its resident blocks; `left` is its work left then.
    Draining { launch: u32, left: f64, next: Head },
}

pub(super) struct Simulation<'a, O> {
    pub(super) simulator: &'a Simulator<'a>,
    pub(super) rule: &'a Rule,
    pub(super) table: &'a Table,
    /// What the scheduler has learned of pairs; nothing: it knows all of them.
    pub(super) experience: Option<Table>,
    pub(super) launches: &'a Launches,
    pub(super) policy: Policy,
    pub(super) limit: usize,
    pub(super) now: f64,
    pub(super) running: Vec<Running>,
    pub(super) waiting: Waiting,
    /// Work left of launches that do not run.
    pub(super) left: Vec<f64>,
    /// How often each launch was preempted.
    pub(super) preempted: Vec<u16>,
    pub(super) switch: Option<Switch>,
    /// The next arrival.
    coming: usize,
    /// Whether something changed since the last decision.
    is_stale: bool,
    /// Whether the present event is a check of the scheduler.
    pub(super) is_check: bool,
    /// Whether running launches may hold more blocks since the last change.
    pub(super) may_grow: bool,
    /// Shares of multiprocessors of three or more kernels that shared the GPU, in their order.
    shared: RefCell<HashMap<Vec<usize>, Vec<f64>>>,
    /// Switches that are equally good, while one is chosen.
    pub(super) equal: Vec<Choice>,
    pub(super) run: Run,
    pub(super) observer: &'a mut O,
}

/// The next event.
enum Event {
    Arrival,
    Done(usize),
    Drained(usize),
    Switched,
    /// The scheduler evaluates preemptions again.
    Check,
}

impl<O: Observer> Simulation<'_, O> {
    fn go(&mut self, watch: Watch<'_>) -> Option<()> {
        let (mut looked, work) = (0, self.work_of_an_event());
        while let Some((at, event)) = self.next() {
            self.advance(at);
            self.run.events += 1;
            looked += work;
            if looked > LOOK {
                looked = 0;
                if watch.is_cancelled() {
                    return None;
                }
            }
            self.is_check = matches!(event, Event::Check);
            match event {
                Event::Arrival => self.arrive(),
                Event::Done(index) => self.done(index),
                Event::Drained(index) => self.drained(index),
                Event::Switched => self.switched(),
                Event::Check => self.is_stale = true,
            }
            self.decide();
            self.grow();
            if O::RECORDS {
                self.observer.waits(self.now, self.waiting.len());
            }
        }
        Some(())
    }

    /// Combinations that are evaluated at an event.
    fn work_of_an_event(&self) -> u64 {
        if self.policy.combines() { (self.simulator.kernels() * self.limit * self.limit) as u64 } else { 1 }
    }

    fn next(&self) -> Option<(f64, Event)> {
        let mut found: Option<(f64, Event)> = None;
        let mut sooner = |at: f64, event: Event| {
            if found.as_ref().is_none_or(|(first, _)| at < *first) {
                found = Some((at, event));
            }
        };
        for (index, running) in self.running.iter().enumerate() {
            match self.switch {
                Some(Switch::Draining { launch, left, .. }) if launch == running.launch => {
                    sooner(self.now + (running.left - left).max(0.0) / running.rate, Event::Drained(index));
                }
                _ => sooner(self.now + running.left / running.rate, Event::Done(index)),
            }
        }
        if let Some(Switch::Copying { until, .. }) = self.switch {
            sooner(until, Event::Switched);
        }
        if let Some(arrival) = self.launches.arrivals.get(self.coming) {
            sooner(self.noticed(*arrival), Event::Arrival);
        }
        if let Some(check) = self.next_check() {
            sooner(check, Event::Check);
        }
        found
    }

    /// Runs everything until then.
    fn advance(&mut self, at: f64) {
        let passed = at - self.now;
        if passed <= 0.0 {
            return;
        }
        self.now = at;
        if !self.running.is_empty() {
            self.run.busy += passed;
        }
        if !self.running.is_empty() || self.switch.is_some() {
            self.run.occupied += passed;
        }
        for running in &mut self.running {
            let work = (running.rate * passed).min(running.left);
            running.left -= work;
            running.estimated -= work;
            self.run.worked += work;
        }
    }

    fn arrive(&mut self) {
        let launch = self.coming as u32;
        self.waiting.push(self.launches.kernel[self.coming], QueueKind::New, launch);
        self.coming += 1;
        if self.coming == self.launches.len() {
            self.run.last_arrival();
        }
        self.is_stale = true;
    }

    fn done(&mut self, index: usize) {
        // The rest that rounding left counts as done.
        self.run.worked += self.running[index].left;
        let running = self.leave(index, SlotState::Done);
        self.run.done[running.launch as usize] = self.now;
        if let Some(Switch::Draining { .. }) = self.switch {
            // A slot is free now without a preemption.
            self.switch = None;
        }
        self.speeds();
    }

    /// A launch leaves its slot.
    pub(super) fn leave(&mut self, index: usize, state: SlotState) -> Running {
        self.learn();
        let running = self.running.swap_remove(index);
        if state != SlotState::Done {
            let count = &mut self.preempted[running.launch as usize];
            *count = count.saturating_add(1);
        }
        if O::RECORDS {
            self.observer.occupied(SlotInterval {
                launch: running.launch,
                kernel: running.kernel as u32,
                slot: running.slot,
                from: running.since,
                to: self.now,
                state,
            });
        }
        self.is_stale = true;
        self.may_grow = true;
        running
    }

    fn drained(&mut self, index: usize) {
        let Some(Switch::Draining { next, left, .. }) = self.switch.take() else { return };
        self.running[index].left = left;
        self.put_back(index);
        self.begin(next);
    }

    /// A launch is preempted, and waits.
    pub(super) fn put_back(&mut self, index: usize) {
        let running = self.leave(index, SlotState::Preempted);
        self.left[running.launch as usize] = running.left;
        self.run.preemptions += 1;
        self.waiting.push(running.kernel as u32, QueueKind::Preempted, running.launch);
    }

    fn switched(&mut self) {
        let Some(Switch::Copying { from, slot, victim, next, .. }) = self.switch.take() else { return };
        if O::RECORDS {
            let launch = victim.unwrap_or(next.launch);
            let kernel = self.launches.kernel[launch as usize];
            self.observer.occupied(SlotInterval {
                launch,
                kernel,
                slot,
                from,
                to: self.now,
                state: SlotState::ContextSwitch,
            });
        }
        if let Some(launch) = victim {
            self.waiting.push(self.launches.kernel[launch as usize], QueueKind::Preempted, launch);
        }
        self.start(next.kernel, next.launch);
    }

    /// Starts a waiting launch, at once or when its context is loaded again.
    pub(super) fn begin(&mut self, next: Head) {
        self.waiting.pop(next.kernel, next.sort);
        let cost = self.cost_of_beginning(next);
        if cost > 0.0 {
            let slot = self.free_slot();
            let until = self.now + cost;
            self.copying(Switch::Copying { until, from: self.now, slot, victim: None, next }, cost);
        } else {
            self.start(next.kernel, next.launch);
        }
    }

    /// A context is saved or loaded for so many cycles from now on.
    pub(super) fn copying(&mut self, switch: Switch, cost: f64) {
        self.switch = Some(switch);
        self.run.context_switch_cycles += cost;
        for running in &mut self.running {
            running.rate = running.normalised * self.simulator.specs[running.kernel].decay;
        }
    }

    fn free_slot(&self) -> u8 {
        let mut slots = 0_u16;
        for running in &self.running {
            slots |= 1 << running.slot;
        }
        slots.trailing_ones() as u8
    }

    fn start(&mut self, kernel: usize, launch: u32) {
        let slot = self.free_slot();
        let at = launch as usize;
        let left = self.left[at];
        let estimated = self.launches.estimated[at] - (self.launches.cycles[at] - left);
        let held = self.displace(kernel);
        self.running.push(Running {
            launch,
            kernel,
            slot,
            since: self.now,
            left,
            estimated,
            normalised: 1.0,
            held,
            rate: 1.0,
        });
        self.is_stale = true;
        self.may_grow = true;
        self.speeds();
    }

    /// Updates the speed of all running launches.
    fn speeds(&mut self) {
        match &mut self.running[..] {
            [] => {}
            [one] => one.normalised = 1.0,
            [first, second] => {
                first.normalised = self.table.normalised(first.kernel, second.kernel);
                second.normalised = self.table.normalised(second.kernel, first.kernel);
            }
            _ => {
                let set: Vec<usize> = self.running.iter().map(|running| running.kernel).collect();
                let parts = (self.policy == Policy::Partial).then(|| self.parts(&set));
                for (index, running) in self.running.iter_mut().enumerate() {
                    let others = set.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, kernel)| *kernel);
                    running.normalised = match &parts {
                        None => self.table.beside(running.kernel, others),
                        Some(parts) => self.simulator.table().beside(running.kernel, others).min(parts[index]),
                    };
                }
            }
        }
        let is_switching = matches!(self.switch, Some(Switch::Copying { .. }));
        for running in &mut self.running {
            let decay = if is_switching { self.simulator.specs[running.kernel].decay } else { 1.0 };
            running.rate = running.normalised * decay;
        }
    }

    /// Applies the policy.
    fn decide(&mut self) {
        while self.is_stale && self.switch.is_none() {
            if self.running.len() < self.limit {
                let next = if self.policy.combines() { self.best() } else { self.waiting.oldest() };
                let Some(next) = next.filter(|next| self.fits(next.kernel)) else { return };
                self.begin(next);
                continue;
            }
            self.is_stale = false;
            if self.policy.preempts() && self.waiting.len() > 0 {
                self.preempt();
            }
        }
    }

    /// Whether a kernel gets a block on a multiprocessor beside the running ones, and they keep one.
    fn fits(&self, kernel: usize) -> bool {
        match &self.running[..] {
            [_, ..] if self.policy == Policy::Partial => {
                let set: Vec<usize> = self.running.iter().map(|running| running.kernel).chain([kernel]).collect();
                self.parts(&set).into_iter().all(|part| part > 0.0)
            }
            _ => true,
        }
    }

    /// Share of its blocks alone that each of several kernels has.
    pub(super) fn parts(&self, set: &[usize]) -> Vec<f64> {
        match set {
            [_] => vec![1.0],
            [first, second] => {
                let beside = |own: usize, other: usize| self.simulator.parts.beside(own, other);
                vec![beside(*first, *second), beside(*second, *first)]
            }
            _ => {
                let mut shared = self.shared.borrow_mut();
                shared.entry(set.to_vec()).or_insert_with(|| parts(self.simulator.study, set)).clone()
            }
        }
    }
}
