//! Instructions of kernels by the size of their input.

use crossover_preemption::analysis::{FittedLaw, Law, LawError, Point, fit_laws};
use proptest::prelude::*;

use super::{is_near, noise};

/// Points of one application.
fn points(sizes_and_instructions: &[[f64; 2]]) -> Vec<Point> {
    let point = |[size, instructions]: &[f64; 2]| Point {
        application: "gemm".into(),
        size: *size,
        instructions: *instructions,
    };
    sizes_and_instructions.iter().map(point).collect()
}

fn try_one(sizes_and_instructions: &[[f64; 2]]) -> Result<FittedLaw, LawError> {
    fit_laws(&points(sizes_and_instructions)).pop().expect("an application")
}

fn one(sizes_and_instructions: &[[f64; 2]]) -> FittedLaw {
    try_one(sizes_and_instructions).expect("a law")
}

const FOUR: [[f64; 2]; 4] = [[1_000.0, 2.1e6], [2_000.0, 4.5e6], [4_000.0, 7.9e6], [8_000.0, 17.2e6]];

#[test]
fn a_power_law_of_four_points_is_that_of_numpy() {
    let law = one(&FOUR);
    assert_eq!((law.law, law.points, law.sizes, law.range), (Law::Power, 4, 4, [1_000.0, 8_000.0]));
    let slope = law.slope.expect("a slope");
    for (found, expected) in [
        (law.intercept.value, 7.726_012_595_374_55),
        (slope.value, 0.991_376_964_761_743),
        (law.intercept.standard_error.expect("an error"), 0.338_986_108_160_035),
        (slope.standard_error.expect("an error"), 0.042_451_958_205_882),
        (law.r_squared, 0.996_346_088_496_903),
        // Of both laws and the constant fitted to three points each; which law counts at a point the other three say.
        (law.error, 0.080_239_698_829_585),
        (law.error_of_constant, 1.026_249_403_429_933),
    ] {
        assert!(is_near(found, expected, 1e-9), "{found} for {expected}: {law:?}");
    }
    // t with two degrees of freedom is 4.3027.
    let inside = law.predict(1_300.0).expect("a size");
    for (found, expected) in
        [(inside.instructions, 2_769_850.610_103), (inside.low, 1_814_373.247_261), (inside.high, 4_228_497.313_809)]
    {
        assert!(is_near(found, expected, 1e-9), "{found} for {expected}");
    }
    assert_eq!((&inside.cautions, law.cautions()), (&vec![], vec![]));
    // The interval of a source has t = 2.9200, so it is by that much narrower on the scale of logarithms.
    let [of_95, of_90] = [inside.high / inside.low, inside.fitted.1 / inside.fitted.0].map(f64::ln);
    assert!(is_near(of_90 / of_95, 2.919_985_580_354 / 4.302_652_729_911, 1e-9), "{inside:?}");
    // χ² with two degrees of freedom is −2·ln(1 − p): 5.9915 and 0.1026.
    let (low, high) = law.error_interval();
    let end = |above: f64| law.error / (-f64::ln(above)).sqrt();
    assert!(is_near(low, end(0.05), 1e-6) && is_near(high, end(0.95), 1e-6), "{low} {high}");
    // Beyond what was measured the interval grows, and that is said.
    let beyond = law.predict(16_000.0).expect("a size");
    assert!(
        is_near(beyond.low, 19_326_826.287_674, 1e-9) && is_near(beyond.high, 57_584_307.335_120, 1e-9),
        "{beyond:?}"
    );
    let said = "\"gemm\" was measured at sizes from 1000 to 8000: the prediction at 16000 is an extrapolation";
    assert_eq!(beyond.cautions, [said]);
}

