//! Every name that Spark, the RAPIDS plugin and Photon give an operator.

use crossover_plan::spark::operators::operator;
use crossover_query::Kind;

/// Name, simple string, kind and class (`-`: none).
fn check(cases: &[(&str, &str, Kind, &str)]) {
    for (name, text, kind, class) in cases {
        let found = operator(name, text);
        assert_eq!((found.kind, found.class.as_deref().unwrap_or("-")), (*kind, *class), "{name}");
    }
}

#[test]
fn every_node_name_of_the_sample_logs_is_known() {
    // All names in the logs of `shared/data/eventlogs`, listed with
    // `zstd -dc LOG | jq -r '.sparkPlanInfo? // empty | .. | .nodeName? // empty' | sort -u`.
    check(&[
        ("AQEShuffleRead", "AQEShuffleRead coalesced", Kind::Wrapper, "AQEShuffleReadExec"),
        ("AdaptiveSparkPlan", "AdaptiveSparkPlan isFinalPlan=true", Kind::Wrapper, "-"),
        (
            "BroadcastExchange",
            "BroadcastExchange HashedRelationBroadcastMode",
            Kind::Broadcast,
            "BroadcastExchangeExec",
        ),
        ("BroadcastHashJoin", "BroadcastHashJoin [a#1], [b#2], Inner", Kind::Join, "BroadcastHashJoinExec"),
        ("BroadcastQueryStage", "BroadcastQueryStage 0", Kind::Wrapper, "-"),
        ("CollectLimit", "CollectLimit 21", Kind::Limit, "CollectLimitExec"),
        ("ColumnarToRow", "ColumnarToRow", Kind::Wrapper, "-"),
        ("DeserializeToObject", "DeserializeToObject newInstance", Kind::UserCode, "-"),
        ("Exchange", "Exchange hashpartitioning(a#12, 200), ENSURE_REQUIREMENTS", Kind::Shuffle, "ShuffleExchangeExec"),
        ("Exchange", "Exchange SinglePartition, ENSURE_REQUIREMENTS", Kind::Gather, "ShuffleExchangeExec"),
        (
            "Execute CreateDataSourceTableAsSelectCommand",
            "Execute CreateDataSourceTableAsSelectCommand `default`.`t`",
            Kind::Write,
            "DataWritingCommandExec",
        ),
        (
            "Execute InsertIntoHadoopFsRelationCommand",
            "Execute InsertIntoHadoopFsRelationCommand file:/tmp/x",
            Kind::Write,
            "DataWritingCommandExec",
        ),
        ("Filter", "Filter isnotnull(a#1)", Kind::Filter, "FilterExec"),
        ("HashAggregate", "HashAggregate(keys=[], functions=[count(1)])", Kind::Aggregate, "HashAggregateExec"),
        ("InputAdapter", "InputAdapter", Kind::Wrapper, "-"),
        ("MapElements", "MapElements Lambda$1505", Kind::UserCode, "-"),
        ("Project", "Project [a#1]", Kind::Project, "ProjectExec"),
        ("Range", "Range (1, 1000001, step=1, splits=30)", Kind::Values, "RangeExec"),
        ("Scan", "Scan[obj#1]", Kind::Values, "-"),
        ("Scan csv ", "FileScan csv [a#1]", Kind::Scan, "FileSourceScanExec"),
        ("Scan parquet ", "FileScan parquet [a#1]", Kind::Scan, "FileSourceScanExec"),
        ("Scan text ", "FileScan text [value#0]", Kind::Scan, "FileSourceScanExec"),
        ("SerializeFromObject", "SerializeFromObject [input[0, int, false]]", Kind::UserCode, "-"),
        ("ShuffleQueryStage", "ShuffleQueryStage 2", Kind::Wrapper, "-"),
        ("Sort", "Sort [a#12 ASC NULLS FIRST], false, 0", Kind::Sort, "SortExec"),
        ("SortMergeJoin", "SortMergeJoin [a#12], [b#14], Inner", Kind::Join, "SortMergeJoinExec"),
        ("WholeStageCodegen", "WholeStageCodegen", Kind::Wrapper, "-"),
        ("WholeStageCodegen (5)", "WholeStageCodegen (5)", Kind::Wrapper, "-"),
    ]);
}

