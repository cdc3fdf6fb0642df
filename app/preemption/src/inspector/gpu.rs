//! The GPU: entered, or one of the catalogue.

use crossover_page::command::Command;
use crossover_page::widgets::form;
use crossover_page::widgets::preset;
use crossover_preemption::Preemption;
use crossover_quantity::catalogue::{Gpu as Entry, Multiprocessor};
use crossover_quantity::unit::Unit;
use egui::Ui;

use super::Env;
use crate::hardware;

/// Draws the list to pick from, and the numbers.
pub(super) fn show(ui: &mut Ui, study: &mut Preemption, env: &mut Env<'_>) {
    let known: Vec<(&Entry, &Multiprocessor)> = hardware::known(env.catalogue).collect();
    let choices = known.iter().map(|(gpu, one)| {
        let count = gpu.compute_units.as_ref().map_or(0.0, |units| units.value);
        let figures = format!("{} × {} threads", Unit::Count.format(count), Unit::Count.format(one.threads.value));
        (gpu.name.as_str(), figures)
    });
    let picked = preset::picker(ui, "gpu", &study.gpu.model, choices);
    if let Some((gpu, one)) = picked.and_then(|picked| known.get(picked)) {
        hardware::fill(study, gpu, one);
        env.commands.push(Command::Notify(format!("Set the GPU to “{}”", gpu.name)));
    }
    form::all(ui, study, "gpu", &[], env.commands);
    if !study.profiled_on.is_empty() {
        ui.weak(format!("Kernels were profiled on {}", study.profiled_on));
    }
}
