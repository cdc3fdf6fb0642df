//! Plans the statements of a file one by one. One that cannot be planned is left out, and named with its place and the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crossover_plan::{Control, ImportError, Query, SqlDialect};
use crossover_quantity::text::counted;
use crossover_query::Plan;
use crossover_query::validate::validate;
use datafusion_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion_sql::sqlparser::ast::{ObjectName, Query as Parsed};
use datafusion_sql::sqlparser::tokenizer::Location;

use super::asked::{Asked, Target};
use super::comments;
use super::dialect;
use super::planner::Catalog;
use super::problem::{Problem, offer};
use super::statements::{Statement, split};
use super::table::{self, Table, name_of};
use super::{ENGINE, relations, rewrite, shape};

/// Most statements that are left out and listed.
const MOST_LISTED: usize = 50;

/// Plans all statements of a file; returns the queries, and notes on what was left out or assumed.
///
/// # Errors
/// No statement can be planned, or the user cancelled.
pub(super) fn plan(
    text: &str,
    named: Option<SqlDialect>,
    name: &str,
    path: &Path,
    control: &Control,
) -> Result<(Vec<Query>, Vec<String>), ImportError> {
    let line_starts: Vec<u64> = text
        .lines()
        .scan(0, |start, line| {
            let this = *start;
            *start += line.len() as u64 + 1;
            Some(this)
        })
        .collect();
    let (dialect, cut) = match named {
        Some(_) => (named, split(text, named)),
        None => dialect::guess(text),
    };
    let mut reading = Reading::new(dialect, name);
    reading.problems = cut.problems;
    let mut done = 0;
    for statement in &cut.statements {
        control.check()?;
        // The planner is a library of a hundred thousand lines: a fault in it costs the statement, not the program.
        let read = catch_unwind(AssertUnwindSafe(|| reading.read(statement)));
        let failed = || Err(Problem::at(statement.start(), "DataFusion's planner failed on this statement"));
        if let Err(problem) = read.unwrap_or_else(|_| failed()) {
            reading.problems.push(problem.or_at(statement.start()));
        }
        let reached = usize::try_from(statement.last_line()).ok().and_then(|line| line_starts.get(line)).copied();
        let reached = reached.unwrap_or(text.len() as u64);
        control.add(reached.saturating_sub(done));
        done = reached.max(done);
    }
    if reading.queries.is_empty() {
        return Err(reading.refusal(path));
    }
    let notes = reading.notes(named.is_none());
    Ok((reading.queries, notes))
}

/// The statements of a file so far.
struct Reading<'a> {
    dialect: Option<SqlDialect>,
    file: &'a str,
    catalog: Catalog,
    queries: Vec<Query>,
    ids: BTreeSet<String>,
    /// Queries so far, with those that cannot be planned.
    count: usize,
    /// What is left out, and why.
    problems: Vec<Problem>,
    /// Statements without a query: their lines and first words.
    without_query: Vec<(u64, String)>,
    /// Calls of functions that no list has, by name.
    unknown: BTreeMap<String, u64>,
    /// Whether a statement writes the rows of its query.
    writes: bool,
}

impl<'a> Reading<'a> {
    fn new(dialect: Option<SqlDialect>, file: &'a str) -> Self {
        Self {
            dialect,
            file,
            catalog: Catalog::new(),
            queries: Vec::new(),
            ids: BTreeSet::new(),
            count: 0,
            problems: Vec::new(),
            without_query: Vec::new(),
            unknown: BTreeMap::new(),
            writes: false,
        }
    }

    /// Reads a table, or plans a query.
    fn read(&mut self, statement: &Statement) -> Result<(), Problem> {
        let properties = comments::read(statement)?;
        let place = statement.start();
        match Asked::of(statement.parse(self.dialect)?)? {
            Asked::Table(create) => {
                let name = name_of(&create.name);
                if self.catalog.tables.contains_key(&name) {
                    return Err(Problem::at(place, format!("table “{name}” is created twice")));
                }
                let read = if let Some((of, has_rows)) = table::copied(&create) {
                    let copy = |table| table::copy(table, has_rows, &name, &properties, place);
                    self.known(of).and_then(copy)
                } else {
                    let known = |name: &ObjectName| self.known(name);
                    table::read(*create, &properties, place, &self.catalog.planner(), self.dialect, known)
                };
                match read {
                    Ok(table) => {
                        self.catalog.tables.insert(name, table);
                        Ok(())
                    }
                    Err(problem) => {
                        self.catalog.left_out.insert(name, place.line);
                        Err(problem)
                    }
                }
            }
            Asked::Rows(query, target) => {
                let made = match &target {
                    Target::Table(name) | Target::View(name, _) => Some(name_of(name)),
                    Target::Answer | Target::Written => None,
                };
                let planned = self.query(statement, query, target, properties.name);
                if let (Err(_), Some(name)) = (&planned, made) {
                    self.catalog.left_out.insert(name, place.line);
                }
                planned
            }
            Asked::Nothing => {
                self.without_query.push((place.line, statement.first_words()));
                Ok(())
            }
        }
    }

    /// A table that is known.
    fn known(&self, name: &ObjectName) -> Result<&Table, Problem> {
        let wanted = name_of(name);
        let known = self.catalog.table_named(&wanted).and_then(|known| self.catalog.tables.get(known));
        known.ok_or_else(|| relations::unknown_table(name, &wanted, &self.catalog))
    }

