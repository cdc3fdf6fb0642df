//! Configuration of RAPIDS: what moves has a file whose lines say why they are there, and no name of a log gets out of a comment
//! or out of the folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crossover_fleet::Overview;
use crossover_fleet::rapids::cluster::{GpuCluster, Host};
use crossover_fleet::rapids::{Written, write};

use super::logs::{App, Query};
use super::{base, read_all};

/// g6.2xlarge, as the catalogue has it.
fn host(name: &str) -> Option<Host> {
    (name == "g6.2xlarge").then(|| Host { name: name.to_owned(), cores: 8.0, memory_gib: 32.0 })
}

fn export(folder: &Path, out: &Path) -> Written {
    let outcomes = read_all(folder, out);
    let cluster = GpuCluster::of(&base(), host).expect("its GPU engine is RAPIDS");
    write(out, &Overview::new(&outcomes), &cluster).expect("a folder that can be written")
}

/// An application that moves: its work is far more than the GPU cluster needs for it.
fn moving(id: &str) -> App {
    let query = |from, to| Query { core_seconds: 100_000, gigabytes: 40, ..Query::new(from, to) };
    App { seconds: Some(3600), queries: vec![query(20, 1700), query(1800, 3590)], ..App::new(id) }
}

/// What Java's Properties make of a file: keys and values of all lines that are no comments.
fn properties(text: &str) -> BTreeMap<&str, &str> {
    let lines =
        text.split(['\n', '\r']).map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with(['#', '!']));
    lines.map(|line| line.split_once('=').unwrap_or_else(|| panic!("no property: {line}"))).collect()
}

#[test]
fn what_moves_has_a_file_and_each_line_a_reason() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    moving("application_1").write(folder.path(), "a");
    moving("application_2").write(folder.path(), "b");
    App { queries: Vec::new(), ..App::new("application_3") }.write(folder.path(), "c");
    assert_eq!(export(folder.path(), out.path()), Written { applications: 2, queues: 1 });
    let rapids = out.path().join("rapids");
    let file = |path: &str| fs::read_to_string(rapids.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(!rapids.join("applications/application_3.conf").exists());
    let text = file("applications/application_1.conf");
    let found = properties(&text);
    // The scan reads 40 GB, the exchange has 800 MB (`logs.rs`): 40e9 ÷ (4 executors × 8 cores) are more than 512 MiB, 8 ×
    // 512 MiB are pinned, and 4 GPUs run 3 tasks each.
    for (key, expected) in [
        ("spark.plugins", "com.nvidia.spark.SQLPlugin"),
        ("spark.executor.instances", "4"),
        ("spark.executor.cores", "8"),
        ("spark.executor.resource.gpu.amount", "1"),
        ("spark.task.resource.gpu.amount", "0.125"),
        ("spark.rapids.sql.concurrentGpuTasks", "3"),
        ("spark.sql.files.maxPartitionBytes", "512m"),
        ("spark.rapids.memory.pinnedPool.size", "4g"),
        ("spark.sql.shuffle.partitions", "12"),
    ] {
        assert_eq!(found.get(key), Some(&expected), "{key} in\n{text}");
    }
    assert!(text.contains("#spark.shuffle.manager=com.nvidia.spark.rapids.spark353.RapidsShuffleManager"), "{text}");
    assert!(text.contains("40 GB (query 0 of application_1)"), "{text}");
    for text in [&text, &file("queues/nightly.conf"), &file("common.conf")] {
        let lines: Vec<&str> = text.lines().collect();
        for (place, line) in lines.iter().enumerate() {
            let is_setting = line.trim_start_matches('#').starts_with("spark.");
            assert!(
                !is_setting || lines[place - 1].starts_with("# ") && lines[place - 1].ends_with('.'),
                "{line} has no reason"
            );
        }
    }
    let common = file("common.conf");
    assert!(!common.contains("maxPartitionBytes") && !common.contains("application_"), "{common}");
}

#[test]
fn names_from_logs_stay_in_comments_and_in_the_folder() {
    let (folder, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let out = parent.path().join("out");
    let hostile = [
        "../../x",
        "/etc/passwd",
        "..",
        "a\nspark.executor.cores=999",
        "b\rspark.executor.cores=999",
        "c\u{2028}spark.executor.cores=999",
        "d\\\nspark.executor.cores=999",
        "\u{1b}]0;title\u{7}\u{1b}[2J",
        "<script>alert(1)</script>",
        "=cmd|' /C calc'!A0",
        "con",
    ];
    for (number, name) in hostile.iter().enumerate() {
        App { name: (*name).to_owned(), queue: (*name).to_owned(), ..moving(name) }
            .write(folder.path(), &number.to_string());
    }
    let count = hostile.len();
    assert_eq!(export(folder.path(), &out), Written { applications: count, queues: count });
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1, "nothing beside the folder");
    for kind in ["applications", "queues"] {
        let files: Vec<_> = fs::read_dir(out.join("rapids").join(kind)).unwrap().map(|entry| entry.unwrap()).collect();
        assert_eq!(files.len(), count, "{kind}");
        for file in files {
            let text = fs::read_to_string(file.path()).unwrap();
            assert_eq!(properties(&text).get("spark.executor.cores"), Some(&"8"), "{text}");
            assert!(!text.contains(['\u{1b}', '\u{7}', '\r']), "{text}");
        }
    }
    let json = fs::read_to_string(out.join("applications.json")).unwrap();
    assert!(!json.contains('\u{1b}') && serde_json::from_str::<Vec<serde_json::Value>>(&json).unwrap().len() == count);
}

#[test]
fn files_that_hold_no_longer_go_and_those_of_the_user_stay() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    moving("application_1").write(folder.path(), "a");
    moving("application_2").write(folder.path(), "b");
    export(folder.path(), out.path());
    let applications = out.path().join("rapids/applications");
    fs::write(applications.join("mine.conf"), "spark.x=y\n").unwrap();
    let kept = applications.join("application_1.conf");
    let before = fs::metadata(&kept).unwrap().modified().unwrap();
    fs::remove_file(folder.path().join("b")).unwrap();
    assert_eq!(export(folder.path(), out.path()).applications, 1);
    assert!(!applications.join("application_2.conf").exists() && applications.join("mine.conf").exists());
    assert_eq!(fs::metadata(&kept).unwrap().modified().unwrap(), before, "what is the same is not written");
}

#[test]
fn where_nothing_moves_there_is_no_configuration() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let log = App { queries: Vec::new(), ..App::new("application_1") };
    log.write(folder.path(), "a");
    assert_eq!(export(folder.path(), out.path()), Written::default());
    assert!(!out.path().join("rapids").exists());
    // That of an earlier run goes.
    moving("application_2").write(folder.path(), "b");
    assert_eq!(export(folder.path(), out.path()).applications, 1);
    let common = out.path().join("rapids/common.conf");
    assert!(common.is_file());
    fs::remove_file(folder.path().join("b")).unwrap();
    assert_eq!(export(folder.path(), out.path()), Written::default());
    assert!(!common.exists() && !out.path().join("rapids/applications/application_2.conf").exists());
}

#[test]
fn an_engine_that_is_not_rapids_has_no_such_configuration() {
    let text = include_str!("../../../scenarios/placement-truth-aws-l4.ron").replace("RAPIDS 25.12 (L4)", "Velox");
    let other = crossover_fleet::Base::new(&crossover_scenario::read(&text).unwrap()).unwrap();
    let refused = GpuCluster::of(&other, host).unwrap_err().to_string();
    assert!(refused.contains("Velox") && refused.contains("RAPIDS"), "{refused}");
}
