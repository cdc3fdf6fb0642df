//! Predicted times agree with what a file measured: the time of the query, and the times of its operators.

use crossover_decision::{Decision, Verdict};
use crossover_placement::whole::{self, Whole};
use crossover_placement::{Placement, Side};
use crossover_plan::decide::decision;
use crossover_plan::scenario::{Machines, placement};
use crossover_plan::{Control, Format, Import};
use crossover_scenario::read;
use tempfile::TempDir;

/// DuckDB on 72 cores beside Sirius, as fitted.
const GH200: &str = include_str!("../../../scenarios/placement-truth-gh200.ron");
// Numbers of that file.
const CORES: f64 = 72.0;
const START_OF_SIRIUS: f64 = 0.01161;
const MEDIAN_SPEEDUP: f64 = 1.139;

/// A base without engines.
const HARDWARE: &str = include_str!("../../../scenarios/placement-small.ron");

fn import(format: Format, text: &str) -> Import {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("plan.json");
    std::fs::write(&path, text).expect("a file is written");
    crate::read(format, &path, &Control::default()).expect("a plan")
}

/// A profile of DuckDB with a scan that took this long, of a query that took `latency`; 0 where DuckDB did not measure it.
fn profile(latency: f64, scan: f64) -> Import {
    let text = format!(
        r#"{{"latency": {latency}, "query_name": "q", "children": [{{"operator_type": "UNGROUPED_AGGREGATE",
        "operator_timing": 0.0, "operator_cardinality": 1, "result_set_size": 8, "extra_info": {{}}, "children": [{{
        "operator_type": "TABLE_SCAN", "operator_name": "SEQ_SCAN", "operator_timing": {scan},
        "operator_cardinality": 1000, "operator_rows_scanned": 1000, "result_set_size": 8000,
        "extra_info": {{"Table": "t"}}, "children": []}}]}}]}}"#
    );
    import(Format::DuckDb, &text)
}

/// The study of the only query.
fn study(base: &str, import: &Import) -> Placement {
    let base = read(base).expect("a scenario");
    placement(base.placement().expect("a placement study"), Machines::OfFile, import, &import.queries[0])
}

fn decided(import: &Import) -> Decision {
    decision(&study(GH200, import)).expect("engines and a query")
}

fn seconds_of_options(decision: &Decision) -> Vec<f64> {
    decision.options.iter().filter_map(|option| Some(option.candidate.time?.value())).collect()
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} instead of {expected}");
}

#[test]
fn a_query_that_took_less_than_the_start_of_an_option_stays() {
    let decided = decided(&profile(0.000_241, 0.000_045));
    assert!(decided.baseline.is_measured);
    assert_near(decided.baseline.time.value(), 0.000_241);
    let options = seconds_of_options(&decided);
    assert!(
        !options.is_empty() && options.iter().all(|seconds| *seconds >= START_OF_SIRIUS * (1.0 - 1e-9)),
        "{options:?}"
    );
    assert_eq!(decided.verdict, Verdict::Stay, "{}", decided.sentence());
}

/// Without the time of the query, it is at least that of the operators on all cores, and at most that on one.
#[test]
fn the_times_of_the_operators_bound_todays_time() {
    let long = profile(0.0, 100.0);
    let of_long = decided(&long);
    assert!(!of_long.baseline.is_measured);
    assert_near(of_long.baseline.time.value(), 100.0 / CORES);
    // Every face has the same time.
    let whole = whole::decide(&study(GH200, &long)).expect("a plan");
    assert_near(whole.baselines.all_cpu, 100.0 / CORES);

    let short = decided(&profile(0.0, 0.000_045));
    assert_near(short.baseline.time.value(), 0.000_045);
    assert_eq!(short.verdict, Verdict::Stay, "{}", short.sentence());

    // A time within the bounds is the predicted one. The option's time is that of one speedup for all queries, the median of the eleven
    // measured ones (docs/FIDELITY.md), but not less than its start.
    let predicted = decided(&profile(0.0, 0.05));
    let [today, bound] = [&predicted, &of_long].map(|decided| decided.baseline.time.value());
    assert!(0.05 / CORES < today && today < 0.05, "{today} s is within the bounds");
    assert_near(seconds_of_options(&of_long)[0], bound / MEDIAN_SPEEDUP);
    assert_near(seconds_of_options(&short)[0], START_OF_SIRIUS);
}

fn placed(text: &str) -> Whole {
    whole::decide(&study(HARDWARE, &import(Format::Postgres, text))).expect("a plan")
}

#[test]
fn the_hardware_model_moves_nothing_whose_time_is_not_known() {
    let plan = |sort: &str, scan: &str| {
        format!(
            r#"[{{"Plan": {{"Node Type": "Sort", "Plan Width": 8, "Actual Rows": 10000000, "Actual Loops": 1{sort}, "Plans": [
            {{"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Plan Width": 8, "Actual Rows": 10000000,
            "Actual Loops": 1{scan}}}]}}, "Execution Time": 60001.0}}]"#
        )
    };
    let timed = placed(&plan(r#", "Actual Total Time": 60000.0"#, r#", "Actual Total Time": 1000.0"#));
    assert!(timed.not_judged.is_none() && timed.count(Side::Gpu) > 0 && timed.speedup() > 1.0);
    // EXPLAIN (ANALYZE, TIMING OFF) of the same statement.
    let untimed = placed(&plan("", ""));
    assert!(untimed.not_judged.as_ref().is_some_and(|why| why.contains("TIMING OFF")), "{:?}", untimed.not_judged);
    assert_eq!((untimed.count(Side::Gpu), untimed.speedup()), (0, 1.0));
}
