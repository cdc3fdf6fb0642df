//! Closing a tab or the window: asks about every document with unsaved edits, and acts on the last answer.

use crossover_page::command::{Command, Tool};
use crossover_page::compute::background_drop::BackgroundDrop;
use crossover_page::document::Document;
use crossover_quantity::text::counted;
use egui::{Context, Id, Modal, ViewportCommand};

use super::Workbench;
use super::tab_order::Tab;
use crate::kinds;

/// The state of closing a tab or the window.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Close {
    /// Nothing.
    #[default]
    Nothing,
    /// The user is asked about the first undecided document.
    Asking(Closing),
    /// The first document to save is being saved.
    Saving(Closing),
    /// A question: may running work of a tool be ended: with the tab of this tool, or with the window.
    Working(Option<Tool>),
    /// The window closes without further questions; the edits of these documents are discarded.
    Quit { discarded: Vec<String> },
}

/// The answers so far. Nothing happens before the last one, so that a cancel loses nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Closing {
    target: ClosingTarget,
    undecided: Vec<String>,
    to_save: Vec<String>,
    to_discard: Vec<String>,
    /// The document that was asked about last.
    last_asked: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
enum ClosingTarget {
    Tab(String),
    /// All tabs but this one.
    Others(Tab),
    Window,
}

impl Closing {
    fn new(target: ClosingTarget, undecided: Vec<String>) -> Self {
        Self { target, undecided, to_save: Vec::new(), to_discard: Vec::new(), last_asked: None }
    }
}

impl Close {
    /// Whether the user is kept from doing anything else.
    pub(super) fn is_modal(&self) -> bool {
        matches!(self, Self::Asking(_) | Self::Saving(_) | Self::Working(_))
    }

    /// Whether the user has discarded the edits of this document.
    pub(super) fn is_discarded(&self, document: &str) -> bool {
        matches!(self, Self::Quit { discarded } if discarded.iter().any(|id| id == document))
    }
}

impl Workbench {
    /// Closes a tab, or asks first.
    pub(super) fn close_tab(&mut self, index: usize) {
        let Some(document) = self.documents.get(index) else {
            if let Some(index) = index.checked_sub(self.documents.len()) {
                self.close_tool(index);
            }
            return;
        };
        let id = document.id.clone();
        if document.is_dirty() {
            self.close = Close::Asking(Closing::new(ClosingTarget::Tab(id.clone()), vec![id]));
        } else {
            self.close_document(&id);
        }
    }

    /// Closes all tabs but this one, or asks first. A tool at work stays open.
    pub(super) fn close_others(&mut self, index: usize) {
        let Some(kept) = self.tab_at(index) else { return };
        self.go_on_closing(Closing::new(ClosingTarget::Others(kept), Vec::new()));
    }

    /// Closes all tabs but this one, with the edits that are not saved.
    fn close_now_except(&mut self, kept: &Tab) {
        let others: Vec<String> = self.documents.iter().map(|document| document.id.clone()).collect();
        for id in others.into_iter().filter(|id| *kept != Tab::Document(id.clone())) {
            self.close_document(&id);
        }
        for index in (0..self.tools.len()).rev() {
            let (tool, is_at_work) = (self.tools[index].tool(), self.tools[index].is_at_work());
            if is_at_work && *kept != Tab::Tool(tool) {
                self.notify(format!("{} is busy and stays open", tool.title));
            } else if *kept != Tab::Tool(tool) {
                self.remove_tool(index);
            }
        }
        if let Some(index) = self.position_of(kept) {
            self.show_tab(index);
        }
    }

    /// Documents that are to be closed with edits that are neither saved nor discarded.
    fn undecided(&self, closing: &Closing) -> Vec<String> {
        let is_kept = |id: &String| matches!(&closing.target, ClosingTarget::Others(Tab::Document(kept)) if kept == id);
        let dirty = self.documents.iter().filter(|document| document.is_dirty()).map(|document| document.id.clone());
        dirty.filter(|id| !closing.to_discard.contains(id) && !is_kept(id)).collect()
    }

