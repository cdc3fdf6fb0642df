//! What a study answers: how much each rule gives away as tasks arrive, who is turned away and why, and how many nodes are
//! missing.

use rand_distr::{Distribution as _, Exp1, StandardUniform};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;
use rayon::prelude::*;

use super::cluster::{Cluster, Node, NodeSpec, WHOLE};
use super::fill::{Fill, FillPoint, Filled, Refused};
use super::policy::Policy;
use super::reason::Refusal;
use super::replay::{Arrival, Replay, Replayed};
use super::study::{Allocation, TaskGroup};
use super::validate::expected_tasks;
use super::workload::{Request, Workload};
use crate::study::Watch;
use crate::unit::Unit;

/// Joules of a kilowatt-hour.
const JOULES_PER_KWH: f64 = 3.6e6;
/// Bytes of a mebibyte, in gigabytes.
const MIB_IN_GB: f64 = 1_048_576.0 / 1e9;
/// Nodes are added up to so many times those that are there.
const MOST_GROWTH: f64 = 8.0;

/// The answer to an allocation study.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Every rule, in the order of [`Policy::ALL`].
    pub rules: Vec<OfRule>,
    /// The study's own rule, by its place in `rules`.
    pub chosen: usize,
    /// Tasks that the chosen rule turns away in the first order, group by group of what they ask for.
    pub refusals: Vec<Refused>,
    /// Names of the nodes, by their place in the cluster.
    pub nodes: Vec<String>,
    /// Nodes of the growing group to add so that the target is met, with the chosen rule in the first order; `None` if not
    /// even eight times as many do.
    pub nodes_to_add: Option<usize>,
    /// What becomes of tasks that come, wait, run and leave, for every rule as in `rules`; empty without a replay.
    pub replayed: Vec<Replayed>,
    /// Energy of GPUs that tasks had in the replay with the chosen rule, kWh; 0 without a replay.
    pub kwh: f64,
    /// Power of what the chosen rule gives away, W.
    pub watts: f64,
    /// What a careful reader should know before trusting the numbers.
    pub warnings: Vec<String>,
}

/// What one rule does, mean over all orders.
#[derive(Debug, Clone, PartialEq)]
pub struct OfRule {
    /// The rule.
    pub policy: Policy,
    /// At 0 %, 1 %, … of the demand.
    pub curve: Vec<FillPoint>,
    /// Standard deviation over the orders of what is given away at the end, percent of all GPUs.
    pub deviation: f64,
    /// Share of the tasks that were turned away.
    pub refused: f64,
    /// The same for each group of tasks, by its place in the study; `None` where no such task came.
    pub refused_of: Vec<Option<f64>>,
}

impl OfRule {
    /// At the end of the demand.
    #[must_use]
    pub fn end(&self) -> FillPoint {
        self.curve[self.curve.len() - 1]
    }
}

impl Outcome {
    /// What the study's own rule does.
    #[must_use]
    pub fn own(&self) -> &OfRule {
        &self.rules[self.chosen]
    }

    /// "FGD gives most away, 92.1 % of all GPUs: 1.4 points more than Packing."
    #[must_use]
    pub fn sentence(&self) -> String {
        let given = |place: usize| self.rules[place].end().allocated_percent;
        let mut order: Vec<usize> = (0..self.rules.len()).collect();
        order.sort_by(|a, b| given(*b).total_cmp(&given(*a)));
        let [best, second, ..] = order[..] else { return String::new() };
        let label = |place: usize| self.rules[place].policy.label();
        let share = |place: usize| Unit::Share.format(given(place) / 100.0);
        // Orders differ by more than hundredths of a point.
        let points = |more: f64| Unit::Ratio.format((more * 100.0).round() / 100.0);
        let of_best = format!("{} gives most away, {} of all GPUs", label(best), share(best));
        if best == self.chosen {
            let more = points(given(best) - given(second));
            return format!("{of_best}: {more} points more than {}.", label(second));
        }
        format!(
            "{of_best}; {}, this study's rule, gives {}: {} points less.",
            label(self.chosen),
            share(self.chosen),
            points(given(best) - given(self.chosen))
        )
    }
}

