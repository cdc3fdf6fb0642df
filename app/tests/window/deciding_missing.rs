//! What a decision lacks is named on its page, in its place, with the field that adds it.

use std::fs;
use std::path::{Path, PathBuf};

use crossover_decision::Goal;
use crossover_page::command::Command;
use crossover_placement::Placement;
use crossover_placement_page::request::{Request, Source};
use crossover_plan::decide::decision;
use crossover_quantity::provenance::Provenance;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::deciding::{
    OF_APPLICATION, TODAYS_PRICE, WHERE, is_there, log, messages, open_notes, press, with_answer, with_machines,
    with_machines_of,
};
use super::{Window, enter_number, send, settle, study, type_path, window};

fn edit(window: &mut Window, edit: impl FnOnce(&mut Placement)) {
    window.state_mut().edit_active(|scenario| edit(scenario.study.placement_mut().expect("a placement study")));
    settle(window);
}

fn count(window: &Window, part: &str) -> usize {
    window.query_all_by_label_contains(part).count()
}

/// The status bar.
fn status(window: &Window) -> String {
    let status = window.query_all_by_label_contains("  ·  sources of numbers: ").find_map(|node| {
        let node = node.accesskit_node();
        node.label().or_else(|| node.value())
    });
    status.expect("a status")
}

/// The number of warnings in the status bar.
fn warnings(window: &Window) -> usize {
    let status = status(window);
    let (_, number) = status.rsplit_once("  ·  ").expect("warnings");
    let number = number.split(' ').next().expect("a number");
    if number == "no" { 0 } else { number.parse().expect("a number") }
}

/// The number of warnings in a line that opens: "About the log: 2 warnings, 3 notes".
fn counted(window: &Window, about: &str) -> usize {
    let line = window.get_by_label_contains(about).accesskit_node().label().expect("a line");
    let counts = line.trim_start_matches(about).split(", ");
    let warnings = counts.filter_map(|count| count.strip_suffix(" warnings").or(count.strip_suffix(" warning")));
    warnings.map(|number| number.parse::<usize>().expect("a number")).sum()
}

/// The log has no price, so that of its machines is assumed until the user enters one.
#[test]
fn the_status_bar_names_the_source_of_an_assumed_price() {
    let mut window = with_answer();
    assert!(status(&window).contains("assumed"), "{}", status(&window));
    press(&mut window, "2 Where");
    enter_number(&mut window, TODAYS_PRICE, "2");
    press(&mut window, "3 Answer");
    assert!(!status(&window).contains("assumed"), "{}", status(&window));
}

#[test]
fn an_answer_without_a_price_leads_to_its_field() {
    let mut window = with_answer();
    edit(&mut window, |study| {
        study.engines.as_mut().expect("engines").cpu.usd_per_hour = None;
        study.sources.remove(TODAYS_PRICE);
    });
    for page in ["Application", "This query"] {
        press(&mut window, page);
        assert_eq!(count(&window, "Only times are compared: today’s machines have no price."), 1, "{page}");
    }
    press(&mut window, "Enter a price");
    assert!(is_there(&window, WHERE) && is_there(&window, "Enter today’s price"));
}

#[test]
fn a_cluster_without_a_price_or_with_another_gpu_says_so_in_its_place() {
    const NO_PRICE: &str = "No price: this cluster cannot be judged by cost.";
    let mut window = with_machines();
    press(&mut window, "Add a GPU cluster");
    let before = warnings(&window);
    edit(&mut window, |study| {
        study.edit_decision(|inputs| {
            inputs.candidates[0].usd_per_hour = None;
            inputs.candidates[0].other_gpu = "A100".to_owned();
        });
    });
    window.get_by_label("The GPU engine was not measured on A100: no time is predicted.");
    window.get_by_label(NO_PRICE);
    assert_eq!(warnings(&window), before + 2, "the status bar counts both");
    press(&mut window, "Enter the price of cluster");
    enter_number(&mut window, "decision.candidates.cluster.usd_per_hour", "0.5");
    assert_eq!(study(&window).decision_inputs().candidates[0].usd_per_hour, Some(0.5));
    assert!(!is_there(&window, NO_PRICE));
    assert_eq!(warnings(&window), before + 1);
}

