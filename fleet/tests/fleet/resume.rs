//! Nothing that was read is read again, and a run that was killed goes on where it stood.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crossover_fleet::ledger::NAME;
use crossover_fleet::tables::rows::Table;
use crossover_fleet::{RunOptions, run};
use crossover_plan::{Control, Folders};
use proptest::prelude::{ProptestConfig, any, proptest};

use super::logs::{App, fleet};
use super::{base, counting, read_all, read_with, rows, tables};

/// Why a run on one thread is refused.
fn refused(paths: &[PathBuf], out: &Path) -> String {
    let base = base();
    let order = RunOptions { store: &Folders, paths, base: &base, out, shard: None, threads: 1 };
    run(&order, &Control::default()).expect_err("nothing to read").to_string()
}

#[test]
fn a_second_run_reads_what_changed_and_nothing_else() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fleet(folder.path());
    let first = read_all(folder.path(), out.path());
    assert_eq!((first.read, first.unchanged, first.tables_written), (12, 0, true));
    drop(first);
    let second = read_all(folder.path(), out.path());
    assert_eq!((second.read, second.unchanged, second.tables_written), (0, 12, false));
    drop(second);

    // Another date of the same bytes changes nothing in the tables.
    let before = tables(out.path());
    let log = folder.path().join("day-1/application_1");
    File::options().append(true).open(&log).unwrap().set_modified(SystemTime::now() + Duration::from_mins(1)).unwrap();
    let touched = read_all(folder.path(), out.path());
    assert_eq!((touched.read, touched.unchanged), (1, 11));
    drop(touched);
    assert!(before == tables(out.path()));

    App { name: "another".to_owned(), ..App::new("application_1") }
        .write(&folder.path().join("day-1"), "application_1");
    fs::remove_file(folder.path().join("day-2/application_2.zstd")).unwrap();
    let changed = read_all(folder.path(), out.path());
    assert_eq!((changed.read, changed.unchanged, changed.tables_written), (1, 10, true));
    drop(changed);
    let fresh = tempfile::tempdir().unwrap();
    read_all(folder.path(), fresh.path());
    assert!(tables(out.path()) == tables(fresh.path()));
}

/// As a full disk, a broken one or an editor leaves them.
#[test]
fn damaged_tables_are_written_again() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("application_1").write(folder.path(), "log");
    drop(read_all(folder.path(), out.path()));
    let whole = tables(out.path());
    for name in ["applications.parquet", "queries.csv", "left_out.json"] {
        let path = out.path().join(name);
        let bytes = fs::read(&path).unwrap();
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 1;
        for damaged in [&flipped[..], &bytes[..bytes.len() - 1], b""] {
            fs::write(&path, damaged).unwrap();
            let again = read_all(folder.path(), out.path());
            assert_eq!((again.read, again.unchanged, again.tables_written), (0, 1, true), "{name}");
            drop(again);
            assert!(whole == tables(out.path()), "{name}");
        }
    }
    assert!(!read_all(folder.path(), out.path()).tables_written);
}

/// As where a server is down, or a share is not mounted.
#[test]
fn results_stay_where_none_of_the_paths_can_be_read_any_more() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let logs = folder.path().join("logs");
    fs::create_dir(&logs).unwrap();
    App::new("application_1").write(&logs, "log");
    drop(read_all(&logs, out.path()));
    let before = tables(out.path());
    fs::rename(&logs, folder.path().join("away")).unwrap();
    let paths = [logs.clone()];
    let problem = refused(&paths, out.path());
    assert!(problem.contains("are kept") && problem.contains("logs"), "{problem}");
    assert!(before == tables(out.path()));
    fs::rename(folder.path().join("away"), &logs).unwrap();
    let again = read_all(&logs, out.path());
    assert_eq!((again.read, again.unchanged, again.tables_written), (0, 1, false));
}

