//! Damaged, cut, strange and hostile logs.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Write as _};

use crossover_plan::remarks::warnings;
use crossover_query::Kind;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::synthetic::{Synthetic, Task, node};
use super::{folder, import, problem, read, write};

/// A log of one query with one task.
fn log() -> Synthetic {
    let mut log = Synthetic::begin();
    log.query(0, &node("Scan parquet ", &[("number of output rows", 10, "sum")], &[]));
    log.job(0, 0, &[0]);
    log.submit(0, 0, 1);
    log.task(Task { updates: &[(10, 7)], ..Task::default() });
    log.end(0);
    log.close();
    log
}

#[test]
fn an_empty_file_is_refused() {
    assert!(problem("").contains("the file is empty; expected a Spark event log"));
    assert!(problem("\n\n \n").contains("the file has no Spark event"));
}

#[test]
fn a_binary_file_is_refused() {
    let noise: Vec<u8> =
        (0..200_000_u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect();
    let error = problem(noise);
    assert!(error.contains("expected a Spark event log"), "{error}");
}

#[test]
fn json_that_is_no_event_log_is_refused() {
    for text in ["{\"Plan\": {\"Node Type\": \"Seq Scan\"}}", "[1, 2, 3]", "{\"Event\":\"click\",\"x\":1}\n"] {
        let error = problem(text);
        assert!(error.contains("the file has no Spark event"), "{error}");
    }
}

/// What Trino's web interface offers as the JSON of a query, in one line and in many, and plans of Presto, Flink and Hive.
#[test]
fn a_file_of_another_engine_is_named_with_what_to_import_instead() {
    let query = serde_json::json!({
        "queryId": "20240101_a", "queryStats": { "elapsedTime": "1.00s" }, "lines": vec![0; 1_000]
    });
    let pretty = serde_json::to_string_pretty(&query).expect("JSON");
    for (text, what) in [
        (query.to_string(), "the query info of Trino or Presto"),
        (pretty, "the query info of Trino or Presto"),
        ("Fragment 1 [HASH]\n    Output layout: [count]\n".to_owned(), "a plan of Trino or Presto"),
        ("== Abstract Syntax Tree ==\nA\n== Optimized Physical Plan ==\nB\n".to_owned(), "a plan of Flink"),
        ("STAGE DEPENDENCIES:\n  Stage-1 is a root stage\n".to_owned(), "a plan of Hive"),
    ] {
        let error = problem(text);
        assert!(error.contains(what) && error.contains("import its SQL"), "{error}");
    }
}

#[test]
fn a_long_file_without_events_is_refused_at_its_beginning() {
    let error = problem("SELECT 1;\n".repeat(1_000));
    assert!(error.contains("none of the first 100 lines is an event"), "{error}");
}

#[test]
fn a_malformed_line_is_left_out_and_counted() {
    let good = log().0;
    let lines: Vec<&str> = good.lines().collect();
    let mut bad = lines.clone();
    bad.insert(3, "{\"Event\":\"SparkListenerTaskEnd\",_\"Stage ID\":0}");
    bad.insert(5, "garbage");
    let import = import(bad.join("\n"));
    assert_eq!(import.skipped_lines, 2);
    assert_eq!(import.warnings, ["2 lines are not events and were left out: the first is line 4 of log"]);
    assert_eq!(import.queries[0].plan.nodes[0].metric("number of output rows"), Some(7.0));
}

#[test]
fn a_log_that_is_cut_in_its_last_line_is_read_up_to_there() {
    let mut log = log().0;
    let start = log.rfind("{\"Event\"").expect("there are events");
    log.truncate(start + 30);
    let import = import(log);
    assert_eq!(import.skipped_lines, 1);
    assert!(import.is_truncated);
    assert!(import.warnings[0].starts_with("log is truncated in line"), "{:?}", import.warnings);
    assert_eq!(import.warnings.iter().filter(|note| note.contains("line")).count(), 1, "{:?}", import.warnings);
    assert_eq!(import.queries[0].duration_seconds, Some(2.0));
}

#[test]
fn a_compressed_log_that_is_cut_is_read_up_to_there() {
    let mut log = Synthetic::begin();
    log.query(0, &node("Scan parquet ", &[], &[]));
    // Enough that the first blocks are complete, and of changing content.
    for index in 0..2_000_i64 {
        log.task(Task { index: index.unsigned_abs(), updates: &[(index * 7919 % 10_007, index)], ..Task::default() });
    }
    let compressed = zstd::encode_all(log.0.as_bytes(), 1).expect("memory takes everything");
    let import = import(&compressed[..compressed.len() - 20]);
    assert_eq!(import.queries.len(), 1);
    assert_eq!(import.warnings.iter().filter(|note| note.contains("line")).count(), 1, "{:?}", import.warnings);
    assert!(import.warnings[0].contains("is truncated"), "{:?}", import.warnings);
}

#[test]
fn a_compressed_log_that_is_damaged_is_refused() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(log().0.as_bytes()).expect("memory takes everything");
    let mut compressed = encoder.finish().expect("memory takes everything");
    // The last eight bytes are a checksum and the length.
    let checksum = compressed.len() - 8;
    compressed[checksum] ^= 0xff;
    let error = problem(compressed);
    assert!(error.contains("its compression is damaged after line"), "{error}");
}

