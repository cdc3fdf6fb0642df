//! Tools → Prediction accuracy, and Tools → Fit engines.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use crossover::workbench::Start;
use crossover_page::command::Command;
use crossover_placement_page::engines::{FIT, Origin, Request, TRUTH};
use crossover_placement_page::examples;
use egui::accesskit::Role;
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use tempfile::TempDir;

use super::layout::{assert_layout, shown};
use super::pictures::{MAIN, STATE, drawn};
use super::report::assert_exports;
use super::{Window, can_draw, send, settle, study, until, window, window_with};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Queries of our own samples over tables of several sizes.
const SAMPLES: [&str; 7] = [
    "duckdb-join",
    "duckdb-cte",
    "duckdb-window",
    "duckdb-union",
    "duckdb-subquery",
    "duckdb-profile",
    "duckdb-1.4-profile",
];

/// Two sizes of each; the times are those of made-up engines: some seconds and a time per row, off by up to a half.
pub(super) fn cases(folder: &TempDir) -> PathBuf {
    let mut text = "case,plan,format,scale,scenario,cpu_seconds,gpu_seconds\n".to_owned();
    for (index, sample) in SAMPLES.iter().enumerate() {
        for (size, scale) in [1e5_f64, 1e7].into_iter().enumerate() {
            let at = (2 * index + size) as f64;
            let (cpu, gpu) = (2.0 + scale * 4e-6 * (1.5 + (at * 1.7).sin()), 3.0 + scale * 2e-6 * (1.5 + at.cos()));
            let plan = format!("{ROOT}/plan/samples/{sample}.json");
            let scenario = format!("{ROOT}/scenarios/placement-truth-gh200.ron");
            text += &format!("q{at},{plan},duckdb,{scale},{scenario},{cpu},{gpu}\n");
        }
    }
    let path = folder.path().join("cases.csv");
    fs::write(&path, text).expect("written");
    path
}

fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

pub(super) fn open_cases(window: &mut Window, file: PathBuf) {
    send(window, Command::ask(Request::UseCases(file)));
}

fn pick(window: &mut Window, case: &str) {
    window.get_by_role_and_label(Role::Row, &format!("case {case}")).click_accesskit();
    settle(window);
}

/// The sentence below the question; the chart says it too.
fn shows_errors(window: &Window) {
    assert_eq!(window.query_all_by_label_contains("Median error of 14 cases: ").count(), 2);
}

#[test]
fn without_cases_both_pages_say_what_to_do() {
    let mut window = window();
    for (tool, question) in [(TRUTH, "How accurate are the predictions?"), (FIT, "How fast are your engines?")] {
        send(&mut window, Command::ShowTool(tool));
        window.get_by_label(question);
        window.get_by_label("Open measured cases…");
        window.get_by_label_contains("case,plan,format,scale,scenario,cpu_seconds,gpu_seconds");
    }
}

#[test]
fn shipped_measurements_are_shown_without_a_file_and_beside_one() {
    let folder = folder();
    let mut window = window();
    let shows = |window: &Window, text: &str| window.query_all_by_label_contains(text).next().is_some();
    send(&mut window, Command::ShowTool(TRUTH));
    window.get_by_label("Which measurements?");
    window.get_by_label("inside 90 %");
    // The page of fits begins with the same measurements.
    send(&mut window, Command::ShowTool(FIT));
    settle(&mut window);
    window.get_by_label("Which measurements?");
    window.get_by_label("Fit results");
    window.get_by_label("file open cost");
    assert!(shows(&window, "predicted speedup of Spark → RAPIDS, 4 × L4"));
    send(&mut window, Command::ShowTool(TRUTH));
    settle(&mut window);
    assert!(shows(&window, "predicted speedup of Spark → RAPIDS, 4 × L4"));
    assert!(shows(&window, "Decisions about 48 queries between Spark, Gluten and RAPIDS"));
    window.get_by_label("decision: least cost");
    window.get_by_label("DuckDB → Sirius, GH200, query left out").click_accesskit();
    settle(&mut window);
    assert!(shows(&window, "predicted speedup of DuckDB → Sirius, GH200"));

    assert_exports(&mut window, "How accurate is the predicted speedup of DuckDB → Sirius, GH200?", ",mark");

    open_cases(&mut window, cases(&folder));
    shows_errors(&window);
    assert_exports(&mut window, "How accurate is the predicted ", ",q1,");
    window.get_by_label("Shipped measurements").click_accesskit();
    settle(&mut window);
    window.get_by_label("Which measurements?");
    window.get_by_label("Show my cases").click_accesskit();
    settle(&mut window);
    shows_errors(&window);
}

