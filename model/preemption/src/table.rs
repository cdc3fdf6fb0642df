//! The pair table: normalised IPC of kernels that share the GPU.

use super::occupancy;
use super::study::{Kernel, Order, Preemption};
use crossover_measured::kernels::Class;

/// Basis of a normalised IPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Measured or entered.
    Measured,
    /// Estimated: fitted to other pairs.
    Fitted,
    /// Assumed from the classes of both kernels.
    Classes,
}

/// Normalised instructions per cycle of kernels that share a GPU: of each beside each, by their places in the study.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    kernels: usize,
    /// Of the first beside the second, row by row.
    normalised: Vec<f64>,
    /// Its basis, row by row.
    basis: Vec<Basis>,
    classes: Vec<Class>,
    order: Order,
}

impl Table {
    /// The values of classes for all pairs.
    pub(super) fn by_classes(study: &Preemption) -> Self {
        let count = study.kernels.len();
        let classes: Vec<Class> = study.kernels.iter().map(|kernel| kernel.class).collect();
        let mut normalised = Vec::with_capacity(count * count);
        for first in &classes {
            normalised.extend(classes.iter().map(|second| study.fallback.of(*first, *second)));
        }
        let basis = vec![Basis::Classes; count * count];
        Self { kernels: count, normalised, basis, classes, order: study.rule.order }
    }

    /// The pairs of a study; for other pairs the values of their classes.
    #[must_use]
    pub fn new(study: &Preemption) -> Self {
        let mut table = Self::by_classes(study);
        let place = |name: &str| study.kernels.iter().position(|kernel| kernel.name == name);
        for (row, pair) in study.pairs.iter().enumerate() {
            let (Some(first), Some(second)) = (place(&pair.first), place(&pair.second)) else { continue };
            let (mut of_first, mut of_second) = (pair.first_normalised, pair.second_normalised);
            let [mut by_first, mut by_second] = study.bases(row);
            if first == second {
                // Two launches of one kernel are indistinguishable; a measured number has precedence.
                let known = [by_first, by_second].map(|by| by == Basis::Measured);
                let (value, by) = match known {
                    [true, false] => (of_first, by_first),
                    [false, true] => (of_second, by_second),
                    [false, false] | [true, true] => (f64::midpoint(of_first, of_second), by_first),
                };
                (of_first, of_second, by_first, by_second) = (value, value, by, by);
            }
            for (own, other, value, by) in [(first, second, of_first, by_first), (second, first, of_second, by_second)]
            {
                table.normalised[own * table.kernels + other] = value;
                table.basis[own * table.kernels + other] = by;
            }
        }
        table
    }

    /// Moves the values of a pair towards those of another table, by a weight from 0 to 1.
    pub(super) fn learn(&mut self, [first, second]: [usize; 2], from: &Self, weight: f64) {
        let both = [(first, second), (second, first)];
        for (own, other) in both.into_iter().take(if first == second { 1 } else { 2 }) {
            let known = from.normalised(own, other);
            let value = &mut self.normalised[own * self.kernels + other];
            *value += weight * (known - *value);
        }
    }

    /// The table for kernels that share every multiprocessor by dominant-resource fairness: a kernel is at most as fast as its share
    /// of the blocks that it has alone.
    #[must_use]
    pub(super) fn partial(&self, parts: &Parts) -> Self {
        let normalised = self.normalised.iter().zip(&parts.found).map(|(whole, part)| whole.min(*part)).collect();
        Self { normalised, ..self.clone() }
    }

    /// Normalised IPC of a kernel beside another one.
    #[must_use]
    pub fn normalised(&self, own: usize, other: usize) -> f64 {
        self.normalised[own * self.kernels + other]
    }

    /// Whether it was measured or entered.
    #[must_use]
    pub fn is_measured(&self, own: usize, other: usize) -> bool {
        self.basis(own, other) == Basis::Measured
    }

    /// Basis of the normalised IPC of a kernel beside another one.
    #[must_use]
    pub fn basis(&self, own: usize, other: usize) -> Basis {
        self.basis[own * self.kernels + other]
    }

    /// Normalised IPC of a kernel beside several others: the product of those beside each.
    pub(super) fn beside(&self, own: usize, others: impl Iterator<Item = usize>) -> f64 {
        others.map(|other| self.normalised(own, other)).product()
    }

    /// The largest normalised IPC of all, at least 1.
    pub(super) fn fastest(&self) -> f64 {
        self.normalised.iter().copied().fold(1.0, f64::max)
    }

