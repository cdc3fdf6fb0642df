//! Allocated GPUs and fragments along the demand: a curve for each policy.

use crossover_allocation::{Allocation, FillPoint, Outcome};
use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, LineChart, Series};
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
    let bands = bands(study, outcome, from, &of);
    let values = || {
        let of_bands = bands.iter().flat_map(|band| band.points.iter().flat_map(|[_, low, high]| [*low, *high]));
        series.iter().flat_map(|series| series.points.iter().map(|point| point[1])).chain(of_bands)
    };
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
        bands,
        series,
        threshold: None,
        points: Vec::new(),
        breakevens: Vec::new(),
        is_editable: false,
    }
}

/// Of each policy the 90 % interval over the arrival orders, that of the study's own policy first; one name in the legend says it for all.
fn bands(study: &Allocation, outcome: &Outcome, from: f64, of: impl Fn(&FillPoint) -> f64) -> Vec<Band> {
    let others = (0..outcome.policies.len()).filter(|place| *place != outcome.chosen);
    let bands = std::iter::once(outcome.chosen).chain(others).enumerate().map(|(nth, place)| {
        let points = outcome.policies[place]
            .range_90
            .iter()
            .map(|[low, high]| [f64::from(low.demand_percent) / 100.0, of(low) / 100.0, of(high) / 100.0]);
        let orders = Unit::Count.format(study.arrivals.orders);
        let name = format!("bands: 90 % interval over {orders} arrival orders, of each policy");
        Band {
            name: if nth == 0 { name } else { String::new() },
            token: Token::Rule(u8::try_from(place).unwrap_or(0)),
            points: points.filter(|[demand, ..]| *demand >= from).collect(),
        }
    });
    bands.filter(|band| !band.points.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use crossover_allocation::evaluate;

    use super::*;

    fn tie(orders: f64) -> Allocation {
        let text = include_str!("../../../scenarios/allocation-tie.ron");
        let scenario = crossover_scenario::read(text).expect("a scenario");
        let mut study = scenario.study.allocation().expect("an allocation study").clone();
        study.arrivals.orders = orders;
        study
    }

    #[test]
    fn every_policy_has_a_band_around_its_mean_and_the_legend_names_it_once() {
        let study = tie(10.0);
        let outcome = evaluate(&study);
        for chart in [Charts::new(&study, &outcome).allocated, Charts::new(&study, &outcome).fragments] {
            assert_eq!(chart.bands.len(), outcome.policies.len());
            let named: Vec<&Band> = chart.bands.iter().filter(|band| !band.name.is_empty()).collect();
            assert!(matches!(named[..], [one] if one.name.contains("over 10 arrival orders")), "{named:?}");
            for band in &chart.bands {
                assert!(
                    band.points
                        .iter()
                        .all(|[_, low, high]| low <= high && *low >= chart.y.range[0] && *high <= chart.y.range[1])
                );
            }
        }
    }

    #[test]
    fn one_arrival_order_has_no_band() {
        let study = tie(1.0);
        assert!(Charts::new(&study, &evaluate(&study)).allocated.bands.is_empty());
    }
}
