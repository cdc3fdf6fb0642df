//! Pictures of the fleet and its states.

use std::path::PathBuf;

use crossover::command::Command;
use crossover::studies::placement::fleet::{Request, TOOL};
use crossover::workbench::Start;
use egui::accesskit::Role;
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use tempfile::TempDir;

use super::super::pictures::{Look, MAIN, STATE, drawn};
use super::super::{Window, can_draw, send, settle};
use super::{applications, click, fixture, open};

/// Results in a folder whose name is the same in every picture.
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
    let mut results = SnapshotResults::new();
    let large = Look { size: [1920.0, 1080.0], ..MAIN };
    for (name, look) in [
        ("fleet-light", Look { ..MAIN }),
        ("fleet-dark", Look { theme: egui::Theme::Dark, ..MAIN }),
        ("fleet-large-light", large),
        ("fleet-large-dark", Look { theme: egui::Theme::Dark, size: [1920.0, 1080.0], ..MAIN }),
    ] {
        let mut window = drawn(&look, Start::default());
        open(&mut window, &folder);
        pick(&mut window, 2);
        window.run_steps(6);
        results.add(window.try_snapshot(name));
    }

    let mut window = drawn(&MAIN, Start::default());
    open(&mut window, &folder);
    window.get_by_role_and_label(Role::ComboBox, "Group by").click_accesskit();
    settle(&mut window);
    window.get_by_label("by name pattern").click();
    settle(&mut window);
    window.get_by_role_and_label(Role::Row, "group load-orders-#").click_accesskit();
    window.hover_at(egui::pos2(640.0, 790.0));
    settle(&mut window);
    window.run_steps(6);
    results.add(window.try_snapshot("fleet-groups"));

    for (theme, name) in [(egui::Theme::Light, "light"), (egui::Theme::Dark, "dark")] {
        let mut window = drawn(&Look { theme, ..MAIN }, Start::default());
        open(&mut window, &folder);
        pick(&mut window, 0);
        let last = applications(&window)[5].clone();
        let row = format!("application {last}");
        window
            .get_all_by_role_and_label(Role::Row, &row)
            .next()
            .expect("a row")
            .click_modifiers(egui::Modifiers::SHIFT);
        settle(&mut window);
        window.run_steps(6);
        results.add(window.try_snapshot(format!("fleet-chosen-{name}")));
        click(&mut window, "Search a cluster for the 6 chosen");
        window.run_steps(6);
        results.add(window.try_snapshot(format!("fleet-search-{name}")));
    }

    for (theme, name) in [(egui::Theme::Light, "light"), (egui::Theme::Dark, "dark")] {
        let mut window = drawn(&Look { theme, ..MAIN }, Start::default());
        open(&mut window, &folder);
        pick(&mut window, 1);
        click(&mut window, "Look into it");
        window.run_steps(6);
        results.add(window.try_snapshot(format!("fleet-application-{name}")));
        window.get_by_role_and_label(Role::Row, "query 0").click_accesskit();
        settle(&mut window);
        window.run_steps(6);
        results.add(window.try_snapshot(format!("fleet-query-{name}")));
    }
}

#[test]
fn every_state_of_a_fleet_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results_of = SnapshotResults::new();
    let mut window = drawn(&STATE, Start::default());
    send(&mut window, Command::ShowTool(TOOL));
    results_of.add(window.try_snapshot("state-fleet-first-visit"));
    open(&mut window, std::path::Path::new("/no/such/folder"));
    results_of.add(window.try_snapshot("state-fleet-error"));
    let (_around, folder) = results(40);
    let mut window = drawn(&STATE, Start::default());
    open(&mut window, &folder);
    window.run_steps(6);
    results_of.add(window.try_snapshot("state-fleet-narrow"));
    // Results whose engines nobody has.
    let around = TempDir::new().expect("a folder");
    let folder = around.path().join("spark-history");
    fixture::write_of(&folder, 40, "/var/log/spark-history", "others");
    let mut window = drawn(&STATE, Start::default());
    open(&mut window, &folder);
    window.run_steps(6);
    results_of.add(window.try_snapshot("state-fleet-unknown-engines"));
    let read = Request::ReadLogs(vec![PathBuf::from("/var/log/spark-history")], folder);
    window.state_mut().send(Command::ask(read));
    settle(&mut window);
    window.run_steps(6);
    results_of.add(window.try_snapshot("state-fleet-replace"));
}
