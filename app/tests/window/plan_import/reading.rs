//! Reading a file: how it begins, how far it is, and every way it can end.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossover_page::command::Command;
use crossover_placement_page::request::Request;
use crossover_plan::{Import, ImportError};
use egui_kittest::kittest::Queryable as _;

use super::super::files::Dropped;
use super::super::{send, type_path, window};
use super::*;

fn drop_files(window: &mut Window, paths: &[&str]) {
    for path in paths {
        window.input_mut().dropped_files.push(Arc::new(Dropped(PathBuf::from(path))));
    }
    window.run_steps(2);
}

fn is_cancelled(gate: &Gate) -> bool {
    gate.is_cancelled.load(Ordering::Relaxed)
}

#[test]
fn a_first_time_user_is_one_click_away_from_an_own_query_and_from_an_own_gpu() {
    let mut window = window();
    press(&mut window, "Open my query…");
    assert!(window.query_by_label("Import a plan by path").is_some(), "there is no file dialog in a test");
    key(&mut window, egui::Key::Escape);
    press(&mut window, "Calibrate on my GPU");
    assert!(window.state().calibrate().is_some());
}

#[test]
fn the_keys_of_the_menu_ask_for_a_file() {
    let mut window = window();
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::I);
    settle(&mut window);
    assert!(window.query_by_label("Import a plan by path").is_some());
}

#[test]
fn a_typed_path_of_a_folder_is_read_and_the_query_opens_in_a_tab_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("eventlog_v2_app-7/");
    std::fs::create_dir(&log).expect("a folder");
    let mut window = window_with(start(|path, _| {
        assert!(path.ends_with("eventlog_v2_app-7"), "{}", path.display());
        Ok(import())
    }));
    send(&mut window, Command::ask(Request::TypePath));
    type_path(&mut window, &log);
    assert!(is_asked(&window), "{}", messages(&window));
    key(&mut window, egui::Key::Enter);
    assert_eq!(window.state().documents().len(), 2);
    assert_eq!(name(&window), "nightly report · query 1");
    assert!(window.state().active().expect("open").is_dirty(), "it is in no file");
    assert!(window.query_by_label("not in a file yet").is_some(), "the status bar names no edits");
    assert!(window.query_by_label("unsaved edits").is_none());
    assert!(window.query_by_label("nightly report · query 1 •").is_some(), "the tab has the name of the scenario");
    assert_eq!(nodes(&window), 12);
}

#[test]
fn progress_is_shown_while_the_rest_of_the_window_works() {
    let gate = Arc::new(Gate::default());
    let mut window = window_with(slow(&gate));
    import_file(&mut window, "/logs/app-7");
    until(&mut window, "the progress", |window| window.query_by_label("12 MB of 48 MB, 25 %").is_some());
    assert!(window.query_by_label("app-7").is_some());
    window.state_mut().edit_active(|scenario| scenario.name = "edited meanwhile".into());
    window.run_steps(3);
    assert!(window.state().active().expect("open").can_undo());
    gate.open();
    settle(&mut window);
    assert!(is_asked(&window));
    assert!(window.query_by_label("12 MB of 48 MB, 25 %").is_none());
}

#[test]
fn a_cancelled_import_ends_at_once_and_opens_nothing() {
    let gate = Arc::new(Gate::default());
    let mut window = window_with(slow(&gate));
    import_file(&mut window, "/logs/app-7");
    gate.wait_for_the_reader();
    until(&mut window, "the progress", |window| window.query_by_label("Cancel the import").is_some());
    window.get_by_label("Cancel the import").click();
    settle(&mut window);
    until(&mut window, "the end of the thread", |_| is_cancelled(&gate));
    assert_eq!(messages(&window), "Import of app-7 cancelled; nothing was opened");
    assert_eq!(window.state().documents().len(), 1);
    assert!(!is_asked(&window));
}

#[test]
fn closing_the_window_ends_an_import_without_a_question() {
    let gate = Arc::new(Gate::default());
    let mut window = window_with(slow(&gate));
    import_file(&mut window, "/logs/app-7");
    gate.wait_for_the_reader();
    window.input_mut().viewports.entry(egui::ViewportId::ROOT).or_default().events.push(egui::ViewportEvent::Close);
    window.run_steps(1);
    let commands = &window.output().viewport_output[&egui::ViewportId::ROOT].commands;
    assert!(!commands.contains(&egui::ViewportCommand::CancelClose), "{commands:?}");
    drop(window);
    wait_until("the end of the thread", || is_cancelled(&gate));
}

#[test]
fn closing_the_tab_meanwhile_leaves_the_import_and_the_template_is_its_hardware() {
    let gate = Arc::new(Gate::default());
    let mut window = window_with(slow(&gate));
    import_file(&mut window, "/logs/app-7");
    window.state_mut().send(Command::CloseTab);
    window.run_steps(3);
    assert!(window.state().documents().is_empty());
    gate.open();
    settle(&mut window);
    key(&mut window, egui::Key::Enter);
    // The small cluster has eight machines; the file says four.
    assert_eq!(super::super::study(&window).cluster.machines, 4.0);
    assert_eq!(window.state().documents().len(), 1);
}

