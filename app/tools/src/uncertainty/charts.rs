//! The distribution of a figure, and what it depends on most, as charts.

use crossover_chart::axis::Scale;
use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::lines::{Band, Labelled, LineChart, Series};
use crossover_chart::theme::Token;
use crossover_export::axis::axis;
use crossover_export::sensitivity::{LEAST, by_label};
use crossover_export::uncertainty::WHY_UNUSUAL;
use crossover_quantity::text::{between, counted};
use crossover_quantity::unit::{Unit, share_of_samples};
use crossover_tools::Sensitivity;
use crossover_tools::sensitivity::OfFigure;
use crossover_tools::uncertainty::Distributed;
use crossover_tools::unknowns::Unknown;

/// Points of a curve.
const POINTS: usize = 201;
/// Causes that are drawn.
const MOST_CAUSES: usize = 12;

/// The share of samples up to each value, with the 5 and 95 % that lie outside. `is_decided`: whether a decision states how likely
/// the other engine is faster, so that samples do not.
pub(crate) fn distribution(figure: &Distributed, is_decided: bool) -> Option<LineChart> {
    let (least, most) = (*figure.values.first()?, *figure.values.last()?);
    let unit = figure.selected.figure.unit;
    let points: Vec<[f64; 2]> = (0..POINTS)
        .filter_map(|place| {
            let share = place as f64 / (POINTS - 1) as f64;
            Some([figure.quantile(share)?, share])
        })
        .collect();
    let [low, _, high] = figure.quantiles.map(|quantile| quantile.value);
    let now = figure.present.map(|x| Labelled {
        label: "now".to_owned(),
        short: String::new(),
        x,
        y: 1.0 - figure.at_least(x),
        token: Token::Accent,
    });
    let room = if most > least { 0.02 * (most - least) } else { 0.1 * most.abs().max(1e-9) };
    let along = axis(figure.selected.figure.label, unit, Scale::Linear, [least - room, most + room]);
    Some(LineChart {
        answer: answer(figure, is_decided, along.format),
        bands: vec![Band {
            name: "90 % interval".to_owned(),
            token: Token::Accent,
            points: vec![[low, 0.0, 1.0], [high, 0.0, 1.0]],
        }],
        series: vec![Series::line(&figure.selected.label, Token::Accent, points)],
        points: now.into_iter().collect(),
        ..LineChart::new(
            format!("Distribution of {}", figure.selected.label),
            along,
            axis("share of samples below", Unit::Share, Scale::Linear, [0.0, 1.0]),
        )
    })
}

/// "90 % interval: 1.49× … 1.9×; present value: 1.67×. At least 1× in 100 % of the samples."
/// `written` writes a value of the figure.
fn answer(figure: &Distributed, is_decided: bool, written: fn(f64) -> String) -> String {
    let unit = figure.selected.figure.unit;
    let [low, _, high] = figure.quantiles.map(|quantile| written(quantile.value));
    let mut text = format!("90 % interval: {}", between([low, high]));
    if let Some(now) = figure.present {
        text += &format!("; present value: {}", written(now));
    }
    text.push('.');
    if figure.is_unusual_now() {
        text += &format!(" The present value is outside the interval: {WHY_UNUSUAL}.");
    }
    if unit == Unit::Factor && !is_decided {
        text += &format!(" At least 1× in {} of the samples.", share_of_samples(figure.at_least(1.0)));
    }
    if figure.missing > 0 {
        text += &format!(" No value in {}.", counted(figure.missing as f64, "sample"));
    }
    text
}

/// The share of the variance of a figure that each cause explains, with the sampling error.
pub(crate) fn effects(found: &Sensitivity, figure: &OfFigure) -> BarChart {
    let row = |cause: usize| {
        let effect = figure.effects[cause];
        let (alone, all) = (effect.first.value.clamp(0.0, 1.0), effect.total.value.clamp(0.0, 1.0));
        let segment = |name: &str, token: Token, value: f64| Segment { name: name.to_owned(), token, value };
        let half = effect.total.half_95();
        let number = found.causes[cause].number(&found.unknowns);
        BarRow {
            group: number.map_or_else(|| found.causes[cause].name.clone(), Unknown::title_with_unit),
            label: String::new(),
            token: Token::Accent,
            start: 0.0,
            segments: vec![
                segment("alone", Token::Accent, alone.min(all)),
                segment("with interactions", Token::TextWeak, (all - alone).max(0.0)),
            ],
            total: all,
            // A share is at most 100 %.
            interval: half.is_finite().then(|| [(all - half).max(0.0), (all + half).min(1.0)]),
            note: String::new(),
            detail: paths(found, cause),
        }
    };
    let shown = figure.ranked().into_iter().filter(|cause| figure.effects[*cause].total.value >= LEAST);
    BarChart {
        title: format!("What does {} depend on most?", figure.selected.label),
        subtitle: "Share of its variance that a number explains (Sobol indices)".to_owned(),
        answer: crossover_export::sensitivity::answer(found, figure, by_label),
        step_unit: 1.0,
        unit_format: Unit::Share.formatter(),
        rows: shown.take(MOST_CAUSES).map(row).collect(),
    }
}

