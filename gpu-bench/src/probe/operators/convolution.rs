//! Convolution of images of many channels with filters of 3 × 3 points, as a layer of a network does it.

#![expect(clippy::inline_always, reason = "vector instructions are in force only in what is inlined")]

use std::hint::black_box;

use rayon::prelude::*;

use super::{Operator, Prepared, SINGLE, single_fractions, weighted};
use crate::failure::Failure;

/// Images.
pub(crate) const IMAGES: usize = 32;
/// Channels of an image, and of a result: each of these has a filter for each of those.
pub(crate) const FILTERS: usize = 16;
/// Points of a result along an edge.
pub(crate) const SIDE: usize = 64;
/// Points of an image along an edge: one more on both ends.
const PADDED: usize = SIDE + 2;
/// Points of a filter along an edge.
const TAPS: usize = 3;

pub(super) const CONVOLUTION: Operator = Operator {
    key: "convolution",
    true_value: 111_723_679.611_571_94,
    tolerance: SINGLE,
    prepare: || Box::new(Layer::new()),
};

/// Images by channel and row, filters by result and channel, results by image.
struct Layer {
    images: Vec<f32>,
    filters: Vec<f32>,
    results: Vec<f32>,
}

/// All images, channel by channel, row by row.
pub(crate) fn images() -> Vec<f32> {
    single_fractions(IMAGES * FILTERS * PADDED * PADDED, 7_919)
}

/// The filters, by channel of the result and channel of the image, row by row.
pub(crate) fn filters() -> Vec<f32> {
    single_fractions(FILTERS * FILTERS * TAPS * TAPS, 104_729)
}

impl Layer {
    fn new() -> Self {
        Self { images: images(), filters: filters(), results: vec![0.0; IMAGES * FILTERS * SIDE * SIDE] }
    }
}

impl Prepared for Layer {
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        let (images, filters, arch) = (&self.images, &self.filters, pulp::Arch::new());
        self.results.par_chunks_mut(SIDE * SIDE).enumerate().for_each(|(plane, result)| {
            let (image, filter) = (plane / FILTERS, plane % FILTERS);
            let image = &images[image * FILTERS * PADDED * PADDED..][..FILTERS * PADDED * PADDED];
            let filter = &filters[filter * FILTERS * TAPS * TAPS..][..FILTERS * TAPS * TAPS];
            arch.dispatch(
                #[inline(always)]
                || convolve(image, filter, scale, result),
            );
        });
        black_box(&mut self.results);
        Ok(())
    }

    fn value(&mut self) -> Result<f64, Failure> {
        Ok(weighted(&self.results))
    }
}

/// One channel of the result: each row is the sum of rows of the image, shifted and weighted.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a factor of about 1")]
fn convolve(image: &[f32], filter: &[f32], scale: f64, result: &mut [f32]) {
    let (rows, _) = result.as_chunks_mut::<SIDE>();
    for (y, row) in rows.iter_mut().enumerate() {
        let mut sums = [0.0_f32; SIDE];
        for (channel, filter) in image.chunks_exact(PADDED * PADDED).zip(filter.chunks_exact(TAPS * TAPS)) {
            for (tap, weight) in filter.iter().enumerate() {
                let start = (y + tap / TAPS) * PADDED + tap % TAPS;
                for (sum, point) in sums.iter_mut().zip(&channel[start..start + SIDE]) {
                    *sum += weight * point;
                }
            }
        }
        for (to, sum) in row.iter_mut().zip(sums) {
            *to = scale as f32 * sum;
        }
    }
}
