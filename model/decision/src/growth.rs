//! The growth of a workload's data at which another option wins.
//!
//! ```text
//! T(g) = k + m·f(g)·e^(s·Z)       g data ÷ present data, f(g) growth of the part m of the time, which an engine model gives
//! ```

use crossover_quantity::unit::predicted_limit;
use serde::{Deserialize, Serialize};

use crate::candidate::{Baseline, Candidate};
use crate::decision::{Decision, DecisionOption, judge};
use crate::time::PredictedTime;
use crate::verdict::Verdict;

/// Growths at which the decision is made again; between the last one without a change and the first one with it, it is halved.
const GROWTHS: [f64; 6] = [1.5, 2.0, 4.0, 10.0, 30.0, LARGEST_GROWTH];
/// Largest growth that is looked at.
pub const LARGEST_GROWTH: f64 = 100.0;
/// Halvings: enough for more digits than are shown.
const HALVINGS: u32 = 8;

/// Factors by which the times of a workload grow with its data.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeGrowth {
    /// That of today's time.
    pub today: f64,
    /// Those of the options, in their order; 1 for an option without a time.
    pub options: Vec<f64>,
}

/// A growth of the data that changes the recommendation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GrowthChange {
    /// Data ÷ present data.
    pub growth: f64,
    /// Index of the option that is recommended then; `None`: today's engine.
    pub best: Option<usize>,
    /// The verdict then.
    pub verdict: Verdict,
}

impl Decision {
    /// The decision with more data. Of each time, `known_seconds` do not grow: those outside of queries. A time limit that is a factor of
    /// today's time grows with it; one that is a time does not.
    #[must_use]
    pub fn with_data(&self, times: &TimeGrowth, known_seconds: f64) -> Self {
        let time = grown(&self.baseline.time, times.today, known_seconds);
        let baseline = Baseline { time, ..self.baseline.clone() };
        let candidate = |(place, option): (usize, &DecisionOption)| {
            let factor = times.options.get(place).copied().unwrap_or(1.0);
            let time = option.candidate.time.map(|time| grown(&time, factor, known_seconds));
            Candidate { time, ..option.candidate.clone() }
        };
        judge(baseline, self.options.iter().enumerate().map(candidate).collect(), self.objective)
    }

    /// The smallest growth of the data that changes the recommendation, rounded up to two digits, and the recommendation there.
    /// `times` gives the growth of times at a growth of the data. `None` if none up to [`LARGEST_GROWTH`] changes it.
    #[must_use]
    pub fn growth_of_a_change(
        &self,
        known_seconds: f64,
        times: impl Fn(f64) -> Option<TimeGrowth>,
    ) -> Option<GrowthChange> {
        if self.lists_front() {
            return None;
        }
        let with = |growth: f64| Some(self.with_data(&times(growth)?, known_seconds));
        let best = |growth: f64| Some(with(growth)?.best);
        let (mut same, mut other) = (1.0, None);
        for growth in GROWTHS {
            if self.recommends(best(growth)?) {
                same = growth;
            } else {
                other = Some(growth);
                break;
            }
        }
        let mut other = other?;
        for _ in 0..HALVINGS {
            let middle = f64::sqrt(same * other);
            if self.recommends(best(middle)?) { same = middle } else { other = middle }
        }
        let rounded = predicted_limit(other);
        // Where the recommendation changes back within the rounding, the exact growth stands.
        let growth = if self.recommends(best(rounded)?) { other } else { rounded };
        let then = with(growth)?;
        Some(GrowthChange { growth, best: then.best, verdict: then.verdict })
    }
}

/// A time that grows by a factor but for its known part.
fn grown(time: &PredictedTime, factor: f64, known_seconds: f64) -> PredictedTime {
    // A measured time has its known part within its median.
    let fixed = (known_seconds - time.known_seconds).max(0.0).min(time.median_seconds);
    PredictedTime { median_seconds: fixed + (time.median_seconds - fixed) * factor, ..*time }
}
