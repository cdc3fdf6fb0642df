//! Logs of the scheduler extender become traces.

use std::fs;

use crossover_allocation::{THOUSANDTH, WHOLE};
use crossover_traces::decisions::read;

const CLUSTER: &str = r#"{"event":"cluster","time":"2026-03-01T12:00:00Z","types":["T4"],"nodes":[{"name":"b","cpu_milli":8000,"memory_mib":16384,"devices":[0,0]},{"name":"a","cpu_milli":4000,"memory_mib":8192,"devices":[0]}]}"#;

fn bind(uid: &str, time: &str, waited: f64, share: u16, outcome: &str) -> String {
    format!(
        r#"{{"event":"bind","time":"{time}","pod":"ns/{uid}","uid":"{uid}","policy":"FGD","node":"a","gpus":[0],"share":0.5,"memory_mib":null,"waited_seconds":{waited},"is_sensitive":false,"request":{{"cpu_milli":1000,"memory_mib":1024,"gpus":1,"shares":[{share}]}},"others":{{}},"outcome":"{outcome}"}}"#
    )
}

fn written(lines: &[String]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    fs::write(&path, lines.join("\n")).expect("written");
    (folder, path)
}

/// One waited 2 s and ran 88 s, one runs on, one was refused by the API server, and the last line was cut by the end of the process.
#[test]
fn pods_have_their_arrivals_waits_and_ends() {
    let half = 500 * THOUSANDTH;
    let lines = [
        CLUSTER.to_owned(),
        bind("one", "2026-03-01T12:00:02Z", 2.0, half, "bound"),
        bind("two", "2026-03-01T12:00:05.5Z", 0.5, WHOLE, "dry run"),
        bind("two", "2026-03-01T12:00:09Z", 4.0, WHOLE, "dry run"),
        bind("three", "2026-03-01T12:00:06Z", 0.0, WHOLE, "not bound: refused"),
        r#"{"event":"preempt","time":"2026-03-01T12:01:00Z","pod":"ns/x","uid":"x","policy":"FGD","node":"a","victims":[{"pod":"ns/one","uid":"one"}],"outcome":"named to kube-scheduler"}"#.to_owned(),
        r#"{"event":"release","time":"2026-03-01T12:01:30Z","pod":"ns/one","uid":"one"}"#.to_owned(),
        r#"{"event":"bind","time":"2026-0"#.to_owned(),
    ];
    let (_folder, path) = written(&lines);
    let trace = read(&path).expect("a log");
    assert_eq!(trace.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let tasks: Vec<_> =
        trace.tasks.iter().map(|task| (task.name.as_str(), task.arrives, task.seconds, task.waited)).collect();
    assert_eq!(tasks, [("ns/one", 0.0, Some(88.0), Some(2.0)), ("ns/two", 5.0, None, Some(0.5))]);
    assert_eq!(trace.requests[trace.tasks[0].request].shares, [Some(half)]);
    assert!(trace.notes.len() == 1 && trace.notes[0].contains("line 8"), "{:?}", trace.notes);
}

/// Of the first one the answer of the API server was lost, and kube-scheduler sent it again. The second one is not sent again, as it was
/// bound: its GPUs are free after 60 s.
#[test]
fn a_pod_that_may_be_bound_counts_until_it_is_bound() {
    let lost = "may be bound: kubectl proxy: the connection ended in the middle of an answer";
    let lines = [
        CLUSTER.to_owned(),
        bind("one", "2026-03-01T12:00:02Z", 2.0, WHOLE, lost),
        bind("one", "2026-03-01T12:00:12Z", 12.0, WHOLE, "bound"),
        bind("one", "2026-03-01T12:00:20Z", 20.0, WHOLE, lost),
        bind("two", "2026-03-01T12:00:05Z", 0.0, WHOLE, lost),
        r#"{"event":"release","time":"2026-03-01T12:01:05Z","pod":"ns/two","uid":"two"}"#.to_owned(),
    ];
    let (_folder, path) = written(&lines);
    let trace = read(&path).expect("a log");
    let tasks: Vec<_> =
        trace.tasks.iter().map(|task| (task.name.as_str(), task.arrives, task.seconds, task.waited)).collect();
    assert_eq!(tasks, [("ns/one", 0.0, None, Some(12.0)), ("ns/two", 5.0, Some(60.0), Some(0.0))]);
}

#[test]
fn a_file_that_is_no_log_is_refused_and_bad_numbers_are_left_out() {
    let (_folder, path) = written(&["{}".to_owned()]);
    let problem = read(&path).expect_err("no log").to_string();
    assert!(problem.contains("log.jsonl") && problem.contains("crossover allocate serve"), "{problem}");
    let lines = [
        bind("early", "2026-03-01T12:00:02Z", 0.0, WHOLE, "bound"),
        CLUSTER.to_owned(),
        bind("large", "2026-03-01T12:00:02Z", 0.0, WHOLE + 1, "bound"),
        bind("back", "2026-03-01T12:00:02Z", -1.0, WHOLE, "bound"),
        bind("when", "yesterday", 0.0, WHOLE, "bound"),
    ];
    let (_folder, path) = written(&lines);
    let trace = read(&path).expect("nodes");
    assert!(trace.tasks.is_empty() && trace.notes[0].contains("4 lines were left out"), "{:?}", trace.notes);
}
