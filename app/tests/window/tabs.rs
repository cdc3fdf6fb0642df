//! The row of tabs: titles, order, closing and opening again.

use crossover::workbench::listed;
use crossover_page::command::Command;
use crossover_page::document::Document;
use crossover_page::study_module::StudyModule as _;
use crossover_placement_page::{Module, examples};
use crossover_tool_pages::{map, sweep};
use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, Rect, vec2};
use egui_kittest::kittest::Queryable as _;

use super::{Window, send, settle, window};

const SHIFT_COMMAND: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

/// Titles of the tabs, from left to right.
fn titles(window: &Window) -> Vec<String> {
    window.state().tab_titles()
}

/// Opens an example this often beside the first tab.
fn open(window: &mut Window, count: usize) {
    for _ in 0..count {
        send(window, Command::OpenExample(examples::SMALL));
    }
    settle(window);
}

fn on_screen(window: &Window) -> String {
    window.state().active().expect("a document").label().to_owned()
}

/// Where the tab with this title is.
fn tab(window: &Window, title: &str) -> Rect {
    window.get_by_role_and_label(Role::Button, title).rect()
}

fn seen(window: &Window) -> Rect {
    Rect::from_min_size(egui::Pos2::ZERO, window.ctx.content_rect().size())
}

fn rename(window: &mut Window, name: &str) {
    window.state_mut().edit_active(|scenario| name.clone_into(&mut scenario.name));
    settle(window);
}

#[test]
fn no_two_tabs_have_the_same_title() {
    let mut window = window();
    open(&mut window, 3);
    for _ in 0..4 {
        send(&mut window, Command::New(Module.template()));
    }
    let small = "8 machines with one RTX 4090";
    let new = "New placement study";
    let expected = [
        "Published setting".to_owned(),
        small.to_owned(),
        format!("{small} (2)"),
        format!("{small} (3)"),
        new.to_owned(),
        format!("{new} 2"),
        format!("{new} 3"),
        format!("{new} 4"),
    ];
    assert_eq!(titles(&window), expected);
}

#[test]
fn the_active_tab_and_the_menus_behind_the_tabs_stay_in_sight() {
    let mut window = window();
    open(&mut window, 20);
    let all = titles(&window);
    for menu in ["Search tabs…", "+ New"] {
        assert!(seen(&window).contains_rect(tab(&window, menu)), "{menu}");
    }
    let last = tab(&window, &all[20]);
    assert!(seen(&window).contains_rect(last), "{last:?}");
    assert!(last.width() > 80.0, "wide enough to be read: {last:?}");
    send(&mut window, Command::SelectTab(0));
    settle(&mut window);
    let first = tab(&window, &all[0]);
    assert!(first.left() >= -1.0, "{first:?}");
}

/// A narrower window and a larger zoom leave less room: the active tab, at the right, is scrolled into view again.
#[test]
fn the_active_tab_stays_in_sight_in_a_narrower_window_and_with_a_larger_zoom() {
    let mut window = window();
    open(&mut window, 5);
    let last = titles(&window)[5].clone();
    let is_seen = |window: &Window| seen(window).contains_rect(tab(window, &last));
    assert!(is_seen(&window), "at 1280 points");
    window.set_size(vec2(800.0, 600.0));
    window.run_steps(30);
    settle(&mut window);
    assert!(is_seen(&window), "at 800 points: {:?}", tab(&window, &last));
    for _ in 0..5 {
        send(&mut window, Command::ZoomIn);
    }
    window.run_steps(30);
    assert!(is_seen(&window), "at 150 %: {:?}", tab(&window, &last));
}

#[test]
fn few_tabs_need_no_list() {
    let window = window();
    assert!(window.query_by_label("Search tabs…").is_none());
}

#[test]
fn the_wheel_scrolls_the_tabs() {
    let mut window = window();
    open(&mut window, 20);
    send(&mut window, Command::SelectTab(0));
    settle(&mut window);
    let all = titles(&window);
    let before = tab(&window, &all[0]);
    window.hover_at(before.center());
    window.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: vec2(0.0, -120.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    });
    window.run_steps(30);
    let moved =
        window.query_by_role_and_label(Role::Button, &all[0]).map_or(f32::NEG_INFINITY, |tab| tab.rect().left());
    assert!(moved < before.left() - 50.0, "{before:?} → {moved}");
}

#[test]
fn a_tab_is_found_by_typing_a_part_of_its_title() {
    let mut window = window();
    open(&mut window, 20);
    window.get_by_label("Search tabs…").click();
    settle(&mut window);
    window.event(Event::Text("publ".into()));
    settle(&mut window);
    window.key_press(Key::Enter);
    settle(&mut window);
    assert_eq!(on_screen(&window), "Published setting");
}

#[test]
fn a_dragged_tab_is_dropped_where_it_is_released() {
    let mut window = window();
    open(&mut window, 2);
    let all = titles(&window);
    let (from, to) = (tab(&window, &all[0]).center(), tab(&window, &all[2]).right_center());
    window.hover_at(from);
    window.run_steps(1);
    window.drag_at(from);
    window.run_steps(1);
    window.hover_at(from.lerp(to, 0.5));
    window.run_steps(2);
    window.hover_at(to);
    window.run_steps(2);
    window.drop_at(to);
    settle(&mut window);
    assert_eq!(titles(&window), [all[1].as_str(), &all[2], &all[0]]);
}

