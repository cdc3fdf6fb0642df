//! Dialogs, menus and what is painted by hand, by keys alone.

use crossover::storage::recovery::{RecoveryStore, Snapshot};
use crossover::workbench::Start;
use crossover_allocation_page as allocation;
use crossover_fleet_page as fleet_page;
use crossover_page::command::Command;
use crossover_placement_page::{examples, request};
use crossover_preemption_page as preemption;
use crossover_probe_page as probe;
use crossover_regulation_page as regulation;
use egui::accesskit::Role;
use egui::{Key, Modifiers, Popup};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::super::layout::shown;
use super::super::{Window, deciding, fleet, send, settle, window, window_with};
use super::{assert_lists, assert_named, assert_reached};

fn is_there(window: &Window, name: &str) -> bool {
    window.query_all_by_label(name).next().is_some()
}

/// Gives this the focus, and presses a key.
fn press_key(window: &mut Window, role: Role, name: &str, key: Key) {
    window.get_all_by_role_and_label(role, name).next().expect(name).focus();
    window.run_steps(2);
    window.key_press(key);
    settle(window);
}

/// A dialog is used by keys, and Esc closes it. `part`: a text of its first screen.
fn check(part: &str, window: &mut Window, open: impl Fn(&mut Window)) {
    open(window);
    window.run_steps(4);
    assert!(is_there(window, part), "{part} is not open");
    assert_named(part, window);
    assert_lists(part, window);
    assert!(is_there(window, part), "Esc in a list closes {part}");
    window.key_press(Key::Escape);
    settle(window);
    assert!(!is_there(window, part), "Esc does not close {part}");
    open(window);
    window.run_steps(4);
    assert_reached(part, window);
    window.key_press(Key::Escape);
    settle(window);
}

/// Opens a dialog by its command.
fn by(command: Command) -> impl Fn(&mut Window) {
    move |window| send(window, command.clone())
}

#[test]
fn pages_of_the_help_are_used_by_keys_and_closed_by_esc() {
    for (command, part) in [
        (Command::ShowShortcuts, "In a plot"),
        (Command::HelpOnPage, "Document"),
        (Command::ShowHelp, "Document"),
        (Command::ShowAbout, "MIT or Apache-2.0"),
    ] {
        check(part, &mut window(), by(command));
    }
}

#[test]
fn questions_for_a_path_are_used_by_keys_and_closed_by_esc() {
    // Tab completes a path first; no file has the name that the second question begins with.
    for command in [Command::TypeOpenPath, Command::TypeSavePath, Command::OpenLink] {
        check("Cancel", &mut window(), by(command));
    }
    let mut window = window();
    send(&mut window, Command::TypeOpenPath);
    press_key(&mut window, Role::Button, "Cancel", Key::Space);
    assert!(!is_there(&window, "Cancel"), "Space presses the button");
}

#[test]
fn questions_about_files_are_used_by_keys_and_closed_by_esc() {
    let mut window = window();
    window.state_mut().edit_active(|scenario| scenario.name = "edited".into());
    check("Discard edits", &mut window, by(Command::CloseTab));
    assert_eq!(window.state().documents().len(), 1, "Esc loses nothing");
    send(&mut window, Command::CloseTab);
    press_key(&mut window, Role::Button, "Discard edits", Key::Enter);
    assert!(window.state().documents().is_empty(), "Enter presses the button");

    check("Which query?", &mut window, |window| {
        send(window, Command::ask(request::Request::ImportFile(deciding::log())));
    });
}

#[test]
fn questions_about_logs_are_used_by_keys_and_closed_by_esc() {
    let (results, logs) = fleet::of_unknown_engines(3);
    let read = fleet_page::Request::ReadLogs(vec![logs], results.path().to_owned());
    check("Replace the results?", &mut window(), by(Command::ask(read)));

    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(deciding::log(), folder.path().join("app-0")).expect("copied");
    let dropped = fleet_page::Request::OpenDropped(folder.path().to_owned());
    check("Read the logs in this folder?", &mut window(), by(Command::ask(dropped)));
}

#[test]
fn the_question_for_a_recording_is_used_by_keys_and_closed_by_esc() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("night.csv");
    let header = "seconds,gpu,pcie_tx_gb_per_s,pcie_rx_gb_per_s,sm_active";
    std::fs::write(&file, format!("{header}\n0,A,1.0,7.875,0.5\n1,A,1.0,7.875,0.25\n")).expect("written");
    let mut window = window();
    send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
    check("Import a recording as demand", &mut window, by(Command::ask(regulation::Request::ImportFile(file))));
    assert!(!window.state().active().expect("open").can_undo(), "Esc imports nothing");
}

#[cfg(target_os = "linux")]
#[test]
fn the_question_before_a_run_is_deleted_is_used_by_keys_and_closed_by_esc() {
    use super::super::calibrate;

    const DELETE: &str = "Delete the run of 2026-01-02 10:11";
    let calibrate::Page { folder, mut window } = calibrate::with_two_runs();
    let run = folder.path().join("runs/a.json");
    check("Delete this run?", &mut window, |window| press_key(window, Role::Button, DELETE, Key::Enter));
    assert!(run.exists(), "Esc deletes nothing");
    press_key(&mut window, Role::Button, DELETE, Key::Enter);
    press_key(&mut window, Role::Button, "Delete the run", Key::Space);
    assert!(!run.exists(), "Space presses the button");
}

