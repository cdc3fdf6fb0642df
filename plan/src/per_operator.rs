//! A placement study of the operators of queries, each alone: the published method, which places an operator without its neighbours.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crossover_placement::{Operator, Parameter, ParameterOf, Placement};
use crossover_quantity::provenance::Provenance;
use crossover_query::{Graph, Kind, fill};
use crossover_scenario::{Scenario, Study};
use thiserror::Error;

use crate::import::{Import, Query};
use crate::scenario::{GB, does, query_name, take_source, within};

/// No operator of the queries has costs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("none of its operators ({found}) has costs; costs are known of: {known}")]
pub struct NoCosts {
    found: String,
    known: String,
}

/// All operators of a kind in a query.
struct Group<'a> {
    query: &'a Query,
    kind: Kind,
    /// Bytes that they read over the whole cluster.
    read: f64,
    /// Whether a rule estimated some of these bytes.
    is_estimated: bool,
}

/// A scenario of the operators of queries, each alone, with the machines and the costs of `base`. All operators of a kind in
/// a query are one. It reads what the plan says; its class, its CPU time and its output ratio are those of the operator of
/// `base` for its kind. Operators without one there are left out, and a note names them.
///
/// # Errors
/// No operator is left.
pub fn scenario(base: &Placement, import: &Import, queries: &[Query]) -> Result<Scenario, NoCosts> {
    let groups: Vec<Group<'_>> = queries.iter().flat_map(groups).collect();
    let cost_of = |group: &Group<'_>| base.operators.iter().position(|operator| does(operator, Some(group.kind)));
    let (known, unknown): (Vec<&Group<'_>>, Vec<&Group<'_>>) =
        groups.iter().partition(|group| cost_of(group).is_some());
    let left_out: BTreeSet<&str> = unknown.iter().map(|group| group.kind.label()).collect();
    let left_out = left_out.into_iter().collect::<Vec<_>>().join(", ");
    if known.is_empty() {
        let names: Vec<&str> = base.operators.iter().map(|operator| operator.name.as_str()).collect();
        return Err(NoCosts { found: left_out, known: names.join(", ") });
    }

    let mut study = base.clone();
    study.query = None;
    study.clear_engines();
    let machines = study.cluster.machines;
    let costs: Vec<usize> = known.iter().filter_map(|group| cost_of(group)).collect();
    let mut queries_with: BTreeMap<Kind, usize> = BTreeMap::new();
    for group in &known {
        *queries_with.entry(group.kind).or_default() += 1;
    }
    let operator = |(group, cost): (&&Group<'_>, &usize)| Operator {
        name: name(group, queries_with[&group.kind] == 1),
        input_gb: within(Parameter::INPUT_SIZE, group.read / GB / machines),
        kind: None,
        ..base.operators[*cost].clone()
    };
    study.operators = known.iter().zip(&costs).map(operator).collect();
    // Sources of the base's operators apply only to values that are copied.
    study.sources.retain(|path, _| !path.starts_with("operators."));
    for (index, (group, cost)) in known.iter().zip(&costs).enumerate() {
        for parameter in Parameter::all().filter(|parameter| parameter.group() == "operators") {
            let from = ParameterOf { parameter, index: *cost }.path(base);
            take_source(&mut study, ParameterOf { parameter, index }, base.sources.get(&from));
        }
        let input = ParameterOf { parameter: Parameter::INPUT_SIZE, index }.path(&study);
        let file = if group.is_estimated { format!("{}, in part estimated", import.file) } else { import.file.clone() };
        study.sources.insert(input, Provenance::Imported { file });
    }
    study.purge_sources();

    let stem =
        Path::new(&import.file).file_stem().map_or_else(|| import.file.clone(), |stem| stem.to_string_lossy().into());
    let mut notes = format!("Imported from {}; each operator is placed alone.", import.file);
    if !left_out.is_empty() {
        notes.push_str(&format!("\nOperators without costs, left out: {left_out}."));
    }
    for warning in import.warnings.iter().chain(queries.iter().flat_map(|query| &query.warnings)) {
        notes.push_str(&format!("\n{warning}"));
    }
    let name = format!("{stem}, each operator alone");
    Ok(Scenario::new(name, notes, Study::Placement(study)))
}

