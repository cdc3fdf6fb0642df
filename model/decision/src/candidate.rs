//! What is decided between: the engine of today, and engines that could run the same workload.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;
use crate::price::Price;
use crate::runs::MeasuredRuns;
use crate::time::PredictedTime;

/// How the reason begins why an option without a time cannot be judged.
pub const NO_DATA: &str = "no measured data: ";
/// How the reason begins why an option cannot be judged that is outside what was measured; a trial of it measures it.
pub const OUTSIDE_MEASURED: &str = "outside what was measured: ";
/// Why an option without a price cannot be judged where today's machines have one.
pub(crate) const NO_PRICE: &str = "no price of its machines";

/// What runs the workload today.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Engine and machines: "Spark 3.3.0, 2 × 15 cores".
    pub title: String,
    /// Its time.
    pub time: PredictedTime,
    /// Whether the time was measured; else it is predicted for these machines.
    pub is_measured: bool,
    /// Its machines.
    pub machines: f64,
    /// Price of all its machines; `None` if it is not known.
    pub price: Option<Price>,
    /// Its runs, if the time is the median of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<MeasuredRuns>,
}

impl Baseline {
    /// A workload that took this time on one machine.
    #[must_use]
    pub fn measured(title: impl Into<String>, seconds: f64, price: Option<Price>) -> Self {
        let time = PredictedTime::measured(seconds);
        Self { title: title.into(), time, is_measured: true, machines: 1.0, price, runs: None }
    }

    /// Price of all its machines for an hour, US dollars.
    #[must_use]
    pub fn usd_per_hour(&self) -> Option<f64> {
        self.price.as_ref().map(|price| price.usd_per_hour)
    }

    /// ", median of 7 runs from 41 s to 58 s"; empty for one run.
    #[must_use]
    pub fn of_runs(&self) -> String {
        self.runs.map(|runs| format!(", {}", runs.sentence())).unwrap_or_default()
    }

    /// Standard deviation of the logarithm of a candidate's time ÷ today's. The median of several runs has an error of its own; that of
    /// a single run is not known.
    pub(crate) fn deviation_to(&self, candidate: &Candidate) -> Option<f64> {
        let of_median = self.runs.as_ref().map_or(0.0, MeasuredRuns::deviation_of_median);
        candidate.deviation_of_ratio.map(|deviation| deviation.hypot(of_median))
    }

    /// Whether its time has no error: it was measured.
    #[must_use]
    pub fn has_exact_time(&self) -> bool {
        self.time.deviation.unwrap_or(0.0) <= 0.0
    }
}

/// An engine on machines that could run the workload.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Candidate {
    /// Engine and machines: "RAPIDS 25.12 (L4), 4 × g6.2xlarge".
    pub title: String,
    /// The engine and its version: errors of one engine are the same on all machines.
    pub engine: String,
    /// Its predicted time; `None` if nothing was measured that could predict it.
    pub time: Option<PredictedTime>,
    /// Standard deviation of the logarithm of its time ÷ today's; that of its own time if today's is measured.
    pub deviation_of_ratio: Option<f64>,
    /// Its machines; `None` if they are not known.
    pub machines: Option<f64>,
    /// Cores, or GPUs, of one machine that work on a query; `None` if they are not known.
    pub lanes: Option<f64>,
    /// Whether it runs on machines of today's type, so that each has today's price, whatever their number.
    pub is_on_same_machines: bool,
    /// Price of all its machines; `None` if it is not known.
    pub price: Option<Price>,
    /// Why it cannot be chosen, if so.
    pub blocked_by: Option<String>,
    /// Whether the user named it, so that a table marks it, and the sentence says why it has no time, if so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_named: bool,
    /// What its time is predicted from.
    pub evidence: Evidence,
}

impl Candidate {
    /// An engine with its predicted time, beside a measured time of today. Its name is its title.
    #[must_use]
    pub fn predicted(engine: impl Into<String>, time: PredictedTime, price: Option<Price>) -> Self {
        let engine = engine.into();
        let deviation_of_ratio = time.deviation;
        Self { title: engine.clone(), engine, time: Some(time), deviation_of_ratio, price, ..Self::default() }
    }

    /// Price of all its machines for an hour, US dollars.
    #[must_use]
    pub fn usd_per_hour(&self) -> Option<f64> {
        self.price.as_ref().map(|price| price.usd_per_hour)
    }

