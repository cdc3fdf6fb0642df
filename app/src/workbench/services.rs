//! The services that kinds of studies request.

use crossover_page::desk::{Desk, Tone, Wish};

use super::answer::Answer;
use super::handle::file_name;
use super::purpose::Purpose;
use super::{Notice, Workbench};
use crate::jobs::Content;
use crate::kinds;

impl Workbench {
    /// Runs a function of a kind of study, then carries out the effects that it requested.
    pub(super) fn at_desk<T>(&mut self, act: impl FnOnce(&mut Desk<'_>) -> T) -> T {
        let mut wishes = Vec::new();
        let result = act(&mut Desk {
            ctx: self.jobs.window().clone(),
            documents: &mut self.documents,
            active: &mut self.active,
            next_id: &mut self.next_id,
            make_page: kinds::page,
            shelf: &mut self.shelf,
            wishes: &mut wishes,
        });
        for wish in wishes {
            self.grant(wish);
        }
        result
    }

    fn grant(&mut self, wish: Wish) {
        match wish {
            Wish::Notify(text, Tone::Short) => self.notify(text),
            Wish::Notify(text, Tone::Lasting) => self.notices.push(Notice { text, is_error: false, until: None }),
            Wish::Notify(text, Tone::Error) => self.notify_error(text),
            Wish::Pick { pick, is_typed, then } => self.pick(pick, is_typed, then),
            Wish::Save { title, what, extension, text } => {
                let of = self.active().map(|document| format!("{}-", file_name(&document.title()))).unwrap_or_default();
                let name = format!("{of}{what}.{extension}");
                self.ask(Purpose::Export(Content::Made(text)), title, extension, name);
            }
            Wish::Work { name, work } => self.jobs.work(name, move || Answer::Then(work())),
            Wish::Read(read) => self.reads.add(read),
            Wish::Ask(question) => self.questions.push_back(question),
            Wish::ShowTool(tool) => {
                let ctx = self.jobs.window().clone();
                self.show_tool(&ctx, tool);
            }
        }
    }

    /// Shows the first question of the queue.
    pub(super) fn question(&mut self) {
        let Some(mut question) = self.questions.pop_front() else { return };
        if self.at_desk(|desk| question.show(desk)) {
            self.questions.push_front(question);
        } else {
            // The work that waited for the answer continues in the next frame.
            self.jobs.window().request_repaint();
        }
    }
}
