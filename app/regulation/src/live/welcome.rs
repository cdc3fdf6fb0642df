//! The section before the first sample: purpose, start button, and the error if there is one.

use crossover_page::ask::Ask as _;
use crossover_page::command::Command;
use crossover_page::widgets::empty::Sample;
use crossover_page::widgets::warning;
use crossover_quantity::unit::Unit;
use crossover_regulation::Regulation;
use egui::{RichText, Ui};

use super::state::{State, sampling_period};
use super::{Env, TITLE, sample};
use crate::Request;
use crate::examples::RECORDED;

/// Draws it.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &Regulation, env: &mut Env<'_>) {
    let width = ui.available_width().min(640.0);
    let indent = ((ui.available_width() - width) / 2.0).max(0.0);
    ui.add_space(24.0);
    ui.horizontal(|ui| {
        ui.add_space(indent);
        ui.vertical(|ui| {
            ui.set_width(width);
            ui.heading(TITLE);
            ui.add_space(4.0);
            ui.label(
                "Crossover reads the NVIDIA GPUs of this machine: the PCIe occupancy p_p and the compute load p_d of each. \
                 It plots both, and shows the actions that the controller of this study would take.",
            );
            ui.add_space(4.0);
            ui.label(RichText::new("Read-only: no GPU setting is changed.").strong());
            ui.add_space(10.0);
            if state.is_watching() {
                state.sample.forget();
                ui.label("Querying the NVIDIA driver…");
                if ui.button("Stop").clicked() {
                    env.commands.push(Command::ask(Request::StopWatching));
                }
                return;
            }
            let reason = state.reason();
            if let Some(reason) = &reason {
                warning::show(ui, reason);
                ui.add_space(6.0);
            }
            ui.horizontal_wrapped(|ui| {
                let start = ui.button(if reason.is_some() { "Try again" } else { "Start monitoring" });
                if start.on_hover_text(Request::Watch.tooltip()).clicked() {
                    env.commands.push(Command::ask(Request::Watch));
                }
                let import = ui.button(Request::IMPORT.text());
                if import.on_hover_text(Request::IMPORT.tooltip()).clicked() {
                    env.commands.push(Command::ask(Request::IMPORT));
                }
            });
            ui.add_space(4.0);
            ui.weak(format!(
                "{}. Without a GPU here, a recording of another machine can be replayed as the demand of a cluster.",
                how_often(study)
            ));
            ui.add_space(8.0);
            let open = [Command::OpenExample(RECORDED)];
            Sample { page: TITLE, name: sample::NAME, open: &open }.show(ui, &mut state.sample, env.commands);
        });
    });
}

/// The polling interval, and why it differs from the sampling period.
fn how_often(study: &Regulation) -> String {
    let (wanted, period) = (study.run.period_seconds, sampling_period(study).as_secs_f64());
    let every = format!("One sample every {}", Unit::Seconds.format(period));
    if wanted < period {
        format!("{every}: the study's sampling period is shorter than the shortest polling interval")
    } else if wanted > period {
        format!("{every}: the study's sampling period is longer than the longest polling interval")
    } else {
        format!("{every}, the sampling period of the study")
    }
}
