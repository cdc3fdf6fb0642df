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

/// A value of one column as psql prints it: `before` and `behind` stand at the ends of its lines, `goes_on` where it goes on.
fn printed(plan: &str, before: &str, goes_on: &str, behind: &str) -> String {
    let lines: Vec<&str> = plan.trim_end().lines().collect();
    let (last, others) = lines.split_last().expect("a line");
    let others = others.iter().map(|line| format!("{before} {line:<60}{goes_on}{behind}\n"));
    others.collect::<String>() + &format!("{before} {last:<60} {behind}\n")
}

/// The same in the format `wrapped`, so many characters wide: `over` at both ends of a line that is wrapped.
fn wrapped(plan: &str, width: usize, over: char, goes_on: char) -> String {
    let mut printed = format!(" QUERY PLAN \n{}\n", "-".repeat(width + 2));
    let lines: Vec<&str> = plan.trim_end().lines().collect();
    for (place, line) in lines.iter().enumerate() {
        let letters: Vec<char> = line.chars().collect();
        let parts: Vec<String> = letters.chunks(width).map(|part| part.iter().collect()).collect();
        for (number, part) in parts.iter().enumerate() {
            let before = if number > 0 { over } else { ' ' };
            let ends_line = if place + 1 < lines.len() { goes_on } else { ' ' };
            let behind = if number + 1 < parts.len() { over } else { ends_line };
            printed += &format!("{before}{part:<width$}{behind}\n");
        }
    }
    printed + "(1 row)\n"
}

#[test]
fn every_format_of_psql_is_read_like_the_json_itself() {
    let plan = text("postgres-join.json");
    let expected = import("postgres-join.json");
    let escaped =
        plan.trim_end().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let cell = escaped.replace('\n', "<br />\n");
    for form in [
        wrapped(&plan, 40, '.', '+'),
        wrapped(&plan, 25, '…', '↵'),
        format!(
            "<table border=\"1\">\n  <tr>\n    <th align=\"center\">QUERY PLAN</th>\n  </tr>\n  <tr valign=\"top\">\n    \
             <td align=\"left\">{cell}</td>\n  </tr>\n</table>\n<p>(1 row)<br />\n</p>\n"
        ),
        format!(
            "\n[options=\"header\",cols=\"<l\",frame=\"none\"]\n|====\n^l|QUERY PLAN\n|{}\n|====\n\n....\n(1 row)\n....\n",
            plan.trim_end().replace('|', "\\|")
        ),
        // unaligned, and only tuples
        format!("QUERY PLAN\n{}\n(1 row)\n", plan.trim_end()),
    ] {
        same(&import_text(Format::Postgres, &form).unwrap_or_else(|error| panic!("{error}\n{form}")), &expected);
    }
}

#[test]
fn every_style_of_psql_is_read_like_the_json_itself() {
    let plan = text("postgres-join.json");
    let expected = import("postgres-join.json");
    let rule = "─".repeat(62);
    let boxed = printed(&plan, "│", "↵", "│");
    let ascii = printed(&plan, "|", "+", "|");
    let first = |text: &str, sides: &str, space: &str| {
        text.replacen(sides, &format!("QUERY PLAN {sides}"), 1)
            .replace(&format!("\n{sides}"), &format!("\n{space}{sides}"))
    };
    for form in [
        // \pset linestyle unicode, with border 1 and 2; border 2 of ascii; \x with either.
        format!(" QUERY PLAN \n{rule}\n{}(1 row)\n", printed(&plan, "", "↵", "")),
        format!("┌{rule}┐\n│ QUERY PLAN │\n├{rule}┤\n{boxed}└{rule}┘\n(1 row)\n"),
        format!("+------+\n| QUERY PLAN |\n+------+\n{ascii}+------+\n(1 row)\n"),
        format!("-[ RECORD 1 ]------\n{}", first(&printed(&plan, "|", "+", ""), "|", "           ")),
        format!("─[ RECORD 1 ]──────\n{}", first(&printed(&plan, "│", "↵", ""), "│", "           ")),
        // psql --csv and pgAdmin: quotes doubled inside, or only around.
        format!("QUERY PLAN\n\"{}\"\n", plan.trim_end().replace('"', "\"\"")),
        format!("QUERY PLAN\n\"{}\"\n", plan.trim_end()),
    ] {
        same(&import_text(Format::Postgres, &form).unwrap_or_else(|error| panic!("{error}\n{form}")), &expected);
    }
}

