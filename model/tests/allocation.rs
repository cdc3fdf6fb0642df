//! Which node and which GPUs a task gets: the worked examples of the published method, and what always holds.

use crossover_model::allocation::explain::why;
use crossover_model::allocation::score::{Place, choose};
use crossover_model::allocation::study::Allocation;
use crossover_model::allocation::{
    Arrival, Arrivals, Cluster, Described, Fill, Filled, Gpus, MOST_GPUS, Manners, NodeSpec, Policy, Refusal, Replay,
    Replayed, Request, Rule, Timing, Typical, WHOLE, Workload, evaluate,
};
use crossover_model::scenario::read;
use crossover_model::study::Watch;
use proptest::prelude::*;
use rand_distr::{Distribution as _, Exp1};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

/// Types of GPUs of the published examples.
const A1: u16 = 0;
const A2: u16 = 1;
const A3: u16 = 2;

/// Nodes with GPUs of these types, of which so many percent are left.
fn cluster(nodes: &[&[(u16, u16)]]) -> Cluster {
    let specs: Vec<NodeSpec> = nodes
        .iter()
        .enumerate()
        .map(|(place, gpus)| NodeSpec {
            name: ["A", "B", "C"][place].to_owned(),
            cpu_milli: 64_000,
            memory_mib: 262_144,
            devices: gpus.iter().map(|(device, _)| *device).collect(),
        })
        .collect();
    let mut cluster = Cluster::new(&specs);
    for (node, gpus) in cluster.nodes.iter_mut().zip(nodes) {
        for (left, (_, percent)) in node.left.iter_mut().zip(*gpus) {
            *left = percent * 10;
        }
    }
    cluster
}

/// Where the only task of a workload goes.
fn place(cluster: &Cluster, workload: &Workload) -> Place {
    let typical = Typical::new(cluster, workload, &[1]);
    choose(cluster, workload, &typical, Policy::MostLeft, 0, &[]).expect("room")
}

