//! Size sweeps in a report: the measurements that curves are fitted to, and those that check the curves.

use std::collections::BTreeMap;

use crossover_model::calibration::{Figure, MeasuredCurve};

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

    /// The first, the last and every second size between: what curves are fitted to.
    #[must_use]
    pub fn fitted(&self) -> Vec<Point> {
        let kept = |index: &usize| self.is_fitted(*index);
        (0..self.measurements.len()).filter(kept).map(|index| point(self.measurements[index])).collect()
    }

    /// The other sizes: what curves are checked on.
    #[must_use]
    pub fn left_out(&self) -> Vec<&'report Measurement> {
        let left_out = |index: &usize| !self.is_fitted(*index);
        (0..self.measurements.len()).filter(left_out).map(|index| self.measurements[index]).collect()
    }

    /// The curve through the fitted sizes.
    #[must_use]
    pub fn curve(&self) -> Option<MeasuredCurve> {
        fit(&self.fitted())
    }

    /// Seconds for 100 MB: by the curve, or in proportion from the largest size if there is no curve.
    #[must_use]
    pub fn seconds_per_100mb(&self) -> Option<Figure> {
        let Some(curve) = self.curve() else {
            let largest = self.measurements.last()?;
            let time = largest.time?;
            let scale = 1e8 / largest.bytes_logical;
            let interval = (time.ci95_s.0 * scale, time.ci95_s.1 * scale);
            return Some(Figure { value: time.median_s * scale, interval });
        };
        // Rate and fixed cost vary against each other, so the ends of both together are a wide interval.
        let ends = |fixed: f64, rate: f64| fixed + 0.1 / rate;
        let (fixed, rate) = (curve.fixed_seconds_interval, curve.gb_per_s_interval);
        Some(Figure { value: curve.seconds(1e8), interval: (ends(fixed.0, rate.1), ends(fixed.1, rate.0)) })
    }

    /// Bytes per second at the largest size.
    #[must_use]
    pub fn top_speed(&self) -> f64 {
        self.measurements.last().and_then(|measurement| measurement.gb_per_s()).unwrap_or(0.0)
    }

    fn is_fitted(&self, index: usize) -> bool {
        index.is_multiple_of(2) || index + 1 == self.measurements.len()
    }
}

fn point(measurement: &Measurement) -> Point {
    Point { bytes: measurement.bytes_logical, samples_s: measurement.samples_s.clone() }
}
