//! What a decision depends on most.

use crossover_decision::dependence::{NumberUnit, SavingUnit, Swing};
use crossover_decision::{
    Baseline, Candidate, Decision, Dependence, Objective, PredictedTime, Price, PriceBasis, decide,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::laws::{any_candidate, power};
use super::{assert_near, candidate, cost_within, least_time, measured, time};

/// A tenth of a cent for a second.
const USD_PER_HOUR: f64 = 3.6;

/// Mean of a time of 10 s that is within a factor of 2 in 90 % of the runs: 10 s·e^(s²/2) with s = ln 2 ÷ 1.644854 = 0.421404, the
/// quantile of 95 % from NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.1.
const MEAN: f64 = 10.928_52;

/// Takes 10 s, within a factor of 2 in 90 % of the runs.
fn option(title: &str) -> Candidate {
    candidate(title, PredictedTime::within(10.0, 2.0), Some(USD_PER_HOUR))
}

/// 20 s at a tenth of a cent for a second.
fn today() -> Baseline {
    measured(20.0, Some(USD_PER_HOUR))
}

fn based(basis: PriceBasis, usd_per_hour: f64) -> Price {
    Price { basis, ..Price::entered(usd_per_hour) }
}

fn depends(decision: &Decision) -> Dependence {
    decision.depends_on().expect("an option that can be judged")
}

fn swing<'a>(found: &'a Dependence, number: &str) -> &'a Swing {
    let swing = found.swings.iter().find(|swing| swing.number == number);
    swing.unwrap_or_else(|| panic!("no {number} in {found:?}"))
}

#[test]
fn the_error_of_a_time_moves_the_saving_by_its_interval() {
    let found = depends(&decide(today(), vec![option("option")], cost_within(1.0)));
    assert_eq!((found.option, found.other, found.unit, found.swings.len()), (0, None, SavingUnit::UsdPerRun, 1));
    // On average 20 s − 10.93 s; 20 s − 5 s; 20 s − 20 s.
    assert_near(found.saving, (20.0 - MEAN) / 1000.0, 1e-7);
    let error = swing(&found, "time of option");
    assert_eq!(error.unit, NumberUnit::Seconds);
    assert_near(error.value, 10.0, 1e-12);
    for (found, expected) in [(error.range, [5.0, 20.0]), (error.saving, [0.015, 0.0])] {
        assert_near(found[0], expected[0], 1e-9);
        assert_near(found[1], expected[1], 1e-9);
    }
}

#[test]
fn a_number_without_a_range_moves_nothing() {
    let exact = candidate("option", time(0.0, 10.0, 0.0), Some(USD_PER_HOUR));
    let objective = Objective { runs_per_month: Some(100.0), ..cost_within(1.0) };
    let found = depends(&decide(today(), vec![exact], objective));
    assert_near(found.saving, 1.0, 1e-12);
    assert_eq!((found.unit, found.swings), (SavingUnit::UsdPerMonth, Vec::new()));
}

#[test]
fn prices_and_runs_move_the_saving_by_their_ranges() {
    let listed = Candidate { price: Some(based(PriceBasis::OnDemand, 7.2)), ..option("option") };
    let objective = Objective { runs_per_month: Some(1000.0), runs_range: Some([500.0, 3000.0]), ..cost_within(1.0) };
    let exact = Candidate { time: Some(time(0.0, 4.0, 0.0)), deviation_of_ratio: Some(0.0), ..listed };
    let found = depends(&decide(today(), vec![exact], objective));
    // 20 s at 0.1 cent − 4 s at 0.2 cents, a thousand times.
    assert_near(found.saving, 12.0, 1e-9);
    let runs = swing(&found, "runs per month");
    assert_eq!((runs.unit, runs.range), (NumberUnit::RunsPerMonth, [500.0, 3000.0]));
    assert_near(runs.saving[0], 6.0, 1e-9);
    assert_near(runs.saving[1], 36.0, 1e-9);
    // A commitment costs 72 % less.
    let price = swing(&found, "price of option");
    assert_near(price.saving[0], 20.0 - 8.0 * 0.28, 1e-9);
    assert_near(price.saving[1], 12.0, 1e-9);
    assert_eq!(found.swings[0].number, "runs per month", "the largest swing comes first");
}

/// What runs on the machines of today has their price, and both are varied together.
#[test]
fn a_price_that_both_pay_is_one_number() {
    let assumed = Baseline { price: Some(based(PriceBasis::Assumed, USD_PER_HOUR)), ..today() };
    let same = Candidate { is_on_same_machines: true, price: assumed.price.clone(), ..option("option") };
    let found = depends(&decide(assumed, vec![same], cost_within(1.0)));
    let price = swing(&found, "price of today’s machines");
    assert_near(price.saving[0], 0.5 * (20.0 - MEAN) / 1000.0, 1e-7);
    assert_near(price.saving[1], 2.0 * (20.0 - MEAN) / 1000.0, 1e-7);
}

