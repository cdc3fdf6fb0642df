//! Volumes by rules, of plans that are small enough to calculate by hand.

use super::*;
use crate::amount::{Amount, Rule};
use crate::node::{RowColumn, StoredValues};
use crate::operation::{AggregateStep, JoinMethod, JoinRows, Partitioning};

fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} instead of {expected}");
}

fn source(table: &str, columns: &[(&str, &str)], rows: f64) -> Source {
    Source {
        table: table.to_owned(),
        columns: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
        types: columns.iter().map(|(_, data_type)| (*data_type).to_owned()).collect(),
        table_rows: Some(rows),
        format: "parquet".to_owned(),
        ..Source::default()
    }
}

fn node(name: &str, kind: Kind, detail: &str, inputs: &[usize]) -> Node {
    Node { detail: detail.to_owned(), inputs: inputs.to_vec(), ..Node::new(name, kind) }
}

fn scan(source: Source, inputs: &[usize]) -> Node {
    Node { source: Some(Box::new(source)), ..node("Scan parquet", Kind::Scan, "", inputs) }
}

fn aggregate(step: AggregateStep, keys: &[&str], input: usize) -> Node {
    Node {
        keys: keys.iter().map(|key| vec![(*key).to_owned()]).collect(),
        operation: Some(Operation::Aggregate { step }),
        ..node("HashAggregate", Kind::Aggregate, "(keys=[item_sk], functions=[sum(price)])", &[input])
    }
}

fn joined(pair: [&str; 2], inputs: &[usize]) -> Node {
    let join = Operation::Join { rows: JoinRows::Inner, method: JoinMethod::BroadcastHash, build: None };
    Node {
        keys: vec![pair.map(str::to_owned).to_vec()],
        operation: Some(join),
        ..node("BroadcastHashJoin", Kind::Join, "[a], [b], Inner, BuildRight, false", inputs)
    }
}

/// Sales of one month, summed for each item: a table of a billion rows in 1,830 days, joined with a calendar that prunes it.
fn star() -> Plan {
    let by_item = Operation::Exchange { partitioning: Partitioning::Hash, partitions: Some(200) };
    let sales = Source {
        partition_columns: vec!["sold_date_sk".to_owned()],
        partition_filters: vec!["dynamicpruningexpression(sold_date_sk IN dynamicpruning)".to_owned()],
        folders: Some(1830),
        ..source("sales", &[("item_sk", "int"), ("price", "decimal(7,2)"), ("sold_date_sk", "")], 1e9)
    };
    let days = source("date_dim", &[("d_date_sk", "int"), ("d_year", "int"), ("d_moy", "int")], 73_049.0);
    let nodes = vec![
        aggregate(AggregateStep::Final, &["item_sk"], 1),
        Node {
            operation: Some(by_item),
            row_width: Some(Amount::estimated(20.0, Rule::ColumnTypes)),
            ..node("Exchange", Kind::Shuffle, "hashpartitioning(item_sk, 200)", &[2])
        },
        aggregate(AggregateStep::Partial, &["item_sk"], 3),
        joined(["sold_date_sk", "d_date_sk"], &[4, 5]),
        scan(sales, &[8]),
        node("BroadcastExchange", Kind::Broadcast, "", &[6]),
        node("Filter", Kind::Filter, "((isnotnull(d_year) AND (d_year = 2000)) AND (d_moy = 11))", &[7]),
        scan(days, &[]),
        Node { reuses: Some(5), ..node("ReusedSubquery", Kind::Wrapper, "sold_date_sk IN dynamicpruning", &[]) },
    ];
    Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() }
}

#[test]
fn a_month_of_sales_is_read_by_its_days() {
    let found = EstimatedVolumes::of(&star()).expect("a plan of Spark");
    // One year of 1,830 days and one month of twelve: 30.4375 days of the calendar.
    let days = 365.25 / 12.0;
    near(found.volumes.files, days + 1.0);
    let rows = 1e9 * days / 1830.0;
    // 2 bytes of a key and 2.5 of a decimal; of the calendar's 1,830 days, three columns of 2 bytes.
    near(found.volumes.read_gb, (rows * 4.5 + 1830.0 * 6.0) / 1e9);
    assert_eq!((found.volumes.partitioned_scans, found.depth), (1.0, 1.0));
    // Every sale of these days meets its day once.
    near(found.grouped_rows, rows);
    assert!(found.has_sizes && found.assumed.is_empty(), "{found:?}");
}

