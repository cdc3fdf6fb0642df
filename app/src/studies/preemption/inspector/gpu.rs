//! The GPU: its numbers, or those of one of the catalogue.

use crossover_model::catalogue::{Catalogue, Gpu as Entry, Multiprocessor};
use crossover_model::preemption::{Gpu, Preemption};
use crossover_model::unit::Unit;
use egui::Ui;

use super::Env;
use crate::command::Command;
use crate::widgets::form;
use crate::widgets::preset;

/// Draws the list to pick from, and the numbers.
pub(super) fn show(ui: &mut Ui, study: &mut Preemption, env: &mut Env<'_>) {
    let known: Vec<(&Entry, &Multiprocessor)> = known(env.catalogue).collect();
    let choices = known.iter().map(|(gpu, one)| {
        let count = gpu.compute_units.as_ref().map_or(0.0, |units| units.value);
        let figures = format!("{} × {} threads", Unit::Count.format(count), Unit::Count.format(one.threads.value));
        (gpu.name.as_str(), figures)
    });
    let picked = preset::picker(ui, "gpu", &study.gpu.model, choices);
    if let Some((gpu, one)) = picked.and_then(|picked| known.get(picked)) {
        fill(study, gpu, one);
        env.commands.push(Command::Notify(format!("Filled the GPU from “{}”", gpu.name)));
    }
    form::all(ui, study, "gpu", &[], env.commands);
}

/// The GPUs whose multiprocessors are known.
fn known(catalogue: &Catalogue) -> impl Iterator<Item = (&Entry, &Multiprocessor)> {
    catalogue
        .gpus
        .iter()
        .filter_map(|gpu| Some((gpu, gpu.multiprocessor.as_ref().filter(|_| gpu.compute_units.is_some())?)))
}

/// Gives the GPU of a study the numbers of the catalogue.
fn fill(study: &mut Preemption, gpu: &Entry, one: &Multiprocessor) {
    let Some(units) = &gpu.compute_units else { return };
    let Multiprocessor { clock_mhz, register_bytes, shared_bytes, threads, blocks } = one;
    study.gpu = Gpu {
        model: gpu.name.clone(),
        clock_mhz: clock_mhz.value,
        multiprocessors: units.value,
        register_bytes: register_bytes.value,
        shared_bytes: shared_bytes.value,
        threads: threads.value,
        blocks: blocks.value,
    };
    for (quantity, datum) in [
        (&Gpu::CLOCK_MHZ, clock_mhz),
        (&Gpu::MULTIPROCESSORS, units),
        (&Gpu::REGISTER_BYTES, register_bytes),
        (&Gpu::SHARED_BYTES, shared_bytes),
        (&Gpu::THREADS, threads),
        (&Gpu::BLOCKS, blocks),
    ] {
        study.sources.insert(format!("gpu.{}", quantity.key), preset::source(&gpu.name, datum));
    }
}
