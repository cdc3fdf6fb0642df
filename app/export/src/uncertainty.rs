//! Distributions of figures, as text.

use crossover_quantity::spread::{Distribution, Spread};
use crossover_quantity::text::csv::{Records, finite};
use crossover_quantity::text::{Column, Table, TextReport, between, counted};
use crossover_quantity::unit::{Unit, share_of_samples};
use crossover_scenario::Scenario;
use crossover_tools::uncertainty::{Distributed, Sampled};
use crossover_tools::unknowns::{Unknown, Unknowns};
use crossover_tools::{Sampling, Uncertain};
use serde::Serialize;

use super::Format;
use super::about::{about, figure_engines, statements};
use super::decided::{DecisionRecord, facts, of_study, sampling_note};
use super::described::difference;

/// Uncertain numbers that a report lists.
const LISTED: usize = 40;

/// The result of a sampling, in a format.
#[must_use]
pub fn written(scenario: &Scenario, sampling: &Sampling, found: &Uncertain, format: Format) -> String {
    let record = || Record::of(scenario, sampling, found);
    format.write(|| text_report(scenario, sampling, found), record, || csv(found))
}

/// What it is about, the decision where there is one, then the figures and the uncertain numbers.
fn text_report(scenario: &Scenario, sampling: &Sampling, found: &Uncertain) -> TextReport {
    let decision = of_study(&scenario.study);
    let mut text_report = TextReport::titled(&scenario.name);
    for statement in statements(&scenario.study) {
        text_report.paragraph(statement);
    }
    text_report.paragraph(setting(sampling, found)).facts(decision.as_ref().map(facts).unwrap_or_default());
    text_report
        .paragraph(decision.as_ref().and_then(|_| sampling_note(&scenario.study)).unwrap_or_default())
        .table(figures(found, decision.is_some()))
        .paragraph(decisions(found))
        .paragraph(unusual(found).unwrap_or_default())
        .section("Uncertain numbers", |section| {
            section.table(unknowns(&found.unknowns)).footnote(more(&found.unknowns))
        });
    text_report
}

/// Which decisions are not certain, and how likely each is; empty if the study decides nothing.
#[must_use]
pub fn decisions(found: &Uncertain) -> String {
    let one = |decision: &&Distributed| {
        let (share, off) = (decision.mean.value, decision.mean.half_95());
        format!("{} {} (± {})", decision.selected.label, share_of_samples(share), share_of_samples(off))
    };
    let is_open = |decision: &&Distributed| decision.mean.value > 0.0 && decision.mean.value < 1.0;
    let open: Vec<String> = found.decisions.iter().filter(is_open).map(|decision| one(&decision)).collect();
    match (found.decisions.len(), open.as_slice()) {
        (0, _) => String::new(),
        (1, []) => "The decision is the same in every sample.".to_owned(),
        (many, []) => format!("All {many} decisions are the same in every sample."),
        (many, open) => {
            let others = match many - open.len() {
                0 => String::new(),
                1 => "; 1 other is the same in every sample".to_owned(),
                certain => format!("; {certain} others are the same in every sample"),
            };
            format!("Decisions that differ between samples: {}{others}.", open.join(", "))
        }
    }
}

/// "speedup 1.5× … 1.9× (90 % interval, each end ± 0.02)": the first figure, with the error of sampling at its ends; empty without
/// figures.
#[must_use]
pub fn so_far(found: &Uncertain) -> String {
    let Some(figure) = found.figures.first() else { return String::new() };
    let unit = figure.selected.figure.unit;
    let [low, _, high] = figure.quantiles;
    if !(low.value.is_finite() && high.value.is_finite()) {
        return format!("{} has a value in too few samples", figure.selected.label);
    }
    let interval = between([low, high].map(|end| unit.format(end.value)));
    let off = error_of_ends(figure).map_or_else(String::new, |error| format!(", each end {error}"));
    format!("{} {interval} (90 % interval{off})", figure.selected.label)
}

/// "± 0.02": the error of sampling at the ends of the 90 % interval; `None` where it is unknown.
#[must_use]
pub fn error_of_ends(figure: &Distributed) -> Option<String> {
    let [low, _, high] = figure.quantiles;
    let off = low.half_95().max(high.half_95());
    off.is_finite().then(|| format!("± {}", difference(figure.selected.figure.unit, off)))
}

/// Why the present value of a figure may be outside its 90 % interval.
pub const WHY_UNUSUAL: &str =
    "the present numbers are not in the middle of their distributions, or the figure is nonlinear in them";
/// Figures that are named in a sentence.
const NAMED: usize = 5;

