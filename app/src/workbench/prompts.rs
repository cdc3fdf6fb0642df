//! Questions and pages above the window: unsaved edits, recovered work, shortcuts, formulas, about.

use egui::{Context, Id, Modal, RichText, Ui, ViewportCommand};

use super::Workbench;
use crate::command::Command;
use crate::document::Document;
use crate::storage::recovery::Orphan;

/// Pages of the help menu that are open.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shown {
    pub(super) shortcuts: bool,
    pub(super) formulas: bool,
    pub(super) about: bool,
}

/// What is being closed, and whether the user has been asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Close {
    /// Nothing.
    #[default]
    Nothing,
    /// The user is asked about this document; `quit`: the window closes after it.
    Asking { document: String, quit: bool },
    /// The document is being saved, then it closes.
    Saving { document: String, quit: bool },
    /// The window closes without further questions.
    Quit,
}

impl Workbench {
    /// Closes a tab, or asks first.
    pub(super) fn close_tab(&mut self, index: usize) {
        let Some(document) = self.documents.get(index) else { return };
        if document.is_dirty() {
            self.active = index;
            self.close = Close::Asking { document: document.id.clone(), quit: false };
        } else {
            self.remove_tab(index);
        }
    }

    fn remove_tab(&mut self, index: usize) {
        self.documents.remove(index);
        if self.active > index || self.active == self.documents.len() {
            self.active = self.active.saturating_sub(1);
        }
    }

    fn remove_document(&mut self, id: &str) {
        if let Some(index) = self.documents.iter().position(|document| document.id == id) {
            self.remove_tab(index);
        }
    }

    /// A document has been saved: closes it if that is what the user wanted.
    pub(super) fn close_after_save(&mut self, saved: &str) {
        if let Close::Saving { document, quit } = self.close.clone()
            && document == saved
        {
            self.remove_document(saved);
            self.close = Close::Nothing;
            if quit {
                self.commands.push(Command::Quit);
            }
        }
    }

    /// Holds the window open while there are edits that are not saved.
    pub(super) fn guard_close(&mut self, ctx: &Context) {
        if !ctx.input(|input| input.viewport().close_requested()) || self.close == Close::Quit {
            return;
        }
        let dirty = self.documents.iter().position(Document::is_dirty);
        if let Some(index) = dirty {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.active = index;
            self.close = Close::Asking { document: self.documents[index].id.clone(), quit: true };
        } else {
            self.close = Close::Quit;
        }
    }

    pub(super) fn prompts(&mut self, ctx: &Context) {
        self.unsaved_prompt(ctx);
        self.recovery_prompt(ctx);
        self.pages(ctx);
    }

