//! Metrics of time and settings of plugins that the import of a log does not use.
//!
//! Spark's own metrics of time that are parts of the run time of tasks, which is used as a whole, are known
//! (<https://spark.apache.org/docs/latest/web-ui.html#sql-metrics>), as are those of the RAPIDS plugin that are parts of its
//! `op time` (<https://docs.nvidia.com/spark-rapids/user-guide/latest/tuning-guide.html#metrics>).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crossover_quantity::unread::{Unread, UnreadKind, suggests_accelerator, suggests_time};

use super::cluster::GPUS;
use super::derive::{EXCLUSIVE, INCLUSIVE, ON_GPU};
use super::metrics::plain;
use super::native::VELOX_ON_GPUS;
use super::raw::{RawMetric, RawQuery, RawStage};
use super::stage_time::{OF_PYTHON, ON_DRIVER};

/// Metrics that are parts of times that are used.
const PARTS: [&str; 31] = [
    // Of the run time of tasks.
    "fetch wait time",
    "remote reqs duration",
    "remote merged reqs duration",
    "task commit time",
    "job commit time",
    "time to start Python workers",
    "time to initialize Python workers",
    // On the driver, before the tasks run or beside them.
    "metadata time",
    "dynamic partition pruning time",
    "time to collect",
    // Of the plugin's `op time`, or waiting that it leaves out.
    "GPU decode time",
    "GPU encode time",
    "GPU time",
    "buffer time",
    "build time",
    "stream time",
    "join time",
    "sort op time",
    "concat batch time",
    "filter time",
    "partition time",
    "collect time",
    "broadcast time",
    "copy to host time",
    "concat time",
    "rs. serialization time",
    "rs. deserialization time",
    "rs. shuffle write time",
    "rs. shuffle read time",
    "rs. shuffle combine time",
    "rs. shuffle write io time",
];
/// The CPU time before a task runs, which is in no balance.
const STARTS: &str = "Executor Deserialize CPU Time";
/// Beginnings of the names of settings of plugins, of what loads them, and of accelerators.
const OF_PLUGINS: [&str; 9] = [
    "spark.rapids.",
    "spark.gluten.",
    "spark.comet.",
    "spark.auron.",
    "spark.blaze.",
    "spark.databricks.photon.",
    "spark.executor.resource.",
    "spark.task.resource.",
    "spark.driver.resource.",
];
/// Settings that are used, or that change neither times nor counts.
const KNOWN_SETTINGS: [&str; 2] = [GPUS, VELOX_ON_GPUS];
/// What begins a copy of a setting for the plugins of executors.
const COPIED: &str = "spark.plugins.internal.conf.";
/// Ends of settings that only say how accelerators are found.
const OF_DISCOVERY: [&str; 2] = [".discoveryScript", ".vendor"];

/// Adds the metrics of time of a query that nothing uses.
pub(super) fn add_times(raw: &RawQuery, unread: &mut Unread) {
    for (id, node) in raw.nodes.iter().enumerate() {
        for metric in node.metrics.iter().filter(|metric| is_unread_time(metric)) {
            let place = format!("query {}, node {id} ({})", raw.id, node.name.trim());
            unread.add(UnreadKind::Time, plain(&metric.name), &place);
        }
    }
}

/// Adds the CPU time of the starts of all tasks. Every log has it, so there is no warning about it.
pub(super) fn add_starts(stages: &BTreeMap<u64, RawStage>, unread: &mut Unread) {
    for (id, stage) in stages.iter().filter(|(_, stage)| stage.tasks_with_start > 0) {
        let tasks = usize::try_from(stage.tasks_with_start).unwrap_or(usize::MAX);
        let sum = Duration::try_from_secs_f64(stage.start_cpu_seconds).unwrap_or(Duration::MAX);
        unread.add_time(STARTS, &format!("stage {id}"), tasks, sum);
    }
}

/// Whether a metric is a time that was measured and is in no table.
fn is_unread_time(metric: &RawMetric) -> bool {
    let name = plain(&metric.name);
    let is_time = matches!(metric.metric_type.as_str(), "timing" | "nsTiming") || suggests_time(&metric.name);
    let tables: [&[&str]; 6] = [&EXCLUSIVE, &ON_GPU, &INCLUSIVE, &OF_PYTHON, &ON_DRIVER, &PARTS];
    is_time && metric.total.is_some_and(|total| total != 0.0) && !tables.iter().any(|names| names.contains(&name))
}

