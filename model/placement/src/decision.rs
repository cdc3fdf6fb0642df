//! Inputs of the decision about a query in whole engines: the goal and its limits, kinds of prices, and clusters to compare.

use serde::{Deserialize, Serialize};

use crossover_decision::saving::effort_usd;
use crossover_decision::{Goal, Objective, PriceBasis, TimeLimit};
use crossover_quantity::invalid::Invalid;
use crossover_quantity::quantity::whole;
use crossover_quantity::unit::Unit;
use crossover_study::Part;

use crate::learned::LearnedTrial;

/// Most clusters to compare; each is an option.
pub const MOST_CANDIDATES: usize = 12;

/// Longest time of a trial, seconds.
const LONGEST_TRIAL: f64 = 1e9;

/// Source of the terms, which the published method does not have.
const EXTENSION: &str = "extension of the published method: decisions (docs/model/decision.md)";

/// What a user wants of a query in whole engines, and between which clusters.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecisionInputs {
    /// Whether the cost or the time is to be least, or the Pareto front of both is wanted.
    pub goal: Goal,
    /// Longest time of a run ÷ today's, for the least cost. It follows today's time.
    #[number(
        symbol = "x", label = "time limit ÷ today", unit = Factor, range = 0.01..=1000.0, neutral = 1.0, chosen,
        source = EXTENSION, decision
    )]
    pub time_limit: f64,
    /// Longest time of a run, for the least cost, instead of a factor of today's time, which then has no effect. It stays the same if today's
    /// time changes or the data grows.
    #[number(
        symbol = "L_x", label = "absolute time limit", unit = Seconds, range = 0.000_001..=1e9, neutral = f64::INFINITY, chosen,
        source = EXTENSION, decision
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit_seconds: Option<f64>,
    /// Largest cost of a run, for the least time; today's cost if it is absent.
    #[number(
        symbol = "c", label = "budget per run", unit = UsDollars, range = 0.000_001..=1e9, neutral = f64::INFINITY,
        chosen, source = EXTENSION, decision
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// Runs in a month, for the saving per month.
    #[number(
        symbol = "", label = "runs per month", unit = Count, range = 0.0..=1e9, neutral = f64::INFINITY, chosen,
        source = EXTENSION
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs_per_month: Option<f64>,
    /// One-time cost of the move in US dollars, without hours of work. Gives the payback time.
    #[number(
        symbol = "U_0", label = "effort of the move", unit = UsDollars, range = 0.0..=1e9, neutral = f64::INFINITY, chosen,
        source = EXTENSION
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort_usd: Option<f64>,
    /// Hours of work for the move. Hours × hourly rate is part of its effort.
    #[number(
        symbol = "h_U", label = "hours of the move", unit = Count, range = 0.0..=1e9, neutral = f64::INFINITY, chosen,
        source = EXTENSION
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort_hours: Option<f64>,
    /// Cost of an hour of this work.
    #[number(
        symbol = "w_U", label = "hourly rate", unit = UsDollarsPerHour, range = 0.0..=1e5, neutral = f64::INFINITY,
        chosen, source = EXTENSION
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hourly_rate_usd: Option<f64>,
    /// What the price of today's machines is based on; absent: what its source says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub today_price: Option<PriceBasis>,
    /// Region of today's machines, free text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub today_region: String,
    /// Clusters with GPUs that are compared beside the measured one; names unique.
    #[list(named, most = MOST_CANDIDATES)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<CandidateCluster>,
    /// What a trial of one of the options measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<TrialRun>,
    /// What was learned from a trial, for the predictions of this scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<Box<LearnedTrial>>,
}

/// The run of the query in a trial of an option; its time replaces the predicted one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialRun {
    /// Name of the trial's log.
    pub file: String,
    /// Id of the query in that log; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// Engine and machines of the option that was tried: "RAPIDS 25.12 (L4), 4 × g6.2xlarge".
    pub option: String,
    /// Measured time from start to end, seconds.
    pub seconds: f64,
}

