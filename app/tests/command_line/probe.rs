//! Probes on the command line.

use std::collections::BTreeMap;
use std::fs;

use crossover_needs::test_data;
use serde_json::Value;

use super::{records, refusal, result, run};

fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("written");
    path.to_str().expect("text").to_owned()
}

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
    assert!(messages.contains("6 lines were left out: line 5: units is “four”"), "{messages}");
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
        messages.contains("3 lines were left out: line 3: time is “yesterday”; expected 2026-11-02T14:00:00"),
        "{messages}"
    );
    assert!(messages.contains("no window of 2 h is covered by probes without gaps"), "{messages}");
    let found: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&found["probes"], &found["best_window"]), (&3.into(), &Value::Null));
    let problem = refusal(1, &["probe", "window", &written(&folder, "other.csv", "a,b\n1,2\n")]);
    assert!(problem.contains("no column “time”"), "{problem}");
    assert!(refusal(2, &["probe", "window", "x.csv", "--hours", "30"]).contains("allowed: a number from 0.01 to 23.9"));
}

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/probe-published.ron");
const CENTRES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/probe-centres.ron");

/// A folder, and paths in it.
pub(super) struct Place(pub(super) tempfile::TempDir);

impl Place {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("text").to_owned()
    }

    pub(super) fn lines(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(name)).expect("a file");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

/// The JSON record of the only centre of a scenario.
fn only_centre(scenario: &str) -> Value {
    let all: Value = serde_json::from_str(&run(&["evaluate", scenario, "--format", "json"]).1).expect("JSON");
    all["centres"][0].clone()
}

#[test]
fn the_published_example_is_built_as_published() {
    let place = Place::new();
    let task = place.path("task.ron");
    let (code, table, messages) = run(&["probe", "build", PUBLISHED, "--out", &task]);
    assert_eq!(code, Some(0), "{messages}");
    for row in [
        "operator 1            3,000  dgemm",
        "chosen                 3",
        "chosen                 2",
        "chosen                 1  operator 1, operator 2",
    ] {
        assert!(table.contains(row), "{row}: {table}");
    }
    let task = fs::read_to_string(task).expect("a probe");
    assert!(task.contains("executions: 3,") && task.contains("from: [\"operator 1\", \"operator 2\"]"), "{task}");
    // Table 1 of the document chooses units 2.
    assert_eq!(only_centre(PUBLISHED)["unit_type"], "unit 2");
}

