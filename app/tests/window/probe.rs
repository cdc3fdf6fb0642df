//! The probe page as a user meets it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover::workbench::listed;
use crossover_measured::probe::Category;
use crossover_needs::wait_until;
use crossover_page::command::Command;
use crossover_page::examples::Example;
use crossover_probe::{Probe, Route};
use crossover_probe_page::examples;
use crossover_quantity::provenance::Provenance;
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;

use super::files::Dropped;
use super::layout::{assert_layout, shown};
use super::pictures::{MAIN, STATE, drawn};
use super::{Start, Window, can_draw, enter, send, settle, type_path, window_with};

pub(super) fn study(window: &Window) -> &Probe {
    window.state().active().and_then(|document| document.scenario.probe()).expect("a probe study")
}

#[test]
fn the_answer_is_on_the_page_and_a_centre_can_be_looked_at() {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 1800.0));
    send(&mut window, Command::OpenExample(examples::CENTRES));
    for question in [
        "Which centre scores highest?",
        "How far does work scale?",
        "When is the network fastest?",
        "What does the probe do?",
        "Where should work run?",
        "What does each centre deliver?",
    ] {
        window.get_by_label(question);
    }
    assert!(window.query_all_by_label_contains("south has the highest score").count() > 0);
    // Runs on this machine are those of no other centre.
    window.get_by_label("Probe this machine");
    press(&mut window, "through Slurm");
    window.get_by_label("Probe north");
    window.get_by_role_and_label(Role::RowHeader, "centre coast").click_accesskit();
    settle(&mut window);
    window.get_by_label("Probe coast");
    window.get_by_role_and_label(Role::Button, "card south").click_accesskit();
    settle(&mut window);
    window.get_by_label("Probe south");
}

/// The example has three centres.
#[test]
fn the_exported_data_are_the_scores_and_the_runs_that_the_charts_draw() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("probe.csv");
    let mut window = super::window();
    send(&mut window, Command::OpenExample(examples::CENTRES));
    send(&mut window, Command::ExportData);
    type_path(&mut window, &path);
    let text = std::fs::read_to_string(&path).expect("written");
    let (scores, runs) = text.split_once("\r\n\r\n").expect("two tables");
    assert!(scores.starts_with("centre,unit_type,rank,score,score_low,score_high,"), "{scores}");
    assert_eq!(scores.lines().count(), 1 + 3, "{scores}");
    assert!(runs.starts_with("centre,unit_type,units,time,seconds,"), "{runs}");
    let count: usize = study(&window).centres.iter().flat_map(|of| &of.units).map(|of| of.runs.seconds.len()).sum();
    assert_eq!(runs.lines().count(), 1 + count);
}

#[test]
fn operators_centres_and_work_are_edited_and_the_probe_follows() {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 3000.0));
    send(&mut window, Command::OpenExample(examples::PUBLISHED));
    assert!(window.query_all_by_label_contains("with 6 executions").count() > 0);
    window.get_by_label("Add operator").click();
    settle(&mut window);
    assert_eq!(study(&window).operators.len(), 4);
    assert!(window.query_all_by_label_contains("with 7 executions").count() > 0);
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).operators.len(), 3);
    window.get_by_label("Add centre").click();
    settle(&mut window);
    assert_eq!(study(&window).centres[1].name, "centre");
    // What an operator gives goes to others, never in a circle.
    assert!(window.query_by_role_and_label(Role::CheckBox, "operators.operator 1.from.operator 3").is_none());
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).centres.len(), 1);
    assert_eq!(study(&window).centres[0].route, Route::Table);
}

/// Each centre of the example has 5 runs on each of 1, 2, 4, 8, 16, 32 and 64 units, and 96 more on 4, which are compared: 131 and 101.
#[test]
fn a_card_counts_all_runs_and_the_table_those_on_the_compared_units() {
    let window = tall(examples::CENTRES);
    assert!(window.query_all_by_label("131 runs").next().is_some());
    assert!(window.query_all_by_label_contains("101 runs on the compared units; scaling fit").next().is_some());
}

