//! `gpu-bench pairs` as a user at a terminal runs it.
//!
//! Processes are looked up as Linux shows them.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};

use crossover_gpu_bench::pairs::{KERNELS, PairMode, PairsReport};
use crossover_measured::kernels::Class;
use crossover_needs::{wait_for, wait_until};
use rustix::process::{Pid, Signal};
use tempfile::TempDir;

use super::{DEBUG_BUILD, has_gpu, written};

/// Of a run that is ended before it is over, alone and as a pair: half an hour.
const REPEATS: usize = 1000;

/// A folder for reports.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-bench"));
        command.arg("pairs").args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Exit code, standard output, standard error.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let (code, result, messages) = written(self.command(arguments).output().expect("the program starts"));
        let messages = messages.strip_prefix(DEBUG_BUILD).unwrap_or(&messages).to_owned();
        (code, result, messages)
    }

    fn report(&self, name: &str) -> PairsReport {
        let text = fs::read_to_string(self.path(name)).expect("written");
        serde_json::from_str(&text).expect("a report")
    }
}

#[test]
fn pairs_are_measured_in_processes_and_on_queues() {
    if !has_gpu() {
        return;
    }
    let folder = Folder::new();
    let arguments =
        ["--kernels", "hash,random_access,hash", "--seconds", "0.2", "--repeats", "2", "--json", "report.json"];
    for (more, mode) in [(&[][..], PairMode::Processes), (&["--queues"], PairMode::Queues)] {
        let (code, output, messages) = folder.run(&[&arguments[..], more].concat());
        assert_eq!(code, Some(0), "{messages}");
        assert!(messages.starts_with("[1/10] ") && messages.lines().count() == 10, "{messages}");
        let report = folder.report("report.json");
        assert_eq!((report.version, report.mode, report.seconds), (1, mode, 0.2));
        // In the order of the library, none twice.
        let kernels: Vec<(&str, Class)> = report.kernels.iter().map(|of| (of.name.as_str(), of.class)).collect();
        assert_eq!(kernels, [("random_access", Class::Memory), ("hash", Class::Compute)]);
        let pairs: Vec<[&str; 2]> = report.pairs.iter().map(|of| [of.first.as_str(), of.second.as_str()]).collect();
        assert_eq!(pairs, [["random_access", "random_access"], ["random_access", "hash"], ["hash", "hash"]]);
        let alone = report.kernels.iter().map(|kernel| &kernel.alone_per_second);
        let together = report.pairs.iter().flat_map(|pair| [&pair.first_per_second, &pair.second_per_second]);
        for values in alone.chain(together) {
            assert!(values.len() == 2 && values.iter().all(|value| *value > 0.0), "{report:?}");
        }
        assert_eq!(output.contains("are not GPU performance figures"), report.is_software, "{output}");
        for text in ["memory-intensive + compute-intensive", "±", &report.device, &report.adapter] {
            assert!(output.contains(text), "{text} is not in\n{output}");
        }
    }
}

#[test]
fn wrong_usage_says_what_is_known_and_a_worker_is_not_a_user_command() {
    let folder = Folder::new();
    let names: Vec<&str> = KERNELS.iter().map(|kernel| kernel.key).collect();
    for (arguments, code, expected) in [
        (&["--kernels", "copy,sgemm"][..], 2, names.join(", ").as_str()),
        (&["--kernels", ""], 2, "unknown kernel"),
        (&["--seconds", "0"], 2, "from 0.05 to 600"),
        (&["--seconds", "NaN"], 2, "from 0.05 to 600"),
        (&["--seconds", "1e9"], 2, "from 0.05 to 600"),
        (&["--repeats", "0"], 2, "1..=1000"),
        (&["--device", "no such card"], 1, "no adapter matches “no such card”"),
        (&["--worker"], 1, "only “gpu-bench pairs” starts a worker"),
        (&["--worker", "--queues"], 2, "cannot be used with"),
    ] {
        let (found, output, messages) = folder.run(arguments);
        assert_eq!((found, output.as_str()), (Some(code), ""), "{arguments:?}: {messages}");
        assert!(messages.contains(expected), "{arguments:?}: {messages}");
    }
    assert!(!folder.run(&["--help"]).1.contains("worker"), "workers are internal");
}

