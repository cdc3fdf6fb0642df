//! Pictures of the plan page; a change of them is a change of what users see.

use egui::Theme;
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;

use super::super::pictures::{Look, MAIN, STATE, drawn};
use super::super::{Start, Window, settle};
use super::{fixture, show};
use crossover_model::plan::Plan;

fn page(look: &Look, plan: Plan) -> Window {
    let mut window = drawn(look, Start::default());
    show(&mut window, plan);
    window.run_steps(6);
    window
}

fn pick(window: &mut Window, name: &str) {
    window.get_by_label(name).click();
    settle(window);
    window.run_steps(6);
}

#[test]
fn the_plan_page_looks_as_agreed() {
    let mut results = SnapshotResults::new();
    for (name, theme, scale) in
        [("plan-light", Theme::Light, 1.0), ("plan-dark", Theme::Dark, 1.0), ("plan-light-scale-2", Theme::Light, 2.0)]
    {
        results.add(page(&Look { theme, scale, ..MAIN }, fixture::plan()).try_snapshot(name));
    }
    let large = Look { size: [1920.0, 1080.0], theme: Theme::Dark, ..MAIN };
    results.add(page(&large, fixture::plan()).try_snapshot("plan-large-screen"));
}
