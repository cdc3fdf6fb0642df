//! Predictions of the shipped measured queries by fits that did not see them, as text and as charts.

use crossover_chart::Chart;
use crossover_chart::lines::LineChart;
use crossover_chart::theme::Token;
use crossover_engine::predict::Range;
use crossover_engine::score::ANSWERED;
use crossover_engine::truth::TOO_CLOSE;
use crossover_engine::{Score, ScoredQuery, ScoredSide};
use crossover_plan::shipped::{LeftOutOf, ScoredSet};
use crossover_quantity::finite::{self, NotFinite};
use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Align, Column, Table, TextReport};
use crossover_quantity::unit::{Unit, predicted};
use serde::Serialize;

use super::chart::{Accuracy, Mark};
use super::record::{COLUMNS, CaseRecord, number};
use crate::json;
use crate::report::{Block, Report, ReportFormat};

/// Title of the report.
const TITLE: &str = "Accuracy on the shipped measurements";
/// What was predicted, and what the fits saw.
const HOW: &str = "Each query is predicted from its measured time in the first engine, by a fit that did not see it. “From the plan \
                   alone”: without that time.";

/// The sets with their figures, and every query, as a report.
#[must_use]
pub fn scoreboard_text_report(sets: &[ScoredSet]) -> TextReport {
    let mut text_report = TextReport::titled(TITLE);
    text_report.paragraph(HOW).table(scoreboard_table(sets)).facts(scored_figures());
    text_report.facts(forms(sets)).warnings(worse_than_constant(sets));
    for set in sets {
        text_report.heading(scored_title(set)).table(scored_queries(set));
    }
    text_report
}

/// The sets with their figures, a row each.
#[must_use]
pub fn scoreboard_table(sets: &[ScoredSet]) -> Table {
    let columns = vec![
        Column::text("engines"),
        Column::text("left out"),
        Column::number("queries"),
        Column::number("rank"),
        Column::number("error"),
        Column::number("constant"),
        Column::number("ratio"),
        Column::number("answered"),
        Column::number("clear sides"),
        Column::number("inside 90 %"),
        Column::text("result"),
    ];
    Table { columns, rows: sets.iter().map(row).collect() }
}

fn row(set: &ScoredSet) -> Vec<String> {
    let score = &set.score;
    let number = |value: Option<f64>| value.map_or_else(none, |value| format!("{value:.2}"));
    vec![
        set.name.to_owned(),
        set.left_out.label().to_owned(),
        if score.predicted < score.queries {
            format!("{} of {}", score.predicted, score.queries)
        } else {
            score.queries.to_string()
        },
        number(score.rank_correlation),
        number(score.error),
        number(score.constant_error),
        number(score.error_ratio()),
        share(score.answered_share()),
        if score.clear > 0 { format!("{} of {}", score.clear_right, score.clear) } else { none() },
        score.inside_share().map_or_else(none, share),
        verdict(score).to_owned(),
    ]
}

/// As few digits as so few queries support.
fn share(value: f64) -> String {
    Unit::Share.format(predicted(value))
}

fn none() -> String {
    "–".to_owned()
}

/// Whether predictions are worth more than the constant.
fn verdict(score: &Score) -> &'static str {
    match score.error_ratio() {
        None => "no prediction",
        Some(ratio) if ratio < 1.0 => "better than the constant",
        Some(_) => "NOT BETTER than the constant",
    }
}

