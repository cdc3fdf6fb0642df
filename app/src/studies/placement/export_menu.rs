//! The menu beside a chart that writes it to a file.

use egui::Ui;

use super::Env;
use crate::command::{Command, Picture};

/// Offers the charts of a range as pictures.
pub(super) fn show(ui: &mut Ui, env: &mut Env<'_>, charts: std::ops::Range<usize>, with_curves: bool) {
    ui.menu_button("Export", |ui| {
        for chart in charts.clone() {
            for picture in [Picture::Svg, Picture::Png] {
                let command = Command::ExportChart { chart, picture };
                let text = if charts.len() > 1 {
                    format!("Plot {} as {}…", chart + 1 - charts.start, picture.extension().to_uppercase())
                } else {
                    command.text()
                };
                if ui.button(text).on_hover_text(command.tooltip()).clicked() {
                    env.commands.push(command);
                }
            }
        }
        if with_curves && ui.button(Command::ExportData.text()).clicked() {
            env.commands.push(Command::ExportData);
        }
    });
}
