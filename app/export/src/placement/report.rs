//! Recommendations for people: a report for the terminal, and one in Markdown.

use std::fmt::Write as _;

use crossover_placement::whole::Whole;
use crossover_placement::{Outcome, Placement, Query, Row, Variant};
use crossover_quantity::text::{Align, Column, Table, escaped, one_line};
use crossover_quantity::unit::Unit;
use crossover_study::sources::origins;

use super::plan;

/// What the letters behind the speedups mean.
const LEGEND: &str = "each with the side where the operator goes";

/// The plan of a query if there is one, else summary, the table of the cluster's own network, the speedups of every
/// network, reasons and warnings.
pub(super) fn terminal(
    scenario: &str,
    study: &Placement,
    outcome: &Outcome,
    decided: Option<(&Query, &Whole)>,
) -> String {
    let mut text = format!("{}\n", one_line(scenario));
    if let Some((query, whole)) = decided {
        _ = writeln!(text, "{}\n", one_line(&plan::planned_for(study, whole.variant)));
        _ = writeln!(text, "{}", one_line(&of_query(query)));
        if let Some(sure) = &whole.sure {
            _ = writeln!(text, "{}\n", one_line(&sure.sentence()));
        }
        text += &plan::tree(query, whole);
        // What each kind of operator would do by itself is another answer; the plan's counts.
        return text + &plan::statements(query, whole);
    }
    _ = writeln!(text, "{}\n", one_line(&setting(study, outcome)));
    for (label, value) in headline(study, outcome) {
        _ = writeln!(text, "{label:<11}{value}");
    }
    text.push('\n');
    text += &own_network(study, outcome).aligned();
    _ = write!(text, "\nSpeedup on every network ({LEGEND})\n{}\n", every_network(study, outcome).aligned());
    text += &reasons(study, outcome).aligned();
    if !outcome.warnings.is_empty() {
        text.push('\n');
    }
    for warning in &outcome.warnings {
        _ = writeln!(text, "Warning: {}", one_line(warning));
    }
    text
}

/// The same in Markdown, with a column for each network and compression.
pub(super) fn markdown(
    scenario: &str,
    study: &Placement,
    outcome: &Outcome,
    decided: Option<(&Query, &Whole)>,
) -> String {
    let mut text = format!("# {}\n\n", escaped(scenario));
    if let Some((query, whole)) = decided {
        _ = write!(text, "{}.", escaped(&plan::planned_for(study, whole.variant)));
        _ = write!(text, "\n\n## {}\n\n", escaped(&of_query(query)));
        for (label, value) in plan::headline(query, whole) {
            _ = writeln!(text, "- {label}: {}", escaped(&value));
        }
        for warning in plan::warnings(whole) {
            _ = writeln!(text, "- Warning: {}", escaped(warning));
        }
        _ = write!(text, "\n### Operators\n\n{}", plan::tree_markdown(query, whole));
        return text;
    }
    _ = write!(text, "{}.", escaped(&setting(study, outcome)));
    for (label, value) in headline(study, outcome) {
        _ = write!(text, " {label}: {value}.");
    }
    text += "\n\n";

    let variants: Vec<Variant> = Variant::all(study).collect();
    let mut columns = vec![Column::text("Operator"), Column::number("CPU time"), Column::number("GPU time")];
    let speedups = variants.iter().map(|variant| Column { title: variant.label(study).into(), align: Align::Right });
    columns.extend(speedups.chain([Column::text("Place"), Column::text("Because")]));
    let rows = outcome.chosen().map(|row| {
        let mut cells = vec![
            study.operators[row.operator].name.clone(),
            Unit::Seconds.format(row.cost.cpu.total()),
            Unit::Seconds.format(row.cost.gpu.total()),
        ];
        cells.extend(variants.iter().map(|variant| speedup(outcome.row(row.operator, *variant))));
        cells.extend([place(study, row), row.reason.clone()]);
        cells
    });
    text += &Table { columns, rows: rows.collect() }.markdown();
    _ = write!(text, "\nTimes hold for the network named above. Speedups: {LEGEND}.\n");
    if !outcome.warnings.is_empty() {
        text.push('\n');
    }
    for warning in &outcome.warnings {
        _ = writeln!(text, "- Warning: {}", escaped(warning));
    }
    text
}

/// "Query 3 of a.log, Spark 3.5.1".
fn of_query(query: &Query) -> String {
    let plan = &query.plan;
    format!("Query {} of {}, {}", plan.query, plan.file, plan.engine)
}

