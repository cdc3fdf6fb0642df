//! `crossover uncertainty` and `crossover sensitivity`: how sure the figures of any scenario are, and what they hang on.

use serde_json::Value;

use super::{PUBLISHED as PLACEMENT, records, refusal, result as output, run};

/// A simulation, in which each sample takes time.
const ALLOCATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/allocation-tie.ron");
const JOIN: &str = "operators.join.cpu_seconds_per_100mb=uniform:100 ms..300 ms";

/// What follows one number in a straight line has its quantiles: the time of a filter on CPUs.
#[test]
fn csv_has_quantiles_with_their_errors() {
    let spread = "operators.filter.cpu_seconds_per_100mb=uniform:4 ms..6 ms";
    let key = "operators.filter.cpu_seconds";
    let text = output(&["uncertainty", PLACEMENT, "--spread", spread, "--figure", key, "--format", "csv"]);
    let records = records(&text);
    assert_eq!((records.len(), records[1][0].as_str()), (2, key));
    let number = |title: &str| -> f64 {
        let place = records[0].iter().position(|known| known == title).expect("a column");
        records[1][place].parse().expect("a number")
    };
    let middle = f64::midpoint(number("p5"), number("p95"));
    assert!((number("p50") / middle - 1.0).abs() < 1e-3 && (number("present") / middle - 1.0).abs() < 1e-3);
    // Between 5 and 95 % lie nine tenths of the width, which is the root of 12 times the deviation.
    let width = (number("p95") - number("p5")) / 0.9;
    assert!((width / (number("standard_deviation") * 12.0_f64.sqrt()) - 1.0).abs() < 0.01);
    assert!(number("mean_error") > 0.0 && number("mean_error") < number("standard_deviation") / 100.0);
    assert_eq!(number("missing"), 0.0);
}

#[test]
fn the_answer_says_how_likely_a_gpu_is_faster() {
    let text = output(&["uncertainty", PLACEMENT, "--spread", JOIN, "--figure", "operators.join.speedup"]);
    assert!(text.contains("1 uncertain number; 16,384 samples, seed 1") && text.contains("at least 1×"), "{text}");
    // The standard deviation of a factor has its sign, too.
    let row = text.lines().find(|line| line.ends_with(" %") && line.contains('×')).expect("a row");
    assert_eq!(row.matches('×').count(), 6, "now, mean, three quantiles and standard deviation: {row}");
    let text = output(&["uncertainty", PLACEMENT, "--spread-all", "10%", "--samples", "64", "--format", "json"]);
    let found: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&found["study"], &found["samples"]), (&"placement".into(), &64.into()));
    let figures = found["figures"].as_array().expect("a list");
    let speedup = figures.iter().find(|figure| figure["key"] == "speedup").expect("the speedup");
    assert_eq!(speedup["at_least_1"], 1.0);
    // Every number of the study was drawn, each within its tenth.
    for number in found["uncertain_numbers"].as_array().expect("a list") {
        let ends = &number["distribution"]["Uniform"];
        let (low, high) = (ends["low"].as_f64().expect("low"), ends["high"].as_f64().expect("high"));
        let present = number["present"].as_f64().expect("a number");
        assert!(low <= present && present <= high && high - low <= 0.2 * present * (1.0 + 1e-9), "{number}");
    }
}

#[test]
fn a_speedup_hangs_on_the_operator_that_moves() {
    let filter = "operators.filter.cpu_seconds_per_100mb=lognormal:1.05";
    let arguments = ["sensitivity", PLACEMENT, "--spread", JOIN, "--spread", filter, "--figure", "speedup"];
    let text = output(&arguments);
    // All of it, within the error of sampling.
    let share = text.split_once("speedup depends most on operators.join.cpu_seconds_per_100mb ");
    let share = share.and_then(|(_, rest)| rest.split_once(" %.")?.0.parse::<f64>().ok());
    assert!(share.is_some_and(|share| (98.0..=100.0).contains(&share)), "{text}");
    let records = records(&output(&[&arguments[..], &["--format", "csv"]].concat()));
    assert_eq!((records.len(), records[0][4].as_str()), (3, "total"));
    for format in ["json", "ron", "markdown"] {
        let text = output(&[&arguments[..], &["--format", format]].concat()).replace("\\_", "_");
        assert!(text.contains("operators.join.cpu_seconds_per_100mb"), "{text}");
    }
}

