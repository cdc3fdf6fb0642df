//! The sum with the measured time, fitted to the shipped measurements of TPC-DS on AWS: what it is worth on queries left out.

use std::collections::BTreeMap;

use crossover_engine::{
    Anchored, AnchoredFit, AnchoredRun, Engines, Judged, Posterior, Prediction, Profile, fit_anchored, judge,
};
use crossover_query::Volumes;
use crossover_scenario::read;

const TIMES: &str = include_str!("../../../../scenarios/truth/aws-l4.csv");
const VOLUMES: &str = include_str!("../../../../scenarios/truth/aws-l4-volumes.csv");
const SCENARIO: &str = include_str!("../../../../scenarios/placement-truth-aws-l4.ron");

/// Rows of a table without quotes, each by its columns.
fn rows(text: &'static str) -> Vec<BTreeMap<&'static str, &'static str>> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    lines.map(|line| head.iter().copied().zip(line.split(',')).collect()).collect()
}

fn runs() -> Vec<AnchoredRun> {
    let volumes: BTreeMap<&str, BTreeMap<&str, &str>> =
        rows(VOLUMES).into_iter().map(|row| (row["query"], row)).collect();
    let run = |row: &BTreeMap<&str, &str>| {
        let moved = &volumes[row["case"]];
        let number = |row: &BTreeMap<&str, &str>, key: &str| row[key].parse::<f64>().expect("a number");
        AnchoredRun {
            query: row["case"].to_owned(),
            cpu_seconds: number(row, "cpu_seconds"),
            gpu_seconds: number(row, "gpu_seconds"),
            volumes: Volumes {
                read_gb: number(moved, "read_gb"),
                files: number(moved, "files"),
                partitioned_scans: number(moved, "partitioned_scans"),
                exchanges_gb: moved["exchanges_gb"]
                    .split_whitespace()
                    .map(|size| size.parse().expect("a number"))
                    .collect(),
                window_rows: number(moved, "window_rows"),
                expanded_rows: number(moved, "expanded_rows"),
                copies: number(moved, "copies"),
                pairs: number(moved, "pairs"),
                lanes: None,
            },
        }
    };
    rows(TIMES).iter().map(run).collect()
}

pub(super) fn shipped() -> Engines {
    let scenario = read(SCENARIO).expect("a scenario");
    scenario.placement().expect("a placement study").engines.as_deref().expect("engines").clone()
}

fn fitted(runs: &[AnchoredRun]) -> AnchoredFit {
    fit_anchored(runs, shipped().machines()).expect("enough queries")
}

/// Goals of the accuracy of queries that are not fitted. The constant is the mean logarithm of the other queries' speedups.
#[test]
fn left_out_queries_are_predicted_much_better_than_by_a_constant() {
    let runs = runs();
    assert_eq!(runs.len(), 48);
    let AnchoredFit { left_out, .. } = fitted(&runs);
    let measured: Vec<f64> = runs.iter().map(|run| (run.cpu_seconds / run.gpu_seconds).ln()).collect();
    let found: Vec<f64> =
        runs.iter().zip(&left_out).map(|(run, left_out)| (run.cpu_seconds / left_out.gpu_seconds).ln()).collect();
    let count = runs.len() as f64;
    let sum: f64 = measured.iter().sum();
    // None of the shipped queries has a sibling among them.
    let constant = |measured: f64| (sum - measured) / (count - 1.0);
    let off = found.iter().zip(&measured).map(|(found, measured)| (found - measured).abs()).sum::<f64>() / count;
    let off_of_constant = measured.iter().map(|measured| (constant(*measured) - measured).abs()).sum::<f64>() / count;
    assert!(off <= 0.55 * off_of_constant, "{off} of {off_of_constant}");

    let judged: Vec<Judged> = runs
        .iter()
        .zip(&left_out)
        .map(|(run, left_out)| Judged {
            prediction: Prediction::of_times(run.cpu_seconds, left_out.gpu_seconds),
            cpu_seconds: Some(run.cpu_seconds),
            gpu_seconds: Some(run.gpu_seconds),
        })
        .collect();
    let rank = judge(&judged).rank_correlation.expect("an order");
    assert!(rank >= 0.65, "{rank}");

    let is_answered = |found: f64| found.abs() > 0.3;
    let answered = found.iter().filter(|found| is_answered(**found)).count() as f64;
    assert!(answered >= 0.6 * count, "{answered} of {count}");
    let clear: Vec<bool> = found
        .iter()
        .zip(&measured)
        .filter(|(found, measured)| is_answered(**found) && measured.abs() > 1.25_f64.ln())
        .map(|(found, measured)| (*found > 0.0) == (*measured > 0.0))
        .collect();
    let right = clear.iter().filter(|is_right| **is_right).count();
    assert!(right as f64 >= 0.95 * clear.len() as f64, "{right} of {}", clear.len());

    let inside = runs.iter().zip(&left_out).filter(|(run, left_out)| {
        let error = (left_out.gpu_seconds / run.gpu_seconds).ln().abs();
        error <= left_out.error_factor_90.ln()
    });
    let share = inside.count() as f64 / count;
    assert!((0.85..=0.95).contains(&share), "{share}");
}

