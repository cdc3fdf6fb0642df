//! The result of one log: an application with its queries, their times today and on the GPU cluster.

pub use crossover_decision::Verdict;
use crossover_decision::{Baseline, Candidate, MeasuredRuns, PriceBasis};
use crossover_plan::history::RecordedRun;
use crossover_plan::options::TimeEvidence;
use serde::{Deserialize, Serialize};

use crate::blocker::Blocker;

/// Relative differences up to this are rounding errors.
const ROUNDING: f64 = 1e-9;

/// One application of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Application {
    /// Its summary for lists.
    pub summary: Summary,
    /// Its queries in the order in which they started.
    pub queries: Vec<Query>,
}

/// The summary of an application for lists.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// The application's id; empty if the log has none.
    pub id: String,
    /// The attempt.
    pub attempt: String,
    /// Its name.
    pub name: String,
    /// The user who ran it.
    pub user: String,
    /// The queue, pool or namespace in which it ran.
    pub queue: String,
    /// The engine and its version.
    pub engine: String,
    /// When it began, milliseconds since 1970.
    pub start_ms: Option<u64>,
    /// When it ended, or the latest time in the log if its end is missing.
    pub end_ms: Option<u64>,
    /// Whether its end is in the log.
    pub ended: bool,
    /// Machines that ran its tasks.
    pub machines: Option<u64>,
    /// Cores of each machine.
    pub cores_per_machine: Option<u64>,
    /// From start to end, seconds.
    pub seconds: Option<f64>,
    /// Time in which a query ran, seconds.
    pub sql_seconds: f64,
    /// Time before the first query, seconds.
    pub startup_seconds: f64,
    /// Time after that in which no query ran, seconds.
    pub gap_seconds: f64,
    /// Part of the start-up and the gaps in which a job without a query ran, seconds.
    pub other_job_seconds: f64,
    /// Queries in the log.
    pub queries: u64,
    /// Distinct queries.
    pub distinct_queries: u64,
    /// Failed queries.
    pub failed_queries: u64,
    /// Queries with a prediction.
    pub predicted_queries: u64,
    /// The option that its time, cost and likelihood are of: the recommended one, else the one most likely to be cheaper
    /// and not slower; if none can be judged, the most likely one of all; without likelihoods, the GPU cluster of the base.
    pub option: String,
    /// The same for a narrow column: "RAPIDS, 4 × g6.2xlarge"; of several options their engines, "RAPIDS or Gluten".
    pub short_option: String,
    /// Other options that are as good as the option; `None` if it is recommended alone, or none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie: Option<Tie>,
    /// The engine of the option.
    pub option_engine: String,
    /// Time with its predicted queries in the option, seconds; other time is unchanged.
    pub option_time: Option<Range>,
    /// Time that a move does not change: outside queries, and of queries without a prediction, seconds.
    pub staying_seconds: f64,
    /// Likelihood of being faster with the option, 0 … 1.
    pub faster: Option<f64>,
    /// Likelihood of being cheaper, 0 … 1.
    pub cheaper: Option<f64>,
    /// Likelihood of being cheaper within the time limit, 0 … 1; without prices that of being faster.
    pub likelihood: Option<f64>,
    /// Cost today, US dollars.
    pub today_usd: Option<f64>,
    /// Cost with the option, US dollars: the median.
    pub option_usd: Option<f64>,
    /// Expected saving with the option, US dollars: the mean.
    pub expected_saving_usd: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Its blockers, the most important first.
    pub blocked_by: Vec<Blocker>,
    /// Classes of operators without a GPU version.
    pub unsupported: Vec<String>,
    /// Parts of the time of its predicted queries on the GPU cluster of the base, seconds.
    pub parts: Parts,
    /// Uncertainty of each distinct query in the option: its repetition key, and seconds × standard deviation.
    pub standard_deviations: Vec<(String, f64)>,
    /// Bytes of its largest scan.
    pub largest_scan: Option<Largest>,
    /// Uncompressed bytes of its largest exchange.
    pub largest_exchange: Option<Largest>,
    /// Warnings about the log.
    pub warnings: Vec<String>,
    /// What runs it today; `None` if nothing was predicted.
    pub baseline: Option<Baseline>,
    /// What could run it, with the predicted times of the application.
    pub candidates: Vec<Candidate>,
    /// Seconds × standard deviation of each candidate, in the order of `standard_deviations`; empty without a time.
    #[serde(default)]
    pub candidate_deviations: Vec<Vec<f64>>,
    /// Index of the GPU cluster of the base among the candidates.
    #[serde(default)]
    pub base_place: Option<usize>,
    /// Index of the option among the candidates.
    #[serde(default)]
    pub option_place: Option<usize>,
    /// Runs of its longest queries, which other applications may repeat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RecordedRun>,
}

