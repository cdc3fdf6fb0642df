//! A line chart in the window.

mod crosshair;
mod curves;

use std::hash::Hash;

use egui::{Align2, FontId, Id, Margin, Painter, Pos2, Rect, Response, RichText, Shape, Stroke, Ui, vec2};
use egui_plot::{FilledArea, GridInput, GridMark, HLine, Line, Plot, PlotPoint, PlotPoints, PlotTransform, Points};

use self::crosshair::crosshair;
use self::curves::{CURVE_WIDTH, curves, measured, places, runs, segments};
use super::gestures::{self, Gesture};
use super::names::{Names, Place};
use super::zoom;
use crate::axis::{Axis, Scale};
use crate::coincide::Path;
use crate::lines::{BAND_TINT, Labelled, LineChart, WHISKER, full_stopped};
use crate::theme::Token;

/// About as many ticks have a label, and fewer in plots that are lower than this, in points.
const MOST_LABELS: usize = 7;
const LOW: f32 = 160.0;
/// Least width of the y axis of a chart that is stacked with others, in points.
const STACKED_Y_AXIS: f32 = 88.0;
/// Distance of a marker's corners from its middle, in points.
const MARKER_SIZE: f32 = 4.5;

/// Draws a line chart without its title; `id` keeps its zoom apart from other charts'.
pub fn show(
    ui: &mut Ui,
    id: impl Hash + std::fmt::Debug,
    chart: &LineChart,
    pinned_x: Option<f64>,
    height: f32,
) -> Option<Gesture> {
    draw(ui, id, chart, pinned_x, height, false)
}

/// The same above or below others with the same x axis: their plots begin at the same place.
pub fn show_stacked(
    ui: &mut Ui,
    id: impl Hash + std::fmt::Debug,
    chart: &LineChart,
    pinned_x: Option<f64>,
    height: f32,
) -> Option<Gesture> {
    draw(ui, id, chart, pinned_x, height, true)
}

