//! Every number of a scenario in a report, with its source and distribution.

use crossover_export::report::Block;
use crossover_export::uncertainty::in_words;
use crossover_quantity::provenance::Provenance;
use crossover_quantity::text::{Column, Table};
use crossover_scenario::Scenario;
use crossover_study::numbers;
use crossover_study::sources::origins;
use crossover_tools::unknowns::Unknown;

use super::Sampled;

/// A row for each number; below them the sources of what was recorded.
pub(super) fn every(blocks: &mut Vec<Block>, scenario: &Scenario, sampled: &Sampled) {
    let subject = scenario.study.subject();
    let unknowns: &[Unknown] = match sampled {
        Sampled::Found(found) => &found.0.unknowns.numbers,
        Sampled::Nothing | Sampled::Nowhere(_) | Sampled::NotYet => &[],
    };
    let sources = scenario.study.sources();
    let mut unknowns = unknowns.iter().peekable();
    let mut rows = Vec::new();
    for (path, quantity, value) in numbers(subject) {
        let path = path.to_string();
        let may_be = unknowns.next_if(|unknown| unknown.path == path).map(in_words).unwrap_or_default();
        let source = sources.get(&path);
        rows.push(vec![
            quantity.label.to_owned(),
            quantity.unit.format(value),
            may_be,
            source.map_or("entered", Provenance::kind).to_owned(),
            source.map_or_else(String::new, Provenance::describe),
            path,
        ]);
    }
    blocks.push(Block::Text(format!(
        "By their sources: {}. A number without a source was entered in this scenario.",
        origins(subject)
    )));
    let known: Vec<String> = numbers(subject).into_iter().map(|(path, ..)| path.to_string()).collect();
    let columns = vec![
        Column::text("number"),
        Column::number("value"),
        Column::text("distribution"),
        Column::text("source"),
        Column::text("origin"),
        Column::text("path"),
    ];
    blocks.push(Block::Table(Table { columns, rows }.without_empty_columns()));
    let recorded = sources.iter().filter(|(path, _)| !known.contains(path));
    let recorded: Vec<String> = recorded.map(|(path, source)| format!("{path}: {}", source.describe())).collect();
    if !recorded.is_empty() {
        blocks.push(Block::Text("Recorded values, which are too many to list:".to_owned()));
        blocks.push(Block::List(recorded));
    }
}
