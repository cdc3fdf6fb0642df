//! Opening, saving and closing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover::command::{Command, Example, Picture};
use crossover::export::Format;
use egui_kittest::kittest::Queryable as _;

use super::{Window, send, settle, study, window};

/// A file that the pointer lets go of above the window.
#[derive(Debug)]
struct Dropped(PathBuf);

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
    std::fs::write(&path, Example::Small.text()).expect("written");
    let mut window = window();
    window.input_mut().dropped_files.push(Arc::new(Dropped(path.clone())));
    settle(&mut window);
    assert_eq!(window.state().documents().len(), 2);
    assert_eq!(window.state().active().expect("open").path.as_deref(), Some(path.as_path()));
    assert!(window.query_by_label("mine").is_some(), "the tab has the name of the file");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), Example::Small.text(), "opening never changes a file");
}

#[test]
fn a_saved_scenario_opens_again_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("saved.ron");
    let mut window = window();
    window.state_mut().edit_active(|scenario| {
        let crossover_model::scenario::Study::Placement(study) = &mut scenario.study;
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

/// Answers the question for a path.
fn type_path(window: &mut Window, path: &Path) {
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(1);
    window.event(egui::Event::Text(path.display().to_string()));
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    settle(window);
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
        (Command::ExportCurves, "c.csv", "cpu_seconds_per_100mb,\"filter, 10 Gb Ethernet\""),
        (chart(0, Picture::Svg), "lines.svg", "<svg"),
        (chart(2, Picture::Svg), "bars.svg", "<svg"),
        (chart(1, Picture::Png), "lines.png", "\u{fffd}PNG"),
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
    std::fs::write(&path, Example::Published.text().replace("machines: 1000", "machines: -5")).expect("written");
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
    send(&mut window, Command::OpenExample(Example::Modern));
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
    window.run_steps(2);
    let copied = window.output().platform_output.commands.iter().find_map(|command| match command {
        egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    // The command is carried out in the first of the two frames at the latest.
    if let Some(copied) = copied {
        assert!(copied.contains("| filter"), "{copied}");
    }
    assert!(window.state().messages().any(|text| text.contains("Markdown")));
}
