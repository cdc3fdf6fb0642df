//! Validation of a probe study.

use super::build::has_cycle;
use super::study::{Centre, MOST_RUNS, MOST_TASKS, Probe, Route, Runs};
use crossover_measured::probe::library::operator;
use crossover_measured::probe::{Executed, ProbeOperator, ProbeTask};
use crossover_quantity::invalid::Invalid;

/// Most runs of a study: they are evaluated and drawn after each edit.
const MOST_ALL_RUNS: usize = 1_000_000;

/// Checks rules between fields; the range of each field is checked elsewhere.
///
/// # Errors
/// Inputs of operators form a cycle, a name does not exist, or columns of runs differ in length.
pub(super) fn check(study: &Probe) -> Result<(), Invalid> {
    let target = &study.target;
    for of in &study.operators {
        let key = &of.library_operator;
        let is_known = operator(key).is_some() || target.programs.iter().any(|added| added.key == *key);
        if !key.is_empty() && !is_known {
            let path = format!("operators.{}.library_operator", of.name);
            return invalid(&path, format!("the library has no operator “{key}”"));
        }
    }
    if has_cycle(&study.operators) {
        return invalid("operators", "the inputs of operators form a cycle; remove one of them".to_owned());
    }
    for (place, added) in target.programs.iter().enumerate() {
        let path = format!("target.programs.{place}");
        if target.programs[..place].iter().any(|other| other.key == added.key) {
            return invalid(&path, format!("two programs have the key “{}”; rename one", added.key));
        }
        // The rules are those of an operator of a probe.
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
        return invalid("centres", format!("{all} runs of all centres; allowed: at most {MOST_ALL_RUNS}"));
    }
    let tasks: f64 = study.work.iter().map(|work| work.copies).sum();
    if tasks > MOST_TASKS {
        return invalid("work", format!("{tasks} tasks; allowed: at most {MOST_TASKS}"));
    }
    Ok(())
}

fn invalid(path: &str, problem: String) -> Result<(), Invalid> {
    Err(Invalid { path: path.to_owned(), problem })
}

/// Rows of a table of points are in ascending order.
fn ascending(path: &str, ends: impl Iterator<Item = f64>) -> Result<(), Invalid> {
    let mut before = f64::NEG_INFINITY;
    for (place, end) in ends.enumerate() {
        if end <= before {
            return invalid(&format!("{path}.{place}"), format!("{end}; expected more than the row before, {before}"));
        }
        before = end;
    }
    Ok(())
}

/// The types of units in a route exist.
fn named_units(centre: &Centre) -> Result<(), Invalid> {
    let names: &[String] = match &centre.route {
        Route::Table | Route::Centre => return Ok(()),
        Route::Named(names) => names,
        Route::User(name) => std::slice::from_ref(name),
    };
    match names.iter().find(|name| !centre.units.iter().any(|of| of.name == **name)) {
        None => Ok(()),
        Some(name) => {
            invalid(&format!("centres.{}.route", centre.name), format!("the centre has no type of units “{name}”"))
        }
    }
}

/// Columns of runs have equal lengths and valid values.
fn columns(path: &str, runs: &Runs, count: f64) -> Result<(), Invalid> {
    let rows = runs.seconds.len();
    if rows > MOST_RUNS {
        return invalid(path, format!("{rows} runs; allowed: at most {MOST_RUNS}"));
    }
    let of = [
        ("units", runs.units.len(), false),
        ("errors", runs.errors.len(), true),
        ("target_seconds", runs.target_seconds.len(), true),
        ("hours", runs.hours.len(), true),
    ];
    for (column, length, may_be_empty) in of {
        if length != rows && !(may_be_empty && length == 0) {
            return invalid(&format!("{path}.{column}"), format!("{length} values; expected {rows}, one for each run"));
        }
    }
    if let Some(run) = runs.units.iter().position(|units| *units > count) {
        let problem = format!("{} units in run {}; the centre has {count}", runs.units[run], run + 1);
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
            return invalid(&format!("{path}.{column}"), format!("{value} in run {} is outside its range", place + 1));
        }
    }
    Ok(())
}
