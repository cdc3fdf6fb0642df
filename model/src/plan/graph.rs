//! The operators of a plan that work, and the data between them: wrappers and reused parts are seen through.

use super::kind::Kind;
use super::node::Node;
use super::{Numbers, Plan};

/// The operators that work, and the data between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graph {
    /// Ids of the operators, inputs before the operators that read them; the root is the last one.
    pub operators: Vec<usize>,
    /// What flows between them, ordered by the operator that reads.
    pub edges: Vec<Edge>,
}

/// Data that one operator reads from another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Id of the node that gives it.
    pub from: usize,
    /// Id of the node that reads it.
    pub to: usize,
    /// Its size over the whole cluster, bytes; a broadcast copy counts once.
    pub bytes: f64,
}

impl Graph {
    /// The graph of a valid plan.
    ///
    /// # Panics
    /// If an input does not exist, see [`super::validate::validate`].
    #[must_use]
    pub fn new(plan: &Plan, numbers: &[Numbers]) -> Self {
        let order = order(plan).unwrap_or_default();
        let works = |id: &usize| plan.nodes[*id].kind != Kind::Wrapper && plan.nodes[*id].reuses.is_none();
        let operators: Vec<usize> = order.into_iter().filter(works).collect();
        let edges = operators.iter().flat_map(|to| {
            let mut sources = Vec::new();
            workers_below(plan, *to, &mut sources);
            sources.into_iter().map(|from| Edge { from, to: *to, bytes: numbers[from].bytes_out.value })
        });
        Self { edges: edges.collect(), operators }
    }

    /// The operator whose output is the result of the query.
    #[must_use]
    pub fn root(&self) -> Option<usize> {
        self.operators.last().copied()
    }
}

/// What a node takes its data from: its inputs, or the node that it repeats.
pub(super) fn sources(node: &Node) -> impl Iterator<Item = usize> + Clone + '_ {
    let own = if node.reuses.is_some() { &[][..] } else { &node.inputs[..] };
    node.reuses.into_iter().chain(own.iter().copied())
}

/// Ids of the nodes that the root needs, inputs first, or a node that needs its own result.
pub(super) fn order(plan: &Plan) -> Result<Vec<usize>, usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; plan.nodes.len()];
    let mut order = Vec::with_capacity(plan.nodes.len());
    // Plans are as deep as their authors like: no recursion.
    let mut stack: Vec<usize> = if plan.nodes.is_empty() { Vec::new() } else { vec![0] };
    while let Some(&id) = stack.last() {
        match states[id] {
            State::Done => {
                stack.pop();
            }
            State::Open => {
                states[id] = State::Done;
                order.push(id);
                stack.pop();
            }
            State::New => {
                states[id] = State::Open;
                let below = stack.len();
                for source in sources(&plan.nodes[id]) {
                    match states[source] {
                        State::New => stack.push(source),
                        State::Open => return Err(source),
                        State::Done => {}
                    }
                }
                // The first input comes first.
                stack[below..].reverse();
            }
        }
    }
    Ok(order)
}

/// Operators whose output a node reads, through wrappers.
fn workers_below(plan: &Plan, id: usize, found: &mut Vec<usize>) {
    let mut stack: Vec<usize> = sources(&plan.nodes[id]).collect();
    stack.reverse();
    while let Some(source) = stack.pop() {
        let node = &plan.nodes[source];
        if node.kind == Kind::Wrapper || node.reuses.is_some() {
            let below = stack.len();
            stack.extend(sources(node));
            stack[below..].reverse();
        } else {
            found.push(source);
        }
    }
}
