//! Figures of a study over two of its numbers, all others as they are, and where a figure is at a level.

use serde::{Deserialize, Serialize};

use crossover_quantity::quantity::Quantity;
use crossover_quantity::unit::Unit;
use crossover_study::{Figure, Subject, Watch, number_at, set_number};

use super::batch::Batch;
use super::contour::Grid;
use super::points::{At, Pointwise, evaluate};
use super::range::{LeftOut, Range, RangeError};
use super::selected::{NoSuchFigure, SelectedFigure, allowed, answer, number};
use super::values::{MOST_VALUES, Values};

/// Values of a number that does not say how many.
pub const POINTS: usize = 64;
/// Most values of a number.
pub const MOST_POINTS: usize = 512;

/// A map: two numbers with their ranges, and the selected figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// The first number with its range.
    pub x: Range,
    /// The second number with its range.
    pub y: Range,
    /// Keys of the figures; empty: all of the whole study; [`EVERY`](super::selected::EVERY): also those of its parts.
    pub figures: Vec<String>,
}

/// Why there is no map.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MapError {
    /// One of the numbers cannot have these values.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// Both numbers are the same.
    #[error("{0}: x and y are the same number; choose another number for x or y")]
    SameNumber(String),
    /// No figure has this key.
    #[error(transparent)]
    NoSuchFigure(#[from] NoSuchFigure),
    /// All cells and figures together are too many.
    #[error("{figures} figures of {cells} cells are too many; use fewer figures or fewer points")]
    TooMany {
        /// How many cells.
        cells: usize,
        /// How many figures of each.
        figures: usize,
    },
    /// No cell is valid.
    #[error("{x}, {y}: no values in the ranges are valid; at {}, {}: {problem}", .values[0], .values[1])]
    Nowhere {
        /// Path of the first number.
        x: String,
        /// Path of the second number.
        y: String,
        /// The first values of both.
        values: [f64; 2],
        /// What is wrong there.
        problem: String,
    },
    /// A level is no number.
    #[error("level of {key}: {problem}")]
    Level {
        /// Key of the figure.
        key: String,
        /// What is wrong with the level.
        problem: String,
    },
}

/// The result of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapped {
    /// The first number.
    pub x: Along,
    /// The second number.
    pub y: Along,
    /// The figures over both.
    pub figures: Vec<FigureMap>,
    /// Invalid cells, and what is wrong with the first of them; their figures are missing.
    pub left_out: Option<LeftOut<[f64; 2]>>,
}

/// A number of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Along {
    /// Its path.
    pub path: String,
    /// Its label, unit and meaning.
    pub quantity: &'static Quantity,
    /// Its present value; `None` if the number is absent.
    pub present: Option<f64>,
    /// Its values, ascending or descending in the order of the ends; whole where the number is.
    pub values: Vec<f64>,
    /// Whether they are evenly spaced in their logarithm.
    pub is_logarithmic: bool,
}

/// One figure over two numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureMap {
    /// Its key, as `operators.join.speedup`.
    pub key: String,
    /// Its label, with the part that it belongs to.
    pub label: String,
    /// Its label, unit and meaning.
    pub figure: &'static Figure,
    /// Its value at each x of the first y, then of the next.
    pub values: Vec<Option<f64>>,
}

impl Map {
    /// The values of both numbers.
    ///
    /// # Errors
    /// [`MapError`] if a number cannot have these values, or both are the same.
    pub fn values(&self, study: &dyn Subject) -> Result<[Vec<f64>; 2], MapError> {
        let values = |range: &Range| range.values(study, MOST_POINTS);
        let both = [values(&self.x)?, values(&self.y)?];
        if is_same_number(study, &self.x, &self.y) {
            return Err(MapError::SameNumber(self.y.path.clone()));
        }
        Ok(both)
    }
}

