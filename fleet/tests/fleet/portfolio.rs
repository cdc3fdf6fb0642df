//! Costs and portfolios of results whose numbers the test makes.

use std::path::Path;

use crossover_decision::{Baseline, Candidate, Objective, Payback, PredictedTime, Price};
use crossover_fleet::application::{Application, Range, Summary, Verdict};
use crossover_fleet::blocker::Blocker;
use crossover_fleet::found::Stamp;
use crossover_fleet::ledger::{Head, Ledger, LogRecord, Outcome, Record};
use crossover_fleet::opened::open;
use crossover_fleet::tables::rows::id_of;
use crossover_fleet::{Budget, Frequency, Overview};
use crossover_placement::EnteredInputs;

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
    write_log(ledger, summary);
}

/// Adds the log of an application.
fn write_log(ledger: &mut Ledger, summary: Summary) {
    let id = &summary.id;
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
    // An effort of $13 for each of three applications that save $13 in sum, and for each of the two chosen ones, which save $8.
    let objective = Objective { effort_usd: Some(13.0), ..Objective::default() };
    let of_all = overview.effort(&objective, Frequency::Entered(2.0)).expect("moves");
    assert_eq!((of_all.applications, of_all.usd), (3, 39.0));
    let Payback::Months([months, _]) = of_all.payback else { panic!("{of_all:?}") };
    assert!((months - 1.5).abs() < 1e-9, "{months}");
    let of_chosen = overview.effort_of(&found, &objective, Frequency::Unknown).expect("moves");
    let Payback::Runs(runs) = of_chosen.payback else { panic!("{of_chosen:?}") };
    assert!((runs - 26.0 / 8.0).abs() < 1e-9, "{runs}");
    assert_eq!(overview.effort(&Objective::default(), Frequency::Unknown), None);
}

/// Where today's run breaks the limit, a move may cost more. Both are in the sums of all moves and, where machines are left, in the portfolio.
#[test]
fn a_move_that_costs_more_than_today_counts_once_in_the_sums_and_in_the_portfolio() {
    let out = tempfile::tempdir().expect("a folder");
    let mut ledger = Ledger::open(out.path()).expect("a folder");
    add(&mut ledger, "a", 1, 5.0, Verdict::Move);
    add(&mut ledger, "b", 1, -2.0, Verdict::Move);
    drop(ledger);
    let opened = open(out.path()).expect("results");
    let overview = Overview::new(&opened.outcomes);
    let costs = overview.costs(Frequency::Unknown);
    assert_eq!((costs.moving, costs.today_usd, costs.recommended_usd, costs.saving_usd.value), (2, 20.0, 17.0, 3.0));
    for (count, chosen, left_out, saving) in [(8.0, 2, 0, 3.0), (7.0, 1, 1, 5.0)] {
        let found = overview.within(Budget::Instances(count), Frequency::Unknown);
        assert_eq!((found.applications.len(), found.left_out.len()), (chosen, left_out), "{count}");
        assert_eq!((found.portfolio.saving_usd, found.saving_usd.value), (saving, saving), "{count}");
    }
}

/// A log of 1000 s on two machines for $1, which take 250 s on four GPU machines at $7.20 an hour, within a factor of 1.2.
fn add_decided(ledger: &mut Ledger, id: &str, name: &str, day: u64) {
    let gpu = Candidate {
        machines: Some(4.0),
        ..Candidate::predicted("GPU", PredictedTime::within(250.0, 1.2), Some(Price::entered(7.2)))
    };
    let summary = Summary {
        id: id.to_owned(),
        name: name.to_owned(),
        start_ms: Some(day * DAY),
        end_ms: Some(day * DAY + 1_000_000),
        seconds: Some(1000.0),
        option_time: Some(Range { value: 250.0, low: 250.0 / 1.2, high: 300.0 }),
        baseline: Some(Baseline { machines: 2.0, ..Baseline::measured("Spark", 1000.0, Some(Price::entered(3.6))) }),
        candidates: vec![gpu],
        standard_deviations: vec![("q".to_owned(), 1.0)],
        candidate_deviations: vec![vec![250.0 * 1.2_f64.ln() / 1.645]],
        base_place: Some(0),
        ..Summary::default()
    };
    write_log(ledger, summary);
}

