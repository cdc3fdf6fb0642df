//! Jobs of Philly: what the columns mean, and the published file of one virtual cluster.

use std::io::Write as _;
use std::path::Path;

use crossover_allocation::Trace;
use crossover_needs::test_data;
use crossover_traces::TraceError;
use crossover_traces::philly::{Machines, read};

const HEADER: &str =
    "job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,duration,iteration";

fn of(lines: &[&str], machines: Machines) -> Result<Trace, TraceError> {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    writeln!(file, "{HEADER}\n{}", lines.join("\n")).expect("space");
    read(file.path(), machines)
}

#[test]
fn a_job_that_no_machine_holds_runs_in_equal_pieces() {
    let lines = ["7,100,10,vgg16,900,256,1,500,500,10", "8,250.5,10,bert,900,64,16,60,60,10"];
    let trace = of(&lines, Machines { nodes: 12, gpus_of_node: 4 }).expect("two jobs");
    assert_eq!((trace.nodes.len(), trace.nodes[0].devices.len()), (12, 4));
    assert_eq!((trace.nodes[0].name.as_str(), trace.nodes[11].name.as_str()), ("node-01", "node-12"));
    let [one, many] = &trace.tasks[..] else { panic!("{:?}", trace.tasks) };
    assert_eq!((one.name.as_str(), one.pieces, one.arrives, one.seconds), ("7", 1, 100.0, Some(500.0)));
    assert_eq!((many.name.as_str(), many.pieces, many.arrives, many.seconds), ("8", 4, 250.5, Some(60.0)));
    assert_eq!((trace.requests[one.request].gpus, trace.requests[many.request].gpus), (1, 4));
    assert!(trace.notes.is_empty());
}

#[test]
fn bad_lines_and_repeated_jobs_are_left_out_and_named() {
    let lines = [
        "1,0,1,a,1,1,1,9,9,1",
        "1,5,1,a,1,1,2,9,9,1",
        "2,5,1,a,1,1,0,9,9,1",
        "3,5,1,a,1,1,1.5,9,9,1",
        "4,-5,1,a,1,1,1,9,9,1",
        "5,5,1",
    ];
    let trace = of(&lines, Machines::default()).expect("one job");
    assert_eq!((trace.tasks.len(), trace.tasks[0].arrives), (1, 0.0));
    let [note] = &trace.notes[..] else { panic!("{:?}", trace.notes) };
    let expected = "5 lines were left out: line 3: duplicate job_id “1”; line 4: num_gpu is “0”; allowed: a \
                    number from 1 to 100000; line 5: num_gpu is “1.5”; allowed: a whole number; and 2 more";
    assert!(note.ends_with(expected), "{note}");
}

#[test]
fn what_cannot_be_is_refused_in_one_sentence() {
    let error = of(&["1,0,1,a,1,1,1,9,9,1"], Machines { nodes: 1, gpus_of_node: 17 }).expect_err("17 GPUs").to_string();
    assert!(error.contains("1 machines with 17 GPUs each; allowed"), "{error}");
    let error = of(&["1,0,1,a,1,1,1,9,later,1"], Machines::default()).expect_err("no time").to_string();
    assert!(
        error.ends_with("no valid job; line 2: duration is “later”; allowed: a number from 0 to 3200000000"),
        "{error}"
    );
    let error = read(Path::new("/no/such.csv"), Machines::default()).expect_err("no file");
    assert_eq!(error.to_string().matches("cannot read").count(), 1);
    assert!(std::error::Error::source(&error).is_none(), "what prints causes would say it twice");
}

/// Sums by `awk -F, 'NR>1 {n++; g+=$7; s+=$7*$9} END {print n, g, s}'`: 876 jobs, 1899 GPUs, 154,137,879 GPU seconds.
#[test]
fn the_published_file_is_read_whole() {
    let Some(file) = test_data("traces/philly_103959.csv") else { return };
    let trace = read(&file, Machines { nodes: 8, gpus_of_node: 2 }).expect("the file");
    assert_eq!((trace.tasks.len(), trace.notes.len()), (876, 0));
    let gpus =
        |task: &crossover_allocation::Task| u64::from(trace.requests[task.request].gpus) * u64::from(task.pieces);
    assert_eq!(trace.tasks.iter().map(gpus).sum::<u64>(), 1_899);
    let work = trace.tasks.iter().map(|task| gpus(task) as f64 * task.seconds.expect("a run time"));
    assert_eq!(work.sum::<f64>(), 154_137_879.0);
    // 330 jobs of four GPUs, each in two pieces.
    assert_eq!(trace.tasks.iter().filter(|task| task.pieces == 2).count(), 330);
    assert_eq!(trace.requests.len(), 2);
}
