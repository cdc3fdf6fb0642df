//! Tools → Sweep: figures of any scenario along one of its numbers.

use crossover::workbench::Start;
use crossover_page::command::Command;
use crossover_regulation_page as regulation;
use crossover_tool_pages::sweep;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::pictures::{MAIN, drawn};
use super::{Window, can_draw, pick_number, send, settle, until, window};

/// Types into the empty filter of the numbers.
fn filter(window: &mut Window, text: &str) {
    window.get_by_role_and_label(Role::SearchInput, "search a number").click();
    window.run_steps(2);
    window.event(egui::Event::Text(text.to_owned()));
    settle(window);
}

#[test]
fn a_number_of_either_kind_is_picked_and_every_figure_is_drawn_along_it() {
    let mut window = window();
    send(&mut window, Command::ShowTool(sweep::TOOL));
    // It begins with the number that the speedup depends on most.
    window.get_by_label("How does speedup change with CPU time per 100 MB?");
    pick_number(&mut window, "cluster.machines");
    window.get_by_label("How does speedup change with machines?");
    window.get_by_label("How does time as placed change with machines?");
    let answer = window.query_all_by_label_contains("; now ").count();
    assert!(answer >= 3, "{answer} answers say what the figure is now");

    // A figure that is not wanted goes, those of parts come.
    window.get_by_label("on_gpu").click_accesskit();
    settle(&mut window);
    assert!(window.query_by_label("How does operators on GPUs change with machines?").is_none());
    window.get_by_label("Figures of parts").click_accesskit();
    settle(&mut window);
    window.get_by_label("How does join: speedup change with machines?");

    // The number goes with its scenario: another kind of study has other numbers.
    send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
    send(&mut window, Command::ShowTool(sweep::TOOL));
    assert!(window.query_by_label("How does speedup change with machines?").is_none());
}

/// The published setting uses InfiniBand, and not Ethernet of 1 Gbit/s: two decades each way are tried.
#[test]
fn a_number_without_effect_says_so_with_the_range_in_which_it_was_tried() {
    let mut window = window();
    send(&mut window, Command::ShowTool(sweep::TOOL));
    let path = "networks.10 Gb Ethernet.effective_gbit_per_s";
    filter(&mut window, path);
    let entry = window.get_by(|node| node.label().is_some_and(|label| label.ends_with(&format!(" ({path})"))));
    let name = entry.accesskit_node().label().expect("a name");
    assert!(name.starts_with("no effect: effective speed · 1 Gbit/s"), "{name}");
    let at = entry.rect().center();
    window.hover_at(at);
    let reason = "No figure changes while this number alone varies from 10 Mbit/s to 100 Gbit/s.";
    until(&mut window, "the reason", |window| window.query_all_by_label_contains(reason).next().is_some());
}

/// The published setting uses InfiniBand, and not Ethernet of 1 Gbit/s, which the file has before it.
#[test]
fn numbers_without_effect_are_listed_last_below_their_title() {
    let mut window = window();
    send(&mut window, Command::ShowTool(sweep::TOOL));
    filter(&mut window, "effective_gbit_per_s)");
    let top = |label: &str| window.get_by_label_contains(label).rect().top();
    let [used, title, unused] =
        ["(networks.100 Gb InfiniBand.", "Without effect on any figure", "(networks.10 Gb Ethernet."].map(top);
    assert!(used < title && title < unused, "{used}, {title}, {unused}");
}

/// A regulation scenario has no machines: the filter of the scenario before matches none of its numbers.
#[test]
fn a_filter_that_matches_no_number_says_so_and_is_cleared() {
    let mut window = window();
    send(&mut window, Command::ShowTool(sweep::TOOL));
    pick_number(&mut window, "cluster.machines");
    send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
    send(&mut window, Command::ShowTool(sweep::TOOL));
    window.get_by_label("No number matches “cluster.machines”.");
    window.get_by_label("Clear the filter").click_accesskit();
    settle(&mut window);
    assert!(window.query_by_label_contains("No number matches").is_none());
    assert!(window.query_all_by_label_contains(" (controllers.PID.ki)").next().is_some());
}

/// Curves below each other are compared: the same x is at the same place.
#[test]
fn stacked_curves_have_their_x_axes_at_the_same_place() {
    let mut window = window();
    send(&mut window, Command::ShowTool(sweep::TOOL));
    pick_number(&mut window, "cluster.machines");
    let is_curve = |label: Option<String>| label.is_some_and(|label| label.starts_with("How does "));
    let places: Vec<[f32; 2]> = window
        .query_all_by_role(Role::Image)
        .filter(|image| is_curve(image.accesskit_node().label()))
        .map(|image| [image.rect().left(), image.rect().right()])
        .collect();
    assert!(places.len() >= 3 && places.iter().all(|place| *place == places[0]), "{places:?}");
}

/// A chart that is alone on a page of 800×600 has what is left of it: it ends above the status bar, not in the middle of the page.
#[test]
fn one_chart_of_a_short_window_fills_the_page() {
    let mut window = window();
    window.set_size(egui::vec2(800.0, 600.0));
    send(&mut window, Command::ShowTool(sweep::TOOL));
    settle(&mut window);
    let is_curve = |label: Option<String>| label.is_some_and(|label| label.starts_with("How does "));
    let places: Vec<egui::Rect> = window
        .query_all_by_role(Role::Image)
        .filter(|image| is_curve(image.accesskit_node().label()))
        .map(|image| image.rect())
        .collect();
    let [chart] = &places[..] else { panic!("{places:?}") };
    assert!(chart.height() > 240.0 && chart.bottom() > 500.0 && chart.bottom() < 580.0, "{chart:?}");
}

#[test]
fn a_regulation_scenario_is_swept_by_the_same_page() {
    let mut window = window();
    send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
    send(&mut window, Command::ShowTool(sweep::TOOL));
    pick_number(&mut window, "controllers.PID.ki");
    window.get_by_label("How does settling periods change with integral gain?");
    window.get_by_label("How does relative efficiency change with integral gain?");
}

#[test]
fn without_a_scenario_the_page_says_what_to_do() {
    let mut window = window();
    send(&mut window, Command::CloseTabAt(0));
    send(&mut window, Command::ShowTool(sweep::TOOL));
    window.get_by_label_contains("Open a scenario");
    window.get_by_label("Open a sample").click_accesskit();
    settle(&mut window);
    window.get_by_label("How does speedup change with CPU time per 100 MB?");
}

#[test]
fn the_sweep_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut window = drawn(&MAIN, Start::default());
    send(&mut window, Command::ShowTool(sweep::TOOL));
    pick_number(&mut window, "operators.join.cpu_seconds_per_100mb");
    window.snapshot("sweep-light");
}