#[test]
fn a_partial_aggregate_sends_the_groups_of_each_task() {
    let found = EstimatedVolumes::of(&star()).expect("a plan of Spark");
    // Files of 4 MB and rows of 60 bytes make tasks of 128 MB; a key of an unknown table has 1,000 values, which all of these
    // tasks meet. 20 bytes of Spark's types are 12 in columns.
    let (days, rows) = (365.25 / 12.0, 1e9 * 365.25 / 12.0 / 1830.0);
    let tasks = (days * 4e6 + rows * 60.0) / 128e6;
    assert!((8.0..9.0).contains(&tasks));
    let [exchange] = found.volumes.exchanges_gb[..] else { panic!("{found:?}") };
    near(exchange, tasks * 1000.0 * 12.0 / 1e9);
}

#[test]
fn what_the_plan_does_not_state_is_assumed_and_said() {
    let mut plan = star();
    if let Some(sales) = &mut plan.nodes[4].source {
        (sales.table_rows, sales.folders, sales.format) = (None, None, "lance".to_owned());
    }
    let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
    let expected = [
        "the plan has no size of sales: a million rows are assumed",
        "the plan does not list the partitions of sales: 1826 are assumed, a day each",
        "files of the format “lance” are read as Parquet",
    ];
    assert!(!found.has_sizes);
    assert_eq!(found.assumed, expected);
}

/// Here the column of the table in days and that of its calendar have one name.
#[test]
fn a_short_calendar_has_all_days() {
    let mut plan = star();
    let rename = |source: &mut Option<Box<Source>>, rows: f64, folders: Option<u64>| {
        if let Some(source) = source {
            (source.table_rows, source.folders) = (Some(rows), folders);
            source.columns.iter_mut().filter(|name| name.ends_with("date_sk")).for_each(|name| "day".clone_into(name));
            source.partition_columns.iter_mut().for_each(|name| "day".clone_into(name));
        }
    };
    rename(&mut plan.nodes[4].source, 1e9, Some(365));
    rename(&mut plan.nodes[7].source, 365.0, None);
    plan.nodes[3].keys = vec![vec!["day".to_owned()]];
    plan.nodes[6].detail = "(isnotnull(d_moy) AND (d_moy = 11))".to_owned();
    let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
    near(found.volumes.files, 365.0 / 12.0 + 1.0);
    near(found.grouped_rows, 1e9 / 12.0);
}

#[test]
fn a_plan_that_ran_or_is_of_another_engine_has_no_volumes_by_rules() {
    let other = Plan { engine: "DuckDB 1.4".to_owned(), ..star() };
    assert_eq!(EstimatedVolumes::of(&other), None);
    let mut ran = star();
    ran.nodes[0].cpu_seconds = Some(Amount::reported(1.0));
    assert_eq!(EstimatedVolumes::of(&ran), None);
    let values = Plan { nodes: vec![node("LocalTableScan", Kind::Values, "", &[])], ..star() };
    assert_eq!(EstimatedVolumes::of(&values), None);
}

#[test]
fn rows_that_a_planner_or_a_stage_states_win_over_the_rules() {
    let mut plan = star();
    // All days of this calendar have sales.
    if let Some(days) = &mut plan.nodes[7].source {
        days.table_rows = Some(1830.0);
    }
    plan.nodes[6].rows_out = Some(Amount::estimated(61.0, Rule::Planner));
    let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
    near(found.volumes.files, 61.0 + 1.0);
    plan.nodes[1].bytes_out = Some(Amount::reported(3e9));
    let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
    assert_eq!(found.volumes.exchanges_gb, [3.0]);
}

