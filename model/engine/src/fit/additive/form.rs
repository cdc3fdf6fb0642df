//! Forms of the time on GPUs, and the numbers that fit them to runs.
//!
//! A sum has some of the terms. It may be averaged, as a geometric mean, with a power of the data read per second of CPU time: a
//! query that reads much in little time gains less or more from GPUs than the sum says.

use crate::anchored::Anchored;
use crate::fit::reweighted::{self, smallest};
use crossover_quantity::text::counted;
use crossover_query::Volumes;

/// Numbers of the longest sum: start, share of the CPU time, read, files, spilled data, scans.
pub(super) const TERMS: usize = 6;
/// Place of the share of the CPU time.
const SHARE: usize = 1;
/// Place of the data read.
const READ: usize = 2;
/// Place of the spilled data.
const SPILLED: usize = 4;

/// What a run's time on GPUs is a sum of.
pub(super) type Row = reweighted::Row<TERMS>;

impl Row {
    /// `memory`: data of an exchange that all machines hold, GB.
    pub(super) fn new([cpu_seconds, gpu_seconds]: [f64; 2], volumes: &Volumes, memory: f64) -> Self {
        let Volumes { read_gb, files, partitioned_scans, .. } = *volumes;
        let spilled = volumes.spilled_gb(memory);
        Self { terms: [1.0, cpu_seconds, read_gb, files, spilled, partitioned_scans], measured: gpu_seconds }
    }

    /// Data read per second of CPU time, GB.
    pub(super) fn density(&self) -> f64 {
        self.terms[READ] / self.terms[SHARE]
    }
}

/// Terms of the sums: a start and a share of the CPU time, which every engine has; with the data read; all.
const SUMS: [&[usize]; 3] = [&[0, SHARE], &[0, SHARE, READ], &[0, SHARE, READ, 3, SPILLED, 5]];

/// A form of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    /// Place in [`SUMS`].
    sum: usize,
    has_density: bool,
}

impl Form {
    /// All forms, those with the fewest numbers first.
    pub(super) const ALL: [Self; 6] = [
        Self { sum: 0, has_density: false },
        Self { sum: 1, has_density: false },
        Self { sum: 0, has_density: true },
        Self { sum: 1, has_density: true },
        Self { sum: 2, has_density: false },
        Self { sum: 2, has_density: true },
    ];

    /// What the time is made of, and how many numbers were fitted.
    pub(super) fn label(self) -> String {
        let sum = ["", ", data read", ", data read, files, scans, spilled data"][self.sum];
        let density = if self.has_density { "; averaged with a power of the data read per core-second" } else { "" };
        let count = SUMS[self.sum].len() + if self.has_density { 2 } else { 0 };
        format!("start, share of the time{sum}{density} ({})", counted(count as f64, "number"))
    }
}

/// A power of the data read per second of CPU time: T = share · density^exponent · CPU time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Density {
    pub(super) share: f64,
    pub(super) exponent: f64,
    /// Smallest and largest density of the runs.
    pub(super) range: [f64; 2],
}

impl Density {
    /// The least squares of logarithms; `None` if a run reads nothing.
    fn new(rows: &[Row]) -> Option<Self> {
        let count = rows.len() as f64;
        if rows.is_empty() || rows.iter().any(|row| row.terms[READ] <= 0.0) {
            return None;
        }
        let pairs = || rows.iter().map(|row| (row.density().ln(), (row.measured / row.terms[SHARE]).ln()));
        let (sum_x, sum_y) = pairs().fold((0.0, 0.0), |(x, y), pair| (x + pair.0, y + pair.1));
        let (mean_x, mean_y) = (sum_x / count, sum_y / count);
        let (together, alone) = pairs().fold((0.0, 0.0), |(together, alone), (x, y)| {
            (together + (x - mean_x) * (y - mean_y), alone + (x - mean_x).powi(2))
        });
        let exponent = if alone > 0.0 { together / alone } else { 0.0 };
        let ends = rows
            .iter()
            .map(Row::density)
            .fold([f64::INFINITY, 0.0], |[low, high], density| [low.min(density), high.max(density)]);
        Some(Self { share: (mean_y - exponent * mean_x).exp(), exponent, range: ends })
    }

