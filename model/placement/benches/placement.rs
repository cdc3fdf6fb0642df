//! How long the placement model takes: one evaluation, and everything the window shows after a slider step.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use crossover_placement::Axis;
use crossover_placement::cost::evaluate as cost;
use crossover_placement::curves::{classes, curves};
use crossover_placement::{Network, Operator, Overlap, Parameter, Placement, Point, evaluate};
use crossover_scenario::read;
use crossover_study::along::samples;

fn published() -> Placement {
    shipped(include_str!("../../../scenarios/placement-published.ron"))
}

/// Six operators on three networks, whole rounds, bus and work overlapping.
fn modern() -> Placement {
    shipped(include_str!("../../../scenarios/placement-modern.ron"))
}

fn shipped(text: &str) -> Placement {
    let scenario = read(text).expect("the shipped scenarios are valid");
    scenario.placement().expect("a placement study").clone()
}

/// Eight operators on three networks, with or without overlap.
fn large(overlap: Overlap) -> Placement {
    let mut study = published();
    let operators = study.operators.clone();
    study.operators = (0..8)
        .map(|index| Operator { name: format!("operator {index}"), ..operators[index % operators.len()].clone() })
        .collect();
    study.networks.push(Network { name: "third".to_owned(), ..study.networks[0].clone() });
    study.policy.overlap = overlap;
    study.sources.clear();
    study
}

/// The table with its reasons, and the curves of every operator class.
fn everything(study: &Placement) -> usize {
    let outcome = evaluate(black_box(study));
    let axis = Axis::One(Parameter::CPU_TIME);
    let xs = samples(axis.window(study), 512, true);
    let drawn: usize = classes(study)
        .iter()
        .filter_map(|class| class.operators.first())
        .map(|operator| black_box(curves(study, *operator, axis, &xs)).len())
        .sum();
    black_box(outcome).rows.len() + drawn
}

fn placement(criterion: &mut Criterion) {
    let study = published();
    let point = Point::new(&study, 0, 0, true);
    criterion.bench_function("one evaluation", |bencher| bencher.iter(|| cost(black_box(&point)).speedup()));

    let mut group = criterion.benchmark_group("everything after one slider step");
    for (name, study) in [
        ("published", study),
        ("modern", modern()),
        ("8 operators × 3 networks", large(Overlap::Nothing)),
        ("8 operators × 3 networks, everything overlaps", large(Overlap::Everything)),
    ] {
        group.bench_function(name, |bencher| bencher.iter(|| everything(&study)));
    }
    group.finish();
}

criterion_group!(benches, placement);
criterion_main!(benches);
