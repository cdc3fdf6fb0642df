//! A report of a scenario of any kind: the answer, its intervals, what it depends on most, every number with its source, and
//! what was left out.

mod figures;
mod numbers;
mod rounds;

use crossover_export::about::statements;
use crossover_export::decision::ApplicationAnswer;
use crossover_export::report::{Block, Findings, Report, limits};
use crossover_export::uncertainty::so_far as uncertainty_so_far;
use crossover_files::shell;
use crossover_quantity::text::{Column, Table};
use crossover_quantity::unit::Unit;
use crossover_scenario::{Scenario, VERSION};
use crossover_study::{Watch, answer};
use crossover_tools::points::Pointwise as _;
use crossover_tools::selected::{EVERY, SelectedFigure};
use crossover_tools::sensitivity::{self, Points, Sensitivity};
use crossover_tools::uncertainty::{self, LEAST_SAMPLES, Samples, Sampling, Uncertain, UncertaintyError};
use crossover_tools::values::Values;

pub use rounds::Rounds;

/// Samples by default.
pub const SAMPLES: usize = 4_096;
/// The sensitivity analysis has this many times fewer samples: each takes an evaluation for every uncertain number.
const FEWER: usize = 16;

/// The request for a report.
#[derive(Debug, Clone)]
pub struct ReportRequest {
    /// How uncertain numbers are sampled, and which figures are key figures.
    pub sampling: Sampling,
    /// The command that reproduces the report.
    pub command: String,
    /// The answer about the application of the scenario's query, with which the report begins; `None`: the report is about the query alone,
    /// or the scenario has no application.
    pub application: Option<ApplicationAnswer>,
}

/// The command that makes a report of a file with this sampling, as it is typed in a shell; `more` follows.
#[must_use]
pub fn command(file: &str, sampling: &Sampling, more: &[&str]) -> String {
    let [samples, seed] = [sampling.samples.to_string(), sampling.seed.to_string()];
    let words = ["crossover", "report", file, "--samples", &samples, "--seed", &seed];
    shell::line(words.iter().chain(more))
}

/// The report of what was sampled; `None` if it was cancelled. The same on every machine.
///
/// # Errors
/// [`UncertaintyError`] if there is no such figure.
pub fn written(
    scenario: &Scenario,
    findings: Findings,
    request: &ReportRequest,
    sampled: &Sampled,
    watch: Watch<'_>,
) -> Result<Option<Report>, UncertaintyError> {
    let Some(now) = answer(scenario.study.subject(), watch) else { return Ok(None) };
    let key = SelectedFigure::of(&now, &request.sampling.figures)?;
    let mut blocks = Vec::new();
    answers(&mut blocks, scenario, request.application.as_ref(), findings.answer);
    blocks.push(Block::Heading("Key figures"));
    figures::key(&mut blocks, &now, &key, sampled);
    if let Some(bill) = scenario.study.subject().bill().filter(|bill| !bill.as_of.is_empty()) {
        blocks.push(Block::Text(format!("Prices are of {}, in US dollars.", bill.as_of)));
    }
    figures::uncertainty(&mut blocks, scenario, &request.sampling, sampled);
    blocks.push(Block::Heading("What it depends on most"));
    figures::sensitivities(&mut blocks, sampled);
    if !findings.charts.is_empty() {
        blocks.push(Block::Heading("Charts"));
        blocks.extend(findings.charts.into_iter().map(|chart| Block::Chart(Box::new(chart))));
    }
    blocks.extend([Block::Heading("The outcome"), Block::TextReport(findings.outcome.body())]);
    figures::of_parts(&mut blocks, &now, &key, sampled);
    blocks.push(Block::Heading("Numbers and their sources"));
    numbers::every(&mut blocks, scenario, sampled);
    blocks.push(Block::Heading("Warnings"));
    let mut warnings = findings.warnings;
    warnings.extend(sampled.warning());
    let none = || Block::Text("None.".to_owned());
    blocks.push(if warnings.is_empty() { none() } else { Block::List(warnings) });
    blocks.push(Block::Heading("What the model leaves out"));
    blocks.extend(findings.limits.iter().filter_map(|title| limits(title)).map(Block::Markdown));
    blocks.push(Block::Heading("How this report was made"));
    made(&mut blocks, scenario, request, sampled);
    Ok(Some(Report { title: scenario.name.clone(), question: scenario.study.kind().question(), blocks }))
}

/// The notes and the answer of a scenario, below the decision about the application of its query where there is one.
fn answers(blocks: &mut Vec<Block>, scenario: &Scenario, application: Option<&ApplicationAnswer>, answer: String) {
    let notes = scenario.notes.split("\n\n").map(str::trim).filter(|text| !text.is_empty());
    let notes = notes.map(|text| Block::Text(text.to_owned()));
    let about = statements(&scenario.study).map(Block::Text);
    match application {
        Some(ApplicationAnswer::Decided(decided)) => {
            blocks.extend([Block::Heading("Answer"), Block::Text(decided.title())]);
            blocks.extend(decided.blocks());
            blocks.push(Block::Heading("The query alone"));
            blocks.extend(about.chain(notes));
        }
        Some(ApplicationAnswer::NotJudged(why_not)) => {
            blocks.extend(notes.chain([Block::Heading("Answer"), Block::Text(why_not.clone())]).chain(about));
        }
        None => blocks.extend(notes.chain([Block::Heading("Answer")]).chain(about)),
    }
    blocks.push(Block::Lead(answer));
}

