//! Bad files: refused where the fault stands, in plain words.

use crossover_scenario::{ReadError, read};
use proptest::prelude::*;

use super::{PUBLISHED, placement, published};

/// The published placement with its one `before` replaced by `after`.
fn edited(before: &str, after: &str) -> String {
    edited_in(PUBLISHED, before, after)
}

/// A text with its one `before` replaced by `after`.
fn edited_in(text: &str, before: &str, after: &str) -> String {
    assert_eq!(text.matches(before).count(), 1, "“{before}” stands once");
    text.replacen(before, after, 1)
}

/// Line and column, from 1, of the place marked by ‸ in `context`, which stands once in the text.
fn position(text: &str, context: &str) -> (usize, usize) {
    let (before, after) = context.split_once('‸').expect("the context marks a place");
    let context = format!("{before}{after}");
    assert_eq!(text.matches(&context).count(), 1, "“{context}” stands once");
    let offset = text.find(&context).expect("found") + before.len();
    let lines: Vec<&str> = text[..offset].split('\n').collect();
    (lines.len(), lines[lines.len() - 1].chars().count() + 1)
}

fn refuse(text: &str) -> ReadError {
    match read(text) {
        Ok(_) => panic!("this is not a valid scenario:\n{text}"),
        Err(error) => error,
    }
}

