//! Charts: policies against the load, and the distribution of latencies.

use crossover_chart::Chart;
use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, Labelled, LineChart, Series, whiskers};
use crossover_chart::theme::Token;
use crossover_preemption::{AtLoad, Bound, ComparedMetric, Comparison, Means, Outcome, Policy, Preemption};
use crossover_quantity::estimate::Estimate;
use crossover_quantity::unit::Unit;
use crossover_scenario::glossary::Meaning;

use super::evaluated::{Curves, EvaluatedStudy};
use super::token;

/// Points of a distribution that are drawn.
const POINTS: usize = 400;
/// Half the width of the line at the study's load, of the width of the chart.
const LINE: f64 = 0.0015;

/// Metric by which policies are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Metric {
    #[default]
    Throughput,
    Turnaround,
    Fairness,
    Latency,
    Latency99,
}

impl Metric {
    /// All of them, in the order of the selector.
    pub(super) const ALL: [Self; 5] =
        [Self::Throughput, Self::Turnaround, Self::Fairness, Self::Latency, Self::Latency99];

    /// On the selector.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Throughput => "Throughput",
            Self::Turnaround => "Turnaround",
            Self::Fairness => "Fairness",
            Self::Latency => "Mean latency",
            Self::Latency99 => "p99 latency",
        }
    }

    /// Meaning of its values, and which are better.
    pub(super) const fn meaning(self) -> Meaning {
        match self {
            Self::Throughput => Meaning::own("Higher is better").and_term("throughput"),
            Self::Turnaround => Meaning::own("Lower is better").and_term("turnaround"),
            Self::Fairness => Meaning::own("1: all kernels progress equally").and_term("fairness"),
            Self::Latency => Meaning::own("Time from arrival to end, mean of all launches; lower is better"),
            Self::Latency99 => Meaning::own("Lower is better").and_term("p99 latency"),
        }
    }

    fn axis(self) -> (&'static str, fn(f64) -> String, Scale) {
        match self {
            Self::Throughput => ("throughput (STP)", Unit::Ratio.formatter(), Scale::Linear),
            Self::Turnaround => ("turnaround (ANTT)", Unit::Factor.formatter(), Scale::Log),
            Self::Fairness => ("fairness", Unit::Ratio.formatter(), Scale::Linear),
            Self::Latency => ("mean latency", Unit::Seconds.formatter(), Scale::Log),
            Self::Latency99 => ("p99 latency", Unit::Seconds.formatter(), Scale::Log),
        }
    }

    fn of(self, means: &Means, hertz: f64) -> Estimate {
        match self {
            Self::Throughput => means.throughput,
            Self::Turnaround => means.turnaround,
            Self::Fairness => means.fairness,
            Self::Latency => means.latency.times(1.0 / hertz),
            Self::Latency99 => means.latency_p99.times(1.0 / hertz),
        }
    }

    fn bound(self, bound: &Bound, hertz: f64) -> Option<f64> {
        match self {
            Self::Throughput => Some(bound.throughput),
            Self::Turnaround => Some(bound.turnaround),
            Self::Latency => Some(bound.latency / hertz),
            Self::Fairness | Self::Latency99 => None,
        }
    }

    fn by(self) -> ComparedMetric {
        match self {
            Self::Throughput => ComparedMetric::Throughput,
            Self::Turnaround => ComparedMetric::Turnaround,
            Self::Fairness => ComparedMetric::Fairness,
            Self::Latency => ComparedMetric::Latency,
            Self::Latency99 => ComparedMetric::Latency99,
        }
    }

    /// The best of some policies, by its position, and whether each differs significantly from it on the same streams; `is_fixed`: the
    /// only stream is not random. Of equal ones the first is best; none without a policy.
    pub(super) fn best<'a>(
        self,
        policies: impl IntoIterator<Item = &'a Means>,
        is_fixed: bool,
    ) -> Option<(usize, Vec<bool>)> {
        let policies: Vec<&Means> = policies.into_iter().collect();
        let value = |means: &Means| self.of(means, 1.0).mean;
        let order = |a: &(usize, &Means), b: &(usize, &Means)| {
            let order = value(a.1).total_cmp(&value(b.1));
            if self.is_more_better() { order.reverse() } else { order }
        };
        let (place, best) = policies.iter().copied().enumerate().min_by(order)?;
        let is_apart = |means: &&Means| matches!(means.more(best, self.by(), is_fixed), Comparison::Differs(_));
        Some((place, policies.iter().map(is_apart).collect()))
    }

    fn is_more_better(self) -> bool {
        matches!(self, Self::Throughput | Self::Fairness)
    }
}

