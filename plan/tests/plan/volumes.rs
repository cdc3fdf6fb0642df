//! What the queries of logs move. Expected values were computed by another program from the lines of the decompressed log: totals
//! of metrics and sizes of rows; bytes of a row in columns follow from the types of its columns.

use std::path::{Path, PathBuf};

use crossover_needs::test_data;
use crossover_plan::{Control, Query, spark};
use crossover_query::{EstimatedVolumes, TableSizes, Volumes, before_run, grow};

fn queries(path: &Path) -> Vec<Query> {
    spark::read(path, &Control::default()).expect("a log").queries
}

fn shop() -> Vec<Query> {
    queries(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples/spark/shop-eventlog.zstd"))
}

/// The volumes of the query with this description.
fn volumes(queries: &[Query], description: &str) -> Volumes {
    let query = queries.iter().find(|query| query.description == description).expect("the query is in the log");
    Volumes::reported(&query.plan).expect("all is counted")
}

/// Exchanges, the largest first, MB.
fn exchanges_mb(volumes: &Volumes) -> Vec<f64> {
    let mut sizes: Vec<f64> = volumes.exchanges_gb.iter().map(|gb| gb * 1e3).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    sizes
}

#[test]
fn files_and_exchanges_of_the_sample_are_those_that_spark_counted() {
    let queries = shop();
    let revenue = volumes(&queries, "revenue by region and category");
    assert_eq!((revenue.files, revenue.partitioned_scans), (10.0, 0.0));
    let exchanged = exchanges_mb(&revenue);
    assert_eq!(exchanged.len(), 4);
    // 1,495,740 rows of customer (int), product (bigint) and amount (double) have 47,863,680 bytes as rows: 3 fields of 8 bytes
    // and null bits. In columns they have 4, 4 to 8, and 8 bytes.
    assert!((1_495_740.0 * 11.9e-6..=1_495_740.0 * 20e-6).contains(&exchanged[0]), "{exchanged:?}");
    // 400,000 rows of customer (int) and a region such as "region 1": 4, and 4 + 8 bytes.
    assert!((exchanged[1] / (400_000.0 * 16e-6) - 1.0).abs() < 0.3, "{exchanged:?}");

    let best = volumes(&queries, "best customers of each region");
    assert_eq!((best.files, best.window_rows, best.pairs), (6.0, 32.0, 0.0));
    assert_eq!(exchanges_mb(&best).len(), 3);
    let addresses = volumes(&queries, "addresses through user code");
    // Stage 34 read 26,446 bytes.
    assert_eq!((addresses.files, addresses.read_gb), (4.0, 26_446.0 / 1e9));
}

/// Spark 3.5 reads ahead in other threads and counts next to nothing: 214,425 bytes of two files with 30,019,647.
#[test]
fn a_scan_without_a_believable_count_read_its_columns() {
    let revenue = volumes(&shop(), "revenue by region and category");
    // All files have 58,097,747 bytes; the scans leave out the sale and the address, a hash of 64 letters.
    assert!(revenue.read_gb < 0.035 && revenue.read_gb > 0.01, "{}", revenue.read_gb);
}

#[test]
fn a_query_of_emr_has_the_volumes_of_its_log() {
    let Some(logs) = test_data("eventlogs") else { return };
    let queries = queries(&logs.join("emr_join_agg_attempt_4_eventlog.zstd"));
    let volumes = Volumes::reported(&queries[0].plan).expect("all is counted");
    // Stage 3 read 263,123,509 bytes of 2 files. 599,982 groups have 14,399,568 bytes as rows: a key of 4 bytes and a sum of 8,
    // each in a word, and null bits. Two broadcasts are no exchanges.
    assert!((volumes.read_gb - 0.263_123_509).abs() < 1e-12, "{}", volumes.read_gb);
    assert_eq!((volumes.files, volumes.partitioned_scans), (2.0, 0.0));
    assert_eq!(volumes.exchanges_gb.len(), 1);
    assert!((volumes.exchanges_gb[0] - 599_982.0 * 12e-9).abs() < 1e-12, "{volumes:?}");
    assert_eq!((volumes.window_rows, volumes.expanded_rows, volumes.pairs), (0.0, 0.0, 0.0));
    assert!(
        !queries[0].warnings.iter().any(|note| note.contains("are not counted in the log")),
        "{:?}",
        queries[0].warnings
    );
}

/// Files of Spark 2, which counts no rows of exchanges and names its metrics otherwise.
#[test]
fn a_log_of_spark_2_has_files() {
    let Some(logs) = test_data("eventlogs") else { return };
    let queries = queries(&logs.join("spark2-eventlog.zstd"));
    let volumes = Volumes::reported(&queries[2].plan).expect("all is counted");
    // Two scans of a file each, of 64 and 58 bytes.
    assert_eq!(volumes.files, 2.0);
    assert!((volumes.read_gb - 122e-9).abs() < 1e-15, "{}", volumes.read_gb);
}

/// Rows of a distributed collection are in no file.
#[test]
fn a_scan_of_a_collection_is_noted() {
    let Some(logs) = test_data("eventlogs") else { return };
    let queries = queries(&logs.join("aqeshuffle_eventlog.zstd"));
    assert_eq!(Volumes::reported(&queries[0].plan), None);
    let note = "files and data of 2 scans are not counted in the log (Scan): predictions for GPUs are less certain";
    assert!(queries[0].warnings.iter().any(|known| known == note), "{:?}", queries[0].warnings);
}

/// The text of a plan that never ran, over tables of stated sizes: 365 days of a million sales each. Expected values by hand, from the
/// rules of docs/model/engines.md.
#[test]
fn a_printed_plan_moves_what_the_rules_say() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples/spark-plan-formatted.txt");
    let plan = spark::explain::read(&path, &Control::default()).expect("a plan").queries.remove(0).plan;
    let stated = [("sales", 365e6), ("days", 365.0), ("items", 1e5)];
    let sizes: TableSizes = stated.into_iter().map(|(table, rows)| (table.to_owned(), rows)).collect();
    let found = EstimatedVolumes::of(&grow(&plan, &sizes).plan).expect("a plan of Spark");
    let near = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} instead of {expected}");
    };
    // One month of twelve, twice, of days that are not null; and a file of each other table.
    let share = 0.97 / 12.0;
    near(found.volumes.files, 2.0 * 365.0 * share + 2.0);
    // Item, region and price of the first scan, price of the second; day and month; item and brand.
    let sales = 365e6 * share;
    near(found.volumes.read_gb, (sales * (2.0 + 4.0 + 2.5 + 2.5) + 365.0 * 4.0 + 1e5 * 6.0) / 1e9);
    // A third of the sales has a price above the mean, three grouping sets copy them, and the mean groups all.
    near(found.grouped_rows, 3.0 * 0.33 * sales + sales);
    assert_eq!((found.volumes.partitioned_scans, found.volumes.copies, found.depth), (2.0, 3.0, 2.0));
    assert!(found.has_sizes && found.assumed.is_empty(), "{:?}", found.assumed);
    // Each of 200 tasks sends its groups of every set: of a hundred regions with a hundred brands, of the regions, and of all. A group has
    // two texts, the number of its set and a sum, of which columns have 0.6 of Spark's 20, 20, 8 and 8 bytes.
    let of_task = 0.33 * sales / 200.0;
    let groups = |values: f64| 200.0 * values * -(-of_task / values).exp_m1();
    let sent = (groups(1e4) + groups(100.0) + groups(1.0)) * 0.6 * 56.0 / 1e9;
    let exchanges = &found.volumes.exchanges_gb;
    assert!(exchanges.iter().any(|gb| (gb / sent - 1.0).abs() < 1e-6), "{sent} is not one of {exchanges:?}");
}

