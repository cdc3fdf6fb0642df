//! Overlapping marks: a lower one is larger, so that a ring of each is visible. All keep their places.

/// Distance below which marks overlap, in sizes of a mark.
const NEAR: f64 = 1.5;
/// How much larger a mark is than the one on it, in sizes of a mark.
const RING: f64 = 0.6;
/// Most by which the lowest mark of a pile is larger than the usual one; the rings of higher piles are thinner.
const MOST: f64 = 2.4;

/// Size of each mark as a multiple of the usual size, in the order of drawing; `spots`: where the marks are, `size`: the usual size.
pub(super) fn sizes(spots: &[[f64; 2]], size: f64) -> Vec<f64> {
    let lies_on = |upper: usize, lower: usize| {
        let [[x, y], [other_x, other_y]] = [spots[upper], spots[lower]];
        (x - other_x).hypot(y - other_y) < NEAR * size
    };
    let mut rings = vec![0_u32; spots.len()];
    for lower in (0..spots.len()).rev() {
        let above = (lower + 1..spots.len()).filter(|upper| lies_on(*upper, lower));
        rings[lower] = above.map(|upper| rings[upper] + 1).max().unwrap_or(0);
    }
    let highest = rings.iter().copied().max().unwrap_or(0).max(1);
    let ring = RING.min(MOST / f64::from(highest));
    rings.into_iter().map(|rings| 1.0 + ring * f64::from(rings)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_below_others_is_larger_by_a_ring_for_each() {
        assert_eq!(sizes(&[[0.0, 0.0], [0.0, 0.0], [100.0, 0.0]], 5.0), [1.6, 1.0, 1.0]);
        assert_eq!(sizes(&[[0.0, 0.0]; 3], 5.0), [2.2, 1.6, 1.0]);
        // Each lies on the one before it, but not on the first.
        assert_eq!(sizes(&[[0.0, 0.0], [6.0, 0.0], [12.0, 0.0]], 5.0), [2.2, 1.6, 1.0]);
        assert_eq!(sizes(&[[0.0, 0.0], [8.0, 0.0]], 5.0), [1.0, 1.0], "apart");
        assert_eq!(sizes(&[], 5.0), [0.0; 0]);
    }

    #[test]
    fn no_mark_of_a_high_pile_has_the_size_of_another_and_none_is_huge() {
        let sizes = sizes(&[[3.0, 4.0]; 13], 5.0);
        assert!(sizes.windows(2).all(|pair| pair[0] > pair[1]), "{sizes:?}");
        assert!((sizes[0] - 3.4).abs() < 1e-9 && sizes[12] == 1.0, "{sizes:?}");
    }
}
