//! How long decisions of a fleet take, without the reading of logs: predictions and verdicts of all options for each application
//! and each of its queries; costs of all applications; and the portfolio within half of the machines that all would need.
//! `FLEET_APPLICATIONS` says how many applications there are.

use std::path::Path;
use std::time::Instant;

use crossover_fleet::answer::answer;
use crossover_fleet::application::{Application, Verdict};
use crossover_fleet::portfolio::Item;
use crossover_fleet::{Base, Budget, Costs, Frequency, Portfolio};
use crossover_plan::{Control, spark};
use crossover_scenario::read;

/// Default number of applications.
const APPLICATIONS: usize = 1000;
/// A real log of nine queries.
const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/spark/shop-eventlog.zstd");
/// Starts of applications are spread over this many milliseconds.
const NIGHT_MS: u64 = 36_000_000;

#[expect(clippy::print_stdout, reason = "a benchmark tells what it measured")]
fn main() {
    // `cargo test` runs benchmarks as well.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let count = std::env::var("FLEET_APPLICATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(APPLICATIONS);
    let scenario =
        read(include_str!("../../scenarios/placement-truth-aws-l4.ron")).expect("a scenario of the repository");
    let base = Base::new(&scenario)
        .expect("it has engines")
        .or(crossover_plan::options::shipped().expect("profiles of the repository"));
    let import = spark::read(Path::new(LOG), &Control::default()).expect("a log of the repository");
    let queries = import.queries.len();
    let begun = Instant::now();
    let mut applications: Vec<Application> = (0..count).map(|_| answer(&base, &import, false)).collect();
    let options = applications.first().map_or(0, |first| first.summary.candidates.len());
    println!(
        "{count} applications of {queries} queries, {options} candidates each: {:.3} s",
        begun.elapsed().as_secs_f64()
    );
    // All move to the GPU cluster, at different times and with different savings.
    for (number, application) in applications.iter_mut().enumerate() {
        let number = number as u64;
        let summary = &mut application.summary;
        summary.verdict = Verdict::Move;
        summary.option_place = summary.base_place;
        summary.start_ms = Some(number * 7_919_777 % NIGHT_MS);
        summary.expected_saving_usd = Some(0.01 + (number * 104_729 % 1000) as f64 / 1000.0);
    }
    let summaries = || applications.iter().map(|application| &application.summary);
    let begun = Instant::now();
    let costs = Costs::of(summaries(), Frequency::Entered(30.0).runs());
    println!("costs of {} applications: {:.3} s", costs.priced, begun.elapsed().as_secs_f64());
    let items: Vec<Item> = summaries().filter_map(|summary| Item::of(summary, 30.0)).collect();
    let begun = Instant::now();
    let found = Portfolio::of(&items, Budget::Instances((Portfolio::needed(&items) / 2.0).floor()));
    println!(
        "portfolio of {} of {} within {} of {} machines, {}: {:.3} s",
        found.chosen.len(),
        items.len(),
        found.used,
        found.needed,
        if found.is_best {
            "the best one".to_owned()
        } else {
            format!("stopped ${:.2} below its bound", found.gap_usd)
        },
        begun.elapsed().as_secs_f64()
    );
}
