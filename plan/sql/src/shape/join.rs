//! Joins: a copy of a small side goes to every machine, else both sides move to the machines of their keys.

use crossover_query::fill::USUAL_FILTER;
use crossover_query::{Amount, CpuOnly, Kind, Node, Rule};
use datafusion_common::JoinType;
use datafusion_expr::logical_plan::Join;
use datafusion_expr::{Expr, LogicalPlan};

use super::text::{list, text};
use super::tree::{Tree, node, within};
use crate::planner::{Catalog, Generated, key};

/// A side of at most so many bytes is copied to every machine: Spark's `spark.sql.autoBroadcastJoinThreshold`.
const COPIED_UP_TO: f64 = 10.0 * 1024.0 * 1024.0;

/// A join of two trees.
pub(super) fn tree(join: &Join, left: Tree, right: Tree) -> Tree {
    let rows_out = rows(join, &left, &right);
    let has_keys = !join.on.is_empty();
    let copied = copied(join.join_type, has_keys, &left, &right);
    let (name, class) = match (left.on_one_machine && right.on_one_machine, copied, has_keys) {
        (true, ..) => ("Join", None),
        (_, Some(_), true) => ("Broadcast join", Some("BroadcastHashJoinExec")),
        (_, _, false) => ("Nested-loop join", Some("BroadcastNestedLoopJoinExec")),
        (_, None, true) => ("Shuffled join", Some("SortMergeJoinExec")),
    };
    let operator =
        Node { rows_out, class: class.map(str::to_owned), ..node(name, Kind::Join, "", detail(join), &join.schema) };
    let inputs = match copied {
        _ if left.on_one_machine && right.on_one_machine => vec![left, right],
        Some(Side::Left) => vec![left.broadcast(), right],
        Some(Side::Right) => vec![left, right.broadcast()],
        None => {
            let left_keys = list(join.on.iter().map(|(left, _)| left));
            let right_keys = list(join.on.iter().map(|(_, right)| right));
            vec![left.shuffled(left_keys), right.shuffled(right_keys)]
        }
    };
    Tree::over(operator, inputs)
}

/// Rows that a query makes of every row of the left side.
pub(super) struct Generates<'a> {
    /// What they are, as written.
    pub(super) text: &'a str,
    /// How many of each row, where the statement says so.
    pub(super) rows: Option<f64>,
    /// Why no GPU engine makes them.
    pub(super) cpu_only: Option<CpuOnly>,
    /// Conditions that they meet.
    pub(super) conditions: Vec<&'a Expr>,
}

/// What the right side makes of every row of the left side: such rows do not meet, they are made.
pub(super) fn generated<'a>(join: &'a Join, catalog: &'a Catalog) -> Option<Generates<'a>> {
    if !join.on.is_empty() || !matches!(join.join_type, JoinType::Inner | JoinType::Left) {
        return None;
    }
    let mut conditions: Vec<&Expr> = join.filter.iter().collect();
    let mut right = join.right.as_ref();
    loop {
        right = match right {
            LogicalPlan::SubqueryAlias(alias) => alias.input.as_ref(),
            LogicalPlan::Projection(projection) => projection.input.as_ref(),
            LogicalPlan::Filter(filter) => {
                conditions.push(&filter.predicate);
                filter.input.as_ref()
            }
            LogicalPlan::TableScan(scan) => {
                let generated = catalog.generated.get(&key(&scan.table_name))?;
                let Generated { text, rows, cpu_only, .. } = generated;
                return Some(Generates { text, rows: *rows, cpu_only: *cpu_only, conditions });
            }
            _ => return None,
        };
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// The side that is copied to every machine, if any: the smaller one of those that may be copied, when it is small
/// enough or when there are no keys to move rows by.
fn copied(join_type: JoinType, has_keys: bool, left: &Tree, right: &Tree) -> Option<Side> {
    // A side whose unmatched rows are part of the result must be seen once, not on every machine.
    let (may_left, may_right) = match join_type {
        JoinType::Inner => (true, true),
        JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => (false, true),
        JoinType::Right | JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => (true, false),
        // Without keys there is no other way; unmatched rows are then found in a second step.
        JoinType::Full => (!has_keys, !has_keys),
    };
    let fits = |may: bool, side: &Tree| may && (!has_keys || side.numbers.bytes_out.value <= COPIED_UP_TO);
    let (left_bytes, right_bytes) = (left.numbers.bytes_out.value, right.numbers.bytes_out.value);
    match (fits(may_left, left), fits(may_right, right)) {
        (true, true) if left_bytes < right_bytes => Some(Side::Left),
        (_, true) => Some(Side::Right),
        (true, false) => Some(Side::Left),
        (false, false) => None,
    }
}

/// Rows where more is known than that a join gives as many as its larger input.
fn rows(join: &Join, left: &Tree, right: &Tree) -> Option<Amount> {
    let (left, right) = (left.numbers.rows_out, right.numbers.rows_out);
    let at_most_all = |side: Amount| Some(Amount::estimated(side.value, Rule::SameAsInput));
    let pairs = within(left.value * right.value);
    // Unmatched rows come on top of pairs.
    let unmatched = match join.join_type {
        JoinType::LeftSemi | JoinType::LeftAnti => return at_most_all(left),
        JoinType::RightSemi | JoinType::RightAnti => return at_most_all(right),
        JoinType::LeftMark => return Some(left.follow(left.value, Rule::SameAsInput)),
        JoinType::RightMark => return Some(right.follow(right.value, Rule::SameAsInput)),
        JoinType::Inner => 0.0,
        JoinType::Left => left.value,
        JoinType::Right => right.value,
        JoinType::Full => left.value.max(right.value),
    };
    match (&join.filter, join.on.is_empty()) {
        (_, false) => None,
        (None, true) => {
            let weaker = if left.is_estimated() { left } else { right };
            Some(weaker.follow(pairs.max(unmatched), Rule::EveryPair))
        }
        (Some(_), true) => Some(Amount::estimated((pairs * USUAL_FILTER).max(unmatched), Rule::UsualFilter)),
    }
}

fn detail(join: &Join) -> String {
    let kind = match join.join_type {
        JoinType::Inner => "",
        JoinType::Left => "left outer",
        JoinType::Right => "right outer",
        JoinType::Full => "full outer",
        JoinType::LeftSemi => "left semi",
        JoinType::RightSemi => "right semi",
        JoinType::LeftAnti => "left anti",
        JoinType::RightAnti => "right anti",
        JoinType::LeftMark => "left mark",
        JoinType::RightMark => "right mark",
    };
    let keys = join.on.iter().map(|(left, right)| format!("{} = {}", text(left), text(right)));
    let conditions = keys.chain(join.filter.iter().map(text)).collect::<Vec<_>>().join(" AND ");
    let on = if conditions.is_empty() { "every pair".to_owned() } else { format!("on {conditions}") };
    if kind.is_empty() { on } else { format!("{kind}, {on}") }
}