/// What a study describes, node by node and task by task.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The idle cluster.
    pub cluster: Cluster,
    /// Names of its nodes.
    pub nodes: Vec<String>,
    /// What may be asked for: one request for each group of tasks.
    pub workload: Workload,
    /// The list of tasks: the group of each.
    pub tasks: Vec<usize>,
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated ranges, all below 2³²")]
impl Described {
    /// The cluster and the tasks of a valid study, with so many more nodes of the growing group.
    #[must_use]
    pub fn new(study: &Allocation, more: usize) -> Self {
        let mut specs = Vec::new();
        for group in &study.nodes {
            let device = study.types.iter().position(|gpu_type| gpu_type.name == group.gpu_type).unwrap_or(0) as u16;
            let more = if group.name == study.policy.grows { more } else { 0 };
            specs.extend((0..group.nodes as usize + more).map(|place| NodeSpec {
                name: format!("{} {}", group.name, place + 1),
                cpu_milli: (group.cores * 1e3).round() as u32,
                // What was bought by decimal gigabytes holds what is asked for by them.
                memory_mib: (group.memory_gb / MIB_IN_GB).ceil() as u32,
                devices: vec![device; group.gpus as usize],
            }));
        }
        let cluster = Cluster::new(&specs);
        let request = |group: &TaskGroup| Request {
            cpu_milli: (group.cores * 1e3).round() as u32,
            memory_mib: (group.memory_gb / MIB_IN_GB).floor() as u32,
            gpus: group.gpus as u8,
            shares: study
                .types
                .iter()
                .map(|gpu_type| {
                    let can = group.runs_on.is_empty() || group.runs_on.iter().any(|on| on.gpu_type == gpu_type.name);
                    can.then_some((group.share * 1e3).round().max(1.0) as u16)
                })
                .collect(),
        };
        let tasks = study.tasks.iter().enumerate();
        Self {
            workload: Workload::new(&cluster, study.tasks.iter().map(request).collect()),
            tasks: tasks.flat_map(|(place, group)| vec![place; group.tasks as usize]).collect(),
            nodes: specs.into_iter().map(|spec| spec.name).collect(),
            cluster,
        }
    }

    fn fill(&self, policy: Policy, seed: u64, until: f64, watch: Watch<'_>) -> Option<Filled> {
        let Self { cluster, workload, tasks, .. } = self;
        Fill { cluster, workload, tasks, policy, seed, until }.run(watch)
    }
}

/// About how many tasks an evaluation places.
#[must_use]
pub fn all_tasks(study: &Allocation) -> usize {
    let (mut asked, mut tasks) = (0.0, 0.0);
    for group in &study.tasks {
        asked += group.tasks * group.gpus * group.share;
        tasks += group.tasks;
    }
    let gpus: f64 = study.nodes.iter().map(|group| group.nodes * group.gpus).sum();
    let of_demand = if asked > 0.0 { tasks * study.arrivals.demand * gpus / asked } else { tasks };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive estimate")]
    let count = ((of_demand * study.arrivals.orders + expected_tasks(study)) * Policy::ALL.len() as f64) as usize;
    count.max(1)
}

/// Answers a valid study.
///
/// # Panics
/// Never: nobody calls it off.
#[must_use]
pub fn evaluate(study: &Allocation) -> Outcome {
    Watch::nobody(|watch| evaluate_watched(study, watch)).expect("nobody calls it off")
}

