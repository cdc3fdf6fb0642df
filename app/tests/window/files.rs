//! Opening, saving and closing.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::sync::Arc;

use crossover::workbench::Start;
use crossover_export::Format;
use crossover_page::command::{Command, Picture};
use crossover_page::storage::scenario;
use crossover_placement_page::examples;
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;

use super::{Window, send, settle, study, type_path, window};

/// A file that the pointer lets go of above the window.
#[derive(Debug)]
pub(super) struct Dropped(pub(super) PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

fn rename_scenario(window: &mut Window, name: &str) {
    window.state_mut().edit_active(|scenario| name.clone_into(&mut scenario.name));
    settle(window);
}

#[test]
fn a_dropped_file_opens_in_a_tab_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.ron");
    std::fs::write(&path, examples::SMALL.text).expect("written");
    let mut window = window();
    window.input_mut().dropped_files.push(Arc::new(Dropped(path.clone())));
    settle(&mut window);
    assert_eq!(window.state().documents().len(), 2);
    assert_eq!(window.state().active().expect("open").path.as_deref(), Some(path.as_path()));
    assert!(window.query_by_label("mine").is_some(), "the tab has the name of the file");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), examples::SMALL.text, "opening never changes a file");
}

#[test]
fn files_of_the_command_line_open_in_tabs_and_the_last_is_shown() {
    let scenarios = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios");
    let load = |name: &str| scenario::load(Path::new(&format!("{scenarios}/{name}.ron"))).expect("a scenario");
    let loaded = vec![load("placement-modern"), load("regulation-published")];
    let window = super::window_with(Start { loaded, ..Start::default() });
    assert_eq!(window.state().documents().len(), 2);
    assert!(window.state().active().expect("open").scenario.placement().is_none(), "a regulation study");
}

#[test]
fn a_saved_scenario_opens_again_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("saved.ron");
    let mut window = window();
    window.state_mut().edit_active(|scenario| {
        let study = scenario.study.placement_mut().expect("a placement study");
        study.operators[0].cpu_seconds_per_100mb = 0.1 + 0.2;
        study.bus.to_gpu_gb_per_s = 12.345_678_901_234_567;
    });
    settle(&mut window);
    assert!(window.state().active().expect("open").is_dirty());
    send(&mut window, Command::SaveTo(path.clone()));
    assert!(!window.state().active().expect("open").is_dirty());
    let saved = study(&window).clone();
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::OpenPath(path));
    assert_eq!(*study(&window), saved);
}

#[test]
fn the_message_about_a_failed_save_goes_once_it_succeeds() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("missing/study.ron");
    let mut window = window();
    let is_failed = |window: &Window| window.state().messages().any(|message| message.starts_with("cannot save"));
    send(&mut window, Command::SaveTo(path.clone()));
    assert!(is_failed(&window));
    std::fs::create_dir(folder.path().join("missing")).expect("a folder");
    send(&mut window, Command::SaveTo(path));
    assert!(!is_failed(&window));
}

#[test]
fn a_second_window_on_a_file_offers_to_read_it_only_or_to_take_it_over() {
    const QUESTION: &str = "The file is open in another window";
    let (folder, notes) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let path = folder.path().join("study.ron");
    std::fs::write(&path, crossover_page::storage::scenario::BUILT_IN).expect("written");
    let named = |name: &str| std::fs::read_to_string(&path).expect("a file").contains(name);
    let open = || {
        let start = Start { open_files_folder: Some(notes.path().to_owned()), ..Start::default() };
        let mut window = super::window_with(start);
        send(&mut window, Command::OpenPath(path.clone()));
        window
    };
    let mut first = open();
    assert!(first.query_by_label(QUESTION).is_none());
    let mut second = open();
    assert!(second.query_by_label(QUESTION).is_some());
    second.get_by_label("Read only").click();
    settle(&mut second);
    assert!(second.query_by_label("read only: open in another window").is_some());

    rename_scenario(&mut second, "by the second");
    send(&mut second, Command::Save);
    assert!(second.query_by_label(QUESTION).is_some() && !named("by the second"));
    second.get_by_label("Take over").click();
    settle(&mut second);
    send(&mut second, Command::Save);
    assert!(second.query_by_label(QUESTION).is_none() && named("by the second"));

    rename_scenario(&mut first, "by the first");
    send(&mut first, Command::Save);
    assert!(first.query_by_label(QUESTION).is_some() && !named("by the first"));
    drop(second);
    first.get_by_label("Read only").click();
    settle(&mut first);
    send(&mut first, Command::Save);
    assert!(first.query_by_label("Replace the file?").is_some(), "the other window has ended, and had saved");
}

