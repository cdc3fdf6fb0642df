//! Rows that a query makes itself: `LATERAL VIEW explode`, `UNNEST`, `FLATTEN`, `ARRAY JOIN`, table functions. Each becomes a table
//! of its own name in the catalog; the shape of the plan shows it as rows that are made of every row beside it. A condition
//! that all rows meet names the columns they are made of, so that these are read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crossover_query::CpuOnly;
use datafusion_common::arrow::datatypes::{DataType, Field, Schema};
use datafusion_sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Join, JoinConstraint, JoinOperator,
    ObjectName, Query, Select, SelectItem, TableAlias, TableFactor, TableWithJoins, UnaryOperator, ValueWithSpan,
};
use datafusion_sql::sqlparser::tokenizer::Location;

use super::joins::operator;
use super::{Rewriter, body, literal, spelt, start, template};
use crate::forms::SCRIPT;
use crate::parts::{column_name, each_part, has_part, is_query};
use crate::planner::{Generated, READS};
use crate::problem::Problem;
use crate::table::name_of;

/// Functions that make rows where they stand among the columns.
const AMONG_COLUMNS: [&str; 16] = [
    "arrayjoin",
    "explode",
    "explode_outer",
    "inline",
    "inline_outer",
    "json_array_elements",
    "json_array_elements_text",
    "jsonb_array_elements",
    "jsonb_array_elements_text",
    "posexplode",
    "posexplode_outer",
    "regexp_split_to_table",
    SCRIPT,
    "stack",
    "string_to_table",
    "unnest",
];
/// Columns of such rows that are numbers.
const NUMBERS: [&str; 10] =
    ["generate_series", "id", "index", "number", "offset", "ordinality", "pos", "range", "seq", "seq4"];
/// Most characters of the text of what makes rows.
const MOST_TEXT: usize = 200;
/// Most rows of a series.
const MOST_ROWS: f64 = 1e15;

/// What makes rows, and what it is called.
struct Maker {
    /// Its function, in small letters.
    name: String,
    arguments: Vec<Expr>,
    text: String,
    alias: Option<Ident>,
    columns: Vec<Ident>,
}

/// Whether a function makes rows where it stands among the columns.
pub(super) fn makes_rows(name: &str) -> bool {
    AMONG_COLUMNS.contains(&name)
}

/// The fields that a query reads of each table, by the names before the first dot.
pub(super) fn fields(query: &Query) -> BTreeMap<String, BTreeSet<String>> {
    let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    each_part(query, |part| {
        if let Expr::CompoundIdentifier(names) = part
            && let [table, field, ..] = names.as_slice()
        {
            fields.entry(spelt(table)).or_default().insert(spelt(field));
        }
    });
    fields
}

