//! Uncertainty and sensitivity of whole studies: known moments, correlated groups, the same on any number of threads, every example.

use crossover_engine::Engines;
use crossover_quantity::provenance::Provenance;
use crossover_quantity::spread::{Distribution, Group, Spread};
use crossover_scenario::{self as scenario, Study};
use crossover_study::{Watch, numbers};
use crossover_tools::uncertainty::Distributed;
use crossover_tools::{Sampling, Sensitivity, Uncertain, UncertaintyError, sensitivity, uncertainty};

const PLACEMENT: &str = include_str!("../../../../scenarios/placement-published.ron");
const ENGINES: &str = include_str!("../../../../scenarios/placement-truth-aws-l4.ron");
const PROBE: &str = include_str!("../../../../scenarios/probe-centres.ron");

fn study(text: &str) -> Study {
    scenario::read(text).expect("an example").study
}

fn spread(study: &mut Study, path: &str, distribution: Distribution) {
    study.subject_mut().spreads_mut().insert(path.to_owned(), Spread::alone(distribution));
    study.validate().expect("a spread of a number");
}

fn sampled(study: &Study, sampling: &Sampling) -> Result<Uncertain, UncertaintyError> {
    Watch::uncancellable(|watch| uncertainty(study.subject(), sampling, watch))
        .map(|found| found.expect("not cancelled"))
}

fn sensitive(study: &Study, sampling: &Sampling) -> Sensitivity {
    Watch::uncancellable(|watch| sensitivity(study.subject(), sampling, watch))
        .expect("it is sampled")
        .expect("not cancelled")
}

fn figure<'a>(found: &'a Uncertain, key: &str) -> &'a Distributed {
    found.figures.iter().find(|figure| figure.selected.key == key).expect("a figure")
}

fn of(key: &str) -> Sampling {
    Sampling { figures: vec![key.to_owned()], ..Sampling::default() }
}

/// The time of a filter on CPUs grows in a straight line with its CPU time per 100 MB: it has its distribution.
#[test]
fn a_figure_that_follows_one_number_has_its_moments_and_quantiles() {
    let key = "operators.filter.cpu_seconds";
    let at = |value: f64| {
        let mut study = study(PLACEMENT);
        assert!(crossover_study::set_number(study.subject_mut(), "operators.filter.cpu_seconds_per_100mb", value));
        let answer = Watch::uncancellable(|watch| study.subject().answer(watch)).expect("an answer");
        answer.into_iter().find(|one| one.key() == key).and_then(|one| one.value).expect("a value")
    };
    // It is linear: two values tell it all.
    let (low, high) = (at(0.004), at(0.006));
    let line = |value: f64| low + (high - low) * (value - 0.004) / 0.002;
    assert!((at(0.005) / line(0.005) - 1.0).abs() < 1e-9);

    let mut study = study(PLACEMENT);
    spread(&mut study, "operators.filter.cpu_seconds_per_100mb", Distribution::Uniform { low: 0.004, high: 0.006 });
    let found = sampled(&study, &of(key)).expect("sampled");
    let figure = figure(&found, key);
    assert!((figure.mean.value / line(0.005) - 1.0).abs() < 1e-3, "{:?}", figure.mean);
    // A uniform distribution deviates by its width over the root of 12.
    assert!(
        (figure.standard_deviation.value / ((high - low) / 12.0_f64.sqrt()) - 1.0).abs() < 5e-3,
        "{:?}",
        figure.standard_deviation
    );
    for (quantile, share) in figure.quantiles.iter().zip([0.05, 0.5, 0.95]) {
        assert!((quantile.value / line(0.004 + 0.002 * share) - 1.0).abs() < 5e-3, "{quantile:?}");
    }
    assert!((figure.at_least(line(0.0055)) - 0.25).abs() < 5e-3);
    assert_eq!(figure.values.len(), found.samples);
    assert_eq!(figure.missing, 0);
}

