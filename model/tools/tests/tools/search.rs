//! A search finds what trying every candidate by hand finds.

use std::sync::atomic::{AtomicUsize, Ordering};

use crossover_quantity::provenance::Provenance;
use crossover_scenario::{Scenario, read};
use crossover_study::{Watch, number_at, set_number, validate};
use crossover_tools::search::{
    BUDGET, Bound, Choice, Constraint, Domain, Entry, Found, Objective, Searched, Setting, Shared, Why,
};
use crossover_tools::{Range, Search, SearchError, search};
use proptest::prelude::*;

use super::bills::{priced, value};

const PLACEMENT: &str = include_str!("../../../../scenarios/placement-published.ron");
const REGULATION: &str = include_str!("../../../../scenarios/regulation-published.ron");

fn range(scenario: &Scenario, text: &str) -> Range {
    Range::read(scenario.study.subject(), text, 5).expect(text)
}

fn least(key: &str) -> Objective {
    Objective { key: key.to_owned(), is_minimised: true }
}

fn at_most(key: &str, value: f64) -> Constraint {
    Constraint { key: key.to_owned(), side: Bound::AtMost, value }
}

fn wanted(scenario: &Scenario, free: &[&str], constraints: Vec<Constraint>, objectives: Vec<Objective>) -> Search {
    let free = free.iter().map(|text| range(scenario, text)).collect();
    Search { free, choices: Vec::new(), shared: Vec::new(), constraints, objectives, seed: 1, budget: BUDGET }
}

fn found(scenario: &Scenario, wanted: &Search) -> Searched {
    Watch::uncancellable(|watch| search(scenario.study.subject(), wanted, watch))
        .expect("a search")
        .expect("not cancelled")
}

fn refused(scenario: &Scenario, wanted: &Search) -> SearchError {
    Watch::uncancellable(|watch| search(scenario.study.subject(), wanted, watch)).expect_err("not to be searched")
}

/// GPUs that differ in speed and price.
fn gpus() -> Choice {
    let entry = |(name, speed, usd): (&str, f64, f64)| {
        let set = |path: &str, value| Setting {
            path: path.to_owned(),
            value,
            source: Provenance::Preset { entry: name.to_owned(), source: "a test".to_owned() },
        };
        Entry {
            name: name.to_owned(),
            numbers: vec![set("gpu.gpu_parallelism", speed), set("bill.items.GPU.usd", usd)],
        }
    };
    Choice { name: "gpu".to_owned(), entries: [("slow", 20.0, 500.0), ("fast", 300.0, 9000.0)].map(entry).to_vec() }
}

/// Every candidate, set through the path that the command line sets numbers by.
fn by_hand(scenario: &Scenario, machines: &[f64], fan_in: &[f64], limit: f64) -> Option<(f64, f64, f64)> {
    let mut best: Option<(f64, f64, f64)> = None;
    for machines in machines {
        for fan_in in fan_in {
            let set = [format!("cluster.machines={machines}"), format!("cluster.fan_in={fan_in}")];
            let candidate = scenario.with_all(&set).expect("valid values");
            let seconds = value(&candidate, "seconds").expect("a time");
            let cost = value(&candidate, "run_usd").expect("a cost");
            if seconds <= limit && best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, *machines, *fan_in));
            }
        }
    }
    best
}

fn numbers_of(found: &Searched, of: &Found) -> Vec<f64> {
    let value = |(axis, place): (&crossover_tools::search::Axis, &usize)| match &axis.what {
        Domain::Number { values, .. } => values[*place],
        Domain::Choice(_) => f64::NAN,
    };
    found.axes.iter().zip(&of.place).map(value).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_best_is_what_trying_all_by_hand_finds(from in 10.0..200.0_f64, to in 200.0..3000.0_f64, share in 0.0..1.2_f64) {
        let scenario = priced();
        let limit = value(&scenario, "seconds").expect("a time") * share;
        let free = [
            format!("cluster.machines={}..{}:6", from.round(), to.round()),
            "cluster.fan_in=2..20:5".to_owned(),
        ];
        let wanted = wanted(&scenario, &free.each_ref().map(String::as_str), vec![at_most("seconds", limit)], vec![least("run_usd")]);
        let found = found(&scenario, &wanted);
        prop_assert!(found.is_exhaustive());
        let values = |axis: usize| match &found.axes[axis].what {
            Domain::Number { values, .. } => values.clone(),
            Domain::Choice(_) => Vec::new(),
        };
        let expected = by_hand(&scenario, &values(0), &values(1), limit);
        match (expected, found.recommended()) {
            (Some((cost, machines, fan_in)), Some(best)) => {
                prop_assert_eq!(best.values[0], Some(cost));
                prop_assert_eq!(numbers_of(&found, best), vec![machines, fan_in]);
            }
            (None, None) => {
                // The nearest violates the constraint by the least.
                let nearest = found.nearest.as_ref().expect("the nearest");
                prop_assert_eq!(nearest.violated.as_slice(), &[0]);
                let seconds = nearest.values[1].expect("a time");
                for machines in values(0) {
                    for fan_in in values(1) {
                        let set = [format!("cluster.machines={machines}"), format!("cluster.fan_in={fan_in}")];
                        let there = value(&scenario.with_all(&set).expect("allowed"), "seconds").expect("a time");
                        prop_assert!(there >= seconds, "{machines}, {fan_in}: {there} < {seconds}");
                    }
                }
            }
            (expected, best) => prop_assert!(false, "{expected:?}, {best:?}"),
        }
    }
}

