//! The tour: cards that point at the parts of a page, turned by buttons and keys.

use crossover_page::command::Command;
use crossover_page::tour::{self, Step};
use crossover_placement_page::examples;
use crossover_regulation_page::examples as regulation;
use crossover_scenario::Kind;
use egui::accesskit::Role;
use egui::{Key, Rect};
use egui_kittest::kittest::Queryable as _;

use super::{Window, deciding, send, settle, window};

/// Most words of a title, of a card and of a sentence.
const MOST_OF_A_TITLE: usize = 4;
const MOST_OF_A_CARD: usize = 30;
const MOST_OF_A_SENTENCE: usize = 25;
/// Sizes of windows, in points.
const SIZES: [[f32; 2]; 2] = [[1280.0, 800.0], [800.0, 600.0]];

fn steps(window: &Window) -> &'static [Step] {
    window.state().active().expect("a document").view.tour()
}

/// Where the part is that the card is about.
fn target(window: &Window) -> Option<Rect> {
    tour::target(&window.ctx)
}

fn press(window: &mut Window, key: Key) {
    window.key_press(key);
    settle(window);
}

/// Whether the card at this place, from 1, is on screen.
fn is_at(window: &Window, place: usize) -> bool {
    window.query_by_label(&format!("Step {place} of 5")).is_some()
}

fn assert_short(Step { title, text, .. }: &Step) {
    let words = |text: &str| text.split_whitespace().count();
    assert!(words(title) <= MOST_OF_A_TITLE, "{title}");
    assert!(words(text) <= MOST_OF_A_CARD, "{text}");
    for sentence in text.split_inclusive(". ") {
        assert!(words(sentence) <= MOST_OF_A_SENTENCE, "{sentence}");
    }
}

/// Takes the tour of the page on screen: every card is short, and about a part that is in sight and that it does not cover.
#[track_caller]
fn take_all_of_it(window: &mut Window) {
    let count = steps(window).len();
    assert_eq!(count, 5);
    // Panels are rounded to pixels.
    let screen = window.ctx.content_rect().expand(1.0);
    for place in 1..=count {
        assert!(is_at(window, place), "card {place}");
        let step = steps(window)[place - 1];
        assert_short(&step);
        assert!(window.query_by_label(step.text).is_some(), "{}", step.title);
        let target = target(window).unwrap_or_else(|| panic!("no part “{}”", step.title));
        assert!(target.is_positive() && screen.contains_rect(target), "{}: {target:?}", step.title);
        let number = window.get_by_label(&format!("Step {place} of 5")).rect();
        let card = window.get_by_label(step.text).rect().union(number);
        assert!(!target.shrink(1.0).intersects(card), "{}: {card:?} covers {target:?}", step.title);
        press(window, Key::ArrowRight);
    }
    assert!(is_at(window, count), "the last card stays");
}

#[test]
fn every_card_of_every_study_points_at_a_part_of_its_page() {
    for (kind, size) in Kind::ALL.into_iter().flat_map(|kind| SIZES.map(|size| (kind, size))) {
        let mut window = window();
        window.set_size(size.into());
        send(&mut window, Command::TakeTour(Some(kind)));
        let document = window.state().active().expect("a document");
        assert_eq!(document.scenario.study.kind(), kind, "the example of the kind is open");
        take_all_of_it(&mut window);
    }
}

#[test]
fn the_cards_of_a_query_point_at_its_plan() {
    for size in SIZES {
        let mut window = window();
        window.set_size(size.into());
        send(&mut window, Command::OpenExample(examples::QUERY));
        send(&mut window, Command::TakeTour(None));
        take_all_of_it(&mut window);
    }
}

#[test]
fn the_cards_of_a_decision_point_at_its_answer() {
    let mut window = deciding::with_answer();
    for size in SIZES {
        window.set_size(size.into());
        send(&mut window, Command::TakeTour(None));
        take_all_of_it(&mut window);
    }
}

#[test]
fn arrows_and_buttons_turn_the_cards_and_escape_closes_them() {
    let mut window = window();
    assert!(!is_at(&window, 1), "it does not open by itself");
    send(&mut window, Command::TakeTour(None));
    for (key, place) in [(Key::ArrowLeft, 1), (Key::ArrowRight, 2), (Key::ArrowRight, 3), (Key::ArrowLeft, 2)] {
        press(&mut window, key);
        assert!(is_at(&window, place), "{key:?} leads to card {place}");
    }
    for (button, place) in [("Back", 1), ("Next", 2)] {
        window.get_by_role_and_label(Role::Button, button).click();
        settle(&mut window);
        assert!(is_at(&window, place), "{button} leads to card {place}");
    }
    // The button that leads on has the keyboard.
    press(&mut window, Key::Enter);
    assert!(is_at(&window, 3));
    press(&mut window, Key::Escape);
    assert!((1..=5).all(|place| !is_at(&window, place)));
    assert_eq!(target(&window), None);

    send(&mut window, Command::TakeTour(None));
    window.get_by_role_and_label(Role::Button, "Close").click();
    settle(&mut window);
    assert!(!is_at(&window, 1));
}

#[test]
fn the_page_and_its_fields_keep_their_keys() {
    let mut window = window();
    send(&mut window, Command::OpenExample(regulation::PUBLISHED));
    send(&mut window, Command::TakeTour(None));
    press(&mut window, Key::ArrowRight);
    assert!(is_at(&window, 2));
    assert!(window.query_by_label("Drag to read a period").is_some(), "the cursor of the page has not moved");

    send(&mut window, Command::OpenExample(examples::SMALL));
    send(&mut window, Command::TakeTour(None));
    window.get_by_role_and_label(Role::SpinButton, "cluster.machines").focus();
    settle(&mut window);
    press(&mut window, Key::ArrowRight);
    assert!(is_at(&window, 1), "a field has the keys");
}

#[test]
fn another_tab_ends_the_tour() {
    let mut window = window();
    send(&mut window, Command::OpenExample(examples::SMALL));
    send(&mut window, Command::TakeTour(None));
    assert!(is_at(&window, 1));
    send(&mut window, Command::SelectTab(0));
    assert!(!is_at(&window, 1));
    send(&mut window, Command::SelectTab(1));
    assert!(!is_at(&window, 1));
}

#[test]
fn the_empty_page_offers_the_tour_until_it_was_taken() {
    let mut window = window();
    send(&mut window, Command::CloseTab);
    window.get_by_label("Take the tour").click();
    settle(&mut window);
    assert!(is_at(&window, 1));
    assert_eq!(window.state().documents().len(), 1, "an example is open");
    send(&mut window, Command::CloseTab);
    assert!(window.query_by_label("Take the tour").is_none());
}