    /// Order of a combination: larger ones come first. `sum` is its sum of normalised IPC.
    pub(super) fn rank(&self, set: impl Iterator<Item = usize>, sum: f64) -> Rank {
        match self.order {
            Order::Sum => Rank { class: 0, sum },
            Order::Classes => {
                let (mut memory, mut compute) = (0, 0);
                for kernel in set {
                    match self.classes[kernel] {
                        Class::Memory => memory += 1,
                        Class::Compute => compute += 1,
                    }
                }
                let class = match (memory, compute) {
                    (0 | 1, 0) | (0, 1) => 3,
                    (0, _) => 1,
                    (_, 0) => 0,
                    _ => 2,
                };
                Rank { class, sum }
            }
        }
    }

    /// The largest sum of normalised IPC of any set with a kernel of at most `limit`, per kernel; 1 where it is best alone. Of three
    /// or more of many kernels a bound of it.
    pub(super) fn best_sums(&self, limit: usize) -> Vec<f64> {
        let mut best = vec![1.0; self.kernels];
        if limit < 2 {
            return best;
        }
        for first in 0..self.kernels {
            for second in first..self.kernels {
                let sum = self.normalised(first, second) + self.normalised(second, first);
                best[first] = f64::max(best[first], sum);
                best[second] = f64::max(best[second], sum);
            }
        }
        if limit == 2 {
            return best;
        }
        if sets(self.kernels, limit) <= MOST_SETS {
            let mut set = Vec::with_capacity(limit);
            self.every_set(limit, &mut set, &mut best);
            return best;
        }
        // A kernel of m is no faster than the mean of what it is beside each of the others, times the fastest of all for each
        // further one. Of the pairs of a set m − 1 are with the kernel, the others are no better than the best of all.
        let (fastest, best_pair) = (self.fastest(), best.iter().copied().fold(1.0, f64::max));
        for own in &mut best {
            let of = |size: usize| fastest.powf(size as f64 - 2.0) * (*own + (size as f64 - 2.0) / 2.0 * best_pair);
            *own = (2..=limit).map(of).fold(*own, f64::max);
        }
        best
    }

    /// Visits every set of up to `limit` kernels that begins with `set`, each kernel once or several times.
    fn every_set(&self, limit: usize, set: &mut Vec<usize>, best: &mut [f64]) {
        if set.len() >= limit {
            return;
        }
        for kernel in set.last().copied().unwrap_or(0)..self.kernels {
            set.push(kernel);
            let sum: f64 = (0..set.len())
                .map(|own| self.beside(set[own], (0..set.len()).filter(|other| *other != own).map(|other| set[other])))
                .sum();
            for own in set.iter() {
                best[*own] = f64::max(best[*own], sum);
            }
            self.every_set(limit, set, best);
            set.pop();
        }
    }
}

/// Most sets of kernels that are enumerated.
const MOST_SETS: f64 = 20_000.0;

/// Sets of up to so many kernels of all, each once or several times, roughly from above.
fn sets(kernels: usize, limit: usize) -> f64 {
    // Of m of n: (n + m − 1)! / (m! (n − 1)!).
    let of = |size: usize| (0..size).map(|step| (kernels + step) as f64 / (step + 1) as f64).product::<f64>();
    (1..=limit).map(of).sum()
}

/// How a combination compares with others.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Rank {
    class: u8,
    sum: f64,
}

/// Share of its blocks alone that a kernel has beside each other one, row by row.
#[derive(Debug)]
pub(super) struct Parts {
    kernels: usize,
    found: Vec<f64>,
}

impl Parts {
    pub(super) fn new(study: &Preemption) -> Self {
        let count = study.kernels.len();
        let mut found = vec![1.0; count * count];
        for first in 0..count {
            for second in first..count {
                let mut of = parts(study, &[first, second]);
                if of.iter().any(|part| *part <= 0.0) {
                    // One leaves no room for the other.
                    of = vec![0.0; 2];
                } else if first == second {
                    // Two launches of one kernel are indistinguishable.
                    of = vec![f64::midpoint(of[0], of[1]); 2];
                }
                found[first * count + second] = of[0];
                found[second * count + first] = of[1];
            }
        }
        Self { kernels: count, found }
    }

    /// Of a kernel beside another one.
    pub(super) fn beside(&self, own: usize, other: usize) -> f64 {
        self.found[own * self.kernels + other]
    }
}

/// Share of its blocks alone that each of several kernels has, at most 1.
pub(super) fn parts(study: &Preemption, set: &[usize]) -> Vec<f64> {
    let kernels: Vec<&Kernel> = set.iter().map(|place| &study.kernels[*place]).collect();
    let blocks = occupancy::shared(&study.gpu, &kernels);
    let share =
        |(kernel, blocks): (&&Kernel, f64)| (blocks / occupancy::per_multiprocessor(&study.gpu, kernel)).min(1.0);
    kernels.iter().zip(blocks).map(share).collect()
}
