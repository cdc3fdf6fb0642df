//! Errors of predicted times in words: whose they are, and why that of a prediction without the measured time holds.

use crossover_decision::Evidence;
use crossover_decision::evidence::PredictionError;
use crossover_engine::{Additive, Engine, Engines};
use crossover_placement::whole::PlanVerdict;
use crossover_quantity::unit::{Unit, significant};
use serde::{Deserialize, Serialize};

use super::EngineOption;

/// The error of a prediction that starts from a measured time: on the machines of the measurement that of such predictions, else
/// the larger one of those without a measured time.
pub(super) fn error_of(engines: &Engines) -> Option<PredictionError> {
    let factor_90 = engines.anchored_error_factor_90;
    if factor_90 <= 1.0 {
        return None;
    }
    let why = if engines.anchored_constant_speedup.is_some() {
        let left_out =
            if engines.elsewhere.is_some() { "clusters that it was not measured on" } else { "left-out queries" };
        format!("error factor of one speedup for all queries, on {left_out}")
    } else if factor_90 < engines.gpu.error_factor_90 {
        "error factor of predictions that start from today’s measured time".to_owned()
    } else {
        as_without_the_measured_time(other_machines(engines))
    };
    Some(PredictionError { factor_90, why })
}

/// What the evidence of an option says of its time for one query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeEvidence {
    /// Whether the time is a sum with the measured one.
    is_sum: bool,
    error: Option<PredictionError>,
    difference: Option<String>,
}

impl TimeEvidence {
    /// `None` if it is that of the option for every query: the time is no sum, and no time that belongs to no operator widens its error.
    #[must_use]
    pub fn new(option: &EngineOption, verdict: &PlanVerdict) -> Option<Self> {
        let is_sum = verdict.is_additive;
        if !is_sum && verdict.widening <= 1.0 {
            return None;
        }
        let of_sum = || {
            let range = &verdict.gpu;
            let is_different = verdict.difference.is_some();
            range.is_known().then(|| {
                let factor_90 = range.high / range.value / verdict.widening;
                error_of_sum(option.engines(), factor_90, is_different)
            })
        };
        let error = if is_sum { of_sum() } else { option.evidence.error.clone() };
        let error = error.map(|error| widened(error, verdict.widening));
        Some(Self { is_sum, error, difference: verdict.difference.clone().filter(|_| is_sum) })
    }

    /// Puts it into the evidence of the option.
    pub fn add_to(&self, evidence: &mut Evidence) {
        if self.is_sum {
            Additive::BASIS.clone_into(&mut evidence.basis);
        }
        if self.error.is_some() {
            evidence.error.clone_from(&self.error);
        }
        // The evidence of an application of one query has it already.
        let difference = self.difference.iter().filter(|difference| !evidence.distance.contains(difference));
        let difference: Vec<String> = difference.cloned().collect();
        evidence.distance.extend(difference);
    }
}

/// An error whose interval time that belongs to no operator widens by a factor.
pub(super) fn widened(error: PredictionError, by: f64) -> PredictionError {
    let factor_90 = error.factor_90 * by;
    // What would be written as "1 times" is not worth a word.
    let shown = significant(by, 3);
    if shown <= 1.0 {
        return PredictionError { factor_90, ..error };
    }
    let factor = Unit::Ratio.format(shown);
    let why = format!("{}; {factor} times as wide, because some time belongs to no operator", error.why);
    PredictionError { factor_90, why }
}

/// The error of a time that is a sum with the measured one; `is_different`: whether a query differs from the measured ones.
pub(super) fn error_of_sum(engines: &Engines, factor_90: f64, is_different: bool) -> PredictionError {
    let of_sum = engines.anchored.as_ref().map_or(1.0, |anchored| anchored.error_factor_90);
    let why = if factor_90 < engines.gpu.error_factor_90 {
        format!("error factor of queries that were left out of the fit, each predicted from {}", Additive::BASIS)
    } else if factor_90 > of_sum.max(engines.gpu.error_factor_90) * (1.0 + 1e-9) {
        "so wide that no gain is likely, because the run is far smaller than any measured one".to_owned()
    } else if is_different {
        as_without_the_measured_time("the query differs from the measured ones")
    } else {
        as_without_the_measured_time(other_machines(engines))
    };
    PredictionError { factor_90, why }
}

/// The time itself is predicted with the measured one, as the evidence says beside it.
fn as_without_the_measured_time(why: &str) -> String {
    format!("the prediction uses the measured time, but its error is at least as large as without it, because {why}")
}

/// Which machines are not those of the measurement.
fn other_machines(engines: &Engines) -> &'static str {
    let is_moved = |engine: &Engine| !engine.fitted_to.is_empty() && engine.fitted_to != engine.title();
    match (is_moved(&engines.cpu), is_moved(&engines.gpu)) {
        (true, _) => "today’s machines are not those of the measurement",
        (false, true) => "its machines are not those of the measurement",
        (false, false) => "today’s machines may not be those of the measurement",
    }
}
