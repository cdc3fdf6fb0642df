//! All values of one period, a row for each cluster.

use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_regulation::{Action, Band, Regulation, Step, table};
use egui::{Align, Layout, RichText, TextStyle, Ui, vec2};
use egui_extras::{Column, TableBuilder};

use super::super::board::Shown;
use super::curve::Steps;
use super::drawing::{COMPUTE, TRANSFER};

/// Joules of a kilowatt-hour.
const JOULES_PER_KWH: f64 = 3.6e6;
/// A smaller share of converted data is rounding.
const LEAST_SHARE: f64 = 1e-9;
/// Height of a row, in points.
const ROW: f32 = 19.0;
/// Rows that are seen without scrolling.
const MOST_ROWS: usize = 5;

/// A column: title, meaning, width in points, text.
struct Field {
    title: &'static str,
    meaning: &'static str,
    width: f32,
    text: fn(&Regulation, &Step) -> String,
}

const FIELDS: [Field; 16] = [
    Field { title: "p_p", meaning: "PCIe occupancy", width: 40.0, text: |_, step| Unit::Share.format(step.pcie) },
    Field { title: "p_d", meaning: "Compute load", width: 40.0, text: |_, step| Unit::Share.format(step.load) },
    Field {
        title: "e",
        meaning: "e = p_p − p_d, as the controller reads them",
        width: 46.0,
        text: |_, step| number(step.error),
    },
    Field {
        title: "P",
        meaning: "Proportional part, Kp·e",
        width: 46.0,
        text: |_, step| number(step.parts.proportional),
    },
    Field { title: "I", meaning: "Integral part, Ki·Σe", width: 46.0, text: |_, step| number(step.parts.integral) },
    Field {
        title: "D",
        meaning: "Derivative part, Kd·(e − e before)",
        width: 54.0,
        text: |_, step| number(step.parts.derivative),
    },
    Field { title: "u", meaning: "Output, the sum of the parts", width: 46.0, text: |_, step| number(step.output) },
    Field {
        title: "table row",
        meaning: "Row of the control table that the output falls into",
        width: 62.0,
        text: row,
    },
    Field {
        title: "action",
        meaning: "Changes at the end of the period",
        width: 82.0,
        text: |study, step| action(study, step),
    },
    Field {
        title: "vGPUs",
        meaning: "vGPUs that worked in this period",
        width: 38.0,
        text: |_, step| Unit::Count.format(step.vgpus),
    },
    Field {
        title: "clock",
        meaning: "Frequency in this period",
        width: 46.0,
        text: |_, step| Unit::Gigahertz.format(step.frequency_ghz),
    },
    Field {
        title: "precision",
        meaning: "Precision in this period",
        width: 46.0,
        text: |study, step| study.precision_text(step.precision, step.converted_share),
    },
    Field {
        title: "throughput",
        meaning: "Served throughput",
        width: 70.0,
        text: |_, step| Unit::Tops.format(step.tops),
    },
    Field {
        title: "power",
        meaning: "Power of the cluster",
        width: 48.0,
        text: |_, step| Unit::Watts.format(step.watts),
    },
    Field {
        title: "energy",
        meaning: "Energy of the cluster since the start",
        width: 58.0,
        text: |_, step| Unit::KilowattHours.format(step.joules / JOULES_PER_KWH),
    },
    Field {
        title: "backlog",
        meaning: "Backlog at the end of the period",
        width: 66.0,
        text: |_, step| Unit::TeraOperations.format(step.backlog),
    },
];

