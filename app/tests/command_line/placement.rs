//! Placement scenarios: recommendations and curves.

use serde_json::Value;

use super::{PUBLISHED, records, refusal, result, run};

fn speedups(arguments: &[&str]) -> Vec<String> {
    let arguments = [&["evaluate", PUBLISHED, "--format", "json"], arguments].concat();
    let document: Value = serde_json::from_str(&result(&arguments)).expect("JSON");
    let rows = document["rows"].as_array().expect("rows").iter();
    rows.map(|row| format!("{:.4}", row["speedup"].as_f64().expect("a number"))).collect()
}

/// Filter and join, over Ethernet and InfiniBand, each without and with compression, as published.
#[test]
fn evaluate_prints_the_published_speedups() {
    let published = ["0.9998", "3.1980", "0.9872", "0.7705", "1.0173", "3.2519", "2.3162", "1.8162"];
    assert_eq!(speedups(&[]), published);
}

#[test]
fn every_format_is_a_result_on_standard_output() {
    for (format, start) in [
        ("table", "Published setting\n1,000 machines, 100 Gb InfiniBand without compression"),
        ("json", "{\n  \"study\": \"placement\",\n"),
        ("csv", "operator,network,compression,cpu_seconds,gpu_seconds,speedup,placement,"),
        ("markdown", "# Published setting\n"),
        ("ron", "(\n    study: \"placement\",\n"),
    ] {
        let output = result(&["evaluate", PUBLISHED, "--format", format]);
        assert!(output.starts_with(start) && output.ends_with('\n'), "{format}:\n{output}");
    }
    assert_eq!(result(&["evaluate", PUBLISHED]), result(&["evaluate", PUBLISHED, "--format", "table"]));
}

#[test]
fn set_overrides_any_field() {
    // By the published formulas at n = 200, r = log10 200 and A = 200·10/9; and at t = 0.4, (t/0.1)² = 16.
    let rounds = 200f64.log10();
    let join = |rounds: f64, senders: f64, work: f64| {
        let transfer = 0.1 * senders / 10.0;
        let once = work / 64.0 + 1.1 / 12.8;
        (work * (1.0 + rounds) + transfer) / (once * (1.0 + rounds) + transfer)
    };
    let expected = |speedup: f64| format!("{speedup:.4}");
    assert_eq!(speedups(&["--set", "cluster.machines=200"])[6], expected(join(rounds, 2000.0 / 9.0, 4.0)));
    let slower = ["--set", "operators.join.cpu_seconds_per_100mb=0.4"];
    assert_eq!(speedups(&slower)[6], expected(join(3.0, 10_000.0 / 9.0, 16.0)));
    let both = [&slower[..], &["--set", "cluster.machines=200"]].concat();
    assert_eq!(speedups(&both)[6], expected(join(rounds, 2000.0 / 9.0, 16.0)));
    let chosen = result(&["evaluate", PUBLISHED, "--set", "policy.network=10 Gb Ethernet"]);
    assert!(chosen.contains("10 Gb Ethernet without compression"), "{chosen}");
}

#[test]
fn a_wrong_override_names_what_exists_and_fails() {
    for (assignment, expected) in [
        ("cluster.machine=5", "unknown field “machine”, did you mean “machines”?"),
        ("cluster.machines=0", "cluster.machines: 0 is out of range; allowed: 1 … 1,000,000"),
        ("cluster.machines", "is not of the form PATH=VALUE"),
        ("operators.sort.input_gb=1", "unknown field “sort”; expected one of: filter, join"),
    ] {
        let message = refusal(2, &["evaluate", PUBLISHED, "--set", assignment]);
        assert!(message.starts_with("error: --set: ") && message.contains(expected), "{message}");
    }
}

#[test]
fn curves_cross_the_threshold_at_the_published_break_even() {
    let output = result(&["curves", PUBLISHED, "--x", "cpu_seconds_per_100mb", "--format", "csv", "--points", "2000"]);
    let records = records(&output);
    assert_eq!(records[0][..2], ["cpu_seconds_per_100mb", "filter, 10 Gb Ethernet"]);
    assert_eq!(records[0].last().map(String::as_str), Some("join, 100 Gb InfiniBand, compressed"));
    let number = |field: &String| -> f64 { field.parse().expect("a number") };
    let rows: Vec<Vec<f64>> = records[1..].iter().map(|record| record.iter().map(number).collect()).collect();
    assert_eq!((rows.len(), rows[0].len()), (2000, 9));
    assert_eq!((rows[0][0], rows[1999][0]), (0.001, 10.0), "the published range of t");
    // Filter over InfiniBand, 8.7302 ms; 2000 values over four decades lie 0.46 % apart.
    let crossing = rows.iter().find(|row| row[3] > 1.0).expect("the GPU is faster somewhere")[0];
    assert!((0.008_730_2..0.008_730_2 * 1.005).contains(&crossing), "{crossing}");
}

#[test]
fn curves_take_a_range_points_overrides_and_json() {
    let arguments = ["curves", PUBLISHED, "--x", "machines", "--from", "10", "--to", "1k", "--points", "3"];
    let output = result(&[&arguments[..], &["--format", "json", "--set", "cluster.aggregation=Exact"]].concat());
    let document: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(document["x"], serde_json::json!([10.0, 100.0, 1000.0]));
    assert_eq!(document["curves"].as_array().map(Vec::len), Some(8));
}

#[test]
fn warnings_that_csv_has_no_place_for_go_to_standard_error() {
    let overrides = ["--set", "gpu.gpu_memory_gb=0.5"];
    let (code, output, messages) = run(&[&["evaluate", PUBLISHED, "--format", "csv"], &overrides[..]].concat());
    assert_eq!((code, output.lines().count()), (Some(0), 9), "a header and eight rows");
    assert!(messages.contains("crossover: warning: filter: the data needs 3 passes"), "{messages}");
    assert!(result(&[&["evaluate", PUBLISHED], &overrides[..]].concat()).contains("Warning: filter: the data needs 3"));
}
