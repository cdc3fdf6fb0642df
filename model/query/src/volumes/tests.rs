//! Volumes of plans whose metrics are worked out by hand.

use super::super::amount::Amount;
use super::super::grow::scale;
use super::super::node::{Metric, Source};
use super::*;

fn metric(name: &str, total: Option<f64>) -> Metric {
    Metric { name: name.to_owned(), unit: "sum".to_owned(), total }
}

fn scan(files: f64, bytes: f64) -> Node {
    Node {
        bytes_in: Some(Amount::reported(bytes)),
        rows_out: Some(Amount::reported(1000.0)),
        metrics: vec![metric("number of files read", Some(files))],
        ..Node::new("Scan parquet shop.sales", Kind::Scan)
    }
}

/// An exchange whose rows come from the next node.
fn exchange(name: &str, rows: f64, bytes: f64) -> Node {
    Node {
        inputs: vec![1],
        rows_out: Some(Amount::reported(rows)),
        bytes_out: Some(Amount::reported(bytes)),
        metrics: vec![metric("data size", Some(bytes))],
        ..Node::new(name, Kind::Shuffle)
    }
}

fn plan(nodes: Vec<Node>) -> Plan {
    Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() }
}

fn reported(nodes: Vec<Node>) -> Volumes {
    Volumes::reported(&plan(nodes)).expect("all is counted")
}

#[test]
fn a_plan_over_three_times_the_data_moves_three_times_as_much_in_as_many_files() {
    let now = plan(vec![exchange("Exchange", 1e6, 16e6), scan(100.0, 2e9)]);
    let more = Volumes::reported(&scale(&now, 3.0)).expect("the run is counted");
    assert_eq!(more, Volumes::reported(&now).expect("the run is counted").times(3.0));
    assert_eq!((more.read_gb, more.files, more.partitioned_scans), (6.0, 100.0, 0.0));
}

/// GB in columns of an exchange of 1e9 rows of these bytes, which come from this node.
fn exchanged(name: &str, row_bytes: f64, below: Node) -> f64 {
    let gb = reported(vec![exchange(name, 1e9, row_bytes * 1e9), below]).exchanges_gb;
    assert_eq!(gb.len(), 1);
    gb[0]
}

#[test]
fn rows_of_spark_are_larger_than_their_columns() {
    let of_scan = |row_bytes: f64| exchanged("Exchange", row_bytes, scan(1.0, 1.0));
    // Three whole numbers: 8 + 3 × 8 bytes as a row, 3 × 4 in columns. Seventy of them: two words of null bits.
    assert!((of_scan(32.0) - 12.0).abs() < 1e-9);
    assert!((of_scan(16.0 + 70.0 * 8.0) - 280.0).abs() < 1e-9);
    // A row without a field.
    assert_eq!(of_scan(8.0), 0.0);
    // A whole number and a text of 13 letters that three of five rows have: 8 + 8 + 8 bytes, and 16 where it is there. In columns
    // 4 + 4 + 13 × 0.6.
    let with_text = of_scan(24.0 + 16.0 * 0.6);
    assert!((with_text / 15.8 - 1.0).abs() < 0.1, "{with_text}");
}

#[test]
fn sums_have_8_bytes_in_columns() {
    let aggregate = |detail: &str| Node {
        detail: detail.to_owned(),
        inputs: vec![2],
        rows_out: Some(Amount::reported(1e9)),
        ..Node::new("HashAggregate", Kind::Aggregate)
    };
    let of = |row_bytes: f64, detail: &str| {
        let exchange = exchange("Exchange", 1e9, row_bytes * 1e9);
        reported(vec![exchange, aggregate(detail), scan(1.0, 1.0)]).exchanges_gb[0]
    };
    // Two keys, a sum and a count: 8 + 4 × 8 bytes as a row, 2 × 4 + 2 × 8 in columns.
    let both = of(40.0, "(keys=[store, coalesce(day, 0)], functions=[partial_sum(price), partial_count(1)])");
    assert!((both - 24.0).abs() < 1e-9, "{both}");
    let total = of(16.0, "(keys=[], functions=[partial_sum(price)])");
    assert!((total - 8.0).abs() < 1e-9, "{total}");
}

