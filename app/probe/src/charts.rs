//! Charts of scores, scaling and hours of the day.

use crossover_chart::Chart;
use crossover_chart::axis::{Axis, Scale};
use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::lines::{Band, Labelled, LineChart, Samples, Series};
use crossover_chart::theme::Token;
use crossover_probe::{CentreOutcome, Outcome, Probe};
use crossover_quantity::unit::Unit;

/// Points of a fitted curve.
const POINTS: usize = 80;
/// Most centres that are drawn, the best ones.
const DRAWN: usize = 8;

/// The charts of the page.
#[derive(Debug)]
pub(super) struct Charts {
    /// Scores with their intervals.
    pub(super) ranking: BarChart,
    /// Throughput against units.
    pub(super) scaling: LineChart,
    /// Time of the probe against the hour of the day; none if no centre was probed over a day.
    pub(super) day: Option<LineChart>,
}

/// The colour of a centre, by its index in the study.
pub(super) fn token(centre: usize) -> Token {
    Token::Rule(u8::try_from(centre % 8).unwrap_or(0))
}

impl Charts {
    pub(super) fn new(study: &Probe, outcome: &Outcome) -> Self {
        let drawn: Vec<usize> = outcome.order().into_iter().take(DRAWN).collect();
        Self {
            ranking: ranking(study, outcome),
            scaling: scaling(study, outcome, &drawn),
            day: day(study, outcome, &drawn),
        }
    }

    /// All of them, as they are exported.
    pub(super) fn all(&self) -> Vec<Chart> {
        let mut all = vec![Chart::Bars(self.ranking.clone()), Chart::Lines(self.scaling.clone())];
        all.extend(self.day.clone().map(Chart::Lines));
        all
    }
}

fn score(value: f64) -> String {
    Unit::Ratio.format(value)
}

fn ranking(study: &Probe, outcome: &Outcome) -> BarChart {
    let row = |rank: &crossover_probe::Rank| {
        let of = &outcome.centres[rank.centre];
        let name = study.centres[rank.centre].name.clone();
        let centre_score = of.score.unwrap_or(crossover_probe::Score { value: 0.0, interval: None });
        let tied: Vec<&str> = rank.tied.iter().map(|other| study.centres[*other].name.as_str()).collect();
        BarRow {
            group: format!("{}. {name}", rank.rank),
            label: String::new(),
            token: token(rank.centre),
            start: 0.0,
            interval: centre_score.interval,
            segments: vec![Segment { name: "score".to_owned(), token: token(rank.centre), value: centre_score.value }],
            total: centre_score.value,
            note: if tied.is_empty() {
                String::new()
            } else {
                format!("no significant difference from {}", tied.join(", "))
            },
            detail: String::new(),
        }
    };
    BarChart {
        title: "Which centre scores highest?".to_owned(),
        subtitle: "score, with 95 % interval".to_owned(),
        answer: outcome.sentence(study),
        step_unit: 1.0,
        unit_format: score,
        rows: outcome.ranking.iter().map(row).collect(),
    }
}