#[test]
fn a_report_that_cannot_be_written_goes_to_standard_output() {
    if !has_gpu() {
        return;
    }
    let arguments =
        ["--kernels", "hash", "--seconds", "0.05", "--repeats", "1", "--json", "no/such/folder/report.json"];
    let (code, output, messages) = Folder::new().run(&arguments);
    assert_eq!(code, Some(1), "{messages}");
    assert!(messages.contains("the report follows on standard output"), "{messages}");
    let json = &output[output.find('{').expect("JSON")..];
    serde_json::from_str::<PairsReport>(json).expect("a report");
}

/// A run that takes long, in the middle of its second measurement.
struct Running {
    child: Child,
    messages: BufReader<ChildStderr>,
}

impl Running {
    /// Waits until the first measurement is over.
    fn start(folder: &Folder) -> Self {
        let repeats = REPEATS.to_string();
        let arguments = ["--kernels", "hash", "--seconds", "1", "--repeats", &repeats, "--json", "report.json"];
        let mut command = folder.command(&arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut messages = BufReader::new(child.stderr.take().expect("piped"));
        let mut line = String::new();
        while !line.starts_with("[2/") {
            line.clear();
            assert_ne!(messages.read_line(&mut line).expect("readable"), 0, "the program ended early");
        }
        Self { child, messages }
    }

    /// The workers, as soon as there are some.
    fn workers(&self) -> Vec<Pid> {
        let file = format!("/proc/{0}/task/{0}/children", self.child.id());
        wait_for("a worker", || {
            let text = fs::read_to_string(&file).expect("Linux lists children");
            let pids: Vec<Pid> = text.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect();
            (!pids.is_empty()).then_some(pids)
        })
    }

    /// Exit code, standard output, the rest of standard error.
    fn ended(mut self) -> (Option<i32>, String, String) {
        let mut messages = String::new();
        self.messages.read_to_string(&mut messages).expect("UTF-8");
        let output = self.child.wait_with_output().expect("ended");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"), messages)
    }
}

/// Waits until none of these processes is left; a zombie counts as ended.
fn assert_gone(workers: &[Pid]) {
    for worker in workers {
        let file = format!("/proc/{}/stat", worker.as_raw_nonzero());
        wait_until("the end of a worker", || fs::read_to_string(&file).ok().is_none_or(|stat| stat.contains(") Z ")));
    }
}

/// The first measurement is there, and not all of them; what they were of is a matter of the order.
fn assert_partial(report: &PairsReport) {
    let alone = report.kernels.iter().map(|kernel| kernel.alone_per_second.len());
    let measured: usize = alone.chain(report.pairs.iter().map(|pair| pair.first_per_second.len())).sum();
    assert!((1..2 * REPEATS).contains(&measured), "{report:?}");
}

#[test]
fn a_worker_that_dies_is_told_of_and_what_was_measured_is_kept() {
    if !has_gpu() {
        return;
    }
    let folder = Folder::new();
    let running = Running::start(&folder);
    let workers = running.workers();
    rustix::process::kill_process(workers[0], Signal::KILL).expect("sent");
    let (code, output, messages) = running.ended();
    assert_eq!(code, Some(1), "{messages}");
    let expected = "hash failed: its process was killed: signal: 9 (SIGKILL)";
    assert!(messages.contains("cannot be measured: ") && messages.contains(expected), "{messages}");
    assert_gone(&workers);
    let report = folder.report("report.json");
    assert_partial(&report);
    assert!(output.contains(&report.device), "{output}");
}

#[test]
fn ctrl_c_ends_the_workers_and_keeps_what_was_measured() {
    if !has_gpu() {
        return;
    }
    let folder = Folder::new();
    let running = Running::start(&folder);
    let workers = running.workers();
    rustix::process::kill_process(Pid::from_child(&running.child), Signal::INT).expect("sent");
    let (code, _, messages) = running.ended();
    assert_eq!(code, Some(130), "{messages}");
    assert_gone(&workers);
    assert_partial(&folder.report("report.json"));
}

#[test]
fn workers_end_when_their_parent_is_gone() {
    if !has_gpu() {
        return;
    }
    let mut running = Running::start(&Folder::new());
    let workers = running.workers();
    running.child.kill().expect("killed");
    running.child.wait().expect("ended");
    assert_gone(&workers);
}
