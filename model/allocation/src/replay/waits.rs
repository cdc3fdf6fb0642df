//! Mean and quantiles of waits, in constant memory.

/// Buckets for each factor of ten.
const PER_DECADE: usize = 40;
/// Least wait that counts as more than 0, seconds.
const SHORTEST: f64 = 1e-3;
/// Factors of ten above it.
const DECADES: usize = 14;

/// A histogram of waits: exact mean, and quantiles within 6 %.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Waits {
    count: u64,
    sum: f64,
    longest: f64,
    /// Waits of 0, then by logarithm.
    buckets: Vec<u64>,
}

impl Default for Waits {
    fn default() -> Self {
        Self { count: 0, sum: 0.0, longest: 0.0, buckets: vec![0; PER_DECADE * DECADES + 1] }
    }
}

impl Waits {
    pub(super) fn add(&mut self, seconds: f64) {
        self.count += 1;
        self.sum += seconds;
        self.longest = self.longest.max(seconds);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and bounded")]
        let bucket =
            if seconds < SHORTEST { 0 } else { 1 + (libm::log10(seconds / SHORTEST) * PER_DECADE as f64) as usize };
        let last = self.buckets.len() - 1;
        self.buckets[bucket.min(last)] += 1;
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// 0 without tasks.
    pub(super) fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// The quantile of a share, 0 … 1: the middle of its bucket, or the longest wait if that is shorter.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let wanted = share * self.count as f64;
        let mut seen = 0;
        for (place, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen as f64 >= wanted && seen > 0 {
                let middle = (place as f64 - 0.5) / PER_DECADE as f64;
                return if place == 0 { 0.0 } else { (SHORTEST * libm::pow(10.0, middle)).min(self.longest) };
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::Waits;

    #[test]
    fn the_mean_is_exact_and_quantiles_are_within_six_percent() {
        let mut waits = Waits::default();
        for seconds in 1..=1_000 {
            waits.add(f64::from(seconds));
        }
        assert!((waits.mean() - 500.5).abs() < 1e-9);
        for (share, exact) in [(0.5, 500.0), (0.9, 900.0), (0.99, 990.0)] {
            let found = waits.quantile(share);
            assert!((found / exact - 1.0).abs() < 0.06, "{share}: {found}");
        }
    }

    #[test]
    fn tasks_that_never_wait_have_a_wait_of_zero() {
        let mut waits = Waits::default();
        assert_eq!((waits.mean(), waits.quantile(0.99)), (0.0, 0.0));
        for _ in 0..100 {
            waits.add(0.0);
        }
        waits.add(45.5);
        assert_eq!(waits.quantile(0.99), 0.0);
        // The middle of its bucket is 10^(186.5/40 − 3) = 45.97 s, above the longest wait.
        assert_eq!(waits.quantile(1.0), 45.5);
    }
}
