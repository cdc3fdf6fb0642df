//! Tool pages keep their work: their settings belong to a document, are saved with it, and come back with it.

use std::path::{Path, PathBuf};

use crossover::storage::recovery::{RecoveryStore, Snapshot};
use crossover::workbench::Start;
use crossover_page::command::Command;
use crossover_page::storage::scenario;
use crossover_page::tool::ToolPage;
use crossover_placement_page::examples;
use crossover_scenario::Scenario;
use crossover_scenario::views::UncertaintyView;
use crossover_tool_pages::{compare, map, search, sweep, uncertainty};
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::{Window, pick_number, send, settle, until, window, window_with};

/// Sweeps the number of machines of the document on screen.
pub(super) fn sweep_machines(window: &mut Window) {
    send(window, Command::ShowTool(sweep::TOOL));
    pick_number(window, "cluster.machines");
    assert!(has_machines(window));
}

/// Whether curves along the number of machines are drawn.
pub(super) fn has_machines(window: &Window) -> bool {
    window.query_by_label("How does speedup change with machines?").is_some()
}

pub(super) fn scenario_of(window: &Window, document: usize) -> &Scenario {
    &window.state().documents()[document].scenario
}

#[test]
fn a_tool_is_about_one_document_until_it_is_opened_from_another_and_each_keeps_its_settings() {
    let mut window = window();
    send(&mut window, Command::OpenExample(examples::SMALL));
    send(&mut window, Command::SelectTab(0));
    sweep_machines(&mut window);

    // A document that was only looked at does not become the target.
    send(&mut window, Command::SelectTab(1));
    send(&mut window, Command::SelectTab(2));
    assert!(has_machines(&window));

    send(&mut window, Command::SelectTab(1));
    send(&mut window, Command::ShowTool(sweep::TOOL));
    assert!(!has_machines(&window));
    send(&mut window, Command::SelectTab(0));
    send(&mut window, Command::ShowTool(sweep::TOOL));
    assert!(has_machines(&window));
    assert!(scenario_of(&window, 1).views.is_empty(), "a page that was only opened changes nothing");
}

/// The scenario of the sweep is the first one, though the second was on screen last.
#[test]
fn a_tool_that_is_opened_from_another_tool_is_about_its_scenario() {
    let mut window = window();
    send(&mut window, Command::OpenExample(examples::SMALL));
    send(&mut window, Command::ShowTool(uncertainty::TOOL));
    send(&mut window, Command::SelectTab(0));
    send(&mut window, Command::ShowTool(sweep::TOOL));
    send(&mut window, Command::SelectTab(1));
    let sweep_tab = window.state().tab_titles().iter().position(|title| title == "Sweep").expect("a tab");
    send(&mut window, Command::SelectTab(sweep_tab));
    let first = window.state().documents()[0].id.clone();
    for tool in [uncertainty::TOOL, map::TOOL] {
        send(&mut window, Command::ShowTool(tool));
        let target = window.state().active_tool().and_then(ToolPage::target);
        assert_eq!(target, Some(first.as_str()), "{}", tool.title);
    }
}

#[test]
fn settings_of_tools_are_no_edits() {
    let mut window = window();
    sweep_machines(&mut window);
    send(&mut window, Command::ShowTool(uncertainty::TOOL));
    window.get_by_role_and_label(Role::Button, "time on CPUs").click_accesskit();
    settle(&mut window);
    let document = &window.state().documents()[0];
    let views = &document.scenario.views;
    assert!(views.sweep.is_some() && views.uncertainty.is_some() && views.map.is_none());
    assert!(!document.is_dirty() && !document.can_undo());
    send(&mut window, Command::SelectTab(0));
    send(&mut window, Command::CloseTab);
    assert!(window.state().documents().is_empty(), "closing does not ask about them");
    send(&mut window, Command::ReopenClosed);
    send(&mut window, Command::ShowTool(sweep::TOOL));
    assert!(has_machines(&window));
}

