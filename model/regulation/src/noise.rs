//! Measurement noise, the same for the same seed on every machine.

use rand_distr::{Distribution as _, StandardNormal};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::study::Regulation;

/// Noise on PCIe occupancy and compute load, period by period and in it cluster by cluster; empty without noise.
/// Every cluster has its own stream, seeded by its name: it does not depend on other clusters or their order.
pub(super) fn noise(study: &Regulation, periods: usize) -> Vec<[f64; 2]> {
    let standard_deviation = study.measurement.noise_share;
    if standard_deviation == 0.0 {
        return Vec::new();
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: 0 … 1e15, whole")]
    let seed = study.run.seed as u64;
    let stream = |name: &str| Pcg64Mcg::seed_from_u64(seed.rotate_left(32) ^ fnv_1a(name));
    let mut streams: Vec<Pcg64Mcg> = study.clusters.iter().map(|cluster| stream(&cluster.name)).collect();
    let mut next = |stream: &mut Pcg64Mcg| [(); 2].map(|()| standard_deviation * sample(stream));
    (0..periods).flat_map(|_| streams.iter_mut().map(&mut next).collect::<Vec<_>>()).collect()
}

fn sample(stream: &mut Pcg64Mcg) -> f64 {
    StandardNormal.sample(stream)
}

/// The hash FNV-1a, 64 bits; the same on every machine and in every version.
/// <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>
fn fnv_1a(text: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    text.bytes().fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::fnv_1a;

    /// Test vectors of the draft.
    #[test]
    fn the_hash_is_fnv_1a() {
        for (text, expected) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            assert_eq!(fnv_1a(text), expected, "{text}");
        }
    }
}
