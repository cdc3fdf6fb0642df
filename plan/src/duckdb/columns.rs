//! What DuckDB's operators read and compare: tables, columns, keys. Its plans name columns by their place in what is below;
//! here they get the names of the tables' columns.

use std::collections::BTreeSet;

use serde_json::Value;

use crossover_query::{Kind, Node, Source};

use crate::outline::Outline;

/// Operators that a name is followed through.
const DEEPEST: usize = 60;
/// Columns that one expression is made of.
const MOST_NAMES: usize = 64;

/// The items of a field of an operator: DuckDB writes one as text, several as an array.
pub(super) fn items<'o>(outline: &'o Outline<'_>, id: usize, key: &str) -> Vec<&'o str> {
    match outline.operators[id].fields.get("extra_info").and_then(|about| about.get(key)) {
        Some(Value::String(text)) if !text.is_empty() => vec![text],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The source of a scan, if the plan has its table.
pub(super) fn source(outline: &Outline<'_>, id: usize, expected: Option<f64>) -> Option<Box<Source>> {
    let table = items(outline, id, "Table").first()?.rsplit('.').next()?.trim_matches('"').to_owned();
    let columns: Vec<String> = items(outline, id, "Projections").into_iter().map(str::to_owned).collect();
    let mut filter_columns = Vec::new();
    let mut filters = Vec::new();
    for filter in items(outline, id, "Filters") {
        // "optional" filters only help: what they leave out would be left out later.
        if filter.starts_with("optional:") {
            continue;
        }
        filters.push(filter);
        for name in names(filter) {
            if !columns.contains(&name) && !filter_columns.contains(&name) {
                filter_columns.push(name);
            }
        }
    }
    let limits = items(outline, id, "Dynamic Filters").into_iter().flat_map(|limit| limit.split(" AND "));
    let limited_by: BTreeSet<String> = limits
        .filter_map(|limit| limit.trim().trim_start_matches("optional: ").split(['>', '<', '=', ' ']).next())
        .filter(|name| is_name(name))
        .map(str::to_owned)
        .collect();
    Some(Box::new(Source {
        table,
        columns,
        filter_columns,
        filters: filters.join(" AND "),
        limited_by: limited_by.into_iter().collect(),
        // Without conditions the planner expects the whole table.
        table_rows: expected.filter(|_| filters.is_empty()),
        expected_rows: expected,
        ..Source::default()
    }))
}

/// The keys of a join or an aggregate.
pub(super) fn keys(outline: &Outline<'_>, nodes: &[Node], id: usize) -> Vec<Vec<String>> {
    let node = &nodes[id];
    match node.kind {
        Kind::Join => items(outline, id, "Conditions")
            .into_iter()
            .flat_map(conditions)
            .map(|(left, right)| {
                let mut both = BTreeSet::new();
                for (side, input) in [left, right].into_iter().zip(&node.inputs) {
                    both.extend(named(outline, nodes, *input, side));
                }
                // A key whose columns have no name known here is a key still.
                if both.is_empty() {
                    both.extend([left.to_owned(), right.to_owned()]);
                }
                both.into_iter().collect()
            })
            .collect(),
        Kind::Aggregate => {
            let Some(input) = node.inputs.first() else { return Vec::new() };
            let groups = items(outline, id, "Groups").into_iter();
            groups.map(|group| named(outline, nodes, *input, group).into_iter().collect()).collect()
        }
        _ => Vec::new(),
    }
}

/// Both sides of each equality of a text with conditions.
fn conditions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(", ")
        .filter_map(|condition| condition.split_once(" IS NOT DISTINCT FROM ").or_else(|| condition.split_once(" = ")))
}

/// The names behind an expression over what an operator gives.
fn named(outline: &Outline<'_>, nodes: &[Node], input: usize, expression: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut waiting = vec![(input, expression.to_owned(), 0)];
    while let Some((at, expression, depth)) = waiting.pop() {
        if !seen.insert((at, expression.clone())) {
            continue;
        }
        found.extend(names(&expression));
        if depth == DEEPEST || found.len() > MOST_NAMES {
            continue;
        }
        for place in places(&expression) {
            waiting.extend(column(outline, nodes, at, place).map(|(below, text)| (below, text, depth + 1)));
        }
    }
    found
}

/// What the column at a place of an operator's output is made of, and over which operator's output.
fn column(outline: &Outline<'_>, nodes: &[Node], mut at: usize, place: usize) -> Option<(usize, String)> {
    for _ in 0..DEEPEST {
        let node = &nodes[at];
        match node.kind {
            Kind::Project => {
                return Some((*node.inputs.first()?, (*items(outline, at, "Projections").get(place)?).to_owned()));
            }
            Kind::Scan => return Some((at, node.source.as_ref()?.columns.get(place)?.clone())),
            Kind::Aggregate => {
                return Some((*node.inputs.first()?, (*items(outline, at, "Groups").get(place)?).to_owned()));
            }
            Kind::Filter | Kind::Sort | Kind::Limit | Kind::Wrapper | Kind::Window => at = *node.inputs.first()?,
            _ => return None,
        }
    }
    None
}

/// The places that an expression names: 0 and 2 in `f(#0, #2)`.
fn places(expression: &str) -> impl Iterator<Item = usize> {
    expression.split('#').skip(1).filter_map(|rest| {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
        digits.parse().ok()
    })
}

/// Names of columns in an expression: words that are neither functions nor text nor SQL.
fn names(expression: &str) -> Vec<String> {
    let mut found = Vec::new();
    // Every second part stands between quotes.
    for text in expression.split('\'').step_by(2) {
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '#') {
            let word = &rest[start..];
            let end = word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '#')).unwrap_or(word.len());
            let (name, after) = word.split_at(end);
            if is_name(name) && !after.starts_with('(') && !after.starts_with("\"(") {
                found.push(name.to_owned());
            }
            rest = after;
        }
    }
    found
}

/// DuckDB writes key words and types in capitals.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') && !word.starts_with("__internal")
}

/// Gives an aggregate its grouping sets: DuckDB's plan has the columns of a `ROLLUP` and not how often it groups.
pub(super) fn add_grouping_sets(nodes: &mut [Node], sql: &str) {
    let lower = sql.to_lowercase();
    for (start, word) in lower.match_indices("rollup") {
        let Some(list) = lower[start + word.len()..].trim_start().strip_prefix('(') else { continue };
        let Some(columns) = top_level_items(list) else { continue };
        let fits = |node: &&mut Node| {
            node.kind == Kind::Aggregate && node.keys.len() == columns && node.grouping_sets.is_none()
        };
        let rows = |node: &Node| node.rows_out.map_or(0.0, |rows| rows.value);
        let largest = nodes.iter_mut().filter(fits).max_by(|a, b| rows(a).total_cmp(&rows(b)));
        if let Some(node) = largest {
            node.grouping_sets = u32::try_from(columns + 1).ok();
        }
    }
}

/// Number of items before the closing bracket; `None` if it is missing.
fn top_level_items(text: &str) -> Option<usize> {
    let (mut depth, mut count) = (0_usize, 1);
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(count),
            ')' => depth -= 1,
            ',' if depth == 0 => count += 1,
            _ => {}
        }
    }
    None
}
