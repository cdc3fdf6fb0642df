//! The gains in force: those of the controller, of its schedule, and the fuzzy correction.

use super::fuzzy;
use super::pid::Gains;
use super::study::{Controller, Schedule};

/// The gains for an error and its change; never negative.
#[must_use]
pub fn gains(controller: &Controller, error: f64, change: f64) -> Gains {
    let start = match &controller.schedule {
        None => Gains { kp: controller.kp, ki: controller.ki, kd: controller.kd },
        Some(schedule) => scheduled(schedule, error, change),
    };
    let Some(rules) = &controller.fuzzy else { return start };
    let correction = fuzzy::correction(rules, error, change);
    Gains {
        kp: (start.kp + correction.kp).max(0.0),
        ki: (start.ki + correction.ki).max(0.0),
        kd: (start.kd + correction.kd).max(0.0),
    }
}

/// The gains of a schedule.
#[must_use]
pub fn scheduled(schedule: &Schedule, error: f64, change: f64) -> Gains {
    let size = error.abs();
    if size >= schedule.large_error {
        Gains { kp: schedule.kp1, ki: schedule.ki1, kd: schedule.kd1 }
    } else if size >= schedule.small_error {
        Gains { kp: schedule.kp2, ki: schedule.ki2, kd: schedule.kd2 }
    } else if change.abs() >= schedule.fast_change {
        Gains { kp: schedule.kp3, ki: schedule.ki3, kd: schedule.kd3 }
    } else {
        Gains { kp: schedule.kp3, ki: schedule.ki3, kd: schedule.kd4 }
    }
}
