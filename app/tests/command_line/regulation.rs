//! Regulation scenarios: what a controller gains, and every period of it.

use serde_json::Value;

use super::{REGULATION, crossover, file, outcome_of, records, refusal, result, run};

fn evaluated(arguments: &[&str]) -> Value {
    let arguments = [&["evaluate", REGULATION, "--format", "json"], arguments].concat();
    serde_json::from_str(&result(&arguments)).expect("JSON")
}

/// CSV has no place for warnings; they go to standard error.
fn csv(arguments: &[&str]) -> String {
    let (code, output, messages) = run(&[&["evaluate", REGULATION, "--format", "csv"], arguments].concat());
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.lines().all(|line| line.starts_with("crossover: warning: ")), "{messages}");
    output
}

/// vGPUs of both clusters, and the throughput, after.
fn after(document: &Value) -> (f64, f64, f64) {
    let number = |value: &Value| value.as_f64().expect("a number");
    let clusters = &document["after"]["clusters"];
    (number(&clusters[0]["vgpus"]), number(&clusters[1]["vgpus"]), number(&document["after"]["tops"]))
}

fn efficiency(document: &Value) -> String {
    format!("{:.4}", document["after"]["relative_efficiency"].as_f64().expect("a number"))
}

/// The worked example of the published method: 50 and 150 vGPUs, 1.1 GHz, 21,500 instead of 15,000 TOPS, a third more
/// for the same power.
#[test]
fn evaluate_prints_the_published_example() {
    let document = evaluated(&[]);
    assert_eq!((&document["study"], &document["controller"]), (&"regulation".into(), &"PID".into()));
    assert_eq!(document["before"]["tops"], 15_000.0);
    assert_eq!(document["before"]["relative_efficiency"], 1.0);
    assert_eq!(after(&document), (50.0, 150.0, 21_500.0));
    assert_eq!(document["after"]["clusters"][1]["frequency_ghz"], 1.1);
    assert_eq!(document["after"]["clusters"][1]["precision"], "int8");
    assert_eq!(efficiency(&document), "1.3333");
    // 21,500 W for 21,500 TOPS.
    assert_eq!(document["after"]["joules_per_tera_operation"], 1.0);
    let settling = document["settling_periods"].as_u64().expect("it settles");
    assert!((1..540).contains(&settling), "{settling}");
    let names = document["strategies"].as_array().expect("a list").iter().map(|strategy| &strategy["name"]);
    let expected = ["no control", "round robin", "load-proportional", "P", "PD", "PI", "PID"];
    assert!(names.eq(expected.iter()), "{}", document["strategies"]);
    assert_eq!(document["steps"].as_array().map(Vec::len), Some(1200), "600 periods of two clusters");
}

/// The tables of the published method: light and full load, before and after.
#[test]
fn the_comparison_has_every_cell_of_the_published_tables() {
    let document = evaluated(&[]);
    let expected = [
        ("I", "before", [0.50, 0.25], [1.0, 0.50], [2500.0, 5000.0]),
        ("I", "after", [0.50, 0.50], [1.0, 1.0], [2500.0, 5000.0]),
        ("II", "before", [0.25, 0.50], [0.50, 1.0], [5000.0, 10_000.0]),
        ("II", "after", [0.275, 1.0 / 3.0], [0.825, 1.0], [5500.0, 16_500.0]),
    ];
    for (cluster, when, light, full, tops) in expected {
        let compared = document["comparison"].as_array().expect("a list").iter();
        let compared = compared.into_iter().find(|compared| compared["name"] == cluster).expect("the cluster");
        let check = |load: &str, key: &str, expected: f64| {
            let found = compared[when][load][key].as_f64().expect("a number");
            assert!((found - expected).abs() < 1e-9, "{cluster}, {when}, {load}, {key}: {found}");
        };
        for (load, occupancies, tops) in [("light", light, tops[0]), ("full", full, tops[1])] {
            check(load, "pcie_occupancy", occupancies[0]);
            check(load, "load", occupancies[1]);
            check(load, "tops", tops);
        }
    }
}

