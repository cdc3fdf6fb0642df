//! Prices of `crossover decide`: of today's machines, of named clusters, and what follows from them for costs and savings.

use serde_json::Value;

use super::super::{refusal, result};
use super::{LOG, RAPIDS, ROUNDING, decided_one, list, number, option, parsed, printed, seconds, surer_gluten, text};

/// 56.71 s on four of the 48 vCPUs that cost $2.304 an hour are $0.0030245, 3,000 times as much $9.07.
#[test]
fn costs_of_a_run_and_a_month_today_stand_beside_those_of_the_best_option() {
    let folder = tempfile::tempdir().expect("a folder");
    let profile = surer_gluten(folder.path());
    let arguments = [LOG, "--runs-per-month", "3000", "--profile", &profile];
    let shop = decided_one(&arguments);
    let costs = &shop["costs"];
    let [today, then] = ["today", "with_option"].map(|which| number(&costs[which]["usd_per_run"]));
    assert!((today / 0.003_024_5 - 1.0).abs() < 1e-3, "{costs}");
    assert_eq!(costs["today"]["basis"], "assumed");
    assert!((number(&costs["today"]["usd_per_month"][0]) / (3000.0 * today) - 1.0).abs() < ROUNDING, "{costs}");
    let recommended = option(&shop["decision"], costs["option"].as_str().expect("a title"));
    assert!(((today - then) / number(&recommended["saving"]) - 1.0).abs() < 1e-9, "{costs}");
    for format in ["table", "markdown", "html"] {
        let text = result(&[&["decide", "--format", format][..], &arguments].concat());
        assert!(text.contains("Cost today") && text.contains("Cost with recommended option"), "{text}");
        assert!(text.contains(" a month at 3,000 runs, at an assumed price"), "{text}");
    }
}

#[test]
fn a_named_cluster_has_its_price() {
    let of = |cluster: &str| decided_one(&[LOG, "--on", cluster])["decision"].clone();
    for (cluster, usd) in [("4xg6.2xlarge@0.40", 0.40), ("4×g6.2xlarge@0.4", 0.40), ("4xg6.2xlarge", 0.9776)] {
        let decision = of(cluster);
        let rapids = option(&decision, RAPIDS);
        let expected = 4.0 * usd * seconds(rapids) / 3600.0;
        assert!((number(&rapids["usd"]["value"]) / expected - 1.0).abs() < ROUNDING, "{cluster}: {rapids}");
        // A named cluster takes the place of the same one, beside half and twice as many machines.
        let named = |option: &&Value| option["candidate"]["engine"] == "RAPIDS 25.12 (L4)";
        assert_eq!(list(&decision["options"]).iter().filter(named).count(), 3, "{cluster}");
    }
    // A price changes no time.
    assert_eq!(seconds(option(&of("4xg6.2xlarge@0.4"), RAPIDS)), seconds(option(&of("4xg6.2xlarge"), RAPIDS)));
    let two = decided_one(&[LOG, "--on", "2xg6.2xlarge", "--on", "3xg6.4xlarge"]);
    for title in ["RAPIDS 25.12 (L4), 2 × g6.2xlarge", "RAPIDS 25.12 (L4), 3 × g6.4xlarge"] {
        assert!(seconds(option(&two["decision"], title)) > 0.0);
    }
}

#[test]
fn a_machine_that_nothing_was_measured_on_is_listed_without_a_time() {
    for (cluster, title, why) in [
        ("4xp4d.24xlarge", "RAPIDS 25.12 (L4), 4 × p4d.24xlarge", "measured on L4 only, not on A100"),
        ("4xc5d.12xlarge", "Spark, 4 × c5d.12xlarge", "no query was measured both on this machine"),
    ] {
        let shop = decided_one(&[LOG, "--on", cluster]);
        let unmeasured = option(&shop["decision"], title);
        assert!(unmeasured["candidate"]["time"].is_null() && unmeasured["usd"].is_null(), "{unmeasured}");
        assert!(unmeasured["faster"].is_null() && unmeasured["better"].is_null(), "{unmeasured}");
        let table = result(&["decide", LOG, "--on", cluster]);
        let line = table.lines().find(|line| line.starts_with("No measured data: ")).expect(&table);
        assert!(line.contains(title) && line.contains(why), "{line}");
        let says = format!(" {title}, which you named, has no measured data: {why}");
        assert!(shop["sentence"].as_str().is_some_and(|sentence| sentence.contains(&says)), "{}", shop["sentence"]);
    }
}