/// The lists are walked with the arrow keys, while the field keeps the focus.
#[test]
fn lists_that_are_searched_are_used_by_keys_and_closed_by_esc() {
    for (command, name) in [(Command::Palette, "Search commands"), (Command::ListTabs, "Search tabs")] {
        let mut window = window();
        send(&mut window, command);
        window.run_steps(4);
        window.get_by_role_and_label(Role::TextInput, name);
        assert_named(name, &window);
        window.key_press(Key::Escape);
        settle(&mut window);
        assert!(window.query_by_role_and_label(Role::TextInput, name).is_none(), "Esc does not close {name}");
    }
    let mut window = window();
    send(&mut window, Command::OpenExample(examples::SMALL));
    send(&mut window, Command::ListTabs);
    window.run_steps(4);
    assert_eq!(window.state().tab_titles().len(), 2);
    let on_screen = |window: &Window| window.state().active().expect("a document").label().to_owned();
    window.key_press(Key::ArrowUp);
    window.key_press(Key::Enter);
    settle(&mut window);
    assert_eq!(on_screen(&window), window.state().tab_titles()[0]);
    send(&mut window, Command::ListTabs);
    window.run_steps(4);
    window.key_press(Key::ArrowDown);
    window.key_press(Key::Enter);
    settle(&mut window);
    assert_eq!(on_screen(&window), window.state().tab_titles()[1]);
}

/// What was found stays where it is, and the next start asks again.
#[test]
fn esc_puts_off_the_question_about_unsaved_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = RecoveryStore::open(folder.path().to_owned()).expect("a recovery folder");
    let snapshot = Snapshot {
        document_id: "1".into(),
        name: "half-finished plan".into(),
        path: None,
        only_settings: false,
        saved_at_unix_seconds: 1_700_000_000,
        process_id: 1,
        text: examples::SMALL.text.into(),
    };
    store.write(&snapshot).expect("written");
    // Dropped without being closed, as after a crash.
    drop(store);
    for _ in 0..2 {
        let start = Start { recovery_folder: Some(folder.path().to_owned()), ..Start::default() };
        let mut window = window_with(start);
        assert_named("unsaved work", &window);
        assert_reached("unsaved work", &mut window);
        assert!(is_there(&window, "Unsaved work was found"));
        window.key_press(Key::Escape);
        settle(&mut window);
        assert!(!is_there(&window, "Unsaved work was found"), "Esc does not put it off");
    }
}

#[test]
fn menus_open_by_alt_and_a_letter_have_names_and_are_closed_by_esc() {
    let mut window = window();
    for key in [Key::F, Key::E, Key::V, Key::T, Key::H] {
        window.key_press_modifiers(Modifiers::ALT, key);
        settle(&mut window);
        assert!(Popup::is_any_open(&window.ctx), "Alt+{key:?} opens no menu");
        assert_named(&format!("menu of Alt+{key:?}"), &window);
        window.key_press(Key::Escape);
        settle(&mut window);
        assert!(!Popup::is_any_open(&window.ctx), "Esc does not close the menu of Alt+{key:?}");
    }
    for name in ["+ New", "Export"] {
        press_key(&mut window, Role::Button, name, Key::Enter);
        assert!(Popup::is_any_open(&window.ctx), "Enter does not open {name}");
        window.key_press(Key::Escape);
        settle(&mut window);
        assert!(!Popup::is_any_open(&window.ctx), "Esc does not close {name}");
    }
}

#[test]
fn what_is_painted_by_hand_is_pressed_by_keys() {
    let mut window = shown([800.0, 600.0], Start::default());
    for (key, name, then) in
        [(Key::Enter, "▼ Parameters", "▲ Parameters"), (Key::Space, "▲ Parameters", "▼ Parameters")]
    {
        press_key(&mut window, Role::Button, name, key);
        assert!(is_there(&window, then), "{key:?} presses {name}");
    }

    let mut window = super::super::window();
    send(&mut window, Command::OpenExample(probe::examples::CENTRES));
    window.get_by_label("through Slurm").click_accesskit();
    settle(&mut window);
    press_key(&mut window, Role::Button, "card south", Key::Space);
    assert!(is_there(&window, "Probe south"), "Space selects a centre");

    // Of a few kernels each cell is a button.
    let mut window = super::super::window();
    send(&mut window, Command::OpenExample(preemption::examples::PUBLISHED));
    window.get_by(|node| {
        node.role() == Role::Image
            && node.label().is_some_and(|text| text.starts_with("Which kernels run well together? "))
    });
    press_key(&mut window, Role::Button, "B beside C", Key::Enter);
    assert!(window.query_all_by_label_contains("B beside C: ").next().is_some(), "Enter selects a pair");
}

#[test]
fn arrow_keys_choose_a_task_of_the_timeline() {
    let timeline = |window: &Window| {
        let mut texts = window.query_all_by_role(Role::Image).filter_map(|image| image.accesskit_node().label());
        texts.find(|text| text.starts_with("Timeline: ")).expect("a timeline")
    };
    let mut window = window();
    window.set_size(egui::vec2(1280.0, 1800.0));
    send(&mut window, Command::OpenExample(allocation::examples::SLO));
    let before = timeline(&window);
    assert!(before.ends_with("Arrow keys choose a task."), "{before}");
    assert!(!is_there(&window, "Why on this node?"));
    press_key(&mut window, Role::Image, &before, Key::ArrowRight);
    assert!(is_there(&window, "Why on this node?"));
    let first = timeline(&window);
    // The first run to end is that of the inference task, whose share grew.
    let changed = "Its share of the GPU changed: 50 % from 1 min 30 s.";
    assert!(window.query_all_by_label_contains(changed).next().is_some());
    window.key_press(Key::ArrowDown);
    settle(&mut window);
    let second = timeline(&window);
    assert!(before != first && first != second, "{first}, then {second}");
    window.key_press(Key::ArrowLeft);
    settle(&mut window);
    assert_eq!(timeline(&window), first);
}
