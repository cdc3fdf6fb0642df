//! The trade-off between two objectives, as a chart.

use crossover_chart::axis::Scale;
use crossover_chart::lines::{Labelled, LineChart, Marker, Samples, Series};
use crossover_chart::theme::Token;
use crossover_export::axis::axis as axis_of;
use crossover_quantity::text::counted;
use crossover_tools::search::Found;
use crossover_tools::selected::SelectedFigure;
use crossover_tools::{Search, Searched};

/// The Pareto front of the first two objectives; `None` with fewer than two objectives or candidates. `ranges`: the 90 % interval of
/// each figure of its first candidates.
pub(super) fn front(search: &Search, found: &Searched, ranges: &[Vec<Option<[f64; 2]>>]) -> Option<LineChart> {
    let [first, second, ..] = search.objectives.as_slice() else { return None };
    let place = |key: &str| found.figures.iter().position(|figure| figure.key == key);
    let (x, y) = (place(&first.key)?, place(&second.key)?);
    let at = |of: &Found| Some([of.values[x]?, of.values[y]?]);
    let mut points: Vec<[f64; 2]> = found.front.iter().filter_map(at).collect();
    if points.len() < 2 {
        return None;
    }
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let whiskers: Vec<[[f64; 2]; 2]> = found
        .front
        .iter()
        .zip(ranges)
        .filter_map(|(of, ranges)| Some((at(of)?, [*ranges.get(x)?, *ranges.get(y)?])))
        .flat_map(|([x, y], [along, across])| {
            let along = along.map(|ends| ends.map(|end| [end, y]));
            let across = across.map(|ends| ends.map(|end| [x, end]));
            along.into_iter().chain(across).filter(|[from, to]| from != to)
        })
        .collect();
    let now = at(&found.present);
    let axis = |figure: &SelectedFigure, place: usize| {
        let values = points.iter().chain(now.as_ref()).chain(whiskers.iter().flatten()).map(|point| point[place]);
        let [low, high] =
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)]);
        let is_logarithmic = low > 0.0 && high / low > 30.0;
        let room = if high > low { 0.05 * (high - low) } else { 0.05 * high.abs().max(1e-9) };
        let range = if is_logarithmic { [low / 1.2, high * 1.2] } else { [low - room, high + room] };
        axis_of(&figure.label, figure.figure.unit, Scale::of(is_logarithmic), range)
    };
    let [of_x, of_y] = [&found.figures[x], &found.figures[y]];
    let [begin, end] = [points[0], points[points.len() - 1]];
    let labelled =
        |label: &str, [x, y]: [f64; 2], token| Labelled { label: label.to_owned(), short: String::new(), x, y, token };
    let best = found.recommended().and_then(at);
    let (horizontal, vertical) = (axis(of_x, 0), axis(of_y, 1));
    Some(LineChart {
        answer: format!(
            "From {} and {} to {} and {}. {}",
            (horizontal.format)(begin[0]),
            (vertical.format)(begin[1]),
            (horizontal.format)(end[0]),
            (vertical.format)(end[1]),
            about_intervals(found, ranges, &whiskers)
        ),
        series: vec![Series {
            samples: Samples { marker: Marker::Square, places: points.clone(), whiskers, ..Samples::default() },
            ..Series::steps("Pareto front", Token::Accent, points.clone())
        }],
        points: best
            .map(|at| labelled("recommended", at, Token::Accent))
            .into_iter()
            .chain(now.map(|at| labelled("now", at, Token::TextWeak)))
            .collect(),
        ..LineChart::new(format!("Pareto front of {} and {}", of_x.label, of_y.label), horizontal, vertical)
    })
}

/// What the error bars are, or why there are none.
fn about_intervals(found: &Searched, ranges: &[Vec<Option<[f64; 2]>>], whiskers: &[[[f64; 2]; 2]]) -> String {
    match (ranges.len(), whiskers.is_empty()) {
        (0, _) => "No error bars: no uncertain number was sampled.".to_owned(),
        (_, true) => "No error bars: the intervals have no width.".to_owned(),
        (sampled, false) if sampled < found.front.len() => {
            let all = counted(found.front.len() as f64, "candidate");
            format!("Lines through points: 90 % intervals of the first {sampled} of {all}.")
        }
        _ => "Error bars: 90 % intervals.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crossover_study::Watch;
    use crossover_tools::search::{BUDGET, Objective, Shared};
    use crossover_tools::{Range, search};

    use super::*;

    /// Time and cost of some numbers of machines, which share the input: more machines are faster, and dearer by what each operator
    /// takes to start.
    fn searched() -> (Search, Searched) {
        let text = include_str!("../../../../scenarios/placement-modern.ron");
        let study = crossover_scenario::read(text).expect("an example").study;
        let least = |key: &str| Objective { key: key.to_owned(), is_minimised: true };
        let operators = ["filter", "project", "group by", "hash join", "regular expression", "interval join"];
        let inputs = operators.into_iter().map(|name| format!("operators.{name}.input_gb"));
        let wanted = Search {
            free: vec![Range::read(study.subject(), "cluster.machines=8..64:3", 3).expect("a range")],
            choices: Vec::new(),
            shared: vec![Shared { by: "cluster.machines".to_owned(), paths: inputs.collect() }],
            constraints: Vec::new(),
            objectives: vec![least("seconds"), least("run_usd")],
            seed: 1,
            budget: BUDGET,
        };
        let found = Watch::uncancellable(|watch| search(study.subject(), &wanted, watch));
        (wanted, found.expect("a search").expect("not cancelled"))
    }

    #[test]
    fn points_of_the_front_have_their_intervals_and_the_axes_reach_their_ends() {
        let (wanted, found) = searched();
        let [seconds, usd] = found.front[0].values[..] else { panic!("two figures: {:?}", found.front[0]) };
        let (seconds, usd) = (seconds.expect("a time"), usd.expect("a cost"));
        // The cost of this one is certain.
        let ranges = [vec![Some([seconds / 2.0, seconds * 100.0]), Some([usd, usd])]];
        let chart = front(&wanted, &found, &ranges).expect("a front");
        assert_eq!(chart.series[0].samples.whiskers, [[[seconds / 2.0, usd], [seconds * 100.0, usd]]]);
        assert!(chart.x.range[0] < seconds / 2.0 && chart.x.range[1] > seconds * 100.0, "{:?}", chart.x.range);
        let all = found.front.len();
        assert!(all > 1, "more candidates than were sampled");
        let expected = format!(" Lines through points: 90 % intervals of the first 1 of {all} candidates.");
        assert!(chart.answer.ends_with(&expected), "{}", chart.answer);
    }

    #[test]
    fn a_front_without_samples_says_that_it_has_no_intervals() {
        let (wanted, found) = searched();
        let chart = front(&wanted, &found, &[]).expect("a front");
        assert!(chart.series[0].samples.whiskers.is_empty());
        assert!(chart.answer.ends_with(" No error bars: no uncertain number was sampled."), "{}", chart.answer);
    }
}
