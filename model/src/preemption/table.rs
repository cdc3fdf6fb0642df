//! How fast kernels run beside each other.

use super::occupancy;
use super::study::{Class, Fallback, Kernel, Order, Preemption};
use crate::provenance::Provenance;

/// Normalised instructions per cycle of kernels that share a GPU: of each beside each, by their places in the study.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    kernels: usize,
    /// Of the first beside the second, row by row.
    normalised: Vec<f64>,
    /// Whether that was measured, row by row.
    is_measured: Vec<bool>,
    classes: Vec<Class>,
    order: Order,
}

impl Table {
    /// The measured pairs of a study; for the others what holds for their classes.
    #[must_use]
    pub fn new(study: &Preemption) -> Self {
        let count = study.kernels.len();
        let classes: Vec<Class> = study.kernels.iter().map(|kernel| kernel.class).collect();
        let mut normalised = Vec::with_capacity(count * count);
        for first in &classes {
            normalised.extend(classes.iter().map(|second| of_classes(&study.fallback, *first, *second)));
        }
        let mut is_measured = vec![false; count * count];
        let place = |name: &str| study.kernels.iter().position(|kernel| kernel.name == name);
        for (row, pair) in study.pairs.iter().enumerate() {
            let (Some(first), Some(second)) = (place(&pair.first), place(&pair.second)) else { continue };
            let (mut of_first, mut of_second) = (pair.first_normalised, pair.second_normalised);
            let source = study.sources.get(&format!("pairs.{row}.first_normalised"));
            let is_guess = matches!(source, Some(Provenance::Fitted { .. }));
            if first == second {
                // Which of two that are alike is meant nobody can tell.
                of_first = f64::midpoint(of_first, of_second);
                of_second = of_first;
            }
            for (own, other, value) in [(first, second, of_first), (second, first, of_second)] {
                normalised[own * count + other] = value;
                is_measured[own * count + other] = !is_guess;
            }
        }
        Self { kernels: count, normalised, is_measured, classes, order: study.rule.order }
    }

    /// The same kernels where those that share a multiprocessor have only the blocks that dominant-resource fairness gives them:
    /// nobody is faster than its part of the blocks that it has alone.
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

    /// Whether that was measured or entered; else it is what holds for the classes, or was fitted to other pairs.
    #[must_use]
    pub fn is_measured(&self, own: usize, other: usize) -> bool {
        self.is_measured[own * self.kernels + other]
    }

    /// Normalised IPC of a kernel beside several others: the product of those beside each.
    pub(super) fn beside(&self, own: usize, others: impl Iterator<Item = usize>) -> f64 {
        others.map(|other| self.normalised(own, other)).product()
    }

    /// The largest normalised IPC of all, at least 1: nothing is faster.
    pub(super) fn fastest(&self) -> f64 {
        self.normalised.iter().copied().fold(1.0, f64::max)
    }

    /// What a combination counts: larger ones come first. `sum` is its sum of normalised IPC.
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

    /// The largest sum of normalised IPC of any set with a kernel of at most `limit`, per kernel; 1 where it is best alone.
    pub(super) fn best_sums(&self, limit: usize) -> Vec<f64> {
        let mut best = vec![1.0; self.kernels];
        if limit < 2 {
            return best;
        }
        for first in 0..self.kernels {
            for second in first..self.kernels {
                let sum = self.normalised(first, second) + self.normalised(second, first);
                // Of more than two nobody knows the best without trying all: no set of k is better than k times its fastest.
                let sum = if limit == 2 { sum } else { limit as f64 * self.fastest().powf(limit as f64 - 1.0) };
                best[first] = f64::max(best[first], sum);
                best[second] = f64::max(best[second], sum);
            }
        }
        best
    }
}

/// How a combination compares with others.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Rank {
    class: u8,
    sum: f64,
}

/// What each kernel has of the blocks that it has alone beside each other one, row by row.
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
                let of = parts(study, &[first, second]);
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

/// What each of several kernels has of the blocks that it has alone, at most all.
pub(super) fn parts(study: &Preemption, set: &[usize]) -> Vec<f64> {
    let kernels: Vec<&Kernel> = set.iter().map(|place| &study.kernels[*place]).collect();
    let blocks = occupancy::shared(&study.gpu, &kernels);
    let alone = |kernel: &Kernel| {
        let alone = occupancy::residency(&study.gpu, kernel).map_or(1.0, |found| found.per_multiprocessor);
        alone.min((kernel.blocks / study.gpu.multiprocessors).ceil())
    };
    kernels.iter().zip(blocks).map(|(kernel, blocks)| (blocks / alone(kernel)).min(1.0)).collect()
}

fn of_classes(fallback: &Fallback, own: Class, other: Class) -> f64 {
    match (own, other) {
        (Class::Memory, Class::Memory) => fallback.memory_memory,
        (Class::Memory, Class::Compute) => fallback.memory_compute,
        (Class::Compute, Class::Memory) => fallback.compute_memory,
        (Class::Compute, Class::Compute) => fallback.compute_compute,
    }
}
