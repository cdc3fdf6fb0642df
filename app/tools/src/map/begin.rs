//! Where a map begins: its figure, and its two numbers.

use crossover_scenario::Study;
use crossover_study::numbers;
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

/// The two numbers that the usual figure depends on most.
pub(super) fn most_effect(study: &Study, ranking: &Ranking) -> Option<[Range; 2]> {
    let figure = usual_figure(&ranking.figures().collect::<Vec<_>>())?;
    two_of(study, ranking.of_figure(&figure.key).iter().map(String::as_str))
}

/// The first two numbers of the study.
pub(super) fn first_two(study: &Study) -> Option<[Range; 2]> {
    let paths: Vec<String> = numbers(study.subject()).into_iter().map(|(path, ..)| path.to_string()).collect();
    two_of(study, paths.iter().map(String::as_str))
}

/// The first two of these numbers that span decades, or the first two at all, around their present values.
fn two_of<'p>(study: &Study, paths: impl Iterator<Item = &'p str>) -> Option<[Range; 2]> {
    let points = if is_of_formulas(study.subject()) { POINTS_OF_FORMULAS } else { POINTS };
    let ranges = paths.filter_map(|path| pick::range_at(study, path, points));
    // Values that span decades are evenly spaced in their logarithm.
    let (wide, narrow): (Vec<Range>, Vec<Range>) = ranges.partition(|range| range.is_logarithmic);
    let mut ranges = wide.into_iter().chain(narrow);
    Some([ranges.next()?, ranges.next()?])
}
