//! `crossover search`: what meets constraints and is best, and why its neighbours are not recommended.

use serde_json::Value;

use super::{records, refusal, run};

const MODERN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-modern.ron");
const REGULATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/regulation-published.ron");

const MACHINES: &str = "cluster.machines=4..64:16";

/// What a run prints, and what it says besides.
fn printed_and_messages(arguments: &[&str]) -> (String, String) {
    let (code, text, messages) = run(arguments);
    assert_eq!(code, Some(0), "{messages}");
    (text, messages)
}

/// What a run prints.
fn output(arguments: &[&str]) -> String {
    printed_and_messages(arguments).0
}

#[test]
fn the_cheapest_that_meets_the_deadline_is_found_with_the_reasons_against_its_neighbours() {
    let (text, messages) = printed_and_messages(&[
        "search",
        MODERN,
        "--free",
        MACHINES,
        "--choose",
        "gpu",
        "--constraint",
        "seconds<=2 min",
        "--minimise",
        "run_usd",
    ]);
    assert!(text.contains("the lowest of all feasible candidates; current scenario: cost of a run"), "{text}");
    assert!(
        text.contains("reason for rejection") && text.contains(" candidates of the search space were evaluated; "),
        "{text}"
    );
    assert!(messages.contains("excluded, because the catalogue has no price for it: "), "{messages}");
    assert!(messages.contains("excluded, because the catalogue lists only a purchase price"), "{messages}");

    let (text, _) = printed_and_messages(&[
        "search",
        MODERN,
        "--free",
        MACHINES,
        "--constraint",
        "seconds<=2 min",
        "--minimise",
        "run_usd",
        "--format",
        "json",
    ]);
    let found: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&found["evaluated"], &found["exhaustive"]), (&16.into(), &true.into()));
    let best = &found["pareto_front"][0];
    // By hand: every number of machines, one command each.
    let by_hand = (1..=16).map(|of| {
        let machines = 4 * of;
        // Each machine has its part of what all 64 have.
        let inputs = [
            ("filter", 200),
            ("project", 200),
            ("group by", 40),
            ("hash join", 60),
            ("regular expression", 20),
            ("interval join", 2),
        ];
        let inputs = inputs
            .map(|(name, gb)| format!("operators.{name}.input_gb={:?}", f64::from(gb) * 64.0 / f64::from(machines)));
        let machines_set = format!("cluster.machines={machines}");
        let set: Vec<&str> =
            std::iter::once(&machines_set).chain(&inputs).flat_map(|set| ["--set", set.as_str()]).collect();
        let rest =
            "--spread policy.threshold=uniform:1.19..1.21 --samples 64 --figure seconds --figure run_usd --format csv";
        let rest: Vec<&str> = rest.split(' ').collect();
        let text = output(&[&["uncertainty", MODERN][..], &set, &rest].concat());
        let rows = records(&text);
        let present = |row: usize| rows[1 + row][1].parse::<f64>().expect("a number");
        (present(0), present(1), f64::from(machines))
    });
    let kept = by_hand.filter(|(seconds, ..)| *seconds <= 120.0);
    let (seconds, cost, machines) = kept.min_by(|a, b| a.1.total_cmp(&b.1)).expect("one meets the constraint");
    assert_eq!(best["settings"][0]["value"], machines);
    assert_eq!(best["values"], serde_json::json!([cost, seconds]));
}

#[test]
fn what_is_recommended_is_written_as_a_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("best.ron");
    let out = out.to_str().expect("UTF-8");
    printed_and_messages(&[
        "search",
        MODERN,
        "--choose",
        "gpu=NVIDIA T4",
        "--choose",
        "network=InfiniBand EDR",
        "--minimise",
        "run_usd",
        "--out",
        out,
    ]);
    let text = std::fs::read_to_string(out).expect("a file");
    assert!(text.contains("name: \"NVIDIA T4\"") && text.contains("name: \"InfiniBand EDR\""), "{text}");
    assert!(text.contains("4 links of"), "each GPU has a link of its own: {text}");
    output(&["evaluate", out]);
}

#[test]
fn several_objectives_give_the_pareto_front() {
    let csv = output(&[
        "search",
        REGULATION,
        "--free",
        "controllers.PID.kp=0..3:7",
        "--minimise",
        "kwh",
        "--maximise",
        "tops",
        "--format",
        "csv",
    ]);
    let rows = records(&csv);
    assert!(rows.len() > 1);
    let values: Vec<(f64, f64)> =
        rows.iter().skip(1).map(|row| (row[1].parse().expect("a number"), row[2].parse().expect("a number"))).collect();
    for (place, (kwh, tops)) in values.iter().enumerate() {
        let beaten = values.iter().enumerate().any(|(other, (k, t))| other != place && k <= kwh && t >= tops);
        assert!(!beaten, "{csv}");
    }
}