#[test]
fn every_class_with_a_switch_is_found_by_the_name_of_its_nodes() {
    // `spark-rapids`, advanced_configs, and the first column of NVIDIA's supportedExecs.csv.
    check(&[
        ("AQEShuffleRead", "", Kind::Wrapper, "AQEShuffleReadExec"),
        ("AggregateInPandas", "", Kind::UserCode, "AggregateInPandasExec"),
        ("AppendData", "", Kind::Write, "AppendDataExec"),
        ("AppendDataExecV1", "", Kind::Write, "AppendDataExecV1"),
        ("ArrowEvalPython", "", Kind::UserCode, "ArrowEvalPythonExec"),
        ("AtomicCreateTableAsSelect", "", Kind::Write, "AtomicCreateTableAsSelectExec"),
        ("AtomicReplaceTableAsSelect", "", Kind::Write, "AtomicReplaceTableAsSelectExec"),
        ("BatchScan", "", Kind::Scan, "BatchScanExec"),
        ("BatchScan default.sales", "BatchScan default.sales[id#1]", Kind::Scan, "BatchScanExec"),
        ("BroadcastExchange", "", Kind::Broadcast, "BroadcastExchangeExec"),
        ("BroadcastHashJoin", "", Kind::Join, "BroadcastHashJoinExec"),
        ("BroadcastNestedLoopJoin", "", Kind::Join, "BroadcastNestedLoopJoinExec"),
        ("CartesianProduct", "", Kind::Join, "CartesianProductExec"),
        ("Coalesce", "Coalesce 1", Kind::Union, "CoalesceExec"),
        ("CollectLimit", "", Kind::Limit, "CollectLimitExec"),
        ("CustomShuffleReader", "", Kind::Wrapper, "CustomShuffleReaderExec"),
        ("Execute InsertIntoHiveTable", "", Kind::Write, "DataWritingCommandExec"),
        ("Execute CreateViewCommand", "", Kind::Other, "ExecutedCommandExec"),
        ("Execute SaveIntoDataSourceCommand", "", Kind::Write, "ExecutedCommandExec"),
        ("Expand", "", Kind::Expand, "ExpandExec"),
        ("Scan orc default.t", "FileScan orc default.t[a#1]", Kind::Scan, "FileSourceScanExec"),
        ("Filter", "", Kind::Filter, "FilterExec"),
        ("FlatMapCoGroupsInPandas", "", Kind::UserCode, "FlatMapCoGroupsInPandasExec"),
        ("FlatMapGroupsInPandas", "", Kind::UserCode, "FlatMapGroupsInPandasExec"),
        ("Generate", "", Kind::Expand, "GenerateExec"),
        ("GlobalLimit", "", Kind::Limit, "GlobalLimitExec"),
        ("HashAggregate", "", Kind::Aggregate, "HashAggregateExec"),
        ("Scan hive default.t", "Scan hive default.t [a#1]", Kind::Scan, "HiveTableScanExec"),
        ("HiveTableScan", "", Kind::Scan, "HiveTableScanExec"),
        ("InMemoryTableScan", "", Kind::Values, "InMemoryTableScanExec"),
        ("Scan In-memory table t", "Scan In-memory table t [a#1]", Kind::Values, "InMemoryTableScanExec"),
        ("LocalLimit", "", Kind::Limit, "LocalLimitExec"),
        ("MapInArrow", "", Kind::UserCode, "MapInArrowExec"),
        ("MapInPandas", "", Kind::UserCode, "MapInPandasExec"),
        ("MergeRows", "", Kind::Expand, "MergeRowsExec"),
        ("ObjectHashAggregate", "", Kind::Aggregate, "ObjectHashAggregateExec"),
        ("OverwriteByExpression", "", Kind::Write, "OverwriteByExpressionExec"),
        ("OverwriteByExpressionExecV1", "", Kind::Write, "OverwriteByExpressionExecV1"),
        ("OverwritePartitionsDynamic", "", Kind::Write, "OverwritePartitionsDynamicExec"),
        ("Project", "", Kind::Project, "ProjectExec"),
        ("PythonMapInArrow", "", Kind::UserCode, "PythonMapInArrowExec"),
        ("Range", "", Kind::Values, "RangeExec"),
        ("ReplaceData", "", Kind::Write, "ReplaceDataExec"),
        ("RunningWindowFunction", "", Kind::Window, "RunningWindowFunctionExec"),
        ("Sample", "", Kind::Filter, "SampleExec"),
        ("Exchange", "Exchange rangepartitioning(a#1 ASC, 200)", Kind::Shuffle, "ShuffleExchangeExec"),
        ("ShuffledHashJoin", "", Kind::Join, "ShuffledHashJoinExec"),
        ("SortAggregate", "", Kind::Aggregate, "SortAggregateExec"),
        ("Sort", "", Kind::Sort, "SortExec"),
        ("SortMergeJoin", "", Kind::Join, "SortMergeJoinExec"),
        ("SubqueryBroadcast", "", Kind::Wrapper, "SubqueryBroadcastExec"),
        ("TableCacheQueryStage", "", Kind::Wrapper, "TableCacheQueryStageExec"),
        ("TakeOrderedAndProject", "", Kind::Sort, "TakeOrderedAndProjectExec"),
        ("Union", "", Kind::Union, "UnionExec"),
        ("Window", "", Kind::Window, "WindowExec"),
        ("WindowGroupLimit", "", Kind::Limit, "WindowGroupLimitExec"),
        ("WindowInPandas", "", Kind::UserCode, "WindowInPandasExec"),
        ("WriteDelta", "", Kind::Write, "WriteDeltaExec"),
        ("WriteFiles", "", Kind::Write, "WriteFilesExec"),
    ]);
}

