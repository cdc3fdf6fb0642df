//! A stream of launches on one GPU under a policy, from event to event.
//!
//! Work is measured in cycles that it takes alone: beside others a kernel does its normalised IPC of them in a cycle. Between
//! events nothing changes its speed, so nothing is lost to steps of time.

#![expect(clippy::cast_possible_truncation, reason = "a study has far fewer launches, kernels and places than 2^31")]

use super::occupancy::residency;
use super::policy::Policy;
use super::stream::Launches;
use super::study::count;
use super::study::{Kernel, Preemption, Rule};
use super::table::{Parts, Rank, Table, parts};
use super::waiting::{Head, Sort, Waiting};
use super::weigh::{Case, Weighed, decay, preempt_cycles, weigh};
use crate::study::Watch;

/// Events between two looks whether the run is still wanted.
const LOOK: u32 = 1 << 16;

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// When each launch was done, cycles, in the order of the stream.
    pub done: Vec<f64>,
    /// How often a kernel left before it was done.
    pub preemptions: u32,
    /// Cycles in which the GPU switched.
    pub switching: f64,
    /// Work that was done and thrown away, cycles alone.
    pub lost: f64,
    /// Cycles in which a kernel ran.
    pub busy: f64,
    /// Cycles in which a kernel ran or was saved or loaded.
    pub occupied: f64,
    /// Work that was done, cycles alone, thrown away or not.
    pub worked: f64,
    /// Events: arrivals, ends, and ends of switches.
    pub events: u64,
}

/// Somebody who looks on.
pub trait Observer {
    /// Whether anybody does; else nothing is prepared for it.
    const LOOKS: bool;
    /// A launch held a place of the GPU.
    fn stayed(&mut self, _: Stay) {}
    /// A preemption was weighed.
    fn decided(&mut self, _: Decision) {}
    /// So many wait from now on.
    fn waits(&mut self, _at: f64, _count: usize) {}
}

impl Observer for () {
    const LOOKS: bool = false;
}

/// A launch on a place of the GPU for a while.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stay {
    /// The launch, by its place in the stream.
    pub launch: u32,
    /// Its kernel, by its place in the study.
    pub kernel: u32,
    /// Which of the places of the GPU, from 0.
    pub place: u8,
    /// From this cycle.
    pub from: f64,
    /// To this one.
    pub to: f64,
    /// What it did there.
    pub what: What,
}

/// What a launch does on its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// It ran, and was done.
    Done,
    /// It ran, and left before it was done.
    Preempted,
    /// Its context was saved, or loaded again.
    Switching,
}

/// Why a kernel left, or did not.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// When, cycles.
    pub at: f64,
    /// The launch that might leave, and its kernel.
    pub leaves: (u32, u32),
    /// The launch that might come, and its kernel.
    pub comes: (u32, u32),
    /// Kernels that stay.
    pub stay: Vec<u32>,
    /// What was weighed, as the scheduler believes it.
    pub case: Case,
    /// What came of it.
    pub weighed: Weighed,
    /// Whether it left.
    pub is_preempted: bool,
}

/// What a policy needs to know of a kernel.
#[derive(Debug, Clone, Copy)]
struct Spec {
    decay: f64,
    miss_rate: f64,
    block_bytes: f64,
    /// Blocks on a full GPU.
    resident: f64,
    blocks: f64,
    waves: f64,
    is_idempotent: bool,
}

/// What holds for all streams of a study.
#[derive(Debug)]
pub struct Ground<'a> {
    study: &'a Preemption,
    table: Table,
    /// With parts of multiprocessors instead of whole ones.
    partial: Table,
    /// Those parts, of two kernels each.
    parts: Parts,
    specs: Vec<Spec>,
}