#[test]
fn yaml_and_xml_are_read_like_the_json_itself() {
    let json = r#"[{"Plan": {"Node Type": "Sort", "Actual Rows": 3, "Actual Loops": 1, "Actual Total Time": 2.5,
        "Sort Key": ["t.a"], "Plans": [{"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Relation Name": "t",
        "Actual Rows": 3, "Actual Loops": 1, "Actual Total Time": 1.5, "Filter": "(b < 4)"}]}, "Execution Time": 3.0}]"#;
    let yaml = "                QUERY PLAN                 \n-------------------------------------------\n - Plan:                                  +\n     \
        Node Type: \"Sort\"                    +\n     Actual Rows: 3                       +\n     Actual Loops: 1+\n     \
        Actual Total Time: 2.5+\n     Sort Key: +\n       - \"t.a\"+\n     Plans: +\n       - Node Type: \"Seq Scan\"+\n         \
        Parent Relationship: \"Outer\"+\n         Relation Name: \"t\"+\n         Actual Rows: 3+\n         Actual Loops: 1+\n         \
        Actual Total Time: 1.5+\n         Filter: \"(b < 4)\"+\n   Execution Time: 3.0\n(1 row)\n";
    let xml = "<explain xmlns=\"http://www.postgresql.org/2009/explain\"><Query><Plan><Node-Type>Sort</Node-Type>\
        <Actual-Rows>3</Actual-Rows><Actual-Loops>1</Actual-Loops><Actual-Total-Time>2.5</Actual-Total-Time>\
        <Sort-Key><Item>t.a</Item></Sort-Key><Plans><Plan><Node-Type>Seq Scan</Node-Type>\
        <Parent-Relationship>Outer</Parent-Relationship><Relation-Name>t</Relation-Name><Actual-Rows>3</Actual-Rows>\
        <Actual-Loops>1</Actual-Loops><Actual-Total-Time>1.5</Actual-Total-Time><Filter>(b &lt; 4)</Filter></Plan></Plans>\
        </Plan><Execution-Time>3.0</Execution-Time></Query></explain>\n";
    let expected = import_text(Format::Postgres, json).unwrap();
    for form in [yaml, xml] {
        same(&import_text(Format::Postgres, form).unwrap(), &expected);
    }
    let broken = yaml.replace("       - \"t.a\"+\n", "         \"t.a\"+\n");
    assert!(import_text(Format::Postgres, broken).unwrap_err().contains("line 9: expected a field of a plan in YAML"));
}

