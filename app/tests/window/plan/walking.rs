//! Moving through the tree by pointer and keys, and choosing sides there.

use crossover_page::command::Command;
use crossover_placement::Side;
use egui::{Key, Role};
use egui_kittest::kittest::Queryable as _;

use super::super::{Window, board, send, settle, view};
use super::{boxes, click, decided, fixture, name, operator, query, window};

fn press(window: &mut Window, key: Key) {
    window.key_press(key);
    settle(window);
}

#[test]
fn every_operator_has_a_box_with_its_side() {
    let window = window(fixture::plan());
    // 20 nodes, of which four do no work of their own.
    assert_eq!(boxes(&window).len(), 16);
    for node in [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] {
        let side = format!(", {}", decided(&window, node).label());
        assert!(name(&window, node).contains(&side), "{} and {side}", name(&window, node));
    }
    assert!(name(&window, 5).starts_with("MapElements, CPU, no GPU version, "));
}

#[test]
fn a_click_on_a_box_shows_its_numbers_and_a_click_beside_it_those_of_all() {
    let mut window = window(fixture::plan());
    assert!(window.query_by_label("How long do other placements take by the hardware model?").is_some());
    click(&mut window, 9);
    assert_eq!(view(&window).plan.selected, Some(9));
    window.get_by_label("node 9 · sort");
    assert!(window.query_by_label("How long do other placements take by the hardware model?").is_none());
    window.get_by_label("◀ Whole plan").click();
    settle(&mut window);
    assert_eq!(view(&window).plan.selected, None);
}

#[test]
fn a_pin_is_an_edit_that_can_be_undone() {
    let mut window = window(fixture::plan());
    let before = decided(&window, 9);
    click(&mut window, 9);
    let label = format!("on {}", before.other().label());
    window.get_by_role_and_label(Role::RadioButton, &label).click();
    settle(&mut window);
    assert_eq!(query(&window).pins.get(&9), Some(&before.other()));
    assert!(name(&window, 9).starts_with(&format!("Sort, {}, pinned, ", before.other().label())));
    send(&mut window, Command::Undo);
    assert!(query(&window).pins.is_empty());
    assert!(name(&window, 9).starts_with(&format!("Sort, {}, ", before.label())));
}

#[test]
fn arrows_walk_along_the_lines() {
    let mut window = window(fixture::plan());
    click(&mut window, 9);
    assert!(operator(&window, 9).is_focused());
    for (key, expected) in [
        (Key::ArrowDown, 10),
        (Key::ArrowDown, 11),
        (Key::ArrowDown, 12),
        // A source reads nothing.
        (Key::ArrowDown, 12),
        (Key::ArrowUp, 11),
        (Key::ArrowUp, 10),
        (Key::ArrowUp, 9),
        (Key::ArrowRight, 13),
        (Key::ArrowLeft, 9),
        (Key::ArrowUp, 8),
    ] {
        press(&mut window, key);
        assert_eq!(view(&window).plan.selected, Some(expected), "{key:?}");
        assert!(operator(&window, expected).is_focused());
    }
}

#[test]
fn enter_asks_for_the_side_and_gives_the_focus_back() {
    let mut window = window(fixture::plan());
    click(&mut window, 9);
    press(&mut window, Key::Enter);
    let choices = window.get_all_by_role_and_label(Role::RadioButton, "on CPU");
    choices.last().expect("a choice beside the box").click();
    settle(&mut window);
    assert_eq!(query(&window).pins.get(&9), Some(&Side::Cpu));
    // Only that of the details is left.
    window.get_by_role_and_label(Role::RadioButton, "on CPU");
    assert!(operator(&window, 9).is_focused());
    press(&mut window, Key::Enter);
    assert_eq!(window.get_all_by_role_and_label(Role::RadioButton, "on CPU").count(), 2);
    press(&mut window, Key::Escape);
    assert_eq!(window.get_all_by_role_and_label(Role::RadioButton, "on CPU").count(), 1);
}

#[test]
fn a_right_click_asks_for_the_side() {
    let mut window = window(fixture::plan());
    operator(&window, 8).click_secondary();
    settle(&mut window);
    let choices = window.get_all_by_role_and_label(Role::RadioButton, "on GPU");
    choices.last().expect("a choice beside the box").click();
    settle(&mut window);
    assert_eq!(query(&window).pins.get(&8), Some(&Side::Gpu));
}

#[test]
fn the_plan_zooms_and_fits() {
    let mut window = window(fixture::plan());
    let scale = |window: &Window| view(window).plan.view.camera.scale();
    let before = scale(&window);
    window.get_by_label("Zoom into the plan").click();
    settle(&mut window);
    assert!(scale(&window) > before);
    for _ in 0..3 {
        window.get_by_label("Zoom into the plan").click();
        settle(&mut window);
    }
    assert!(boxes(&window).len() < 16, "some are out of sight");
    window.get_by_label("Fit").click();
    settle(&mut window);
    assert_eq!(boxes(&window).len(), 16);
    window.get_by_label("Zoom out of the plan").click();
    settle(&mut window);
    assert!(scale(&window) < before.max(1.0));
}

#[test]
fn a_row_of_the_table_picks_its_operator() {
    let mut window = window(fixture::plan());
    window.get_by_label("MapElements").click();
    settle(&mut window);
    assert_eq!(view(&window).plan.selected, Some(5));
}

#[test]
fn ten_thousand_operators_are_decided_once_and_drawn_where_they_are_seen() {
    let mut window = window(fixture::large(10_000));
    assert_eq!(board(&window).plan().expect("a plan").whole().operators.len(), 10_000);
    let drawn = |window: &Window| view(window).plan.view.drawn;
    // What a frame costs: the operators in view, and no decision.
    let check_frame = |window: &mut Window| {
        window.run_steps(1);
        let (drawn, named) = (drawn(window), boxes(window).len());
        assert!((1..200).contains(&drawn) && (1..=drawn).contains(&named), "{drawn} drawn, {named} with names");
        assert_eq!(view(window).evaluations().count(), 1);
    };
    check_frame(&mut window);
    let before = boxes(&window);
    for step in 0..20_u8 {
        window.drag_at(egui::pos2(700.0, 700.0));
        check_frame(&mut window);
        window.hover_at(egui::pos2(700.0 - 20.0 * f32::from(step), 650.0));
        check_frame(&mut window);
        window.drop_at(egui::pos2(700.0 - 20.0 * f32::from(step), 650.0));
        check_frame(&mut window);
    }
    assert_ne!(boxes(&window), before, "the picture was dragged");
    window.get_by_label("Fit").click();
    settle(&mut window);
    // Cheap ones are one area together; without text, and with one name from which the keyboard goes on.
    assert!((1..1_000).contains(&drawn(&window)), "{}", drawn(&window));
    window.get_by_label("Fold cheap").click();
    settle(&mut window);
    assert_eq!((drawn(&window), boxes(&window).len()), (10_000, 1));
    assert_eq!(view(&window).evaluations().count(), 1);
}