/// A task that needs these percent of a GPU of each type.
fn needs(percent: [u16; 3]) -> Request {
    Request { cpu_milli: 1_000, memory_mib: 1_024, gpus: 1, shares: percent.map(|share| Some(share * 10)).to_vec() }
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
fn a_task_that_fits_nowhere_is_told_what_is_missing_and_where_it_comes_nearest() {
    let of = |cluster: &Cluster, request: Request| {
        let workload = Workload::new(cluster, vec![request]);
        let why = Refusal::find(cluster, &workload, 0).expect("it fits nowhere");
        why.sentence(|node| format!("node {}", ["A", "B", "C"][node]))
    };
    let full = cluster(&[&[(A1, 20)], &[(A1, 40)]]);
    let sixty = needs([60, 60, 60]);
    assert_eq!(of(&full, sixty.clone()), "no node with 60 % of one GPU left; nearest: node B, 40 %");
    let none = Request { shares: vec![None, Some(500), None], ..sixty.clone() };
    assert_eq!(of(&full, none), "no node has a GPU that it can run on; it asks for 1");
    let eight = Request { gpus: 8, ..sixty.clone() };
    assert_eq!(of(&full, eight), "no node has 8 GPUs that it can run on; the largest has 1");
    let idle = cluster(&[&[(A1, 100)], &[(A1, 100)]]);
    let cores = Request { cpu_milli: 80_000, ..sixty.clone() };
    assert_eq!(of(&idle, cores), "where GPUs suffice no node has 80 cores left; nearest: node A, 64 cores");
    let memory = Request { memory_mib: 1 << 20, ..sixty };
    assert_eq!(of(&idle, memory), "where GPUs and cores suffice no node has 1.1 TB left; nearest: node A, 274.9 GB");
}

#[test]
fn the_shipped_study_answers_with_every_rule() {
    let scenario = read(include_str!("../../scenarios/allocation-shared.ron")).expect("a scenario");
    let study = scenario.allocation().expect("an allocation study");
    let outcome = evaluate(study);
    assert_eq!(outcome.rules.len(), Policy::ALL.len());
    // Every GPU that is not given away is in fragments or still of use.
    for rule in &outcome.rules {
        let end = rule.end();
        assert!(end.allocated_percent + end.fragmented_percent <= 100.0 + 1e-9, "{rule:?}");
        assert!(rule.curve.windows(2).all(|pair| pair[0].allocated_percent <= pair[1].allocated_percent));
    }
    // With as many nodes as it says the target is met, with one fewer it is not.
    let more = outcome.nodes_to_add.expect("a number of nodes");
    let with = |more: f64| {
        let mut study = study.clone();
        let before: f64 = study.nodes.iter().map(|group| group.nodes * group.gpus).sum();
        study.nodes[0].nodes += more;
        let after: f64 = study.nodes.iter().map(|group| group.nodes * group.gpus).sum();
        study.arrivals = Arrivals { demand: study.arrivals.demand * before / after, orders: 1.0, ..study.arrivals };
        evaluate(&study).nodes_to_add
    };
    assert!(more > 0);
    assert_eq!(with(more as f64), Some(0));
    assert_eq!(with(more as f64 - 1.0), Some(1));
}

#[test]
fn the_same_seed_gives_the_same_outcome_on_any_number_of_threads() {
    let scenario = read(include_str!("../../scenarios/allocation-shared.ron")).expect("a scenario");
    let study = scenario.allocation().expect("an allocation study");
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    assert_eq!(alone.install(|| evaluate(study)), evaluate(study));
}

/// Decides which of nodes alike is the first.
const SEED: u64 = 1;

/// Replays tasks, each `(at, request, seconds, is_sensitive)`.
fn replayed(
    cluster: &Cluster,
    workload: &Workload,
    policy: Policy,
    does_release: bool,
    arrivals: &[(f64, usize, f64, bool)],
) -> Replayed {
    let manners = Manners { does_release, save_seconds: 5.0, ..Manners::none(workload.requests().len(), 3) };
    replayed_with(cluster, workload, policy, &manners, arrivals)
}

/// The same where tasks do something to each other.
fn replayed_with(
    cluster: &Cluster,
    workload: &Workload,
    policy: Policy,
    manners: &Manners,
    arrivals: &[(f64, usize, f64, bool)],
) -> Replayed {
    let typical = Typical::new(cluster, workload, &vec![1; workload.requests().len()]);
    let replay = Replay { cluster, workload, typical: &typical, policy, seed: SEED, manners, most_logged: 1_000 };
    let arrivals = arrivals.iter().map(|(at, request, seconds, is_sensitive)| Arrival {
        at: *at,
        request: *request,
        seconds: *seconds,
        is_sensitive: *is_sensitive,
        uses: 1.0,
    });
    Watch::nobody(|watch| replay.run(arrivals, watch)).expect("nobody calls it off")
}

#[test]
fn a_sensitive_task_takes_what_others_hold_where_that_suffices() {
    // Example F of the document: of C's A1 20 % are left, and another task holds 40 %: 60 % are at least the 35 % needed.
    let cluster = cluster(&[&[(A1, 60)]]);
    let of_a1 = |percent: u16| Request { shares: vec![Some(percent * 10), None, None], ..needs([1, 1, 1]) };
    let workload = Workload::new(&cluster, vec![of_a1(40), of_a1(35)]);
    let arrivals = [(0.0, 0, 100.0, false), (10.0, 1, 20.0, true)];
    let done = replayed(&cluster, &workload, Policy::MostLeft, true, &arrivals);
    let [sensitive, others] = done.served;
    assert_eq!((sensitive.ended, sensitive.mean_wait), (1.0, 0.0));
    // Stopped after 10 s of 100; it goes on at 30 s for 90 s and 5 s of saving and restoring.
    assert_eq!((others.ended, others.stopped, others.mean_wait, done.makespan), (1.0, 1.0, 20.0, 125.0));
    assert_eq!(others.mean_slowdown, Some(1.25));
    // Without release the sensitive task waits until the other one ends.
    let done = replayed(&cluster, &workload, Policy::MostLeft, false, &arrivals);
    assert_eq!((done.served[0].mean_wait, done.served[1].stopped), (90.0, 0.0));
    // Where others hold too little, nobody is stopped for nothing.
    let workload = Workload::new(&cluster, vec![of_a1(40), of_a1(70)]);
    let done = replayed(&cluster, &workload, Policy::MostLeft, true, &arrivals);
    assert_eq!((done.served[0].refused, done.served[1].stopped), (1.0, 0.0), "60 % are all that there is");
}

#[test]
fn the_queue_of_sensitive_tasks_is_served_first() {
    let cluster = cluster(&[&[(A1, 100)]]);
    let workload = Workload::new(&cluster, vec![needs([100, 100, 100])]);
    let arrivals = [(0.0, 0, 10.0, true), (1.0, 0, 10.0, false), (2.0, 0, 10.0, true)];
    let [sensitive, others] = replayed(&cluster, &workload, Policy::MostLeft, true, &arrivals).served;
    assert_eq!((sensitive.mean_wait, others.mean_wait), (4.0, 19.0));
}

/// Erlang's formula: the mean wait of whoever comes at random, stays for a random time, and waits for one of c servers.
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

/// The same without anything kept between events: whatever waits is tried again whenever a task ends.
fn by_hand(cluster: &Cluster, workload: &Workload, policy: Policy, arrivals: &[(f64, usize, f64, bool)]) -> [f64; 2] {
    let typical = Typical::new(cluster, workload, &vec![1; workload.requests().len()]);
    let mut cluster = cluster.clone();
    let mut running: Vec<(f64, usize, Place)> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    let (mut waits, mut counts) = ([0.0; 2], [0.0; 2]);
    let mut next = 0;
    let take = |cluster: &mut Cluster, request: usize, place: Place, sign: i32| {
        let asked = &workload.requests()[request];
        let needs = *workload.needs(request, &cluster.nodes[place.node]);
        let node = &mut cluster.nodes[place.node];
        let change = |value: u32, by: u32| if sign > 0 { value + by } else { value - by };
        node.cpu_milli = change(node.cpu_milli, asked.cpu_milli);
        node.memory_mib = change(node.memory_mib, asked.memory_mib);
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
        // Sensitive ones first, each kind in the order in which they came.
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

/// Any request: a part of a GPU, some whole ones, or none.
fn request() -> impl Strategy<Value = Request> {
    let gpus = prop_oneof![
        (1u16..1000).prop_map(|share| (1, share)),
        (1u8..=4).prop_map(|gpus| (gpus, WHOLE)),
        Just((0, WHOLE)),
    ];
    (0u32..40_000, 0u32..100_000, gpus, any::<bool>()).prop_map(|(cpu_milli, memory_mib, (gpus, share), on_both)| {
        let shares = vec![Some(share), on_both.then_some(share)];
        Request { cpu_milli, memory_mib, gpus, shares }
    })
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

    /// Nothing is given twice, nothing is lost, and every task is placed or turned away with a reason.
    #[test]
    fn what_is_given_and_what_is_left_are_what_there_was(
        nodes in prop::collection::vec(node(), 1..12),
        requests in prop::collection::vec(request(), 1..8),
        seed in any::<u64>(),
    ) {
        let idle = Cluster::new(&nodes);
        prop_assume!(idle.capacity > 0);
        let workload = Workload::new(&idle, requests.clone());
        let tasks: Vec<usize> = (0..40).map(|task| task % requests.len()).collect();
        let typical = Typical::new(&idle, &workload, &vec![1; requests.len()]);
        for policy in Policy::ALL {
            let fill = Fill { cluster: &idle, workload: &workload, needed: &workload, typical: &typical, tasks: &tasks, policy, seed, until: 1.5 };
            let filled: Filled = Watch::nobody(|watch| fill.run(watch)).expect("nobody calls it off");
            let mut given = 0;
            for (before, after) in idle.nodes.iter().zip(&filled.cluster.nodes) {
                prop_assert!(after.cpu_milli <= before.cpu_milli && after.memory_mib <= before.memory_mib);
                for (before, after) in before.left.iter().zip(&after.left) {
                    prop_assert!(after <= before, "{policy:?} gave back what it never took");
                    given += u64::from(before - after);
                }
            }
            let came: usize = filled.came.iter().sum();
            prop_assert_eq!(came, filled.placed + filled.refused);
            prop_assert_eq!(filled.refusals.iter().map(|refused| refused.count).sum::<usize>(), filled.refused);
            // What was given is what placed tasks asked for.
            let demand = |request: usize| u64::from(requests[request].demand());
            let came: u64 = filled.came.iter().enumerate().map(|(request, count)| demand(request) * *count as u64).sum();
            let turned: u64 =
                filled.refusals.iter().map(|refused| demand(refused.request) * refused.count as u64).sum();
            prop_assert_eq!(given, came - turned, "{:?}", policy);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// What is kept between events changes nothing; every task ends once, or was refused because no node is large enough.
    #[test]
    fn a_replay_is_what_it_is_by_hand(
        nodes in prop::collection::vec(node(), 1..5),
        requests in prop::collection::vec(request(), 1..4),
        // Whole seconds, and ends that never meet arrivals, so that nothing happens at once.
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
                (at, request, f64::from(*seconds) + 0.5 + place as f64 * 1e-3, *is_sensitive)
            })
            .collect();
        let possible: Vec<(f64, usize, f64, bool)> =
            arrivals.iter().copied().filter(|(_, request, ..)| fits(*request)).collect();
        let done = replayed(&cluster, &workload, policy, false, &arrivals);
        let ended: f64 = done.served.iter().map(|served| served.ended).sum();
        let refused: f64 = done.served.iter().map(|served| served.refused).sum();
        prop_assert_eq!((ended, refused), (possible.len() as f64, (arrivals.len() - possible.len()) as f64));
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
        (interference, monitor_seconds, least) in (0.0f64..3.0, prop::sample::select(vec![0.0, 1.0, 7.0]), 0.0f64..1.0),
        pieces in prop::collection::vec(1u32..4, 4),
        policy in prop::sample::select(Policy::ALL.to_vec()),
    ) {
        let cluster = Cluster::new(&nodes);
        let workload = Workload::new(&cluster, requests.clone()).with_pieces(pieces[..requests.len()].to_vec());
        let mut manners = Manners {
            does_release: true,
            save_seconds: 2.0,
            interference,
            monitor_seconds,
            step: 100,
            ..Manners::none(requests.len(), 2)
        };
        manners.requests.iter_mut().for_each(|of_request| of_request.least = least);
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
            cluster: &cluster, workload: &workload, typical: &typical, policy, seed: 3, manners: &manners, most_logged: 100_000,
        };
        let run = || Watch::nobody(|watch| replay.run(arrivals.iter().copied(), watch)).expect("nobody calls it off");
        let done = run();
        let of = |value: fn(&crossover_model::allocation::Served) -> f64| done.served.iter().map(value).sum::<f64>();
        prop_assert_eq!(of(|served| served.ended) + of(|served| served.refused), arrivals.len() as f64);
        let mut ended = vec![0; arrivals.len()];
        for stay in done.log.stays.iter().filter(|stay| stay.is_end) {
            let task = usize::try_from(stay.task).expect("small");
            let pieces = workload.pieces(stay.request);
            ended[task] += 1;
            prop_assert!(ended[task] <= pieces, "task {task} ended twice");
            prop_assert!(stay.from >= arrivals[task].at && stay.until >= stay.from);
        }
        prop_assert!(done.utilisation <= 1.0 + 1e-9, "{}", done.utilisation);
        prop_assert_eq!(run(), done.clone());
    }
}

#[test]
fn a_sensitive_task_that_is_late_gets_more_of_its_gpu() {
    // The document: after 1 min 30 s one minute of work is left, 2 min 30 s > 2 min. Beside a task that uses half of the GPU it
    // is half as slow again: 60 s of 120 s are done after 90 s. From then on it has 50 % instead of 40 %.
    let cluster = cluster(&[&[(A1, 100)]]);
    let of_a1 = |percent: u16| Request { shares: vec![Some(percent * 10), None, None], ..needs([1, 1, 1]) };
    let workload = Workload::new(&cluster, vec![of_a1(50), of_a1(40)]);
    let mut manners = Manners { interference: 1.0, monitor_seconds: 90.0, ..Manners::none(2, 3) };
    manners.requests[1].limit = 1.4;
    let arrivals = [(0.0, 0, 1000.0, false), (0.0, 1, 120.0, true)];
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &manners, &arrivals);
    assert_eq!((done.served[0].grown, done.served[1].shrunk, done.served[1].stopped), (1.0, 0.0, 0.0));
    let of_second = |done: &Replayed| done.log.stays.iter().find(|stay| stay.request == 1).map(|stay| stay.until);
    // 60 s of work at 5/4 · 2/3.
    assert!((of_second(&done).expect("it ran") - 162.0).abs() < 1e-9);
    assert_eq!(done.served[0].late, Some(0.0), "162 s ≤ 1.4 · 120 s");
    // Nobody looks: 120 s · 1.5.
    let alone = Manners { monitor_seconds: 0.0, ..manners.clone() };
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &alone, &arrivals);
    assert!((of_second(&done).expect("it ran") - 180.0).abs() < 1e-9);
    assert_eq!(done.served[0].late, Some(1.0));
    // The GPU is full: the other one gives a tenth, and runs at four fifths of its speed.
    let workload = Workload::new(&cluster, vec![of_a1(50), of_a1(50)]);
    manners.requests[0].least = 0.5;
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &manners, &arrivals);
    assert_eq!((done.served[0].grown, done.served[1].shrunk, done.served[1].stopped), (1.0, 1.0, 0.0));
    // It uses 40 % from then on: 60 s of work at 6/5 / 1.4.
    assert!((of_second(&done).expect("it ran") - (90.0 + 60.0 / (1.2 / 1.4))).abs() < 1e-9);
    // One that needs all that it asks for is saved, stopped and goes on later.
    manners.requests[0].least = 1.0;
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &manners, &arrivals);
    assert_eq!((done.served[0].grown, done.served[1].shrunk, done.served[1].stopped), (1.0, 0.0, 1.0));
    assert!((of_second(&done).expect("it ran") - (90.0 + 60.0 / 1.2)).abs() < 1e-9, "alone, with 60 %");
}

