//! `gpu-bench share` with programs that are shell loops, as a user at a terminal runs it.
//!
//! Processes are looked up as Linux shows them.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crossover_measured::sharing::{SharedResource, SharingReport, SharingSetting, Side};
use crossover_needs::{not_run, wait_until};
use rustix::process::{Pid, Signal};
use tempfile::TempDir;

use super::written;

/// Counts for some hundredths of a second.
const LOOP: &str = "sh -c 'i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done'";
/// One round with a short queue, on the CPUs also where there is a GPU.
const ONCE: [&str; 7] = ["--on", "cpu", "--repeats", "1", "--launches", "1", "--allow-programs"];

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn prepared(&self, mut command: Command) -> Command {
        command.current_dir(self.0.path()).stdin(Stdio::null());
        // Programs that are allowed here are not remembered for the user of this machine.
        command.env("XDG_DATA_HOME", self.path("data")).env("HOME", self.0.path());
        command
    }

    fn command(&self, first: &str, second: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-bench"));
        command.args(["share", "--first", first, "--second", second]).args(arguments);
        self.prepared(command)
    }

    /// Exit code, standard output, standard error.
    fn run(&self, first: &str, second: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
        written(self.command(first, second, arguments).output().expect("the program starts"))
    }

    fn report(&self) -> SharingReport {
        let text = fs::read_to_string(self.path("share.json")).expect("written");
        serde_json::from_str(&text).expect("a report")
    }

    /// The process ids in a file to which a program has written its own.
    fn processes(&self, name: &str) -> Vec<String> {
        fs::read_to_string(self.path(name)).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    }
}

/// State of a process; none if there is none, or only its exit status is left.
fn state(process: &str) -> Option<char> {
    let stat = fs::read_to_string(Path::new("/proc").join(process).join("stat")).ok()?;
    let state = stat.rsplit_once(") ")?.1.chars().next()?;
    Some(state).filter(|state| *state != 'Z')
}

fn interrupt(child: &Child) {
    rustix::process::kill_process(Pid::from_child(child), Signal::INT).expect("sent");
}

#[test]
fn programs_start_only_after_they_were_allowed() {
    let folder = Folder::new();
    let program = "sh -c 'touch started\u{1b}[2J'";
    let (code, output, messages) = folder.run(program, program, &["--on", "cpu"]);
    assert_eq!((code, output.as_str()), (Some(1), ""), "{messages}");
    assert!(messages.contains("gpu-bench: program: sh -c $'touch started\\033[2J'\n"), "{messages}");
    assert!(messages.contains("nothing was started") && messages.contains("--allow-programs"), "{messages}");
    assert_eq!(fs::read_dir(folder.0.path()).expect("a folder").count(), 0);
    let (code, _, messages) = folder.run("true", "'true", &ONCE);
    assert_eq!(
        (code, messages.as_str()),
        (Some(2), "gpu-bench: --second “'true”: a quotation mark (') is not closed\n")
    );
}

#[test]
fn two_programs_are_measured_alone_beside_each_other_and_in_the_queue_of_the_policy() {
    let folder = Folder::new();
    let arguments = [
        "--on",
        "cpu",
        "--repeats",
        "2",
        "--launches",
        "3",
        "--slice",
        "0.01",
        "--json",
        "share.json",
        "--allow-programs",
    ];
    let (code, output, messages) = folder.run(LOOP, LOOP, &arguments);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("[round 2 of 2] the queue of the policy\n"), "{messages}");
    assert!(output.contains("uncontrolled") && output.contains("time slices of 0.01 s"), "{output}");
    let report = folder.report();
    assert_eq!((report.on, report.first.as_str(), report.rounds.len()), (SharedResource::Cpu, LOOP, 2));
    assert_eq!(report.settings, [SharingSetting::Uncontrolled, SharingSetting::TimeSlices { seconds: 0.01 }]);
    for round in &report.rounds {
        for setting in 0..2 {
            // Each completed a run at least, and no program has negative progress.
            let progress = round.progress(setting).expect("measured");
            assert!(progress.iter().all(|of| *of > 0.0), "{round:?}");
        }
        let queue = round.queue.as_ref().expect("a queue");
        for side in Side::BOTH {
            let started = queue.decisions.iter().flat_map(|decision| &decision.started).filter(|one| **one == side);
            assert_eq!(started.count(), 3, "{queue:?}");
        }
        // Nothing was known to gain less than one after the other, and yet was done.
        let mut expected = queue.decisions.iter().filter_map(|decision| decision.expected_sum);
        assert!(expected.all(|sum| sum > 1.0), "{queue:?}");
        assert!(queue.makespan_seconds >= queue.decisions.last().expect("a start").at_seconds, "{queue:?}");
    }
    // Allowed before, in this folder.
    let (code, _, messages) = folder.run(LOOP, LOOP, &["--on", "cpu", "--repeats", "1", "--launches", "1"]);
    assert!(code == Some(0) && !messages.contains("program:"), "{messages}");
}

