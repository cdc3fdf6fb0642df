//! `crossover compare`: scenarios of one kind side by side.

use serde_json::Value;

use super::{PUBLISHED, REGULATION, records, refusal, result as output, run};

/// A simulation: its figures are no formulas.
const ALLOCATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/allocation-tie.ron");
const MODERN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-modern.ron");

#[test]
fn a_table_has_the_answer_the_figures_and_the_numbers_that_differ() {
    let text = output(&["compare", PUBLISHED, MODERN]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "placement-published and placement-modern");
    assert!(lines[1].contains("numbers differ. Compared with “placement-published” in "), "{text}");
    let figures = lines.iter().position(|line| *line == "Figures").expect("a table of figures");
    let numbers = lines.iter().position(|line| *line == "Numbers that differ").expect("a table of numbers");
    assert!(lines[figures + 1].starts_with("Figure ") && lines[figures + 1].ends_with("Best"), "{text}");
    assert!(lines[figures..numbers].iter().any(|line| line.contains(" better") || line.contains(" worse")), "{text}");
    assert!(lines[numbers..].iter().any(|line| line.contains("· published")), "{text}");
    assert!(lines.iter().any(|line| line.ends_with("the same in all of them.")), "{text}");
    // The catalogue's numbers of the second one are not known exactly, and none is of the published setting.
    assert!(
        lines.last().is_some_and(|line| line.contains("(0 in “placement-published”, 9 in “placement-modern”)")),
        "{text}"
    );
}

