//! The groups of a query: `WITH ROLLUP`, `WITH CUBE`, and grouping sets that a parser takes for functions.

use datafusion_sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, GroupByWithModifier, Select, Spanned,
};

use super::item_at;
use crate::problem::Problem;
use crate::table::name_of;

/// Most keys of `CUBE` within `GROUPING SETS`: each doubles the sets.
const MOST_CUBE_KEYS: usize = 10;

/// `GROUP BY a, b WITH ROLLUP` is `GROUP BY ROLLUP (a, b)`, and `GROUP BY (a, b)` is `GROUP BY a, b`.
pub(super) fn group(select: &mut Select) -> Result<(), Problem> {
    if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
        for key in keys {
            grouping_sets(key);
            if let Expr::GroupingSets(sets) = key {
                *sets = std::mem::take(sets).into_iter().flat_map(sets_of).collect();
            }
        }
    }
    modifiers(select)?;
    if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
        *keys = std::mem::take(keys).into_iter().flat_map(columns).collect();
    }
    Ok(())
}

/// What stands behind the keys: `WITH ROLLUP`, `WITH CUBE`, `WITH TOTALS`, `GROUPING SETS`.
fn modifiers(select: &mut Select) -> Result<(), Problem> {
    let is_modified = match &select.group_by {
        GroupByExpr::Expressions(_, modifiers) | GroupByExpr::All(modifiers) => !modifiers.is_empty(),
    };
    if !is_modified {
        return Ok(());
    }
    let place = select.span().start;
    let items = &select.projection;
    let (exprs, modifiers) = match &mut select.group_by {
        GroupByExpr::Expressions(exprs, modifiers) => (exprs, std::mem::take(modifiers)),
        GroupByExpr::All(_) => {
            return Err(Problem::at(place, "GROUP BY ALL with ROLLUP, CUBE or TOTALS is not supported; list the keys"));
        }
    };
    // A position stands for its expression; within ROLLUP the planner takes it for a number.
    let keys = |exprs: &mut Vec<Expr>| -> Vec<Vec<Expr>> {
        let expression = |key: Expr| item_at(items, &key).unwrap_or(key);
        std::mem::take(exprs).into_iter().map(|key| columns(key).into_iter().map(expression).collect()).collect()
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

/// The columns of a key: `(a, b)` is a set of both, which the planner takes for a structure.
fn columns(key: Expr) -> Vec<Expr> {
    match key {
        Expr::Tuple(columns) if !columns.is_empty() => columns,
        key => vec![key],
    }
}

/// The sets of `ROLLUP (a, b)` or `CUBE (a, b)` within `GROUPING SETS`; any other set stays one.
fn sets_of(mut set: Vec<Expr>) -> Vec<Vec<Expr>> {
    if let [key] = set.as_mut_slice() {
        grouping_sets(key);
    }
    match set.as_slice() {
        [Expr::Rollup(keys)] => (0..=keys.len()).rev().map(|count| keys[..count].concat()).collect(),
        [Expr::Cube(keys)] if keys.len() <= MOST_CUBE_KEYS => {
            let kept = |choice: usize| -> Vec<Expr> {
                let chosen = keys.iter().enumerate().filter(move |(place, _)| (choice >> place) & 1 == 1);
                chosen.flat_map(|(_, key)| key.clone()).collect()
            };
            (0..1 << keys.len()).map(kept).collect()
        }
        _ => vec![set],
    }
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

#[cfg(test)]
mod tests {
    use super::super::{body, template};
    use super::*;

    /// The GROUP BY that the planner gets.
    fn grouped(by: &str) -> String {
        let mut query = template(&format!("SELECT 1 FROM t GROUP BY {by}")).expect("a query");
        let select = body(&mut query).expect("a list");
        group(select).expect("sets");
        select.group_by.to_string()
    }

    /// ROLLUP (a, b) is (a, b), (a), (); CUBE (a, b) has also (b): SQL:1999, 7.9.
    #[test]
    fn sets_within_sets_are_written_out() {
        let expected = "GROUP BY GROUPING SETS ((c), (a, b), (a), (), (), (a), (b), (a, b))";
        assert_eq!(grouped("GROUPING SETS ((c), ROLLUP (a, b), CUBE (a, b))"), expected);
    }

    /// `(a, b)` is a grouping set of two columns, of which ROLLUP keeps both or none: SQL:1999, 7.9.
    #[test]
    fn a_list_of_columns_in_parentheses_is_one_key_of_rollup_and_its_columns_elsewhere() {
        assert_eq!(grouped("(a, b), c"), "GROUP BY a, b, c");
        assert_eq!(grouped("(a, b), c WITH ROLLUP"), "GROUP BY ROLLUP ((a, b), c)");
    }
}
