//! Scaling fitted to measured times, and the best hours of a day, on the command line.

use std::fs;

use crossover_needs::test_data;
use serde_json::Value;

use super::probe::written;
use super::{records, refusal, result, run};

fn fitted(file: &str) -> Value {
    let (code, text, messages) = run(&["probe", "fit", file, "--format", "json"]);
    assert_eq!(code, Some(0), "{messages}");
    serde_json::from_str(&text).expect("JSON")
}

fn is_near(found: &Value, expected: f64, share: f64) -> bool {
    found.as_f64().is_some_and(|found| (found - expected).abs() <= share * expected.abs())
}

#[test]
fn the_ray_tracer_of_the_r_package_is_fitted_as_there() {
    let Some(folder) = test_data("scaling") else { return };
    let file = folder.join("raytracer.csv");
    let fit = fitted(file.to_str().expect("text"));
    // The R package: alpha 0.05777, beta 0 (on its bound), gamma 21.85, R² 0.9907; more digits and the errors by SciPy's
    // bounded least squares and its Jacobian. The knee by kneed 0.9.0 with S = 1.
    assert!(is_near(&fit["alpha"], 0.057_770_8, 1e-5) && fit["beta"].as_f64() < Some(1e-12), "{fit}");
    assert!(is_near(&fit["gamma"], 21.848_8, 1e-5) && is_near(&fit["r_squared"], 0.990_695, 1e-6), "{fit}");
    assert!(is_near(&fit["alpha_standard_error"], 0.013_29, 1e-3), "{fit}");
    assert!(is_near(&fit["gamma_standard_error"], 2.196, 1e-3), "{fit}");
    assert_eq!((&fit["peak_units"], &fit["knee_units"]), (&Value::Null, &32.0.into()));
    assert_eq!((&fit["recommended_units"], &fit["recommended_by"]), (&32.into(), &"knee".into()));
}

#[test]
fn measured_scaling_of_deep_learning_is_fitted_as_by_scipy() {
    let Some(folder) = test_data("scaling") else { return };
    // File, batch, α, β, γ, R² by SciPy 1.17 (`least_squares` with these bounds, five starts), knee by kneed 0.9.0.
    let cases = [
        ("A100_bert.csv", 64, [0.481_153, 0.003_105_57, 6.288_97], 0.989_163, 8.0),
        ("A100_bert.csv", 128, [0.265_012, 0.001_846_36, 3.696_27], 0.996_499, 8.0),
        ("A100_deepspeech2.csv", 32, [0.177_644, 0.0, 2.913_35], 0.994_169, 16.0),
        ("A100_gpt2.csv", 256, [0.146_926, 0.001_581_21, 4.104_8], 0.997_408, 16.0),
        ("A100_inception3.csv", 64, [0.319_954, 0.001_515_12, 5.445_3], 0.981_208, 8.0),
        ("A100_resnet50.csv", 256, [0.064_624_2, 0.000_351_726, 1.900_98], 0.999_041, 16.0),
        ("A100_resnet50_cifar10.csv", 64, [1.0, 0.003_304_35, 28.380_6], 0.212_897, 1.0),
        ("A100_resnet50_cifar10.csv", 128, [0.899_439, 0.010_053_7, 26.253_3], 0.674_527, 4.0),
        ("A100_resnet50_cifar10.csv", 256, [0.626_43, 0.015_772_3, 19.738], 0.995_824, 2.0),
        ("A100_vgg16.csv", 128, [0.084_531_4, 0.000_067_112_6, 2.668_38], 0.998_554, 16.0),
        ("A100_vgg16.csv", 256, [0.051_514_4, 0.0, 1.360_53], 0.999_058, 16.0),
    ];
    let made = tempfile::tempdir().expect("a folder");
    for (file, batch, [alpha, beta, gamma], r_squared, knee) in cases {
        let text = fs::read_to_string(folder.join(file)).expect("a table");
        let mut lines = text.lines().map(|line| line.split(',').map(str::trim).collect::<Vec<_>>());
        let header = lines.next().expect("a header");
        let row = lines.find(|row| row[0] == batch.to_string()).expect("the batch");
        let mut table = "units,throughput\n".to_owned();
        // What did not run has no throughput, or 0.
        for (units, rate) in header[1..].iter().zip(&row[1..]).filter(|(_, rate)| !["", "0"].contains(*rate)) {
            table.push_str(&format!("{units},{rate}\n"));
        }
        let fit = fitted(&written(&made, "points.csv", &table));
        let is_fitted = is_near(&fit["alpha"], alpha, 1e-4) && is_near(&fit["gamma"], gamma, 1e-4);
        let beta_found = fit["beta"].as_f64().expect("a number");
        assert!(is_fitted && (beta_found - beta).abs() < 2e-8 + 1e-4 * beta, "{file} {batch}: {fit}");
        assert!((fit["r_squared"].as_f64().expect("a number") - r_squared).abs() < 2e-6, "{file} {batch}: {fit}");
        assert_eq!(fit["knee_units"], knee, "{file} {batch}");
        assert_eq!(fit["is_poor"], r_squared < 0.9, "{file} {batch}");
        // The smaller of knee and peak, by hand: √((1 − α)/β).
        let peak = if beta > 0.0 { ((1.0 - alpha) / beta).sqrt().max(1.0) } else { f64::INFINITY };
        let recommended = fit["recommended_units"].as_f64().expect("a number");
        assert!((recommended - f64::min(knee, peak)).abs() < 1.0, "{file} {batch}: {fit}");
    }
}

