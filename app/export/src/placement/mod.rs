//! The outcome of a placement study: as records for programs, and as reports for people.

mod curves;
pub mod plan;
mod report;
mod spreadsheet;
pub mod truth;

pub use curves::{curves_csv, curves_json};

use crossover_decision::Decision;
use crossover_placement::row::break_evens;
use crossover_placement::whole::Whole;
use crossover_placement::{Breakdown, Outcome, Placement, Query, Row, Side, Term};
use crossover_plan::decide::decision;
use crossover_quantity::text::TextReport;
use serde::Serialize;

use super::decided::{DecisionRecord, in_shown_engines};
use super::decision::all_warnings;
use super::{Format, as_map};
use plan::PlanRecord;

/// The results of a placement study, as JSON and RON have them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendations<'a> {
    /// "placement", so that a reader of many studies can tell them apart.
    pub study: &'static str,
    /// Name of the scenario.
    pub scenario: &'a str,
    /// The whole workload on the cluster's own network; absent where a query's plan is the workload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary<'a>>,
    /// The decision for the whole query plan, if the study has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanRecord<'a>>,
    /// One for each operator × network × compression; absent where a query's plan is the workload.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Recommendation<'a>>,
    /// Warnings about the numbers, and about the options of the decision.
    pub warnings: Vec<String>,
    /// The source of the records, from which reports for people are made.
    #[serde(skip)]
    evaluated: (&'a Placement, &'a Outcome),
    /// The query and its decision, if the study has one.
    #[serde(skip)]
    decided: Option<(&'a Query, &'a Whole)>,
    /// The study in the engines of that decision.
    #[serde(skip)]
    shown: Option<Box<Placement>>,
}

/// The whole workload on the cluster's own network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary<'a> {
    /// Name of the network.
    pub network: &'a str,
    /// Whether the GPU side compresses.
    pub compression: bool,
    /// Speedup from which an operator goes to the GPU.
    pub threshold: f64,
    /// All operators on CPUs / every operator where it is placed.
    pub speedup: f64,
    /// All operators on CPUs, seconds.
    pub cpu_seconds: f64,
    /// All operators on GPUs, seconds.
    pub gpu_seconds: f64,
    /// Every operator where it is placed, seconds.
    pub placed_seconds: f64,
    /// Seconds that pinned operators cost.
    pub pin_seconds: f64,
    /// Operators placed on CPU.
    pub on_cpu: usize,
    /// Operators placed on GPU.
    pub on_gpu: usize,
    /// Share of the CPU time that moves to GPUs, 0 … 1.
    pub moved_share: f64,
    /// Speedup if everything that moves took no time; absent if everything moves.
    pub amdahl_limit: Option<f64>,
    /// The bottleneck of the placed workload.
    pub bound_by: &'static str,
    /// Its share of the placed time, 0 … 1.
    pub bound_by_share: f64,
}

/// One operator on one network, with or without compression.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation<'a> {
    /// Name of the operator.
    pub operator: &'a str,
    /// Name of the network.
    pub network: &'a str,
    /// Whether the GPU side compresses.
    pub compression: bool,
    /// Time on CPUs, seconds.
    pub cpu_seconds: f64,
    /// Time on GPUs, seconds.
    pub gpu_seconds: f64,
    /// `cpu_seconds / gpu_seconds`.
    pub speedup: f64,
    /// "cpu" or "gpu": where the operator is placed.
    pub placement: &'static str,
    /// "cpu" or "gpu": where the model would place the operator without its pin.
    pub recommended_side: &'static str,
    /// Whether the user pinned the placement.
    pub pinned: bool,
    /// How far the speedup lies above the threshold, percent; negative below it.
    pub margin_percent: f64,
    /// Where the seconds go.
    pub breakdown: Sides,
    /// Why, in one sentence.
    pub reason: &'a str,
    /// By parameter: the value at which the placement flips, all other numbers unchanged; absent if the
    /// placement is the same over the parameter's whole range.
    #[serde(serialize_with = "as_map")]
    pub break_even: Vec<(String, Option<f64>)>,
    /// By parameter that has a break-even: whether the model recommends the GPU "above" or "below" it.
    #[serde(serialize_with = "as_map")]
    pub break_even_gpu_recommended: Vec<(String, &'static str)>,
}

