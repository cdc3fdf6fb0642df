//! Rows, bytes and widths of nodes, each with where it comes from.

use crossover_plan::spark::derive::{compression_ratio, notes};
use crossover_plan::spark::raw::RawStage;
use crossover_query::{Amount, Kind, Rule, Scope, Time, fill};

use super::build::{With, node, plan, query, stage};

#[test]
fn an_exchange_gives_its_data_size_and_what_it_wrote() {
    let exchange = node(0, "Exchange")
        .text("Exchange hashpartitioning(a#1, 8), ENSURE_REQUIREMENTS, [id=#7]")
        .metric("data size", "size", 1, 79_999_984.0)
        .metric("shuffle bytes written", "size", 2, 20_000_000.0)
        .metric("shuffle records written", "sum", 3, 4_999_999.0)
        .metric("shuffle write time", "nsTiming", 4, 250e6);
    let plan = plan(&query(vec![exchange], &[]), &[]);
    let node = &plan.nodes[0];
    assert_eq!(node.detail, "hashpartitioning(a, 8), ENSURE_REQUIREMENTS");
    assert_eq!(node.rows_out, Some(Amount::reported(4_999_999.0)));
    assert_eq!(node.bytes_out, Some(Amount::reported(79_999_984.0)));
    assert_eq!(node.wire_bytes, Some(Amount::reported(20_000_000.0)));
    assert_eq!(node.time, Some(Time { seconds: 0.25, scope: Scope::Exclusive }));
    assert_eq!(node.rows_in, None);
    // 79,999,984 ÷ 4,999,999 = 16 bytes: a header and one field of a row in Spark's memory.
    assert_eq!(fill(&plan)[0].row_width, Amount::derived(16.0, Rule::BytesPerRow));
    assert!((compression_ratio(&plan).unwrap() - 0.250_000_05).abs() < 1e-9);
}

#[test]
fn no_shuffle_has_no_compression_ratio() {
    let plan = plan(&query(vec![node(0, "Filter").rows(1, 5.0)], &[]), &[]);
    assert_eq!(compression_ratio(&plan), None);
}

#[test]
fn a_scan_alone_in_its_stage_read_what_the_stage_read() {
    let mut scan = node(0, "Scan parquet ").stages(&[3]).rows(1, 1000.0).metric("size of files read", "size", 2, 9e6);
    scan.metadata.insert("ReadSchema".to_owned(), "struct<col1:int,col2:int>".to_owned());
    let reads = RawStage { bytes_read: 4e6, ..stage(3, 1.0) };
    let with_stage = plan(&query(vec![scan.clone()], &[3]), &[reads]);
    assert_eq!(with_stage.nodes[0].bytes_in, Some(Amount::reported(4e6)));
    assert_eq!(with_stage.nodes[0].row_width, Some(Amount::estimated(8.0, Rule::ColumnTypes)));
    assert_eq!(fill(&with_stage)[0].bytes_out, Amount::estimated(8000.0, Rule::RowsTimesWidth));
    // A stage that counted nothing: what its files have.
    let without = plan(&query(vec![scan], &[3]), &[stage(3, 1.0)]);
    assert_eq!(without.nodes[0].bytes_in, Some(Amount::reported(9e6)));
}

#[test]
fn input_bytes_of_a_stage_that_cannot_be_give_way_to_the_size_of_the_files() {
    let read = |schema: &str, bytes_read: f64| {
        let mut scan = node(0, "Scan parquet ").stages(&[3]).rows(1, 1e6).metric("size of files read", "size", 2, 9e6);
        scan.metadata.insert("ReadSchema".to_owned(), schema.to_owned());
        plan(&query(vec![scan], &[3]), &[RawStage { bytes_read, ..stage(3, 1.0) }]).nodes[0].bytes_in
    };
    // A million rows: less than a byte each and less than a tenth of 9 MB.
    assert_eq!(read("struct<a:int>", 5e5), Some(Amount::reported(9e6)));
    // A byte each; a tenth of the files.
    assert_eq!(read("struct<a:int>", 1e6), Some(Amount::reported(1e6)));
    assert_eq!(read("struct<a:int>", 9e5), Some(Amount::reported(9e5)));
    // To count rows the ends of the files are enough.
    assert_eq!(read("struct<>", 5e5), Some(Amount::reported(5e5)));
}

