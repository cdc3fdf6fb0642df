//! A placement study of a Spark query.

use crossover_placement::{Node, Placement};
use crossover_plan::scenario::{self, Machines};
use crossover_plan::{Cluster, Import, Query};
use crossover_quantity::provenance::Provenance;
use crossover_query::Kind;
use crossover_scenario::read;
use crossover_study::validate;

use super::build::{With, node, plan, query, stage};

/// The published scenario: three operators, one of them called "filter", with published numbers.
fn base() -> Placement {
    let scenario = read(include_str!("../../../../scenarios/placement-published.ron")).expect("it is a scenario");
    scenario.placement().expect("it is a placement study").clone()
}

/// A filter of 100 million longs that a tenth pass, and a shuffle of these, 16 bytes each as rows of Spark, that
/// compresses to a quarter.
fn import() -> Import {
    let nodes = vec![
        node(0, "Exchange")
            .text("Exchange hashpartitioning(a#1, 8)")
            .stages(&[0])
            .metric("shuffle records written", "sum", 1, 1e7)
            .metric("data size", "size", 2, 1.6e8)
            .metric("shuffle bytes written", "size", 3, 4e7),
        node(1, "Filter").stages(&[0]).rows(4, 1e7),
        node(2, "Range").stages(&[0]).rows(5, 1e8),
    ];
    let plan = plan(&query(nodes, &[0]), &[stage(0, 20.0)]);
    let query = Query { id: "7".to_owned(), compression_ratio: Some(0.25), plan: plan.into(), ..Query::default() };
    let cluster = Cluster { machines: Some(4), cores_per_machine: Some(16), ..Cluster::default() };
    Import { file: "eventlog.zstd".to_owned(), queries: vec![query], cluster, ..Import::default() }
}

#[test]
fn a_query_becomes_a_study_with_an_operator_for_each_kind() {
    let import = import();
    let study = scenario::placement(&base(), Machines::OfFile, &import, &import.queries[0]);
    assert_eq!(validate(&study).map_err(|invalid| invalid.problem), Ok(()));
    let kinds: Vec<Option<Kind>> = study.operators.iter().map(|operator| operator.kind).collect();
    assert_eq!(kinds, [Some(Kind::Values), Some(Kind::Filter), Some(Kind::Shuffle)]);
    let filter = &study.operators[1];
    // 100 million longs of a range, 0.8 GB, over 4 machines, of which a tenth passes.
    assert!((filter.input_gb - 0.2).abs() < 1e-12, "{}", filter.input_gb);
    assert!((filter.output_ratio - 0.1).abs() < 1e-12, "{}", filter.output_ratio);
    assert_eq!(study.cluster.machines, 4.0);
    assert_eq!(study.node.cpu_parallelism, 16.0);
    assert_eq!(study.compression.network_ratio, 0.25);
    assert_eq!(study.query.as_ref().map(|query| &*query.plan), Some(&*import.queries[0].plan));
}

#[test]
fn numbers_of_the_log_say_so() {
    let import = import();
    let study = scenario::placement(&base(), Machines::OfFile, &import, &import.queries[0]);
    for path in [
        "cluster.machines",
        "node.cpu_parallelism",
        "compression.network_ratio",
        "operators.filter.input_gb",
        "operators.filter.output_ratio",
        "operators.filter.cpu_seconds_per_100mb",
        "operators.shuffle.cpu_seconds_per_100mb",
    ] {
        let source = study.sources.get(path).map(Provenance::describe);
        // What the operators read and how their stages' time is shared out is estimated in part.
        let part = if path.starts_with("operators.") { ", in part estimated" } else { "" };
        assert_eq!(source, Some(format!("Imported from eventlog.zstd{part}")), "{path}");
    }
}

#[test]
fn the_base_does_not_vouch_for_numbers_of_the_query() {
    let mut import = import();
    for node in &mut import.queries[0].plan.nodes {
        node.cpu_seconds = None;
    }
    let study = scenario::placement(&base(), Machines::OfFile, &import, &import.queries[0]);
    // The usual cost of a filter; that of the base has a published source, which is not this one.
    assert_eq!(study.operators[1].cpu_seconds_per_100mb, 0.005);
    assert_eq!(study.sources.get("operators.filter.cpu_seconds_per_100mb"), None);
    let unknown = study.sources.keys().find(|path| path.starts_with("operators.") && path.contains("join"));
    assert_eq!(unknown, None);
}

#[test]
fn what_the_log_does_not_say_stays_as_in_the_base() {
    let mut import = import();
    import.cluster = Cluster::default();
    import.queries[0].compression_ratio = None;
    let base = base();
    let study = scenario::placement(&base, Machines::OfFile, &import, &import.queries[0]);
    assert_eq!(study.cluster, base.cluster);
    assert_eq!(study.compression, base.compression);
    assert_eq!(study.sources.get("cluster.machines"), base.sources.get("cluster.machines"));
}

#[test]
fn machines_of_a_base_that_the_user_named_stay() {
    let import = import();
    let mut base = base();
    base.node.name = "a node".to_owned();
    base.node.memory_gb_per_s = Some(100.0);
    let study = scenario::placement(&base, Machines::OfBase, &import, &import.queries[0]);
    assert_eq!((&study.cluster, &study.gpu), (&base.cluster, &base.gpu));
    // 1.6 GB in 0.98 s: what Spark does is no matter of the machine.
    let node = Node { row_conversion_gb_per_s: Some(1.63), ..base.node.clone() };
    assert_eq!(study.node, node);
    let source = &study.sources["node.row_conversion_gb_per_s"];
    assert!(source.describe().contains("pull request 13842"), "{}", source.describe());
    assert_eq!(study.compression.network_ratio, 0.25);
    // 0.8 GB over the thousand machines of the base.
    assert!((study.operators[1].input_gb - 0.0008).abs() < 1e-12, "{}", study.operators[1].input_gb);
}

#[test]
fn cores_of_the_log_claim_no_type_of_cpu() {
    let import = import();
    let mut base = base();
    base.node.name = "a node".to_owned();
    base.node.memory_gb_per_s = Some(100.0);
    let study = scenario::placement(&base, Machines::OfFile, &import, &import.queries[0]);
    assert_eq!(study.node.name, "16 cores, as in eventlog.zstd");
    assert_eq!(study.node.memory_gb_per_s, None);
    assert_eq!(study.sources.get("node.memory_gb_per_s"), None);
}

#[test]
fn a_row_conversion_of_the_user_s_own_stays() {
    let import = import();
    let mut base = base();
    base.node.row_conversion_gb_per_s = Some(2.5);
    let study = scenario::placement(&base, Machines::OfFile, &import, &import.queries[0]);
    assert_eq!(study.node.row_conversion_gb_per_s, Some(2.5));
    // A plan of columns has none, and takes none over from a study of Spark.
    let mut columns = import.queries[0].clone();
    columns.plan.engine = "DuckDB 1.4".to_owned();
    let study = scenario::placement(&study, Machines::OfFile, &import, &columns);
    assert_eq!(study.node.row_conversion_gb_per_s, None);
}