#[test]
fn options_of_one_engine_share_its_error() {
    let [small, large] = [("small", 12.0), ("large", 10.0)].map(|(title, seconds)| {
        let time = PredictedTime::within(seconds, 2.0);
        Candidate { engine: "one".to_owned(), ..candidate(title, time, Some(USD_PER_HOUR)) }
    });
    let found = depends(&decide(measured(100.0, Some(USD_PER_HOUR)), vec![small, large], cost_within(1.0)));
    assert_eq!((found.option, found.other), (1, Some(0)));
    let error = swing(&found, "time of large");
    // 2 s at half and at twice all times.
    assert_near(error.saving[0], 0.001, 1e-12);
    assert_near(error.saving[1], 0.004, 1e-12);
}

#[test]
fn the_least_time_depends_on_no_price() {
    let listed = Candidate { price: Some(based(PriceBasis::OnDemand, USD_PER_HOUR)), ..option("option") };
    let found = depends(&decide(today(), vec![listed], least_time(Some(1.0))));
    assert_eq!(found.unit, SavingUnit::SecondsPerRun);
    let numbers: Vec<&str> = found.swings.iter().map(|swing| swing.number.as_str()).collect();
    assert_eq!(numbers, ["time of option"]);
    assert_near(found.saving, 20.0 - MEAN, 1e-4);
}

#[test]
fn if_today_is_to_stay_the_likeliest_option_is_compared_with_it() {
    let slow = |title: &str, seconds: f64| candidate(title, PredictedTime::within(seconds, 1.5), Some(USD_PER_HOUR));
    let found = depends(&decide(today(), vec![slow("slower", 40.0), slow("slow", 30.0)], cost_within(1.0)));
    assert_eq!((found.option, found.other), (1, None));
    // Within a factor of 1.5, s is 0.246505, and the mean of 30 s is 30.9255 s.
    assert_near(found.saving, (20.0 - 30.9255) / 1000.0, 1e-6);
    assert_eq!(decide(today(), Vec::new(), cost_within(1.0)).depends_on(), None);
}

proptest! {
    /// The difference to today's engine is the expected saving, that of a month with the runs of a month, whatever the errors of both times.
    #[test]
    fn the_difference_to_today_is_the_expected_saving(
        options in vec(any_candidate(-0.5..2.5, 0.05..1.5, -1.5..1.5), 1..4),
        (today, spread) in (power(0.0..2.5), 0.0..1.0_f64),
        usd in power(-1.5..1.5),
        runs in prop_oneof![Just(None), power(0.0..4.0).prop_map(Some)],
    ) {
        let baseline = Baseline { time: time(0.0, today, spread), is_measured: false, ..measured(today, Some(usd)) };
        let decided = decide(baseline, options, Objective { runs_per_month: runs, ..cost_within(1.0) });
        let Some(found) = decided.depends_on().filter(|found| found.other.is_none()) else { return Ok(()) };
        let runs = if found.unit == SavingUnit::UsdPerMonth { runs.expect("runs of a month") } else { 1.0 };
        let saving = decided.options[found.option].saving.expect("an option that can be judged") * runs;
        prop_assert!((found.saving - saving).abs() <= 1e-9 * (saving.abs() + usd), "{saving}: {found:?}");
    }

    /// The numbers at the end of a range, decided anew, have the saving that the end has.
    #[test]
    fn a_saving_at_the_end_of_a_price_is_that_of_a_decision_with_this_price(
        options in vec(any_candidate(-0.5..2.5, 0.05..1.5, -1.5..1.5), 1..5),
        today in power(0.0..2.5),
        usd in power(-1.5..1.5),
    ) {
        let name = |(place, option): (usize, Candidate)| {
            let price = option.price.map(|price| Price { basis: PriceBasis::Spot, ..price });
            Candidate { title: format!("option {place}"), price, ..option }
        };
        let options: Vec<Candidate> = options.into_iter().enumerate().map(name).collect();
        let decided = decide(measured(today, Some(usd)), options.clone(), cost_within(1.0));
        let Some(found) = decided.depends_on() else { return Ok(()) };
        for swing in &found.swings {
            prop_assert!(swing.range[0] <= swing.value && swing.value <= swing.range[1], "{swing:?}");
            // An error that two options share moves both, so their difference may be largest between the ends.
            if swing.unit == NumberUnit::UsdPerHour {
                let [low, high] = [swing.saving[0].min(swing.saving[1]), swing.saving[0].max(swing.saving[1])];
                prop_assert!(low <= found.saving && found.saving <= high, "{swing:?}");
            }
        }
        let number = format!("price of option {}", found.option);
        let Some(price) = found.swings.iter().find(|swing| swing.number == number) else { return Ok(()) };
        for (usd_of_end, saving) in price.range.into_iter().zip(price.saving) {
            let mut changed = options.clone();
            changed[found.option].price = Some(Price::entered(usd_of_end));
            let Some(then) = decide(measured(today, Some(usd)), changed, cost_within(1.0)).depends_on() else { continue };
            // One engine has one price, so both change there.
            let is_only_price = found.other.is_none_or(|other| options[other].engine != options[found.option].engine);
            if is_only_price && (then.option, then.other) == (found.option, found.other) {
                prop_assert!((then.saving - saving).abs() <= 1e-9 * (then.saving.abs() + usd), "{then:?}: {price:?}");
            }
        }
    }
}
