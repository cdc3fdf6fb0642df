//! The result of one log: an application with its queries, their times today and on the GPU cluster.

pub use crossover_decision::Verdict;
use crossover_decision::{Baseline, Candidate, Decision, MeasuredRuns, Objective, PredictedTime, decide, judge};
use crossover_plan::history::RecordedRun;
use crossover_plan::options::SumEvidence;
use serde::{Deserialize, Serialize};

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
    /// and not slower; if none can be judged, the GPU cluster of the base.
    pub option: String,
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
    /// Likelihood of being cheaper and not slower, 0 … 1; without prices that of being faster.
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
    pub notes: Vec<String>,
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
    /// Its blocker.
    pub blocked_by: Option<Blocker>,
    /// Its operators by class, in the order of the classes.
    pub classes: Vec<OperatorClass>,
    /// Its predicted times, in the order of the application's candidates.
    pub options: Vec<Option<Range>>,
    /// Evidence of those of its predicted times that are sums with its measured time, in the order of the application's candidates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<Option<SumEvidence>>,
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
    /// Likelihood of being cheaper and not slower, 0 … 1; without prices that of being faster.
    pub likelihood: f64,
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

/// A reason that keeps a query or an application from moving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blocker {
    /// It has no query.
    NoSql,
    /// Its end is not in the log, which Spark still writes.
    Running,
    /// Its end is not in the log, which Spark no longer writes.
    Truncated,
    /// The ends of queries are not in the log, but the end of the application is.
    NoEnd,
    /// Its queries failed.
    Failed,
    /// It runs on GPUs already.
    OnGpu,
    /// It ran in an engine other than the one that the options were measured against.
    OtherEngine,
    /// Too much of its time belongs to no operator.
    WithoutOperator,
    /// It is outside what was measured.
    OutsideMeasured,
    /// Its queries have no time or no plan.
    NoPlan,
    /// Half of its time or more is outside queries.
    OutsideSql,
    /// Operators without a GPU version take half of the time or more.
    Unsupported,
    /// Starting takes half of the time or more.
    TooShort,
    /// Reading takes half of the time or more.
    Storage,
    /// Exchanges take half of the time or more.
    Network,
    /// No option is likely to be cheaper and not slower.
    NoSaving,
    /// The gain is smaller than the errors of predictions.
    WithinError,
    /// The base has no error factor.
    NoErrorFactor,
}

