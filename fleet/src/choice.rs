//! The option of an application: what its decision recommends, and the same at another price of today's machines, for another goal or with
//! an effort of the move.

use crossover_decision::{Baseline, Candidate, Decision, Objective, PredictedTime, Price};
use crossover_placement::EnteredInputs;

use crate::application::{Application, Parts, Query, Range, Recommended, Summary, Tie, TiedOption, Verdict};
use crate::blocker::Blocker;
use crate::effort::Recurrence;
use crate::frequency::Frequency;
use crate::outcomes::Outcomes;
use crate::overview::times;
use crate::selection::select;

/// Seconds of an hour.
const HOUR: f64 = 3600.0;

/// The blocker of a query or an application with this verdict and predicted time.
fn why_not(verdict: Verdict, likelihood: Option<f64>, lacks_only_price: bool, parts: &Parts) -> Option<Blocker> {
    match verdict {
        Verdict::Move => None,
        Verdict::CannotJudge if lacks_only_price => Some(Blocker::NoPrice),
        _ if likelihood.is_none() => Some(Blocker::NoErrorFactor),
        Verdict::Stay => Some(parts.blocker().unwrap_or(Blocker::NoSaving)),
        _ => Some(parts.blocker().unwrap_or(Blocker::WithinError)),
    }
}

/// Whether some of these candidates cannot be judged only because their machines have no price.
fn lacks_only_price<'a>(today: &Baseline, candidates: impl IntoIterator<Item = &'a Candidate>) -> bool {
    candidates.into_iter().any(|candidate| candidate.lacks_only_price(today))
}

/// The blocker of an application with its verdict and predicted time.
pub(crate) fn why_not_of(summary: &Summary) -> Option<Blocker> {
    let lacks_only_price = summary.baseline.as_ref().is_some_and(|today| lacks_only_price(today, &summary.candidates));
    why_not(summary.verdict, summary.likelihood, lacks_only_price, &summary.parts)
}

/// Takes the verdict on a query from its decision, with the recommended option and the blocker.
pub(crate) fn record(query: &mut Query, decision: &Decision) {
    let likelihood = decision.shown().and_then(|option| option.better);
    query.verdict = decision.verdict;
    query.recommended = decision.best_option().and_then(|option| {
        Some(Recommended {
            option: decision.recommended_title(" or ")?,
            seconds: option.candidate.time?.value(),
            usd: option.usd.map(|usd| usd.value),
            expected_saving_usd: option.saving.filter(|_| !decision.is_by_time()),
            expected_saving_seconds: option.saving.filter(|_| decision.is_by_time()),
            likelihood: option.better?,
        })
    });
    let parts = query.predicted.as_ref().map(|predicted| predicted.parts).unwrap_or_default();
    query.blocked_by = if query.is_outside() && query.verdict != Verdict::Move {
        Some(Blocker::OutsideMeasured)
    } else if decision.is_kept_by_effort() {
        Some(Blocker::Effort)
    } else {
        let candidates = decision.options.iter().map(|option| &option.candidate);
        why_not(query.verdict, likelihood, lacks_only_price(&decision.baseline, candidates), &parts)
    };
}

/// Takes the verdict from the decision by this objective, and the numbers of the option that the decision about one log shows
/// ([`Decision::shown_place`]); if that shows none, those of the GPU cluster of the base. Of several recommended options all are named;
/// the numbers are those of the first. Whether only the effort of the move keeps it is returned.
pub(crate) fn choose(summary: &mut Summary, objective: Objective) -> bool {
    let Some(decision) = summary.judged(objective) else {
        summary.verdict = Verdict::CannotJudge;
        return false;
    };
    take(summary, &decision);
    decision.is_kept_by_effort()
}

