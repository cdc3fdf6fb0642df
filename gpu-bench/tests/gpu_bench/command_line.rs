//! The program as a user at a terminal, or another program, runs it.
//!
//! Folders, signals and devices are those of Linux.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};

use crossover_gpu_bench::benchmarks;
use crossover_gpu_bench::report::{Report, Verified, file, history};
use crossover_gpu_bench::runner::Event;
use serde_json::Value;
use tempfile::TempDir;

use super::{DEBUG_BUILD, has_gpu, written};

/// A folder for data of its own, so that no test sees another's runs.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-bench"));
        command.args(arguments).env("XDG_DATA_HOME", self.0.path()).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        written(self.command(arguments).output().expect("the program starts"))
    }

    /// The result of a command that succeeds and has nothing to say beside it.
    fn result(&self, arguments: &[&str]) -> String {
        let (code, output, messages) = self.run(arguments);
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{arguments:?}");
        output
    }

    /// The messages of a command that ends with `expected` and no result.
    fn refusal(&self, expected: i32, arguments: &[&str]) -> String {
        let (code, output, messages) = self.run(arguments);
        assert_eq!((code, output.as_str()), (Some(expected), ""), "{arguments:?}: {messages}");
        messages
    }

    /// The reports in the folder of all runs.
    fn kept(&self) -> Vec<Report> {
        let entries = history::list(&self.path("crossover/measurements")).expect("listed");
        entries.into_iter().map(|entry| entry.report.expect("readable")).collect()
    }

    /// Starts a run that takes a while, with progress on standard error.
    fn start(&self, arguments: &[&str]) -> (Child, BufReader<ChildStderr>) {
        let arguments = [&["run", "--suite", "quick", "--only", "memory.copy"], arguments].concat();
        let mut command = self.command(&arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let messages = BufReader::new(child.stderr.take().expect("piped"));
        (child, messages)
    }
}

/// Reads until a line begins like that.
fn wait_for(beginning: &str, messages: &mut impl std::io::BufRead) {
    let mut line = String::new();
    while !line.starts_with(beginning) {
        line.clear();
        assert_ne!(messages.read_line(&mut line).expect("readable"), 0, "the program ended before “{beginning}”");
    }
}

/// A report of the small suite, measured now.
fn measured(home: &Home) -> PathBuf {
    let path = home.path("report.json");
    let (code, _, messages) =
        home.run(&["run", "--suite", "ci", "--only", "memory.copy", "--json", path.to_str().expect("UTF-8")]);
    assert_eq!(code, Some(0), "{messages}");
    path
}

#[test]
fn list_shows_the_adapters_and_calls_software_software() {
    if !has_gpu() {
        return;
    }
    let home = Home::new();
    let text = home.result(&["list"]);
    assert!(text.starts_with("0 ") && text.contains("type "), "{text}");
    let listed: Value = serde_json::from_str(&home.result(&["list", "--json"])).expect("JSON");
    let first = &listed[0];
    assert_eq!((&first["index"], first["backend"].is_string()), (&Value::from(0), true));
    assert_eq!(text.contains("software renderer on the CPU"), first["software"] == Value::Bool(true));
}

#[test]
fn a_run_prints_what_it_keeps_in_the_file_and_among_all_runs() {
    let home = Home::new();
    let path = home.path("report.json");
    let (code, table, messages) = home.run(&["run", "--suite", "ci", "--only", "memory.copy", "--json", "report.json"]);
    assert_eq!(code, Some(0), "{messages}");
    let report = file::read(&path).expect("readable");
    assert_eq!(home.kept(), std::slice::from_ref(&report));
    assert!(!report.results.is_empty() && report.results.iter().all(|result| result.time.is_some()), "{report:?}");
    assert_eq!((report.suite.as_str(), report.tool.optimised), ("ci", !cfg!(debug_assertions)));
    assert_eq!(messages.starts_with(DEBUG_BUILD), cfg!(debug_assertions), "{messages}");
    let total = report.results.len();
    assert!(messages.contains(&format!("[1/{total}] ")) && messages.contains(&format!("[{total}/{total}] ")));
    // The same table comes from the file and from the newest run.
    assert_eq!(home.result(&["show", "report.json"]), table);
    assert_eq!(home.result(&["show", "latest"]), table);
}