#[test]
fn engines_that_exchange_columns_count_them() {
    for name in ["ColumnarExchange", "CometExchange", "PhotonShuffleExchangeSink"] {
        assert!((exchanged(name, 20.0, scan(1.0, 1.0)) - 20.0).abs() < 1e-9, "{name}");
    }
    let coordinated = exchanged("Exchange(coordinator id: 12)", 32.0, scan(1.0, 1.0));
    assert!((coordinated - 12.0).abs() < 1e-9, "{coordinated}");
}

#[test]
fn what_is_reused_or_broadcast_is_not_exchanged_again() {
    let root = Node { inputs: vec![1, 2, 3], ..Node::new("Union", Kind::Union) };
    let first = Node { inputs: vec![4], ..exchange("Exchange", 1e9, 32e9) };
    let again = Node { reuses: Some(1), inputs: Vec::new(), ..exchange("Exchange", 1e9, 32e9) };
    let broadcast = Node { kind: Kind::Broadcast, inputs: vec![4], ..exchange("BroadcastExchange", 1e6, 32e6) };
    let volumes = reported(vec![root, first, again, broadcast, scan(3.0, 2e9)]);
    assert_eq!(volumes.exchanges_gb.len(), 1);
    assert_eq!((volumes.files, volumes.read_gb), (3.0, 2.0));
}

#[test]
fn files_are_counted_under_the_names_of_each_version() {
    for name in ["number of files read", "number of files", "number of result data files"] {
        let scan = Node { metrics: vec![metric(name, Some(7.0))], ..scan(0.0, 5e8) };
        let volumes = reported(vec![scan]);
        assert_eq!((volumes.files, volumes.read_gb, volumes.partitioned_scans), (7.0, 0.5, 0.0), "{name}");
    }
    // Iceberg's files, of which no stage counts the bytes.
    let metrics =
        vec![metric("number of result data files", Some(2.0)), metric("total data file size (bytes)", Some(3e9))];
    let iceberg = Node { metrics, bytes_in: None, ..scan(0.0, 0.0) };
    assert_eq!(reported(vec![iceberg]).read_gb, 3.0);
}

#[test]
fn of_whole_files_the_columns_count() {
    let read = |name: &str, bytes: f64| {
        let metrics = vec![metric("number of files read", Some(1.0)), metric("size of files read", Some(1e9))];
        let (rows, width) = (Some(Amount::reported(1e7)), Some(Amount::reported(20.0)));
        reported(vec![Node { name: name.to_owned(), metrics, rows_out: rows, row_width: width, ..scan(1.0, bytes) }])
            .read_gb
    };
    // The stage counted its bytes.
    assert_eq!(read("Scan parquet shop.sales", 3e8), 0.3);
    // It did not: 1e7 rows × 20 bytes × 0.36.
    assert!((read("Scan parquet shop.sales", 1e9) - 0.072).abs() < 1e-9);
    assert_eq!(read("Scan csv shop.sales", 1e9), 1.0);
}

#[test]
fn tables_in_partitions_are_known_by_a_metric_or_by_the_text() {
    let partitioned = |change: &dyn Fn(&mut Node)| {
        let mut scan = scan(2.0, 1e9);
        change(&mut scan);
        reported(vec![scan]).partitioned_scans
    };
    let of_spark_3 = partitioned(&|scan| scan.metrics.push(metric("number of partitions read", Some(2.0))));
    let of_spark_2 = partitioned(&|scan| scan.detail = "[a], Format: Parquet, PartitionCount: 2".to_owned());
    let of_source = partitioned(&|scan| {
        scan.source = Some(Box::new(Source { partition_columns: vec!["day".to_owned()], ..Source::default() }));
    });
    let without = partitioned(&|scan| scan.detail = "[a], PartitionFilters: [], PushedFilters: []".to_owned());
    assert_eq!([of_spark_3, of_spark_2, of_source, without], [1.0, 1.0, 1.0, 0.0]);
}