/// The window with an example, tall enough for the whole inspector.
fn tall(example: Example) -> Window {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 3000.0));
    send(&mut window, Command::OpenExample(example));
    window
}

/// Presses what has this accessible name.
pub(super) fn press(window: &mut Window, label: &str) {
    window.get_by_label(label).click_accesskit();
    settle(window);
}

/// Picks an entry of a list that opens.
pub(super) fn choose(window: &mut Window, field: &str, entry: &str) {
    window.get_by_role_and_label(Role::ComboBox, field).click();
    settle(window);
    window.get_all_by_label(entry).next().expect("an entry of the list").click();
    settle(window);
}

fn is_told(window: &Window, text: &str) -> bool {
    window.state().messages().any(|message| message.contains(text))
}

fn is_valid(window: &Window) -> bool {
    window.state().active().is_some_and(|document| document.scenario.study.validate().is_ok())
}

fn take_task(window: &mut Window, path: &Path, text: &str) {
    std::fs::write(path, text).expect("written");
    press(window, "Import task from file…");
    type_path(window, path);
}

#[test]
fn a_task_is_taken_from_a_file_and_centres_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = tall(examples::CENTRES);
    let before = study(&window).clone();
    let list = folder.path().join("task.csv");
    take_task(&mut window, &list, "name,executions,from\nfft,2500,\nsolver,900,fft\n");
    let taken = study(&window).clone();
    let operators: Vec<(&str, f64)> = taken.operators.iter().map(|of| (of.name.as_str(), of.executions)).collect();
    assert_eq!(operators, [("fft", 2500.0), ("solver", 900.0)]);
    assert_eq!(taken.operators[1].from[0].operator, "fft");
    assert_eq!((taken.target.category, &taken.centres), (before.target.category, &before.centres));
    let source = Provenance::Imported { file: "task.csv".to_owned() };
    let sources: Vec<&str> =
        taken.sources.keys().map(String::as_str).filter(|path| path.starts_with("operators.")).collect();
    assert_eq!(sources, ["operators.fft.executions", "operators.solver.executions"]);
    assert_eq!(taken.sources.get(sources[0]), Some(&source));
    assert!(is_told(&window, "task.csv read: 2 operators"));
    // Two queries are one task, about data; one step of undo.
    let queries = folder.path().join("two.sql");
    let text = "-- rows: 100 million\nCREATE TABLE t (a INT, b INT);\nSELECT a, sum(b) FROM t WHERE b > 3 GROUP BY a;\n\
                SELECT a FROM t ORDER BY a;\n";
    take_task(&mut window, &queries, text);
    let names: Vec<&str> = study(&window).operators.iter().map(|of| of.name.as_str()).collect();
    assert!(["scan", "filter", "aggregate", "sort"].iter().all(|name| names.contains(name)), "{names:?}");
    assert_eq!(study(&window).target.category, Some(Category::Data));
    assert!(!study(&window).sources.contains_key("operators.fft.executions"));
    assert!(is_told(&window, "2 queries together"));
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), taken);
    // The menu has it too.
    let listed = listed().into_iter().find(|command| command.text() == "Task from a file…");
    send(&mut window, listed.expect("a command"));
    type_path(&mut window, &queries);
    assert_eq!(study(&window).target.category, Some(Category::Data));
}

#[test]
fn a_file_that_is_no_task_changes_nothing_and_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = tall(examples::PUBLISHED);
    let before = study(&window).clone();
    for (name, text, expected) in [
        ("zero.csv", "name,executions\na,0\n", "line 2: executions of a"),
        (
            "circle.csv",
            "name,executions,from\na,1,b\nb,1,a\n",
            "not imported: operators: the inputs of operators form a cycle",
        ),
        ("empty.sql", "-- nothing\n", "empty.sql"),
        ("notes.txt", "milk, eggs\n", "expected a list of operators"),
    ] {
        take_task(&mut window, &folder.path().join(name), text);
        assert_eq!(*study(&window), before, "{name}");
        assert!(is_told(&window, expected), "{name}: {:?}", window.state().messages().collect::<Vec<_>>());
    }
}

