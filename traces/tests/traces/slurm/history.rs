//! Jobs that ran, as the accounting of Slurm keeps them.

use crossover_allocation::Trace;
use crossover_traces::slurm::read_history;
use serde_json::{Value, json};

use super::{TWO_NODES, ended, file};

/// A job of `sacct --json` on one node, with its state and changed times.
fn recorded(id: u32, state: &str, times: &Value) -> Value {
    let mut job = ended(id, 2);
    job["state"]["current"] = json!([state]);
    job["time"].as_object_mut().expect("an object").extend(times.as_object().expect("an object").clone());
    job
}

fn history(jobs: &[Value]) -> Trace {
    let jobs = file(&json!({ "jobs": jobs, "meta": {}, "errors": [] }).to_string());
    read_history(Some(file(TWO_NODES).path()), jobs.path()).expect("a history")
}

/// Names, arrivals, recorded waits and run times.
fn happened(trace: &Trace) -> Vec<(&str, f64, Option<f64>, Option<f64>)> {
    trace.tasks.iter().map(|task| (task.name.as_str(), task.arrives, task.waited, task.seconds)).collect()
}

#[test]
fn a_history_has_the_jobs_that_started_with_their_waits() {
    let trace = history(&[
        recorded(1, "COMPLETED", &json!({})),
        // Its dependency ended at 5,100.
        recorded(2, "FAILED", &json!({ "eligible": 5_100, "start": 5_150, "end": 5_250 })),
        recorded(3, "RUNNING", &json!({ "start": 6_000, "end": 0, "elapsed": 700 })),
        recorded(4, "PENDING", &json!({ "start": 0, "end": 0, "elapsed": 0 })),
        recorded(5, "CANCELLED", &json!({ "start": 0, "end": 5_500, "elapsed": 0 })),
        recorded(6, "CANCELLED", &json!({ "start": 5_600, "end": 5_600, "elapsed": 0 })),
        recorded(7, "CANCELLED", &json!({ "start": 5_600, "end": 5_700 })),
        recorded(8, "NODE_FAIL", &json!({ "start": 5_600, "end": 5_800 })),
    ]);
    let expected = [
        ("1 train", 0.0, Some(200.0), Some(900.0)),
        ("2 train", 100.0, Some(50.0), Some(100.0)),
        ("3 train", 0.0, Some(1_000.0), Some(700.0)),
        ("7 train", 0.0, Some(600.0), Some(100.0)),
        ("8 train", 0.0, Some(600.0), Some(200.0)),
    ];
    assert_eq!(happened(&trace), expected);
    for note in [
        "1 job (2 train): eligible after the submission (dependency, begin time, hold); they arrive then",
        "1 job (4 train): not started yet; left out",
        "2 jobs (5 train, 6 train): cancelled before they started; left out",
        "1 job (3 train): still running; they run up to the end of the record",
        "1 job (8 train): ended by preemption, requeue or failure of a node; they run as long as recorded",
    ] {
        assert!(trace.notes.iter().any(|known| known == note), "{note}: {:?}", trace.notes);
    }
}

#[test]
fn each_run_of_a_requeued_job_is_a_task() {
    let first = recorded(9, "REQUEUED", &json!({ "start": 5_200, "end": 5_300 }));
    let last = recorded(9, "COMPLETED", &json!({ "start": 5_340, "end": 5_400 }));
    let trace = history(&[first.clone(), last, first]);
    // The second run waits from the end of the first one.
    let expected = [("9 train", 0.0, Some(200.0), Some(100.0)), ("9 train (run 2)", 300.0, Some(40.0), Some(60.0))];
    assert_eq!(happened(&trace), expected);
    assert!(
        trace.notes.iter().any(|note| note.ends_with("entry 3 (job 9): duplicate of entry 1")),
        "{:?}",
        trace.notes
    );
    let requeued = "1 further run (9 train (run 2)): of requeued jobs; each run is a task of its own";
    assert!(trace.notes.iter().any(|note| note == requeued), "{:?}", trace.notes);
}

#[test]
fn nodes_that_jobs_name_have_what_their_jobs_had_at_one_time() {
    // 8 GPUs on two nodes, then 2 on the first of them; 4 on another one meanwhile.
    let jobs = [(1, "ia[1-2]", 8, [5_200, 6_100]), (2, "ia1", 2, [6_100, 6_200]), (3, "ia3", 4, [5_200, 6_100])];
    let jobs = jobs.map(|(id, nodes, gpus, [start, end])| {
        let mut job = ended(id, gpus);
        job["nodes"] = json!(nodes);
        job["time"]["start"] = json!(start);
        job["time"]["end"] = json!(end);
        job["allocation_nodes"] = json!(if nodes.contains('[') { 2 } else { 1 });
        job
    });
    let read = |jobs: &[Value]| {
        let jobs = file(&json!({ "jobs": jobs, "meta": {}, "errors": [] }).to_string());
        read_history(None, jobs.path())
    };
    let trace = read(&jobs).expect("a history");
    let nodes: Vec<(&str, usize)> = trace.nodes.iter().map(|node| (node.name.as_str(), node.devices.len())).collect();
    assert_eq!((nodes, &trace.types[..]), (vec![("ia1", 4), ("ia2", 4), ("ia3", 4)], &["a100".to_owned()][..]));
    let note = "no file of nodes: 3 nodes with 12 GPUs assumed, each with the most that its jobs used at once";
    assert!(trace.notes.iter().any(|known| known == note), "{:?}", trace.notes);
    let error = read(&[ended(1, 8)]).expect_err("no node is named").to_string();
    assert!(error.contains("no job that started names its nodes"), "{error}");
}

/// The columns of the command that messages name.
#[test]
fn a_table_of_the_accounting_is_a_history_too() {
    let text = "\
JobID|JobName|State|Submit|Eligible|Start|End|ElapsedRaw|NodeList|NNodes|NCPUS|ReqTRES|AllocTRES|TimelimitRaw
8|train|COMPLETED|2024-06-10T08:00:00|2024-06-10T08:00:00|2024-06-10T08:05:00|2024-06-10T09:05:00|3600|ia1|1|4|cpu=4,mem=2G,node=1,gres/gpu=2|cpu=4,mem=2G,node=1,gres/gpu=2|120
9_3|sweep|CANCELLED by 1000|2024-06-10T08:01:00|2024-06-10T08:01:00|None|2024-06-10T08:02:30|0|None assigned|1|1|cpu=1,mem=1G,node=1,gres/gpu:a100=1||120
9_[4-5]|sweep|PENDING|2024-06-10T08:01:00|Unknown|Unknown|Unknown|0|None assigned|1|1|cpu=1,mem=1G,node=1,gres/gpu:a100=1||30
10|login|RUNNING|2024-06-10T07:59:00|2024-06-10T07:59:00|2024-06-10T08:00:00|Unknown|90|ia1|1|2|cpu=2,mem=1G,node=1||30
11|old|RUNNING|2024-06-10T07:59:00|2024-06-10T07:59:00|2024-06-10T08:00:00|Unknown||ia1|1|2|cpu=2,mem=1G,node=1||30
";
    let trace = read_history(Some(file(TWO_NODES).path()), file(text).path()).expect("a history");
    // Without its elapsed time a job runs up to the last time of the record, 09:05.
    let expected = [
        ("10 login", 0.0, Some(60.0), Some(90.0)),
        ("11 old", 0.0, Some(60.0), Some(3_900.0)),
        ("8 train", 60.0, Some(300.0), Some(3_600.0)),
    ];
    assert_eq!(happened(&trace), expected);
}
