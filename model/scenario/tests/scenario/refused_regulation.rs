//! Regulation files that make no sense: refused where the fault stands, in plain words.

use super::refused::check_in;
use super::{REGULATION, regulation};
use crossover_scenario::read;

/// The published regulation with one edit is refused at the place ‸ of `at`, with this field and this text.
fn check(edit: (&str, &str), at: &str, field: &str, problem: &str) {
    check_in(REGULATION, edit, at, field, problem);
}

#[test]
fn numbers_of_a_run_are_within_their_ranges() {
    check(
        ("period_seconds: 1.0", "period_seconds: 0.0"),
        "period_seconds: ‸0.0",
        "run.period_seconds",
        "0 is out of range; allowed: 1 ms … 86,400 s (0.001 … 86,400 s)",
    );
    check(
        ("period_seconds: 1.0", "period_seconds: NaN"),
        "period_seconds: ‸NaN",
        "run.period_seconds",
        "NaN is not a finite number; allowed: 1 ms … 86,400 s (0.001 … 86,400 s)",
    );
    check(
        ("average_periods: 100", "average_periods: 601"),
        "average_periods: ‸601",
        "run.average_periods",
        "average_periods 601 is above periods 600",
    );
    check(
        ("periods: 600", "periods: 100000.5"),
        "periods: ‸100000.5",
        "run.periods",
        "100000.5 is out of range; allowed: 10 … 100,000, whole",
    );
}

#[test]
fn more_steps_than_allowed_are_refused() {
    // Three clusters of 100,000 periods.
    let third = "(\n                name: \"III\", vgpus: 1, min_vgpus: 1, max_vgpus: 1, tops_per_vgpu: 1.0, base_ghz: 1.0, \
                 start_ghz: 1.0, min_ghz: 1.0, max_ghz: 1.0, step_ghz: 0.1, precision: \"int8\", lowest_precision: \
                 \"int8\", highest_precision: \"int8\", pcie_tops: 1.0, demand: (shape: Constant, high_tops: 1.0)),\n";
    let text = REGULATION.replacen("clusters: [", &format!("clusters: [{third}"), 1);
    check_in(
        &text,
        ("periods: 600", "periods: 100000"),
        "periods: ‸100000",
        "run.periods",
        "300000 periods of all clusters together; at most 200000 are allowed",
    );
}

#[test]
fn gains_are_finite_and_not_negative() {
    let gain = |value: &str, problem: &str| {
        check(
            ("form: P, kp: 1.0", &format!("form: P, kp: {value}")),
            &format!("form: P, kp: ‸{value}"),
            "controllers.P.kp",
            &format!("{problem}; allowed: 0 … 1,000"),
        );
    };
    gain("NaN", "NaN is not a finite number");
    gain("-1.0", "-1 is out of range");
    gain("inf", "inf is not a finite number");
    check(
        ("kp: 1.0, kd: 0.5),\n            (name: \"PI\"", "kp: 1.0, kd: -0.5),\n            (name: \"PI\""),
        "kd: ‸-0.5",
        "controllers.PD.kd",
        "-0.5 is out of range; allowed: 0 … 1,000",
    );
}

#[test]
fn a_gap_and_an_overlap_of_the_control_table_name_their_outputs() {
    check(
        ("(from: 0.3, to: 0.5,", "(from: 0.35, to: 0.5,"),
        "from: ‸0.35",
        "table.6.from",
        "a gap: no row covers outputs from 0.3 to 0.35",
    );
    check(
        ("(from: 0.3, to: 0.5,", "(from: 0.25, to: 0.5,"),
        "from: ‸0.25",
        "table.6.from",
        "an overlap: two rows cover outputs from 0.25 to 0.3",
    );
    check(
        ("(from: 0.3, to: 0.5,", "(from: 0.3, to: 0.3,"),
        "to: ‸0.3, precision: 0, frequency_mhz: -100.0",
        "table.6.to",
        "from 0.3 must be below to 0.3",
    );
}

