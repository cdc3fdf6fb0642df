//! The answer to a study: allocated GPUs with each policy, rejected tasks with reasons, nodes to add, and waits.

use rayon::prelude::*;

use super::amount::WHOLE;
use super::cluster::{Cluster, Node};
use super::described::{Described, seed};
use super::fill::{FillPoint, Filled, Rejected};
use super::group_shares::GroupShares;
use super::named::NamedTrace;
use super::order_range::range_90;
use super::policy::Policy;
use super::reason::RejectionReason;
use super::replay::Replayed;
use super::study::{Allocation, MOST_NODES};
use super::validate::{Replayable, expected_fill, expected_tasks, recorded};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_study::Watch;

/// Joules of a kilowatt-hour.
const JOULES_PER_KWH: f64 = 3.6e6;
/// Most logged runs of tasks of the first replay with the study's policy.
const MOST_LOGGED: usize = 50_000;
/// Policies count as equal below this difference of allocated GPUs, points.
const ALIKE: f64 = 0.005;
/// Least clear difference between policies, in standard errors of their mean difference.
const CLEAR: f64 = 2.0;
/// Most nodes to add, times the present nodes.
const MOST_GROWTH: f64 = 8.0;

/// The answer to an allocation study.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Every evaluated policy, in the order of [`Policy::ALL`].
    pub policies: Vec<PolicyOutcome>,
    /// Index of the study's own policy in `policies`.
    pub chosen: usize,
    /// Tasks that the study's policy rejects in the first arrival order, by request.
    pub rejections: Vec<Rejected>,
    /// Names of the nodes, by index in the cluster.
    pub nodes: Vec<String>,
    /// Nodes to add to the growing group until the target is met, with the study's policy in the first arrival order; `None` if
    /// eight times as many nodes do not meet it.
    pub nodes_to_add: Option<usize>,
    /// Results of the replay with each policy as in `policies`, means over the replays; the study's policy has the log of its
    /// first replay. Empty without a replay.
    pub replayed: Vec<Replayed>,
    /// Energy of allocated GPUs in the replay with each policy, to the end of the last task, kWh; empty without a replay, and if the
    /// power of a type of GPU is missing.
    pub kwh: Vec<f64>,
    /// Power of the GPUs that the study's policy allocates, W; `None` if that of a type of GPU is missing.
    pub watts: Option<f64>,
    /// Warnings about the results.
    pub warnings: Vec<String>,
}

/// Results of one policy, means over all orders.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyOutcome {
    /// The policy.
    pub policy: Policy,
    /// At 0 %, 1 %, … of the demand.
    pub curve: Vec<FillPoint>,
    /// P5 and P95 over the orders at each point of `curve`, each quantity by itself; empty with one order.
    pub range_90: Vec<[FillPoint; 2]>,
    /// Allocated GPUs at the end of each order, percent of all GPUs.
    pub ends: Vec<f64>,
    /// Standard deviation of `ends`.
    pub standard_deviation: f64,
    /// Share of the tasks that were rejected.
    pub rejected: f64,
    /// The same for each group of tasks of the study; `None` if no such task arrived.
    pub rejected_of: Vec<Option<f64>>,
}

impl PolicyOutcome {
    /// At the end of the demand.
    #[must_use]
    pub fn end(&self) -> FillPoint {
        self.curve[self.curve.len() - 1]
    }
}

impl Outcome {
    /// The results of the study's own policy.
    #[must_use]
    pub fn own(&self) -> &PolicyOutcome {
        &self.policies[self.chosen]
    }

