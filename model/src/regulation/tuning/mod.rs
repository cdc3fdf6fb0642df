//! Tuning: gains from an experiment ([`relay`]) or from many runs ([`search`]).

pub mod relay;
pub mod search;

use std::sync::atomic::AtomicUsize;

use super::pid::Gains;
use super::study::Controller;

/// How somebody who waits for many runs follows them and calls them off.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Asked before every run; true: no further run begins.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Counts the runs that are done.
    pub done: &'a AtomicUsize,
}

/// The controller with these gains. A gain schedule would stand in their place, so it is left out; a fuzzy correction
/// and all other settings stay.
#[must_use]
pub fn with_gains(controller: &Controller, gains: Gains) -> Controller {
    Controller { kp: gains.kp, ki: gains.ki, kd: gains.kd, schedule: None, ..controller.clone() }
}

/// A steady-state error that exceeds the least one among gains that settle by no more than this counts as good as it:
/// half a point of occupancy, about what one vGPU of two hundred changes.
const ABOUT_THE_LEAST: f64 = 0.005;
/// The same against gains that keep moving, whose error swings.
const NEAR_THE_LEAST: f64 = 0.05;

/// The largest steady-state error that does not count as left over, from runs of the same controller with different
/// gains: whether each settles, and its steady-state error. A limit in itself would not do, because limits of the
/// clusters may not let any gains bring the error to zero, and a controller that never acts settles at once.
pub(super) fn most_error(runs: impl Iterator<Item = (bool, f64)>) -> f64 {
    let (settled, any) = runs.fold((f64::INFINITY, f64::INFINITY), |(settled, any), (settles, error)| {
        (if settles { error.min(settled) } else { settled }, error.min(any))
    });
    (settled + ABOUT_THE_LEAST).min(any + NEAR_THE_LEAST)
}
