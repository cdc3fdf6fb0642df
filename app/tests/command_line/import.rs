//! Query plans of other programs: what is printed of them, the scenario of one, and what is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use crossover_needs::test_data;
use serde_json::Value;

use super::{PUBLISHED, REGULATION, refusal, result};

/// Samples of our own.
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples");

fn sample(name: &str) -> String {
    format!("{SAMPLES}/{name}")
}

fn json(kind: &str, path: &str, more: &[&str]) -> Value {
    let arguments = [&["import", kind, path, "--format", "json"], more].concat();
    serde_json::from_str(&done(&arguments)).expect("JSON")
}

/// The result of a run that succeeds; beside it, it says at most what file it wrote.
fn done(arguments: &[&str]) -> String {
    let (code, output, messages) = super::run(arguments);
    let is_written = |line: &str| line.ends_with(": written") || line.ends_with(": replaced");
    assert!(code == Some(0) && messages.lines().all(is_written), "{arguments:?}: {messages}");
    output
}

/// Fields of a CSV line whose quotes hold no quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            c => fields.last_mut().expect("one").push(c),
        }
    }
    fields
}

/// Totals that other programs worked out of the same logs.
#[test]
fn json_of_a_spark_log_has_every_node_with_its_totals() {
    let Some(folder) = test_data("eventlogs") else { return };
    for (log, expected) in [
        ("dsAndDf_eventlog.zstd", "dsAndDf"),
        ("truncated_eventlog", "truncated"),
        ("emr_join_agg_attempt_4_eventlog.zstd", "emr_join_agg_attempt_4"),
        ("aqeshuffle_eventlog.zstd", "aqeshuffle"),
        ("spark2-eventlog.zstd", "spark2"),
    ] {
        let document = json("spark-log", folder.join(log).to_str().expect("UTF-8"), &[]);
        assert!(document["skipped_lines"].is_u64(), "{log}");
        let queries = document["queries"].as_array().expect("queries");
        let text = std::fs::read_to_string(folder.join(format!("expected/{expected}.metrics.csv"))).expect("expected");
        let mut stages: BTreeMap<(i64, usize), BTreeSet<u64>> = BTreeMap::new();
        for line in text.lines().skip(1) {
            let row = fields(line);
            let place = format!("{log}: {line}");
            let (id, node): (i64, usize) = (row[0].parse().expect("an id"), row[1].parse().expect("a node"));
            let query = queries.iter().find(|query| query["id"] == id).unwrap_or_else(|| panic!("{place}"));
            let found = &query["nodes"][node];
            assert_eq!(found["id"], node, "{place}");
            assert_eq!(found["name"].as_str().expect("a name").trim_end(), row[4].trim_end(), "{place}");
            let of_node = stages.entry((id, node)).or_default();
            if row[5].is_empty() {
                continue;
            }
            let total = found["metrics"].get(&row[5]).unwrap_or_else(|| panic!("{place}: no such metric in {found}"));
            // Written as text, so that a decimal point would show.
            let shown = if total.is_null() { String::new() } else { total.to_string() };
            assert_eq!(shown, row[8], "{place}");
            of_node.extend(row[9].split(';').filter_map(|stage| stage.parse::<u64>().ok()));
        }
        for ((id, node), stages) in stages {
            let query = queries.iter().find(|query| query["id"] == id).expect("the query");
            let found = &query["nodes"][node]["stages"];
            let found: BTreeSet<u64> =
                found.as_array().expect("stages").iter().map(|stage| stage.as_u64().expect("a stage")).collect();
            assert_eq!(found, stages, "{log}: query {id}, node {node}");
        }
    }
}

