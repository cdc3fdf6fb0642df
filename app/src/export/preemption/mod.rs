//! What policies do with kernels that share a GPU: the outcome of a study as records for programs and as reports for people.

mod report;

use crossover_model::estimate::Estimate;
use crossover_model::preemption::outcome::seconds;
use crossover_model::preemption::{
    AtLoad, Bound, Decision, Means, OfPolicy, Outcome, Policy, Preemption, Residency, What,
};
use crossover_model::text::csv::Records;
use serde::Serialize;

use super::{Format, json, ron};

/// Everything a preemption study answers, as JSON and RON hold it.
#[derive(Debug, Serialize)]
pub(crate) struct Results<'a> {
    /// "preemption", so that a reader of many studies can tell them apart.
    study: &'static str,
    /// Name of the scenario.
    scenario: &'a str,
    /// The answer in one sentence.
    answer: String,
    /// The policy that is looked at.
    policy: &'static str,
    /// Every policy on the same streams.
    policies: Vec<PolicyRecord>,
    /// What no policy can do better.
    bound: BoundRecord,
    /// Preemptions that were weighed in the first stream, in time; those of the policy that is looked at.
    decisions: Vec<DecisionRecord<'a>>,
    /// Whether there were more than are kept.
    is_cut: bool,
    /// How fast each kernel runs beside each.
    pairs: Vec<PairRecord<'a>>,
    /// Blocks of each kernel on the GPU.
    residencies: Vec<ResidencyRecord<'a>>,
    /// What a careful reader should know before trusting the numbers.
    warnings: &'a [String],
    /// What the records were taken from; the reports for people are made of it.
    #[serde(skip)]
    evaluated: (&'a Preemption, &'a Outcome),
}

/// A mean with its 95 % interval.
#[derive(Debug, Clone, Copy, Serialize)]
struct EstimateRecord {
    mean: f64,
    /// Null after a single stream, as below.
    low: Option<f64>,
    high: Option<f64>,
    streams: usize,
}

impl From<Estimate> for EstimateRecord {
    fn from(estimate: Estimate) -> Self {
        let (low, high) = (estimate.interval.map(|[low, _]| low), estimate.interval.map(|[_, high]| high));
        Self { mean: estimate.mean, low, high, streams: estimate.runs }
    }
}

/// What a policy came to.
#[derive(Debug, Serialize)]
struct PolicyRecord {
    policy: &'static str,
    throughput: EstimateRecord,
    turnaround: EstimateRecord,
    fairness: EstimateRecord,
    latency_seconds: EstimateRecord,
    latency_99_seconds: EstimateRecord,
    preemptions_per_launch: f64,
    switching: f64,
    lost: f64,
    utilisation: f64,
    /// Of each kernel, in the order of the study; null of those that never came.
    slowdowns: Vec<Option<f64>>,
}

/// What no policy can do better.
#[derive(Debug, Serialize)]
struct BoundRecord {
    throughput: f64,
    turnaround: f64,
    latency_seconds: f64,
}

/// A preemption that was weighed.
#[derive(Debug, Serialize)]
struct DecisionRecord<'a> {
    at_cycle: f64,
    leaves: &'a str,
    /// By its place in the stream, from 1, as below.
    leaves_launch: u32,
    comes: &'a str,
    comes_launch: u32,
    stay: Vec<&'a str>,
    rest_cycles: f64,
    before: f64,
    after: f64,
    gain: f64,
    preempt_cycles: f64,
    break_even_cycles: f64,
    is_preempted: bool,
}

/// How fast one kernel runs beside another.
#[derive(Debug, Serialize)]
struct PairRecord<'a> {
    kernel: &'a str,
    beside: &'a str,
    normalised_ipc: f64,
    /// Else it is what holds for their classes.
    measured: bool,
}

/// Blocks of a kernel on the GPU.
#[derive(Debug, Serialize)]
struct ResidencyRecord<'a> {
    kernel: &'a str,
    per_multiprocessor: f64,
    resident: f64,
    waves: f64,
    context_bytes: f64,
    limited_by: &'static str,
    alone_seconds: f64,
}

