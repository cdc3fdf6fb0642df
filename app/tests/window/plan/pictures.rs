//! Pictures of the plan page; a change of them is a change of what users see.

use crossover_model::plan::Plan;
use egui::Theme;
use egui_kittest::SnapshotResults;

use super::super::pictures::{Look, MAIN, STATE, drawn};
use super::super::{Start, Window, can_draw};
use super::{click, fixture, show};

fn page(look: &Look, plan: Plan) -> Window {
    let mut window = drawn(look, Start::default());
    show(&mut window, plan);
    window.run_steps(6);
    window
}

#[test]
fn the_plan_page_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    for (name, theme, scale) in
        [("plan-light", Theme::Light, 1.0), ("plan-dark", Theme::Dark, 1.0), ("plan-light-scale-2", Theme::Light, 2.0)]
    {
        results.add(page(&Look { theme, scale, ..MAIN }, fixture::plan()).try_snapshot(name));
    }
    let large = Look { size: [1920.0, 1080.0], theme: Theme::Dark, ..MAIN };
    results.add(page(&large, fixture::plan()).try_snapshot("plan-large-screen"));
}

#[test]
fn an_operator_of_the_plan_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    for (name, theme) in [("plan-operator-light", Theme::Light), ("plan-operator-dark", Theme::Dark)] {
        let look = Look { size: [1600.0, 1000.0], theme, ..MAIN };
        let mut window = page(&look, fixture::plan());
        click(&mut window, 9);
        window.key_press(egui::Key::Enter);
        window.run_steps(6);
        results.add(window.try_snapshot(name));
    }
}

#[test]
fn states_of_the_plan_look_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    results.add(page(&STATE, fixture::plan()).try_snapshot("plan-narrow"));
    let mut window = page(&MAIN, fixture::large(10_000));
    results.add(window.try_snapshot("plan-10000"));
    egui_kittest::kittest::Queryable::get_by_label(&window, "Fit").click();
    window.run_steps(6);
    results.add(window.try_snapshot("plan-10000-fit"));
}

#[test]
fn curves_and_run_of_the_plan_look_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    let low = Look { size: [640.0, 480.0], ..MAIN };
    for (look, end) in [(&MAIN, "light"), (&Look { theme: Theme::Dark, ..MAIN }, "dark"), (&low, "low")] {
        for tab in ["Plan", "Curves", "Run"] {
            let mut window = page(look, fixture::plan());
            egui_kittest::kittest::Queryable::get_by_label(&window, tab).click();
            super::settle(&mut window);
            // The plan itself is pictured above.
            if tab != "Plan" || end == "low" {
                results.add(window.try_snapshot(format!("plan-{}-{end}", tab.to_lowercase())));
            }
        }
    }
}
