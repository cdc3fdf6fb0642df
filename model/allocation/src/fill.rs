//! Filling a cluster: tasks arrive and never leave, until a demand is reached.
//!
//! The protocol of Weng and others, “Beware of Fragmentation”, USENIX ATC 2023: all tasks of a list in an order that the seed
//! chooses, then tasks of the list at random, until the requested GPUs are a multiple of the existing ones. Nothing waits: a
//! task that fits no node is rejected. Of nodes with equal scores, the first is chosen, in an order that the seed also draws.
//! With that order the published tables are met; in the order of names, packing and clustering allocate 0.7 points less.

use rand_distr::Distribution as _;
use rand_distr::Uniform;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::amount::{GpuAmount, THOUSANDTH};
use super::cluster::{Cluster, Gpus, Node, shuffle};
use super::fragment::Typical;
use super::policy::{Policy, Setting};
use super::reason::RejectionReason;
use super::score::{Place, Placing};
use super::workload::Workload;
use crossover_study::Watch;

/// Tasks between two checks for cancellation.
const STEP: usize = 256;

/// The inputs of filling a cluster.
#[derive(Debug, Clone, Copy)]
pub struct Fill<'a> {
    /// The idle cluster.
    pub cluster: &'a Cluster,
    /// The requests of tasks.
    pub workload: &'a Workload,
    /// The needs of tasks, which count as requested and allocated; they differ from requests if owners declare more.
    pub needed: &'a Workload,
    /// Needs of typical tasks.
    pub typical: &'a Typical,
    /// The tasks of the list, sorted by name: index of the request of each.
    pub tasks: &'a [usize],
    /// The scheduling policy.
    pub policy: Policy,
    /// Seed of the order of the tasks.
    pub seed: u64,
    /// Requested GPUs ÷ GPUs of the cluster at which filling ends.
    pub until: f64,
}

/// The cluster at one demand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FillPoint {
    /// Requested GPUs, % of all GPUs.
    pub demand_percent: u32,
    /// Allocated GPUs, % of all GPUs. More than was requested where tasks took whole GPUs and parts would do.
    pub allocated_percent: f64,
    /// Fragments, % of all GPUs.
    pub fragmented_percent: f64,
}

/// A cluster after it was filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// At 0 %, 1 %, … of the demand.
    pub curve: Vec<FillPoint>,
    /// The capacity left.
    pub cluster: Cluster,
    /// Tasks that arrived, by request.
    pub arrived: Vec<usize>,
    /// Requested GPUs.
    pub requested: GpuAmount,
    /// Those of the placed tasks.
    pub met: GpuAmount,
    /// Allocated GPUs: what placed tasks need on the GPUs that they have.
    pub allocated: GpuAmount,
    /// Placed tasks.
    pub placed: usize,
    /// Rejected tasks.
    pub rejected: usize,
    /// Rejected tasks by request, in the order of the first of each.
    pub rejections: Vec<Rejected>,
}

/// Rejected tasks with the same request.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// Index of their request.
    pub request: usize,
    /// Number of tasks.
    pub count: usize,
    /// Index of the first of them in the list.
    pub task: usize,
    /// Why the first of them was rejected.
    pub reason: RejectionReason,
}

impl Filled {
    /// Share of the requested GPUs that placed tasks request; 1 if none were requested. A task counts the same whether it is
    /// placed or not, on whichever GPU.
    #[must_use]
    pub fn met_share(&self) -> f64 {
        if self.requested.is_none() { 1.0 } else { self.met.share_of(self.requested) }
    }

    /// The cluster at this demand, or at the end if it was less.
    #[must_use]
    pub fn at(&self, percent: u32) -> FillPoint {
        let after = self.curve.partition_point(|point| point.demand_percent < percent);
        self.curve[after.min(self.curve.len() - 1)]
    }
}