/// Takes the verdict and the option of a decision.
fn take(summary: &mut Summary, decision: &Decision) {
    summary.verdict = decision.verdict;
    summary.tie = tie(decision);
    summary.today_usd = decision.today_usd().map(|usd| usd.value);
    summary.option_place = decision.shown_place().or(summary.base_place);
    let Some((place, option)) = summary.option_place.and_then(|place| Some((place, decision.options.get(place)?)))
    else {
        return;
    };
    let [title, short] = titles(decision, &option.candidate);
    (summary.option, summary.short_option) = (title, short);
    summary.option_engine.clone_from(&option.candidate.engine);
    (summary.faster, summary.cheaper, summary.likelihood) = (option.faster, option.cheaper, option.better);
    summary.option_usd = option.usd.map(|usd| usd.value);
    // Where time decides, the saving is in seconds; what the option saves in dollars is the difference of the mean costs.
    let in_dollars = || {
        let (today, then) = decision.spending_today().zip(decision.spending_with(option))?;
        Some(today.usd_per_run - then.usd_per_run)
    };
    summary.expected_saving_usd =
        option.saving.and_then(|saving| if decision.is_by_time() { in_dollars() } else { Some(saving) });
    let Some(time) = option.candidate.time else { return };
    summary.option_time = Some(range(&time));
    let of_option = summary.candidate_deviations.get(place).map(Vec::as_slice).unwrap_or_default();
    for ((_, deviation), of_option) in summary.standard_deviations.iter_mut().zip(of_option) {
        *deviation = *of_option;
    }
}

/// Names of the recommended options, and the same for a narrow column; without a recommendation that of the option that is shown.
pub(crate) fn titles(decision: &Decision, shown: &Candidate) -> [String; 2] {
    [
        decision.recommended_title(" or ").unwrap_or_else(|| shown.title.clone()),
        decision.short_recommended_title(" or ").unwrap_or_else(|| shown.short_title()),
    ]
}

/// The recommended options beside the first one, if there are several.
pub(crate) fn tie(decision: &Decision) -> Option<Tie> {
    let sentence = decision.near_tie_in_words()?;
    let others = decision.near_ties.iter().filter_map(|tie| {
        let candidate = &decision.options.get(tie.other)?.candidate;
        Some(TiedOption { title: candidate.title.clone(), time: range(&candidate.time?) })
    });
    Some(Tie { sentence, others: others.collect() })
}

/// A predicted time with its 90 % interval.
pub(crate) fn range(time: &PredictedTime) -> Range {
    let value = time.value();
    let [low, high] = time.interval().unwrap_or([value; 2]);
    Range { value, low, high }
}

impl Outcomes {
    /// Decides again with what the user entered: for what is printed. The tables and the ledger keep the prices of the base and the usual
    /// goal.
    pub fn decide_again(&mut self, entered: EnteredInputs) {
        if !entered.change_decisions() {
            return;
        }
        let recurrence = entered.effort().map(|_| self.recurrence(entered.runs_per_month)).unwrap_or_default();
        for summary in self.ledger.summaries_mut() {
            let entered = recurrence.inputs_of(entered, summary);
            decide_again(summary, entered);
        }
    }

    /// How often the applications that count run in a month.
    fn recurrence(&self, runs_per_month: Option<f64>) -> Recurrence {
        let selection = select(self.logs());
        let summaries = || selection.applications.iter().map(|(_, summary)| *summary);
        Recurrence::new(Frequency::new(runs_per_month, times(summaries())), summaries())
    }
}

impl Application {
    /// Decides again about it and its queries with what the user entered; with an effort as of [`Recurrence::inputs_of`].
    pub fn decide_again(&mut self, entered: EnteredInputs) {
        if entered.change_decisions() {
            decide_again(&mut self.summary, entered);
            self.judge_queries(entered.objective(), record);
        }
    }
}

fn decide_again(summary: &mut Summary, entered: EnteredInputs) {
    let before = why_not_of(summary);
    if let Some(usd_per_hour) = entered.price_today {
        set_price_today(summary, usd_per_hour);
    }
    if summary.baseline.is_none() || summary.option_time.is_none() {
        return;
    }
    let is_kept_by_effort = choose(summary, entered.objective());
    summary.blocked_by.retain(|blocker| *blocker != Blocker::Effort);
    if is_kept_by_effort {
        // Whatever limits a part of its time, it would move otherwise.
        summary.blocked_by.insert(0, Blocker::Effort);
        return;
    }
    let after = why_not_of(summary);
    if before != after {
        summary.blocked_by.retain(|blocker| Some(*blocker) != before);
        let added = after.filter(|blocker| !summary.blocked_by.contains(blocker));
        summary.blocked_by.extend(added);
    }
}

