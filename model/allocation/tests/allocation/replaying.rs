//! Replays: tasks arrive, wait, run beside each other and leave.

use super::{A1, cluster, needs, replayed, replayed_with};
use crossover_allocation::{Cluster, NodeSpec, Policy, Replayed, Request, SharingPolicy, THOUSANDTH, Workload};
use rand_distr::{Distribution as _, Exp1};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

#[test]
fn a_latency_sensitive_task_preempts_others_where_their_capacity_is_enough() {
    // Example F of the document: 20 % of C's A1 are left, and another task has 40 %: 60 % are at least the 35 % needed.
    let cluster = cluster(&[&[(A1, 60)]]);
    let of_a1 =
        |percent: u16| Request { shares: vec![Some(percent * 10 * THOUSANDTH), None, None], ..needs([1, 1, 1]) };
    let workload = Workload::new(&cluster, vec![of_a1(40), of_a1(35)]);
    let arrivals = [(0.0, 0, 100.0, false), (10.0, 1, 20.0, true)];
    let done = replayed(&cluster, &workload, Policy::MostLeft, true, &arrivals);
    let [sensitive, others] = done.served;
    assert_eq!((sensitive.ended, sensitive.mean_wait), (1.0, 0.0));
    // Stopped after 10 s of 100; it goes on at 30 s for 90 s and 5 s of saving and restoring.
    assert_eq!((others.ended, others.preempted, others.mean_wait, done.makespan), (1.0, 1.0, 20.0, 125.0));
    assert_eq!(others.mean_slowdown, Some(1.25));
    // Without release the sensitive task waits until the other one ends.
    let done = replayed(&cluster, &workload, Policy::MostLeft, false, &arrivals);
    assert_eq!((done.served[0].mean_wait, done.served[1].preempted), (90.0, 0.0));
    // Where the capacity of others is too little, no task is preempted.
    let workload = Workload::new(&cluster, vec![of_a1(40), of_a1(70)]);
    let done = replayed(&cluster, &workload, Policy::MostLeft, true, &arrivals);
    assert_eq!((done.served[0].rejected, done.served[1].preempted), (1.0, 0.0), "60 % are all that there is");
}

#[test]
fn the_queue_of_sensitive_tasks_is_served_first() {
    let cluster = cluster(&[&[(A1, 100)]]);
    let workload = Workload::new(&cluster, vec![needs([100, 100, 100])]);
    let arrivals = [(0.0, 0, 10.0, true), (1.0, 0, 10.0, false), (2.0, 0, 10.0, true)];
    let [sensitive, others] = replayed(&cluster, &workload, Policy::MostLeft, true, &arrivals).served;
    assert_eq!((sensitive.mean_wait, others.mean_wait), (4.0, 19.0));
}

/// Erlang's formula: the mean wait for one of c servers, with random arrivals and random service times.
#[test]
fn tasks_that_come_at_random_wait_as_long_as_queueing_theory_says() {
    let servers = 8_u32;
    let cluster = cluster(&[&[(A1, 100); 8]]);
    let workload = Workload::new(&cluster, vec![Request { cpu_milli: 0, memory_mib: 0, ..needs([100, 100, 100]) }]);
    let (rate, mean_seconds) = (0.8 * f64::from(servers) / 60.0, 60.0);
    let mut stream = Pcg64Mcg::seed_from_u64(7);
    let mut random = || -> f64 { Exp1.sample(&mut stream) };
    let mut at = 0.0;
    let arrivals: Vec<(f64, usize, f64, bool)> = (0..500_000)
        .map(|_| {
            at += random() / rate;
            (at, 0, random() * mean_seconds, false)
        })
        .collect();
    let found = replayed(&cluster, &workload, Policy::BestFit, false, &arrivals).served[1].mean_wait;
    let load = rate * mean_seconds;
    let term = |k: u32| load.powi(i32::try_from(k).expect("small")) / (1..=k).map(f64::from).product::<f64>();
    let busy = term(servers) / (1.0 - load / f64::from(servers));
    let waits = busy / ((0..servers).map(term).sum::<f64>() + busy);
    let expected = waits / (f64::from(servers) / mean_seconds - rate);
    assert!((found / expected - 1.0).abs() < 0.04, "{found} s instead of {expected} s");
}

