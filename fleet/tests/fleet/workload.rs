//! Several applications as one scenario, and the engines that results were measured with.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crossover_decision::Candidate;
use crossover_fleet::application::Application;
use crossover_fleet::ledger::Outcome;
use crossover_fleet::merge::Unfinished;
use crossover_fleet::opened::open;
use crossover_fleet::tables::rows::Table;
use crossover_fleet::workload::NothingToPlan;
use crossover_fleet::{Base, CombinedWorkload, RunOptions, merge, run};
use crossover_placement::whole::{PlanVerdict, decide};
use crossover_plan::decide::workload;
use crossover_plan::spark::read as read_log;
use crossover_plan::{Control, Folders};
use crossover_scenario::{Scenario, read};
use crossover_study::set_number;
use crossover_tools::Shard;
use serde_json::Value;
use tempfile::TempDir;

use super::logs::{App, Query, fleet};
use super::{base, number, read_with, rows};

/// The scenario of the base with another number.
fn with(path: &str, value: f64) -> Scenario {
    let mut scenario = read(include_str!("../../../scenarios/placement-truth-aws-l4.ron")).expect("a scenario");
    assert!(set_number(scenario.study.subject_mut(), path, value), "{path}");
    scenario
}

fn read_against(base: &Base, folder: &Path, out: &Path) {
    let paths = [folder.to_owned()];
    let order = RunOptions { store: &Folders, paths: &paths, base, out, shard: None, threads: 2 };
    run(&order, &Control::default()).expect("read");
}

/// Everything in a folder of results.
fn combined(base: &Base, out: &Path) -> CombinedWorkload {
    let opened = open(out).expect("results");
    let logs: BTreeSet<&str> = opened.outcomes.logs().map(|known| known.head.key.as_str()).collect();
    CombinedWorkload::new(&opened.outcomes, &logs, base, &Control::default()).expect("read")
}

fn verdict(scenario: &Scenario) -> PlanVerdict {
    decide(scenario.placement().expect("a placement study")).expect("a plan").verdict.expect("engines")
}

fn near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{what}: {found}, expected {expected}");
}

/// Twelve applications, among them some without queries, with Python, with failed and with running ones.
fn results() -> (TempDir, TempDir) {
    let (folder, out) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    fleet(folder.path());
    drop(super::read_all(folder.path(), out.path()));
    (folder, out)
}

/// One of the applications of the results in a folder.
fn an_application(out: &Path) -> Application {
    let opened = open(out).expect("results");
    let log = opened.outcomes.logs().next().expect("a log");
    let Outcome::Application(application) = opened.outcomes.ledger.log(log).expect("a record").outcome else {
        panic!("an application")
    };
    *application
}

#[test]
fn the_scenario_of_many_applications_takes_what_their_queries_take() {
    let (_folder, out) = results();
    let base = base();
    let combined = combined(&base, out.path());
    // By the tables: queries with a prediction, each with its share.
    let queries = rows(out.path(), Table::Queries);
    let predicted: Vec<&Value> = queries.iter().filter(|row| !row["gpu_seconds"].is_null()).collect();
    assert!(predicted.len() > 15 && predicted.len() < queries.len(), "{}", predicted.len());
    let sum = |column: &str| -> f64 {
        predicted.iter().map(|row| number(row, column) * number(row, "share_seconds") / number(row, "seconds")).sum()
    };
    let (today, there) = (sum("seconds"), sum("gpu_seconds"));
    near(combined.today_seconds, today, "today");
    near(combined.gpu.value, there, "there");

    let scenario = combined.scenario(&base, "an organisation").expect("a scenario");
    assert_eq!(read(&scenario.to_ron()).expect("it is read again"), scenario);
    let verdict = verdict(&scenario);
    near(verdict.cpu.value, today, "today in the scenario");
    near(verdict.gpu.value, there, "there in the scenario");
    near(verdict.gpu.high, combined.gpu.high, "upper end");
    near(verdict.gpu.low, combined.gpu.low, "lower end");
    let [today_usd, gpu_usd] = verdict.usd.expect("prices");
    near(today_usd, sum("today_usd"), "dollars today");
    near(gpu_usd, sum("gpu_usd"), "dollars there");

    // What has no GPU version keeps its time, and no more.
    let whole = decide(scenario.placement().expect("a placement study")).expect("a plan");
    let fixed = whole.operators.iter().filter(|decided| decided.fixed.is_some());
    let fixed: f64 = fixed.map(|decided| decided.cost.cpu.total()).sum();
    near(fixed, sum("unsupported_part_seconds"), "operators that stay");
    assert!(fixed > 0.0);
}

