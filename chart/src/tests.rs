//! Every kind of chart as SVG, as pixels, in a window and as a specification.

mod coinciding;
mod hostile;

use super::axis::{Axis, Scale};
use super::bars::{BarChart, BarRow, Segment};
use super::gantt::{Bar, BarStyle, GanttChart, Lane};
use super::grid::{GridCell, GridChart};
use super::lines::{BreakEvenMark, Labelled, LineChart, ROW_NUMBERS, Samples, Series};
use super::map::{Category, Cell, MapChart, Mark, Pattern};
use super::plan::{self, Bus, Layout, PlanBox, PlanChart, PlanEdge, Processor};
use super::{Chart, Form, png};
use crate::theme::Token;

const SIZE: [f32; 2] = [480.0, 320.0];

fn seconds(value: f64) -> String {
    format!("{} s", (value * 1000.0).round() / 1000.0)
}

fn times(value: f64) -> String {
    format!("{}×", (value * 100.0).round() / 100.0)
}

fn line_chart() -> LineChart {
    let axis =
        |label: &str, format, scale, range| Axis { label: label.to_owned(), format, scale, range, step_unit: 1.0 };
    let series = |name: &str, dashed, points: &[[f64; 2]]| Series {
        dashed,
        ..Series::line(name, Token::Ethernet, points.to_vec())
    };
    LineChart {
        subtitle: "linear operators".to_owned(),
        answer: "A filter pays from 0.01 s per 100 MB.".to_owned(),
        series: vec![
            series("Ethernet", false, &[[0.001, 0.1], [0.01, 1.0], [0.1, 2.5], [1.0, 4.0]]),
            series("Ethernet, compressed", true, &[[0.01, 0.5], [0.1, f64::NAN], [1.0, 2.0]]),
        ],
        threshold: Some(1.0),
        points: vec![Labelled {
            label: "join".to_owned(),
            short: String::new(),
            x: 0.1,
            y: 2.5,
            token: Token::Ethernet,
        }],
        breakevens: vec![BreakEvenMark { series: 0, x: 0.01, label: "0.01 s".to_owned() }],
        is_editable: true,
        ..LineChart::new(
            "Where does the GPU start to pay?",
            axis("CPU time per 100 MB", seconds, Scale::Log, [0.001, 1.0]),
            axis("speedup", times, Scale::Linear, [0.0, 3.0]),
        )
    }
}

fn bar_chart() -> BarChart {
    let row = |label: &str, token, bus: f64, network: f64| BarRow {
        start: 0.0,
        interval: None,
        group: "filter".to_owned(),
        label: label.to_owned(),
        token,
        segments: vec![
            Segment { name: "network".to_owned(), token: Token::Term(4), value: network },
            Segment { name: "bus in".to_owned(), token: Token::Term(2), value: bus },
        ],
        total: bus + network,
        note: "network-bound".to_owned(),
        detail: String::new(),
    };
    BarChart {
        title: "Where does the time go?".to_owned(),
        subtitle: "Ethernet".to_owned(),
        answer: "The network takes nearly all of it.".to_owned(),
        step_unit: 1.0,
        unit_format: seconds,
        rows: vec![row("CPU", Token::Cpu, 0.0, 8.5), row("GPU", Token::Gpu, 0.25, 8.5)],
    }
}

fn map_chart() -> MapChart {
    let axis = |label: &str, format, range| Axis {
        label: label.to_owned(),
        format,
        scale: Scale::Linear,
        range,
        step_unit: 1.0,
    };
    let class = |name: &str, pattern| Category { name: name.to_owned(), pattern };
    let mark = |label: &str, x, y, is_present| Mark { label: label.to_owned(), x, y, is_present };
    let values = [(None, 2), (Some(30.0), 1), (Some(20.0), 0), (Some(10.0), 0), (Some(15.0), 0), (Some(0.0), 1)];
    MapChart {
        title: "Which gains are safe?".to_owned(),
        subtitle: "PID".to_owned(),
        answer: "Half of them.".to_owned(),
        x: axis("proportional gain", times, [-0.5, 2.5]),
        y: axis("integral gain", times, [-0.5, 1.5]),
        xs: vec![0.0, 1.0, 2.0],
        ys: vec![0.0, 1.0],
        value: axis("settling", seconds, [0.0, 30.0]),
        cells: values.into_iter().map(|(value, category)| Cell { value, category }).collect(),
        categories: vec![
            class("settles", Pattern::Plain),
            class("an error stays", Pattern::Rising),
            class("keeps moving", Pattern::Crossed),
        ],
        contours: Vec::new(),
        marks: vec![mark("PID", 1.0, 0.5, true), mark("search", 2.0, 0.0, false)],
        gesture: "",
        is_stale: false,
    }
}

