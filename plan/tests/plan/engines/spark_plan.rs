//! Text of Spark's `EXPLAIN`: the plans that it describes, in every mode, and what is said of texts that have none.

mod broken;
mod tpc_ds;

use crossover_plan::{Format, Import};
use crossover_query::{
    AggregateStep, Amount, Graph, JoinMethod, JoinRows, JoinSide, Kind, Node, Operation, Origin, Partitioning, Plan,
    Rule, fill,
};

use super::{import, import_text};

/// A plan with dynamic pruning, reused exchanges, a scalar subquery and a rollup.
const SAMPLE: &str = "spark-plan-formatted.txt";
/// The same shape without details: adaptive execution that has ended, with sizes of its stages.
const FINAL: &str = "\
== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=true
+- == Final Plan ==
   *(3) HashAggregate(keys=[brand#2], functions=[sum(price#4)])
   +- AQEShuffleRead coalesced
      +- ShuffleQueryStage 1, Statistics(sizeInBytes=2.0 KiB, rowCount=40)
         +- Exchange hashpartitioning(brand#2, 200), ENSURE_REQUIREMENTS, [plan_id=12]
            +- *(2) HashAggregate(keys=[brand#2], functions=[partial_sum(price#4)])
               +- *(2) BroadcastHashJoin [item#3], [item#1], Inner, BuildRight, false
                  :- *(2) ColumnarToRow
                  :  +- FileScan parquet shop.sales[item#3,price#4,day#5] Batched: true, DataFilters: [], Format: \
Parquet, Location: InMemoryFileIndex(365 paths)[file:/shop/sales/day=1, file:..., PartitionFilters: \
[isnotnull(day#5), dynamicpruningexpression(day#5 IN dynamicp..., PushedFilters: [IsNotNull(item)], ReadSchema: \
struct<item:int,price:bigint>
                  :        +- SubqueryBroadcast dynamicpruning#9, 0, [day#6], [id=#30]
                  :           +- ReusedExchange [item#1, brand#2, day#6], BroadcastExchange \
HashedRelationBroadcastMode(List(input[0, int, true])), [plan_id=7]
                  +- BroadcastQueryStage 0, Statistics(sizeInBytes=1.0 KiB, rowCount=10)
                     +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, true])), [plan_id=7]
                        +- *(1) Filter isnotnull(item#1)
                           +- FileScan parquet shop.items[item#1,brand#2,day#6] Batched: false, Format: Parquet, \
ReadSchema: struct<item:int,brand:string,day:int>
+- == Initial Plan ==
   HashAggregate(keys=[brand#2], functions=[sum(price#4)])
   +- Exchange hashpartitioning(brand#2, 200), ENSURE_REQUIREMENTS, [plan_id=3]
      +- SortMergeJoin [item#3], [item#1], Inner
";
const COST: &str = "\
== Optimized Logical Plan ==
Aggregate [count(1) AS count(1)#9L], Statistics(sizeInBytes=16.0 B, rowCount=1)
+- Project, Statistics(sizeInBytes=80.0 B, rowCount=10)
   +- Filter (a#1 > 5), Statistics(sizeInBytes=120.0 B, rowCount=10)
      +- Relation shop.t[a#1,b#2] parquet, Statistics(sizeInBytes=1.5 KiB, rowCount=100)

== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- HashAggregate(keys=[], functions=[count(1)])
   +- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=5]
      +- HashAggregate(keys=[], functions=[partial_count(1)])
         +- Project
            +- Filter (a#1 > 5)
               +- FileScan parquet shop.t[a#1] Batched: true, Format: Parquet, PartitionFilters: [], PushedFilters: \
[GreaterThan(a,5)], ReadSchema: struct<a:int>
";

fn of(text: &str) -> Import {
    import_text(Format::SparkPlan, text).unwrap_or_else(|problem| panic!("{problem}\n{text}"))
}

fn only(text: &str) -> Plan {
    let mut import = of(text);
    assert_eq!(import.queries.len(), 1);
    (*import.queries.remove(0).plan).clone()
}

/// The nodes of this name, with their ids.
fn named<'p>(plan: &'p Plan, name: &str) -> Vec<(usize, &'p Node)> {
    plan.nodes.iter().enumerate().filter(|(_, node)| node.name == name).collect()
}

#[test]
fn every_operator_of_a_formatted_plan_is_in_it() {
    let imported = import(SAMPLE);
    let [query] = &imported.queries[..] else { panic!("one statement") };
    let plan = &query.plan;
    // 27 operators, and a node for each of three subqueries.
    assert_eq!(plan.nodes.len(), 27 + 3);
    assert_eq!((imported.engine.as_str(), query.duration_seconds, query.stages), ("Spark", None, 0));
    assert!(query.description.starts_with("SELECT s.region, i.brand, sum(s.price) AS revenue FROM sales s"));
    assert!(query.warnings.is_empty(), "{:?}", query.warnings);
    let kinds = |kind: Kind| plan.nodes.iter().filter(|node| node.kind == kind).count();
    for (kind, count) in [
        (Kind::Scan, 4),
        (Kind::Join, 3),
        (Kind::Aggregate, 4),
        (Kind::Shuffle, 3),
        (Kind::Gather, 1),
        (Kind::Broadcast, 1),
        (Kind::Filter, 2),
        (Kind::Expand, 1),
        (Kind::Other, 0),
    ] {
        assert_eq!(kinds(kind), count, "{kind:?}");
    }
    assert!(plan.nodes.iter().all(|node| node.time.is_none() && node.cpu_seconds.is_none() && node.bytes_in.is_none()));
    // Every part runs for the result: nothing is left hanging.
    let graph = Graph::new(plan, &fill(plan));
    let working = plan.nodes.iter().filter(|node| node.works()).count();
    assert_eq!(graph.operators.len(), working);
}

#[test]
fn reused_parts_are_links_and_do_not_run_again() {
    let plan = import(SAMPLE).queries.remove(0).plan;
    let broadcast = named(&plan, "BroadcastExchange")[0].0;
    let reused = named(&plan, "ReusedExchange");
    assert_eq!(reused.iter().map(|(_, node)| node.reuses).collect::<Vec<_>>(), [Some(broadcast); 2]);
    let pruning = named(&plan, "SubqueryBroadcast")[0].0;
    assert_eq!(named(&plan, "ReusedSubquery")[0].1.reuses, Some(pruning));
    // Both scans of sales are pruned by it, the filter needs the average.
    let sales = named(&plan, "Scan parquet spark_catalog.shop.sales");
    assert_eq!(sales[0].1.inputs, [pruning]);
    assert_eq!(sales[1].1.inputs, [named(&plan, "ReusedSubquery")[0].0]);
    let subquery = named(&plan, "Subquery")[0].0;
    assert!(plan.nodes.iter().any(|node| node.kind == Kind::Filter && node.inputs.contains(&subquery)));
    // Days are read once: for the join, for pruning, and for the subquery.
    let graph = Graph::new(&plan, &fill(&plan));
    let days = graph.operators.iter().filter(|id| plan.nodes[**id].name.contains(".days")).count();
    assert_eq!(days, 1);
}

#[test]
fn operators_say_what_they_do_in_particular() {
    let plan = import(SAMPLE).queries.remove(0).plan;
    let of = |name: &str| named(&plan, name).into_iter().map(|(_, node)| node.operation).collect::<Vec<_>>();
    let join = |rows, method, build| Some(Operation::Join { rows, method, build });
    assert_eq!(of("SortMergeJoin"), [join(JoinRows::LeftOuter, JoinMethod::SortMerge, None)]);
    let broadcast = join(JoinRows::Inner, JoinMethod::BroadcastHash, Some(JoinSide::Right));
    assert_eq!(of("BroadcastHashJoin"), [broadcast; 2]);
    assert_eq!(named(&plan, "SortMergeJoin")[0].1.keys, [["item"]]);
    let exchange = |partitioning, partitions| Some(Operation::Exchange { partitioning, partitions });
    let by_hash = exchange(Partitioning::Hash, Some(200));
    assert_eq!(of("Exchange"), [by_hash, by_hash, by_hash, exchange(Partitioning::Single, Some(1))]);
    assert_eq!(of("BroadcastExchange"), [exchange(Partitioning::Broadcast, None)]);
    let steps = [AggregateStep::Final, AggregateStep::Partial].map(|step| Some(Operation::Aggregate { step }));
    assert_eq!(of("HashAggregate"), [steps, steps].concat());
    assert_eq!(named(&plan, "HashAggregate")[0].1.keys, [["region"], ["brand"], ["spark_grouping_id"]]);
    // The rollup of two columns groups each row three times.
    assert_eq!(of("Expand"), [Some(Operation::Expand { copies: 3 })]);
    let expand = named(&plan, "Expand")[0].0;
    let numbers = fill(&plan)[expand];
    assert_eq!(numbers.rows_out.value, 3.0 * numbers.rows_in.value);
}

#[test]
fn scans_have_table_columns_types_and_partitions() {
    let plan = import(SAMPLE).queries.remove(0).plan;
    let sales = named(&plan, "Scan parquet spark_catalog.shop.sales")[0].1;
    let source = sales.source.as_deref().expect("a source");
    assert_eq!((source.table.as_str(), source.format.as_str(), source.folders), ("sales", "parquet", Some(365)));
    assert_eq!(source.columns, ["item", "region", "price", "day"]);
    assert_eq!(source.types, ["int", "string", "decimal(7,2)", ""]);
    assert_eq!(source.partition_columns, ["day"]);
    assert_eq!(source.partition_filters, ["isnotnull(day)", "dynamicpruningexpression(day IN dynamicpruning)"]);
    assert_eq!(source.filters, "IsNotNull(price)");
    assert_eq!((source.table_rows, source.file_bytes), (None, None));
    // 4 + 20 + 8 bytes in the files, by Spark's own default sizes of types.
    assert_eq!(sales.row_width, Some(Amount::estimated(32.0, Rule::ColumnTypes)));
    let items = named(&plan, "Scan orc spark_catalog.shop.items")[0].1.source.as_deref().expect("a source");
    assert_eq!((items.table.as_str(), items.format.as_str(), items.folders), ("items", "orc", Some(1)));
}

#[test]
fn rows_are_those_of_the_text_and_the_rest_is_estimated() {
    let plan = import(SAMPLE).queries.remove(0).plan;
    for (node, numbers) in plan.nodes.iter().zip(fill(&plan)) {
        let states_rows = node.kind == Kind::Aggregate && node.keys.is_empty() || node.reuses.is_some();
        let follows_total = matches!(node.kind, Kind::Wrapper | Kind::Gather);
        assert!(numbers.rows_out.is_estimated() || states_rows || follows_total, "{}: {numbers:?}", node.name);
    }
    let first = named(&plan, "TakeOrderedAndProject")[0].1;
    assert_eq!(first.rows_out, Some(Amount::estimated(100.0, Rule::Limit)));
    // The average is one row.
    let average = named(&plan, "HashAggregate")[2].1;
    assert_eq!(average.rows_out, Some(Amount::derived(1.0, Rule::OneRow)));
}

#[test]
fn the_final_plan_counts_with_the_rows_of_its_stages() {
    let plan = only(FINAL);
    // Without the three operators of the initial plan.
    assert_eq!(plan.nodes.len(), 15);
    assert!(named(&plan, "SortMergeJoin").is_empty());
    let (exchange, shuffled) = named(&plan, "Exchange")[0];
    assert_eq!(shuffled.rows_out, Some(Amount::reported(40.0)));
    assert_eq!(shuffled.bytes_out, Some(Amount::reported(2048.0)));
    let stage = named(&plan, "ShuffleQueryStage")[0].1;
    assert_eq!(stage.inputs, [exchange]);
    // Pruning takes the days of the broadcast, which runs once.
    let (broadcast, sent) = named(&plan, "BroadcastExchange")[0];
    assert_eq!(sent.rows_out.map(|rows| (rows.value, rows.origin)), Some((10.0, Origin::Reported)));
    assert_eq!(named(&plan, "ReusedExchange")[0].1.reuses, Some(broadcast));
    let (pruning, _) = named(&plan, "SubqueryBroadcast")[0];
    let sales = named(&plan, "Scan parquet shop.sales")[0].1;
    assert_eq!(sales.inputs, [pruning]);
    let source = sales.source.as_deref().expect("a source");
    assert_eq!((source.folders, source.partition_columns.len()), (Some(365), 1));
    assert!(source.partition_filters[1].starts_with("dynamicpruningexpression("), "{:?}", source.partition_filters);
}

#[test]
fn spark_4_writes_behind_the_numbers() {
    let plan = only(
        "\
== Physical Plan ==
AdaptiveSparkPlan (4)
+- == Final Plan ==
   AQEShuffleRead (3), coalesced
   +- ShuffleQueryStage (2), Statistics(sizeInBytes=320.0 B, rowCount=8, ColumnStat: N/A, isRuntime=true)
      +- ReusedExchange (1)
+- == Initial Plan ==
   Exchange (6)
   +- Range (5)


(1) ReusedExchange [Reuses operator id: 9]
Output [1]: [id#1L]

(2) ShuffleQueryStage
Output [1]: [id#1L]
Arguments: 0

(3) AQEShuffleRead
Input [1]: [id#1L]
Arguments: coalesced

(4) AdaptiveSparkPlan
Output [1]: [id#1L]
Arguments: isFinalPlan=true
",
    );
    let names: Vec<&str> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["AdaptiveSparkPlan", "AQEShuffleRead", "ShuffleQueryStage", "ReusedExchange"]);
    assert_eq!(plan.nodes[1].detail, "coalesced");
}

#[test]
fn cost_gives_the_sizes_of_tables() {
    let import = of(COST);
    let plan = &import.queries[0].plan;
    let (_, scan) = named(plan, "Scan parquet shop.t")[0];
    let source = scan.source.as_deref().expect("a source");
    assert_eq!((source.table_rows, source.expected_rows, source.table_columns), (Some(100.0), Some(10.0), Some(2.0)));
    assert_eq!(source.file_bytes, None, "with a count of rows the bytes are those in memory");
    assert_eq!(scan.rows_in, Some(Amount::estimated(100.0, Rule::Planner)));
    assert_eq!(named(plan, "Filter")[0].1.rows_out, Some(Amount::estimated(10.0, Rule::Planner)));
    assert!(import.queries[0].warnings.iter().any(|note| note.contains("adaptive execution may still change")));
}

/// By default Spark's planner has no rows, and the bytes of a table are those of its files.
#[test]
fn cost_gives_the_bytes_of_files() {
    let plan = only(&COST.replace(", rowCount=100)", ")").replace(", rowCount=10)", ")"));
    let (_, scan) = named(&plan, "Scan parquet shop.t")[0];
    let source = scan.source.as_deref().expect("a source");
    assert_eq!((source.table_rows, source.expected_rows, source.table_columns), (None, None, Some(2.0)));
    assert_eq!((source.file_bytes, scan.rows_in), (Some(1536.0), None));
}

#[test]
fn several_plans_of_a_text_are_queries() {
    let banner = "   /___/ .__/\\_,_/_/ /_/\\_\\   version 3.5.3\n\n";
    let indented = COST.lines().map(|line| format!("    {line}")).collect::<Vec<String>>().join("\n");
    let import = of(&format!("{banner}-- first\n{COST}\nTime taken: 0.2 seconds\n# second\n{FINAL}\n{indented}\n"));
    assert_eq!(import.engine, "Spark 3.5.3");
    let titles: Vec<&str> = import.queries.iter().map(|query| query.description.as_str()).collect();
    assert_eq!(titles, ["first", "second", "plan 3"]);
    assert_eq!(import.queries.iter().map(|query| query.id.as_str()).collect::<Vec<&str>>(), ["1", "2", "3"]);
    let [first, second, third] = [0, 1, 2].map(|place| &import.queries[place].plan.nodes);
    assert_eq!(first, third);
    assert_eq!(second, &only(FINAL).nodes);
}

#[test]
fn clients_frames_do_not_matter() {
    let expected = only(COST).nodes;
    let escaped = COST.replace('\n', "\\n").replace('\'', "\\'");
    let beeline = format!("+------+\n|  plan  |\n+------+\n| {}\n |\n+------+\n1 row selected\n", COST.trim_end());
    for text in [
        COST.replace('\n', "\r\n"),
        format!("\u{feff}{COST}"),
        format!("[Row(plan='{escaped}')]"),
        beeline,
        COST.lines().map(|line| format!("# MAGIC {line}\n")).collect::<Vec<String>>().concat(),
    ] {
        assert_eq!(only(&text).nodes, expected, "{text}");
    }
}

#[test]
fn the_engine_of_native_operators_is_named() {
    let text = "\
== Physical Plan ==
VeloxColumnarToRow
+- ^(1) ProjectExecTransformer [a#1]
   +- ^(1) FileSourceScanExecTransformer parquet shop.t[a#1] Batched: true, ReadSchema: struct<a:int>
";
    let import = of(text);
    assert_eq!(import.engine, "Gluten (Velox) on Spark");
    assert_eq!(
        import.queries[0].plan.nodes.iter().map(|node| node.kind).collect::<Vec<Kind>>(),
        [Kind::Wrapper, Kind::Project, Kind::Scan]
    );
}

#[test]
fn cached_tables_and_plans_of_commands_do_not_run() {
    let cached = "\
== Physical Plan ==
*(1) Filter (a#1 > 5)
+- InMemoryTableScan [a#1], [(a#1 > 5)]
      +- InMemoryRelation [a#1], StorageLevel(disk, memory, deserialized, 1 replicas)
            +- *(1) ColumnarToRow
               +- FileScan parquet shop.t[a#1] Batched: true, ReadSchema: struct<a:int>
";
    let import = of(cached);
    let plan = &import.queries[0].plan;
    assert_eq!(plan.nodes.len(), 5);
    let graph = Graph::new(plan, &fill(plan));
    let running: Vec<&str> = graph.operators.iter().map(|id| plan.nodes[*id].name.as_str()).collect();
    assert_eq!(running, ["InMemoryTableScan", "Filter"]);
    assert_eq!(import.queries[0].warnings, ["cached tables are taken as already computed"]);
}
