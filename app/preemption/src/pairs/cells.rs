//! The cells of the map of pairs: their colours, numbers and patterns, and all of them as one picture.

use crossover_chart::theme::{RAMP_STEPS, Token};
use crossover_preemption::Table;
use crossover_quantity::unit::Unit;
use egui::{Align2, ColorImage, FontId, Painter, Rect, Stroke, TextureHandle, TextureOptions, Ui, pos2, vec2};

use super::NUMBERED;

/// Distance of the lines through an unmeasured cell, in points.
const PITCH: f32 = 7.0;
/// Opacity of unmeasured cells that are too small for a pattern.
const PALE: f32 = 0.3;

/// The least and the largest value of the colours.
pub(super) fn range(table: &Table, count: usize) -> [f64; 2] {
    let values = (0..count).flat_map(|row| (0..count).map(move |column| table.normalised(row, column)));
    // Half and all of the speed have the same colours in every study, unless something is beyond them.
    let (low, high) = values.fold((0.5_f64, 1.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    [low, high]
}

/// Colour step of a value: slow cells are highlighted.
pub(super) fn step(value: f64, [low, high]: [f64; 2]) -> u8 {
    let share = if high > low { (high - value) / (high - low) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … the last step")]
    let step = (share.clamp(0.0, 1.0) * f64::from(RAMP_STEPS - 1)).round() as u8;
    step
}

/// All cells of a map that are too small for a pattern, one pixel each: drawn once per outcome.
pub(super) struct Picture {
    /// The number of the outcome, and whether colours are those of the dark theme.
    pub(super) of: (u64, bool),
    pub(super) texture: TextureHandle,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Picture").field("of", &self.of).finish_non_exhaustive()
    }
}

impl Picture {
    pub(super) fn new(ui: &Ui, table: &Table, (number, dark): (u64, bool), count: usize) -> Self {
        let range = range(table, count);
        let pixel = |row: usize, column: usize| {
            let color = Token::Ramp(step(table.normalised(row, column), range)).color(dark);
            if table.is_measured(row, column) { color } else { color.gamma_multiply(PALE) }
        };
        let pixels = (0..count).flat_map(|row| (0..count).map(move |column| pixel(row, column))).collect();
        let image = ColorImage::new([count, count], pixels);
        Self { of: (number, dark), texture: ui.ctx().load_texture("pairs of kernels", image, TextureOptions::NEAREST) }
    }
}

/// One cell: slow cells are highlighted, unmeasured ones hatched.
pub(super) fn draw(
    painter: &Painter,
    at: Rect,
    table: &Table,
    ([row, column], count): ([usize; 2], usize),
    range: [f64; 2],
    dark: bool,
) {
    let value = table.normalised(row, column);
    let is_measured = table.is_measured(row, column);
    let step = step(value, range);
    let fill = Token::Ramp(step).color(dark);
    if is_measured {
        painter.rect_filled(at, 2.0, fill);
    } else {
        painter.rect_filled(at, 2.0, fill.gamma_multiply(0.22));
        let inside = painter.with_clip_rect(at.intersect(painter.clip_rect()));
        let stroke = Stroke::new(1.0, fill.gamma_multiply(0.55));
        let mut x = at.left() - at.height();
        while x < at.right() {
            inside.line_segment([pos2(x, at.bottom()), pos2(x + at.height(), at.top())], stroke);
            x += PITCH;
        }
    }
    if count > NUMBERED || at.width() < 26.0 {
        return;
    }
    let number = written(table, [row, column]);
    let token = text_token(is_measured, step);
    if !is_measured {
        // The lines end around the number.
        let galley = painter.layout_no_wrap(number.clone(), FontId::proportional(12.0), token.color(dark));
        let simulator = Rect::from_center_size(at.center(), galley.size() + vec2(6.0, 0.0));
        painter.rect_filled(simulator, 2.0, Token::Background.color(dark).gamma_multiply(0.75));
    }
    painter.text(at.center(), Align2::CENTER_CENTER, number, FontId::proportional(12.0), token.color(dark));
}

/// The number of a cell; "~0.77" if it is not measured.
pub(super) fn written(table: &Table, [row, column]: [usize; 2]) -> String {
    let number = Unit::Ratio.format((100.0 * table.normalised(row, column)).round() / 100.0);
    if table.is_measured(row, column) { number } else { format!("~{number}") }
}

/// Colour of the number: in contrast to the cell, or to the background that one which is not measured has.
pub(super) fn text_token(is_measured: bool, step: u8) -> Token {
    if is_measured { Token::OnRamp(step) } else { Token::Text }
}