/// As where the wrong folder is named.
#[test]
fn results_stay_where_no_application_is_found_any_more() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let [logs, empty, notes] = ["logs", "empty", "notes"].map(|name| folder.path().join(name));
    for path in [&logs, &empty, &notes] {
        fs::create_dir(path).unwrap();
    }
    App::new("application_1").write(&logs, "log");
    fs::write(notes.join("notes.txt"), "one\n".repeat(500)).unwrap();
    drop(read_all(&logs, out.path()));
    let before = tables(out.path());
    for path in [&empty, &notes] {
        let paths = [path.clone()];
        let problem = refused(&paths, out.path());
        assert!(problem.contains("are kept") && problem.contains(path.to_str().unwrap()), "{problem}");
        assert!(before == tables(out.path()));
        let opened = crossover_fleet::opened::open(out.path()).unwrap();
        assert_eq!((opened.has_ended, opened.outcomes.logs().count()), (true, 1));
    }
    let again = read_all(&logs, out.path());
    assert_eq!((again.read, again.unchanged, again.tables_written), (0, 1, false));
}

#[test]
fn nothing_is_written_where_no_path_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let (paths, out) = ([folder.path().join("logs")], folder.path().join("out"));
    let problem = refused(&paths, &out);
    assert!(problem.contains("nothing is written") && problem.contains("No such file"), "{problem}");
    assert!(!out.exists());
}

/// In a folder below that of the logs, and in the very folder.
#[test]
fn results_among_logs_are_no_logs() {
    for below in ["results", ""] {
        let folder = tempfile::tempdir().unwrap();
        App::new("application_1").write(folder.path(), "log");
        let out = folder.path().join(below);
        drop(read_all(folder.path(), &out));
        let before = tables(&out);
        let again = read_all(folder.path(), &out);
        assert_eq!((again.read, again.unchanged, again.left_out.len()), (0, 1, 0), "{:?}", again.left_out);
        drop(again);
        assert!(before == tables(&out) && rows(&out, Table::LeftOut).is_empty());
    }
}

/// Two folders, of which one is away in the second run.
#[test]
fn what_cannot_be_read_is_kept_with_its_configuration_and_a_note() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let [here, share, away] = ["here", "share", "away"].map(|name| folder.path().join(name));
    for (place, name) in [(&here, "application_1"), (&share, "application_2"), (&share, "application_3")] {
        fs::create_dir_all(place).unwrap();
        App::new(name).write(place, name);
    }
    fs::write(share.join("notes.txt"), "one\n".repeat(500)).unwrap();
    let paths = [here.clone(), share.clone()];
    let configured = |outcomes: &crossover_fleet::Outcomes| {
        let cluster = crossover_fleet::rapids::cluster::GpuCluster::of(&base(), |_| None).unwrap();
        crossover_fleet::rapids::write(out.path(), &crossover_fleet::Overview::new(outcomes), &cluster).unwrap()
    };
    let first = read_with(&paths, out.path(), None, 2);
    let (configuration, before) = (configured(&first), tables(out.path()));
    assert_eq!(configuration.applications, 3);
    drop(first);
    fs::rename(&share, &away).unwrap();
    App { name: "another".to_owned(), ..App::new("application_1") }.write(&here, "application_1");
    let second = read_with(&paths, out.path(), None, 2);
    assert_eq!((second.read, second.kept.len(), configured(&second)), (1, 3, configuration));
    drop(second);
    let notes: Vec<String> = rows(out.path(), Table::Applications)
        .iter()
        .map(|row| row["warnings"].as_str().unwrap_or_default().to_owned())
        .collect();
    let share_name = share.to_str().unwrap();
    let is_said = |note: &String| {
        note.contains(&format!("kept from the previous run: {share_name} could not be read now ("))
            && note.contains("No such file")
    };
    assert_eq!(notes.iter().map(is_said).collect::<Vec<bool>>(), [false, true, true], "{notes:?}");
    let left_out = rows(out.path(), Table::LeftOut);
    let named: Vec<&str> = left_out.iter().map(|row| row["path"].as_str().unwrap()).collect();
    assert_eq!(named, [share_name, share.join("notes.txt").to_str().unwrap()]);
    assert_eq!(crossover_fleet::opened::open(out.path()).unwrap().outcomes.kept.len(), 3);

    fs::rename(&away, &share).unwrap();
    App::new("application_1").write(&here, "application_1");
    let third = read_with(&paths, out.path(), None, 2);
    assert_eq!((third.read, third.unchanged, third.kept.len()), (1, 3, 0));
    drop(third);
    assert!(before == tables(out.path()));
}

