//! Preemption: events of a long stream under each policy, and every policy along the load as the window wants it.
//! `cargo bench -p crossover-preemption --bench preemption`

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use crossover_preemption::{Launches, Policy, Preemption, Simulator, along_load, evaluate};
use crossover_scenario as scenario;
use crossover_study::Watch;

const RODINIA: &str = include_str!("../../../scenarios/preemption-rodinia.ron");

fn study() -> Preemption {
    let scenario = scenario::read(RODINIA).expect("an example");
    scenario.study.preemption().expect("a preemption study").clone()
}

fn streams(criterion: &mut Criterion) {
    let mut study = study();
    study.stream.launches = 100_000.0;
    study.stream.load = 1.0;
    let simulator = Simulator::new(&study);
    let launches = Launches::draw(&study, 1);
    let mut group = criterion.benchmark_group("events of one stream on one core");
    for policy in Policy::ALL {
        let run = || Watch::uncancellable(|watch| simulator.run(black_box(&launches), policy, &mut (), watch));
        group.throughput(Throughput::Elements(run().expect("it cannot be cancelled").events));
        group.bench_function(policy.label(), |bench| bench.iter(run));
    }
    group.finish();
}

fn window(criterion: &mut Criterion) {
    let study = study();
    criterion.bench_function("evaluation of 9 policies, 30 streams of 200 launches", |bench| {
        bench.iter(|| evaluate(black_box(&study)));
    });
    let loads: Vec<f64> = (1..=20).map(|step| 0.1 * f64::from(step)).collect();
    criterion.bench_function("9 policies along 20 loads, 30 streams of 200 launches each", |bench| {
        bench.iter(|| Watch::uncancellable(|watch| along_load(black_box(&study), &loads, watch)));
    });
}

criterion_group!(benches, streams, window);
criterion_main!(benches);