/// Exported curves of the page: along the load by the selected metric, then the distribution.
pub(super) fn all(shown: &EvaluatedStudy, curves: Option<&Curves>, metric: Metric) -> Vec<Chart> {
    let along = curves.filter(|curves| !curves.at.is_empty());
    let along = along.map(|curves| Chart::Lines(along_load(curves, shown.study.rule.policy, metric)));
    along.into_iter().chain([Chart::Lines(shown.latencies.clone())]).collect()
}

/// A line for each policy along the load.
pub(super) fn along_load(curves: &Curves, chosen: Policy, metric: Metric) -> LineChart {
    let (label, format, scale) = metric.axis();
    let value = |at: &AtLoad, place: usize| metric.of(&at.policies[place], curves.hertz);
    let line = |name: String, token: Token, dashed: bool, points: Vec<[f64; 2]>| Series {
        dashed,
        ..Series::line(name, token, points)
    };
    let mut series: Vec<Series> = Policy::ALL
        .iter()
        .enumerate()
        .map(|(place, policy)| {
            let points = curves.at.iter().map(|at| [at.load, value(at, place).mean]).collect();
            line(policy.label().to_owned(), token::policy(*policy), false, points)
        })
        .collect();
    let bound: Vec<[f64; 2]> =
        curves.at.iter().filter_map(|at| Some([at.load, metric.bound(&at.bound, curves.hertz)?])).collect();
    if !bound.is_empty() {
        let name = if metric.is_more_better() { "upper bound" } else { "lower bound" };
        series.push(line(name.to_owned(), Token::Text, true, bound));
    }
    let interval = |place: usize| -> Vec<[f64; 3]> {
        let at = curves.at.iter().filter_map(|at| {
            let [low, high] = value(at, place).interval?;
            Some([at.load, low, high]).filter(|ends| ends.iter().all(|end| end.is_finite()))
        });
        at.collect()
    };
    let intervals: Vec<Vec<[f64; 3]>> = (0..Policy::ALL.len()).map(interval).collect();
    let means = series.iter().flat_map(|series| &series.points).map(|point| point[1]).filter(|y| y.is_finite());
    let values = means.chain(intervals.iter().flatten().map(|[.., high]| *high));
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), y| (low.min(y), high.max(y)));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
    let range = match scale {
        Scale::Log => [low / 1.1, high * 1.1],
        Scale::Linear | Scale::Time => [0.0, 1.05 * high.max(1e-9)],
    };
    let (from, to) = match (curves.at.first(), curves.at.last()) {
        (Some(first), Some(last)) => (first.load, last.load),
        _ => (0.0, 1.0),
    };
    let place = Policy::ALL.iter().position(|policy| *policy == chosen).unwrap_or(0);
    let half = LINE * (to - from);
    let here = Band {
        name: "load of this study".to_owned(),
        token: Token::Text,
        points: [-half, half].map(|step| [curves.load + step, low.max(range[0]), high]).into(),
    };
    let streams = curves.at.iter().flat_map(|at| &at.policies).map(|means| means.throughput.runs).max().unwrap_or(0);
    // Nine bands on each other could not be told apart: that of the selected policy, and lines of the others.
    let mut bands: Vec<Band> = Vec::new();
    for (nth, (policy, interval)) in Policy::ALL.iter().zip(intervals).enumerate() {
        let points: Vec<[f64; 3]> =
            interval.into_iter().map(|[load, low, high]| [load, low.max(range[0]), high]).collect();
        if nth != place {
            series[nth].samples.whiskers = whiskers(&points, nth, Policy::ALL.len());
        } else if !points.is_empty() {
            let name = "90 % interval".to_owned();
            bands.push(Band { name, token: token::policy(*policy), points });
        }
    }
    let has_intervals = !bands.is_empty();
    bands.push(here);
    let mark = curves.at.iter().find(|at| at.load == curves.load).map(|at| Labelled {
        label: Unit::Share.format(at.load),
        short: String::new(),
        x: at.load,
        y: value(at, place).mean,
        token: token::policy(chosen),
    });
    LineChart {
        subtitle: if has_intervals {
            format!("means over {streams} streams; band and vertical lines: 90 % intervals")
        } else {
            "one stream, so no intervals".to_owned()
        },
        answer: match answer(curves, metric) {
            answer if answer.is_empty() => answer,
            answer if has_intervals => {
                format!("{answer} The band and the vertical lines are 90 % intervals over {streams} streams.")
            }
            answer => format!("{answer} No intervals: the study has one stream."),
        },
        bands,
        series,
        points: mark.into_iter().collect(),
        ..LineChart::new(
            "Which policy is best at which load?",
            Axis {
                label: "load".to_owned(),
                format: Unit::Share.formatter(),
                scale: Scale::Linear,
                range: [from, to],
                step_unit: 1.0,
            },
            Axis { label: label.to_owned(), format, scale, range, step_unit: 1.0 },
        )
    }
}

