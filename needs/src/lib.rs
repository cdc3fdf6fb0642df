//! What tests need: data that is not part of the repository and a GPU adapter, which not every machine has, reports of
//! made-up measurements, [pseudo-random numbers](Random), a [server](http_server), and a way to [wait](wait_until) for
//! other threads and processes.
//!
//! A test asks for data or an adapter first and ends where it is absent:
//! `let Some(logs) = test_data("eventlogs") else { return };`. Such a test has shown nothing, so it is reported as not run:
//! on standard error, and in the file that [`TESTS_NOT_RUN`] names, from which `cargo xtask test` counts. Under `CI=true`
//! a test fails that lacks what a build server is expected to have.

mod certificate;
mod random;
mod reports;
mod scenario;
mod server;
mod waiting;

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, thread};

pub use certificate::certificate;
pub use random::Random;
pub use reports::{network_report, sharing_report};
pub use scenario::study_in;
pub use server::http_server;
pub use waiting::{TEST_PATIENCE, deadline, wait_for, wait_until, wait_until_ok};

/// Environment variable: a file that lists every test that did not run, a line each: reason, tab, test.
pub const TESTS_NOT_RUN: &str = "CROSSOVER_TESTS_NOT_RUN";

/// Environment variable: the folder of test data, where it is not `shared/data` beside the repository.
pub const TEST_DATA: &str = "CROSSOVER_TEST_DATA";

/// A file or folder of the test data. A machine may lack all of it, but not a part.
///
/// # Panics
/// Under `CI=true`, if there is test data, but without this part.
#[must_use]
pub fn test_data(path: &str) -> Option<PathBuf> {
    let usual = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data"));
    let found = find_data(path, env::var_os(TEST_DATA), usual);
    found.map_err(Absent::report).ok()
}

/// Returns a GPU adapter or what uses it, or reports that there is none. A software adapter counts.
///
/// # Panics
/// Under `CI=true`, if there is none: `cargo xtask test` installs one.
#[must_use]
pub fn gpu_adapter<T>(found: Option<T>) -> Option<T> {
    let absent =
        Absent { reason: "no GPU adapter; a software one is enough: mesa-vulkan-drivers".into(), expected: true };
    found.ok_or(absent).map_err(Absent::report).ok()
}

/// Reports that the calling test does not run, for a reason that is not the machine's.
pub fn not_run(reason: &str) {
    Absent { reason: reason.into(), expected: false }.report();
}

/// Missing data, or a missing adapter.
#[derive(Debug, PartialEq)]
struct Absent {
    reason: String,
    /// Whether a build server should have it.
    expected: bool,
}

impl Absent {
    fn report(self) {
        self.report_to(env::var_os(TESTS_NOT_RUN).as_deref().map(Path::new), on_build_server());
    }

    fn report_to(self, list: Option<&Path>, on_build_server: bool) {
        let Self { reason, expected } = self;
        assert!(!(expected && on_build_server), "{reason} (CI=true: it should be there)");
        eprintln!("not run: {reason}");
        let Some(list) = list else { return };
        let program = env::current_exe().unwrap_or_default();
        let program = program.file_stem().unwrap_or_default().to_string_lossy();
        // The test harness names its threads like its tests.
        let thread = thread::current();
        let line = format!("{reason}\t{program} {}\n", thread.name().unwrap_or("a test"));
        // In one call, because tests of several processes add to the same file.
        let opened = OpenOptions::new().create(true).append(true).open(list);
        let written = opened.and_then(|mut list| list.write_all(line.as_bytes()));
        written.unwrap_or_else(|error| panic!("cannot write {}: {error}", list.display()));
    }
}

fn find_data(path: &str, named: Option<OsString>, usual: &Path) -> Result<PathBuf, Absent> {
    let is_named = named.is_some();
    let folder = named.map_or_else(|| usual.to_path_buf(), PathBuf::from);
    let found = folder.join(path);
    if found.exists() {
        return Ok(found);
    }
    let part = path.split('/').next().unwrap_or(path);
    Err(if is_named || folder.exists() {
        Absent { reason: format!("test data without {path}"), expected: true }
    } else {
        Absent { reason: format!("no test data ({part}); set {TEST_DATA} to its folder"), expected: false }
    })
}

/// Whether this is a build server's run: `CI=true`, as all common build servers set it.
#[must_use]
pub fn on_build_server() -> bool {
    env::var_os("CI").is_some_and(|value| value == "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_found_where_the_variable_says_and_else_beside_the_repository() {
        let (named, usual) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for folder in [&named, &usual] {
            std::fs::create_dir_all(folder.path().join("eventlogs/expected")).unwrap();
        }
        let find = |named: Option<&Path>| find_data("eventlogs/expected", named.map(OsString::from), usual.path());
        assert_eq!(find(Some(named.path())), Ok(named.path().join("eventlogs/expected")));
        assert_eq!(find(None), Ok(usual.path().join("eventlogs/expected")));
    }

    #[test]
    fn data_is_expected_where_a_part_of_it_or_a_word_about_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("nowhere");
        let expected = |named: Option<&Path>, usual: &Path| {
            find_data("eventlogs/log", named.map(OsString::from), usual).unwrap_err().expected
        };
        assert!(!expected(None, &nowhere), "no data at all");
        assert!(expected(None, folder.path()), "data without this part");
        assert!(expected(Some(&nowhere), &nowhere), "data that was promised");
    }

    #[test]
    fn what_is_expected_fails_on_a_build_server_and_all_else_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("not-run.txt");
        let fails = |expected, on_build_server| {
            let absent = Absent { reason: "not there".into(), expected };
            std::panic::catch_unwind(|| absent.report_to(Some(&list), on_build_server)).is_err()
        };
        assert!(fails(true, true));
        assert!(!list.exists(), "a test that fails has run");
        assert!(!fails(false, true) && !fails(true, false) && !fails(false, false));
        let listed = std::fs::read_to_string(&list).unwrap();
        assert_eq!(listed.lines().count(), 3, "{listed}");
        for line in listed.lines() {
            let (reason, test) = line.split_once('\t').unwrap();
            let name = "tests::what_is_expected_fails_on_a_build_server_and_all_else_is_told";
            assert!(reason == "not there" && test.starts_with("crossover_needs-") && test.ends_with(name), "{line}");
        }
    }
}
