//! Pairs of kernels that were never measured.

use std::collections::BTreeMap;

use crossover_measured::kernels::Class;
use crossover_preemption::fitted::{
    Estimator, Fit, FitError, LARGEST_ESTIMATE, LEAST_PAIRS, MOST_FITTED_KERNELS, PairEstimate,
};
use crossover_preemption::study::{Fallback, Kernel, Pair, Preemption};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::spread::{self, Spread};
use crossover_scenario::{self as scenario, Study};
use proptest::prelude::*;

use super::{is_near, noise};

fn pair(first: &str, second: &str, first_normalised: f64, second_normalised: f64) -> Pair {
    Pair { first: first.into(), second: second.into(), first_normalised, second_normalised }
}

fn classes(of_kernels: &[(&str, Class)]) -> BTreeMap<String, Class> {
    of_kernels.iter().map(|(kernel, class)| ((*kernel).to_owned(), *class)).collect()
}

fn six_pairs() -> Vec<Pair> {
    vec![
        pair("a", "b", 0.8, 0.7),
        pair("c", "a", 0.9, 0.5),
        pair("b", "c", 0.6, 0.75),
        pair("a", "a", 0.4, 0.5),
        pair("d", "c", 0.65, 0.85),
        pair("d", "b", 0.55, 0.8),
    ]
}

fn of_six() -> BTreeMap<String, Class> {
    classes(&[("a", Class::Memory), ("b", Class::Compute), ("c", Class::Compute), ("d", Class::Memory)])
}

#[test]
fn effects_of_four_kernels_are_those_of_numpy() {
    let fit = Fit::<Class>::of(&six_pairs(), &BTreeMap::new()).expect("pairs");
    let expected = [
        ("a", [0.330_398_371_012, 0.178_954_307_249], [0.243_837_707_465, 0.178_954_307_249]),
        ("b", [0.155_316_521_690, 0.179_877_179_553], [0.159_506_871_806, 0.179_877_179_553]),
        ("c", [0.029_969_758_417, 0.179_877_179_553], [0.280_945_154_420, 0.179_877_179_553]),
        ("d", [0.281_727_748_070, 0.197_425_845_732], [0.113_122_665_497, 0.197_425_845_732]),
    ];
    for (place, (kernel, sensitivity, aggressiveness)) in expected.into_iter().enumerate() {
        for (found, [value, error]) in
            [(&fit.sensitivity[place], sensitivity), (&fit.aggressiveness[place], aggressiveness)]
        {
            assert_eq!(found.kernel, kernel);
            assert!((found.value - value).abs() < 1e-11, "{found:?}");
            assert!((found.standard_error.expect("an error") - error).abs() < 1e-11, "{found:?}");
        }
    }
    assert!(is_near(fit.mean_sum, 4.0 / 3.0, 1e-12) && is_near(fit.share_above_one, 5.0 / 6.0, 1e-12));
    assert_eq!((fit.measured, fit.classes.len(), fit.error_of_classes), (6, 0, None));
}

#[test]
fn means_of_classes_are_those_of_their_pairs() {
    let fit = Fit::of(&six_pairs(), &of_six()).expect("pairs");
    let found: Vec<_> = fit
        .classes
        .iter()
        .map(|mean| ((mean.own, mean.other), mean.normalised, mean.standard_error, mean.pairs))
        .collect();
    // By hand: a beside itself 0.45; 0.8, 0.5, 0.65, 0.55; 0.7, 0.9, 0.85, 0.8; b and c (0.6 + 0.75) / 2.
    let expected = [
        ((Class::Memory, Class::Memory), 0.45, None, 1),
        ((Class::Memory, Class::Compute), 0.625, Some(0.066_143_782_776_6), 4),
        ((Class::Compute, Class::Memory), 0.8125, Some(0.042_695_628_191_5), 4),
        ((Class::Compute, Class::Compute), 0.675, None, 1),
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.0, found.3), (expected.0, expected.3));
        assert!(is_near(found.1, expected.1, 1e-12), "{found:?}");
        assert!((found.2.unwrap_or(0.0) - expected.2.unwrap_or(0.0)).abs() < 1e-12, "{found:?}");
    }
    let fallback = fit.fallback(&Fallback::default());
    assert!(
        is_near(fallback.memory_memory, 0.45, 1e-12) && is_near(fallback.compute_memory, 0.8125, 1e-12),
        "{fallback:?}"
    );
    // What was not measured stays.
    let memory = Fit::of(&six_pairs(), &classes(&[("a", Class::Memory), ("d", Class::Memory)])).expect("pairs");
    let fallback = memory.fallback(&Fallback::default());
    assert_eq!(fallback, Fallback { memory_memory: fallback.memory_memory, ..Fallback::default() });
}

