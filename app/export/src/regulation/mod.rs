//! The outcome of a regulation study: as records for programs, and as reports for people.

mod report;
mod stability;
mod steps;
mod tuning;

pub use stability::{stability_csv, stability_json};
pub use steps::{Record, Steps, all_steps_csv};
pub use tuning::{Rule, Tuning};

use crossover_quantity::text::TextReport;
use crossover_regulation::{
    Comparison as ClusterComparison, Figures, Loads, Outcome, PowerLaw, Regulation, State, StrategyRun,
};
use serde::Serialize;

use super::Format;

/// The results of a regulation study, as JSON and RON have them.
#[derive(Debug, Clone, Serialize)]
pub struct Results<'a> {
    /// "regulation", so that a reader of many studies can tell them apart.
    pub study: &'static str,
    /// Name of the scenario.
    pub scenario: &'a str,
    /// Name of the controller whose result is `after`.
    pub controller: &'a str,
    /// How power grows with frequency: "linear", "square", "cube" or "measured".
    pub power_law: &'static str,
    /// Periods from the last change of demand until the last actuator action; null if it does not settle.
    pub settling_periods: Option<usize>,
    /// Largest error of opposite sign ÷ largest error before the first zero crossing; the largest of
    /// all clusters.
    pub overshoot: f64,
    /// Mean |p_p − p_d| over the averaged periods; the largest of all clusters.
    pub steady_state_error: f64,
    /// Integral of |p_p − p_d| over the run, summed over the clusters, seconds.
    pub integral_absolute_error: f64,
    /// Actions that moved something, all clusters together.
    pub actions: usize,
    /// What the clusters deliver without control.
    pub before: Delivered<'a>,
    /// What they deliver with the controller.
    pub after: Delivered<'a>,
    /// The table of the published method: every cluster at light and at full load, before and after.
    pub comparison: Vec<Comparison<'a>>,
    /// Every strategy: no control, round robin, load-proportional, then every controller.
    pub strategies: Vec<Strategy<'a>>,
    /// Warnings about the numbers.
    pub warnings: Vec<String>,
    /// Name of the strategy whose periods follow.
    pub steps_of: &'a str,
    /// Every period of that strategy, cluster by cluster.
    pub steps: Steps<'a>,
    /// The source of the records, from which reports for people are made.
    #[serde(skip)]
    evaluated: (&'a Regulation, &'a Outcome),
}

/// What all clusters deliver; throughput, occupancy and power are means over the averaged periods.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Delivered<'a> {
    /// Throughput, TOPS.
    pub tops: f64,
    /// Power of the clusters and of the pool, W.
    pub power: f64,
    /// Throughput for power against that without control, which is 1; null if nothing is served without control.
    pub relative_efficiency: Option<f64>,
    /// Energy for work, joules for 10^12 operations; null if nothing is served.
    pub joules_per_tera_operation: Option<f64>,
    /// Energy of the whole run, kWh.
    pub energy_kwh: f64,
    /// What that costs, US dollars.
    pub cost: f64,
    /// vGPUs that belong to no cluster at the end.
    pub pool: f64,
    /// One for each cluster.
    pub clusters: Vec<Cluster<'a>>,
}

/// What one cluster delivers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cluster<'a> {
    /// Name of the cluster.
    pub name: &'a str,
    /// vGPUs in the last period.
    pub vgpus: f64,
    /// Frequency in the last period, GHz.
    pub frequency_ghz: f64,
    /// Precision in the last period, with the share of the data in the level below: "int8", "int8, 35 % in int4".
    pub precision: String,
    /// Share of the data in the precision level below, in the last period.
    pub converted_share: f64,
    /// Voltage in the last period, relative to that of the base power.
    pub voltage: f64,
    /// Concurrent tasks of each vGPU in the last period.
    pub concurrency: f64,
    /// p_p, PCIe occupancy, 0 … 1, mean.
    pub pcie_occupancy: f64,
    /// p_d, compute load, 0 … 1, mean.
    pub load: f64,
    /// Throughput, TOPS, mean.
    pub tops: f64,
    /// Power, W, mean.
    pub power: f64,
    /// |p_p − p_d|, mean.
    pub error: f64,
    /// Work that waits at the end, tera-operations.
    pub backlog: f64,
    /// Work rejected during the run, tera-operations.
    pub rejected: f64,
}