#[test]
fn scans_of_one_stage_share_what_it_read() {
    let scan = |accumulator, rows| node(1, "Scan csv ").stages(&[3]).rows(accumulator, rows);
    let reads = [RawStage { bytes_read: 4e6, ..stage(3, 1.0) }];
    let read = |nodes| plan(&query(nodes, &[3]), &reads).nodes.iter().map(|node| node.bytes_in).collect::<Vec<_>>();
    let share = |bytes| Some(Amount::estimated(bytes, Rule::ShareOfInput));
    // By rows, 1 to 3.
    let by_rows = vec![node(0, "Union"), scan(1, 100.0), scan(2, 300.0)];
    assert_eq!(read(by_rows), [None, share(1e6), share(3e6)]);
    // By the sizes of the files, 3 to 1.
    let sized =
        |accumulator, rows, size| scan(accumulator, rows).metric("size of files read", "size", accumulator + 9, size);
    let by_files = vec![node(0, "Union"), sized(1, 100.0, 6e6), sized(2, 300.0, 2e6)];
    assert_eq!(read(by_files), [None, share(3e6), share(1e6)]);
}

#[test]
fn spark_2_says_the_same_in_other_words() {
    let broadcast = node(0, "BroadcastExchange")
        .metric("data size (bytes)", "sum", 1, 168.0)
        .metric("time to collect (ms)", "sum", 2, 132.0)
        .metric("time to build (ms)", "sum", 3, 30.0)
        .metric("time to broadcast (ms)", "sum", 4, 5.0);
    let plan = plan(&query(vec![broadcast], &[]), &[]);
    let node = &plan.nodes[0];
    assert_eq!(node.bytes_out, Some(Amount::reported(168.0)));
    // Collecting is waiting for the rows; building and sending is the driver's work.
    assert_eq!(node.cpu_seconds, Some(Amount::derived(0.03 + 0.005, Rule::WithoutWaiting)));
    assert_eq!(node.time, Some(Time { seconds: 0.03 + 0.005, scope: Scope::Exclusive }));
}

#[test]
fn times_that_contain_the_operators_below_are_inclusive() {
    let nodes = vec![
        node(0, "WholeStageCodegen (1)").metric("duration", "timing", 1, 17_637.0),
        node(1, "HashAggregate").metric("time in aggregation build", "timing", 2, 17_574.0),
        node(2, "Sort").metric("sort time", "timing", 3, 1436.0),
        node(3, "GpuShuffledHashJoin").metric("total time", "nsTiming", 4, 2e9),
        node(4, "GpuFilter").metric("op time (legacy)", "nsTiming", 6, 4e9).metric("op time", "nsTiming", 5, 1e9),
    ];
    let plan = plan(&query(nodes, &[]), &[]);
    let times: Vec<Option<Time>> = plan.nodes.iter().map(|node| node.time).collect();
    let time = |seconds, scope| Some(Time { seconds, scope });
    assert_eq!(
        times,
        [
            time(17.637, Scope::Inclusive),
            time(17.574, Scope::Inclusive),
            time(1.436, Scope::Exclusive),
            time(2.0, Scope::Inclusive),
            time(1.0, Scope::Exclusive),
        ]
    );
}

#[test]
fn the_rows_of_the_plugin_are_read_under_their_names() {
    let nodes = vec![
        node(0, "GpuFilter").metric("output rows", "sum", 1, 10.0).metric("input rows", "sum", 2, 40.0),
        node(1, "GpuColumnarExchange")
            .text("GpuColumnarExchange gpuhashpartitioning(a#1, 8)")
            // Batches, not rows.
            .metric("shuffle records written", "sum", 3, 8.0)
            .metric("data size", "size", 4, 160.0),
    ];
    let plan = plan(&query(nodes, &[]), &[]);
    assert!(plan.nodes.iter().all(|node| node.ran_on_gpu));
    assert_eq!(plan.nodes[0].rows_out, Some(Amount::reported(10.0)));
    assert_eq!(plan.nodes[0].rows_in, Some(Amount::reported(40.0)));
    assert_eq!(plan.nodes[1].rows_out, None);
    assert_eq!(plan.nodes[1].bytes_out, Some(Amount::reported(160.0)));
}

#[test]
fn user_code_that_gives_a_row_for_a_row_has_the_rows_of_its_input() {
    let nodes = vec![
        node(0, "SerializeFromObject"),
        node(1, "MapElements"),
        node(2, "InputAdapter"),
        node(3, "Scan").rows(1, 1000.0),
    ];
    let plan = plan(&query(nodes, &[]), &[]);
    let same = Some(Amount::derived(1000.0, Rule::SameAsInput));
    assert_eq!((plan.nodes[0].rows_out, plan.nodes[1].rows_out), (same, same));
}

