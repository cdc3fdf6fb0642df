//! Decides a whole plan: costs, the cheapest assignment, baselines and reasons.

use std::collections::BTreeMap;

use super::cost::Costs;
use super::fixed::{Fixed, fixed};
use super::flow::{Flow, Moves};
use super::outcome::{self, Baselines, Decided, Unpinned, Whole};
use super::problem::{Difference, Problem, side};
use super::reason::{Choice, Reason};
use super::rules::ties;
use super::unaccounted::{TimeKept, widening};
use super::verdict::{Moved, PlanVerdict};
use super::warnings::warnings;
use crate::study::{Placement, Query, Side};
use crate::variant::Variant;
use crossover_engine::Engines;
use crossover_query::{Graph, Numbers, fill};

/// Why operators stay on CPUs in the hardware model if too little is known of their times.
const UNACCOUNTED: &str = "too much of the query's time belongs to no operator, so no placement can be judged";

/// Decides the plan of a valid study in the variant of its policy; `None` if it has no plan.
#[must_use]
pub fn decide(study: &Placement) -> Option<Whole> {
    study.query.as_ref().map(|query| decide_in(study, query, Variant::chosen(study)))
}

/// Decides a plan in any variant.
#[must_use]
pub fn decide_in(study: &Placement, query: &Query, variant: Variant) -> Whole {
    decide_filled(study, query, variant, fill(&query.plan))
}

/// The same with the numbers of the plan's nodes.
pub(super) fn decide_filled(study: &Placement, query: &Query, variant: Variant, numbers: Vec<Numbers>) -> Whole {
    let graph = Graph::new(&query.plan, &numbers);
    let costs = Costs::new(study, query, variant, &numbers, &graph);
    let mut places = vec![None; query.plan.nodes.len()];
    for (place, id) in graph.operators.iter().enumerate() {
        places[*id] = Some(place);
    }

    let mut problem = free_problem(&graph, &places, &costs, study.policy.threshold);
    let greedy = greedy_sides(&problem);
    let not_judged = query.plan.why_unaccounted();
    // Whole engines are decided by the options, which are blocked.
    let is_held = not_judged.is_some() && study.engines.is_none();
    let held = || is_held.then_some((Side::Cpu, Fixed::CpuOnly(UNACCOUNTED)));
    let fixed: Vec<Option<(Side, Fixed)>> = graph.operators.iter().map(|id| fixed(query, *id).or_else(held)).collect();
    for (own, fixed) in problem.vertices.iter_mut().zip(&fixed) {
        if let Some((side, _)) = fixed {
            own[side.other() as usize] = f64::INFINITY;
        }
    }
    // In one engine, everything is on one side.
    let ties = if study.engines.is_some() { Vec::new() } else { ties(&query.plan, &graph, &places) };
    let sides = match study.engines {
        Some(_) => in_one_engine(&problem, &fixed),
        None => problem.solve_tied(&ties),
    };
    let mut rules = vec![None; fixed.len()];
    for tie in &ties {
        for (needed, by) in tie.needs() {
            // A tie explains the side of an operator that the other one requires, or that requires the other one.
            match (sides[needed], sides[by]) {
                (Side::Cpu, Side::Cpu) => rules[by] = rules[by].or(Some(tie.rule)),
                (Side::Gpu, Side::Gpu) => rules[needed] = rules[needed].or(Some(tie.rule)),
                _ => {}
            }
        }
    }
    // Fixed operators stay on their side in every baseline.
    let of_all = |side: Side| {
        let sides = fixed.iter().map(|fixed| fixed.as_ref().map_or(side, |(side, _)| *side));
        costs.operators.iter().zip(sides).map(|(cost, side)| cost.seconds(side)).sum()
    };
    let engine = study.engines.as_ref().map(|_| [of_all(Side::Cpu), of_all(Side::Gpu)]);

    let flows = graph.edges.iter().zip(&costs.edges).zip(&problem.edges).map(|((edge, cost), ends)| {
        let (from, to) = (sides[ends.from], sides[ends.to]);
        Flow { edge: *edge, cost: *cost, changes_to: (from != to).then_some(to), moving: cost.moving(from, to) }
    });
    let flows: Vec<Flow> = flows.collect();
    let moves = Moves::of_all(&sides, &flows, &problem.edges);
    let decided = graph.operators.iter().zip(&costs.operators).enumerate().map(|(place, (id, cost))| {
        let (side, greedy_side) = (sides[place], greedy[place]);
        let fixed = fixed[place].as_ref().map(|(_, why)| why);
        let (node, moves, rule) = (&query.plan.nodes[*id], moves[place], rules[place]);
        let is_result = graph.root() == Some(*id);
        let choice = Choice { node, side, fixed, cost, greedy_side, moves, engine, is_result, rule };
        let reason = Reason::new(&choice, study.policy.threshold);
        Decided { node: *id, side, fixed: fixed.cloned(), cost: *cost, greedy_side, reason }
    });
    let operators: Vec<Decided> = decided.collect();
    let seconds = |sides: &[Side]| outcome::seconds(&operators, &flows, &problem, sides);
    let otherwise = |free: &dyn Fn(usize) -> Side| -> f64 {
        let side =
            |(place, fixed): (usize, &Option<(Side, Fixed)>)| fixed.as_ref().map_or(free(place), |(side, _)| *side);
        seconds(&fixed.iter().enumerate().map(side).collect::<Vec<Side>>())
    };
    let staying = || -> f64 {
        let fixed = operators.iter().zip(&fixed).filter(|(_, fixed)| matches!(fixed, Some((Side::Cpu, _))));
        fixed.map(|(decided, _)| decided.cost.seconds(Side::Cpu)).sum()
    };
    let error_of_staying = study.engines.as_deref().map_or(0.0, |engines| error_of_staying(engines, staying()));
    let baselines = Baselines {
        all_cpu: otherwise(&|_| Side::Cpu),
        all_gpu: otherwise(&|_| Side::Gpu) + error_of_staying,
        greedy: otherwise(&|place| greedy[place]),
    };
    let runs_on_gpus = study.engines.is_some() && sides.contains(&Side::Gpu);
    let seconds = seconds(&sides) + if runs_on_gpus { error_of_staying } else { 0.0 };
    let times = [baselines.all_cpu, baselines.all_gpu];
    let moved = Moved {
        counted: costs.volumes.as_ref(),
        estimated: costs.estimated.as_ref(),
        multiplied: Some(&costs.multiplied),
    };
    let kept = operators.iter().zip(&fixed).filter(|(decided, fixed)| {
        matches!(fixed, Some((Side::Cpu, _))) && query.plan.nodes[decided.node].is_without_operator()
    });
    let kept: f64 = kept.map(|(decided, _)| decided.cost.seconds(Side::Cpu)).sum();
    let verdict = study.engines.as_deref().and_then(|engines| {
        let kept = TimeKept { today: kept, option: kept + self::error_of_staying(engines, kept) };
        let widening = has_errors(query).then(|| widening(&query.plan, times, kept));
        PlanVerdict::new(engines, times, widening, moved)
    });
    let whole = Whole {
        variant,
        seconds,
        baselines,
        unpinned: unpinned(study, query, variant, &operators, &numbers),
        work: costs.work,
        verdict,
        not_judged,
        operators,
        edges: flows,
        numbers,
        // They follow from the complete decision.
        warnings: Vec::new(),
        problem,
        ties,
        places,
    };
    let warnings = warnings(study, query, &whole);
    Whole { warnings, ..whole }
}

