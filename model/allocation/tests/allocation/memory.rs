//! Shares of the memory of a GPU beside those of its compute units, and latency-sensitive tasks of a list that is placed once.

use super::{A1, SEED, cluster, needs, replayed};
use crossover_allocation::{Cluster, Fill, Policy, RejectionReason, Request, THOUSANDTH, Typical, Workload};

fn of_a1(percent: u16) -> Request {
    Request { shares: vec![Some(percent * 10 * THOUSANDTH), None, None], ..needs([1, 1, 1]) }
}

/// The nodes and GPUs of tasks that arrive once; the request of each is its index.
fn once(cluster: &Cluster, workload: &Workload, seed: u64, is_sensitive: impl Fn(usize) -> bool) -> Vec<bool> {
    let tasks: Vec<usize> = (0..workload.requests().len()).collect();
    let typical = Typical::new(cluster, workload, &vec![1; tasks.len()]);
    let policy = Policy::MostLeft;
    let fill = Fill { cluster, workload, needed: workload, typical: &typical, tasks: &tasks, policy, seed, until: 0.0 };
    fill.once(is_sensitive).into_iter().map(|places| places.is_some()).collect()
}

#[test]
fn tasks_share_a_gpu_only_if_both_their_compute_and_their_memory_fit() {
    // Two tasks with 30 % of the compute units: beside each other with 40 % of the memory each, not with 60 %.
    let cluster = cluster(&[&[(A1, 100)]]);
    for (memory, both) in [(400, true), (500, true), (501, false), (600, false)] {
        let memory = memory * THOUSANDTH;
        let workload = Workload::new(&cluster, vec![of_a1(30), of_a1(30)])
            .with_memory(&cluster, &[vec![memory, 0, 0], vec![memory, 0, 0]]);
        let placed = once(&cluster, &workload, SEED, |_| false);
        assert_eq!(placed.iter().all(|is_placed| *is_placed), both, "{memory}: {placed:?}");
        assert!(placed.contains(&true), "{memory}");
    }
    // Little memory does not make up for compute units.
    let workload = Workload::new(&cluster, vec![of_a1(60), of_a1(60)])
        .with_memory(&cluster, &[vec![10 * THOUSANDTH, 0, 0], vec![10 * THOUSANDTH, 0, 0]]);
    assert!(once(&cluster, &workload, SEED, |_| false).contains(&false));
}

#[test]
fn every_policy_leaves_as_much_memory_as_there_is() {
    let cluster = cluster(&[&[(A1, 100), (A1, 100)]]);
    let workload = Workload::new(&cluster, vec![of_a1(10), of_a1(20)])
        .with_memory(&cluster, &[vec![700 * THOUSANDTH, 0, 0], vec![200 * THOUSANDTH, 0, 0]]);
    // Two of the first on the two GPUs at a time, each 10 s: the third waits 10 s, and so does the fourth.
    let arrivals = [(0.0, 0, 10.0, false), (0.0, 0, 10.0, false), (0.0, 0, 10.0, false), (0.0, 0, 10.0, false)];
    for policy in Policy::ALL {
        let done = replayed(&cluster, &workload, policy, false, &arrivals);
        assert_eq!((done.served[1].ended, done.served[1].mean_wait), (4.0, 5.0), "{policy:?}");
        assert_eq!(done.makespan, 20.0, "{policy:?}");
    }
}

#[test]
fn a_sensitive_task_preempts_for_memory_too() {
    let cluster = cluster(&[&[(A1, 100)]]);
    let workload = Workload::new(&cluster, vec![of_a1(10), of_a1(10)])
        .with_memory(&cluster, &[vec![700 * THOUSANDTH, 0, 0], vec![400 * THOUSANDTH, 0, 0]]);
    let done = replayed(&cluster, &workload, Policy::MostLeft, true, &[(0.0, 0, 100.0, false), (10.0, 1, 20.0, true)]);
    assert_eq!((done.served[0].mean_wait, done.served[1].preempted), (0.0, 1.0));
}

#[test]
fn too_little_memory_of_a_gpu_is_the_reason_of_a_rejection() {
    let mut cluster = cluster(&[&[(A1, 100)]]);
    cluster.nodes[0].memory_left[0] = 250 * THOUSANDTH;
    let workload = Workload::new(&cluster, vec![of_a1(30)]).with_memory(&cluster, &[vec![400 * THOUSANDTH, 0, 0]]);
    let why = RejectionReason::find(&cluster, &workload, 0).expect("it fits nowhere");
    let (share, left) = (400 * THOUSANDTH, 250 * THOUSANDTH);
    assert_eq!(why, RejectionReason::GpuMemory { gpus: 1, share, nearest: 0, left });
    let sentence = why.sentence(|_| "n".to_owned());
    assert!(sentence.contains("40 % of the GPU memory free; nearest: node “n” with 25 % free"), "{sentence}");
}

#[test]
fn example_f_is_placed_in_a_list_whatever_the_order() {
    // 20 % of C's A1 are left beside a task that is not sensitive and has 40 %; released they are 60 %, at least the 35 % needed.
    let cluster = cluster(&[&[(A1, 60)]]);
    let workload = Workload::new(&cluster, vec![of_a1(40), of_a1(35)]);
    let mut without = Vec::new();
    for seed in 0..16 {
        assert_eq!(once(&cluster, &workload, seed, |task| task == 1), [false, true], "seed {seed}");
        without.push(once(&cluster, &workload, seed, |_| false));
    }
    // In one of the orders the other task is first, and keeps its place where nothing is released.
    assert!(without.contains(&vec![true, false]), "{without:?}");
    // 70 % are more than there is: the other task keeps its place.
    let workload = Workload::new(&cluster, vec![of_a1(40), of_a1(70)]);
    assert_eq!(once(&cluster, &workload, 0, |task| task == 1), [true, false]);
}
