//! GPU, controller and time range of a watch, with its buttons.

use crossover_chart::theme::Token;
use crossover_page::ask::Ask as _;
use crossover_page::command::Command;
use crossover_page::widgets::{bus_speed, warning};
use crossover_quantity::unit::{Unit, elapsed};
use crossover_regulation::Regulation;
use egui::{ComboBox, Role, Ui, WidgetInfo};

use super::Env;
use super::state::{BusSource, State, sampling_period};
use crate::Request;

/// Periods without an answer after which a warning is shown.
const SILENT_PERIODS: u32 = 5;
/// How far the charts can go back, minutes.
const MINUTES: [u32; 4] = [1, 5, 15, 60];

/// Draws the rows.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &Regulation, env: &mut Env<'_>) {
    ui.horizontal_wrapped(|ui| {
        device(ui, state);
        controller(ui, state, study);
        minutes(ui, state);
    });
    ui.horizontal_wrapped(|ui| bus(ui, state));
    ui.horizontal_wrapped(|ui| {
        buttons(ui, state, env);
        progress(ui, state);
    });
    let dark = ui.visuals().dark_mode;
    let wanted = sampling_period(study);
    if state.is_watching() && wanted != state.period() {
        let text = format!(
            "The study's sampling period has changed; stop and restart monitoring for one sample every {}.",
            Unit::Seconds.format(wanted.as_secs_f64())
        );
        warning::show(ui, text);
    }
    if let Some(reason) = state.reason() {
        ui.colored_label(Token::Error.color(dark), format!("Monitoring ended: {reason} The samples are kept."));
    } else if state.is_watching() {
        let patience = state.period() * SILENT_PERIODS;
        if let Some(rest) = patience.checked_sub(state.silent_for()) {
            // One repaint, unless a sample arrives before.
            ui.ctx().request_repaint_after(rest);
        } else {
            let patience = Unit::Seconds.format(patience.as_secs_f64());
            let text = format!("The driver has not answered for {patience}; monitoring continues.");
            warning::show(ui, text);
        }
    }
}

fn named(combo: &egui::Response, name: &'static str) {
    combo.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, name));
}

fn device(ui: &mut Ui, state: &mut State) {
    let labels: Vec<String> = if state.devices().len() > 1 {
        state.devices().iter().enumerate().map(|(index, device)| format!("{index}: {}", device.name)).collect()
    } else {
        state.devices().iter().map(|device| device.name.clone()).collect()
    };
    let selected = labels.get(state.device).cloned().unwrap_or_default();
    let combo = ComboBox::from_id_salt("gpu").selected_text(selected).width(190.0).show_ui(ui, |ui| {
        for (index, label) in labels.into_iter().enumerate() {
            ui.selectable_value(&mut state.device, index, label);
        }
    });
    named(&combo.response, "monitored GPU");
}

fn controller(ui: &mut Ui, state: &mut State, study: &Regulation) {
    let chosen = state.controller(study).map(|controller| controller.name.clone()).unwrap_or_default();
    ui.label("controller");
    let combo = ComboBox::from_id_salt("controller").selected_text(&chosen).width(80.0).show_ui(ui, |ui| {
        for controller in &study.controllers {
            if ui.selectable_label(controller.name == chosen, &controller.name).clicked() {
                state.controller = Some(controller.name.clone());
            }
        }
    });
    named(&combo.response, "controller");
}

fn minutes(ui: &mut Ui, state: &mut State) {
    ui.label("last");
    let text = |minutes: u32| format!("{minutes} min");
    let combo = ComboBox::from_id_salt("minutes").selected_text(text(state.minutes)).width(64.0).show_ui(ui, |ui| {
        for minutes in MINUTES {
            ui.selectable_value(&mut state.minutes, minutes, text(minutes));
        }
    });
    named(&combo.response, "time range of the charts");
}

/// The bus speed, and where it comes from.
fn bus(ui: &mut Ui, state: &mut State) {
    let (speed, source) = state.bus();
    let mut next = speed;
    let label = ui.label(bus_speed::LABEL);
    let field = bus_speed::field(ui, &mut next).labelled_by(label.id);
    field.on_hover_text("p_p is the rate of the busier direction ÷ this speed. Enter another speed to override it.");
    if next.to_bits() != speed.to_bits() {
        state.assumed_bus = Some(next);
    }
    match source {
        BusSource::Link(link) => drop(ui.weak(format!("of the link, {link}, as reported by the driver"))),
        BusSource::User => {
            ui.weak("entered by you");
            if ui.button("Use the link's").on_hover_text("Take the speed from the link again").clicked() {
                state.assumed_bus = None;
            }
        }
        BusSource::Assumed => {
            let text = "assumed, PCIe 4.0 ×16: the driver does not report the link";
            warning::show(ui, text);
        }
    }
}

fn buttons(ui: &mut Ui, state: &mut State, env: &mut Env<'_>) {
    let mut send = |ui: &mut Ui, text: &str, request: Request, hint: &str| {
        if ui.button(text).on_hover_text(hint).clicked() {
            env.commands.push(Command::ask(request));
        }
    };
    if state.is_watching() {
        let pause = ui.toggle_value(&mut state.is_paused, "Pause");
        pause.on_hover_text("Pauses the charts; sampling continues, and the samples appear afterwards");
        send(ui, "Stop", Request::StopWatching, Request::StopWatching.tooltip());
    } else {
        send(
            ui,
            "Restart monitoring",
            Request::Watch,
            "Starts again and discards the samples; save them first to keep them",
        );
    }
    for request in [Request::SaveRecording, Request::UseRecording] {
        let (text, hint) = (request.text(), request.tooltip());
        send(ui, &text, request, hint);
    }
}

fn progress(ui: &mut Ui, state: &State) {
    let state_word = match (state.is_watching(), state.is_paused) {
        (true, true) => "paused",
        (true, false) => "monitoring",
        (false, _) => "stopped",
    };
    let (count, period) = (state.sample_count(), Unit::Seconds.format(state.period().as_secs_f64()));
    let samples = if count == 1 { "sample" } else { "samples" };
    ui.weak(format!("{state_word}, {}, {count} {samples}, one every {period}", elapsed(state.elapsed().round())));
}
