//! Tables of colours: a value for each pair of two lists of names.

use super::svg::{Anchor, Canvas, MARGIN, Rect, Swatch, TEXT_SIZE, ellipsize, text_width};
use crate::theme::Token;

/// A table of colours, complete.
#[derive(Clone, Debug)]
pub struct GridChart {
    /// The question the chart answers.
    pub title: String,
    /// Meaning of the colours.
    pub subtitle: String,
    /// The answer, in one sentence.
    pub answer: String,
    /// Names of the rows, from top to bottom, and of the columns.
    pub rows: Vec<String>,
    /// Names of the columns, from left to right.
    pub columns: Vec<String>,
    /// Row by row; those that are missing stay blank.
    pub cells: Vec<GridCell>,
    /// Meaning of a hatched cell.
    pub hatched: &'static str,
}

/// A cell of a table.
#[derive(Clone, Debug)]
pub struct GridCell {
    /// Its colour.
    pub token: Token,
    /// Whether it is hatched.
    pub is_hatched: bool,
    /// Its value, written where there is room for it.
    pub text: String,
    /// The colour of that.
    pub text_token: Token,
}

/// Below this width, in pixels, a chart cannot be read.
const SMALLEST_WIDTH: f64 = 360.0;
/// Widest name, in pixels.
const WIDEST_NAME: f64 = 170.0;
/// Largest size of a cell, in pixels.
const LARGEST: [f64; 2] = [84.0, 26.0];
/// Height from which rows are named, in pixels.
const NAMED: f64 = 9.0;

impl GridChart {
    pub(super) fn to_svg(&self, dark: bool, size: [f64; 2]) -> String {
        let width = size[0].max(SMALLEST_WIDTH);
        let mut canvas = Canvas::new(dark, width);
        let below_heading = canvas.heading(&self.title, &self.answer, &self.subtitle);
        let is_any_hatched = self.cells.iter().any(|cell| cell.is_hatched);
        let legend = is_any_hatched.then(|| (self.hatched.to_owned(), Swatch::Hatched(Token::TextWeak)));
        let top = canvas.legend(below_heading, legend.as_slice());
        let widest = |names: &[String]| {
            names.iter().map(|name| text_width(name, TEXT_SIZE)).fold(0.0, f64::max).min(WIDEST_NAME)
        };
        let (rows, columns) = (self.rows.len().max(1) as f64, self.columns.len().max(1) as f64);
        let of_rows = widest(&self.rows) + 8.0;
        let cell_width = ((width - 2.0 * MARGIN - of_rows) / columns).min(LARGEST[0]);
        // As many as are drawn beside each other are drawn below each other in a square.
        let cell_height = (((width - 2.0 * MARGIN) * 0.8).max(size[1] - top) / rows).min(LARGEST[1]).min(cell_width);
        let is_named = cell_height >= NAMED && cell_width >= NAMED;
        let is_upright = widest(&self.columns) + 4.0 > cell_width;
        let above = match (is_named, is_upright) {
            (false, _) => 0.0,
            (true, true) => widest(&self.columns) + 6.0,
            (true, false) => TEXT_SIZE + 6.0,
        };
        let left = MARGIN + if is_named { of_rows } else { 0.0 };
        let corner = [left, top + above];
        if is_named {
            self.draw_names(&mut canvas, corner, [cell_width, cell_height], is_upright);
        }
        let gap = if cell_height > 12.0 { 0.75 } else { 0.0 };
        for (place, cell) in self.cells.iter().take(self.rows.len() * self.columns.len()).enumerate() {
            let (row, column) = ((place / self.columns.len()) as f64, (place % self.columns.len()) as f64);
            let [x, y] = [corner[0] + column * cell_width, corner[1] + row * cell_height];
            let area = Rect { left: x + gap, top: y + gap, right: x + cell_width - gap, bottom: y + cell_height - gap };
            if cell.is_hatched && is_named {
                canvas.hatched(area, cell.token, "");
            } else {
                canvas.rect(area, cell.token, if cell.is_hatched { 0.3 } else { 1.0 }, "");
            }
            let wide = text_width(&cell.text, TEXT_SIZE);
            if cell_height >= TEXT_SIZE + 3.0 && wide + 4.0 <= cell_width && !cell.text.is_empty() {
                let [middle, baseline] = [x + cell_width / 2.0, y + cell_height / 2.0 + TEXT_SIZE * 0.35];
                if cell.is_hatched {
                    let ground = Rect {
                        left: middle - wide / 2.0 - 2.0,
                        right: middle + wide / 2.0 + 2.0,
                        top: area.top + 2.0,
                        bottom: area.bottom - 2.0,
                    };
                    canvas.rect(ground, Token::Background, 0.8, "");
                }
                canvas.text([middle, baseline], &cell.text, cell.text_token, Anchor::Middle);
            }
        }
        canvas.finish(corner[1] + rows * cell_height + MARGIN, &self.title, &self.answer)
    }

    fn draw_names(&self, canvas: &mut Canvas, [left, top]: [f64; 2], [width, height]: [f64; 2], is_upright: bool) {
        for (place, name) in self.rows.iter().enumerate() {
            let name = ellipsize(name, TEXT_SIZE, WIDEST_NAME);
            let middle = top + (place as f64 + 0.5) * height;
            canvas.text([left - 6.0, middle + TEXT_SIZE * 0.35], &name, Token::Text, Anchor::End);
        }
        for (place, name) in self.columns.iter().enumerate() {
            let name = ellipsize(name, TEXT_SIZE, WIDEST_NAME);
            let middle = left + (place as f64 + 0.5) * width;
            if is_upright {
                canvas.upright_text([middle + TEXT_SIZE * 0.35, top - 5.0], &name, Token::Text);
            } else {
                canvas.text([middle, top - 5.0], &name, Token::Text, Anchor::Middle);
            }
        }
    }
}