impl Mapped {
    /// The value of a figure at a column and a row.
    #[must_use]
    pub fn value(&self, figure: usize, column: usize, row: usize) -> Option<f64> {
        let columns = self.x.values.len();
        let values = &self.figures.get(figure)?.values;
        (column < columns).then(|| values.get(row * columns + column).copied().flatten()).flatten()
    }

    /// Lines along which a figure is at a level, as points x, y in the units of the numbers; linear between cells, in the
    /// logarithm of a number that is evenly spaced in it. A line that returns to its beginning ends where it begins. None
    /// through where the figure has no value.
    #[must_use]
    pub fn contour(&self, figure: usize, level: f64) -> Vec<Vec<[f64; 2]>> {
        let Some(figure) = self.figures.get(figure) else { return Vec::new() };
        let [x, y] = [&self.x, &self.y].map(|along| (along.values.as_slice(), along.is_logarithmic));
        Grid { x, y, values: &figure.values }.contour(level)
    }
}

impl FigureMap {
    /// The level at which a decision flips: one, for a factor; others have none.
    #[must_use]
    pub fn usual_level(&self) -> Option<f64> {
        usual_level(self.figure)
    }

    /// Reads a level, which may have a unit.
    ///
    /// # Errors
    /// [`MapError::Level`] if it is no number.
    pub fn read_level(&self, text: &str) -> Result<f64, MapError> {
        read_level(&self.key, self.figure, text)
    }
}

fn read_level(key: &str, figure: &Figure, text: &str) -> Result<f64, MapError> {
    let level = figure.unit.parse(text).map_err(|error| error.to_string());
    let level = level
        .and_then(|level| if level.is_finite() { Ok(level) } else { Err(format!("{level} is not a finite number")) });
    level.map_err(|problem| MapError::Level { key: key.to_owned(), problem })
}

/// The level at which a decision by a figure flips: one, for a factor, and the middle between no and yes; others have none.
#[must_use]
pub fn usual_level(figure: &Figure) -> Option<f64> {
    match figure.unit {
        Unit::Factor => Some(1.0),
        Unit::Decision => Some(0.5),
        _ => None,
    }
}

/// The cells of a map, before they are evaluated.
#[derive(Debug)]
pub struct Cells<'a> {
    study: &'a dyn Subject,
    map: &'a Map,
    /// Values of both numbers.
    values: [Vec<f64>; 2],
    /// Descriptions of both numbers, and their present values.
    numbers: [(&'static Quantity, Option<f64>); 2],
    selected: Vec<SelectedFigure>,
    batch: Option<Batch>,
}

/// The figures of a valid study over two of its numbers; `None` if it was cancelled. Invalid cells have no figures.
/// Counts cells.
///
/// # Errors
/// [`MapError`] if the study has no such numbers or figures, or they cannot be moved there at all.
pub fn map(study: &dyn Subject, map: &Map, watch: Watch<'_>) -> Result<Option<Mapped>, MapError> {
    match begin(study, map, watch)? {
        Some(cells) => evaluate(cells, watch),
        None => Ok(None),
    }
}

/// The cells of [`map`](self::map()); `None` if it was cancelled.
///
/// # Errors
/// [`MapError`] if the study has no such numbers or figures.
pub fn begin<'a>(study: &'a dyn Subject, map: &'a Map, watch: Watch<'_>) -> Result<Option<Cells<'a>>, MapError> {
    let values = map.values(study)?;
    let numbers = [map.x.number(study)?, map.y.number(study)?];
    let Some(now) = answer(study, watch) else { return Ok(None) };
    let selected = SelectedFigure::of(&now, &map.figures)?;
    let cells = values[0].len() * values[1].len();
    if cells * selected.len() > MOST_VALUES {
        return Err(MapError::TooMany { cells, figures: selected.len() });
    }
    let [x, y] = &values;
    let ranged = [(map.x.path.as_str(), numbers[0].0, x.as_slice()), (map.y.path.as_str(), numbers[1].0, y.as_slice())];
    let batch = Batch::within(study, &ranged, [], &selected);
    Ok(Some(Cells { study, map, values, numbers, selected, batch }))
}