#[test]
fn the_pareto_front_of_several_objectives_is_every_non_dominated_candidate() {
    let scenario = priced();
    let free = ["cluster.machines=2..100:15:log", "gpu.gpu_parallelism=5..500:8:log"];
    let mut wanted = wanted(&scenario, &free, vec![], vec![least("seconds"), least("bill_usd")]);
    wanted.choices = vec![Choice { entries: gpus().entries, ..gpus() }];
    // A GPU sets its speed: that cannot be free, too.
    assert!(matches!(refused(&scenario, &wanted), SearchError::Twice { path, .. } if path == "gpu.gpu_parallelism"));
    wanted.free.truncate(1);
    let found = found(&scenario, &wanted);
    let costs = |of: &Found| [of.values[0].expect("a time"), of.values[1].expect("a price")];
    let mut all = Vec::new();
    let Domain::Number { values: machines, .. } = &found.axes[1].what else {
        panic!("machines come after what is chosen")
    };
    for (gpu, (speed, usd)) in [(20.0, 500.0), (300.0, 9000.0)].iter().enumerate() {
        for (place, machines) in machines.iter().enumerate() {
            let set = [
                format!("cluster.machines={machines}"),
                format!("gpu.gpu_parallelism={speed}"),
                format!("bill.items.GPU.usd={usd}"),
            ];
            let candidate = scenario.with_all(&set).expect("valid values");
            let [seconds, price] = ["seconds", "bill_usd"].map(|key| value(&candidate, key).expect(key));
            all.push((vec![gpu, place], [seconds, price]));
        }
    }
    assert_eq!((found.evaluated, found.feasible), (all.len(), all.len()));
    let beats = |a: [f64; 2], b: [f64; 2]| a[0] <= b[0] && a[1] <= b[1] && a != b;
    for (place, of) in &all {
        let is_listed = found.front.iter().any(|front| front.place == *place);
        let is_beaten = all.iter().any(|(_, other)| beats(*other, *of));
        let is_double = found.front.iter().any(|front| front.place != *place && costs(front) == *of);
        assert!(is_listed != is_beaten || is_double, "{place:?}: {of:?}");
    }
    assert!(found.front.len() > 1);
    assert!(
        found.front.windows(2).all(|pair| costs(&pair[0])[0] <= costs(&pair[1])[0]),
        "best by the first objective first"
    );
}

#[test]
fn every_neighbour_of_the_best_loses_for_the_reason_that_is_given() {
    let scenario = priced();
    let limit = value(&scenario, "seconds").expect("a time");
    let mut wanted =
        wanted(&scenario, &["cluster.machines=10..400:40"], vec![at_most("seconds", limit)], vec![least("run_usd")]);
    wanted.choices = vec![gpus()];
    let found = found(&scenario, &wanted);
    let best = found.recommended().expect("one meets the constraint");
    assert!(found.neighbours.len() >= 2, "{:?}", found.neighbours);
    for neighbour in &found.neighbours {
        let mut place = best.place.clone();
        place[neighbour.axis] = neighbour.place;
        let mut study = scenario.study.clone();
        found.apply(study.subject_mut(), &Found { place, ..best.clone() });
        let candidate = Scenario { study, ..scenario.clone() };
        let [cost, seconds] = ["run_usd", "seconds"].map(|key| value(&candidate, key));
        match neighbour.why {
            Why::Violates { constraint: 0, value } => assert!(value == seconds && seconds > Some(limit)),
            Why::Worse { objective: 0, value } => {
                assert!(value == cost && cost > best.values[0] && seconds <= Some(limit));
            }
            Why::Same => assert_eq!(cost, best.values[0]),
            ref other => panic!("{other:?}"),
        }
    }
    // What is taken says where it comes from.
    let mut study = scenario.study.clone();
    found.apply(study.subject_mut(), best);
    let source = study.sources().get("gpu.gpu_parallelism").expect("a source");
    assert_eq!(source.kind(), "catalogue");
    assert_eq!(study.sources().get("cluster.machines"), None);
    validate(study.subject()).expect("a valid study");
}