/// The planner counts the days of all years of the calendar, of which five have sales.
#[test]
fn days_that_the_planner_expects_are_those_of_the_whole_calendar() {
    for (condition, planned, days) in [
        // A month in each of 200 years, of which five have sales.
        ("(d_moy = 11)", 73_049.0 / 12.0, 1830.0 / 12.0),
        // All days of the year have sales.
        ("(d_year = 2000)", 365.245, 365.245),
        // Nothing is known of these: an equal share of the days with sales at least.
        ("(d_holiday = Y)", 73_049.0 / 2.0, 1830.0 / 2.0),
    ] {
        let mut plan = star();
        plan.nodes[6].detail = condition.to_owned();
        plan.nodes[6].rows_out = Some(Amount::estimated(planned, Rule::Planner));
        let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
        near(found.volumes.files, days + 1.0);
    }
}

/// The planner counts rows of the whole table, of which the run reads some partitions.
#[test]
fn rows_that_the_planner_expects_of_a_scan_are_a_share_of_those_that_are_read() {
    let mut plan = star();
    plan.nodes[3].inputs = vec![9, 5];
    let planned = Some(Amount::estimated(5e8, Rule::Planner));
    plan.nodes.push(Node { rows_out: planned, ..node("Filter", Kind::Filter, "(price > 3.00)", &[4]) });
    let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
    near(found.grouped_rows, 1e9 / 2.0 * 365.25 / 12.0 / 1830.0);
}

#[test]
fn bytes_of_files_that_a_plan_states_are_read_by_columns_and_partitions() {
    let mut plan = star();
    if let Some(sales) = &mut plan.nodes[4].source {
        (sales.table_rows, sales.file_bytes, sales.table_columns) = (None, Some(40e9), Some(21.0));
    }
    let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
    // Two of 20 columns in the files, of these days; of the calendar as before.
    let share = 365.25 / 12.0 / 1830.0;
    near(found.volumes.read_gb, (40e9 * share * 2.0 / 20.0 + 1830.0 * 6.0) / 1e9);
    near(found.volumes.files, 365.25 / 12.0 + 1.0);
    // 4.5 bytes of these two columns make a row.
    near(found.grouped_rows, 40e9 * 0.1 / 4.5 * share);
    assert!(found.has_sizes && found.assumed.is_empty(), "{found:?}");
}

#[test]
fn files_of_a_table_without_partitions_follow_from_its_bytes() {
    let columns = [("a", "int"), ("b", "int")];
    let sized =
        Source { table_rows: None, file_bytes: Some(1e9), table_columns: Some(10.0), ..source("sales", &columns, 0.0) };
    let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes: vec![scan(sized.clone(), &[])], ..Plan::default() };
    let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
    // Each of 128 MB; two of ten columns.
    assert_eq!((found.volumes.files, found.volumes.read_gb), (8.0, 0.2));
    // Files that are read as a whole.
    let text = Source { format: "csv".to_owned(), ..sized };
    let plan = Plan { nodes: vec![scan(text, &[])], ..plan };
    let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
    assert_eq!((found.volumes.files, found.volumes.read_gb), (8.0, 1.0));
}

/// Twenty columns of two bytes: 40 bytes a row, where nothing but the columns is known.
#[test]
fn files_of_a_table_follow_from_its_columns_and_rows() {
    let sized = Source { table_columns: Some(20.0), ..source("sales", &[("a", "int"), ("b", "int")], 1e7) };
    let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes: vec![scan(sized, &[])], ..Plan::default() };
    let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
    assert_eq!((found.volumes.files, found.volumes.read_gb), (4.0, 0.04));
}

/// No table is in folders of days: the calendar is known by its key and its columns, and sales are of five of its years.
#[test]
fn a_calendar_is_known_without_partitions() {
    let mut plan = star();
    plan.nodes[4].inputs.clear();
    if let Some(sales) = &mut plan.nodes[4].source {
        sales.partition_columns.clear();
        sales.partition_filters.clear();
        sales.folders = None;
    }
    let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
    near(found.grouped_rows, 1e9 * 365.25 / 12.0 / 1826.0);
    // A table of as many rows that is no calendar: one of 73,049 keys for each row.
    "period".clone_into(&mut plan.nodes[3].keys[0][1]);
    if let Some(days) = &mut plan.nodes[7].source {
        "period".clone_into(&mut days.columns[0]);
    }
    let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
    assert!(found.grouped_rows < 1e9 * 0.01, "{found:?}");
}