#[test]
fn a_latency_sensitive_task_that_is_behind_gets_more_of_its_gpu() {
    // The document: after 1 min 30 s one minute of work is left, 2 min 30 s > 2 min. Beside a task that uses half of the GPU it
    // is half as slow again: 60 s of 120 s are done after 90 s. From then on it has 50 % instead of 40 %.
    let cluster = cluster(&[&[(A1, 100)]]);
    let of_a1 =
        |percent: u16| Request { shares: vec![Some(percent * 10 * THOUSANDTH), None, None], ..needs([1, 1, 1]) };
    let workload = Workload::new(&cluster, vec![of_a1(50), of_a1(40)]);
    let mut sharing = SharingPolicy { interference: 1.0, polling_seconds: 90.0, ..SharingPolicy::none(2, 3) };
    sharing.requests[1].slo_factor = 1.4;
    let arrivals = [(0.0, 0, 1000.0, false), (0.0, 1, 120.0, true)];
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &sharing, &arrivals);
    assert_eq!(
        (done.served[0].share_increases, done.served[1].share_reductions, done.served[1].preempted),
        (1.0, 0.0, 0.0)
    );
    let of_second = |done: &Replayed| {
        done.log.task_runs.iter().find(|task_run| task_run.request == 1).map(|task_run| task_run.until)
    };
    // The log has the change of the run that ended first.
    let at = |done: &Replayed| done.log.changes.iter().map(|of| (of.task_run, of.at)).collect::<Vec<_>>();
    let shares = |done: &Replayed| done.log.changes.iter().map(|of| of.share / THOUSANDTH).collect::<Vec<_>>();
    assert_eq!((at(&done), shares(&done)), (vec![(0, 90.0)], vec![500]));
    assert_eq!((done.log.changes_of(0).len(), done.log.changes_of(1).len()), (1, 0));
    // 60 s of work at 5/4 · 2/3.
    assert!((of_second(&done).expect("it ran") - 162.0).abs() < 1e-9);
    assert_eq!(done.served[0].slo_violation_share, Some(0.0), "162 s ≤ 1.4 · 120 s");
    // Without monitoring: 120 s · 1.5.
    let alone = SharingPolicy { polling_seconds: 0.0, ..sharing.clone() };
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &alone, &arrivals);
    assert!((of_second(&done).expect("it ran") - 180.0).abs() < 1e-9);
    assert_eq!(done.served[0].slo_violation_share, Some(1.0));
    // The GPU is full: the other one gives a tenth, and runs at four fifths of its speed.
    let workload = Workload::new(&cluster, vec![of_a1(50), of_a1(50)]);
    sharing.requests[0].min_share = 0.5;
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &sharing, &arrivals);
    assert_eq!(
        (done.served[0].share_increases, done.served[1].share_reductions, done.served[1].preempted),
        (1.0, 1.0, 0.0)
    );
    // It uses 40 % from then on: 60 s of work at 6/5 / 1.4.
    let end = of_second(&done).expect("it ran");
    assert!((end - (90.0 + 60.0 / (1.2 / 1.4))).abs() < 1e-9);
    // The task gets its share back when that run ends.
    assert_eq!((at(&done), shares(&done)), (vec![(0, 90.0), (1, 90.0), (1, end)], vec![600, 400, 500]));
    // A task that needs its whole share is preempted and continues later.
    sharing.requests[0].min_share = 1.0;
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &sharing, &arrivals);
    assert_eq!(
        (done.served[0].share_increases, done.served[1].share_reductions, done.served[1].preempted),
        (1.0, 0.0, 1.0)
    );
    assert!((of_second(&done).expect("it ran") - (90.0 + 60.0 / 1.2)).abs() < 1e-9, "alone, with 60 %");
}

#[test]
fn a_task_with_a_reduced_share_releases_only_that_share() {
    // As above, but the other task ends while it has 40 % instead of 50 %: after 90 s of 1.5 times as long it has done 60 s, the
    // last 5 s take 1.4 / 0.8 times as long. Every replay checks at its end that all is as it was.
    let cluster = cluster(&[&[(A1, 100)]]);
    let of_a1 =
        |percent: u16| Request { shares: vec![Some(percent * 10 * THOUSANDTH), None, None], ..needs([1, 1, 1]) };
    let workload = Workload::new(&cluster, vec![of_a1(50), of_a1(50)]);
    let mut sharing = SharingPolicy { interference: 1.0, polling_seconds: 90.0, ..SharingPolicy::none(2, 3) };
    sharing.requests[0].min_share = 0.5;
    let arrivals = [(0.0, 0, 65.0, false), (0.0, 1, 120.0, true)];
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &sharing, &arrivals);
    let until = |request: usize| {
        done.log.task_runs.iter().find(|task_run| task_run.request == request).map(|task_run| task_run.until)
    };
    // Beside the sensitive task, which uses 50 %.
    let first = 90.0 + 5.0 / (0.8 / 1.5);
    assert!((until(0).expect("it ran") - first).abs() < 1e-9, "{:?}", until(0));
}