/// A file without its cluster has the machines of the measurement, whose source is not the file.
#[test]
fn machines_that_the_file_does_not_name_are_assumed_until_they_are_entered() {
    let mut window = with_answer();
    for (unknown, fields) in [
        ("how many machines ran", &["machines"][..]),
        ("how many cores of a machine ran", &["lanes"]),
        ("how many machines with how many cores ran", &["machines", "lanes"]),
    ] {
        assert_eq!(count(&window, "The file does not say"), 0, "{unknown}");
        edit(&mut window, |study| {
            for field in fields {
                let source = Provenance::Published("a benchmark".to_owned());
                study.sources.insert(format!("engines.cpu.{field}"), source);
            }
        });
        let text = format!("The file does not say {unknown} the query");
        for page in ["Application", "This query"] {
            press(&mut window, page);
            assert_eq!(count(&window, &text), 1, "{page}: {unknown}");
        }
        press(&mut window, "Check the machines");
        assert!(is_there(&window, WHERE));
        assert_eq!(count(&window, &text), 1, "{unknown}");
        for field in fields {
            enter_number(&mut window, &format!("engines.cpu.{field}"), "3");
            // Another number than before is an edit.
            enter_number(&mut window, &format!("engines.cpu.{field}"), "2");
        }
        assert_eq!(count(&window, "The file does not say"), 0, "{unknown}");
        press(&mut window, "3 Answer");
    }
}

/// The measured time is that of the file's machines.
#[test]
fn entered_machines_that_are_not_those_of_the_file_are_named_beside_the_answer() {
    const MACHINES: &str = "engines.cpu.machines";
    let mut window = with_answer();
    let of_file = study(&window).engines.as_deref().expect("engines").cpu.machines;
    assert!(study(&window).sources.contains_key(MACHINES), "the file names them");
    press(&mut window, "2 Where");
    enter_number(&mut window, MACHINES, &(of_file + 2.0).to_string());
    press(&mut window, "3 Answer");
    for page in ["Application", "This query"] {
        press(&mut window, page);
        assert_eq!(count(&window, &format!("; you entered {} machines with", of_file + 2.0)), 1, "{page}");
    }
    press(&mut window, "Check the machines");
    enter_number(&mut window, MACHINES, &of_file.to_string());
    press(&mut window, "3 Answer");
    assert_eq!(count(&window, "; you entered "), 0);
}

#[test]
fn a_query_that_ran_on_gpus_is_not_judged_and_leads_to_the_choice_of_another_run() {
    const TEXT: &str = "This query ran on GPUs, so the file has no time on CPUs to compare with.";
    const REASON: &str = "this query alone: the query ran on GPUs already";
    let mut window = with_answer();
    edit(&mut window, |study| {
        let query = study.query.as_mut().expect("a query");
        for node in &mut query.plan.nodes {
            node.ran_on_gpu = true;
        }
    });
    assert!(count(&window, "Cannot be judged") > 0);
    // The strip has the reason on every page.
    window.get_by_label(REASON);
    window.get_by_label(TEXT);
    press(&mut window, "2 Where");
    window.get_by_label(REASON);
    window.get_by_label(TEXT);
    press(&mut window, "3 Answer");
    press(&mut window, "Choose a run on CPUs");
    window.get_by_label("Which queries do you want to decide about?");
}