#[test]
fn the_dead_zone_is_there_and_does_not_act() {
    let dead_zone = "(from: -0.1, to: 0.1, precision: 0, frequency_mhz: 0.0, vgpus: 0)";
    check(
        (dead_zone, "(from: -0.1, to: 0.1, precision: 0, frequency_mhz: 0.0, vgpus: 1)"),
        "‸(from: -0.1, to: 0.1",
        "table.4",
        "the row around zero is the dead zone and must not act",
    );
    let halves = "(from: -0.1, to: 0.0, precision: 0, frequency_mhz: 0.0, vgpus: 0),\n            \
                  (from: 0.0, to: 0.1, precision: 0, frequency_mhz: 0.0, vgpus: 0)";
    check((dead_zone, halves), "table: ‸[", "table", "no row has zero inside; the row around zero is the dead zone");
    let start = REGULATION.find("table: [").expect("found") + "table: [".len();
    let end = start + REGULATION[start..].find("        ],\n").expect("found");
    check(
        (&REGULATION[start..end], ""),
        "table: ‸[",
        "table",
        "the control table is empty; at least one row is needed",
    );
}

#[test]
fn demand_is_never_negative_and_a_shape_has_what_it_needs() {
    let demand = "demand: (shape: Constant, high_tops: 5000.0)";
    let check = |after: &str, at: &str, field: &str, problem: &str| {
        check((demand, after), at, &format!("clusters.I.demand.{field}"), problem);
    };
    check(
        "demand: (shape: Constant, high_tops: -5.0)",
        "high_tops: ‸-5.0",
        "high_tops",
        "-5 is out of range; allowed: 0 TOPS … 1,000,000,000,000 TOPS",
    );
    check(
        "demand: (shape: Recorded, high_tops: 5000.0)",
        "demand: ‸(shape: Recorded",
        "series",
        "the recorded series is empty; at least one value is needed",
    );
    check(
        "demand: (shape: Recorded, high_tops: 5000.0, series: [1.0, -2.0])",
        "series: [1.0, ‸-2.0]",
        "series.1",
        "-2 is out of range; allowed: 0 TOPS … 1,000,000,000,000 TOPS",
    );
    check(
        "demand: (shape: Ramp, high_tops: 5000.0, start_seconds: 60.0, end_seconds: 60.0)",
        "end_seconds: ‸60.0",
        "end_seconds",
        "start_seconds 60 must be below end_seconds 60",
    );
}

#[test]
fn limits_enclose_the_start() {
    let vgpus = |after: &str, at: &str, field: &str, problem: &str| {
        check(("name: \"I\", vgpus: 100, min_vgpus: 10, max_vgpus: 200", after), at, field, problem);
    };
    vgpus(
        "name: \"I\", vgpus: 100, min_vgpus: 101, max_vgpus: 200",
        "min_vgpus: ‸101",
        "clusters.I.min_vgpus",
        "min_vgpus 101 is above vgpus 100",
    );
    vgpus(
        "name: \"I\", vgpus: 100, min_vgpus: 10, max_vgpus: 99",
        "max_vgpus: ‸99",
        "clusters.I.max_vgpus",
        "vgpus 100 is above max_vgpus 99",
    );
    vgpus(
        "name: \"I\", vgpus: 100.5, min_vgpus: 10, max_vgpus: 200",
        "vgpus: ‸100.5",
        "clusters.I.vgpus",
        "100.5 is not a whole number; allowed: 0 … 1,000,000, whole",
    );
}

