//! What the tests of a decision share: the log, its machines and its answer on screen.

use std::path::{Path, PathBuf};

use crossover_page::command::Command;
use crossover_placement_page::request::{Request, Source};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{Window, send, settle, type_path, window};

pub(super) const WHERE: &str = "Where does it run today, and where could it run?";
pub(super) const ANSWER: &str = "What should run this query?";
pub(super) const OF_APPLICATION: &str = "What should run this application?";
/// The button that opens a query of a log with the answer about its application.
pub(super) const OPEN_APPLICATION: &str = "Open whole application";
pub(super) const TODAYS_PRICE: &str = "engines.cpu.usd_per_hour";

/// A log of several queries that comes with the program.
pub(super) fn log() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/spark/shop-eventlog.zstd"))
}

pub(super) fn press(window: &mut Window, label: &str) {
    window.get_by_label(label).click_accesskit();
    settle(window);
}

pub(super) fn is_there(window: &Window, label: &str) -> bool {
    window.query_by_label(label).is_some()
}

pub(super) fn messages(window: &Window) -> String {
    window.state().messages().collect::<Vec<_>>().join("\n")
}

/// Opens the warnings and notes about the log, which are one line: "About the log: 1 warning, 2 notes".
pub(super) fn open_notes(window: &mut Window) {
    fn is_fold(label: &str) -> bool {
        const NOUNS: [&str; 4] = ["warning", "warnings", "note", "notes"];
        let is_count = |part: &str| {
            part.split_once(' ').is_some_and(|(count, noun)| count.parse::<u32>().is_ok() && NOUNS.contains(&noun))
        };
        label.strip_prefix("About the log: ").is_some_and(|counts| counts.split(", ").all(is_count))
    }
    let fold = window.get_by(|node| is_fold(&node.label().unwrap_or_default()));
    if fold.accesskit_node().data().is_expanded() != Some(true) {
        fold.click_accesskit();
    }
    settle(window);
}

/// The application of the log beside its longest query, with its machines on screen.
pub(super) fn with_machines() -> Window {
    with_machines_of(&log())
}

/// The same for another log.
pub(super) fn with_machines_of(log: &Path) -> Window {
    with_machines_in(window(), log)
}

/// The same in an open window.
pub(super) fn with_machines_in(mut window: Window, log: &Path) -> Window {
    send(&mut window, Command::ask(Request::MoveQuery(Source::Path)));
    type_path(&mut window, log);
    if is_there(&window, OPEN_APPLICATION) {
        press(&mut window, OPEN_APPLICATION);
    }
    assert!(is_there(&window, WHERE), "{}", messages(&window));
    window
}

/// The longest query of the log, with its own answer on screen.
pub(super) fn with_answer() -> Window {
    let mut window = with_machines();
    press(&mut window, "Show the answer");
    press(&mut window, "This query");
    assert!(is_there(&window, ANSWER), "{}", messages(&window));
    window
}
