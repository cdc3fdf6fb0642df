//! Bar charts: where the time goes, one stacked bar per operator and processor.

use super::axis::{Axis, Scale};
use super::svg::{Anchor, Canvas, MARGIN, Rect, Stroke, Swatch, TEXT_SIZE, ellipsize, text_width, wrap};
use crate::theme::Token;

/// A chart of horizontal stacked bars, complete.
#[derive(Clone, Debug)]
pub struct BarChart {
    /// The question the chart answers.
    pub title: String,
    /// What the bars are valid for, for example the network.
    pub subtitle: String,
    /// The answer, in one sentence.
    pub answer: String,
    /// Writes a value with its unit, for example "889 s".
    pub unit_format: fn(f64) -> String,
    /// The size of the unit in which ticks are round, as [`Axis::step_unit`].
    pub step_unit: f64,
    /// The bars from top to bottom; neighbours of the same group are drawn together.
    pub rows: Vec<BarRow>,
}

/// One bar.
#[derive(Clone, Debug)]
pub struct BarRow {
    /// What the bar belongs to: the operator.
    pub group: String,
    /// Its name in the group: "CPU" or "GPU".
    pub label: String,
    /// The colour of the label's swatch.
    pub token: Token,
    /// Where the bar begins, in the unit of [`BarChart::unit_format`]: 0 but for a course of time, and for a range, which may begin
    /// below 0.
    pub start: f64,
    /// The stack, from there outwards. What is not a positive number is left out of the picture.
    pub segments: Vec<Segment>,
    /// The value written behind the bar.
    pub total: f64,
    /// Interval of the end of the bar; drawn as a line with two ends. What is not finite is not drawn.
    pub interval: Option<[f64; 2]>,
    /// A note on the bar, for example "network 99.98 %".
    pub note: String,
    /// Text that only the tooltip in the window has, such as the path of a number; may be empty.
    pub detail: String,
}

/// A part of a bar.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its name in the legend.
    pub name: String,
    /// Its colour.
    pub token: Token,
    /// Its length, in the unit of [`BarChart::unit_format`].
    pub value: f64,
}

/// Below this width, in pixels, a chart cannot be read.
const SMALLEST_WIDTH: f64 = 480.0;
/// Least and greatest distance from one bar of a group to the next, in pixels.
const ROW_PITCH: [f64; 2] = [18.0, 30.0];
/// Distance from one line of a wrapped name to the next, in pixels.
const LINE_PITCH: f64 = TEXT_SIZE * 1.2;
/// Space between groups, as a part of the distance between bars.
const GROUP_GAP: f64 = 0.6;
/// Up to this many rows, long names and notes take two lines.
const FEW_ROWS: usize = 6;
/// Half the height of the end of an interval, in pixels.
const CAP: f64 = 3.5;
/// Space the ticks need below the bars, in pixels.
const AXIS_HEIGHT: f64 = 24.0;

impl BarRow {
    /// The ends of its interval, if they can be drawn.
    pub(super) fn ends(&self) -> Option<[f64; 2]> {
        self.interval.filter(|ends| ends.iter().all(|end| end.is_finite() && *end >= 0.0))
    }

    /// Where it begins.
    pub(super) fn begins(&self) -> f64 {
        if self.start.is_finite() { self.start } else { 0.0 }
    }
}

impl BarChart {
    /// The least and the greatest value of the bars and their intervals, with 0 between them.
    pub(super) fn ends(&self) -> [f64; 2] {
        let high = |row: &BarRow| {
            let bar = row.begins() + row.segments.iter().map(|segment| length(segment.value)).sum::<f64>();
            row.ends().map_or(bar, |[_, high]| high.max(bar))
        };
        [self.rows.iter().map(BarRow::begins).fold(0.0, f64::min), self.rows.iter().map(high).fold(0.0, f64::max)]
    }

    /// The axis of its bars.
    pub(super) fn axis(&self) -> Axis {
        let [lowest, longest] = self.ends();
        Axis {
            label: String::new(),
            format: self.unit_format,
            scale: Scale::Linear,
            range: [lowest, if longest > lowest { longest } else { lowest + 1.0 }],
            step_unit: self.step_unit,
        }
    }

