//! `crossover sweep`: figures of any scenario along one of its numbers.

use serde_json::Value;

use super::{PUBLISHED as PLACEMENT, REGULATION, records, refusal, result as output, run};

/// The acceptance values of the published method: a join at 0.2 s per 100 MB.
#[test]
fn the_end_of_a_sweep_is_the_published_speedup() {
    for (network, expected) in [("10 Gb Ethernet", 1.0173), ("100 Gb InfiniBand", 2.3162)] {
        let text = output(&[
            "sweep",
            PLACEMENT,
            "--set",
            &format!("policy.network={network}"),
            "--x",
            "operators.join.cpu_seconds_per_100mb=100 ms..200 ms:2",
            "--figure",
            "operators.join.speedup",
        ]);
        let records = records(&text);
        assert_eq!(records.len(), 3, "{text}");
        assert_eq!(records[0], ["operators.join.cpu_seconds_per_100mb", "operators.join.speedup"]);
        let speedup: f64 = records[2][1].parse().expect("a number");
        assert_eq!(records[2][0], "0.2");
        assert!((speedup - expected).abs() < 5e-5, "{network}: {speedup}");
    }
}

/// The worked example: with PID, 15,000 TOPS become 21,500.
#[test]
fn json_has_every_figure_of_the_study_with_units_and_the_present_value() {
    // Without noise, the seed has no influence.
    let (_, text, _) = run(&["sweep", REGULATION, "--x", "run.seed=1..3:3", "--format", "json"]);
    let found: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&found["study"], &found["x"]["path"]), (&"regulation".into(), &"run.seed".into()));
    assert_eq!(found["x"]["present"], 1.0);
    let figures = found["figures"].as_array().expect("a list");
    let tops = figures.iter().find(|figure| figure["key"] == "tops").expect("the throughput");
    assert_eq!((&tops["unit"], &tops["better"]), (&"TOPS".into(), &"higher".into()));
    assert_eq!(tops["values"], serde_json::json!([21_500.0, 21_500.0, 21_500.0]));
}

#[test]
fn a_number_without_influence_is_told() {
    let x = "compression.compress_gb_per_s=0.1..9:3";
    let (code, output, messages) = run(&["sweep", PLACEMENT, "--x", x, "--figure", "speedup"]);
    assert_eq!((code, output.lines().count()), (Some(0), 4));
    assert_eq!(messages, "crossover: compression.compress_gb_per_s has no effect on these figures in this range\n");
}

#[test]
fn what_cannot_be_swept_is_wrong_usage_with_the_reason() {
    for (x, expected) in [
        ("cluster.machine=1..10", "did you mean “cluster.machines”?"),
        ("cluster.machines=0..10", "out of range"),
        ("cluster.machines", "PATH=FROM..TO"),
    ] {
        let message = refusal(2, &["sweep", PLACEMENT, "--x", x]);
        assert!(message.contains(expected) && message.contains("Usage: crossover sweep"), "{message}");
    }
}

#[test]
fn bands_stand_beside_the_figures() {
    let placement = ["sweep", PLACEMENT, "--x", "operators.join.input_gb=1..4:3", "--figure", "cpu_seconds"];
    let with = |more: &[&'static str]| [&placement[..], more].concat();
    let text = output(&with(&["--bands", "--spread-all", "10%", "--samples", "256"]));
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0], ["operators.join.input_gb", "cpu_seconds", "cpu_seconds P5", "cpu_seconds P95"]);
    assert_eq!(lines.len(), 4);
    for line in &lines[1..] {
        let [value, low, high] = [1, 2, 3].map(|place| line[place].parse::<f64>().expect("a number"));
        assert!(low < value && value < high && high < 2.0 * value, "{line:?}");
    }
    let (_, json, _) = run(&with(&["--bands", "--spread-all", "10%", "--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["figures"][0]["p5_to_p95"].as_array().map(Vec::len), Some(3));
    assert!(refusal(2, &with(&["--spread-all", "10%"])).contains("add --bands"));
    assert!(refusal(2, &with(&["--bands"])).contains("no number of this study is uncertain"));
}

/// The first round always ends: the curves at few values. Bands follow them.
#[test]
fn a_time_limit_gives_coarser_curves_and_states_their_values_and_samples() {
    let x = "cluster.machines=10..1000";
    let arguments = ["sweep", PLACEMENT, "--x", x, "--spread-all", "10%", "--bands", "--time", "0s"];
    let (code, output, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("--time: stopped after 11 of 101 values"), "{messages}");
    assert!(messages.contains("--time: stopped after 0 of 1,024 samples at each value; no bands"), "{messages}");
    assert_eq!(records(&output).len(), 1 + 11);
    assert!(!output.contains("P95"), "{output}");
    let (_, all, messages) = run(&[&arguments[..7], &["--time", "1 h"]].concat());
    assert!(!messages.contains("--time") && all == run(&arguments[..7]).1, "{messages}");
}