impl Cells<'_> {
    /// Reads a level of the first figure, which may have a unit; none: there is no figure.
    ///
    /// # Errors
    /// [`MapError::Level`] if it is no number.
    pub fn read_level(&self, text: &str) -> Result<Option<f64>, MapError> {
        self.selected.first().map(|selected| read_level(&selected.key, selected.figure, text)).transpose()
    }

    /// Both numbers at a cell: all of x at the first y, then at the next.
    fn cell(&self, number: usize) -> [f64; 2] {
        let [xs, ys] = &self.values;
        [xs[number % xs.len()], ys[number / xs.len()]]
    }
}

impl Pointwise for Cells<'_> {
    type State = Box<dyn Subject>;
    type Found = Mapped;
    type Error = MapError;

    fn points(&self) -> usize {
        self.values[0].len() * self.values[1].len()
    }

    fn figures(&self) -> usize {
        self.selected.len()
    }

    fn start(&self) -> Box<dyn Subject> {
        self.study.to_owned()
    }

    fn at(&self, study: &mut Box<dyn Subject>, number: usize, watch: Watch<'_>) -> Option<At> {
        move_to(&mut **study, self.map, self.cell(number));
        allowed(&self.selected, &**study, watch)
    }

    fn batch(&self) -> Option<&Batch> {
        self.batch.as_ref()
    }

    fn columns(&self) -> usize {
        2
    }

    fn inputs(&self, points: &[usize], inputs: &mut [Vec<f64>]) {
        let [xs, ys] = &self.values;
        let width = xs.len();
        let mut rest = points;
        while let Some(first) = rest.first() {
            let row = first / width;
            let (of_row, others) = rest.split_at(rest.partition_point(|point| *point < (row + 1) * width));
            let from = points.len() - rest.len();
            for (x, point) in inputs[0][from..].iter_mut().zip(of_row) {
                *x = xs[point - row * width];
            }
            inputs[1][from..from + of_row.len()].fill(ys[row]);
            rest = others;
        }
    }

    fn conclude(self, found: Values) -> Result<Mapped, MapError> {
        let left_out =
            LeftOut::of(&found, |place| self.cell(place)).map_err(|LeftOut { first, problem, .. }| {
                let [x, y] = [&self.map.x, &self.map.y].map(|range| range.path.clone());
                MapError::Nowhere { x, y, values: first, problem: problem.to_string() }
            })?;
        let Self { map, values: [xs, ys], numbers: [x, y], selected, .. } = self;
        let figure = |(place, of): (usize, SelectedFigure)| FigureMap {
            key: of.key,
            label: of.label,
            figure: of.figure,
            values: found.column(place).iter().map(|value| number(*value)).collect(),
        };
        let figures = selected.into_iter().enumerate().map(figure).collect();
        let along = |range: &Range, (quantity, present), values| Along {
            path: range.path.clone(),
            quantity,
            present,
            values,
            is_logarithmic: range.is_logarithmic,
        };
        Ok(Mapped { x: along(&map.x, x, xs), y: along(&map.y, y, ys), figures, left_out })
    }
}

/// Sets the two numbers of a cell in a study.
fn move_to(study: &mut dyn Subject, map: &Map, [x, y]: [f64; 2]) {
    set_number(study, &map.x.path, x);
    set_number(study, &map.y.path, y);
}

/// Whether both paths lead to one number: an entry of a list has a name and a place.
fn is_same_number(study: &dyn Subject, x: &Range, y: &Range) -> bool {
    let mut moved = study.to_owned();
    [x.ends[0], 2.0 * x.ends[0] + 1.0].into_iter().all(|value| {
        set_number(&mut *moved, &x.path, value)
            && number_at(&*moved, &y.path).is_some_and(|(_, now)| now == Some(value))
    })
}
