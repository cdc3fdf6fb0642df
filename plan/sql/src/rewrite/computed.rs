//! Rows that a query computes from the columns of each row: `CROSS APPLY (SELECT t.a + t.b AS c)`, `LATERAL (VALUES (t.a), (t.b)) AS v
//! (x)`. The planner does not join a subquery that only computes. If it has one row, its expressions replace its columns. If it has
//! several rows, it becomes a list whose items are rows.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use datafusion_sql::sqlparser::ast::{
    Array, Expr, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, OrderBy, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, SetOperator, SetQuantifier, TableAlias, TableAliasColumnDef, TableFactor,
    Value, ValueWithSpan, visit_expressions_mut,
};

use super::generated::makes_rows;
use super::{Rewriter, spelt, start};
use crate::parts::{column_name, each_part, has_part, is_query};
use crate::problem::Problem;
use crate::table::name_of;

/// Most expressions of a query after expressions have replaced columns.
const MOST_EXPRESSIONS: usize = 50_000;

/// A subquery that only computes.
struct Computed {
    alias: TableAlias,
    /// Names of its columns.
    names: Vec<Ident>,
    /// Its rows, each with an expression for each column.
    rows: Vec<Vec<Expr>>,
}

/// The rows that a subquery computes, and the names that it gives its columns.
type Rows = (Vec<Vec<Expr>>, Vec<Option<Ident>>);

impl Rewriter<'_> {
    /// Rewrites what a query computes for each of its rows.
    pub(super) fn computed(&self, query: &mut Query) -> Result<(), Problem> {
        self.computed_in(&mut query.body, &mut query.order_by)
    }

    fn computed_in(&self, body: &mut SetExpr, order: &mut Option<OrderBy>) -> Result<(), Problem> {
        match body {
            SetExpr::Select(select) => self.substituted(select, order),
            SetExpr::SetOperation { left, right, .. } => {
                self.computed_in(left, &mut None)?;
                self.computed_in(right, &mut None)
            }
            _ => Ok(()),
        }
    }

    fn substituted(&self, select: &mut Select, order: &mut Option<OrderBy>) -> Result<(), Problem> {
        let place = start(select);
        while let Some(computed) = next_of(select, &|subquery| self.computes(subquery)) {
            let replaced = computed.by_name(|name| self.is_column(name));
            let mut written = 0_usize;
            each_part(&*select, |part| {
                if written <= MOST_EXPRESSIONS {
                    written += replaced.of(part).map_or(1, parts);
                }
            });
            if written > MOST_EXPRESSIONS {
                let most = format!("the query has more than {MOST_EXPRESSIONS} expressions");
                return Err(Problem::at(place, format!("{most} after substitution of APPLY and LATERAL")));
            }
            name_columns(&mut select.projection, &replaced);
            let items = std::mem::take(&mut select.projection);
            select.projection = items.into_iter().flat_map(|item| computed.listed(item)).collect();
            let mut replace = |part: &mut Expr| {
                if let Some(expr) = replaced.of(part) {
                    *part = Expr::Nested(Box::new(expr.clone()));
                }
                ControlFlow::Continue(())
            };
            let _: ControlFlow<()> = visit_expressions_mut(select, &mut replace);
            let _: ControlFlow<()> = visit_expressions_mut(order, &mut replace);
        }
        Ok(())
    }

    /// The rows that a subquery computes from columns of the query around it; `None`: it does something else.
    fn computes(&self, query: &Query) -> Option<Rows> {
        let (rows, names) = of_query(query)?;
        let is_row_by_row = |part: &Expr| match part {
            Expr::Function(function) => {
                let name = name_of(&function.name);
                function.over.is_none() && !self.catalog.has_function_of_many(&name) && !makes_rows(&name)
            }
            other => !is_query(other),
        };
        let reads = rows.iter().flatten().any(|value| has_part(value, |part| column_name(part).is_some()));
        let is_computed = rows.iter().flatten().all(|value| !has_part(value, |part| !is_row_by_row(part)));
        (reads && is_computed).then_some((rows, names))
    }

    /// Whether a table of the file has a column of this name.
    fn is_column(&self, name: &str) -> bool {
        self.catalog.tables.values().any(|table| table.schema.column_with_name(name).is_some())
    }
}

/// The expressions that replace the columns of a subquery, by the names of the columns: qualified by the name of the subquery, and alone.
struct Replaced {
    table: String,
    qualified: BTreeMap<String, Expr>,
    alone: BTreeMap<String, Expr>,
}

