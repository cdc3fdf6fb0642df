//! Regulation studies on the command line.

use anyhow::{Result, anyhow};
use crossover_model::regulation::{Regulation, evaluate};

use super::message;
use crate::export::Format;
use crate::export::regulation::results;

/// The outcome of a regulation study as text, with the steps of a strategy or of the chosen controller; what a CSV
/// has no place for goes to standard error.
///
/// # Errors
/// If there is no such strategy.
pub(super) fn outcome(scenario: &str, study: &Regulation, strategy: Option<&str>, format: Format) -> Result<String> {
    let outcome = evaluate(study);
    if format == Format::Csv {
        for warning in &outcome.warnings {
            message(&format!("warning: {warning}"));
        }
    }
    let results = results(scenario, study, &outcome);
    let results = match strategy {
        Some(strategy) => results.with_steps_of(strategy).map_err(|problem| anyhow!("--strategy: {problem}"))?,
        None => results,
    };
    Ok(results.write(format))
}
