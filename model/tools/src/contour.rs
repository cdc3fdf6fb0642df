//! Where a value over two numbers is at a level: marching squares (Lorensen and Cline 1987, in two dimensions), linear
//! between the points of the grid.

use std::collections::{BTreeMap, BTreeSet};

/// Values over two numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid<'a> {
    /// The first number, and whether it is even in its logarithm.
    pub(super) x: (&'a [f64], bool),
    /// The second number, and whether it is even in its logarithm.
    pub(super) y: (&'a [f64], bool),
    /// The value at each x of the first y, then of the next; none where there is no value.
    pub(super) values: &'a [Option<f64>],
}

/// An edge between two points of the grid: the point that it begins at, and whether it leads to the next x.
type Edge = (usize, usize, bool);

impl Grid<'_> {
    /// Lines along which the value is the level, as points x, y; one that returns to its beginning ends where it begins.
    /// There are none through squares with a corner that has no value.
    pub(super) fn contour(&self, level: f64) -> Vec<Vec<[f64; 2]>> {
        let mut beside: BTreeMap<Edge, Vec<Edge>> = BTreeMap::new();
        for row in 1..self.y.0.len() {
            for column in 1..self.x.0.len() {
                for [from, to] in self.pieces(column - 1, row - 1, level) {
                    beside.entry(from).or_default().push(to);
                    beside.entry(to).or_default().push(from);
                }
            }
        }
        // Lines with two ends first; what is left returns to its beginning.
        let ends = beside.iter().filter(|(_, next)| next.len() == 1).map(|(edge, _)| *edge);
        let starts: Vec<Edge> = ends.chain(beside.keys().copied()).collect();
        let mut seen: BTreeSet<Edge> = BTreeSet::new();
        let mut lines = Vec::new();
        for start in starts {
            if !seen.insert(start) {
                continue;
            }
            let mut edges = vec![start];
            let mut at = start;
            while let Some(next) = beside[&at].iter().copied().find(|next| !seen.contains(next)) {
                seen.insert(next);
                edges.push(next);
                at = next;
            }
            if edges.len() > 2 && beside[&at].contains(&start) {
                edges.push(start);
            }
            let mut line: Vec<[f64; 2]> = edges.into_iter().filter_map(|edge| self.crossing(edge, level)).collect();
            line.dedup();
            lines.push(line);
        }
        lines
    }

    fn value(&self, column: usize, row: usize) -> Option<f64> {
        self.values.get(row * self.x.0.len() + column).copied().flatten()
    }

    /// The pieces of the line through the square whose first corner is this.
    fn pieces(&self, column: usize, row: usize, level: f64) -> Vec<[Edge; 2]> {
        let corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(x, y)| self.value(column + x, row + y));
        let [Some(a), Some(b), Some(c), Some(d)] = corners else { return Vec::new() };
        let [bottom, right] = [(column, row, true), (column + 1, row, false)];
        let [top, left] = [(column, row + 1, true), (column, row, false)];
        let is_above = [a, b, c, d].map(|value| value >= level);
        match is_above {
            // Two opposite corners are above: their mean tells whether they belong together.
            [true, false, true, false] | [false, true, false, true] => {
                let is_middle_above = (a + b + c + d) / 4.0 >= level;
                if is_middle_above == is_above[0] {
                    vec![[bottom, right], [top, left]]
                } else {
                    vec![[bottom, left], [top, right]]
                }
            }
            _ => {
                let around = [(bottom, 0, 1), (right, 1, 2), (top, 2, 3), (left, 3, 0)];
                let crossed: Vec<Edge> = around
                    .into_iter()
                    .filter(|(_, from, to)| is_above[*from] != is_above[*to])
                    .map(|(edge, ..)| edge)
                    .collect();
                crossed.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
            }
        }
    }

    /// Where the value is the level on an edge that it crosses.
    fn crossing(&self, (column, row, is_along_x): Edge, level: f64) -> Option<[f64; 2]> {
        let (to_column, to_row) = if is_along_x { (column + 1, row) } else { (column, row + 1) };
        let (from, to) = (self.value(column, row)?, self.value(to_column, to_row)?);
        let share = (level - from) / (to - from);
        Some([between(self.x, column, to_column, share), between(self.y, row, to_row, share)])
    }
}

