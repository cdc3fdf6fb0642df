//! Time against size: the measured sweeps of each operator, their fitted curves and break-evens.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, LineChart, Marker, Samples, Series};
use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use crossover_gpu_bench::calibration::sweep::Sweep;
use crossover_gpu_bench::calibration::{OPERATORS, Operator};
use crossover_gpu_bench::report::{Measurement, Report, Side};
use crossover_measured::calibration::{MeasuredCurve, OperatorFigures};
use crossover_page::widgets::beside;
use crossover_page::widgets::chart_tabs::{self, ChartTab};
use crossover_quantity::unit::Unit;
use egui::{Grid, RichText, Ui};

use super::results::{dash, number, rest, title};
use super::run::Run;

/// Least width of a chart, in points.
const LEAST_WIDTH: f32 = 300.0;
/// Points of a fitted curve.
const POINTS: u8 = 48;
/// Input size of reference times: "per 100 MB".
const REFERENCE_BYTES: f64 = 1e8;

/// The device and data location of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SweepMode {
    OneCore,
    AllCores,
    Resident,
    EndToEnd,
}

impl SweepMode {
    const ALL: [Self; 4] = [Self::OneCore, Self::AllCores, Self::Resident, Self::EndToEnd];

    /// Its name; that of a software adapter does not say GPU.
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

    fn style(self) -> (Token, Marker) {
        match self {
            Self::OneCore => (Token::Cpu, Marker::Diamond),
            Self::AllCores => (Token::Cpu, Marker::Square),
            Self::Resident => (Token::Gpu, Marker::Up),
            Self::EndToEnd => (Token::Gpu, Marker::Down),
        }
    }