#[cfg(unix)]
#[test]
fn a_path_that_would_be_read_without_end_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe.ron");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let mut window = window();
    send(&mut window, Command::OpenPath(pipe));
    assert!(window.state().messages().any(|message| message.contains("pipe.ron: a pipe, a socket or a device")));
}

#[test]
fn a_typed_path_works_where_there_is_no_file_dialog() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("typed.ron");
    let mut window = window();
    for command in [Command::TypeSavePath, Command::TypeOpenPath] {
        send(&mut window, command);
        type_path(&mut window, &path);
    }
    assert!(path.exists());
    assert_eq!(window.state().active().expect("open").path.as_deref(), Some(path.as_path()));
}

/// As `crossover FILE` does: a plan is no scenario, and is imported.
#[test]
fn a_typed_path_opens_what_the_command_line_opens() {
    let plan = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-profile.json"));
    let mut window = window();
    send(&mut window, Command::TypeOpenPath);
    type_path(&mut window, plan);
    let query = window.state().active().and_then(|document| document.scenario.placement()?.query.as_deref());
    assert!(query.is_some(), "{:?}", window.state().messages().collect::<Vec<_>>());
}

#[test]
fn the_problem_with_a_file_leaves_when_another_one_opens() {
    let folder = tempfile::tempdir().expect("a folder");
    let [broken, good] = ["broken.ron", "good.ron"].map(|name| folder.path().join(name));
    std::fs::write(&broken, "(version: ").expect("written");
    std::fs::write(&good, examples::SMALL.text).expect("written");
    let mut window = window();
    let is_named = |window: &Window| window.state().messages().any(|message| message.contains("broken.ron"));
    send(&mut window, Command::OpenPath(broken));
    settle(&mut window);
    send(&mut window, Command::SelectTab(0));
    assert!(is_named(&window), "it stays until the user has read it or opened something else");
    send(&mut window, Command::OpenPath(good));
    settle(&mut window);
    assert!(!is_named(&window) && window.state().documents().len() == 2);
}

#[test]
fn the_status_bar_says_what_is_in_no_file() {
    let mut window = window();
    assert!(window.query_by_label("example, not saved").is_some());
    send(&mut window, Command::New(examples::TEMPLATE));
    assert!(window.query_by_label("new, not saved").is_some());
    rename_scenario(&mut window, "edited");
    assert!(window.query_by_label("unsaved edits").is_some());
}

#[test]
fn the_name_is_selected_when_the_question_for_a_path_opens() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window();
    send(&mut window, Command::SaveTo(folder.path().join("old name.ron")));
    send(&mut window, Command::TypeSavePath);
    window.event(egui::Event::Text("new name".into()));
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    assert_eq!(window.state().active().expect("open").path, Some(folder.path().join("new name.ron")));
}

#[test]
fn an_export_is_not_written_under_the_name_of_another_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window();
    send(&mut window, Command::Export(Format::Csv));
    type_path(&mut window, &folder.path().join("table.json"));
    assert!(window.query_by_label_contains("choose “Export results as JSON…”").is_some());
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 0);
    window.get_by_label("Cancel").click();
    settle(&mut window);
}

#[test]
fn a_typed_path_of_an_existing_file_is_replaced_only_with_the_button() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("there.ron");
    std::fs::write(&path, "precious").expect("written");
    let mut window = window();
    send(&mut window, Command::TypeSavePath);
    type_path(&mut window, &path);
    assert_eq!(std::fs::read_to_string(&path).expect("read"), "precious", "Enter does not replace it");
    window.get_by_label("Replace").click();
    settle(&mut window);
    assert!(crossover_page::storage::scenario::open(&path).is_ok());
}

#[test]
fn saving_onto_the_file_of_another_tab_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("inner")).expect("a folder in it");
    let taken = folder.path().join("taken.ron");
    std::fs::write(&taken, examples::SMALL.text).expect("written");
    let mut window = window();
    send(&mut window, Command::OpenPath(taken.clone()));
    send(&mut window, Command::SelectTab(0));
    rename_scenario(&mut window, "edited");
    let other_name = folder.path().join("inner/../taken.ron");
    send(&mut window, Command::SaveTo(other_name));
    assert!(window.state().active().expect("open").is_dirty());
    assert_eq!(std::fs::read_to_string(&taken).expect("read"), examples::SMALL.text);
    assert!(window.state().messages().any(|text| text.contains("open in the tab “taken”")));
}