/// On one core both compete, whatever else the machine does.
#[test]
fn a_program_with_a_larger_weight_is_faster_beside_the_other() {
    if Command::new("taskset").arg("--version").stdout(Stdio::null()).status().is_err() {
        not_run("taskset is not installed");
        return;
    }
    let folder = Folder::new();
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list").trim();
    let core = allowed.split([',', '-']).next().expect("a core");
    let program = "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'";
    let mut command = Command::new("taskset");
    command.args(["-c", core, env!("CARGO_BIN_EXE_gpu-bench"), "share", "--first", program, "--second", program]);
    command.args(ONCE).args(["--weights", "100,900", "--json", "share.json"]);
    let (code, _, messages) = written(folder.prepared(command).output().expect("it starts"));
    assert_eq!(code, Some(0), "{messages}");
    let report = folder.report();
    assert_eq!(report.settings[1], SharingSetting::CpuWeights { first: 100, second: 900 });
    let [first, second] = report.rounds[0].progress(1).expect("measured");
    assert!(first < second, "{first} with weight 100, {second} with weight 900");
}

#[test]
fn a_program_that_fails_or_cannot_start_ends_the_measurement_and_is_named() {
    let folder = Folder::new();
    let (code, output, messages) = folder.run(LOOP, "sh -c 'exit 3'", &ONCE);
    assert_eq!((code, output.as_str()), (Some(1), ""), "{messages}");
    assert!(messages.contains("“sh” failed (exit status: 3); expected exit code 0"), "{messages}");
    let (code, _, messages) = folder.run("./absent", LOOP, &ONCE);
    assert!(code == Some(1) && messages.contains("cannot start “./absent”: "), "{messages}");
    // Nothing is measured with a setting that is not there.
    let (code, _, messages) = folder.run(LOOP, LOOP, &[&ONCE[..], &["--shares", "50,50"]].concat());
    assert!(code == Some(1) && messages.contains("MPS shares 50:50 act on a GPU; choose it with --on"), "{messages}");
}

#[test]
fn a_program_that_never_ends_is_ended_at_its_limit_even_if_it_ignores_that() {
    let folder = Folder::new();
    let endless = "sh -c 'trap \"\" TERM; echo $$ >> pids; sleep 1000 & echo $! >> pids; while :; do wait; done'";
    let (code, output, messages) = folder.run("true", endless, &[&ONCE[..], &["--limit", "1"]].concat());
    assert_eq!((code, output.as_str()), (Some(1), ""), "{messages}");
    assert!(messages.contains("“sh” ran longer than 1 s and was terminated; --limit allows more"), "{messages}");
    let processes = folder.processes("pids");
    assert!(!processes.is_empty());
    // Its child too.
    wait_until("all its processes to end", || processes.iter().all(|process| state(process).is_none()));
}

#[test]
fn an_interrupt_ends_both_programs_and_keeps_whole_rounds() {
    let folder = Folder::new();
    let program = |name: &str| format!("sh -c 'echo $$ >> {name}; [ ! -e wait ] || {{ touch waits; sleep 1000; }}'");
    let arguments = [
        "--on",
        "cpu",
        "--repeats",
        "1000",
        "--launches",
        "1",
        "--slice",
        "0.05",
        "--json",
        "share.json",
        "--allow-programs",
    ];
    let mut command = folder.command(&program("first"), &program("second"), &arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut messages = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let second = messages.by_ref().map(|line| line.expect("UTF-8")).find(|line| line.contains("[round 2 of 1000]"));
    assert!(second.is_some(), "it ended in its first round");
    fs::write(folder.path("wait"), "").expect("written");
    // Nothing reads its progress from now on.
    drop(messages);
    wait_until("a program to wait", || folder.path("waits").exists());
    interrupt(&child);
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    for name in ["first", "second"] {
        wait_until("all programs to end", || folder.processes(name).iter().all(|process| state(process).is_none()));
    }
    assert!(!folder.report().rounds.is_empty());
}
