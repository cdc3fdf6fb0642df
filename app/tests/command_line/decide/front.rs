//! The Pareto front as the goal: the options of the table that no other one dominates, in every format.

use serde_json::Value;

use super::super::result;
use super::{LOG, decided_one, list, number, seconds};

#[test]
fn every_format_lists_the_options_that_no_other_one_dominates() {
    const QUESTION: [&str; 5] = [LOG, "--query", "6", "--least", "pareto-front"];
    let workload = decided_one(&QUESTION);
    let decision = &workload["decision"];
    assert_eq!((decision["objective"]["goal"].as_str(), &decision["best"]), (Some("pareto_front"), &Value::Null));
    let now = &decision["baseline"];
    let today = {
        let time = &now["time"];
        let seconds = number(&time["known_seconds"]) + number(&time["median_seconds"]);
        [seconds, seconds * number(&now["price"]["usd_per_hour"]) / 3600.0]
    };
    // All options of this query can be judged or have no time.
    let timed = list(&decision["options"]).iter().enumerate().filter(|(_, option)| option["usd"].is_object());
    let options = timed.map(|(place, option)| (Some(place), [seconds(option), number(&option["usd"]["value"])]));
    let points: Vec<(Option<usize>, [f64; 2])> = options.chain([(None, today)]).collect();
    let is_dominated = |[time, usd]: [f64; 2]| {
        points.iter().any(|(_, [other, cost])| *other <= time && *cost <= usd && (*other < time || *cost < usd))
    };
    let mut expected: Vec<&(Option<usize>, [f64; 2])> =
        points.iter().filter(|(_, point)| !is_dominated(*point)).collect();
    expected.sort_by(|(_, [a, _]), (_, [b, _])| a.total_cmp(b));
    let found: Vec<Option<u64>> = list(&decision["front"]).iter().map(Value::as_u64).collect();
    let expected: Vec<Option<u64>> =
        expected.into_iter().map(|(place, _)| place.map(|place| u64::try_from(place).expect("few"))).collect();
    assert_eq!(found, expected);
    let title = format!("{} options on the Pareto front, the fastest first: ", found.len());
    assert!(workload["sentence"].as_str().is_some_and(|sentence| sentence.starts_with(&title)), "{workload}");
    for format in ["table", "markdown", "html"] {
        let report = result(&[&["decide", "--date", "2026-02-01", "--format", format][..], &QUESTION[..]].concat());
        assert!(report.contains(&title) && report.contains("Choose one by time and cost"), "{format}: {report}");
    }
}
