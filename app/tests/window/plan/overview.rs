//! A plan of many operators at a glance: what takes most, cheap operators together, one found by its name.

use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::Queryable as _;

use super::super::{board, settle, view};
use super::{boxes, fixture, show, window};

#[test]
fn the_ten_longest_operators_are_listed_and_lead_to_their_boxes() {
    let mut window = window(fixture::plan());
    let plan = board(&window).plan().expect("a plan");
    let whole = plan.whole();
    let mut expected: Vec<(f64, usize)> =
        whole.operators.iter().map(|decided| (decided.breakdown().total(), decided.node)).collect();
    expected.sort_by(|a, b| b.0.total_cmp(&a.0));
    let longest: Vec<usize> = plan.longest().map(|decided| decided.node).collect();
    let seconds = |node: &usize| whole.of_node(*node).expect("an operator").breakdown().total();
    assert_eq!(longest.len(), 10);
    assert!(longest.iter().map(seconds).eq(expected.iter().take(10).map(|(seconds, _)| *seconds)));
    let name = plan.plan().nodes[longest[0]].name.clone();
    window.get_by_label("Which operators take most time?");
    window.get_by_label(&format!("1  {name}")).click();
    settle(&mut window);
    assert_eq!(view(&window).plan.selected, Some(longest[0]));
}

#[test]
fn cheap_operators_of_a_large_plan_are_one_box_until_they_are_asked_for() {
    let mut window = window(fixture::large(80));
    let plan = board(&window).plan().expect("a plan");
    assert!(plan.can_fold() && plan.is_large());
    let folded = plan.drawing(true);
    assert!(folded.chart.boxes.len() < plan.chart().boxes.len());
    // Every operator is in one box, and the boxes take what the operators take.
    let operator_count: usize = folded.chart.boxes.iter().map(|item| item.operator_count).sum();
    assert_eq!(operator_count, plan.whole().operators.len());
    let share = |boxes: &[crossover_chart::plan::PlanBox]| boxes.iter().map(|item| item.share).sum::<f32>();
    assert!((share(&folded.chart.boxes) - share(&plan.chart().boxes)).abs() < 1e-4);
    let lines_between_sides =
        |chart: &crossover_chart::plan::PlanChart| chart.edges.iter().filter(|edge| edge.bus.is_some()).count();
    assert_eq!(lines_between_sides(&folded.chart), lines_between_sides(plan.chart()));
    let of_several = folded.chart.boxes.iter().find(|item| item.operator_count > 1).expect("one of several").clone();
    window.get_by_label("Fit").click();
    settle(&mut window);

    window.get_by_label("Fold cheap").click();
    settle(&mut window);
    window.get_by_label("Fold cheap").click();
    settle(&mut window);
    assert!(view(&window).plan.selected.is_none());
    let before = boxes(&window).len();
    window.get_by_label(&of_several.accessible_name()).click_secondary();
    settle(&mut window);
    assert_eq!(view(&window).plan.selected, Some(of_several.node));
    assert!(boxes(&window).iter().all(|name| !name.contains("operators below 1 %")), "{before}");
}

#[test]
fn a_small_plan_shows_every_operator_at_first() {
    let mut window = super::window(fixture::plan());
    assert_eq!(boxes(&window).len(), 16);
    show(&mut window, fixture::large(80));
    assert!(boxes(&window).iter().any(|name| name.contains("operators below 1 %")));
}

#[test]
fn an_operator_is_found_by_its_name() {
    let mut window = window(fixture::plan());
    window.key_press_modifiers(Modifiers::COMMAND, Key::F);
    settle(&mut window);
    let field = window.get_by_role_and_label(Role::SearchInput, "Find an operator");
    assert!(field.is_focused());
    field.type_text("SORT");
    settle(&mut window);
    // The join by sorting and both sorts, in the order of the plan.
    for (expected, shown) in [(8, "1 of 3"), (9, "2 of 3"), (13, "3 of 3"), (8, "1 of 3")] {
        assert_eq!(view(&window).plan.selected, Some(expected));
        window.get_by_label(shown);
        window.key_press(Key::Enter);
        settle(&mut window);
    }
    window.get_by_role_and_label(Role::SearchInput, "Find an operator").type_text("zzz");
    settle(&mut window);
    window.get_by_label("none");
}