impl Blocker {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::NoSql,
        Self::Running,
        Self::Truncated,
        Self::NoEnd,
        Self::Failed,
        Self::OnGpu,
        Self::OtherEngine,
        Self::WithoutOperator,
        Self::OutsideMeasured,
        Self::NoPlan,
        Self::OutsideSql,
        Self::Unsupported,
        Self::TooShort,
        Self::Storage,
        Self::Network,
        Self::NoSaving,
        Self::WithinError,
        Self::NoErrorFactor,
    ];

    /// Name in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::NoSql => "no SQL",
            Self::Running => "running",
            Self::Truncated => "truncated log",
            Self::NoEnd => "no end in the log",
            Self::Failed => "failed",
            Self::OnGpu => "on GPUs already",
            Self::OtherEngine => "another engine",
            Self::WithoutOperator => "time without operators",
            Self::OutsideMeasured => "outside measurements",
            Self::NoPlan => "no plan",
            Self::OutsideSql => "time outside SQL",
            Self::Unsupported => "unsupported operators",
            Self::TooShort => "too short",
            Self::Storage => "storage",
            Self::Network => "network",
            Self::NoSaving => "no likely saving",
            Self::WithinError => "gain within the error",
            Self::NoErrorFactor => "base without error factor",
        }
    }

    /// What it means and what to do, in one or two sentences.
    #[must_use]
    pub fn explanation(self) -> &'static str {
        match self {
            Self::NoSql => "It runs no SQL query, and only SQL queries are predicted.",
            Self::Running => "It is still running. Read its log again when it has ended.",
            Self::Truncated => {
                "Its end is not in the log: the log was cut off, or the application was killed. Copy the whole log and read it \
                 again, or read a run that ended."
            }
            Self::NoEnd => {
                "A query has no end in the log, although the application ended. Its time is not known, so it cannot be judged. Read \
                 the log of another run."
            }
            Self::Failed => "Failed queries take most of its time. Find the cause, then read a run that succeeded.",
            Self::OnGpu => "It already runs on GPUs, so there is no CPU time to compare with.",
            Self::OtherEngine => {
                "It ran in a native engine, but the options were measured against Spark. Read a log of a run in Spark, or name a \
                 base that was measured against its engine."
            }
            Self::WithoutOperator => {
                "More than a quarter of its CPU time belongs to no operator of its plan, so its time with another option is \
                 unknown. The notes on its log name the stages."
            }
            Self::OutsideMeasured => {
                "It reads, exchanges or generates more data than any measured query, or the GPU cluster is far from the measured one. \
                 Run a trial; `crossover decide` names the largest measured value."
            }
            Self::NoPlan => "Its queries have no time or no usable plan. The notes on its log say what is missing.",
            Self::OutsideSql => {
                "Half of its time or more is outside SQL queries, and no engine changes that time. Look at its driver \
                 code, RDD jobs and waiting."
            }
            Self::Unsupported => {
                "Operators without a GPU version take half of the predicted time or more. Replace user-defined \
                 functions by SQL functions."
            }
            Self::TooShort => "Starting takes half of the predicted time or more. Combine small queries.",
            Self::Storage => {
                "Reading takes half of the predicted time or more. Use faster storage, or fewer and larger files."
            }
            Self::Network => {
                "Data exchanges take half of the predicted time or more. Use GPU machines with a faster network."
            }
            Self::NoSaving => {
                "No option is likely to be cheaper and not slower. Other prices or a longer time limit may change that."
            }
            Self::WithinError => "The gain is smaller than the error of the prediction. A trial run would decide.",
            Self::NoErrorFactor => {
                "The engines of the base have no measured error, so nothing is recommended. Name a base with error \
                 factors."
            }
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

impl Application {
    /// The decision about one of its queries: the options are those of the application. `None` if the query has no prediction.
    #[must_use]
    pub fn decision_of(&self, query: &Query, objective: Objective) -> Option<Decision> {
        let (baseline, candidates) = self.workload_of(query)?;
        Some(decide(baseline, candidates, objective))
    }

    /// The same without the comparisons of its options with each other, which lists of queries do not show.
    #[must_use]
    pub fn judged_of(&self, query: &Query, objective: Objective) -> Option<Decision> {
        let (baseline, candidates) = self.workload_of(query)?;
        Some(judge(baseline, candidates, objective))
    }

    /// The objective for one of its queries: a budget for the application is divided by the queries' shares of its time.
    #[must_use]
    pub fn objective_of(&self, query: &Query, objective: Objective) -> Objective {
        let share = self.summary.seconds.filter(|seconds| *seconds > 0.0).map(|seconds| query.share_seconds / seconds);
        let budget_usd = objective.budget_usd.map(|usd| usd * share.unwrap_or(1.0));
        Objective { budget_usd, ..objective }
    }

    /// Judges its queries in order by the default objective, and passes each decision to a function; queries without a
    /// prediction have none. The candidates are copied once: a decision returns them.
    pub(crate) fn judge_queries(&mut self, mut on_decision: impl FnMut(&mut Query, &Decision)) {
        let Self { summary, queries } = self;
        let Some(today) = &summary.baseline else { return };
        let mut candidates = summary.candidates.clone();
        for query in queries {
            let Some(seconds) = query.seconds.filter(|_| query.has_prediction()) else { continue };
            for (place, (candidate, of_application)) in candidates.iter_mut().zip(&summary.candidates).enumerate() {
                set_time(candidate, of_application, (&*query, place));
            }
            let baseline = Baseline { time: PredictedTime::measured(seconds), runs: query.runs, ..today.clone() };
            let decision = judge(baseline, std::mem::take(&mut candidates), Objective::default());
            // Its likelihood and its cost on the GPU cluster of the base are those of the decision, which knows of several runs.
            let on_cluster = summary.base_place.and_then(|place| decision.options.get(place));
            if let Some((predicted, option)) = query.predicted.as_mut().zip(on_cluster) {
                predicted.likelihood = option.faster.or(predicted.likelihood);
                query.usd = decision.today_usd().zip(option.usd).map(|(today, there)| [today.value, there.value]);
            }
            on_decision(query, &decision);
            candidates = decision.options.into_iter().map(|option| option.candidate).collect();
        }
    }

    fn workload_of(&self, query: &Query) -> Option<(Baseline, Vec<Candidate>)> {
        let seconds = query.seconds.filter(|_| query.has_prediction())?;
        let today = self.summary.baseline.clone()?;
        let baseline = Baseline { time: PredictedTime::measured(seconds), runs: query.runs, ..today };
        let candidates = self.summary.candidates.iter().enumerate().map(|(place, of_application)| {
            let mut candidate = of_application.clone();
            set_time(&mut candidate, of_application, (query, place));
            candidate
        });
        let candidates =
            candidates.zip(query.sums.iter().chain(std::iter::repeat(&None))).map(|(mut candidate, sum)| {
                if let Some(sum) = sum {
                    sum.add_to(&mut candidate.evidence);
                }
                candidate
            });
        Some((baseline, candidates.collect()))
    }
}

/// Makes a candidate of an application, at this place, one of its query, with the query's time.
fn set_time(candidate: &mut Candidate, of_application: &Candidate, (query, place): (&Query, usize)) {
    let time = query.options.get(place).copied().flatten();
    candidate.time = time.map(|time| PredictedTime::within(time.value, time.high / time.value));
    candidate.deviation_of_ratio = candidate.time.and_then(|time| time.deviation);
    // What keeps the application from being judged is not about its query; what was never measured is.
    let was_never_measured = time.is_none() && of_application.time.is_none();
    let of_application = || of_application.blocked_by.clone().filter(|_| was_never_measured);
    candidate.blocked_by = query.outside_of(place).map(str::to_owned).or_else(of_application);
}

impl Summary {
    /// The verdict by the default objective.
    pub(crate) fn judged(&self) -> Option<Decision> {
        Some(judge(self.baseline.clone()?, self.candidates.clone(), Objective::default()))
    }

    /// The decision about the application; `None` if none of its queries has a prediction.
    #[must_use]
    pub fn decision(&self, objective: Objective) -> Option<Decision> {
        Some(decide(self.baseline.clone()?, self.candidates.clone(), objective))
    }

    /// What keeps it from moving: its first blocker; `None` if it is to move or to be tried.
    #[must_use]
    pub fn blocker(&self) -> Option<Blocker> {
        self.blocked_by.first().copied().filter(|_| is_kept(self.verdict))
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

/// Whether an application with this verdict stays where it is, so that its blockers say why.
pub(crate) fn is_kept(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Stay | Verdict::CannotJudge)
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
