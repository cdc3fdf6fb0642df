//! What centres deliver, for people: a report for the terminal, and one in Markdown.

use std::fmt::Write as _;

use crossover_measured::probe::{Executed, ProbeOperator};
use crossover_probe::{Built, Expected, Match, Plan, Probe, TargetOperator};
use crossover_quantity::text::{Column, Table, escaped, one_line};
use crossover_quantity::unit::{Unit, elapsed};
use crossover_study::sources::origins;

use super::{Results, task};
use crate::probe::network::clock;

/// Tasks of a plan that are listed.
const LISTED: usize = 40;
/// Seconds of an hour.
const HOUR: f64 = 3_600.0;

/// Answer, ranking, probe, plans and warnings.
pub(super) fn terminal(results: &Results<'_>) -> String {
    let (study, _) = results.evaluated;
    let mut text = format!("{}\n{}\n\n", one_line(results.scenario), one_line(&setting(results)));
    for (label, value) in headline(results) {
        _ = writeln!(text, "{label:<12}{}", one_line(&value));
    }
    for (title, table) in tables(results) {
        _ = write!(text, "\n{title}\n{}", table.aligned());
    }
    if let Some(more) = more_tasks(results) {
        _ = writeln!(text, "{more}");
    }
    _ = writeln!(text, "\nNumbers: {}", origins(study));
    for warning in results.warnings {
        _ = writeln!(text, "Warning: {}", one_line(warning));
    }
    text
}

/// The same in Markdown.
pub(super) fn markdown(results: &Results<'_>) -> String {
    let mut text = format!("# {}\n\n{}.\n\n", escaped(results.scenario), escaped(&setting(results)));
    for (label, value) in headline(results) {
        _ = writeln!(text, "- {label}: {}", escaped(&value));
    }
    for (title, table) in tables(results) {
        _ = write!(text, "\n## {}\n\n{}", escaped(&title), table.markdown());
    }
    if let Some(more) = more_tasks(results) {
        _ = writeln!(text, "\n{more}");
    }
    if !results.warnings.is_empty() {
        text.push('\n');
    }
    for warning in results.warnings {
        _ = writeln!(text, "- Warning: {}", escaped(warning));
    }
    text
}

fn tables(results: &Results<'_>) -> Vec<(String, Table)> {
    let (study, outcome) = results.evaluated;
    let mut tables =
        vec![("What centres deliver".to_owned(), centres(results)), ("The probe".to_owned(), probe(results))];
    if let Some(plan) = outcome.plan() {
        tables.push((format!("Where work runs: the plan {}", plan.maker.label()), placed(study, plan)));
        tables.push(("Beside plans made without measurements".to_owned(), plans(results)));
    }
    tables
}

/// The plan that is taken, beside plans made without measurements.
pub(super) fn schedule(results: &Results<'_>, is_markdown: bool) -> String {
    let (study, outcome) = results.evaluated;
    let mut text = String::new();
    for (label, value) in headline(results).into_iter().filter(|(label, _)| *label == "Work") {
        _ = writeln!(text, "{label}: {value}\n");
    }
    let write = |table: Table| if is_markdown { table.markdown() } else { table.aligned() };
    if let Some(plan) = outcome.plan() {
        text.push_str(&write(placed(study, plan)));
    }
    if let Some(more) = more_tasks(results) {
        _ = writeln!(text, "{more}");
    }
    _ = write!(text, "\n{}", write(plans(results)));
    text
}

/// "5 operators of the task, 3 in the probe, executed 6 times; compared on 1 unit".
fn setting(results: &Results<'_>) -> String {
    let (study, outcome) = results.evaluated;
    let executions: u32 = outcome.built.operators().map(|of| of.executions).sum();
    let count =
        |count: f64, one: &str| format!("{} {one}{}", Unit::Count.format(count), if count == 1.0 { "" } else { "s" });
    format!(
        "{} of the task, {} in the probe, executed {}; compared on {}",
        count(study.operators.len() as f64, "operator"),
        Unit::Count.format(outcome.built.operators().count() as f64),
        count(f64::from(executions), "time"),
        count(study.target.units, "unit"),
    )
}

fn headline(results: &Results<'_>) -> Vec<(&'static str, String)> {
    let (study, outcome) = results.evaluated;
    let mut lines = vec![("Answer", results.answer.clone())];
    if let Some(plan) = outcome.plan() {
        let against = outcome.best_naive().map_or_else(String::new, |best| {
            format!(
                "; {}, the best without measurements: {}, costs {}",
                best.maker.label(),
                elapsed(best.makespan * HOUR),
                Unit::Ratio.format(best.cost)
            )
        });
        let tasks: f64 = study.work.iter().map(|work| work.copies).sum();
        lines.push((
            "Work",
            format!(
                "{} tasks done after {}, costs {}{against}",
                Unit::Count.format(tasks),
                elapsed(plan.makespan * HOUR),
                Unit::Ratio.format(plan.cost)
            ),
        ));
    }
    lines
}

