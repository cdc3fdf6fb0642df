//! Gains, and tables of them by cells of the state. A [search over simulated runs](super::tuning::learn) chooses a table: rules from a
//! trained model.

use serde::{Deserialize, Serialize};

/// Gains in force in one period.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gains {
    /// Kp
    pub kp: f64,
    /// Ki, for one period
    pub ki: f64,
    /// Kd, for one period
    pub kd: f64,
}

/// Cells of a table: three sizes of the error by three changes of its size.
pub const CELLS: usize = 9;

/// Gains by the size of the error and by how fast it grows or shrinks, in place of constant and of scheduled gains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GainTable {
    /// Seed of the disturbances with which it was learned.
    pub seed: u64,
    /// Below this |e| an error is small.
    pub small_error: f64,
    /// From this |e| on an error is large.
    pub large_error: f64,
    /// From this |ec| on an error grows or shrinks fast.
    pub fast_change: f64,
    /// Gains of small, middle and large errors, each for errors that shrink fast, change slowly, or grow fast.
    pub gains: Vec<Gains>,
}

impl GainTable {
    /// The gains for an error and its change. Boundaries belong to the larger error and to the faster change.
    #[must_use]
    pub fn at(&self, error: f64, change: f64) -> Gains {
        let size = error.abs();
        let row = usize::from(size >= self.small_error) + usize::from(size >= self.large_error);
        let growth = if error < 0.0 { -change } else { change };
        let column = if growth >= self.fast_change { 2 } else { usize::from(growth > -self.fast_change) };
        self.gains.get(3 * row + column).copied().unwrap_or_default()
    }

    /// What is wrong with it; none for a table that a study may have.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let Self { small_error, large_error, fast_change, gains, .. } = self;
        if gains.len() != CELLS {
            return Some(format!("{} cells; expected {CELLS}", gains.len()));
        }
        if !(0.0 < *small_error && small_error < large_error && *large_error <= 1.0 && *fast_change > 0.0) {
            return Some("expected 0 < small_error < large_error ≤ 1 and fast_change above 0".to_owned());
        }
        gains.iter().find_map(|gains| gains.problem())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kp of each cell is its place.
    fn telling() -> GainTable {
        let gains = (0_u8..9).map(|place| Gains { kp: f64::from(place), ki: 0.0, kd: 0.0 }).collect();
        GainTable { seed: 1, small_error: 0.1, large_error: 0.3, fast_change: 0.02, gains }
    }

    #[test]
    fn a_cell_is_the_size_of_the_error_and_whether_it_grows_whatever_its_sign() {
        for (error, change, expected) in [
            (0.0, 0.0, 1.0),
            (0.099, -0.02, 0.0),
            (0.099, 0.02, 2.0),
            (0.1, 0.0199, 4.0),
            (0.2, -0.0199, 4.0),
            (0.2, -0.5, 3.0),
            (0.3, 0.0, 7.0),
            (1.0, 0.1, 8.0),
            (0.3, -0.02, 6.0),
        ] {
            assert_eq!(telling().at(error, change).kp, expected, "e {error}, ec {change}");
            assert_eq!(telling().at(-error, -change).kp, expected, "e −{error}, ec −{change}");
        }
    }

    #[test]
    fn a_table_that_no_study_may_have_says_why() {
        assert_eq!(telling().problem(), None);
        let short = GainTable { gains: Vec::new(), ..telling() };
        assert_eq!(short.problem().as_deref(), Some("0 cells; expected 9"));
        assert!(GainTable { small_error: 0.3, ..telling() }.problem().is_some());
        let mut steep = telling();
        steep.gains[4].ki = f64::INFINITY;
        assert!(steep.problem().is_some_and(|problem| problem.starts_with("Ki")));
    }
}
