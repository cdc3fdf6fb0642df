//! The operators of a text as nodes of a plan.
//!
//! Only what the text states is set; `fill` of the model estimates the rest. Sources of the numbers:
//!
//! | number | text |
//! |---|---|
//! | rows and bytes of an exchange | `Statistics` of the stage that has run, with adaptive execution |
//! | rows of a table and of the filter on it | `Statistics` of the optimized logical plan, with `EXPLAIN COST` |
//! | rows of a limit | the limit |
//! | row of a total | an aggregate without keys has one |
//! | row width, and bytes of a row in Spark's own format | types of the columns, from the `ReadSchema` of the scans, followed through the plan |

use crossover_query::{AggregateStep, Amount, Kind, Node, Operation, Rule};

use super::super::operators::{Operator, operator};
use super::super::{columns, derive, detail, facts, scanned, width};
use super::links::reuses;
use super::relations::Relations;
use super::sections::PlanText;
use super::tree::Tree;

/// The nodes of a plan, by id, and warnings about it.
pub(super) fn nodes(text: &PlanText, tree: &Tree) -> (Vec<Node>, Vec<String>) {
    let (reuses, missing) = reuses(tree);
    let mut nodes: Vec<Node> = (0..tree.raw().len()).map(|id| node(tree, id, reuses[id])).collect();
    for id in 0..nodes.len() {
        for child in &tree.raw()[id].children {
            derive::tell_child(&tree.query, &mut nodes, id, *child);
        }
    }
    let parents = facts::parents(tree.raw());
    let relations = Relations::new(&text.relations);
    for id in 0..nodes.len() {
        if tree.beside[id].is_idle {
            continue;
        }
        facts::add(tree.raw(), &mut nodes, &parents, id);
        if nodes[id].kind == Kind::Scan {
            let raw = &tree.raw()[id];
            nodes[id].source = scanned::source(raw).map(|source| Box::new(relations.add_sizes(raw, source)));
            nodes[id].row_width =
                width::schema(raw).and_then(width::row_width).map(|width| Amount::estimated(width, Rule::ColumnTypes));
        }
    }
    set_rows(tree, &mut nodes, &parents);
    set_widths(tree, &mut nodes);
    let notes = notes(text, tree, &nodes, missing);
    (nodes, notes)
}

/// A node without numbers.
fn node(tree: &Tree, id: usize, reuses: Option<usize>) -> Node {
    let (raw, beside) = (&tree.raw()[id], &tree.beside[id]);
    if beside.is_idle {
        // Of the tree, and not of the run.
        let mut idle = Node::new(raw.name.trim(), Kind::Wrapper);
        idle.detail = detail::shorten(&raw.name, &raw.simple_string);
        idle.inputs.clone_from(&raw.children);
        return idle;
    }
    let Operator { kind, class, gpu } = operator(&raw.name, &raw.simple_string);
    let mut node = Node::new(raw.name.trim(), kind);
    node.inputs.clone_from(&raw.children);
    node.inputs.extend(&beside.subqueries);
    // A reused part that is not in the text: rows that are there already.
    if kind == Kind::Wrapper && node.inputs.is_empty() && reuses.is_none() {
        node.kind = Kind::Values;
    }
    node.class = class;
    node.detail = detail::shorten(&raw.name, &raw.simple_string);
    node.reuses = reuses;
    node.ran_on_gpu = gpu;
    node.cpu_only = derive::cpu_only(&node, &raw.simple_string);
    node
}

