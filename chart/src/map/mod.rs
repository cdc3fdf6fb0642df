//! Heat maps: one value for every pair of two quantities, as colours of an ordered ramp. What kind of cell it is, is
//! a pattern, so that colour is not the only sign.
//!
//! - `svg`: how it is drawn in a file

mod svg;

use crate::axis::Axis;
use crate::theme::{RAMP_STEPS, Token};

/// A heat map, complete.
#[derive(Clone, Debug)]
pub struct MapChart {
    /// The question the chart answers.
    pub title: String,
    /// What the map shows, for example whose gains.
    pub subtitle: String,
    /// The answer, in one sentence.
    pub answer: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Middles of the columns on the horizontal axis, ascending.
    pub xs: Vec<f64>,
    /// Middles of the rows on the vertical axis, ascending.
    pub ys: Vec<f64>,
    /// What the colours mean: label, range and unit.
    pub value: Axis,
    /// Row by row from the lowest y, in it from the lowest x.
    pub cells: Vec<Cell>,
    /// Kinds of cells.
    pub categories: Vec<Category>,
    /// Contours, drawn over the cells.
    pub contours: Vec<Contour>,
    /// Named places.
    pub marks: Vec<Mark>,
    /// Action of a click or a drag in the window, shown next to the pointer.
    pub gesture: &'static str,
    /// Whether it belongs to an older study than the one on the screen.
    pub is_stale: bool,
}

/// A cell of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Its value, shown as a colour; none, or what is not finite, leaves it blank.
    pub value: Option<f64>,
    /// Index of its kind in [`MapChart::categories`].
    pub category: usize,
}

/// A kind of cell.
#[derive(Clone, Debug)]
pub struct Category {
    /// Its name in the legend.
    pub name: String,
    /// How its cells are marked.
    pub pattern: Pattern,
}

/// Lines across the cells of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// None.
    Plain,
    /// Rising lines.
    Rising,
    /// Rising and falling lines.
    Crossed,
}

/// A contour: lines along which a figure has one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Contour {
    /// Its name in the legend, for example "speedup = 1×".
    pub name: String,
    /// The lines, as points x, y in data units.
    pub lines: Vec<Vec<[f64; 2]>>,
}

/// A named place.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its name.
    pub label: String,
    /// Its place, in data units.
    pub x: f64,
    /// Its place, in data units.
    pub y: f64,
    /// Whether it is the current value, which can be dragged; otherwise it is a proposal.
    pub is_present: bool,
}

/// Distance from one line of a pattern to the next, along an axis, in pixels.
const PATTERN_PITCH: f64 = 7.0;
/// Distance of a diamond's corners from its middle, and radius of a dot, in pixels.
pub(super) const MARK_SIZE: f64 = 5.5;
/// Neighbouring cells of a row that have one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunOfCells {
    /// Row.
    pub(super) row: usize,
    /// First column.
    pub(super) from: usize,
    /// Column after the last.
    pub(super) to: usize,
    /// Their colour; none: blank.
    pub(super) step: Option<u8>,
}

/// A piece of a pattern, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PatternLine {
    /// Left end.
    pub(super) from: [f64; 2],
    /// Right end.
    pub(super) to: [f64; 2],
    /// Its colour, which stands out from that of the cells.
    pub(super) token: Token,
}

impl MapChart {
    /// The cell of a column and a row.
    #[must_use]
    pub fn cell(&self, column: usize, row: usize) -> Option<&Cell> {
        (column < self.xs.len()).then(|| self.cells.get(row * self.xs.len() + column)).flatten()
    }

    /// Column and row of the cell at a place, in data units; the nearest one for places outside.
    #[must_use]
    pub fn cell_at(&self, x: f64, y: f64) -> Option<[usize; 2]> {
        let nearest = |axis: &Axis, values: &[f64], wanted: f64| {
            let indexed = values.iter().enumerate().filter(|_| wanted.is_finite());
            let distance = |value: f64| (axis.to_plot(value) - axis.to_plot(wanted)).abs();
            let nearest = indexed.min_by(|(_, a), (_, b)| distance(**a).total_cmp(&distance(**b)));
            nearest.map(|(index, _)| index)
        };
        Some([nearest(&self.x, &self.xs, x)?, nearest(&self.y, &self.ys, y)?])
    }

    /// Edges of the columns as shares of the width, ascending; one more than there are columns. They lie halfway
    /// between the middles, and at the ends of the axis.
    pub(super) fn column_edges(&self) -> Vec<f64> {
        edges(&self.x, &self.xs)
    }

