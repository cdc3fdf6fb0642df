//! Recommendations, as a report.

use crossover_decision::Decision;
use crossover_placement::whole::Whole;
use crossover_placement::{Outcome, Placement, Query, Row, Variant};
use crossover_quantity::text::{Column, Table, TextReport};
use crossover_quantity::unit::Unit;
use crossover_study::sources::origins;

use super::plan;

/// The plan of a query if there is one; else the workload, its operators on the cluster's own network, the speedups on all
/// networks, and warnings.
pub(super) fn text_report(
    scenario: &str,
    study: &Placement,
    outcome: &Outcome,
    decided: Option<(&Query, &Whole)>,
    decision: Option<&Decision>,
) -> TextReport {
    let mut text_report = TextReport::titled(scenario);
    if let Some((query, whole)) = decided {
        // A kind of operator has another answer without a plan; the plan's counts.
        text_report
            .paragraph(plan::planned_for(study, whole.variant))
            .heading(of_query(query))
            .append(plan::text_report(study, query, whole, decision));
        return text_report;
    }
    text_report
        .paragraph(setting(study, outcome))
        .facts(headline(study, outcome))
        .heading("Operators")
        .table(own_network(study, outcome))
        .heading("Speedup on every network, with the chosen side")
        .table(every_network(study, outcome))
        .heading("Reasons")
        .table(reasons(study, outcome))
        .warnings(&outcome.warnings);
    text_report
}

/// "Query 3 of a.log, Spark 3.5.1"; of several applications "Combined workload, Spark 3.5.1".
fn of_query(query: &Query) -> String {
    let plan = &query.plan;
    if plan.query.is_empty() && plan.file.is_empty() {
        return format!("Combined workload, {}", plan.engine);
    }
    format!("Query {} of {}, {}", plan.query, plan.file, plan.engine)
}

/// "1,000 machines, 100 Gb InfiniBand without compression, decision threshold: GPU above a speedup of 1×".
fn setting(study: &Placement, outcome: &Outcome) -> String {
    let variant = outcome.summary.variant;
    let threshold = Unit::Factor.format(study.policy.threshold);
    format!("{}, decision threshold: GPU above a speedup of {threshold}", plan::setting(study, variant))
}

/// The whole workload, a fact each.
fn headline(study: &Placement, outcome: &Outcome) -> Vec<(&'static str, String)> {
    let summary = &outcome.summary;
    let seconds = |value| Unit::Seconds.format(value);
    let limit = summary.amdahl_limit();
    let limit = if limit.is_finite() {
        format!("speedup at most {} with any GPU (Amdahl's law)", Unit::Factor.format(limit))
    } else {
        "no operator stays on CPU, so Amdahl's law sets no limit".to_owned()
    };
    let (term, share) = summary.bound_by;
    let mut lines = vec![
        (
            "Workload",
            format!(
                "speedup {}, from {} on CPUs to {}",
                Unit::Factor.format(summary.speedup()),
                seconds(summary.cpu_seconds),
                seconds(summary.placed_seconds)
            ),
        ),
        ("Operators", format!("{} on GPU, {} on CPU", summary.on_gpu, summary.on_cpu)),
        ("Moved to GPU", format!("{} of the time on CPUs; {limit}", Unit::Share.format(summary.moved_share))),
        ("Bound by", format!("{}, {} of the time as placed", term.label(), Unit::Share.format(share))),
    ];
    if summary.pin_seconds() > 0.0 {
        lines.push(("Cost of pins", seconds(summary.pin_seconds())));
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
        Column::text("Placement"),
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
    Table { columns: vec![Column::text("Operator"), Column::text("Reason")], rows: rows.collect() }
}

/// "2.316×, GPU".
fn speedup(row: Option<&Row>) -> String {
    row.map_or_else(String::new, |row| format!("{}, {}", Unit::Factor.format(row.speedup()), row.placement.label()))
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
    fn pins_and_warnings_are_shown() {
        let mut study = published();
        study.operators[1].pin = Some(Side::Cpu);
        study.gpu.gpu_memory_gb = Some(0.5);
        let text = written(Format::Table, &study);
        for expected in ["CPU (pinned)", "Cost of pins", "Warning: filter: the data needs 3 passes"] {
            assert!(text.contains(expected), "{expected} in\n{text}");
        }
    }
}
