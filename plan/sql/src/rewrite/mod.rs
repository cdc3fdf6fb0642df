//! Rewrites a query from the form of its dialect into that of `DataFusion`'s planner. What costs nothing is dropped; what costs
//! something becomes a form that costs the same, and what has none is an error that names it.
//!
//! | form | becomes |
//! |---|---|
//! | `TOP n`, `FETCH FIRST n` | `LIMIT n` |
//! | `TOP n PERCENT` | a window over the order, and a filter that passes this share |
//! | `LIMIT n BY a` | the first n of a window over `a` |
//! | `SORT BY`, `CLUSTER BY` | `ORDER BY` |
//! | `WITH ROLLUP`, `WITH CUBE` | `ROLLUP (…)`, `CUBE (…)` |
//! | `TABLESAMPLE`, `SAMPLE` | a filter that passes this share |
//! | `LATERAL VIEW`, `UNNEST`, `FLATTEN`, table functions | rows that are made of every row, see [`generated`] |
//! | `COLUMNS(*)` | its expression for each column |
//! | `MINUS` | `EXCEPT` |
//! | `PIVOT` | an aggregate of `CASE` for each value; without a list of values, two aggregations |
//! | `a = b (+)` | `LEFT JOIN`, see [`outer`] |
//! | `CONNECT BY` | `WITH RECURSIVE`, see [`hierarchy`] |
//! | `LATERAL` with `LIMIT` | a window over the keys and a join, see [`lateral`] |
//! | `APPLY (SELECT a + b AS c)` | its expression wherever `c` is used, see [`computed`] |
//! | wildcard tables | the union of the tables, see [`wildcard`] |
//! | `MATCH_RECOGNIZE` | windows and a filter, see [`matching`] |
//! | `UNPIVOT` | rows that are made of every row |
//! | `(a, b) IN (SELECT …)` | `EXISTS` with a condition for each column |
//! | `RLIKE`, `LIKE ANY`, `CONVERT`, `a = ANY (array)` … | the planner's form |
//! | functions of other dialects | functions of the same result, see [`super::foreign`] |

mod calls;
mod columns;
mod combinators;
mod computed;
mod expressions;
mod generated;
mod group;
mod hierarchy;
mod joins;
mod lateral;
mod matching;
mod order;
mod outer;
mod pivot;
mod sample;
mod unpivot;
mod wildcard;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crossover_plan::SqlDialect;
use datafusion_sql::sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, Ident, ObjectName, ObjectNamePart, ObjectNamePartFunction,
    Query, Select, SelectItem, SetExpr, SetOperator, Spanned, TableAlias, TableFactor, Value, ValueWithSpan, VisitMut,
    VisitorMut, visit_relations,
};
use datafusion_sql::sqlparser::dialect::GenericDialect;
use datafusion_sql::sqlparser::parser::Parser;
use datafusion_sql::sqlparser::tokenizer::Location;

use self::columns::{exclude, renamed};
use self::group::group;
use self::order::{limit, order};
use super::parts::spelt;
use super::planner::{Catalog, Foreign, Generated};
use super::problem::Problem;
use super::table::name_of;

/// A rewritten query's needs of the catalog.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    /// What it makes itself.
    pub(super) generated: BTreeMap<String, Generated>,
    /// Functions of other dialects that it calls.
    pub(super) foreign: BTreeMap<String, Foreign>,
    /// Functions of no known dialect that it calls, with the number of calls.
    pub(super) unknown: BTreeMap<String, u64>,
}

/// Rewrites a query.
///
/// # Errors
/// It has a form that the planner has no equivalent of.
pub(super) fn query(query: &mut Query, dialect: Option<SqlDialect>, catalog: &Catalog) -> Result<Rewritten, Problem> {
    let mut rewriter = Rewriter {
        named: super::relations::named(query),
        fields: generated::fields(query),
        reads_suffix: wildcard::reads_suffix(query),
        ..Rewriter::new(dialect, catalog)
    };
    match VisitMut::visit(query, &mut rewriter) {
        ControlFlow::Break(problem) => Err(problem),
        ControlFlow::Continue(()) => Ok(rewriter.rewritten),
    }
}

/// What is known while a query is rewritten.
struct Rewriter<'a> {
    dialect: Option<SqlDialect>,
    catalog: &'a Catalog,
    /// Names of its named subqueries.
    named: BTreeSet<String>,
    rewritten: Rewritten,
    /// Fields of tables, by the name of the table: `f.value` is the field `value` of `f`.
    fields: BTreeMap<String, BTreeSet<String>>,
    placeholders: usize,
    /// Lists that were looked for in subqueries.
    memberships: usize,
    /// Hierarchical queries.
    hierarchies: usize,
    /// Subqueries that give the first rows for each row.
    laterals: usize,
    /// Windows that look for patterns.
    matched: usize,
    /// Whether it names `_TABLE_SUFFIX`.
    reads_suffix: bool,
    /// Number of tables that are read through wildcards.
    wildcards: usize,
}

