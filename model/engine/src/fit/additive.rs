//! Fits the time on GPUs to runs, given the measured time on CPUs: the form of the time and its numbers, and the errors of
//! queries left out.
//!
//! The form is the one with the smallest mean error of queries left out ([`Form`]); of equal ones that with the fewest numbers.
//! A query that is left out chooses no form: where it is predicted, the others choose, among themselves.

mod form;

use std::collections::{BTreeMap, BTreeSet};

use self::form::{Density, Fits, Form, Row, TERMS};
use super::LEAST_FOR_ERROR;
use crate::anchored::Anchored;
use crate::profile::Machines;
use crate::score::family;
use crossover_quantity::estimate::student;
use crossover_quantity::quantity::Quantity;
use crossover_query::Volumes;

/// Groups of queries, each of which is left out once where forms are compared.
const GROUPS: usize = 10;
/// Data of an exchange that the memory of one GPU machine holds, GB. Chosen, not fitted: with 2 to 3 GB on four machines with an L4,
/// queries of TPC-DS that are left out are predicted about equally well.
const MEMORY_GB: f64 = 3.0;
/// The GPU time is at least this part of the fitted share of the CPU time on the same cores, however many the GPUs.
const LEAST_OF_SHARE: f64 = 0.5;
/// Confidence of intervals.
const INSIDE: f64 = 0.9;

/// A query that ran on both sides, and what it moves.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchoredRun {
    /// The query; those whose names differ by a letter at the end only (q14a, q14b) are left out together.
    pub query: String,
    /// Time on CPUs, seconds.
    pub cpu_seconds: f64,
    /// Time on GPUs, seconds.
    pub gpu_seconds: f64,
    /// What it moves.
    pub volumes: Volumes,
}

/// The sum fitted to runs.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchoredFit {
    /// The numbers of the sum.
    pub anchored: Anchored,
    /// The form that was chosen, with the number of its numbers: "start, share of the time, data read (3 numbers)".
    pub form: String,
    /// Every run, predicted by a fit to the other queries, in the order of the runs.
    pub left_out: Vec<LeftOut>,
}

/// A run as predicted by a fit to the other queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOut {
    /// Time on GPUs, seconds.
    pub gpu_seconds: f64,
    /// Factor within which 90 % of the measured times lie, by the errors of the other queries.
    pub error_factor_90: f64,
}

/// Fits the form and its numbers to runs on these machines, CPU first. `None` with too few queries for an error factor, or if a time
/// is not above 0.
#[must_use]
pub fn fit_anchored(runs: &[AnchoredRun], machines: [Machines; 2]) -> Option<AnchoredFit> {
    let queries: BTreeSet<&str> = runs.iter().map(|run| family(&run.query)).collect();
    let is_timed = |run: &AnchoredRun| {
        [run.cpu_seconds, run.gpu_seconds].into_iter().all(|seconds| seconds > 0.0 && seconds.is_finite())
    };
    if queries.len() < LEAST_FOR_ERROR || !runs.iter().all(is_timed) {
        return None;
    }
    let [cpu, gpu] = machines;
    let memory = MEMORY_GB * gpu.count();
    let measured = Measured::new(runs, &queries, memory);
    let predicted: Vec<f64> = {
        let of_query: Vec<(Form, Fits)> = (0..queries.len())
            .map(|query| (measured.best(Some(query)), measured.fits(|other| other != query)))
            .collect();
        let seconds = |(row, query): (&Row, &usize)| {
            let (form, fits) = &of_query[*query];
            fits.seconds(*form, row)
        };
        measured.rows.iter().zip(&measured.query).map(seconds).collect::<Option<_>>()?
    };
    let errors: Vec<f64> = predicted.iter().zip(runs).map(|(found, run)| (found / run.gpu_seconds).ln()).collect();
    let left_out = predicted.iter().zip(&measured.query).map(|(seconds, query)| {
        let others = errors.iter().zip(&measured.query).filter(|(_, other)| *other != query);
        LeftOut {
            gpu_seconds: *seconds,
            error_factor_90: error_factor(&others.map(|(error, _)| *error).collect::<Vec<f64>>()),
        }
    });
    let left_out = left_out.collect();
    let form = measured.best(None);
    let found = measured.fits(|_| true).numbers(form);
    let anchored = numbers(found, memory, error_factor(&errors), runs, [&cpu, &gpu]);
    Some(AnchoredFit { anchored, form: form.label(), left_out })
}

/// Factor within which 90 % of further times lie around the predicted ones, by the root mean square of these logarithms (Student's
/// t): predictions that are too long, or too short, on average count too.
fn error_factor(errors: &[f64]) -> f64 {
    let count = errors.len() as f64;
    let mean_square = errors.iter().map(|error| error * error).sum::<f64>() / count;
    (student(count, INSIDE) * mean_square.sqrt()).exp().clamp(1.0, 1000.0)
}

