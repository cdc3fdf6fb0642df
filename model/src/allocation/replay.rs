//! Tasks that come, wait, run and leave: events one after the other.
//!
//! A task that fits nowhere waits in one of two queues: that of tasks for whose answers somebody waits, which is served first,
//! or that of all others. Whenever a task leaves, waiting tasks that fit now are placed, of each queue in the order in which
//! they came; a later one may pass an earlier one that fits nowhere. A latency-sensitive task that fits nowhere takes what
//! others hold, if that and what is left suffice on a node: they are saved, stopped and wait again, and go on later with what
//! saving and restoring costs (published method of allocation, steps of the control node).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::cluster::{Cluster, Gpus, Lanes, MOST_GPUS, WHOLE};
use super::fragment::Typical;
use super::policy::{Policy, Setting};
use super::score::{Place, Placing};
use super::waits::Waits;
use super::workload::Workload;
use crate::study::Watch;

/// Events between two looks at whether the result is still wanted.
const STEP: usize = 1024;

/// A task that comes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrival {
    /// When it comes, seconds.
    pub at: f64,
    /// What it asks for, by its place in the workload.
    pub request: usize,
    /// How long it runs, seconds.
    pub seconds: f64,
    /// Whether somebody waits for its answers.
    pub is_sensitive: bool,
}

/// What is replayed, and how.
#[derive(Debug, Clone, Copy)]
pub struct Replay<'a> {
    /// The idle cluster.
    pub cluster: &'a Cluster,
    /// What may be asked for.
    pub workload: &'a Workload,
    /// How often each request comes: what is typical.
    pub counts: &'a [usize],
    /// Which node a task gets.
    pub policy: Policy,
    /// Decides what the policy leaves to chance.
    pub seed: u64,
    /// Whether latency-sensitive tasks take what others hold.
    pub does_release: bool,
    /// What saving and restoring a stopped task costs it, seconds.
    pub save_seconds: f64,
}

/// Tasks of one kind: those for whose answers somebody waits, or all others.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Served {
    /// Tasks that ended.
    pub ended: u64,
    /// Tasks that asked for more than any node has.
    pub refused: u64,
    /// Mean time in queues, seconds.
    pub mean_wait: f64,
    /// Time in queues that 99 of 100 do not exceed, seconds, within 6 %.
    pub p99_wait: f64,
    /// Mean of time from coming to ending ÷ time that it runs.
    pub mean_slowdown: f64,
    /// How often one was stopped.
    pub stopped: u64,
}

/// What became of all tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// Tasks for whose answers somebody waits, then all others.
    pub served: [Served; 2],
    /// When the last task ended, seconds.
    pub makespan: f64,
    /// Share of GPU time that tasks had until the last one came.
    pub utilisation: f64,
    /// GPU seconds that tasks had of each type.
    pub gpu_seconds_of: Vec<f64>,
    /// Most tasks that waited at once.
    pub longest_queue: usize,
    /// Most tasks that ran at once.
    pub most_running: usize,
}

/// A task in the cluster or in a queue.
#[derive(Debug, Clone, Copy)]
struct Task {
    arrival: Arrival,
    /// Counts tasks as they come.
    number: u64,
    /// What is left of its work, with what saving cost, seconds.
    left: f64,
    /// Since when it waits, seconds.
    waits_since: f64,
    /// How long it waited before, seconds.
    waited: f64,
}

/// A running task.
#[derive(Debug, Clone, Copy)]
struct Running {
    task: Task,
    place: Place,
    until: f64,
}

/// A point in time; the earlier one is smaller.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Time(f64);

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

/// A replay as it goes on.
struct State<'a> {
    replay: Replay<'a>,
    placing: Placing<'a>,
    random: Pcg64Mcg,
    now: f64,
    /// Running tasks by their place; empty places are used again.
    running: Vec<Option<Running>>,
    free: Vec<usize>,
    /// Tasks on each node, by their place among the running ones.
    on_node: Vec<Vec<usize>>,
    /// When running tasks end, their place and number: one that was stopped is not there any more.
    ends: BinaryHeap<Reverse<(Time, usize, u64)>>,
    /// Waiting tasks of both kinds, for each request.
    queues: [Vec<VecDeque<Task>>; 2],
    waiting: usize,
    /// GPUs of each type that tasks have, in thousandths, and their sums over time, seconds.
    held: Vec<u64>,
    gpu_seconds: Vec<f64>,
    waits: [Waits; 2],
    slowdowns: [f64; 2],
    served: [Served; 2],
    longest_queue: usize,
    most_running: usize,
}

