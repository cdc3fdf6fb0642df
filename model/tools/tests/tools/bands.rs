//! How far figures may be from their curves along a number.

use crossover_quantity::spread::{Distribution, Spread};
use crossover_scenario::{Scenario, read};
use crossover_study::{Watch, set_number};
use crossover_tools::{Sampling, Sweep, bands, sweep};

const PLACEMENT: &str = include_str!("../../../../scenarios/placement-published.ron");
const REGULATION: &str = include_str!("../../../../scenarios/regulation-published.ron");

fn scenario(text: &str) -> Scenario {
    read(text).expect("a shipped scenario")
}

/// Along a number that it is proportional to, a figure is off by the same share as another factor of it: both ends of a band are
/// known without sampling.
#[test]
fn bands_hold_90_percent_of_cases_and_are_those_of_single_evaluations() {
    let scenario = scenario(PLACEMENT);
    let mut study = scenario.study.clone();
    let [t, size] = ["operators.filter.cpu_seconds_per_100mb", "operators.filter.input_gb"];
    let spread = Spread::alone(Distribution::Uniform { low: 0.004, high: 0.006 });
    study.subject_mut().spreads_mut().insert(t.to_owned(), spread);
    let key = "operators.filter.cpu_seconds";
    let along = Sweep {
        figures: vec![key.to_owned()],
        ..Sweep::read(study.subject(), &format!("{size}=1..100:5")).expect("a sweep")
    };
    let sampling = Sampling { samples: 1_024, ..Sampling::default() };
    let found =
        Watch::uncancellable(|watch| bands(study.subject(), &along, &sampling, watch)).expect("bands").expect("all");
    assert_eq!((found.samples, found.unknown, found.figures.len()), (1_024, 1, 1));
    let seconds = |t_value: f64, gb: f64| {
        let mut moved = study.clone();
        assert!(set_number(moved.subject_mut(), t, t_value) && set_number(moved.subject_mut(), size, gb));
        let figures = Watch::uncancellable(|watch| moved.subject().answer(watch)).expect("all");
        figures.iter().find(|one| one.key() == key).and_then(|one| one.value).expect("a value")
    };
    let values = along.values(study.subject()).expect("values");
    for (gb, ends) in values.iter().zip(&found.figures[0].ends) {
        let ends = ends.expect("a band");
        // 5 and 95 % of a uniform distribution; time grows with t.
        for (found, expected) in ends.iter().zip([0.0041, 0.0059]) {
            assert!((found / seconds(expected, *gb) - 1.0).abs() < 2e-3, "{gb}: {found}");
        }
    }
    // The number along which it goes is known, wherever it goes.
    let along_t = Sweep {
        figures: vec![key.to_owned()],
        ..Sweep::read(study.subject(), &format!("{t}=4ms..6ms:3")).expect("a sweep")
    };
    let refused = Watch::uncancellable(|watch| bands(study.subject(), &along_t, &sampling, watch))
        .expect_err("nothing else is unknown");
    assert!(refused.to_string().contains("is the only uncertain number"), "{refused}");
}

#[test]
fn bands_of_a_study_that_is_no_formula_are_found_alike() {
    let scenario = scenario(REGULATION);
    let path = "controllers.PID.kp";
    let along = Sweep {
        figures: vec!["tops".to_owned()],
        ..Sweep::read(scenario.study.subject(), &format!("{path}=0.2..0.4:3")).expect("a sweep")
    };
    let sampling = Sampling { samples: 64, spread_all: Some(0.05), ..Sampling::default() };
    let found = Watch::uncancellable(|watch| bands(scenario.study.subject(), &along, &sampling, watch))
        .expect("bands")
        .expect("all");
    let swept =
        Watch::uncancellable(|watch| sweep(scenario.study.subject(), &along, watch)).expect("a sweep").expect("all");
    for (value, ends) in swept.curves[0].values.iter().zip(&found.figures[0].ends) {
        let (value, [low, high]) = (value.expect("a value"), ends.expect("a band"));
        assert!(low < high && low < 1.2 * value && high > 0.8 * value, "{value}: {low} … {high}");
    }
}
