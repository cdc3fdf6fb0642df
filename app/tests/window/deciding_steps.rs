//! The way to a decision: the start panel, and the three steps from a log to its answer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crossover::workbench::{Start, Workbench};
use crossover_decision::PriceBasis;
use crossover_page::command::Command;
use crossover_placement_page::examples;
use crossover_placement_page::request::{Request, Source};
use crossover_plan::decide::decision;
use crossover_quantity::provenance::SourceKind;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::deciding::{
    ANSWER, OF_APPLICATION, OPEN_APPLICATION, TODAYS_PRICE, WHERE, is_there, log, messages, press, with_machines,
};
use super::files::Dropped;
use super::{Window, enter_number, send, settle, study, type_path, window, window_with};

const PANEL: &str = "What do you want to decide?";
const CLOSE: &str = "Close the start panel";
const WHAT: &str = "Which queries do you want to decide about?";

fn with_panel() -> Start {
    Start { offers_start: true, ..Start::default() }
}

/// Settings that outlive a window.
#[derive(Debug, Default)]
struct Memory(BTreeMap<String, String>);

impl eframe::Storage for Memory {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }

    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }

    fn flush(&mut self) {}
}

/// A window that begins with stored settings.
fn window_after(memory: Memory) -> Window {
    let memory: &'static Memory = Box::leak(Box::new(memory));
    let mut window = Harness::builder()
        .with_size([1280.0, 800.0])
        .with_os(egui::os::OperatingSystem::Nix)
        .with_max_steps(24)
        .build_eframe(|creation| {
            creation.storage = Some(memory);
            Workbench::new(creation, with_panel())
        });
    settle(&mut window);
    window
}

#[test]
fn the_panel_stands_beside_the_live_curves_and_one_click_closes_it_for_good() {
    let mut window = window_with(with_panel());
    assert!(is_there(&window, PANEL));
    for choice in ["Move queries to GPUs", "Share GPUs among tasks", "Compare centres"] {
        window.get_by_label(choice);
    }
    // The curves and the inspector of the published setting are there too.
    window.get_by_role_and_label(Role::SpinButton, "cluster.machines");
    assert!(!super::board(&window).charts().is_empty());
    press(&mut window, CLOSE);
    assert!(!is_there(&window, PANEL));

    let mut memory = Memory::default();
    eframe::App::save(window.state_mut(), &mut memory);
    let mut window = window_after(memory);
    assert!(!is_there(&window, PANEL), "it stays closed after a restart");
    send(&mut window, Command::ShowStart);
    assert!(is_there(&window, PANEL));
}

#[test]
fn the_panel_is_only_beside_the_scenario_that_the_window_began_with() {
    let mut window = window_with(with_panel());
    send(&mut window, Command::OpenExample(examples::SMALL));
    assert!(!is_there(&window, PANEL));
    send(&mut window, Command::ShowStart);
    assert!(is_there(&window, PANEL));
    assert_eq!(window.state().documents().len(), 2, "the published setting is shown, not opened again");
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::ShowStart);
    assert!(is_there(&window, PANEL));
    assert_eq!(window.state().documents().len(), 2, "it was closed, so it is opened again");
}

#[test]
fn every_choice_of_the_panel_leads_to_its_page() {
    for (choice, kind) in [("Share GPUs among tasks", "allocation"), ("Compare centres", "probe")] {
        let mut window = window_with(with_panel());
        press(&mut window, choice);
        assert_eq!(window.state().active().expect("open").scenario.study.kind().key(), kind);
    }
    let mut window = window_with(with_panel());
    press(&mut window, "Move queries to GPUs");
    window.get_by_label(WHAT);
}