#[test]
fn json_and_csv_have_every_figure_with_differences_and_ratios() {
    let text = output(&["compare", PUBLISHED, MODERN, PUBLISHED, "--format", "json"]);
    let found: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(found["study"], "placement");
    let names: Vec<&str> = found["scenarios"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
    assert_eq!(names[1], "placement-modern");
    assert!(names[0].ends_with("placement-published.ron"), "two of one name are told by their paths: {names:?}");
    let figures = found["figures"].as_array().expect("figures");
    let speedup = figures.iter().find(|figure| figure["key"] == "speedup").expect("the speedup");
    let values: Vec<f64> = speedup["values"].as_array().expect("values").iter().filter_map(Value::as_f64).collect();
    assert_eq!(speedup["differences"][1], values[1] - values[0]);
    assert_eq!(speedup["ratios"][2], 1.0);
    assert_eq!(values[0].to_bits(), values[2].to_bits());

    let records = records(&output(&["compare", PUBLISHED, MODERN, "--format", "csv"]));
    let head = ["row", "key", "label", "unit", "placement-published", "placement-modern"];
    assert_eq!(records[0][..6], head);
    assert!(records[0].iter().any(|title| title == "best"));
    assert!(records.iter().all(|record| record.len() == records[0].len()));
    let seconds = records.iter().find(|record| record[1] == "seconds").expect("the time");
    let number = |place: usize| -> f64 { seconds[place].parse().expect("a number") };
    assert_eq!((number(8), number(9)), (number(5) - number(4), number(5) / number(4)));
}

/// Two scenarios that differ in the network, whose joins are not known exactly.
fn unsure() -> (tempfile::TempDir, [String; 2]) {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(PUBLISHED).expect("a scenario");
    let spread =
        "uncertain: {\"operators.join.cpu_seconds_per_100mb\": (distribution: Uniform(low: 0.05, high: 0.4))},";
    let text = text.replacen("policy:", &format!("{spread}\n        policy:"), 1);
    let speed = "effective_gbit_per_s: 80";
    assert!(text.contains(speed), "{text}");
    let files = [("slow", text.clone()), ("fast", text.replace(speed, "effective_gbit_per_s: 100"))];
    let paths = files.map(|(name, text)| {
        let path = folder.path().join(format!("{name}.ron"));
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    });
    (folder, paths)
}

#[test]
fn where_something_is_not_known_exactly_ranges_and_cases_stand_beside_the_values() {
    let (_folder, [slow, fast]) = unsure();
    let text = output(&["compare", &slow, &fast]);
    assert!(text.contains(" better, 100 % likely") && text.contains("Ranges are 90 % intervals"), "{text}");
    let found: Value = serde_json::from_str(&output(&["compare", &slow, &fast, "--format", "json"])).expect("JSON");
    assert_eq!(found["samples"], 4096);
    let figures = found["figures"].as_array().expect("figures");
    let seconds = figures.iter().find(|figure| figure["key"] == "seconds").expect("the time");
    assert_eq!(
        (&seconds["against_baseline"][1]["better"], &seconds["against_baseline"][1]["worse"]),
        (&1.0.into(), &0.0.into())
    );
    let ends = |place: usize| [0, 1].map(|end| seconds["ranges"][place][end].as_f64().expect("an end"));
    let value = |place: usize| seconds["values"][place].as_f64().expect("a time");
    assert!((0..2).all(|place| ends(place)[0] < value(place) && value(place) < ends(place)[1]), "{seconds}");
    let records = records(&output(&["compare", &slow, &fast, "--format", "csv"]));
    assert!(records.iter().all(|record| record.len() == records[0].len()));
    let column = |name: &str| records[0].iter().position(|head| head == name).expect(name);
    let seconds = records.iter().find(|record| record[1] == "seconds").expect("the time");
    assert_eq!(seconds[column("better of fast")], "1");
    assert_eq!(seconds[column("95 % of slow")].parse(), Ok(ends(0)[1]));
    // What every number is taken to be within, and what is known.
    let text = output(&["compare", PUBLISHED, MODERN, "--spread-all", "10%", "--samples", "64"]);
    assert!(text.contains(" likely"), "{text}");
    let message = refusal(2, &["compare", PUBLISHED, PUBLISHED, "--samples", "64"]);
    assert!(message.contains("no number of this study is uncertain"), "{message}");
}

#[test]
fn along_a_number_every_scenario_has_its_own_columns() {
    let x = "gpu.gpu_parallelism=2..1024:3:log";
    let found = records(&output(&["compare", PUBLISHED, MODERN, "--x", x, "--figure", "seconds"]));
    let head = ["gpu.gpu_parallelism", "seconds of placement-published", "seconds of placement-modern"];
    assert_eq!(found[0], head);
    assert_eq!(found.len(), 4);
    for (place, file) in [(1, PUBLISHED), (2, MODERN)] {
        let alone = records(&output(&["sweep", file, "--x", x, "--figure", "seconds"]));
        let column = alone[0].iter().position(|head| head == "seconds").expect("the time");
        for (row, of_alone) in found.iter().zip(&alone).skip(1) {
            assert_eq!(row[place], of_alone[column]);
        }
    }
    let text = output(&["compare", PUBLISHED, MODERN, "--x", x, "--format", "json"]);
    let found: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(found["present"][0], 64.0);
    assert_eq!(found["figures"][0]["values"][1].as_array().map(Vec::len), Some(3));

    let message = refusal(2, &["compare", PUBLISHED, MODERN, "--x", "operators.scan.input_gb=1..2"]);
    assert!(message.contains("operators.scan.input_gb"), "{message}");
    let message = refusal(2, &["compare", PUBLISHED, MODERN, "--x", x, "--format", "table"]);
    assert!(message.contains("csv or json"), "{message}");
    let message = refusal(2, &["compare", PUBLISHED, REGULATION, "--x", x]);
    assert!(message.contains("of one kind"), "{message}");
}

/// The bands of a scenario are those of its sweep with the same samples; a scenario without another uncertain number has none.
#[test]
fn along_a_number_uncertain_scenarios_have_the_bands_of_their_sweep() {
    let x = "cluster.machines=10..1000:3:log";
    let sampled = ["--spread-all", "10%", "--samples", "64"];
    // A note says that the input grows with the machines.
    let noted = |arguments: &[&str]| {
        let (code, output, notes) = run(arguments);
        let is_noted = notes.starts_with("crossover: cluster.machines: weak scaling") && notes.lines().count() == 1;
        assert!(code == Some(0) && is_noted, "{notes}");
        output
    };
    let curves = |last: &[&str]| {
        noted(
            &[&["compare", PUBLISHED, MODERN, "--x", x, "--figure", "seconds", "--bands"], &sampled[..], last].concat(),
        )
    };
    let found = records(&curves(&[]));
    let of =
        |name: &str| [format!("seconds of {name}"), format!("seconds of {name} P5"), format!("seconds of {name} P95")];
    let head =
        [["cluster.machines".to_owned()].as_slice(), &of("placement-published"), &of("placement-modern")].concat();
    assert_eq!(found[0], head);
    for (place, file) in [(1, PUBLISHED), (4, MODERN)] {
        let alone = [&["sweep", file, "--x", x, "--figure", "seconds", "--bands"], &sampled[..]].concat();
        let alone = records(&noted(&alone));
        for (row, of_alone) in found.iter().zip(&alone).skip(1) {
            assert_eq!(row[place..place + 3], of_alone[1..4], "{file}");
        }
    }
    let json: Value = serde_json::from_str(&curves(&["--format", "json"])).expect("JSON");
    let low = json["figures"][0]["p5_to_p95"][1][0][0].as_f64().expect("P5 of the second scenario");
    let of_csv: f64 = found[1][5].parse().expect("a number");
    assert!((low / of_csv - 1.0).abs() < 1e-12, "{low} {of_csv}");

    let message = refusal(2, &["compare", PUBLISHED, MODERN, "--x", x, "--samples", "64"]);
    assert!(message.contains("add --bands"), "{message}");
    let message = refusal(2, &["compare", PUBLISHED, PUBLISHED, "--x", x, "--bands"]);
    assert!(message.contains("no number of this study is uncertain"), "{message}");
}

/// The first round always ends: the figures without intervals, or the curves at few values.
#[test]
fn a_time_limit_gives_the_comparison_so_far_and_states_its_samples_or_values() {
    let arguments = ["compare", ALLOCATION, ALLOCATION, "--spread-all", "10%"];
    let (_, whole, _) = run(&arguments);
    // So many by default where figures are no formulas.
    assert!(whole.contains("Ranges are 90 % intervals: 64 samples"), "{whole}");
    let (code, first, messages) = run(&[&arguments[..], &["--time", "0s"]].concat());
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("--time: stopped after 0 of 64 samples of each scenario"), "{messages}");
    assert!(first.contains("\nFigures\n") && !first.contains("90 % intervals"), "{first}");

    let along = ["compare", PUBLISHED, MODERN, "--x", "cluster.machines=10..1000", "--time", "0s"];
    let (code, curves, messages) = run(&along);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("--time: stopped after 11 of 101 values"), "{messages}");
    assert_eq!(records(&curves).len(), 1 + 11);
}

