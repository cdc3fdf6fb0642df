//! Files that another window has open, too: a question when one is opened, and before it is saved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_page::document::Document;
use egui::{Context, Id, Modal};

use super::Workbench;

/// Who may save to a file that is open here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// It is being found out.
    Asked,
    /// This window.
    Ours,
    /// Another window; the user has not decided yet.
    Elsewhere,
    /// Another window, and the user leaves it at that.
    ReadOnly,
}

/// Where the file of a document is, once its path was followed.
fn place(document: &Document) -> Option<&PathBuf> {
    document.on_disk.as_ref().map(|file| &file.identity)
}

impl Workbench {
    /// Claims the files of documents that were opened or saved, and gives back those of closed ones.
    pub(super) fn claim_files(&mut self) {
        let Some(files) = self.open_files.clone() else { return };
        let documents = &self.documents;
        let is_open = |file: &PathBuf| documents.iter().any(|document| place(document) == Some(file));
        let closed: Vec<PathBuf> = self.claims.keys().filter(|&file| !is_open(file)).cloned().collect();
        let opened = documents.iter().filter_map(place).filter(|file| !self.claims.contains_key(*file));
        let opened: Vec<PathBuf> = opened.cloned().collect();
        for file in closed {
            self.claims.remove(&file);
            self.jobs.release(Arc::clone(&files), file);
        }
        for file in opened {
            self.claims.insert(file.clone(), Claim::Asked);
            self.jobs.claim(Arc::clone(&files), file, false);
        }
    }

    /// The answer about a file: a file that was closed meanwhile is given back.
    pub(super) fn claimed(&mut self, file: PathBuf, is_ours: bool) {
        if let Some(claim) = self.claims.get_mut(&file) {
            *claim = if is_ours { Claim::Ours } else { Claim::Elsewhere };
        } else if let Some(files) = self.open_files.clone() {
            self.jobs.release(files, file);
        }
    }

    /// A save found that another window has the file.
    pub(super) fn found_elsewhere(&mut self, file: PathBuf) {
        self.claims.insert(file, Claim::Elsewhere);
    }

    /// The file that the user has to decide about.
    pub(super) fn shared(&self) -> Option<&Path> {
        let undecided = self.claims.iter().find(|(_, claim)| **claim == Claim::Elsewhere);
        undecided.map(|(file, _)| file.as_path())
    }

    /// Whether a document is only read here, as another window has its file open.
    pub(super) fn is_read_only(&self, document: &Document) -> bool {
        place(document).and_then(|file| self.claims.get(file)) == Some(&Claim::ReadOnly)
    }

    /// Asks what to do with a file that another window has open.
    pub(super) fn shared_prompt(&mut self, ctx: &Context) {
        let Some(file) = self.shared().map(Path::to_owned) else { return };
        let (mut read_only, mut take_over) = (false, false);
        let modal = Modal::new(Id::unique("shared")).show(ctx, |ui| {
            ui.set_width(460.0);
            ui.heading("The file is open in another window");
            ui.label(file.display().to_string());
            ui.label(
                "Read only: edits here can be saved under another name. Take over: this window saves to the file, and the other \
                 one asks before it does.",
            );
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                read_only = ui.button("Read only").clicked();
                take_over = ui.button("Take over").clicked();
            });
        });
        if take_over {
            if let Some(files) = self.open_files.clone() {
                self.claims.insert(file.clone(), Claim::Asked);
                self.jobs.claim(files, file, true);
            }
        } else if read_only || modal.should_close() {
            self.claims.insert(file, Claim::ReadOnly);
        }
    }
}
