//! Queues, and what runs where.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::super::cluster::{Cluster, Gpus, Lanes, Node, WHOLE};
use super::super::policy::Setting;
use super::super::score::{Place, Placing};
use super::super::workload::is_shared;
use super::log::{Log, Queued, Stay};
use super::served::{Count, Replayed};
use super::{Arrival, Replay, STEP};
use crossover_study::Watch;

/// Makes the seed of a rule's choices another one than that of arrivals.
const CHOICES: u64 = 0x9e37_79b9_7f4a_7c15;

/// A task in the cluster or in a queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    pub(super) arrival: Arrival,
    /// Counts tasks as they come.
    pub(super) number: u64,
    /// What is left of its work, seconds alone on a GPU of speed 1.
    pub(super) left: f64,
    /// Since when it waits, seconds.
    pub(super) waits_since: f64,
    /// How long it waited before, seconds.
    pub(super) waited: f64,
    /// What restoring it costs when it goes on, seconds.
    pub(super) restore: f64,
}

/// A running task.
#[derive(Debug, Clone)]
pub(super) struct Running {
    pub(super) task: Task,
    pub(super) places: Vec<Place>,
    /// What it has beyond what it asks for, of the only GPU of its only piece, in thousandths; negative if it had to give.
    pub(super) extra: i16,
    /// When it began here, seconds.
    pub(super) began: f64,
    /// What of its work was done at `since`, seconds of work.
    pub(super) done: f64,
    pub(super) since: f64,
    /// Work in a second; and alone, with what it asks for.
    pub(super) rate: f64,
    pub(super) own_rate: f64,
    /// When it ends if nothing changes, seconds.
    pub(super) until: f64,
    /// Whether somebody will look whether it is late, and how often somebody did.
    pub(super) is_watched: bool,
    pub(super) looks: u32,
}

/// A point in time; the earlier one is smaller.
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

/// What happens to a running task; of two at one time, ends come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    End,
    Look,
}

/// A replay as it goes on.
pub(super) struct State<'a> {
    pub(super) replay: Replay<'a>,
    pub(super) placing: Placing<'a>,
    random: Pcg64Mcg,
    pub(super) now: f64,
    /// Running tasks by their slot; empty slots are used again.
    pub(super) running: Vec<Option<Running>>,
    free: Vec<usize>,
    /// Tasks on each node, by slot.
    pub(super) on_node: Vec<BTreeSet<usize>>,
    /// What each node has left while nothing runs.
    idle: Vec<Node>,
    /// What each node would have left without the tasks that may be stopped.
    pub(super) potential: Vec<Node>,
    /// What happens when, with slot and number of the task: one that was stopped is not there any more.
    events: BinaryHeap<Reverse<(Time, What, usize, u64)>>,
    /// Waiting tasks of both kinds, for each request.
    queues: [Vec<VecDeque<Task>>; 2],
    waiting: [u32; 2],
    /// GPUs of each type that tasks have, in thousandths, and their sums over time, seconds.
    held: Vec<i64>,
    gpu_seconds: Vec<f64>,
    pub(super) counts: [Count; 2],
    longest_queue: u32,
    most_running: usize,
    log: Log,
}

impl Task {
    /// As it comes.
    pub(super) fn new(arrival: Arrival, number: u64) -> Self {
        Self { arrival, number, left: arrival.seconds, waits_since: arrival.at, waited: 0.0, restore: 0.0 }
    }

    /// 0 for tasks for whose answers somebody waits, 1 for all others.
    pub(super) fn kind(&self) -> usize {
        usize::from(!self.arrival.is_sensitive)
    }
}

