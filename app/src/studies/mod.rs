//! How each kind of study looks in the window, and what it can do there; one room for each. `kinds.rs` finds them.

mod export_menu;
mod headline;
pub mod placement;
pub mod regulation;

use egui::{Panel, Ui};

use crate::page::Env;

/// Width below which an inspector is a drawer that starts closed.
const NARROW: f32 = 1000.0;

/// The panel on the left; in a narrow window a drawer that the user opens.
fn inspector_panel(ui: &mut Ui, drawer_open: &mut bool, inspector_open: bool, content: impl FnOnce(&mut Ui)) {
    let is_narrow = ui.available_width() < NARROW;
    let open = if is_narrow { *drawer_open } else { inspector_open };
    if is_narrow {
        Panel::left("drawer-handle").exact_size(30.0).resizable(false).show(ui, |ui| {
            let (symbol, hint) =
                if open { ("◀", "Close the inspector") } else { ("▶", "Open the inspector: all parameters") };
            if ui.button(symbol).on_hover_text(hint).clicked() {
                *drawer_open = !*drawer_open;
            }
        });
    }
    if open {
        let size = if is_narrow { 300.0 } else { 348.0 };
        Panel::left("inspector").resizable(true).default_size(size).size_range(280.0..=520.0).show(ui, content);
    }
}