#[test]
fn one_file_under_two_names_opens_one_tab() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("inner")).expect("a folder in it");
    std::fs::write(folder.path().join("one.ron"), examples::SMALL.text).expect("written");
    let mut window = window();
    send(&mut window, Command::OpenPath(folder.path().join("one.ron")));
    send(&mut window, Command::OpenPath(folder.path().join("inner/../one.ron")));
    assert_eq!(window.state().documents().len(), 2, "the example and the file");
}

#[test]
fn a_file_that_another_program_changed_is_not_overwritten_without_asking() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shared.ron");
    std::fs::write(&path, examples::SMALL.text).expect("written");
    for (answer, is_replaced) in [("Cancel", false), ("Replace", true)] {
        let mut window = window();
        send(&mut window, Command::OpenPath(path.clone()));
        rename_scenario(&mut window, "edited");
        std::fs::write(&path, "by another program").expect("written");
        send(&mut window, Command::Save);
        assert!(window.query_by_label("Replace the file?").is_some());
        window.get_by_label(answer).click();
        settle(&mut window);
        assert_eq!(std::fs::read_to_string(&path).expect("read") != "by another program", is_replaced, "{answer}");
        assert_eq!(window.state().active().expect("open").is_dirty(), !is_replaced, "{answer}");
        std::fs::write(&path, examples::SMALL.text).expect("written");
    }
}

/// Types into the number of machines, and leaves the field as it is.
fn type_machines(window: &mut Window, text: &str) {
    window.get_by_role_and_label(Role::SpinButton, "cluster.machines").focus();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.run_steps(1);
    window.event(egui::Event::Text(text.to_owned()));
    window.run_steps(1);
}

#[test]
fn what_is_typed_counts_when_keys_save_or_close() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("small.ron");
    std::fs::write(&file, examples::SMALL.text).expect("written");
    let loaded = || vec![scenario::load(&file).expect("a scenario")];
    let saved = || scenario::open(&file).expect("a scenario").placement().expect("placement").cluster.machines;

    let mut window = super::window_with(Start { loaded: loaded(), ..Start::default() });
    type_machines(&mut window, "77");
    window.key_press_modifiers(Modifiers::COMMAND, Key::S);
    settle(&mut window);
    assert_eq!(saved(), 77.0);

    type_machines(&mut window, "78");
    window.key_press(Key::Enter);
    window.key_press_modifiers(Modifiers::COMMAND, Key::S);
    settle(&mut window);
    assert_eq!(saved(), 78.0);

    type_machines(&mut window, "79");
    window.key_press_modifiers(Modifiers::COMMAND, Key::W);
    settle(&mut window);
    assert!(window.query_by_label("Discard edits").is_some(), "it is asked what becomes of the edit");
}

#[test]
fn saving_twice_in_a_row_asks_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.ron");
    std::fs::write(&path, examples::SMALL.text).expect("written");
    let mut window = window();
    send(&mut window, Command::OpenPath(path));
    rename_scenario(&mut window, "edited");
    window.state_mut().send(Command::Save);
    send(&mut window, Command::Save);
    assert!(!window.state().active().expect("open").is_dirty());
    assert!(window.query_by_label("Replace the file?").is_none());
}

/// Set for the process that the next test starts: itself again, with a scenario on standard input.
const READS_STANDARD_INPUT: &str = "CROSSOVER_TEST_READS_STANDARD_INPUT";

