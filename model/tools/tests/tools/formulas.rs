//! Tools evaluate studies of formulas at many points at once, and find what they find point by point.

use crossover_scenario::{Study, read};
use crossover_study::{Watch, numbers, set_number, validate};
use crossover_tools::batch::is_of_formulas;
use crossover_tools::points::{Pointwise, evaluate_shard};
use crossover_tools::selected::EVERY;
use crossover_tools::{Map, Range, Sampling, Shard, map, sensitivity, uncertainty};

const MODERN: &str = include_str!("../../../../scenarios/placement-modern.ron");
const PUBLISHED: &str = include_str!("../../../../scenarios/placement-published.ron");

fn study(text: &str) -> Study {
    read(text).expect("a shipped scenario").study
}

/// Checks some points of a tool against single evaluations.
fn check<T: Pointwise>(tool: &T) {
    assert!(tool.batch().is_some(), "a study of formulas");
    let all =
        Watch::uncancellable(|watch| evaluate_shard(tool, Shard::new(1, 1).expect("a shard"), watch)).expect("all");
    assert_eq!((all.len(), all.figures(), all.refused().len()), (tool.points(), tool.figures(), 0));
    let (mut state, mut compared) = (tool.start(), 0);
    for point in (0..tool.points()).step_by(97).chain([tool.points() - 1]) {
        let alone = Watch::uncancellable(|watch| tool.at(&mut state, point, watch)).expect("all").expect("allowed");
        for (figure, alone) in alone.iter().enumerate() {
            let found = all.column(figure)[point];
            let is_same = found.is_nan() && alone.is_nan() || (found - alone).abs() <= 1e-12 * alone.abs();
            assert!(is_same, "point {point}, figure {figure}: {found} instead of {alone}");
            compared += 1;
        }
    }
    assert!(compared > 20);
}

#[test]
fn tools_find_at_once_what_they_find_point_by_point() {
    for text in [MODERN, PUBLISHED] {
        let study = study(text);
        // Speedups and decisions flip where both sides cost the same; times of either side do not.
        let figures = ["cpu_seconds", "gpu_seconds", "operators.filter.gpu_seconds"].map(ToOwned::to_owned).to_vec();
        let sampling =
            Sampling { samples: 700, spread_all: Some(0.2), figures: figures.clone(), ..Sampling::default() };
        let begun = Watch::uncancellable(|watch| uncertainty::begin(study.subject(), &sampling, watch));
        check(&begun.expect("unknown").expect("all"));
        let begun = Watch::uncancellable(|watch| sensitivity::begin(study.subject(), &sampling, watch));
        check(&begun.expect("unknown").expect("all"));
        let range = |text: &str| Range::read(study.subject(), text, 30).expect("a range");
        // An entry of a list may be meant by its place.
        let requested =
            Map { x: range("operators.0.input_gb=1..100"), y: range("gpu.gpu_parallelism=2..900"), figures };
        let begun = Watch::uncancellable(|watch| map::begin(study.subject(), &requested, watch));
        check(&begun.expect("a map").expect("all"));
        let bill =
            if text == MODERN { vec!["run_usd".to_owned(), "bill_watts".to_owned()] } else { vec![EVERY.to_owned()] };
        let requested = Map { figures: bill, ..requested };
        let begun = Watch::uncancellable(|watch| map::begin(study.subject(), &requested, watch));
        check(&begun.expect("a map").expect("all"));
    }
}

#[test]
fn whole_plans_and_simulations_are_no_formulas() {
    for (text, expected) in [
        (MODERN, true),
        (PUBLISHED, true),
        (include_str!("../../../../scenarios/placement-query.ron"), false),
        (include_str!("../../../../scenarios/regulation-published.ron"), false),
        (include_str!("../../../../scenarios/preemption-published.ron"), false),
    ] {
        assert_eq!(is_of_formulas(study(text).subject()), expected);
    }
}

/// Points of formulas are not validated one by one: each number may be at either end of its range, whatever the others are.
#[test]
fn numbers_of_a_study_of_formulas_are_limited_by_their_own_ranges_alone() {
    for text in [MODERN, PUBLISHED] {
        let before = study(text);
        let all: Vec<_> = numbers(before.subject())
            .into_iter()
            .map(|(path, quantity, _)| (path.to_string(), [quantity.min, quantity.max]))
            .collect();
        for round in 0..64_usize {
            let mut moved = before.clone();
            for (place, (path, ends)) in all.iter().enumerate() {
                let end = (round * 0x9e37 + place * 0x85eb + round * place * 7) / 13 % 2;
                assert!(set_number(moved.subject_mut(), path, ends[end]));
            }
            assert_eq!(validate(moved.subject()), Ok(()), "round {round}");
        }
    }
}
