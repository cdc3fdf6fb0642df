//! The parts of the time of a case.

use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use crossover_engine::predict::{Part, Range, Seconds};
use crossover_export::placement::truth::SideVerdict;
use crossover_placement::Side;
use crossover_plan::cases::Compared;
use crossover_quantity::unit::Unit;
use egui::Ui;

use super::super::side;

/// Draws the case: both sides, part by part, with the measurement.
pub(super) fn show(ui: &mut Ui, compared: &Compared) {
    let judged = &compared.judged;
    let prediction = &judged.prediction;
    let sides = [
        (Side::Cpu, prediction.cpu, &prediction.cpu_parts, judged.cpu_seconds),
        (Side::Gpu, prediction.gpu, &prediction.gpu_parts, judged.gpu_seconds),
    ];
    let has_parts = sides.iter().any(|(_, _, seconds, _)| seconds.iter().sum::<f64>() != 0.0);
    if judged.judgeable().is_none() || !has_parts {
        ui.heading(&compared.case.name);
        ui.label(answer(compared));
        if judged.judgeable().is_some() {
            ui.weak("The parts of its time need a scenario with engines.");
        }
        return;
    }
    ui.heading(format!("Where does the time of {} go?", compared.case.name));
    ui.horizontal_wrapped(|ui| {
        for part in Part::ALL {
            if sides.iter().any(|(_, _, seconds, _)| seconds[part as usize] > 0.0) {
                screen::entry(ui, token(part), Swatch::Square, part.label());
                ui.add_space(4.0);
            }
        }
    });
    let rows = sides.map(|(side, found, seconds, measured)| bar(&compared.case.name, side, found, seconds, measured));
    let chart = BarChart {
        title: String::new(),
        subtitle: String::new(),
        answer: answer(compared),
        step_unit: 1.0,
        unit_format: |value| Unit::Seconds.format(value),
        rows: rows.into(),
    };
    screen::bars(ui, &chart);
    ui.label(&chart.answer);
}

fn bar(name: &str, side: Side, found: Range, seconds: &Seconds, measured: Option<f64>) -> BarRow {
    let written = |value: f64| Unit::Seconds.format(value);
    let segments = Part::ALL.into_iter().filter(|part| seconds[*part as usize] > 0.0).map(|part| Segment {
        name: part.label().to_owned(),
        token: token(part),
        value: seconds[part as usize],
    });
    BarRow {
        start: 0.0,
        interval: None,
        group: name.to_owned(),
        label: side.label().to_owned(),
        token: side::token(side),
        segments: segments.collect(),
        total: found.value,
        note: measured.map_or_else(|| "not measured".to_owned(), |measured| format!("measured {}", written(measured))),
        detail: String::new(),
    }
}

/// "Predicted 2.1× (1.4× … 3.2×), measured 1.9×: faster side predicted correctly."
fn answer(compared: &Compared) -> String {
    let judged = &compared.judged;
    let factor = |value: f64| Unit::Factor.format(value);
    if let Some(why) = &judged.prediction.outside {
        return format!("Outside what was measured: {why}.");
    }
    let found = judged.prediction.speedup;
    let range = if found.low < found.high {
        format!(" ({} … {})", factor(found.low), factor(found.high))
    } else {
        String::new()
    };
    let predicted = format!("Predicted speedup {}{range}", factor(found.value));
    let Some(measured) = judged.speedup() else { return format!("{predicted}; it was not measured on both sides.") };
    let side = match SideVerdict::of(judged) {
        Some(SideVerdict::Wrong) => "faster side predicted wrongly",
        Some(SideVerdict::Right) => "faster side predicted correctly",
        Some(SideVerdict::NearOne) | None => "too close to call",
    };
    format!("{predicted}, measured {}: {side}.", factor(measured))
}

/// The colour of a part: the same as that of the corresponding term of operators on all pages.
pub(in super::super) fn token(part: Part) -> Token {
    Token::Term(match part {
        Part::Work => 0,
        Part::Files => 2,
        Part::Steps => 3,
        Part::Exchange => 4,
        Part::Spill => 5,
        Part::Start => 7,
        Part::Read => 8,
    })
}
