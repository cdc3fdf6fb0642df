//! A prediction beside its measurement, for programs: a case of a file, or a shipped query that the fit did not see. Both have the same
//! names in JSON and the same columns in CSV.

use crossover_engine::predict::Range;
use crossover_engine::{Judged, ScoredQuery};
use crossover_quantity::text::csv::cell;
use serde::Serialize;

/// What was predicted, and what was measured; seconds.
#[derive(Serialize)]
pub(super) struct CaseRecord<'a> {
    case: &'a str,
    /// Predicted in the first engine; absent where its measured time is given, and outside what was fitted.
    cpu_seconds: Option<f64>,
    /// Ends of the 90 % interval.
    cpu_low: Option<f64>,
    cpu_high: Option<f64>,
    /// Predicted in the second engine; absent outside what was fitted.
    gpu_seconds: Option<f64>,
    gpu_low: Option<f64>,
    gpu_high: Option<f64>,
    /// The predicted speedup, and the ends of its interval.
    speedup: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    /// Likelihood that the second engine is faster.
    likelihood: Option<f64>,
    measured_cpu_seconds: Option<f64>,
    measured_gpu_seconds: Option<f64>,
    measured_speedup: Option<f64>,
    /// Whether the faster side was named; empty where one was not measured.
    side: &'static str,
}

/// The name of a column, and its value in a record.
type Column = (&'static str, fn(&CaseRecord<'_>) -> String);

/// The columns of all tables of predictions, in their order.
pub(super) const COLUMNS: [Column; 15] = [
    ("case", |of| of.case.to_owned()),
    ("cpu_seconds", |of| cell(of.cpu_seconds)),
    ("cpu_low", |of| cell(of.cpu_low)),
    ("cpu_high", |of| cell(of.cpu_high)),
    ("gpu_seconds", |of| cell(of.gpu_seconds)),
    ("gpu_low", |of| cell(of.gpu_low)),
    ("gpu_high", |of| cell(of.gpu_high)),
    ("speedup", |of| cell(of.speedup)),
    ("low", |of| cell(of.low)),
    ("high", |of| cell(of.high)),
    ("likelihood", |of| cell(of.likelihood)),
    ("measured_cpu_seconds", |of| cell(of.measured_cpu_seconds)),
    ("measured_gpu_seconds", |of| cell(of.measured_gpu_seconds)),
    ("measured_speedup", |of| cell(of.measured_speedup)),
    ("side", |of| of.side.to_owned()),
];

/// The ends of an interval that is known.
fn ends(range: Option<&Range>) -> [Option<f64>; 2] {
    let known = range.filter(|range| range.is_known());
    [known.map(|range| range.low), known.map(|range| range.high)]
}

impl<'a> CaseRecord<'a> {
    /// Of a case of a file, with the verdict on its side.
    pub(super) fn of_case(case: &'a str, judged: &Judged, side: &'static str) -> Self {
        let judgeable = judged.judgeable();
        let cpu = judgeable.map(|prediction| &prediction.cpu);
        let gpu = judgeable.map(|prediction| &prediction.gpu);
        let speedup = judgeable.map(|prediction| &prediction.speedup);
        let [[cpu_low, cpu_high], [gpu_low, gpu_high], [low, high]] = [cpu, gpu, speedup].map(ends);
        Self {
            case,
            cpu_seconds: cpu.map(|range| range.value),
            cpu_low,
            cpu_high,
            gpu_seconds: gpu.map(|range| range.value),
            gpu_low,
            gpu_high,
            speedup: speedup.map(|range| range.value),
            low,
            high,
            likelihood: judgeable.and_then(|prediction| prediction.likelihood),
            measured_cpu_seconds: judged.cpu_seconds,
            measured_gpu_seconds: judged.gpu_seconds,
            measured_speedup: judged.speedup(),
            side,
        }
    }

    /// Of a query that the fit did not see, with the verdict on its side.
    pub(super) fn of_query(query: &'a ScoredQuery, side: &'static str) -> Self {
        let speedup = query.predicted_speedup();
        // Where both times are predicted the interval is that of their ratio.
        let of_time = query.predicted.as_ref().filter(|_| query.predicted_cpu_seconds.is_none());
        let [gpu_low, gpu_high] = ends(of_time);
        let [low, high] = ends(speedup.as_ref());
        Self {
            case: &query.query,
            cpu_seconds: query.predicted_cpu_seconds,
            cpu_low: None,
            cpu_high: None,
            gpu_seconds: query.predicted.map(|range| range.value),
            gpu_low,
            gpu_high,
            speedup: speedup.map(|range| range.value),
            low,
            high,
            likelihood: None,
            measured_cpu_seconds: Some(query.cpu_seconds),
            measured_gpu_seconds: Some(query.gpu_seconds),
            measured_speedup: Some(query.speedup()),
            side,
        }
    }

    /// Its row.
    pub(super) fn fields(&self) -> impl Iterator<Item = String> {
        COLUMNS.into_iter().map(move |(_, value)| value(self))
    }
}
