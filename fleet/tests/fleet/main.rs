//! What a user sees of a fleet: tables of a folder of logs.

mod bad_input;
mod damaged;
mod entered;
mod killed;
mod logs;
mod opened;
mod outside;
mod overview;
mod places;
mod plans;
mod portfolio;
mod rapids;
mod real_logs;
mod resume;
mod workload;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crossover_fleet::application::Verdict;
use crossover_fleet::blocker::Blocker;
use crossover_fleet::merge::Unfinished;
use crossover_fleet::tables::files;
use crossover_fleet::tables::rows::Table;
use crossover_fleet::{Base, Outcomes, Overview, RunOptions, find, merge, run, shard};
use crossover_plan::{Control, Folders};
use crossover_scenario::read;
use crossover_tools::Shard;
use serde_json::Value;

use logs::{App, Query, fleet};

/// The clusters that come with the program. Its errors: 1.873 beside a measured run, 2.608 of a GPU's time alone.
pub(crate) fn base() -> Base {
    let scenario = read(include_str!("../../../scenarios/placement-truth-aws-l4.ron")).expect("as the test made it");
    Base::new(&scenario).expect("as the test made it")
}

pub(crate) fn read_with(paths: &[PathBuf], out: &Path, shard: Option<Shard>, threads: usize) -> Outcomes {
    let base = base();
    let order = RunOptions { store: &Folders, paths, base: &base, out, shard, threads };
    run(&order, &Control::default()).expect("as the test made it")
}

pub(crate) fn read_all(folder: &Path, out: &Path) -> Outcomes {
    read_with(&[folder.to_owned()], out, None, 2)
}

/// All tables, by their names.
pub(crate) fn tables(out: &Path) -> BTreeMap<String, Vec<u8>> {
    files(out)
        .map(|file| {
            (
                file.file_name().expect("as the test made it").to_string_lossy().into_owned(),
                fs::read(&file).expect("as the test made it"),
            )
        })
        .collect()
}

/// The lines of a ledger that count: all but those that say that tables are being written.
pub(crate) fn counting(ledger: &Path) -> String {
    let text = fs::read_to_string(ledger).expect("as the test made it");
    text.split_inclusive('\n').filter(|line| !line.contains("\"tables\":\"\"")).collect()
}

/// The rows of a table.
pub(crate) fn rows(out: &Path, table: Table) -> Vec<Value> {
    serde_json::from_slice(&fs::read(out.join(format!("{}.json", table.name()))).expect("as the test made it"))
        .expect("as the test made it")
}

/// The only row of the applications.
fn only(out: &Path) -> Value {
    let mut rows = rows(out, Table::Applications);
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.remove(0)
}

/// What one application answers.
fn answer(app: &App) -> (Value, Vec<Value>) {
    let (folder, out) =
        (tempfile::tempdir().expect("as the test made it"), tempfile::tempdir().expect("as the test made it"));
    app.write(folder.path(), "log");
    read_all(folder.path(), out.path());
    (only(out.path()), rows(out.path(), Table::Queries))
}

fn number(row: &Value, column: &str) -> f64 {
    row[column].as_f64().unwrap_or_else(|| panic!("{column} of {row}"))
}

