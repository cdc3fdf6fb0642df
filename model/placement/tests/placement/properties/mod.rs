//! What holds for every placement study: limits, monotony, breakdowns, break-evens, exact files.

mod break_evens;
mod files;
mod formulas;
mod studies;

use crossover_placement::break_even::break_even;
use crossover_placement::cost::{aggregation, evaluate as cost};
use crossover_placement::curves::curves;
use crossover_placement::row::break_evens;
use crossover_placement::{
    Aggregation, Axis, Class, Cost, Overlap, Parameter, ParameterOf, Placement, Point, Term, evaluate,
};
use crossover_study::along::samples;
use crossover_study::validate;
use proptest::prelude::*;

use studies::{axes, close, moved, pin, points, powers, published_form, study, value, with};

// ---------------------------------------------------------------------------------------------------------------------
// The published method

proptest! {
    /// Network time grows with n on both sides, everything else with log n.
    #[test]
    fn without_compression_the_speedup_tends_to_1_as_machines_grow(study in published_form()) {
        for point in points(&study).into_iter().filter(|point| !point.compressed) {
            let deviation = |n: f64| (cost(&with(&point, Parameter::MACHINES, n)).speedup() - 1.0).abs();
            for power in 1..60 {
                let (here, further) = (deviation(10f64.powi(power)), deviation(10f64.powi(power + 1)));
                prop_assert!(further <= here * (1.0 + 1e-14) + 1e-15, "n = 10^{power}: {here}, then {further}");
            }
            prop_assert!(deviation(1e60) < 1e-12);
        }
    }

    #[test]
    fn the_network_speed_does_not_move_an_uncompressed_break_even_of_t(
        study in published_form(),
        speed in value(Parameter::NETWORK_SPEED),
    ) {
        for mut point in points(&study).into_iter().filter(|point| !point.compressed) {
            point.set(Parameter::THRESHOLD, 1.0);
            let of = |point: &Point| break_even(point, Axis::One(Parameter::CPU_TIME));
            match (of(&point), of(&with(&point, Parameter::NETWORK_SPEED, speed))) {
                (Some(a), Some(b)) => {
                    prop_assert_eq!(a.gpu_recommended, b.gpu_recommended);
                    prop_assert!(close(a.value, b.value, 1e-12), "{} and {}", a.value, b.value);
                }
                (a, b) => prop_assert_eq!(a, b),
            }
        }
    }

    #[test]
    fn the_input_size_cancels_in_a_published_speedup(study in published_form(), input in value(Parameter::INPUT_SIZE)) {
        for point in points(&study) {
            let (a, b) = (cost(&point).speedup(), cost(&with(&point, Parameter::INPUT_SIZE, input)).speedup());
            prop_assert!(close(a, b, 1e-12), "{a} and {b}");
        }
    }

    /// r is the same; A misses only the terms of the series after the last machine: 1/k + 1/k² + …
    #[test]
    fn exact_and_published_counting_agree_at_powers_of_the_fan_in((k, j) in powers()) {
        let (k, n) = (f64::from(k), f64::from(k).powi(j));
        let (rounds, senders) = aggregation(Aggregation::Exact, n, k);
        let (published_rounds, published_senders) = aggregation(Aggregation::Published, n, k);
        prop_assert_eq!(rounds, f64::from(j));
        prop_assert!((published_rounds - rounds).abs() < 1e-12);
        prop_assert!(close(senders / published_senders, 1.0 - k.powi(-j - 1), 1e-12));
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Every study

proptest! {
    #[test]
    fn gpu_time_never_grows_with_gpu_parallelism(study in study(), factor in 1.0f64..100.0) {
        for point in points(&study) {
            let slow = cost(&point).gpu.total();
            let fast = cost(&with(&point, Parameter::GPU_PARALLELISM, point.get(Parameter::GPU_PARALLELISM) * factor)).gpu.total();
            prop_assert!(fast <= slow * (1.0 + 1e-12), "{fast} after {slow}");
        }
    }

    #[test]
    fn seconds_add_up_and_what_is_hidden_is_what_overlaps(study in study()) {
        for point in points(&study) {
            let mut apart = point;
            apart.overlap = Overlap::Nothing;
            let (overlapping, apart) = (cost(&point), cost(&apart));
            for (overlapping, apart) in [(overlapping.cpu, apart.cpu), (overlapping.gpu, apart.gpu)] {
                let mut sum = 0.0;
                for term in Term::ALL {
                    let (shown, hidden) = (overlapping.seconds[term as usize], overlapping.hidden[term as usize]);
                    prop_assert!(shown == 0.0 || hidden == 0.0);
                    prop_assert_eq!((shown + hidden).to_bits(), apart.get(term).to_bits());
                    sum += shown;
                }
                prop_assert!(close(sum, overlapping.total(), 1e-15));
                prop_assert!(overlapping.total() <= apart.total() * (1.0 + 1e-15));
            }
        }
    }

    #[test]
    fn the_same_study_has_the_same_outcome(study in study()) {
        let text = |study: &Placement| format!("{:?}", evaluate(study)); // shows every bit of every number
        prop_assert_eq!(text(&study), text(&study.clone()));
    }

    #[test]
    fn pinning_changes_the_placement_and_nothing_else(study in study(), pins in prop::collection::vec(pin(), 3)) {
        let mut pinned = study.clone();
        for (operator, pin) in pinned.operators.iter_mut().zip(pins) {
            operator.pin = pin;
        }
        for (before, after) in evaluate(&study).rows.iter().zip(evaluate(&pinned).rows) {
            prop_assert_eq!(before.cost, after.cost);
            prop_assert_eq!(before.recommended_side, after.recommended_side);
            let [of_before, of_after] =
                [&study, &pinned].map(|study| break_evens(study, before.operator, before.variant));
            prop_assert_eq!(of_before, of_after);
            prop_assert_eq!(after.placement, pinned.operators[after.operator].pin.unwrap_or(after.recommended_side));
        }
    }

    #[test]
    fn the_best_placement_is_never_slower_than_either_side(mut study in study()) {
        study.policy.threshold = 1.0;
        let summary = evaluate(&study).summary;
        prop_assert!(summary.best_seconds <= summary.cpu_seconds.min(summary.gpu_seconds) * (1.0 + 1e-12));
        prop_assert!(summary.pin_seconds() >= -1e-12 * summary.best_seconds);
        prop_assert!((0.0..=1.0).contains(&summary.moved_share));
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The whole allowed range

/// Every parameter at one end of its range.
fn corner() -> impl Strategy<Value = Placement> {
    (study(), prop::collection::vec(any::<bool>(), 64)).prop_map(|(mut study, ends)| {
        for operator in &mut study.operators {
            operator.class = Class::Power(1.0);
        }
        let fields: Vec<ParameterOf> = ParameterOf::all(&study).collect();
        let parameters: Vec<Parameter> = Parameter::all().collect();
        for field in fields {
            let info = field.parameter.info();
            let place = parameters.iter().position(|parameter| *parameter == field.parameter);
            field.set(&mut study, if ends[place.expect("one of them")] { info.max } else { info.min });
        }
        study
    })
}

fn all_finite(cost: &Cost) -> bool {
    [cost.cpu, cost.gpu].iter().all(|side| {
        side.seconds.iter().chain(&side.hidden).all(|seconds| seconds.is_finite() && *seconds >= 0.0)
            && side.total() > 0.0
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_corner_of_the_allowed_ranges_has_finite_positive_times(study in corner()) {
        prop_assert_eq!(validate(&study), Ok(()));
        let outcome = evaluate(&study);
        for row in &outcome.rows {
            prop_assert!(all_finite(&row.cost), "{:?}", row.cost);
            prop_assert!(row.speedup().is_finite() && row.speedup() > 0.0);
            prop_assert!(row.cost.passes >= 1.0 && row.cost.passes.is_finite());
            prop_assert!(!row.reason.contains("not a number") && !row.reason.contains('∞'), "{}", row.reason);
        }
        let summary = outcome.summary;
        for seconds in [summary.cpu_seconds, summary.gpu_seconds, summary.placed_seconds, summary.best_seconds] {
            prop_assert!(seconds.is_finite() && seconds > 0.0);
        }
        prop_assert!((0.0..=1.0).contains(&summary.moved_share) && (0.0..=1.0 + 1e-12).contains(&summary.bound_by.1));
    }

    #[test]
    fn a_study_dragged_along_an_axis_is_valid_and_stays_on_its_curve(
        study in study(),
        axis in prop::sample::select(axes().collect::<Vec<_>>()),
        factor in (-12.0..12.0f64).prop_map(f64::exp),
    ) {
        let mut dragged = study.clone();
        let (operator, network) = (study.operators.len() - 1, study.networks.len() - 1);
        let before = Point::new(&study, operator, network, true);
        axis.set(&mut dragged, operator, network, axis.value(&before) * factor);
        prop_assert_eq!(validate(&dragged), Ok(()));
        let after = Point::new(&dragged, operator, network, true);
        let expected = moved(&before, axis, axis.value(&after));
        for parameter in Parameter::all() {
            let (found, expected) = (after.get(parameter), expected.get(parameter));
            prop_assert!(found == expected || close(found, expected, 1e-15), "{parameter:?}: {found}, {expected}");
        }
    }

    #[test]
    fn every_axis_has_a_window_with_finite_curves(study in study()) {
        for axis in Axis::CHOICES {
            let info = axis.parameter().info();
            let window = axis.window(&study);
            prop_assert!(window[0] < window[1] && window[0] >= info.min && window[1] <= info.max, "{axis:?}: {window:?}");
            for curve in curves(&study, 0, axis, &samples(window, 17, window[0] > 0.0)) {
                prop_assert!(curve.speedups.iter().all(|speedup| speedup.is_finite() && *speedup > 0.0));
            }
        }
    }
}