#[test]
fn decisions_that_are_not_certain_are_named_with_how_likely_they_are() {
    // The filter stays on CPUs whatever happens, the join flips where it takes about a ninth of its time.
    let flips = "operators.join.cpu_seconds_per_100mb=uniform:0.001..0.2";
    let arguments = ["uncertainty", PLACEMENT, "--spread", flips, "--figure", "speedup"];
    let text = output(&arguments);
    assert!(
        text.contains("Decisions that differ between samples: join: on GPUs ")
            && text.contains("1 other is the same in every sample"),
        "{text}"
    );
    let found: Value = serde_json::from_str(&output(&[&arguments[..], &["--format", "json"]].concat())).expect("JSON");
    let decisions = found["decisions"].as_array().expect("a list");
    let join = decisions.iter().find(|decision| decision["key"] == "operators.join.on_gpu").expect("the join");
    let yes = join["yes"]["value"].as_f64().expect("a share");
    // The time from which a GPU is faster, by the break-evens of the report, is where the share of samples above it is "yes".
    let report: Value = serde_json::from_str(&output(&["evaluate", PLACEMENT, "--format", "json"])).expect("JSON");
    let faster_from = find_break_even(&report).expect("a break-even of the join");
    let expected = (0.2 - faster_from) / (0.2 - 0.001);
    assert!((yes - expected).abs() < 0.005, "{yes}, {expected}");
}

/// The CPU time from which a GPU is faster for the join, as the report has it.
fn find_break_even(report: &Value) -> Option<f64> {
    let network = &report["summary"]["network"];
    let is_chosen =
        |row: &&Value| row["operator"] == "join" && row["network"] == *network && row["compression"] == false;
    report["rows"].as_array()?.iter().find(is_chosen)?["break_even"]["cpu_seconds_per_100mb"].as_f64()
}

/// The first round always ends, so there is a result however short the time.
#[test]
fn a_time_limit_gives_the_result_so_far_with_its_error_and_the_samples_that_repeat_it() {
    let arguments = ["uncertainty", ALLOCATION, "--spread-all", "10%", "--figure", "allocated", "--time", "0s"];
    let (code, output, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("--time: stopped after 64 of 16,384 samples") && messages.contains('±'), "{messages}");
    assert!(messages.contains("which --samples 64 repeats"), "{messages}");
    let same = [&arguments[..6], &["--samples", "64"]].concat();
    assert_eq!(run(&same).1, output);
}

/// A first answer takes two evaluations of each of eight numbers, not a sample for every uncertain number.
#[test]
fn sensitivities_of_a_simulation_begin_with_numbers_moved_one_at_a_time() {
    let arguments = ["sensitivity", ALLOCATION, "--spread-all", "10%", "--figure", "allocated", "--time", "0s"];
    let (code, output, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("--time: stopped after 8 of "), "{messages}");
    assert!(messages.contains("numbers moved one at a time; allocated GPUs changes "), "{messages}");
    assert!(output.contains("; 16 evaluations") && output.contains("moved one at a time, from P5 to P95"), "{output}");
    let (code, output, messages) = run(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(code, Some(0), "{messages}");
    let found: Value = serde_json::from_str(&output).expect("JSON");
    let figure = &found["figures"][0];
    assert_eq!(found["samples"], 0);
    assert_eq!(found["evaluations"], 16);
    let count = |key: &str| figure[key].as_array().map(Vec::len);
    assert_eq!((count("effects"), count("swings")), (Some(0), Some(8)));
}

#[test]
fn a_time_that_is_long_enough_gives_all_samples_without_a_message() {
    let all = [&["uncertainty", PLACEMENT, "--spread", JOIN][..], &["--figure", "speedup"]].concat();
    assert_eq!(output(&[&all[..], &["--time", "1 h"]].concat()), output(&all));
}

#[test]
fn a_time_limit_must_be_a_time() {
    for tool in ["uncertainty", "sensitivity"] {
        for (time, expected) in [("soon", "--time: "), ("5 GB", "--time: ")] {
            let message = refusal(2, &[tool, PLACEMENT, "--spread-all", "10%", "--time", time]);
            assert!(message.contains(expected), "{message}");
        }
        refusal(2, &[tool, PLACEMENT, "--spread-all", "10%", "--time", "2s", "--shard", "1/2"]);
    }
}

#[test]
fn what_cannot_be_sampled_is_wrong_usage_with_the_reason() {
    for (arguments, expected) in [
        (&["--seed", "2"][..], "no number of this study is uncertain"),
        (&["--spread", "cluster.machine=normal:5"], "did you mean “cluster.machines”?"),
        (&["--spread", "cluster.machines=gauss:5"], "unknown distribution “gauss”"),
        (&["--spread", "cluster.machines=normal:0"], "not above 0"),
        (&["--spread", "cluster.machines=uniform:200..100"], "the smaller one first"),
        (&["--spread", "cluster.machines=uniform:-5..100"], "out of range"),
        (&["--spread", "cluster.machines"], "PATH=normal:SIGMA"),
        (&["--spread-all", "150 %"], "below 100 %"),
        (&["--spread-all", "10%", "--samples", "5"], "64 … 1,048,576"),
        (&["--spread-all", "10%", "--figure", "speedups"], "did you mean “speedup”?"),
    ] {
        for tool in ["uncertainty", "sensitivity"] {
            let message = refusal(2, &[&[tool, PLACEMENT], arguments].concat());
            assert!(message.contains(expected) && message.contains(&format!("Usage: crossover {tool}")), "{message}");
        }
    }
}
