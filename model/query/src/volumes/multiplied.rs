//! Rows that operators multiply, in the plan of any engine: windows, grouping sets, different counts, joins without equal keys.
//!
//! Spark copies each row for each grouping set, and for each different expression of which values are counted once
//! (`RewriteDistinctAggregates` of its optimiser), once more if the aggregate has other functions. DuckDB copies none, but its plan
//! names them, so what Spark does with the query is known.

use std::collections::BTreeSet;

use super::Volumes;
use crate::Plan;
use crate::kind::Kind;
use crate::node::Node;
use crate::numbers::Numbers;
use crate::operation::Operation;

/// Parts of the names of joins that compare pairs of rows: of Spark, then of DuckDB. The nested loops of PostgreSQL use indices.
const WITHOUT_EQUAL_KEYS: [&str; 7] =
    ["NestedLoop", "Cartesian", "NESTED_LOOP", "BLOCKWISE_NL", "PIECEWISE_MERGE", "IE_JOIN", "CROSS_PRODUCT"];
/// Word before an expression of which values are counted once.
const DISTINCT: &str = "(DISTINCT ";

impl Volumes {
    /// The rows that operators of a valid plan multiply, whatever its engine; all other volumes are 0.
    ///
    /// # Panics
    /// If an input does not exist, see [`crate::validate::validate`].
    #[must_use]
    pub fn multiplied(plan: &Plan, numbers: &[Numbers]) -> Self {
        let mut volumes = Self::default();
        for id in (0..plan.nodes.len()).filter(|id| plan.nodes[*id].works()) {
            volumes.multiply(plan, id, numbers);
        }
        volumes
    }

    /// Adds the rows that one operator multiplies.
    pub(super) fn multiply(&mut self, plan: &Plan, id: usize, numbers: &[Numbers]) {
        let (node, of_node) = (&plan.nodes[id], &numbers[id]);
        match node.kind {
            Kind::Window => self.window_rows += of_node.rows_in.value,
            Kind::Expand if node.name.contains("Expand") => {
                self.expanded_rows += of_node.rows_out.value;
                self.copies = self.copies.max(copies(node, of_node));
            }
            // Spark's plan has an operator for it.
            Kind::Aggregate if !plan.is_of_spark() => {
                let copies = copies_of_groups(node);
                if copies > 1.0 {
                    self.expanded_rows += copies * of_node.rows_in.value;
                    self.copies = self.copies.max(copies);
                }
            }
            Kind::Join => self.pairs += pairs(plan, node, numbers),
            _ => {}
        }
    }
}

/// Rows that an operator makes of one.
fn copies(node: &Node, numbers: &Numbers) -> f64 {
    match node.operation {
        Some(Operation::Expand { copies }) => f64::from(copies),
        _ => numbers.selectivity().unwrap_or(0.0).round(),
    }
}

/// Copies that Spark makes of each row of an aggregate: of grouping sets, and of several different expressions of which values are
/// counted once.
fn copies_of_groups(node: &Node) -> f64 {
    let sets = f64::from(node.grouping_sets.unwrap_or(1));
    let (_, aggregates) = node.detail.split_once("Aggregates: ").unwrap_or_default();
    let (aggregates, _) = aggregates.split_once("; ").unwrap_or((aggregates, ""));
    let parts: Vec<&str> = aggregates.split(DISTINCT).collect();
    let counted: BTreeSet<&str> = parts.iter().skip(1).map(|part| until_closed(part)).collect();
    if counted.len() < 2 {
        return sets;
    }
    let has_others = functions(aggregates) > parts.len() - 1;
    sets * (counted.len() + usize::from(has_others)) as f64
}

