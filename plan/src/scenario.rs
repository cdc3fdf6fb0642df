//! A placement study of an imported query.

use std::collections::BTreeMap;
use std::path::Path;

use crossover_engine::Engines;
use crossover_placement::calibration::kinds;
use crossover_placement::{Class, Node, Operator, Parameter, ParameterOf, Placement, Query as StudyQuery};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::unit::Unit;
use crossover_query::{Amount, Graph, Kind, Numbers, Plan, fill, measured_seconds_per_100mb};
use crossover_scenario::{Scenario, Study};

use crate::import::{Cluster, Import, Query};
use crate::today::{is_same_engine, take_today};

/// Default fixed cost of an operator on a GPU, seconds; not measured.
const USUAL_FIXED_SECONDS: f64 = 0.002;
/// Bytes of a gigabyte.
pub(crate) const GB: f64 = 1e9;

/// The machines that a query is planned for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machines {
    /// Those of the base, which the user named: how many there are, their cores and their GPUs.
    OfBase,
    /// Those of the file: their number, cores and GPUs; values that it lacks are the base's. Of engines it is the CPU engine that
    /// runs on them, with the measured time of the query, if the file is of that engine.
    OfFile,
}

/// A scenario of a query: its study, its name, and notes with its origin and warnings.
#[must_use]
pub fn scenario(base: &Placement, machines: Machines, import: &Import, query: &Query) -> Scenario {
    let stem = || {
        Path::new(&import.file).file_stem().map_or_else(|| import.file.clone(), |stem| stem.to_string_lossy().into())
    };
    let application = if import.application.is_empty() { stem() } else { import.application.clone() };
    let study = Study::Placement(placement(base, machines, import, query));
    Scenario::new(format!("{application} · {}", query_name(query)), notes(import, query), study)
}

/// "query 12"; "the query" where it has no id.
#[must_use]
pub fn query_name(query: &Query) -> String {
    if query.id.is_empty() { "the query".to_owned() } else { format!("query {}", query.id) }
}

fn notes(import: &Import, query: &Query) -> String {
    let from =
        if import.engine.is_empty() { import.file.clone() } else { format!("{}, {}", import.file, import.engine) };
    let mut notes = format!("Imported from {from}.");
    if import.skipped_lines > 0 {
        notes.push_str(&format!("\nLines left out: {}.", Unit::Count.format(import.skipped_lines as f64)));
    }
    if let Some(failure) = &query.failure {
        notes.push_str(&format!("\nThe query failed: {failure}"));
    }
    for warning in import.warnings.iter().chain(&query.warnings) {
        notes.push_str(&format!("\n{warning}"));
    }
    notes
}

/// A placement study of a query: hardware from `base`, the machines as `machines` says, the compression of
/// shuffles from the file where it has it, one operator for each kind that the plan has, with what was measured of such
/// an operator of `base`, and the plan itself.
#[must_use]
pub fn placement(base: &Placement, machines: Machines, import: &Import, query: &Query) -> Placement {
    let mut study = base.clone();
    let imported = Provenance::Imported { file: import.file.clone() };
    let cluster = match machines {
        Machines::OfBase => Cluster::default(),
        Machines::OfFile => import.cluster.clone(),
    };
    for (parameter, found) in [
        (Parameter::MACHINES, cluster.machines.map(|count| count as f64)),
        (Parameter::CPU_PARALLELISM, cluster.cores_per_machine.map(|count| count as f64)),
        (Parameter::GPUS_PER_MACHINE, cluster.gpus_per_machine.map(|count| count as f64)),
        (Parameter::NETWORK_RATIO, query.compression_ratio),
    ] {
        let field = ParameterOf { parameter, index: 0 };
        if let Some(found) = found {
            field.set(&mut study, within(parameter, found));
            study.sources.insert(field.path(base), imported.clone());
        }
    }
    if let Some(cores) = cluster.cores_per_machine {
        // The file has no name of the CPU, so neither name nor memory bandwidth of the base applies.
        let unit = if cores == 1 { "core" } else { "cores" };
        study.node.name = format!("{} {unit}, as in {}", Unit::Count.format(cores as f64), import.file);
        study.node.memory_gb_per_s = None;
        study.sources.remove("node.memory_gb_per_s");
    }
    take_row_conversion(&mut study, &query.plan);
    let numbers = fill(&query.plan);
    let measured = measured_seconds_per_100mb(&query.plan, &numbers);
    study.operators = operators(&query.plan, &numbers, &measured, study.cluster.machines);
    // A trial of another engine starts from the settings of the log.
    let plan = Plan { settings: import.cluster.settings.clone(), ..(*query.plan).clone() };
    study.query = Some(Box::new(StudyQuery { plan: plan.into(), ..StudyQuery::default() }));
    // Sources of the base's operators apply only to values that are copied.
    study.sources.retain(|path, _| !path.starts_with("operators."));
    study.clear_run();
    study.purge_sources();
    if let Some(engines) = study.engines.as_deref_mut() {
        // Whatever machines are entered later, options and errors are those of the measured ones.
        engines.gpu.keep_fitted();
    }
    let is_of_engine = |engines: &Engines| is_same_engine(&import.engine, &engines.cpu.name);
    if machines == Machines::OfFile && study.engines.as_deref().is_some_and(is_of_engine) {
        take_today(&mut study, import, query);
    }
    take_measured(&mut study, base);
    for operator in &study.operators {
        let Some(kind) = operator.kind else { continue };
        let of_kind = || query.plan.nodes.iter().zip(&numbers).filter(|(node, _)| node.kind == kind && node.works());
        let is_guess = |figure: Amount| figure.is_estimated();
        let has_guess = |figure: fn(&Numbers) -> Amount| of_kind().any(|(_, numbers)| is_guess(figure(numbers)));
        let read = has_guess(|numbers| numbers.bytes_in);
        let mut fields = vec![("input_gb", read), ("output_ratio", read || has_guess(|numbers| numbers.bytes_out))];
        if measured.contains_key(&kind) {
            let seconds = of_kind().any(|(node, _)| node.cpu_seconds.is_some_and(is_guess));
            fields.push(("cpu_seconds_per_100mb", read || seconds));
        }
        for (field, has_guess) in fields {
            // Numbers that the file lacks are estimated by rules; numbers derived from them are marked.
            let file = if has_guess { format!("{}, in part estimated", import.file) } else { import.file.clone() };
            study.sources.insert(format!("operators.{}.{field}", operator.name), Provenance::Imported { file });
        }
    }
    study
}