/// "At the present numbers, the speedup of join is outside its 90 % interval: …"; `None` where no figure is.
#[must_use]
pub fn unusual(found: &Uncertain) -> Option<String> {
    let labels: Vec<&str> = found
        .figures
        .iter()
        .filter(|figure| figure.is_unusual_now())
        .map(|figure| figure.selected.label.as_str())
        .collect();
    let (named, more) = labels.split_at(labels.len().min(NAMED));
    let named = match named {
        [] => return None,
        [one] => format!("{one} is outside its"),
        [first @ .., last] if more.is_empty() => format!("{} and {last} are outside their", first.join(", ")),
        many => format!("{} and {} more are outside their", many.join(", "), Unit::Count.format(more.len() as f64)),
    };
    Some(format!("At the present numbers, {named} 90 % interval: {WHY_UNUSUAL}."))
}

/// "no value in 3 %": the share of valid samples without a value; `None` where all have one.
#[must_use]
pub fn missing(figure: &Distributed) -> Option<String> {
    let allowed = figure.missing + figure.values.len();
    (figure.missing > 0).then(|| format!("no value in {}", share_of_samples(figure.missing as f64 / allowed as f64)))
}

/// "3 uncertain numbers; 16,384 samples, seed 1".
fn setting(sampling: &Sampling, found: &Uncertain) -> String {
    let numbers = counted(found.unknowns.numbers.len() as f64, "uncertain number");
    format!("{numbers}; {}, seed {}", counted(found.samples as f64, "sample"), sampling.seed)
}

/// A row for each figure. `is_decided`: whether a decision states how likely the other engine is faster, so that samples do not.
#[must_use]
pub fn figures(found: &Uncertain, is_decided: bool) -> Table {
    let is_factor = |figure: &Distributed| figure.selected.figure.unit == Unit::Factor;
    let has_factors = !is_decided && found.figures.iter().any(is_factor);
    let mut columns = vec![
        Column::text("figure"),
        Column::number("now"),
        Column::number("mean"),
        Column::number("5 %"),
        Column::number("50 %"),
        Column::number("95 %"),
        Column::number("standard deviation"),
    ];
    if has_factors {
        columns.push(Column::number("at least 1×"));
    }
    if found.figures.iter().any(|figure| figure.missing > 0) {
        columns.push(Column::number("without a value"));
    }
    let has_missing = columns.last().is_some_and(|column| column.title == "without a value");
    let row = |figure: &Distributed| {
        let unit = figure.selected.figure.unit;
        let value = |value: f64| if value.is_finite() { unit.format(value) } else { "–".to_owned() };
        let mut row = vec![figure.selected.label.clone(), figure.present.map_or_else(|| "–".to_owned(), value)];
        row.push(value(figure.mean.value));
        row.extend(figure.quantiles.map(|quantile| value(quantile.value)));
        let deviation = figure.standard_deviation.value;
        // Of factors with “×”, as the other values of the row.
        let is_difference = deviation.is_finite() && unit != Unit::Factor;
        row.push(if is_difference { difference(unit, deviation) } else { value(deviation) });
        if has_factors {
            let share = || share_of_samples(figure.at_least(1.0));
            row.push(if unit == Unit::Factor && !figure.values.is_empty() { share() } else { String::new() });
        }
        if has_missing {
            row.push(Unit::Count.format(figure.missing as f64));
        }
        row
    };
    Table { rows: found.figures.iter().map(row).collect(), columns }
}

/// A row for each uncertain number.
fn unknowns(unknowns: &Unknowns) -> Table {
    let row = |unknown: &Unknown| {
        vec![
            unknown.path.clone(),
            unknown.quantity.unit.format(unknown.value),
            in_words(unknown),
            unknown.spread.group.as_ref().map_or_else(String::new, |group| group.name.clone()),
            if unknown.is_of_source { "source of the number" } else { "" }.to_owned(),
        ]
    };
    Table {
        columns: vec![
            Column::text("number"),
            Column::number("now"),
            Column::text("distribution"),
            Column::text("correlated in"),
            Column::text("source"),
        ],
        rows: unknowns.numbers.iter().take(LISTED).map(row).collect(),
    }
    .without_empty_columns()
}

fn more(unknowns: &Unknowns) -> Option<String> {
    let more = unknowns.numbers.len().checked_sub(LISTED).filter(|more| *more > 0)?;
    Some(format!("and {more} more"))
}

/// "normal, ± 2 ms", "0.1 … 0.3".
#[must_use]
pub fn in_words(unknown: &Unknown) -> String {
    let unit = unknown.quantity.unit;
    let Spread { distribution, .. } = &unknown.spread;
    match *distribution {
        Distribution::Normal { standard_deviation } => {
            format!("normal, standard deviation {}", unit.format(standard_deviation))
        }
        Distribution::LogNormal { factor } => {
            format!("log-normal, 95 % within a factor of {}", Unit::Ratio.format(factor))
        }
        Distribution::Uniform { low, high } => format!("{} … {}", unit.format(low), unit.format(high)),
        Distribution::Triangular { low, high } => {
            format!("triangular, {} … {}", unit.format(low), unit.format(high))
        }
    }
}

