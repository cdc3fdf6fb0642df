//! The report, the tables and the files of a made-up set, and of decisions about two made-up queries.

use crossover_decision::Verdict;
use crossover_engine::Range;
use crossover_plan::shipped::{Choice, DecidedEngine, DecidedQuery, LeftOutOf, ScoredDecisions};
use crossover_quantity::text::Table;
use serde_json::Value;

use super::*;

/// Speedups 4 and ½; the constant predicts 1.
fn set(predicted: [Option<f64>; 2]) -> ScoredSet {
    let query = |name: &str, gpu_seconds: f64, predicted: Option<f64>| ScoredQuery {
        query: name.to_owned(),
        cpu_seconds: 8.0,
        gpu_seconds,
        predicted_cpu_seconds: None,
        predicted: predicted.map(|seconds| Range::new(seconds, 1.5)),
        constant: Some(1.0),
    };
    let queries = vec![query("q1", 2.0, predicted[0]), query("q2", 16.0, predicted[1])];
    let score = Score::of(&queries);
    ScoredSet {
        name: "Old → New, 2 × T9",
        benchmark: "made up",
        pair: ["Old", "New"],
        left_out: LeftOutOf::Query,
        form: "start, share of the time (2 numbers)".to_owned(),
        is_constant: false,
        queries,
        score,
    }
}

/// The query q1 moves to New, which was the cheapest, and for the least time to Side, which was slower than Old. q2 stays in Old.
fn made_up() -> ScoredDecisions {
    let engine =
        |name: &'static str, usd_per_hour: f64| DecidedEngine { name, title: format!("{name}, 2 × T9"), usd_per_hour };
    let choice = |verdict: Verdict, engine: usize| Choice { verdict, engine, likelihood: Some(0.9) };
    let stay = Choice { likelihood: None, ..choice(Verdict::Stay, 0) };
    let query = |name: &str, choices: [Choice; 3]| DecidedQuery {
        query: name.to_owned(),
        seconds: [8.0, 10.0, 4.0],
        usd: [8.0, 10.0, 1.0],
        choices,
    };
    let of_first = [choice(Verdict::Move, 2), choice(Verdict::Try, 2), choice(Verdict::Move, 1)];
    ScoredDecisions {
        benchmark: "made up",
        engines: [engine("Old", 3600.0), engine("Side", 3600.0), engine("New", 900.0)],
        queries: vec![query("q1", of_first), query("q2", [stay; 3])],
    }
}

fn scoreboard(sets: &[ScoredSet]) -> Scoreboard {
    Scoreboard { sets: sets.to_vec(), decisions: Some(made_up()) }
}

fn cells(table: &Table, row: usize) -> Vec<&str> {
    table.rows[row].iter().map(String::as_str).collect()
}

#[test]
fn a_set_has_its_figures_in_a_row() {
    // Predicted ÷ measured speedups 2÷4 and 1÷2, the constant 1÷4 and 1÷½: errors ln 2 and (ln 4 + ln 2) ÷ 2.
    let table = scoreboard_table(&[set([Some(4.0), Some(32.0)])]);
    assert_eq!(
        cells(&table, 0),
        [
            "Old → New, 2 × T9",
            "query",
            "2",
            "1.00",
            "0.69",
            "1.04",
            "0.67",
            "100 %",
            "2 of 2",
            "0 %",
            "better than the constant"
        ]
    );
}

#[test]
fn a_set_that_is_worse_than_the_constant_says_so() {
    let sets = [set([Some(16.0), Some(1.0)])];
    let text = scoreboard_text_report(&scoreboard(&sets)).terminal();
    assert!(text.contains("NOT BETTER"), "{text}");
    // Predicted speedups ½ and 8: off by factors of 8 and 16.
    let expected =
        "Warning: Old → New, 2 × T9, query left out: the constant is at least as good (error 1.04, predictions 2.43)";
    assert!(text.contains(expected), "{text}");
    assert!(scored_chart(&sets[0]).answer.contains("the constant is at least as good"));
    let better = scoreboard_text_report(&scoreboard(&[set([Some(2.0), Some(16.0)])])).terminal();
    assert!(!better.contains("Warning"), "{better}");
    assert!(better.contains("start, share of the time (2 numbers)"), "{better}");
}

#[test]
fn a_set_that_uses_the_constant_has_no_warning() {
    let sets = [ScoredSet { is_constant: true, ..set([Some(8.0), Some(8.0)]) }];
    let text = scoreboard_text_report(&scoreboard(&sets)).terminal();
    assert!(text.contains("uses the constant") && !text.contains("Warning"), "{text}");
    assert!(scored_chart(&sets[0]).answer.contains("the constant is used"));
}