/// SPEC SDM91 on a `SPARCcenter` 2000: users and scripts an hour (Gunther, Guerrilla Capacity Planning, 2007).
const SDM91: &str = "load,throughput\n1,64.9\n18,995.9\n36,1652.4\n72,1853.2\n108,1828.9\n144,1775\n216,1702.2\n";

#[test]
fn every_format_says_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(&folder, "sdm91.csv", SDM91);
    let fit = fitted(&file);
    // `summary(usl(throughput ~ load, specsdm91))` of the R package, and kneed 0.9.0.
    assert!(is_near(&fit["alpha"], 0.027_728_5, 2e-5) && is_near(&fit["alpha_standard_error"], 0.009_121_7, 2e-4));
    assert!(is_near(&fit["peak_units"], 96.52, 1e-3) && fit["knee_units"] == 36.0, "{fit}");
    let table = result(&["probe", "fit", &file]);
    assert!(
        table.contains("36 units, the knee of the curve: beyond it, the throughput per further unit drops sharply"),
        "{table}"
    );
    assert!(table.contains("α = 0.02773 ± 0.009122") && table.contains("Peak        96.52 units"), "{table}");
    let csv = records(&result(&["probe", "fit", &file, "--format", "csv"]));
    assert_eq!((csv.len(), csv[0][2].as_str(), csv[3][1].as_str()), (8, "fitted_throughput", "1652.4"));
    let markdown = result(&["probe", "fit", &file, "--format", "markdown"]);
    assert!(markdown.starts_with("# sdm91.csv") && markdown.contains("- **Knee:** 36 units"), "{markdown}");
}

#[test]
fn bad_lines_are_counted_and_too_few_numbers_of_units_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = "units,throughput\n1,10\n2,19\n\nfour,30\n4,-3\n8,\n4,35\n0,1\n8,60\n16,nan\n16,80\n8\n";
    let (code, text, messages) = run(&["probe", "fit", &written(&folder, "bad.csv", bad), "--format", "json"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("6 lines were left out (6 of 11 runs): line 5: units is “four”"), "{messages}");
    assert!(
        messages.contains("line 6: throughput is “-3”; expected a number above 0") && messages.contains("and 3 more"),
        "{messages}"
    );
    let fit: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(fit["measurements"], 5);
    for (name, text, expected) in [
        ("one.csv", "units,throughput\n4,1\n4,2\n4,3\n", "different numbers of units: 1; a fit needs at least 3"),
        ("two.csv", "units,throughput\n1,1\n4,2\n", "different numbers of units: 2"),
        ("empty.csv", "", "no column “throughput”"),
        ("twice.csv", "throughput,throughput\n1,2\n", "duplicate column “throughput”"),
        ("other.csv", "a,b,c\n1,2,3\n", "line 1: no column “throughput” in “a,b,c”"),
        ("units.csv", "a,b,throughput\n1,2,3\n", "line 1: no column “units” in “a,b,throughput”"),
        ("none.csv", "units,throughput\n", "no valid measurement"),
    ] {
        let problem = refusal(1, &["probe", "fit", &written(&folder, name, text)]);
        assert!(problem.contains(name) && problem.contains(expected), "{problem}");
    }
    let poor = "units,throughput\n1,28.6\n2,27.6\n4,28.7\n8,27.6\n";
    let poor = written(&folder, "poor.csv", poor);
    for (format, is_in_text) in [("table", true), ("markdown", true), ("csv", false)] {
        let (_, text, messages) = run(&["probe", "fit", &poor, "--format", format]);
        let (place, other) = if is_in_text { (&text, &messages) } else { (&messages, &text) };
        assert!(place.contains("the scaling law fits poorly") && place.contains("only 4 measurements"), "{place}");
        assert!(!other.contains("fits poorly"), "{format}: {other}");
    }
}

