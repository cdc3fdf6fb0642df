//! Operators under construction: a tree with its numbers, by which the operators above decide.

use crossover_query::{Amount, CpuOnly, Kind, Node, Numbers, Plan, Rule, fill};
use datafusion_common::DFSchema;

use crate::width;

/// Most rows of an operator; plans refuse larger numbers.
const MOST_ROWS: f64 = 1e18;

/// An operator with everything below it.
#[derive(Debug)]
pub(super) struct Tree {
    node: Node,
    inputs: Vec<Tree>,
    /// Its rows and bytes.
    pub(super) numbers: Numbers,
    /// Whether all its rows are on one machine.
    pub(super) on_one_machine: bool,
}

impl Tree {
    /// An operator over its inputs, whose rows stay where they are.
    pub(super) fn over(node: Node, inputs: Vec<Self>) -> Self {
        let on_one_machine = match node.kind {
            Kind::Gather => true,
            Kind::Shuffle => false,
            // A copy for every machine does not tie the other side to one.
            _ => {
                let mut sides = inputs.iter().filter(|input| input.node.kind != Kind::Broadcast).peekable();
                sides.peek().is_some() && sides.all(|side| side.on_one_machine)
            }
        };
        let numbers = numbers(&node, &inputs);
        Self { node, inputs, numbers, on_one_machine }
    }

    /// The same, all rows on one machine.
    pub(super) fn on_one_machine(self) -> Self {
        Self { on_one_machine: true, ..self }
    }

    /// The same as a part that is repeated until it adds no rows, which no GPU engine does.
    pub(super) fn repeated(mut self) -> Self {
        let mut stack = vec![&mut self];
        while let Some(tree) = stack.pop() {
            tree.node.cpu_only = Some(CpuOnly::Recursion);
            stack.extend(tree.inputs.iter_mut());
        }
        self
    }

    /// Every row on the machine of its key.
    pub(super) fn shuffled(self, keys: String) -> Self {
        let class = Some("ShuffleExchangeExec".to_owned());
        Self::over(Node { detail: keys, class, ..Node::new("Shuffle", Kind::Shuffle) }, vec![self])
    }

    /// A copy on every machine.
    pub(super) fn broadcast(self) -> Self {
        let class = Some("BroadcastExchangeExec".to_owned());
        Self::over(Node { class, ..Node::new("Broadcast", Kind::Broadcast) }, vec![self])
    }

    /// Every row on one machine.
    pub(super) fn gathered(self) -> Self {
        if self.on_one_machine {
            return self;
        }
        let class = Some("ShuffleExchangeExec".to_owned());
        Self::over(Node { class, ..Node::new("Gather", Kind::Gather) }, vec![self])
    }

    /// All operators, each before its inputs.
    pub(super) fn nodes(self) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut stack = vec![(self, None)];
        while let Some((tree, reader)) = stack.pop() {
            let id = nodes.len();
            if let Some(reader) = reader {
                let reader: &mut Node = &mut nodes[reader];
                reader.inputs.push(id);
            }
            nodes.push(tree.node);
            // The first input comes first.
            stack.extend(tree.inputs.into_iter().rev().map(|input| (input, Some(id))));
        }
        nodes
    }
}

/// At most `most` rows of `rows`.
pub(super) fn at_most(rows: Amount, most: f64) -> Amount {
    if most < rows.value { rows.follow(most, Rule::Limit) } else { rows }
}

/// Rows, clamped to the range of a plan.
pub(super) fn within(rows: f64) -> f64 {
    rows.min(MOST_ROWS)
}

/// The numbers of one operator over inputs whose numbers are known.
fn numbers(node: &Node, inputs: &[Tree]) -> Numbers {
    let stand_ins = inputs.iter().map(|input| Node {
        rows_out: Some(input.numbers.rows_out),
        bytes_out: Some(input.numbers.bytes_out),
        row_width: Some(input.numbers.row_width),
        ..Node::new("", Kind::Values)
    });
    let top = Node { inputs: (1..=inputs.len()).collect(), ..node.clone() };
    fill(&Plan { nodes: std::iter::once(top).chain(stand_ins).collect(), ..Plan::default() })[0]
}

/// An operator with the width of its rows; `class` is what Spark runs for it.
pub(super) fn node(name: &str, kind: Kind, class: &str, detail: String, schema: &DFSchema) -> Node {
    Node { detail, class: Some(class.to_owned()), row_width: Some(width::of_row(schema)), ..Node::new(name, kind) }
}