#[test]
fn a_search_is_kept_as_it_was_typed() {
    let mut window = window();
    send(&mut window, Command::OpenExample(examples::MODERN));
    send(&mut window, Command::ShowTool(search::TOOL));
    settle(&mut window);
    pick_number(&mut window, "cluster.machines");
    window.get_by_label("Add constraint").click_accesskit();
    window.run_steps(2);
    window.get_by_role_and_label(Role::TextInput, "constraint 1").click();
    window.run_steps(2);
    // As a user types: a letter in each frame.
    for letter in ["2", " ", "m", "i", "n"] {
        window.event(egui::Event::Text(letter.to_owned()));
        window.run_steps(2);
    }
    settle(&mut window);
    window.get_by_label_contains("--constraint 'seconds<=120'");
    let view = scenario_of(&window, 1).views.search.clone().expect("a search");
    assert_eq!(view.constraints[0].value, "2 min");

    send(&mut window, Command::SelectTab(0));
    send(&mut window, Command::ShowTool(search::TOOL));
    window.get_by_label_contains("Choose free parameters on the left");
    send(&mut window, Command::SelectTab(1));
    send(&mut window, Command::ShowTool(search::TOOL));
    window.get_by_label_contains("--free 'cluster.machines=1..256:40:log' --constraint 'seconds<=120'");
}

#[test]
fn settings_are_saved_from_the_page_of_the_tool_and_are_there_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plan.ron");
    std::fs::write(&file, examples::SMALL.text).expect("written");
    let start = || Start { loaded: vec![scenario::load(&file).expect("a scenario")], ..Start::default() };
    let mut window = window_with(start());
    sweep_machines(&mut window);
    assert!(window.state().documents()[0].has_unsaved_views());
    send(&mut window, Command::Save);
    assert!(!window.state().documents()[0].has_unsaved_views());
    drop(window);

    let mut window = window_with(start());
    send(&mut window, Command::ShowTool(sweep::TOOL));
    assert!(has_machines(&window));
}

fn window_in(folder: &Path) -> Window {
    window_with(Start { recovery_folder: Some(folder.to_owned()), ..Start::default() })
}

fn snapshot_count(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).expect("listed").flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "ron")).count()
}

#[test]
fn recovered_work_has_the_settings_of_its_tools() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window_in(folder.path());
    window.state_mut().edit_active(|scenario| scenario.name = "half-finished plan".into());
    sweep_machines(&mut window);
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);

    let mut window = window_in(folder.path());
    window.get_by_label("Recover").click();
    settle(&mut window);
    send(&mut window, Command::ShowTool(sweep::TOOL));
    assert!(has_machines(&window));
}

#[test]
fn settings_alone_are_on_disk_while_the_window_is_open_and_return_after_a_normal_end_without_a_question() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window_in(folder.path());
    sweep_machines(&mut window);
    until(&mut window, "a snapshot", |_| snapshot_count(folder.path()) == 1);
    let id = window.state().documents()[0].id.clone();
    for _ in 0..2 {
        eframe::App::on_exit(window.state_mut(), None);
        drop(window);
        assert_eq!(snapshot_count(folder.path()), 1);
        window = window_in(folder.path());
        assert!(window.query_by_label("Unsaved work was found").is_none());
        let [document] = window.state().documents() else { panic!("one document") };
        assert!(document.id == id && !document.is_dirty() && document.has_unsaved_views());
        send(&mut window, Command::ShowTool(sweep::TOOL));
        assert!(has_machines(&window));
    }
    send(&mut window, Command::CloseTabAt(0));
    eframe::App::on_exit(window.state_mut(), None);
    assert_eq!(snapshot_count(folder.path()), 0, "the user has closed it");
}

#[test]
fn settings_of_a_file_return_with_the_file_as_it_is_then() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, unsaved) = (folder.path().join("plan.ron"), folder.path().join("unsaved"));
    std::fs::write(&file, examples::SMALL.text).expect("written");
    let loaded = vec![scenario::load(&file).expect("a scenario")];
    let start = Start { recovery_folder: Some(unsaved.clone()), ..Start::default() };
    let mut window = window_with(Start { loaded, ..start.clone() });
    sweep_machines(&mut window);
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);

    let mut edited = scenario::open(&file).expect("a scenario");
    edited.notes = "of another program".into();
    scenario::save(&file, &edited).expect("saved");
    let mut window = window_with(start.clone());
    let [document] = window.state().documents() else { panic!("one document") };
    assert_eq!(document.scenario.notes, "of another program");
    assert!(!document.is_dirty() && document.has_unsaved_views());
    send(&mut window, Command::ShowTool(sweep::TOOL));
    assert!(has_machines(&window));
    send(&mut window, Command::Save);
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);
    assert_eq!(snapshot_count(&unsaved), 0, "the file has them");
}

