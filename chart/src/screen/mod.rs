//! Charts in the window: the same data as in a file, with crosshair, zoom and things to drag.

mod bars;
pub mod camera;
mod gestures;
mod lines;
mod map;
mod names;
pub mod plan;
mod scatter;
pub mod zoom;

use egui::{
    Align, Atom, Button, Color32, IdSalt, Label, Layout, Rect, Response, RichText, Sense, Shape, Stroke, TextStyle,
    TextWrapMode, Ui, Vec2, WidgetText, vec2,
};

use crate::lines::{BAND_TINT, LineChart, Marker, ROW_NUMBERS};
use crate::theme::Token;

pub use bars::{show as bars, show_course as course};
pub use gestures::{GESTURES, Gesture};
pub use lines::{show as lines, show_stacked as stacked_lines};
pub use map::show as map;
pub use scatter::show as scatter;

/// A key of a curve or a bar segment: a dash or a square of its colour.
pub fn swatch(ui: &mut Ui, token: Token, kind: Swatch) {
    let (rect, _) = ui.allocate_exact_size(vec2(kind.width(), 12.0), Sense::hover());
    paint(ui, rect, token.color(ui.visuals().dark_mode), kind);
}

/// A swatch with its name, for a row that wraps: a new line begins before the swatch, never between the two.
pub fn entry(ui: &mut Ui, token: Token, kind: Swatch, name: &str) -> Response {
    let color = token.color(ui.visuals().dark_mode);
    sampled(ui, kind.width(), name, |ui, rect| paint(ui, rect, color, kind))
}

/// The same with another sample, so many points wide. A name that is longer than a row has several lines.
fn sampled(ui: &mut Ui, width: f32, name: &str, draw: impl FnOnce(&Ui, Rect)) -> Response {
    let before = width + ui.spacing().item_spacing.x;
    let whole = text_size(ui, name, f32::INFINITY);
    let most = (ui.max_rect().width() - before).max(width);
    let is_long = whole.x > most;
    let text = if is_long { text_size(ui, name, most) } else { whole };
    let size = vec2(before + if is_long { most } else { text.x }, text.y);
    let shown = ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(width, 12.0), Sense::hover());
        draw(ui, rect);
        let label = Label::new(name);
        ui.add(if is_long { label.wrap() } else { label.extend() })
    });
    shown.inner
}

fn text_size(ui: &Ui, text: &str, width: f32) -> Vec2 {
    WidgetText::from(text).into_galley(ui, Some(TextWrapMode::Wrap), width, TextStyle::Body).size()
}

/// The keys of everything in a line chart: bands, curves and marks.
pub fn legend(ui: &mut Ui, chart: &LineChart) {
    ui.horizontal_wrapped(|ui| {
        let named = chart.bands.iter().filter(|band| !band.name.is_empty());
        let bands = named.map(|band| (band.token, Swatch::Tint, &band.name));
        let curves = chart.series.iter().map(|series| {
            let is_marks_only = series.points.is_empty();
            let kind = match series.dashed {
                true => Swatch::Dashes,
                false if is_marks_only => Swatch::Mark(series.samples.marker),
                false => Swatch::Line,
            };
            (series.token, kind, &series.name)
        });
        for (token, kind, name) in bands.chain(curves) {
            entry(ui, token, kind, name);
            ui.add_space(6.0);
        }
        if chart.has_row_numbers() {
            ui.weak(ROW_NUMBERS);
        }
    });
}

