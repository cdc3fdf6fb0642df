//! Answers with much text in the strip, which any limit may put in the place of a decision: the strip has the height of the highest one.

use std::collections::BTreeSet;

use crossover_decision::decision::MOST_NEAR_TIES;
use crossover_decision::{Candidate, Decision, DecisionOption, Goal, NearTie, Objective, TimeLimit, Verdict, judge};

/// A time limit with as many digits as most have: the strip names it.
const USUAL_LIMIT: TimeLimit = TimeLimit::Factor(1.25);
/// A limit that is too tight by so much leaves an option some likelihood to keep it, so that the strip names the option.
const TIGHT: f64 = 0.95;
/// Runs of a month with as many digits as most have.
const USUAL_RUNS: f64 = 1000.0;
/// An effort that no saving pays back, US dollars.
const LARGE_EFFORT: f64 = 1e9;

/// The decision as it would recommend these options.
pub(super) fn recommending(decision: &Decision, places: &[usize]) -> Decision {
    let mut other = decision.clone();
    other.verdict = Verdict::Move;
    other.best = places.first().copied();
    other.near_ties = places.iter().skip(1).map(|place| NearTie { other: *place, likelihood: 0.5 }).collect();
    other
}

/// That the options with the longest names that can be about as good are, and that no option keeps a tight limit, both with and without the
/// runs of a month; and that only the effort of the move keeps today's engine, if these runs are known: without them no effort does. None
/// for a Pareto front, which has no limit, and without an option that can be judged.
pub(super) fn long_answers(decision: &Decision) -> Vec<Decision> {
    let longest = longest_recommendation(decision);
    if decision.lists_front() || longest.is_empty() {
        return Vec::new();
    }
    let of = |objective: Objective| {
        let candidates = decision.options.iter().map(|option| option.candidate.clone()).collect();
        judge(decision.baseline.clone(), candidates, objective).with_near_ties()
    };
    let usual = of_a_limit(decision);
    // When the runs of a month are entered, the saving of a month takes the place of that of a run.
    let runs = [None, Some(usual.runs_per_month.unwrap_or(USUAL_RUNS))];
    let with_runs = runs.map(|runs_per_month| Objective { runs_per_month, ..usual });
    let answers = with_runs.iter().flat_map(|usual| [recommending(&of(*usual), &longest), of(tight(decision, usual))]);
    let effort = Objective { effort_usd: Some(LARGE_EFFORT), ..usual };
    answers.chain(effort.runs().map(|_| of(effort))).collect()
}

/// What the user wants with a limit in words, and without an effort.
fn of_a_limit(decision: &Decision) -> Objective {
    let Decision { objective, .. } = decision;
    let usual_budget = || decision.spending_today().map(|today| today.usd_per_run);
    Objective {
        time_limit: if objective.goal == Goal::Cost { USUAL_LIMIT } else { objective.time_limit },
        budget_usd: objective.budget_usd.or_else(usual_budget),
        effort_usd: None,
        ..*objective
    }
}

/// The same with a limit that no option is likely to keep.
fn tight(decision: &Decision, usual: &Objective) -> Objective {
    let options = || decision.options.iter().filter(|option| can_be_recommended(option));
    let fastest = options().filter_map(|option| option.candidate.time).map(|time| time.value()).min_by(f64::total_cmp);
    let cheapest = options().filter_map(|option| option.usd).map(|usd| usd.value).min_by(f64::total_cmp);
    let time_limit = fastest.map(|seconds| TimeLimit::Factor(TIGHT * seconds / decision.baseline.time.value()));
    Objective {
        time_limit: time_limit.filter(|_| usual.goal == Goal::Cost).unwrap_or(usual.time_limit),
        budget_usd: cheapest.map(|usd| TIGHT * usd).or(usual.budget_usd),
        ..*usual
    }
}

fn can_be_recommended(option: &DecisionOption) -> bool {
    option.candidate.blocked_by.is_none() && option.better.is_some()
}

