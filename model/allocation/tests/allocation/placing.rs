//! The node that a policy chooses, and why a task is rejected.

use super::{A1, A2, A3, cluster, needs};
use crossover_allocation::score::{Place, choose};
use crossover_allocation::{Cluster, Gpus, Policy, RejectionReason, Request, THOUSANDTH, Typical, Workload};

/// The place of the only task of a workload.
fn place(cluster: &Cluster, workload: &Workload) -> Place {
    let typical = Typical::new(cluster, workload, &[1]);
    choose(cluster, workload, &typical, Policy::MostLeft, 0, &[]).expect("room")
}

#[test]
fn a_task_goes_to_the_node_whose_gpu_has_most_left() {
    // Example D of the document.
    let cluster =
        cluster(&[&[(A1, 90), (A1, 100), (A1, 30)], &[(A1, 90), (A2, 40), (A3, 80)], &[(A1, 10), (A2, 20), (A3, 50)]]);
    let workload = Workload::new(&cluster, vec![needs([40, 50, 70])]);
    let place = place(&cluster, &workload);
    assert_eq!((place.node, place.gpus), (0, Gpus::one(1)));
}

#[test]
fn of_nodes_with_as_much_left_the_first_one_is_taken() {
    // Example E: A has 80 left (an A1), C too (an A2); B's A3 has 80 and the task needs 90 of it.
    let cluster =
        cluster(&[&[(A1, 0), (A1, 20), (A1, 80)], &[(A1, 0), (A1, 30), (A3, 80)], &[(A1, 20), (A2, 80), (A3, 80)]]);
    let workload = Workload::new(&cluster, vec![needs([30, 50, 90])]);
    let place = place(&cluster, &workload);
    assert_eq!((place.node, place.gpus), (0, Gpus::one(2)));
}

#[test]
fn on_its_node_a_task_gets_the_gpu_on_which_it_is_done_first() {
    let cluster = cluster(&[&[(A1, 100), (A3, 80)]]);
    let workload = Workload::new(&cluster, vec![needs([30, 50, 60])]);
    let timed = workload.clone().with_seconds(vec![vec![120.0, 90.0, 60.0]]);
    assert_eq!(place(&cluster, &timed).gpus, Gpus::one(1));
    assert_eq!(place(&cluster, &workload).gpus, Gpus::one(0), "without times the one with most left");
}

#[test]
fn the_reason_of_a_rejected_task_has_what_is_missing_and_the_nearest_node() {
    let of = |cluster: &Cluster, request: Request| {
        let workload = Workload::new(cluster, vec![request]);
        let why = RejectionReason::find(cluster, &workload, 0).expect("it fits nowhere");
        why.sentence(|node| ["A", "B", "C"][node].to_owned())
    };
    let full = cluster(&[&[(A1, 20)], &[(A1, 40)]]);
    let sixty = needs([60, 60, 60]);
    assert_eq!(of(&full, sixty.clone()), "no node has 1 GPU with 60 % free; nearest: node “B” with 40 % free");
    let none = Request { shares: vec![None, Some(500 * THOUSANDTH), None], ..sixty.clone() };
    assert_eq!(of(&full, none), "no node has a GPU of a type that the task can use; requested: 1");
    let eight = Request { gpus: 8, ..sixty.clone() };
    assert_eq!(of(&full, eight), "no node has 8 GPUs of types that the task can use; the largest has 1");
    let idle = cluster(&[&[(A1, 100)], &[(A1, 100)]]);
    let cores = Request { cpu_milli: 80_000, ..sixty.clone() };
    assert_eq!(of(&idle, cores), "no node with enough GPUs has 80 cores free; nearest: node “A” with 64 cores free");
    let memory = Request { memory_mib: 1 << 20, ..sixty };
    assert_eq!(
        of(&idle, memory),
        "no node with enough GPUs and cores has 1.1 TB of memory free; nearest: node “A” with 274.9 GB free"
    );
}