#[test]
fn json_has_the_fields_that_programs_rely_on() {
    let document = json("spark-log", &sample("spark/shop-eventlog.zstd"), &[]);
    for field in ["queries", "skipped_lines", "engine", "file", "cluster", "warnings"] {
        assert!(document.get(field).is_some(), "{field}");
    }
    let queries = document["queries"].as_array().expect("queries");
    assert!(!queries.is_empty());
    let mut placed = BTreeSet::new();
    for query in queries {
        assert!(
            query["id"].is_i64() && query["description"].is_string() && query["duration_seconds"].is_f64(),
            "{query}"
        );
        for (index, node) in query["nodes"].as_array().expect("nodes").iter().enumerate() {
            assert_eq!(node["id"], index);
            assert!(node["name"].is_string() && node["kind"].is_string(), "{node}");
            assert!(node["stages"].is_array() && node["metrics"].is_object(), "{node}");
            for field in ["rows_in", "rows_out", "bytes_out"] {
                let is_guess = node["estimates"].get(field).is_some();
                assert_eq!(node[field].is_null(), is_guess, "{field}: a number or an estimate: {node}");
                assert_eq!(node["origins"].get(field).is_none(), is_guess, "{field}: {node}");
                assert!(is_guess || node[field].is_number(), "{field}: {node}");
            }
            let is_wrapper = node["kind"] == "wrapper" || !node["reuses"].is_null();
            assert_eq!(node["placement"].is_null(), is_wrapper, "{node}");
            placed.extend(node["placement"].as_str().map(str::to_owned));
        }
    }
    assert!(!placed.is_empty() && placed.iter().all(|side| side == "cpu" || side == "gpu"), "{placed:?}");
}

#[test]
fn a_query_alone_is_shown_as_a_tree_and_all_of_them_as_a_list() {
    let log = sample("spark/shop-eventlog.zstd");
    let all = json("spark-log", &log, &[]);
    let ids: Vec<String> =
        all["queries"].as_array().expect("queries").iter().map(|query| query["id"].to_string()).collect();
    assert!(ids.len() > 1, "{ids:?}");
    let list = result(&["import", "spark-log", &log]);
    assert!(list.contains("Description") && list.contains("To see the plan of one query, add --query ID."), "{list}");
    assert!(
        list.contains("Not used: Executor Deserialize CPU Time (50, 1.758 s in total, first in stage 0)."),
        "{list}"
    );
    let last = ids.last().expect("a query");
    let one = result(&["import", "spark-log", &log, "--query", last, "--hardware-model"]);
    for expected in ["As placed", "All CPU", "All GPU", "Per-operator greedy placement", "Reason", "Exchange"] {
        assert!(one.contains(expected), "{expected} in\n{one}");
    }
    let one = json("spark-log", &log, &["--query", last]);
    assert_eq!(one["queries"].as_array().map(Vec::len), Some(1));
    assert_eq!(one["queries"][0], all["queries"].as_array().expect("queries")[ids.len() - 1]);
}

#[test]
fn the_placement_is_never_slower_than_a_baseline() {
    let one_side = ["all_cpu_seconds", "all_gpu_seconds"].as_slice();
    let each = ["all_cpu_seconds", "all_gpu_seconds", "greedy_seconds"].as_slice();
    // Operators by themselves part what an engine for Spark runs on one side, and may be faster by that.
    let imports = [("spark-log", "spark/shop-eventlog.zstd", one_side), ("duckdb", "duckdb-join.json", each)];
    for (kind, name, baselines) in imports {
        let document = json(kind, &sample(name), &[]);
        let queries = document["queries"].as_array().expect("queries");
        assert!(!queries.is_empty());
        for query in queries {
            let seconds = |key: &str| query["totals"][key].as_f64().expect("a number");
            for baseline in baselines {
                assert!(seconds("seconds") <= seconds(baseline) * (1.0 + 1e-9), "{baseline}: {}", query["totals"]);
            }
        }
    }
}

#[test]
fn beside_a_decision_of_whole_engines_there_is_no_other_speedup() {
    for (more, is_decided) in [(&[][..], true), (&["--hardware-model"][..], false)] {
        let document = json("duckdb", &sample("duckdb-join.json"), more);
        let query = &document["queries"][0];
        assert_eq!(query["decision"].is_object(), is_decided, "{more:?}");
        assert_eq!(query["totals"]["speedup"].is_number(), !is_decided, "{more:?}: {}", query["totals"]);
    }
}

#[test]
fn tables_of_a_duckdb_and_a_postgres_plan() {
    for (kind, name) in [("duckdb", "duckdb-join.json"), ("postgres", "postgres-join.json")] {
        insta::assert_snapshot!(kind, result(&["import", kind, &sample(name)]));
    }
}