    /// "FGD allocates most, 92.1 % of all GPUs: 1.4 points more than Packing."
    #[must_use]
    pub fn sentence(&self) -> String {
        let allocated = |place: usize| self.policies[place].end().allocated_percent;
        let mut order: Vec<usize> = (0..self.policies.len()).collect();
        order.sort_by(|a, b| allocated(*b).total_cmp(&allocated(*a)));
        // Of equal policies the study's own is first.
        if order.first().is_some_and(|best| allocated(*best) - allocated(self.chosen) < ALIKE) {
            order.retain(|place| *place != self.chosen);
            order.insert(0, self.chosen);
        }
        let [best, second, .., last] = order[..] else { return String::new() };
        let label = |place: usize| self.policies[place].policy.label();
        let share = |place: usize| Unit::Share.format(allocated(place) / 100.0);
        // Of the percentages as they are shown; orders differ by more than hundredths of a point.
        let points = |more: usize, less: usize| {
            let hundredths = |place: usize| (allocated(place) * 100.0).round();
            let difference = (hundredths(more) - hundredths(less)) / 100.0;
            let unit = if difference == 1.0 { "percentage point" } else { "percentage points" };
            format!("{} {unit}", Unit::Ratio.format(difference))
        };
        if allocated(best) - allocated(last) < ALIKE {
            return format!("All policies allocate the same, {} of all GPUs.", share(best));
        }
        let like: Vec<&str> =
            order.iter().skip(1).filter(|other| !self.is_clear(best, **other)).map(|place| label(*place)).collect();
        let of_best = format!("{} allocates most, {} of all GPUs", label(best), share(best));
        let unclear = if like.is_empty() {
            String::new()
        } else {
            format!("; not significantly more than {} in the same arrival orders", and(&like))
        };
        if best == self.chosen {
            return if like.is_empty() {
                format!("{of_best}: {} more than {}.", points(best, second), label(second))
            } else {
                format!("{of_best}{unclear}.")
            };
        }
        format!(
            "{of_best}{unclear}. The selected policy, {}, allocates {}: {} less.",
            label(self.chosen),
            share(self.chosen),
            points(best, self.chosen)
        )
    }

    /// Whether one policy allocates significantly more than another, by the differences of runs with the same arrival order.
    #[must_use]
    pub fn is_clear(&self, more: usize, less: usize) -> bool {
        let differences: Vec<f64> =
            self.policies[more].ends.iter().zip(&self.policies[less].ends).map(|(more, less)| more - less).collect();
        let count = differences.len() as f64;
        if differences.len() < 2 {
            return false;
        }
        let mean = differences.iter().sum::<f64>() / count;
        let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
        mean > 0.0 && mean >= CLEAR * (squares / (count - 1.0) / count).sqrt()
    }
}

/// "A, B and C".
fn and(names: &[&str]) -> String {
    match names {
        [more @ .., last] if !more.is_empty() => format!("{} and {last}", more.join(", ")),
        _ => names.concat(),
    }
}

/// Expected tasks that an evaluation places.
#[must_use]
pub fn all_tasks(study: &Allocation) -> usize {
    let tasks = expected_fill(study) * study.arrivals.orders + expected_tasks(study) * study.replay.runs;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive estimate")]
    let count = (tasks * Policy::ALL.len() as f64) as usize;
    count.max(1)
}

/// Answers a valid study.
///
/// # Panics
/// Never: it cannot be cancelled.
#[must_use]
pub fn evaluate(study: &Allocation) -> Outcome {
    Watch::uncancellable(|watch| evaluate_watched(study, watch)).expect("it cannot be cancelled")
}

/// The same with progress; `None` if it was cancelled. Counts tasks.
#[must_use]
pub fn evaluate_watched(study: &Allocation, watch: Watch<'_>) -> Option<Outcome> {
    let mut outcome = of_policies(study, &Policy::ALL, watch)?;
    outcome.warnings = warnings(study, &outcome);
    Some(outcome)
}

/// The same with the study's own policy alone, and without warnings. The figures need no more, and tools evaluate them at many points.
pub(super) fn evaluate_own(study: &Allocation, watch: Watch<'_>) -> Option<Outcome> {
    of_policies(study, &[study.policy.name], watch)
}

