//! Folders of other files, links, damaged logs, places that fail: named, bounded, and no cost to anything else.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crossover_fleet::tables::rows::Table;
use crossover_fleet::{Base, FleetError, RunOptions, find, run};
use crossover_plan::store::Entry;
use crossover_plan::{Control, Folders, Store};

use super::logs::{App, fleet};
use super::{base, read_all, rows, tables};

/// Why a path is left out.
fn why(out: &Path, name: &str) -> String {
    let rows = rows(out, Table::LeftOut);
    let row = rows.iter().find(|row| row["path"].as_str().expect("as the test made it").ends_with(name));
    row.unwrap_or_else(|| panic!("{name} in {rows:?}"))["reason"].as_str().expect("as the test made it").to_owned()
}

#[test]
fn other_files_are_left_out_with_a_reason() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("application_1").write(folder.path(), "application_1");
    fs::write(folder.path().join("notes.txt"), "one\n".repeat(500)).unwrap();
    fs::write(folder.path().join("empty"), "").unwrap();
    fs::write(folder.path().join(".application_1.crc"), "crc").unwrap();
    fs::write(folder.path().join("picture.png"), b"\x89PNG\r\n\x1a\n\0\0\0").unwrap();
    let packed = zstd::encode_all(App::new("application_3").log().as_bytes(), 1).unwrap();
    fs::write(folder.path().join("half.zstd"), &packed[..60]).unwrap();
    fs::create_dir(folder.path().join("eventlog_v2_app-2")).unwrap();
    for part in ["events_1_app-2", "events_3_app-2"] {
        fs::write(folder.path().join("eventlog_v2_app-2").join(part), App::new("app-2").log()).unwrap();
    }
    read_all(folder.path(), out.path());
    assert_eq!(rows(out.path(), Table::Applications).len(), 1);
    for (name, expected) in [
        ("notes.txt", "none of the first 100 lines is an event"),
        ("empty", "an empty file"),
        (".application_1.crc", "hidden file"),
        ("picture.png", "the file has no Spark event"),
        ("half.zstd", "the compressed file ends before its first event"),
        ("eventlog_v2_app-2", "events_2_… is missing"),
    ] {
        let why = why(out.path(), name);
        assert!(why.contains(expected), "{name}: {why}");
    }
}

#[test]
fn rolling_logs_and_those_of_databricks_are_one_application_each() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let rolling = folder.path().join("eventlog_v2_app-1");
    let databricks = folder.path().join("0123-456/driver");
    fs::create_dir(&rolling).unwrap();
    fs::create_dir_all(&databricks).unwrap();
    let log = App::new("app-1").log();
    let middle = log[..log.len() / 2].rfind('\n').unwrap() + 1;
    fs::write(rolling.join("events_1_app-1"), &log[..middle]).unwrap();
    fs::write(rolling.join("events_2_app-1"), &log[middle..]).unwrap();
    fs::write(rolling.join("appstatus_app-1.inprogress"), "").unwrap();
    let log = App::new("app-2").log();
    fs::write(databricks.join("eventlog-2026-01-01--10-00"), &log[..middle]).unwrap();
    fs::write(databricks.join("eventlog"), &log[middle..]).unwrap();
    read_all(folder.path(), out.path());
    let applications = rows(out.path(), Table::Applications);
    let ids: Vec<&str> = applications.iter().map(|row| row["application_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["app-1", "app-2"]);
    assert!(applications.iter().all(|row| row["queries"] == 2), "{applications:?}");
}

#[cfg(unix)]
#[test]
fn links_neither_lead_out_nor_round_in_circles() {
    use std::os::unix::fs::symlink;

    let (folder, elsewhere, out) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("application_1").write(folder.path(), "application_1");
    App::new("application_2").write(elsewhere.path(), "application_2");
    symlink(elsewhere.path(), folder.path().join("out")).unwrap();
    symlink(elsewhere.path().join("application_2"), folder.path().join("secret")).unwrap();
    symlink(folder.path(), folder.path().join("round")).unwrap();
    symlink(folder.path().join("application_1"), folder.path().join("twice")).unwrap();
    symlink("nowhere", folder.path().join("broken")).unwrap();
    read_all(folder.path(), out.path());
    assert_eq!(rows(out.path(), Table::Applications).len(), 1);
    for name in ["out", "secret"] {
        let why = why(out.path(), &format!("/{name}"));
        assert!(why.contains("a link out of the folder") && why.contains("name that path"), "{why}");
    }
    assert!(why(out.path(), "/broken").contains("a broken link"));
}

#[cfg(unix)]
#[test]
fn names_of_any_bytes_stay_apart() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (id, name) in [("a", &b"log\xff"[..]), ("b", b"log\xfe"), ("c", b"log\x1b[2J\n"), ("d", b"=log")] {
        fs::write(folder.path().join(OsStr::from_bytes(name)), App::new(id).log()).unwrap();
    }
    read_all(folder.path(), out.path());
    assert_eq!(rows(out.path(), Table::Applications).len(), 4);
    let csv = fs::read_to_string(out.path().join("applications.csv")).unwrap();
    assert!(csv.contains("log\\xFF") && csv.contains("log\\xFE") && !csv.contains('\u{1b}'), "{csv}");
}

