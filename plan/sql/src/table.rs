//! Tables: columns from `CREATE TABLE`, sizes from the comments with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossover_plan::SqlDialect;
use crossover_query::{Amount, Rule};
use datafusion_common::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion_expr::LogicalPlan;
use datafusion_expr::planner::ContextProvider;
use datafusion_sql::planner::{ParserOptions, SqlToRel};
use datafusion_sql::sqlparser::ast::{
    ColumnDef, CreateTable, CreateTableLikeKind, DataType, Ident, ObjectName, ObjectNamePart, Spanned,
};
use datafusion_sql::sqlparser::tokenizer::Location;

use super::comments::Properties;
use super::forms::LIKE;
use super::parts::spelt;
use super::problem::Problem;
use super::types::common_name;
use super::width;

/// Most columns of a table.
const MOST_COLUMNS: usize = 10_000;
/// How a size is stated.
const HOW: &str = "write “-- rows: 6 million” or “-- size: 100 GB” on a line of its own above CREATE TABLE";

/// A table and its size, or a view.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// Its columns, with their widths noted.
    pub(super) schema: SchemaRef,
    /// Its rows: as stated, from its stated size, or as its query gives them.
    pub(super) rows: Amount,
    /// The plan that stands for a view; a table is read.
    pub(super) view: Option<Arc<LogicalPlan>>,
    /// What a query that names it reads.
    pub(super) load: Load,
}

/// What a query reads, after substitution of its named subqueries and views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Load {
    /// Columns of tables, a table counted as often as it is read.
    pub(super) columns: u64,
    /// Tables, each counted as often as it is read.
    pub(super) relations: u64,
    /// Tables that are joined with one another; those of the parts of a UNION are planned apart.
    pub(super) joined: u64,
    /// Most copies of a column in one expression.
    pub(super) copies: u64,
}

impl Table {
    /// A table that is read.
    fn stored(schema: SchemaRef, rows: Amount) -> Self {
        let load = Load { columns: schema.fields().len() as u64, relations: 1, joined: 1, copies: 1 };
        Self { schema, rows, view: None, load }
    }

    /// A table that a query fills.
    pub(super) fn filled(plan: &LogicalPlan, rows: Amount) -> Self {
        // What an estimate fills has an estimated size.
        Self::stored(Arc::clone(plan.schema().inner()), rows)
    }

    /// A view of a query that reads so much.
    pub(super) fn view(plan: LogicalPlan, rows: Amount, load: Load) -> Self {
        Self { schema: Arc::clone(plan.schema().inner()), rows, view: Some(Arc::new(plan)), load }
    }
}

/// The tables of a file by name, as the planner spells names: unquoted letters are lower case.
pub(super) type Tables = BTreeMap<String, Table>;

/// Reads a table; `known` gives another one by its name.
pub(super) fn read<'t, C: ContextProvider>(
    create: CreateTable,
    properties: &Properties,
    place: Location,
    planner: &SqlToRel<'_, C>,
    dialect: Option<SqlDialect>,
    known: impl Fn(&ObjectName) -> Result<&'t Table, Problem>,
) -> Result<Table, Problem> {
    let name = name_of(&create.name);
    let problem = |text: String| Problem::at(place, format!("table “{name}”: {text}"));
    if create.columns.is_empty() {
        return Err(problem("it has no columns; list at least those that the queries use".to_owned()));
    }
    if create.columns.len() > MOST_COLUMNS {
        return Err(problem(format!("it has {} columns; at most {MOST_COLUMNS} are supported", create.columns.len())));
    }
    let mut fields: Vec<Field> = Vec::with_capacity(create.columns.len());
    for column in create.columns {
        match like(&column) {
            Some(of) => fields.extend(known(&of)?.schema.fields().iter().map(|field| field.as_ref().clone())),
            None => fields.push(field(column, planner, dialect)?),
        }
        if fields.len() > MOST_COLUMNS {
            return Err(problem(format!("it has more than {MOST_COLUMNS} columns, with those of other tables")));
        }
    }
    sized(fields, properties, problem)
}

/// The table whose columns stand in the place of this one: `LIKE s` in a list of columns.
fn like(column: &ColumnDef) -> Option<ObjectName> {
    let is_like = spelt(&column.name) == LIKE || spelt(&column.name) == "like" && column.name.quote_style.is_none();
    is_like.then(|| match &column.data_type {
        DataType::Custom(name, arguments) if arguments.is_empty() => name.clone(),
        other => ObjectName::from(Ident::with_span(column.span(), other.to_string())),
    })
}