/// The operators of a query by kind.
fn groups(query: &Query) -> Vec<Group<'_>> {
    let numbers = fill(&query.plan);
    let mut by_kind: BTreeMap<Kind, Group<'_>> = BTreeMap::new();
    for id in Graph::new(&query.plan, &numbers).operators {
        let kind = query.plan.nodes[id].kind;
        let read = numbers[id].bytes_in;
        let group = by_kind.entry(kind).or_insert(Group { query, kind, read: 0.0, is_estimated: false });
        group.read += read.value;
        group.is_estimated |= read.is_estimated();
    }
    by_kind.into_values().collect()
}

/// "join"; "join of query 2" where several queries have one.
fn name(group: &Group<'_>, is_only: bool) -> String {
    let label = group.kind.label();
    if is_only { label.to_owned() } else { format!("{label} of {}", query_name(group.query)) }
}

#[cfg(test)]
mod tests {
    use crossover_query::{Node, Plan};
    use crossover_study::validate;

    use super::*;

    fn published() -> Placement {
        let scenario = crossover_scenario::read(include_str!("../../scenarios/placement-published.ron"));
        scenario.expect("a valid scenario").placement().expect("a placement study").clone()
    }

    /// Two scans that the operator of a kind reads.
    fn query(id: &str, kind: Kind) -> Query {
        let node = |kind: Kind, inputs: &[usize]| Node { inputs: inputs.to_vec(), ..Node::new(kind.label(), kind) };
        let nodes = vec![node(kind, &[1, 2]), node(Kind::Scan, &[]), node(Kind::Scan, &[])];
        Query { id: id.to_owned(), plan: Plan { nodes, ..Plan::default() }.into(), ..Query::default() }
    }

    fn of(queries: &[Query]) -> Result<Scenario, NoCosts> {
        scenario(&published(), &Import { file: "a.sql".to_owned(), ..Import::default() }, queries)
    }

    #[test]
    fn an_operator_has_the_costs_of_its_kind_and_their_sources() {
        let scenario = of(&[query("1", Kind::Join)]).expect("a scenario");
        let study = scenario.placement().expect("a placement study");
        assert_eq!(validate(study), Ok(()));
        let [join] = &study.operators[..] else { panic!("one operator: {:?}", study.operators) };
        assert_eq!((join.name.as_str(), join.cpu_seconds_per_100mb, join.output_ratio), ("join", 0.2, 0.1));
        let source = |field: &str| study.sources.get(&format!("operators.join.{field}")).cloned();
        assert_eq!(source("cpu_seconds_per_100mb"), Some(Provenance::Published("step 150, join 200 ms".to_owned())));
        // Nothing states the size of the tables.
        assert_eq!(source("input_gb"), Some(Provenance::Imported { file: "a.sql, in part estimated".to_owned() }));
        assert!(scenario.notes.contains("left out: scan."), "{}", scenario.notes);
    }

    #[test]
    fn operators_of_one_kind_in_several_queries_are_named_by_their_query() {
        let queries = [query("1", Kind::Join), query("2", Kind::Join), query("3", Kind::Filter)];
        let scenario = of(&queries).expect("a scenario");
        let study = scenario.placement().expect("a placement study");
        assert_eq!(validate(study), Ok(()));
        let names: Vec<&str> = study.operators.iter().map(|operator| operator.name.as_str()).collect();
        assert_eq!(names, ["join of query 1", "join of query 2", "filter"]);
        let path = ParameterOf { parameter: Parameter::CPU_TIME, index: 1 }.path(study);
        assert!(matches!(study.sources.get(&path), Some(Provenance::Published(_))), "{path}");
    }

    #[test]
    fn without_an_operator_of_known_cost_there_is_no_scenario() {
        let why = of(&[query("1", Kind::Sort)]).expect_err("no costs").to_string();
        assert_eq!(why, "none of its operators (scan, sort) has costs; costs are known of: filter, join");
    }
}
