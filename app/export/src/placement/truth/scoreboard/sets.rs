//! Sets of shipped queries, predicted by fits that did not see them: figures, queries and charts.

use crossover_chart::lines::LineChart;
use crossover_chart::theme::Token;
use crossover_engine::predict::Range;
use crossover_engine::score::ANSWERED;
use crossover_engine::truth::TOO_CLOSE;
use crossover_engine::{Score, ScoredQuery, ScoredSide};
use crossover_plan::shipped::{LeftOutOf, ScoredSet};
use crossover_quantity::text::{Align, Column, Table};
use crossover_quantity::unit::{Unit, predicted};

use super::super::OUTSIDE;
use super::super::chart::{Accuracy, Mark};

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
        verdict(set).to_owned(),
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
fn verdict(set: &ScoredSet) -> &'static str {
    match set.score.is_better_than_constant() {
        None => "no prediction",
        Some(_) if set.is_constant => "uses the constant",
        Some(true) => "better than the constant",
        Some(false) => "NOT BETTER than the constant",
    }
}

/// What the columns of the figures mean.
#[must_use]
pub fn scored_figures() -> [(&'static str, String); 9] {
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
        (
            "Result",
            "“uses the constant”: no fit predicts left-out clusters of these engines better, so the constant and its spread \
             are the prediction"
                .to_owned(),
        ),
    ]
}

/// The form of the predicted time of each set, by its name.
pub(super) fn forms(sets: &[ScoredSet]) -> impl Iterator<Item = (&'static str, String)> {
    let fitted = sets.iter().filter(|set| set.left_out == LeftOutOf::Query);
    fitted.map(|set| (set.name, set.form.clone()))
}

/// The sets for which the constant is as good or better.
pub fn worse_than_constant(sets: &[ScoredSet]) -> impl Iterator<Item = String> {
    sets.iter().filter_map(|set| {
        let (error, constant) = (set.score.error?, set.score.constant_error?);
        (error >= constant && !set.is_constant).then(|| {
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
pub(super) fn side(side: ScoredSide) -> &'static str {
    match side {
        ScoredSide::Refused => OUTSIDE,
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
        answer: answer(set),
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
fn answer(set: &ScoredSet) -> String {
    let score = &set.score;
    let Score { queries, answered, clear, clear_right, inside, ranged, .. } = score;
    let (Some(error), Some(constant)) = (score.error, score.constant_error) else {
        return "No query has a prediction: all are outside what was measured.".to_owned();
    };
    let worse = match score.is_better_than_constant() {
        _ if set.is_constant => "; the constant is used",
        Some(false) => "; the constant is at least as good",
        _ => "",
    };
    format!(
        "Mean error {error:.2}, of the constant {constant:.2}{worse}. Answered: {answered} of {queries}; right in {clear_right} of {clear} \
         clear cases. Inside the 90 % interval: {inside} of {ranged}."
    )
}
