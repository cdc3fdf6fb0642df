//! Results that are read again from their folder.

use std::fs;

use crossover_fleet::listed::rows;
use crossover_fleet::opened::{has_results, open};

use super::logs::App;
use super::read_all;

#[test]
fn opened_results_are_those_of_the_run() {
    let (folder, out) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    for name in ["application_1", "application_2"] {
        App::new(name).write(folder.path(), name);
    }
    assert!(!has_results(out.path()));
    assert!(open(out.path()).is_err());
    let outcomes = read_all(folder.path(), out.path());
    let expected = rows(&outcomes);
    drop(outcomes);
    let opened = open(out.path()).expect("results");
    assert_eq!((rows(&opened.outcomes), opened.has_ended, opened.shard), (expected, true, (1, 1)));
    assert!(!opened.is_damaged);
    assert!(has_results(out.path()));
    // A file of theirs names them as well.
    let beside = open(&out.path().join("applications.csv")).expect("results");
    assert_eq!(beside.folder, out.path());

    // A log that is gone is in the ledger still, and counts no more.
    fs::remove_file(folder.path().join("application_1")).expect("removed");
    drop(read_all(folder.path(), out.path()));
    let ids: Vec<String> = rows(&open(out.path()).expect("results").outcomes).into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ["application_2"]);
}
