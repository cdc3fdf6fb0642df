//! An import in a terminal: a list of queries, or the plan of one.

use std::fmt::Write as _;

use crossover_plan::{Cluster, Import};
use crossover_quantity::text::{Column, Table, one_line};
use crossover_quantity::unit::Unit;

use super::{Imported, Placed};
use crate::placement::plan;

/// Characters of a description in a list.
const DESCRIPTION: usize = 60;
/// Characters of the description of a query that is shown alone.
const LONG_DESCRIPTION: usize = 1000;

pub(super) fn terminal(imported: &Imported) -> String {
    let mut text = file(&imported.import);
    match imported.queries.as_slice() {
        [] => text += "\nNo query ran.\n",
        [placed] => text += &one(placed),
        queries => text += &list(queries),
    }
    if let Some(placed) = imported.queries.first() {
        text += &format!("\n{}\n", one_line(&plan::planned_for(&placed.study, placed.whole.variant)));
    }
    text += &notes(&imported.notes());
    text
}

/// The file, and what it says of the machines.
fn file(import: &Import) -> String {
    let parts = [&import.file, &import.engine, &import.application].map(|part| one_line(part));
    let mut text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ") + "\n";
    let cluster = cluster(&import.cluster);
    if !cluster.is_empty() {
        _ = writeln!(text, "{}", one_line(&cluster));
    }
    text
}

/// "4 machines, 16 cores each".
fn cluster(cluster: &Cluster) -> String {
    let counted = |count: Option<u64>, one: &str, many: &str| {
        count.map(|count| format!("{} {}", Unit::Count.format(count as f64), if count == 1 { one } else { many }))
    };
    let parts = [
        counted(cluster.machines, "machine", "machines"),
        counted(cluster.cores_per_machine, "core each", "cores each"),
        counted(cluster.gpus_per_machine, "GPU each", "GPUs each"),
        cluster.machine_type.clone(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn list(queries: &[Placed]) -> String {
    let columns = vec![
        Column::number("Query"),
        Column::text("Description"),
        Column::number("Duration"),
        Column::number("Stages"),
        Column::number("Operators"),
        Column::number("All CPU"),
        Column::number("As placed"),
        Column::number("On GPU"),
        Column::text("Failed"),
    ];
    let seconds = |seconds| Unit::Seconds.format(seconds);
    let rows = queries.iter().map(|Placed { query, whole, .. }| {
        vec![
            query.id.clone(),
            shortened(&query.description, DESCRIPTION),
            query.duration_seconds.map(seconds).unwrap_or_default(),
            query.stages.to_string(),
            whole.operators.len().to_string(),
            seconds(whole.baselines.all_cpu),
            seconds(whole.seconds),
            whole.count(crossover_placement::Side::Gpu).to_string(),
            shortened(query.failure.as_deref().unwrap_or_default(), DESCRIPTION),
        ]
    });
    let table = Table { columns, rows: rows.collect() }.without_empty_columns();
    format!("\n{}\n--query ID shows the plan of one.\n", table.aligned())
}

fn one(placed: &Placed) -> String {
    let Placed { query, whole, .. } = placed;
    let mut text = String::from("\n");
    let mut line = |label: &str, value: String| {
        if !value.is_empty() {
            _ = writeln!(text, "{label:<13}{}", one_line(&value));
        }
    };
    line("Query", query.id.clone());
    line("Description", shortened(&query.description, LONG_DESCRIPTION));
    line("Duration", query.duration_seconds.map(|seconds| Unit::Seconds.format(seconds)).unwrap_or_default());
    line("Stages", if query.stages == 0 { String::new() } else { query.stages.to_string() });
    line(
        "Shuffled",
        query
            .compression_ratio
            .map_or_else(String::new, |ratio| format!("compressed to {} of its size", Unit::Share.format(ratio))),
    );
    line("Failed", query.failure.clone().unwrap_or_default());
    text.push('\n');
    if let Some(query) = placed.in_study() {
        text += &plan::tree(query, whole);
        text += &plan::statements(query, whole);
    }
    text
}

/// What a careful reader should know of the file and the queries; of lines that were left out too.
fn notes(notes: &[&str]) -> String {
    let mut text = String::from(if notes.is_empty() { "" } else { "\n" });
    for note in notes {
        _ = writeln!(text, "Note: {}", one_line(note));
    }
    text
}

/// The text, cut where it is longer than so many characters.
fn shortened(text: &str, most: usize) -> String {
    let text = text.trim();
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}