impl Replaced {
    fn of(&self, part: &Expr) -> Option<&Expr> {
        match part {
            Expr::Identifier(name) => self.alone.get(&spelt(name)),
            Expr::CompoundIdentifier(names) => match names.as_slice() {
                [table, name] if spelt(table) == self.table => self.qualified.get(&spelt(name)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Computed {
    /// The expressions that replace its columns. A name that a column of a table has as well counts only if it is qualified.
    fn by_name(&self, is_column: impl Fn(&str) -> bool) -> Replaced {
        let values = self.rows.first().into_iter().flatten();
        let qualified: BTreeMap<String, Expr> = self.names.iter().map(spelt).zip(values.cloned()).collect();
        let alone = qualified.iter().filter(|(name, _)| !is_column(name));
        let alone = alone.map(|(name, value)| (name.clone(), value.clone())).collect();
        Replaced { table: spelt(&self.alias.name), qualified, alone }
    }

    /// An item of the SELECT list; `*` gets the columns of the subquery.
    fn listed(&self, item: SelectItem) -> Vec<SelectItem> {
        let own = || {
            let values = self.rows.first().into_iter().flatten().cloned();
            let named = self.names.iter().cloned().zip(values);
            named.map(|(alias, expr)| SelectItem::ExprWithAlias { expr, alias })
        };
        match &item {
            SelectItem::Wildcard(_) => std::iter::once(item).chain(own()).collect(),
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(table), _)
                if name_of(table) == spelt(&self.alias.name) =>
            {
                own().collect()
            }
            _ => vec![item],
        }
    }

    /// A list of its rows; a row of several columns is itself a list.
    fn list(self) -> TableFactor {
        let rows = self.rows.into_iter().map(|mut row| match row.len() {
            1 => row.remove(0),
            _ => Expr::Array(Array { elem: row, named: false }),
        });
        let columns = self.names.into_iter().map(|name| TableAliasColumnDef { name, data_type: None });
        TableFactor::UNNEST {
            alias: Some(TableAlias { columns: columns.collect(), ..self.alias }),
            array_exprs: vec![Expr::Array(Array { elem: rows.collect(), named: false })],
            with_offset: false,
            with_offset_alias: None,
            with_ordinality: false,
        }
    }
}

/// Names the items that are columns of a subquery after these columns.
fn name_columns(items: &mut [SelectItem], replaced: &Replaced) {
    for item in items {
        if let SelectItem::UnnamedExpr(expr) = item
            && replaced.of(expr).is_some()
            && let Some(alias) = column_name(expr).cloned()
        {
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
        }
    }
}

/// Takes the next subquery of one row that only computes out of a SELECT, and makes lists of those of several rows.
fn next_of(select: &mut Select, computes: &dyn Fn(&Query) -> Option<Rows>) -> Option<Computed> {
    for place in 0..select.from.len() {
        let is_alone = select.from[place].joins.is_empty() && select.from.len() > 1;
        match found(&select.from[place].relation, false, computes) {
            Some(computed) if computed.rows.len() > 1 => select.from[place].relation = computed.list(),
            Some(computed) if is_alone => {
                select.from.remove(place);
                return Some(computed);
            }
            _ => {}
        }
        for join in 0..select.from[place].joins.len() {
            let Join { relation, join_operator, .. } = &mut select.from[place].joins[join];
            let Some(is_apply) = is_of_each(join_operator) else { continue };
            match found(relation, is_apply, computes) {
                Some(computed) if computed.rows.len() > 1 => *relation = computed.list(),
                Some(computed) => {
                    select.from[place].joins.remove(join);
                    return Some(computed);
                }
                None => {}
            }
        }
    }
    None
}

/// For a join without a condition, whether it is APPLY; `None`: a join with a condition, or of another kind.
fn is_of_each(operator: &JoinOperator) -> Option<bool> {
    let is_free = |constraint: &JoinConstraint| {
        matches!(
            constraint,
            JoinConstraint::None | JoinConstraint::On(Expr::Value(ValueWithSpan { value: Value::Boolean(true), .. }))
        )
    };
    match operator {
        JoinOperator::CrossApply | JoinOperator::OuterApply => Some(true),
        JoinOperator::CrossJoin(constraint)
        | JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
            if is_free(constraint) =>
        {
            Some(false)
        }
        _ => None,
    }
}

/// What a subquery computes for each row before it; `None`: it does not compute rows from that row, or has columns without names.
fn found(factor: &TableFactor, is_apply: bool, computes: &dyn Fn(&Query) -> Option<Rows>) -> Option<Computed> {
    let TableFactor::Derived { lateral, subquery, alias: Some(alias), .. } = factor else { return None };
    if !lateral && !is_apply {
        return None;
    }
    let (rows, own) = computes(subquery)?;
    let names = if alias.columns.is_empty() {
        own.into_iter().collect::<Option<Vec<Ident>>>()?
    } else {
        alias.columns.iter().map(|column| column.name.clone()).collect()
    };
    let is_whole = rows.iter().all(|row| row.len() == names.len());
    is_whole.then(|| Computed { alias: alias.clone(), names, rows })
}

/// The rows of a query that reads no table and gives all of them, and the names of their columns.
fn of_query(query: &Query) -> Option<Rows> {
    let has_all = query.with.is_none() && query.limit_clause.is_none() && query.fetch.is_none();
    if has_all { of_body(&query.body) } else { None }
}

fn of_body(body: &SetExpr) -> Option<Rows> {
    match body {
        SetExpr::Values(values) => {
            let rows: Vec<Vec<Expr>> = values.rows.iter().map(|row| row.content.clone()).collect();
            let names = vec![None; rows.first()?.len()];
            Some((rows, names))
        }
        SetExpr::Select(select) => of_select(select),
        SetExpr::SetOperation { op: SetOperator::Union, set_quantifier: SetQuantifier::All, left, right } => {
            let (mut all, names) = of_body(left)?;
            all.extend(of_body(right)?.0);
            Some((all, names))
        }
        SetExpr::Query(query) => of_query(query),
        _ => None,
    }
}

fn of_select(select: &Select) -> Option<Rows> {
    let has_groups = !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    let is_filtered = select.selection.is_some() || select.having.is_some() || select.qualify.is_some();
    if !select.from.is_empty() || has_groups || is_filtered || select.distinct.is_some() || select.top.is_some() {
        return None;
    }
    let items = select.projection.iter().map(|item| match item {
        SelectItem::UnnamedExpr(expr) => Some((expr.clone(), column_name(expr).cloned())),
        SelectItem::ExprWithAlias { expr, alias } => Some((expr.clone(), Some(alias.clone()))),
        _ => None,
    });
    let (row, names) = items.collect::<Option<Vec<_>>>()?.into_iter().unzip();
    Some((vec![row], names))
}

/// Number of parts of an expression, itself included.
fn parts(expr: &Expr) -> usize {
    let mut count = 0;
    each_part(expr, |_| count += 1);
    count
}