/// Each folder has one file under a thousand names, so that the entries need no more than a hundred files' room.
#[test]
fn a_hundred_thousand_entries_are_walked() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..100 {
        let sub = folder.path().join(number.to_string());
        fs::create_dir(&sub).unwrap();
        let first = sub.join("0");
        fs::write(&first, "x").unwrap();
        for name in 1..1000 {
            fs::hard_link(&first, sub.join(name.to_string())).unwrap();
        }
    }
    let found = find::find(&Folders, &[folder.path().to_owned()], Path::new("/no/such/folder"));
    assert_eq!((found.logs.len(), found.left_out.len()), (100_000, 0));
}

/// The folders of this machine, where one file cannot be read to its end and another one makes the reader fail.
struct Failing;

impl Store for Failing {
    fn entry(&self, path: &Path) -> io::Result<Entry> {
        Folders.entry(path)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        Folders.real(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        Folders.list(folder)
    }

    fn open(&self, file: &Path) -> io::Result<Box<dyn Read + Send>> {
        assert!(!file.ends_with("application_1"), "a defect of the reader");
        let whole = Folders.open(file)?;
        Ok(if file.ends_with("application_5") { Box::new(whole.take(900).chain(Broken)) } else { whole })
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::from_raw_os_error(110))
    }
}

#[test]
fn one_log_that_cannot_be_read_costs_nothing_else_and_is_tried_again() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fleet(folder.path());
    let (base, paths) = (base(), [folder.path().to_owned()]);
    let order = RunOptions { store: &Failing, paths: &paths, base: &base, out: out.path(), shard: None, threads: 2 };
    let outcomes = run(&order, &Control::default()).unwrap();
    assert_eq!((outcomes.read, outcomes.left_out.len()), (10, 2));
    drop(outcomes);
    assert!(why(out.path(), "application_1").contains("Crossover failed to read it"));
    assert!(why(out.path(), "application_5").contains("cannot be read"));
    let again = read_all(folder.path(), out.path());
    assert_eq!((again.read, again.unchanged), (2, 10));
    drop(again);
    let fresh = tempfile::tempdir().unwrap();
    read_all(folder.path(), fresh.path());
    assert!(tables(out.path()) == tables(fresh.path()));
}

