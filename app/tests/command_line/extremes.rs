//! Numbers at the ends of their range, output that cannot be written, and input that never ends: refused with the reason, and
//! nothing is left behind that looks like a result.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::{crossover, file, outcome_of, refusal, run};

const SCENARIO: &str = super::PUBLISHED;

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    path.to_str().expect("text").to_owned()
}

/// Whether a text has a number that is none, as a word of its own.
fn has_no_number(text: &str) -> bool {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '∞'));
    let mut words = words.filter(|word| !word.is_empty());
    words.any(|word| word.contains('∞') || ["inf", "nan", "infinity"].contains(&word.to_lowercase().as_str()))
        || text.contains("not a number")
}

/// A quarter of an hour apart, a day long.
fn day(extreme: &str) -> String {
    let mut text = "time,seconds\n".to_owned();
    for quarter in 0..96 {
        text.push_str(&format!("2026-11-02T{:02}:{:02}:00,{}\n", quarter / 4, 15 * (quarter % 4), 10 + quarter % 3));
    }
    text + extreme
}

#[test]
fn a_series_with_times_that_no_probe_takes_leaves_them_out_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    for extreme in ["1e308", "1e-308", "5e-324", "inf", "1e10", "1e-10"] {
        let file = written(folder.path(), "series.csv", &day(&format!("2026-11-03T00:00:00,{extreme}\n")));
        for format in ["table", "json", "csv", "markdown"] {
            let (code, text, messages) = run(&["probe", "window", &file, "--format", format]);
            assert_eq!(code, Some(0), "{extreme}: {messages}");
            assert!(messages.contains(&format!("line 98: seconds is “{extreme}”")), "{messages}");
            assert!(!has_no_number(&text) && text.len() < 20_000, "{extreme}: {text}");
        }
    }
    for year in ["9999-01-01T00:00:00", "-009999-01-01T00:00:00", "0001-01-01T00:00:00"] {
        let file = written(folder.path(), "series.csv", &day(&format!("{year},10\n")));
        let (code, _, messages) = run(&["probe", "window", &file]);
        assert!(code == Some(0) && messages.contains("line 98: time is “"), "{messages}");
    }
}

#[test]
fn a_result_that_would_not_be_finite_is_refused_by_name_or_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    // A rate per second of a time that is all but zero is infinite: 1 row / 5·10⁻³²⁴ s.
    let schema = crossover_gpu_bench::report::SCHEMA;
    let report = format!(
        r#"{{"schema": {schema}, "tool": {{}}, "time": "2026-01-02T03:04:05Z", "suite": "full", "host": {{}}, "results": [
        {{"id": "memory.copy", "side": "gpu", "params": {{"rows": 1}}, "bytes_logical": 1e300, "verified": "exact", "time":
        {{"median_s": 5e-324, "iqr_s": 0, "min_s": 5e-324, "ci95_s": [5e-324, 5e-324], "n": 12, "stop": "precise",
        "source": "gpu_timestamps"}}}}]}}"#
    );
    let report = written(folder.path(), "report.json", &report);
    for format in ["table", "csv", "markdown"] {
        let problem = refusal(1, &["bench", "show", &report, "--format", format]);
        assert!(problem.contains("report.json: memory.copy: no result: gb_per_s would be inf"), "{problem}");
    }
    for throughput in ["1e308", "1.7e308", "5e-324"] {
        let rows: String = [1, 2, 4, 8, 16].map(|units| format!("{units},{throughput}\n")).concat();
        let points = written(folder.path(), "points.csv", &format!("units,throughput\n{rows}"));
        let (code, text, messages) = run(&["probe", "fit", &points]);
        assert!(code == Some(1) && text.is_empty() || !has_no_number(&text), "{throughput}: {text}{messages}");
    }
    let mut table = "batchsize,seconds\n".to_owned();
    for row in 0..200 {
        table.push_str(&format!("{},{}\n", 1 + row % 20, if row % 2 == 0 { "5e-324" } else { "1e18" }));
    }
    let data = written(folder.path(), "runs.csv", &table);
    let out = folder.path().join("net.safetensors");
    let arguments =
        ["train", "--data", &data, "--target", "time", "--epochs", "5", "--out", out.to_str().expect("text")];
    let (code, text, messages) = run(&arguments);
    if code == Some(0) {
        assert!(!has_no_number(&text), "{text}");
    } else {
        assert!(text.is_empty() && !out.exists() && messages.contains("runs.csv"), "{messages}");
    }
}

