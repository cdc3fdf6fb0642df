//! Pages without anything to show: a picture of a shipped sample, and the button that opens it.

use crossover::workbench::Start;
use crossover_allocation_page::{history, training};
use crossover_fleet_page as fleet;
use crossover_page::command::{Command, Tool};
use crossover_probe_page as probe;
use crossover_regulation_page as regulation;
use crossover_tool_pages::{compare, map, search, sweep, uncertainty};
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::layout::shown;
use super::{Window, send, settle, until, window_with};

const OPEN: &str = "Open a sample";

fn has(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

/// A tool without a scenario, in the smallest window.
fn without_a_scenario(tool: Tool) -> Window {
    let mut window = shown([800.0, 600.0], Start::default());
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::ShowTool(tool));
    window
}

#[test]
fn a_tool_without_a_scenario_shows_its_chart_of_the_sample_and_opens_it() {
    for (tool, title) in [
        (sweep::TOOL, "How does speedup change with machines?"),
        (map::TOOL, "Where does speedup reach"),
        (compare::TOOL, "Which scenario has the better speedup along machines?"),
        (uncertainty::TOOL, "Distribution of speedup"),
        (search::TOOL, "speedup"),
    ] {
        let mut window = without_a_scenario(tool);
        assert!(window.state().documents().is_empty(), "{}", tool.title);
        assert!(has(&window, "Sample: the published setting") && has(&window, title), "{}", tool.title);
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(800.0, 600.0));
        let button = window.get_by_role_and_label(Role::Button, OPEN).rect();
        assert!(screen.contains_rect(button), "{}: {button:?} is not on the screen", tool.title);
        window.get_by_role_and_label(Role::Button, OPEN).click_accesskit();
        settle(&mut window);
        assert_eq!(window.state().documents().len(), 1, "{}", tool.title);
        assert!(!has(&window, "Sample: "), "{}: the sample is in the tool", tool.title);
    }
}

#[test]
fn tools_that_read_jobs_and_runs_show_their_chart_of_a_sample_and_read_it() {
    for (tool, title, opened) in [
        (history::TOOL, "How long do jobs wait?", "96 jobs with GPUs in "),
        (training::TOOL, "Does the validation error still fall?", "How accurate is the predictor?"),
    ] {
        let mut window = without_a_scenario(tool);
        assert!(has(&window, "Sample: ") && has(&window, title), "{}", tool.title);
        window.set_size(egui::vec2(1280.0, 1600.0));
        window.get_by_role_and_label(Role::Button, OPEN).click_accesskit();
        until(&mut window, "the sample on the page", |window| has(window, opened));
        assert!(!has(&window, "Sample: "), "{}: the sample is on the page", tool.title);
    }
}

#[test]
fn the_fleet_page_reads_the_log_that_comes_with_the_program() {
    let home = tempfile::tempdir().expect("a folder");
    let mut window = window_with(Start { fleets_folder: Some(home.path().to_owned()), ..Start::default() });
    send(&mut window, Command::ShowTool(fleet::TOOL));
    assert!(has(&window, "Time today and with other engines"));
    // Engines on CPUs are options, too, and the list is in the order of the money.
    for part in ["plans of DuckDB", "Gluten, Comet and RAPIDS, in time and money", "by their saving"] {
        assert!(has(&window, part), "{part}");
    }
    window.get_by_role_and_label(Role::Button, OPEN).click_accesskit();
    settle(&mut window);
    assert!(!has(&window, "Sample: ") && has(&window, "1 application"));
    assert!(home.path().join("sample-results").is_dir(), "its results lie below the folder of fleets");
}

#[test]
fn this_machine_without_readings_shows_a_recorded_gpu_and_opens_it() {
    let mut window = window_with(Start::default());
    send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
    send(&mut window, Command::ask(regulation::Request::Show(regulation::Section::Live)));
    assert!(
        has(&window, "Sample: the recorded load of an H100") && has(&window, "Are transfer and compute in balance?")
    );
    window.get_by_role_and_label(Role::Button, OPEN).click_accesskit();
    settle(&mut window);
    let document = window.state().active().expect("a document");
    assert_eq!(document.scenario.name, "Recorded load of an H100");
}

#[test]
fn a_probe_without_centres_shows_compared_centres_and_opens_them() {
    let mut window = window_with(Start::default());
    send(&mut window, Command::New(probe::examples::TEMPLATE));
    assert!(has(&window, "Which centre scores highest?"));
    window.get_by_role_and_label(Role::Button, OPEN).click_accesskit();
    settle(&mut window);
    assert_eq!(window.state().documents().len(), 3, "published setting, new study, sample");
    assert!(has(&window, "card south"));
}