/// Spark is row-based on CPUs, so data that moves between CPU and GPU is converted to columns or back. For other engines no conversion is
/// assumed.
fn take_row_conversion(study: &mut Placement, plan: &Plan) {
    let field = ParameterOf { parameter: Parameter::ROW_CONVERSION, index: 0 }.path(study);
    // Values that the user entered or measured are kept.
    let is_own = !matches!(study.sources.get(&field), Some(Provenance::Published(_)));
    if plan.is_of_spark() && study.node.row_conversion_gb_per_s.is_some() && is_own {
        return;
    }
    study.node.row_conversion_gb_per_s = plan.is_of_spark().then_some(Node::SPARK_ROW_CONVERSION);
    study.sources.remove(&field);
    if plan.is_of_spark() {
        let source = "NVIDIA/spark-rapids pull request 13842, 1.6 GB from columns to rows in 0.98 s of a task; the way back \
                      is assumed to be as fast";
        study.sources.insert(field, Provenance::Published(source.to_owned()));
    }
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
            cpu_seconds_per_100mb: within(Parameter::CPU_TIME, seconds),
            input_gb: within(Parameter::INPUT_SIZE, read / GB / machines),
            output_ratio: within(Parameter::OUTPUT_RATIO, if read > 0.0 { given / read } else { 1.0 }),
            fixed_seconds: USUAL_FIXED_SECONDS,
            cpu_curve: None,
            gpu_curve: None,
            pin: None,
            kind: Some(kind),
        }
    };
    by_kind.into_iter().map(operator).collect()
}

/// Copies the cost curves and measured fixed costs of `base`'s operators, with their sources.
fn take_measured(study: &mut Placement, base: &Placement) {
    for index in 0..study.operators.len() {
        let Some(from) = base.operators.iter().position(|operator| does(operator, study.operators[index].kind)) else {
            continue;
        };
        let field = |parameter, index| ParameterOf { parameter, index };
        let operator = &mut study.operators[index];
        (operator.cpu_curve, operator.gpu_curve) = (base.operators[from].cpu_curve, base.operators[from].gpu_curve);
        let source = |parameter| base.sources.get(&field(parameter, from).path(base));
        if matches!(source(Parameter::FIXED_COST), Some(Provenance::Measured { .. })) {
            operator.fixed_seconds = base.operators[from].fixed_seconds;
            take_source(study, field(Parameter::FIXED_COST, index), source(Parameter::FIXED_COST));
        }
        for parameter in [
            Parameter::CPU_CURVE_FIXED,
            Parameter::CPU_CURVE_RATE,
            Parameter::GPU_CURVE_FIXED,
            Parameter::GPU_CURVE_RATE,
        ] {
            take_source(study, field(parameter, index), source(parameter));
        }
    }
}

