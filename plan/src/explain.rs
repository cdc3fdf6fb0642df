//! Common reader of EXPLAIN output: a file's documents are statements, and every statement becomes a query.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crossover_quantity::unread::{Unread, UnreadKind, suggests_time};
use crossover_query::{Balance, Node, Plan, Scope, Unaccounted, validate::validate};
use serde_json::Value;

use crate::control::Control;
use crate::error::ImportError;
use crate::import::{Import, Query};
use crate::json;
use crate::outline::{Object, Outline};

/// Fields with the name of an operator.
const NAMES: [&str; 5] = ["Node Type", "operator_name", "operator_type", "name", "type"];

/// An engine whose EXPLAIN writes JSON: its names, and the functions that read its operators.
pub(crate) struct Explain {
    /// Its name.
    pub(crate) engine: &'static str,
    /// Expected content of a file, for the end of a message.
    pub(crate) expected: &'static str,
    /// Name of the root operator in messages.
    pub(crate) root: &'static str,
    /// The field with the children of an operator.
    pub(crate) below: &'static str,
    /// The order in which children get their ids, see [`Outline::new`].
    pub(crate) listing: fn(&Object, &[&Object]) -> Vec<usize>,
    /// The statements of a document.
    pub(crate) statements: fn(Value) -> Result<Vec<Statement>, String>,
    /// The nodes of a plan, by id; the statement, if the file has it, can add what the plan lacks.
    pub(crate) nodes: fn(&Outline<'_>, Option<&str>) -> Result<Vec<Node>, String>,
    /// Balances of a statement.
    pub(crate) balances: Balances,
    /// Fields with times that are used, that are parts of those, or that are not of the execution.
    pub(crate) times: &'static [&'static str],
    /// Adds the machines, and warnings about the numbers; has the largest [`Totals::rounded_loops`] of all statements.
    pub(crate) complete: fn(Import, f64) -> Import,
}

/// Balances of a statement by its nodes and its totals; and a node for what belongs to none of them.
pub(crate) type Balances = fn(&[Node], &Totals) -> (Vec<Balance>, Option<Node>);

/// What a file says of a whole statement.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// From start to end, seconds, if measured.
    pub(crate) seconds: Option<f64>,
    /// CPU time of all operators on all threads, seconds, if the file has this sum.
    pub(crate) cpu_seconds: Option<f64>,
    /// Parts of the time outside of the operators, as the file has them, seconds.
    pub(crate) outside: Vec<Unaccounted>,
    /// Most loops of an operator, if the file rounds the rows of one loop to whole rows; else 0.
    pub(crate) rounded_loops: f64,
}

/// One statement as its engine wrote it.
pub(crate) struct Statement {
    /// The root operator.
    pub(crate) root: Object,
    /// The statement, if the file has it.
    pub(crate) sql: Option<String>,
    /// What the file says of all of it.
    pub(crate) totals: Totals,
    /// What the engine wrote beside the operators.
    pub(crate) header: Object,
}

impl Explain {
    /// Reads a file: the engine and its queries.
    ///
    /// # Errors
    /// [`ImportError`]: unreadable, damaged (with line and column), or no plan of the engine (with the field).
    pub(crate) fn read(&self, path: &Path, control: &Control) -> Result<Import, ImportError> {
        let failed = |cause| ImportError::Read { path: path.to_owned(), cause };
        let mut file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        if about.is_dir() {
            let problem = format!("a folder; expected a file with {}", self.expected);
            return Err(ImportError::unusable(path, problem));
        }
        control.set_total(about.len());
        self.read_from(&mut file, path, control)
    }

    /// As [`read()`](Self::read), from any reader; `path` is the file's name.
    ///
    /// # Errors
    /// As [`read()`](Self::read).
    pub(crate) fn read_from(&self, file: &mut dyn Read, path: &Path, control: &Control) -> Result<Import, ImportError> {
        let unusable = |problem: String| ImportError::unusable(path, problem);
        let documents = json::documents(file, path, self.expected, control)?;
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut queries = Vec::new();
        let mut unread = Unread::default();
        let mut rounded_loops = 0.0_f64;
        for document in documents {
            for statement in (self.statements)(document).map_err(unusable)? {
                control.check()?;
                rounded_loops = rounded_loops.max(statement.totals.rounded_loops);
                let place = format!("statement {}", queries.len() + 1);
                self.add_unread_times(&statement.root, &place, &mut unread);
                self.add_unread_times(&statement.header, &place, &mut unread);
                queries.push(self.query(statement, &file, queries.len() + 1).map_err(unusable)?);
                json::check_count(queries.len()).map_err(unusable)?;
            }
        }
        if queries.is_empty() {
            return Err(unusable(format!("no plan in it; expected {}", self.expected)));
        }
        let mut import = Import { engine: self.engine.to_owned(), file, queries, ..Import::default() };
        import.set_unread(unread);
        Ok((self.complete)(import, rounded_loops))
    }

    /// Adds the times at and below an object that are not in the table of the engine.
    fn add_unread_times(&self, object: &Object, place: &str, unread: &mut Unread) {
        let mut waiting: VecDeque<(&Object, &str)> = VecDeque::from([(object, place)]);
        while let Some((fields, around)) = waiting.pop_front() {
            let name = NAMES.iter().find_map(|key| fields.get(*key)?.as_str()).map(str::trim);
            let place = name.filter(|name| !name.is_empty()).unwrap_or(around);
            for (key, value) in fields {
                let is_unread = suggests_time(key) && !self.times.contains(&key.as_str());
                match value {
                    Value::Number(number) if is_unread && number.as_f64() != Some(0.0) => {
                        unread.add(UnreadKind::Time, key, place);
                    }
                    // Its parts have names that say nothing of time.
                    Value::Object(_) if is_unread => unread.add(UnreadKind::Time, key, place),
                    Value::Object(inside) => waiting.push_back((inside, key.as_str())),
                    Value::Array(items) => {
                        waiting.extend(items.iter().filter_map(Value::as_object).map(|inside| (inside, key.as_str())));
                    }
                    _ => {}
                }
            }
        }
    }

    /// One statement, with its plan.
    fn query(&self, statement: Statement, file: &str, number: usize) -> Result<Query, String> {
        let Statement { root, sql, mut totals, header: _ } = statement;
        let mut nodes = (self.nodes)(&Outline::new((self.root, &root), self.below, self.listing)?, sql.as_deref())?;
        // The time of the root with all below it is the statement's time.
        let of_root = nodes[0].time.filter(|time| time.scope == Scope::Inclusive).map(|time| time.seconds);
        let duration_seconds = totals.seconds.or(of_root);
        totals.seconds = duration_seconds;
        let (balances, without_operator) = (self.balances)(&nodes, &totals);
        nodes.extend(without_operator);
        let id = number.to_string();
        let description = sql.unwrap_or_else(|| format!("statement {number}"));
        let plan = Plan {
            engine: self.engine.to_owned(),
            file: file.to_owned(),
            query: id.clone(),
            description: description.clone(),
            duration_seconds,
            balances,
            nodes,
            ..Plan::default()
        };
        validate(&plan, "plan").map_err(|invalid| format!("{}: {}", invalid.path, invalid.problem))?;
        Ok(Query { id, description, duration_seconds, plan: plan.into(), ..Query::default() })
    }
}
