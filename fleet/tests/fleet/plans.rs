//! Plans of other engines that lie beside the logs.

use std::fs;
use std::path::{Path, PathBuf};

use crossover_fleet::tables::rows::Table;
use crossover_fleet::{Base, Outcomes, Overview, RunOptions, run};
use crossover_plan::{Control, Folders};
use crossover_scenario::read;
use serde_json::Value;

use super::logs::App;
use super::{base, number, read_all, rows, tables};

/// Plans of real engines.
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples");
/// DuckDB and Sirius on a GH200.
const DUCKDB: &str = include_str!("../../../scenarios/placement-truth-gh200.ron");

/// The base of Spark, with one of DuckDB beside it and, of its numbers, one of PostgreSQL.
fn bases() -> Base {
    let of = |text: &str| Base::new(&read(text).expect("as the test made it")).expect("as the test made it");
    base().beside(of(DUCKDB)).beside(of(&DUCKDB.replace("DuckDB, 72 Grace cores", "PostgreSQL 15")))
}

fn read_plans(folder: &Path, out: &Path, base: &Base) -> Outcomes {
    let paths = [folder.to_owned()];
    let order = RunOptions { store: &Folders, paths: &paths, base, out, shard: None, threads: 2 };
    run(&order, &Control::default()).expect("as the test made it")
}

fn copied(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in names {
        fs::copy(PathBuf::from(SAMPLES).join(name), folder.path().join(name)).expect("as the test made it");
    }
    folder
}

fn row<'a>(rows: &'a [Value], column: &str, end: &str) -> &'a Value {
    let found = rows.iter().find(|row| row[column].as_str().is_some_and(|text| text.ends_with(end)));
    found.unwrap_or_else(|| panic!("{end} in {rows:?}"))
}

#[test]
fn a_plan_of_another_engine_is_an_application_of_one_query_against_its_own_base() {
    let out = tempfile::tempdir().unwrap();
    let names = ["duckdb-1.4-profile.json", "duckdb-0.10-profile.json", "postgres-join.json", "postgres-parallel.json"];
    let folder = copied(&names);
    App::new("application_1").write(folder.path(), "application_1");
    let outcomes = read_plans(folder.path(), out.path(), &bases());
    assert_eq!((outcomes.read, outcomes.left_out.len()), (5, 0));
    let overview = Overview::new(&outcomes);
    assert_eq!((overview.applications.len(), overview.left_out.len()), (5, 0), "{:?}", overview.left_out);
    let cluster = crossover_fleet::rapids::cluster::GpuCluster::of(&base(), |_| None).unwrap();
    let configured = crossover_fleet::rapids::write(out.path(), &overview, &cluster).unwrap();
    assert_eq!(configured.applications, 1, "there is no RAPIDS configuration for other engines");
    drop(outcomes);

    let (applications, queries) = (rows(out.path(), Table::Applications), rows(out.path(), Table::Queries));
    // "latency" and "timing" of DuckDB, "Execution Time" of PostgreSQL, as the files have them, and the share of the time that is of no
    // operator: of DuckDB's RESULT_COLLECTOR among the times of all nodes, and beside "Actual Total Time" of PostgreSQL's first node.
    for (name, engine, seconds, share) in [
        (names[0], "DuckDB", duckdb_seconds(names[0]), 0.0),
        (names[1], "DuckDB", 0.005_375, 0.013 / 1.568),
        (names[2], "PostgreSQL", 0.004_119, 0.087 / 4.119),
        (names[3], "PostgreSQL", 0.008_616, 0.094 / 8.616),
    ] {
        let application = row(&applications, "log", name);
        assert_eq!((application["engine"].as_str(), application["name"].as_str()), (Some(engine), Some(name)));
        assert!(application["application_id"].as_str().unwrap().ends_with(name), "{application}");
        assert_eq!((application["queries"].as_u64(), application["ended"].as_bool()), (Some(1), Some(true)));
        for column in ["seconds", "sql_seconds"] {
            assert!((number(application, column) - seconds).abs() < 1e-12, "{column} of {application}");
        }
        assert_eq!((application["startup_seconds"].as_f64(), application["start"].as_str()), (Some(0.0), None));
        let query = row(&queries, "application_id", name);
        assert_eq!(query["state"], "done");
        let gpu = number(query, "gpu_seconds");
        assert!(gpu > 0.0 && (number(application, "option_seconds") - gpu).abs() < 1e-12, "{query}");
        // A plan does not name its machine, so the error factor of the GPU time alone holds: `error_factor_90` of Sirius. Time without
        // an operator widens it: it may take as long as today.
        let widening = number(query, "gpu_seconds_high") / gpu / 2.482;
        if engine == "DuckDB" {
            let otherwise = (1.0 - share) * gpu + share * seconds;
            assert!((widening - gpu / otherwise).abs() < 1e-9, "{query}");
        } else {
            // It is a node of its own there, which takes some time with the option, too.
            assert!(widening > 1.0 && widening < 1.0 / (1.0 - share), "{query}");
        }
    }
    let again = read_plans(folder.path(), out.path(), &bases());
    assert_eq!((again.read, again.unchanged), (0, 5));
    drop(again);

    // Another base of DuckDB is another answer of plans, and of nothing else.
    let of = |text: &str| Base::new(&read(text).unwrap()).unwrap();
    let slower = base().beside(of(&DUCKDB.replace("start_seconds: 0.01161", "start_seconds: 0.5")));
    let other = read_plans(folder.path(), out.path(), &slower);
    assert_eq!((other.read, other.unchanged), (4, 1));
    drop(other);
    drop(read_plans(folder.path(), out.path(), &bases()));

    // What Spark's log answers does not depend on what lies beside it.
    let (alone, alone_out) = (copied(&[]), tempfile::tempdir().unwrap());
    App::new("application_1").write(alone.path(), "application_1");
    read_all(alone.path(), alone_out.path());
    let without_log = |out: &Path| {
        let rows = rows(out, Table::Applications);
        let mut row = row(&rows, "application_id", "application_1").clone();
        row.as_object_mut().unwrap().remove("log");
        row
    };
    assert_eq!(without_log(out.path()), without_log(alone_out.path()));
}