#[test]
fn six_pairs_are_too_few_for_kernels_so_the_mean_or_the_classes_are_told() {
    // Errors by numpy with the same pairs left out.
    let bare = Fit::<Class>::of(&six_pairs(), &BTreeMap::new()).expect("pairs");
    assert_eq!(bare.by, Estimator::Mean);
    assert!(is_near(bare.error_of_mean.normalised, 0.154_634_833_78, 1e-9), "{bare:?}");
    assert!(is_near(bare.error_of_mean.sum, 0.247_070_334_116, 1e-9), "{bare:?}");
    assert!(is_near(bare.error_of_kernels.normalised, 0.205_649_825_163, 1e-9), "{bare:?}");
    assert!(is_near(bare.error_of_kernels.sum, 0.360_638_425_026, 1e-9), "{bare:?}");
    let estimate = bare.estimate("b", "d").expect("both are known");
    assert!(is_near(estimate.first_normalised, 2.0 / 3.0, 1e-12) && estimate.by == Estimator::Mean, "{estimate:?}");
    assert!(bare.cautions()[0].starts_with("each unmeasured pair is estimated as the mean"), "{bare:?}");
    let with_classes = Fit::of(&six_pairs(), &of_six()).expect("pairs");
    assert_eq!((with_classes.by, Some(with_classes.error)), (Estimator::Classes, with_classes.error_of_classes));
    assert!(is_near(with_classes.error.normalised, 0.138_678_831_052, 1e-9), "{with_classes:?}");
    let estimate = with_classes.estimate("b", "d").expect("both are known");
    assert!(
        is_near(estimate.first_normalised, 0.8125, 1e-12) && is_near(estimate.second_normalised, 0.625, 1e-12),
        "{estimate:?}"
    );
}

/// Twenty kernels of which every third is memory-intensive, all pairs with themselves and others: how fast the first is beside
/// the second, in logarithms.
fn truth(first: usize, second: usize) -> f64 {
    let [sensitivity, aggressiveness] = [first, second].map(|kernel| 0.1 + 0.3 * ((7 * kernel) % 20) as f64 / 20.0);
    let both_are_memory = first.is_multiple_of(3) && second.is_multiple_of(3);
    -(sensitivity + 0.5 * aggressiveness) - if both_are_memory { 0.3 } else { 0.0 }
}

fn twenty(deviation: f64) -> (Vec<Pair>, BTreeMap<String, Class>) {
    let mut noise = noise(420, deviation, 3).into_iter();
    let mut speed = |first, second| (truth(first, second) + noise.next().expect("enough")).exp();
    let mut pairs = Vec::new();
    for first in 0..20 {
        for second in first..20 {
            let (first_normalised, second_normalised) = (speed(first, second), speed(second, first));
            pairs.push(pair(&format!("k{first:02}"), &format!("k{second:02}"), first_normalised, second_normalised));
        }
    }
    let class = |kernel: usize| if kernel.is_multiple_of(3) { Class::Memory } else { Class::Compute };
    (pairs, (0..20).map(|kernel| (format!("k{kernel:02}"), class(kernel))).collect())
}

