//! DuckDB's operators as nodes of a plan: what flows where, and the numbers.
//!
//! A plan of DuckDB is a tree in which some leaves refer to other parts of it: `CTE_SCAN` reads what the first child
//! of a `CTE` gives, `DELIM_SCAN` the distinct keys of a `DELIM_JOIN`, and that join's cached side is its first child.
//! Here they read from there, so nothing is counted twice. What is read gets the greater id: consumers come first.

use serde_json::Value;

use crossover_query::{Amount, CpuOnly, Kind, Metric, Node, Rule, Scope, Time};

use super::columns;
use super::kind::{is_uncounted, kind};
use crate::outline::{LARGEST, Object, Outline};

const TYPE: [&str; 4] = ["operator_type", "type", "operator_name", "name"];
const NAME: [&str; 4] = ["operator_name", "name", "operator_type", "type"];
const ROWS: [&str; 3] = ["operator_cardinality", "intermediate_rows", "cardinality"];
const SCANNED: [&str; 2] = ["operator_rows_scanned", "rows_scanned"];
const BYTES: [&str; 2] = ["result_set_size", "intermediate_size_bytes"];
const SECONDS: [&str; 2] = ["operator_timing", "timing"];
/// Counters of an operator in the names of all versions, with their units.
const METRICS: [(&str, &str); 9] = [
    ("operator_cardinality", "rows"),
    ("intermediate_rows", "rows"),
    ("cardinality", "rows"),
    ("operator_rows_scanned", "rows"),
    ("rows_scanned", "rows"),
    ("result_set_size", "bytes"),
    ("intermediate_size_bytes", "bytes"),
    ("operator_timing", "s"),
    ("timing", "s"),
];

/// Positions of an operator's children in the order of their ids: what is read by others comes last.
pub(super) fn listing(fields: &Object, children: &[&Object]) -> Vec<usize> {
    let operator = TYPE.iter().find_map(|key| fields.get(*key)?.as_str()).unwrap_or_default().trim();
    match (operator, children.len()) {
        ("CTE", 2) => vec![1, 0],
        ("DELIM_JOIN" | "LEFT_DELIM_JOIN" | "RIGHT_DELIM_JOIN", 3) => vec![1, 2, 0],
        (_, count) => (0..count).collect(),
    }
}

/// The nodes of a plan, by id.
///
/// # Errors
/// An operator has no name, or an invalid number; the message names the field.
pub(super) fn nodes(outline: &Outline<'_>, sql: Option<&str>) -> Result<Vec<Node>, String> {
    let types: Result<Vec<&str>, String> = (0..outline.operators.len())
        .map(|id| {
            let found = outline.text(id, &TYPE).map(str::trim).filter(|name| !name.is_empty());
            found.ok_or_else(|| format!("{} has no operator_type, type, operator_name or name", outline.place(id)))
        })
        .collect();
    let types = types?;
    let mut nodes = Vec::with_capacity(types.len());
    for id in 0..types.len() {
        nodes.push(node(outline, &types, id)?);
    }
    for id in 0..nodes.len() {
        nodes[id].keys = columns::keys(outline, &nodes, id);
    }
    if let Some(sql) = sql {
        columns::add_grouping_sets(&mut nodes, sql);
    }
    Ok(nodes)
}