impl Rewriter<'_> {
    /// Puts tables in the places of all that makes rows in a SELECT; returns conditions that name what the rows are made of.
    pub(super) fn made_of(&mut self, select: &mut Select) -> Result<Vec<Expr>, Problem> {
        let mut reads = Vec::new();
        let mut aliases = BTreeSet::new();
        select.from = arrays(std::mem::take(&mut select.from));
        for from in &mut select.from {
            self.joined(from, &mut aliases, &mut reads)?;
        }
        for view in std::mem::take(&mut select.lateral_views) {
            let text = view.lateral_view.to_string();
            let Expr::Function(function) = view.lateral_view else {
                return Err(Problem::at(start(select), format!("LATERAL VIEW of “{text}” is not supported")));
            };
            let alias = view.lateral_view_name.0.last().and_then(|part| part.as_ident()).cloned();
            let maker = Maker {
                name: name_of(&function.name),
                arguments: arguments(function.args),
                text,
                alias,
                columns: view.lateral_col_alias,
            };
            let relation = self.table(maker, &mut reads)?;
            select.from.push(TableWithJoins { relation, joins: Vec::new() });
        }
        let mut items = Vec::with_capacity(select.projection.len());
        for item in std::mem::take(&mut select.projection) {
            let (expr, aliases) = match &item {
                SelectItem::UnnamedExpr(expr) => (expr, Vec::new()),
                SelectItem::ExprWithAlias { expr, alias } => (expr, vec![alias.clone()]),
                SelectItem::ExprWithAliases { expr, aliases } => (expr, aliases.clone()),
                _ => {
                    items.push(item);
                    continue;
                }
            };
            let made = match expr {
                Expr::Function(function) => Some((name_of(&function.name), arguments(function.args.clone()))),
                _ => None,
            };
            let Some((name, arguments)) = made.filter(|(name, _)| makes_rows(name)) else {
                items.push(item);
                continue;
            };
            let of = Ident::new(format!("made_{}", self.rewritten.generated.len() + 1));
            let columns = if aliases.is_empty() { vec![Ident::new("col")] } else { aliases };
            // Names of their own: a column of a table that is read may have the name of an output column.
            let made: Vec<Ident> =
                (0..columns.len()).map(|place| Ident::new(format!("{}_{place}", of.value))).collect();
            let maker =
                Maker { name, arguments, text: expr.to_string(), alias: Some(of.clone()), columns: made.clone() };
            let relation = self.table(maker, &mut reads)?;
            select.from.push(TableWithJoins { relation, joins: Vec::new() });
            items.extend(columns.into_iter().zip(made).map(|(column, made)| {
                let expr = Expr::CompoundIdentifier(vec![of.clone(), made]);
                SelectItem::ExprWithAlias { expr, alias: column }
            }));
        }
        select.projection = items;
        Ok(reads)
    }

    fn joined(
        &mut self,
        from: &mut TableWithJoins,
        aliases: &mut BTreeSet<String>,
        reads: &mut Vec<Expr>,
    ) -> Result<(), Problem> {
        self.made(&mut from.relation, aliases, reads)?;
        for join in &mut from.joins {
            if is_array_join(join) {
                self.array_join(join, reads)?;
            } else {
                join.join_operator = operator(join);
                self.made(&mut join.relation, aliases, reads)?;
            }
        }
        Ok(())
    }

    /// `ARRAY JOIN a AS b`: what stands there is a column.
    fn array_join(&mut self, join: &mut Join, reads: &mut Vec<Expr>) -> Result<(), Problem> {
        let text = join.relation.to_string();
        let TableFactor::Table { name, alias, args, .. } = &join.relation else {
            return Err(Problem::at(start(&join.relation), format!("ARRAY JOIN of “{text}” is not supported")));
        };
        let names: Vec<Ident> = name.0.iter().filter_map(|part| part.as_ident()).cloned().collect();
        // Without a name of its own the item has that of its list, which stands for both.
        let column = alias.as_ref().map_or_else(|| Ident::with_quote('"', "array item"), |alias| alias.name.clone());
        let field = match names.as_slice() {
            [name] => Expr::Identifier(name.clone()),
            _ => Expr::CompoundIdentifier(names.clone()),
        };
        let arguments = args.as_ref().map_or_else(|| vec![field], |args| values(&args.args));
        let maker = Maker { name: "array join".to_owned(), arguments, text, alias: None, columns: vec![column] };
        join.relation = self.table(maker, reads)?;
        join.join_operator = JoinOperator::CrossJoin(JoinConstraint::None);
        Ok(())
    }

    /// Puts a table in the place of what makes rows.
    fn made(
        &mut self,
        factor: &mut TableFactor,
        aliases: &mut BTreeSet<String>,
        reads: &mut Vec<Expr>,
    ) -> Result<(), Problem> {
        on_other_servers(factor);
        let text = factor_text(factor);
        let maker = match factor {
            TableFactor::NestedJoin { table_with_joins, .. } => return self.joined(table_with_joins, aliases, reads),
            TableFactor::Table { name, alias, args: Some(args), .. } => {
                Maker::of(name_of(name), values(&args.args), text, alias.as_ref(), None)
            }
            // FROM t, t.items: a field of a table before it.
            TableFactor::Table { name, alias, .. } => {
                let full = name_of(name);
                let is_field = full.split_once('.').is_some_and(|(table, _)| aliases.contains(table))
                    && !self.catalog.tables.contains_key(&full);
                if !is_field {
                    let of = alias.as_ref().map(|alias| spelt(&alias.name));
                    let last = || full.rsplit('.').next().unwrap_or_default().to_owned();
                    aliases.insert(of.unwrap_or_else(last));
                    return Ok(());
                }
                let names = name.0.iter().filter_map(|part| part.as_ident()).cloned().collect();
                let field = Expr::CompoundIdentifier(names);
                Maker::of("unnest".to_owned(), vec![field], text, alias.as_ref(), None)
            }
            TableFactor::Derived { alias, .. } => {
                aliases.extend(alias.iter().map(|alias| spelt(&alias.name)));
                return Ok(());
            }
            TableFactor::Function { name, args, alias, .. } => {
                Maker::of(name_of(name), values(args), text, alias.as_ref(), None)
            }
            TableFactor::TableFunction { expr: Expr::Function(function), alias } => {
                let arguments = arguments(function.args.clone());
                Maker::of(name_of(&function.name), arguments, text, alias.as_ref(), None)
            }
            TableFactor::UNNEST { alias, array_exprs, with_offset, with_offset_alias, with_ordinality } => {
                let offset = with_offset_alias.clone().or_else(|| with_offset.then(|| Ident::new("offset")));
                let offset = offset.or_else(|| with_ordinality.then(|| Ident::new("ordinality")));
                Maker::of("unnest".to_owned(), array_exprs.clone(), text, alias.as_ref(), offset)
            }
            TableFactor::JsonTable { json_expr, alias, .. } | TableFactor::OpenJsonTable { json_expr, alias, .. } => {
                Maker::of("json_table".to_owned(), vec![json_expr.clone()], text, alias.as_ref(), None)
            }
            _ => return Ok(()),
        };
        aliases.extend(maker.alias.iter().map(spelt));
        *factor = self.table(maker, reads)?;
        Ok(())
    }

    /// The table that stands for rows.
    fn table(&mut self, maker: Maker, reads: &mut Vec<Expr>) -> Result<TableFactor, Problem> {
        let number = self.catalog.generated.len() + self.rewritten.generated.len() + 1;
        let key = format!("{} {number}", maker.name.replace('.', " "));
        let alias = maker.alias.clone().unwrap_or_else(|| Ident::new(key.clone()));
        let element = maker.arguments.first().and_then(|argument| self.element(argument));
        let mut names: Vec<String> = maker.columns.iter().map(spelt).collect();
        if names.is_empty() {
            names.extend(usual_columns(&maker.name).iter().map(|name| (*name).to_owned()));
            names.extend(maker.alias.as_ref().map(spelt));
        }
        names.extend(self.fields.get(&spelt(&alias)).into_iter().flatten().cloned());
        let mut known = BTreeSet::new();
        names.retain(|name| known.insert(name.clone()));
        let series = maker.arguments.iter().all(|argument| literal(argument).is_some()) && !maker.arguments.is_empty();
        let fields = names.iter().enumerate().map(|(place, name)| {
            let data_type = match &element {
                Some(element) if place == 0 && !NUMBERS.contains(&name.as_str()) => element.clone(),
                _ if series || NUMBERS.contains(&name.as_str()) => DataType::Int64,
                _ => DataType::Utf8,
            };
            Field::new(name, data_type, true)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let text = maker.text.chars().take(MOST_TEXT).collect();
        let cpu_only = (maker.name == SCRIPT).then_some(CpuOnly::Script);
        let generated = Generated { schema, rows: rows(&maker.name, &maker.arguments), text, cpu_only };
        self.rewritten.generated.insert(key.clone(), generated);
        let columns: Vec<Expr> = maker.arguments.into_iter().filter(names_columns).collect();
        if !columns.is_empty() {
            reads.push(reading(columns)?);
        }
        let mut table = template("SELECT 1 FROM t AS a")?;
        let mut relation = body(&mut table).and_then(|select| select.from.pop()).map(|from| from.relation);
        if let Some(TableFactor::Table { name, alias: of, .. }) = &mut relation {
            *name = ObjectName::from(Ident::with_quote('"', key));
            *of = Some(TableAlias { explicit: true, name: alias, columns: Vec::new(), at: None });
        }
        relation.ok_or_else(|| Problem::at(Location::empty(), "a table function is not supported"))
    }

    /// The type of the elements of a list.
    fn element(&self, list: &Expr) -> Option<DataType> {
        let name = match list {
            Expr::Identifier(name) => name,
            Expr::CompoundIdentifier(names) => names.last()?,
            Expr::Array(array) => {
                let is_whole = |item: &Expr| literal(item).is_some_and(|number| number.fract() == 0.0);
                let is_number = |item: &Expr| literal(item).is_some();
                return match array.elem.as_slice() {
                    [] => None,
                    items if items.iter().all(is_whole) => Some(DataType::Int64),
                    items if items.iter().all(is_number) => Some(DataType::Float64),
                    [Expr::Identifier(name), ..] => self.column(&spelt(name)),
                    [Expr::CompoundIdentifier(names), ..] => self.column(&spelt(names.last()?)),
                    _ => None,
                };
            }
            _ => return None,
        };
        let name = spelt(name);
        self.catalog.tables.values().find_map(|table| match table.schema.field_with_name(&name).ok()?.data_type() {
            DataType::List(item) | DataType::LargeList(item) => Some(item.data_type().clone()),
            _ => None,
        })
    }
}

impl Rewriter<'_> {
    /// The type of the first column of this name.
    fn column(&self, name: &str) -> Option<DataType> {
        let mut tables = self.catalog.tables.values();
        tables.find_map(|table| Some(table.schema.field_with_name(name).ok()?.data_type().clone()))
    }
}