    /// Edges of the rows as shares of the height, from the bottom.
    pub(super) fn row_edges(&self) -> Vec<f64> {
        edges(&self.y, &self.ys)
    }

    /// The colour of a value: its place in the ramp.
    pub(super) fn step(&self, value: f64) -> Option<u8> {
        if !value.is_finite() {
            return None;
        }
        let steps = f64::from(RAMP_STEPS);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the last step")]
        let step = (self.value.fraction(value) * steps).floor().clamp(0.0, steps - 1.0) as u8;
        Some(step)
    }

    fn step_of(&self, cell: &Cell) -> Option<u8> {
        cell.value.and_then(|value| self.step(value))
    }

    /// All cells, those of one colour in a row together.
    pub(super) fn runs(&self) -> Vec<RunOfCells> {
        let mut runs: Vec<RunOfCells> = Vec::new();
        for row in 0..self.ys.len() {
            for column in 0..self.xs.len() {
                let Some(cell) = self.cell(column, row) else { continue };
                let step = self.step_of(cell);
                match runs.last_mut() {
                    Some(run) if run.row == row && run.to == column && run.step == step => run.to += 1,
                    _ => runs.push(RunOfCells { row, from: column, to: column + 1, step }),
                }
            }
        }
        runs
    }

    /// The lines of all patterns, where the edges of columns and rows lie there, in pixels; rows from the bottom.
    pub(super) fn pattern_lines(&self, columns: &[f64], rows: &[f64]) -> Vec<PatternLine> {
        let mut lines = Vec::new();
        let ends = |edges: &[f64]| Some([*edges.first()?, *edges.last()?]);
        let (Some([left, right]), Some([bottom, top])) = (ends(columns), ends(rows)) else { return lines };
        let has = |wanted: fn(Pattern) -> bool| self.patterned_categories().any(|category| wanted(category.pattern));
        let diagonals = |from: f64, to: f64| {
            let first = (from / PATTERN_PITCH).ceil();
            let numbers = std::iter::successors(Some(first), |number| Some(number + 1.0));
            numbers.map(|number| number * PATTERN_PITCH).take_while(move |diagonal| *diagonal < to)
        };
        // Rising to the right, x + y stays, because y grows downwards; falling, x − y does.
        if has(|_| true) {
            for sum in diagonals(left + top, right + bottom) {
                self.along([columns, rows], |x| sum - x, |y| sum - y, |_| true, &mut lines);
            }
        }
        if has(|pattern| pattern == Pattern::Crossed) {
            for difference in diagonals(left - bottom, right - top) {
                let is_crossed = |pattern| pattern == Pattern::Crossed;
                self.along([columns, rows], |x| x - difference, |y| y + difference, is_crossed, &mut lines);
            }
        }
        lines
    }

    /// Adds the pieces of a diagonal that lie in cells with one of these patterns, cut where their colour changes.
    fn along(
        &self,
        [columns, rows]: [&[f64]; 2],
        y_at: impl Fn(f64) -> f64,
        x_at: impl Fn(f64) -> f64,
        has: impl Fn(Pattern) -> bool,
        lines: &mut Vec<PatternLine>,
    ) {
        let mut crossings: Vec<f64> = columns.iter().copied().chain(rows.iter().map(|y| x_at(*y))).collect();
        crossings.sort_by(f64::total_cmp);
        let mut open: Option<PatternLine> = None;
        for pair in crossings.windows(2) {
            let middle = f64::midpoint(pair[0], pair[1]);
            let column = columns.partition_point(|edge| *edge <= middle).checked_sub(1);
            let row = rows.partition_point(|edge| *edge >= y_at(middle)).checked_sub(1);
            let cell = column.zip(row).filter(|(_, row)| *row < self.ys.len());
            let cell = cell.and_then(|(column, row)| self.cell(column, row));
            let token = cell.and_then(|cell| self.line_over(cell, &has));
            match (&mut open, token) {
                (Some(line), Some(token)) if line.token == token => line.to = [pair[1], y_at(pair[1])],
                (_, token) => {
                    let next = token.map(|token| {
                        let [from, to] = [pair[0], pair[1]].map(|x| [x, y_at(x)]);
                        PatternLine { from, to, token }
                    });
                    lines.extend(std::mem::replace(&mut open, next));
                }
            }
        }
        lines.extend(open);
    }