#[test]
fn three_steps_lead_from_a_log_to_its_answer_and_back() {
    let mut window = window_with(with_panel());
    press(&mut window, "Move queries to GPUs");
    press(&mut window, "Type a path…");
    type_path(&mut window, &log());
    // What: the queries of the application, with their shares of its time.
    for label in ["Which query?", "share", "Open as new scenario", "Read in Fleet"] {
        window.get_by_label(label);
    }
    press(&mut window, OPEN_APPLICATION);
    // Where: today’s machines as in the log, which has one machine with four cores.
    window.get_by_label(WHERE);
    let engines = study(&window).engines.as_deref().expect("engines");
    assert_eq!((engines.cpu.machines, engines.cpu.lanes), (1.0, 4.0));
    press(&mut window, "Show the answer");
    window.get_by_label(OF_APPLICATION);
    press(&mut window, "This query");
    window.get_by_label(ANSWER);
    for part in decision(study(&window))
        .expect("a decision")
        .recommendation_and_details()
        .iter()
        .filter(|part| !part.is_empty())
    {
        assert!(window.query_all_by_label(part).next().is_some(), "{part}");
    }
    press(&mut window, "Back");
    window.get_by_label(WHERE);
    press(&mut window, "Back");
    window.get_by_label(WHAT);
    // The query stays chosen.
    window.get_by_label_contains("Chosen: shop");
    press(&mut window, "Show its answer");
    window.get_by_label(ANSWER);
    press(&mut window, "1 What");
    press(&mut window, "3 Answer");
    assert!(study(&window).query.is_some());
    window.get_by_label(ANSWER);
    press(&mut window, "1 What");
    press(&mut window, "2 Where");
    window.get_by_label(WHERE);
    press(&mut window, "3 Answer");
    // The steps stay on the other pages of the answer.
    press(&mut window, "Plan");
    press(&mut window, "2 Where");
    window.get_by_label(WHERE);
}

/// The log has the machines and the measured time, and no price.
#[test]
fn the_machines_have_a_legend_for_the_marks_of_their_numbers() {
    let window = with_machines();
    window.get_by_label(&SourceKind::legend());
    for kind in [SourceKind::Imported, SourceKind::Assumed] {
        assert!(window.query_all_by_label(&kind.letter().to_string()).count() > 0, "{kind:?}");
    }
}

#[test]
fn the_goal_and_the_clusters_are_saved_with_the_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("goal.ron");
    let mut window = with_machines();
    assert_eq!(study(&window).decision, None, "defaults are not kept");
    enter_number(&mut window, "Runs per month", "720");
    enter_number(&mut window, "within", "1.5");
    press(&mut window, "Add a GPU cluster");
    enter_number(&mut window, "decision.candidates.cluster.usd_per_hour", "0.4");
    let inputs = study(&window).decision_inputs();
    assert_eq!((inputs.runs_per_month, inputs.time_limit), (Some(720.0), 1.5));
    assert_eq!(inputs.candidates[0].usd_per_hour, Some(0.4));
    let expected = decision(study(&window)).expect("a decision");
    send(&mut window, Command::SaveTo(path.clone()));
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::OpenPath(path));
    assert_eq!(study(&window).decision_inputs(), inputs);
    assert_eq!(decision(study(&window)).as_ref(), Some(&expected));
    // A saved query opens with the answer about its application.
    press(&mut window, "This query");
    window.get_by_label(ANSWER);
    for part in expected.recommendation_and_details().iter().filter(|part| !part.is_empty()) {
        assert!(window.query_all_by_label(part).next().is_some(), "{part}");
    }
}

#[test]
fn undo_takes_back_an_edit_of_todays_price() {
    let mut window = with_machines();
    let price = |window: &Window| study(window).engines.as_deref().expect("engines").cpu.usd_per_hour;
    let before = study(&window).clone();
    enter_number(&mut window, TODAYS_PRICE, "2.5");
    assert_eq!(price(&window), Some(2.5));
    assert!(!study(&window).sources.contains_key(TODAYS_PRICE), "it is entered now");
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), before);
    send(&mut window, Command::Redo);
    assert_eq!(price(&window), Some(2.5));
}