    /// Holds the window open while there are edits that are not saved.
    pub(super) fn guard_close(&mut self, ctx: &Context) {
        if !ctx.input(|input| input.viewport().close_requested()) {
            return;
        }
        let is_asked = match &self.close {
            Close::Quit { .. } => return,
            Close::Asking(closing) | Close::Saving(closing) => closing.target == ClosingTarget::Window,
            Close::Working(tool) => tool.is_none(),
            Close::Nothing => false,
        };
        if self.typed_in.is_some() {
            // Text typed there may be an unsaved edit.
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.after_fields(ctx, Command::Quit);
            return;
        }
        if self.is_tool_at_work() {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            if !is_asked {
                self.close = Close::Working(None);
            }
            return;
        }
        let dirty: Vec<String> =
            self.documents.iter().filter(|document| document.is_dirty()).map(|document| document.id.clone()).collect();
        if dirty.is_empty() {
            self.close = Close::Quit { discarded: Vec::new() };
            return;
        }
        ctx.send_viewport_cmd(ViewportCommand::CancelClose);
        if !is_asked {
            self.close = Close::Asking(Closing::new(ClosingTarget::Window, dirty));
        }
    }

    /// A document has been saved: goes on with closing if that is what it was saved for.
    pub(super) fn saved_for_closing(&mut self, document: &str) {
        if let Close::Saving(closing) = &self.close
            && closing.to_save.first().is_some_and(|first| first == document)
        {
            let mut closing = closing.clone();
            if self.is_dirty(document) {
                // Edited after the state that was saved.
                closing.undecided.push(closing.to_save.remove(0));
                self.close = Close::Asking(closing);
            } else {
                self.go_on_closing(closing);
            }
        }
    }

    /// A document cannot be saved, or the user has cancelled: the documents stay open.
    pub(super) fn not_saved(&mut self, document: &str) {
        if let Close::Saving(closing) = &self.close
            && closing.to_save.first().is_some_and(|first| first == document)
        {
            self.close = Close::Nothing;
        }
    }

    /// Saves the next document; closes when all are saved.
    fn go_on_closing(&mut self, mut closing: Closing) {
        closing.to_save.retain(|id| self.is_dirty(id));
        if let Some(next) = closing.to_save.first().cloned() {
            self.close = Close::Saving(closing);
            self.save(&next);
            return;
        }
        match &closing.target {
            ClosingTarget::Tab(id) => {
                self.close_document(id);
                self.close = Close::Nothing;
            }
            ClosingTarget::Others(_) | ClosingTarget::Window => {
                // Something may have been opened or edited while the others were saved.
                closing.undecided = self.undecided(&closing);
                if !closing.undecided.is_empty() {
                    self.close = Close::Asking(closing);
                } else if let ClosingTarget::Others(kept) = &closing.target {
                    self.close_now_except(kept);
                    self.close = Close::Nothing;
                } else {
                    self.close = Close::Quit { discarded: closing.to_discard };
                    self.commands.push(Command::Quit);
                }
            }
        }
    }

    fn is_dirty(&self, id: &str) -> bool {
        self.document(id).is_some_and(Document::is_dirty)
    }

    /// Closes a document, which can be opened again.
    fn close_document(&mut self, id: &str) {
        self.note_closed(id);
        self.remove_document(id);
    }

    pub(super) fn remove_document(&mut self, id: &str) {
        if let Some(index) = self.documents.iter().position(|document| document.id == id) {
            drop(BackgroundDrop::new(self.documents.remove(index)));
            self.has_closed_page = true;
            for module in kinds::modules() {
                module.closed(id, &mut self.cache);
            }
            if self.active > index || self.active == self.documents.len() {
                self.active = self.active.saturating_sub(1);
            }
        }
    }

    /// Frees what egui keeps of areas above a closed page and of its animations, by ids that no page has again. Windows that
    /// are open keep their places.
    pub(super) fn forget_closed_page(&mut self, ctx: &Context) {
        if self.has_closed_page && self.page.is_none() && !self.reads.is_reading() && !self.is_modal() {
            self.has_closed_page = false;
            ctx.clear_animations();
            ctx.memory_mut(egui::Memory::reset_areas);
        }
    }

