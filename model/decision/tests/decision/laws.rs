//! What holds for every decision.

use crossover_decision::{
    Baseline, Candidate, Decision, DecisionOption, Goal, Objective, Payback, PredictedTime, TimeLimit, Verdict, decide,
};
use crossover_quantity::unit::predicted;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{candidate, measured, time};

/// Relative difference of numbers that are equal but for rounding.
const ROUNDING: f64 = 1e-9;

/// A number between powers of ten.
pub(super) fn power(exponents: std::ops::Range<f64>) -> impl Strategy<Value = f64> {
    exponents.prop_map(|exponent| 10.0_f64.powf(exponent))
}

/// A price between powers of ten; also none, and 0.
fn price(exponents: std::ops::Range<f64>) -> impl Strategy<Value = Option<f64>> {
    prop_oneof![1 => Just(None), 1 => Just(Some(0.0)), 12 => power(exponents).prop_map(Some)]
}

/// An option of one of three engines; few are blocked, without a time, or without an error.
pub(super) fn any_candidate(
    seconds: std::ops::Range<f64>,
    deviation: std::ops::Range<f64>,
    usd: std::ops::Range<f64>,
) -> impl Strategy<Value = Candidate> {
    let known = prop_oneof![Just(0.0), power(seconds.clone())];
    (known, power(seconds), deviation, price(usd), 0..3_usize, 0..12_usize).prop_map(
        |(known, median, deviation, usd, engine, state)| {
            let option = candidate("", time(known, median, deviation), usd);
            let option = Candidate { engine: format!("engine-{engine}"), ..option };
            match state {
                0 => Candidate { blocked_by: Some("a reason".to_owned()), ..option },
                1 => Candidate { time: None, deviation_of_ratio: None, ..option },
                2 => Candidate { deviation_of_ratio: None, ..option },
                _ => option,
            }
        },
    )
}

fn any_objective() -> impl Strategy<Value = Objective> {
    let budget = prop_oneof![Just(None), power(-4.0..2.0).prop_map(Some)];
    let effort = prop_oneof![Just(None), power(-3.0..2.0).prop_map(Some)];
    (any::<bool>(), power(-0.5..1.0), budget, effort).prop_map(|(is_cost, time_limit, budget_usd, effort_usd)| {
        Objective {
            goal: if is_cost { Goal::Cost } else { Goal::Time },
            time_limit: TimeLimit::Factor(time_limit),
            budget_usd,
            runs_per_month: Some(30.0),
            runs_range: Some([20.0, 40.0]),
            effort_usd,
        }
    })
}

/// Options with names of their own.
fn named(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let name = |(place, option): (usize, Candidate)| Candidate { title: format!("option {place}"), ..option };
    candidates.into_iter().enumerate().map(name).collect()
}

/// Decisions with usual numbers.
fn any_decision() -> impl Strategy<Value = Decision> {
    let options = vec(any_candidate(-0.5..2.5, 0.05..1.5, -1.5..1.5), 1..7);
    (power(0.0..2.5), price(-1.5..1.5), options, any_objective())
        .prop_map(|(today, usd, options, objective)| decide(measured(today, usd), named(options), objective))
}

/// Decisions with numbers that no cluster has.
fn extreme_decision() -> impl Strategy<Value = Decision> {
    let options = vec(any_candidate(-9.0..9.0, 0.0..4.2, -6.0..6.0), 1..5);
    (power(-9.0..9.0), price(-6.0..6.0), options, any_objective())
        .prop_map(|(today, usd, options, objective)| decide(measured(today, usd), named(options), objective))
}

fn is_judged(option: &DecisionOption) -> bool {
    let Candidate { time, deviation_of_ratio, blocked_by, .. } = &option.candidate;
    time.is_some() && deviation_of_ratio.is_some() && blocked_by.is_none()
}