/// What the rules say of a query that has run, from its plan and the rows of its tables.
fn estimated(query: &Query) -> EstimatedVolumes {
    EstimatedVolumes::of(&before_run(&query.plan, &TableSizes::new())).expect("a plan of Spark that reads tables")
}

/// By hand: rows × bytes of the columns in Parquet, and a file for each 128 MB of rows of 100 bytes. Spark wrote 10 small files.
#[test]
fn the_plan_of_the_sample_is_estimated_without_what_its_run_counted() {
    let queries = shop();
    let revenue = queries.iter().find(|query| query.description == "revenue by region and category").expect("a query");
    let found = estimated(revenue);
    // Sales: int, bigint, date and double; customers: int and text; products: bigint and text.
    let read = 3e6 * (2.0 + 2.0 + 2.0 + 8.0) + 4e5 * (2.0 + 4.0) + 1e3 * (2.0 + 4.0);
    assert!((found.volumes.read_gb - read / 1e9).abs() < 1e-9, "{found:?}");
    assert_eq!((found.volumes.files, found.volumes.exchanges_gb.len()), (3.0 + 1.0 + 1.0, 4));
    assert!(found.has_sizes && found.assumed.is_empty(), "{:?}", found.assumed);
    assert_eq!(volumes(&queries, "revenue by region and category").files, 10.0);
}

/// Two columns of 50 million integers: 0.2 GB by the rules, 0.263 GB in the log; 40 files of 128 MB, 2 in the log.
#[test]
fn the_plan_of_a_query_of_emr_is_estimated_beside_its_log() {
    let Some(logs) = test_data("eventlogs") else { return };
    let queries = queries(&logs.join("emr_join_agg_attempt_4_eventlog.zstd"));
    let found = estimated(&queries[0]);
    assert!((found.volumes.read_gb - 0.2).abs() < 1e-9, "{found:?}");
    assert_eq!((found.volumes.files, found.volumes.exchanges_gb.len()), (40.0, 1));
}
