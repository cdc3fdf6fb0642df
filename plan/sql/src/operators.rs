//! Operators between types that `DataFusion` does not join: days plus a number, JSON, spans of time. Each becomes a call of
//! a scalar function, so that the query can be planned.

use datafusion_common::arrow::datatypes::{DataType, Field};
use datafusion_common::{Column, DFSchema, Result, TableReference};
use datafusion_expr::binary::BinaryTypeCoercer;
use datafusion_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion_expr::{Expr, ExprSchemable, Operator};
use datafusion_sql::sqlparser::ast::BinaryOperator;

use super::foreign::{Returns, call};

/// Plans what `DataFusion`'s own operators do not.
#[derive(Debug)]
pub(super) struct Operators;

impl ExprPlanner for Operators {
    /// A field of a document: `DataFusion` has fields of structs only.
    fn plan_compound_identifier(
        &self,
        field: &Field,
        qualifier: Option<&TableReference>,
        _nested_names: &[String],
    ) -> Result<PlannerResult<Vec<Expr>>> {
        if matches!(field.data_type(), DataType::Struct(_)) {
            return Ok(PlannerResult::Original(Vec::new()));
        }
        let document = Expr::Column(Column::from((qualifier, field)));
        Ok(PlannerResult::Planned(call("json_get", Returns::Type(DataType::Utf8), vec![document])))
    }

    fn plan_binary_op(&self, expr: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        let (Ok(left), Ok(right)) = (expr.left.get_type(schema), expr.right.get_type(schema)) else {
            return Ok(PlannerResult::Original(expr));
        };
        Ok(match other(&expr.op, &left, &right) {
            Some((name, returns)) => PlannerResult::Planned(call(&name, returns, vec![expr.left, expr.right])),
            None => PlannerResult::Original(expr),
        })
    }
}

/// The function that stands for an operator between two types; `None` if `DataFusion` has the operator.
fn other(op: &BinaryOperator, left: &DataType, right: &DataType) -> Option<(String, Returns)> {
    let is_point = |one: &DataType| matches!(one, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..));
    let is_span = |one: &DataType| matches!(one, DataType::Interval(_) | DataType::Duration(_));
    let is_text = |one: &DataType| matches!(one, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let named = |name: &str, returns: Returns| Some((name.to_owned(), returns));
    match op {
        BinaryOperator::Plus | BinaryOperator::Minus if is_point(left) && right.is_numeric() => {
            named(if *op == BinaryOperator::Plus { "date_add" } else { "date_sub" }, Returns::Argument(0))
        }
        BinaryOperator::Plus if left.is_numeric() && is_point(right) => named("date_add", Returns::Argument(1)),
        // Whole days, in PostgreSQL, DuckDB, Redshift and Snowflake.
        BinaryOperator::Minus if *left == DataType::Date32 && *right == DataType::Date32 => {
            named("date_diff", Returns::Type(DataType::Int64))
        }
        BinaryOperator::Plus | BinaryOperator::Minus if is_text(left) && is_span(right) => {
            named(if *op == BinaryOperator::Plus { "date_add" } else { "date_sub" }, Returns::TIMESTAMP)
        }
        BinaryOperator::Multiply | BinaryOperator::Divide if is_span(left) && right.is_numeric() => {
            named("scale_interval", Returns::Argument(0))
        }
        BinaryOperator::Multiply if left.is_numeric() && is_span(right) => {
            named("scale_interval", Returns::Argument(1))
        }
        BinaryOperator::Arrow
        | BinaryOperator::LongArrow
        | BinaryOperator::HashArrow
        | BinaryOperator::HashLongArrow
        | BinaryOperator::HashMinus => named("json_get", Returns::Type(DataType::Utf8)),
        BinaryOperator::Custom(sign) if sign == ":" => named("json_get", Returns::Type(DataType::Utf8)),
        _ => match operator(op) {
            Some(operator) => {
                let fits = BinaryTypeCoercer::new(left, &operator, right).get_input_types().is_ok();
                let returns = if operator.is_numerical_operators() {
                    Returns::Argument(0)
                } else {
                    Returns::Type(DataType::Boolean)
                };
                (!fits).then(|| (op.to_string(), returns))
            }
            None if is_planned(op) => None,
            // Containment, overlap, distance, patterns: conditions but for distances.
            None if matches!(op, BinaryOperator::LtDashGt) => named("distance", Returns::Type(DataType::Float64)),
            None => Some((op.to_string(), Returns::Type(DataType::Boolean))),
        },
    }
}

/// The operators whose types are checked here.
fn operator(op: &BinaryOperator) -> Option<Operator> {
    Some(match op {
        BinaryOperator::Eq => Operator::Eq,
        BinaryOperator::NotEq => Operator::NotEq,
        BinaryOperator::Lt => Operator::Lt,
        BinaryOperator::LtEq => Operator::LtEq,
        BinaryOperator::Gt => Operator::Gt,
        BinaryOperator::GtEq => Operator::GtEq,
        BinaryOperator::Plus => Operator::Plus,
        BinaryOperator::Minus => Operator::Minus,
        BinaryOperator::Multiply => Operator::Multiply,
        BinaryOperator::Divide => Operator::Divide,
        BinaryOperator::Modulo => Operator::Modulo,
        BinaryOperator::PGRegexMatch => Operator::RegexMatch,
        BinaryOperator::PGRegexNotMatch => Operator::RegexNotMatch,
        _ => return None,
    })
}

/// Whether `DataFusion` plans an operator between operands of any type.
fn is_planned(op: &BinaryOperator) -> bool {
    matches!(
        op,
        BinaryOperator::And
            | BinaryOperator::Or
            | BinaryOperator::Xor
            | BinaryOperator::StringConcat
            | BinaryOperator::Spaceship
            | BinaryOperator::BitwiseOr
            | BinaryOperator::BitwiseAnd
            | BinaryOperator::BitwiseXor
            | BinaryOperator::PGBitwiseXor
            | BinaryOperator::PGBitwiseShiftLeft
            | BinaryOperator::PGBitwiseShiftRight
            | BinaryOperator::PGExp
            | BinaryOperator::PGRegexIMatch
            | BinaryOperator::PGRegexNotIMatch
            | BinaryOperator::PGLikeMatch
            | BinaryOperator::PGILikeMatch
            | BinaryOperator::PGNotLikeMatch
            | BinaryOperator::PGNotILikeMatch
            | BinaryOperator::DuckIntegerDivide
            | BinaryOperator::MyIntegerDivide
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_that_datafusion_has_stay_and_others_are_functions() {
        let text = DataType::Utf8;
        for (left, op, right, expected) in [
            (DataType::Int64, BinaryOperator::Plus, DataType::Int64, None),
            (DataType::Date32, BinaryOperator::Eq, DataType::Date32, None),
            (DataType::Date32, BinaryOperator::Plus, DataType::Int64, Some("date_add")),
            (DataType::Date32, BinaryOperator::Minus, DataType::Date32, Some("date_diff")),
            (text.clone(), BinaryOperator::LongArrow, text.clone(), Some("json_get")),
            (text.clone(), BinaryOperator::PGOverlap, text, Some("&&")),
        ] {
            let name = other(&op, &left, &right).map(|(name, _)| name);
            assert_eq!(name.as_deref(), expected, "{left} {op} {right}");
        }
    }
}
