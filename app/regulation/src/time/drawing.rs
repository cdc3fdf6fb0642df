//! The charts over time, and helpers to draw them.

use super::curve::Window;
use crossover_chart::axis::{Axis, Scale};
use crossover_chart::bars::BarChart;
use crossover_chart::lines::{LineChart, Series};
use crossover_chart::theme::Token;
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
    Axis { label: "time".to_owned(), format: elapsed, scale: Scale::Time, range: [0.0, window.at(window.periods)] }
}

/// A chart over time without anything in it.
pub(super) fn empty(title: &str, subtitle: String, answer: String, window: Window, y: Axis) -> LineChart {
    LineChart {
        title: title.to_owned(),
        subtitle,
        answer,
        x: time_axis(window),
        y,
        bands: Vec::new(),
        series: Vec::new(),
        threshold: None,
        points: Vec::new(),
        breakevens: Vec::new(),
        is_editable: false,
    }
}

/// A curve.
pub(super) fn series(name: &str, token: Token, points: Vec<[f64; 2]>) -> Series {
    Series::line(name, token, points)
}

/// A curve in steps.
pub(super) fn stepped(name: &str, token: Token, points: Vec<[f64; 2]>) -> Series {
    Series { steps: true, ..series(name, token, points) }
}

/// Colour of a controller by its index.
pub(super) fn controller(index: usize) -> Token {
    Token::Controller(u8::try_from(index % 4).unwrap_or(0))
}

/// The smallest and the largest value of some curves.
pub(super) fn range<'a>(series: impl IntoIterator<Item = &'a Series>) -> [f64; 2] {
    let values = series.into_iter().flat_map(|series| &series.points).map(|point| point[1]).filter(|y| y.is_finite());
    let [low, high] = values.fold([f64::MAX, f64::MIN], |[low, high], y| [low.min(y), high.max(y)]);
    if low > high { [0.0, 1.0] } else { [low, high] }
}