#[test]
fn a_deep_plan_takes_no_recursion() {
    let count = 100_000;
    let filter = |id: usize| node("Filter", Kind::Filter, "(price > 3)", &[id + 1]);
    let mut nodes: Vec<Node> = (0..count).map(filter).collect();
    nodes.push(scan(source("sales", &[("price", "int")], 1e9), &[]));
    let plan = Plan { engine: "Spark 4.0".to_owned(), nodes, ..Plan::default() };
    assert!(EstimatedVolumes::of(&plan).is_some());
}

/// A list of tables for each column would have 400 million names.
#[test]
fn columns_that_joins_compare_know_their_tables_together() {
    let names: Vec<String> = (0..20_000).map(|place| format!("k{place}")).collect();
    let table = |(place, name): (usize, &String)| {
        scan(source(&format!("t{place}"), &[(name.as_str(), "int")], 1e6 + place as f64), &[])
    };
    let joins = names.windows(2).map(|pair| joined([pair[0].as_str(), pair[1].as_str()], &[]));
    let nodes = joins.chain(names.iter().enumerate().map(table)).collect();
    let tables = tables::Tables::new(&Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() });
    // The first table is the smallest.
    assert_eq!([tables.compared_values("k0"), tables.compared_values("k19999")], [Some(1e6); 2]);
}

/// A million rows of a number with ten values. In the order of the files, LZ4 writes a copy of 20 bytes, which takes 4, in 90 % of the rows.
/// After a sort, the order is unknown: 0.48 of 16 bytes. The first row has 20 bytes with its length; seven zeros become a copy of 3 bytes, and
/// a token is before its last word. A stream has two headers of 21 bytes, a block one.
#[test]
fn an_exchange_writes_what_lz4_leaves_of_its_rows() {
    let stored = Some(StoredValues { different: 10.0, changes: 1.0 });
    let exchange = Node {
        spark_row_bytes: Some(Amount::estimated(16.0, Rule::ColumnTypes)),
        row_columns: vec![RowColumn { name: "item_sk".to_owned(), text_bytes: None, stored }],
        ..node("Exchange", Kind::Gather, "SinglePartition", &[1])
    };
    for (kind, row) in [(Kind::Wrapper, 0.9 * 4.0), (Kind::Sort, 0.48 * 16.0)] {
        let sales = source("sales", &[("item_sk", "bigint")], 1e6);
        let nodes = vec![exchange.clone(), node("Between", kind, "", &[2]), scan(sales, &[])];
        let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() };
        let written = EstimatedVolumes::of(&plan).expect("a plan of Spark").written_gb.expect("rows of known size");
        near(written * 1e9, (1e6 - 1.0) * row + 17.0 + 42.0 + 21.0 * 20e6 / 32_768.0);
    }
}