#[test]
fn operators_without_a_switch_have_a_kind_all_the_same() {
    // Physical operators of Spark 2.0 to 4.1: `sql/core/src/main/scala/org/apache/spark/sql/execution`.
    check(&[
        ("Scan ExistingRDD", "Scan ExistingRDD[a#1]", Kind::Values, "-"),
        ("Scan OneRowRelation", "Scan OneRowRelation[]", Kind::Values, "-"),
        ("Scan JDBCRelation(people) [numPartitions=1]", "Scan JDBCRelation(people)", Kind::Scan, "-"),
        ("LocalTableScan", "", Kind::Values, "-"),
        ("CommandResult", "", Kind::Values, "-"),
        ("EmptyRelation", "", Kind::Values, "-"),
        ("MicroBatchScan", "", Kind::Scan, "-"),
        ("SortMergeAsOfJoin", "", Kind::Join, "-"),
        ("StreamingSymmetricHashJoin", "", Kind::Join, "-"),
        ("MergingSessions", "", Kind::Aggregate, "-"),
        ("UpdatingSessions", "", Kind::Window, "-"),
        ("ArrowWindowPython", "", Kind::UserCode, "-"),
        ("ArrowAggregatePython", "", Kind::UserCode, "-"),
        ("BatchEvalPython", "", Kind::UserCode, "-"),
        ("BatchEvalPythonUDTF", "", Kind::UserCode, "-"),
        ("FlatMapGroupsInPandasWithState", "", Kind::UserCode, "-"),
        ("FlatMapGroupsInArrow", "", Kind::UserCode, "-"),
        ("FlatMapGroupsInR", "", Kind::UserCode, "-"),
        ("AppendColumns", "", Kind::UserCode, "-"),
        ("MapGroups", "", Kind::UserCode, "-"),
        ("CoGroup", "", Kind::UserCode, "-"),
        ("MapPartitions", "", Kind::UserCode, "-"),
        ("TransformWithState", "", Kind::UserCode, "-"),
        ("TransformWithStateInPySpark", "", Kind::UserCode, "-"),
        ("HiveScriptTransformation", "", Kind::UserCode, "-"),
        ("AttachDistributedSequence", "", Kind::Project, "-"),
        ("CollectMetrics", "", Kind::Project, "-"),
        ("EventTimeWatermark", "", Kind::Project, "-"),
        ("StreamingDeduplicate", "", Kind::Filter, "-"),
        ("CollectTail", "", Kind::Limit, "-"),
        ("StreamingGlobalLimit", "", Kind::Limit, "-"),
        ("UnionLoop", "", Kind::Union, "-"),
        ("CreateTableAsSelect", "", Kind::Write, "-"),
        ("WriteToDataSourceV2", "", Kind::Write, "-"),
        ("ResultQueryStage", "", Kind::Wrapper, "-"),
        ("RowToColumnar", "", Kind::Wrapper, "-"),
        ("ReusedExchange", "", Kind::Wrapper, "-"),
        ("ReusedSubquery", "", Kind::Wrapper, "-"),
        ("Subquery", "", Kind::Wrapper, "-"),
        ("SubqueryAdaptiveBroadcast", "", Kind::Wrapper, "-"),
        // Nothing that moves rows.
        ("ShowTables", "", Kind::Other, "-"),
        ("CreateTable", "", Kind::Other, "-"),
        ("StateStoreSave", "", Kind::Other, "-"),
    ]);
}

