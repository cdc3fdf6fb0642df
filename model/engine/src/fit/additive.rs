//! Fits the sum with the measured time: non-negative least squares of relative errors, and the errors of queries left out.

use std::collections::{BTreeMap, BTreeSet};

use super::LEAST_FOR_ERROR;
use super::squares::cholesky;
use crate::anchored::Anchored;
use crate::profile::Machines;
use crate::score::family;
use crossover_quantity::estimate::student;
use crossover_quantity::quantity::Quantity;
use crossover_query::Volumes;

/// Numbers that are fitted: start, share of the CPU time, read, files, spilled data, scans.
const TERMS: usize = 6;
/// Fits after the first one, each with the weights that the errors of the last one give.
const REWEIGHTINGS: usize = 30;
/// A smaller relative error counts by its square, a larger one by its size.
const USUAL_ERROR: f64 = 0.1;
/// Least time that is predicted, seconds.
const LEAST_SECONDS: f64 = 1e-3;
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

/// Fits the sum to runs on these machines, CPU first. `None` with too few queries for an error factor, or if a time is not above 0.
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
    let rows: Vec<Row> = runs.iter().map(|run| Row::new(run, memory)).collect();
    let without = |query: &str| {
        let others = rows.iter().zip(runs).filter(|(_, run)| family(&run.query) != query);
        smallest(&others.map(|(row, _)| *row).collect::<Vec<Row>>())
    };
    let fits: BTreeMap<&str, [f64; TERMS]> = queries.into_iter().map(|query| (query, without(query))).collect();
    let predicted: Vec<f64> = rows.iter().zip(runs).map(|(row, run)| row.seconds(&fits[family(&run.query)])).collect();
    let errors: Vec<f64> = predicted.iter().zip(&rows).map(|(found, row)| (found / row.measured).ln()).collect();
    let left_out = runs.iter().zip(&predicted).map(|(run, seconds)| {
        let query = family(&run.query);
        let others = errors.iter().zip(runs).filter(|(_, other)| family(&other.query) != query);
        LeftOut {
            gpu_seconds: *seconds,
            error_factor_90: error_factor(&others.map(|(error, _)| *error).collect::<Vec<f64>>()),
        }
    });
    let left_out = left_out.collect();
    let anchored = numbers(smallest(&rows), memory, error_factor(&errors), runs, [&cpu, &gpu]);
    Some(AnchoredFit { anchored, left_out })
}

