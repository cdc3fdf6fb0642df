//! What to do next: the configuration of a trial run with what else it needs, and what to change on today’s machines.

use crossover_export::decision::{NextStep, Trial};
use egui::{Label, RichText, Ui};

/// Draws the next step with a button that copies its configuration; `tried`: which of several options is shown.
pub(super) fn show(ui: &mut Ui, next: &NextStep, tried: &mut usize) {
    ui.add_space(8.0);
    ui.strong("Next step");
    if let Some(what_decides) = &next.what_decides {
        ui.add(Label::new(what_decides).wrap());
    }
    *tried = (*tried).min(next.trials.len().saturating_sub(1));
    if next.trials.len() > 1 {
        ui.horizontal_wrapped(|ui| {
            for (place, trial) in next.trials.iter().enumerate() {
                let label = ui.selectable_value(tried, place, &trial.option);
                label.on_hover_text("Show the settings of a trial run of this option");
            }
        });
    }
    if let Some(trial) = next.trials.get(*tried) {
        settings(ui, trial);
    }
}

/// Draws what to change on today's machines, whatever the decision.
pub(super) fn show_without_a_move(ui: &mut Ui, step: &str) {
    ui.add_space(8.0);
    ui.strong("Next step on today’s machines");
    ui.add(Label::new(step).wrap());
}

fn settings(ui: &mut Ui, trial: &Trial) {
    ui.add(Label::new(&trial.text).wrap());
    ui.add(Label::new(RichText::new(trial.settings.join("\n")).monospace()).wrap());
    if ui.button("Copy settings").clicked() {
        ui.ctx().copy_text(trial.command().join("\n"));
    }
    for need in &trial.needs {
        ui.add(Label::new(format!("• {need}")).wrap());
    }
}