/// What the columns of the figures mean.
#[must_use]
pub fn scored_figures() -> [(&'static str, String); 8] {
    let factor = |value: f64| Unit::Factor.format((value * 100.0).round() / 100.0);
    let outside = |low: f64, high: f64| format!("below {} or above {}", factor(low), factor(high));
    let answered = ANSWERED.exp();
    [
        (
            "Left out",
            "what the fit leaves out. “query”: the query with its parts, such as q14a and q14b; “cluster”: all queries \
             that were measured on the same cluster"
                .to_owned(),
        ),
        (
            "Queries",
            "“1 of 3”: one of three queries was predicted; the others are outside what was measured, and count as not answered"
                .to_owned(),
        ),
        ("Rank", "Spearman’s correlation of predicted and measured speedups".to_owned()),
        ("Error", "mean of |ln(predicted ÷ measured)| of the speedups".to_owned()),
        ("Constant", "the same mean error of a constant: the geometric mean of the measured speedups in the fit".to_owned()),
        ("Answered", format!("predicted speedup {}", outside(1.0 / answered, answered))),
        (
            "Clear sides",
            format!(
                "faster side right, of answered queries with a measured speedup {}",
                outside(*TOO_CLOSE.start(), *TOO_CLOSE.end())
            ),
        ),
        ("Inside 90 %", "measured speedups inside the 90 % interval".to_owned()),
    ]
}

/// The form of the predicted time of each set, by its name.
fn forms(sets: &[ScoredSet]) -> impl Iterator<Item = (&'static str, String)> {
    let fitted = sets.iter().filter(|set| set.left_out == LeftOutOf::Query);
    fitted.map(|set| (set.name, set.form.clone()))
}

/// The sets for which the constant is as good or better.
pub fn worse_than_constant(sets: &[ScoredSet]) -> impl Iterator<Item = String> {
    sets.iter().filter_map(|set| {
        let (error, constant) = (set.score.error?, set.score.constant_error?);
        (error >= constant).then(|| {
            let (name, left_out) = (set.name, set.left_out.label());
            format!(
                "{name}, {left_out} left out: the constant is at least as good (error {constant:.2}, predictions {error:.2})"
            )
        })
    })
}

/// "Spark → RAPIDS, 4 × L4: TPC-DS, scale factor 1000, query left out".
#[must_use]
pub fn scored_title(set: &ScoredSet) -> String {
    format!("{}: {}, {} left out", set.name, set.benchmark, set.left_out.label())
}

/// Every query: measured, predicted, interval and side.
#[must_use]
pub fn scored_queries(set: &ScoredSet) -> Table {
    let [today, other] = set.pair;
    let number = |title: String| Column { title: title.into(), align: Align::Right };
    let columns = vec![
        Column::text("query"),
        number(format!("{today} measured")),
        number(format!("{today} predicted")),
        number(format!("{other} predicted")),
        number(format!("{other} measured")),
        Column::number("speedup"),
        Column::text("90 % interval"),
        Column::number("measured"),
        Column::number("constant"),
        Column::text("side"),
    ];
    let seconds = |value: f64| Unit::Seconds.format(value);
    let factor = |value: f64| Unit::Factor.format(value);
    let rows = set.queries.iter().map(|query| {
        let speedup = query.predicted_speedup();
        vec![
            query.query.clone(),
            seconds(query.cpu_seconds),
            query.predicted_cpu_seconds.map_or_else(none, |value| seconds(predicted(value))),
            query.predicted.map_or_else(none, |range| seconds(predicted(range.value))),
            seconds(query.gpu_seconds),
            speedup.map_or_else(none, |range| factor(predicted(range.value))),
            speedup.filter(Range::is_known).map_or_else(none, interval),
            factor(query.speedup()),
            query.constant.map_or_else(none, |constant| factor(predicted(constant))),
            side(query.side()).to_owned(),
        ]
    });
    Table { rows: rows.collect(), columns }
}

/// "0.9× … 2.1×".
fn interval(range: Range) -> String {
    let [low, high] = [range.low, range.high].map(|end| Unit::Factor.format(predicted(end)));
    format!("{low} … {high}")
}

/// In tables.
fn side(side: ScoredSide) -> &'static str {
    match side {
        ScoredSide::Refused => "outside what was measured",
        ScoredSide::Unanswered => "too close to call",
        ScoredSide::NearOne => "near 1×",
        ScoredSide::Right => "right",
        ScoredSide::Wrong => "WRONG",
    }
}