impl VisitorMut for Rewriter<'_> {
    type Break = Problem;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Problem> {
        broken(self.computed(query))?;
        self.recursive(query);
        minus(&mut query.body);
        self.written_names(query);
        broken(order(query).and_then(|()| limit(query)))
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Problem> {
        broken(self.select(select))
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Problem> {
        broken(self.relation(factor))
    }

    fn pre_visit_relation(&mut self, relation: &mut ObjectName) -> ControlFlow<Problem> {
        self.resolve(relation);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Problem> {
        expressions::all_patterns(expr);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Problem> {
        broken(self.expression(expr))
    }

    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<Problem> {
        self.value(&mut value.value);
        ControlFlow::Continue(())
    }
}

impl<'a> Rewriter<'a> {
    fn new(dialect: Option<SqlDialect>, catalog: &'a Catalog) -> Self {
        Self {
            dialect,
            catalog,
            named: BTreeSet::new(),
            rewritten: Rewritten::default(),
            fields: BTreeMap::new(),
            placeholders: 0,
            memberships: 0,
            hierarchies: 0,
            laterals: 0,
            matched: 0,
            reads_suffix: false,
            wildcards: 0,
        }
    }
}

impl Rewriter<'_> {
    fn select(&mut self, select: &mut Select) -> Result<(), Problem> {
        self.hide_suffix(select);
        exclude(select);
        self.each_column(select)?;
        select.projection = std::mem::take(&mut select.projection).into_iter().flat_map(renamed).collect();
        self.hierarchy(select)?;
        self.marked_joins(select)?;
        self.first_rows_of_each(select)?;
        if let Some(before) = select.prewhere.take() {
            select.selection = Some(both(select.selection.take(), before));
        }
        group(select)?;
        let reads = self.made_of(select)?;
        for condition in reads {
            select.selection = Some(both(select.selection.take(), condition));
        }
        Ok(())
    }

    fn relation(&mut self, factor: &mut TableFactor) -> Result<(), Problem> {
        self.stored(factor)?;
        self.tables_of_pattern(factor)?;
        sample::apply(factor, self.dialect)?;
        unpivot::apply(factor)?;
        self.matches(factor)?;
        pivot::apply(factor, self.dialect)
    }

    /// A table is as large as it was. `FINAL` merges rows that ClickHouse has not merged yet, and `dual` has one row.
    fn stored(&self, factor: &mut TableFactor) -> Result<(), Problem> {
        let TableFactor::Table { name, alias, version, with_hints, args: None, .. } = factor else { return Ok(()) };
        *version = None;
        with_hints.clear();
        let is_final = |alias: &mut TableAlias| !alias.explicit && is_word(&alias.name, "final");
        if self.dialect == Some(SqlDialect::ClickHouse) {
            let _ = alias.take_if(is_final);
        }
        // `FROM ONLY t`, without the tables that inherit from it, is a table of this name to the parser.
        if matches!(self.dialect, Some(SqlDialect::Postgres | SqlDialect::Redshift))
            && name_of(name) == "only"
            && let Some(table) = alias.take_if(|alias| !alias.explicit && alias.columns.is_empty())
        {
            *name = ObjectName::from(table.name);
        }
        if name_of(name) == "dual" && !self.catalog.tables.contains_key("dual") && !self.named.contains("dual") {
            let own = || TableAlias { explicit: true, name: Ident::new("dual"), columns: Vec::new(), at: None };
            let alias = Some(alias.take().unwrap_or_else(own));
            let subquery = template("SELECT 'X' AS dummy")?;
            *factor = TableFactor::Derived { lateral: false, subquery, alias, sample: None };
        }
        Ok(())
    }

    /// Some dialects have recursive queries without the word: one that reads its own name is one, if there is no such table.
    fn recursive(&self, query: &mut Query) {
        let Some(with) = query.with.as_mut().filter(|with| !with.recursive) else { return };
        with.recursive = with.cte_tables.iter().any(|named| {
            let name = name_of(&ObjectName::from(named.alias.name.clone()));
            let reads_itself = visit_relations(&named.query, |relation| {
                if name_of(relation) == name { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            reads_itself.is_break() && !self.catalog.tables.contains_key(&name)
        });
    }

    /// Gives a table the name under which the file creates it: in another schema or in none, if only one table can be meant.
    fn resolve(&self, relation: &mut ObjectName) {
        if let Some(named) = named_by_text(relation) {
            *relation = named;
        }
        let name = name_of(relation);
        let is_known = self.catalog.tables.contains_key(&name)
            || self.named.contains(&name)
            || self.rewritten.generated.contains_key(&name)
            || self.catalog.left_out.contains_key(&name);
        if is_known {
            return;
        }
        if let Some(known) = self.catalog.table_named(&name) {
            let span = relation.span();
            let parts = known.split('.').map(|part| {
                let mut ident = Ident::with_span(span, part);
                ident.quote_style = Some('"');
                ObjectNamePart::Identifier(ident)
            });
            relation.0 = parts.collect();
        }
    }
}

/// The table of Snowflake's and Spark's `IDENTIFIER('a.b')`.
fn named_by_text(relation: &ObjectName) -> Option<ObjectName> {
    let [ObjectNamePart::Function(ObjectNamePartFunction { name, args })] = relation.0.as_slice() else { return None };
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))] = args.as_slice() else { return None };
    let Value::SingleQuotedString(text) = &value.value else { return None };
    if !is_word(name, "identifier") {
        return None;
    }
    Parser::new(&GenericDialect {}).try_with_sql(text).ok()?.parse_object_name(false).ok()
}

/// `MINUS` is `EXCEPT`.
fn minus(body: &mut SetExpr) {
    if let SetExpr::SetOperation { op, left, right, .. } = body {
        if *op == SetOperator::Minus {
            *op = SetOperator::Except;
        }
        minus(left);
        minus(right);
    }
}

fn broken(result: Result<(), Problem>) -> ControlFlow<Problem> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(problem) => ControlFlow::Break(problem),
    }
}

