//! The decision for a whole plan, and its baselines.

use super::cost::OperatorCost;
use super::fixed::Fixed;
use super::flow::Flow;
use super::problem::Problem;
use super::reason::Reason;
use super::rules::Tie;
use super::verdict::PlanVerdict;
use crate::cost::{Breakdown, Term};
use crate::study::Side;
use crate::variant::Variant;
use crossover_engine::Work;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_query::Numbers;

/// The decision for a whole plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    /// Network and compression.
    pub variant: Variant,
    /// Rows and bytes of every node, by its id.
    pub numbers: Vec<Numbers>,
    /// Every operator, inputs first.
    pub operators: Vec<Decided>,
    /// The data between them.
    pub edges: Vec<Flow>,
    /// Time of the plan as placed, seconds.
    pub seconds: f64,
    /// Times of other placements.
    pub baselines: Baselines,
    /// Time of the plan without pins; `None` if nothing is pinned.
    pub unpinned: Option<Unpinned>,
    /// Work of the plan in whole engines; `None` without engines.
    pub work: Option<Work>,
    /// Times of both engines, with their 90 % intervals; `None` without engines.
    pub verdict: Option<PlanVerdict>,
    /// Why no placement can be judged, as a clause: too much of the query's time belongs to no operator. Then the hardware model
    /// leaves every operator on CPUs, unless it is pinned.
    pub not_judged: Option<String>,
    /// Warnings about the numbers, one sentence each.
    pub warnings: Vec<String>,
    /// Costs by place in `operators` and `edges`, GPU seconds counted θ times.
    pub(super) problem: Problem,
    /// Operators that the GPU engine ties together, by place in `operators`.
    pub ties: Vec<Tie>,
    /// Place in `operators`, by id of the node; `None` for nodes that do not work.
    pub(super) places: Vec<Option<usize>>,
}

/// One operator and its side.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// Id of the node.
    pub node: usize,
    /// Where it runs.
    pub side: Side,
    /// Why it could not be on the other side, if so.
    pub fixed: Option<Fixed>,
    /// Costs on both sides.
    pub cost: OperatorCost,
    /// Its side in per-operator greedy placement: the faster one, with its data starting and ending in host memory.
    pub greedy_side: Side,
    /// Why it is on its side.
    pub reason: Reason,
}

/// Times of other placements, seconds; pins and the support list apply to each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baselines {
    /// Everything on CPUs.
    pub all_cpu: f64,
    /// Everything on GPUs.
    pub all_gpu: f64,
    /// Per-operator greedy placement, which may separate [`Whole::ties`].
    pub greedy: f64,
}

/// The plan without pins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unpinned {
    /// Operators that are pinned.
    pub pins: usize,
    /// Time of the plan without pins, seconds.
    pub seconds: f64,
    /// Operators without a pin that are on another side because others are pinned.
    pub followers: usize,
}

impl Unpinned {
    /// "the pin costs 0.9 s (12 %); 3 other operators follow it". `seconds`: time of the plan with its pins.
    #[must_use]
    pub fn sentence(&self, seconds: f64) -> String {
        let (pins, cost, them) = match self.pins {
            1 => ("the pin".to_owned(), "costs", "it"),
            pins => (format!("{pins} pins"), "cost", "them"),
        };
        let more = seconds - self.seconds;
        // With a threshold, a pinned operator may take less time.
        let cost = match Unit::Seconds.format(more.abs()) {
            _ if more.abs() <= 1e-9 * seconds.abs() => format!("{pins} {cost} nothing"),
            time if more > 0.0 => format!("{pins} {cost} {time} ({})", Unit::Share.format(more / self.seconds)),
            time => format!("{pins} {} {time}", if self.pins == 1 { "saves" } else { "save" }),
        };
        match self.followers {
            0 => cost,
            count => {
                let follow = if count == 1 { "follows" } else { "follow" };
                format!("{cost}; {} {follow} {them}", counted(count as f64, "other operator"))
            }
        }
    }
}

/// Time of operators and of the data between them on these sides, seconds.
pub(super) fn seconds(operators: &[Decided], edges: &[Flow], problem: &Problem, sides: &[Side]) -> f64 {
    let own: f64 = operators.iter().zip(sides).map(|(decided, side)| decided.cost.seconds(*side)).sum();
    let ends = edges.iter().zip(&problem.edges);
    let bus: f64 = ends.map(|(flow, ends)| flow.cost.seconds(sides[ends.from], sides[ends.to])).sum();
    own + bus
}

impl Whole {
    /// The decision about a node, unless it does no work of its own.
    #[must_use]
    pub fn of_node(&self, node: usize) -> Option<&Decided> {
        self.places.get(node).copied().flatten().map(|place| &self.operators[place])
    }

    /// Time of the plan in another assignment, by place in `operators`, seconds.
    ///
    /// # Panics
    /// If there are fewer sides than operators.
    #[must_use]
    pub fn seconds(&self, sides: &[Side]) -> f64 {
        seconds(&self.operators, &self.edges, &self.problem, sides)
    }

    /// The same with every second on GPUs and on the bus counted θ times, which the decision minimises. Infinite if a fixed
    /// operator is on the wrong side.
    #[must_use]
    pub fn weighted_seconds(&self, sides: &[Side]) -> f64 {
        self.problem.cost(sides)
    }

    /// Ties that the decision separates because of pins.
    pub fn parted(&self) -> impl Iterator<Item = &Tie> {
        let sides: Vec<Side> = self.operators.iter().map(|decided| decided.side).collect();
        self.ties.iter().filter(move |tie| tie.is_parted(&sides))
    }

    /// Time to move data between CPU and GPU as placed, seconds.
    #[must_use]
    pub fn transfer_seconds(&self) -> f64 {
        self.edges.iter().map(Flow::seconds).sum()
    }

    /// Number of edges where data moves between CPU and GPU.
    #[must_use]
    pub fn transfers(&self) -> usize {
        self.edges.iter().filter(|flow| flow.changes_to.is_some()).count()
    }

    /// Operators on a side.
    #[must_use]
    pub fn count(&self, side: Side) -> usize {
        self.operators.iter().filter(|decided| decided.side == side).count()
    }

    /// All on CPUs ÷ as placed, or ÷ all on GPUs in whole engines; 1 for a plan that takes no time.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        // In whole engines the question is whether to move, so the ratio is that of both engines.
        let other = if self.work.is_some() { self.baselines.all_gpu } else { self.seconds };
        if self.baselines.all_cpu == other { 1.0 } else { self.baselines.all_cpu / other }
    }

    /// Terms of the time as placed; buses between operators count as bus in or bus out, and the conversion between rows and
    /// columns as compute.
    #[must_use]
    pub fn breakdown(&self) -> Breakdown {
        let mut sum = Breakdown::default();
        for decided in &self.operators {
            for term in Term::ALL {
                sum.seconds[term as usize] += decided.breakdown().get(term);
            }
        }
        for flow in &self.edges {
            let term = if flow.changes_to == Some(Side::Gpu) { Term::BusIn } else { Term::BusOut };
            sum.seconds[term as usize] += flow.moving.bus;
            sum.seconds[Term::Compute as usize] += flow.moving.conversion;
        }
        sum
    }
}

impl Decided {
    /// Terms of its time on its side.
    #[must_use]
    pub fn breakdown(&self) -> &Breakdown {
        match self.side {
            Side::Cpu => &self.cost.cpu,
            Side::Gpu => &self.cost.gpu,
        }
    }
}
