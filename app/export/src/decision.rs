//! Decisions about workloads: what runs them today, what else could, and what to do.

use crossover_decision::words::{cost, dollars, percent, seconds, time};
use crossover_decision::{Decision, DecisionOption, Verdict};
use crossover_quantity::text::{Column, Document, Table, shortened};
use crossover_quantity::unit::Unit;
use serde::Serialize;

use crate::json;
use crate::report::{Block, Report, ReportFormat};

/// Queries of an application that a report lists.
const QUERIES_SHOWN: usize = 20;
/// Longest description in a list, characters.
const LONGEST: usize = 60;

/// A decision about an application or a query, and what it is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecidedWorkload {
    /// Name of the application or the query.
    pub name: String,
    /// The file.
    pub file: String,
    /// The decision in words.
    pub sentence: String,
    /// The decision; none if nothing can be predicted.
    pub decision: Option<Decision>,
    /// Why nothing can be predicted, and other warnings about the file.
    pub notes: Vec<String>,
    /// The queries of an application.
    pub queries: Vec<DecidedQuery>,
}

/// A query of an application.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecidedQuery {
    /// The engine's id.
    pub id: String,
    /// In words or in SQL.
    pub description: String,
    /// From start to end as recorded, seconds.
    pub seconds: Option<f64>,
    /// Why nothing is predicted, if so.
    pub blocked_by: Option<String>,
    /// The decision about it alone.
    pub decision: Option<Decision>,
}

impl DecidedWorkload {
    /// A decision, with its sentence; `why_not` says why there is none.
    #[must_use]
    pub fn new(name: String, file: String, decision: Option<Decision>, why_not: &str) -> Self {
        let sentence = decision.as_ref().map_or_else(|| format!("Cannot be judged: {why_not}."), Decision::sentence);
        Self { name, file, sentence, decision, notes: Vec::new(), queries: Vec::new() }
    }

    /// As a report.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut document = Document::titled(format!("{} ({})", self.name, self.file));
        document.paragraph(self.sentence.clone());
        if let Some(decision) = &self.decision {
            document.append(decided(decision));
        }
        if self.queries.len() > 1 {
            document.heading("Queries").table(queries(&self.queries));
            let more = self.queries.len().saturating_sub(QUERIES_SHOWN);
            document.footnote((more > 0).then(|| format!("{more} more; --query ID decides about one")));
        }
        document.notes(&self.notes);
        document
    }
}

/// Several decisions as text for a terminal.
#[must_use]
pub fn terminal(decided: &[DecidedWorkload]) -> String {
    decided.iter().map(|workload| workload.document().terminal()).collect::<Vec<String>>().join("\n")
}

/// Several decisions as Markdown.
#[must_use]
pub fn markdown(decided: &[DecidedWorkload]) -> String {
    decided.iter().map(|workload| workload.document().markdown()).collect::<Vec<String>>().join("\n")
}

/// Several decisions for programs.
#[must_use]
pub fn decisions_json(decided: &[DecidedWorkload]) -> String {
    json(&decided)
}

/// Several decisions as one HTML file.
#[must_use]
pub fn html(decided: &[DecidedWorkload]) -> String {
    let blocks = decided.iter().flat_map(|workload| {
        [
            Block::Text(format!("{} ({})", workload.name, workload.file)),
            Block::Lead(workload.sentence.clone()),
            Block::Document(workload.document().body()),
        ]
    });
    let title = match decided {
        [only] => only.name.clone(),
        several => format!("{} applications", Unit::Count.format(several.len() as f64)),
    };
    Report { title, question: "What should run this workload?", blocks: blocks.collect() }.write(ReportFormat::Html)
}

/// A decision as a report without a title.
#[must_use]
pub fn decided(decision: &Decision) -> Document {
    let mut document = Document::default();
    let baseline = &decision.baseline;
    let today = if baseline.is_measured {
        format!("{} measured on {}", Unit::Seconds.format(baseline.time.value()), baseline.title)
    } else {
        format!("{} predicted for {}", time(&baseline.time), baseline.title)
    };
    let price = match baseline.usd_per_hour {
        Some(usd) => format!("{} per hour ({})", dollars(usd), baseline.price_source),
        None => "no price: name one with --price-today".to_owned(),
    };
    document.facts([
        ("Today", today),
        ("Cost of a run", decision.today_usd().map(|usd| dollars(usd.value)).unwrap_or_default()),
        ("Price of its machines", price),
        ("Wanted", format!("{}, with a chance of 90 % or more", decision.wanted())),
    ]);
    document.heading("Options").table(options(decision));
    document.footnote(Some(
        "time and cost: the median and the 90 % interval; saving: its mean, negative if the option costs more".to_owned(),
    ));
    let changes = what_changes_it(decision);
    if !changes.is_empty() {
        document.heading("What would change it");
        for sentence in changes {
            document.paragraph(sentence);
        }
    }
    if let Some(option) = decision.best_option().or_else(|| decision.options.iter().find(|option| option.better.is_some())) {
        let evidence = &option.candidate.evidence;
        let runs = if evidence.runs.is_empty() { "no measured runs".to_owned() } else { evidence.runs.clone() };
        document.heading("Evidence").facts([
            ("Option", option.candidate.title.clone()),
            ("Fitted to", runs),
            ("Differences", evidence.distance.join("; ")),
        ]);
    }
    document
}