/// Rows that the text states.
fn set_rows(tree: &Tree, nodes: &mut [Node], parents: &[Option<usize>]) {
    for id in 0..nodes.len() {
        let (raw, beside) = (&tree.raw()[id], &tree.beside[id]);
        if beside.is_idle {
            continue;
        }
        match nodes[id].kind {
            Kind::Limit | Kind::Sort => {
                if let Some(limit) = derive::limit(raw) {
                    nodes[id].rows_out = Some(Amount::estimated(limit, Rule::Limit));
                }
            }
            Kind::Aggregate if nodes[id].keys.is_empty() => {
                let is_final = nodes[id].operation == Some(Operation::Aggregate { step: AggregateStep::Final });
                // Before that, each task has a row.
                let row =
                    if is_final { Amount::derived(1.0, Rule::OneRow) } else { Amount::estimated(1.0, Rule::OneRow) };
                nodes[id].rows_out = nodes[id].operation.map(|_| row);
            }
            Kind::Scan => {
                let Some((all, passing)) =
                    nodes[id].source.as_ref().map(|source| (source.table_rows, source.expected_rows))
                else {
                    continue;
                };
                nodes[id].rows_in = all.map(|rows| Amount::estimated(rows, Rule::Planner));
                let passes = |id: &usize| nodes[*id].kind == Kind::Wrapper;
                let above =
                    std::iter::successors(parents[id], |id| parents[*id]).take(facts::NEAR).find(|id| !passes(id));
                if let Some(filter) = above.filter(|above| nodes[*above].kind == Kind::Filter) {
                    nodes[filter].rows_out = passing.map(|rows| Amount::estimated(rows, Rule::Planner));
                }
            }
            _ => {}
        }
        // A stage that has run counted the rows of its exchange.
        if let (Some(statistics), [exchange]) = (beside.statistics, &raw.children[..])
            && nodes[*exchange].kind.is_exchange()
            && nodes[*exchange].reuses.is_none()
        {
            let exchange = &mut nodes[*exchange];
            exchange.rows_out = statistics.rows.map(Amount::reported);
            exchange.bytes_out = statistics.bytes.map(Amount::reported);
        }
    }
}

/// Widths of rows by the types of their columns.
fn set_widths(tree: &Tree, nodes: &mut [Node]) {
    let widths = columns::widths_in(&tree.query, nodes, inputs_first(nodes).into_iter());
    for (node, row) in nodes.iter_mut().zip(widths) {
        let Some(row) = row else { continue };
        // The width of a scan is that of its files; an exchange above it moves the columns of folders, too.
        let moves_rows = matches!(node.kind, Kind::Shuffle | Kind::Gather);
        let makes_rows = node.bytes_out.is_none() && node.reuses.is_none() && (moves_rows || !node.kind.keeps_rows());
        let of_types = |bytes: f64| Amount::estimated(bytes, Rule::ColumnTypes);
        node.row_width = node.row_width.or(makes_rows.then(|| of_types(row.by_types)));
        if moves_rows && node.reuses.is_none() {
            node.spark_row_bytes = Some(of_types(row.in_spark));
            node.row_columns = row.columns;
        }
    }
}

/// Ids of all nodes, each behind its inputs and the node that it reuses; where they run in a circle, in any order.
fn inputs_first(nodes: &[Node]) -> Vec<usize> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut is_known = vec![false; nodes.len()];
    // Plans can be arbitrarily deep: no recursion. Whether the node's sources are on the stack above it stands beside it.
    let mut stack: Vec<(usize, bool)> = Vec::new();
    for start in (0..nodes.len()).rev() {
        stack.push((start, false));
        while let Some((id, is_open)) = stack.pop() {
            if is_open {
                order.push(id);
                continue;
            }
            if std::mem::replace(&mut is_known[id], true) {
                continue;
            }
            stack.push((id, true));
            let node = &nodes[id];
            stack.extend(
                node.reuses
                    .iter()
                    .chain(&node.inputs)
                    .filter(|source| !is_known[**source])
                    .map(|source| (*source, false)),
            );
        }
    }
    order
}

/// Warnings about a plan.
fn notes(text: &PlanText, tree: &Tree, nodes: &[Node], missing: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if text.is_cut {
        notes.push(
            "Spark cut the text of the plan, so operators may be missing; raise spark.sql.maxPlanStringLength"
                .to_owned(),
        );
    }
    if missing > 0 {
        let parts = if missing == 1 { "1 reused part is".to_owned() } else { format!("{missing} reused parts are") };
        notes.push(format!("{parts} not in the text; their size is assumed"));
    }
    if tree.without_reader > 0 {
        let count = tree.without_reader;
        let subqueries = if count == 1 { "1 subquery is".to_owned() } else { format!("{count} subqueries are") };
        notes.push(format!("{subqueries} left out: the operator that uses the result is not in the text"));
    }
    if text.left_out > 0 {
        let count = text.left_out;
        let exchanges = if count == 1 { "1 exchange".to_owned() } else { format!("{count} exchanges") };
        notes.push(format!("{exchanges} that ran before adaptive execution removed them are not counted"));
    }
    if tree.raw().iter().any(|node| node.simple_string.contains("isFinalPlan=false")) {
        notes.push(
            "adaptive execution may still change joins and partitions of this plan while the query runs".to_owned(),
        );
    }
    let is_cache = |node: &Node| node.class.as_deref() == Some("InMemoryTableScanExec");
    if nodes.iter().any(is_cache) {
        notes.push("cached tables are taken as already computed".to_owned());
    }
    notes
}