#[test]
fn limits_give_no_more_rows_than_they_say() {
    for (name, text, rows, expected) in [
        ("CollectLimit", "CollectLimit 21", 1000.0, 21.0),
        ("CollectLimit", "CollectLimit 21", 3.0, 3.0),
        ("GlobalLimit", "GlobalLimit 10", 1000.0, 10.0),
        ("TakeOrderedAndProject", "TakeOrderedAndProject(limit=100, orderBy=[a#1 ASC], output=[a#1])", 1000.0, 100.0),
        ("GpuTopN", "GpuTopN(limit=5, orderBy=[a#1 ASC])", 1000.0, 5.0),
    ] {
        let nodes = vec![node(0, name).text(text), node(1, "Filter").rows(1, rows)];
        let plan = plan(&query(nodes, &[]), &[]);
        assert_eq!(plan.nodes[0].rows_out, Some(Amount::estimated(expected, Rule::Limit)), "{text}");
    }
    // By partition, whose number is unknown.
    let nodes = vec![node(0, "LocalLimit").text("LocalLimit 10"), node(1, "Filter").rows(1, 1000.0)];
    assert_eq!(plan(&query(nodes, &[]), &[]).nodes[0].rows_out, None);
}

#[test]
fn the_answer_of_a_subquery_is_no_row_of_the_filter_that_asks_it() {
    let nodes = vec![
        node(0, "Filter").rows(1, 10.0),
        node(1, "Range").rows(2, 100.0),
        node(1, "Subquery").metric("data size", "size", 3, 16.0),
        node(2, "HashAggregate").rows(4, 1.0),
    ];
    let plan = plan(&query(nodes, &[]), &[]);
    assert_eq!(plan.nodes[0].inputs, [1, 2]);
    assert_eq!(fill(&plan)[0].rows_in.value, 100.0);
}

#[test]
fn a_scan_with_a_subquery_reads_its_own_rows() {
    let nodes = vec![
        node(0, "Scan parquet ").rows(1, 500.0),
        node(1, "SubqueryBroadcast"),
        node(2, "BroadcastExchange").rows(2, 3.0),
        node(3, "Range").rows(3, 3.0),
    ];
    let plan = plan(&query(nodes, &[]), &[]);
    assert_eq!(fill(&plan)[0].rows_in.value, 500.0);
}

#[test]
fn a_written_table_has_the_size_that_was_written() {
    let nodes = vec![
        node(0, "Execute InsertIntoHadoopFsRelationCommand").rows(1, 100.0).metric("written output", "size", 2, 5000.0),
        node(1, "WriteFiles"),
        node(2, "Range").rows(3, 100.0),
    ];
    let plan = plan(&query(nodes, &[]), &[]);
    assert_eq!(plan.nodes[0].bytes_out, Some(Amount::reported(5000.0)));
    assert_eq!(plan.nodes[1].kind, Kind::Wrapper, "the command has the numbers of what it does");
}

#[test]
fn an_empty_relation_gives_no_rows() {
    let nodes = vec![node(0, "Project"), node(1, "EmptyRelation"), node(2, "Join")];
    let plan = plan(&query(nodes, &[]), &[]);
    assert_eq!(fill(&plan)[0].rows_out.value, 0.0);
}

#[test]
fn photon_broadcasts_where_its_stage_says_so() {
    let nodes = vec![
        node(0, "PhotonShuffleExchangeSource"),
        node(1, "PhotonShuffleMapStage").text("PhotonShuffleMapStage EXECUTOR_BROADCAST, [id=#9659]"),
        node(2, "PhotonShuffleExchangeSink").text("PhotonShuffleExchangeSink SinglePartition"),
        node(3, "PhotonScan parquet ").rows(1, 5.0),
    ];
    let plan = plan(&query(nodes, &[]), &[]);
    assert_eq!(plan.nodes[2].kind, Kind::Broadcast);
    assert_eq!(plan.nodes[2].class.as_deref(), Some("BroadcastExchangeExec"));
}

#[test]
fn impossible_metrics_are_left_out_and_named() {
    let query = query(vec![node(0, "Filter").rows(1, -7.0), node(1, "Range").rows(2, 1e300)], &[]);
    let plan = plan(&query, &[]);
    assert_eq!((plan.nodes[0].rows_out, plan.nodes[1].rows_out), (None, None));
    let notes = notes(&query);
    assert_eq!(notes.len(), 2);
    assert_eq!(notes[0], "query 7, node 0 (Filter): “number of output rows” is -7, which is impossible; left out");
}
