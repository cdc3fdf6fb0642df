//! Programs that do what they should, and those that do not.

use std::fs;
use std::path::Path;

use crossover_needs::{deadline, wait_for, wait_until};
use rustix::process::{Pid, Signal};

use super::*;

fn shell(script: &str) -> Command {
    let limit_seconds = deadline().as_secs_f64();
    Command { line: ["sh", "-c", script].map(str::to_owned).to_vec(), limit_seconds, tolerance: 1e-6 }
}

fn ran(command: &Command) -> Result<Execution, String> {
    execute(command, Environment { units: 2, threads: 4, scale: 1.25 }, &Cancel::default())
}

/// The number of a process in a file, once it is written.
fn pid(file: &Path) -> Option<Pid> {
    let text = fs::read_to_string(file).ok()?;
    Pid::from_raw(text.strip_suffix('\n')?.parse().expect("a number"))
}

#[test]
fn a_line_of_json_is_the_output_whatever_else_it_says() {
    for (script, value, true_value) in [
        (r#"echo '{"value": 3}'"#, 3.0, None),
        (r#"printf '\n\n{"value": 1e3, "true_value": 2, "unit": "J"}'"#, 1e3, Some(2.0)),
        (r#"printf '{"value": -1, "true_value": null}\r\n \n'"#, -1.0, None),
    ] {
        let execution = ran(&shell(script)).expect("a value");
        assert_eq!((execution.value, execution.true_value), (value, true_value), "{script}");
        assert!(execution.seconds > 0.0);
    }
}

#[test]
fn a_program_is_told_units_threads_and_scale_and_gets_no_input() {
    let script = r#"read x; echo "{\"value\": $CROSSOVER_SCALE, \"true_value\": $CROSSOVER_UNITS$CROSSOVER_THREADS}""#;
    let execution = ran(&shell(script)).expect("a value");
    assert_eq!((execution.value, execution.true_value), (1.25, Some(24.0)));
}

#[test]
fn anything_but_one_line_of_json_is_shown_and_said_to_be_unexpected() {
    for (script, expected) in [
        ("echo hello", "it printed “hello”; expected one line like"),
        (r#"printf '{"value": 1'"#, r#"it printed “{"value": 1”; expected one line like"#),
        (r#"echo '{"val": 1}'"#, "missing field `value`"),
        (r#"echo '{"value": "1"}'"#, "invalid type: string"),
        (r#"echo '{"value": 1e999}'"#, "number out of range"),
        (r#"echo '{"value": 1} x'"#, "trailing characters"),
        (r#"echo '{"value": NaN}'"#, "one line like"),
        (r#"echo '{"value": 1}'; echo '{"value": 1}'"#, "it printed several lines, “{"),
        ("true", "it printed nothing; expected one line like"),
        (r"printf '\033[2J\007'", "“␛[2J␇”"),
        (r"printf '\377\376'", "“\u{fffd}\u{fffd}”"),
        ("exit 3", "exit code 3"),
        (r#"echo '{"value": 1}'; exit 1"#, "exit code 1"),
        ("kill -9 $$", "killed: signal: 9"),
        ("yes", "it printed more than 64 KiB; expected one line like"),
    ] {
        let failure = ran(&shell(script)).expect_err(script);
        assert!(failure.contains(expected), "{script}: {failure}");
    }
    let long = ran(&shell("head -c 300 /dev/zero | tr '\\0' a")).expect_err("no JSON");
    assert!(long.contains(&format!("“{}…”", "a".repeat(80))), "{long}");
}

#[test]
fn a_program_that_does_not_exist_is_named() {
    let command = Command { line: vec!["/no/such/program".to_owned()], limit_seconds: 1.0, tolerance: 0.0 };
    let failure = ran(&command).expect_err("nothing to run");
    assert!(failure.contains("cannot start “/no/such/program”: No such file"), "{failure}");
}

#[test]
fn a_program_that_never_ends_is_ended_with_all_that_it_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let number = folder.path().join("pid");
    let script = format!("sleep 100000 & echo $! > {}; wait", number.display());
    // On a busy machine its limit may be over before it has started anything.
    let left = wait_for("a program that has started another one", || {
        let failure = ran(&Command { limit_seconds: 0.5, ..shell(&script) }).expect_err("no end");
        assert!(failure.contains("longer than its limit of 0.5 s"), "{failure}");
        pid(&number)
    });
    assert_ends(left);
}

#[test]
fn what_a_program_leaves_behind_with_its_output_open_is_ended() {
    let execution = ran(&shell(r#"sleep 100000 & echo "{\"value\": $!}""#)).expect("a value");
    #[expect(clippy::cast_possible_truncation, reason = "a number of a process")]
    let left = execution.value as i32;
    assert_ends(Pid::from_raw(left).expect("a process"));
}

#[test]
fn what_escapes_from_its_group_with_the_output_does_not_delay_the_probe() {
    let folder = tempfile::tempdir().expect("a folder");
    let number = folder.path().join("pid");
    let escapes = format!("setsid sh -c 'echo $$ > {0}; exec sleep 100000' &", number.display());
    let script = format!("{escapes} until [ -s {0} ]; do sleep 0.05; done; echo '{{\"value\": 1}}'", number.display());
    let ran = ran(&shell(&script));
    rustix::process::kill_process(pid(&number).expect("written"), Signal::KILL).expect("it has escaped and goes on");
    let failure = ran.expect_err("an open output");
    assert!(failure.contains("left a child process"), "{failure}");
}

#[test]
fn who_cancels_does_not_wait_for_the_program() {
    let cancel = Cancel::default();
    cancel.request();
    let environment = Environment { units: 1, threads: 1, scale: 1.0 };
    let failure = execute(&shell("sleep 100000"), environment, &cancel).expect_err("cancelled");
    assert_eq!(failure, "cancelled");
}

/// Waits until a process is gone, or will be as soon as its parent looks: a killed orphan takes a moment.
fn assert_ends(process: Pid) {
    wait_until("the end of what a program started", || {
        let state = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).unwrap_or_default();
        let zombie = state.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'));
        zombie || rustix::process::test_kill_process(process).is_err()
    });
}
