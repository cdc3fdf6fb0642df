//! Logs of real applications, and other programs that read the tables.

use std::process::Command;

use crossover_fleet::tables::rows::Table;
use crossover_needs::{not_run, test_data};

use super::logs::fleet;
use super::{read_all, rows, tables};

#[test]
fn every_real_log_is_an_application_and_every_other_file_is_named() {
    let Some(logs) = test_data("eventlogs") else { return };
    let out = tempfile::tempdir().unwrap();
    let outcomes = read_all(&logs, out.path());
    drop(outcomes);
    let applications = rows(out.path(), Table::Applications);
    let of = |end: &str| {
        let row = applications.iter().find(|row| row["log"].as_str().unwrap().ends_with(end));
        row.unwrap_or_else(|| panic!("{end} in {applications:?}"))
    };
    // From the log itself: application_1724877841851_0016, attempt 4 of hadoop.
    let emr = of("emr_join_agg_attempt_4_eventlog.zstd");
    assert_eq!(
        (emr["application_id"].as_str(), emr["attempt"].as_str()),
        (Some("application_1724877841851_0016"), Some("4"))
    );
    assert_eq!((emr["user"].as_str(), emr["queries"].as_u64()), (Some("hadoop"), Some(1)));
    assert!(emr["other_job_seconds"].as_f64().unwrap() > 0.0, "its first job reads a schema: {emr}");
    let gpu = of("nds_q66_gpu.zstd");
    assert_eq!(gpu["blocked_by"].as_str().unwrap().split(';').next(), Some("on GPUs already"), "{gpu}");
    // Its last line is the end of the application; only that of its one query is missing.
    let open = of("join_missing_sql_end");
    assert_eq!((open["ended"].as_bool(), open["verdict"].as_str()), (Some(true), Some("cannot be judged")), "{open}");
    assert_eq!(open["blocked_by"].as_str().unwrap().split(';').next(), Some("no end in the log"), "{open}");
    let left_out = rows(out.path(), Table::LeftOut);
    // It is cut off, and has the id of another log here, which is whole.
    let cut = left_out.iter().find(|row| row["path"].as_str().unwrap().ends_with("truncated_eventlog")).unwrap();
    assert!(cut["reason"].as_str().unwrap().starts_with("the same application as in"), "{cut}");
    for name in ["LICENSE", "supportedExecs.csv", "dsAndDf.metrics.csv"] {
        assert!(left_out.iter().any(|row| row["path"].as_str().unwrap().ends_with(name)), "{name}: {left_out:?}");
    }
    for row in &applications {
        let sum: f64 =
            ["sql_seconds", "startup_seconds", "gap_seconds"].iter().map(|part| row[*part].as_f64().unwrap()).sum();
        let seconds = row["seconds"].as_f64().unwrap();
        assert!((sum - seconds).abs() < 1e-6 * seconds.max(1.0), "parts and whole of {row}");
    }
    assert!(!tables(out.path()).is_empty());
}

/// Reads the tables with another program; says so where it is not installed.
fn reads(module: &str, script: &str) {
    let python = std::env::var_os("CROSSOVER_PYTHON").unwrap_or_else(|| "python3".into());
    let has = Command::new(&python).args(["-c", &format!("import {module}")]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        return not_run(&format!("Python's {module} is not installed"));
    }
    let (folder, out) =
        (tempfile::tempdir().expect("as the test made it"), tempfile::tempdir().expect("as the test made it"));
    fleet(folder.path());
    read_all(folder.path(), out.path());
    let output =
        Command::new(python).current_dir(out.path()).args(["-c", script]).output().expect("as the test made it");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // By hand: 11 applications with two queries; of 21 that did not fail scans, aggregates and exchanges, and of one Python.
    assert_eq!(printed.trim(), "12 22 64 2023-11-14 22:13:20", "{printed}");
}

#[test]
fn duckdb_reads_all_formats() {
    reads(
        "duckdb",
        "import duckdb\n\
         connection = duckdb.connect()\n\
         connection.execute(\"set timezone='UTC'\")\n\
         for format in ['parquet', 'csv', 'json']:\n\
         \x20   count = [connection.execute(f\"select count(*) from '{table}.{format}'\").fetchone()[0] for table in ['applications', 'queries', 'operators']]\n\
         \x20   start = connection.execute(f\"select strftime(min(start)::timestamp, '%Y-%m-%d %H:%M:%S') from 'applications.{format}'\").fetchone()[0]\n\
         \x20   total = connection.execute(f\"select sum(seconds) from 'applications.{format}'\").fetchone()[0]\n\
         \x20   assert total == 7190, total\n\
         print(*count, start)",
    );
}

#[test]
fn polars_reads_parquet() {
    reads(
        "polars",
        "import polars\n\
         tables = [polars.read_parquet(f'{table}.parquet') for table in ['applications', 'queries', 'operators']]\n\
         assert tables[0]['seconds'].sum() == 7190\n\
         print(*(table.height for table in tables), tables[0]['start'].min().strftime('%Y-%m-%d %H:%M:%S'))",
    );
}
