//! Speedup of the GPU, with resident data and end to end.

use crossover_measured::calibration::{Calibration, Measured, OperatorFigures};
use crossover_quantity::text::counted_of;
use crossover_quantity::unit::Unit;
use egui::{Grid, Ui};

use super::results::{dash, number, rest, title};
use super::sweeps::SweepMode;

/// Columns of the table, with tooltips.
const COLUMNS: [(&str, &str); 6] = [
    ("resident, 1 core", "Time on one core ÷ time on the GPU, with the data in GPU memory"),
    ("resident, all cores", "Time on all cores ÷ time on the GPU, with the data in GPU memory"),
    ("transfer in", "Time to transfer 100 MB to the GPU"),
    ("transfer share", "Transfer to the GPU ÷ end-to-end time"),
    ("end to end, 1 core", "Time on one core ÷ end-to-end time on the GPU: transfer, kernel, transfer"),
    ("end to end, all cores", "Time on all cores ÷ end-to-end time on the GPU: transfer, kernel, transfer"),
];

/// Content of the table, computed once for each run.
#[derive(Debug, Default)]
pub(super) struct Speedups {
    answer: String,
    rows: Vec<(String, [String; COLUMNS.len()])>,
}

impl Speedups {
    /// The table of a calibration; a sentence instead for a software adapter or without a GPU.
    pub(super) fn new(calibration: &Calibration, has_gpu: bool) -> Self {
        if calibration.software {
            let answer = format!(
                "{} is a software adapter: every kernel ran, but on the CPU, so there is no GPU speedup.",
                calibration.device
            );
            return Self { answer, rows: Vec::new() };
        }
        if !has_gpu {
            let answer = "Only the CPU was measured, so there is no speedup.".to_owned();
            return Self { answer, rows: Vec::new() };
        }
        let operators = calibration.operators.iter();
        let rows =
            operators.clone().map(|operator| (operator.operator.clone(), row(operator, calibration.to_gpu_gb_per_s)));
        let end_to_end = |operator: &OperatorFigures| {
            let cpu =
                SweepMode::AllCores.reference_seconds(operator).or(SweepMode::OneCore.reference_seconds(operator))?;
            Some(cpu / SweepMode::EndToEnd.reference_seconds(operator)?)
        };
        let ranked = |share: fn(&OperatorFigures) -> Option<f64>| {
            operators
                .clone()
                .filter_map(|operator| Some((operator, share(operator)?)))
                .max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let resident = ranked(|operator| {
            Some(SweepMode::OneCore.reference_seconds(operator)? / SweepMode::Resident.reference_seconds(operator)?)
        });
        let mut parts = Vec::new();
        if let Some((operator, factor)) = resident {
            let factor = Unit::Factor.format(factor);
            parts.push(format!(
                "With resident data the GPU speedup is largest for the {}: {factor} over one core",
                operator.operator
            ));
        }
        let (paying, known) = operators
            .clone()
            .filter_map(end_to_end)
            .fold((0_u32, 0_u32), |(paying, known), factor| (paying + u32::from(factor > 1.0), known + 1));
        if known > 0 {
            let operators = counted_of(f64::from(paying), f64::from(known), "operator");
            let are = if paying == 1 { "is" } else { "are" };
            parts.push(format!("end to end, {operators} {are} faster than all cores at 100 MB"));
        }
        let answer = if parts.is_empty() {
            "No operator was measured on both CPU and GPU.".to_owned()
        } else {
            parts.join("; ") + "."
        };
        Self { answer, rows: rows.collect() }
    }

    /// Draws the table with title and answer.
    pub(super) fn show(&self, ui: &mut Ui) {
        ui.heading("How much faster is the GPU, and what does data transfer cost?");
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
    let seconds = |mode: SweepMode| mode.reference_seconds(operator);
    let factor = |cpu: SweepMode, gpu: SweepMode| {
        let factor = seconds(cpu).zip(seconds(gpu)).map(|(cpu, gpu)| cpu / gpu);
        factor.map_or_else(dash, |factor| Unit::Factor.format(factor))
    };
    let transfer = to_gpu.map(|speed| 0.1 / speed.value);
    let share = transfer.zip(seconds(SweepMode::EndToEnd)).map(|(transfer, whole)| transfer / whole);
    [
        factor(SweepMode::OneCore, SweepMode::Resident),
        factor(SweepMode::AllCores, SweepMode::Resident),
        transfer.map_or_else(dash, |seconds| Unit::Seconds.format(seconds)),
        share.map_or_else(dash, |share| Unit::Share.format(share.min(1.0))),
        factor(SweepMode::OneCore, SweepMode::EndToEnd),
        factor(SweepMode::AllCores, SweepMode::EndToEnd),
    ]
}