/// Predicted against measured speedups of a set, each query a mark with its name.
#[must_use]
pub fn scored_chart(set: &ScoredSet) -> LineChart {
    let found: Vec<(&ScoredQuery, Range)> =
        set.queries.iter().filter_map(|query| Some((query, query.predicted_speedup()?))).collect();
    let mark = |(query, range): &(&ScoredQuery, Range)| Mark {
        name: query.query.clone(),
        place: [query.speedup(), range.value],
    };
    // Without an interval nothing is outside of it.
    let (inside, outside): (Vec<_>, Vec<_>) =
        found.iter().partition(|(query, range)| !range.is_known() || range.contains(query.speedup()));
    Accuracy {
        title: format!("How accurate is the predicted speedup of {}?", set.name),
        answer: answer(&set.score),
        label: "speedup".to_owned(),
        token: Token::Accent,
        format: |value| Unit::Factor.format(value),
        has_ranges: set.score.ranged > 0,
        inside: inside.into_iter().map(mark).collect(),
        outside: outside.into_iter().map(mark).collect(),
    }
    .chart()
}

/// The figures of a set, in sentences.
fn answer(score: &Score) -> String {
    let Score { queries, answered, clear, clear_right, inside, ranged, .. } = score;
    let (Some(error), Some(constant)) = (score.error, score.constant_error) else {
        return "No query has a prediction: all are outside what was measured.".to_owned();
    };
    let worse = if error >= constant { "; the constant is at least as good" } else { "" };
    format!(
        "Mean error {error:.2}, of the constant {constant:.2}{worse}. Answered: {answered} of {queries}; right in {clear_right} of {clear} \
         clear cases. Inside the 90 % interval: {inside} of {ranged}."
    )
}

/// The sets as one HTML file with a chart each.
#[must_use]
pub fn scoreboard_html(sets: &[ScoredSet]) -> String {
    let mut head = TextReport::default();
    head.facts(scored_figures()).facts(forms(sets)).warnings(worse_than_constant(sets));
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

/// Checks the figures before they are written.
///
/// # Errors
/// A number of them is not finite.
pub fn check_scoreboard(sets: &[ScoredSet]) -> Result<(), NotFinite> {
    finite::check(&record(sets))
}

/// The sets for programs.
#[must_use]
pub fn scoreboard_json(sets: &[ScoredSet]) -> String {
    json(&record(sets))
}

/// Every query, a row each, for spreadsheets.
#[must_use]
pub fn scoreboard_csv(sets: &[ScoredSet]) -> String {
    let mut records = Records::default();
    let own = ["engines", "benchmark", "left_out", "constant"];
    records.push(own.into_iter().chain(COLUMNS.map(|(name, _)| name)));
    for set in sets {
        for query in &set.queries {
            let of_set = [set.name, set.benchmark, set.left_out.label()].map(str::to_owned);
            let own = of_set.into_iter().chain([number(query.constant)]);
            records.push(own.chain(CaseRecord::of_query(query, side(query.side())).fields()));
        }
    }
    records.into_text()
}

fn record(sets: &[ScoredSet]) -> ScoreboardRecord<'_> {
    ScoreboardRecord { sets: sets.iter().map(SetRecord::new).collect() }
}

#[derive(Serialize)]
struct ScoreboardRecord<'a> {
    sets: Vec<SetRecord<'a>>,
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
mod tests {
    use super::*;

    /// Speedups 4 and ½; the constant predicts 1.
    fn set(predicted: [Option<f64>; 2]) -> ScoredSet {
        let query = |name: &str, gpu_seconds: f64, predicted: Option<f64>| ScoredQuery {
            query: name.to_owned(),
            cpu_seconds: 8.0,
            gpu_seconds,
            predicted_cpu_seconds: None,
            predicted: predicted.map(|seconds| Range::new(seconds, 1.5)),
            constant: Some(1.0),
        };
        let queries = vec![query("q1", 2.0, predicted[0]), query("q2", 16.0, predicted[1])];
        let score = Score::of(&queries);
        ScoredSet {
            name: "Old → New, 2 × T9",
            benchmark: "made up",
            pair: ["Old", "New"],
            left_out: LeftOutOf::Query,
            form: "start, share of the time (2 numbers)".to_owned(),
            queries,
            score,
        }
    }

