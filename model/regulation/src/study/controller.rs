//! A controller: its parts, its gains, and what changes them.

use serde::{Deserialize, Serialize};

use crossover_study::Part;

use super::{EXTENSION, PUBLISHED};
use crate::gain_table::GainTable;

/// Largest gain.
const MOST_GAIN: f64 = 1e3;

/// A controller: from the error to an output that the control table turns into actions.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Controller {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// The parts that it has; gains of other parts have no effect.
    pub form: Form,
    /// Output per current error.
    #[number(symbol = "Kp", label = "proportional gain", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen, decision)]
    pub kp: f64,
    /// Output per sum of errors, one summand per period.
    #[number(
        symbol = "Ki", label = "integral gain", unit = Ratio, range = 0.0..=MOST_GAIN, neutral = 0.0,
        source = PUBLISHED,
        chosen, decision
    )]
    #[serde(default)]
    pub ki: f64,
    /// Output per change of the error since the previous period.
    #[number(
        symbol = "Kd", label = "derivative gain", unit = Ratio, range = 0.0..=MOST_GAIN, neutral = 0.0,
        source = PUBLISHED,
        chosen, decision
    )]
    #[serde(default)]
    pub kd: f64,
    /// When the integral grows.
    #[serde(default)]
    pub integration: Integration,
    /// Whether the integral is reset after an action.
    #[serde(default = "yes")]
    pub reset_after_action: bool,
    /// Bound of the integral part, which prevents windup.
    #[number(label = "integral limit", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen, decision)]
    #[serde(default = "outermost")]
    pub integral_limit: f64,
    /// The signal of which the derivative is taken.
    #[serde(default)]
    pub derivative: Derivative,
    /// Gains by error and change of error, instead of Kp, Ki and Kd.
    #[part(example = "(large_error: 0.4, small_error: 0.2, …)")]
    #[serde(default)]
    pub schedule: Option<Schedule>,
    /// Gains by cells of the state, learned by simulation, instead of Kp, Ki and Kd and of a schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<GainTable>,
    /// Corrections of the gains by fuzzy rules.
    #[part(example = "(error_range: 0.5, change_range: 0.1, …)")]
    #[serde(default)]
    pub fuzzy: Option<Fuzzy>,
}

impl Controller {
    /// Whether its gains depend on the error: by a schedule or a learned table.
    #[must_use]
    pub fn has_varying_gains(&self) -> bool {
        self.schedule.is_some() || self.learned.is_some()
    }
}

/// Which parts a controller has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Proportional.
    P,
    /// Proportional and integral.
    PI,
    /// Proportional and derivative.
    PD,
    /// All three.
    PID,
}

impl Form {
    /// Whether it has an integral part.
    #[must_use]
    pub fn has_integral(self) -> bool {
        matches!(self, Self::PI | Self::PID)
    }

    /// Whether it has a derivative part.
    #[must_use]
    pub fn has_derivative(self) -> bool {
        matches!(self, Self::PD | Self::PID)
    }
}

/// When the integral grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Integration {
    /// Only while the output lies in the dead zone; the integral moves it out.
    #[default]
    InDeadZone,
    /// Unless the output is beyond the control table and the error would drive it further.
    UnlessSaturated,
    /// In every period.
    Always,
}

/// The signal of which the derivative is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Derivative {
    /// The error.
    #[default]
    OnError,
    /// The compute load alone, so that a jump of the PCIe occupancy causes no derivative kick.
    OnMeasurement,
}

/// Gains by the size of the error e and of its change ec.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// At or above this |e|, the gains of a large error apply.
    #[number(symbol = "ε1", label = "large error", unit = Share, range = 1e-6..=1.0, source = PUBLISHED, chosen, decision)]
    pub large_error: f64,
    /// Below this |e|, the gains of a small error apply; between both limits, those of a middle error.
    #[number(symbol = "ε2", label = "small error", unit = Share, range = 1e-6..=1.0, source = PUBLISHED, chosen, decision)]
    pub small_error: f64,
    /// At or above this |ec|, a small error has the gain “Kd, small and fast”; below it, “Kd, small and slow”.
    #[number(symbol = "δ1", label = "fast change", unit = Share, range = 1e-6..=2.0, source = PUBLISHED, chosen, decision)]
    pub fast_change: f64,
    /// Proportional gain of a large error.
    #[number(symbol = "Kp1", label = "Kp, large error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen, decision)]
    pub kp1: f64,
    /// Proportional gain of a middle error.
    #[number(symbol = "Kp2", label = "Kp, middle error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen, decision)]
    pub kp2: f64,
    /// Proportional gain of a small error.
    #[number(symbol = "Kp3", label = "Kp, small error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen, decision)]
    pub kp3: f64,
    /// Integral gain of a large error; 0 in the published method.
    #[number(symbol = "Ki1", label = "Ki, large error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen, decision)]
    #[serde(default)]
    pub ki1: f64,
    /// Integral gain of a middle error.
    #[number(symbol = "Ki2", label = "Ki, middle error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen, decision)]
    pub ki2: f64,
    /// Integral gain of a small error.
    #[number(symbol = "Ki3", label = "Ki, small error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen, decision)]
    pub ki3: f64,
    /// Derivative gain of a large error.
    #[number(symbol = "Kd1", label = "Kd, large error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen, decision)]
    pub kd1: f64,
    /// Derivative gain of a middle error.
    #[number(symbol = "Kd2", label = "Kd, middle error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen, decision)]
    pub kd2: f64,
    /// Derivative gain of a small error that changes fast.
    #[number(symbol = "Kd3", label = "Kd, small and fast", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen, decision)]
    pub kd3: f64,
    /// Derivative gain of a small error that changes slowly.
    #[number(symbol = "Kd4", label = "Kd, small and slow", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen, decision)]
    pub kd4: f64,
}

/// Fuzzy correction of the gains: seven linguistic values of e and ec, 49 rules for each gain.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fuzzy {
    /// |e| of the linguistic value “big”.
    #[number(label = "range of e", unit = Share, range = 1e-3..=1.0, source = EXTENSION, chosen, decision)]
    pub error_range: f64,
    /// |ec| of the linguistic value “big”.
    #[number(label = "range of ec", unit = Share, range = 1e-4..=2.0, source = EXTENSION, chosen, decision)]
    pub change_range: f64,
    /// Correction of Kp for the linguistic value “big”.
    #[number(symbol = "ΔKp", label = "range of ΔKp", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen, decision)]
    pub kp_range: f64,
    /// Correction of Ki for the linguistic value “big”.
    #[number(symbol = "ΔKi", label = "range of ΔKi", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen, decision)]
    pub ki_range: f64,
    /// Correction of Kd for the linguistic value “big”.
    #[number(symbol = "ΔKd", label = "range of ΔKd", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen, decision)]
    pub kd_range: f64,
}

fn outermost() -> f64 {
    0.9
}

fn yes() -> bool {
    true
}