#[test]
fn an_operator_on_a_gpu_stands_for_its_class() {
    // Names of the plugin's `Gpu…Exec` classes.
    let cases = [
        ("GpuFilter", "", Kind::Filter, "FilterExec"),
        ("GpuProject", "", Kind::Project, "ProjectExec"),
        ("GpuProjectAst", "", Kind::Project, "ProjectExec"),
        ("GpuHashAggregate", "", Kind::Aggregate, "HashAggregateExec"),
        ("GpuObjectHashAggregate", "", Kind::Aggregate, "ObjectHashAggregateExec"),
        ("GpuSort", "", Kind::Sort, "SortExec"),
        ("GpuTopN", "", Kind::Sort, "TakeOrderedAndProjectExec"),
        ("GpuShuffledHashJoin", "", Kind::Join, "ShuffledHashJoinExec"),
        ("GpuShuffledSymmetricHashJoin", "", Kind::Join, "ShuffledHashJoinExec"),
        ("GpuBroadcastHashJoin", "", Kind::Join, "BroadcastHashJoinExec"),
        (
            "GpuColumnarExchange",
            "GpuColumnarExchange gpuhashpartitioning(a#1, 8), ENSURE_REQUIREMENTS",
            Kind::Shuffle,
            "ShuffleExchangeExec",
        ),
        ("GpuColumnarExchange", "GpuColumnarExchange gpusinglepartitioning$()", Kind::Gather, "ShuffleExchangeExec"),
        ("GpuBroadcastExchange", "", Kind::Broadcast, "BroadcastExchangeExec"),
        ("GpuScan parquet ", "GpuFileScan parquet [a#1]", Kind::Scan, "FileSourceScanExec"),
        ("GpuBatchScan", "", Kind::Scan, "BatchScanExec"),
        ("GpuInMemoryTableScan", "", Kind::Values, "InMemoryTableScanExec"),
        ("GpuRunningWindow", "", Kind::Window, "WindowExec"),
        ("GpuWindow", "", Kind::Window, "WindowExec"),
        ("GpuExpand", "", Kind::Expand, "ExpandExec"),
        ("GpuGenerate", "", Kind::Expand, "GenerateExec"),
        ("GpuUnion", "", Kind::Union, "UnionExec"),
        ("GpuCoalesce", "", Kind::Union, "CoalesceExec"),
        ("GpuArrowEvalPython", "", Kind::UserCode, "ArrowEvalPythonExec"),
        ("Execute GpuInsertIntoHadoopFsRelationCommand", "", Kind::Write, "DataWritingCommandExec"),
        ("GpuRowToColumnar", "", Kind::Wrapper, "-"),
        ("GpuColumnarToRow", "", Kind::Wrapper, "-"),
        ("GpuColumnarToRowParent", "", Kind::Wrapper, "-"),
        ("GpuCoalesceBatches", "", Kind::Wrapper, "-"),
        ("GpuShuffleCoalesce", "", Kind::Wrapper, "-"),
        ("GpuBringBackToHost", "", Kind::Wrapper, "-"),
        ("GpuCustomShuffleReader", "", Kind::Wrapper, "CustomShuffleReaderExec"),
    ];
    check(&cases);
    for (name, text, ..) in cases {
        assert!(operator(name, text).gpu, "{name}");
    }
    assert!(!operator("Filter", "Filter a").gpu);
    assert!(!operator("PhotonFilter", "PhotonFilter a").gpu);
}

