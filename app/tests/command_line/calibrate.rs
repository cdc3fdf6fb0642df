//! `crossover calibrate`: measured figures into a scenario, at a terminal.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crossover_gpu_bench::report::{Host, Report, SCHEMA, file};
use crossover_harness::tool::Tool;
use crossover_measured::calibration::{Calibration, Measured, OperatorFigures};
use crossover_measured::network::NetworkReport;
use crossover_quantity::provenance::Provenance;
use crossover_scenario::read;

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-published.ron");

/// A report of a made-up machine: a bus of 25 GB/s; a filter that takes a core 10 ms for 100 MB, a join 0.5 s.
fn report(folder: &Path, software: bool) -> PathBuf {
    let figure = |value: f64| Some(Measured { value, interval: (value * 0.95, value * 1.05) });
    let operator = |name: &str, seconds| OperatorFigures {
        operator: name.to_owned(),
        cpu_seconds_per_100mb: figure(seconds),
        ..OperatorFigures::default()
    };
    let calibration = Calibration {
        device: "Example GPU".to_owned(),
        date: "2026-01-02".to_owned(),
        cpu: "Example CPU".to_owned(),
        software,
        to_gpu_gb_per_s: figure(25.0),
        operators: vec![operator("filter", 0.01), operator("join", 0.5)],
        ..Calibration::default()
    };
    let path = folder.join("report.json");
    let report = Report {
        schema: SCHEMA,
        tool: Tool::default(),
        time: "2026-01-02T03:04:05Z".to_owned(),
        suite: "full".to_owned(),
        host: Host::default(),
        adapter: None,
        results: Vec::new(),
        calibration: Some(calibration),
        notes: Vec::new(),
        drift: None,
    };
    file::write(&path, &report).expect("the report is written");
    path
}

/// Exit code, standard output, standard error.
fn run(arguments: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    crossover(&[&["calibrate"], arguments].concat(), folder)
}

fn crossover(arguments: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_crossover"))
        .args(arguments)
        .env("XDG_DATA_HOME", folder)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_report_is_applied_to_a_copy_of_the_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = report(folder.path(), false);
    let out = folder.path().join("calibrated.ron");
    let (report, written) = (report.to_str().expect("UTF-8"), out.to_str().expect("UTF-8"));
    let (code, output, messages) = run(&["--from", report, "--apply", PUBLISHED, "--out", written], folder.path());
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("bus.to_gpu_gb_per_s") && output.contains("25 GB/s"), "{output}");
    let scenario = read(&std::fs::read_to_string(&out).expect("written")).expect("a scenario");
    let study = scenario.placement().expect("a placement study");
    assert_eq!((study.bus.to_gpu_gb_per_s, study.operators[0].cpu_seconds_per_100mb), (25.0, 0.01));
    let expected = Provenance::Measured {
        device: "Example GPU".to_owned(),
        date: "2026-01-02".to_owned(),
        interval: (25.0 * 0.95, 25.0 * 1.05),
    };
    assert_eq!(study.sources.get("bus.to_gpu_gb_per_s"), Some(&expected));
    // The published join is quadratic and the measured one is not: it stays unless asked for.
    assert_eq!(study.operators[1].cpu_seconds_per_100mb, 0.2);
    assert!(messages.contains("not applied: operators.join.cpu_seconds_per_100mb"), "{messages}");
    let (_, output, _) = run(&["--from", report, "--apply", PUBLISHED, "--all"], folder.path());
    assert!(output.contains("operators.join.cpu_seconds_per_100mb"), "{output}");
}

#[test]
fn a_part_of_the_figures_can_be_chosen_and_shown_without_writing() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = report(folder.path(), false);
    let arguments = ["--from", report.to_str().expect("UTF-8"), "--apply", PUBLISHED, "--only", "operators"];
    let (code, output, _) = run(&arguments, folder.path());
    assert_eq!(code, Some(0));
    assert!(output.contains("operators.filter") && !output.contains("bus."), "{output}");
    let files = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(files, 1, "only the report is there");
}

/// Only a second, explicit step applies it; what it would change is shown without one.
#[test]
fn a_report_of_a_disturbed_machine_is_not_written_without_an_explicit_step_that_has_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = report(folder.path(), false);
    let mut disturbed = file::read(&path).expect("a report");
    if let Some(calibration) = &mut disturbed.calibration {
        calibration.drift = Some(0.62);
    }
    file::write(&path, &disturbed).expect("written");
    let out = folder.path().join("calibrated.ron");
    let (report, written) = (path.to_str().expect("UTF-8"), out.to_str().expect("UTF-8"));
    let applied = ["--from", report, "--apply", PUBLISHED, "--out", written];
    let (code, output, messages) = run(&applied, folder.path());
    assert_eq!((code, output.as_str(), out.exists()), (Some(1), "", false), "{messages}");
    assert!(messages.contains("changed by 62 %") && messages.contains("--disturbed"), "{messages}");
    let (code, output, messages) = run(&applied[..4], folder.path());
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("bus.to_gpu_gb_per_s") && messages.contains("changed by 62 %"), "{messages}");
    let (code, _, messages) = run(&[&applied[..], &["--disturbed"]].concat(), folder.path());
    assert_eq!((code, out.exists()), (Some(0), true), "{messages}");
}

