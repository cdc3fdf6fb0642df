//! p_p and p_d over time, and what the controller makes of them.

use crossover_model::regulation::Band;
use crossover_model::unit::Unit;
use egui::{RichText, Ui};

use super::state::State;
use super::track::Point;
use crate::chart::axis::{Axis, Scale, formatter};
use crate::chart::lines::{LineChart, Samples, Series};
use crate::chart::screen::{self, Gesture, Swatch};
use crate::theme::Token;

/// Colour of transfer: that of the bus among the cost terms.
const TRANSFER: Token = Token::Term(2);
/// Colour of compute: that of compute among the cost terms.
const COMPUTE: Token = Token::Term(0);
/// Height of a chart, in points.
const HEIGHT: f32 = 150.0;
/// A narrower chart has no room for its labels, in points.
const NARROWEST: f32 = 330.0;

/// Draws both charts, side by side where there is room.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    let device = state.device;
    let fits_two = ui.available_width() - ui.spacing().item_spacing.x >= 2.0 * NARROWEST;
    let (charts, pinned_seconds) = (&state.charts, state.pinned_seconds);
    let mut pinned = None;
    ui.columns(if fits_two { 2 } else { 1 }, |columns| {
        let last = columns.len() - 1;
        for (index, chart) in charts.iter().enumerate() {
            let ui = &mut columns[index.min(last)];
            ui.label(RichText::new(&chart.title).strong());
            ui.horizontal_wrapped(|ui| {
                for series in &chart.series {
                    screen::swatch(ui, series.token, Swatch::Line);
                    ui.label(&series.name);
                }
            });
            let gesture = screen::lines(ui, ("live", device, index), chart, pinned_seconds, HEIGHT);
            if let Some(Gesture::Pinned(seconds)) = gesture {
                pinned = Some(seconds);
            }
            ui.weak(&chart.answer);
        }
    });
    if let Some(seconds) = pinned {
        state.pinned_seconds = if state.pinned_seconds.is_some() { None } else { Some(seconds) };
    }
}

/// Both charts of what was seen in the last minutes.
pub(super) fn charts<'a>(points: &(impl Iterator<Item = &'a Point> + Clone), load_name: &str) -> [LineChart; 2] {
    let curve = |value: fn(&Point) -> Option<f64>| -> Vec<[f64; 2]> {
        points.clone().map(|point| [point.seconds, value(point).unwrap_or(f64::NAN)]).collect()
    };
    let series = |name: String, token, points| Series {
        name,
        token,
        dashed: false,
        steps: false,
        points,
        samples: Samples::default(),
    };
    let time = || Axis {
        label: "time since watching began".into(),
        format: clock,
        scale: Scale::Linear,
        range: [
            points.clone().next().map_or(0.0, |point| point.seconds),
            points.clone().last().map_or(1.0, |point| point.seconds),
        ],
    };
    let chart = |title: &str, answer: String, label: &str, unit, range, series| LineChart {
        title: title.into(),
        subtitle: String::new(),
        answer,
        x: time(),
        y: Axis { label: label.into(), format: formatter(unit), scale: Scale::Linear, range },
        series,
        threshold: None,
        points: Vec::new(),
        breakevens: Vec::new(),
        bands: Vec::new(),
    };
    let pcie = curve(|point| point.occupancies.map(|[pcie, _]| pcie));
    let load = curve(|point| point.occupancies.map(|[_, load]| load));
    let averages = [mean(&pcie), mean(&load)];
    let answer = match averages {
        [Some(pcie), Some(load)] => {
            format!("On average p_p {}, p_d {}.", Unit::Share.format(pcie), Unit::Share.format(load))
        }
        _ => "Nothing was told of both.".into(),
    };
    let balance = chart(
        "Are transfer and compute in balance?",
        answer,
        "occupancy",
        Unit::Share,
        [0.0, 1.0],
        vec![series("p_p, transfer".into(), TRANSFER, pcie), series(load_name.into(), COMPUTE, load)],
    );
    let error = curve(|point| point.advice.as_ref().map(|advice| advice.error));
    let output = curve(|point| point.advice.as_ref().map(|advice| advice.output));
    let advised = || points.clone().filter_map(|point| point.advice.as_ref());
    let rests = |row: &Band| row.vgpus == 0.0 && row.frequency_mhz == 0.0 && row.precision == 0.0;
    let acted = advised().filter(|advice| !rests(&advice.row)).count();
    let control = chart(
        "What does the controller make of it?",
        format!("u lies outside the dead zone in {acted} of {} samples.", advised().count()),
        "e and u",
        Unit::Ratio,
        [-1.0, 1.0],
        vec![series("e = p_p − p_d".into(), Token::TextWeak, error), series("u, output".into(), Token::Accent, output)],
    );
    [balance, control]
}

fn mean(points: &[[f64; 2]]) -> Option<f64> {
    let values: Vec<f64> = points.iter().map(|[_, value]| *value).filter(|value| value.is_finite()).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Minutes and seconds: "1:05".
fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0).round();
    let (minutes, rest) = ((whole / 60.0).floor(), whole % 60.0);
    format!("{minutes:.0}:{rest:02.0}")
}