/// Functions of a list, without those in their arguments; `FILTER (…)` behind one is none.
fn functions(list: &str) -> usize {
    let (mut depth, mut count, mut before) = (0_usize, 0, ' ');
    for letter in list.chars() {
        match letter {
            '(' => {
                count += usize::from(depth == 0 && before != ' ');
                depth += 1;
            }
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = letter;
    }
    count
}

/// A text up to the bracket that closes the one before it.
fn until_closed(text: &str) -> &str {
    let mut depth = 0_usize;
    let end = text.find(|letter: char| match letter {
        '(' => {
            depth += 1;
            false
        }
        ')' if depth == 0 => true,
        ')' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    end.map_or(text, |end| &text[..end])
}

/// Pairs that a join without equal keys compares. One row beside a table, as of a subquery with one value, makes none.
fn pairs(plan: &Plan, node: &Node, numbers: &[Numbers]) -> f64 {
    if !WITHOUT_EQUAL_KEYS.iter().any(|name| node.name.contains(name)) {
        return 0.0;
    }
    let inputs = node.inputs.iter().filter(|input| !plan.nodes[**input].name.contains("Subquery"));
    let rows: Vec<f64> = inputs.take(2).map(|input| numbers[*input].rows_out.value).collect();
    if rows.iter().any(|rows| *rows <= 1.0) { 0.0 } else { rows.into_iter().product() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amount::Amount;
    use crate::fill::fill;

    fn multiplied(nodes: Vec<Node>) -> Volumes {
        let plan = Plan { engine: "DuckDB 1.4".to_owned(), nodes, ..Plan::default() };
        Volumes::multiplied(&plan, &fill(&plan))
    }

    fn scan(rows: f64) -> Node {
        let rows = Some(Amount::reported(rows));
        Node { rows_in: rows, rows_out: rows, ..Node::new("SEQ_SCAN", Kind::Scan) }
    }

    fn grouped(aggregates: &str, grouping_sets: Option<u32>) -> [f64; 2] {
        let detail = format!("Aggregates: {aggregates}; Groups: #0");
        let aggregate = Node { inputs: vec![1], detail, grouping_sets, ..Node::new("HASH_GROUP_BY", Kind::Aggregate) };
        let volumes = multiplied(vec![aggregate, scan(1000.0)]);
        [volumes.copies, volumes.expanded_rows]
    }

    /// The copies that the comment of Spark's `RewriteDistinctAggregates` states: a row for each group of distinct expressions, and one for
    /// the other aggregates.
    #[test]
    fn several_different_counts_copy_each_row() {
        assert_eq!(grouped("count(DISTINCT #1), count(DISTINCT #2), sum(#3)", None), [3.0, 3000.0]);
        assert_eq!(grouped("count(DISTINCT #1), count(DISTINCT #2)", None), [2.0, 2000.0]);
        // One expression needs no copy, however often it is counted.
        assert_eq!(grouped("count(DISTINCT #1), sum(DISTINCT #1), sum(#3)", None), [0.0, 0.0]);
        assert_eq!(grouped("sum(#1)", None), [0.0, 0.0]);
        // A comma within an expression is none between two.
        assert_eq!(grouped("count(DISTINCT COALESCE(#1, #2)), count(DISTINCT #2)", None), [2.0, 2000.0]);
        // ROLLUP over two columns has three sets.
        assert_eq!(grouped("sum(#1)", Some(3)), [3.0, 3000.0]);
    }

    #[test]
    fn joins_of_duckdb_without_equal_keys_compare_pairs() {
        let joined = |name: &str, rows: [f64; 2]| {
            let join = Node { inputs: vec![1, 2], ..Node::new(name, Kind::Join) };
            multiplied(vec![join, scan(rows[0]), scan(rows[1])]).pairs
        };
        for name in ["CROSS_PRODUCT", "NESTED_LOOP_JOIN", "PIECEWISE_MERGE_JOIN", "IE_JOIN"] {
            assert_eq!(joined(name, [4000.0, 5000.0]), 2e7, "{name}");
        }
        assert_eq!(joined("CROSS_PRODUCT", [4000.0, 1.0]), 0.0);
        assert_eq!(joined("HASH_JOIN", [4000.0, 5000.0]), 0.0);
    }

    #[test]
    fn windows_read_rows_in_every_engine() {
        let window = Node { inputs: vec![1], ..Node::new("WINDOW", Kind::Window) };
        assert_eq!(multiplied(vec![window, scan(7000.0)]).window_rows, 7000.0);
    }
}