/// A scan and a sort on either side of the bus.
fn plan_chart() -> PlanChart {
    let operator = |node, name: &str, processor, mark| PlanBox {
        node,
        name: name.to_owned(),
        what: "sort · 60 M rows".to_owned(),
        time: "1.2 s".to_owned(),
        share: 0.5,
        processor,
        mark,
        reason: String::new(),
        is_exchange: node == 1,
        readers: 1,
        rank: Some(node + 1),
        operator_count: 1,
    };
    let bus = Some(Bus { to: Processor::Gpu, token: Token::Term(2), time: "0.4 s".to_owned() });
    PlanChart {
        title: "Which side for every operator of this query?".to_owned(),
        subtitle: "Spark 3.5.1".to_owned(),
        answer: "One of them goes to the GPU.".to_owned(),
        boxes: vec![
            operator(1, "Scan parquet", Processor::Cpu, Some(plan::Mark::CpuOnly)),
            operator(0, "Sort", Processor::Gpu, None),
        ],
        edges: vec![PlanEdge { from: 0, to: 1, label: "4.8 GB".to_owned(), weight: 1.0, bus }],
        layout: Layout::new(2, &[(0, 1)]).into(),
        network: Token::Ethernet,
    }
}

/// Two launches beside each other, of which one leaves for a third.
fn gantt_chart() -> GanttChart {
    let bar = |name: &str, [from, to]: [f64; 2], token, style| Bar {
        from,
        to,
        token,
        style,
        text: name.to_owned(),
        tooltip: format!("{name}: {from} to {to}"),
    };
    let [a, b, c] = [4, 3, 8].map(Token::Term);
    GanttChart {
        title: "Who is on the GPU when?".to_owned(),
        subtitle: "A row for each place".to_owned(),
        answer: "B leaves for C.".to_owned(),
        x: Axis { label: "time".to_owned(), format: seconds, scale: Scale::Linear, range: [0.0, 10.0], step_unit: 1.0 },
        lanes: vec![
            Lane { name: "place 1".to_owned(), bars: vec![bar("A", [0.0, 9.0], a, BarStyle::Plain)] },
            Lane {
                name: "place 2".to_owned(),
                bars: vec![
                    bar("B", [0.0, 2.0], b, BarStyle::CutShort),
                    bar("B", [2.0, 4.0], b, BarStyle::Hatched),
                    bar("C", [4.0, 12.0], c, BarStyle::Plain),
                ],
            },
        ],
        waiting: ("wait".to_owned(), vec![[0.0, 0.0], [1.0, 2.0], [4.0, 1.0]]),
        moment: Some(2.0),
        colours: vec![("A".to_owned(), a), ("B".to_owned(), b), ("C".to_owned(), c)],
        patterns: ["switch", "had to leave"],
    }
}

fn grid_chart() -> GridChart {
    let cell =
        |text: &str, token, is_hatched| GridCell { token, is_hatched, text: text.to_owned(), text_token: Token::Text };
    let names = vec!["hotspot".to_owned(), "void backprop<float>".to_owned()];
    GridChart {
        title: "Who runs well beside whom?".to_owned(),
        subtitle: "A row beside a column".to_owned(),
        answer: "Two of them.".to_owned(),
        rows: names.clone(),
        columns: names,
        cells: vec![
            cell("0.7", Token::Ramp(6), false),
            cell("~0.8", Token::Ramp(4), true),
            cell("0.9", Token::Ramp(2), false),
            cell("1", Token::Ramp(0), false),
        ],
        hatched: "a guess",
    }
}

#[test]
fn a_gantt_chart_as_svg() {
    insta::assert_snapshot!(Chart::Gantt(gantt_chart()).to_svg(false, SIZE));
}

#[test]
fn a_table_of_colours_as_svg() {
    insta::assert_snapshot!(Chart::Grid(grid_chart()).to_svg(false, SIZE));
}

