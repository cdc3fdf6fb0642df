//! A cluster that tasks arrive at and never leave, until more was asked for than it has: how much of it can be given away?
//!
//! The protocol of Weng and others, “Beware of Fragmentation”, USENIX ATC 2023: all tasks of a list in an order that the seed
//! chooses, then tasks of the list at random, until what was asked for of GPUs is so many times what there is. Nothing waits:
//! a task that fits nowhere is turned away. Of nodes that suit a task alike, the first is taken in an order that the seed
//! chooses too, whatever the tasks are: so the published tables are met; in the order of names, packing and clustering give away 0.7 points less.

use rand_distr::Distribution as _;
use rand_distr::Uniform;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::cluster::{Cluster, shuffle};
use super::fragment::Typical;
use super::policy::{Policy, Setting};
use super::reason::Refusal;
use super::score::{Place, Placing};
use super::workload::Workload;
use crossover_study::Watch;

/// Tasks between two looks at whether the result is still wanted.
const STEP: usize = 256;

/// What is filled, and how.
#[derive(Debug, Clone, Copy)]
pub struct Fill<'a> {
    /// The idle cluster.
    pub cluster: &'a Cluster,
    /// What may be asked for.
    pub workload: &'a Workload,
    /// What tasks need where they ask for something else: so much counts as asked for and given.
    pub needed: &'a Workload,
    /// What typical tasks need.
    pub typical: &'a Typical,
    /// The tasks of the list, sorted by name: what each asks for, by its place in the workload.
    pub tasks: &'a [usize],
    /// Which node a task gets.
    pub policy: Policy,
    /// Decides the order of the tasks.
    pub seed: u64,
    /// Until so many times the GPUs of the cluster were asked for.
    pub until: f64,
}

/// The cluster when so much was asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FillPoint {
    /// What was asked for of GPUs, % of what there is.
    pub demand_percent: u32,
    /// What is given away, % of what there is.
    pub allocated_percent: f64,
    /// What is left and typical tasks cannot use, % of what there is.
    pub fragmented_percent: f64,
}

/// A cluster after it was filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// At 0 %, 1 %, … of the demand.
    pub curve: Vec<FillPoint>,
    /// What is left.
    pub cluster: Cluster,
    /// Tasks that came, by what they ask for: its place in the workload.
    pub came: Vec<usize>,
    /// What was asked for of GPUs, in thousandths.
    pub asked: u64,
    /// What was given of it, in thousandths.
    pub given: u64,
    /// Tasks that were placed.
    pub placed: usize,
    /// Tasks that were turned away.
    pub refused: usize,
    /// What was asked for by tasks that were turned away, in the order of the first of each.
    pub refusals: Vec<Refused>,
}

/// Tasks that ask for the same and were turned away.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// What they ask for, by its place in the workload.
    pub request: usize,
    /// How many they are.
    pub count: usize,
    /// The first of them, by its place in the list.
    pub task: usize,
    /// Why that one was turned away.
    pub why: Refusal,
}

impl Filled {
    /// Share of what was asked for of GPUs that was given; 1 if nothing was.
    #[must_use]
    pub fn given_share(&self) -> f64 {
        if self.asked == 0 { 1.0 } else { self.given as f64 / self.asked as f64 }
    }

    /// The cluster when this percentage was asked for, or at the end if it was less.
    #[must_use]
    pub fn at(&self, percent: u32) -> FillPoint {
        let after = self.curve.partition_point(|point| point.demand_percent < percent);
        self.curve[after.min(self.curve.len() - 1)]
    }
}

impl Fill<'_> {
    /// Places every task of the list once, in the order of the seed: where its pieces run, by its place in the list; nothing
    /// where it fits nowhere.
    #[must_use]
    pub fn once(&self) -> Vec<Option<Vec<Place>>> {
        let (ordered, nodes) = self.cluster.shuffled(self.seed);
        let mut random = Pcg64Mcg::seed_from_u64(self.seed);
        let setting = Setting::new(self.policy, self.workload, self.typical, self.cluster);
        let mut placing = Placing::new(setting, ordered, false);
        let mut order: Vec<usize> = (0..self.tasks.len()).collect();
        shuffle(&mut order, &mut random);
        let mut placed = vec![None; self.tasks.len()];
        for task in order {
            let places = placing.place_all(self.tasks[task], &mut random);
            let known = |place: Place| Place { node: nodes[place.node], ..place };
            placed[task] = places.map(|places| places.into_iter().map(known).collect());
        }
        placed
    }

    /// Fills the cluster; `None` if it was called off. Counts tasks.
    #[must_use]
    pub fn run(&self, watch: Watch<'_>) -> Option<Filled> {
        let Self { cluster, workload, needed, typical, tasks, policy, seed, until } = *self;
        let requests = workload.requests().len();
        let (ordered, nodes) = cluster.shuffled(seed);
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut placing = Placing::new(Setting::new(policy, workload, typical, cluster), ordered, false);
        let demands: Vec<u64> = (0..requests).map(|request| needed.demand(request)).collect();
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        shuffle(&mut order, &mut random);

        let whole = cluster.capacity.max(1) as f64;
        let asks_for_gpus = tasks.iter().any(|request| demands[*request] > 0);
        let (mut arrived, mut allocated) = (0_u64, 0_u64);
        let mut filled = Filled {
            curve: Vec::new(),
            cluster: cluster.clone(),
            came: vec![0; requests],
            asked: 0,
            given: 0,
            placed: 0,
            refused: 0,
            refusals: Vec::new(),
        };
        let mut next_percent = 0;
        let mut arrivals = 0;
        loop {
            while 100.0 * arrived as f64 / whole >= f64::from(next_percent) {
                filled.curve.push(FillPoint {
                    demand_percent: next_percent,
                    allocated_percent: 100.0 * allocated as f64 / whole,
                    fragmented_percent: 100.0 * placing.fragment() / whole,
                });
                next_percent += 1;
                if f64::from(next_percent) > 100.0 * until + 1e-9 {
                    break;
                }
            }
            if arrived as f64 >= until * whole || !asks_for_gpus && arrivals >= tasks.len() {
                break;
            }
            let task = match order.get(arrivals) {
                Some(task) => *task,
                None => Uniform::new(0, tasks.len()).ok()?.sample(&mut random),
            };
            let request = tasks[task];
            arrived += demands[request];
            filled.came[request] += 1;
            if placing.place_all(request, &mut random).is_some() {
                allocated += demands[request];
                filled.placed += 1;
            } else {
                filled.refused += 1;
                if let Some(refused) = filled.refusals.iter_mut().find(|refused| refused.request == request) {
                    refused.count += 1;
                } else if let Some(why) = Refusal::find(&placing.cluster, workload, request) {
                    let why = why.on(|node| nodes[node]);
                    filled.refusals.push(Refused { request, count: 1, task, why });
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
        (filled.asked, filled.given) = (arrived, allocated);
        for (node, left) in nodes.into_iter().zip(placing.cluster.nodes) {
            filled.cluster.nodes[node] = left;
        }
        Some(filled)
    }
}