#[test]
fn an_exponential_law_of_five_points_is_that_of_numpy() {
    let law = one(&[[1.0, 3.1], [2.0, 8.9], [3.0, 29.0], [4.0, 88.0], [5.0, 260.0]]);
    let slope = law.slope.expect("a slope");
    assert_eq!(law.law, Law::Exponential);
    for (found, expected) in [
        (law.intercept.value, -0.000_399_840_294_8),
        (slope.value, 1.114_984_457_678_897),
        (law.intercept.standard_error.expect("an error"), 0.034_265_754_771_948),
        (slope.standard_error.expect("an error"), 0.010_331_513_794_262),
        (law.r_squared, 0.999_742_486_681_027),
        (law.error, 0.040_705_142_621_474),
        (law.error_of_constant, 1.971_286_509_964_167),
    ] {
        assert!(is_near(found, expected, 1e-8), "{found} for {expected}: {law:?}");
    }
}

#[test]
fn laws_that_hold_are_found_through_noise_and_their_intervals_hold() {
    let (noise_of_points, fresh) = (noise(60, 0.2, 1), noise(2_000, 0.2, 2));
    let power = |size: f64| 40.0 * size.powf(1.5);
    let exponential = |size: f64| 40.0 * (size / 300.0).exp();
    let laws: [(Law, &dyn Fn(f64) -> f64); 2] = [(Law::Power, &power), (Law::Exponential, &exponential)];
    for (law, truth) in laws {
        let sizes: Vec<f64> = (1..=60).map(|step| 20.0 * f64::from(step)).collect();
        let seen: Vec<[f64; 2]> =
            sizes.iter().zip(&noise_of_points).map(|(size, noise)| [*size, truth(*size) * noise.exp()]).collect();
        let found = one(&seen);
        let [intercept, slope] = [found.intercept, found.slope.expect("a slope")];
        assert_eq!(found.law, law);
        let within_three =
            |value: f64, expected: f64, error: Option<f64>| (value - expected).abs() < 3.0 * error.expect("an error");
        let expected = if law == Law::Power { 1.5 } else { 1.0 / 300.0 };
        assert!(within_three(intercept.value, 40_f64.ln(), intercept.standard_error), "{found:?}");
        assert!(within_three(slope.value, expected, slope.standard_error), "{found:?}");
        assert!(is_near(found.error, 0.2, 0.2) && found.error < 0.5 * found.error_of_constant, "{found:?}");
        let is_inside = |(size, noise): (&f64, &f64)| {
            let predicted = found.predict(*size).expect("a size");
            (predicted.low..=predicted.high).contains(&(truth(*size) * noise.exp()))
        };
        let inside = sizes.iter().cycle().zip(&fresh).filter(|pair| is_inside(*pair)).count();
        assert!((1_840..=1_960).contains(&inside), "{inside} of 2000");
    }
}

#[test]
fn where_the_size_tells_nothing_the_mean_is_told_and_said_to_be() {
    for seed in 0..20 {
        let seen: Vec<[f64; 2]> =
            (1..=30).map(f64::from).zip(noise(30, 1.0, seed)).map(|(size, noise)| [size, noise.exp()]).collect();
        let found = one(&seen);
        // By chance a law may be a little nearer at every size that was left out; then it tells little.
        let said = found.cautions();
        let is_said = |words: &str| said.iter().any(|caution| caution.contains(words));
        let expected = if found.law == Law::Constant { "do not depend on the input size" } else { "depend little" };
        assert!(is_said(expected), "{seed}: {found:?}");
        assert!(found.error <= found.error_of_constant, "{seed}: {found:?}");
    }
    let always = one(&[[1.0, 2_365.0], [2.0, 2_365.0], [3.0, 2_365.0], [4.0, 2_365.0]]);
    let prediction = always.predict(2.5).expect("a size");
    assert_eq!((always.law, always.slope, always.error), (Law::Constant, None, 0.0));
    assert!(
        [prediction.low, prediction.instructions, prediction.high].iter().all(|prediction| is_near(
            *prediction,
            2_365.0,
            1e-12
        )),
        "{prediction:?}"
    );
}

