//! Costs and portfolios of results whose numbers the test makes.

use std::path::Path;

use crossover_decision::Candidate;
use crossover_fleet::application::{Application, Range, Summary, Verdict};
use crossover_fleet::found::Stamp;
use crossover_fleet::ledger::{Head, Ledger, LogRecord, Outcome, Record};
use crossover_fleet::opened::open;
use crossover_fleet::tables::rows::id_of;
use crossover_fleet::{Budget, Frequency, Overview};

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// Adds an application of 100 s and 10 $ today, on four GPU machines for half of that, with this saving, on a day.
fn add(ledger: &mut Ledger, id: &str, day: u64, saving: f64, verdict: Verdict) {
    let summary = Summary {
        id: id.to_owned(),
        start_ms: Some(day * DAY),
        end_ms: Some(day * DAY + 100_000),
        seconds: Some(100.0),
        option_time: Some(Range { value: 50.0, low: 40.0, high: 62.5 }),
        today_usd: Some(10.0),
        option_usd: Some(10.0 - saving),
        expected_saving_usd: Some(saving),
        standard_deviations: vec![(id.to_owned(), 50.0 * 1.25_f64.ln() / 1.645)],
        candidates: vec![Candidate { machines: Some(4.0), ..Candidate::default() }],
        option_place: Some(0),
        verdict,
        ..Summary::default()
    };
    let head = Head {
        key: format!("/logs/{id}"),
        stamp: Stamp { bytes: 1, modified_ns: 0, files: 0 },
        digest: None,
        base: String::new(),
    };
    let outcome = Outcome::Application(Box::new(Application { summary, queries: Vec::new() }));
    ledger.add(&Record::Log(Box::new(LogRecord { head, outcome }))).expect("written");
}

fn write(out: &Path) {
    let mut ledger = Ledger::open(out).expect("a folder");
    for (id, day, saving, verdict) in [
        ("a", 1, 5.0, Verdict::Move),
        ("b", 1, 7.0, Verdict::Move),
        ("c", 10, 1.0, Verdict::Move),
        ("d", 15, 9.0, Verdict::Try),
        ("e", 15, -2.0, Verdict::Stay),
    ] {
        add(&mut ledger, id, day, saving, verdict);
    }
}

#[test]
fn runs_of_two_weeks_recur_and_only_recommended_moves_save() {
    let out = tempfile::tempdir().expect("a folder");
    write(out.path());
    let opened = open(out.path()).expect("results");
    let overview = Overview::new(&opened.outcomes);
    // From the first start to the last end: 14 days and 100 s.
    let days = 14.0 + 100.0 / 86_400.0;
    let Frequency::History(found) = overview.frequency(None) else { panic!("no history") };
    assert!((found - days).abs() < 1e-9, "{found}");
    let costs = overview.costs(overview.frequency(None));
    let runs = 30.4375 / days;
    assert_eq!((costs.priced, costs.unpriced, costs.moving), (5, 0, 3));
    assert!((costs.today_usd - 50.0 * runs).abs() < 1e-9, "{costs:?}");
    assert!((costs.saving_usd.value - 13.0 * runs).abs() < 1e-9, "{costs:?}");
    assert!((costs.recommended_usd - 37.0 * runs).abs() < 1e-9, "{costs:?}");
    assert!(costs.saving_usd.low < costs.saving_usd.value && costs.saving_usd.value < costs.saving_usd.high);
    let entered = overview.costs(overview.frequency(Some(2.0)));
    assert!((entered.today_usd - 100.0).abs() < 1e-9, "{entered:?}");
}

#[test]
fn a_portfolio_is_of_the_applications_to_move_and_names_those_left_out() {
    let out = tempfile::tempdir().expect("a folder");
    write(out.path());
    let opened = open(out.path()).expect("results");
    let overview = Overview::new(&opened.outcomes);
    let found = overview.within(Budget::Instances(4.0), Frequency::Unknown);
    let ids = |places: &[usize]| {
        let id = |place: &usize| {
            let (log, summary) = overview.applications[*place];
            id_of(&log.head.key, summary).to_owned()
        };
        let mut ids: Vec<String> = places.iter().map(id).collect();
        ids.sort();
        ids
    };
    // The first two run at the same time; the third one days later.
    assert_eq!((ids(&found.applications), ids(&found.left_out)), (vec!["b".into(), "c".into()], vec!["a".into()]));
    assert!((found.saving_usd.value - 8.0).abs() < 1e-9 && found.saving_usd.low < 8.0, "{found:?}");
    assert!((found.portfolio.saving_usd - found.saving_usd.value).abs() < 1e-9);
    let all = overview.within(Budget::Instances(8.0), Frequency::Unknown);
    assert!(all.left_out.is_empty() && (all.saving_usd.value - 13.0).abs() < 1e-9);
}
