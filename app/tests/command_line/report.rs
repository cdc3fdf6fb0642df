//! `crossover report`: what those who decide read of any scenario.

use std::path::{Path, PathBuf};

use crossover_scenario::{self as scenario, Scenario};
use crossover_study::{Watch, answer, numbers};
use roxmltree::{Document, Node, ParsingOptions};

use super::{PUBLISHED, REGULATION, refusal, result as output, run};

/// The scenarios that come with the program.
fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let entries = std::fs::read_dir(folder).expect("the scenarios").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|of| of == "ron")).collect();
    files.sort();
    assert!(files.len() > 20, "{files:?}");
    files
}

fn read(path: &Path) -> Scenario {
    scenario::read(&std::fs::read_to_string(path).expect("a file")).expect("a valid scenario")
}

/// A page, if it is well-formed.
#[track_caller]
fn parsed(page: &str) -> Document<'_> {
    Document::parse_with_options(page, ParsingOptions { allow_dtd: true, ..ParsingOptions::default() })
        .expect("well-formed")
}

/// All text below a node.
fn text_of(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect()
}

fn elements<'a, 'i>(page: &'a Document<'i>, name: &str) -> Vec<Node<'a, 'i>> {
    page.descendants().filter(|node| node.tag_name().name() == name).collect()
}

/// Every cell of every table.
fn cells(page: &Document<'_>) -> Vec<String> {
    elements(page, "td").into_iter().map(text_of).collect()
}

const SECTIONS: [&str; 8] = [
    "Answer",
    "Key figures",
    "What it depends on most",
    "The outcome",
    "Numbers and their sources",
    "Warnings",
    "What the model leaves out",
    "How this report was made",
];

#[test]
fn every_shipped_scenario_has_a_report_with_all_of_its_numbers_and_figures() {
    for path in shipped() {
        let scenario = read(&path);
        let file = path.to_str().expect("UTF-8");
        let html = output(&["report", file, "--samples", "64"]);
        let page = parsed(&html);
        let sections: Vec<String> = elements(&page, "h2").into_iter().map(text_of).collect();
        let expected: Vec<&str> = sections.iter().map(String::as_str).filter(|title| *title != "Charts").collect();
        assert_eq!(expected, SECTIONS, "{file}");
        // One file that loads nothing, and runs nothing but the script that sorts its tables.
        let scripts = elements(&page, "script");
        assert!(scripts.len() == 1 && text_of(scripts[0]).contains("table.sortable"), "{file}");
        let tables = elements(&page, "table");
        assert!(tables.iter().all(|table| table.attribute("class") == Some("sortable")), "{file}");
        for name in ["link", "img", "iframe", "object", "a", "base", "form"] {
            assert!(elements(&page, name).is_empty(), "{name} in {file}");
        }
        assert!(!html.contains("@import") && !html.contains("url("), "{file}");
        let charts = elements(&page, "figure");
        assert!(
            !charts.is_empty() && charts.iter().all(|chart| chart.children().any(|of| of.tag_name().name() == "svg")),
            "{file}"
        );
        for caption in elements(&page, "figcaption") {
            assert!(text_of(caption).trim().ends_with(['.', '?', ':']), "{file}: {}", text_of(caption));
        }

        let cells = cells(&page);
        let markdown = output(&["report", file, "--samples", "64", "--format", "markdown"]);
        assert!(markdown.starts_with("# ") && !markdown.contains("<svg"), "{file}");
        for title in SECTIONS {
            assert!(markdown.contains(&format!("\n## {title}\n")), "{title} in {file}");
        }
        for (path, quantity, value) in numbers(scenario.study.subject()) {
            let path = path.to_string();
            let place = cells.iter().position(|cell| *cell == path);
            let place = place.unwrap_or_else(|| panic!("{path} is missing in {file}"));
            let value = quantity.unit.format(value);
            assert!(cells[place.saturating_sub(5)..place].contains(&value), "{path} is not {value} in {file}");
            let escaped = crossover_quantity::text::escaped(&path);
            assert!(markdown.contains(&format!("| {escaped} |\n")), "{path} is missing in {file} as Markdown");
        }
        let now = Watch::uncancellable(|watch| answer(scenario.study.subject(), watch)).expect("not cancelled");
        for figure in now.iter().filter(|figure| figure.of.is_none()) {
            assert!(cells.contains(&figure.label()), "{} is missing in {file}", figure.key());
        }
    }
}

