//! Saving a document: the path, and the question before another file is replaced.

use std::path::PathBuf;

use egui::{Context, Id, Modal};

use super::Workbench;
use super::purpose::Purpose;
use super::typed_path::TypedPath;
use crate::jobs::{OtherTab, Save, Saved};

/// A save that waits for the user, because it would replace a file.
pub(super) struct Replace {
    document: String,
    path: PathBuf,
    is_changed: bool,
}

impl Workbench {
    /// Saves a document to its file, or asks for one.
    pub(super) fn save(&mut self, id: &str) {
        match self.document(id).and_then(|document| document.path.clone()) {
            Some(path) => self.save_to(id, path, false),
            None => self.save_as(id),
        }
    }

    /// Asks for a file and saves there.
    pub(super) fn save_as(&mut self, id: &str) {
        if let Some(document) = self.document(id) {
            let name = format!("{}.ron", super::handle::file_name(&document.title()));
            self.ask(Purpose::SaveAs { document: id.to_owned() }, "Save the scenario", "ron", name);
        }
    }

    /// Saves a document to a file; `may_replace`: the user knows that there is one.
    pub(super) fn save_to(&mut self, id: &str, path: PathBuf, may_replace: bool) {
        let Some(document) = self.document(id) else { return };
        let (scenario, known) = (document.scenario.clone(), document.on_disk.clone());
        let others = self.documents.iter().filter(|other| other.id != id);
        let others = others.filter_map(|other| {
            let identity = other.file_identity()?.to_owned();
            Some(OtherTab { document: other.id.clone(), title: other.label().to_owned(), identity })
        });
        let others = others.collect();
        let open_files = self.open_files.clone();
        self.jobs.save(Save { document: id.to_owned(), path, scenario, known, others, may_replace, open_files });
    }

    /// Asks for a path to save the active document to.
    pub(super) fn type_save_path(&mut self) {
        if let Some(document) = self.active() {
            let path = document.path.as_ref().map_or_else(String::new, |path| path.display().to_string());
            let purpose = Purpose::SaveAs { document: document.id.clone() };
            self.typed_path = Some(TypedPath::new(purpose, "ron", path));
        }
    }

    /// A save has ended.
    pub(super) fn saved(&mut self, id: &str, outcome: Saved) {
        match outcome {
            Saved::Done(file, scenario) => {
                self.settings.recent.push(&file);
                // An earlier failure, such as a full disk, holds no longer.
                let failure = format!("cannot save {}:", file.path.display());
                self.notices.retain(|notice| !notice.text.starts_with(&failure));
                self.notify(format!("Saved {}", file.path.display()));
                if let Some(document) = self.documents.iter_mut().find(|document| document.id == id) {
                    document.mark_saved(file, *scenario);
                }
                self.saved_for_closing(id);
            }
            Saved::WouldReplace { path, is_changed } => {
                self.replace.retain(|other| other.document != id);
                self.replace.push(Replace { document: id.to_owned(), path, is_changed });
            }
            Saved::Elsewhere(file) => {
                self.not_saved(id);
                self.notify("Not saved: another window has the file open");
                self.found_elsewhere(file);
            }
            Saved::Failed(problem) => {
                self.not_saved(id);
                self.notify_error(problem);
            }
        }
    }

    /// Asks before a file is replaced that the user may not know.
    pub(super) fn replace_prompt(&mut self, ctx: &Context) {
        let Some(question) = self.replace.first() else { return };
        let title = self.document(&question.document).map(|document| document.label().to_owned());
        let Some(title) = title else {
            self.replace.remove(0);
            return;
        };
        let (mut replace, mut elsewhere, mut cancel) = (false, false, false);
        let modal = Modal::new(Id::unique("replace")).show(ctx, |ui| {
            ui.set_width(460.0);
            ui.heading("Replace the file?");
            let path = question.path.display();
            ui.label(if question.is_changed {
                format!("{path} was changed by another program after “{title}” was opened or saved.")
            } else {
                format!("{path} already exists and may not be an older version of “{title}”.")
            });
            ui.label("Replacing it deletes its current content.");
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                replace = ui.button("Replace").clicked();
                elsewhere = ui.button("Keep both: save as…").clicked();
                cancel = ui.button("Cancel").clicked();
            });
        });
        if !(replace || elsewhere || cancel || modal.should_close()) {
            return;
        }
        let Replace { document, path, .. } = self.replace.remove(0);
        if replace {
            self.save_to(&document, path, true);
        } else if elsewhere {
            self.save_as(&document);
        } else {
            self.not_saved(&document);
        }
    }
}
