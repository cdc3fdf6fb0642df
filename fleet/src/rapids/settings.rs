//! The settings of a configuration, from numbers of the log and of the base.
//!
//! ```text
//! N = machines · GPUs              executors: one for each GPU
//! c = min(16, ⌊cores / GPUs⌋)      cores of an executor
//! k = min(4, ⌊GPU memory / 7.5 GB⌋) tasks on a GPU at a time
//! p = B / (N·c), up to the next of 128, 256, 512 MiB    part of the largest scan B that a task reads
//! M = 0.8 · memory / GPUs           memory of an executor
//! h = 2 GiB · c,  pinned = c·p in 2 … 8 GiB,  overhead = pinned + 2 GiB + h/10,  h + overhead ≤ M
//! s = max(N·k, ⌈E / 1 GiB⌉)        partitions of the largest exchange E
//! ```
//! 0.8, 16, 4, 7.5 GB, 2 GiB, 512 MiB, 2 … 8 GiB, 1/10 and 1 GiB are the defaults of the auto-tuner in NVIDIA's
//! spark-rapids-tools 26.08 (`bootstrap/tuningConfigs.yaml`: `CORES_PER_EXECUTOR`, `CONC_GPU_TASKS`, `GPU_MEM_PER_TASK`,
//! `HEAP_PER_CORE`, `MAX_PARTITION_BYTES`, `PINNED_MEMORY`, `SPILL_MEMORY`, `HEAP_OVERHEAD_FRACTION`,
//! `DOWNWARD_SHUFFLE_TARGET_PARTITION_SIZE`, and `NON_EXECUTOR_MEM_FRACTION` for machines of a cloud). The accelerator's tuning guide explains them.

use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;

use super::cluster::{GpuCluster, Host, whole};
use crate::application::{Largest, Summary};

/// `CORES_PER_EXECUTOR`.
const MOST_CORES: u64 = 16;
/// `CONC_GPU_TASKS`.
const MOST_ON_GPU: f64 = 4.0;
/// The default of the tuning guide, for a GPU of unknown memory.
const USUALLY_ON_GPU: u64 = 2;
/// `GPU_MEM_PER_TASK`, GB.
const GPU_GB_PER_TASK: f64 = 7.5;
/// `HEAP_PER_CORE`, and its least, MiB.
const HEAP_MIB_PER_CORE: u64 = 2048;
const LEAST_HEAP_MIB_PER_CORE: u64 = 750;
/// `PINNED_MEMORY`: the default and the most, MiB.
const PINNED_MIB: [u64; 2] = [2048, 8192];
/// `NON_EXECUTOR_MEM_FRACTION`: the share of a machine's memory for the operating system and the cluster manager. The auto-tuner
/// uses 0.2 on Dataproc, 0.3 on EMR and Databricks on Azure, 0.35 on Databricks on AWS, and 0 on premises, where earlier
/// versions used 2 GiB. A base does not name its platform, so this is the least of clouds.
const NOT_FOR_EXECUTORS: f64 = 0.2;
/// `SPILL_MEMORY`, MiB.
const SPILL_MIB: u64 = 2048;
/// Spark's own share of a file for a task, and `MAX_PARTITION_BYTES`, MiB.
const PARTITION_MIB: [u64; 3] = [128, 256, 512];
/// `DOWNWARD_SHUFFLE_TARGET_PARTITION_SIZE`, bytes.
const SHUFFLE_PARTITION: f64 = 1_073_741_824.0;
/// Most partitions that are proposed.
const MOST_PARTITIONS: u64 = 1_000_000;
/// Bytes of a GB.
const GB: f64 = 1e9;
/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

/// Versions of Spark with a shuffle manager of the accelerator: major, minor, last patch (supported versions of
/// releases 25.12 and 26.04).
const SHUFFLE_MANAGERS: [(u32, u32, u32); 5] = [(3, 2, 4), (3, 3, 4), (3, 4, 4), (3, 5, 7), (4, 0, 1)];

/// A setting and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: &'static str,
    /// Its value: a number, a class or a word of this program, never a text from a log.
    pub value: String,
    /// Its reason.
    pub why: String,
    /// Whether it depends on the machines' paths, so that it is written as a comment.
    pub is_proposal: bool,
}

