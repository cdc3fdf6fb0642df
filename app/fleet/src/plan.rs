//! Opens the answer about an application of a fleet or about one of its queries, or the query's plan, read again from its log.

use std::env::current_dir;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_fleet::Base;
use crossover_page::services::Services;
use crossover_page::storage::on_disk::absolute;
use crossover_placement::EnteredInputs;
use crossover_placement_page::import::{OpenedOfLog, read_of_fleet};
use crossover_plan::{Import, Query};

/// An application of a fleet, whose log is read again.
#[derive(Debug, Clone, PartialEq)]
pub struct LogApplication {
    /// The folder of results.
    pub folder: PathBuf,
    /// The log's path, as the results have it.
    pub log: PathBuf,
    /// The engines that it was measured with.
    pub base: Arc<Base>,
    /// What the user entered about the fleet.
    pub inputs: EnteredInputs,
}

/// A query of a fleet, whose plan is in its log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogQuery {
    /// The application.
    pub of: LogApplication,
    /// The query's id.
    pub query: String,
}

/// Reads the log and opens a part of it with the engines that it was measured with and with what the user entered, so that it has the
/// fleet's prediction; calls `then` with the document.
pub(super) fn open(
    services: &mut Services<'_>,
    application: LogApplication,
    opened: OpenedOfLog,
    then: impl FnOnce(&mut Services<'_>, &str) + Send + 'static,
) {
    let LogApplication { folder, log, base, inputs } = application;
    services.work(
        "log of a fleet",
        move || place(&folder, &log),
        move |services, found| match found {
            Ok(path) => {
                let make = move |import: &Import, query: &Query| base.scenario_of(import, query);
                read_of_fleet(services, path, (opened, inputs), make, then);
            }
            Err(problem) => services.notify_error(problem),
        },
    );
}

/// The path of a log. Results have it as it was named, perhaps relative to another folder: often the parent of the results.
fn place(folder: &Path, log: &Path) -> Result<PathBuf, String> {
    if log.is_absolute() || log.exists() {
        return Ok(log.to_owned());
    }
    let folder = absolute(folder);
    let around = folder.parent().unwrap_or(&folder);
    let beside = around.join(log);
    if beside.exists() {
        return Ok(beside);
    }
    let here = current_dir()
        .map_or_else(|_| String::new(), |here| format!(" in {}, where Crossover was started, or", here.display()));
    Err(format!(
        "{log}: no such log{here} in {around}. The path is relative to the folder where the logs were read. Start Crossover in the \
         folder in which they were read, or read them again with absolute paths.",
        log = log.display(),
        around = around.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_was_named_from_another_folder_is_looked_for_beside_the_results() {
        let around = tempfile::tempdir().expect("a folder");
        let results = around.path().join("results");
        let log = Path::new("spark-logs-of-a-test/application_7");
        let problem = place(&results, log).expect_err("it is nowhere");
        assert!(problem.starts_with("spark-logs-of-a-test/application_7: no such log"), "{problem}");
        assert!(problem.contains("Start Crossover in the folder"), "{problem}");
        let there = around.path().join(log);
        std::fs::create_dir_all(&there).expect("a folder");
        assert_eq!(place(&results, log), Ok(there));
        // A whole path is what it is.
        let gone = around.path().join("gone");
        assert_eq!(place(&results, &gone), Ok(gone.clone()));
    }
}
