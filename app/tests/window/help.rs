//! The help: about the page on screen, and searched.

use crossover_page::command::Command;
use egui::accesskit::Role;
use egui::{Event, Key};
use egui_kittest::kittest::Queryable as _;

use super::deciding::with_answer;
use super::{Window, send, settle, window};

/// Where this text begins on the screen, if it is there.
fn top_of(window: &Window, text: &str) -> Option<f32> {
    window.query_all_by_label_contains(text).map(|line| line.rect().top()).find(|top| (0.0..800.0).contains(top))
}

fn type_query(window: &mut Window, query: &str) {
    window.get_by_role_and_label(Role::TextInput, "Search").focus();
    window.run_steps(2);
    window.event(Event::Text(query.to_owned()));
    settle(window);
}

#[test]
fn a_key_shows_the_section_about_the_page_on_screen() {
    let mut window = window();
    window.key_press(Key::F1);
    settle(&mut window);
    assert!(top_of(&window, "shows the speedup of the workload, its time on CPUs").is_some());
    send(&mut window, Command::ShowTool(crossover_tool_pages::map::TOOL));
    send(&mut window, Command::HelpOnPage);
    settle(&mut window);
    let heading = top_of(&window, "Map two numbers").expect("the section of the tool");
    assert!(heading < 400.0, "it is at the top: {heading}");
}

#[test]
fn every_page_has_a_link_to_its_help() {
    let mut window = window();
    window.get_by_label("Help on this page").click();
    settle(&mut window);
    assert!(top_of(&window, "Read a placement study").is_some());
}

/// The status of an answer names the sources of its numbers: it is cut off before the link.
#[test]
fn the_link_to_the_help_stays_in_a_window_of_800_points() {
    let mut window = with_answer();
    window.set_size(egui::vec2(800.0, 600.0));
    window.run_steps(4);
    settle(&mut window);
    let link = window.get_by_label("Help on this page").rect();
    assert!(link.left() > 650.0 && link.right() <= 800.0 && link.bottom() <= 600.0, "{link:?}");
}

#[test]
fn a_search_leads_to_the_section() {
    let mut window = window();
    send(&mut window, Command::ShowHelp);
    type_query(&mut window, "reopen no such words");
    assert!(window.query_by_label_contains("No section has all of these words").is_some());
    window.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
    type_query(&mut window, "map two numbers");
    window.get_by_label("Tools: Map two numbers").click();
    settle(&mut window);
    settle(&mut window);
    assert!(top_of(&window, "Map two numbers").is_some());
    assert!(window.query_by_label("Tools: Map two numbers").is_none(), "the search is empty again");
}
