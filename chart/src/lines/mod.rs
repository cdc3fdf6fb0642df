//! Line charts: curves and bands over a quantity, a threshold that parts GPU from CPU, named points and break-even
//! markers.

mod frame;
mod hover;
mod piles;
mod svg;

use super::axis::Axis;
use super::coincide::{Coincidences, Path};
use crate::theme::Token;

/// A line chart, complete.
#[derive(Clone, Debug)]
pub struct LineChart {
    /// The question the chart answers.
    pub title: String,
    /// What the curves are valid for, for example the scenario and the operator class.
    pub subtitle: String,
    /// The answer, in one sentence.
    pub answer: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Areas behind the curves, in the order of the legend.
    pub bands: Vec<Band>,
    /// The curves, in the order of the legend.
    pub series: Vec<Series>,
    /// The value of y from which operators go to the GPU; above it is the GPU's side, below it the CPU's.
    pub threshold: Option<f64>,
    /// Named points, for example operators.
    pub points: Vec<Labelled>,
    /// x and y of each named point as text, if they have other digits than those of the axes. Only the points of such a chart have values:
    /// its lines join or surround them, and are not read between them. Empty: curves are read.
    pub readings: Vec<[String; 2]>,
    /// Where curves cross the threshold.
    pub breakevens: Vec<BreakEvenMark>,
    /// Whether dragging the threshold or a named point edits the study.
    pub is_editable: bool,
}

/// An area between two curves.
#[derive(Clone, Debug)]
pub struct Band {
    /// Its name in the legend; empty: it has none there.
    pub name: String,
    /// Its colour, of which it is a tint.
    pub token: Token,
    /// x, the lower and the upper end, in data units; all finite.
    pub points: Vec<[f64; 3]>,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its colour.
    pub token: Token,
    /// Whether it is dashed, which means compression.
    pub dashed: bool,
    /// x and y in data units; a point that is not finite is a gap.
    pub points: Vec<[f64; 2]>,
    /// Whether each value holds until the next point, so that the curve goes in steps.
    pub steps: bool,
    /// Its marked values.
    pub samples: Samples,
}

impl Series {
    /// A curve through points, without marks.
    #[must_use]
    pub fn line(name: impl Into<String>, token: Token, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.into(), token, dashed: false, points, steps: false, samples: Samples::default() }
    }

    /// A curve whose values hold until the next point, without marks.
    #[must_use]
    pub fn steps(name: impl Into<String>, token: Token, points: Vec<[f64; 2]>) -> Self {
        Self { steps: true, ..Self::line(name, token, points) }
    }

    /// Marks without a curve.
    #[must_use]
    pub fn marks(name: impl Into<String>, token: Token, samples: Samples) -> Self {
        Self { samples, ..Self::line(name, token, Vec::new()) }
    }

    /// The points that the curve is drawn through: its own, and the corners of its steps.
    pub(super) fn path(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        let mut before = None;
        self.points.iter().flat_map(move |&[x, y]| {
            let corner = before.replace(y).filter(|before: &f64| self.steps && *before != y).map(|before| [x, before]);
            corner.into_iter().chain([[x, y]])
        })
    }
}

/// Marked values that a curve goes through or near: measured ones, or those at which something happened.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// How they are marked.
    pub marker: Marker,
    /// x and y in data units, of those that the curve was fitted to.
    pub places: Vec<[f64; 2]>,
    /// x and y in data units, of those that the curve was not fitted to; drawn hollow.
    pub left_out: Vec<[f64; 2]>,
    /// Names of all of them, in the order of [`Samples::all`]; a named value can be picked. Empty: they have none.
    pub names: Vec<String>,
    /// Error bars: the ends of the intervals of some values, x and y in data units.
    pub whiskers: Vec<[[f64; 2]; 2]>,
}

impl Samples {
    /// Every value with whether the curve was fitted to it.
    pub fn all(&self) -> impl Iterator<Item = ([f64; 2], bool)> + '_ {
        let left_out = self.left_out.iter().map(|place| (*place, false));
        self.places.iter().map(|place| (*place, true)).chain(left_out)
    }

    /// Error bars whose ends both have a place on the axes.
    pub(super) fn placed_whiskers<'a>(&'a self, x: &'a Axis, y: &'a Axis) -> impl Iterator<Item = [[f64; 2]; 2]> + 'a {
        let is_placed = move |[at, value]: &[f64; 2]| x.has_place_for(*at) && y.has_place_for(*value);
        self.whiskers.iter().filter(move |ends| ends.iter().all(is_placed)).copied()
    }
}

