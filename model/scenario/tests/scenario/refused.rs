//! Invalid values are refused with their place and a plain message. Tests of texts that are no scenario are in `refused_syntax.rs`.

use crossover_scenario::{ReadError, read};

use super::PUBLISHED;

/// The published placement with its one `before` replaced by `after`.
pub(super) fn edited(before: &str, after: &str) -> String {
    edited_in(PUBLISHED, before, after)
}

/// A text with its one `before` replaced by `after`.
fn edited_in(text: &str, before: &str, after: &str) -> String {
    assert_eq!(text.matches(before).count(), 1, "“{before}” stands once");
    text.replacen(before, after, 1)
}

/// Line and column, from 1, of the place marked by ‸ in `context`, which stands once in the text.
pub(super) fn position(text: &str, context: &str) -> (usize, usize) {
    let (before, after) = context.split_once('‸').expect("the context marks a place");
    let context = format!("{before}{after}");
    assert_eq!(text.matches(&context).count(), 1, "“{context}” stands once");
    let offset = text.find(&context).expect("found") + before.len();
    let lines: Vec<&str> = text[..offset].split('\n').collect();
    (lines.len(), lines[lines.len() - 1].chars().count() + 1)
}

pub(super) fn refuse(text: &str) -> ReadError {
    match read(text) {
        Ok(_) => panic!("this is not a valid scenario:\n{text}"),
        Err(error) => error,
    }
}

/// The published placement with one edit is refused at the place ‸ of `at`, with this field and this text.
pub(super) fn check(edit: (&str, &str), at: &str, field: &str, problem: &str) {
    check_in(PUBLISHED, edit, at, field, problem);
}

/// A text with one edit is refused at the place ‸ of `at`, with this field and this text.
pub(super) fn check_in(text: &str, (before, after): (&str, &str), at: &str, field: &str, problem: &str) {
    let text = edited_in(text, before, after);
    let error = refuse(&text);
    let found = (error.field.as_deref().unwrap_or(""), error.problem.as_str());
    assert_eq!(found, (field, problem), "{before} → {after}");
    assert_eq!((error.line, error.column), position(&text, at), "{before} → {after}: {error}");
}

#[test]
fn a_field_that_does_not_exist_is_named_with_the_nearest_one() {
    check(
        ("fan_in: 10", "fan_inn: 10"),
        "‸fan_inn",
        "cluster.fan_inn",
        "“fan_inn” is not a field, did you mean “fan_in”?; fields: machines, fan_in, aggregation",
    );
    check(
        ("name: \"join\", class", "name: \"join\", pins: 3, class"),
        "‸pins: 3",
        "operators.join.pins",
        "“pins” is not a field, did you mean “pin”?; fields: name, class, cpu_seconds_per_100mb, input_gb, \
         output_ratio, fixed_seconds, cpu_curve, gpu_curve, pin, kind",
    );
    check(
        ("study: Placement", "weather: Placement"),
        "‸weather",
        "weather",
        "“weather” is not a field; fields: version, name, notes, study, views",
    );
    check(
        ("policy: (threshold: 1.0", "policy: (treshold: 1.0"),
        "‸treshold",
        "policy.treshold",
        "“treshold” is not a field, did you mean “threshold”?; fields: threshold, network, compression, overlap",
    );
}

#[test]
fn a_value_of_the_wrong_type_is_shown_with_what_is_allowed() {
    const MACHINES: &str = "is not a number; allowed: 1 … 1,000,000, whole";
    let machines = |value: &str, at: &str| {
        let edit = ("machines: 1000", format!("machines: {value}"));
        check((edit.0, &edit.1), at, "cluster.machines", &format!("{value} {MACHINES}"));
    };
    machines("\"many\"", "machines: ‸\"many\"");
    machines("many", "machines: ‸many");
    machines("[1]", "machines: ‸[1]");
    machines("1.2.3", "machines: ‸1.2.3");
    check(
        ("scan_gb_per_s: None", "scan_gb_per_s: \"fast\""),
        "scan_gb_per_s: ‸\"fast\"",
        "node.scan_gb_per_s",
        "\"fast\" is not a number; allowed: 1 MB/s … 100 TB/s (0.001 … 100,000 GB/s), or None",
    );
    check(("name: \"join\"", "name: 5"), "name: ‸5", "operators.1.name", "5 is not a text; write texts in \"quotes\"");
    check(
        ("network: \"100 Gb InfiniBand\"", "network: InfiniBand"),
        "network: ‸InfiniBand",
        "policy.network",
        "InfiniBand is not a text; write texts in \"quotes\"",
    );
    check(
        ("compression: false", "compression: 0"),
        "compression: ‸0",
        "policy.compression",
        "0 is not allowed; allowed: true, false",
    );
    check(
        ("cluster: (machines: 1000, fan_in: 10, aggregation: Published)", "cluster: 5"),
        "cluster: ‸5",
        "cluster",
        "5 is not a group of fields; write groups in (round brackets)",
    );
    check(
        ("operators: [", "operators: 7, more: ["),
        "operators: ‸7",
        "operators",
        "7 is not a list; write lists in [square brackets]",
    );
    check(("sources: {", "sources: 7 {"), "sources: ‸7", "sources", "7 is not a list of sources; write it in {braces}");
    check(
        ("class: Linear", "class: \"Linear\""),
        "class: ‸\"Linear\"",
        "operators.filter.class",
        "\"Linear\" is not one of the names allowed here; write names without quotes",
    );
    check(
        ("class: Linear", "class: 2"),
        "class: ‸2",
        "operators.filter.class",
        "2 is not one of the names allowed here; write names without quotes",
    );
    check(
        ("class: Linear", "class: Power(\"two\")"),
        "class: Power(‸\"two\")",
        "operators.filter.class",
        "\"two\" is not a number; allowed: 0.1 … 4",
    );
    check(
        ("class: Linear", "class: Power"),
        "class: Power‸,",
        "operators.filter.class",
        "a value in (round brackets) is missing, as in Power(1.5)",
    );
}

