//! A line chart as an SVG picture.

use super::frame::Frame;
use super::{BAND_TINT, Labelled, LineChart, ROW_NUMBERS, Series, WHISKER};
use crate::clip::visible_runs;
use crate::coincide::{Coincidences, SOLID, Stretch, WIDER};
use crate::labels::{Labels, baseline};
use crate::svg::{
    Anchor, Canvas, DASH, DASHES, DOTS, MARGIN, MARKER_SIZE, Rect, Stroke, Swatch, TEXT_SIZE, around_spot, ellipsize,
    text_width,
};
use crate::theme::Token;

/// A curve, its spots, the sizes of its marks, and its stretches.
type Drawn<'s> = (&'s Series, Vec<Option<[f64; 2]>>, Vec<f64>, Vec<Stretch>);

/// Below this size, in pixels, a chart cannot be read.
const SMALLEST_SIZE: [f64; 2] = [360.0, 240.0];
/// Least height of a plot with its axes, in pixels.
const SMALLEST_PLOT: f64 = 200.0;
/// Longest name beside a point, in pixels.
const LONGEST_POINT_LABEL: f64 = 280.0;

impl LineChart {
    /// `has_values`: whether a browser shows the values of the curves at the pointer.
    pub(crate) fn to_svg(&self, dark: bool, size: [f64; 2], has_values: bool) -> String {
        let [width, height] = [size[0].max(SMALLEST_SIZE[0]), size[1].max(SMALLEST_SIZE[1])];
        let mut canvas = Canvas::new(dark, width);
        let below_heading = canvas.heading(&self.title, &self.answer, &self.subtitle);
        let coinciding = self.coinciding(&self.paths());
        let mut legend = self.legend(&coinciding);
        legend.extend(self.has_row_numbers().then(|| (ROW_NUMBERS.to_owned(), Swatch::None)));
        let top = canvas.legend(below_heading, &legend);
        let height = height.max(top + SMALLEST_PLOT);
        let frame = Frame::new(self, width, [top, height]);
        self.draw_sides(&mut canvas, &frame);
        self.draw_bands(&mut canvas, &frame);
        self.draw_axes(&mut canvas, &frame);
        let mut labels = Labels::inside(frame.plot);
        let drawn = self.draw_curves(&mut canvas, &frame, &coinciding, &mut labels);
        self.draw_marks(&mut canvas, &frame, labels);
        if has_values {
            self.draw_strips(&mut canvas, &frame);
        }
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
        let named = self.bands.iter().filter(|band| !band.name.is_empty());
        let bands = named.map(|band| (band.name.clone(), Swatch::Tint(band.token, BAND_TINT)));
        let curves = self.series.iter().map(|series| {
            let dash = if series.dashed { DASHES } else { "" };
            let is_marks_only = series.points.is_empty() && series.samples.all().next().is_some();
            let swatch = if is_marks_only {
                Swatch::Mark(series.token, series.samples.marker.corners())
            } else {
                Swatch::Line { token: series.token, dash }
            };
            (series.name.clone(), swatch)
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
        for band in &self.bands {
            let spot = |[x, low, high]: &[f64; 3]| frame.spot([*x, *low]).zip(frame.spot([*x, *high]));
            let (lower, upper): (Vec<_>, Vec<_>) = band.points.iter().filter_map(spot).unzip();
            let outline: Vec<[f64; 2]> = lower.into_iter().chain(upper.into_iter().rev()).collect();
            canvas.tinted(&clipped(outline, &plot), band.token, BAND_TINT);
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
        let is_inside = |spot: &[f64; 2]| frame.plot.contains(*spot);
        let sizes = self.mark_sizes(|place| frame.spot(place).filter(is_inside), MARKER_SIZE);
        for ((index, series), sizes) in self.series.iter().enumerate().zip(sizes) {
            let spots: Vec<_> = series.path().map(|point| frame.spot(point)).collect();
            let stretches = coinciding.stretches(index, spots.len(), &dashed);
            curves.push((series, spots, sizes, stretches));
        }
        if curves.iter().any(|(.., stretches)| stretches.iter().any(|stretch| stretch.lies_on_solid)) {
            curves.sort_by_key(|(series, ..)| series.dashed);
        }
        for (series, spots, sizes, stretches) in curves {
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
            for ends in series.samples.placed_whiskers(&self.x, &self.y) {
                for run in visible_runs(ends.map(|end| frame.spot(end)).into_iter(), &frame.plot) {
                    drawn = true;
                    canvas.polyline(&run, Stroke { token: series.token, width: 2.0 * WHISKER, dash: "" });
                }
            }
            for (index, ((place, is_fitted), larger)) in series.samples.all().zip(sizes).enumerate() {
                if let Some(spot) = frame.spot(place).filter(is_inside) {
                    drawn = true;
                    let size = larger * MARKER_SIZE;
                    labels.avoid_marker(spot, size);
                    let corners = around_spot(series.samples.marker.corners(), spot, size);
                    let name = series.samples.names.get(index).map_or("", String::as_str);
                    canvas.sample(&corners, series.token, is_fitted, name);
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
            if !self.is_marked(point) {
                canvas.dot(spot, 4.5, point.token);
            }
        }
        let places = |spot: [f64; 2], text: &str| around(spot, text_width(text, TEXT_SIZE));
        // The numbers first: long names would take their room.
        let number = |(point, spot): &(&Labelled, [f64; 2])| {
            let short = Some(point.short.as_str()).filter(|short| !short.is_empty())?;
            labels.reserve(short, places(*spot, short))
        };
        let numbers: Vec<Option<Rect>> = visible_points.iter().map(number).collect();
        for ((point, spot), number) in visible_points.into_iter().zip(numbers) {
            let name = ellipsize(&point.name(), TEXT_SIZE, LONGEST_POINT_LABEL);
            let Some(number) = number else {
                if let Some(place) = labels.place(&name, places(spot, &name)) {
                    canvas.text_with_halo(place, &name, Token::Text);
                }
                continue;
            };
            match labels.replace(number, &name, places(spot, &name)) {
                Some(place) => canvas.text_with_halo(place, &name, Token::Text),
                None => canvas.text_with_halo(baseline(&number), &point.short, Token::Text),
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
/// The part of an outline inside a rectangle, one side of it after the other (Sutherland and Hodgman 1974).
fn clipped(outline: Vec<[f64; 2]>, plot: &Rect) -> Vec<[f64; 2]> {
    // Distance inside of each side; on the side itself it is 0.
    let sides: [fn([f64; 2], &Rect) -> f64; 4] = [
        |[x, _], plot| x - plot.left,
        |[x, _], plot| plot.right - x,
        |[_, y], plot| y - plot.top,
        |[_, y], plot| plot.bottom - y,
    ];
    sides.into_iter().fold(outline, |outline, inside| {
        let mut kept = Vec::with_capacity(outline.len() + 2);
        for (at, to) in outline.iter().enumerate() {
            let from = outline[(at + outline.len() - 1) % outline.len()];
            let (before, here) = (inside(from, plot), inside(*to, plot));
            if (before < 0.0) != (here < 0.0) {
                let share = before / (before - here);
                kept.push([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]);
            }
            if here >= 0.0 {
                kept.push(*to);
            }
        }
        kept
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_is_cut_where_it_leaves_the_plot() {
        let plot = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };
        // A stripe along the diagonal, one wide to either side, drawn from corner to corner: worked out by hand.
        let stripe = vec![[-1.0, 0.0], [10.0, 11.0], [11.0, 10.0], [0.0, -1.0]];
        let found = clipped(stripe, &plot);
        for corner in [[0.0, 1.0], [9.0, 10.0], [10.0, 10.0], [10.0, 9.0], [1.0, 0.0], [0.0, 0.0]] {
            assert!(found.contains(&corner), "{corner:?} in {found:?}");
        }
        assert_eq!(found.len(), 6);
        let inside = vec![[1.0, 1.0], [2.0, 5.0], [3.0, 1.0]];
        assert_eq!(clipped(inside.clone(), &plot), inside);
        assert_eq!(clipped(vec![[11.0, 1.0], [12.0, 5.0], [13.0, 1.0]], &plot), [[0.0; 2]; 0]);
    }
}
