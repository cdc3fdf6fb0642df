//! What all applications come to, of results whose numbers the test makes.

use std::path::Path;

use crossover_fleet::Overview;
use crossover_fleet::application::{Application, Range, Summary, Verdict};
use crossover_fleet::found::Stamp;
use crossover_fleet::ledger::{Head, Ledger, LogRecord, Outcome, Record};
use crossover_fleet::opened::open;
use crossover_fleet::overview::TopApplications;
use crossover_fleet::tables::rows::id_of;

/// Adds an application to results: its time on GPUs of 100 s today, and dollars today and there.
fn add(out: &Path, (log, id): (&str, &str), gpu: Option<f64>, usd: Option<[f64; 2]>, verdict: Verdict) {
    let summary = Summary {
        id: id.to_owned(),
        start_ms: Some(1_000 * id.len() as u64),
        end_ms: Some(1_000 * id.len() as u64 + 100_000),
        seconds: Some(100.0),
        option_time: gpu.map(|gpu| Range { value: gpu, low: gpu / 2.0, high: gpu * 2.0 }),
        today_usd: usd.map(|usd| usd[0]),
        option_usd: usd.map(|usd| usd[1]),
        expected_saving_usd: usd.map(|usd| usd[0] - usd[1]),
        verdict,
        ..Summary::default()
    };
    let head = Head {
        key: log.to_owned(),
        stamp: Stamp { bytes: 1, modified_ns: 0, files: 0 },
        digest: None,
        base: String::new(),
    };
    let outcome = Outcome::Application(Box::new(Application { summary, queries: Vec::new() }));
    let mut ledger = Ledger::open(out).expect("a folder");
    ledger.add(&Record::Log(Box::new(LogRecord { head, outcome }))).expect("written");
}

#[test]
fn applications_are_sorted_by_what_they_save_and_not_by_their_paths() {
    let out = tempfile::tempdir().expect("a folder");
    for (log, id, gpu, verdict) in [
        ("/z/1", "a", None, Verdict::CannotJudge),
        ("/a/2", "later", Some(60.0), Verdict::Try),
        ("/z/3", "earlier", Some(60.0), Verdict::Try),
        ("/z/4", "worse", Some(150.0), Verdict::Stay),
        ("/z/5", "best", Some(10.0), Verdict::Move),
    ] {
        add(out.path(), (log, id), gpu, None, verdict);
    }
    let opened = open(out.path()).expect("results");
    let overview = Overview::new(&opened.outcomes);
    let ids: Vec<&str> = overview.applications.iter().map(|(log, summary)| id_of(&log.head.key, summary)).collect();
    assert_eq!(ids, ["best", "earlier", "later", "worse", "a"]);
    // The first starts a second after 1970, the last seven: both last 100 s.
    assert_eq!(overview.period_ms, Some((1_000, 107_000)));
}

#[test]
fn sums_say_of_how_many_applications_they_are_and_shares_what_they_are() {
    let out = tempfile::tempdir().expect("a folder");
    add(out.path(), ("1", "a"), Some(10.0), Some([5.0, 2.0]), Verdict::Move);
    add(out.path(), ("2", "b"), Some(80.0), None, Verdict::Move);
    add(out.path(), ("3", "c"), Some(50.0), Some([9.0, 1.0]), Verdict::Try);
    let opened = open(out.path()).expect("results");
    let overview = Overview::new(&opened.outcomes);
    let saving = overview.saving;
    assert_eq!((saving.applications, saving.usd, saving.priced), (2, Some(3.0), 1));
    // 90 and 20 s: the first has 90/110 of it.
    assert_eq!(overview.top_for(0.8), Some(TopApplications { applications: 1, share: 90.0 / 110.0 }));
    assert_eq!(overview.top_for(0.9), Some(TopApplications { applications: 2, share: 1.0 }));
}
