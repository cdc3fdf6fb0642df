//! What one log answers: an application with its queries, what they take today and on the GPU cluster.

use serde::{Deserialize, Serialize};

/// Differences up to this part of a number are those of rounding.
const ROUNDING: f64 = 1e-9;

/// One application, as its log tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Application {
    /// What is told of it in a list.
    pub summary: Summary,
    /// Its queries in the order in which they started.
    pub queries: Vec<Query>,
}

/// What is told of an application in a list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// The application's id; empty if the log has none.
    pub id: String,
    /// Which attempt of it.
    pub attempt: String,
    /// What it calls itself.
    pub name: String,
    /// Who ran it.
    pub user: String,
    /// The queue, pool or namespace in which it ran.
    pub queue: String,
    /// The engine and its version.
    pub engine: String,
    /// When it began, milliseconds since 1970.
    pub start_ms: Option<u64>,
    /// When it ended; of one whose end is not in the log the latest time that is.
    pub end_ms: Option<u64>,
    /// Whether its end is in the log.
    pub ended: bool,
    /// Machines that ran its tasks.
    pub machines: Option<u64>,
    /// Their cores.
    pub cores_per_machine: Option<u64>,
    /// From start to end, seconds.
    pub seconds: Option<f64>,
    /// Time in which a query ran, seconds.
    pub sql_seconds: f64,
    /// Time before the first query, seconds.
    pub startup_seconds: f64,
    /// Time after that in which no query ran, seconds.
    pub gap_seconds: f64,
    /// Time of both in which a job ran that belongs to no query, seconds.
    pub other_job_seconds: f64,
    /// Queries in the log.
    pub queries: u64,
    /// Different ones of them.
    pub distinct_queries: u64,
    /// Those that failed.
    pub failed_queries: u64,
    /// Those with a prediction.
    pub predicted_queries: u64,
    /// Time with these queries on the GPU cluster, seconds; all other time stays.
    pub gpu: Option<Range>,
    /// Time that stays whatever happens: outside queries, and of queries without a prediction, seconds.
    pub staying_seconds: f64,
    /// Chance that it is faster with them there, 0 … 1.
    pub chance: Option<f64>,
    /// What it costs today, US dollars.
    pub today_usd: Option<f64>,
    /// What it would cost on the GPU cluster, US dollars.
    pub gpu_usd: Option<f64>,
    /// What to do with it.
    pub verdict: Verdict,
    /// What keeps it from moving, the most important first.
    pub blocked_by: Vec<Blocker>,
    /// Classes of operators without a GPU version.
    pub unsupported: Vec<String>,
    /// What the time of its predicted queries there consists of, seconds.
    pub parts: Parts,
    /// How much each different query adds to the uncertainty: its repetition key, and seconds × standard deviation.
    pub deviations: Vec<(String, f64)>,
    /// What its largest scan reads.
    pub largest_scan: Option<Largest>,
    /// What its largest exchange moves, without compression.
    pub largest_exchange: Option<Largest>,
    /// What a careful reader should know.
    pub notes: Vec<String>,
}

/// The largest of its kind in an application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Largest {
    /// Its size.
    pub bytes: f64,
    /// The query that has it, by its id.
    pub query: String,
}

/// One query of an application.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Query {
    /// The engine's id.
    pub id: String,
    /// In words or in SQL, cut where it is long.
    pub description: String,
    /// The same for all repetitions of a query: of its words without numbers, its operators and its tables.
    pub repetition: String,
    /// When it started, milliseconds since 1970.
    pub start_ms: Option<u64>,
    /// From start to end, seconds.
    pub seconds: Option<f64>,
    /// What of the application's time is its own: where several run at once, each has an equal share, seconds.
    pub share_seconds: f64,
    /// How it ended.
    pub state: State,
    /// What it takes on the GPU cluster.
    pub predicted: Option<Predicted>,
    /// What it costs today and there, US dollars.
    pub usd: Option<[f64; 2]>,
    /// What to do with it.
    pub verdict: Verdict,
    /// What keeps it from moving.
    pub blocked_by: Option<Blocker>,
    /// Its operators by class, in the order of the classes.
    pub classes: Vec<OperatorClass>,
}

/// What a query takes on the GPU cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// Time there, seconds.
    pub gpu: Range,
    /// Chance that it is faster there, 0 … 1.
    pub chance: Option<f64>,
    /// What that time consists of, seconds.
    pub parts: Parts,
}

/// A number and the range in which it is nine times of ten.
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
    /// Whether it says anything: without errors that are known, low and high are the number itself.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.low < self.high
    }
}

