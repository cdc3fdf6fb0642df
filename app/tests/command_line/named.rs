//! Recorded tasks that a scenario names by their files.

use std::fs;
use std::path::Path;

use super::{refusal, result, run};

/// Two machines of four GPUs; the second job needs both, and waits 90 s until the first has ended.
const JOBS: &str = "job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,duration,iteration\n\
                    0,1000,1,vgg16,9999,32,1,100,100,1\n1,1010,1,bert,9999,32,8,50,50,1\n";

/// A folder with the jobs and the scenario that was made of them.
fn made() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("jobs.csv"), JOBS).expect("written");
    let (jobs, out) = (folder.path().join("jobs.csv"), folder.path().join("a.ron"));
    let (jobs, out) = (jobs.to_str().expect("text"), out.to_str().expect("text"));
    let arguments = ["import", "philly", jobs, "--nodes", "2", "--gpus", "4", "--out", out];
    let (code, _, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    folder
}

fn scenario(folder: &Path) -> String {
    folder.join("a.ron").to_str().expect("text").to_owned()
}

/// Mean wait of the tasks under every policy, seconds, and the warnings.
fn waits(arguments: &[&str]) -> (Vec<f64>, String) {
    let (code, text, messages) = run(&[&["evaluate", "--format", "json"], arguments].concat());
    assert_eq!(code, Some(0), "{messages}");
    let record: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let policies = record["policies"].as_array().expect("policies");
    let waits = policies.iter().filter_map(|policy| policy["replay"]["others"]["mean_wait_seconds"].as_f64()).collect();
    (waits, record["warnings"].to_string())
}

#[test]
fn a_scenario_names_its_tasks_and_finds_them_beside_itself() {
    let folder = made();
    let text = fs::read_to_string(scenario(folder.path())).expect("a scenario");
    // `printf … | sha256sum` of the text above.
    let digest = "ffd2cf5e8d875eb45b6a8481acf7bccfe305bec88d5a31383e797741eab7df1d";
    assert!(text.contains(&format!("(path: \"jobs.csv\", sha256: \"{digest}\")")), "{text}");
    assert!(!text.contains("1010"), "the tasks stand in their own file: {text}");
    assert_eq!(waits(&[&scenario(folder.path())]).0, [45.0; 8]);
    // Both can be moved together.
    let other = tempfile::tempdir().expect("a folder");
    for name in ["a.ron", "jobs.csv"] {
        fs::copy(folder.path().join(name), other.path().join(name)).expect("copied");
    }
    drop(folder);
    assert_eq!(waits(&[&scenario(other.path())]).0, [45.0; 8]);
    assert!(
        result(&["evaluate", &scenario(other.path())])
            .contains("Waits of the tasks of jobs.csv at their recorded times")
    );
}

#[test]
fn the_nodes_are_those_of_the_scenario() {
    let folder = made();
    let file = scenario(folder.path());
    // A third machine has room for both, and so have machines of eight GPUs; single GPUs are enough if there are nine.
    for set in ["nodes.0.nodes=3", "nodes.0.gpus=8"] {
        assert_eq!(waits(&[&file, "--set", set]).0, [0.0; 8], "{set}");
    }
    assert_eq!(waits(&[&file, "--set", "nodes.0.gpus=1", "--set", "nodes.0.nodes=9"]).0, [0.0; 8]);
    let curve = result(&["sweep", &file, "--x", "nodes.0.nodes=2..3:2", "--figure", "others_wait_seconds"]);
    let values: Vec<&str> = curve.lines().skip(1).map(|line| line.split(',').nth(1).expect("a value")).collect();
    assert_eq!(values, ["45", "0"]);
}

#[test]
fn a_task_that_no_nodes_hold_is_left_out_and_counted() {
    let folder = made();
    let (waits, warnings) = waits(&[&scenario(folder.path()), "--set", "nodes.0.gpus=2"]);
    assert!(warnings.contains("Tasks of the replay that do not fit the idle cluster: 1"), "{warnings}");
    assert_eq!(waits, [0.0; 8], "of the other one");
}

#[test]
fn more_than_may_be_replayed_is_said_and_mended_by_the_number_that_it_names() {
    let folder = tempfile::tempdir().expect("a folder");
    // 400,000 tasks: three replays would have more than a million.
    let head = JOBS.lines().next().expect("a header").to_owned();
    let rows: Vec<String> = (0..400_000).map(|job| format!("{job},{job},1,a,9,9,1,1,1,1")).collect();
    let jobs = folder.path().join("jobs.csv");
    fs::write(&jobs, format!("{head}\n{}\n", rows.join("\n"))).expect("written");
    let (jobs, out) = (jobs.to_str().expect("text"), scenario(folder.path()));
    let (code, _, messages) = run(&["import", "philly", jobs, "--nodes", "2", "--demand", "0.1", "--out", &out]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("one replay only"), "{messages}");
    let text = fs::read_to_string(&out).expect("a scenario");
    assert!(text.contains("runs: 1,"), "{text}");
    let more = ["--set", "replay.runs=3", "--set", "arrivals.orders=1"];
    let (none, warnings) = waits(&[&[out.as_str()][..], &more].concat());
    assert!(none.is_empty() && warnings.contains("Nothing is replayed; lower replay.runs"), "{warnings}");
}