    fn seconds(&self, row: &Row) -> f64 {
        let [low, high] = self.range;
        let density = row.density().clamp(low / Anchored::DENSITY_BEYOND, high * Anchored::DENSITY_BEYOND);
        self.share * density.powf(self.exponent) * row.terms[SHARE]
    }
}

/// All forms, fitted to some runs.
pub(super) struct Fits {
    sums: [[f64; TERMS]; SUMS.len()],
    density: Option<Density>,
}

impl Fits {
    pub(super) fn new(rows: &[Row]) -> Self {
        Self { sums: SUMS.map(|terms| smallest(rows, |term| terms.contains(&term))), density: Density::new(rows) }
    }

    /// The numbers of a form; those of terms that it lacks are 0.
    pub(super) fn numbers(&self, form: Form) -> ([f64; TERMS], Option<Density>) {
        (self.sums[form.sum], if form.has_density { self.density } else { None })
    }

    /// Time of a run on GPUs in a form; `None` if the runs do not have what it needs.
    pub(super) fn seconds(&self, form: Form, row: &Row) -> Option<f64> {
        let sum = row.seconds(&self.sums[form.sum]);
        if form.has_density { Some((sum * self.density?.seconds(row)).sqrt()) } else { Some(sum) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cpu_seconds: f64, read_gb: f64, gpu_seconds: f64) -> Row {
        let volumes = Volumes { read_gb, ..Volumes::default() };
        Row::new([cpu_seconds, gpu_seconds], &volumes, 0.0)
    }

    #[test]
    fn a_power_of_the_density_is_found_and_ends_beyond_the_runs() {
        // T = 0.3 · density^0.5 · CPU time.
        let rows = [(10.0, 1.0), (20.0, 20.0), (5.0, 80.0)]
            .map(|(cpu, read): (f64, f64)| row(cpu, read, 0.3 * (read / cpu).sqrt() * cpu));
        let found = Density::new(&rows).expect("all read");
        assert!((found.share - 0.3).abs() < 1e-12 && (found.exponent - 0.5).abs() < 1e-12, "{found:?}");
        assert_eq!(found.range, [0.1, 16.0]);
        // Four times the largest density is 64: from there on it stays.
        for (read, density) in [(64.0, 64.0), (6400.0, 64.0_f64)] {
            assert!((found.seconds(&row(1.0, read, 1.0)) - 0.3 * density.sqrt()).abs() < 1e-9, "{read}");
        }
        // Of what reads nothing there is no logarithm.
        assert_eq!(Density::new(&[row(1.0, 0.0, 1.0)]), None);
    }

    #[test]
    fn the_simplest_form_comes_first_and_says_how_many_numbers_it_has() {
        let [first, .., last] = Form::ALL;
        assert_eq!(first.label(), "start, share of the time (2 numbers)");
        assert!(last.label().ends_with("(8 numbers)"), "{}", last.label());
        let count = |form: &Form| SUMS[form.sum].len() + if form.has_density { 2 } else { 0 };
        assert!(Form::ALL.is_sorted_by_key(count));
    }

    #[test]
    fn a_term_that_a_sum_lacks_is_nought() {
        let rows: Vec<Row> = (1_u8..9).map(f64::from).map(|step| row(step, 9.0 - step, 1.0 + 2.0 * step)).collect();
        let fits = Fits::new(&rows);
        let ([start, share, rest @ ..], density) = fits.numbers(Form::ALL[0]);
        assert!((start - 1.0).abs() < 1e-6 && (share - 2.0).abs() < 1e-6, "{start} {share}");
        assert_eq!((rest, density), ([0.0; 4], None));
    }
}
