//! What to do next: the configuration of a trial run, and what else it needs.

use crossover_decision::{Decision, Verdict};
use crossover_export::decision::{Trial, trial};
use crossover_query::SparkSettings;
use egui::{CollapsingHeader, Label, RichText, Ui};

/// Draws the next step of a query, with a button that copies its configuration; `today`: the settings of the log; `is_part`: the
/// next step of its application is another one.
pub(super) fn of_query(ui: &mut Ui, decision: &Decision, today: &SparkSettings, is_part: bool) {
    let Some(trial) = of(decision, today) else { return };
    let [title, copies] = if is_part {
        ["Next step for this query alone", "Copy settings of this query"]
    } else {
        ["Next step", "Copy settings"]
    };
    ui.add_space(8.0);
    ui.strong(title);
    ui.add(Label::new(&trial.text).wrap());
    settings(ui, &trial);
    copy(ui, copies, &trial);
    needs(ui, &trial);
}

/// Draws the next step of an application; its settings, often many, are shown on request.
pub(super) fn of_application(ui: &mut Ui, decision: &Decision, today: &SparkSettings) {
    let Some(trial) = of(decision, today) else { return };
    ui.add_space(4.0);
    ui.strong("Next step");
    ui.add(Label::new(&trial.text).wrap());
    copy(ui, "Copy settings", &trial);
    CollapsingHeader::new("Settings and requirements").show(ui, |ui| {
        settings(ui, &trial);
        needs(ui, &trial);
    });
}

fn of(decision: &Decision, today: &SparkSettings) -> Option<Trial> {
    let best = decision.best_option().filter(|_| decision.verdict != Verdict::Stay)?;
    trial(best, decision.verdict, today)
}

fn settings(ui: &mut Ui, trial: &Trial) {
    ui.add(Label::new(RichText::new(trial.settings.join("\n")).monospace()).wrap());
}

fn copy(ui: &mut Ui, text: &str, trial: &Trial) {
    if ui.button(text).clicked() {
        ui.ctx().copy_text(trial.command().join("\n"));
    }
}

fn needs(ui: &mut Ui, trial: &Trial) {
    for need in &trial.needs {
        ui.add(Label::new(format!("• {need}")).wrap());
    }
}
