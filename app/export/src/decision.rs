//! Decisions about workloads: what runs them today, what else could, and what to do.

mod application;
mod changes;
mod chart;
mod choice;
mod data;
pub mod dependence;
mod evaluated;
mod evidence;
mod next_steps;
mod options;
mod trial_log;

pub use application::ApplicationAnswer;
pub use changes::{growth_sentence, what_changes_it};
pub use chart::chart;
pub use choice::{APPLICATION, NextStep};
pub use data::data_csv;
pub use evaluated::evaluated;
pub use evidence::{EVEN_TASKS, WithoutAMove, all_warnings, evidence, warnings, without_data};
pub use next_steps::{Trial, trial};
pub use options::{OptionColumn, OptionRow, OptionsTable};
pub use trial_log::DecidedTrial;

use crossover_chart::Chart;
use crossover_chart::lines::LineChart;
use crossover_decision::growth::GrowthChange;
use crossover_decision::words::{cost, likely, price_dollars};
use crossover_decision::{BreakEvenPrices, Decision, DecisionOption, Dependence, PriceChange};
use crossover_plan::remarks::Remarks;
use crossover_quantity::text::{Column, Table, TextReport, counted, shortened};
use crossover_quantity::unit::Unit;
use crossover_query::SparkSettings;
use serde::Serialize;

