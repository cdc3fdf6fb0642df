//! Two options that the errors of their predictions cannot tell apart are a choice, in every format.

use super::super::result;
use super::{LOG, decided_one, list, number};

/// Query 6 takes 4.2 s with Gluten on the machine of the log, and costs $0.00045 with RAPIDS on two machines: the same at
/// 0.00045 · 3,600 ÷ 4.2 = 0.386 dollars an hour.
const QUESTION: [&str; 5] = [LOG, "--query", "6", "--price-today", "0.38"];
const PLUGINS: [&str; 2] = ["spark.plugins=org.apache.gluten.GlutenPlugin", "spark.plugins=com.nvidia.spark.SQLPlugin"];

#[test]
fn every_format_names_both_options_with_the_settings_of_each() {
    let workload = decided_one(&QUESTION);
    let decision = &workload["decision"];
    let tie = &decision["near_ties"][0];
    assert!((0.4..=0.6).contains(&number(&tie["likelihood"])), "{tie}");
    let title = |place: &serde_json::Value| {
        let place = usize::try_from(place.as_u64().expect("a place")).expect("few options");
        list(&decision["options"])[place]["candidate"]["title"].as_str().expect("a title").to_owned()
    };
    let titles = [title(&decision["best"]), title(&tie["other"])];
    let sentence = workload["sentence"].as_str().expect("a sentence");
    assert!(sentence.starts_with("Move to ") && sentence.contains(" or "), "{sentence}");
    assert!(sentence.contains("They cost about the same: "), "{sentence}");
    for format in ["table", "markdown", "html"] {
        let report = result(&[&["decide", "--date", "2026-02-01", "--format", format][..], &QUESTION[..]].concat());
        for text in ["They cost about the same: ", "Run it once with each and keep the cheaper."].iter().chain(&PLUGINS) {
            assert!(report.contains(text), "{format}: {text}");
        }
        for title in &titles {
            assert!(report.contains(&format!("Run it once on {title} with these settings")), "{format}: {title}");
        }
    }
}
