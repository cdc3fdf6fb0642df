//! Measurement noise, the same for the same seed on every machine.

use rand_distr::{Distribution as _, StandardNormal};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::study::Regulation;

/// Noise on transfer occupancy and compute load, period by period and in it cluster by cluster; empty without noise.
/// Every cluster has its own stream, so that another cluster does not change it.
pub(super) fn noise(study: &Regulation, periods: usize) -> Vec<[f64; 2]> {
    let deviation = study.measurement.noise_share;
    if deviation == 0.0 {
        return Vec::new();
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: 0 … 1e15, whole")]
    let seed = study.run.seed as u64;
    let mut streams: Vec<Pcg64Mcg> = (0..study.clusters.len())
        .map(|cluster| Pcg64Mcg::seed_from_u64(seed.rotate_left(32) ^ cluster as u64))
        .collect();
    let mut next = |stream: &mut Pcg64Mcg| [(); 2].map(|()| deviation * sample(stream));
    (0..periods).flat_map(|_| streams.iter_mut().map(&mut next).collect::<Vec<_>>()).collect()
}

fn sample(stream: &mut Pcg64Mcg) -> f64 {
    StandardNormal.sample(stream)
}