#[test]
fn sensitivity_and_aggressiveness_are_found_again() {
    let (pairs, classes) = twenty(0.02);
    let fit = Fit::of(&pairs, &classes).expect("pairs");
    assert_eq!(fit.by, Estimator::KernelsInClasses);
    // The noise alone is about 0.013; memory beside memory is no sum of effects.
    assert!(fit.error.normalised < 0.015 && fit.error_of_mean.normalised > 4.0 * fit.error.normalised, "{fit:?}");
    assert!(fit.error_of_kernels.normalised > 1.5 * fit.error.normalised, "{fit:?}");
    // A study without classes has kernels alone: those of no class but their own.
    let compute: Vec<Pair> = pairs
        .iter()
        .filter(|pair| [&pair.first, &pair.second].iter().all(|kernel| classes[*kernel] == Class::Compute))
        .cloned()
        .collect();
    let fit = Fit::<Class>::of(&compute, &BTreeMap::new()).expect("pairs");
    assert_eq!((fit.by, fit.sensitivity.len()), (Estimator::Kernels, 13));
    for (sensitivity, aggressiveness) in fit.sensitivity.iter().zip(&fit.aggressiveness) {
        let kernel: usize = sensitivity.kernel[1..].parse().expect("a number");
        // The offset between the two is chosen so that both have the same mean.
        let all: Vec<usize> = (0..20).filter(|kernel| kernel % 3 != 0).collect();
        let mean = |of: &dyn Fn(usize) -> f64| all.iter().map(|kernel| of(*kernel)).sum::<f64>() / 13.0;
        let own = |kernel: usize| -truth(kernel, 1);
        let other = |kernel: usize| -truth(1, kernel);
        let half = mean(&|kernel| -mean(&|second| truth(kernel, second))) / 2.0;
        let expected = [own(kernel) - mean(&own) + half, other(kernel) - mean(&other) + half];
        for (found, expected) in [sensitivity, aggressiveness].into_iter().zip(expected) {
            let error = found.standard_error.expect("an error");
            assert!((found.value - expected).abs() < 4.0 * error + 0.005, "{found:?} for {expected}");
            assert!((0.002..0.02).contains(&error), "{found:?}");
        }
    }
}

#[test]
fn a_kernel_without_measurements_is_estimated_by_its_class_and_an_unknown_one_not_at_all() {
    let (pairs, classes) = twenty(0.02);
    let seen: Vec<Pair> = pairs.into_iter().filter(|pair| pair.first != "k03" && pair.second != "k03").collect();
    let fit = Fit::of(&seen, &classes).expect("pairs");
    let estimate = fit.estimate("k03", "k01").expect("its class is known");
    let mean = |own, other| {
        fit.classes.iter().find(|mean| (mean.own, mean.other) == (own, other)).expect("measured").normalised
    };
    assert_eq!(estimate.first_normalised, mean(Class::Memory, Class::Compute));
    assert_eq!(estimate.second_normalised, mean(Class::Compute, Class::Memory));
    assert_eq!((fit.by, estimate.by), (Estimator::KernelsInClasses, Estimator::Classes));
    assert_eq!(fit.estimate("k01", "another"), None);
    assert_eq!(fit.sensitivity.len(), 19);
    // As wide as estimates by classes need it.
    let width = |estimate: &PairEstimate| estimate.first_interval[1] - estimate.first_interval[0];
    assert!(width(&estimate) > 2.0 * width(&fit.estimate("k01", "k02").expect("both are known")));
    // Nobody measured two of this class together.
    let alone = fit.estimate("k03", "k03").expect("its class is known");
    assert_eq!(alone.first_normalised, mean(Class::Memory, Class::Memory));
}

#[test]
fn an_estimate_is_no_more_than_a_clip_allows() {
    let kernels = ["a", "b", "c", "d", "e"];
    let fast = |first: &str, second: &str| pair(first, second, 1.9, 1.9);
    let mut pairs: Vec<Pair> = kernels.iter().flat_map(|first| kernels.map(|second| fast(first, second))).collect();
    pairs.retain(|pair| pair.first <= pair.second);
    let fit = Fit::<Class>::of(&pairs, &BTreeMap::new()).expect("pairs");
    let estimate = fit.estimate("a", "b").expect("both are known");
    assert_eq!((estimate.first_normalised, estimate.second_interval[1]), (LARGEST_ESTIMATE, LARGEST_ESTIMATE));
}

#[test]
fn more_kernels_than_can_be_learned_from_are_refused() {
    // Each with the next: few pairs of many kernels.
    let chain = |kernels: usize| -> Vec<Pair> {
        (1..kernels).map(|second| pair(&format!("k{}", second - 1), &format!("k{second}"), 0.7, 0.8)).collect()
    };
    let refused = Fit::<Class>::of(&chain(MOST_FITTED_KERNELS + 1), &BTreeMap::new()).expect_err("too many");
    assert_eq!(refused, FitError::TooMany(501));
    assert!(refused.to_string().starts_with("501 kernels in measured pairs; at most 500 can be"), "{refused}");
    // As many as a file may have.
    assert_eq!(Fit::<Class>::of(&chain(200_000), &BTreeMap::new()), Err(FitError::TooMany(200_000)));
}

