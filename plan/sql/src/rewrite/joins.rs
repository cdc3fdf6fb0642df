//! Joins of dialects as the planner has them.

use datafusion_sql::sqlparser::ast::{Expr, Join, JoinConstraint, JoinOperator, TableFactor, Value};

use super::both;

/// The operator of a join, and for `APPLY` its subquery, as the planner has them.
pub(super) fn operator(join: &mut Join) -> JoinOperator {
    let on_all = || JoinConstraint::On(Expr::Value(Value::Boolean(true).with_empty_span()));
    match std::mem::replace(&mut join.join_operator, JoinOperator::CrossJoin(JoinConstraint::None)) {
        JoinOperator::Semi(constraint) => JoinOperator::LeftSemi(constraint),
        JoinOperator::Anti(constraint) => JoinOperator::LeftAnti(constraint),
        JoinOperator::StraightJoin(constraint) => JoinOperator::Inner(constraint),
        JoinOperator::CrossJoin(constraint) if constraint != JoinConstraint::None => JoinOperator::Inner(constraint),
        // BigQuery's LEFT JOIN UNNEST(…).
        JoinOperator::Left(JoinConstraint::None) | JoinOperator::LeftOuter(JoinConstraint::None)
            if matches!(join.relation, TableFactor::UNNEST { .. }) =>
        {
            JoinOperator::Left(on_all())
        }
        // The nearest row of the right side: found as in a join by the same keys.
        JoinOperator::AsOf { match_condition, constraint } => JoinOperator::LeftOuter(match constraint {
            JoinConstraint::On(keys) => JoinConstraint::On(both(Some(keys), match_condition)),
            JoinConstraint::None => JoinConstraint::On(match_condition),
            other => other,
        }),
        JoinOperator::CrossApply => {
            lateral(&mut join.relation);
            JoinOperator::CrossJoin(JoinConstraint::None)
        }
        JoinOperator::OuterApply => {
            lateral(&mut join.relation);
            JoinOperator::LeftOuter(on_all())
        }
        other => other,
    }
}

fn lateral(factor: &mut TableFactor) {
    if let TableFactor::Derived { lateral, .. } = factor {
        *lateral = true;
    }
}
