//! Expressions of dialects in the planner's form.

use crossover_plan::SqlDialect;
use datafusion_common::arrow::datatypes::{DataType, IntervalUnit};
use datafusion_sql::sqlparser::ast::{
    BinaryOperator, CastKind, CeilFloorKind, DateTimeField, Expr, FunctionArg, FunctionArgExpr, FunctionArguments,
    Ident, Interval, TableAliasColumnDef, TableFactor, TypedString, UnaryOperator, Value, ValueWithSpan,
};
use datafusion_sql::sqlparser::tokenizer::Span;

use super::{Rewriter, all_of, body, both, outer, quoted, spelt, start, template};
use crate::foreign::Returns;
use crate::parts::{each_part, first_name};
use crate::problem::Problem;
use crate::table::name_of;
use crate::types::common_name;

/// Most parts of an expression that is written once for each of several patterns: nested ones would multiply.
const MOST_COPIED: usize = 8;
/// Most such patterns: a chain of conditions is planned in a time that grows with the square of its length.
const MOST_PATTERNS: usize = 200;
/// What stands in for an expression while it is rewritten.
const NOTHING: Expr = Expr::Value(ValueWithSpan { value: Value::Null, span: Span::empty() });

impl Rewriter<'_> {
    /// Rewrites an expression whose parts are rewritten.
    pub(super) fn expression(&mut self, expr: &mut Expr) -> Result<(), Problem> {
        if outer::marked(expr).is_some() {
            let what = "an outer join with (+) is not supported in OR or ON; write LEFT JOIN";
            return Err(Problem::at(start(expr), what));
        }
        let is_other = matches!(
            expr,
            Expr::RLike { .. }
                | Expr::Like { any: true, .. }
                | Expr::ILike { any: true, .. }
                | Expr::BinaryOp { op: BinaryOperator::Regexp | BinaryOperator::Match, .. }
                | Expr::UnaryOp { op: UnaryOperator::BangNot | UnaryOperator::BitwiseNot, .. }
                | Expr::Convert { .. }
                | Expr::Collate { .. }
                | Expr::Prefixed { .. }
                | Expr::Named { .. }
                | Expr::CompoundFieldAccess { .. }
                | Expr::JsonAccess { .. }
                | Expr::Array(_)
                | Expr::Map(_)
                | Expr::AnyOp { .. }
                | Expr::AllOp { .. }
                | Expr::InUnnest { .. }
                | Expr::IsNormalized { .. }
                | Expr::Ceil { .. }
                | Expr::Floor { .. }
                | Expr::AtTimeZone { .. }
                | Expr::IsDistinctFrom(..)
                | Expr::IsNotDistinctFrom(..)
                | Expr::Lambda(_)
        );
        match expr {
            Expr::Function(_) => {
                self.function(expr);
                Ok(())
            }
            Expr::Cast { data_type, format, array, .. } => {
                (*format, *array) = (None, false);
                *data_type = common_name(data_type.clone(), self.dialect);
                Ok(())
            }
            Expr::TypedString(TypedString { data_type, .. }) => {
                *data_type = common_name(data_type.clone(), self.dialect);
                Ok(())
            }
            Expr::Interval(interval) => {
                if let Some(value) = self.interval(interval) {
                    *expr = value;
                }
                Ok(())
            }
            // T-SQL has one sign for sums and for joined texts.
            Expr::BinaryOp { left, op, right }
                if self.dialect == Some(SqlDialect::SqlServer)
                    && *op == BinaryOperator::Plus
                    && (is_text(left) || is_text(right)) =>
            {
                *op = BinaryOperator::StringConcat;
                Ok(())
            }
            // Redshift has it without parentheses.
            Expr::Identifier(name)
                if self.dialect == Some(SqlDialect::Redshift)
                    && name.quote_style.is_none()
                    && name.value.eq_ignore_ascii_case("sysdate") =>
            {
                *expr = self.call("sysdate", Returns::TIMESTAMP, Vec::new());
                Ok(())
            }
            _ if self.is_parameter(expr) => {
                let mut parameter = Value::Placeholder("?".to_owned());
                self.value(&mut parameter);
                *expr = Expr::Value(parameter.with_empty_span());
                Ok(())
            }
            Expr::InSubquery { expr: list, .. } if matches!(**list, Expr::Tuple(_)) => {
                let found = self.membership(expr)?;
                *expr = found;
                Ok(())
            }
            Expr::Prior(_) => Err(Problem::at(start(expr), "PRIOR is supported in CONNECT BY only")),
            _ if is_other => {
                *expr = self.other(std::mem::replace(expr, NOTHING));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether an expression is a parameter in a form that the parser takes for another one: BigQuery's `@x`, ClickHouse's `{x:UInt8}`.
    fn is_parameter(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Identifier(name) => name.quote_style.is_none() && name.value.starts_with('@'),
            Expr::Dictionary(fields) => {
                let is_type = |value: &Expr| matches!(value, Expr::Identifier(_) | Expr::Function(_));
                self.dialect == Some(SqlDialect::ClickHouse)
                    && matches!(fields.as_slice(), [field] if is_type(&field.value))
            }
            _ => false,
        }
    }

    fn other(&mut self, expr: Expr) -> Expr {
        let condition = || Returns::Type(DataType::Boolean);
        match expr {
            Expr::RLike { negated, expr, pattern, .. } => {
                let op = if negated { BinaryOperator::PGRegexNotMatch } else { BinaryOperator::PGRegexMatch };
                Expr::BinaryOp { left: expr, op, right: pattern }
            }
            Expr::BinaryOp { left, op: BinaryOperator::Regexp | BinaryOperator::Match, right } => {
                Expr::BinaryOp { left, op: BinaryOperator::PGRegexMatch, right }
            }
            Expr::UnaryOp { op: UnaryOperator::BangNot, expr } => Expr::UnaryOp { op: UnaryOperator::Not, expr },
            Expr::UnaryOp { op: UnaryOperator::BitwiseNot, expr } => {
                self.call("bitwise_not", Returns::Argument(0), vec![*expr])
            }
            Expr::Like { negated, any: true, expr, pattern, .. }
            | Expr::ILike { negated, any: true, expr, pattern, .. }
                if !is_written_out(&expr, listed(&pattern).len()) =>
            {
                let patterns = listed(&pattern).to_vec();
                let fits = self.call("like_any", condition(), std::iter::once(*expr).chain(patterns).collect());
                if negated { Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(fits) } } else { fits }
            }
            Expr::Like { negated, any: true, expr, pattern, escape_char } => any_of(*pattern, negated, |pattern| {
                let (expr, escape_char) = (expr.clone(), escape_char.clone());
                Expr::Like { negated, any: false, expr, pattern: Box::new(pattern), escape_char }
            }),
            Expr::ILike { negated, any: true, expr, pattern, escape_char } => any_of(*pattern, negated, |pattern| {
                let (expr, escape_char) = (expr.clone(), escape_char.clone());
                Expr::ILike { negated, any: false, expr, pattern: Box::new(pattern), escape_char }
            }),
            Expr::Convert { is_try, expr, data_type: Some(data_type), .. } => Expr::Cast {
                kind: if is_try { CastKind::TryCast } else { CastKind::Cast },
                expr,
                data_type: common_name(data_type, self.dialect),
                array: false,
                format: None,
            },
            Expr::Convert { expr, .. } | Expr::Collate { expr, .. } | Expr::Named { expr, .. } => *expr,
            Expr::Prefixed { value, .. } => *value,
            // Fields of columns are other expressions; of what is computed, and in lists and maps, the planner has none.
            Expr::CompoundFieldAccess { root, .. } => self.call("element_of", Returns::Element, vec![*root]),
            Expr::JsonAccess { value, .. } => self.call("json_get", Returns::Type(DataType::Utf8), vec![*value]),
            Expr::Array(array) => self.call("array", Returns::Type(DataType::Utf8), array.elem),
            Expr::Map(map) => {
                // The planner refuses a `map` without entries.
                let name = if map.entries.is_empty() { "map_of" } else { "map" };
                let values = map.entries.into_iter().flat_map(|entry| [*entry.key, *entry.value]).collect();
                self.call(name, Returns::Type(DataType::Utf8), values)
            }
            Expr::AnyOp { left, compare_op, right, is_some } => match *right {
                Expr::Subquery(_) => Expr::AnyOp { left, compare_op, right, is_some },
                list => match elements(&list) {
                    Some(list) if compare_op == BinaryOperator::Eq => Expr::InList { expr: left, list, negated: false },
                    _ => self.call("any_of", condition(), vec![*left, list]),
                },
            },
            Expr::AllOp { left, compare_op, right } => match *right {
                Expr::Subquery(_) => Expr::AllOp { left, compare_op, right },
                list => match elements(&list) {
                    Some(list) if compare_op == BinaryOperator::NotEq => {
                        Expr::InList { expr: left, list, negated: true }
                    }
                    _ => self.call("all_of", condition(), vec![*left, list]),
                },
            },
            Expr::InUnnest { expr, array_expr, .. } => {
                // The planner knows no type of a list that is a parameter.
                let is_parameter =
                    matches!(*array_expr, Expr::Value(ValueWithSpan { value: Value::Placeholder(_), .. }));
                let list = (!is_parameter).then_some(*array_expr);
                self.call("array_contains", condition(), list.into_iter().chain([*expr]).collect())
            }
            distinct @ (Expr::IsDistinctFrom(..) | Expr::IsNotDistinctFrom(..)) => regrouped(distinct),
            Expr::IsNormalized { expr, .. } => self.call("is_normalized", condition(), vec![*expr]),
            Expr::Ceil { expr, field } if !is_plain(&field) => self.call("ceil_to", Returns::Argument(0), vec![*expr]),
            Expr::Floor { expr, field } if !is_plain(&field) => {
                self.call("floor_to", Returns::Argument(0), vec![*expr])
            }
            // A zone that is computed.
            Expr::AtTimeZone { timestamp, time_zone }
                if !matches!(*time_zone, Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(_), .. })) =>
            {
                *timestamp
            }
            Expr::Lambda(lambda) => {
                let parameters: Vec<String> = lambda.params.iter().map(|one| spelt(&one.name)).collect();
                self.lambda(&parameters, &lambda.body)
            }
            other => other,
        }
    }

    /// `(a, b) IN (SELECT …)` is `EXISTS (SELECT 1 FROM (SELECT …) AS t (x, y) WHERE x = a AND y = b)`.
    fn membership(&mut self, expr: &Expr) -> Result<Expr, Problem> {
        let refused = || Problem::at(start(expr), "IN with a list of columns is not supported here");
        let Expr::InSubquery { expr: list, subquery, negated } = expr else { return Err(refused()) };
        let Expr::Tuple(values) = list.as_ref() else { return Err(refused()) };
        self.memberships += 1;
        let table = format!("member_{}", self.memberships);
        let names: Vec<Ident> = (1..=values.len()).map(|place| Ident::new(format!("{table}_{place}"))).collect();
        let mut exists = template("SELECT 1 FROM (SELECT 1) AS t (a)")?;
        let select = body(&mut exists).ok_or_else(refused)?;
        for from in &mut select.from {
            if let TableFactor::Derived { subquery: inner, alias: Some(alias), .. } = &mut from.relation {
                inner.clone_from(subquery);
                alias.name = Ident::new(table.clone());
                let columns = names.iter().cloned().map(|name| TableAliasColumnDef { name, data_type: None });
                alias.columns = columns.collect();
            }
        }
        for (name, value) in names.into_iter().zip(values) {
            let equal = Expr::BinaryOp {
                left: Box::new(Expr::Identifier(name)),
                op: BinaryOperator::Eq,
                right: Box::new(value.clone()),
            };
            select.selection = Some(both(select.selection.take(), equal));
        }
        Ok(Expr::Exists { subquery: exists, negated: *negated })
    }

    /// A function of one's own: what it computes is part of the function that calls it, which reads the columns that it names.
    pub(super) fn lambda(&mut self, parameters: &[String], body: &Expr) -> Expr {
        let mut columns: Vec<Expr> = Vec::new();
        each_part(body, |part| {
            let is_column = first_name(part).is_some_and(|name| !parameters.contains(&spelt(name)));
            if is_column && !columns.contains(part) {
                columns.push(part.clone());
            }
        });
        if columns.is_empty() { NOTHING } else { self.call("columns_of", Returns::Type(DataType::Null), columns) }
    }

    /// A span of time that is computed is a call; else what the planner does not read is dropped.
    fn interval(&mut self, interval: &mut Interval) -> Option<Expr> {
        (interval.leading_precision, interval.fractional_seconds_precision) = (None, None);
        // In window frames the planner reads text only.
        if let Expr::Value(ValueWithSpan { value, .. }) = interval.value.as_mut()
            && let Value::Number(number, false) = value
            && interval.leading_field.is_some()
        {
            *value = Value::SingleQuotedString(std::mem::take(number));
        }
        let is_written = match interval.value.as_ref() {
            Expr::Value(_) => true,
            Expr::UnaryOp { expr, .. } => matches!(**expr, Expr::Value(_)),
            _ => false,
        };
        let has_planners_unit = !matches!(
            interval.leading_field,
            Some(
                DateTimeField::Quarter
                    | DateTimeField::Custom(_)
                    | DateTimeField::IsoWeek
                    | DateTimeField::Week(Some(_))
            )
        );
        if is_written && interval.last_field.is_none() && has_planners_unit {
            return None;
        }
        let value = std::mem::replace(interval.value.as_mut(), NOTHING);
        Some(self.call("make_interval", Returns::Type(DataType::Interval(IntervalUnit::MonthDayNano)), vec![value]))
    }

    /// Values as the planner reads them.
    pub(super) fn value(&mut self, value: &mut Value) {
        let text = match value {
            Value::TripleSingleQuotedString(text)
            | Value::TripleDoubleQuotedString(text)
            | Value::UnicodeStringLiteral(text)
            | Value::SingleQuotedByteStringLiteral(text)
            | Value::DoubleQuotedByteStringLiteral(text)
            | Value::TripleSingleQuotedByteStringLiteral(text)
            | Value::TripleDoubleQuotedByteStringLiteral(text)
            | Value::SingleQuotedRawStringLiteral(text)
            | Value::DoubleQuotedRawStringLiteral(text)
            | Value::TripleSingleQuotedRawStringLiteral(text)
            | Value::TripleDoubleQuotedRawStringLiteral(text)
            | Value::NationalStringLiteral(text) => std::mem::take(text),
            Value::Placeholder(name) => {
                let is_numbered = name.strip_prefix('$').is_some_and(|digits| digits.parse::<u16>().is_ok());
                if !is_numbered {
                    self.placeholders += 1;
                    *name = format!("${}", self.placeholders);
                }
                return;
            }
            Value::SingleQuotedString(text) => match padded(text) {
                Some(padded) => padded,
                None => return,
            },
            _ => return,
        };
        *value = Value::SingleQuotedString(text);
    }
}

