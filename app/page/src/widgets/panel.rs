//! Panels at the sides of a page with an edge that the user drags. The page keeps their sizes, also for the next start.

use std::ops::RangeInclusive;

use egui::{InnerResponse, Panel, PanelState, Ui};

use crate::page_memory::PanelSizes;

/// Where a panel is on its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// On the left, with a width.
    Left,
    /// On the right, with a width.
    Right,
    /// At the bottom, with a height.
    Bottom,
}

/// Draws a panel. `usual` is its width or height in points, which may change from frame to frame. Once the user has moved the edge, the
/// panel keeps that size, within `range`. `name` is unique on the page.
pub fn show<R>(
    ui: &mut Ui,
    (side, name): (Side, &str),
    usual: f32,
    range: RangeInclusive<f32>,
    content: impl FnOnce(&mut Ui) -> R,
) -> InnerResponse<R> {
    let panel = match side {
        Side::Left => Panel::left(name),
        Side::Right => Panel::right(name),
        Side::Bottom => Panel::bottom(name),
    };
    // egui has the size itself once the panel is drawn.
    if PanelSizes::begins_anew(ui.ctx(), name, usual) {
        let id = ui.make_persistent_id(name);
        ui.data_mut(|data| data.remove::<PanelState>(id));
    }
    let size = PanelSizes::given(ui.ctx(), name).unwrap_or(usual);
    let shown = panel.resizable(true).default_size(size).size_range(range).show(ui, content);
    let size = shown.response.rect.size();
    PanelSizes::drawn(ui.ctx(), name, if side == Side::Bottom { size.y } else { size.x });
    shown
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;

    use super::*;

    #[test]
    fn a_table_is_as_high_as_the_window_leaves_room_for() {
        let mut page = Harness::builder().with_size([800.0, 600.0]).build_ui_state(
            |ui, [usual, drawn]: &mut [f32; 2]| {
                let panel = show(ui, (Side::Bottom, "table"), *usual, 90.0..=500.0, Ui::take_available_space);
                *drawn = panel.response.rect.height();
            },
            [300.0, 0.0],
        );
        for usual in [300.0, 120.0, 300.0] {
            page.state_mut()[0] = usual;
            page.run_steps(2);
            let [_, drawn] = *page.state();
            assert!((drawn - usual).abs() < 1.0, "{drawn} instead of {usual}");
        }
    }
}