/// Places of the options with the longest names, together, that can be recommended together; empty if none can be judged.
fn longest_recommendation(decision: &Decision) -> Vec<usize> {
    let options = decision.options.iter().enumerate();
    let places: Vec<usize> = options.filter(|(_, option)| can_be_recommended(option)).map(|(place, _)| place).collect();
    // Each pair once: the likelihood of a tie may be an integral.
    let later = |at: usize| places[at + 1..].iter();
    let pairs = places.iter().enumerate().flat_map(|(at, one)| later(at).map(move |other| [*one, *other]));
    let pairs: BTreeSet<[usize; 2]> = pairs.filter(|[one, other]| decision.may_tie(*one, *other)).collect();
    let mut together: Vec<Vec<usize>> = places.iter().map(|place| vec![*place]).collect();
    let mut all = together.clone();
    for _ in 0..MOST_NEAR_TIES {
        let with_another = together.iter().flat_map(|those| {
            let ties = |place: &&usize| those.iter().all(|one| pairs.contains(&[*one, **place]));
            places.iter().filter(ties).map(|place| [those.as_slice(), &[*place]].concat()).collect::<Vec<_>>()
        });
        together = with_another.collect();
        all.extend(together.iter().cloned());
    }
    let length = |place: &usize| {
        let Candidate { title, .. } = &decision.options[*place].candidate;
        title.chars().count()
    };
    all.into_iter().max_by_key(|those| those.iter().map(length).sum::<usize>()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, PredictedTime, Price, decide};

    use super::*;

    /// 20 s today at a dollar an hour; two engines on the same machines, and a cluster of GPUs at its own price.
    fn decision(times: [f64; 2], objective: Objective) -> Decision {
        let baseline = Baseline::measured("today", 20.0, Some(Price::entered(1.0)));
        let option = |title: &str, seconds: f64, is_on_same_machines: bool| {
            let time = PredictedTime::within(seconds, 1.1);
            let candidate = Candidate::predicted(title, time, Some(Price::entered(1.0)));
            Candidate { is_on_same_machines, ..candidate }
        };
        let [one, other] = times;
        let candidates = vec![
            option("GPUs", 5.0, false),
            option("an engine with a name", one, true),
            option("another with a longer name", other, true),
        ];
        decide(baseline, candidates, objective)
    }

    /// Times of 10 s and 5 s are ten standard deviations apart, at whatever price; at some price the GPUs cost as much as either.
    #[test]
    fn options_whose_times_tell_them_apart_at_every_price_are_not_recommended_together() {
        let apart = decision([10.0, 5.0], Objective::default());
        assert!(!apart.may_tie(1, 2) && apart.may_tie(0, 1) && apart.may_tie(0, 2));
        assert_eq!(longest_recommendation(&apart), [0, 2]);
        let near = decision([10.0, 10.0], Objective::default());
        assert!(near.may_tie(1, 2) && near.may_tie(2, 1));
        assert_eq!(longest_recommendation(&near), [0, 1, 2]);
    }

    #[test]
    fn an_effort_is_among_the_answers_only_with_runs_and_a_front_has_no_other_answer() {
        let verdicts = |objective: Objective| -> Vec<(Verdict, bool)> {
            let answers = long_answers(&decision([10.0, 5.0], objective));
            answers.iter().map(|answer| (answer.verdict, answer.is_kept_by_effort())).collect()
        };
        let without_runs = Objective::default();
        let [recommended, tight, effort] = [(Verdict::Move, false), (Verdict::Stay, false), (Verdict::Stay, true)];
        assert_eq!(verdicts(without_runs), [recommended, tight, recommended, tight]);
        let with_runs = Objective { runs_per_month: Some(1000.0), ..without_runs };
        assert_eq!(verdicts(with_runs), [recommended, tight, recommended, tight, effort]);
        assert!(verdicts(Objective { goal: Goal::ParetoFront, ..with_runs }).is_empty());
    }

    /// The strip names the limit, so that a wider text of another one does not move what is below.
    #[test]
    fn answers_of_every_limit_are_the_same() {
        let at = |factor: f64| {
            let time_limit = TimeLimit::Factor(factor);
            let answers = long_answers(&decision([10.0, 5.0], Objective { time_limit, ..Objective::default() }));
            answers.iter().map(|answer| (answer.best, answer.objective)).collect::<Vec<_>>()
        };
        assert_eq!(at(1.0), at(0.3));
        assert_eq!(at(1.0)[0].1.wanted(), "cheaper within 1.25× today’s time");
    }
}