/// What Vega-Lite draws of them was looked at; the snapshots keep it.
#[test]
fn every_kind_of_chart_as_a_specification_of_vega_lite() {
    let charts = [
        ("lines", Chart::Lines(line_chart())),
        ("bars", Chart::Bars(bar_chart())),
        ("map", Chart::Map(map_chart())),
        ("plan", Chart::Plan(plan_chart())),
        ("gantt", Chart::Gantt(gantt_chart())),
        ("grid", Chart::Grid(grid_chart())),
    ];
    for (name, chart) in charts {
        let text = chart.text(Form::VegaLite);
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
        insta::assert_snapshot!(format!("vega-{name}"), text);
    }
}

#[test]
fn a_specification_has_the_values_of_the_chart_and_gaps_for_those_without_a_place() {
    let text = Chart::Lines(line_chart()).text(Form::VegaLite);
    let specification: serde_json::Value = serde_json::from_str(&text).unwrap();
    let curve = |layer: usize| specification["layer"][layer]["data"]["values"].as_array().unwrap();
    let values: Vec<_> = curve(0).iter().map(|value| [value["x"].as_f64(), value["y"].as_f64()]).collect();
    assert_eq!(values, [[0.001, 0.1], [0.01, 1.0], [0.1, 2.5], [1.0, 4.0]].map(|place| place.map(Some)));
    let gap: Vec<_> = curve(1).iter().map(|value| value["y"].as_f64()).collect();
    assert_eq!(gap, [Some(0.5), None, Some(2.0)]);
    assert_eq!(specification.get("resolve"), None, "curves with scales of their own have a legend each");
}

#[test]
fn a_plan_as_svg() {
    insta::assert_snapshot!(Chart::Plan(plan_chart()).to_svg(false, SIZE));
}

/// Draws a PNG and returns its size and how many different colours it has.
fn drawn(chart: &Chart, dark: bool, scale: f32) -> ([u32; 2], usize) {
    let png = png::encode(&chart.to_svg(dark, SIZE), scale).unwrap();
    let pixmap = resvg::tiny_skia::Pixmap::decode_png(&png).unwrap();
    let mut colours: Vec<_> = pixmap.pixels().iter().map(|pixel| (pixel.red(), pixel.green(), pixel.blue())).collect();
    colours.sort_unstable();
    colours.dedup();
    ([pixmap.width(), pixmap.height()], colours.len())
}

#[test]
fn a_line_chart_as_svg() {
    insta::assert_snapshot!(Chart::Lines(line_chart()).to_svg(false, SIZE));
}

#[test]
fn numbers_of_rows_are_explained_only_in_a_chart_that_has_some() {
    let mut chart = line_chart();
    assert!(!Chart::Lines(chart.clone()).to_svg(false, SIZE).contains(ROW_NUMBERS));
    chart.points[0].label = "RAPIDS on 8 machines".to_owned();
    chart.points[0].short = "7".to_owned();
    let with_names = Chart::Lines(chart.clone()).to_svg(false, SIZE);
    assert!(with_names.contains(">7: RAPIDS on 8 machines<") && with_names.contains(ROW_NUMBERS), "{with_names}");
    // All in one place, where there is no room for so many names.
    chart.points = vec![chart.points[0].clone(); 30];
    let with_numbers = Chart::Lines(chart).to_svg(false, SIZE);
    assert!(with_numbers.contains(">7<") && with_numbers.contains(ROW_NUMBERS), "{with_numbers}");
}

/// Names of 200 pixels in a row, each over the points that follow: every point has at least its number.
#[test]
fn every_point_of_a_table_has_its_number() {
    let mut chart = line_chart();
    let point = |row: usize| Labelled {
        label: "RAPIDS 25.12 (L4), 4 × g6.2xlarge".to_owned(),
        short: row.to_string(),
        x: 0.05 * 1.15_f64.powf(row as f64),
        y: 2.0,
        token: Token::Gpu,
    };
    chart.points = (1..=9).map(point).collect();
    let picture = Chart::Lines(chart).to_svg(false, SIZE);
    for row in 1..=9 {
        let is_written = picture.contains(&format!(">{row}<")) || picture.contains(&format!(">{row}: RAPIDS"));
        assert!(is_written, "{row}: {picture}");
    }
}