/// A day or point in time with two digits of its month and its day: the planner reads no `2020-1-1 00:00:00`.
fn padded(text: &str) -> Option<String> {
    let (day, time) = text.split_once([' ', 'T']).map_or((text, None), |(day, time)| (day, Some(time)));
    let parts: Vec<&str> = day.split('-').collect();
    let [year, month, of_month] = parts[..] else { return None };
    let is_number =
        |part: &str, most: usize| (1..=most).contains(&part.len()) && part.bytes().all(|digit| digit.is_ascii_digit());
    let is_day = year.len() == 4 && is_number(year, 4) && is_number(month, 2) && is_number(of_month, 2);
    let is_short = month.len() == 1 || of_month.len() == 1;
    let time = time.map_or_else(String::new, |time| format!(" {time}"));
    (is_day && is_short).then(|| format!("{year}-{month:0>2}-{of_month:0>2}{time}"))
}

/// The parser takes all behind `FROM` for what is compared: `a IS DISTINCT FROM b AND c` for a comparison of `a` with `b AND c`.
fn regrouped(distinct: Expr) -> Expr {
    let (left, mut right, is_not) = match distinct {
        Expr::IsDistinctFrom(left, right) => (left, right, false),
        Expr::IsNotDistinctFrom(left, right) => (left, right, true),
        other => return other,
    };
    let first = first_of(&mut right);
    let compared = Box::new(std::mem::replace(first, NOTHING));
    *first = if is_not { Expr::IsNotDistinctFrom(left, compared) } else { Expr::IsDistinctFrom(left, compared) };
    *right
}

