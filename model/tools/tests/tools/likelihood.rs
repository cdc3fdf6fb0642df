//! Likelihoods of a search agree with the normal distribution, and with the distributions of figures.

use crossover_quantity::provenance::Provenance;
use crossover_quantity::spread::{Distribution, Spread};
use crossover_scenario::{Scenario, read};
use crossover_study::bill::{Bill, Item, ItemKind};
use crossover_study::{Watch, number_at};
use crossover_tools::search::Domain;
use crossover_tools::search::likelihood::{LikelihoodError, Likelihoods, SAMPLES};
use crossover_tools::search::{BUDGET, Bound, Choice, Constraint, Entry, Objective, Setting, Shared, likelihoods};
use crossover_tools::{Range, Sampling, Search, Searched, search, uncertainty};
use statrs::distribution::{ContinuousCDF as _, Normal};

const PLACEMENT: &str = include_str!("../../../../scenarios/placement-published.ron");

/// The published cluster; each machine costs 10,000 USD, with a standard deviation of 800.
fn priced() -> Scenario {
    let mut scenario = read(PLACEMENT).expect("a shipped scenario");
    let study = scenario.study.subject_mut();
    let mut bill = Bill::begun(study.figures());
    let per = vec!["cluster.machines".to_owned()];
    bill.items = vec![Item { kind: ItemKind::Node, per, usd: 10_000.0, ..Item::named("machine") }];
    *study.bill_mut() = Some(Box::new(bill));
    spread(&mut scenario, "bill.items.machine.usd", Distribution::Normal { standard_deviation: 800.0 });
    scenario
}

fn spread(scenario: &mut Scenario, path: &str, distribution: Distribution) {
    scenario.study.subject_mut().spreads_mut().insert(path.to_owned(), Spread::alone(distribution));
}

/// As many machines as 105,000 USD buy.
fn most_machines(scenario: &Scenario) -> Search {
    Search {
        free: vec![Range::read(scenario.study.subject(), "cluster.machines=6..12:7", 5).expect("a range")],
        choices: Vec::new(),
        shared: Vec::new(),
        constraints: vec![Constraint { key: "bill_usd".to_owned(), side: Bound::AtMost, value: 105_000.0 }],
        objectives: vec![Objective { key: "bill_usd".to_owned(), is_minimised: false }],
        seed: 1,
        budget: BUDGET,
    }
}

fn found(scenario: &Scenario, wanted: &Search) -> Searched {
    Watch::uncancellable(|watch| search(scenario.study.subject(), wanted, watch))
        .expect("a search")
        .expect("not cancelled")
}

fn drawn(
    scenario: &Scenario,
    wanted: &Search,
    found: &Searched,
    share: Option<f64>,
) -> Result<Likelihoods, LikelihoodError> {
    let sampling = Sampling { samples: SAMPLES, ..Sampling::default() };
    let likelihoods =
        Watch::uncancellable(|watch| likelihoods(scenario.study.subject(), wanted, found, &sampling, share, watch));
    Ok(likelihoods?.expect("not cancelled"))
}

/// In which share of all cases a price with this mean and deviation is at most so much.
fn at_most(price: f64) -> f64 {
    Normal::new(10_000.0, 800.0).expect("a distribution").cdf(price)
}

#[test]
fn the_likelihood_of_a_constraint_is_that_of_the_normal_distribution() {
    let mut scenario = priced();
    // Machines are decided for: that they were not known exactly counts no more.
    spread(&mut scenario, "cluster.machines", Distribution::Uniform { low: 6.0, high: 12.0 });
    let wanted = most_machines(&scenario);
    let found = found(&scenario, &wanted);
    let likelihoods = drawn(&scenario, &wanted, &found, Some(0.9)).expect("a price is not known");
    let close = |value: f64, expected: f64| assert!((value - expected).abs() < 3e-3, "{value}, {expected}");

    assert_eq!((found.recommended().expect("one").place.as_slice(), likelihoods.unknown), (&[4][..], 1));
    close(likelihoods.listed[0].feasible.value, at_most(105_000.0 / 10.0));
    let [low, high] = likelihoods.listed[0].ranges[0].expect("a range");
    close(low / (10.0 * (10_000.0 - 1.644_854 * 800.0)), 1.0);
    close(high / (10.0 * (10_000.0 + 1.644_854 * 800.0)), 1.0);
    // The published cluster has more machines than 105,000 USD buy at any price that is likely.
    assert!(number_at(scenario.study.subject(), "cluster.machines").and_then(|(_, value)| value) >= Some(50.0));
    close(likelihoods.present.feasible.value, 0.0);

    // Nine meet the constraint wherever ten are, and are fewer; eleven are more wherever they are.
    let (nine, ten, eleven) = (at_most(105_000.0 / 9.0), at_most(105_000.0 / 10.0), at_most(105_000.0 / 11.0));
    let neighbours: Vec<f64> = likelihoods.neighbours.iter().map(|share| share.expect("allowed").value).collect();
    close(neighbours[0], ten / nine);
    close(neighbours[1], 1.0 - eleven / ten);

    let (likely, likelihood) = likelihoods.likely_feasible.expect("asked for").found.expect("nine machines");
    assert_eq!(likely.place, [3]);
    close(likelihood.feasible.value, nine);
}

