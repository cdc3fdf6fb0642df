//! The best decision that treats all operators of a class alike, for an engine with one switch for each class.

use std::collections::BTreeMap;

use super::outcome::Whole;
use super::problem::{Difference, Problem};
use super::rules::Needs;
use crate::study::{Query, Side};

/// One class and its side.
#[derive(Debug, Clone, PartialEq)]
pub struct ByClass {
    /// The side of every class of the plan that has a switch; empty for a plan without such classes, as of a database.
    /// Then `seconds` is the time of everything on CPUs, including pinned operators.
    pub sides: BTreeMap<String, ClassChoice>,
    /// Time of the plan when every class is on its side, seconds.
    pub seconds: f64,
}

/// The choice for one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassChoice {
    /// The side for all of them.
    pub side: Side,
    /// Operators of the class that the node-by-node decision puts on the CPU.
    pub on_cpu: usize,
    /// Operators of the class that the node-by-node decision puts on the GPU.
    pub on_gpu: usize,
}

impl ClassChoice {
    /// Whether the node-by-node decision uses both sides.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        self.on_cpu > 0 && self.on_gpu > 0
    }
}

/// Rounds in which every class is tried on its other side.
const ROUNDS: usize = 8;

/// The best decision that treats all operators of a class alike, or one that is slightly worse. If the engine has
/// [rules](super::Rule), it moves operators to the CPU; the decision is then a local optimum, which no single switch improves.
/// `usual_side` returns the default side of each class with a switch; operators of all other classes, or without a class, stay
/// on the CPU. So does a class with an operator that cannot leave it. Classes return to their default side as long as the
/// total cost rises by no more than the share `indifferent`, with GPU seconds counted θ times; smaller differences are within
/// the error.
#[must_use]
pub fn by_class(query: &Query, whole: &Whole, usual_side: impl Fn(&str) -> Option<Side>, indifferent: f64) -> ByClass {
    let problem = &whole.problem;
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names = Vec::new();
    // One vertex for each class, and one for everything without a switch.
    let vertex_of: Vec<usize> = whole
        .operators
        .iter()
        .map(|decided| {
            match query.plan.nodes[decided.node].class.as_ref().filter(|class| usual_side(class).is_some()) {
                Some(class) => *classes.entry(class).or_insert_with(|| {
                    names.push(class.clone());
                    names.len()
                }),
                None => 0,
            }
        })
        .collect();
    let mut merged = Problem { vertices: vec![[0.0; 2]; names.len() + 1], edges: Vec::new() };
    merged.vertices[0][Side::Gpu as usize] = f64::INFINITY;
    for (costs, vertex) in problem.vertices.iter().zip(&vertex_of) {
        for side in [Side::Cpu, Side::Gpu] {
            merged.vertices[*vertex][side as usize] += costs[side as usize];
        }
    }
    for vertex in &mut merged.vertices {
        // Pinned to both sides: the CPU can run everything.
        if vertex.iter().all(|cost| cost.is_infinite()) {
            *vertex = [0.0, f64::INFINITY];
        }
    }
    let between =
        problem.edges.iter().map(|edge| Difference { from: vertex_of[edge.from], to: vertex_of[edge.to], ..*edge });
    merged.edges = between.filter(|edge| edge.from != edge.to).collect();

    let mut chosen = merged.solve();
    // The placement as the engine executes it: rules can separate operators of a class.
    let needs = Needs::new(problem, &whole.ties);
    let placed = |chosen: &[Side]| needs.fallen_back(vertex_of.iter().map(|vertex| chosen[*vertex]).collect());
    let cost = |sides: &[Side]| problem.cost(sides);
    let mut sides = placed(&chosen);
    let mut best = cost(&sides);
    let has_switch = |vertex: usize| merged.vertices[vertex].iter().all(|cost| cost.is_finite());
    for round in 0..ROUNDS {
        let before = best;
        for _ in 0..ROUNDS {
            let before = best;
            for vertex in (1..chosen.len()).filter(|vertex| !whole.ties.is_empty() && has_switch(*vertex)) {
                chosen[vertex] = chosen[vertex].other();
                let other = placed(&chosen);
                let seconds = cost(&other);
                if seconds < best {
                    (sides, best) = (other, seconds);
                } else {
                    chosen[vertex] = chosen[vertex].other();
                }
            }
            if best >= before {
                break;
            }
        }
        if round > 0 && best >= before {
            break;
        }
        // A pin that no switch can meet makes the cost of every choice infinite.
        let limit = if best.is_finite() { best * (1.0 + indifferent) } else { f64::NEG_INFINITY };
        // One class after another returns, the cheapest first: it may make the next one cheaper.
        for _ in 0..names.len() {
            let unusual = (1..).zip(&names).filter(|(vertex, name)| {
                has_switch(*vertex) && usual_side(name).is_some_and(|side| side != chosen[*vertex])
            });
            let back = unusual.map(|(vertex, _)| {
                let mut back = chosen.clone();
                back[vertex] = back[vertex].other();
                (cost(&placed(&back)), back)
            });
            let cheapest = back.min_by(|(a, _), (b, _)| a.total_cmp(b));
            let Some((_, back)) = cheapest.filter(|(seconds, _)| *seconds <= limit) else { break };
            chosen = back;
            sides = placed(&chosen);
        }
        // A switch without effect stays off. From there another one may pay, which the next round tries.
        for (vertex, chosen) in chosen.iter_mut().enumerate() {
            let mut own = vertex_of.iter().zip(&sides).filter(|(of, _)| **of == vertex);
            if own.all(|(_, side)| *side == Side::Cpu) {
                *chosen = Side::Cpu;
            }
        }
    }
    let count = |vertex: usize, side: Side| {
        whole.operators.iter().zip(&vertex_of).filter(|(decided, of)| **of == vertex && decided.side == side).count()
    };
    let choices = names.into_iter().enumerate().map(|(index, name)| {
        let vertex = index + 1;
        let choice =
            ClassChoice { side: chosen[vertex], on_cpu: count(vertex, Side::Cpu), on_gpu: count(vertex, Side::Gpu) };
        (name, choice)
    });
    ByClass { sides: choices.collect(), seconds: whole.seconds(&sides) }
}