pub(crate) fn take_source(study: &mut Placement, field: ParameterOf, source: Option<&Provenance>) {
    if let Some(source) = source {
        study.sources.insert(field.path(study), source.clone());
    }
}

/// Whether an operator has the costs of a kind, by its kind or its name.
pub(crate) fn does(operator: &Operator, kind: Option<Kind>) -> bool {
    let Some(kind) = kind else { return false };
    if let Some(own) = operator.kind {
        return own == kind;
    }
    let wanted = kinds(kind.label());
    operator.name == kind.label() || !wanted.is_empty() && kinds(&operator.name).first() == wanted.first()
}

/// The nearest valid value of a study.
pub(crate) fn within(parameter: Parameter, value: f64) -> f64 {
    let info = parameter.info();
    value.clamp(info.min, info.max)
}

#[cfg(test)]
mod tests {
    use crossover_measured::calibration::CostCurve;
    use crossover_query::Node;
    use crossover_study::validate;

    use super::*;

    fn base() -> Placement {
        let scenario = crossover_scenario::read(include_str!("../../scenarios/placement-small.ron"));
        scenario.expect("a valid scenario").placement().expect("a placement study").clone()
    }

    /// A join of two scans, below a limit.
    fn query() -> Query {
        let node = |kind: Kind, inputs: &[usize]| Node { inputs: inputs.to_vec(), ..Node::new(kind.label(), kind) };
        let nodes =
            vec![node(Kind::Limit, &[1]), node(Kind::Join, &[2, 3]), node(Kind::Scan, &[]), node(Kind::Scan, &[])];
        Query { plan: Plan { nodes, ..Plan::default() }.into(), ..Query::default() }
    }

    #[test]
    fn measured_curves_of_the_base_stay_with_the_operator_whose_name_fits() {
        let mut base = base();
        let curve = CostCurve { fixed_seconds: 1e-4, gb_per_s: 7.0 };
        let measured = |interval| Provenance::Measured {
            device: "Example GPU".to_owned(),
            date: "2026-01-02".to_owned(),
            interval,
        };
        let join = base.operators.iter().position(|operator| operator.name == "hash join").expect("a join");
        base.operators[join].gpu_curve = Some(curve);
        base.operators[join].fixed_seconds = 5e-5;
        base.sources.insert("operators.hash join.gpu_curve.gb_per_s".to_owned(), measured((6.0, 8.0)));
        base.sources.insert("operators.hash join.fixed_seconds".to_owned(), measured((4e-5, 6e-5)));
        assert_eq!(validate(&base), Ok(()));

        let study = placement(&base, Machines::OfFile, &Import::default(), &query());
        assert_eq!(validate(&study), Ok(()));
        let of = |kind: Kind| study.operators.iter().find(|operator| operator.kind == Some(kind)).expect("an operator");
        assert_eq!((of(Kind::Join).gpu_curve, of(Kind::Join).fixed_seconds), (Some(curve), 5e-5));
        assert_eq!(study.sources.get("operators.join.gpu_curve.gb_per_s"), Some(&measured((6.0, 8.0))));
        assert_eq!(study.sources.get("operators.join.fixed_seconds"), Some(&measured((4e-5, 6e-5))));
        for kind in [Kind::Limit, Kind::Scan] {
            assert_eq!((of(kind).gpu_curve, of(kind).fixed_seconds), (None, USUAL_FIXED_SECONDS), "{kind:?}");
        }
    }

    #[test]
    fn a_scenario_has_the_notes_of_its_query_and_of_the_file_and_no_others() {
        let of = |note: &str| Query { warnings: vec![note.to_owned()], ..query() };
        let queries = vec![of("query 1 failed"), of("query 2 failed")];
        let import =
            Import { file: "log".to_owned(), warnings: vec!["a part".to_owned()], queries, ..Import::default() };
        let scenario = scenario(&base(), Machines::OfFile, &import, &import.queries[1]);
        assert_eq!(scenario.notes, "Imported from log.\na part\nquery 2 failed");
    }

    #[test]
    fn a_number_that_is_not_the_base_s_has_not_its_source() {
        let mut base = base();
        let preset = Provenance::Preset { entry: "an entry".to_owned(), source: "a table".to_owned() };
        base.operators[0].name = "scan".to_owned();
        base.sources.insert("operators.scan.cpu_seconds_per_100mb".to_owned(), preset);
        let study = placement(&base, Machines::OfFile, &Import::default(), &query());
        assert_eq!(study.sources.get("operators.scan.cpu_seconds_per_100mb"), None);
    }
}
