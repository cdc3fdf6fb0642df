//! Time limits with which another verdict, or another option, is recommended.
//!
//! ```text
//! x_50 = (k + m)/B        x_90 = (k + m·e^(1.282·d))/B        1
//! ```
//! The verdict on an option changes only where its likelihood of keeping the limit reaches 50 % or 90 %, and where today's run begins to break
//! the limit. Between two such limits the recommendation is the same.

use crossover_quantity::unit::predicted_limit;

use super::{Decision, DecisionOption, is_judged, judge};
use crate::normal::QUANTILE_90;
use crate::objective::{Goal, Objective};
use crate::time_limit::TimeLimit;
use crate::verdict::{MOVE_FROM, Verdict};

/// Largest factor between the present limit and one that is looked for.
const FARTHEST: f64 = 10.0;
/// Significant digits of a limit that is named: as few as still tell it from the next change.
const DIGITS: [f64; 3] = [2.0, 3.0, 4.0];
/// Relative distance of a limit from one at which a likelihood is reached: it is reached whatever the rounding.
const ROUNDING: f64 = 1e-12;
/// Relative distance below a limit at which a likelihood is no longer reached, whatever the rounding.
const BELOW: f64 = 1e-9;

impl Decision {
    /// The time limit as a factor of today's time.
    #[must_use]
    pub fn limit_factor(&self) -> f64 {
        self.objective.time_limit.factor(self.baseline.time.value())
    }

    /// A longer time limit, as a factor of today's time, from which on the verdict on this option would be to move; `None` if no time
    /// limit changes it. An option that does not save can be moved to only within a limit that today's run breaks.
    #[must_use]
    pub fn limit_to_move(&self, option: &DecisionOption) -> Option<f64> {
        if self.is_by_time() || option.better? >= MOVE_FROM {
            return None;
        }
        let limit = self.limit_at(option, QUANTILE_90)?;
        let is_broken_there = self.is_limit_broken_today() && limit < 1.0;
        // Within a limit that today's run keeps, the effort counts.
        let is_paid_back = self.payback(option).is_none_or(|payback| !payback.is_late());
        let saves = option.cheaper? >= MOVE_FROM && option.saving? > 0.0 && is_paid_back;
        (is_broken_there || saves).then_some(limit)
    }

    /// The smallest time limit, in the form of the present one and rounded up to two digits, with which the verdict would be to move, and
    /// the place of the option; `None` if none changes the verdict.
    #[must_use]
    pub fn limit_of_a_move(&self) -> Option<(TimeLimit, usize)> {
        let limits = self.options.iter().filter_map(|option| self.limit_to_move(option));
        let mut limits: Vec<f64> = limits.map(|factor| predicted_limit(self.amount(factor))).collect();
        limits.sort_by(f64::total_cmp);
        // Within the smallest of them an option that needs a trial may save more.
        let (limit, best) = limits.into_iter().find_map(|amount| {
            let limit = self.objective.time_limit.with_amount(amount);
            let then = self.within(limit);
            then.best.filter(|_| then.verdict == Verdict::Move).map(|best| (limit, best))
        })?;
        (!self.recommends(Some(best))).then_some((limit, best))
    }

    /// The decisions within the nearest longer and the nearest shorter time limit with which another verdict, or another option, is recommended,
    /// up to a factor of ten from the present limit. Each has its limit as [`Objective::time_limit`], in the form of the present one. Empty
    /// where no time limit decides.
    #[must_use]
    pub fn at_nearest_limits(&self) -> Vec<Self> {
        if self.objective.goal != Goal::Cost || self.is_by_time() {
            return Vec::new();
        }
        let now = self.limit_factor();
        let ends = self.limits_of_verdicts();
        let is_near = |end: f64| end <= now * FARTHEST && end * FARTHEST >= now;
        let next = |place: usize| ends.get(place + 1).copied().unwrap_or(f64::INFINITY);
        let before = |place: usize| place.checked_sub(1).map_or(0.0, |place| ends[place]);
        let mut longer = ends.iter().enumerate().filter(|(_, end)| **end > now && is_near(**end));
        let longer = longer.find_map(|(place, end)| self.changed_within([*end, next(place)], *end, f64::ceil));
        let mut shorter = ends.iter().enumerate().rev().filter(|(_, end)| **end <= now && is_near(**end));
        let shorter = shorter
            .find_map(|(place, end)| self.changed_within([before(place), *end], *end * (1.0 - BELOW), f64::floor));
        longer.into_iter().chain(shorter).map(Self::with_near_ties).collect()
    }

    /// Time limits at which the verdict on an option may change, as factors of today's time, in order.
    fn limits_of_verdicts(&self) -> Vec<f64> {
        let judged = self.options.iter().filter(|option| is_judged(&option.candidate));
        let limits = judged.flat_map(|option| [0.0, QUANTILE_90].map(|quantile| self.limit_at(option, quantile)));
        let mut limits: Vec<f64> = limits.flatten().chain([1.0]).collect();
        limits.sort_by(f64::total_cmp);
        limits
    }

    /// The decision within a limit near `from`, rounded so, if that is in this range of factors, of which the upper end is outside, and if
    /// another verdict or another option is recommended there.
    fn changed_within(&self, [low, high]: [f64; 2], from: f64, round: fn(f64) -> f64) -> Option<Self> {
        let form = self.objective.time_limit;
        let today = self.baseline.time.value();
        let rounded = |digits: f64| {
            let amount = self.amount(from);
            let unit = 10_f64.powf(amount.log10().floor() - (digits - 1.0));
            form.with_amount(round(amount / unit) * unit)
        };
        let is_there = |limit: &TimeLimit| {
            let factor = limit.factor(today);
            low <= factor && factor < high && limit.range().contains(&limit.amount())
        };
        let then = self.within(DIGITS.map(rounded).into_iter().find(is_there)?);
        (then.verdict != self.verdict || !self.recommends(then.best)).then_some(then)
    }

    /// The decision within another time limit.
    fn within(&self, time_limit: TimeLimit) -> Self {
        let candidates = self.options.iter().map(|option| option.candidate.clone()).collect();
        judge(self.baseline.clone(), candidates, Objective { time_limit, ..self.objective })
    }

    /// The number of the limit that is this factor of today's time, in the form of the present limit.
    fn amount(&self, factor: f64) -> f64 {
        match self.objective.time_limit {
            TimeLimit::Factor(_) => factor,
            TimeLimit::Seconds(_) => factor * self.baseline.time.value(),
        }
    }

    /// The time limit, as a factor of today's time, that an option keeps with the likelihood of this quantile.
    fn limit_at(&self, option: &DecisionOption, quantile: f64) -> Option<f64> {
        let (time, deviation) = (option.candidate.time?, self.baseline.deviation_to(&option.candidate)?);
        let late = time.known_seconds + time.median_seconds * (quantile * deviation).exp();
        Some(late / self.baseline.time.value() * (1.0 + ROUNDING))
    }
}
