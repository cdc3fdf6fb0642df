//! The decision for a whole plan, and what else could have been decided.

use super::cost::{Costs, EdgeCost, OperatorCost};
use super::cut::{Difference, Problem, side};
use super::reason::{Bus, Choice, Reason};
use super::warnings::warnings;
use crate::placement::cost::{Breakdown, Term};
use crate::placement::study::{Placement, Query, Side};
use crate::placement::variant::Variant;
use crate::plan::{Edge, Graph, Numbers, fill};

/// The decision for a whole plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    /// Network and compression that it is for.
    pub variant: Variant,
    /// Rows and bytes of every node, by its id.
    pub numbers: Vec<Numbers>,
    /// Every operator, inputs first.
    pub operators: Vec<Decided>,
    /// What flows between them.
    pub edges: Vec<Flow>,
    /// Time of the plan as decided, seconds.
    pub seconds: f64,
    /// What else could have been decided.
    pub baselines: Baselines,
    /// What a careful reader should know before trusting the numbers.
    pub warnings: Vec<String>,
    /// Costs by place in `operators` and `edges`, GPU seconds counted θ times.
    pub(super) problem: Problem,
    /// Place in `operators`, by id of the node; `None` for nodes that do not work.
    places: Vec<Option<usize>>,
}

/// One operator and its side.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// Id of the node.
    pub node: usize,
    /// Where it runs.
    pub side: Side,
    /// Why it could not be anywhere else, if so.
    pub fixed: Option<Fixed>,
    /// What it costs on either side.
    pub cost: OperatorCost,
    /// The side on which it would be faster by itself, its data starting and ending in host memory.
    pub alone: Side,
    /// Why it runs there.
    pub reason: Reason,
}

/// Why an operator could not be anywhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fixed {
    /// The user pinned it.
    Pinned,
    /// A support list says that its class has no GPU version; its note.
    Unsupported(String),
    /// What it does runs on CPUs only.
    CpuOnly(&'static str),
}

/// Data between two operators.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// What flows from where to where.
    pub edge: Edge,
    /// What it costs to change sides here.
    pub cost: EdgeCost,
    /// The side that the data changes to as decided, if it changes.
    pub changes_to: Option<Side>,
    /// Time on the bus as decided, seconds; 0 where both ends are on one side.
    pub seconds: f64,
}

/// What else could have been decided; pins and missing support hold here too. Seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baselines {
    /// Everything on CPUs.
    pub all_cpu: f64,
    /// Everything on GPUs.
    pub all_gpu: f64,
    /// Every operator where it is faster by itself.
    pub each_alone: f64,
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
        let own: f64 = self.operators.iter().zip(sides).map(|(decided, side)| decided.cost.seconds(*side)).sum();
        let ends = self.edges.iter().zip(&self.problem.edges);
        let bus: f64 = ends.map(|(flow, ends)| flow.cost.seconds(sides[ends.from], sides[ends.to])).sum();
        own + bus
    }

    /// The same with every second on GPUs and on the bus counted θ times: what the decision makes as small as it can
    /// be. Infinite where a fixed operator is on the wrong side.
    #[must_use]
    pub fn weighted_seconds(&self, sides: &[Side]) -> f64 {
        self.problem.cost(sides)
    }

    /// Places where data changes sides.
    #[must_use]
    pub fn crossings(&self) -> usize {
        self.edges.iter().filter(|flow| flow.changes_to.is_some()).count()
    }

    /// Operators on a side.
    #[must_use]
    pub fn count(&self, side: Side) -> usize {
        self.operators.iter().filter(|decided| decided.side == side).count()
    }

    /// Everything on CPUs ÷ as decided; 1 for a plan that takes no time.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        if self.baselines.all_cpu == self.seconds { 1.0 } else { self.baselines.all_cpu / self.seconds }
    }

    /// Where the seconds go as decided; buses between operators count as data into the GPU or out of it.
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
            sum.seconds[term as usize] += flow.seconds;
        }
        sum
    }
}

impl Decided {
    /// Where its seconds go on the side where it runs.
    #[must_use]
    pub fn breakdown(&self) -> &Breakdown {
        match self.side {
            Side::Cpu => &self.cost.cpu,
            Side::Gpu => &self.cost.gpu,
        }
    }
}

/// Decides the plan of a valid study in the variant that its policy chooses; `None` if it has no plan.
#[must_use]
pub fn decide(study: &Placement) -> Option<Whole> {
    study.query.as_ref().map(|query| decide_in(study, query, Variant::chosen(study)))
}