/// Adds the settings of plugins and accelerators that nothing uses, of all settings of Spark. The copies that Spark hands to plugins of
/// executors are the same settings.
pub(super) fn add_settings<'a>(names: impl Iterator<Item = &'a String>, unread: &mut Unread) {
    let originals: BTreeSet<&str> = names.map(|name| original(name)).collect();
    for name in originals.into_iter().filter(|name| is_unread_setting(name)) {
        unread.add(UnreadKind::Setting, name, "the properties of Spark");
    }
}

/// The setting that a name copies: the copy has the class of the plugin before it (`PluginContainer.EXTRA_CONF_PREFIX` of Spark).
fn original(name: &str) -> &str {
    let copied = name.strip_prefix(COPIED).and_then(|rest| rest.rfind(".spark.").map(|at| &rest[at + 1..]));
    copied.unwrap_or(name)
}

fn is_unread_setting(name: &str) -> bool {
    let is_of_plugin = OF_PLUGINS.iter().any(|beginning| name.starts_with(beginning)) || suggests_accelerator(name);
    is_of_plugin && !KNOWN_SETTINGS.contains(&name) && !OF_DISCOVERY.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::raw::RawNode;
    use super::*;

    fn metric(name: &str, metric_type: &str, total: Option<f64>) -> RawMetric {
        RawMetric { name: name.to_owned(), metric_type: metric_type.to_owned(), accumulator: 1, total }
    }

    #[test]
    fn an_unknown_time_is_named_with_its_count_and_a_known_one_is_not() {
        let times = [
            metric("sort time", "timing", Some(5.0)),
            metric("fetch wait time", "timing", Some(5.0)),
            metric("time of quantum sort", "nsTiming", Some(5.0)),
            metric("wait total (min, med, max)", "timing", Some(5.0)),
            metric("spill time", "sum", Some(7.0)),
            metric("merge time", "timing", None),
            metric("number of output rows", "sum", Some(9.0)),
        ];
        let node = RawNode { name: "Sort ".to_owned(), metrics: times.to_vec(), ..RawNode::default() };
        let query = RawQuery { id: 3, nodes: vec![node.clone(), node], ..RawQuery::default() };
        let mut unread = Unread::default();
        add_times(&query, &mut unread);
        let named: Vec<(&str, usize, &str)> = unread.names().map(|name| (name.name, name.count, name.first)).collect();
        let first = "query 3, node 0 (Sort)";
        assert_eq!(named, [("spill time", 2, first), ("time of quantum sort", 2, first), ("wait", 2, first)]);
    }

    #[test]
    fn the_starts_of_tasks_are_named_with_their_sum() {
        let stage = |start_cpu_seconds, tasks_with_start| RawStage {
            start_cpu_seconds,
            tasks_with_start,
            ..RawStage::default()
        };
        let stages = BTreeMap::from([(3, stage(0.0, 0)), (4, stage(1.5, 8)), (7, stage(0.5, 2))]);
        let mut unread = Unread::default();
        add_starts(&stages, &mut unread);
        let named: Vec<_> = unread.names().map(|name| (name.name, name.count, name.first, name.seconds)).collect();
        assert_eq!(named, [("Executor Deserialize CPU Time", 10, "stage 4", Some(2.0))]);
    }

    #[test]
    fn settings_of_plugins_and_accelerators_are_named_and_used_ones_are_not() {
        let names = [
            "spark.app.name",
            "spark.plugins",
            "spark.rapids.sql.concurrentGpuTasks",
            "spark.executor.resource.gpu.amount",
            "spark.executor.resource.gpu.discoveryScript",
            "spark.executor.resource.fpga.amount",
            "spark.task.resource.gpu.amount",
            "spark.gluten.sql.columnar.cudf",
            "spark.comet.exec.enabled",
            "spark.hadoop.yarn.io/gpu",
            "spark.plugins.internal.conf.com.nvidia.spark.SQLPlugin.spark.rapids.sql.concurrentGpuTasks",
            "spark.plugins.internal.conf.com.nvidia.spark.SQLPlugin.spark.rapids.shuffle.mode",
        ];
        let names: Vec<String> = names.map(str::to_owned).to_vec();
        let mut unread = Unread::default();
        add_settings(names.iter(), &mut unread);
        let named: Vec<&str> = unread.names().map(|name| name.name).collect();
        let expected = [
            "spark.comet.exec.enabled",
            "spark.executor.resource.fpga.amount",
            "spark.hadoop.yarn.io/gpu",
            "spark.rapids.shuffle.mode",
            "spark.rapids.sql.concurrentGpuTasks",
            "spark.task.resource.gpu.amount",
        ];
        assert_eq!(named, expected);
    }
}
