//! Properties of any cluster and any tasks.

use super::{SEED, replayed};
use crossover_allocation::score::{Place, choose};
use crossover_allocation::{
    Arrival, Cluster, Fill, Filled, GpuAmount, MOST_GPUS, NodeSpec, Policy, Replay, Request, SharingPolicy, THOUSANDTH,
    Typical, WHOLE, Workload,
};
use crossover_study::Watch;
use proptest::prelude::*;

/// The same without caches: all waiting tasks are tried again at every event.
fn by_hand(cluster: &Cluster, workload: &Workload, policy: Policy, arrivals: &[(f64, usize, f64, bool)]) -> [f64; 2] {
    let typical = Typical::new(cluster, workload, &vec![1; workload.requests().len()]);
    let mut cluster = cluster.clone();
    let mut running: Vec<(f64, usize, Place)> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    let (mut waits, mut counts) = ([0.0; 2], [0.0; 2]);
    let mut next = 0;
    let take = |cluster: &mut Cluster, request: usize, place: Place, sign: i32| {
        let requested = &workload.requests()[request];
        let needs = *workload.needs(request, &cluster.nodes[place.node]);
        let node = &mut cluster.nodes[place.node];
        let change = |value: u32, by: u32| if sign > 0 { value + by } else { value - by };
        node.cpu_milli = change(node.cpu_milli, requested.cpu_milli);
        node.memory_mib = change(node.memory_mib, requested.memory_mib);
        for gpu in place.gpus.places() {
            node.left[gpu] = if sign > 0 { node.left[gpu] + needs[gpu] } else { node.left[gpu] - needs[gpu] };
        }
    };
    loop {
        running.sort_by(|a, b| a.0.total_cmp(&b.0));
        let end = running.first().map_or(f64::INFINITY, |(at, ..)| *at);
        let come = arrivals.get(next).map_or(f64::INFINITY, |(at, ..)| *at);
        if end == f64::INFINITY && come == f64::INFINITY {
            break;
        }
        let now = if end <= come {
            let (at, request, place) = running.remove(0);
            take(&mut cluster, request, place, 1);
            at
        } else {
            waiting.push(next);
            next += 1;
            come
        };
        // Latency-sensitive tasks first, each kind in the order of arrival.
        waiting.sort_by_key(|task| (!arrivals[*task].3, *task));
        let mut still = Vec::new();
        for task in std::mem::take(&mut waiting) {
            let (at, request, seconds, is_sensitive) = arrivals[task];
            let there: Vec<(usize, usize)> = running.iter().map(|(_, request, place)| (place.node, *request)).collect();
            match choose(&cluster, workload, &typical, policy, request, &there) {
                Some(place) => {
                    take(&mut cluster, request, place, -1);
                    running.push((now + seconds, request, place));
                    waits[usize::from(!is_sensitive)] += now - at;
                    counts[usize::from(!is_sensitive)] += 1.0;
                }
                None => still.push(task),
            }
        }
        waiting = still;
    }
    [0, 1].map(|kind| if counts[kind] > 0.0 { waits[kind] / counts[kind] } else { 0.0 })
}

/// Any part of a GPU: a thousandth or more, and not only whole numbers of them.
fn part() -> impl Strategy<Value = u16> {
    prop_oneof![(1u16..1000).prop_map(|thousandths| thousandths * THOUSANDTH), THOUSANDTH..WHOLE]
}

/// Any request: a part of a GPU, some whole ones, or none.
fn request() -> impl Strategy<Value = Request> {
    let gpus =
        prop_oneof![part().prop_map(|share| (1, share)), (1u8..=4).prop_map(|gpus| (gpus, WHOLE)), Just((0, WHOLE)),];
    (0u32..40_000, 0u32..100_000, gpus, any::<bool>()).prop_map(|(cpu_milli, memory_mib, (gpus, share), on_both)| {
        let shares = vec![Some(share), on_both.then_some(share)];
        Request { cpu_milli, memory_mib, gpus, shares }
    })
}

/// The same, or a request for a whole GPU of one type or a part of the other.
fn mixed_request() -> impl Strategy<Value = Request> {
    let part = part().prop_map(|part| Request {
        shares: vec![Some(WHOLE), Some(part)],
        ..Request::of_any(1_000, 1_000, 1, WHOLE, 2)
    });
    prop_oneof![request(), part]
}

