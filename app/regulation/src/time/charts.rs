//! Everything that is drawn over time, as data for the screen and for files.

use crossover_chart::Chart;
use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, LineChart, Marker, Samples, Series};
use crossover_chart::theme::Token;
use crossover_quantity::unit::Unit;
use crossover_regulation::plant::of_data;
use crossover_regulation::{Step, table};

use super::super::board::Shown;
use super::super::spread::Quantity;
use super::curve::{Steps, Window};
use super::drawing::{
    COMPUTE, Charts, ClusterCharts, TRANSFER, about_intervals, controller, empty, interval, range, series, stepped,
    whiskers,
};
use super::view_options::ViewOptions;
use super::{answer, benefit, compare};

/// Larger demand, as a share of the transfer ceiling, is drawn at this value, so that occupancies remain readable.
const MOST_DEMAND: f64 = 1.1;
/// A longer steady state, as a share of the run, is hidden at first.
const LONG_STEADY_STATE: f64 = 0.5;

impl Charts {
    /// All charts of what is shown, over the first periods.
    pub(super) fn new(shown: &Shown, options: &ViewOptions, window: Window) -> Self {
        let clusters = options.clusters(&shown.study).into_iter();
        Self {
            clusters: clusters
                .map(|cluster| ClusterCharts {
                    balance: balance(shown, window, cluster),
                    settings: settings(shown, window, cluster),
                })
                .collect(),
            benefit: benefit::curves(shown, window),
            bars: benefit::bars(shown, options.benefit),
            compare: compare::curves(shown, options, window),
            about_intervals: about_intervals(shown),
        }
    }

    /// The charts in the order of the page.
    pub(super) fn all(&self) -> Vec<Chart> {
        let lines = self
            .clusters
            .iter()
            .map(|cluster| &cluster.balance)
            .chain(self.clusters.iter().flat_map(|cluster| &cluster.settings))
            .chain(&self.benefit)
            .cloned()
            .map(Chart::Lines);
        lines.chain([Chart::Bars(self.bars.clone()), Chart::Lines(self.compare.clone())]).collect()
    }
}

/// Number of shown periods: those until every controller settles, if the steady state is long.
pub(super) fn shown_periods(shown: &Shown, options: &ViewOptions) -> usize {
    let steps = |run| Steps { run, clusters: shown.study.clusters.len() };
    let all = steps(shown.outcome.chosen()).periods();
    let settled = shown.outcome.controllers.iter().map(|run| steps(run).settled_from()).max().unwrap_or(all);
    if options.whole_run || settled as f64 > LONG_STEADY_STATE * all as f64 {
        all
    } else {
        (settled + settled / 4 + 5).min(all)
    }
}

pub(super) const BALANCE: &str = "Are transfer and compute in balance?";

/// Occupancies and demand of one cluster, and the dead zone.
fn balance(shown: &Shown, window: Window, cluster: usize) -> LineChart {
    let Shown { study, outcome, .. } = shown;
    let steps = Steps { run: outcome.chosen(), clusters: study.clusters.len() };
    let at = |period: usize| steps.of(period, cluster);
    let demand = |step: &Step| {
        let ceiling = |level: usize| study.clusters[cluster].pcie_tops / study.precisions[level].transfer_factor;
        let below = ceiling(step.precision.saturating_sub(1));
        let ceiling = of_data(ceiling(step.precision), below, step.converted_share);
        (step.demand / ceiling).min(MOST_DEMAND)
    };
    let [from, to] = table::dead_zone(&study.table);
    // u = Kp·e lies in the dead zone where e lies in a Kp-th of it.
    let dead_zone = |period: usize| {
        let step = at(period);
        [from, to]
            .map(|end| if step.gains.kp > 0.0 { (step.load + end / step.gains.kp).clamp(0.0, 1.0) } else { step.load })
    };
    let y = Axis {
        label: "occupancy".to_owned(),
        format: |share| if share >= MOST_DEMAND { "≥ 110 %".to_owned() } else { Unit::Share.format(share) },
        scale: Scale::Linear,
        range: [0.0, MOST_DEMAND],
        step_unit: 1.0,
    };
    let mut bands =
        vec![Band { name: "dead zone around p_d".to_owned(), token: COMPUTE, points: window.band(dead_zone) }];
    bands.extend(interval(shown, window, outcome.chosen, Quantity::Pcie(cluster), TRANSFER));
    // Lines: the dead zone has the colour of the load.
    let marked = compare::marked(0, window);
    let whiskers = whiskers(shown, window, outcome.chosen, Quantity::Load(cluster), &marked);
    let load = series("compute load p_d", COMPUTE, window.curve(|period| at(period).load));
    LineChart {
        bands,
        series: vec![
            stepped("demand (÷ transfer ceiling)", Token::Demand, window.steps(|period| demand(at(period)))),
            series("PCIe occupancy p_p", TRANSFER, window.curve(|period| at(period).pcie)),
            Series { samples: Samples { whiskers, ..Samples::default() }, ..load },
        ],
        ..empty(BALANCE, study.clusters[cluster].name.clone(), answer::balance(study, outcome), window, y)
    }
}