impl<'a> State<'a> {
    /// Nothing has come yet. `ordered`: the idle cluster, of nodes alike the first one first.
    pub(super) fn new(replay: Replay<'a>, ordered: &Cluster) -> Self {
        let requests = replay.workload.requests().len();
        let types = ordered.shapes.iter().flatten().max().map_or(0, |last| usize::from(*last) + 1);
        let setting = Setting::new(replay.policy, replay.workload, replay.typical, ordered);
        Self {
            placing: Placing::new(setting, ordered.clone(), true),
            // Other numbers than those by which tasks come.
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
            held: vec![0; types],
            gpu_seconds: vec![0.0; types],
            counts: [Count::default(), Count::default()],
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

    /// Whether all pieces of a task fit at once while nothing runs.
    pub(super) fn fits_when_idle(&mut self, request: usize) -> bool {
        let Some(places) = self.placing.place_all(request, &mut Pcg64Mcg::seed_from_u64(0)) else { return false };
        for place in places {
            self.placing.give_back(request, place);
        }
        true
    }

    /// A task comes that fits not even an idle cluster.
    pub(super) fn refuse(&mut self, arrival: &Arrival) {
        self.counts[usize::from(!arrival.is_sensitive)].served.refused += 1.0;
    }

    pub(super) fn advance(&mut self, to: f64) {
        let seconds = (to - self.now).max(0.0);
        for (sum, held) in self.gpu_seconds.iter_mut().zip(&self.held) {
            *sum += seconds * *held as f64 / f64::from(WHOLE);
        }
        self.now = self.now.max(to);
    }

    /// Lets everything happen that happens by then; `None` if it was called off.
    pub(super) fn end_until(&mut self, then: f64, watch: Watch<'_>) -> Option<()> {
        let mut events = 0;
        while let Some(Reverse((Time(at), what, slot, number))) = self.events.peek().copied() {
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
            match what {
                What::End if running.until == at => {
                    self.advance(at);
                    self.end(slot);
                }
                // It got faster or slower meanwhile.
                What::End => {}
                What::Look => {
                    self.advance(at);
                    self.look(slot);
                }
            }
        }
        Some(())
    }

    fn end(&mut self, slot: usize) {
        let Some(Running { task, places, .. }) = self.leave(slot, true) else { return };
        let of_request = &self.replay.manners.requests[task.arrival.request];
        let count = &mut self.counts[task.kind()];
        let took = self.now - task.arrival.at;
        count.end(task.waited, task.arrival.seconds, took, of_request.limit);
        if self.is_held_back(&task, places[0]) {
            self.counts[task.kind()].served.held_back += 1.0;
        }
        for place in &places {
            self.let_others_grow_back(*place);
        }
        self.serve(places.iter().map(|place| place.node).collect());
    }

    /// A running task leaves its places. Nobody has yet what it had.
    pub(super) fn leave(&mut self, slot: usize, is_end: bool) -> Option<Running> {
        let running = self.running[slot].take()?;
        self.free.push(slot);
        let request = running.task.arrival.request;
        for place in &running.places {
            self.on_node[place.node].remove(&slot);
            self.hold(&running, *place, -1);
            self.placing.give_back(request, *place);
            if running.task.arrival.is_sensitive {
                let needs = *self.needs(request, place.node);
                let asked = &self.replay.workload.requests()[request];
                let potential = &mut self.potential[place.node];
                potential.cpu_milli += asked.cpu_milli;
                potential.memory_mib += asked.memory_mib;
                for gpu in place.gpus.places() {
                    potential.left[gpu] += needs[gpu].saturating_add_signed(running.extra);
                }
            }
            self.log(&running, *place, is_end);
        }
        if running.extra != 0 {
            let Place { node, gpus } = running.places[0];
            gpus.places().for_each(|gpu| self.placing.adjust(node, gpu, -running.extra));
        }
        for place in &running.places {
            self.meet(*place, slot);
        }
        Some(running)
    }

    /// Counts what a task has on a place, or has no more (−1).
    fn hold(&mut self, running: &Running, place: Place, sign: i64) {
        let needs = *self.needs(running.task.arrival.request, place.node);
        let shape = &self.replay.cluster.shapes[usize::from(self.placing.cluster.nodes[place.node].shape)];
        for gpu in place.gpus.places() {
            let share = i64::from(needs[gpu]) + i64::from(running.extra);
            self.held[usize::from(shape[gpu])] += sign * share;
        }
    }

    /// A running task has more of its GPU, or less if `more` is negative.
    pub(super) fn adjust(&mut self, slot: usize, more: i16) {
        let Some(running) = self.running[slot].as_mut() else { return };
        running.extra += more;
        let (Place { node, gpus }, is_sensitive) = (running.places[0], running.task.arrival.is_sensitive);
        let shape = &self.replay.cluster.shapes[usize::from(self.placing.cluster.nodes[node].shape)];
        for gpu in gpus.places() {
            self.held[usize::from(shape[gpu])] += i64::from(more);
            if is_sensitive {
                let left = &mut self.potential[node].left[gpu];
                *left = left.saturating_add_signed(-more);
            }
            self.placing.adjust(node, gpu, more);
        }
    }

    fn log(&mut self, running: &Running, place: Place, is_end: bool) {
        if self.log.stays.len() >= self.replay.most_logged {
            self.log.is_cut |= self.replay.most_logged > 0;
            return;
        }
        let Task { arrival, number, .. } = running.task;
        self.log.stays.push(Stay {
            task: number,
            request: arrival.request,
            is_sensitive: arrival.is_sensitive,
            came: arrival.at,
            from: running.began,
            until: self.now,
            place,
            is_end,
        });
    }

    /// What a request takes of every GPU of a node.
    pub(super) fn needs(&self, request: usize, node: usize) -> &'a Lanes {
        self.replay.workload.needs(request, &self.potential[node])
    }

    /// Whether a request is for one piece with a part of one GPU: only such tasks get more or have to give.
    pub(super) fn is_single_share(&self, request: usize, node: usize) -> bool {
        let workload = self.replay.workload;
        workload.pieces(request) == 1 && is_shared(&workload.requests()[request], self.needs(request, node))
    }

    /// A task comes: it runs, takes what others hold, or waits.
    pub(super) fn come(&mut self, task: Task) {
        if let Some(task) = self.try_to_run(task) {
            match self.find_release(&task) {
                Some((_, slots)) => {
                    let nodes = self.release(task, &slots);
                    self.serve(nodes);
                }
                None => self.wait(task),
            }
        }
    }

    /// Lets a task run where it fits; gives it back where it fits nowhere.
    pub(super) fn try_to_run(&mut self, task: Task) -> Option<Task> {
        match self.placing.place_all(task.arrival.request, &mut self.random) {
            Some(places) => self.begin(task, places),
            None => return Some(task),
        }
        None
    }

    /// Puts a task into its queue, in the order in which tasks came.
    pub(super) fn wait(&mut self, task: Task) {
        let queue = &mut self.queues[task.kind()][task.arrival.request];
        let at = queue.partition_point(|other| other.number < task.number);
        queue.insert(at, task);
        self.waiting[task.kind()] += 1;
        self.longest_queue = self.longest_queue.max(self.waiting.iter().sum());
        self.log_queues();
    }

    fn log_queues(&mut self) {
        if self.replay.most_logged == 0 {
            return;
        }
        let queued = Queued { at: self.now, waiting: self.waiting };
        if let Some(last) = self.log.queues.last_mut().filter(|last| last.at == queued.at) {
            *last = queued;
        } else if self.log.queues.len() < self.replay.most_logged {
            self.log.queues.push(queued);
        } else {
            self.log.is_cut = true;
        }
    }

    fn begin(&mut self, task: Task, places: Vec<Place>) {
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
            began: self.now,
            done: 0.0,
            since: self.now,
            rate: 0.0,
            own_rate: 0.0,
            until: f64::INFINITY,
            is_watched: false,
            looks: 0,
        };
        for place in &running.places {
            self.hold(&running, *place, 1);
            self.on_node[place.node].insert(slot);
            if task.arrival.is_sensitive {
                let needs = *self.needs(request, place.node);
                let asked = &self.replay.workload.requests()[request];
                let potential = &mut self.potential[place.node];
                potential.cpu_milli -= asked.cpu_milli;
                potential.memory_mib -= asked.memory_mib;
                for gpu in place.gpus.places() {
                    potential.left[gpu] -= needs[gpu];
                }
            }
        }
        let places = if self.replay.manners.do_interfere() { running.places.clone() } else { Vec::new() };
        let (_, own_rate) = self.rates(slot, &running);
        let left = task.left + task.restore * own_rate;
        self.running[slot] = Some(Running { task: Task { left, restore: 0.0, ..task }, ..running });
        self.most_running = self.most_running.max(self.running.len() - self.free.len());
        self.rate(slot);
        for place in places {
            self.meet(place, slot);
        }
    }

