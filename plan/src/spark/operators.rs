//! Spark's operators: their names, their kinds, and the class by which a plugin can be configured to place them.
//!
//! Names are those of `SparkPlan.nodeName`: the class without its `Exec`, or what an operator makes of it
//! (`Scan parquet `, `Execute InsertIntoHadoopFsRelationCommand`). The RAPIDS plugin puts `Gpu` in front, Databricks'
//! engine `Photon`; names of Gluten, Comet and Auron are in `native`.

use crossover_query::Kind;

use super::native;

/// What an operator of Spark is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// What it does.
    pub kind: Kind,
    /// Spark's class whose placement can be configured, e.g. `FilterExec`; of an operator of another engine the class
    /// that it stands for. `None` if there is no switch for it.
    pub class: Option<String>,
    /// Whether it ran on a GPU.
    pub gpu: bool,
}

/// Classes that have a key `spark.rapids.sql.exec.…` or a row in NVIDIA's list of supported operators.
const CLASSES: [&str; 55] = [
    "AQEShuffleReadExec",
    "AggregateInPandasExec",
    "AppendDataExec",
    "AppendDataExecV1",
    "ArrowEvalPythonExec",
    "AtomicCreateTableAsSelectExec",
    "AtomicReplaceTableAsSelectExec",
    "BatchScanExec",
    "BroadcastExchangeExec",
    "BroadcastHashJoinExec",
    "BroadcastNestedLoopJoinExec",
    "CartesianProductExec",
    "CoalesceExec",
    "CollectLimitExec",
    "CustomShuffleReaderExec",
    "DataWritingCommandExec",
    "ExecutedCommandExec",
    "ExpandExec",
    "FileSourceScanExec",
    "FilterExec",
    "FlatMapCoGroupsInPandasExec",
    "FlatMapGroupsInPandasExec",
    "GenerateExec",
    "GlobalLimitExec",
    "HashAggregateExec",
    "HiveTableScanExec",
    "InMemoryTableScanExec",
    "LocalLimitExec",
    "MapInArrowExec",
    "MapInPandasExec",
    "MergeRowsExec",
    "ObjectHashAggregateExec",
    "OverwriteByExpressionExec",
    "OverwriteByExpressionExecV1",
    "OverwritePartitionsDynamicExec",
    "ProjectExec",
    "PythonMapInArrowExec",
    "RangeExec",
    "ReplaceDataExec",
    "RunningWindowFunctionExec",
    "SampleExec",
    "ShuffleExchangeExec",
    "ShuffledHashJoinExec",
    "SortAggregateExec",
    "SortExec",
    "SortMergeJoinExec",
    "SubqueryBroadcastExec",
    "TableCacheQueryStageExec",
    "TakeOrderedAndProjectExec",
    "UnionExec",
    "WindowExec",
    "WindowGroupLimitExec",
    "WindowInPandasExec",
    "WriteDeltaExec",
    "WriteFilesExec",
];

/// What an operator is, by its `nodeName` and `simpleString`.
#[must_use]
pub fn operator(node_name: &str, simple_string: &str) -> Operator {
    let name = node_name.trim();
    if let Some(command) = name.strip_prefix("Execute ") {
        return execute(command);
    }
    let (name, gpu) = match name.strip_prefix("Gpu") {
        Some(rest) => (rest, true),
        None => (name, false),
    };
    let (name, photon) = match name.strip_prefix("Photon") {
        Some(rest) => (rest, true),
        None => (name, false),
    };
    // `WholeStageCodegen (2)`, `BatchScan default.sales`, `Generate$`.
    let (head, rest) = match name.find([' ', '(', '[']) {
        Some(end) => (&name[..end], name[end..].trim()),
        None => (name, ""),
    };
    let head = head.trim_end_matches('$');
    let is_own = !gpu && !photon;
    let head = native::in_spark(head).filter(|_| is_own).map_or(head, |(_, in_spark)| in_spark);
    if head == "Scan" || head == "FileScan" {
        let (kind, class) = scan(rest, simple_string);
        return Operator { kind, class: class.map(str::to_owned), gpu };
    }
    let spark = in_spark(head, gpu, photon);
    let kind = match kind(spark) {
        Kind::Shuffle if simple_string.contains("EXECUTOR_BROADCAST") => Kind::Broadcast,
        // "Exchange SinglePartition", on a GPU "gpusinglepartitioning$()".
        Kind::Shuffle if simple_string.to_ascii_lowercase().contains("singlepartition") => Kind::Gather,
        kind => kind,
    };
    let class = match kind {
        Kind::Shuffle | Kind::Gather => "ShuffleExchangeExec".to_owned(),
        Kind::Broadcast => "BroadcastExchangeExec".to_owned(),
        // Sources of version 1 keep the "Exec" in their name: `AppendDataExecV1`.
        _ if spark.ends_with("ExecV1") => spark.to_owned(),
        _ => format!("{spark}Exec"),
    };
    Operator { kind, class: Some(class).filter(|class| CLASSES.contains(&class.as_str())), gpu }
}

