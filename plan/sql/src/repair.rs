//! Queries that engines accept and the planner refuses, rewritten by what it says of them: columns of one name, names of the same list,
//! subqueries of which one value is taken.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use datafusion_sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, Query, Select, SelectItem, SetExpr,
    VisitMut, VisitorMut, visit_expressions_mut,
};
use datafusion_sql::sqlparser::dialect::GenericDialect;
use datafusion_sql::sqlparser::parser::Parser;

use super::parts::{each_part, has_part, spelt};
use super::table::name_of;

/// Most expressions of a query after names were replaced by what they stand for.
const MOST_EXPRESSIONS: usize = 50_000;

/// Rewrites what a problem is about; returns whether there is a query to plan again.
pub(super) fn repair(query: &mut Query, problem: &str, is_of_many: &dyn Fn(&str) -> bool) -> bool {
    if problem.starts_with("Projections require unique expression names") {
        return distinct_names(query, problem);
    }
    if problem.contains("__scalar_sq") && problem.contains("ambiguous") {
        return subqueries(query, |subquery| named_value(subquery).is_some());
    }
    if problem.starts_with("Correlated scalar subquery must be aggregated") {
        return subqueries(query, |subquery| one_value(subquery, is_of_many).is_some());
    }
    let unknown = problem.strip_prefix("there is no column “").and_then(|rest| rest.split_once('”'));
    unknown.is_some_and(|(name, _)| put_in_place(query, name))
}

/// Gives columns names of their own: those without a name, and those that have one a second time.
fn distinct_names(query: &mut Query, problem: &str) -> bool {
    let twice = second_name(problem);
    let mut is_changed = false;
    each_select(query, |select| {
        let is_all = |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
        let has_all = select.projection.iter().any(is_all);
        let mut seen = BTreeSet::new();
        for (place, item) in select.projection.iter_mut().enumerate() {
            let (expr, name) = match &*item {
                SelectItem::UnnamedExpr(expr @ Expr::Identifier(name)) => (expr, Some(spelt(name))),
                SelectItem::UnnamedExpr(expr @ Expr::CompoundIdentifier(names)) => (expr, names.last().map(spelt)),
                SelectItem::UnnamedExpr(expr) => (expr, None),
                SelectItem::ExprWithAlias { expr, alias } => (expr, Some(spelt(alias))),
                _ => continue,
            };
            let is_again = name.is_none_or(|name| {
                let is_in_all = has_all && twice.as_deref() == Some(name.as_str());
                !seen.insert(name) || is_in_all
            });
            if is_again {
                let alias = Ident::with_quote('"', format!("column {}", place + 1));
                let expr = expr.clone();
                *item = SelectItem::ExprWithAlias { expr, alias };
                is_changed = true;
            }
        }
    });
    is_changed
}

/// The name of the second expression of `… "a" at position 0 and "t.b AS a" at position 1 have the same name`.
fn second_name(problem: &str) -> Option<String> {
    let (before, _) = problem.rsplit_once("\" at position ")?;
    let (_, expression) = before.rsplit_once("and \"")?;
    let name = match expression.rsplit_once(" AS ") {
        Some((_, alias)) => alias,
        None => expression.rsplit('.').next()?,
    };
    Some(name.trim_matches('"').to_owned())
}

/// Names the value of a subquery.
fn named_value(query: &mut Query) -> Option<()> {
    let [item] = first_select(query)?.projection.as_mut_slice() else { return None };
    let SelectItem::UnnamedExpr(expr) = &*item else { return None };
    let expr = expr.clone();
    *item = SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', "value") };
    Some(())
}

/// Takes one of the values that a subquery gives: that there is one only is not in the query.
fn one_value(query: &mut Query, is_of_many: &dyn Fn(&str) -> bool) -> Option<()> {
    let select = first_select(query)?;
    if !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty()) {
        return None;
    }
    let [item] = select.projection.as_mut_slice() else { return None };
    let (SelectItem::UnnamedExpr(value) | SelectItem::ExprWithAlias { expr: value, .. }) = item else { return None };
    let is_aggregate = |part: &Expr| matches!(part, Expr::Function(function) if is_of_many(&name_of(&function.name)));
    if has_part(&*value, is_aggregate) {
        return None;
    }
    let mut call = Parser::new(&GenericDialect {}).try_with_sql("any_value(a)").ok()?.parse_expr().ok()?;
    if let Expr::Function(function) = &mut call
        && let FunctionArguments::List(list) = &mut function.args
    {
        list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(value.clone()))];
    }
    *value = call;
    (query.order_by, query.limit_clause) = (None, None);
    Some(())
}