/// Lines of the interval of a curve at about so many of its points.
const WHISKERS: usize = 3;

/// Lines of the interval of a curve, given as x, the lower and the upper end, at a few of these points. Of `count` curves beside each
/// other, each has points of its own by its number `nth`, so that lines are not drawn on each other.
#[must_use]
pub fn whiskers(interval: &[[f64; 3]], nth: usize, count: usize) -> Vec<[[f64; 2]; 2]> {
    let apart = (interval.len() / WHISKERS).max(count).max(1);
    let points = interval.iter().skip(apart * nth / count.max(1)).step_by(apart);
    points.filter(|[_, low, high]| low < high).map(|[x, low, high]| [[*x, *low], [*x, *high]]).collect()
}

/// Width of the line of an interval, as a share of that of a curve.
pub(super) const WHISKER: f64 = 0.6;

/// The shape that marks a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marker {
    /// A square on its side.
    #[default]
    Square,
    /// A square on its corner.
    Diamond,
    /// A triangle on its side.
    Up,
    /// A triangle on its corner.
    Down,
}

impl Marker {
    /// The corners around the place, one being about the distance of each.
    #[must_use]
    pub fn corners(self) -> &'static [[f32; 2]] {
        match self {
            Self::Square => &[[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]],
            Self::Diamond => &[[0.0, -1.2], [1.2, 0.0], [0.0, 1.2], [-1.2, 0.0]],
            Self::Up => &[[0.0, -1.2], [1.1, 0.8], [-1.1, 0.8]],
            Self::Down => &[[-1.1, -0.8], [1.1, -0.8], [0.0, 1.2]],
        }
    }
}

/// A named point.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// Its name.
    pub label: String,
    /// The number of its row in the table below the chart, which stands before the name, or alone where that has no room; empty: it is
    /// in no table.
    pub short: String,
    /// Its place, in data units.
    pub x: f64,
    /// Its place, in data units.
    pub y: f64,
    /// Its colour.
    pub token: Token,
}

impl Labelled {
    /// Its name behind the number of its row: "7: RAPIDS, 4 × g6.2xlarge".
    #[must_use]
    pub fn name(&self) -> String {
        if self.short.is_empty() { self.label.clone() } else { format!("{}: {}", self.short, self.label) }
    }
}

/// Where a curve crosses the threshold.
#[derive(Clone, Debug)]
pub struct BreakEvenMark {
    /// Index of the curve in [`LineChart::series`].
    pub series: usize,
    /// Where it crosses, in data units.
    pub x: f64,
    /// The value as text, for example "8.7 ms".
    pub label: String,
}

/// What is written with a chart whose points have the numbers of rows.
pub(super) const ROW_NUMBERS: &str = "A number in the chart is a row of the table.";
/// How opaque a band is.
pub(super) const BAND_TINT: f64 = 0.22;

