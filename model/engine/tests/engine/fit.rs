//! Fits find what is known, say what they cannot know, and are not led astray by one odd run.

use std::collections::BTreeMap;

use crossover_engine::fit::{Fitted, Pooling};
use crossover_engine::predict::{Part, of_work};
use crossover_engine::{Engines, Fit, Judged, Measurement, Prediction, Profile, Run, Work, fit, judge};
use crossover_quantity::provenance::Provenance;
use crossover_scenario::read;

use super::engines;

/// Numbers that look random, the same every time: the fractional parts of multiples of an irrational number.
fn spread(index: usize, column: usize) -> f64 {
    const COLUMNS: [f64; 6] =
        [0.618_033_988_75, 0.754_877_666_25, 0.819_172_513_4, 0.569_840_290_998, 0.430_159_7, 0.324_718];
    (index as f64 * COLUMNS[column] + 0.37 * column as f64).fract()
}

/// Runs of made-up queries on known engines, times off by factors of up to e^±noise.
fn runs(truth: &Engines, count: usize, noise: f64) -> Vec<Run> {
    let run = |index: usize| {
        let size = |column: usize, low: f64, high: f64| low * (high / low).powf(spread(index + 1, column));
        let work = Work {
            own_seconds: size(0, 1.0, 1e4),
            read_gb: size(1, 0.1, 1e3),
            files: size(2, 1.0, 1e4),
            exchanged_gb: size(3, 1e-4, 1e2),
            exchanges: (size(4, 1.0, 20.0)).floor(),
        };
        let exact = of_work(&work, true, truth);
        let off = |column: usize| (noise * (2.0 * spread(index * 7 + 3, column) - 1.0)).exp();
        Run {
            query: format!("q{index}"),
            work,
            implied_exchanges: true,
            machines: truth.machines(),
            cpu_seconds: Some(exact.cpu.value * off(5)),
            gpu_seconds: Some(exact.gpu.value * off(4)),
        }
    };
    (0..count).map(run).collect()
}

/// Engines whose terms are all other than where fits begin.
fn truth() -> Engines {
    let mut truth = engines();
    truth.cpu.work_ratio *= 1.8;
    truth.cpu.file_seconds *= 0.4;
    truth.cpu.read_gb_per_s = truth.cpu.read_gb_per_s.map(|speed| speed * 0.5);
    truth.gpu.exchange_ratio *= 2.0;
    truth.gpu.read_gb_per_s = truth.gpu.read_gb_per_s.map(|speed| speed * 0.6);
    truth
}

fn judged(prediction: &Prediction, run: &Run) -> Judged {
    Judged { prediction: prediction.clone(), cpu_seconds: run.cpu_seconds, gpu_seconds: run.gpu_seconds }
}

fn median_error(fitted: &Engines, cases: &[Run]) -> f64 {
    let judged: Vec<Judged> = cases.iter().map(|run| judged(&of_work(&run.work, true, fitted), run)).collect();
    judge(&judged).cpu.expect("runs on CPUs").median
}

/// Seconds of every part in some engines, for a query in which all of them act.
fn parts(engines: &Engines) -> [[f64; Part::ALL.len()]; 2] {
    let work = Work { own_seconds: 100.0, read_gb: 10.0, files: 100.0, exchanged_gb: 10.0, exchanges: 3.0 };
    [engines.cpu.seconds(&work), engines.gpu.seconds(&work)]
}

#[test]
fn known_numbers_are_found_again_through_noise() {
    let found = fit(&runs(&truth(), 200, 0.1), &engines()).expect("runs");
    let (known, before) = (parts(&truth()), parts(&engines()));
    let mut determined = 0;
    for number in &found.numbers {
        let side = usize::from(number.side == "gpu");
        let expected = known[side][number.part as usize] / before[side][number.part as usize];
        // The fit takes runs to be off by far more than these are, so three of its standard deviations are wide.
        let off = (number.factor / expected).ln().abs();
        assert!(
            off < 3.0 * number.standard_deviation,
            "{} {:?}: {} instead of {expected}",
            number.side,
            number.part,
            number.factor
        );
        if number.determined_share() > 0.95 {
            determined += 1;
            assert!(off < 0.15, "{} {:?}: {} instead of {expected}", number.side, number.part, number.factor);
        }
    }
    assert!(determined >= 6, "{determined} of {} numbers are determined by the runs", found.numbers.len());
}

