//! Numbers and figures of any study, and values that are left out, as JSON has them.

use crossover_quantity::unit::Unit;
use crossover_study::Better;
use crossover_tools::LeftOut;
use serde::Serialize;

/// The unit of a value in JSON: shares are written from 0 to 1.
pub(super) fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Share => "share",
        other => other.symbol(),
    }
}

/// A difference of two values, or an error: of factors without "×", of shares in percentage points.
pub(super) fn difference(unit: Unit, difference: f64) -> String {
    match unit {
        Unit::Factor => Unit::Ratio.format(difference),
        Unit::Share => format!("{} percentage points", Unit::Share.number_and_symbol(difference).0),
        other => other.format(difference),
    }
}

/// Which direction of a figure is better, one word.
pub(super) fn better(better: Better) -> &'static str {
    match better {
        Better::Higher => "higher",
        Better::Lower => "lower",
        Better::Neither => "neither",
    }
}

/// A number that was moved, and where it was put.
#[derive(Serialize)]
pub(super) struct Moved<'a> {
    pub(super) path: &'a str,
    pub(super) label: &'a str,
    pub(super) unit: &'a str,
    pub(super) present: Option<f64>,
    pub(super) values: &'a [f64],
}

/// Values that the rest of the study does not allow.
#[derive(Serialize)]
pub(super) struct Refused<'a, P> {
    count: usize,
    first: P,
    field: &'a str,
    problem: &'a str,
}

impl<'a, P: Copy> Refused<'a, P> {
    pub(super) fn new(left_out: &'a LeftOut<P>) -> Self {
        let LeftOut { count, first, problem } = left_out;
        Self { count: *count, first: *first, field: &problem.path, problem: &problem.problem }
    }
}