#[test]
fn an_application_is_its_queries_and_the_time_around_them() {
    let (app, queries) = answer(&App { other_job: Some((301, 309)), ..App::new("application_1") });
    for (column, expected) in
        [("name", "job application_1"), ("user", "ada"), ("queue", "nightly"), ("engine", "Spark 3.5.3")]
    {
        assert_eq!(app[column], expected);
    }
    assert_eq!(app["start"], "2023-11-14T22:13:20Z");
    for (column, expected) in [
        ("seconds", 600.0),
        ("sql_seconds", 560.0),
        ("startup_seconds", 20.0),
        ("gap_seconds", 20.0),
        ("other_job_seconds", 8.0),
        ("staying_seconds", 40.0),
        ("queries", 2.0),
        // Both scan, aggregate and exchange the same table.
        ("distinct_queries", 1.0),
        ("machines", 8.0),
    ] {
        assert_eq!(number(&app, column), expected, "{column}");
    }
    assert_eq!(queries.len(), 2);
    assert!(queries.iter().all(|query| query["repetitions"] == 2 && query["state"] == "done"));
    let there = number(&app, "option_seconds");
    assert!(there > 40.0, "time outside queries stays");
    assert!((number(&app, "saved_seconds") - (600.0 - there)).abs() < 1e-9);
    // Eight machines with fourteen of the base's 14.375 cores: the error beside a measured run holds on the base's four GPU
    // machines, that of the GPU time alone on others.
    for query in &queries {
        assert!((number(query, "gpu_seconds_high") / number(query, "gpu_seconds") - 1.873).abs() < 1e-9);
    }
    let option = app["option"].as_str().expect("an option");
    let machines: f64 = option.split([' ', ',']).rev().nth(2).expect("a count").parse().expect("a number");
    let within = if machines == 4.0 { 1.873 } else { 2.608 };
    // Repetitions of a query err alike.
    let high = 40.0 + (there - 40.0) * within;
    assert!((number(&app, "option_seconds_high") - high).abs() < 1e-6, "{app}");
    // 8 × 14 cores at 2.304 $ for 48 vCPUs an hour, for ten minutes; as many machines as the option has for 0.9776 $ an hour.
    assert!((number(&app, "today_usd") - 8.0 * 14.0 * 2.304 / 48.0 / 6.0).abs() < 1e-9, "{app}");
    assert!((number(&app, "option_usd") - there / 3600.0 * machines * 0.9776).abs() < 1e-9, "{app}");
}

#[test]
fn a_clock_that_was_set_back_is_named_and_bounds_every_time() {
    let log = App::new("application_1").log();
    // It ends an hour before it starts; the second query ends before it starts, too.
    let skewed = log
        .replace("\"Timestamp\":1700000600000", "\"Timestamp\":1699996400000")
        .replace("\"time\":1700000590000", "\"time\":1600000590000");
    assert_ne!(log, skewed);
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(folder.path().join("log"), skewed).unwrap();
    read_all(folder.path(), out.path());
    let app = only(out.path());
    assert!(app["warnings"].as_str().unwrap().contains("ends before it starts"), "{app}");
    // The time of its first query, 20 … 300 s, is all that is known.
    assert_eq!((number(&app, "seconds"), number(&app, "sql_seconds")), (280.0, 280.0), "{app}");
    for row in rows(out.path(), Table::Queries) {
        assert!(row["seconds"].as_f64().is_none_or(|seconds| (0.0..=600.0).contains(&seconds)), "{row}");
    }
}

#[test]
fn time_that_belongs_to_no_operator_cannot_be_judged_and_is_named() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let queries = vec![Query { bare: true, ..Query::new(20, 590) }];
    App { queries, ..App::new("application_1") }.write(folder.path(), "log");
    read_all(folder.path(), out.path());
    let app = only(out.path());
    assert_eq!(
        (app["verdict"].as_str(), app["blocked_by"].as_str()),
        (Some("cannot be judged"), Some("time without operators"))
    );
    assert!(app["warnings"].as_str().unwrap().contains("100 % of its CPU time"), "{app}");
    assert!(app["option_seconds"].is_null(), "{app}");
}

/// RAPIDS ran one of its queries: so its machines have GPUs, and the other query took what it takes there.
#[test]
fn what_runs_on_gpus_already_saves_nothing_and_has_no_price() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let queries = vec![Query { on_gpu: true, ..Query::new(20, 40) }, Query::new(50, 590)];
    App { queries, ..App::new("application_1") }.write(folder.path(), "log");
    let outcomes = read_all(folder.path(), out.path());
    let overview = Overview::new(&outcomes);
    assert_eq!((overview.saving.applications, overview.saving.seconds.value), (0, 0.0));
    assert_eq!(overview.verdicts, BTreeMap::from([(Verdict::CannotJudge, 1)]));
    drop(outcomes);
    let app = only(out.path());
    assert_eq!(
        (app["verdict"].as_str(), app["blocked_by"].as_str()),
        (Some("cannot be judged"), Some("on GPUs already"))
    );
    for column in
        ["option_seconds", "option_seconds_high", "likelihood", "saved_seconds", "today_usd", "option_usd", "saved_usd"]
    {
        assert!(app[column].is_null(), "{column} of {app}");
    }
    assert_eq!((number(&app, "predicted_queries"), number(&app, "staying_seconds")), (0.0, 600.0));
    let queries = rows(out.path(), Table::Queries);
    assert!(queries.iter().all(|query| query["blocked_by"] == "on GPUs already"), "{queries:?}");
}