#[test]
fn whoever_gave_takes_back_no_more_than_it_held_when_it_leaves() {
    // As above, but the other task ends while it has 40 % instead of 50 %: after 90 s of 1.5 times as long it has done 60 s, the
    // last 5 s take 1.4 / 0.8 times as long. Every replay checks at its end that all is as it was.
    let cluster = cluster(&[&[(A1, 100)]]);
    let of_a1 = |percent: u16| Request { shares: vec![Some(percent * 10), None, None], ..needs([1, 1, 1]) };
    let workload = Workload::new(&cluster, vec![of_a1(50), of_a1(50)]);
    let mut manners = Manners { interference: 1.0, monitor_seconds: 90.0, ..Manners::none(2, 3) };
    manners.requests[0].least = 0.5;
    let arrivals = [(0.0, 0, 65.0, false), (0.0, 1, 120.0, true)];
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &manners, &arrivals);
    let until = |request: usize| done.log.stays.iter().find(|stay| stay.request == request).map(|stay| stay.until);
    // Beside the sensitive task, which uses 50 %.
    let first = 90.0 + 5.0 / (0.8 / 1.5);
    assert!((until(0).expect("it ran") - first).abs() < 1e-9, "{:?}", until(0));
}

#[test]
fn whoever_lost_a_gang_on_several_nodes_leaves_room_on_all_of_them() {
    // Two nodes of one GPU. A gang has both; one task waits for any GPU, a sensitive one stops the gang.
    let cluster = cluster(&[&[(A1, 100)], &[(A1, 100)]]);
    let workload =
        Workload::new(&cluster, vec![needs([100, 100, 100]), needs([100, 100, 100])]).with_pieces(vec![2, 1]);
    let arrivals = [(0.0, 0, 50.0, false), (1.0, 1, 10.0, false), (2.0, 1, 10.0, true)];
    let done = replayed(&cluster, &workload, Policy::BestFit, true, &arrivals);
    assert_eq!((done.served[0].mean_wait, done.served[1].stopped), (0.0, 1.0));
    // The task that waited runs beside the sensitive one from 2 s; the gang goes on at 12 s for 48 s and 5 s for saving.
    let from =
        |task: u64| done.log.stays.iter().filter(|stay| stay.task == task).map(|stay| stay.from).fold(0.0, f64::max);
    assert_eq!((from(1), from(0), done.makespan), (2.0, 12.0, 65.0));
}

