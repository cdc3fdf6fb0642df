//! `PIVOT`: an aggregate of `CASE` for each value, by all columns that neither the aggregates nor the values name.

use std::collections::BTreeSet;

use crossover_plan::SqlDialect;
use datafusion_sql::sqlparser::ast::{
    BinaryOperator, ExcludeSelectItem, Expr, ExprWithAlias, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    ObjectName, PivotValueSource, Query, SelectItem, TableFactor, TableWithJoins, Value, ValueWithSpan,
    WildcardAdditionalOptions,
};

use super::{all_of, body, number, spelt, start, template};
use crate::parts::{column_name, each_part};
use crate::problem::Problem;

/// Rewrites a table that is pivoted.
pub(super) fn apply(factor: &mut TableFactor, dialect: Option<SqlDialect>) -> Result<(), Problem> {
    let place = start(factor);
    let TableFactor::Pivot { table, aggregate_functions, value_column, value_source, alias, .. } = factor else {
        return Ok(());
    };
    let values = match value_source {
        PivotValueSource::List(values) => Some(values),
        PivotValueSource::Any(_) | PivotValueSource::Subquery(_) => None,
    };
    let mut used: BTreeSet<String> = BTreeSet::new();
    for expr in aggregate_functions.iter().map(|one| &one.expr).chain(&*value_column) {
        each_part(expr, |part| used.extend(column_name(part).map(spelt)));
    }
    let excluded = used.into_iter().map(|name| ObjectName::from(Ident::with_quote('"', name))).collect();
    let rest = WildcardAdditionalOptions {
        opt_exclude: Some(ExcludeSelectItem::Multiple(excluded)),
        ..WildcardAdditionalOptions::default()
    };
    let relation = TableWithJoins { relation: (**table).clone(), joins: Vec::new() };
    let Some(values) = values else {
        let subquery = of_unknown_values(value_column, aggregate_functions, rest, relation)?;
        let alias = alias.take();
        *factor = TableFactor::Derived { lateral: false, subquery, alias, sample: None };
        return Ok(());
    };
    let mut items = vec![SelectItem::Wildcard(rest)];
    for value in &*values {
        let condition = equal(value_column, &value.expr).ok_or_else(|| {
            let columns = value_column.len();
            Problem::at(place, format!("PIVOT by {columns} columns needs as many values in “{value}”"))
        })?;
        for aggregate in &*aggregate_functions {
            let expr = when(&aggregate.expr, &condition)
                .ok_or_else(|| Problem::at(place, format!("PIVOT by “{}” is not supported", aggregate.expr)))?;
            let alias = Ident::with_quote('"', name(value, aggregate, aggregate_functions.len(), dialect));
            items.push(SelectItem::ExprWithAlias { expr, alias });
        }
    }
    let mut grouped = template("SELECT 1 FROM t GROUP BY ALL")?;
    if let Some(select) = body(&mut grouped) {
        select.projection = items;
        select.from = vec![relation];
    }
    let alias = alias.take();
    *factor = TableFactor::Derived { lateral: false, subquery: grouped, alias, sample: None };
    Ok(())
}

/// The condition that columns have the values of a list, or one column a value.
fn equal(columns: &[Expr], value: &Expr) -> Option<Expr> {
    let values = match value {
        Expr::Tuple(values) if columns.len() > 1 => values.as_slice(),
        one => std::slice::from_ref(one),
    };
    let equal = columns.iter().zip(values).map(|(column, value)| Expr::BinaryOp {
        left: Box::new(column.clone()),
        op: BinaryOperator::Eq,
        right: Box::new(value.clone()),
    });
    if values.len() == columns.len() { all_of(equal.collect()) } else { None }
}

/// Without a list the data decides on the columns: the aggregates of each value, and then the values of each group side by side, as
/// DuckDB and Snowflake work it out. The result has one column for all values.
fn of_unknown_values(
    columns: &[Expr],
    aggregates: &[ExprWithAlias],
    rest: WildcardAdditionalOptions,
    relation: TableWithJoins,
) -> Result<Box<Query>, Problem> {
    let mut grouped = template("SELECT 1 FROM t GROUP BY ALL")?;
    let mut items = vec![SelectItem::Wildcard(rest)];
    let values: Vec<String> = match columns {
        [_] => vec!["pivot_value".to_owned()],
        _ => (1..=columns.len()).map(|place| format!("pivot_value_{place}")).collect(),
    };
    for (column, name) in columns.iter().zip(&values) {
        items.push(SelectItem::ExprWithAlias { expr: column.clone(), alias: Ident::new(name.clone()) });
    }
    let names: Vec<String> = (1..=aggregates.len()).map(|place| format!("pivot_{place}")).collect();
    for (aggregate, name) in aggregates.iter().zip(&names) {
        items.push(SelectItem::ExprWithAlias { expr: aggregate.expr.clone(), alias: Ident::new(name.clone()) });
    }
    if let Some(select) = body(&mut grouped) {
        select.projection = items;
        select.from = vec![relation];
    }
    let listed: Vec<String> = values.into_iter().chain(names).collect();
    let lists = listed.iter().map(|name| format!("array_agg({name}) AS {name}")).collect::<Vec<_>>().join(", ");
    let kept = listed.join(", ");
    let mut all = template(&format!("SELECT * EXCLUDE ({kept}), {lists} FROM t GROUP BY ALL"))?;
    if let Some(select) = body(&mut all) {
        let relation = TableFactor::Derived { lateral: false, subquery: grouped, alias: None, sample: None };
        select.from = vec![TableWithJoins { relation, joins: Vec::new() }];
    }
    Ok(all)
}

/// The aggregate of the rows that meet a condition: `sum(CASE WHEN condition THEN x END)`.
fn when(aggregate: &Expr, condition: &Expr) -> Option<Expr> {
    let Expr::Function(function) = aggregate else { return None };
    let mut function = function.clone();
    let FunctionArguments::List(list) = &mut function.args else { return None };
    let Some(FunctionArg::Unnamed(argument)) = list.args.first_mut() else { return None };
    let value = match argument {
        FunctionArgExpr::Expr(value) => value.clone(),
        // count(*) counts rows that meet it.
        _ => number(&1),
    };
    let mut case = template("SELECT CASE WHEN true THEN 1 END").ok()?;
    let SelectItem::UnnamedExpr(mut case) = body(&mut case)?.projection.pop()? else { return None };
    let Expr::Case { conditions, .. } = &mut case else { return None };
    let first = conditions.first_mut()?;
    (first.condition, first.result) = (condition.clone(), value);
    *argument = FunctionArgExpr::Expr(case);
    Some(Expr::Function(function))
}

/// The name of a column that a value gives: its alias, else the value; with several aggregates also the name of the aggregate.
fn name(value: &ExprWithAlias, aggregate: &ExprWithAlias, aggregates: usize, dialect: Option<SqlDialect>) -> String {
    let own = match (&value.alias, &value.expr) {
        (Some(alias), _) => spelt(alias),
        // Snowflake's columns have the quotes in their names.
        (None, expr) if dialect == Some(SqlDialect::Snowflake) => expr.to_string(),
        (None, Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. })) => text.to_ascii_lowercase(),
        (None, expr) => expr.to_string().to_ascii_lowercase(),
    };
    match &aggregate.alias {
        Some(alias) => format!("{own}_{}", spelt(alias)),
        None if aggregates > 1 => format!("{own}_{}", aggregate.expr.to_string().to_ascii_lowercase()),
        None => own,
    }
}
