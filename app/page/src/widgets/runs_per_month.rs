//! The field for the runs of a month.

use std::ops::RangeInclusive;

use egui::DragValue;

use super::exact;

/// Allowed numbers; 0 is not set.
const RANGE: RangeInclusive<f64> = 0.0..=1e9;

/// What the field shows.
fn shown(runs: f64) -> String {
    if runs > 0.0 { format!("{runs:.0}") } else { "not set".to_owned() }
}

/// The field; the number is applied when it is complete, not with each digit. 0 means that the number is not known.
pub fn field(runs: &mut f64) -> DragValue<'_> {
    exact::number(runs).range(RANGE).speed(1.0).custom_formatter(|runs, _| shown(runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_entered_is_not_a_number() {
        assert_eq!([0.0, 1.0, 720.0].map(shown), ["not set", "1", "720"]);
    }
}
