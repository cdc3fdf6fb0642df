//! Time to replay a million tasks on the nodes of Alibaba's cluster of 2023, with tasks of twelve sizes that request 90 % of the
//! GPU time.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use crossover_allocation::{
    Arrival, Cluster, NodeSpec, Policy, Replay, Request, SharingPolicy, THOUSANDTH, Typical, Workload,
};
use crossover_study::Watch;
use rand_distr::{Distribution as _, Exp1, Uniform};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

/// Tasks of the replay.
const TASKS: usize = 1_000_000;

/// Nodes, with their cores in thousandths, memory in MiB and GPUs.
const NODES: [(usize, u32, u32, usize); 5] = [
    (549, 96_000, 393_216, 8),
    (404, 104_000, 524_288, 2),
    (132, 16_000, 122_880, 2),
    (67, 96_000, 786_432, 8),
    (61, 32_000, 131_072, 4),
];
/// Requests: cores and share in thousandths, and GPUs.
const REQUESTS: [(u32, u8, u16); 12] = [
    (3_152, 1, 810),
    (11_300, 1, 1000),
    (3_152, 1, 1000),
    (11_908, 1, 470),
    (8_000, 1, 470),
    (12_000, 1, 1000),
    (4_000, 1, 320),
    (11_908, 1, 650),
    (4_000, 1, 230),
    (16_000, 2, 1000),
    (32_000, 4, 1000),
    (88_000, 8, 1000),
];

fn replay(c: &mut Criterion) {
    let node = |(_, cpu_milli, memory_mib, gpus): &(usize, u32, u32, usize)| NodeSpec {
        name: String::new(),
        cpu_milli: *cpu_milli,
        memory_mib: *memory_mib,
        devices: vec![0; *gpus],
    };
    let nodes: Vec<NodeSpec> = NODES.iter().flat_map(|group| vec![node(group); group.0]).collect();
    let cluster = Cluster::new(&nodes);
    let requests: Vec<Request> =
        REQUESTS.iter().map(|(cpu, gpus, share)| Request::of_any(*cpu, 8_192, *gpus, *share * THOUSANDTH, 1)).collect();
    let workload = Workload::new(&cluster, requests.clone());
    let typical = Typical::new(&cluster, &workload, &vec![1; requests.len()]);
    let sharing = SharingPolicy { preempts: true, checkpoint_seconds: 30.0, ..SharingPolicy::none(requests.len(), 1) };
    let busy = SharingPolicy { interference: 0.2, polling_seconds: 60.0, ..sharing.clone() };
    let demands = (0..requests.len()).map(|request| workload.demand(request).gpus());
    let mean_demand = demands.sum::<f64>() / requests.len() as f64;
    let rate = 0.9 * cluster.capacity.gpus() / mean_demand / 600.0;
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let which = Uniform::new(0, requests.len()).expect("a range");
    let mut at = 0.0;
    let arrivals: Vec<Arrival> = (0..TASKS)
        .map(|task| {
            let [gap, seconds]: [f64; 2] = [(); 2].map(|()| Exp1.sample(&mut random));
            at += gap / rate;
            let request = which.sample(&mut random);
            Arrival { at, request, seconds: 600.0 * seconds, is_sensitive: task % 2 == 0, uses: 1.0 }
        })
        .collect();
    let mut group = c.benchmark_group("a million tasks");
    group.sample_size(10);
    for policy in [Policy::MostLeft, Policy::BestFit, Policy::Fgd] {
        let replay = Replay {
            cluster: &cluster,
            workload: &workload,
            typical: &typical,
            policy,
            seed: 1,
            sharing: &sharing,
            most_logged: 0,
        };
        group.bench_function(policy.label(), |b| {
            b.iter(|| Watch::uncancellable(|watch| black_box(&replay).run(arrivals.iter().copied(), watch)));
        });
        let replay = Replay { sharing: &busy, ..replay };
        group.bench_function(format!("{}, beside each other", policy.label()), |b| {
            b.iter(|| Watch::uncancellable(|watch| black_box(&replay).run(arrivals.iter().copied(), watch)));
        });
    }
}

criterion_group!(benches, replay);
criterion_main!(benches);
