//! One figure along one number, as a chart.

use crossover_files::shell::quoted;
use crossover_study::Better;
use crossover_tools::range::written;
use crossover_tools::sweep::{FigureCurve, POINTS};
use crossover_tools::titles::title_with_unit;
use crossover_tools::{Bands, Sweep, Swept};

use crossover_chart::axis::Axis;
use crossover_chart::lines::{Band, Labelled, LineChart, Series};
use crossover_chart::theme::Token;

use crate::along::{axes, now, points};

/// The curve of a figure, with the present value marked.
pub(super) fn chart(swept: &Swept, curve: &FigureCurve, bands: Option<&Bands>, is_logarithmic: bool) -> LineChart {
    let ends_of_band = bands.and_then(|bands| bands.figures.iter().find(|band| band.key == curve.key));
    let ends_of_band = ends_of_band.map_or(&[][..], |band| &band.ends);
    let known = curve.values.iter().flatten().copied();
    let [x, y] =
        axes(swept, is_logarithmic, curve.figure, known.chain(ends_of_band.iter().flatten().flatten().copied()));
    let spots = swept.values.iter().zip(ends_of_band);
    let band: Vec<[f64; 3]> = spots.filter_map(|(x, ends)| ends.map(|[low, high]| [*x, low, high])).collect();
    LineChart {
        subtitle: title_with_unit(swept.quantity, &swept.path),
        answer: answer(swept, curve, &y),
        bands: (!band.is_empty())
            .then(|| Band { name: "90 % interval".to_owned(), token: Token::Accent, points: band })
            .into_iter()
            .collect(),
        series: vec![Series::line(&curve.label, Token::Accent, points(swept, curve))],
        points: now(swept, curve)
            .map(|[x, y]| Labelled { label: "now".to_owned(), short: String::new(), x, y, token: Token::Accent })
            .into_iter()
            .collect(),
        ..LineChart::new(format!("How does {} change with {}?", curve.label, swept.quantity.label), x, y)
    }
}

/// The range of the figure, and where it is best; times have the unit of the axis of the figure.
fn answer(swept: &Swept, curve: &FigureCurve, y: &Axis) -> String {
    let written = y.format;
    let at = |value: f64| swept.quantity.unit.format(value);
    let known: Vec<[f64; 2]> = swept.values.iter().zip(&curve.values).filter_map(|(x, y)| Some([*x, (*y)?])).collect();
    let by = |a: &&[f64; 2], b: &&[f64; 2]| a[1].total_cmp(&b[1]);
    let (Some(least), Some(most)) = (known.iter().min_by(by), known.iter().max_by(by)) else {
        return "No value in this range.".to_owned();
    };
    if least[1] == most[1] {
        let is_everywhere = known.len() == swept.values.len();
        let where_to = if is_everywhere { "over the whole range" } else { "wherever it has a value" };
        return format!("Constant at {} {where_to}.", written(most[1]));
    }
    let [best, worst] = match curve.figure.better {
        Better::Lower => [least, most],
        Better::Higher | Better::Neither => [most, least],
    };
    let [first, second] = match curve.figure.better {
        Better::Neither => ["Highest", "lowest"],
        _ => ["Best", "worst"],
    };
    let now = now(swept, curve).map(|[x, y]| format!("; now {} at {}", written(y), at(x)));
    format!(
        "{first} {} at {}, {second} {} at {}{}.",
        written(best[1]),
        at(best[0]),
        written(worst[1]),
        at(worst[0]),
        now.unwrap_or_default()
    )
}

/// The same sweep on the command line.
pub(super) fn command_line(sweep: &Sweep, has_bands: bool) -> String {
    let x = quoted(&written(&sweep.x, POINTS));
    let figures = sweep.figures.iter().map(|key| format!(" --figure {}", quoted(key)));
    let bands = if has_bands { " --bands" } else { "" };
    format!("crossover sweep FILE --x {x}{}{bands}", figures.collect::<String>())
}

#[cfg(test)]
mod tests {
    use crossover_scenario::read;
    use crossover_study::Watch;
    use crossover_tools::{Range, sweep};

    use super::*;

    #[test]
    fn the_line_that_is_shown_is_read_as_the_same_sweep() {
        let text = crossover_page::storage::scenario::BUILT_IN;
        let study = read(text).expect("a valid example").study;
        for (ends, points, is_logarithmic) in [([10.0, 1000.0], 201, true), ([1.0, 9.0], POINTS, false)] {
            let x = Range { path: "cluster.machines".to_owned(), ends, points, is_logarithmic };
            let wanted = Sweep { x, figures: Vec::new() };
            let line = command_line(&wanted, false);
            let x = line.split('\'').nth(1).expect("what follows --x");
            assert_eq!(Sweep::read(study.subject(), x), Ok(wanted), "{line}");
        }
    }

    /// A figure of the published setting along a number.
    fn swept(x: &str, figure: &str) -> Swept {
        let study = read(crossover_page::storage::scenario::BUILT_IN).expect("a valid example").study;
        let wanted = Sweep::read(study.subject(), x).expect("a sweep");
        let wanted = Sweep { figures: vec![figure.to_owned()], ..wanted };
        let swept = Watch::uncancellable(|watch| sweep(study.subject(), &wanted, watch));
        swept.expect("it is swept").expect("all of it")
    }

    #[test]
    fn the_answer_says_where_it_is_best_and_what_it_is_now() {
        let swept = swept("gpu.gpu_parallelism=1..128:128", "seconds");
        let answer = chart(&swept, &swept.curves[0], None, false).answer;
        assert!(answer.starts_with("Best ") && answer.contains("; now ") && answer.ends_with(" at 64."), "{answer}");
    }

    /// From 27,000 s, which are 7.5 h, to 129,600 s, which are 36 h: all in hours, with a tick each 5 of them.
    #[test]
    fn long_times_have_one_unit_in_the_answer_and_on_the_axis() {
        let swept = swept("gpu.gpu_parallelism=1..128:2", "seconds");
        let mut curve = swept.curves[0].clone();
        (curve.values, curve.present) = (vec![Some(27_000.0), Some(129_600.0)], None);
        let chart = chart(&swept, &curve, None, false);
        assert_eq!(chart.answer, "Best 7.5 h at 1, worst 36 h at 128.");
        let labels: Vec<String> = chart.y.ticks(6).into_iter().filter_map(|tick| tick.label).collect();
        assert_eq!(labels, ["10 h", "15 h", "20 h", "25 h", "30 h", "35 h"]);
        assert_eq!(chart.y.label.rsplit_once(", "), Some((swept.curves[0].figure.label, "h")));
    }

    /// The published speedup is 2.3162× at a GPU parallelism of 64, however far from it the values of the curve are.
    #[test]
    fn the_present_figure_is_that_of_the_scenario_not_of_a_line_between_its_neighbours() {
        let swept = swept("gpu.gpu_parallelism=1..10000:2", "operators.join.speedup");
        let chart = chart(&swept, &swept.curves[0], None, false);
        assert!(chart.answer.ends_with("; now 2.316× at 64."), "{}", chart.answer);
        let [now] = &chart.points[..] else { panic!("{:?}", chart.points) };
        assert!(now.x == 64.0 && (now.y - 2.3162).abs() < 5e-5, "{now:?}");
    }
}
