//! Learning from a trial: predicted against measured time of each query, the errors, and the numbers of the profile after it.

use crossover_decision::words::time;
use crossover_plan::learn::{LearnedQuery, Learning, LeftOutQuery};
use crossover_quantity::text::{Column, Table, TextReport, counted, shortened};
use crossover_quantity::unit::{Unit, predicted};

use crate::json;

/// Queries that a table for readers has; JSON has all.
const SHOWN: usize = 60;
/// Longest description in a table, characters.
const LONGEST: usize = 40;

/// What was learned, as a report.
#[must_use]
pub fn learned_text_report(learning: &Learning) -> TextReport {
    let mut text_report = TextReport::titled(format!("Trial of {}", learning.option));
    text_report.paragraph(sentence(learning));
    text_report.heading("Queries").table(queries(&learning.queries));
    let more = learning.queries.len().saturating_sub(SHOWN);
    text_report.footnote((more > 0).then(|| format!("{more} more in --format json")));
    text_report.heading("Errors of predicted times").facts(errors(learning));
    text_report.heading("Profile").table(numbers(learning));
    if !learning.left_out.is_empty() {
        text_report.heading("Queries left out").table(left_out(&learning.left_out));
        let more = learning.left_out.len().saturating_sub(SHOWN);
        text_report.footnote((more > 0).then(|| format!("{more} more in --format json")));
    }
    text_report.notes(&learning.notes);
    text_report
}

/// What was learned, for programs.
#[must_use]
pub fn learned_json(learning: &Learning) -> String {
    json(learning)
}

/// "7 queries ran in Spark 3.5.3, 4 × m5.xlarge, and in RAPIDS …: the geometric mean of measured ÷ predicted time is 0.63×."
fn sentence(learning: &Learning) -> String {
    let Learning { today, option, queries, posterior, .. } = learning;
    let ran = counted(queries.len() as f64, "query");
    format!(
        "{ran} ran in {today} and in {option}: the geometric mean of measured ÷ predicted time is {}. The learned \
         profile multiplies the predicted times by {}.",
        Unit::Factor.format(predicted(posterior.mean_error.exp())),
        Unit::Ratio.format(predicted(posterior.factor()))
    )
}

/// Each query: how it was paired, predicted and measured.
fn queries(all: &[LearnedQuery]) -> Table {
    let row = |query: &LearnedQuery| {
        let times = &query.times;
        vec![
            times.name.clone(),
            shortened(&query.description, LONGEST),
            query.paired_by.label().to_owned(),
            of_runs(query.today_seconds, query.today_runs),
            time(&times.predicted),
            of_runs(times.seconds, query.trial_runs),
            Unit::Factor.format(predicted(times.ratio())),
            times.place().to_owned(),
        ]
    };
    let table = Table {
        columns: vec![
            Column::text("query"),
            Column::text("description"),
            Column::text("paired by"),
            Column::number("in Spark"),
            Column::number("predicted"),
            Column::number("measured"),
            Column::number("measured ÷ predicted"),
            Column::text("interval"),
        ],
        rows: all.iter().take(SHOWN).map(row).collect(),
    };
    table.without_empty_columns()
}

/// "12 s", "12 s (median of 3)".
fn of_runs(value: f64, runs: usize) -> String {
    let value = Unit::Seconds.format(value);
    if runs > 1 { format!("{value} (median of {runs})") } else { value }
}

fn errors(learning: &Learning) -> [(&'static str, String); 4] {
    let Learning { queries, posterior, error_factor_90, .. } = learning;
    let within: Vec<bool> = queries.iter().filter_map(|query| query.times.is_within()).collect();
    let inside = within.iter().filter(|is_within| **is_within).count();
    let how = if posterior.is_left_out {
        "each query predicted from the others"
    } else {
        "from the posterior predictive distribution, as fewer than 9 queries were compared"
    };
    [
        (
            "Measured ÷ predicted",
            format!("{}, geometric mean", Unit::Factor.format(predicted(posterior.mean_error.exp()))),
        ),
        ("90 % error before", format!("a factor of {}; {inside} of {} inside", factor(*error_factor_90), within.len())),
        ("90 % error after", format!("a factor of {} ({how})", factor(posterior.error_factor_90))),
        ("Compared", counted(queries.len() as f64, "distinct pair")),
    ]
}

/// The numbers that changed.
fn numbers(learning: &Learning) -> Table {
    let Learning { posterior, error_factor_90, time_ratio, profile, .. } = learning;
    let interval = posterior.interval().map(|factor| Unit::Ratio.format(predicted(time_ratio * factor)));
    let row = |number: &str, before: f64, after: f64, interval: String| {
        vec![number.to_owned(), factor(before), factor(after), interval]
    };
    Table {
        columns: vec![
            Column::text("number"),
            Column::number("before"),
            Column::number("after"),
            Column::number("90 % interval"),
        ],
        rows: vec![
            row("time factor of the engine (δ)", *time_ratio, profile.engines.gpu.time_ratio, interval.join(" … ")),
            row(
                "anchored error (90 %) (ε_m)",
                *error_factor_90,
                profile.engines.anchored_error_factor_90,
                String::new(),
            ),
        ],
    }
}

fn left_out(all: &[LeftOutQuery]) -> Table {
    Table {
        columns: vec![Column::text("query"), Column::text("reason")],
        rows: all.iter().take(SHOWN).map(|query| vec![query.name.clone(), query.reason.clone()]).collect(),
    }
}

fn factor(number: f64) -> String {
    Unit::Ratio.format(predicted(number))
}
