//! Closing tabs and the window while there are unsaved edits.

use std::path::{Path, PathBuf};

use crossover_page::command::Command;
use crossover_placement_page::examples;
use egui_kittest::kittest::Queryable as _;

use super::{Window, send, settle, window};

/// A window with these two files open, each with an edit that is not saved; the second is on screen.
fn two_edited_files(folder: &Path) -> (Window, [PathBuf; 2]) {
    let files = ["first.ron", "second.ron"].map(|name| folder.join(name));
    let mut window = window();
    send(&mut window, Command::CloseTab);
    for file in &files {
        std::fs::write(file, examples::SMALL.text).expect("written");
        send(&mut window, Command::OpenPath(file.clone()));
        rename_scenario(&mut window, "edited");
    }
    (window, files)
}

fn rename_scenario(window: &mut Window, name: &str) {
    window.state_mut().edit_active(|scenario| name.clone_into(&mut scenario.name));
    settle(window);
}

fn press(window: &mut Window, button: &str) {
    window.get_by_label(button).click();
    settle(window);
}

fn ask_to_close(window: &mut Window) -> Vec<egui::ViewportCommand> {
    window.input_mut().viewports.entry(egui::ViewportId::ROOT).or_default().events.push(egui::ViewportEvent::Close);
    window.run_steps(1);
    window.output().viewport_output[&egui::ViewportId::ROOT].commands.clone()
}

fn titles(window: &Window) -> Vec<String> {
    window.state().documents().iter().map(crossover_page::document::Document::title).collect()
}

fn is_edited(file: &Path) -> bool {
    std::fs::read_to_string(file).expect("readable").contains("name: \"edited\"")
}

#[test]
fn save_in_the_question_saves_the_document_it_is_about_and_closes_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut window, [first, second]) = two_edited_files(folder.path());
    send(&mut window, Command::CloseTabAt(0));
    assert!(window.query_by_label_contains("“first” has unsaved edits").is_some());
    // The other tab comes to the front, but the question is still about the first one.
    window.state_mut().send(Command::SelectTab(1));
    press(&mut window, "Save");
    assert_eq!(titles(&window), ["second"]);
    assert!(is_edited(&first) && !is_edited(&second));
}

#[test]
fn an_edit_that_came_after_the_save_keeps_the_tab_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut window, _) = two_edited_files(folder.path());
    send(&mut window, Command::CloseTab);
    window.get_by_label("Save").click();
    window.run_steps(1);
    window.state_mut().edit_active(|scenario| scenario.notes = "one more thing".into());
    settle(&mut window);
    assert_eq!(titles(&window), ["first", "second"]);
    assert!(window.query_by_label("Save your edits?").is_some());
}

#[test]
fn a_document_without_a_file_is_saved_where_the_user_says_and_then_closes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("new.ron");
    let mut window = window();
    rename_scenario(&mut window, "edited");
    send(&mut window, Command::CloseTab);
    press(&mut window, "Save");
    super::type_path(&mut window, &file);
    assert!(window.state().documents().is_empty());
    assert!(is_edited(&file));
}

#[test]
fn a_cancelled_quit_loses_nothing_that_was_to_be_discarded() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut window, [first, second]) = two_edited_files(folder.path());
    assert!(ask_to_close(&mut window).contains(&egui::ViewportCommand::CancelClose));
    settle(&mut window);
    press(&mut window, "Discard edits");
    assert!(window.query_by_label_contains("“second” has unsaved edits").is_some());
    press(&mut window, "Cancel");
    assert_eq!(titles(&window), ["first", "second"]);
    assert!(window.state().documents().iter().all(crossover_page::document::Document::is_dirty));
    assert!(!is_edited(&first) && !is_edited(&second));
}

#[test]
fn quitting_saves_and_discards_as_the_user_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut window, [first, second]) = two_edited_files(folder.path());
    ask_to_close(&mut window);
    settle(&mut window);
    press(&mut window, "Discard edits");
    press(&mut window, "Save");
    assert!(!is_edited(&first) && is_edited(&second));
    assert!(!ask_to_close(&mut window).contains(&egui::ViewportCommand::CancelClose), "nothing is left to ask");
}

#[test]
fn a_save_that_fails_ends_the_quit_with_everything_still_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut window, _) = two_edited_files(folder.path());
    folder.close().expect("the folder is gone");
    ask_to_close(&mut window);
    settle(&mut window);
    press(&mut window, "Discard edits");
    press(&mut window, "Save");
    assert_eq!(titles(&window), ["first", "second"]);
    assert!(window.query_by_label("Save your edits?").is_none());
    assert!(window.state().messages().any(|text| text.contains("there is no folder")));
}

#[test]
fn no_shortcut_works_behind_a_question() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut window, [_, second]) = two_edited_files(folder.path());
    send(&mut window, Command::CloseTab);
    for key in [egui::Key::Z, egui::Key::S, egui::Key::N] {
        window.key_press_modifiers(egui::Modifiers::COMMAND, key);
        settle(&mut window);
    }
    assert_eq!(titles(&window), ["first", "second"]);
    assert!(window.state().active().expect("open").is_dirty() && !is_edited(&second));
}

#[test]
fn all_of_several_edits_are_saved_or_discarded_with_one_answer() {
    for (answer, expected) in [("Save all", true), ("Discard all edits", false)] {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut window, files) = two_edited_files(folder.path());
        ask_to_close(&mut window);
        settle(&mut window);
        assert!(window.query_by_label_contains("1 more scenario has unsaved edits.").is_some());
        press(&mut window, answer);
        assert!(files.iter().all(|file| is_edited(file) == expected), "{answer}");
        assert!(!ask_to_close(&mut window).contains(&egui::ViewportCommand::CancelClose), "nothing is left to ask");
    }
}

#[test]
fn the_keyboard_s_first_answer_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut window, [_, second]) = two_edited_files(folder.path());
    send(&mut window, Command::CloseTab);
    settle(&mut window);
    assert!(window.get_by_label("Save").is_focused());
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    assert!(is_edited(&second));
}
