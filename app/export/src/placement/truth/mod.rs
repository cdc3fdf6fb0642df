//! Predictions beside measurements, as text and as a chart.

mod chart;
mod record;
mod scoreboard;

use std::fmt::Write as _;

use crossover_chart::Chart;
use crossover_engine::fit::Pooling;
use crossover_engine::predict::{Part, Range, Seconds};
use crossover_engine::truth::{Errors, Sides, TOO_CLOSE};
use crossover_engine::{Fit, Judged, Prediction, Summary, judge};
use crossover_plan::cases::Compared;
use crossover_quantity::finite::{self, NotFinite};
use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Align, Column, Table};
use crossover_quantity::unit::{Unit, chance, predicted};
use serde::Serialize;

use super::super::json;
use crate::report::{Block, Report, ReportFormat};
pub use chart::{Of, shown, truth_chart};
use record::{COLUMNS, CaseRecord};
pub use scoreboard::{
    check_scoreboard, decided_queries, decision_facts, decision_rules, decisions_how, decisions_title, scoreboard_csv,
    scoreboard_html, scoreboard_json, scoreboard_table, scoreboard_text_report, scored_chart, scored_figures,
    scored_queries, scored_title, worse_than_constant,
};

/// The side of a query that cannot be judged.
const OUTSIDE: &str = "outside what was measured";
/// Parts below this share of a time are not named.
const NAMED_FROM: f64 = 0.15;

/// Cases as a report for the terminal.
#[must_use]
pub fn truth_table(compared: &[Compared]) -> String {
    format!("{}\n{}", cases(compared).aligned(), summary(&judged(compared), &labels(compared)).aligned())
}

/// The same for documents.
#[must_use]
pub fn truth_markdown(compared: &[Compared]) -> String {
    format!("{}\n{}", cases(compared).markdown(), summary(&judged(compared), &labels(compared)).markdown())
}

/// The cases as one HTML file with a chart.
#[must_use]
pub fn truth_html(compared: &[Compared], of: Of) -> String {
    let chart = truth_chart(compared, of);
    let blocks = vec![
        Block::Chart(Box::new(Chart::Lines(chart))),
        Block::Heading("Errors"),
        Block::Table(summary(&judged(compared), &labels(compared))),
        Block::Heading("Cases"),
        Block::Table(cases(compared)),
    ];
    let question = "How accurate are the predictions?";
    Report { title: "Prediction accuracy".to_owned(), question, blocks }.write(ReportFormat::Html)
}

/// The cases without their files.
#[must_use]
pub fn judged(compared: &[Compared]) -> Vec<Judged> {
    compared.iter().map(|compared| compared.judged.clone()).collect()
}

/// What the engines of all cases are called: "CPU" and "GPU", unless all have the same names.
#[must_use]
pub fn labels(compared: &[Compared]) -> [String; 2] {
    match compared.split_first() {
        Some((first, others)) if others.iter().all(|other| other.labels == first.labels) => first.labels.clone(),
        _ => ["CPU", "GPU"].map(str::to_owned),
    }
}

fn cases(compared: &[Compared]) -> Table {
    let [cpu, gpu] = labels(compared);
    let number = |title: String| Column { title: title.into(), align: Align::Right };
    let text = |title: String| Column { title: title.into(), align: Align::Left };
    let columns = vec![
        Column::text("case"),
        number(cpu.clone()),
        number(format!("{cpu} measured")),
        number(gpu.clone()),
        number(format!("{gpu} measured")),
        Column::number("speedup"),
        Column::text("90 % interval"),
        Column::number("measured"),
        number(format!("{gpu} faster")),
        Column::text("side"),
        text(format!("largest parts of {gpu}")),
    ];
    let rows = compared.iter().map(|Compared { case, judged, .. }| {
        let prediction = judged.judgeable();
        let seconds = |value: f64| Unit::Seconds.format(value);
        let measured = |value: Option<f64>| value.map(seconds).unwrap_or_default();
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        vec![
            case.name.clone(),
            or_dash(prediction.map(|found| seconds(found.cpu.value))),
            measured(judged.cpu_seconds),
            or_dash(prediction.map(|found| seconds(found.gpu.value))),
            measured(judged.gpu_seconds),
            or_dash(prediction.map(|found| Unit::Factor.format(found.speedup.value))),
            prediction.map(|found| range(found.speedup)).unwrap_or_default(),
            judged.speedup().map(|speedup| Unit::Factor.format(speedup)).unwrap_or_default(),
            prediction.and_then(|found| found.likelihood).map(chance).unwrap_or_default(),
            verdict(judged).to_owned(),
            prediction.map(|found| named_parts(&found.gpu_parts)).unwrap_or_default(),
        ]
    });
    Table { rows: rows.collect(), columns }
}

/// "0.9× … 2.1×"; empty without error factors.
#[must_use]
pub fn range(range: Range) -> String {
    let format = |value| Unit::Factor.format(value);
    if range.is_known() { format!("{} … {}", format(range.low), format(range.high)) } else { String::new() }
}

/// Whether the faster side was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SideVerdict {
    /// The slower side was named.
    Wrong,
    /// The measured speedup is near 1.
    NearOne,
    /// The faster side was named.
    Right,
}

