//! Figures of a run for the model besides cost curves: bus, fixed cost, memory, codec.

use crossover_measured::calibration::{Calibration, Measured};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use egui::{Grid, Ui};

use super::results::{interval, number, rest, title};

/// Draws the figures, with their title and how to apply them.
pub(super) fn show(ui: &mut Ui, calibration: &Calibration) {
    ui.heading("Machine parameters for the model");
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
        0 => "These figures".to_owned(),
        1 => "These figures and the times of one operator".to_owned(),
        count => format!("These figures and the times of {}", counted(count as f64, "operator")),
    };
    ui.label(operators + " can be applied to a scenario: choose “Apply to scenario…”.");
}

/// Whether there is a figure that a scenario can use.
pub(super) fn has_any(calibration: &Calibration) -> bool {
    !calibration.operators.is_empty() || !rows(calibration).is_empty()
}

fn rows(calibration: &Calibration) -> Vec<(String, Unit, Measured)> {
    let codec = if calibration.codec.is_empty() { "compression" } else { &calibration.codec };
    let gpu = [
        ("bus, host to device".to_owned(), Unit::GigabytesPerSecond, calibration.to_gpu_gb_per_s),
        ("bus, device to host".to_owned(), Unit::GigabytesPerSecond, calibration.from_gpu_gb_per_s),
        ("fixed cost of an operator".to_owned(), Unit::Seconds, calibration.fixed_seconds),
        (format!("{codec}: compressed size"), Unit::Share, calibration.compression_ratio),
        (format!("{codec}: compression"), Unit::GigabytesPerSecond, calibration.compress_gb_per_s),
        (format!("{codec}: decompression"), Unit::GigabytesPerSecond, calibration.decompress_gb_per_s),
    ];
    let memory = ("memory bandwidth, all cores".to_owned(), Unit::GigabytesPerSecond, calibration.memory_gb_per_s);
    // A software adapter has no bus and no GPU.
    let gpu = gpu.into_iter().filter(|_| !calibration.software);
    std::iter::once(memory).chain(gpu).filter_map(|(name, unit, figure)| Some((name, unit, figure?))).collect()
}
