//! Digits of predicted times: as many as tell them from today's time and from the time limit.

use crossover_quantity::unit::{Compared, Unit, predicted_beside};

use crate::candidate::Baseline;
use crate::objective::Objective;

/// The times that predicted ones are compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeDigits {
    today_and_limit: [Compared; 2],
}

impl TimeDigits {
    /// Those of a decision.
    pub(crate) fn new(baseline: &Baseline, objective: &Objective) -> Self {
        let seconds = baseline.time.value();
        Self::beside(if baseline.is_measured { Compared::exact } else { Compared::predicted }, seconds, objective)
    }

    /// Those beside a measured time, seconds.
    #[must_use]
    pub fn beside_measured(seconds: f64, objective: &Objective) -> Self {
        Self::beside(Compared::exact, seconds, objective)
    }

    fn beside(written: fn(f64) -> Compared, seconds: f64, objective: &Objective) -> Self {
        let today = written(seconds);
        let limit = objective.time_limit.seconds(seconds);
        // That no run may be slower is no other number.
        let is_today = objective.time_limit.is_today(seconds);
        Self { today_and_limit: [today, if is_today { today } else { Compared::exact(limit) }] }
    }

    /// A predicted time as it is written, seconds: 20 s, but 19.8 s where the limit is 20 s.
    #[must_use]
    pub fn rounded(&self, seconds: f64) -> f64 {
        predicted_beside(seconds, &self.today_and_limit)
    }

    /// The same in words: "19.8 s".
    #[must_use]
    pub fn text(&self, seconds: f64) -> String {
        Unit::Seconds.format(self.rounded(seconds))
    }
}