#[test]
fn logs_of_servers_in_other_formats_give_their_plans() {
    let plan = r#"{"Query Text": "select 1", "Plan": {"Node Type": "Result", "Actual Rows": 1, "Actual Loops": 1}}"#;
    let message = format!("duration: 12.000 ms  plan:\n{plan}");
    for log in [
        // log_destination = jsonlog, csvlog, syslog
        json!({"timestamp": "2026-03-01", "error_severity": "LOG", "message": "ready"}).to_string()
            + "\n"
            + &json!({"timestamp": "2026-03-01", "error_severity": "LOG", "message": message}).to_string(),
        format!("2026-03-01,\"db\",42,\"{}\",,\n", message.replace('"', "\"\"")),
        format!(
            "Mar  1 10:00:01 db postgres[42]: [7-1] LOG:  duration: 12.000 ms  plan:\n\
             Mar  1 10:00:01 db postgres[42]: [7-2] #011{plan}\n"
        ),
    ] {
        let import = import_text(Format::Postgres, &log).unwrap_or_else(|error| panic!("{error}\n{log}"));
        let found: Vec<&str> = import.queries.iter().map(|query| query.description.as_str()).collect();
        assert_eq!(found, ["select 1"], "{log}");
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

/// What psql prints of `EXPLAIN (ANALYZE, BUFFERS)`, and the same plan in JSON.
#[test]
fn postgres_text_is_read_like_the_json() {
    let text = "                          QUERY PLAN\n\
                -----------------------------------------------------------\n \
                Sort  (cost=9.10..9.20 rows=50 width=12) (actual time=2.100..2.250 rows=40 loops=1)\n   \
                Sort Key: o.total\n   \
                Buffers: shared hit=10 read=3\n   \
                ->  Hash Left Join  (cost=2.00..8.00 rows=50 width=12) (actual time=0.400..1.900 rows=40 loops=1)\n         \
                Hash Cond: (o.customer = c.id)\n         \
                ->  Seq Scan on orders o  (cost=0.00..5.00 rows=50 width=8) (actual time=0.010..0.900 rows=40 loops=1)\n               \
                Filter: (total > 5)\n               \
                Rows Removed by Filter: 160\n               \
                Buffers: shared hit=8 read=3\n         \
                ->  Hash  (cost=1.50..1.50 rows=40 width=4) (actual time=0.300..0.300 rows=40 loops=1)\n               \
                ->  Seq Scan on customers c  (cost=0.00..1.50 rows=40 width=4) (actual time=0.010..0.200 rows=40 loops=1)\n \
                Planning Time: 0.200 ms\n \
                Execution Time: 2.500 ms\n\
                (11 rows)\n";
    let node = |name: &str, cost: f64, rows: f64, width: f64, time: f64, actual: f64| {
        json!({
            "Node Type": name, "Startup Cost": 0.0, "Total Cost": cost, "Plan Rows": rows, "Plan Width": width,
            "Actual Startup Time": 0.0, "Actual Total Time": time, "Actual Rows": actual, "Actual Loops": 1.0
        })
    };
    let with = |mut node: serde_json::Value, more: serde_json::Value| {
        node.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        node
    };
    let buffers = |hit: f64, read: f64| json!({ "Shared Hit Blocks": hit, "Shared Read Blocks": read, "Temp Read Blocks": 0.0, "Temp Written Blocks": 0.0 });
    let customers = with(
        node("Seq Scan", 1.5, 40.0, 4.0, 0.2, 40.0),
        json!({ "Relation Name": "customers", "Alias": "c", "Parent Relationship": "Outer" }),
    );
    let hash =
        with(node("Hash", 1.5, 40.0, 4.0, 0.3, 40.0), json!({ "Parent Relationship": "Inner", "Plans": [customers] }));
    let orders = with(
        with(node("Seq Scan", 5.0, 50.0, 8.0, 0.9, 40.0), buffers(8.0, 3.0)),
        json!({
            "Relation Name": "orders", "Alias": "o", "Parent Relationship": "Outer", "Filter": "(total > 5)",
            "Rows Removed by Filter": 160.0
        }),
    );
    let join = with(
        node("Hash Join", 8.0, 50.0, 12.0, 1.9, 40.0),
        json!({
            "Join Type": "Left", "Hash Cond": "(o.customer = c.id)", "Parent Relationship": "Outer", "Plans": [orders, hash]
        }),
    );
    let sort = with(
        with(node("Sort", 9.2, 50.0, 12.0, 2.25, 40.0), buffers(10.0, 3.0)),
        json!({ "Sort Key": ["o.total"], "Plans": [join] }),
    );
    let document = json!([{ "Plan": sort, "Execution Time": 2.5 }]).to_string();
    let expected = import_text(Format::Postgres, document).unwrap();
    let found = import_text(Format::Postgres, text).unwrap();
    same(&found, &expected);
    // By hand: 200 rows of orders are read, 2.5 ms are the statement's.
    let scan = found.queries[0].plan.nodes.iter().find(|node| node.detail.contains("orders")).unwrap();
    assert_eq!(scan.rows_in.map(|rows| rows.value), Some(200.0));
    assert_eq!(found.queries[0].duration_seconds, Some(2.5e-3));
}

#[test]
fn plans_of_other_engines_are_named_whatever_they_are_imported_as() {
    let trino = r#"{"0": {"id": "9", "name": "Output", "descriptor": {}, "outputs": [], "children": []}}"#;
    for format in [Format::Postgres, Format::DuckDb] {
        let problem = import_text(format, trino).unwrap_err();
        assert!(problem.contains("this is a plan of Trino or Presto, which Crossover does not read"), "{problem}");
        assert!(problem.contains("--dialect trino"), "{problem}");
    }
}
