//! What formulas say of many points at once is what the study answers at each of them.

use crossover_placement::Placement;
use crossover_study::bill::{Bill, Item, ItemKind};
use crossover_study::formula::{Program, Registers, Tape};
use crossover_study::{FigureValue, Watch, answer, formulas, numbers, set_number};
use proptest::prelude::*;
use proptest::sample::{Index, subsequence};

use super::studies::study;

/// Points of a run: more than one block, and not a whole number of them.
const POINTS: usize = 300;

fn answered(study: &Placement) -> Vec<FigureValue> {
    Watch::uncancellable(|watch| answer(study, watch)).expect("not cancelled")
}

fn bill(study: &Placement) -> Bill {
    let machines =
        Item { per: vec!["cluster.machines".to_owned()], usd: 9000.0, watts: 400.0, ..Item::named("machine") };
    let per = vec!["cluster.machines".to_owned(), "gpu.gpus_per_machine".to_owned()];
    let gpus = Item { kind: ItemKind::Gpu, per, usd_per_hour: 1.5, ..Item::named("GPU") };
    let figures = crossover_study::Subject::figures(study);
    Bill { items: vec![machines, gpus], ..Bill::begun(figures) }
}

/// The paths of numbers that may vary, with their ranges.
fn varied(study: &Placement) -> Vec<(String, f64, f64, bool)> {
    let all = numbers(study).into_iter();
    let all = all.map(|(path, quantity, _)| (path.to_string(), quantity.min, quantity.max, quantity.whole));
    // Of an exponent near its ends a time overflows, and on 1e6 machines the bill.
    all.collect()
}

/// A value between two, evenly spread over its decades.
fn between(low: f64, high: f64, share: f64, is_whole: bool) -> f64 {
    let least = low.max(1e-6 * high.min(1.0));
    let value = (least.ln() + share * (high.ln() - least.ln())).exp().clamp(low, high);
    if is_whole { value.round() } else { value }
}

/// Whether two values are the same but for rounding, relative to `size`.
fn close(a: f64, b: f64, size: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(size)
}

proptest! {
    #[test]
    fn formulas_say_what_the_study_answers(
        (study, chosen) in study().prop_flat_map(|study| {
            let count = varied(&study).len();
            (Just(study), subsequence((0..count).collect::<Vec<_>>(), 0..=count))
        }),
        has_bill in any::<bool>(),
        mut seed in any::<u64>(),
        checked in prop::collection::vec(any::<Index>(), 12),
    ) {
        let mut study = study;
        study.bill = has_bill.then(|| Box::new(bill(&study)));
        let all = varied(&study);
        let chosen: Vec<_> = chosen.into_iter().map(|place| all[place].clone()).collect();
        let tape = Tape::default();
        let number = |path: &str, value: f64| match chosen.iter().position(|(of, ..)| of == path) {
            Some(place) => tape.input(place),
            None => value.into(),
        };
        let formulas = formulas(&study, &number).expect("a study of formulas");
        let present = answered(&study);
        prop_assert_eq!(formulas.len(), present.len());
        let program = Program::new(&tape, &formulas);
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let columns: Vec<Vec<f64>> = chosen
            .iter()
            .map(|(_, low, high, is_whole)| (0..POINTS).map(|_| between(*low, *high, random(), *is_whole)).collect())
            .collect();
        let inputs: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut found = vec![vec![0.0; POINTS]; formulas.len()];
        let mut out: Vec<&mut [f64]> = found.iter_mut().map(Vec::as_mut_slice).collect();
        program.run(&inputs, &mut out, &mut Registers::default());

        let mut moved = study.clone();
        for point in checked.iter().map(|index| index.index(POINTS)) {
            for ((path, ..), column) in chosen.iter().zip(&columns) {
                prop_assert!(set_number(&mut moved, path, column[point]));
            }
            let expected = answered(&moved);
            let value = |key: &str| expected.iter().find(|one| one.key() == key).and_then(|one| one.value);
            // Where both sides take the same time, rounding decides.
            let is_even = |operator: &crossover_placement::Operator| {
                let speedup = value(&format!("operators.{}.speedup", operator.name));
                speedup.is_some_and(|speedup| (speedup / moved.policy.threshold - 1.0).abs() < 1e-9)
            };
            if moved.operators.iter().any(is_even) {
                continue;
            }
            for (one, column) in expected.iter().zip(&found) {
                let (found, key) = (column[point], one.key());
                match one.value {
                    // It is one over a difference.
                    Some(limit) if key == "amdahl_limit" => prop_assert!(close(1.0 / found, 1.0 / limit, 1.0), "{found} {limit}"),
                    Some(value) => prop_assert!(close(found, value, 0.0), "{key}: {found} instead of {value}"),
                    None => prop_assert!(!found.is_finite() || key == "amdahl_limit", "{key}: {found}"),
                }
            }
        }
    }
}
