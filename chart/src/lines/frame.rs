//! The geometry of a line chart as a picture: where the plot lies, and where in it a value falls.

use super::LineChart;
use crate::axis::{Axis, Tick};
use crate::svg::{MARGIN, Rect, TEXT_SIZE, text_width};

/// The geometry of a line chart: where the plot lies, and where in it a value falls.
pub(super) struct Frame<'a> {
    pub(super) plot: Rect,
    x: &'a Axis,
    y: &'a Axis,
}

impl<'a> Frame<'a> {
    pub(super) fn new(chart: &'a LineChart, width: f64, [top, bottom]: [f64; 2]) -> Self {
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

    pub(super) fn max_y_labels(&self) -> usize {
        whole(self.plot.height() / 32.0)
    }

    /// As many ticks as there is room for the labels of.
    pub(super) fn x_ticks(&self) -> Vec<Tick> {
        let ticks = self.x.ticks(whole(self.plot.width() / 50.0).min(10));
        let widest = ticks
            .iter()
            .filter_map(|tick| tick.label.as_deref())
            .map(|label| text_width(label, TEXT_SIZE))
            .fold(1.0, f64::max);
        self.x.ticks(whole(self.plot.width() / (widest + 16.0)).min(10))
    }

    pub(super) fn spot_x(&self, x: f64) -> f64 {
        self.plot.left + self.x.fraction(x) * self.plot.width()
    }

    pub(super) fn spot_y(&self, y: f64) -> f64 {
        self.plot.bottom - self.y.fraction(y) * self.plot.height()
    }

    /// Where a point falls, inside the plot or not; nothing where an axis has no place for it.
    pub(super) fn spot(&self, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        let spot = [self.spot_x(x), self.spot_y(y)];
        let placed = self.x.has_place_for(x) && self.y.has_place_for(y) && spot.iter().all(|side| side.is_finite());
        placed.then_some(spot)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number of labels")]
fn whole(count: f64) -> usize {
    count.clamp(2.0, 100.0) as usize
}