impl SideVerdict {
    /// The verdict on a prediction; nothing where one side was not measured.
    #[must_use]
    pub fn of(judged: &Judged) -> Option<Self> {
        let is_close = TOO_CLOSE.contains(&judged.speedup()?);
        Some(match judged.is_right()? {
            _ if is_close => Self::NearOne,
            true => Self::Right,
            false => Self::Wrong,
        })
    }

    /// In tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Wrong => "WRONG",
            Self::NearOne => "near 1×",
            Self::Right => "right",
        }
    }
}

/// The verdict on the side of a prediction; empty where one side was not measured.
fn verdict(judged: &Judged) -> &'static str {
    if judged.judgeable().is_none() { OUTSIDE } else { SideVerdict::of(judged).map_or("", SideVerdict::label) }
}

/// "read 61 %, exchange 20 %".
fn named_parts(seconds: &Seconds) -> String {
    let parts = largest_parts(seconds, NAMED_FROM).into_iter();
    parts.map(|(part, share)| format!("{} {}", part.label(), Unit::Share.format(share))).collect::<Vec<_>>().join(", ")
}

/// The parts that make most of a time, with their share, largest first.
fn largest_parts(seconds: &Seconds, least: f64) -> Vec<(Part, f64)> {
    let total: f64 = seconds.iter().sum();
    let mut parts: Vec<(Part, f64)> = Part::ALL.map(|part| (part, seconds[part as usize] / total)).to_vec();
    parts.retain(|(_, share)| *share >= least);
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    parts
}

/// Errors of predictions, beside those of the median baseline.
fn summary(cases: &[Judged], [cpu, gpu]: &[String; 2]) -> Table {
    let summary = judge(cases);
    let columns = vec![
        Column::text("predicted ÷ measured"),
        Column::number("cases"),
        Column::number("median error"),
        Column::number("90 % within"),
        Column::number("geometric mean"),
        Column::number("inside 90 % interval"),
    ];
    let line = |name: &str, errors: Option<Errors>| {
        errors.map(|errors| {
            let share = |value| Unit::Share.format(value);
            vec![
                name.to_owned(),
                errors.count.to_string(),
                share(errors.median),
                share(errors.ninth_decile),
                Unit::Factor.format(errors.bias),
                errors.coverage.map(share).unwrap_or_default(),
            ]
        })
    };
    let rows = [
        line(cpu, summary.cpu),
        line(gpu, summary.gpu),
        line("speedup", summary.speedup),
        line("speedup, median baseline", summary.median_baseline_speedup),
    ];
    let mut table = Table { columns, rows: rows.into_iter().flatten().collect() };
    let mut note = |name: &str, text: String| {
        let mut row = vec![String::new(); table.columns.len()];
        (row[0], row[2]) = (name.to_owned(), text);
        table.rows.push(row);
    };
    if summary.sides.of > 0 {
        note("correct side", format!("{} of {}", summary.sides.right, summary.sides.of));
        note(
            "correct side, median baseline",
            format!("{} of {}", summary.median_baseline_sides.right, summary.median_baseline_sides.of),
        );
        note("correct side, clear cases", clear(summary.sides));
        note("correct side, clear cases, median baseline", clear(summary.median_baseline_sides));
        let of = summary.sides.of;
        note("decided cases", format!("{} of {of}", summary.decided));
        note("correct side, decided cases", format!("{} of {}", summary.decided_right, summary.decided));
    }
    if let Some(correlation) = summary.rank_correlation {
        note("rank correlation of speedups", format!("{correlation:.2}"));
    }
    table
}

fn clear(sides: Sides) -> String {
    format!("{} of {}", sides.clear_right, sides.clear)
}

/// Checks cases before they are written.
///
/// # Errors
/// A number of them is not finite.
pub fn check_truth(compared: &[Compared]) -> Result<(), NotFinite> {
    finite::check(&record(compared))
}

/// Cases as CSV, a row each.
#[must_use]
pub fn truth_csv(compared: &[Compared]) -> String {
    let mut records = Records::default();
    records.push(COLUMNS.map(|(name, _)| name));
    for compared in compared {
        let Compared { case, judged, .. } = compared;
        records.push(CaseRecord::of_case(&case.name, judged, verdict(judged)).fields());
    }
    records.into_text()
}

/// Cases as JSON.
#[must_use]
pub fn truth_json(compared: &[Compared]) -> String {
    json(&record(compared))
}

fn record(compared: &[Compared]) -> TruthRecord<'_> {
    let cases = compared.iter().map(|compared| JudgedRecord::new(&compared.case.name, &compared.judged));
    TruthRecord { cases: cases.collect(), summary: SummaryRecord::new(&judge(&judged(compared))) }
}

#[derive(Serialize)]
struct TruthRecord<'a> {
    cases: Vec<JudgedRecord<'a>>,
    summary: SummaryRecord,
}