/// The table that one is a copy of, and whether the copy has its rows.
pub(super) fn copied(create: &CreateTable) -> Option<(&ObjectName, bool)> {
    let like = create.like.as_ref().map(|like| match like {
        CreateTableLikeKind::Parenthesized(like) | CreateTableLikeKind::Plain(like) => (&like.name, false),
    });
    create.clone.as_ref().map(|name| (name, true)).or(like)
}

/// A copy of a table: with the stated size, else with the rows of the table if they are copied, too.
pub(super) fn copy(
    table: &Table,
    has_rows: bool,
    name: &str,
    properties: &Properties,
    place: Location,
) -> Result<Table, Problem> {
    let problem = |text: String| Problem::at(place, format!("table “{name}”: {text}"));
    let fields: Vec<Field> = table.schema.fields().iter().map(|field| field.as_ref().clone()).collect();
    if !has_rows || properties.rows.is_some() || properties.size.is_some() {
        return sized(fields, properties, problem);
    }
    let fields = match properties.row_width {
        Some(row_width) => fit(fields, row_width).map_err(problem)?,
        None => fields,
    };
    Ok(Table::stored(Arc::new(Schema::new(fields)), table.rows))
}

/// A table of columns with its stated size.
fn sized(fields: Vec<Field>, properties: &Properties, problem: impl Fn(String) -> Problem) -> Result<Table, Problem> {
    let listed: f64 = fields.iter().map(width::of_column).sum();
    let row_width = match (properties.row_width, properties.rows, properties.size) {
        (Some(_), Some(_), Some(_)) => {
            return Err(problem("rows, row width and size are stated; state only two of them".to_owned()));
        }
        (Some(width), ..) => Some(width),
        (None, Some(rows), Some(size)) if rows > 0.0 => Some(size / rows),
        _ => None,
    };
    let rows = match (properties.rows, properties.size) {
        (Some(rows), _) => Amount::derived(rows, Rule::StatedSize),
        (None, Some(size)) => {
            let rows = |width: f64| (size / width).round();
            row_width.map_or(Amount::estimated(rows(listed), Rule::StatedSize), |width| {
                Amount::derived(rows(width), Rule::StatedSize)
            })
        }
        (None, None) => return Err(problem(format!("it has no number of rows; {HOW}"))),
    };
    let fields = match row_width {
        Some(row_width) => fit(fields, row_width).map_err(problem)?,
        None => fields,
    };
    Ok(Table::stored(Arc::new(Schema::new(fields)), rows))
}

/// How the planner spells the name of a table.
pub(super) fn name_of(name: &ObjectName) -> String {
    let parts = name.0.iter().map(|part| match part {
        ObjectNamePart::Identifier(word) => spelt(word),
        ObjectNamePart::Function(function) => function.to_string(),
    });
    parts.collect::<Vec<_>>().join(".")
}

/// One column, with its width noted if its type declares a length.
fn field<C: ContextProvider>(
    mut column: ColumnDef,
    planner: &SqlToRel<'_, C>,
    dialect: Option<SqlDialect>,
) -> Result<Field, Problem> {
    let place = column.span().start;
    column.data_type = common_name(column.data_type, dialect);
    let declared = width::of_declared_text(&column.data_type);
    let what = format!("column “{}”: the type {} is not known to the planner", column.name.value, column.data_type);
    let schema = planner.build_schema(vec![column]).map_err(|_| Problem::at(place, what))?;
    let field = schema.field(0).clone();
    Ok(match declared {
        Some(bytes) => width::note(field, bytes),
        None => field,
    })
}

/// Columns whose widths add up to what is stated for the row: numbers keep theirs, and what they leave is shared by
/// text and binary columns in proportion to their own. If there are none, all columns shrink or grow alike.
fn fit(fields: Vec<Field>, row_width: f64) -> Result<Vec<Field>, String> {
    let sum = |fixed: bool| -> f64 {
        let of_this_kind = fields.iter().filter(|field| width::is_fixed(field.data_type()) == fixed);
        of_this_kind.map(width::of_column).sum()
    };
    let (fixed, free) = (sum(true), sum(false));
    let (of_fixed, of_free) = if free == 0.0 {
        (row_width / fixed, 1.0)
    } else if row_width > fixed {
        (1.0, (row_width - fixed) / free)
    } else {
        return Err(format!(
            "its row width is {row_width} B, but its numbers and dates alone take {fixed} B; state a row of \
             uncompressed data"
        ));
    };
    let fitted = fields.into_iter().map(|field| {
        let factor = if width::is_fixed(field.data_type()) { of_fixed } else { of_free };
        let bytes = width::of_column(&field) * factor;
        width::note(field, bytes)
    });
    Ok(fitted.collect())
}

/// The options of the planner that a table's columns and the queries share.
pub(super) fn planner_options() -> ParserOptions {
    ParserOptions { collect_spans: true, map_string_types_to_utf8view: false, ..ParserOptions::new() }
}
