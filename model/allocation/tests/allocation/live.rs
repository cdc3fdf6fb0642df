//! A live cluster places tasks as a replay of the same arrivals does, and counts what others placed on it.

use crossover_allocation::{
    Arrival, Cluster, Gpus, Lack, Live, LiveSetting, NodeSpec, Policy, Replay, Request, SharingPolicy, THOUSANDTH,
    TaskRun, Typical, WHOLE, Workload,
};
use crossover_study::Watch;

const SEED: u64 = 7;

fn nodes() -> Cluster {
    let node = |place: usize| NodeSpec {
        name: format!("n{place}"),
        cpu_milli: 64_000,
        memory_mib: 262_144,
        devices: vec![u16::from(place.is_multiple_of(3)); 4],
    };
    Cluster::new(&(0..12).map(node).collect::<Vec<_>>())
}

/// Requests for parts of a GPU, for whole ones, of one type and of both.
fn requests() -> Vec<Request> {
    let only = |share: u16| vec![None, Some(share)];
    vec![
        Request::of_any(4_000, 8_192, 1, 300 * THOUSANDTH, 2),
        Request::of_any(8_000, 16_384, 1, 650 * THOUSANDTH, 2),
        Request::of_any(16_000, 32_768, 2, WHOLE, 2),
        Request { cpu_milli: 2_000, memory_mib: 4_096, gpus: 1, shares: only(500 * THOUSANDTH) },
    ]
}

/// What a replay does with 80 tasks, of which some 14 run at the same time.
fn replayed(policy: Policy, cluster: &Cluster) -> Vec<TaskRun> {
    let workload = Workload::new(cluster, requests());
    let typical = Typical::new(cluster, &workload, &[1; 4]);
    let sharing = SharingPolicy::none(4, 2);
    let replay = Replay {
        cluster,
        workload: &workload,
        typical: &typical,
        policy,
        seed: SEED,
        sharing: &sharing,
        most_logged: 1_000,
    };
    let arrivals = (0..80_u32).map(|task| Arrival {
        at: f64::from(task),
        request: (task * 7 / 3 % 4) as usize,
        seconds: f64::from(5 + task * 11 % 19) + 0.5,
        is_sensitive: false,
        uses: 1.0,
    });
    let replayed = Watch::uncancellable(|watch| replay.run(arrivals, watch)).expect("it cannot be cancelled");
    let mut runs = replayed.log.task_runs;
    runs.sort_by_key(|run| run.task);
    assert_eq!(runs.len(), 80, "{policy:?}");
    assert!(runs.iter().all(|run| run.from == run.arrived), "{policy:?}: no task waits");
    runs
}

#[test]
fn the_same_arrivals_and_ends_are_placed_as_in_a_replay_under_every_policy() {
    let cluster = nodes();
    let all: Vec<usize> = (0..cluster.nodes.len()).collect();
    let typical: Vec<(Request, usize)> = requests().into_iter().map(|request| (request, 1)).collect();
    for policy in Policy::ALL {
        let runs = replayed(policy, &cluster);
        let mut live = Live::new(&cluster, &typical, LiveSetting { policy, seed: SEED });
        for run in &runs {
            let request = live.request(&requests()[run.request]).expect("few requests");
            // What ended since the task before this one.
            let mut ended: Vec<&TaskRun> = runs.iter().filter(|other| other.until > run.from - 1.0).collect();
            ended.retain(|other| other.until <= run.from && other.task < run.task);
            ended.sort_by(|a, b| a.until.total_cmp(&b.until));
            for other in ended {
                assert!(live.release(other.request, other.place.node, other.place.gpus), "{policy:?} {other:?}");
            }
            let node = live.choose(request, &all).expect("it fits");
            assert_eq!(node, run.place.node, "{policy:?}: node of task {}", run.task);
            assert_eq!(live.place(request, node), Some(run.place.gpus), "{policy:?}: GPUs of task {}", run.task);
        }
    }
}

#[test]
fn only_allowed_nodes_are_chosen_and_others_say_what_they_lack() {
    let cluster = nodes();
    let mut live = Live::new(&cluster, &[], LiveSetting { policy: Policy::BestFit, seed: SEED });
    let only = live.request(&requests()[3]).expect("few requests");
    // Nodes 0, 3, 6 and 9 have the second type.
    assert_eq!(live.choose(only, &[1, 2, 3, 4]), Some(3));
    assert_eq!(live.choose(only, &[1, 2]), None);
    assert_eq!((live.lack(only, 1), live.lack(only, 3)), (Some(Lack::GpuType), None));
    let whole = live.request(&Request::of_any(1_000, 1_024, 4, WHOLE, 2)).expect("few requests");
    assert_eq!(live.place(whole, 3), Some(Gpus(0b1111)));
    assert_eq!(live.lack(only, 3), Some(Lack::Gpus));
    assert_eq!(live.place(only, 3), None);
    let wide = live.request(&Request::of_any(63_500, 1_024, 0, 0, 2)).expect("few requests");
    assert_eq!((live.lack(wide, 3), live.lack(wide, 4)), (Some(Lack::Cores), None));
    assert!(live.release(whole, 3, Gpus(0b1111)) && !live.release(whole, 3, Gpus(0b1111)));
    assert_eq!(live.scores(only, &[3, 1])[1], None);
    assert!(live.scores(only, &[3])[0].is_some());
}

