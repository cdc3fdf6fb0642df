//! The decision for a whole plan, what else could have been decided, and why.

use super::cost::{Costs, EdgeCost, OperatorCost};
use super::cut::{Difference, Problem};
use super::reason::reason;
use crate::placement::cost::{Breakdown, Term};
use crate::placement::study::{Overlap, Placement, Query, Side};
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
    /// Why it runs there, in one sentence.
    pub reason: String,
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
        self.operators.iter().find(|decided| decided.node == node)
    }

    /// Time of the plan in another assignment, by place in `operators`, seconds.
    #[must_use]
    pub fn seconds(&self, sides: &[Side]) -> f64 {
        seconds(&self.operators, &self.edges, sides)
    }

    /// Places where data changes sides.
    #[must_use]
    pub fn crossings(&self) -> usize {
        self.edges.iter().filter(|flow| flow.seconds > 0.0).count()
    }

    /// Operators on a side.
    #[must_use]
    pub fn count(&self, side: Side) -> usize {
        self.operators.iter().filter(|decided| decided.side == side).count()
    }

    /// Everything on CPUs ÷ as decided.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.baselines.all_cpu / self.seconds
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
            let to_gpu = self.of_node(flow.edge.to).is_some_and(|decided| decided.side == Side::Gpu);
            sum.seconds[if to_gpu { Term::BusIn } else { Term::BusOut } as usize] += flow.seconds;
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
    let threshold = study.policy.threshold;
    let fixed: Vec<Option<(Side, Fixed)>> = graph.operators.iter().map(|id| fixed(query, *id)).collect();
    let problem = problem(&graph, &costs, &fixed, threshold);
    let sides = problem.solve();
    let alone = alone(&graph, &costs, threshold);

    let mut operators: Vec<Decided> = Vec::with_capacity(graph.operators.len());
    for (index, id) in graph.operators.iter().enumerate() {
        operators.push(Decided {
            node: *id,
            side: sides[index],
            fixed: fixed[index].clone().map(|(_, why)| why),
            cost: costs.operators[index],
            alone: alone[index],
            reason: String::new(),
        });
    }
    let mut edges: Vec<Flow> = Vec::with_capacity(graph.edges.len());
    for ((edge, cost), difference) in graph.edges.iter().zip(&costs.edges).zip(&problem.edges) {
        let seconds = bus_seconds(cost, sides[difference.from], sides[difference.to]);
        edges.push(Flow { edge: *edge, cost: *cost, seconds });
    }
    let within = |side: Side| -> Vec<Side> {
        fixed.iter().map(|fixed| fixed.as_ref().map_or(side, |(side, _)| *side)).collect()
    };
    let alone: Vec<Side> =
        fixed.iter().zip(&alone).map(|(fixed, alone)| fixed.as_ref().map_or(*alone, |(side, _)| *side)).collect();
    let baselines = Baselines {
        all_cpu: seconds(&operators, &edges, &within(Side::Cpu)),
        all_gpu: seconds(&operators, &edges, &within(Side::Gpu)),
        each_alone: seconds(&operators, &edges, &alone),
    };
    let total = seconds(&operators, &edges, &sides);
    let mut whole =
        Whole { variant, numbers, operators, edges, seconds: total, baselines, warnings: Vec::new(), problem };
    let reasons: Vec<String> = (0..whole.operators.len()).map(|index| reason(&whole, query, index)).collect();
    for (decided, reason) in whole.operators.iter_mut().zip(reasons) {
        decided.reason = reason;
    }
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

fn problem(graph: &Graph, costs: &Costs, fixed: &[Option<(Side, Fixed)>], threshold: f64) -> Problem {
    let vertices = costs.operators.iter().zip(fixed).map(|(cost, fixed)| {
        let mut own = [cost.cpu.total(), threshold * cost.gpu.total()];
        if let Some((side, _)) = fixed {
            own[if *side == Side::Cpu { Side::Gpu } else { Side::Cpu } as usize] = f64::INFINITY;
        }
        own
    });
    let place = places(graph);
    let edges = graph.edges.iter().zip(&costs.edges).map(|(edge, cost)| Difference {
        from: place(edge.from),
        to: place(edge.to),
        cpu_to_gpu: threshold * cost.to_gpu,
        gpu_to_cpu: threshold * cost.from_gpu,
    });
    Problem { vertices: vertices.collect(), edges: edges.collect() }
}