/// Both conditions.
fn both(before: Option<Expr>, and: Expr) -> Expr {
    match before {
        None => and,
        Some(before) => Expr::BinaryOp {
            left: Box::new(Expr::Nested(Box::new(before))),
            op: BinaryOperator::And,
            right: Box::new(Expr::Nested(Box::new(and))),
        },
    }
}

/// The parts of a condition that are all to be met.
fn conjuncts(condition: Expr) -> Vec<Expr> {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            let mut parts = conjuncts(*left);
            parts.extend(conjuncts(*right));
            parts
        }
        Expr::Nested(inner) if matches!(*inner, Expr::BinaryOp { op: BinaryOperator::And, .. }) => conjuncts(*inner),
        other => vec![other],
    }
}

/// All conditions as one.
fn all_of(conditions: Vec<Expr>) -> Option<Expr> {
    conditions.into_iter().reduce(|before, and| both(Some(before), and))
}

/// The name by which columns of a relation are named.
fn label(factor: &TableFactor) -> Option<String> {
    match factor {
        TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. }
        | TableFactor::Function { alias: Some(alias), .. }
        | TableFactor::TableFunction { alias: Some(alias), .. }
        | TableFactor::UNNEST { alias: Some(alias), .. }
        | TableFactor::Pivot { alias: Some(alias), .. }
        | TableFactor::Unpivot { alias: Some(alias), .. }
        | TableFactor::MatchRecognize { alias: Some(alias), .. } => Some(spelt(&alias.name)),
        TableFactor::Table { name, .. } => name.0.last().and_then(|part| part.as_ident()).map(spelt),
        _ => None,
    }
}

/// A name that the planner spells so, in SQL.
fn quoted_name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn is_word(name: &Ident, word: &str) -> bool {
    name.quote_style.is_none() && name.value.eq_ignore_ascii_case(word)
}

/// A query to put parts in; its text is part of the program.
fn template(sql: &str) -> Result<Box<Query>, Problem> {
    Ok(Parser::new(&GenericDialect {}).try_with_sql(sql)?.parse_query()?)
}

/// The first SELECT of a query.
fn body(query: &mut Query) -> Option<&mut Select> {
    match query.body.as_mut() {
        SetExpr::Select(select) => Some(select),
        _ => None,
    }
}

/// A number.
fn number(value: &impl ToString) -> Expr {
    Expr::Value(Value::Number(value.to_string(), false).with_empty_span())
}

/// A text.
fn quoted(value: impl Into<String>) -> Expr {
    Expr::Value(Value::SingleQuotedString(value.into()).with_empty_span())
}

/// The number that is written here.
fn literal(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Value(ValueWithSpan { value: Value::Number(number, _), .. }) => number.replace('_', "").parse().ok(),
        Expr::Nested(inner) => literal(inner),
        Expr::BinaryOp { left, op: BinaryOperator::Divide, right } => {
            Some(literal(left)? / literal(right)?).filter(|ratio| ratio.is_finite())
        }
        _ => None,
    }
}

/// The expression of an item of a list; none of `*`.
fn expression_of(item: &SelectItem) -> Option<Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr.clone()),
        _ => None,
    }
}

/// The expression of a list that a key names by its position, from 1; `None`: the key is not a position, or the position is that of `*`.
fn item_at(items: &[SelectItem], key: &Expr) -> Option<Expr> {
    let position = literal(key).filter(|position| *position >= 1.0 && position.fract() == 0.0 && *position < 1e6)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 1 to 10⁶")]
    let position = position as usize;
    items.get(position - 1).and_then(expression_of)
}

/// Where a query begins, for a problem without a place of its own.
fn start(spanned: &impl Spanned) -> Location {
    spanned.span().start
}