#[test]
fn settings_of_a_file_return_in_a_window_that_is_started_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, unsaved) = (folder.path().join("plan.ron"), folder.path().join("unsaved"));
    std::fs::write(&file, examples::SMALL.text).expect("written");
    let start = || Start {
        loaded: vec![scenario::load(&file).expect("a scenario")],
        recovery_folder: Some(unsaved.clone()),
        ..Start::default()
    };
    let mut window = window_with(start());
    sweep_machines(&mut window);
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);

    let mut window = window_with(start());
    assert!(scenario_of(&window, 0).views.sweep.is_some() && !window.state().documents()[0].is_dirty());
    send(&mut window, Command::ShowTool(sweep::TOOL));
    assert!(has_machines(&window));
    until(&mut window, "the snapshot of the last window is replaced", |_| snapshot_count(&unsaved) == 1);
}

#[test]
fn of_several_windows_with_a_file_the_newest_settings_return() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, unsaved) = (folder.path().join("plan.ron"), folder.path().join("unsaved"));
    std::fs::write(&file, examples::SMALL.text).expect("written");
    for (saved_at_unix_seconds, spread) in [(1_700_000_000, 0.1), (1_700_000_900, 0.3), (1_700_000_600, 0.2)] {
        let mut scenario = scenario::open(&file).expect("a scenario");
        scenario.views.uncertainty = Some(UncertaintyView { spread_all: Some(spread), figure: None });
        let snapshot = Snapshot {
            document_id: format!("of {saved_at_unix_seconds}"),
            name: "plan".to_owned(),
            path: Some(file.clone()),
            only_settings: true,
            saved_at_unix_seconds,
            process_id: 1,
            text: scenario.to_ron(),
        };
        RecoveryStore::open(unsaved.clone()).expect("a session").write(&snapshot).expect("written");
    }
    let mut window = window_with(Start { recovery_folder: Some(unsaved.clone()), ..Start::default() });
    let spread = |window: &Window| scenario_of(window, 0).views.uncertainty.as_ref().and_then(|view| view.spread_all);
    assert_eq!(spread(&window), Some(0.3));
    until(&mut window, "the older ones are deleted", |_| snapshot_count(&unsaved) == 1);
    // Also after the file was read again.
    send(&mut window, Command::OpenPath(file));
    assert_eq!(spread(&window), Some(0.3));
}

#[test]
fn settings_that_cannot_be_read_are_reported_once_and_kept_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, unsaved) = (folder.path().join("plan.ron"), folder.path().join("unsaved"));
    std::fs::write(&file, examples::SMALL.text).expect("written");
    let mut readable = scenario::open(&file).expect("a scenario");
    readable.views.uncertainty = Some(UncertaintyView { spread_all: Some(0.2), figure: None });
    let no_scenario = || "of a version that never was".to_owned();
    // The newest of a file, one that is older and can be read, and one without a file.
    for (name, path, saved_at_unix_seconds, text) in [
        ("plan", Some(&file), 1_700_000_900, no_scenario()),
        ("plan", Some(&file), 1_700_000_600, readable.to_ron()),
        ("untitled", None, 1_700_000_300, no_scenario()),
    ] {
        let snapshot = Snapshot {
            document_id: format!("of {saved_at_unix_seconds}"),
            name: name.to_owned(),
            path: path.cloned(),
            only_settings: true,
            saved_at_unix_seconds,
            process_id: 1,
            text,
        };
        RecoveryStore::open(unsaved.clone()).expect("a session").write(&snapshot).expect("written");
    }
    let aside = || -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&unsaved).expect("listed").map(|entry| entry.expect("a file").path());
        entries.filter(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains(&no_scenario()))).collect()
    };
    let reports = |window: &Window| -> Vec<String> {
        let reports =
            window.state().messages().filter(|text| text.starts_with("Cannot read the unsaved tool settings"));
        reports.map(str::to_owned).collect()
    };
    let mut window = window_in(&unsaved);
    until(&mut window, "a report of each", |window| reports(window).len() == 2);
    let named = |path: &PathBuf| reports(&window).iter().any(|report| report.contains(&path.display().to_string()));
    assert!(aside().len() == 2 && aside().iter().all(named), "{:?}", reports(&window));
    let spread = |window: &Window| scenario_of(window, 0).views.uncertainty.as_ref().and_then(|view| view.spread_all);
    assert_eq!(spread(&window), Some(0.2), "the newest that can be read");
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);

    let window = window_in(&unsaved);
    let is_about_the_folder = |text: &str| text.contains(&unsaved.display().to_string());
    assert!(reports(&window).is_empty() && !window.state().messages().any(is_about_the_folder));
    assert!(aside().len() == 2 && spread(&window) == Some(0.2));
}

