//! The trial of an option in words, made once.

use crossover_export::decision::DecidedTrial;
use crossover_page::widgets::{text_table, warning};
use crossover_quantity::text::Table;
use egui::{Label, RichText, Ui};

/// The measured time beside the predicted one, and the decision before it.
pub(super) struct TrialTexts {
    title: String,
    sentence: String,
    table: Table,
    advice: Option<&'static str>,
    before: String,
}

/// "Trial of RAPIDS, 2 × g6.2xlarge (trial.zstd)".
pub(super) fn title(option: &str, file: &str) -> String {
    format!("Trial of {option} ({file})")
}

impl TrialTexts {
    pub(super) fn new(trial: &DecidedTrial) -> Self {
        Self {
            title: title(&trial.option, &trial.file),
            sentence: trial.sentence(),
            table: trial.table(),
            advice: trial.advice(),
            before: format!("Before the trial: {}", trial.before.sentence()),
        }
    }

    pub(super) fn show(&self, ui: &mut Ui) {
        ui.strong(&self.title);
        ui.add(Label::new(&self.sentence).wrap());
        text_table::show(ui, "trial", &self.table, &[]);
        if let Some(advice) = self.advice {
            warning::show(ui, advice);
        }
        ui.add(Label::new(RichText::new(&self.before).weak()).wrap());
    }
}
