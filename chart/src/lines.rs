//! Line charts: curves and bands over a quantity, a threshold that parts GPU from CPU, named points and break-even
//! markers.

use super::axis::Axis;
use super::coincide::{Coincidences, Path, SOLID, Stretch, WIDER};
use super::labels::Labels;
use super::svg::{Anchor, Canvas, DASH, DASHES, DOTS, MARGIN, Rect, Stroke, Swatch, TEXT_SIZE, ellipsize, text_width};
use crate::theme::Token;

/// A curve, its spots, and its stretches.
type Drawn<'s> = (&'s Series, Vec<Option<[f64; 2]>>, Vec<Stretch>);

/// A line chart, complete.
#[derive(Clone, Debug)]
pub struct LineChart {
    /// The question the chart answers.
    pub title: String,
    /// What the curves hold for, for example the scenario and the operator class.
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
    /// The value of y from which the GPU is taken; above it is the GPU's side, below it the CPU's.
    pub threshold: Option<f64>,
    /// Named points, for example operators.
    pub points: Vec<Labelled>,
    /// Where curves cross the threshold.
    pub breakevens: Vec<BreakEvenMark>,
}

/// An area between two curves.
#[derive(Clone, Debug)]
pub struct Band {
    /// Its name in the legend.
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
    /// What is marked on it.
    pub samples: Samples,
}

impl Series {
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
}

impl Samples {
    /// Every value with whether the curve was fitted to it.
    pub fn all(&self) -> impl Iterator<Item = ([f64; 2], bool)> + '_ {
        let left_out = self.left_out.iter().map(|place| (*place, false));
        self.places.iter().map(|place| (*place, true)).chain(left_out)
    }
}

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
    /// Its place, in data units.
    pub x: f64,
    /// Its place, in data units.
    pub y: f64,
    /// Its colour.
    pub token: Token,
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

/// Below this size, in pixels, a chart cannot be read.
const SMALLEST_SIZE: [f64; 2] = [360.0, 240.0];
/// Least height of a plot with its axes, in pixels.
const SMALLEST_PLOT: f64 = 200.0;
/// Distance of a marker's corners from its middle, in pixels.
const MARKER_SIZE: f64 = 4.5;
/// How opaque a band is.
pub(super) const BAND_TINT: f64 = 0.22;
/// Longest name beside a point, in pixels.
const LONGEST_POINT_LABEL: f64 = 160.0;

impl LineChart {
    /// Named points that have a place on the axes, with their index: none at zero on a logarithmic axis.
    pub(super) fn placed_points(&self) -> impl Iterator<Item = (usize, &Labelled)> {
        let has_place = |point: &Labelled| self.x.has_place_for(point.x) && self.y.has_place_for(point.y);
        self.points.iter().enumerate().filter(move |(_, point)| has_place(point))
    }

    /// Which curves coincide, in words: a sentence for each group of them, with a full stop; empty if none do.
    #[must_use]
    pub fn coincidences(&self) -> String {
        full_stopped(&self.sentences(&self.coinciding()))
    }

    pub(super) fn sentences(&self, coinciding: &Coincidences) -> Vec<String> {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        coinciding.sentences(&names, extent(&self.x), |x| (self.x.format)(self.x.from_plot(x)))
    }

    pub(super) fn coinciding(&self) -> Coincidences {
        let paths: Vec<Path> = self.series.iter().map(|series| self.path(series)).collect();
        Coincidences::new(&paths, [extent(&self.x), extent(&self.y)])
    }

    /// The points that a curve is drawn through, in plot coordinates.
    fn path(&self, series: &Series) -> Path {
        let has_place = |[x, y]: &[f64; 2]| self.x.has_place_for(*x) && self.y.has_place_for(*y);
        series
            .path()
            .map(|at| Some(at).filter(has_place).map(|[x, y]| [self.x.to_plot(x), self.y.to_plot(y)]))
            .collect()
    }