impl Replay<'_> {
    /// Replays tasks that come one after the other; `None` if it was called off. Counts tasks that came.
    #[must_use]
    pub fn run(&self, arrivals: impl IntoIterator<Item = Arrival>, watch: Watch<'_>) -> Option<Replayed> {
        let typical = Typical::new(self.cluster, self.workload, self.counts);
        let setting = Setting { policy: self.policy, workload: self.workload, typical: &typical };
        let requests = self.workload.requests().len();
        let types = self.cluster.shapes.iter().flatten().max().map_or(0, |last| usize::from(*last) + 1);
        let mut state = State {
            replay: *self,
            placing: Placing::new(setting, self.cluster.clone(), true),
            random: Pcg64Mcg::seed_from_u64(self.seed),
            now: 0.0,
            running: Vec::new(),
            free: Vec::new(),
            on_node: vec![Vec::new(); self.cluster.nodes.len()],
            ends: BinaryHeap::new(),
            queues: [(); 2].map(|()| vec![VecDeque::new(); requests]),
            waiting: 0,
            held: vec![0; types],
            gpu_seconds: vec![0.0; types],
            waits: Default::default(),
            slowdowns: [0.0; 2],
            served: [Served::default(); 2],
            longest_queue: 0,
            most_running: 0,
        };
        // What no idle node has, no node ever has.
        let can_run: Vec<bool> = (0..requests)
            .map(|request| self.cluster.nodes.iter().any(|node| self.workload.fits(request, node)))
            .collect();
        for (count, arrival) in arrivals.into_iter().enumerate() {
            state.end_until(arrival.at);
            state.advance(arrival.at);
            if can_run[arrival.request] {
                state.come(Task {
                    arrival,
                    number: count as u64,
                    left: arrival.seconds,
                    waits_since: arrival.at,
                    waited: 0.0,
                });
            } else {
                state.served[kind(&arrival)].refused += 1;
            }
            if (count + 1) % STEP == 0 {
                watch.count(STEP);
                if watch.is_cancelled() {
                    return None;
                }
            }
        }
        let capacity = self.cluster.capacity as f64 / f64::from(WHOLE) * state.now;
        let utilisation = if capacity > 0.0 { state.gpu_seconds.iter().sum::<f64>() / capacity } else { 0.0 };
        state.end_until(f64::INFINITY);
        Some(state.finish(utilisation))
    }
}

/// 0 for tasks for whose answers somebody waits, 1 for all others.
fn kind(arrival: &Arrival) -> usize {
    usize::from(!arrival.is_sensitive)
}

