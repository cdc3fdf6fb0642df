//! Two options that the errors of their predictions cannot tell apart are a choice, in every format.

use super::super::result;
use super::{LOG, decided_one, list, number, surer_gluten};

/// Query 6, by this profile.
fn question(profile: &str) -> [&str; 5] {
    [LOG, "--query", "6", "--profile", profile]
}

/// By [`surer_gluten`], query 6 takes 4.2 s with Gluten on the machine of the log, and costs $0.00045 with RAPIDS on two machines: the
/// same at 0.00045 · 3,600 ÷ 4.2 = 0.386 dollars an hour.
const PRICE: [&str; 2] = ["--price-today", "0.38"];
const PLUGINS: [&str; 2] = ["spark.plugins=org.apache.gluten.GlutenPlugin", "spark.plugins=com.nvidia.spark.SQLPlugin"];

#[test]
fn every_format_names_both_options_with_the_settings_of_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let profile = surer_gluten(folder.path());
    let arguments = [&question(&profile)[..], &PRICE].concat();
    let workload = decided_one(&arguments);
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
        let report = result(&[&["decide", "--date", "2026-02-01", "--format", format][..], &arguments].concat());
        for text in ["They cost about the same: ", "Run each of them once and keep the cheaper."].iter().chain(&PLUGINS)
        {
            assert!(report.contains(text), "{format}: {text}");
        }
        for title in &titles {
            // No engine supports the Spark 4.3.0 of the log.
            let engine = title.replace(" on Spark 3.5.3", "");
            let run = format!("Run it once on {engine}, on a supported version of Spark, with these settings");
            assert!(report.contains(&run), "{format}: {run}");
        }
    }
}

/// The log is of one machine, so its price for an hour is that of all.
#[test]
fn beyond_two_prices_of_todays_machines_one_option_alone_is_recommended() {
    let folder = tempfile::tempdir().expect("a folder");
    let profile = surer_gluten(folder.path());
    let question = question(&profile);
    let arguments = [&question[..], &PRICE].concat();
    let workload = decided_one(&arguments);
    let of_today = |change: &&serde_json::Value| change["of"] == "today";
    let changes: Vec<&serde_json::Value> = list(&workload["price_changes"]).iter().filter(of_today).collect();
    let [above, below] = changes[..] else { panic!("a higher and a lower price: {changes:?}") };
    assert!(number(&above["factor"]) > 1.0 && number(&below["factor"]) < 1.0, "{changes:?}");
    assert_ne!(above["best"], below["best"]);
    for (change, beyond) in [(above, 1.001), (below, 0.999)] {
        assert_eq!(change["ends_tie"], true, "{change}");
        let at =
            |usd: f64| decided_one(&[&question[..], &["--price-today", &usd.to_string()]].concat())["decision"].clone();
        let usd = number(&change["usd_per_hour"]);
        let (then, before) = (at(usd * beyond), at(usd / beyond));
        assert_eq!((&then["best"], list(&then["near_ties"]).len()), (&change["best"], 0), "{change}");
        assert!(!list(&before["near_ties"]).is_empty(), "{change}");
    }
    let report = result(&[&["decide", "--date", "2026-02-01"][..], &arguments].concat());
    let named =
        report.lines().filter(|line| line.starts_with("If today’s machines cost ") && line.contains("): only "));
    assert_eq!(named.count(), 2, "{report}");
}
