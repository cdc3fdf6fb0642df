//! Expressions of dialects in the planner's form.

use crossover_plan::SqlDialect;
use datafusion_common::arrow::datatypes::{DataType, IntervalUnit};
use datafusion_sql::sqlparser::ast::{
    BinaryOperator, CastKind, CeilFloorKind, DateTimeField, Expr, FunctionArg, FunctionArgExpr, FunctionArguments,
    Ident, Interval, TableAliasColumnDef, TableFactor, TypedString, UnaryOperator, Value, ValueWithSpan,
};
use datafusion_sql::sqlparser::tokenizer::Span;

use super::{Rewriter, body, both, outer, quoted, spelt, start, template};
use crate::foreign::Returns;
use crate::parts::{each_part, first_name};
use crate::problem::Problem;
use crate::types::common_name;

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
            // Redshift has it without parentheses.
            Expr::Identifier(name)
                if self.dialect == Some(SqlDialect::Redshift)
                    && name.quote_style.is_none()
                    && name.value.eq_ignore_ascii_case("sysdate") =>
            {
                *expr = self.call("sysdate", Returns::TIMESTAMP, Vec::new());
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
                let values = map.entries.into_iter().flat_map(|entry| [*entry.key, *entry.value]).collect();
                self.call("map", Returns::Type(DataType::Utf8), values)
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
                self.call("array_contains", condition(), vec![*array_expr, *expr])
            }
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
            _ => return,
        };
        *value = Value::SingleQuotedString(text);
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
