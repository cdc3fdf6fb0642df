//! Tuning: gains from an experiment ([`relay`]) or from many runs ([`search`]; [`learn`] for gains by cells of the state), which must not leave an error that a
//! controller could reduce ([`remaining`]).

pub mod learn;
pub mod relay;
pub mod remaining;
pub mod search;

use super::pid::Gains;
use super::study::Controller;

/// The controller with these gains, without a gain schedule or a learned table, which would replace them; a fuzzy correction and all other
/// settings stay.
#[must_use]
pub fn with_gains(controller: &Controller, gains: Gains) -> Controller {
    Controller { kp: gains.kp, ki: gains.ki, kd: gains.kd, schedule: None, learned: None, ..controller.clone() }
}
