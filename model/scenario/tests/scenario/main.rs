//! Scenario files: what opens, what is refused, where and in which words, and `--set`.

mod described;
mod overrides;
mod overrides_regulation;
mod query;
mod refused;
mod refused_regulation;
mod refused_syntax;
mod shipped;
mod views;
mod walk;

use crossover_placement::Placement;
use crossover_scenario::{Scenario, read};

const PUBLISHED: &str = include_str!("../../../../scenarios/placement-published.ron");
const REGULATION: &str = include_str!("../../../../scenarios/regulation-published.ron");

fn regulation() -> Scenario {
    read(REGULATION).expect("the published regulation is valid")
}

fn published() -> Scenario {
    read(PUBLISHED).expect("the published scenario is valid")
}

fn placement(scenario: &Scenario) -> &Placement {
    scenario.placement().expect("a placement study")
}