/// The number at a share of the way from one of its values to another, even in its logarithm or in itself.
fn between((values, is_logarithmic): (&[f64], bool), from: usize, to: usize, share: f64) -> f64 {
    let (from, to) = (values[from], values[to]);
    if share <= 0.0 || from.to_bits() == to.to_bits() {
        from
    } else if share >= 1.0 {
        to
    } else if is_logarithmic {
        from * (to / from).powf(share)
    } else {
        from + (to - from) * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contour(xs: &[f64], ys: &[f64], level: f64, value: impl Fn(f64, f64) -> Option<f64>) -> Vec<Vec<[f64; 2]>> {
        let values: Vec<Option<f64>> = ys.iter().flat_map(|y| xs.iter().map(|x| value(*x, *y))).collect();
        Grid { x: (xs, false), y: (ys, false), values: &values }.contour(level)
    }

    fn steps(count: u32, from: f64, to: f64) -> Vec<f64> {
        (0..=count).map(|step| from + (to - from) * f64::from(step) / f64::from(count)).collect()
    }

    #[test]
    fn a_plane_has_one_straight_line() {
        let (xs, ys) = (steps(4, 0.0, 4.0), steps(4, 0.0, 4.0));
        let lines = contour(&xs, &ys, 4.5, |x, y| Some(x + y));
        assert_eq!(lines.len(), 1);
        assert!(lines[0].len() >= 7 && lines[0].iter().all(|[x, y]| (x + y - 4.5).abs() < 1e-12), "{lines:?}");
        assert!(contour(&xs, &ys, 9.0, |x, y| Some(x + y)).is_empty(), "the level lies outside");
        assert!(contour(&xs, &ys, 1.0, |_, _| Some(1.0)).is_empty(), "a plane at the level has no line");
    }

    #[test]
    fn a_circle_is_one_line_that_ends_where_it_begins() {
        let axis = steps(64, -2.0, 2.0);
        let lines = contour(&axis, &axis, 1.0, |x, y| Some(x.hypot(y)));
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        let length: f64 =
            lines[0].windows(2).map(|pair| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1])).sum();
        assert!((length - std::f64::consts::TAU).abs() < 5e-3, "{length}");
    }

    #[test]
    fn two_hills_have_two_lines_and_a_saddle_keeps_them_apart() {
        let axis = steps(1, 0.0, 1.0);
        let saddle = |x: f64, y: f64| Some(if x.to_bits() == y.to_bits() { 1.0 } else { 0.0 });
        assert_eq!(contour(&axis, &axis, 0.9, saddle).len(), 2);
        assert_eq!(contour(&axis, &axis, 0.1, saddle).len(), 2);
        assert_ne!(contour(&axis, &axis, 0.9, saddle), contour(&axis, &axis, 0.1, saddle));
    }

    #[test]
    fn what_has_no_value_interrupts_a_line() {
        let (xs, ys) = (steps(6, 0.0, 6.0), steps(2, 0.0, 2.0));
        let lines = contour(&xs, &ys, 1.5, |x, y| (x.to_bits() != 3.0_f64.to_bits()).then_some(y));
        assert_eq!(lines, [vec![[0.0, 1.5], [1.0, 1.5], [2.0, 1.5]], vec![[4.0, 1.5], [5.0, 1.5], [6.0, 1.5]]]);
    }

    #[test]
    fn a_logarithmic_axis_is_even_in_its_logarithm() {
        let values: Vec<Option<f64>> = [0.0, 1.0, 0.0, 1.0].map(Some).to_vec();
        let grid = Grid { x: (&[1.0, 100.0], true), y: (&[0.0, 1.0], false), values: &values };
        assert_eq!(grid.contour(0.5), [vec![[10.0, 0.0], [10.0, 1.0]]]);
    }
}
