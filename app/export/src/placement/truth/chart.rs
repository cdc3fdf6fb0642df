//! Predicted against measured, as a chart.

use clap::ValueEnum;
use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, LineChart, Marker, Samples, Series};
use crossover_chart::theme::Token;
use crossover_engine::predict::Range;
use crossover_engine::truth::{Errors, Sides};
use crossover_engine::{Judged, Summary, judge};
use crossover_plan::cases::Compared;
use crossover_quantity::unit::Unit;

use super::{judged, labels};

/// Half the width of the band of small errors, as a factor.
const BAND: f64 = 1.25;

/// A number that is predicted and measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, ValueEnum)]
pub enum Of {
    /// Time on CPUs ÷ time on GPUs
    #[default]
    Speedup,
    /// Time on CPUs
    Cpu,
    /// Time on GPUs
    Gpu,
}

impl Of {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 3] = [Self::Speedup, Self::Cpu, Self::Gpu];

    /// Its name on the page, for these cases.
    #[must_use]
    pub fn label(self, compared: &[Compared]) -> String {
        let [cpu, gpu] = labels(compared);
        let time = |label: String| match label.as_str() {
            "CPU" | "GPU" => format!("time on {label}s"),
            name => format!("time in {name}"),
        };
        match self {
            Self::Speedup => "speedup".to_owned(),
            Self::Cpu => time(cpu),
            Self::Gpu => time(gpu),
        }
    }

    fn token(self) -> Token {
        match self {
            Self::Speedup => Token::Accent,
            Self::Cpu => Token::Cpu,
            Self::Gpu => Token::Gpu,
        }
    }

    /// Writes a value.
    fn format(self) -> fn(f64) -> String {
        match self {
            Self::Speedup => |value| Unit::Factor.format(value),
            Self::Cpu | Self::Gpu => |value| Unit::Seconds.format(value),
        }
    }

    /// What is predicted, and what was measured; `None` also if the query cannot be judged.
    #[must_use]
    pub fn pair(self, judged: &Judged) -> Option<(Range, f64)> {
        let prediction = judged.judgeable()?;
        match self {
            Self::Speedup => Some((prediction.speedup, judged.speedup()?)),
            Self::Cpu => Some((prediction.cpu, judged.cpu_seconds?)),
            Self::Gpu => Some((prediction.gpu, judged.gpu_seconds?)),
        }
    }

    fn errors(self, summary: &Summary) -> Option<Errors> {
        match self {
            Self::Speedup => summary.speedup,
            Self::Cpu => summary.cpu,
            Self::Gpu => summary.gpu,
        }
    }
}

/// The cases that a chart shows, by place, those inside their range first: as its marks are numbered.
#[must_use]
pub fn shown(compared: &[Compared], of: Of) -> [Vec<usize>; 2] {
    let known = (0..compared.len()).filter(|at| of.pair(&compared[*at].judged).is_some());
    // Without a range nothing is outside of it.
    let is_inside = |at: &usize| {
        of.pair(&compared[*at].judged).is_some_and(|(range, measured)| !range.is_known() || range.contains(measured))
    };
    let (inside, outside) = known.partition(is_inside);
    [inside, outside]
}

/// Predicted against measured, each case a mark with its name.
#[must_use]
pub fn truth_chart(compared: &[Compared], of: Of) -> LineChart {
    let summary = judge(&judged(compared));
    let label = of.label(compared);
    let mark = |at: usize| {
        let pair = of.pair(&compared[at].judged);
        let place = pair.map_or([f64::NAN; 2], |(found, measured)| [measured, found.value]);
        Mark { name: compared[at].case.name.clone(), place }
    };
    let [inside, outside] = shown(compared, of).map(|cases| cases.into_iter().map(mark).collect());
    Accuracy {
        title: format!("How accurate is the predicted {label}?"),
        answer: answer(&summary, of),
        label,
        token: of.token(),
        format: of.format(),
        has_ranges: of.errors(&summary).is_some_and(|errors| errors.coverage.is_some()),
        inside,
        outside,
    }
    .chart()
}

