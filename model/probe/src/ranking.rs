//! Centres in the order of their scores, and which of them cannot be told apart.

use super::centre::OfCentre;

/// A centre in the ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rank {
    /// Its place in the study.
    pub centre: usize,
    /// 1, and one more for each centre that is better for sure.
    pub place: usize,
    /// Other centres, by their places in the study, that cannot be told apart from it.
    pub like: Vec<usize>,
}

/// Centres with a score, the best first; of equal scores the one whose probe is shorter, then the name decides.
#[must_use]
pub fn ranking(centres: &[OfCentre], names: &[&str]) -> Vec<Rank> {
    let mut order: Vec<usize> = (0..centres.len()).filter(|centre| centres[*centre].score.is_some()).collect();
    let points = |centre: usize| centres[centre].score.map_or(0.0, |score| score.points);
    let seconds = |centre: usize| centres[centre].seconds.map_or(f64::INFINITY, |seconds| seconds.mean);
    order.sort_by(|a, b| {
        points(*b)
            .total_cmp(&points(*a))
            .then(seconds(*a).total_cmp(&seconds(*b)))
            .then_with(|| names[*a].cmp(names[*b]))
    });
    let ranked = order.iter().map(|centre| {
        let others = order.iter().copied().filter(|other| other != centre);
        let (like, apart): (Vec<usize>, Vec<usize>) =
            others.partition(|other| are_alike(&centres[*centre], &centres[*other]));
        let better = apart.iter().filter(|other| points(**other) > points(*centre)).count();
        Rank { centre: *centre, place: better + 1, like }
    });
    ranked.collect()
}

/// Whether measurements do not tell two centres apart: the intervals of their scores overlap, or one of them has none, because
/// a single run says nothing of the next.
#[must_use]
pub fn are_alike(a: &OfCentre, b: &OfCentre) -> bool {
    let (Some(a), Some(b)) = (a.score, b.score) else { return false };
    match (a.interval, b.interval) {
        (Some([a_low, a_high]), Some([b_low, b_high])) => a_low <= b_high && b_low <= a_high,
        _ => true,
    }
}
