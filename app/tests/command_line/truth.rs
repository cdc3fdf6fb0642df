//! Predictions of whole queries beside measurements, and profiles fitted to them.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::refusal;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A file of cases over our own samples: the same query on tables of twelve sizes, as long as made-up engines take.
fn cases(folder: &TempDir) -> String {
    cases_on(folder, "scenarios/placement-truth-gh200.ron")
}

/// The same on the machines of a scenario.
fn cases_on(folder: &TempDir, scenario: &str) -> String {
    let mut text = "case,plan,format,scale,scenario,cpu_seconds,gpu_seconds\n".to_owned();
    for (index, scale) in (0..12).map(|index| (index, 10_f64.powi(index) * 10.0)) {
        let (cpu, gpu) = (2.0 + scale * 2e-8, 3.0 + scale * 4e-9);
        let (plan, scenario) = (format!("{ROOT}/plan/samples/duckdb-join.json"), format!("{ROOT}/{scenario}"));
        text += &format!("q{index},{plan},duckdb,{scale},{scenario},{cpu},{gpu}\n");
    }
    let path = folder.path().join("cases.csv");
    fs::write(&path, text).expect("written");
    path.display().to_string()
}

/// What `validate` prints of cases whose engines were fitted, with a note.
fn validated(arguments: &[&str]) -> String {
    let (code, printed, messages) = super::run(&[&["validate"], arguments].concat());
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("the engines were fitted to"), "{messages}");
    printed
}

fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

#[test]
fn json_has_every_case_and_a_predictor_that_knows_nothing() {
    let folder = folder();
    let text = validated(&[&cases(&folder), "--format", "json"]);
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let found = document["cases"].as_array().expect("cases");
    assert_eq!(found.len(), 12);
    for case in found {
        let number = |key: &str| case[key].as_f64().unwrap_or_else(|| panic!("{key} of {case}"));
        let speedup = number("cpu_seconds") / number("gpu_seconds");
        assert!((number("speedup") / speedup - 1.0).abs() < 1e-12);
        assert!(number("low") < speedup && speedup < number("high"));
        let parts: f64 =
            case["gpu_parts"].as_array().expect("parts").iter().map(|part| part[1].as_f64().expect("seconds")).sum();
        assert!((parts / number("gpu_seconds") - 1.0).abs() < 1e-12, "parts add up to the whole");
        let measured = number("measured_cpu_seconds") / number("measured_gpu_seconds");
        assert_eq!(case["right"], (speedup > 1.0) == (measured > 1.0));
    }
    assert_eq!(document["summary"]["sides"]["of"], 12);
    assert!(document["summary"]["median_baseline_speedup"]["median"].is_number());
}

/// What `validate --shipped` prints.
fn shipped(format: &str) -> String {
    let (code, printed, messages) = super::run(&["validate", "--shipped", "--format", format]);
    assert_eq!(code, Some(0), "{messages}");
    printed
}

#[test]
fn shipped_queries_are_predicted_without_a_file() {
    let document: Value = serde_json::from_str(&shipped("json")).expect("JSON");
    let sets = document["sets"].as_array().expect("sets");
    let [first, ..] = &sets[..] else { panic!("no set") };
    assert_eq!(
        (&first["engines"], &first["left_out"]),
        (&Value::from("Spark → RAPIDS, 4 × L4"), &Value::from("query"))
    );
    let found = first["cases"].as_array().expect("cases");
    assert_eq!(found.len(), 48);
    // The error from its definition, and the constant of q1 from the other queries.
    let number = |case: &Value, key: &str| case[key].as_f64().unwrap_or_else(|| panic!("{key} of {case}"));
    let speedup = |case: &Value| number(case, "measured_cpu_seconds") / number(case, "measured_gpu_seconds");
    let error = |case: &Value| (number(case, "gpu_seconds") / number(case, "measured_gpu_seconds")).ln().abs();
    let mean = found.iter().map(error).sum::<f64>() / 48.0;
    assert!((number(first, "error") - mean).abs() < 1e-9, "{mean}");
    let others = found[1..].iter().map(|case| speedup(case).ln()).sum::<f64>() / 47.0;
    assert!((number(&found[0], "constant").ln() - others).abs() < 1e-9, "{others}");
    // `scenarios/truth/formula.py` finds a rank of 0.76, and 0.54 of the error of the constant.
    assert!(number(first, "rank_correlation") >= 0.65, "{first}");
    assert!(number(first, "error") <= 0.65 * number(first, "constant_error"), "{first}");
}

