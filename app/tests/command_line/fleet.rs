//! Folders of event logs: what is printed of them, what is written, and what is refused.

mod entered;

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{REGULATION, refusal, run};

/// A real log of three queries in 56.7 s: `plan/samples/spark`.
const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/spark/shop-eventlog.zstd");
/// At this price of today's machines, RAPIDS on two machines is 98 % likely to be cheaper and not slower than they are.
const DEAR: [&str; 2] = ["--price-today", "2"];
/// Two of the clusters that come with the program.
const OTHER_BASE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-truth-a100.ron");

/// The first of them, and DuckDB's.
const SPARK_BASE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-truth-aws-l4.ron");
const DUCKDB_BASE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-truth-gh200.ron");

/// A folder with the log and a file that is none.
fn logs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(LOG, folder.path().join("app-1")).expect("copied");
    fs::write(folder.path().join("README"), "nothing\n").expect("written");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn a_folder_of_logs_becomes_a_list_and_tables() {
    let (folder, out) = (logs(), tempfile::tempdir().expect("a folder"));
    let arguments = [&["fleet", text(folder.path()), "--out", text(out.path())], &DEAR[..]].concat();
    let (code, output, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("app-20261121201933-0000") && output.contains("56.71 s"), "{output}");
    assert!(output.contains("Moving the application saves "), "{output}");
    for sentence in [
        "GPU cluster: RAPIDS 25.12 (L4), 4 × g6.2xlarge. ",
        "Assumed: a core in the logs is as fast as a core of c5d.12xlarge. ",
        // 2.304 $ for 48 vCPUs, and 4 × 0.9776 $.
        "Prices: $0.048 per core-hour, $3.91 per hour of the GPU cluster.",
        "The applications ran from 2026-11-21 ",
        " UTC, less than a day.",
    ] {
        assert!(output.contains(sentence), "{sentence} is not in {output}");
    }
    assert!(
        messages.contains("README: left out: ") && messages.contains("2 read, 0 unchanged; tables written"),
        "{messages}"
    );
    for table in ["applications", "queries", "operators", "left_out"] {
        for format in ["parquet", "csv", "json"] {
            assert!(out.path().join(format!("{table}.{format}")).is_file(), "{table}.{format}");
        }
    }
    let (_, again, messages) = run(&arguments);
    assert_eq!(again, output);
    assert!(messages.contains("0 read, 2 unchanged; tables unchanged"), "{messages}");

    let (code, json, _) = run(&[&arguments[..], &["--format", "json"]].concat());
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (code, json["applications"].as_u64(), json["list"][0]["name"].as_str()),
        (Some(0), Some(1), Some("shop"))
    );
    let (_, csv, _) = run(&[&arguments[..], &["--format", "csv"]].concat());
    assert!(csv.starts_with("application_id,name,user,") && csv.lines().count() == 2, "{csv}");
}

#[test]
fn another_base_answers_anew() {
    let (folder, out) = (logs(), tempfile::tempdir().expect("a folder"));
    let arguments = ["fleet", text(folder.path()), "--out", text(out.path())];
    let (_, first, _) = run(&arguments);
    let (code, second, messages) = run(&[&arguments[..], &["--base", OTHER_BASE]].concat());
    assert!(code == Some(0) && first != second && messages.contains("2 read, 0 unchanged"), "{messages}");
}

#[test]
fn a_plan_of_duckdb_beside_a_log_needs_no_base_of_its_own_and_may_have_one() {
    let (folder, out) = (logs(), tempfile::tempdir().expect("a folder"));
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-1.4-profile.json");
    fs::copy(plan, folder.path().join("q1.json")).expect("copied");
    let arguments = ["fleet", text(folder.path()), "--out", text(out.path())];
    let (code, output, messages) = run(&arguments);
    assert!(code == Some(0) && output.contains("of 2 applications"), "{output}{messages}");
    let table = fs::read_to_string(out.path().join("applications.json")).expect("a table");
    assert!(table.contains("\"engine\":\"DuckDB\"") && table.contains("q1.json"), "{table}");
    let own = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-truth-gh200.ron"));
    let slower = folder.path().with_extension("ron");
    fs::write(&slower, own.expect("a scenario").replace("start_seconds: 0.01161", "start_seconds: 0.5"))
        .expect("written");
    let first = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-truth-aws-l4.ron");
    let (code, _, messages) = run(&[&arguments[..], &["--base", first, "--base", text(&slower)]].concat());
    fs::remove_file(slower).expect("removed");
    assert!(code == Some(0) && messages.contains("1 read, 2 unchanged; tables written"), "{messages}");
}

