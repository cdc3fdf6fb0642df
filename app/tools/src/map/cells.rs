//! The list of numbers of cells.

use crossover_tools::Range;
use egui::{ComboBox, Role, Ui, WidgetInfo};

/// Values of each number that can be chosen.
const CHOICES: [usize; 6] = [16, 32, 64, 128, 256, 512];

/// The number of cells; whether the user chose it.
pub(super) fn choose(ui: &mut Ui, ranges: &mut [Range; 2]) -> bool {
    let mut is_said = false;
    let now = ranges[0].points;
    let text = |points: usize| format!("{points} × {points} cells");
    let combo = ComboBox::from_id_salt("cells").selected_text(text(now)).show_ui(ui, |ui| {
        for points in CHOICES {
            if ui.selectable_label(points == now, text(points)).clicked() {
                is_said = true;
                for range in ranges.iter_mut() {
                    range.points = points;
                }
            }
        }
    });
    combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "cells"));
    is_said
}