#[test]
fn what_is_no_plain_file_is_not_waited_for_and_another_folder_is_named_whole() {
    let folder = made();
    let file = scenario(folder.path());
    let other = tempfile::tempdir().expect("a folder");
    fs::write(other.path().join("jobs.csv"), JOBS).expect("written");
    // From one folder to a file in another by `..`, and another file by hand.
    let text = fs::read_to_string(&file).expect("a scenario");
    let name = other.path().file_name().expect("a name").to_str().expect("text");
    fs::write(&file, text.replace("\"jobs.csv\"", &format!("\"../{name}/jobs.csv\""))).expect("written");
    assert_eq!(waits(&[&file]).0, [45.0; 8]);
    let set = format!("replay.trace.files.0.path={}", folder.path().join("jobs.csv").display());
    assert_eq!(waits(&[&file, "--set", &set]).0, [45.0; 8]);
    let refused = |path: &str| {
        fs::write(&file, text.replace("jobs.csv", path)).expect("written");
        let (none, warnings) = waits(&[&file]);
        assert!(none.is_empty() && warnings.contains("not a regular file"), "{path}: {warnings}");
    };
    #[cfg(target_os = "linux")]
    {
        refused("/dev/zero");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
        assert!(made.success());
        refused("pipe");
    }
    refused(folder.path().to_str().expect("text"));
    fs::write(&file, text.replace("\"jobs.csv\"", "\"\"")).expect("written");
    assert!(refusal(1, &["evaluate", &file]).contains("a file has no path"));
}

#[test]
fn an_output_never_replaces_what_is_read() {
    let folder = made();
    let (jobs, file) = (folder.path().join("jobs.csv"), scenario(folder.path()));
    let jobs = jobs.to_str().expect("text");
    let cases: [&[&str]; 5] = [
        &["import", "philly", jobs, "--out", jobs],
        &["import", "philly", jobs, "--manifests", jobs],
        &["train", "--target", "time", "--data", jobs, "--out", jobs],
        &["manifests", &file, "--out", &file],
        &["predict", jobs, "--apply", &file, "--task", "x", "--out", &file],
    ];
    for arguments in cases {
        let problem = refusal(1, arguments);
        assert!(problem.contains("it is also an input of this command"), "{problem}");
    }
    assert_eq!(fs::read_to_string(jobs).expect("a table"), JOBS);
}

#[test]
fn what_is_missing_or_has_changed_is_said() {
    let folder = made();
    let (file, jobs) = (scenario(folder.path()), folder.path().join("jobs.csv"));
    fs::write(&jobs, JOBS.replace("1010", "1040")).expect("written");
    let (now, warnings) = waits(&[&file]);
    assert_eq!(now, [30.0; 8], "(0 s + 60 s) / 2, as the file is now");
    assert!(warnings.contains("jobs.csv: changed since the scenario named it"), "{warnings}");
    fs::remove_file(&jobs).expect("removed");
    let (none, warnings) = waits(&[&file]);
    assert!(none.is_empty(), "{none:?}");
    assert!(warnings.contains("cannot read ") && warnings.contains("nothing is replayed"), "{warnings}");
    // A file of something else in its place.
    fs::write(&jobs, "a,b\n1,2\n").expect("written");
    assert!(waits(&[&file]).1.contains("no column “job_id”"));
}

#[test]
fn a_name_that_cannot_be_meant_is_refused_with_its_place() {
    let folder = made();
    let file = scenario(folder.path());
    let text = fs::read_to_string(&file).expect("a scenario");
    let digest = text.split("sha256: \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a digest").to_owned();
    for (was, becomes, expected) in [
        (digest.as_str(), "abc", "its sha256 is not 64 hexadecimal digits"),
        ("form: Philly", "form: Openb", "1 files named; Openb needs 2: nodes, pods"),
        ("form: Philly", "form: Borg", "Borg"),
    ] {
        fs::write(&file, text.replace(was, becomes)).expect("written");
        let problem = refusal(1, &["evaluate", &file]);
        assert!(problem.contains("a.ron:") && problem.contains(expected), "{problem}");
    }
}
