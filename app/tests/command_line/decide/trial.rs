//! Trials: measured times of an option beside the predicted ones.

use std::fs;
use std::path::Path;

use super::super::{refusal, result};
use super::{LOG, decided_one, list, number, option, parsed, printed, text};

/// The log as another engine writes it, whose projections have this name; query 6 takes some seconds.
fn trial(folder: &Path, projection: &str, seconds: u64) -> String {
    let log = fs::read(LOG).expect("the log");
    let log = String::from_utf8(zstd::decode_all(&log[..]).expect("zstd")).expect("text");
    // Query 6 began at 1,795,292,404.294 s and took 10.446 s.
    let end = |ms: u64| format!("\"executionId\":6,\"time\":{ms}");
    let (began, ended) = (1_795_292_404_294, 1_795_292_414_740);
    assert!(log.contains(&end(ended)), "the end of query 6");
    let log = log.replace(&end(ended), &end(began + seconds * 1000));
    let log = log.replace("\"nodeName\":\"Project\"", &format!("\"nodeName\":\"{projection}\""));
    let path = folder.join(format!("{projection}-{seconds}"));
    fs::write(&path, log).expect("written");
    text(&path).to_owned()
}

#[test]
fn a_trial_replaces_the_predicted_times_and_decides_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let comet = "Comet 0.17.0 on Spark 3.5.8, same machines";
    for seconds in [3, 30] {
        let log = trial(folder.path(), "CometProject", seconds);
        let decided = decided_one(&[LOG, "--query", "6", "--trial", &log]);
        let trial = &decided["trial"];
        assert_eq!((&trial["option"], &trial["missing"]), (&comet.into(), &0.into()), "{trial}");
        let tried = option(&decided["decision"], comet);
        assert_eq!(number(&tried["candidate"]["time"]["median_seconds"]), seconds as f64, "{tried}");
        let is_faster = f64::from(u8::from(seconds < 10));
        assert_eq!(number(&tried["faster"]), is_faster, "{tried}");
        if seconds < 10 {
            // On the same machines a run costs as it takes: 3 s of 10.446 s.
            let costs = &decided["costs"];
            let [now, then] = ["today", "with_option"].map(|which| number(&costs[which]["usd_per_run"]));
            assert_eq!(costs["option"], comet);
            assert!((then / now / (3.0 / 10.446) - 1.0).abs() < 1e-3, "{costs}");
        }
        // The predicted time is that of the decision without the trial.
        let before = decided_one(&[LOG, "--query", "6"]);
        assert_eq!(trial["before"], before["decision"]);
        assert_eq!(trial["total"]["predicted"], option(&before["decision"], comet)["candidate"]["time"]);
        let table = result(&["decide", LOG, "--query", "6", "--trial", &log]);
        let first = format!("After the trial: {}", if seconds < 10 { "Move to Comet" } else { "" });
        assert!(table.lines().nth(1).is_some_and(|line| line.starts_with(&first)), "{table}");
        assert!(table.contains(&format!("\n{seconds} s instead of ")), "{table}");
    }
}

#[test]
fn the_trial_of_an_application_has_the_time_of_each_query() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = trial(folder.path(), "ProjectExecTransformer", 3);
    let decided = decided_one(&[LOG, "--trial", &log]);
    let trial = &decided["trial"];
    let queries = list(&trial["queries"]);
    let six = queries.iter().find(|query| query["name"] == "query 6").expect("query 6");
    assert_eq!(number(&six["seconds"]), 3.0);
    // Everything else took as long as today: 56.71 s − 10.446 s + 3 s.
    assert!((number(&trial["total"]["seconds"]) - 49.264).abs() < 0.01, "{trial}");
    let table = result(&["decide", LOG, "--trial", &log]);
    assert!(table.contains("Trial of Gluten (Velox) on Spark 3.5.3, same machines"), "{table}");
}