#[test]
fn a_whole_that_stays_is_divided_among_those_that_there_are() {
    let scenario = priced();
    let input = "operators.join.input_gb";
    let mut wanted = wanted(&scenario, &["cluster.machines=250..2000:8"], vec![], vec![least("seconds")]);
    wanted.shared = vec![Shared { by: "cluster.machines".to_owned(), paths: vec![input.to_owned()] }];
    let found = found(&scenario, &wanted);
    let each = number_at(scenario.study.subject(), input).and_then(|(_, value)| value).expect("an input");
    for of in &found.front {
        let machines = numbers_of(&found, of)[0];
        let set = [format!("cluster.machines={machines}"), format!("{input}={:?}", each * 1000.0 / machines)];
        let candidate = scenario.with_all(&set).expect("valid values");
        assert_eq!(of.values[0], value(&candidate, "seconds"));
    }
    let mut taken = scenario.study.clone();
    found.apply(taken.subject_mut(), found.recommended().expect("one"));
    let now = |path: &str| number_at(taken.subject(), path).and_then(|(_, value)| value).expect(path);
    assert!(
        (now("cluster.machines") * now(input) / (1000.0 * each) - 1.0).abs() < 1e-12,
        "the published cluster has 1000"
    );

    wanted.shared[0].paths = vec!["operators.join.input".to_owned()];
    assert!(matches!(refused(&scenario, &wanted), SearchError::NoSuchNumber { .. }));
}

#[test]
fn where_not_all_can_be_tried_annealing_comes_to_the_same() {
    let scenario = priced();
    let limit = value(&scenario, "seconds").expect("a time");
    let free = ["cluster.machines=10..400:100", "cluster.fan_in=2..41:40", "compression.network_ratio=0.1..0.9:20"];
    let mut wanted = wanted(&scenario, &free, vec![at_most("seconds", 1.2 * limit)], vec![least("run_usd")]);
    let all = found(&scenario, &wanted);
    assert!(all.is_exhaustive() && all.evaluated > 50_000, "{}", all.evaluated);
    wanted.budget = 4_000;
    let some = found(&scenario, &wanted);
    assert!(!some.is_exhaustive() && some.evaluated < 5_000, "{}", some.evaluated);
    let [all, some] =
        [&all, &some].map(|found| found.recommended().expect("one meets the constraint").values[0].expect("a cost"));
    // Trying 7 of 100 at random comes this near with a chance of 7 %.
    assert!(some <= 1.01 * all, "{some} of {all}");
}

#[test]
fn a_search_is_the_same_on_any_number_of_threads_and_with_the_same_seed() {
    let scenario = priced();
    let free = ["cluster.machines=10..400:100", "cluster.fan_in=2..41:40"];
    let mut wanted = wanted(&scenario, &free, vec![], vec![least("run_usd"), least("seconds")]);
    for budget in [BUDGET, 1_000] {
        wanted.budget = budget;
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| found(&scenario, &wanted))
        };
        let one = on(1);
        assert_eq!(one, on(2));
        assert_eq!(one, on(8));
    }
}

#[test]
fn what_cannot_be_searched_is_said() {
    let scenario = priced();
    let free = ["cluster.machines=10..400"];
    let objectives = || vec![least("run_usd")];
    let says = |wanted: &Search, expected: &str| {
        let problem = refused(&scenario, wanted).to_string();
        assert!(problem.contains(expected), "{problem}");
    };
    says(&wanted(&scenario, &[], vec![], objectives()), "no free parameters");
    says(&wanted(&scenario, &free, vec![], vec![]), "no objective");
    says(&wanted(&scenario, &free, vec![], vec![least("run_eur")]), "did you mean “run_usd”?");
    says(&wanted(&scenario, &free, vec![at_most("second", 1.0)], objectives()), "did you mean “seconds”?");
    says(&wanted(&scenario, &free, vec![at_most("seconds", f64::NAN)], objectives()), "finite");
    let empty = Search {
        choices: vec![Choice { name: "gpu".into(), entries: vec![] }],
        ..wanted(&scenario, &free, vec![], objectives())
    };
    says(&empty, "gpu: the list to choose from is empty");
    says(&Search { budget: 0, ..wanted(&scenario, &free, vec![], objectives()) }, "1 … 1000000");
    let twice = wanted(&scenario, &["cluster.machines=10..400", "cluster.machines=1..5"], vec![], objectives());
    says(&twice, "cluster.machines is set twice");
    // A study without prices has no costs.
    let plain = read(PLACEMENT).expect("a shipped scenario");
    let problem = refused(&plain, &wanted(&plain, &free, vec![], objectives())).to_string();
    assert!(problem.contains("no such figure"), "{problem}");
}

