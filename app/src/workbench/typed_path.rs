//! A path typed by hand, for systems without a file dialog.

use std::path::PathBuf;

use egui::{Context, Id, Key, Modal};

use super::Workbench;
use crate::command::Command;

/// An open question for a path.
pub(super) struct TypedPath {
    text: String,
    saves: bool,
}

impl TypedPath {
    pub(super) fn to_open() -> Self {
        Self { text: String::new(), saves: false }
    }

    pub(super) fn to_save(path: Option<PathBuf>) -> Self {
        Self { text: path.map_or_else(String::new, |path| path.display().to_string()), saves: true }
    }
}

impl Workbench {
    pub(super) fn typed_path(&mut self, ctx: &Context) {
        let Some(typed) = &mut self.typed_path else { return };
        let (title, action) = if typed.saves { ("Save to path", "Save") } else { ("Open by path", "Open") };
        let mut is_accepted = false;
        let mut is_cancelled = false;
        let modal = Modal::new(Id::unique("typed path")).show(ctx, |ui| {
            ui.set_width(520.0);
            let label = ui.heading(title);
            let edit = egui::TextEdit::singleline(&mut typed.text).desired_width(f32::INFINITY).hint_text("folder/name.ron");
            ui.add(edit).labelled_by(label.id).request_focus();
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let is_given = !typed.text.trim().is_empty();
                let is_clicked = ui.add_enabled(is_given, egui::Button::new(action)).clicked();
                is_accepted = is_clicked || (is_given && ui.input(|input| input.key_pressed(Key::Enter)));
                is_cancelled = ui.button("Cancel").clicked();
            });
        });
        if is_accepted {
            let path = PathBuf::from(typed.text.trim());
            self.commands.push(if typed.saves { Command::SaveTo(path) } else { Command::OpenPath(path) });
        }
        if is_accepted || is_cancelled || modal.should_close() {
            self.typed_path = None;
        }
    }
}
