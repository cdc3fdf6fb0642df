//! The curves of a line chart, dashed or solid, and where they are on the screen.

use egui::{Painter, Pos2, Rect, Shape, Stroke};
use egui_plot::{PlotPoint, PlotTransform};

use crate::coincide::{Coincidences, Path, SOLID, WIDER};
use crate::lines::{LineChart, Series};

/// Lengths of a dash and of the gap after it, in points.
const DASH: [f64; 2] = [7.0, 4.0];
/// Width of a curve, in points.
pub(super) const CURVE_WIDTH: f32 = 1.8;

/// The points of a curve; those without a place are left out.
pub(super) fn places(path: &[Option<[f64; 2]>]) -> impl Iterator<Item = [f64; 2]> + '_ {
    path.iter().flatten().copied()
}

/// The same, cut where points without a place are left out.
pub(super) fn runs(path: &[Option<[f64; 2]>]) -> impl Iterator<Item = Vec<[f64; 2]>> + '_ {
    path.split(Option::is_none).filter(|run| !run.is_empty()).map(|run| places(run).collect())
}

/// The measured values of a curve in plot coordinates, and whether the curve was fitted to them.
pub(super) fn measured<'a>(chart: &'a LineChart, series: &'a Series) -> impl Iterator<Item = ([f64; 2], bool)> + 'a {
    let has_place = |([x, y], _): &([f64; 2], bool)| chart.x.has_place_for(*x) && chart.y.has_place_for(*y);
    let place = |([x, y], is_fitted): ([f64; 2], bool)| ([chart.x.to_plot(x), chart.y.to_plot(y)], is_fitted);
    series.samples.all().filter(has_place).map(place)
}

/// The curves that are dashed or coincide with others, solid ones first.
pub(super) fn curves(
    painter: &Painter,
    chart: &LineChart,
    all: &[Path],
    known: &Coincidences,
    transform: &PlotTransform,
    dark: bool,
) {
    let dashed: Vec<bool> = chart.series.iter().map(|series| series.dashed).collect();
    let drawn = |index: usize| dashed[index] || known.has(index);
    let (mut indices, mut paths): (Vec<usize>, Vec<Path>) = (Vec::new(), Vec::new());
    for index in (0..dashed.len()).filter(|index| drawn(*index)) {
        indices.push(index);
        paths.push(places(&all[index]).map(Some).collect());
    }
    let dashed: Vec<bool> = indices.iter().map(|index| dashed[*index]).collect();
    // What coincides in the whole picture may be apart in the part of it that is shown.
    let bounds = transform.bounds();
    let shown = Coincidences::new(&paths, [bounds.width(), bounds.height()]);
    let mut order: Vec<usize> = (0..indices.len()).collect();
    order.sort_by_key(|place| dashed[*place]);
    for place in order {
        let path: Vec<Pos2> = places(&paths[place]).map(|at| transform.position_from_point(&at.into())).collect();
        let color = chart.series[indices[place]].token.color(dark);
        for stretch in shown.stretches(place, path.len(), &dashed) {
            let path = &path[stretch.points];
            #[expect(clippy::cast_possible_truncation, reason = "a width on the screen")]
            let wider = if stretch.lies_on_solid { WIDER as f32 } else { 1.0 };
            let stroke = Stroke::new(CURVE_WIDTH * wider, color);
            if dashed[place] || stretch.turn.of > 1 {
                let pattern = stretch.turn.pattern(if dashed[place] { DASH } else { SOLID });
                painter.extend(dashes(path, pattern).into_iter().map(|dash| Shape::line(dash, stroke)));
            } else {
                painter.line(path.to_vec(), stroke);
            }
        }
    }
}

/// Where curves and bands are on the screen: the rectangles around their pieces.
pub(super) fn segments(chart: &LineChart, paths: &[Path], transform: &PlotTransform) -> Vec<Rect> {
    let at = |[x, y]: [f64; 2]| transform.position_from_point(&PlotPoint::new(x, y));
    let piece = |pair: &[Pos2]| Rect::from_two_pos(pair[0], pair[1]);
    let curves = paths.iter().flat_map(|path| {
        let points: Vec<Pos2> = places(path).map(at).collect();
        points.windows(2).map(piece).collect::<Vec<_>>()
    });
    let bands = chart.bands.iter().flat_map(|band| {
        let edge = |end: usize| band.points.iter().map(move |point| [point[0], point[end]]);
        let points = |end| edge(end).map(|[x, y]| at([chart.x.to_plot(x), chart.y.to_plot(y)])).collect::<Vec<Pos2>>();
        let (low, high) = (points(1), points(2));
        low.iter().zip(&high).map(|(low, high)| Rect::from_two_pos(*low, *high)).collect::<Vec<_>>()
    });
    curves.chain(bands).collect()
}

/// Cuts a path into dashes: what is drawn and what is left out, by turns. egui's own dashes snap every piece between
/// two points to whole pixels, which closes the gaps of a flat curve.
fn dashes(path: &[Pos2], pattern: [f64; 4]) -> Vec<Vec<Pos2>> {
    #[expect(clippy::cast_possible_truncation, reason = "lengths on the screen")]
    let pattern = pattern.map(|length| length as f32);
    let mut dashes = Vec::new();
    let Some(first) = path.first() else { return dashes };
    let (mut current, mut part, mut left) = (vec![*first], 0, pattern[0]);
    for ends in path.windows(2) {
        let (mut from, to) = (ends[0], ends[1]);
        while from.distance(to) > left {
            from += (to - from).normalized() * left;
            if is_drawn(part) && pattern[part] > 0.0 {
                current.push(from);
                dashes.push(std::mem::take(&mut current));
            }
            part = (part + 1) % pattern.len();
            left = pattern[part];
            current = vec![from];
        }
        left -= from.distance(to);
        if is_drawn(part) {
            current.push(to);
        }
    }
    if is_drawn(part) && current.len() > 1 {
        dashes.push(current);
    }
    dashes
}

fn is_drawn(part: usize) -> bool {
    part.is_multiple_of(2)
}