#[test]
fn a_restart_shows_the_cases_of_the_file_or_the_shipped_ones_as_before() {
    let (folder, tabs) = (folder(), folder());
    let start = || Start { tabs_file: Some(tabs.path().join("tabs.ron")), ..Start::default() };
    let restart = |mut window: Window| {
        eframe::App::on_exit(window.state_mut(), None);
        drop(window);
        window_with(start())
    };
    let mut window = window_with(start());
    send(&mut window, Command::ShowTool(TRUTH));
    open_cases(&mut window, cases(&folder));
    shows_errors(&window);
    let mut window = restart(window);
    shows_errors(&window);
    window.get_by_label("Shipped measurements").click_accesskit();
    settle(&mut window);
    let mut window = restart(window);
    window.get_by_label("Which measurements?");
    window.get_by_label("Show my cases").click_accesskit();
    settle(&mut window);
    shows_errors(&window);
}

/// Both profiles predict one speedup for all queries: 1.139 of the cases' scenario, 0.5 of the selected one. With the speedups of
/// [`cases`], the median of |predicted ÷ measured − 1| is 46.80 % and 43.90 %.
#[test]
fn a_restart_predicts_with_the_engines_that_were_selected() {
    let (folder, tabs) = (folder(), folder());
    let start = || Start { tabs_file: Some(tabs.path().join("tabs.ron")), ..Start::default() };
    let has_error = |window: &Window, share: &str| {
        window.query_all_by_label_contains(&format!("Median error of 14 cases: {share}")).next().is_some()
    };
    let mut window = window_with(start());
    send(&mut window, Command::ShowTool(TRUTH));
    open_cases(&mut window, cases(&folder));
    assert!(has_error(&window, "46.8 %"));

    let (_, gh200) = examples::MEASURED[1];
    let scenario = crossover_scenario::read(gh200.text).expect("an example");
    let mut profile = scenario.placement().and_then(crossover_placement::Placement::profile).expect("engines");
    profile.engines.constant_speedup = Some(0.5);
    profile.sources.remove("constant_speedup");
    let file = folder.path().join("engines.ron");
    fs::write(&file, profile.to_ron()).expect("written");
    send(&mut window, Command::ask(Request::Offer(Origin::File(file), Arc::new(profile))));
    until(&mut window, "the selected engines", |window| has_error(window, "43.9 %"));

    eframe::App::on_exit(window.state_mut(), None);
    drop(window);
    let mut window = window_with(start());
    until(&mut window, "the engines selected before", |window| has_error(window, "43.9 %"));
}

#[test]
fn every_case_stands_beside_what_was_measured_and_opens_as_a_scenario() {
    let folder = folder();
    let mut window = window();
    send(&mut window, Command::ShowTool(TRUTH));
    open_cases(&mut window, cases(&folder));
    shows_errors(&window);
    window.get_by_label_contains("Faster side predicted correctly: ");
    // The shipped engines were fitted: a note says so.
    window.get_by_label_contains("the engines were fitted to");
    pick(&mut window, "q5");
    window.get_by_label("Where does the time of q5 go?");
    window.get_by_label_contains("Predicted speedup");

    // A mark of the chart is the same case.
    window.get_by(|node| node.label().is_some_and(|label| label.starts_with("q7: "))).click_accesskit();
    settle(&mut window);
    window.get_by_label("Where does the time of q7 go?");

    window.get_by_label("time on CPUs").click_accesskit();
    settle(&mut window);
    window.get_by_label("How accurate is the predicted time on CPUs?");

    window.get_by_label("Open as a scenario").click_accesskit();
    settle(&mut window);
    let study = study(&window);
    assert!(study.query.is_some() && study.engines.is_some(), "the plan with the engines of its scenario");
}

