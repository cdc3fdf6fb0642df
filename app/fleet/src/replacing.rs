//! The question before results of other engines are replaced.

use std::path::PathBuf;
use std::sync::Arc;

use crossover_fleet::Base;
use crossover_page::services::{Question, Services, name_of};
use egui::{Id, Label, Modal};

use super::FleetState;
use super::measured::Measured;

/// Width of the question, in points.
const WIDTH: f32 = 520.0;

/// Logs are to be read into a folder with results of other engines.
pub(super) struct ReplaceResultsQuestion {
    out: PathBuf,
    measured: Measured,
    /// Until the question is answered.
    then: Option<Then>,
}

type Then = Box<dyn FnOnce(&mut Services<'_>, Answer) + Send>;

/// The user's answer.
pub(super) enum Answer {
    /// Measure with the engines of the results.
    WithTheirs(Arc<Base>),
    /// Measure everything with the shipped engines.
    Replace,
    /// Keep the results in another folder.
    Elsewhere,
    /// Read nothing.
    Cancel,
}

impl ReplaceResultsQuestion {
    pub(super) fn new(
        out: PathBuf,
        measured: Measured,
        then: impl FnOnce(&mut Services<'_>, Answer) + Send + 'static,
    ) -> Self {
        Self { out, measured, then: Some(Box::new(then)) }
    }
}

impl Question for ReplaceResultsQuestion {
    fn show(&mut self, services: &mut Services<'_>) -> bool {
        let ctx = services.ctx().clone();
        let base = self.measured.logs().base(services.cache().get::<FleetState>()).cloned();
        let mut answer = None;
        let modal = Modal::new(Id::unique("replace results")).show(&ctx, |ui| {
            ui.set_width(WIDTH);
            ui.heading("Replace the results?");
            let with = match &base {
                Some(base) => format!("with {}", base.titles().join(" against ")),
                None => "with other engines, or by another version of Crossover".to_owned(),
            };
            let text = format!(
                "The results in {} were predicted {with}. Reading logs with the shipped engines replaces them.",
                name_of(&self.out)
            );
            ui.add(Label::new(text).wrap()).on_hover_text(self.out.display().to_string());
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                if let Some(base) = base
                    && ui
                        .button("Read with their engines")
                        .on_hover_text("Keep the results and continue reading")
                        .clicked()
                {
                    answer = Some(Answer::WithTheirs(base));
                }
                if ui.button("Replace them").on_hover_text("Read all logs again").clicked() {
                    answer = Some(Answer::Replace);
                }
                if ui.button("Choose another folder…").clicked() {
                    answer = Some(Answer::Elsewhere);
                }
                if ui.button("Cancel").clicked() {
                    answer = Some(Answer::Cancel);
                }
            });
        });
        let Some(answer) = answer.or_else(|| modal.should_close().then_some(Answer::Cancel)) else { return true };
        if let Some(then) = self.then.take() {
            then(services, answer);
        }
        false
    }
}
