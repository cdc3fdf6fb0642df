//! The current gains: those of the controller, of its schedule or learned table, and the fuzzy correction. With them, the table from
//! which a controller starts to learn.

use super::fuzzy;
use super::gain_table::GainTable;
use super::pid::Gains;
use super::study::{Controller, Schedule};

/// Gains that differ by no more than this share of the larger one count as about equal.
const ABOUT: f64 = 0.1;

/// The gains for an error and its change; never negative.
#[must_use]
pub fn gains(controller: &Controller, error: f64, change: f64) -> Gains {
    let start = match (&controller.learned, &controller.schedule) {
        (Some(table), _) => table.at(error, change),
        (None, Some(schedule)) => scheduled(schedule, error, change),
        (None, None) => Gains { kp: controller.kp, ki: controller.ki, kd: controller.kd },
    };
    let Some(rules) = &controller.fuzzy else { return start };
    let correction = fuzzy::correction(rules, error, change);
    Gains {
        kp: (start.kp + correction.kp).max(0.0),
        ki: (start.ki + correction.ki).max(0.0),
        kd: (start.kd + correction.kd).max(0.0),
    }
}

/// The gains of a schedule: a boundary belongs to the larger error and to the faster change.
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

impl Schedule {
    /// Start values of an expert, for the published control table.
    ///
    /// Errors are large from 0.3 on, where the table with Kp = 1 begins to move two vGPUs and the frequency, and small
    /// below 0.1, its dead zone. 0.02 is what one vGPU of fifty changes. A large or small error gets Kp = 1, the gain of
    /// the published example; a middle one 0.8, against overshoot. Ki is 0 for a large error, and 0.3 for a
    /// small one, which leaves the dead zone within some periods. Kd doubles where a small error changes fast, as
    /// damping.
    #[must_use]
    pub fn expert() -> Self {
        Self {
            large_error: 0.3,
            small_error: 0.1,
            fast_change: 0.02,
            kp1: 1.0,
            kp2: 0.8,
            kp3: 1.0,
            ki1: 0.0,
            ki2: 0.1,
            ki3: 0.3,
            kd1: 0.25,
            kd2: 0.25,
            kd3: 0.5,
            kd4: 0.25,
        }
    }

    /// The rules of the published method that the schedule does not meet, in words; empty if it meets all.
    ///
    /// The rules are Kp1 ≈ Kp3 > Kp2, Kd1 ≈ Kd2 ≈ Kd4 < Kd3, 0 = Ki1 < Ki2 < Ki3 and ε1 > ε2 > 0. "About equal" here means
    /// that two gains differ by no more than a tenth of the larger one.
    #[must_use]
    pub fn departures(&self) -> Vec<String> {
        let Self { large_error, small_error, kp1, kp2, kp3, ki1, ki2, ki3, kd1, kd2, kd3, kd4, .. } = *self;
        let about = |a: f64, b: f64| (a - b).abs() <= ABOUT * a.max(b) * (1.0 + 1e-9);
        let rules = [
            (large_error > small_error, format!("ε1 {large_error} is not above ε2 {small_error}")),
            (small_error > 0.0, format!("ε2 {small_error} is not above 0")),
            (about(kp1, kp3), format!("Kp1 {kp1} and Kp3 {kp3} are not about equal")),
            (kp1.min(kp3) > kp2, format!("Kp2 {kp2} is not below Kp1 {kp1} and Kp3 {kp3}")),
            (ki1 == 0.0, format!("Ki1 {ki1} is not 0")),
            (ki1 < ki2, format!("Ki2 {ki2} is not above Ki1 {ki1}")),
            (ki2 < ki3, format!("Ki3 {ki3} is not above Ki2 {ki2}")),
            (
                about(kd1, kd2) && about(kd2, kd4) && about(kd1, kd4),
                format!("Kd1 {kd1}, Kd2 {kd2} and Kd4 {kd4} are not about equal"),
            ),
            (kd1.max(kd2).max(kd4) < kd3, format!("Kd3 {kd3} is not above Kd1 {kd1}, Kd2 {kd2} and Kd4 {kd4}")),
        ];
        rules.into_iter().filter(|(holds, _)| !holds).map(|(_, departure)| departure).collect()
    }
}

