//! What the user enters for a fleet decides: the price of today's machines, the goal, the effort of a move, a budget.

use serde_json::Value;

use super::super::{refusal, run};
use super::{DEAR, LOG, logs, number, text};

/// The recommended options of a decision, "Gluten … or Comet …, both on the same machines"; no entered price has three.
fn recommended(decision: &Value) -> String {
    let ties = decision["near_ties"].as_array().expect("a list");
    let places = std::iter::once(&decision["best"]).chain(ties.iter().map(|tie| &tie["other"]));
    let titles = places.map(|place| {
        let place = usize::try_from(place.as_u64().expect("a recommendation")).expect("few");
        decision["options"][place]["candidate"]["title"].as_str().expect("a title")
    });
    let titles: Vec<&str> = titles.collect();
    let engines: Option<Vec<&str>> = titles.iter().map(|title| title.strip_suffix(", same machines")).collect();
    match engines.as_deref() {
        Some([first, second]) => format!("{first} or {second}, both on the same machines"),
        _ => titles.join(" or "),
    }
}

#[test]
fn an_entered_price_of_todays_machines_or_time_limit_decides_as_decide_does() {
    let (folder, out) = (logs(), tempfile::tempdir().expect("a folder"));
    for entered in [
        &["--price-today", "0.01"][..],
        &["--price-today", "0.20"],
        &["--price-today", "20"],
        &["--price-today", "0.06", "--within", "3x"],
        &["--within", "0.5x"],
        &["--effort", "100", "--runs-per-month", "30"],
        &["--effort", "0.1", "--runs-per-month", "30"],
        &["--effort", "2h", "--hourly-rate", "50", "--runs-per-month", "30"],
    ] {
        let more = [entered, &["--format", "json"]].concat();
        let (code, output, messages) =
            run(&[&["fleet", text(folder.path()), "--out", text(out.path())][..], &more[..]].concat());
        assert_eq!(code, Some(0), "{messages}");
        let fleet: Value = serde_json::from_str(&output).expect("JSON");
        let (code, output, messages) = run(&[&["decide", LOG][..], &more[..]].concat());
        assert_eq!(code, Some(0), "{messages}");
        let decided: Value = serde_json::from_str(&output).expect("JSON");
        let (one, decision) = (&fleet["list"][0], &decided[0]["decision"]);
        assert_eq!(
            one["verdict"].as_str().map(|verdict| verdict.replace(' ', "_")).as_deref(),
            decision["verdict"].as_str()
        );
        if let ["--price-today", price, ..] = entered {
            // One machine with four cores for 56.7 s.
            let price: f64 = price.parse().expect("a number");
            assert!((number(&one["today_usd"]) - price * number(&one["seconds"]) / 3600.0).abs() < 1e-12, "{one}");
        }
        let limit = entered.iter().position(|flag| *flag == "--within").map(|flag| entered[flag + 1]);
        let limit = limit.map_or(1.0, |limit| limit.trim_end_matches('x').parse().expect("a number"));
        assert_eq!((number(&fleet["time_limit"]), number(&decision["objective"]["time_limit"])), (limit, limit));
        if let Some(best) = decision["best"].as_u64() {
            let option = &decision["options"][usize::try_from(best).expect("few")];
            assert_eq!(one["option"], recommended(decision));
            let near = |a: &Value, b: &Value| (number(a) - number(b)).abs() <= 1e-12 * number(b).abs();
            assert!(near(&one["saved_usd"], &option["saving"]), "{one} {option}");
            assert!(near(&one["likelihood"], &option["better"]), "{one} {option}");
        }
    }
    let todays: &[&str] = &[];
    for budget in [todays, &["--budget", "1"]] {
        let json = |command: &[&str]| -> Value {
            let (code, output, messages) = run(&[command, &["--least", "time", "--format", "json"], budget].concat());
            assert_eq!(code, Some(0), "{messages}");
            serde_json::from_str(&output).expect("JSON")
        };
        let fleet = json(&["fleet", text(folder.path()), "--out", text(out.path())]);
        let decided = json(&["decide", LOG]);
        let (one, decision) = (&fleet["list"][0], &decided[0]["decision"]);
        assert_eq!(
            (&fleet["goal"], &fleet["budget_usd"], &one["verdict"]),
            (&decision["objective"]["goal"], &decision["objective"]["budget_usd"], &decision["verdict"]),
            "{one} {decision}"
        );
        assert_eq!(one["option"], recommended(decision));
        // Dollars, although time decides: the difference of the mean costs.
        let costs = ["today", "with_option"].map(|which| number(&decided[0]["costs"][which]["usd_per_run"]));
        assert!((number(&one["saved_usd"]) - (costs[0] - costs[1])).abs() < 1e-12, "{one}");
    }
    let message = refusal(2, &["fleet", LOG, "--out", text(out.path()), "--budget", "1"]);
    assert!(message.contains("--budget: only with --least time"), "{message}");
    let message = refusal(2, &["fleet", LOG, "--out", text(out.path()), "--least", "time", "--within", "2x"]);
    assert!(message.contains("--within: only with --least cost"), "{message}");
    let message = refusal(2, &["fleet", LOG, "--out", text(out.path()), "--price-today", "0"]);
    assert!(message.contains("expected a number above 0"), "{message}");
    let message = refusal(2, &["fleet", LOG, "--out", text(out.path()), "--within", "10s"]);
    assert!(message.contains("expected a factor of today's time"), "{message}");
    let (_, table, _) = run(&["fleet", text(folder.path()), "--out", text(out.path()), "--within", "1.2x"]);
    assert!(table.contains("Goal: cheaper within 1.2× today’s time.") && table.contains("within limit"), "{table}");
}

