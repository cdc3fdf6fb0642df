//! The outcome of a preemption study: as records for programs and as reports for people.

mod imported;
mod report;
mod setting;
mod tables;

use crossover_preemption::outcome::seconds;
use crossover_preemption::{Basis, Bound, Decision, Means, Outcome, PolicyOutcome, Preemption, Residency};
use crossover_quantity::estimate::Estimate;
use crossover_quantity::text::TextReport;
use serde::Serialize;

pub use self::imported::{arrivals_json, kernels_json};
use self::setting::Setting;
pub use self::tables::data_csv;
use super::Format;

/// The results of a preemption study, as JSON and RON have them.
#[derive(Debug, Serialize)]
pub struct Results<'a> {
    /// "preemption", so that a reader of many studies can tell them apart.
    study: &'static str,
    /// Name of the scenario.
    scenario: &'a str,
    /// The question.
    question: &'static str,
    /// The answer in one sentence.
    answer: String,
    /// The launches and the GPU.
    setting: Setting<'a>,
    /// The selected policy.
    policy: &'static str,
    /// Every policy on the same streams.
    policies: Vec<PolicyRecord>,
    /// The upper bound of every policy.
    bound: BoundRecord,
    /// Possible preemptions of the first stream in order of time, under the selected policy.
    decisions: Vec<DecisionRecord<'a>>,
    /// Whether there were more than are kept.
    is_truncated: bool,
    /// How fast each kernel runs beside each.
    pairs: Vec<PairRecord<'a>>,
    /// Blocks of each kernel on the GPU.
    residencies: Vec<ResidencyRecord<'a>>,
    /// Warnings about the numbers.
    warnings: &'a [String],
    /// The source of the records, from which reports for people are made.
    #[serde(skip)]
    evaluated: (&'a Preemption, &'a Outcome),
}

/// The question of the study.
const QUESTION: &str =
    "Which policy has the highest throughput with these kernels on one GPU, and when does preemption gain work?";

/// A mean with its 90 % interval.
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

/// The results of a policy.
#[derive(Debug, Serialize)]
struct PolicyRecord {
    policy: &'static str,
    throughput: EstimateRecord,
    turnaround: EstimateRecord,
    fairness: EstimateRecord,
    latency_seconds: EstimateRecord,
    latency_p99_seconds: EstimateRecord,
    preemptions_per_launch: f64,
    context_switch_share: f64,
    wasted_share: f64,
    utilisation: f64,
    /// Of each kernel, in the order of the study; null for kernels without launches.
    slowdowns: Vec<Option<f64>>,
}

/// What no policy can do better.
#[derive(Debug, Serialize)]
struct BoundRecord {
    throughput: f64,
    turnaround: f64,
    latency_seconds: f64,
}

/// A possible preemption.
#[derive(Debug, Serialize)]
struct DecisionRecord<'a> {
    at_cycle: f64,
    running: &'a str,
    /// By its place in the stream, from 1, as below.
    running_launch: u32,
    waiting: &'a str,
    waiting_launch: u32,
    co_running: Vec<&'a str>,
    rest_cycles: f64,
    /// Work of the rest in cycles alone, as below: without preemption, and with it.
    work_without_cycles: f64,
    work_with_cycles: f64,
    gain_cycles: f64,
    preempt_cycles: f64,
    break_even_cycles: f64,
    /// 95 % interval of the gain; null where every count of instructions is known, as below.
    gain_cycles_low: Option<f64>,
    gain_cycles_high: Option<f64>,
    /// Likelihood that the switch gains work.
    gain_probability: Option<f64>,
    is_preempted: bool,
}

/// How fast one kernel runs beside another.
#[derive(Debug, Serialize)]
struct PairRecord<'a> {
    kernel: &'a str,
    beside: &'a str,
    normalised_ipc: f64,
    /// "measured" (or entered), "fitted" to other pairs, or that of the "class".
    basis: &'static str,
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
#[must_use]
pub fn results<'a>(scenario: &'a str, study: &'a Preemption, outcome: &'a Outcome) -> Results<'a> {
    let count = study.kernels.len();
    let pairs = (0..count).flat_map(|own| (0..count).map(move |other| (own, other))).map(|(own, other)| PairRecord {
        kernel: &study.kernels[own].name,
        beside: &study.kernels[other].name,
        normalised_ipc: outcome.table.normalised(own, other),
        basis: match outcome.table.basis(own, other) {
            Basis::Measured => MEASURED,
            Basis::Fitted => "fitted",
            Basis::Classes => "class",
        },
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
        question: QUESTION,
        answer: outcome.sentence(study),
        setting: Setting::of(study),
        policy: study.rule.policy.label(),
        policies: outcome.policies.iter().map(|of| policy_record(study, of)).collect(),
        bound: BoundRecord { throughput, turnaround, latency_seconds: seconds(study, latency) },
        decisions: outcome.log.decisions.iter().map(|decision| decision_record(study, decision)).collect(),
        is_truncated: outcome.log.is_truncated,
        pairs: pairs.collect(),
        residencies: residencies.collect(),
        warnings: &outcome.warnings,
        evaluated: (study, outcome),
    }
}

