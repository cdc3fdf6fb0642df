//! `MATCH_RECOGNIZE`: windows over the partitions and the order in which a pattern is looked for, and a filter of the rows that match.
//! The shape of the plan shows the windows as one operator, which no GPU engine has.

use datafusion_common::arrow::datatypes::DataType;
use datafusion_sql::sqlparser::ast::{
    Expr, Ident, RowsPerMatch, SelectItem, TableFactor, TableWithJoins, WildcardAdditionalOptions,
};

use super::{Rewriter, body, spelt, start, template};
use crate::foreign::Returns;
use crate::parts::{column_name, each_part};
use crate::planner::{Foreign, MATCHED};
use crate::problem::Problem;
use crate::table::name_of;

impl Rewriter<'_> {
    /// Rewrites a table in which a pattern is looked for. What a measure computes is part of the operator: it reads the columns
    /// that it names.
    pub(super) fn matches(&mut self, factor: &mut TableFactor) -> Result<(), Problem> {
        let place = start(factor);
        let TableFactor::MatchRecognize {
            table, partition_by, order_by, measures, rows_per_match, symbols, alias, ..
        } = factor
        else {
            return Ok(());
        };
        let keys = partition_by.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let keys = if keys.is_empty() { keys } else { format!("PARTITION BY {keys} ") };
        let order = order_by.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let order = if order.is_empty() { order } else { format!("ORDER BY {order}") };
        let mut call = |columns: &[Ident], returns: Returns| {
            self.matched += 1;
            let name = format!("{MATCHED}_{}", self.matched);
            let read: Vec<String> = columns.iter().map(ToString::to_string).collect();
            let read = if read.is_empty() { "1".to_owned() } else { read.join(", ") };
            self.rewritten.foreign.insert(name.clone(), Foreign { returns, is_aggregate: true });
            format!("{name}({read}) OVER ({keys}{order})")
        };
        let defined = columns(symbols.iter().map(|symbol| &symbol.definition));
        let condition = call(&defined, Returns::Type(DataType::Boolean));
        let items: Vec<String> = measures
            .iter()
            .map(|measure| {
                let computed = call(&columns([&measure.expr]), returns(&measure.expr));
                format!("{computed} AS {}", measure.alias)
            })
            .collect();
        let items = if items.is_empty() { "1".to_owned() } else { items.join(", ") };
        let mut over = template(&format!("SELECT {items} FROM t QUALIFY {condition}"))?;
        let select = body(&mut over).ok_or_else(|| Problem::at(place, "MATCH_RECOGNIZE is not supported here"))?;
        let mut kept = match rows_per_match {
            Some(RowsPerMatch::AllRows(_)) => vec![SelectItem::Wildcard(WildcardAdditionalOptions::default())],
            _ => partition_by.iter().cloned().map(SelectItem::UnnamedExpr).collect(),
        };
        kept.append(&mut select.projection);
        select.projection = kept;
        select.from = vec![TableWithJoins { relation: (**table).clone(), joins: Vec::new() }];
        let alias = alias.take();
        *factor = TableFactor::Derived { lateral: false, subquery: over, alias, sample: None };
        Ok(())
    }
}

/// The columns that expressions name, without the names of the pattern before them.
fn columns<'a>(expressions: impl IntoIterator<Item = &'a Expr>) -> Vec<Ident> {
    let mut columns: Vec<Ident> = Vec::new();
    for expr in expressions {
        each_part(expr, |part| {
            if let Some(name) = column_name(part)
                && !columns.iter().any(|known| spelt(known) == spelt(name))
            {
                columns.push(name.clone());
            }
        });
    }
    columns
}

/// What a measure returns.
fn returns(measure: &Expr) -> Returns {
    let Expr::Function(function) = measure else { return Returns::Argument(0) };
    match name_of(&function.name).as_str() {
        "count" | "match_number" | "match_sequence_number" => Returns::Type(DataType::Int64),
        "avg" => Returns::Type(DataType::Float64),
        "classifier" => Returns::Type(DataType::Utf8),
        _ => Returns::Argument(0),
    }
}
