//! Skewed data: numbers that follow Zipf's law, and the foreign keys of a join made of them. The GPU's side is
//! `kernels/zipf.wgsl`.

use crossover_harness::generator::Generator;
use rayon::prelude::*;

/// Zipf's law over ranks 0, 1, 2 …: the probability of a rank is proportional to 1 / (rank + 1)^θ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zipf {
    /// Cumulative probability of the ranks up to this one, times 2^32; the last rank's is left out, it is 2^32.
    thresholds: Vec<u32>,
}

impl Zipf {
    /// The law over `ranks` ranks (at least 1). With θ = 0 all are equally frequent, with θ = 1 it is the law of
    /// word frequencies. Probabilities are rounded to multiples of 2^-32.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 2^32, rounded down")]
    pub fn new(ranks: u32, theta: f64) -> Self {
        let mut sums: Vec<f64> = (1..=ranks).into_par_iter().map(|rank| f64::from(rank).powf(-theta)).collect();
        let mut total = 0.0;
        for sum in &mut sums {
            total += *sum;
            *sum = total;
        }
        sums.pop();
        Self { thresholds: sums.into_par_iter().map(|sum| (sum / total * 4_294_967_296.0) as u32).collect() }
    }

    /// The rank of a uniform word: inverse transform sampling by binary search.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 ranks")]
    pub fn rank(&self, word: u32) -> u32 {
        self.thresholds.partition_point(|threshold| *threshold <= word) as u32
    }

    /// The bounds between the ranks: cumulative probabilities times 2^32, ascending, one fewer than ranks.
    #[must_use]
    pub fn thresholds(&self) -> &[u32] {
        &self.thresholds
    }
}

/// The probe side of a join. Its build side has the words of a stream at the places 0, 1, 2 … as keys, all
/// distinct. A matching row has the key at a rank; the stream scatters the frequent ranks over all keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKeys {
    /// Of the keys, of the choice which rows match, of the choice whom they match.
    streams: [Generator; 3],
    build_rows: u32,
    /// Matching rows of 2^31.
    matching: u32,
    law: Option<Zipf>,
}

impl ForeignKeys {
    /// Foreign keys of a build side with `build_rows` keys (at least 1) from the stream `keys`. A row matches with
    /// probability `match_rate`, then a rank that follows Zipf's law with this θ.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 2^31, rounded down")]
    pub fn new(keys: Generator, build_rows: u32, match_rate: f64, theta: f64) -> Self {
        let stream = |number: u32| Generator::new(keys.seed() ^ number.wrapping_mul(0x9E37_79B9));
        Self {
            streams: [keys, stream(1), stream(2)],
            build_rows,
            matching: (match_rate.clamp(0.0, 1.0) * 2_147_483_648.0) as u32,
            // Without skew a multiplication does what the search would.
            law: (theta > 0.0).then(|| Zipf::new(build_rows, theta)),
        }
    }

    /// The row of the build side that a row matches, if any.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "below the number of rows of the build side")]
    pub fn partner(&self, row: u32) -> Option<u32> {
        let [_, matching, ranks] = self.streams;
        (matching.at(row.into()) >> 1 < self.matching).then(|| match &self.law {
            Some(law) => law.rank(ranks.at(row.into())),
            None => ranks.below(row.into(), self.build_rows.into()) as u32,
        })
    }

    /// The key of a row. Rows without partner have words of the same stream behind those of the build side: as
    /// long as both sides together have at most 2^32 rows, they match nothing.
    #[must_use]
    pub fn key(&self, row: u32) -> u32 {
        let place = self.partner(row).unwrap_or_else(|| self.build_rows.wrapping_add(row));
        self.streams[0].at(place.into())
    }

    /// The keys of the first `count` rows, on all cores.
    #[must_use]
    pub fn keys(&self, count: u32) -> Vec<u32> {
        (0..count).into_par_iter().map(|row| self.key(row)).collect()
    }

    /// Rows of the build side.
    #[must_use]
    pub fn build_rows(&self) -> u32 {
        self.build_rows
    }

    /// Matching rows of 2^31.
    #[must_use]
    pub fn matching(&self) -> u32 {
        self.matching
    }