/// Runs with the places of their queries.
struct Measured {
    rows: Vec<Row>,
    /// Place of each run's query.
    query: Vec<usize>,
}

impl Measured {
    fn new(runs: &[AnchoredRun], queries: &BTreeSet<&str>, memory: f64) -> Self {
        let places: BTreeMap<&str, usize> = queries.iter().enumerate().map(|(place, query)| (*query, place)).collect();
        Self {
            rows: runs.iter().map(|run| Row::new([run.cpu_seconds, run.gpu_seconds], &run.volumes, memory)).collect(),
            query: runs.iter().map(|run| places[family(&run.query)]).collect(),
        }
    }

    /// All forms, fitted to the runs of some queries.
    fn fits(&self, is_used: impl Fn(usize) -> bool) -> Fits {
        let used = self.rows.iter().zip(&self.query).filter(|(_, query)| is_used(**query));
        Fits::new(&used.map(|(row, _)| *row).collect::<Vec<Row>>())
    }

    /// The form with the smallest mean error of queries that are left out in groups, without the runs of the query `apart`.
    fn best(&self, apart: Option<usize>) -> Form {
        let group = |query: usize| query % GROUPS;
        let without: Vec<Fits> =
            (0..GROUPS).map(|out| self.fits(|query| Some(query) != apart && group(query) != out)).collect();
        let error = |form: Form| {
            let runs = self.rows.iter().zip(&self.query).filter(|(_, query)| Some(**query) != apart);
            let of_run = |(row, query): (&Row, &usize)| {
                Some((without[group(*query)].seconds(form, row)? / row.measured).ln().abs())
            };
            runs.map(of_run).sum::<Option<f64>>()
        };
        let known = Form::ALL.into_iter().filter_map(|form| Some((form, error(form)?)));
        let [simplest, ..] = Form::ALL;
        known.fold((simplest, f64::INFINITY), |best, found| if found.1 < best.1 { found } else { best }).0
    }
}

/// GB per second of a time per GB. Slower than the least rate is a time that no fit finds; a shorter time than this is none.
pub(super) fn rate(seconds_per_gb: f64) -> Option<f64> {
    (seconds_per_gb > 1e-6).then(|| (1.0 / seconds_per_gb).max(1e-5))
}

