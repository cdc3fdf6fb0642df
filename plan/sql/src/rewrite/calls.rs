//! Calls of functions: names of other dialects, arguments that only those have, and unknown functions.

use crossover_plan::SqlDialect;
use datafusion_common::arrow::datatypes::DataType;
use datafusion_sql::sqlparser::ast::{
    BinaryOperator, CastKind, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, Ident, ObjectName, Query, SelectItem, Spanned, Value, ValueWithSpan,
};
use datafusion_sql::sqlparser::parser::Parser;
use datafusion_sql::sqlparser::tokenizer::{Location, Span};

use super::{Rewriter, body, expression_of, number, quoted, start, template};
use crate::foreign::{Returns, names};
use crate::parsers::parser;
use crate::parts::{each_part, first_name};
use crate::planner::{Foreign, OWN};
use crate::table::name_of;
use crate::types::common_name;

/// Functions of time with a unit among their arguments, which some dialects write as a bare word.
const WITH_UNIT: [&str; 22] = [
    "date_add",
    "date_diff",
    "date_part",
    "date_sub",
    "date_trunc",
    "dateadd",
    "datediff",
    "datename",
    "datepart",
    "datetime_add",
    "datetime_diff",
    "datetime_sub",
    "datetime_trunc",
    "datetrunc",
    "last_day",
    "next_day",
    "time_slice",
    "timestamp_diff",
    "timestamp_trunc",
    "timestampadd",
    "timestampdiff",
    "trunc",
];
/// Those that have the unit behind the time in every dialect.
const UNIT_LAST: [&str; 8] = [
    "datetime_diff",
    "datetime_trunc",
    "last_day",
    "next_day",
    "time_slice",
    "timestamp_diff",
    "timestamp_trunc",
    "trunc",
];
/// Functions that the planner calls with WITHIN GROUP.
const ORDERED_SETS: [&str; 4] =
    ["approx_percentile_cont", "approx_percentile_cont_with_weight", "percentile_cont", "quantile_cont"];
/// Units of time.
const UNITS: [&str; 34] = [
    "century",
    "d",
    "day",
    "dayofweek",
    "dayofyear",
    "days",
    "decade",
    "dow",
    "doy",
    "hh",
    "hour",
    "hours",
    "isoweek",
    "isoyear",
    "microsecond",
    "millisecond",
    "minute",
    "minutes",
    "mm",
    "mon",
    "month",
    "months",
    "nanosecond",
    "qtr",
    "quarter",
    "second",
    "seconds",
    "ss",
    "week",
    "weeks",
    "yy",
    "year",
    "years",
    "yyyy",
];