/// Adaptive execution puts partitions together up to 1 MiB, so one task reads an exchange of 160,000 bytes. Without it, or if the query
/// states the number of partitions, 200 tasks read it, of 50 rows each. A task sends each of its shops once: one task has all 100 shops,
/// each of the 200 about 39.
#[test]
fn adaptive_execution_puts_small_partitions_together() {
    let exchange = |detail: &str, input: usize| Node {
        operation: Some(Operation::Exchange { partitioning: Partitioning::Hash, partitions: Some(200) }),
        spark_row_bytes: Some(Amount::estimated(16.0, Rule::ColumnTypes)),
        ..node("Exchange", Kind::Shuffle, detail, &[input])
    };
    let shuffled = |root: &str, origin: &str| {
        let columns = [("item", "bigint"), ("shop", "bigint"), ("sold", "")];
        let sales =
            Source { partition_columns: vec!["sold".to_owned()], folders: Some(10), ..source("sales", &columns, 1e4) };
        let nodes = vec![
            node(root, Kind::Wrapper, "", &[1]),
            exchange("hashpartitioning(shop, 200), ENSURE_REQUIREMENTS", 2),
            aggregate(AggregateStep::Partial, &["shop"], 3),
            exchange(&format!("hashpartitioning(item, 200), {origin}"), 4),
            scan(sales, &[]),
        ];
        let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() };
        let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
        found.shuffled_gb.expect("rows of known size") * 1e9
    };
    let of_200_tasks = 16.0 * (1e4 + 200.0 * 100.0 * (1.0 - (-0.5_f64).exp()));
    near(shuffled("AdaptiveSparkPlan", "ENSURE_REQUIREMENTS"), 16.0 * (1e4 + 100.0));
    near(shuffled("WholeStageCodegen (1)", "ENSURE_REQUIREMENTS"), of_200_tasks);
    near(shuffled("AdaptiveSparkPlan", "REPARTITION_BY_NUM"), of_200_tasks);
}

/// A million rows of a number with ten values, after a join with a table that is broadcast, which keeps their order; and after one with
/// sorted rows, which does not.
#[test]
fn a_join_with_broadcast_rows_keeps_the_order_of_the_files() {
    let stored = Some(StoredValues { different: 10.0, changes: 1.0 });
    let exchange = Node {
        spark_row_bytes: Some(Amount::estimated(16.0, Rule::ColumnTypes)),
        row_columns: vec![RowColumn { name: "item_sk".to_owned(), text_bytes: None, stored }],
        ..node("Exchange", Kind::Gather, "SinglePartition", &[1])
    };
    let per_row = |sides: [usize; 2], kind: Kind| {
        let nodes = vec![
            exchange.clone(),
            joined(["item_sk", "i_item_sk"], &sides),
            scan(source("sales", &[("item_sk", "bigint")], 1e6), &[]),
            node("Moved", kind, "", &[4]),
            scan(source("item", &[("i_item_sk", "bigint")], 10.0), &[]),
        ];
        let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() };
        let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
        found.written_gb.zip(found.shuffled_gb).map(|(written, rows)| written / rows).expect("rows of known size")
    };
    // Nine of ten rows take 4 of 16 bytes, and blocks of 32 KiB a header of 21 bytes.
    let header = 21.0 * 20.0 / 32_768.0;
    for sides in [[2, 3], [3, 2]] {
        let found = per_row(sides, Kind::Broadcast) * 16.0;
        assert!((found / (3.6 + header) - 1.0).abs() < 1e-3, "{found}");
    }
    assert!(per_row([2, 3], Kind::Sort) * 16.0 > 0.48 * 16.0);
}

/// Of a hundred rows one has another item than the row before. Distributed by items, such rows stay together, under whatever name; by
/// another column, the next row of a partition has another item with the probability 1 − e^(−200 × 0.01).
#[test]
fn a_renamed_key_of_an_exchange_is_a_column_of_its_table() {
    let stored = Some(StoredValues { different: 1e4, changes: 0.01 });
    let written = |key: &str, kind: Kind, projection: &str| {
        let exchange = Node {
            spark_row_bytes: Some(Amount::estimated(16.0, Rule::ColumnTypes)),
            row_columns: vec![RowColumn { name: "item_sk".to_owned(), text_bytes: None, stored }],
            ..node("Exchange", Kind::Shuffle, &format!("hashpartitioning({key}, 200)"), &[1])
        };
        let sales = source("sales", &[("item_sk", "bigint"), ("shop_sk", "bigint")], 1e6);
        let nodes = vec![exchange, node("Between", kind, projection, &[2]), scan(sales, &[])];
        let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() };
        EstimatedVolumes::of(&plan).expect("a plan of Spark").written_gb.expect("rows of known size")
    };
    let by_item = written("item_sk", Kind::Wrapper, "");
    near(written("item", Kind::Project, "[item_sk AS item]"), by_item);
    assert!(written("shop_sk", Kind::Wrapper, "") > 2.0 * by_item, "{by_item}");
}
