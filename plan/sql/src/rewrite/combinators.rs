//! `ClickHouse`'s combinators: suffixes that turn an aggregate function into another one, such as `sumIf`, `uniqState` and `avgMerge`.

use datafusion_common::arrow::datatypes::DataType;
use datafusion_sql::sqlparser::ast::{DuplicateTreatment, Function, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::{Rewriter, both};
use crate::foreign::{Returns, names};

/// What a suffix changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Combinator {
    /// Only rows that meet the last argument count.
    If,
    /// Each value counts once.
    Distinct,
    /// Only the result for no rows, or its type, is another: the cost is the same.
    Result,
    /// The state of the aggregation is the result.
    State,
    /// States of an aggregation are merged.
    Merge,
    /// Elements of lists are aggregated.
    Array,
    /// Rows with the least or greatest value of the last argument are aggregated.
    Extreme,
    /// A result for each element, key or interval.
    Each,
}

/// Suffixes in lower case. One that ends with another one comes before it.
const COMBINATORS: [(&str, Combinator); 13] = [
    ("simplestate", Combinator::Result),
    ("ordefault", Combinator::Result),
    ("ornull", Combinator::Result),
    ("if", Combinator::If),
    ("distinct", Combinator::Distinct),
    ("state", Combinator::State),
    ("merge", Combinator::Merge),
    ("array", Combinator::Array),
    ("argmin", Combinator::Extreme),
    ("argmax", Combinator::Extreme),
    ("foreach", Combinator::Each),
    ("map", Combinator::Each),
    ("resample", Combinator::Each),
];
/// Functions that count distinct values; the planner has them by another name.
const DISTINCT: [&str; 3] = ["uniqexact", "count_distinct", "countdistinct"];
/// Functions of the planner that give a whole number.
const WHOLE: [&str; 2] = ["approx_distinct", "count"];
/// Functions that give one of the values.
const ONE_OF_MANY: [&str; 12] = [
    "any",
    "any_value",
    "anyheavy",
    "anylast",
    "arg_max",
    "arg_min",
    "argmax",
    "argmin",
    "first_value",
    "last_value",
    "max",
    "min",
];

impl Rewriter<'_> {
    /// The name of an aggregate function without the suffixes that the planner has other forms for, and what it returns if it is
    /// a function that the planner does not have. `count_if(c)`, as other dialects spell it, is `countIf(c)`.
    pub(super) fn combined(&self, mut name: String, function: &mut Function) -> (String, Option<Returns>) {
        if name == "count_if" {
            "countif".clone_into(&mut name);
        }
        let is_known = self.catalog.has_function(&name) || names::scalar(&name).is_some() || self.is_of_many(&name);
        let FunctionArguments::List(list) = &mut function.args else { return (name, None) };
        let Some((base, combinators)) = self.split(&name).filter(|_| !is_known) else { return (name, None) };
        let (mut kept, mut returns, mut is_conditional, mut is_distinct) = (String::new(), None, false, false);
        for (suffix, combinator) in combinators {
            match combinator {
                Combinator::If => is_conditional = true,
                Combinator::Distinct => is_distinct = true,
                Combinator::Result => {}
                Combinator::State | Combinator::Merge | Combinator::Array | Combinator::Extreme | Combinator::Each => {
                    kept.insert_str(0, suffix);
                    returns.get_or_insert_with(|| returned(combinator, &base));
                }
            }
            // The suffixes before it are those of the states that it reads.
            if combinator == Combinator::Merge {
                break;
            }
        }
        let condition = if is_conditional {
            match list.args.pop() {
                Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(condition))) => Some(condition),
                other => {
                    list.args.extend(other);
                    return (name, None);
                }
            }
        } else {
            None
        };
        if list.args.is_empty() {
            list.args.push(FunctionArg::Unnamed(FunctionArgExpr::Wildcard));
        }
        if is_distinct {
            list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
        }
        if let Some(condition) = condition {
            let before = function.filter.take().map(|filter| *filter);
            function.filter = Some(Box::new(both(before, condition)));
        }
        (format!("{base}{kept}"), returns)
    }

    /// A function without its suffixes, and its suffixes, the last one first; `None`: it is not an aggregate function with suffixes.
    fn split(&self, name: &str) -> Option<(String, Vec<(&'static str, Combinator)>)> {
        let (mut base, mut found) = (name, Vec::new());
        while !self.is_of_many(base) {
            let (rest, combinator) =
                COMBINATORS.into_iter().find_map(|combinator| Some((base.strip_suffix(combinator.0)?, combinator)))?;
            base = rest;
            found.push(combinator);
        }
        (!found.is_empty()).then(|| (base.to_owned(), found))
    }

    fn is_of_many(&self, name: &str) -> bool {
        let known = names::same(name).unwrap_or(name);
        self.catalog.has_function_of_many(known) || names::aggregate(name).is_some() || DISTINCT.contains(&name)
    }
}

