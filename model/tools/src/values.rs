//! Values of figures at numbered points, figure by figure.

use std::collections::BTreeMap;

use crossover_quantity::invalid::Invalid;

/// Most values of all figures together.
pub(super) const MOST_VALUES: usize = 50_000_000;

/// The figures of a study at a point: a value for each selected figure, NaN where it has none; or why the point is
/// invalid.
pub type At = Result<Vec<f64>, Invalid>;

/// Values of figures at points, in the order of the points.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values {
    points: usize,
    /// By figure: the value at each point, not a number where there is none.
    columns: Vec<Vec<f64>>,
    /// Invalid points, and what is wrong with them.
    refused: BTreeMap<usize, Invalid>,
}

impl Values {
    /// No points yet, of this many figures.
    #[must_use]
    pub fn new(figures: usize) -> Self {
        Self { points: 0, columns: vec![Vec::new(); figures], refused: BTreeMap::new() }
    }

    /// Valid points only: the values of each figure at each of them.
    pub(super) fn all(points: usize, columns: Vec<Vec<f64>>) -> Self {
        Self { points, columns, refused: BTreeMap::new() }
    }

    /// The figures of points in their order.
    #[must_use]
    pub fn of(figures: usize, points: impl IntoIterator<Item = At>) -> Self {
        let mut values = Self::new(figures);
        for at in points {
            values.push(at);
        }
        values
    }

    /// Adds the figures of the next point.
    pub fn push(&mut self, at: At) {
        match at {
            Ok(values) => {
                for (column, value) in self.columns.iter_mut().zip(values) {
                    column.push(value);
                }
            }
            Err(invalid) => {
                for column in &mut self.columns {
                    column.push(f64::NAN);
                }
                self.refused.insert(self.points, invalid);
            }
        }
        self.points += 1;
    }

    /// Takes all from a point on.
    #[must_use]
    pub fn split_off(&mut self, point: usize) -> Self {
        let refused = self.refused.split_off(&point).into_iter();
        let rest = Self {
            points: self.points - point,
            columns: self.columns.iter_mut().map(|column| column.split_off(point)).collect(),
            refused: refused.map(|(of, invalid)| (of - point, invalid)).collect(),
        };
        self.points = point;
        rest
    }

    /// Points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points == 0
    }

    /// Figures.
    #[must_use]
    pub fn figures(&self) -> usize {
        self.columns.len()
    }

    /// The values of a figure at all points, not a number where there is none.
    #[must_use]
    pub fn column(&self, figure: usize) -> &[f64] {
        &self.columns[figure]
    }

    /// Invalid points, and what is wrong with them.
    #[must_use]
    pub fn refused(&self) -> &BTreeMap<usize, Invalid> {
        &self.refused
    }

    /// The figures of each point, in their order.
    #[must_use = "nothing is computed before"]
    pub fn points(&self) -> impl ExactSizeIterator<Item = At> {
        (0..self.points).map(|point| self.at(point))
    }

    /// The figures of a point.
    pub(super) fn at(&self, point: usize) -> At {
        match self.refused.get(&point) {
            Some(invalid) => Err(invalid.clone()),
            None => Ok(self.columns.iter().map(|column| column[point]).collect()),
        }
    }
}
