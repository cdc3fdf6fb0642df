//! What operators of logs do in particular, their keys, and what scans read. Expected values are from the texts of the operators.

use crossover_query::{
    AggregateStep, CpuOnly, JoinMethod, JoinRows, JoinSide, Kind, Node, Operation, Partitioning, Plan, Source,
};

use super::build::{With as _, node, plan, query, stage};
use super::real_logs::queries;

#[expect(clippy::unnecessary_wraps, reason = "the operation of a node, which it may lack")]
fn join(rows: JoinRows, method: JoinMethod, build: Option<JoinSide>) -> Option<Operation> {
    Some(Operation::Join { rows, method, build })
}

#[expect(clippy::unnecessary_wraps, reason = "the operation of a node, which it may lack")]
fn aggregate(step: AggregateStep) -> Option<Operation> {
    Some(Operation::Aggregate { step })
}

#[expect(clippy::unnecessary_wraps, reason = "the operation of a node, which it may lack")]
fn exchange(partitioning: Partitioning, partitions: Option<u64>) -> Option<Operation> {
    Some(Operation::Exchange { partitioning, partitions })
}

fn source(node: &Node) -> &Source {
    node.source.as_deref().expect("a source")
}

/// The sources of the scans, in the order of the plan.
fn sources(plan: &Plan) -> Vec<&Source> {
    plan.nodes.iter().filter(|node| node.kind == Kind::Scan).map(source).collect()
}

#[test]
fn a_log_says_as_much_of_its_operators_as_a_text() {
    let mut sales =
        node(5, "Scan parquet shop.sales").text("FileScan parquet shop.sales[item#1,price#2,day#3] Batched: true");
    for (key, value) in [
        ("Location", "CatalogFileIndex(1 paths)[s3://lake/shop/sales]"),
        ("Format", "Parquet"),
        ("PartitionFilters", "[isnotnull(day#3)]"),
        ("PushedFilters", "[IsNotNull(item)]"),
        ("ReadSchema", "struct<item:int,price:decimal(7,2)>"),
    ] {
        sales.metadata.insert(key.to_owned(), value.to_owned());
    }
    let nodes = vec![
        node(0, "Expand").text("Expand [[brand#5, 0], [null, 1]], [brand#8, gid#9]"),
        // A distinct without functions: its step follows from the exchange above it.
        node(1, "HashAggregate").text("HashAggregate(keys=[brand#5], functions=[])"),
        node(2, "Exchange").text("Exchange hashpartitioning(brand#5, 8), ENSURE_REQUIREMENTS, [plan_id=7]"),
        node(3, "HashAggregate").text("HashAggregate(keys=[brand#5], functions=[])"),
        node(4, "BroadcastHashJoin")
            .text("BroadcastHashJoin [cast(item#1 as bigint)], [id#4L], LeftSemi, BuildRight, false"),
        sales,
        node(5, "BroadcastExchange")
            .text("BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, false]),false)"),
        node(6, "Scan orc shop.items")
            .text("FileScan orc shop.items[id#4L,brand#5] ReadSchema: struct<id:bigint,brand:string>"),
    ];
    let plan = plan(&query(nodes, &[1]), &[stage(1, 1.0)]);
    let operations: Vec<Option<Operation>> = plan.nodes.iter().map(|node| node.operation).collect();
    // Behind the eight operators is the time of the stage, in which none of them counted anything.
    let (of_operators, of_stage) = operations.split_at(8);
    assert_eq!(of_stage, [None]);
    assert_eq!(
        of_operators,
        [
            Some(Operation::Expand { copies: 2 }),
            aggregate(AggregateStep::Final),
            exchange(Partitioning::Hash, Some(8)),
            aggregate(AggregateStep::Partial),
            join(JoinRows::LeftSemi, JoinMethod::BroadcastHash, Some(JoinSide::Right)),
            None,
            exchange(Partitioning::Broadcast, None),
            None,
        ]
    );
    assert_eq!(
        (&plan.nodes[1].keys, &plan.nodes[4].keys),
        (&vec![vec!["brand".to_owned()]], &vec![vec!["item".to_owned(), "id".to_owned()]])
    );
    let [sales, items] = sources(&plan)[..] else { panic!("two scans") };
    assert_eq!((sales.table.as_str(), sales.format.as_str()), ("sales", "parquet"));
    assert_eq!(sales.columns, ["item", "price", "day"]);
    assert_eq!(sales.types, ["int", "decimal(7,2)", ""]);
    assert_eq!(
        (&sales.partition_columns[..], &sales.partition_filters[..]),
        (&["day".to_owned()][..], &["isnotnull(day)".to_owned()][..])
    );
    assert_eq!((sales.filters.as_str(), sales.folders), ("IsNotNull(item)", None));
    // Without metadata, from the text.
    assert_eq!((items.table.as_str(), items.format.as_str()), ("items", "orc"));
    assert_eq!((&items.types[..], items.partition_columns.len()), (&["bigint".to_owned(), "string".to_owned()][..], 0));
}