/// The largest scan or exchange of an application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Largest {
    /// Its size.
    pub bytes: f64,
    /// Id of its query.
    pub query: String,
}

/// One query of an application.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Query {
    /// The engine's id.
    pub id: String,
    /// In words or in SQL, cut if long.
    pub description: String,
    /// Key of all repetitions of a query, from its description without digits, its operators and its tables.
    pub repetition: String,
    /// When it started, milliseconds since 1970.
    pub start_ms: Option<u64>,
    /// From start to end, seconds; of several runs the median.
    pub seconds: Option<f64>,
    /// Its share of the application's time, seconds; queries that run at once share it equally.
    pub share_seconds: f64,
    /// How it ended.
    pub state: State,
    /// The prediction for the GPU cluster; `None` if it has none there.
    pub predicted: Option<Predicted>,
    /// Cost today and on the GPU cluster, US dollars: the medians of its decision.
    pub usd: Option<[f64; 2]>,
    /// The verdict.
    pub verdict: Verdict,
    /// The recommended option; `None` if it stays.
    pub recommended: Option<Recommended>,
    /// The option that is shown beside its verdict, by the same rule as [`Summary::option`]. `None` without a prediction of it.
    #[serde(default)]
    pub option: Option<QueryOption>,
    /// Its blocker.
    pub blocked_by: Option<Blocker>,
    /// Its operators by class, in the order of the classes.
    pub classes: Vec<OperatorClass>,
    /// Its predicted times, in the order of the application's candidates.
    pub options: Vec<Option<Range>>,
    /// Evidence of those of its predicted times that differ from that of their options, in the order of the application's candidates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Option<TimeEvidence>>,
    /// Why it is outside what was measured of an option, in the same order; empty if it is of none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<Option<String>>,
    /// Whether the time on the GPU cluster is a sum with its measured time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_additive: bool,
    /// Its runs in several logs, of which its time is the median; `None` if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<MeasuredRuns>,
}

/// The option that is recommended for a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recommended {
    /// Engine and machines.
    pub option: String,
    /// Its time, seconds.
    pub seconds: f64,
    /// Its cost, US dollars: the median.
    pub usd: Option<f64>,
    /// Expected saving, US dollars: the mean; `None` without prices.
    pub expected_saving_usd: Option<f64>,
    /// Expected saving, seconds: the mean, where time decides because a price is missing.
    pub expected_saving_seconds: Option<f64>,
    /// Likelihood of being cheaper within the time limit, 0 … 1; without prices that of being faster.
    pub likelihood: f64,
}

/// The option that the verdict on a query is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryOption {
    /// Engine and machines; of several recommended options all, with the numbers of the first.
    pub title: String,
    /// The same for a narrow column: "RAPIDS, 4 × g6.2xlarge"; of several options their engines, "RAPIDS or Gluten".
    pub short_title: String,
    /// As [`Summary::tie`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie: Option<Tie>,
    /// The predicted time, seconds.
    pub time: Range,
    /// Likelihood of being faster, 0 … 1.
    pub faster: Option<f64>,
    /// Likelihood of being cheaper within the time limit, 0 … 1; without prices that of being faster.
    pub likelihood: Option<f64>,
}

/// Recommended options beside the first one: they cost about the same, or take about the same time where a price is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tie {
    /// How likely the first one is to be better, as the answer says it.
    pub sentence: String,
    /// The others.
    pub others: Vec<TiedOption>,
}

