//! Questions above the window, one at a time, and the pages of the help menu: shortcuts, formulas, about.

use egui::{Context, RichText, Ui};

use super::Workbench;
use crate::command::Command;

/// Pages of the help menu that are open.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shown {
    pub(super) shortcuts: bool,
    pub(super) formulas: bool,
    pub(super) about: bool,
}

impl Workbench {
    pub(super) fn prompts(&mut self, ctx: &Context) {
        if !self.replace.is_empty() && self.typed_path.is_none() {
            self.replace_prompt(ctx);
        } else if self.close.is_modal() {
            self.closing_prompt(ctx);
        } else {
            self.recovery_prompt(ctx);
        }
        self.pages(ctx);
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