impl Maker {
    fn of(name: String, arguments: Vec<Expr>, text: String, alias: Option<&TableAlias>, offset: Option<Ident>) -> Self {
        let mut columns: Vec<Ident> =
            alias.into_iter().flat_map(|alias| &alias.columns).map(|column| column.name.clone()).collect();
        if let Some(offset) = offset {
            if columns.is_empty() {
                columns.extend(alias.map(|alias| alias.name.clone()));
            }
            columns.push(offset);
        }
        Self { name, arguments, text, alias: alias.map(|alias| alias.name.clone()), columns }
    }
}

/// `ARRAY JOIN a, b`: the parser takes what follows the comma for another table.
fn arrays(from: Vec<TableWithJoins>) -> Vec<TableWithJoins> {
    let mut all: Vec<TableWithJoins> = Vec::with_capacity(from.len());
    for next in from {
        if let Some(last) = all.last_mut().filter(|last| last.joins.last().is_some_and(is_array_join)) {
            let operator = JoinOperator::ArrayJoin;
            last.joins.push(Join { relation: next.relation, global: false, join_operator: operator });
            last.joins.extend(next.joins);
        } else {
            all.push(next);
        }
    }
    all
}

fn is_array_join(join: &Join) -> bool {
    matches!(join.join_operator, JoinOperator::ArrayJoin | JoinOperator::LeftArrayJoin | JoinOperator::InnerArrayJoin)
}

