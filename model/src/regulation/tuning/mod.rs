//! Tuning: gains from an experiment ([`relay`]) or from many runs ([`search`]), which have to leave no error that a
//! controller could do something about ([`remaining`]).

pub mod relay;
pub mod remaining;
pub mod search;

use std::sync::atomic::AtomicUsize;

use super::pid::Gains;
use super::study::Controller;

/// How somebody who waits for runs follows them and calls them off.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Asked before every run of many, and every few thousand steps of one; true: nothing further begins.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Counts what is done: runs of a search or a map; periods of an [evaluation](super::outcome::evaluate_watched) or
    /// an [experiment](relay::experiment_watched).
    pub done: &'a AtomicUsize,
}

/// The controller with these gains. A gain schedule would stand in their place, so it is left out; a fuzzy correction
/// and all other settings stay.
#[must_use]
pub fn with_gains(controller: &Controller, gains: Gains) -> Controller {
    Controller { kp: gains.kp, ki: gains.ki, kd: gains.kd, schedule: None, ..controller.clone() }
}