/// What a function with a suffix returns.
fn returned(combinator: Combinator, base: &str) -> Returns {
    match combinator {
        Combinator::State => Returns::Type(DataType::Utf8),
        Combinator::Array => result(base, Returns::Element),
        Combinator::Merge | Combinator::Extreme => result(base, Returns::Argument(0)),
        _ => Returns::Argument(0),
    }
}

/// What a function returns where a suffix changes its arguments; `value`: what it returns if it returns one of the values.
fn result(base: &str, value: Returns) -> Returns {
    match names::aggregate(base) {
        Some(Returns::Type(data_type)) => Returns::Type(data_type),
        _ if WHOLE.contains(&base) || DISTINCT.contains(&base) => Returns::Type(DataType::Int64),
        _ if ONE_OF_MANY.contains(&base) => value,
        _ => Returns::Type(DataType::Float64),
    }
}

#[cfg(test)]
mod tests {
    use datafusion_sql::sqlparser::ast::{Expr, Ident, SelectItem};

    use super::super::{body, template};
    use super::*;
    use crate::planner::Catalog;

    /// The call of the planner, and what it returns if the planner does not have it.
    fn combined(call: &str) -> (String, Option<Returns>) {
        let catalog = Catalog::new();
        let rewriter = Rewriter::new(None, &catalog);
        let mut query = template(&format!("SELECT {call}")).expect("a query");
        let item = body(&mut query).and_then(|select| select.projection.pop());
        let Some(SelectItem::UnnamedExpr(Expr::Function(mut function))) = item else { panic!("a call: {call}") };
        let name = function.name.to_string().to_lowercase();
        let (name, returns) = rewriter.combined(name, &mut function);
        function.name = Ident::new(name).into();
        (function.to_string(), returns)
    }

    /// `ClickHouse`'s manual: “Aggregate function combinators”.
    #[test]
    fn suffixes_are_conditions_states_or_nothing() {
        let (text, whole, real) =
            (Returns::Type(DataType::Utf8), Returns::Type(DataType::Int64), Returns::Type(DataType::Float64));
        for (call, expected, returns) in [
            ("sumIf(x, c)", "sum(x) FILTER (WHERE c)", None),
            ("countIf(c)", "count(*) FILTER (WHERE c)", None),
            ("count_if(c)", "count(*) FILTER (WHERE c)", None),
            ("sumIfOrNull(x, c)", "sum(x) FILTER (WHERE c)", None),
            ("sumOrNullIf(x, c)", "sum(x) FILTER (WHERE c)", None),
            ("avgOrDefault(x)", "avg(x)", None),
            ("sumDistinct(x)", "sum(DISTINCT x)", None),
            ("uniqExactIf(x, c)", "uniqexact(x) FILTER (WHERE c)", None),
            ("uniqState(x)", "uniqstate(x)", Some(text.clone())),
            ("sumIfState(x, c)", "sumstate(x) FILTER (WHERE c)", Some(text.clone())),
            ("countState()", "countstate(*)", Some(text.clone())),
            ("uniqMerge(s)", "uniqmerge(s)", Some(whole.clone())),
            // The condition is in the state.
            ("countIfMerge(s)", "countmerge(s)", Some(whole)),
            ("sumMergeIf(s, c)", "summerge(s) FILTER (WHERE c)", Some(real.clone())),
            ("maxMerge(s)", "maxmerge(s)", Some(Returns::Argument(0))),
            ("avgMergeState(s)", "avgmergestate(s)", Some(text)),
            ("maxArray(x)", "maxarray(x)", Some(Returns::Element)),
            ("avgArrayIf(x, c)", "avgarray(x) FILTER (WHERE c)", Some(real)),
            ("sumSimpleState(x)", "sum(x)", None),
            // Functions whose names only end so.
            ("nullIf(x, c)", "nullif(x, c)", None),
            ("multiIf(c, x, y)", "multiif(c, x, y)", None),
            ("groupArray(x)", "grouparray(x)", None),
            ("my_state(x)", "my_state(x)", None),
        ] {
            assert_eq!(combined(call), (expected.to_owned(), returns), "{call}");
        }
    }
}