#[test]
fn on_other_machines_it_takes_what_a_fleet_says_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    fleet(folder.path());
    let first = base();
    let out = tempfile::tempdir().expect("a folder");
    read_against(&first, folder.path(), out.path());
    let scenario = combined(&first, out.path()).scenario(&first, "an organisation").expect("a scenario");
    for (path, value) in
        [("engines.gpu.machines", 9.0), ("engines.gpu.lanes", 3.0), ("engines.gpu.network_gbit_per_s", 1.0)]
    {
        let other = Base::new(&with(path, value)).expect("a base");
        let out = tempfile::tempdir().expect("a folder");
        read_against(&other, folder.path(), out.path());
        let expected = combined(&other, out.path()).gpu.value;
        let mut moved = scenario.clone();
        assert!(set_number(moved.study.subject_mut(), path, value), "{path}");
        let found = verdict(&moved).gpu.value;
        near(found, expected, path);
        assert!((found / verdict(&scenario).gpu.value - 1.0).abs() > 1e-6, "{path} changes nothing");
    }
}

#[test]
fn what_does_not_fit_in_memory_is_told_apart() {
    let (folder, out) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    // A fiftieth of the bytes is exchanged: 400 GB, of which 30 fit.
    let query = Query { gigabytes: 20_000, ..Query::new(20, 590) };
    App { queries: vec![query], ..App::new("application_1") }.write(folder.path(), "log");
    let base = base();
    read_against(&base, folder.path(), out.path());
    let found = combined(&base, out.path());
    assert!(found.parts.spill > 0.0 && found.parts.spill < found.parts.network, "{:?}", found.parts);
    let scenario = found.scenario(&base, "an organisation").expect("a scenario");
    near(verdict(&scenario).gpu.value, found.gpu.value, "there");
    // One query has the memory for itself, so that more machines hold more of it, as the fleet says.
    let other = Base::new(&with("engines.gpu.machines", 16.0)).expect("a base");
    let out = tempfile::tempdir().expect("a folder");
    read_against(&other, folder.path(), out.path());
    let mut moved = scenario;
    assert!(set_number(moved.study.subject_mut(), "engines.gpu.machines", 16.0));
    near(verdict(&moved).gpu.value, combined(&other, out.path()).gpu.value, "on sixteen");
}

#[test]
fn the_note_says_what_was_added_up_and_what_is_left_out() {
    let (_folder, out) = results();
    let base = base();
    let all = combined(&base, out.path());
    let notes = all.scenario(&base, "an organisation").expect("a scenario").notes;
    for words in [
        "All queries with a prediction of 11 applications of an organisation: job application_0, job application_1, job application_10, ",
        ", 6 more.",
        "Not included, without a prediction or of another engine than Spark: 1 application.",
        "the fleet's list has",
        "Not included: ",
        "Queries run one after another",
    ] {
        assert!(notes.contains(words), "{words} is not in {notes}");
    }
    let nothing = CombinedWorkload::of([], &base);
    assert_eq!(nothing.scenario(&base, "an organisation"), Err(NothingToPlan::NoPrediction));
}

#[test]
fn results_keep_the_engines_that_they_were_measured_with() {
    let (folder, out) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    fleet(folder.path());
    let own = Base::new(&with("engines.gpu.machines", 7.0)).expect("a base");
    read_against(&own, folder.path(), out.path());
    assert_eq!(Base::of_results(out.path(), &own.digest), Some(own.clone()));
    assert_eq!(Base::of_results(out.path(), &base().digest), None, "it is another one");
    // Bytes that mean nothing are no base.
    fs::write(out.path().join("base.ron"), [0xff; 64]).expect("written");
    assert_eq!(Base::of_results(out.path(), &own.digest), None);
    // Reading again, with nothing new, puts it there again; shards hand it on.
    read_against(&own, folder.path(), out.path());
    assert!(Base::of_results(out.path(), &own.digest).is_some());
    let parts: Vec<TempDir> = (0..2).map(|_| tempfile::tempdir().expect("a folder")).collect();
    for (place, part) in parts.iter().enumerate() {
        drop(read_with(&[folder.path().to_owned()], part.path(), Some(Shard::new(place + 1, 2).expect("a shard")), 2));
    }
    let merged = tempfile::tempdir().expect("a folder");
    drop(
        merge(&parts.iter().map(|part| part.path().to_owned()).collect::<Vec<_>>(), merged.path(), Unfinished::Refused)
            .expect("merged"),
    );
    assert_eq!(Base::of_results(merged.path(), &base().digest), Some(base()));
}

#[test]
fn a_query_that_is_opened_is_answered_as_in_the_fleet() {
    let (folder, out) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    App::new("application_1").write(folder.path(), "log");
    let own = Base::new(&with("engines.gpu.machines", 7.0)).expect("a base");
    read_against(&own, folder.path(), out.path());
    let import = read_log(&folder.path().join("log"), &Control::default()).expect("a log");
    for (query, row) in import.queries.iter().zip(rows(out.path(), Table::Queries)) {
        let scenario = own.scenario_of(&import, query);
        scenario.study.validate().expect("a valid study");
        let verdict = verdict(&scenario);
        near(verdict.cpu.value, number(&row, "seconds"), "today");
        near(verdict.gpu.value, number(&row, "gpu_seconds"), "there");
        near(verdict.gpu.high, number(&row, "gpu_seconds_high"), "upper end");
    }
}

