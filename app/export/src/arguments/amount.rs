//! Amounts on the command line: prices, budgets and runs.

use crossover_quantity::unit::Unit;

/// Highest price, budget, effort or number of runs.
pub const LARGEST_AMOUNT: f64 = 1e9;

/// Reads a price, a budget or a number of runs, also as it is printed: "3,000".
///
/// # Errors
/// It is no number above 0, or above [`LARGEST_AMOUNT`].
pub fn positive(text: &str) -> Result<f64, String> {
    let number = Unit::Count.parse(text).ok().filter(|number| *number > 0.0 && *number <= LARGEST_AMOUNT);
    number.ok_or_else(|| "expected a number above 0 and up to 1,000,000,000".to_owned())
}