impl LineChart {
    /// A chart with a title and axes, and nothing else.
    #[must_use]
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self {
            title: title.into(),
            subtitle: String::new(),
            answer: String::new(),
            x,
            y,
            bands: Vec::new(),
            series: Vec::new(),
            threshold: None,
            points: Vec::new(),
            readings: Vec::new(),
            breakevens: Vec::new(),
            is_editable: false,
        }
    }

    /// Its title and its subtitle.
    #[must_use]
    pub fn captions(&self) -> [&str; 2] {
        [&self.title, &self.subtitle]
    }

    /// Whether its points are rows of a table.
    pub(super) fn has_row_numbers(&self) -> bool {
        self.points.iter().any(|point| !point.short.is_empty())
    }

    /// Named points that have a place on the axes, with their index: none at zero on a logarithmic axis.
    pub(super) fn placed_points(&self) -> impl Iterator<Item = (usize, &Labelled)> {
        let has_place = |point: &Labelled| self.x.has_place_for(point.x) && self.y.has_place_for(point.y);
        self.points.iter().enumerate().filter(move |(_, point)| has_place(point))
    }

    /// Whether a named point is a mark of its colour that has no curve: then only its name is drawn.
    pub(super) fn is_marked(&self, point: &Labelled) -> bool {
        let marks = self.series.iter().filter(|series| series.points.is_empty() && series.token == point.token);
        let mut marked = marks.flat_map(|series| series.samples.all());
        marked.any(|(place, _)| place == [point.x, point.y])
    }

    /// Size of each mark as a multiple of the usual size, series by series in the order of [`Samples::all`]. In a chart whose points
    /// are rows of a table, a mark below others is larger. `spot`: where a place is, `size`: the usual size.
    pub(super) fn mark_sizes(&self, spot: impl Fn([f64; 2]) -> Option<[f64; 2]>, size: f64) -> Vec<Vec<f64>> {
        let of_series = |series: &Series| series.samples.all().map(|(place, _)| spot(place)).collect();
        let spots: Vec<Vec<Option<[f64; 2]>>> = self.series.iter().map(of_series).collect();
        if !self.has_row_numbers() {
            return spots.iter().map(|spots| vec![1.0; spots.len()]).collect();
        }
        let placed: Vec<[f64; 2]> = spots.iter().flatten().flatten().copied().collect();
        let mut sizes = piles::sizes(&placed, size).into_iter();
        let mut size_at = |spot: &Option<[f64; 2]>| spot.and_then(|_| sizes.next()).unwrap_or(1.0);
        spots.iter().map(|spots| spots.iter().map(&mut size_at).collect()).collect()
    }

    /// Which curves coincide, in words: a sentence for each group of them, with a full stop; empty if none do.
    #[must_use]
    pub fn coincidences(&self) -> String {
        full_stopped(&self.sentences(&self.coinciding(&self.paths())))
    }

    pub(super) fn sentences(&self, coinciding: &Coincidences) -> Vec<String> {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        coinciding.sentences(&names, extent(&self.x), |x| (self.x.format)(self.x.from_plot(x)))
    }

    /// Where the curves with these [`paths`](Self::paths) coincide.
    pub(super) fn coinciding(&self, paths: &[Path]) -> Coincidences {
        Coincidences::new(paths, [extent(&self.x), extent(&self.y)])
    }

    /// The points that each curve is drawn through, in plot coordinates.
    pub(super) fn paths(&self) -> Vec<Path> {
        self.series.iter().map(|series| self.path(series)).collect()
    }

    fn path(&self, series: &Series) -> Path {
        let has_place = |[x, y]: &[f64; 2]| self.x.has_place_for(*x) && self.y.has_place_for(*y);
        series
            .path()
            .map(|at| Some(at).filter(has_place).map(|[x, y]| [self.x.to_plot(x), self.y.to_plot(y)]))
            .collect()
    }
}

/// Sentences with their full stops.
pub(super) fn full_stopped(sentences: &[String]) -> String {
    sentences.iter().map(|sentence| format!("{sentence}.")).collect::<Vec<_>>().join(" ")
}

/// The width of an axis in plot coordinates.
fn extent(axis: &Axis) -> f64 {
    let [low, high] = axis.bounds().map(|end| axis.to_plot(end));
    high - low
}

#[cfg(test)]
mod tests {
    use super::{Series, whiskers};

    #[test]
    fn curves_beside_each_other_have_the_lines_of_their_intervals_at_other_points() {
        let interval: Vec<[f64; 3]> = (0..12).map(|x| [f64::from(x), 1.0, 2.0]).collect();
        let places = |nth| whiskers(&interval, nth, 4).iter().map(|[low, _]| low[0]).collect::<Vec<_>>();
        assert_eq!([places(0), places(1), places(3)], [[0.0, 4.0, 8.0], [1.0, 5.0, 9.0], [3.0, 7.0, 11.0]]);
        assert_eq!(whiskers(&[[1.0, 2.0, 3.0], [2.0, 3.0, 3.0]], 0, 1), [[[1.0, 2.0], [1.0, 3.0]]]);
        assert!(whiskers(&[], 0, 0).is_empty());
    }

    #[test]
    fn a_value_of_a_step_curve_holds_until_the_next_one() {
        let points = vec![[0.0, 1.0], [2.0, 1.0], [3.0, 4.0]];
        let path = |steps| {
            let token = crate::theme::Token::Cpu;
            let name = String::new();
            let points = points.clone();
            Series { steps, ..Series::line(name, token, points) }.path().collect::<Vec<_>>()
        };
        assert_eq!(path(false), points);
        assert_eq!(path(true), [[0.0, 1.0], [2.0, 1.0], [3.0, 1.0], [3.0, 4.0]]);
    }
}