/// Whether the mean cost of a run is at most the budget; without one, what a run costs today on average.
fn is_within_budget(decision: &Decision, option: &DecisionOption) -> bool {
    let usd = |price: Option<f64>, time: Option<PredictedTime>| Some(price? * time?.mean() / 3600.0);
    let today = &decision.baseline;
    let budget = decision.objective.budget_usd.or_else(|| usd(today.usd_per_hour(), Some(today.time)));
    let cost = usd(option.candidate.usd_per_hour(), option.candidate.time);
    let is_above = cost.zip(budget).is_some_and(|(cost, budget)| cost > budget * (1.0 + ROUNDING));
    decision.objective.goal != Goal::Time || !is_above
}

/// Whether today's run takes longer than the limit, or costs more on average than the budget.
fn is_limit_broken(decision: &Decision) -> bool {
    let Decision { baseline, objective, .. } = decision;
    let cost = baseline.usd_per_hour().map(|usd| usd * baseline.time.mean() / 3600.0);
    match objective.goal {
        Goal::Time => cost.zip(objective.budget_usd).is_some_and(|(cost, budget)| cost > budget),
        _ => objective.time_limit.factor(baseline.time.value()) < 1.0,
    }
}

fn chances(option: &DecisionOption) -> impl Iterator<Item = f64> {
    let DecisionOption { faster, cheaper, better, feasible, against, .. } = option;
    let of_other = against.map(|against| against.faster).into_iter();
    let of_other = of_other.chain(against.and_then(|against| against.cheaper));
    [*faster, *cheaper, *better, *feasible].into_iter().flatten().chain(of_other)
}

/// Every option by its name, but for the place of the one that it is compared with.
fn by_name(decision: &Decision) -> Vec<(String, [Option<f64>; 8], Option<bool>)> {
    let row = |option: &DecisionOption| {
        let against = option.against;
        let numbers = [
            option.faster,
            option.cheaper,
            option.better,
            option.feasible,
            option.saving,
            option.regret,
            against.map(|against| against.faster),
            against.and_then(|against| against.cheaper),
        ];
        (option.candidate.title.clone(), numbers, option.is_efficient)
    };
    let mut rows: Vec<(String, [Option<f64>; 8], Option<bool>)> = decision.options.iter().map(row).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows
}

/// Name of the best option.
fn best_name(decision: &Decision) -> Option<String> {
    decision.best_option().map(|best| best.candidate.title.clone())
}

