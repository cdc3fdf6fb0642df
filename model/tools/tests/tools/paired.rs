//! Scenarios drawn together: how likely one is better than another, against what can be worked out by hand.

use crossover_quantity::provenance::Provenance;
use crossover_quantity::spread::{Distribution, Group, Spread};
use crossover_scenario::{Scenario, read};
use crossover_study::{Subject, Watch};
use crossover_tools::paired::{PairedError, SAMPLES};
use crossover_tools::{Paired, Sampling, compare, paired};

const PLACEMENT: &str = include_str!("../../../../scenarios/placement-published.ron");
/// A number on which the time of the published scenario hangs.
const SPEED: &str = "networks.100 Gb InfiniBand.effective_gbit_per_s";
/// Another one.
const JOIN: &str = "operators.join.cpu_seconds_per_100mb";

fn published() -> Scenario {
    read(PLACEMENT).expect("a shipped scenario")
}

/// The published scenario with other values, and with numbers that lie anywhere between two others.
fn scenario(values: &[&str], uniform: &[(&str, [f64; 2])]) -> Scenario {
    let mut scenario = values.iter().fold(published(), |scenario, value| scenario.with(value).expect("a valid value"));
    for (path, [low, high]) in uniform {
        let spread = Spread::alone(Distribution::Uniform { low: *low, high: *high });
        scenario.study.subject_mut().spreads_mut().insert((*path).to_owned(), spread);
    }
    scenario
}

fn found(scenarios: &[&Scenario]) -> Result<(Vec<String>, Paired), PairedError> {
    let studies: Vec<&dyn Subject> = scenarios.iter().map(|scenario| scenario.study.subject()).collect();
    let compared =
        Watch::uncancellable(|watch| compare(&studies, watch)).expect("a comparison").expect("not cancelled");
    let keys = compared.figures.iter().map(|figure| figure.key.clone()).collect();
    let sampling = Sampling { samples: SAMPLES, ..Sampling::default() };
    let paired = Watch::uncancellable(|watch| paired(&studies, &compared.figures, &sampling, watch))?;
    Ok((keys, paired.expect("not cancelled")))
}

/// The place of the time among the figures.
fn seconds(keys: &[String]) -> usize {
    keys.iter().position(|key| key == "seconds").expect("the time")
}

#[test]
fn a_known_network_beats_an_unknown_one_as_often_as_that_is_slower() {
    // Anywhere between 50 and 150 Gbit/s, a network is slower than one of 80 in 30 of 100 cases.
    let baseline = scenario(&[], &[(SPEED, [50.0, 150.0])]);
    let known = scenario(&[&format!("{SPEED}=80")], &[]);
    let (keys, paired) = found(&[&baseline, &known]).expect("samples");
    assert_eq!((paired.samples, &paired.unknown[..]), (SAMPLES, &[1, 0][..]));
    let figure = &paired.figures[seconds(&keys)];
    let against = figure.against[1].expect("both have a time");
    assert!((against.better.value - 0.3).abs() < 0.002 && (against.worse.value - 0.7).abs() < 0.002, "{against:?}");
    let [low, high] = figure.ranges[1].expect("a time");
    assert_eq!(low.to_bits(), high.to_bits(), "what is known has no range");
    let [low, high] = figure.ranges[0].expect("a time");
    // 5 and 95 of 100 networks have at most 55 and 145 Gbit/s, and the time falls with the speed.
    let at = |speed: f64| {
        let other = scenario(&[&format!("{SPEED}={speed}")], &[]);
        let answer = Watch::uncancellable(|watch| other.study.subject().answer(watch)).expect("not cancelled");
        answer.iter().find(|one| one.key() == "seconds").and_then(|one| one.value).expect("a time")
    };
    for (found, expected) in [(low, at(145.0)), (high, at(55.0))] {
        assert!((found / expected - 1.0).abs() < 2e-3, "{found} {expected}");
    }
}