    /// Whether it cannot be judged beside this engine of today only because its machines have no price.
    #[must_use]
    pub fn lacks_only_price(&self, today: &Baseline) -> bool {
        let has_other_reason = self.blocked_by.as_deref().is_some_and(|why| why != NO_PRICE);
        let is_predicted = self.time.is_some() && self.deviation_of_ratio.is_some();
        is_predicted && !has_other_reason && self.price.is_none() && today.price.is_some()
    }

    /// Whether it is this engine on these machines, "RAPIDS, 2 × g6.2xlarge".
    #[must_use]
    pub fn is_titled(&self, title: &str) -> bool {
        // The basis of a price may stand behind the machines.
        self.title.strip_prefix(title).is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
    }

    /// Whether the errors of both predictions are the same: they are of one engine, or of two versions of it.
    pub(crate) fn errs_like(&self, other: &Self) -> bool {
        is_same_engine(&self.engine, &other.engine)
    }

    /// Its title for a narrow column: of the engine the first word only, "Gluten, same machines", "RAPIDS, 4 × g6.2xlarge".
    #[must_use]
    pub fn short_title(&self) -> String {
        match self.title.strip_prefix(&self.engine) {
            Some(rest) if rest.starts_with(", ") => format!("{}{rest}", first_word(&self.engine)),
            _ => self.title.clone(),
        }
    }

    /// Its title without the host engine that it was measured on, and that engine: "Gluten (Velox), same machines" and "Spark 3.5.3";
    /// `None` if its title names no host engine.
    #[must_use]
    pub fn title_and_host(&self) -> Option<(String, &str)> {
        let machines = self.title.strip_prefix(self.engine.as_str())?;
        let (name, host) = self.engine.split_once(" on ")?;
        Some((format!("{name}{machines}"), host))
    }

    /// Adds a warning if its measurements are more than a year older than this day. Time passes, so results that are kept do
    /// not have it.
    pub fn warn_of_age(&mut self, today: Date) {
        let warning = self.evidence.age_warning(today);
        self.evidence.warnings.extend(warning);
    }
}

/// Whether these are versions of one engine: "Comet 0.16 on Spark 3.5.8" and "Comet 0.17.0 on Spark 3.5.8". Of 48 queries the speedups of
/// these two have a correlation of 0.95, and the errors of two versions of Gluten on two clusters one of 0.58 (docs/FIDELITY.md).
pub(crate) fn is_same_engine(one: &str, other: &str) -> bool {
    let is_no_version = |word: &&str| !word.starts_with(|c: char| c.is_ascii_digit());
    let [one, other] = [one, other].map(|engine| engine.split_whitespace().filter(is_no_version));
    one.eq(other)
}

/// "RAPIDS" of "RAPIDS 25.12 (L4)".
pub(crate) fn first_word(engine: &str) -> &str {
    engine.split_whitespace().next().unwrap_or(engine)
}

/// Sets the price of one of today's machines: for today's engine, and for the candidates on the same machines.
pub fn set_price_today(baseline: &mut Baseline, candidates: &mut [Candidate], of_machine: Option<&Price>) {
    baseline.price = of_machine.map(|price| price.times(baseline.machines));
    for candidate in candidates.iter_mut().filter(|candidate| candidate.is_on_same_machines) {
        let machines = candidate.machines.unwrap_or(baseline.machines);
        candidate.price = of_machine.map(|price| price.times(machines));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_an_engine_are_one_engine_and_its_gpus_are_not() {
        for (one, other, expected) in [
            ("Comet 0.16 on Spark 3.5.8", "Comet 0.17.0 on Spark 3.5.8", true),
            ("Gluten (Velox) on Spark 3.5.3", "Gluten 1.6.0 (Velox) on Spark 3.5.8", true),
            ("RAPIDS 25.12 (L4)", "RAPIDS 25.12 (L4)", true),
            ("RAPIDS 25.12 (L4)", "RAPIDS 25.12 (A10)", false),
            ("Gluten 1.6.0 (Velox) on Spark 3.5.8", "Comet 0.16 on Spark 3.5.8", false),
        ] {
            assert_eq!(is_same_engine(one, other), expected, "{one}, {other}");
        }
    }
}
