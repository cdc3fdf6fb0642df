//! The curves as data: one chart for each operator class, for the screen and for files.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, BreakEvenMark, Labelled, LineChart, Series};
use crossover_chart::theme::Token;
use crossover_placement::{Curve, NetworkFamily, Outcome, ParameterOf, Placement, Variant};
use crossover_quantity::unit::Unit;

use super::answer;
use super::bands::{self, CurveBands};
use super::view_options::{ClassCurves, ViewOptions};

/// The title of every chart of this kind, and of its part of the page.
pub(super) const TITLE: &str = "Where is the GPU faster?";

/// A narrower plot has no room for the labels of its x axis, in points.
pub(super) const NARROWEST_PLOT: f32 = 330.0;

/// The chart of each class, with the bands of its curves.
pub(super) fn all(
    study: &Placement,
    look: &ViewOptions,
    outcome: &Outcome,
    xs: &[f64],
    classes: &[ClassCurves],
    bands: &CurveBands,
) -> Vec<LineChart> {
    let chart = |(place, class): (usize, &ClassCurves)| {
        let shown = class.curves.iter().enumerate().filter(|(_, curve)| !look.is_hidden(study, curve.variant));
        let band = |(at, curve): (usize, &Curve)| Band {
            name: bands::name(study, curve.variant),
            token: variant_token(study, curve.variant),
            points: bands.of(classes, place, at),
        };
        let bands = shown.map(band).filter(|band| !band.points.is_empty()).collect();
        chart(study, look, outcome, xs, class, bands)
    };
    classes.iter().enumerate().map(chart).collect()
}

/// The chart of one class; hidden curves are left out.
fn chart(
    study: &Placement,
    look: &ViewOptions,
    outcome: &Outcome,
    xs: &[f64],
    class: &ClassCurves,
    bands: Vec<Band>,
) -> LineChart {
    let unit = look.axis.parameter().info().unit;
    let shown: Vec<&Curve> = class.curves.iter().filter(|curve| !look.is_hidden(study, curve.variant)).collect();
    let series = shown
        .iter()
        .map(|curve| {
            let points = xs.iter().zip(&curve.speedups).map(|(x, y)| [*x, *y]).collect();
            let (name, token) = (curve.variant.label(study), variant_token(study, curve.variant));
            Series { dashed: curve.variant.compression, ..Series::line(name, token, points) }
        })
        .collect();
    let breakevens = shown
        .iter()
        .enumerate()
        .filter_map(|(series, curve)| curve.break_even.map(|found| (series, found.value)))
        .map(|(series, x)| BreakEvenMark { series, x, label: unit.format(x) })
        .collect();
    let name = &study.operators[class.operator].name;
    let (curves_for, others) = if class.group.operators.len() > 1 {
        ("curves: ", "; grey points: other operators at their own numbers")
    } else {
        ("", "")
    };
    let range = speedup_range(&shown, &bands, study.policy.threshold);
    LineChart {
        subtitle: format!("{} · {curves_for}{name}{others}", class.group.class.label()),
        answer: answer::where_gpu_is_faster(study, look.axis, std::slice::from_ref(class), outcome.summary.variant),
        bands,
        series,
        threshold: Some(study.policy.threshold),
        points: points(study, look, outcome, class),
        breakevens,
        is_editable: true,
        ..LineChart::new(
            TITLE,
            Axis {
                label: look.axis.label().to_owned(),
                format: unit.formatter(),
                scale: Scale::of(look.log_x),
                range: look.axis.window(study),
                step_unit: 1.0,
            },
            Axis {
                label: "speedup".to_owned(),
                format: Unit::Factor.formatter(),
                scale: Scale::of(look.log_y),
                range,
                step_unit: 1.0,
            },
        )
    }
}

/// The operators of a class at their own values, on the cluster's own network.
fn points(study: &Placement, look: &ViewOptions, outcome: &Outcome, class: &ClassCurves) -> Vec<Labelled> {
    let variant = outcome.summary.variant;
    let point = |operator: &usize| {
        let row = outcome.row(*operator, variant)?;
        let x = ParameterOf::of(look.axis.parameter(), *operator, variant.network).value(study)?;
        let label = study.operators[*operator].name.clone();
        // The curves are those of one operator; the others are points at their own numbers.
        let is_on_curve = *operator == class.operator;
        let token = if is_on_curve { super::side::token(row.placement) } else { Token::TextWeak };
        Some(Labelled { label, short: String::new(), x, y: row.speedup(), token })
    };
    class.group.operators.iter().filter_map(point).collect()
}

/// The range of the speedups, their bands and the threshold, with a margin.
fn speedup_range(curves: &[&Curve], bands: &[Band], threshold: f64) -> [f64; 2] {
    let ends = bands.iter().flat_map(|band| band.points.iter().flat_map(|[_, low, high]| [*low, *high]));
    let speedups = curves.iter().flat_map(|curve| curve.speedups.iter().copied()).chain(ends);
    let speedups = speedups.filter(|speedup| speedup.is_finite());
    let (low, high) =
        speedups.fold((threshold, threshold), |(low, high), speedup| (low.min(speedup), high.max(speedup)));
    [low / 1.15, high * 1.15]
}

/// Colour of a network; compression is a dash pattern.
pub(super) fn variant_token(study: &Placement, variant: Variant) -> Token {
    // A second network of a family must not look like the first.
    let family = |index: usize| study.networks[index].family;
    let rank = (0..variant.network).filter(|index| family(*index) == family(variant.network)).count();
    match (family(variant.network), rank) {
        (NetworkFamily::Ethernet, 0) => Token::Ethernet,
        (NetworkFamily::InfiniBand, 0) => Token::InfiniBand,
        _ => {
            let is_plain = |index: &usize| {
                let before = (0..*index).filter(|other| family(*other) == family(*index)).count();
                family(*index) == NetworkFamily::Other || before > 0
            };
            let others = (0..variant.network).filter(is_plain).count();
            Token::OtherNetwork(u8::try_from(others % 3).unwrap_or(0))
        }
    }
}

/// Three significant digits: the precision of a drag.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
