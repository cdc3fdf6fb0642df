//! What is said of files that are no plans: what, where, and what was expected.

use crossover_plan::{Control, Format, ImportError, duckdb, postgres};

use super::{import_text, sample};

fn check(format: Format, content: impl AsRef<[u8]>, expected: &[&str]) {
    let error = import_text(format, content).expect_err("a plan that is refused");
    for part in expected {
        assert!(error.contains(part), "“{part}” is not in: {error}");
    }
}

#[test]
fn a_file_that_is_no_text_or_no_json_says_what_was_expected() {
    for (format, name) in [(Format::DuckDb, "DuckDB's EXPLAIN"), (Format::Postgres, "PostgreSQL's EXPLAIN")] {
        check(format, "", &["empty", name]);
        check(format, " \n\n", &["empty", name]);
        check(format, b"\x7FELF\x02\x01\x00\x00", &["not a text file", name]);
        check(format, b"{\"a\": \"\xFF\"}", &["not a text file", name]);
        check(format, "id,amount\n1,2\n", &["no JSON", name]);
        check(format, r#"{"Event":"SparkListenerLogStart"}"#, &["Spark event log"]);
        check(format, "[]", &["no plan in it", name]);
        check(format, "{}", &["no plan of"]);
        check(format, "[1]", &["a number where a plan of"]);
    }
}

#[test]
fn damaged_json_is_named_by_line_and_column() {
    for format in [Format::DuckDb, Format::Postgres] {
        check(
            format,
            "{\n  \"Plan\": {\n    \"Node",
            &["line 3, column 9", "ends inside the plan that begins on line 1"],
        );
        check(format, "{\"a\": 1,\n \"b\": NaN}", &["line 2, column 7"]);
        check(format, "{\"a\": 1,\n \"b\": 1e999}", &["line 2", "number out of range"]);
        check(format, "{ oops", &["line 1, column 3"]);
        check(format, "header\n\n  [{\"a\" 1}]", &["line 3, column 9"]);
    }
}

#[test]
fn a_plan_of_the_other_engine_is_named() {
    let duckdb = std::fs::read(sample("duckdb-join.json")).unwrap();
    check(Format::Postgres, duckdb, &["this is a plan of DuckDB"]);
    let postgres = std::fs::read(sample("postgres-join.json")).unwrap();
    check(Format::DuckDb, postgres, &["this is a plan of PostgreSQL"]);
}

#[test]
fn a_wrong_field_of_duckdb_is_named_with_its_place() {
    let plan = |field: &str| {
        format!(
            r#"{{"latency": 1, "children": [{{"operator_type": "FILTER", "children": [{{"operator_type": "X", {field}}}]}}]}}"#
        )
    };
    check(
        Format::DuckDb,
        plan(r#""operator_timing": -1"#),
        &["plan.children[0].operator_timing is -1", "allowed: 0 … 1e18"],
    );
    check(Format::DuckDb, plan(r#""operator_cardinality": 1e19"#), &["operator_cardinality is 1", "allowed"]);
    check(
        Format::DuckDb,
        plan(r#""operator_cardinality": "many""#),
        &["operator_cardinality is text; expected a number"],
    );
    check(Format::DuckDb, plan(r#""children": 7"#), &["plan.children[0].children is a number; expected an array"]);
    check(Format::DuckDb, plan(r#""children": [7]"#), &["plan.children[0].children: expected objects only"]);
    check(Format::DuckDb, r#"{"latency": -1, "children": [{"name": "X"}]}"#, &["latency is -1"]);
    check(Format::DuckDb, r#"{"latency": 1, "children": []}"#, &["no operators: children is empty"]);
    check(Format::DuckDb, r#"{"latency": 1, "children": [{}]}"#, &["plan has no operator_type"]);
    check(Format::DuckDb, r#"{"operator": [1]}"#, &["operator[0] is a number; expected an object"]);
    check(Format::DuckDb, r#"{"result": "error"}"#, &["DuckDB had no plan to show"]);
    check(Format::DuckDb, r#"[["logical_plan", "x"]]"#, &["only a logical plan"]);
    check(Format::DuckDb, r#"[["analyzed_plan", "{\"children\": ["]]"#, &["in “analyzed_plan”: line 1, column "]);
    check(Format::DuckDb, r#"[["a", "b"]]"#, &["a row called “a”"]);
}

#[test]
fn a_wrong_field_of_postgres_is_named_with_its_place() {
    let plan = |field: &str| {
        format!(
            r#"[{{"Plan": {{"Node Type": "Limit", "Plans": [{{"Node Type": "Result"}}, {{"Node Type": "Sort", {field}}}]}}}}]"#
        )
    };
    check(Format::Postgres, plan(r#""Actual Rows": -5"#), &["Plan.Plans[1].Actual Rows is -5", "allowed: 0 … 1e18"]);
    check(Format::Postgres, plan(r#""Actual Loops": null, "Actual Rows": []"#), &["Actual Rows is an array"]);
    check(Format::Postgres, plan(r#""Plans": [{}]"#), &["Plan.Plans[1].Plans[0] has no “Node Type”"]);
    check(Format::Postgres, r#"{"Plan": {"Node Type": 5}}"#, &["Plan.Node Type is a number; expected a name"]);
    check(Format::Postgres, r#"{"Plan": []}"#, &["Plan is an array; expected an object"]);
    check(Format::Postgres, r#"{"Plan": {}, "Execution Time": "x"}"#, &["Execution Time is text"]);
    check(Format::Postgres, r#"[{"QUERY PLAN": "nothing"}]"#, &["in “QUERY PLAN”: line 1, column "]);
}

#[test]
fn a_plan_of_wrappers_only_is_refused() {
    let duckdb = r#"{"latency": 1, "children": [{"operator_type": "FAN_OUT", "children": []}]}"#;
    check(Format::DuckDb, duckdb, &["plan.nodes", "wrappers only"]);
    let postgres = r#"{"Plan": {"Node Type": "Gather", "Plans": [{"Node Type": "Materialize"}]}}"#;
    check(Format::Postgres, postgres, &["plan.nodes", "wrappers only"]);
}

#[test]
fn huge_loops_stay_within_what_a_plan_holds() {
    let plan = r#"{"Plan": {"Node Type": "Seq Scan", "Actual Rows": 1e18, "Actual Loops": 1e18, "Plan Width": 1e18}}"#;
    let import = import_text(Format::Postgres, plan).unwrap();
    assert_eq!(import.queries[0].plan.nodes[0].rows_out.unwrap().value, 1e18);
}

#[test]
fn an_endless_file_is_refused() {
    let content = vec![b' '; (32 << 20) + 1];
    check(Format::DuckDb, content, &["larger than 32 MiB"]);
    let statement = "{\"name\": \"DUMMY_SCAN\", \"children\": []}\n";
    check(Format::DuckDb, statement.repeat(10_001), &["more than 10000 statements"]);
}

#[test]
fn a_folder_or_a_missing_file_is_named() {
    let folder = tempfile::TempDir::new().unwrap();
    let control = Control::default();
    let error = postgres::read(folder.path(), &control).unwrap_err();
    assert!(error.to_string().contains("a folder"), "{error}");
    let error = duckdb::read(&folder.path().join("none.json"), &control).unwrap_err();
    assert!(matches!(error, ImportError::Read { .. }), "{error}");
}

#[test]
fn a_file_of_unknown_format_is_told_all_formats() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "hello").unwrap();
    let error = Format::of(&path).unwrap_err().to_string();
    for format in Format::ALL {
        assert!(error.contains(format.label()), "{error}");
    }
    assert_eq!(Format::of(folder.path()).unwrap(), Format::SparkLog);
}

#[test]
fn a_cancelled_import_ends() {
    let control = Control::default();
    control.cancel();
    let error = duckdb::read(&sample("duckdb-join.json"), &control).unwrap_err();
    assert!(matches!(error, ImportError::Cancelled), "{error}");
}

#[test]
fn progress_ends_at_the_size_of_the_file() {
    let control = Control::default();
    let path = sample("postgres-join.json");
    postgres::read(&path, &control).unwrap();
    let size = std::fs::metadata(path).unwrap().len();
    assert_eq!(control.progress(), (size, size));
}
