//! The log of `plan/samples/spark`, which a real Spark wrote: its rows are those that other statements counted.

use std::path::PathBuf;

use crossover_model::plan::{Kind, Node, Plan, fill};
use crossover_model::scenario::read;
use crossover_plan::{Control, Format, Import};

fn file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn import() -> Import {
    Format::SparkLog.read(&file("samples/spark/shop-eventlog.zstd"), &Control::default()).expect("the sample is a log")
}

/// What a statement of its own counted, see `make.py`.
fn counted(what: &str) -> f64 {
    let text = std::fs::read_to_string(file("samples/spark/shop-expected.csv")).expect("the counts are there");
    let (_, rows) = text
        .lines()
        .filter_map(|line| line.split_once(','))
        .find(|(name, _)| *name == what)
        .expect("the statement was counted");
    rows.parse().expect("a number")
}

fn plan(import: &Import, description: &str) -> Plan {
    let query = import.queries.iter().find(|query| query.description == description);
    query.expect("the query is in the log").plan.clone()
}

/// Rows that every operator of a kind gave, in the order of the plan.
fn rows(plan: &Plan, kind: Kind) -> Vec<f64> {
    let numbers = fill(plan);
    let works = |node: &Node| node.kind == kind && node.reuses.is_none();
    (0..plan.nodes.len()).filter(|id| works(&plan.nodes[*id])).map(|id| numbers[id].rows_out.value).collect()
}

#[test]
fn operators_give_the_rows_that_statements_of_their_own_counted() {
    let import = import();
    let revenue = plan(&import, "revenue by region and category");
    assert!(rows(&revenue, Kind::Filter).contains(&counted("sales of 2025")));
    assert_eq!(rows(&revenue, Kind::Join), [counted("sales of 2025 with customer"); 2]);
    assert_eq!(rows(&revenue, Kind::Sort)[0], counted("regions and categories"));

    let best = plan(&import, "best customers of each region");
    assert_eq!(rows(&best, Kind::Join), [counted("sales with customer")]);
    assert_eq!(rows(&best, Kind::Aggregate), [counted("customers with sales")]);

    let addresses = plan(&import, "addresses through user code");
    assert!(rows(&addresses, Kind::Filter).contains(&counted("first customers")));
    assert!(addresses.nodes.iter().any(|node| node.kind == Kind::UserCode), "{addresses:#?}");
}

#[test]
fn the_example_that_comes_along_is_this_log() {
    let text = std::fs::read_to_string(file("../scenarios/placement-spark.ron")).expect("the example is there");
    let scenario = read(&text).expect("the example is valid");
    let query = scenario.placement().and_then(|study| study.query.as_ref()).expect("a query");
    assert_eq!(query.plan, plan(&import(), "revenue by region and category"));
}