#[test]
fn a_price_of_today_is_that_of_all_its_machines_and_of_what_runs_on_them() {
    let shop = decided_one(&[LOG, "--price-today", "2"]);
    let decision = &shop["decision"];
    assert_eq!(
        (&decision["baseline"]["price"]["usd_per_hour"], &decision["baseline"]["price"]["source"]),
        (&2.0_f64.into(), &"entered".into())
    );
    let on_same = list(&decision["options"])
        .iter()
        .filter(|option| option["candidate"]["title"].as_str().is_some_and(|title| title.ends_with(", same machines")));
    let on_same: Vec<&Value> = on_same.collect();
    assert_eq!(on_same.len(), 4, "two versions of Gluten and two of Comet");
    assert!(on_same.iter().all(|option| option["candidate"]["price"]["usd_per_hour"] == 2.0), "{on_same:?}");
    let other = number(&option(decision, RAPIDS)["candidate"]["price"]["usd_per_hour"]);
    assert!((other / (4.0 * 0.9776) - 1.0).abs() < ROUNDING, "{other}");
    let table = result(&["decide", LOG, "--price-today", "2"]);
    assert!(table.contains("(entered)"), "{table}");
}

/// The log is of one machine with four cores; a g6.2xlarge has one GPU and eight vCPUs.
#[test]
fn prices_are_of_a_machine_a_core_or_a_gpu_and_say_what_they_are_based_on() {
    let of = |arguments: &[&str]| decided_one(&[&[LOG][..], arguments].concat())["decision"].clone();
    let today = of(&["--price-today", "0.05/core:spot:2026-11-01"]);
    let baseline = &today["baseline"];
    assert!((number(&baseline["price"]["usd_per_hour"]) - 0.2).abs() < 1e-12, "{baseline}");
    let price = ["source", "basis", "date"].map(|field| &baseline["price"][field]);
    assert_eq!(price, ["entered", "spot", "2026-11-01"]);
    for (arguments, usd, basis) in [
        (&["--price-gpu", "0.5/gpu:spot"][..], 0.5, "spot"),
        (&["--on", "4xg6.2xlarge@0.05/core:reserved"], 0.4, "reserved"),
        (&["--on", "4xg6.2xlarge@0.40"], 0.4, "own"),
        (&[], 0.9776, "on_demand"),
    ] {
        let decision = of(arguments);
        let candidate = &option(&decision, RAPIDS)["candidate"];
        assert!(
            (number(&candidate["price"]["usd_per_hour"]) / (4.0 * usd) - 1.0).abs() < ROUNDING,
            "{arguments:?}: {candidate}"
        );
        assert_eq!(candidate["price"]["basis"], basis, "{arguments:?}");
    }
    let table = result(&["decide", LOG, "--price-today", "0.2:spot:2025-01-01"]);
    assert!(table.contains("$0.20 spot"), "{table}");
    let dates = "Warning: prices are of different dates: 2025-01-01 (Spark 4.3.0, 1 × host with 4 executor cores) and 2026-07-20";
    assert!(table.contains(dates), "{table}");
    let range = of(&["--runs-per-month", "2000..4000"]);
    assert_eq!(number(&range["objective"]["runs_per_month"]), 3000.0);
}

