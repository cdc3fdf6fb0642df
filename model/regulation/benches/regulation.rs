//! How long the regulation model takes: steps of the loop, the stability map that is live while a gain is dragged, and
//! a search.

use std::hint::black_box;
use std::sync::atomic::AtomicUsize;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use crossover_regulation::figures::figures;
use crossover_regulation::fuzzy::correction;
use crossover_regulation::stability::{Axes, map};
use crossover_regulation::tuning::search::search;
use crossover_regulation::{Controller, Fuzzy, Regulation, Schedule, Simulation, Strategy};
use crossover_scenario::read;
use crossover_study::Watch;

fn published() -> Regulation {
    let scenario = read(include_str!("../../../scenarios/regulation-published.ron")).expect("the example is valid");
    scenario.regulation().expect("a regulation study").clone()
}

/// Never steady: occupancies are read with noise.
fn noisy() -> Regulation {
    let mut study = published();
    study.measurement.noise_share = 0.01;
    study
}

fn pid(study: &Regulation) -> Controller {
    study.controllers.iter().find(|controller| controller.name == "PID").expect("the example has one").clone()
}

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("control steps");
    let tuned = |study: &Regulation| Controller {
        schedule: Some(Schedule::expert()),
        fuzzy: Some(Fuzzy::expert()),
        ..pid(study)
    };
    let cases = [
        ("published, PID", published(), pid(&published())),
        ("noisy, PID", noisy(), pid(&noisy())),
        ("noisy, PID with schedule and fuzzy", noisy(), tuned(&noisy())),
    ];
    for (name, study, controller) in &cases {
        let simulation = Simulation::new(study);
        group.throughput(Throughput::Elements((simulation.periods() * study.clusters.len()) as u64));
        group.bench_function(*name, |bencher| {
            bencher.iter(|| figures(&simulation, Strategy::Controller(black_box(controller)), |_| ()));
        });
    }
    group.finish();
    let rules = Fuzzy::expert();
    criterion.bench_function("fuzzy correction", |bencher| {
        bencher.iter(|| correction(&rules, black_box(-0.13), black_box(0.017)));
    });
}

fn many_runs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("many runs");
    group.sample_size(10);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    let done = AtomicUsize::new(0);
    let watch = Watch { is_cancelled: &|| false, done: &done };
    for (name, study) in [("published", published()), ("noisy", noisy())] {
        let (controller, simulation) = (pid(&study), Simulation::new(&study));
        let draw = || map(&simulation, black_box(&controller), Axes::around(&controller), watch);
        group.bench_function(format!("stability map, {name}, all cores"), |bencher| bencher.iter(draw));
        group.bench_function(format!("stability map, {name}, one core"), |bencher| {
            bencher.iter(|| one.install(draw));
        });
        group.bench_function(format!("search, {name}, all cores"), |bencher| {
            bencher.iter(|| search(&simulation, black_box(&controller), 0.1, watch));
        });
    }
    group.finish();
}

criterion_group!(benches, steps, many_runs);
criterion_main!(benches);
