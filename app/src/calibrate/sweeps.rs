//! Time against size: the measured sweeps of each operator, their fitted curves, and where one overtakes
//! another.

use crossover_gpu_bench::report::{Measurement, Side};
use crossover_model::calibration::{MeasuredCurve, OperatorFigures};
use crossover_model::unit::Unit;
use egui::{RichText, Ui};

use super::run::Run;
use crate::chart::axis::{Axis, Scale};
use crate::chart::lines::{LineChart, Marker, Samples, Series};
use crate::chart::screen::{self, Swatch};
use crate::theme::Token;

/// Operators that are measured on every side, by the name that ids and calibration give them.
pub(super) const OPERATORS: [&str; 4] = ["filter", "join", "aggregate", "sort"];
/// Least width of a chart, in points.
const LEAST_WIDTH: f32 = 300.0;
/// Points of a fitted curve.
const POINTS: u8 = 48;
/// Bytes that times are given for, as in "per 100 MB".
const REFERENCE_BYTES: f64 = 1e8;

/// Where a sweep ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    OneCore,
    AllCores,
    Resident,
    EndToEnd,
}

impl Place {
    const ALL: [Self; 4] = [Self::OneCore, Self::AllCores, Self::Resident, Self::EndToEnd];

    /// Its name; what a program on the CPU does is not said to be a GPU's.
    fn label(self, is_software: bool) -> &'static str {
        match (self, is_software) {
            (Self::OneCore, _) => "CPU, one core",
            (Self::AllCores, _) => "CPU, all cores",
            (Self::Resident, false) => "GPU, data resident",
            (Self::Resident, true) => "software, data resident",
            (Self::EndToEnd, false) => "GPU, end to end",
            (Self::EndToEnd, true) => "software, end to end",
        }
    }

    fn look(self) -> (Token, Marker) {
        match self {
            Self::OneCore => (Token::Cpu, Marker::Diamond),
            Self::AllCores => (Token::Cpu, Marker::Square),
            Self::Resident => (Token::Gpu, Marker::Up),
            Self::EndToEnd => (Token::Gpu, Marker::Down),
        }
    }

    fn is_of(self, measurement: &Measurement) -> bool {
        match self {
            Self::OneCore => measurement.side == Side::Cpu && measurement.threads == 1,
            Self::AllCores => measurement.side == Side::Cpu && measurement.threads > 1,
            Self::Resident => measurement.side == Side::Gpu,
            Self::EndToEnd => measurement.side == Side::EndToEnd,
        }
    }

    /// The fitted curve.
    pub(super) fn curve(self, figures: &OperatorFigures) -> Option<MeasuredCurve> {
        match self {
            Self::OneCore => figures.one_core_curve,
            Self::AllCores => figures.cpu_curve,
            Self::Resident => figures.gpu_curve,
            Self::EndToEnd => figures.end_to_end_curve,
        }
    }

    /// Seconds for 100 MB: by the curve, else as measured.
    pub(super) fn reference_seconds(self, figures: &OperatorFigures) -> Option<f64> {
        let measured = match self {
            Self::OneCore => figures.cpu_seconds_per_100mb,
            Self::AllCores => figures.all_cores_seconds_per_100mb,
            Self::Resident => figures.gpu_seconds_per_100mb,
            Self::EndToEnd => None,
        };
        let fitted = self.curve(figures).map(|curve| curve.seconds(REFERENCE_BYTES));
        fitted.or(measured.map(|figure| figure.value)).filter(|seconds| *seconds > 0.0)
    }
}

/// The charts of a run, one for each operator that was measured.
pub(super) fn charts(run: &Run) -> Vec<LineChart> {
    OPERATORS.into_iter().filter_map(|operator| chart(operator, run)).collect()
}

