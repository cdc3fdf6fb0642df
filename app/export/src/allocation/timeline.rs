//! Which task ran on which GPUs, when and with which shares, under the policy of a study: as records, CSV, and a table of the first
//! runs.

use crossover_allocation::{Allocation, Described, GpuShare, Outcome, PlacedRun, ShareChange, WHOLE, placed_runs};
use crossover_quantity::text::csv::{Records, cell};
use crossover_quantity::text::{Column, Table, counted};
use crossover_quantity::unit::{Unit, elapsed};
use serde::Serialize;

/// Runs that a report lists.
const LISTED: usize = 20;
/// Changes of the share of a run that a report lists.
const LISTED_CHANGES: usize = 3;

/// The runs of tasks in the first replay.
#[derive(Debug, Serialize)]
pub(super) struct TimelineRecord<'a> {
    /// Whether only the runs that ended first are listed.
    is_truncated: bool,
    /// In the order of their starts.
    runs: Vec<RunRecord<'a>>,
}

/// A run of a task, or of a piece of one, on a node.
#[derive(Debug, Serialize)]
struct RunRecord<'a> {
    /// Number of the task in the order of arrival, from 1.
    task: u64,
    /// Name of its group, or of the recorded task.
    tasks: String,
    is_latency_sensitive: bool,
    arrived_seconds: f64,
    from_seconds: f64,
    until_seconds: f64,
    node: &'a str,
    gpus: Vec<GpuRecord>,
    /// Later shares of its only GPU.
    share_changes: Vec<ChangeRecord>,
    /// Whether it was preempted; else it ended.
    is_preempted: bool,
}

/// What a run had of a GPU at its start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct GpuRecord {
    /// Index of the GPU on the node.
    gpu: usize,
    /// Of the compute units.
    compute_percent: f64,
    /// Of the memory; null if the task requests no share of it.
    memory_percent: Option<f64>,
}

/// A change of the share that a run had of the compute units of its GPU.
#[derive(Debug, Clone, Copy, Serialize)]
struct ChangeRecord {
    at_seconds: f64,
    compute_percent: f64,
}

/// Units of a GPU, percent.
fn percent(units: u16) -> f64 {
    100.0 * f64::from(units) / f64::from(WHOLE)
}

impl From<&GpuShare> for GpuRecord {
    fn from(of: &GpuShare) -> Self {
        Self { gpu: of.gpu, compute_percent: percent(of.compute), memory_percent: of.memory.map(percent) }
    }
}

impl From<&ShareChange> for ChangeRecord {
    fn from(change: &ShareChange) -> Self {
        Self { at_seconds: change.at, compute_percent: percent(change.share) }
    }
}

impl<'a> TimelineRecord<'a> {
    /// The first replay of a study; none without a replay.
    pub(super) fn new(study: &Allocation, outcome: &'a Outcome) -> Option<Self> {
        let log = &outcome.replayed.get(outcome.chosen)?.log;
        let described = Described::new(study, 0);
        let mut placed = placed_runs(&described, outcome.own().policy, log);
        placed.sort_by(|a, b| {
            let starts = a.task_run.from.total_cmp(&b.task_run.from);
            starts.then(a.task_run.task.cmp(&b.task_run.task))
        });
        let run = |placed: &PlacedRun<'_>| {
            let task_run = placed.task_run;
            RunRecord {
                task: task_run.task + 1,
                tasks: described.replay_tasks.name(task_run).to_owned(),
                is_latency_sensitive: task_run.is_sensitive,
                arrived_seconds: task_run.arrived,
                from_seconds: task_run.from,
                until_seconds: task_run.until,
                node: outcome.nodes.get(task_run.place.node).map_or("", String::as_str),
                gpus: placed.gpus.iter().map(GpuRecord::from).collect(),
                share_changes: placed.changes.iter().map(ChangeRecord::from).collect(),
                is_preempted: !task_run.is_end,
            }
        };
        Some(Self { is_truncated: log.is_truncated, runs: placed.iter().map(run).collect() })
    }

    /// A line for each run, GPU and interval with one share.
    pub(super) fn csv(&self) -> String {
        let mut csv = Records::default();
        csv.push([
            "task",
            "tasks",
            "is_latency_sensitive",
            "arrived_seconds",
            "from_seconds",
            "until_seconds",
            "node",
            "gpu",
            "compute_percent",
            "memory_percent",
            "end",
        ]);
        for run in &self.runs {
            run.push_to(&mut csv);
        }
        csv.into_text()
    }

    /// The first runs.
    pub(super) fn table(&self) -> Table {
        let columns = vec![
            Column::number("Task"),
            Column::text("Tasks"),
            Column::text("Node"),
            Column::text("GPU"),
            Column::number("From"),
            Column::number("Until"),
            Column::text("Compute share"),
            Column::text("Memory share"),
            Column::text("End"),
        ];
        Table { columns, rows: self.runs.iter().take(LISTED).map(RunRecord::cells).collect() }
    }

    /// "and 412 more runs; use --format json to list all".
    pub(super) fn more(&self) -> Option<String> {
        let more = self.runs.len().checked_sub(LISTED).filter(|more| *more > 0)?;
        let of_all = if self.is_truncated { "the runs that ended first" } else { "all" };
        Some(format!("and {}; use --format json to list {of_all}", counted(more as f64, "more run")))
    }
}

