//! The outcome of an allocation study: as records for programs, and as reports for people.

pub mod history;
pub mod manifests;
mod report;
pub mod timeline;

use crossover_allocation::recorded::Recorded;
use crossover_allocation::{Allocation, FillPoint, Outcome, Policy, PolicyOutcome, Replayed, Served, Trace};
use crossover_quantity::balance::Balance;
use crossover_quantity::text::TextReport;
use crossover_quantity::text::csv::{Records, cell};
use crossover_quantity::unread::UnreadName;
use serde::Serialize;

use self::timeline::TimelineRecord;
use super::{Format, json};

/// The results of an allocation study, as JSON and RON have them.
#[derive(Debug, Serialize)]
pub struct Results<'a> {
    /// "allocation", so that a reader of many studies can tell them apart.
    study: &'static str,
    /// Name of the scenario.
    scenario: &'a str,
    /// Requested GPUs, percent of all GPUs.
    demand_percent: f64,
    /// The policy of the study.
    policy: &'static str,
    /// Nodes of the growing group to add so that the target is met; null if not even eight times as many do.
    nodes_to_add: Option<usize>,
    /// The group of nodes that grows.
    growing_nodes: &'a str,
    /// Power of the allocated GPUs, W; null if that of a type of GPU is missing.
    watts: Option<f64>,
    /// Every policy.
    policies: Vec<PolicyRecord<'a>>,
    /// Tasks that the policy of the study rejects in the first arrival order.
    rejections: Vec<RejectionRecord<'a>>,
    /// Which task ran where in the first replay of the policy of the study; absent without a replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<TimelineRecord<'a>>,
    /// Warnings about the numbers.
    warnings: &'a [String],
    /// The source of the records, from which reports for people are made.
    #[serde(skip)]
    evaluated: (&'a Allocation, &'a Outcome),
}

/// The results of one policy, mean over all arrival orders.
#[derive(Debug, Serialize)]
struct PolicyRecord<'a> {
    policy: &'static str,
    allocated_percent: f64,
    /// Standard deviation over the arrival orders.
    standard_deviation_percent: f64,
    fragmented_percent: f64,
    rejected_percent: f64,
    /// The results of the replay; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<ReplayRecord>,
    /// Rejected tasks, percent of each group; null where no such task arrived.
    rejected_percent_of: Vec<(&'a str, Option<f64>)>,
    curve: Vec<PointRecord>,
}

/// The results of a replay.
#[derive(Debug, Serialize)]
struct ReplayRecord {
    sensitive: ServedRecord,
    others: ServedRecord,
    makespan_seconds: f64,
    utilisation_percent: f64,
    longest_queue: f64,
    /// Energy of the allocated GPUs, kWh; null if the power of a type of GPU is missing.
    kwh: Option<f64>,
}

/// Tasks of one kind.
#[derive(Debug, Serialize)]
struct ServedRecord {
    ended: f64,
    rejected: f64,
    mean_wait_seconds: f64,
    /// Standard deviation over the replays.
    mean_wait_standard_deviation_seconds: f64,
    p99_wait_seconds: f64,
    /// Null if none ended.
    mean_slowdown: Option<f64>,
    /// Null if none ended, and for tasks that are not latency-sensitive: they have no SLO.
    slo_violation_percent: Option<f64>,
    preempted: f64,
    share_increases: f64,
    share_reductions: f64,
    throttled: f64,
}

impl ServedRecord {
    fn new(served: &Served, deviation: f64) -> Self {
        Self {
            ended: served.ended,
            rejected: served.rejected,
            mean_wait_seconds: served.mean_wait,
            mean_wait_standard_deviation_seconds: deviation,
            p99_wait_seconds: served.p99_wait,
            mean_slowdown: served.mean_slowdown,
            slo_violation_percent: served.slo_violation_share.map(|share| 100.0 * share),
            preempted: served.preempted,
            share_increases: served.share_increases,
            share_reductions: served.share_reductions,
            throttled: served.throttled,
        }
    }
}

/// The latency-sensitive tasks of a replay, then all others.
fn served(replayed: &Replayed) -> [ServedRecord; 2] {
    let [sensitive, others] =
        [0, 1].map(|kind| ServedRecord::new(&replayed.served[kind], replayed.standard_deviation[kind]));
    [sensitive, ServedRecord { slo_violation_percent: None, ..others }]
}

