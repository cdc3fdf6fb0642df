//! Allocated GPUs and fragments along the demand: a curve for each policy.

use crossover_allocation::{Allocation, FillPoint, Outcome};
use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{LineChart, Series};
use crossover_chart::theme::Token;
use crossover_quantity::unit::Unit;

/// Policies differ once the cluster is this full: smaller demands are not drawn.
const FROM: f64 = 0.5;

/// The charts of the page.
#[derive(Debug)]
pub(super) struct Charts {
    /// Allocated GPUs.
    pub(super) allocated: LineChart,
    /// Fragments.
    pub(super) fragments: LineChart,
}

impl Charts {
    pub(super) fn new(study: &Allocation, outcome: &Outcome) -> Self {
        let allocated = |point: &FillPoint| point.allocated_percent;
        let fragments = |point: &FillPoint| point.fragmented_percent;
        Self {
            allocated: LineChart {
                title: "How many GPUs are allocated?".to_owned(),
                answer: outcome.sentence(),
                ..chart(study, outcome, "allocated GPUs", allocated)
            },
            fragments: LineChart {
                title: "How many GPUs are in fragments?".to_owned(),
                answer: "Fragments are idle GPU capacity that typical tasks cannot use; lower is better.".to_owned(),
                ..chart(study, outcome, "GPUs in fragments", fragments)
            },
        }
    }
}

fn chart(study: &Allocation, outcome: &Outcome, label: &str, of: impl Fn(&FillPoint) -> f64) -> LineChart {
    let from = FROM * study.arrivals.demand.min(1.0);
    let series: Vec<Series> = outcome
        .policies
        .iter()
        .enumerate()
        .map(|(place, policy)| {
            let points = policy.curve.iter().map(|point| [f64::from(point.demand_percent) / 100.0, of(point) / 100.0]);
            let own = if place == outcome.chosen { " (this study)" } else { "" };
            let name = format!("{}{own}", policy.policy.label());
            let token = Token::Rule(u8::try_from(place).unwrap_or(0));
            Series::line(name, token, points.filter(|[demand, _]| *demand >= from).collect())
        })
        .collect();
    let values = || series.iter().flat_map(|series| series.points.iter().map(|point| point[1]));
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(0.0, f64::max);
    let room = (0.05 * (high - low)).max(0.005);
    let end = series.iter().filter_map(|series| series.points.last()).map(|point| point[0]).fold(from, f64::max);
    LineChart {
        title: String::new(),
        subtitle: format!("mean over {} arrival orders", Unit::Count.format(study.arrivals.orders)),
        answer: String::new(),
        x: Axis {
            label: "requested GPUs, of all".to_owned(),
            format: Unit::Share.formatter(),
            scale: Scale::Linear,
            range: [from, end.max(from + 0.01)],
        },
        y: Axis {
            label: format!("{label}, of all"),
            format: Unit::Share.formatter(),
            scale: Scale::Linear,
            range: if low <= high { [(low - room).max(0.0), high + room] } else { [0.0, 1.0] },
        },
        bands: Vec::new(),
        series,
        threshold: None,
        points: Vec::new(),
        breakevens: Vec::new(),
        is_editable: false,
    }
}