/// The paths of the numbers of a cause, one a line.
fn paths(found: &Sensitivity, cause: usize) -> String {
    let paths = found.causes[cause].numbers.iter().map(|number| found.unknowns.numbers[*number].path.as_str());
    paths.collect::<Vec<&str>>().join("\n")
}

/// How far a figure moves over the range of each number, all others unchanged, the furthest first; `None` where none moves it.
pub(crate) fn tornado(found: &Sensitivity, figure: &OfFigure) -> Option<BarChart> {
    let unit = figure.selected.figure.unit;
    let present = figure.present.filter(|present| present.is_finite())?;
    let values = figure.swings.iter().flat_map(|swing| swing.values).flatten().filter(|value| value.is_finite());
    let ends = values.fold([present; 2], |[least, most], value| [least.min(value), most.max(value)]);
    let written = unit.of_axis(ends, false).format;
    // The bars have the differences from the present value.
    let longest = ends.map(|end| (end - present).abs()).into_iter().fold(0.0, f64::max);
    let of_axis = unit.of_axis([0.0, longest], false);
    let row = |number: usize| {
        let [low, high] = figure.swings[number].values;
        let (low, high) = (low?, high?);
        let segment = |name: &str, token: Token, value: f64| Segment {
            name: name.to_owned(),
            token,
            value: (value - present).abs(),
        };
        let [least, most] = [low.min(high).min(present), low.max(high).max(present)];
        let moved = &found.unknowns.numbers[number];
        let ends = figure.swings[number].ends.map(|end| moved.quantity.unit.format(end));
        let bar = || BarRow {
            group: moved.title_with_unit(),
            label: String::new(),
            token: Token::Accent,
            start: 0.0,
            segments: vec![
                segment("number at P95", Token::Accent, high),
                segment("number at P5", Token::TextWeak, low),
            ],
            total: (high - present).abs() + (low - present).abs(),
            interval: None,
            note: format!("{} at {}, {} at {}", written(low), ends[0], written(high), ends[1]),
            detail: moved.path.clone(),
        };
        (most > least).then(|| (moved.title(), bar()))
    };
    let mut rows: Vec<(String, BarRow)> = (0..figure.swings.len()).filter_map(row).collect();
    rows.sort_by(|(_, a), (_, b)| b.total.total_cmp(&a.total));
    rows.truncate(MOST_CAUSES);
    let (furthest, first) = rows.first()?;
    Some(BarChart {
        title: format!("How far does {} move over the range of each number?", figure.selected.label),
        subtitle: format!(
            "From the present value {}; each number from its P5 to its P95, all others unchanged",
            written(present)
        ),
        answer: format!("Furthest with {furthest}: {}.", first.note),
        step_unit: of_axis.size,
        unit_format: of_axis.format,
        rows: rows.into_iter().map(|(_, bar)| bar).collect(),
    })
}

#[cfg(test)]
mod tests {
    use crossover_scenario::read;
    use crossover_study::Watch;
    use crossover_tools::{Sampling, sensitivity};

    use super::*;

    /// With few samples the interval of an index would reach beyond all of the variance.
    #[test]
    fn an_interval_of_a_share_stays_between_0_and_all_of_it() {
        let study = read(crossover_page::storage::scenario::BUILT_IN).expect("a valid example").study;
        let sampling = Sampling { samples: 64, spread_all: Some(0.3), ..Sampling::default() };
        let found = Watch::uncancellable(|watch| sensitivity(study.subject(), &sampling, watch));
        let found = found.expect("it is sampled").expect("not cancelled");
        let rows: Vec<BarRow> = found.figures.iter().flat_map(|figure| effects(&found, figure).rows).collect();
        let beyond = |row: &BarRow| row.interval.is_none_or(|[low, high]| low < 0.0 || high > 1.0 || low > high);
        assert!(!rows.is_empty() && !rows.iter().any(beyond));
    }

    /// The published name of t is “CPU time per 100 MB”, in seconds.
    #[test]
    fn bars_have_labels_with_units_and_paths_in_their_tooltips() {
        const PATH: &str = "operators.join.cpu_seconds_per_100mb";
        let study = read(crossover_page::storage::scenario::BUILT_IN).expect("a valid example").study;
        let sampling = Sampling { samples: 64, spread_all: Some(0.1), ..Sampling::default() };
        let found = Watch::uncancellable(|watch| sensitivity(study.subject(), &sampling, watch));
        let found = found.expect("it is sampled").expect("not cancelled");
        let figure = &found.figures[0];
        for chart in [effects(&found, figure), tornado(&found, figure).expect("a number moves it")] {
            let row = chart.rows.iter().find(|row| row.detail == PATH).expect("the join");
            assert_eq!(row.group, "CPU time per 100 MB (operators · join), s/100 MB");
            assert!(!chart.answer.contains("operators."), "{}", chart.answer);
        }
        let answer = effects(&found, figure).answer;
        assert!(answer.contains("CPU time per 100 MB (operators · join) "), "{answer}");
    }
}