#[test]
fn a_number_that_makes_no_sense_is_shown_with_its_range() {
    let machines = |value: &str, problem: &str| {
        let after = format!("machines: {value},");
        let at = format!("machines: ‸{value},");
        let problem = format!("{problem}; allowed: 1 … 1,000,000, whole");
        check(("machines: 1000,", &after), &at, "cluster.machines", &problem);
    };
    machines("-5", "-5 is out of range");
    machines("0", "0 is out of range");
    machines("1e7", "10000000 is out of range");
    machines("2.5", "2.5 is not a whole number");
    machines("NaN", "NaN is not a finite number");
    machines("inf", "inf is not a finite number");
    machines("-inf", "-inf is not a finite number");
    machines("1e999", "inf is not a finite number");
    machines("1e-999", "0 is out of range");
    check(
        ("class: Quadratic, cpu_seconds_per_100mb: 0.2", "class: Quadratic, cpu_seconds_per_100mb: 2000"),
        "cpu_seconds_per_100mb: ‸2000",
        "operators.join.cpu_seconds_per_100mb",
        "2000 is out of range; allowed: 1 µs/100 MB … 1,000 s/100 MB (1e-6 … 1,000 s/100 MB)",
    );
    check(
        ("line_gbit_per_s: 100.0, effective_gbit_per_s: 80.0", "line_gbit_per_s: 100.0, effective_gbit_per_s: 0"),
        "effective_gbit_per_s: ‸0",
        "networks.100 Gb InfiniBand.effective_gbit_per_s",
        "0 is out of range; allowed: 1 Mbit/s … 1 Pbit/s (0.001 … 1,000,000 Gbit/s)",
    );
    check(
        ("class: Linear", "class: Power(9.5)"),
        "class: ‸Power(9.5)",
        "operators.filter.class",
        "9.5 is out of range; allowed: 0.1 … 4",
    );
    check(
        ("gpu_memory_gb: None", "gpu_memory_gb: Some(0)"),
        "gpu_memory_gb: ‸Some(0)",
        "gpu.gpu_memory_gb",
        "0 is out of range; allowed: 100 MB … 100 TB (0.1 … 100,000 GB)",
    );
}

#[test]
fn lists_must_not_be_empty_and_names_must_be_unique() {
    let start = PUBLISHED.find("operators: [").expect("found") + "operators: [".len();
    let end = start + PUBLISHED[start..].find("        ],\n").expect("found");
    let operators = &PUBLISHED[start..end];
    check((operators, ""), "operators: ‸[", "operators", "the list is empty; at least one entry is needed");

    let start = PUBLISHED.find("networks: [").expect("found") + "networks: [".len();
    let end = start + PUBLISHED[start..].find("        ],\n").expect("found");
    check((&PUBLISHED[start..end], ""), "networks: ‸[", "networks", "the list is empty; at least one entry is needed");

    check(
        ("name: \"join\"", "name: \"filter\""),
        "(name: ‸\"filter\", class: Quadratic",
        "operators.1.name",
        "“filter” is used twice; every name in operators must be unique",
    );
    check(
        ("name: \"10 Gb Ethernet\"", "name: \"100 Gb InfiniBand\""),
        "name: ‸\"100 Gb InfiniBand\", family: InfiniBand",
        "networks.1.name",
        "“100 Gb InfiniBand” is used twice; every name in networks must be unique",
    );
    check(("name: \"join\"", "name: \"  \""), "name: ‸\"  \"", "operators.1.name", "a name must not be empty");
    check(
        ("network: \"100 Gb InfiniBand\"", "network: \"Infiniband\""),
        "network: ‸\"Infiniband\"",
        "policy.network",
        "no network is called “Infiniband”; allowed: 10 Gb Ethernet, 100 Gb InfiniBand",
    );
}