#[test]
fn where_nothing_is_sure_enough_the_surest_is_said() {
    let mut scenario = priced();
    spread(&mut scenario, "bill.items.machine.usd", Distribution::Normal { standard_deviation: 9_000.0 });
    let wanted = most_machines(&scenario);
    let found = found(&scenario, &wanted);
    let likely = drawn(&scenario, &wanted, &found, Some(0.999))
        .expect("a price is not known")
        .likely_feasible
        .expect("asked for");
    assert!(likely.found.is_none());
    assert_eq!((likely.sampled, likely.feasible), (5, 5), "six to ten meet the constraint as the price stands");
    assert_eq!(likely.likeliest.expect("one").0.place, [0], "six cost the least");
}

#[test]
fn an_entry_brings_how_far_its_own_numbers_are_off() {
    let mut scenario = priced();
    let set = |usd: f64, interval| Setting {
        path: "bill.items.machine.usd".to_owned(),
        value: usd,
        source: Provenance::Measured { device: "offers".to_owned(), date: "2026-05-01".to_owned(), interval },
    };
    let sure_one = Entry { name: "fixed".to_owned(), numbers: vec![set(10_400.0, (10_399.0, 10_401.0))] };
    let unsure = Entry { name: "open".to_owned(), numbers: vec![set(10_450.0, (9_450.0, 11_450.0))] };
    scenario = scenario.with_all(&["cluster.machines=10".to_owned()]).expect("valid");
    spread(&mut scenario, "bill.items.machine.usd", Distribution::Uniform { low: 1.0, high: 1e6 });
    let choices = vec![Choice { name: "offer".to_owned(), entries: vec![sure_one, unsure] }];
    let wanted = Search { free: Vec::new(), choices, ..most_machines(&scenario) };
    let found = found(&scenario, &wanted);
    let Domain::Choice(entries) = &found.axes[0].what else { panic!("a choice") };
    assert_eq!(entries[found.recommended().expect("one").place[0]].name, "open");
    let likelihoods = drawn(&scenario, &wanted, &found, Some(0.9)).expect("prices are not known");
    // 95 of 100 prices are within 1,000 of 10,450.
    let open = Normal::new(10_450.0, 1_000.0 / 1.959_964).expect("a distribution").cdf(10_500.0);
    assert!((likelihoods.listed[0].feasible.value - open).abs() < 3e-3, "{:?}", likelihoods.listed[0].feasible);
    // As it is, the price is what the scenario says of it: of 1 … 1,000,000 USD one in 95 is low enough.
    assert!(
        (likelihoods.present.feasible.value - 10_499.0 / 999_999.0).abs() < 3e-3,
        "{:?}",
        likelihoods.present.feasible
    );
    let (likely, likelihood) = likelihoods.likely_feasible.expect("asked for").found.expect("a fixed price");
    assert_eq!((likely.place.as_slice(), likelihood.feasible.value), (&[0][..], 1.0));
}

