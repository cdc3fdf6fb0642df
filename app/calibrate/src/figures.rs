//! What the model gets from a run besides the operators' curves: the bus, the launch, the memory, the codec.

use crossover_measured::calibration::{Calibration, Measured};
use crossover_quantity::unit::Unit;
use egui::{Grid, Ui};

use super::results::{interval, number, rest, title};

/// Draws the figures with title and what can be done with them.
pub(super) fn show(ui: &mut Ui, calibration: &Calibration) {
    ui.heading("What does the model learn about this machine?");
    let rows = rows(calibration);
    if !rows.is_empty() {
        Grid::new("figures").num_columns(4).striped(true).spacing([18.0, 4.0]).show(ui, |ui| {
            for (text, is_number) in [("figure", false), ("measured", true), ("95 % interval", true)] {
                title(ui, text, is_number);
            }
            rest(ui);
            for (name, unit, figure) in rows {
                ui.label(name);
                number(ui, unit.format(figure.value));
                number(ui, interval(unit, figure.interval));
                rest(ui);
            }
        });
    }
    let operators = match calibration.operators.len() {
        0 => "They".to_owned(),
        1 => "They and the times of one operator".to_owned(),
        count => format!("They and the times of {count} operators"),
    };
    ui.label(operators + " can be taken over: “Apply to scenario…” shows them beside the scenario's own.");
}

/// Whether there is anything that a scenario could take over.
pub(super) fn has_any(calibration: &Calibration) -> bool {
    !calibration.operators.is_empty() || !rows(calibration).is_empty()
}

fn rows(calibration: &Calibration) -> Vec<(String, Unit, Measured)> {
    let codec = if calibration.codec.is_empty() { "compression" } else { &calibration.codec };
    let gpu = [
        ("bus, to the GPU".to_owned(), Unit::GigabytesPerSecond, calibration.to_gpu_gb_per_s),
        ("bus, from the GPU".to_owned(), Unit::GigabytesPerSecond, calibration.from_gpu_gb_per_s),
        ("launching work and waiting for it".to_owned(), Unit::Seconds, calibration.launch_seconds),
        (format!("{codec}: size"), Unit::Share, calibration.compression_ratio),
        (format!("{codec}: compressing"), Unit::GigabytesPerSecond, calibration.compress_gb_per_s),
        (format!("{codec}: decompressing"), Unit::GigabytesPerSecond, calibration.decompress_gb_per_s),
    ];
    let memory = ("memory, read by all cores".to_owned(), Unit::GigabytesPerSecond, calibration.memory_gb_per_s);
    // What a program on the CPU does says nothing about a bus or a GPU.
    let gpu = gpu.into_iter().filter(|_| !calibration.software);
    std::iter::once(memory).chain(gpu).filter_map(|(name, unit, figure)| Some((name, unit, figure?))).collect()
}
