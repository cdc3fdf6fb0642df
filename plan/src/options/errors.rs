//! Errors of predicted times in words: whose they are, and why the larger of two holds.

use crossover_decision::Evidence;
use crossover_decision::evidence::PredictionError;
use crossover_engine::{Additive, Engine, Engines};
use crossover_placement::whole::PlanVerdict;
use crossover_quantity::unit::{Unit, predicted};
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
        larger_of_two(other_machines(engines))
    };
    Some(PredictionError { factor_90, why })
}

/// What the evidence of an option says of a time that is a sum with the measured one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SumEvidence {
    error: Option<PredictionError>,
    difference: Option<String>,
}

impl SumEvidence {
    /// `None` if the time is no such sum.
    #[must_use]
    pub fn new(option: &EngineOption, verdict: &PlanVerdict) -> Option<Self> {
        let range = &verdict.gpu;
        let error = || {
            let is_different = verdict.difference.is_some();
            range.is_known().then(|| {
                let factor_90 = range.high / range.value / verdict.widening;
                widened(error_of_sum(option.engines(), factor_90, is_different), verdict.widening)
            })
        };
        verdict.is_additive.then(|| Self { error: error(), difference: verdict.difference.clone() })
    }

    /// Adds it to the evidence of the option.
    pub fn add_to(&self, evidence: &mut Evidence) {
        Additive::BASIS.clone_into(&mut evidence.basis);
        if self.error.is_some() {
            evidence.error.clone_from(&self.error);
        }
        evidence.distance.extend(self.difference.clone());
    }
}

/// An error whose interval time that belongs to no operator widens by a factor.
pub(super) fn widened(error: PredictionError, by: f64) -> PredictionError {
    if by <= 1.0 {
        return error;
    }
    let factor = Unit::Ratio.format(predicted(by));
    let why = format!("{}; {factor} times as wide, because some time belongs to no operator", error.why);
    PredictionError { factor_90: error.factor_90 * by, why }
}

/// The error of a time that is a sum with the measured one; `is_different`: whether a query differs from the measured ones.
pub(super) fn error_of_sum(engines: &Engines, factor_90: f64, is_different: bool) -> PredictionError {
    let of_sum = engines.anchored.as_ref().map_or(1.0, |anchored| anchored.error_factor_90);
    let why = if factor_90 < engines.gpu.error_factor_90 {
        format!("error factor of queries that were left out of the fit, each predicted from {}", Additive::BASIS)
    } else if factor_90 > of_sum.max(engines.gpu.error_factor_90) * (1.0 + 1e-9) {
        "so wide that no gain is likely, because the run is far smaller than any measured one".to_owned()
    } else if is_different {
        larger_of_two("the query differs from the measured ones")
    } else {
        larger_of_two(other_machines(engines))
    };
    PredictionError { factor_90, why }
}

fn larger_of_two(why: &str) -> String {
    format!("the larger of two error factors, that of predictions without a measured time, because {why}")
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
