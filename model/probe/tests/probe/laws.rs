//! Scaling of probes against the R package `usl`, and knees against the Python package `kneed`.

use crossover_probe::kneedle::knee;
use crossover_probe::pelt::{parts, usual_penalty};
use crossover_probe::{Level, Network, NoScaling, Point, Recommended, Scaled, Scaling, Timed};
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
    // Amdahl's law has no peak, however rounding falls out.
    for alpha in [0.003, 0.05, 0.3] {
        let amdahl: Vec<Point> = (1..=13)
            .map(|units| Point {
                units: f64::from(units),
                throughput: 7.3 * f64::from(units) / (1.0 + alpha * f64::from(units - 1)),
            })
            .collect();
        let scaled = Scaled::new(&amdahl).expect("a fit");
        assert_eq!((scaled.law.beta, scaled.peak), (0.0, None), "{alpha}");
        assert!(is_near(scaled.law.alpha, alpha, 1e-6));
    }
    // What does not grow at all has its peak at one unit, of any size.
    for rate in [28.6, 0.1, 1e200, 1e-200] {
        let constant = [1.0, 2.0, 4.0, 8.0].map(|units| Point { units, throughput: rate });
        let scaled = Scaled::new(&constant).expect("a fit");
        assert_eq!((scaled.peak, scaled.recommended.units()), (Some(1.0), 1), "{rate}: {scaled:?}");
        assert!(!scaled.law.is_poor() && is_near(scaled.law.gamma, rate, 1e-9), "{scaled:?}");
    }
    // A straight line has neither.
    let line: Vec<Point> = [1.0, 2.0, 4.0, 8.0].map(|units| Point { units, throughput: 3.0 * units }).to_vec();
    let scaled = Scaled::new(&line).expect("a fit");
    assert_eq!((scaled.peak, scaled.recommended), (None, Recommended::Most(8)));
    assert!(is_near(scaled.law.efficiency(8.0), 1.0, 1e-9));
}

#[test]
fn repeats_count_and_numbers_outside_their_range_are_rejected() {
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
        prop_assert!(squares(&law) <= squares(&beside) * (1.0 + 1e-8) + 1e-9);
        // Nor is any law on a grid nearer, with the best throughput of one unit for each.
        for alpha in (0..=20).map(|step| f64::from(step) / 20.0) {
            for beta in [0.0, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 1.0] {
                let shape = Scaling { alpha, beta, gamma: 1.0, ..law };
                let [own, with] = measured.iter().fold([0.0, 0.0], |[own, with], point| {
                    let at = shape.at(point.units);
                    [own + at * at, with + at * point.throughput]
                });
                let grid = Scaling { gamma: with / own, ..shape };
                prop_assert!(squares(&law) <= squares(&grid) * (1.0 + 1e-6) + 1e-9, "{law:?} {grid:?}");
            }
        }
    }
}

/// Normal numbers by the sum of twelve uniform ones, from a generator of its own (Lehmer).
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    move || {
        let mut uniform = || {
            state = state.wrapping_mul(48_271) % 2_147_483_647;
            state as f64 / 2_147_483_647.0
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }
}

/// A probe every ten minutes that takes 10 s, and 20 s from 9:00 to 11:30.
fn days(count: usize, noise_share: f64, seed: u64) -> Vec<Timed> {
    let mut noise = noise(seed);
    (0..144 * count)
        .map(|place| {
            let at = place as f64 / 6.0;
            let is_slow = (9.0..11.5).contains(&(at % 24.0));
            Timed { at, seconds: if is_slow { 20.0 } else { 10.0 } * (1.0 + noise_share * noise()) }
        })
        .collect()
}