#[test]
fn a_query_without_a_measured_time_says_so_until_one_is_entered() {
    const TEXT: &str = "No measured time: ";
    let mut window = with_answer();
    assert_eq!(count(&window, TEXT), 0);
    edit(&mut window, |study| {
        study.engines.as_mut().expect("engines").measured_seconds = None;
        study.sources.remove("engines.measured_seconds");
    });
    assert_eq!(count(&window, TEXT), 1);
    press(&mut window, "Enter the measured time");
    assert!(is_there(&window, WHERE));
    assert_eq!(count(&window, TEXT), 1);
    press(&mut window, "Enter the measured time");
    // The wall time of the query: CPU time is that of cores.
    assert!(count(&window, "measured time") > 0);
    assert_eq!(count(&window, "CPU time"), 0);
    enter_number(&mut window, "engines.measured_seconds", "12");
    assert_eq!(study(&window).engines.as_deref().expect("engines").measured_seconds, Some(12.0));
    press(&mut window, "3 Answer");
    assert_eq!(count(&window, TEXT), 0);
}

/// The log up to the end of query 6, which is at 1,795,292,414.740 s.
fn cut_log(folder: &Path) -> PathBuf {
    let text = zstd::decode_all(&fs::read(log()).expect("the log")[..]).expect("zstd");
    let text = String::from_utf8(text).expect("text");
    let end = "\"executionId\":6,\"time\":1795292414740";
    assert!(text.contains(end), "the end of query 6");
    let lines: Vec<&str> = text.lines().take_while(|line| !line.contains(end)).collect();
    let path = folder.join("cut");
    fs::write(&path, lines.join("\n")).expect("written");
    path
}

#[test]
fn the_answer_about_a_log_that_was_cut_off_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = with_machines_of(&cut_log(folder.path()));
    press(&mut window, "Show the answer");
    window.get_by_label(OF_APPLICATION);
    open_notes(&mut window);
    window.get_by_label("Warning: the end of the application is not in the log.");
}

#[test]
fn the_page_and_the_status_bar_have_the_warnings_of_the_command_line() {
    let mut window = with_answer();
    for (page, query) in [("Application", None), ("This query", Some("6"))] {
        press(&mut window, page);
        let printed = crossover_fleet_page::cli::decide::answer_of(&log(), query, &[]).expect("an answer");
        let expected: Vec<&str> = printed.lines().filter(|line| line.starts_with("Warning: ")).collect();
        assert!(!expected.is_empty(), "{printed}");
        assert_eq!(warnings(&window), expected.len(), "{page}: {expected:?}");
        open_notes(&mut window);
        assert_eq!(warnings(&window), expected.len(), "{page}: {expected:?}");
        for warning in &expected {
            assert!(count(&window, warning) > 0, "{page}: {warning}");
        }
        // Each warning is listed once, below a line with the number of warnings; notes do not count.
        assert_eq!(count(&window, "Warning: "), expected.len(), "{page}");
        let in_lines = ["About the log: ", "About the options: "].map(|about| counted(&window, about));
        assert_eq!(in_lines.iter().sum::<usize>(), expected.len(), "{page}: {in_lines:?}");
    }
}

/// The log names its machines, and all prices are known, so that the step has no warning of its own.
#[test]
fn the_step_where_has_the_warnings_of_the_answer() {
    let mut window = with_answer();
    for page in ["Application", "This query"] {
        press(&mut window, page);
        let of_answer = warnings(&window);
        assert!(of_answer > 0, "{page}");
        press(&mut window, "2 Where");
        assert_eq!(warnings(&window), of_answer, "{page}");
        press(&mut window, "3 Answer");
    }
}

#[test]
fn an_engine_that_was_not_measured_is_named_with_the_choice_of_measured_ones() {
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/postgres-join.json");
    let mut window = window();
    send(&mut window, Command::ask(Request::MoveQuery(Source::Path)));
    type_path(&mut window, Path::new(plan));
    assert!(is_there(&window, WHERE), "{}", messages(&window));
    assert_eq!(count(&window, "No engine was measured against PostgreSQL"), 1);
    assert_eq!(decision(study(&window)), None);
    window.get_by_label("Show operators");
}

