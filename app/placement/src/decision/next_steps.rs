//! What to do next: the configuration of a trial run, and what else it needs.

use crossover_decision::{Decision, Verdict};
use crossover_export::decision::trial;
use crossover_query::SparkSettings;
use egui::{Label, RichText, Ui};

/// Draws the next step, with a button that copies its configuration; `today`: the settings of the log.
pub(super) fn show(ui: &mut Ui, decision: &Decision, today: &SparkSettings) {
    let Some(best) = decision.best_option().filter(|_| decision.verdict != Verdict::Stay) else { return };
    let Some(trial) = trial(best, decision.verdict, today) else { return };
    ui.add_space(8.0);
    ui.strong("Next step");
    ui.add(Label::new(trial.text).wrap());
    ui.add(Label::new(RichText::new(trial.settings.join("\n")).monospace()).wrap());
    if ui.button("Copy settings").clicked() {
        ui.ctx().copy_text(trial.settings.join("\n"));
    }
    for need in trial.needs {
        ui.add(Label::new(format!("• {need}")).wrap());
    }
}