/// The results of a study.
pub(crate) fn results<'a>(scenario: &'a str, study: &'a Preemption, outcome: &'a Outcome) -> Results<'a> {
    let count = study.kernels.len();
    let pairs = (0..count).flat_map(|own| {
        (0..count).map(move |other| PairRecord {
            kernel: &study.kernels[own].name,
            beside: &study.kernels[other].name,
            normalised_ipc: outcome.table.normalised(own, other),
            measured: outcome.table.is_measured(own, other),
        })
    });
    let residencies =
        study.kernels.iter().zip(&outcome.residencies).map(|(kernel, found): (_, &Residency)| ResidencyRecord {
            kernel: &kernel.name,
            per_multiprocessor: found.per_multiprocessor,
            resident: found.resident,
            waves: found.waves,
            context_bytes: found.context_bytes,
            limited_by: found.limit.label(),
            alone_seconds: seconds(study, kernel.alone_cycles()),
        });
    let Bound { throughput, turnaround, latency } = outcome.bound;
    Results {
        study: "preemption",
        scenario,
        answer: outcome.sentence(study),
        policy: study.rule.policy.label(),
        policies: outcome.policies.iter().map(|of| policy_record(study, of)).collect(),
        bound: BoundRecord { throughput, turnaround, latency_seconds: seconds(study, latency) },
        decisions: outcome.log.decisions.iter().map(|decision| decision_record(study, decision)).collect(),
        is_cut: outcome.log.is_cut,
        pairs: pairs.collect(),
        residencies: residencies.collect(),
        warnings: &outcome.warnings,
        evaluated: (study, outcome),
    }
}

fn policy_record(study: &Preemption, of: &OfPolicy) -> PolicyRecord {
    let means = &of.means;
    let in_seconds = |cycles: Estimate| cycles.times(seconds(study, 1.0)).into();
    PolicyRecord {
        policy: of.policy.label(),
        throughput: means.throughput.into(),
        turnaround: means.turnaround.into(),
        fairness: means.fairness.into(),
        latency_seconds: in_seconds(means.latency),
        latency_99_seconds: in_seconds(means.latency_99),
        preemptions_per_launch: means.preemptions,
        switching: means.switching,
        lost: means.lost,
        utilisation: means.utilisation,
        slowdowns: means.slowdowns.clone(),
    }
}

fn name(study: &Preemption, kernel: u32) -> &str {
    study.kernels.get(kernel as usize).map_or("", |kernel| kernel.name.as_str())
}

fn decision_record<'a>(study: &'a Preemption, of: &Decision) -> DecisionRecord<'a> {
    DecisionRecord {
        at_cycle: of.at,
        leaves: name(study, of.leaves.1),
        leaves_launch: of.leaves.0 + 1,
        comes: name(study, of.comes.1),
        comes_launch: of.comes.0 + 1,
        stay: of.stay.iter().map(|kernel| name(study, *kernel)).collect(),
        rest_cycles: of.case.rest_cycles,
        before: of.weighed.before,
        after: of.weighed.after,
        gain: of.weighed.gain,
        preempt_cycles: of.case.preempt_cycles,
        break_even_cycles: of.weighed.break_even_cycles,
        is_preempted: of.is_preempted,
    }
}

/// "1.312 ± 0.021": a mean with half of its interval, which is known to two digits.
pub(crate) fn with_interval(estimate: Estimate, format: fn(f64) -> String) -> String {
    match estimate.interval {
        Some([_, high]) if high > estimate.mean => {
            let half = high - estimate.mean;
            let digits = 10_f64.powf(1.0 - half.log10().floor());
            let [mean, half] = [estimate.mean, half].map(|value| format((value * digits).round() / digits));
            format!("{mean} ± {half}")
        }
        _ => format(estimate.mean),
    }
}

impl Results<'_> {
    /// As text.
    pub(crate) fn write(&self, format: Format) -> String {
        match format {
            Format::Table => report::terminal(self),
            Format::Markdown => report::markdown(self),
            Format::Json => json(self),
            Format::Ron => ron(self),
            Format::Csv => self.policies_csv(),
        }
    }

    /// A line for each policy.
    fn policies_csv(&self) -> String {
        let mut csv = Records::default();
        csv.push(POLICY_COLUMNS);
        for of in &self.policies {
            csv.push(policy_cells(of));
        }
        csv.into_text()
    }
}