/// A cluster with GPUs that could run the query. As of an [engine](crossover_engine::Engine), numbers of one machine are no decision
/// variables.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CandidateCluster {
    /// Name, unique among the clusters.
    #[name]
    pub name: String,
    /// Type of its machines, e.g. "g6.2xlarge".
    pub machine: String,
    /// Model of its GPUs if the GPU engine was measured on others; then nothing is predicted. Empty: those of the engine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub other_gpu: String,
    /// Machines that work on the query.
    #[number(symbol = "n_c", label = "machines", unit = Count, range = 1.0..=1e6, whole, source = EXTENSION, decision)]
    #[serde(serialize_with = "whole")]
    pub machines: f64,
    /// GPUs of one machine that work on the query.
    #[number(symbol = "l_c", label = "GPUs each", unit = Count, range = 0.1..=1e5, source = EXTENSION)]
    pub lanes: f64,
    /// Speed at which one machine sends, and at the same time receives; that of the GPU engine's machines if it is absent.
    #[number(
        symbol = "B_c", label = "network per machine", unit = GigabitsPerSecond, range = 1e-3..=1e6,
        neutral = f64::INFINITY, source = EXTENSION
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_gbit_per_s: Option<f64>,
    /// Memory of one machine that holds exchanged data; that of the GPU engine's machines if it is absent.
    #[number(
        symbol = "m_c", label = "exchange memory", unit = Gigabytes, range = 0.0..=1e9, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange_memory_gb: Option<f64>,
    /// Price of one machine for an hour.
    #[number(
        symbol = "p_c", label = "machine price", unit = UsDollarsPerHour, range = 0.0..=1e5, neutral = f64::INFINITY,
        source = EXTENSION, decision
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_per_hour: Option<f64>,
    /// What this price is based on.
    #[serde(default, skip_serializing_if = "PriceBasis::is_on_demand")]
    pub price_basis: PriceBasis,
    /// Region, free text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub region: String,
}

impl Default for DecisionInputs {
    /// The least cost of runs that are not slower than today's, without further clusters.
    fn default() -> Self {
        Self {
            goal: Goal::Cost,
            time_limit: 1.0,
            time_limit_seconds: None,
            budget_usd: None,
            runs_per_month: None,
            effort_usd: None,
            effort_hours: None,
            hourly_rate_usd: None,
            today_price: None,
            today_region: String::new(),
            candidates: Vec::new(),
            trial: None,
            learned: None,
        }
    }
}

impl TrialRun {
    /// Checks that the measured time can be one.
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        if self.seconds > 0.0 && self.seconds <= LONGEST_TRIAL {
            return Ok(());
        }
        let problem = format!("{} is out of range; allowed: above 0 … 1,000,000,000 s", self.seconds);
        Err(Invalid { path: "decision.trial.seconds".to_owned(), problem })
    }
}

impl DecisionInputs {
    /// The time limit, in the form in which it was entered.
    #[must_use]
    pub fn limit(&self) -> TimeLimit {
        self.time_limit_seconds.map_or(TimeLimit::Factor(self.time_limit), TimeLimit::Seconds)
    }

    /// Sets the time limit in this form.
    pub fn set_limit(&mut self, limit: TimeLimit) {
        self.time_limit = limit.as_factor().unwrap_or(1.0);
        self.time_limit_seconds = limit.as_seconds();
    }

    /// What the user wants.
    #[must_use]
    pub fn objective(&self) -> Objective {
        Objective {
            goal: self.goal,
            time_limit: self.limit(),
            budget_usd: self.budget_usd,
            runs_per_month: self.runs_per_month.filter(|runs| *runs > 0.0),
            runs_range: None,
            effort_usd: effort_usd(self.effort_usd, self.effort_hours, self.hourly_rate_usd),
        }
    }
}

impl CandidateCluster {
    /// "4 × g6.2xlarge".
    #[must_use]
    pub fn title(&self) -> String {
        let machine = if self.machine.is_empty() { "machines with GPUs" } else { &self.machine };
        format!("{} × {machine}", Unit::Count.format(self.machines))
    }
}
