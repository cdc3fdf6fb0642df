//! Names and numbers as a hostile or merely foreign file may hold them.

use super::{SIZE, bar_chart, drawn, gantt_chart, grid_chart, line_chart, map_chart, plan_chart};
use crate::Chart;
use crate::gantt::GanttChart;
use crate::grid::GridChart;
use crate::lines::Band;
use crate::plan::{Layout, PlanChart};
use crate::theme::Token;

const HOSTILE: &str = "</text><script>&\"'\0\u{1b},\n結合 \u{202e}";

fn hostile_charts() -> [Chart; 6] {
    let mut lines = line_chart();
    let mut bars = bar_chart();
    for text in [&mut lines.title, &mut lines.answer, &mut lines.x.label, &mut lines.y.label] {
        *text = HOSTILE.repeat(20);
    }
    lines.series[0].name = HOSTILE.to_owned();
    lines.points[0].label = HOSTILE.to_owned();
    lines.breakevens[0].label = HOSTILE.to_owned();
    bars.rows[0].group = HOSTILE.to_owned();
    bars.rows[0].label = HOSTILE.repeat(20);
    bars.rows[0].note = HOSTILE.repeat(20);
    bars.rows[0].segments[0].name = HOSTILE.to_owned();
    let mut map = map_chart();
    for text in [&mut map.title, &mut map.answer, &mut map.x.label, &mut map.y.label, &mut map.value.label] {
        *text = HOSTILE.repeat(20);
    }
    map.categories[1].name = HOSTILE.repeat(20);
    map.marks[0].label = HOSTILE.to_owned();
    let mut tree = plan_chart();
    tree.title = HOSTILE.repeat(20);
    let first = &mut tree.boxes[0];
    for text in [&mut first.name, &mut first.what, &mut first.time] {
        *text = HOSTILE.repeat(20);
    }
    tree.edges[0].label = HOSTILE.repeat(20);
    let (mut gantt, mut grid) = (gantt_chart(), grid_chart());
    gantt.lanes[0].name = HOSTILE.repeat(20);
    gantt.lanes[0].bars[0].text = HOSTILE.to_owned();
    gantt.lanes[0].bars[0].tooltip = HOSTILE.repeat(20);
    gantt.colours[0].0 = HOSTILE.repeat(20);
    grid.rows[0] = HOSTILE.repeat(20);
    grid.columns[1] = HOSTILE.to_owned();
    grid.cells[0].text = HOSTILE.to_owned();
    let (gantt, grid) = (Chart::Gantt(gantt), Chart::Grid(grid));
    [Chart::Lines(lines), Chart::Bars(bars), Chart::Map(map), Chart::Plan(tree), gantt, grid]
}

/// Charts whose numbers are missing, boundless or out of range.
fn degenerate_charts() -> Vec<Chart> {
    let mut empty_lines = line_chart();
    empty_lines.series.clear();
    empty_lines.points.clear();
    empty_lines.breakevens.clear();
    empty_lines.threshold = None;
    let mut boundless = line_chart();
    boundless.series[0].points =
        vec![[f64::NAN, 1.0], [-1.0, 1.0], [0.0, 1.0], [0.01, f64::INFINITY], [f64::INFINITY, 1.0], [1e300, -1e300]];
    boundless.threshold = Some(f64::NAN);
    boundless.x.range = [f64::INFINITY, f64::NAN];
    boundless.points[0].y = f64::NEG_INFINITY;
    let token = Token::Ethernet;
    boundless.bands =
        vec![Band { name: "band".to_owned(), token, points: vec![[0.1, -1e300, 1e300], [0.2, 0.0, 1.0]] }];
    boundless.breakevens[0].series = 99;
    boundless.breakevens[0].x = f64::NAN;
    let mut far_threshold = line_chart();
    far_threshold.threshold = Some(1e9);
    let mut empty_bars = bar_chart();
    empty_bars.rows.clear();
    let mut boundless_bars = bar_chart();
    boundless_bars.rows[0].segments[0].value = f64::INFINITY;
    boundless_bars.rows[0].segments[1].value = -3.0;
    boundless_bars.rows[1].segments.clear();
    boundless_bars.rows[1].total = f64::NAN;
    let empty_plan =
        PlanChart { boxes: Vec::new(), edges: Vec::new(), layout: Layout::default().into(), ..plan_chart() };
    let mut empty_map = map_chart();
    (empty_map.xs, empty_map.ys, empty_map.cells) = (Vec::new(), Vec::new(), Vec::new());
    let mut boundless_map = map_chart();
    boundless_map.x.range = [f64::NAN, f64::INFINITY];
    boundless_map.value.range = [f64::NAN, 0.0];
    boundless_map.cells[1].value = Some(f64::INFINITY);
    boundless_map.cells[2].category = 99;
    boundless_map.cells.pop();
    boundless_map.marks[0].x = f64::NAN;
    let empty_gantt = GanttChart { lanes: Vec::new(), waiting: Default::default(), ..gantt_chart() };
    let mut boundless_gantt = gantt_chart();
    boundless_gantt.x.range = [f64::NAN, f64::INFINITY];
    boundless_gantt.lanes[0].bars[0].from = f64::NEG_INFINITY;
    boundless_gantt.lanes[0].bars[0].to = f64::NAN;
    boundless_gantt.waiting.1[1] = [f64::NAN, f64::INFINITY];
    boundless_gantt.moment = Some(f64::NAN);
    let empty_grid = GridChart { rows: Vec::new(), columns: Vec::new(), cells: Vec::new(), ..grid_chart() };
    let mut short_grid = grid_chart();
    short_grid.cells.pop();
    vec![
        Chart::Gantt(empty_gantt),
        Chart::Gantt(boundless_gantt),
        Chart::Grid(empty_grid),
        Chart::Grid(short_grid),
        Chart::Plan(empty_plan),
        Chart::Map(empty_map),
        Chart::Map(boundless_map),
        Chart::Lines(empty_lines),
        Chart::Lines(boundless),
        Chart::Lines(far_threshold),
        Chart::Bars(empty_bars),
        Chart::Bars(boundless_bars),
    ]
}

#[test]
fn hostile_names_stay_text() {
    for chart in hostile_charts() {
        let svg = chart.to_svg(false, SIZE);
        assert!(!svg.contains("<script"));
        let (_, colours) = drawn(&chart, true, 1.0);
        assert!(colours > 20);
    }
}

#[test]
fn missing_and_boundless_numbers_still_give_a_picture() {
    for chart in degenerate_charts() {
        let svg = chart.to_svg(false, SIZE);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(drawn(&chart, false, 1.0).1 > 10);
    }
}