#[test]
fn a_command_that_fails_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let nodes = written(folder.path(), "nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn1,64000,262144,2,P100\n");
    let pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\np1,4000,1024,1,1000,,LS\n";
    let pods = written(folder.path(), "pods.csv", pods);
    let out = folder.path().join("out.ron");
    let out_text = out.to_str().expect("text");
    let import = ["import", "openb", "--nodes", &nodes, "--pods", &pods, "--out", out_text];
    // Without times of pods nothing can be replayed.
    let problem = refusal(1, &[&import[..], &["--replay"]].concat());
    assert!(problem.contains("no run times") && !problem.contains("written") && !out.exists(), "{problem}");
    let (code, _, messages) = run(&import);
    assert!(code == Some(0) && messages.contains("out.ron: written") && out.exists(), "{messages}");

    // Of two files, the second of which may not be written, there is neither.
    let list = written(folder.path(), "task.csv", "name,executions\nfft,10\n");
    let probe = folder.path().join("probe.ron");
    let probe = probe.to_str().expect("text");
    let problem = run(&["probe", "build", &list, "--out", probe, "--scenario", &list]).2;
    assert!(problem.contains("it is also an input") && !Path::new(probe).exists(), "{problem}");
    let problem = run(&["probe", "build", &list, "--out", probe, "--scenario", probe]).2;
    assert!(problem.contains("name the same file") && !Path::new(probe).exists(), "{problem}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let nodes = written(folder.path(), "nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn1,64000,262144,2,P100\n");
    let pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\np1,4000,1024,1,1000,,LS\n";
    let pods = written(folder.path(), "pods.csv", pods);
    let out = folder.path().join("out.ron").to_str().expect("text").to_owned();
    for arguments in [
        &["evaluate", SCENARIO][..],
        &["import", "openb", "--nodes", &nodes, "--pods", &pods, "--out", &out],
        &["completions", "bash"],
        &["bench", "explain"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let mut command = crossover(arguments);
        let (code, _, messages) = outcome_of(command.stdout(full).stderr(Stdio::piped()).output().expect("it starts"));
        assert_eq!(code, Some(1), "{arguments:?}: {messages}");
        assert!(messages.contains("cannot write the result to standard output"), "{messages}");
        assert!(messages.contains("No space left"), "{messages}");
    }
    // A device is no file that a result replaces.
    let (code, _, messages) = run(&["import", "openb", "--nodes", &nodes, "--pods", &pods, "--out", "/dev/full"]);
    assert!(code == Some(1) && messages.contains("/dev/full") && messages.contains("a device"), "{messages}");
}

/// A file size limit stands in for the full disk, as the system refuses in the middle of the write.
#[cfg(unix)]
#[test]
fn a_full_disk_keeps_the_old_file_of_a_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = written(folder.path(), "task.csv", "name,executions\nfft,10\n");
    let out = written(folder.path(), "study.ron", "old");
    let mut command = std::process::Command::new("sh");
    let limited = r#"trap "" XFSZ; ulimit -f 1; exec "$0" "$@""#;
    command.args(["-c", limited, env!("CARGO_BIN_EXE_crossover")]);
    command.args(["probe", "build", &list, "--scenario", &out]).stdin(Stdio::null());
    let (code, _, messages) = outcome_of(command.output().expect("it starts"));
    assert!(code == Some(1) && messages.contains("no space left"), "{messages}");
    assert_eq!(fs::read_to_string(&out).expect("the old file"), "old");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "no temporary file stays");
}

