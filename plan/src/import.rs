//! What every importer gives, and how it is watched.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossover_model::plan::Plan;

use crate::error::ImportError;
use crate::{duckdb, postgres, spark, sql};

/// Everything that a file tells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Import {
    /// The engine and its version, e.g. "Spark 3.1.1".
    pub engine: String,
    /// Name of the file or folder.
    pub file: String,
    /// What the application or session calls itself.
    pub application: String,
    /// Queries in the order in which they started.
    pub queries: Vec<Query>,
    /// What the file says about the machines.
    pub cluster: Cluster,
    /// Lines that could not be understood and were left out.
    pub skipped_lines: u64,
    /// What a careful reader should know: damaged lines and the first of them, a missing end, failed queries.
    pub notes: Vec<String>,
}

/// One query of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// What the engine calls it, e.g. Spark's execution id.
    pub id: String,
    /// In words or in SQL.
    pub description: String,
    /// From start to end, seconds; `None` if the end is not in the file.
    pub duration_seconds: Option<f64>,
    /// Number of stages that ran.
    pub stages: usize,
    /// Why it failed, if it did.
    pub failure: Option<String>,
    /// Bytes on the wire ÷ bytes before compression, over all shuffles; `None` if nothing was shuffled.
    pub compression_ratio: Option<f64>,
    /// Its operators; ids as in the engine's plan.
    pub plan: Plan,
}

/// What a file says about the machines. Whatever it does not say is absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cluster {
    /// Machines that ran tasks.
    pub machines: Option<u64>,
    /// Cores that ran tasks, per machine.
    pub cores_per_machine: Option<u64>,
    /// GPUs per machine.
    pub gpus_per_machine: Option<u64>,
    /// Name of the GPU or of the machine type, if the file has one.
    pub machine_type: Option<String>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A Spark event log: a file, or a folder of rolling files.
    SparkLog,
    /// JSON of DuckDB's `EXPLAIN (ANALYZE, FORMAT json)` or of its profiler.
    DuckDb,
    /// JSON of PostgreSQL's `EXPLAIN (FORMAT JSON)`.
    Postgres,
    /// SQL statements with the sizes of their tables.
    Sql,
}

impl Format {
    /// All formats, in the order of menus.
    pub const ALL: [Self; 4] = [Self::SparkLog, Self::DuckDb, Self::Postgres, Self::Sql];

    /// What it is called in a menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::SparkLog => "Spark event log",
            Self::DuckDb => "DuckDB plan (JSON)",
            Self::Postgres => "PostgreSQL plan (JSON)",
            Self::Sql => "SQL with table sizes",
        }
    }

    /// Reads a file of this format.
    ///
    /// # Errors
    /// [`ImportError`]: the file cannot be read, is not of this format or is damaged, or the user cancelled.
    pub fn read(self, path: &Path, control: &Control) -> Result<Import, ImportError> {
        match self {
            Self::SparkLog => spark::read(path, control),
            Self::DuckDb => duckdb::read(path, control),
            Self::Postgres => postgres::read(path, control),
            Self::Sql => sql::read(path, control),
        }
    }
}

/// Progress of an import, and the wish to end it. Shared between the thread that imports and the one that watches.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Control {
    /// Asks the import to end soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// An error if the user asked for the end.
    ///
    /// # Errors
    /// [`ImportError::Cancelled`].
    pub fn check(&self) -> Result<(), ImportError> {
        if self.cancelled.load(Ordering::Relaxed) { Err(ImportError::Cancelled) } else { Ok(()) }
    }

    /// Bytes of the file read so far, and in all (0 while unknown).
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Says how many bytes there are in all.
    pub fn set_total(&self, bytes: u64) {
        self.total.store(bytes, Ordering::Relaxed);
    }

    /// Says that so many more bytes of the file were read.
    pub fn add(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }
}