/// Numbers of logs that a configuration depends on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Demand<'a> {
    /// The largest scan of a query, with its application's id.
    read: Option<(&'a str, &'a Largest)>,
    /// The largest exchange of a query, with its application's id.
    exchanged: Option<(&'a str, &'a Largest)>,
    /// Spark's version, if it is the same in all.
    spark: Option<[u32; 3]>,
}

impl<'a> Demand<'a> {
    /// Of applications with their ids.
    #[must_use]
    pub fn of(applications: &[(&'a str, &'a Summary)]) -> Self {
        let largest = |of: fn(&Summary) -> &Option<Largest>| {
            let all = applications.iter().filter_map(|(id, summary)| Some((*id, of(summary).as_ref()?)));
            all.reduce(|most, next| if next.1.bytes > most.1.bytes { next } else { most })
        };
        let mut versions = applications.iter().map(|(_, summary)| version(&summary.engine));
        let first = versions.next().flatten();
        Self {
            read: largest(|summary| &summary.largest_scan),
            exchanged: largest(|summary| &summary.largest_exchange),
            spark: first.filter(|_| versions.all(|other| other == first)),
        }
    }
}

/// The settings for a cluster and its applications.
#[must_use]
pub fn settings(cluster: &GpuCluster, demand: &Demand<'_>) -> Vec<Setting> {
    let mut settings = vec![
        set(
            "spark.plugins",
            "com.nvidia.spark.SQLPlugin",
            "Loads the accelerator; its jar must be on the machines, or in --jars.",
        ),
        set(
            "spark.rapids.sql.enabled",
            "true",
            "Runs SQL on GPUs (the default); false runs the same application on CPUs for comparison.",
        ),
    ];
    let on_gpu = tasks_on_gpu(cluster, &mut settings);
    let slots = executors(cluster, on_gpu, &mut settings);
    let partition_mib = scans(cluster, demand, slots, &mut settings);
    memory(cluster, partition_mib, &mut settings);
    exchanges(cluster, demand, on_gpu, &mut settings);
    settings
}

fn set(key: &'static str, value: impl Into<String>, why: impl Into<String>) -> Setting {
    Setting { key, value: value.into(), why: why.into(), is_proposal: false }
}

/// How many tasks share a GPU.
fn tasks_on_gpu(cluster: &GpuCluster, settings: &mut Vec<Setting>) -> u64 {
    let gpu = if cluster.gpu.is_empty() { "the GPU" } else { &cluster.gpu };
    let (count, why) = match cluster.gpu_memory_gb {
        Some(memory) => {
            let count = whole((memory / GPU_GB_PER_TASK).clamp(1.0, MOST_ON_GPU));
            let memory = Unit::Gigabytes.format(memory);
            (
                count,
                format!(
                    "{memory} of {gpu}, 7.5 GB per task, at most 4 (AutoTuner). Reduce it if a task runs out of GPU memory."
                ),
            )
        }
        None => (
            USUALLY_ON_GPU,
            format!("The base has no memory size for {gpu}; 2 is the usual best value (tuning guide)."),
        ),
    };
    settings.push(set("spark.rapids.sql.concurrentGpuTasks", count.to_string(), why));
    count
}

/// Cores of an executor, if the machine is known.
fn cores(cluster: &GpuCluster) -> Option<(&Host, u64)> {
    let host = cluster.host.as_ref()?;
    Some((host, (whole(host.cores) / cluster.gpus_per_machine).clamp(1, MOST_CORES)))
}