/// A report of two made-up machines with 72 Gbit/s between them.
fn network_report(folder: &Path) -> PathBuf {
    let report: NetworkReport = crossover_needs::network_report();
    let path = folder.join("network.json");
    crossover_network::file::write(&path, &report).expect("the report is written");
    path
}

#[test]
fn a_measured_network_replaces_the_speed_of_the_one_that_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (report, out) = (network_report(folder.path()), folder.path().join("calibrated.ron"));
    let (report, written) = (report.to_str().expect("UTF-8"), out.to_str().expect("UTF-8"));
    let arguments = ["--from", report, "--apply", PUBLISHED];
    let of = |more: &[&str]| run(&[&arguments[..], more].concat(), folder.path());
    let (code, output, messages) = of(&["--network", "100 Gb InfiniBand", "--out", written]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("networks.100 Gb InfiniBand.effective_gbit_per_s"), "{output}");
    let scenario = read(&std::fs::read_to_string(&out).expect("written")).expect("a scenario");
    let study = scenario.placement().expect("a placement study");
    let speeds: Vec<f64> = study.networks.iter().map(|network| network.effective_gbit_per_s).collect();
    assert_eq!(speeds, [1.0, 72.0]);
    let expected = Provenance::Measured {
        device: "node1 and node2, TCP".to_owned(),
        date: "2026-11-26".to_owned(),
        interval: (70.0, 73.0),
    };
    assert_eq!(study.sources.get("networks.100 Gb InfiniBand.effective_gbit_per_s"), Some(&expected));
    // 72 Gbit/s do not come from a line of 10.
    let (code, _, messages) = of(&["--network", "10 Gb Ethernet"]);
    assert_eq!(code, Some(1));
    assert!(messages.contains("faster than the line speed of this network, 10 Gbit/s"), "{messages}");
    for (more, expected) in [
        (&[][..], "name the measured network by --network; the scenario has: 10 Gb Ethernet, 100 Gb InfiniBand"),
        (&["--network", "NVLink"][..], "the scenario has no network “NVLink”; its networks: 10 Gb Ethernet"),
    ] {
        let (code, _, messages) = of(more);
        assert_eq!(code, Some(1));
        assert!(messages.contains(expected), "{messages}");
    }
}

#[test]
fn figures_of_a_software_adapter_are_not_taken_for_a_gpu() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = report(folder.path(), true);
    let (code, output, messages) =
        run(&["--from", report.to_str().expect("UTF-8"), "--apply", PUBLISHED], folder.path());
    assert_eq!(code, Some(0));
    assert!(output.contains("operators.filter") && !output.contains("bus."), "{output}");
    assert!(messages.contains("its measurements do not describe a GPU"), "{messages}");
}

#[test]
fn what_cannot_be_read_or_used_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = folder.path().join("broken.json");
    std::fs::write(&broken, "{\"schema\": 1,").expect("written");
    let other = folder.path().join("other.json");
    std::fs::write(&other, "{\"schema\": 2}").expect("written");
    for (from, expected) in [
        (broken.to_str().expect("UTF-8"), "is not a gpu-bench report: EOF while parsing"),
        (other.to_str().expect("UTF-8"), "has schema 2; this version reads schema 1"),
        ("nowhere.json", "cannot read nowhere.json"),
        ("latest", "no run in"),
    ] {
        let (code, output, messages) = run(&["--from", from, "--apply", PUBLISHED], folder.path());
        assert_eq!((code, output.as_str()), (Some(1), ""), "{messages}");
        assert!(messages.contains(expected), "{messages}");
    }
}

#[test]
fn the_page_of_a_report_is_drawn_without_a_display() {
    if crossover_needs::gpu_adapter(crossover_gpu_bench::gpu::adapter::list().first()).is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let report = report(folder.path(), false);
    let draw = |arguments: &[&str], name: &str| {
        let out = folder.path().join(name);
        let page = ["screenshot", "--page", "calibrate", "--size", "900x600", "--out", out.to_str().expect("UTF-8")];
        let (code, _, messages) = crossover(&[&page[..], arguments].concat(), folder.path());
        (code, messages, std::fs::read(out).ok())
    };
    let (code, messages, empty) = draw(&[], "empty.png");
    assert_eq!(code, Some(0), "{messages}");
    let (code, messages, shown) = draw(&["--report", report.to_str().expect("UTF-8")], "report.png");
    assert_eq!(code, Some(0), "{messages}");
    assert!(empty.is_some() && shown.is_some() && empty != shown);
    let (code, messages, picture) = draw(&["--report", "/no/such/report.json"], "none.png");
    assert_eq!((code, picture), (Some(1), None));
    assert!(messages.contains("/no/such/report.json"), "{messages}");

    // Several pictures of one window: each has the pixels of its look.
    let out = folder.path().join("many.png");
    let looks = ["--looks", "light-640x480,dark-800x600@2", "--out", out.to_str().expect("UTF-8")];
    let (code, _, messages) = crossover(&[&["screenshot", "--page", "what"][..], &looks].concat(), folder.path());
    assert_eq!(code, Some(0), "{messages}");
    for (name, expected) in [("many-light-640x480.png", [640, 480]), ("many-dark-800x600@2.png", [1600, 1200])] {
        let png = std::fs::read(folder.path().join(name)).expect(name);
        // Width and height are the first numbers of the header chunk, behind 8 bytes of signature and 8 of the chunk.
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
        assert_eq!([number(16), number(20)], expected, "{name}");
    }
    assert!(!out.exists(), "only the looks are written");
}