impl<'a> Ground<'a> {
    /// Of a valid study.
    #[must_use]
    pub fn new(study: &'a Preemption) -> Self {
        let table = Table::new(study);
        let parts = Parts::new(study);
        let partial = table.partial(&parts);
        let spec = |kernel: &Kernel| {
            let found = residency(&study.gpu, kernel);
            Spec {
                decay: decay(&study.rule, kernel.class),
                miss_rate: kernel.miss_rate,
                block_bytes: kernel.register_bytes + kernel.shared_bytes,
                resident: found.as_ref().map_or(1.0, |found| found.resident),
                blocks: kernel.blocks,
                waves: found.as_ref().map_or(1.0, |found| found.waves),
                is_idempotent: kernel.is_idempotent,
            }
        };
        Self { specs: study.kernels.iter().map(spec).collect(), study, table, partial, parts }
    }

    /// Kernels of the study.
    pub(super) fn kernels(&self) -> usize {
        self.specs.len()
    }

    /// At most so many kernels share the GPU.
    pub(super) fn limit(&self) -> usize {
        count(self.study.rule.limit)
    }

    /// How fast kernels run beside each other.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Runs a stream under a policy; `None` if it was called off.
    pub fn run<O: Observer>(
        &self,
        launches: &Launches,
        policy: Policy,
        observer: &mut O,
        watch: Watch<'_>,
    ) -> Option<Run> {
        if policy == Policy::Slicing {
            return self.sliced(launches, observer, watch);
        }
        let limit = if policy == Policy::Exclusive { 1 } else { self.limit() };
        let table = if policy == Policy::Partial { &self.partial } else { &self.table };
        let mut simulation = Simulation {
            ground: self,
            rule: &self.study.rule,
            table,
            launches,
            policy,
            limit,
            now: launches.comes.first().copied().unwrap_or(0.0),
            running: Vec::with_capacity(limit),
            waiting: Waiting::new(self.specs.len(), launches.len()),
            left: launches.cycles.clone(),
            switch: None,
            coming: 0,
            is_stale: false,
            run: Run::of(launches.len()),
            observer,
        };
        simulation.go(watch)?;
        Some(simulation.run)
    }

    /// One kernel at a time, each for a time slice in turn.
    fn sliced<O: Observer>(&self, launches: &Launches, observer: &mut O, watch: Watch<'_>) -> Option<Run> {
        let rule = &self.study.rule;
        let mut run = Run::of(launches.len());
        let mut left = launches.cycles.clone();
        let mut turn: std::collections::VecDeque<u32> = std::collections::VecDeque::new();
        let mut now = 0.0;
        let mut coming = 0;
        let mut before: Option<u32> = None;
        loop {
            if turn.is_empty() {
                let Some(next) = launches.comes.get(coming) else {
                    run.occupied = run.busy + run.switching;
                    return Some(run);
                };
                now = next.max(now);
            }
            let admit = |now: f64, coming: &mut usize, turn: &mut std::collections::VecDeque<u32>, run: &mut Run| {
                while launches.comes.get(*coming).is_some_and(|comes| *comes <= now) {
                    turn.push_back(*coming as u32);
                    *coming += 1;
                    run.events += 1;
                }
            };
            admit(now, &mut coming, &mut turn, &mut run);
            let Some(launch) = turn.pop_front() else { continue };
            let place = launch as usize;
            let kernel = launches.kernel[place];
            let spec = &self.specs[kernel as usize];
            if rule.restore > 0.0 && left[place] < launches.cycles[place] && before != Some(launch) {
                let loading =
                    rule.restore * preempt_cycles(rule, 0.0, spec.context(left[place], launches.cycles[place]));
                observer.stayed(Stay { launch, kernel, place: 0, from: now, to: now + loading, what: What::Switching });
                now += loading;
                run.switching += loading;
            }
            let from = now;
            // Alone nothing is decided before the next one comes.
            let mut slice = rule.slice_cycles.min(left[place]);
            if turn.is_empty() {
                let next = launches.comes.get(coming).map_or(f64::INFINITY, |comes| comes - now);
                slice = left[place].min(slice.max(next));
            }
            now += slice;
            left[place] -= slice;
            run.busy += slice;
            run.worked += slice;
            run.events += 1;
            if run.events.is_multiple_of(u64::from(LOOK)) && watch.is_cancelled() {
                return None;
            }
            admit(now, &mut coming, &mut turn, &mut run);
            let is_done = left[place] <= 0.0;
            let leaves = !is_done && !turn.is_empty();
            let what = if is_done { What::Done } else { What::Preempted };
            observer.stayed(Stay { launch, kernel, place: 0, from, to: now, what });
            before = Some(launch);
            if is_done {
                run.done[place] = now;
            } else if leaves {
                let saving = preempt_cycles(rule, 0.0, spec.context(left[place], launches.cycles[place]));
                observer.stayed(Stay { launch, kernel, place: 0, from: now, to: now + saving, what: What::Switching });
                now += saving;
                run.switching += saving;
                run.preemptions += 1;
                turn.push_back(launch);
            } else {
                turn.push_back(launch);
            }
            if O::LOOKS {
                observer.waits(now, turn.len());
            }
        }
    }
}

