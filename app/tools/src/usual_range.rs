//! The range of a number that tools begin with.

use crossover_quantity::quantity::Quantity;

/// How far a range reaches beyond the present value, each way, where the number spans decades.
const DECADES: f64 = 100.0;

/// A range around the present value, and whether it is better seen in the logarithm.
pub(super) fn around(quantity: &Quantity, value: f64) -> ([f64; 2], bool) {
    let (min, max) = (quantity.min, quantity.max);
    if quantity.is_wide() && value > 0.0 {
        let ends = [(value / DECADES).max(min), (value * DECADES).min(max)];
        return (if quantity.whole { ends.map(f64::round) } else { ends }, true);
    }
    let reach = if value == 0.0 { 1.0 } else { 2.0 * value.abs() };
    let ends = [(value - reach).max(min), (value + reach).min(max)];
    (if quantity.whole { ends.map(f64::round) } else { ends }, false)
}
