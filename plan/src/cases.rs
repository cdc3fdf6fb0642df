//! Runs of queries that were measured: which plan, over which tables, in which scenario, and how long it took on either
//! side.
//!
//! A file of cases is CSV with a header: `case, plan, format, scale, scenario, cpu_seconds, gpu_seconds`, and `query` where
//! a plan's file has several. A time is in seconds, empty, or “plan”: the time of the run in the plan's file. Paths are
//! relative to the file. `scale` is a factor on rows, bytes and times, or a CSV
//! `table,rows` with the sizes of the tables, or a folder with their Parquet files, or empty.

mod reading;
mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crossover_engine::Judged;
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::text::counted;
use crossover_query::{Plan, StoredTables, grow, over_files, scale};

pub use self::reading::{cases, sizes};
use crate::control::Control;
use crate::error::ImportError;
use crate::format::Format;
use crate::import::{Import, Query};
use crate::stored;

/// A column that a file may have.
const QUERY: &str = "query";
/// Least and largest factor.
const FACTORS: std::ops::RangeInclusive<f64> = 1e-9..=1e12;

/// What is wrong with a file of cases or of table sizes, or with a file that one names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {}{problem}", file.display(), field.map(|field| format!("{field}: ")).unwrap_or_default())]
pub struct CaseError {
    /// The file of cases.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// The column.
    pub field: Option<&'static str>,
    /// What is wrong, as it follows the column.
    pub problem: String,
}

/// A run of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name, the same for all runs of one query.
    pub name: String,
    /// The file with the plan.
    pub plan: PathBuf,
    /// Format of that file; `None`: detect it.
    pub format: Option<Format>,
    /// Id of the query in the file; empty: the only one.
    pub query: String,
    /// The tables to plan for.
    pub scale: Scale,
    /// The scenario with hardware and engines.
    pub scenario: PathBuf,
    /// Time on CPUs.
    pub cpu: Time,
    /// Time on GPUs.
    pub gpu: Time,
    /// The file of cases, and the line.
    pub place: (PathBuf, u64),
}

/// A case, its prediction and its measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The case.
    pub case: Case,
    /// Prediction and measurement.
    pub judged: Judged,
    /// What its engines are called, today’s first: “CPU” and “GPU”, or their names.
    pub labels: [String; 2],
}

/// How long a run took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Time {
    /// It was not measured.
    Unknown,
    /// A time in seconds.
    Seconds(f64),
    /// The time in the plan's file, which is of this run.
    OfPlan,
}

/// The tables to plan for.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// All numbers of the plan are multiplied.
    Factor(f64),
    /// Sizes of the tables, from a file, or from their Parquet files in a folder.
    Sizes(PathBuf),
}

impl Scale {
    /// Parses a cell or an option: a factor, or the path of a file with sizes or of a folder with the tables, which `file` resolves.
    ///
    /// # Errors
    /// A factor out of range, or an error of `file`.
    pub fn parse(text: &str, file: impl FnOnce(&str) -> Result<PathBuf, String>) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(factor) if FACTORS.contains(&factor) => Ok(Self::Factor(factor)),
            Ok(factor) => Err(format!("{factor} is out of range; allowed: 1e-9 … 1e12")),
            Err(_) => Ok(Self::Sizes(file(text)?)),
        }
    }

    /// A plan over these tables, and those that are unchanged: see [`crossover_query::Grown`].
    ///
    /// # Errors
    /// The sizes cannot be read, or none of them is of a table of the plan.
    pub fn apply(&self, plan: &Plan) -> Result<(Plan, Vec<String>), String> {
        let path = match self {
            Self::Factor(factor) if *factor == 1.0 => return Ok((plan.clone(), Vec::new())),
            Self::Factor(factor) => return Ok((scale(plan, *factor), Vec::new())),
            Self::Sizes(path) => path,
        };
        let files =
            if path.is_dir() { stored::tables(path).map_err(|error| error.to_string())? } else { StoredTables::new() };
        let sizes = if files.is_empty() {
            sizes(path).map_err(|error| error.to_string())?
        } else {
            let sizes = files.iter().filter(|(_, table)| table.rows >= 1.0);
            sizes.map(|(name, table)| (name.clone(), table.rows)).collect()
        };
        let sources = plan.nodes.iter().filter_map(|node| node.source.as_ref());
        let tables: BTreeSet<&str> = sources.map(|source| source.table.as_str()).collect();
        if tables.is_empty() {
            return Err("the plan names no tables, so sizes of tables cannot be used; give a factor".to_owned());
        }
        if !tables.iter().any(|table| sizes.contains_key(*table)) {
            let tables: Vec<&str> = tables.into_iter().collect();
            return Err(format!("{} has none of the tables of the plan: {}", path.display(), tables.join(", ")));
        }
        let grown = grow(plan, &sizes);
        Ok((over_files(&grown.plan, &files), grown.unchanged))
    }
}

