//! The charts over time, and helpers to draw them.

use super::super::board::Shown;
use super::super::spread::{Quantity, Spread, is_noisy};
use super::curve::Window;
use crossover_chart::axis::{Axis, Scale};
use crossover_chart::bars::BarChart;
use crossover_chart::lines::{Band, LineChart, Series};
use crossover_chart::theme::Token;
use crossover_quantity::text::counted;
use crossover_quantity::unit::elapsed;

/// Colour of the transfer: that of the bus to the GPU in the placement study.
pub(crate) const TRANSFER: Token = Token::Term(2);
/// Colour of the compute: that of the computing term in the placement study.
pub(crate) const COMPUTE: Token = Token::Term(0);

/// All charts over time.
#[derive(Debug, Clone)]
pub(super) struct Charts {
    /// One entry for each shown cluster.
    pub(super) clusters: Vec<ClusterCharts>,
    /// Throughput and power.
    pub(super) benefit: [LineChart; 2],
    /// Every strategy.
    pub(super) bars: BarChart,
    /// Every controller.
    pub(super) compare: LineChart,
    /// What their bands are, or why they have none.
    pub(super) about_intervals: String,
}

/// The charts of one cluster.
#[derive(Debug, Clone)]
pub(super) struct ClusterCharts {
    /// Transfer against compute.
    pub(super) balance: LineChart,
    /// vGPUs, frequency and, where it can move, precision.
    pub(super) settings: Vec<LineChart>,
}

/// The horizontal axis of every chart.
pub(super) fn time_axis(window: Window) -> Axis {
    Axis {
        label: "time".to_owned(),
        format: elapsed,
        scale: Scale::Time,
        range: [0.0, window.at(window.periods)],
        step_unit: 1.0,
    }
}

/// A chart over time without anything in it.
pub(super) fn empty(title: &str, subtitle: String, answer: String, window: Window, y: Axis) -> LineChart {
    LineChart { subtitle, answer, ..LineChart::new(title, time_axis(window), y) }
}

/// A curve.
pub(super) fn series(name: &str, token: Token, points: Vec<[f64; 2]>) -> Series {
    Series::line(name, token, points)
}

/// A curve in steps.
pub(super) fn stepped(name: &str, token: Token, points: Vec<[f64; 2]>) -> Series {
    Series { steps: true, ..series(name, token, points) }
}

/// The band of the 90 % interval of a quantity under a controller, by its index, from runs with other seeds of the noise; `None` without
/// intervals.
pub(super) fn interval(
    shown: &Shown,
    window: Window,
    controller: usize,
    quantity: Quantity,
    token: Token,
) -> Option<Band> {
    let ends = shown.spread.as_ref()?.of(controller, quantity)?;
    let name = format!("90 % interval, {} seeds", Spread::RUNS);
    Some(Band { name, token, points: window.band(|period| ends[period]) })
}

/// The same intervals in some periods, as lines through a curve: several bands on each other could not be told apart.
pub(super) fn whiskers(
    shown: &Shown,
    window: Window,
    controller: usize,
    quantity: Quantity,
    periods: &[usize],
) -> Vec<[[f64; 2]; 2]> {
    let Some(ends) = shown.spread.as_ref().and_then(|spread| spread.of(controller, quantity)) else {
        return Vec::new();
    };
    let line = |period: &usize| ends[*period].map(|end| [window.at(*period), end]);
    periods.iter().map(line).filter(|[low, high]| low != high).collect()
}

/// What the bands of the page are, or why it has none.
pub(super) fn about_intervals(shown: &Shown) -> String {
    if !is_noisy(&shown.study) {
        "No intervals: without noise of the measurement, a simulation has no random part.".to_owned()
    } else if shown.spread.is_some() {
        let runs = counted(Spread::RUNS as f64, "run");
        format!("Bands and vertical lines are 90 % intervals of {runs} with different seeds of the noise.")
    } else if Spread::is_of(&shown.study) {
        "The intervals are not computed yet.".to_owned()
    } else {
        "No intervals: this study is too large to be simulated with other seeds of the noise.".to_owned()
    }
}

/// Colour of a controller by its index.
pub(super) fn controller(index: usize) -> Token {
    Token::Controller(u8::try_from(index % 4).unwrap_or(0))
}

/// The smallest and the largest value of some curves, with their intervals, and of bands.
pub(super) fn range(series: &[Series], bands: &[Band]) -> [f64; 2] {
    let lines = series.iter().flat_map(|series| series.samples.whiskers.iter().flatten());
    let curves = series.iter().flat_map(|series| &series.points).chain(lines).map(|point| point[1]);
    let ends = bands.iter().flat_map(|band| &band.points).flat_map(|[_, low, high]| [*low, *high]);
    let values = curves.chain(ends).filter(|y| y.is_finite());
    let [low, high] = values.fold([f64::MAX, f64::MIN], |[low, high], y| [low.min(y), high.max(y)]);
    if low > high { [0.0, 1.0] } else { [low, high] }
}
