//! Charts as Vega-Lite specifications with their data: what notebooks and web pages draw, and readers can change.
//!
//! Values are in base units, such as seconds; axes have the labels of the chart's own ticks, tooltips its texts.
//! <https://vega.github.io/vega-lite/docs/>

use serde_json::{Value, json};

use super::Chart;
use super::axis::{Axis, Scale};
use super::bars::BarChart;
use super::gantt::{BarStyle, GanttChart};
use super::grid::GridChart;
use super::lines::{BAND_TINT, LineChart, Series};
use super::map::MapChart;
use super::plan::PlanChart;
use crate::theme::{RAMP_STEPS, Token};

/// The version of the specification.
const SCHEMA: &str = "https://vega.github.io/schema/vega-lite/v5.json";
/// Labels on an axis, at most.
const MOST_LABELS: usize = 8;
/// Width and height of a plot, in pixels.
const PLOT: [f64; 2] = [640.0, 360.0];
/// Height of a bar with its gap, in pixels.
const ROW: f64 = 24.0;

/// The specification of a chart, on a light background.
pub(super) fn specification(chart: &Chart) -> Value {
    match chart {
        Chart::Lines(chart) => lines(chart),
        Chart::Bars(chart) => bars(chart),
        Chart::Map(chart) => map(chart),
        Chart::Plan(chart) => plan(chart),
        Chart::Gantt(chart) => gantt(chart),
        Chart::Grid(chart) => grid(chart),
    }
}

/// A chart of layers over common axes. Layers share their colours, too: else each one has a legend of its own.
#[expect(clippy::needless_pass_by_value, reason = "they are made for it")]
fn layered(title: &str, subtitle: &str, answer: &str, [width, height]: [Value; 2], layers: Vec<Value>) -> Value {
    let subtitle = [subtitle, answer].into_iter().filter(|text| !text.is_empty());
    json!({
        "$schema": SCHEMA,
        "title": { "text": title, "subtitle": subtitle.collect::<Vec<_>>(), "anchor": "start" },
        "description": answer,
        "background": hex(Token::Background),
        "width": width,
        "height": height,
        "layer": layers,
    })
}

/// A plot of a fixed size.
fn fixed(size: [f64; 2]) -> [Value; 2] {
    size.map(|pixels| json!(pixels))
}

/// A layer with its data.
#[expect(clippy::needless_pass_by_value, reason = "they are made for it")]
fn layer(mark: Value, values: Vec<Value>, encoding: Value) -> Value {
    json!({ "data": { "values": values }, "mark": mark, "encoding": encoding })
}