#[test]
fn a_slow_window_is_found_exactly_and_the_best_one_avoids_it() {
    for seed in 1..=50 {
        for noise_share in [0.01, 0.05, 0.1] {
            let network = Network::new(&days(1, noise_share, seed), 2.0);
            let levels: Vec<[f64; 2]> = network.levels.iter().map(|level| [level.from, level.until]).collect();
            assert_eq!(levels, [[0.0, 9.0], [9.0, 11.5], [11.5, 143.0 / 6.0]], "seed {seed}, noise {noise_share}");
            let [Level { seconds: before, .. }, Level { seconds: slow, .. }, _] = network.levels[..] else {
                unreachable!()
            };
            assert!((slow / before - 2.0).abs() < 0.2, "{before} {slow}");
            let best = network.best.expect("a window");
            assert!(best.until <= 9.0 || best.from >= 11.5, "{best:?}");
            assert_eq!((best.probes, best.until - best.from), (12, 2.0));
        }
    }
    // Three days: one window of the day, probed on each of them; hours and weekdays are means.
    let network = Network::new(&days(3, 0.05, 7), 3.0);
    let best = network.best.expect("a window");
    assert_eq!((best.probes, network.levels.len()), (54, 7));
    assert!(best.error > 0.0 && best.error < 0.2, "{best:?}");
    let hour = |place: usize| network.hours[place].expect("probes");
    assert!((hour(10) / hour(3) - 2.0).abs() < 0.1 && (hour(11) / hour(3) - 1.5).abs() < 0.1);
    assert!(network.weekdays[..3].iter().all(Option::is_some) && network.weekdays[3..].iter().all(Option::is_none));
    // A window needs probes throughout.
    let night: Vec<Timed> =
        days(2, 0.0, 1).into_iter().filter(|probe| (1.0..5.0).contains(&(probe.at % 24.0))).collect();
    let best = Network::new(&night, 3.0).best.expect("a window");
    assert!(best.from >= 1.0 && best.until <= 5.1, "{best:?}");
    assert_eq!(Network::new(&night, 6.0).best, None);
    // One probe a day tells nothing of two hours; three in a row every quarter of an hour do.
    let daily: Vec<Timed> = (0..10).map(|day| Timed { at: 9.0 + 24.0 * f64::from(day), seconds: 1.0 }).collect();
    assert_eq!(Network::new(&daily, 2.0).best, None);
    let bursts =
        (0..576).map(|place| Timed { at: f64::from(place / 3) / 4.0 + f64::from(place % 3) / 720.0, seconds: 1.0 });
    let best = Network::new(&bursts.collect::<Vec<_>>(), 2.0).best.expect("a window");
    assert_eq!((best.from, best.probes), (0.0, 48), "of equals the first: two days of 8 · 3 probes");
}

#[test]
fn a_network_that_never_changes_has_one_level() {
    let is_cut = |seed: u64, resolution: f64| {
        let mut noise = noise(seed);
        let rounded =
            |seconds: f64| if resolution > 0.0 { (seconds / resolution).round() * resolution } else { seconds };
        let still = (0..288)
            .map(|place| Timed { at: f64::from(place) / 12.0, seconds: rounded(30.0 * (1.0 + 0.01 * noise())) });
        Network::new(&still.collect::<Vec<_>>(), 1.0).levels.len() > 1
    };
    // Times as measured, and as programs print them: in tenths and in whole seconds.
    for resolution in [0.0, 0.1, 1.0] {
        let cut = (1..=200).filter(|seed| is_cut(*seed, resolution)).count();
        assert!(cut <= 1, "{cut} of 200 at a resolution of {resolution} s");
    }
    let one = Network::new(&[Timed { at: 0.0, seconds: 1.0 }], 1.0);
    assert_eq!((one.levels.len(), one.seconds), (1, 1.0));
    assert_eq!(usual_penalty(&[]), 0.0);
}

/// All ways to cut, tried one after the other.
fn cheapest(values: &[f64], penalty: f64, least: usize) -> f64 {
    let cost = |part: &[f64]| {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        part.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
    };
    let mut best = vec![f64::INFINITY; values.len() + 1];
    best[0] = -penalty;
    for until in least..=values.len() {
        for from in (0..=until - least).filter(|from| *from == 0 || *from >= least) {
            best[until] = best[until].min(best[from] + cost(&values[from..until]) + penalty);
        }
    }
    best[values.len()]
}

proptest! {
    #[test]
    fn parts_are_the_cheapest_of_all(
        values in proptest::collection::vec(-3.0_f64..3.0, 1..40),
        penalty in 0.0_f64..6.0,
        least in 1_usize..4,
    ) {
        let begins = parts(&values, penalty, least);
        prop_assert_eq!(begins[0], 0);
        let ends: Vec<usize> = begins.iter().skip(1).copied().chain([values.len()]).collect();
        let mut all = -penalty;
        for (from, until) in begins.iter().zip(&ends) {
            prop_assert!(begins.len() == 1 || until - from >= least);
            let part = &values[*from..*until];
            let mean = part.iter().sum::<f64>() / part.len() as f64;
            all += part.iter().map(|value| (value - mean).powi(2)).sum::<f64>() + penalty;
        }
        if values.len() >= least {
            prop_assert!((all - cheapest(&values, penalty, least)).abs() < 1e-9, "{:?}", begins);
        }
    }
}
