//! Whole engines: what a plan makes them do, plans over larger tables, fits that find what is known, and the sum of parts.

mod additive;
mod fit;
mod grow;
mod whole;

use crossover_engine::{Engine, Engines, Partitioned};
use crossover_query::{Amount, Kind, Node, Plan, Source};

/// A node with these output rows, 10 bytes each, and a second of its own for each million.
fn node(kind: Kind, inputs: &[usize], rows: f64) -> Node {
    Node {
        inputs: inputs.to_vec(),
        rows_out: Some(Amount::reported(rows)),
        row_width: Some(Amount::reported(10.0)),
        cpu_seconds: Some(Amount::reported(rows / 1e6)),
        ..Node::new(kind.label(), kind)
    }
}

/// A scan of all rows of a table.
fn scan(table: &str, columns: &[&str], rows: f64) -> Node {
    let columns = columns.iter().map(|column| (*column).to_owned()).collect();
    let source = Source { table: table.to_owned(), columns, table_rows: Some(rows), ..Source::default() };
    Node { source: Some(Box::new(source)), rows_in: Some(Amount::reported(rows)), ..node(Kind::Scan, &[], rows) }
}

fn keys(keys: &[&[&str]]) -> Vec<Vec<String>> {
    keys.iter().map(|key| key.iter().map(|name| (*name).to_owned()).collect()).collect()
}

/// Sales by item and day, joined with the items: aggregate, join, two scans.
fn sales() -> Plan {
    let join = Node { keys: keys(&[&["item", "id"]]), ..node(Kind::Join, &[2, 3], 1e6) };
    let aggregate = Node { keys: keys(&[&["item"]]), ..node(Kind::Aggregate, &[1], 1e3) };
    let nodes = vec![aggregate, join, scan("sales", &["item", "day"], 1e6), scan("items", &["id"], 1e3)];
    Plan { engine: "DuckDB".to_owned(), nodes, ..Plan::default() }
}

/// Two clusters on which every term acts.
fn engines() -> Engines {
    let engine = Engine {
        name: "an engine".to_owned(),
        fitted_to: String::new(),
        measurement: None,
        machine: String::new(),
        usd_per_hour: None,
        machines: 4.0,
        lanes: 8.0,
        vcpus: None,
        network_gbit_per_s: 8.0,
        exchange_memory_gb: Some(0.001),
        start_seconds: 0.5,
        exchange_seconds: 0.25,
        work_ratio: 2.0,
        read_gb_per_s: Some(0.1),
        file_seconds: 0.01,
        exchange_ratio: 0.5,
        spill_gb_per_s: Some(0.2),
        error_factor_90: 2.0,
        time_ratio: 1.0,
    };
    Engines {
        gpu: Engine { lanes: 1.0, work_ratio: 0.1, read_gb_per_s: Some(2.0), ..engine.clone() },
        cpu: engine,
        speedup_error_factor_90: 2.0,
        broadcast_gb: 0.0,
        tables: vec![Partitioned { name: "sales".to_owned(), column: "day".to_owned(), parts: 100.0 }],
        ..Engines::plain()
    }
}