#[test]
fn shipped_queries_have_every_format_but_one_chart() {
    let table = shipped("table");
    for expected in ["inside 90 %", "DuckDB → Sirius, GH200", "q97", "better than the constant"] {
        assert!(table.contains(expected), "{expected} is not in\n{table}");
    }
    assert!(shipped("markdown").contains("| q97 |"));
    // A program reads both tables of `validate` by the same names.
    let (folder, of_shipped) = (folder(), shipped("csv"));
    let of_file = validated(&[&cases(&folder), "--format", "csv"]);
    let [of_shipped, of_file] = [&of_shipped, &of_file].map(|text| text.lines().next().expect("a header"));
    let columns = of_shipped.strip_prefix("engines,benchmark,left_out,constant,").expect("columns of the set");
    assert!(columns.strip_prefix(of_file).is_some_and(|decided| decided.starts_with(",least_cost,")), "{columns}");
    let html = shipped("html");
    assert!(html.contains("<svg") && html.contains("How accurate is the predicted speedup of DuckDB → Sirius, GH200?"));
    let rows = shipped("csv").lines().count();
    assert!(rows > 48 + 11 + 3 * 48, "{rows} rows");
    assert!(refusal(1, &["validate", "--shipped", "--format", "svg"]).contains("--format html"));
    assert!(refusal(2, &["validate"]).contains("<CASES>"));
    assert!(refusal(2, &["validate", "--shipped", "--of", "cpu"]).contains("--of"));
}

#[test]
fn cases_of_a_file_are_written_for_spreadsheets_and_browsers() {
    let folder = folder();
    let cases = cases(&folder);
    let csv = validated(&[&cases, "--format", "csv"]);
    assert_eq!(csv.lines().count(), 13);
    assert!(csv.starts_with("case,cpu_seconds,"), "{csv}");
    let html = validated(&[&cases, "--format", "html"]);
    assert!(html.contains("<svg") && html.contains("q11"), "{html}");
}

/// The goals for decisions, counted again from the measured times and costs of each query.
#[test]
fn shipped_decisions_are_right_by_cost_and_where_they_answer_by_time() {
    let document: Value = serde_json::from_str(&shipped("json")).expect("JSON");
    let decisions = &document["decisions"];
    let engines: Vec<&str> =
        decisions["engines"].as_array().expect("engines").iter().filter_map(|engine| engine["name"].as_str()).collect();
    assert_eq!(engines, ["Spark", "Gluten", "RAPIDS"]);
    let queries = decisions["queries"].as_array().expect("queries");
    assert_eq!(queries.len(), 48);
    let (mut right, mut answered, mut faster, mut regret) = (0_usize, 0_usize, 0_usize, 0.0);
    for query in queries {
        let numbers = |key: &str| -> Vec<f64> {
            query[key].as_array().expect("numbers").iter().filter_map(Value::as_f64).collect()
        };
        let (seconds, usd) = (numbers("seconds"), numbers("usd"));
        // c5d.12xlarge costs $2.304 an hour and g6.2xlarge $0.9776.
        for (place, price) in [8.0 * 2.304, 8.0 * 2.304, 4.0 * 0.9776].into_iter().enumerate() {
            assert!((usd[place] - seconds[place] * price / 3600.0).abs() < 1e-12, "{query}");
        }
        let chosen = |place: usize| {
            let name = query["decisions"][place]["engine"].as_str();
            engines.iter().position(|engine| Some(*engine) == name).expect("an engine")
        };
        let least = usd.iter().copied().fold(f64::INFINITY, f64::min);
        right += usize::from(usd[chosen(0)] <= least);
        regret += usd[chosen(0)] - least;
        if query["decisions"][2]["verdict"] == "move" {
            answered += 1;
            faster += usize::from(seconds[chosen(2)] < seconds[0]);
        }
    }
    assert!(right as f64 >= 0.95 * 48.0, "by cost {right} of 48");
    assert!(answered >= 24 && faster as f64 >= 0.9 * answered as f64, "by time {faster} of {answered}");
    let rule = |name: &str| {
        let rules = decisions["rules"].as_array().expect("rules");
        rules.iter().find(|rule| rule["rule"] == name).unwrap_or_else(|| panic!("no rule “{name}”"))
    };
    let regret_of = |name: &str| rule(name)["regret_usd"].as_f64().expect("a regret");
    assert!((regret_of("decision: least cost") - regret).abs() < 1e-9, "{regret}");
    // From the times of the files and these prices, without the program.
    for (name, expected) in [("always stay", 3.135_37), ("always Gluten", 2.023_78), ("always RAPIDS", 0.054_32)] {
        assert!((regret_of(name) - expected).abs() < 1e-4, "{name}: {}", regret_of(name));
        assert!(regret <= regret_of(name) + 1e-9, "{name} is better");
    }
    assert_eq!(
        (&decisions["by_cost"]["right"], &decisions["by_time"]["moves"]),
        (&Value::from(right), &Value::from(answered))
    );
    for format in ["table", "markdown", "html"] {
        let text = shipped(format);
        assert!(text.contains("Decisions about 48 queries between Spark, Gluten and RAPIDS"), "{format}");
    }
}

