//! What is learned for preemption: instructions of kernels by the size of their input, and pairs that were never measured.
//!
//! Expected figures are from a script of its own (Python 3, numpy 2: `lstsq` of the design matrix in place of our sums, rows added
//! for the ridge in place of our normal equations, quantiles of Student's t by Gauss quadrature of its density).

mod laws;
mod pairs;

use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

fn is_near(found: f64, expected: f64, share: f64) -> bool {
    (found - expected).abs() <= share * expected.abs()
}

fn noise(count: usize, deviation: f64, seed: u64) -> Vec<f64> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    (0..count).map(|_| deviation * Distribution::<f64>::sample(&StandardNormal, &mut random)).collect()
}