    pub(super) fn closing_prompt(&mut self, ctx: &Context) {
        match self.close.clone() {
            Close::Asking(closing) => self.unsaved_prompt(ctx, closing),
            Close::Working(tool) => self.working_prompt(ctx, tool),
            // A question about the file comes first.
            Close::Saving(closing) if self.typed_path.is_none() => self.saving_prompt(ctx, &closing),
            _ => {}
        }
    }

    fn unsaved_prompt(&mut self, ctx: &Context, mut closing: Closing) {
        closing.undecided.retain(|id| self.is_dirty(id));
        let Some(id) = closing.undecided.first().cloned() else {
            self.go_on_closing(closing);
            return;
        };
        if let Some(index) = self.documents.iter().position(|document| document.id == id) {
            self.active = index;
        }
        let title = self.document(&id).map(|document| document.label().to_owned()).unwrap_or_default();
        let is_import = |id: &String| self.document(id).is_some_and(Document::is_unedited_import);
        let (question, state, discard_it) = if is_import(&id) {
            ("Save this scenario?", "is not in a file yet", "Discard scenario")
        } else {
            ("Save your edits?", "has unsaved edits", "Discard edits")
        };
        let has_import = closing.undecided.iter().any(is_import);
        let discard_them = if has_import { "Discard all" } else { "Discard all edits" };
        let others = closing.undecided.len() - 1;
        let [of_one, of_several] = if closing.undecided.iter().skip(1).any(is_import) {
            ["is not saved", "are not saved"]
        } else {
            ["has unsaved edits", "have unsaved edits"]
        };
        let is_new = closing.last_asked.as_ref() != Some(&id);
        if is_new {
            closing.last_asked = Some(id.clone());
            self.close = Close::Asking(closing.clone());
        }
        let (mut save, mut discard, mut cancel, mut all) = (false, false, false, false);
        let modal = Modal::new(Id::unique("unsaved")).show(ctx, |ui| {
            ui.set_width(380.0);
            ui.heading(question);
            let more = match others {
                0 => String::new(),
                count => {
                    let of_all = if count == 1 { of_one } else { of_several };
                    format!(" {} {of_all}.", counted(count as f64, "more scenario"))
                }
            };
            ui.label(format!("“{title}” {state}.{more}"));
            ui.add_space(8.0);
            ui.horizontal_wrapped(|ui| {
                let first = ui.button("Save");
                // Enter never loses anything, also where the answer before was given with it.
                if is_new {
                    first.request_focus();
                }
                save = first.clicked();
                discard = ui.button(discard_it).clicked();
                if others > 0 {
                    let save_all = ui.button("Save all").clicked();
                    let discard_all = ui.button(discard_them).clicked();
                    (save, discard, all) = (save || save_all, discard || discard_all, save_all || discard_all);
                }
                cancel = ui.button("Cancel").clicked();
            });
        });
        if save || discard {
            let decided = if all { std::mem::take(&mut closing.undecided) } else { vec![closing.undecided.remove(0)] };
            if save { &mut closing.to_save } else { &mut closing.to_discard }.extend(decided);
            if closing.undecided.is_empty() {
                self.go_on_closing(closing);
            } else {
                self.close = Close::Asking(closing);
            }
        } else if cancel || modal.should_close() {
            self.close = Close::Nothing;
        }
    }

    /// Keeps the user from editing what is about to close.
    fn saving_prompt(&mut self, ctx: &Context, closing: &Closing) {
        let Some(title) = closing.to_save.first().and_then(|id| self.document(id)).map(Document::label) else {
            self.close = Close::Nothing;
            return;
        };
        let modal = Modal::new(Id::unique("saving")).show(ctx, |ui| {
            ui.set_width(380.0);
            ui.heading(format!("Saving “{title}”…"));
            ui.button("Do not close").clicked()
        });
        if modal.inner || modal.should_close() {
            self.close = Close::Nothing;
        }
    }
}