/// Seconds by term on either side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sides {
    /// On CPUs; adds up to `cpu_seconds`.
    #[serde(serialize_with = "as_map")]
    pub cpu: Vec<(&'static str, f64)>,
    /// On GPUs; adds up to `gpu_seconds`.
    #[serde(serialize_with = "as_map")]
    pub gpu: Vec<(&'static str, f64)>,
    /// Time that runs at the same time as something longer and counts nowhere; absent without overlap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Box<Sides>>,
}

/// The records of an outcome, and of the decision for the study's query plan if it has one: `whole` is of [`in_shown_engines`].
#[must_use]
pub fn recommendations<'a>(
    scenario: &'a str,
    study: &'a Placement,
    outcome: &'a Outcome,
    whole: Option<&'a Whole>,
) -> Recommendations<'a> {
    let summary = &outcome.summary;
    let decided = study.query.as_deref().zip(whole);
    let shown = decided.map(|_| Box::new(in_shown_engines(study)));
    let engines = shown.as_ref().and_then(|shown| shown.engines.as_deref());
    let decision = decided.and_then(|_| decision(study));
    Recommendations {
        study: "placement",
        scenario,
        summary: decided.is_none().then(|| Summary {
            network: &study.networks[summary.variant.network].name,
            compression: summary.variant.compression,
            threshold: study.policy.threshold,
            speedup: summary.speedup(),
            cpu_seconds: summary.cpu_seconds,
            gpu_seconds: summary.gpu_seconds,
            placed_seconds: summary.placed_seconds,
            pin_seconds: summary.pin_seconds(),
            on_cpu: summary.on_cpu,
            on_gpu: summary.on_gpu,
            moved_share: summary.moved_share,
            amdahl_limit: Some(summary.amdahl_limit()).filter(|limit| limit.is_finite()),
            bound_by: summary.bound_by.0.key(),
            bound_by_share: summary.bound_by.1,
        }),
        warnings: all_warnings(whole.map_or(&outcome.warnings, |whole| &whole.warnings), decision.as_ref()),
        plan: decided.map(|(query, whole)| PlanRecord::new(query, whole, engines, decision.map(DecisionRecord::new))),
        rows: outcome.rows.iter().filter(|_| decided.is_none()).map(|row| recommendation(study, row)).collect(),
        evaluated: (study, outcome),
        decided,
        shown,
    }
}

fn recommendation<'a>(study: &'a Placement, row: &'a Row) -> Recommendation<'a> {
    let operator = &study.operators[row.operator];
    let break_evens = break_evens(study, row.operator, row.variant);
    let found = || break_evens.iter().map(|(axis, found)| (axis.key(), *found));
    Recommendation {
        operator: &operator.name,
        network: &study.networks[row.variant.network].name,
        compression: row.variant.compression,
        cpu_seconds: row.cost.cpu.total(),
        gpu_seconds: row.cost.gpu.total(),
        speedup: row.speedup(),
        placement: key(row.placement),
        recommended_side: key(row.recommended_side),
        pinned: operator.pin.is_some(),
        margin_percent: 100.0 * row.margin(),
        breakdown: Sides {
            cpu: by_term(&row.cost.cpu.seconds),
            gpu: by_term(&row.cost.gpu.seconds),
            hidden: hidden(&row.cost.cpu, &row.cost.gpu).map(Box::new),
        },
        reason: &row.reason,
        break_even: found().map(|(key, found)| (key, found.map(|found| found.value))).collect(),
        break_even_gpu_recommended: found()
            .filter_map(|(key, found)| Some((key, found?.gpu_recommended.label())))
            .collect(),
    }
}

fn hidden(cpu: &Breakdown, gpu: &Breakdown) -> Option<Sides> {
    let hides = |breakdown: &Breakdown| breakdown.hidden.iter().any(|seconds| *seconds > 0.0);
    (hides(cpu) || hides(gpu)).then(|| Sides { cpu: by_term(&cpu.hidden), gpu: by_term(&gpu.hidden), hidden: None })
}

