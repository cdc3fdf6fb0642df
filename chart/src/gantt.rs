//! Gantt charts: a timeline with a row for each resource, and the number of waiting entries over time.

use super::axis::Axis;
use super::svg::{Anchor, Canvas, MARGIN, Rect, Stroke, Swatch, TEXT_SIZE, ellipsize, text_width};
use crate::theme::Token;

/// A Gantt chart, complete.
#[derive(Clone, Debug)]
pub struct GanttChart {
    /// The question the chart answers.
    pub title: String,
    /// Meaning of the rows.
    pub subtitle: String,
    /// The answer, in one sentence.
    pub answer: String,
    /// The shown time range.
    pub x: Axis,
    /// From top to bottom.
    pub lanes: Vec<Lane>,
    /// Number of waiting entries from each time on, ascending, with the name of the row; empty: no row.
    pub waiting: (String, Vec<[f64; 2]>),
    /// A marked time, drawn as a line.
    pub moment: Option<f64>,
    /// Meaning of the colours.
    pub colours: Vec<(String, Token)>,
    /// Meaning of a hatched bar and of one that is cut short.
    pub patterns: [&'static str; 2],
}

/// A row of bars that do not overlap.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// In the order of their start.
    pub bars: Vec<Bar>,
}

/// A bar: an interval in a row.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Start.
    pub from: f64,
    /// End.
    pub to: f64,
    /// Its colour.
    pub token: Token,
    /// Style.
    pub style: BarStyle,
    /// Label, drawn if the bar is wide enough.
    pub text: String,
    /// Tooltip.
    pub tooltip: String,
}

/// Style of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarStyle {
    /// As an area.
    Plain,
    /// With a thick end: it was cut short.
    CutShort,
    /// Hatched.
    Hatched,
}

/// Below this width, in pixels, a chart cannot be read.
const SMALLEST_WIDTH: f64 = 480.0;
/// Heights of a row, of the queue and of the axis, in pixels.
const ROW: f64 = 26.0;
const QUEUE: f64 = 40.0;
const AXIS: f64 = 26.0;
/// Widest name of a row, in pixels.
const WIDEST_NAME: f64 = 140.0;
/// What is narrower is drawn as wide as this, in pixels.
const NARROWEST: f64 = 0.8;
/// How much of its colour a bar has: so much that its name can be read.
pub(crate) const TINT: f64 = 0.34;

impl GanttChart {
    pub(super) fn to_svg(&self, dark: bool, size: [f64; 2]) -> String {
        let width = size[0].max(SMALLEST_WIDTH);
        let mut canvas = Canvas::new(dark, width);
        let below_heading = canvas.heading(&self.title, &self.answer, &self.subtitle);
        let top = canvas.legend(below_heading, &self.legend());
        let names = self.lanes.iter().map(|lane| &lane.name).chain([&self.waiting.0]);
        let widest = names.map(|name| text_width(name, TEXT_SIZE)).fold(0.0, f64::max).min(WIDEST_NAME);
        let queue = if self.waiting.1.is_empty() { 0.0 } else { QUEUE };
        let plot = Rect {
            left: MARGIN + widest + 10.0,
            top,
            right: width - MARGIN,
            bottom: top + ROW * self.lanes.len() as f64 + queue,
        };
        self.draw_axis(&mut canvas, plot);
        for (place, lane) in self.lanes.iter().enumerate() {
            let top = plot.top + ROW * place as f64;
            let name = ellipsize(&lane.name, TEXT_SIZE, widest);
            canvas.text([MARGIN, top + ROW / 2.0 + TEXT_SIZE * 0.35], &name, Token::TextWeak, Anchor::Start);
            self.draw_lane(&mut canvas, lane, Rect { top: top + 2.0, bottom: top + ROW - 2.0, ..plot });
        }
        if queue > 0.0 {
            self.draw_queue(&mut canvas, Rect { top: plot.bottom - queue + 6.0, ..plot }, widest);
        }
        if let Some(x) = self.moment.and_then(|at| self.inside(at, plot)) {
            let stroke = Stroke { token: Token::Accent, width: 1.5, dash: "" };
            canvas.polyline(&[[x, plot.top], [x, plot.bottom]], stroke);
        }
        canvas.finish(plot.bottom + AXIS + MARGIN, &self.title, &self.answer)
    }

    fn legend(&self) -> Vec<(String, Swatch)> {
        let mut items: Vec<(String, Swatch)> =
            self.colours.iter().map(|(name, token)| (name.clone(), Swatch::Tint(*token, TINT))).collect();
        let [hatched, cut_short] = self.patterns;
        let occurs = |style: BarStyle| self.lanes.iter().flat_map(|lane| &lane.bars).any(|bar| bar.style == style);
        if occurs(BarStyle::Hatched) {
            items.push((hatched.to_owned(), Swatch::Hatched(Token::TextWeak)));
        }
        if occurs(BarStyle::CutShort) {
            items.push((cut_short.to_owned(), Swatch::Line { token: Token::Text, dash: "" }));
        }
        items
    }