    pub(super) fn to_svg(&self, dark: bool, size: [f64; 2]) -> String {
        let width = size[0].max(SMALLEST_WIDTH);
        let mut canvas = Canvas::new(dark, width);
        let below_heading = canvas.heading(&self.title, &self.answer, &self.subtitle);
        let top = canvas.legend(below_heading, &self.legend());
        if self.rows.is_empty() {
            let height = size[1].max(top + 60.0);
            let centre = [width / 2.0, f64::midpoint(top, height)];
            canvas.text(centre, "No operators to show", Token::TextWeak, Anchor::Middle);
            return canvas.finish(height, &self.title, &self.answer);
        }
        let layout = Layout::new(self, width, top, size[1]);
        self.draw_axis(&mut canvas, &layout);
        self.draw_rows(&mut canvas, &layout);
        canvas.finish(layout.bars.bottom + AXIS_HEIGHT + MARGIN, &self.title, &self.answer)
    }

    /// The segments that occur, in the order of their colours, which is the order of the ramp.
    fn legend(&self) -> Vec<(String, Swatch)> {
        let mut items: Vec<(Token, &str)> = Vec::new();
        for segment in self.rows.iter().flat_map(|row| &row.segments).filter(|segment| length(segment.value) > 0.0) {
            if !items.contains(&(segment.token, &segment.name)) {
                items.push((segment.token, &segment.name));
            }
        }
        items.sort_by_key(|&(token, _)| token);
        items.into_iter().map(|(token, name)| (name.to_owned(), Swatch::Box(token))).collect()
    }

    fn draw_axis(&self, canvas: &mut Canvas, layout: &Layout) {
        let bars = layout.bars;
        let mut free_from = f64::NEG_INFINITY;
        for tick in layout.axis.ticks(6) {
            let x = layout.x(tick.value);
            canvas.polyline(&[[x, bars.top], [x, bars.bottom]], Stroke { token: Token::Grid, width: 1.0, dash: "" });
            let label = (self.unit_format)(tick.value);
            let half = text_width(&label, TEXT_SIZE) / 2.0;
            if x - half >= free_from {
                canvas.text([x, bars.bottom + TEXT_SIZE + 5.0], &label, Token::TextWeak, Anchor::Middle);
                free_from = x + half + 8.0;
            }
        }
    }

    fn draw_rows(&self, canvas: &mut Canvas, layout: &Layout) {
        let bars = layout.bars;
        for group in groups(&self.rows, &layout.tops, layout.pitch) {
            let middle = f64::midpoint(group.top, group.bottom) + TEXT_SIZE * 0.35;
            draw_lines(
                canvas,
                [MARGIN, middle],
                group.name,
                layout.widest_group,
                group.bottom - group.top,
                Token::Text,
            );
        }
        for (row, &top) in self.rows.iter().zip(&layout.tops) {
            let baseline = top + layout.pitch / 2.0 + TEXT_SIZE * 0.35;
            let swatch_left = MARGIN + layout.widest_group + 12.0;
            let swatch = Rect {
                left: swatch_left,
                top: baseline - TEXT_SIZE * 0.35 - 4.0,
                right: swatch_left + 8.0,
                bottom: baseline - TEXT_SIZE * 0.35 + 4.0,
            };
            canvas.rect(swatch, row.token, 1.0, "");
            let label = ellipsize(&row.label, TEXT_SIZE, layout.widest_label);
            canvas.text([swatch.right + 5.0, baseline], &label, Token::Text, Anchor::Start);
            let mut from = row.begins();
            for segment in &row.segments {
                let to = from + length(segment.value);
                let [left, right] = [layout.x(from), layout.x(to)];
                // A sliver of background between segments, where they are long enough to afford it.
                let right = if right - left > 3.0 { right - 0.75 } else { right };
                if right - left >= 0.05 {
                    let bar = Rect { left, top: top + 2.0, right, bottom: top + layout.pitch - 2.0 };
                    let tooltip = format!("{} {}", segment.name, (self.unit_format)(segment.value));
                    canvas.rect(bar, segment.token, 1.0, &tooltip);
                }
                from = to;
            }
            if let Some([low, high]) = row.ends() {
                let [low, high] = [low, high].map(|end| layout.x(end));
                let middle = top + layout.pitch / 2.0;
                let stroke = Stroke { token: Token::Text, width: 1.2, dash: "" };
                canvas.polyline(&[[low, middle], [high, middle]], stroke);
                for end in [low, high] {
                    canvas.polyline(&[[end, middle - CAP], [end, middle + CAP]], stroke);
                }
            }
            let total_right = bars.right + 10.0 + layout.widest_total;
            canvas.text([total_right, baseline], &self.total_text(row), Token::Text, Anchor::End);
            let at = [total_right + 10.0, baseline];
            draw_lines(canvas, at, &row.note, layout.widest_note, layout.pitch, Token::TextWeak);
        }
        let zero = layout.x(0.0);
        let corner = [[zero, bars.top], [zero, bars.bottom]];
        canvas.polyline(&corner, Stroke { token: Token::TextWeak, width: 1.0, dash: "" });
    }

