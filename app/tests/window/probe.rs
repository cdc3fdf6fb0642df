//! The probe page as a user meets it.

use std::path::PathBuf;
use std::sync::Arc;

use crossover::command::Command;
use crossover::studies::probe::examples;
use crossover_model::probe::{Probe, Route};
use egui::accesskit::Role;
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;

use super::files::Dropped;
use super::pictures::{Look, MAIN, STATE, drawn};
use super::{Start, Window, can_draw, send, settle, window_with};

fn study(window: &Window) -> &Probe {
    window.state().active().and_then(|document| document.scenario.probe()).expect("a probe study")
}

#[test]
fn the_answer_is_on_the_page_and_a_centre_can_be_looked_at() {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 1800.0));
    send(&mut window, Command::OpenExample(examples::CENTRES));
    for question in [
        "Which centre delivers most?",
        "How far does work scale?",
        "When is the network good?",
        "What does the probe do?",
        "Where should work run?",
        "What does each centre deliver?",
    ] {
        window.get_by_label(question);
    }
    assert!(window.query_all_by_label_contains("south delivers most").count() > 0);
    window.get_by_label("Probe north");
    window.get_by_role_and_label(Role::RowHeader, "centre coast").click_accesskit();
    settle(&mut window);
    window.get_by_label("Probe coast");
    window.get_by_role_and_label(Role::Button, "card south").click_accesskit();
    settle(&mut window);
    window.get_by_label("Probe south");
}

#[test]
fn operators_centres_and_work_are_edited_and_the_probe_follows() {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 3000.0));
    send(&mut window, Command::OpenExample(examples::PUBLISHED));
    assert!(window.query_all_by_label_contains("executed 6 times").count() > 0);
    window.get_by_label("Add operator").click();
    settle(&mut window);
    assert_eq!(study(&window).operators.len(), 4);
    assert!(window.query_all_by_label_contains("executed 7 times").count() > 0);
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).operators.len(), 3);
    window.get_by_label("Add centre").click();
    settle(&mut window);
    assert_eq!(study(&window).centres[1].name, "centre 2");
    // What an operator gives goes to others, never in a circle.
    assert!(window.query_by_role_and_label(Role::CheckBox, "operators.operator 1.from.operator 3").is_none());
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).centres.len(), 1);
    assert_eq!(study(&window).centres[0].route, Route::Table);
}

/// A program that stands in for the one that measures: a report for whatever it is asked, or none.
#[cfg(unix)]
fn program(folder: &tempfile::TempDir, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.path().join("measure");
    std::fs::write(&path, format!("#!/bin/sh\nfor json; do :; done\n{script}\n")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

#[cfg(unix)]
fn probing(folder: &tempfile::TempDir, script: &str) -> Window {
    let start = Start {
        measuring_program: Some(program(folder, script)),
        measurements_folder: Some(folder.path().join("measurements")),
        ..Start::default()
    };
    let mut window = window_with(start);
    window.set_size(egui::vec2(1280.0, 1200.0));
    send(&mut window, Command::OpenExample(examples::PUBLISHED));
    window
}

#[cfg(unix)]
#[test]
fn a_probe_runs_from_the_page_and_what_comes_back_is_added_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = env!("CARGO_BIN_EXE_crossover");
    let mut window = probing(&folder, &format!("exec {own} bench \"$@\""));
    window.get_by_role_and_label(Role::Button, "Run").click();
    window.run_steps(2);
    settle(&mut window);
    let runs = &study(&window).centres[0].units[1].runs;
    assert_eq!((runs.seconds.len(), runs.failed.len()), (5, 0), "{:?}", runs.failed);
    window.get_by_label("centre: done");
    let history = std::fs::read_to_string(folder.path().join("probes.jsonl")).expect("a history");
    assert_eq!(history.lines().count(), 5);
    // One step of undo for all runs on as many units.
    send(&mut window, Command::Undo);
    assert!(study(&window).centres[0].units[1].runs.seconds.is_empty());
}

#[cfg(unix)]
#[test]
fn what_fails_is_told_and_what_is_cancelled_did_not_fail() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = probing(&folder, "exit 3");
    window.get_by_role_and_label(Role::Button, "Run").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(study(&window).centres[0].units[1].runs.failed.len(), 5);
    assert!(window.query_all_by_label_contains("5 runs at centre failed").count() > 0);

    let folder = tempfile::tempdir().expect("a folder");
    let mut window = probing(&folder, "exec sleep 300");
    window.get_by_role_and_label(Role::Button, "Run").click();
    window.run_steps(3);
    window.get_by_role_and_label(Role::Button, "Cancel").click();
    window.run_steps(2);
    settle(&mut window);
    assert!(study(&window).centres[0].units[1].runs.is_empty());
    window.get_by_label("centre: cancelled");
}

#[cfg(unix)]
#[test]
fn a_file_that_a_centre_reports_is_dropped_and_added() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    std::fs::write(&path, "centre,unit,units,seconds\ncentre,unit 2,1,0.5\ncentre,unit 2,1,0.6\n").expect("written");
    let mut window = super::window();
    send(&mut window, Command::OpenExample(examples::PUBLISHED));
    window.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    settle(&mut window);
    assert_eq!(&study(&window).centres[0].units[1].runs.seconds[..], [0.5, 0.6]);
    send(&mut window, Command::Undo);
    assert!(study(&window).centres[0].units[1].runs.is_empty());
}

#[test]
fn the_page_of_centres_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    for (name, example, look) in [
        ("probe-light", examples::CENTRES, MAIN),
        ("probe-dark", examples::CENTRES, Look { theme: egui::Theme::Dark, ..MAIN }),
        ("probe-light-scale-2", examples::CENTRES, Look { scale: 2.0, ..MAIN }),
        ("probe-tall", examples::CENTRES, Look { size: [1280.0, 1900.0], ..MAIN }),
        ("probe-narrow", examples::CENTRES, STATE),
        ("probe-new", examples::PUBLISHED, MAIN),
    ] {
        let mut window = drawn(&look, Start::default());
        send(&mut window, Command::OpenExample(example));
        window.run_steps(6);
        results.add(window.try_snapshot(name));
    }
}
