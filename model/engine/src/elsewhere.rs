//! The numbers of the constant on machines that no fit has seen.

use serde::{Deserialize, Serialize};

/// Source of the terms, which the published method does not have.
const EXTENSION: &str = "extension of the published method: the constant (docs/model/engines.md)";

/// One speedup for all queries on other machines than those of the fit.
#[derive(Debug, Clone, Copy, PartialEq, crossover_study::Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Elsewhere {
    /// Time on CPUs ÷ time on GPUs of every query, on other machines than those of the fit.
    #[number(symbol = "S_0", label = "constant speedup", unit = Ratio, range = 1e-6..=1e6, chosen, source = EXTENSION)]
    pub speedup: f64,
    /// 90 % of measured speedups were within this factor of the constant of another cluster.
    #[number(
        symbol = "ε_0", label = "error factor (90 %)", unit = Ratio, range = 1.0..=1000.0, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    pub error_factor_90: f64,
}
