//! `gpu-bench probe` as a script of a compute centre meets it.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use crossover_measured::probe::{LIBRARY, ProbeReport};
use crossover_needs::wait_until;
use tempfile::TempDir;

use super::{DEBUG_BUILD, has_gpu, written};

/// A folder with a probe task.
struct Folder(TempDir);

impl Folder {
    fn with(task: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("task.ron"), task).expect("written");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-bench"));
        command.arg("probe").args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        // Programs that are allowed here are not remembered for the user of this machine.
        command.env("XDG_DATA_HOME", self.0.path().join("data")).env("HOME", self.0.path());
        command
    }

    /// Exit code, standard output, standard error.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let (code, result, messages) = written(self.command(arguments).output().expect("the program starts"));
        let messages = messages.strip_prefix(DEBUG_BUILD).unwrap_or(&messages).to_owned();
        (code, result, messages)
    }
}

const PUBLISHED: &str = r#"(
    name: "published",
    operators: [
        (name: "a", runs: Library("triad"), executions: 3, in_target: 3000.0),
        (name: "b", runs: Library("filter"), executions: 2, in_target: 2000.0),
        (name: "c", runs: Library("fft"), executions: 1, in_target: 1000.0, from: ["a", "b"]),
    ],
)"#;

#[test]
fn the_published_probe_is_reported_with_six_times() {
    let folder = Folder::with(PUBLISHED);
    assert_eq!(folder.run(&["task.ron", "--json", "report.json"]), (Some(0), String::new(), String::new()));
    let kept = fs::read_to_string(folder.path("report.json")).expect("written");
    let report: ProbeReport = serde_json::from_str(&kept).expect("a report");
    let times: Vec<usize> = report.operators.iter().map(|of| of.seconds.len()).collect();
    assert_eq!((times, report.failure()), (vec![3, 2, 1], None));
    assert_eq!((report.report.as_str(), report.unit.as_str(), report.units, report.threads), ("probe", "cpu", 1, 1));
    assert!(report.target_seconds().expect("a target") > 1000.0 * report.seconds / 6.0);
    assert!(report.began.parse::<jiff::Timestamp>().is_ok() && report.tool.starts_with("gpu-bench "), "{kept}");
    // Without a file the same goes to standard output.
    let (code, output, _) = folder.run(&["task.ron", "--unit", "cpu:1"]);
    assert_eq!(code, Some(0));
    assert_eq!(serde_json::from_str::<ProbeReport>(&output).expect("a report").task, report.task);
}

#[test]
fn a_report_that_cannot_be_written_goes_to_standard_output() {
    let folder = Folder::with(PUBLISHED);
    let (code, output, messages) = folder.run(&["task.ron", "--json", "no/such/folder/report.json"]);
    assert_eq!(code, Some(1));
    assert!(messages.contains("the report follows on standard output"), "{messages}");
    serde_json::from_str::<ProbeReport>(&output).expect("a report");
}

#[test]
fn wrong_use_and_wrong_tasks_are_said_to_be_wrong() {
    let folder = Folder::with(PUBLISHED);
    fs::write(folder.path("typo.ron"), "(\n  name: \"x\",\n  operator: [],\n)").expect("written");
    fs::write(folder.path("key.ron"), PUBLISHED.replace("\"fft\"", "\"ftt\"")).expect("written");
    fs::write(folder.path("large.ron"), " ".repeat((1 << 20) + 1)).expect("written");
    let threads = available_parallelism().expect("told").get();
    let (many, available) = ((threads + 1).to_string(), format!("may run {threads} at once"));
    for (arguments, expected_code, expected) in [
        (&["task.ron", "--units", &many][..], 2, available.as_str()),
        (&["task.ron", "--units", "0"], 2, "at least 1 unit"),
        (&["task.ron", "--unit", "tpu"], 2, "unknown type of compute units"),
        (&["task.ron", "--unit", "gpu", "--units", "2"], 2, "leave --units at 1"),
        (&[], 2, "TASK.ron"),
        (&["task.ron", "--self-test"], 2, "cannot be used with"),
        (&["typo.ron"], 1, "typo.ron, line 3, column 3: "),
        (&["key.ron"], 1, "key.ron, operators.c.runs: the library has no operator “ftt”"),
        (&["large.ron"], 1, "large.ron: larger than 2 MB"),
        (&["none.ron"], 1, "cannot read none.ron: "),
    ] {
        let (code, output, messages) = folder.run(arguments);
        assert_eq!((code, output.as_str()), (Some(expected_code), ""), "{arguments:?}: {messages}");
        assert!(messages.contains(expected), "{arguments:?}: {messages}");
    }
}

