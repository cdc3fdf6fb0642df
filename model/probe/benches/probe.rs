//! Probes: the fit of a hundred centres with a thousand probes each, and changes in as many series.
//! `cargo bench -p crossover-probe --bench probe`

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use crossover_probe::{Centre, Network, Point, Probe, Run, Runs, Scaled, Timed, UnitType, evaluate};
use crossover_scenario as scenario;

/// Centres.
const CENTRES: usize = 100;
/// Probes of each.
const PROBES: usize = 1_000;

/// A number between 0 and 1 that depends on the place only.
fn ripple(place: usize) -> f64 {
    (place.wrapping_mul(2_654_435_761) % 1_000) as f64 / 1_000.0
}

fn probes(criterion: &mut Criterion) {
    let points = |centre: usize| -> Vec<Point> {
        (0..PROBES)
            .map(|place| {
                let units = f64::from(1_u32 << (place % 8));
                let law = units / (1.0 + 0.01 * centre as f64 / 10.0 * (units - 1.0) + 1e-4 * units * (units - 1.0));
                Point { units, throughput: law * (0.95 + 0.1 * ripple(place + centre)) }
            })
            .collect()
    };
    let centres: Vec<Vec<Point>> = (0..CENTRES).map(points).collect();
    criterion.bench_function("fit of 100 centres, 1,000 probes each", |bench| {
        bench.iter(|| centres.iter().filter(|points| Scaled::new(black_box(points)).is_ok()).count());
    });
    let series = |centre: usize| -> Vec<Timed> {
        (0..PROBES)
            .map(|place| {
                let at = place as f64 / 6.0;
                let slow = if (9.0..11.0).contains(&(at % 24.0)) { 2.0 } else { 1.0 };
                Timed { at, seconds: slow * (0.95 + 0.1 * ripple(place + centre)) }
            })
            .collect()
    };
    let all: Vec<Vec<Timed>> = (0..CENTRES).map(series).collect();
    criterion.bench_function("network of 100 centres, 1,000 probes each", |bench| {
        bench.iter(|| all.iter().filter(|series| Network::new(black_box(series), 2.0).best.is_some()).count());
    });
}

/// The whole study: means, scores, fits, hours of the day and ranking.
fn study(criterion: &mut Criterion) {
    let text = include_str!("../../../scenarios/probe-published.ron");
    let published = scenario::read(text).expect("a scenario").probe().expect("a probe scenario").clone();
    let centre = |centre: usize| {
        let run = |place: usize| {
            let units = f64::from(1_u32 << (place % 8));
            let law = units / (1.0 + 0.01 * centre as f64 / 10.0 * (units - 1.0) + 1e-4 * units * (units - 1.0));
            let seconds = (0.95 + 0.1 * ripple(place + centre)) / law;
            Run {
                units,
                seconds,
                error: Some(1e-14),
                target_seconds: Some(1e3 * seconds),
                hours: Some(place as f64 / 6.0),
            }
        };
        let mut runs = Runs::default();
        runs.add(&(0..PROBES).map(run).collect::<Vec<Run>>(), &[]);
        let units = vec![UnitType { count: 128.0, runs, ..UnitType::default() }];
        Centre { name: format!("centre {centre}"), units, ..Centre::default() }
    };
    let study = Probe { centres: (0..CENTRES).map(centre).collect(), ..published };
    criterion.bench_function("study of 100 centres, 1,000 probes each", |bench| {
        bench.iter(|| evaluate(black_box(&study)).ranking.len());
    });
}

criterion_group!(benches, probes, study);
criterion_main!(benches);
