//! How much faster the GPU is, with the data resident, and with the way over the bus.

use crossover_measured::calibration::{Calibration, Measured, OperatorFigures};
use crossover_quantity::unit::Unit;
use egui::{Grid, Ui};

use super::results::{dash, number, rest, title};
use super::sweeps::Place;

/// Columns of the table, and what they mean.
const COLUMNS: [(&str, &str); 6] = [
    ("resident, 1 core", "Time on one core divided by time on the GPU, the data being in its memory already"),
    ("resident, all cores", "Time on all cores divided by time on the GPU, the data being in its memory already"),
    ("transfer in", "Time to bring 100 MB to the GPU, before any work"),
    ("of end to end", "Share of the transfer to the GPU in the time from host memory to host memory"),
    ("end to end, 1 core", "Time on one core divided by the time through the GPU: transfer, kernel, transfer"),
    ("end to end, all cores", "Time on all cores divided by the time through the GPU: transfer, kernel, transfer"),
];

/// What the table says, computed once for each run.
#[derive(Debug, Default)]
pub(super) struct Speedups {
    answer: String,
    rows: Vec<(String, [String; COLUMNS.len()])>,
}

impl Speedups {
    /// The table of a calibration; a sentence instead where the GPU is a program on the CPU, or where there is none.
    pub(super) fn new(calibration: &Calibration, has_gpu: bool) -> Self {
        if calibration.software {
            let answer = format!(
                "{} is a program on the CPU: it shows that every kernel works and gives no speedup of a GPU.",
                calibration.device
            );
            return Self { answer, rows: Vec::new() };
        }
        if !has_gpu {
            let answer = "The CPU alone was measured, so there is nothing to compare it with.".to_owned();
            return Self { answer, rows: Vec::new() };
        }
        let operators = calibration.operators.iter();
        let rows =
            operators.clone().map(|operator| (operator.operator.clone(), row(operator, calibration.to_gpu_gb_per_s)));
        let end_to_end = |operator: &OperatorFigures| {
            let cpu = Place::AllCores.reference_seconds(operator).or(Place::OneCore.reference_seconds(operator))?;
            Some(cpu / Place::EndToEnd.reference_seconds(operator)?)
        };
        let ranked = |share: fn(&OperatorFigures) -> Option<f64>| {
            operators
                .clone()
                .filter_map(|operator| Some((operator, share(operator)?)))
                .max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let resident = ranked(|operator| {
            Some(Place::OneCore.reference_seconds(operator)? / Place::Resident.reference_seconds(operator)?)
        });
        let mut parts = Vec::new();
        if let Some((operator, factor)) = resident {
            let factor = Unit::Factor.format(factor);
            parts.push(format!(
                "With the data in its memory the GPU gains most on the {}, {factor} one core",
                operator.operator
            ));
        }
        let (paying, known) = operators
            .clone()
            .filter_map(end_to_end)
            .fold((0, 0), |(paying, known), factor| (paying + usize::from(factor > 1.0), known + 1));
        if known > 0 {
            parts.push(format!("over the bus and back, {paying} of {known} operators beat all cores at 100 MB"));
        }
        let answer =
            if parts.is_empty() { "Nothing was measured on both sides.".to_owned() } else { parts.join("; ") + "." };
        Self { answer, rows: rows.collect() }
    }

    /// Draws the table with title and answer.
    pub(super) fn show(&self, ui: &mut Ui) {
        ui.heading("How much faster is the GPU, and what does the way to it cost?");
        if !self.rows.is_empty() {
            Grid::new("speedups").num_columns(COLUMNS.len() + 2).striped(true).spacing([18.0, 4.0]).show(ui, |ui| {
                title(ui, "at 100 MB", false);
                for (text, meaning) in COLUMNS {
                    ui.scope(|ui| title(ui, text, true)).response.on_hover_text(meaning);
                }
                rest(ui);
                for (operator, cells) in &self.rows {
                    ui.label(operator);
                    for cell in cells {
                        number(ui, cell.clone());
                    }
                    rest(ui);
                }
            });
        }
        ui.label(&self.answer);
    }
}

fn row(operator: &OperatorFigures, to_gpu: Option<Measured>) -> [String; COLUMNS.len()] {
    let seconds = |place: Place| place.reference_seconds(operator);
    let factor = |cpu: Place, gpu: Place| {
        let factor = seconds(cpu).zip(seconds(gpu)).map(|(cpu, gpu)| cpu / gpu);
        factor.map_or_else(dash, |factor| Unit::Factor.format(factor))
    };
    let transfer = to_gpu.map(|speed| 0.1 / speed.value);
    let share = transfer.zip(seconds(Place::EndToEnd)).map(|(transfer, whole)| transfer / whole);
    [
        factor(Place::OneCore, Place::Resident),
        factor(Place::AllCores, Place::Resident),
        transfer.map_or_else(dash, |seconds| Unit::Seconds.format(seconds)),
        share.map_or_else(dash, |share| Unit::Share.format(share.min(1.0))),
        factor(Place::OneCore, Place::EndToEnd),
        factor(Place::AllCores, Place::EndToEnd),
    ]
}