    fn unsaved_prompt(&mut self, ctx: &Context) {
        let Close::Asking { document: id, quit } = self.close.clone() else { return };
        let Some(title) = self.documents.iter().find(|document| document.id == id).map(Document::title) else {
            self.close = Close::Nothing;
            return;
        };
        let modal = Modal::new(Id::unique("unsaved")).show(ctx, |ui| {
            ui.set_width(380.0);
            ui.heading("Save your edits?");
            ui.label(format!("“{title}” has edits that are not saved."));
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                if ui.button("Save").clicked() {
                    self.close = Close::Saving { document: id.clone(), quit };
                    self.save_active();
                }
                if ui.button("Discard edits").clicked() {
                    self.remove_document(&id);
                    self.close = Close::Nothing;
                    if quit {
                        self.commands.push(Command::Quit);
                    }
                }
                if ui.button("Cancel").clicked() {
                    self.close = Close::Nothing;
                }
            });
        });
        if modal.should_close() && matches!(self.close, Close::Asking { .. }) {
            self.close = Close::Nothing;
        }
    }

    /// Offers work that a crashed run left.
    fn recovery_prompt(&mut self, ctx: &Context) {
        if self.orphans.is_empty() {
            return;
        }
        let mut decided: Option<(usize, bool)> = None;
        Modal::new(Id::unique("recovery")).show(ctx, |ui| {
            ui.set_width(520.0);
            ui.heading("Unsaved work was found");
            ui.label("Crossover did not end normally. These edits were not saved:");
            ui.add_space(6.0);
            for (index, orphan) in self.orphans.iter().enumerate() {
                ui.group(|ui| match orphan {
                    Orphan::Document { snapshot, .. } => {
                        ui.label(RichText::new(&snapshot.name).strong());
                        if let Some(path) = &snapshot.path {
                            ui.label(RichText::new(path.display().to_string()).weak());
                        }
                        ui.horizontal(|ui| {
                            if ui.button("Recover").clicked() {
                                decided = Some((index, true));
                            }
                            if ui.button("Throw away").clicked() {
                                decided = Some((index, false));
                            }
                        });
                    }
                    Orphan::Unreadable { file, reason } => {
                        ui.label(file.display().to_string());
                        ui.label(RichText::new(reason).weak());
                        if ui.button("Leave it there").clicked() {
                            decided = Some((index, false));
                        }
                    }
                });
            }
        });
        if let Some((index, recover)) = decided {
            self.decide(index, recover);
        }
    }

    fn decide(&mut self, index: usize, recover: bool) {
        let orphan = self.orphans.remove(index);
        let Orphan::Document { snapshot, .. } = &orphan else { return };
        if recover {
            match crossover_model::scenario::read(&snapshot.text) {
                Ok(scenario) => {
                    let path = snapshot.path.clone();
                    self.add(|id| Document::recovered(id, path, scenario));
                    // Ours first, then theirs goes: the work is on disk at every moment.
                    if let (Some(autosave), Some(document)) = (&self.autosave, self.documents.last()) {
                        autosave.write(super::snapshot(document));
                        self.snapshots.push((document.id.clone(), document.scenario.clone()));
                    }
                }
                Err(error) => {
                    self.notify_error(format!("“{}” cannot be recovered: {error}", snapshot.name));
                    return;
                }
            }
        }
        if let Some(autosave) = &self.autosave {
            autosave.discard(orphan);
        }
    }

    fn pages(&mut self, ctx: &Context) {
        let adapter = self.adapter.clone();
        let page = |title: &str, is_open: &mut bool, content: &mut dyn FnMut(&mut Ui)| {
            if *is_open {
                let size = ctx.content_rect().size();
                egui::Window::new(title)
                    .open(is_open)
                    .default_width((size.x * 0.6).min(760.0))
                    .default_height((size.y * 0.75).min(620.0))
                    .pivot(egui::Align2::CENTER_CENTER)
                    .default_pos(ctx.content_rect().center())
                    .vscroll(true)
                    .show(ctx, |ui| content(ui));
            }
        };
        page("Keyboard shortcuts", &mut self.shown.shortcuts, &mut shortcuts);
        page("Formulas and sources", &mut self.shown.formulas, &mut formulas);
        page("About Crossover", &mut self.shown.about, &mut |ui| about(ui, &adapter));
    }
}

fn shortcuts(ui: &mut Ui) {
    egui::Grid::new("shortcuts").num_columns(2).striped(true).spacing([24.0, 4.0]).show(ui, |ui| {
        for command in Command::listed() {
            if let Some(keys) = command.shortcut() {
                ui.label(command.text());
                ui.label(ui.ctx().format_shortcut(&keys));
                ui.end_row();
            }
        }
    });
}

/// The document of the formulas, as it is in the repository.
fn formulas(ui: &mut Ui) {
    let text = include_str!("../../../docs/MODEL.md");
    let mut in_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        } else if in_code || line.starts_with('|') {
            ui.add(egui::Label::new(RichText::new(line).monospace()).extend());
        } else if let Some(title) = line.strip_prefix("## ").or_else(|| line.strip_prefix("# ")) {
            ui.add_space(6.0);
            ui.heading(title);
        } else if let Some(title) = line.strip_prefix("### ") {
            ui.label(RichText::new(title).strong());
        } else {
            ui.label(line);
        }
    }
}

fn about(ui: &mut Ui, adapter: &str) {
    ui.heading(format!("Crossover {}", env!("CARGO_PKG_VERSION")));
    ui.label("Shows where a GPU starts to pay in a cluster, operator by operator.");
    ui.add_space(6.0);
    ui.label(format!("Drawn by {adapter}"));
    ui.label("MIT or Apache-2.0");
}