#[test]
fn a_query_without_end_has_no_duration() {
    let mut log = Synthetic::begin();
    log.query(4, &node("Scan parquet ", &[], &[]));
    let import = import(log.0);
    assert_eq!(import.queries[0].duration_seconds, None);
    assert_eq!(import.warnings, ["the end of the application is not in the log"]);
    assert_eq!(import.queries[0].warnings, ["the end of query 4 is not in the log"]);
}

#[test]
fn a_failed_query_says_why() {
    let mut log = Synthetic::begin();
    log.query(0, &node("Scan parquet ", &[], &[]));
    log.sql("SQLExecutionEnd", &json!({ "executionId": 0, "time": 11_000, "errorMessage": "out of memory\nat X" }));
    // Before Spark 3.2 only the job says so.
    log.query(1, &node("Scan parquet ", &[], &[]));
    log.job(7, 1, &[]);
    let result = json!({ "Result": "JobFailed", "Exception": { "Message": "task lost" } });
    log.event("SparkListenerJobEnd", &json!({ "Job ID": 7, "Completion Time": 1, "Job Result": result }));
    log.sql("SQLExecutionEnd", &json!({ "executionId": 1, "time": 11_001 }));
    log.close();
    let import = import(log.0);
    assert_eq!(import.queries[0].failure.as_deref(), Some("out of memory\nat X"));
    assert_eq!(import.queries[1].failure.as_deref(), Some("task lost"));
    assert_eq!(import.queries[0].warnings, ["query 0 failed: out of memory"]);
    assert_eq!(import.queries[1].warnings, ["query 1 failed: task lost"]);
    assert_eq!(
        warnings(&import, None),
        ["query 0 failed: out of memory", "query 1 failed: task lost"],
        "the list of all queries has those of each"
    );
}

#[test]
fn a_log_of_two_applications_is_refused() {
    let mut log = log();
    log.application("app-2");
    let error = problem(log.0);
    assert!(error.contains("app-1 (test) and then app-2 (test)"), "{error}");
}

#[test]
fn a_log_without_sql_has_no_queries_and_says_so() {
    let mut log = Synthetic::begin();
    log.close();
    let import = import(log.0);
    assert!(import.queries.is_empty());
    assert_eq!(import.warnings, ["no SQL was executed in this application, so there is no plan in its log"]);
}

#[test]
fn a_query_without_plan_is_left_out_and_named() {
    let mut log = log();
    log.sql("SQLExecutionStart", &json!({ "executionId": 3, "description": "", "time": 1 }));
    let import = import(log.0);
    assert_eq!(import.queries.len(), 1);
    assert!(import.warnings.iter().any(|note| note.starts_with("query 3 cannot be used")), "{:?}", import.warnings);
}

#[test]
fn a_query_of_wrappers_only_has_rows_that_are_there_already() {
    let mut log = log();
    log.query(1, &node("WholeStageCodegen (1)", &[], &[node("InputAdapter", &[], &[])]));
    let import = import(log.0);
    let kinds: Vec<Kind> = import.queries[1].plan.nodes.iter().map(|node| node.kind).collect();
    assert_eq!(kinds, [Kind::Wrapper, Kind::Values]);
}

#[test]
fn fields_in_another_order_and_spaces_do_no_harm() {
    let good = log().0;
    let anew: Vec<String> = good
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("our own lines are JSON");
            format!("  {}\r", value.to_string().replace("\":", "\" : "))
        })
        .collect();
    let mut anew = import(anew.join("\n"));
    anew.file.clear();
    let mut plain = import(good);
    plain.file.clear();
    assert_eq!(anew, plain);
}

#[test]
fn a_plan_as_deep_as_a_text_can_be_is_read() {
    const DEPTH: usize = 50_000;
    let open = "{\"nodeName\":\"Union\",\"simpleString\":\"\",\"children\":[".repeat(DEPTH);
    let leaf = "{\"nodeName\":\"Range\",\"simpleString\":\"\",\"children\":[],\"metadata\":{},\"metrics\":[]}";
    let close = "],\"metadata\":{},\"metrics\":[]}".repeat(DEPTH);
    let mut log = Synthetic::begin();
    log.0 +=
        "{\"Event\":\"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart\",\"executionId\":0,\"time\":1,";
    log.0 += &format!("\"sparkPlanInfo\":{open}{leaf}{close}}}\n");
    let import = import(log.0);
    assert_eq!(import.queries.len(), 1, "{:?}", import.warnings);
    let nodes = &import.queries[0].plan.nodes;
    assert_eq!((nodes.len(), import.skipped_lines), (DEPTH + 1, 0));
    assert_eq!(nodes[DEPTH].name, "Range");
    assert_eq!(nodes[0].inputs, [1]);
}