#[test]
fn a_base_without_errors_decides_nothing_and_says_so() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("application_1").write(folder.path(), "log");
    let scenario = read(include_str!("../../../scenarios/placement-truth-a100.ron")).unwrap();
    let (base, paths) = (Base::new(&scenario).unwrap(), [folder.path().to_owned()]);
    let order = RunOptions { store: &Folders, paths: &paths, base: &base, out: out.path(), shard: None, threads: 1 };
    drop(run(&order, &Control::default()).unwrap());
    let queries = rows(out.path(), Table::Queries);
    for row in queries.iter().chain([&only(out.path())]) {
        let verdict = (row["verdict"].as_str(), row["blocked_by"].as_str());
        assert_eq!(verdict, (Some("cannot be judged"), Some("base without error factor")));
        let of = |query: &str, application: &str| {
            if row["query_id"].is_null() { row[application].clone() } else { row[query].clone() }
        };
        assert!(of("gpu_seconds", "option_seconds").as_f64().is_some_and(|seconds| seconds > 0.0), "{row}");
        assert!(row["likelihood"].is_null() && of("gpu_seconds_high", "option_seconds_high").is_null(), "{row}");
    }
}

/// Without the end of its last line, which says that the application has ended; compressed, without the end of its second half.
#[test]
fn a_log_that_is_cut_off_is_told_from_one_that_is_written() {
    let log = App::new("application_1").log();
    let (first, second) = log.split_at(log[..log.len() / 2].rfind('\n').unwrap() + 1);
    let packed = [first, second].map(|half| zstd::encode_all(half.as_bytes(), 1).unwrap()).concat();
    let (plain, packed) = (&log.as_bytes()[..log.len() - 20], &packed[..packed.len() - 20]);
    for (name, bytes, expected) in [
        ("application_1", plain, "truncated log"),
        ("application_1.inprogress", plain, "running"),
        ("application_1.zstd", packed, "truncated log"),
        ("application_1.zstd.inprogress", packed, "running"),
    ] {
        let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(folder.path().join(name), bytes).unwrap();
        drop(read_all(folder.path(), out.path()));
        let app = only(out.path());
        assert!(app["blocked_by"].as_str().unwrap().starts_with(expected), "{name}: {app}");
    }
}

/// Of a rolling log the marker beside it says so.
#[test]
fn a_rolling_log_that_is_written_is_running_and_not_cut_off() {
    let log = App::new("app-1").log();
    for (marker, expected) in [("appstatus_app-1.inprogress", "running"), ("appstatus_app-1", "truncated log")] {
        let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let rolling = folder.path().join("eventlog_v2_app-1");
        fs::create_dir(&rolling).unwrap();
        fs::write(rolling.join("events_1_app-1"), &log.as_bytes()[..log.len() - 20]).unwrap();
        fs::write(rolling.join(marker), "").unwrap();
        drop(read_all(folder.path(), out.path()));
        let app = only(out.path());
        assert!(app["blocked_by"].as_str().unwrap().starts_with(expected), "{marker}: {app}");
    }
}

#[test]
fn what_belongs_to_no_query_never_moves() {
    let jobs = App { queries: Vec::new(), other_job: Some((10, 590)), ..App::new("application_1") };
    let (app, queries) = answer(&jobs);
    assert_eq!((app["verdict"].as_str(), app["blocked_by"].as_str()), (Some("cannot be judged"), Some("no SQL")));
    assert_eq!((number(&app, "other_job_seconds"), number(&app, "staying_seconds")), (580.0, 600.0));
    assert_eq!((&app["option_seconds"], queries.len()), (&Value::Null, 0));
    let sum = number(&app, "sql_seconds");
    assert!(sum == 0.0 && sum.is_sign_positive(), "nothing is not −0");
}

