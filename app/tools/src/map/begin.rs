//! Where a map begins: its figure, and its two numbers.

use crossover_scenario::Study;
use crossover_tools::Range;
use crossover_tools::batch::is_of_formulas;
use crossover_tools::map::{POINTS, usual_level};
use crossover_tools::selected::SelectedFigure;

use super::super::influence::Ranking;
use super::super::pick;

/// Values of each number of a study whose figures are formulas.
const POINTS_OF_FORMULAS: usize = 256;

/// The first figure at which a decision flips, else the first.
pub(super) fn usual_figure<'a>(figures: &[&'a SelectedFigure]) -> Option<&'a SelectedFigure> {
    let usual = |is_of_part: bool| {
        let mut figures = figures.iter().copied();
        figures.find(|one| one.figure.list.is_some() == is_of_part && usual_level(one.figure) == Some(1.0))
    };
    // Of a whole study a factor may never fall below 1, because it decides for the better.
    usual(true).or_else(|| usual(false)).or_else(|| figures.first().copied())
}

/// Where a map begins.
#[derive(Debug)]
pub(super) struct Begin {
    pub(super) ranges: [Range; 2],
    /// Key of its figure; `None`: the usual one.
    pub(super) figure: Option<String>,
}

/// The two numbers that the usual figure depends on most; if fewer than two change it, those of the first figure that two change, because
/// along the others the usual figure is constant. `None` while fewer than two numbers are known to change any figure.
pub(super) fn most_effect(study: &Study, ranking: &Ranking) -> Option<Begin> {
    let usual = usual_figure(&ranking.figures().collect::<Vec<_>>())?;
    let two = |(figure, visible): (&SelectedFigure, Vec<&str>)| {
        Some((figure.key.clone(), two_of(study, visible.into_iter())?))
    };
    let of_usual = ranking.visible().filter(|(figure, _)| figure.key == usual.key).find_map(two);
    if let Some((_, ranges)) = of_usual {
        return Some(Begin { ranges, figure: None });
    }
    if let Some((key, ranges)) = ranking.visible().find_map(two) {
        return Some(Begin { ranges, figure: Some(key) });
    }
    // No figure changes along two of them; a map along any two has at least something to change.
    let of_figure = || ranking.of_figure(&usual.key).iter().map(String::as_str);
    let others = ranking.with_effect().filter(|path| of_figure().all(|known| known != *path));
    let ranges = two_of(study, of_figure().chain(others))?;
    Some(Begin { ranges, figure: None })
}

/// The first two of these numbers that span decades, or the first two at all, around their present values.
fn two_of<'p>(study: &Study, paths: impl Iterator<Item = &'p str>) -> Option<[Range; 2]> {
    let ranges = paths.filter_map(|path| range_at(study, path));
    // Values that span decades are evenly spaced in their logarithm.
    let (wide, narrow): (Vec<Range>, Vec<Range>) = ranges.partition(|range| range.is_logarithmic);
    let mut ranges = wide.into_iter().chain(narrow);
    Some([ranges.next()?, ranges.next()?])
}

/// The range of a number that a map begins with; none if the study lacks the number.
pub(super) fn range_at(study: &Study, path: &str) -> Option<Range> {
    let points = if is_of_formulas(study.subject()) { POINTS_OF_FORMULAS } else { POINTS };
    pick::range_at(study, path, points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::influence::tests::rankings;

    /// The published study uses InfiniBand and no compression: 10 Gb Ethernet and both ratios do nothing.
    #[test]
    fn a_map_begins_with_numbers_that_change_its_figure_from_the_first_ranking_on() {
        let text = include_str!("../../../../scenarios/placement-published.ron");
        let study = crossover_scenario::read(text).expect("a valid example").study;
        for ranking in rankings(text) {
            let Begin { ranges, figure } = most_effect(&study, &ranking).expect("two numbers");
            assert_eq!(figure, None, "the usual figure depends on two numbers");
            for range in &ranges {
                let of_figures = ranking.with_effect().any(|path| path == range.path);
                let is_used = !range.path.starts_with("compression.") && !range.path.contains("Ethernet");
                assert!(of_figures && is_used, "{ranges:?}");
            }
            assert_ne!(ranges[0].path, ranges[1].path);
        }
    }
}