/// The first of the conditions that are joined by AND and OR.
fn first_of(conditions: &mut Expr) -> &mut Expr {
    match conditions {
        Expr::BinaryOp { left, op: BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor, .. } => {
            first_of(left)
        }
        first => first,
    }
}

/// Whether a comparison with several patterns is written once for each of them.
fn is_written_out(compared: &Expr, patterns: usize) -> bool {
    let mut count = 0_usize;
    each_part(compared, |_| count += 1);
    count <= MOST_COPIED && patterns <= MOST_PATTERNS
}

/// The patterns of a list in parentheses, or the only pattern.
fn listed(patterns: &Expr) -> &[Expr] {
    match patterns {
        Expr::Tuple(patterns) => patterns,
        one => std::slice::from_ref(one),
    }
}

/// `LIKE ANY (…)`: one of the patterns fits; negated: none does.
fn any_of(patterns: Expr, negated: bool, one: impl Fn(Expr) -> Expr) -> Expr {
    let patterns = match patterns {
        Expr::Tuple(patterns) => patterns,
        Expr::Nested(pattern) => vec![*pattern],
        other => elements(&other).unwrap_or_else(|| vec![other]),
    };
    let op = if negated { BinaryOperator::And } else { BinaryOperator::Or };
    let all = patterns.into_iter().map(one).reduce(|left, right| Expr::BinaryOp {
        left: Box::new(left),
        op: op.clone(),
        right: Box::new(right),
    });
    Expr::Nested(Box::new(all.unwrap_or_else(|| quoted(""))))
}

