//! The services that kinds of studies request.

use crossover_page::services::{OpenDocuments, Services, SideEffect, Tone};

use super::Workbench;
use super::answer::Answer;
use super::handle::file_name;
use super::purpose::Purpose;
use crate::jobs::Content;
use crate::kinds;

impl Workbench {
    /// Runs a function of a kind of study, then carries out the effects that it requested.
    pub(super) fn with_services<T>(&mut self, act: impl FnOnce(&mut Services<'_>) -> T) -> T {
        let mut effects = Vec::new();
        let open = OpenDocuments {
            documents: &mut self.documents,
            active: &mut self.active,
            ids: &mut self.ids,
            make_page: kinds::page,
        };
        let ctx = self.jobs.window().clone();
        let result = act(&mut Services::new(ctx, open, &mut self.cache, &mut effects));
        for effect in effects {
            self.apply_effect(effect);
        }
        result
    }

    fn apply_effect(&mut self, effect: SideEffect) {
        match effect {
            SideEffect::Notify(text, Tone::Short) => self.notify(text),
            SideEffect::Notify(text, Tone::Lasting) => self.notify_lasting(text),
            SideEffect::Notify(text, Tone::Error) => self.notify_error(text),
            SideEffect::Pick { pick, is_typed, then } => self.pick(pick, is_typed, then),
            SideEffect::Save { title, what, extension, text } => {
                let of = self.active().map(|document| format!("{}-", file_name(&document.title()))).unwrap_or_default();
                let name = format!("{of}{what}.{extension}");
                self.ask(Purpose::Export(Content::Text(text)), title, extension, name);
            }
            SideEffect::Work { name, work } => self.jobs.work(name, move || Answer::Then(work())),
            SideEffect::Read(read) => self.reads.add(read),
            SideEffect::Ask(question) => self.questions.push_back(question),
            SideEffect::ShowTool(tool) => {
                let ctx = self.jobs.window().clone();
                self.show_tool(&ctx, tool);
            }
        }
    }

    /// Shows the first question of the queue.
    pub(super) fn question(&mut self) {
        let Some(mut question) = self.questions.pop_front() else { return };
        if self.with_services(|services| question.show(services)) {
            self.questions.push_front(question);
        } else {
            // The work that waited for the answer continues in the next frame.
            self.jobs.window().request_repaint();
        }
    }
}