/// Factor within which 90 % of further errors lie, by the spread of these logarithms (Student's t).
pub(super) fn error_factor(errors: &[f64]) -> f64 {
    let count = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / count;
    let variance = errors.iter().map(|error| (error - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (student(count - 1.0, INSIDE) * variance.sqrt()).exp().clamp(1.0, 1000.0)
}

/// What a run's time is a sum of, each to be multiplied by a number, and its measured time on GPUs.
#[derive(Clone, Copy)]
pub(super) struct Row<const N: usize = TERMS> {
    pub(super) terms: [f64; N],
    pub(super) measured: f64,
}

impl Row {
    /// `memory`: data of an exchange that all machines hold, GB.
    fn new(run: &AnchoredRun, memory: f64) -> Self {
        let Volumes { read_gb, files, partitioned_scans, ref exchanges_gb, .. } = run.volumes;
        let spilled = exchanges_gb.iter().map(|exchange| (exchange - memory).max(0.0)).sum();
        let terms = [1.0, run.cpu_seconds, read_gb, files, spilled, partitioned_scans];
        Self { terms, measured: run.gpu_seconds }
    }
}

impl<const N: usize> Row<N> {
    pub(super) fn seconds(&self, numbers: &[f64; N]) -> f64 {
        self.terms.iter().zip(numbers).map(|(term, number)| term * number).sum::<f64>().max(LEAST_SECONDS)
    }
}

/// The numbers that make the sum of |ln(predicted ÷ measured)| small: least squares, reweighted so that an error counts by its size.
pub(super) fn smallest<const N: usize>(rows: &[Row<N>]) -> [f64; N] {
    let mut weights: Vec<f64> = rows.iter().map(|row| 1.0 / row.measured).collect();
    let mut found = [0.0; N];
    for _ in 0..=REWEIGHTINGS {
        let weighted: Vec<[f64; N]> =
            rows.iter().zip(&weights).map(|(row, weight)| row.terms.map(|term| term * weight)).collect();
        let right: Vec<f64> = rows.iter().zip(&weights).map(|(row, weight)| row.measured * weight).collect();
        found = non_negative(&weighted, &right);
        for (row, weight) in rows.iter().zip(&mut weights) {
            let predicted = row.seconds(&found);
            let error = (predicted / row.measured).ln().abs().max(USUAL_ERROR);
            *weight = 1.0 / (predicted * row.measured * error).sqrt();
        }
    }
    found
}

/// The numbers, none negative, whose sums of the rows are nearest to the right side in the sum of squares (Lawson and Hanson,
/// Solving Least Squares Problems, 1974, algorithm NNLS).
fn non_negative<const COLUMNS: usize>(rows: &[[f64; COLUMNS]], right: &[f64]) -> [f64; COLUMNS] {
    /// More than the steps of any problem of this size.
    const STEPS: usize = 100;
    /// Relative to the right side.
    const TOLERANCE: f64 = 1e-11;
    // Columns of length 1, so that no unit matters.
    let product = |one: usize, other: usize| rows.iter().map(|row| row[one] * row[other]).sum::<f64>();
    let lengths: [f64; COLUMNS] = std::array::from_fn(|column| product(column, column).sqrt());
    let scaled = |value: f64, length: f64| if length > 0.0 { value / length } else { 0.0 };
    let products: [[f64; COLUMNS]; COLUMNS] = std::array::from_fn(|one| {
        std::array::from_fn(|other| scaled(product(one, other), lengths[one] * lengths[other]))
    });
    let targets: [f64; COLUMNS] = std::array::from_fn(|column| {
        scaled(rows.iter().zip(right).map(|(row, value)| row[column] * value).sum::<f64>(), lengths[column])
    });
    let least = TOLERANCE * right.iter().map(|value| value * value).sum::<f64>().sqrt();
    let mut found = [0.0; COLUMNS];
    let mut is_free = [false; COLUMNS];
    let mut is_excluded = lengths.map(|length| length <= 0.0);
    for _ in 0..STEPS {
        let slope = |column: usize| {
            let sum: f64 = products[column].iter().zip(&found).map(|(product, number)| product * number).sum();
            targets[column] - sum
        };
        let held = (0..COLUMNS).filter(|column| !is_free[*column] && !is_excluded[*column]);
        let steepest = held.map(|column| (column, slope(column))).max_by(|one, other| one.1.total_cmp(&other.1));
        let Some((entering, _)) = steepest.filter(|(_, slope)| *slope > least) else { break };
        is_free[entering] = true;
        loop {
            let free: Vec<usize> = (0..COLUMNS).filter(|column| is_free[*column]).collect();
            let matrix: Vec<Vec<f64>> =
                free.iter().map(|row| free.iter().map(|column| products[*row][*column]).collect()).collect();
            let side: Vec<f64> = free.iter().map(|column| targets[*column]).collect();
            let Some(solved) = cholesky(&matrix, &side) else {
                // It is a sum of the other columns.
                (is_free[entering], is_excluded[entering]) = (false, true);
                break;
            };
            let step = |(column, value): (&usize, &f64)| {
                let now = found[*column];
                if now > 0.0 { now / (now - value) } else { 0.0 }
            };
            let negative = free.iter().zip(&solved).filter(|(_, value)| **value <= 0.0);
            let step = negative.map(step).min_by(f64::total_cmp);
            for (column, value) in free.iter().zip(&solved) {
                found[*column] += step.unwrap_or(1.0) * (value - found[*column]);
                if *value <= 0.0 && found[*column] <= least {
                    (found[*column], is_free[*column]) = (0.0, false);
                }
            }
            if step.is_none() {
                break;
            }
        }
    }
    std::array::from_fn(|column| scaled(found[column], lengths[column]))
}

/// GB per second of a time per GB. Slower than the least rate is a time that no fit finds; a shorter time than this is none.
pub(super) fn rate(seconds_per_gb: f64) -> Option<f64> {
    (seconds_per_gb > 1e-6).then(|| (1.0 / seconds_per_gb).max(1e-5))
}

/// The fitted numbers, with the machines and the largest volumes of the runs.
fn numbers(
    [start_seconds, today_share, read, file_seconds, spill, scan_seconds]: [f64; TERMS],
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
    let largest_exchange = |run: &AnchoredRun| run.volumes.exchanges_gb.iter().copied().fold(0.0, f64::max);
    let spilled = |run: &AnchoredRun| Row::new(run, exchange_memory_gb).terms[4];
    Anchored {
        start_seconds,
        today_share,
        read_gb_per_s: rate(read),
        file_seconds,
        scan_seconds,
        exchange_memory_gb,
        spill_gb_per_s: rate(spill),
        least_share: LEAST_OF_SHARE * today_share,
        error_factor_90,
        fitted_cores: cores,
        fitted_gpus: gpu.all_lanes(),
        fitted_machines: gpu.count(),
        fitted_network_gbit_per_s: gpu.all_network_gbit_per_s(),
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
    use crate::profile::{Engine, Engines};

    /// Numbers between 0 and 1 in a fixed order (a linear congruential generator, Knuth's MMIX).
    struct Mixed(u64);

    impl Mixed {
        fn draw(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} instead of {expected}");
    }

    #[test]
    fn a_system_solved_by_hand_keeps_a_negative_number_at_zero() {
        let rows = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        // The sums of squares are (x − 1)² + (y + 1)² + (x + y)²: with y = 0 the least is at x = 1/2.
        let found = non_negative(&rows, &[1.0, -1.0, 0.0]);
        near(found[0], 0.5, 1e-12);
        assert_eq!(found[1], 0.0);
        // An exact solution without negative numbers is it.
        let found = non_negative(&rows, &[1.0, 2.0, 3.0]);
        near(found[0], 1.0, 1e-12);
        near(found[1], 2.0, 1e-12);
        assert_eq!(non_negative(&rows, &[-1.0, -1.0, -2.0]), [0.0, 0.0]);
        // A column of zeros, and one that equals another, have no number of their own.
        let found = non_negative(&[[1.0, 0.0, 2.0], [1.0, 0.0, 2.0]], &[4.0, 4.0]);
        near(found[0] + 2.0 * found[2], 4.0, 1e-9);
        assert_eq!(found[1], 0.0);
    }

    /// The law of the least under bounds (Karush, Kuhn and Tucker): no slope at numbers above 0, and none downwards at 0.
    #[test]
    fn no_change_of_a_number_lowers_the_squares() {
        let mut mixed = Mixed(7);
        for case in 0..50 {
            let rows: Vec<[f64; 6]> = (0..12).map(|_| std::array::from_fn(|_| mixed.draw())).collect();
            let right: Vec<f64> = rows.iter().map(|row| row[0] - row[1] + 0.5 * row[2] + 0.3 * mixed.draw()).collect();
            let found = non_negative(&rows, &right);
            let rest: Vec<f64> = rows
                .iter()
                .zip(&right)
                .map(|(row, value)| value - row.iter().zip(&found).map(|(term, number)| term * number).sum::<f64>())
                .collect();
            assert!(found.contains(&0.0), "no bound acts in case {case}");
            for (column, number) in found.iter().enumerate() {
                let slope: f64 = rows.iter().zip(&rest).map(|(row, rest)| row[column] * rest).sum();
                assert!(*number >= 0.0 && slope < 1e-9, "case {case}, column {column}: {slope}");
                assert!(*number == 0.0 || slope.abs() < 1e-9, "case {case}, column {column}: {slope}");
            }
        }
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
                window_rows: 0.0,
                expanded_rows: 0.0,
                copies: 0.0,
                pairs: 0.0,
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
        let AnchoredFit { anchored, left_out } = fit_anchored(&runs, engines().machines()).expect("enough queries");
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
        // Four errors with a mean of 0 and a standard deviation of √(4 ÷ 3); t of 3 degrees of freedom at 95 % is 2.3534 in every table.
        near(error_factor(&[1.0, -1.0, 1.0, -1.0]).ln(), 2.3534 * (4.0_f64 / 3.0).sqrt(), 1e-3);
    }
}
