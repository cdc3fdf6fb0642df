//! Compute centres compared, as a report.

use crossover_measured::probe::{Executed, ProbeOperator};
use crossover_probe::{Built, EstimateMethod, Match, Plan, Probe, TargetOperator};
use crossover_quantity::text::{Column, Table, TextReport, counted};
use crossover_quantity::unit::{Unit, elapsed};
use crossover_study::sources::origins;

use super::{Results, task};
use crate::probe::network::{clock, day_and_clock};

/// Tasks of a plan that are listed.
const LISTED: usize = 40;
/// Seconds of an hour.
const HOUR: f64 = 3_600.0;

/// Answer, ranking, probe, plans and warnings.
pub(super) fn text_report(results: &Results<'_>) -> TextReport {
    let (study, outcome) = results.evaluated;
    let mut text_report = TextReport::titled(results.scenario);
    text_report
        .paragraph(setting(results))
        .facts(headline(results))
        .heading("Centres, best first")
        .table(centres(results))
        .heading("Operators of the probe")
        .table(probe(results));
    if let Some(plan) = outcome.plan() {
        text_report
            .heading(format!("Schedule: {}", plan.planner.label()))
            .table(scheduled(study, plan))
            .footnote(Some(plan_start(study)))
            .footnote(more_tasks(results))
            .heading("Schedules without measurements, for comparison")
            .table(plans(results));
    }
    text_report.warnings(results.warnings);
    text_report
}

/// The chosen plan, then plans without measurements.
pub(super) fn schedule(results: &Results<'_>) -> TextReport {
    let (study, outcome) = results.evaluated;
    let mut text_report = TextReport::default();
    text_report.facts(headline(results).into_iter().filter(|(label, _)| *label == "Work"));
    if let Some(plan) = outcome.plan() {
        text_report.table(scheduled(study, plan)).footnote(Some(plan_start(study))).footnote(more_tasks(results));
    }
    text_report.table(plans(results));
    text_report
}

/// "Task: 5 operators. Probe: 3 operators, 6 executions. Comparison on 1 unit."
fn setting(results: &Results<'_>) -> String {
    let (study, outcome) = results.evaluated;
    let executions: u32 = outcome.built.operators().map(|of| of.executions).sum();
    format!(
        "Task: {}. Probe: {}, {}. Comparison on {}.",
        counted(study.operators.len() as f64, "operator"),
        counted(outcome.built.operators().count() as f64, "operator"),
        counted(f64::from(executions), "execution"),
        counted(study.target.units, "unit"),
    )
}

fn headline(results: &Results<'_>) -> Vec<(&'static str, String)> {
    let (study, outcome) = results.evaluated;
    let mut lines = vec![("Answer", results.answer.clone())];
    if let Some(plan) = outcome.plan() {
        let against = outcome.best_baseline().map_or_else(String::new, |best| {
            format!(
                "; best baseline ({}): makespan {}, cost {}",
                best.planner.label(),
                elapsed(best.makespan * HOUR),
                Unit::UsDollars.format(best.cost)
            )
        });
        let tasks: f64 = study.work.iter().map(|work| work.copies).sum();
        lines.push((
            "Work",
            format!(
                "{}, makespan {}, cost {}{against}",
                counted(tasks, "task"),
                elapsed(plan.makespan * HOUR),
                Unit::UsDollars.format(plan.cost)
            ),
        ));
    }
    lines.push(("Numbers", origins(study)));
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
            Some(high) => format!("{} ± {}", estimated(target.mean), percent(high / target.mean - 1.0)),
            None => estimated(target.mean),
        });
        vec![
            centre.rank.map_or_else(none, |rank| rank.to_string()),
            centre.centre.to_owned(),
            centre.unit_type.map_or_else(none, str::to_owned),
            centre.score.map_or_else(none, number),
            interval,
            centre.seconds.map_or_else(none, |seconds| number(seconds.mean)),
            centre.relative_error.map_or_else(none, |error| number(error.mean)),
            Unit::Count.format(runs as f64),
            centre.score.map_or_else(none, |_| Unit::Count.format(centre.recommended_units)),
            centre.window_from_hour.map_or_else(none, clock),
            target,
        ]
    });
    let columns = vec![
        Column::number("Rank"),
        Column::text("Centre"),
        Column::text("Unit type"),
        Column::number("Score"),
        Column::number("95 % interval"),
        Column::number("Measured probe time, s"),
        Column::number("Relative error of results"),
        Column::number("Runs"),
        Column::number("Recommended units"),
        Column::number("Best window start, UTC"),
        Column::number("Estimated task time on recommended units, s"),
    ];
    Table { columns, rows: rows.collect() }
}

