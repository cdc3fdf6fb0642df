//! The operators of a plan that work, and the data between them: wrappers and reused parts are seen through.

use super::node::Node;
use super::{Numbers, Plan};

/// The operators that work, and the data between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graph {
    /// Ids of the operators, inputs before the operators that read them; the root is the last one.
    pub operators: Vec<usize>,
    /// The data between them, ordered by the operators that read it.
    pub edges: Vec<Edge>,
}

/// Data that one operator reads from another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Id of the node that produces it.
    pub from: usize,
    /// Id of the node that reads it.
    pub to: usize,
    /// Its size over the whole cluster, bytes; a broadcast copy counts once.
    pub bytes: f64,
}

impl Graph {
    /// The graph of a valid plan. An operator that reads the same data through two of its inputs has two edges.
    ///
    /// # Panics
    /// If an input does not exist, see [`super::validate::validate`].
    #[must_use]
    pub fn new(plan: &Plan, numbers: &[Numbers]) -> Self {
        let order = order(plan, plan.roots()).unwrap_or_default();
        let mut search = Search::new(plan, &order);
        let operators: Vec<usize> = order.into_iter().filter(|id| plan.nodes[*id].works()).collect();
        let mut edges = Vec::with_capacity(operators.len());
        for to in operators.iter().copied() {
            for input in sources(&plan.nodes[to]) {
                search.workers(input, |from| edges.push(Edge { from, to, bytes: numbers[from].bytes_out.value }));
            }
        }
        Self { operators, edges }
    }

    /// The operator whose output is the result of the query.
    #[must_use]
    pub fn root(&self) -> Option<usize> {
        self.operators.last().copied()
    }
}

/// The nodes whose data a node uses: its inputs, or the node that it reuses.
pub(super) fn sources(node: &Node) -> impl Iterator<Item = usize> + Clone + '_ {
    let own = if node.reuses.is_some() { &[][..] } else { &node.inputs[..] };
    node.reuses.into_iter().chain(own.iter().copied())
}

/// Ids of the nodes that these depend on, inputs first; or a node that depends on its own result.
pub(super) fn order(plan: &Plan, needed: impl Iterator<Item = usize>) -> Result<Vec<usize>, usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; plan.nodes.len()];
    let mut order = Vec::with_capacity(plan.nodes.len());
    // Plans can be arbitrarily deep: no recursion.
    let mut stack: Vec<usize> = Vec::new();
    for start in needed {
        stack.push(start);
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
    }
    Ok(order)
}

/// Searches behind wrappers and reused parts for the operators that work.
struct Search<'a> {
    plan: &'a Plan,
    /// Next node of the search from each node: chains of nodes that only pass data on are skipped.
    jump: Vec<usize>,
    /// The last search that visited each node: a search visits a node once.
    seen_in: Vec<usize>,
    searches: usize,
}

impl<'a> Search<'a> {
    fn new(plan: &'a Plan, order: &[usize]) -> Self {
        let mut jump: Vec<usize> = (0..plan.nodes.len()).collect();
        for id in order {
            let mut sources = sources(&plan.nodes[*id]);
            if let (false, Some(only), None) = (plan.nodes[*id].works(), sources.next(), sources.next()) {
                jump[*id] = jump[only];
            }
        }
        Self { plan, jump, seen_in: vec![0; plan.nodes.len()], searches: 0 }
    }

    /// Reports the operators whose output a node passes on.
    fn workers(&mut self, node: usize, mut found: impl FnMut(usize)) {
        self.searches += 1;
        let mut stack = vec![node];
        while let Some(next) = stack.pop() {
            let id = self.jump[next];
            if std::mem::replace(&mut self.seen_in[id], self.searches) == self.searches {
                continue;
            }
            if self.plan.nodes[id].works() {
                found(id);
            } else {
                let below = stack.len();
                stack.extend(sources(&self.plan.nodes[id]));
                stack[below..].reverse();
            }
        }
    }
}
