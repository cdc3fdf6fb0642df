//! The plan of a query as a user meets it.

mod export;
mod fixture;
mod pictures;

use crossover_model::plan::Plan;

use super::{Window, settle};

/// The window with the study of a plan.
fn window(plan: Plan) -> Window {
    let mut window = super::window();
    show(&mut window, plan);
    window
}

/// Shows the study of a plan and nothing else.
fn show(window: &mut Window, plan: Plan) {
    window.state_mut().show_only("orders.ron".into(), fixture::scenario(fixture::study(plan)));
    settle(window);
}
