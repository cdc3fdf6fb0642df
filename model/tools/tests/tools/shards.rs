//! What shards evaluate, on several machines, is put together to what one machine finds.

use crossover_scenario::{Scenario, read};
use crossover_study::Watch;
use crossover_tools::points::{Pointwise, evaluate, evaluate_shard, together};
use crossover_tools::values::Values;
use crossover_tools::{Map, Range, Sampling, Shard, map, sensitivity, uncertainty};

const PLACEMENT: &str = include_str!("../../../../scenarios/placement-published.ron");
const REGULATION: &str = include_str!("../../../../scenarios/regulation-published.ron");
const ALLOCATION: &str = include_str!("../../../../scenarios/allocation-most-left.ron");
const PROBE: &str = include_str!("../../../../scenarios/probe-centres.ron");

fn scenario(text: &str) -> Scenario {
    read(text).expect("a valid scenario")
}

/// What the tool finds in one piece, and of so many shards that come in another order.
fn both<T: Pointwise<Error: std::fmt::Debug>>(tool: impl Fn() -> T, of: usize) -> (T::Found, T::Found) {
    let whole = Watch::uncancellable(|watch| evaluate(tool(), watch)).expect("a result").expect("all");
    let shard = |place| {
        let shard = Shard::new(place, of).expect("a shard");
        let values = Watch::uncancellable(|watch| evaluate_shard(&tool(), shard, watch)).expect("all");
        (shard, values)
    };
    let shards: Vec<(Shard, Values)> = (1..=of).rev().map(shard).collect();
    let values = together(&tool(), shards).expect("all shards");
    (whole, tool().conclude(values).expect("a result"))
}

#[test]
fn samples_of_shards_are_those_of_one_machine() {
    for (text, samples) in [(PLACEMENT, 1_000), (ALLOCATION, 64), (PROBE, 64)] {
        let scenario = scenario(text);
        let sampling = Sampling { samples, spread_all: Some(0.1), ..Sampling::default() };
        let begin = || {
            let begun = Watch::uncancellable(|watch| uncertainty::begin(scenario.study.subject(), &sampling, watch));
            begun.expect("something is unknown").expect("all")
        };
        for of in [1, 3, 8] {
            let (whole, merged) = both(begin, of);
            // As text: errors may be no numbers.
            assert_eq!(format!("{merged:?}"), format!("{whole:?}"), "{} in {of}", scenario.name);
            assert_eq!(whole.samples, samples.next_multiple_of(16));
        }
    }
}

#[test]
fn what_figures_hang_on_is_found_of_shards_too() {
    let scenario = scenario(PLACEMENT);
    let sampling = Sampling { samples: 64, spread_all: Some(0.2), ..Sampling::default() };
    let begin = || {
        let begun = Watch::uncancellable(|watch| sensitivity::begin(scenario.study.subject(), &sampling, watch));
        begun.expect("something is unknown").expect("all")
    };
    let (whole, merged) = both(begin, 5);
    assert_eq!(format!("{merged:?}"), format!("{whole:?}"));
    // Both ends of every number are points, too.
    assert_eq!(begin().points(), whole.evaluations + 2 * whole.unknowns.numbers.len());
    let swings = whole.figures.iter().flat_map(|figure| &figure.swings);
    assert!(swings.flat_map(|swing| swing.values).flatten().count() > 100);
}

#[test]
fn cells_of_shards_make_the_map_with_what_is_not_allowed() {
    let scenario = scenario(REGULATION);
    let range = |text: &str| Range::read(scenario.study.subject(), text, 8).expect("a range");
    let requested = Map {
        x: range("clusters.I.max_vgpus=50..150:3"),
        y: range("controllers.PID.ki=0..0.2:2"),
        figures: vec!["tops".to_owned()],
    };
    let begin = || {
        Watch::uncancellable(|watch| map::begin(scenario.study.subject(), &requested, watch))
            .expect("a map")
            .expect("all")
    };
    let (whole, merged) = both(begin, 4);
    assert_eq!(merged, whole);
    assert_eq!(whole.left_out.as_ref().map(|left_out| (left_out.count, left_out.first)), Some((2, [50.0, 0.0])));
}