/// Both rates of a network: with a loading of 1 they are equal in rank, alone they are not correlated.
#[test]
fn numbers_of_a_group_move_together() {
    let mut study = study(PLACEMENT);
    let paths = ["operators.filter.cpu_seconds_per_100mb", "operators.join.cpu_seconds_per_100mb"];
    let standard_deviation = |study: &Study| {
        let found = sampled(study, &of("cpu_seconds")).expect("sampled");
        figure(&found, "cpu_seconds").standard_deviation.value
    };
    let mut each = Vec::new();
    for path in paths {
        let mut alone = study.clone();
        spread(&mut alone, path, Distribution::LogNormal { factor: 1.2 });
        each.push(standard_deviation(&alone));
    }
    for path in paths {
        spread(&mut study, path, Distribution::LogNormal { factor: 1.2 });
    }
    let apart = standard_deviation(&study);
    assert!((apart / each[0].hypot(each[1]) - 1.0).abs() < 0.02, "{apart} {each:?}");
    for path in paths {
        let together = Group { name: "counts".to_owned(), loading: 1.0 };
        study.subject_mut().spreads_mut().get_mut(path).expect("there").group = Some(together);
    }
    let together = standard_deviation(&study);
    assert!((together / (each[0] + each[1]) - 1.0).abs() < 0.02, "{together} {each:?}");
    // One cause, which is all of it.
    let found = sensitive(&study, &Sampling { samples: 1_024, ..of("cpu_seconds") });
    assert_eq!((found.causes.len(), found.causes[0].name.as_str(), found.unknowns.numbers.len()), (1, "counts", 2));
    assert!((found.figures[0].effects[0].total.value - 1.0).abs() < 0.05, "{:?}", found.figures[0].effects);
}

#[test]
fn the_same_seed_gives_the_same_on_any_number_of_threads() {
    let study = study(PLACEMENT);
    let sampling = Sampling { samples: 1_000, spread_all: Some(0.2), ..Sampling::default() };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            (
                sampled(&study, &sampling).expect("sampled"),
                sensitive(&study, &Sampling { samples: 64, ..sampling.clone() }),
            )
        })
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(8));
    let other = sampled(&study, &Sampling { seed: 2, ..sampling.clone() }).expect("sampled");
    assert_ne!(one.0.figures[0].values, other.figures[0].values);
}

#[test]
fn the_error_of_sampling_holds_what_other_seeds_find() {
    let study = study(PLACEMENT);
    let sampling = |seed| Sampling { samples: 2_048, spread_all: Some(0.2), seed, figures: vec!["seconds".to_owned()] };
    let exact = sampled(&study, &Sampling { samples: 262_144, ..sampling(99) }).expect("sampled");
    let exact = figure(&exact, "seconds").mean.value;
    let inside = (0..40)
        .filter(|seed| {
            let found = sampled(&study, &sampling(*seed)).expect("sampled");
            let mean = figure(&found, "seconds").mean;
            (mean.value - exact).abs() < 3.0 * mean.error
        })
        .count();
    assert!(inside >= 37, "{inside} of 40");
}

#[test]
fn numbers_that_were_measured_bring_their_intervals() {
    let mut study = study(PLACEMENT);
    let path = "operators.join.cpu_seconds_per_100mb";
    let measured =
        Provenance::Measured { device: "a CPU".to_owned(), date: "2026-01-01".to_owned(), interval: (0.15, 0.25) };
    study.sources_mut().insert(path.to_owned(), measured);
    let found = sampled(&study, &of("cpu_seconds")).expect("sampled");
    assert_eq!(found.unknowns.numbers.iter().map(|of| of.path.as_str()).collect::<Vec<_>>(), [path]);
    assert!(found.unknowns.numbers[0].is_of_source);
}