/// One cluster before and after, as the published method compares it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison<'a> {
    /// Name of the cluster.
    pub name: &'a str,
    /// Without control.
    pub before: AtLoads,
    /// With the controller.
    pub after: AtLoads,
}

/// A cluster at light and at full load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AtLoads {
    /// vGPUs.
    pub vgpus: f64,
    /// Frequency, GHz.
    pub frequency_ghz: f64,
    /// Precision, with the share of the data in the level below.
    pub precision: String,
    /// At light load.
    pub light: AtLoad,
    /// At full load.
    pub full: AtLoad,
}

/// A cluster at one load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AtLoad {
    /// p_p, PCIe occupancy, 0 … 1.
    pub pcie_occupancy: f64,
    /// p_d, compute load, 0 … 1.
    pub load: f64,
    /// Throughput, TOPS.
    pub tops: f64,
}

/// One strategy over the whole run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Strategy<'a> {
    /// "no control", "round robin", "load-proportional" or the name of a controller.
    pub name: &'a str,
    /// Whether it is a controller of the scenario.
    pub is_controller: bool,
    /// Periods from the last change of demand until the last actuator action; null if it does not settle.
    pub settling_periods: Option<usize>,
    /// Largest error of opposite sign ÷ largest error before the first zero crossing; the largest of
    /// all clusters.
    pub overshoot: f64,
    /// Mean |p_p − p_d| over the averaged periods; the largest of all clusters.
    pub steady_state_error: f64,
    /// Integral of |p_p − p_d| over the run, summed over the clusters, seconds.
    pub integral_absolute_error: f64,
    /// Actions that moved something, all clusters together.
    pub actions: usize,
    /// What the clusters deliver.
    pub delivered: Delivered<'a>,
}

/// The records of an outcome, with the steps of the chosen controller.
#[must_use]
pub fn results<'a>(scenario: &'a str, study: &'a Regulation, outcome: &'a Outcome) -> Results<'a> {
    let chosen = outcome.chosen();
    let Figures { settling_periods, overshoot, steady_state_error, integral_absolute_error, actions, .. } =
        chosen.figures;
    let compared = study.clusters.iter().zip(&outcome.comparison);
    Results {
        study: "regulation",
        scenario,
        controller: &chosen.name,
        power_law: match study.power.law {
            PowerLaw::Linear => "linear",
            PowerLaw::Square => "square",
            PowerLaw::Cube => "cube",
            PowerLaw::Measured => "measured",
        },
        settling_periods,
        overshoot,
        steady_state_error,
        integral_absolute_error,
        actions,
        before: delivered(study, outcome, outcome.before()),
        after: delivered(study, outcome, outcome.after()),
        comparison: compared.map(|(cluster, loads)| comparison(study, &cluster.name, loads)).collect(),
        strategies: outcome.runs().enumerate().map(|(index, run)| strategy(study, outcome, index, run)).collect(),
        warnings: outcome.every_warning(),
        steps_of: &chosen.name,
        steps: Steps { study, steps: &chosen.steps },
        evaluated: (study, outcome),
    }
}

fn strategy<'a>(study: &'a Regulation, outcome: &'a Outcome, index: usize, run: &'a StrategyRun) -> Strategy<'a> {
    let Figures { settling_periods, overshoot, steady_state_error, integral_absolute_error, actions, .. } = run.figures;
    Strategy {
        name: &run.name,
        is_controller: index >= outcome.baselines.len(),
        settling_periods,
        overshoot,
        steady_state_error,
        integral_absolute_error,
        actions,
        delivered: delivered(study, outcome, &run.figures.state),
    }
}