#[test]
fn every_query_has_its_prediction_its_measurement_and_its_side() {
    let table = scored_queries(&set([Some(2.0), Some(4.0)]));
    assert_eq!(cells(&table, 0), ["q1", "8 s", "–", "2 s", "2 s", "4×", "2.7× … 6×", "4×", "1×", "right"]);
    assert_eq!(cells(&table, 1)[9], "WRONG");
}

#[test]
fn a_refused_query_has_no_prediction_in_any_format() {
    let sets = [set([Some(2.0), None])];
    assert_eq!(cells(&scoreboard_table(&sets), 0)[2], "1 of 2");
    assert_eq!(cells(&scored_queries(&sets[0]), 1)[9], "outside what was measured");
    let scoreboard = scoreboard(&sets);
    let parsed: Value = serde_json::from_str(&scoreboard_json(&scoreboard)).expect("JSON");
    assert!(parsed["sets"][0]["cases"][1]["gpu_seconds"].is_null());
    let csv = scoreboard_csv(&scoreboard);
    let last = csv.lines().last().expect("a row");
    assert_eq!(last, "\"Old → New, 2 × T9\",made up,query,1,q2,,,,,,,,,,,8,16,0.5,outside what was measured,,,,,,,");
    let none = set([None, None]);
    assert!(scored_chart(&none).answer.starts_with("No query has a prediction"));
    assert_eq!(cells(&scoreboard_table(&[none]), 0)[10], "no prediction");
}

#[test]
fn a_chart_has_a_mark_for_each_prediction() {
    // q1 is inside its interval, q2 is off by a factor of 4.
    let chart = scored_chart(&set([Some(2.0), Some(4.0)]));
    let names: Vec<String> = chart.series.iter().map(|series| series.samples.names.join(" ")).collect();
    assert_eq!(names, ["", "q1", "q2"]);
    assert!(scoreboard_html(&scoreboard(&[set([Some(2.0), None])])).contains("<svg"));
}

/// Of both queries, Old costs 16, Side 20 and New 2; the first decision takes New and Old.
#[test]
fn a_rule_has_its_cost_beside_that_of_the_cheapest_engines() {
    let table = decision_rules(&made_up());
    let first = ["decision: least cost", "$9", "$7", "$3.5", "1 of 2", "1 of 2", "0 of 2"];
    assert_eq!(cells(&table, 0), first);
    assert_eq!(cells(&table, 3)[..4], ["always stay", "$16", "$14", "$7"]);
    assert_eq!(cells(&table, 4)[..4], ["always Side", "$20", "$18", "$9"]);
    assert_eq!(cells(&table, 4)[6], "2 of 2");
    assert_eq!(cells(&table, 5)[..4], ["always New", "$2", "$0", "$0"]);
    assert_eq!(cells(&table, 6)[1], "$2");
}

#[test]
fn a_decision_stands_beside_what_was_measured() {
    let decisions = made_up();
    assert_eq!(decisions_title(&decisions), "Decisions about 2 queries between Old, Side and New");
    let table = decided_queries(&decisions);
    assert_eq!(
        cells(&table, 0),
        ["q1", "8 s", "10 s", "4 s", "$8", "$10", "$1", "move: New", "$0", "move: Side", "SLOWER"]
    );
    assert_eq!(cells(&table, 1)[7..], ["stay", "$7", "stay", "no answer"]);
    let text = scoreboard_text_report(&scoreboard(&[])).terminal();
    for expected in
        ["the cheapest one for 1 of 2 queries", "0 of these 1 were faster", "0 of 2 need a trial run, and 1 of 2 stay"]
    {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
}

#[test]
fn programs_read_the_rules_and_the_decisions() {
    let parsed: Value = serde_json::from_str(&scoreboard_json(&scoreboard(&[]))).expect("JSON");
    let decisions = &parsed["decisions"];
    assert_eq!(decisions["by_cost"], serde_json::json!({ "right": 1, "of": 2 }));
    assert_eq!((&decisions["by_time"]["moves"], &decisions["by_time"]["faster"]), (&Value::from(1), &Value::from(0)));
    assert_eq!(decisions["rules"].as_array().map(Vec::len), Some(7));
    let by_time = &decisions["queries"][0]["decisions"][2];
    assert_eq!((&by_time["engine"], &by_time["verdict"]), (&Value::from("Side"), &Value::from("move")));
    assert_eq!(by_time["regret_usd"], 9.0);
}

#[test]
fn fits_without_decisions_are_written_without_them() {
    let board = Scoreboard { decisions: None, ..scoreboard(&[set([Some(2.0), Some(4.0)])]) };
    assert!(!scoreboard_text_report(&board).markdown().contains("Decisions about"));
    let parsed: Value = serde_json::from_str(&scoreboard_json(&board)).expect("JSON");
    assert!(parsed.get("decisions").is_none() && parsed["sets"][0]["cases"].is_array());
    let csv = scoreboard_csv(&board);
    assert!(csv.lines().all(|line| !line.contains("least_cost") && !line.ends_with(',')), "{csv}");
}