/// Drawn together, CPU ÷ GPU is off as measured speedups were; at least by what one error is more than the other.
#[test]
fn errors_of_both_engines_are_those_of_the_speedup() {
    let mut engines = Engines::plain();
    (engines.cpu.error_factor_90, engines.gpu.error_factor_90) = (2.0, 3.0);
    for (speedup, common) in [(1.5, true), (2.0, true), (3.0, true), (5.0, false), (6.0, false)] {
        engines.speedup_error_factor_90 = speedup;
        let errors = engines.errors(None, None);
        let loading = |engine: &str| {
            let spread = &errors[&format!("{engine}.time_ratio")];
            spread.group.as_ref().map_or(0.0, |group| group.loading)
        };
        // In logarithms: variance of a difference = sum of variances − 2 · covariance.
        let [cpu, gpu] = [2.0_f64, 3.0].map(f64::ln);
        let variance = cpu * cpu + gpu * gpu - 2.0 * loading("cpu") * loading("gpu") * cpu * gpu;
        let least = (gpu - cpu).abs();
        let expected = f64::ln(speedup).max(least);
        assert!((variance.sqrt() - expected).abs() < 1e-9, "{speedup}: {}", variance.sqrt().exp());
        assert_eq!(loading("gpu") > 0.0, common, "{speedup}");
    }
    engines.measured_seconds = Some(1.0);
    engines.anchored_error_factor_90 = 1.5;
    assert_eq!(engines.errors(None, None).keys().collect::<Vec<_>>(), ["gpu.time_ratio"]);
}

/// How far a profile may be off is no number that is off itself.
#[test]
fn numbers_that_say_how_sure_others_are_are_no_guess() {
    let mut study = study(ENGINES);
    let moved = |study: &Study| {
        let found =
            sampled(study, &Sampling { samples: 64, spread_all: Some(0.2), ..of("gpu_seconds") }).expect("sampled");
        found.unknowns.numbers.iter().map(|number| number.path.clone()).collect::<Vec<_>>()
    };
    study.subject_mut().spreads_mut().clear();
    for path in [
        "engines.plan_time_weight",
        "engines.gpu.error_factor_90",
        "engines.speedup_error_factor_90",
        "engines.anchored_error_factor_90",
        "engines.anchoring_factor",
    ] {
        assert!(!moved(&study).iter().any(|moved| moved == path), "{path}");
    }
    assert!(moved(&study).iter().any(|path| path == "engines.gpu.network_gbit_per_s"));
}

#[test]
fn what_cannot_be_sampled_is_said() {
    let mut study = study(PLACEMENT);
    let error = |study: &Study, sampling: Sampling| sampled(study, &sampling).expect_err("refused").to_string();
    assert!(error(&study, Sampling::default()).contains("no number of this study is uncertain"));
    assert!(error(&study, Sampling { samples: 3, ..Sampling::default() }).contains("64 … "));
    assert!(error(&study, Sampling { spread_all: Some(1.0), ..Sampling::default() }).contains("below 100 %"));
    spread(&mut study, "cluster.machines", Distribution::Uniform { low: 100.0, high: 200.0 });
    assert!(error(&study, of("second")).contains("did you mean"));
    // Spreads are checked with the study.
    let wrong = |path: &str, distribution| {
        let mut study = study.clone();
        study.subject_mut().spreads_mut().insert(path.to_owned(), Spread::alone(distribution));
        study.validate().expect_err("refused")
    };
    let invalid = wrong("cluster.machine", Distribution::Normal { standard_deviation: 1.0 });
    assert!(invalid.path == "uncertain.cluster.machine" && invalid.problem.contains("did you mean"), "{invalid:?}");
    assert!(wrong("cluster.machines", Distribution::Uniform { low: -5.0, high: 1.0 }).problem.contains("out of range"));
}

#[test]
fn spreads_are_kept_in_files_and_follow_names() {
    let mut scenario = scenario::read(PLACEMENT).expect("an example");
    spread(
        &mut scenario.study,
        "operators.join.cpu_seconds_per_100mb",
        Distribution::Normal { standard_deviation: 0.02 },
    );
    let again = scenario::read(&scenario.to_ron()).expect("it is read again");
    assert_eq!(again, scenario);
    let renamed = scenario.with("operators.join.name=hash join").expect("a free name");
    let paths: Vec<&String> = renamed.study.subject().spreads().keys().collect();
    assert_eq!(paths, ["operators.hash join.cpu_seconds_per_100mb"]);
}