fn chart(operator: &str, run: &Run) -> Option<LineChart> {
    let (results, is_software) = (run.results(), run.is_software());
    let calibration = run.report().and_then(|report| report.calibration.as_ref());
    let figures = calibration.and_then(|calibration| calibration.operators.iter().find(|one| one.operator == operator));
    let sweeps: Vec<(Place, Vec<[f64; 2]>)> = Place::ALL
        .into_iter()
        .map(|place| (place, sweep(operator, place, results)))
        .filter(|(_, samples)| !samples.is_empty())
        .collect();
    let places = || sweeps.iter().flat_map(|(_, samples)| samples);
    let range =
        |axis: usize| places().fold([f64::MAX, 0.0_f64], |[low, high], at| [low.min(at[axis]), high.max(at[axis])]);
    let ([x_low, x_high], [y_low, y_high]) = (range(0), range(1));
    let series = sweeps
        .iter()
        .map(|(place, samples)| {
            let (token, marker) = place.look();
            let curve = figures.and_then(|figures| place.curve(figures));
            Series {
                name: place.label(is_software).to_owned(),
                token,
                dashed: false,
                points: curve.map(|curve| fitted(&curve, x_low, x_high)).unwrap_or_default(),
                samples: Samples { marker, places: samples.clone() },
            }
        })
        .collect();
    (!sweeps.is_empty()).then(|| LineChart {
        title: if is_software { "How does time grow with the data?" } else { "From how much data is the GPU faster?" }
            .to_owned(),
        subtitle: operator.to_owned(),
        answer: match figures {
            Some(figures) => answer(figures, is_software, [x_low, x_high]),
            None if !run.is_going_on() => format!("No curve of the {operator} was fitted in this run."),
            None => "The curves are fitted when the run ends.".to_owned(),
        },
        x: Axis {
            label: "input".to_owned(),
            format: |gigabytes| Unit::Gigabytes.format(gigabytes),
            scale: Scale::Log,
            range: [x_low / 1.3, x_high * 1.3],
        },
        y: Axis {
            label: "time".to_owned(),
            format: |seconds| Unit::Seconds.format(seconds),
            scale: Scale::Log,
            range: [y_low / 1.5, y_high * 1.5],
        },
        series,
        threshold: None,
        points: Vec::new(),
        breakevens: Vec::new(),
    })
}

/// T(V) = a + V/b over a range of sizes in GB.
fn fitted(curve: &MeasuredCurve, low: f64, high: f64) -> Vec<[f64; 2]> {
    let step = (high / low).powf(1.0 / f64::from(POINTS - 1));
    (0..POINTS)
        .map(|index| low * step.powi(index.into()))
        .map(|gigabytes| [gigabytes, curve.seconds(gigabytes * 1e9)])
        .collect()
}

/// Sizes in GB and times of the form of an operator that was measured at most sizes. Calibration's cases come
/// first in a run, so the first of a size belongs to the sweep.
fn sweep(operator: &str, place: Place, results: &[Measurement]) -> Vec<[f64; 2]> {
    let is_measured = |measurement: &&Measurement| {
        place.is_of(measurement) && is_about(&measurement.id, operator) && measurement.bytes_logical > 0.0
    };
    let mut forms: Vec<(&str, &str, Vec<[f64; 2]>)> = Vec::new();
    for measurement in results.iter().filter(is_measured) {
        let Some(time) = measurement.time else { continue };
        let (id, variant) = (measurement.id.as_str(), measurement.variant.as_str());
        let known = forms.iter().position(|form| (form.0, form.1) == (id, variant));
        let form = known.unwrap_or(forms.len());
        if known.is_none() {
            forms.push((id, variant, Vec::new()));
        }
        let samples = &mut forms[form].2;
        let gigabytes = measurement.bytes_logical / 1e9;
        if !samples.iter().any(|[size, _]| *size == gigabytes) {
            samples.push([gigabytes, time.median_s]);
        }
    }
    // The first of several that are equally long.
    let longest = forms.into_iter().rev().max_by_key(|(.., samples)| samples.len());
    let mut samples = longest.map(|(.., samples)| samples).unwrap_or_default();
    samples.sort_by(|a, b| a[0].total_cmp(&b[0]));
    samples
}

/// Whether a measurement is about an operator: a part of its id is the operator's name.
fn is_about(id: &str, operator: &str) -> bool {
    id.split(['.', '_']).any(|part| part == operator)
}

/// How long 100 MB take, and from which size the way over the bus pays.
/// `range` is what was measured, in GB.
fn answer(figures: &OperatorFigures, is_software: bool, [low, high]: [f64; 2]) -> String {
    let times: Vec<String> = Place::ALL
        .into_iter()
        .filter_map(|place| {
            let seconds = Unit::Seconds.format(place.reference_seconds(figures)?);
            Some(match place {
                Place::OneCore => format!("{seconds} on one core"),
                Place::AllCores => format!("{seconds} on all cores"),
                Place::Resident => format!("{seconds} on the GPU once the data is there"),
                Place::EndToEnd => format!("{seconds} through the GPU and back"),
            })
        })
        .collect();
    let mut sentence = format!("100 MB take {}", listed(&times));
    if is_software {
        sentence += "; the “GPU” is a program on the CPU, so its times say nothing about a GPU";
    } else if let (Some(cpu), Some(gpu)) =
        (figures.cpu_curve.or(figures.one_core_curve), Place::EndToEnd.curve(figures))
    {
        let cores = if figures.cpu_curve.is_some() { "all cores" } else { "one core" };
        let size = |gigabytes: f64| Unit::Gigabytes.format(gigabytes);
        let when = match overtakes(&gpu, &cpu) {
            Overtakes::From(from) if from > high => format!("only from {} on, which was not measured", size(from)),
            Overtakes::From(from) if from > low => format!("from {} on", size(from)),
            Overtakes::Below(to) if to < low => format!("only below {}, which was not measured", size(to)),
            Overtakes::Below(to) if to < high => format!("below {}", size(to)),
            Overtakes::Always | Overtakes::From(_) | Overtakes::Below(_) => {
                "at every size that was measured".to_owned()
            }
            Overtakes::Never => "at no size".to_owned(),
        };
        sentence += &format!("; end to end the GPU is faster than {cores} {when}");
    }
    sentence + "."
}

