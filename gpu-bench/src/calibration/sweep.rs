//! Size sweeps in a report: the measurements for the fit of curves, and those for their validation.

use std::collections::BTreeMap;

use crossover_measured::calibration::{CostCurve, Measured, MeasuredCurve};

use super::fit::{Point, fit};
use crate::report::{Measurement, Report, Side};

/// Times of one benchmark on one side over several sizes, ascending.
#[derive(Debug, Clone)]
pub struct Sweep<'report> {
    /// In order of size.
    pub measurements: Vec<&'report Measurement>,
}

impl<'report> Sweep<'report> {
    /// The sweep of a benchmark on a side with this many threads (0 on the GPU). If it was measured in
    /// several forms, the fastest at its largest size. `None` if nothing of it was measured.
    #[must_use]
    pub fn of(report: &'report Report, id: &str, side: Side, threads: usize) -> Option<Self> {
        let mut variants: BTreeMap<&str, Vec<&Measurement>> = BTreeMap::new();
        for measurement in &report.results {
            let belongs = measurement.id == id && measurement.side == side && measurement.threads == threads;
            if belongs && measurement.calibrates && measurement.time.is_some() && measurement.bytes_logical > 0.0 {
                variants.entry(&measurement.variant).or_default().push(measurement);
            }
        }
        let mut sweeps: Vec<Self> = variants.into_values().map(|measurements| Self { measurements }).collect();
        for sweep in &mut sweeps {
            sweep.measurements.sort_by(|a, b| a.bytes_logical.total_cmp(&b.bytes_logical));
        }
        sweeps.into_iter().max_by(|a, b| a.top_speed().total_cmp(&b.top_speed()))
    }

    /// The first, the last and every second size between: what curves are fitted to. Without those that stay in a
    /// cache: a fixed cost makes small sizes slower per byte, never faster, so what is clearly faster than the
    /// largest size does not go through memory.
    #[must_use]
    pub fn fitted(&self) -> Vec<Point> {
        self.fitted_measurements().map(point).collect()
    }

    /// The measurements of [`fitted`](Self::fitted).
    pub(super) fn fitted_measurements(&self) -> impl Iterator<Item = &'report Measurement> {
        let kept = |index: &usize| self.is_fitted(*index) && !self.is_cached(*index);
        (0..self.measurements.len()).filter(kept).map(|index| self.measurements[index])
    }

    /// The other sizes, for the validation.
    #[must_use]
    pub fn left_out(&self) -> Vec<&'report Measurement> {
        let left_out = |index: &usize| !self.is_fitted(*index);
        (0..self.measurements.len()).filter(left_out).map(|index| self.measurements[index]).collect()
    }

    /// The curve through the fitted sizes. Where only the largest exceeds the caches, in proportion to it.
    #[must_use]
    pub fn curve(&self) -> Option<MeasuredCurve> {
        if self.measurements.len() < 2 {
            return None;
        }
        fit(&self.fitted()).or_else(|| {
            let largest = self.measurements.last()?;
            let (time, gb) = (largest.time?, largest.bytes_logical / 1e9);
            Some(MeasuredCurve {
                curve: CostCurve { fixed_seconds: 0.0, gb_per_s: gb / time.median_s },
                fixed_seconds_interval: (0.0, 0.0),
                gb_per_s_interval: (gb / time.ci95_s.1, gb / time.ci95_s.0),
                // One point lies on any line through it.
                r_squared: 0.0,
            })
        })
    }

    /// Seconds for 100 MB: between the two nearest sizes on a straight line, beyond the largest in proportion.
    #[must_use]
    pub fn seconds_per_100mb(&self) -> Option<Measured> {
        const WANTED: f64 = 1e8;
        let above = self.measurements.iter().position(|measurement| measurement.bytes_logical >= WANTED);
        let pair =
            above.filter(|above| *above > 0).map(|above| (self.measurements[above - 1], self.measurements[above]));
        let Some((below, above)) = pair else {
            let nearest = above.map_or_else(|| self.measurements.last(), |above| self.measurements.get(above))?;
            let (time, scale) = (nearest.time?, WANTED / nearest.bytes_logical);
            let interval = (time.ci95_s.0 * scale, time.ci95_s.1 * scale);
            return Some(Measured { value: time.median_s * scale, interval });
        };
        let part = (WANTED - below.bytes_logical) / (above.bytes_logical - below.bytes_logical);
        let (low, high) = (below.time?, above.time?);
        let between = |below: f64, above: f64| below + (above - below) * part;
        Some(Measured {
            value: between(low.median_s, high.median_s),
            interval: (between(low.ci95_s.0, high.ci95_s.0), between(low.ci95_s.1, high.ci95_s.1)),
        })
    }

    /// Bytes per second at the largest size.
    #[must_use]
    pub fn top_speed(&self) -> f64 {
        self.measurements.last().and_then(|measurement| measurement.gb_per_s()).unwrap_or(0.0)
    }

    /// Faster per byte than the largest size by more than noise.
    fn is_cached(&self, index: usize) -> bool {
        self.measurements[index].gb_per_s().unwrap_or(0.0) > 1.15 * self.top_speed()
    }

    fn is_fitted(&self, index: usize) -> bool {
        index.is_multiple_of(2) || index + 1 == self.measurements.len()
    }
}

fn point(measurement: &Measurement) -> Point {
    Point { bytes: measurement.bytes_logical, samples_s: measurement.samples_s.clone() }
}