#[test]
fn a_preempted_task_of_several_nodes_frees_all_of_them() {
    // Two nodes of one GPU. A gang has both; one task waits for any GPU, a latency-sensitive one preempts the gang.
    let cluster = cluster(&[&[(A1, 100)], &[(A1, 100)]]);
    let workload =
        Workload::new(&cluster, vec![needs([100, 100, 100]), needs([100, 100, 100])]).with_pieces(vec![2, 1]);
    let arrivals = [(0.0, 0, 50.0, false), (1.0, 1, 10.0, false), (2.0, 1, 10.0, true)];
    let done = replayed(&cluster, &workload, Policy::BestFit, true, &arrivals);
    assert_eq!((done.served[0].mean_wait, done.served[1].preempted), (0.0, 1.0));
    // The task that waited runs beside the sensitive one from 2 s; the gang goes on at 12 s for 48 s and 5 s for saving.
    let from = |task: u64| {
        done.log
            .task_runs
            .iter()
            .filter(|task_run| task_run.task == task)
            .map(|task_run| task_run.from)
            .fold(0.0, f64::max)
    };
    assert_eq!((from(1), from(0), done.makespan), (2.0, 12.0, 65.0));
}

#[test]
fn saving_takes_as_long_on_a_fast_gpu() {
    let cluster = cluster(&[&[(A1, 100)]]);
    let workload = Workload::new(&cluster, vec![needs([100, 100, 100])]);
    let mut sharing = SharingPolicy { preempts: true, checkpoint_seconds: 8.0, ..SharingPolicy::none(1, 3) };
    sharing.requests[0].speeds = vec![4.0; 3];
    // 100 s of work take 25 s; it is stopped after 5 s for 10 s.
    let arrivals = [(0.0, 0, 100.0, false), (5.0, 0, 40.0, true)];
    let done = replayed_with(&cluster, &workload, Policy::BestFit, &sharing, &arrivals);
    assert_eq!(done.makespan, 15.0 + 20.0 + 8.0);
}

#[test]
fn a_small_cluster_is_replayed_as_by_an_independent_script() {
    // Expected: what `model/allocation/tests/references/replay.py` prints.
    let cluster = {
        let specs = [2, 2, 1].map(|gpus: usize| NodeSpec {
            name: String::new(),
            cpu_milli: 64_000,
            memory_mib: 262_144,
            devices: vec![A1; gpus],
        });
        let mut cluster = Cluster::new(&specs);
        for (node, left) in cluster.nodes.iter_mut().zip([&[1000, 903][..], &[811, 707], &[613]]) {
            for (free, left) in node.left.iter_mut().zip(left) {
                *free = left * THOUSANDTH;
            }
        }
        cluster.with_capacity()
    };
    // The generator of the script.
    let mut state = 12_345_u64;
    let mut number = |below: u64| {
        state = (1_664_525 * state + 1_013_904_223) % (1 << 32);
        (state >> 8) % below
    };
    let mut at = 0;
    let (mut requests, mut arrivals) = (Vec::new(), Vec::new());
    for request in 0..100 {
        at += 1 + number(20);
        let (seconds, share, is_sensitive) = (60 + number(200), 101 + number(300), number(3) == 0);
        requests.push(Request::of_any(0, 0, 1, THOUSANDTH * u16::try_from(share).expect("at most 401"), 3));
        arrivals.push((at as f64, request, seconds as f64 + 0.25, is_sensitive));
    }
    let workload = Workload::new(&cluster, requests);
    let done = replayed(&cluster, &workload, Policy::MostLeft, false, &arrivals);
    assert_eq!(done.served.map(|served| served.ended), [30.0, 70.0]);
    assert!((done.served[0].mean_wait - 8.425).abs() < 1e-9, "{:?}", done.served);
    assert!((done.served[1].mean_wait - 22.107_142_857_142_858).abs() < 1e-9, "{:?}", done.served);
    assert_eq!(done.makespan, 1_299.5);
}

