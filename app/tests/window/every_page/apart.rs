//! Charts beside each other: their titles and answers do not touch.

use crossover_scenario::Kind;
use egui::Rect;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::super::{Window, settle};
use super::pages::{self, Shown};
use super::small::texts;

/// Least gap between two texts beside each other, in points: twice that between words.
const GAP: f32 = 16.0;

/// The title and the answer of each chart on screen, with their places.
fn placed(window: &Window) -> Vec<Vec<(String, Rect)>> {
    let place = |text: String| {
        let drawn = window.query_all_by_label(&text).find(|node| node.accesskit_node().bounding_box().is_some())?;
        let rect = drawn.rect();
        Some((text, rect))
    };
    let of_chart = |texts: [String; 2]| texts.into_iter().filter(|text| !text.is_empty()).filter_map(place).collect();
    texts(window).into_iter().map(of_chart).collect()
}

fn assert_apart(page: &str, window: &Window) {
    let placed = placed(window);
    for (at, chart) in placed.iter().enumerate() {
        let others = placed[at + 1..].iter().flatten();
        let pairs = chart.iter().flat_map(|of_chart| others.clone().map(move |other| (of_chart, other)));
        for ((text, rect), (other_text, other)) in pairs.filter(|(one, other)| one.0 != other.0) {
            let is_beside = rect.y_range().intersection(other.y_range()).span() > 0.0;
            let gap = (other.left() - rect.right()).max(rect.left() - other.right());
            assert!(!is_beside || gap >= GAP, "{page}: {gap} points between “{text}” and “{other_text}”");
        }
    }
}

fn check(pages: impl IntoIterator<Item = Shown>) {
    for mut shown in pages {
        for size in [[1280.0, 800.0], [1920.0, 1080.0]] {
            shown.window.set_size(size.into());
            settle(&mut shown.window);
            shown.window.run_steps(4);
            assert_apart(&shown.name, &shown.window);
        }
    }
}

#[test]
fn texts_of_charts_beside_each_other_do_not_touch() {
    for kind in Kind::ALL {
        check(pages::examples_of(kind).take(2));
    }
    check(pages::fleets());
}