/// Options with one time and one cost.
#[test]
fn a_mark_of_a_row_is_larger_below_another() {
    let mut chart = line_chart();
    let samples = Samples { places: vec![[0.01, 2.0]; 2], ..Samples::default() };
    chart.series = vec![Series::marks("other options", Token::Gpu, samples)];
    assert_eq!(chart.mark_sizes(Some, 4.5), [[1.0, 1.0]], "measured values are as they are");
    chart.points[0].short = "7".to_owned();
    assert_eq!(chart.mark_sizes(Some, 4.5), [[1.6, 1.0]]);
}

/// The points of the curves are at 0.001, 0.01, 0.1 and 1; the second curve has no value at the first, and a gap at the third.
#[test]
fn a_page_has_the_values_of_all_curves_at_their_points() {
    let chart = Chart::Lines(line_chart());
    let picture = chart.to_svg_with_values(false, SIZE);
    let strips: Vec<&str> =
        picture.lines().filter(|line| line.contains(r#"fill-opacity="0"><title>CPU time per 100 MB "#)).collect();
    assert_eq!(strips.len(), 4, "{picture}");
    let [first, second, third, _] = strips[..] else { panic!("{strips:?}") };
    assert!(first.contains("; Ethernet 0.1×</title>"), "{first}");
    assert!(second.contains("; Ethernet 1×; Ethernet, compressed 0.5×</title>"), "{second}");
    assert!(third.contains("; Ethernet 2.5×</title>"), "{third}");
    assert!(!chart.to_svg(false, SIZE).contains(r#"fill-opacity="0"><title>"#), "a picture alone has none");
    // Nothing that is seen changes.
    let drawn = |svg: &str| png::encode(svg, 1.0).expect("a picture");
    assert_eq!(drawn(&picture), drawn(&chart.to_svg(false, SIZE)));
}

#[test]
fn a_bar_chart_as_svg() {
    insta::assert_snapshot!(Chart::Bars(bar_chart()).to_svg(true, SIZE));
}

#[test]
fn a_map_as_svg() {
    insta::assert_snapshot!(Chart::Map(map_chart()).to_svg(false, SIZE));
}

#[test]
fn png_has_the_asked_size_and_is_not_blank() {
    for chart in [Chart::Lines(line_chart()), Chart::Bars(bar_chart()), Chart::Map(map_chart())] {
        for dark in [false, true] {
            let ([width, height], colours) = drawn(&chart, dark, 2.0);
            assert_eq!(width, 960);
            assert!((250..=640).contains(&height), "{height}");
            assert!(colours > 20, "{colours} colours");
        }
    }
    assert_eq!(drawn(&Chart::Lines(line_chart()), false, 1.0).0, [480, 320]);
}

#[test]
fn tiny_sizes_grow_to_what_can_be_read() {
    let of_names = [Chart::Gantt(gantt_chart()), Chart::Grid(grid_chart())];
    let of_numbers = [Chart::Lines(line_chart()), Chart::Bars(bar_chart()), Chart::Map(map_chart())];
    for chart in of_numbers.into_iter().chain(of_names) {
        for size in [[0.0, 0.0], [-5.0, f32::NAN], [10.0, 10.0]] {
            let svg = chart.to_svg(false, size);
            assert!(png::encode(&svg, 1.0).is_ok(), "{size:?}: {svg}");
        }
    }
}

#[test]
fn bars_reach_from_below_zero_to_their_ends() {
    let mut chart = bar_chart();
    assert_eq!(chart.ends(), [0.0, 8.75]);
    // From −3 on, 8.5 long.
    chart.rows[0].start = -3.0;
    assert_eq!(chart.ends(), [-3.0, 8.75]);
    chart.rows.truncate(1);
    assert_eq!(chart.ends(), [-3.0, 5.5]);
}

#[test]
fn many_operators_make_a_bar_chart_taller() {
    let mut chart = bar_chart();
    chart.rows = (0..60).map(|index| BarRow { group: format!("operator {index}"), ..chart.rows[0].clone() }).collect();
    let ([_, height], _) = drawn(&Chart::Bars(chart), false, 1.0);
    assert!(height > 60 * 18, "{height}");
}

#[test]
fn a_png_that_cannot_be_made_says_why() {
    let check = |svg: &str, scale, expected: &str| {
        let message = png::encode(svg, scale).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    };
    let svg = Chart::Bars(bar_chart()).to_svg(false, SIZE);
    check(&svg, f32::NAN, "use a positive number");
    check(&svg, -1.0, "use a positive number");
    check(&svg, 1000.0, "choose a scale");
    check("no picture", 1.0, "not valid SVG");
}