#[test]
fn a_task_is_not_taken_into_a_study_that_changed_meanwhile() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("task.csv");
    std::fs::write(&path, "name,executions\nfft,2500\n").expect("written");
    let mut window = tall(examples::PUBLISHED);
    press(&mut window, "Import task from file…");
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.run_steps(1);
    window.event(egui::Event::Text(path.display().to_string()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    let mut executions = 3000.0;
    wait_until("a word about the task", || {
        window.run_steps(1);
        executions += 1.0;
        window.state_mut().edit_active(|scenario| {
            if let Some(study) = scenario.study.probe_mut() {
                study.operators[0].executions = executions;
            }
        });
        is_told(&window, "not imported: the scenario changed meanwhile")
    });
    assert!(is_told(&window, "not imported: the scenario changed meanwhile; import it again"));
    assert_eq!(study(&window).operators[0].name, "operator 1");
}

#[test]
fn units_get_names_and_are_told_what_they_support_and_on_what_they_run() {
    const UNIT: &str = "centres.example centre.units.unit 1";
    let mut window = tall(examples::PUBLISHED);
    let unit = |window: &Window| study(window).centres[0].units[0].clone();
    // What they run on: a thread, several, a GPU.
    choose(&mut window, &format!("{UNIT}.runs_on"), "cpu, 2 threads");
    assert_eq!(unit(&window).runs_on, "cpu:2");
    enter(&mut window, Role::SpinButton, &format!("{UNIT}.runs_on.threads"), "64");
    assert_eq!(unit(&window).runs_on, "cpu:64");
    choose(&mut window, &format!("{UNIT}.runs_on"), "gpu");
    assert_eq!(unit(&window).runs_on, "gpu");
    // What they support: every operator, or those that are switched on.
    assert_eq!(unit(&window).supports, ["operator 1", "operator 3", "operator 4"]);
    press(&mut window, &format!("{UNIT}.supports.operator 4"));
    press(&mut window, &format!("{UNIT}.supports.operator 2"));
    press(&mut window, &format!("{UNIT}.supports.operator 1"));
    assert_eq!(unit(&window).supports, ["operator 3", "operator 2"]);
    press(&mut window, &format!("{UNIT}.supports"));
    assert!(unit(&window).supports.is_empty());
    assert!(window.query_by_label(&format!("{UNIT}.supports.operator 2")).is_none());
    press(&mut window, &format!("{UNIT}.supports"));
    assert_eq!(unit(&window).supports, ["operator 1", "operator 2", "operator 3"]);
    // A name that is taken or empty is refused; another one is followed.
    for (text, reason) in [("unit 2", "This name is already used"), ("  ", "A name must not be empty")] {
        enter(&mut window, Role::TextInput, &format!("{UNIT}.name"), text);
        assert_eq!(unit(&window).name, "unit 1");
        assert!(is_told(&window, reason), "{reason}");
    }
    choose(&mut window, "centres.example centre.route", "unit 1");
    enter(&mut window, Role::TextInput, &format!("{UNIT}.name"), "cards");
    assert_eq!(study(&window).centres[0].route, Route::User("cards".to_owned()));
    assert!(study(&window).sources.contains_key("centres.example centre.units.cards.count"));
    assert!(!study(&window).sources.contains_key("centres.example centre.units.unit 1.count"));
    assert!(is_valid(&window));
    send(&mut window, Command::Undo);
    assert_eq!(unit(&window).name, "unit 1");
}

#[test]
fn a_centre_names_its_units() {
    let mut window = tall(examples::PUBLISHED);
    let named = |names: &[&str]| Route::Named(names.iter().map(|name| (*name).to_owned()).collect());
    let route = |window: &Window| study(window).centres[0].route.clone();
    choose(&mut window, "centres.example centre.route", "named by the centre");
    assert_eq!(route(&window), named(&["unit 1", "unit 2", "unit 3"]));
    press(&mut window, "centres.example centre.route.unit 1");
    press(&mut window, "centres.example centre.route.unit 2");
    assert_eq!(route(&window), named(&["unit 3"]));
    press(&mut window, "centres.example centre.route.unit 1");
    assert_eq!(route(&window), named(&["unit 1", "unit 3"]), "in the order of the table");
    assert!(is_valid(&window));
}

#[test]
fn programs_become_operators_and_what_cannot_be_one_is_refused() {
    let mut window = tall(examples::PUBLISHED);
    press(&mut window, "Programs");
    press(&mut window, "Add program");
    enter(&mut window, Role::TextInput, "target.programs.0.key", "poisson");
    enter(&mut window, Role::TextInput, "target.programs.0.command.line", "/opt/poisson --size 64 'a b'");
    press(&mut window, "target.programs.0.categories.data");
    let added = study(&window).target.programs[0].clone();
    assert_eq!((added.key.as_str(), &added.categories[..]), ("poisson", &[Category::Hpc, Category::Data][..]));
    assert_eq!(added.command.line, ["/opt/poisson", "--size", "64", "a b"]);
    for (field, text, reason) in [
        ("command.line", "  ", "A command line needs a program; the command line stays “/opt/poisson --size 64 'a b'”"),
        ("command.line", "'solve", "A quotation mark is not closed"),
        ("key", "  ", "A name must not be empty; the key stays “poisson”"),
    ] {
        enter(&mut window, Role::TextInput, &format!("target.programs.0.{field}"), text);
        assert!(is_told(&window, reason), "{reason}");
    }
    press(&mut window, "Add program");
    enter(&mut window, Role::TextInput, "target.programs.1.key", "poisson");
    assert!(is_told(&window, "This name is already used"));
    assert_eq!(
        (&study(&window).target.programs[0], study(&window).target.programs[1].key.as_str()),
        (&added, "program")
    );
    // An operator runs it, and follows.
    choose(&mut window, "operators.operator 1.library_operator", "poisson");
    enter(&mut window, Role::TextInput, "target.programs.0.key", "multigrid");
    assert_eq!(study(&window).operators[0].library_operator, "multigrid");
    assert!(is_valid(&window));
    window.get_all_by_label("Remove program").next().expect("a button").click_accesskit();
    settle(&mut window);
    assert_eq!((study(&window).operators[0].library_operator.as_str(), study(&window).target.programs.len()), ("", 1));
    assert!(is_valid(&window));
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

/// The window with the published example, and a program that measures.
#[cfg(unix)]
pub(super) fn probing(folder: &tempfile::TempDir, script: &str) -> Window {
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
    let [example, here] = &study(&window).centres[..] else { panic!("two centres") };
    assert!(example.units.iter().all(|of| of.runs.is_empty()), "nothing is added to a centre that is not this machine");
    let runs = &here.units[0].runs;
    assert_eq!((runs.seconds.len(), runs.failed.len()), (5, 0), "{:?}", runs.failed);
    assert_eq!(here.name, "this machine");
    window.get_by_label("this machine: done");
    let history = std::fs::read_to_string(folder.path().join("probes.jsonl")).expect("a history");
    assert_eq!(history.lines().count(), 5);
    // One step of undo for all runs on as many units.
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).centres.len(), 1);
    // Kept under the type of its task, and found again.
    enter(&mut window, Role::TextInput, "target.task_type", "climate");
    press(&mut window, "Keep probe");
    assert!(is_told(&window, "Kept in "));
    assert_eq!(std::fs::read_dir(folder.path().join("kept-probes")).expect("listed").count(), 1);
    send(&mut window, Command::OpenExample(examples::PUBLISHED));
    press(&mut window, "Find kept probes…");
    press(&mut window, "Open copy");
    assert!(window.query_by_label("Kept probes").is_none());
    assert_eq!(study(&window).target.task_type, "climate");
}