#[test]
fn a_fit_predicts_queries_that_it_has_not_seen_better_than_its_beginning() {
    let all = runs(&truth(), 60, 0.2);
    let (seen, unseen) = all.split_at(30);
    let found = fit(seen, &engines()).expect("runs").engines;
    let (before, after) = (median_error(&engines(), unseen), median_error(&found, unseen));
    assert!(after < 0.8 * before && after < 0.2, "{before} → {after}");
    // The 90 % interval of the left-out runs holds for others, too.
    let judged: Vec<Judged> = unseen
        .iter()
        .map(|run| Judged {
            prediction: of_work(&run.work, true, &found),
            cpu_seconds: run.cpu_seconds,
            gpu_seconds: run.gpu_seconds,
        })
        .collect();
    let coverage = judge(&judged).cpu.expect("runs on CPUs").coverage;
    assert!(coverage.is_some_and(|coverage| coverage >= 0.8), "{coverage:?}");
}

#[test]
fn one_run_of_a_hundred_that_is_a_thousand_times_too_long_changes_little() {
    let mut odd = runs(&truth(), 100, 0.1);
    odd[17].cpu_seconds = odd[17].cpu_seconds.map(|seconds| seconds * 1000.0);
    let found = fit(&odd, &engines()).expect("runs").engines;
    assert!((found.cpu.work_ratio / truth().cpu.work_ratio - 1.0).abs() < 0.2, "{}", found.cpu.work_ratio);
}

#[test]
fn what_no_run_tells_of_stays_and_is_told_of() {
    let mut few = runs(&truth(), 12, 0.05);
    for run in &mut few {
        (run.work.exchanged_gb, run.work.exchanges) = (0.0, 0.0);
    }
    let found = fit(&few, &engines()).expect("runs");
    assert_eq!(found.engines.gpu.exchange_ratio, engines().gpu.exchange_ratio);
    assert!(!found.numbers.iter().any(|number| number.part == Part::Exchange));
}

#[test]
fn runs_on_other_machines_tell_of_the_same_engines() {
    // A quarter of the network, twice the machines: parts follow from the machines, factors are the engines' own.
    let mut elsewhere = truth();
    elsewhere.cpu.network_gbit_per_s /= 4.0;
    elsewhere.cpu.machines *= 2.0;
    elsewhere.gpu.network_gbit_per_s /= 4.0;
    let (first, second) = (runs(&truth(), 40, 0.0), runs(&elsewhere, 80, 0.0));
    let both: Vec<Run> = first.into_iter().chain(second.into_iter().skip(40)).collect();
    let found = fit(&both, &engines()).expect("runs");
    let [here, there] = [engines().machines(), elsewhere.machines()].map(|machines| {
        let (found, known) = (found.engines.moved_to(machines.clone()), truth().moved_to(machines));
        let work = Work { own_seconds: 500.0, read_gb: 20.0, files: 50.0, exchanged_gb: 20.0, exchanges: 4.0 };
        of_work(&work, true, &found).cpu.value / of_work(&work, true, &known).cpu.value
    });
    assert!((here - 1.0).abs() < 0.1 && (there - 1.0).abs() < 0.1, "{here} here, {there} there");
}

