//! A heat map as SVG.

use super::{DIAMOND, MARK_SIZE, MapChart, Mark, Pattern};
use crate::axis::Axis;
use crate::labels::Labels;
use crate::svg::{Anchor, Canvas, MARGIN, Rect, Stroke, TEXT_SIZE, ellipsize, text_width};
use crate::theme::{RAMP_STEPS, Token};

/// Below this size, in pixels, a map cannot be read.
const SMALLEST_SIZE: [f64; 2] = [360.0, 300.0];
/// Least height of the cells, in pixels.
const SMALLEST_PLOT: f64 = 120.0;
/// Width of the colour bar, in pixels.
const BAR_WIDTH: f64 = 14.0;

impl MapChart {
    pub(crate) fn to_svg(&self, dark: bool, size: [f64; 2]) -> String {
        let [width, height] = [size[0].max(SMALLEST_SIZE[0]), size[1].max(SMALLEST_SIZE[1])];
        let mut canvas = Canvas::new(dark, width);
        let below_heading = canvas.heading(&self.title, &self.answer, &self.subtitle);
        let top = self.draw_legend(&mut canvas, below_heading, width);
        let height = height.max(top + SMALLEST_PLOT + 60.0);
        let layout = Layout::new(self, width, [top, height]);
        self.draw_cells(&mut canvas, &layout);
        self.draw_contours(&mut canvas, &layout);
        self.draw_axes(&mut canvas, &layout);
        self.draw_ramp(&mut canvas, &layout);
        self.draw_marks(&mut canvas, &layout);
        canvas.finish(height, &self.title, &self.answer)
    }

    /// A sample of each pattern and each contour with its name; gives where the space below begins.
    fn draw_legend(&self, canvas: &mut Canvas, top: f64, width: f64) -> f64 {
        let (mut x, mut y) = (MARGIN, top);
        let mut is_any = false;
        let patterns = self.patterned_categories().map(|category| (&category.name, Some(category.pattern)));
        for (name, pattern) in patterns.chain(self.drawn_contours().map(|contour| (&contour.name, None))) {
            is_any = true;
            let name = ellipsize(name, TEXT_SIZE, width - 2.0 * MARGIN - 30.0);
            let item = 24.0 + 6.0 + text_width(&name, TEXT_SIZE);
            if x > MARGIN && x + item > width - MARGIN {
                (x, y) = (MARGIN, y + TEXT_SIZE * 1.5);
            }
            let sample = Rect { left: x, top: y, right: x + 24.0, bottom: y + 12.0 };
            match pattern {
                Some(pattern) => draw_sample(canvas, sample, pattern),
                None => draw_contour(canvas, &[[sample.left, y + 6.0], [sample.right, y + 6.0]]),
            }
            canvas.text([x + 30.0, y + TEXT_SIZE - 1.5], &name, Token::Text, Anchor::Start);
            x += item + 18.0;
        }
        if is_any { y + TEXT_SIZE * 1.5 + 6.0 } else { top }
    }

    fn draw_cells(&self, canvas: &mut Canvas, layout: &Layout) {
        let frame = layout.frame;
        for run in self.runs() {
            let Some(step) = run.step else { continue };
            // Half a pixel under the next cells, so that no gap shines through between them.
            let right = (layout.columns[run.to] + 0.5).min(frame.right);
            let top = (layout.rows[run.row + 1] - 0.5).max(frame.top);
            let cells = Rect { left: layout.columns[run.from], top, right, bottom: layout.rows[run.row] };
            canvas.rect(cells, Token::Ramp(step), 1.0, "");
        }
        for line in self.pattern_lines(&layout.columns, &layout.rows) {
            canvas.polyline(&[line.from, line.to], Stroke { token: line.token, width: 0.8, dash: "" });
        }
        canvas.polyline(&frame.outline(), Stroke { token: Token::TextWeak, width: 1.0, dash: "" });
    }

    fn draw_contours(&self, canvas: &mut Canvas, layout: &Layout) {
        let frame = layout.frame;
        let place = |[x, y]: &[f64; 2]| {
            [frame.left + self.x.fraction(*x) * frame.width(), frame.bottom - self.y.fraction(*y) * frame.height()]
        };
        for line in self.drawn_contours().flat_map(|contour| &contour.lines).filter(|line| line.len() > 1) {
            draw_contour(canvas, &line.iter().map(place).collect::<Vec<_>>());
        }
    }

    fn draw_axes(&self, canvas: &mut Canvas, layout: &Layout) {
        let frame = layout.frame;
        let tick = Stroke { token: Token::TextWeak, width: 1.0, dash: "" };
        for mark in self.x.ticks(7).into_iter().filter(|tick| tick.label.is_some()) {
            let x = frame.left + self.x.fraction(mark.value) * frame.width();
            canvas.polyline(&[[x, frame.bottom], [x, frame.bottom + 4.0]], tick);
            let label = mark.label.unwrap_or_default();
            canvas.text([x, frame.bottom + TEXT_SIZE + 6.0], &label, Token::TextWeak, Anchor::Middle);
        }
        for mark in self.y.ticks(6).into_iter().filter(|tick| tick.label.is_some()) {
            let y = frame.bottom - self.y.fraction(mark.value) * frame.height();
            canvas.polyline(&[[frame.left - 4.0, y], [frame.left, y]], tick);
            let label = mark.label.unwrap_or_default();
            canvas.text([frame.left - 7.0, y + TEXT_SIZE * 0.35], &label, Token::TextWeak, Anchor::End);
        }
        let below = frame.bottom + 2.4 * TEXT_SIZE + 6.0;
        let label = ellipsize(&self.x.label, TEXT_SIZE, frame.width());
        canvas.text([f64::midpoint(frame.left, frame.right), below], &label, Token::Text, Anchor::Middle);
        let label = ellipsize(&self.y.label, TEXT_SIZE, frame.width() / 2.0);
        canvas.text([frame.left, frame.top - 12.0], &label, Token::Text, Anchor::Start);
    }