#[test]
fn a_list_of_operators_becomes_a_probe_and_a_scenario() {
    let place = Place::new();
    let list = place.path("task.csv");
    let text = "name,executions,category,from\nConv2d_1,3000,AI,\nwhatsit,10,AI,Conv2d_1\nreduce sum,1,data,whatsit\n";
    fs::write(&list, text).expect("written");
    let scenario = place.path("s.ron");
    let (code, table, messages) = run(&["probe", "build", &list, "--scenario", &scenario, "--task-type", "vision"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(table.contains("convolution") && table.contains("no match"), "{table}");
    assert!(messages.contains("not in the probe, as no operator of the library matches: whatsit"), "{messages}");
    let found = only_centre(&scenario);
    assert_eq!((&found["centre"], &found["score"]), (&"this machine".into(), &Value::Null));
    // What cannot be is refused with its line.
    fs::write(&list, "name,executions\na,0\n").expect("written");
    assert!(refusal(1, &["probe", "build", &list]).contains("line 2: executions of a"), "refused");
    fs::write(&list, "name,executions,from\na,1,b\nb,1,a\n").expect("written");
    assert!(refusal(1, &["probe", "build", &list]).contains("form a cycle"), "refused");
    fs::write(&list, "name,executions\nwhatsit,1\n").expect("written");
    let (code, _, messages) = run(&["probe", "build", &list]);
    assert!(code == Some(1) && messages.contains("no operator of"), "{messages}");
}

#[test]
fn a_query_plan_and_a_network_become_probes() {
    let place = Place::new();
    let sql = place.path("q.sql");
    let text = "-- rows: 100 million\nCREATE TABLE t (a INT, b INT);\nSELECT a, sum(b) FROM t WHERE b > 3 GROUP BY a ORDER BY a;\n";
    fs::write(&sql, text).expect("written");
    let (code, table, messages) = run(&["probe", "build", &sql]);
    assert_eq!(code, Some(0), "{messages}");
    for operator in ["aggregate", "sort"] {
        assert!(table.contains(operator), "{operator}: {table}");
    }
    let layers = place.path("net.csv");
    let text = "name,operator,input_size,output_size,parameters\nc,conv2d,150528,802816,9408\nr,relu,802816,802816,0\nf,linear,2048,1000,2049000\n";
    fs::write(&layers, text).expect("written");
    let (code, table, messages) = run(&["probe", "build", &layers, "--multiplier", "1000000"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(table.contains("convolution") && table.contains("sgemm") && table.contains("triad"), "{table}");
}

#[test]
fn a_log_of_several_queries_is_taken_as_a_whole_and_one_of_them_by_its_id() {
    let place = Place::new();
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/spark/shop-eventlog.zstd");
    let built = |more: &[&str]| {
        let out = place.path("s.ron");
        let arguments: Vec<&str> =
            ["probe", "build", log, "--scenario", &out].into_iter().chain(more.iter().copied()).collect();
        let (code, _, messages) = run(&arguments);
        assert!(code == Some(0) || messages.contains("no operator"), "{messages}");
        let text = fs::read_to_string(&out).unwrap_or_default();
        _ = fs::remove_file(&out);
        let scenario = crossover_scenario::read(&text).ok();
        let operators = scenario.and_then(|scenario| Some(scenario.probe()?.operators.clone())).unwrap_or_default();
        (operators, messages)
    };
    let (all, messages) = built(&[]);
    assert!(messages.contains("note: 9 queries together"), "{messages}");
    let mut sums: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    for id in 0..9 {
        for of in built(&["--query", &id.to_string()]).0 {
            let [least, most] = sums.entry(of.name).or_default();
            // The rows of all queries are rounded up once, those of each of them by itself.
            (*least, *most) = (f64::max(*least, of.executions), *most + of.executions);
        }
    }
    assert!(sums.len() > 8 && all.iter().any(|of| of.name == "sort" && of.executions == 3.0), "{all:?}");
    assert!(sums.keys().all(|name| all.iter().any(|of| of.name == *name)), "{all:?}");
    for of in &all {
        match sums.get(&of.name) {
            Some([least, most]) => assert!((*least..=*most).contains(&of.executions), "{of:?}: {least} {most}"),
            None => assert_eq!(of.name, "other", "queries without anything else are no probe alone"),
        }
    }
    let problem = refusal(1, &["probe", "build", log, "--query", "nine"]);
    assert!(problem.contains("9 queries, none with the id nine; --query takes one of: 0, 1, 2"), "{problem}");
}

#[test]
fn a_probe_runs_here_and_its_runs_come_into_the_scenario_and_the_history() {
    let place = Place::new();
    let (history, out) = (place.path("h.jsonl"), place.path("out.ron"));
    let arguments = [
        "probe",
        "run",
        PUBLISHED,
        "--centre",
        "example centre",
        "--repeats",
        "3",
        "--history",
        &history,
        "--out",
        &out,
    ];
    let (code, table, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    assert!(table.contains("example centre, unit 2"), "{table}");
    let found = only_centre(&out);
    assert_eq!((&found["seconds"]["runs"], &found["target_method"]), (&3.into(), &"operators".into()));
    assert!(found["relative_error"]["mean"].as_f64() < Some(1e-9), "{found}");
    let lines = place.lines("h.jsonl");
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line["centre"] == "example centre" && line["report"]["report"] == "probe"));
    // Nothing has changed since: nothing is run.
    let again: Vec<&str> = arguments.iter().copied().chain(["--if-changed"]).collect();
    let (code, _, messages) = run(&again);
    assert!(code == Some(0) && messages.contains("nothing is run"), "{messages}");
    assert_eq!(place.lines("h.jsonl").len(), 3);
}

/// A program that stands in for a centre: a shell script that gets `probe TASK --units N --unit TYPE --json FILE`.
#[cfg(unix)]
fn centre(place: &Place, name: &str, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let path = place.path(name);
    fs::write(&path, format!("#!/bin/sh\nfor json; do :; done\n{script}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

/// Faults of centres: each is named, kept apart, and what else there is goes on.
#[cfg(unix)]
#[test]
fn what_a_centre_does_wrong_is_named_and_counts_nowhere() {
    let place = Place::new();
    let own = env!("CARGO_BIN_EXE_crossover");
    let right = format!("{own} bench \"$@\" 2>/dev/null");
    let cases = [
        ("down", "exit 1".to_owned(), "it ended with exit status: 1"),
        ("asleep", "exec sleep 600".to_owned(), "it took longer than"),
        (
            "half",
            format!("{right}; head -c 200 \"$json\" > \"$json.h\"; mv \"$json.h\" \"$json\""),
            "incomplete report",
        ),
        ("garbage", "echo hello > \"$json\"".to_owned(), "not a report"),
        ("empty", ": > \"$json\"".to_owned(), "an empty report"),
        (
            "wrong",
            format!(
                "{right}; sed -i 's/\"operators\": *\\[/&/; s/\"failure\": *null/\"failure\": \"value 2, right is 1\"/; 0,/\"tolerance\": [^,]*/s//&,\\n\"failure\": \"value 2, right is 1\"/' \"$json\""
            ),
            "value 2, right is 1",
        ),
        ("version", format!("{right}; sed -i 's/\"library\": *[0-9]*/\"library\": 99/' \"$json\""), "version 99"),
        (
            "other",
            format!("{right}; sed -i '0,/\"in_target\": *[0-9.]*/s//\"in_target\": 9.0/' \"$json\""),
            "a different probe",
        ),
        ("nothing", "exit 0".to_owned(), "no report: "),
    ];
    let (history, out) = (place.path("h.jsonl"), place.path("out.ron"));
    fs::copy(PUBLISHED, &out).expect("copied");
    let enough = crossover_needs::deadline().as_secs().to_string();
    for (name, script, expected) in &cases {
        let program = centre(&place, name, script);
        let limit = if *name == "asleep" { "1" } else { enough.as_str() };
        let arguments = [
            "probe",
            "run",
            &out,
            "--centre",
            "example centre",
            "--repeats",
            "1",
            "--limit",
            limit,
            "--program",
            &program,
            "--history",
            &history,
            "--out",
            &out,
        ];
        let (_, output, messages) = run(&arguments);
        assert!(messages.contains(expected) && output.contains("Failed: "), "{name}: {messages}{output}");
    }
    assert_eq!(place.lines("h.jsonl").len(), cases.len());
    // A right run beside them counts alone.
    let arguments =
        ["probe", "run", &out, "--centre", "example centre", "--repeats", "1", "--history", &history, "--out", &out];
    let (code, _, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    let found = only_centre(&out);
    assert_eq!((&found["seconds"]["runs"], &found["failed"]), (&1.into(), &cases.len().into()), "{found}");
}

#[cfg(unix)]
#[test]
fn a_wrong_clock_is_told_and_the_run_counts() {
    let place = Place::new();
    let own = env!("CARGO_BIN_EXE_crossover");
    let script =
        format!("{own} bench \"$@\" 2>/dev/null; sed -i 's/\"began\": *\"20[0-9][0-9]/\"began\": \"2001/' \"$json\"");
    let program = centre(&place, "late", &script);
    let history = place.path("h.jsonl");
    let (code, _, messages) =
        run(&["probe", "run", PUBLISHED, "--repeats", "1", "--program", &program, "--history", &history]);
    assert!(code == Some(0) && messages.contains("behind this one"), "{messages}");
}

#[test]
fn what_cannot_be_run_is_refused_before_anything_runs() {
    let cases: [(&[&str], &str); 6] = [
        (&["--centre", "example center"], "did you mean"),
        (&["--centre", "example centre", "--unit-type", "unit 9"], "has no units “unit 9”"),
        (&["--centre", "example centre", "--units", "21"], "has 20 units of type “unit 2”; 21 requested"),
        (&["--units", "0"], "0"),
        (&["--limit", "0"], "allowed: 0.01"),
        (&["--repeats", "0"], "0"),
    ];
    for (more, expected) in cases {
        let arguments: Vec<&str> = ["probe", "run", PUBLISHED].into_iter().chain(more.iter().copied()).collect();
        let (code, output, messages) = run(&arguments);
        assert!(code != Some(0) && output.is_empty() && messages.contains(expected), "{more:?}: {messages}");
    }
    let other = super::PUBLISHED;
    assert!(refusal(1, &["probe", "run", other]).contains("this is a placement scenario"), "another kind");
    assert!(
        refusal(1, &["probe", "run", CENTRES, "--transport", "slurm"])
            .contains("several centres; choose one: north, south, coast"),
        "several"
    );
}

/// Measured runs and assumed ones of another machine have nothing in common: averaged, their scaling law fits neither.
#[test]
fn runs_on_this_machine_leave_the_assumed_centres_alone() {
    let place = Place::new();
    let (history, out) = (place.path("h.jsonl"), place.path("out.ron"));
    let (code, table, messages) =
        run(&["probe", "run", CENTRES, "--units", "1", "--repeats", "1", "--history", &history, "--out", &out]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(table.contains("this machine, cpu"), "{table}");
    let read = |path: &str| {
        let text = fs::read_to_string(path).expect("a scenario");
        crossover_scenario::read(&text).expect("valid").probe().expect("a probe study").centres.clone()
    };
    let (before, after) = (read(CENTRES), read(&out));
    assert_eq!((after.len(), &after[..3]), (4, &before[..]));
    assert_eq!((after[3].name.as_str(), after[3].units[0].runs.seconds.len()), ("this machine", 1));
    assert_eq!(place.lines("h.jsonl")[0]["centre"], "this machine");
}

#[test]
fn a_dry_run_prints_what_each_centre_would_get_and_starts_nothing() {
    let place = Place::new();
    let history = place.path("h.jsonl");
    let dry = |transport: &str| {
        let centre = format!("example centre={transport}");
        let arguments =
            ["probe", "run", PUBLISHED, "--centre", &centre, "--units", "1,2", "--repeats", "3", "--dry-run"];
        let mut command = super::crossover(&arguments);
        command.args(["--history", &history]).current_dir(place.0.path()).env("PATH", place.0.path());
        let (code, output, messages) = super::outcome_of(command.output().expect("the program starts"));
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{transport}");
        assert!(
            output.starts_with("# example centre, ") && output.contains(": 6 runs of the probe, each about "),
            "{output}"
        );
        output
    };
    assert!(dry("local").contains(" bench probe FOLDER/probe.ron --units 2 --unit cpu --json FOLDER/report.json\n"));
    let slurm = dry("slurm:short");
    assert!(slurm.contains("sbatch --parsable ") && slurm.contains("'--partition=short' FOLDER/probe-1.sh"), "{slurm}");
    assert!(slurm.contains("#   exec srun ") && slurm.contains("#   #!/bin/sh"), "{slurm}");
    let ssh = dry("ssh:me@north");
    assert!(ssh.contains("ssh -o BatchMode=yes -- me@north 'exec sh -c ") && ssh.contains("--end-with-input"), "{ssh}");
    let kubernetes = dry("kubernetes");
    let manifest = kubernetes.lines().skip_while(|line| line.starts_with('#')).collect::<Vec<_>>().join("\n");
    let first = serde_json::Deserializer::from_str(&manifest).into_iter::<Value>().next();
    let job = first.expect("a manifest").expect("JSON")["items"][1].clone();
    assert_eq!((&job["kind"], &job["spec"]["completions"]), (&"Job".into(), &3.into()));
    assert_eq!(fs::read_dir(place.0.path()).expect("listed").count(), 0, "nothing is written");
}

/// 9,000 joins of some 46 ms: seven minutes, of which a limit of a minute would lose every run.
#[test]
fn a_probe_that_takes_minutes_is_warned_of_before_it_is_sent() {
    let place = Place::new();
    let (list, scenario) = (place.path("task.csv"), place.path("s.ron"));
    fs::write(&list, "name,executions\nhash join,9000000\n").expect("written");
    let (code, _, messages) = run(&["probe", "build", &list, "--scenario", &scenario]);
    assert_eq!(code, Some(0), "{messages}");
    let history = place.path("h.jsonl");
    let dry = |more: &[&str]| {
        let arguments = ["probe", "run", &scenario, "--history", &history, "--units", "1", "--dry-run"];
        let (code, output, messages) = run(&[&arguments[..], more].concat());
        assert_eq!(code, Some(0), "{messages}");
        (output, messages)
    };
    let (output, messages) = dry(&[]);
    assert!(output.contains(": 5 runs of the probe, each about 6 min 50 s\n"), "{output}");
    assert!(
        messages.contains(
            "warning: a run at this machine takes about 6 min 50 s on 1 unit, and its time limit of 60 s ends it before; \
             with “--set target.ratio=50000” it takes seconds"
        ),
        "{messages}"
    );
    let (output, messages) = dry(&["--set", "target.ratio=50000"]);
    assert!(output.contains("each about 8.3 s\n") && messages.is_empty(), "{output}{messages}");
    let (_, _, messages) = run(&["probe", "rank", &scenario]);
    assert!(messages.contains("takes about 6 min 50 s on 1 thread, by reference times"), "{messages}");
}

#[test]
fn an_address_that_could_be_an_option_or_is_unknown_is_refused() {
    for (centre, expected) in [
        ("example centre=pbs", "unknown transport “pbs”; expected local, slurm, slurm:PARTITION, ssh:HOST"),
        ("example centre=ssh:-oProxyCommand=x", "is not a name"),
        ("example centre=ssh", "ssh needs a host"),
        ("elsewhere=local", "no centre “elsewhere”"),
    ] {
        let problem = refusal(1, &["probe", "run", PUBLISHED, "--centre", centre]);
        assert!(problem.contains(expected), "{centre}: {problem}");
    }
    let twice = ["probe", "run", CENTRES, "--centre", "north", "--centre", "north=slurm"];
    assert!(refusal(1, &twice).contains("named twice"));
    let both = ["probe", "run", CENTRES, "--centre", "north=local", "--centre", "south=local"];
    assert!(refusal(1, &both).contains("two centres on this machine would slow each other down"));
}

/// A probe scenario that starts a program of its own, made from a list and a file of programs.
#[cfg(target_os = "linux")]
fn with_program(place: &Place, line: &str) -> String {
    let (list, programs, scenario) = (place.path("task.csv"), place.path("programs.ron"), place.path("theirs.ron"));
    fs::write(&list, "name,executions\nmark,2\n").expect("written");
    let program = format!(r#"[(key: "mark", categories: [hpc], command: (line: ["sh", "-c", "{line}"]))]"#);
    fs::write(&programs, program).expect("written");
    let (code, _, messages) = run(&["probe", "build", &list, "--programs", &programs, "--scenario", &scenario]);
    assert_eq!(code, Some(0), "{messages}");
    scenario
}

#[cfg(target_os = "linux")]
#[test]
fn programs_of_a_scenario_are_shown_and_run_only_where_they_were_allowed() {
    let place = Place::new();
    let scenario = with_program(&place, r#"touch started; echo '{\"value\": 1.0, \"true_value\": 1.0}'"#);
    let started = std::path::PathBuf::from(place.path("started"));
    let history = place.path("h.jsonl");
    let run = |more: &[&str]| {
        let mut command = super::crossover(&["probe", "run", &scenario, "--repeats", "1", "--history", &history]);
        command.args(more).env("XDG_DATA_HOME", place.path("data")).current_dir(place.0.path());
        super::outcome_of(command.output().expect("the program starts"))
    };
    for transport in ["local", "slurm", "ssh:north", "kubernetes"] {
        let (code, output, messages) = run(&["--transport", transport]);
        assert_eq!((code, output.as_str()), (Some(1), ""), "{transport}: {messages}");
        assert!(messages.contains("program of the file: sh -c 'touch started; echo "), "{messages}");
        assert!(messages.contains("nothing was started") && messages.contains("--allow-programs"), "{messages}");
        assert!(!started.exists() && !std::path::Path::new(&history).exists(), "{transport}");
    }
    let (code, _, messages) = run(&["--allow-programs"]);
    assert!(code == Some(0) && messages.contains("program of the file: sh -c "), "{messages}");
    assert!(started.exists() && place.lines("h.jsonl").len() == 1);
    // Allowed from now on, also to be started elsewhere.
    fs::remove_file(&started).expect("removed");
    let (code, _, messages) = run(&[]);
    assert!(code == Some(0) && !messages.contains("program of the file") && started.exists(), "{messages}");
    let (code, lines, messages) = run(&["--transport", "ssh:north", "--dry-run"]);
    assert!(code == Some(0) && lines.contains(" --allow-programs'"), "{lines}{messages}");
    assert!(lines.starts_with("# program of the file: sh -c "), "{lines}");
    // Another command line, or another folder, is not.
    with_program(&place, "touch other");
    assert!(run(&[]).0 == Some(1) && !std::path::Path::new(&place.path("other")).exists());
}

#[test]
fn reports_of_other_tools_are_read_into_centres() {
    let place = Place::new();
    let (table, out) = (place.path("runs.csv"), place.path("out.ron"));
    let text = "centre,unit_type,units,seconds,relative_error\neast,cpu,1,2.0,1e-14\neast,cpu,2,1.1,1e-14\neast,cpu,4,0.6,1e-14\nwest,cpu,1,1.0,1e-14\nwest,cpu,1,1.2,\n";
    fs::write(&table, text).expect("written");
    let (code, output, messages) = run(&["probe", "read", PUBLISHED, "--from", &table, "--out", &out]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("east, cpu") && messages.contains("east is a new centre"), "{output}{messages}");
    let ranked = run(&["probe", "rank", &out, "--format", "csv"]).1;
    let rows = records(&ranked);
    let east = rows.iter().find(|row| row[0] == "east").expect("east");
    // One run on one unit; 0.7 × 40 points for 2 s, 0.3 × 100 for the precision.
    assert_eq!((east[3].as_str(), east[9].as_str()), ("58", "1"));
    let hyperfine = place.path("h.json");
    let text = r#"{"results": [{"command": "solve", "mean": 1.5, "times": [1.4, 1.6], "exit_codes": [0, 1], "parameters": {"threads": "4"}}]}"#;
    fs::write(&hyperfine, text).expect("written");
    let (code, output, messages) =
        run(&["probe", "read", PUBLISHED, "--from", &hyperfine, "--centre", "example centre"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("Failed: 4 units"), "{output}");
    fs::write(&hyperfine, "no measurements").expect("written");
    assert!(refusal(1, &["probe", "read", PUBLISHED, "--from", &hyperfine]).contains("ReFrame"), "formats are named");
}

#[test]
fn ranking_and_plan_are_parts_of_the_outcome() {
    let ranked = run(&["probe", "rank", CENTRES]);
    assert!(ranked.0 == Some(0) && ranked.1.starts_with("south has the highest score"), "{}", ranked.1);
    let (code, plan, _) = run(&["probe", "schedule", CENTRES, "--format", "csv"]);
    let rows = records(&plan);
    // 6 + 12 + 1 tasks.
    assert_eq!((code, rows.len()), (Some(0), 20));
    let (code, output, messages) = run(&["probe", "rank", PUBLISHED]);
    assert!(code == Some(1) && output.is_empty() && messages.contains("nothing to rank"), "{messages}");
    let (code, _, messages) = run(&["probe", "schedule", PUBLISHED]);
    assert!(code == Some(1) && messages.contains("no work to schedule"), "{messages}");
}