#[test]
fn a_study_that_has_engines_keeps_its_machines() {
    let published = include_str!("../../../../scenarios/placement-published.ron");
    let mut study = read(published).expect("a valid example").placement().expect("a placement study").clone();
    study.set_engines(Profile { engines: truth(), sources: BTreeMap::new() });
    assert_eq!(study.engines.as_deref(), Some(&truth()), "there were none before");
    let mut profile = fit(&runs(&truth(), 20, 0.1), &engines()).expect("runs").profile("20 runs", &BTreeMap::new());
    profile.engines.cpu.network_gbit_per_s *= 10.0;
    let imported = Provenance::Entered;
    profile.sources.insert("cpu.machines".to_owned(), imported);
    study.set_engines(profile.clone());
    assert_eq!(study.engines.as_deref(), Some(&profile.engines.moved_to(truth().machines())));
    assert!(!study.sources.contains_key("engines.cpu.machines"));
    assert!(study.sources.contains_key("engines.cpu.work_ratio"));
}

#[test]
fn numbers_that_only_occur_together_cannot_be_distinguished() {
    let mut tied = runs(&truth(), 40, 0.05);
    for run in &mut tied {
        // As long as reading takes: 10 s for a GB, and 0.01 s for a file.
        run.work.files = run.work.read_gb * 1000.0;
    }
    let found = fit(&tied, &engines()).expect("runs");
    let is_pair = |(a, b): &(usize, usize)| {
        let parts = [found.numbers[*a].part, found.numbers[*b].part];
        parts.contains(&Part::Read) && parts.contains(&Part::Files)
    };
    assert!(found.correlated.iter().any(is_pair), "{:?}", found.correlated);
}

#[test]
fn a_fit_to_other_runs_has_no_date_of_the_start() {
    let measurement = Some(Measurement { date: "2025-09-25".to_owned(), source: "a test".to_owned() });
    let mut start = engines();
    start.cpu.measurement.clone_from(&measurement);
    start.gpu.measurement.clone_from(&measurement);
    let mut only_cpu = runs(&truth(), 12, 0.05);
    for run in &mut only_cpu {
        run.gpu_seconds = None;
    }
    let found = fit(&only_cpu, &start).expect("runs").engines;
    assert_eq!((found.cpu.measurement, found.gpu.measurement), (None, measurement));
}

#[test]
fn one_side_alone_can_be_fitted_and_nothing_measured_cannot() {
    let mut only_cpu = runs(&truth(), 30, 0.05);
    for run in &mut only_cpu {
        run.gpu_seconds = None;
    }
    let found = fit(&only_cpu, &engines()).expect("runs");
    let stays = Engines { gpu: found.engines.gpu.clone(), ..engines() };
    assert_eq!(stays.gpu.work_ratio, engines().gpu.work_ratio);
    assert_eq!(found.engines.speedup_error_factor_90, 1.0, "no speedup was measured, so it has no error factor");
    for run in &mut only_cpu {
        run.cpu_seconds = None;
    }
    assert_eq!(fit(&only_cpu, &engines()), None);
}

#[test]
fn a_fitted_profile_survives_its_file() {
    let profile = fit(&runs(&truth(), 20, 0.1), &engines()).expect("runs").profile("20 runs", &BTreeMap::new());
    assert_eq!(crossover_engine::file::read(&profile.to_ron()), Ok(profile));
}

/// Runs of one speedup, whatever a plan says: as if its work had been drawn by lot.
fn runs_of_one_speedup(count: usize) -> Vec<Run> {
    let mut runs = runs(&truth(), count, 0.05);
    for (index, run) in runs.iter_mut().enumerate() {
        run.gpu_seconds = run.cpu_seconds.map(|cpu| cpu / (1.3 * (0.1 * (2.0 * spread(index, 2) - 1.0)).exp()));
    }
    runs
}

