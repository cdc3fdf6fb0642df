//! Pictures of the plan page, and its layout in further sizes and states as text.

use crossover_query::Plan;
use egui::Theme;
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;

use super::super::layout::{assert_layout, shown};
use super::super::pictures::{Look, MAIN, STATE, drawn};
use super::super::{Start, Window, can_draw};
use super::{click, fixture, settle, show};

fn page(mut window: Window, plan: Plan) -> Window {
    show(&mut window, plan);
    window.run_steps(6);
    window
}

fn choose_tab(window: &mut Window, tab: &str) {
    window.get_by_label(tab).click();
    settle(window);
}

#[test]
fn the_plan_page_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    for (name, theme) in [("plan-light", Theme::Light), ("plan-dark", Theme::Dark)] {
        let mut window = page(drawn(&Look { theme, ..MAIN }, Start::default()), fixture::plan());
        results.add(window.try_snapshot(name));
    }
}

#[test]
fn an_operator_of_the_plan_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let look = Look { size: [1600.0, 1000.0], ..MAIN };
    let mut window = page(drawn(&look, Start::default()), fixture::plan());
    click(&mut window, 9);
    window.key_press(egui::Key::Enter);
    window.run_steps(6);
    window.snapshot("plan-operator-light");
}

#[test]
fn curves_of_the_plan_look_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut window = page(drawn(&MAIN, Start::default()), fixture::plan());
    choose_tab(&mut window, "Curves");
    window.snapshot("plan-curves-light");
}

#[test]
fn the_plan_is_laid_out_as_agreed_in_large_and_in_small_windows() {
    for (name, size) in [("plan-large-screen", [1920.0, 1080.0]), ("plan-narrow", STATE.size)] {
        assert_layout(name, &page(shown(size, Start::default()), fixture::plan()));
    }
    for (name, tab, size) in [
        ("plan-run", "Run", MAIN.size),
        ("plan-plan-low", "Plan", [640.0, 480.0]),
        ("plan-curves-low", "Curves", [640.0, 480.0]),
        ("plan-run-low", "Run", [640.0, 480.0]),
    ] {
        let mut window = page(shown(size, Start::default()), fixture::plan());
        choose_tab(&mut window, tab);
        assert_layout(name, &window);
    }
}

#[test]
fn ten_thousand_operators_are_laid_out_as_agreed() {
    let mut window = page(shown(MAIN.size, Start::default()), fixture::large(10_000));
    assert_layout("plan-10000", &window);
    window.get_by_label("Fit").click();
    window.run_steps(6);
    assert_layout("plan-10000-fit", &window);
}