#[test]
fn a_fit_is_given_to_a_scenario_and_taken_back() {
    let folder = folder();
    let mut window = window();
    assert!(study(&window).engines.is_none());
    send(&mut window, Command::ShowTool(FIT));
    open_cases(&mut window, cases(&folder));
    window.get_by_label("Leave-one-out cross-validation: each query is predicted by a fit to all others.");
    window.get_by_label("GPU start");
    assert_exports(&mut window, "How accurate is the predicted ", ",q1,");
    window.get_by_label("Use in a scenario").click_accesskit();
    settle(&mut window);
    window.get_all_by_label("Published setting").last().expect("in the menu").click_accesskit();
    settle(&mut window);
    let engines = study(&window).engines.clone().expect("it has engines now");
    let sources = &study(&window).sources;
    assert!(sources.keys().any(|path| path == "engines.gpu.start_seconds"), "{sources:?}");
    send(&mut window, Command::Undo);
    assert!(study(&window).engines.is_none());
    send(&mut window, Command::Redo);
    assert_eq!(study(&window).engines.as_ref(), Some(&engines));

    // What was fitted can be checked; other cases would be opened there.
    send(&mut window, Command::ShowTool(FIT));
    window.get_by_label("Check on other cases").click_accesskit();
    settle(&mut window);
    window.get_by_role_and_label(Role::ComboBox, "Which engines?").click_accesskit();
    settle(&mut window);
    window.get_by_label("fitted to cases.csv").click_accesskit();
    settle(&mut window);
    shows_errors(&window);
}

#[test]
fn what_cannot_be_read_is_said_with_its_line_and_mended_by_reading_again() {
    let folder = folder();
    let path = cases(&folder);
    let good = fs::read_to_string(&path).expect("read");
    let bad = good.replacen("duckdb,", "ducksdb,", 1);
    fs::write(&path, bad).expect("written");
    let mut window = window();
    for tool in [TRUTH, FIT] {
        send(&mut window, Command::ShowTool(tool));
        open_cases(&mut window, path.clone());
        window.get_by_label_contains("cases.csv:2: format: “ducksdb” is not a format");
    }
    fs::write(&path, good).expect("written");
    window.get_by_label("Read again").click_accesskit();
    settle(&mut window);
    window.get_by_label("Leave-one-out cross-validation: each query is predicted by a fit to all others.");
}

#[test]
fn both_pages_look_as_agreed() {
    if !can_draw() {
        return;
    }
    let folder = folder();
    let mut results = SnapshotResults::new();
    let mut window = drawn(&MAIN, Start::default());
    send(&mut window, Command::ShowTool(TRUTH));
    open_cases(&mut window, cases(&folder));
    pick(&mut window, "q5");
    results.add(window.try_snapshot("truth-light"));
    let mut window = drawn(&MAIN, Start::default());
    send(&mut window, Command::ShowTool(FIT));
    open_cases(&mut window, cases(&folder));
    results.add(window.try_snapshot("fit-light"));
}

#[test]
fn both_pages_in_a_narrow_window_and_without_cases_are_laid_out_as_agreed() {
    let folder = folder();
    for (name, tool) in [("truth-narrow", TRUTH), ("fit-narrow", FIT)] {
        let mut window = shown(STATE.size, Start::default());
        send(&mut window, Command::ShowTool(tool));
        open_cases(&mut window, cases(&folder));
        assert_layout(name, &window);
    }
    let mut window = shown(STATE.size, Start::default());
    send(&mut window, Command::ShowTool(TRUTH));
    assert_layout("truth-empty", &window);
}
