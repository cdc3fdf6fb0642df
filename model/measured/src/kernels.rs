//! Kernels that share a GPU.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Class of a kernel by the resource that limits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// Limited by memory.
    Memory,
    /// Limited by arithmetic.
    Compute,
}

impl Class {
    /// Both, in the order of menus.
    pub const ALL: [Self; 2] = [Self::Memory, Self::Compute];

    /// "memory-intensive".
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Memory => "memory-intensive",
            Self::Compute => "compute-intensive",
        }
    }
}

/// Mean normalised speed of kernels of one class beside kernels of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassMean<L> {
    /// Class of the kernel.
    pub own: L,
    /// Class of the kernel beside it.
    pub other: L,
    /// Mean normalised speed.
    pub normalised: f64,
    /// Standard error, assuming that no two pairs share a kernel; none for one pair.
    pub standard_error: Option<f64>,
    /// Number of pairs.
    pub pairs: usize,
}

/// Means over measured pairs of kernels, in the order of the classes. Each pair appears once, with the classes and the normalised
/// speeds of both kernels.
///
/// A pair is one measurement: for two kernels of one class, the mean of their speeds is one value.
#[must_use]
pub fn class_means<L: Copy + Ord>(pairs: impl IntoIterator<Item = ([L; 2], [f64; 2])>) -> Vec<ClassMean<L>> {
    let mut values: BTreeMap<[L; 2], Vec<f64>> = BTreeMap::new();
    for ([first, second], [of_first, of_second]) in pairs {
        if first == second {
            values.entry([first, second]).or_default().push(f64::midpoint(of_first, of_second));
        } else {
            values.entry([first, second]).or_default().push(of_first);
            values.entry([second, first]).or_default().push(of_second);
        }
    }
    let mean = |([own, other], values): ([L; 2], Vec<f64>)| {
        let pairs = values.len();
        let count = pairs as f64;
        let normalised = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - normalised).powi(2)).sum();
        let standard_error = (pairs > 1).then(|| (squares / (count - 1.0) / count).sqrt());
        ClassMean { own, other, normalised, standard_error, pairs }
    };
    values.into_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_counts_once_in_the_means_of_its_classes() {
        use Class::{Compute, Memory};
        let means = class_means([
            ([Compute, Memory], [0.8, 0.6]),
            ([Memory, Compute], [0.5, 0.9]),
            ([Memory, Memory], [0.4, 0.5]),
        ]);
        // Two values that are 0.1 apart: their standard deviation is 0.1 / √2, the standard error of their mean 0.05.
        let expected = [
            (Memory, Memory, 0.45, None, 1),
            (Memory, Compute, 0.55, Some(0.05), 2),
            (Compute, Memory, 0.85, Some(0.05), 2),
        ];
        let rounded = |value: f64| (value * 1e9).round() / 1e9;
        let found =
            means.iter().map(|of| (of.own, of.other, rounded(of.normalised), of.standard_error.map(rounded), of.pairs));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
