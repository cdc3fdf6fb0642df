//! How long the tools take: what a page shows after each change of a number should be there within a frame, 16.7 ms.

use criterion::{Criterion, criterion_group, criterion_main};
use crossover_scenario::{Study, read};
use crossover_study::Watch;
use crossover_tools::{Map, Range, Sampling, Sweep, bands, map, sensitivity, uncertainty};

/// As in the programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn studies() -> [(&'static str, Study); 3] {
    let study = |text| read(text).expect("the shipped scenarios are valid").study;
    [
        ("placement-modern", study(include_str!("../../../scenarios/placement-modern.ron"))),
        ("placement-published", study(include_str!("../../../scenarios/placement-published.ron"))),
        // Its simulation is no formula.
        ("regulation-published", study(include_str!("../../../scenarios/regulation-published.ron"))),
    ]
}

/// Numbers that every study of a kind has, from where to where.
fn ranges(name: &str) -> [&'static str; 2] {
    if name.starts_with("placement") {
        ["operators.filter.cpu_seconds_per_100mb=10ms..10s", "gpu.gpu_parallelism=2..1024"]
    } else {
        ["controllers.PID.kp=0.1..0.5", "controllers.PID.ki=0.01..0.1"]
    }
}

fn tools(criterion: &mut Criterion) {
    for (name, study) in studies() {
        let is_placement = name.starts_with("placement");
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        let sizes: &[usize] = if is_placement { &[16_384, 1_048_576] } else { &[1_024] };
        for samples in sizes {
            let sampling = Sampling { samples: *samples, spread_all: Some(0.1), ..Sampling::default() };
            group.bench_function(format!("uncertainty, {samples} samples"), |bencher| {
                bencher.iter(|| {
                    Watch::uncancellable(|watch| uncertainty(study.subject(), &sampling, watch)).expect("unknown")
                });
            });
        }
        let samples = if is_placement { 1_024 } else { 64 };
        let sampling = Sampling { samples, spread_all: Some(0.1), ..Sampling::default() };
        group.bench_function(format!("sensitivity, {samples} samples"), |bencher| {
            bencher.iter(|| {
                Watch::uncancellable(|watch| sensitivity(study.subject(), &sampling, watch)).expect("unknown")
            });
        });
        let points = if is_placement { 512 } else { 16 };
        let [x, y] = ranges(name).map(|range| Range::read(study.subject(), range, points).expect("a range"));
        let requested =
            Map { x, y, figures: vec![if is_placement { "operators.filter.speedup" } else { "tops" }.to_owned()] };
        group.bench_function(format!("map, {points} × {points} cells"), |bencher| {
            bencher.iter(|| Watch::uncancellable(|watch| map(study.subject(), &requested, watch)).expect("a map"));
        });
        let along =
            Sweep { x: Range::read(study.subject(), ranges(name)[0], 201).expect("a range"), figures: Vec::new() };
        let sampling =
            Sampling { samples: if is_placement { 1_024 } else { 64 }, spread_all: Some(0.1), ..Sampling::default() };
        group.bench_function(format!("bands of 201 values, {} samples", sampling.samples), |bencher| {
            bencher.iter(|| {
                Watch::uncancellable(|watch| bands(study.subject(), &along, &sampling, watch)).expect("bands")
            });
        });
        group.finish();
    }
}

criterion_group!(benches, tools);
criterion_main!(benches);
