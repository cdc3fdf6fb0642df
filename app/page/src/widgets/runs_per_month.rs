//! The field for the runs of a month.

use std::ops::RangeInclusive;

use super::typed::{Format, count};

/// Allowed numbers; 0 is not set.
const RANGE: RangeInclusive<f64> = 0.0..=1e9;

/// How the number is shown and read; 0 means that it is not known.
pub const FORMAT: Format<'static> = Format { range: RANGE, speed: 1.0, shown: &shown, read: &count };

/// What the field shows.
fn shown(runs: f64) -> String {
    if runs > 0.0 { format!("{runs:.0}") } else { "not set".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_entered_is_not_a_number() {
        assert_eq!([0.0, 1.0, 720.0].map(shown), ["not set", "1", "720"]);
    }
}
