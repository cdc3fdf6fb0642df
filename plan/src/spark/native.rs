//! Engines that run Spark's plans in its place: how they are known, what they call Spark's operators, and their versions.
//!
//! | engine | loaded by | operators | version |
//! |---|---|---|---|
//! | RAPIDS | `spark.plugins` | `Gpu…` | event `SparkRapidsBuildInfoEvent`, else the name of the jar |
//! | Gluten | `spark.plugins` | `…Transformer`, `Velox…`, `Columnar…` | event `GlutenBuildInfoEvent`, else the jar |
//! | Comet | `spark.plugins`, `spark.sql.extensions` | `Comet…` | the jar |
//! | Auron (Blaze) | `spark.sql.extensions` | `Native…` | the jar |
//! | Photon | `spark.databricks.clusterUsageTags.runtimeEngine` | `Photon…` | that of Databricks |
//!
//! The operators decide: a plugin that is loaded may leave all of them to Spark.

use std::collections::{BTreeMap, BTreeSet};

use crossover_query::NativeEngine;
use serde::Deserialize;

use super::raw::RawNode;

/// Properties that load engines: `spark.plugins` and `spark.sql.extensions` have class names.
const LOADED_BY: [(&str, NativeEngine); 6] = [
    ("com.nvidia.spark.SQLPlugin", NativeEngine::Rapids),
    ("GlutenPlugin", NativeEngine::Gluten),
    ("CometPlugin", NativeEngine::Comet),
    ("CometSparkSessionExtensions", NativeEngine::Comet),
    ("AuronSparkSessionExtension", NativeEngine::Auron),
    ("BlazeSparkSessionExtension", NativeEngine::Auron),
];
/// Beginnings of the names of their jars. That of RAPIDS has the version of Scala behind its name; `rapids-4-spark-tools` is a program
/// that reads event logs.
const JARS: [(&str, NativeEngine); 5] = [
    ("rapids-4-spark_", NativeEngine::Rapids),
    ("gluten-", NativeEngine::Gluten),
    ("comet-spark", NativeEngine::Comet),
    ("auron-", NativeEngine::Auron),
    ("blaze-engine", NativeEngine::Auron),
];
/// Whether Gluten runs Velox on GPUs.
pub(super) const VELOX_ON_GPUS: &str = "spark.gluten.sql.columnar.cudf";

/// The engine that an operator of this name is of; `None`: Spark. Operators of Gluten on GPUs have the names of those on CPUs.
#[must_use]
pub(super) fn of_operator(node_name: &str) -> Option<NativeEngine> {
    let name = node_name.trim();
    let name = name.strip_prefix("Execute ").unwrap_or(name);
    if name.starts_with("Gpu") {
        return Some(NativeEngine::Rapids);
    }
    if name.starts_with("Photon") {
        return Some(NativeEngine::Photon);
    }
    in_spark(head(name)).map(|(engine, _)| engine)
}

/// The name of an operator without what it works on: `BatchScan` of `BatchScan default.sales`.
pub(super) fn head(name: &str) -> &str {
    name.find([' ', '(', '[']).map_or(name, |end| &name[..end]).trim_end_matches('$')
}

/// The engine of an operator whose name has no arguments, and what Spark calls that operator. `None` for Spark's own names and those
/// of RAPIDS and Photon.
pub(super) fn in_spark(head: &str) -> Option<(NativeEngine, &str)> {
    if let Some(name) = head.strip_prefix("Comet") {
        return Some((NativeEngine::Comet, comet(name)));
    }
    if head == "ConvertToNative" {
        return Some((NativeEngine::Auron, "ColumnarToRow"));
    }
    if let Some(name) = head.strip_prefix("Native") {
        return Some((NativeEngine::Auron, auron(name)));
    }
    gluten(head).map(|name| (NativeEngine::Gluten, name))
}

/// Operators of `org.apache.spark.sql.comet`, without their prefix.
fn comet(name: &str) -> &str {
    match name {
        "NativeScan" | "IcebergNativeScan" => "FileSourceScan",
        "HashJoin" => "ShuffledHashJoin",
        "Explode" => "Generate",
        "ColumnarExchange" => "Exchange",
        "NativeWrite" => "WriteFiles",
        "NativeColumnarToRow"
        | "SparkRowToColumnar"
        | "SparkColumnarToColumnar"
        | "SinkPlaceHolder"
        | "ScanWrapper"
        | "SparkToColumnar" => "ColumnarToRow",
        _ => name,
    }
}

/// Operators of `org.apache.spark.sql.execution.auron.plan`, without their prefix.
fn auron(name: &str) -> &str {
    match name {
        "ParquetScan" | "OrcScan" => "FileSourceScan",
        "Agg" => "HashAggregate",
        "ShuffleExchange" => "Exchange",
        "BroadcastJoin" => "BroadcastHashJoin",
        "TakeOrdered" | "PartialTakeOrdered" => "TakeOrderedAndProject",
        "RenameColumns" => "Project",
        "ParquetInsertIntoHiveTable" | "OrcInsertIntoHiveTable" | "ParquetSink" | "OrcSink" => "WriteFiles",
        _ => name,
    }
}

