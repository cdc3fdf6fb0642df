//! Jobs of published logs: what the columns mean, and the published file of one virtual cluster of Philly.

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
    let expected = "5 lines were left out (5 of 6 jobs): line 3: duplicate job_id “1”; line 4: num_gpu is “0”; allowed: a \
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

fn of_text(text: &str) -> Result<Trace, TraceError> {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("space");
    read(file.path(), Machines { nodes: 4, gpus_of_node: 8 })
}

/// Name, GPUs of each piece, pieces, thousandths of each GPU, arrival and run time of a task.
type Task<'a> = (&'a str, u8, u32, Option<u16>, f64, Option<f64>);

fn tasks(trace: &Trace) -> Vec<Task<'_>> {
    let of_task = |task: &crossover_allocation::Task| {
        let request = &trace.requests[task.request];
        let share = request.shares[0].map(|units| units / crossover_allocation::THOUSANDTH);
        (request.gpus, task.pieces, share, task.arrives, task.seconds)
    };
    trace
        .tasks
        .iter()
        .map(|task| {
            let (gpus, pieces, share, arrives, seconds) = of_task(task);
            (task.name.as_str(), gpus, pieces, share, arrives, seconds)
        })
        .collect()
}

#[test]
fn logs_of_other_clusters_are_read_by_their_columns() {
    let helios = "job_id,user,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n\
                  5,u,16,64,2,COMPLETED,2020-04-01 00:00:10,2020-04-01 00:00:20,2020-04-01 00:01:20,60,10\n\
                  6,u,1,6,1,FAILED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:00:30,30,0\n";
    let expected = [("5", 8, 2, Some(1000), 10.0, Some(60.0)), ("6", 1, 1, Some(1000), 0.0, Some(30.0))];
    assert_eq!(tasks(&of_text(helios).expect("two jobs")), expected);
    let acme = "job_id,user,node_num,gpu_num,cpu_num,type,submit_time,start_time,end_time,duration,state\n\
                a,u,1,4,30,Train,2023-03-01 08:00:00+08:00,2023-03-01 08:00:00+08:00,2023-03-01 08:10:00+08:00,600,COMPLETED\n\
                b,u,1,2,30,Eval,2023-03-01 00:01:00+00:00,,,5.5,COMPLETED\n";
    let expected = [("a", 4, 1, Some(1000), 0.0, Some(600.0)), ("b", 2, 1, Some(1000), 60.0, Some(5.5))];
    assert_eq!(tasks(&of_text(acme).expect("two jobs")), expected);
    // Percents of a GPU for each instance.
    let pai = "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n\
               j,worker,3,Terminated,100,160,600,29,25,MISC\nk,ps,1,Running,110,,600,29,200,P100\nl,cpu,1,Terminated,1,2,600,29,,\n";
    let trace = of_text(pai).expect("two jobs");
    let expected = [("j worker", 1, 3, Some(250), 100.0, Some(60.0)), ("k ps", 2, 1, Some(1000), 110.0, None)];
    assert_eq!(tasks(&trace), expected);
    assert!(trace.notes.iter().any(|note| note.contains("it requests no GPU")), "{:?}", trace.notes);
    // As Alibaba publishes it: whole numbers have a point, and the header is a file of its own.
    let bare = "j,worker,3.0,Terminated,100.0,160.0,600.0,29.0,25.0,MISC\nk,ps,1.0,Running,110.0,,600.0,29.0,200.0,P100\n\
                l,cpu,1.0,Terminated,1.0,2.0,600.0,29.0,,\n";
    for text in [bare.to_owned(), format!("\u{feff}{bare}")] {
        assert_eq!(tasks(&of_text(&text).expect("two jobs")), expected);
    }
    let trace = of_text(bare).expect("two jobs");
    let has = |text: &str| trace.notes.iter().any(|note| note.contains(text));
    assert!(
        has("pai_task_table.header, which counts as line 1") && has("line 4: it requests no GPU"),
        "{:?}",
        trace.notes
    );
    let philly = r#"[{"status": "Pass", "vc": "v", "jobid": "p", "user": "u", "submitted_time": "2017-10-07 00:00:00",
        "attempts": [
            {"start_time": "2017-10-07 00:01:00", "end_time": "2017-10-07 00:02:00", "detail": [{"ip": "m", "gpus": ["gpu0"]}]},
            {"start_time": "2017-10-07 00:03:00", "end_time": "2017-10-07 00:05:00",
             "detail": [{"ip": "m", "gpus": ["gpu0"]}, {"ip": "n", "gpus": ["gpu0", "gpu1", "gpu2"]}]}]},
        {"status": "Killed", "vc": "v", "jobid": "q", "user": "u", "submitted_time": "2017-10-07 00:00:00", "attempts": []}]"#;
    let trace = of_text(philly).expect("a job");
    assert_eq!(tasks(&trace), [("p", 4, 1, Some(1000), 0.0, Some(180.0))]);
    assert!(trace.notes.iter().any(|note| note.contains("entry 2 (q): it never ran")), "{:?}", trace.notes);
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