/// The published placement with one edit is refused at the place ‸ of `at`, with this field and this text.
fn check(edit: (&str, &str), at: &str, field: &str, problem: &str) {
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
fn numbers_with_units_commas_or_spaces_are_refused_where_they_stand() {
    check(
        ("machines: 1000", "machines: 5ms"),
        "machines: ‸5ms",
        "cluster",
        "5ms is not a value; write numbers without a unit; the name of the field contains it",
    );
    for value in ["10 GB", "20 Gbit/s", "30 %"] {
        check(
            ("machines: 1000", &format!("machines: {value}")),
            &format!("machines: ‸{value}"),
            "cluster",
            &format!("{value} is not a value; write numbers without a unit; the name of the field contains it"),
        );
    }
    check(
        ("machines: 1000", "machines: 1,000"),
        "machines: 1,‸000",
        "cluster",
        "000 is not the name of a field; write numbers without commas and spaces",
    );
    check(
        ("machines: 1000", "machines: 1 000"),
        "machines: 1 ‸000",
        "cluster",
        "a comma or a closing bracket is missing before 000",
    );
    check(
        ("machines: 1000, fan_in", "machines: 1000 fan_in"),
        "machines: 1000 ‸fan_in",
        "cluster",
        "a comma or a closing bracket is missing before fan_in",
    );
    check(
        ("machines: 1000", "machines 1000"),
        "machines ‸1000",
        "cluster",
        "a colon “:” is missing after the name of the field",
    );
    check(
        ("aggregation: Published)", "aggregation: Published]"),
        "aggregation: Published‸]",
        "cluster",
        "a comma or a closing bracket is missing before ]",
    );
}

#[test]
fn a_text_that_is_not_closed_is_refused_where_it_begins() {
    let problem = "the text that begins here is not closed; a quote “\"” is missing";
    let check = |before: &str, after: &str, at: &str| {
        let text = edited(before, after);
        let error = refuse(&text);
        assert_eq!((error.line, error.column, error.problem.as_str()), {
            let (line, column) = position(&text, at);
            (line, column, problem)
        });
        assert!(!error.to_string().contains('\n') && error.to_string().chars().count() < 300, "{error}");
    };
    check("name: \"filter\"", "name: \"filter", "name: ‸\"filter,");
    check("name: \"10 Gb Ethernet\"", "name: \"10 Gb Ethernet", "name: ‸\"10 Gb Ethernet,");
    check("name: \"PCIe 3.0\"", "name: \"PCIe 3.0", "name: ‸\"PCIe 3.0,");
    check("\"cluster.machines\":", "\"cluster.machines:", "‸\"cluster.machines:");
    check("\"step 140, n = 1000\"", "\"step 140, n = 1000", "‸\"step 140, n = 1000)");
}

#[test]
fn a_comment_after_a_number_sign_is_refused_in_plain_words() {
    let problem = "a comment begins with “//”, not with “#”";
    check(("machines: 1000,", "machines: 1000, # all\n"), "‸# all", "cluster", problem);
    check(("machines: 1000,", "machines: 1000 # all\n,"), "‸# all", "cluster", problem);
    let error = refuse(&format!("# mine\n{PUBLISHED}"));
    assert_eq!((error.line, error.problem.as_str()), (1, problem));
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

/// Texts that are no scenario at all, with the position of the complaint.
#[test]
fn what_is_no_scenario_is_refused_in_plain_words() {
    let check = |text: &str, position: (usize, usize), problem: &str| {
        let error = refuse(text);
        assert_eq!((error.line, error.column, error.problem.as_str()), (position.0, position.1, problem), "{text:.80}");
    };
    check("", (1, 1), "the file is empty");
    check(" \n\t\n", (1, 1), "the file is empty");
    check("// nothing but a comment", (1, 25), "the file ends too early; values or closing brackets are missing");
    check("{\n  \"version\": 1\n}", (1, 1), "this is not a scenario; a scenario begins with “(”; this looks like JSON");
    check("\u{7f}ELF\u{0}\u{1}\u{2}\u{fffd}", (1, 1), "this is not a scenario; a scenario begins with “(”");
    check("hello", (1, 1), "this is not a scenario; a scenario begins with “(”");
    check(&"[".repeat(100_000), (1, 65), "brackets are nested too deep; allowed: 64 inside one another");
    check("/* open", (1, 8), "a comment “/*” is not closed");
    check(
        &format!("{PUBLISHED}\nmore"),
        (PUBLISHED.lines().count() + 2, 1),
        "the scenario ends before this; nothing may follow it",
    );
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    for end in (0..PUBLISHED.trim_end().len()).filter(|end| PUBLISHED.is_char_boundary(*end)) {
        let error = refuse(&PUBLISHED[..end]);
        assert!(error.line <= PUBLISHED[..end].matches('\n').count() + 1, "{end}: {error}");
    }
    let cut = &PUBLISHED[..PUBLISHED.find("        bus:").expect("found")];
    let error = refuse(cut);
    assert_eq!(error.problem, "the file ends too early; values or closing brackets are missing");
    assert_eq!((error.line, error.column), (cut.matches('\n').count() + 1, 1));
    let cut = &PUBLISHED[..PUBLISHED.find("InfiniBand\", family").expect("found")];
    let error = refuse(cut);
    assert_eq!(error.problem, "the text that begins here is not closed; a quote “\"” is missing");
    assert_eq!((error.line, error.column), position(cut, "(name: ‸\"100 Gb "));
}

#[test]
fn brackets_nested_without_end_are_refused_without_a_stack_overflow() {
    for nested in ["[", "(", "{", "Some(", "[(", "/*"] {
        let deep = nested.repeat(100_000);
        for text in [
            deep.clone(),
            format!("(version: 1, unknown: {deep}"),
            format!("(version: 1, name: {deep}"),
            edited("scan_gb_per_s: None", &format!("scan_gb_per_s: {deep}")),
            edited("class: Linear", &format!("class: Power({deep}")),
            edited("name: \"join\"", &format!("other: {deep}")),
        ] {
            refuse(&text);
        }
    }
}

/// 40,000 brackets took seconds while their time grew with their square; half a million take no longer than a file as large.
#[test]
fn deep_nesting_is_refused_at_its_place_and_takes_no_longer_than_any_other_text() {
    for nested in ["[", "(", "{", "Some(", "(a: "] {
        let deep = nested.repeat(500_000);
        for text in [
            edited("sources: {", &format!("sources: {{ \"a\": {deep}")),
            edited("notes: \"", &format!("unknown: {deep}, notes: \"")),
            format!("{PUBLISHED}{deep}"),
        ] {
            let error = refuse(&text);
            assert!(error.problem.contains("brackets are nested too deep"), "{nested}: {error}");
            let line = text.lines().nth(error.line - 1).expect("a line");
            assert!(line.chars().nth(error.column - 1).is_some_and(|c| "([{".contains(c)), "{nested}: {error}");
        }
    }
}

#[test]
fn files_of_five_megabytes_are_read_or_refused() {
    let large = edited("notes: \"", &format!("notes: \"{}", "long ".repeat(1_000_000)));
    assert!(read(&large).is_ok());
    let operator = "(name: \"o\", class: Linear, cpu_seconds_per_100mb: 0.1, input_gb: 1.0, output_ratio: 0.1),\n";
    let entries = |count: usize| -> String {
        (0..count).map(|index| operator.replace("\"o\"", &format!("\"o{index}\""))).collect()
    };
    let with = |count: usize| edited("operators: [", &format!("operators: [{}", entries(count)));
    assert!(with(50_000).len() > 4_500_000);
    let error = refuse(&with(50_000));
    assert_eq!(error.problem, "50002 entries; at most 200 are allowed");
    assert_eq!(read(&with(198)).map(|scenario| placement(&scenario).operators.len()), Ok(200));
    let wrong = with(198).replace(
        "\"o197\", class: Linear, cpu_seconds_per_100mb: 0.1",
        "\"o197\", class: Linear, cpu_seconds_per_100mb: -1",
    );
    assert_eq!(refuse(&wrong).field.as_deref(), Some("operators.o197.cpu_seconds_per_100mb"));
    let network = "(name: \"n\", family: Other, line_gbit_per_s: 1.0, effective_gbit_per_s: 1.0),";
    let networks: String = (0..3000).map(|index| network.replace("\"n\"", &format!("\"n{index}\""))).collect();
    let error = refuse(&edited("networks: [", &format!("networks: [{networks}")));
    assert_eq!(error.problem, "3002 entries; at most 50 are allowed");
    for garbage in ["\"", "(", "a", "'", "é", "x: \"", "\\", "r#\""] {
        refuse(&edited("class: Linear", &format!("class: {}", garbage.repeat(5_000_000 / garbage.len()))));
    }
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_no_problem() {
    assert_eq!(read(&format!("\u{feff}{}", PUBLISHED.replace('\n', "\r\n"))), Ok(published()));
}

proptest! {
    #[test]
    fn no_text_makes_reading_panic(text in "(?s).{0,200}") {
        let _ = read(&text);
        let _ = read(&format!("(version: 1, name: {text}"));
        let _ = published().with(&text);
    }

    #[test]
    fn no_change_to_a_valid_file_makes_reading_panic(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, "[()\\[\\]{}:,\"'/*#r\\\\0-9a-z\u{e9} \n.]{0,6}"), 1..4)
    ) {
        let mut text: Vec<char> = PUBLISHED.chars().collect();
        for (at, length, inserted) in cuts {
            let start = at.index(text.len());
            let end = (start + length).min(text.len());
            text.splice(start..end, inserted.chars());
        }
        let text: String = text.into_iter().collect();
        match read(&text) {
            Ok(scenario) => prop_assert_eq!(read(&scenario.to_ron()), Ok(scenario)),
            Err(error) => {
                prop_assert!((1..=text.matches('\n').count() + 1).contains(&error.line), "{error}");
                let line = text.split('\n').nth(error.line - 1).unwrap_or_default();
                prop_assert!((1..=line.chars().count() + 1).contains(&error.column), "{error}");
            }
        }
    }
}
