//! The program as somebody at a terminal meets it: standard output, standard error and exit codes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-published.ron");

fn crossover(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crossover"));
    command.args(arguments).stdin(Stdio::null());
    // No test opens a window.
    for variable in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(variable);
    }
    command
}

/// Exit code, standard output, standard error.
fn told(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    told(crossover(arguments).output().expect("the program starts"))
}

/// The result of a run that succeeds and has nothing to say beside it.
fn result(arguments: &[&str]) -> String {
    let (code, output, messages) = run(arguments);
    assert_eq!((code, messages.as_str()), (Some(0), ""), "{arguments:?}");
    output
}

/// The messages of a run that ends with `expected` and no result.
fn refusal(expected: i32, arguments: &[&str]) -> String {
    let (code, output, messages) = run(arguments);
    assert_eq!((code, output.as_str()), (Some(expected), ""), "{arguments:?}: {messages}");
    messages
}

fn speedups(arguments: &[&str]) -> Vec<String> {
    let arguments = [&["evaluate", PUBLISHED, "--format", "json"], arguments].concat();
    let document: Value = serde_json::from_str(&result(&arguments)).expect("JSON");
    let rows = document["rows"].as_array().expect("rows").iter();
    rows.map(|row| format!("{:.4}", row["speedup"].as_f64().expect("a number"))).collect()
}

fn file(folder: &Path, contents: &[u8]) -> PathBuf {
    let path = folder.join("a scenario.ron");
    std::fs::write(&path, contents).expect("the file is written");
    path
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
        ("cluster.machine=5", "there is no “machine”, did you mean “machines”?"),
        ("cluster.machines=0", "cluster.machines: 0 is out of range; allowed: 1 … 1,000,000"),
        ("cluster.machines", "is not of the form PATH=VALUE"),
        ("operators.sort.input_gb=1", "there is no “sort”; there is: filter, join"),
    ] {
        let message = refusal(1, &["evaluate", PUBLISHED, "--set", assignment]);
        assert!(message.starts_with("crossover: ") && message.contains(expected), "{message}");
    }
}

