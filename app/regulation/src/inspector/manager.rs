//! The cloud manager, which moves released vGPUs to clusters that request them.

use crossover_page::widgets::form::{self, Choice};
use crossover_regulation::{Regulation, ServeOrder};
use egui::Ui;

use super::Env;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
    let explanation = "Which request is served first if the pool has too few vGPUs for all";
    let choices = [
        Choice::new(
            ServeOrder::LargestFirst,
            "largest request first",
            "The cluster that lacks compute most; ties in the order of the list",
        ),
        Choice::new(ServeOrder::AsListed, "as listed", "In the order of the list of clusters"),
        Choice::new(
            ServeOrder::Rotating,
            "rotating",
            "In the order of the list, starting one cluster later in each period",
        ),
    ];
    form::choose(ui, ("serving order", explanation), "manager.order", &mut study.manager.order, choices, env.commands);
    form::all(ui, study, "manager", &[], env.commands);
}