    /// Whom matching rows match; `None` if all ranks are equally frequent.
    #[must_use]
    pub fn law(&self) -> Option<&Zipf> {
        self.law.as_ref()
    }

    /// The streams of the keys, of the choice which rows match, of the choice whom they match.
    #[must_use]
    pub fn streams(&self) -> [Generator; 3] {
        self.streams
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// How often each of 1000 ranks should be drawn.
    fn expected(theta: f64, draws: u32) -> Vec<f64> {
        let weights: Vec<f64> = (1..=1000).map(|rank| 1.0 / f64::from(rank).powf(theta)).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total * f64::from(draws)).collect()
    }

    /// How often each of 1000 ranks is drawn by these words.
    fn counts(theta: f64, words: impl Iterator<Item = u32>) -> Vec<f64> {
        let law = Zipf::new(1000, theta);
        let mut counts = vec![0.0; 1000];
        for word in words {
            counts[law.rank(word) as usize] += 1.0;
        }
        counts
    }

    #[test]
    fn evenly_spread_words_are_divided_by_the_law() {
        for theta in [0.0, 0.5, 0.75, 1.0] {
            let counts = counts(theta, (0..1 << 20).map(|step| step << 12));
            for (rank, (count, expected)) in counts.into_iter().zip(expected(theta, 1 << 20)).enumerate() {
                // An interval holds one step more or less than its length in steps.
                assert!((count - expected).abs() <= 1.01, "θ = {theta}, rank {rank}: {count}, {expected}");
            }
        }
    }

    #[test]
    fn frequencies_of_random_words_follow_the_law() {
        for theta in [0.0, 0.5, 0.75, 1.0] {
            let counts = counts(theta, Generator::new(17).words(200_000).into_iter());
            let chi_square: f64 = counts
                .into_iter()
                .zip(expected(theta, 200_000))
                .map(|(count, expected)| (count - expected).powi(2) / expected)
                .sum();
            // 999 degrees of freedom: mean 999, standard deviation √1998 = 44.7; four of them either way.
            assert!((820.0..1178.0).contains(&chi_square), "θ = {theta}: {chi_square}");
        }
    }

    #[test]
    fn the_most_frequent_of_a_million_words_makes_up_a_fourteenth() {
        // 1 / H(n), and H(n) ≈ ln n + γ + 1/(2n) (Euler).
        let law = Zipf::new(1_000_000, 1.0);
        let share = f64::from(law.thresholds()[0]) / 4_294_967_296.0;
        assert!((share - 1.0 / 14.392_726_722_865).abs() < 1e-9, "{share}");
        assert_eq!((law.rank(0), law.rank(u32::MAX)), (0, 999_999));
    }

    #[test]
    fn one_rank_is_always_drawn() {
        let law = Zipf::new(1, 0.5);
        assert_eq!((law.rank(0), law.rank(u32::MAX)), (0, 0));
    }

    #[test]
    fn as_many_rows_match_as_asked_for_and_the_others_match_nothing() {
        let keys = Generator::new(9);
        let build: HashSet<u32> = keys.words(1000).into_iter().collect();
        for (rate, theta) in [(0.0, 0.0), (0.1, 0.0), (0.1, 0.75), (1.0, 0.0), (1.0, 1.0)] {
            let foreign = ForeignKeys::new(keys, 1000, rate, theta);
            let matching = foreign.keys(100_000).iter().filter(|key| build.contains(key)).count() as f64 / 1e5;
            // Five standard errors of a binomial share.
            assert!((matching - rate).abs() <= (rate * (1.0 - rate) / 1e5_f64).sqrt() * 5.0, "{rate}: {matching}");
        }
    }

    #[test]
    fn a_matching_row_has_the_key_of_its_partner() {
        let keys = Generator::new(9);
        let build = keys.words(1000);
        let foreign = ForeignKeys::new(keys, 1000, 0.5, 1.0);
        for row in 0..1000 {
            if let Some(partner) = foreign.partner(row) {
                assert_eq!(foreign.key(row), build[partner as usize]);
            }
        }
    }
}