#[test]
fn gluten_comet_and_auron_stand_for_the_operators_of_spark() {
    // Names of `backends-velox` and `gluten-substrait` of Apache Gluten, of `org.apache.spark.sql.comet`, and of
    // `org.apache.spark.sql.execution.auron.plan`.
    check(&[
        ("FileSourceScanExecTransformer parquet db.t", "NativeFileScan parquet", Kind::Scan, "FileSourceScanExec"),
        ("BatchScanExecTransformer db.t", "", Kind::Scan, "BatchScanExec"),
        ("IcebergScanTransformer db.t", "", Kind::Scan, "-"),
        ("FilterExecTransformer", "", Kind::Filter, "FilterExec"),
        ("ProjectExecTransformer", "", Kind::Project, "ProjectExec"),
        ("RegularHashAggregateExecTransformer", "", Kind::Aggregate, "HashAggregateExec"),
        ("FlushableHashAggregateExecTransformer", "", Kind::Aggregate, "HashAggregateExec"),
        ("CHHashAggregateExecTransformer", "", Kind::Aggregate, "HashAggregateExec"),
        ("SortExecTransformer", "", Kind::Sort, "SortExec"),
        ("ShuffledHashJoinExecTransformer", "", Kind::Join, "ShuffledHashJoinExec"),
        ("BroadcastHashJoinExecTransformer", "", Kind::Join, "BroadcastHashJoinExec"),
        ("WindowExecTransformer", "", Kind::Window, "WindowExec"),
        ("LimitExecTransformer", "", Kind::Limit, "LocalLimitExec"),
        ("ColumnarExchange", "ColumnarExchange hashpartitioning(a#1, 8)", Kind::Shuffle, "ShuffleExchangeExec"),
        ("ColumnarExchange", "ColumnarExchange SinglePartition", Kind::Gather, "ShuffleExchangeExec"),
        ("ColumnarBroadcastExchange", "", Kind::Broadcast, "BroadcastExchangeExec"),
        ("VeloxColumnarWriteFiles", "", Kind::Write, "WriteFilesExec"),
        ("WholeStageCodegenTransformer (3)", "", Kind::Wrapper, "-"),
        ("InputIteratorTransformer", "", Kind::Wrapper, "-"),
        ("VeloxColumnarToRow", "", Kind::Wrapper, "-"),
        ("RowToVeloxColumnar", "", Kind::Wrapper, "-"),
        ("VeloxResizeBatches", "", Kind::Wrapper, "-"),
        ("CometScan parquet db.t", "CometScan parquet db.t[a#1]", Kind::Scan, "FileSourceScanExec"),
        ("CometNativeScan parquet db.t", "", Kind::Scan, "FileSourceScanExec"),
        ("CometBatchScan db.t", "", Kind::Scan, "BatchScanExec"),
        ("CometFilter", "", Kind::Filter, "FilterExec"),
        ("CometHashAggregate", "", Kind::Aggregate, "HashAggregateExec"),
        ("CometSortMergeJoin", "", Kind::Join, "SortMergeJoinExec"),
        ("CometHashJoin", "", Kind::Join, "ShuffledHashJoinExec"),
        ("CometColumnarExchange", "", Kind::Shuffle, "ShuffleExchangeExec"),
        ("CometExplode", "", Kind::Expand, "GenerateExec"),
        ("CometTakeOrderedAndProject", "", Kind::Sort, "TakeOrderedAndProjectExec"),
        ("CometColumnarToRow", "", Kind::Wrapper, "-"),
        ("NativeParquetScan", "", Kind::Scan, "FileSourceScanExec"),
        ("NativeAgg", "", Kind::Aggregate, "HashAggregateExec"),
        ("NativeShuffleExchange", "", Kind::Shuffle, "ShuffleExchangeExec"),
        ("NativeBroadcastJoin", "", Kind::Join, "BroadcastHashJoinExec"),
        ("ConvertToNative", "", Kind::Wrapper, "-"),
    ]);
}