    pub(super) fn to_svg(&self, dark: bool, size: [f64; 2]) -> String {
        let [width, height] = [size[0].max(SMALLEST_SIZE[0]), size[1].max(SMALLEST_SIZE[1])];
        let mut canvas = Canvas::new(dark, width);
        let below_heading = canvas.heading(&self.title, &self.answer, &self.subtitle);
        let coinciding = self.coinciding();
        let top = canvas.legend(below_heading, &self.legend(&coinciding));
        let height = height.max(top + SMALLEST_PLOT);
        let frame = Frame::new(self, width, [top, height]);
        self.draw_sides(&mut canvas, &frame);
        self.draw_bands(&mut canvas, &frame);
        self.draw_axes(&mut canvas, &frame);
        let mut labels = Labels::inside(frame.plot);
        let drawn = self.draw_curves(&mut canvas, &frame, &coinciding, &mut labels);
        self.draw_marks(&mut canvas, &frame, labels);
        if !drawn && self.points.is_empty() {
            let message = "No values in this range";
            let left = f64::midpoint(frame.plot.left, frame.plot.right) - text_width(message, TEXT_SIZE) / 2.0;
            let middle = f64::midpoint(frame.plot.top, frame.plot.bottom);
            canvas.text_with_halo([left, middle], message, Token::TextWeak);
        }
        let description = [self.answer.as_str(), &self.coincidences()].join(" ");
        canvas.finish(height, &self.title, description.trim_end())
    }

    fn legend(&self, coinciding: &Coincidences) -> Vec<(String, Swatch)> {
        let bands = self.bands.iter().map(|band| (band.name.clone(), Swatch::Tint(band.token, BAND_TINT)));
        let curves = self.series.iter().map(|series| {
            let dash = if series.dashed { DASHES } else { "" };
            (series.name.clone(), Swatch::Line { token: series.token, dash })
        });
        let mut items: Vec<(String, Swatch)> = bands.chain(curves).collect();
        if self.threshold.is_some() {
            items.push(("threshold".to_owned(), Swatch::Line { token: Token::Threshold, dash: "" }));
        }
        items.extend(self.sentences(coinciding).into_iter().map(|sentence| (sentence, Swatch::None)));
        items
    }

    fn draw_sides(&self, canvas: &mut Canvas, frame: &Frame<'_>) {
        const TINT: f64 = 0.09;
        let Some(threshold) = self.threshold.filter(|&value| self.y.has_place_for(value)) else { return };
        let plot = frame.plot;
        let border = frame.spot_y(threshold).clamp(plot.top, plot.bottom);
        canvas.rect(Rect { bottom: border, ..plot }, Token::Gpu, TINT, "");
        canvas.rect(Rect { top: border, ..plot }, Token::Cpu, TINT, "");
    }

    fn draw_bands(&self, canvas: &mut Canvas, frame: &Frame<'_>) {
        let plot = frame.plot;
        let inside = |[x, y]: [f64; 2]| [x.clamp(plot.left, plot.right), y.clamp(plot.top, plot.bottom)];
        for band in &self.bands {
            let spot = |[x, low, high]: &[f64; 3]| frame.spot([*x, *low]).zip(frame.spot([*x, *high]));
            let (lower, upper): (Vec<_>, Vec<_>) = band.points.iter().filter_map(spot).unzip();
            let outline: Vec<[f64; 2]> = lower.into_iter().chain(upper.into_iter().rev()).map(inside).collect();
            canvas.tinted(&outline, band.token, BAND_TINT);
        }
    }

