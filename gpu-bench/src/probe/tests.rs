//! The library and the runner, as the report of a probe shows them.

use crossover_harness::Cancel;
use crossover_measured::probe::task::Command;
use crossover_measured::probe::{Executed, LIBRARY, OperatorReport, ProbeOperator, ProbeReport, ProbeTask};

use super::*;

const ONE_THREAD: Units<'_> = Units::Cpu { units: 1, threads: 1 };

fn library(name: &str, key: &str, executions: u32, from: &[&str]) -> ProbeOperator {
    let from = from.iter().map(|from| (*from).to_owned()).collect();
    ProbeOperator { name: name.to_owned(), runs: Executed::Library(key.to_owned()), executions, in_target: 0.0, from }
}

fn command(name: &str, line: &[&str], tolerance: f64, from: &[&str]) -> ProbeOperator {
    let line = line.iter().map(|word| (*word).to_owned()).collect();
    let command = Command { line, limit_seconds: crossover_needs::deadline().as_secs_f64(), tolerance };
    ProbeOperator { runs: Executed::Command(command), ..library(name, "", 1, from) }
}

fn task(operators: Vec<ProbeOperator>) -> ProbeTask {
    ProbeTask { name: "test".to_owned(), task_type: String::new(), operators }
}

fn ran(operators: Vec<ProbeOperator>) -> ProbeReport {
    run(&task(operators), ONE_THREAD, &Cancel::default()).expect("units")
}

fn failure(of: &OperatorReport) -> &str {
    of.failure.as_deref().unwrap_or("none")
}

#[test]
fn the_library_and_what_runs_are_the_same_operators() {
    let keys = |operators: &[Operator]| -> Vec<&str> { operators.iter().map(|operator| operator.key).collect() };
    assert_eq!(keys(&OPERATORS), LIBRARY.map(|operator| operator.key));
}

#[test]
fn every_operator_is_right_on_one_thread_and_on_all() {
    let all = task(LIBRARY.iter().map(|of| library(of.key, of.key, 1, &[])).collect());
    for units in [1, units::available_threads().min(2)] {
        let report = run(&all, Units::Cpu { units, threads: 1 }, &Cancel::default()).expect("units");
        assert_eq!((report.failure(), report.threads), (None, units));
        assert!(report.operators.iter().all(|of| of.seconds.len() == 1 && of.seconds[0] > 0.0));
    }
}

#[test]
fn outputs_of_numeric_operators_grow_with_the_scale_and_those_of_tables_do_not_change_at_about_1() {
    for operator in &OPERATORS {
        let mut prepared = (operator.prepare)();
        let scale = if operator.tolerance > 0.0 { 1.25 } else { 1.01 };
        prepared.execute(scale).expect("ran");
        let expected = if operator.tolerance > 0.0 { scale * operator.true_value } else { operator.true_value };
        let error = (prepared.value().expect("ran") / expected - 1.0).abs();
        assert!(error <= operator.tolerance, "{}: {error}", operator.key);
    }
}

#[test]
fn three_and_two_executions_whose_outputs_one_takes_have_six_times() {
    let report = ran(vec![
        library("one", "trigonometry", 3, &[]),
        library("two", "triad", 2, &[]),
        library("three", "spmv", 1, &["one", "two"]),
    ]);
    let times: Vec<usize> = report.operators.iter().map(|of| of.seconds.len()).collect();
    assert_eq!((times, report.failure()), (vec![3, 2, 1], None));
    let sum: f64 = report.operators.iter().flat_map(|of| &of.seconds).sum();
    assert_eq!(report.seconds, sum);
    // What two operators may be off, the third may be off too.
    assert!((report.operators[2].tolerance - 3e-12).abs() < 1e-20);
}

#[cfg(unix)]
#[test]
fn a_wrong_value_is_a_failure_with_its_times_and_the_others_go_on() {
    let report = ran(vec![
        command("wrong", &["echo", r#"{"value": 3.2, "true_value": 3.1}"#], 1e-12, &[]),
        command("unknown", &["echo", r#"{"value": 7}"#], 0.0, &[]),
        command("rough", &["echo", r#"{"value": 3.2, "true_value": 3.1}"#], 0.1, &[]),
        library("after", "filter", 1, &["wrong", "unknown"]),
        command("scaled", &["sh", "-c", r#"echo "{\"value\": $CROSSOVER_SCALE}""#], 0.0, &["wrong", "rough"]),
    ]);
    let [wrong, unknown, rough, after, scaled] = &report.operators[..] else { panic!("five operators") };
    assert_eq!(failure(wrong), "value 3.2, expected 3.1: relative error 3.2e-2, allowed 1.0e-12");
    assert_eq!((wrong.seconds.len(), wrong.value, wrong.true_value), (1, Some(3.2), Some(3.1)));
    assert_eq!((failure(unknown), unknown.true_value, unknown.error), ("none", None, None));
    assert_eq!((failure(rough), failure(after)), ("none", "none"));
    let mean = f64::midpoint(1.0, 3.2 / 3.1);
    assert!((scaled.value.expect("a value") - mean).abs() < 1e-15, "{scaled:?}");
    let [remark] = &remarks(&report)[..] else { panic!("one remark") };
    assert!(remark.ends_with("allowed 1.0e-12; “after”, “scaled” used the reference value as input"), "{remark}");
}

#[cfg(unix)]
#[test]
fn errors_of_predecessors_travel_on() {
    let report = ran(vec![
        command("off", &["echo", r#"{"value": 1.001, "true_value": 1}"#], 0.01, &[]),
        library("triad", "triad", 2, &["off"]),
    ]);
    let triad = &report.operators[1];
    assert_eq!(failure(triad), "none");
    assert!(
        (triad.error.expect("an error") - 1e-3).abs() < 1e-9 && (triad.tolerance - 0.01).abs() < 1e-11,
        "{triad:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_program_that_fails_has_neither_times_nor_value() {
    let report = ran(vec![
        command("fails", &["false"], 0.0, &[]),
        command("zero", &["echo", r#"{"value": 1, "true_value": 0}"#], 1.0, &[]),
        library("sort", "sort", 1, &["fails"]),
    ]);
    let [fails, zero, sort] = &report.operators[..] else { panic!("three operators") };
    assert_eq!((failure(fails), fails.seconds.len(), fails.value), ("it ended with exit code 1", 0, None));
    assert!(failure(zero).contains("expected 0") && zero.error.is_none(), "{zero:?}");
    assert_eq!(failure(sort), "none");
}

#[test]
fn who_cancels_gets_a_report_without_times() {
    let cancel = Cancel::default();
    cancel.request();
    let report = run(&task(vec![library("sort", "sort", 5, &[])]), ONE_THREAD, &cancel).expect("units");
    assert_eq!((failure(&report.operators[0]), report.seconds), ("cancelled", 0.0));
}

#[test]
fn a_wrong_task_and_too_many_units_are_refused() {
    let nothing = run(&task(Vec::new()), ONE_THREAD, &Cancel::default()).expect_err("no operators");
    assert!(nothing.to_string().starts_with("operators: 0 operators"), "{nothing}");
    let units = Units::Cpu { units: units::available_threads() + 1, threads: 1 };
    let refused = run(&task(vec![library("sort", "sort", 1, &[])]), units, &Cancel::default());
    assert!(matches!(refused, Err(ProbeError::TooMany { .. })));
}