/// Decides a plan in any variant.
#[must_use]
pub fn decide_in(study: &Placement, query: &Query, variant: Variant) -> Whole {
    let numbers = fill(&query.plan);
    let graph = Graph::new(&query.plan, &numbers);
    let costs = Costs::new(study, query, variant, &numbers, &graph);
    let mut places = vec![None; query.plan.nodes.len()];
    for (place, id) in graph.operators.iter().enumerate() {
        places[*id] = Some(place);
    }

    let mut problem = free_problem(&graph, &places, &costs, study.policy.threshold);
    let alone = alone(&problem);
    let fixed: Vec<Option<(Side, Fixed)>> = graph.operators.iter().map(|id| fixed(query, *id)).collect();
    for (own, fixed) in problem.vertices.iter_mut().zip(&fixed) {
        if let Some((side, _)) = fixed {
            own[side.other() as usize] = f64::INFINITY;
        }
    }
    let sides = problem.solve();

    let flows = graph.edges.iter().zip(&costs.edges).zip(&problem.edges).map(|((edge, cost), ends)| {
        let (from, to) = (sides[ends.from], sides[ends.to]);
        Flow { edge: *edge, cost: *cost, changes_to: (from != to).then_some(to), seconds: cost.seconds(from, to) }
    });
    let flows: Vec<Flow> = flows.collect();
    let buses = Bus::of_all(&sides, &flows, &problem.edges);
    let decided = graph.operators.iter().zip(&costs.operators).enumerate().map(|(place, (id, cost))| {
        let (side, alone) = (sides[place], alone[place]);
        let fixed = fixed[place].as_ref().map(|(_, why)| why);
        let choice = Choice { node: &query.plan.nodes[*id], side, fixed, cost, alone, bus: buses[place] };
        let reason = Reason::new(&choice, study.policy.threshold);
        Decided { node: *id, side, fixed: fixed.cloned(), cost: *cost, alone, reason }
    });
    let mut whole = Whole {
        variant,
        operators: decided.collect(),
        edges: flows,
        numbers,
        seconds: 0.0,
        baselines: Baselines { all_cpu: 0.0, all_gpu: 0.0, each_alone: 0.0 },
        warnings: Vec::new(),
        problem,
        places,
    };
    let otherwise = |free: &dyn Fn(usize) -> Side| -> f64 {
        let side =
            |(place, fixed): (usize, &Option<(Side, Fixed)>)| fixed.as_ref().map_or(free(place), |(side, _)| *side);
        whole.seconds(&fixed.iter().enumerate().map(side).collect::<Vec<Side>>())
    };
    let baselines = Baselines {
        all_cpu: otherwise(&|_| Side::Cpu),
        all_gpu: otherwise(&|_| Side::Gpu),
        each_alone: otherwise(&|place| alone[place]),
    };
    whole.baselines = baselines;
    whole.seconds = whole.seconds(&sides);
    whole.warnings = warnings(study, query, &whole);
    whole
}

/// The side that an operator must be on, and why.
fn fixed(query: &Query, id: usize) -> Option<(Side, Fixed)> {
    let node = &query.plan.nodes[id];
    if let Some(side) = query.pins.get(&id) {
        return Some((*side, Fixed::Pinned));
    }
    let note = node.class.as_ref().and_then(|class| query.unsupported.get(class));
    let listed = note.map(|note| Fixed::Unsupported(note.clone()));
    listed.or_else(|| node.kind.why_cpu_only().map(Fixed::CpuOnly)).map(|why| (Side::Cpu, why))
}

/// The costs of a plan in which every operator may be on either side.
fn free_problem(graph: &Graph, places: &[Option<usize>], costs: &Costs, threshold: f64) -> Problem {
    let vertices = costs.operators.iter().map(|cost| [cost.cpu.total(), threshold * cost.gpu.total()]);
    let edges = graph.edges.iter().zip(&costs.edges).filter_map(|(edge, cost)| {
        // Both ends are operators of the graph, so both have a place.
        Some(Difference {
            from: places[edge.from]?,
            to: places[edge.to]?,
            cpu_to_gpu: threshold * cost.to_gpu,
            gpu_to_cpu: threshold * cost.from_gpu,
        })
    });
    Problem { vertices: vertices.collect(), edges: edges.collect() }
}

/// Where each operator would be faster by itself: all its neighbours are on CPUs.
fn alone(problem: &Problem) -> Vec<Side> {
    let mut on_gpu: Vec<f64> = problem.vertices.iter().map(|[_, gpu]| *gpu).collect();
    for edge in &problem.edges {
        on_gpu[edge.to] += edge.cpu_to_gpu;
        on_gpu[edge.from] += edge.gpu_to_cpu;
    }
    problem.vertices.iter().zip(on_gpu).map(|([cpu, _], gpu)| side(gpu < *cpu)).collect()
}
