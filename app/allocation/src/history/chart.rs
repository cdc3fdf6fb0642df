//! Waits in the record and under each policy.

use crossover_allocation::Policy;
use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::theme::Token;
use crossover_export::allocation::history::{HistoryResults, time};

/// The chart of waits.
pub(super) fn waits(results: &HistoryResults<'_>) -> BarChart {
    let rows = results.rows().into_iter().map(|(name, figures)| BarRow {
        group: name.to_owned(),
        label: String::new(),
        token: token(name),
        start: 0.0,
        segments: vec![Segment { name: "p95 wait".to_owned(), token: Token::Patient, value: figures.p95_wait }],
        total: figures.p95_wait,
        interval: None,
        note: format!("median {}", time(figures.median_wait)),
        detail: String::new(),
    });
    BarChart {
        title: "How long do jobs wait?".to_owned(),
        subtitle: results.setting(),
        answer: results.answer(),
        step_unit: 1.0,
        unit_format: time,
        rows: rows.collect(),
    }
}

/// The colour of a policy; the record and the replay with one queue have none.
fn token(name: &str) -> Token {
    let place = Policy::ALL.into_iter().zip(0_u8..).find(|(policy, _)| policy.label() == name);
    place.map_or(Token::TextWeak, |(_, place)| Token::Rule(place))
}
