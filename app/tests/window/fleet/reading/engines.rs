//! The engines that results were measured with.

use std::fs;

use crossover_fleet::ledger::Ledger;
use crossover_fleet_page::Request;
use crossover_page::command::Command;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use tempfile::TempDir;

use super::super::super::{Window, send, settle, type_path, window};
use super::super::{click, look_into_the_first, open, rows};
use super::{gpu_machines, logs, measured_with, says};

/// From the list to the first query of the only application.
fn look_into(window: &mut Window) {
    assert_eq!(look_into_the_first(window), "shop");
    let query = rows(window).into_iter().find(|row| row.starts_with("query ")).expect("queries");
    window.get_by_role_and_label(Role::Row, &query).click_accesskit();
    settle(window);
}

#[test]
fn a_query_is_searched_in_the_engines_that_the_fleet_was_measured_with() {
    let out = TempDir::new().expect("a folder");
    measured_with(7.0, out.path());
    let mut window = window();
    open(&mut window, out.path());
    look_into(&mut window);
    click(&mut window, "Find a cluster for it");
    window.get_by_label("Recommended candidate");
    assert_eq!(gpu_machines(&window), 7.0);
    // What is free, what must hold and what is best is there.
    assert!(window.query_by_label("engines.gpu.machines from").is_some());
    assert!(window.query_by_label_contains("gpu-machines: any of").is_some());
    assert!(window.query_by_label_contains(" on the left").is_none());
}

#[test]
fn engines_that_are_not_kept_are_named_first() {
    let (out, other) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    measured_with(7.0, out.path());
    let base = out.path().join("base.ron");
    let kept = other.path().join("ours.ron");
    fs::rename(&base, &kept).expect("moved");
    measured_with(9.0, other.path());
    let mut window = window();
    open(&mut window, out.path());
    let search = |window: &Window| window.get_by_label("Find a cluster for all 1").accesskit_node().is_disabled();
    assert!(search(&window));
    says(&window, "The engines of these predictions are not stored");
    // Another scenario is not taken.
    click(&mut window, "Name their engines…");
    type_path(&mut window, &other.path().join("base.ron"));
    assert!(search(&window));
    assert!(window.state().messages().any(|message| message.contains("were predicted with another scenario")));
    click(&mut window, "Name their engines…");
    type_path(&mut window, &kept);
    assert!(!search(&window));
    click(&mut window, "Find a cluster for all 1");
    assert_eq!(gpu_machines(&window), 7.0);
}

#[test]
fn results_of_other_engines_are_not_replaced_unasked() {
    let out = TempDir::new().expect("a folder");
    let base = measured_with(7.0, out.path());
    let logs = logs(1);
    let digests = || -> Vec<String> {
        let ledger = Ledger::of(out.path()).expect("results");
        ledger.entries().values().map(|known| known.head.base.clone()).collect()
    };
    let mut window = window();
    let ask = Command::ask(Request::ReadLogs(vec![logs.path().to_owned()], out.path().to_owned()));
    send(&mut window, ask.clone());
    window.get_by_label("Replace the results?");
    says(&window, "7 × g6.2xlarge");
    click(&mut window, "Cancel");
    assert_eq!(digests(), std::slice::from_ref(&base.digest));
    // With their engines nothing is lost.
    send(&mut window, ask.clone());
    click(&mut window, "Read with their engines");
    assert!(digests().iter().all(|digest| *digest == base.digest), "{:?}", digests());
    assert!(digests().len() > 1, "the new log was not read");
    // Reading the same again asks nothing.
    click(&mut window, "Read again");
    assert!(window.query_by_label("Replace the results?").is_none());
    send(&mut window, ask);
    click(&mut window, "Replace them");
    let ledger = Ledger::of(out.path()).expect("results");
    let done = ledger.done().expect("it has ended");
    assert_ne!(done.base, base.digest);
}
