//! Predictions of the shipped measured queries by fits that did not see them, and decisions from these predictions: the report and
//! the files.

mod decisions;
mod sets;

use crossover_chart::Chart;
use crossover_engine::{Score, ScoredQuery};
use crossover_plan::shipped::{Scoreboard, ScoredDecisions, ScoredSet};
use crossover_quantity::finite::{self, NotFinite};
use crossover_quantity::text::TextReport;
use crossover_quantity::text::csv::{Records, cell};
use serde::Serialize;

use super::record::{COLUMNS, CaseRecord};
use crate::json;
use crate::report::{Block, Report, ReportFormat};
use decisions::{DECISION_COLUMNS, DecisionsRecord, decision_fields};
pub use decisions::{decided_queries, decision_facts, decision_rules, decisions_how, decisions_title};
use sets::{forms, side};
pub use sets::{scoreboard_table, scored_chart, scored_figures, scored_queries, scored_title, worse_than_constant};

/// Title of the report.
const TITLE: &str = "Accuracy on the shipped measurements";
/// What was predicted, and what the fits saw.
const HOW: &str = "Each query is predicted from its measured time in the first engine, by a fit that did not see it. “From the plan \
                   alone”: without that time.";

/// The sets with their figures, the decisions, and every query, as a report.
#[must_use]
pub fn scoreboard_text_report(scoreboard: &Scoreboard) -> TextReport {
    let Scoreboard { sets, decisions } = scoreboard;
    let mut text_report = TextReport::titled(TITLE);
    text_report.paragraph(HOW).table(scoreboard_table(sets)).facts(scored_figures());
    text_report.facts(forms(sets)).warnings(worse_than_constant(sets));
    if let Some(decisions) = decisions {
        add_decisions(&mut text_report, decisions);
    }
    for set in sets {
        text_report.heading(scored_title(set)).table(scored_queries(set));
    }
    text_report
}

/// The same as one HTML file with a chart of each set.
#[must_use]
pub fn scoreboard_html(scoreboard: &Scoreboard) -> String {
    let Scoreboard { sets, decisions } = scoreboard;
    let mut head = TextReport::default();
    head.facts(scored_figures()).facts(forms(sets)).warnings(worse_than_constant(sets));
    if let Some(decisions) = decisions {
        add_decisions(&mut head, decisions);
    }
    let mut blocks = vec![Block::Lead(HOW.to_owned()), Block::Table(scoreboard_table(sets)), Block::TextReport(head)];
    for set in sets {
        let mut of_set = TextReport::default();
        of_set.heading(scored_title(set)).table(scored_queries(set));
        blocks.push(Block::TextReport(of_set));
        if set.score.predicted > 0 {
            blocks.push(Block::Chart(Box::new(Chart::Lines(scored_chart(set)))));
        }
    }
    let question = "How accurate are the predictions?";
    Report { title: TITLE.to_owned(), question, blocks }.write(ReportFormat::Html)
}

/// What each rule costs, and every decision.
fn add_decisions(text_report: &mut TextReport, decisions: &ScoredDecisions) {
    text_report.heading(decisions_title(decisions)).paragraph(decisions_how(decisions));
    text_report.table(decision_rules(decisions)).facts(decision_facts(decisions)).table(decided_queries(decisions));
}

/// Checks the figures before they are written.
///
/// # Errors
/// A number of them is not finite.
pub fn check_scoreboard(scoreboard: &Scoreboard) -> Result<(), NotFinite> {
    finite::check(&ScoreboardRecord::new(scoreboard))
}

/// The sets and the decisions for programs.
#[must_use]
pub fn scoreboard_json(scoreboard: &Scoreboard) -> String {
    json(&ScoreboardRecord::new(scoreboard))
}

/// Every query, a row each, for spreadsheets. What was decided about a query stands once, beside the predictions of RAPIDS.
#[must_use]
pub fn scoreboard_csv(scoreboard: &Scoreboard) -> String {
    let Scoreboard { sets, decisions } = scoreboard;
    let mut records = Records::default();
    let own = ["engines", "benchmark", "left_out", "constant"];
    let decision_columns = decisions.iter().flat_map(|_| DECISION_COLUMNS);
    records.push(own.into_iter().chain(COLUMNS.map(|(name, _)| name)).chain(decision_columns));
    for set in sets {
        for query in &set.queries {
            let of_set = [set.name, set.benchmark, set.left_out.label()].map(str::to_owned);
            let own = of_set.into_iter().chain([cell(query.constant)]);
            let decided = decisions.as_ref().map(|all| decision_fields(all, all.beside(set, &query.query)));
            let case = CaseRecord::of_query(query, side(query.side()));
            records.push(own.chain(case.fields()).chain(decided.into_iter().flatten()));
        }
    }
    records.into_text()
}

#[derive(Serialize)]
struct ScoreboardRecord<'a> {
    sets: Vec<SetRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<DecisionsRecord<'a>>,
}

impl<'a> ScoreboardRecord<'a> {
    fn new(scoreboard: &'a Scoreboard) -> Self {
        Self {
            sets: scoreboard.sets.iter().map(SetRecord::new).collect(),
            decisions: scoreboard.decisions.as_ref().map(DecisionsRecord::new),
        }
    }
}

#[derive(Serialize)]
struct SetRecord<'a> {
    engines: &'a str,
    benchmark: &'a str,
    /// "query" or "cluster".
    left_out: &'a str,
    /// The form of the predicted time.
    form: &'a str,
    #[serde(flatten)]
    score: Score,
    cases: Vec<QueryRecord<'a>>,
}

/// A query, and the speedup that the constant predicts.
#[derive(Serialize)]
struct QueryRecord<'a> {
    #[serde(flatten)]
    case: CaseRecord<'a>,
    constant: Option<f64>,
}

impl<'a> SetRecord<'a> {
    fn new(set: &'a ScoredSet) -> Self {
        let case = |query: &'a ScoredQuery| QueryRecord {
            case: CaseRecord::of_query(query, side(query.side())),
            constant: query.constant,
        };
        Self {
            engines: set.name,
            benchmark: set.benchmark,
            left_out: set.left_out.label(),
            form: &set.form,
            score: set.score,
            cases: set.queries.iter().map(case).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
