//! `START WITH … CONNECT BY PRIOR …`: a recursive query over the table, in which `LEVEL` counts the repetitions.

use std::ops::ControlFlow;

use datafusion_sql::sqlparser::ast::{
    BinaryOperator, ConnectByKind, Expr, Ident, Join, JoinConstraint, JoinOperator, Query, Select, SetExpr, TableAlias,
    TableFactor, TableWithJoins, visit_expressions_mut,
};

use super::{Rewriter, all_of, label, number, quoted_name, start, template};
use crate::problem::Problem;

/// Columns that say where a row is; they are made only where they are named.
const FLAGS: [&str; 2] = ["connect_by_isleaf", "connect_by_iscycle"];
/// Most hierarchical queries of a query: each reads its table twice, so that those within one another double.
const MOST_HIERARCHIES: usize = 30;

impl Rewriter<'_> {
    /// Puts a recursive query in the place of the table of a hierarchical one. The condition of WHERE stays above it, as the
    /// engines evaluate it last.
    pub(super) fn hierarchy(&mut self, select: &mut Select) -> Result<(), Problem> {
        if select.connect_by.is_empty() {
            return Ok(());
        }
        let place = start(select);
        let text = select.to_string().to_ascii_lowercase();
        let (mut first, mut links) = (None, Vec::new());
        for clause in std::mem::take(&mut select.connect_by) {
            match clause {
                ConnectByKind::StartWith { condition, .. } => first = Some(*condition),
                ConnectByKind::ConnectBy { relationships, .. } => links.extend(relationships),
            }
        }
        let [TableWithJoins { relation, joins }] = select.from.as_mut_slice() else {
            return Err(Problem::at(place, "CONNECT BY over several tables is not supported; join them in a subquery"));
        };
        if !joins.is_empty() {
            return Err(Problem::at(place, "CONNECT BY over a join is not supported; join the tables in a subquery"));
        }
        if self.hierarchies == MOST_HIERARCHIES {
            let problem =
                format!("more than {MOST_HIERARCHIES} CONNECT BY, counted again in each copy, are not supported");
            return Err(Problem::at(place, problem));
        }
        self.hierarchies += 1;
        let all = format!("connected_{}", self.hierarchies);
        let alias = named(relation, &all);
        for link in &mut links {
            self::link(link, &all, &alias);
        }
        let flags = FLAGS.iter().filter(|flag| text.contains(*flag)).map(|flag| format!(", 0 AS {flag}"));
        let flags = flags.collect::<Vec<_>>().concat();
        let mut query = template(&format!(
            "WITH RECURSIVE {all} AS (SELECT *, 1 AS level{flags} FROM t \
             UNION ALL SELECT {}.*, {all}.level + 1 AS level{flags} FROM t) SELECT * FROM {all}",
            quoted_name(&alias)
        ))?;
        let missing = || Problem::at(place, "CONNECT BY is not supported here");
        let (roots, children) = parts(&mut query).ok_or_else(missing)?;
        roots.selection = first;
        roots.from = vec![TableWithJoins { relation: relation.clone(), joins: Vec::new() }];
        let mut before = template(&format!("SELECT 1 FROM {all}"))?;
        let before = super::body(&mut before).and_then(|select| select.from.pop()).ok_or_else(missing)?;
        let constraint = all_of(links).map_or(JoinConstraint::None, JoinConstraint::On);
        let join = Join { relation: before.relation, global: false, join_operator: JoinOperator::Inner(constraint) };
        children.from = vec![TableWithJoins { relation: relation.clone(), joins: vec![join] }];
        let alias = TableAlias { explicit: true, name: Ident::with_quote('"', alias), columns: Vec::new(), at: None };
        *relation = TableFactor::Derived { lateral: false, subquery: query, alias: Some(alias), sample: None };
        Ok(())
    }
}

/// The name of a table; one without a name of its own gets one.
fn named(relation: &mut TableFactor, other: &str) -> String {
    let name = label(relation).unwrap_or_else(|| format!("{other}_rows"));
    if let TableFactor::Table { alias: alias @ None, .. } | TableFactor::Derived { alias: alias @ None, .. } = relation
    {
        let own = Ident::with_quote('"', name.clone());
        *alias = Some(TableAlias { explicit: true, name: own, columns: Vec::new(), at: None });
    }
    name
}

/// Both parts of the recursive query.
fn parts(query: &mut Query) -> Option<(&mut Select, &mut Select)> {
    let named = query.with.as_mut()?.cte_tables.first_mut()?;
    let SetExpr::SetOperation { left, right, .. } = named.query.body.as_mut() else { return None };
    match (left.as_mut(), right.as_mut()) {
        (SetExpr::Select(roots), SetExpr::Select(children)) => Some((roots.as_mut(), children.as_mut())),
        _ => None,
    }
}

/// A condition between a row and the row before it: `PRIOR x` is a column of the rows so far, every other column one of the table.
fn link(condition: &mut Expr, all: &str, alias: &str) {
    let of =
        |table: &str, column: &Ident| Expr::CompoundIdentifier(vec![Ident::with_quote('"', table), column.clone()]);
    let _: ControlFlow<()> = visit_expressions_mut(condition, |part| {
        if let Expr::Prior(before) = part {
            let mut before = before.as_ref().clone();
            let _: ControlFlow<()> = visit_expressions_mut(&mut before, |column| {
                let name = match column {
                    Expr::Identifier(name) => Some(name.clone()),
                    Expr::CompoundIdentifier(names) => names.last().cloned(),
                    _ => None,
                };
                if let Some(name) = name {
                    *column = of(all, &name);
                }
                ControlFlow::Continue(())
            });
            *part = before;
        }
        ControlFlow::Continue(())
    });
    let _: ControlFlow<()> = visit_expressions_mut(condition, |part| {
        let Expr::Identifier(name) = &*part else { return ControlFlow::Continue(()) };
        *part = if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("level") {
            let before = Box::new(of(all, name));
            Expr::Nested(Box::new(Expr::BinaryOp {
                left: before,
                op: BinaryOperator::Plus,
                right: Box::new(number(&1)),
            }))
        } else {
            of(alias, name)
        };
        ControlFlow::Continue(())
    });
}