    /// Where a time is, kept between the ends of the plot.
    fn x(&self, at: f64, plot: Rect) -> f64 {
        let share = if at.is_finite() { self.x.fraction(at) } else { 0.0 };
        plot.left + plot.width() * share.clamp(0.0, 1.0)
    }

    fn inside(&self, at: f64, plot: Rect) -> Option<f64> {
        let [low, high] = self.x.bounds();
        (low..=high).contains(&at).then(|| self.x(at, plot))
    }

    fn draw_axis(&self, canvas: &mut Canvas, plot: Rect) {
        let grid = Stroke { token: Token::Grid, width: 1.0, dash: "" };
        let mut free_from = plot.left - MARGIN;
        for tick in self.x.ticks(6) {
            let x = self.x(tick.value, plot);
            canvas.polyline(&[[x, plot.top], [x, plot.bottom]], grid);
            let label = tick.label.unwrap_or_default();
            let half = text_width(&label, TEXT_SIZE) / 2.0;
            if x - half >= free_from && x + half <= plot.right + MARGIN {
                canvas.text([x, plot.bottom + TEXT_SIZE + 5.0], &label, Token::TextWeak, Anchor::Middle);
                free_from = x + half + 8.0;
            }
        }
        canvas.polyline(&[[plot.left, plot.bottom], [plot.right, plot.bottom]], grid);
    }

    fn draw_lane(&self, canvas: &mut Canvas, lane: &Lane, room: Rect) {
        let [low, high] = self.x.bounds();
        // Bars that end where one before them was drawn already are not seen.
        let mut drawn_to = f64::NEG_INFINITY;
        for bar in lane.bars.iter().filter(|bar| bar.to >= low && bar.from <= high) {
            let left = self.x(bar.from, room);
            let right = self.x(bar.to, room);
            if right < drawn_to && right - left < NARROWEST {
                continue;
            }
            let right = right.max(left + NARROWEST).min(room.right);
            drawn_to = right;
            let area = Rect { left, right, ..room };
            if bar.style == BarStyle::Hatched {
                canvas.hatched(area, bar.token, &bar.tooltip);
                continue;
            }
            canvas.rect(area, bar.token, TINT, &bar.tooltip);
            let edge = |x: f64, token, width| ([[x, area.top], [x, area.bottom]], Stroke { token, width, dash: "" });
            let (points, stroke) = edge(left + 0.5, bar.token, 1.0);
            canvas.polyline(&points, stroke);
            if bar.style == BarStyle::CutShort && area.width() > 3.0 {
                let (points, stroke) = edge(right - 1.5, Token::Text, 3.0);
                canvas.polyline(&points, stroke);
            }
            if text_width(&bar.text, TEXT_SIZE) + 10.0 <= area.width() {
                let baseline = f64::midpoint(area.top, area.bottom) + TEXT_SIZE * 0.35;
                canvas.text([left + 5.0, baseline], &bar.text, Token::Text, Anchor::Start);
            }
        }
    }

    fn draw_queue(&self, canvas: &mut Canvas, room: Rect, widest: f64) {
        let (name, steps) = &self.waiting;
        let [low, high] = self.x.bounds();
        let ends = steps.iter().skip(1).map(|[at, _]| *at).chain([high]);
        let in_view: Vec<([f64; 2], f64)> =
            steps.iter().copied().zip(ends).filter(|([from, _], to)| *to >= low && *from <= high).collect();
        let most = in_view.iter().map(|([_, count], _)| *count).fold(0.0, f64::max).max(1.0);
        let mut corners = vec![[self.x(low, room), room.bottom]];
        for ([from, count], to) in &in_view {
            let y = room.bottom - room.height() * (count / most).clamp(0.0, 1.0);
            let both = [*from, *to].map(|at| [self.x(at, room), y]);
            // What is not seen is not written.
            let is_hidden = corners.last().is_some_and(|last| *last == both[0]) && both[0] == both[1];
            if !is_hidden {
                corners.extend(both);
            }
        }
        let line = corners[1..].to_vec();
        corners.push([corners.last().map_or(room.left, |last| last[0]), room.bottom]);
        canvas.tinted(&corners, Token::TextWeak, 0.22);
        if line.len() > 1 {
            canvas.polyline(&line, Stroke { token: Token::TextWeak, width: 1.2, dash: "" });
        }
        let name = ellipsize(name, TEXT_SIZE, widest);
        let baseline = f64::midpoint(room.top, room.bottom) + TEXT_SIZE * 0.35;
        canvas.text([MARGIN, baseline], &name, Token::TextWeak, Anchor::Start);
    }
}