/// A predicted value beside its measurement.
pub(super) struct Mark {
    pub(super) name: String,
    /// The measured and the predicted value.
    pub(super) place: [f64; 2],
}

/// Predicted against measured values, as a chart.
pub(super) struct Accuracy {
    pub(super) title: String,
    pub(super) answer: String,
    /// What is predicted, as the axes name it.
    pub(super) label: String,
    pub(super) token: Token,
    pub(super) format: fn(f64) -> String,
    /// Whether any prediction has an interval.
    pub(super) has_ranges: bool,
    /// Those inside their interval, or without one.
    pub(super) inside: Vec<Mark>,
    pub(super) outside: Vec<Mark>,
}

impl Accuracy {
    pub(super) fn chart(self) -> LineChart {
        let ends = ends(self.inside.iter().chain(&self.outside).flat_map(|mark| mark.place));
        let axis = |what: &str| Axis {
            label: format!("{what} {}", self.label),
            format: self.format,
            scale: Scale::Log,
            range: ends,
            step_unit: 1.0,
        };
        let samples = |marker: Marker, marks: &[Mark]| Samples {
            marker,
            places: marks.iter().map(|mark| mark.place).collect(),
            names: marks.iter().map(|mark| mark.name.clone()).collect(),
            ..Samples::default()
        };
        let diagonal = Series::line("as measured", Token::Threshold, ends.map(|end| [end, end]).to_vec());
        let within = if self.has_ranges { "inside its 90 % interval" } else { "case" };
        let mut series = vec![diagonal, Series::marks(within, self.token, samples(Marker::Diamond, &self.inside))];
        if !self.outside.is_empty() {
            let hollow = samples(Marker::Down, &self.outside);
            series.push(Series::marks("outside its 90 % interval", Token::Error, hollow));
        }
        LineChart {
            answer: self.answer,
            bands: vec![Band {
                name: "error of at most 25 %".to_owned(),
                token: Token::Threshold,
                points: ends.map(|end| [end, end / BAND, end * BAND]).to_vec(),
            }],
            series,
            ..LineChart::new(self.title, axis("measured"), axis("predicted"))
        }
    }
}

/// Errors of predictions, and of the median baseline.
pub(crate) fn answer(summary: &Summary, of: Of) -> String {
    let Some(errors) = of.errors(summary) else { return "No case has this measurement.".to_owned() };
    let share = |value: f64| Unit::Share.format(value);
    let cases = if errors.count == 1 { "one case".to_owned() } else { format!("{} cases", errors.count) };
    let off = format!("Median error of {cases}: {}", share(errors.median));
    if of != Of::Speedup {
        return format!("{off}; 90 % are within {}.", share(errors.ninth_decile));
    }
    let usual = summary.median_baseline_speedup.map(|usual| {
        let better = if usual.median < errors.median { ", less than these predictions" } else { "" };
        format!(
            ". The median baseline, which guesses the median speedup of the other queries, has an error of {}{better}",
            share(usual.median)
        )
    });
    let Sides { clear_right, clear, .. } = summary.sides;
    let sides = if clear == 0 {
        " No speedup is clear.".to_owned()
    } else {
        let usual = summary.median_baseline_sides.clear_right;
        format!(
            " Faster side predicted correctly in {clear_right} of {clear} clear cases (speedup below 0.8 or above 1.25), by the median baseline in {usual}."
        )
    };
    format!("{off}{}.{sides}", usual.unwrap_or_default())
}

/// The smallest and the largest value with some room, the same for both axes.
fn ends(values: impl Iterator<Item = f64>) -> [f64; 2] {
    const ROOM: f64 = 1.4;
    let positive = values.filter(|value| *value > 0.0 && value.is_finite());
    let [low, high] = positive.fold([f64::INFINITY, 0.0], |[low, high], value| [value.min(low), value.max(high)]);
    if low <= high { [low / ROOM, high * ROOM] } else { [0.1, 10.0] }
}