#[test]
fn a_log_that_has_changed_and_cannot_be_read_counts_as_before() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fleet(folder.path());
    drop(read_all(folder.path(), out.path()));
    for log in ["day-1/application_1", "day-2/application_5"].map(|log| folder.path().join(log)) {
        let text = fs::read_to_string(&log).unwrap();
        fs::write(&log, text.replace("job ", "changed job ")).unwrap();
    }
    let (base, paths) = (base(), [folder.path().to_owned()]);
    let order = RunOptions { store: &Failing, paths: &paths, base: &base, out: out.path(), shard: None, threads: 2 };
    let outcomes = run(&order, &Control::default()).unwrap();
    assert_eq!((outcomes.read, outcomes.unchanged, outcomes.kept.len(), outcomes.left_out.len()), (0, 10, 2, 0));
    drop(outcomes);
    let applications = rows(out.path(), Table::Applications);
    let kept = |row: &&serde_json::Value| {
        row["warnings"].as_str().is_some_and(|note| note.contains("kept from the previous run"))
    };
    assert_eq!((applications.len(), applications.iter().filter(kept).count()), (12, 2));
    let again = read_all(folder.path(), out.path());
    assert_eq!((again.read, again.kept.len()), (2, 0));
}

/// The folders of this machine, where the sixth file that is opened calls the run off.
struct CallingOff<'a> {
    control: &'a Control,
    opened: AtomicUsize,
}

impl Store for CallingOff<'_> {
    fn entry(&self, path: &Path) -> io::Result<Entry> {
        Folders.entry(path)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        Folders.real(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        Folders.list(folder)
    }

    fn open(&self, file: &Path) -> io::Result<Box<dyn Read + Send>> {
        if self.opened.fetch_add(1, Ordering::Relaxed) == 5 {
            self.control.cancel();
        }
        Folders.open(file)
    }
}

#[test]
fn a_cancelled_run_keeps_what_was_read_and_says_so() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fleet(folder.path());
    let (base, paths, control) = (base(), [folder.path().to_owned()], Control::default());
    let store = CallingOff { control: &control, opened: AtomicUsize::new(0) };
    let order = RunOptions { store: &store, paths: &paths, base: &base, out: out.path(), shard: None, threads: 1 };
    let cancelled = run(&order, &control).unwrap_err();
    assert!(matches!(cancelled, FleetError::Cancelled), "{cancelled}");
    let after = read_all(folder.path(), out.path());
    assert_eq!(after.logs().count(), 12);
    assert!(after.unchanged > 0 && after.read > 0, "{} were kept, {} read", after.unchanged, after.read);
}

/// A process that dies while it writes tables leaves tables of two runs; the next run repairs that, whatever it reads.
#[test]
fn a_run_that_ends_among_its_tables_leaves_no_mixture() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fleet(folder.path());
    read_all(folder.path(), out.path());
    let before = tables(out.path());
    let scenario = crossover_scenario::read(include_str!("../../../scenarios/placement-truth-aws-l4.ron")).unwrap();
    let other = Base::new(&scenario.with("engines.gpu.machines=2").unwrap()).unwrap();
    let paths = [folder.path().to_owned()];
    let order = RunOptions { store: &Folders, paths: &paths, base: &other, out: out.path(), shard: None, threads: 2 };
    drop(run(&order, &Control::default()).unwrap());
    assert!(tables(out.path()) != before);
    // As if it had been killed before its last line.
    let path = out.path().join("ledger.jsonl");
    let ledger = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = ledger.split_inclusive('\n').collect();
    fs::write(&path, lines[..lines.len() - 1].concat()).unwrap();
    fs::write(out.path().join("queries.csv"), &before["queries.csv"]).unwrap();
    read_all(folder.path(), out.path());
    assert!(tables(out.path()) == before);
    assert_eq!(Base::of_results(out.path(), &base().digest).map(|base| base.digest), Some(base().digest));
}

#[cfg(target_os = "linux")]
#[test]
fn a_ledger_that_is_no_file_is_refused_at_once() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("application_1").write(folder.path(), "application_1");
    std::os::unix::fs::symlink("/dev/full", out.path().join("ledger.jsonl")).unwrap();
    let (base, paths) = (base(), [folder.path().to_owned()]);
    let order = RunOptions { store: &Folders, paths: &paths, base: &base, out: out.path(), shard: None, threads: 2 };
    let refused = run(&order, &Control::default()).unwrap_err().to_string();
    assert!(refused.contains("neither a file"), "{refused}");
}