#[test]
fn a_file_that_cannot_be_read_says_why_and_opens_nothing() {
    let mut window = window_with(start(|path, _| {
        Err(ImportError::unusable(path, "line 3: this is no event of a Spark log; expected {\"Event\": …}"))
    }));
    import_file(&mut window, "/logs/app-7");
    settle(&mut window);
    assert!(messages(&window).starts_with("/logs/app-7: line 3: this is no event"), "{}", messages(&window));
    assert_eq!(window.state().documents().len(), 1);
}

#[test]
fn a_file_that_is_gone_and_a_folder_without_a_log_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window();
    for path in [folder.path().join("gone.json"), folder.path().to_owned()] {
        window.state_mut().send(Command::ask(Request::ImportFile(path.clone())));
        window.run_steps(2);
        settle(&mut window);
        assert!(messages(&window).contains(&path.display().to_string()), "{}", messages(&window));
        assert_eq!(window.state().documents().len(), 1);
        press(&mut window, "Dismiss");
    }
}

#[test]
fn a_defect_of_an_importer_costs_the_import_and_not_the_window() {
    let mut window = window_with(start(|path, _| {
        assert!(!path.ends_with("bad"), "on purpose");
        Ok(import())
    }));
    import_file(&mut window, "/logs/bad");
    settle(&mut window);
    assert!(messages(&window).contains("stopped by a defect"), "{}", messages(&window));
    ask(&mut window);
}

#[test]
fn the_only_query_of_a_file_opens_at_once_and_what_was_left_out_is_said() {
    let queries = vec![query(5, "q06 forecast", Some(3.0), 4)];
    let warnings = vec!["line 17: this is no JSON".to_owned(), "the log ends before the application does".to_owned()];
    let mut window = window_of(Import { queries, skipped_lines: 2, warnings, ..import() });
    import_file(&mut window, "/logs/app-7");
    settle(&mut window);
    assert_eq!(name(&window), "nightly report · query 5");
    assert_eq!(
        messages(&window),
        "Opened query 5 of app-7: 4 operators. line 17: this is no JSON; the log ends before the application does"
    );
    let notes = &window.state().active().expect("open").scenario.notes;
    assert!(notes.starts_with("Imported from app-7, Spark 3.5.1.\nLines left out: 2."), "{notes}");
}

#[test]
fn a_file_without_a_plan_opens_nothing() {
    for (queries, expected) in [
        (vec![query(0, "create view", None, 0)], "app-7: The file has no plan for this query; nothing was opened"),
        (Vec::new(), "app-7: the file has no query; nothing was opened"),
    ] {
        let mut window = window_of(Import { queries, ..import() });
        import_file(&mut window, "/logs/app-7");
        settle(&mut window);
        assert_eq!(messages(&window), expected);
        assert_eq!(window.state().documents().len(), 1);
    }
}

#[test]
fn dropped_files_are_asked_about_one_after_the_other() {
    let mut window = window_with(start(|path, _| {
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        Ok(Import { file, ..import() })
    }));
    drop_files(&mut window, &["/logs/first", "/logs/second"]);
    settle(&mut window);
    assert!(window.query_by_label_contains("second  ·").is_none(), "one at a time");
    assert!(window.query_by_label_contains("first  ·").is_some(), "the first one comes first");
    key(&mut window, egui::Key::Enter);
    assert!(window.query_by_label_contains("second  ·").is_some());
    key(&mut window, egui::Key::Escape);
    assert!(!is_asked(&window));
    assert_eq!(window.state().documents().len(), 2, "the first was opened, the second was not");
}

#[test]
fn all_that_waits_can_be_cancelled_together() {
    let gate = Arc::new(Gate::default());
    let mut window = window_with(slow(&gate));
    drop_files(&mut window, &["/logs/one", "/logs/two", "/logs/three"]);
    until(&mut window, "the progress", |window| window.query_by_label("2 more files are queued").is_some());
    window.get_by_label("Cancel all").click();
    settle(&mut window);
    assert!(!window.state().is_busy());
    gate.open();
    settle(&mut window);
    assert!(!is_asked(&window));
}

#[test]
fn a_question_that_is_open_keeps_a_drop_away() {
    let mut window = window_of(import());
    ask(&mut window);
    drop_files(&mut window, &["/logs/second"]);
    assert!(messages(&window).contains("Answer the question first"), "{}", messages(&window));
}

#[test]
fn plans_of_engines_are_recognised_and_opened() {
    let project = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    for (file, engine) in [
        ("plan/samples/spark/shop-eventlog.zstd", "Spark"),
        ("plan/samples/duckdb-join.json", "DuckDB"),
        ("plan/samples/postgres-join.json", "PostgreSQL"),
        ("scenarios/placement-sql.sql", "SQL"),
    ] {
        let mut window = window();
        window.state_mut().send(Command::ask(Request::ImportFile(project.join(file))));
        window.run_steps(2);
        settle(&mut window);
        if is_asked(&window) {
            key(&mut window, egui::Key::Enter);
        }
        assert_eq!(window.state().documents().len(), 2, "{file}: {}", messages(&window));
        assert!(nodes(&window) > 1, "{file}");
        let query = super::super::study(&window).query.as_ref().expect("a query");
        assert!(query.plan.engine.contains(engine), "{file}: {}", query.plan.engine);
    }
}