/// Operators of `org.apache.gluten.execution`: `RegularHashAggregateExecTransformer`, `ColumnarExchange`,
/// `VeloxColumnarToRow`.
fn gluten(name: &str) -> Option<&str> {
    if let Some(name) = name.strip_suffix("ExecTransformer").or_else(|| name.strip_suffix("Transformer")) {
        let name = ["Regular", "Flushable", "CH"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
        return Some(match name {
            "WholeStageCodegen" | "WholeStage" => "WholeStageCodegen",
            "InputIterator" => "InputAdapter",
            "EvalPython" => "ArrowEvalPython",
            "FileSource" => "FileSourceScan",
            "Limit" => "LocalLimit",
            _ => name,
        });
    }
    Some(match name {
        "VeloxColumnarToRow"
        | "RowToVeloxColumnar"
        | "CHColumnarToRow"
        | "RowToCHNativeColumnar"
        | "VeloxResizeBatches"
        | "VeloxAppendBatches"
        | "ArrowColumnarToVeloxColumnar"
        | "ArrowColumnarToRow"
        | "LoadArrowData"
        | "OffloadArrowData"
        | "ColumnarInputAdapter"
        | "ColumnarAQEShuffleRead"
        | "ColumnarCollapseTransformStages" => "ColumnarToRow",
        "ColumnarExchange" => "Exchange",
        "ColumnarBroadcastExchange" => "BroadcastExchange",
        "ColumnarSubqueryBroadcast" => "SubqueryBroadcast",
        "ColumnarUnion" => "Union",
        "ColumnarCoalesce" => "Coalesce",
        "ColumnarRange" => "Range",
        "ColumnarCollectLimit" => "CollectLimit",
        "ColumnarCollectTail" => "CollectTail",
        "ColumnarArrowEvalPython" => "ArrowEvalPython",
        "ColumnarWriteFiles" | "VeloxColumnarWriteFiles" => "WriteFiles",
        _ => return None,
    })
}

/// What a log says of the engines that are loaded.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// Engines that a setting or an event of their start names; a jar alone loads nothing.
    engines: BTreeSet<NativeEngine>,
    /// Versions by engine; none is empty.
    versions: BTreeMap<NativeEngine, String>,
    /// Whether Gluten runs Velox on GPUs.
    velox_on_gpus: bool,
}

/// What the RAPIDS plugin says of itself when it starts.
#[derive(Deserialize)]
pub(super) struct RapidsBuild {
    #[serde(rename = "sparkRapidsBuildInfo", default)]
    info: BTreeMap<String, String>,
}

/// What Gluten says of itself when it starts.
#[derive(Deserialize)]
pub(super) struct GlutenBuild {
    #[serde(default)]
    info: BTreeMap<String, String>,
}

impl Loaded {
    /// Properties of Spark, and its class path.
    pub(super) fn configure<'a>(
        &mut self,
        properties: &'a BTreeMap<String, String>,
        class_path: impl Iterator<Item = &'a str>,
    ) {
        let of = |name: &str| properties.get(name).map(String::as_str).unwrap_or_default();
        for classes in [of("spark.plugins"), of("spark.sql.extensions")] {
            for (class, engine) in LOADED_BY {
                if classes.split(',').any(|name| name.trim().ends_with(class)) {
                    self.engines.insert(engine);
                }
            }
        }
        if of("spark.databricks.clusterUsageTags.runtimeEngine").eq_ignore_ascii_case("photon") {
            self.engines.insert(NativeEngine::Photon);
        }
        self.velox_on_gpus |= of(VELOX_ON_GPUS).eq_ignore_ascii_case("true");
        let jars = of("spark.jars").split(',').chain(class_path);
        for file in jars.map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path).trim()) {
            let Some((_, engine)) = JARS.iter().find(|(start, _)| file.starts_with(start)) else { continue };
            if let Some(version) = version_of_jar(file) {
                self.note(*engine, version);
            }
        }
    }

    /// The RAPIDS plugin started.
    pub(super) fn rapids(&mut self, build: &RapidsBuild) {
        self.engines.insert(NativeEngine::Rapids);
        self.note(NativeEngine::Rapids, build.info.get("version").map(String::as_str).unwrap_or_default());
    }

    /// Gluten started.
    pub(super) fn gluten(&mut self, build: &GlutenBuild) {
        self.engines.insert(NativeEngine::Gluten);
        self.note(NativeEngine::Gluten, build.info.get("Gluten Version").map(String::as_str).unwrap_or_default());
    }

    /// Notes a version; one that is known stays.
    fn note(&mut self, engine: NativeEngine, version: &str) {
        if !version.is_empty() {
            self.versions.entry(engine).or_insert_with(|| version.to_owned());
        }
    }

    /// The engine that ran most operators instead of Spark, with its version: "Gluten 1.4.0 (Velox)".
    pub(super) fn ran<'a>(&self, nodes: impl Iterator<Item = &'a RawNode>) -> Option<String> {
        let mut counts: BTreeMap<NativeEngine, usize> = BTreeMap::new();
        let mut backend = "";
        for node in nodes {
            let Some(engine) = of_operator(&node.name) else { continue };
            *counts.entry(engine).or_default() += 1;
            let name = head(node.name.trim());
            if engine == NativeEngine::Gluten && name.contains("Velox") {
                backend = " (Velox)";
            } else if engine == NativeEngine::Gluten && name.contains("CH") && backend.is_empty() {
                backend = " (ClickHouse)";
            }
        }
        let (engine, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        let version = self.versions.get(&engine).map(String::as_str).unwrap_or_default();
        let space = if version.is_empty() { "" } else { " " };
        let backend = match engine {
            NativeEngine::Gluten if self.velox_on_gpus => " (Velox, cuDF)",
            NativeEngine::Gluten => backend,
            _ => "",
        };
        Some(format!("{}{space}{version}{backend}", engine.name()))
    }

    /// Whether operators of Gluten ran on GPUs.
    pub(super) fn is_gluten_on_gpus(&self) -> bool {
        self.velox_on_gpus
    }

    /// A note on engines that are loaded although no operator is theirs; `ran` is the engine that ran.
    pub(super) fn note_of_idle(&self, ran: Option<&str>) -> Option<String> {
        let is_idle = |engine: &&NativeEngine| !ran.is_some_and(|ran| ran.starts_with(engine.name()));
        let idle: Vec<&str> = self.engines.iter().filter(is_idle).map(|engine| engine.name()).collect();
        let is_are = if idle.len() == 1 { "is" } else { "are" };
        (!idle.is_empty()).then(|| format!("{} {is_are} loaded, but no operator ran in it", idle.join(" and ")))
    }
}