#[cfg(unix)]
#[test]
fn a_new_study_is_empty_and_this_machine_is_its_first_centre() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = env!("CARGO_BIN_EXE_crossover");
    let mut window = probing(&folder, &format!("exec {own} bench \"$@\""));
    send(&mut window, Command::New(examples::TEMPLATE));
    assert!(study(&window).centres.is_empty() && is_valid(&window));
    assert!(window.query_all_by_label_contains("No centre yet").count() > 0);
    window.get_by_role_and_label(Role::Button, "Run").click();
    window.run_steps(2);
    settle(&mut window);
    let names: Vec<&str> = study(&window).centres.iter().map(|centre| centre.name.as_str()).collect();
    assert_eq!(names, ["this machine"]);
    assert_eq!(study(&window).centres[0].units[0].runs.seconds.len(), 5);
}

/// The scenario names a program, which makes a file where it starts.
#[cfg(unix)]
pub(super) fn name_program(window: &mut Window, started: &Path) {
    let line = format!("touch '{}'; echo '{{\"value\": 1.0, \"true_value\": 1.0}}'", started.display());
    window.state_mut().edit_active(|scenario| {
        let study = scenario.study.probe_mut().expect("a probe study");
        study.add_program();
        study.target.programs[0].command.line = vec!["sh".to_owned(), "-c".to_owned(), line];
        study.operators[0].library_operator.clone_from(&study.target.programs[0].key);
        for unit in &mut study.centres[0].units {
            unit.supports.clear();
        }
    });
    settle(window);
}

