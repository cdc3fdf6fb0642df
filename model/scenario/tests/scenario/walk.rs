//! Numbers of a study by their paths.

use crossover_scenario::Scenario;
use crossover_study::{number_at, numbers_in, set_number};

/// Two operators, the second of them called like the place of the first.
fn named_like_a_place() -> Scenario {
    let scenario = crossover_scenario::read(include_str!("../../../../scenarios/placement-published.ron"));
    scenario.expect("a valid scenario").with("operators.join.name=0").expect("a free name")
}

#[test]
fn the_numbers_of_a_part_are_those_that_it_has_now() {
    let scenario = named_like_a_place();
    let keys = |path| -> Vec<&str> {
        numbers_in(scenario.study.subject(), path).iter().map(|quantity| quantity.key).collect()
    };
    assert_eq!(keys("cluster"), ["machines", "fan_in"]);
    assert_eq!(keys("node"), ["cpu_parallelism"], "without bandwidth and storage");
    assert_eq!(keys("networks.10 Gb Ethernet"), ["line_gbit_per_s", "effective_gbit_per_s"]);
    assert_eq!(keys("operators.0")[..2], ["class", "cpu_seconds_per_100mb"]);
    assert!(keys("operators.0.cpu_curve").is_empty() && keys("operators").is_empty() && keys("nothing").is_empty());
}

#[test]
fn an_entry_that_is_called_like_the_place_of_another_one_is_meant_by_its_name() {
    let mut scenario = named_like_a_place();
    let path = "operators.0.cpu_seconds_per_100mb";
    let value = |scenario: &Scenario, path| number_at(scenario.study.subject(), path).and_then(|(_, value)| value);
    assert_eq!(value(&scenario, path), Some(0.2), "the join, not the filter at place 0");
    assert!(set_number(scenario.study.subject_mut(), path, 0.3));
    let names = |scenario: &Scenario| -> Vec<f64> {
        let study = scenario.placement().expect("a placement study");
        study.operators.iter().map(|operator| operator.cpu_seconds_per_100mb).collect()
    };
    assert_eq!(names(&scenario), [0.005, 0.3]);
    assert_eq!(names(&scenario.with(&format!("{path}=0.4")).expect("a value")), [0.005, 0.4]);
    assert_eq!(value(&scenario, "operators.1.cpu_seconds_per_100mb"), Some(0.3), "by its place");
}
