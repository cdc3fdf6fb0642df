//! The last reading as numbers, and the measure behind p_d.

use crossover_chart::theme::Token;
use crossover_quantity::unit::Unit;
use crossover_telemetry::{Activity, Reading};
use egui::{Grid, RichText, Ui};

use super::state::State;

/// Draws them.
pub(super) fn show(ui: &mut Ui, state: &State) {
    let Some(reading) = state.last_reading() else { return };
    if let Some(activity) = reading.activity {
        ui.label(meaning(activity));
    }
    let values = values(reading);
    Grid::new("last reading").num_columns(values.len()).spacing([24.0, 0.0]).show(ui, |ui| {
        for (name, _) in &values {
            ui.label(RichText::new(*name).small().color(Token::TextWeak.color(ui.visuals().dark_mode)));
        }
        ui.end_row();
        for (_, value) in &values {
            ui.label(value);
        }
        ui.end_row();
    });
    for missing in &reading.missing {
        ui.weak(missing);
    }
}

/// The measure behind p_d.
pub(super) fn meaning(activity: Activity) -> &'static str {
    match activity {
        Activity::Sm(_) => {
            "p_d is SM activity: the share of the multiprocessors with work on them, averaged over time, as the published \
             method defines load."
        }
        Activity::Busy(_) => {
            "p_d is NVML's utilisation: the share of time in which any kernel ran, even on a single multiprocessor. It \
             is never below SM activity, so the controller requests compute too early and releases it too late."
        }
    }
}

fn values(reading: &Reading) -> Vec<(&'static str, String)> {
    let rate = |value: Option<f64>| value.map(|bytes| Unit::GigabytesPerSecond.format(bytes / 1e9));
    let of = |value: Option<f64>, limit: Option<f64>, format: fn(f64) -> String| {
        let limit = limit.map(|limit| format!(" of {}", format(limit))).unwrap_or_default();
        value.map(|value| format(value) + &limit)
    };
    let listed = [
        ("PCIe to host", rate(reading.pcie_tx_bytes_per_s)),
        ("PCIe from host", rate(reading.pcie_rx_bytes_per_s)),
        ("SM clock", of(reading.sm_clock_mhz, reading.max_sm_clock_mhz, |mhz| Unit::Megahertz.format(mhz))),
        ("power", of(reading.watts, reading.limit_watts, |watts| Unit::Watts.format(watts))),
    ];
    listed.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