fn node(outline: &Outline<'_>, types: &[&str], id: usize) -> Result<Node, String> {
    let operator = types[id];
    let name = outline.text(id, &NAME).map(str::trim).filter(|name| !name.is_empty()).unwrap_or(operator);
    // 2.0 has no name in an analysed plan, but the function of a scan.
    let function = extra(outline, id, "Function").unwrap_or(name);
    let mut node = Node::new(name, kind(operator, function, outline.operators[id].children.is_empty()));
    node.inputs = inputs(outline, types, id);
    if node.kind == Kind::Values && !node.inputs.is_empty() {
        node.kind = Kind::Wrapper;
    }
    let about = outline.operators[id].fields.get("extra_info");
    node.detail = about.map(detail).unwrap_or_default();
    node.cpu_only = cpu_only(operator, function);

    let counted = outline.number(id, &ROWS)?;
    let rows = counted.filter(|rows| *rows > 0.0 || !is_uncounted(operator, node.kind));
    let guess = about.and_then(estimate).filter(|_| counted.is_none());
    node.rows_out = rows.map(Amount::reported).or(guess.map(|rows| Amount::estimated(rows, Rule::Planner)));
    let bytes = outline.number(id, &BYTES)?;
    node.bytes_out = rows.and(bytes).filter(|bytes| *bytes > 0.0 || rows == Some(0.0)).map(Amount::reported);

    if node.kind == Kind::Scan {
        node.source = columns::source(outline, id, about.and_then(estimate));
    }
    if node.kind == Kind::Scan
        && let (Some(scanned), Some(given)) = (outline.number(id, &SCANNED)?, rows)
        && scanned >= given
        && scanned > 0.0
        // The rows of the table, of which a limit needed the first ones only.
        && !is_stopped_by_limit(outline, types, id)
    {
        node.rows_in = Some(Amount::reported(scanned));
        if let Some(bytes) = node.bytes_out.filter(|_| given > 0.0) {
            let read = (scanned * (bytes.value / given)).min(LARGEST);
            node.bytes_in = Some(Amount::estimated(read, Rule::RowsTimesWidth));
        }
    }
    if let Some(seconds) = outline.number(id, &SECONDS)? {
        node.time = Some(Time { seconds, scope: Scope::Exclusive });
        node.cpu_seconds = (node.kind != Kind::Wrapper).then(|| Amount::reported(seconds));
    }
    for (name, unit) in METRICS {
        if let Some(total) = outline.number(id, &[name])? {
            node.metrics.push(Metric { name: name.to_owned(), unit: unit.to_owned(), total: Some(total) });
        }
    }
    Ok(node)
}

/// Why no GPU engine runs an operator, where its kind alone does not say so.
fn cpu_only(operator: &str, function: &str) -> Option<CpuOnly> {
    match operator {
        "INSERT" | "BATCH_INSERT" | "DELETE" | "DELETE_OPERATOR" | "UPDATE" | "MERGE_INTO" | "CREATE_INDEX" => {
            Some(CpuOnly::TableWrite)
        }
        "RECURSIVE_CTE" | "RECURSIVE_KEY_CTE" | "REC_CTE" | "REC_KEY_CTE" | "RECURSIVE_CTE_SCAN" | "REC_CTE_SCAN" => {
            Some(CpuOnly::Recursion)
        }
        "TABLE_SCAN" => {
            let remote = ["POSTGRES_SCAN", "MYSQL_SCAN", "SQLITE_SCAN", "ODBC_SCAN"];
            remote.iter().any(|name| function.to_ascii_uppercase().starts_with(name)).then_some(CpuOnly::Remote)
        }
        _ => None,
    }
}

/// Whether a limit above a scan stops it as soon as it has its rows: nothing between them needs all rows.
fn is_stopped_by_limit(outline: &Outline<'_>, types: &[&str], scan: usize) -> bool {
    let mut above = ancestors(outline, scan).take_while(|(below, around)| match types[*around] {
        "PROJECTION" | "FILTER" | "UNNEST" | "INOUT_FUNCTION" | "STREAMING_SAMPLE" | "STREAMING_WINDOW" | "UNION"
        | "LIMIT" | "STREAMING_LIMIT" => true,
        // The probe side flows through.
        "HASH_JOIN" | "NESTED_LOOP_JOIN" | "BLOCKWISE_NL_JOIN" | "CROSS_PRODUCT" => {
            outline.operators[*around].children.first() == Some(below)
        }
        _ => false,
    });
    above.any(|(_, around)| matches!(types[around], "LIMIT" | "STREAMING_LIMIT"))
}

/// Ids of what an operator reads.
fn inputs(outline: &Outline<'_>, types: &[&str], id: usize) -> Vec<usize> {
    let operator = &outline.operators[id];
    let children = &operator.children;
    match (types[id], &children[..]) {
        ("CTE", [_, consumer]) => return vec![*consumer],
        ("DELIM_JOIN" | "LEFT_DELIM_JOIN" | "RIGHT_DELIM_JOIN", [_, join, _]) => return vec![*join],
        ("CTE_SCAN" | "CTE_REF", []) => return cte_source(outline, types, id).into_iter().collect(),
        ("DELIM_SCAN", []) => return keys_of_delim_join(outline, types, id).into_iter().collect(),
        _ => {}
    }
    let Some(parent) = operator.parent.filter(|_| children.is_empty()) else { return children.clone() };
    let siblings = &outline.operators[parent].children;
    if is_delim_join(types[parent]) {
        // The distinct keys are made of the cached side.
        return if siblings.len() == 3 && siblings[2] == id { vec![siblings[0]] } else { Vec::new() };
    }
    let Some(join) = outline.operators[parent].parent.filter(|join| is_delim_join(types[*join])) else {
        return Vec::new();
    };
    let parts = &outline.operators[join].children;
    let cached_side = if types[join] == "RIGHT_DELIM_JOIN" { siblings.last() } else { siblings.first() };
    let stands_for_it =
        matches!(types[id], "COLUMN_DATA_SCAN" | "CHUNK_SCAN" | "DUMMY_SCAN") && cached_side == Some(&id);
    if parts.len() == 3 && parts[1] == parent && stands_for_it { vec![parts[0]] } else { Vec::new() }
}

