//! The worked example of the published method of regulation, against the document's own numbers.

use crossover_model::regulation::{Outcome, PowerLaw, Regulation, evaluate};
use crossover_model::scenario::read;

fn published() -> Regulation {
    let scenario = read(include_str!("../../scenarios/regulation-published.ron")).expect("a valid scenario");
    scenario.regulation().expect("a regulation study").clone()
}

fn vgpus(outcome: &Outcome, controller: usize) -> [f64; 2] {
    let clusters = &outcome.controllers[controller].figures.state.clusters;
    [clusters[0].vgpus, clusters[1].vgpus]
}

#[test]
fn proportional_control_stops_in_the_dead_zone_and_the_integral_breaks_it() {
    let outcome = evaluate(&published());
    let found: Vec<_> = outcome
        .controllers
        .iter()
        .enumerate()
        .map(|(index, run)| (run.name.as_str(), vgpus(&outcome, index), run.figures.state.tops))
        .collect();
    assert_eq!(
        found,
        [
            ("P", [55.0, 145.0], 20_950.0),
            ("PD", [55.0, 145.0], 20_950.0),
            ("PI", [50.0, 150.0], 21_500.0),
            ("PID", [50.0, 150.0], 21_500.0),
        ]
    );
}

#[test]
fn efficiency_grows_as_the_power_law_allows() {
    for (law, expected) in [(PowerLaw::Linear, 4.0 / 3.0), (PowerLaw::Square, 1.238), (PowerLaw::Cube, 1.148)] {
        let mut study = published();
        study.power.law = law;
        let found = evaluate(&study).efficiency();
        assert!((found - expected).abs() < 5e-4, "{law:?}: {found}");
    }
}