    /// The measurements of an operator; `threads` is the number of all threads.
    fn sweep<'a>(self, operator: &Operator, report: &'a Report, threads: usize) -> Option<Sweep<'a>> {
        match self {
            Self::OneCore => Sweep::of(report, operator.cpu, Side::Cpu, 1),
            Self::AllCores if threads > 1 => Sweep::of(report, operator.cpu, Side::Cpu, threads),
            Self::AllCores => None,
            Self::Resident => Sweep::of(report, operator.gpu, Side::Gpu, 0),
            Self::EndToEnd => Sweep::of(report, operator.end_to_end, Side::EndToEnd, 0),
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

    /// Seconds for 100 MB: from the curve, else measured.
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

/// Times of every operator over the measured sizes.
#[derive(Debug, Default)]
pub(super) struct Sweeps {
    /// One for each operator, if at least one was measured at two sizes.
    pub(super) charts: Vec<LineChart>,
    /// Else each operator with its size and its times, by mode.
    single: Vec<(&'static str, String, [Option<f64>; 4])>,
    is_software: bool,
}

impl Sweeps {
    /// The sweeps of a run.
    pub(super) fn new(run: &Run) -> Self {
        let Some(report) = run.report() else { return Self::default() };
        let operators: Vec<Measured<'_>> =
            OPERATORS.iter().map(|operator| Measured::new(operator, report)).filter(|one| !one.is_empty()).collect();
        let has_sweep = operators.iter().flat_map(|one| &one.sweeps).any(|(_, sweep)| sweep.measurements.len() > 1);
        let (charted, single) = if has_sweep { (operators, Vec::new()) } else { (Vec::new(), operators) };
        Self {
            charts: charted.iter().map(|one| one.chart(run)).collect(),
            single: single.iter().map(Measured::at_one_size).collect(),
            is_software: run.is_software(),
        }
    }
}

/// The measurements of one operator in a run.
struct Measured<'a> {
    operator: &'static Operator,
    sweeps: Vec<(SweepMode, Sweep<'a>)>,
    /// Its calibrated figures.
    figures: Option<&'a OperatorFigures>,
}

impl<'a> Measured<'a> {
    fn new(operator: &'static Operator, report: &'a Report) -> Self {
        let threads = report.results.iter().map(|measurement| measurement.threads).max().unwrap_or(1);
        let sweep = |mode: SweepMode| Some((mode, mode.sweep(operator, report, threads)?));
        let calibrated = report.calibration.iter().flat_map(|calibration| &calibration.operators);
        Self {
            operator,
            sweeps: SweepMode::ALL.into_iter().filter_map(sweep).collect(),
            figures: calibrated.into_iter().find(|figures| figures.operator == operator.name),
        }
    }

    fn is_empty(&self) -> bool {
        self.sweeps.is_empty()
    }

    fn chart(&self, run: &Run) -> LineChart {
        let is_software = run.is_software();
        let measured = || self.sweeps.iter().flat_map(|(_, sweep)| &sweep.measurements).filter_map(|one| at(one));
        let range = |axis: usize| {
            measured().fold([f64::MAX, 0.0_f64], |[low, high], point| [low.min(point[axis]), high.max(point[axis])])
        };
        let ([x_low, x_high], [y_low, y_high]) = (range(0), range(1));
        let (lowest, highest) = (y_low / 1.5, y_high * 1.5);
        let series = self.sweeps.iter().map(|(mode, sweep)| {
            let (token, marker) = mode.style();
            let curve = self.figures.and_then(|figures| mode.curve(figures));
            let points = curve.map(|curve| fitted(&curve, x_low, x_high)).unwrap_or_default();
            Series { samples: samples(marker, sweep), ..Series::line(mode.label(is_software), token, points) }
        });
        let bands = self.sweeps.iter().filter_map(|(mode, sweep)| {
            let curve = self.figures.and_then(|figures| mode.curve(figures))?;
            let spread = sweep.spread(&curve.curve)?;
            let ends = |[gigabytes, seconds]: [f64; 2]| {
                let half = spread.half(gigabytes * 1e9);
                // A logarithmic axis cannot show 0.
                [gigabytes, (seconds - half).max(lowest), (seconds + half).max(lowest)]
            };
            let points = fitted(&curve, x_low, x_high).into_iter().map(ends).collect();
            let name = format!("{}, 90 % interval", mode.label(is_software));
            Some(Band { name, token: mode.style().0, points })
        });
        LineChart {
            subtitle: self.operator.name.to_owned(),
            answer: match self.figures {
                Some(figures) => answer(figures, is_software, [x_low, x_high]),
                None if !run.is_going_on() => format!("No curve was fitted to the {} in this run.", self.operator.name),
                None => "The curves are fitted when the run ends.".to_owned(),
            },
            bands: bands.collect(),
            series: series.collect(),
            ..LineChart::new(
                if is_software { "How does time grow with the data?" } else { "From how much data is the GPU faster?" },
                Axis {
                    label: "input".to_owned(),
                    format: |gigabytes| Unit::Gigabytes.format(gigabytes),
                    scale: Scale::Log,
                    range: [x_low / 1.3, x_high * 1.3],
                    step_unit: 1.0,
                },
                Axis {
                    label: "time".to_owned(),
                    format: |seconds| Unit::Seconds.format(seconds),
                    scale: Scale::Log,
                    range: [lowest, highest],
                    step_unit: 1.0,
                },
            )
        }
    }

    /// Name, size and times.
    fn at_one_size(&self) -> (&'static str, String, [Option<f64>; 4]) {
        let largest = self.sweeps.iter().filter_map(|(_, sweep)| sweep.measurements.last());
        let bytes = largest.map(|measurement| measurement.bytes_logical).fold(0.0, f64::max);
        let time = |mode: SweepMode| {
            let (_, sweep) = self.sweeps.iter().find(|(one, _)| *one == mode)?;
            Some(sweep.measurements.last()?.time?.median_s)
        };
        (self.operator.name, Unit::Gigabytes.format(bytes / 1e9), SweepMode::ALL.map(time))
    }
}

/// Size in GB and time.
fn at(measurement: &Measurement) -> Option<[f64; 2]> {
    Some([measurement.bytes_logical / 1e9, measurement.time?.median_s])
}

/// Samples of the fit, and samples for validation.
fn samples(marker: Marker, sweep: &Sweep<'_>) -> Samples {
    let left_out = sweep.left_out();
    let is_left_out = |measurement: &Measurement| left_out.iter().any(|other| std::ptr::eq(*other, measurement));
    let places = |is_wanted: bool| {
        let wanted = sweep.measurements.iter().filter(|measurement| is_left_out(measurement) != is_wanted);
        wanted.filter_map(|measurement| at(measurement)).collect()
    };
    Samples { marker, places: places(true), left_out: places(false), ..Samples::default() }
}

/// T(V) = a + V/b over a range of sizes in GB.
fn fitted(curve: &MeasuredCurve, low: f64, high: f64) -> Vec<[f64; 2]> {
    let step = (high / low).powf(1.0 / f64::from(POINTS - 1));
    (0..POINTS)
        .map(|index| low * step.powi(index.into()))
        .map(|gigabytes| [gigabytes, curve.seconds(gigabytes * 1e9)])
        .collect()
}

/// The times for 100 MB, and the break-even size end to end.
/// `range` is the measured range, in GB.
fn answer(figures: &OperatorFigures, is_software: bool, [low, high]: [f64; 2]) -> String {
    let device = if is_software { "the adapter" } else { "the GPU" };
    let times: Vec<String> = SweepMode::ALL
        .into_iter()
        .filter_map(|mode| {
            let seconds = Unit::Seconds.format(mode.reference_seconds(figures)?);
            Some(match mode {
                SweepMode::OneCore => format!("{seconds} on one core"),
                SweepMode::AllCores => format!("{seconds} on all cores"),
                SweepMode::Resident => format!("{seconds} on {device} with resident data"),
                SweepMode::EndToEnd => format!("{seconds} on {device} end to end"),
            })
        })
        .collect();
    let mut sentence = format!("100 MB take {}", listed(&times));
    if is_software {
        sentence += "; the adapter is software on the CPU, so these are not GPU times";
    } else if let (Some(cpu), Some(gpu)) =
        (figures.cpu_curve.or(figures.one_core_curve), SweepMode::EndToEnd.curve(figures))
    {
        let cores = if figures.cpu_curve.is_some() { "all cores" } else { "one core" };
        let size = |gigabytes: f64| Unit::Gigabytes.format(gigabytes);
        let when = match faster_range(&gpu, &cpu) {
            FasterRange::From(from) if from > high => format!("only above {}, outside the measured range", size(from)),
            FasterRange::From(from) if from > low => format!("above {}", size(from)),
            FasterRange::Below(to) if to < low => format!("only below {}, outside the measured range", size(to)),
            FasterRange::Below(to) if to < high => format!("below {}", size(to)),
            FasterRange::Always | FasterRange::From(_) | FasterRange::Below(_) => "at every measured size".to_owned(),
            FasterRange::Never => "at no size".to_owned(),
        };
        sentence += &format!("; end to end the GPU is faster than {cores} {when}");
    }
    sentence + "."
}

/// "a, b and c".
fn listed(parts: &[String]) -> String {
    match parts {
        [] => "no measured time".to_owned(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// The sizes at which one curve is below another.
#[derive(Debug, Clone, Copy, PartialEq)]
enum FasterRange {
    Always,
    /// Above this many GB.
    From(f64),
    /// Below this many GB.
    Below(f64),
    Never,
}

/// a₁ + V/b₁ = a₂ + V/b₂ at V = (a₁ − a₂) / (1/b₂ − 1/b₁).
fn faster_range(one: &MeasuredCurve, other: &MeasuredCurve) -> FasterRange {
    let fixed = one.curve.fixed_seconds - other.curve.fixed_seconds;
    let per_gigabyte = 1.0 / other.curve.gb_per_s - 1.0 / one.curve.gb_per_s;
    let gigabytes = fixed / per_gigabyte;
    match (fixed <= 0.0, per_gigabyte >= 0.0) {
        (true, true) => FasterRange::Always,
        (false, true) if gigabytes.is_finite() => FasterRange::From(gigabytes),
        (true, false) => FasterRange::Below(gigabytes),
        _ => FasterRange::Never,
    }
}

/// Draws the charts with title, legend and answers; a table if only one size was measured.
pub(super) fn show(ui: &mut Ui, sweeps: &Sweeps, is_going_on: bool) {
    let charts = &sweeps.charts;
    let Some(first) = charts.first() else {
        if is_going_on {
            ui.weak("Charts appear once an operator is measured at two sizes.");
        } else {
            show_single(ui, sweeps);
        }
        return;
    };
    ui.heading(&first.title);
    ui.horizontal_wrapped(|ui| {
        for mode in SweepMode::ALL {
            let (token, marker) = mode.style();
            let is_of = |series: &&Series| (series.token, series.samples.marker) == (token, marker);
            if let Some(series) = charts.iter().flat_map(|chart| &chart.series).find(is_of) {
                screen::entry(ui, token, Swatch::Marked(marker), &series.name);
                ui.add_space(6.0);
            }
        }
        let text = "lines: T(V) = a + V/b, fitted to the filled marks, with 90 % bands; hollow marks validate the fit";
        ui.add(egui::Label::new(RichText::new(text).weak()).extend());
    });
    let tabs: Vec<ChartTab<'_>> = charts.iter().map(|chart| ChartTab::new(&chart.subtitle)).collect();
    let on_screen = chart_tabs::choose(ui, "operators", 0, &tabs);
    let columns = on_screen.columns(beside::fitting(ui, LEAST_WIDTH, charts.len().min(2)));
    let charts = charts.iter().enumerate().filter(|(place, _)| on_screen.has(*place)).map(|(_, chart)| chart);
    let charts: Vec<&LineChart> = charts.collect();
    for row in charts.chunks(columns) {
        beside::show(ui, columns, |columns| {
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

/// Draws the times of operators that were measured at one size.
fn show_single(ui: &mut Ui, sweeps: &Sweeps) {
    if sweeps.single.is_empty() {
        return;
    }
    ui.heading("How long does each operator take?");
    Grid::new("one size").num_columns(7).striped(true).spacing([18.0, 4.0]).show(ui, |ui| {
        title(ui, "operator", false);
        title(ui, "input", true);
        for mode in SweepMode::ALL {
            title(ui, mode.label(sweeps.is_software), true);
        }
        rest(ui);
        for (operator, size, times) in &sweeps.single {
            ui.label(*operator);
            number(ui, size.clone());
            for time in times {
                number(ui, time.map_or_else(dash, |time| Unit::Seconds.format(time)));
            }
            rest(ui);
        }
    });
    ui.label("Only one size was measured, so there are no curves; the quick suite measures several.");
}

#[cfg(test)]
mod tests {
    use crossover_measured::calibration::CostCurve;

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
            assert_eq!(faster_range(&curve(one[0], one[1]), &curve(other[0], other[1])), expected, "{one:?} {other:?}");
        };
        check([1e-3, 10.0], [0.0, 5.0], FasterRange::From(0.01));
        check([0.0, 5.0], [1e-3, 10.0], FasterRange::Below(0.01));
        check([0.0, 10.0], [1e-3, 5.0], FasterRange::Always);
        check([1e-3, 5.0], [0.0, 10.0], FasterRange::Never);
        check([1e-3, 5.0], [0.0, 5.0], FasterRange::Never);
    }
}