    /// A running task will end then.
    pub(super) fn will_end(&mut self, slot: usize, until: f64, number: u64) {
        self.events.push(Reverse((Time(until), What::End, slot, number)));
    }

    /// Somebody will look then whether a running task is late.
    pub(super) fn will_look(&mut self, slot: usize, at: f64, number: u64) {
        self.events.push(Reverse((Time(at), What::Look, slot, number)));
    }

    /// Places waiting tasks for which these nodes have enough now, or have with what others hold there. Nothing else has
    /// changed, so they run there or nowhere; but a task of several pieces may lack others.
    pub(super) fn serve(&mut self, mut nodes: Vec<usize>) {
        nodes.reverse();
        while let Some(node) = nodes.pop() {
            self.serve_one(node, &mut nodes);
        }
    }

    /// The same for one node; `others`: nodes on which somebody was stopped.
    fn serve_one(&mut self, node: usize, others: &mut Vec<usize>) {
        for kind in 0..2 {
            let mut lacking = Vec::new();
            while self.waiting[kind] > 0 {
                let Some((request, slots)) = self.next(kind, node, &lacking) else { break };
                let Some(task) = self.queues[kind][request].pop_front() else { break };
                self.waiting[kind] -= 1;
                if !slots.is_empty() {
                    others.extend(self.release(task, &slots).into_iter().filter(|other| *other != node));
                } else if let Some(task) = self.try_to_run(task) {
                    lacking.push(request);
                    self.wait(task);
                }
                self.log_queues();
            }
        }
    }