#[test]
fn user_code_stays_on_cpus_and_is_named() {
    let python = Query { python: true, ..Query::new(20, 590) };
    let (app, queries) = answer(&App { queries: vec![python], ..App::new("application_1") });
    assert_eq!(app["unsupported_operators"], "ArrowEvalPythonExec", "{app}");
    assert!(number(&queries[0], "unsupported_part_seconds") > 0.0);
}

#[test]
fn failed_queries_and_missing_ends_are_named_and_their_time_stays() {
    let failed = Query { failed: true, ..Query::new(310, 590) };
    let (app, queries) = answer(&App { queries: vec![Query::new(20, 300), failed], ..App::new("application_1") });
    assert_eq!((queries[1]["state"].as_str(), queries[1]["blocked_by"].as_str()), (Some("failed"), Some("failed")));
    assert_eq!((number(&app, "failed_queries"), number(&app, "staying_seconds")), (1.0, 320.0));
    let (app, _) = answer(&App { seconds: None, ..App::new("application_2") });
    assert_eq!((app["ended"].as_bool(), number(&app, "seconds")), (Some(false), 590.0));
    // Its name does not say that Spark still writes it.
    assert!(app["blocked_by"].as_str().unwrap().starts_with("truncated log"), "{app}");
}

/// Only the end of the second query is not in the log.
#[test]
fn an_application_that_ended_is_not_running_if_a_query_has_no_end() {
    let log = App::new("application_1").log();
    let is_end = |line: &str| line.contains("SparkListenerSQLExecutionEnd") && line.contains("\"executionId\":1,");
    let without = log.lines().filter(|line| !is_end(line)).collect::<Vec<&str>>().join("\n") + "\n";
    assert_eq!(log.lines().count() - without.lines().count(), 1);
    for name in ["log", "log.inprogress"] {
        let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(folder.path().join(name), &without).unwrap();
        drop(read_all(folder.path(), out.path()));
        let (app, queries) = (only(out.path()), rows(out.path(), Table::Queries));
        assert_eq!((app["ended"].as_bool(), number(&app, "predicted_queries")), (Some(true), 1.0));
        let blocked_by = app["blocked_by"].as_str().unwrap_or_default();
        assert!(!blocked_by.contains("running") && !blocked_by.contains("truncated"), "{app}");
        assert_eq!(
            (queries[1]["state"].as_str(), queries[1]["blocked_by"].as_str(), queries[1]["verdict"].as_str()),
            (Some("no end"), Some("no end in the log"), Some("cannot be judged"))
        );
    }
}

#[test]
fn the_latest_complete_attempt_counts_and_copies_count_once() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App { attempt: "1", ..App::new("application_1") }.write(folder.path(), "application_1_1");
    App { attempt: "2", ..App::new("application_1") }.write(folder.path(), "application_1_2");
    App { attempt: "3", seconds: None, ..App::new("application_1") }.write(folder.path(), "application_1_3.inprogress");
    App::new("application_2").write(folder.path(), "a");
    App::new("application_2").write(folder.path(), "b");
    read_all(folder.path(), out.path());
    let counted: Vec<String> = rows(out.path(), Table::Applications)
        .iter()
        .map(|row| format!("{} {}", row["application_id"].as_str().unwrap(), row["attempt"].as_str().unwrap()))
        .collect();
    assert_eq!(counted, ["application_1 2", "application_2 1"]);
    let left_out = rows(out.path(), Table::LeftOut);
    assert_eq!(left_out.len(), 3, "{left_out:?}");
    assert!(
        left_out.iter().all(|row| row["reason"].as_str().unwrap().contains("only the latest complete log counts")),
        "{left_out:?}"
    );
}

#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    fleet(folder.path());
    let tables_on = |threads: usize| {
        let out = tempfile::tempdir().unwrap();
        read_with(&[folder.path().to_owned()], out.path(), None, threads);
        tables(out.path())
    };
    let one = tables_on(1);
    assert_eq!(one.len(), 12);
    assert!(one == tables_on(2) && one == tables_on(8));
}