/// Takes the price of one of today's machines for an hour, US dollars.
fn set_price_today(summary: &mut Summary, usd_per_hour: f64) {
    let Some(baseline) = &mut summary.baseline else {
        if let Some((machines, seconds)) = summary.machines.zip(summary.seconds)
            && !summary.blocked_by.contains(&Blocker::OnGpu)
        {
            summary.today_usd = Some(machines as f64 * usd_per_hour * seconds / HOUR);
        }
        return;
    };
    crossover_decision::set_price_today(baseline, &mut summary.candidates, Some(&Price::entered(usd_per_hour)));
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Goal, PredictedTime, PriceBasis};

    use super::*;

    fn at_price(usd_per_hour: f64) -> EnteredInputs {
        EnteredInputs { price_today: Some(usd_per_hour), ..EnteredInputs::default() }
    }

    fn listed(usd_per_hour: f64) -> Price {
        Price { basis: PriceBasis::OnDemand, source: "list".to_owned(), ..Price::entered(usd_per_hour) }
    }

    /// An option on four machines with GPUs.
    fn on_gpus(seconds: f64) -> Candidate {
        let time = PredictedTime::within(seconds, 1.2);
        Candidate { machines: Some(4.0), ..Candidate::predicted("GPU", time, Some(listed(7.2))) }
    }

    /// An option on today's two machines.
    fn on_same_machines(seconds: f64) -> Candidate {
        Candidate {
            title: "Gluten".to_owned(),
            engine: "Gluten".to_owned(),
            machines: Some(2.0),
            is_on_same_machines: true,
            price: Some(listed(3.6)),
            ..on_gpus(seconds)
        }
    }

    /// A thousand seconds on two machines; on GPUs at a quarter of the time, and on the same machines at four fifths of it.
    fn summary() -> Summary {
        let mut summary = Summary {
            seconds: Some(1000.0),
            option_time: Some(Range { value: 250.0, low: 250.0, high: 250.0 }),
            baseline: Some(Baseline { machines: 2.0, ..Baseline::measured("Spark", 1000.0, Some(listed(3.6))) }),
            candidates: vec![on_gpus(250.0), on_same_machines(800.0)],
            standard_deviations: vec![("q".to_owned(), 1.0)],
            candidate_deviations: vec![vec![10.0], vec![20.0]],
            base_place: Some(0),
            ..Summary::default()
        };
        choose(&mut summary, Objective::default());
        summary
    }

    #[test]
    fn the_option_is_the_recommended_one_with_its_own_numbers() {
        let summary = summary();
        assert_eq!((summary.verdict, summary.option.as_str()), (Verdict::Move, "GPU"));
        // 1000 s at 3.6 $ an hour, and 250 s at 7.2 $.
        assert_eq!((summary.today_usd, summary.option_usd), (Some(1.0), Some(0.5)));
        assert_eq!(summary.option_instances(), Some(4.0));
        assert_eq!(summary.standard_deviations, [("q".to_owned(), 10.0)]);
    }

    /// 250 s at 7.2 $ an hour and 500 s at 3.6 $ cost the same; 505 s cost 1 % more, and the errors are 11 % each.
    #[test]
    fn of_two_options_that_cost_about_the_same_both_are_named_with_the_numbers_of_the_first() {
        let mut summary = summary();
        summary.candidates = vec![on_gpus(250.0), on_same_machines(505.0)];
        choose(&mut summary, Objective::default());
        assert_eq!((summary.verdict, summary.option.as_str()), (Verdict::Move, "GPU or Gluten"));
        assert_eq!(summary.short_option, "GPU or Gluten");
        assert_eq!((summary.option_place, summary.option_usd), (Some(0), Some(0.5)));
        let tie = summary.tie.as_ref().expect("a tie");
        assert!(tie.sentence.starts_with("They cost about the same: "), "{}", tie.sentence);
        // 505 s, and 505 / 1.2 to 505 · 1.2.
        let near = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
        let [TiedOption { title, time }] = tie.others.as_slice() else { panic!("{:?}", tie.others) };
        assert_eq!(title, "Gluten");
        assert!(near(time.value, 505.0) && near(time.low, 505.0 / 1.2) && near(time.high, 606.0), "{time:?}");
        // At a tenth of the price the same machines alone are recommended.
        decide_again(&mut summary, at_price(0.18));
        assert_eq!((summary.option.as_str(), summary.tie), ("Gluten", None));
    }

    #[test]
    fn another_price_of_todays_machines_decides_anew() {
        let mut summary = summary();
        // A tenth of the price: GPUs cost five times as much as today, the same machines less than today.
        decide_again(&mut summary, at_price(0.18));
        assert_eq!((summary.verdict, summary.option.as_str()), (Verdict::Move, "Gluten"));
        let near = |found: Option<f64>, expected: f64| found.is_some_and(|found| (found - expected).abs() < 1e-12);
        assert!(near(summary.today_usd, 0.1) && near(summary.option_usd, 0.08), "{summary:?}");
        assert_eq!(summary.option_instances(), Some(0.0));
        assert_eq!(summary.standard_deviations, [("q".to_owned(), 20.0)]);
        let price = summary.baseline.as_ref().and_then(|today| today.price.as_ref()).expect("a price");
        assert_eq!((price.basis, price.source.as_str()), (PriceBasis::Own, "entered"));
        assert!(summary.blocked_by.is_empty());
    }

    /// Without prices time decides. With a price of today's machines alone, no cost of an option can be compared with it.
    #[test]
    fn an_option_without_a_price_beside_a_price_today_is_not_blamed_on_a_missing_error() {
        for (error, expected) in [(1.2, Blocker::NoPrice), (1.0, Blocker::NoErrorFactor)] {
            let time = PredictedTime::within(250.0, error);
            let unpriced = Candidate { machines: Some(1.0), ..Candidate::predicted("Sirius", time, None) };
            let mut summary = Summary {
                baseline: Some(Baseline::measured("DuckDB", 1000.0, None)),
                candidates: vec![unpriced],
                ..summary()
            };
            choose(&mut summary, Objective::default());
            summary.blocked_by = why_not_of(&summary).into_iter().collect();
            let is_known = expected == Blocker::NoPrice;
            assert_eq!(summary.verdict, if is_known { Verdict::Move } else { Verdict::CannotJudge });
            decide_again(&mut summary, at_price(1.8));
            assert_eq!((summary.verdict, summary.blocked_by.as_slice()), (Verdict::CannotJudge, &[expected][..]));
        }
    }

    /// 1100 s within a factor of 1.2 in 90 %, whose logarithm has the standard deviation ln 1.2 / 1.645 = 0.111: at most 1400 s with
    /// Φ(ln(1400 / 1100) / 0.111) = 98.5 %, at most 1000 s with Φ(ln(1000 / 1100) / 0.111) = 19.5 %. At half of today's price per hour it
    /// costs less than today up to 2000 s.
    #[test]
    fn a_longer_time_limit_recommends_what_is_cheaper_and_slower() {
        let mut summary = summary();
        let cheaper = Candidate { price: Some(listed(1.8)), ..on_gpus(1100.0) };
        summary.candidates = vec![cheaper];
        choose(&mut summary, Objective::default());
        summary.blocked_by = vec![Blocker::NoSaving];
        assert_eq!(summary.verdict, Verdict::Stay);
        let within = |limit: f64| EnteredInputs { time_limit: Some(limit), ..EnteredInputs::default() };
        decide_again(&mut summary, within(1.4));
        assert_eq!((summary.verdict, summary.option.as_str()), (Verdict::Move, "GPU"));
        let likelihood = summary.likelihood.expect("a likelihood");
        assert!((likelihood - 0.985).abs() < 5e-4, "{likelihood}");
        assert!(summary.blocked_by.is_empty(), "{:?}", summary.blocked_by);
        // The usual limit, and runs of a month, which change no decision.
        decide_again(&mut summary, within(1.0));
        assert_eq!((summary.verdict, summary.blocked_by.as_slice()), (Verdict::Stay, &[Blocker::NoSaving][..]));
        assert!(!EnteredInputs { runs_per_month: Some(3.0), ..EnteredInputs::default() }.change_decisions());
    }

    /// 250 s at 7.2 $ an hour, 800 s at 3.6 $ and 200 s at 10 $ cost 0.50, 0.80 and 0.56 $, where today costs 1 $; the mean is above the
    /// median by e^(s²/2), s = ln 1.2 / 1.645.
    #[test]
    fn the_least_time_is_that_of_the_fastest_option_within_todays_cost() {
        let mut summary = summary();
        summary.candidates.push(Candidate {
            title: "fast".to_owned(),
            engine: "fast".to_owned(),
            price: Some(listed(10.0)),
            ..on_gpus(200.0)
        });
        summary.candidate_deviations.push(vec![30.0]);
        decide_again(&mut summary, EnteredInputs { goal: Goal::Time, ..EnteredInputs::default() });
        assert_eq!((summary.verdict, summary.option.as_str()), (Verdict::Move, "fast"));
        let mean = (200.0 / 360.0) * ((1.2_f64.ln() / 1.644_853_627).powi(2) / 2.0).exp();
        let saved = summary.saved_usd().expect("prices");
        assert!((saved - (1.0 - mean)).abs() < 1e-6, "{saved}");
        decide_again(&mut summary, EnteredInputs { price_today: Some(1.8), ..EnteredInputs::default() });
        assert_eq!((summary.verdict, summary.option.as_str()), (Verdict::Move, "GPU"));
    }

    /// 250 s at 7.2 $ an hour instead of 1000 s at 3.6 $ save 1 $ − 0.50 $·e^(s²/2) = 0.497 $, s = ln 1.2 / 1.645: with ten runs a month
    /// 178.9 $ in 36 months.
    #[test]
    fn an_application_whose_saving_does_not_pay_back_the_effort_stays() {
        let mut summary = summary();
        let with =
            |effort| EnteredInputs { runs_per_month: Some(10.0), effort_usd: effort, ..EnteredInputs::default() };
        decide_again(&mut summary, with(Some(178.0)));
        assert_eq!((summary.verdict, summary.blocked_by.len()), (Verdict::Move, 0));
        summary.blocked_by = vec![Blocker::Running];
        decide_again(&mut summary, with(Some(180.0)));
        let expected = [Blocker::Effort, Blocker::Running];
        assert_eq!((summary.verdict, summary.blocked_by.as_slice()), (Verdict::Stay, &expected[..]));
        decide_again(&mut summary, with(None));
        assert_eq!((summary.verdict, summary.blocked_by.as_slice()), (Verdict::Move, &expected[1..]));
        // Without runs per month no time is known.
        let unknown = EnteredInputs { runs_per_month: None, ..with(Some(180.0)) };
        decide_again(&mut summary, unknown);
        assert_eq!(summary.verdict, Verdict::Move);
    }

    #[test]
    fn without_a_recommendation_the_option_is_the_one_that_a_decision_names() {
        let mut summary = summary();
        // Both take longer than today: the second one, which is not of the base, by less.
        summary.candidates = vec![on_gpus(4000.0), on_same_machines(1050.0)];
        choose(&mut summary, Objective::default());
        let decision = summary.judged(Objective::default()).expect("a decision");
        assert_eq!((summary.verdict, decision.best), (Verdict::Stay, None));
        let likeliest = decision.likeliest().expect("an option");
        assert_eq!(likeliest.candidate.title, "Gluten");
        assert_eq!((summary.option.as_str(), summary.likelihood), ("Gluten", likeliest.better));
        assert_eq!(summary.option_instances(), Some(0.0));
        assert_eq!(summary.option_time.map(|time| time.value), Some(1050.0));
    }

    /// What blocks both is outside of the queries; the GPUs take four times as long, and the same machines four fifths.
    #[test]
    fn where_nothing_can_be_judged_the_option_is_the_likeliest_and_not_the_cluster_of_the_base() {
        let mut summary = summary();
        let blocked_by = Some("half of the time is outside".to_owned());
        summary.candidates = vec![on_gpus(4000.0), on_same_machines(800.0)]
            .into_iter()
            .map(|candidate| Candidate { blocked_by: blocked_by.clone(), ..candidate })
            .collect();
        choose(&mut summary, Objective::default());
        let decision = summary.judged(Objective::default()).expect("a decision");
        assert_eq!((summary.verdict, summary.option.as_str()), (Verdict::CannotJudge, "Gluten"));
        assert_eq!((summary.option_place, summary.likelihood), (Some(1), decision.options[1].better));
        assert_eq!(decision.shown_place(), Some(1));
    }

    #[test]
    fn todays_engine_on_other_machines_costs_the_entered_price_of_each() {
        let mut summary = summary();
        let four = Candidate { engine: "Spark".to_owned(), machines: Some(4.0), ..on_same_machines(600.0) };
        summary.candidates.push(four);
        summary.candidate_deviations.push(vec![30.0]);
        decide_again(&mut summary, at_price(0.5));
        let prices: Vec<Option<f64>> = summary.candidates.iter().map(Candidate::usd_per_hour).collect();
        // GPUs keep their price; the same machines cost as much as the two of today.
        assert_eq!(prices, [Some(7.2), Some(1.0), Some(2.0)]);
    }
}