pub(super) const ACTIONS: &str = "What did the controller do?";

/// vGPUs, frequency and, where it can move, precision of one cluster.
fn settings(shown: &Shown, window: Window, cluster: usize) -> Vec<LineChart> {
    let Shown { study, outcome, .. } = shown;
    let steps = Steps { run: outcome.chosen(), clusters: study.clusters.len() };
    let token = controller(outcome.chosen);
    let name = &study.clusters[cluster].name;
    let at = |period: usize| steps.of(period, cluster);
    let chart = |label: &str, format: fn(f64) -> String, quantity: Quantity, change: &dyn Fn(&Step) -> f64| {
        let value = |period: usize| quantity.of(study, steps.all(period));
        let mark = |marker: Marker, sign: f64| Samples {
            marker,
            places: window.marks(|period| change(at(period)) * sign > 0.0, value),
            ..Samples::default()
        };
        let line = stepped(label, token, window.steps(value));
        let band = interval(shown, window, outcome.chosen, quantity, token);
        let up = Series { samples: mark(Marker::Up, 1.0), ..series("increase", token, Vec::new()) };
        let down = Series { samples: mark(Marker::Down, -1.0), ..series("decrease", token, Vec::new()) };
        let y = Axis { label: label.to_owned(), format, scale: Scale::Linear, range: [0.0, 1.0], step_unit: 1.0 };
        let subtitle = format!("{name}: {label}");
        let chart = empty(ACTIONS, subtitle, answer::actions(study, outcome), window, y);
        LineChart { bands: band.into_iter().collect(), series: vec![line, up, down], ..chart }
    };
    let mut vgpus = chart("vGPUs", Unit::Count.formatter(), Quantity::Vgpus(cluster), &|step| step.action.vgpus);
    if (0..window.periods).any(|period| at(period).pool > 0.0) || study.manager.spare_vgpus > 0.0 {
        let pool = stepped("in the pool", Token::Uncontrolled, window.steps(|period| at(period).pool));
        vgpus.series.insert(0, pool);
    }
    let frequency = chart("frequency", Unit::Gigahertz.formatter(), Quantity::Frequency(cluster), &|step| {
        step.action.frequency_mhz
    });
    let mut charts = vec![vgpus, frequency];
    let limits = &study.clusters[cluster];
    if limits.lowest_precision != limits.highest_precision {
        let format = |level: f64| Unit::Count.format(level);
        charts.push(chart("precision level", format, Quantity::Precision(cluster), &|step| step.action.precision));
    }
    if limits.voltage.is_some() {
        let voltage = Quantity::Voltage(cluster);
        charts.push(chart("voltage", Unit::Factor.formatter(), voltage, &|step| step.action.voltage));
    }
    if limits.concurrency.is_some() {
        let concurrency = Quantity::Concurrency(cluster);
        charts.push(chart("concurrency", Unit::Count.formatter(), concurrency, &|step| step.action.concurrency));
    }
    for chart in &mut charts {
        let [low, high] = range(&chart.series, &chart.bands);
        let level = if high == 0.0 { 1.0 } else { 0.05 * high.abs() };
        let room = if high > low { 0.08 * (high - low) } else { level };
        chart.y.range = [(low - room).max(0.0), high + room];
    }
    charts
}