use crate::arguments::DecideArguments;
use crate::costs::{DecidedCosts, costs};
use crate::decided::today;
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
    /// What runs cost today, and with the recommended option or else the likeliest one; none without a price.
    pub costs: Option<DecidedCosts>,
    /// What the decision depends on most.
    pub depends_on: Option<Dependence>,
    /// Prices at which the recommendation is another one.
    pub price_changes: Vec<PriceChange>,
    /// Break-even prices of the recommended options.
    pub break_even_prices: Vec<BreakEvenPrices>,
    /// A trial of one of the options.
    pub trial: Option<DecidedTrial>,
    /// The growth of the data that changes the recommendation; none if none up to a hundred times does, or it is not known.
    pub growth: Option<GrowthChange>,
    /// What to change on today’s machines, whatever the decision; none if nothing in the log asks for it.
    pub without_a_move: Option<WithoutAMove>,
    /// Settings of Spark in the log, which a trial starts from.
    #[serde(skip)]
    pub settings: SparkSettings,
    /// Arguments of `crossover decide` with which it was decided, beside the log.
    #[serde(skip)]
    pub arguments: DecideArguments,
    /// What the log says of its run.
    #[serde(skip)]
    pub remarks: Remarks,
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
        let mut decided = Self {
            name,
            file,
            sentence: format!("Cannot be judged: {why_not}."),
            decision: None,
            costs: None,
            depends_on: None,
            price_changes: Vec::new(),
            break_even_prices: Vec::new(),
            trial: None,
            growth: None,
            without_a_move: None,
            settings: SparkSettings::default(),
            arguments: DecideArguments::default(),
            remarks: Remarks::default(),
            queries: Vec::new(),
        };
        if let Some(decision) = decision {
            decided.take_decision(decision);
        }
        decided
    }

    /// Takes a decision, with everything that follows from it.
    pub fn take_decision(&mut self, decision: Decision) {
        self.sentence = decision.sentence();
        self.costs = DecidedCosts::of(&decision);
        self.depends_on = decision.depends_on();
        self.price_changes = decision.prices_of_a_change();
        self.break_even_prices = decision.break_even_prices();
        self.decision = Some(decision);
    }

    /// Warnings about the log, then about the measurements and prices of the options.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        all_warnings(&self.remarks.warnings, self.decision.as_ref())
    }

    /// "shop (shop.zstd)".
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} ({})", self.name, self.file)
    }

    /// As a report.
    #[must_use]
    pub fn text_report(&self) -> TextReport {
        let mut text_report = TextReport::titled(self.title());
        text_report.paragraph(self.sentence.clone()).append(self.details());
        text_report
    }

    /// Everything after the sentence.
    fn details(&self) -> TextReport {
        let mut text_report = TextReport::default();
        text_report.paragraph(self.without_a_move.as_ref().map(WithoutAMove::line).unwrap_or_default());
        if let Some(trial) = &self.trial {
            text_report.append(trial.section());
        }
        if let Some(decision) = &self.decision {
            text_report.append(self.decided(decision));
        }
        if let Some(step) = &self.without_a_move {
            text_report.heading("Next step on today’s machines").paragraph(step.step.clone());
        }
        if !self.queries.is_empty() {
            text_report.heading("Queries").table(self.queries_table());
            text_report.footnote(self.more_queries());
        }
        text_report.warnings(self.warnings()).notes(&self.remarks.notes);
        text_report
    }

    /// The first queries, each decided alone.
    #[must_use]
    pub fn queries_table(&self) -> Table {
        queries(&self.queries)
    }

    /// How many queries the table lacks, and how to decide about one of them; `None` if it has all.
    #[must_use]
    pub fn more_queries(&self) -> Option<String> {
        let more = self.queries.len().saturating_sub(QUERIES_SHOWN);
        (more > 0).then(|| {
            let more = counted(more as f64, "more query");
            format!("{more}; crossover decide LOG --query ID decides about one of them")
        })
    }

    /// As parts of a report in HTML or Markdown: the sentence, everything after it, and the charts.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = vec![Block::Lead(self.sentence.clone()), Block::TextReport(self.details())];
        // The answer stands above.
        let lines = self.decision.as_ref().and_then(chart).map(|lines| LineChart { answer: String::new(), ..lines });
        blocks.extend(lines.map(|lines| Block::Chart(Box::new(Chart::Lines(lines)))));
        let found = self.decision.as_ref().zip(self.depends_on.as_ref());
        let bars = found.and_then(|(decision, found)| dependence::chart(decision, found));
        blocks.extend(bars.map(|bars| Block::Chart(Box::new(Chart::Bars(bars)))));
        blocks
    }

    /// The decision as a report without a title.
    fn decided(&self, decision: &Decision) -> TextReport {
        let mut text_report = TextReport::default();
        let baseline = &decision.baseline;
        let price = match &baseline.price {
            Some(price) => format!("{} per hour ({})", price_dollars(price.usd_per_hour), price.origin()),
            None => "none; enter one with --price-today".to_owned(),
        };
        let mut facts = vec![("Today", today(decision))];
        facts.extend(costs(decision));
        facts.push(("Price of today’s machines", price));
        let goal = format!("{}, at least 90 % likely", decision.wanted());
        let goal =
            if decision.lists_front() { format!("Pareto front of time and cost; to move: {goal}") } else { goal };
        facts.push(("Goal", goal));
        text_report.facts(facts);
        let options = OptionsTable::new(decision);
        text_report.heading("Options").table(options.table()).footnote(Some(options.footnote()));
        text_report.paragraph(without_data(decision).unwrap_or_default());
        text_report.paragraph(if self.without_a_move.is_some() { EVEN_TASKS } else { "" });
        if let Some(found) = &self.depends_on {
            text_report.append(dependence::section(decision, found));
        }
        let mut changes = what_changes_it(decision, &self.price_changes);
        changes.extend(self.growth.as_ref().map(|change| growth_sentence(decision, change)));
        if !changes.is_empty() {
            text_report.heading("What would change it");
            for sentence in changes {
                text_report.paragraph(sentence);
            }
        }
        if let Some(next) = NextStep::new(decision, &self.settings) {
            text_report.append(next.section(&self.arguments));
        }
        let choices: Vec<&DecisionOption> =
            decision.choices().into_iter().map(|place| &decision.options[place]).collect();
        let shown = if choices.is_empty() { decision.shown().into_iter().collect() } else { choices };
        if !shown.is_empty() {
            text_report.heading("Evidence");
        }
        for option in shown {
            text_report.facts(evidence(option));
        }
        text_report
    }
}