#[test]
fn scans_that_are_not_counted_leave_the_volumes_unknown() {
    let counted = |mut node: Node| {
        node.rows_out = node.rows_out.or(Some(Amount::reported(10.0)));
        node.metrics.push(metric("number of output rows", Some(10.0)));
        let plan = plan(vec![node]);
        assert_eq!(uncounted(&plan).is_empty(), Volumes::reported(&plan).is_some());
        uncounted(&plan).is_empty()
    };
    let cache =
        Node { class: Some("InMemoryTableScanExec".to_owned()), ..Node::new("InMemoryTableScan", Kind::Values) };
    assert!(!counted(cache));
    assert!(!counted(Node::new("Scan JDBCRelation(people)", Kind::Scan)));
    assert!(!counted(Node::new("Scan hive shop.notes", Kind::Scan)));
    assert!(!counted(Node::new("Scan ExistingRDD", Kind::Values)));
    assert!(!counted(Node::new("Scan", Kind::Values)));
    assert!(counted(Node::new("LocalTableScan", Kind::Values)));
    assert!(counted(scan(1.0, 1.0)));
}

#[test]
fn what_did_not_run_moves_nothing() {
    let metrics = vec![metric("number of files read", None), metric("number of output rows", None)];
    let idle = Node { metrics, bytes_in: None, rows_out: None, ..scan(0.0, 0.0) };
    let root = Node { inputs: vec![1, 2], ..Node::new("Union", Kind::Union) };
    let volumes = reported(vec![root, idle, scan(4.0, 1e9)]);
    assert_eq!((volumes.files, volumes.read_gb), (4.0, 1.0));
    // A text of a plan has no metrics at all.
    let scan = Node { metrics: Vec::new(), ..scan(0.0, 1e9) };
    assert_eq!(Volumes::reported(&plan(vec![scan])), None);
    let other = Plan { engine: "DuckDB 1.4".to_owned(), ..plan(vec![self::scan(1.0, 1e9)]) };
    assert_eq!(Volumes::reported(&other), None);
}

#[test]
fn stages_use_as_many_cores_as_they_have_tasks() {
    let stage = |seconds: f64, tasks: f64, slots: f64| StageRun {
        start: 1.0,
        end: 1.0 + seconds,
        tasks,
        slots,
        ..StageRun::default()
    };
    // Of 1,024 cores a scan of 3,000 files uses all for 10 s, and an exchange with 200 partitions 200 for 30 s.
    let stages = vec![stage(10.0, 3000.0, 1024.0), stage(30.0, 200.0, 1024.0)];
    let run = Plan { stages, ..plan(vec![scan(1.0, 1.0)]) };
    assert_eq!(Volumes::reported(&run).and_then(|volumes| volumes.lanes), Some(406.0));
    // A log without executors has no slots.
    let run = Plan { stages: vec![stage(5.0, 7.0, 0.0)], ..run };
    assert_eq!(Volumes::reported(&run).and_then(|volumes| volumes.lanes), Some(7.0));
    assert_eq!(reported(vec![scan(1.0, 1.0)]).lanes, None);
}

#[test]
fn operators_that_multiply_rows_are_counted() {
    let rows = |count: f64| Some(Amount::reported(count));
    let join = Node { inputs: vec![1, 2], ..Node::new("BroadcastNestedLoopJoin", Kind::Join) };
    let window = Node { inputs: vec![3], ..Node::new("Window", Kind::Window) };
    let expand = Node { inputs: vec![4], rows_out: rows(9000.0), ..Node::new("Expand", Kind::Expand) };
    let volumes = reported(vec![join, window, scan(1.0, 1.0), expand, scan(1.0, 1.0)]);
    assert_eq!((volumes.window_rows, volumes.expanded_rows, volumes.copies), (9000.0, 9000.0, 9.0));
    // The rows of the window with the thousand of the scan.
    assert_eq!(volumes.pairs, 9e6);
}