#[test]
fn a_list_that_says_something_else_is_named_with_the_reason() {
    let (_folder, out) = results();
    let (base, mut application) = (base(), an_application(out.path()));
    let notes = |application: &Application| {
        CombinedWorkload::of([application], &base).scenario(&base, "an organisation").expect("a scenario").notes
    };
    // Of a log that does not tell when the application began, nothing is saved in the list.
    application.summary.seconds = None;
    let notes = notes(&application);
    assert!(notes.contains("the fleet's list has 0 s:"), "{notes}");
}

/// The engine and the version are those of the log, the model is that of the measured version, and options keep their profiles. RAPIDS
/// 25.12 supports Spark 3.2.0 to 4.0.1, so that Spark 3.1.1 is warned of and not refused.
#[test]
fn todays_engine_is_that_of_the_logs_and_options_keep_their_times() {
    let (_folder, out) = results();
    let (base, mut application) = (base(), an_application(out.path()));
    let scenario = |application: &Application| {
        let combined = CombinedWorkload::of([application], &base);
        (combined.today_seconds, combined.scenario(&base, "an organisation").expect("a scenario"))
    };
    let (_, measured) = scenario(&application);
    "Spark 3.1.1".clone_into(&mut application.summary.engine);
    let (seconds, older) = scenario(&application);
    let study = older.placement().expect("a placement study");
    let engines = study.engines.as_deref().expect("engines");
    assert_eq!(engines.cpu.name, "Spark 3.1.1");
    assert_eq!(engines.cpu.fitted_to, base.titles()[0]);
    near(engines.measured_seconds.expect("a measured time"), seconds, "today");
    near(verdict(&older).gpu.value, verdict(&measured).gpu.value, "there");

    let name = &application.summary.name;
    let about = &study.query.as_deref().expect("a query").combined;
    assert!(about.contains(&format!(" of application {name} (")) && about.contains(" of its "), "{about}");

    let candidates =
        |scenario: &Scenario| workload(scenario.placement().expect("a study")).expect("options").candidates;
    let (now, before) = (candidates(&older), candidates(&measured));
    let gpu = engines.gpu.title();
    let option = now.iter().find(|option| option.is_titled(&gpu)).expect("the GPU cluster");
    assert_eq!(option.blocked_by, None);
    assert!(
        option.evidence.warnings.iter().any(|warning| warning.contains(" does not support Spark 3.1.1")),
        "{option:?}"
    );
    let version = option.evidence.version.as_ref().expect("another version");
    assert_eq!((version.measured.as_str(), version.today.as_str()), ("Spark 3.5.3", "Spark 3.1.1"));
    let gluten = |options: &[Candidate]| {
        let option = options.iter().find(|option| option.engine.starts_with("Gluten (Velox)")).expect("Gluten");
        option.time.expect("a time").value()
    };
    near(gluten(&now), gluten(&before), "Gluten");
}

/// One machine with 11 cores and two with 13, for equal times: 12.33 cores on average, which are 12.
#[test]
fn several_versions_are_named_and_the_mean_machine_has_whole_cores() {
    let (_folder, out) = results();
    let (base, application) = (base(), an_application(out.path()));
    let of = |engine: &str, cores: u64| {
        let mut of = application.clone();
        engine.clone_into(&mut of.summary.engine);
        (of.summary.machines, of.summary.cores_per_machine) = (Some(1), Some(cores));
        of
    };
    let all = [of("Spark 3.5.3", 11), of("Spark 4.3.0", 13), of("Spark 3.3.0", 13)];
    let combined = CombinedWorkload::of(&all, &base);
    assert_eq!(combined.engine(), "Spark 3.3.0 … 4.3.0");
    let scenario = combined.scenario(&base, "an organisation").expect("a scenario");
    let engines = scenario.placement().and_then(|study| study.engines.as_deref()).expect("engines");
    assert_eq!((engines.cpu.machines, engines.cpu.lanes, engines.cpu.vcpus), (1.0, 12.0, None));
    assert_eq!(engines.cpu.title(), "Spark 3.3.0 … 4.3.0, 1 × mean machine of the logs");
    assert_eq!(engines.gpu.fitted_to, base.titles()[1]);
    near(verdict(&scenario).cpu.value, combined.today_seconds, "today");
}

#[test]
fn plans_of_other_engines_are_left_out_and_counted() {
    let (_folder, out) = results();
    let (base, spark) = (base(), an_application(out.path()));
    let mut duckdb = spark.clone();
    "DuckDB 1.4".clone_into(&mut duckdb.summary.engine);
    let alone = CombinedWorkload::of([&spark], &base);
    let both = CombinedWorkload::of([&spark, &duckdb], &base);
    assert_eq!((alone.without, both.without), (0, 1));
    assert_eq!((both.queries, both.today_seconds.to_bits()), (alone.queries, alone.today_seconds.to_bits()));
    let notes = both.scenario(&base, "an organisation").expect("a scenario").notes;
    assert!(notes.contains("of another engine than Spark"), "{notes}");
    let nothing = CombinedWorkload::of([&duckdb], &base).scenario(&base, "an organisation");
    assert_eq!(nothing, Err(NothingToPlan::OtherEngines));
}
