//! The trade-off between two objectives, as a chart.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Labelled, LineChart, Marker, Samples, Series};
use crossover_chart::theme::Token;
use crossover_tools::search::Found;
use crossover_tools::selected::SelectedFigure;
use crossover_tools::{Search, Searched};

/// The Pareto front of the first two objectives; `None` with fewer than two objectives or candidates.
pub(super) fn front(search: &Search, found: &Searched) -> Option<LineChart> {
    let [first, second, ..] = search.objectives.as_slice() else { return None };
    let place = |key: &str| found.figures.iter().position(|figure| figure.key == key);
    let (x, y) = (place(&first.key)?, place(&second.key)?);
    let at = |of: &Found| Some([of.values[x]?, of.values[y]?]);
    let mut points: Vec<[f64; 2]> = found.front.iter().filter_map(at).collect();
    if points.len() < 2 {
        return None;
    }
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let now = at(&found.present);
    let axis = |figure: &SelectedFigure, place: usize| {
        let values = points.iter().chain(now.as_ref()).map(|point| point[place]);
        let [low, high] =
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)]);
        let is_logarithmic = low > 0.0 && high / low > 30.0;
        let room = if high > low { 0.05 * (high - low) } else { 0.05 * high.abs().max(1e-9) };
        let range = if is_logarithmic { [low / 1.2, high * 1.2] } else { [low - room, high + room] };
        Axis {
            label: figure.label.clone(),
            format: figure.figure.unit.formatter(),
            scale: Scale::of(is_logarithmic),
            range,
        }
    };
    let [of_x, of_y] = [&found.figures[x], &found.figures[y]];
    let written = |figure: &SelectedFigure, value: f64| figure.figure.unit.format(value);
    let [begin, end] = [points[0], points[points.len() - 1]];
    let labelled =
        |label: &str, [x, y]: [f64; 2], token| Labelled { label: label.to_owned(), short: String::new(), x, y, token };
    let best = found.recommended().and_then(at);
    Some(LineChart {
        title: format!("Pareto front of {} and {}", of_x.label, of_y.label),
        subtitle: String::new(),
        answer: format!(
            "From {} and {} to {} and {}.",
            written(of_x, begin[0]),
            written(of_y, begin[1]),
            written(of_x, end[0]),
            written(of_y, end[1])
        ),
        x: axis(of_x, 0),
        y: axis(of_y, 1),
        bands: Vec::new(),
        series: vec![Series {
            samples: Samples { marker: Marker::Square, places: points.clone(), ..Samples::default() },
            ..Series::steps("Pareto front", Token::Accent, points.clone())
        }],
        threshold: None,
        points: best
            .map(|at| labelled("recommended", at, Token::Accent))
            .into_iter()
            .chain(now.map(|at| labelled("now", at, Token::TextWeak)))
            .collect(),
        breakevens: Vec::new(),
        is_editable: false,
    })
}