impl Spec {
    /// Bytes of the blocks that are resident with so much work left of it all.
    fn context(&self, left: f64, all: f64) -> f64 {
        self.block_bytes * self.resident.min((self.blocks * left / all).ceil())
    }
}

impl Run {
    fn of(launches: usize) -> Self {
        Self {
            done: vec![f64::NAN; launches],
            preemptions: 0,
            switching: 0.0,
            lost: 0.0,
            busy: 0.0,
            occupied: 0.0,
            worked: 0.0,
            events: 0,
        }
    }
}

/// A launch that runs.
#[derive(Debug, Clone, Copy)]
struct Running {
    launch: u32,
    kernel: usize,
    place: u8,
    since: f64,
    /// Work left, cycles alone.
    left: f64,
    /// Work left, as the scheduler believes.
    believed: f64,
    /// Normalised IPC beside the others.
    normalised: f64,
    /// What it does in a cycle now: the same, but for a switch beside it.
    rate: f64,
}

/// A kernel on its way in.
#[derive(Debug, Clone, Copy)]
enum Switch {
    /// A context is saved or loaded until then; afterwards the launch begins.
    Copying { until: f64, from: f64, place: u8, leaves: Option<u32>, comes: Head },
    /// The launch that runs ends its resident blocks: what is left of it then.
    Draining { launch: u32, left: f64, comes: Head },
}

struct Simulation<'a, O> {
    ground: &'a Ground<'a>,
    rule: &'a Rule,
    table: &'a Table,
    launches: &'a Launches,
    policy: Policy,
    limit: usize,
    now: f64,
    running: Vec<Running>,
    waiting: Waiting,
    /// Work left of those that do not run.
    left: Vec<f64>,
    switch: Option<Switch>,
    /// The next launch that comes.
    coming: usize,
    /// Whether something changed since the last decision.
    is_stale: bool,
    run: Run,
    observer: &'a mut O,
}

/// What happens next.
enum Event {
    Comes,
    Done(usize),
    Drained(usize),
    Switched,
}

