//! Texts that are no scenario are refused with the place of the error and a plain message, never with a panic.

use crossover_scenario::read;
use proptest::prelude::*;

use super::refused::{check, edited, position, refuse};
use super::{PUBLISHED, placement, published};

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
