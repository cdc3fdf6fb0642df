//! Samples against rows that the engines counted without EXPLAIN (`plan/samples/README.md`).

use crossover_plan::Format;
use crossover_query::{Node, Origin};

use super::{import, sample};

/// The one operator of a statement with this name and a detail that contains the marker.
fn operator<'a>(nodes: &'a [Node], name: &str, marker: &str) -> &'a Node {
    let mut found = nodes.iter().filter(|node| node.name == name && node.detail.contains(marker));
    let node = found.next().unwrap_or_else(|| panic!("no {name} with “{marker}”"));
    assert!(found.next().is_none(), "several {name} with “{marker}”");
    node
}

fn check(table: &str) {
    let mut reader = csv::Reader::from_path(sample(table)).expect("a table");
    let mut checked = 0;
    for row in reader.records() {
        let row = row.expect("a row");
        let (file, statement, name, marker) = (&row[0], row[1].parse::<usize>().expect("a number"), &row[2], &row[3]);
        let expected: f64 = row[4].parse().expect("a number");
        let imported = import(file);
        let node = operator(&imported.queries[statement - 1].plan.nodes, name, marker);
        let rows = node.rows_out.expect("rows");
        assert_eq!(rows.origin, Origin::Reported, "{file}: {name}");
        // PostgreSQL 15 rounds the rows of a loop.
        let loops = node.metric("Actual Loops").unwrap_or(1.0);
        let slack = if loops > 1.0 { loops / 2.0 } else { 0.0 };
        assert!((rows.value - expected).abs() <= slack, "{file}: {name} “{marker}”: {} ≠ {expected}", rows.value);
        checked += 1;
    }
    assert!(checked >= 20, "{checked}");
}

#[test]
fn duckdb_samples_have_the_rows_that_duckdb_counted() {
    check("expected-duckdb.csv");
}

#[test]
fn postgres_samples_have_the_rows_that_postgres_counted() {
    check("expected-postgres.csv");
}

#[test]
fn every_sample_is_recognised_by_its_content() {
    let mut seen = 0;
    for entry in std::fs::read_dir(sample("")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let expected = match name.split('-').next().unwrap() {
            "duckdb" => Format::DuckDb,
            "postgres" => Format::Postgres,
            "spark" if path.is_file() => Format::SparkPlan,
            _ => continue,
        };
        assert_eq!(Format::of(&path).unwrap(), expected, "{name}");
        seen += 1;
    }
    assert!(seen >= 20, "{seen}");
}

#[test]
fn a_plan_of_one_machine_says_so() {
    for name in ["duckdb-join.json", "postgres-parallel.json"] {
        let import = import(name);
        assert_eq!((import.cluster.machines, import.cluster.gpus_per_machine), (Some(1), None), "{name}");
        assert_eq!(import.file, name);
    }
}
