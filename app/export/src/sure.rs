//! How sure a search is, in words.

use crossover_quantity::unit::Unit;
use crossover_tools::search::Found;
use crossover_tools::search::sure::{Safest, Sure, Surety};
use crossover_tools::uncertainty::Sampled;
use crossover_tools::wanted::Wanted;
use crossover_tools::{Search, Searched};

use super::candidate::{goal_in_words, setting};

/// How sure what is recommended is, what is surer, and how that is known: a sentence each.
#[must_use]
pub fn surely(search: &Search, found: &Searched, sure: &Sure) -> Vec<String> {
    let mut said = Vec::new();
    if let (Some(_), [first, ..], false) = (found.recommended(), &sure.listed[..], search.limits.is_empty()) {
        said.push(format!("As recommended, it keeps every limit in {} of cases.", cases(first.keeps)));
    }
    said.extend(sure.safe.as_ref().map(|safe| safest(search, found, safe)));
    let numbers = match sure.unknown {
        1 => "the one number that is not known exactly".to_owned(),
        count => format!("{} numbers that are not known exactly", Unit::Count.format(count as f64)),
    };
    let samples = Unit::Count.format(sure.samples as f64);
    said.push(format!("Ranges hold 90 of 100 cases: {samples} samples of {numbers}; what is searched is decided for."));
    said
}

fn safest(search: &Search, found: &Searched, safe: &Safest) -> String {
    let share = Unit::Share.format(safe.share);
    let is_recommended = |of: &Found| found.recommended().is_some_and(|best| best.place == of.place);
    let described = |(of, surety): &(Found, Surety)| {
        let goal = goal_in_words(search, found, &of.values);
        format!("{}: {goal}; it keeps every limit in {} of cases", setting(found, of), cases(surety.keeps))
    };
    let looked = match safe.looked {
        1 => "the only candidate that keeps every limit as the numbers stand".to_owned(),
        looked if looked == safe.of => {
            format!("the {} candidates that keep every limit as the numbers stand", Unit::Count.format(looked as f64))
        }
        looked => format!("the best {} candidates", Unit::Count.format(looked as f64)),
    };
    match (&safe.found, &safe.surest) {
        (Some((of, _)), _) if is_recommended(of) => format!("That is at least the {share} that were asked for."),
        (Some(of), _) => format!("Best of what keeps every limit in at least {share} of cases: {}.", described(of)),
        (None, Some(of)) => {
            format!("Of {looked} none keeps every limit in {share} of cases. The surest is {}.", described(of))
        }
        (None, None) => format!("Nothing keeps every limit, so nothing does in {share} of cases."),
    }
}

/// "94.2 % ± 0.4 %".
pub(crate) fn cases(share: Sampled) -> String {
    let half = share.half_95();
    let off = if half > 0.0005 { format!(" ± {}", rounded(half)) } else { String::new() };
    format!("{}{off}", rounded(share.value))
}

/// A share to a tenth of a percent; all or nothing only where it is.
pub(crate) fn rounded(share: f64) -> String {
    let thousandths = (share * 1_000.0).round();
    let thousandths = if share > 0.0 && share < 1.0 { thousandths.clamp(1.0, 999.0) } else { thousandths };
    Unit::Share.format(thousandths / 1_000.0)
}

/// " (71 s … 95 s)"; nothing where it is known exactly.
pub(crate) fn range_in_words(figure: &Wanted, range: Option<[f64; 2]>) -> String {
    let unit = figure.figure.unit;
    // Of a decision, the other one is no range.
    let range = range.filter(|[low, high]| low < high && unit != Unit::Decision);
    range.map_or_else(String::new, |[low, high]| format!(" ({} … {})", unit.format(low), unit.format(high)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_or_nothing_is_said_only_where_it_is() {
        let said = [1.0, 0.999_51, 0.942_26, 0.000_2, 0.0].map(rounded);
        assert_eq!(said, ["100 %", "99.9 %", "94.2 %", "0.1 %", "0 %"]);
    }
}
