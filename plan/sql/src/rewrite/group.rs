//! The groups of a query: `WITH ROLLUP`, `WITH CUBE`, and grouping sets that a parser takes for functions.

use datafusion_sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, GroupByWithModifier, Select, Spanned,
};

use super::{expression_of, position};
use crate::problem::Problem;
use crate::table::name_of;

/// `GROUP BY a, b WITH ROLLUP` is `GROUP BY ROLLUP (a, b)`.
pub(super) fn group(select: &mut Select) -> Result<(), Problem> {
    if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
        keys.iter_mut().for_each(grouping_sets);
    }
    let is_modified = match &select.group_by {
        GroupByExpr::Expressions(_, modifiers) | GroupByExpr::All(modifiers) => !modifiers.is_empty(),
    };
    if !is_modified {
        return Ok(());
    }
    let place = select.span().start;
    let items: Vec<Option<Expr>> = select.projection.iter().map(expression_of).collect();
    let (exprs, modifiers) = match &mut select.group_by {
        GroupByExpr::Expressions(exprs, modifiers) => (exprs, std::mem::take(modifiers)),
        GroupByExpr::All(_) => {
            return Err(Problem::at(place, "GROUP BY ALL with ROLLUP, CUBE or TOTALS is not supported; list the keys"));
        }
    };
    // A position stands for its expression; within ROLLUP the planner takes it for a number.
    let keys = |exprs: &mut Vec<Expr>| -> Vec<Vec<Expr>> {
        let expression = |key: Expr| {
            let item = position(&key).and_then(|place| items.get(place).cloned().flatten());
            item.unwrap_or(key)
        };
        std::mem::take(exprs).into_iter().map(|key| vec![expression(key)]).collect()
    };
    for modifier in modifiers {
        match modifier {
            GroupByWithModifier::Rollup => *exprs = vec![Expr::Rollup(keys(exprs))],
            GroupByWithModifier::Cube => *exprs = vec![Expr::Cube(keys(exprs))],
            // GROUP BY a, b GROUPING SETS ((a), (a, b)): the sets name the keys again.
            GroupByWithModifier::GroupingSets(sets) => *exprs = vec![sets],
            // One more row.
            GroupByWithModifier::Totals => {}
        }
    }
    Ok(())
}

/// `ROLLUP (a, b)` and `CUBE (a, b)`, which the parsers of some dialects take for functions.
fn grouping_sets(key: &mut Expr) {
    let Expr::Function(Function { name, args: FunctionArguments::List(list), .. }) = &*key else { return };
    let keys = || -> Vec<Vec<Expr>> {
        let keys = list.args.iter().filter_map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Tuple(keys))) => Some(keys.clone()),
            FunctionArg::Unnamed(FunctionArgExpr::Expr(key)) => Some(vec![key.clone()]),
            _ => None,
        });
        keys.collect()
    };
    *key = match name_of(name).as_str() {
        "rollup" => Expr::Rollup(keys()),
        "cube" => Expr::Cube(keys()),
        _ => return,
    };
}