#[test]
fn a_free_price_costs_nothing_and_a_deadline_that_nothing_meets_names_the_nearest() {
    let scenario =
        priced().with_all(&["bill.items.machine.usd=0".to_owned(), "bill.items.GPU.usd=0".to_owned()]).expect("free");
    let found = found(
        &scenario,
        &wanted(&scenario, &["cluster.machines=10..400"], vec![at_most("seconds", 1e-9)], vec![least("bill_usd")]),
    );
    assert_eq!((found.feasible, found.front.len(), found.neighbours.len()), (0, 0, 0));
    let nearest = found.nearest.expect("the nearest");
    assert_eq!(nearest.values[0], Some(0.0));
    assert!(nearest.values[1] > Some(1e-9));
}

#[test]
fn a_regulation_study_is_searched_by_the_same_tool() {
    let scenario = read(REGULATION).expect("a shipped scenario");
    let wanted =
        wanted(&scenario, &["controllers.PID.kp=0..3:7", "controllers.PID.ki=0..1:5"], vec![], vec![least("kwh")]);
    let found = found(&scenario, &wanted);
    assert_eq!(found.evaluated, 35);
    let best = found.recommended().expect("one").values[0];
    assert!(best <= found.present.values[0], "the scenario itself may be among them");
}

#[test]
fn a_search_that_nobody_waits_for_any_more_ends() {
    let scenario = priced();
    for budget in [BUDGET, 1_000] {
        let wanted =
            Search { budget, ..wanted(&scenario, &["cluster.machines=1..9000:9000"], vec![], vec![least("run_usd")]) };
        let done = AtomicUsize::new(0);
        let is_cancelled = || done.load(Ordering::Relaxed) >= 3;
        let found = search(scenario.study.subject(), &wanted, Watch { is_cancelled: &is_cancelled, done: &done });
        assert_eq!(found, Ok(None));
    }
}

/// A constraint of 0 has no shares: the nearest is still the one that exceeds it by the least.
#[test]
fn a_constraint_of_zero_has_a_nearest_candidate() {
    let scenario = priced();
    let wanted =
        wanted(&scenario, &["cluster.machines=10..50:5"], vec![at_most("bill_usd", 0.0)], vec![least("seconds")]);
    let found = found(&scenario, &wanted);
    let nearest = found.nearest.as_ref().expect("the nearest");
    assert_eq!((found.feasible, numbers_of(&found, nearest)), (0, vec![10.0]), "ten machines cost the least");
}

#[test]
fn all_figures_at_once_are_no_objective_and_no_constraint() {
    let scenario = priced();
    let free = ["cluster.machines=10..50:5"];
    let of_objectives = wanted(&scenario, &free, vec![], vec![least("*")]);
    let of_constraints = wanted(&scenario, &free, vec![at_most("*", 1.0)], vec![least("seconds")]);
    for wanted in [of_objectives, of_constraints] {
        assert!(matches!(refused(&scenario, &wanted), SearchError::Every));
    }
}

/// Where everything moves, Amdahl's limit is infinite, and that is no value.
#[test]
fn a_candidate_without_a_value_of_the_objective_is_not_recommended() {
    let mut scenario = priced();
    for operator in ["filter", "join"] {
        scenario = scenario.with(&format!("operators.{operator}.pin=Some(Gpu)")).expect("a pin");
    }
    let most = Objective { key: "amdahl_limit".to_owned(), is_minimised: false };
    let found = found(&scenario, &wanted(&scenario, &["cluster.machines=10..50:5"], vec![], vec![most]));
    assert_eq!((found.feasible, found.front.len(), found.of_front), (5, 0, 0));
    assert!(found.recommended().is_none() && found.nearest.is_none() && found.decided.is_none());
}

#[test]
fn how_much_of_the_recommended_is_decided_for_is_known() {
    let mut scenario = priced();
    let free = ["cluster.machines=10..50:5"];
    for (side, expected) in [("Cpu", [0, 2]), ("Gpu", [2, 2])] {
        for operator in ["filter", "join"] {
            scenario = scenario.with(&format!("operators.{operator}.pin=Some({side})")).expect("a pin");
        }
        let found = found(&scenario, &wanted(&scenario, &free, vec![], vec![least("seconds")]));
        assert_eq!(found.decided, Some(expected), "{side}");
    }
}