#[test]
fn only_this_version_is_read() {
    let edit = |after: &str, problem: &str| {
        check(("version: 1,", after), &after.replace("version: ", "version: ‸"), "version", problem);
    };
    edit("version: 2,", "this file has version 2, and this program reads version 1; use a newer Crossover");
    edit("version: 0,", "version 0 does not exist; allowed: 1");
    edit("version: -1,", "version -1 does not exist; allowed: 1");
    edit("version: 1.5,", "this file has version 1.5, and this program reads version 1; use a newer Crossover");
    edit("version: \"1\",", "\"1\" is not a number; allowed: 1");
}

/// The version is looked at first: the rest of a newer file may be anything.
#[test]
fn a_newer_file_is_recognised_whatever_else_it_holds() {
    let error = refuse("(version: 7, studies: [Weather(sun: 5)], layout: {\"a\": [1, 2]})");
    assert_eq!((error.line, error.column, error.field.as_deref()), (1, 11, Some("version")));
    assert!(error.problem.contains("use a newer Crossover"), "{error}");
}

#[test]
fn a_missing_or_repeated_field_is_named() {
    check(("machines: 1000, ", ""), "cluster: ‸(", "cluster.machines", "the field “machines” is missing");
    check(
        (" cpu_seconds_per_100mb: 0.2,", ""),
        "‸(name: \"join\"",
        "operators.join.cpu_seconds_per_100mb",
        "the field “cpu_seconds_per_100mb” is missing",
    );
    check(("    version: 1,\n", ""), "‸(\n    name: \"Published", "version", "the field “version” is missing");
    check(
        ("fan_in: 10,", "fan_in: 10, machines: 5,"),
        "‸machines: 5",
        "cluster.machines",
        "the field “machines” is given twice",
    );
}

#[test]
fn a_name_that_is_not_among_the_allowed_ones_is_shown_with_the_nearest() {
    check(
        ("class: Linear", "class: Linaer"),
        "‸Linaer",
        "operators.filter.class",
        "“Linaer” is not allowed, did you mean “Linear”?; allowed: Linear, Quadratic, Power",
    );
    check(
        ("family: InfiniBand", "family: Infiniband"),
        "‸Infiniband",
        "networks.100 Gb InfiniBand.family",
        "“Infiniband” is not allowed, did you mean “InfiniBand”?; allowed: Ethernet, InfiniBand, Other",
    );
    check(
        ("Placement((", "Weather(("),
        "‸Weather((",
        "study",
        "“Weather” is not allowed; allowed: Placement, Regulation, Allocation, Probe, Preemption",
    );
    check(
        ("overlap: Nothing", "overlap: All"),
        "overlap: ‸All",
        "policy.overlap",
        "“All” is not allowed; allowed: Nothing, BusAndCompute, Everything",
    );
}

#[test]
fn a_source_belongs_to_a_number_of_the_study() {
    check(
        ("\"cluster.machines\":", "\"cluster.machine\":"),
        "‸\"cluster.machine\":",
        "sources.cluster.machine",
        "“cluster.machine” is not a number of this study, did you mean “cluster.machines”?",
    );
    check(
        ("\"operators.join.output_ratio\":", "\"operators.joint.output_ratio\":"),
        "‸\"operators.joint.output_ratio\":",
        "sources.operators.joint.output_ratio",
        "“operators.joint.output_ratio” is not a number of this study, did you mean “operators.join.output_ratio”?",
    );
    check(
        ("Published(\"step 140, n = 1000\")", "Preset(entry: \"x\")"),
        "‸Preset(entry",
        "sources.cluster.machines.source",
        "the field “source” is missing",
    );
    check(
        ("\"cluster.machines\":", "cluster:"),
        "‸cluster: Published",
        "sources",
        "cluster is not the path of a number; write it in \"quotes\"",
    );
}

#[test]
fn a_measured_interval_is_two_finite_numbers_in_order() {
    for interval in ["(NaN, 1.0)", "(1.0, NaN)", "(1.0, inf)", "(-inf, 1.0)", "(2.0, 1.0)"] {
        let measured = format!("\"cluster.machines\": Measured(device: \"\", date: \"\", interval: {interval})");
        check(
            ("\"cluster.machines\": Published(\"step 140, n = 1000\")", &measured),
            "‸\"cluster.machines\": Measured",
            "sources.cluster.machines",
            &format!("the interval {} must be two finite numbers, the smaller one first", interval.replace(".0", "")),
        );
    }
    let measured = "Measured(device: \"\", date: \"\", interval: (2.0, 2.0))";
    read(&edited("Published(\"step 140, n = 1000\")", measured)).expect("an interval may be a point, a text empty");
}