/// The log is of one machine.
#[test]
fn savings_have_intervals_and_a_price_beyond_the_named_one_changes_the_recommendation() {
    let folder = tempfile::tempdir().expect("a folder");
    let profile = surer_gluten(folder.path());
    let question = [LOG, "--query", "6", "--profile", &profile];
    let of = |usd: f64| decided_one(&[&question[..], &["--price-today", &usd.to_string()]].concat());
    let decided = of(0.2);
    let decision = &decided["decision"];
    let today = 0.2 * number(&decision["baseline"]["time"]["seconds"]) / 3600.0;
    for option in list(&decision["options"]).iter().filter(|option| !option["saving"].is_null()) {
        // Today's cost minus the other end of the option's.
        for (end, of_cost) in [(0_usize, 1_usize), (1, 0)] {
            let cost = number(&option["usd"]["interval"][of_cost]);
            let found = number(&option["saving_interval"][end]);
            assert!((found - (today - cost)).abs() <= ROUNDING * (today + cost), "{option}");
        }
    }
    let change = list(&decided["price_changes"]).iter().find(|change| change["of"] == "today").expect("a price");
    let recommended = |usd: f64| {
        let decided = of(usd);
        let decision = &decided["decision"];
        let ties = list(&decision["near_ties"]).iter().map(|tie| tie["other"].clone());
        std::iter::once(decision["best"].clone()).chain(ties).collect::<Vec<Value>>()
    };
    let usd = number(&change["usd_per_hour"]);
    let beyond = if number(&change["factor"]) > 1.0 { 1.001 } else { 0.999 };
    let (before, then) = (recommended(usd / beyond), recommended(usd * beyond));
    assert_eq!(before, [decision["best"].clone()], "one option is recommended now");
    // Another option comes beside it first, and farther away it is alone.
    assert_eq!(then[..2], [change["best"].clone(), change["beside"].clone()], "{change}");
    let tie_ends = &change["tie_ends"];
    let usd_alone = number(&tie_ends["usd_per_hour"]);
    assert!((usd_alone / usd > 1.0) == (beyond > 1.0), "{change}");
    assert!(recommended(usd_alone / beyond).len() > 1, "{change}");
    assert_eq!(recommended(usd_alone * beyond), [tie_ends["best"].clone()], "{change}");
    let report = result(&[&["decide"][..], &question, &["--price-today", "0.2"]].concat());
    let line = report.lines().find(|line| line.starts_with("If today’s machines cost ")).expect(&report);
    assert!(line.contains(" or ") && line.contains(": only "), "{line}");
}

/// Nine queries of one application: a budget of a run is the same for each of them, as if it were the only one.
#[test]
fn a_budget_is_that_of_a_run_of_what_is_decided() {
    let flags = [LOG, "--least", "time", "--budget", "0.01"];
    let whole = decided_one(&flags);
    assert_eq!(number(&whole["decision"]["objective"]["budget_usd"]), 0.01);
    let queries = list(&whole["queries"]).iter().filter(|query| !query["decision"].is_null());
    let queries: Vec<&Value> = queries.collect();
    assert!(queries.len() > 1, "{whole}");
    for query in queries {
        let id = query["id"].as_str().expect("an id");
        let alone = decided_one(&[&flags[..], &["--query", id]].concat());
        for same in ["objective", "verdict", "best"] {
            assert_eq!(query["decision"][same], alone["decision"][same], "query {id}: {same}");
        }
    }
}

