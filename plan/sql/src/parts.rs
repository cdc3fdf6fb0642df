//! Parts of a query or an expression, at any depth, and the names of columns among them; what FROM joins.

use std::ops::ControlFlow;

use datafusion_sql::sqlparser::ast::{Expr, Ident, TableFactor, TableWithJoins, Visit, visit_expressions};

/// Calls a function with each part, itself among them.
pub(super) fn each_part(whole: &impl Visit, mut each: impl FnMut(&Expr)) {
    let _: ControlFlow<()> = visit_expressions(whole, |part| {
        each(part);
        ControlFlow::Continue(())
    });
}

/// Whether a condition holds for some part, itself among them.
pub(super) fn has_part(whole: &impl Visit, holds: impl Fn(&Expr) -> bool) -> bool {
    let found =
        visit_expressions(whole, |part| if holds(part) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
    found.is_break()
}

/// The tables and subqueries that are joined in a part of FROM.
pub(super) fn factors(from: &TableWithJoins) -> impl Iterator<Item = &TableFactor> {
    std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation))
}

/// Whether an expression reads a query of its own.
pub(super) fn is_query(part: &Expr) -> bool {
    matches!(part, Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. })
}

/// The name of a column, without those of its table and schema; `None`: it is no column.
pub(super) fn column_name(part: &Expr) -> Option<&Ident> {
    match part {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(names) => names.last(),
        _ => None,
    }
}

/// The first name of a column, which may be that of its table; `None`: it is no column.
pub(super) fn first_name(part: &Expr) -> Option<&Ident> {
    match part {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(names) => names.first(),
        _ => None,
    }
}

/// How the planner spells a name.
pub(super) fn spelt(name: &Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_ascii_lowercase() }
}