/// `LIKE ALL (…)`, which the parser takes for a call of a function: all patterns match; negated: none does.
pub(super) fn all_patterns(expr: &mut Expr) {
    let (Expr::Like { expr: compared, pattern, .. } | Expr::ILike { expr: compared, pattern, .. }) = &mut *expr else {
        return;
    };
    let Expr::Function(function) = pattern.as_mut() else { return };
    let (true, FunctionArguments::List(list)) = (name_of(&function.name) == "all", &mut function.args) else { return };
    if !is_written_out(compared, list.args.len()) {
        return;
    }
    let patterns = std::mem::take(&mut list.args).into_iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(pattern)) => Some(pattern),
        _ => None,
    });
    let patterns: Vec<Expr> = patterns.collect();
    let of_one = |one: Expr| {
        let mut compared = expr.clone();
        if let Expr::Like { pattern, .. } | Expr::ILike { pattern, .. } = &mut compared {
            **pattern = one;
        }
        compared
    };
    if let Some(all) = all_of(patterns.into_iter().map(of_one).collect()) {
        *expr = Expr::Nested(Box::new(all));
    }
}

/// The elements of a list that is written out. Its parts are rewritten, so it is a call by now.
fn elements(list: &Expr) -> Option<Vec<Expr>> {
    match list {
        Expr::Nested(inner) => elements(inner),
        Expr::Tuple(items) => Some(items.clone()),
        Expr::Function(function) if function.name.to_string() == "array" => {
            let FunctionArguments::List(list) = &function.args else { return None };
            let item = |argument: &FunctionArg| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(item)) => Some(item.clone()),
                _ => None,
            };
            list.args.iter().map(item).collect()
        }
        _ => None,
    }
}