#[test]
fn an_effort_is_paid_back_and_a_range_of_runs_gives_a_range_of_savings() {
    let folder = tempfile::tempdir().expect("a folder");
    let profile = surer_gluten(folder.path());
    let flags = ["--price-today", "0.2", "--runs-per-month", "2000..4000", "--profile", &profile];
    let of = |effort: &[&str]| decided_one(&[&[LOG][..], &flags, effort].concat());
    let with_effort = of(&["--effort", "10"]);
    assert_eq!(number(&with_effort["decision"]["objective"]["effort_usd"]), 10.0);
    // 2.5 hours at $4 are $10.
    let in_hours = of(&["--effort", "2.5h", "--hourly-rate", "4"]);
    assert_eq!((&in_hours["sentence"], &in_hours["decision"]), (&with_effort["sentence"], &with_effort["decision"]));
    let sentence = with_effort["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains(" a month at 2,000 to 4,000 runs ("), "{sentence}");
    assert!(sentence.contains(" a year. An effort of $10 is paid back in "), "{sentence}");
    // Two options that cost about the same.
    let tied = decided_one(&[&[LOG][..], &flags[..4], &["--effort", "10"]].concat());
    let sentence = tied["sentence"].as_str().expect("a sentence");
    let (_, effort) = sentence.split_once(" An effort of $10 is paid back in ").expect(sentence);
    assert!(effort.contains(" months or ") && !effort.contains("paid back"), "{sentence}");
    // A run costs $0.003 today, so 4,000 runs save at most $12 a month and $432 in three years.
    let late = of(&["--effort", "5000"]);
    let sentence = late["sentence"].as_str().expect("a sentence");
    assert_eq!(late["decision"]["verdict"], "stay", "{sentence}");
    assert!(
        sentence.contains("; an effort of $5,000 is paid back in ") && sentence.contains(" months, not within 36."),
        "{sentence}"
    );
    let without = of(&[]);
    let sentence = without["sentence"].as_str().expect("a sentence");
    assert!(
        sentence.contains(" a year. The effort of the move is not counted: the saving pays back at most $"),
        "{sentence}"
    );
    assert!(
        sentence.contains(" within 36 months, ") && sentence.contains(" of work at $100 an hour (assumed)."),
        "{sentence}"
    );
    // Each query is decided as with --query, with all of the effort.
    let queries = list(&late["queries"]).iter().filter(|query| !query["decision"].is_null());
    let queries: Vec<&Value> = queries.collect();
    assert!(queries.len() > 1, "{late}");
    for query in queries {
        let id = query["id"].as_str().expect("an id");
        let alone = of(&["--effort", "5000", "--query", id]);
        let verdicts = [&query["decision"], &alone["decision"]].map(|decision| decision["verdict"].clone());
        assert_eq!(verdicts[0], verdicts[1], "query {id}");
        assert_eq!(number(&query["decision"]["objective"]["effort_usd"]), 5000.0, "query {id}");
    }
    // A scenario keeps it.
    let path = folder.path().join("query.ron");
    let effort = ["--set", "decision.effort_usd=5000"];
    printed(&[&["import", "spark-log", LOG, "--query", "6", "--out", text(&path)][..], &effort].concat());
    let decision = &parsed(&["evaluate", text(&path)])["plan"]["decision"];
    assert!(decision["sentence"].as_str().is_some_and(|text| text.contains("An effort of $5,000")), "{decision}");
    let hours = ["--set", "decision.effort_hours=40", "--set", "decision.hourly_rate_usd=90"];
    let path = folder.path().join("hours.ron");
    printed(&[&["import", "spark-log", LOG, "--query", "6", "--out", text(&path)][..], &hours].concat());
    let decision = &parsed(&["evaluate", text(&path)])["plan"]["decision"];
    assert!(decision["sentence"].as_str().is_some_and(|text| text.contains("An effort of $3,600")), "{decision}");
    let message = refusal(2, &["decide", LOG, "--effort", "much"]);
    assert!(message.contains("'--effort <USD|HOURS>': expected a number above 0"), "{message}");
    for (wrong, expected) in [
        (&["--effort", "40h"][..], "--effort: hours need --hourly-rate"),
        (&["--effort", "5000", "--hourly-rate", "90"], "--hourly-rate: only with --effort in hours"),
    ] {
        let message = refusal(2, &[&["decide", LOG][..], wrong].concat());
        assert!(message.contains(expected), "{message}");
    }
}
