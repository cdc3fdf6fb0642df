//! The forms in which PostgreSQL's JSON reaches a file: as it is, in rows of a client's export, or in lines of a server's log.

use crossover_quantity::text::counted;
use crossover_query::Unaccounted;
use serde_json::Value;

use super::kind::LOOPS;
use crate::explain::{Statement, Totals};
use crate::json;
use crate::outline::{Object, name_of, number};

/// The column of EXPLAIN's only row.
const COLUMN: &str = "QUERY PLAN";

/// The statements of a document.
///
/// # Errors
/// It is not of PostgreSQL, or the execution time is not a number.
pub(super) fn statements(document: Value) -> Result<Vec<Statement>, String> {
    let mut found = Vec::new();
    let mut waiting = vec![document];
    while let Some(value) = waiting.pop() {
        match value {
            // Rows of a client, rows of columns, and the statement's own array.
            Value::Array(items) => waiting.extend(items.into_iter().rev()),
            Value::Object(mut object) => match object.remove(COLUMN) {
                Some(Value::String(text)) => {
                    waiting.push(json::nested(&text).map_err(|problem| format!("in “{COLUMN}”: {problem}"))?);
                }
                Some(inside) => waiting.push(inside),
                // A line of a server's log as JSON; of those only plans of auto_explain count.
                None if object.contains_key("error_severity") => {
                    if let Some(plan) = logged(&object) {
                        waiting.push(json::nested(plan).map_err(|problem| format!("in “message”: {problem}"))?);
                    }
                }
                None => found.push(statement(object)?),
            },
            other => {
                return Err(format!(
                    "{} where a plan of PostgreSQL was expected: an object with “Plan”",
                    name_of(&other)
                ));
            }
        }
    }
    Ok(found)
}

/// The plan in a message of `auto_explain`: `duration: 5.1 ms  plan:` and the document.
fn logged(object: &Object) -> Option<&str> {
    let (_, plan) = object.get("message")?.as_str()?.split_once("plan:")?;
    Some(plan.trim()).filter(|plan| plan.starts_with('{'))
}

fn statement(mut object: Object) -> Result<Statement, String> {
    // Its name up to version 9.3 was another.
    let total = ["Execution Time", "Total Runtime"].into_iter().find_map(|name| Some((name, object.get(name)?)));
    let seconds = match total {
        Some((name, time)) => Some(milliseconds(time, name)?),
        None => None,
    };
    // `auto_explain` writes the statement.
    let sql = object.get("Query Text").and_then(Value::as_str).map(str::trim).filter(|sql| !sql.is_empty());
    let sql = sql.map(str::to_owned);
    match object.remove("Plan") {
        Some(Value::Object(root)) => {
            let (outside, rounded_loops) = (outside(&object)?, rounded_loops(&root));
            let totals = Totals { seconds, cpu_seconds: None, outside, rounded_loops };
            Ok(Statement { root, sql, totals, header: object })
        }
        Some(other) => Err(format!("Plan is {}; expected an object", name_of(&other))),
        None if object.contains_key("Event") => Err("this is a Spark event log; import it as one".to_owned()),
        None if ["operator", "children", "operator_type"].iter().any(|key| object.contains_key(*key)) => {
            Err("this is a plan of DuckDB; import it as one".to_owned())
        }
        None => Err("no plan of PostgreSQL: the object has no “Plan”".to_owned()),
    }
}

/// Most loops of an operator of a plan that PostgreSQL up to version 17 wrote, which rounds rows; else 0. From version 18 on, rows of one
/// loop have two decimals, and JSON, YAML and XML have a field `Disabled`, which stays if a client rewrites the numbers.
fn rounded_loops(root: &Object) -> f64 {
    let mut most = 0.0_f64;
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        let has_decimals = matches!(node.get("Actual Rows"), Some(Value::Number(rows)) if rows.is_f64());
        if has_decimals || node.contains_key("Disabled") {
            return 0.0;
        }
        most = most.max(node.get(LOOPS).and_then(Value::as_f64).unwrap_or(0.0));
        let below = node.get("Plans").and_then(Value::as_array).into_iter().flatten();
        waiting.extend(below.filter_map(Value::as_object));
    }
    most
}

/// Times of a statement outside of its operators: of triggers, and of turning rows into text (EXPLAIN's option SERIALIZE).
fn outside(object: &Object) -> Result<Vec<Unaccounted>, String> {
    let mut parts = Vec::new();
    if let Some(triggers) = object.get("Triggers").and_then(Value::as_array) {
        let mut amount = 0.0;
        for (place, trigger) in triggers.iter().enumerate() {
            if let Some(time) = trigger.get("Time") {
                amount += milliseconds(time, &format!("Triggers[{place}].Time"))?;
            }
        }
        parts.push(Unaccounted { amount, reason: counted(triggers.len() as f64, "trigger") });
    }
    if let Some(time) = object.get("Serialization").and_then(|part| part.get("Time")) {
        let amount = milliseconds(time, "Serialization.Time")?;
        parts.push(Unaccounted { amount, reason: "conversion of its rows into text (SERIALIZE)".to_owned() });
    }
    Ok(parts)
}

/// Seconds of a time of PostgreSQL, which is in milliseconds.
fn milliseconds(time: &Value, name: &str) -> Result<f64, String> {
    Ok(number(time).map_err(|problem| format!("{name} {problem}"))? / 1e3)
}