/// Draws the record of a period.
pub(super) fn show(ui: &mut Ui, shown: &Shown, period: usize) {
    let steps = Steps { run: shown.outcome.chosen(), clusters: shown.study.clusters.len() };
    if period >= steps.periods() {
        return;
    }
    let dark = ui.visuals().dark_mode;
    let records = steps.all(period);
    egui::ScrollArea::horizontal().id_salt("record").auto_shrink([false, true]).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(5.0, 0.0);
        // Small, so that all columns fit.
        ui.style_mut().override_text_style = Some(TextStyle::Small);
        let mut builder = TableBuilder::new(ui)
            .id_salt("record")
            .striped(true)
            .max_scroll_height(ROW * MOST_ROWS as f32)
            .cell_layout(Layout::right_to_left(Align::Center))
            .column(Column::exact(52.0).clip(true));
        for field in &FIELDS {
            builder = builder.column(Column::exact(field.width));
        }
        builder
            .header(ROW, |mut header| {
                header.col(|ui| drop(ui.weak(format!("{} in", steps.run.name))));
                for field in &FIELDS {
                    header.col(|ui| {
                        let title = RichText::new(field.title).strong();
                        let title = match field.title {
                            "p_p" => title.color(TRANSFER.text(dark)),
                            "p_d" => title.color(COMPUTE.text(dark)),
                            _ => title,
                        };
                        ui.label(title).on_hover_text(field.meaning);
                    });
                }
            })
            .body(|body| {
                body.rows(ROW, records.len(), |mut line| {
                    let step = &records[line.index()];
                    let name = &shown.study.clusters[step.cluster].name;
                    line.col(|ui| drop(ui.add(egui::Label::new(RichText::new(name).strong()).truncate())));
                    for field in &FIELDS {
                        line.col(|ui| cell(ui, field, name, &(field.text)(&shown.study, step), step));
                    }
                });
            });
    });
}

fn cell(ui: &mut Ui, field: &Field, cluster: &str, text: &str, step: &Step) {
    let is_action = field.title == "action" && step.action.is_any();
    let written = if is_action { RichText::new(text).strong() } else { RichText::new(text) };
    let label = ui.add(egui::Label::new(written).truncate());
    label.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{cluster} {}: {text}", field.title))
    });
    let read = match field.title {
        "p_p" => Some((step.pcie, step.read_pcie)),
        "p_d" => Some((step.load, step.read_load)),
        _ => None,
    };
    if let Some((_, read)) = read.filter(|(real, read)| real.to_bits() != read.to_bits()) {
        label.on_hover_text(format!("The controller reads {}", Unit::Share.format(read)));
    }
}

/// A plain number; rounding errors around zero become zero.
fn number(value: f64) -> String {
    Unit::Ratio.format(if value.abs() < 1e-12 { 0.0 } else { value })
}

/// "0.3 … 0.5"
fn row(study: &Regulation, step: &Step) -> String {
    let row = table::row(&study.table, step.output);
    let text = |band: &Band| format!("{} … {}", number(band.from), number(band.to));
    row.map(text).unwrap_or_default()
}

/// "−2 vGPUs", "+1 vGPU, +100 MHz", "none".
pub(super) fn action(study: &Regulation, step: &Step) -> String {
    let Action { vgpus, frequency_mhz, precision, voltage, concurrency } = step.action;
    let mut parts = Vec::new();
    if vgpus != 0.0 {
        let sign = if vgpus > 0.0 { "+" } else { "" };
        let plural = if vgpus.abs() == 1.0 { "" } else { "s" };
        parts.push(format!("{sign}{} vGPU{plural}", Unit::Count.format(vgpus)));
    }
    if frequency_mhz != 0.0 {
        let sign = if frequency_mhz > 0.0 { "+" } else { "" };
        parts.push(format!("{sign}{}", Unit::Megahertz.format(frequency_mhz)));
    }
    if precision != 0.0 {
        let next = step.precision as f64 - step.converted_share + precision;
        let upper = (next - LEAST_SHARE).ceil().max(0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the index of a precision level")]
        let level = upper as usize;
        let converted = if upper - next < LEAST_SHARE { 0.0 } else { upper - next };
        parts.push(format!("to {}", study.precision_text(level, converted)));
    }
    if voltage != 0.0 {
        let sign = if voltage > 0.0 { "+" } else { "" };
        parts.push(format!("voltage {sign}{}", Unit::Share.format(voltage)));
    }
    if concurrency != 0.0 {
        let sign = if concurrency > 0.0 { "+" } else { "" };
        parts.push(format!("{sign}{} per vGPU", counted(concurrency, "task")));
    }
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}