    fn draw_axes(&self, canvas: &mut Canvas, frame: &Frame<'_>) {
        let plot = frame.plot;
        let line = |major: bool| Stroke { token: Token::Grid, width: if major { 1.0 } else { 0.5 }, dash: "" };
        let mut free_from = f64::NEG_INFINITY;
        for tick in frame.x_ticks() {
            let x = frame.spot_x(tick.value);
            canvas.polyline(&[[x, plot.top], [x, plot.bottom]], line(tick.major));
            let Some(label) = tick.label else { continue };
            let half = text_width(&label, TEXT_SIZE) / 2.0;
            if x - half >= free_from {
                let centre = x.min(plot.right + MARGIN - half);
                canvas.text([centre, plot.bottom + TEXT_SIZE + 5.0], &label, Token::TextWeak, Anchor::Middle);
                free_from = x + half + 8.0;
            }
        }
        for tick in self.y.ticks(frame.max_y_labels()) {
            let y = frame.spot_y(tick.value);
            canvas.polyline(&[[plot.left, y], [plot.right, y]], line(tick.major));
            if let Some(label) = tick.label {
                canvas.text([plot.left - 7.0, y + TEXT_SIZE * 0.35], &label, Token::TextWeak, Anchor::End);
            }
        }
        let corner = [[plot.left, plot.top], [plot.left, plot.bottom], [plot.right, plot.bottom]];
        canvas.polyline(&corner, Stroke { token: Token::TextWeak, width: 1.0, dash: "" });
        let middle = f64::midpoint(plot.left, plot.right);
        let x_label = ellipsize(&self.x.label, TEXT_SIZE, plot.width());
        canvas.text([middle, plot.bottom + 2.0 * TEXT_SIZE + 13.0], &x_label, Token::Text, Anchor::Middle);
        let y_label = ellipsize(&self.y.label, TEXT_SIZE, plot.right - MARGIN);
        canvas.text([MARGIN, plot.top - 15.0], &y_label, Token::Text, Anchor::Start);
        if let Some(threshold) = self.threshold.filter(|&value| self.y.has_place_for(value)) {
            let y = frame.spot_y(threshold);
            if (plot.top..=plot.bottom).contains(&y) {
                let stroke = Stroke { token: Token::Threshold, width: 1.5, dash: "" };
                canvas.polyline(&[[plot.left, y], [plot.right, y]], stroke);
                let label = (self.y.format)(threshold);
                canvas.text([plot.right + 6.0, y + TEXT_SIZE * 0.35], &label, Token::Text, Anchor::Start);
            }
        }
    }

    /// Returns whether there was anything to draw.
    fn draw_curves(
        &self,
        canvas: &mut Canvas,
        frame: &Frame<'_>,
        coinciding: &Coincidences,
        labels: &mut Labels,
    ) -> bool {
        let mut drawn = false;
        let dashed: Vec<bool> = self.series.iter().map(|series| series.dashed).collect();
        let mut curves: Vec<Drawn<'_>> = Vec::new();
        for (index, series) in self.series.iter().enumerate() {
            let spots: Vec<_> = series.path().map(|point| frame.spot(point)).collect();
            let stretches = coinciding.stretches(index, spots.len(), &dashed);
            curves.push((series, spots, stretches));
        }
        if curves.iter().any(|(.., stretches)| stretches.iter().any(|stretch| stretch.lies_on_solid)) {
            curves.sort_by_key(|(series, ..)| series.dashed);
        }
        for (series, spots, stretches) in curves {
            for stretch in stretches {
                let dash = dash(series, &stretch);
                for run in visible_runs(spots[stretch.points.clone()].iter().copied(), &frame.plot) {
                    drawn = true;
                    labels.avoid_curve(&run);
                    let (dash, width) = if run.len() > 1 { (dash.as_str(), 2.0) } else { ("", 4.0) };
                    let width = if stretch.lies_on_solid { width * WIDER } else { width };
                    canvas.polyline(&run, Stroke { token: series.token, width, dash });
                }
            }
            for (place, is_fitted) in series.samples.all() {
                if let Some(spot) = frame.spot(place).filter(|spot| frame.plot.contains(*spot)) {
                    drawn = true;
                    labels.avoid_marker(spot, MARKER_SIZE);
                    let [x, y] = spot;
                    let corner =
                        |[dx, dy]: &[f32; 2]| [x + MARKER_SIZE * f64::from(*dx), y + MARKER_SIZE * f64::from(*dy)];
                    let corners: Vec<[f64; 2]> = series.samples.marker.corners().iter().map(corner).collect();
                    if is_fitted {
                        canvas.marker(&corners, series.token);
                    } else {
                        canvas.hollow_marker(&corners, series.token);
                    }
                }
            }
        }
        drawn
    }