/// A case's query over the tables to plan for.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The file without its queries.
    pub import: Import,
    /// The query; its plan has the numbers for these tables.
    pub query: Query,
    /// Time on CPUs, seconds.
    pub cpu_seconds: Option<f64>,
    /// Time on GPUs, seconds.
    pub gpu_seconds: Option<f64>,
    /// Warnings.
    pub notes: Vec<String>,
}

/// Reads a file of a format.
pub type Importer = fn(Format, &Path, &Control) -> Result<Import, ImportError>;

/// The files of plans that cases name. The last one stays in memory: a log may have the queries of many cases.
#[derive(Debug)]
pub struct Plans {
    importer: Importer,
    last: Option<Read>,
}

/// A file that was read.
#[derive(Debug)]
struct Read {
    path: PathBuf,
    format: Format,
    /// The file without its queries.
    import: Import,
    queries: Vec<Query>,
}

impl Plans {
    /// No file yet; `importer` reads them.
    #[must_use]
    pub fn new(importer: Importer) -> Self {
        Self { importer, last: None }
    }

    fn of(&mut self, path: &Path, format: Option<Format>, control: &Control) -> Result<&Read, ImportError> {
        let format = format.map_or_else(|| Format::of(path), Ok)?;
        let last = self.last.take().filter(|read| read.path == path && read.format == format);
        let read = if let Some(read) = last {
            read
        } else {
            let mut import = (self.importer)(format, path, control)?;
            let queries = std::mem::take(&mut import.queries);
            Read { path: path.to_owned(), format, import, queries }
        };
        Ok(self.last.insert(read))
    }
}

impl Case {
    /// What is wrong with a column of the case.
    #[must_use]
    pub fn error(&self, field: &'static str, problem: impl Into<String>) -> CaseError {
        CaseError { file: self.place.0.clone(), line: self.place.1, field: Some(field), problem: problem.into() }
    }

    /// Reads the case's query and gives it the tables to plan for.
    ///
    /// # Errors
    /// The plan or the sizes cannot be read, the file has several queries and none is named, none of the tables of
    /// the plan has a size, or a time is that of the plan's file, which has none or one of the other side.
    pub fn planned(&self, plans: &mut Plans, control: &Control) -> Result<Planned, CaseError> {
        let failed = |error: ImportError| self.error("plan", error.to_string());
        let Read { import, queries, .. } = plans.of(&self.plan, self.format, control).map_err(failed)?;
        let ids: Vec<String> = queries.iter().map(|query| query.id.clone()).collect();
        let found = match self.query.as_str() {
            "" if queries.len() == 1 => Some(0),
            "" => {
                let queries = counted(ids.len() as f64, "query");
                let problem = format!("{} has {queries}; name one in a column “query”", self.plan.display());
                return Err(self.error("plan", problem));
            }
            wanted => ids.iter().position(|id| id == wanted),
        };
        let Some(found) = found else {
            let problem =
                format!("{} has no query “{}”{}", self.plan.display(), self.query, did_you_mean(&self.query, &ids));
            return Err(self.error(QUERY, problem));
        };
        let mut query = queries[found].clone();
        let cpu_seconds = self.seconds("cpu_seconds", self.cpu, &query)?;
        let gpu_seconds = self.seconds("gpu_seconds", self.gpu, &query)?;
        let (plan, unchanged) = self.scale.apply(&query.plan).map_err(|problem| self.error("scale", problem))?;
        query.plan = plan.into();
        let note = || {
            format!(
                "{}: tables that keep their size, because none was given or the query reads only some of their partitions: {}",
                self.name,
                unchanged.join(", ")
            )
        };
        let notes = if unchanged.is_empty() { Vec::new() } else { vec![note()] };
        Ok(Planned { import: import.clone(), query, cpu_seconds, gpu_seconds, notes })
    }

    /// A time of the case; of its query, if it is that of the plan's file.
    fn seconds(&self, column: &'static str, time: Time, query: &Query) -> Result<Option<f64>, CaseError> {
        let of_plan = match time {
            Time::Unknown => return Ok(None),
            Time::Seconds(seconds) => return Ok(Some(seconds)),
            Time::OfPlan => query.duration_seconds.filter(|seconds| *seconds > 0.0),
        };
        let wrong = |problem: &str| Err(self.error(column, problem));
        if self.scale != Scale::Factor(1.0) {
            return wrong("the plan's time is for its own tables; leave scale empty, or write the seconds");
        }
        if query.failure.is_some() {
            return wrong("the query failed, so it has no time");
        }
        let on_gpu = query.plan.nodes.iter().any(|node| node.ran_on_gpu);
        match of_plan {
            None => wrong("the plan has no time; write the seconds"),
            Some(_) if on_gpu && column == "cpu_seconds" => {
                wrong("the plan ran on GPUs; write its time to gpu_seconds")
            }
            Some(_) if !on_gpu && column == "gpu_seconds" => {
                wrong("the plan ran on CPUs; write its time to cpu_seconds")
            }
            seconds => Ok(seconds),
        }
    }
}
