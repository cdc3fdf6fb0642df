//! What the plan takes along one number: the same answer as its page.

use crossover_placement::whole::decide;
use egui::Role;
use egui_kittest::kittest::Queryable as _;

use super::super::{Window, board, settle, study};
use super::{fixture, window};

fn on_tab(tab: &str) -> Window {
    let mut window = window(fixture::plan());
    window.get_by_label(tab).click();
    settle(&mut window);
    window
}

#[test]
fn curves_of_a_plan_go_through_what_its_page_says() {
    let mut window = on_tab("Curves");
    let named = study(&window);
    let (gpu, bus) = (named.gpu.name.clone(), named.bus.name.clone());
    window.get_by_label(&format!("When is the GPU faster for this query, by the hardware model of {gpu} over {bus}?"));
    // Without whole engines there is no decision.
    assert!(window.query_by_label("The decision is on the page Answer").is_none());
    let whole = decide(study(&window)).expect("a plan");
    let charts = window.state().active().expect("a document").view.charts();
    let crossover_chart::Chart::Lines(speedup) = &charts[0] else { panic!("curves") };
    let now = speedup.points.first().expect("the present value");
    assert!((now.y / whole.speedup() - 1.0).abs() < 1e-9, "{} at {}, expected {}", now.y, now.x, whole.speedup());
    assert_eq!(now.x, study(&window).cluster.machines);

    window.get_by_role_and_label(Role::ComboBox, "x axis").click();
    settle(&mut window);
    window.get_by_label("data, × recorded size").click();
    settle(&mut window);
    let answers = window.query_all_by_label_contains("Rows, bytes and work grow in proportion");
    assert!(answers.count() > 0);
    // The strip above and the table below are those of the plan.
    assert!(window.query_by_label("query speedup").is_some());
    assert_eq!(board(&window).plan().expect("a plan").whole().seconds, whole.seconds);
}

#[test]
fn what_does_nothing_for_a_plan_is_not_offered() {
    let window = window(fixture::plan());
    for absent in ["cluster.fan_in", "operators.sort.input_gb", "operators.sort.output_ratio"] {
        assert!(window.query_by_role_and_label(Role::SpinButton, absent).is_none(), "{absent}");
    }
    for absent in ["aggregation", "runs on", "overlap"] {
        assert!(window.query_by_label(absent).is_none(), "{absent}");
    }
}

#[test]
fn the_measured_run_is_shown_stage_by_stage() {
    let mut window = on_tab("Run");
    window.get_by_label("Where did the measured time go?");
    assert!(window.query_by_label_contains("axis: 0 s … ").is_some());
    // 148.2 s, of which stages ran from 1 s to 60 s and from 61.5 s to 140 s.
    assert!(window.query_by_label_contains("For 10.7 s of the query's 148.2 s, no stage was running").is_some());
    assert!(window.query_by_label_contains("longest task 40× the mean").is_none());
    assert!(window.query_by_label_contains("300 tasks · 3.1 GB spilled").is_some());
    assert!(window.query_by_label_contains("200 tasks · longest task 13.33× the mean").is_some());
    super::show(&mut window, fixture::large(30));
    assert!(window.query_by_label("Run").is_none(), "it was not measured");
}