#[test]
fn names_that_nothing_has_are_refused_with_the_nearest_one() {
    check(
        ("policy: (controller: \"PID\")", "policy: (controller: \"PIT\")"),
        "controller: ‸\"PIT\"",
        "policy.controller",
        "no controller is called “PIT”; allowed: P, PD, PI, PID; did you mean “PI”?",
    );
    let precision = "precision: \"int8\", lowest_precision: \"int8\", highest_precision: \"int8\",\n                pcie_tops: 5000.0";
    check(
        (precision, &precision.replacen("\"int8\"", "\"int9\"", 1)),
        "precision: ‸\"int9\"",
        "clusters.I.precision",
        "no precision is called “int9”; allowed: int4, int8, int16, fp16, int32, fp32, fp64; did you mean “int4”?",
    );
    check(
        (precision, &precision.replacen("lowest_precision: \"int8\"", "lowest_precision: \"fp16\"", 1)),
        "lowest_precision: ‸\"fp16\"",
        "clusters.I.lowest_precision",
        "lowest_precision is above precision int8",
    );
    check(
        ("(name: \"PD\", form: PD", "(name: \"P\", form: PD"),
        "(name: ‸\"P\", form: PD",
        "controllers.1.name",
        "“P” is used twice; every name in controllers must be unique",
    );
    check(
        ("form: PD,", "form: PDI,"),
        "‸PDI",
        "controllers.PD.form",
        "“PDI” is not allowed, did you mean “PI”?; allowed: P, PI, PD, PID",
    );
}

#[test]
fn lists_hold_as_many_entries_as_are_allowed() {
    let start = REGULATION.find("clusters: [").expect("found") + "clusters: [".len();
    let end = start + REGULATION[start..].find("        ],\n").expect("found");
    check((&REGULATION[start..end], ""), "clusters: ‸[", "clusters", "the list is empty; at least one entry is needed");
    check(
        ("controllers: [", "controllers: [(name: \"fifth\", form: P, kp: 1.0),"),
        "controllers: ‸[",
        "controllers",
        "5 entries; at most 4 are allowed",
    );
    check(
        ("order: [Vgpus, Frequency]", "order: []"),
        "order: ‸[]",
        "actuators.order",
        "the list is empty; at least one actuator is needed",
    );
    check(
        ("order: [Vgpus, Frequency]", "order: [Vgpus, Vgpus]"),
        "order: [Vgpus, ‸Vgpus]",
        "actuators.order.1",
        "Vgpus is listed twice",
    );
}

#[test]
fn a_schedule_has_a_small_error_below_the_large_one() {
    let schedule = "form: P, kp: 1.0, schedule: (large_error: 0.2, small_error: 0.2, fast_change: 0.1, kp1: 1, kp2: 1, kp3: 1, \
                    ki2: 0, ki3: 0, kd1: 0, kd2: 0, kd3: 0, kd4: 0)";
    check(
        ("form: P, kp: 1.0", schedule),
        "small_error: ‸0.2",
        "controllers.P.schedule.small_error",
        "small_error 0.2 must be below large_error 0.2",
    );
}

#[test]
fn a_measured_power_curve_ascends() {
    let policy = "policy: (controller: \"PID\")";
    let check = |curve: &str, at: &str, field: &str, problem: &str| {
        check((policy, &format!("power: (law: Measured, curve: [{curve}]), {policy}")), at, field, problem);
    };
    let one = "(frequency_ratio: 1.0, power_ratio: 1.0)";
    check(one, "curve: ‸[", "power.curve", "a measured curve needs at least two points");
    check(
        &format!("{one}, (frequency_ratio: 0.5, power_ratio: 1.0)"),
        "frequency_ratio: ‸0.5",
        "power.curve.1.frequency_ratio",
        "the point before 1 must be below this one 0.5",
    );
}

#[test]
fn a_source_belongs_to_a_number_of_the_regulation() {
    check(
        ("\"clusters.I.vgpus\":", "\"clusters.I.vgpu\":"),
        "‸\"clusters.I.vgpu\":",
        "sources.clusters.I.vgpu",
        "“clusters.I.vgpu” is not a number of this study, did you mean “clusters.I.vgpus”?",
    );
    let series = "\"clusters.I.demand.series\": Imported(file: \"load.csv\"), \"clusters.I.vgpus\":";
    let text = REGULATION.replacen("\"clusters.I.vgpus\":", series, 1);
    assert!(read(&text).is_ok(), "a recorded series may have a source");
    assert!(regulation().regulation().is_some());
}