    fn draw_marks(&self, canvas: &mut Canvas, frame: &Frame<'_>, mut labels: Labels) {
        let plot = frame.plot;
        let visible_points: Vec<(&Labelled, [f64; 2])> = self
            .points
            .iter()
            .filter_map(|point| Some((point, frame.spot([point.x, point.y])?)))
            .filter(|(_, spot)| plot.contains(*spot))
            .collect();
        let threshold_y = self.threshold.filter(|&value| self.y.has_place_for(value)).map(|value| frame.spot_y(value));
        let marker_y = threshold_y.filter(|y| (plot.top..=plot.bottom).contains(y));
        let breakevens = self.merged_breakevens(frame);
        for &(x, token, _) in &breakevens {
            let top = marker_y.unwrap_or(plot.top);
            labels.avoid_curve(&[[x, top], [x, plot.bottom]]);
            canvas.polyline(&[[x, top], [x, plot.bottom]], Stroke { token, width: 1.5, dash: DOTS });
        }
        for &(x, token, _) in &breakevens {
            let y = marker_y.unwrap_or(plot.bottom);
            labels.avoid_marker([x, y], 5.0);
            canvas.marker(&[[x, y - 6.0], [x + 6.0, y], [x, y + 6.0], [x - 6.0, y]], token);
        }
        for &(point, spot) in &visible_points {
            labels.avoid_marker(spot, 5.0);
            canvas.dot(spot, 4.5, point.token);
        }
        for (point, spot) in visible_points {
            let name = ellipsize(&point.label, TEXT_SIZE, LONGEST_POINT_LABEL);
            if let Some(place) = labels.place(&name, around(spot, text_width(&name, TEXT_SIZE))) {
                canvas.text_with_halo(place, &name, Token::Text);
            }
        }
        for (x, _, label) in breakevens {
            let label = ellipsize(label, TEXT_SIZE, LONGEST_POINT_LABEL);
            let width = text_width(&label, TEXT_SIZE);
            let first = marker_y.map_or(plot.top, |y| y.min(plot.bottom - 24.0)) + 14.0;
            let below = (0..4_u8).map(|row| first + 16.0 * f64::from(row));
            let above = (0..3_u8).map(|row| first - 28.0 - 16.0 * f64::from(row));
            let rows = below.chain(above);
            let places = rows.flat_map(|y| [[x + 6.0, y], [x - 6.0 - width, y]]);
            if let Some(place) = labels.place(&label, places) {
                canvas.text_with_halo(place, &label, Token::Text);
            }
        }
        if let Some(border) = threshold_y {
            let ends = |y: f64| [[plot.left + 8.0, y], [plot.right - 38.0, y]];
            let sides = [
                ("GPU", border > plot.top + 20.0, [plot.top + 14.0, border - 14.0]),
                ("CPU", border < plot.bottom - 20.0, [border.max(plot.top) + 14.0, plot.bottom - 14.0]),
            ];
            for (name, has_room, [first, second]) in sides {
                let place = labels.place(name, ends(first).into_iter().chain(ends(second)));
                if let Some(place) = place.filter(|_| has_room) {
                    canvas.text(place, name, Token::TextWeak, Anchor::Start);
                }
            }
        }
    }