/// At $2 an hour for today's machines the log saves 1.6 cents per run, and 30 runs a month $17 in 36 months.
#[test]
fn an_application_whose_saving_does_not_pay_back_its_effort_is_not_moved() {
    let (folder, out) = (logs(), tempfile::tempdir().expect("a folder"));
    let of = |effort: &str, format: &str| {
        let more = ["--effort", effort, "--runs-per-month", "30", "--max-gpu-machines", "8", "--format", format];
        let (code, output, messages) =
            run(&[&["fleet", text(folder.path()), "--out", text(out.path())][..], &DEAR, &more].concat());
        assert_eq!(code, Some(0), "{messages}");
        output
    };
    let json = |effort: &str| -> Value { serde_json::from_str(&of(effort, "json")).expect("JSON") };
    let small = json("0.1");
    let shop = |fleet: &Value| -> Value {
        let list = fleet["list"].as_array().expect("a list");
        list.iter().find(|one| one["name"] == "shop").expect("the log").clone()
    };
    let saving = number(&shop(&small)["expected_saving_usd"]);
    let months = number(&shop(&small)["payback_months"]);
    assert!((months - 0.1 / saving).abs() < 1e-9 * months, "{months}, {saving}");
    let effort = &small["effort"];
    let (count, usd) = (number(&effort["applications"]), number(&effort["usd"]));
    assert!(count >= 1.0 && (usd - 0.1 * count).abs() < 1e-12, "{effort}");
    let of_all = usd / number(&small["costs"]["expected_saving_usd"]);
    assert!((number(&effort["payback_months"]) - of_all).abs() < 1e-9 * of_all, "{effort}");
    assert!(number(&small["portfolio"]["effort"]["usd"]) <= usd, "{small}");
    let table = of("0.1", "table");
    assert!(table.contains(" Effort: $") && table.contains("paid back in "), "{table}");

    let large = json("100");
    assert_eq!((large["to_move"].as_u64(), &large["effort"]), (Some(0), &Value::Null));
    assert_eq!(large["portfolio"]["chosen"].as_array().map(Vec::len), Some(0));
    let shop = shop(&large);
    let found = (shop["verdict"].as_str(), shop["blocked_by"][0].as_str());
    assert_eq!(found, (Some("stay"), Some("effort not paid back")));
    assert!(
        of("100", "html").contains("Its expected saving does not pay back the effort of the move within 36 months.")
    );
    assert!(of("100", "csv").lines().next().is_some_and(|titles| titles.ends_with(",payback_months,payback_runs")));
}

#[test]
fn a_budget_per_month_needs_the_runs_per_month() {
    let (folder, out) = (logs(), tempfile::tempdir().expect("a folder"));
    let arguments = ["fleet", text(folder.path()), "--out", text(out.path()), "--max-gpu-usd", "10"];
    let arguments = [&arguments[..], &DEAR].concat();
    let message = refusal(1, &arguments);
    assert!(message.contains("add --runs-per-month"), "{message}");
    let (code, output, messages) = run(&[&arguments[..], &["--runs-per-month", "30"]].concat());
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("With at most $10 for GPU machines per month: move "), "{output}");
    assert!(output.contains("Runs per month: 30 of each application, as entered."), "{output}");
    let both = [&arguments[..], &["--max-gpu-machines", "4"]].concat();
    assert!(refusal(2, &both).contains("cannot be used with"));
}