#[test]
fn a_scenario_of_a_query_has_its_plan_and_gives_the_same_placement() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a query.ron");
    let out = out.to_str().expect("UTF-8");
    let path = sample("duckdb-join.json");
    let imported = json("duckdb", &path, &["--out", out, "--set", "cluster.machines=3", "--hardware-model"]);
    let evaluated: Value = serde_json::from_str(&result(&["evaluate", out, "--format", "json"])).expect("JSON");
    assert_eq!(evaluated["plan"]["nodes"], imported["queries"][0]["nodes"]);
    assert_eq!(evaluated["plan"]["totals"], imported["queries"][0]["totals"]);
    let placement: Value = serde_json::from_str(&result(&["plan", out, "--format", "json"])).expect("JSON");
    assert!(placement["cluster"].as_str().expect("text").starts_with("3 machines"), "{placement}");
    // The file is replaced, as by the other commands that write a scenario.
    let first = std::fs::read_to_string(out).expect("written");
    done(&["import", "duckdb", &path, "--out", out, "--base", PUBLISHED]);
    let second = std::fs::read_to_string(out).expect("written");
    assert!(first.contains("25 Gb Ethernet") && second.contains("100 Gb InfiniBand"), "{second}");
}

#[test]
fn a_spark_plan_becomes_configuration() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.ron");
    let out = out.to_str().expect("UTF-8");
    let log = sample("spark/shop-eventlog.zstd");
    let all = json("spark-log", &log, &[]);
    let queries = all["queries"].as_array().expect("queries").iter();
    let longest = queries.max_by_key(|query| query["nodes"].as_array().map(Vec::len)).expect("a query");
    done(&["import", "spark-log", &log, "--query", &longest["id"].to_string(), "--out", out]);
    let text = result(&["plan", out, "--format", "spark-conf"]);
    let classes: BTreeSet<&str> =
        longest["nodes"].as_array().expect("nodes").iter().filter_map(|node| node["class"].as_str()).collect();
    assert!(classes.contains("ShuffleExchangeExec"), "{classes:?}");
    assert!(text.contains("\nspark.rapids.sql.exec.ShuffleExchangeExec="), "{text}");
    let message = refusal(1, &["plan", PUBLISHED, "--format", "spark-conf"]);
    assert!(message.contains("placement-published.ron: the scenario has no query plan"), "{message}");
    let message = refusal(1, &["plan", REGULATION, "--format", "json"]);
    assert!(message.contains("only placement scenarios have query plans; this one is a regulation"), "{message}");
}

#[test]
fn lists_of_classes_hold_for_the_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let log = sample("spark/shop-eventlog.zstd");
    let scores = file("scores.csv", "CPUOperator,Score\nShuffleExchangeExec,1000000\n");
    let support = file("support.csv", "Exec,Supported,Notes\nShuffleExchangeExec,NS,a note\n");
    let document = json("spark-log", &log, &["--support", &support, "--scores", &scores]);
    let queries = document["queries"].as_array().expect("queries").iter();
    let nodes: Vec<&Value> = queries.flat_map(|query| query["nodes"].as_array().expect("nodes")).collect();
    let shuffles: Vec<&&Value> =
        nodes.iter().filter(|node| node["kind"] == "shuffle" && node["class"].is_string()).collect();
    assert!(!shuffles.is_empty());
    for shuffle in shuffles.iter().filter(|node| !node["placement"].is_null()) {
        assert_eq!((&shuffle["placement"], &shuffle["fixed"]), (&"cpu".into(), &"unsupported".into()), "{shuffle}");
        assert!(shuffle["reason"].as_str().is_some_and(|reason| reason.contains("a note")), "{shuffle}");
    }
    let bad = file("bad.csv", "Exec;Supported\n");
    let message = refusal(1, &["import", "spark-log", &log, "--support", &bad]);
    assert!(message.contains("bad.csv"), "{message}");
}

#[test]
fn an_unknown_query_is_refused_with_those_there_are() {
    let log = sample("spark/shop-eventlog.zstd");
    let message = refusal(1, &["import", "spark-log", &log, "--query", "nine"]);
    assert!(message.contains("shop-eventlog.zstd: --query: unknown query “nine”"), "{message}");
    assert!(message.contains("queries: 0, 1"), "{message}");
}