#[test]
fn saving_takes_as_long_on_a_fast_gpu() {
    let cluster = cluster(&[&[(A1, 100)]]);
    let workload = Workload::new(&cluster, vec![needs([100, 100, 100])]);
    let mut manners = Manners { does_release: true, save_seconds: 8.0, ..Manners::none(1, 3) };
    manners.requests[0].speeds = vec![4.0; 3];
    // 100 s of work take 25 s; it is stopped after 5 s for 10 s.
    let arrivals = [(0.0, 0, 100.0, false), (5.0, 0, 40.0, true)];
    let done = replayed_with(&cluster, &workload, Policy::BestFit, &manners, &arrivals);
    assert_eq!(done.makespan, 15.0 + 20.0 + 8.0);
}

#[test]
fn what_owners_declare_too_much_is_lost() {
    let scenario = read(include_str!("../../scenarios/allocation-shared.ron")).expect("a scenario");
    let mut study = scenario.allocation().expect("an allocation study").clone();
    for group in &mut study.tasks {
        group.declares = 2.0;
    }
    let outcome = evaluate(&study);
    let given = |policy: Policy| {
        let rule = outcome.rules.iter().find(|rule| rule.policy == policy).expect("every rule");
        rule.end().allocated_percent
    };
    // What counts is what is needed: half of what was declared.
    assert!(
        given(Policy::Declared) < 0.8 * given(Policy::BestFit),
        "{} {}",
        given(Policy::Declared),
        given(Policy::BestFit)
    );
}

