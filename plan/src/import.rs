//! The result of every importer: queries with their plans, and the machines in the file.

use std::collections::BTreeSet;

use crossover_quantity::shared::Shared;
use crossover_quantity::unread::Unread;
use crossover_query::{Plan, SparkSettings};

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Import {
    /// The engine and its version, e.g. "Spark 3.1.1".
    pub engine: String,
    /// Name of the file or folder.
    pub file: String,
    /// Name of the application or session.
    pub application: String,
    /// Queries in the order in which they started.
    pub queries: Vec<Query>,
    /// The run as a whole.
    pub run: Run,
    /// The machines.
    pub cluster: Cluster,
    /// Whether the file ends inside a line or a compressed block.
    pub is_truncated: bool,
    /// Lines that could not be understood and were left out.
    pub skipped_lines: u64,
    /// Warnings about the file: damaged lines and the first of them, a missing end, queries that were left out.
    pub notes: Vec<String>,
    /// Metrics of time and settings of plugins that were not used; the notes name them too.
    pub unread: Unread,
}

impl Import {
    /// Keeps what was not used, and names it in the notes.
    pub(crate) fn set_unread(&mut self, unread: Unread) {
        self.notes.extend(unread.sentences());
        self.unread = unread;
    }

    /// Warnings about the file and these queries of it, each once.
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
    /// The engine's id, e.g. Spark's execution id.
    pub id: String,
    /// In words or in SQL.
    pub description: String,
    /// The query that started it, by its id; `None` if none did, or if unknown.
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
    /// Warnings about it: a missing end, a failure, impossible numbers.
    pub notes: Vec<String>,
    /// Its operators; ids as in the engine's plan. Copies of the query share them.
    pub plan: Shared<Plan>,
}

/// The application of a file as a whole. Unknown values are absent or empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// The application's id, the same in all its attempts.
    pub id: String,
    /// Attempt of the application.
    pub attempt: String,
    /// User who ran it.
    pub user: String,
    /// The queue, pool or namespace in which it ran.
    pub queue: String,
    /// When it began, milliseconds since 1970.
    pub start_ms: Option<u64>,
    /// When it ended, or the latest time in the file if its end is missing.
    pub end_ms: Option<u64>,
    /// Whether its end is in the file.
    pub ended: bool,
    /// Times of jobs that belong to no query, milliseconds since 1970, from and to: sorted and disjoint.
    pub other_jobs_ms: Vec<(u64, u64)>,
}

/// The machines of a file. Unknown values are absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cluster {
    /// Machines that ran tasks.
    pub machines: Option<u64>,
    /// Cores that ran tasks, per machine.
    pub cores_per_machine: Option<u64>,
    /// Executors per machine, where a log of Spark has executors beside the driver.
    pub executors_per_machine: Option<u64>,
    /// GPUs per machine.
    pub gpus_per_machine: Option<u64>,
    /// Name of the GPU or of the machine type, if the file has one.
    pub machine_type: Option<String>,
    /// Settings of Spark on them that a trial of another engine starts from.
    pub settings: SparkSettings,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_query_share_its_plan() {
        let query = Query { plan: Plan::default().into(), ..Query::default() };
        assert!(query.clone().plan.is_same(&query.plan));
    }
}