    fn cells(table: &Table, row: usize) -> Vec<&str> {
        table.rows[row].iter().map(String::as_str).collect()
    }

    #[test]
    fn a_set_has_its_figures_in_a_row() {
        // Predicted ÷ measured speedups 2÷4 and 1÷2, the constant 1÷4 and 1÷½: errors ln 2 and (ln 4 + ln 2) ÷ 2.
        let table = scoreboard_table(&[set([Some(4.0), Some(32.0)])]);
        assert_eq!(
            cells(&table, 0),
            [
                "Old → New, 2 × T9",
                "query",
                "2",
                "1.00",
                "0.69",
                "1.04",
                "0.67",
                "100 %",
                "2 of 2",
                "0 %",
                "better than the constant"
            ]
        );
    }

    #[test]
    fn a_set_that_is_worse_than_the_constant_says_so() {
        let sets = [set([Some(16.0), Some(1.0)])];
        let text = scoreboard_text_report(&sets).terminal();
        assert!(text.contains("NOT BETTER"), "{text}");
        // Predicted speedups ½ and 8: off by factors of 8 and 16.
        let expected = "Warning: Old → New, 2 × T9, query left out: the constant is at least as good (error 1.04, predictions 2.43)";
        assert!(text.contains(expected), "{text}");
        assert!(scored_chart(&sets[0]).answer.contains("the constant is at least as good"));
        let better = scoreboard_text_report(&[set([Some(2.0), Some(16.0)])]).terminal();
        assert!(!better.contains("Warning"), "{better}");
        assert!(better.contains("start, share of the time (2 numbers)"), "{better}");
    }

    #[test]
    fn every_query_has_its_prediction_its_measurement_and_its_side() {
        let table = scored_queries(&set([Some(2.0), Some(4.0)]));
        assert_eq!(cells(&table, 0), ["q1", "8 s", "–", "2 s", "2 s", "4×", "2.7× … 6×", "4×", "1×", "right"]);
        assert_eq!(cells(&table, 1)[9], "WRONG");
    }

    #[test]
    fn a_refused_query_has_no_prediction_in_any_format() {
        let sets = [set([Some(2.0), None])];
        assert_eq!(cells(&scoreboard_table(&sets), 0)[2], "1 of 2");
        assert_eq!(cells(&scored_queries(&sets[0]), 1)[9], "outside what was measured");
        let parsed: serde_json::Value = serde_json::from_str(&scoreboard_json(&sets)).expect("JSON");
        assert!(parsed["sets"][0]["cases"][1]["gpu_seconds"].is_null());
        let csv = scoreboard_csv(&sets);
        let last = csv.lines().last().expect("a row");
        assert_eq!(last, "\"Old → New, 2 × T9\",made up,query,1,q2,,,,,,,,,,,8,16,0.5,outside what was measured");
        let none = set([None, None]);
        assert!(scored_chart(&none).answer.starts_with("No query has a prediction"));
        assert_eq!(cells(&scoreboard_table(&[none]), 0)[10], "no prediction");
    }

    #[test]
    fn a_chart_has_a_mark_for_each_prediction() {
        // q1 is inside its interval, q2 is off by a factor of 4.
        let chart = scored_chart(&set([Some(2.0), Some(4.0)]));
        let names: Vec<String> = chart.series.iter().map(|series| series.samples.names.join(" ")).collect();
        assert_eq!(names, ["", "q1", "q2"]);
        assert!(scoreboard_html(&[set([Some(2.0), None])]).contains("<svg"));
    }
}