    /// The colour bar, its unit and its values.
    fn draw_ramp(&self, canvas: &mut Canvas, layout: &Layout) {
        let bar = layout.bar;
        let height = bar.height() / f64::from(RAMP_STEPS);
        for step in 0..RAMP_STEPS {
            let bottom = bar.bottom - height * f64::from(step);
            canvas.rect(Rect { top: bottom - height, bottom, ..bar }, Token::Ramp(step), 1.0, "");
        }
        let label = ellipsize(&self.value.label, TEXT_SIZE, bar.right + layout.bar_labels - layout.frame.left);
        canvas.text([bar.right + layout.bar_labels, bar.top - 12.0], &label, Token::Text, Anchor::End);
        for tick in self.value.ticks(6).into_iter().filter(|tick| tick.label.is_some()) {
            let y = bar.bottom - self.value.fraction(tick.value) * bar.height();
            let label = tick.label.unwrap_or_default();
            canvas.text([bar.right + 5.0, y + TEXT_SIZE * 0.35], &label, Token::TextWeak, Anchor::Start);
        }
    }

    fn draw_marks(&self, canvas: &mut Canvas, layout: &Layout) {
        let frame = layout.frame;
        let place = |mark: &Mark| {
            let x = frame.left + self.x.fraction(mark.x) * frame.width();
            [x, frame.bottom - self.y.fraction(mark.y) * frame.height()]
        };
        let mut labels = Labels::inside(frame);
        for (_, mark) in self.placed_marks() {
            labels.avoid_marker(place(mark), MARK_SIZE + 2.0);
        }
        for (_, mark) in self.placed_marks() {
            let [x, y] = place(mark);
            if mark.is_present {
                canvas.ring([x, y], MARK_SIZE, Token::Background, Token::Text);
            } else {
                let corners = DIAMOND.map(|[dx, dy]| [x + MARK_SIZE * dx, y + MARK_SIZE * dy]);
                canvas.hollow_marker(&corners, Token::Text);
            }
            let name = ellipsize(&mark.label, TEXT_SIZE, frame.width() / 2.0);
            let (right, left) = (x + 11.0, x - 11.0 - text_width(&name, TEXT_SIZE));
            let places = [0.0, -16.0, 16.0, -32.0, 32.0].map(|dy| [[right, y + dy], [left, y + dy]]).concat();
            if let Some(at) = labels.place(&name, places) {
                canvas.text_with_halo(at, &name, Token::Text);
            }
        }
    }
}

/// A line that stands out from every colour of the ramp.
fn draw_contour(canvas: &mut Canvas, line: &[[f64; 2]]) {
    canvas.polyline(line, Stroke { token: Token::Background, width: 4.5, dash: "" });
    canvas.polyline(line, Stroke { token: Token::Text, width: 2.0, dash: "" });
}

fn draw_sample(canvas: &mut Canvas, sample: Rect, pattern: Pattern) {
    let line = Stroke { token: Token::TextWeak, width: 0.8, dash: "" };
    for start in [0.0, 6.0, 12.0] {
        let [left, right] = [sample.left + start, sample.left + start + 12.0];
        canvas.polyline(&[[left, sample.bottom], [right, sample.top]], line);
        if pattern == Pattern::Crossed {
            canvas.polyline(&[[left, sample.top], [right, sample.bottom]], line);
        }
    }
    canvas.polyline(&sample.outline(), line);
}

/// The geometry of a map.
struct Layout {
    frame: Rect,
    /// Edges of the columns, in pixels.
    columns: Vec<f64>,
    /// Edges of the rows, in pixels, from the bottom.
    rows: Vec<f64>,
    bar: Rect,
    /// Width of the values beside the colour bar.
    bar_labels: f64,
}

impl Layout {
    fn new(chart: &MapChart, width: f64, [top, bottom]: [f64; 2]) -> Self {
        let widest = |axis: &Axis, count: usize| {
            let labels = axis.ticks(count).into_iter().filter_map(|tick| tick.label);
            labels.map(|label| text_width(&label, TEXT_SIZE)).fold(0.0, f64::max)
        };
        let bar_labels = 5.0 + widest(&chart.value, 6).min(width * 0.2);
        let frame = Rect {
            left: (MARGIN + widest(&chart.y, 6).min(width * 0.2) + 8.0).round(),
            top: (top + 1.4 * TEXT_SIZE + 8.0).round(),
            right: (width - MARGIN - bar_labels - BAR_WIDTH - 14.0).round(),
            bottom: (bottom - MARGIN - 2.4 * TEXT_SIZE - 6.0).round(),
        };
        let left = frame.right + 14.0;
        Self {
            columns: chart.column_edges().iter().map(|share| frame.left + share * frame.width()).collect(),
            rows: chart.row_edges().iter().map(|share| frame.bottom - share * frame.height()).collect(),
            bar: Rect { left, right: left + BAR_WIDTH, ..frame },
            frame,
            bar_labels,
        }
    }
}