fn options(decision: &Decision) -> Table {
    let is_by_time = decision.is_by_time();
    let chance = |chance: Option<f64>| chance.map(percent).unwrap_or_default();
    let row = |(place, option): (usize, &DecisionOption)| {
        let saving = option.saving.map(|saving| if is_by_time { seconds(saving) } else { dollars(saving) });
        let usd = option.usd.map(|usd| dollars(usd.value)).unwrap_or_default();
        let interval = option.candidate.time.and_then(|time| time.interval());
        let interval = interval.map(|[low, high]| format!("{} – {}", seconds(low), seconds(high)));
        vec![
            option.candidate.title.clone(),
            option.candidate.time.map(|time| seconds(time.value())).unwrap_or_default(),
            interval.unwrap_or_default(),
            usd,
            saving.unwrap_or_default(),
            chance(option.faster),
            chance(option.cheaper),
            chance(option.better),
            why(decision, place, option),
        ]
    };
    let today = vec![
        format!("stay: {}", decision.baseline.title),
        Unit::Seconds.format(decision.baseline.time.value()),
        String::new(),
        decision.today_usd().map(|usd| dollars(usd.value)).unwrap_or_default(),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
        if decision.verdict == Verdict::Stay { "recommended".to_owned() } else { String::new() },
    ];
    let table = Table {
        columns: vec![
            Column::text("option"),
            Column::number("time"),
            Column::number("90 % interval"),
            Column::number("cost per run"),
            Column::number("saving per run"),
            Column::number("faster"),
            Column::number("cheaper"),
            Column::number("both"),
            Column::text("why"),
        ],
        rows: std::iter::once(today).chain(decision.options.iter().enumerate().map(row)).collect(),
    };
    table.without_empty_columns()
}

/// Why an option is recommended, or not.
#[must_use]
pub fn why(decision: &Decision, place: usize, option: &DecisionOption) -> String {
    if let Some(blocked) = &option.candidate.blocked_by {
        return blocked.clone();
    }
    if option.better.is_none() {
        return "no measured error".to_owned();
    }
    if decision.best == Some(place) {
        return match decision.verdict {
            Verdict::Move => "recommended".to_owned(),
            _ => "recommended for a trial".to_owned(),
        };
    }
    let limit = decision.objective.time_limit;
    let slower = || match limit {
        limit if (limit - 1.0).abs() < f64::EPSILON => "probably slower than today".to_owned(),
        limit => format!("probably longer than {} of today’s time", Unit::Factor.format(limit)),
    };
    let is_unlikely = |chance: Option<f64>| chance.is_some_and(|chance| chance < 0.5);
    if is_unlikely(option.feasible) {
        return slower();
    }
    if is_unlikely(option.cheaper) && !decision.is_by_time() {
        return "probably costs more than today".to_owned();
    }
    let best = decision.best_option().and_then(|best| Some((best, option.against?)));
    match best {
        Some((best, against)) if against.other == decision.best => {
            let chance = if decision.is_by_time() { Some(against.faster) } else { against.cheaper };
            let what = if decision.is_by_time() { "faster" } else { "cheaper" };
            let chance = chance.map(percent).unwrap_or_default();
            format!("{chance} likely to be {what} than {}", best.candidate.title)
        }
        _ => String::new(),
    }
}

/// What would change the verdict, a sentence each.
fn what_changes_it(decision: &Decision) -> Vec<String> {
    let mut changes = Vec::new();
    for option in &decision.options {
        if let Some(limit) = decision.limit_to_move(option) {
            changes.push(format!(
                "A time limit of {} of today’s time: {} would then be recommended without a trial.",
                Unit::Factor.format((limit * 100.0).ceil() / 100.0),
                option.candidate.title
            ));
        }
    }
    if let Some((best, price)) = decision.best_option().and_then(|best| Some((best, decision.price_to_stay_cheaper(best)?))) {
        changes.push(format!(
            "A price of {} per hour for the machines of {} (today {}): from there on it is less than 90 % likely to be cheaper.",
            dollars(price),
            best.candidate.title,
            best.candidate.usd_per_hour.map(dollars).unwrap_or_default()
        ));
    }
    changes
}

fn queries(queries: &[DecidedQuery]) -> Table {
    let row = |query: &DecidedQuery| {
        let best = query.decision.as_ref().and_then(Decision::best_option);
        vec![
            query.id.clone(),
            shortened(&query.description, LONGEST),
            query.seconds.map(|seconds| Unit::Seconds.format(seconds)).unwrap_or_default(),
            best.and_then(|best| best.candidate.time.as_ref().map(time)).unwrap_or_default(),
            best.and_then(|best| best.usd.as_ref().map(cost)).unwrap_or_default(),
            best.and_then(|best| best.better.map(percent)).unwrap_or_default(),
            query.decision.as_ref().map_or("cannot be judged", |decision| decision.verdict.label()).to_owned(),
            best.map(|best| best.candidate.title.clone()).or_else(|| query.blocked_by.clone()).unwrap_or_default(),
        ]
    };
    let table = Table {
        columns: vec![
            Column::text("query"),
            Column::text("description"),
            Column::number("today"),
            Column::number("time of the best option"),
            Column::number("cost per run"),
            Column::number("better"),
            Column::text("verdict"),
            Column::text("best option, or blocker"),
        ],
        rows: queries.iter().take(QUERIES_SHOWN).map(row).collect(),
    };
    table.without_empty_columns()
}