/// The latency of a profile of DuckDB.
fn duckdb_seconds(name: &str) -> f64 {
    let text = fs::read(PathBuf::from(SAMPLES).join(name)).expect("as the test made it");
    let profile: Value = serde_json::from_slice(&text).expect("JSON");
    profile["latency"].as_f64().expect("a number")
}

#[test]
fn a_log_of_spark_is_answered_by_a_base_of_spark_alone() {
    let folder = tempfile::tempdir().unwrap();
    App::new("application_1").write(folder.path(), "application_1");
    let of = |text: &str| Base::new(&read(text).unwrap()).unwrap();
    let answered = |base: &Base| {
        let out = tempfile::tempdir().unwrap();
        drop(read_plans(folder.path(), out.path(), base));
        (rows(out.path(), Table::Applications), rows(out.path(), Table::LeftOut))
    };
    let alone = answered(&base());
    assert_eq!(alone.0.len(), 1);
    // Whichever was named first.
    let turned = of(DUCKDB).beside(base());
    assert_eq!((answered(&turned), &turned.digest), (alone, &base().digest));

    let (applications, left_out) = answered(&of(DUCKDB));
    assert!(applications.is_empty(), "{applications:?}");
    let expected = "a log of Spark 3.5.3, but no base has this engine on CPUs: name a scenario that has it with --base";
    assert_eq!(left_out[0]["reason"], expected);
    // Whatever Spark calls itself.
    for name in ["Databricks 15.4", "EMR Spark 7.1", "spark"] {
        let named = include_str!("../../../scenarios/placement-truth-aws-l4.ron")
            .replace("Spark 3.5.3\"", &format!("{name}\""));
        assert_eq!(answered(&of(&named)).0.len(), 1, "{name}");
    }
}

