//! Every number of every operator: as reported, derived from what was reported, or estimated by a stated rule.

use super::Plan;
use super::amount::{Amount, LARGEST, Rule};
use super::graph::{order, sources};
use super::kind::Kind;
use super::node::Node;
use super::numbers::Numbers;
use super::operation::Operation;

/// Default bytes of a row.
const USUAL_WIDTH: f64 = 64.0;
/// Default rows of a source: that of the RAPIDS cost-based optimiser.
const USUAL_ROWS: f64 = 1e6;
/// Default share of rows that pass a filter: that of DataFusion's planner.
pub const USUAL_FILTER: f64 = 0.2;
/// Default groups per row.
const USUAL_GROUPS: f64 = 0.1;

/// The numbers of every node of a valid plan, by id. Estimates are limited to the largest number of a plan.
#[must_use]
pub fn fill(plan: &Plan) -> Vec<Numbers> {
    let order = order(plan, 0..plan.nodes.len()).unwrap_or_default();
    let unknown = Amount::estimated(0.0, Rule::UsualRows);
    let mut rows = vec![(unknown, unknown); plan.nodes.len()];
    for id in order.iter().copied() {
        rows[id] = rows_of(&plan.nodes[id], &rows);
    }
    let widths = widths(plan, &order, &rows);
    let mut bytes = vec![(unknown, unknown); plan.nodes.len()];
    for id in order.iter().copied() {
        bytes[id] = bytes_of(&plan.nodes[id], rows[id], widths[id], &bytes);
    }
    (0..plan.nodes.len())
        .map(|id| Numbers {
            rows_in: rows[id].0,
            rows_out: rows[id].1,
            bytes_in: bytes[id].0,
            bytes_out: bytes[id].1,
            row_width: widths[id],
        })
        .collect()
}

/// The nodes whose rows a node processes.
fn read_from(node: &Node) -> impl Iterator<Item = usize> + Clone + '_ {
    sources(node).filter(|_| !node.kind.is_source() || node.reuses.is_some())
}

/// Rows read and output rows.
fn rows_of(node: &Node, rows: &[(Amount, Amount)]) -> (Amount, Amount) {
    let inputs = read_from(node).map(|source| rows[source].1);
    let same = |other: Amount| Amount::estimated(other.value, Rule::SameAsOther);
    let given = node.rows_out.or(node.rows_in.filter(|_| node.inputs.is_empty()).map(same));
    let given = given.or_else(|| {
        let bytes = node.bytes_out?;
        let width = node.row_width?;
        (width.value > 0.0).then(|| bytes.follow((bytes.value / width.value).min(LARGEST), Rule::BytesPerRow))
    });
    let read = node.rows_in.or_else(|| sum(inputs.clone())).or(given.map(same));
    let read = read.unwrap_or(match node.kind {
        // Commands: a view is made, a table is dropped.
        Kind::Other | Kind::Write if sources(node).next().is_none() => Amount::estimated(0.0, Rule::ReadsNothing),
        _ => Amount::estimated(USUAL_ROWS, Rule::UsualRows),
    });
    let given = given.unwrap_or_else(|| match node.kind {
        Kind::Filter => Amount::estimated(read.value * USUAL_FILTER, Rule::UsualFilter),
        Kind::Aggregate => Amount::estimated((read.value * USUAL_GROUPS).ceil(), Rule::UsualGroups),
        Kind::Join => {
            let larger = inputs.map(|input| input.value).fold(0.0, f64::max);
            Amount::estimated(larger, Rule::UsualJoin)
        }
        Kind::Expand => match node.operation {
            Some(Operation::Expand { copies }) => {
                read.follow((read.value * f64::from(copies)).min(LARGEST), Rule::GroupingSets)
            }
            // The effect on rows is not known.
            _ => Amount::estimated(read.value, Rule::SameAsInput),
        },
        // The effect of these on rows is not known.
        Kind::UserCode | Kind::Other => Amount::estimated(read.value, Rule::SameAsInput),
        // The limit itself is not in the plan.
        Kind::Limit => Amount::estimated(read.value, Rule::Limit),
        _ => read.follow(read.value, Rule::SameAsInput),
    });
    (read, given)
}

/// Bytes of one output row, by id.
fn widths(plan: &Plan, order: &[usize], rows: &[(Amount, Amount)]) -> Vec<Amount> {
    let mut widths: Vec<Option<Amount>> = vec![None; plan.nodes.len()];
    for id in order.iter().copied() {
        let node = &plan.nodes[id];
        let inputs = || sources(node).filter_map(|source| widths[source]);
        let inherited = || match node.kind {
            _ if node.reuses.is_some() => inputs().next(),
            Kind::Join => {
                let all: Option<Vec<Amount>> = sources(node).map(|source| widths[source]).collect();
                all.and_then(|all| sum(all.into_iter())).map(|sum| Amount::estimated(sum.value, Rule::SumOfWidths))
            }
            _ if keeps_rows(node) => inputs().next().map(|width| width.follow(width.value, Rule::SameAsInput)),
            _ => None,
        };
        widths[id] = node.row_width.or_else(|| per_row(node, rows[id].1)).or_else(inherited);
    }
    // Nodes without a width take that of their reader, then of their input. A group has not the width of the rows in it.
    for id in order.iter().rev().copied() {
        if let Some(width) = widths[id].filter(|_| plan.nodes[id].kind != Kind::Aggregate) {
            for source in sources(&plan.nodes[id]) {
                widths[source].get_or_insert(Amount::estimated(width.value, Rule::NearestWidth));
            }
        }
    }
    for id in order.iter().copied() {
        if widths[id].is_none() {
            let nearest = sources(&plan.nodes[id]).find_map(|source| widths[source]);
            widths[id] = nearest.map(|width| Amount::estimated(width.value, Rule::NearestWidth));
        }
    }
    widths.into_iter().map(|width| width.unwrap_or(Amount::estimated(USUAL_WIDTH, Rule::UsualWidth))).collect()
}

/// Whether a node's output rows have the columns of its input rows.
fn keeps_rows(node: &Node) -> bool {
    node.reuses.is_some() || node.kind.keeps_rows()
}

/// Output bytes ÷ output rows, if both are known.
fn per_row(node: &Node, rows: Amount) -> Option<Amount> {
    let bytes = node.bytes_out?;
    (rows.value > 0.0 && !rows.is_estimated())
        .then(|| bytes.follow((bytes.value / rows.value).min(LARGEST), Rule::BytesPerRow))
}

/// Bytes read and output bytes.
fn bytes_of(node: &Node, rows: (Amount, Amount), width: Amount, bytes: &[(Amount, Amount)]) -> (Amount, Amount) {
    let inputs = read_from(node).map(|source| bytes[source].1);
    let weaker = if rows.1.is_estimated() { rows.1 } else { width };
    let given = node
        .bytes_out
        .unwrap_or_else(|| weaker.follow((rows.1.value * width.value).min(LARGEST), Rule::RowsTimesWidth));
    let same = Amount::estimated(given.value, Rule::SameAsOther);
    let read = node.bytes_in.or_else(|| sum(inputs)).unwrap_or(same);
    (read, given)
}

/// Sum of figures; `None` if there are none.
fn sum(figures: impl Iterator<Item = Amount>) -> Option<Amount> {
    figures.fold(None, |sum: Option<Amount>, figure| {
        let total = sum.map_or(figure.value, |sum| sum.value + figure.value);
        let weaker = sum.filter(|sum| sum.is_estimated()).unwrap_or(figure);
        Some(weaker.follow(total.min(LARGEST), Rule::SumOfInputs))
    })
}
