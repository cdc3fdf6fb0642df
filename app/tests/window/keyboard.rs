//! Everything is reached without a pointer, in the order that the page is read in.

use crossover::workbench::Start;
use crossover_page::command::Command;
use egui::accesskit::{Role, Toggled};
use egui::{Key, Modifiers};
use egui_kittest::kittest::{AccessKitNode, By, NodeT as _, Queryable as _};

use super::layout::{assert_layout, shown};
use super::pictures::MAIN;
use super::{Window, board, send, settle, window};

/// Names of what has the keyboard, one after the other, while Tab goes once through the window.
fn walk(window: &mut Window) -> Vec<String> {
    const MOST: usize = 400;
    let mut visited: Vec<String> = Vec::new();
    for _ in 0..MOST {
        // Pressed in one frame and released in the next; then the page scrolls to it, and a table draws its rows.
        window.key_press(Key::Tab);
        window.run_steps(4);
        // After the last, nothing has the keyboard; then it goes on with the first.
        let Some(name) = focused(window).filter(|name| visited.first() != Some(name)) else { return visited };
        let focused = window.query_all(By::new().predicate(has_keyboard)).next().expect("what has the keyboard");
        let place = focused.rect().center();
        assert!((0.0..800.0).contains(&place.y), "{name} is at {place:?}, after {visited:?}");
        visited.push(name);
    }
    panic!("Tab goes round and round: {visited:?}");
}

fn has_keyboard(node: &AccessKitNode<'_>) -> bool {
    node.is_focused()
}

/// What has the keyboard: its name, or else its text.
fn focused(window: &Window) -> Option<String> {
    let node = window.query_all(By::new().predicate(has_keyboard)).next()?;
    let node = node.accesskit_node();
    node.label().or_else(|| node.value())
}

#[test]
fn tab_goes_through_the_inspector_and_the_charts_before_the_table() {
    let mut window = window();
    let visited = walk(&mut window);
    let place = |name: &str| {
        let found = visited.iter().position(|visited| visited == name);
        found.unwrap_or_else(|| panic!("{name} was not visited: {visited:?}"))
    };
    let (machines, table, filter) = (place("cluster.machines"), place("CPU time"), place("operator filter"));
    assert_eq!(place("File"), 0, "{visited:?}");
    assert!(place("policy.network") > machines && place("policy.network") < table, "{visited:?}");
    assert!(table < filter, "{visited:?}");
    // One stop for each row, however many cells it has.
    assert_eq!(place("operator join"), filter + 1, "{visited:?}");
}

#[test]
fn tab_goes_through_pages_of_each_kind() {
    let mut window = window();
    let examples = ["placement-spark", "regulation-published"];
    for (file, last) in examples.into_iter().zip(["operator 3: ", "Copy"]) {
        let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios");
        send(&mut window, Command::OpenPath(format!("{scenario}/{file}.ron").into()));
        let visited = walk(&mut window);
        assert!(visited.iter().any(|name| name.starts_with(last)), "{file}: {visited:?}");
    }
    send(&mut window, Command::ShowTool(crossover_calibrate_page::TOOL));
    let visited = walk(&mut window);
    assert!(visited.iter().any(|name| name == "Start"), "{visited:?}");
}

#[test]
fn what_has_the_keyboard_is_in_view() {
    let mut window = shown(MAIN.size, Start::default());
    for _ in 0..30 {
        window.key_press(Key::Tab);
        window.run_steps(2);
    }
    window.run_steps(3);
    assert_layout("state-keyboard", &window);
}

#[test]
fn a_row_is_picked_and_a_column_sorted_by_keys() {
    let mut window = window();
    let is_picked = |window: &Window| {
        let row = window.get_by_role_and_label(Role::RowHeader, "operator join");
        row.accesskit_node().toggled() == Some(Toggled::True)
    };
    assert!(!is_picked(&window));
    window.get_by_role_and_label(Role::RowHeader, "operator join").focus();
    window.run_steps(2);
    window.key_press(Key::Enter);
    settle(&mut window);
    assert!(is_picked(&window));

    let rows = |window: &Window| -> Vec<String> {
        let rows = window.get_all_by_role(Role::RowHeader);
        let mut rows: Vec<_> = rows.map(|row| (row.rect().top(), row.accesskit_node().label())).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows.into_iter().filter_map(|(_, name)| name).collect()
    };
    assert_eq!(rows(&window), ["operator filter", "operator join"]);
    window.get_by_label("CPU time").focus();
    window.run_steps(2);
    for expected in [["operator filter", "operator join"], ["operator join", "operator filter"]] {
        window.key_press(Key::Enter);
        settle(&mut window);
        assert_eq!(rows(&window), expected);
    }
    assert_eq!(board(&window).study().operators.len(), 2);
}

#[test]
fn alt_and_a_letter_open_a_menu_whose_items_the_arrows_walk() {
    let mut window = window();
    window.get_by_role_and_label(Role::SpinButton, "cluster.machines").focus();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::ALT, Key::V);
    settle(&mut window);
    assert!(window.query_by_label_contains("Zoom in ").is_some(), "the menu is open");
    window.key_press(Key::ArrowDown);
    window.run_steps(2);
    let item = focused(&window).expect("an item has the keyboard");
    assert!(item.starts_with("Theme"), "{item}");
    window.key_press(Key::Escape);
    window.run_steps(2);
    assert!(window.query_by_label_contains("Zoom in ").is_none(), "the menu is closed");
}

#[test]
fn no_menu_opens_above_a_question() {
    let mut window = window();
    window.state_mut().edit_active(|scenario| scenario.name = "edited".into());
    send(&mut window, Command::CloseTab);
    assert!(window.query_by_label("Discard edits").is_some(), "the question is asked");
    window.key_press_modifiers(Modifiers::ALT, Key::F);
    settle(&mut window);
    assert!(window.query_by_label_contains("Open recent").is_none());
    assert_eq!(window.state().documents().len(), 1);
}

/// Labels have the signs printed on the keys; egui has words for some keys.
#[test]
fn the_list_of_shortcuts_shows_keys_as_they_are_printed() {
    let mut window = window();
    send(&mut window, Command::ShowShortcuts);
    for keys in ["Ctrl+/", "Ctrl++", "Ctrl+-", "Ctrl+0", "Ctrl+Shift+PageDown", "F1"] {
        window.get_by_label(keys);
    }
    for word in ["Slash", "Plus", "Minus"] {
        assert!(window.query_by_label_contains(word).is_none(), "{word}");
    }
}
