//! The log of a trial: measured times beside predicted ones, and the decision after it.

use crossover_decision::Decision;
use crossover_decision::trial::TrialTime;
use crossover_decision::words::{seconds, time};
use crossover_quantity::text::{Column, Table, TextReport};
use crossover_quantity::unit::{Unit, predicted};
use serde::Serialize;

use super::QUERIES_SHOWN;

/// A trial, and what it decides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecidedTrial {
    /// Its log.
    pub file: String,
    /// Engine and machines of the option that was tried.
    pub option: String,
    /// The whole workload: predicted before, and with the measured times of the queries that were tried.
    pub total: TrialTime,
    /// Each query that is in both logs.
    pub queries: Vec<TrialTime>,
    /// Queries with a prediction that the trial's log lacks: they keep their predicted times.
    pub missing: usize,
    /// The decision before it.
    pub before: Decision,
}

impl DecidedTrial {
    /// "36 s measured instead of 36 s (27 s … 57 s, 90 % interval) predicted: within the interval."
    #[must_use]
    pub fn sentence(&self) -> String {
        let TrialTime { predicted: before, seconds, .. } = &self.total;
        let place = match self.total.is_within() {
            Some(true) => "within the interval".to_owned(),
            Some(false) => format!("outside the interval, {} the predicted time", ratio(&self.total)),
            None => format!("{} the predicted time", ratio(&self.total)),
        };
        format!("{} instead of {} predicted: {place}.", Unit::Seconds.format(*seconds), time(before))
    }

    /// "7 of 9 queries are within their intervals."; `None` if only the whole was tried, or nothing has an interval.
    fn coverage(&self) -> Option<String> {
        let within: Vec<bool> = self.queries.iter().filter_map(TrialTime::is_within).collect();
        if within.len() < 2 {
            return None;
        }
        let inside = within.iter().filter(|is_within| **is_within).count();
        Some(format!("{inside} of {} are within their 90 % intervals.", queries(within.len())))
    }

    /// Each query: predicted and measured.
    #[must_use]
    pub fn table(&self) -> Table {
        let row = |of: &TrialTime| {
            let interval = of.predicted.interval();
            let interval = interval.map(|[low, high]| format!("{} … {}", seconds(low), seconds(high)));
            vec![
                of.name.clone(),
                seconds(of.predicted.value()),
                interval.unwrap_or_default(),
                Unit::Seconds.format(of.seconds),
                ratio(of),
                of.place().to_owned(),
            ]
        };
        let table = Table {
            columns: vec![
                Column::text("query"),
                Column::number("predicted"),
                Column::number("90 % interval"),
                Column::number("measured"),
                Column::number("measured ÷ predicted"),
                Column::text("interval"),
            ],
            rows: self.queries.iter().take(QUERIES_SHOWN).map(row).collect(),
        };
        table.without_empty_columns()
    }

    /// What to do if the measured time is outside the interval.
    #[must_use]
    pub fn advice(&self) -> Option<&'static str> {
        (self.total.is_within() == Some(false)).then_some(
            "This workload differs from the runs that the engine is fitted to: use the measured times, and learn from both logs with \
             crossover learn.",
        )
    }

    /// As a section of a report.
    pub(super) fn section(&self) -> TextReport {
        let mut text_report = TextReport::default();
        text_report.heading(format!("Trial of {} ({})", self.option, self.file));
        text_report.paragraph(self.sentence()).paragraph(self.coverage().unwrap_or_default());
        text_report.table(self.table());
        let more = self.queries.len().saturating_sub(QUERIES_SHOWN);
        text_report.footnote((more > 0).then(|| format!("{more} more in --format json")));
        if self.missing > 0 {
            text_report.paragraph(format!(
                "Not in the trial’s log: {}, with predicted times in the sum.",
                queries(self.missing)
            ));
        }
        text_report.paragraph(self.advice().unwrap_or_default());
        text_report.paragraph(format!("Before the trial: {}", self.before.sentence()));
        text_report
    }
}

/// "1 query", "9 queries".
fn queries(count: usize) -> String {
    let noun = if count == 1 { "query" } else { "queries" };
    format!("{} {noun}", Unit::Count.format(count as f64))
}

/// "1.3×".
fn ratio(of: &TrialTime) -> String {
    Unit::Factor.format(predicted(of.ratio()))
}