#[test]
fn a_small_cluster_is_replayed_as_by_an_independent_script() {
    // Expected: what `model/tests/independent/replay.py` prints.
    let cluster = {
        let specs = [2, 2, 1].map(|gpus: usize| NodeSpec {
            name: String::new(),
            cpu_milli: 64_000,
            memory_mib: 262_144,
            devices: vec![A1; gpus],
        });
        let mut cluster = Cluster::new(&specs);
        for (node, left) in cluster.nodes.iter_mut().zip([&[1000, 903][..], &[811, 707], &[613]]) {
            node.left[..left.len()].copy_from_slice(left);
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
        requests.push(Request::of_any(0, 0, 1, u16::try_from(share).expect("at most 401"), 3));
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
fn tasks_hold_each_other_up_as_it_was_measured() {
    // Speeds of ResNet-18, batch 16, alone and beside one of batch 32, on a K80: 4.795 and 2.408 iterations/s (Gavel,
    // simulation_throughputs.json); any other pair by the rule.
    let cluster = cluster(&[&[(A1, 100)]]);
    let of_a1 = |percent: u16| Request { shares: vec![Some(percent * 10), None, None], ..needs([1, 1, 1]) };
    let workload = Workload::new(&cluster, vec![of_a1(50), of_a1(40)]);
    let speed = 2.408 / 4.795;
    let measured = vec![None, Some(1.0 / speed - 1.0), None, None];
    let manners = Manners { measured, interference: 0.5, ..Manners::none(2, 3) };
    let arrivals = [(0.0, 0, 100.0, false), (0.0, 1, 1000.0, false)];
    let done = replayed_with(&cluster, &workload, Policy::MostLeft, &manners, &arrivals);
    let until = |request: usize| done.log.stays.iter().find(|stay| stay.request == request).map(|stay| stay.until);
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
        .stays
        .iter()
        .filter(|stay| stay.request == 1)
        .map(|stay| (stay.from, stay.until, stay.place.node))
        .collect();
    assert_eq!(large.iter().map(|(from, until, _)| (*from, *until)).collect::<Vec<_>>(), [(10.0, 15.0), (10.0, 15.0)]);
    assert_ne!(large[0].2, large[1].2);
    assert_eq!(done.makespan, 15.0);
    // Three nodes' worth is refused, not waited for.
    let workload = workload.with_pieces(vec![1, 3]);
    let done = replayed(&cluster, &workload, Policy::BestFit, false, &arrivals);
    assert_eq!((done.served[1].ended, done.served[1].refused), (2.0, 1.0));
}

#[test]
fn only_whoever_is_in_the_way_is_stopped() {
    // Two GPUs; a task on each. What asks for 60 % of one stops one of them, not both.
    let cluster = cluster(&[&[(A1, 100), (A1, 100)]]);
    let of_a1 = |percent: u16| Request { shares: vec![Some(percent * 10), None, None], ..needs([1, 1, 1]) };
    let workload = Workload::new(&cluster, vec![of_a1(50), of_a1(60)]);
    let arrivals = [(0.0, 0, 100.0, false), (1.0, 0, 100.0, false), (2.0, 1, 10.0, true)];
    let done = replayed(&cluster, &workload, Policy::MostLeft, true, &arrivals);
    assert_eq!((done.served[0].mean_wait, done.served[1].stopped), (0.0, 1.0));
    // Where both must go, both go.
    let workload = Workload::new(&cluster, vec![of_a1(50), Request { gpus: 2, ..of_a1(100) }]);
    let done = replayed(&cluster, &workload, Policy::MostLeft, true, &arrivals);
    assert_eq!((done.served[0].mean_wait, done.served[1].stopped), (0.0, 2.0));
}

/// A shipped study, replayed with its own rule.
fn shipped(text: &str) -> (Allocation, Replayed) {
    let scenario = read(text).expect("a scenario");
    let study = scenario.allocation().expect("an allocation study").clone();
    let outcome = evaluate(&study);
    let replayed = outcome.replayed[outcome.chosen].clone();
    (study, replayed)
}

#[test]
fn the_shipped_examples_of_the_method_end_as_it_says() {
    // Example D: node A, its idle A1.
    let (_, done) = shipped(include_str!("../../scenarios/allocation-most-left.ron"));
    assert_eq!(done.log.stays.len(), 1);
    assert_eq!((done.log.stays[0].place.node, done.log.stays[0].place.gpus), (0, Gpus::one(1)));
    // Example F: the training task is stopped at once, waits for 120 s, and takes 600 s and 30 s for saving.
    let (_, done) = shipped(include_str!("../../scenarios/allocation-release.ron"));
    assert_eq!((done.served[0].mean_wait, done.served[1].stopped, done.makespan), (0.0, 1.0, 750.0));
    // 2 min 30 s > 2 min: it grows once, and ends after 162 s (see the test above).
    let (_, done) = shipped(include_str!("../../scenarios/allocation-late.ron"));
    assert_eq!((done.served[0].grown, done.served[0].late), (1.0, Some(0.0)));
    let end = done.log.stays.iter().find(|stay| stay.is_sensitive).map(|stay| stay.until);
    assert!((end.expect("it ran") - 162.0).abs() < 1e-9);
}

#[test]
fn why_a_task_is_where_it_is_agrees_with_where_it_went() {
    let scenario = read(include_str!("../../scenarios/allocation-shared.ron")).expect("a scenario");
    for rule in [Policy::MostLeft, Policy::BestFit, Policy::Packing, Policy::Fgd] {
        let mut study = scenario.allocation().expect("an allocation study").clone();
        study.policy.rule = rule;
        study.replay = Timing { seconds: 36_000.0, does_release: false, runs: 1.0, ..study.replay };
        let outcome = evaluate(&study);
        let described = Described::new(&study, 0);
        let log = &outcome.replayed[outcome.chosen].log;
        assert!(!log.is_cut && log.stays.len() > 100);
        for stay in log.stays.iter().step_by(7) {
            let why = why(&described, rule, log, stay);
            // Of nodes alike the first was taken: none is better.
            let score = why.score.expect("it fitted there");
            assert!(why.others.iter().all(|(_, other)| *other <= score), "{rule:?} {stay:?} {why:?}");
            assert_eq!(why.waited.is_some(), stay.from > stay.came, "{stay:?}");
        }
    }
}

#[test]
fn a_study_without_gpus_or_tasks_is_refused_with_what_is_needed() {
    let scenario = read(include_str!("../../scenarios/allocation-shared.ron")).expect("a scenario");
    let refused = |edit: fn(&mut Allocation)| {
        let mut scenario = scenario.clone();
        edit(scenario.study.allocation_mut().expect("an allocation study"));
        let problem = scenario.study.validate().expect_err("refused");
        format!("{}: {}", problem.path, problem.problem)
    };
    assert_eq!(
        refused(|study| study.nodes.iter_mut().for_each(|group| group.gpus = 0.0)),
        "nodes: no node has a GPU of which something is left; at least one is needed"
    );
    assert_eq!(
        refused(|study| study.tasks.iter_mut().for_each(|group| group.tasks = 0.0)),
        "tasks: no group has a task; at least one task is needed"
    );
    assert!(
        refused(|study| study.policy = Rule { grows: "nowhere".into(), ..study.policy.clone() }).contains("nowhere")
    );
    assert!(refused(|study| study.tasks[3].runs_on[0].gpu_type = "H1000".into()).contains("runs_on"));
}