#[test]
fn a_scenario_needs_one_query() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.ron");
    let log = sample("spark/shop-eventlog.zstd");
    let message = refusal(1, &["import", "spark-log", &log, "--out", out.to_str().expect("UTF-8")]);
    assert!(message.contains("choose one with --query: 0, 1"), "{message}");
    assert!(!out.exists(), "nothing is written");
}

#[test]
fn a_bad_file_is_named_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.ron");
    let out = out.to_str().expect("UTF-8");
    for kind in ["spark-log", "spark-plan", "duckdb", "postgres", "sql"] {
        for (name, contents) in
            [("empty", &b""[..]), ("binary", &[0, 159, 146, 150, 255, 0, 1, 2]), ("other", b"{\"a\": 1}\n")]
        {
            let path = folder.path().join(name);
            std::fs::write(&path, contents).expect("written");
            let path = path.to_str().expect("UTF-8");
            let message = refusal(1, &["import", kind, path, "--out", out]);
            assert!(message.starts_with(&format!("crossover: {path}")), "{kind}, {name}: {message}");
            assert_eq!(message.lines().count(), 1, "{kind}, {name}: {message}");
            assert!(!Path::new(out).exists(), "{kind}, {name}");
        }
        let message = refusal(1, &["import", kind, "nowhere/a.log"]);
        assert!(message.contains("nowhere/a.log"), "{kind}: {message}");
    }
}

#[test]
fn a_scenario_that_cannot_be_written_fails_without_a_result() {
    let path = sample("duckdb-join.json");
    let message = refusal(1, &["import", "duckdb", &path, "--out", "/nowhere at all/a.ron"]);
    assert!(message.contains("cannot write /nowhere at all/a.ron"), "{message}");
}

#[test]
fn overrides_and_bases_that_do_not_fit_are_refused() {
    let path = sample("duckdb-join.json");
    let message = refusal(1, &["import", "duckdb", &path, "--set", "cluster.machine=3"]);
    assert!(message.contains("unknown field “machine”, did you mean “machines”?"), "{message}");
    let message = refusal(1, &["import", "duckdb", &path, "--base", REGULATION]);
    assert!(message.contains("regulation-published.ron: only placement scenarios"), "{message}");
    let message = refusal(1, &["import", "duckdb", &path, "--base", "nowhere.ron"]);
    assert!(message.contains("cannot read nowhere.ron: "), "{message}");
}

#[test]
fn wrong_usage_says_what_can_be_imported() {
    for (arguments, expected) in [
        (&["import"][..], "<KIND>"),
        (&["import", "oracle", "a"], "possible values: spark-log, spark-plan, duckdb, postgres, sql"),
        (&["import", "duckdb"], "<PATH>"),
        (&["import", "duckdb", "a", "--format", "csv"], "possible values: table, json"),
        (&["plan", PUBLISHED], "--format"),
    ] {
        let message = refusal(2, arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

/// An import that waits for its file ends with the signal, and leaves no scenario.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_an_import() {
    use std::os::unix::process::ExitStatusExt as _;
    use std::sync::mpsc::channel;

    use crossover_needs::{deadline, wait_for};

    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.ron");
    // A pipe that nobody writes to.
    let log = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&log).status().expect("mkfifo");
    assert!(made.success());
    let arguments = ["import", "spark-log", log.to_str().expect("UTF-8"), "--out", out.to_str().expect("UTF-8")];
    let mut child =
        super::crossover(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // Opening it for writing waits for who reads it.
    let (opened, is_read) = channel();
    let open = move || opened.send(std::fs::OpenOptions::new().write(true).open(log));
    std::thread::Builder::new().name("open the pipe".to_owned()).spawn(open).expect("a thread");
    let _pipe = is_read.recv_timeout(deadline()).expect("the program opens its file").expect("a pipe");
    assert_eq!(child.try_wait().expect("its state"), None, "it waits");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success());
    let ended = wait_for("the end of the program", || child.try_wait().expect("its state"));
    assert_eq!(ended.signal(), Some(2), "{ended}");
    assert!(!out.exists(), "nothing is written");
}

#[test]
fn a_base_keeps_its_machines_and_the_answer_names_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.ron");
    let out = out.to_str().expect("UTF-8");
    let log = sample("spark/shop-eventlog.zstd");
    let text = result(&["import", "spark-log", &log, "--hardware-model"]);
    assert!(text.contains("Planned for 1 machine with 4 cores, 1 × NVIDIA RTX 4090 over PCIe 4.0 ×16"), "{text}");
    let base = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-modern.ron");
    for sentence in ["a.ron: written", "a.ron: replaced"] {
        let arguments = ["import", "spark-log", &log, "--query", "6", "--base", base, "--out", out];
        let (code, text, messages) = super::run(&arguments);
        assert_eq!(code, Some(0), "{messages}");
        assert!(text.contains("Planned for 64 machines with 192 cores, 4 × NVIDIA H200"), "{text}");
        assert!(messages.contains(sentence), "{messages}");
    }
    let text = result(&["evaluate", out]);
    assert!(text.contains("10.45 s; the estimates leave out waits"), "{text}");
    // What each kind of operator would do is another answer.
    assert!(!text.contains("Speedup on every network"), "{text}");
}