fn policy_record(study: &Preemption, of: &PolicyOutcome) -> PolicyRecord {
    let means = &of.means;
    let [throughput, turnaround, fairness, latency_seconds, latency_p99_seconds] = estimates_of(study, means);
    PolicyRecord {
        policy: of.policy.label(),
        throughput,
        turnaround,
        fairness,
        latency_seconds,
        latency_p99_seconds,
        preemptions_per_launch: means.preemptions,
        context_switch_share: means.context_switch_share,
        wasted_share: means.wasted_share,
        utilisation: means.utilisation,
        slowdowns: means.slowdowns.clone(),
    }
}

/// What policies are compared by, in the order of the columns of their table.
fn estimates_of(study: &Preemption, means: &Means) -> [EstimateRecord; ESTIMATES] {
    let in_seconds = |cycles: Estimate| cycles.times(seconds(study, 1.0));
    [means.throughput, means.turnaround, means.fairness, in_seconds(means.latency), in_seconds(means.latency_p99)]
        .map(EstimateRecord::from)
}

fn name(study: &Preemption, kernel: u32) -> &str {
    study.kernels.get(kernel as usize).map_or("", |kernel| kernel.name.as_str())
}

fn decision_record<'a>(study: &'a Preemption, of: &Decision) -> DecisionRecord<'a> {
    DecisionRecord {
        at_cycle: of.at,
        running: name(study, of.running.1),
        running_launch: of.running.0 + 1,
        waiting: name(study, of.waiting.1),
        waiting_launch: of.waiting.0 + 1,
        co_running: of.co_running.iter().map(|kernel| name(study, *kernel)).collect(),
        rest_cycles: of.case.rest_cycles,
        work_without_cycles: of.weighed.before,
        work_with_cycles: of.weighed.after,
        gain_cycles: of.weighed.gain,
        preempt_cycles: of.case.preempt_cycles,
        break_even_cycles: of.weighed.break_even_cycles,
        gain_cycles_low: of.uncertainty.map(|uncertainty| uncertainty.gain[0]),
        gain_cycles_high: of.uncertainty.map(|uncertainty| uncertainty.gain[1]),
        gain_probability: of.uncertainty.map(|uncertainty| uncertainty.gain_probability),
        is_preempted: of.is_preempted,
    }
}

/// "1.312 ± 0.021": a mean with half of its interval, which is known to two digits.
#[must_use]
pub fn with_interval(estimate: Estimate, format: fn(f64) -> String) -> String {
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
    /// As a report.
    #[must_use]
    pub fn text_report(&self) -> TextReport {
        report::text_report(self)
    }

    /// As text.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        format.write(|| self.text_report(), || self, || tables::policies(&self.policies))
    }
}

/// The basis of a measured pair.
const MEASURED: &str = "measured";
/// Means with intervals that policies have.
const ESTIMATES: usize = 5;

#[cfg(test)]
mod tests {
    use crossover_preemption::evaluate;
    use crossover_preemption::fitted::Fit;
    use crossover_scenario as scenario;

    use super::*;

    pub(super) fn study() -> Preemption {
        let text = include_str!("../../../../scenarios/preemption-rodinia.ron");
        let mut study = scenario::read(text).expect("an example").preemption().expect("a study").clone();
        (study.stream.launches, study.stream.streams) = (60.0, 3.0);
        study
    }

    #[test]
    fn a_pair_is_measured_fitted_or_by_class() {
        let mut study = study();
        let bases = |study: &Preemption| -> Vec<(&'static str, bool)> {
            let outcome = evaluate(study);
            let results = results("", study, &outcome);
            let count = study.kernels.len();
            let is_measured = |place: usize| outcome.table.is_measured(place / count, place % count);
            results.pairs.iter().enumerate().map(|(place, pair)| (pair.basis, is_measured(place))).collect()
        };
        let before = bases(&study);
        assert!(before.iter().all(|(basis, is_measured)| (*basis == MEASURED) == *is_measured), "{before:?}");
        let kernels = study.kernels.iter().map(|kernel| kernel.name.clone()).collect::<Vec<_>>();
        let pair = |second: usize| crossover_preemption::Pair {
            first: kernels[0].clone(),
            second: kernels[second].clone(),
            first_normalised: 0.7,
            second_normalised: 0.8,
        };
        study.take_measured([pair(1), pair(2)], "pairs.csv");
        let fit = Fit::of(&[pair(1), pair(2)], &study.classes()).expect("two pairs");
        study.take_estimates(&fit, "pairs.csv");
        let after = bases(&study);
        assert_eq!((after[1], after[0]), ((MEASURED, true), ("fitted", false)));
        assert!(after.iter().all(|(basis, _)| *basis != "class"), "{after:?}");
        let outcome = evaluate(&study);
        let results = results("", &study, &outcome);
        assert!(results.write(Format::Json).contains("\"basis\": \"fitted\""));
        let table = results.write(Format::Table);
        assert!(table.contains("~ assumed, not measured") && table.contains("~0."), "{table}");
    }
}