/// A figure hangs on what it depends on: the time on CPUs of neither network nor GPU.
#[test]
fn a_figure_hangs_on_what_it_depends_on() {
    let study = study(PLACEMENT);
    let sampling = Sampling {
        samples: 512,
        spread_all: Some(0.1),
        figures: vec!["operators.join.cpu_seconds".to_owned()],
        seed: 3,
    };
    let found = sensitive(&study, &sampling);
    let effects = &found.figures[0].effects;
    for (cause, effect) in found.causes.iter().zip(effects) {
        let is_of_others = cause.name.starts_with("operators.filter") || cause.name.starts_with("gpu.");
        if is_of_others {
            assert!(effect.total.value < 1e-6, "{} {effect:?}", cause.name);
        }
    }
    assert!(found.figures[0].ranked().first().is_some_and(|first| effects[*first].total.value > 0.2));
    let swing =
        found.figures[0].swings.iter().any(|swing| matches!(swing.values, [Some(low), Some(high)] if low != high));
    assert!(swing);
}

#[test]
fn a_study_of_another_kind_is_sampled_alike() {
    let study = study(PROBE);
    assert!(!numbers(study.subject()).is_empty());
    let found =
        sampled(&study, &Sampling { samples: 64, spread_all: Some(0.05), ..Sampling::default() }).expect("sampled");
    assert!(found.figures.iter().any(|figure| figure.standard_deviation.value > 0.0));
}

#[test]
fn a_spread_of_what_is_not_stated_or_called_otherwise_is_refused() {
    let mut study = study(PLACEMENT);
    let refusal = |study: &Study| crossover_study::validate(study.subject()).expect_err("refused").to_string();
    let uniform = Spread::alone(Distribution::Uniform { low: 10.0, high: 80.0 });
    study.subject_mut().spreads_mut().insert("gpu.gpu_memory_gb".to_owned(), uniform.clone());
    assert!(refusal(&study).contains("has no value, so it cannot be uncertain"), "{}", refusal(&study));
    study.subject_mut().spreads_mut().clear();
    study.subject_mut().spreads_mut().insert("operators.1.input_gb".to_owned(), uniform);
    assert!(refusal(&study).contains("expected the path “operators.join.input_gb”"), "{}", refusal(&study));
    study.subject_mut().spreads_mut().clear();
    let wide = Spread::alone(Distribution::Normal { standard_deviation: 1e100 });
    study.subject_mut().spreads_mut().insert("cluster.machines".to_owned(), wide);
    assert!(refusal(&study).contains("far wider than the range of the number"), "{}", refusal(&study));
}

/// Where nothing moves, the whole is exactly as fast as it was, whatever its numbers are.
#[test]
fn a_study_in_which_nothing_moves_has_a_speedup_of_exactly_one() {
    let mut scenario = scenario::read(PLACEMENT).expect("a shipped scenario");
    for set in
        ["cluster.machines=200", "cluster.fan_in=8", "operators.filter.pin=Some(Cpu)", "operators.join.pin=Some(Cpu)"]
    {
        scenario = scenario.with(set).expect("a valid value");
    }
    let sampling =
        Sampling { samples: 1_000, spread_all: Some(0.3), figures: vec!["speedup".to_owned()], ..Sampling::default() };
    let found = sampled(&scenario.study, &sampling).expect("sampled");
    assert!(found.figures[0].values.iter().all(|value| *value == 1.0));
    for operator in ["filter", "join"] {
        scenario = scenario.with(&format!("operators.{operator}.pin=Some(Gpu)")).expect("a pin");
    }
    let sampling = Sampling { figures: vec!["amdahl_limit".to_owned(), "moved_share".to_owned()], ..sampling };
    let found = sampled(&scenario.study, &sampling).expect("sampled");
    assert!(found.figures[0].values.is_empty(), "where everything moves there is no limit");
    assert!(found.figures[1].values.iter().all(|value| *value == 1.0));
}