/// What Spark itself calls an operator of the RAPIDS plugin or of Photon.
fn in_spark(name: &str, gpu: bool, photon: bool) -> &str {
    match name {
        "TopN" if gpu => "TakeOrderedAndProject",
        "FastSample" if gpu => "Sample",
        "ProjectAst" if gpu => "Project",
        "ShuffledSymmetricHashJoin" | "ShuffledAsymmetricHashJoin" | "ShuffledSizedHashJoin" if gpu => {
            "ShuffledHashJoin"
        }
        "RunningWindow" | "BatchedBoundedWindow" | "CachedDoublePassWindow" | "UnboundedToUnboundedAggWindow"
            if gpu =>
        {
            "Window"
        }
        "TopK" if photon => "TakeOrderedAndProject",
        "Agg" | "GroupingAgg" | "GroupingAggWithRollup" if photon => "HashAggregate",
        "HashJoin" if photon => "BroadcastHashJoin",
        // Photon has no merge join: where Spark merges, it hashes. NVIDIA's list of counterparts says the same.
        "ShuffledHashJoin" if photon => "SortMergeJoin",
        "ShuffleHashJoin" if photon => "ShuffledHashJoin",
        _ => name,
    }
}

/// What an operator does, by its name in Spark.
fn kind(name: &str) -> Kind {
    match name {
        "WholeStageCodegen"
        | "InputAdapter"
        | "AdaptiveSparkPlan"
        | "ShuffleQueryStage"
        | "BroadcastQueryStage"
        | "TableCacheQueryStage"
        | "ResultQueryStage"
        | "AQEShuffleRead"
        | "CustomShuffleReader"
        | "CoalescedShuffleReader"
        | "ColumnarToRow"
        | "RowToColumnar"
        | "Subquery"
        | "SubqueryBroadcast"
        | "SubqueryAdaptiveBroadcast"
        | "ReusedExchange"
        | "ReusedSubquery"
        // Transitions and batching of the RAPIDS plugin.
        | "ColumnarToRowParent"
        | "BringBackToHost"
        | "HostColumnarToGpu"
        | "CoalesceBatches"
        | "ShuffleCoalesce"
        // Stages of Photon, and the reading end of its exchanges.
        | "ResultStage"
        | "ShuffleMapStage"
        | "UnionShuffleMapStage"
        | "WriteStage"
        | "ShuffleExchangeSource"
        | "Adapter" => Kind::Wrapper,
        "Range" | "LocalTableScan" | "InMemoryTableScan" | "OneRowRelation" | "EmptyRelation" | "CommandResult" => {
            Kind::Values
        }
        "Filter" | "Sample" | "StreamingDeduplicate" | "StreamingDeduplicateWithinWatermark" => Kind::Filter,
        // Rows pass unchanged through all but the first.
        "Project" | "CollectMetrics" | "EventTimeWatermark" | "AttachDistributedSequence" | "DeltaInvariantChecker" => {
            Kind::Project
        }
        "CartesianProduct" => Kind::Join,
        // A part of the query that the database computed: the pushdown of connectors.
        "SnowflakePlan" | "RedshiftPlan" => Kind::Scan,
        "TakeOrderedAndProject" => Kind::Sort,
        "RunningWindowFunction" | "UpdatingSessions" => Kind::Window,
        "MergingSessions" => Kind::Aggregate,
        "Expand" | "Generate" | "MergeRows" => Kind::Expand,
        // Fewer partitions, the same rows: one after the other.
        "Union" | "UnionLoop" | "Coalesce" => Kind::Union,
        "CollectTail" | "WindowGroupLimit" => Kind::Limit,
        "ShuffleExchangeSink" | "UnionShuffleExchangeSink" | "DeltaOptimizedWriter" => Kind::Shuffle,
        "BroadcastExchange" => Kind::Broadcast,
        "MapElements"
        | "MapPartitions"
        | "DeserializeToObject"
        | "SerializeFromObject"
        | "AppendColumns"
        | "AppendColumnsWithObject"
        | "MapGroups"
        | "FlatMapGroupsWithState"
        | "CoGroup"
        | "TransformWithState"
        | "ScriptTransformation"
        | "SparkScriptTransformation"
        | "HiveScriptTransformation"
        | "FlatMapGroupsInR"
        | "FlatMapGroupsInRWithArrow"
        | "MapPartitionsInRWithArrow" => Kind::UserCode,
        "WriteFiles"
        | "AppendData"
        | "AppendDataExecV1"
        | "OverwriteByExpression"
        | "OverwriteByExpressionExecV1"
        | "OverwritePartitionsDynamic"
        | "ReplaceData"
        | "WriteDelta"
        | "WriteToDataSourceV2"
        | "WriteToContinuousDataSource"
        | "CreateTableAsSelect"
        | "ReplaceTableAsSelect"
        | "AtomicCreateTableAsSelect"
        | "AtomicReplaceTableAsSelect"
        | "ParquetWriter" => Kind::Write,
        _ => by_ending(name),
    }
}

