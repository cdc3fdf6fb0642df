//! Settings of Spark in a log that a trial of another engine, or a next step on today's machines, starts from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Heap of an executor.
pub const EXECUTOR_MEMORY: &str = "spark.executor.memory";
/// Heap of the driver, which runs the tasks in local mode.
pub const DRIVER_MEMORY: &str = "spark.driver.memory";
/// Where Spark runs: `yarn`, `local[*]`. Kept in local mode only.
pub const MASTER: &str = "spark.master";
/// Memory of an executor outside of the heap, if it is enabled.
pub const OFF_HEAP_SIZE: &str = "spark.memory.offHeap.size";
/// Whether executors have memory outside of the heap.
pub const OFF_HEAP_ENABLED: &str = "spark.memory.offHeap.enabled";
/// Whether Spark starts and stops executors by the load.
pub const DYNAMIC_ALLOCATION: &str = "spark.dynamicAllocation.enabled";

/// Whether Spark changes a plan while it runs.
pub const ADAPTIVE: &str = "spark.sql.adaptive.enabled";
/// Whether Spark splits skewed partitions of joins; without adaptive execution it has no effect.
pub const SKEW_JOIN: &str = "spark.sql.adaptive.skewJoin.enabled";

/// Settings that are kept.
const KEPT: [&str; 11] = [
    MASTER,
    DRIVER_MEMORY,
    EXECUTOR_MEMORY,
    OFF_HEAP_SIZE,
    OFF_HEAP_ENABLED,
    DYNAMIC_ALLOCATION,
    ADAPTIVE,
    SKEW_JOIN,
    "spark.driver.extraClassPath",
    "spark.executor.extraClassPath",
    "spark.plugins",
];
/// Beginnings of the names of settings that only one service adds.
const SERVICES: [(&str, ClusterManager); 4] = [
    ("spark.databricks.clusterUsageTags.", ClusterManager::Databricks),
    ("spark.dataproc.", ClusterManager::Dataproc),
    ("spark.emr.", ClusterManager::Emr),
    ("spark.sql.emr.", ClusterManager::Emr),
];
/// Settings that name the region of the machines.
const REGION: [&str; 2] = ["spark.databricks.clusterUsageTags.dataPlaneRegion", "spark.hadoop.fs.s3a.endpoint.region"];
/// End of the names of machines on AWS, after their region.
const AWS_HOST: &str = ".compute.internal";
/// End of the names of machines in the oldest region of AWS, which do not name it.
const FIRST_AWS_HOST: &str = ".ec2.internal";
/// The oldest region of AWS.
const FIRST_AWS_REGION: &str = "us-east-1";
/// Longest value that is kept, bytes.
const LONGEST: usize = 8192;
/// Units of sizes, in bytes.
const UNITS: [(&str, f64); 4] = [("t", MIB * MIB), ("g", 1024.0 * MIB), ("m", MIB), ("k", 1024.0)];
/// Bytes of a MiB.
const MIB: f64 = 1024.0 * 1024.0;

/// What starts the processes of Spark: it decides how files reach the machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterManager {
    /// Spark's own: `spark://…`.
    Standalone,
    /// Hadoop YARN.
    Yarn,
    /// Kubernetes: `k8s://…`.
    Kubernetes,
    /// YARN of Amazon EMR.
    Emr,
    /// YARN of Google Cloud Dataproc.
    Dataproc,
    /// Databricks, where a cluster is configured, and no program is submitted to it.
    Databricks,
}

impl ClusterManager {
    /// That of a log with these settings; `None` in local mode, or if they do not name it.
    fn of(properties: &BTreeMap<String, String>) -> Option<Self> {
        let of_service = |(prefix, service): &(&str, Self)| {
            let mut from = properties.range((*prefix).to_owned()..);
            from.next().filter(|(name, _)| name.starts_with(prefix)).map(|_| *service)
        };
        let master = properties.get(MASTER).map_or("", |master| master.trim());
        SERVICES.iter().find_map(of_service).or(match master {
            "yarn" | "yarn-client" | "yarn-cluster" => Some(Self::Yarn),
            _ if master.starts_with("k8s://") => Some(Self::Kubernetes),
            _ if master.starts_with("spark://") => Some(Self::Standalone),
            _ => None,
        })
    }
}

/// Settings of Spark that a next step starts from, as a log has them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SparkSettings {
    /// Values by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<String, String>,
    /// Region of the machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    /// What starts its processes, if the log names it. The address of a cluster is not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    manager: Option<ClusterManager>,
}