/// Watts change what an hour costs, but they are no price.
#[test]
fn a_choice_that_changes_the_power_alone_is_not_priced() {
    let mut scenario = priced();
    let bill = scenario.study.subject_mut().bill_mut().as_mut().expect("a bill");
    bill.usd_per_kwh = 0.3;
    let source = || Provenance::Entered;
    let entry = |name: &str, watts: f64| Entry {
        name: name.to_owned(),
        numbers: vec![Setting { path: "bill.items.machine.watts".to_owned(), value: watts, source: source() }],
    };
    let mut wanted = wanted(&scenario, &["cluster.machines=10..50:5"], vec![], vec![least("bill_usd_per_hour")]);
    wanted.choices =
        vec![Choice { name: "node".to_owned(), entries: vec![entry("small", 300.0), entry("large", 900.0)] }];
    let found = found(&scenario, &wanted);
    let unpriced: Vec<&str> = found.unpriced.iter().map(|place| found.axes[*place].name.as_str()).collect();
    assert_eq!(unpriced, ["node"]);
}

/// The front of three objectives is what a comparison of all pairs leaves.
#[test]
fn a_front_of_three_objectives_is_that_of_all_pairs() {
    let scenario = priced();
    let free = [
        "cluster.machines=100..1000:7",
        "gpu.gpu_parallelism=2..128:6",
        "networks.100 Gb InfiniBand.effective_gbit_per_s=10..90:5",
    ];
    let most = |key: &str| Objective { key: key.to_owned(), is_minimised: false };
    let mut sizes = Vec::new();
    for objectives in [
        vec![least("seconds"), most("cpu_seconds"), most("bill_usd")],
        vec![most("gpu_seconds"), least("run_kwh"), most("moved_share")],
        vec![most("bill_usd"), least("seconds")],
    ] {
        let wanted = wanted(&scenario, &free, vec![], objectives.clone());
        let found = found(&scenario, &wanted);
        assert!(found.is_exhaustive());
        // Every candidate by hand.
        let axes: Vec<Vec<f64>> =
            wanted.free.iter().map(|range| range.values(scenario.study.subject(), 99).expect("values")).collect();
        let mut all: Vec<(Vec<usize>, Vec<f64>)> = Vec::new();
        for (a, x) in axes[0].iter().enumerate() {
            for (b, y) in axes[1].iter().enumerate() {
                for (c, z) in axes[2].iter().enumerate() {
                    let mut moved = scenario.clone();
                    for (range, value) in wanted.free.iter().zip([x, y, z]) {
                        assert!(set_number(moved.study.subject_mut(), &range.path, *value));
                    }
                    let cost = |objective: &Objective| {
                        value(&moved, &objective.key).map(|of| if objective.is_minimised { of } else { -of })
                    };
                    all.push((
                        vec![a, b, c],
                        objectives.iter().map(|objective| cost(objective).expect("a value")).collect(),
                    ));
                }
            }
        }
        let is_as_good = |one: &[f64], other: &[f64]| one.iter().zip(other).all(|(one, other)| one <= other);
        let is_beaten = |of: &(Vec<usize>, Vec<f64>)| {
            all.iter().any(|other| is_as_good(&other.1, &of.1) && (other.1 != of.1 || other.0 < of.0))
        };
        let mut expected: Vec<Vec<usize>> = all.iter().filter(|of| !is_beaten(of)).map(|of| of.0.clone()).collect();
        let mut listed: Vec<Vec<usize>> = found.front.iter().map(|front| front.place.clone()).collect();
        sizes.push(listed.len());
        expected.sort();
        listed.sort();
        assert_eq!(listed, expected, "{objectives:?}");
    }
    assert!(sizes.iter().any(|size| *size > 10), "{sizes:?}");
}

#[test]
fn objectives_are_few_and_of_one_figure_each() {
    let scenario = priced();
    let free = ["gpu.gpu_parallelism=2..128:6"];
    let most = Objective { key: "seconds".to_owned(), is_minimised: false };
    let both = wanted(&scenario, &free, vec![], vec![least("seconds"), most]);
    assert_eq!(refused(&scenario, &both).to_string(), "seconds is an objective twice");
    let keys = ["seconds", "bill_usd", "run_kwh", "run_usd"];
    let many = wanted(&scenario, &free, vec![], keys.map(least).to_vec());
    assert!(refused(&scenario, &many).to_string().starts_with("4 objectives are too many"));
}