fn by_term(seconds: &[f64; Term::COUNT]) -> Vec<(&'static str, f64)> {
    Term::ALL.into_iter().map(|term| (term.key(), seconds[term as usize])).collect()
}

fn key(side: Side) -> &'static str {
    match side {
        Side::Cpu => "cpu",
        Side::Gpu => "gpu",
    }
}

impl Recommendations<'_> {
    /// As a report.
    #[must_use]
    pub fn text_report(&self) -> TextReport {
        let (study, outcome) = self.evaluated;
        let study = self.shown.as_deref().unwrap_or(study);
        report::text_report(self.scenario, study, outcome, self.decided, self.decision())
    }

    /// The decision between whole engines; `None` without engines or without a query.
    #[must_use]
    pub fn decision(&self) -> Option<&Decision> {
        Some(&self.plan.as_ref()?.decision.as_ref()?.decision)
    }

    /// The recommendations as text.
    ///
    /// JSON, RON and CSV keep every bit of every number; the reports for people round to four digits.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        let csv = || match self.decided {
            Some((query, whole)) => plan::csv(query, whole),
            None => spreadsheet::csv(self),
        };
        format.write(|| self.text_report(), || self, csv)
    }
}

#[cfg(test)]
mod tests {
    use crossover_measured::calibration::CostCurve;
    use crossover_placement::whole::decide;
    use crossover_placement::{Overlap, evaluate};
    use crossover_scenario::read;
    use serde_json::Value;

    use super::*;

    pub(super) fn published() -> Placement {
        read(include_str!("../../../../scenarios/placement-published.ron")).unwrap().placement().unwrap().clone()
    }

    pub(super) fn written(format: Format, study: &Placement) -> String {
        recommendations("Published setting", study, &evaluate(study), decide(study).as_ref()).write(format)
    }

    fn parsed(study: &Placement) -> Value {
        serde_json::from_str(&written(Format::Json, study)).unwrap()
    }

    /// Published speedups at M = 64, recomputed from the rational functions of the document to 4 decimals.
    #[test]
    fn json_holds_the_eight_published_speedups() {
        let document = parsed(&published());
        assert_eq!((&document["study"], &document["scenario"]), (&"placement".into(), &"Published setting".into()));
        let rows = document["rows"].as_array().unwrap();
        let (ethernet, infiniband) = ("10 Gb Ethernet", "100 Gb InfiniBand");
        let expected = [
            ("filter", ethernet, false, "0.9998", "cpu"),
            ("filter", ethernet, true, "3.1980", "gpu"),
            ("filter", infiniband, false, "0.9872", "cpu"),
            ("filter", infiniband, true, "0.7705", "cpu"),
            ("join", ethernet, false, "1.0173", "gpu"),
            ("join", ethernet, true, "3.2519", "gpu"),
            ("join", infiniband, false, "2.3162", "gpu"),
            ("join", infiniband, true, "1.8162", "gpu"),
        ];
        assert_eq!(rows.len(), expected.len());
        for (row, (operator, network, compression, speedup, placement)) in rows.iter().zip(expected) {
            assert_eq!(row["operator"], operator);
            assert_eq!(row["network"], network);
            assert_eq!(row["compression"], compression);
            assert_eq!(format!("{:.4}", row["speedup"].as_f64().unwrap()), speedup);
            assert_eq!(row["placement"], placement);
        }
    }