    /// Plans a query, and makes the table or view that it gives.
    fn query(
        &mut self,
        statement: &Statement,
        mut query: Box<Parsed>,
        target: Target,
        name: Option<String>,
    ) -> Result<(), Problem> {
        self.count += 1;
        let id = name.unwrap_or_else(|| self.count.to_string());
        if self.ids.contains(&id) {
            let problem = format!("two queries have the name “{id}”; give each its own name");
            return Err(Problem::at(statement.start(), problem));
        }
        let sql = query.to_string();
        let rewritten = rewrite::query(&mut query, self.dialect, &self.catalog)?;
        self.catalog.begin(rewritten.generated, rewritten.foreign);
        let load = relations::check(&query, &self.catalog)?;
        let unknown: Vec<&str> = rewritten.unknown.keys().map(String::as_str).collect();
        let (written, optimised) = self.catalog.plan(&query, &unknown)?;
        let (nodes, rows) = shape::nodes(&optimised, &self.catalog)?;
        let plan = Plan {
            engine: ENGINE.to_owned(),
            file: self.file.to_owned(),
            query: id.clone(),
            description: sql.clone(),
            nodes,
            ..Plan::default()
        };
        validate(&plan, "plan").map_err(|invalid| {
            let problem = format!("the sizes give an invalid plan: {}: {}", invalid.path, invalid.problem);
            Problem::at(statement.start(), problem)
        })?;
        self.writes |= matches!(target, Target::Written | Target::Table(_));
        match target {
            Target::Answer | Target::Written => {}
            Target::Table(name) => {
                self.catalog.tables.insert(name_of(&name), Table::filled(&written, rows));
            }
            Target::View(name, columns) => {
                let view = view(written, &columns)?;
                let table = Table::view(view, rows, load);
                self.catalog.tables.insert(name_of(&name), table);
            }
        }
        for (name, calls) in rewritten.unknown {
            *self.unknown.entry(name).or_default() += calls;
        }
        self.ids.insert(id.clone());
        self.queries.push(Query { id, description: sql, plan: plan.into(), ..Query::default() });
        Ok(())
    }

    /// Why a file has no query.
    fn refusal(&self, path: &Path) -> ImportError {
        if let Some(problem) = self.problems.first() {
            return problem.of_file(path, self.problems.len() - 1);
        }
        if let Some((line, words)) = self.without_query.first() {
            let problem = format!(
                "line {line}: {words} has no query to plan; expected CREATE TABLE with columns, or a statement with a query \
                 (SELECT, WITH, VALUES, CREATE TABLE … AS, CREATE VIEW, INSERT … SELECT, MERGE)"
            );
            return ImportError::unusable(path, problem);
        }
        let problem = if self.catalog.tables.is_empty() {
            "the file has no statements; expected CREATE TABLE statements with sizes, and queries"
        } else {
            "the file has tables but no query; expected at least one SELECT"
        };
        ImportError::unusable(path, problem)
    }

    /// What was left out or assumed.
    fn notes(&self, is_guessed: bool) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(dialect) = self.dialect.filter(|_| is_guessed) {
            notes.push(format!("The statements are read as those of {}, which fits them best.", dialect.label()));
        }
        let listed = self.problems.iter().take(MOST_LISTED);
        notes.extend(listed.map(|problem| format!("A statement was left out: {}.", problem.described())));
        if self.problems.len() > MOST_LISTED {
            notes.push(format!("{} more statements were left out.", self.problems.len() - MOST_LISTED));
        }
        if !self.without_query.is_empty() {
            let words =
                self.without_query.iter().take(MOST_LISTED).map(|(line, words)| format!("{words} (line {line})"));
            let more = match self.without_query.len() {
                count if count > MOST_LISTED => format!(" and {} more", count - MOST_LISTED),
                _ => String::new(),
            };
            let words = words.collect::<Vec<_>>().join(", ");
            notes.push(format!("Statements without a query were left out: {words}{more}."));
        }
        if self.writes {
            notes.push("A plan has the query of its statement; writing the rows is not part of it.".to_owned());
        }
        if !self.unknown.is_empty() {
            let one = |(name, calls): (&String, &u64)| {
                let near = self.catalog.nearest_function(name).filter(|near| near != name);
                let calls = if *calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") };
                format!("{name} ({calls}{})", offer(near, "", &[]))
            };
            let names = self.unknown.iter().take(MOST_LISTED).map(one).collect::<Vec<_>>().join(", ");
            notes.push(format!("Functions that the planner does not know count as scalar functions: {names}."));
        }
        notes
    }
}

/// The plan of a view, under its own names of the columns.
fn view(plan: LogicalPlan, columns: &[String]) -> Result<LogicalPlan, Problem> {
    if columns.is_empty() {
        return Ok(plan);
    }
    if columns.len() != plan.schema().fields().len() {
        let has = plan.schema().fields().len();
        let problem = format!("the view names {}, but its query has {has}", counted(columns.len() as f64, "column"));
        return Err(Problem::at(Location::empty(), problem));
    }
    let named = plan.schema().columns().into_iter().zip(columns);
    let named: Vec<Expr> = named.map(|(column, name)| Expr::Column(column).alias(name)).collect();
    Ok(LogicalPlanBuilder::from(plan).project(named)?.build()?)
}