fn draw(
    ui: &mut Ui,
    id: impl Hash + std::fmt::Debug,
    chart: &LineChart,
    pinned_x: Option<f64>,
    height: f32,
    is_stacked: bool,
) -> Option<Gesture> {
    let dark = ui.visuals().dark_mode;
    let name = format!("{id:?}");
    let part = zoom::take(ui.ctx(), &name, chart);
    let is_placed = part.is_some();
    let id = Id::unique((&id, chart.x.scale as u8, chart.y.scale as u8, &chart.x.label));
    let most_labels = if height < LOW { 3 } else { MOST_LABELS };
    // Room for whole marks at the ends.
    let has_samples = chart.series.iter().any(|series| series.samples.all().next().is_some());
    let plot = Plot::new(id)
        .height(height)
        .allow_scroll(false)
        .show_x(false)
        .show_y(false)
        .show_crosshair(false)
        .grid_color(Token::Grid.color(dark))
        .grid_fade(0.0)
        .set_margin_fraction(vec2(if has_samples { 0.03 } else { 0.0 }, 0.06))
        .y_axis_label(RichText::new(&chart.y.label).small())
        .x_grid_spacer(|input| grid(&chart.x, &input, MOST_LABELS))
        .y_grid_spacer(|input| grid(&chart.y, &input, most_labels))
        .x_axis_formatter(|mark, _| tick_text(&chart.x, mark))
        .y_axis_formatter(|mark, _| tick_text(&chart.y, mark));
    // Charts over time are stacked: their plots begin at the same x and end where the run ends.
    let is_time = chart.x.scale == Scale::Time;
    let plot = if is_time || is_stacked { plot.y_axis_min_width(STACKED_Y_AXIS) } else { plot };
    let paths = chart.paths();
    let coinciding = chart.coinciding(&paths);
    let notes = chart.sentences(&coinciding);
    let plot = if is_time {
        let ([from, to], [low, high]) = (chart.x.bounds(), chart.y.bounds());
        let plot = plot.include_x(from).include_x(to).include_y(low).include_y(high);
        // Below, room that keeps the lowest label of one axis off the first of the other.
        plot.set_margin_fraction(vec2(0.0, 0.07))
    } else {
        // Ticks of a time say what they are.
        plot.x_axis_label(RichText::new(&chart.x.label).small())
    };
    // Room on the right for half of the last label.
    let shown = egui::Frame::NONE.inner_margin(Margin { right: 16, ..Margin::ZERO }).show(ui, |ui| {
        plot.show(ui, |plot| {
            if let Some(part) = part {
                plot.set_plot_bounds(part);
            }
            for band in &chart.bands {
                let column = |at: usize, axis: &Axis| -> Vec<f64> {
                    band.points.iter().map(|point| axis.to_plot(point[at])).collect()
                };
                let (xs, low, high) = (column(0, &chart.x), column(1, &chart.y), column(2, &chart.y));
                #[expect(clippy::cast_possible_truncation, reason = "an opacity between 0 and 1")]
                let fill = band.token.color(dark).gamma_multiply(BAND_TINT as f32);
                let area = FilledArea::new(band.name.clone(), &xs, &low, &high).fill_color(fill);
                plot.add(area.allow_hover(false));
            }
            for (index, (series, path)) in chart.series.iter().zip(&paths).enumerate() {
                if series.dashed || coinciding.has(index) {
                    let places: PlotPoints<'_> = places(path).collect();
                    // Painted below; here it only takes part in the automatic bounds.
                    plot.points(Points::new(series.name.clone(), places).radius(0.0).allow_hover(false));
                } else {
                    let color = series.token.color(dark);
                    for run in runs(path) {
                        // The bands that dense curves may be drawn as would fill the corner of a single jump.
                        let line = Line::new(series.name.clone(), PlotPoints::from(run)).allow_band(false);
                        plot.line(line.color(color).width(CURVE_WIDTH).allow_hover(false));
                    }
                }
            }
            if let Some(threshold) = chart.threshold {
                let color = Token::Threshold.color(dark);
                plot.hline(
                    HLine::new("threshold", chart.y.to_plot(threshold)).color(color).width(1.2).allow_hover(false),
                );
            }
            // Invisible: keeps every named point inside the automatic bounds.
            let places: PlotPoints<'_> =
                chart.placed_points().map(|(_, point)| [chart.x.to_plot(point.x), chart.y.to_plot(point.y)]).collect();
            plot.points(Points::new("operators", places).radius(0.0).allow_hover(false));
            let places: PlotPoints<'_> =
                chart.series.iter().flat_map(|series| measured(chart, series)).map(|(place, _)| place).collect();
            plot.points(Points::new("samples", places).radius(0.0).allow_hover(false));
            let ends: PlotPoints<'_> = chart
                .series
                .iter()
                .flat_map(|series| series.samples.placed_whiskers(&chart.x, &chart.y))
                .flatten()
                .map(|[x, y]| [chart.x.to_plot(x), chart.y.to_plot(y)])
                .collect();
            plot.points(Points::new("intervals", ends).radius(0.0).allow_hover(false));
            plot.auto_bounds()
        })
    });
    let shown = shown.inner;
    let transform = shown.transform;
    let is_whole = shown.inner.x && shown.inner.y && !is_placed;
    zoom::keep(ui.ctx(), &name, chart, (!is_whole).then(|| transform.bounds()));
    let place = |x: f64, y: f64| transform.position_from_point(&PlotPoint::new(chart.x.to_plot(x), chart.y.to_plot(y)));
    describe(&shown.response, chart, &notes);
    let painter = ui.painter().with_clip_rect(*transform.frame());
    curves(&painter, chart, &paths, &coinciding, &transform, dark);
    let drawn = samples(&painter, chart, &place, dark);
    let mut taken = sides(ui, chart, &transform, dark);
    taken.extend(note(&painter, chart, &paths, &notes, &transform, &taken, dark));
    // Names do not cover marks that have no curve.
    let named = chart.placed_points().filter(|(_, point)| chart.is_marked(point));
    let named: Vec<Pos2> = named.map(|(_, point)| place(point.x, point.y)).collect();
    taken.extend(drawn.into_iter().filter(|(at, _)| named.contains(at)).map(|(_, rect)| rect));
    marks(ui, chart, &place, *transform.frame(), taken, dark);
    let (gesture, is_over_handle) = gestures::read(ui, id, chart, &shown.response, &transform);
    let hovered = shown.response.hover_pos().filter(|pos| transform.frame().contains(*pos) && !is_over_handle);
    let pointed = hovered.map(|pos| marks_at(chart, &place, pos)).unwrap_or_default();
    if !pointed.is_empty() {
        shown.response.clone().on_hover_ui_at_pointer(|ui| {
            for (place, point) in &pointed {
                ui.strong(point.name());
                let of_axes = || [(chart.x.format)(point.x), (chart.y.format)(point.y)];
                let values = chart.readings.get(*place).cloned().unwrap_or_else(of_axes);
                for (axis, value) in [&chart.x, &chart.y].into_iter().zip(values) {
                    ui.label(format!("{}: {value}", axis.label));
                }
            }
        });
    }
    crosshair(ui, chart, &shown.response, &transform, pinned_x, hovered.filter(|_| pointed.is_empty()));
    gesture
}

