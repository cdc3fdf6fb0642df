//! Everything that reaches the window between two frames: events of jobs, dropped files, keys.

use std::path::PathBuf;

use crossover_files::extension;
use crossover_page::command::Command;
use crossover_page::compute::background_drop::BackgroundDrop;
use crossover_page::document::Document;
use crossover_page::storage::scenario::Loaded;
use crossover_page::study_module::StudyModule;
use crossover_page::tool::ToolPage;
use egui::{Context, Event as Input, Key};

use super::answer::Answer;
use super::{Workbench, listed};
use crate::jobs::Event;
use crate::kinds;

impl Workbench {
    /// Processes the events since the last frame.
    pub(super) fn receive(&mut self, ctx: &Context) {
        self.receive_from_tools();
        for event in self.jobs.events() {
            self.take(event);
        }
        self.note_typing(ctx);
        self.count_frames(ctx);
        let dropped: Vec<PathBuf> =
            ctx.input(|input| input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect());
        if !self.is_modal() {
            let commands = dropped.into_iter().map(|path| self.dropped_file(path)).collect::<Vec<_>>();
            self.commands.extend(commands);
            if let Some(command) = listed::pressed(ctx, self.typed_in.is_some()) {
                self.after_fields(ctx, command);
            }
        } else if !dropped.is_empty() {
            self.notify("Answer the question first, then drop the file again");
        }
    }

    /// Whether a question waits for its answer, so that nothing else is done.
    pub(super) fn is_modal(&self) -> bool {
        self.palette.is_some()
            || self.typed_path.is_some()
            || self.pasted_link.is_some()
            || self.close.is_modal()
            || !self.replace.is_empty()
            || self.shared().is_some()
            || !self.questions.is_empty()
            || !self.offers.is_empty()
            || self.active_tool().is_some_and(ToolPage::is_modal)
    }

    /// Carries out a command after the focused field has applied its text: a field does that in the frame after it loses
    /// the focus.
    pub(super) fn after_fields(&mut self, ctx: &Context, command: Command) {
        const FRAMES: u8 = 2;
        if !command.needs_fields() || self.frames_since_field >= FRAMES {
            self.commands.push(command);
            return;
        }
        if let Some(field) = ctx.memory(egui::Memory::focused) {
            ctx.memory_mut(|memory| memory.surrender_focus(field));
        }
        self.waiting.push((FRAMES, command));
        ctx.request_repaint();
    }

    fn count_frames(&mut self, ctx: &Context) {
        self.frames_since_field =
            if self.focused_field(ctx).is_some() { 0 } else { self.frames_since_field.saturating_add(1) };
        for (frames, _) in &mut self.waiting {
            *frames -= 1;
        }
        let due = self.waiting.extract_if(.., |(frames, _)| *frames == 0);
        self.commands.extend(due.map(|(_, command)| command));
        if !self.waiting.is_empty() {
            ctx.request_repaint();
        }
    }

    /// The field for text or a number that has the keyboard. Of fields on pages only these know.
    pub(super) fn focused_field(&self, ctx: &Context) -> Option<egui::Id> {
        let is_on_page = |field| {
            self.documents.iter().any(|document| document.view.has_field(field))
                || self.tools.iter().any(|tool| tool.has_field(field))
        };
        ctx.memory(egui::Memory::focused).filter(|field| ctx.text_edit_focused() || is_on_page(*field))
    }

    /// A field that has been typed into takes undo for its own text; one that only has the focus does not.
    fn note_typing(&mut self, ctx: &Context) {
        let focused = self.focused_field(ctx);
        let is_typed = |event: &Input| match event {
            Input::Text(_) | Input::Paste(_) | Input::Cut | Input::Ime(_) => true,
            Input::Key { key, pressed, .. } => *pressed && matches!(key, Key::Backspace | Key::Delete),
            _ => false,
        };
        if focused.is_none() || focused != self.typed_in {
            self.typed_in = focused.filter(|_| ctx.input(|input| input.events.iter().any(is_typed)));
        }
    }