#[test]
fn standard_input_opens_as_a_document_without_a_file() {
    if std::env::var_os(READS_STANDARD_INPUT).is_some() {
        let loaded = scenario::load(Path::new(scenario::STANDARD_INPUT)).expect("a scenario");
        let window = super::window_with(Start { loaded: vec![loaded], ..Start::default() });
        let document = window.state().active().expect("open");
        return println!("opened {} at {:?}", document.title(), document.path);
    }
    let mut child = Process::new(std::env::current_exe().expect("this test"))
        .args([
            "--exact",
            "files::standard_input_opens_as_a_document_without_a_file",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(READS_STANDARD_INPUT, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a second window");
    let text = examples::SMALL.text;
    child.stdin.take().expect("its input").write_all(text.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ended");
    let name = crossover_scenario::read(text).expect("a valid example").name;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains(&format!("opened {name} at None")), "{printed}");
}

#[test]
fn everything_on_the_page_can_be_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window();
    let chart = |chart, picture| Command::ExportChart { chart, picture };
    for (command, name, begins_with) in [
        (Command::Export(Format::Csv), "r.csv", "operator,network,compression,cpu_seconds"),
        (Command::Export(Format::Json), "r.json", "{\n  \"study\": \"placement\""),
        (Command::Export(Format::Markdown), "r.md", "# Published setting"),
        (Command::Export(Format::Ron), "r.ron", "("),
        (Command::ExportData, "c.csv", "cpu_seconds_per_100mb,\"filter, 10 Gb Ethernet\""),
        (chart(0, Picture::Svg), "lines.svg", "<svg"),
        (chart(2, Picture::Svg), "bars.svg", "<svg"),
        (chart(1, Picture::Png), "lines.png", "\u{fffd}PNG"),
        (chart(0, Picture::VegaLite), "lines.vl.json", "{\n  \"$schema\""),
    ] {
        send(&mut window, command);
        let path = folder.path().join(name);
        type_path(&mut window, &path);
        let written = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = String::from_utf8_lossy(&written);
        assert!(text.starts_with(begins_with), "{name} begins with {:?}", &text[..60.min(text.len())]);
    }
}

#[test]
fn a_failed_save_says_so_and_keeps_the_edits() {
    let mut window = window();
    rename_scenario(&mut window, "edited");
    send(&mut window, Command::SaveTo("/no/such/folder/x.ron".into()));
    assert!(window.state().active().expect("open").is_dirty());
    let messages: Vec<&str> = window.state().messages().collect();
    assert!(messages.iter().any(|text| text.contains("/no/such/folder")), "{messages:?}");
}

#[test]
fn a_bad_file_is_refused_with_file_line_column_and_field() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bad.ron");
    std::fs::write(&path, examples::PUBLISHED.text.replace("machines: 1000", "machines: -5")).expect("written");
    let mut window = window();
    send(&mut window, Command::OpenPath(path));
    assert_eq!(window.state().documents().len(), 1, "nothing half-loaded");
    let message = window.state().messages().next().expect("a message").to_owned();
    for part in ["bad.ron:8:29", "cluster.machines", "-5", "1 … 1,000,000"] {
        assert!(message.contains(part), "“{part}” is missing in: {message}");
    }
}

#[test]
fn closing_with_unsaved_edits_asks_first() {
    let mut window = window();
    rename_scenario(&mut window, "edited");
    send(&mut window, Command::CloseTab);
    assert!(window.query_by_label("Save your edits?").is_some());
    window.get_by_label("Cancel").click();
    settle(&mut window);
    assert_eq!(window.state().documents().len(), 1);
    send(&mut window, Command::CloseTab);
    window.get_by_label("Discard edits").click();
    settle(&mut window);
    assert!(window.state().documents().is_empty());
    assert!(window.query_by_label("No scenario is open").is_some(), "the empty page offers what to do next");
}

#[test]
fn a_clean_tab_closes_at_once() {
    let mut window = window();
    send(&mut window, Command::OpenExample(examples::MODERN));
    send(&mut window, Command::CloseTab);
    assert_eq!(window.state().documents().len(), 1);
}

#[test]
fn closing_the_window_with_unsaved_edits_is_held_up() {
    let mut window = window();
    rename_scenario(&mut window, "edited");
    window.input_mut().viewports.entry(egui::ViewportId::ROOT).or_default().events.push(egui::ViewportEvent::Close);
    window.run_steps(1);
    let commands = &window.output().viewport_output[&egui::ViewportId::ROOT].commands;
    assert!(commands.contains(&egui::ViewportCommand::CancelClose), "{commands:?}");
    window.run_steps(2);
    assert!(window.query_by_label("Save your edits?").is_some());
}

#[test]
fn the_recommendations_go_to_the_clipboard() {
    let mut window = window();
    window.state_mut().send(Command::Copy(Format::Markdown));
    let copied = crossover_needs::wait_for("a copied text", || {
        window.step();
        window.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    });
    assert!(copied.contains("| filter"), "{copied}");
    assert!(window.state().messages().any(|text| text.contains("Markdown")));
}