/// Says which curves coincide in a corner that is free; gives its place, if there is one. It must not hide what it
/// speaks of: where there is no room, the name of the chart says it.
fn note(
    painter: &Painter,
    chart: &LineChart,
    paths: &[Path],
    notes: &[String],
    transform: &PlotTransform,
    taken: &[Rect],
    dark: bool,
) -> Option<Rect> {
    if notes.is_empty() {
        return None;
    }
    let frame = *transform.frame();
    let drawn = segments(chart, paths, transform);
    let color = Token::TextWeak.color(dark);
    let galley = painter.layout(notes.join("\n"), FontId::proportional(12.0), color, (frame.width() - 12.0).max(0.0));
    let corners = [
        (Align2::RIGHT_TOP, frame.right_top() + vec2(-6.0, 4.0)),
        (Align2::LEFT_BOTTOM, frame.left_bottom() + vec2(6.0, -4.0)),
        (Align2::LEFT_TOP, frame.left_top() + vec2(6.0, 4.0)),
    ];
    let places = corners.map(|(anchor, corner)| anchor.anchor_size(corner, galley.size()));
    let is_free = |place: &&Rect| taken.iter().chain(&drawn).all(|taken| !taken.intersects(place.expand(2.0)));
    let place = *places.iter().find(is_free)?;
    painter.rect_filled(place.expand(2.0), 2.0, Token::Background.color(dark).gamma_multiply(0.8));
    painter.galley(place.min, galley, color);
    Some(place)
}

/// What an assistive technology reads instead of the picture.
fn describe(response: &Response, chart: &LineChart, notes: &[String]) {
    let text = format!("{} {} {} {}", chart.title, chart.subtitle, chart.answer, full_stopped(notes));
    let text = text.trim_end().to_owned();
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, text.clone()));
}

/// Grid lines and their weights; a larger step is drawn stronger.
fn grid(axis: &Axis, input: &GridInput, most_labels: usize) -> Vec<GridMark> {
    let visible = visible(axis, input.bounds);
    let ticks = visible.ticks(most_labels);
    // A plot hides the labels of steps that are small on the screen.
    let labelled = if most_labels < MOST_LABELS { 1.0 } else { 4.0 };
    let span = (input.bounds.1 - input.bounds.0).abs();
    ticks
        .into_iter()
        .map(|tick| GridMark {
            value: axis.to_plot(tick.value),
            step_size: if tick.label.is_some() { span / labelled } else { span / 40.0 },
        })
        .collect()
}

/// The axis with the range that is on screen.
fn visible(axis: &Axis, bounds: (f64, f64)) -> Axis {
    Axis { range: [axis.from_plot(bounds.0), axis.from_plot(bounds.1)], ..axis.clone() }
}

/// Only labelled ticks come with a wide step.
fn tick_text(axis: &Axis, mark: GridMark) -> String {
    let text = (axis.format)(axis.from_plot(mark.value));
    if mark.step_size > 0.0 { text } else { String::new() }
}

