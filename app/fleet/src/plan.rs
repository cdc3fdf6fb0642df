//! Opens the plan of a fleet's query, or the answer about an application, read again from its log.

use std::env::current_dir;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

use crossover_fleet::Base;
use crossover_page::services::Services;
use crossover_placement_page::import;

/// A query of a fleet, whose plan is in its log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogQuery {
    /// The folder of results.
    pub folder: PathBuf,
    /// The log's path, as the results have it.
    pub log: PathBuf,
    /// The query's id.
    pub query: String,
    /// The engines that it was measured with.
    pub base: Arc<Base>,
}

/// Reads the query and opens it with the engines that it was measured with, so that it has the fleet's prediction; calls
/// `then` with the document.
pub(super) fn open(
    services: &mut Services<'_>,
    of: LogQuery,
    then: impl FnOnce(&mut Services<'_>, &str) + Send + 'static,
) {
    let LogQuery { folder, log, query, base } = of;
    services.work(
        "query of a fleet",
        move || place(&folder, &log),
        move |services, found| match found {
            Ok(path) => {
                import::read_query(services, path, query, move |import, query| base.scenario_of(import, query), then);
            }
            Err(problem) => services.notify_error(problem),
        },
    );
}

/// Reads the log of an application again, and opens the answer about it.
pub(super) fn open_log(services: &mut Services<'_>, folder: PathBuf, log: PathBuf) {
    services.work(
        "log of a fleet",
        move || place(&folder, &log),
        |services, found| match found {
            Ok(path) => import::read_dropped(services, path),
            Err(problem) => services.notify_error(problem),
        },
    );
}

/// The path of a log. Results have it as it was named, perhaps relative to another folder: often the parent of the results.
fn place(folder: &Path, log: &Path) -> Result<PathBuf, String> {
    if log.is_absolute() || log.exists() {
        return Ok(log.to_owned());
    }
    let folder = absolute(folder).unwrap_or_else(|_| folder.to_owned());
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
