//! Both charts of the samples on the screen.

use crossover_chart::screen::{self, Gesture};
use crossover_page::widgets::beside;
use egui::{RichText, Ui};

use super::state::State;

/// Least and largest height of a chart, in points.
const HEIGHTS: [f32; 2] = [150.0, 420.0];
/// Height of the other widgets of the section, in points.
const AROUND: f32 = 170.0;
/// A narrower chart has no room for its labels, in points.
const NARROWEST: f32 = 330.0;

/// Draws both charts, side by side where there is room.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    let device = state.device;
    let columns = beside::fitting(ui, NARROWEST, 2);
    // The remaining height, so that the section fits without scrolling.
    let rows = if columns == 2 { 1.0 } else { 2.0 };
    let height = ((ui.available_height() - AROUND) / rows).clamp(HEIGHTS[0], HEIGHTS[1]);
    let (charts, pinned_seconds) = (&state.charts, state.pinned_seconds);
    let mut pinned = None;
    beside::show(ui, columns, |columns| {
        let last = columns.len() - 1;
        for (index, chart) in charts.iter().enumerate() {
            let ui = &mut columns[index.min(last)];
            ui.label(RichText::new(&chart.title).strong());
            screen::legend(ui, chart);
            let gesture = screen::lines(ui, ("live", device, index), chart, pinned_seconds, height);
            if let Some(Gesture::Pinned(seconds)) = gesture {
                pinned = Some(seconds);
            }
            ui.label(&chart.answer);
        }
    });
    if let Some(seconds) = pinned {
        state.pinned_seconds = if state.pinned_seconds.is_some() { None } else { Some(seconds) };
    }
}