#[test]
fn shards_put_together_are_one_machine() {
    let (folder, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fleet(folder.path());
    fs::write(folder.path().join("notes.txt"), "nothing here\n".repeat(200)).unwrap();
    read_all(folder.path(), whole.path());
    let outs: Vec<tempfile::TempDir> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    for (number, out) in outs.iter().enumerate() {
        read_with(&[folder.path().to_owned()], out.path(), Some(Shard::new(number + 1, 3).unwrap()), 2);
    }
    let parts: Vec<PathBuf> = outs.iter().map(|out| out.path().to_owned()).collect();
    let merged = tempfile::tempdir().unwrap();
    merge(&parts, merged.path(), Unfinished::Refused).unwrap();
    assert!(tables(whole.path()) == tables(merged.path()));

    let missing = merge(&parts[..2], tempfile::tempdir().unwrap().path(), Unfinished::Refused).unwrap_err().to_string();
    assert!(missing.contains("shard 3/3 is missing"), "{missing}");
    let twice = [parts[0].clone(), parts[0].clone(), parts[1].clone()];
    let twice = merge(&twice, tempfile::tempdir().unwrap().path(), Unfinished::Refused).unwrap_err().to_string();
    assert!(twice.contains("is named twice"), "{twice}");

    let own = merge(&parts, &parts[0], Unfinished::Refused).unwrap_err().to_string();
    assert!(own.contains("results of a shard"), "{own}");

    // One bit of each log: of some, such as earlier attempts, the tables have nothing.
    let ledger = parts[0].join("ledger.jsonl");
    let mut bytes = fs::read(&ledger).unwrap();
    let mut lines: Vec<&mut [u8]> = bytes.split_mut(|byte| *byte == b'\n').collect();
    for line in lines.iter_mut().filter(|line| line.windows(5).any(|part| part == b"\"log\"")) {
        line[100] ^= 1;
    }
    fs::write(&ledger, bytes).unwrap();
    let damaged = merge(&parts, tempfile::tempdir().unwrap().path(), Unfinished::Refused).unwrap_err().to_string();
    assert!(damaged.contains("the ledger is damaged"), "{damaged}");
}

#[test]
fn a_shard_is_not_read_into_results_of_another_one() {
    let folder = tempfile::tempdir().unwrap();
    fleet(folder.path());
    let (base, paths) = (base(), [folder.path().to_owned()]);
    for (before, expected) in [(Some(Shard::new(1, 2).unwrap()), "shard 1/2"), (None, "all logs")] {
        let out = tempfile::tempdir().unwrap();
        drop(read_with(&paths, out.path(), before, 2));
        let whole = tables(out.path());
        let shard = Some(Shard::new(2, 2).unwrap());
        let order = RunOptions { store: &Folders, paths: &paths, base: &base, out: out.path(), shard, threads: 2 };
        let refused = run(&order, &Control::default()).unwrap_err().to_string();
        let expected_end =
            format!("the folder has the results of {expected}: choose another folder for shard 2/2 with --out");
        assert!(refused.ends_with(&expected_end), "{refused}");
        assert!(whole == tables(out.path()));
        // The same command goes on.
        assert_eq!(read_with(&paths, out.path(), before, 2).read, 0);
    }
}

/// One of three shards was stopped, another one never began: the earlier merged results stay.
#[test]
fn shards_that_have_not_ended_are_named_and_cost_nothing_that_was_known() {
    let merged = tempfile::tempdir().unwrap();
    // The shard of a log depends on its path: for some folders, a shard has no logs.
    let folders = std::iter::repeat_with(|| tempfile::tempdir().unwrap()).take(100);
    let (folder, _) = folders
        .map(|folder| {
            fleet(folder.path());
            let logs = find::find(&Folders, &[folder.path().to_owned()], merged.path()).logs;
            let counts = [1, 2, 3].map(|place| logs.iter().filter(|log| shard::place(3, &log.key) == place).count());
            (folder, counts)
        })
        .find(|(_, counts)| counts.iter().all(|count| *count > 1))
        .unwrap();
    let outs: Vec<tempfile::TempDir> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let read = |number: usize| {
        let shard = Some(Shard::new(number, 3).unwrap());
        read_with(&[folder.path().to_owned()], outs[number - 1].path(), shard, 2)
    };
    let parts: Vec<PathBuf> = outs.iter().map(|out| out.path().to_owned()).collect();
    let counts = [1, 2, 3].map(|number| read(number).logs().count());
    assert!(counts.iter().all(|count| *count > 1), "{counts:?}");
    drop(merge(&parts, merged.path(), Unfinished::Refused).unwrap());
    let whole = tables(merged.path());
    // Its first line, of one log.
    let ledger = parts[1].join("ledger.jsonl");
    let first = fs::read_to_string(&ledger).unwrap().split_inclusive('\n').next().unwrap().to_owned();
    fs::write(&ledger, first).unwrap();
    fs::remove_file(parts[2].join("ledger.jsonl")).unwrap();
    let refused = merge(&parts[..2], merged.path(), Unfinished::Refused).unwrap_err().to_string();
    assert!(refused.contains("its run has not ended"), "{refused}");
    let (outcomes, open) = merge(&parts, merged.path(), Unfinished::Named).unwrap();
    assert_eq!(open, parts[1..]);
    assert_eq!((outcomes.logs().count(), outcomes.kept.len()), (12, counts[1] - 1 + counts[2]));
    drop(outcomes);
    let applications = rows(merged.path(), Table::Applications);
    let kept =
        applications.iter().filter(|row| row["warnings"].as_str().is_some_and(|note| note.contains("has not ended")));
    assert_eq!(kept.count(), counts[1] - 1 + counts[2]);
    assert_eq!(rows(merged.path(), Table::LeftOut).len(), 2);

    let fresh = tempfile::tempdir().unwrap();
    drop(merge(&parts, fresh.path(), Unfinished::Named).unwrap());
    assert_eq!(rows(fresh.path(), Table::Applications).len(), counts[0] + 1);
    drop((read(2), read(3)));
    drop(merge(&parts, merged.path(), Unfinished::Refused).unwrap());
    assert!(whole == tables(merged.path()));
}

#[test]
fn every_column_is_documented() {
    let text = include_str!("../../../docs/FLEET.md");
    for table in Table::ALL {
        let (_, section) = text.split_once(&format!("### {}\n", table.name())).unwrap();
        let section = section.split("\n### ").next().unwrap();
        let documented: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
        let expected: Vec<String> = table
            .columns()
            .iter()
            .map(|column| format!("| `{}` | {} | {} |", column.name, column.sort.label(), column.meaning))
            .collect();
        assert_eq!(documented, expected, "{}", table.name());
    }
}

#[test]
fn everything_that_blocks_is_documented() {
    let text = include_str!("../../../docs/FLEET.md");
    let (_, section) = text.split_once("### Blockers\n").unwrap();
    let section = section.split("\n### ").next().unwrap();
    let documented: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(documented.len(), Blocker::ALL.len());
    for (blocker, row) in Blocker::ALL.iter().zip(documented) {
        assert!(row.starts_with(&format!("| `{}` | ", blocker.label())), "{row}");
    }
}

#[test]
fn names_that_a_spreadsheet_would_run_are_text() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App { name: "=cmd|' /C calc'!A0\u{1b}[31m".to_owned(), ..App::new("application_1") }.write(folder.path(), "log");
    read_all(folder.path(), out.path());
    let csv = fs::read_to_string(out.path().join("applications.csv")).unwrap();
    assert!(csv.contains(",'=cmd|' /C calc'!A0␛[31m,"), "{csv}");
}

/// An application that runs mostly outside of its queries cannot be judged, and each of its queries can.
#[test]
fn a_query_is_judged_where_its_application_is_not() {
    let queries = vec![Query::new(20, 120)];
    let (app, queries) = answer(&App { queries, ..App::new("application_1") });
    assert_eq!(app["verdict"].as_str(), Some("cannot be judged"), "{app}");
    assert!(app["blocked_by"].as_str().is_some_and(|why| why.starts_with("time outside SQL")), "{app}");
    assert!(number(&app, "staying_seconds") >= number(&app, "seconds") / 2.0);
    assert_eq!(queries.len(), 1);
    assert_ne!(queries[0]["verdict"].as_str(), Some("cannot be judged"), "{}", queries[0]);
}
