//! Scenarios side by side, for programs.

use crossover_decision::Decision;
use crossover_scenario::Kind;
use crossover_tools::compare::ComparedNumber;
use crossover_tools::paired::Against;
use serde::Serialize;

use super::{Named, Row};
use crate::decided::DecisionRecord;
use crate::described::{better, unit};

/// Everything, for programs.
#[must_use]
pub fn json(kind: Kind, named: &Named<'_>) -> String {
    let Named { names, comparison, paired, .. } = named;
    let (decisions, engines) = (&named.decisions.decisions, &named.decisions.figure_engines);
    let stated = |number: &ComparedNumber, place: usize| {
        number.values[place].map(|stated| Value { value: stated.value, source: stated.source })
    };
    let decided = |decision: &Option<Decision>| decision.clone().map(DecisionRecord::new);
    crate::json(&Record {
        study: kind.key(),
        scenarios: names,
        about: named.about(),
        figure_engines: engines.iter().any(Option::is_some).then_some(engines.as_slice()),
        decisions: decisions.iter().any(Option::is_some).then(|| decisions.iter().map(decided).collect()),
        differs_otherwise: &comparison.differs_otherwise,
        samples: paired.map(|paired| paired.samples),
        equal_numbers: comparison.same,
        numbers: comparison
            .numbers
            .iter()
            .map(|number| Number {
                path: &number.path,
                label: number.quantity.label,
                unit: unit(number.quantity.unit),
                values: (0..names.len()).map(|place| stated(number, place)).collect(),
            })
            .collect(),
        figures: named
            .rows()
            .map(|row @ Row { figure, paired }| Figure {
                key: &figure.key,
                label: &figure.label,
                unit: unit(figure.figure.unit),
                better: better(figure.figure.better),
                values: &figure.values,
                differences: (0..names.len()).map(|place| figure.difference(place)).collect(),
                ratios: (0..names.len()).map(|place| figure.ratio(place)).collect(),
                best: (0..names.len()).filter(|place| figure.is_best(*place)).collect(),
                ranges: paired.map(|_| (0..names.len()).map(|place| row.range(place)).collect()),
                missing: paired.map(|_| (0..names.len()).map(|place| row.missing(place)).collect()),
                against_baseline: paired
                    .map(|_| (0..names.len()).map(|place| row.against(place).map(AgainstBaseline::of)).collect()),
            })
            .collect(),
    })
}

#[derive(Serialize)]
struct Record<'a> {
    study: &'static str,
    scenarios: &'a [String],
    /// What figures and decisions are about; absent if no scenario has the application of its query.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    /// The engines and machines of the figures of each scenario; absent if none has engines and a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    figure_engines: Option<&'a [Option<[String; 2]>]>,
    /// What should run the query of each scenario, or its application, in whole engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<Vec<Option<DecisionRecord>>>,
    differs_otherwise: &'a [bool],
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<usize>,
    equal_numbers: usize,
    numbers: Vec<Number<'a>>,
    figures: Vec<Figure<'a>>,
}

#[derive(Serialize)]
struct Number<'a> {
    path: &'a str,
    label: &'a str,
    unit: &'a str,
    values: Vec<Option<Value>>,
}

#[derive(Serialize)]
struct Value {
    value: f64,
    source: &'static str,
}

#[derive(Serialize)]
struct Figure<'a> {
    key: &'a str,
    label: &'a str,
    unit: &'a str,
    better: &'static str,
    values: &'a [Option<f64>],
    differences: Vec<Option<f64>>,
    ratios: Vec<Option<f64>>,
    best: Vec<usize>,
    /// P5 and P95 of all samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranges: Option<Vec<Option<[f64; 2]>>>,
    /// Shares of all samples in which it has no value.
    missing: Option<Vec<Option<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    against_baseline: Option<Vec<Option<AgainstBaseline>>>,
}

/// A scenario against the baseline, over all samples.
#[derive(Serialize)]
struct AgainstBaseline {
    difference: [f64; 2],
    better: f64,
    better_error: f64,
    worse: f64,
    worse_error: f64,
}

impl AgainstBaseline {
    fn of(Against { difference, better, worse }: Against) -> Self {
        let (better_error, worse_error) = (better.error, worse.error);
        Self { difference, better: better.value, better_error, worse: worse.value, worse_error }
    }
}