/// One of several recommended options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TiedOption {
    /// Engine and machines.
    pub title: String,
    /// The predicted time, seconds.
    pub time: Range,
}

/// Predicted time of a query on the GPU cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// Time there, seconds.
    pub gpu: Range,
    /// Likelihood of being faster there, 0 … 1.
    pub likelihood: Option<f64>,
    /// Parts of that time, seconds.
    pub parts: Parts,
}

/// A number and its 90 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The number.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Range {
    /// The range of a prediction.
    #[must_use]
    pub fn of(range: &crossover_engine::Range) -> Self {
        Self { value: range.value, low: range.low, high: range.high }
    }

    /// Whether the error is measured: otherwise low and high equal the number.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.low < self.high
    }
}

/// Parts of a time on the GPU cluster, seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Parts {
    /// Start and step times.
    pub start: f64,
    /// The operators' own work on GPUs.
    pub work: f64,
    /// Reading, decoding and opening files.
    pub storage: f64,
    /// Exchanges, with spilling.
    pub network: f64,
    /// The spilling in it.
    #[serde(default)]
    pub spill: f64,
    /// Operators that stay on CPUs.
    pub unsupported: f64,
}

/// The operators of one class in a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperatorClass {
    /// The engine's class, e.g. `SortMergeJoinExec`, or the kind if the engine has no classes.
    pub class: String,
    /// Kind of its operators.
    pub kind: String,
    /// Number of operators.
    pub operators: u64,
    /// Their CPU time in the log, summed over all cores, seconds.
    pub core_seconds: Option<f64>,
    /// Their share of the query's time today, seconds.
    pub today_seconds: f64,
    /// Their share of its time on the GPU cluster, seconds.
    pub gpu_seconds: f64,
    /// Why they stay on CPUs, if they do.
    pub unsupported: Option<String>,
}

/// How a query ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// With its result.
    Done,
    /// It failed.
    Failed,
    /// It is running: Spark still writes the log, which has no end of it.
    #[default]
    Running,
    /// Its end is not in the log, which Spark no longer writes.
    NoEnd,
}

impl State {
    /// Name in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Running => "running",
            Self::NoEnd => "no end",
        }
    }
}

impl Parts {
    /// The sum, seconds.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.start + self.work + self.storage + self.network + self.unsupported
    }

    /// All parts times a factor.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let Self { start, work, storage, network, spill, unsupported } = *self;
        Self {
            start: start * factor,
            work: work * factor,
            storage: storage * factor,
            network: network * factor,
            spill: spill * factor,
            unsupported: unsupported * factor,
        }
    }

    /// The sum of both, part by part.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            start: self.start + other.start,
            work: self.work + other.work,
            storage: self.storage + other.storage,
            network: self.network + other.network,
            spill: self.spill + other.spill,
            unsupported: self.unsupported + other.unsupported,
        }
    }

    /// The part that takes at least half of the time and is not work on GPUs.
    #[must_use]
    pub fn blocker(&self) -> Option<Blocker> {
        let half = self.total() / 2.0;
        let parts = [
            (self.unsupported, Blocker::Unsupported),
            (self.start, Blocker::TooShort),
            (self.storage, Blocker::Storage),
            (self.network, Blocker::Network),
        ];
        parts.into_iter().find(|(seconds, _)| *seconds > 0.0 && *seconds >= half).map(|(_, blocker)| blocker)
    }
}

impl Query {
    /// Whether it has a predicted time on the GPU cluster or with another option.
    #[must_use]
    pub fn has_prediction(&self) -> bool {
        self.predicted.is_some() || self.options.iter().any(Option::is_some)
    }

    /// What keeps it from moving; of what is to move or to be tried what is wrong with its log.
    #[must_use]
    pub fn blocker(&self) -> Option<Blocker> {
        blockers(self.verdict, self.blocked_by.as_slice()).first().copied()
    }

