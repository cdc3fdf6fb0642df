//! Wrong usage of `crossover decide`, and logs that are none or end early.

use std::fs;

use serde_json::Value;

use super::super::{PUBLISHED, REGULATION, refusal, result};
use super::{LOG, decided_one, list, number, text};

/// A plan of an engine that nothing was measured against.
const POSTGRES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/postgres-join.json");

#[test]
fn wrong_usage_says_what_is_right() {
    for (arguments, expected) in [
        (&["decide"][..], "<LOG>"),
        (&["decide", LOG, "--on", "0xg6.2xlarge"], "--on 0xg6.2xlarge: expected a number of machines and their type"),
        (&["decide", LOG, "--on", "g6.2xlarge"], "--on g6.2xlarge: expected a number of machines and their type"),
        (&["decide", LOG, "--on", "4xg6.2xlarge@free"], "such as 4xg6.2xlarge or 4xg6.2xlarge@0.40"),
        (&["decide", LOG, "--on", "4xg6.2xlarg"], "no machine “g6.2xlarg”, did you mean “g6.2xlarge”?"),
        (&["decide", LOG, "--within", "0"], "'--within <LIMIT>': expected a factor above 0"),
        (&["decide", LOG, "--budget", "0"], "'--budget <USD>': expected a number above 0"),
        (&["decide", LOG, "--budget", "1"], "--budget: only with --least time"),
        (&["decide", LOG, "--least", "time", "--within", "2x"], "--within: only with --least cost"),
        (&["decide", LOG, "--least", "pareto-front", "--within", "2x"], "--within: only with --least cost"),
        (&["decide", LOG, "--least", "pareto-front", "--budget", "1"], "--budget: only with --least time"),
        (&["decide", LOG, "--price-today", "1e308"], "up to 1,000,000,000"),
        (&["decide", LOG, "--price-today", "EUR0.2"], "expected a price in US dollars"),
        (&["decide", LOG, "--price-today", "0.2/gpu"], "--price-today: it has no GPU"),
        (&["decide", LOG, "--price-today", "0.2:cheap"], "on-demand, spot, reserved, own or a date"),
        (&["decide", LOG, "--runs-per-month", "40..20"], "expected the smaller number first"),
        (&["decide", LOG, "--price-today", "free"], "'--price-today <USD>': expected a number above 0"),
        (&["decide", LOG, "--runs-per-month", "nan"], "'--runs-per-month <COUNT>': expected a number above 0"),
        (&["decide", LOG, "--least", "money"], "possible values: cost, time, pareto-front"),
        (&["decide", LOG, "--date", "yesterday"], "'--date <DATE>'"),
        (&["decide", LOG, "--format", "csv"], "possible values: table, json, markdown, html"),
    ] {
        let message = refusal(2, arguments);
        assert!(message.contains(expected) && message.contains("--help"), "{arguments:?}: {message}");
    }
}

#[test]
fn what_cannot_be_decided_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = |name: &str, contents: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, contents).expect("written");
        text(&path).to_owned()
    };
    let [empty, other] = [written("empty", b""), written("notes.txt", b"nothing of interest\n")];
    // It ends within its first block.
    let log = fs::read(LOG).expect("the log");
    let short = written("short.zstd", &log[..200]);
    let (empty, other, short) = (empty.as_str(), other.as_str(), short.as_str());
    for (arguments, expected) in [
        (&["decide", LOG, "--query", "66"][..], "--query: unknown query “66”, did you mean “6”?; queries: 0, 1"),
        (&["decide", "nowhere/a.log"], "cannot read nowhere/a.log: "),
        (&["decide", PUBLISHED], "placement-published.ron: its format is unknown; expected one of: Spark event log"),
        (&["decide", empty], "empty: the file is empty; expected one of: Spark event log"),
        (&["decide", other], "notes.txt: its format is unknown; expected one of: Spark event log"),
        (&["decide", short], "short.zstd: the compressed file ends before its first event: it is truncated"),
        (&["decide", POSTGRES], "postgres-join.json: no base has the CPU engine PostgreSQL; name one with --base"),
        (&["decide", LOG, "--base", "nowhere.ron"], "cannot read nowhere.ron: "),
        (&["decide", LOG, "--base", REGULATION], "only placement scenarios have engines"),
        // One file that cannot be read is said before anything is printed of the others.
        (&["decide", LOG, "nowhere/a.log"], "cannot read nowhere/a.log: "),
    ] {
        let message = refusal(1, arguments);
        assert!(message.starts_with("crossover: ") && message.contains(expected), "{arguments:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{arguments:?}: {message}");
    }
}

/// A copy of which the end is missing still has the queries before it.
#[test]
fn a_log_that_is_cut_off_is_decided_as_far_as_it_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cut.zstd");
    let log = fs::read(LOG).expect("the log");
    fs::write(&path, &log[..10_000]).expect("written");
    let cut = decided_one(&[text(&path)]);
    let warnings: Vec<&str> = list(&cut["warnings"]).iter().filter_map(Value::as_str).collect();
    assert!(warnings.iter().any(|warning| warning.contains("cut.zstd is truncated")), "{warnings:?}");
    let queries = list(&cut["queries"]);
    assert!((2..9).contains(&queries.len()), "{}", queries.len());
    let (last, before) = queries.split_last().expect("queries");
    assert!(last["decision"].is_null() && last["blocked_by"] == "truncated log", "{last}");
    assert!(before.iter().all(|query| query["decision"].is_object()), "{before:?}");
    let whole = decided_one(&[LOG]);
    assert!(number(&cut["decision"]["baseline"]["time"]["median_seconds"]) < 56.7);
    // What is there is as in the whole log.
    assert_eq!(before[0]["decision"]["baseline"]["time"], whole["queries"][0]["decision"]["baseline"]["time"]);
    assert!(result(&["decide", text(&path)]).contains("cut.zstd is truncated"));
}
