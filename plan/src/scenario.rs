//! A placement study of an imported query.

use std::collections::{BTreeMap, BTreeSet};

use crossover_model::placement::{Class, Field, Operator, Parameter, Placement, Query as StudyQuery};
use crossover_model::plan::{Kind, Numbers, Plan, fill};
use crossover_model::provenance::Provenance;

use crate::import::{Import, Query};

/// Cost of starting an operator on a GPU where nobody measured it, seconds.
const USUAL_FIXED_SECONDS: f64 = 0.002;
/// Bytes of a gigabyte.
const GB: f64 = 1e9;

/// A placement study of a query: hardware from `base`, the cluster's facts from the file where it has them, one
/// operator for each kind that the plan has, and the plan itself. What an operator costs is what the file measured,
/// else what `base` says of an operator of that kind or name, else what is usual.
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
    let (operators, measured) = operators(&base.operators, &query.plan, study.cluster.machines);
    study.operators = operators;
    study.query = Some(Box::new(StudyQuery { plan: query.plan.clone(), ..StudyQuery::default() }));
    study.purge_sources();
    for operator in &study.operators {
        for field in ["input_gb", "output_ratio"] {
            study.sources.insert(format!("operators.{}.{field}", operator.name), imported.clone());
        }
        if operator.kind.is_some_and(|kind| measured.contains(&kind)) {
            study.sources.insert(format!("operators.{}.cpu_seconds_per_100mb", operator.name), imported.clone());
        }
    }
    study
}

/// One operator for each kind of the plan: how much all of them read per machine, how much of it they give, and what
/// they cost. Besides, the kinds whose cost the plan itself says.
fn operators(known: &[Operator], plan: &Plan, machines: f64) -> (Vec<Operator>, BTreeSet<Kind>) {
    let numbers = fill(plan);
    let mut by_kind: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
    for (id, node) in plan.nodes.iter().enumerate() {
        if node.kind != Kind::Wrapper && node.reuses.is_none() {
            by_kind.entry(node.kind).or_default().push(id);
        }
    }
    let mut kinds_measured = BTreeSet::new();
    let operator = |(kind, ids): (Kind, Vec<usize>)| {
        let sum = |value: fn(&Numbers) -> f64| ids.iter().map(|id| value(&numbers[*id])).sum::<f64>();
        let (read, given) = (sum(|numbers| numbers.bytes_in.value), sum(|numbers| numbers.bytes_out.value));
        let measured: Option<f64> = ids.iter().map(|id| plan.nodes[*id].cpu_seconds.map(|seconds| seconds.value)).sum();
        let per_100mb = measured.filter(|_| read > 0.0).map(|seconds| seconds / (read / (0.1 * GB)));
        let (input_gb, output_ratio) = (read / GB / machines, if read > 0.0 { given / read } else { 1.0 });
        let usual = Operator {
            name: kind.label().to_owned(),
            class: Class::Linear,
            cpu_seconds_per_100mb: within(Parameter::CpuTime, kind.usual_seconds_per_100mb()),
            input_gb: within(Parameter::InputSize, input_gb),
            output_ratio: within(Parameter::OutputRatio, output_ratio),
            fixed_seconds: USUAL_FIXED_SECONDS,
            cpu_curve: None,
            gpu_curve: None,
            pin: None,
            kind: Some(kind),
        };
        if let Some(seconds) = per_100mb {
            kinds_measured.insert(kind);
            return Operator { cpu_seconds_per_100mb: within(Parameter::CpuTime, seconds), ..usual };
        }
        let of_kind = known.iter().find(|operator| operator.kind == Some(kind));
        let named = || known.iter().find(|operator| operator.kind.is_none() && operator.name == usual.name);
        match of_kind.or_else(named) {
            Some(known) => Operator {
                class: known.class,
                cpu_seconds_per_100mb: known.cpu_seconds_per_100mb,
                fixed_seconds: known.fixed_seconds,
                cpu_curve: known.cpu_curve,
                gpu_curve: known.gpu_curve,
                ..usual
            },
            None => usual,
        }
    };
    let operators = by_kind.into_iter().map(operator).collect();
    (operators, kinds_measured)
}

/// The nearest value that a study takes.
fn within(parameter: Parameter, value: f64) -> f64 {
    let info = parameter.info();
    value.clamp(info.min, info.max)
}