#[test]
fn operators_that_fail_are_named_and_the_exit_code_tells_whether_anything_was_measured() {
    let failing = r#"(name: "bad", runs: Command((line: ["false"])), executions: 1)"#;
    let folder = Folder::with(&format!("(name: \"x\", operators: [{failing}])"));
    let (code, output, messages) = folder.run(&["task.ron", "--allow-programs"]);
    let failed = "gpu-bench: “bad” failed: it ended with exit code 1\n";
    assert_eq!((code, messages), (Some(1), format!("gpu-bench: program of the file: false\n{failed}")));
    serde_json::from_str::<ProbeReport>(&output).expect("a report all the same");
    let good = r#"(name: "good", runs: Library("sort"), executions: 1)"#;
    fs::write(folder.path("task.ron"), format!("(name: \"x\", operators: [{failing}, {good}])")).expect("written");
    // Allowed before, in this folder.
    let (code, _, messages) = folder.run(&["task.ron"]);
    assert_eq!((code, messages.as_str()), (Some(0), failed));
}

#[test]
fn programs_of_a_file_start_only_after_they_were_allowed() {
    let task = |line: &str| {
        format!(
            r#"(name: "x", operators: [(name: "a", runs: Command((line: ["sh", "-c", "{line}"])), executions: 3)])"#
        )
    };
    let folder = Folder::with(&task("touch started\u{1b}[2J"));
    let (code, output, messages) = folder.run(&["task.ron"]);
    assert_eq!((code, output.as_str()), (Some(1), ""), "{messages}");
    assert!(messages.contains("gpu-bench: program of the file: sh -c $'touch started\\033[2J'\n"), "{messages}");
    assert!(messages.contains("nothing was started") && messages.contains("--allow-programs"), "{messages}");
    fs::write(folder.path("task.ron"), task(&"x".repeat(3_000))).expect("written");
    let (code, _, messages) = folder.run(&["task.ron", "--allow-programs"]);
    assert!(code == Some(1) && messages.contains("3006 characters"), "{messages}");
    // What is started for another program does not speak for the user of this one.
    fs::write(folder.path("task.ron"), task("touch started")).expect("written");
    let mut command = folder.command(&["task.ron", "--end-with-input"]);
    let (code, _, messages) = written(command.stdin(Stdio::piped()).output().expect("the program starts"));
    assert!(code == Some(1) && messages.contains("nothing was started"), "{messages}");
    assert!(!folder.path("started").exists());
}

#[test]
fn an_interrupt_ends_the_program_that_is_an_operator_and_keeps_the_report() {
    let task = r#"(name: "x", operators: [
        (name: "a", runs: Library("sort"), executions: 1),
        (name: "b", runs: Command((line: ["sh", "-c", "touch started; sleep 1000"], limit_seconds: 1000.0)), executions: 1),
    ])"#;
    let folder = Folder::with(task);
    let mut command = folder.command(&["task.ron", "--json", "report.json", "--allow-programs"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    wait_until("the operator to start", || folder.path("started").exists());
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .expect("sent");
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    let kept = fs::read_to_string(folder.path("report.json")).expect("written");
    let report: ProbeReport = serde_json::from_str(&kept).expect("a report");
    assert_eq!((report.operators[0].seconds.len(), report.failure()), (1, Some(("b", "cancelled"))));
}

#[test]
fn the_library_tests_and_lists_itself() {
    let folder = Folder::with("");
    let (code, output, messages) = folder.run(&["--self-test"]);
    assert_eq!((code, messages.as_str()), (Some(0), ""), "{output}");
    assert_eq!(output.matches(" correct\n").count(), 2 * LIBRARY.len(), "{output}");
    let (code, output, _) = folder.run(&["--operators"]);
    assert_eq!((code, output.lines().count()), (Some(0), 1 + LIBRARY.len()), "{output}");
}

#[test]
fn a_gpu_runs_what_has_a_kernel_and_says_what_has_none() {
    if !has_gpu() {
        return;
    }
    let (code, output, messages) = Folder::with("").run(&["--self-test", "--unit", "gpu"]);
    assert_eq!((code, messages.as_str()), (Some(1), ""), "{output}");
    let of = |key: &str| output.lines().find(|line| line.starts_with(&format!("{key} "))).unwrap_or_default();
    for operator in LIBRARY {
        let expected = match operator.key {
            "dgemm" | "fft" => "no GPU kernel: double precision",
            _ => " correct",
        };
        assert!(of(operator.key).ends_with(expected), "{output}");
    }
}