fn scaling(study: &Probe, outcome: &Outcome, drawn: &[usize]) -> LineChart {
    let mut series = Vec::new();
    let mut bands = Vec::new();
    let mut marks = Vec::new();
    let mut sentences = Vec::new();
    let (mut most, mut highest) = (2.0_f64, 0.0_f64);
    for centre in drawn {
        let of: &CentreOutcome = &outcome.centres[*centre];
        let Ok(scaled) = &of.scaled else { continue };
        let last = scaled.means.last().map_or(1.0, |mean| mean.units);
        most = most.max(last);
        let name = &study.centres[*centre].name;
        let curve = (0..=POINTS).map(|step| {
            let units = last.powf(step as f64 / POINTS as f64);
            [units, scaled.law.at(units)]
        });
        let curve: Vec<[f64; 2]> = curve.collect();
        let means: Vec<[f64; 2]> = scaled.means.iter().map(|mean| [mean.units, mean.throughput]).collect();
        highest = curve.iter().chain(&means).map(|point| point[1]).fold(highest, f64::max);
        let poor = if scaled.law.is_poor() { ", poor" } else { "" };
        bands.extend(scaled.around().map(|off| Band {
            name: String::new(),
            token: token(*centre),
            points: curve.iter().map(|[x, y]| [*x, y * (1.0 - off).max(0.0), y * (1.0 + off)]).collect(),
        }));
        let line = Series::line(format!("{name}: R² {:.3}{poor}", scaled.law.r_squared), token(*centre), curve);
        series.push(Series { samples: Samples { places: means, ..Samples::default() }, ..line });
        let units = of.recommended;
        marks.push(Labelled {
            label: format!("{name}: {}", Unit::Count.format(units)),
            short: String::new(),
            x: units.min(last),
            y: scaled.law.at(units.min(last)),
            token: token(*centre),
        });
        sentences.push(format!("{name} {}", Unit::Count.format(units)));
    }
    let answer = if sentences.is_empty() {
        "No centre has run the probe on three numbers of units, so there is no scaling fit.".to_owned()
    } else {
        format!("Recommended units: {}.", sentences.join(", "))
    };
    LineChart {
        subtitle: if bands.is_empty() {
            "measured means and the fitted law; an interval needs four numbers of units".to_owned()
        } else {
            "measured means and the fitted law; bands: 90 % prediction intervals of means".to_owned()
        },
        answer,
        bands,
        series,
        points: marks,
        ..LineChart::new(
            "How far does work scale?",
            Axis {
                label: "units".to_owned(),
                format: |units| Unit::Count.format(units),
                scale: Scale::Log,
                range: [1.0, most],
                step_unit: 1.0,
            },
            Axis {
                label: "probes per second".to_owned(),
                format: |rate| Unit::Ratio.format(rate),
                scale: Scale::Linear,
                range: [0.0, if highest > 0.0 { 1.1 * highest } else { 1.0 }],
                step_unit: 1.0,
            },
        )
    }
}

fn day(study: &Probe, outcome: &Outcome, drawn: &[usize]) -> Option<LineChart> {
    let mut series = Vec::new();
    let mut sentences = Vec::new();
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for centre in drawn {
        let Some(network) = &outcome.centres[*centre].network else { continue };
        let name = &study.centres[*centre].name;
        let mut points: Vec<[f64; 2]> = Vec::new();
        for (hour, band) in network.hours.iter().enumerate() {
            let value = band.map_or(f64::NAN, |seconds| seconds / network.seconds);
            points.push([hour as f64, value]);
        }
        if let Some([_, value]) = points.last().copied() {
            points.push([24.0, value]);
        }
        for [_, value] in points.iter().filter(|point| point[1].is_finite()) {
            (low, high) = (low.min(*value), high.max(*value));
        }
        series.push(Series::steps(name, token(*centre), points));
        if let Some(best) = outcome.centres[*centre].best_window() {
            let clock = crossover_export::probe::network::clock;
            sentences.push(format!("{name} {} – {}", clock(best.from), clock(best.until)));
        }
    }
    let answer = if sentences.is_empty() {
        "The time of the probe has no change point over the day.".to_owned()
    } else {
        format!("Best window: {}.", sentences.join(", "))
    };
    (!series.is_empty()).then(|| LineChart {
        subtitle: "time of the probe ÷ its mean, by hour of the day; levels between change points, without intervals"
            .to_owned(),
        answer,
        series,
        ..LineChart::new(
            "When is the network fastest?",
            Axis {
                label: "hour of the day, UTC".to_owned(),
                format: |hour| format!("{hour:.0}"),
                scale: Scale::Linear,
                range: [0.0, 24.0],
                step_unit: 1.0,
            },
            Axis {
                label: "time of the probe ÷ mean".to_owned(),
                format: |share| Unit::Factor.format(share),
                scale: Scale::Linear,
                range: [0.95 * low.min(1.0), 1.05 * high.max(1.0)],
                step_unit: 1.0,
            },
        )
    })
}