/// A study of kernels with these names; the second half computes.
fn study_of(names: &[&str]) -> Preemption {
    let text = include_str!("../../../../../scenarios/preemption-published.ron");
    let mut study = scenario::read(text).expect("an example").preemption().expect("a study").clone();
    let class = |place: usize| if 2 * place < names.len() { Class::Memory } else { Class::Compute };
    let kernels = names.iter().enumerate();
    study.kernels = kernels
        .map(|(place, name)| Kernel { name: (*name).into(), class: class(place), ..Kernel::default() })
        .collect();
    study.pairs.clear();
    study.stream.listed.clear();
    study.sources.clear();
    study
}

fn valid(study: &Preemption) {
    if let Err(invalid) = Study::Preemption(study.clone()).validate() {
        panic!("{invalid:?}");
    }
}

fn source_of<'a>(study: &'a Preemption, first: &str, second: &str, field: &str) -> Option<&'a Provenance> {
    let place = study.pairs.iter().position(|pair| pair.first == first && pair.second == second)?;
    study.sources.get(&format!("pairs.{place}.{field}"))
}

#[test]
fn estimates_of_a_study_are_renewed_and_what_was_measured_or_entered_stays() {
    let mut study = study_of(&["a", "b", "c", "d"]);
    study.put_pair(pair("a", "d", 0.31, 0.32));
    let fit = Fit::of(&six_pairs()[..4], &of_six()).expect("pairs");
    assert_eq!(study.take_measured(six_pairs()[..2].to_vec(), "first.csv"), 2);
    // Of ten pairs two are measured and one is entered.
    assert_eq!(study.take_estimates(&fit, "first.csv"), 7);
    let old = study.pair("b", "d").expect("estimated").clone();
    let is_unmeasured = |study: &Preemption, one: &str, other: &str| {
        study
            .pairs
            .iter()
            .position(|pair| pair.first == one && pair.second == other)
            .map(|place| study.is_unmeasured(place))
    };
    assert_eq!((is_unmeasured(&study, "b", "d"), is_unmeasured(&study, "a", "b")), (Some(true), Some(false)));
    valid(&study);

    // With more pairs the same ones are estimated anew.
    let better = Fit::of(&six_pairs(), &of_six()).expect("pairs");
    assert_eq!(study.take_estimates(&better, "second.csv"), 7);
    let new = study.pair("b", "d").expect("estimated");
    assert_ne!(*new, old);
    assert_eq!((study.pairs.len(), study.pair("a", "d").map(|pair| pair.first_normalised)), (10, Some(0.31)));
    let Some(Provenance::Fitted { runs, interval: (low, high) }) = source_of(&study, "b", "d", "second_normalised")
    else {
        panic!("{:?}", study.sources)
    };
    assert_eq!(runs, "pairs of second.csv");
    assert!((*low..=*high).contains(&new.second_normalised), "{low} {high}");
    // Once it was measured it is no estimate any more, and both of its numbers say so.
    assert_eq!(study.take_measured([pair("d", "b", 0.55, 0.8), pair("d", "unknown", 0.5, 0.5)], "third.csv"), 1);
    let imported = Some(&Provenance::Imported { file: "third.csv".into() });
    for field in ["first_normalised", "second_normalised"] {
        assert_eq!(source_of(&study, "d", "b", field), imported);
    }
    assert_eq!(study.take_estimates(&better, "third.csv"), 6);
    assert_eq!(study.pair("b", "d").map(|pair| pair.first_normalised), Some(0.55));
    valid(&study);
}

#[test]
fn a_pair_that_is_entered_anew_has_no_sources_of_the_one_before() {
    let mut study = study_of(&["a", "b"]);
    study.take_measured([pair("a", "b", 0.8, 0.7)], "pairs.csv");
    let spread = Spread::alone(spread::Distribution::Uniform { low: 0.7, high: 0.9 });
    study.uncertain.insert("pairs.0.first_normalised".into(), spread);
    assert_eq!(study.put_pair(pair("b", "a", 0.6, 0.5)), Some(0));
    assert!(study.sources.is_empty() && study.uncertain.is_empty(), "{study:?}");
    valid(&study);
}

