//! Asks the user for a file: in a dialog of the system, or for its path where there is none.

use std::path::PathBuf;

use crossover_page::services::{Pick, Target, ThenPath};

use super::Workbench;
use super::answer::Answer;
use super::purpose::Purpose;
use super::typed_path::TypedPath;
use crate::jobs::{Dialog, DialogTarget};

impl Workbench {
    /// Asks for a file with this extension in a dialog, or for its path where there is none.
    pub(super) fn ask(&mut self, purpose: Purpose, title: &'static str, extension: &'static str, file_name: String) {
        if !self.has_file_dialog {
            let suggestion = if purpose.reads() { file_name } else { self.beside_the_scenario(&file_name) };
            self.typed_path = Some(TypedPath::new(purpose, extension, suggestion));
            return;
        }
        let target = if purpose.reads() { DialogTarget::File } else { DialogTarget::Name(file_name) };
        self.show_dialog(purpose, Dialog { title, filter: Some((extension, vec![extension])), target });
    }

    /// A name in the folder of the scenario on screen, or in the user's own.
    fn beside_the_scenario(&self, name: &str) -> String {
        let folder = self.active().and_then(|document| document.path.as_deref()?.parent());
        match folder {
            Some(folder) if folder.is_absolute() => folder.join(name).display().to_string(),
            _ => format!("~{}{name}", std::path::MAIN_SEPARATOR),
        }
    }

    /// Asks for a file for a kind of study.
    pub(super) fn pick(&mut self, pick: Pick, is_typed: bool, then: ThenPath) {
        let purpose = Purpose::Pick(pick, then);
        if is_typed || !self.has_file_dialog {
            self.typed_path = Some(TypedPath::new(purpose, "", String::new()));
            return;
        }
        let is_folder = matches!(pick.target, Target::Folder | Target::FolderOrAddress(_));
        let target = if is_folder { DialogTarget::Folder } else { DialogTarget::File };
        let filter = pick.filter.map(|(name, extensions)| (name, extensions.to_vec()));
        self.show_dialog(purpose, Dialog { title: pick.title, filter, target });
    }

    fn show_dialog(&mut self, purpose: Purpose, dialog: Dialog) {
        let document = purpose.document().map(str::to_owned);
        self.jobs.ask(document, dialog, move |path| Answer::Chosen(purpose, path));
    }

    /// What to do with a file that the user chose; `may_replace`: the user knows that there is one.
    pub(super) fn chosen(&mut self, purpose: Purpose, path: PathBuf, may_replace: bool) {
        match purpose {
            Purpose::Open => self.jobs.open(path),
            Purpose::SaveAs { document } => self.save_to(&document, path, may_replace),
            Purpose::Export(content) => self.jobs.export(path, content),
            Purpose::Pick(_, then) => self.with_services(|services| then(services, path)),
        }
    }
}
