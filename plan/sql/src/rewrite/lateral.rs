//! The first rows for each row of another table: `LATERAL (SELECT … WHERE t.k = s.k ORDER BY … LIMIT n)`, `CROSS APPLY (SELECT TOP n …)`.
//! The planner joins no subquery with a limit of its own, so it becomes a window over the keys and a join by them.

use std::collections::BTreeSet;

use datafusion_sql::sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, LimitClause, OrderByKind, Query,
    Select, SelectItem, SetExpr, TableAlias, TableAliasColumnDef, TableFactor, Value, ValueWithSpan,
};

use super::outer::qualifiers;
use super::{Rewriter, all_of, body, both, conjuncts, expression_of, item_at, label, limit, spelt, start, template};
use crate::parts::{factors, has_part};
use crate::problem::Problem;
use crate::table::name_of;

/// A condition between the rows of a subquery and those around it.
struct Link {
    /// The side of the subquery.
    inner: Expr,
    op: BinaryOperator,
    outer: Expr,
    /// Whether the subquery is the left side.
    is_left: bool,
}

impl Rewriter<'_> {
    /// Rewrites what a SELECT joins for each of its rows with a limit.
    pub(super) fn first_rows_of_each(&mut self, select: &mut Select) -> Result<(), Problem> {
        let mut conditions = Vec::new();
        for from in &mut select.from {
            conditions.extend(self.first_rows_of(&mut from.relation, false)?);
            for Join { relation, join_operator, .. } in &mut from.joins {
                let is_apply = matches!(join_operator, JoinOperator::CrossApply | JoinOperator::OuterApply);
                if let Some(condition) = self.first_rows_of(relation, is_apply)? {
                    let operator = std::mem::replace(join_operator, JoinOperator::ArrayJoin);
                    *join_operator = joined(operator, condition);
                }
            }
        }
        for condition in conditions {
            select.selection = Some(both(select.selection.take(), condition));
        }
        Ok(())
    }

    /// Makes a subquery that is evaluated for each row one of its own; returns the condition to join it by. `None`: it stays.
    fn first_rows_of(&mut self, factor: &mut TableFactor, is_apply: bool) -> Result<Option<Expr>, Problem> {
        let place = start(factor);
        let TableFactor::Derived { lateral, subquery, alias, .. } = factor else { return Ok(None) };
        if !*lateral && !is_apply {
            return Ok(None);
        }
        limit(subquery)?;
        let rows = match &subquery.limit_clause {
            Some(LimitClause::LimitOffset { limit: Some(rows), limit_by, .. }) if limit_by.is_empty() => rows.clone(),
            _ => return Ok(None),
        };
        let order = order(subquery);
        let Some(select) = body(subquery) else { return Ok(None) };
        if self.is_one_row(select) {
            (subquery.limit_clause, subquery.order_by) = (None, None);
            return Ok(None);
        }
        let (links, rest) = links(select)?;
        if links.is_empty() {
            return Ok(None);
        }
        let refused = |what: &str| Problem::at(place, format!("LATERAL with LIMIT {what}"));
        if select.distinct.is_some() {
            return Err(refused("and DISTINCT is not supported"));
        }
        let keys: Vec<String> =
            links.iter().filter(|link| link.op == BinaryOperator::Eq).map(|link| link.inner.to_string()).collect();
        if keys.is_empty() {
            return Err(refused("needs an equality between a column of the subquery and one of the tables before it"));
        }
        self.laterals += 1;
        let prefix = format!("lateral_{}", self.laterals);
        let table = alias.get_or_insert_with(|| TableAlias {
            explicit: true,
            name: Ident::new(prefix.clone()),
            columns: Vec::new(),
            at: None,
        });
        let window = format!(
            "SELECT 1 FROM t QUALIFY row_number() OVER (PARTITION BY {}{}) <= {rows}",
            keys.join(", "),
            if order.is_empty() { String::new() } else { format!(" ORDER BY {}", order.join(", ")) }
        );
        let mut window = template(&window)?;
        let first = body(&mut window).and_then(|select| select.qualify.take());
        let first = first.ok_or_else(|| refused("is not supported here"))?;
        select.qualify = Some(both(select.qualify.take(), first));
        select.selection = all_of(rest);
        let mut conditions = Vec::new();
        for (place, link) in links.into_iter().enumerate() {
            let name = Ident::new(format!("{prefix}_{}", place + 1));
            if let GroupByExpr::Expressions(groups, _) = &mut select.group_by
                && !groups.is_empty()
            {
                groups.push(link.inner.clone());
            }
            select.projection.push(SelectItem::ExprWithAlias { expr: link.inner, alias: name.clone() });
            if !table.columns.is_empty() {
                table.columns.push(TableAliasColumnDef { name: name.clone(), data_type: None });
            }
            let column = Box::new(Expr::CompoundIdentifier(vec![table.name.clone(), name]));
            let outer = Box::new(link.outer);
            let (left, right) = if link.is_left { (column, outer) } else { (outer, column) };
            conditions.push(Expr::BinaryOp { left, op: link.op, right });
        }
        *lateral = false;
        (subquery.limit_clause, subquery.order_by) = (None, None);
        Ok(all_of(conditions))
    }

    /// Whether a SELECT gives one row: it has functions of many values and no groups.
    fn is_one_row(&self, select: &Select) -> bool {
        let has_groups = !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
        let is_of_many = |part: &Expr| match part {
            Expr::Function(function) => {
                function.over.is_none() && self.catalog.has_function_of_many(&name_of(&function.name))
            }
            _ => false,
        };
        !has_groups && select.projection.iter().filter_map(expression_of).any(|item| has_part(&item, is_of_many))
    }
}

