//! A picture of the fleet, and the layout of its pages and states as text.

use std::path::PathBuf;

use crossover::workbench::Start;
use crossover_fleet_page::{Request, TOOL};
use crossover_page::command::Command;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use tempfile::TempDir;

use super::super::layout::{assert_layout, shown};
use super::super::pictures::{MAIN, STATE, drawn};
use super::super::{Window, can_draw, send, settle};
use super::{applications, click, fixture, open};

/// Results in a folder whose name is the same in every run.
fn results(applications: usize) -> (TempDir, PathBuf) {
    let around = TempDir::new().expect("a folder");
    let folder = around.path().join("spark-history");
    fixture::write(&folder, applications);
    (around, folder)
}

fn pick(window: &mut Window, place: usize) {
    let name = applications(window)[place].clone();
    window
        .get_all_by_role_and_label(Role::Row, &format!("application {name}"))
        .next()
        .expect("a row")
        .click_accesskit();
    settle(window);
}

#[test]
fn a_fleet_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let (_around, folder) = results(312);
    let mut window = drawn(&MAIN, Start::default());
    open(&mut window, &folder);
    pick(&mut window, 2);
    window.run_steps(6);
    window.snapshot("fleet-light");
}

#[test]
fn a_fleet_is_laid_out_as_agreed() {
    let (_around, folder) = results(312);
    let mut window = shown([1920.0, 1080.0], Start::default());
    open(&mut window, &folder);
    pick(&mut window, 2);
    window.run_steps(6);
    assert_layout("fleet-large", &window);

    let mut window = shown(MAIN.size, Start::default());
    open(&mut window, &folder);
    window.get_by_role_and_label(Role::ComboBox, "Group by").click_accesskit();
    settle(&mut window);
    window.get_by_label("by name pattern").click();
    settle(&mut window);
    window.get_by_role_and_label(Role::Row, "group load-orders-#").click_accesskit();
    window.hover_at(egui::pos2(640.0, 790.0));
    settle(&mut window);
    window.run_steps(6);
    assert_layout("fleet-groups", &window);

    let mut window = shown(MAIN.size, Start::default());
    open(&mut window, &folder);
    pick(&mut window, 0);
    let last = applications(&window)[5].clone();
    let row = format!("application {last}");
    window.get_all_by_role_and_label(Role::Row, &row).next().expect("a row").click_modifiers(egui::Modifiers::SHIFT);
    settle(&mut window);
    window.run_steps(6);
    assert_layout("fleet-chosen", &window);
    click(&mut window, "Find a cluster for the 6 selected");
    window.run_steps(6);
    assert_layout("fleet-search", &window);

    let mut window = shown(MAIN.size, Start::default());
    open(&mut window, &folder);
    pick(&mut window, 1);
    click(&mut window, "Open application");
    window.run_steps(6);
    assert_layout("fleet-application", &window);
    window.get_by_role_and_label(Role::Row, "query 0").click_accesskit();
    settle(&mut window);
    window.run_steps(6);
    assert_layout("fleet-query", &window);
}

#[test]
fn every_state_of_a_fleet_is_laid_out_as_agreed() {
    let mut window = shown(STATE.size, Start::default());
    send(&mut window, Command::ShowTool(TOOL));
    assert_layout("state-fleet-first-visit", &window);
    open(&mut window, std::path::Path::new("/no/such/folder"));
    assert_layout("state-fleet-error", &window);
    let (_around, folder) = results(40);
    let mut window = shown(STATE.size, Start::default());
    open(&mut window, &folder);
    window.run_steps(6);
    assert_layout("state-fleet-narrow", &window);
    // Results of unknown engines.
    let around = TempDir::new().expect("a folder");
    let folder = around.path().join("spark-history");
    fixture::write_of(&folder, 40, "/var/log/spark-history", "others");
    let mut window = shown(STATE.size, Start::default());
    open(&mut window, &folder);
    window.run_steps(6);
    assert_layout("state-fleet-unknown-engines", &window);
    let read = Request::ReadLogs(vec![PathBuf::from("/var/log/spark-history")], folder);
    window.state_mut().send(Command::ask(read));
    settle(&mut window);
    window.run_steps(6);
    assert_layout("state-fleet-replace", &window);
}