/// Draws a swatch at a place.
pub fn paint(ui: &Ui, rect: Rect, color: Color32, kind: Swatch) {
    match kind {
        Swatch::Square => drop(ui.painter().rect_filled(rect.shrink(0.5), 2.0, color)),
        Swatch::Hollow => {
            let stroke = Stroke::new(1.5, color);
            ui.painter().rect_stroke(rect.shrink(0.5), 2.0, stroke, egui::StrokeKind::Inside);
        }
        Swatch::Tint => {
            #[expect(clippy::cast_possible_truncation, reason = "an opacity between 0 and 1")]
            let tint = color.gamma_multiply(BAND_TINT as f32);
            ui.painter().rect_filled(rect.shrink(0.5), 2.0, tint);
        }
        Swatch::Mark(marker) => {
            let corners = marker.corners().iter().map(|[dx, dy]| rect.center() + 4.0 * vec2(*dx, *dy)).collect();
            ui.painter().add(Shape::convex_polygon(corners, color, Stroke::NONE));
        }
        Swatch::Line => drop(ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(2.0, color))),
        Swatch::Marked(marker) => {
            ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(1.5, color));
            let corners = marker.corners().iter().map(|[dx, dy]| rect.center() + 4.0 * vec2(*dx, *dy)).collect();
            ui.painter().add(Shape::convex_polygon(corners, color, Stroke::NONE));
        }
        Swatch::Dashes => {
            let ends = [rect.left_center(), rect.right_center()];
            ui.painter().extend(Shape::dashed_line(&ends, Stroke::new(2.0, color), 5.0, 3.0));
        }
    }
}

/// The key of a curve: a dash of its colour and its name, to be clicked.
pub struct Key {
    /// Colour of the curve.
    pub token: Token,
    /// Solid or dashed.
    pub kind: Swatch,
    /// Name of the curve.
    pub text: String,
    /// Whether the curve is hidden.
    pub is_hidden: bool,
}

impl Key {
    /// Draws the key.
    pub fn ui(self, ui: &mut Ui) -> Response {
        let sample = IdSalt::new("sample");
        let text = RichText::new(self.text);
        let text = if self.is_hidden { text.weak().strikethrough() } else { text };
        let button = Button::selectable(false, (Atom::custom(sample, vec2(24.0, 12.0)), text));
        let response = button.atom_ui(ui);
        if let Some(rect) = response.rect(sample) {
            let opacity = if self.is_hidden { 0.35 } else { 1.0 };
            let color = self.token.color(ui.visuals().dark_mode).gamma_multiply(opacity);
            paint(ui, rect, color, self.kind);
        }
        response.response
    }
}

/// How a key is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swatch {
    /// A filled square.
    Square,
    /// A square that has only its outline.
    Hollow,
    /// A solid line.
    Line,
    /// A dashed line.
    Dashes,
    /// A filled square in the tint of a band.
    Tint,
    /// A marker.
    Mark(Marker),
    /// A line through a marker.
    Marked(Marker),
}

impl Swatch {
    fn width(self) -> f32 {
        match self {
            Self::Square | Self::Hollow | Self::Tint | Self::Mark(_) => 11.0,
            Self::Line | Self::Dashes | Self::Marked(_) => 22.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_a_legend_has_its_name_behind_its_swatch_on_every_line() {
        let output = egui::Context::default().run_ui(egui::RawInput::default(), |ui| {
            ui.set_max_width(150.0);
            let [left, right] = [ui.max_rect().left(), ui.max_rect().right()];
            let before = Swatch::Line.width() + ui.spacing().item_spacing.x;
            let names =
                ["CPU, 10 machines", "GPU, no compression", "GPU, compression of both the network and the disk"];
            let draw = |ui: &mut Ui| names.map(|name| entry(ui, Token::Text, Swatch::Line, name).rect);
            let rects = ui.horizontal_wrapped(draw).inner;
            for (rect, name) in rects.iter().zip(names) {
                assert!(rect.left() >= left + before - 0.5 && rect.right() <= right + 0.5, "{name}: {rect:?}");
            }
            assert!(rects[0].top() < rects[1].top() && rects[1].top() < rects[2].top(), "{rects:?}");
            // The last one does not fit a line.
            assert!(rects[2].height() > 1.5 * rects[0].height(), "{rects:?}");
        });
        output.drop_without_applying_deltas();
    }
}
