//! Axes of quantities.

use crossover_chart::axis::{Axis, Scale};
use crossover_quantity::unit::Unit;

/// An axis of a quantity. Its labels have one unit, which the title names: "time in faster engine, h".
#[must_use]
pub fn axis(label: impl Into<String>, unit: Unit, scale: Scale, range: [f64; 2]) -> Axis {
    let unit = unit.of_axis(range, scale == Scale::Log);
    let mut label = label.into();
    if !unit.symbol.is_empty() {
        label += ", ";
        label += unit.symbol;
    }
    Axis { label, format: unit.format, scale, range, step_unit: unit.size }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 h are 28,800 s.
    #[test]
    fn the_title_of_an_axis_names_the_unit_of_its_labels() {
        let time = axis("time", Unit::Seconds, Scale::Linear, [0.0, 28_800.0]);
        let labels: Vec<String> = time.ticks(6).into_iter().filter_map(|tick| tick.label).collect();
        assert_eq!((time.label.as_str(), labels.join(" ")), ("time, h", "0 h 2 h 4 h 6 h 8 h".to_owned()));
        assert_eq!(axis("speedup", Unit::Factor, Scale::Linear, [0.0, 8.0]).label, "speedup");
    }
}
