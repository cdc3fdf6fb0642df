//! A placement study of an imported query.

use std::collections::BTreeMap;

use crossover_model::placement::{Class, Field, Operator, Parameter, Placement, Query as StudyQuery};
use crossover_model::plan::measured::measured_seconds_per_100mb;
use crossover_model::plan::{Graph, Kind, Numbers, Plan, fill};
use crossover_model::provenance::Provenance;

use crate::import::{Import, Query};

/// Cost of starting an operator on a GPU where nobody measured it, seconds.
const USUAL_FIXED_SECONDS: f64 = 0.002;
/// Bytes of a gigabyte.
const GB: f64 = 1e9;

/// A placement study of a query: hardware from `base`, the cluster's facts from the file where it has them, one
/// operator for each kind that the plan has, and the plan itself.
#[must_use]
pub fn placement(base: &Placement, import: &Import, query: &Query) -> Placement {
    let mut study = base.clone();
    let imported = Provenance::Imported { file: import.file.clone() };
    let ratio = query.compression_ratio;
    for (parameter, found) in [
        (Parameter::Machines, import.cluster.machines.map(|count| count as f64)),
        (Parameter::CpuParallelism, import.cluster.cores_per_machine.map(|count| count as f64)),
        (Parameter::GpusPerMachine, import.cluster.gpus_per_machine.map(|count| count as f64)),
        (Parameter::NetworkRatio, ratio),
    ] {
        let field = Field { parameter, index: 0 };
        if let (Some(found), Some(place)) = (found, field.value_mut(&mut study)) {
            *place = within(parameter, found);
            study.sources.insert(field.path(base), imported.clone());
        }
    }
    let numbers = fill(&query.plan);
    let measured = measured_seconds_per_100mb(&query.plan, &numbers);
    study.operators = operators(&query.plan, &numbers, &measured, study.cluster.machines);
    study.query = Some(Box::new(StudyQuery { plan: query.plan.clone(), ..StudyQuery::default() }));
    // Operators of the base that have the same names had other numbers.
    study.sources.retain(|path, _| !path.starts_with("operators."));
    study.purge_sources();
    for operator in &study.operators {
        let is_measured = operator.kind.is_some_and(|kind| measured.contains_key(&kind));
        let fields = ["input_gb", "output_ratio"].into_iter();
        for field in fields.chain(is_measured.then_some("cpu_seconds_per_100mb")) {
            study.sources.insert(format!("operators.{}.{field}", operator.name), imported.clone());
        }
    }
    study
}

/// One operator for each kind that the result of the plan needs: how much all of them read per machine, how much of it
/// they give, and what they cost.
fn operators(plan: &Plan, numbers: &[Numbers], measured: &BTreeMap<Kind, f64>, machines: f64) -> Vec<Operator> {
    let mut by_kind: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
    for id in Graph::new(plan, numbers).operators {
        by_kind.entry(plan.nodes[id].kind).or_default().push(id);
    }
    let operator = |(kind, ids): (Kind, Vec<usize>)| {
        let sum = |value: fn(&Numbers) -> f64| ids.iter().map(|id| value(&numbers[*id])).sum::<f64>();
        let (read, given) = (sum(|numbers| numbers.bytes_in.value), sum(|numbers| numbers.bytes_out.value));
        let seconds = measured.get(&kind).copied().unwrap_or(kind.usual_seconds_per_100mb());
        Operator {
            name: kind.label().to_owned(),
            class: Class::Linear,
            cpu_seconds_per_100mb: within(Parameter::CpuTime, seconds),
            input_gb: within(Parameter::InputSize, read / GB / machines),
            output_ratio: within(Parameter::OutputRatio, if read > 0.0 { given / read } else { 1.0 }),
            fixed_seconds: USUAL_FIXED_SECONDS,
            cpu_curve: None,
            gpu_curve: None,
            pin: None,
            kind: Some(kind),
        }
    };
    by_kind.into_iter().map(operator).collect()
}

/// The nearest value that a study takes.
fn within(parameter: Parameter, value: f64) -> f64 {
    let info = parameter.info();
    value.clamp(info.min, info.max)
}
