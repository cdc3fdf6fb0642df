//! The state of a replay: the cluster, running tasks and their events.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::super::amount::{THOUSANDTH, changed};
use super::super::cluster::{Cluster, Gpus, Lanes, Node};
use super::super::policy::Setting;
use super::super::score::{Place, Placing};
use super::super::workload::is_shared;
use super::log::{Log, ShareChange, TaskRun};
use super::served::{Counters, Replayed};
use super::{Arrival, Replay, STEP};
use crossover_study::Watch;

/// Separates the seed of a policy's choices from that of arrivals.
pub(in super::super) const CHOICES: u64 = 0x9e37_79b9_7f4a_7c15;

/// A task in the cluster or in a queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    pub(super) arrival: Arrival,
    /// Number in the order of arrival.
    pub(super) number: u64,
    /// Remaining work, seconds alone on a GPU of speed 1.
    pub(super) left: f64,
    /// Start of the present wait, seconds.
    pub(super) waits_since: f64,
    /// Earlier waits, seconds.
    pub(super) waited: f64,
    /// Time to checkpoint and restore it when it continues, seconds.
    pub(super) restore: f64,
}

/// A running task.
#[derive(Debug, Clone)]
pub(super) struct Running {
    pub(super) task: Task,
    pub(super) places: Vec<Place>,
    /// Share beyond the request, of the only GPU of its only piece, in units; negative if its share was reduced.
    pub(super) extra: i32,
    /// Times of its changes with `extra` from then on; empty if nothing is logged.
    pub(super) changes: Vec<(f64, i32)>,
    /// Start on these places, seconds.
    pub(super) began: f64,
    /// Work done until `since`, seconds of work.
    pub(super) done: f64,
    pub(super) since: f64,
    /// Work per second; and alone with the requested share.
    pub(super) rate: f64,
    pub(super) own_rate: f64,
    /// End if nothing changes, seconds.
    pub(super) until: f64,
    /// Whether a sample is scheduled, and the number of samples so far.
    pub(super) is_monitored: bool,
    pub(super) samples: u32,
}

/// A time with a total order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Time(f64);

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// An event of a running task; at equal times, ends come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EventKind {
    End,
    Sample,
}

/// The state of a replay.
pub(super) struct ReplayState<'a> {
    pub(super) replay: Replay<'a>,
    pub(super) placing: Placing<'a>,
    random: Pcg64Mcg,
    pub(super) now: f64,
    /// Running tasks by slot; empty slots are reused.
    pub(super) running: Vec<Option<Running>>,
    free: Vec<usize>,
    /// Tasks on each node, by slot.
    pub(super) on_node: Vec<BTreeSet<usize>>,
    /// Nodes while nothing runs.
    idle: Vec<Node>,
    /// Nodes without the tasks that may be preempted.
    pub(super) potential: Vec<Node>,
    /// Events with slot and number of their task; the task may have left meanwhile.
    events: BinaryHeap<Reverse<(Time, EventKind, usize, u64)>>,
    /// Waiting tasks of both kinds, for each request.
    pub(super) queues: [Vec<VecDeque<Task>>; 2],
    pub(super) waiting: [u32; 2],
    /// Allocated GPUs of each type, in units, and their sums over time, seconds.
    allocated: Vec<i64>,
    gpu_seconds: Vec<f64>,
    pub(super) counts: [Counters; 2],
    pub(super) longest_queue: u32,
    most_running: usize,
    pub(super) log: Log,
}

impl Task {
    /// A task on arrival.
    pub(super) fn new(arrival: Arrival, number: u64) -> Self {
        Self { arrival, number, left: arrival.seconds, waits_since: arrival.at, waited: 0.0, restore: 0.0 }
    }

    /// 0 for latency-sensitive tasks, 1 for all others.
    pub(super) fn kind(&self) -> usize {
        usize::from(!self.arrival.is_sensitive)
    }
}

