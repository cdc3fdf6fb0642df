//! The power of a vGPU, taken from a GPU of the hardware catalogue.

use crossover_page::command::Command;
use crossover_page::widgets::form;
use crossover_page::widgets::preset;
use crossover_quantity::catalogue::{Catalogue, Datum};
use crossover_quantity::unit::Unit;
use crossover_regulation::{Cluster, Regulation};
use egui::Ui;

use super::Env;

/// Draws the list to pick from.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, cluster: usize, env: &mut Env<'_>) {
    let part = format!("clusters.{}", study.clusters[cluster].name);
    let gpus: Vec<_> = with_power(env.catalogue).collect();
    let picked = ui.horizontal(|ui| {
        form::label(ui, "power of a GPU", "The power of a whole GPU from the catalogue, where one vGPU is one GPU");
        let choices = gpus.iter().map(|(name, power)| (*name, Unit::Watts.format(power.value)));
        preset::picker(ui, &format!("{part}.{}", Cluster::WATTS_PER_VGPU.key), "", choices)
    });
    if let Some((name, power)) = picked.inner.and_then(|index| gpus.get(index).copied()) {
        study.clusters[cluster].watts_per_vgpu =
            power.value.clamp(Cluster::WATTS_PER_VGPU.min, Cluster::WATTS_PER_VGPU.max);
        study.sources.insert(format!("{part}.{}", Cluster::WATTS_PER_VGPU.key), preset::source(name, power));
        env.commands.push(Command::Notify(format!("Filled the power of a vGPU from “{name}”")));
    }
}

/// The GPUs whose power is known.
fn with_power(catalogue: &Catalogue) -> impl Iterator<Item = (&str, &Datum)> {
    catalogue.gpus.iter().filter_map(|gpu| Some((gpu.name.as_str(), gpu.power_watt.as_ref()?)))
}
