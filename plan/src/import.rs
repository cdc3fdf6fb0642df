//! The result of every importer: queries with their plans, and the machines in the file.

use crossover_quantity::unread::Unread;
use crossover_query::Application;
pub use crossover_query::application::{Cluster, Query, Run};

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
    pub warnings: Vec<String>,
    /// Metrics of time and settings of plugins that were not used; the warnings name them too, but for times with a sum.
    pub unread: Unread,
}

impl From<&Application> for Import {
    /// The content of the file of an application that a study keeps: all from which it is decided.
    fn from(kept: &Application) -> Self {
        let Application { engine, file, name, queries, run, cluster, is_truncated, warnings, left_out: _ } =
            kept.clone();
        let application = name;
        Self { engine, file, application, queries, run, cluster, is_truncated, warnings, ..Self::default() }
    }
}

impl Import {
    /// The application, as a study keeps it: without the user and the queue, which decide nothing, and which whoever gets the file would
    /// learn.
    #[must_use]
    pub fn to_application(&self) -> Application {
        // Warnings name the lines and the metrics that were left out.
        let Self {
            engine,
            file,
            application,
            queries,
            run,
            cluster,
            is_truncated,
            warnings,
            skipped_lines: _,
            unread: _,
        } = self.clone();
        let name = application;
        let run = Run { user: String::new(), queue: String::new(), ..run };
        Application { engine, file, name, queries, run, cluster, is_truncated, warnings, left_out: None }
    }

    /// Keeps what was not used, and names it in the warnings.
    pub(crate) fn set_unread(&mut self, unread: Unread) {
        self.warnings.extend(unread.sentences());
        self.unread = unread;
    }
}

#[cfg(test)]
mod tests {
    use crossover_query::Plan;

    use super::*;

    #[test]
    fn copies_of_a_query_share_its_plan() {
        let query = Query { plan: Plan::default().into(), ..Query::default() };
        assert!(query.clone().plan.is_same(&query.plan));
    }

    #[test]
    fn an_application_that_a_study_keeps_names_neither_user_nor_queue() {
        let run = Run { id: "app-1".to_owned(), end_ms: Some(7), ended: true, ..Run::default() };
        let named = Run { user: "alice".to_owned(), queue: "root.sales".to_owned(), ..run.clone() };
        assert_eq!(Import { run: named, ..Import::default() }.to_application().run, run);
    }
}