/// What a time on the GPU cluster consists of, seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Parts {
    /// Starting the query, and from one exchange to the next.
    pub start: f64,
    /// The operators' own work on GPUs.
    pub work: f64,
    /// Reading, decoding and opening files.
    pub storage: f64,
    /// Exchanges, and what does not fit in memory.
    pub network: f64,
    /// What of that does not fit in memory.
    #[serde(default)]
    pub spill: f64,
    /// Operators that stay on CPUs.
    pub unsupported: f64,
}

/// The operators of one class in a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperatorClass {
    /// The engine's class, e.g. `SortMergeJoinExec`; what it does, if the engine has no such name.
    pub class: String,
    /// What operators of the class do.
    pub kind: String,
    /// How many there are.
    pub operators: u64,
    /// Time of one core for them as the log tells, seconds.
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
    /// Its end is not in the log.
    #[default]
    Running,
}

impl State {
    /// Name in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Running => "running",
        }
    }
}

/// What to do with a query or an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Move it: it is faster on the GPU cluster nine times of ten.
    Move,
    /// Too close to call.
    Try,
    /// Leave it: it is slower there nine times of ten.
    Stay,
    /// Nothing can be said.
    #[default]
    Unknown,
}

impl Verdict {
    /// Name in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Try => "try",
            Self::Stay => "stay",
            Self::Unknown => "unknown",
        }
    }

    /// Of a chance that the GPU cluster is faster.
    #[must_use]
    pub fn of(chance: Option<f64>) -> Self {
        match chance.map(crossover_engine::predict::decided) {
            None => Self::Unknown,
            Some(None) => Self::Try,
            Some(Some(true)) => Self::Move,
            Some(Some(false)) => Self::Stay,
        }
    }
}

/// What keeps a query or an application from moving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blocker {
    /// There is no query in it.
    NoSql,
    /// Its end is not in the log.
    Running,
    /// Its end is not in the log, which is cut off.
    Cut,
    /// Its queries failed.
    Failed,
    /// It runs on GPUs already.
    OnGpu,
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
    /// The gain is smaller than the errors of predictions.
    Unsure,
    /// The base says nothing of the errors of predictions.
    NoErrors,
}

impl Blocker {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::NoSql,
        Self::Running,
        Self::Cut,
        Self::Failed,
        Self::OnGpu,
        Self::NoPlan,
        Self::OutsideSql,
        Self::Unsupported,
        Self::TooShort,
        Self::Storage,
        Self::Network,
        Self::Unsure,
        Self::NoErrors,
    ];

    /// Name in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::NoSql => "no SQL",
            Self::Running => "running",
            Self::Cut => "log is cut off",
            Self::Failed => "failed",
            Self::OnGpu => "on GPUs already",
            Self::NoPlan => "no plan",
            Self::OutsideSql => "time outside SQL",
            Self::Unsupported => "unsupported operators",
            Self::TooShort => "too short",
            Self::Storage => "storage",
            Self::Network => "network",
            Self::Unsure => "gain within the error",
            Self::NoErrors => "base without error range",
        }
    }
}

impl Parts {
    /// Altogether, seconds.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.start + self.work + self.storage + self.network + self.unsupported
    }

    /// The same times a factor.
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

    /// Part by part.
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

    /// What takes half of it or more and is no work of GPUs.
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

impl Summary {
    /// What is saved on the GPU cluster, seconds; negative where it is slower.
    #[must_use]
    pub fn saved_seconds(&self) -> Option<f64> {
        Some(saved(self.seconds?, self.gpu?.value))
    }

    /// What is saved there, US dollars.
    #[must_use]
    pub fn saved_usd(&self) -> Option<f64> {
        Some(saved(self.today_usd?, self.gpu_usd?))
    }
}

/// What is saved of so much today; nothing where rounding alone makes a difference.
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
            let gpu = Some(Range { value: gpu, low: gpu, high: gpu });
            Summary { seconds: Some(109.54), gpu, ..Summary::default() }.saved_seconds()
        };
        assert_eq!(of(109.539_999_999_999_99), Some(0.0));
        assert_eq!(of(109.54 * (1.0 + f64::EPSILON)), Some(0.0));
        assert!(of(109.53).is_some_and(|saved| (saved - 0.01).abs() < 1e-9), "{:?}", of(109.53));
        let prices = Summary { today_usd: Some(0.1 + 0.2), gpu_usd: Some(0.3), ..Summary::default() };
        assert_eq!(prices.saved_usd(), Some(0.0));
    }
}