    /// The colour of a line over a cell, if its kind has one of these patterns.
    fn line_over(&self, cell: &Cell, has: impl Fn(Pattern) -> bool) -> Option<Token> {
        let pattern = self.categories.get(cell.category)?.pattern;
        (pattern != Pattern::Plain && has(pattern)).then(|| match self.step_of(cell) {
            None => Token::TextWeak,
            // The ramp leads away from the background.
            Some(step) if step < RAMP_STEPS / 2 => Token::Text,
            Some(_) => Token::Background,
        })
    }

    /// Marks inside the axes, with their index.
    pub(super) fn placed_marks(&self) -> impl Iterator<Item = (usize, &Mark)> {
        let inside = |axis: &Axis, value: f64| axis.has_place_for(value) && (0.0..=1.0).contains(&axis.fraction(value));
        self.marks.iter().enumerate().filter(move |(_, mark)| inside(&self.x, mark.x) && inside(&self.y, mark.y))
    }

    /// The mark of the current value, if it lies inside the axes.
    #[must_use]
    pub fn placed_present(&self) -> Option<&Mark> {
        self.placed_marks().map(|(_, mark)| mark).find(|mark| mark.is_present)
    }

    /// Kinds that have a pattern and occur.
    pub(super) fn patterned_categories(&self) -> impl Iterator<Item = &Category> {
        let occurs = |index: usize| self.cells.iter().any(|cell| cell.category == index);
        let patterned = |category: &Category| category.pattern != Pattern::Plain;
        self.categories
            .iter()
            .enumerate()
            .filter(move |(index, category)| patterned(category) && occurs(*index))
            .map(|(_, category)| category)
    }

    /// Contours that have a line.
    pub(super) fn drawn_contours(&self) -> impl Iterator<Item = &Contour> {
        self.contours.iter().filter(|contour| contour.lines.iter().any(|line| line.len() > 1))
    }
}

/// Corners of a diamond around its middle.
pub(super) const DIAMOND: [[f64; 2]; 4] = [[0.0, -1.25], [1.25, 0.0], [0.0, 1.25], [-1.25, 0.0]];

