//! Choice of device and suite, start, and progress.

use std::time::Duration;

use crossover_chart::theme::Token;
use crossover_gpu_bench::benchmarks::case::Suite;
use crossover_page::command::Command;
use egui::{Button, ComboBox, ProgressBar, Ui, WidgetInfo};

use super::device::{self, Choice, Devices};
use super::run::{Run, State};
use super::{Env, Request};

/// Draws the pickers and the start button.
pub(super) fn pickers(ui: &mut Ui, devices: &Devices, choice: &mut Choice, env: &mut Env<'_>) {
    let found = devices.found();
    let cpu_alone = "CPU only".to_owned();
    let name = |device: Option<usize>| {
        device.and_then(|index| found.get(index)).map_or_else(|| cpu_alone.clone(), device::label)
    };
    ui.label("measure");
    let selected = if matches!(devices, Devices::Listing) { "listing GPUs…".to_owned() } else { name(choice.device) };
    let combo = ComboBox::from_id_salt("device").selected_text(selected).width(250.0).show_ui(ui, |ui| {
        for index in (0..found.len()).map(Some).chain([None]) {
            ui.selectable_value(&mut choice.device, index, name(index));
        }
    });
    combo.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "device to measure"));
    let selected = format!("{}, {}", choice.suite.name(), device::estimate(choice.suite));
    let combo = ComboBox::from_id_salt("suite").selected_text(selected).width(176.0).show_ui(ui, |ui| {
        for suite in device::SUITES {
            ui.selectable_value(&mut choice.suite, suite, device::suite_label(suite));
        }
    });
    combo.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "suite: how much to measure"));
    let start = ui.add_enabled(!matches!(devices, Devices::Listing), Button::new("Start"));
    if start.on_hover_text("Measure in a separate process; the window stays responsive").clicked() {
        env.commands.push(Command::ask(Request::Start));
    }
}

/// Draws warnings before the start.
pub(super) fn warnings(ui: &mut Ui, devices: &Devices, choice: Choice, env: &mut Env<'_>) {
    let dark = ui.visuals().dark_mode;
    let warn = |ui: &mut Ui, text: String| drop(ui.colored_label(Token::Warning.color(dark), text));
    match devices {
        Devices::Listing => {}
        Devices::Found(found) if found.is_empty() => {
            warn(
                ui,
                "No GPU was found; you can measure the CPU only. A GPU needs a Vulkan, Metal or DirectX 12 driver."
                    .to_owned(),
            );
        }
        Devices::Failed(reason) => {
            warn(ui, format!("Cannot list GPUs: {reason}. You can measure the CPU only."));
        }
        Devices::Found(found) => {
            let Some(chosen) = choice.device.and_then(|index| found.get(index)) else { return };
            if chosen.software {
                warn(
                    ui,
                    format!("{} is a software adapter: it runs on the CPU and gives no GPU speedup.", chosen.name),
                );
            }
            if device::draws_window(chosen, env.drawn_by) {
                let text = "This device also draws the window: do not use the window during the measurement.";
                warn(ui, text.to_owned());
            }
            if choice.suite == Suite::Full {
                ui.weak("Run nothing else on this machine during the measurement.");
            }
        }
    }
    if matches!(devices, Devices::Failed(_)) || matches!(devices, Devices::Found(found) if found.is_empty()) {
        let again = ui.button("List GPUs again");
        if again.clicked() {
            env.commands.push(Command::ask(Request::ListDevices));
        }
    }
}

/// Draws the progress of a run, with its cancel button.
pub(super) fn progress(ui: &mut Ui, run: &Run, env: &mut Env<'_>) {
    let is_cancelling = *run.state() == State::Cancelling;
    let cancel = ui.add_enabled(!is_cancelling, Button::new("Cancel"));
    if cancel.on_hover_text("Cancel after the current sample; results so far are kept").clicked() {
        env.commands.push(Command::ask(Request::Cancel));
    }
    let bar = ui.add(ProgressBar::new(run.share()).desired_width(160.0).desired_height(12.0));
    bar.widget_info(|| WidgetInfo::labeled(egui::Role::ProgressIndicator, true, "measurements done"));
    ui.label(run.progress());
    ui.label(format!("{} elapsed", clock(run.elapsed())));
    let what = if is_cancelling { Some("cancelling…") } else { run.current() };
    ui.add(egui::Label::new(what.unwrap_or("starting…")).truncate());
}

/// Whole seconds, as they change once a second: "14 s", "2 min 5 s".
pub(super) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {} s", seconds / 60, seconds % 60) }
}

/// Draws the page before anything has been measured.
pub(super) fn first_visit(ui: &mut Ui, devices: &Devices, choice: &mut Choice, env: &mut Env<'_>) {
    let width = ui.available_width().min(680.0);
    let indent = ((ui.available_width() - width) / 2.0).max(0.0);
    ui.add_space(56.0);
    ui.horizontal(|ui| {
        ui.add_space(indent);
        ui.vertical(|ui| {
            ui.set_width(width);
            ui.heading("How much faster is the GPU, and what does data transfer cost?");
            ui.add_space(4.0);
            ui.label(
                "Crossover measures CPU, bus and GPU with micro-benchmarks and checks every result against the CPU. It \
                 then fits the cost curves of a placement study, which you can apply to a scenario.",
            );
            ui.add_space(4.0);
            ui.label(
                "It needs an otherwise idle machine; the input data is generated. It \
                 runs in a separate process, can be cancelled at any time, and keeps its results.",
            );
            ui.add_space(10.0);
            ui.horizontal_wrapped(|ui| pickers(ui, devices, choice, env));
            ui.add_space(4.0);
            warnings(ui, devices, *choice, env);
        });
    });
}