#[test]
fn photon_stands_for_the_operators_of_spark() {
    // NVIDIA's `photonOperatorMappings/default.json` names these and their counterparts.
    check(&[
        ("PhotonScan parquet ", "PhotonScan parquet t[a#1]", Kind::Scan, "FileSourceScanExec"),
        ("PhotonAgg", "", Kind::Aggregate, "HashAggregateExec"),
        ("PhotonGroupingAgg", "", Kind::Aggregate, "HashAggregateExec"),
        ("PhotonGroupingAggWithRollup", "", Kind::Aggregate, "HashAggregateExec"),
        ("PhotonBroadcastExchange", "", Kind::Broadcast, "BroadcastExchangeExec"),
        ("PhotonBroadcastHashJoin", "", Kind::Join, "BroadcastHashJoinExec"),
        ("PhotonBroadcastNestedLoopJoin", "", Kind::Join, "BroadcastNestedLoopJoinExec"),
        ("PhotonHashJoin", "", Kind::Join, "BroadcastHashJoinExec"),
        ("PhotonShuffledHashJoin", "", Kind::Join, "SortMergeJoinExec"),
        ("PhotonShuffleHashJoin", "", Kind::Join, "ShuffledHashJoinExec"),
        ("PhotonExpand", "", Kind::Expand, "ExpandExec"),
        ("PhotonFilter", "", Kind::Filter, "FilterExec"),
        ("PhotonGenerate", "", Kind::Expand, "GenerateExec"),
        ("PhotonGlobalLimit", "", Kind::Limit, "GlobalLimitExec"),
        ("PhotonLocalLimit", "", Kind::Limit, "LocalLimitExec"),
        ("PhotonProject", "", Kind::Project, "ProjectExec"),
        ("PhotonSort", "", Kind::Sort, "SortExec"),
        ("PhotonTopK", "", Kind::Sort, "TakeOrderedAndProjectExec"),
        ("PhotonUnion", "", Kind::Union, "UnionExec"),
        ("PhotonWindow", "", Kind::Window, "WindowExec"),
        (
            "PhotonShuffleExchangeSink",
            "PhotonShuffleExchangeSink hashpartitioning(a#1, 200)",
            Kind::Shuffle,
            "ShuffleExchangeExec",
        ),
        ("PhotonShuffleExchangeSink", "PhotonShuffleExchangeSink SinglePartition", Kind::Gather, "ShuffleExchangeExec"),
        ("PhotonUnionShuffleExchangeSink", "", Kind::Shuffle, "ShuffleExchangeExec"),
        ("PhotonShuffleExchangeSource", "", Kind::Wrapper, "-"),
        ("PhotonShuffleMapStage", "", Kind::Wrapper, "-"),
        ("PhotonUnionShuffleMapStage", "", Kind::Wrapper, "-"),
        ("PhotonResultStage", "", Kind::Wrapper, "-"),
        ("PhotonRowToColumnar", "", Kind::Wrapper, "-"),
        ("PhotonColumnarToRow", "", Kind::Wrapper, "-"),
        ("PhotonAdapter", "", Kind::Wrapper, "-"),
        ("PhotonSubqueryBroadcast", "", Kind::Wrapper, "SubqueryBroadcastExec"),
    ]);
}

#[test]
fn strange_names_are_other_operators() {
    check(&[
        ("", "", Kind::Other, "-"),
        ("Gpu", "", Kind::Other, "-"),
        ("   ", "", Kind::Other, "-"),
        ("(2)", "", Kind::Other, "-"),
        ("Execute ", "", Kind::Other, "-"),
        ("Überraschung", "", Kind::Other, "-"),
    ]);
}
