//! The plan of a query as a user meets it.

mod along;
mod export;
mod fixture;
mod large;
mod overview;
mod pictures;
mod reading;
mod walking;

use crossover_placement::whole::decide;
use crossover_placement::{Query, Side};
use crossover_query::Plan;
use egui_kittest::Node;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{Window, settle, study};

/// The window with the study of a plan.
fn window(plan: Plan) -> Window {
    let mut window = super::window();
    // High enough for the whole tree and its table.
    window.set_size(egui::vec2(1600.0, 1400.0));
    show(&mut window, plan);
    window
}

/// Shows the study of a plan and nothing else.
fn show(window: &mut Window, plan: Plan) {
    window
        .state_mut()
        .show_only(concat!(env!("CARGO_TARGET_TMPDIR"), "/orders.ron").into(), fixture::scenario(fixture::study(plan)));
    settle(window);
}

/// The boxes that are on the screen with their names.
fn boxes(window: &Window) -> Vec<String> {
    let is_box = |name: &String| name.rsplit_once(", node ").is_some_and(|(_, id)| id.parse::<usize>().is_ok());
    window.query_all_by(|_| true).filter_map(|node| node.accesskit_node().label()).filter(is_box).collect()
}

/// The box of a node.
fn operator(window: &Window, node: usize) -> Node<'_> {
    let end = format!(", node {node}");
    window.get_by(move |item| item.label().is_some_and(|label| label.ends_with(&end)))
}

fn name(window: &Window, node: usize) -> String {
    operator(window, node).accesskit_node().label().unwrap_or_default()
}

fn click(window: &mut Window, node: usize) {
    operator(window, node).click();
    settle(window);
}

fn query(window: &Window) -> &Query {
    study(window).query.as_deref().expect("a query")
}

/// The side that the model decides on for a node of the study on screen.
fn decided(window: &Window, node: usize) -> Side {
    decide(study(window)).expect("a plan").of_node(node).expect("an operator").side
}
