//! Whole GPUs beside parts of GPUs: all sums count the same GPU.

use crossover_allocation::summary::{Files, summarised};
use crossover_allocation::{Arrivals, NodeSpec, Policy, Request, Task, Trace, WHOLE, evaluate};
use proptest::prelude::*;

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
        waited: None,
    };
    Trace {
        types: vec!["whole".to_owned(), "parts".to_owned()],
        nodes: vec![node("a", vec![0; 3]), node("b", vec![1; 2])],
        requests: vec![Request {
            shares: vec![Some(WHOLE), Some(WHOLE / 4)],
            ..Request::of_any(1_000, 1_024, 1, WHOLE, 2)
        }],
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// So many whole GPUs, and some more that are cut into equal parts: full of tasks of a GPU or a part they are full, whatever the
    /// number of parts. Instances of MIG are sevenths, replicas of time slicing are up to 48ths.
    #[test]
    fn any_full_cluster_of_whole_gpus_and_parts_is_full(
        whole in 1_usize..6,
        cut in 1_usize..4,
        parts in prop::sample::select(vec![2_u16, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 48]),
    ) {
        let mut trace = whole_and_parts();
        trace.nodes[0].devices = vec![0; whole];
        trace.nodes[1].devices = vec![1; cut];
        // Cores and memory for all of them.
        trace.nodes.iter_mut().for_each(|node| (node.cpu_milli, node.memory_mib) = (400_000, 400_000));
        trace.requests[0].shares[1] = Some(WHOLE / parts);
        let arrivals = Arrivals { demand: 1.3, orders: 1.0, seed: 1.0, target: 0.95 };
        let files = Files { nodes: "nodes", tasks: "tasks" };
        let (study, _) = summarised(&trace, files, Policy::Fgd, arrivals);
        let outcome = evaluate(&study);
        for policy in &outcome.policies {
            let end = policy.end();
            prop_assert!((end.allocated_percent - 100.0).abs() < 1e-9, "{:?}", end);
            prop_assert!(end.fragmented_percent.abs() < 1e-9, "{:?}", end);
        }
        // The answer has the same number, and the advice is enough: 95 % of the tasks that arrive hold a GPU or a part.
        prop_assert_eq!(outcome.sentence(), "All policies allocate the same, 100 % of all GPUs.");
        let hold = (whole + cut * usize::from(parts)) as f64;
        // Each counts (whole + cut) ÷ hold of a GPU, so this many arrive until 130 % are requested, or one more where it is rounded.
        let arrive = (1.3 * hold - 1e-9).ceil();
        let rejected_of = |arrive: f64| (arrive - hold) / arrive;
        let rejected = outcome.policies[outcome.chosen].rejected;
        prop_assert!(rejected > rejected_of(arrive) - 1e-9 && rejected < rejected_of(arrive + 1.0) + 1e-9, "{}", rejected);
        // The added nodes hold 95 % of them, one fewer would not.
        let more = outcome.nodes_to_add.expect("a number of nodes") as f64;
        let of_a_node = if whole > cut { whole as f64 } else { cut as f64 * f64::from(parts) };
        prop_assert!(hold + more * of_a_node >= 0.95 * arrive - 1e-9, "{} nodes of {}", more, of_a_node);
        prop_assert!(hold + (more - 1.0) * of_a_node < 0.95 * (arrive + 1.0), "{} nodes of {}", more, of_a_node);
    }
}