/// CSV with a line for each figure.
#[must_use]
pub fn csv(found: &Uncertain) -> String {
    let mut csv = Records::default();
    csv.push([
        "figure",
        "present",
        "mean",
        "mean_error",
        "standard_deviation",
        "p5",
        "p5_error",
        "p50",
        "p50_error",
        "p95",
        "p95_error",
        "missing",
        "samples",
    ]);
    for figure in &found.figures {
        let mut row = vec![figure.selected.key.clone(), figure.present.map_or_else(String::new, finite)];
        row.extend([figure.mean.value, figure.mean.error, figure.standard_deviation.value].map(finite));
        row.extend(figure.quantiles.iter().flat_map(|of| [finite(of.value), finite(of.error)]));
        row.extend([figure.missing, found.samples].map(|count| count.to_string()));
        csv.push(row);
    }
    csv.into_text()
}

#[derive(Serialize)]
struct Record<'a> {
    study: &'static str,
    scenario: &'a str,
    /// The query that the record is about; absent without the application of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    /// The engines and machines of the figures; absent without engines and a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    figure_engines: Option<[String; 2]>,
    /// What should run the query by its present numbers, in whole engines; absent without engines and a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<DecisionRecord>,
    samples: usize,
    seed: u64,
    left_out: usize,
    uncertain_numbers: Vec<Number<'a>>,
    figures: Vec<Figure<'a>>,
    decisions: Vec<Decision<'a>>,
}

/// What the study decides.
#[derive(Serialize)]
struct Decision<'a> {
    key: &'a str,
    label: &'a str,
    present: Option<f64>,
    /// The share of samples in which it is yes.
    yes: Estimate,
}

#[derive(Serialize)]
pub(crate) struct Number<'a> {
    path: &'a str,
    unit: &'static str,
    present: f64,
    #[serde(flatten)]
    spread: &'a Spread,
    from_source: bool,
}

impl<'a> Number<'a> {
    /// As programs read it.
    pub(crate) fn of(unknown: &'a Unknown) -> Self {
        Self {
            path: &unknown.path,
            unit: unit(unknown.quantity.unit),
            present: unknown.value,
            spread: &unknown.spread,
            from_source: unknown.is_of_source,
        }
    }
}

#[derive(Serialize)]
struct Figure<'a> {
    key: &'a str,
    label: &'a str,
    unit: &'static str,
    present: Option<f64>,
    mean: Estimate,
    standard_deviation: Estimate,
    p5: Estimate,
    p50: Estimate,
    p95: Estimate,
    /// How likely it is at least 1; of factors only, and not beside a decision.
    at_least_1: Option<f64>,
    missing: usize,
}

/// A sampled value with its standard error; null where there is none.
#[derive(Serialize)]
pub(crate) struct Estimate {
    value: Option<f64>,
    error: Option<f64>,
}

impl From<Sampled> for Estimate {
    fn from(sampled: Sampled) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        Self { value: finite(sampled.value), error: finite(sampled.error) }
    }
}

/// The unit of a value in JSON: shares are written from 0 to 1.
pub(crate) fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Share => "share",
        other => other.symbol(),
    }
}

impl<'a> Record<'a> {
    fn of(scenario: &'a Scenario, sampling: &Sampling, found: &'a Uncertain) -> Self {
        let decision = of_study(&scenario.study);
        let is_decided = decision.is_some();
        let figure = |figure: &'a Distributed| {
            let [p5, p50, p95] = figure.quantiles.map(Estimate::from);
            let is_factor = figure.selected.figure.unit == Unit::Factor && !figure.values.is_empty();
            Figure {
                key: &figure.selected.key,
                label: &figure.selected.label,
                unit: unit(figure.selected.figure.unit),
                present: figure.present,
                mean: figure.mean.into(),
                standard_deviation: figure.standard_deviation.into(),
                p5,
                p50,
                p95,
                at_least_1: (is_factor && !is_decided).then(|| figure.at_least(1.0)),
                missing: figure.missing,
            }
        };
        Self {
            study: scenario.study.kind().key(),
            scenario: &scenario.name,
            about: about(&scenario.study),
            figure_engines: figure_engines(&scenario.study),
            decision: decision.map(DecisionRecord::new),
            samples: found.samples,
            seed: sampling.seed,
            left_out: found.not_allowed.as_ref().map_or(0, |refused| refused.count),
            uncertain_numbers: found.unknowns.numbers.iter().map(Number::of).collect(),
            figures: found.figures.iter().map(figure).collect(),
            decisions: found
                .decisions
                .iter()
                .map(|decision| Decision {
                    key: &decision.selected.key,
                    label: &decision.selected.label,
                    present: decision.present,
                    yes: decision.mean.into(),
                })
                .collect(),
        }
    }
}