#[test]
fn where_nothing_is_unsure_the_report_says_so_and_what_to_do() {
    let html = output(&["report", PUBLISHED]);
    let text = text_of(parsed(&html).root());
    assert!(text.contains("No number of this scenario is uncertain") && text.contains("--spread-all 10%"), "{text}");
    // The answer has the published speedups: 1.669 of the workload.
    assert!(text.contains("a speedup of 1.669×. On GPUs: join; on CPUs: filter."), "{text}");
    assert!(text.contains("Should an operator run on CPU or GPU?"), "{text}");
    assert!(text.contains("Read this before you buy hardware."), "{text}");
    assert!(html.contains("@page"), "it can be printed");
}

#[test]
fn a_report_says_how_sure_figures_are_and_what_they_hang_on() {
    let spread = "operators.join.cpu_seconds_per_100mb=uniform:100 ms..300 ms";
    let arguments = ["report", PUBLISHED, "--spread", spread, "--samples", "1024", "--seed", "3"];
    let html = output(&arguments);
    let page = parsed(&html);
    let text = text_of(page.root());
    assert!(text.contains("1 uncertain number: 1 as entered."), "{text}");
    let cells = cells(&page);
    // All of it, but for the error of sampling.
    let hangs =
        cells.iter().find_map(|cell| cell.strip_prefix("CPU time per 100 MB (operators · join) ")?.split_once(" % ± "));
    let (share, error) = hangs.expect("what it depends on");
    let share: f64 = share.parse().expect("a share");
    let error: f64 = error.trim_end_matches(" %").parse().expect("an error");
    assert!((share - 100.0).abs() <= 2.0 * error + 0.1 && error < 20.0, "{share} ± {error}");
    let path = cells.iter().position(|cell| cell == "operators.join.cpu_seconds_per_100mb").expect("the number");
    assert!(
        cells[path - 5..path].contains(&"100 ms/100 MB … 300 ms/100 MB".to_owned()),
        "{:?}",
        &cells[path - 5..path]
    );
    // Nine of ten samples of the CPU time of the join, which grows in a straight line with it.
    assert!(text.contains("Distribution of ") && text.contains("90 % interval: "), "{text}");
    // How it was made: the command is one that a shell takes.
    let command = text_of(elements(&page, "code").pop().expect("a command"));
    assert!(command.starts_with("crossover report ") && command.contains("--samples 1024 --seed 3"), "{command}");
    assert!(command.contains(&format!("--spread '{spread}'")), "{command}");
    // The same again is the same, to the letter.
    assert_eq!(output(&arguments), html);

    let within = output(&["report", PUBLISHED, "--spread-all", "10%", "--samples", "64", "--format", "markdown"]);
    assert!(within.contains("with an assumed uncertainty of ± 10 % (--spread-all)"), "{within}");
}

#[test]
fn numbers_that_fit_no_sample_leave_a_report_that_says_so() {
    let spread = "clusters.I.max_vgpus=uniform:10..50";
    let html = output(&["report", REGULATION, "--spread", spread, "--samples", "64"]);
    let text = text_of(parsed(&html).root());
    assert!(text.contains("no sample of the uncertain numbers is valid"), "{text}");
}

/// The first round always ends: the report without samples, in the file too.
#[test]
fn a_time_limit_gives_the_report_so_far_and_states_its_samples() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("report.md");
    let out = out.to_str().expect("UTF-8");
    let allocation = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/allocation-tie.ron");
    let arguments = ["report", allocation, "--spread-all", "10%", "--samples", "128", "--format", "markdown"];
    let (code, printed, messages) = run(&[&arguments[..], &["--time", "0s", "--out", out]].concat());
    assert_eq!((code, printed.as_str()), (Some(0), ""), "{messages}");
    assert!(messages.contains("--time: stopped after 0 of 128 samples"), "{messages}");
    let first = std::fs::read_to_string(out).expect("written");
    assert!(first.contains("the uncertain numbers are not sampled yet"), "{first}");
    assert!(first.contains("This command writes the complete report:") && first.contains("--samples 128"), "{first}");
    for title in SECTIONS {
        assert!(first.contains(&format!("\n## {title}\n")), "{title}");
    }
    // With enough time it is the whole report.
    assert_eq!(output(&[&arguments[..], &["--time", "1 h"]].concat()), output(&arguments));
}