#[test]
fn what_cannot_be_searched_is_wrong_usage_with_the_reason() {
    for (arguments, expected) in [
        (&["--minimise", "run_usd"][..], "no free parameters"),
        (&["--free", MACHINES], "--minimise"),
        (&["--free", "cluster.machine=4..64", "--minimise", "run_usd"], "did you mean “cluster.machines”?"),
        (&["--free", MACHINES, "--minimise", "run_eur"], "did you mean “run_usd”?"),
        (&["--free", MACHINES, "--minimise", "run_usd", "--constraint", "seconds<60"], "KEY<=VALUE"),
        (&["--free", MACHINES, "--minimise", "run_usd", "--constraint", "second<=60"], "did you mean “seconds”?"),
        (&["--free", MACHINES, "--minimise", "run_usd", "--constraint", "seconds<=soon"], "soon"),
        (&["--choose", "gpus", "--minimise", "run_usd"], "did you mean “gpu”?"),
        (&["--choose", "gpu=NVIDIA T5", "--minimise", "run_usd"], "did you mean “NVIDIA T4”?"),
        (&["--choose", "gpu=NVIDIA A10", "--minimise", "run_usd"], "the catalogue has no price for it"),
        (&["--free", MACHINES, "--minimise", "run_usd", "--budget", "0"], "1 …"),
    ] {
        let messages = refusal(2, &[&["search", MODERN][..], arguments].concat());
        assert!(messages.contains(expected), "{arguments:?}: {messages}");
    }
    let messages = refusal(2, &["search", REGULATION, "--choose", "gpu", "--minimise", "kwh"]);
    assert!(messages.contains("has no catalogue lists"), "{messages}");
    let messages = refusal(1, &["search", MODERN, "--free", MACHINES, "--minimise", "run_usd", "--out", MODERN]);
    assert!(messages.contains("also an input of this command"), "{messages}");
}

#[test]
fn a_deadline_that_nothing_meets_names_what_comes_nearest() {
    let (text, _) = printed_and_messages(&[
        "search",
        MODERN,
        "--free",
        MACHINES,
        "--constraint",
        "seconds<=1 ms",
        "--minimise",
        "run_usd",
    ]);
    assert!(text.contains("No feasible candidate. The nearest is cluster.machines"), "{text}");
    assert!(text.contains("at most 1 ms is allowed"), "{text}");
}

#[test]
fn a_scenario_with_prices_says_what_it_costs() {
    let text = output(&["evaluate", MODERN]);
    // 64 machines with four GPUs at 4.75 USD an hour.
    assert!(text.contains("cost per hour") && text.contains("1,216 USD/h"), "{text}");
}

#[test]
fn an_answer_has_its_likelihood_and_a_required_likelihood_changes_the_candidate() {
    let search = |more: &[&str]| {
        let usual = ["search", MODERN, "--free", MACHINES, "--constraint", "seconds<=90 s", "--minimise", "run_usd"];
        output(&usual.iter().chain(more).copied().collect::<Vec<_>>())
    };
    let text = search(&["--spread-all", "20%"]);
    assert!(text.contains("The recommended candidate is ") && text.contains("likely to be feasible"), "{text}");
    assert!(text.contains("Ranges are 90 % intervals: 4,096 samples of "), "{text}");

    let read = |more: &[&str]| -> Value {
        let text = search(&[&["--spread-all", "20%", "--format", "json"], more].concat());
        serde_json::from_str(&text).expect("JSON")
    };
    let found = read(&[]);
    let share = found["pareto_front"][0]["likelihood"]["feasible_share"].as_f64().expect("a share");
    assert!(share > 0.05 && share < 0.95, "{share}: it is the cheapest, so it is near the constraint");
    assert!(found["likelihood"]["likely_feasible"].is_null());

    // A likely feasible candidate costs more.
    let found = read(&["--likelihood", "90%"]);
    let likely = &found["likelihood"]["likely_feasible"];
    let cost = |candidate: &Value| candidate["values"][0].as_f64().expect("a cost");
    assert!(cost(&likely["candidate"]) > cost(&found["pareto_front"][0]), "{likely}");
    let machines = likely["candidate"]["settings"][0]["value"].as_f64().expect("a number of machines");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("safe.ron");
    let file = file.to_str().expect("a name in Unicode");
    let _ = search(&["--spread-all", "20%", "--likelihood", "90%", "--out", file]);
    let text = std::fs::read_to_string(file).expect("a scenario");
    assert!(text.contains(&format!("machines: {machines}")), "{text}");
}

#[test]
fn an_impossible_likelihood_is_refused() {
    let refused = |more: &[&str], expected: &str| {
        let usual = ["search", MODERN, "--free", MACHINES, "--minimise", "run_usd"];
        let problem = refusal(2, &usual.iter().chain(more).copied().collect::<Vec<_>>());
        assert!(problem.contains(expected), "{problem}");
    };
    refused(&["--likelihood", "0%"], "above 0 % up to 100 %");
    refused(&["--likelihood", "much"], "--likelihood: ");
    refused(&["--spread-all", "150%"], "above 0 % and below 100 %");
    refused(&["--samples", "3"], "3 samples requested");
}

/// The first round always ends.
#[test]
fn a_time_limit_gives_the_best_candidate_so_far_and_the_budget_that_repeats_it() {
    let arguments =
        ["search", MODERN, "--free", "bus.to_gpu_gb_per_s=1..50:300", "--minimise", "seconds", "--time", "0s"];
    let (code, output, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("--time: stopped after 200 of 300 candidates, which --budget 200 repeats"), "{messages}");
    assert!(!output.is_empty());
}