/// A run saves $1 − $0.50·e^(s²/2) = $0.497, s = ln 1.2 / 1.645. In 14 days and 1000 s, each log is 2.17 runs a month: three nightly logs
/// save $3.24 a month and $117 in 36 months, and the log of another application a third of it.
#[test]
fn an_application_whose_saving_does_not_pay_back_its_effort_is_not_in_the_portfolio() {
    let out = tempfile::tempdir().expect("a folder");
    let mut ledger = Ledger::open(out.path()).expect("a folder");
    for (id, name, day) in [("a", "nightly", 0), ("b", "nightly", 7), ("c", "nightly", 14), ("d", "once", 7)] {
        add_decided(&mut ledger, id, name, day);
    }
    drop(ledger);
    let mean = 0.5 * ((1.2_f64.ln() / 1.644_853_627).powi(2) / 2.0).exp();
    let of_month = (1.0 - mean) * 30.4375 / (14.0 + 1000.0 / 86_400.0);
    for (effort, moving, left) in [(30.0, 4, 0), (100.0, 3, 1), (120.0, 0, 4)] {
        let entered = EnteredInputs { effort_usd: Some(effort), ..EnteredInputs::default() };
        let mut opened = open(out.path()).expect("results");
        opened.outcomes.decide_again(entered);
        let overview = Overview::new(&opened.outcomes);
        let by_effort = overview.blockers.get(&Blocker::Effort).copied().unwrap_or(0);
        assert_eq!((overview.saving.applications, by_effort), (moving, left), "{effort}");
        let frequency = overview.frequency(None);
        let costs = overview.costs(frequency);
        assert!((costs.saving_usd.value - moving as f64 * of_month).abs() < 1e-6, "{costs:?}");
        let found = overview.within(Budget::Instances(8.0), frequency);
        assert_eq!((found.applications.len(), found.left_out.len()), (moving, 0));
        let applications = match moving {
            0 => None,
            3 => Some(1),
            _ => Some(2),
        };
        let of_chosen = overview.effort_of(&found, &entered.objective(), frequency);
        assert_eq!(of_chosen.map(|sum| sum.applications), applications);
        if let Some(sum) = of_chosen {
            let Payback::Months([months, _]) = sum.payback else { panic!("{sum:?}") };
            let expected = effort * sum.applications as f64 / (moving as f64 * of_month);
            assert!((months - expected).abs() < 1e-5 * expected, "{months}, {expected}");
        }
    }
}

/// At $0.18 for each of two machines, a run costs $0.10 today, and $0.50·e^(s²/2) = $0.503 in a quarter of the time, s = ln 1.2 / 1.645. Today's
/// run takes longer than a limit of half its time, so that neither the extra cost nor an effort keeps it.
#[test]
fn within_a_limit_that_todays_runs_break_moves_at_an_extra_cost_are_in_the_portfolio_whatever_the_effort() {
    let out = tempfile::tempdir().expect("a folder");
    let mut ledger = Ledger::open(out.path()).expect("a folder");
    for (id, day) in [("a", 0), ("b", 14)] {
        add_decided(&mut ledger, id, id, day);
    }
    drop(ledger);
    let mean = 0.5 * ((1.2_f64.ln() / 1.644_853_627).powi(2) / 2.0).exp();
    for (limit, moving) in [(0.5, 2), (1.0, 0)] {
        let entered = EnteredInputs {
            price_today: Some(0.18),
            time_limit: Some(limit),
            effort_usd: Some(1e6),
            ..EnteredInputs::default()
        };
        let mut opened = open(out.path()).expect("results");
        opened.outcomes.decide_again(entered);
        let overview = Overview::new(&opened.outcomes);
        let saving = overview.costs(Frequency::Unknown).saving_usd.value;
        assert!((saving - moving as f64 * (0.1 - mean)).abs() < 1e-6, "{limit}: {saving}");
        let found = overview.within(Budget::Instances(4.0), Frequency::Unknown);
        assert_eq!((found.applications.len(), found.left_out.len()), (moving, 0), "{limit}");
        assert!((found.saving_usd.value - saving).abs() < 1e-9, "{limit}: {found:?}");
    }
}