#[test]
fn names_are_text_whatever_they_look_like() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = "<script>alert(1)</script> | \"x\" `y` [z](javascript:w) & <img src=x onerror=v>";
    let renamed = [format!("operators.filter.name={name}"), format!("networks.10 Gb Ethernet.name={name} 2")];
    let mut scenario = read(Path::new(PUBLISHED)).with_all(&renamed).expect("names");
    scenario.name = name.to_owned();
    scenario.notes = format!("{name}\n\n# no heading\n\n- no list");
    let path = folder.path().join("hostile.ron");
    std::fs::write(&path, scenario.to_ron()).expect("written");
    let file = path.to_str().expect("UTF-8");
    let arguments = ["report", file, "--samples", "64", "--spread-all", "5%"];
    let html = output(&arguments);
    let page = parsed(&html);
    let scripts = elements(&page, "script");
    assert!(scripts.len() == 1 && !text_of(scripts[0]).contains("alert"), "only that of tables");
    for forbidden in ["img", "a"] {
        assert!(elements(&page, forbidden).is_empty(), "{forbidden}");
    }
    assert_eq!(text_of(elements(&page, "h1")[0]), name);
    assert!(cells(&page).contains(&format!("operators.{name}.cpu_seconds_per_100mb")));
    let markdown = output(&[&arguments[..], &["--format", "markdown"]].concat());
    assert!(!markdown.contains("\n# no heading") && !markdown.contains("\n- no list"), "{markdown}");
    let of_operator =
        markdown.lines().find(|line| line.contains("cpu\\_seconds\\_per\\_100mb") && line.contains("script"));
    let of_operator = of_operator.expect("its number");
    assert!(of_operator.contains("\\<script>alert(1)\\</script> \\| "), "{of_operator}");
}

#[test]
fn a_report_is_written_to_a_file_but_not_over_its_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("a scenario.ron");
    std::fs::copy(PUBLISHED, &copy).expect("a copy");
    let out = folder.path().join("report.html");
    let [copy, out] = [&copy, &out].map(|path| path.to_str().expect("UTF-8"));
    assert_eq!(output(&["report", copy, "--out", out]), "");
    assert_eq!(std::fs::read_to_string(out).expect("written"), output(&["report", copy]));
    assert!(refusal(1, &["report", copy, "--out", copy]).contains("also an input of this command"));
    assert!(refusal(1, &["report", copy, "--out", "/no/such/folder/r.html"]).contains("/no/such/folder"));
    assert_eq!(read(Path::new(copy)), read(Path::new(PUBLISHED)));
}

#[test]
fn what_cannot_be_reported_is_wrong_usage_with_the_reason() {
    for (arguments, expected) in [
        (&["--format", "pdf"][..], "html, markdown"),
        (&["--spread-all", "150%"], "below 100 %"),
        (&["--spread-all", "10%", "--samples", "5"], "64 … 1,048,576"),
        (&["--figure", "speedups"], "did you mean “speedup”?"),
        (&["--spread", "cluster.machine=normal:5"], "did you mean “cluster.machines”?"),
    ] {
        let message = refusal(2, &[&["report", PUBLISHED], arguments].concat());
        assert!(message.contains(expected) && message.contains("--help"), "{message}");
    }
}

#[test]
fn a_report_names_decisions_that_are_not_certain_and_when_prices_are_of() {
    let modern = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-modern.ron");
    let text = output(&["report", modern, "--samples", "256", "--format", "markdown"]);
    assert!(text.contains("\nDecisions that differ between samples: ") && text.contains("group by: on GPUs"), "{text}");
    let as_of = read(Path::new(modern)).study.subject().bill().expect("a bill").as_of.clone();
    assert!(!as_of.is_empty() && text.contains(&format!("\nPrices are of {as_of}, in US dollars.\n")), "{text}");
}
