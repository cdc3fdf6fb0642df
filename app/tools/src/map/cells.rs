//! The list to choose the number of cells from, and how many cells are computed.

use crossover_tools::Range;
use egui::{ComboBox, Role, Ui, WidgetInfo};

/// Values of each number that can be chosen.
const CHOICES: [usize; 6] = [16, 32, 64, 128, 256, 512];

/// Draws the list; returns whether the user chose a number. `is_upper_limit`: fewer cells are shown, because more would take long.
pub(super) fn choose(ui: &mut Ui, ranges: &mut [Range; 2], is_upper_limit: bool) -> bool {
    let mut is_said = false;
    let now = ranges[0].points;
    let text = |points: usize| format!("{points} × {points} cells");
    let selected = if is_upper_limit { format!("up to {}", text(now)) } else { text(now) };
    let combo = ComboBox::from_id_salt("cells").selected_text(selected).show_ui(ui, |ui| {
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

/// The number of cells on screen and of all cells; `None` if all are on screen.
pub(super) fn progress(shown: [usize; 2], all: [usize; 2], is_refining: bool) -> Option<String> {
    let [[columns, rows], [all_columns, all_rows]] = [shown, all];
    let counts = format!("{columns} × {rows} of {all_columns} × {all_rows} cells");
    (shown != all).then(|| {
        if is_refining {
            format!("{counts} so far")
        } else {
            format!("{counts}, to save time; choose a number of cells on the left to compute all")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::progress;

    #[test]
    fn cells_are_counted_until_all_are_shown() {
        assert_eq!(progress([12, 12], [64, 64], true).as_deref(), Some("12 × 12 of 64 × 64 cells so far"));
        let ended = progress([24, 24], [64, 64], false).expect("fewer than all");
        assert!(ended.starts_with("24 × 24 of 64 × 64 cells, to save time;"), "{ended}");
        assert_eq!(progress([64, 8], [64, 8], true), None);
    }
}
