//! A path typed by hand, for systems without a file dialog.

use std::path::{Path, PathBuf};

use egui::{Context, Id, Key, Modal};

use super::Workbench;
use super::prompts::Close;
use crate::jobs::Purpose;

/// An open question for a path.
pub(super) struct TypedPath {
    purpose: Purpose,
    text: String,
}

impl TypedPath {
    pub(super) fn new(purpose: Purpose, suggestion: String) -> Self {
        Self { purpose, text: suggestion }
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
        let mut is_accepted = false;
        let mut is_cancelled = false;
        let modal = Modal::new(Id::unique("typed path")).show(ctx, |ui| {
            ui.set_width(520.0);
            let label = ui.heading(title);
            let edit =
                egui::TextEdit::singleline(&mut typed.text).desired_width(f32::INFINITY).hint_text("/folder/name");
            ui.add(edit).labelled_by(label.id).request_focus();
            // The folder that a window was started in is nothing a user would know.
            let is_given = Path::new(typed.text.trim()).is_absolute();
            let hint = if is_given { "" } else { "Type the whole path, from the root folder on" };
            ui.label(egui::RichText::new(hint).weak());
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let is_clicked = ui.add_enabled(is_given, egui::Button::new(action)).clicked();
                is_accepted = is_clicked || (is_given && ui.input(|input| input.key_pressed(Key::Enter)));
                is_cancelled = ui.button("Cancel").clicked();
            });
        });
        if is_accepted {
            if let Some(typed) = self.typed_path.take() {
                self.chosen(typed.purpose, PathBuf::from(typed.text.trim()));
            }
        } else if is_cancelled || modal.should_close() {
            self.typed_path = None;
            self.close = Close::default();
        }
    }
}