/// Edges of cells as shares of an axis, from the middles of the cells.
fn edges(axis: &Axis, middles: &[f64]) -> Vec<f64> {
    let fraction = |value: f64| {
        let fraction = axis.fraction(value);
        if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 }
    };
    let between = middles.windows(2).map(|pair| f64::midpoint(fraction(pair[0]), fraction(pair[1])));
    std::iter::once(0.0).chain(between).chain([1.0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Scale;

    fn number(value: f64) -> String {
        format!("{value}")
    }

    fn axis(label: &str, range: [f64; 2]) -> Axis {
        Axis { label: label.to_owned(), format: number, scale: Scale::Linear, range, step_unit: 1.0 }
    }

    /// Three columns at 0, 1, 2 and two rows at 0, 10; values 0 … 10.
    fn map(values: [Option<f64>; 6], categories: [usize; 6]) -> MapChart {
        let category = |name: &str, pattern| Category { name: name.to_owned(), pattern };
        MapChart {
            title: "Which?".to_owned(),
            subtitle: String::new(),
            answer: "This.".to_owned(),
            x: axis("x", [0.0, 2.5]),
            y: axis("y", [0.0, 15.0]),
            xs: vec![0.0, 1.0, 2.0],
            ys: vec![0.0, 10.0],
            value: axis("value", [0.0, 10.0]),
            cells: values.into_iter().zip(categories).map(|(value, category)| Cell { value, category }).collect(),
            categories: vec![
                category("good", Pattern::Plain),
                category("doubtful", Pattern::Rising),
                category("bad", Pattern::Crossed),
            ],
            contours: Vec::new(),
            marks: Vec::new(),
            gesture: "",
            is_stale: false,
        }
    }

    #[test]
    fn a_contour_is_drawn_and_named_unless_it_has_no_line() {
        let chart = map([Some(1.0); 6], [0; 6]);
        let drawn = |lines: Vec<Vec<[f64; 2]>>| {
            let contour = Contour { name: "value = 1".to_owned(), lines };
            MapChart { contours: vec![contour], ..chart.clone() }.to_svg(false, [480.0, 320.0])
        };
        let lines = |svg: &str| svg.matches("<polyline").count() + svg.matches("<path").count();
        let without = drawn(vec![vec![[1.0, 1.0]]]);
        assert!(!without.contains("value = 1"));
        let with = drawn(vec![vec![[0.0, 0.0], [1.0, 5.0], [2.0, 10.0]]]);
        assert!(with.contains("value = 1"));
        assert_eq!(lines(&with) - lines(&without), 4, "the line and its sample, each with a halo");
    }

    #[test]
    fn the_nearest_cell_of_a_logarithmic_axis_is_nearest_in_the_logarithm() {
        let mut chart = map([Some(1.0); 6], [0; 6]);
        chart.xs = vec![1.0, 10.0, 100.0];
        chart.x = Axis { scale: Scale::Log, range: [0.3, 300.0], ..chart.x };
        assert_eq!(chart.cell_at(40.0, 0.0), Some([2, 0]));
    }

    #[test]
    fn a_place_belongs_to_the_cell_whose_middle_is_nearest() {
        let map = map([Some(0.0); 6], [0; 6]);
        let check = |x, y, expected| assert_eq!(map.cell_at(x, y), expected, "{x} {y}");
        check(0.4, 4.9, Some([0, 0]));
        check(0.6, 5.1, Some([1, 1]));
        check(99.0, -99.0, Some([2, 0]));
        check(f64::NAN, 0.0, None);
    }

    #[test]
    fn the_edges_of_cells_lie_halfway_between_their_middles_and_at_the_ends_of_the_axis() {
        let map = map([Some(0.0); 6], [0; 6]);
        let check = |edges: Vec<f64>, expected: &[f64]| {
            let is_near = edges.iter().zip(expected).all(|(edge, expected)| (edge - expected).abs() < 1e-12);
            assert!(edges.len() == expected.len() && is_near, "{edges:?}");
        };
        check(map.column_edges(), &[0.0, 0.2, 0.6, 1.0]);
        check(map.row_edges(), &[0.0, 1.0 / 3.0, 1.0]);
    }

    #[test]
    fn the_ramp_covers_the_range_of_the_values_and_holds_those_outside() {
        let map = map([None; 6], [0; 6]);
        let last = RAMP_STEPS - 1;
        let check = |value, expected| assert_eq!(map.step(value), expected, "{value}");
        check(0.0, Some(0));
        check(10.0, Some(last));
        check(-5.0, Some(0));
        check(500.0, Some(last));
        check(f64::NAN, None);
        check(f64::INFINITY, None);
    }

    #[test]
    fn neighbours_of_one_colour_are_one_piece() {
        let map = map([Some(0.0), Some(0.1), Some(9.9), None, None, Some(0.0)], [0; 6]);
        let pieces: Vec<_> = map.runs().iter().map(|run| (run.row, run.from, run.to, run.step)).collect();
        assert_eq!(pieces, [(0, 0, 2, Some(0)), (0, 2, 3, Some(9)), (1, 0, 2, None), (1, 2, 3, Some(0))]);
    }

    /// Columns 100, 200 and 200 pixels wide, rows 60 and 30 pixels high.
    fn lines_of(map: &MapChart) -> Vec<PatternLine> {
        map.pattern_lines(&[0.0, 100.0, 300.0, 500.0], &[90.0, 30.0, 0.0])
    }

    #[test]
    fn a_pattern_crosses_the_cells_of_its_kind_and_no_others() {
        // The middle column of the upper row is bad, the rest good.
        let map = map([Some(0.0); 6], [0, 0, 0, 0, 2, 0]);
        let lines = lines_of(&map);
        assert!(lines.len() > 40, "{}", lines.len());
        for line in lines {
            for [x, y] in [line.from, line.to] {
                assert!((100.0..=300.0).contains(&x) && (-1e-9..=30.0 + 1e-9).contains(&y), "{line:?}");
            }
        }
        assert_eq!(map.patterned_categories().map(|category| category.name.as_str()).collect::<Vec<_>>(), ["bad"]);
    }

    #[test]
    fn a_pattern_runs_through_from_cell_to_cell() {
        // All cells alike: every line goes from edge to edge of the map.
        let lines = lines_of(&map([Some(0.0); 6], [1; 6]));
        assert!(lines.len() > 10, "{}", lines.len());
        for line in lines {
            let inside = |value: f64, end: f64| (1e-9..=end - 1e-9).contains(&value);
            let is_edge = |[x, y]: [f64; 2]| !inside(x, 500.0) || !inside(y, 90.0);
            assert!(is_edge(line.from) && is_edge(line.to), "{line:?}");
        }
    }

    #[test]
    fn the_lines_of_a_pattern_stand_out_from_their_cells() {
        let check = |value, expected| {
            let lines = lines_of(&map([value; 6], [1; 6]));
            assert!(!lines.is_empty() && lines.iter().all(|line| line.token == expected), "{value:?}");
        };
        check(Some(0.0), Token::Text);
        check(Some(10.0), Token::Background);
        check(None, Token::TextWeak);
    }
}