impl<'a> ReplayState<'a> {
    /// The state before the first arrival. `ordered`: the idle cluster, in the order in which equal nodes are chosen.
    pub(super) fn new(replay: Replay<'a>, ordered: &Cluster) -> Self {
        let requests = replay.workload.requests().len();
        let types = ordered.shapes.iter().flatten().max().map_or(0, |last| usize::from(*last) + 1);
        let setting = Setting::new(replay.policy, replay.workload, replay.typical, ordered);
        Self {
            placing: Placing::new(setting, ordered.clone(), true),
            // Other random numbers than those of arrivals.
            random: Pcg64Mcg::seed_from_u64(replay.seed ^ CHOICES),
            now: 0.0,
            running: Vec::new(),
            free: Vec::new(),
            on_node: vec![BTreeSet::new(); ordered.nodes.len()],
            potential: ordered.nodes.clone(),
            idle: ordered.nodes.clone(),
            events: BinaryHeap::new(),
            queues: [(); 2].map(|()| vec![VecDeque::new(); requests]),
            waiting: [0; 2],
            allocated: vec![0; types],
            gpu_seconds: vec![0.0; types],
            counts: [Counters::default(), Counters::default()],
            longest_queue: 0,
            most_running: 0,
            log: Log::default(),
            replay,
        }
    }

    pub(super) fn now(&self) -> f64 {
        self.now
    }

    /// GPU seconds that tasks had so far.
    pub(super) fn gpu_seconds(&self) -> f64 {
        self.gpu_seconds.iter().sum()
    }

    /// Whether all pieces of a task fit the idle cluster together.
    pub(super) fn fits_when_idle(&mut self, request: usize) -> bool {
        let Some(places) = self.placing.place_all(request, &mut Pcg64Mcg::seed_from_u64(0)) else { return false };
        for place in places {
            self.placing.release(request, place);
        }
        true
    }

    /// Rejects a task that does not fit the idle cluster.
    pub(super) fn reject(&mut self, arrival: &Arrival) {
        self.counts[usize::from(!arrival.is_sensitive)].served.rejected += 1.0;
    }

    pub(super) fn advance(&mut self, to: f64) {
        let seconds = (to - self.now).max(0.0);
        for (sum, allocated) in self.gpu_seconds.iter_mut().zip(&self.allocated) {
            // In thousandths, as the reference computes it.
            *sum += seconds * (*allocated as f64 / f64::from(THOUSANDTH)) / 1e3;
        }
        self.now = self.now.max(to);
    }

    /// Processes all events until a time; `None` if it was cancelled.
    pub(super) fn end_until(&mut self, then: f64, watch: Watch<'_>) -> Option<()> {
        let mut events = 0;
        while let Some(Reverse((Time(at), kind, slot, number))) = self.events.peek().copied() {
            if at > then {
                break;
            }
            self.events.pop();
            events += 1;
            if events % STEP == 0 && watch.is_cancelled() {
                return None;
            }
            let Some(running) = self.running[slot].as_ref().filter(|running| running.task.number == number) else {
                continue;
            };
            match kind {
                EventKind::End if running.until == at => {
                    self.advance(at);
                    self.end(slot);
                }
                // Its rate has changed meanwhile.
                EventKind::End => {}
                EventKind::Sample => {
                    self.advance(at);
                    self.sample(slot);
                }
            }
        }
        Some(())
    }

    fn end(&mut self, slot: usize) {
        let Some(Running { task, places, .. }) = self.remove(slot, true) else { return };
        let of_request = &self.replay.sharing.requests[task.arrival.request];
        let count = &mut self.counts[task.kind()];
        let took = self.now - task.arrival.at;
        count.end(task.waited, task.arrival.seconds, took, of_request.slo_factor);
        if self.is_throttled(&task, places[0]) {
            self.counts[task.kind()].served.throttled += 1.0;
        }
        for place in &places {
            self.restore_shares(*place);
        }
        self.serve(places.iter().map(|place| place.node).collect());
    }

