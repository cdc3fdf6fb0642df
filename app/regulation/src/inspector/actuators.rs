//! The actuators in use, and their order.

use crossover_page::widgets::form::{self, Choice};
use crossover_regulation::{Actuator, ActuatorMode, Regulation};
use egui::{Button, RichText, Ui};

use super::{Env, terms};

/// Draws the section.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
    let choices = [
        Choice::new(
            ActuatorMode::InOrder,
            "one, in this order",
            "The first actuator acts; if it is at its limit, the next one acts by at least one step",
        ),
        Choice::new(ActuatorMode::Together, "all together", "Every actuator, each by its column of the control table"),
    ];
    let explanation = "Whether one or all actuators act in a period";
    form::choose(ui, ("mode", explanation), "actuators.mode", &mut study.actuators.mode, choices, env.commands);
    let used = study.actuators.order.clone();
    let unused = Actuator::ALL.into_iter().filter(|actuator| !used.contains(actuator));
    for (place, actuator) in used.iter().copied().chain(unused).enumerate() {
        row(ui, study, place, actuator);
    }
    let is_fixed = study.clusters.iter().all(|cluster| cluster.lowest_precision == cluster.highest_precision);
    if is_fixed && study.actuators.order.contains(&Actuator::Precision) {
        let text = "No cluster allows more than one precision, so precision cannot change";
        ui.label(RichText::new(text).weak().small());
    }
}

fn row(ui: &mut Ui, study: &mut Regulation, place: usize, actuator: Actuator) {
    let vgpu = terms::VGPU.text();
    let name = actuator.label();
    let explanation = match actuator {
        Actuator::Vgpus => vgpu.as_str(),
        Actuator::Frequency => "A higher frequency computes faster and draws more power",
        Actuator::Precision => "Lower precision computes faster and moves fewer bytes",
        Actuator::Voltage => "A higher voltage allows higher frequencies; power ∝ voltage²",
        Actuator::Concurrency => "More concurrent tasks of a vGPU use more of its compute",
    };
    let count = study.actuators.order.len();
    let is_used = place < count;
    let in_order = study.actuators.mode == ActuatorMode::InOrder;
    ui.horizontal(|ui| {
        let text = if is_used && in_order { format!("{}. {name}", place + 1) } else { name.to_owned() };
        let path = format!("actuators.order.{actuator:?}");
        let is_last = is_used && count == 1;
        let switched = ui
            .scope(|ui| {
                ui.set_min_width(110.0);
                let explanation = if is_last { "At least one actuator is needed" } else { explanation };
                ui.add_enabled_ui(!is_last, |ui| form::switch(ui, &text, explanation, &path, is_used)).inner
            })
            .inner;
        if let Some(is_used) = switched {
            study.use_actuator(actuator, is_used);
        }
        if is_used && in_order && count > 1 {
            if ui.add_enabled(place > 0, Button::new("Up").small()).clicked() {
                study.actuators.order.swap(place - 1, place);
            } else if ui.add_enabled(place + 1 < count, Button::new("Down").small()).clicked() {
                study.actuators.order.swap(place, place + 1);
            }
        }
    });
}
