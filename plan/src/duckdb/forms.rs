//! The forms in which DuckDB's JSON reaches a file: as it is, or as rows of a client, each with a key and the JSON as
//! text.

use serde_json::Value;

use crate::explain::{Statement, Totals};
use crate::json;
use crate::outline::{Object, name_of, number};

/// The statements of a document.
///
/// # Errors
/// It is not of DuckDB, has no physical plan, or a number of its header is wrong.
pub(super) fn statements(document: Value) -> Result<Vec<Statement>, String> {
    let mut found = Vec::new();
    let mut has_logical = false;
    let mut waiting = vec![document];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => match row(&items) {
                Some((key, text)) => open(key, text, &mut waiting, &mut has_logical)?,
                None => waiting.extend(items.into_iter().rev()),
            },
            Value::Object(object) => match (text(&object, "explain_key"), text(&object, "explain_value")) {
                (Some(key), Some(text)) => open(key, text, &mut waiting, &mut has_logical)?,
                _ => found.push(statement(object)?),
            },
            other => {
                return Err(format!(
                    "{} where a plan of DuckDB was expected: an object with “children”",
                    name_of(&other)
                ));
            }
        }
    }
    if found.is_empty() && has_logical {
        return Err("only a logical plan in it; expected a physical_plan or an analyzed_plan".to_owned());
    }
    Ok(found)
}

/// A client's row: `["analyzed_plan", "{…}"]`.
fn row(items: &[Value]) -> Option<(&str, &str)> {
    match items {
        [Value::String(key), Value::String(text)] => Some((key, text)),
        _ => None,
    }
}

/// Reads the text of a row with the key of a physical plan.
fn open(key: &str, text: &str, waiting: &mut Vec<Value>, has_logical: &mut bool) -> Result<(), String> {
    match key {
        "physical_plan" | "analyzed_plan" => {
            waiting.push(json::nested(text).map_err(|problem| format!("in “{key}”: {problem}"))?);
            Ok(())
        }
        "logical_plan" | "logical_opt" => {
            *has_logical = true;
            Ok(())
        }
        _ => Err(format!("a row called “{key}”; expected physical_plan or analyzed_plan")),
    }
}

/// A statement: its header and its topmost operator, or the operator alone.
fn statement(mut object: Object) -> Result<Statement, String> {
    if object.contains_key("Plan") {
        return Err("this is a plan of PostgreSQL; import it as one".to_owned());
    }
    if object.contains_key("Event") {
        return Err("this is a Spark event log; import it as one".to_owned());
    }
    if object.get("result").and_then(Value::as_str) == Some("error") {
        return Err("DuckDB had no plan to show: it wrote {\"result\": \"error\"}".to_owned());
    }
    // 2.0: groups of metrics, the operators in one of them.
    if let Some(operators) = object.remove("operator") {
        let (mut totals, mut sql) = (Totals::default(), None);
        if let Some(Value::Object(query)) = object.get("query") {
            totals.seconds = duration(query, &["total_time"], "query.")?;
            totals.cpu_seconds = duration(query, &["cpu_time"], "query.")?;
            sql = text(query, "sql").map(str::to_owned);
        }
        let (root, sql) = (only(operators, "operator")?, sql.filter(|sql| !sql.is_empty()));
        return Ok(Statement { root, sql, totals, header: object });
    }
    let is_header = ["query_name", "latency", "timings", "result"].iter().any(|key| object.contains_key(*key));
    if !is_header {
        if object.contains_key("children") {
            return Ok(Statement { root: object, sql: None, totals: Totals::default(), header: Object::new() });
        }
        return Err("no plan of DuckDB: the object has neither “children” nor “operator”".to_owned());
    }
    // 1.x: metrics of the whole query. 0.x: "result" and "extra-info".
    let totals = Totals {
        seconds: duration(&object, &["latency", "result", "timing"], "")?,
        cpu_seconds: duration(&object, &["cpu_time"], "")?,
        outside: Vec::new(),
        rounded_loops: 0.0,
    };
    let sql = text(&object, "query_name").or(text(&object, "extra-info")).map(|sql| sql.trim().to_owned());
    let children = object.remove("children").unwrap_or(Value::Null);
    let (root, sql) = (only(children, "children")?, sql.filter(|sql| !sql.is_empty()));
    Ok(Statement { root, sql, totals, header: object })
}

/// The topmost operator.
fn only(operators: Value, field: &str) -> Result<Object, String> {
    match operators {
        Value::Array(operators) => match <[Value; 1]>::try_from(operators) {
            Ok([Value::Object(root)]) => Ok(root),
            Ok([other]) => Err(format!("{field}[0] is {}; expected an object", name_of(&other))),
            Err(several) if several.is_empty() => Err(format!("the plan has no operators: {field} is empty")),
            Err(several) => Err(format!("{field} has {} entries; expected one, the topmost operator", several.len())),
        },
        other => Err(format!("{field} is {}; expected an array", name_of(&other))),
    }
}

/// A duration; DuckDB writes 0 where the clock still runs, as it does for `EXPLAIN ANALYZE` itself.
fn duration(object: &Object, keys: &[&str], place: &str) -> Result<Option<f64>, String> {
    let Some((key, value)) = keys.iter().find_map(|key| Some((key, object.get(*key)?))) else { return Ok(None) };
    let seconds = number(value).map_err(|problem| format!("{place}{key} {problem}"))?;
    Ok(Some(seconds).filter(|seconds| *seconds > 0.0))
}

fn text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}