    /// What the task that came first of those asks for that can run on a node now, and what must stop there for it.
    fn next(&self, kind: usize, node: usize, lacking: &[usize]) -> Option<(usize, Vec<usize>)> {
        let queues = self.queues[kind].iter().enumerate();
        let mut heads: Vec<(u64, usize)> = queues
            .filter_map(|(request, queue)| Some((queue.front()?.number, request)))
            .filter(|(_, request)| !lacking.contains(request))
            .collect();
        heads.sort_unstable();
        let left = &self.placing.cluster.nodes[node];
        let fits = |request: usize| self.replay.workload.fits(request, left);
        if let Some((_, request)) = heads.iter().find(|(_, request)| fits(*request)) {
            return Some((*request, Vec::new()));
        }
        heads.into_iter().find_map(|(_, request)| Some((request, self.to_stop(kind, request, node)?)))
    }

    /// What became of all. `nodes`: the former place of each node.
    pub(super) fn finish(mut self, nodes: &[usize], came_for: f64, utilisation: f64) -> Replayed {
        debug_assert_eq!(self.waiting, [0; 2], "somebody waits for ever");
        debug_assert_eq!(self.placing.cluster.nodes, self.idle, "something was given twice or is lost");
        debug_assert_eq!(self.potential, self.idle, "something was given twice or is lost");
        for stay in &mut self.log.stays {
            stay.place.node = nodes[stay.place.node];
        }
        Replayed {
            served: self.counts.map(Count::finish),
            makespan: self.now,
            came_for,
            utilisation,
            gpu_seconds_of: self.gpu_seconds,
            longest_queue: f64::from(self.longest_queue),
            most_running: self.most_running as f64,
            deviation: [0.0; 2],
            log: self.log,
        }
    }
}

/// Whether two tasks share a GPU of a node.
pub(super) fn do_meet(places: &[Place], node: usize, gpus: Gpus) -> bool {
    places.iter().any(|place| place.node == node && place.gpus.0 & gpus.0 != 0)
}