#[test]
fn a_log_of_emr_names_its_file_its_joins_and_its_exchange() {
    let Some(queries) = queries("emr_join_agg_attempt_4_eventlog.zstd") else { return };
    let plan = &queries[0].plan;
    let broadcast = join(JoinRows::Inner, JoinMethod::BroadcastHash, Some(JoinSide::Right));
    for (id, expected, keys) in [
        (3, broadcast, vec![vec!["col1", "desc"]]),
        (4, aggregate(AggregateStep::Final), vec![vec!["col1"]]),
        (8, exchange(Partitioning::Hash, Some(1000)), vec![]),
        (10, aggregate(AggregateStep::Partial), vec![vec!["col1"]]),
        (12, broadcast, vec![vec!["col1", "join_col"]]),
        (19, exchange(Partitioning::Broadcast, None), vec![]),
    ] {
        let node = &plan.nodes[id];
        assert_eq!((node.operation, &node.keys), (expected, &keys_of(&keys)), "{} {}", node.name, node.detail);
    }
    let large = source(&plan.nodes[16]);
    assert_eq!((large.table.as_str(), large.format.as_str(), large.folders), ("large_dataset", "parquet", Some(1)));
    assert_eq!((large.columns.join(","), large.types.join(",")), ("col1,col2".to_owned(), "int,int".to_owned()));
    assert!(large.partition_columns.is_empty() && large.partition_filters.is_empty());
    assert_eq!(large.filters, "IsNotNull(col1)");
}

fn keys_of(keys: &[Vec<&str>]) -> Vec<Vec<String>> {
    keys.iter().map(|key| key.iter().map(|name| (*name).to_owned()).collect()).collect()
}

#[test]
fn a_log_of_spark_2_names_its_files() {
    let Some(queries) = queries("spark2-eventlog.zstd") else { return };
    let [people, ages] = sources(&queries[2].plan)[..] else { panic!("two scans") };
    assert_eq!((people.table.as_str(), people.format.as_str()), ("simple1.csv", "csv"));
    assert_eq!(people.columns, ["name", "id", "gender", "salary"]);
    assert_eq!(people.types, ["string"; 4]);
    assert_eq!((ages.table.as_str(), ages.columns.len()), ("simple2.csv", 3));
}

/// RAPIDS' scans have their facts in the text only, which Spark cuts.
#[test]
fn a_log_of_gpus_names_tables_partitions_and_joins() {
    let Some(queries) = queries("nds_q66_gpu.zstd") else { return };
    let query = queries.iter().find(|query| query.id == "24").expect("query 24 is in the log");
    let sources = sources(&query.plan);
    for (table, partition_columns) in [("web_sales", "ws_sold_date_sk"), ("catalog_sales", "cs_sold_date_sk")] {
        let sales = sources.iter().find(|source| source.table == table).expect("a scan of the table");
        assert_eq!((sales.columns.len(), sales.partition_columns.join(",")), (7, partition_columns.to_owned()));
        assert_eq!((sales.format.as_str(), sales.types[0].as_str()), ("parquet", "int"));
    }
    let days = sources.iter().find(|source| source.table == "date_dim").expect("a scan of the calendar");
    assert_eq!((days.columns.join(","), days.partition_columns.len()), ("d_date_sk,d_year,d_moy".to_owned(), 0));
    assert_eq!(days.filters, "IsNotNull(d_year), EqualTo(d_year,2001), IsNotNull(d_date_sk)");
    let joins: Vec<Option<Operation>> =
        query.plan.nodes.iter().filter(|node| node.kind == Kind::Join).map(|node| node.operation).collect();
    // Four joins for each of two channels.
    assert_eq!(joins, [join(JoinRows::Inner, JoinMethod::BroadcastHash, Some(JoinSide::Right)); 8]);
}

