//! Whether today's run keeps the time limit if a change on today's machines saves time.

use crossover_quantity::unit::Unit;

use crate::decision::Decision;
use crate::objective::Goal;

/// From this share of the limit on, the part of the time that no option changes leaves little of it.
const LEAVES_LITTLE: f64 = 0.5;

impl Decision {
    /// What today's run takes if a change saves at most so many seconds, beside the limit that it breaks: "29 s or more, longer than the limit of
    /// 20 s", "15 s or more, which may be within the limit of 20 s". If the part that no option changes is half of the limit or more, also
    /// " (18.39 s outside of the queries leave 1.61 s of it)". `None` if today's run keeps the time limit.
    #[must_use]
    pub fn without_a_move(&self, saved_seconds: f64) -> Option<String> {
        if self.objective.goal != Goal::Cost || !self.is_limit_broken_today() {
            return None;
        }
        let limit = self.limit_seconds();
        let least = (self.baseline.time.value() - saved_seconds).max(0.0);
        let relation = if least > limit { "longer than" } else { "which may be within" };
        let [least, limit_in_words] = [self.predicted_seconds(least), Unit::Seconds.format(limit)];
        let known = self.known_seconds().filter(|known| *known >= LEAVES_LITTLE * limit);
        let known = known.map(|known| {
            let left = if known < limit { Unit::Seconds.format(limit - known) } else { "nothing".to_owned() };
            format!(" ({} outside of the queries leave {left} of it)", Unit::Seconds.format(known))
        });
        Some(format!("{least} or more, {relation} the limit of {limit_in_words}{}", known.unwrap_or_default()))
    }
}