impl Rewriter<'_> {
    /// Rewrites a call whose arguments are rewritten.
    pub(super) fn function(&mut self, expr: &mut Expr) {
        let Expr::Function(function) = expr else { return };
        let name = called(function);
        if name.starts_with(OWN) {
            return;
        }
        // A subquery as a list: what it costs is what the subquery costs.
        if let FunctionArguments::Subquery(query) = &function.args {
            let mut query = query.clone();
            self.as_one_column(&mut query);
            *expr = Expr::Subquery(query);
            return;
        }
        if let Some(cast) = self.cast_by_name(&name, function) {
            *expr = cast;
            return;
        }
        self.lambdas(function);
        let has_unit_first = units(&name, function, self.dialect);
        function.parameters = FunctionArguments::None;
        let (name, combined) = self.combined(called(function), function);
        let name = match name.as_str() {
            // T-SQL's function of two arguments; elsewhere, `isnull` is a condition.
            "isnull" if argument_count(function) == 2 => "coalesce".to_owned(),
            "uniqexact" | "count_distinct" | "countdistinct" => {
                if let FunctionArguments::List(list) = &mut function.args {
                    list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
                }
                "count".to_owned()
            }
            name => names::same(name).unwrap_or(name).to_owned(),
        };
        if name == "count" {
            rows_of_one_table(function);
        }
        // A window over an order of its own is no function of the planner's.
        let is_ordered_window = function.over.is_some() && !function.within_group.is_empty();
        let is_planned = self.catalog.has_function_of_many(&name) && !is_ordered_window;
        if is_planned && !ORDERED_SETS.contains(&name.as_str()) {
            order_in_arguments(function);
        }
        let is_plain = clauses(function, is_planned);
        if self.catalog.has_function(&name) && has_usual_arguments(&name, function) && !is_ordered_window
            || matches!(name.as_str(), "unnest" | "unnest_outer")
        {
            rename(function, &name);
            return;
        }
        let listed = combined.or_else(|| names::aggregate(&name)).map(|returns| (returns, true));
        let of_time = |returns: Returns| if has_unit_first { Returns::Last } else { returns };
        let of_one = |returns: Returns| if returns == Returns::Argument(0) { of_time(returns) } else { returns };
        let listed = listed.or_else(|| names::scalar(&name).map(|returns| (of_one(returns), false)));
        let is_of_many = function.over.is_some() || function.filter.is_some() || !is_plain;
        let foreign = if let Some((returns, is_aggregate)) = listed {
            Foreign { returns, is_aggregate: is_aggregate || is_of_many }
        } else {
            *self.rewritten.unknown.entry(name.clone()).or_default() += 1;
            Foreign { returns: Returns::Argument(0), is_aggregate: is_of_many }
        };
        // What DataFusion has under this name takes other arguments; its planner knows `map` by itself.
        let is_taken = self.catalog.has_function(&name) || !has_usual_arguments(&name, function);
        let name = if is_taken { format!("{name}_of") } else { name };
        values_only(function);
        rename(function, &name);
        self.rewritten.foreign.insert(name, foreign);
    }

    /// ClickHouse's `CAST(x, 'UInt8')`.
    fn cast_by_name(&self, name: &str, function: &Function) -> Option<Expr> {
        let FunctionArguments::List(list) = &function.args else { return None };
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(value)), FunctionArg::Unnamed(FunctionArgExpr::Expr(named))] =
            list.args.as_slice()
        else {
            return None;
        };
        let Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. }) = named else { return None };
        if name != "cast" {
            return None;
        }
        let data_type = Parser::new(parser(self.dialect)).try_with_sql(text).ok()?.parse_data_type().ok()?;
        let data_type = common_name(data_type, self.dialect);
        Some(Expr::Cast { kind: CastKind::Cast, expr: Box::new(value.clone()), data_type, array: false, format: None })
    }

    /// Arguments like `x -> x > 1` that the parser took for JSON of which a field is read.
    fn lambdas(&mut self, function: &mut Function) {
        let FunctionArguments::List(list) = &mut function.args else { return };
        for argument in &mut list.args {
            let FunctionArg::Unnamed(FunctionArgExpr::Expr(body)) = argument else { continue };
            let Some(parameters) = parameters(body) else { continue };
            // In other dialects than Trino's it is JSON, unless what follows names the parameter again.
            if self.dialect == Some(SqlDialect::Trino) || is_named_again(body, &parameters) {
                let lambda = self.lambda(&parameters, body);
                *body = lambda;
            }
        }
    }

    /// The rows of `ARRAY(SELECT AS STRUCT a, b …)` are values of one column. The order within a list is not part of the plan.
    fn as_one_column(&mut self, query: &mut Query) {
        let Some(select) = body(query) else { return };
        let columns: Option<Vec<Expr>> = select.projection.iter().map(expression_of).collect();
        let Some(columns) = columns.filter(|columns| columns.len() > 1) else { return };
        select.projection =
            vec![SelectItem::UnnamedExpr(self.call("struct_of", Returns::Type(DataType::Utf8), columns))];
        query.order_by = None;
    }

    /// A call of a function that stands for a form of a dialect.
    pub(super) fn call(&mut self, name: &str, returns: Returns, arguments: Vec<Expr>) -> Expr {
        let place = arguments.first().map_or_else(Location::empty, start);
        let call = template("SELECT f(a)").ok().and_then(|mut query| body(&mut query)?.projection.pop());
        let Some(SelectItem::UnnamedExpr(Expr::Function(mut function))) = call else { return number(&1) };
        if let FunctionArguments::List(list) = &mut function.args {
            let unnamed = |argument| FunctionArg::Unnamed(FunctionArgExpr::Expr(argument));
            list.args = arguments.into_iter().map(unnamed).collect();
        }
        let span = Span { start: place, end: place };
        function.name = ObjectName::from(Ident::with_span(span, name));
        self.rewritten.foreign.insert(name.to_owned(), Foreign { returns, is_aggregate: false });
        Expr::Function(function)
    }
}

