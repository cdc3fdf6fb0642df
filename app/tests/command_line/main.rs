//! The program as somebody at a terminal meets it: standard output, standard error and exit codes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

mod allocation;
mod calibrate;
mod compare;
mod crash_safety;
mod decide;
#[cfg(unix)]
mod documents;
mod extremes;
mod fleet;
mod fleet_shards;
mod help;
mod hostile;
mod import;
mod installed;
mod links;
mod map;
mod merge;
mod methods;
mod named;
mod placement;
mod predicting;
mod preemption;
mod probe;
#[cfg(unix)]
mod probe_centres;
mod probe_fits;
mod probe_runs;
#[cfg(unix)]
mod regulate;
mod regulation;
mod report;
mod search;
#[cfg(unix)]
mod send;
mod serve;
#[cfg(target_os = "linux")]
mod slurm;
#[cfg(unix)]
mod submit;
mod sweep;
mod truth;
mod tuning;
mod uncertainty;
#[cfg(unix)]
mod watch;

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-published.ron");
const REGULATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/regulation-published.ron");
/// Templates for clusters.
const TEMPLATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/cluster");

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
fn outcome_of(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    outcome_of(crossover(arguments).output().expect("the program starts"))
}

/// The result of a run that succeeds and has nothing to say beside it.
fn result(arguments: &[&str]) -> String {
    let (code, output, messages) = run(arguments);
    assert_eq!((code, messages.as_str()), (Some(0), ""), "{arguments:?}");
    output
}

/// The result of a run that also writes a file, which it says.
fn result_and_file(arguments: &[&str], file: &Path) -> String {
    let (code, output, messages) = run(arguments);
    let written = format!("crossover: {}: written\n", file.display());
    assert_eq!((code, messages), (Some(0), written), "{arguments:?}");
    output
}

/// The messages of a run that ends with `expected` and no result.
fn refusal(expected: i32, arguments: &[&str]) -> String {
    let (code, output, messages) = run(arguments);
    assert_eq!((code, output.as_str()), (Some(expected), ""), "{arguments:?}: {messages}");
    messages
}

/// The records of a CSV text, the header first.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let fields = |record: csv::StringRecord| record.iter().map(str::to_owned).collect();
    reader.records().map(|record| fields(record.expect("a record"))).collect()
}

/// The folder of the program, first on the path.
fn path_with_program() -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_crossover")).parent().expect("a folder").display().to_string();
    format!("{program}:{}", std::env::var("PATH").unwrap_or_default())
}

fn file(folder: &Path, contents: &[u8]) -> PathBuf {
    let path = folder.join("a scenario.ron");
    std::fs::write(&path, contents).expect("the file is written");
    path
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
        assert!(messages.contains("crossover: cannot read nowhere/a.ron: "), "{messages}");
    }
}

#[test]
fn a_file_that_cannot_be_opened_ends_the_program_where_there_is_no_window_to_show_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = file(folder.path(), b"(version: 1");
    let broken = broken.to_str().expect("UTF-8");
    for (argument, problem) in [("nope.ron", "cannot read nope.ron: "), (broken, &format!("{broken}:1:"))] {
        for display in [None, Some(":no such display")] {
            let mut command = crossover(&[argument]);
            command.envs(display.map(|display| ("DISPLAY", display)));
            let (code, output, messages) = outcome_of(command.output().expect("the program starts"));
            assert_eq!((code, output.as_str()), (Some(1), ""), "{argument} with {display:?}: {messages}");
            assert!(messages.starts_with(&format!("crossover: {problem}")), "{messages}");
            assert_eq!(messages.lines().count(), 1, "{messages}");
        }
    }
}

#[test]
fn a_scenario_is_read_from_standard_input() {
    let scenario = std::fs::File::open(PUBLISHED).expect("the published scenario");
    let piped = outcome_of(crossover(&["evaluate", "-"]).stdin(scenario).output().expect("the program starts"));
    assert_eq!(piped, (Some(0), result(&["evaluate", PUBLISHED]), String::new()));

    let mut child = crossover(&["evaluate", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(b"(version: 1").expect("the program reads");
    let (code, _, messages) = outcome_of(child.wait_with_output().expect("the program ends"));
    assert_eq!(code, Some(1));
    assert!(messages.starts_with("crossover: standard input:1:"), "{messages}");
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
        (&["screenshot", PUBLISHED, "--out", "a.png", "--scale", "4"], "1..=3"),
        (
            &["screenshot", PUBLISHED, "--out", "a.png", "--looks", "grey-800x600"],
            "expected a look such as light-1280x800",
        ),
        (
            &["screenshot", PUBLISHED, "--out", "a.png", "--looks", "light-800x600", "--theme", "dark"],
            "cannot be used with",
        ),
    ] {
        let message = refusal(2, arguments);
        assert!(message.contains(expected) && message.contains("--help"), "{arguments:?}: {message}");
    }
}

#[test]
fn help_and_version_are_results() {
    let help = result(&["--help"]);
    for word in ["evaluate", "curves", "import", "plan", "tune", "stability", "replay", "screenshot", "[FILE]"] {
        assert!(help.contains(word), "{word} in\n{help}");
    }
    assert!(!help.contains("smoke"), "{help}");
    assert_eq!(result(&["-V"]), concat!("crossover ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn without_a_display_the_report_of_the_built_in_scenario_is_printed() {
    let (code, output, messages) = run(&[]);
    assert_eq!((code, output), (Some(0), result(&["evaluate", PUBLISHED])));
    assert!(messages.starts_with("crossover: no display found"), "{messages}");
}

#[test]
fn several_files_are_reported_one_after_the_other() {
    let (code, output, _) = run(&[PUBLISHED, REGULATION]);
    let each = [PUBLISHED, REGULATION].map(|file| result(&["evaluate", file]));
    assert_eq!((code, output), (Some(0), each.join("\n")));
    // What can be read is reported, and the rest is said.
    let (code, output, messages) = run(&[PUBLISHED, "missing.ron"]);
    assert_eq!((code, output), (Some(1), each[0].clone()));
    assert!(messages.contains("missing.ron"), "{messages}");
    assert!(refusal(1, &["missing.ron", "missing too.ron"]).contains("missing.ron"));
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
    let (code, _, messages) = outcome_of(child.wait_with_output().expect("the program ends"));
    assert_eq!((code, messages.as_str()), (Some(0), ""));
}
