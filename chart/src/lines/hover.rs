//! What a reader of a picture sees at the pointer: strips over the plot, each with the values of all curves at its middle.

use super::frame::Frame;
use super::{LineChart, Series};
use crate::axis::Axis;
use crate::svg::{Canvas, Rect};
use crate::theme::Token;

/// Most strips; curves with more points have them at some of these.
const MOST_STRIPS: usize = 100;
/// Least distance between two strips, in pixels.
const LEAST_DISTANCE: f64 = 2.0;

impl Series {
    /// The value of a curve between its points, which are sorted by x.
    pub(crate) fn value_at(&self, axis: &Axis, x: f64) -> Option<f64> {
        if self.steps {
            let after = self.points.partition_point(|point| point[0] <= x);
            let is_inside = self.points.last().is_some_and(|last| x <= last[0]);
            return after
                .checked_sub(1)
                .filter(|_| is_inside)
                .map(|index| self.points[index][1])
                .filter(|y| y.is_finite());
        }
        let index = self.points.partition_point(|point| point[0] < x);
        let [x1, y1] = *self.points.get(index)?;
        let [x0, y0] = if index == 0 { [x1, y1] } else { self.points[index - 1] };
        if index == 0 && x1 > x {
            return None;
        }
        // A point has its own value, also beside a gap.
        if x1 == x {
            return Some(y1).filter(|y| y.is_finite());
        }
        let span = axis.to_plot(x1) - axis.to_plot(x0);
        let part = if span > 0.0 { (axis.to_plot(x) - axis.to_plot(x0)) / span } else { 1.0 };
        Some(y0 + part * (y1 - y0)).filter(|y| y.is_finite())
    }
}

impl LineChart {
    /// Draws the strips, over the curves; none where marks have tooltips of their own.
    pub(super) fn draw_strips(&self, canvas: &mut Canvas, frame: &Frame<'_>) {
        if self.series.iter().any(|series| !series.samples.names.is_empty()) {
            return;
        }
        let plot = frame.plot;
        let strips = self.strips(frame);
        for (place, (middle, text)) in strips.iter().enumerate() {
            let before = place.checked_sub(1).and_then(|before| strips.get(before));
            let left = before.map_or(plot.left, |(before, _)| f64::midpoint(*before, *middle));
            let right = strips.get(place + 1).map_or(plot.right, |(after, _)| f64::midpoint(*middle, *after));
            canvas.rect(Rect { left, right, ..plot }, Token::Background, 0.0, text);
        }
    }

    /// The middle of each strip, at a point of a curve, and what it says.
    fn strips(&self, frame: &Frame<'_>) -> Vec<(f64, String)> {
        // The last point is on the edge, apart from rounding.
        let inside = frame.plot.left - 0.5..=frame.plot.right + 0.5;
        let points = self.series.iter().flat_map(|series| &series.points).map(|[x, _]| *x);
        let placed = points.filter(|x| x.is_finite() && self.x.has_place_for(*x)).map(|x| (frame.spot_x(x), x));
        let mut placed: Vec<(f64, f64)> = placed.filter(|(spot, _)| inside.contains(spot)).collect();
        placed.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        placed.dedup_by(|(after, _), (before, _)| *after - *before < LEAST_DISTANCE);
        let every = placed.len().div_ceil(MOST_STRIPS).max(1);
        placed.into_iter().step_by(every).filter_map(|(spot, x)| Some((spot, self.values_at(x)?))).collect()
    }

    /// "CPU time per 100 MB 10 ms; Ethernet 1×"; `None` where no curve has a value.
    fn values_at(&self, x: f64) -> Option<String> {
        let values = self.series.iter().filter_map(|series| {
            let y = series.value_at(&self.x, x)?;
            Some(format!("; {} {}", series.name, (self.y.format)(y)))
        });
        let values: String = values.collect();
        (!values.is_empty()).then(|| format!("{} {}{values}", self.x.label, (self.x.format)(x)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Scale;

    fn axis() -> Axis {
        Axis {
            label: "x".to_owned(),
            format: |x| format!("{x:.0}"),
            scale: Scale::Log,
            range: [1.0, 100.0],
            step_unit: 1.0,
        }
    }

    #[test]
    fn a_curve_is_read_at_its_points_and_on_the_line_between_them() {
        let points = vec![[1.0, 2.0], [100.0, 4.0], [1000.0, f64::NAN]];
        let line = Series::line("a", Token::Cpu, points.clone());
        // Half-way on a logarithmic axis from 1 to 100 is 10.
        let found = [0.5, 1.0, 10.0, 100.0, 500.0, 2000.0].map(|x| line.value_at(&axis(), x));
        let Some(half_way) = found[2] else { panic!("{found:?}") };
        assert!((half_way - 3.0).abs() < 1e-12);
        assert_eq!([found[0], found[1], found[3], found[4], found[5]], [None, Some(2.0), Some(4.0), None, None]);
        let steps = Series::steps("a", Token::Cpu, points);
        assert_eq!(
            [0.5, 1.0, 99.0, 100.0].map(|x| steps.value_at(&axis(), x)),
            [None, Some(2.0), Some(2.0), Some(4.0)]
        );
    }
}