/// Gluten runs on the machines of Spark, which have no GPUs.
#[test]
fn engines_on_the_same_machines_have_their_names() {
    let folder = folder();
    let profile = format!("{ROOT}/assets/profiles/spark-gluten.ron");
    let cases = cases_on(&folder, "scenarios/placement-small.ron");
    let table = validated(&[&cases, "--profile", &profile]);
    for expected in ["Spark 3.5.3 measured", "Gluten (Velox) on Spark 3.5.3 faster"] {
        assert!(table.contains(expected), "{expected} is not in\n{table}");
    }
    assert!(!table.contains("GPU"), "{table}");
    let on_gpus = self::cases(&folder);
    assert!(validated(&[&on_gpus]).contains("GPU measured"));
}

#[test]
fn a_chart_has_every_case_and_its_answer() {
    let folder = folder();
    let svg = validated(&[&cases(&folder), "--format", "svg", "--of", "cpu"]);
    assert!(svg.starts_with("<svg") && svg.contains("How accurate is the predicted time on CPUs?"), "{svg}");
    assert!(svg.contains("Median error of 12 cases: "), "{svg}");
    // A diamond for what is inside its range, a triangle for what is not.
    let marks = svg.matches("<path").count() + svg.matches("<polygon").count();
    assert!(marks >= 12, "{marks} marks");
}

#[test]
fn a_fitted_profile_predicts_what_it_was_fitted_to_better() {
    let folder = folder();
    let (cases, profile) = (cases(&folder), folder.path().join("fitted.ron").display().to_string());
    let shown = super::run(&["fit", "--cases", &cases, "--out", &profile]);
    assert_eq!(shown.0, Some(0), "{}", shown.2);
    assert!(shown.1.contains("Leave-one-out predictions:"), "{}", shown.1);
    // The shipped engines were fitted to other runs; that is said, because to begin with one's own would deceive.
    assert!(shown.2.contains("the fit starts from numbers that were fitted to"), "{}", shown.2);
    assert!(Path::new(&profile).exists());
    let error = |arguments: &[&str]| {
        let text = validated(&[&[cases.as_str(), "--format", "json"], arguments].concat());
        let document: Value = serde_json::from_str(&text).expect("JSON");
        document["summary"]["gpu"]["median"].as_f64().expect("a median")
    };
    let (before, after) = (error(&[]), error(&["--profile", &profile]));
    assert!(after < 0.5 * before, "{before} → {after}");
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let folder = folder();
    let write = |row: &str| {
        let path = folder.path().join("cases.csv");
        fs::write(&path, format!("case,plan,format,scale,scenario,cpu_seconds,gpu_seconds\n{row}\n")).expect("written");
        path.display().to_string()
    };
    let plan = format!("{ROOT}/plan/samples/duckdb-join.json");
    let regulation = format!("{ROOT}/scenarios/regulation-published.ron");
    let path = write(&format!("a,{plan},duckdb,,{regulation},1,1"));
    let refused = refusal(1, &["validate", &path]);
    assert!(
        refused.contains(":2: scenario: ") && refused.contains("only placement scenarios have engines"),
        "{refused}"
    );
    let published = format!("{ROOT}/scenarios/placement-published.ron");
    let path = write(&format!("a,{plan},duckdb,,{published},1,1"));
    let refused = refusal(1, &["fit", "--cases", &path]);
    assert!(refused.contains(":2: scenario: ") && refused.contains("has no engines to fit"), "{refused}");
    let engines = format!("{ROOT}/scenarios/placement-truth-gh200.ron");
    let path = write(&format!("a,{plan},duckdb,,{engines},,"));
    assert!(refusal(1, &["fit", "--cases", &path]).contains("no case has a measured time"));
    let path = write(&format!("a,{plan},postgres,,{engines},1,1"));
    assert!(refusal(1, &["validate", &path]).contains(":2: plan: "));
    let bad = folder.path().join("bad.ron");
    fs::write(&bad, "(engines: (cpu: (name: \"a\", machines: 0)))").expect("written");
    assert!(refusal(1, &["validate", &path, "--profile", &bad.display().to_string()]).contains("bad.ron:1:"));
}

#[test]
fn a_run_of_the_scenario_s_own_query_does_not_make_its_engines_others() {
    let folder = folder();
    let scenario = fs::read_to_string(format!("{ROOT}/scenarios/placement-truth-gh200.ron")).expect("a scenario");
    let with_run = scenario.replacen("engines: (", "engines: (measured_seconds: Some(4.3), ", 1);
    assert_ne!(scenario, with_run);
    let own = folder.path().join("own.ron");
    fs::write(&own, with_run).expect("written");
    let file = cases(&folder);
    let text = fs::read_to_string(&file).expect("the cases");
    let shipped = format!("{ROOT}/scenarios/placement-truth-gh200.ron");
    fs::write(&file, text.replace(&shipped, &own.display().to_string())).expect("written");
    let profile = folder.path().join("fitted.ron");
    let (code, _, messages) = super::run(&["fit", "--cases", &file, "--out", &profile.display().to_string()]);
    assert_eq!(code, Some(0), "{messages}");
    let written = fs::read_to_string(&profile).expect("a profile");
    assert!(!written.contains("measured_seconds"), "the run is the study's, not the engines'");
}