#[test]
fn the_shipped_numbers_are_those_of_the_fit() {
    let AnchoredFit { anchored: found, .. } = fitted(&runs());
    let shipped = shipped().anchored.expect("the shipped engines have the sum");
    let numbers = |of: &Anchored| {
        [
            of.start_seconds,
            of.today_share,
            of.read_gb_per_s.expect("a rate"),
            of.file_seconds,
            of.scan_seconds,
            of.exchange_memory_gb,
            of.spill_gb_per_s.expect("a rate"),
            of.least_share,
            of.error_factor_90,
            of.fitted_cores,
            of.fitted_gpus,
            of.fitted_machines,
            of.fitted_network_gbit_per_s,
            of.fitted_memory_gb.expect("the memory of the machines"),
            of.smallest_core_seconds,
            of.largest_core_seconds,
            of.largest_read_gb,
            of.largest_files,
            of.largest_partitioned_scans,
            of.largest_exchange_gb,
            of.largest_spilled_gb,
            of.largest_window_rows,
            of.largest_expanded_rows,
            of.largest_copies,
            of.largest_pairs,
        ]
    };
    for (place, (found, shipped)) in numbers(&found).into_iter().zip(numbers(&shipped)).enumerate() {
        assert!((found / shipped - 1.0).abs() < 0.01, "number {place}: {found} instead of {shipped}");
    }
    assert_eq!(found.largest_of, shipped.largest_of);
    assert_eq!((found.density_share, shipped.density_share), (0.0, 0.0));
}

/// What was measured can be judged, and what is far beyond it cannot.
#[test]
fn no_measured_query_is_outside_what_was_measured() {
    for run in runs() {
        let engines = Engines { measured_seconds: Some(run.cpu_seconds), ..shipped() };
        let additive = engines.additive(Some(&run.volumes)).expect("all is known");
        assert_eq!(additive.outside(), None, "{}", run.query);
        let larger = Volumes { files: 20_000.0, ..run.volumes.clone() };
        let why = engines.additive(Some(&larger)).expect("all is known").outside().expect("outside");
        assert!(why.contains("20,000 files") && why.contains("q28: 10,944"), "{why}");
    }
}

/// A trial measures runs as small as its own, and says nothing of smaller ones.
#[test]
fn the_smallest_run_of_a_trial_is_one_that_was_measured() {
    let start = Profile { engines: shipped(), sources: BTreeMap::new() };
    let posterior = Posterior::new(2.0, &[0.1]).expect("a posterior");
    let smallest = |seconds: f64| {
        let anchored = start.learned(&posterior, "1 query", seconds).engines.anchored.expect("the sum");
        anchored.smallest_core_seconds
    };
    // On 115 cores, where the smallest shipped run had 133.3 core-seconds.
    assert!((smallest(0.5) - 57.5).abs() < 1e-9, "{}", smallest(0.5));
    assert_eq!(smallest(10.0), 133.3);
}
