//! Folders as they come: of logs, of results, of neither.

use std::fs;
use std::path::{Path, PathBuf};

use crossover::command::Command;
use crossover::studies::placement::fleet::{Request, TOOL};
use crossover::workbench::Start;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use tempfile::TempDir;

use super::super::{Window, send, settle, study, type_path, window, window_with};
use super::{applications, click, house, open};

/// A real log of three queries in 56.7 s: `plan/samples/spark`.
const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/spark/shop-eventlog.zstd");

/// A folder with so many copies of the log.
fn logs(copies: usize) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for copy in 0..copies {
        fs::copy(LOG, folder.path().join(format!("app-{copy}"))).expect("copied");
    }
    folder
}

/// What is wrong, in the words on screen.
fn says(window: &Window, words: &str) {
    let labels = window.query_all_by_role(Role::Label).filter_map(|label| label.accesskit_node().value());
    let labels: Vec<String> = labels.collect();
    assert!(labels.iter().any(|label| label.contains(words)), "{words} is not among {labels:#?}");
}

#[test]
fn what_is_no_fleet_gives_a_sentence() {
    let folder = TempDir::new().expect("a folder");
    let mut window = window();
    open(&mut window, Path::new("/no/such/folder"));
    says(&window, "/no/such/folder: there is no such folder");
    open(&mut window, folder.path());
    says(&window, "no results of `crossover fleet` here");
    says(&window, "Choose the folder that was named with --out, or read a folder of logs.");
    // Bytes that mean nothing.
    fs::write(folder.path().join("ledger.jsonl"), [0xff; 4096]).expect("written");
    open(&mut window, folder.path());
    says(&window, "no ledger.jsonl with a whole line");
    // A folder of other files, read as logs.
    let (other, out) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    fs::write(other.path().join("notes.txt"), "nothing\n").expect("written");
    send(&mut window, Command::ask(Request::ReadLogs(vec![other.path().to_owned()], out.path().to_owned())));
    says(&window, "No event log of Spark in ");
    says(&window, "Choose the folder that has the logs.");
    // What is wrong with one folder is gone with the next.
    open(&mut window, house(3).path());
    assert_eq!(applications(&window).len(), 3);
}

#[test]
fn results_that_were_cut_off_are_shown_as_far_as_they_go() {
    let folder = house(6);
    let ledger = folder.path().join("ledger.jsonl");
    let whole = fs::read(&ledger).expect("read");
    fs::write(&ledger, &whole[..whole.len() / 2]).expect("written");
    let mut window = window();
    open(&mut window, folder.path());
    says(&window, "The run has not ended");
    let count = applications(&window).len();
    assert!((1..6).contains(&count), "{count}");
}

#[test]
fn a_folder_of_logs_is_read_and_a_query_opens_as_a_scenario() {
    let (folder, home) = (logs(1), TempDir::new().expect("a folder"));
    let start = Start { fleets_folder: Some(home.path().to_owned()), ..Start::default() };
    let mut window = window_with(start);
    send(&mut window, Command::ShowTool(TOOL));
    click(&mut window, "Read logs…");
    type_path(&mut window, folder.path());
    assert_eq!(applications(&window), ["shop"]);
    let kept: Vec<PathBuf> =
        fs::read_dir(home.path()).expect("read").map(|entry| entry.expect("read").path()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(kept[0].join("applications.parquet").is_file());

    // A further folder is read into the same results.
    let more = logs(2);
    click(&mut window, "Add logs…");
    type_path(&mut window, more.path());
    window.get_by_label("2 files and folders are left out");
    assert_eq!(fs::read_dir(home.path()).expect("read").count(), 1);

    window.get_by_role_and_label(Role::Row, "application shop").click_accesskit();
    settle(&mut window);
    click(&mut window, "Look into it");
    let query = super::rows(&window).into_iter().find(|row| row.starts_with("query ")).expect("queries");
    window.get_by_role_and_label(Role::Row, &query).click_accesskit();
    settle(&mut window);
    click(&mut window, "Open its plan");
    assert!(study(&window).query.is_some(), "{:?}", window.state().messages().collect::<Vec<_>>());
    let name = window.state().active().map(|document| document.scenario.name.clone()).unwrap_or_default();
    assert_eq!(name, format!("shop, {query}"));
    assert!(study(&window).engines.is_none());

    // The same query in the engines of the fleet, in Search, where the machines on the GPUs' side are let free.
    send(&mut window, Command::ShowTool(TOOL));
    click(&mut window, "Search a cluster for it");
    window.get_by_label("What keeps every limit, and is best?");
    let last = window.state().documents().last().expect("a document");
    let engines = last.scenario.placement().and_then(|study| study.engines.as_deref()).expect("engines");
    assert!(engines.gpu.name.contains("RAPIDS"), "{}", engines.gpu.name);
    window.get_by_role_and_label(Role::SearchInput, "search a number").click();
    window.run_steps(2);
    window.event(egui::Event::Text("engines.gpu.machines".to_owned()));
    window.run_steps(2);
    window
        .get_by(|node| node.label().is_some_and(|label| label.starts_with("engines.gpu.machines ·")))
        .click_accesskit();
    settle(&mut window);
    window.get_by_label("Give the scenario this");
}

#[test]
fn what_was_read_before_it_was_cancelled_is_kept() {
    let (folder, out) = (logs(150), TempDir::new().expect("a folder"));
    let mut window = window();
    let read = Request::ReadLogs(vec![folder.path().to_owned()], out.path().to_owned());
    window.state_mut().send(Command::ask(read));
    let patience = std::time::Instant::now() + std::time::Duration::from_mins(1);
    let ledger = out.path().join("ledger.jsonl");
    while window.query_by_label("Cancel reading").is_none() || fs::metadata(&ledger).map_or(0, |file| file.len()) == 0 {
        assert!(std::time::Instant::now() < patience, "nothing to cancel");
        window.run_steps(1);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    // Closing the tab asks first, in words that fit.
    window.state_mut().send(Command::CloseTab);
    window.run_steps(3);
    click_without_waiting(&mut window, "Keep reading");
    click_without_waiting(&mut window, "Cancel reading");
    settle(&mut window);
    says(&window, "What was read is kept; “Go on” reads the rest.");
    // The thread that reads may still have a log in its hands.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let lines = |out: &Path| fs::read_to_string(out.join("ledger.jsonl")).expect("read").lines().count();
    let before = lines(out.path());
    assert!((1..150).contains(&before), "{before} of 150");
    click(&mut window, "Go on");
    assert_eq!(applications(&window), ["shop"]);
    // Each log once, and the end of the run.
    assert_eq!(lines(out.path()), 151);
}

fn click_without_waiting(window: &mut Window, label: &str) {
    window.get_by_label(label).click_accesskit();
    window.run_steps(3);
}

#[test]
fn what_is_dropped_is_opened_as_what_it_is() {
    let folder = house(3);
    // A path of the command line comes the same way.
    let mut window = window_with(Start { dropped: vec![folder.path().to_owned()], ..Start::default() });
    assert_eq!(applications(&window).len(), 3);
    let dropped = Request::OpenDropped(PathBuf::from(LOG));
    send(&mut window, Command::ask(dropped));
    window.get_by_label("Which query?");
}