#[test]
fn where_plans_do_not_distinguish_speedups_the_median_is_the_answer() {
    let runs = runs_of_one_speedup(24);
    let found = fit(&runs, &engines()).expect("runs");
    assert_eq!(found.pooling, Pooling::Complete);
    let judged: Vec<Judged> =
        found.left_out.iter().zip(&runs).map(|(prediction, run)| judged(prediction, run)).collect();
    let summary = judge(&judged);
    let (ours, baseline) = (summary.speedup.expect("both sides"), summary.median_baseline_speedup.expect("both sides"));
    assert!(ours.median < baseline.median + 0.02, "{} against {}", ours.median, baseline.median);
    assert!(
        ours.ninth_decile < baseline.ninth_decile + 0.05,
        "{} against {}",
        ours.ninth_decile,
        baseline.ninth_decile
    );
}

#[test]
fn where_plans_predict_left_out_queries_no_better_one_speedup_is_the_answer() {
    let mut runs = runs_of_one_speedup(24);
    for run in &mut runs {
        run.gpu_seconds = run.cpu_seconds.map(|cpu| cpu / 1.3);
    }
    let found = fit(&runs, &engines()).expect("runs");
    assert!(found.engines.constant_speedup.is_some_and(|speedup| (speedup - 1.3).abs() < 1e-9), "{:?}", found.engines);
    for (left_out, run) in found.left_out.iter().zip(&runs) {
        assert!((left_out.speedup.value - 1.3).abs() < 1e-9, "{}", run.query);
        assert!((of_work(&run.work, true, &found.engines).speedup.value - 1.3).abs() < 1e-9, "{}", run.query);
    }
    // Nor does a fit that starts from it take it for a form.
    let again = fit(&self::runs(&truth(), 40, 0.1), &found.engines).expect("runs");
    assert_eq!(again.engines.constant_speedup, None);
}

#[test]
fn where_plans_distinguish_speedups_there_is_no_pooling() {
    let found = fit(&runs(&truth(), 40, 0.1), &engines()).expect("runs");
    assert_eq!(found.pooling, Pooling::None);
    assert_eq!(found.engines.constant_speedup, None);
}

#[test]
fn the_median_speedup_is_predicted_as_it_was_measured() {
    // All GPU times are too long by a factor that no part explains alone.
    let mut runs = runs(&truth(), 25, 0.2);
    for (index, run) in runs.iter_mut().enumerate() {
        run.gpu_seconds = run.gpu_seconds.map(|seconds| seconds * if index % 3 == 0 { 5.0 } else { 1.4 });
    }
    // Runs on one side only are no speedups, whichever queries they are of.
    let only_cpu: Vec<Run> = runs.iter().step_by(2).map(|run| Run { gpu_seconds: None, ..run.clone() }).collect();
    let both = runs.clone();
    runs.extend(only_cpu);
    let found = fit(&runs, &engines()).expect("runs");
    let mut ratios: Vec<f64> = both
        .iter()
        .map(|run| {
            of_work(&run.work, true, &found.engines).speedup.value
                / judged(&of_work(&run.work, true, &found.engines), run).speedup().expect("both")
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    assert!((ratios[12] - 1.0).abs() < 1e-9, "{}", ratios[12]);
}

#[test]
fn a_handful_of_runs_says_nothing_of_how_free_parts_are() {
    for (queries, pooling) in [(6, Pooling::None), (9, Pooling::None)] {
        let found = fit(&runs_of_one_speedup(queries), &engines()).expect("runs");
        assert_eq!(found.pooling, pooling, "{queries} queries");
    }
}

#[test]
fn what_a_fit_assumes_is_not_taken_for_told_by_the_runs() {
    let shared = fit(&runs_of_one_speedup(24), &engines()).expect("runs");
    let free = fit(&runs(&truth(), 24, 0.05), &engines()).expect("runs");
    assert_eq!((shared.pooling, free.pooling), (Pooling::Complete, Pooling::None));
    let determined_share = |fit: &Fit| fit.numbers.iter().map(Fitted::determined_share).sum::<f64>();
    assert!(
        determined_share(&shared) < 1.1 * determined_share(&free),
        "{} against {}",
        determined_share(&shared),
        determined_share(&free)
    );
}