/// An estimate in the unit of its column, to three significant digits.
#[must_use]
pub fn estimated(value: f64) -> String {
    Unit::Ratio.format(format!("{value:.2e}").parse().unwrap_or(value))
}

/// A relative interval, to a tenth of a percent.
#[must_use]
pub fn percent(half: f64) -> String {
    Unit::Share.format((1_000.0 * half).round() / 1_000.0)
}

/// The library operator or command that an operator runs.
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

/// The library operator that was matched to each operator of a task.
#[must_use]
pub fn matches(operators: &[TargetOperator], built: &Built) -> Table {
    let rows = operators.iter().zip(&built.matches).map(|(of, found)| {
        let probed = built.operators().find(|other| other.name == of.name);
        let how = match found {
            Match::Chosen(_) => "chosen".to_owned(),
            Match::Name(_) => "by name".to_owned(),
            Match::Similar(_, similarity) => format!("by similar name ({})", Unit::Share.format(*similarity)),
            Match::None => "no match".to_owned(),
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
        Column::number("Task executions"),
        Column::text("Library operator"),
        Column::text("Match"),
        Column::number("Probe executions"),
        Column::text("Input from"),
    ];
    Table { columns, rows: rows.collect() }
}

fn scheduled(study: &Probe, plan: &Plan) -> Table {
    let rows = plan.tasks.iter().take(LISTED).map(|scheduled| {
        vec![
            task(study, scheduled),
            study.centres[scheduled.centre].name.clone(),
            Unit::Count.format(scheduled.units),
            elapsed(scheduled.from * HOUR),
            elapsed(scheduled.until * HOUR),
            Unit::UsDollars.format(scheduled.cost),
            scheduled.reason.clone(),
        ]
    });
    let columns = vec![
        Column::text("Task"),
        Column::text("Centre"),
        Column::number("Units"),
        Column::number("Start"),
        Column::number("End"),
        Column::number("Cost"),
        Column::text("Reason"),
    ];
    Table { columns, rows: rows.collect() }
}

/// "Start and end: time since the start of the plan, Mon 08:00 UTC."
#[must_use]
pub fn plan_start(study: &Probe) -> String {
    let hour = study.planning.start_hour;
    let start = day_and_clock(hour, (hour / 168.0).floor());
    format!("Start and end: time since the start of the plan, {start} UTC.")
}

fn more_tasks(results: &Results<'_>) -> Option<String> {
    let more = results.evaluated.1.plan()?.tasks.len().checked_sub(LISTED).filter(|more| *more > 0)?;
    Some(format!("and {}; use --format json to list all", counted(more as f64, "more task")))
}

fn plans(results: &Results<'_>) -> Table {
    let rows = results.evaluated.1.plans.iter().map(|plan| {
        vec![
            plan.planner.label().to_owned(),
            elapsed(plan.makespan * HOUR),
            Unit::UsDollars.format(plan.cost),
            Unit::UsDollars.format(plan.objective),
        ]
    });
    let columns = vec![
        Column::text("Schedule"),
        Column::number("Makespan"),
        Column::number("Cost"),
        Column::number("Objective (cost + value of time)"),
    ];
    Table { columns, rows: rows.collect() }
}

/// How the time of the whole task was estimated.
#[must_use]
pub fn estimate_method(method: EstimateMethod) -> &'static str {
    match method {
        EstimateMethod::Operators => "each operator's time × its executions",
        EstimateMethod::Ratio => "the probe's time × the ratio of executions (rough)",
    }
}
