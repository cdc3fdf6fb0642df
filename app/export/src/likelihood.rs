//! The likelihoods of a search, in words.

use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, share_of_samples};
use crossover_tools::search::Found;
use crossover_tools::search::likelihood::{CandidateLikelihood, Likelihoods, LikelyFeasible};
use crossover_tools::selected::SelectedFigure;
use crossover_tools::uncertainty::Sampled;
use crossover_tools::{Search, Searched};

use super::candidate::{NumberNames, objective_in_words, setting};

/// The likelihood of the recommended candidate, the best likely candidate, and the sampling: a sentence each.
#[must_use]
pub fn likelihood_sentences(
    search: &Search,
    found: &Searched,
    likelihoods: &Likelihoods,
    names: NumberNames,
) -> Vec<String> {
    let mut sentences = Vec::new();
    if let (Some(_), [first, ..], false) = (found.recommended(), &likelihoods.listed[..], search.constraints.is_empty())
    {
        sentences.push(format!("The recommended candidate is {} likely to be feasible.", cases(first.feasible)));
    }
    sentences.extend(likelihoods.likely_feasible.as_ref().map(|likely| likely_feasible(search, found, likely, names)));
    let numbers = counted(likelihoods.unknown as f64, "uncertain number");
    let samples = Unit::Count.format(likelihoods.samples as f64);
    sentences.push(format!("Ranges are 90 % intervals: {samples} samples of {numbers}. Free parameters do not vary."));
    sentences
}

fn likely_feasible(search: &Search, found: &Searched, likely: &LikelyFeasible, names: NumberNames) -> String {
    let share = Unit::Share.format(likely.share);
    let is_recommended = |of: &Found| found.recommended().is_some_and(|best| best.place == of.place);
    let described = |(of, likelihood): &(Found, CandidateLikelihood)| {
        let objective = objective_in_words(search, found, &of.values);
        format!("{}: {objective}; {} likely to be feasible", setting(found, of, names), cases(likelihood.feasible))
    };
    let sampled = match likely.sampled {
        1 => "the only candidate that is feasible at the present numbers".to_owned(),
        sampled if sampled == likely.feasible => {
            format!("the {} that are feasible at the present numbers", counted(sampled as f64, "candidate"))
        }
        sampled => format!("the best {}", counted(sampled as f64, "candidate")),
    };
    match (&likely.found, &likely.likeliest) {
        (Some((of, _)), _) if is_recommended(of) => format!("That meets the required {share}."),
        (Some(of), _) => format!("Best candidate that is at least {share} likely to be feasible: {}.", described(of)),
        (None, Some(of)) => {
            format!("Of {sampled}, none is {share} likely to be feasible. The likeliest is {}.", described(of))
        }
        (None, None) => format!("No feasible candidate, so none is {share} likely to be feasible."),
    }
}

/// "94.2 % ± 0.4 %".
pub(crate) fn cases(share: Sampled) -> String {
    let half = share.half_95();
    let off = if half > 0.0005 { format!(" ± {}", share_of_samples(half)) } else { String::new() };
    format!("{}{off}", share_of_samples(share.value))
}

/// " (71 s … 95 s)"; empty where the figure is exact.
pub(crate) fn range_in_words(figure: &SelectedFigure, range: Option<[f64; 2]>) -> String {
    let unit = figure.figure.unit;
    // A decision has no range.
    let range = range.filter(|[low, high]| low < high && unit != Unit::Decision);
    range.map_or_else(String::new, |[low, high]| format!(" ({} … {})", unit.format(low), unit.format(high)))
}
