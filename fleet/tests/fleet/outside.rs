//! A query that is outside what was measured of some options.

#[path = "../../../plan/tests/plan/counted.rs"]
mod counted;

use crossover_decision::{Candidate, Decision, Objective, Verdict};
use crossover_fleet::answer::answer;
use crossover_fleet::application::Application;
use crossover_fleet::blocker::Blocker;
use crossover_fleet::tables::column::Cell;
use crossover_fleet::tables::rows;
use crossover_plan::options::shipped;
use crossover_plan::{Import, Query, Run};

use counted::counted;

use super::base;

/// A query of Spark that took so long and exchanged this data, as its log counts it.
fn query(id: &str, seconds: f64, exchanged_gb: f64) -> Query {
    Query {
        id: id.to_owned(),
        description: format!("load {}", if exchanged_gb > 100.0 { "all" } else { "a part" }),
        duration_seconds: Some(seconds),
        plan: counted(exchanged_gb).into(),
        ..Query::default()
    }
}

/// An application of a query with 1 GB of exchanges and one with 300 GB: more than 77 GB of four machines and 154 GB of eight, times
/// 1.25.
fn application() -> Application {
    let import = Import {
        engine: "Spark 3.5.3".to_owned(),
        queries: vec![query("1", 100.0, 1.0), query("2", 300.0, 300.0)],
        run: Run { ended: true, ..Run::default() },
        ..Import::default()
    };
    answer(&base().or(shipped().expect("profiles")), &import, false)
}

/// The measured candidates of an engine.
fn of<'a>(decision: &'a Decision, engine: &str) -> Vec<&'a Candidate> {
    let candidates = decision.options.iter().map(|option| &option.candidate);
    let is_of = |candidate: &&Candidate| candidate.machines.is_some() && candidate.engine.contains(engine);
    let found: Vec<&Candidate> = candidates.filter(is_of).collect();
    assert!(!found.is_empty(), "{engine}");
    found
}

fn assert_only_gpus_are_blocked(decision: &Decision) {
    for candidate in of(decision, "RAPIDS") {
        let why = candidate.blocked_by.as_deref().unwrap_or_default();
        assert!(why.starts_with("outside what was measured: ") && why.contains("q67"), "{}: {why}", candidate.title);
        assert_eq!(candidate.time, None, "{}", candidate.title);
    }
    for candidate in of(decision, "Gluten") {
        assert!(candidate.time.is_some() && candidate.blocked_by.is_none(), "{candidate:?}");
    }
    assert_ne!(decision.verdict, Verdict::CannotJudge);
}

#[test]
fn what_is_outside_for_gpus_is_judged_with_other_options() {
    let application = application();
    let [small, large] = &application.queries[..] else { panic!("two queries") };
    assert!(small.predicted.is_some() && large.predicted.is_none() && large.has_prediction());
    let decided = |query| application.decision_of(query, Objective::default()).expect("a prediction");
    assert_only_gpus_are_blocked(&decided(large));
    // The other query has its own answer.
    for candidate in of(&decided(small), "RAPIDS") {
        assert!(candidate.time.is_some() && candidate.blocked_by.is_none(), "{candidate:?}");
    }

    let summary = &application.summary;
    let whole = summary.decision(Objective::default()).expect("a prediction");
    assert_only_gpus_are_blocked(&whole);
    let seconds = |decision: &Decision| of(decision, "Gluten")[0].time.expect("a time").value();
    let sum = seconds(&decided(small)) + seconds(&decided(large));
    assert!((seconds(&whole) - sum).abs() < 1e-9 * sum, "{} is not {sum}", seconds(&whole));
    assert_eq!((summary.predicted_queries, summary.staying_seconds), (2, 0.0));
    assert!(summary.blocked_by.contains(&Blocker::OutsideMeasured), "{:?}", summary.blocked_by);
    // The option that is shown has the uncertainty of each query.
    assert!(!summary.option.contains("RAPIDS") && summary.option_time.is_some(), "{}", summary.option);
    assert_eq!(summary.standard_deviations.len(), 2);
}

#[test]
fn a_query_without_a_time_on_gpus_has_empty_cells() {
    let application = application();
    let row = rows::query("application_1", &application.queries[1], 1);
    let cell = |name: &str| {
        let place = rows::Table::Queries.columns().iter().position(|column| column.name == name).expect("a column");
        row[place].clone()
    };
    for name in ["gpu_seconds", "gpu_faster", "work_part_seconds", "gpu_usd"] {
        assert_eq!(cell(name), Cell::Nothing, "{name}");
    }
    assert_eq!(cell("seconds"), Cell::number(300.0));
}

/// A list shows a query's verdict beside the numbers of the option that it is about, and not those of the GPU cluster.
#[test]
fn the_option_of_a_query_is_the_one_that_its_verdict_is_about() {
    let application = application();
    for query in &application.queries {
        let decision = application.decision_of(query, Objective::default()).expect("a prediction");
        let about = decision.best_option().or_else(|| decision.likeliest()).expect("an option");
        let shown = query.option.as_ref().expect("an option");
        assert_eq!(shown.likelihood, about.better, "query {}", query.id);
        assert!(shown.title.starts_with(&about.candidate.title), "{} is not {}", shown.title, about.candidate.title);
        assert_eq!(shown.time.value, about.candidate.time.expect("a time").value(), "query {}", query.id);
    }
    // What is outside what was measured on GPUs is about another engine.
    let large = application.queries[1].option.as_ref().expect("an option");
    assert!(!large.title.contains("RAPIDS"), "{}", large.title);
}

/// A query to be tried is not blocked: its trial is there because the gain is within the error, whatever blocks the GPU cluster.
#[test]
fn only_a_query_to_move_has_nothing_that_limits_it() {
    let blocked_by = Some(Blocker::TooShort);
    let limit = |verdict| crossover_fleet::application::Query { verdict, blocked_by, ..Default::default() }.limit();
    let all = [Verdict::Move, Verdict::Try, Verdict::Stay, Verdict::CannotJudge];
    assert_eq!(all.map(limit), [None, Some(Blocker::WithinError), blocked_by, blocked_by]);
    let blocker = |verdict| crossover_fleet::application::Query { verdict, blocked_by, ..Default::default() }.blocker();
    assert_eq!(all.map(blocker), [None, None, blocked_by, blocked_by]);
}

/// Tables and pages subtract nothing themselves: a median less a median is not the expected saving.
#[test]
fn costs_and_saving_of_a_query_are_those_of_its_decision() {
    let application = application();
    for query in &application.queries {
        let decision = application.decision_of(query, Objective::default()).expect("a prediction");
        let on_cluster = application.summary.base_place.and_then(|place| decision.options[place].usd);
        let costs = decision.today_usd().zip(on_cluster).map(|(today, there)| [today.value, there.value]);
        assert_eq!(query.usd, costs, "query {}", query.id);
        let saving = decision.best_option().and_then(|option| option.saving);
        let recorded = query.recommended.as_ref();
        let recorded = recorded.and_then(|best| best.expected_saving_usd.or(best.expected_saving_seconds));
        assert_eq!(recorded, saving, "query {}", query.id);
    }
}