/// Several decisions as text for a terminal.
#[must_use]
pub fn terminal(decided: &[DecidedWorkload]) -> String {
    decided.iter().map(|workload| workload.text_report().terminal()).collect::<Vec<String>>().join("\n")
}

/// Several decisions as Markdown.
#[must_use]
pub fn markdown(decided: &[DecidedWorkload]) -> String {
    decided.iter().map(|workload| workload.text_report().markdown()).collect::<Vec<String>>().join("\n")
}

/// A decision as programs read it, with the warnings, the notes and the arguments of the other forms.
#[derive(Debug, Serialize)]
struct WorkloadRecord<'a> {
    #[serde(flatten)]
    decided: &'a DecidedWorkload,
    warnings: Vec<String>,
    notes: &'a [String],
    arguments: Vec<String>,
    left_out_of_arguments: &'a [String],
}

impl<'a> WorkloadRecord<'a> {
    fn new(decided: &'a DecidedWorkload) -> Self {
        Self {
            decided,
            warnings: decided.warnings(),
            notes: &decided.remarks.notes,
            arguments: decided.arguments.words(),
            left_out_of_arguments: &decided.arguments.left_out,
        }
    }
}

/// Several decisions for programs.
#[must_use]
pub fn decisions_json(decided: &[DecidedWorkload]) -> String {
    json(&decided.iter().map(WorkloadRecord::new).collect::<Vec<WorkloadRecord<'_>>>())
}

/// Several decisions as one HTML file.
#[must_use]
pub fn html(decided: &[DecidedWorkload]) -> String {
    let blocks = decided.iter().flat_map(|workload| {
        // The title names a workload that is alone.
        let name = (decided.len() > 1).then(|| Block::Text(workload.title()));
        name.into_iter().chain(workload.blocks())
    });
    let title = match decided {
        [only] => only.title(),
        several => counted(several.len() as f64, "application"),
    };
    Report { title, question: "What should run this workload?", blocks: blocks.collect() }.write(ReportFormat::Html)
}

fn queries(queries: &[DecidedQuery]) -> Table {
    let row = |query: &DecidedQuery| {
        // Without a recommendation, the option that is most likely to meet the goal, and why it is not recommended.
        let place = query.decision.as_ref().and_then(Decision::shown_place);
        let shown =
            query.decision.as_ref().zip(place).map(|(decision, place)| (decision, place, &decision.options[place]));
        let best = shown.map(|(.., option)| option);
        vec![
            query.id.clone(),
            shortened(&query.description, LONGEST),
            query.seconds.map(|seconds| Unit::Seconds.format(seconds)).unwrap_or_default(),
            shown
                .and_then(|(decision, _, best)| Some(decision.predicted_time(best.candidate.time.as_ref()?)))
                .unwrap_or_default(),
            best.and_then(|best| best.usd.as_ref().map(cost)).unwrap_or_default(),
            best.and_then(|best| best.better.map(likely)).unwrap_or_default(),
            query.decision.as_ref().map_or("cannot be judged", |decision| decision.verdict.label()).to_owned(),
            match (shown, &query.decision) {
                (Some((decision, place, best)), _) if decision.best == Some(place) => {
                    decision.recommended_title(" or ").unwrap_or_else(|| best.candidate.title.clone())
                }
                (Some((decision, place, best)), _) => format!("{}: {}", best.candidate.title, decision.why(place)),
                (None, Some(_)) => "no option can meet the goal".to_owned(),
                (None, None) => query.blocked_by.clone().unwrap_or_default(),
            },
        ]
    };
    let table = Table {
        columns: vec![
            Column::text("query"),
            Column::text("description"),
            Column::number("today"),
            Column::number("median time with option"),
            Column::number("median cost with option"),
            Column::number("likely to meet goal"),
            Column::text("verdict"),
            Column::text("option, and why not"),
        ],
        rows: queries.iter().take(QUERIES_SHOWN).map(row).collect(),
    };
    table.without_empty_columns()
}