impl State<'_> {
    fn advance(&mut self, to: f64) {
        let seconds = (to - self.now).max(0.0);
        for (sum, held) in self.gpu_seconds.iter_mut().zip(&self.held) {
            *sum += seconds * *held as f64 / f64::from(WHOLE);
        }
        self.now = self.now.max(to);
    }

    /// Lets all tasks end that end by then, and waiting ones begin.
    fn end_until(&mut self, then: f64) {
        while let Some(Reverse((Time(at), place, number))) = self.ends.peek().copied() {
            if at > then {
                break;
            }
            self.ends.pop();
            let is_there =
                self.running[place].is_some_and(|running| running.task.number == number && running.until == at);
            if !is_there {
                continue;
            }
            self.advance(at);
            let Some(Running { task, place, .. }) = self.leave(place) else { continue };
            let kind = kind(&task.arrival);
            self.served[kind].ended += 1;
            self.waits[kind].add(task.waited);
            if task.arrival.seconds > 0.0 {
                self.slowdowns[kind] += (self.now - task.arrival.at) / task.arrival.seconds;
            } else {
                self.slowdowns[kind] += 1.0;
            }
            self.serve(place.node);
        }
    }

    /// A running task leaves its place.
    fn leave(&mut self, place: usize) -> Option<Running> {
        let running = self.running[place].take()?;
        self.free.push(place);
        self.on_node[running.place.node].retain(|other| *other != place);
        for (gpu_type, share) in self.shares(&running) {
            self.held[gpu_type] -= share;
        }
        self.placing.give_back(running.task.arrival.request, running.place);
        Some(running)
    }

    /// What a running task has of each of its GPUs, in thousandths, with their types.
    fn shares(&self, Running { task, place, .. }: &Running) -> Vec<(usize, u64)> {
        let needs = self.needs(task.arrival.request, place.node);
        let cluster = self.replay.cluster;
        let shape = &cluster.shapes[usize::from(cluster.nodes[place.node].shape)];
        place.gpus.places().map(|gpu| (usize::from(shape[gpu]), u64::from(needs[gpu]))).collect()
    }

    fn needs(&self, request: usize, node: usize) -> &Lanes {
        self.replay.workload.needs(request, &self.replay.cluster.nodes[node])
    }

    /// A task comes: it runs, takes what others hold, or waits.
    fn come(&mut self, task: Task) {
        let request = task.arrival.request;
        if let Some(place) = self.placing.place(request, &mut self.random) {
            self.begin(task, place);
            return;
        }
        if task.arrival.is_sensitive && self.replay.does_release {
            let found = (0..self.on_node.len()).find_map(|node| Some((node, self.to_stop(request, node)?)));
            if let Some((node, slots)) = found {
                self.release(task, node, slots);
                return;
            }
        }
        self.wait(task);
    }

    /// Stops others on a node for a task that fits there then; they go on elsewhere, or wait.
    fn release(&mut self, task: Task, node: usize, slots: Vec<usize>) {
        let stopped: Vec<Task> = slots.into_iter().filter_map(|slot| self.stop(slot)).collect();
        match self.placing.place(task.arrival.request, &mut self.random) {
            Some(place) => self.begin(task, place),
            None => self.wait(task),
        }
        for task in stopped {
            match self.placing.place(task.arrival.request, &mut self.random) {
                Some(place) => self.begin(task, place),
                None => self.wait(task),
            }
        }
        self.serve(node);
    }

    /// Puts a task into its queue, in the order in which tasks came.
    fn wait(&mut self, task: Task) {
        let queue = &mut self.queues[kind(&task.arrival)][task.arrival.request];
        let at = queue.partition_point(|other| other.number < task.number);
        queue.insert(at, task);
        self.waiting += 1;
        self.longest_queue = self.longest_queue.max(self.waiting);
    }

    fn begin(&mut self, task: Task, place: Place) {
        let task = Task { waited: task.waited + self.now - task.waits_since, ..task };
        let running = Running { task, place, until: self.now + task.left };
        for (gpu_type, share) in self.shares(&running) {
            self.held[gpu_type] += share;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.running.push(None);
            self.running.len() - 1
        });
        self.running[slot] = Some(running);
        self.on_node[place.node].push(slot);
        self.ends.push(Reverse((Time(running.until), slot, task.number)));
        self.most_running = self.most_running.max(self.running.len() - self.free.len());
    }

    /// Places waiting tasks for which a node has enough now, or has with what others hold there. Nothing else has changed, so
    /// they run there or nowhere.
    fn serve(&mut self, node: usize) {
        for kind in 0..2 {
            while self.waiting > 0 {
                let Some((request, slots)) = self.next(kind, node) else { break };
                let Some(task) = self.queues[kind][request].pop_front() else { break };
                self.waiting -= 1;
                if slots.is_empty() {
                    match self.placing.place(request, &mut self.random) {
                        Some(place) => self.begin(task, place),
                        None => self.wait(task),
                    }
                } else {
                    self.release(task, node, slots);
                    return;
                }
            }
        }
    }

    /// What the task that came first of those asks for that can run on a node now, and what must stop there for it.
    fn next(&self, kind: usize, node: usize) -> Option<(usize, Vec<usize>)> {
        let queues = self.queues[kind].iter().enumerate();
        let mut heads: Vec<(u64, usize)> =
            queues.filter_map(|(request, queue)| Some((queue.front()?.number, request))).collect();
        heads.sort_unstable();
        let left = &self.placing.cluster.nodes[node];
        let fits = |request: usize| self.replay.workload.fits(request, left);
        if let Some((_, request)) = heads.iter().find(|(_, request)| fits(*request)) {
            return Some((*request, Vec::new()));
        }
        let may_release = kind == 0 && self.replay.does_release;
        heads.into_iter().filter(|_| may_release).find_map(|(_, request)| Some((request, self.to_stop(request, node)?)))
    }

    /// Tasks of a node, the last that came first, that must stop so that a request fits; `None` if it never does.
    fn to_stop(&self, request: usize, node: usize) -> Option<Vec<usize>> {
        let workload = self.replay.workload;
        let (asked, needs) = (&workload.requests()[request], self.needs(request, node));
        let mut left = self.placing.cluster.nodes[node];
        let mut others: Vec<(u64, usize, Running)> = self.on_node[node]
            .iter()
            .filter_map(|slot| Some((*slot, self.running[*slot]?)))
            .filter(|(_, running)| !running.task.arrival.is_sensitive)
            .map(|(slot, running)| (running.task.number, slot, running))
            .collect();
        others.sort_unstable_by_key(|(number, ..)| Reverse(*number));
        // The GPUs on which it could run, those with most left first.
        let mut potential = left.left;
        for (_, _, running) in &others {
            let of_other = self.needs(running.task.arrival.request, node);
            for gpu in running.place.gpus.places() {
                potential[gpu] += of_other[gpu];
            }
        }
        let mut able: Vec<usize> = (0..MOST_GPUS).filter(|gpu| potential[*gpu] >= needs[*gpu]).collect();
        able.sort_by_key(|gpu| Reverse(left.left[*gpu]));
        let wanted = able.get(..usize::from(asked.gpus))?;
        let wanted = wanted.iter().fold(Gpus::default(), |gpus, gpu| Gpus(gpus.0 | 1 << gpu));
        let lacks_gpus = |left: &Lanes| wanted.places().any(|gpu| left[gpu] < needs[gpu]);
        let mut stopped = Vec::new();
        for (_, slot, running) in others {
            let is_in_the_way = running.place.gpus.0 & wanted.0 != 0 && lacks_gpus(&left.left);
            let lacks_others = left.cpu_milli < asked.cpu_milli || left.memory_mib < asked.memory_mib;
            if !is_in_the_way && !lacks_others {
                continue;
            }
            let of_other = &workload.requests()[running.task.arrival.request];
            let held = self.needs(running.task.arrival.request, node);
            left.cpu_milli += of_other.cpu_milli;
            left.memory_mib += of_other.memory_mib;
            for gpu in running.place.gpus.places() {
                left.left[gpu] += held[gpu];
            }
            stopped.push(slot);
        }
        workload.fits(request, &left).then_some(stopped)
    }

    /// Saves and stops a running task.
    fn stop(&mut self, slot: usize) -> Option<Task> {
        let Running { task, until, .. } = self.leave(slot)?;
        self.served[kind(&task.arrival)].stopped += 1;
        let left = (until - self.now).max(0.0) + self.replay.save_seconds;
        Some(Task { left, waits_since: self.now, ..task })
    }

    fn finish(self, utilisation: f64) -> Replayed {
        let served = [0, 1].map(|kind| {
            let served = self.served[kind];
            let waits = &self.waits[kind];
            let count = waits.count().max(1) as f64;
            Served {
                mean_wait: waits.mean(),
                p99_wait: waits.quantile(0.99),
                mean_slowdown: if waits.count() == 0 { 1.0 } else { self.slowdowns[kind] / count },
                ..served
            }
        });
        Replayed {
            served,
            makespan: self.now,
            utilisation,
            gpu_seconds_of: self.gpu_seconds,
            longest_queue: self.longest_queue,
            most_running: self.most_running,
        }
    }
}