#[test]
fn what_is_divided_is_off_by_the_same_share_as_the_whole() {
    let mut scenario = priced();
    spread(&mut scenario, "operators.join.input_gb", Distribution::Uniform { low: 0.5, high: 1.5 });
    scenario.study.subject_mut().spreads_mut().remove("bill.items.machine.usd");
    let scenario = scenario.with_all(&["operators.join.input_gb=1".to_owned()]).expect("valid");
    let paths = vec!["operators.join.input_gb".to_owned()];
    let key = || "operators.join.cpu_seconds".to_owned();
    let wanted = Search {
        free: vec![Range::read(scenario.study.subject(), "cluster.machines=200..201:2", 5).expect("a range")],
        shared: vec![Shared { by: "cluster.machines".to_owned(), paths }],
        constraints: Vec::new(),
        objectives: vec![Objective { key: key(), is_minimised: true }],
        ..most_machines(&scenario)
    };
    let found = found(&scenario, &wanted);
    let likelihoods = drawn(&scenario, &wanted, &found, None).expect("sizes are not known");
    let figure = found.figures.iter().position(|figure| figure.key == key()).expect("the objective");

    // By hand: as many machines, each with its part, which is off by half of itself.
    let machines = number_at(scenario.study.subject(), "cluster.machines").and_then(|(_, value)| value).expect("some");
    let each = machines / 200.0;
    let set = ["cluster.machines=200".to_owned(), format!("operators.join.input_gb={each} GB")];
    let mut by_hand = scenario.with_all(&set).expect("valid");
    spread(&mut by_hand, "operators.join.input_gb", Distribution::Uniform { low: 0.5 * each, high: 1.5 * each });
    let sampling = Sampling { figures: vec![key()], ..Sampling::default() };
    let by_itself = Watch::uncancellable(|watch| uncertainty(by_hand.study.subject(), &sampling, watch))
        .expect("unknown")
        .expect("all");
    let [low, high] = likelihoods.listed[0].ranges[figure].expect("a range");
    for (found, expected) in [(low, 0), (high, 2)] {
        let expected = expected_quantile(&by_itself, expected);
        // Of 4,096 samples, and of 16,384.
        assert!((found / expected - 1.0).abs() < 5e-3, "{found}, {expected}");
    }
}

fn expected_quantile(of: &crossover_tools::Uncertain, place: usize) -> f64 {
    of.figures[0].quantiles[place].value
}

#[test]
fn where_all_is_known_that_is_said() {
    let mut scenario = priced();
    scenario.study.subject_mut().spreads_mut().clear();
    let wanted = most_machines(&scenario);
    let found = found(&scenario, &wanted);
    let problem = drawn(&scenario, &wanted, &found, None).expect_err("nothing is unknown");
    assert!(problem.to_string().contains("no number of this study is uncertain"), "{problem}");
    // All numbers may be off by a fifth, but not the one that is searched.
    let sampling = Sampling { samples: SAMPLES, spread_all: Some(0.2), ..Sampling::default() };
    let likelihoods =
        Watch::uncancellable(|watch| likelihoods(scenario.study.subject(), &wanted, &found, &sampling, None, watch));
    let likelihoods = likelihoods.expect("a guess").expect("not cancelled");
    let [low, high] = likelihoods.listed[0].ranges[0].expect("a range");
    // The price of a machine and how many there are of each are off by up to a fifth: 5 and 95 % of the product of two uniform
    // distributions, whose share below z is (z ln(z / 0.64) − z + 0.64) / 0.16 near the least, and alike near the most.
    let expected = [0.743_826, 1.290_901].map(|share| share * 10.0 * 10_000.0);
    assert!((low / expected[0] - 1.0).abs() < 3e-3 && (high / expected[1] - 1.0).abs() < 3e-3, "{low} {high}");
}

/// A free parameter has one value in each candidate. If only the machines are uncertain and they are free, all samples are equal.
#[test]
fn uncertain_numbers_that_are_all_free_are_named() {
    let mut scenario = priced();
    scenario.study.subject_mut().spreads_mut().clear();
    let machines = number_at(scenario.study.subject(), "cluster.machines").and_then(|(_, value)| value).expect("some");
    spread(&mut scenario, "cluster.machines", Distribution::Uniform { low: 0.9 * machines, high: 1.1 * machines });
    let wanted = most_machines(&scenario);
    let found = found(&scenario, &wanted);
    let problem = drawn(&scenario, &wanted, &found, None).expect_err("only the free parameter is uncertain");
    assert_eq!(problem, LikelihoodError::OnlyFree(vec!["machines (cluster)".to_owned()]));
    let text = problem.to_string();
    assert!(text.contains("in each candidate: machines (cluster);"), "{text}");
    assert!(!text.contains("no number of this study"), "{text}");
}

#[test]
fn it_is_the_same_on_any_number_of_threads() {
    let scenario = priced();
    let wanted = most_machines(&scenario);
    let found = found(&scenario, &wanted);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| drawn(&scenario, &wanted, &found, Some(0.9)).expect("a price is not known"))
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(8));
}