/// The version in the name of a jar: the last part that begins with a digit, as in `rapids-4-spark_2.12-25.02.0-cuda12.jar`.
fn version_of_jar(file: &str) -> Option<&str> {
    let name = file.strip_suffix(".jar")?;
    name.rsplit('-').find(|part| part.starts_with(|c: char| c.is_ascii_digit()) && part.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_tell_the_engine() {
        for (name, expected) in [
            ("GpuProject", Some(NativeEngine::Rapids)),
            ("Execute GpuInsertIntoHadoopFsRelationCommand", Some(NativeEngine::Rapids)),
            ("GpuColumnarExchange", Some(NativeEngine::Rapids)),
            ("FileSourceScanExecTransformer parquet db.t", Some(NativeEngine::Gluten)),
            ("WholeStageCodegenTransformer (3)", Some(NativeEngine::Gluten)),
            ("ColumnarExchange", Some(NativeEngine::Gluten)),
            ("CometScan parquet db.t", Some(NativeEngine::Comet)),
            ("NativeParquetScan", Some(NativeEngine::Auron)),
            ("PhotonShuffledHashJoin", Some(NativeEngine::Photon)),
            ("ColumnarToRow", None),
            ("Exchange", None),
            ("Scan parquet db.t", None),
            ("WholeStageCodegen (3)", None),
        ] {
            assert_eq!(of_operator(name), expected, "{name}");
        }
    }

    #[test]
    fn a_jar_has_its_version() {
        for (jar, version) in [
            ("rapids-4-spark_2.12-25.02.0.jar", Some("25.02.0")),
            ("rapids-4-spark_2.12-25.02.0-cuda12.jar", Some("25.02.0")),
            ("comet-spark-spark3.5_2.12-0.9.0.jar", Some("0.9.0")),
            ("gluten-velox-bundle-spark3.5_2.12-centos_7_x86_64-1.3.0.jar", Some("1.3.0")),
            ("comet.jar", None),
            ("comet-spark.txt", None),
        ] {
            assert_eq!(version_of_jar(jar), version, "{jar}");
        }
    }

    #[test]
    fn a_plugin_without_operators_is_loaded_only() {
        let properties = [("spark.plugins".to_owned(), "com.nvidia.spark.SQLPlugin".to_owned())].into();
        let mut loaded = Loaded::default();
        loaded.configure(&properties, ["/opt/jars/rapids-4-spark_2.12-25.02.0.jar"].into_iter());
        let node = |name: &str| RawNode { name: name.to_owned(), ..RawNode::default() };
        assert_eq!(loaded.ran([node("Project")].iter()), None);
        assert!(loaded.note_of_idle(None).is_some_and(|note| note.starts_with("RAPIDS is loaded")));
        let ran = loaded.ran([node("GpuProject"), node("Project")].iter());
        assert_eq!(ran.as_deref(), Some("RAPIDS 25.02.0"));
        assert_eq!(loaded.note_of_idle(ran.as_deref()), None);
    }

    /// The classes of a jar run only if a setting names them. The tools read event logs and are no engine.
    #[test]
    fn a_jar_without_its_plugin_loads_nothing() {
        for jar in ["rapids-4-spark-tools_2.12-21.12.0.jar", "rapids-4-spark_2.12-25.02.0.jar"] {
            let mut loaded = Loaded::default();
            loaded.configure(&BTreeMap::new(), [format!("/opt/jars/{jar}").as_str()].into_iter());
            assert_eq!(loaded.note_of_idle(None), None, "{jar}");
        }
    }
}