/// Kind of an operator by the end of its name: `FlatMapCoGroupsInPandas`, `StreamingSymmetricHashJoin`.
fn by_ending(name: &str) -> Kind {
    const ENDINGS: [(&str, Kind); 16] = [
        ("InPandas", Kind::UserCode),
        ("InPandasWithState", Kind::UserCode),
        ("InArrow", Kind::UserCode),
        ("InPySpark", Kind::UserCode),
        ("Python", Kind::UserCode),
        ("PythonUDTF", Kind::UserCode),
        ("Join", Kind::Join),
        ("Aggregate", Kind::Aggregate),
        ("Sort", Kind::Sort),
        ("Window", Kind::Window),
        ("Filter", Kind::Filter),
        ("Project", Kind::Project),
        ("Limit", Kind::Limit),
        ("Exchange", Kind::Shuffle),
        ("Scan", Kind::Scan),
        ("Union", Kind::Union),
    ];
    ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map_or(Kind::Other, |(_, kind)| *kind)
}

/// Operators called "Scan …".
fn scan(what: &str, simple_string: &str) -> (Kind, Option<&'static str>) {
    let source = what.split([' ', '(', '[', '.']).next().unwrap_or_default();
    match source {
        // Rows of the driver or of an RDD.
        "" | "ExistingRDD" | "OneRowRelation" => (Kind::Values, None),
        "In-memory" => (Kind::Values, Some("InMemoryTableScanExec")),
        "hive" => (Kind::Scan, Some("HiveTableScanExec")),
        // Files: "Scan parquet db.table". Other relations carry a class name: "Scan JDBCRelation(people)".
        _ if simple_string.contains("FileScan") || source.starts_with(|first: char| first.is_ascii_lowercase()) => {
            (Kind::Scan, Some("FileSourceScanExec"))
        }
        _ => (Kind::Scan, None),
    }
}

/// Operators called "Execute …": commands.
fn execute(command: &str) -> Operator {
    let (command, gpu) = match command.strip_prefix("Gpu") {
        Some(rest) => (rest, true),
        None => (command, false),
    };
    let command = command.split_whitespace().next().unwrap_or_default();
    let (kind, class) = match command {
        "InsertIntoHadoopFsRelationCommand"
        | "InsertIntoHiveTable"
        | "InsertIntoHiveDirCommand"
        | "CreateDataSourceTableAsSelectCommand"
        | "CreateHiveTableAsSelectCommand"
        | "OptimizedCreateHiveTableAsSelectCommand"
        | "WriteIntoDeltaCommand" => (Kind::Write, "DataWritingCommandExec"),
        "SaveIntoDataSourceCommand"
        | "InsertIntoDataSourceCommand"
        | "InsertIntoDataSourceDirCommand"
        | "MergeIntoCommand"
        | "MergeIntoCommandEdge"
        | "UpdateCommand"
        | "UpdateCommandEdge"
        | "DeleteCommand"
        | "DeleteCommandEdge"
        | "CreateDeltaTableCommand"
        | "CloneTableCommand"
        | "RestoreTableCommand"
        | "ConvertToDeltaCommand"
        | "OptimizeTableCommand"
        | "OptimizeTableCommandEdge" => (Kind::Write, "ExecutedCommandExec"),
        // The catalogue's and the session's business: no rows.
        _ => (Kind::Other, "ExecutedCommandExec"),
    };
    Operator { kind, class: Some(class.to_owned()), gpu }
}
