//! Regulation studies on the command line.

use crossover_model::regulation::{Regulation, evaluate};

use crate::export::Format;
use crate::export::regulation::results;

/// The outcome of a regulation study as text.
pub(super) fn outcome(scenario: &str, study: &Regulation, format: Format) -> String {
    results(scenario, study, &evaluate(study)).write(format)
}