#[test]
fn a_bad_file_is_refused_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let published = std::fs::read_to_string(PUBLISHED).expect("the published scenario");
    for (contents, place, expected) in [
        (published.replace("fan_in: 10", "fan_in: 1").into_bytes(), "8:43", "cluster.fan_in: 1 is out of range"),
        (
            published.replace("fan_in: 10", "fan_out: 10").into_bytes(),
            "8:35",
            "cluster.fan_out: “fan_out” is not a field",
        ),
        (published.replace("version: 1", "version: 99").into_bytes(), "4:14", "version: this file has version 99"),
        (b"\xff\xfe(\0".to_vec(), "1:1", "this is not UTF-8 text"),
        (Vec::new(), "1:1", ""),
    ] {
        let path = file(folder.path(), &contents);
        let path = path.to_str().expect("UTF-8");
        let message = refusal(1, &["evaluate", path]);
        let problem = message.strip_prefix(&format!("crossover: {path}:{place}: "));
        assert!(problem.is_some_and(|problem| problem.contains(expected)), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn a_missing_file_is_named() {
    for arguments in
        [&["evaluate", "nowhere/a.ron"][..], &["curves", "nowhere/a.ron", "--x", "machines"], &["nowhere/a.ron"]]
    {
        let (code, output, messages) = run(arguments);
        assert_eq!((code, output.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(messages.contains("crossover: nowhere/a.ron: cannot be read: "), "{messages}");
    }
}

#[test]
fn a_file_that_cannot_be_opened_ends_the_program_before_a_window_opens() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = file(folder.path(), b"(version: 1");
    let broken = broken.to_str().expect("UTF-8");
    for (argument, problem) in [("nope.ron", "nope.ron: cannot be read: "), (broken, &format!("{broken}:1:"))] {
        for display in [None, Some(":no such display")] {
            let mut command = crossover(&[argument]);
            command.envs(display.map(|display| ("DISPLAY", display)));
            let (code, output, messages) = told(command.output().expect("the program starts"));
            assert_eq!((code, output.as_str()), (Some(1), ""), "{argument} with {display:?}: {messages}");
            assert!(messages.starts_with(&format!("crossover: {problem}")), "{messages}");
            assert_eq!(messages.lines().count(), 1, "{messages}");
        }
    }
}

#[test]
fn a_scenario_is_read_from_standard_input() {
    let scenario = std::fs::File::open(PUBLISHED).expect("the published scenario");
    let piped = told(crossover(&["evaluate", "-"]).stdin(scenario).output().expect("the program starts"));
    assert_eq!(piped, (Some(0), result(&["evaluate", PUBLISHED]), String::new()));

    let mut child = crossover(&["evaluate", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(b"(version: 1").expect("the program reads");
    let (code, _, messages) = told(child.wait_with_output().expect("the program ends"));
    assert_eq!(code, Some(1));
    assert!(messages.starts_with("crossover: standard input:1:"), "{messages}");
}

#[test]
fn curves_cross_the_threshold_at_the_published_break_even() {
    let output = result(&["curves", PUBLISHED, "--x", "cpu_seconds_per_100mb", "--format", "csv", "--points", "2000"]);
    let mut lines = output.lines();
    let titles = lines.next().expect("a header");
    assert!(titles.starts_with("cpu_seconds_per_100mb,\"filter, 10 Gb Ethernet\","), "{titles}");
    assert!(titles.ends_with(",\"join, 100 Gb InfiniBand, compressed\""), "{titles}");
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|field| field.parse().expect("a number")).collect()).collect();
    assert_eq!((rows.len(), rows[0].len()), (2000, 9));
    assert_eq!((rows[0][0], rows[1999][0]), (0.001, 10.0), "the published range of t");
    // Filter over InfiniBand, 8.7302 ms; 2000 values over four decades lie 0.46 % apart.
    let crossing = rows.iter().find(|row| row[3] > 1.0).expect("the GPU pays somewhere")[0];
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
fn wrong_usage_says_what_is_right() {
    let curves = ["curves", PUBLISHED, "--x"];
    for (arguments, expected) in [
        (&["evaluate"][..], "<FILE>"),
        (&["evaluate", PUBLISHED, "--format", "xml"], "possible values: table, json, csv, markdown, ron"),
        (&["evaluate", PUBLISHED, "--sett", "a=b"], "--set"),
        (&["curves", PUBLISHED], "--x <AXIS>"),
        (
            &[&curves[..], &["machine"]].concat(),
            "no such axis, did you mean “machines”?\naxes: cpu_seconds_per_100mb, ",
        ),
        (&[&curves[..], &["machines", "--points", "1"]].concat(), "2..=100000"),
        (&[&curves[..], &["machines", "--from", "0"]].concat(), "--from 0: 0 is out of range; allowed: 1 … 1,000,000"),
        (&[&curves[..], &["machines", "--from", "9", "--to", "9"]].concat(), "--from 9 must be less than --to 9"),
        (&["screenshot", PUBLISHED], "--out <PNG>"),
        (&["screenshot", "--out", "a.png"], "<FILE>"),
        (&["screenshot", PUBLISHED, "--report", "a.json", "--out", "a.png"], "--page <PAGE>"),
        (&["screenshot", PUBLISHED, "--out", "a.png", "--size", "big"], "expected a size such as 1280x800"),
        (&["screenshot", PUBLISHED, "--out", "a.png", "--scale", "3"], "1..=2"),
        (&["a.ron", "b.ron"], "'b.ron' cannot be used with '[FILE]'"),
    ] {
        let message = refusal(2, arguments);
        assert!(message.contains(expected) && message.contains("--help"), "{arguments:?}: {message}");
    }
}

#[test]
fn help_and_version_are_results() {
    let help = result(&["--help"]);
    for word in ["evaluate", "curves", "screenshot", "[FILE]"] {
        assert!(help.contains(word), "{word} in\n{help}");
    }
    assert!(!help.contains("smoke"), "{help}");
    assert_eq!(result(&["--version"]), concat!("crossover ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn without_a_display_the_report_of_the_built_in_scenario_is_printed() {
    let (code, output, messages) = run(&[]);
    assert_eq!((code, output), (Some(0), result(&["evaluate", PUBLISHED])));
    assert!(messages.starts_with("crossover: no display found"), "{messages}");
}

#[test]
fn warnings_that_csv_has_no_place_for_go_to_standard_error() {
    let overrides = ["--set", "gpu.gpu_memory_gb=0.5"];
    let (code, output, messages) = run(&[&["evaluate", PUBLISHED, "--format", "csv"], &overrides[..]].concat());
    assert_eq!((code, output.lines().count()), (Some(0), 9), "a header and eight rows");
    assert!(messages.contains("crossover: warning: filter: the data needs 3 passes"), "{messages}");
    assert!(result(&[&["evaluate", PUBLISHED], &overrides[..]].concat()).contains("Warning: filter: the data needs 3"));
}

/// `crossover curves … | head -1`
#[test]
fn a_reader_that_has_seen_enough_ends_the_program_quietly() {
    // Far more than a pipe holds.
    let mut child =
        crossover(&["curves", PUBLISHED, "--x", "machines", "--from", "1", "--to", "100k", "--points", "50000"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut first).expect("a line");
    assert!(first.starts_with("machines,"), "{first}");
    let (code, _, messages) = told(child.wait_with_output().expect("the program ends"));
    assert_eq!((code, messages.as_str()), (Some(0), ""));
}