/// What the error of the GPU engine's time adds to the seconds of operators that stay on CPUs: it is that of whole queries. 0 unless
/// the error is drawn.
pub(super) fn error_of_staying(engines: &Engines, staying: f64) -> f64 {
    staying * (engines.gpu.time_ratio / engines.cpu.time_ratio - 1.0)
}

/// Whether the errors of a profile apply to a plan: not if it ran on GPUs, because no profile was fitted to such plans, and not if
/// too much of its time belongs to no operator.
pub(crate) fn has_errors(query: &Query) -> bool {
    query.plan.why_not_judged().is_none()
}

/// The same plan, decided without its pins.
fn unpinned(
    study: &Placement,
    query: &Query,
    variant: Variant,
    operators: &[Decided],
    numbers: &[Numbers],
) -> Option<Unpinned> {
    let is_pinned = |decided: &Decided| decided.fixed == Some(Fixed::Pinned);
    let pins = operators.iter().filter(|decided| is_pinned(decided)).count();
    if pins == 0 {
        return None;
    }
    let unpinned = Query { pins: BTreeMap::new(), ..query.clone() };
    let free = decide_filled(study, &unpinned, variant, numbers.to_vec());
    let pairs = operators.iter().zip(&free.operators);
    let followers = pairs.filter(|(with, without)| !is_pinned(with) && with.side != without.side).count();
    Some(Unpinned { pins, seconds: free.seconds, followers })
}

/// Everything in the faster engine, except operators that cannot run there: engines on machines of their own do not share a
/// query.
fn in_one_engine(problem: &Problem, fixed: &[Option<(Side, Fixed)>]) -> Vec<Side> {
    let [on_cpu, on_gpu] = [Side::Cpu, Side::Gpu].map(|side| -> Vec<Side> {
        fixed.iter().map(|fixed| fixed.as_ref().map_or(side, |(side, _)| *side)).collect()
    });
    if problem.cost(&on_gpu) < problem.cost(&on_cpu) { on_gpu } else { on_cpu }
}

/// The costs of a plan in which every operator may be on either side.
fn free_problem(graph: &Graph, places: &[Option<usize>], costs: &Costs, threshold: f64) -> Problem {
    let vertices = costs.operators.iter().map(|cost| [cost.cpu.total(), threshold * cost.gpu.total()]);
    let edges = graph.edges.iter().zip(&costs.edges).filter_map(|(edge, cost)| {
        // Both ends are operators of the graph, so both have a place.
        Some(Difference {
            from: places[edge.from]?,
            to: places[edge.to]?,
            cpu_to_gpu: threshold * cost.to_gpu.seconds(),
            gpu_to_cpu: threshold * cost.from_gpu.seconds(),
        })
    });
    Problem { vertices: vertices.collect(), edges: edges.collect() }
}

/// The faster side of each operator with its neighbours on CPUs: per-operator greedy placement.
fn greedy_sides(problem: &Problem) -> Vec<Side> {
    let mut on_gpu: Vec<f64> = problem.vertices.iter().map(|[_, gpu]| *gpu).collect();
    for edge in &problem.edges {
        on_gpu[edge.to] += edge.cpu_to_gpu;
        on_gpu[edge.from] += edge.gpu_to_cpu;
    }
    problem.vertices.iter().zip(on_gpu).map(|([cpu, _], gpu)| side(gpu < *cpu)).collect()
}