/// Executors with their GPUs and cores; returns the tasks that run at a time.
fn executors(cluster: &GpuCluster, on_gpu: u64, settings: &mut Vec<Setting>) -> u64 {
    let GpuCluster { machines, gpus_per_machine, .. } = cluster;
    let executors = cluster.executors();
    settings.push(set(
        "spark.executor.resource.gpu.amount",
        "1",
        "The accelerator runs one executor for each GPU, and one GPU for each executor (tuning guide).",
    ));
    settings.push(Setting {
        is_proposal: true,
        ..set(
            "spark.executor.resource.gpu.discoveryScript",
            "/path/on/the/workers/getGpusResources.sh",
            "YARN, Kubernetes and standalone clusters find GPUs by a script; Spark brings one in \
             examples/src/main/scripts. Remove the # when the path is right.",
        )
    });
    let of_machine = counted(*gpus_per_machine as f64, "GPU");
    settings.push(set(
        "spark.executor.instances",
        executors.to_string(),
        format!("{machines} × {of_machine} of the base. With dynamic allocation it is the initial number."),
    ));
    let Some((host, cores)) = cores(cluster) else {
        settings.push(set(
            "spark.task.resource.gpu.amount",
            "0.001",
            "So small that it never limits the tasks of an executor (AutoTuner). spark.executor.cores is not written: \
             the catalogue has no core count for these machines.",
        ));
        return executors.saturating_mul(on_gpu);
    };
    settings.push(set(
        "spark.executor.cores",
        cores.to_string(),
        format!("{} cores of {} for {of_machine}, at most 16 for each (AutoTuner).", whole(host.cores), host.name),
    ));
    settings.push(set(
        "spark.task.resource.gpu.amount",
        share(cores),
        format!("1 ÷ {cores}, rounded down: the GPU does not limit how many tasks the cores run (tuning guide)."),
    ));
    executors.saturating_mul(cores)
}

/// 1 ÷ a count of at most 16 in four digits, rounded down, so that as many fit into one.
fn share(count: u64) -> String {
    let digits = 10_000 / count.max(1);
    if digits == 10_000 { "1".to_owned() } else { format!("0.{digits:04}").trim_end_matches('0').to_owned() }
}

/// Part of a file that a task reads, MiB, if a log has a scan.
fn scans(cluster: &GpuCluster, demand: &Demand<'_>, slots: u64, settings: &mut Vec<Setting>) -> Option<u64> {
    let (id, Largest { bytes, query }) = demand.read?;
    let each = bytes / slots.max(1) as f64 / MIB;
    let [spark, _, most] = PARTITION_MIB;
    let chosen = PARTITION_MIB.into_iter().find(|mib| *mib as f64 >= each).unwrap_or(most);
    let read = Unit::Gigabytes.format(bytes / GB);
    let executors = counted(cluster.executors() as f64, "executor");
    let tasks = counted(slots as f64, "task");
    let why = format!(
        "The largest scan reads {read} (query {query} of {id}): over {tasks} on {executors} {} each. Large partitions \
         suit GPUs, up to 512m (AutoTuner); below Spark's {spark}m there is no gain.",
        Unit::Gigabytes.format(bytes / GB / slots.max(1) as f64)
    );
    settings.push(set("spark.sql.files.maxPartitionBytes", size(chosen), why));
    Some(chosen)
}