fn is_delim_join(operator: &str) -> bool {
    matches!(operator, "DELIM_JOIN" | "LEFT_DELIM_JOIN" | "RIGHT_DELIM_JOIN")
}

/// The part that a scan of a common table expression reads: that of the nearest one around it with its index.
fn cte_source(outline: &Outline<'_>, types: &[&str], id: usize) -> Option<usize> {
    let wanted = extra(outline, id, "CTE Index");
    ancestors(outline, id).find_map(|(below, around)| match (types[around], &outline.operators[around].children[..]) {
        ("CTE", [source, consumer]) if *consumer == below => {
            let index = extra(outline, around, "Table Index");
            (wanted.is_none() || index.is_none() || wanted == index).then_some(*source)
        }
        _ => None,
    })
}

/// The distinct keys that a scan reads: those of the nearest delim join around it with its index.
fn keys_of_delim_join(outline: &Outline<'_>, types: &[&str], id: usize) -> Option<usize> {
    let wanted = extra(outline, id, "Delim Index");
    ancestors(outline, id).find_map(|(below, around)| match &outline.operators[around].children[..] {
        [_, join, keys] if is_delim_join(types[around]) && *join == below => {
            let index = extra(outline, around, "Delim Index");
            (wanted.is_none() || index.is_none() || wanted == index).then_some(*keys)
        }
        _ => None,
    })
}

/// Pairs of an operator and the one around it, upwards from `id`.
fn ancestors<'o>(outline: &'o Outline<'_>, id: usize) -> impl Iterator<Item = (usize, usize)> + 'o {
    let step = |at: usize| outline.operators[at].parent.map(|around| (at, around));
    std::iter::successors(step(id), move |(_, around)| step(*around))
}

fn extra<'a>(outline: &Outline<'a>, id: usize, key: &str) -> Option<&'a str> {
    outline.operators[id].fields.get("extra_info")?.get(key)?.as_str()
}

/// What an operator works on: its tables first, then the rest by name.
fn detail(about: &Value) -> String {
    match about {
        Value::String(text) => {
            let lines = text.lines().map(str::trim);
            let shown =
                lines.filter(|line| !line.is_empty() && *line != "[INFOSEPARATOR]" && !line.starts_with("EC: "));
            shown.collect::<Vec<&str>>().join("; ")
        }
        Value::Object(fields) => {
            let mut parts: Vec<(&String, String)> = fields
                .iter()
                .filter(|(key, _)| *key != "Estimated Cardinality")
                .filter_map(|(key, value)| Some((key, words(value)?)))
                .collect();
            parts.sort_by_key(|(key, _)| (!matches!(key.as_str(), "Table" | "Function"), *key));
            parts.iter().map(|(key, words)| format!("{key}: {words}")).collect::<Vec<String>>().join("; ")
        }
        _ => String::new(),
    }
}

/// A text, or several; `None` if there is nothing in it.
fn words(value: &Value) -> Option<String> {
    let words = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<&str>>().join(", "),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(words).filter(|words| !words.is_empty())
}

/// Rows that the planner expected; an estimate out of range is ignored.
fn estimate(about: &Value) -> Option<f64> {
    let rows: f64 = match about {
        Value::String(text) => text.lines().find_map(|line| line.trim().strip_prefix("EC: "))?.trim().parse().ok()?,
        _ => match about.get("Estimated Cardinality")? {
            Value::String(text) => text.trim().trim_start_matches('~').parse().ok()?,
            value => value.as_f64()?,
        },
    };
    (0.0..=LARGEST).contains(&rows).then_some(rows)
}
