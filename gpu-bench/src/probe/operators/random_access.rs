//! Reads all over a table, each of which has the position of the next one: limited by memory latency.

use std::hint::black_box;

use crossover_harness::generator::mix;
use rayon::prelude::*;

use super::{Operator, Prepared, exactly};
use crate::failure::Failure;

/// Words of the table, 64 MiB: more than most caches hold.
const WORDS: usize = 1 << 23;
/// Chains of reads, which do not depend on each other: as many as large machines have threads.
pub(crate) const CHAINS: u32 = 1 << 12;
/// Reads of a chain: more than a processor looks ahead, so that it does not begin the next one meanwhile.
pub(crate) const STEPS: u32 = 64;

pub(super) const RANDOM_ACCESS: Operator = Operator {
    key: "random_access",
    true_value: 2_196_478_724_706.0,
    tolerance: 0.0,
    prepare: || Box::new(Chains::new()),
};

/// The table and what each chain adds up.
struct Chains {
    table: Vec<u64>,
    sums: Vec<u32>,
}

/// The words of the table: the upper half is added up, the lower one has the position of the next read.
#[expect(clippy::cast_possible_truncation, reason = "2^23 words")]
pub(crate) fn table() -> Vec<u64> {
    let word = |place| u64::from(mix(place)) << 32 | u64::from(mix(place ^ 0x5BD1_E995));
    (0..WORDS as u32).into_par_iter().map(word).collect()
}

/// Output: the sum over all chains.
pub(crate) fn total(sums: &[u32]) -> f64 {
    exactly(sums.iter().map(|sum| u64::from(*sum)).sum())
}

impl Chains {
    fn new() -> Self {
        Self { table: table(), sums: vec![0; CHAINS as usize] }
    }
}

impl Prepared for Chains {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "halves of words; 1 in all probability"
    )]
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        let (table, last) = (&self.table[..], WORDS as u32 - 1);
        // Other chains at another scale: they begin where the first would end.
        let first = (scale.round() as u32).wrapping_sub(1).wrapping_mul(CHAINS);
        self.sums.par_iter_mut().enumerate().for_each(|(chain, sum)| {
            let mut at = mix(first.wrapping_add(chain as u32)) & last;
            *sum = 0;
            for step in 0..STEPS {
                let word = table[at as usize];
                // 64 times 24 bits fit into 32.
                *sum += (word >> 40) as u32;
                at = (word as u32).wrapping_add(step) & last;
            }
        });
        black_box(&mut self.sums);
        Ok(())
    }

    fn value(&mut self) -> Result<f64, Failure> {
        Ok(total(&self.sums))
    }
}
