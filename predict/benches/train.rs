//! How long it takes to train the network of 3,000 runs of `GPUMemNet`: four perceptrons of 64 and 32 units.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use crossover_needs::test_data;
use crossover_predict::train::{Dataset, FeatureSet, Options, Target, train};
use crossover_study::Watch;

fn gpumemnet(c: &mut Criterion) {
    let Some(file) = test_data("dl/gpumemnet/mlp_data_step1.csv") else { return };
    c.bench_function("read 3,000 runs of GPUMemNet", |b| {
        b.iter(|| Dataset::read(black_box(&file), Target::Compute, FeatureSet::BeforeTheRun));
    });
    let data = Dataset::read(&file, Target::Compute, FeatureSet::BeforeTheRun).expect("the runs");
    let mut group = c.benchmark_group("train");
    group.sample_size(10);
    group.bench_function("3,000 runs of GPUMemNet", |b| {
        b.iter(|| Watch::uncancellable(|watch| train(black_box(&data), &Options::default(), watch, &mut |_| {})));
    });
    group.finish();
}

criterion_group!(benches, gpumemnet);
criterion_main!(benches);
