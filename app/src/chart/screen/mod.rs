//! Charts in the window: the same data as in a file, with crosshair, zoom and things to drag.

mod bars;
mod gestures;
mod lines;

use egui::{Sense, Shape, Stroke, Ui, vec2};

use crate::theme::Token;

pub use bars::show as bars;
pub use gestures::Gesture;
pub use lines::show as lines;

/// A key of a curve or a bar segment: a dash or a square of its colour.
pub fn swatch(ui: &mut Ui, token: Token, kind: Swatch) {
    let (rect, _) = ui.allocate_exact_size(vec2(if kind == Swatch::Square { 11.0 } else { 22.0 }, 12.0), Sense::hover());
    let color = token.color(ui.visuals().dark_mode);
    match kind {
        Swatch::Square => drop(ui.painter().rect_filled(rect.shrink(0.5), 2.0, color)),
        Swatch::Line => drop(ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(2.0, color))),
        Swatch::Dashes => {
            let ends = [rect.left_center(), rect.right_center()];
            ui.painter().extend(Shape::dashed_line(&ends, Stroke::new(2.0, color), 5.0, 3.0));
        }
    }
}

/// How a key is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swatch {
    /// A filled square.
    Square,
    /// A solid line.
    Line,
    /// A dashed line.
    Dashes,
}
