//! Legends of curves and bars: a swatch with its name, kept on one line.

use crossover_chart::lines::LineChart;
use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use egui::{Align, Layout, Sense, TextStyle, Ui, vec2};

use super::elided;

/// Space between keys, and between a sample and its name, in points.
const APART: f32 = 14.0;
const GAP: f32 = 5.0;
/// The longest name that is shown whole, in points.
const LONGEST: f32 = 190.0;

/// The keys of a chart: its curves, then its named bands.
pub(super) fn of(ui: &mut Ui, chart: &LineChart) {
    row(ui, |ui| {
        for series in &chart.series {
            key(ui, series.token, if series.dashed { Swatch::Dashes } else { Swatch::Line }, &series.name);
        }
        for band in chart.bands.iter().filter(|band| !band.name.is_empty()) {
            key(ui, band.token, Swatch::Tint, &band.name);
        }
    });
}

/// Keys beside each other, in as many lines as they need.
pub(super) fn row(ui: &mut Ui, keys: impl FnOnce(&mut Ui)) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(APART, 2.0);
        keys(ui);
    });
}

/// One key in a row of them.
pub(super) fn key(ui: &mut Ui, token: Token, kind: Swatch, name: &str) {
    let wide = matches!(kind, Swatch::Line | Swatch::Dashes | Swatch::Marked(_));
    sampled(ui, if wide { 22.0 } else { 11.0 }, name, |ui| screen::swatch(ui, token, kind));
}

/// One key with its own swatch, so many points wide.
pub(super) fn sampled(ui: &mut Ui, width: f32, name: &str, sample: impl FnOnce(&mut Ui)) {
    let font = TextStyle::Body.resolve(ui.style());
    let shown = elided::within(ui.painter(), name, &font, LONGEST);
    let height = ui.text_style_height(&TextStyle::Body);
    let size = vec2(width + GAP + elided::width(ui.painter(), &shown, &font), height);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        sample(ui);
        let label = ui.add(egui::Label::new(&*shown).extend().sense(Sense::HOVER));
        if shown != name {
            label.on_hover_text(name);
        }
    });
}
