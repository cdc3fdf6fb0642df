//! What makes a probe study invalid, field by field.

use super::build::has_circle;
use super::study::{Centre, MOST_RUNS, MOST_TASKS, Probe, Route, Runs};
use crossover_measured::probe::library::operator;
use crossover_measured::probe::{Executed, ProbeOperator, ProbeTask};
use crossover_quantity::invalid::Invalid;

/// Most runs of a study: what is drawn and judged while somebody types.
const MOST_ALL_RUNS: usize = 1_000_000;

/// What does not hold between the fields of a study, each of which fits its description.
///
/// # Errors
/// An operator takes outputs in a circle, names what is not there, or columns of runs differ in length.
pub(super) fn check(study: &Probe) -> Result<(), Invalid> {
    let target = &study.target;
    for of in &study.operators {
        let is_known = operator(&of.runs).is_some() || target.added.iter().any(|added| added.key == of.runs);
        if !of.runs.is_empty() && !is_known {
            let path = format!("operators.{}.runs", of.name);
            return invalid(&path, format!("the library has no operator “{}”", of.runs));
        }
    }
    if has_circle(&study.operators) {
        return invalid("operators", "operators take each other's outputs in a circle".to_owned());
    }
    for (place, added) in target.added.iter().enumerate() {
        let path = format!("target.added.{place}");
        if target.added[..place].iter().any(|other| other.key == added.key) {
            return invalid(&path, format!("“{}” stands there twice", added.key));
        }
        // As an operator of a probe, which has the same rules.
        let runs = Executed::Command(added.command.clone());
        let alone = ProbeOperator { name: added.key.clone(), runs, executions: 1, in_target: 0.0, from: Vec::new() };
        let alone = ProbeTask { name: String::new(), task_type: String::new(), operators: vec![alone] };
        if let Err(error) = alone.validate() {
            return invalid(&path, error.problem);
        }
    }
    ascending("score.times", study.score.times.iter().map(|band| band.up_to_seconds))?;
    ascending("score.precisions", study.score.precisions.iter().map(|band| band.up_to_error))?;
    let mut all = 0;
    for centre in &study.centres {
        for of in &centre.units {
            columns(&format!("centres.{}.units.{}.runs", centre.name, of.name), &of.runs, of.count)?;
            all += of.runs.seconds.len();
        }
        named_units(centre)?;
    }
    if all > MOST_ALL_RUNS {
        return invalid("centres", format!("{all} runs of all centres together; at most {MOST_ALL_RUNS} are allowed"));
    }
    let tasks: f64 = study.work.iter().map(|work| work.copies).sum();
    if tasks > MOST_TASKS {
        return invalid("work", format!("{tasks} tasks altogether; at most {MOST_TASKS} are allowed"));
    }
    Ok(())
}

fn invalid(path: &str, problem: String) -> Result<(), Invalid> {
    Err(Invalid { path: path.to_owned(), problem })
}

/// Rows of a table of points stand in ascending order.
fn ascending(path: &str, ends: impl Iterator<Item = f64>) -> Result<(), Invalid> {
    let mut before = f64::NEG_INFINITY;
    for (place, end) in ends.enumerate() {
        if end <= before {
            return invalid(&format!("{path}.{place}"), format!("{end} does not lie above the row before, {before}"));
        }
        before = end;
    }
    Ok(())
}

/// A route names types of units that the centre has.
fn named_units(centre: &Centre) -> Result<(), Invalid> {
    let names: &[String] = match &centre.route {
        Route::Table | Route::Centre => return Ok(()),
        Route::Asked(names) => names,
        Route::User(name) => std::slice::from_ref(name),
    };
    match names.iter().find(|name| !centre.units.iter().any(|of| of.name == **name)) {
        None => Ok(()),
        Some(name) => {
            invalid(&format!("centres.{}.route", centre.name), format!("the centre has no type of units “{name}”"))
        }
    }
}

/// Columns of runs fit each other.
fn columns(path: &str, runs: &Runs, count: f64) -> Result<(), Invalid> {
    let rows = runs.seconds.len();
    if rows > MOST_RUNS {
        return invalid(path, format!("{rows} runs; at most {MOST_RUNS} are allowed"));
    }
    let of = [
        ("units", runs.units.len(), false),
        ("errors", runs.errors.len(), true),
        ("target_seconds", runs.target_seconds.len(), true),
        ("hours", runs.hours.len(), true),
    ];
    for (column, length, may_be_empty) in of {
        if length != rows && !(may_be_empty && length == 0) {
            return invalid(&format!("{path}.{column}"), format!("{length} values for {rows} runs"));
        }
    }
    if let Some(run) = runs.units.iter().position(|units| *units > count) {
        let problem = format!("{} units in a run, of {count} that there are", runs.units[run]);
        return invalid(&format!("{path}.units"), problem);
    }
    let optional = [
        ("errors", &runs.errors, 0.0, f64::MAX),
        ("target_seconds", &runs.target_seconds, f64::MIN_POSITIVE, f64::MAX),
        ("hours", &runs.hours, -1e7, 1e7),
    ];
    for (column, values, least, most) in optional {
        let is_wrong = |value: &Option<f64>| value.is_some_and(|value| !(least..=most).contains(&value));
        if let Some(place) = values.iter().position(is_wrong) {
            let value = values[place].unwrap_or(f64::NAN);
            return invalid(&format!("{path}.{column}"), format!("{value} in run {} cannot be", place + 1));
        }
    }
    Ok(())
}