/// The outcome of some policies, among them the study's own, without warnings.
fn of_policies(study: &Allocation, evaluated: &[Policy], watch: Watch<'_>) -> Option<Outcome> {
    let described = Described::new(study, 0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 100")]
    let (seed, orders) = (seed(study), study.arrivals.orders as u64);
    let chosen = evaluated.iter().position(|policy| *policy == study.policy.name).unwrap_or(0);
    let runs: Vec<(Policy, u64)> =
        evaluated.iter().flat_map(|policy| (0..orders).map(|order| (*policy, order))).collect();
    // Only one of these clusters is needed further.
    let fill = |(policy, order): (Policy, u64)| {
        let mut filled = described.fill(policy, seed + order, study.arrivals.demand, watch)?;
        if policy != study.policy.name || order > 0 {
            filled.cluster.nodes = Vec::new();
        }
        Some(filled)
    };
    let filled: Option<Vec<Filled>> = runs.into_par_iter().map(fill).collect();
    let filled = filled?;
    let of_orders: Vec<&[Filled]> = filled.chunks(filled.len() / evaluated.len()).collect();
    let policies =
        evaluated.iter().zip(&of_orders).map(|(policy, filled)| policy_outcome(study, *policy, filled)).collect();
    let first = &of_orders[chosen][0];
    let growth = growth(study, first, watch)?;
    let replayed = replayed(study, &described, evaluated, watch)?;
    let has_power = has_power(study, &described.cluster);
    Some(Outcome {
        policies,
        chosen,
        rejections: first.rejections.clone(),
        watts: has_power.then(|| watts(study, &described.cluster, &first.cluster)),
        nodes_to_add: match growth {
            Growth::Nodes(nodes) => Some(nodes),
            Growth::Never => None,
        },
        kwh: if has_power { replayed.iter().map(|replayed| kwh(study, replayed)).collect() } else { Vec::new() },
        replayed,
        warnings: Vec::new(),
        nodes: described.nodes,
    })
}

/// Whether the power of every type of GPU in the cluster is entered: without it, a total would leave out these GPUs.
fn has_power(study: &Allocation, cluster: &Cluster) -> bool {
    let mut types = cluster.nodes.iter().flat_map(|node| &cluster.shapes[usize::from(node.shape)]);
    types.all(|gpu_type| study.types[usize::from(*gpu_type)].watts > 0.0)
}

/// Energy of allocated GPUs, kWh.
fn kwh(study: &Allocation, replayed: &Replayed) -> f64 {
    let of_types = study.types.iter().zip(&replayed.gpu_seconds_of);
    of_types.map(|(gpu_type, seconds)| gpu_type.watts * seconds / JOULES_PER_KWH).sum()
}

fn policy_outcome(study: &Allocation, policy: Policy, filled: &[Filled]) -> PolicyOutcome {
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
    let range_90 =
        if filled.len() > 1 { (0..points).map(|place| range_90(filled, place)).collect() } else { Vec::new() };
    let ends: Vec<f64> = filled.iter().map(|filled| filled.curve[filled.curve.len() - 1].allocated_percent).collect();
    let mean = ends.iter().sum::<f64>() / count;
    let squares: f64 = ends.iter().map(|end| (end - mean).powi(2)).sum();
    let (placed, rejected): (usize, usize) =
        filled.iter().fold((0, 0), |(placed, rejected), filled| (placed + filled.placed, rejected + filled.rejected));
    let rejected_of = (0..study.tasks.len()).map(|group| {
        let arrived: usize = filled.iter().map(|filled| filled.arrived[group]).sum();
        let rejections =
            filled.iter().flat_map(|filled| &filled.rejections).filter(|rejected| rejected.request == group);
        let rejected: usize = rejections.map(|rejected| rejected.count).sum();
        (arrived > 0).then(|| rejected as f64 / arrived as f64)
    });
    PolicyOutcome {
        policy,
        curve,
        range_90,
        standard_deviation: if filled.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 },
        ends,
        rejected: rejected as f64 / (placed + rejected).max(1) as f64,
        rejected_of: rejected_of.collect(),
    }
}