/// The fitted numbers, with the machines and the largest volumes of the runs.
fn numbers(
    ([start_seconds, today_share, read, file_seconds, spill, scan_seconds], density): ([f64; TERMS], Option<Density>),
    exchange_memory_gb: f64,
    error_factor_90: f64,
    runs: &[AnchoredRun],
    [cpu, gpu]: [&Machines; 2],
) -> Anchored {
    let mut largest_of = BTreeMap::new();
    let mut largest = |quantity: &Quantity, of: &dyn Fn(&AnchoredRun) -> f64| {
        let most = runs.iter().max_by(|one, other| of(one).total_cmp(&of(other)));
        most.filter(|run| of(run) > 0.0).map_or(0.0, |run| {
            largest_of.insert(quantity.key.to_owned(), run.query.clone());
            of(run)
        })
    };
    let cores = cpu.all_lanes();
    let largest_exchange = |run: &AnchoredRun| run.volumes.largest_exchange_gb();
    let spilled = |run: &AnchoredRun| run.volumes.spilled_gb(exchange_memory_gb);
    // Of each core, so that other clusters have densities too.
    let density = density.map(|Density { share, exponent, range }| Density {
        share: share * cores.powf(exponent),
        exponent,
        range: range.map(|density| density / cores),
    });
    let [smallest_density_gb_per_s, largest_density_gb_per_s] = density.map_or([0.0; 2], |density| density.range);
    Anchored {
        start_seconds,
        today_share,
        read_gb_per_s: rate(read),
        file_seconds,
        scan_seconds,
        exchange_memory_gb,
        spill_gb_per_s: rate(spill),
        least_share: LEAST_OF_SHARE * today_share,
        density_share: density.map_or(0.0, |density| density.share),
        density_exponent: density.map_or(0.0, |density| density.exponent),
        smallest_density_gb_per_s,
        largest_density_gb_per_s,
        error_factor_90,
        fitted_cores: cores,
        fitted_gpus: gpu.all_lanes(),
        fitted_machines: gpu.count(),
        fitted_network_gbit_per_s: gpu.all_network_gbit_per_s(),
        fitted_memory_gb: gpu.all_memory_gb(),
        smallest_core_seconds: runs.iter().map(|run| run.cpu_seconds * cores).fold(f64::INFINITY, f64::min),
        largest_core_seconds: largest(&Anchored::LARGEST_CORE_SECONDS, &|run| run.cpu_seconds * cores),
        largest_read_gb: largest(&Anchored::LARGEST_READ_GB, &|run| run.volumes.read_gb),
        largest_files: largest(&Anchored::LARGEST_FILES, &|run| run.volumes.files),
        largest_partitioned_scans: largest(&Anchored::LARGEST_PARTITIONED_SCANS, &|run| run.volumes.partitioned_scans),
        largest_exchange_gb: largest(&Anchored::LARGEST_EXCHANGE_GB, &largest_exchange),
        largest_spilled_gb: largest(&Anchored::LARGEST_SPILLED_GB, &spilled),
        largest_window_rows: largest(&Anchored::LARGEST_WINDOW_ROWS, &|run| run.volumes.window_rows),
        largest_expanded_rows: largest(&Anchored::LARGEST_EXPANDED_ROWS, &|run| run.volumes.expanded_rows),
        largest_copies: largest(&Anchored::LARGEST_COPIES, &|run| run.volumes.copies),
        largest_pairs: largest(&Anchored::LARGEST_PAIRS, &|run| run.volumes.pairs),
        largest_of,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::mixed::Mixed;
    use crate::profile::{Engine, Engines};

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} instead of {expected}");
    }

    fn engines() -> Engines {
        let plain = Engines::plain();
        Engines {
            cpu: Engine { machines: 8.0, lanes: 14.0, ..plain.cpu.clone() },
            gpu: Engine { machines: 4.0, network_gbit_per_s: 5.0, ..plain.gpu.clone() },
            ..plain
        }
    }

    fn runs(count: usize) -> Vec<AnchoredRun> {
        let mut mixed = Mixed(1);
        let run = |at: usize| AnchoredRun {
            query: format!("q{at}"),
            cpu_seconds: 2.0 + 60.0 * mixed.draw(),
            gpu_seconds: 1.0,
            volumes: Volumes {
                read_gb: 50.0 * mixed.draw(),
                files: (5000.0 * mixed.draw()).round(),
                partitioned_scans: (6.0 * mixed.draw()).floor(),
                exchanges_gb: vec![25.0 * mixed.draw(), 5.0 * mixed.draw()],
                ..Volumes::default()
            },
        };
        (0..count).map(run).collect()
    }

    #[test]
    fn known_numbers_are_recovered_and_the_error_of_exact_times_is_none() {
        let mut runs = runs(40);
        let known = [0.7, 0.08, 0.4, 0.0025, 1.7, 0.35];
        for run in &mut runs {
            let volumes = &run.volumes;
            let spilled: f64 = volumes.exchanges_gb.iter().map(|exchange| (exchange - 12.0).max(0.0)).sum();
            run.gpu_seconds = known[0]
                + known[1] * run.cpu_seconds
                + known[2] * volumes.read_gb
                + known[3] * volumes.files
                + known[4] * spilled
                + known[5] * volumes.partitioned_scans;
        }
        let AnchoredFit { anchored, left_out, .. } = fit_anchored(&runs, engines().machines()).expect("enough queries");
        let found = [
            anchored.start_seconds,
            anchored.today_share,
            1.0 / anchored.read_gb_per_s.expect("a rate"),
            anchored.file_seconds,
            1.0 / anchored.spill_gb_per_s.expect("a rate"),
            anchored.scan_seconds,
        ];
        for (found, known) in found.into_iter().zip(known) {
            near(found / known, 1.0, 0.01);
        }
        assert_eq!((anchored.fitted_cores, anchored.fitted_gpus, anchored.fitted_machines), (112.0, 4.0, 4.0));
        assert_eq!((anchored.exchange_memory_gb, anchored.fitted_network_gbit_per_s), (12.0, 20.0));
        near(anchored.error_factor_90, 1.0, 1e-3);
        for (run, left_out) in runs.iter().zip(&left_out) {
            near(left_out.gpu_seconds / run.gpu_seconds, 1.0, 1e-3);
        }
        // The sum of the profile is the measured time.
        let engines = Engines { anchored: Some(anchored), measured_seconds: Some(runs[3].cpu_seconds), ..engines() };
        let sum = engines.additive(Some(&runs[3].volumes)).expect("all is known").seconds();
        near(sum.iter().sum::<f64>() / runs[3].gpu_seconds, 1.0, 1e-3);
        let largest = runs.iter().map(|run| run.volumes.read_gb).fold(0.0, f64::max);
        assert_eq!(engines.anchored.map(|anchored| anchored.largest_read_gb), Some(largest));
    }

    /// Times with an error of up to a tenth in both directions.
    fn inexact(runs: &mut [AnchoredRun], seconds: impl Fn(&AnchoredRun) -> f64) {
        let mut mixed = Mixed(3);
        for run in runs {
            run.gpu_seconds = seconds(run) * (0.9 + 0.2 * mixed.draw());
        }
    }

    #[test]
    fn terms_that_do_not_matter_are_left_out() {
        let mut runs = runs(40);
        inexact(&mut runs, |run| 0.7 + 0.3 * run.cpu_seconds);
        let AnchoredFit { anchored, .. } = fit_anchored(&runs, engines().machines()).expect("enough queries");
        assert_eq!((anchored.read_gb_per_s, anchored.spill_gb_per_s, anchored.density_share), (None, None, 0.0));
        assert_eq!((anchored.file_seconds, anchored.scan_seconds), (0.0, 0.0));
        near(anchored.today_share / 0.3, 1.0, 0.05);
        // Twice the largest error in either direction at most.
        assert!((1.0..1.2).contains(&anchored.error_factor_90), "{}", anchored.error_factor_90);
    }

    #[test]
    fn a_power_of_the_data_per_core_second_counts_where_it_explains_the_times() {
        let mut runs = runs(40);
        // The geometric mean of a sum, 0.4·T, and of a power of the density R/T with an exponent of ½.
        let time = |run: &AnchoredRun| {
            let density = run.volumes.read_gb / run.cpu_seconds;
            run.cpu_seconds * (0.4 * 0.8 * density.sqrt()).sqrt()
        };
        inexact(&mut runs, time);
        let AnchoredFit { anchored, left_out, .. } = fit_anchored(&runs, engines().machines()).expect("enough queries");
        assert!(anchored.density_share > 0.0 && anchored.density_exponent > 0.0);
        // The noise alone has a mean of 0.05; sums alone are off by 0.1.
        let errors = runs.iter().zip(&left_out).map(|(run, found)| (found.gpu_seconds / run.gpu_seconds).ln().abs());
        let mean = errors.sum::<f64>() / 40.0;
        assert!(mean < 0.08, "{mean}");
        // The profile predicts as the fit does.
        let engines = Engines { anchored: Some(anchored), measured_seconds: Some(runs[3].cpu_seconds), ..engines() };
        let sum = engines.additive(Some(&runs[3].volumes)).expect("all is known").seconds();
        near(sum.iter().sum::<f64>() / time(&runs[3]), 1.0, 0.3);
    }

    #[test]
    fn a_query_that_is_left_out_does_not_choose_the_form() {
        let mut runs = runs(40);
        inexact(&mut runs, |run| 0.7 + 0.3 * run.cpu_seconds);
        let left_out = |runs: &[AnchoredRun]| {
            fit_anchored(runs, engines().machines()).expect("enough queries").left_out[7].gpu_seconds
        };
        let before = left_out(&runs);
        for seconds in [1e-3, 1.0, 1e5] {
            runs[7].gpu_seconds = seconds;
            assert_eq!(left_out(&runs), before, "{seconds}");
        }
    }

    #[test]
    fn queries_that_differ_by_a_letter_are_left_out_together() {
        let mut runs = runs(12);
        (runs[0].query, runs[1].query) = ("q50a".to_owned(), "q50b".to_owned());
        let left_out = |runs: &[AnchoredRun]| {
            fit_anchored(runs, engines().machines()).expect("enough queries").left_out[0].gpu_seconds
        };
        let before = left_out(&runs);
        // Neither its own time nor that of its sibling is seen.
        (runs[0].gpu_seconds, runs[1].gpu_seconds) = (90.0, 90.0);
        assert_eq!(left_out(&runs), before);
        runs[2].gpu_seconds = 90.0;
        assert_ne!(left_out(&runs), before);
    }

    #[test]
    fn too_few_queries_have_no_error_and_no_fit() {
        assert!(fit_anchored(&runs(8), engines().machines()).is_none());
        assert!(fit_anchored(&runs(9), engines().machines()).is_some());
        let mut runs = runs(9);
        runs[0].gpu_seconds = 0.0;
        assert!(fit_anchored(&runs, engines().machines()).is_none());
    }

    #[test]
    fn the_error_factor_is_that_of_students_distribution() {
        // Four errors with a root mean square of 0.1; t of 4 degrees of freedom at 95 % is 2.1318 in every table.
        near(error_factor(&[0.1, -0.1, 0.1, -0.1]).ln(), 0.213_18, 1e-5);
        // Predictions that are all too long are as far off.
        near(error_factor(&[0.1, 0.1, 0.1, 0.1]).ln(), 0.213_18, 1e-5);
    }
}
