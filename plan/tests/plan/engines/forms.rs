//! The same plan in every form in which clients hand it out.

use crossover_plan::{Format, Import};
use serde_json::json;

use super::{import, import_text, sample};

fn text(name: &str) -> String {
    std::fs::read_to_string(sample(name)).expect("a sample")
}

/// Queries without the name of the file.
fn same(found: &Import, expected: &Import) {
    assert_eq!(found.queries.len(), expected.queries.len());
    for (found, expected) in found.queries.iter().zip(&expected.queries) {
        assert_eq!(found.plan.nodes, expected.plan.nodes);
        assert_eq!((&found.id, &found.description), (&expected.id, &expected.description));
        assert_eq!(found.duration_seconds, expected.duration_seconds);
    }
}

fn utf16(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    [0xFF, 0xFE].into_iter().chain(units).collect()
}

#[test]
fn rows_of_duckdbs_clients_are_read_like_the_json_itself() {
    let plan = text("duckdb-join.json");
    let expected = import("duckdb-join.json");
    let title = "┌───────────────────┐\n│   Physical Plan   │\n└───────────────────┘\n";
    for form in [
        json!([["analyzed_plan", plan]]).to_string(),
        json!([["logical_plan", "[]"], ["physical_plan", plan]]).to_string(),
        json!([{"explain_key": "analyzed_plan", "explain_value": plan}]).to_string(),
        format!("{title}{plan}\n"),
        format!("\u{FEFF}{}", plan.replace('\n', "\r\n")),
    ] {
        same(&import_text(Format::DuckDb, form).unwrap(), &expected);
    }
    same(&import_text(Format::DuckDb, utf16(&plan)).unwrap(), &expected);
}

#[test]
fn several_statements_of_duckdb_in_one_file_are_several_queries() {
    let both = format!("{}\n{}", text("duckdb-join.json"), text("duckdb-window.json"));
    let import = import_text(Format::DuckDb, both).unwrap();
    let ids: Vec<&str> = import.queries.iter().map(|query| query.id.as_str()).collect();
    assert_eq!(ids, ["1", "2"]);
}

#[test]
fn rows_of_postgres_clients_are_read_like_the_json_itself() {
    let plan = text("postgres-join.json");
    let value: serde_json::Value = serde_json::from_str(&plan).unwrap();
    let expected = import("postgres-join.json");
    let mut aligned = " QUERY PLAN \n------------\n".to_owned();
    for line in plan.trim_end().lines() {
        aligned += &format!(" {line:<80}+\n");
    }
    let aligned = aligned.trim_end_matches("+\n").to_owned() + "\n(1 row)\n\n";
    for form in [
        json!([[value]]).to_string(),
        json!([{"QUERY PLAN": value}]).to_string(),
        json!([{"QUERY PLAN": plan}]).to_string(),
        aligned,
    ] {
        same(&import_text(Format::Postgres, form).unwrap(), &expected);
    }
}

#[test]
fn a_servers_log_gives_every_plan_with_its_statement() {
    let log = "2026-03-01 10:00:00.000 UTC [41] LOG:  database system is ready\n\
        2026-03-01 10:00:01.000 UTC [42] LOG:  duration: 12.000 ms  plan:\n\
        \t{\n\t  \"Query Text\": \"select 1\",\n\t  \"Plan\": {\"Node Type\": \"Result\", \"Actual Rows\": 1, \
        \"Actual Loops\": 1, \"Actual Total Time\": 12.0}\n\t}\n\
        2026-03-01 10:00:02.000 UTC [42] LOG:  duration: 1.000 ms  plan:\n\
        \t{\"Query Text\": \"select 2\", \"Plan\": {\"Node Type\": \"Result\"}}\n";
    let import = import_text(Format::Postgres, log).unwrap();
    let found: Vec<(&str, Option<f64>)> =
        import.queries.iter().map(|query| (query.description.as_str(), query.duration_seconds)).collect();
    assert_eq!(found, [("select 1", Some(0.012)), ("select 2", None)]);
}

#[test]
fn a_plan_as_deep_as_any_is_read() {
    let deep = |levels: usize| {
        let open = r#"{"name": "PROJECTION", "children": ["#.repeat(levels);
        open + r#"{"name": "DUMMY_SCAN", "children": []}"# + &"]}".repeat(levels)
    };
    let import = import_text(Format::DuckDb, deep(400)).unwrap();
    assert_eq!(import.queries[0].plan.nodes.len(), 401);
    let error = import_text(Format::DuckDb, deep(100_000)).unwrap_err();
    assert!(error.contains("line 1, column ") && error.contains("deeper than 1000 levels"), "{error}");
}