    /// Break-evens inside the plot by pixel, colour and label; those that fall together are one, in a neutral colour
    /// where their curves differ.
    fn merged_breakevens(&self, frame: &Frame<'_>) -> Vec<(f64, Token, &str)> {
        let mut marks: Vec<(f64, Token, &str)> = self
            .breakevens
            .iter()
            .filter(|mark| self.x.has_place_for(mark.x))
            .map(|mark| {
                let token = self.series.get(mark.series).map_or(Token::Threshold, |series| series.token);
                (frame.spot_x(mark.x), token, mark.label.as_str())
            })
            .filter(|(x, ..)| (frame.plot.left..=frame.plot.right).contains(x))
            .collect();
        marks.sort_by(|a, b| a.0.total_cmp(&b.0));
        marks.dedup_by(|next, kept| {
            let same = next.0 - kept.0 < 3.0 && next.2 == kept.2;
            if same && next.1 != kept.1 {
                kept.1 = Token::Threshold;
            }
            same
        });
        marks
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

/// The dash pattern of a stretch of a curve.
fn dash(series: &Series, stretch: &Stretch) -> String {
    match (stretch.turn.of, series.dashed) {
        (1, true) => DASHES.to_owned(),
        (1, false) => String::new(),
        (_, is_dashed) => {
            let pattern = stretch.turn.pattern(if is_dashed { DASH } else { SOLID });
            pattern.map(|length| length.to_string()).join(" ")
        }
    }
}

/// The geometry of a line chart: where the plot lies, and where in it a value falls.
struct Frame<'a> {
    plot: Rect,
    x: &'a Axis,
    y: &'a Axis,
}

impl<'a> Frame<'a> {
    fn new(chart: &'a LineChart, width: f64, [top, bottom]: [f64; 2]) -> Self {
        let plot = Rect {
            left: MARGIN,
            top: top + TEXT_SIZE + 18.0,
            right: width - MARGIN,
            bottom: bottom - MARGIN - 2.0 * TEXT_SIZE - 14.0,
        };
        let mut frame = Self { plot, x: &chart.x, y: &chart.y };
        let widest = |labels: &mut dyn Iterator<Item = String>| {
            labels.map(|label| text_width(&label, TEXT_SIZE)).fold(0.0, f64::max).min(width / 4.0)
        };
        frame.plot.left += 8.0 + widest(&mut chart.y.ticks(frame.max_y_labels()).into_iter().filter_map(|t| t.label));
        frame.plot.right -= 8.0 + widest(&mut chart.threshold.iter().map(|&value| (chart.y.format)(value)));
        frame
    }

    fn max_y_labels(&self) -> usize {
        whole(self.plot.height() / 32.0)
    }

    /// As many ticks as there is room for the labels of.
    fn x_ticks(&self) -> Vec<super::axis::Tick> {
        let ticks = self.x.ticks(whole(self.plot.width() / 50.0).min(10));
        let widest = ticks
            .iter()
            .filter_map(|tick| tick.label.as_deref())
            .map(|label| text_width(label, TEXT_SIZE))
            .fold(1.0, f64::max);
        self.x.ticks(whole(self.plot.width() / (widest + 16.0)).min(10))
    }

    fn spot_x(&self, x: f64) -> f64 {
        self.plot.left + self.x.fraction(x) * self.plot.width()
    }

    fn spot_y(&self, y: f64) -> f64 {
        self.plot.bottom - self.y.fraction(y) * self.plot.height()
    }

