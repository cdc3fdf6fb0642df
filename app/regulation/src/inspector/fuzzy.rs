//! The fuzzy correction of a controller's gains.

use crossover_page::widgets::form;
use crossover_quantity::quantity::Quantity;
use crossover_regulation::{Fuzzy, Regulation};
use egui::Ui;

use super::Env;

/// Draws the switch, and the numbers where it is on.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, index: usize, env: &mut Env<'_>) {
    let controller = &study.controllers[index];
    let path = format!("controllers.{}.fuzzy", controller.name);
    let explanation = "Corrects the gains in every period by 49 rules over seven linguistic values each of e and ec, \
                       from “negative big” to “positive big”";
    if let Some(is_on) = form::switch(ui, "fuzzy self-tuning", explanation, &path, controller.fuzzy.is_some()) {
        study.set_fuzzy(index, is_on.then(Fuzzy::expert));
    }
    if study.controllers[index].fuzzy.is_some() {
        let parts = study.controllers[index].form;
        let mut unused: Vec<&Quantity> = Vec::new();
        unused.extend((!parts.has_integral()).then_some(&Fuzzy::KI_RANGE));
        unused.extend((!parts.has_derivative()).then_some(&Fuzzy::KD_RANGE));
        form::all(ui, study, &path, &unused, env.commands);
    }
}