    #[test]
    fn the_breakdown_of_a_side_adds_up_to_its_seconds() {
        let document = parsed(&published());
        let rows = document["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 8, "two operators on two networks, each with and without compression");
        for row in rows {
            for (side, total) in [("cpu", "cpu_seconds"), ("gpu", "gpu_seconds")] {
                let terms = row["breakdown"][side].as_object().unwrap();
                let sum: f64 = terms.values().map(|seconds| seconds.as_f64().unwrap()).sum();
                assert!((sum / row[total].as_f64().unwrap() - 1.0).abs() < 1e-12, "{row}");
            }
            assert!(row["breakdown"].get("hidden").is_none(), "nothing overlaps in the published method");
        }
    }

    /// Break-even t at threshold 1 and M = 64: published 8.7302 ms for the filter without compression; a
    /// compressed result is faster on GPUs over Ethernet at every t.
    #[test]
    fn a_break_even_is_a_number_or_null_and_says_on_which_side_the_gpu_is_faster() {
        let document = parsed(&published());
        let (plain, compressed) = (&document["rows"][0], &document["rows"][1]);
        let t = plain["break_even"]["cpu_seconds_per_100mb"].as_f64().unwrap();
        assert_eq!(format!("{t:.4e}"), "8.7302e-3");
        assert_eq!(plain["break_even_gpu_recommended"]["cpu_seconds_per_100mb"], "above");
        assert_eq!(compressed["break_even"].get("cpu_seconds_per_100mb"), Some(&Value::Null));
        assert_eq!(compressed["break_even_gpu_recommended"].get("cpu_seconds_per_100mb"), None);
        assert_eq!(compressed["break_even_gpu_recommended"]["network_ratio"], "below");
    }

    #[test]
    fn a_pin_shows_where_the_operator_would_pay_and_what_it_costs() {
        let mut study = published();
        study.operators[1].pin = Some(Side::Cpu);
        let document = parsed(&study);
        let join = &document["rows"][6];
        assert_eq!(
            (&join["placement"], &join["recommended_side"], &join["pinned"]),
            (&"cpu".into(), &"gpu".into(), &true.into())
        );
        // Four rounds of 4 s on CPU, a 64th of that and the bus on GPU; the network is the same.
        let cost = document["summary"]["pin_seconds"].as_f64().unwrap();
        assert!((cost - (16.0 * (1.0 - 1.0 / 64.0) - 4.4 / 12.8)).abs() < 1e-9, "{cost}");
    }

    #[test]
    fn time_hidden_by_overlap_is_listed_apart() {
        let mut study = published();
        study.policy.overlap = Overlap::Everything;
        let row = &parsed(&study)["rows"][0];
        // Over 1 Gbit/s the network (888.9 s) hides the CPU's work, 4 · 0.05 s.
        let hidden = &row["breakdown"]["hidden"]["cpu"];
        let work = hidden["compute"].as_f64().unwrap() + hidden["aggregation_compute"].as_f64().unwrap();
        assert!((work - 0.2).abs() < 1e-12, "{hidden}");
        assert_eq!(row["breakdown"]["cpu"]["compute"], 0.0);
    }

    #[test]
    fn where_everything_moves_there_is_no_amdahl_limit() {
        let mut study = published();
        study.policy.network = "10 Gb Ethernet".to_owned();
        study.policy.compression = true;
        let summary = &parsed(&study)["summary"];
        assert_eq!((&summary["on_cpu"], &summary["on_gpu"]), (&0.into(), &2.into()));
        assert_eq!(summary["amdahl_limit"], Value::Null);
    }

    #[test]
    fn ron_holds_the_same_values_as_json() {
        let mut study = published();
        study.operators[0].name = "a \"quoted\" name".to_owned();
        study.operators[1].gpu_curve = Some(CostCurve { fixed_seconds: 0.1, gb_per_s: 3.0 });
        let json = parsed(&study);
        let ron: ron::Value = ron::from_str(&written(Format::Ron, &study)).unwrap();
        let find = |value: &ron::Value, key: &str| match value {
            ron::Value::Map(map) => map[&ron::Value::String(key.to_owned())].clone(),
            other => panic!("{other:?} has no {key}"),
        };
        let ron::Value::Seq(rows) = find(&ron, "rows") else { panic!("rows are a list") };
        for (row, expected) in rows.iter().zip(json["rows"].as_array().unwrap()) {
            assert_eq!(find(row, "speedup").into_rust::<f64>().unwrap(), expected["speedup"].as_f64().unwrap());
            assert_eq!(find(row, "operator").into_rust::<String>().unwrap(), expected["operator"].as_str().unwrap());
            let network = find(&find(&find(row, "breakdown"), "gpu"), "network");
            assert_eq!(network.into_rust::<f64>().unwrap(), expected["breakdown"]["gpu"]["network"].as_f64().unwrap());
        }
        assert_eq!(rows.len(), 8);
    }
}