#[test]
fn what_is_off_in_both_alike_makes_no_difference_unsure() {
    let spread = [(JOIN, [0.05, 0.4])];
    let slow = scenario(&[], &spread);
    let fast = scenario(&[&format!("{SPEED}=81")], &spread);
    let (keys, paired) = found(&[&slow, &fast]).expect("samples");
    let figure = &paired.figures[seconds(&keys)];
    let against = figure.against[1].expect("both have a time");
    assert_eq!(
        (against.better.value, against.worse.value),
        (1.0, 0.0),
        "the faster network is faster whatever the join takes"
    );
    let [of_slow, of_fast] = [0, 1].map(|place| figure.ranges[place].expect("a time"));
    assert!(of_fast[1] > of_slow[0], "although neither time is known so well: {of_slow:?} {of_fast:?}");
    let itself = figure.against[0].expect("a time");
    assert_eq!((itself.better.value, itself.worse.value, itself.difference), (0.0, 0.0, [0.0, 0.0]));
}

/// The share in which the second of two scenarios is better, whose networks are anywhere between 50 and 150 Gbit/s.
fn better(second: &Scenario) -> f64 {
    let (keys, paired) = found(&[&scenario(&[], &[(SPEED, [50.0, 150.0])]), second]).expect("samples");
    let against = paired.figures[seconds(&keys)].against[1].expect("both have a time");
    let sum = against.better.value + against.worse.value;
    assert!(sum == 0.0 || (sum - 1.0).abs() < 1e-9, "{against:?}");
    against.better.value
}

#[test]
fn only_what_is_the_same_number_is_off_alike() {
    let spread = [(SPEED, [50.0, 150.0])];
    // The same network in both is the same one.
    assert_eq!(better(&scenario(&[], &spread)), 0.0);
    // Of two networks, each is the slower one in half of the cases: another one by its name …
    let mut other = scenario(&["networks.100 Gb InfiniBand.name=another", "policy.network=another"], &[]);
    let uniform = Spread::alone(Distribution::Uniform { low: 50.0, high: 150.0 });
    other.study.subject_mut().spreads_mut().insert("networks.another.effective_gbit_per_s".to_owned(), uniform);
    assert!((better(&other) - 0.5).abs() < 0.02);
    // … by where its speed comes from …
    let mut other = scenario(&[], &spread);
    other.study.sources_mut().insert(SPEED.to_owned(), Provenance::Published("another paper".to_owned()));
    assert!((better(&other) - 0.5).abs() < 0.02);
    // … or by the speed that was taken for it.
    assert!((better(&scenario(&[&format!("{SPEED}=70")], &spread)) - 0.5).abs() < 0.02);
}

#[test]
fn groups_of_the_same_numbers_move_together_in_both() {
    let of_group = |factor: f64| {
        let mut scenario = scenario(&[&format!("{SPEED}={}", 80.0 * factor)], &[]);
        let group = Some(Group { name: "all".to_owned(), loading: 1.0 });
        for (path, distribution) in
            [(SPEED, Distribution::LogNormal { factor: 2.0 }), (JOIN, Distribution::LogNormal { factor: 1.01 })]
        {
            let spread = Spread { distribution, group: group.clone() };
            scenario.study.subject_mut().spreads_mut().insert(path.to_owned(), spread);
        }
        scenario
    };
    let of = |second: &Scenario| {
        let (keys, paired) = found(&[&of_group(1.0), second]).expect("samples");
        paired.figures[seconds(&keys)].against[1].expect("both have a time").better.value
    };
    assert_eq!(of(&of_group(1.0)), 0.0, "the same group");
    // Twice as fast, and off by a factor of its own: faster in Φ(ln 2 / (√2 · ln 2 / 1.96)) = Φ(1.386) = 91.7 of 100 cases.
    assert!((of(&of_group(2.0)) - 0.917).abs() < 0.01, "{}", of(&of_group(2.0)));
}

#[test]
fn nothing_unknown_is_said() {
    let baseline = scenario(&[], &[]);
    // The published scenario says of none of its numbers how far it may be off.
    assert_eq!(found(&[&baseline, &baseline]).expect_err("nothing"), PairedError::Nothing);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let baseline = scenario(&[], &[(SPEED, [50.0, 150.0]), (JOIN, [0.05, 0.4])]);
    let other = scenario(&[&format!("{SPEED}=100")], &[(JOIN, [0.05, 0.4])]);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| found(&[&baseline, &other]).expect("samples"))
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(8));
}