impl SparkSettings {
    /// Whether the log has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes the settings of a log; a later value replaces an earlier one.
    pub fn take(&mut self, properties: &BTreeMap<String, String>) {
        for name in KEPT {
            // Spark hides values that look like passwords.
            let is_of_trial = |value: &str| name != MASTER || is_local(value);
            let usable =
                |value: &&String| value.len() <= LONGEST && !value.contains("(redacted)") && is_of_trial(value);
            if let Some(value) = properties.get(name).filter(usable) {
                self.values.insert(name.to_owned(), value.clone());
            }
        }
        self.manager = ClusterManager::of(properties).or(self.manager);
        let named = REGION.into_iter().find_map(|name| properties.get(name));
        if let Some(region) = named.filter(|region| is_region(region)) {
            self.region = Some(region.clone());
        }
    }

    /// Takes the region from the name of a machine, unless a setting named one: "ip-10-0-0-1.eu-west-1.compute.internal".
    pub fn take_host(&mut self, host: &str) {
        if self.region.is_some() {
            return;
        }
        let named = host.strip_suffix(AWS_HOST).and_then(|rest| rest.rsplit('.').next()).filter(|name| is_region(name));
        self.region = match named {
            Some(name) => Some(name.to_owned()),
            None => host.ends_with(FIRST_AWS_HOST).then(|| FIRST_AWS_REGION.to_owned()),
        };
    }

    /// A setting that is kept; `None` if the log has no value of it, or one of several lines.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let is_usable = |value: &&str| !value.is_empty() && !value.contains(char::is_control);
        self.values.get(name).map(String::as_str).filter(is_usable)
    }

    /// Region of the machines, if the log has one: "eu-west-1".
    #[must_use]
    pub fn region(&self) -> Option<&str> {
        self.region.as_deref().filter(|region| is_region(region))
    }

    /// What starts the processes of Spark; `None` in local mode, or if the log does not name it.
    #[must_use]
    pub fn manager(&self) -> Option<ClusterManager> {
        self.manager
    }

    /// Whether a setting is on.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
    }

    /// Whether Spark ran in local mode: the driver ran the tasks, and there were no executors.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.local_master().is_some()
    }

    /// The master of local mode, `local[*]`; `None` on a cluster, or if the log does not name it.
    #[must_use]
    pub fn local_master(&self) -> Option<&str> {
        self.get(MASTER).map(str::trim).filter(|master| is_local(master))
    }

    /// The setting of the heap of the process that runs tasks: an executor, or in local mode the driver.
    #[must_use]
    pub fn task_memory(&self) -> &'static str {
        if self.is_local() { DRIVER_MEMORY } else { EXECUTOR_MEMORY }
    }

    /// Memory of an executor, or in local mode of the driver, that heap and off-heap memory share, MiB; `None` if the log does not set
    /// its heap.
    #[must_use]
    pub fn executor_mib(&self) -> Option<f64> {
        // Without a unit the heap is in MiB, and off-heap memory in bytes: Spark's configuration page.
        let heap = bytes(self.get(self.task_memory())?, MIB)?;
        let off_heap = if self.is_on(OFF_HEAP_ENABLED) { self.get(OFF_HEAP_SIZE) } else { None };
        Some(((heap + off_heap.and_then(|size| bytes(size, 1.0)).unwrap_or(0.0)) / MIB).floor())
    }
}

/// Whether a master is that of local mode: "local", "local[4]", "local[*]".
fn is_local(master: &str) -> bool {
    let master = master.trim();
    master == "local" || master.starts_with("local[")
}