impl<O: Observer> Simulation<'_, O> {
    fn go(&mut self, watch: Watch<'_>) -> Option<()> {
        let mut looks = 0;
        while let Some((at, event)) = self.next() {
            self.advance(at);
            self.run.events += 1;
            looks += 1;
            if looks == LOOK {
                looks = 0;
                if watch.is_cancelled() {
                    return None;
                }
            }
            match event {
                Event::Comes => self.comes(),
                Event::Done(index) => self.done(index),
                Event::Drained(index) => self.drained(index),
                Event::Switched => self.switched(),
            }
            self.decide();
            if O::LOOKS {
                self.observer.waits(self.now, self.waiting.len());
            }
        }
        Some(())
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
        if let Some(comes) = self.launches.comes.get(self.coming) {
            sooner(*comes, Event::Comes);
        }
        found
    }

    /// Lets everything run until then.
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
            running.believed -= work;
            self.run.worked += work;
        }
    }

    fn comes(&mut self) {
        let launch = self.coming as u32;
        self.waiting.push(self.launches.kernel[self.coming], Sort::New, launch);
        self.coming += 1;
        self.is_stale = true;
    }

    fn done(&mut self, index: usize) {
        // What rounding left of it is done too.
        self.run.worked += self.running[index].left;
        let running = self.leave(index, What::Done);
        self.run.done[running.launch as usize] = self.now;
        if let Some(Switch::Draining { .. }) = self.switch {
            // There is room now without anybody leaving.
            self.switch = None;
        }
        self.speeds();
    }

    /// A launch leaves its place.
    fn leave(&mut self, index: usize, what: What) -> Running {
        let running = self.running.swap_remove(index);
        if O::LOOKS {
            self.observer.stayed(Stay {
                launch: running.launch,
                kernel: running.kernel as u32,
                place: running.place,
                from: running.since,
                to: self.now,
                what,
            });
        }
        self.is_stale = true;
        running
    }

    fn drained(&mut self, index: usize) {
        let Some(Switch::Draining { comes, left, .. }) = self.switch.take() else { return };
        self.running[index].left = left;
        self.put_back(index);
        self.begin(comes);
    }

    /// A launch leaves before it is done, and waits.
    fn put_back(&mut self, index: usize) {
        let running = self.leave(index, What::Preempted);
        self.left[running.launch as usize] = running.left;
        self.run.preemptions += 1;
        self.waiting.push(running.kernel as u32, Sort::Preempted, running.launch);
    }

    fn switched(&mut self) {
        let Some(Switch::Copying { from, place, leaves, comes, .. }) = self.switch.take() else { return };
        if O::LOOKS {
            let launch = leaves.unwrap_or(comes.launch);
            let kernel = self.launches.kernel[launch as usize];
            self.observer.stayed(Stay { launch, kernel, place, from, to: self.now, what: What::Switching });
        }
        if let Some(launch) = leaves {
            self.waiting.push(self.launches.kernel[launch as usize], Sort::Preempted, launch);
        }
        self.start(comes.kernel, comes.launch);
    }

    /// Takes a waiting launch and lets it run, at once or when its context is loaded again.
    fn begin(&mut self, comes: Head) {
        self.waiting.pop(comes.kernel, comes.sort);
        let cost = self.cost_of_beginning(comes);
        if cost > 0.0 {
            let place = self.free_place();
            let until = self.now + cost;
            self.copying(Switch::Copying { until, from: self.now, place, leaves: None, comes }, cost);
        } else {
            self.start(comes.kernel, comes.launch);
        }
    }

    fn cost_of_beginning(&self, Head { kernel, sort, launch }: Head) -> f64 {
        let mut cost = 0.0;
        if sort == Sort::Preempted && self.rule.restore > 0.0 {
            let all = self.launches.cycles[launch as usize];
            let bytes = self.ground.specs[kernel].context(self.left[launch as usize], all);
            cost += self.rule.restore * preempt_cycles(self.rule, self.miss_rate(None), bytes);
        }
        if self.policy == Policy::Partial && !self.running.is_empty() {
            cost += self.cost_of_parts(kernel);
        }
        cost
    }

    /// Cycles in which those that run give up blocks for a newcomer.
    fn cost_of_parts(&self, kernel: usize) -> f64 {
        let given_up = |place: usize, part: f64| {
            let spec = &self.ground.specs[place];
            part.max(0.0) * spec.resident * spec.block_bytes
        };
        if let [one] = &self.running[..] {
            let bytes = given_up(one.kernel, 1.0 - self.ground.parts.beside(one.kernel, kernel));
            return preempt_cycles(self.rule, self.miss_rate(None), bytes);
        }
        let before: Vec<usize> = self.running.iter().map(|running| running.kernel).collect();
        let after: Vec<usize> = before.iter().copied().chain([kernel]).collect();
        let (has, keeps) = (parts(self.ground.study, &before), parts(self.ground.study, &after));
        let bytes =
            before.iter().zip(has.iter().zip(&keeps)).map(|(place, (has, keeps))| given_up(*place, has - keeps));
        preempt_cycles(self.rule, self.miss_rate(None), bytes.sum())
    }

    /// Miss rate of those that stay, on average.
    fn miss_rate(&self, leaves: Option<usize>) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for (index, running) in self.running.iter().enumerate() {
            if Some(index) != leaves {
                sum += self.ground.specs[running.kernel].miss_rate;
                count += 1.0;
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }

    fn copying(&mut self, switch: Switch, cost: f64) {
        self.switch = Some(switch);
        self.run.switching += cost;
        for running in &mut self.running {
            running.rate = running.normalised * self.ground.specs[running.kernel].decay;
        }
    }

    fn free_place(&self) -> u8 {
        let mut places = 0_u16;
        for running in &self.running {
            places |= 1 << running.place;
        }
        places.trailing_ones() as u8
    }

    fn start(&mut self, kernel: usize, launch: u32) {
        let place = self.free_place();
        let at = launch as usize;
        let left = self.left[at];
        let believed = self.launches.believed[at] - (self.launches.cycles[at] - left);
        self.running.push(Running {
            launch,
            kernel,
            place,
            since: self.now,
            left,
            believed,
            normalised: 1.0,
            rate: 1.0,
        });
        self.is_stale = true;
        self.speeds();
    }

    /// How fast everything that runs is now.
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
                let parts = (self.policy == Policy::Partial).then(|| parts(self.ground.study, &set));
                for (index, running) in self.running.iter_mut().enumerate() {
                    let others = set.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, kernel)| *kernel);
                    running.normalised = match &parts {
                        None => self.table.beside(running.kernel, others),
                        Some(parts) => self.ground.table.beside(running.kernel, others).min(parts[index]),
                    };
                }
            }
        }
        let is_switching = matches!(self.switch, Some(Switch::Copying { .. }));
        for running in &mut self.running {
            let decay = if is_switching { self.ground.specs[running.kernel].decay } else { 1.0 };
            running.rate = running.normalised * decay;
        }
    }

    /// What the policy does now.
    fn decide(&mut self) {
        while self.is_stale && self.switch.is_none() {
            if self.running.len() < self.limit {
                let next = if self.policy.combines() { self.best() } else { self.waiting.oldest() };
                let Some(next) = next else { return };
                self.begin(next);
                continue;
            }
            self.is_stale = false;
            if self.policy.preempts() && self.waiting.len() > 0 {
                self.preempt();
            }
        }
    }

    /// What combines best with those that run; of equal ones preempted launches, then the first that came.
    fn best(&self) -> Option<Head> {
        if self.waiting.len() == 0 {
            return None;
        }
        let mut best: Option<(Rank, Head)> = None;
        for kernel in 0..self.ground.specs.len() {
            let Some(head) = self.waiting.first(kernel) else { continue };
            let (rank, _) = self.combination(None, Some(kernel));
            if best.is_none_or(|other| comes_first((rank, head), other)) {
                best = Some((rank, head));
            }
        }
        best.map(|(_, next)| next)
    }

    /// What those that run count without one of them and with another kernel, and the sum of their normalised IPC.
    fn combination(&self, without: Option<usize>, with: Option<usize>) -> (Rank, f64) {
        // Two are the rule.
        let alone = match (&self.running[..], without) {
            ([one], None) | ([_, one], Some(0)) | ([one, _], Some(1)) => Some(one.kernel),
            _ => None,
        };
        if let (Some(one), Some(with)) = (alone, with) {
            let sum = self.table.normalised(one, with) + self.table.normalised(with, one);
            return (self.table.rank([one, with].into_iter(), sum), sum);
        }
        let stay = |index: &usize| Some(*index) != without;
        let set = || {
            let staying = (0..self.running.len()).filter(stay).map(|index| self.running[index].kernel);
            staying.chain(with)
        };
        let mut sum = 0.0;
        for (place, kernel) in set().enumerate() {
            let others = set().enumerate().filter(|(other, _)| *other != place).map(|(_, other)| other);
            sum += self.table.beside(kernel, others);
        }
        (self.table.rank(set(), sum), sum)
    }

    /// Preempts one that runs for one that waits, if the policy wants that.
    fn preempt(&mut self) {
        let (current, before_sum) = self.combination(None, None);
        let mut best: Option<(Rank, Head)> = None;
        let (mut leaves, mut after_sum) = (0, 0.0);
        for index in 0..self.running.len() {
            let of = &self.running[index];
            if self.policy == Policy::Flushing && !self.ground.specs[of.kernel].is_idempotent {
                continue;
            }
            for kernel in 0..self.ground.specs.len() {
                let Some(head) = self.waiting.first(kernel) else { continue };
                let (rank, sum) = self.combination(Some(index), Some(kernel));
                if rank > current && best.is_none_or(|other| comes_first((rank, head), other)) {
                    best = Some((rank, head));
                    (leaves, after_sum) = (index, sum);
                }
            }
        }
        let Some((_, comes)) = best else { return };
        match self.policy {
            Policy::Draining => self.drain(leaves, comes),
            Policy::Flushing => self.flush(leaves, comes),
            _ => self.swap(leaves, comes, [before_sum, after_sum]),
        }
    }

    fn swap(&mut self, index: usize, comes: Head, [before_sum, after_sum]: [f64; 2]) {
        let leaves = self.running[index];
        let all = self.launches.cycles[leaves.launch as usize];
        let bytes = self.ground.specs[leaves.kernel].context(leaves.left, all);
        let mut cost = preempt_cycles(self.rule, self.miss_rate(Some(index)), bytes);
        if comes.sort == Sort::Preempted && self.rule.restore > 0.0 {
            let at = comes.launch as usize;
            let bytes = self.ground.specs[comes.kernel].context(self.left[at], self.launches.cycles[at]);
            cost += self.rule.restore * preempt_cycles(self.rule, self.miss_rate(Some(index)), bytes);
        }
        let staying = self.running.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, of)| of);
        let case = Case {
            rest_cycles: self
                .running
                .iter()
                .map(|running| running.believed.max(0.0) / running.normalised)
                .fold(f64::INFINITY, f64::min),
            before_sum,
            during_sum: staying.clone().map(|of| of.normalised * self.ground.specs[of.kernel].decay).sum(),
            after_sum,
            preempt_cycles: cost,
        };
        let weighed = weigh(&case, self.rule.gain);
        let is_preempted = self.policy != Policy::Weighing || weighed.pays();
        if O::LOOKS {
            let stay = staying.map(|of| of.kernel as u32).collect();
            self.observer.decided(Decision {
                at: self.now,
                leaves: (leaves.launch, leaves.kernel as u32),
                comes: (comes.launch, comes.kernel as u32),
                stay,
                case,
                weighed,
                is_preempted,
            });
        }
        if !is_preempted {
            return;
        }
        let running = self.leave(index, What::Preempted);
        self.left[running.launch as usize] = running.left;
        self.run.preemptions += 1;
        self.waiting.pop(comes.kernel, comes.sort);
        let until = self.now + cost;
        let leaves = Some(running.launch);
        self.copying(Switch::Copying { until, from: self.now, place: running.place, leaves, comes }, cost);
    }

    /// Work of a launch since its blocks on the GPU began, and of a whole wave of blocks.
    fn in_wave(&self, running: &Running) -> (f64, f64) {
        let all = self.launches.cycles[running.launch as usize];
        let wave = all / self.ground.specs[running.kernel].waves;
        let done = all - running.left;
        // What is a whole number of waves but for rounding has just begun the next.
        let waves = (done / wave + 1e-9).floor();
        ((done - waves * wave).max(0.0), wave)
    }

    fn drain(&mut self, index: usize, comes: Head) {
        let running = self.running[index];
        let (done, wave) = self.in_wave(&running);
        let left = running.left - (wave - done);
        // Its last blocks: it is done as soon as it would have left.
        if left > 1e-9 * wave {
            self.switch = Some(Switch::Draining { launch: running.launch, left, comes });
        }
    }

    fn flush(&mut self, index: usize, comes: Head) {
        let (lost, _) = self.in_wave(&self.running[index]);
        self.running[index].left += lost;
        self.run.lost += lost;
        self.put_back(index);
        self.begin(comes);
    }
}

/// Whether a combination comes before another: the better, then preempted launches, then the first that came.
fn comes_first((rank, head): (Rank, Head), (other, of): (Rank, Head)) -> bool {
    let key = |head: Head| (head.sort != Sort::Preempted, head.launch);
    rank > other || (rank == other && key(head) < key(of))
}