/// "a, b and c".
fn listed(parts: &[String]) -> String {
    match parts {
        [] => "no time that was measured".to_owned(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// Where one curve lies below another.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Overtakes {
    Always,
    /// From this many GB on.
    From(f64),
    /// Up to this many GB.
    Below(f64),
    Never,
}

/// a₁ + V/b₁ = a₂ + V/b₂ at V = (a₁ − a₂) / (1/b₂ − 1/b₁).
fn overtakes(one: &MeasuredCurve, other: &MeasuredCurve) -> Overtakes {
    let fixed = one.curve.fixed_seconds - other.curve.fixed_seconds;
    let per_gigabyte = 1.0 / other.curve.gb_per_s - 1.0 / one.curve.gb_per_s;
    let gigabytes = fixed / per_gigabyte;
    match (fixed <= 0.0, per_gigabyte >= 0.0) {
        (true, true) => Overtakes::Always,
        (false, true) if gigabytes.is_finite() => Overtakes::From(gigabytes),
        (true, false) => Overtakes::Below(gigabytes),
        _ => Overtakes::Never,
    }
}

/// Draws the charts with title, legend and answers.
pub(super) fn show(ui: &mut Ui, charts: &[LineChart]) {
    let Some(first) = charts.first() else { return };
    ui.heading(&first.title);
    ui.horizontal_wrapped(|ui| {
        for place in Place::ALL {
            let (token, marker) = place.look();
            let is_of = |series: &&Series| (series.token, series.samples.marker) == (token, marker);
            if let Some(series) = charts.iter().flat_map(|chart| &chart.series).find(is_of) {
                screen::swatch(ui, token, Swatch::Marked(marker));
                ui.label(&series.name);
                ui.add_space(6.0);
            }
        }
        ui.add(egui::Label::new(RichText::new("marks: measured, lines: T(V) = a + V/b").weak()).extend());
    });
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number of columns")]
    let columns = ((ui.available_width() / LEAST_WIDTH) as usize).clamp(1, charts.len().min(2));
    for row in charts.chunks(columns) {
        ui.columns(columns, |columns| {
            for (ui, chart) in columns.iter_mut().zip(row) {
                ui.label(RichText::new(&chart.subtitle).strong());
                screen::lines(ui, ("sweep", &chart.subtitle), chart, None, 190.0);
                // Columns justify their text; a sentence reads better as it is.
                ui.with_layout(egui::Layout::top_down(egui::Align::Min), |ui| ui.label(&chart.answer));
                ui.add_space(6.0);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use crossover_model::placement::CostCurve;

    use super::*;

    fn curve(fixed_seconds: f64, gb_per_s: f64) -> MeasuredCurve {
        MeasuredCurve {
            curve: CostCurve { fixed_seconds, gb_per_s },
            fixed_seconds_interval: (fixed_seconds, fixed_seconds),
            gb_per_s_interval: (gb_per_s, gb_per_s),
            r_squared: 1.0,
        }
    }

    #[test]
    fn two_curves_meet_where_both_take_as_long() {
        // 1 ms + V / 10 GB/s and V / 5 GB/s: 2 ms each at 10 MB.
        let check = |one: [f64; 2], other: [f64; 2], expected| {
            assert_eq!(overtakes(&curve(one[0], one[1]), &curve(other[0], other[1])), expected, "{one:?} {other:?}");
        };
        check([1e-3, 10.0], [0.0, 5.0], Overtakes::From(0.01));
        check([0.0, 5.0], [1e-3, 10.0], Overtakes::Below(0.01));
        check([0.0, 10.0], [1e-3, 5.0], Overtakes::Always);
        check([1e-3, 5.0], [0.0, 10.0], Overtakes::Never);
        check([1e-3, 5.0], [0.0, 5.0], Overtakes::Never);
    }

    #[test]
    fn an_id_is_about_the_operator_that_it_names() {
        assert!(is_about("filter.append", "filter") && is_about("end_to_end.filter", "filter"));
        assert!(!is_about("filter.append", "join") && !is_about("sorted.words", "sort"));
    }
}
