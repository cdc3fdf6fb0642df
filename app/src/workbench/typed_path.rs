//! A path typed by hand, for systems without a file dialog.

use std::path::{Path, PathBuf};

use egui::{Context, Id, Key, Modal};

use super::Workbench;
use crate::jobs::Purpose;

/// An open question for a path.
pub(super) struct TypedPath {
    purpose: Purpose,
    text: String,
    /// The text for which the disk was looked at last, and whether there is a file to be replaced.
    looked_at: Option<(String, bool)>,
    is_focused: bool,
}

impl TypedPath {
    pub(super) fn new(purpose: Purpose, suggestion: String) -> Self {
        Self { purpose, text: suggestion, looked_at: None, is_focused: false }
    }

    /// Whether the path is a file that would be replaced; looks at the disk when the text has changed.
    fn replaces(&mut self) -> bool {
        if matches!(self.purpose, Purpose::Open) {
            return false;
        }
        match &self.looked_at {
            Some((text, replaces)) if *text == self.text => *replaces,
            _ => {
                let path = Path::new(self.text.trim());
                let replaces = path.is_absolute() && path.exists();
                self.looked_at = Some((self.text.clone(), replaces));
                replaces
            }
        }
    }
}

impl Workbench {
    pub(super) fn typed_path(&mut self, ctx: &Context) {
        let Some(typed) = &mut self.typed_path else { return };
        let (title, action) = match typed.purpose {
            Purpose::Open => ("Open by path", "Open"),
            Purpose::SaveAs { .. } => ("Save to path", "Save"),
            Purpose::Export(_) => ("Export to path", "Export"),
        };
        let mut replaces = false;
        let mut is_accepted = false;
        let mut is_cancelled = false;
        let modal = Modal::new(Id::unique("typed path")).show(ctx, |ui| {
            ui.set_width(520.0);
            let label = ui.heading(title);
            let edit =
                egui::TextEdit::singleline(&mut typed.text).desired_width(f32::INFINITY).hint_text("/folder/name");
            let edit = ui.add(edit).labelled_by(label.id);
            if !typed.is_focused {
                edit.request_focus();
                typed.is_focused = edit.has_focus();
            }
            // The folder that a window was started in is nothing a user would know.
            let is_given = Path::new(typed.text.trim()).is_absolute();
            replaces = typed.replaces();
            let hint = match (is_given, replaces) {
                (false, _) => "Type the whole path, from the root folder on",
                (true, true) => "This file exists; replacing it loses what is in it",
                (true, false) => "",
            };
            ui.label(egui::RichText::new(hint).weak());
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let button = ui.add_enabled(is_given, egui::Button::new(if replaces { "Replace" } else { action }));
                let is_entered = edit.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                is_accepted = button.clicked() || (is_given && !replaces && is_entered);
                is_cancelled = ui.button("Cancel").clicked();
            });
        });
        if is_accepted {
            if let Some(typed) = self.typed_path.take() {
                self.chosen(typed.purpose, PathBuf::from(typed.text.trim()), replaces);
            }
        } else if (is_cancelled || modal.should_close())
            && let Some(typed) = self.typed_path.take()
            && let Some(document) = typed.purpose.document()
        {
            self.not_saved(document);
        }
    }
}