    /// Removes a running task from its places.
    pub(super) fn remove(&mut self, slot: usize, is_end: bool) -> Option<Running> {
        let running = self.running[slot].take()?;
        self.free.push(slot);
        let request = running.task.arrival.request;
        for place in &running.places {
            self.on_node[place.node].remove(&slot);
            self.count_allocated(&running, *place, -1);
            self.placing.release_changed(request, *place, running.extra);
            if running.task.arrival.is_sensitive {
                let needs = *self.needs(request, place.node);
                let requested = &self.replay.workload.requests()[request];
                let potential = &mut self.potential[place.node];
                potential.cpu_milli += requested.cpu_milli;
                potential.memory_mib += requested.memory_mib;
                let memory = self.replay.workload.memory(request, potential);
                potential.release_memory(memory, place.gpus);
                for gpu in place.gpus.places() {
                    potential.left[gpu] += changed(needs[gpu], running.extra);
                }
            }
            self.log(&running, *place, is_end);
        }
        for place in &running.places {
            self.update_neighbours(*place, slot);
        }
        Some(running)
    }

    /// Adds the GPUs of a task on a place to the allocated ones, or subtracts them (−1).
    fn count_allocated(&mut self, running: &Running, place: Place, sign: i64) {
        let needs = *self.needs(running.task.arrival.request, place.node);
        let shape = &self.replay.cluster.shapes[usize::from(self.placing.cluster().nodes[place.node].shape)];
        for gpu in place.gpus.places() {
            let share = i64::from(needs[gpu]) + i64::from(running.extra);
            self.allocated[usize::from(shape[gpu])] += sign * share;
        }
    }

    /// Increases the GPU share of a running task, or reduces it if `more` is negative.
    pub(super) fn adjust(&mut self, slot: usize, more: i32) {
        let Some(running) = self.running[slot].as_mut() else { return };
        running.extra += more;
        if self.replay.most_logged > 0 {
            // Several steps at one time are one change.
            running.changes.pop_if(|(at, _)| *at == self.now);
            running.changes.push((self.now, running.extra));
        }
        let (Place { node, gpus }, is_sensitive) = (running.places[0], running.task.arrival.is_sensitive);
        let shape = &self.replay.cluster.shapes[usize::from(self.placing.cluster().nodes[node].shape)];
        for gpu in gpus.places() {
            self.allocated[usize::from(shape[gpu])] += i64::from(more);
            if is_sensitive {
                let left = &mut self.potential[node].left[gpu];
                *left = changed(*left, -more);
            }
            self.placing.adjust(node, gpu, more);
        }
    }

    fn log(&mut self, running: &Running, place: Place, is_end: bool) {
        let most = self.replay.most_logged;
        if self.log.task_runs.len() >= most || self.log.changes.len() >= most {
            self.log.is_truncated |= most > 0;
            return;
        }
        let Task { arrival, number, .. } = running.task;
        if let Some(gpu) = place.gpus.places().next() {
            let (needed, task_run) = (self.needs(arrival.request, place.node)[gpu], self.log.task_runs.len());
            // A change at its end has no effect.
            let changes = running.changes.iter().filter(|(at, _)| *at < self.now);
            let change = |(at, extra): &(f64, i32)| ShareChange { task_run, at: *at, share: changed(needed, *extra) };
            self.log.changes.extend(changes.map(change));
        }
        self.log.task_runs.push(TaskRun {
            task: number,
            request: arrival.request,
            is_sensitive: arrival.is_sensitive,
            arrived: arrival.at,
            from: running.began,
            until: self.now,
            place,
            is_end,
        });
    }

