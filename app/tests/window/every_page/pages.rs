//! The pages of the window: each that menus list, and those behind files, steps and sections. `check` is called with the name
//! of each page while it is on screen. Pages that follow on one another share a window.

use crossover::workbench::{Start, listed};
use crossover_allocation_page::{history as replay, training};
use crossover_page::command::Command;
use crossover_placement_page::{engines as of_cases, examples};
use crossover_regulation_page as regulation;
use crossover_scenario::Kind;
use crossover_tool_pages::compare;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use tempfile::TempDir;

use super::super::layout::shown;
use super::super::{Window, allocation, deciding, engines, fleet, history, send, settle, until, window, window_with};

fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

fn press(window: &mut Window, role: Role, name: &str) {
    window.get_all_by_role_and_label(role, name).next().expect(name).click_accesskit();
    settle(window);
}

/// The pages that these commands show, each in a window of its own.
fn listed_pages(is_wanted: impl Fn(&Command) -> bool, mut check: impl FnMut(&str, &mut Window)) {
    let mut count = 0;
    for command in listed().into_iter().filter(is_wanted) {
        let mut window = window();
        let name = command.text();
        send(&mut window, command);
        check(&name, &mut window);
        count += 1;
    }
    assert!(count > 0, "no page was checked");
}

/// The kind of the study that a command opens.
fn kind(command: &Command) -> Option<Kind> {
    match command {
        Command::New(template) => Some(template.kind),
        Command::OpenExample(example) => {
            Some(crossover_scenario::read(example.text).expect("a valid example").study.kind())
        }
        _ => None,
    }
}

/// A new study of each kind.
pub(super) fn new_studies(check: impl FnMut(&str, &mut Window)) {
    listed_pages(|command| matches!(command, Command::New(_)), check);
}

/// All examples of a kind.
pub(super) fn examples_of(wanted: Kind, check: impl FnMut(&str, &mut Window)) {
    let is_wanted = |command: &Command| matches!(command, Command::OpenExample(_)) && kind(command) == Some(wanted);
    listed_pages(is_wanted, check);
}

/// All tools as they open, beside the published setting.
pub(super) fn tools(check: impl FnMut(&str, &mut Window)) {
    listed_pages(|command| matches!(command, Command::ShowTool(_)), check);
}

/// The start panel, steps 2 and 3 of a decision, and the other contents of its page. Step 1 is a tool.
pub(super) fn steps(check: impl Fn(&str, &mut Window)) {
    let with_panel = || Start { offers_start: true, ..Start::default() };
    check("start panel", &mut window_with(with_panel()));
    let mut narrow = shown([800.0, 600.0], with_panel());
    press(&mut narrow, Role::Button, "▼ Parameters");
    check("start panel and drawer of a narrow window", &mut narrow);

    let mut window = deciding::with_machines();
    check("2 Where", &mut window);
    for (button, page) in [("Show the answer", "3 Answer, application"), ("This query", "3 Answer, query")] {
        press(&mut window, Role::Button, button);
        check(page, &mut window);
    }
    for content in ["Plan", "Curves", "Run"] {
        let mut window = deciding::with_answer();
        press(&mut window, Role::Button, content);
        check(content, &mut window);
    }
}

/// The sections of a regulation study beside the first one.
pub(super) fn sections(check: impl Fn(&str, &mut Window)) {
    let mut window = window();
    send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
    for name in ["Gains", "This machine"] {
        press(&mut window, Role::Button, name);
        check(name, &mut window);
    }
}

/// Tools that have read something.
pub(super) fn tools_with_results(check: impl Fn(&str, &mut Window)) {
    let mut window_of_two = window();
    send(&mut window_of_two, Command::OpenExample(examples::MODERN));
    send(&mut window_of_two, Command::ShowTool(compare::TOOL));
    settle(&mut window_of_two);
    window_of_two.get_by_label_contains("Compare with ").click_accesskit();
    settle(&mut window_of_two);
    check("two scenarios compared", &mut window_of_two);

    for tool in [of_cases::TRUTH, of_cases::FIT] {
        let (files, mut window) = (folder(), window());
        send(&mut window, Command::ShowTool(tool));
        engines::open_cases(&mut window, engines::cases(&files));
        check(tool.title, &mut window);
    }

    let (files, mut window_of_jobs) = (folder(), window());
    send(&mut window_of_jobs, Command::ShowTool(replay::TOOL));
    send(&mut window_of_jobs, Command::ask(replay::Request::UseJobs(history::jobs(&files, &history::JOBS))));
    send(&mut window_of_jobs, Command::ask(replay::Request::UseNodes(history::nodes(&files))));
    until(&mut window_of_jobs, "the replay", |window| history::has(window, "3 jobs with GPUs in 2 h on 2 GPUs"));
    settle(&mut window_of_jobs);
    check("replay of recorded jobs", &mut window_of_jobs);

    let (files, mut window_of_runs) = (folder(), window());
    send(&mut window_of_runs, Command::ShowTool(training::TOOL));
    send(&mut window_of_runs, Command::ask(training::Request::UseRuns(allocation::runs(&files))));
    allocation::trained(&mut window_of_runs);
    settle(&mut window_of_runs);
    check("trained predictor", &mut window_of_runs);
}

/// A fleet, an application of it, and a query of that.
pub(super) fn fleets(check: impl Fn(&str, &mut Window)) {
    let (files, mut window) = (fleet::organisation(12), window());
    fleet::open(&mut window, files.path());
    check("fleet", &mut window);
    fleet::look_into_the_first(&mut window);
    check("application of a fleet", &mut window);
    press(&mut window, Role::Row, "query 0");
    check("query of a fleet", &mut window);
}

/// A measured run, two runs compared, and the question which figures a scenario takes over.
#[cfg(target_os = "linux")]
pub(super) fn measurements(check: impl Fn(&str, &mut Window)) {
    use super::super::calibrate;

    const RUNS: [&str; 2] = ["2026-01-02 10:11", "2026-01-03 10:11"];
    let mut page = calibrate::with_two_runs();
    let window = &mut page.window;
    press(window, Role::Button, RUNS[0]);
    check("measured run", window);
    for when in RUNS {
        press(window, Role::CheckBox, &format!("Compare the run of {when}"));
    }
    press(window, Role::Button, "Compare");
    check("two runs compared", window);
    press(window, Role::Button, "Back to the run");
    press(window, Role::Button, "Apply to scenario…");
    check("figures for a scenario", window);
}
