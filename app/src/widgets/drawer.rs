//! Panels that give their room to the answer in small windows: they become drawers that start closed.

use egui::{Button, Panel, Ui};

/// Width of a page below which what is beside the answer is a drawer, in points.
const NARROW: f32 = 1000.0;
/// Height of a window below which what is below the answer is a drawer, in points.
const LOW: f32 = 600.0;
/// What the answer keeps of a low window while a drawer at the bottom is open, in points.
const ANSWER: f32 = 230.0;
/// Height of a closed drawer at the bottom, and width of one at the left, in points.
const HANDLE: f32 = 30.0;

/// Whether the window is so low that only the answer stays.
pub(crate) fn is_low(ui: &Ui) -> bool {
    ui.ctx().content_rect().height() < LOW
}

/// The panel with all numbers of a study.
pub(crate) fn inspector(ui: &mut Ui, open: bool, content: impl FnOnce(&mut Ui)) {
    left(ui, "inspector", "the inspector: all parameters", open, content);
}

/// The panel on the left. In a narrow page it is a drawer; else `open` says whether it is there.
pub(crate) fn left(ui: &mut Ui, name: &'static str, hint: &str, open: bool, content: impl FnOnce(&mut Ui)) {
    let is_narrow = ui.available_width() < NARROW;
    if !is_narrow {
        if open {
            Panel::left(name).resizable(true).default_size(348.0).size_range(240.0..=560.0).show(ui, content);
        }
        return;
    }
    let id = egui::Id::unique(("drawer", name));
    let mut is_open = ui.data(|data| data.get_temp::<bool>(id)).unwrap_or(false);
    Panel::left(format!("{name}-handle")).exact_size(HANDLE).resizable(false).show(ui, |ui| {
        let (symbol, hint) = if is_open { ("◀", format!("Close {hint}")) } else { ("▶", format!("Open {hint}")) };
        if handle(ui, symbol, &hint) {
            is_open = !is_open;
            ui.data_mut(|data| data.insert_temp(id, is_open));
        }
    });
    if is_open {
        let width = (ui.available_width() - 120.0).clamp(240.0, 300.0);
        Panel::left(name).resizable(true).default_size(width).size_range(240.0..=520.0).show(ui, content);
    }
}

/// The panel at the bottom, usually so high. In a low window it is a drawer that is called by its title.
pub(crate) fn bottom(
    ui: &mut Ui,
    name: &'static str,
    title: &str,
    [least, usual]: [f32; 2],
    content: impl FnOnce(&mut Ui),
) {
    if !is_low(ui) {
        Panel::bottom(name).resizable(true).default_size(usual).size_range(least..=1200.0).show(ui, content);
        return;
    }
    let id = egui::Id::unique(("drawer", name));
    let mut is_open = ui.data(|data| data.get_temp::<bool>(id)).unwrap_or(false);
    Panel::bottom(format!("{name}-handle")).exact_size(HANDLE).resizable(false).show(ui, |ui| {
        let symbol = if is_open { "▼" } else { "▲" };
        if handle(ui, &format!("{symbol} {title}"), if is_open { "Close the table" } else { "Open the table" }) {
            is_open = !is_open;
            ui.data_mut(|data| data.insert_temp(id, is_open));
        }
    });
    if is_open {
        // The answer keeps some of the window.
        let height = (ui.available_height() - ANSWER).min(0.5 * ui.available_height()).max(60.0);
        Panel::bottom(format!("{name}-drawer")).exact_size(height).resizable(false).show(ui, content);
    }
}

fn handle(ui: &mut Ui, text: &str, hint: &str) -> bool {
    ui.add(Button::new(text)).on_hover_text(hint).clicked()
}
