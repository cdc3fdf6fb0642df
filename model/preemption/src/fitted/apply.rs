//! Measured pairs, class means and estimated pairs become part of a study.

use std::collections::BTreeMap;

use super::{Fit, MOST_OF_CLASSES, PairEstimate, SMALLEST_ESTIMATE};
use crate::study::{Pair, Preemption};
use crossover_measured::kernels::Class;
use crossover_quantity::estimate::{FITTED_CONFIDENCE, student};
use crossover_quantity::provenance::Provenance;

impl Preemption {
    /// Replaces pairs of its kernels by measured ones of a file; returns how many.
    pub fn take_measured(&mut self, measured: impl IntoIterator<Item = Pair>, file: &str) -> usize {
        let kernels = self.classes();
        let mut places = self.places();
        let mut count = 0;
        let is_known = |pair: &Pair| kernels.contains_key(&pair.first) && kernels.contains_key(&pair.second);
        for pair in measured.into_iter().filter(is_known) {
            let key = key(&pair.first, &pair.second);
            let sources = [imported(file), imported(file)];
            let Some(place) = self.put_sourced(places.get(&key).copied(), pair, sources) else { continue };
            places.insert(key, place);
            count += 1;
        }
        count
    }

    /// Replaces the class means by those of a fit to the pairs of a file; returns how many.
    pub fn take_class_means(&mut self, fit: &Fit<Class>, file: &str) -> usize {
        self.fallback = fit.fallback(&self.fallback);
        for mean in &fit.classes {
            // The mean of a single pair is the number in the file, without an interval.
            let source = mean.standard_error.map_or_else(
                || imported(file),
                |error| {
                    let half = student(mean.pairs as f64 - 1.0, FITTED_CONFIDENCE) * error;
                    let ends = [mean.normalised - half, mean.normalised + half];
                    fitted(file, ends.map(|end| end.clamp(SMALLEST_ESTIMATE, MOST_OF_CLASSES)))
                },
            );
            let field = match (mean.own, mean.other) {
                (Class::Memory, Class::Memory) => "memory_memory",
                (Class::Memory, Class::Compute) => "memory_compute",
                (Class::Compute, Class::Memory) => "compute_memory",
                (Class::Compute, Class::Compute) => "compute_compute",
            };
            self.sources.insert(format!("fallback.{field}"), source);
        }
        fit.classes.len()
    }

    /// Adds an estimate of every pair of its kernels that was neither measured nor entered, by a fit to the pairs of a file; replaces
    /// earlier estimates. Returns how many.
    pub fn take_estimates(&mut self, fit: &Fit<Class>, file: &str) -> usize {
        let places = self.places();
        let names: Vec<String> = self.kernels.iter().map(|kernel| kernel.name.clone()).collect();
        let mut count = 0;
        for (from, first) in names.iter().enumerate() {
            for second in &names[from..] {
                let place = places.get(&key(first, second)).copied();
                if place.is_some_and(|place| !self.is_unmeasured(place)) {
                    continue;
                }
                let Some(estimate) = fit.estimate(first, second) else { continue };
                let PairEstimate { first_normalised, second_normalised, first_interval, second_interval, .. } =
                    estimate;
                let pair = Pair { first: first.clone(), second: second.clone(), first_normalised, second_normalised };
                let sources = [first_interval, second_interval].map(|interval| fitted(file, interval));
                count += usize::from(self.put_sourced(place, pair, sources).is_some());
            }
        }
        count
    }

    /// The class of each kernel, by its name.
    #[must_use]
    pub fn classes(&self) -> BTreeMap<String, Class> {
        self.kernels.iter().map(|kernel| (kernel.name.clone(), kernel.class)).collect()
    }

    /// The position of each pair.
    fn places(&self) -> BTreeMap<[String; 2], usize> {
        self.pairs.iter().enumerate().map(|(place, pair)| (key(&pair.first, &pair.second), place)).collect()
    }

    /// Returns the position; none, without a change, if the study has the most pairs already.
    fn put_sourced(&mut self, place: Option<usize>, pair: Pair, sources: [Provenance; 2]) -> Option<usize> {
        let place = self.put_pair_at(place, pair)?;
        let numbers = [&Pair::FIRST_NORMALISED, &Pair::SECOND_NORMALISED];
        let paths = numbers.map(|number| format!("pairs.{place}.{}", number.key));
        self.sources.extend(paths.into_iter().zip(sources));
        Some(place)
    }
}

/// Both names in alphabetical order.
fn key(first: &str, second: &str) -> [String; 2] {
    let mut key = [first.to_owned(), second.to_owned()];
    key.sort_unstable();
    key
}

fn imported(file: &str) -> Provenance {
    Provenance::Imported { file: file.to_owned() }
}

fn fitted(file: &str, [low, high]: [f64; 2]) -> Provenance {
    Provenance::Fitted { runs: format!("pairs of {file}"), interval: (low, high) }
}
