//! Names of nodes in text plans of PostgreSQL, taken apart into the fields that they are joined from.

use serde_json::{Map, Value};

/// The fields that `explain.c` joins to the name of a node.
pub(super) fn named(name: &str, fields: &mut Map<String, Value>) {
    let mut set = |field: &str, value: &str| {
        fields.insert(field.to_owned(), Value::from(value));
    };
    let mut name = name;
    for (prefix, field, value) in [
        ("Async ", "Async Capable", "true"),
        ("Parallel ", "Parallel Aware", "true"),
        ("Partial ", "Partial Mode", "Partial"),
        ("Finalize ", "Partial Mode", "Finalize"),
    ] {
        if let Some(rest) = name.strip_prefix(prefix) {
            set(field, value);
            name = rest;
        }
    }
    let (kind, target) = split_once_outside_quotes(name, " on ");
    let (kind, index) = split_once_outside_quotes(kind, " using ");
    let backward = kind.strip_suffix(" Backward");
    let kind = backward.unwrap_or(kind);
    if backward.is_some() {
        set("Scan Direction", "Backward");
    }
    if let Some(index) = index {
        set("Index Name", index.trim_matches('"'));
    }
    let node_type = node_type(kind, &mut set);
    set("Node Type", node_type);
    let Some(target) = target else { return };
    let (relation, alias) = split_once_outside_quotes(target, " ");
    let (first, field) = match node_type {
        "Bitmap Index Scan" => (target, "Index Name"),
        "CTE Scan" | "WorkTable Scan" => (relation, "CTE Name"),
        "Subquery Scan" | "Values Scan" => (relation, "Alias"),
        "Function Scan" => (relation, "Function Name"),
        "Table Function Scan" => (relation, "Table Function Name"),
        "Named Tuplestore Scan" => (relation, "Tuplestore Name"),
        _ => (relation, "Relation Name"),
    };
    // A name of its schema.
    let own = if first.contains('"') { first } else { first.rsplit('.').next().unwrap_or(first) };
    set(field, own.trim_matches('"'));
    if let Some(alias) = alias.filter(|_| field != "Index Name") {
        set("Alias", alias.trim_matches('"'));
    }
}

/// The type of a node by its name without what it reads; sets what else is in the name.
fn node_type<'a>(kind: &'a str, set: &mut impl FnMut(&str, &str)) -> &'a str {
    let operation = ["Insert", "Update", "Delete", "Merge"].into_iter().find(|operation| *operation == kind);
    if let Some(operation) = operation {
        set("Operation", operation);
        "ModifyTable"
    } else if let Some(provider) = kind.strip_prefix("Custom Scan (") {
        set("Custom Plan Provider", provider.trim_end_matches(')'));
        "Custom Scan"
    } else if let Some(operation) = kind.strip_prefix("Foreign ").filter(|operation| *operation != "Scan") {
        set("Operation", operation);
        "Foreign Scan"
    } else if let Some(strategy) = match kind {
        "Aggregate" => Some("Plain"),
        "GroupAggregate" => Some("Sorted"),
        "HashAggregate" => Some("Hashed"),
        "MixedAggregate" => Some("Mixed"),
        _ => None,
    } {
        set("Strategy", strategy);
        "Aggregate"
    } else if let Some((strategy, command)) = kind
        .strip_prefix("SetOp ")
        .map(|it| ("Sorted", it))
        .or_else(|| Some(("Hashed", kind.strip_prefix("HashSetOp ")?)))
    {
        set("Strategy", strategy);
        set("Command", command);
        "SetOp"
    } else if let Some(join) = ["Nested Loop", "Hash Join", "Merge Join"].into_iter().find(|join| is_join(kind, join)) {
        set("Join Type", join_type(kind));
        join
    } else {
        kind
    }
}

/// Whether a name is that of a join: `Hash Join`, `Hash Left Join`, `Nested Loop Left Join`.
fn is_join(kind: &str, join: &str) -> bool {
    match join {
        "Nested Loop" => kind.starts_with(join),
        join => {
            let method = join.split(' ').next().unwrap_or_default();
            kind.starts_with(method) && kind.ends_with(" Join")
        }
    }
}

/// The type in the name of a join.
fn join_type(kind: &str) -> &'static str {
    const TYPES: [&str; 7] = ["Right Anti", "Right Semi", "Left", "Right", "Full", "Semi", "Anti"];
    TYPES.into_iter().find(|of_type| kind.contains(&format!(" {of_type} Join"))).unwrap_or("Inner")
}

/// The parts before and behind a mark that is in no quotes.
fn split_once_outside_quotes<'a>(text: &'a str, mark: &str) -> (&'a str, Option<&'a str>) {
    let is_outside = |place: &usize| text[..*place].matches('"').count().is_multiple_of(2);
    let place = text.match_indices(mark).map(|(place, _)| place).find(is_outside);
    place.map_or((text, None), |place| (&text[..place], Some(&text[place + mark.len()..])))
}