fn node() -> impl Strategy<Value = NodeSpec> {
    let devices = prop::collection::vec(0u16..2, 0..=MOST_GPUS);
    (1_000u32..128_000, 1_000u32..500_000, devices).prop_map(|(cpu_milli, memory_mib, devices)| NodeSpec {
        name: String::new(),
        cpu_milli,
        memory_mib,
        devices,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// No capacity is allocated twice or lost, and every task is placed or rejected with a reason.
    #[test]
    fn allocated_and_left_capacity_are_the_whole_capacity(
        nodes in prop::collection::vec(node(), 1..12),
        requests in prop::collection::vec(mixed_request(), 1..8),
        seed in any::<u64>(),
    ) {
        let idle = Cluster::new(&nodes);
        prop_assume!(!idle.capacity.is_none());
        let workload = Workload::new(&idle, requests.clone());
        let tasks: Vec<usize> = (0..40).map(|task| task % requests.len()).collect();
        let typical = Typical::new(&idle, &workload, &vec![1; requests.len()]);
        for policy in Policy::ALL {
            let fill = Fill { cluster: &idle, workload: &workload, needed: &workload, typical: &typical, tasks: &tasks, policy, seed, until: 1.5 };
            let filled: Filled = Watch::uncancellable(|watch| fill.run(watch)).expect("it cannot be cancelled");
            let mut taken = 0;
            for (before, after) in idle.nodes.iter().zip(&filled.cluster.nodes) {
                prop_assert!(after.cpu_milli <= before.cpu_milli && after.memory_mib <= before.memory_mib);
                for (before, after) in before.left.iter().zip(&after.left) {
                    prop_assert!(after <= before, "{policy:?} released what it never allocated");
                    taken += u64::from(before - after);
                }
            }
            let arrived: usize = filled.arrived.iter().sum();
            prop_assert_eq!(arrived, filled.placed + filled.rejected);
            prop_assert_eq!(filled.rejections.iter().map(|rejected| rejected.count).sum::<usize>(), filled.rejected);
            // What is allocated is what nodes lack, and it is never more than there is.
            prop_assert_eq!(filled.allocated, GpuAmount::from_units(taken), "{:?}", policy);
            prop_assert!(filled.allocated <= idle.capacity);
            let end = filled.curve.last().expect("a point at 0 %");
            prop_assert!(end.allocated_percent <= 100.0);
            // What is requested is that of placed tasks and of rejected ones.
            let of = |count: usize, request: usize| workload.demand(request) * count as u64;
            let requested: GpuAmount = filled.arrived.iter().enumerate().map(|(request, count)| of(*count, request)).sum();
            let rejected: GpuAmount =
                filled.rejections.iter().map(|rejected| of(rejected.count, rejected.request)).sum();
            prop_assert_eq!(filled.requested, requested);
            prop_assert_eq!(filled.met + rejected, requested, "{:?}", policy);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Caches between events change nothing; every task ends once, or is rejected because no node is large enough.
    #[test]
    fn a_replay_is_what_it_is_by_hand(
        nodes in prop::collection::vec(node(), 1..5),
        requests in prop::collection::vec(request(), 1..4),
        // Whole seconds, and ends that meet neither arrivals nor each other: sums of different roots differ. So nothing happens at once.
        tasks in prop::collection::vec((1u32..50, 0usize..4, 1u32..200, any::<bool>()), 1..40),
        policy in prop::sample::select(Policy::ALL.into_iter().filter(|policy| *policy != Policy::Random).collect::<Vec<_>>()),
    ) {
        let cluster = Cluster::new(&nodes);
        let workload = Workload::new(&cluster, requests.clone());
        let fits = |request: usize| cluster.nodes.iter().any(|node| workload.fits(request, node));
        let mut at = 0.0;
        let arrivals: Vec<(f64, usize, f64, bool)> = tasks
            .iter()
            .enumerate()
            .map(|(place, (gap, request, seconds, is_sensitive))| {
                at += f64::from(*gap);
                let request = request % requests.len();
                (at, request, f64::from(*seconds) + 0.5 + (place as f64 + 2.0).sqrt() * 1e-3, *is_sensitive)
            })
            .collect();
        let possible: Vec<(f64, usize, f64, bool)> =
            arrivals.iter().copied().filter(|(_, request, ..)| fits(*request)).collect();
        let done = replayed(&cluster, &workload, policy, false, &arrivals);
        let ended: f64 = done.served.iter().map(|served| served.ended).sum();
        let rejected: f64 = done.served.iter().map(|served| served.rejected).sum();
        prop_assert_eq!((ended, rejected), (possible.len() as f64, (arrivals.len() - possible.len()) as f64));
        let by_hand = by_hand(&cluster.shuffled(SEED).0, &workload, policy, &possible);
        for kind in 0..2 {
            let found = done.served[kind].mean_wait;
            prop_assert!((found - by_hand[kind]).abs() < 1e-6, "{:?} by hand {:?}", found, by_hand);
        }
        prop_assert!(done.utilisation <= 1.0 + 1e-9);
        // With release nothing is lost either.
        let done = replayed(&cluster, &workload, policy, true, &arrivals);
        prop_assert_eq!(done.served.iter().map(|served| served.ended).sum::<f64>(), possible.len() as f64);
        prop_assert!(done.utilisation <= 1.0 + 1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    /// Whatever tasks do to each other, every one that can run ends once, none ends before its work is done, and the same seed
    /// gives the same.
    #[test]
    fn every_task_ends_once_whatever_tasks_do_to_each_other(
        nodes in prop::collection::vec(node(), 1..4),
        requests in prop::collection::vec(request(), 1..4),
        tasks in prop::collection::vec((0u32..30, 0usize..4, 1u32..300, any::<bool>(), 0.3f64..3.0), 1..60),
        (interference, polling_seconds, min_share) in (0.0f64..3.0, prop::sample::select(vec![0.0, 1.0, 7.0]), 0.0f64..1.0),
        pieces in prop::collection::vec(1u32..4, 4),
        policy in prop::sample::select(Policy::ALL.to_vec()),
    ) {
        let cluster = Cluster::new(&nodes);
        let workload = Workload::new(&cluster, requests.clone()).with_pieces(pieces[..requests.len()].to_vec());
        let mut sharing = SharingPolicy {
            preempts: true,
            checkpoint_seconds: 2.0,
            interference,
            polling_seconds,
            step: 100 * THOUSANDTH,
            ..SharingPolicy::none(requests.len(), 2)
        };
        sharing.requests.iter_mut().for_each(|of_request| of_request.min_share = min_share);
        let mut at = 0.0;
        let arrivals: Vec<Arrival> = tasks
            .iter()
            .map(|(gap, request, seconds, is_sensitive, uses)| {
                at += f64::from(*gap);
                let (request, seconds) = (request % requests.len(), f64::from(*seconds));
                Arrival { at, request, seconds, is_sensitive: *is_sensitive, uses: *uses }
            })
            .collect();
        let typical = Typical::new(&cluster, &workload, &vec![1; requests.len()]);
        let replay = Replay {
            cluster: &cluster, workload: &workload, typical: &typical, policy, seed: 3, sharing: &sharing, most_logged: 100_000,
        };
        let run = || Watch::uncancellable(|watch| replay.run(arrivals.iter().copied(), watch)).expect("it cannot be cancelled");
        let done = run();
        let of = |value: fn(&crossover_allocation::Served) -> f64| done.served.iter().map(value).sum::<f64>();
        prop_assert_eq!(of(|served| served.ended) + of(|served| served.rejected), arrivals.len() as f64);
        let mut ended = vec![0; arrivals.len()];
        for task_run in done.log.task_runs.iter().filter(|task_run| task_run.is_end) {
            let task = usize::try_from(task_run.task).expect("small");
            let pieces = workload.pieces(task_run.request);
            ended[task] += 1;
            prop_assert!(ended[task] <= pieces, "task {task} ended twice");
            prop_assert!(task_run.from >= arrivals[task].at && task_run.until >= task_run.from);
        }
        prop_assert!(done.utilisation <= 1.0 + 1e-9, "{}", done.utilisation);
        prop_assert_eq!(run(), done.clone());
    }
}