#[test]
fn measured_pairs_slow_each_other_down_as_measured() {
    // Speeds of ResNet-18, batch 16, alone and beside one of batch 32, on a K80: 4.795 and 2.408 iterations/s (Gavel,
    // simulation_throughputs.json); any other pair by the rule.
    let cluster = cluster(&[&[(A1, 100)]]);
    let of_a1 =
        |percent: u16| Request { shares: vec![Some(percent * 10 * THOUSANDTH), None, None], ..needs([1, 1, 1]) };
    let workload = Workload::new(&cluster, vec![of_a1(50), of_a1(40)]);
    let speed = 2.408 / 4.795;
    let measured = vec![None, Some(1.0 / speed - 1.0), None, None];
    let sharing = SharingPolicy { measured, interference: 0.5, ..SharingPolicy::none(2, 3) };
    let arrivals = [(0.0, 0, 100.0, false), (0.0, 1, 1000.0, false)];
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &sharing, &arrivals);
    let until = |request: usize| {
        done.log.task_runs.iter().find(|task_run| task_run.request == request).map(|task_run| task_run.until)
    };
    let first = until(0).expect("it ran");
    assert!((first - 100.0 / speed).abs() < 1e-9);
    // Beside the first, which uses half of the GPU, 1.25 times as long; then alone.
    let second = first + 1000.0 - first / 1.25;
    assert!((until(1).expect("it ran") - second).abs() < 1e-6);
}

#[test]
fn all_pieces_of_a_task_begin_at_once_or_none() {
    let cluster = cluster(&[&[(A1, 100), (A1, 100)], &[(A1, 100), (A1, 100)]]);
    let whole = |gpus: u8| Request { gpus, ..needs([100, 100, 100]) };
    let workload = Workload::new(&cluster, vec![whole(1), whole(2)]).with_pieces(vec![1, 2]);
    let arrivals = [(0.0, 0, 10.0, false), (1.0, 1, 5.0, false), (2.0, 0, 4.0, false)];
    let done = replayed(&cluster, &workload, Policy::BestFit, false, &arrivals);
    // The large one waits for the first until 10 s; the small one passes it.
    let large: Vec<(f64, f64, usize)> = done
        .log
        .task_runs
        .iter()
        .filter(|task_run| task_run.request == 1)
        .map(|task_run| (task_run.from, task_run.until, task_run.place.node))
        .collect();
    assert_eq!(large.iter().map(|(from, until, _)| (*from, *until)).collect::<Vec<_>>(), [(10.0, 15.0), (10.0, 15.0)]);
    assert_ne!(large[0].2, large[1].2);
    assert_eq!(done.makespan, 15.0);
    // Three nodes' worth is rejected, not waited for.
    let workload = workload.with_pieces(vec![1, 3]);
    let done = replayed(&cluster, &workload, Policy::BestFit, false, &arrivals);
    assert_eq!((done.served[1].ended, done.served[1].rejected), (2.0, 1.0));
}

#[test]
fn only_tasks_in_the_way_are_preempted() {
    // Two GPUs; a task on each. A task that requests 60 % of one preempts one of them, not both.
    let cluster = cluster(&[&[(A1, 100), (A1, 100)]]);
    let of_a1 =
        |percent: u16| Request { shares: vec![Some(percent * 10 * THOUSANDTH), None, None], ..needs([1, 1, 1]) };
    let workload = Workload::new(&cluster, vec![of_a1(50), of_a1(60)]);
    let arrivals = [(0.0, 0, 100.0, false), (1.0, 0, 100.0, false), (2.0, 1, 10.0, true)];
    let done = replayed(&cluster, &workload, Policy::MostLeft, true, &arrivals);
    assert_eq!((done.served[0].mean_wait, done.served[1].preempted), (0.0, 1.0));
    // Where both must go, both go.
    let workload = Workload::new(&cluster, vec![of_a1(50), Request { gpus: 2, ..of_a1(100) }]);
    let done = replayed(&cluster, &workload, Policy::MostLeft, true, &arrivals);
    assert_eq!((done.served[0].mean_wait, done.served[1].preempted), (0.0, 2.0));
}