#[test]
fn columns_of_accelerators_and_times_that_are_not_used_are_named_with_their_count() {
    let pai = "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n\
               a,worker,2,Terminated,100,400,600,29,50,T4\nb,worker,1,Terminated,100,400,600,29,100,\n\
               c,worker,1,Terminated,100,400,600,29,100,V100\n";
    let acme = "job_id,gpu_num,submit_time,start_time,end_time,duration,gpu_time,gpu_model,queue_seconds\n\
                1,8,2023-03-01 00:00:34,2023-03-01 00:01:34,2023-03-01 00:02:34,60,480,A100,60\n";
    let json = r#"[{"jobid": "a", "vc": "x", "submitted_time": "2017-10-09 07:00:00", "wait_seconds": 5, "attempts": [
        {"start_time": "2017-10-09 07:01:00", "end_time": "2017-10-09 07:02:00",
         "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"], "gpu_model": "P100"}, {"ip": "m2", "gpus": ["gpu0"], "gpu_model": "P100"}]}]}]"#;
    for (text, expected) in [
        (pai, vec![("gpu_type", 2)]),
        (acme, vec![("gpu_model", 1), ("queue_seconds", 1)]),
        (json, vec![("gpu_model", 2), ("wait_seconds", 1)]),
    ] {
        let trace = of_text(text).expect("jobs");
        let named: Vec<(&str, usize)> = trace.unread.names().map(|name| (name.name, name.count)).collect();
        assert_eq!(named, expected);
        assert!(trace.messages().iter().any(|message| message.contains(expected[0].0)), "{:?}", trace.messages());
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(60))]

    /// Whatever a column is called that speaks of a time or of an accelerator, it is named with the number of its values.
    #[test]
    fn no_column_of_an_accelerator_or_a_time_vanishes(
        word in "(gpu|npu|accelerator|time|duration|latency|elapsed)",
        rest in "[a-z]{1,6}",
        is_empty in proptest::collection::vec(proptest::prelude::any::<bool>(), 1..8),
    ) {
        let column = format!("x_{word}_{rest}");
        let rows = is_empty.iter().enumerate().map(|(place, is_empty)| {
            format!("{place},2,100,50,{}\n", if *is_empty { "" } else { "7" })
        });
        let text = format!("job_id,gpu_num,submit_time,duration,{column}\n{}", rows.collect::<String>());
        let trace = of_text(&text).expect("jobs");
        let named: Vec<(&str, usize)> = trace.unread.names().map(|name| (name.name, name.count)).collect();
        let values = is_empty.iter().filter(|is_empty| !**is_empty).count();
        let expected: Vec<(&str, usize)> = if values > 0 { vec![(column.as_str(), values)] } else { Vec::new() };
        proptest::prop_assert_eq!(named, expected);
    }
}