    /// Share of every GPU of a node that a request needs.
    pub(super) fn needs(&self, request: usize, node: usize) -> &'a Lanes {
        self.replay.workload.needs(request, &self.potential[node])
    }

    /// Whether a request is for one piece with a share of one GPU: only such shares are increased or reduced.
    pub(super) fn is_single_share(&self, request: usize, node: usize) -> bool {
        let workload = self.replay.workload;
        workload.pieces(request) == 1 && is_shared(&workload.requests()[request], self.needs(request, node))
    }

    /// A task arrives: it runs, preempts others, or waits.
    pub(super) fn arrive(&mut self, task: Task) {
        if let Some(task) = self.try_to_run(task) {
            match self.find_preemption(&task) {
                Some((_, slots)) => {
                    let nodes = self.preempt(task, &slots);
                    self.serve(nodes);
                }
                None => self.enqueue(task),
            }
        }
    }

    /// Starts a task; returns it if it fits no node.
    pub(super) fn try_to_run(&mut self, task: Task) -> Option<Task> {
        match self.placing.place_all(task.arrival.request, &mut self.random) {
            Some(places) => self.start(task, places),
            None => return Some(task),
        }
        None
    }

    fn start(&mut self, task: Task, places: Vec<Place>) {
        let task = Task { waited: task.waited + self.now - task.waits_since, ..task };
        let request = task.arrival.request;
        let slot = self.free.pop().unwrap_or_else(|| {
            self.running.push(None);
            self.running.len() - 1
        });
        let running = Running {
            task,
            places,
            extra: 0,
            changes: Vec::new(),
            began: self.now,
            done: 0.0,
            since: self.now,
            rate: 0.0,
            own_rate: 0.0,
            until: f64::INFINITY,
            is_monitored: false,
            samples: 0,
        };
        for place in &running.places {
            self.count_allocated(&running, *place, 1);
            self.on_node[place.node].insert(slot);
            if task.arrival.is_sensitive {
                let needs = *self.needs(request, place.node);
                let requested = &self.replay.workload.requests()[request];
                let potential = &mut self.potential[place.node];
                potential.cpu_milli -= requested.cpu_milli;
                potential.memory_mib -= requested.memory_mib;
                let memory = self.replay.workload.memory(request, potential);
                potential.take_memory(memory, place.gpus);
                for gpu in place.gpus.places() {
                    potential.left[gpu] -= needs[gpu];
                }
            }
        }
        let places = if self.replay.sharing.do_interfere() { running.places.clone() } else { Vec::new() };
        let (_, own_rate) = self.rates(slot, &running);
        let left = task.left + task.restore * own_rate;
        self.running[slot] = Some(Running { task: Task { left, restore: 0.0, ..task }, ..running });
        self.most_running = self.most_running.max(self.running.len() - self.free.len());
        self.update_rate(slot);
        for place in places {
            self.update_neighbours(place, slot);
        }
    }

    /// Adds the event of an end.
    pub(super) fn push_end(&mut self, slot: usize, until: f64, number: u64) {
        self.events.push(Reverse((Time(until), EventKind::End, slot, number)));
    }

    /// Adds the event of a sample.
    pub(super) fn push_sample(&mut self, slot: usize, at: f64, number: u64) {
        self.events.push(Reverse((Time(at), EventKind::Sample, slot, number)));
    }

    /// The results. `nodes`: the former index of each node.
    pub(super) fn finish(mut self, nodes: &[usize], arrival_seconds: f64, utilisation: f64) -> Replayed {
        debug_assert_eq!(self.waiting, [0; 2], "a task waits for ever");
        debug_assert_eq!(self.placing.cluster().nodes, self.idle, "capacity was allocated twice or is lost");
        debug_assert_eq!(self.potential, self.idle, "capacity was allocated twice or is lost");
        for task_run in &mut self.log.task_runs {
            task_run.place.node = nodes[task_run.place.node];
        }
        Replayed {
            served: self.counts.map(Counters::finish),
            makespan: self.now,
            arrival_seconds,
            utilisation,
            gpu_seconds_of: self.gpu_seconds,
            longest_queue: f64::from(self.longest_queue),
            most_running: self.most_running as f64,
            standard_deviation: [0.0; 2],
            log: self.log,
        }
    }
}

/// Whether two tasks share a GPU of a node.
pub(super) fn do_share_gpu(places: &[Place], node: usize, gpus: Gpus) -> bool {
    places.iter().any(|place| place.node == node && place.gpus.0 & gpus.0 != 0)
}