impl ReplayRecord {
    fn new(replayed: &Replayed, kwh: Option<f64>) -> Self {
        let [sensitive, others] = served(replayed);
        Self {
            sensitive,
            others,
            kwh,
            makespan_seconds: replayed.makespan,
            utilisation_percent: 100.0 * replayed.utilisation,
            longest_queue: replayed.longest_queue,
        }
    }
}

/// The cluster at one demand.
#[expect(clippy::struct_field_names, reason = "the names of the published simulator")]
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct PointRecord {
    demand_percent: u32,
    allocated_percent: f64,
    fragmented_percent: f64,
}

impl From<&FillPoint> for PointRecord {
    fn from(point: &FillPoint) -> Self {
        let FillPoint { demand_percent, allocated_percent, fragmented_percent } = *point;
        Self { demand_percent, allocated_percent, fragmented_percent }
    }
}

/// Rejected tasks of a group, and the reason for the first of them.
#[derive(Debug, Serialize)]
struct RejectionRecord<'a> {
    tasks: &'a str,
    count: usize,
    reason: String,
}

/// One run of one policy, as the published simulator reports it.
#[derive(Debug, Serialize)]
struct Protocol<'a> {
    policy: &'static str,
    seed: u64,
    curve: Vec<PointRecord>,
    /// What was left out of the trace, and why.
    notes: &'a [String],
    /// What may change the counts of GPUs and was not used.
    unread: Vec<UnreadName<'a>>,
    /// What the files say in total, and how much of it nodes and tasks have.
    balances: &'a [Balance],
}

/// The curve of one run with a trace as JSON, with what of the trace was not used.
#[must_use]
pub fn protocol_json(policy: &'static str, seed: u64, curve: &[FillPoint], trace: &Trace) -> String {
    let curve = curve.iter().map(PointRecord::from).collect();
    let unread = trace.unread.names().collect();
    json(&Protocol { policy, seed, curve, notes: &trace.notes, unread, balances: &trace.balances })
}

/// Recorded tasks that arrive and run as recorded.
#[derive(Debug, Serialize)]
struct RecordedReplays<'a> {
    seed: u64,
    tasks: usize,
    /// Tasks that are left out, because they ran beyond the end of the record.
    unended: usize,
    policies: Vec<RecordedReplay>,
    /// What was left out of the trace, and why.
    notes: &'a [String],
    /// What may change the counts of GPUs and was not used.
    unread: Vec<UnreadName<'a>>,
    /// What the files say in total, and how much of it nodes and tasks have.
    balances: &'a [Balance],
}

/// The results of one policy. No study has the power of a recorded cluster.
#[derive(Debug, Serialize)]
struct RecordedReplay {
    policy: &'static str,
    sensitive: ServedRecord,
    others: ServedRecord,
    makespan_seconds: f64,
    utilisation_percent: f64,
    longest_queue: f64,
}

/// Replays of the recorded tasks of a trace under some policies as JSON, with what of the trace was not used.
#[must_use]
pub fn replays_json(seed: u64, replays: &[(Policy, Replayed)], recorded: &Recorded, trace: &Trace) -> String {
    let policies = replays.iter().map(|(policy, replayed)| {
        let [sensitive, others] = served(replayed);
        RecordedReplay {
            policy: policy.label(),
            sensitive,
            others,
            makespan_seconds: replayed.makespan,
            utilisation_percent: 100.0 * replayed.utilisation,
            longest_queue: replayed.longest_queue,
        }
    });
    json(&RecordedReplays {
        seed,
        tasks: recorded.arrivals.len(),
        unended: recorded.unended,
        policies: policies.collect(),
        notes: &trace.notes,
        unread: trace.unread.names().collect(),
        balances: &trace.balances,
    })
}

