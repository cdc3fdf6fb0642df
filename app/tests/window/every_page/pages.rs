//! The pages of the window: each that menus list, and those behind files, steps and sections.

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

/// A page on screen.
pub(super) struct Shown {
    pub(super) name: String,
    pub(super) window: Window,
    /// Files that the page may read again.
    _files: Option<TempDir>,
}

impl Shown {
    fn new(name: impl Into<String>, window: Window) -> Self {
        Self { name: name.into(), window, _files: None }
    }

    fn with_files(name: &str, window: Window, files: TempDir) -> Self {
        Self { name: name.into(), window, _files: Some(files) }
    }
}

fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

fn press(window: &mut Window, role: Role, name: &str) {
    window.get_all_by_role_and_label(role, name).next().expect(name).click_accesskit();
    settle(window);
}

/// The page that a command shows.
fn by_command(command: &Command) -> Shown {
    let mut window = window();
    send(&mut window, command.clone());
    Shown::new(command.text(), window)
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
pub(super) fn new_studies() -> impl Iterator<Item = Shown> {
    listed().into_iter().filter(|command| matches!(command, Command::New(_))).map(|command| by_command(&command))
}

/// All examples of a kind.
pub(super) fn examples_of(wanted: Kind) -> impl Iterator<Item = Shown> {
    let examples = listed().into_iter().filter(|command| matches!(command, Command::OpenExample(_)));
    examples.filter(move |command| kind(command) == Some(wanted)).map(|command| by_command(&command))
}

/// All tools as they open, beside the published setting.
pub(super) fn tools() -> impl Iterator<Item = Shown> {
    listed().into_iter().filter(|command| matches!(command, Command::ShowTool(_))).map(|command| by_command(&command))
}

/// The start panel, steps 2 and 3 of a decision, and the other contents of its page. Step 1 is a tool.
pub(super) fn steps() -> Vec<Shown> {
    let with_panel = || Start { offers_start: true, ..Start::default() };
    let mut narrow = shown([800.0, 600.0], with_panel());
    press(&mut narrow, Role::Button, "▼ Parameters");
    let mut pages = vec![
        Shown::new("start panel", window_with(with_panel())),
        Shown::new("start panel and drawer of a narrow window", narrow),
        Shown::new("2 Where", deciding::with_machines()),
        Shown::new("3 Answer, query", deciding::with_answer()),
    ];
    let mut application = deciding::with_machines();
    press(&mut application, Role::Button, "Show the answer");
    pages.push(Shown::new("3 Answer, application", application));
    for content in ["Plan", "Curves", "Run"] {
        let mut window = deciding::with_answer();
        press(&mut window, Role::Button, content);
        pages.push(Shown::new(content, window));
    }
    pages
}

/// The sections of a regulation study beside the first one.
pub(super) fn sections() -> Vec<Shown> {
    let section = |name: &str| {
        let mut window = window();
        send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
        press(&mut window, Role::Button, name);
        Shown::new(name, window)
    };
    vec![section("Gains"), section("This machine")]
}

/// Tools that have read something.
pub(super) fn tools_with_results() -> Vec<Shown> {
    let mut pages = Vec::new();

    let mut window_of_two = window();
    send(&mut window_of_two, Command::OpenExample(examples::MODERN));
    send(&mut window_of_two, Command::ShowTool(compare::TOOL));
    settle(&mut window_of_two);
    window_of_two.get_by_label_contains("Compare with ").click_accesskit();
    settle(&mut window_of_two);
    pages.push(Shown::new("two scenarios compared", window_of_two));

    for tool in [of_cases::TRUTH, of_cases::FIT] {
        let (files, mut window) = (folder(), window());
        send(&mut window, Command::ShowTool(tool));
        engines::open_cases(&mut window, engines::cases(&files));
        pages.push(Shown::with_files(tool.title, window, files));
    }

    let (files, mut window_of_jobs) = (folder(), window());
    send(&mut window_of_jobs, Command::ShowTool(replay::TOOL));
    send(&mut window_of_jobs, Command::ask(replay::Request::UseJobs(history::jobs(&files, &history::JOBS))));
    send(&mut window_of_jobs, Command::ask(replay::Request::UseNodes(history::nodes(&files))));
    until(&mut window_of_jobs, "the replay", |window| history::has(window, "3 jobs with GPUs in 2 h on 2 GPUs"));
    settle(&mut window_of_jobs);
    pages.push(Shown::with_files("replay of recorded jobs", window_of_jobs, files));

    let (files, mut window_of_runs) = (folder(), window());
    send(&mut window_of_runs, Command::ShowTool(training::TOOL));
    send(&mut window_of_runs, Command::ask(training::Request::UseRuns(allocation::runs(&files))));
    allocation::trained(&mut window_of_runs);
    settle(&mut window_of_runs);
    pages.push(Shown::with_files("trained predictor", window_of_runs, files));
    pages
}

/// A fleet, an application of it, and a query of that.
pub(super) fn fleets() -> Vec<Shown> {
    let opened = || {
        let (files, mut window) = (fleet::organisation(12), window());
        fleet::open(&mut window, files.path());
        (files, window)
    };
    let (files, window) = opened();
    let all = Shown::with_files("fleet", window, files);
    let (files, mut window) = opened();
    fleet::look_into_the_first(&mut window);
    let application = Shown::with_files("application of a fleet", window, files);
    let (files, mut window) = opened();
    fleet::look_into_the_first(&mut window);
    press(&mut window, Role::Row, "query 0");
    vec![all, application, Shown::with_files("query of a fleet", window, files)]
}

/// A measured run, two runs compared, and the question which figures a scenario takes over.
#[cfg(target_os = "linux")]
pub(super) fn measurements() -> Vec<Shown> {
    use super::super::calibrate;

    const RUNS: [&str; 2] = ["2026-01-02 10:11", "2026-01-03 10:11"];
    let opened = || {
        let mut page = calibrate::with_two_runs();
        press(&mut page.window, Role::Button, RUNS[0]);
        (page.folder, page.window)
    };
    let (files, window) = opened();
    let run = Shown::with_files("measured run", window, files);
    let (files, mut window) = opened();
    for when in RUNS {
        press(&mut window, Role::CheckBox, &format!("Compare the run of {when}"));
    }
    press(&mut window, Role::Button, "Compare");
    let compared = Shown::with_files("two runs compared", window, files);
    let (files, mut window) = opened();
    press(&mut window, Role::Button, "Apply to scenario…");
    vec![run, compared, Shown::with_files("figures for a scenario", window, files)]
}
