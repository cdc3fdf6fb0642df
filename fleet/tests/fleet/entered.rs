//! The application of a query that is on screen, with what the user entered about the query.

use std::path::Path;

use crossover_decision::PriceBasis;
use crossover_fleet::Base;
use crossover_fleet::answer::answer;
use crossover_placement::{CandidateCluster, Placement};
use crossover_plan::options::shipped;
use crossover_plan::scenario::{Machines, scenario};
use crossover_plan::spark::read;
use crossover_plan::{Control, Import};

use super::base;

const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/spark/shop-eventlog.zstd");

/// The engines that logs are compared with.
fn engines() -> Base {
    base().or(shipped().expect("profiles"))
}

fn log() -> Import {
    read(Path::new(LOG), &Control::default()).expect("a log")
}

/// The longest query of a log, as it opens.
fn study(import: &Import) -> Placement {
    let query = import.queries.iter().find(|query| query.id == "6").expect("query 6");
    let scenario = scenario(&engines().study_with_engines(), Machines::OfFile, import, query);
    scenario.placement().expect("a placement study").clone()
}

#[test]
fn the_study_of_a_query_as_it_opens_changes_nothing_of_its_application() {
    let import = log();
    let as_opened = engines().as_entered(&study(&import)).expect("engines");
    assert_eq!(answer(&as_opened, &import, false), answer(&engines(), &import, false));
}

#[test]
fn machines_prices_and_clusters_that_are_entered_are_those_of_the_application() {
    let import = log();
    let mut study = study(&import);
    let name = study.add_candidate(CandidateCluster {
        name: "cluster".to_owned(),
        machine: "g6.2xlarge".to_owned(),
        other_gpu: String::new(),
        machines: 3.0,
        lanes: 1.0,
        network_gbit_per_s: None,
        exchange_memory_gb: None,
        usd_per_hour: Some(0.5),
        price_basis: PriceBasis::Spot,
        region: String::new(),
    });
    assert!(name.is_some());
    let today = &mut study.engines.as_deref_mut().expect("engines").cpu;
    (today.machines, today.usd_per_hour) = (2.0, Some(2.5));
    for entered in ["engines.cpu.machines", "engines.cpu.usd_per_hour"] {
        study.sources.remove(entered);
    }
    let summary = answer(&engines().as_entered(&study).expect("engines"), &import, false).summary;
    // Two machines of 2.5 dollars, although the log has one.
    assert_eq!(summary.baseline.and_then(|today| today.usd_per_hour()), Some(5.0));
    let three = summary.candidates.iter().find(|option| option.title.ends_with(", 3 × g6.2xlarge"));
    let three = three.expect("the cluster");
    assert_eq!((three.time.is_some(), three.usd_per_hour()), (true, Some(1.5)));
}