fn hex(token: Token) -> String {
    let [red, green, blue] = token.rgb(false);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A position on an axis: its scale, and the ticks of the chart with their texts.
fn position(field: &str, axis: &Axis) -> Value {
    let [from, to] = axis.bounds();
    let labelled: Vec<(f64, String)> =
        axis.ticks(MOST_LABELS).into_iter().filter_map(|tick| Some((tick.value, tick.label?))).collect();
    // The value of a tick comes back with the last digits of a logarithm.
    let texts = labelled.iter().rev().fold("''".to_owned(), |other, (value, text)| {
        let near = (value.abs() * 1e-6).max((to - from).abs() * 1e-9);
        format!("abs(datum.value - ({value:e})) <= {near:e} ? {} : {other}", json!(text))
    });
    let kind = if axis.scale == Scale::Log { "log" } else { "linear" };
    json!({
        "field": field,
        "type": "quantitative",
        "scale": { "type": kind, "domain": [from, to], "nice": false },
        "axis": {
            "title": axis.label,
            "values": labelled.iter().map(|(value, _)| value).collect::<Vec<_>>(),
            "labelExpr": texts,
        },
    })
}

/// Colours by name, in the order of the legend.
fn colours(field: &str, named: &[(&str, Token)]) -> Value {
    json!({
        "field": field,
        "type": "nominal",
        "scale": {
            "domain": named.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "range": named.iter().map(|(_, token)| hex(*token)).collect::<Vec<_>>(),
        },
        "legend": { "title": null, "orient": "top", "labelLimit": 400 },
    })
}

fn tooltip(fields: &[(&str, &str)]) -> Value {
    fields.iter().map(|(field, title)| json!({ "field": field, "type": "nominal", "title": title })).collect()
}

/// A vertical or horizontal line across the plot.
fn rule(channel: &str, axis: &Axis, at: f64) -> Value {
    let values = vec![json!({ "at": at, "text": (axis.format)(at) })];
    let mark = json!({ "type": "rule", "strokeDash": [4, 4], "color": hex(Token::TextWeak), "clip": true });
    layer(mark, values, json!({ channel: position("at", axis) }))
}

fn lines(chart: &LineChart) -> Value {
    let (x, y) = (position("x", &chart.x), position("y", &chart.y));
    let named: Vec<(&str, Token)> = chart.series.iter().map(|series| (series.name.as_str(), series.token)).collect();
    let is_placed = |[x, y]: &[f64; 2]| chart.x.has_place_for(*x) && chart.y.has_place_for(*y);
    let datum = |[x, y]: [f64; 2], name: &str| json!({ "series": name, "x": x, "y": y, "x_text": (chart.x.format)(x), "y_text": (chart.y.format)(y) });
    let texts = tooltip(&[("series", "series"), ("x_text", &chart.x.label), ("y_text", &chart.y.label)]);
    let mut layers = Vec::new();
    for band in &chart.bands {
        let values = band.points.iter().map(|[x, low, high]| json!({ "x": x, "low": low, "high": high }));
        let mark = json!({ "type": "area", "color": hex(band.token), "opacity": BAND_TINT, "clip": true });
        let encoding = json!({ "x": x, "y": position("low", &chart.y), "y2": { "field": "high" } });
        layers.push(layer(mark, values.collect(), encoding));
    }
    let curve = |series: &Series| {
        // What has no place parts a curve, as a missing value does.
        let values = series.points.iter().map(|place| {
            if is_placed(place) {
                datum(*place, &series.name)
            } else {
                json!({ "series": series.name, "x": place[0], "y": null })
            }
        });
        let interpolate = if series.steps { "step-after" } else { "linear" };
        let dash = if series.dashed { json!([6, 4]) } else { json!([]) };
        let mark = json!({ "type": "line", "interpolate": interpolate, "strokeDash": dash, "clip": true });
        layer(mark, values.collect(), json!({ "x": x, "y": y, "color": colours("series", &named), "tooltip": texts }))
    };
    layers.extend(chart.series.iter().filter(|series| !series.points.is_empty()).map(curve));
    for series in &chart.series {
        let whiskers = series.samples.placed_whiskers(&chart.x, &chart.y);
        let ends = |[[x, y], [x_end, y_end]]: [[f64; 2]; 2]| json!({ "series": series.name, "x": x, "y": y, "x_end": x_end, "y_end": y_end });
        let values: Vec<Value> = whiskers.map(ends).collect();
        if !values.is_empty() {
            let encoding = json!({
                "x": x,
                "y": y,
                "x2": { "field": "x_end" },
                "y2": { "field": "y_end" },
                "color": colours("series", &named),
            });
            layers.push(layer(json!({ "type": "rule", "clip": true }), values, encoding));
        }
    }
    for series in chart.series.iter().filter(|series| series.samples.all().next().is_some()) {
        for is_fitted in [true, false] {
            let places = series.samples.all().filter(|(place, fitted)| *fitted == is_fitted && is_placed(place));
            let values: Vec<Value> = places.map(|(place, _)| datum(place, &series.name)).collect();
            if !values.is_empty() {
                let mark = json!({ "type": "point", "filled": is_fitted, "clip": true });
                let encoding = json!({ "x": x, "y": y, "color": colours("series", &named), "tooltip": texts });
                layers.push(layer(mark, values, encoding));
            }
        }
    }
    layers.extend(chart.threshold.filter(|at| chart.y.has_place_for(*at)).map(|at| rule("y", &chart.y, at)));
    let points: Vec<Value> = chart.placed_points().map(|(_, point)| datum([point.x, point.y], &point.name())).collect();
    if !points.is_empty() {
        let place = json!({ "x": x, "y": y, "tooltip": texts });
        layers.push(layer(
            json!({ "type": "point", "filled": true, "color": hex(Token::Text) }),
            points.clone(),
            place,
        ));
        let mark = json!({ "type": "text", "align": "left", "dx": 6, "color": hex(Token::Text), "clip": true });
        let text = json!({ "field": "series", "type": "nominal" });
        layers.push(layer(mark, points, json!({ "x": x, "y": y, "text": text })));
    }
    for even in chart.breakevens.iter().filter(|even| chart.x.has_place_for(even.x)) {
        layers.push(rule("x", &chart.x, even.x));
    }
    layered(&chart.title, &chart.subtitle, &chart.answer, fixed(PLOT), layers)
}

/// An axis from one end to the other in a unit of its own.
fn axis_of(label: &str, format: fn(f64) -> String, range: [f64; 2]) -> Axis {
    Axis { label: label.to_owned(), format, scale: Scale::Linear, range, step_unit: 1.0 }
}

/// Rows from top to bottom.
fn rows(field: &str) -> Value {
    json!({ "field": field, "type": "nominal", "sort": null, "axis": { "title": null, "labelLimit": 240 } })
}

fn bars(chart: &BarChart) -> Value {
    let x = Axis { step_unit: chart.step_unit, ..axis_of("", chart.unit_format, chart.ends()) };
    let mut named: Vec<(&str, Token)> = Vec::new();
    let (mut values, mut intervals) = (Vec::new(), Vec::new());
    for row in &chart.rows {
        let name = format!("{} {}", row.group, row.label);
        let mut from = row.begins();
        for segment in row.segments.iter().filter(|segment| segment.value > 0.0 && segment.value.is_finite()) {
            if named.iter().all(|(name, _)| *name != segment.name) {
                named.push((&segment.name, segment.token));
            }
            let to = from + segment.value;
            let text = (chart.unit_format)(segment.value);
            values.push(json!({
                "row": name, "part": segment.name, "from": from, "to": to, "text": text, "note": row.note,
            }));
            from = to;
        }
        if let Some([low, high]) = row.interval.filter(|ends| ends.iter().all(|end| end.is_finite())) {
            intervals.push(json!({ "row": name, "from": low, "to": high }));
        }
    }
    let encoding = json!({
        "x": position("from", &x), "x2": { "field": "to" }, "y": rows("row"), "color": colours("part", &named),
        "tooltip": tooltip(&[("row", "bar"), ("part", "part"), ("text", "length"), ("note", "note")]),
    });
    let whisker = json!({ "x": position("from", &x), "x2": { "field": "to" }, "y": rows("row") });
    let mark = json!({ "type": "rule", "color": hex(Token::Text), "strokeWidth": 1.5 });
    let layers = vec![layer(json!("bar"), values, encoding), layer(mark, intervals, whisker)];
    layered(&chart.title, &chart.subtitle, &chart.answer, [json!(PLOT[0]), json!({ "step": ROW })], layers)
}

/// The two ends of each cell along an axis: halfway to its neighbours, as they are drawn.
fn cells_along(axis: &Axis, middles: &[f64]) -> Vec<[f64; 2]> {
    let at: Vec<f64> = middles.iter().map(|value| axis.to_plot(*value)).collect();
    let [first, last] = axis.bounds().map(|end| axis.to_plot(end));
    let halfway = |place: usize| match (place.checked_sub(1).map(|before| at[before]), at.get(place)) {
        (Some(before), Some(after)) => f64::midpoint(before, *after),
        (None, _) => first,
        (_, None) => last,
    };
    (0..at.len()).map(|place| [halfway(place), halfway(place + 1)].map(|end| axis.from_plot(end))).collect()
}

fn map(chart: &MapChart) -> Value {
    let [columns, of_rows] = [cells_along(&chart.x, &chart.xs), cells_along(&chart.y, &chart.ys)];
    let mut values = Vec::new();
    for (row, [bottom, top]) in of_rows.iter().enumerate() {
        for (column, [left, right]) in columns.iter().enumerate() {
            let Some(cell) = chart.cell(column, row) else { continue };
            let value = cell.value.filter(|value| chart.value.has_place_for(*value));
            values.push(json!({
                "x": left, "x2": right, "y": bottom, "y2": top, "value": value,
                "x_text": (chart.x.format)(chart.xs[column]), "y_text": (chart.y.format)(chart.ys[row]),
                "text": value.map(chart.value.format),
                "kind": chart.categories.get(cell.category).map(|kind| &kind.name),
            }));
        }
    }
    let kind = if chart.value.scale == Scale::Log { "log" } else { "linear" };
    let ramp: Vec<String> = (0..RAMP_STEPS).map(|step| hex(Token::Ramp(step))).collect();
    let (x, y) = (position("x", &chart.x), position("y", &chart.y));
    let encoding = json!({
        "x": x, "x2": { "field": "x2" }, "y": y, "y2": { "field": "y2" },
        "color": {
            "field": "value", "type": "quantitative",
            "scale": { "type": kind, "domain": chart.value.bounds(), "range": ramp, "interpolate": "rgb" },
            "legend": { "title": chart.value.label },
        },
        "tooltip": tooltip(&[("x_text", &chart.x.label), ("y_text", &chart.y.label), ("text", &chart.value.label), ("kind", "kind")]),
    });
    let mut layers = vec![layer(json!({ "type": "rect", "clip": true }), values, encoding)];
    for contour in &chart.contours {
        for line in &contour.lines {
            let values = line.iter().enumerate();
            let values = values.map(|(order, [x, y])| json!({ "x": x, "y": y, "order": order, "name": contour.name }));
            let encoding = json!({
                "x": x, "y": y, "order": { "field": "order", "type": "quantitative" }, "tooltip": tooltip(&[("name", "contour")]),
            });
            let mark = json!({ "type": "line", "color": hex(Token::Text), "clip": true });
            layers.push(layer(mark, values.collect(), encoding));
        }
    }
    let marks: Vec<Value> =
        chart.marks.iter().map(|mark| json!({ "x": mark.x, "y": mark.y, "name": mark.label })).collect();
    if !marks.is_empty() {
        let encoding = json!({ "x": x, "y": y, "tooltip": tooltip(&[("name", "mark")]) });
        layers.push(layer(json!({ "type": "point", "shape": "diamond", "color": hex(Token::Text) }), marks, encoding));
    }
    layered(&chart.title, &chart.subtitle, &chart.answer, fixed(PLOT), layers)
}

fn gantt(chart: &GanttChart) -> Value {
    let named: Vec<(&str, Token)> = chart.colours.iter().map(|(name, token)| (name.as_str(), *token)).collect();
    let mut values = Vec::new();
    for lane in &chart.lanes {
        for bar in &lane.bars {
            let name = chart.colours.iter().find(|(_, token)| *token == bar.token).map_or("", |(name, _)| name);
            let style = match bar.style {
                BarStyle::Plain => "",
                BarStyle::Hatched => chart.patterns[0],
                BarStyle::CutShort => chart.patterns[1],
            };
            let (from, to, text) = (bar.from, bar.to, &bar.tooltip);
            values
                .push(json!({ "row": lane.name, "from": from, "to": to, "name": name, "text": text, "style": style }));
        }
    }
    let encoding = json!({
        "x": position("from", &chart.x), "x2": { "field": "to" }, "y": rows("row"), "color": colours("name", &named),
        "opacity": { "condition": { "test": "datum.style === ''", "value": 1.0 }, "value": 0.6 },
        "tooltip": tooltip(&[("row", "row"), ("text", "bar"), ("style", "state")]),
    });
    let mut layers = vec![layer(json!({ "type": "bar", "clip": true }), values, encoding)];
    layers.extend(chart.moment.map(|at| rule("x", &chart.x, at)));
    layered(&chart.title, &chart.subtitle, &chart.answer, [json!(PLOT[0]), json!({ "step": ROW })], layers)
}

fn grid(chart: &GridChart) -> Value {
    let names = chart.rows.iter().flat_map(|row| chart.columns.iter().map(move |column| (row, column)));
    let values: Vec<Value> = names
        .zip(&chart.cells)
        .map(|((row, column), cell)| {
            json!({
                "row": row, "column": column, "text": cell.text, "fill": hex(cell.token), "colour": hex(cell.text_token),
                "note": if cell.is_hatched { chart.hatched } else { "" },
            })
        })
        .collect();
    let columns =
        json!({ "field": "column", "type": "nominal", "sort": null, "axis": { "title": null, "labelLimit": 240 } });
    let raw = |field: &str| json!({ "field": field, "type": "nominal", "scale": null, "legend": null });
    let texts = tooltip(&[("row", "row"), ("column", "column"), ("text", "value"), ("note", "note")]);
    let cells = json!({ "x": columns, "y": rows("row"), "color": raw("fill"), "tooltip": texts });
    let text = json!({ "x": columns, "y": rows("row"), "text": { "field": "text", "type": "nominal" }, "color": raw("colour") });
    let layers = vec![layer(json!("rect"), values.clone(), cells), layer(json!("text"), values, text)];
    let size = [json!({ "step": 3.0 * ROW }), json!({ "step": ROW })];
    layered(&chart.title, &chart.subtitle, &chart.answer, size, layers)
}

fn plan(chart: &PlanChart) -> Value {
    let [width, height] = [f64::from(chart.layout.size.x), f64::from(chart.layout.size.y)];
    let place = |field: &str, length: f64, is_down: bool| {
        json!({
            "field": field, "type": "quantitative", "axis": null,
            "scale": { "domain": [0.0, length], "nice": false, "reverse": is_down },
        })
    };
    let mut layers = Vec::new();
    for (edge, route) in chart.edges.iter().zip(&chart.layout.routes) {
        let values = route.points.iter().enumerate();
        let values = values.map(|(order, at)| json!({ "x": at.x, "y": at.y, "order": order, "text": edge.label }));
        let encoding = json!({
            "x": place("x", width, false), "y": place("y", height, true),
            "order": { "field": "order", "type": "quantitative" }, "tooltip": tooltip(&[("text", "data")]),
        });
        layers.push(layer(json!({ "type": "line", "color": hex(Token::TextWeak) }), values.collect(), encoding));
    }
    let values: Vec<Value> = chart
        .boxes
        .iter()
        .zip(&chart.layout.boxes)
        .map(|(operator, at)| {
            json!({
                "x": at.min.x, "x2": at.max.x, "y": at.min.y, "y2": at.max.y,
                "middle": at.center().x, "line": at.center().y, "name": operator.name, "what": operator.what,
                "time": operator.time, "processor": operator.processor.label(), "reason": operator.reason,
            })
        })
        .collect();
    let processors = [("CPU", Token::Cpu), ("GPU", Token::Gpu)];
    let boxes = json!({
        "x": place("x", width, false), "x2": { "field": "x2" }, "y": place("y", height, true), "y2": { "field": "y2" },
        "color": colours("processor", &processors),
        "tooltip": tooltip(&[
            ("name", "operator"), ("what", "output"), ("time", "time"), ("processor", "runs on"), ("reason", "because"),
        ]),
    });
    layers.push(layer(
        json!({ "type": "rect", "fillOpacity": 0.25, "stroke": hex(Token::TextWeak) }),
        values.clone(),
        boxes,
    ));
    let text = json!({
        "x": place("middle", width, false), "y": place("line", height, true), "text": { "field": "name", "type": "nominal" },
    });
    layers.push(layer(json!({ "type": "text", "color": hex(Token::Text) }), values, text));
    layered(&chart.title, &chart.subtitle, &chart.answer, fixed([width, height]), layers)
}