/// As an ordinary user: for the administrator, permissions mean nothing.
#[cfg(unix)]
#[test]
fn what_a_user_may_not_read_or_write_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;

    let folder = tempfile::tempdir().expect("a folder");
    let id = std::process::Command::new("id").arg("-u").output().expect("id").stdout;
    let is_root = id == b"0\n";
    // Nobody's number on Linux and the BSDs.
    let as_user = |arguments: &[&str]| {
        let mut command = crossover(arguments);
        command.env("HOME", folder.path()).current_dir("/");
        if is_root {
            command.uid(65_534).gid(65_534);
        }
        command.output().map(outcome_of)
    };
    if !as_user(&["--version"]).is_ok_and(|(code, ..)| code == Some(0)) {
        crossover_needs::not_run("an ordinary user cannot start the program in the folder where it is built");
        return;
    }
    let mode = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the owner may");
    };
    mode(folder.path(), 0o755);
    let secret = file(folder.path(), fs::read_to_string(SCENARIO).expect("text").as_bytes());
    mode(&secret, 0o000);
    let shut = folder.path().join("shut");
    fs::create_dir(&shut).expect("a folder");
    let old = shut.join("old.ron");
    fs::write(&old, "old").expect("written");
    mode(&old, 0o444);
    mode(&shut, 0o555);
    let list = written(folder.path(), "task.csv", "name,executions\nfft,10\n");
    mode(Path::new(&list), 0o644);
    let text = |path: &Path| path.to_str().expect("text").to_owned();

    let (code, output, messages) = as_user(&["evaluate", &text(&secret)]).expect("it starts");
    assert_eq!((code, output.as_str()), (Some(1), ""), "{messages}");
    assert!(messages.contains("cannot read") && messages.contains("ermission denied"), "{messages}");
    for (out, expected) in [(old.clone(), "write-protected"), (shut.join("new.ron"), "no permission to create")] {
        let (code, _, messages) = as_user(&["probe", "build", &list, "--scenario", &text(&out)]).expect("it starts");
        assert!(code == Some(1) && messages.contains(expected), "{expected}: {messages}");
    }
    mode(&shut, 0o755);
    assert_eq!(fs::read_to_string(&old).expect("the old file"), "old");
    assert_eq!(fs::read_dir(&shut).expect("a folder").count(), 1, "nothing else is there");
}

/// Ends a program that a failed test would leave.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_writer_does_not_keep_the_window_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe.ron");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    // With a display that cannot be reached, and without one.
    for display in [":no such display", ""] {
        let mut command = crossover(&[pipe.to_str().expect("text")]);
        command.env("DISPLAY", display).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut running = Running(command.spawn().expect("it starts"));
        let status = crossover_needs::wait_for("the program to end", || running.0.try_wait().expect("a child"));
        let mut messages = String::new();
        let mut stderr = running.0.stderr.take().expect("piped");
        std::io::Read::read_to_string(&mut stderr, &mut messages).expect("text");
        assert_eq!(status.code(), Some(1), "{display}: {messages}");
        assert!(messages.contains("pipe.ron: a pipe, a socket or a device"), "{display}: {messages}");
    }
}

#[test]
fn a_table_of_a_hundred_thousand_columns_and_a_file_beyond_all_bounds_are_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = (0..100_000).map(|number| format!(",metric {number}")).collect::<Vec<_>>().concat();
    let kernels = format!("name,instructions,ipc,threads,blocks{names}\nk,1e6,2,64,8{}\n", ",1".repeat(100_000));
    let kernels = written(folder.path(), "kernels.csv", &kernels);
    let problem = refusal(1, &["import", "kernels", &kernels]);
    assert!(problem.contains("100005 columns; allowed: at most 10000"), "{problem}");
    // Holes take no space on the disk.
    let huge = folder.path().join("huge.onnx");
    fs::File::create(&huge).and_then(|file| file.set_len(3_900_000_000)).expect("holes");
    let huge = huge.to_str().expect("text");
    for arguments in [&["predict", huge][..], &["merge", huge], &["probe", "build", huge], &["evaluate", huge]] {
        let problem = refusal(1, arguments);
        assert_eq!(problem.matches("larger than ").count(), 1, "{arguments:?}: {problem}");
    }
}

#[test]
fn a_message_states_its_cause_once() {
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/postgres-join.json");
    for arguments in [
        &["predict", "/no/such/file"][..],
        &["probe", "build", "/no/such/file"],
        &["bench", "show", "/no/such/file"],
        &["decide", "/no/such/file"],
        &["import", "postgres", plan, "--support", "/no/such/file"],
    ] {
        let problem = refusal(1, arguments);
        assert_eq!(problem.matches("(os error 2)").count(), 1, "{arguments:?}: {problem}");
    }
}
