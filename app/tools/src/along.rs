//! What charts of figures along a number share: their axes, and where the present value is.

use crossover_chart::axis::{Axis, Scale};
use crossover_export::axis::axis;
use crossover_study::Figure;
use crossover_tools::Swept;
use crossover_tools::sweep::FigureCurve;

/// A figure whose values differ by more than this factor is drawn in its logarithm.
const DECADES: f64 = 30.0;

/// The number, and the figure, whose values are these.
pub(super) fn axes(
    swept: &Swept,
    is_logarithmic: bool,
    figure: &Figure,
    values: impl Iterator<Item = f64>,
) -> [Axis; 2] {
    let [least, most] = ends(values);
    // Small values would lie on the axis.
    let spans_decades = least > 0.0 && most / least > DECADES;
    let x =
        axis(swept.quantity.label, swept.quantity.unit, Scale::of(is_logarithmic), ends(swept.values.iter().copied()));
    let range = if spans_decades { [least / 1.3, most * 1.3] } else { roomy([least, most]) };
    let y = axis(figure.label, figure.unit, Scale::of(spans_decades), range);
    [x, y]
}

/// A curve as points, not a number where there is no value.
pub(super) fn points(swept: &Swept, curve: &FigureCurve) -> Vec<[f64; 2]> {
    swept.values.iter().zip(&curve.values).map(|(x, y)| [*x, y.unwrap_or(f64::NAN)]).collect()
}

/// The present value with its figure, where the sweep has it between its ends.
pub(super) fn now(swept: &Swept, curve: &FigureCurve) -> Option<[f64; 2]> {
    let (x, y) = (swept.present?, curve.present?);
    let [from, to] = ends(swept.values.iter().copied());
    (from <= x && x <= to).then_some([x, y])
}

fn ends(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
    if low <= high { [low, high] } else { [0.0, 1.0] }
}

/// Some room above and below; a level line is in the middle.
fn roomy([low, high]: [f64; 2]) -> [f64; 2] {
    let room = if high > low { 0.08 * (high - low) } else { 0.1 * high.abs().max(1e-9) };
    [low - room, high + room]
}