#[test]
fn markdown_has_tables() {
    let text = output(&["compare", PUBLISHED, MODERN, "--format", "markdown"]);
    assert!(text.starts_with("# placement-published and placement-modern\n"), "{text}");
    assert!(
        text.contains("\n## Figures\n\n| Figure |") && text.contains("\n## Numbers that differ\n\n| Number |"),
        "{text}"
    );
}

#[test]
fn a_scenario_beside_itself_differs_in_nothing() {
    let text = output(&["compare", PUBLISHED, PUBLISHED]);
    assert!(text.contains("\nNo number differs") && !text.contains("Numbers that differ"), "{text}");
}

#[test]
fn what_cannot_be_compared_is_wrong_usage_with_the_reason() {
    let message = refusal(2, &["compare", PUBLISHED, REGULATION]);
    assert!(message.contains("of one kind") && message.contains("scenario 2 of kind regulation"), "{message}");
    for count in [1, 5] {
        let mut arguments = vec!["compare"];
        arguments.extend(vec![PUBLISHED; count]);
        let message = refusal(2, &arguments);
        assert!(
            message.contains(&format!("expected 2 to 4 scenarios, the baseline first; found {count}")),
            "{message}"
        );
        assert!(message.contains("Usage: crossover compare"), "{message}");
    }
    let message = refusal(1, &["compare", PUBLISHED, "nothing.ron"]);
    assert!(message.contains("nothing.ron"), "{message}");
}
