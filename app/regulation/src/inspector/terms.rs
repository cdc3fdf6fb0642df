//! The terms of the page, with the lines of the glossary.

use crossover_scenario::glossary::Meaning;
use egui::{Label, RichText, Ui};

pub(super) const VGPU: Meaning = Meaning::term("vGPU");
pub(super) const OUTPUT: Meaning = Meaning::term("controller output");
pub(super) const DEAD_ZONE: Meaning = Meaning::own("Small noise has no effect").and_term("dead zone");

/// The symbols of the page, with their terms.
const SYMBOLS: [(&str, Meaning); 7] = [
    ("n", VGPU),
    ("p_p", Meaning::term("PCIe occupancy")),
    ("p_d", Meaning::term("compute load")),
    ("e", Meaning::term("control error")),
    ("ec", Meaning::term("change of error")),
    ("u", OUTPUT),
    ("u ≈ 0", Meaning::term("dead zone")),
];

/// Draws the symbols with their meaning.
pub(super) fn show(ui: &mut Ui) {
    for (symbol, meaning) in SYMBOLS {
        ui.horizontal_top(|ui| {
            let size = egui::vec2(64.0, 16.0);
            ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Min), |ui| {
                ui.set_min_width(size.x);
                ui.label(RichText::new(symbol).strong());
            });
            ui.add(Label::new(meaning.text()).wrap());
        });
    }
}