fn argument_count(function: &Function) -> usize {
    match &function.args {
        FunctionArguments::List(list) => list.args.len(),
        FunctionArguments::None | FunctionArguments::Subquery(_) => 0,
    }
}

/// `count(t.*)` counts rows as `count(*)` does.
fn rows_of_one_table(function: &mut Function) {
    let FunctionArguments::List(list) = &mut function.args else { return };
    for argument in &mut list.args {
        if let FunctionArg::Unnamed(value @ FunctionArgExpr::QualifiedWildcard(_)) = argument {
            *value = FunctionArgExpr::Wildcard;
        }
    }
}

/// The name of a function, in small letters, without a schema that only says where functions are.
fn called(function: &Function) -> String {
    let name = name_of(&function.name).to_lowercase();
    match name.split_once('.') {
        Some(("pg_catalog" | "safe" | "system" | "dbo", rest)) => rest.to_owned(),
        // A built-in function in a schema of one's own is another one.
        _ => name,
    }
}

/// Gives a function its name, at its place.
fn rename(function: &mut Function, name: &str) {
    let span = function.name.span();
    function.name = ObjectName::from(Ident::with_span(span, name));
}

/// A bare word that is a unit of time becomes a text; behind the time of a truncation it goes before it, where the planner wants it.
/// Whether the unit is the first argument.
fn units(name: &str, function: &mut Function, dialect: Option<SqlDialect>) -> bool {
    if !WITH_UNIT.contains(&name) {
        return false;
    }
    let FunctionArguments::List(list) = &mut function.args else { return false };
    let count = list.args.len();
    let is_first_text = list.args.first().is_some_and(is_text);
    // With two arguments both are times: datediff(end, start).
    let has_two_times = ["add", "diff", "sub"].iter().any(|word| name.contains(word));
    if count < 2 || has_two_times && count < 3 {
        return false;
    }
    let late = if name.ends_with("trunc") { 1 } else { count - 1 };
    let order = if dialect == Some(SqlDialect::BigQuery) || UNIT_LAST.contains(&name) { [late, 0] } else { [0, late] };
    let mut at = None;
    for place in order {
        if is_text(&list.args[place]) {
            break;
        }
        let FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) = &mut list.args[place] else { continue };
        let unit = match &*argument {
            Expr::Identifier(word) if word.quote_style.is_none() => word.value.to_lowercase(),
            // WEEK(MONDAY)
            Expr::Function(function) => name_of(&function.name),
            _ => continue,
        };
        if UNITS.contains(&unit.as_str()) {
            *argument = quoted(unit);
            at = Some(place);
            break;
        }
    }
    let is_truncation = matches!(name, "date_trunc" | "datetime_trunc" | "timestamp_trunc" | "datetrunc");
    if is_truncation && at == Some(1) {
        list.args.swap(0, 1);
    }
    if is_truncation {
        list.args.truncate(2);
        rename(function, "date_trunc");
    }
    at == Some(0) || is_first_text
}

/// Whether an argument is a text that is written out.
fn is_text(argument: &FunctionArg) -> bool {
    let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) = argument else { return false };
    matches!(value.value, Value::SingleQuotedString(_) | Value::DoubleQuotedString(_))
}

/// `array_agg(a) WITHIN GROUP (ORDER BY b)` is `array_agg(a ORDER BY b)`.
fn order_in_arguments(function: &mut Function) {
    let FunctionArguments::List(list) = &mut function.args else { return };
    let keys = std::mem::take(&mut function.within_group);
    if !keys.is_empty() {
        list.clauses.push(FunctionArgumentClause::OrderBy(keys));
    }
}