fn is_plain(field: &CeilFloorKind) -> bool {
    matches!(field, CeilFloorKind::DateTimeField(DateTimeField::NoDateTime))
}

/// Whether an expression is a text by its form.
fn is_text(expr: &Expr) -> bool {
    match expr {
        Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(_), .. })
        | Expr::BinaryOp { op: BinaryOperator::StringConcat, .. } => true,
        Expr::Nested(inner) => is_text(inner),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::expression_of;

    #[test]
    fn days_have_two_digits_for_month_and_day() {
        for (text, expected) in [
            ("1999-2-01", Some("1999-02-01")),
            ("2020-1-1 10:00:00", Some("2020-01-01 10:00:00")),
            ("2020-01-01", None),
            ("2020-1", None),
            ("555-1-2", None),
            ("2020-1-x", None),
        ] {
            assert_eq!(padded(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_distinct_is_compared_before_conditions_are_joined() {
        let mut query = template("SELECT a IS DISTINCT FROM b AND c OR d").expect("a query");
        let item = body(&mut query).and_then(|select| select.projection.pop()).expect("an item");
        let Expr::BinaryOp { left, op: BinaryOperator::Or, .. } = regrouped(expression_of(&item).expect("a value"))
        else {
            panic!("conditions joined by OR");
        };
        let Expr::BinaryOp { left, op: BinaryOperator::And, .. } = *left else { panic!("conditions joined by AND") };
        assert_eq!(left.to_string(), "a IS DISTINCT FROM b");
    }
}
