//! What is decided between: the engine of today, and engines that could run the same workload.

use serde::{Deserialize, Serialize};

use crate::time::PredictedTime;

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
    /// Price of all its machines for an hour, US dollars.
    pub usd_per_hour: Option<f64>,
    /// Where the price comes from.
    pub price_source: String,
}

/// An engine on machines that could run the workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Engine and machines: "RAPIDS 25.12 (L4), 4 × g6.2xlarge".
    pub title: String,
    /// The engine and its version: errors of one engine are the same on all machines.
    pub engine: String,
    /// Its predicted time; `None` if nothing was measured that could predict it.
    pub time: Option<PredictedTime>,
    /// Standard deviation of the logarithm of its time ÷ today's; that of its own time if today's is measured.
    pub deviation_of_ratio: Option<f64>,
    /// Price of all its machines for an hour, US dollars.
    pub usd_per_hour: Option<f64>,
    /// Why it cannot be chosen, if so.
    pub blocked_by: Option<String>,
    /// What its time is predicted from.
    pub evidence: Evidence,
}

/// What a prediction is based on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// The measured runs: "48 TPC-DS queries at scale factor 1000 on AWS".
    pub runs: String,
    /// Day or month of the measurements; empty if not known.
    pub date: String,
    /// Differences between those runs and this workload, a sentence each.
    pub distance: Vec<String>,
}
