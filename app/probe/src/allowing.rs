//! The question before programs that a scenario names are started.

use crossover_files::programs::Programs;
use crossover_page::services::{Question, Services};
use crossover_quantity::text::{counted, one_line};
use egui::{Id, Label, Modal, RichText, ScrollArea};

/// Width of the question, in points.
const WIDTH: f32 = 560.0;
/// Height of the list of programs, in points.
const HEIGHT: f32 = 240.0;

/// A probe has programs that the user has not allowed yet.
pub(super) struct AllowProgramsQuestion {
    /// Until the question is answered.
    programs: Option<Programs>,
    /// The centres that start them: "north, over SSH, host login".
    places: Vec<String>,
    then: Option<Then>,
}

type Then = Box<dyn FnOnce(&mut Services<'_>, Programs) + Send>;

impl AllowProgramsQuestion {
    /// `then` is called if the user allows them.
    pub(super) fn new(
        programs: Programs,
        places: Vec<String>,
        then: impl FnOnce(&mut Services<'_>, Programs) + Send + 'static,
    ) -> Self {
        Self { programs: Some(programs), places, then: Some(Box::new(then)) }
    }
}

impl Question for AllowProgramsQuestion {
    fn show(&mut self, services: &mut Services<'_>) -> bool {
        let Some(programs) = &self.programs else { return false };
        let ctx = services.ctx().clone();
        let mut answer = None;
        let modal = Modal::new(Id::unique("allow programs")).show(&ctx, |ui| {
            ui.set_width(WIDTH);
            ui.heading("Run the programs of this scenario?");
            let lines = programs.lines();
            let text = format!(
                "The probe starts {} in {}, with all your permissions. Run them only if you trust the source of the scenario.",
                counted(lines.len() as f64, "program"),
                one_line(&programs.folder().to_string_lossy())
            );
            ui.add(Label::new(text).wrap());
            ui.add_space(4.0);
            ScrollArea::vertical().max_height(HEIGHT).show(ui, |ui| {
                for line in lines {
                    ui.add(Label::new(RichText::new(line).monospace()).wrap());
                }
            });
            ui.add_space(4.0);
            ui.label("They run at:");
            ScrollArea::vertical().id_salt("places").max_height(HEIGHT / 2.0).show(ui, |ui| {
                for place in &self.places {
                    ui.add(Label::new(one_line(place)).wrap());
                }
            });
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                if ui.button("Run programs").on_hover_text("They are then allowed in the working folder").clicked() {
                    answer = Some(true);
                }
                if ui.button("Cancel").clicked() {
                    answer = Some(false);
                }
            });
        });
        let Some(is_allowed) = answer.or_else(|| modal.should_close().then_some(false)) else { return true };
        if let (true, Some(then), Some(programs)) = (is_allowed, self.then.take(), self.programs.take()) {
            then(services, programs);
        }
        false
    }
}