/// Two tasks of 65 % on one GPU, which another scheduler has placed there: nothing is left, and after one has ended 35 %.
#[test]
fn more_than_a_gpu_has_can_be_occupied_and_released() {
    let cluster = nodes();
    let mut live = Live::new(&cluster, &[], LiveSetting { policy: Policy::MostLeft, seed: SEED });
    let large = live.request(&requests()[1]).expect("few requests");
    let small = live.request(&requests()[0]).expect("few requests");
    let first = Gpus::one(0);
    live.occupy(large, 5, first);
    live.occupy(large, 5, first);
    assert_eq!(live.most_left(small, 5), Gpus::one(1));
    let whole = live_whole(&mut live);
    live.occupy(whole, 5, Gpus(0b1110));
    assert_eq!(live.lack(small, 5), Some(Lack::Gpus));
    assert!(live.release(large, 5, first));
    assert_eq!(live.place(small, 5), Some(first));
    assert_eq!(live.lack(small, 5), Some(Lack::Gpus));
    assert_eq!(live.share(small, 5, first), 300 * THOUSANDTH);
}

/// Example F of the document ([0085]): 20 % of a GPU are left, and a task that may be released has 40 %. The two 40 % that stay are
/// those of a latency-sensitive task.
#[test]
fn tasks_are_released_for_a_latency_sensitive_one_where_their_capacity_is_enough() {
    let node = NodeSpec { name: "c".to_owned(), cpu_milli: 64_000, memory_mib: 262_144, devices: vec![0] };
    let cluster = Cluster::new(&[node]);
    let mut live = Live::new(&cluster, &[], LiveSetting { policy: Policy::MostLeft, seed: SEED });
    let mut of = |percent: u16| {
        let request = Request::of_any(1_000, 1_024, 1, 10 * percent * THOUSANDTH, 1);
        live.request(&request).expect("few requests")
    };
    let [forty, needed, too_much, ten, fifty] = [40, 35, 61, 10, 50].map(&mut of);
    let gpu = Gpus::one(0);
    live.occupy(forty, 0, gpu);
    live.occupy(forty, 0, gpu);
    assert_eq!(live.to_release(needed, 0, &[(forty, gpu)]), Some(vec![0]));
    // 60 % are all that there is.
    assert_eq!(live.to_release(too_much, 0, &[(forty, gpu)]), None);
    assert_eq!(live.to_release(needed, 0, &[]), None);
    assert_eq!(live.to_release(ten, 0, &[(forty, gpu)]), Some(Vec::new()), "it fits already");
    // A task that is not there.
    assert_eq!(live.to_release(needed, 0, &[(fifty, gpu)]), None);
    // The first one goes first, and stays if the next one that has to go is enough: 50 % are needed, 20 % left, 10 + 40 % would be
    // released, of which 40 % are enough.
    assert!(live.release(forty, 0, gpu));
    live.occupy(ten, 0, gpu);
    live.occupy(ten, 0, gpu);
    live.occupy(ten, 0, gpu);
    live.occupy(ten, 0, gpu);
    assert_eq!(live.to_release(fifty, 0, &[(ten, gpu), (forty, gpu)]), Some(vec![1]));
    assert_eq!(live.to_release(needed, 0, &[(ten, gpu), (forty, gpu)]), Some(vec![1]));
    assert_eq!(live.to_release(needed, 0, &[(ten, gpu), (ten, gpu)]), Some(vec![0, 1]));
}

/// Tasks that run for long fill three nodes; then a latency-sensitive one arrives. In the replay the released tasks are those that
/// stop at that time.
#[test]
fn the_released_tasks_are_those_of_a_replay_with_preemption() {
    let cluster = nodes();
    let workload = Workload::new(&cluster, requests());
    let typical = Typical::new(&cluster, &workload, &[1; 4]);
    let sharing = SharingPolicy { preempts: true, ..SharingPolicy::none(4, 2) };
    let replay = Replay {
        cluster: &cluster,
        workload: &workload,
        typical: &typical,
        policy: Policy::BestFit,
        seed: SEED,
        sharing: &sharing,
        most_logged: 1_000,
    };
    let last = 400_u32;
    let arrivals = (0..=last).map(|task| Arrival {
        at: f64::from(task),
        request: if task == last { 1 } else { (task * 7 / 3 % 4) as usize },
        seconds: 1e6,
        is_sensitive: task == last,
        uses: 1.0,
    });
    let replayed = Watch::uncancellable(|watch| replay.run(arrivals, watch)).expect("it cannot be cancelled");
    let runs = &replayed.log.task_runs;
    let now = f64::from(last);
    let newcomer = runs.iter().find(|run| run.task == u64::from(last)).expect("it runs");
    assert_eq!(newcomer.from, now, "it does not wait");
    let preempted: Vec<u64> = runs.iter().filter(|run| run.until == now && !run.is_end).map(|run| run.task).collect();
    assert!(!preempted.is_empty());

    let typical: Vec<(Request, usize)> = requests().into_iter().map(|request| (request, 1)).collect();
    let mut live = Live::new(&cluster, &typical, LiveSetting { policy: Policy::BestFit, seed: SEED });
    let mut present: Vec<&TaskRun> = runs.iter().filter(|run| run.from < now).collect();
    present.sort_by_key(|run| std::cmp::Reverse(run.task));
    for run in &present {
        live.occupy(run.request, run.place.node, run.place.gpus);
    }
    let released = live.in_order((0..cluster.nodes.len()).collect()).into_iter().find_map(|node| {
        let here: Vec<&TaskRun> = present.iter().copied().filter(|run| run.place.node == node).collect();
        let tasks: Vec<(usize, Gpus)> = here.iter().map(|run| (run.request, run.place.gpus)).collect();
        let released = live.to_release(1, node, &tasks)?;
        Some(released.into_iter().map(|task| here[task].task).collect::<Vec<u64>>())
    });
    assert_eq!(released, Some(preempted));
}

/// A request for three whole GPUs.
fn live_whole(live: &mut Live) -> usize {
    live.request(&Request::of_any(1_000, 1_024, 3, WHOLE, 2)).expect("few requests")
}
