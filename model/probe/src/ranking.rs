//! Ranks of centres by score, and centres without a significant difference.

use super::centre::CentreOutcome;

/// A centre in the ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rank {
    /// Its index in the study.
    pub centre: usize,
    /// One more than the number of centres that are significantly better.
    pub rank: usize,
    /// Indices of other centres without a significant difference from it.
    pub tied: Vec<usize>,
}

/// Centres with a score, the best first; equal scores are ordered by time of the probe, then by name.
#[must_use]
pub fn ranking(centres: &[CentreOutcome], names: &[&str]) -> Vec<Rank> {
    let mut order: Vec<usize> = (0..centres.len()).filter(|centre| centres[*centre].score.is_some()).collect();
    let score = |centre: usize| centres[centre].score.map_or(0.0, |score| score.value);
    let seconds = |centre: usize| centres[centre].seconds.map_or(f64::INFINITY, |seconds| seconds.mean);
    order.sort_by(|a, b| {
        score(*b).total_cmp(&score(*a)).then(seconds(*a).total_cmp(&seconds(*b))).then_with(|| names[*a].cmp(names[*b]))
    });
    let ranked = order.iter().map(|centre| {
        let others = order.iter().copied().filter(|other| other != centre);
        let (tied, different): (Vec<usize>, Vec<usize>) =
            others.partition(|other| are_tied(&centres[*centre], &centres[*other]));
        let better = different.iter().filter(|other| score(**other) > score(*centre)).count();
        Rank { centre: *centre, rank: better + 1, tied }
    });
    ranked.collect()
}

/// Whether the scores of two centres do not differ significantly: their intervals overlap, or one of them has no interval, as
/// after a single run.
#[must_use]
pub fn are_tied(a: &CentreOutcome, b: &CentreOutcome) -> bool {
    let (Some(a), Some(b)) = (a.score, b.score) else { return false };
    match (a.interval, b.interval) {
        (Some([a_low, a_high]), Some([b_low, b_high])) => a_low <= b_high && b_low <= a_high,
        _ => true,
    }
}