/// ClickHouse's `remote('host', db.t)` and `cluster('c', db.t)` read a table of the same columns on other servers.
fn on_other_servers(factor: &mut TableFactor) {
    let TableFactor::Table { name, args, .. } = factor else { return };
    let Some(arguments) = args.as_ref().map(|args| values(&args.args)) else { return };
    if !["remote", "remotesecure", "cluster", "clusterallreplicas"].contains(&name_of(name).as_str()) {
        return;
    }
    *name = match arguments.get(1) {
        Some(Expr::Identifier(table)) => ObjectName::from(table.clone()),
        Some(Expr::CompoundIdentifier(names)) => ObjectName::from(names.clone()),
        _ => return,
    };
    *args = None;
}

fn factor_text(factor: &TableFactor) -> String {
    match factor {
        TableFactor::Table { name, args: Some(args), .. } => format!("{name}({})", shown(&args.args)),
        TableFactor::Function { name, args, .. } => format!("{name}({})", shown(args)),
        TableFactor::Derived { .. } | TableFactor::NestedJoin { .. } => String::new(),
        other => other.to_string(),
    }
}

fn shown(arguments: &[FunctionArg]) -> String {
    arguments.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The values of arguments, without their names.
fn values(arguments: &[FunctionArg]) -> Vec<Expr> {
    let value = |argument: &FunctionArg| match argument {
        FunctionArg::Named { arg, .. } | FunctionArg::ExprNamed { arg, .. } | FunctionArg::Unnamed(arg) => match arg {
            FunctionArgExpr::Expr(value) => Some(value.clone()),
            _ => None,
        },
    };
    arguments.iter().filter_map(value).collect()
}

fn arguments(arguments: FunctionArguments) -> Vec<Expr> {
    match arguments {
        FunctionArguments::List(list) => values(&list.args),
        FunctionArguments::None | FunctionArguments::Subquery(_) => Vec::new(),
    }
}

/// Whether an expression names columns, and nothing that is no column: a parameter of a function of one's own does.
fn names_columns(expr: &Expr) -> bool {
    let is_other = |part: &Expr| is_query(part) || matches!(part, Expr::Lambda(_));
    has_part(expr, |part| column_name(part).is_some()) && !has_part(expr, is_other)
}

/// A condition that all rows meet and that names columns.
fn reading(columns: Vec<Expr>) -> Result<Expr, Problem> {
    let mut query = template(&format!("SELECT {READS}(a)"))?;
    let item = body(&mut query).and_then(|select| select.projection.pop());
    let Some(SelectItem::UnnamedExpr(Expr::Function(mut function))) = item else {
        return Err(Problem::at(start(&columns[0]), "a table function is not supported"));
    };
    if let Function { args: FunctionArguments::List(list), .. } = &mut function {
        list.args = columns.into_iter().map(|column| FunctionArg::Unnamed(FunctionArgExpr::Expr(column))).collect();
    }
    Ok(Expr::Function(function))
}

/// Columns of a table function that is given no names.
fn usual_columns(function: &str) -> &'static [&'static str] {
    match function {
        "explode" | "explode_outer" => &["col", "key", "value"],
        "posexplode" | "posexplode_outer" => &["pos", "col"],
        "json_tuple" => &["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"],
        "split_to_table" | "strtok_split_to_table" => &["value", "seq", "index"],
        "flatten" => &["value", "seq", "key", "path", "index", "this"],
        "generate_series" => &["generate_series"],
        "numbers" | "numbers_mt" | "zeros" => &["number"],
        "generator" => &["seq4"],
        "range" => &["range", "id"],
        "json_each" | "jsonb_each" | "json_each_text" | "jsonb_each_text" => &["key", "value"],
        "json_table" => &["key", "value", "type"],
        _ => &["value"],
    }
}

/// Rows of a series or of a list that is written out.
fn rows(function: &str, arguments: &[Expr]) -> Option<f64> {
    if let [Expr::Array(array)] = arguments {
        return Some(array.elem.len() as f64);
    }
    let numbers: Option<Vec<f64>> = arguments.iter().map(signed).collect();
    let rows = match (function, numbers?.as_slice()) {
        ("numbers" | "numbers_mt" | "zeros" | "range" | "generator", [rows])
        | ("numbers" | "numbers_mt", [_, rows]) => *rows,
        ("generate_series" | "sequence", [from, to]) => to - from + 1.0,
        ("range", [from, to]) => to - from,
        ("generate_series" | "sequence" | "range", [from, to, step]) if *step != 0.0 => {
            ((to - from) / step).floor() + 1.0
        }
        _ => return None,
    };
    Some(rows.max(0.0)).filter(|rows| *rows <= MOST_ROWS)
}

fn signed(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => literal(expr).map(|number| -number),
        Expr::Value(ValueWithSpan { .. }) => literal(expr),
        _ => None,
    }
}
