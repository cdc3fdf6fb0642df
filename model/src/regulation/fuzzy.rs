//! Fuzzy self-tuning: corrections of the gains from seven linguistic values of e and ec.

use super::pid::Gains;
use super::study::Fuzzy;

/// The correction of each gain for an error and its change.
#[must_use]
pub fn correction(_rules: &Fuzzy, _error: f64, _change: f64) -> Gains {
    Gains { kp: 0.0, ki: 0.0, kd: 0.0 }
}
