//! Measured parameters of the placement model, with intervals, to apply to a study.

use crossover_quantity::unit::Unit;
use crossover_study::Part;
use serde::{Deserialize, Serialize};

/// Source of the measured curves.
const EXTENSION: &str = "extension of the published method, neutral by default (docs/model/placement.md)";

/// Parameters of the model, measured on one machine; `None` where not measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Calibration {
    /// Name of the measured GPU, or of the CPU without a GPU.
    pub device: String,
    /// Day of the measurement, `YYYY-MM-DD`.
    pub date: String,
    /// Whether the "GPU" is a software adapter: its figures are never applied.
    pub software: bool,
    /// The processor.
    pub cpu: String,
    /// Threads of measurements on all cores.
    pub threads: usize,
    /// Host → GPU by the best route, GB/s.
    pub to_gpu_gb_per_s: Option<Measured>,
    /// GPU → host by the best route, GB/s.
    pub from_gpu_gb_per_s: Option<Measured>,
    /// Memory bandwidth of all cores, GB/s.
    pub memory_gb_per_s: Option<Measured>,
    /// Fixed cost of one operator on the GPU: launch, transfer to the GPU and back, without the time that grows with the data;
    /// seconds.
    pub fixed_seconds: Option<Measured>,
    /// Compressed / raw size, c.
    pub compression_ratio: Option<Measured>,
    /// Compression on the GPU, GB/s of raw data, v.
    pub compress_gb_per_s: Option<Measured>,
    /// Decompression on the GPU, GB/s of raw data.
    pub decompress_gb_per_s: Option<Measured>,
    /// Codec of the three above.
    pub codec: String,
    /// Figures of operators.
    pub operators: Vec<OperatorFigures>,
    /// Warnings for the user who applies the figures, one sentence each.
    pub cautions: Vec<String>,
    /// Whether the measuring program was built without optimisation: figures are applied only on request.
    pub unoptimised: bool,
    /// Validation of the curves on sizes that were not fitted.
    pub validation: Option<Validation>,
    /// Largest relative change of a fixed reference copy during the run; `None` if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<f64>,
}

/// More drift than this means that the machine was throttled or shared.
const MOST_DRIFT: f64 = 0.2;
/// A larger relative error means that the curves do not describe the machine.
const MOST_ERROR: f64 = 0.5;

impl Calibration {
    /// Why the figures may describe a disturbed machine: they are applied only on a second, explicit request.
    #[must_use]
    pub fn doubts(&self) -> Vec<String> {
        let percent = |share: f64| Unit::Share.format((share * 100.0).round() / 100.0);
        let drift = self.drift.filter(|drift| drift.abs() > MOST_DRIFT).map(|drift| {
            let (change, most) = (percent(drift.abs()), percent(MOST_DRIFT));
            format!("the speed of this machine changed by {change} during the run; at most {most} is expected of an idle machine")
        });
        let worst = self.validation.as_ref().map(|validation| validation.worst_error);
        let error = worst.filter(|worst| *worst > MOST_ERROR).map(|worst| {
            let (worst, most) = (percent(worst), percent(MOST_ERROR));
            format!("the fitted curves are off by up to {worst} at sizes that the fit did not use; at most {most} is expected")
        });
        drift.into_iter().chain(error).collect()
    }
}

/// A measured number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The value.
    pub value: f64,
    /// 95 % confidence interval.
    pub interval: (f64, f64),
}

/// Measured figures of one operator.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OperatorFigures {
    /// `filter`, `join`, `aggregate` or `sort`.
    pub operator: String,
    /// One core, seconds per 100 MB, t.
    pub cpu_seconds_per_100mb: Option<Measured>,
    /// All cores, seconds per 100 MB.
    pub all_cores_seconds_per_100mb: Option<Measured>,
    /// GPU kernel, data resident, seconds per 100 MB.
    pub gpu_seconds_per_100mb: Option<Measured>,
    /// One core's time / the GPU kernel's, M.
    pub gpu_parallelism: Option<Measured>,
    /// All cores against one core, P.
    pub cpu_parallelism: Option<Measured>,
    /// One core: T(V) = a + V/b.
    pub one_core_curve: Option<MeasuredCurve>,
    /// All cores.
    pub cpu_curve: Option<MeasuredCurve>,
    /// GPU kernel.
    pub gpu_curve: Option<MeasuredCurve>,
    /// Host memory to host memory through the GPU.
    pub end_to_end_curve: Option<MeasuredCurve>,
}

/// A measured cost curve: time = `fixed_seconds` + D / `gb_per_s`.
#[derive(Debug, Clone, Copy, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[numbers(CurveNumbers)]
pub struct CostCurve {
    /// Fixed part of a measured time, T = a + D/b.
    #[number(symbol = "a", label = "fixed", unit = Seconds, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    pub fixed_seconds: f64,
    /// Rate of a measured time, T = a + D/b.
    #[number(
        symbol = "b", label = "rate", unit = GigabytesPerSecond, range = 1e-6..=1e6, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    pub gb_per_s: f64,
}

/// A fitted T(V) = a + V/b.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeasuredCurve {
    /// a and b.
    pub curve: CostCurve,
    /// 95 % interval of a, seconds.
    pub fixed_seconds_interval: (f64, f64),
    /// 95 % interval of b, GB/s.
    pub gb_per_s_interval: (f64, f64),
    /// Share of the variance that the curve explains, R².
    pub r_squared: f64,
}

impl MeasuredCurve {
    /// a and b with their intervals.
    #[must_use]
    pub fn figures(&self) -> (Measured, Measured) {
        let fixed = Measured { value: self.curve.fixed_seconds, interval: self.fixed_seconds_interval };
        (fixed, Measured { value: self.curve.gb_per_s, interval: self.gb_per_s_interval })
    }

    /// Seconds for this many bytes of input.
    #[must_use]
    pub fn seconds(&self, bytes: f64) -> f64 {
        self.curve.fixed_seconds + bytes / 1e9 / self.curve.gb_per_s
    }
}

/// Predicted against measured, for sizes that were not fitted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Validation {
    /// Every prediction.
    pub points: Vec<Prediction>,
    /// Median of the relative errors.
    pub median_error: f64,
    /// Largest relative error.
    pub worst_error: f64,
}

/// One prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// What was predicted, e.g. "filter, end to end".
    pub what: String,
    /// Input, bytes.
    pub bytes: f64,
    /// By the model, seconds.
    pub predicted_seconds: f64,
    /// Measured, seconds.
    pub measured_seconds: f64,
}