/// Tints the GPU's side above the threshold and the CPU's side below, and names them and the threshold; gives the
/// places of the names.
fn sides(ui: &Ui, chart: &LineChart, transform: &PlotTransform, dark: bool) -> Vec<Rect> {
    let mut taken = Vec::new();
    let Some(threshold) = chart.threshold else { return taken };
    let frame = *transform.frame();
    let middle = transform.position_from_point_y(chart.y.to_plot(threshold)).clamp(frame.top(), frame.bottom());
    let painter = ui.painter().with_clip_rect(frame);
    let mut name = |corner: Pos2, anchor: Align2, text: String, token: Token| {
        let galley = painter.layout_no_wrap(text, FontId::proportional(12.0), token.text(dark));
        let rect = anchor.anchor_size(corner, galley.size());
        painter.rect_filled(rect.expand(2.0), 2.0, Token::Background.color(dark).gamma_multiply(0.8));
        painter.galley(rect.min, galley, token.text(dark));
        taken.push(rect);
    };
    for (token, rect, side, anchor, corner) in [
        (
            Token::Gpu,
            Rect::from_min_max(frame.min, Pos2::new(frame.right(), middle)),
            "GPU faster",
            Align2::LEFT_TOP,
            frame.left_top() + vec2(6.0, 4.0),
        ),
        (
            Token::Cpu,
            Rect::from_min_max(Pos2::new(frame.left(), middle), frame.max),
            "CPU faster",
            Align2::RIGHT_BOTTOM,
            frame.right_bottom() + vec2(-6.0, -4.0),
        ),
    ] {
        painter.rect_filled(rect, 0.0, token.color(dark).gamma_multiply(0.07));
        if rect.height() > 16.0 {
            name(corner, anchor, side.to_owned(), token);
        }
    }
    let y = transform.position_from_point_y(chart.y.to_plot(threshold));
    if frame.y_range().contains(y) {
        let is_near_top = y - frame.top() < 20.0;
        let (anchor, away) = if is_near_top { (Align2::RIGHT_TOP, 4.0) } else { (Align2::RIGHT_BOTTOM, -4.0) };
        let text = format!("threshold {}", (chart.y.format)(threshold));
        name(Pos2::new(frame.right() - 6.0, y + away), anchor, text, Token::Text);
    }
    taken
}

/// Draws the marks of all series; returns the position of each, with the square around it.
fn samples(painter: &Painter, chart: &LineChart, place: &impl Fn(f64, f64) -> Pos2, dark: bool) -> Vec<(Pos2, Rect)> {
    let has_place = |[x, y]: &[f64; 2]| chart.x.has_place_for(*x) && chart.y.has_place_for(*y);
    let spot = |at: [f64; 2]| {
        let at = Some(at).filter(has_place).map(|[x, y]| place(x, y))?;
        Some([f64::from(at.x), f64::from(at.y)])
    };
    let background = Token::Background.color(dark);
    let mut drawn = Vec::new();
    for (series, sizes) in chart.series.iter().zip(chart.mark_sizes(spot, f64::from(MARKER_SIZE))) {
        let color = series.token.color(dark);
        #[expect(clippy::cast_possible_truncation, reason = "a width on the screen")]
        let whisker = Stroke::new(CURVE_WIDTH * WHISKER as f32, color);
        for ends in series.samples.placed_whiskers(&chart.x, &chart.y) {
            painter.line_segment(ends.map(|[x, y]| place(x, y)), whisker);
        }
        for (([x, y], is_fitted), larger) in series.samples.all().zip(sizes).filter(|((at, _), _)| has_place(at)) {
            #[expect(clippy::cast_possible_truncation, reason = "a size on the screen")]
            let size = MARKER_SIZE * larger as f32;
            let at = place(x, y);
            let corner = |[dx, dy]: &[f32; 2]| at + size * vec2(*dx, *dy);
            let corners: Vec<Pos2> = series.samples.marker.corners().iter().map(corner).collect();
            let (fill, outline) = if is_fitted { (color, background) } else { (background, color) };
            painter.add(Shape::convex_polygon(corners, fill, Stroke::new(1.0, outline)));
            drawn.push((at, Rect::from_center_size(at, vec2(2.0 * size, 2.0 * size))));
        }
    }
    drawn
}