/// The best first, then those without a score.
pub(super) fn centres(results: &Results<'_>) -> Table {
    let number = |value: f64| Unit::Ratio.format(value);
    let none = || "–".to_owned();
    let order = results.evaluated.1.order();
    let rows = order.into_iter().map(|place| &results.centres[place]).map(|centre| {
        let interval = match (centre.score_low, centre.score_high) {
            (Some(low), Some(high)) => format!("{} – {}", number(low), number(high)),
            _ => none(),
        };
        let runs = centre.seconds.map_or(0, |seconds| seconds.runs);
        let target = centre.target_seconds.map_or_else(none, |target| match target.high {
            Some(high) => format!("{} ± {}", elapsed(target.mean), percent(high / target.mean - 1.0)),
            None => elapsed(target.mean),
        });
        vec![
            centre.place.map_or_else(none, |place| place.to_string()),
            centre.centre.to_owned(),
            centre.unit.map_or_else(none, str::to_owned),
            centre.score.map_or_else(none, number),
            interval,
            centre.seconds.map_or_else(none, |seconds| elapsed(seconds.mean)),
            centre.relative_error.map_or_else(none, |error| number(error.mean)),
            Unit::Count.format(runs as f64),
            centre.score.map_or_else(none, |_| Unit::Count.format(centre.recommended_units)),
            centre.window_from_hour.map_or_else(none, clock),
            target,
        ]
    });
    let columns = vec![
        Column::number("Place"),
        Column::text("Centre"),
        Column::text("Unit"),
        Column::number("Score"),
        Column::number("95 % of it"),
        Column::number("Probe takes"),
        Column::number("Error"),
        Column::number("Runs"),
        Column::number("Use units"),
        Column::number("Best from, UTC"),
        Column::number("Task takes"),
    ];
    Table { columns, rows: rows.collect() }
}

/// A relative interval, to a tenth of a percent.
#[must_use]
pub fn percent(half: f64) -> String {
    Unit::Share.format((1_000.0 * half).round() / 1_000.0)
}

/// What an operator executes, in words.
#[must_use]
pub fn executed(of: &ProbeOperator) -> String {
    match &of.runs {
        Executed::Library(key) => key.clone(),
        Executed::Command(command) => command.line.join(" "),
    }
}

fn probe(results: &Results<'_>) -> Table {
    let (study, outcome) = results.evaluated;
    matches(&study.operators, &outcome.built)
}

/// What each operator of a task became.
#[must_use]
pub fn matches(operators: &[TargetOperator], built: &Built) -> Table {
    let rows = operators.iter().zip(&built.matches).map(|(of, found)| {
        let probed = built.operators().find(|other| other.name == of.name);
        let how = match found {
            Match::Chosen(_) => "chosen".to_owned(),
            Match::Name(_) => "by name".to_owned(),
            Match::Like(_, likeness) => format!("name {} alike", Unit::Share.format(*likeness)),
            Match::None => "nothing like it".to_owned(),
        };
        let dash = || "–".to_owned();
        vec![
            of.name.clone(),
            Unit::Count.format(of.executions),
            probed.map_or_else(dash, executed),
            how,
            probed.map_or_else(dash, |probed| Unit::Count.format(f64::from(probed.executions))),
            probed.map_or_else(dash, |probed| if probed.from.is_empty() { dash() } else { probed.from.join(", ") }),
        ]
    });
    let columns = vec![
        Column::text("Operator"),
        Column::number("Executions"),
        Column::text("In the probe"),
        Column::text("Found"),
        Column::number("Executed"),
        Column::text("Takes mean of"),
    ];
    Table { columns, rows: rows.collect() }
}

fn placed(study: &Probe, plan: &Plan) -> Table {
    let rows = plan.placed.iter().take(LISTED).map(|placed| {
        vec![
            task(study, placed),
            study.centres[placed.centre].name.clone(),
            Unit::Count.format(placed.units),
            elapsed(placed.from * HOUR),
            elapsed(placed.until * HOUR),
            Unit::Ratio.format(placed.cost),
            placed.why.clone(),
        ]
    });
    let columns = vec![
        Column::text("Task"),
        Column::text("Centre"),
        Column::number("Units"),
        Column::number("From"),
        Column::number("Until"),
        Column::number("Cost"),
        Column::text("Because"),
    ];
    Table { columns, rows: rows.collect() }
}

fn more_tasks(results: &Results<'_>) -> Option<String> {
    let more = results.evaluated.1.plan()?.placed.len().checked_sub(LISTED).filter(|more| *more > 0)?;
    Some(format!("and {} more tasks; JSON has all of them", Unit::Count.format(more as f64)))
}

fn plans(results: &Results<'_>) -> Table {
    let rows = results.evaluated.1.plans.iter().map(|plan| {
        vec![
            plan.maker.label().to_owned(),
            elapsed(plan.makespan * HOUR),
            Unit::Ratio.format(plan.cost),
            Unit::Ratio.format(plan.worth),
        ]
    });
    let columns = vec![
        Column::text("Plan"),
        Column::number("Done after"),
        Column::number("Cost"),
        Column::number("Cost and worth of hours"),
    ];
    Table { columns, rows: rows.collect() }
}

/// How the time of the whole task was found, for people.
#[must_use]
pub fn how(expected: Expected) -> &'static str {
    match expected {
        Expected::Operators => "each operator's time × its executions",
        Expected::Ratio => "the probe's time × the ratio of executions: rough",
    }
}
