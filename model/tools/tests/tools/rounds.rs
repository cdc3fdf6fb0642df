//! Sampling in rounds: the last round is what all samples at once give, and no sample is evaluated twice.

use std::sync::atomic::{AtomicUsize, Ordering};

use crossover_placement::Placement;
use crossover_quantity::spread::{Distribution, Spread};
use crossover_scenario::{self as scenario, Study};
use crossover_study::{Subject, Watch, answer, set_number};
use crossover_tools::rounds::{Kept, rounds};
use crossover_tools::sensitivity::{Step, steps};
use crossover_tools::uncertainty::LEAST_SAMPLES;
use crossover_tools::{Sampling, Sweep, UncertaintyError, bands, compare, joint, paired, sensitivity, uncertainty};

/// A simulation: its figures are no formulas.
const ALLOCATION: &str = include_str!("../../../../scenarios/allocation-tie.ron");
/// A study of formulas.
const PLACEMENT: &str = include_str!("../../../../scenarios/placement-published.ron");

fn study(text: &str) -> Study {
    scenario::read(text).expect("an example").study
}

fn sampling(samples: usize) -> Sampling {
    Sampling { samples, spread_all: Some(0.1), ..Sampling::default() }
}

/// What a run gives, and the units that it counted.
fn counted<T, E: std::fmt::Debug>(run: impl FnOnce(Watch<'_>) -> Result<Option<T>, E>) -> (T, usize) {
    let done = AtomicUsize::new(0);
    let found = run(Watch { is_cancelled: &|| false, done: &done }).expect("it is sampled").expect("not cancelled");
    (found, done.load(Ordering::Relaxed))
}

#[test]
fn rounds_double_up_to_all_samples() {
    let slow = study(ALLOCATION);
    assert_eq!(rounds(slow.subject(), 16, 100), [16, 32, 64, 100]);
    assert_eq!(rounds(slow.subject(), 16, 16), [16]);
    assert_eq!(rounds(slow.subject(), 16, 5), [5]);
    // Formulas take so little time that a few rounds are enough.
    assert_eq!(rounds(study(PLACEMENT).subject(), 16, 16_384), [4_096, 16_384]);
}

#[test]
fn the_last_round_of_intervals_is_what_all_samples_at_once_give() {
    for text in [ALLOCATION, PLACEMENT] {
        let (study, all) = (study(text), sampling(200));
        let (whole, _) = counted(|watch| uncertainty(study.subject(), &all, watch));
        let mut kept = Kept::default();
        for samples in [64, 128] {
            counted(|watch| uncertainty::round(study.subject(), &all, samples, &mut kept, watch));
        }
        let (last, _) = counted(|watch| uncertainty::round(study.subject(), &all, 200, &mut kept, watch));
        // As text: a value that is missing equals nothing.
        assert_eq!(format!("{last:?}"), format!("{whole:?}"));
    }
}

#[test]
fn the_last_round_of_sensitivities_is_what_all_samples_at_once_give_with_no_more_evaluations() {
    let (study, all) = (study(ALLOCATION), sampling(LEAST_SAMPLES));
    let (whole, evaluated) = counted(|watch| sensitivity(study.subject(), &all, watch));
    let (numbers, causes) = (whole.unknowns.numbers.len(), whole.causes.len());
    let (mut kept, mut in_rounds, mut last) = (Kept::default(), 0, None);
    for step in steps(study.subject(), numbers, LEAST_SAMPLES) {
        let (found, new) = counted(|watch| sensitivity::round(study.subject(), &all, step, &mut kept, watch));
        in_rounds += new;
        assert_eq!(in_rounds, step.evaluations(numbers, causes), "{step:?}");
        last = Some(found);
    }
    assert_eq!(format!("{:?}", last.expect("a round")), format!("{whole:?}"));
    assert_eq!(in_rounds, evaluated);
}

#[test]
fn sensitivities_of_a_slow_study_begin_with_a_few_numbers_moved_one_at_a_time() {
    let (slow, fast) = (study(ALLOCATION), study(PLACEMENT));
    let moved = [8, 16, 20].map(Step::OneAtATime);
    let sampled = [16, 32, 64].map(Step::Samples);
    assert_eq!(steps(slow.subject(), 20, 64), [moved, sampled].concat());
    assert_eq!(steps(fast.subject(), 20, 16_384), [4_096, 16_384].map(Step::Samples), "formulas are fast");
    let all = sampling(LEAST_SAMPLES);
    let (first, evaluated) =
        counted(|watch| sensitivity::round(slow.subject(), &all, Step::OneAtATime(8), &mut Kept::default(), watch));
    assert_eq!((first.samples, first.moved(), first.evaluations, evaluated), (0, 8, 16, 16));
    assert!(first.figures.iter().all(|figure| figure.effects.is_empty() && figure.ranked().is_empty()));
}

/// The time of a filter on CPUs grows in a straight line with its CPU time per 100 MB. From P5 to P95 of a uniform distribution is 90 % of
/// its range, so the figure changes by 90 % of what it changes over the range. It does not depend on the join.
#[test]
fn a_figure_that_is_a_line_along_one_number_changes_by_90_percent_over_its_swing_and_with_no_other() {
    const KEY: &str = "operators.filter.cpu_seconds";
    const FILTER: &str = "operators.filter.cpu_seconds_per_100mb";
    let at = |value: f64| {
        let mut study = study(PLACEMENT);
        assert!(set_number(study.subject_mut(), FILTER, value));
        let answer = Watch::uncancellable(|watch| answer(study.subject(), watch)).expect("an answer");
        answer.into_iter().find(|one| one.key() == KEY).and_then(|one| one.value).expect("a value")
    };
    let mut study = study(PLACEMENT);
    for (path, low, high) in [(FILTER, 0.004, 0.006), ("operators.join.cpu_seconds_per_100mb", 0.1, 0.3)] {
        let spread = Spread::alone(Distribution::Uniform { low, high });
        study.subject_mut().spreads_mut().insert(path.to_owned(), spread);
    }
    let sampling = Sampling { figures: vec![KEY.to_owned()], ..Sampling::default() };
    let step = Step::OneAtATime(usize::MAX);
    let (found, _) = counted(|watch| sensitivity::round(study.subject(), &sampling, step, &mut Kept::default(), watch));
    let figure = &found.figures[0];
    let furthest: Vec<&str> =
        figure.furthest().into_iter().map(|place| found.unknowns.numbers[place].path.as_str()).collect();
    assert_eq!(furthest, [FILTER]);
    let change = figure.swings[figure.furthest()[0]].change(figure.present);
    let expected = 0.9 * (at(0.006) - at(0.004));
    assert!((change / expected - 1.0).abs() < 1e-9, "{change} instead of {expected}");
}

#[test]
fn the_last_round_of_bands_is_what_all_samples_at_once_give_with_no_more_evaluations() {
    for text in [ALLOCATION, PLACEMENT] {
        let study = study(text);
        let path = if text == ALLOCATION { "arrivals.demand=0.1..0.2:3" } else { "cluster.machines=10..1000:5" };
        let along = Sweep::read(study.subject(), path).expect("a sweep");
        let (whole, evaluated) = counted(|watch| bands(study.subject(), &along, &sampling(128), watch));
        let mut kept = Kept::default();
        let (_, first) = counted(|watch| bands::round(study.subject(), &along, &sampling(128), 64, &mut kept, watch));
        let (last, rest) =
            counted(|watch| bands::round(study.subject(), &along, &sampling(128), 128, &mut kept, watch));
        assert_eq!(format!("{last:?}"), format!("{whole:?}"));
        if text == ALLOCATION {
            assert_eq!((first + rest, evaluated), (128 * 3, 128 * 3), "each sample at each value once");
        }
    }
}

#[test]
fn the_last_round_of_a_comparison_is_what_all_samples_at_once_give_with_no_more_evaluations() {
    let (one, other) = (study(ALLOCATION), scenario::read(ALLOCATION).expect("an example"));
    let other = other.with("arrivals.demand=0.14").expect("a valid value").study;
    let studies: Vec<&dyn Subject> = vec![one.subject(), other.subject()];
    let (compared, _) = counted(|watch| compare(&studies, watch));
    let all = sampling(LEAST_SAMPLES);
    let (whole, evaluated) = counted(|watch| paired(&studies, &compared.figures, &all, watch));
    let (mut kept, mut in_rounds, mut last) = (Vec::new(), 0, None);
    for samples in rounds(one.subject(), paired::FIRST_SAMPLES, LEAST_SAMPLES) {
        let round = |watch: Watch<'_>| paired::round(&studies, &compared.figures, &all, samples, &mut kept, watch);
        let (found, new) = counted(round);
        assert_eq!(found.samples, samples);
        in_rounds += new;
        last = Some(found);
    }
    assert_eq!(format!("{:?}", last.expect("a round")), format!("{whole:?}"));
    assert_eq!((in_rounds, evaluated), (2 * LEAST_SAMPLES, 2 * LEAST_SAMPLES));
}

/// Of a number that is uniform from 4 to 6 ms, P5 and P95 are 4.1 and 5.9 ms. The 95 % interval of the rank of an end is
/// 1.96 √(0.05 × 0.95 ÷ n) on either side, which is this part ÷ 0.9 of the width of the band.
#[test]
fn values_that_are_no_figures_have_the_interval_of_the_number_that_they_are() {
    let mut study = study(PLACEMENT);
    let spread = Spread::alone(Distribution::Uniform { low: 0.004, high: 0.006 });
    study.subject_mut().spreads_mut().insert("operators.filter.cpu_seconds_per_100mb".to_owned(), spread);
    let placement = study.placement().expect("a placement study");
    let sampling = Sampling { samples: 1_024, ..Sampling::default() };
    let mut kept = Kept::default();
    for samples in [64, 1_024] {
        let (found, new) = counted(|watch| {
            let values = |study: &Placement| {
                let filter = study.operators.iter().find(|operator| operator.name == "filter").expect("an operator");
                vec![filter.cpu_seconds_per_100mb, f64::NAN]
            };
            joint::round(placement, &sampling, samples, (2, values), &mut kept, watch)
        });
        assert_eq!((found.samples, found.unknown, new), (samples, 1, if samples == 64 { 64 } else { 960 }));
        assert_eq!(found.ends[1], None, "it is never finite");
        let [low, high] = found.ends[0].expect("an interval");
        let error = 1.96 * (0.05 * 0.95 / samples as f64).sqrt() / 0.9;
        // Ranks are whole: one of n more or less.
        let rank = 1.0 / (0.9 * samples as f64);
        assert!((found.error.expect("a width") - error).abs() < rank, "{:?} instead of {error}", found.error);
        assert!((low - 0.004_1).abs() < 0.001_8 * error && (high - 0.005_9).abs() < 0.001_8 * error, "{low} {high}");
    }
}

#[test]
fn a_round_that_is_cancelled_keeps_the_values_of_the_one_before() {
    let (study, all) = (study(ALLOCATION), sampling(128));
    let mut kept = Kept::default();
    counted(|watch| uncertainty::round(study.subject(), &all, 64, &mut kept, watch));
    let cancelled = Watch { is_cancelled: &|| true, done: &AtomicUsize::new(0) };
    let found = uncertainty::round(study.subject(), &all, 128, &mut kept, cancelled).expect("no error");
    assert!(found.is_none());
    let (_, new) = counted(|watch| uncertainty::round(study.subject(), &all, 128, &mut kept, watch));
    assert_eq!(new, 64);
}

#[test]
fn too_few_samples_are_rejected_in_the_first_round() {
    let study = study(ALLOCATION);
    let few = sampling(5);
    let refused =
        Watch::uncancellable(|watch| uncertainty::round(study.subject(), &few, 5, &mut Kept::default(), watch));
    assert_eq!(refused, Err(UncertaintyError::Samples(5)));
}