/// The results of a study.
#[must_use]
pub fn results<'a>(scenario: &'a str, study: &'a Allocation, outcome: &'a Outcome) -> Results<'a> {
    let policy = |(place, policy): (usize, &'a PolicyOutcome)| PolicyRecord {
        replay: outcome
            .replayed
            .get(place)
            .map(|replayed| ReplayRecord::new(replayed, outcome.kwh.get(place).copied())),
        policy: policy.policy.label(),
        allocated_percent: policy.end().allocated_percent,
        standard_deviation_percent: policy.standard_deviation,
        fragmented_percent: policy.end().fragmented_percent,
        rejected_percent: 100.0 * policy.rejected,
        rejected_percent_of: study
            .tasks
            .iter()
            .zip(&policy.rejected_of)
            .map(|(group, rejected)| (group.name.as_str(), rejected.map(|share| 100.0 * share)))
            .collect(),
        curve: policy.curve.iter().map(PointRecord::from).collect(),
    };
    let rejections = outcome.rejections.iter().map(|rejected| RejectionRecord {
        tasks: &study.tasks[rejected.request].name,
        count: rejected.count,
        reason: rejected.reason.sentence(|node| outcome.nodes[node].clone()),
    });
    Results {
        study: "allocation",
        scenario,
        demand_percent: 100.0 * study.arrivals.demand,
        policy: outcome.own().policy.label(),
        nodes_to_add: outcome.nodes_to_add,
        growing_nodes: &study.policy.growing_nodes,
        watts: outcome.watts,
        policies: outcome.policies.iter().enumerate().map(policy).collect(),
        rejections: rejections.collect(),
        timeline: TimelineRecord::new(study, outcome),
        warnings: &outcome.warnings,
        evaluated: (study, outcome),
    }
}

impl Results<'_> {
    /// As a report.
    #[must_use]
    pub fn text_report(&self) -> TextReport {
        report::text_report(self)
    }

    /// As text.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        format.write(|| self.text_report(), || self, || self.csv())
    }

    /// A line for each policy and, as a second table after a blank line, the runs of tasks.
    fn csv(&self) -> String {
        let tables = std::iter::once(self.policies_csv()).chain(self.timeline.iter().map(TimelineRecord::csv));
        tables.collect::<Vec<String>>().join("\r\n")
    }

    /// A line for each policy.
    fn policies_csv(&self) -> String {
        let mut csv = Records::default();
        let fixed =
            ["policy", "allocated_percent", "standard_deviation_percent", "fragmented_percent", "rejected_percent"];
        let timed = [
            "sensitive_wait_seconds",
            "sensitive_wait_p99_seconds",
            "sensitive_slowdown",
            "sensitive_slo_violation_percent",
            "others_wait_seconds",
            "others_wait_p99_seconds",
            "others_slowdown",
            "others_preempted",
            "utilisation_percent",
            "kwh",
        ];
        csv.push(fixed.into_iter().chain(timed));
        for policy in &self.policies {
            let fixed = [
                policy.allocated_percent,
                policy.standard_deviation_percent,
                policy.fragmented_percent,
                policy.rejected_percent,
            ]
            .map(Some);
            let timed = match &policy.replay {
                Some(ReplayRecord { sensitive, others, utilisation_percent, kwh, .. }) => [
                    Some(sensitive.mean_wait_seconds),
                    Some(sensitive.p99_wait_seconds),
                    sensitive.mean_slowdown,
                    sensitive.slo_violation_percent,
                    Some(others.mean_wait_seconds),
                    Some(others.p99_wait_seconds),
                    others.mean_slowdown,
                    Some(others.preempted),
                    Some(*utilisation_percent),
                    *kwh,
                ],
                None => [None; 10],
            };
            let numbers = fixed.into_iter().chain(timed);
            let cells = numbers.map(cell);
            csv.push(std::iter::once(policy.policy.to_owned()).chain(cells));
        }
        csv.into_text()
    }
}

/// Every curve as CSV: a line for each percent of the demand.
#[must_use]
pub fn curves_csv(outcome: &Outcome) -> String {
    let mut csv = Records::default();
    let titles = outcome.policies.iter().flat_map(|policy| {
        let label = policy.policy.label();
        [format!("{label} allocated_percent"), format!("{label} fragmented_percent")]
    });
    csv.push(std::iter::once("demand_percent".to_owned()).chain(titles));
    for (place, point) in outcome.own().curve.iter().enumerate() {
        let points = outcome.policies.iter().filter_map(|policy| policy.curve.get(place));
        let numbers = points.flat_map(|point| [point.allocated_percent, point.fragmented_percent]);
        csv.push(std::iter::once(f64::from(point.demand_percent)).chain(numbers).map(|number| number.to_string()));
    }
    csv.into_text()
}
