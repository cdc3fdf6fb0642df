//! A plan of Spark whose exchange and scan were counted. The tests of `crossover-fleet` read this file too.

use crossover_query::{Amount, Kind, Metric, Node, Plan};

/// A run of Spark that read 2 GB in 100 files and exchanged this data, as its log counts it.
pub(crate) fn counted(exchanged_gb: f64) -> Plan {
    let metric = |name: &str, total: f64| Metric { name: name.to_owned(), unit: "sum".to_owned(), total: Some(total) };
    let reported = |value: f64| Some(Amount::reported(value));
    let bytes = exchanged_gb * 1e9;
    let exchange = Node {
        inputs: vec![1],
        rows_out: reported(1e6),
        bytes_out: reported(bytes),
        metrics: vec![metric("data size", bytes)],
        ..Node::new("ColumnarExchange", Kind::Shuffle)
    };
    let scan = Node {
        rows_out: reported(1e6),
        bytes_in: reported(2e9),
        metrics: vec![metric("number of files read", 100.0)],
        ..Node::new("Scan parquet shop.sales", Kind::Scan)
    };
    Plan { engine: "Spark 3.5.3".to_owned(), nodes: vec![exchange, scan], ..Plan::default() }
}