impl RunRecord<'_> {
    /// What ended the run.
    fn end(&self) -> &'static str {
        if self.is_preempted { "preempted" } else { "ended" }
    }

    fn push_to(&self, csv: &mut Records) {
        let head = [self.task.to_string(), self.tasks.clone(), self.is_latency_sensitive.to_string()];
        let mut push = |[from, until]: [f64; 2], gpu: Option<GpuRecord>, end: &str| {
            let times = [self.arrived_seconds, from, until].map(|time| time.to_string());
            let shares = [
                self.node.to_owned(),
                cell(gpu.map(|of| of.gpu)),
                cell(gpu.map(|of| of.compute_percent)),
                cell(gpu.and_then(|of| of.memory_percent)),
                end.to_owned(),
            ];
            csv.push(head.iter().cloned().chain(times).chain(shares));
        };
        if self.gpus.is_empty() {
            push([self.from_seconds, self.until_seconds], None, self.end());
        }
        for of in &self.gpus {
            let (mut from, mut of) = (self.from_seconds, *of);
            for ChangeRecord { at_seconds, compute_percent } in &self.share_changes {
                push([from, *at_seconds], Some(of), "share changed");
                (from, of.compute_percent) = (*at_seconds, *compute_percent);
            }
            push([from, self.until_seconds], Some(of), self.end());
        }
    }

    fn cells(&self) -> Vec<String> {
        let or_none = |text: String| if text.is_empty() { "–".to_owned() } else { text };
        let gpus: Vec<String> = self.gpus.iter().map(|of| of.gpu.to_string()).collect();
        let compute = alike(self.gpus.iter().map(|of| Some(of.compute_percent)));
        vec![
            self.task.to_string(),
            self.tasks.clone(),
            self.node.to_owned(),
            or_none(gpus.join(", ")),
            elapsed(self.from_seconds),
            elapsed(self.until_seconds),
            or_none([compute].into_iter().chain(in_words(&self.share_changes)).collect::<Vec<_>>().join(", ")),
            or_none(alike(self.gpus.iter().map(|of| of.memory_percent))),
            self.end().to_owned(),
        ]
    }
}

/// Shares of several GPUs: one if they are alike.
fn alike(percents: impl Iterator<Item = Option<f64>>) -> String {
    let mut shares: Vec<String> = percents.flatten().map(share).collect();
    shares.dedup();
    shares.join(", ")
}

fn share(percent: f64) -> String {
    Unit::Share.format(percent / 100.0)
}

/// Changes of the share of a run: "50 % from 1 min 30 s, 60 % from 3 min, and 2 more changes". None without a change.
#[must_use]
pub fn share_changes(changes: &[ShareChange]) -> Option<String> {
    in_words(&changes.iter().map(ChangeRecord::from).collect::<Vec<_>>())
}

fn in_words(changes: &[ChangeRecord]) -> Option<String> {
    let listed = changes.iter().take(LISTED_CHANGES);
    let mut parts: Vec<String> =
        listed.map(|change| format!("{} from {}", share(change.compute_percent), elapsed(change.at_seconds))).collect();
    let more = changes.len().saturating_sub(LISTED_CHANGES);
    if more > 0 {
        parts.push(format!("and {}", counted(more as f64, "more change")));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(at: f64, thousandths: u16) -> ShareChange {
        ShareChange { task_run: 0, at, share: WHOLE / 1_000 * thousandths }
    }

    #[test]
    fn changes_of_a_share_are_listed_and_counted() {
        assert_eq!(share_changes(&[]), None);
        let one = share_changes(&[change(90.0, 500)]);
        assert_eq!(one.as_deref(), Some("50 % from 1 min 30 s"));
        let five = [(60.0, 500), (120.0, 600), (180.0, 700), (240.0, 800), (300.0, 900)];
        let five = share_changes(&five.map(|(at, share)| change(at, share)));
        assert_eq!(five.as_deref(), Some("50 % from 1 min, 60 % from 2 min, 70 % from 3 min, and 2 more changes"));
    }

    #[test]
    fn equal_shares_of_several_gpus_are_one() {
        assert_eq!(alike([Some(100.0), Some(100.0)].into_iter()), "100 %");
        assert_eq!(alike([Some(29.0), Some(40.0)].into_iter()), "29 %, 40 %");
        assert_eq!(alike([None, None].into_iter()), "");
    }
}
