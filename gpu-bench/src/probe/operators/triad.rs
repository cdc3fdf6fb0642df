//! Sum of one vector and a multiple of another: as fast as memory is (the triad of the STREAM benchmark).

use std::hint::black_box;

use rayon::prelude::*;

use super::{DOUBLE, Operator, Prepared, fractions, weighted};
use crate::failure::Failure;

/// Places of each vector.
pub(crate) const COUNT: usize = 1 << 22;
/// The multiple that is added.
const FACTOR: f64 = 3.0;
/// Multiplier of the fractions of one vector.
pub(crate) const ONE: usize = 7_919;
/// Multiplier of the fractions of the other.
pub(crate) const OTHER: usize = 104_729;
/// Places of one task.
const CHUNK: usize = 1 << 14;

pub(super) const TRIAD: Operator = Operator {
    key: "triad",
    true_value: 12_468_469.453_140_259,
    tolerance: DOUBLE,
    prepare: || Box::new(Vectors::new()),
};

/// Two vectors and what becomes of them.
struct Vectors {
    one: Vec<f64>,
    other: Vec<f64>,
    sum: Vec<f64>,
}

impl Vectors {
    fn new() -> Self {
        Self { one: fractions(COUNT, ONE), other: fractions(COUNT, OTHER), sum: vec![0.0; COUNT] }
    }
}

impl Prepared for Vectors {
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        // Both are scaled, which memory leaves time for: the output is then a multiple of the scale.
        let factor = FACTOR * scale;
        let operands = self.one.par_chunks(CHUNK).zip(self.other.par_chunks(CHUNK));
        self.sum.par_chunks_mut(CHUNK).zip(operands).for_each(|(sum, (one, other))| {
            for ((sum, one), other) in sum.iter_mut().zip(one).zip(other) {
                *sum = scale * one + factor * other;
            }
        });
        black_box(&mut self.sum);
        Ok(())
    }

    fn value(&mut self) -> Result<f64, Failure> {
        Ok(weighted(&self.sum))
    }
}