/// Whether a text is the name of a region, such as "eu-west-1", and not a part of a machine's name.
fn is_region(text: &str) -> bool {
    text.len() <= 40 && text.contains('-') && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Bytes of a size as Spark writes it, "9397M", "4g" or "512mb"; a number without a unit has this one.
fn bytes(text: &str, default: f64) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = match unit.trim() {
        "" => default,
        "b" => 1.0,
        unit => {
            let short = unit.strip_suffix('b').unwrap_or(unit);
            UNITS.iter().find(|(name, _)| *name == short)?.1
        }
    };
    number.parse::<f64>().ok().map(|number| number * unit).filter(|bytes| *bytes > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(of: &[(&str, &str)]) -> SparkSettings {
        let mut settings = SparkSettings::default();
        settings.take(&of.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect());
        settings
    }

    #[test]
    fn sizes_are_read_as_spark_writes_them() {
        let mib = |heap: &str| settings(&[(EXECUTOR_MEMORY, heap)]).executor_mib();
        for (heap, expected) in
            [("9397M", 9397.0), ("4g", 4096.0), ("4GB", 4096.0), ("512", 512.0), ("1t", 1_048_576.0), ("2048k", 2.0)]
        {
            assert_eq!(mib(heap), Some(expected), "{heap}");
        }
        for unknown in ["", "much", "4x", "-1g"] {
            assert_eq!(mib(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn off_heap_memory_counts_if_it_is_enabled() {
        let heap = (EXECUTOR_MEMORY, "4g");
        let size = (OFF_HEAP_SIZE, "1073741824");
        assert_eq!(settings(&[heap, size]).executor_mib(), Some(4096.0));
        assert_eq!(settings(&[heap, size, (OFF_HEAP_ENABLED, "true")]).executor_mib(), Some(5120.0));
    }

    /// In local mode the driver is the only process: `spark.executor.memory` has no effect.
    #[test]
    fn in_local_mode_the_memory_is_that_of_the_driver() {
        let of = |master: &str| {
            settings(&[("spark.master", master), (DRIVER_MEMORY, "30g"), (EXECUTOR_MEMORY, "4g")]).executor_mib()
        };
        for local in ["local", "local[*]", "local[8]", "local[4,2]"] {
            assert_eq!(of(local), Some(30720.0), "{local}");
        }
        // A cluster of several processes on one machine has executors.
        for cluster in ["yarn", "local-cluster[2,1,1024]", "spark://host:7077", ""] {
            assert_eq!(of(cluster), Some(4096.0), "{cluster}");
        }
    }

    #[test]
    fn a_region_is_in_a_setting_or_in_the_names_of_machines() {
        let of_host = |host: &str| {
            let mut settings = SparkSettings::default();
            settings.take_host(host);
            settings.region().map(str::to_owned)
        };
        assert_eq!(of_host("ip-10-0-0-1.eu-west-1.compute.internal").as_deref(), Some("eu-west-1"));
        assert_eq!(of_host("ip-10-0-0-1.ec2.internal").as_deref(), Some("us-east-1"));
        assert_eq!((of_host("worker-1"), of_host("10.0.0.1")), (None, None));
        let mut named = settings(&[("spark.hadoop.fs.s3a.endpoint.region", "us-west-2")]);
        named.take_host("ip-10-0-0-1.ec2.internal");
        assert_eq!(named.region(), Some("us-west-2"));
    }

    #[test]
    fn the_cluster_manager_is_in_the_master_or_in_the_settings_of_a_service() {
        let yarn = (MASTER, "yarn");
        for (properties, expected) in [
            (vec![yarn], Some(ClusterManager::Yarn)),
            (vec![(MASTER, "k8s://https://10.0.0.1:6443")], Some(ClusterManager::Kubernetes)),
            (vec![(MASTER, "spark://host:7077")], Some(ClusterManager::Standalone)),
            (vec![(MASTER, "local[*]")], None),
            (vec![(MASTER, "local-cluster[2,1,1024]")], None),
            (vec![yarn, ("spark.emr.default.executor.cores", "4")], Some(ClusterManager::Emr)),
            (vec![yarn, ("spark.dataproc.engine", "default")], Some(ClusterManager::Dataproc)),
            (
                vec![
                    (MASTER, "spark://10.0.0.1:7077"),
                    ("spark.databricks.clusterUsageTags.sparkVersion", "13.3.x-scala2.12"),
                ],
                Some(ClusterManager::Databricks),
            ),
            // Delta Lake has settings with the name of its maker on every cluster.
            (vec![yarn, ("spark.databricks.delta.optimizeWrite.enabled", "true")], Some(ClusterManager::Yarn)),
        ] {
            let found = settings(&properties);
            assert_eq!(found.manager(), expected, "{properties:?}");
            // The address of a cluster is no part of a scenario.
            assert_eq!(found.get(MASTER).is_some(), properties.contains(&(MASTER, "local[*]")), "{properties:?}");
        }
    }

    /// A value could otherwise add a setting of its own to those that are copied.
    #[test]
    fn a_value_of_several_lines_is_not_used() {
        let path = "spark.executor.extraClassPath";
        assert_eq!(settings(&[(path, "/opt/a.jar\nspark.plugins=other")]).get(path), None);
    }

    #[test]
    fn what_spark_hides_or_a_trial_does_not_need_is_not_kept() {
        let path = "spark.executor.extraClassPath";
        assert_eq!(settings(&[(path, "*********(redacted)")]).get(path), None);
        assert_eq!(settings(&[("spark.app.name", "shop")]).get("spark.app.name"), None);
        assert_eq!(settings(&[(path, "/opt/a.jar")]).get(path), Some("/opt/a.jar"));
    }
}