/// Drops what changes a result and not what it costs. Whether the function may be a scalar one: it has no DISTINCT, no order
/// and no group.
fn clauses(function: &mut Function, is_planned: bool) -> bool {
    let mut is_plain = function.within_group.is_empty();
    let FunctionArguments::List(list) = &mut function.args else { return is_plain };
    is_plain &= list.duplicate_treatment.is_none();
    let (orders, others): (Vec<_>, Vec<_>) = std::mem::take(&mut list.clauses)
        .into_iter()
        .partition(|clause| matches!(clause, FunctionArgumentClause::OrderBy(_)));
    is_plain &= orders.is_empty();
    if is_planned {
        let kept =
            others.into_iter().filter(|clause| matches!(clause, FunctionArgumentClause::IgnoreOrRespectNulls(_)));
        list.clauses = orders.into_iter().chain(kept).collect();
        return is_plain;
    }
    // Its keys are read.
    let order = orders.into_iter().flat_map(|clause| match clause {
        FunctionArgumentClause::OrderBy(keys) => keys,
        _ => Vec::new(),
    });
    let keys = order.chain(std::mem::take(&mut function.within_group));
    list.args.extend(keys.map(|key| FunctionArg::Unnamed(FunctionArgExpr::Expr(key.expr))));
    is_plain
}

/// Whether a function of `DataFusion` is called with as many arguments as it has.
fn has_usual_arguments(name: &str, function: &Function) -> bool {
    let FunctionArguments::List(list) = &function.args else { return true };
    match name {
        "map" => !list.args.is_empty(),
        "decode" | "encode" | "date_part" | "date_trunc" | "nullif" | "nvl" => list.args.len() == 2,
        "round" | "trunc" | "log" => list.args.len() <= 2,
        _ => true,
    }
}

/// What stands before the first `->`, if it could be parameters. `x -> x > 1` is `(x -> x) > 1` to the parser.
fn parameters(expr: &Expr) -> Option<Vec<String>> {
    let named = |one: &Expr| match one {
        Expr::Identifier(name) if name.quote_style.is_none() => Some(name.value.to_ascii_lowercase()),
        _ => None,
    };
    match expr {
        Expr::BinaryOp { left, op: BinaryOperator::Arrow, .. } => match left.as_ref() {
            Expr::Tuple(names) => names.iter().map(named).collect(),
            Expr::Nested(name) => named(name).map(|name| vec![name]),
            other => named(other).map(|name| vec![name]).or_else(|| parameters(other)),
        },
        Expr::BinaryOp { left: first, .. }
        | Expr::IsNull(first)
        | Expr::IsNotNull(first)
        | Expr::InList { expr: first, .. }
        | Expr::Between { expr: first, .. }
        | Expr::Like { expr: first, .. } => parameters(first),
        _ => None,
    }
}

/// Whether an expression names one of its parameters more than once.
fn is_named_again(expr: &Expr, parameters: &[String]) -> bool {
    let mut counts = vec![0_u32; parameters.len()];
    each_part(expr, |part| {
        let place = first_name(part).and_then(|name| {
            let name = name.value.to_ascii_lowercase();
            parameters.iter().position(|parameter| *parameter == name)
        });
        if let Some(place) = place {
            counts[place] += 1;
        }
    });
    counts.iter().any(|count| *count > 1)
}

/// Arguments by their values alone.
fn values_only(function: &mut Function) {
    let FunctionArguments::List(list) = &mut function.args else { return };
    for argument in &mut list.args {
        let value = match argument {
            FunctionArg::Named { arg, .. } | FunctionArg::ExprNamed { arg, .. } | FunctionArg::Unnamed(arg) => {
                match arg {
                    FunctionArgExpr::Expr(value) => value.clone(),
                    _ => number(&1),
                }
            }
        };
        *argument = FunctionArg::Unnamed(FunctionArgExpr::Expr(value));
    }
}
