//! Sines and cosines of many angles.

use std::hint::black_box;

use rayon::prelude::*;

use super::{DOUBLE, Operator, Prepared, weighted};
use crate::failure::Failure;

/// Angles.
pub(crate) const COUNT: usize = 1 << 20;
/// Angles of one task.
const CHUNK: usize = 1 << 12;

pub(super) const TRIGONOMETRY: Operator = Operator {
    key: "trigonometry",
    true_value: 2_296_231.679_461_266_4,
    tolerance: DOUBLE,
    prepare: || Box::new(Angles::new()),
};

/// Angles, and a mixture of their sines and cosines.
struct Angles {
    angles: Vec<f64>,
    mixed: Vec<f64>,
}

/// The angle at a place, below 3; exact in single precision.
pub(crate) fn angle(place: usize) -> f64 {
    (place * 7_919 % 1_000_003) as f64 / 1_048_576.0 * 3.0
}

impl Angles {
    fn new() -> Self {
        Self { angles: (0..COUNT).into_par_iter().map(angle).collect(), mixed: vec![0.0; COUNT] }
    }
}

impl Prepared for Angles {
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        self.mixed.par_chunks_mut(CHUNK).zip(self.angles.par_chunks(CHUNK)).for_each(|(mixed, angles)| {
            for (mixed, angle) in mixed.iter_mut().zip(angles) {
                let (sine, cosine) = angle.sin_cos();
                // Two sines to one cosine: cosines alone would nearly cancel.
                *mixed = scale * (2.0 * sine + cosine);
            }
        });
        black_box(&mut self.mixed);
        Ok(())
    }

    fn value(&mut self) -> Result<f64, Failure> {
        Ok(weighted(&self.mixed))
    }
}