impl GainTable {
    /// The table with the gains that a controller has now; its cells are those of its own table, of its schedule, or of an
    /// expert's one.
    #[must_use]
    pub fn of(controller: &Controller, seed: u64) -> Self {
        if let Some(table) = &controller.learned {
            return Self { seed, ..table.clone() };
        }
        let plain = Controller { fuzzy: None, ..controller.clone() };
        let Schedule { large_error, small_error, fast_change, .. } =
            controller.schedule.clone().unwrap_or_else(Schedule::expert);
        let errors = [0.5 * small_error, 0.5 * (small_error + large_error), large_error];
        let changes = [-fast_change, 0.0, fast_change];
        let row = |error: f64| changes.map(|change| gains(&plain, error, change));
        Self { seed, small_error, large_error, fast_change, gains: errors.map(row).concat() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{Derivative, Form, Fuzzy, Integration};

    /// Every gain tells its row: 1, 2, 3 for Kp, 10 … for Ki, 100 … for Kd.
    fn telling() -> Schedule {
        Schedule {
            large_error: 0.4,
            small_error: 0.2,
            fast_change: 0.05,
            kp1: 1.0,
            kp2: 2.0,
            kp3: 3.0,
            ki1: 10.0,
            ki2: 20.0,
            ki3: 30.0,
            kd1: 100.0,
            kd2: 200.0,
            kd3: 300.0,
            kd4: 400.0,
        }
    }

    fn controller(schedule: Option<Schedule>, fuzzy: Option<Fuzzy>) -> Controller {
        Controller {
            name: "controller".to_owned(),
            form: Form::PID,
            kp: 1.0,
            ki: 0.3,
            kd: 0.5,
            integration: Integration::InDeadZone,
            reset_after_action: true,
            integral_limit: 0.9,
            derivative: Derivative::OnError,
            schedule,
            learned: None,
            fuzzy,
        }
    }

    #[test]
    fn every_boundary_of_the_schedule_belongs_to_the_larger_side() {
        let below = f64::next_down;
        let cases = [
            (1.0, 0.0, [1.0, 10.0, 100.0]),
            (0.4, 0.0, [1.0, 10.0, 100.0]),
            (0.4, 0.05, [1.0, 10.0, 100.0]),
            (below(0.4), 0.0, [2.0, 20.0, 200.0]),
            (below(0.4), 0.05, [2.0, 20.0, 200.0]),
            (0.2, 0.0, [2.0, 20.0, 200.0]),
            (0.2, 0.05, [2.0, 20.0, 200.0]),
            (below(0.2), 0.05, [3.0, 30.0, 300.0]),
            (0.0, 0.05, [3.0, 30.0, 300.0]),
            (below(0.2), below(0.05), [3.0, 30.0, 400.0]),
            (0.0, 0.0, [3.0, 30.0, 400.0]),
        ];
        for (error, change, expected) in cases {
            for (error, change) in [(error, change), (-error, change), (error, -change), (-error, -change)] {
                let Gains { kp, ki, kd } = scheduled(&telling(), error, change);
                assert_eq!([kp, ki, kd], expected, "e {error}, ec {change}");
            }
        }
    }

    #[test]
    fn a_schedule_stands_in_place_of_the_gains_and_the_fuzzy_correction_adds_to_either() {
        let plain = controller(None, None);
        assert_eq!(gains(&plain, 0.5, 0.0), Gains { kp: 1.0, ki: 0.3, kd: 0.5 });
        let scheduled = controller(Some(telling()), None);
        assert_eq!(gains(&scheduled, 0.5, 0.0), Gains { kp: 1.0, ki: 10.0, kd: 100.0 });
        // e = NB, ec = NB: ΔKp = PB, ΔKi = NB, ΔKd = PS, a third of its range.
        let fuzzy = Fuzzy { error_range: 0.5, change_range: 0.1, kp_range: 0.4, ki_range: 0.2, kd_range: 0.3 };
        let found = gains(&controller(None, Some(fuzzy.clone())), -0.5, -0.1);
        for (found, expected) in [(found.kp, 1.4), (found.ki, 0.1), (found.kd, 0.6)] {
            assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
        }
        let found = gains(&controller(Some(telling()), Some(fuzzy)), -0.5, -0.1);
        for (found, expected) in [(found.kp, 1.4), (found.ki, 9.8), (found.kd, 100.1)] {
            assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
        }
    }

    #[test]
    fn a_correction_never_makes_a_gain_negative() {
        let fuzzy = Fuzzy { error_range: 0.5, change_range: 0.1, kp_range: 9.0, ki_range: 9.0, kd_range: 9.0 };
        // e = PB, ec = PB lowers Kp, e = NB, ec = NB lowers Ki, and e = NB, ec = ZO lowers Kd.
        assert_eq!(gains(&controller(None, Some(fuzzy.clone())), 0.5, 0.1).kp, 0.0);
        assert_eq!(gains(&controller(None, Some(fuzzy.clone())), -0.5, -0.1).ki, 0.0);
        assert_eq!(gains(&controller(None, Some(fuzzy)), -0.5, 0.0).kd, 0.0);
    }

    #[test]
    fn the_expert_values_are_what_the_published_method_asks_for() {
        let expert = Schedule::expert();
        assert_eq!(expert.departures(), Vec::<String>::new());
        let fuzzy = Fuzzy::expert();
        let numbers = [crossover_study::numbers(&expert), crossover_study::numbers(&fuzzy)].concat();
        assert_eq!(numbers.len(), 18, "thirteen of a schedule, five of fuzzy rules");
        for (path, quantity, value) in numbers {
            assert_eq!(quantity.problem(value), None, "{path}");
        }
    }

    type Change<'a> = &'a dyn Fn(&mut Schedule);

    #[test]
    fn every_departure_is_named() {
        let departures = |change: Change<'_>| {
            let mut schedule = Schedule::expert();
            change(&mut schedule);
            schedule.departures()
        };
        let cases: [(Change<'_>, &[&str]); 9] = [
            (&|schedule| schedule.large_error = 0.1, &["ε1 0.1 is not above ε2 0.1"]),
            (&|schedule| schedule.small_error = 0.0, &["ε2 0 is not above 0"]),
            (&|schedule| schedule.kp3 = 0.89, &["Kp1 1 and Kp3 0.89 are not about equal"]),
            (&|schedule| schedule.kp2 = 1.0, &["Kp2 1 is not below Kp1 1 and Kp3 1"]),
            (&|schedule| schedule.ki1 = 0.05, &["Ki1 0.05 is not 0"]),
            (&|schedule| schedule.ki2 = 0.0, &["Ki2 0 is not above Ki1 0"]),
            (&|schedule| schedule.ki3 = 0.1, &["Ki3 0.1 is not above Ki2 0.1"]),
            (&|schedule| schedule.kd4 = 0.2, &["Kd1 0.25, Kd2 0.25 and Kd4 0.2 are not about equal"]),
            (&|schedule| schedule.kd3 = 0.25, &["Kd3 0.25 is not above Kd1 0.25, Kd2 0.25 and Kd4 0.25"]),
        ];
        for (change, expected) in cases {
            assert_eq!(departures(change), expected);
        }
        // A tenth of the larger one is still about equal.
        assert_eq!(departures(&|schedule| schedule.kp3 = 0.9), Vec::<String>::new());
    }
}
