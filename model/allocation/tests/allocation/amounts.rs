//! Whole GPUs beside parts of GPUs: all sums count the same GPU.

use crossover_allocation::summary::{Files, summarised};
use crossover_allocation::{Arrivals, NodeSpec, Policy, Request, Task, Trace, evaluate};

/// A node with three whole GPUs, and one with two GPUs in four parts each; tasks that request a GPU or a part of one.
fn whole_and_parts() -> Trace {
    let node = |name: &str, devices| NodeSpec { name: name.to_owned(), cpu_milli: 64_000, memory_mib: 65_536, devices };
    let task = |number| Task {
        name: format!("task {number:02}"),
        request: 0,
        pieces: 1,
        is_sensitive: false,
        arrives: 0.0,
        seconds: None,
    };
    Trace {
        types: vec!["whole".to_owned(), "parts".to_owned()],
        nodes: vec![node("a", vec![0; 3]), node("b", vec![1; 2])],
        requests: vec![Request { shares: vec![Some(1000), Some(250)], ..Request::of_any(1_000, 1_024, 1, 1000, 2) }],
        tasks: (0..20).map(task).collect(),
        ..Trace::default()
    }
}

/// 3 whole GPUs and 2 × 4 parts hold 11 tasks, which are all five GPUs.
#[test]
fn a_full_cluster_of_whole_gpus_and_parts_is_full() {
    let arrivals = Arrivals { demand: 1.3, orders: 3.0, seed: 1.0, target: 0.95 };
    let (study, notes) =
        summarised(&whole_and_parts(), Files { nodes: "nodes", tasks: "tasks" }, Policy::Fgd, arrivals);
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(study.tasks[0].name, "25.0 to 100.0 % of a GPU, 1 cores");
    let outcome = evaluate(&study);
    for policy in &outcome.policies {
        let end = policy.end();
        assert!((end.allocated_percent - 100.0).abs() < 1e-9, "{policy:?}");
        assert!(end.fragmented_percent.abs() < 1e-9, "{policy:?}");
        // 11 tasks request 100 %, so 15 arrive until 130 % are requested.
        assert!((policy.rejected - 4.0 / 15.0).abs() < 1e-9, "{policy:?}");
    }
    assert_eq!(outcome.sentence(), "All policies allocate the same, 100 % of all GPUs.");
    // 95 % of 15 tasks are 15 tasks: four more, and a node holds three.
    assert_eq!(outcome.nodes_to_add, Some(2));
}

#[test]
fn a_cluster_without_tasks_gets_one_to_replace() {
    let trace = Trace { tasks: Vec::new(), requests: Vec::new(), ..whole_and_parts() };
    let arrivals = Arrivals { demand: 1.0, orders: 1.0, seed: 1.0, target: 0.95 };
    let (study, notes) = summarised(&trace, Files { nodes: "nodes", tasks: "nodes" }, Policy::Fgd, arrivals);
    assert!(notes.iter().any(|note| note.contains("no task found")), "{notes:?}");
    assert_eq!((study.tasks.len(), study.tasks[0].gpus, study.tasks[0].tasks), (1, 1.0, 1.0));
    // The task is not of the file, the nodes are.
    assert!(study.sources.keys().all(|path| path.starts_with("nodes")), "{:?}", study.sources);
    assert!(!study.sources.is_empty());
    assert!(evaluate(&study).own().end().allocated_percent > 0.0);
}
