//! Estimators fitted to some pairs.

use std::collections::BTreeMap;

use super::effects::{Effects, Row};
use super::{Effect, Estimator, within};
use crate::study::Pair;
use crossover_measured::kernels::{ClassMean, class_means};

/// With more combinations of classes, effects within classes are not fitted: there are too few pairs for each.
const MOST_CLASSES: usize = 256;

/// A pair that was measured, the kernel with the smaller place first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    /// Their positions among all names.
    pub(super) kernels: [usize; 2],
    /// Normalised IPC of each.
    pub(super) normalised: [f64; 2],
}

impl Measured {
    /// Own kernel, other kernel and normalised IPC; once for a kernel beside itself.
    pub(super) fn speeds(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let [first, second] = self.kernels;
        let [of_first, of_second] = self.normalised;
        let both = [(first, second, of_first), (second, first, of_second)];
        both.into_iter().take(if first == second { 1 } else { 2 })
    }
}

/// Each pair of kernels once, in the order of their places.
pub(super) fn measured(pairs: &[Pair], names: &BTreeMap<String, usize>) -> Vec<Measured> {
    let mut all: BTreeMap<[usize; 2], Vec<[f64; 2]>> = BTreeMap::new();
    for pair in pairs {
        let mut normalised = [pair.first_normalised, pair.second_normalised];
        let mut kernels = [names[&pair.first], names[&pair.second]];
        if kernels[0] > kernels[1] {
            kernels.reverse();
            normalised.reverse();
        }
        if kernels[0] == kernels[1] {
            normalised = [f64::midpoint(normalised[0], normalised[1]); 2];
        }
        all.entry(kernels).or_default().push(normalised);
    }
    let mean = |(kernels, mut alike): ([usize; 2], Vec<[f64; 2]>)| {
        alike.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        let count = alike.len() as f64;
        let normalised = [0, 1].map(|side| alike.iter().map(|pair| pair[side] / count).sum());
        Measured { kernels, normalised }
    };
    all.into_iter().map(mean).collect()
}

/// Estimators fitted to some pairs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Estimators<L> {
    mean: f64,
    /// In their order.
    pub(super) classes: Vec<ClassMean<L>>,
    /// The class of each kernel.
    known: Vec<Option<L>>,
    /// Whether a kernel is in any of the pairs.
    is_measured: Vec<bool>,
    /// Without and with classes.
    effects: [Option<Effects>; 2],
}

impl<L: Copy + Ord> Estimators<L> {
    /// From at least one pair, with the class of each kernel.
    pub(super) fn from(pairs: &[&Measured], known: &[Option<L>]) -> Self {
        let of_classes = |pair: &&Measured| {
            let [first, second] = pair.kernels;
            Some(([known[first]?, known[second]?], pair.normalised))
        };
        let classes = class_means(pairs.iter().filter_map(of_classes));
        let mut is_measured = vec![false; known.len()];
        for kernel in pairs.iter().flat_map(|pair| pair.kernels) {
            is_measured[kernel] = true;
        }
        let sums: f64 = pairs.iter().map(|pair| pair.normalised[0] + pair.normalised[1]).sum();
        let mean = sums / 2.0 / pairs.len() as f64;
        let mut learned = Self { mean, classes, known: known.to_vec(), is_measured, effects: [None, None] };
        let rows = learned.rows(pairs);
        let alike: Vec<Row> = rows.iter().map(|row| Row { classes: None, ..*row }).collect();
        let count = learned.classes.len();
        let in_classes = (count <= MOST_CLASSES).then(|| Effects::fit(&rows, known.len(), count)).flatten();
        learned.effects = [Effects::fit(&alike, known.len(), 0), in_classes];
        learned
    }

    /// Whether effects within classes were fitted.
    pub(super) fn has_kernels_in_classes(&self) -> bool {
        !self.classes.is_empty() && self.effects[1].is_some()
    }

    fn rows(&self, pairs: &[&Measured]) -> Vec<Row> {
        let row = |(own, other, normalised): (usize, usize, f64)| Row {
            own,
            other,
            classes: self.place(own, other),
            log: normalised.ln(),
        };
        pairs.iter().flat_map(|pair| pair.speeds()).map(row).collect()
    }

    /// Position of the classes of two kernels among the measured ones.
    fn place(&self, own: usize, other: usize) -> Option<usize> {
        let classes = [self.known[own]?, self.known[other]?];
        self.classes.binary_search_by_key(&classes, |mean| [mean.own, mean.other]).ok()
    }

    /// Estimated normalised IPC of a kernel beside another one, and its estimator.
    pub(super) fn estimate(&self, by: Estimator, own: usize, other: usize) -> (f64, Estimator) {
        let of_kernels = match by {
            Estimator::Mean => return (within(self.mean), Estimator::Mean),
            Estimator::Classes => &None,
            Estimator::Kernels => &self.effects[0],
            Estimator::KernelsInClasses => &self.effects[1],
        };
        let are_measured = self.is_measured[own] && self.is_measured[other];
        if let Some(effects) = of_kernels.as_ref().filter(|_| are_measured) {
            let classes = (by == Estimator::KernelsInClasses).then(|| self.place(own, other)).flatten();
            return (within(effects.log(own, other, classes).exp()), by);
        }
        let classes = self.place(own, other).map(|place| (within(self.classes[place].normalised), Estimator::Classes));
        classes.unwrap_or((within(self.mean), Estimator::Mean))
    }

    /// Sensitivity and aggressiveness of every kernel that was measured.
    pub(super) fn effects(&self, names: &BTreeMap<String, usize>, pairs: &[&Measured]) -> [Vec<Effect>; 2] {
        let Some(effects) = &self.effects[0] else { return [Vec::new(), Vec::new()] };
        let rows: Vec<Row> = self.rows(pairs).into_iter().map(|row| Row { classes: None, ..row }).collect();
        let errors = effects.errors(&rows, 0);
        [0, 1].map(|side| {
            let measured = names.iter().filter(|(_, place)| self.is_measured[**place]);
            let effect = |(kernel, place): (&String, &usize)| Effect {
                kernel: kernel.clone(),
                value: effects.of_kernel(*place)[side],
                standard_error: errors.as_ref().map(|errors| errors[*place][side]),
            };
            measured.map(effect).collect()
        })
    }
}