/// "Best at 110 %: drain, 0.9164; 6 others do not differ significantly; at 20 %: …": by their differences stream by stream.
fn answer(curves: &Curves, metric: Metric) -> String {
    let at = |at: &AtLoad| {
        let (place, is_apart) = metric.best(&at.policies, false)?;
        let alike = is_apart.iter().filter(|is_apart| !**is_apart).count() - 1;
        Some((Policy::ALL[place], metric.of(&at.policies[place], curves.hertz).mean, alike))
    };
    let own = curves.at.iter().find(|of| of.load == curves.load).and_then(at);
    let Some((policy, value, alike)) = own else { return String::new() };
    let (_, format, _) = metric.axis();
    let alike = match alike {
        0 => String::new(),
        1 => "; one other does not differ significantly".to_owned(),
        several => format!("; {several} others do not differ significantly"),
    };
    let ends = [curves.at.first(), curves.at.last()].into_iter().flatten().filter_map(|of| {
        let (policy, _, alike) = at(of)?;
        let load = Unit::Share.format(of.load);
        let others = match alike {
            0 => String::new(),
            1 => ", tied with one other".to_owned(),
            several => format!(", tied with {several} others"),
        };
        Some(format!("at {load}: {}{others}", policy.label()))
    });
    let ends: Vec<String> = ends.collect();
    format!(
        "Best at {}: {}, {}{alike}; {}.",
        Unit::Share.format(curves.load),
        policy.label(),
        format(value),
        ends.join("; ")
    )
}

