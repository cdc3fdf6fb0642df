//! A trial: times that were predicted beside those that a run of an option measured, and the decision after it.

use serde::{Deserialize, Serialize};

use crate::candidate::{Baseline, Candidate, OUTSIDE_MEASURED};
use crate::decision::{Decision, decide};
use crate::evidence::Evidence;
use crate::time::PredictedTime;

/// A predicted time, and what a trial measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialTime {
    /// What was run: "query 6".
    pub name: String,
    /// Its predicted time.
    pub predicted: PredictedTime,
    /// Its measured time, seconds.
    pub seconds: f64,
}

impl TrialTime {
    /// Measured ÷ predicted.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.seconds / self.predicted.value()
    }

    /// Whether the measured time is within the 90 % interval of the predicted one; `None` if that has no interval.
    #[must_use]
    pub fn is_within(&self) -> Option<bool> {
        self.predicted.interval().map(|[low, high]| (low..=high).contains(&self.seconds))
    }

    /// The same as a cell of a table; empty without an interval.
    #[must_use]
    pub fn place(&self) -> &'static str {
        match self.is_within() {
            Some(true) => "within",
            Some(false) => "outside",
            None => "",
        }
    }
}

impl Candidate {
    /// Takes the time that a trial measured in the place of the predicted one.
    pub fn take_trial(&mut self, today: &Baseline, time: PredictedTime) {
        // If today's time was predicted, the ratio keeps its error.
        let of_today = if today.is_measured { None } else { today.time.deviation };
        self.deviation_of_ratio = time.deviation.map(|own| own.hypot(of_today.unwrap_or(0.0)));
        self.time = Some(time);
        // Now it is measured.
        self.blocked_by = self.blocked_by.take().filter(|why| !why.starts_with(OUTSIDE_MEASURED));
        self.evidence = Evidence { runs: "a trial of this workload".to_owned(), ..Evidence::default() };
    }
}

impl Decision {
    /// The decision after a trial of the option at this place: its time is the measured one.
    #[must_use]
    pub fn after_trial(&self, place: usize, time: PredictedTime) -> Self {
        let mut candidates: Vec<Candidate> = self.options.iter().map(|option| option.candidate.clone()).collect();
        if let Some(tried) = candidates.get_mut(place) {
            tried.take_trial(&self.baseline, time);
        }
        decide(self.baseline.clone(), candidates, self.objective)
    }
}
