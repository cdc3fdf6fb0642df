//! Outer joins in the condition, as Oracle, Redshift and Snowflake have them: `a.x = b.y (+)` joins `b` to the tables before it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use datafusion_sql::sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Join, JoinConstraint, JoinOperator, Select,
    TableFactor, TableWithJoins, visit_expressions_mut,
};

use super::{Rewriter, all_of, conjuncts, label, spelt, start};
use crate::forms::OPTIONAL;
use crate::parts::{each_part, has_part, is_query};
use crate::problem::Problem;
use crate::relations::MOST_JOINED;
use crate::table::name_of;

impl Rewriter<'_> {
    /// Puts tables whose columns are marked with `(+)` behind left joins.
    pub(super) fn marked_joins(&self, select: &mut Select) -> Result<(), Problem> {
        let Some(selection) = select.selection.take_if(|condition| has_part(condition, |part| marked(part).is_some()))
        else {
            return Ok(());
        };
        let place = start(&selection);
        let refused = |what: &str| Problem::at(place, format!("an outer join with (+) {what}; write LEFT JOIN"));
        // Each mark looks at all tables, so that they are counted before.
        if select.from.len() as u64 > MOST_JOINED {
            return Err(refused(&format!("over more than {MOST_JOINED} tables is not supported")));
        }
        let mut on: BTreeMap<String, Vec<Expr>> = BTreeMap::new();
        let mut rest = Vec::new();
        for mut condition in conjuncts(selection) {
            // The engines do not join by conditions of which one is enough.
            let is_or = |part: &Expr| matches!(part, Expr::BinaryOp { op: BinaryOperator::Or, .. });
            // The marks of a subquery are its own.
            let is_joined = !has_part(&condition, |part| is_query(part) || is_or(part));
            let marks = if is_joined { marks(&condition) } else { Vec::new() };
            if marks.is_empty() {
                rest.push(condition);
                continue;
            }
            let tables: Option<BTreeSet<String>> = marks.iter().map(|mark| self.owner(mark, &select.from)).collect();
            let tables = tables.ok_or_else(|| refused("marks a column that no table of FROM is known to have"))?;
            let mut tables = tables.into_iter();
            let (Some(table), None) = (tables.next(), tables.next()) else {
                return Err(refused("marks columns of two tables in one condition"));
            };
            unmark(&mut condition);
            on.entry(table).or_default().push(condition);
        }
        select.selection = all_of(rest);
        if on.is_empty() {
            return Ok(());
        }
        let (mut waiting, kept): (Vec<TableWithJoins>, Vec<TableWithJoins>) =
            std::mem::take(&mut select.from).into_iter().partition(|from| {
                from.joins.is_empty() && label(&from.relation).is_some_and(|name| on.contains_key(&name))
            });
        if waiting.len() != on.len() {
            return Err(refused("marks a table that JOIN joins"));
        }
        let mut joined = kept.into_iter().reduce(crossed).ok_or_else(|| refused("marks all tables of FROM"))?;
        while !waiting.is_empty() {
            let names: BTreeSet<String> = waiting.iter().filter_map(|from| label(&from.relation)).collect();
            let ready = waiting.iter().position(|from| {
                let own = label(&from.relation);
                let conditions = own.as_ref().and_then(|own| on.get(own)).into_iter().flatten();
                let mut read = conditions.flat_map(qualifiers);
                read.all(|name| Some(&name) == own.as_ref() || !names.contains(&name))
            });
            let ready = ready.ok_or_else(|| refused("goes around in a circle"))?;
            let TableWithJoins { relation, .. } = waiting.remove(ready);
            let conditions = label(&relation).and_then(|name| on.remove(&name)).unwrap_or_default();
            let constraint = all_of(conditions).map_or(JoinConstraint::None, JoinConstraint::On);
            joined.joins.push(Join { relation, global: false, join_operator: JoinOperator::LeftOuter(constraint) });
        }
        select.from = vec![joined];
        Ok(())
    }

    /// The table of FROM that a column belongs to: as written before it, else the only one that has it.
    fn owner(&self, column: &Expr, from: &[TableWithJoins]) -> Option<String> {
        let name = match column {
            Expr::CompoundIdentifier(names) => return names.iter().rev().nth(1).map(spelt),
            Expr::Identifier(name) => spelt(name),
            _ => return None,
        };
        let mut owners = from.iter().filter(|from| match &from.relation {
            TableFactor::Table { name: table, .. } => {
                let table = self.catalog.tables.get(&name_of(table));
                table.is_some_and(|table| table.schema.field_with_name(&name).is_ok())
            }
            _ => false,
        });
        let owner = owners.next().and_then(|from| label(&from.relation));
        owner.filter(|_| owners.next().is_none())
    }
}

/// Both, every row with every row.
fn crossed(mut first: TableWithJoins, second: TableWithJoins) -> TableWithJoins {
    let TableWithJoins { relation, joins } = second;
    let join_operator = JoinOperator::CrossJoin(JoinConstraint::None);
    first.joins.push(Join { relation, global: false, join_operator });
    first.joins.extend(joins);
    first
}

/// The column that is marked, by the parser's own form or by the function that stands for it.
pub(super) fn marked(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::OuterJoin(column) => Some(column.as_ref()),
        Expr::Function(function) if name_of(&function.name) == OPTIONAL => match &function.args {
            FunctionArguments::List(list) => match list.args.as_slice() {
                [FunctionArg::Unnamed(FunctionArgExpr::Expr(column))] => Some(column),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The columns that are marked.
fn marks(condition: &Expr) -> Vec<Expr> {
    let mut marks = Vec::new();
    each_part(condition, |part| marks.extend(marked(part).cloned()));
    marks
}

fn unmark(condition: &mut Expr) {
    let _: ControlFlow<()> = visit_expressions_mut(condition, |part| {
        if let Some(column) = marked(part).cloned() {
            *part = column;
        }
        ControlFlow::Continue(())
    });
}

/// The names before the columns of a condition.
pub(super) fn qualifiers(condition: &Expr) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    each_part(condition, |part| {
        if let Expr::CompoundIdentifier(parts) = part {
            names.extend(parts.iter().rev().nth(1).map(spelt));
        }
    });
    names
}
