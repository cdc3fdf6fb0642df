//! Scaling of probes against the R package `usl`, and knees against the Python package `kneed`.

use crossover_model::probe::kneedle::knee;
use crossover_model::probe::{NoScaling, Point, Recommended, Scaled, Scaling};
use proptest::prelude::*;

fn points(pairs: &[[f64; 2]]) -> Vec<Point> {
    pairs.iter().map(|[units, throughput]| Point { units: *units, throughput: *throughput }).collect()
}

/// SPEC SDM91 on a `SPARCcenter` 2000: users and scripts an hour (Gunther, Guerrilla Capacity Planning, 2007).
const SDM91: [[f64; 2]; 7] =
    [[1.0, 64.9], [18.0, 995.9], [36.0, 1652.4], [72.0, 1853.2], [108.0, 1828.9], [144.0, 1775.0], [216.0, 1702.2]];

fn is_near(found: f64, expected: f64, share: f64) -> bool {
    (found - expected).abs() <= share * expected.abs()
}

#[test]
fn a_fit_is_that_of_the_r_package() {
    // `summary(usl(throughput ~ load, specsdm91))` and `print` of version 2.3, tests/summary.Rout.save and
    // tests/usl-nlxb.Rout.save of its repository: the digits that stand there.
    let law = Scaling::fit(&points(&SDM91)).expect("a fit");
    assert!(is_near(law.alpha, 0.027_728_5, 2e-5), "{law:?}");
    assert!(is_near(law.beta, 0.000_104_4, 5e-4), "{law:?}");
    assert!(is_near(law.gamma, 89.995_233, 1e-5), "{law:?}");
    let errors = law.errors.expect("errors");
    for (found, expected) in errors.into_iter().zip([0.009_121_7, 0.000_019_9, 14.213_489_4]) {
        assert!(is_near(found, expected, 2e-3), "{errors:?}");
    }
    assert!((law.r_squared - 0.9896).abs() < 5e-5, "{law:?}");
    // sqrt((1 − α)/β).
    assert!(is_near(law.peak().expect("a peak"), 96.52, 1e-3));
}

#[test]
fn a_law_that_holds_exactly_is_found_and_its_peak_is_the_smaller() {
    let law = |units: f64| 7.0 * units / (1.0 + 0.05 * (units - 1.0) + 0.002 * units * (units - 1.0));
    let measured: Vec<Point> =
        (0..8).map(|power| f64::from(1 << power)).map(|units| Point { units, throughput: law(units) }).collect();
    let scaled = Scaled::new(&measured).expect("a fit");
    assert!(is_near(scaled.law.alpha, 0.05, 1e-6) && is_near(scaled.law.beta, 0.002, 1e-6), "{scaled:?}");
    assert!(is_near(scaled.law.gamma, 7.0, 1e-6) && scaled.law.r_squared > 1.0 - 1e-9);
    // √(0.95 / 0.002) = 21.79; the knee of the points is at 16.
    assert!(is_near(scaled.peak.expect("a peak"), 21.794, 1e-4));
    assert_eq!(scaled.recommended, Recommended::Knee(16));
    // A straight line has neither.
    let line: Vec<Point> = [1.0, 2.0, 4.0, 8.0].map(|units| Point { units, throughput: 3.0 * units }).to_vec();
    let scaled = Scaled::new(&line).expect("a fit");
    assert_eq!((scaled.peak, scaled.recommended), (None, Recommended::Most(8)));
    assert!(is_near(scaled.law.efficiency(8.0), 1.0, 1e-9));
}

