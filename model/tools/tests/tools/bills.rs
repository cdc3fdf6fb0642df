//! A bill costs what its formula says.

use crossover_scenario::{Scenario, read};
use crossover_study::bill::{Bill, Item, ItemKind};
use crossover_study::{FigureValue, Watch, answer, number_at, sources, validate};
use crossover_tools::{Range, Sweep};

const PLACEMENT: &str = include_str!("../../../../scenarios/placement-published.ron");

/// The published cluster with prices: machines at 8,000 USD and 300 W, a GPU in each at 2,000 USD and 250 W.
pub(super) fn priced() -> Scenario {
    let mut scenario = read(PLACEMENT).expect("a shipped scenario");
    let study = scenario.study.subject_mut();
    let mut bill = Bill::begun(study.figures());
    let item = |name: &str, kind, usd, watts| Item {
        kind,
        per: vec!["cluster.machines".to_owned()],
        usd,
        watts,
        ..Item::named(name)
    };
    bill.items = vec![item("machine", ItemKind::Node, 8000.0, 300.0), item("GPU", ItemKind::Gpu, 2000.0, 250.0)];
    "May 2026".clone_into(&mut bill.as_of);
    *study.bill_mut() = Some(Box::new(bill));
    validate(study).expect("a valid study");
    scenario
}

fn figures(scenario: &Scenario) -> Vec<FigureValue> {
    Watch::uncancellable(|watch| answer(scenario.study.subject(), watch)).expect("not cancelled")
}

pub(super) fn value(scenario: &Scenario, key: &str) -> Option<f64> {
    figures(scenario).iter().find(|one| one.key() == key).unwrap_or_else(|| panic!("{key}")).value
}

#[test]
fn a_bill_costs_what_its_formula_says() {
    let scenario = priced();
    let machines =
        number_at(scenario.study.subject(), "cluster.machines").and_then(|(_, value)| value).expect("machines");
    // 4 years at half of the time, 0.15 USD/kWh, PUE 1.4: what a bill begins with.
    let per_hour = machines * 10_000.0 / (4.0 * 8766.0 * 0.5) + machines * 0.55 * 1.4 * 0.15;
    let seconds = value(&scenario, "seconds").expect("a time");
    let close = |key: &str, expected: f64| {
        let found = value(&scenario, key).expect(key);
        assert!((found / expected - 1.0).abs() < 1e-12, "{key}: {found}, {expected}");
    };
    close("bill_usd", machines * 10_000.0);
    close("bill_usd_per_hour", per_hour);
    close("bill_watts", machines * 550.0 * 1.4);
    close("run_usd", per_hour * seconds / 3600.0);
    close("run_kwh", machines * 0.55 * 1.4 * seconds / 3600.0);
}

#[test]
fn the_power_of_rented_pieces_without_watts_is_unknown_only_where_one_is_there() {
    let mut scenario = priced();
    let items = &mut scenario.study.subject_mut().bill_mut().as_deref_mut().expect("a bill").items;
    items[1] = Item { usd_per_hour: 2.5, watts: 0.0, ..items[1].clone() };
    assert_eq!(["bill_watts", "run_kwh"].map(|key| value(&scenario, key)), [None, None]);

    // None of them is rented: the machines alone draw power, at a PUE of 1.4.
    let without = scenario.with_all(&["bill.items.GPU.quantity=0".to_owned()]).expect("a valid value");
    let machines =
        number_at(without.study.subject(), "cluster.machines").and_then(|(_, value)| value).expect("machines");
    let watts = value(&without, "bill_watts").expect("a power");
    assert!((watts / (machines * 300.0 * 1.4) - 1.0).abs() < 1e-12, "{watts}");
}

#[test]
fn what_a_bill_hangs_on_is_checked_and_follows_a_new_name() {
    let with = |edit: fn(&mut Bill)| {
        let mut scenario = priced();
        edit(scenario.study.subject_mut().bill_mut().as_deref_mut().expect("a bill"));
        validate(scenario.study.subject()).expect_err("a wrong bill").problem
    };
    let wrong = with(|bill| bill.items[0].per = vec!["cluster.machine".to_owned()]);
    assert!(wrong.contains("did you mean “cluster.machines”?"), "{wrong}");
    let wrong = with(|bill| bill.items[0].per = vec!["bill.years".to_owned()]);
    assert!(wrong.contains("a number of the bill"), "{wrong}");
    let wrong = with(|bill| bill.run = "speedup".to_owned());
    assert!(wrong.contains("is not a time figure of the study"), "{wrong}");
    let wrong = with(|bill| bill.items[0].usd = -1.0);
    assert!(wrong.contains("out of range"), "{wrong}");

    let mut scenario = priced();
    let study = scenario.study.subject_mut();
    study.bill_mut().as_deref_mut().expect("a bill").items[0].per = vec!["operators.join.input_gb".to_owned()];
    let place = sources_of_join(study);
    assert!(sources::rename(study, "operators", place, "merge"));
    let bill = study.bill().expect("a bill");
    assert_eq!(bill.items[0].per, ["operators.merge.input_gb"]);
    validate(study).expect("still valid");
}

fn sources_of_join(study: &dyn crossover_study::Subject) -> usize {
    crossover_study::names_of(study, "operators").iter().position(|name| *name == "join").expect("a join")
}

/// A path may name an entry of a list by its place; it is the same number.
#[test]
fn a_bill_that_means_an_entry_by_its_place_moves_with_it() {
    let mut scenario = priced();
    let bill = scenario.study.subject_mut().bill_mut();
    bill.as_deref_mut().expect("a bill").items[0].per = vec!["operators.1.input_gb".to_owned()];
    let x = Range::read(scenario.study.subject(), "operators.1.input_gb=1..4", 4).expect("a range");
    assert_eq!(x.path, "operators.join.input_gb");
    let sweep = Sweep { x, figures: vec!["bill_usd".to_owned()] };
    let swept = Watch::uncancellable(|watch| crossover_tools::sweep(scenario.study.subject(), &sweep, watch));
    let swept = swept.expect("a sweep").expect("not cancelled");
    // A machine at 8,000 USD for each GB, and 1,000 GPUs at 2,000 USD.
    let expected = [1.0, 2.0, 3.0, 4.0].map(|gb| Some(8_000.0 * gb + 2e6));
    assert_eq!(swept.curves[0].values, expected);
}
