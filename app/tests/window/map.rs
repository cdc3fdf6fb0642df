//! Tools → Map: a figure of any scenario over two of its numbers.

use crossover::workbench::Start;
use crossover_page::command::Command;
use crossover_placement::Placement;
use crossover_regulation_page as regulation;
use crossover_tool_pages::map;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::pictures::{MAIN, drawn};
use super::{Window, can_draw, pick_number, send, settle, until, window};

/// Picks the number at a path, for an axis.
fn pick(window: &mut Window, axis: &str, path: &str) {
    window.get_by_label(axis).click_accesskit();
    window.run_steps(2);
    pick_number(window, path);
}

fn study(window: &Window) -> &Placement {
    window.state().documents()[0].scenario.placement().expect("a placement study")
}

fn choose_figure(window: &mut Window, label: &str) {
    window.get_by_role_and_label(Role::ComboBox, "figure").click_accesskit();
    // The list scrolls to what is picked.
    window.run_steps(20);
    window.get_by_label(label).click_accesskit();
    window.run_steps(2);
    window.key_press(egui::Key::Escape);
    settle(window);
}

/// The map, as an assistive technology reads it.
fn picture(window: &Window) -> String {
    let map = window
        .get_by(|node| node.role() == Role::Image && node.label().is_some_and(|label| label.starts_with(['W', 'H'])));
    map.accesskit_node().label().expect("a label")
}

#[test]
fn two_numbers_are_mapped_at_once_and_others_can_be_picked() {
    let mut window = window();
    send(&mut window, Command::ShowTool(map::TOOL));
    settle(&mut window);
    // The speedup of the whole never falls below 1: an operator that would not pay stays on CPUs.
    window.get_by_label("Where does filter: speedup reach 1×?");
    choose_figure(&mut window, "join: speedup");
    pick(&mut window, "along x", "operators.join.cpu_seconds_per_100mb");
    pick(&mut window, "along y", "gpu.gpu_parallelism");
    let read = picture(&window);
    assert!(read.contains("CPU time per 100 MB (operators · join), s/100 MB and "), "{read}");
    // The published speedup at the values of the scenario, which are no cell of the map.
    assert!(read.contains("Along the line. In ") && read.contains("; now 2.316×."), "{read}");
    window.get_by_label_contains("crossover map FILE --x 'operators.join.cpu_seconds_per_100mb=");

    // A level of another figure, in its unit.
    choose_figure(&mut window, "time as placed");
    assert!(picture(&window).starts_with("How does time as placed change with"), "{}", picture(&window));
    window.get_by_role_and_label(Role::TextInput, "contour at").click();
    window.run_steps(2);
    window.event(egui::Event::Text("soon".to_owned()));
    settle(&mut window);
    window.get_by_label_contains("level of seconds: ");
}

#[test]
fn a_click_and_the_arrow_keys_move_the_scenario_in_one_step() {
    let mut window = window();
    send(&mut window, Command::ShowTool(map::TOOL));
    pick(&mut window, "along x", "operators.join.cpu_seconds_per_100mb");
    pick(&mut window, "along y", "gpu.gpu_parallelism");
    let before = study(&window).clone();
    let join = |study: &Placement| (study.operators[1].cpu_seconds_per_100mb, study.gpu.gpu_parallelism);
    let map = window
        .get_by(|node| node.role() == Role::Image && node.label().is_some_and(|label| label.starts_with("Where does")));
    let at = map.rect().lerp_inside(egui::vec2(0.8, 0.2));
    window.hover_at(at);
    until(&mut window, "the words at the pointer", |window| {
        window.query_by_label("Click or drag to set these numbers").is_some()
    });
    window.drag_at(at);
    window.run_steps(2);
    window.drop_at(at);
    settle(&mut window);
    let moved = study(&window).clone();
    assert!(join(&moved).0 > join(&before).0 && join(&moved).1 > join(&before).1, "{:?}", join(&moved));
    let path = "operators.join.cpu_seconds_per_100mb";
    assert!(before.sources.contains_key(path) && !moved.sources.contains_key(path), "it was entered by hand");

    let present = window.get_by(|node| node.label().is_some_and(|label| label.starts_with("now at ")));
    present.focus();
    window.run_steps(2);
    window.key_press(egui::Key::ArrowLeft);
    settle(&mut window);
    let stepped = study(&window).clone();
    assert!(join(&stepped).0 < join(&moved).0 && join(&stepped).1.to_bits() == join(&moved).1.to_bits());

    // Each is one step.
    send(&mut window, Command::SelectTab(0));
    send(&mut window, Command::Undo);
    assert_eq!(join(study(&window)), join(&moved));
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), before);
}

#[test]
fn a_regulation_scenario_is_mapped_by_the_same_page() {
    let mut window = window();
    send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
    send(&mut window, Command::ShowTool(map::TOOL));
    window.get_by_role_and_label(Role::ComboBox, "scenario");
    pick(&mut window, "along x", "controllers.PID.kp");
    pick(&mut window, "along y", "controllers.PID.ki");
    assert!(
        picture(&window).contains("proportional gain (controllers · PID) and integral gain (controllers · PID)"),
        "{}",
        picture(&window)
    );
}

#[test]
fn without_a_scenario_the_page_says_what_to_do() {
    let mut window = window();
    send(&mut window, Command::CloseTabAt(0));
    send(&mut window, Command::ShowTool(map::TOOL));
    window.get_by_label_contains("Open a scenario");
    window.get_by_label("Open…");
}

#[test]
fn the_map_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut window = drawn(&MAIN, Start::default());
    send(&mut window, Command::ShowTool(map::TOOL));
    pick(&mut window, "along x", "operators.join.cpu_seconds_per_100mb");
    pick(&mut window, "along y", "gpu.gpu_parallelism");
    choose_figure(&mut window, "join: speedup");
    window.snapshot("map-light");
}