/// Half of the logs are gone, and a folder was not named in the last run: only the former are dropped.
#[test]
fn a_ledger_that_is_written_anew_forgets_what_is_gone_and_nothing_else() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let [logs, other] = ["logs", "other"].map(|name| folder.path().join(name));
    fs::create_dir_all(&other).unwrap();
    fleet(&logs);
    App::new("application_99").write(&other, "application_99");
    drop(read_with(&[logs.clone(), other.clone()], out.path(), None, 2));
    fs::remove_dir_all(logs.join("day-1")).unwrap();
    let gone = read_all(&logs, out.path());
    let (there, known) = (gone.logs().count(), gone.ledger.entries().len());
    assert!(there > 0 && known == 13 && gone.gone.len() + there == 12, "{there} of {known}");
    drop(gone);
    let whole = tables(out.path());
    // Long enough to be written anew.
    let path = out.path().join(NAME);
    let text = fs::read(&path).unwrap();
    fs::write(&path, text.repeat(3 * (1 << 16) / text.len() + 3)).unwrap();
    let again = read_all(&logs, out.path());
    assert_eq!((again.read, again.unchanged, again.tables_written), (0, there, false));
    assert_eq!(again.ledger.entries().len(), there + 1);
    drop(again);
    assert!(whole == tables(out.path()));
    let both = read_with(&[logs, other], out.path(), None, 2);
    assert_eq!((both.read, both.unchanged), (0, there + 1), "what was not named is known still");
}

#[test]
fn two_runs_do_not_write_into_one_folder() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("application_1").write(folder.path(), "log");
    let _open = crossover_fleet::ledger::Ledger::open(out.path()).unwrap();
    let paths = [folder.path().to_owned()];
    let busy = refused(&paths, out.path());
    assert!(busy.contains("another process writes here"), "{busy}");
}

#[test]
fn a_ledger_of_which_most_counts_no_more_is_written_anew() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fleet(folder.path());
    drop(read_all(folder.path(), out.path()));
    let (whole, path) = (tables(out.path()), out.path().join(NAME));
    let length = || fs::metadata(&path).unwrap().len();
    // As if it had been read many times; the last lines count.
    let text = counting(&path);
    let once = text.len() as u64;
    let times = usize::try_from(3 * (1 << 16) / once + 3).unwrap();
    fs::write(&path, text.repeat(times)).unwrap();
    let again = read_all(folder.path(), out.path());
    assert_eq!((again.read, again.unchanged, again.tables_written), (0, 12, false));
    drop(again);
    assert_eq!(length(), once);
    assert!(whole == tables(out.path()));
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 14, "tables, ledger and engines, and nothing else");
    // Half of it and less stays as it is.
    fs::write(&path, text.repeat(2)).unwrap();
    drop(read_all(folder.path(), out.path()));
    assert_eq!(length(), 2 * once);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// A kill leaves the beginning of the ledger, and tables or none.
    #[test]
    fn a_ledger_cut_off_anywhere_gives_the_same_tables(cut in any::<proptest::sample::Index>(), without_tables in any::<bool>()) {
        let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fleet(folder.path());
        read_with(&[folder.path().to_owned()], out.path(), None, 2);
        let whole = tables(out.path());
        let ledger = out.path().join(NAME);
        let length = fs::metadata(&ledger).unwrap().len();
        File::options().write(true).open(&ledger).unwrap().set_len(cut.index(usize::try_from(length).unwrap()) as u64).unwrap();
        if without_tables {
            for name in whole.keys() {
                fs::remove_file(out.path().join(name)).unwrap();
            }
        }
        read_all(folder.path(), out.path());
        assert!(whole == tables(out.path()));
        // And what was cut through is no obstacle later.
        let again = read_all(folder.path(), out.path());
        assert_eq!((again.read, again.unchanged), (0, 12));
    }
}

#[test]
fn a_damaged_line_costs_itself_alone() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fleet(folder.path());
    read_all(folder.path(), out.path());
    let (whole, ledger) = (tables(out.path()), out.path().join(NAME));
    let mut bytes = fs::read(&ledger).unwrap();
    let line = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    bytes[line / 2] ^= 1;
    fs::write(&ledger, bytes).unwrap();
    let again = read_all(folder.path(), out.path());
    assert_eq!((again.read, again.unchanged), (1, 11));
    drop(again);
    assert!(whole == tables(out.path()));
}