#[test]
fn every_format_is_a_result_on_standard_output() {
    for (format, start) in [
        ("table", "Published regulation\n2 clusters, controller PID, 600 periods of 1 s\n"),
        ("json", "{\n  \"study\": \"regulation\",\n"),
        ("csv", "strategy,period,seconds,cluster,demand,tops,backlog,pcie_occupancy,load,"),
        ("markdown", "# Published regulation\n"),
        ("ron", "(\n    study: \"regulation\",\n"),
    ] {
        let (code, output, _) = run(&["evaluate", REGULATION, "--format", format]);
        assert_eq!(code, Some(0));
        assert!(output.starts_with(start) && output.ends_with('\n'), "{format}:\n{output}");
    }
}

/// By hand: 21,500/15,000 / ((50 + 150·1.1^k) / 200).
#[test]
fn set_changes_power_law_controller_and_gains() {
    assert_eq!(efficiency(&evaluated(&["--set", "power.law=Square"])), "1.2383");
    assert_eq!(efficiency(&evaluated(&["--set", "power.law=Cube"])), "1.1483");
    assert_eq!(after(&evaluated(&["--set", "policy.controller=P"])), (55.0, 145.0, 20_950.0));
    // Without its integral part a PID controller is the PD controller.
    assert_eq!(after(&evaluated(&["--set", "controllers.PID.ki=0"])), (55.0, 145.0, 20_950.0));
}

/// Period 0 by hand. Cluster I: p_p = 5000/5000, p_d = 5000/10,000, e = 0.5, no change yet, so u = 1·0.5, and its row
/// (0.3, 0.5] releases 2 vGPUs. Cluster II: p_p = 10,000/20,000, p_d = 1, u = −0.5, whose row [−0.5, −0.3) requests 2.
/// Power 100 · 100 W.
#[test]
fn csv_has_a_line_for_each_period_and_cluster() {
    let output = csv(&[]);
    let lines = records(&output);
    assert_eq!(lines.len(), 1 + 600 * 2);
    let cell = |line: usize, name: &str| {
        let column = lines[0].iter().position(|title| title == name).expect("a column");
        lines[line][column].as_str()
    };
    for (line, expected) in [
        (1, ["I", "1", "0.5", "0.5", "0.5", "0", "0", "0.5", "-2", "0", "100", "1", "10000"]),
        (2, ["II", "0.5", "1", "-0.5", "-0.5", "0", "0", "-0.5", "2", "0", "100", "1", "10000"]),
    ] {
        let names = [
            "cluster",
            "pcie_occupancy",
            "load",
            "error",
            "p",
            "i",
            "d",
            "u",
            "action_vgpus",
            "action_frequency_mhz",
            "vgpus",
            "frequency_ghz",
            "power",
        ];
        assert_eq!(names.map(|name| cell(line, name)), expected);
    }
    // What was moved works in the next period.
    assert_eq!((cell(3, "period"), cell(3, "vgpus"), cell(4, "vgpus")), ("1", "98", "102"));
    assert_eq!((cell(1, "strategy"), cell(1200, "period"), cell(1200, "vgpus")), ("PID", "599", "150"));
}

#[test]
fn the_periods_of_any_strategy_can_be_had() {
    let output = csv(&["--strategy", "no control"]);
    assert_eq!(output.lines().count(), 1201);
    assert!(output.lines().skip(1).all(|line| line.starts_with("no control,")), "{output}");
    let document = evaluated(&["--strategy", "P"]);
    assert_eq!((&document["controller"], &document["steps_of"]), (&"PID".into(), &"P".into()));
    assert_eq!(document["steps"][1199]["vgpus"], 145.0);
    let message = refusal(2, &["evaluate", REGULATION, "--strategy", "round robbin"]);
    assert!(message.contains("--strategy: unknown strategy “round robbin”, did you mean “round robin”?"), "{message}");
    let message = refusal(2, &["evaluate", super::PUBLISHED, "--strategy", "P"]);
    assert!(message.contains("--strategy: a placement scenario has only one strategy"), "{message}");
    let message = refusal(2, &["evaluate", REGULATION, "--strategy", "P"]);
    assert!(message.contains("csv, json or ron"), "{message}");
}