#[test]
fn a_scenario_whose_file_is_gone_is_offered() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, unsaved) = (folder.path().join("plan.ron"), folder.path().join("unsaved"));
    std::fs::write(&file, examples::SMALL.text).expect("written");
    let loaded = vec![scenario::load(&file).expect("a scenario")];
    let start = Start { recovery_folder: Some(unsaved), ..Start::default() };
    let mut window = window_with(Start { loaded, ..start.clone() });
    sweep_machines(&mut window);
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);
    std::fs::remove_file(&file).expect("deleted");

    let mut window = window_with(start);
    window.get_by_label("The files of these scenarios cannot be read. Their last state is here:");
    window.get_by_label("Recover").click();
    settle(&mut window);
    let document = window.state().active().expect("recovered");
    assert!(document.is_dirty() && document.scenario.views.sweep.is_some());
}

#[test]
fn a_number_that_goes_is_named_and_its_sweep_comes_back_with_it() {
    let set = |window: &mut Window, speed: Option<f64>| {
        send(window, Command::SelectTab(0));
        window.state_mut().edit_active(|scenario| {
            scenario.study.placement_mut().expect("a placement study").node.scan_gb_per_s = speed;
        });
        settle(window);
        send(window, Command::ShowTool(sweep::TOOL));
    };
    let mut window = window();
    set(&mut window, Some(5.0));
    pick_number(&mut window, "node.scan_gb_per_s");
    window.get_by_label("How does speedup change with storage scan speed?");
    set(&mut window, None);
    window.get_by_label_contains("This scenario lacks node.scan_gb_per_s.");
    window.get_by_label_contains("Sweep draws every figure of a scenario along one of its numbers");
    window.get_by(|node| node.role() == Role::Button && node.label().is_some_and(|label| label.starts_with("Sweep ")));
    send(&mut window, Command::SelectTab(0));
    send(&mut window, Command::Undo);
    send(&mut window, Command::ShowTool(sweep::TOOL));
    window.get_by_label("How does speedup change with storage scan speed?");
}

#[test]
fn a_map_and_a_comparison_keep_their_numbers() {
    let mut window = window();
    send(&mut window, Command::OpenExample(examples::SMALL));
    send(&mut window, Command::ShowTool(map::TOOL));
    settle(&mut window);
    assert!(scenario_of(&window, 1).views.map.is_none(), "the numbers that a map begins with");
    window.get_by_label("along y").click_accesskit();
    window.run_steps(2);
    pick_number(&mut window, "gpu.gpu_parallelism");
    send(&mut window, Command::ShowTool(compare::TOOL));
    settle(&mut window);
    window.get_by_label_contains("Compare with ").click_accesskit();
    settle(&mut window);
    pick_number(&mut window, "gpu.gpu_parallelism");
    let views = &scenario_of(&window, 1).views;
    assert_eq!(views.map.as_ref().map(|map| map.y.path.as_str()), Some("gpu.gpu_parallelism"));
    assert_eq!(
        views.compare.as_ref().and_then(|compare| Some(compare.x.as_ref()?.path.as_str())),
        Some("gpu.gpu_parallelism")
    );
    assert!(scenario_of(&window, 0).views.is_empty(), "the comparison is that of its baseline");
}