/// What relations call themselves (`toString`), the names of operators of connectors, and how sources of version 2 describe themselves
/// (`Scan.description`), by the sources that the table of servers names.
#[test]
fn relations_of_databases_are_read_by_their_servers() {
    for (name, text) in [
        ("Scan JDBCRelation(shop.people) [numPartitions=1] ", ""),
        ("Scan org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCScan$$anon$1@1f2e", ""),
        (
            "Scan KafkaRelation(strategy=Subscribe[sales], start=EarliestOffsetRangeLimit, end=LatestOffsetRangeLimit) ",
            "",
        ),
        ("Scan SnowflakeRelation ", ""),
        ("SnowflakeScan", ""),
        ("SnowflakePlan", ""),
        ("Scan RedshiftRelation((SELECT a FROM t)) ", ""),
        ("RedshiftScan", ""),
        ("RedshiftPlan", ""),
        ("Scan com.google.cloud.spark.bigquery.direct.DirectBigQueryRelation@1f2e ", ""),
        (
            "Scan MongoRelation(MongoRDD[0] at RDD at MongoRDD.scala:51,Some(StructType(StructField(a,IntegerType,true)))) ",
            "",
        ),
        ("Scan org.apache.spark.sql.cassandra.CassandraSourceRelation@1f2e ", ""),
        ("CassandraDirectJoin", "Cassandra Direct Join [key = id#1] ks.tab - Reading (key, value)"),
        ("Scan ElasticsearchRelation(Map(es.resource -> shop),org.apache.spark.sql.SQLContext@1,None) ", ""),
        ("BatchScan", "BatchScan[value#54] Cassandra Scan: ks.tab - Cassandra Filters: [[\"key\" = ?, 1]]"),
        ("BatchScan sales", "BatchScan sales[a#1] MongoScan{namespaceDescription=shop.sales} RuntimeFilters: []"),
        (
            "BatchScan kafka",
            "BatchScan kafka[key#1] class org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaScan ",
        ),
        ("BatchScan t", "BatchScan t[a#1] class com.clickhouse.spark.read.ClickHouseBatchScan RuntimeFilters: []"),
    ] {
        let mut scan = node(0, name).stages(&[1]).rows(1, 5.0);
        if !text.is_empty() {
            scan = scan.text(text);
        }
        let plan = plan(&query(vec![scan], &[1]), &[stage(1, 1.0)]);
        assert_eq!(plan.nodes[0].cpu_only, Some(CpuOnly::Remote), "{name} {text}");
    }
    for (name, text) in [
        ("Scan parquet shop.JDBCRelation", "FileScan parquet shop.JDBCRelation[a#1] Batched: true"),
        ("Scan hive shop.kafka", "Scan hive shop.kafka [a#1]"),
        ("BatchScan shop.Mongo", "BatchScan shop.Mongo[a#1] ParquetScan DataFilters: [], Format: parquet"),
        (
            "BatchScan lake.Kafka",
            "BatchScan lake.Kafka[a#1] lake.Kafka (branch=null) [filters=, groupedBy=] RuntimeFilters: []",
        ),
    ] {
        let plan = plan(&query(vec![node(0, name).text(text).stages(&[1]).rows(1, 5.0)], &[1]), &[stage(1, 1.0)]);
        assert_eq!(plan.nodes[0].cpu_only, None, "{name}");
    }
}