#[test]
fn repeats_count_and_what_cannot_be_is_refused() {
    let twice: Vec<Point> =
        SDM91.iter().chain(&SDM91).map(|[units, rate]| Point { units: *units, throughput: *rate }).collect();
    let [once, doubled] = [points(&SDM91), twice].map(|points| Scaling::fit(&points).expect("a fit"));
    assert!(is_near(doubled.alpha, once.alpha, 1e-6) && is_near(doubled.r_squared, once.r_squared, 1e-9));
    // Twice the points, residual sum twice as large: errors shrink by √(4 · 2 / 11 / 2), 7 − 3 and 14 − 3 degrees of freedom.
    let [before, after] = [once.errors.expect("errors")[0], doubled.errors.expect("errors")[0]];
    assert!(is_near(after / before, (4.0_f64 / 11.0).sqrt(), 1e-6), "{before} {after}");

    assert_eq!(Scaling::fit(&[]), Err(NoScaling::TooFew(0)));
    assert_eq!(Scaling::fit(&points(&[[4.0, 1.0], [4.0, 2.0], [4.0, 3.0]])), Err(NoScaling::TooFew(1)));
    for bad in [[0.0, 1.0], [1.0, 0.0], [1.0, -2.0], [f64::NAN, 1.0], [1.0, f64::INFINITY]] {
        let error = Scaling::fit(&points(&[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], bad])).expect_err("refused").to_string();
        assert!(error.contains("expected at least 1 unit and a throughput above 0"), "{error}");
    }
    let three = Scaling::fit(&points(&[[1.0, 1.0], [2.0, 1.8], [4.0, 3.0]])).expect("a fit");
    assert_eq!(three.errors, None, "no more points than coefficients");
}

/// Curves, and where kneed 0.9.0 finds their knee (S = 1, concave, increasing); the first is figure 2 of the paper.
#[expect(clippy::unreadable_literal, reason = "as the other program printed them")]
const KNEES: [(&[[f64; 2]], Option<f64>); 6] = [
    (
        &[
            [0.0, -5.0],
            [0.1111111111111111, 0.2631578947368425],
            [0.2222222222222222, 1.8965517241379306],
            [0.3333333333333333, 2.6923076923076925],
            [0.4444444444444444, 3.1632653061224487],
            [0.5555555555555556, 3.4745762711864407],
            [0.6666666666666666, 3.6956521739130435],
            [0.7777777777777777, 3.8607594936708862],
            [0.8888888888888888, 3.98876404494382],
            [1.0, 4.090909090909091],
        ],
        Some(0.2222222222222222),
    ),
    (&[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0], [5.0, 5.0]], None),
    (&[[1.0, 10.0], [2.0, 19.0], [4.0, 35.0], [8.0, 60.0], [16.0, 62.0], [32.0, 61.0]], Some(8.0)),
    (&[[1.0, 5.0], [2.0, 9.0], [3.0, 8.0], [4.0, 12.0], [5.0, 11.0], [6.0, 13.0], [7.0, 12.0], [8.0, 13.0]], Some(2.0)),
    (&[[1.0, 8.0], [2.0, 4.0], [4.0, 2.0], [8.0, 1.0]], Some(1.0)),
    (&[[1.0, 1.0], [10.0, 30.0], [20.0, 31.0], [30.0, 60.0], [40.0, 61.0], [50.0, 62.0]], Some(30.0)),
];

#[test]
fn knees_are_those_of_the_reference_implementation() {
    for (points, expected) in KNEES {
        assert_eq!(knee(points), expected, "{points:?}");
    }
}

proptest! {
    #[test]
    fn a_fit_never_leaves_its_bounds_and_beats_every_law_beside_it(
        rates in proptest::collection::vec(0.01_f64..1e6, 3..12),
        nudge in proptest::array::uniform3(-0.05_f64..0.05),
    ) {
        let measured: Vec<Point> =
            rates.iter().enumerate().map(|(place, rate)| Point { units: 1.0 + place as f64, throughput: *rate }).collect();
        let law = Scaling::fit(&measured).expect("three numbers of units");
        prop_assert!((0.0..=1.0).contains(&law.alpha) && (0.0..=1.0).contains(&law.beta) && law.gamma >= 0.0);
        let squares = |law: &Scaling| -> f64 {
            measured.iter().map(|point| (point.throughput - law.at(point.units)).powi(2)).sum()
        };
        let beside = Scaling {
            alpha: (law.alpha + nudge[0]).clamp(0.0, 1.0),
            beta: (law.beta + nudge[1]).clamp(0.0, 1.0),
            gamma: law.gamma * (1.0 + nudge[2]),
            ..law
        };
        prop_assert!(squares(&law) <= squares(&beside) * (1.0 + 1e-9) + 1e-9);
    }
}