/// Place of a node among the operators.
fn places(graph: &Graph) -> impl Fn(usize) -> usize {
    let last = graph.operators.iter().max().map_or(0, |id| id + 1);
    let mut places = vec![usize::MAX; last];
    for (place, id) in graph.operators.iter().enumerate() {
        places[*id] = place;
    }
    move |id| places[id]
}

/// Where each operator would be faster by itself: its inputs come over the bus, and its output goes back.
fn alone(graph: &Graph, costs: &Costs, threshold: f64) -> Vec<Side> {
    let place = places(graph);
    let mut bus = vec![0.0; graph.operators.len()];
    let mut has_reader = vec![false; graph.operators.len()];
    for (edge, cost) in graph.edges.iter().zip(&costs.edges) {
        bus[place(edge.to)] += cost.to_gpu;
        // What several operators read leaves the GPU once.
        if !std::mem::replace(&mut has_reader[place(edge.from)], true) {
            bus[place(edge.from)] += cost.from_gpu;
        }
    }
    let pays = |(cost, bus): (&OperatorCost, &f64)| cost.cpu.total() > threshold * (cost.gpu.total() + bus);
    costs.operators.iter().zip(&bus).map(|pair| if pays(pair) { Side::Gpu } else { Side::Cpu }).collect()
}

fn bus_seconds(cost: &EdgeCost, from: Side, to: Side) -> f64 {
    match (from, to) {
        (Side::Cpu, Side::Gpu) => cost.to_gpu,
        (Side::Gpu, Side::Cpu) => cost.from_gpu,
        _ => 0.0,
    }
}

fn seconds(operators: &[Decided], edges: &[Flow], sides: &[Side]) -> f64 {
    let own: f64 = operators
        .iter()
        .zip(sides)
        .map(|(decided, side)| match side {
            Side::Cpu => decided.cost.cpu.total(),
            Side::Gpu => decided.cost.gpu.total(),
        })
        .sum();
    let last = operators.iter().map(|decided| decided.node + 1).max().unwrap_or(0);
    let mut side_of = vec![Side::Cpu; last];
    for (decided, side) in operators.iter().zip(sides) {
        side_of[decided.node] = *side;
    }
    let bus: f64 =
        edges.iter().map(|flow| bus_seconds(&flow.cost, side_of[flow.edge.from], side_of[flow.edge.to])).sum();
    own + bus
}

fn warnings(study: &Placement, query: &Query, whole: &Whole) -> Vec<String> {
    let mut warnings = Vec::new();
    if study.policy.overlap != Overlap::Nothing {
        warnings.push("The times of a whole plan add up; nothing overlaps between its operators.".to_owned());
    }
    let is_guess = |decided: &&Decided| {
        let numbers = &whole.numbers[decided.node];
        numbers.rows_out.is_estimated() || numbers.bytes_out.is_estimated()
    };
    let guessed = whole.operators.iter().filter(is_guess).count();
    if guessed > 0 {
        let all = whole.operators.len();
        warnings.push(format!("{guessed} of {all} operators have estimated rows or bytes; see their numbers."));
    }
    for (node, side) in &query.pins {
        let class = query.plan.nodes.get(*node).and_then(|node| node.class.as_ref());
        if *side == Side::Gpu && class.is_some_and(|class| query.unsupported.contains_key(class)) {
            warnings.push(format!("Operator {node} is pinned to the GPU, which the support list says cannot run it."));
        }
    }
    for pin in query.pins.keys().filter(|pin| whole.of_node(**pin).is_none()) {
        warnings.push(format!("The pin of node {pin} does nothing: the node does no work of its own."));
    }
    warnings
}