/// Probes of two days, every quarter of an hour: 30 s, and 12 s from 14:00 to 16:00 as in the published example. 2026-11-02 is a
/// Monday.
fn two_days() -> String {
    let mut text = "time,seconds\n".to_owned();
    for day in [2, 3] {
        for quarter in 0..96 {
            let (hour, minute) = (quarter / 4, 15 * (quarter % 4));
            // A ripple of 2 %, so that there is noise to be told from changes.
            let ripple = 1.0 + 0.02 * f64::from((quarter * 7 + day) % 5 - 2) / 2.0;
            let seconds = if (14..16).contains(&hour) { 12.0 } else { 30.0 } * ripple;
            text.push_str(&format!("2026-11-{day:02}T{hour:02}:{minute:02}:00+08:00,{seconds}\n"));
        }
    }
    text
}

#[test]
fn the_best_window_of_the_day_is_found_and_told_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(&folder, "net.csv", &two_days());
    let text = result(&["probe", "window", &file, "--format", "json"]);
    let found: Value = serde_json::from_str(&text).expect("JSON");
    let best = &found["best_window"];
    assert_eq!((&best["from"], &best["until"], &best["probes"]), (&"14:00".into(), &"16:00".into(), &16.into()));
    assert!(is_near(&best["mean_seconds"], 12.0, 0.01), "{best}");
    let levels: Vec<[f64; 2]> = found["levels"]
        .as_array()
        .expect("levels")
        .iter()
        .map(|level| ["from_hour", "until_hour"].map(|key| level[key].as_f64().expect("hours") % 168.0))
        .collect();
    assert_eq!(levels, [[0.0, 14.0], [14.0, 16.0], [16.0, 38.0], [38.0, 40.0], [40.0, 47.75]]);
    assert!(is_near(&found["hours_of_day_seconds"][15], 12.0, 0.01));
    assert_eq!(found["weekdays_seconds"][2], Value::Null);
    let table = result(&["probe", "window", &file]);
    assert!(table.contains("Answer      14:00 – 16:00: a probe takes 12.0"), "{table}");
    assert!(table.contains("Tue 14:00") && table.contains("Mon"), "{table}");
    assert_eq!(records(&result(&["probe", "window", &file, "--format", "csv"])).len(), 6);
    assert!(result(&["probe", "window", &file, "--format", "markdown"]).contains("## Times between changes"));
    // A longer window takes in what is slower.
    let text = result(&["probe", "window", &file, "--hours", "4", "--format", "json"]);
    let longer: Value = serde_json::from_str(&text).expect("JSON");
    assert!(is_near(&longer["best_window"]["mean_seconds"], 21.0, 0.01), "{longer}");
}

#[test]
fn probes_that_failed_are_left_out_and_holes_are_no_window() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = "time,seconds\n2026-11-02T10:00:00Z,1\nyesterday,2\n2026-11-02T10:10:00Z,\n2026-11-02T10:20:00Z,-1\n\
               2026-11-02T09:50:00Z,1.1\n2026-11-02T10:10:00Z,0.9\n";
    let (code, text, messages) = run(&["probe", "window", &written(&folder, "bad.csv", bad), "--format", "json"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(
        messages
            .contains("3 lines were left out (3 of 6 runs): line 3: time is “yesterday”; expected 2026-11-02T14:00:00"),
        "{messages}"
    );
    assert!(messages.contains("no window of 2 h is covered by probes without gaps"), "{messages}");
    let found: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&found["probes"], &found["best_window"]), (&3.into(), &Value::Null));
    let problem = refusal(1, &["probe", "window", &written(&folder, "other.csv", "a,b\n1,2\n")]);
    assert!(problem.contains("no column “time”"), "{problem}");
    assert!(refusal(2, &["probe", "window", "x.csv", "--hours", "30"]).contains("allowed: a number from 0.01 to 23.9"));
}