#[test]
fn shards_are_put_together() {
    let (folder, whole, merged) =
        (logs(), tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (_, expected, _) = run(&["fleet", text(folder.path()), "--out", text(whole.path())]);
    let parts: Vec<tempfile::TempDir> = (0..2).map(|_| tempfile::tempdir().expect("a folder")).collect();
    for (part, shard) in parts.iter().zip(["1/2", "2/2"]) {
        let (code, _, messages) = run(&["fleet", text(folder.path()), "--out", text(part.path()), "--shard", shard]);
        assert_eq!(code, Some(0), "{messages}");
    }
    let paths: Vec<&str> = parts.iter().map(|part| text(part.path())).collect();
    let (code, output, messages) = run(&["fleet", "--merge", paths[0], paths[1], "--out", text(merged.path())]);
    assert_eq!((code, output), (Some(0), expected), "{messages}");
    let file = |out: &Path| fs::read(out.join("queries.parquet")).expect("a table");
    assert!(file(whole.path()) == file(merged.path()));
    let message = refusal(1, &["fleet", "--merge", paths[0], "--out", text(merged.path())]);
    assert!(message.contains("shard 2/2 is missing"), "{message}");
}

#[test]
fn what_is_to_move_has_a_configuration_also_after_a_merge() {
    let (folder, out, merged) =
        (logs(), tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    // GPUs that cost next to nothing.
    let cheap = base(folder.path(), "usd_per_hour: 0.9776", "usd_per_hour: 0.0009776");
    let of_cheap = ["--rapids", "--base", text(&cheap)];
    let arguments = ["fleet", LOG, "--out", text(out.path())];
    let (code, _, messages) = run(&[&arguments[..], &of_cheap].concat());
    assert!(code == Some(0) && messages.contains("for 1 application and 0 queues"), "{messages}");
    let file = |out: &Path| {
        fs::read_to_string(out.join("rapids/applications/app-20261121201933-0000.conf")).expect("a configuration")
    };
    // g6.2xlarge has eight cores and one L4: `assets/instances.ron`.
    assert!(file(out.path()).contains("\nspark.executor.cores=8\n"), "{}", file(out.path()));
    let merge = ["fleet", "--merge", text(out.path()), "--out", text(merged.path())];
    let (code, _, messages) = run(&[&merge[..], &of_cheap].concat());
    assert_eq!((code, file(merged.path())), (Some(0), file(out.path())), "{messages}");
    let (code, _, messages) = run(&[&merge[..], &["--rapids", "--base", OTHER_BASE]].concat());
    assert!(code == Some(1) && messages.contains("give the same --base"), "{messages}");
    let message = refusal(2, &[&merge[..], &["--base", OTHER_BASE]].concat());
    assert!(message.contains("only with --rapids"), "{message}");
}

#[test]
fn what_is_no_fleet_is_refused() {
    let (folder, out) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let out = text(out.path());
    let message = refusal(1, &["fleet", text(folder.path()), "--out", out]);
    assert!(message.contains("no event log in"), "{message}");
    let new = tempfile::tempdir().expect("a folder");
    let message = refusal(1, &["fleet", "/no/such/folder", "--out", text(new.path())]);
    assert!(message.contains("nothing is written; /no/such/folder: "), "{message}");
    let message = refusal(1, &["fleet", LOG, "--out", out, "--base", REGULATION]);
    assert!(message.contains("only placement scenarios have engines"), "{message}");
    let message = refusal(2, &["fleet", LOG, "--out", out, "--shard", "3/2"]);
    assert!(message.contains("is not of the form I/N"), "{message}");
    let message = refusal(2, &["fleet", "hdfs://name/logs", "--out", out]);
    assert!(message.contains("hdfs:// is not supported") && message.contains("s3://BUCKET/PREFIX"), "{message}");
    let message = refusal(2, &["fleet", LOG, "http://me:secret@history:18080", "--out", out]);
    assert!(message.contains("CROSSOVER_HISTORY_AUTHORIZATION") && !message.contains("secret"), "{message}");
    let message = refusal(2, &["fleet", LOG, "--out", out, "--format", "ron"]);
    assert!(message.contains("[possible values: table, json, csv, markdown, html]"), "{message}");
    for threads in ["0", "1001", "two"] {
        let message = refusal(2, &["fleet", LOG, "--out", out, "--threads", threads]);
        assert!(message.contains("allowed: 1 … 1,000, whole"), "{message}");
    }
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
    let message = refusal(1, &["fleet", LOG, "--out", out, "--base", readme]);
    assert!(message.contains("not a scenario; expected a placement scenario with engines, such as"), "{message}");
    let message = refusal(2, &["fleet", LOG, "--out", readme]);
    assert!(message.contains("README.md: this is a file; name a folder"), "{message}");
}

/// DuckDB on CPUs says nothing of Spark there.
#[test]
fn a_log_is_answered_by_a_base_of_its_engine_whichever_is_named_first() {
    let (folder, out) = (logs(), tempfile::tempdir().expect("a folder"));
    let arguments = ["fleet", text(folder.path()), "--out", text(out.path())];
    let message = refusal(1, &[&arguments[..], &["--base", DUCKDB_BASE]].concat());
    let left_out = "app-1: left out: a log of Spark 4.3.0, but no base has this engine on CPUs";
    assert!(message.contains(left_out), "{message}");
    assert!(message.contains("1 log or plan is of an engine without a base"), "{message}");
    let (_, expected, _) = run(&arguments);
    let (code, output, messages) = run(&[&arguments[..], &["--base", DUCKDB_BASE, "--base", SPARK_BASE]].concat());
    assert_eq!((code, output), (Some(0), expected), "{messages}");
}

#[test]
fn a_path_that_cannot_be_read_costs_the_others_nothing_but_the_exit_status() {
    let (folder, out) = (logs(), tempfile::tempdir().expect("a folder"));
    let arguments = ["fleet", "/no/such/folder", text(folder.path()), "--out", text(out.path())];
    let (code, output, messages) = run(&[&arguments[..], &DEAR].concat());
    assert!(code == Some(1) && output.contains("Moving the application saves "), "{output}{messages}");
    assert!(messages.contains("not all paths can be read: /no/such/folder: "), "{messages}");
}

#[test]
fn a_base_without_errors_recommends_nothing_of_its_own() {
    let (folder, out) = (logs(), tempfile::tempdir().expect("a folder"));
    let (code, output, messages) =
        run(&["fleet", text(folder.path()), "--out", text(out.path()), "--base", OTHER_BASE]);
    assert_eq!(code, Some(0), "{messages}");
    // Gluten and Comet have errors; the GPU cluster of the base has none, so it is not recommended.
    assert!(!output.contains("  RAPIDS"), "{output}");
    assert!(output.contains("No costs: this base has no prices."), "{output}");
    let queries = fs::read_to_string(out.path().join("queries.json")).expect("a table");
    let queries: Vec<serde_json::Value> = serde_json::from_str(&queries).expect("JSON");
    let predicted: Vec<_> = queries.iter().filter(|query| query["gpu_seconds"].is_number()).collect();
    assert!(!predicted.is_empty());
    for query in predicted {
        assert!(query["gpu_faster"].is_null() && query["gpu_seconds_high"].is_null(), "{query}");
    }
}

#[test]
fn only_applications_of_spark_are_put_together() {
    let (folder, out) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-1.4-profile.json");
    fs::copy(plan, folder.path().join("q1.json")).expect("copied");
    let file = folder.path().join("moving.ron");
    let message =
        refusal(1, &["fleet", text(folder.path()), "--out", text(out.path()), "--scenario", text(&file), "--rapids"]);
    assert!(message.contains("--scenario: only Spark applications can be combined"), "{message}");
    assert!(message.contains("--rapids: no Spark application is to move"), "{message}");
    assert!(!file.exists() && !out.path().join("rapids").exists());
}

#[test]
fn results_are_opened_by_their_folder_and_printed_where_there_is_no_display() {
    let (folder, out) = (logs(), tempfile::tempdir().expect("a folder"));
    let (_, expected, _) = run(&["fleet", text(folder.path()), "--out", text(out.path())]);
    let (code, output, messages) = run(&[text(out.path())]);
    assert_eq!((code, output), (Some(0), expected), "{messages}");
    let message = refusal(1, &["screenshot", "--page", "fleet", "--results", text(folder.path()), "--out", "none.png"]);
    assert!(message.contains("no results of `crossover fleet` here"), "{message}");
}

/// The base that comes with the program, with something else in it.
fn base(folder: &Path, what: &str, instead: &str) -> std::path::PathBuf {
    let text = include_str!("../../../scenarios/placement-truth-aws-l4.ron");
    let other = text.replace(what, instead);
    assert_ne!(other, text);
    let path = folder.join("ours.ron");
    fs::write(&path, other).expect("written");
    path
}

#[test]
fn what_is_to_move_is_one_scenario_whose_cluster_is_searched() {
    let (folder, out) = (logs(), tempfile::tempdir().expect("a folder"));
    let five = base(folder.path(), "machines: 4, lanes: 1.0", "machines: 5, lanes: 1.0");
    let file = folder.path().join("moving.ron");
    let arguments = ["fleet", text(folder.path()), "--out", text(out.path()), "--base", text(&five)];
    let (code, _, messages) = run(&[&arguments[..], &DEAR, &["--scenario", text(&file)]].concat());
    assert_eq!(code, Some(0), "{messages}");
    let line =
        messages.lines().find_map(|line| line.split_once("find its cluster with: crossover ")).expect(&messages).1;
    let words = line.replace('\'', "");
    // The limit is the only one with a space in it.
    let words = words.replace(" s --minimise", "s --minimise");
    let (code, found, problem) = run(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(code, Some(0), "{problem}");
    assert!(found.contains("engines.gpu.machines") && found.contains("g6."), "{found}");

    // The results keep their engines, so that a merge needs no base to say the same.
    let (merged, again) = (tempfile::tempdir().expect("a folder"), folder.path().join("again.ron"));
    let arguments = ["fleet", text(out.path()), "--merge", "--out", text(merged.path()), "--scenario", text(&again)];
    let (code, _, messages) = run(&[&arguments[..], &DEAR].concat());
    assert_eq!(code, Some(0), "{messages}");
    let study = |path: &Path| {
        let text = fs::read_to_string(path).expect("written");
        text[text.find("study:").expect("a study")..].to_owned()
    };
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    assert_eq!(study(&file).replace(&name(out.path()), ""), study(&again).replace(&name(merged.path()), ""));
}

/// A folder with the log and a plan of DuckDB: two applications.
fn log_and_plan() -> tempfile::TempDir {
    let folder = logs();
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-1.4-profile.json");
    fs::copy(plan, folder.path().join("q1.json")).expect("copied");
    folder
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number instead of {value}"))
}

#[test]
fn costs_per_month_are_the_sum_of_the_applications() {
    let (folder, out) = (log_and_plan(), tempfile::tempdir().expect("a folder"));
    let arguments = ["fleet", text(folder.path()), "--out", text(out.path()), "--format", "json"];
    let json = |more: &[&str]| -> Value {
        let (code, output, messages) = run(&[&arguments[..], &DEAR, more].concat());
        assert_eq!(code, Some(0), "{messages}");
        serde_json::from_str(&output).expect("JSON")
    };
    let monthly = json(&["--runs-per-month", "30"]);
    assert_eq!((monthly["costs_per"].as_str(), monthly["runs_per_month"].as_f64()), (Some("month"), Some(30.0)));
    // The window begins with them.
    let entered = || crossover_fleet::entered::of(out.path()).runs_per_month;
    assert_eq!(entered(), Some(30.0));
    let list = monthly["list"].as_array().expect("a list");
    for (sum, column) in [
        ("today_usd", "today_usd"),
        ("recommended_usd", "recommended_usd"),
        ("expected_saving_usd", "expected_saving_usd"),
    ] {
        let rows: f64 = list.iter().filter_map(|one| one[column].as_f64()).sum();
        let found = number(&monthly["costs"][sum]);
        assert!(found != 0.0 && (found - rows).abs() <= 1e-12 * found.abs(), "{sum}: {found}, {rows}");
    }
    // A log of a minute is no history of a month: the same of one run.
    let once = json(&[]);
    assert_eq!((once["costs_per"].as_str(), once["runs_per_month"].as_f64(), entered()), (Some("run"), None, None));
    let (all, one) = (number(&monthly["costs"]["today_usd"]), number(&once["costs"]["today_usd"]));
    assert!((all - 30.0 * one).abs() <= 1e-9 * all, "{all}, {one}");
    for application in list {
        let moves = application["verdict"] == "move";
        assert_eq!(application["why_not"].as_str().expect("a text").is_empty(), moves, "{application}");
        // The engines of DuckDB have no prices.
        let has_saving = moves && application["today_usd"].is_number();
        assert_eq!(application["expected_saving_usd"].is_number(), has_saving, "{application}");
    }
}

#[test]
fn the_page_has_the_verdicts_of_the_json_and_is_well_formed() {
    let (folder, out) = (log_and_plan(), tempfile::tempdir().expect("a folder"));
    let arguments = ["fleet", text(folder.path()), "--out", text(out.path()), "--max-gpu-machines", "0"];
    let (code, json, messages) = run(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(code, Some(0), "{messages}");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let (code, page, messages) = run(&[&arguments[..], &["--format", "html"]].concat());
    assert_eq!(code, Some(0), "{messages}");
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let page = roxmltree::Document::parse_with_options(&page, options).expect("well-formed");
    let named = |node: &roxmltree::Node<'_, '_>, name: &str| node.tag_name().name() == name;
    let table = page.descendants().find(|node| node.attribute("class") == Some("sortable")).expect("the applications");
    let rows = table.descendants().filter(|node| named(node, "tr")).map(|row| {
        let cells = row.children().filter(|node| named(node, "td") || named(node, "th"));
        cells.map(|cell| cell.text().unwrap_or_default()).collect::<Vec<&str>>()
    });
    let rows: Vec<Vec<&str>> = rows.collect();
    let column = |title: &str| rows[0].iter().position(|cell| *cell == title).expect("a column");
    let mut found: Vec<&str> = rows[1..].iter().map(|row| row[column("verdict")]).collect();
    let list = json["list"].as_array().expect("a list");
    let mut expected: Vec<&str> = list.iter().map(|one| one["verdict"].as_str().expect("a verdict")).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let shop = rows.iter().find(|row| row[column("application")] == "shop").expect("the log");
    let of_json = list.iter().find(|one| one["name"] == "shop").expect("the log");
    assert_eq!(Some(shop[column("verdict")]), of_json["verdict"].as_str());
    // Without GPU machines only options on today's machines are left.
    let portfolio = &json["portfolio"];
    assert_eq!((portfolio["max_gpu_machines"].as_f64(), portfolio["used"].as_f64()), (Some(0.0), Some(0.0)));
    let loads = ["src", "href"];
    assert!(page.descendants().all(|node| node.attributes().all(|attribute| !loads.contains(&attribute.name()))));
}