/// The keys of the order of a query, as expressions of its tables.
fn order(query: &Query) -> Vec<String> {
    let Some(OrderByKind::Expressions(keys)) = query.order_by.as_ref().map(|order| &order.kind) else {
        return Vec::new();
    };
    let items = match query.body.as_ref() {
        SetExpr::Select(select) => select.projection.as_slice(),
        _ => &[],
    };
    let of_alias = |name: &Ident| {
        items.iter().find_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } if spelt(alias) == spelt(name) => Some(expr.clone()),
            _ => None,
        })
    };
    let key = |key: &Expr| match key {
        Expr::Identifier(name) => of_alias(name),
        other => item_at(items, other),
    };
    keys.iter().map(|one| format!("{}{}", key(&one.expr).unwrap_or_else(|| one.expr.clone()), one.options)).collect()
}

/// The conditions of a subquery with what is around it, and those of its own.
fn links(select: &Select) -> Result<(Vec<Link>, Vec<Expr>), Problem> {
    let own: BTreeSet<String> = select.from.iter().flat_map(factors).filter_map(label).collect();
    let is_inner = |expr: &Expr| qualifiers(expr).is_subset(&own);
    let is_outer = |expr: &Expr| {
        let read = qualifiers(expr);
        !read.is_empty() && read.is_disjoint(&own)
    };
    let (mut links, mut rest) = (Vec::new(), Vec::new());
    for condition in select.selection.clone().map(conjuncts).unwrap_or_default() {
        match condition {
            condition if is_inner(&condition) => rest.push(condition),
            Expr::BinaryOp { left, op, right } if is_inner(&left) && is_outer(&right) => {
                links.push(Link { inner: *left, op, outer: *right, is_left: true });
            }
            Expr::BinaryOp { left, op, right } if is_outer(&left) && is_inner(&right) => {
                links.push(Link { inner: *right, op, outer: *left, is_left: false });
            }
            other => {
                let what =
                    "LATERAL with LIMIT is not supported with this condition; expected comparisons of two columns";
                return Err(Problem::at(start(&other), what));
            }
        }
    }
    Ok((links, rest))
}

/// A join with a condition more.
fn joined(operator: JoinOperator, condition: Expr) -> JoinOperator {
    let with = |constraint: JoinConstraint, condition: Expr| {
        JoinConstraint::On(match constraint {
            JoinConstraint::On(Expr::Value(ValueWithSpan { value: Value::Boolean(true), .. })) => condition,
            JoinConstraint::On(before) => both(Some(before), condition),
            _ => condition,
        })
    };
    match operator {
        JoinOperator::OuterApply => JoinOperator::LeftOuter(JoinConstraint::On(condition)),
        JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
            JoinOperator::LeftOuter(with(constraint, condition))
        }
        JoinOperator::Inner(constraint) | JoinOperator::Join(constraint) | JoinOperator::CrossJoin(constraint) => {
            JoinOperator::Inner(with(constraint, condition))
        }
        _ => JoinOperator::Inner(JoinConstraint::On(condition)),
    }
}