    pub(super) fn take(&mut self, event: Event<Answer>) {
        match event {
            Event::Opened(Ok(loaded)) => self.opened(*loaded),
            Event::Opened(Err(problem)) => self.notify_unopened(problem),
            Event::Imported(path) => {
                let import = self.import_of(path);
                self.commands.push(import);
            }
            Event::Saved { document, outcome } => self.saved(&document, outcome),
            // A dialog of the system has asked about an existing file itself.
            Event::Answer(Answer::Chosen(purpose, Some(path))) => self.chosen(purpose, path, true),
            Event::Answer(Answer::Chosen(purpose, None)) => {
                if let Some(document) = purpose.document() {
                    self.not_saved(document);
                }
            }
            Event::Answer(Answer::Then(then)) => self.with_services(then),
            Event::Answer(Answer::Reopened(files, settings)) => self.reopened(files, settings),
            Event::Answer(Answer::Recovered(work)) => self.recovered(work),
            Event::Located { document, file } => self.located(&document, file),
            Event::Answer(Answer::Runs(answer)) => self.take_runs(answer),
            Event::Copied { text, what } => {
                self.jobs.window().copy_text(text);
                self.notify(format!("Copied {what}"));
            }
            Event::Claimed { file, is_ours } => self.claimed(file, is_ours),
            Event::Released => {}
            Event::Recent(files) => self.recent_files = files,
            Event::Written { path, result: Ok(()) } => self.notify(format!("Wrote {}", path.display())),
            Event::Written { path, result: Err(problem) } => {
                self.notify_error(format!("{}: {problem}", path.display()));
            }
            Event::Problem { document, problem } => {
                if let Some(document) = document {
                    self.not_saved(&document);
                }
                self.notify_error(problem);
            }
        }
    }

    /// Shows a scenario that was read, in the tab of its file or in a new one.
    pub(super) fn opened(&mut self, Loaded { file, front, scenario }: Loaded) {
        self.forget_unopened();
        if let Some(front) = front {
            self.opened_from_link(scenario, &front);
            return;
        }
        let Some(file) = file else {
            self.add(|id| Document::new(kinds::page, id, None, scenario));
            return;
        };
        self.settings.recent.push(&file);
        let read = file.clone();
        match self.documents.iter().position(|document| document.is_of(&file)) {
            Some(index) if !self.documents[index].is_dirty() => {
                self.active = index;
                let id = self.documents[index].id.clone();
                let mut document = Document::opened(kinds::page, id, file, scenario);
                let before = &self.documents[index];
                if before.has_unsaved_views() {
                    document.set_views(&before.scenario.views);
                }
                drop(BackgroundDrop::new(std::mem::replace(&mut self.documents[index], document)));
                self.take_settings(index, &read);
            }
            Some(index) => {
                self.active = index;
                self.notify("This file is already open and has unsaved edits");
            }
            None => {
                self.add(|id| Document::opened(kinds::page, id, file, scenario));
                self.take_settings(self.documents.len() - 1, &read);
            }
        }
    }

    /// The command for a dropped file: a scenario by its extension, else an import, of the kind on screen first.
    pub(super) fn dropped_file(&self, path: PathBuf) -> Command {
        if extension::is_one_of(&path, &["ron"]) {
            return Command::OpenPath(path);
        }
        self.import_of(path)
    }

    /// The command that imports a file or a folder.
    fn import_of(&self, path: PathBuf) -> Command {
        let on_screen = self.active().map(|document| &*document.scenario);
        let request = self.modules_for_files().find_map(|module| module.dropped(&path, on_screen));
        Command::Ask(request.unwrap_or_else(|| kinds::dropped(path)))
    }

    /// What can be imported from a dropped file, with articles.
    pub(super) fn imports(&self) -> Vec<&'static str> {
        let on_screen = self.active().map(|document| &*document.scenario);
        self.modules_for_files().filter_map(|module| module.imports(on_screen)).collect()
    }

    /// The modules in the order in which they may import a file.
    fn modules_for_files(&self) -> impl Iterator<Item = &'static dyn StudyModule> {
        let first = self.active().map(|document| document.scenario.study.kind());
        let others = kinds::modules().filter(move |module| Some(module.template().kind) != first);
        first.map(kinds::module).into_iter().chain(others)
    }
}
