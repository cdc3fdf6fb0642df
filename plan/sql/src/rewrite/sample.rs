//! `TABLESAMPLE` and `SAMPLE`: a filter over the table that passes a share of its rows, or a limit.

use crossover_plan::SqlDialect;
use datafusion_sql::sqlparser::ast::{
    LimitClause, TableAlias, TableFactor, TableSample, TableSampleKind, TableSampleModifier, TableSampleUnit,
    TableWithJoins, Value, ValueWithSpan,
};

use super::{body, literal, number, start, template};
use crate::planner::SAMPLED;
use crate::problem::Problem;

/// What a sample takes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Size {
    /// A share of the rows, from 0 to 1.
    Share(f64),
    /// So many rows.
    Rows(f64),
}

/// Puts a filter or a limit over a table that is sampled.
pub(super) fn apply(factor: &mut TableFactor, dialect: Option<SqlDialect>) -> Result<(), Problem> {
    let place = start(factor);
    let (sample, alias) = match factor {
        TableFactor::Table { sample: sample @ Some(_), alias, name, .. } => {
            let own = name.0.last().and_then(|part| part.as_ident()).cloned();
            let own = own.map(|name| TableAlias { explicit: true, name, columns: Vec::new(), at: None });
            (sample.take(), alias.take().or(own))
        }
        TableFactor::Derived { sample: sample @ Some(_), alias, .. } => (sample.take(), alias.take()),
        _ => return Ok(()),
    };
    let Some(TableSampleKind::BeforeTableAlias(sample) | TableSampleKind::AfterTableAlias(sample)) = sample else {
        return Ok(());
    };
    let unknown = || Problem::at(place, format!("“{sample}” is not supported; expected a share or a number of rows"));
    let size = size(&sample, dialect).ok_or_else(unknown)?;
    let condition = match size {
        Size::Share(share) => format!(" WHERE {SAMPLED}({share:?})"),
        Size::Rows(_) => String::new(),
    };
    let mut over = template(&format!("SELECT * FROM t{condition}"))?;
    if let Size::Rows(rows) = size {
        over.limit_clause =
            Some(LimitClause::LimitOffset { limit: Some(number(&rows.round())), offset: None, limit_by: Vec::new() });
    }
    if let Some(select) = body(&mut over) {
        select.from = vec![TableWithJoins { relation: factor.clone(), joins: Vec::new() }];
    }
    *factor = TableFactor::Derived { lateral: false, subquery: over, alias, sample: None };
    Ok(())
}

/// What a sample takes; a number without a unit is a percentage, in ClickHouse a share up to 1 and above it rows, in Spark and
/// Snowflake also rows if it says so.
fn size(sample: &TableSample, dialect: Option<SqlDialect>) -> Option<Size> {
    let share = |share: f64| Some(Size::Share(share)).filter(|_| (0.0..=1.0).contains(&share));
    let rows = |rows: f64| Some(Size::Rows(rows)).filter(|_| rows >= 0.0 && rows < 1e18);
    if let Some(bucket) = &sample.bucket {
        let total = value(&bucket.total)?;
        return share(1.0 / total);
    }
    let quantity = sample.quantity.as_ref()?;
    let amount = literal(&quantity.value)?;
    match quantity.unit {
        Some(TableSampleUnit::Percent) => share(amount / 100.0),
        Some(TableSampleUnit::Rows) => rows(amount),
        None if is_ratio(sample, dialect) => {
            if amount <= 1.0 {
                share(amount)
            } else {
                rows(amount)
            }
        }
        None => share(amount / 100.0),
    }
}

/// ClickHouse's `SAMPLE 0.1`: no parentheses, no method.
fn is_ratio(sample: &TableSample, dialect: Option<SqlDialect>) -> bool {
    let is_short = sample.modifier == TableSampleModifier::Sample && sample.name.is_none();
    let has_parentheses = sample.quantity.as_ref().is_some_and(|quantity| quantity.parenthesized);
    dialect == Some(SqlDialect::ClickHouse) || is_short && !has_parentheses
}

fn value(number: &ValueWithSpan) -> Option<f64> {
    match &number.value {
        Value::Number(number, _) => number.parse().ok(),
        _ => None,
    }
}