impl Fill<'_> {
    /// Places every task of the list once, in the order of the seed: the places of its pieces, by index in the list; `None` if it
    /// fits no node. A latency-sensitive task of one piece that fits no node takes the place of others, the last ones first, which
    /// are placed elsewhere or not at all (published method, control node). `is_sensitive`: of a task by its index in the list.
    #[must_use]
    pub fn once(&self, is_sensitive: impl Fn(usize) -> bool) -> Vec<Option<Vec<Place>>> {
        let (ordered, nodes) = self.cluster.shuffled(self.seed);
        let mut random = Pcg64Mcg::seed_from_u64(self.seed);
        let setting = Setting::new(self.policy, self.workload, self.typical, self.cluster);
        let mut placing = Placing::new(setting, ordered, false);
        let mut order: Vec<usize> = (0..self.tasks.len()).collect();
        shuffle(&mut order, &mut random);
        let mut placed: Vec<Option<Vec<Place>>> = vec![None; self.tasks.len()];
        // Tasks of each node that may be released, in the order in which they were placed.
        let mut others: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for task in order {
            let mut waiting = vec![task];
            while let Some(task) = waiting.pop() {
                let request = self.tasks[task];
                let may_release = is_sensitive(task) && self.workload.pieces(request) == 1;
                let mut places = placing.place_all(request, &mut random);
                if places.is_none()
                    && may_release
                    && let Some(released) = self.released_for(placing.cluster(), &placed, &others, request)
                {
                    for other in released {
                        for place in placed[other].take().into_iter().flatten() {
                            others[place.node].retain(|kept| *kept != other);
                            placing.release(self.tasks[other], place);
                        }
                        waiting.push(other);
                    }
                    placing.forget_scores();
                    places = placing.place_all(request, &mut random);
                }
                if !is_sensitive(task) {
                    places.iter().flatten().for_each(|place| others[place.node].push(task));
                }
                placed[task] = places;
            }
        }
        let known = |place: Place| Place { node: nodes[place.node], ..place };
        placed.into_iter().map(|places| places.map(|places| places.into_iter().map(known).collect())).collect()
    }

    /// Tasks to release so that a request fits a node: of the first node where that is enough.
    fn released_for(
        &self,
        cluster: &Cluster,
        placed: &[Option<Vec<Place>>],
        others: &[Vec<usize>],
        request: usize,
    ) -> Option<Vec<usize>> {
        let places = |task: usize, node: usize| {
            placed[task].iter().flatten().filter(move |place| place.node == node).map(|place| place.gpus)
        };
        cluster.nodes.iter().zip(others).enumerate().find_map(|(node, (left, others))| {
            let mut left = *left;
            let mut released = Vec::new();
            for task in others.iter().rev() {
                if self.workload.fits(request, &left) {
                    break;
                }
                if !released.contains(task) {
                    for gpus in places(*task, node) {
                        left = self.changed(&left, self.tasks[*task], gpus, true);
                    }
                    released.push(*task);
                }
            }
            if !self.workload.fits(request, &left) {
                return None;
            }
            // Releasing the last ones may make releasing the first ones needless.
            released.retain(|task| {
                let mut without = left;
                for gpus in places(*task, node) {
                    without = self.changed(&without, self.tasks[*task], gpus, false);
                }
                let is_needless = self.workload.fits(request, &without);
                if is_needless {
                    left = without;
                }
                !is_needless
            });
            Some(released)
        })
    }

    /// The capacity left on a node after a task leaves some GPUs of it, or returns.
    fn changed(&self, node: &Node, request: usize, gpus: Gpus, does_leave: bool) -> Node {
        let mut after = *node;
        let (requested, needs) = (&self.workload.requests()[request], self.workload.needs(request, node));
        let memory = self.workload.memory(request, node);
        if does_leave {
            after.cpu_milli += requested.cpu_milli;
            after.memory_mib += requested.memory_mib;
            gpus.places().for_each(|gpu| after.left[gpu] += needs[gpu]);
            after.release_memory(memory, gpus);
        } else {
            after.cpu_milli = after.cpu_milli.saturating_sub(requested.cpu_milli);
            after.memory_mib = after.memory_mib.saturating_sub(requested.memory_mib);
            gpus.places().for_each(|gpu| after.left[gpu] = after.left[gpu].saturating_sub(needs[gpu]));
            after.take_memory(memory, gpus);
        }
        after
    }

    /// Fills the cluster; `None` if it was cancelled. Counts tasks.
    #[must_use]
    pub fn run(&self, watch: Watch<'_>) -> Option<Filled> {
        let Self { cluster, workload, needed, typical, tasks, policy, seed, until } = *self;
        let requests = workload.requests().len();
        let (ordered, nodes) = cluster.shuffled(seed);
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut placing = Placing::new(Setting::new(policy, workload, typical, cluster), ordered, false);
        let demands: Vec<GpuAmount> = (0..requests).map(|request| needed.demand(request)).collect();
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        shuffle(&mut order, &mut random);

        let whole = cluster.capacity.units().max(1) as f64;
        let whole_thousandths = whole / f64::from(THOUSANDTH);
        let requests_gpus = tasks.iter().any(|request| !demands[*request].is_none());
        let (mut arrived, mut met, mut allocated) = (GpuAmount::NONE, GpuAmount::NONE, GpuAmount::NONE);
        let mut filled = Filled {
            curve: Vec::new(),
            cluster: cluster.clone(),
            arrived: vec![0; requests],
            requested: GpuAmount::NONE,
            met: GpuAmount::NONE,
            allocated: GpuAmount::NONE,
            placed: 0,
            rejected: 0,
            rejections: Vec::new(),
        };
        let mut next_percent = 0;
        let mut arrivals = 0;
        loop {
            while 100.0 * arrived.units() as f64 / whole >= f64::from(next_percent) {
                filled.curve.push(FillPoint {
                    demand_percent: next_percent,
                    allocated_percent: 100.0 * allocated.units() as f64 / whole,
                    fragmented_percent: 100.0 * placing.fragment() / whole_thousandths,
                });
                next_percent += 1;
                if f64::from(next_percent) > 100.0 * until + 1e-9 {
                    break;
                }
            }
            if arrived.units() as f64 >= until * whole || !requests_gpus && arrivals >= tasks.len() {
                break;
            }
            let task = match order.get(arrivals) {
                Some(task) => *task,
                None => Uniform::new(0, tasks.len()).ok()?.sample(&mut random),
            };
            let request = tasks[task];
            arrived += demands[request];
            filled.arrived[request] += 1;
            if let Some(places) = placing.place_all(request, &mut random) {
                met += demands[request];
                allocated += taken(needed, request, placing.cluster(), &places);
                filled.placed += 1;
            } else {
                filled.rejected += 1;
                if let Some(rejected) = filled.rejections.iter_mut().find(|rejected| rejected.request == request) {
                    rejected.count += 1;
                } else if let Some(reason) = RejectionReason::find(placing.cluster(), workload, request) {
                    let reason = reason.on(|node| nodes[node]);
                    filled.rejections.push(Rejected { request, count: 1, task, reason });
                }
            }
            arrivals += 1;
            if arrivals % STEP == 0 {
                watch.count(STEP);
                if watch.is_cancelled() {
                    return None;
                }
            }
        }
        (filled.requested, filled.met, filled.allocated) = (arrived, met, allocated);
        for (node, left) in nodes.into_iter().zip(placing.keep().cluster.nodes) {
            filled.cluster.nodes[node] = left;
        }
        Some(filled)
    }
}

/// GPUs that a task takes on its places.
fn taken(needed: &Workload, request: usize, cluster: &Cluster, places: &[Place]) -> GpuAmount {
    let of_place = |place: &Place| -> GpuAmount {
        let needs = needed.needs(request, &cluster.nodes[place.node]);
        place.gpus.places().map(|gpu| GpuAmount::from_units(u64::from(needs[gpu]))).sum()
    };
    places.iter().map(of_place).sum()
}