fn delivered<'a>(study: &'a Regulation, outcome: &Outcome, state: &State) -> Delivered<'a> {
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let (efficiency, before) = (state.tops_per_watt(), outcome.before().tops_per_watt());
    let clusters = study.clusters.iter().zip(&state.clusters).map(|(cluster, state)| Cluster {
        name: &cluster.name,
        vgpus: state.vgpus,
        frequency_ghz: state.frequency_ghz,
        precision: study.precision_text(state.precision, state.converted_share),
        converted_share: state.converted_share,
        voltage: state.voltage,
        concurrency: state.concurrency,
        pcie_occupancy: state.pcie,
        load: state.load,
        tops: state.tops,
        power: state.watts,
        error: state.error,
        backlog: state.backlog,
        rejected: state.rejected,
    });
    Delivered {
        tops: state.tops,
        power: state.watts,
        relative_efficiency: if efficiency == before { Some(1.0) } else { finite(efficiency / before) },
        joules_per_tera_operation: finite(state.joules_per_tera_operation()),
        energy_kwh: state.kwh,
        cost: state.cost,
        pool: state.pool,
        clusters: clusters.collect(),
    }
}

fn comparison<'a>(study: &Regulation, name: &'a str, comparison: &ClusterComparison) -> Comparison<'a> {
    let at_loads = |loads: &Loads| {
        let at = |index: usize| AtLoad {
            pcie_occupancy: loads.pcie[index],
            load: loads.load[index],
            tops: loads.tops[index],
        };
        AtLoads {
            vgpus: loads.vgpus,
            frequency_ghz: loads.frequency_ghz,
            precision: study.precision_text(loads.precision, loads.converted_share),
            light: at(0),
            full: at(1),
        }
    };
    Comparison { name, before: at_loads(&comparison.before), after: at_loads(&comparison.after) }
}

impl Results<'_> {
    /// As a report.
    #[must_use]
    pub fn text_report(&self) -> TextReport {
        report::text_report(self)
    }

    /// The same with the steps of another run of the same evaluation.
    #[must_use]
    pub fn with_steps_of<'r>(self, run: &'r StrategyRun) -> Results<'r>
    where
        Self: 'r,
    {
        let steps = Steps { study: self.evaluated.0, steps: &run.steps };
        Results { steps_of: &run.name, steps, ..self }
    }

    /// The results as text.
    ///
    /// JSON, RON and CSV keep every bit of every number; the reports for people round to four digits.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        format.write(|| self.text_report(), || self, || steps::csv(self))
    }
}

#[cfg(test)]
mod tests {
    use crossover_regulation::{PowerLaw, evaluate};
    use crossover_scenario::read;
    use crossover_study::sources;
    use serde_json::Value;

    use super::*;
    use crate::csv::parse;

    pub(super) fn published() -> Regulation {
        read(include_str!("../../../../scenarios/regulation-published.ron")).unwrap().regulation().unwrap().clone()
    }

    pub(super) fn written(format: Format, study: &Regulation) -> String {
        results("Published regulation", study, &evaluate(study)).write(format)
    }

    fn parsed(study: &Regulation) -> Value {
        serde_json::from_str(&written(Format::Json, study)).unwrap()
    }

    /// A short run, so that the whole text stays readable.
    pub(super) fn short() -> Regulation {
        let mut study = published();
        (study.run.periods, study.run.average_periods) = (10.0, 1.0);
        study
    }

