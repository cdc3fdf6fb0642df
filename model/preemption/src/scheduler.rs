//! What the scheduler knows, and when: its periodic checks, and its experience of pairs.

use super::observer::Observer;
use super::simulate::Simulation;
use super::table::Table;

impl<O: Observer> Simulation<'_, O> {
    /// The period of its checks, if it has one.
    fn period(&self) -> Option<f64> {
        let period = self.rule.period_cycles;
        (period > 0.0 && self.policy.combines()).then_some(period)
    }

    /// When it notices a launch that arrives then.
    pub(super) fn noticed(&self, arrival: f64) -> f64 {
        self.period().map_or(arrival, |period| arrival.max((arrival / period).ceil() * period))
    }

    /// The next check at which a launch may be preempted.
    pub(super) fn next_check(&self) -> Option<f64> {
        let may_preempt = self.policy.preempts()
            && self.switch.is_none()
            && self.running.len() >= self.limit
            && self.waiting.len() > 0;
        let period = self.period().filter(|_| may_preempt)?;
        let next = (self.now / period).floor() + 1.0;
        // Rounding may leave nothing of the present period.
        Some(if next * period > self.now { next * period } else { (next + 1.0) * period })
    }

    /// The pair table by which it chooses.
    pub(super) fn believed(&self) -> &Table {
        self.experience.as_ref().unwrap_or(self.table)
    }

    /// Adds the present combination to its experience: all pairs of it, because one of which it never learns would be chosen again and
    /// again.
    pub(super) fn learn(&mut self) {
        let Some(experience) = &mut self.experience else { return };
        for (place, first) in self.running.iter().enumerate() {
            for second in &self.running[..place] {
                experience.learn([first.kernel, second.kernel], self.table, self.rule.experience_weight);
            }
        }
    }
}