/// II is served 10,000 of 20,000 TOPS without control.
#[test]
fn warnings_are_part_of_every_report_and_of_the_messages_beside_csv() {
    let warning = "II rejects ";
    for format in ["table", "markdown", "json", "ron"] {
        assert!(result(&["evaluate", REGULATION, "--format", format]).contains(warning), "{format}");
    }
    let (_, output, messages) = run(&["evaluate", REGULATION, "--format", "csv"]);
    assert!(messages.contains("50 % without control") && !output.contains(warning), "{messages}");
}

#[test]
fn an_unknown_controller_is_refused_with_the_nearest_name() {
    let message = refusal(2, &["evaluate", REGULATION, "--set", "policy.controller=PIDD"]);
    let expected = "policy.controller: no controller is called “PIDD”; allowed: P, PD, PI, PID; did you mean “PID”?";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_bad_file_is_refused_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let published = std::fs::read_to_string(REGULATION).expect("the published scenario");
    for (from, to, place, expected) in [
        (
            "(from: 0.1, to: 0.3,",
            "(from: 0.2, to: 0.3,",
            "37:20: ",
            "table.5.from: a gap: no row covers outputs from 0.1 to 0.2",
        ),
        (
            "(from: 0.1, to: 0.3,",
            "(from: 0.05, to: 0.3,",
            "37:20: ",
            "table.5.from: an overlap: two rows cover outputs from 0.05 to 0.1",
        ),
        ("period_seconds: 1.0", "period_seconds: 0.0", "8:", "run.period_seconds: 0 is out of range; allowed: 1 ms"),
        (
            "name: \"P\", form: P, kp: 1.0",
            "name: \"P\", form: P, kp: NaN",
            "26:38: ",
            "controllers.P.kp: NaN is not a finite number",
        ),
        ("high_tops: 5000.0", "high_tops: -1.0", "15:", "clusters.I.demand.high_tops: -1 is out of range"),
        ("form: PI,", "form: PIE,", "28:", "PIE"),
    ] {
        assert!(published.contains(from), "{from}");
        let path = file(folder.path(), published.replacen(from, to, 1).as_bytes());
        let path = path.to_str().expect("UTF-8");
        let message = refusal(1, &["evaluate", path]);
        let problem = message.strip_prefix(&format!("crossover: {path}:{place}"));
        assert!(problem.is_some_and(|problem| problem.contains(expected)), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn what_belongs_to_placement_says_what_to_do_instead() {
    let message = refusal(1, &["curves", REGULATION, "--x", "machines"]);
    assert!(
        message.contains("speedup curves belong to placement scenarios; this one is a regulation scenario"),
        "{message}"
    );
    assert!(message.contains("`sweep` and `evaluate --format csv`"), "{message}");
}

#[test]
fn without_a_display_the_report_of_the_file_is_printed() {
    let (code, output, messages) = run(&[REGULATION]);
    assert_eq!((code, output), (Some(0), result(&["evaluate", REGULATION])));
    assert!(messages.starts_with("crossover: no display found"), "{messages}");
}

#[test]
fn a_scenario_is_read_from_standard_input() {
    let scenario = std::fs::File::open(REGULATION).expect("the published scenario");
    let piped = outcome_of(crossover(&["evaluate", "-"]).stdin(scenario).output().expect("the program starts"));
    assert_eq!(piped, (Some(0), result(&["evaluate", REGULATION]), String::new()));
}
