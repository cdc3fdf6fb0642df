//! What every importer gives: queries with their plans, and what a file says of the machines.

use std::collections::BTreeSet;

use crossover_query::Plan;

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
    /// What the file says of the run as a whole.
    pub run: Run,
    /// What the file says about the machines.
    pub cluster: Cluster,
    /// Lines that could not be understood and were left out.
    pub skipped_lines: u64,
    /// What a careful reader should know of the file: damaged lines and the first of them, a missing end, queries that
    /// were left out.
    pub notes: Vec<String>,
}

impl Import {
    /// What a careful reader should know of the file and of these queries of it, each sentence once.
    #[must_use]
    pub fn notes_with<'a>(&'a self, queries: impl IntoIterator<Item = &'a Query>) -> Vec<&'a str> {
        let mut seen = BTreeSet::new();
        let notes = self.notes.iter().chain(queries.into_iter().flat_map(|query| &query.notes));
        notes.map(String::as_str).filter(|note| seen.insert(*note)).collect()
    }
}

/// One query of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// What the engine calls it, e.g. Spark's execution id.
    pub id: String,
    /// In words or in SQL.
    pub description: String,
    /// The query that started it, by its id; `None` if no other did, or if the file does not tell.
    pub within: Option<String>,
    /// When it started, milliseconds since 1970.
    pub start_ms: Option<u64>,
    /// From start to end, seconds; `None` if the end is not in the file.
    pub duration_seconds: Option<f64>,
    /// Number of stages that ran.
    pub stages: usize,
    /// Why it failed, if it did.
    pub failure: Option<String>,
    /// Bytes on the wire ÷ bytes before compression, over all shuffles; `None` if nothing was shuffled.
    pub compression_ratio: Option<f64>,
    /// What a careful reader should know of it: a missing end, a failure, numbers that cannot be.
    pub notes: Vec<String>,
    /// Its operators; ids as in the engine's plan.
    pub plan: Plan,
}

/// What a file says of an application as a whole. Whatever it does not say is absent or empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// The application's id, the same in all its attempts.
    pub id: String,
    /// Which attempt of the application it is.
    pub attempt: String,
    /// Who ran it.
    pub user: String,
    /// The queue, pool or namespace in which it ran.
    pub queue: String,
    /// When it began, milliseconds since 1970.
    pub start_ms: Option<u64>,
    /// When it ended; of one whose end is not in the file the latest time that is.
    pub end_ms: Option<u64>,
    /// Whether its end is in the file.
    pub ended: bool,
    /// When jobs ran that belong to no query, milliseconds since 1970, from and to: in order, none touches another.
    pub other_jobs_ms: Vec<(u64, u64)>,
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