    /// What keeps it from moving, or why a trial is first; `None` if it is to move.
    #[must_use]
    pub fn limit(&self) -> Option<Blocker> {
        limits(self.verdict, self.blocked_by.as_slice()).first().copied()
    }

    /// Whether it is outside what was measured of the GPU cluster.
    pub(crate) fn is_outside(&self) -> bool {
        self.predicted.is_none() && (self.has_prediction() || !self.outside.is_empty())
    }

    /// Why it is outside what was measured of the option at this place, if it is.
    #[must_use]
    pub fn outside_of(&self, place: usize) -> Option<&str> {
        self.outside.get(place)?.as_deref()
    }
}

impl Summary {
    /// Whether the price of today's machines is taken from other machines.
    #[must_use]
    pub fn is_price_assumed(&self) -> bool {
        let price = self.baseline.as_ref().and_then(|baseline| baseline.price.as_ref());
        price.is_some_and(|price| price.basis == PriceBasis::Assumed)
    }

    /// What keeps it from moving: its first blocker; `None` if it is to move or to be tried.
    #[must_use]
    pub fn blocker(&self) -> Option<Blocker> {
        self.blocked_by.first().copied().filter(|_| is_kept(self.verdict))
    }

    /// What keeps it from moving, the most important first; of what is to move or to be tried what is wrong with its log.
    #[must_use]
    pub fn blockers(&self) -> &[Blocker] {
        blockers(self.verdict, &self.blocked_by)
    }

    /// As [`Self::blockers`], or why a trial is first.
    #[must_use]
    pub fn limits(&self) -> &[Blocker] {
        limits(self.verdict, &self.blocked_by)
    }

    /// Saved time with the option, seconds; negative if slower.
    #[must_use]
    pub fn saved_seconds(&self) -> Option<f64> {
        Some(saved(self.seconds?, self.option_time?.value))
    }

    /// Number of machines of its option beside today's, 0 on machines of today's type; `None` without an option.
    #[must_use]
    pub fn option_instances(&self) -> Option<f64> {
        let option = self.candidates.get(self.option_place?)?;
        if option.is_on_same_machines { Some(0.0) } else { option.machines }
    }

    /// Expected saving with the option, US dollars; negative if it costs more.
    #[must_use]
    pub fn saved_usd(&self) -> Option<f64> {
        self.expected_saving_usd
    }
}

/// Whether an application or a query with this verdict stays where it is, so that its blockers say why.
pub(crate) fn is_kept(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Stay | Verdict::CannotJudge)
}

/// Blockers that count for a verdict: what is to move or to be tried has them in a part of its time alone, or on the GPU cluster, which
/// another option replaces. What is wrong with the log makes every option uncertain.
pub(crate) fn blockers(verdict: Verdict, blocked_by: &[Blocker]) -> &[Blocker] {
    let of_log = || blocked_by.iter().take_while(|blocker| blocker.is_of_log()).count();
    if is_kept(verdict) { blocked_by } else { &blocked_by[..of_log()] }
}

/// The same with the reason of a trial: the gain with the recommended option is within the error.
pub(crate) fn limits(verdict: Verdict, blocked_by: &[Blocker]) -> &[Blocker] {
    match blockers(verdict, blocked_by) {
        [] if verdict == Verdict::Try => &[Blocker::WithinError],
        blockers => blockers,
    }
}

/// The saving from `today` to `there`; 0 for a rounding difference.
pub(crate) fn saved(today: f64, there: f64) -> f64 {
    let saved = today - there;
    if saved.abs() < ROUNDING * today.abs() { 0.0 } else { saved }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_of_rounding_saves_nothing() {
        let of = |gpu: f64| {
            let option_time = Some(Range { value: gpu, low: gpu, high: gpu });
            Summary { seconds: Some(109.54), option_time, ..Summary::default() }.saved_seconds()
        };
        assert_eq!(of(109.539_999_999_999_99), Some(0.0));
        assert_eq!(of(109.54 * (1.0 + f64::EPSILON)), Some(0.0));
        assert!(of(109.53).is_some_and(|saved| (saved - 0.01).abs() < 1e-9), "{:?}", of(109.53));
    }
}