/// The named marks without a curve that the pointer is at, with their places among the points.
fn marks_at<'c>(chart: &'c LineChart, place: &impl Fn(f64, f64) -> Pos2, pos: Pos2) -> Vec<(usize, &'c Labelled)> {
    let is_near = |point: &Labelled| place(point.x, point.y).distance(pos) <= 2.0 * MARKER_SIZE;
    chart.placed_points().filter(|&(_, point)| chart.is_marked(point) && is_near(point)).collect()
}

/// Break-even markers on the threshold, and named points; their names keep off the places that are `taken`.
fn marks(ui: &Ui, chart: &LineChart, place: &impl Fn(f64, f64) -> Pos2, frame: Rect, taken: Vec<Rect>, dark: bool) {
    let painter = ui.painter().with_clip_rect(frame);
    let background = Token::Background.color(dark);
    if let Some(threshold) = chart.threshold {
        for mark in &chart.breakevens {
            let Some(series) = chart.series.get(mark.series) else { continue };
            let at = place(mark.x, threshold);
            let diamond = [vec2(0.0, -5.0), vec2(5.0, 0.0), vec2(0.0, 5.0), vec2(-5.0, 0.0)].map(|offset| at + offset);
            painter.add(Shape::convex_polygon(
                diamond.to_vec(),
                background,
                Stroke::new(1.6, series.token.color(dark)),
            ));
        }
    }
    let mut names = Names::new(frame, taken, intervals(chart, place));
    let galley =
        |text: &str| painter.layout_no_wrap(text.to_owned(), FontId::proportional(12.5), Token::Text.color(dark));
    let placed = chart.placed_points().map(|(_, point)| (point, place(point.x, point.y), chart.is_marked(point)));
    let placed: Vec<(&Labelled, Pos2, bool)> = placed.collect();
    // The numbers of rows first: long names would take their room.
    let number = |&(point, at, is_marked): &(&Labelled, Pos2, bool)| {
        if point.short.is_empty() {
            return None;
        }
        names.place_number(at, galley(&point.short).size(), is_marked)
    };
    let numbers: Vec<Option<Place>> = placed.iter().map(number).collect();
    for ((point, at, is_marked), number) in placed.into_iter().zip(numbers) {
        if !is_marked {
            painter.circle(at, 4.5, point.token.color(dark), Stroke::new(1.5, background));
        }
        if let Some(number) = &number {
            names.release(number);
        }
        let mut name = galley(&point.name());
        let mut free = names.place(at, name.size(), is_marked);
        if let Some(number) = number.filter(|_| free.is_none()) {
            names.take(number);
            name = galley(&point.short);
            free = Some(number);
        }
        // A mark without a name has it where it is pointed at.
        if free.is_none() && !is_marked {
            free = names.place_over(at, name.size(), is_marked);
        }
        let Some(Place { rect, leader }) = free else { continue };
        if let Some(leader) = leader {
            painter.line_segment(leader, Stroke::new(1.0, Token::TextWeak.color(dark)));
        }
        painter.rect_filled(rect.expand(1.0), 2.0, background.gamma_multiply(0.75));
        painter.galley(rect.min, name, Token::Text.color(dark));
    }
}

/// The intervals of points with marks: names keep off them.
fn intervals(chart: &LineChart, place: &impl Fn(f64, f64) -> Pos2) -> Vec<Rect> {
    if !chart.points.iter().any(|point| chart.is_marked(point)) {
        return Vec::new();
    }
    let pairs = chart.series.iter().filter(|series| !series.dashed).flat_map(|series| series.points.windows(2));
    let finite = pairs.filter(|pair| pair.iter().flatten().all(|value| value.is_finite()));
    let level = finite.map(|pair| [place(pair[0][0], pair[0][1]), place(pair[1][0], pair[1][1])]);
    let level = level.filter(|[from, to]| (from.y - to.y).abs() < 1.0);
    level.map(|[from, to]| Rect::from_two_pos(from, to).expand(1.0)).collect()
}