/// Memory of an executor.
fn memory(cluster: &GpuCluster, partition_mib: Option<u64>, settings: &mut Vec<Setting>) {
    let [usual, most] = PINNED_MIB;
    let Some((host, cores)) = cores(cluster) else {
        settings.push(set(
            "spark.rapids.memory.pinnedPool.size",
            size(usual),
            "Data moves to the GPU through pinned memory; 2g is the AutoTuner's default, used because the catalogue lacks these \
             machines. spark.executor.memoryOverhead must include it.",
        ));
        return;
    };
    let there = whole(host.memory_gib * 1024.0 * (1.0 - NOT_FOR_EXECUTORS) / cluster.gpus_per_machine as f64);
    let least_heap = LEAST_HEAP_MIB_PER_CORE * cores;
    // The heap has priority.
    let room = there.saturating_sub(SPILL_MIB + least_heap * 11 / 10).clamp(usual, most);
    let pinned = partition_mib.map_or(usual, |mib| (mib * cores).clamp(usual, room));
    let why = match partition_mib {
        Some(mib) => format!(
            "For the data of {} at a time, {} each (tuning guide), 2g … 8g (AutoTuner), within the memory.",
            counted(cores as f64, "task"),
            size(mib)
        ),
        None => "Data moves to the GPU through pinned memory; 2g is the AutoTuner's default without a log.".to_owned(),
    };
    settings.push(set("spark.rapids.memory.pinnedPool.size", size(pinned), why));
    let beside = |heap: u64| pinned + SPILL_MIB + heap / 10;
    let wanted = HEAP_MIB_PER_CORE * cores;
    let room = there.saturating_sub(pinned + SPILL_MIB) * 10 / 11;
    let heap = wanted.min(room).max(least_heap);
    let fits = if heap + beside(heap) <= there {
        ""
    } else {
        " That exceeds the memory for executors: use machines with more memory."
    };
    let why = if heap == wanted {
        format!("2g for each of {} (AutoTuner).{fits}", counted(cores as f64, "core"))
    } else {
        format!(
            "Less than the AutoTuner's 2g for each of {}, to fit into {} for each GPU of {}: a fifth of its memory is for the system and the cluster manager.{fits}",
            counted(cores as f64, "core"),
            size(there),
            host.name
        )
    };
    settings.push(set("spark.executor.memory", size(heap), why));
    settings.push(set(
        "spark.executor.memoryOverhead",
        size(beside(heap)),
        format!(
            "{} of pinned memory, 2g for data spilled from the GPU, a tenth of the heap (AutoTuner). Heap + overhead = {}; \
             limit per GPU on {}: {}. A fifth of the machine's {} GiB is for the operating system and the cluster manager, as in the \
             AutoTuner on Dataproc; on EMR it reserves 30 %, on Databricks up to 35 %.",
            size(pinned),
            size(heap + beside(heap)),
            host.name,
            size(there),
            host.memory_gib
        ),
    ));
}

/// Partitions of exchanges, and the shuffle manager.
fn exchanges(cluster: &GpuCluster, demand: &Demand<'_>, on_gpu: u64, settings: &mut Vec<Setting>) {
    if let Some((id, Largest { bytes, query })) = demand.exchanged {
        let at_least = cluster.executors().saturating_mul(on_gpu);
        // A number of a checked plan: at most 1e18.
        let by_size = whole((bytes / SHUFFLE_PARTITION).ceil());
        let why = format!(
            "The largest exchange has {} (query {query} of {id}): 1g per partition (AutoTuner). At least one partition for each \
             task that all GPUs run at a time, {at_least} (tuning guide).",
            Unit::Gigabytes.format(bytes / GB)
        );
        let partitions = by_size.max(at_least).min(MOST_PARTITIONS);
        settings.push(set("spark.sql.shuffle.partitions", partitions.to_string(), why));
    }
    if let Some([major, minor, patch]) = demand.spark.filter(has_shuffle_manager) {
        settings.push(Setting {
            is_proposal: true,
            ..set(
                "spark.shuffle.manager",
                format!("com.nvidia.spark.rapids.spark{major}{minor}{patch}.RapidsShuffleManager"),
                format!(
                    "Compresses and packs exchanges on more cores, for the log's Spark {major}.{minor}.{patch}. Remove the # if \
                     the accelerator's jar is in spark.driver.extraClassPath and spark.executor.extraClassPath; otherwise Spark \
                     does not start."
                ),
            )
        });
    }
}

fn has_shuffle_manager([major, minor, patch]: &[u32; 3]) -> bool {
    SHUFFLE_MANAGERS.iter().any(|(first, second, last)| (first, second) == (major, minor) && patch <= last)
}

/// "Spark 3.5.3", also with something behind it: `[3, 5, 3]`.
fn version(engine: &str) -> Option<[u32; 3]> {
    let text = engine.strip_prefix("Spark ")?;
    let mut numbers = text.splitn(3, '.');
    let mut next = || numbers.next().map(str::to_owned);
    let (major, minor, patch) = (next()?.parse().ok()?, next()?.parse().ok()?, next()?);
    // A vendor's suffix of the version means another Spark, with another shuffle manager.
    Some([major, minor, patch.parse().ok()?])
}

/// Memory as Spark reads it.
fn size(mib: u64) -> String {
    if mib > 0 && mib.is_multiple_of(1024) { format!("{}g", mib / 1024) } else { format!("{mib}m") }
}

#[cfg(test)]
mod tests;
