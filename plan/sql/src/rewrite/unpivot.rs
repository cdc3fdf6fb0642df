//! `UNPIVOT`: a row for each of the columns, made of every row as `UNNEST` of a list of them makes it.

use datafusion_sql::sqlparser::ast::{
    Array, ExcludeSelectItem, Expr, Ident, Join, ObjectName, SelectItem, TableAlias, TableAliasColumnDef, TableFactor,
    WildcardAdditionalOptions,
};

use super::{body, spelt, start, template};
use crate::problem::Problem;

/// Rewrites a table whose columns become rows. That rows without a value are dropped costs nothing worth counting.
pub(super) fn apply(factor: &mut TableFactor) -> Result<(), Problem> {
    let place = start(factor);
    let TableFactor::Unpivot { table, value, name, columns, alias, .. } = factor else { return Ok(()) };
    let refused = |what: &dyn std::fmt::Display| {
        Problem::at(place, format!("UNPIVOT of “{what}” is not supported; expected names of columns"))
    };
    let mut taken: Vec<ObjectName> = Vec::new();
    let mut entries: Vec<Expr> = Vec::new();
    for column in &*columns {
        let parts = parts(&column.expr);
        for part in &parts {
            let name = last_name(part).ok_or_else(|| refused(part))?;
            taken.push(ObjectName::from(Ident::with_quote('"', spelt(&name))));
        }
        entries.push(match parts.as_slice() {
            [one] => one.clone(),
            _ => Expr::Array(Array { elem: parts, named: false }),
        });
    }
    let values: Option<Vec<Ident>> = parts(value).iter().map(last_name).collect();
    let made = values.ok_or_else(|| refused(&*value))?.into_iter().chain([name.clone()]);
    let made: Vec<TableAliasColumnDef> = made.map(|name| TableAliasColumnDef { name, data_type: None }).collect();
    let mut over = template("SELECT * FROM t CROSS JOIN UNNEST(a) AS unpivoted")?;
    if let Some(select) = body(&mut over) {
        let rest = WildcardAdditionalOptions {
            opt_exclude: Some(ExcludeSelectItem::Multiple(taken)),
            ..WildcardAdditionalOptions::default()
        };
        select.projection = vec![SelectItem::Wildcard(rest)];
        for from in &mut select.from {
            from.relation = (**table).clone();
            for Join { relation, .. } in &mut from.joins {
                if let TableFactor::UNNEST { array_exprs, alias: Some(TableAlias { columns, .. }), .. } = relation {
                    *array_exprs = vec![Expr::Array(Array { elem: entries.clone(), named: false })];
                    columns.clone_from(&made);
                }
            }
        }
    }
    let alias = alias.take();
    *factor = TableFactor::Derived { lateral: false, subquery: over, alias, sample: None };
    Ok(())
}

/// One column, or the columns of a list in parentheses.
fn parts(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Tuple(parts) => parts.clone(),
        Expr::Nested(inner) => parts(inner),
        other => vec![other.clone()],
    }
}

/// The name of a column, quoted or not.
fn last_name(expr: &Expr) -> Option<Ident> {
    match expr {
        Expr::Identifier(name) => Some(name.clone()),
        Expr::CompoundIdentifier(names) => names.last().cloned(),
        _ => None,
    }
}