#[test]
fn keys_move_a_tab_and_documents_stay_left_of_tools() {
    let mut window = window();
    open(&mut window, 1);
    send(&mut window, Command::ShowTool(crossover_calibrate_page::TOOL));
    send(&mut window, Command::SelectTab(0));
    let all = titles(&window);
    for _ in 0..3 {
        window.key_press_modifiers(SHIFT_COMMAND, Key::PageDown);
        settle(&mut window);
    }
    assert_eq!(titles(&window), [all[1].as_str(), &all[0], &all[2]]);
    assert_eq!(on_screen(&window), all[0], "the moved tab stays on screen");
    window.key_press_modifiers(SHIFT_COMMAND, Key::PageUp);
    settle(&mut window);
    assert_eq!(titles(&window), all);
}

#[test]
fn a_closed_tab_comes_back_where_it_was_with_the_edits_that_were_discarded() {
    let mut window = window();
    open(&mut window, 1);
    send(&mut window, Command::SelectTab(0));
    rename(&mut window, "edited");
    send(&mut window, Command::CloseTab);
    window.get_by_label("Discard edits").click();
    settle(&mut window);
    assert_eq!(window.state().documents().len(), 1);
    window.key_press_modifiers(SHIFT_COMMAND, Key::T);
    settle(&mut window);
    assert_eq!(titles(&window)[0], "edited");
    assert_eq!(on_screen(&window), "edited");
    assert!(window.state().active().is_some_and(Document::is_dirty), "its edits are still not saved");
}

#[test]
fn tabs_come_back_in_the_order_they_were_closed_and_a_file_is_not_opened_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("query.ron");
    std::fs::write(&file, examples::SMALL.text).expect("written");
    let mut window = window();
    send(&mut window, Command::OpenPath(file.clone()));
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::OpenPath(file));
    send(&mut window, Command::ReopenClosed);
    assert_eq!(titles(&window), ["Published setting", "query"]);
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::ReopenClosed);
    assert_eq!(titles(&window), ["Published setting"]);
    send(&mut window, Command::ReopenClosed);
    assert_eq!(titles(&window), ["Published setting", "query"]);
    send(&mut window, Command::ReopenClosed);
    assert!(window.state().messages().any(|text| text == "No tab was closed"));
}

#[test]
fn a_closed_tool_comes_back_where_it_was_about_its_scenario() {
    let mut window = window();
    open(&mut window, 1);
    send(&mut window, Command::SelectTab(0));
    send(&mut window, Command::ShowTool(sweep::TOOL));
    send(&mut window, Command::SelectTab(1));
    send(&mut window, Command::ShowTool(map::TOOL));
    let all = titles(&window);
    assert_eq!(all[2..], ["Sweep", "Map"]);
    send(&mut window, Command::CloseTabAt(2));
    // Another scenario is in front now.
    send(&mut window, Command::SelectTab(1));
    send(&mut window, Command::ReopenClosed);
    assert_eq!(titles(&window), all);
    let tool = window.state().active_tool().expect("it is in front");
    assert_eq!((tool.tool(), tool.target()), (sweep::TOOL, Some(window.state().documents()[0].id.as_str())));
}

#[test]
fn closing_the_others_asks_about_their_edits_and_a_cancel_closes_nothing() {
    let mut window = window();
    rename(&mut window, "edited");
    open(&mut window, 2);
    send(&mut window, Command::ShowTool(crossover_calibrate_page::TOOL));
    send(&mut window, Command::SelectTab(1));
    let kept = on_screen(&window);
    let all = titles(&window);
    send(&mut window, Command::CloseOtherTabs);
    assert!(window.query_by_label_contains("“edited” has unsaved edits").is_some());
    window.get_by_label("Cancel").click();
    settle(&mut window);
    assert_eq!(titles(&window), all);
    send(&mut window, Command::CloseTabsExcept(1));
    window.get_by_label("Discard edits").click();
    settle(&mut window);
    assert_eq!(titles(&window), [kept.as_str()]);
    assert_eq!(on_screen(&window), kept);
}

#[test]
fn the_own_edits_of_the_tab_that_stays_are_not_asked_about() {
    let mut window = window();
    open(&mut window, 1);
    rename(&mut window, "edited");
    send(&mut window, Command::CloseOtherTabs);
    assert_eq!(titles(&window), ["edited"]);
    assert!(window.query_by_label("Save your edits?").is_none());
}

/// Values that egui keeps by the ids of widgets, and the areas that it knows.
fn kept_by_egui(window: &Window) -> (usize, usize) {
    window.ctx.memory(|memory| (memory.data.len(), memory.layer_ids().len()))
}

#[test]
fn egui_keeps_nothing_of_the_pages_of_closed_tabs() {
    // What one tab leaves behind is more after each.
    const TIMES: usize = 3;
    let mut window = window();
    let new: Vec<Command> = listed().into_iter().filter(|command| matches!(command, Command::New(_))).collect();
    let open_and_close_all = |window: &mut Window| {
        for command in &new {
            window.state_mut().send(command.clone());
            window.run_steps(2);
            assert_eq!(window.state().documents().len(), 2);
            window.state_mut().send(Command::CloseTab);
            window.run_steps(2);
        }
    };
    open_and_close_all(&mut window);
    let first = kept_by_egui(&window);
    for _ in 0..TIMES {
        open_and_close_all(&mut window);
    }
    assert_eq!(kept_by_egui(&window), first, "after {TIMES} more tabs of each of the {} kinds", new.len());
}

#[test]
fn names_of_any_length_leave_the_row_usable() {
    let mut window = window();
    open(&mut window, 1);
    for name in ["n".repeat(10_000), "a\nb\tc".to_owned(), String::new(), " ".repeat(50)] {
        rename(&mut window, &name);
        let title = titles(&window).pop().expect("a tab");
        assert!(!title.contains('\n') && title.chars().count() <= 130, "{title}");
        assert!(seen(&window).contains_rect(tab(&window, "+ New")));
    }
}
