//! The fields of the answer page while numbers are entered.

use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::deciding::{TODAYS_PRICE, press, with_answer};
use super::{Window, enter_number};

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