#[test]
fn configuration_of_spark_is_for_plans_of_spark_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.ron");
    let out = out.to_str().expect("UTF-8");
    super::run(&["import", "duckdb", &sample("duckdb-join.json"), "--out", out]);
    let message = refusal(1, &["plan", out, "--format", "spark-conf"]);
    assert!(message.contains("the plan is not from Spark"), "{message}");
}

#[test]
fn a_missing_file_is_said_to_be_missing_once() {
    for kind in ["spark-log", "spark-plan", "duckdb", "postgres", "sql"] {
        let message = refusal(1, &["import", kind, "nowhere/a.log"]);
        assert_eq!(message.matches("os error").count(), 1, "{kind}: {message}");
    }
}

#[test]
fn a_named_statement_is_also_found_by_its_place() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-sql.sql");
    let text = |query: &str| result(&["import", "sql", file, "--query", query]);
    assert_eq!(text("2"), text("join"));
    assert!(refusal(1, &["import", "sql", file, "--query", "3"]).contains("queries: filter, join"));
}

/// `import sql --method published` gives the table of the published method for its two statements.
#[test]
fn the_published_statements_have_the_published_speedups() {
    const STATEMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-sql.sql");
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("both.ron");
    let out = out.to_str().expect("UTF-8");
    let document = json("sql", STATEMENTS, &["--method", "published", "--out", out]);
    let rows = document["rows"].as_array().expect("rows");
    let published = [
        ("filter", "10 Gb Ethernet", false, "0.9998", "cpu"),
        ("filter", "100 Gb InfiniBand", false, "0.9872", "cpu"),
        ("filter", "10 Gb Ethernet", true, "3.1980", "gpu"),
        ("filter", "100 Gb InfiniBand", true, "0.7705", "cpu"),
        ("join", "10 Gb Ethernet", false, "1.0173", "gpu"),
        ("join", "100 Gb InfiniBand", false, "2.3162", "gpu"),
        ("join", "10 Gb Ethernet", true, "3.2519", "gpu"),
        ("join", "100 Gb InfiniBand", true, "1.8162", "gpu"),
    ];
    assert_eq!(rows.len(), published.len());
    for (operator, network, compression, speedup, side) in published {
        let is_wanted = |row: &&Value| {
            row["operator"] == operator && row["network"] == network && row["compression"] == compression
        };
        let row = rows.iter().find(is_wanted).unwrap_or_else(|| panic!("{operator}, {network}, {compression}"));
        assert_eq!(format!("{:.4}", row["speedup"].as_f64().expect("a number")), speedup, "{row}");
        assert_eq!(row["placement"], side, "{row}");
    }
    // The scenario that is written has both statements.
    let scenario: Value = serde_json::from_str(&result(&["evaluate", out, "--format", "json"])).expect("JSON");
    assert_eq!(scenario["rows"], document["rows"]);
    let text = result(&["import", "sql", STATEMENTS, "--method", "published"]);
    assert!(text.contains("Operators without costs, left out: broadcast, project, scan."), "{text}");
    let one = json("sql", STATEMENTS, &["--method", "published", "--query", "filter"]);
    assert!(one["rows"].as_array().expect("rows").iter().all(|row| row["operator"] == "filter"));
    let message = refusal(2, &["import", "sql", STATEMENTS, "--method", "published", "--hardware-model"]);
    assert!(message.contains("cannot be used with"), "{message}");
}
