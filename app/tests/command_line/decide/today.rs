//! Today's machines that are entered instead of those of the log.

use super::super::refusal;
use super::{LOG, ROUNDING, decided_one, list, number};

/// One c5d.12xlarge costs $2.304 an hour on demand in us-east-1 (`assets/instances.ron`); the log ran for 56.71 s on one host with four cores.
#[test]
fn entered_machines_have_their_price_and_are_named_beside_those_of_the_log() {
    const NAMED: &str = "The file has 1 machine with 4 cores; you entered 8 machines with 48 cores each";
    let warns = |decided: &serde_json::Value| {
        let warnings = list(&decided["warnings"]).iter().filter_map(|warning| warning.as_str());
        warnings.filter(|warning| warning.starts_with(NAMED)).count()
    };
    for (today, usd, basis) in
        [("8xc5d.12xlarge", 2.304, "on_demand"), ("8×c5d.12xlarge@1.80:reserved", 1.8, "reserved")]
    {
        for query in [&[][..], &["--query", "6"]] {
            let decided = decided_one(&[&[LOG, "--today", today][..], query].concat());
            let baseline = &decided["decision"]["baseline"];
            assert_eq!(baseline["title"], "Spark 4.3.0, 8 × c5d.12xlarge", "{today}");
            assert_eq!(baseline["is_measured"], true);
            assert!((number(&baseline["price"]["usd_per_hour"]) / (8.0 * usd) - 1.0).abs() < ROUNDING, "{baseline}");
            assert_eq!(baseline["price"]["basis"], basis);
            let today_seconds = number(&baseline["time"]["median_seconds"]);
            let expected = 8.0 * usd * today_seconds / 3600.0;
            assert!((number(&decided["costs"]["today"]["usd_per_run"]) / expected - 1.0).abs() < ROUNDING, "{decided}");
            assert_eq!(warns(&decided), 1, "{decided}");
        }
    }
    // A price of a core is one of the 48 vCPUs of each.
    let per_core = decided_one(&[LOG, "--today", "2xc5d.12xlarge", "--price-today", "0.05/core"]);
    let price = number(&per_core["decision"]["baseline"]["price"]["usd_per_hour"]);
    assert!((price / (2.0 * 48.0 * 0.05) - 1.0).abs() < ROUNDING, "{price}");
    assert_eq!(warns(&decided_one(&[LOG])), 0);
}

#[test]
fn machines_that_today_cannot_be_are_refused_with_those_that_are_known() {
    for (arguments, expected) in [
        (
            &["--today", "c5d.12xlarge"][..],
            "--today c5d.12xlarge: expected a number of machines and their type, such as 8x",
        ),
        (
            &["--today", "8xc5d.12xlarg"],
            "no machine without GPUs “c5d.12xlarg”, did you mean “c5d.12xlarge”? Known machines: c5d.12",
        ),
        // The engine of a log of GPUs is not today's engine of a decision.
        (&["--today", "4xg6.2xlarge"], "no machine without GPUs “g6.2xlarge”"),
        (&["--today", "8xc5d.12xlarge@1.8", "--price-today", "2"], "--price-today names a price, too"),
        (&["--on", "4xh100"], "--on: the catalogue has no machine “h100”"),
        (&["--on", "4xh100"], ". Known machines: c5d.12xlarge, "),
    ] {
        let message = refusal(2, &[&["decide", LOG][..], arguments].concat());
        assert!(message.contains(expected) && message.contains("--help"), "{arguments:?}: {message}");
    }
}