    /// Where a point falls, inside the plot or not; nothing where an axis has no place for it.
    fn spot(&self, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        let spot = [self.spot_x(x), self.spot_y(y)];
        let placed = self.x.has_place_for(x) && self.y.has_place_for(y) && spot.iter().all(|side| side.is_finite());
        placed.then_some(spot)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number of labels")]
fn whole(count: f64) -> usize {
    count.clamp(2.0, 100.0) as usize
}

/// Places for a text of a width beside a spot, best first: right, left, above, below, then the same further off.
fn around([x, y]: [f64; 2], width: f64) -> impl Iterator<Item = [f64; 2]> {
    [9.0, 18.0, 30.0].into_iter().flat_map(move |away| {
        let (right, left, centred) = (x + away, x - away - width, x - width / 2.0);
        let (above, below) = (y - away - 5.0, y + away + 5.0);
        [
            [right, y],
            [left, y],
            [centred, above],
            [centred, below],
            [right, above],
            [left, above],
            [right, below],
            [left, below],
        ]
    })
}

/// The parts of a polyline inside an area; `None` among the points is a gap. A lone point is a run of one.
fn visible_runs(points: impl Iterator<Item = Option<[f64; 2]>>, area: &Rect) -> Vec<Vec<[f64; 2]>> {
    let mut runs: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut before_gap: Option<[f64; 2]> = None;
    for point in points {
        if let Some(here) = point {
            match before_gap {
                None if area.contains(here) => runs.push(vec![here]),
                None => {}
                Some(previous) => {
                    if let Some([from, to]) = clip([previous, here], area) {
                        match runs.last_mut().filter(|run| run.last() == Some(&from)) {
                            Some(run) => run.push(to),
                            None => runs.push(vec![from, to]),
                        }
                    }
                }
            }
        }
        before_gap = point;
    }
    runs
}

/// The part of a segment inside an area (Liang and Barsky 1984).
fn clip([[x0, y0], [x1, y1]]: [[f64; 2]; 2], area: &Rect) -> Option<[[f64; 2]; 2]> {
    let (dx, dy) = (x1 - x0, y1 - y0);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let edges = [(-dx, x0 - area.left), (dx, area.right - x0), (-dy, y0 - area.top), (dy, area.bottom - y0)];
    for (towards, room) in edges {
        if towards == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if towards < 0.0 {
            enter = enter.max(room / towards);
        } else {
            leave = leave.min(room / towards);
        }
    }
    let at = |t: f64, end: [f64; 2]| if t == 0.0 || t == 1.0 { end } else { [x0 + t * dx, y0 + t * dy] };
    (enter <= leave).then(|| [at(enter, [x0, y0]), at(leave, [x1, y1])])
}

#[cfg(test)]
mod tests {
    use super::{Samples, Series, clip, visible_runs};
    use crate::svg::Rect;

    const AREA: Rect = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn segments_are_cut_at_the_edges() {
        let check = |segment, expected| assert_eq!(clip(segment, &AREA), expected, "{segment:?}");
        check([[1.0, 1.0], [2.0, 2.0]], Some([[1.0, 1.0], [2.0, 2.0]]));
        check([[-5.0, 5.0], [15.0, 5.0]], Some([[0.0, 5.0], [10.0, 5.0]]));
        check([[5.0, 5.0], [5.0, 1e6]], Some([[5.0, 5.0], [5.0, 10.0]]));
        check([[-5.0, -5.0], [-5.0, 15.0]], None);
        check([[-5.0, 9.0], [2.0, 16.0]], None);
    }

    #[test]
    fn a_value_of_a_step_curve_holds_until_the_next_one() {
        let points = vec![[0.0, 1.0], [2.0, 1.0], [3.0, 4.0]];
        let path = |steps| {
            let token = crate::theme::Token::Cpu;
            let name = String::new();
            let points = points.clone();
            Series { name, token, dashed: false, points, steps, samples: Samples::default() }.path().collect::<Vec<_>>()
        };
        assert_eq!(path(false), points);
        assert_eq!(path(true), [[0.0, 1.0], [2.0, 1.0], [3.0, 1.0], [3.0, 4.0]]);
    }

    #[test]
    fn curves_split_at_gaps_and_at_the_edges() {
        let at = |x: f64, y: f64| Some([x, y]);
        let check = |points: &[Option<[f64; 2]>], lengths: &[usize]| {
            let runs = visible_runs(points.iter().copied(), &AREA);
            assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), lengths, "{points:?} gave {runs:?}");
        };
        check(&[], &[]);
        check(&[at(1.0, 1.0), at(2.0, 1.0), at(3.0, 1.0)], &[3]);
        check(&[at(1.0, 1.0), at(2.0, 1.0), None, at(3.0, 1.0), at(4.0, 2.0)], &[2, 2]);
        check(&[at(1.0, 1.0), None, at(3.0, 1.0)], &[1, 1]);
        check(&[at(1.0, 5.0), at(2.0, 50.0), at(3.0, 5.0)], &[2, 2]);
        check(&[at(-5.0, 5.0), None, at(20.0, 5.0)], &[]);
    }
}