/// Share of the launches against their latency, for the selected policy and two baselines.
pub(super) fn latencies(study: &Preemption, outcome: &Outcome) -> LineChart {
    let chosen = study.rule.policy;
    let mut policies = vec![chosen];
    policies.extend([Policy::Exclusive, Policy::Sharing].into_iter().filter(|policy| *policy != chosen));
    let hertz = study.gpu.clock_mhz * 1e6;
    // They ascend.
    let ends = policies.iter().filter_map(|policy| {
        let latencies = &outcome.of(*policy).latencies;
        Some([*latencies.iter().find(|cycles| **cycles > 0.0)?, *latencies.last()?])
    });
    let (low, high) =
        ends.fold((f64::INFINITY, 0.0_f64), |(low, high), [least, most]| (low.min(least), high.max(most)));
    // Every curve begins at none and ends at all of them.
    let ends = if low <= high { [0.9 * low / hertz, 1.1 * high / hertz] } else { [1e-6, 1.0] };
    let series: Vec<Series> = policies
        .iter()
        .map(|policy| {
            let latencies = &outcome.of(*policy).latencies;
            let count = latencies.len();
            let step = count.div_ceil(POINTS).max(1);
            let mut points = vec![[ends[0], 0.0]];
            points.extend(latencies.first().map(|least| [least / hertz, 0.0]));
            let ranks = (0..count).filter(|rank| rank % step == 0 || rank + 1 == count);
            points.extend(ranks.map(|rank| [latencies[rank] / hertz, (rank + 1) as f64 / count as f64]));
            points.push([ends[1], 1.0]);
            Series::steps(policy.label(), token::policy(*policy), points)
        })
        .collect();
    let half = |policy: Policy| {
        let latencies = &outcome.of(policy).latencies;
        latencies.get(latencies.len().saturating_sub(1) / 2).map(|cycles| cycles / hertz)
    };
    let sentences: Vec<String> = policies
        .iter()
        .filter_map(|policy| Some(format!("{} {}", policy.label(), Unit::Seconds.format(half(*policy)?))))
        .collect();
    LineChart {
        subtitle: "every launch of the first stream, from arrival to end; no intervals for a single stream".to_owned(),
        answer: format!("Median latency: {}.", sentences.join(", ")),
        series,
        ..LineChart::new(
            "How long do launches take?",
            Axis {
                label: "latency".to_owned(),
                format: Unit::Seconds.formatter(),
                scale: Scale::Log,
                range: ends,
                step_unit: 1.0,
            },
            Axis {
                label: "share of launches".to_owned(),
                format: Unit::Share.formatter(),
                scale: Scale::Linear,
                range: [0.0, 1.0],
                step_unit: 1.0,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use crossover_preemption::along_load as at_loads;
    use crossover_scenario as scenario;
    use crossover_study::Watch;

    use super::*;

    fn chart(streams: f64) -> LineChart {
        let text = include_str!("../../../scenarios/preemption-rodinia.ron");
        let mut study = scenario::read(text).expect("an example").preemption().expect("a study").clone();
        (study.stream.launches, study.stream.streams) = (60.0, streams);
        let loads = [0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8];
        let at = Watch::uncancellable(|watch| at_loads(&study, &loads, watch)).expect("not cancelled");
        let curves = Curves { load: 1.0, hertz: study.gpu.clock_mhz * 1e6, at };
        along_load(&curves, study.rule.policy, Metric::Throughput)
    }

    #[test]
    fn the_selected_policy_has_a_band_around_its_curve_and_the_others_have_lines_through_theirs() {
        let chart = chart(3.0);
        let [band, here] = &chart.bands[..] else { panic!("{:?}", chart.bands) };
        assert_eq!(here.name, "load of this study");
        let mut at: Vec<f64> = Vec::new();
        for curve in &chart.series[..Policy::ALL.len()] {
            let mean = |x: f64| curve.points.iter().find(|point| point[0] == x).expect("a load")[1];
            if curve.token == band.token {
                assert_eq!((band.points.len(), curve.samples.whiskers.len()), (curve.points.len(), 0));
                let is_around = |[x, low, high]: &[f64; 3]| (*low..=*high).contains(&mean(*x));
                assert!(band.points.iter().all(is_around), "{}: {band:?}", curve.name);
            }
            for [[x, low], [_, high]] in &curve.samples.whiskers {
                assert!((*low..=*high).contains(&mean(*x)), "{}: {low} … {high}", curve.name);
                at.push(*x);
            }
        }
        // No two on each other, and some of others than the selected one.
        at.sort_by(f64::total_cmp);
        assert!(!at.is_empty() && at.windows(2).all(|pair| pair[0] < pair[1]), "{at:?}");
    }

    #[test]
    fn one_stream_has_no_interval_and_the_chart_says_so() {
        let chart = chart(1.0);
        assert_eq!(chart.bands.len(), 1, "the load of the study");
        assert!(chart.answer.ends_with(" No intervals: the study has one stream."), "{}", chart.answer);
    }
}
