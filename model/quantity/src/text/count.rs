//! Counts with their nouns.

use crate::unit::Unit;

/// A count with its noun, whose plural ends in s: “1 run”, “2,000 runs”.
#[must_use]
pub fn counted(count: f64, one: &str) -> String {
    let plural = if count.abs() == 1.0 { "" } else { "s" };
    format!("{} {one}{plural}", Unit::Count.format(count))
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn only_one_is_singular() {
        for (count, expected) in
            [(0.0, "0 runs"), (1.0, "1 run"), (-1.0, "−1 run"), (1.5, "1.5 runs"), (2e3, "2,000 runs")]
        {
            assert_eq!(counted(count, "run"), expected);
        }
    }
}