#[test]
fn a_trial_of_something_else_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let photon = trial(folder.path(), "PhotonProject", 3);
    let other = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-join.json");
    for (log, expected) in [
        (
            photon.as_str(),
            "Photon ran it; expected the log of a run with the recommended configuration: Gluten (Velox)",
        ),
        (other, "it has no query of shop-eventlog.zstd; expected a run of the same queries"),
        ("nowhere/trial.log", "cannot read nowhere/trial.log"),
    ] {
        let message = refusal(1, &["decide", LOG, "--trial", log]);
        assert!(message.contains(expected), "{log}: {message}");
    }
    let message = refusal(2, &["decide", LOG, LOG, "--trial", LOG]);
    assert!(message.contains("--trial: only with one LOG"), "{message}");
}

#[test]
fn a_profile_learned_from_a_trial_decides() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = trial(folder.path(), "CometProject", 3);
    let out = folder.path().join("site.ron");
    let learned = parsed(&["learn", LOG, &log, "--out", text(&out)]);
    let six = list(&learned["queries"]).iter().find(|query| query["name"] == "query 6 of shop-eventlog.zstd");
    let six = six.unwrap_or_else(|| panic!("query 6 in {learned}"));
    assert_eq!((number(&six["seconds"]), &six["paired_by"]), (3.0, &"plan".into()));
    assert_eq!(number(&learned["posterior"]["queries"]), list(&learned["queries"]).len() as f64);

    let comet = "Comet 0.17.0 on Spark 3.5.8, same machines";
    let of = |arguments: &[&str]| {
        let decided = decided_one(&[&[LOG, "--query", "6"][..], arguments].concat());
        option(&decided["decision"], comet)["candidate"].clone()
    };
    let (before, after) = (of(&[]), of(&["--profile", text(&out)]));
    let [before_seconds, after_seconds] = [&before, &after].map(|candidate| number(&candidate["time"]["seconds"]));
    let factor = number(&learned["posterior"]["log_factor"]).exp();
    assert!((after_seconds / before_seconds / factor - 1.0).abs() < 1e-9, "{after_seconds} after {before_seconds}");
    let runs = after["evidence"]["runs"].as_str().unwrap_or_default();
    assert!(runs.contains("of shop-eventlog.zstd and CometProject-3"), "{runs}");

    let table = result(&["learn", LOG, &log]);
    assert!(table.contains("measured ÷ predicted") && table.contains("query 6 of shop-eventlog.zstd"), "{table}");
}

#[test]
fn logs_of_one_engine_or_another_program_are_not_learned_from() {
    let duckdb = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-join.json");
    for (log, expected) in [(LOG, "no log of another engine"), (duckdb, "not an event log of Spark")] {
        let message = refusal(1, &["learn", LOG, log]);
        assert!(message.contains(expected), "{log}: {message}");
    }
    refusal(2, &["learn", LOG]);
}

/// A scenario keeps the trial, as the window saves it.
#[test]
fn a_trial_in_a_scenario_decides_in_every_command_that_reads_it() {
    let comet = "Comet 0.17.0 on Spark 3.5.8, same machines";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("query.ron");
    let runs = "decision.runs_per_month=3000";
    printed(&["import", "spark-log", LOG, "--query", "6", "--set", runs, "--out", text(&path)]);
    let scenario = fs::read_to_string(&path).expect("a scenario");
    let tried = |seconds: &str| {
        let trial = format!("trial: Some((file: \"t.zstd\", query: \"6\", option: \"{comet}\", seconds: {seconds})),");
        let with_trial = scenario.replacen("decision: Some((", &format!("decision: Some(({trial}"), 1);
        assert_ne!(with_trial, scenario);
        fs::write(&path, with_trial).expect("written");
    };
    for (seconds, is_faster) in [("3.0", 1.0), ("30.0", 0.0)] {
        tried(seconds);
        let decision = &parsed(&["evaluate", text(&path)])["plan"]["decision"];
        let tried = option(decision, comet);
        assert_eq!(number(&tried["candidate"]["time"]["seconds"]).to_string(), seconds.trim_end_matches(".0"));
        assert_eq!(number(&tried["faster"]), is_faster, "{seconds} s: {tried}");
    }
    tried("-1.0");
    let message = refusal(1, &["evaluate", text(&path)]);
    assert!(message.contains("decision.trial.seconds"), "{message}");
}