proptest! {
    #[test]
    fn chances_are_between_0_and_1_and_a_goal_is_no_likelier_than_its_parts(decision in any_decision()) {
        for option in &decision.options {
            prop_assert!(chances(option).all(|chance| (0.0..=1.0).contains(&chance)), "{option:?}");
            if let (Some(better), Some(feasible)) = (option.better, option.feasible) {
                prop_assert!(better <= feasible, "{option:?}");
                // Without a budget in money, or a price, only the time counts; where today's run breaks the limit, only the limit.
                let part = if decision.is_by_time() { option.faster } else { option.cheaper };
                let part = if is_limit_broken(&decision) { Some(feasible) } else { part };
                prop_assert!(part.is_some_and(|part| better <= part), "{option:?}");
            }
        }
    }

    /// The mean gain over the outcomes with a gain is the saving and the regret together.
    #[test]
    fn neither_a_regret_nor_a_gain_is_negative(decision in any_decision()) {
        for option in &decision.options {
            let Some((saving, regret)) = option.saving.zip(option.regret) else { continue };
            let rounding = ROUNDING * (saving.abs() + regret.abs());
            prop_assert!(regret >= -rounding && saving + regret >= -rounding, "{option:?}");
        }
    }

    #[test]
    fn no_other_option_that_is_worth_a_move_or_a_trial_saves_more_than_the_best(decision in any_decision()) {
        let Some(best) = decision.best_option() else { return Ok(()) };
        prop_assert!(is_judged(best) && is_within_budget(&decision, best), "{best:?}");
        let saving = |option: &DecisionOption| option.saving.unwrap_or(f64::NEG_INFINITY);
        for other in decision.options.iter().filter(|option| is_judged(option) && is_within_budget(&decision, option)) {
            let [better, regret] = [other.better, other.regret].map(Option::unwrap_or_default);
            let is_worth_it = if is_limit_broken(&decision) {
                better >= 0.5
            } else {
                Verdict::of(better, saving(other), regret) != Verdict::Stay
            };
            prop_assert!(!is_worth_it || saving(other) <= saving(best), "{other:?} instead of {best:?}");
        }
        if let Some(place) = decision.without_trial() {
            let sure = &decision.options[place];
            prop_assert!(decision.verdict == Verdict::Try && sure.better.is_some_and(|chance| chance >= 0.9), "{sure:?}");
        }
    }

    /// A longer time limit, or a larger budget, keeps every option that was worth a move or a trial. Where today's run breaks both limits,
    /// options may cost more than today; where it breaks one of them, other options are worth it.
    #[test]
    fn a_weaker_limit_never_makes_the_expected_saving_smaller(decision in any_decision(), factor in 1.0..5.0_f64) {
        let Decision { baseline, options, objective, .. } = &decision;
        let weaker = Objective {
            time_limit: objective.time_limit.with_amount(objective.time_limit.amount() * factor),
            budget_usd: objective.budget_usd.map(|usd| usd * factor),
            ..*objective
        };
        let candidates = options.iter().map(|option| option.candidate.clone()).collect();
        let then = decide(baseline.clone(), candidates, weaker);
        let saving = |decision: &Decision| decision.best_option().and_then(|best| best.saving).unwrap_or(0.0);
        let are_broken = [&decision, &then].map(is_limit_broken);
        prop_assume!(are_broken[0] == are_broken[1] && (!are_broken[0] || decision.best.is_some()));
        prop_assert!(saving(&then) >= saving(&decision), "{:?} after {:?}", then.best, decision.best);
    }

    #[test]
    fn a_move_is_sure_and_saves(decision in any_decision()) {
        let best = decision.best_option();
        let is_broken = is_limit_broken(&decision);
        prop_assert_eq!(decision.is_limit_broken_today(), is_broken);
        if let Some(Payback::Months([least, _])) = best.and_then(|best| decision.payback(best)) {
            prop_assert!(is_broken || least <= 36.0, "{best:?}");
        }
        match decision.verdict {
            Verdict::Move => {
                let best = best.expect("an option to move to");
                prop_assert!(best.better.is_some_and(|chance| chance >= 0.9), "{best:?}");
                prop_assert!(is_broken || best.saving.is_some_and(|saving| saving > 0.0), "{best:?}");
            }
            Verdict::Try => {
                let best = best.expect("an option to try");
                prop_assert!(best.better.is_some_and(|chance| chance >= 0.5), "{best:?}");
                prop_assert!(is_broken || best.saving > best.regret, "{best:?}");
            }
            Verdict::Stay => prop_assert!(best.is_none() && decision.options.iter().any(is_judged)),
            Verdict::CannotJudge => prop_assert!(best.is_none() && !decision.options.iter().any(is_judged)),
        }
    }

    #[test]
    fn an_option_is_efficient_unless_another_one_is_faster_and_cheaper(decision in any_decision()) {
        // With the digits with which they are shown.
        let point = |option: &DecisionOption| {
            Some((decision.time_digits().rounded(option.candidate.time?.value()), predicted(option.usd?.value)))
        };
        let is_blocked = |option: &&DecisionOption| option.candidate.blocked_by.is_some();
        let today = decision.today_usd().map(|usd| (decision.baseline.time.value(), usd.value));
        let usable: Vec<&DecisionOption> = decision.options.iter().filter(|option| !is_blocked(option)).collect();
        let points: Vec<(f64, f64)> = usable.iter().copied().filter_map(point).chain(today).collect();
        let unknown: Vec<(f64, f64)> = decision.options.iter().filter(is_blocked).filter_map(point).collect();
        let expected = |(seconds, usd): (f64, f64)| {
            let is_worse = |&(other_seconds, other_usd): &(f64, f64)| {
                other_seconds <= seconds && other_usd <= usd && (other_seconds, other_usd) != (seconds, usd)
            };
            if points.iter().any(is_worse) {
                return Some(false);
            }
            (!unknown.iter().any(is_worse)).then_some(true)
        };
        for option in &decision.options {
            let of_option = point(option).filter(|_| !is_blocked(&option)).and_then(expected);
            prop_assert_eq!(option.is_efficient, of_option, "{:?}", option);
        }
        prop_assert_eq!(decision.is_today_efficient(), today.and_then(expected), "{:?}", decision);
        // Of all points at least one is not dominated by another one that can be judged.
        let is_any = usable.iter().any(|option| point(option).is_some() && option.is_efficient != Some(false));
        prop_assert!(points.is_empty() || is_any || decision.is_today_efficient() != Some(false), "{decision:?}");
    }

    #[test]
    fn the_order_of_the_candidates_does_not_matter(decision in any_decision()) {
        // Of options that cost nothing each is as good as the other.
        let is_free = |option: &DecisionOption| option.candidate.usd_per_hour() == Some(0.0);
        prop_assume!(decision.options.iter().filter(|option| is_free(option)).count() < 2);
        let Decision { baseline, options, objective, .. } = &decision;
        let turned: Vec<Candidate> = options.iter().rev().map(|option| option.candidate.clone()).collect();
        let turned = decide(Baseline::clone(baseline), turned, *objective);
        prop_assert_eq!(turned.verdict, decision.verdict);
        prop_assert_eq!(best_name(&turned), best_name(&decision));
        prop_assert_eq!(by_name(&turned), by_name(&decision));
    }

    #[test]
    fn just_below_and_above_a_named_price_the_recommendations_are_those_that_are_named(decision in any_decision()) {
        for change in decision.prices_of_a_change() {
            prop_assert!((0.1..=10.0 + ROUNDING).contains(&change.factor), "{change:?}");
            let at = |power: f64| decision.with_price(change.of, change.factor.powf(power)).with_near_ties();
            // Nearer to the present price nothing changes; at the named one it does.
            let then = at(1.0);
            prop_assert_eq!(then.best, change.best, "{:?}", change);
            let nearer = 1.0 - 1e-5 / change.factor.ln().abs().max(1e-4);
            let before = at(nearer.max(0.0));
            prop_assert_eq!(then.near_ties.first().map(|tie| tie.other), change.beside, "{:?}", change);
            if decision.near_ties.is_empty() {
                prop_assert!(before.best == decision.best && before.near_ties.is_empty(), "{:?}", change);
                prop_assert!(!change.ends_tie, "{:?}", change);
                if let Some(end) = change.tie_ends {
                    let then = decision.with_price(change.of, end.factor).with_near_ties();
                    prop_assert!(then.best == end.best && then.near_ties.is_empty(), "{:?}", change);
                    prop_assert!(then.best != decision.best && decision.best.is_some(), "{:?}", change);
                    let [near, far] = [change.factor, end.factor].map(f64::ln);
                    prop_assert!(near * far > 0.0 && near.abs() <= far.abs(), "{:?}", change);
                }
            } else {
                prop_assert_eq!(change.tie_ends, None);
                prop_assert!(before.recommended().any(|place| decision.recommends(Some(place))), "{:?}", change);
                prop_assert!(before.recommended().count() > 1, "{:?}", change);
                let is_one_of_now = then.best.is_some() && decision.recommends(then.best);
                prop_assert_eq!(is_one_of_now && then.near_ties.is_empty(), change.ends_tie, "{:?}", change);
            }
        }
    }

    #[test]
    fn extreme_numbers_give_numbers(decision in extreme_decision()) {
        for option in &decision.options {
            prop_assert!(chances(option).all(|chance| (0.0..=1.0).contains(&chance)), "{option:?}");
            let DecisionOption { saving, regret, usd, .. } = option;
            let ends = usd.and_then(|usd| usd.interval).into_iter().flatten();
            let numbers = [*saving, *regret, usd.map(|usd| usd.value)].into_iter().flatten().chain(ends);
            let mut all = numbers.chain(decision.limit_to_move(option));
            prop_assert!(all.all(f64::is_finite), "{option:?}");
        }
        for change in decision.prices_of_a_change() {
            let is_another = change.ends_tie || change.best != decision.best || change.beside.is_some();
            prop_assert!(change.usd_per_hour.is_finite() && is_another, "{change:?}");
        }
        prop_assert!(!decision.sentence().contains("NaN"), "{}", decision.sentence());
    }
}
