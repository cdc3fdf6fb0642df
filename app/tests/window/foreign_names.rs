//! Names in Chinese, Japanese, Korean, Arabic, Hebrew and emoji, wherever a page shows, shortens or searches them.
//!
//! The window of a test has no fonts of the system, so letters that egui's own fonts lack are boxes here.

use std::fs;
use std::path::{Path, PathBuf};

use crossover::workbench::{Start, Workbench};
use crossover_page::command::Command;
use crossover_page::document::Document;
use egui::accesskit::Role;
use egui::{Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

use super::{Window, can_draw, send, settle, stress};

/// What names begin and end with: wide letters, letters from right to left, an emoji of several characters, letters with
/// several marks, a letter beyond the basic plane, and a long name without a space.
const AROUND: [[&str; 2]; 6] = [
    ["語", "👩‍🔬"],
    ["مرحبا ", " בדיקה"],
    ["한국어", "é̶̢"],
    ["🙂", "𝕏"],
    ["漢", "ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢ñ漢"],
    ["Ünï", "﷽"],
];

/// One scenario of each kind, and queries.
const SCENARIOS: [&str; 7] = [
    "placement-small",
    "placement-spark",
    "placement-truth-aws-l4",
    "allocation-shared",
    "preemption-rodinia",
    "probe-centres",
    "regulation-day",
];

/// The window, which draws a box for a letter that no font has.
fn window() -> Window {
    let mut window = Harness::builder()
        .with_size([1280.0, 800.0])
        .with_os(egui::os::OperatingSystem::Nix)
        .with_max_steps(24)
        .allow_missing_glyphs()
        .build_eframe(|creation| Workbench::new(creation, Start::default()));
    settle(&mut window);
    window
}

/// The scenario with other names for everything in it.
fn renamed(text: &str) -> String {
    let names = text.match_indices("name: \"");
    let mut names: Vec<&str> = names.filter_map(|(at, start)| text[at + start.len()..].split('"').next()).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !name.is_empty());
    names.iter().zip(AROUND.iter().cycle()).fold(text.to_owned(), |text, (name, [before, after])| {
        let text = text.replace(&format!("\"{name}\""), &format!("\"{before}{name}{after}\""));
        // Paths of sources have the names of entries in them.
        text.replace(&format!(".{name}."), &format!(".{before}{name}{after}."))
    })
}

/// Writes the scenario with other names, in a file with another name, into a folder.
fn file(folder: &Path, scenario: &str) -> PathBuf {
    let source = format!("{}/../scenarios/{scenario}.ron", env!("CARGO_MANIFEST_DIR"));
    let path = folder.join(format!("集計 🙂 {scenario}.ron"));
    fs::write(&path, renamed(&fs::read_to_string(source).expect("an example"))).expect("written");
    path
}

#[test]
fn every_page_shows_names_of_any_script_and_its_charts_keep_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window();
    let mut with_names = 0;
    for scenario in SCENARIOS {
        send(&mut window, Command::OpenPath(file(folder.path(), scenario)));
        let document = window.state().active().expect("a document");
        assert_eq!(
            document.title(),
            format!("集計 🙂 {scenario}"),
            "{:?}",
            window.state().messages().collect::<Vec<_>>()
        );
        let pictures: Vec<String> =
            document.view.charts().iter().map(|chart| chart.to_svg(false, [960.0, 600.0])).collect();
        let is_in_pictures = |start: &str| pictures.iter().any(|picture| picture.contains(start.trim()));
        with_names += usize::from(AROUND.iter().any(|[start, _]| is_in_pictures(start)));
        if let Some(picture) = pictures.first().filter(|_| can_draw()) {
            let png = crossover_chart::png::encode(picture, 1.0).expect("a picture");
            assert!(png.len() > 1_000, "{scenario}");
        }
    }
    assert!(with_names >= 4, "charts of {with_names} scenarios have names in them");
    assert_eq!(window.state().documents().iter().filter(|document| document.path.is_some()).count(), SCENARIOS.len());
}

#[test]
fn random_events_break_no_page_with_such_names() {
    let folder = tempfile::tempdir().expect("a folder");
    for (seed, scenario) in (1..).zip(["placement-spark", "allocation-shared", "probe-centres"]) {
        let mut window = window();
        send(&mut window, Command::OpenPath(file(folder.path(), scenario)));
        stress::random_events(&mut window, seed, 60);
        stress::valid_scenarios(&window);
    }
}

#[test]
fn such_a_name_is_typed_saved_and_searched() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window();
    send(&mut window, Command::OpenPath(file(folder.path(), "placement-small")));
    let to = folder.path().join("استعلام 🙂.ron");
    send(&mut window, Command::SaveTo(to.clone()));
    assert!(to.is_file());
    assert_eq!(window.state().active().map(Document::title).as_deref(), Some("استعلام 🙂"));
    send(&mut window, Command::ListTabs);
    window.event(Event::Text("علام".into()));
    settle(&mut window);
    window.key_press(Key::Enter);
    settle(&mut window);
    assert_eq!(window.state().active().map(Document::title).as_deref(), Some("استعلام 🙂"));
}

#[test]
fn the_help_is_searched_for_letters_of_any_script() {
    let mut window = window();
    send(&mut window, Command::ShowHelp);
    for query in ["語🙂", "مرحبا", "é̶̢", "👩‍🔬", "İﬃ"] {
        window.get_by_role_and_label(Role::TextInput, "Search").focus();
        window.run_steps(2);
        window.key_press_modifiers(Modifiers::COMMAND, Key::A);
        window.run_steps(1);
        window.event(Event::Text(query.into()));
        settle(&mut window);
        assert!(window.query_by_label_contains("No section has all of these words").is_some(), "{query}");
    }
}
