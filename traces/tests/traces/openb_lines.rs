//! Lines of openb's tables that repeat a name or have parts that are not counted.

use std::io::Write as _;
use std::path::Path;

use crossover_allocation::{THOUSANDTH, Trace};
use crossover_traces::{TraceError, openb};

fn of(nodes: &str, pods: &str) -> Result<Trace, TraceError> {
    let file = |header: &str, lines: &str| {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        writeln!(file, "{header}\n{lines}").expect("space");
        file
    };
    let nodes = file("sn,cpu_milli,memory_mib,gpu,model", nodes);
    let pods = file("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos", pods);
    openb::read(nodes.path(), pods.path())
}

#[test]
fn of_names_that_are_repeated_the_first_counts() {
    let trace = of("n1,1000,1,1,T4\nn1,2000,1,1,T4", "p1,10,1,1,500,,BE\np1,20,1,1,500,,BE").expect("a node and a pod");
    assert_eq!((trace.nodes.len(), trace.nodes[0].cpu_milli), (1, 1000));
    assert_eq!((trace.tasks.len(), trace.requests.len(), trace.requests[0].cpu_milli), (1, 1, 10));
    let [nodes, pods] = &trace.notes[..] else { panic!("{:?}", trace.notes) };
    assert!(nodes.ends_with("1 line was left out (1 of 2 nodes): line 3: duplicate sn “n1”"), "{nodes}");
    assert!(pods.ends_with("1 line was left out (1 of 2 jobs): line 3: duplicate name “p1”"), "{pods}");
}

#[test]
fn parts_are_rounded_in_favour_of_fitting_and_that_is_said() {
    let trace = of("n1,1000.7,1.9,1,T4", "p1,10.2,1.1,1,333.3,,BE\np2,10,1,1,500,,BE").expect("a node and two pods");
    assert_eq!((trace.nodes[0].cpu_milli, trace.nodes[0].memory_mib), (1000, 1));
    let request = &trace.requests[trace.tasks[0].request];
    assert_eq!((request.cpu_milli, request.memory_mib, request.shares[0]), (11, 2, Some(334 * THOUSANDTH)));
    assert_eq!(trace.notes.len(), 2);
    assert_eq!(trace.notes[1], "1 pod (p1): cores and GPUs rounded up to thousandths, memory to MiB");
    let error = of("n1,1000,1,1.5,T4", "p1,10,1,1,500,,BE").expect_err("one GPU and a half").to_string();
    assert!(error.ends_with("no valid node; line 2: gpu is “1.5”; allowed: a whole number"), "{error}");
}

#[test]
fn a_file_that_is_not_there_is_told_once() {
    let error = openb::read(Path::new("/no/nodes.csv"), Path::new("/no/pods.csv")).expect_err("no file");
    let text = error.to_string();
    assert_eq!((text.matches("cannot read").count(), text.matches("/no/nodes.csv").count()), (1, 1), "{text}");
    assert!(std::error::Error::source(&error).is_none(), "what prints causes would say it twice");
}