#[cfg(unix)]
#[test]
fn programs_of_a_scenario_run_only_after_the_user_has_seen_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = env!("CARGO_BIN_EXE_crossover");
    let mut window = probing(&folder, &format!("exec {own} bench \"$@\""));
    let started = folder.path().join("started");
    name_program(&mut window, &started);
    let run = |window: &mut Window| {
        window.get_by_role_and_label(Role::Button, "Run").click();
        window.run_steps(2);
        settle(window);
    };
    let question = "Run the programs of this scenario?";
    run(&mut window);
    window.get_by_label(question);
    assert!(window.query_all_by_label_contains("sh -c 'touch ").count() > 0, "the command line is shown");
    press(&mut window, "Cancel");
    assert!(window.query_by_label(question).is_none() && !started.exists());

    run(&mut window);
    press(&mut window, "Run programs");
    settle(&mut window);
    assert!(started.exists());
    let runs = &study(&window).centres[1].units[0].runs;
    assert_eq!((runs.seconds.len(), runs.failed.len()), (5, 0), "{:?}", runs.failed);
    run(&mut window);
    assert!(window.query_by_label(question).is_none(), "it is remembered");
    assert_eq!(study(&window).centres[1].units[0].runs.seconds.len(), 10);
}

#[cfg(unix)]
#[test]
fn what_fails_is_told_and_what_is_cancelled_did_not_fail() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = probing(&folder, "exit 3");
    window.get_by_role_and_label(Role::Button, "Run").click();
    window.run_steps(2);
    settle(&mut window);
    assert_eq!(study(&window).centres[1].units[0].runs.failed.len(), 5);
    assert!(window.query_all_by_label_contains("5 runs at this machine failed").count() > 0);

    let folder = tempfile::tempdir().expect("a folder");
    let mut window = probing(&folder, "exec sleep 300");
    window.get_by_role_and_label(Role::Button, "Run").click();
    window.run_steps(3);
    window.get_by_role_and_label(Role::Button, "Cancel").click();
    window.run_steps(2);
    settle(&mut window);
    assert!(study(&window).centres.iter().flat_map(|centre| &centre.units).all(|of| of.runs.is_empty()));
    window.get_by_label("this machine: cancelled");
}

#[cfg(unix)]
#[test]
fn a_file_that_a_centre_reports_is_dropped_and_added() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    std::fs::write(&path, "centre,unit_type,units,seconds\nexample centre,unit 2,1,0.5\nexample centre,unit 2,1,0.6\n")
        .expect("written");
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
    let mut window = drawn(&MAIN, Start::default());
    send(&mut window, Command::OpenExample(examples::CENTRES));
    window.run_steps(6);
    window.snapshot("probe-light");
}

#[test]
fn the_page_of_centres_is_laid_out_as_agreed() {
    for (name, example, size) in [
        ("probe-tall", examples::CENTRES, [1280.0, 1900.0]),
        ("probe-narrow", examples::CENTRES, STATE.size),
        ("probe-new", examples::PUBLISHED, MAIN.size),
    ] {
        let mut window = shown(size, Start::default());
        send(&mut window, Command::OpenExample(example));
        window.run_steps(6);
        assert_layout(name, &window);
    }
}