/// Which law holds is chosen once for each size that is left out: once for each point would be the square of them.
#[test]
fn a_hundred_thousand_points_are_learned_from() {
    let noise = noise(100_000, 0.2, 5);
    let points: Vec<[f64; 2]> = noise
        .iter()
        .zip((1_u32..=50).cycle())
        .map(|(noise, size)| [f64::from(size), 40.0 * f64::from(size).powf(1.5) * noise.exp()])
        .collect();
    let law = one(&points);
    assert_eq!((law.law, law.points, law.sizes), (Law::Power, 100_000, 50));
    assert!(is_near(law.error, 0.2, 0.01), "{law:?}");
}

#[test]
fn two_sizes_make_a_law_that_nothing_has_tried() {
    let law = one(&FOUR[..2]);
    let slope = law.slope.expect("a slope");
    assert!(law.law == Law::Power && is_near(slope.value, (4.5_f64 / 2.1).log2(), 1e-12), "{law:?}");
    assert_eq!((slope.standard_error, law.error), (None, law.error_of_constant));
    assert!(is_near(law.error, (4.5_f64 / 2.1).ln(), 1e-12), "{law:?}");
    let prediction = law.predict(1_500.0).expect("a size");
    assert!(prediction.low < 2.1e6 && prediction.high > 4.5e6, "{prediction:?}");
    assert!(
        prediction.cautions[0].contains("measured at two sizes") && prediction.cautions[1].contains("2 points"),
        "{prediction:?}"
    );
}

#[test]
fn what_nothing_can_be_learned_from_is_refused_in_words() {
    let refused = |points: &[[f64; 2]]| try_one(points).expect_err("nothing to learn").to_string();
    assert_eq!(refused(&[[1.0, 5.0]]), "one point of \"gemm\"; a law needs at least 2, of different sizes");
    assert_eq!(
        refused(&[[7.0, 5.0], [7.0, 6.0]]),
        "all points of \"gemm\" have a size of 7; a law needs at least 2 sizes"
    );
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let expected = format!("of \"gemm\": {value}; expected a number above 0");
        assert_eq!(refused(&[[1.0, 5.0], [value, 6.0]]), format!("size {expected}"));
        assert_eq!(refused(&[[1.0, 5.0], [2.0, value]]), format!("instructions {expected}"));
        assert_eq!(one(&FOUR).predict(value).expect_err("no size").to_string(), format!("size {expected}"));
    }
    // An application without information does not change the others.
    let mut two = points(&FOUR);
    two.push(Point { application: "fft".into(), size: 1.0, instructions: 1.0 });
    let analysed = fit_laws(&two);
    assert!(analysed[0].is_err() && analysed[1].as_ref().is_ok_and(|law| law.application == "gemm"), "{analysed:?}");
    assert_eq!(fit_laws(&[]), []);
}

proptest! {
    #[test]
    fn whatever_was_counted_a_prediction_is_a_number_and_no_law_is_worse_than_the_mean(
        logs in prop::collection::vec((-300.0..300.0_f64, -300.0..300.0_f64), 2..70),
        exponent in -300.0..300.0_f64,
        turn in any::<prop::sample::Index>(),
    ) {
        let mut seen: Vec<[f64; 2]> = logs.iter().map(|(size, count)| [10_f64.powf(*size), 10_f64.powf(*count)]).collect();
        if let Ok(law) = try_one(&seen) {
            let prediction = law.predict(10_f64.powf(exponent)).expect("a size");
            prop_assert!(0.0 < prediction.low && prediction.low <= prediction.instructions, "{prediction:?}");
            prop_assert!(prediction.instructions <= prediction.high && prediction.high.is_finite(), "{prediction:?}");
            prop_assert!(law.error <= law.error_of_constant && law.error >= 0.0, "{law:?}");
            prop_assert!(law.intercept.value.is_finite() && law.r_squared <= 1.0, "{law:?}");
            seen.rotate_left(turn.index(logs.len()));
            prop_assert_eq!(law, one(&seen));
        }
    }
}
