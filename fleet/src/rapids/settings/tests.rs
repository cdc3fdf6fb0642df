//! What the lines are, by hand.

use super::*;

fn value<'a>(settings: &'a [Setting], key: &str) -> Option<&'a str> {
    settings.iter().find(|setting| setting.key == key).map(|setting| setting.value.as_str())
}

/// Four machines with one L4, eight cores and 32 GiB, as g6.2xlarge.
fn cluster() -> GpuCluster {
    GpuCluster {
        title: "RAPIDS, 4 × g6.2xlarge".to_owned(),
        machines: 4,
        gpus_per_machine: 1,
        gpu: "NVIDIA L4".to_owned(),
        gpu_memory_gb: Some(24.0),
        host: Some(Host { name: "g6.2xlarge".to_owned(), cores: 8.0, memory_gib: 32.0 }),
    }
}

fn largest(bytes: f64) -> Largest {
    Largest { bytes, query: "7".to_owned() }
}

#[test]
fn an_l4_beside_eight_cores() {
    let (read, exchanged) = (largest(100e9), largest(50e9));
    let demand = Demand { read: Some(("app", &read)), exchanged: Some(("app", &exchanged)), spark: Some([3, 5, 3]) };
    let settings = settings(&cluster(), &demand);
    // By hand: 24 GB ÷ 7.5 GB; 8 cores; 100e9 ÷ 32 tasks is over 512 MiB; 8 × 512 MiB; 2 GiB × 8;
    // 4 GiB + 2 GiB + 1638 MiB; 50e9 ÷ 2^30 = 46.6.
    for (key, expected) in [
        ("spark.rapids.sql.concurrentGpuTasks", "3"),
        ("spark.executor.instances", "4"),
        ("spark.executor.cores", "8"),
        ("spark.task.resource.gpu.amount", "0.125"),
        ("spark.sql.files.maxPartitionBytes", "512m"),
        ("spark.rapids.memory.pinnedPool.size", "4g"),
        ("spark.executor.memory", "16g"),
        ("spark.executor.memoryOverhead", "7782m"),
        ("spark.sql.shuffle.partitions", "47"),
        ("spark.shuffle.manager", "com.nvidia.spark.rapids.spark353.RapidsShuffleManager"),
    ] {
        assert_eq!(value(&settings, key), Some(expected), "{key}");
    }
    assert!(settings.iter().all(|setting| !setting.why.is_empty()));
}

#[test]
fn small_scans_and_exchanges_keep_every_slot_at_work() {
    // 6e9 ÷ 32 = 187.5e6, the next of the three is 256 MiB; 4 × 3 tasks on GPUs.
    let (read, exchanged) = (largest(6e9), largest(1e6));
    let demand = Demand { read: Some(("app", &read)), exchanged: Some(("app", &exchanged)), spark: None };
    let settings = settings(&cluster(), &demand);
    assert_eq!(value(&settings, "spark.sql.files.maxPartitionBytes"), Some("256m"));
    assert_eq!(value(&settings, "spark.sql.shuffle.partitions"), Some("12"));
    assert_eq!(value(&settings, "spark.shuffle.manager"), None);
}

#[test]
fn memory_fits_into_the_machine() {
    for (cores, memory_gib, gpus) in [(4, 16.0, 1), (8, 32.0, 1), (48, 192.0, 4), (16, 24.0, 1), (192, 2048.0, 8)] {
        let host = Host { name: "m".to_owned(), cores: f64::from(cores), memory_gib };
        let cluster = GpuCluster { gpus_per_machine: gpus, host: Some(host), ..cluster() };
        let read = largest(1e13);
        let settings = settings(&cluster, &Demand { read: Some(("app", &read)), ..Demand::default() });
        let mib = |key: &str| {
            let text = value(&settings, key).unwrap();
            let (number, unit) = text.split_at(text.len() - 1);
            number.parse::<f64>().unwrap() * if unit == "g" { 1024.0 } else { 1.0 }
        };
        let sum = mib("spark.executor.memory") + mib("spark.executor.memoryOverhead");
        // What is left is at least what the AutoTuner keeps for the system on Dataproc, and its 2 GiB of older versions.
        let left = memory_gib * 1024.0 - sum * gpus as f64;
        assert!(left >= 0.2 * memory_gib * 1024.0 && left >= 2048.0, "{cores} cores, {memory_gib} GiB: {sum} MiB");
    }
}

#[test]
fn a_machine_with_too_little_memory_is_named() {
    // 16 × 750 MiB of heap, a tenth of it, and twice 2 GiB: 17,296 MiB; four fifths of 20 GiB are 16,384.
    let host = Host { name: "m".to_owned(), cores: 16.0, memory_gib: 20.0 };
    let settings = settings(&GpuCluster { host: Some(host), ..cluster() }, &Demand::default());
    let heap = settings.iter().find(|setting| setting.key == "spark.executor.memory").unwrap();
    assert_eq!(heap.value, "12000m");
    assert!(heap.why.contains("use machines with more memory"), "{}", heap.why);
}

#[test]
fn nothing_is_made_up_of_an_unknown_machine() {
    let cluster = GpuCluster { host: None, gpu_memory_gb: None, ..cluster() };
    let settings = settings(&cluster, &Demand::default());
    for key in [
        "spark.executor.cores",
        "spark.executor.memory",
        "spark.sql.files.maxPartitionBytes",
        "spark.sql.shuffle.partitions",
    ] {
        assert_eq!(value(&settings, key), None, "{key}");
    }
    assert_eq!(value(&settings, "spark.rapids.sql.concurrentGpuTasks"), Some("2"));
}

#[test]
fn as_many_shares_fit_into_a_gpu_as_there_are_cores() {
    for count in 1..=MOST_CORES {
        let share: f64 = share(count).parse().unwrap();
        assert_eq!(whole(1.0 / share), count, "Spark's TaskResourceRequest counts ⌊1 ÷ share⌋");
    }
}

#[test]
fn only_plain_versions_have_a_shuffle_manager() {
    assert_eq!(version("Spark 3.5.3"), Some([3, 5, 3]));
    for other in ["Spark", "Spark 3.5", "Spark 3.5.1-amzn-0", "Spark 3.5.3\nspark.x=y", "Databricks 13.3.x"] {
        assert_eq!(version(other), None, "{other}");
    }
    assert!(has_shuffle_manager(&[3, 5, 3]) && !has_shuffle_manager(&[3, 1, 1]) && !has_shuffle_manager(&[3, 5, 99]));
}
