//! Damaged results: what is left of a ledger is right, and the next run makes the same tables as ever.

use std::collections::BTreeSet;
use std::fs;

use crossover_fleet::listed::rows;
use crossover_fleet::opened::open;

use super::logs::App;
use super::{read_all, tables};

const NAMES: [&str; 3] = ["application_1", "application_2", "application_3"];

/// Damages of a file, by a number: one bit, the end, bytes between others, zeros from a place on.
fn damaged(whole: &[u8], number: usize) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    // A prime, so that all parts of the file come.
    let at = (number * 7_919 + 13) % whole.len();
    match number % 4 {
        0 => bytes[at] ^= 1 << (number / 4 % 8),
        1 => bytes.truncate(at),
        2 => drop(bytes.splice(at..at, *b"\0\xff\"}\n{\"check\":\"")),
        _ => bytes[at..].fill(0),
    }
    bytes
}

#[test]
fn a_damaged_ledger_loses_only_what_is_read_again() {
    let (folder, out) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    for name in NAMES {
        App::new(name).write(folder.path(), name);
    }
    let outcomes = read_all(folder.path(), out.path());
    let all = rows(&outcomes);
    drop(outcomes);
    let before = tables(out.path());
    let ledger = out.path().join("ledger.jsonl");
    let whole = fs::read(&ledger).expect("a ledger");
    let mut lost = BTreeSet::new();
    for number in 0..32 {
        fs::write(&ledger, damaged(&whole, number)).expect("damaged");
        // What can be read of it is as it was; nothing is made up.
        let opened = open(out.path());
        let left = opened.as_ref().map_or_else(|_| Vec::new(), |opened| rows(&opened.outcomes));
        if let Ok(opened) = &opened {
            let is_said = opened.is_damaged || !opened.has_ended;
            assert!(left.len() == all.len() || is_said, "damage {number} takes results away without a word");
        }
        for row in &left {
            assert!(all.contains(row), "damage {number}: {row:?}");
        }
        lost.insert(all.len() - left.len());
        drop(opened);
        drop(read_all(folder.path(), out.path()));
        assert!(tables(out.path()) == before, "after damage {number}");
    }
    assert!(lost.len() > 1, "some damage costs nothing that counts, other damage does: {lost:?}");
}

#[test]
fn results_are_opened_whatever_their_tables_hold() {
    let (folder, out) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    for name in NAMES {
        App::new(name).write(folder.path(), name);
    }
    let outcomes = read_all(folder.path(), out.path());
    let all = rows(&outcomes);
    drop(outcomes);
    let mut tables = 0;
    for entry in fs::read_dir(out.path()).expect("results") {
        let path = entry.expect("a file").path();
        let Ok(whole) = fs::read(&path) else { continue };
        if path.extension().is_none_or(|extension| extension != "parquet" && extension != "csv") || whole.is_empty() {
            continue;
        }
        for number in 0..4 {
            fs::write(&path, damaged(&whole, number)).expect("damaged");
            let opened = open(&path).expect("the ledger is whole");
            assert_eq!(rows(&opened.outcomes), all, "{}", path.display());
        }
        tables += 1;
    }
    assert!(tables > 1, "tables were damaged");
}
