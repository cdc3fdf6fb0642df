//! The order of a query and its first rows: `SORT BY`, `ORDER BY ALL`, `DISTINCT ON`, `TOP`, `FETCH`, `LIMIT … BY`.

use datafusion_sql::sqlparser::ast::{
    Distinct, Expr, LimitClause, OrderBy, OrderByExpr, OrderByKind, OrderByOptions, Query, SelectItem, Spanned,
    TopQuantity,
};

use super::{body, both, is_word, item_at, literal, number, template};
use crate::planner::SAMPLED;
use crate::problem::Problem;

/// `SORT BY` and `CLUSTER BY` become an order; `ORDER BY ALL` one by position. `DISTINCT ON` keeps the first row in an order that
/// begins with its keys, as the planner wants it.
pub(super) fn order(query: &mut Query) -> Result<(), Problem> {
    let place = query.span().start;
    first_rows(query);
    let expressions = |exprs| Some(OrderBy { kind: OrderByKind::Expressions(exprs), interpolate: None });
    if let Some(order) = &mut query.order_by {
        order.interpolate = None;
        // The parsers of some dialects take ALL for a column.
        if let OrderByKind::Expressions(exprs) = &order.kind
            && let [OrderByExpr { expr: Expr::Identifier(name), options, .. }] = exprs.as_slice()
            && is_word(name, "all")
        {
            order.kind = OrderByKind::All(*options);
        }
        if let OrderByKind::Expressions(exprs) = &mut order.kind {
            for expr in exprs {
                expr.with_fill = None;
            }
        }
    }
    let is_ordered = query.order_by.is_some();
    let Some(select) = body(query) else { return Ok(()) };
    let sorted = std::mem::take(&mut select.sort_by);
    let clustered = std::mem::take(&mut select.cluster_by);
    let clustered = clustered.into_iter().map(|expr| {
        let options = OrderByOptions { asc: None, nulls_first: None };
        OrderByExpr { expr, options, with_fill: None }
    });
    let sorted: Vec<OrderByExpr> = sorted.into_iter().chain(clustered).collect();
    if !sorted.is_empty() {
        if is_ordered {
            return Err(Problem::at(place, "SORT BY or CLUSTER BY together with ORDER BY is not supported"));
        }
        query.order_by = expressions(sorted);
        return Ok(());
    }
    let columns = select.projection.len();
    let is_list = select
        .projection
        .iter()
        .all(|item| matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. }));
    let Some(OrderBy { kind: OrderByKind::All(options), .. }) = &query.order_by else { return Ok(()) };
    if is_list {
        let options = *options;
        let exprs = (1..=columns).map(|place| OrderByExpr { expr: number(&place), options, with_fill: None });
        query.order_by = expressions(exprs.collect());
    }
    Ok(())
}

/// Puts the expressions of the list in the places of positions in `DISTINCT ON`, and its keys before an order that begins otherwise.
fn first_rows(query: &mut Query) {
    let Some(select) = body(query) else { return };
    let items = &select.projection;
    let Some(Distinct::On(keys)) = &mut select.distinct else { return };
    for key in &mut *keys {
        if let Some(item) = item_at(items, key) {
            *key = item;
        }
    }
    let keys = keys.clone();
    let Some(OrderBy { kind: OrderByKind::Expressions(order), .. }) = &mut query.order_by else { return };
    let begins_with_keys =
        order.len() >= keys.len() && order.iter().zip(&keys).all(|(one, key)| one.expr.to_string() == key.to_string());
    if !begins_with_keys {
        let options = OrderByOptions { asc: None, nulls_first: None };
        let before = keys.into_iter().map(|expr| OrderByExpr { expr, options, with_fill: None });
        order.splice(..0, before);
    }
}

/// The first percent of the rows become a window over all rows in the order of the query, and a filter that passes this share.
fn first_percent(query: &mut Query, percent: &Expr) -> Result<(), Problem> {
    let place = query.span().start;
    let problem =
        || Problem::at(place, format!("“{percent} PERCENT” is not supported here; expected a number from 0 to 100"));
    let share = literal(percent).map(|percent| percent / 100.0).filter(|share| (0.0..=1.0).contains(share));
    let share = share.ok_or_else(problem)?;
    let order = match &query.order_by {
        Some(OrderBy { kind: OrderByKind::Expressions(order), .. }) => order.clone(),
        _ => Vec::new(),
    };
    let select = body(query).ok_or_else(problem)?;
    let items = &select.projection;
    // In a window a position is a number.
    let keys = order.into_iter().map(|mut key| {
        if let Some(item) = item_at(items, &key.expr) {
            key.expr = item;
        }
        key.to_string()
    });
    let keys = keys.collect::<Vec<_>>().join(", ");
    let keys = if keys.is_empty() { keys } else { format!("ORDER BY {keys}") };
    let rank = format!("SELECT 1 FROM t QUALIFY {SAMPLED}({share:?}, percent_rank() OVER ({keys}))");
    let mut rank = template(&rank)?;
    let condition = body(&mut rank).and_then(|select| select.qualify.take()).ok_or_else(problem)?;
    select.qualify = Some(both(select.qualify.take(), condition));
    Ok(())
}

/// `TOP` and `FETCH` become a limit, and `LIMIT … BY` a window.
pub(super) fn limit(query: &mut Query) -> Result<(), Problem> {
    let place = query.span().start;
    let refused = |what: &str| Err(Problem::at(place, format!("{what} is not supported; expected a number of rows")));
    let (mut first, mut percent) = (None, None);
    if let Some(fetch) = query.fetch.take() {
        let quantity = fetch.quantity.unwrap_or_else(|| number(&1));
        *(if fetch.percent { &mut percent } else { &mut first }) = Some(quantity);
    }
    if let Some(top) = body(query).and_then(|select| select.top.take()) {
        let quantity = match top.quantity {
            Some(TopQuantity::Constant(rows)) => number(&rows),
            Some(TopQuantity::Expr(rows)) => rows,
            None => return refused("TOP without a number"),
        };
        *(if top.percent { &mut percent } else { &mut first }) = Some(quantity);
    }
    if let Some(percent) = percent {
        first_percent(query, &percent)?;
    }
    if let Some(first) = first {
        match &mut query.limit_clause {
            Some(LimitClause::LimitOffset { limit: limit @ None, .. }) => *limit = Some(first),
            None => {
                query.limit_clause =
                    Some(LimitClause::LimitOffset { limit: Some(first), offset: None, limit_by: Vec::new() });
            }
            Some(_) => return refused("TOP or FETCH together with LIMIT"),
        }
    }
    let Some(LimitClause::LimitOffset { limit, limit_by, .. }) = &mut query.limit_clause else { return Ok(()) };
    if limit_by.is_empty() {
        return Ok(());
    }
    let (Some(rows), keys) = (limit.take(), std::mem::take(limit_by)) else {
        return refused("LIMIT BY without a number");
    };
    let keys = keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut window = template(&format!("SELECT 1 FROM t QUALIFY row_number() OVER (PARTITION BY {keys}) <= {rows}"))?;
    let condition = body(&mut window).and_then(|select| select.qualify.take());
    let Some((select, condition)) = body(query).zip(condition) else { return refused("LIMIT BY here") };
    select.qualify = Some(both(select.qualify.take(), condition));
    Ok(())
}
