//! Sampling in rounds: the last round is what all samples at once give, and no sample is evaluated twice.

use std::sync::atomic::{AtomicUsize, Ordering};

use crossover_scenario::{self as scenario, Study};
use crossover_study::Watch;
use crossover_tools::rounds::{Kept, rounds};
use crossover_tools::uncertainty::LEAST_SAMPLES;
use crossover_tools::{Sampling, UncertaintyError, sensitivity, uncertainty};

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
fn counted<T>(run: impl FnOnce(Watch<'_>) -> Result<Option<T>, UncertaintyError>) -> (T, usize) {
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
    let (mut kept, mut in_rounds, mut last) = (Kept::default(), 0, None);
    for samples in rounds(study.subject(), sensitivity::FIRST_SAMPLES, LEAST_SAMPLES) {
        let (found, new) = counted(|watch| sensitivity::round(study.subject(), &all, samples, &mut kept, watch));
        in_rounds += new;
        last = Some(found);
    }
    assert_eq!(format!("{:?}", last.expect("a round")), format!("{whole:?}"));
    assert_eq!(in_rounds, evaluated);
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