/// "1,000 machines, 100 Gb InfiniBand without compression, GPU from a speedup of 1×".
fn setting(study: &Placement, outcome: &Outcome) -> String {
    let variant = outcome.summary.variant;
    let threshold = Unit::Factor.format(study.policy.threshold);
    format!("{}, GPU above a speedup of {threshold}", plan::setting(study, variant))
}

/// The whole workload in four or five statements.
fn headline(study: &Placement, outcome: &Outcome) -> Vec<(&'static str, String)> {
    let summary = &outcome.summary;
    let seconds = |value| Unit::Seconds.format(value);
    let limit = summary.amdahl_limit();
    let limit = if limit.is_finite() {
        format!("at most {} however fast the GPU (Amdahl)", Unit::Factor.format(limit))
    } else {
        "nothing that stays on CPU limits the speedup".to_owned()
    };
    let (term, share) = summary.bound_by;
    let mut lines = vec![
        (
            "Workload",
            format!(
                "{}, from {} on CPUs to {}",
                Unit::Factor.format(summary.speedup()),
                seconds(summary.cpu_seconds),
                seconds(summary.placed_seconds)
            ),
        ),
        ("Operators", format!("{} on GPU, {} on CPU", summary.on_gpu, summary.on_cpu)),
        ("Moves", format!("{} of the CPU time; {limit}", Unit::Share.format(summary.moved_share))),
        ("Bound by", format!("{}, {} of the placed time", term.label(), Unit::Share.format(share))),
    ];
    if summary.pin_seconds() > 0.0 {
        lines.push(("Pins", format!("cost {}", seconds(summary.pin_seconds()))));
    }
    lines.push(("Numbers", origins(study)));
    lines
}

fn own_network(study: &Placement, outcome: &Outcome) -> Table {
    let columns = vec![
        Column::text("Operator"),
        Column::number("CPU time"),
        Column::number("GPU time"),
        Column::number("Speedup"),
        Column::number("Margin"),
        Column::text("Place"),
    ];
    let rows = outcome.chosen().map(|row| {
        vec![
            study.operators[row.operator].name.clone(),
            Unit::Seconds.format(row.cost.cpu.total()),
            Unit::Seconds.format(row.cost.gpu.total()),
            Unit::Factor.format(row.speedup()),
            Unit::Share.format(row.margin()),
            place(study, row),
        ]
    });
    Table { columns, rows: rows.collect() }
}

fn every_network(study: &Placement, outcome: &Outcome) -> Table {
    let columns = vec![
        Column::text("Operator"),
        Column::text("Network"),
        Column::number("Uncompressed"),
        Column::number("Compressed"),
    ];
    let mut rows = Vec::new();
    for (operator, described) in study.operators.iter().enumerate() {
        for (network, link) in study.networks.iter().enumerate() {
            let cell = |compression| speedup(outcome.row(operator, Variant { network, compression }));
            let name = if network == 0 { described.name.clone() } else { String::new() };
            rows.push(vec![name, link.name.clone(), cell(false), cell(true)]);
        }
    }
    Table { columns, rows }
}

fn reasons(study: &Placement, outcome: &Outcome) -> Table {
    let rows = outcome.chosen().map(|row| vec![study.operators[row.operator].name.clone(), row.reason.clone()]);
    Table { columns: vec![Column::text("Operator"), Column::text("Because")], rows: rows.collect() }
}

/// "2.316× GPU".
fn speedup(row: Option<&Row>) -> String {
    row.map_or_else(String::new, |row| format!("{} {}", Unit::Factor.format(row.speedup()), row.placement.label()))
}

/// "GPU", or "GPU (pinned)".
fn place(study: &Placement, row: &Row) -> String {
    let pinned = if study.operators[row.operator].pin.is_some() { " (pinned)" } else { "" };
    format!("{}{pinned}", row.placement.label())
}

#[cfg(test)]
mod tests {
    use crossover_placement::Side;

    use super::super::tests::{published, written};
    use crate::Format;

    #[test]
    fn the_published_scenario_in_a_terminal() {
        insta::assert_snapshot!(written(Format::Table, &published()));
    }

    #[test]
    fn the_published_scenario_in_markdown() {
        insta::assert_snapshot!(written(Format::Markdown, &published()));
    }

    #[test]
    fn pins_and_warnings_are_told() {
        let mut study = published();
        study.operators[1].pin = Some(Side::Cpu);
        study.gpu.gpu_memory_gb = Some(0.5);
        let text = written(Format::Table, &study);
        for expected in ["CPU (pinned)", "Pins       cost", "Warning: filter: the data needs 3 passes"] {
            assert!(text.contains(expected), "{expected} in\n{text}");
        }
    }
}