/// The same for somebody who waits; `None` if it was called off. Counts tasks.
#[must_use]
pub fn evaluate_watched(study: &Allocation, watch: Watch<'_>) -> Option<Outcome> {
    let described = Described::new(study, 0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 100")]
    let (seed, orders) = (seed(study), study.arrivals.orders as u64);
    let runs: Vec<(Policy, u64)> =
        Policy::ALL.iter().flat_map(|policy| (0..orders).map(|order| (*policy, seed + order))).collect();
    let filled: Option<Vec<Filled>> =
        runs.into_par_iter().map(|(policy, seed)| described.fill(policy, seed, study.arrivals.demand, watch)).collect();
    let filled = filled?;
    let chosen = Policy::ALL.iter().position(|policy| *policy == study.policy.rule).unwrap_or(0);
    let of_orders: Vec<&[Filled]> = filled.chunks(filled.len() / Policy::ALL.len()).collect();
    let rules = Policy::ALL.iter().zip(&of_orders).map(|(policy, filled)| of_rule(study, *policy, filled));
    let first = &of_orders[chosen][0];
    let mut outcome = Outcome {
        rules: rules.collect(),
        chosen,
        refusals: first.refusals.clone(),
        watts: watts(study, &described.cluster, &first.cluster),
        nodes_to_add: None,
        replayed: Vec::new(),
        kwh: 0.0,
        warnings: Vec::new(),
        nodes: Vec::new(),
    };
    outcome.nodes_to_add = match growth(study, first, watch)? {
        Growth::Nodes(nodes) => Some(nodes),
        Growth::Never => None,
    };
    outcome.replayed = replayed(study, &described, watch)?;
    outcome.kwh = outcome.replayed.get(chosen).map_or(0.0, |replayed| {
        let of_types = study.types.iter().zip(&replayed.gpu_seconds_of);
        of_types.map(|(gpu_type, seconds)| gpu_type.watts * seconds / JOULES_PER_KWH).sum()
    });
    outcome.nodes = described.nodes;
    outcome.warnings = warnings(study, &outcome);
    Some(outcome)
}

fn of_rule(study: &Allocation, policy: Policy, filled: &[Filled]) -> OfRule {
    let count = filled.len() as f64;
    let points = filled.iter().map(|filled| filled.curve.len()).min().unwrap_or(0);
    let curve: Vec<FillPoint> = (0..points)
        .map(|place| {
            let mean =
                |of: fn(&FillPoint) -> f64| filled.iter().map(|filled| of(&filled.curve[place])).sum::<f64>() / count;
            FillPoint {
                demand_percent: filled[0].curve[place].demand_percent,
                allocated_percent: mean(|point| point.allocated_percent),
                fragmented_percent: mean(|point| point.fragmented_percent),
            }
        })
        .collect();
    let ends = || filled.iter().map(|filled| filled.curve[filled.curve.len() - 1].allocated_percent);
    let mean = ends().sum::<f64>() / count;
    let squares: f64 = ends().map(|end| (end - mean).powi(2)).sum();
    let (placed, refused): (usize, usize) =
        filled.iter().fold((0, 0), |(placed, refused), filled| (placed + filled.placed, refused + filled.refused));
    let refused_of = (0..study.tasks.len()).map(|group| {
        let came: usize = filled.iter().map(|filled| filled.came[group]).sum();
        let refusals = filled.iter().flat_map(|filled| &filled.refusals).filter(|refused| refused.request == group);
        let refused: usize = refusals.map(|refused| refused.count).sum();
        (came > 0).then(|| refused as f64 / came as f64)
    });
    OfRule {
        policy,
        curve,
        deviation: if filled.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 },
        refused: refused as f64 / (placed + refused).max(1) as f64,
        refused_of: refused_of.collect(),
    }
}

/// Power of what was given away, W.
fn watts(study: &Allocation, before: &Cluster, after: &Cluster) -> f64 {
    let of_node = |(idle, used): (&Node, &Node)| -> f64 {
        let types = before.shapes[usize::from(idle.shape)].iter().enumerate();
        let of_gpu = |(gpu, gpu_type): (usize, &u16)| {
            let given = f64::from(idle.left[gpu] - used.left[gpu]) / f64::from(WHOLE);
            study.types[usize::from(*gpu_type)].watts * given
        };
        types.map(of_gpu).sum()
    };
    before.nodes.iter().zip(&after.nodes).map(of_node).sum()
}

/// The seed of the first order.
fn seed(study: &Allocation) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: whole, below 2⁵³")]
    let seed = study.arrivals.seed as u64;
    seed
}

/// The tasks that come in a replay: at random times, each of a random group and for a random time.
fn arrivals(study: &Allocation) -> impl Iterator<Item = Arrival> {
    let total: f64 = study.tasks.iter().map(|group| group.per_hour).sum();
    let mut random = Pcg64Mcg::seed_from_u64(seed(study));
    let mut at = 0.0;
    std::iter::from_fn(move || {
        let [gap, seconds]: [f64; 2] = [(); 2].map(|()| Exp1.sample(&mut random));
        at += gap * 3_600.0 / total;
        let share: f64 = StandardUniform.sample(&mut random);
        let mut place = share * total;
        let request = study.tasks.iter().position(|group| {
            place -= group.per_hour;
            place < 0.0
        });
        // Rounding may leave nothing of the last group.
        let request =
            request.unwrap_or_else(|| study.tasks.iter().rposition(|group| group.per_hour > 0.0).unwrap_or(0));
        let group = &study.tasks[request];
        let arrival = Arrival { at, request, seconds: seconds * group.run_seconds, is_sensitive: group.is_sensitive };
        (at < study.replay.seconds).then_some(arrival)
    })
}