/// Puts an expression in the places of the name that the same list gives it.
fn put_in_place(query: &mut Query, name: &str) -> bool {
    let mut is_changed = false;
    each_select(query, |select| {
        let meant = select.projection.iter().find_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } if spelt(alias) == name && !is_named(expr, name) => {
                Some(Expr::Nested(Box::new(expr.clone())))
            }
            _ => None,
        });
        let Some(meant) = meant else { return };
        let items = select.projection.iter_mut().filter_map(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
            _ => None,
        });
        let conditions = [select.selection.as_mut(), select.having.as_mut(), select.qualify.as_mut()];
        for expr in items.chain(conditions.into_iter().flatten()) {
            let _: ControlFlow<()> = visit_expressions_mut(expr, |part| {
                if matches!(part, Expr::Identifier(one) if spelt(one) == name) {
                    *part = meant.clone();
                    is_changed = true;
                }
                ControlFlow::Continue(())
            });
        }
    });
    let mut count = 0_usize;
    each_part(&*query, |_| count += 1);
    is_changed && count <= MOST_EXPRESSIONS
}

/// Whether an expression has a column of this name.
fn is_named(expr: &Expr, name: &str) -> bool {
    has_part(expr, |part| matches!(part, Expr::Identifier(one) if spelt(one) == name))
}

/// Calls a function for each subquery that is a value; returns whether one of the calls did.
fn subqueries(query: &mut Query, mut each: impl FnMut(&mut Query) -> bool) -> bool {
    let mut is_changed = false;
    let _: ControlFlow<()> = visit_expressions_mut(query, |expr| {
        if let Expr::Subquery(subquery) = expr {
            is_changed |= each(subquery.as_mut());
        }
        ControlFlow::Continue(())
    });
    is_changed
}

/// Calls a function for each SELECT of a query.
fn each_select(query: &mut Query, each: impl FnMut(&mut Select)) {
    let _: ControlFlow<()> = VisitMut::visit(query, &mut EachSelect(each));
}

struct EachSelect<F>(F);

impl<F: FnMut(&mut Select)> VisitorMut for EachSelect<F> {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        (self.0)(select);
        ControlFlow::Continue(())
    }
}

fn first_select(query: &mut Query) -> Option<&mut Select> {
    match query.body.as_mut() {
        SetExpr::Select(select) => Some(select),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(sql: &str, problem: &str) -> Option<String> {
        let mut query = *Parser::new(&GenericDialect {}).try_with_sql(sql).expect("words").parse_query().expect("SQL");
        repair(&mut query, problem, &|name| name == "max").then(|| query.to_string())
    }

    #[test]
    fn columns_of_one_name_get_names_of_their_own() {
        let twice = "Projections require unique expression names but the expression \"t.a\" at position 0 and \"t.a\" at \
                     position 2 have the same name";
        for (sql, expected) in [
            ("SELECT a, b, a FROM t", "SELECT a, b, a AS \"column 3\" FROM t"),
            ("SELECT *, a, b FROM t", "SELECT *, a AS \"column 2\", b FROM t"),
            ("SELECT max(a), max(a) FROM t", "SELECT max(a) AS \"column 1\", max(a) AS \"column 2\" FROM t"),
        ] {
            assert_eq!(repaired(sql, twice).as_deref(), Some(expected), "{sql}");
        }
        // Nothing is left to name.
        assert_eq!(repaired("SELECT a, b FROM t", twice), None);
    }

    #[test]
    fn names_of_the_list_stand_for_their_expressions() {
        let unknown = "there is no column “x”; the columns here are t.a";
        for (sql, expected) in [
            ("SELECT a + 1 AS x, x * 2 FROM t", Some("SELECT a + 1 AS x, (a + 1) * 2 FROM t")),
            ("SELECT a AS x FROM t WHERE x > 1", Some("SELECT a AS x FROM t WHERE (a) > 1")),
            ("SELECT x + 1 AS x FROM t", None),
            ("SELECT a AS y FROM t WHERE x > 1", None),
        ] {
            assert_eq!(repaired(sql, unknown).as_deref(), expected, "{sql}");
        }
    }

    #[test]
    fn subqueries_that_give_a_value_give_one() {
        let many = "Correlated scalar subquery must be aggregated to return at most one row";
        let sql = "SELECT (SELECT city FROM s WHERE s.k = t.k ORDER BY city LIMIT 1) FROM t";
        let expected = "SELECT (SELECT any_value(city) FROM s WHERE s.k = t.k) FROM t";
        assert_eq!(repaired(sql, many).as_deref(), Some(expected));
        assert_eq!(repaired("SELECT (SELECT max(city) FROM s) FROM t", many), None);
    }
}
