//! The fields of the answer page while numbers are entered.

use crossover_page::command::Command;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::deciding::{ANSWER, TODAYS_PRICE, WHERE, is_there, press, with_answer};
use super::{Window, enter_number, settle, study};

/// Enters an effort that no saving pays back, and a limit that no option meets: the answer is to stay, with fewer figures in the strip.
fn assert_fields_stay(page: &str, window: &mut Window) {
    const FIELDS: [&str; 3] = ["within", "Runs per month", "Effort of the move"];
    let places = |window: &Window| FIELDS.map(|field| window.get_by_role_and_label(Role::SpinButton, field).rect().min);
    let stays = |window: &Window| window.query_all_by_label("Stay").next().is_some();
    enter_number(window, "Runs per month", "1000");
    let before = places(window);
    for (field, unpaid, usual) in [("Effort of the move", "1000000000", "0"), ("within", "0.01", "1")] {
        assert!(!stays(window), "{page}: {field}");
        for (text, is_stay) in [(unpaid, true), (usual, false)] {
            enter_number(window, field, text);
            assert_eq!(stays(window), is_stay, "{page}: {field} {text}");
            // A wider number moves what is right of it.
            let now = places(window);
            let is_kept = now.iter().zip(before).all(|(now, before)| (now.y - before.y).abs() < 0.5);
            assert!(is_kept, "{page}: {field} {text} moves {before:?} to {now:?}");
        }
    }
    enter_number(window, "Runs per month", "0");
}

#[test]
fn fields_of_the_answer_stay_in_place_when_the_verdict_changes() {
    let mut window = with_answer();
    // At the assumed price two options cost about the same.
    press(&mut window, "Application");
    assert_fields_stay("near tie", &mut window);
    press(&mut window, "2 Where");
    enter_number(&mut window, TODAYS_PRICE, "2");
    press(&mut window, "3 Answer");
    for page in ["Application", "This query"] {
        press(&mut window, page);
        assert_fields_stay(page, &mut window);
    }
}

/// What is below the strip has its place, whatever the verdict: that of a near tie, of a move at a price, and of staying because of the
/// effort.
#[test]
fn the_strip_has_one_height_whatever_the_verdict_also_on_the_step_where() {
    for height in [720.0, 800.0] {
        let mut window = with_answer();
        window.set_size(egui::vec2(1280.0, height));
        settle(&mut window);
        let top = |window: &Window, label: &str| window.get_by_label(label).rect().top();
        press(&mut window, "Application");
        press(&mut window, "2 Where");
        let of_where = top(&window, WHERE);
        for price in ["0.1", "2", "4"] {
            enter_number(&mut window, TODAYS_PRICE, price);
            assert!((top(&window, WHERE) - of_where).abs() < 0.5, "{height}: {price} per hour");
        }
        press(&mut window, "3 Answer");
        // The saving of a month is a figure of its own.
        enter_number(&mut window, "Runs per month", "1000");
        let of_answer = top(&window, "This query");
        enter_number(&mut window, "Effort of the move", "1000000000");
        let now = top(&window, "This query");
        assert!((now - of_answer).abs() < 0.5, "{height}: the effort is not paid back: {of_answer} to {now}");
        for text in ["Stay", "to pay back the effort, not within 36 months", "mean cost per run today"] {
            assert!(window.query_all_by_label(text).next().is_some(), "{text}");
        }
    }
}

/// The query takes 10.446 s: 5.223 s are a half.
#[test]
fn a_time_limit_is_a_factor_a_share_or_a_time_and_what_cannot_be_read_stays_with_the_reason() {
    let mut window = with_answer();
    assert!(is_there(&window, ANSWER));
    // A time stays the one that was entered.
    enter_number(&mut window, "within", "5.223 s");
    let inputs = study(&window).decision_inputs();
    assert_eq!((inputs.time_limit, inputs.time_limit_seconds), (1.0, Some(5.223)));
    let field = window.get_by_role_and_label(Role::SpinButton, "within");
    assert_eq!(field.accesskit_node().value().as_deref(), Some("5.223 s"));
    window.get_by_label("0.5× today’s time");
    let limit = |window: &Window| study(window).decision_inputs().time_limit;
    for (text, expected) in [("20 %", 0.2), ("1.2×", 1.2)] {
        enter_number(&mut window, "within", text);
        assert!((limit(&window) - expected).abs() < 1e-9, "{text}: {}", limit(&window));
        assert_eq!(study(&window).decision_inputs().time_limit_seconds, None);
    }
    enter_number(&mut window, "within", "fast");
    assert!((limit(&window) - 1.2).abs() < 1e-9);
    let field = window.get_by_role_and_label(Role::SpinButton, "within");
    assert_eq!(field.accesskit_node().value().as_deref(), Some("fast"));
    let reasons = |window: &Window| window.query_all_by_label_contains("found \"fast\"; the value stays 1.2×").count();
    assert_eq!(reasons(&window), 1);
    enter_number(&mut window, "within", "1");
    assert_eq!((limit(&window), reasons(&window)), (1.0, 0));
}

#[test]
fn a_field_keeps_the_focus_and_what_was_typed_when_a_message_comes_or_goes() {
    let mut window = with_answer();
    window.get_by_role_and_label(Role::SpinButton, "Runs per month").focus();
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(1);
    window.event(egui::Event::Text("12".to_owned()));
    window.run_steps(1);
    let focused = window.ctx.memory(egui::Memory::focused);
    assert!(focused.is_some());
    window.state_mut().send(Command::Notify("a message".to_owned()));
    window.run_steps(2);
    window.get_by_label("a message");
    assert_eq!(window.ctx.memory(egui::Memory::focused), focused, "a message came");
    window.event(egui::Event::Text("3".to_owned()));
    window.run_steps(1);
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    assert_eq!(study(&window).decision_inputs().runs_per_month, Some(123.0));
}