    fn total_text(&self, row: &BarRow) -> String {
        if row.total.is_finite() { (self.unit_format)(row.total) } else { "not available".to_owned() }
    }
}

/// Draws a text in one line, or in two around the same middle where it is too wide and the height has room for them.
fn draw_lines(canvas: &mut Canvas, [x, baseline]: [f64; 2], text: &str, width: f64, height: f64, token: Token) {
    let is_in_lines = text_width(text, TEXT_SIZE) > width && height >= 2.0 * LINE_PITCH;
    let lines = if is_in_lines { wrap(text, TEXT_SIZE, width, 2) } else { vec![ellipsize(text, TEXT_SIZE, width)] };
    let first = baseline - LINE_PITCH * (lines.len().saturating_sub(1) as f64) / 2.0;
    for (line, place) in lines.iter().zip(0_u8..) {
        canvas.text([x, first + LINE_PITCH * f64::from(place)], line, token, Anchor::Start);
    }
}

/// What a value is drawn as: nothing where there is no length.
fn length(value: f64) -> f64 {
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}

/// A run of rows that belong together, in pixels.
struct Group<'a> {
    name: &'a str,
    top: f64,
    bottom: f64,
}

fn groups<'a>(rows: &'a [BarRow], tops: &[f64], pitch: f64) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (row, &top) in rows.iter().zip(tops) {
        match groups.last_mut().filter(|group| group.name == row.group) {
            Some(group) => group.bottom = top + pitch,
            None => groups.push(Group { name: &row.group, top, bottom: top + pitch }),
        }
    }
    groups
}

/// The geometry of a bar chart: the columns, the rows, and the scale of the bars.
struct Layout {
    bars: Rect,
    axis: Axis,
    /// Distance from one bar of a group to the next.
    pitch: f64,
    /// Upper edge of each row.
    tops: Vec<f64>,
    widest_group: f64,
    widest_label: f64,
    widest_total: f64,
    widest_note: f64,
}

impl Layout {
    fn new(chart: &BarChart, width: f64, top: f64, wanted_height: f64) -> Self {
        let widest = |texts: &mut dyn Iterator<Item = String>, limit: f64| {
            texts.map(|text| text_width(&text, TEXT_SIZE)).fold(0.0, f64::max).min(limit)
        };
        let widest_group = widest(&mut chart.rows.iter().map(|row| row.group.clone()), width * 0.25);
        let widest_label = widest(&mut chart.rows.iter().map(|row| row.label.clone()), width * 0.1);
        let widest_total = widest(&mut chart.rows.iter().map(|row| chart.total_text(row)), width * 0.2);
        let widest_note = widest(&mut chart.rows.iter().map(|row| row.note.clone()), width * 0.22);

        let room = wanted_height - top - AXIS_HEIGHT - MARGIN;
        let mut offsets = Vec::with_capacity(chart.rows.len());
        let mut pitches = GROUP_GAP / 2.0;
        for (index, row) in chart.rows.iter().enumerate() {
            let starts_group = index > 0 && chart.rows[index - 1].group != row.group;
            pitches += if starts_group { GROUP_GAP } else { 0.0 };
            offsets.push(pitches);
            pitches += 1.0;
        }
        pitches += GROUP_GAP / 2.0;
        // A few rows with long names have room for two lines each.
        let is_wide = |text: &str, limit: f64| text_width(text, TEXT_SIZE) > limit;
        let is_wrapped = |row: &BarRow| is_wide(&row.group, widest_group) || is_wide(&row.note, widest_note);
        let has_lines = chart.rows.len() <= FEW_ROWS && chart.rows.iter().any(is_wrapped);
        let least = if has_lines { ROW_PITCH[1] } else { ROW_PITCH[0] };
        let pitch = (room / pitches).clamp(least, ROW_PITCH[1]);

        let bars = Rect {
            left: MARGIN + widest_group + 12.0 + 8.0 + 5.0 + widest_label + 8.0,
            top,
            right: width - MARGIN - widest_note - 10.0 - widest_total - 10.0,
            bottom: top + pitch * pitches,
        };
        Self {
            bars,
            axis: chart.axis(),
            pitch,
            tops: offsets.into_iter().map(|offset| top + pitch * offset).collect(),
            widest_group,
            widest_label,
            widest_total,
            widest_note,
        }
    }

    fn x(&self, value: f64) -> f64 {
        self.bars.left + self.axis.fraction(value) * self.bars.width()
    }
}
