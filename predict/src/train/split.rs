//! The split of runs: training, validation (early stopping) and test set.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

/// Indices of runs, each in one set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Training set.
    pub training: Vec<usize>,
    /// Validation set: early stopping, and strength of the ridge regression.
    pub validation: Vec<usize>,
    /// Test set, used only for the reported errors.
    pub test: Vec<usize>,
}

impl Split {
    /// Splits runs at random; `validation` and `test` are fractions of all, each at least one run.
    #[must_use]
    pub fn new(rows: usize, validation: f64, test: f64, random: &mut Pcg64Mcg) -> Self {
        let mut order: Vec<usize> = (0..rows).collect();
        shuffle(&mut order, random);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a fraction of the rows")]
        let count = |fraction: f64| ((rows as f64 * fraction).round() as usize).clamp(1, rows.max(1));
        let mut training = order.split_off((count(validation) + count(test)).min(rows.saturating_sub(1)));
        let validation = order.split_off(count(test).min(order.len()));
        training.shrink_to_fit();
        Self { training, validation, test: order }
    }
}

/// Puts a list in random order (Durstenfeld 1964). The bias of the remainder is below 2^-43 for a million entries.
pub(super) fn shuffle<T>(list: &mut [T], random: &mut Pcg64Mcg) {
    for last in (1..list.len()).rev() {
        #[expect(clippy::cast_possible_truncation, reason = "less than the length of the list")]
        let other = (random.next_u64() % (last as u64 + 1)) as usize;
        list.swap(last, other);
    }
}
