//! `crossover map`: a figure of any scenario over two of its numbers.

use serde_json::Value;

use super::{PUBLISHED as PLACEMENT, REGULATION, records, refusal, result as output, run};

const CPU_TIME: &str = "operators.join.cpu_seconds_per_100mb";

/// The acceptance values of the published method stand at the corner of the map.
#[test]
fn a_cell_is_the_published_speedup() {
    let x = format!("{CPU_TIME}=100 ms..200 ms:2");
    let figure = "operators.join.speedup";
    let (_, text, notes) =
        run(&["map", PLACEMENT, "--x", &x, "--y", "cluster.machines=500..1000:3", "--figure", figure]);
    assert!(notes.contains("cluster.machines: weak scaling"), "{notes}");
    let records = records(&text);
    assert_eq!(records.len(), 7, "{text}");
    assert_eq!(records[0], [CPU_TIME, "cluster.machines", figure]);
    let last: Vec<f64> = records[6].iter().map(|field| field.parse().expect("a number")).collect();
    assert_eq!(last[..2], [0.2, 1000.0]);
    assert!((last[2] - 2.3162).abs() < 5e-5, "{}", last[2]);
}

/// Over InfiniBand a join is faster on GPUs from 29.5468 ms per 100 MB, however many machines there are.
#[test]
fn a_contour_is_printed_with_the_map_or_alone() {
    let x = format!("{CPU_TIME}=20 ms..40 ms:101");
    let figure = "operators.join.speedup";
    let arguments = ["map", PLACEMENT, "--x", &x, "--y", "gpu.gpu_parallelism=32..128:5", "--figure", figure];
    let json: Value = serde_json::from_str(&output(&[&arguments[..], &["--format", "json"]].concat())).expect("JSON");
    assert_eq!((&json["x"]["path"], &json["y"]["present"]), (&CPU_TIME.into(), &64.0.into()));
    let found = &json["figures"][0];
    assert_eq!((&found["key"], &found["unit"], &found["better"]), (&figure.into(), &"×".into(), &"higher".into()));
    assert_eq!((found["rows"].as_array().map(Vec::len), &found["contour"]["level"]), (Some(5), &1.0.into()));
    let points = found["contour"]["lines"][0].as_array().expect("a line");
    let crossing = points.iter().find(|point| point[1] == 80.0).expect("a point of the row");
    assert!(crossing[0].as_f64().expect("a number") > 0.02, "{crossing}");

    let text = output(&[&arguments[..], &["--level", "1"]].concat());
    let records = records(&text);
    assert_eq!(records[0], ["line", CPU_TIME, "gpu.gpu_parallelism"]);
    assert_eq!(records.len(), points.len() + 1);
}

#[test]
fn what_is_left_out_and_what_is_nowhere_are_told() {
    let (x, y) = ("clusters.I.max_vgpus=50..150:3", "controllers.PID.ki=0..0.2:2");
    let (code, _, messages) = run(&["map", REGULATION, "--x", x, "--y", y, "--figure", "tops", "--level", "1e9 TOPS"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(
        messages.contains("2 values are left out; at 50, 0: ") && messages.contains("no contour: tops is not "),
        "{messages}"
    );
}

#[test]
fn what_cannot_be_mapped_is_wrong_usage_with_the_reason() {
    let machines = "cluster.machines=10..1000:3:log";
    let fan_in = "cluster.fan_in=2..10:3";
    for (x, y, more, expected) in [
        ("cluster.machine=1..10", fan_in, &["--figure", "speedup"][..], "did you mean “cluster.machines”?"),
        (machines, machines, &["--figure", "speedup"], "x and y are the same number"),
        (machines, "cluster.fan_in=0..10", &["--figure", "speedup"], "out of range"),
        (machines, "operators.join.output_ratio=0..1:3:log", &["--figure", "speedup"], "have no logarithm"),
        (machines, "cluster.fan_in=2..10:1000", &["--figure", "speedup"], "allowed: 2 … 512"),
        (machines, "cluster.fan_in", &["--figure", "speedup"], "PATH=FROM..TO"),
        (machines, fan_in, &["--figure", "speeedup"], "did you mean “speedup”?"),
        (machines, fan_in, &["--figure", "speedup", "--level", "high"], "level of speedup: "),
        (machines, fan_in, &["--figure", "speedup", "--level", "NaN"], "level of speedup: "),
    ] {
        let message = refusal(2, &[&["map", PLACEMENT, "--x", x, "--y", y], more].concat());
        assert!(message.contains(expected) && message.contains("Usage: crossover map"), "{message}");
    }
    let message = refusal(2, &["map", PLACEMENT, "--x", machines, "--figure", "speedup"]);
    assert!(message.contains("--y"), "{message}");
}

/// The first round always ends.
#[test]
fn a_time_limit_gives_a_coarser_map_and_states_its_cells() {
    let (x, y) = ("bus.to_gpu_gb_per_s=1..50", "bus.from_gpu_gb_per_s=1..50");
    let (code, output, messages) = run(&["map", PLACEMENT, "--x", x, "--y", y, "--figure", "speedup", "--time", "0s"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("--time: stopped after 64 of 4,096 cells"), "{messages}");
    assert_eq!(records(&output).len(), 1 + 64);
}