#[test]
fn a_price_that_is_missing_is_named_in_its_place_and_can_be_entered() {
    const MISSING: &str = "No price: only times can be compared.";
    let mut window = with_machines();
    window.state_mut().edit_active(|scenario| {
        let study = scenario.study.placement_mut().expect("a placement study");
        study.engines.as_mut().expect("engines").cpu.usd_per_hour = None;
        study.sources.remove(TODAYS_PRICE);
    });
    settle(&mut window);
    window.get_by_label(MISSING);
    press(&mut window, "Enter today’s price");
    enter_number(&mut window, TODAYS_PRICE, "0.2");
    assert_eq!(study(&window).engines.as_deref().expect("engines").cpu.usd_per_hour, Some(0.2));
    assert!(!is_there(&window, MISSING));
}

/// The log has one machine with four cores.
#[test]
fn a_price_of_a_core_or_a_gpu_sets_that_of_its_machine() {
    let mut window = with_machines();
    enter_number(&mut window, "price per core", "0.05");
    assert_eq!(study(&window).engines.as_deref().expect("engines").cpu.usd_per_hour, Some(0.2));
    assert!(!study(&window).sources.contains_key(TODAYS_PRICE), "it is entered now");
    press(&mut window, "Add a GPU cluster");
    enter_number(&mut window, "decision.candidates.cluster.lanes", "2");
    enter_number(&mut window, "price per GPU", "0.8");
    assert_eq!(study(&window).decision_inputs().candidates[0].usd_per_hour, Some(1.6));
}

#[test]
fn the_basis_of_todays_price_is_that_of_its_source_until_another_is_picked() {
    let basis = |window: &Window| {
        let combo = window.get_by_role_and_label(Role::ComboBox, "decision.today_price");
        combo.accesskit_node().value()
    };
    let mut window = with_machines();
    assert_eq!(basis(&window).as_deref(), Some("assumed"));
    enter_number(&mut window, TODAYS_PRICE, "1.5");
    assert_eq!(basis(&window).as_deref(), Some("own"));
    // The range of a list price: down to the largest discount for a commitment.
    window.get_by_role_and_label(Role::ComboBox, "decision.today_price").click_accesskit();
    settle(&mut window);
    press(&mut window, "on-demand");
    assert_eq!(study(&window).decision_inputs().today_price, Some(PriceBasis::OnDemand));
    let decided = decision(study(&window)).expect("a decision");
    assert_eq!(decided.baseline.price.expect("a price").basis, PriceBasis::OnDemand);
}

#[test]
fn pasted_sql_is_planned_and_says_that_it_names_no_engine() {
    const SQL: &str = "-- rows: 1000\nCREATE TABLE t (a INT, b INT);\nSELECT a, sum(b) FROM t GROUP BY a;";
    let mut window = window();
    send(&mut window, Command::ask(Request::MoveQuery(Source::Text(SQL.to_owned()))));
    assert!(study(&window).query.is_some(), "{}", messages(&window));
    window.get_by_label_contains("SQL names no engine, so there is no answer about time and cost.");
    press(&mut window, "Show operators");
    assert!(window.query_by_label_contains("SQL names no engine").is_none());
}

#[test]
fn a_dropped_log_opens_with_its_answer_unless_its_machines_are_not_known() {
    const UNKNOWN: &str = "The file does not say how many machines";
    let drop_file = |path: PathBuf| {
        let mut window = window();
        window.input_mut().dropped_files.push(Arc::new(Dropped(path)));
        settle(&mut window);
        window
    };
    let mut window = drop_file(log());
    window.get_by_label("Which query?");
    press(&mut window, OPEN_APPLICATION);
    assert!(is_there(&window, OF_APPLICATION) && !is_there(&window, WHERE), "{}", messages(&window));
    assert!(window.query_by_label_contains(UNKNOWN).is_none());
    // A query that is chosen has its own answer; that about the application is one click away.
    let mut window = drop_file(log());
    press(&mut window, "Open as new scenario");
    assert!(is_there(&window, ANSWER) && !is_there(&window, OF_APPLICATION), "{}", messages(&window));
    press(&mut window, "Application");
    window.get_by_label(OF_APPLICATION);
    // A plan of DuckDB has one machine, without a price.
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-profile.json");
    let window = drop_file(PathBuf::from(plan));
    assert!(is_there(&window, WHERE), "{}", messages(&window));
    assert!(window.query_by_label_contains(UNKNOWN).is_none(), "{}", messages(&window));
}
