//! A fleet's tab after a restart: its source and what was entered come back, and logs of this machine are read again.

use std::fs;
use std::path::Path;

use crossover::workbench::Start;
use crossover_fleet_page::Request;
use crossover_page::command::Command;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use tempfile::TempDir;

use super::super::{Window, enter_number, send, settle, type_path, window_with};
use super::reading::{PLAN, logs, says};
use super::{applications, click, open, organisation};

/// Chooses a folder instead of one that is gone.
const ANOTHER: &str = "Choose another folder…";

/// A window that keeps its tabs in this folder.
fn window_with_tabs(folder: &Path) -> Window {
    window_with(Start { tabs_file: Some(folder.join("tabs.ron")), ..Start::default() })
}

fn restart(mut window: Window, folder: &Path) -> Window {
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);
    window_with_tabs(folder)
}

#[test]
fn results_come_back_with_what_was_entered() {
    let (folder, tabs) = (organisation(12), TempDir::new().expect("a folder"));
    let mut window = window_with_tabs(tabs.path());
    open(&mut window, folder.path());
    for (name, number) in [("Runs per month", "720"), ("Price today", "3")] {
        window.get_by_role_and_label(Role::CheckBox, name).click_accesskit();
        settle(&mut window);
        enter_number(&mut window, name, number);
    }
    let window = restart(window, tabs.path());
    assert_eq!(applications(&window).len(), 12);
    let number = |field: &str| {
        let node = window.get_by_role_and_label(Role::SpinButton, field);
        node.accesskit_node().numeric_value()
    };
    assert_eq!((number("Runs per month"), number("Price today")), (Some(720.0), Some(3.0)));
    assert!(window.query_by_label(ANOTHER).is_none());
}

#[test]
fn a_closed_tab_comes_back_with_what_was_entered() {
    let folder = organisation(12);
    let mut window = window_with(Start::default());
    open(&mut window, folder.path());
    window.get_by_role_and_label(Role::CheckBox, "Runs per month").click_accesskit();
    settle(&mut window);
    enter_number(&mut window, "Runs per month", "720");
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::ReopenClosed);
    assert_eq!(applications(&window).len(), 12);
    let runs = window.get_by_role_and_label(Role::SpinButton, "Runs per month");
    assert_eq!(runs.accesskit_node().numeric_value(), Some(720.0));
}

#[test]
fn results_that_are_gone_are_named_and_others_can_be_chosen() {
    let (folder, tabs) = (organisation(12), TempDir::new().expect("a folder"));
    let mut window = window_with_tabs(tabs.path());
    open(&mut window, folder.path());
    let name = folder.path().display().to_string();
    folder.close().expect("deleted");
    let mut window = restart(window, tabs.path());
    says(&window, &format!("{name}: there is no such folder"));
    click(&mut window, ANOTHER);
    let other = organisation(3);
    type_path(&mut window, other.path());
    assert_eq!(applications(&window).len(), 3);
}

#[test]
fn logs_are_read_again_when_the_user_asks_and_keep_their_results_when_they_are_gone() {
    let (folder, out, tabs) = (logs(1), TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let mut window = window_with_tabs(tabs.path());
    send(&mut window, Command::ask(Request::ReadLogs(vec![folder.path().to_owned()], out.path().to_owned())));
    assert_eq!(applications(&window), ["shop"]);
    // New since the last window.
    fs::copy(PLAN, folder.path().join("q1.json")).expect("copied");
    let ledger = || fs::read(out.path().join("ledger.jsonl")).expect("results");
    let before = ledger();
    let mut window = restart(window, tabs.path());
    assert_eq!(applications(&window), ["shop"]);
    says(&window, "The logs are read only when you choose “Read again”.");
    assert!(ledger() == before, "a start writes nothing");
    click(&mut window, "Read again");
    assert_eq!(applications(&window).len(), 2);
    assert!(window.query_by_label(ANOTHER).is_none());
    let name = folder.path().display().to_string();
    folder.close().expect("deleted");
    let window = restart(window, tabs.path());
    says(&window, &format!("{name}: there is no such folder. These are the last results."));
    assert_eq!(applications(&window).len(), 2);
    window.get_by_label(ANOTHER);
}