#[test]
fn a_report_is_shown_as_table_csv_and_markdown() {
    let home = Home::new();
    let report = file::read(&measured(&home)).expect("readable");
    let rows = report.results.len();
    let table = home.result(&["show", "report.json", "--format", "table"]);
    assert_eq!(table.lines().filter(|line| line.starts_with("memory.copy ")).count(), rows, "{table}");
    let markdown = home.result(&["show", "report.json", "--format", "markdown"]);
    assert_eq!(markdown.lines().filter(|line| line.starts_with("| memory.copy |")).count(), rows, "{markdown}");
    if report.adapter.as_ref().is_some_and(|adapter| adapter.description.software) {
        assert!(table.contains("software adapter: no GPU speedup") && !table.contains("speedup "), "{table}");
    }
    let (code, csv, _) = home.run(&["show", "report.json", "--format", "csv"]);
    assert_eq!(code, Some(0));
    let medians: Vec<f64> = csv_column(&csv, "median_s");
    let expected: Vec<f64> = report.results.iter().map(|result| result.time.expect("a time").median_s).collect();
    assert_eq!(medians, expected);
}

/// A column of numbers.
fn csv_column(text: &str, name: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let column = reader.headers().expect("a header").iter().position(|column| column == name).expect("such a column");
    reader.records().map(|record| record.expect("a record")[column].parse().expect("a number")).collect()
}

#[test]
fn a_report_compared_with_itself_is_the_same_throughout() {
    let home = Home::new();
    let rows = file::read(&measured(&home)).expect("readable").results.len();
    let table = home.result(&["compare", "report.json", "latest"]);
    assert!(
        table.contains(&format!("{rows} measurements in both: {rows} SAME, 0 FASTER, 0 SLOWER, 0 UNCLEAR.")),
        "{table}"
    );
    let markdown = home.result(&["compare", "report.json", "report.json", "--format", "markdown"]);
    assert_eq!(markdown.matches("| SAME |").count(), rows, "{markdown}");
    let (code, csv, _) = home.run(&["compare", "report.json", "report.json", "--format", "csv"]);
    assert_eq!((code, csv.matches(",1,SAME,\r\n").count()), (Some(0), rows), "{csv}");
}