const POLICY_COLUMNS: [&str; 20] = [
    "policy",
    "throughput",
    "throughput_low",
    "throughput_high",
    "turnaround",
    "turnaround_low",
    "turnaround_high",
    "fairness",
    "fairness_low",
    "fairness_high",
    "latency_seconds",
    "latency_seconds_low",
    "latency_seconds_high",
    "latency_99_seconds",
    "latency_99_seconds_low",
    "latency_99_seconds_high",
    "preemptions_per_launch",
    "switching",
    "lost",
    "utilisation",
];

fn policy_cells(of: &PolicyRecord) -> Vec<String> {
    let mut cells = vec![of.policy.to_owned()];
    for estimate in [of.throughput, of.turnaround, of.fairness, of.latency_seconds, of.latency_99_seconds] {
        cells.push(estimate.mean.to_string());
        cells.extend([estimate.low, estimate.high].map(|end| end.map_or_else(String::new, |end| end.to_string())));
    }
    cells.extend([of.preemptions_per_launch, of.switching, of.lost, of.utilisation].map(|value| value.to_string()));
    cells
}

/// Every number behind the charts of the page: tables one below the other, each with its own header and a blank line before it.
pub(crate) fn data_csv(study: &Preemption, outcome: &Outcome, along_load: &[AtLoad]) -> String {
    let mut tables = vec![results("", study, outcome).policies_csv()];
    if !along_load.is_empty() {
        tables.push(loads_csv(study, along_load));
    }
    tables.extend([stays_csv(study, outcome), decisions_csv(study, outcome)]);
    tables.join("\r\n")
}

/// A line for each load and policy, and one for what none passes.
fn loads_csv(study: &Preemption, along_load: &[AtLoad]) -> String {
    let mut csv = Records::default();
    csv.push(["load", "policy", "throughput", "turnaround", "fairness", "latency_seconds", "latency_99_seconds"]);
    for at in along_load {
        for (policy, means) in Policy::ALL.iter().zip(&at.policies) {
            let Means { throughput, turnaround, fairness, latency, latency_99, .. } = means;
            let values = [
                throughput.mean,
                turnaround.mean,
                fairness.mean,
                seconds(study, latency.mean),
                seconds(study, latency_99.mean),
            ];
            let head = [at.load.to_string(), policy.label().to_owned()];
            csv.push(head.into_iter().chain(values.map(|value| value.to_string())));
        }
        let Bound { throughput, turnaround, latency } = at.bound;
        csv.push([
            at.load.to_string(),
            "bound".to_owned(),
            throughput.to_string(),
            turnaround.to_string(),
            String::new(),
            seconds(study, latency).to_string(),
            String::new(),
        ]);
    }
    csv.into_text()
}

/// Who was on the GPU when, in the first stream.
fn stays_csv(study: &Preemption, outcome: &Outcome) -> String {
    let mut csv = Records::default();
    csv.push(["launch", "kernel", "place", "from_cycle", "to_cycle", "what"]);
    for stay in &outcome.log.stays {
        let what = match stay.what {
            What::Done => "done",
            What::Preempted => "preempted",
            What::Switching => "switching",
        };
        csv.push([
            (stay.launch + 1).to_string(),
            name(study, stay.kernel).to_owned(),
            (stay.place + 1).to_string(),
            stay.from.to_string(),
            stay.to.to_string(),
            what.to_owned(),
        ]);
    }
    csv.into_text()
}

/// Every preemption that was weighed in the first stream.
fn decisions_csv(study: &Preemption, outcome: &Outcome) -> String {
    let mut csv = Records::default();
    csv.push([
        "at_cycle",
        "leaves",
        "leaves_launch",
        "comes",
        "comes_launch",
        "rest_cycles",
        "before",
        "after",
        "gain",
        "preempt_cycles",
        "break_even_cycles",
        "is_preempted",
    ]);
    for decision in &outcome.log.decisions {
        let of = decision_record(study, decision);
        csv.push([
            of.at_cycle.to_string(),
            of.leaves.to_owned(),
            of.leaves_launch.to_string(),
            of.comes.to_owned(),
            of.comes_launch.to_string(),
            of.rest_cycles.to_string(),
            of.before.to_string(),
            of.after.to_string(),
            of.gain.to_string(),
            of.preempt_cycles.to_string(),
            of.break_even_cycles.to_string(),
            of.is_preempted.to_string(),
        ]);
    }
    csv.into_text()
}
