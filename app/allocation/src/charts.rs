//! Allocated GPUs and fragments along the demand: a curve for each policy.

use crossover_allocation::{Allocation, FillPoint, Outcome};
use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, LineChart, Samples, Series, whiskers};
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
            let curve = Series::line(name, token(place), points.filter(|[demand, _]| *demand >= from).collect());
            if place == outcome.chosen {
                return curve;
            }
            let whiskers = whiskers(&interval(outcome, place, from, &of), place, outcome.policies.len());
            Series { samples: Samples { whiskers, ..Samples::default() }, ..curve }
        })
        .collect();
    let bands = band(study, outcome, from, &of);
    let values = || {
        let of_bands = bands.iter().flat_map(|band| band.points.iter().flat_map(|[_, low, high]| [*low, *high]));
        let of_lines = series.iter().flat_map(|series| series.samples.whiskers.iter().flatten()).map(|end| end[1]);
        let of_curves = series.iter().flat_map(|series| series.points.iter().map(|point| point[1]));
        of_curves.chain(of_lines).chain(of_bands)
    };
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(0.0, f64::max);
    let room = (0.05 * (high - low)).max(0.005);
    let end = series.iter().filter_map(|series| series.points.last()).map(|point| point[0]).fold(from, f64::max);
    LineChart {
        subtitle: format!("mean over {} arrival orders", Unit::Count.format(study.arrivals.orders)),
        bands,
        series,
        ..LineChart::new(
            "",
            Axis {
                label: "requested GPUs, of all".to_owned(),
                format: Unit::Share.formatter(),
                scale: Scale::Linear,
                range: [from, end.max(from + 0.01)],
                step_unit: 1.0,
            },
            Axis {
                label: format!("{label}, of all"),
                format: Unit::Share.formatter(),
                scale: Scale::Linear,
                range: if low <= high { [(low - room).max(0.0), high + room] } else { [0.0, 1.0] },
                step_unit: 1.0,
            },
        )
    }
}

fn token(place: usize) -> Token {
    Token::Rule(u8::try_from(place).unwrap_or(0))
}

/// The 90 % interval of a policy over the arrival orders at each demand; empty with one order.
fn interval(outcome: &Outcome, place: usize, from: f64, of: impl Fn(&FillPoint) -> f64) -> Vec<[f64; 3]> {
    let points = outcome.policies[place]
        .range_90
        .iter()
        .map(|[low, high]| [f64::from(low.demand_percent) / 100.0, of(low) / 100.0, of(high) / 100.0]);
    points.filter(|[demand, ..]| *demand >= from).collect()
}

/// The interval of the study's own policy as a band. The other policies have lines: bands on each other could not be told apart.
fn band(study: &Allocation, outcome: &Outcome, from: f64, of: impl Fn(&FillPoint) -> f64) -> Vec<Band> {
    let points = interval(outcome, outcome.chosen, from, of);
    if points.is_empty() {
        return Vec::new();
    }
    let orders = Unit::Count.format(study.arrivals.orders);
    let name = format!("90 % interval over {orders} arrival orders; vertical lines: other policies");
    vec![Band { name, token: token(outcome.chosen), points }]
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
    fn the_own_policy_has_a_band_and_the_others_lines_all_within_the_axis() {
        let study = tie(10.0);
        let mut outcome = evaluate(&study);
        // The only task is the same in every order: these differ.
        for [_, high] in outcome.policies.iter_mut().flat_map(|policy| &mut policy.range_90) {
            high.allocated_percent += 1.0;
            high.fragmented_percent += 1.0;
        }
        for chart in [Charts::new(&study, &outcome).allocated, Charts::new(&study, &outcome).fragments] {
            let [band] = &chart.bands[..] else { panic!("{:?}", chart.bands) };
            assert!(band.name.contains("over 10 arrival orders"), "{}", band.name);
            assert_eq!(band.token, chart.series[outcome.chosen].token);
            assert!(chart.series[outcome.chosen].samples.whiskers.is_empty());
            let [least, most] = chart.y.range;
            let is_within = |low: f64, high: f64| least <= low && low <= high && high <= most;
            assert!(band.points.iter().all(|[_, low, high]| is_within(*low, *high)), "{band:?}");
            let lines: Vec<&[[f64; 2]; 2]> = chart.series.iter().flat_map(|series| &series.samples.whiskers).collect();
            assert!(!lines.is_empty());
            assert!(lines.iter().all(|[[_, low], [_, high]]| is_within(*low, *high)), "{lines:?}");
        }
    }

    #[test]
    fn one_arrival_order_has_no_band() {
        let study = tie(1.0);
        let chart = Charts::new(&study, &evaluate(&study)).allocated;
        assert!(chart.bands.is_empty() && chart.series.iter().all(|series| series.samples.whiskers.is_empty()));
    }
}