/// What becomes of tasks that come, wait, run and leave, for every rule; empty without a replay.
fn replayed(study: &Allocation, described: &Described, watch: Watch<'_>) -> Option<Vec<Replayed>> {
    if study.replay.seconds == 0.0 {
        return Some(Vec::new());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 10⁶")]
    let counts: Vec<usize> = study.tasks.iter().map(|group| (group.per_hour * 1e3).ceil() as usize).collect();
    let of = |policy: &Policy| {
        let replay = Replay {
            cluster: &described.cluster,
            workload: &described.workload,
            counts: &counts,
            policy: *policy,
            seed: seed(study),
            does_release: study.replay.does_release,
            save_seconds: study.replay.save_seconds,
        };
        replay.run(arrivals(study), watch)
    };
    Policy::ALL.par_iter().map(of).collect()
}

/// How far a group of nodes must grow.
enum Growth {
    /// By so many nodes.
    Nodes(usize),
    /// No number of nodes is enough.
    Never,
}

/// Nodes to add to the growing group so that the target is met in the first order; `None` if it was called off.
fn growth(study: &Allocation, first: &Filled, watch: Watch<'_>) -> Option<Growth> {
    let is_enough = |filled: &Filled| filled.given_share() >= study.arrivals.target;
    if is_enough(first) {
        return Some(Growth::Nodes(0));
    }
    let group = study.nodes.iter().find(|group| group.name == study.policy.grows);
    let Some(group) = group.filter(|group| group.gpus > 0.0) else { return Some(Growth::Never) };
    let capacity = first.cluster.capacity as f64;
    let with = |more: usize| -> Option<bool> {
        let described = Described::new(study, more);
        // As much is asked for as before.
        let until = study.arrivals.demand * capacity / described.cluster.capacity as f64;
        Some(is_enough(&described.fill(study.policy.rule, seed(study), until, watch)?))
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 50,000 nodes")]
    let most = (MOST_GROWTH * group.nodes.max(capacity / f64::from(WHOLE) / group.gpus)) as usize;
    let (mut too_few, mut enough) = (0, 1);
    while !with(enough)? {
        too_few = enough;
        enough *= 2;
        if too_few > most {
            return Some(Growth::Never);
        }
    }
    while enough - too_few > 1 {
        let middle = too_few.midpoint(enough);
        if with(middle)? { enough = middle } else { too_few = middle }
    }
    Some(Growth::Nodes(enough))
}

fn warnings(study: &Allocation, outcome: &Outcome) -> Vec<String> {
    let mut warnings = Vec::new();
    if study.arrivals.orders < 2.0 {
        warnings.push("One order only: how much results depend on it is not known; take ten.".to_owned());
    }
    for refused in &outcome.refusals {
        if let Refusal::NoSuchNode { .. } = refused.why {
            let why = refused.why.sentence(|node| outcome.nodes[node].clone());
            warnings.push(format!("No task of {} can ever run: {why}.", study.tasks[refused.request].name));
        }
    }
    let asked: f64 =
        study.tasks.iter().map(|group| group.per_hour / 3_600.0 * group.run_seconds * group.gpus * group.share).sum();
    let gpus: f64 = study.nodes.iter().map(|group| group.nodes * group.gpus).sum();
    if study.replay.seconds > 0.0 && asked > gpus {
        let load = Unit::Share.format(asked / gpus);
        warnings
            .push(format!("Tasks ask for {load} of the GPU time that there is: queues grow as long as tasks come."));
    }
    if study.arrivals.demand > 1.0 && study.arrivals.target >= 1.0 {
        warnings.push("The target asks for all of more than there is; nodes are added for every last task.".to_owned());
    }
    warnings
}