/// A case of a file with what only predictions of whole engines have.
#[derive(Serialize)]
struct JudgedRecord<'a> {
    #[serde(flatten)]
    case: CaseRecord<'a>,
    right: Option<bool>,
    cpu_parts: Vec<(&'static str, f64)>,
    gpu_parts: Vec<(&'static str, f64)>,
}

impl<'a> JudgedRecord<'a> {
    fn new(case: &'a str, judged: &Judged) -> Self {
        let Prediction { cpu_parts, gpu_parts, .. } = &judged.prediction;
        let parts = |seconds: &Seconds| Part::ALL.map(|part| (part.label(), seconds[part as usize])).to_vec();
        Self {
            case: CaseRecord::of_case(case, judged, verdict(judged)),
            right: judged.is_right(),
            cpu_parts: parts(cpu_parts),
            gpu_parts: parts(gpu_parts),
        }
    }
}

#[derive(Serialize)]
struct SummaryRecord {
    cpu: Option<ErrorsRecord>,
    gpu: Option<ErrorsRecord>,
    speedup: Option<ErrorsRecord>,
    rank_correlation: Option<f64>,
    sides: SidesRecord,
    /// Decided cases, and those of them with the right side.
    decided: usize,
    decided_right: usize,
    /// The baseline that always predicts the median speedup of the other cases.
    median_baseline_speedup: Option<ErrorsRecord>,
    median_baseline_sides: SidesRecord,
}

#[derive(Serialize)]
struct ErrorsRecord {
    count: usize,
    median: f64,
    ninth_decile: f64,
    geometric_mean: f64,
    coverage: Option<f64>,
}

#[derive(Serialize)]
struct SidesRecord {
    right: usize,
    of: usize,
    clear_right: usize,
    clear: usize,
}

impl SummaryRecord {
    fn new(summary: &Summary) -> Self {
        let errors = |errors: Option<Errors>| {
            errors.map(|errors| ErrorsRecord {
                count: errors.count,
                median: errors.median,
                ninth_decile: errors.ninth_decile,
                geometric_mean: errors.bias,
                coverage: errors.coverage,
            })
        };
        let sides = |sides: Sides| SidesRecord {
            right: sides.right,
            of: sides.of,
            clear_right: sides.clear_right,
            clear: sides.clear,
        };
        Self {
            cpu: errors(summary.cpu),
            gpu: errors(summary.gpu),
            speedup: errors(summary.speedup),
            rank_correlation: summary.rank_correlation,
            sides: sides(summary.sides),
            decided: summary.decided,
            decided_right: summary.decided_right,
            median_baseline_speedup: errors(summary.median_baseline_speedup),
            median_baseline_sides: sides(summary.median_baseline_sides),
        }
    }
}

/// The result of a fit: its numbers, and the error of each query when left out.
#[must_use]
pub fn fit_table(fit: &Fit, left_out: &[Compared]) -> String {
    let columns = vec![
        Column::text("side"),
        Column::text("part"),
        Column::number("× before"),
        Column::text("± 1 σ"),
        Column::number("determined by runs"),
    ];
    let rows = fit.numbers.iter().map(|number| {
        let factor = |value: f64| Unit::Factor.format(value);
        let [low, high] = number.one_sigma();
        vec![
            side(fit, number.side),
            number.part.label().to_owned(),
            factor(number.factor),
            format!("{} … {}", factor(low), factor(high)),
            Unit::Share.format(number.determined_share()),
        ]
    });
    let numbers = Table { rows: rows.collect(), columns };
    let mut sentences = String::new();
    for sentence in undetermined(fit) {
        _ = writeln!(sentences, "{sentence}");
    }
    let heading = "Leave-one-out predictions:";
    format!(
        "{}{sentences}\n{heading}\n{}",
        numbers.aligned(),
        summary(&judged(left_out), &fit.engines.labels()).aligned()
    )
}

/// What the engine of a number is called.
#[must_use]
pub fn side(fit: &Fit, side: &str) -> String {
    let [cpu, gpu] = fit.engines.labels();
    if side == "cpu" { cpu } else { gpu }
}

/// What the runs do not determine: which query gains more, and whether one speedup for all is the answer; then pairs of numbers, such
/// as "The runs cannot distinguish CPU work from CPU read."
pub fn undetermined(fit: &Fit) -> impl Iterator<Item = String> {
    let pooling = match fit.pooling {
        Pooling::None => None,
        Pooling::Partial => Some("all parts have similar speedups"),
        Pooling::Complete => Some("all parts have nearly the same speedup"),
    };
    let pooling = pooling.map(|what| {
        format!(
            "The runs do not show which queries gain more; the cross-validation error is lowest with the assumption: {what}."
        )
    });
    let constant = fit.engines.constant_speedup.map(|speedup| {
        let speedup = Unit::Factor.format(predicted(speedup));
        format!(
            "Without a measured time, one speedup for all queries is the answer, {speedup}: the plans predict left-out queries no better."
        )
    });
    let name = |at: usize| format!("{} {}", side(fit, fit.numbers[at].side), fit.numbers[at].part.label());
    let pairs = fit.correlated.iter();
    pooling
        .into_iter()
        .chain(constant)
        .chain(pairs.map(move |(a, b)| format!("The runs cannot distinguish {} from {}.", name(*a), name(*b))))
}