#[test]
fn prices_of_different_dates_are_named_with_the_step_that_enters_them() {
    const REMEDY: &str = "Enter prices of one date under 2 Where.";
    let mut window = with_answer();
    assert_eq!(count(&window, REMEDY), 0);
    // The prices of the GPU clusters are of 2026-07-20.
    let listed = r#"{"PriceList":{"source":"a list","date":"2025-01-15"}}"#;
    let listed: Provenance = serde_json::from_str(listed).expect("a source");
    edit(&mut window, |study| drop(study.sources.insert(TODAYS_PRICE.to_owned(), listed)));
    for page in ["Application", "This query"] {
        press(&mut window, page);
        assert_eq!(count(&window, REMEDY), 1, "{page}");
    }
}

/// 40 hours at $90 are $3,600.
#[test]
fn an_effort_is_entered_in_hours_with_their_rate_too() {
    const NO_RATE: &str = "Without an hourly rate, the hours are not counted.";
    let mut window = with_answer();
    assert!(window.query_by_role_and_label(Role::SpinButton, "Hourly rate").is_none(), "there are no hours");
    enter_number(&mut window, "Work", "40");
    assert_eq!(study(&window).decision_inputs().objective().effort_usd, None, "an hour has no cost");
    assert!(is_there(&window, NO_RATE));
    enter_number(&mut window, "Hourly rate", "90");
    let inputs = study(&window).decision_inputs();
    assert_eq!((inputs.effort_usd, inputs.effort_hours, inputs.hourly_rate_usd), (None, Some(40.0), Some(90.0)));
    assert_eq!(inputs.objective().effort_usd, Some(3600.0));
    assert!(count(&window, "An effort of $3,600 is ") > 0);
    assert!(!is_there(&window, NO_RATE));
    // The rate is kept while there are no hours.
    enter_number(&mut window, "Work", "0");
    enter_number(&mut window, "Work", "10 h");
    assert_eq!(study(&window).decision_inputs().objective().effort_usd, Some(900.0));
}

#[test]
fn a_budget_that_no_option_keeps_is_named_with_one_that_is_kept() {
    const UNMET: &str = "No option is likely to cost at most $0.000001 per run.";
    let mut window = with_answer();
    edit(&mut window, |study| {
        study.edit_decision(|inputs| (inputs.goal, inputs.budget_usd) = (Goal::Time, Some(1e-6)));
    });
    window.get_by_label(UNMET);
    window.get_by_label_contains("Set the budget to ").click_accesskit();
    settle(&mut window);
    let decided = decision(study(&window)).expect("a decision");
    assert!(decided.objective.budget_usd > Some(1e-6), "{:?}", decided.objective);
    assert!(decided.options.iter().any(|option| option.feasible.is_some_and(|chance| chance >= 0.5)));
    assert!(!is_there(&window, UNMET));
}

#[test]
fn a_time_limit_that_no_option_keeps_is_named_for_the_application_too() {
    let mut window = with_answer();
    press(&mut window, "Application");
    enter_number(&mut window, "within", "0.01");
    window.get_by_label("No option is likely to finish within 0.01× today’s time.");
    window.get_by_label_contains("Set the limit to ").click_accesskit();
    settle(&mut window);
    assert_eq!(count(&window, "No option is likely to finish"), 0);
    assert!(study(&window).decision_inputs().time_limit > 0.01);
}

/// A trial of an application is compared in the terminal.
#[test]
fn the_page_of_the_application_leads_to_the_trial_of_a_query() {
    const BUTTON: &str = "Compare a trial of this query";
    let mut window = with_answer();
    assert!(!is_there(&window, BUTTON));
    press(&mut window, "Application");
    window.get_by_label_contains("For the whole application, use the terminal: crossover decide LOG --trial");
    press(&mut window, BUTTON);
    assert!(is_there(&window, "Compare with the trial’s log…") && !is_there(&window, BUTTON));
}
