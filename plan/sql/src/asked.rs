//! What a statement asks for: a table that exists, a query with what becomes of its rows, or nothing that can be planned.

use datafusion_sql::sqlparser::ast::{
    CopySource, CreateTable, CreateView, Expr, Insert, Join, JoinConstraint, JoinOperator, Merge, MergeClauseKind,
    ObjectName, Query, SetExpr, Statement as Parsed,
};
use datafusion_sql::sqlparser::dialect::GenericDialect;
use datafusion_sql::sqlparser::parser::Parser;

use super::problem::Problem;

/// What a statement asks for.
#[derive(Debug)]
pub(super) enum Asked {
    /// A table that exists, with its columns.
    Table(Box<CreateTable>),
    /// The rows of a query.
    Rows(Box<Query>, Target),
    /// Nothing: it has no query.
    Nothing,
}

/// What becomes of the rows of a query.
#[derive(Debug)]
pub(super) enum Target {
    /// They are the answer.
    Answer,
    /// They are written to a table or file that is no part of the plan.
    Written,
    /// They fill a table that later queries may read.
    Table(ObjectName),
    /// They are what a view stands for, under these names of its columns.
    View(ObjectName, Vec<String>),
}

impl Asked {
    /// What a statement asks for.
    ///
    /// # Errors
    /// It has a query in a form that cannot be planned.
    pub(super) fn of(statement: Parsed) -> Result<Self, Problem> {
        Ok(match statement {
            Parsed::CreateTable(CreateTable { query: Some(query), name, .. }) => Self::rows(query, Target::Table(name)),
            Parsed::CreateTable(create) => Self::Table(Box::new(create)),
            Parsed::CreateView(CreateView { name, columns, query, .. }) => {
                let names = columns.into_iter().map(|column| match column.name.quote_style {
                    Some(_) => column.name.value,
                    None => column.name.value.to_ascii_lowercase(),
                });
                Self::Rows(query, Target::View(name, names.collect()))
            }
            Parsed::Query(query) => Self::rows(query, Target::Answer),
            Parsed::Insert(insert) => Self::insert(insert),
            Parsed::Merge(merge) => Self::Rows(joined(merge)?, Target::Written),
            Parsed::Directory { source, .. } => Self::Rows(source, Target::Written),
            Parsed::Copy { source: CopySource::Query(query), .. } => Self::Rows(query, Target::Written),
            Parsed::Cache { table_name, query: Some(query), .. } => Self::rows(query, Target::Table(table_name)),
            Parsed::ExportData(export) => Self::rows(export.query, Target::Written),
            Parsed::CopyIntoSnowflake { from_query: Some(query), .. } | Parsed::Unload { query: Some(query), .. } => {
                Self::rows(query, Target::Written)
            }
            // Redshift has the query as a text.
            Parsed::Unload { query_text: Some(text), .. } => {
                let query = Parser::new(&GenericDialect {}).try_with_sql(&text)?.parse_query()?;
                Self::rows(query, Target::Written)
            }
            Parsed::Prepare { statement, .. } => Self::of(*statement)?,
            // DECLARE c CURSOR FOR SELECT …
            Parsed::Declare { stmts } => {
                let query = stmts.into_iter().find_map(|declared| declared.for_query);
                query.map_or(Self::Nothing, |query| Self::rows(query, Target::Answer))
            }
            Parsed::Explain { statement, .. } => match Self::of(*statement)? {
                Self::Rows(query, _) => Self::Rows(query, Target::Answer),
                other => other,
            },
            _ => Self::Nothing,
        })
    }

    fn insert(insert: Insert) -> Self {
        match insert.source {
            // The rows of VALUES are made by the client.
            Some(query) if !matches!(*query.body, SetExpr::Values(_)) => Self::rows(query, Target::Written),
            _ => Self::Nothing,
        }
    }

    /// A query, of which the parser puts INSERT behind WITH, and the table of SELECT … INTO, into the query itself.
    fn rows(mut query: Box<Query>, target: Target) -> Self {
        match query.body.as_mut() {
            SetExpr::Insert(_) => {
                let Query { body, with, .. } = *query;
                let SetExpr::Insert(Parsed::Insert(insert)) = *body else { return Self::Nothing };
                let Self::Rows(mut source, target) = Self::insert(insert) else { return Self::Nothing };
                if source.with.is_none() {
                    source.with = with;
                }
                Self::Rows(source, target)
            }
            SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => Self::Nothing,
            SetExpr::Select(select) => {
                let target = match select.into.take() {
                    Some(into) => Target::Table(into.name),
                    None => target,
                };
                Self::Rows(query, target)
            }
            _ => Self::Rows(query, target),
        }
    }
}

/// MERGE joins its source with the table: all rows of the source where it inserts what it does not find, and all of the table
/// where it changes what is not in the source.
fn joined(merge: Merge) -> Result<Box<Query>, Problem> {
    let has = |kinds: &[MergeClauseKind]| merge.clauses.iter().any(|clause| kinds.contains(&clause.clause_kind));
    let of_source = has(&[MergeClauseKind::NotMatched, MergeClauseKind::NotMatchedByTarget]);
    let of_target = has(&[MergeClauseKind::NotMatchedBySource]);
    let on = JoinConstraint::On(Expr::Nested(merge.on));
    let join_operator = match (of_source, of_target) {
        (true, true) => JoinOperator::FullOuter(on),
        (true, false) => JoinOperator::RightOuter(on),
        (false, true) => JoinOperator::LeftOuter(on),
        (false, false) => JoinOperator::Inner(on),
    };
    let mut query = Parser::new(&GenericDialect {}).try_with_sql("SELECT * FROM a")?.parse_query()?;
    if let SetExpr::Select(select) = query.body.as_mut()
        && let Some(from) = select.from.first_mut()
    {
        from.relation = merge.table;
        from.joins = vec![Join { relation: merge.source, global: false, join_operator }];
    }
    Ok(query)
}