/// What a report samples.
#[derive(Debug)]
pub struct Samplings {
    /// Sampling of all figures.
    every: Sampling,
    /// Sampling of the figures of the whole study, where all are too many.
    whole: Sampling,
    /// Sampling of the sensitivities of the requested figures.
    fewer: Sampling,
}

impl Samplings {
    /// The samplings of a report.
    #[must_use]
    pub fn of(request: &Sampling) -> Self {
        Self {
            every: Sampling { figures: vec![EVERY.to_owned()], ..request.clone() },
            whole: request.clone(),
            fewer: Sampling { samples: (request.samples / FEWER).max(LEAST_SAMPLES), ..request.clone() },
        }
    }
}

/// What is evaluated for a report.
pub enum Begun<'a> {
    /// Uncertainty and sensitivity of the figures.
    Tools(Box<(Samples<'a>, Points<'a>)>),
    /// No number is uncertain.
    Nothing,
}

/// What is evaluated for a report; `None` if it was cancelled.
///
/// # Errors
/// [`UncertaintyError`] for a wrong request.
pub fn begin<'a>(
    scenario: &'a Scenario,
    samplings: &'a Samplings,
    watch: Watch<'_>,
) -> Result<Option<Begun<'a>>, UncertaintyError> {
    let study = scenario.study.subject();
    let samples = match uncertainty::begin(study, &samplings.every, watch) {
        Err(UncertaintyError::TooMany(..)) => uncertainty::begin(study, &samplings.whole, watch),
        Err(UncertaintyError::Nothing) => return Ok(Some(Begun::Nothing)),
        other => other,
    };
    let (samples, points) = (samples?, sensitivity::begin(study, &samplings.fewer, watch)?);
    Ok(samples.zip(points).map(|tools| Begun::Tools(Box::new(tools))))
}

/// The result of sampling.
pub enum Sampled {
    /// Uncertainty and sensitivity of the figures.
    Found(Box<(Uncertain, Sensitivity)>),
    /// No number is uncertain.
    Nothing,
    /// No sample is valid, and why.
    Nowhere(String),
    /// Samples follow: the first answer of a report in rounds.
    NotYet,
}

impl Sampled {
    /// The result of both tools from their values.
    ///
    /// # Errors
    /// None that [`begin`] does not find: that no sample is valid, the report states.
    pub fn of(
        (samples, of_samples): (Samples<'_>, Values),
        (points, of_points): (Points<'_>, Values),
    ) -> Result<Self, UncertaintyError> {
        match samples.conclude(of_samples).and_then(|found| Ok((found, points.conclude(of_points)?))) {
            Ok(found) => Ok(Self::Found(Box::new(found))),
            Err(UncertaintyError::Nowhere(why)) => Ok(Self::Nowhere(why.to_string())),
            Err(error) => Err(error),
        }
    }

    /// A warning about samples that are left out.
    fn warning(&self) -> Option<String> {
        match self {
            Self::Found(found) => found.0.not_allowed.as_ref().map(ToString::to_string),
            Self::Nothing | Self::Nowhere(_) | Self::NotYet => None,
        }
    }

    /// The result of a round in a few words, with its error of sampling.
    #[must_use]
    pub fn so_far(&self) -> String {
        match self {
            Self::Found(found) => uncertainty_so_far(&found.0),
            Self::Nothing => "no number is uncertain".to_owned(),
            Self::Nowhere(_) => "no sample is valid".to_owned(),
            Self::NotYet => "the report without intervals".to_owned(),
        }
    }
}

fn made(blocks: &mut Vec<Block>, scenario: &Scenario, request: &ReportRequest, sampled: &Sampled) {
    let count = |count: usize| Unit::Count.format(count as f64);
    let mut rows = vec![
        ["program".to_owned(), format!("Crossover {}", env!("CARGO_PKG_VERSION"))],
        ["kind of study".to_owned(), format!("{}, files of version {VERSION}", scenario.study.kind().key())],
    ];
    if let Sampled::Found(found) = sampled {
        let (uncertain, sensitive) = &**found;
        let of =
            format!("{} for intervals, {} for sensitivities", count(uncertain.samples), count(sensitive.evaluations));
        rows.push(["evaluations".to_owned(), of]);
        rows.push(["seed".to_owned(), request.sampling.seed.to_string()]);
    }
    let columns = vec![Column::text("item"), Column::text("value")];
    blocks.push(Block::Table(Table { columns, rows: rows.into_iter().map(Vec::from).collect() }));
    let makes = match sampled {
        Sampled::NotYet => "This command writes the complete report:",
        _ => "This command reproduces this report exactly:",
    };
    blocks.push(Block::Text(makes.to_owned()));
    blocks.push(Block::Command(request.command.clone()));
}