#[test]
fn every_statement_of_a_file_is_a_query_of_its_application() {
    let (folder, out) = (copied(&["postgres-several.txt"]), tempfile::tempdir().unwrap());
    drop(read_plans(folder.path(), out.path(), &bases()));
    let applications = rows(out.path(), Table::Applications);
    assert_eq!(applications.len(), 1);
    // 1.205, 0.037 and 2.082 ms, one after the other.
    assert!((number(&applications[0], "seconds") - 0.003_324).abs() < 1e-12, "{applications:?}");
    let seconds: Vec<f64> = rows(out.path(), Table::Queries).iter().map(|row| number(row, "share_seconds")).collect();
    assert_eq!(seconds.len(), 3);
    assert!((seconds[0] - 0.001_205).abs() < 1e-12 && (seconds[2] - 0.002_082).abs() < 1e-12, "{seconds:?}");
}

#[test]
fn a_plan_that_says_nothing_of_today_is_left_out_with_the_reason() {
    let names = ["duckdb-estimate.json", "postgres-estimate.json", "postgres-join.json", "duckdb-join.json"];
    let (folder, out) = (copied(&names), tempfile::tempdir().unwrap());
    let whole = fs::read_to_string(folder.path().join("duckdb-join.json")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("cut.json", &whole[..whole.len() / 2]);
    write("other.json", "{\"name\": \"web\", \"children\": [1, 2]}");
    write("plans.txt", "the \"children\" of this family\n");
    write("nightly.sql", "-- rows of sales: 1000\nselect 1 from sales");
    write("large.json", &format!("{{\"children\": [\"{}\"]}}", "x".repeat(9 << 20)));
    write("deep.json", &format!("{{\"children\": {}", "[".repeat(1 << 20)));
    write("empty-plan.json", "[]");
    let base = base().beside(Base::new(&read(DUCKDB).unwrap()).unwrap());
    drop(read_plans(folder.path(), out.path(), &base));
    assert_eq!(rows(out.path(), Table::Applications).len(), 1);
    let left_out = rows(out.path(), Table::LeftOut);
    for (name, expected) in [
        ("duckdb-estimate.json", "a plan of DuckDB without measured times"),
        ("postgres-estimate.json", "expected that of EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)"),
        ("postgres-join.json", "a plan of PostgreSQL, but no base has this engine on CPUs"),
        ("cut.json", "the file ends inside the plan that begins on line 1"),
        ("other.json", "a plan of DuckDB that cannot be read: plan.children"),
        ("plans.txt", "the file has no Spark event"),
        ("nightly.sql", "SQL without measured times"),
        ("large.json", "a plan of DuckDB with more than 8 MiB"),
        ("deep.json", "nested deeper than 1000 levels"),
        ("empty-plan.json", "the file has no Spark event"),
    ] {
        let why = row(&left_out, "path", name)["reason"].as_str().unwrap();
        assert!(why.contains(expected), "{name}: {why}");
    }
    let before = tables(out.path());
    assert_eq!(read_plans(folder.path(), out.path(), &base).read, 0, "what is left out is known, too");
    assert!(before == tables(out.path()));
}

/// A folder in which a file is replaced by a plan, and a plan by a log.
#[test]
fn what_becomes_a_plan_or_a_log_is_read_as_such() {
    let (folder, out) = (copied(&["duckdb-1.4-profile.json"]), tempfile::tempdir().unwrap());
    let log = folder.path().join("duckdb-1.4-profile.json");
    let (plan, base) = (fs::read(&log).unwrap(), bases());
    let engine = |out: &Path| rows(out, Table::Applications)[0]["engine"].as_str().unwrap().to_owned();
    drop(read_plans(folder.path(), out.path(), &base));
    assert_eq!(engine(out.path()), "DuckDB");
    fs::write(&log, App::new("application_1").log()).unwrap();
    assert_eq!(read_plans(folder.path(), out.path(), &base).read, 1);
    assert_eq!(engine(out.path()), "Spark 3.5.3");
    fs::write(&log, plan).unwrap();
    assert_eq!(read_plans(folder.path(), out.path(), &base).read, 1);
    assert_eq!(engine(out.path()), "DuckDB");
}