    #[test]
    fn ron_holds_the_same_values_as_json() {
        let mut study = short();
        sources::rename(&mut study, "clusters", 0, "a \"quoted\" name");
        let json = parsed(&study);
        let ron: ron::Value = ron::from_str(&written(Format::Ron, &study)).unwrap();
        let find = |value: &ron::Value, key: &str| match value {
            ron::Value::Map(map) => map[&ron::Value::String(key.to_owned())].clone(),
            other => panic!("{other:?} has no {key}"),
        };
        let ron::Value::Seq(steps) = find(&ron, "steps") else { panic!("steps are a list") };
        assert_eq!(steps.len(), 20);
        for (step, expected) in steps.iter().zip(json["steps"].as_array().unwrap()) {
            assert_eq!(find(step, "u").into_rust::<f64>().unwrap(), expected["u"].as_f64().unwrap());
            assert_eq!(find(step, "cluster").into_rust::<String>().unwrap(), expected["cluster"].as_str().unwrap());
        }
        let tops = find(&find(&ron, "after"), "tops").into_rust::<f64>().unwrap();
        assert_eq!(tops, json["after"]["tops"].as_f64().unwrap());
    }

    #[test]
    fn csv_keeps_every_bit_and_no_name_is_a_formula() {
        let mut study = short();
        sources::rename(&mut study, "clusters", 0, "=\"cheese\", twice");
        let outcome = evaluate(&study);
        let records = parse(&results("", &study, &outcome).write(Format::Csv));
        let column = |name: &str| records[0].iter().position(|title| title == name).unwrap();
        assert_eq!(records.len(), 1 + 10 * 2);
        for (record, step) in records[1..].iter().zip(&outcome.chosen().steps) {
            assert_eq!(record.len(), records[0].len());
            assert_eq!(record[column("u")].parse(), Ok(step.output));
            assert_eq!(record[column("load")].parse(), Ok(step.load));
        }
        assert_eq!(records[1][column("cluster")], "'=\"cheese\", twice");
    }

    /// The columns are the fields of a JSON record, with the action's behind `action_`.
    #[test]
    fn csv_and_json_have_the_same_names() {
        let study = short();
        let json = parsed(&study);
        let mut names = vec!["strategy".to_owned()];
        // A JSON object does not keep its order here; the text does.
        let text = written(Format::Json, &study);
        let steps = text.split_once("\"steps\": [").unwrap().1;
        let first = steps.split_once("    },\n    {\n      \"period\"").unwrap().0;
        let mut inside = "";
        for line in first.lines().filter(|line| line.contains("\": ")) {
            let name = line.trim().split('"').nth(1).unwrap();
            let is_inside = line.starts_with("        ");
            if name == "action" {
                inside = "action_";
            } else {
                names.push(format!("{}{name}", if is_inside { inside } else { "" }));
            }
        }
        assert_eq!(names, parse(&written(Format::Csv, &study))[0]);
        assert_eq!(json["steps"].as_array().unwrap().len(), 20);
    }

    #[test]
    fn what_keeps_moving_has_no_settling_time_and_what_serves_nothing_no_energy_for_work() {
        let mut study = short();
        // Ten periods are too few: II gets 2 vGPUs in each of them.
        let document = parsed(&study);
        assert_eq!(document["settling_periods"], Value::Null);
        assert!(written(Format::Table, &study).contains("Settling time  not settled: "));
        for cluster in &mut study.clusters {
            cluster.demand.high_tops = 0.0;
        }
        let document = parsed(&study);
        assert_eq!(document["after"]["joules_per_tera_operation"], Value::Null);
        assert_eq!(document["after"]["relative_efficiency"], 1.0);
    }

    #[test]
    fn the_report_names_the_power_law_that_the_efficiency_holds_for() {
        let mut study = published();
        study.power.law = PowerLaw::Cube;
        study.power.price_per_kwh = 0.3;
        let text = written(Format::Table, &study);
        // 21,500 / 15,000 / ((50 + 150·1.331) / 200)
        assert!(
            text.contains("1.148× the throughput per watt without control, for power ∝ vGPUs × frequency³"),
            "{text}"
        );
        // 20 kW for ten minutes, at 0.3 dollars for a kilowatt-hour.
        assert!(text.contains("3.333 kWh → ") && text.contains("; cost 1 USD → "), "{text}");
    }
}