/// Power of allocated GPUs, W.
fn watts(study: &Allocation, before: &Cluster, after: &Cluster) -> f64 {
    let of_node = |(idle, used): (&Node, &Node)| -> f64 {
        let types = before.shapes[usize::from(idle.shape)].iter().enumerate();
        let of_gpu = |(gpu, gpu_type): (usize, &u16)| {
            let allocated = f64::from(idle.left[gpu] - used.left[gpu]) / f64::from(WHOLE);
            study.types[usize::from(*gpu_type)].watts * allocated
        };
        types.map(of_gpu).sum()
    };
    before.nodes.iter().zip(&after.nodes).map(of_node).sum()
}

/// Results of the replay with some policies; empty without a replay.
fn replayed(
    study: &Allocation,
    described: &Described,
    evaluated: &[Policy],
    watch: Watch<'_>,
) -> Option<Vec<Replayed>> {
    if expected_tasks(study) == 0.0 {
        return Some(Vec::new());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 100")]
    let runs = study.replay.runs as u64;
    let all: Vec<(Policy, u64)> = evaluated.iter().flat_map(|policy| (0..runs).map(|run| (*policy, run))).collect();
    let of = |(policy, run): (Policy, u64)| {
        let most_logged = if policy == study.policy.name && run == 0 { MOST_LOGGED } else { 0 };
        described.replay(study, policy, seed(study) + run, most_logged, watch)
    };
    let all: Option<Vec<Replayed>> = all.into_par_iter().map(of).collect();
    let mut all = all?.into_iter();
    let mut means = Vec::new();
    while let Some(mean) = Replayed::mean(all.by_ref().take(usize::try_from(runs).unwrap_or(1)).collect()) {
        means.push(mean);
    }
    Some(means)
}

/// The growth that the target needs.
enum Growth {
    /// Nodes to add.
    Nodes(usize),
    /// Eight times as many nodes, or the most that are allowed, do not meet it.
    Never,
}

/// Nodes to add to the growing group until the target is met in the first order; `None` if it was cancelled.
fn growth(study: &Allocation, first: &Filled, watch: Watch<'_>) -> Option<Growth> {
    let is_enough = |filled: &Filled| filled.met_share() >= study.arrivals.target;
    if is_enough(first) {
        return Some(Growth::Nodes(0));
    }
    let group = study.nodes.iter().find(|group| group.name == study.policy.growing_nodes);
    let Some(group) = group.filter(|group| group.all_left() > 0.0) else { return Some(Growth::Never) };
    let capacity = first.cluster.capacity;
    let with = |more: usize| -> Option<bool> {
        let described = Described::new(study, more);
        // The requests stay the same.
        let until = study.arrivals.demand * capacity.units() as f64 / described.cluster.capacity.units() as f64;
        Some(is_enough(&described.fill(study.policy.name, seed(study), until, watch)?))
    };
    let nodes: f64 = study.nodes.iter().map(|group| group.nodes).sum();
    let eightfold = MOST_GROWTH * group.nodes.max(capacity.gpus() / group.all_left());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 50,000 nodes")]
    let most = eightfold.min(MOST_NODES - nodes).max(0.0) as usize;
    let (mut too_few, mut enough) = (0, 1.min(most));
    while !with(enough)? {
        if enough == most {
            return Some(Growth::Never);
        }
        too_few = enough;
        enough = (2 * enough).min(most);
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
        warnings
            .push("One arrival order only: no spread between arrival orders. Set arrivals.orders to 10.".to_owned());
    }
    let requests_gpus = study.tasks.iter().any(|group| group.tasks * group.gpus > 0.0);
    if !requests_gpus {
        warnings.push("No task of the list requests a GPU: no policy allocates any.".to_owned());
    }
    for rejected in &outcome.rejections {
        if let RejectionReason::NoSuchNode { .. } = rejected.reason {
            let why = rejected.reason.sentence(|node| outcome.nodes[node].clone());
            warnings.push(format!("No task of {} can ever run: {why}.", study.tasks[rejected.request].name));
        }
    }
    let own = outcome.own();
    let is_listed = |name: &str| warnings.iter().any(|warning| warning.contains(&format!("No task of {name} can")));
    let groups = study.tasks.iter().zip(&own.rejected_of);
    let rejected: Vec<&str> = groups
        .filter(|(group, rejected)| **rejected == Some(1.0) && !is_listed(&group.name))
        .map(|(group, _)| group.name.as_str())
        .collect();
    if let Some(first) = rejected.first() {
        let policy = own.policy.label();
        warnings.push(match rejected.len() {
            1 => format!("{policy} rejects every task of {first}."),
            count => {
                let groups = counted(count as f64, "group");
                format!("{policy} rejects every task of {groups}; the first is {first}.")
            }
        });
    }
    if let Some(named) = &study.replay.trace {
        warnings.extend(of_trace(study, named));
    }
    if let Some(replayed) = outcome.replayed.get(outcome.chosen) {
        let rejected: f64 = replayed.served.iter().map(|served| served.rejected).sum();
        if rejected > 0.0 {
            let count = Unit::Count.format(rejected.round());
            warnings.push(format!("Tasks of the replay that do not fit the idle cluster: {count}; they are left out."));
        }
    }
    let load = expected_load(study);
    if load > 1.0 {
        let load = Unit::Share.format(load);
        warnings.push(format!("Tasks request {load} of the available GPU time: queues grow until the last arrival."));
    }
    if study.arrivals.demand > 1.0 && study.arrivals.target >= 1.0 {
        warnings.push(
            "The target is 100 % and the demand exceeds the cluster: nodes are added until the last task has its GPUs."
                .to_owned(),
        );
    }
    warnings
}

/// Warnings about recorded tasks.
fn of_trace(study: &Allocation, named: &NamedTrace) -> Vec<String> {
    let mut warnings = named.found.notes.clone();
    match recorded(study, named) {
        Err(reason) => warnings.push(reason),
        Ok(Replayable { trace, .. }) => {
            let unended = trace.tasks.len() - named.found.timed;
            if unended > 0 {
                let tasks = if unended == 1 { "recorded task" } else { "recorded tasks" };
                let count = Unit::Count.format(unended as f64);
                warnings.push(format!(
                    "{count} {tasks} ran beyond the end of the record, for an unknown time; the replay leaves them out."
                ));
            }
        }
    }
    warnings
}

/// Requested GPU time of the replay ÷ available GPU time, each task with its mean share and at its best speed.
fn expected_load(study: &Allocation) -> f64 {
    let gpus: f64 = study.nodes.iter().map(|group| group.nodes * group.all_left()).sum();
    if let Some(named) = &study.replay.trace {
        let available = |recorded: &Replayable<'_>| gpus * recorded.seconds;
        let recorded = recorded(study, named).ok().filter(|recorded| available(recorded) > 0.0);
        return recorded.map_or(0.0, |recorded| recorded.gpu_seconds / available(&recorded));
    }
    if study.replay.seconds == 0.0 {
        return 0.0;
    }
    let shares = GroupShares::new(study);
    let of_group = |group: &super::study::TaskGroup| {
        let seconds = group.run_seconds / group.most_speed();
        group.per_hour / 3_600.0 * seconds * group.pieces * group.gpus * shares.of(group)
    };
    let requested: f64 = study.tasks.iter().map(of_group).sum();
    if gpus > 0.0 { requested / gpus } else { 0.0 }
}