#[test]
fn every_id_is_listed_and_explained() {
    let home = Home::new();
    let all = home.result(&["explain"]);
    for benchmark in benchmarks::all() {
        let id = benchmark.id;
        assert!(all.lines().any(|line| line.split_whitespace().next() == Some(id)), "{id} is not in\n{all}");
        let text = home.result(&["explain", id]);
        assert!(text.starts_with(id) && text.contains(benchmark.traffic), "{text}");
    }
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_was_meant() {
    let home = Home::new();
    let near = "memory.copy";
    for arguments in [&["explain", "memroy.copy"][..], &["run", "--only", "memroy.copy"]] {
        let message = home.refusal(2, arguments);
        assert!(
            message.contains("no benchmark or group has this id; did you mean: ") && message.contains(near),
            "{message}"
        );
    }
    for budget in ["0", "-1", "inf", "soon"] {
        assert!(home.refusal(2, &["run", &format!("--budget={budget}")]).contains("a number of seconds above 0"));
    }
    for arguments in
        [&[][..], &["measure"], &["show"], &["run", "--suite", "huge"], &["run", "--cpu-only", "--device", "0"]]
    {
        home.refusal(2, arguments);
    }
    assert!(home.kept().is_empty(), "nothing was measured");
}

#[test]
fn the_network_to_a_listener_is_printed_and_kept() {
    let home = Home::new();
    let listen = ["network", "listen", "--address", "127.0.0.1:0"];
    let mut listener = home.command(&listen).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut messages = BufReader::new(listener.stderr.take().expect("piped"));
    let mut line = String::new();
    messages.read_line(&mut line).expect("readable");
    let rest = line.strip_prefix("gpu-bench: listening on ").unwrap_or_else(|| panic!("{line}"));
    let address = rest.split(' ').next().expect("an address");
    let arguments = ["network", address, "--streams", "2", "--seconds", "0.3", "--json", "network.json"];
    let (code, table, progress) = home.run(&arguments);
    assert_eq!(code, Some(0), "{progress}");
    assert!(progress.contains("gpu-bench: measuring round trips\n"), "{progress}");
    for expected in ["round trip of 64 bytes", "here to there, 1 connection", "there to here, 2 connections"] {
        assert!(table.contains(expected), "{expected}: {table}");
    }
    let kept = crossover_network::file::read(&home.path("network.json")).expect("readable").expect("a network");
    assert_eq!((kept.throughput.len(), kept.unoptimised), (4, cfg!(debug_assertions)));
    assert!(listener.wait().expect("ended").success(), "the listener ends after one measurement");
}

#[test]
fn three_runs_of_perftest_are_the_report_of_a_network() {
    let home = Home::new();
    let run = |average: &str| {
        format!(
            " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n \
             65536      5000             98.02              {average}              0.186950\n"
        )
    };
    fs::write(home.path("one"), run("97.5")).expect("written");
    fs::write(home.path("two"), run("97.7") + &run("97.9")).expect("written");
    let table = home.result(&["network", "rdma", "one", "two", "--to", "node2", "--json", "rdma.json"]);
    assert!(table.contains("node2, RDMA") && table.contains("97.7 Gbit/s"), "{table}");
    let kept = crossover_network::file::read(&home.path("rdma.json")).expect("readable").expect("a network");
    assert_eq!(kept.effective().map(|one| one.gbit_per_s.value), Some(97.7));
    let few = home.refusal(1, &["network", "rdma", "one", "--to", "node2"]);
    assert!(few.contains("1 run with messages of 65536 bytes; an interval needs 3"), "{few}");
    fs::write(home.path("other"), "no output").expect("written");
    let other = home.refusal(1, &["network", "rdma", "other", "--to", "node2"]);
    assert!(other.contains("other: it has no line with an average of ib_write_bw"), "{other}");
}

#[test]
fn a_listener_that_others_can_reach_needs_a_token_and_tls() {
    let home = Home::new();
    // Neither of them is enough; files are opened later.
    let (tls, token) = (["--tls-certificate", "a.pem", "--tls-key", "a.key"], ["--token-file", "token"]);
    for some in [&[] as &[&str], &tls, &token] {
        let message = home.refusal(2, &[&["network", "listen", "--address", "0.0.0.0:0"][..], some].concat());
        assert!(message.contains("--token-file") && message.contains("--tls-certificate"), "{message}");
    }
    home.refusal(2, &["network"]);
    home.refusal(2, &["network", "127.0.0.1:1", "listen"]);
}

#[test]
fn what_cannot_be_read_ends_with_1_and_is_named() {
    let home = Home::new();
    fs::write(home.path("broken.json"), "{").expect("written");
    fs::write(home.path("newer.json"), r#"{"schema": 99}"#).expect("written");
    let cases: [(&[&str], &str); 5] = [
        (&["show", "missing.json"], "cannot read missing.json"),
        (&["show", "broken.json"], "broken.json is not a gpu-bench report"),
        (&["compare", "newer.json", "broken.json"], "newer.json has schema 99; this version reads schema 1"),
        (&["show", "latest"], "no run in "),
        (&["run", "--device", "no such card"], "no adapter matches “no such card”"),
    ];
    for (arguments, expected) in cases {
        let message = home.refusal(1, arguments);
        assert!(message.contains(expected) && message.contains("gpu-bench: "), "{message}");
    }
}

#[test]
fn without_an_adapter_the_list_is_empty_and_the_cpu_is_measured() {
    let home = Home::new();
    let hidden = |arguments: &[&str]| {
        // No Vulkan driver and no EGL: what a machine without a GPU has.
        let mut command = home.command(arguments);
        command.env("VK_DRIVER_FILES", "/nonexistent").env("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent");
        written(command.output().expect("the program starts"))
    };
    let (code, output, messages) = hidden(&["list", "--json"]);
    assert_eq!((code, output.as_str()), (Some(0), "[]\n"));
    assert!(messages.contains("no GPU adapter found: install"), "{messages}");
    assert_eq!(hidden(&["list"]).1, "");
    let (code, table, messages) = hidden(&["run", "--suite", "ci", "--only", "memory.copy"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("only the CPU is measured: no GPU adapter") && table.contains("GPU       none\n"));
    let report = &home.kept()[0];
    assert!(report.adapter.is_none() && !report.results.is_empty());
}

#[test]
fn the_gpu_is_left_out_as_asked() {
    let home = Home::new();
    let (code, table, _) = home.run(&["run", "--suite", "ci", "--only", "memory.copy", "--cpu-only"]);
    assert_eq!(code, Some(0));
    assert!(table.contains("only the CPU is measured: the GPU was excluded by --cpu-only"), "{table}");
    assert!(!table.contains("memory.copy  GPU"), "{table}");
}

#[test]
fn killing_the_program_loses_nothing_that_was_measured() {
    let home = Home::new();
    let (mut child, mut messages) = home.start(&["--json", "report.json"]);
    wait_for("[2/", &mut messages);
    child.kill().expect("killed");
    child.wait().expect("ended");
    for report in [home.kept().remove(0), file::read(&home.path("report.json")).expect("readable")] {
        assert!(report.results.len() >= 2 && report.results[1].time.is_some(), "{report:?}");
    }
    assert!(home.result(&["show", "report.json"]).contains("memory.copy"));
}

#[test]
fn an_interrupted_run_prints_and_keeps_what_it_has() {
    let home = Home::new();
    let (child, mut messages) = home.start(&[]);
    wait_for("[1/", &mut messages);
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().expect("sent");
    assert!(sent.success());
    let mut rest = String::new();
    messages.read_to_string(&mut rest).expect("UTF-8");
    let (code, table, _) = written(child.wait_with_output().expect("ended"));
    assert_eq!(code, Some(130), "{rest}");
    let report = &home.kept()[0];
    assert!(report.results[0].time.is_some());
    let note = report.notes.iter().find(|note| note.starts_with("cancelled after ")).expect("a note");
    assert!(table.contains(note.as_str()) && rest.contains(note.as_str()), "{table}");
}

/// The events of a run that hears `ask` on standard input once it has told of a measurement.
fn events(home: &Home, ask: fn(&mut Child)) -> (Option<i32>, Vec<Event>) {
    let mut command = home.command(&["run", "--suite", "quick", "--only", "memory.copy", "--events"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let mut events = Vec::new();
    let mut has_requested = false;
    for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
        events.push(serde_json::from_str(&line.expect("UTF-8")).expect("an event"));
        if matches!(events.last(), Some(Event::Finished { .. })) && !has_requested {
            ask(&mut child);
            has_requested = true;
        }
    }
    (child.wait().expect("ended").code(), events)
}

#[test]
fn another_program_hears_every_step_and_cancels_by_a_word_or_by_ending() {
    if !has_gpu() {
        return;
    }
    let word = |child: &mut Child| child.stdin.as_mut().expect("piped").write_all(b"hello\ncancel\n").expect("written");
    let end = |child: &mut Child| drop(child.stdin.take());
    for ask in [word as fn(&mut Child), end] {
        let home = Home::new();
        let (code, events) = events(&home, ask);
        assert_eq!(code, Some(130));
        let [
            Event::Planned { total, .. },
            Event::Started { index: 0, .. },
            Event::Finished { index: 0, measurement },
            ..,
        ] = &events[..]
        else {
            panic!("{events:?}")
        };
        let Some(Event::Ended { report }) = events.last() else { panic!("{events:?}") };
        assert_eq!(&report.results[0], &**measurement);
        assert!(measurement.time.is_some() && report.results.len() < *total, "cancelled early");
        assert_eq!(home.kept(), std::slice::from_ref(&**report));
    }
}

#[test]
fn a_run_ends_when_its_events_are_no_longer_read() {
    let home = Home::new();
    let mut command = home.command(&["run", "--suite", "quick", "--only", "memory.copy", "--events"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let mut first = String::new();
    let mut events = BufReader::new(child.stdout.take().expect("piped"));
    events.read_line(&mut first).expect("UTF-8");
    drop(events);
    let input = child.stdin.take();
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    drop(input);
    let notes = &home.kept()[0].notes;
    assert!(notes.iter().any(|note| note.starts_with("cancelled after ")), "{notes:?}");
}

#[test]
fn a_run_that_cannot_be_kept_is_measured_and_printed_all_the_same() {
    let home = Home::new();
    // A file has the path of the folder of all runs.
    fs::write(home.path("crossover"), "").expect("written");
    let (code, table, messages) = home.run(&["run", "--suite", "ci", "--only", "memory.copy", "--json", "/dev/full"]);
    assert_eq!(code, Some(1), "{messages}");
    assert!(table.contains("memory.copy"), "{table}");
    for place in ["cannot write /dev/full", "/measurements: "] {
        assert_eq!(messages.matches(place).count(), 1, "told once: {messages}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let home = Home::new();
    measured(&home);
    let mut child =
        home.command(&["show", "report.json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    drop(child.stdout.take());
    assert_eq!(written(child.wait_with_output().expect("ended")), (Some(0), String::new(), String::new()));
}

#[test]
fn a_budget_too_small_is_the_reason_why_there_is_no_time() {
    if !has_gpu() {
        return;
    }
    let home = Home::new();
    let (code, table, _) = home.run(&["run", "--suite", "ci", "--only", "memory.copy", "--budget", "0.000001"]);
    assert_eq!(code, Some(0));
    let report = &home.kept()[0];
    assert!(report.results.is_empty(), "{table}");
    assert!(table.contains("the time budget is used up: 3 of 3 measurements were skipped"), "{table}");
}

#[test]
fn every_result_of_the_small_suite_is_right() {
    let home = Home::new();
    let (code, table, messages) = home.run(&["run", "--suite", "ci"]);
    assert_eq!(code, Some(0), "{messages}");
    let report = &home.kept()[0];
    let wrong: Vec<_> = report.results.iter().filter(|result| result.verified == Verified::Failed).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let right = report.results.iter().filter(|result| matches!(result.verified, Verified::Exact | Verified::Digest));
    assert!(right.count() > 0 && !table.contains("FAILED"), "{table}");
}