#[test]
fn means_of_classes_are_taken_with_their_intervals() {
    let mut study = study_of(&["a", "d", "b", "c"]);
    let fit = Fit::of(&six_pairs(), &of_six()).expect("pairs");
    assert_eq!(study.take_class_means(&fit, "pairs.csv"), 4);
    assert_eq!(study.fallback.memory_compute, 0.625);
    // t of three degrees of freedom is 2.3534, the standard error 0.066144.
    let Some(Provenance::Fitted { interval: (low, high), .. }) = study.sources.get("fallback.memory_compute") else {
        panic!("{:?}", study.sources)
    };
    assert!((low - 0.469_338).abs() < 1e-5 && (high - 0.780_662).abs() < 1e-5, "{low} {high}");
    // Of one pair there is no interval: its number stands in the file.
    let imported = Provenance::Imported { file: "pairs.csv".into() };
    assert_eq!(study.sources.get("fallback.memory_memory"), Some(&imported));
    valid(&study);
}

#[test]
fn what_pairs_cannot_be_learned_from_is_refused_in_words() {
    let refused = |pairs: &[Pair]| Fit::<Class>::of(pairs, &BTreeMap::new()).expect_err("nothing to learn").to_string();
    assert_eq!(refused(&[]), "0 measured pairs of different kernels; expected at least 2 to estimate others");
    let twice = [pair("a", "b", 0.5, 0.6), pair("b", "a", 0.6, 0.5)];
    assert_eq!(Fit::<Class>::of(&twice, &BTreeMap::new()).expect_err("one pair"), FitError::TooFew(LEAST_PAIRS - 1));
    for value in [0.0, -0.5, f64::NAN, f64::INFINITY] {
        let expected = format!("normalised IPC of \"a\" and \"b\" together: {value}; expected a number above 0");
        assert_eq!(refused(&[pair("a", "b", 0.5, value), pair("a", "c", 0.5, 0.5)]), expected);
    }
}

proptest! {
    #[test]
    fn whatever_was_measured_estimates_stay_in_bounds_and_are_no_worse_than_the_mean(
        measured in prop::collection::vec((0..8_usize, 0..8_usize, 0.001..2.0_f64, 0.001..2.0_f64), 2..40),
        memory in prop::collection::vec(any::<Option<bool>>(), 8),
        turn in any::<prop::sample::Index>(),
    ) {
        let name = |kernel: usize| format!("k{kernel}");
        let mut pairs: Vec<Pair> =
            measured.iter().map(|(first, second, n, m)| pair(&name(*first), &name(*second), *n, *m)).collect();
        let class = |is_memory: bool| if is_memory { Class::Memory } else { Class::Compute };
        let classes: BTreeMap<String, Class> =
            memory.iter().enumerate().filter_map(|(kernel, of)| Some((name(kernel), class((*of)?)))).collect();
        let Ok(fit) = Fit::of(&pairs, &classes) else { return Ok(()) };
        prop_assert!(fit.error.normalised <= fit.error_of_mean.normalised && fit.error.sum <= fit.error_of_mean.sum);
        pairs.rotate_left(turn.index(measured.len()));
        let turned: Vec<Pair> = pairs.iter().map(|of| pair(&of.second, &of.first, of.second_normalised, of.first_normalised)).collect();
        let turned = Fit::of(&turned, &classes).expect("the same pairs");
        for first in 0..8 {
            for second in 0..8 {
                let Some(estimate) = fit.estimate(&name(first), &name(second)) else { continue };
                let PairEstimate { first_normalised, second_normalised, first_interval, second_interval, by } = estimate;
                for (value, [low, high]) in [(first_normalised, first_interval), (second_normalised, second_interval)] {
                    prop_assert!(0.0 < low && low <= value && value <= high && high <= LARGEST_ESTIMATE, "{estimate:?}");
                }
                prop_assert!(first != second || first_normalised == second_normalised);
                let other = PairEstimate {
                    first_normalised: second_normalised,
                    second_normalised: first_normalised,
                    first_interval: second_interval,
                    second_interval: first_interval,
                    by,
                };
                prop_assert_eq!(turned.estimate(&name(second), &name(first)), Some(other));
            }
        }
    }
}
