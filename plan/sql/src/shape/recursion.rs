//! Recursive queries: a first part, and a part that is repeated with the rows that it added last, until it adds none.

use crossover_query::{Amount, CpuOnly, Kind, Node, Rule};
use datafusion_common::DFSchema;
use datafusion_expr::logical_plan::RecursiveQuery;

use super::tree;
use super::tree::{Tree, node, within};
use crate::planner::Catalog;
use crate::problem::Problem;

/// How often the second part is repeated, and each time with as many rows as the first part gave: what PostgreSQL assumes
/// (`cost_recursive_union` in `costsize.c`).
const REPETITIONS: f64 = 10.0;

/// What names in a plan stand for.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// Tables, views and rows that a query makes.
    pub(super) catalog: &'a Catalog,
    /// The recursive query around this part.
    around: Option<&'a WorkTable<'a>>,
}

/// The rows that a recursive query added last, under its name.
struct WorkTable<'a> {
    name: &'a str,
    /// Rows of all repetitions.
    rows: f64,
    on_one_machine: bool,
    around: Option<&'a WorkTable<'a>>,
}

impl<'a> Known<'a> {
    /// Outside of all recursive queries.
    pub(super) fn of(catalog: &'a Catalog) -> Self {
        Self { catalog, around: None }
    }

    /// The rows of a recursive query, where a name means them.
    pub(super) fn work_table(self, name: &str, schema: &DFSchema) -> Option<Tree> {
        let mut around = self.around;
        while let Some(table) = around {
            if table.name == name {
                let rows_out = Some(Amount::estimated(table.rows, Rule::Planner));
                let read = node("Work table", Kind::Values, "", table.name.to_owned(), schema);
                let tree = Tree::over(Node { rows_out, class: None, ..read }, Vec::new());
                return Some(if table.on_one_machine { tree.on_one_machine() } else { tree });
            }
            around = table.around;
        }
        None
    }
}

/// Both parts of a recursive query; the second with the rows of all its repetitions.
pub(super) fn recursion(plan: &RecursiveQuery, known: Known<'_>) -> Result<Tree, Problem> {
    let first = tree(&plan.static_term, known)?;
    let table = WorkTable {
        name: &plan.name,
        rows: within(first.numbers.rows_out.value * REPETITIONS),
        on_one_machine: first.on_one_machine,
        around: known.around,
    };
    let second = tree(&plan.recursive_term, Known { catalog: known.catalog, around: Some(&table) })?.repeated();
    let marked = |node: Node| Node { cpu_only: Some(CpuOnly::Recursion), ..node };
    let union = node("Recursive union", Kind::Union, "UnionLoopExec", plan.name.clone(), &plan.schema);
    let all = Tree::over(marked(union), vec![first, second]);
    if !plan.is_distinct {
        return Ok(all);
    }
    // UNION without ALL: rows that were there before are dropped.
    let detail = "all columns".to_owned();
    let all = if all.on_one_machine { all } else { all.shuffled(detail.clone()) };
    let distinct = node("Aggregate", Kind::Aggregate, "HashAggregateExec", detail, &plan.schema);
    Ok(Tree::over(marked(distinct), vec![all]))
}