#[test]
fn brackets_without_end_do_no_harm() {
    let mut log = log();
    let deep = "[".repeat(1_000_000);
    log.0 += &format!("{{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":{deep}}}\n");
    log.0 += &format!("{{\"Event\":\"SparkListenerTaskEnd\",\"Unknown\":{deep}}}\n");
    log.0 += &format!("{{\"Event\":\"SparkListenerTaskEnd\",\"Task Info\":{{\"Accumulables\":{deep}}}\n");
    assert_eq!(import(log.0).skipped_lines, 3);
}

#[test]
fn bytes_that_json_does_not_know_do_no_harm() {
    let task = |field: &str| {
        let fields = "\"Stage ID\":0,\"Task End Reason\":{\"Reason\":\"Success\"},\"Task Info\":{\"Index\":0}";
        format!("{{\"Event\":\"SparkListenerTaskEnd\",{fields},{field}}}\n")
    };
    for strange in ["\u{c}", "\u{0}", "\u{b}", "\u{7f}", "\u{a0}", "\u{feff}", "'", "\\"] {
        // Between tokens it makes the line invalid; within an unused value it is harmless.
        let mut log = log();
        log.0 += &task(&format!("{strange}\"x\":1"));
        log.0 += &task(&format!("\"x\"{strange}:1"));
        assert_eq!(import(log.0).skipped_lines, 2, "{strange:?}");
        let mut log = self::log();
        log.0 += &task(&format!("\"x\":[1{strange},{strange}2]"));
        assert!(import(log.0).skipped_lines <= 1, "{strange:?}");
    }
    let mut log = log();
    log.0 += &task("\"x\":1");
    assert_eq!(import(log.0).skipped_lines, 0);
}

#[test]
fn impossible_numbers_do_no_harm() {
    let mut log = log();
    let scan = node("Scan parquet ", &[("number of output rows", 20, "sum"), ("data size", 21, "size")], &[]);
    log.query(1, &scan);
    log.submit(5, 0, 2);
    log.task(Task { stage: 5, index: 0, updates: &[(20, i64::MAX), (21, i64::MIN)], ..Task::default() });
    log.task(Task { stage: 5, index: u64::MAX, updates: &[(20, i64::MAX)], ..Task::default() });
    log.0 += "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":-1,\"Task End Reason\":{\"Reason\":\"Success\"}}\n";
    let import = import(log.0);
    assert_eq!(import.skipped_lines, 1);
    for query in &import.queries {
        crossover_query::validate::validate(&query.plan, "plan").expect("only usable plans are imported");
    }
}

#[test]
fn times_that_no_calendar_has_are_none() {
    let mut log = Synthetic::default();
    let start =
        json!({ "App Name": "test", "App ID": "app-1", "Timestamp": 9_000_000_000_000_000_000_u64, "User": "u" });
    log.event("SparkListenerApplicationStart", &start);
    log.query(0, &node("Scan parquet ", &[("number of output rows", 10, "sum")], &[]));
    log.sql("SQLExecutionEnd", &json!({ "executionId": 0, "time": u64::MAX, "errorMessage": "" }));
    log.event("SparkListenerApplicationEnd", &json!({ "Timestamp": 15_000 }));
    let import = import(log.0);
    assert_eq!((import.run.start_ms, import.run.end_ms), (None, Some(15_000)));
    assert_eq!(import.queries[0].duration_seconds, None);
}

#[test]
fn a_line_longer_than_can_be_held_is_passed_over() {
    let good = log().0;
    let (head, tail) = good.split_at(good.find('\n').map_or(0, |end| end + 1));
    let folder = folder();
    let path = folder.path().join("log.zstd");
    let file = File::create(&path).expect("the file is made");
    let mut encoder = zstd::Encoder::new(BufWriter::new(file), 1).expect("zstd is there").auto_finish();
    encoder.write_all(head.as_bytes()).expect("the disk has room");
    encoder.write_all(b"{\"Event\":\"SparkListenerTaskEnd\",\"x\":\"").expect("the disk has room");
    io::copy(&mut io::repeat(b'x').take(1_000_000_000), &mut encoder).expect("the disk has room");
    encoder.write_all(b"\"}\n").expect("the disk has room");
    encoder.write_all(tail.as_bytes()).expect("the disk has room");
    drop(encoder);
    let import = read(&path).expect("the log is read");
    assert_eq!(import.skipped_lines, 1);
    assert_eq!(import.warnings, ["1 line is not an event and was left out: line 2 of log.zstd"]);
    assert_eq!(import.queries[0].plan.nodes[0].metric("number of output rows"), Some(7.0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_without_end_is_refused() {
    let error = read(std::path::Path::new("/dev/zero")).expect_err("there is no event").to_string();
    assert!(error.contains("without an event before it"), "{error}");
}

#[test]
fn a_file_that_is_one_long_line_is_refused() {
    let folder = folder();
    let path = write(folder.path(), "log", vec![b'x'; 70 * 1024 * 1024]);
    let error = read(&path).expect_err("there is no event").to_string();
    assert!(error.contains("line 1 has more than 64 MiB, without an event before it"), "{error}");
}
