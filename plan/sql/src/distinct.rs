//! `DISTINCT ON`: an aggregate that keeps the first row of each group. The optimiser's own rule does the same, but takes the function
//! from a registry of the engine and panics where there is none.

use datafusion_common::tree_node::Transformed;
use datafusion_common::{Column, Result};
use datafusion_expr::expr_rewriter::normalize_cols;
use datafusion_expr::logical_plan::{Aggregate, Distinct, DistinctOn};
use datafusion_expr::{AggregateUDF, Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, col};

/// The same plan with aggregates in the places of `DISTINCT ON`; `first` is the function that gives the first value of a group.
pub(super) fn first_rows(plan: LogicalPlan, first: &AggregateUDF) -> Result<LogicalPlan> {
    let replaced = plan.transform_up_with_subqueries(|plan| match plan {
        LogicalPlan::Distinct(Distinct::On(distinct)) => Ok(Transformed::yes(aggregate(distinct, first)?)),
        other => Ok(Transformed::no(other)),
    })?;
    Ok(replaced.data)
}

fn aggregate(distinct: DistinctOn, first: &AggregateUDF) -> Result<LogicalPlan> {
    let DistinctOn { on_expr, select_expr, sort_expr, input, schema } = distinct;
    let keys = on_expr.len();
    let firsts: Result<Vec<Expr>> = select_expr
        .into_iter()
        .map(|value| match &sort_expr {
            Some(order) => first.call(vec![value]).order_by(order.clone()).build(),
            None => Ok(first.call(vec![value])),
        })
        .collect();
    let firsts = normalize_cols(firsts?, input.as_ref())?;
    let groups = normalize_cols(on_expr, input.as_ref())?;
    let grouped = LogicalPlanBuilder::from(LogicalPlan::Aggregate(Aggregate::try_new(input, groups, firsts)?));
    // Only the keys of the order are left behind the aggregate.
    let grouped = match sort_expr {
        Some(mut order) => {
            order.truncate(keys);
            grouped.sort(order)?.build()?
        }
        None => grouped.build()?,
    };
    let columns: Vec<Expr> = grouped
        .schema()
        .iter()
        .skip(keys)
        .zip(schema.iter())
        .map(|(new, (qualifier, field))| col(Column::from(new)).alias_qualified(qualifier.cloned(), field.name()))
        .collect();
    LogicalPlanBuilder::from(grouped).project(columns)?.build()
}
