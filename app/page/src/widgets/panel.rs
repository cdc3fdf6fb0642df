//! Panels at the sides of a page with an edge that the user drags. The page keeps their sizes, also for the next start.

use std::ops::RangeInclusive;

use egui::{InnerResponse, Panel, Ui};

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

/// Draws a panel of this width or height, in points, until the user changes it within the range. `name` is its own on the page.
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
    let size = PanelSizes::given(ui.ctx(), name).unwrap_or(usual);
    let shown = panel.resizable(true).default_size(size).size_range(range).show(ui, content);
    let size = shown.response.rect.size();
    PanelSizes::drawn(ui.ctx(), name, if side == Side::Bottom { size.y } else { size.x });
    shown
}
