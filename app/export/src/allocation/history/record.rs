//! A replayed history as records: JSON for programs, and CSV for spreadsheets.

use crossover_allocation::HistoryFigures;
use crossover_allocation::recorded::SLO_FACTOR;
use crossover_quantity::balance::Balance;
use crossover_quantity::text::csv::{Records, cell};
use crossover_quantity::unread::UnreadName;
use serde::Serialize;

use super::{HistoryResults, LEFT_OUT};

/// Everything, for programs.
#[derive(Debug, Serialize)]
pub(super) struct HistoryRecord<'a> {
    jobs: &'a str,
    /// Compared jobs: those with GPUs that started and fit the nodes.
    compared: usize,
    latency_sensitive: usize,
    /// Jobs that are replayed and count in no figure.
    without_gpus: usize,
    /// Jobs without a known submission or run time; not replayed.
    unknown: usize,
    /// Jobs that do not fit even the idle nodes; not compared.
    rejected: usize,
    gpus: f64,
    recorded_seconds: f64,
    slo_factor: f64,
    preempts: bool,
    usd_per_gpu_hour: Option<f64>,
    recorded: FiguresRecord,
    single_queue: FiguresRecord,
    policies: Vec<PolicyHistoryRecord>,
    replayed_wait_errors: ErrorsRecord,
    left_out: [&'static str; 3],
    notes: &'a [String],
    unread: Vec<UnreadName<'a>>,
    balances: &'a [Balance],
}

/// The figures of one policy.
#[derive(Debug, Serialize)]
struct PolicyHistoryRecord {
    policy: &'static str,
    #[serde(flatten)]
    figures: FiguresRecord,
}

/// The figures of the record, or of a replay.
#[derive(Debug, Serialize)]
struct FiguresRecord {
    median_wait_seconds: f64,
    p95_wait_seconds: f64,
    mean_wait_seconds: f64,
    /// Null without latency-sensitive jobs.
    slo_violation_percent: Option<f64>,
    used_gpu_hours: f64,
    idle_gpu_hours: f64,
    /// Null without a price.
    used_usd: Option<f64>,
    /// Null without a price.
    idle_usd: Option<f64>,
    last_end_seconds: f64,
    preempted: f64,
}

/// Absolute errors of the waits with a single queue, and of a constant, seconds.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "each key of the JSON ends in its unit")]
struct ErrorsRecord {
    median_seconds: f64,
    mean_seconds: f64,
    median_of_constant_seconds: f64,
    mean_of_constant_seconds: f64,
}

impl HistoryResults<'_> {
    fn figures(&self, figures: &HistoryFigures) -> FiguresRecord {
        FiguresRecord {
            median_wait_seconds: figures.median_wait,
            p95_wait_seconds: figures.p95_wait,
            mean_wait_seconds: figures.mean_wait,
            slo_violation_percent: figures.slo_violation_share.map(|share| 100.0 * share),
            used_gpu_hours: figures.used_gpu_hours,
            idle_gpu_hours: figures.idle_gpu_hours,
            used_usd: self.usd_per_gpu_hour.map(|usd| usd * figures.used_gpu_hours),
            idle_usd: self.usd_per_gpu_hour.map(|usd| usd * figures.idle_gpu_hours),
            last_end_seconds: figures.last_end,
            preempted: figures.preempted,
        }
    }

    /// Everything, for programs.
    pub(super) fn record(&self) -> HistoryRecord<'_> {
        let history = self.history;
        let policies = history
            .policies
            .iter()
            .map(|(policy, figures)| PolicyHistoryRecord { policy: policy.label(), figures: self.figures(figures) });
        HistoryRecord {
            jobs: self.name,
            compared: history.tasks,
            latency_sensitive: history.sensitive,
            without_gpus: history.without_gpus,
            unknown: history.unknown,
            rejected: history.rejected,
            gpus: history.gpus,
            recorded_seconds: history.seconds,
            slo_factor: SLO_FACTOR,
            preempts: self.preempts,
            usd_per_gpu_hour: self.usd_per_gpu_hour,
            recorded: self.figures(&history.recorded),
            single_queue: self.figures(&history.single_queue),
            policies: policies.collect(),
            replayed_wait_errors: ErrorsRecord {
                median_seconds: history.errors.median,
                mean_seconds: history.errors.mean,
                median_of_constant_seconds: history.errors.median_of_constant,
                mean_of_constant_seconds: history.errors.mean_of_constant,
            },
            left_out: LEFT_OUT,
            notes: self.notes,
            unread: self.unread.names().collect(),
            balances: self.balances,
        }
    }

    /// One row for the record and each policy.
    pub(super) fn csv(&self) -> String {
        let mut csv = Records::default();
        csv.push([
            "policy",
            "median_wait_seconds",
            "p95_wait_seconds",
            "mean_wait_seconds",
            "slo_violation_percent",
            "used_gpu_hours",
            "idle_gpu_hours",
            "used_usd",
            "idle_usd",
            "last_end_seconds",
            "preempted",
        ]);
        for (name, figures) in self.rows() {
            let figures = self.figures(figures);
            let numbers = [
                Some(figures.median_wait_seconds),
                Some(figures.p95_wait_seconds),
                Some(figures.mean_wait_seconds),
                figures.slo_violation_percent,
                Some(figures.used_gpu_hours),
                Some(figures.idle_gpu_hours),
                figures.used_usd,
                figures.idle_usd,
                Some(figures.last_end_seconds),
                Some(figures.preempted),
            ];
            let cells = numbers.map(cell);
            csv.push(std::iter::once(name.to_owned()).chain(cells));
        }
        csv.into_text()
    }
}
