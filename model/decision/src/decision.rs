//! The decision: every option with its likelihoods, and the best one.

mod best;
mod limits;
pub(crate) mod pareto;

use serde::{Deserialize, Serialize};

use crate::candidate::{Baseline, Candidate, NO_PRICE};
use crate::comparison;
use crate::objective::{Goal, Objective};
use crate::saving_interval;
use crate::time::PredictedTime;
use crate::time_digits::TimeDigits;
use crate::time_limit::TimeLimit;
use crate::verdict::Verdict;
use pareto::{Points, front, mark_efficient, point_today};

/// Correlation of the errors of two engines on one query whose time today was measured: over 48 queries that ran in Spark, in
/// Gluten and in RAPIDS it is −0.13, within −0.40 … 0.16 in 95 % (docs/FIDELITY.md).
pub const ERROR_CORRELATION: f64 = 0.0;

/// Up to this likelihood that the option with the smaller mean is better than the other one, they are about the same. A likelihood far
/// below a half contradicts the means, so only a trial decides then, too.
const ABOUT_THE_SAME: f64 = 0.6;
/// Most options beside the best one: more are no help.
pub const MOST_NEAR_TIES: usize = 2;

/// Seconds of an hour.
pub(crate) const HOUR: f64 = 3600.0;

/// A decision about a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// What runs it today.
    pub baseline: Baseline,
    /// What could run it, in the order of the candidates.
    pub options: Vec<DecisionOption>,
    /// What the user wants.
    pub objective: Objective,
    /// What to do.
    pub verdict: Verdict,
    /// Index of the best option among `options`; `None`: today's engine.
    pub best: Option<usize>,
    /// Options that are as good a choice as the best one, the cheapest first; not looked for by [`judge`].
    pub near_ties: Vec<NearTie>,
    /// Places of the options on the Pareto front of those that nothing blocks, the fastest first, if that is the goal; `None` in it: today's
    /// engine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub front: Vec<Option<usize>>,
    /// Whether time decides although another goal was wanted, because a price is missing.
    pub lacks_price: bool,
}

/// An option with its likelihoods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionOption {
    /// The engine, its machines and its time.
    pub candidate: Candidate,
    /// Cost of a run, US dollars: its median, and the ends of its 90 % interval.
    pub usd: Option<Cost>,
    /// Likelihood of being faster than today.
    pub faster: Option<f64>,
    /// Likelihood of being cheaper than today.
    pub cheaper: Option<f64>,
    /// Likelihood of being what the user wants: cheaper within the time limit, or faster within the budget.
    pub better: Option<f64>,
    /// Likelihood of keeping the time limit, or the budget.
    pub feasible: Option<f64>,
    /// Likelihoods of being faster and cheaper than the best other option or today's engine, and its place; `None`: today's.
    pub against: Option<Against>,
    /// Expected saving of a run, US dollars, or seconds without prices; negative: a loss.
    pub saving: Option<f64>,
    /// The 90 % interval of the saving, of the same distribution as its mean; `None` without a measured error.
    pub saving_interval: Option<[f64; 2]>,
    /// Expected regret of a run, in the same unit.
    pub regret: Option<f64>,
    /// Whether it is on the Pareto front of time and cost, with today's engine; `None` if it is blocked, has no time or no cost, or if only
    /// a blocked option dominates it.
    pub is_efficient: Option<bool>,
}

/// A cost and its 90 % interval, US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The median.
    pub value: f64,
    /// The ends; `None` without a measured error, or without any.
    pub interval: Option<[f64; 2]>,
}

/// An option compared with the best other one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// Index of the other option; `None`: today's engine.
    pub other: Option<usize>,
    /// Likelihood of being faster.
    pub faster: f64,
    /// Likelihood of being cheaper; `None` without prices.
    pub cheaper: Option<f64>,
}

/// Another option with the verdict of the best one, of which the errors of the predictions cannot tell which of both is cheaper; where
/// time decides, which is faster. The same holds between near ties. A trial run of each decides between them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NearTie {
    /// Its place among the options.
    pub other: usize,
    /// Likelihood that the best option is cheaper than it; where time decides, that it is faster.
    pub likelihood: f64,
}

/// Decides between today's engine and the candidates.
#[must_use]
pub fn decide(baseline: Baseline, candidates: Vec<Candidate>, objective: Objective) -> Decision {
    let mut decision = judge(baseline, candidates, objective);
    let by_time = decision.is_by_time();
    compare(&mut decision.options, &decision.baseline, by_time, decision.best);
    decision.near_ties = decision.find_near_ties();
    if !decision.baseline.has_exact_time() {
        for option in &mut decision.options {
            option.saving_interval = saving_interval(&option.candidate, &decision.baseline, by_time);
        }
    }
    decision
}

/// The same without the comparisons of options with each other, and without intervals of savings against a predicted time: these
/// take most of the time.
#[must_use]
pub fn judge(baseline: Baseline, candidates: Vec<Candidate>, mut objective: Objective) -> Decision {
    let lacks_price = baseline.price.is_none();
    if objective.goal != Goal::Cost {
        // A limit that was entered for the least cost counts for no other goal.
        objective.time_limit = TimeLimit::TODAY;
    }
    let by_time = objective.goal == Goal::Time || lacks_price;
    // Without prices at all only time can decide; with some, an option without one cannot be judged.
    let needs_price = !lacks_price;
    let options = candidates.into_iter().map(|mut candidate| {
        if needs_price && is_judged(&candidate) && candidate.price.is_none() {
            candidate.blocked_by = Some(NO_PRICE.to_owned());
        }
        option(candidate, &baseline, &objective, by_time)
    });
    let mut options: Vec<DecisionOption> = options.collect();
    mark_efficient(&mut options, &baseline, TimeDigits::new(&baseline, &objective));
    let mut decision = Decision {
        baseline,
        options,
        objective,
        verdict: Verdict::CannotJudge,
        best: None,
        near_ties: Vec::new(),
        front: Vec::new(),
        lacks_price: lacks_price && objective.goal != Goal::Time,
    };
    if decision.lists_front() {
        decision.verdict = decision.verdict_of_front();
        decision.front = front(&decision.options, &decision.baseline, decision.time_digits());
    } else {
        (decision.verdict, decision.best) = decision.verdict_and_best();
    }
    decision
}

/// Whether today's run breaks the limit of the goal: it takes longer than a time limit below its own time, or its mean cost is above the
/// budget of the least time. An option then only has to keep the limit.
fn breaks_limit(today: &Baseline, objective: &Objective) -> bool {
    match (objective.goal, objective.budget_usd, today.usd_per_hour()) {
        (Goal::Cost, ..) => objective.time_limit.factor(today.time.value()) < 1.0,
        (Goal::Time, Some(budget), Some(price)) => price * today.time.mean() / HOUR > budget,
        (Goal::Time | Goal::ParetoFront, ..) => false,
    }
}

/// Whether a candidate can be judged: it has a time with a measured error, and nothing blocks it.
pub(crate) fn is_judged(candidate: &Candidate) -> bool {
    candidate.blocked_by.is_none() && candidate.time.is_some() && candidate.deviation_of_ratio.is_some()
}

fn option(candidate: Candidate, baseline: &Baseline, objective: &Objective, by_time: bool) -> DecisionOption {
    let usd = candidate.time.zip(candidate.usd_per_hour()).map(|(time, price)| Cost::new(&time, price));
    let mut option = DecisionOption {
        usd,
        faster: None,
        cheaper: None,
        better: None,
        feasible: None,
        against: None,
        saving: None,
        saving_interval: None,
        regret: None,
        is_efficient: None,
        candidate,
    };
    let Some((time, deviation)) = option.candidate.time.zip(baseline.deviation_to(&option.candidate)) else {
        return option;
    };
    let today = baseline.time.value();
    let chance = |limit: f64| time.chance_within(limit, deviation);
    let prices = baseline.usd_per_hour().zip(option.candidate.usd_per_hour());
    // As long as this, the option costs as much as today's engine.
    let same_cost = prices.map(|(now, then)| match then {
        then if then > 0.0 => today * now / then,
        // What costs nothing is cheaper than what costs something.
        _ if now > 0.0 => f64::INFINITY,
        _ => 0.0,
    });
    option.faster = Some(chance(today));
    option.cheaper = same_cost.map(chance);
    let same_mean = |ratio: f64| baseline.time.mean() * ratio;
    let is_broken_today = breaks_limit(baseline, objective);
    if by_time {
        let limit = objective.time_limit.seconds(today);
        let (feasible, better) = match (objective.goal, objective.budget_usd, option.candidate.usd_per_hour()) {
            (Goal::Cost | Goal::ParetoFront, ..) => (chance(limit), chance(limit.min(today))),
            (Goal::Time, Some(budget), Some(price)) if price > 0.0 => {
                // A sum of money has no error, so only the time's own error counts.
                let within = time.chance_within(budget * HOUR / price, time.deviation.unwrap_or(deviation));
                (within, if is_broken_today { within } else { within.min(chance(today)) })
            }
            // What costs nothing is within every budget.
            (Goal::Time, Some(_), Some(_)) => (1.0, if is_broken_today { 1.0 } else { chance(today) }),
            (Goal::Time, Some(_), None) => (0.0, 0.0),
            (Goal::Time, None, _) => {
                let budget = same_cost.unwrap_or(f64::INFINITY);
                (chance(budget), chance(budget.min(today)))
            }
        };
        option.feasible = Some(feasible);
        option.better = Some(better);
        option.saving = Some(baseline.time.mean() - time.mean());
        option.regret = Some(time.mean_excess(same_mean(1.0), deviation));
    } else if let (Some((now, then)), Some(same_cost)) = (prices, same_cost) {
        let limit = objective.time_limit.seconds(today);
        option.feasible = Some(chance(limit));
        option.better = Some(chance(if is_broken_today { limit } else { limit.min(same_cost) }));
        option.saving = Some((now * baseline.time.mean() - then * time.mean()) / HOUR);
        option.regret =
            Some(if then > 0.0 { then * time.mean_excess(same_mean(now / then), deviation) / HOUR } else { 0.0 });
    }
    if baseline.has_exact_time() {
        option.saving_interval = saving_interval(&option.candidate, baseline, by_time);
    }
    option
}

/// The 90 % interval of the saving of a run with a candidate; `None` without an error, or without prices where they count.
fn saving_interval(candidate: &Candidate, baseline: &Baseline, by_time: bool) -> Option<[f64; 2]> {
    let prices =
        if by_time { [1.0; 2] } else { [baseline.usd_per_hour()?, candidate.usd_per_hour()?].map(|usd| usd / HOUR) };
    saving_interval::ends(&baseline.time, candidate.time.as_ref()?, candidate.deviation_of_ratio?, prices)
}

impl Cost {
    /// The cost of this time.
    pub(crate) fn new(time: &PredictedTime, usd_per_hour: f64) -> Self {
        let cost = |seconds: f64| seconds * usd_per_hour / HOUR;
        Self { value: cost(time.value()), interval: time.interval().map(|ends| ends.map(cost)) }
    }
}

/// Compares each option with the best other one: the one with the smallest expected cost, or time.
fn compare(options: &mut [DecisionOption], baseline: &Baseline, by_time: bool, best: Option<usize>) {
    let cost = |option: &DecisionOption| expected_cost(option, by_time);
    let today = if by_time { Some(1.0) } else { baseline.usd_per_hour() }.map(|price| price * baseline.time.mean());
    let against = (0..options.len()).map(|at| {
        if !is_judged(&options[at].candidate) {
            return None;
        }
        let others = options.iter().enumerate().filter(|(other, option)| *other != at && is_judged(&option.candidate));
        let least = others.filter_map(|(other, option)| Some((other, cost(option)?)));
        let least = least.min_by(|(_, a), (_, b)| a.total_cmp(b));
        let least = least.filter(|(_, cost)| today.is_none_or(|today| *cost < today));
        // An option is compared with the best one, and the best one with the cheapest other.
        match best.filter(|best| *best != at).map(|best| (best, 0.0)).or(least) {
            None => {
                let DecisionOption { faster, cheaper, .. } = &options[at];
                Some(Against { other: None, faster: (*faster)?, cheaper: *cheaper })
            }
            Some((other, _)) => compared_with(&options[at].candidate, other, &options[other].candidate),
        }
    });
    let against: Vec<Option<Against>> = against.collect();
    for (option, against) in options.iter_mut().zip(against) {
        option.against = against;
    }
}

/// What a run of an option is expected to take, by which options are compared: its cost, or its time.
fn expected_cost(option: &DecisionOption, by_time: bool) -> Option<f64> {
    let price = if by_time { Some(1.0) } else { option.candidate.usd_per_hour() };
    Some(price? * option.candidate.time?.mean())
}

/// A candidate compared with the one at another place.
fn compared_with(one: &Candidate, other: usize, two: &Candidate) -> Option<Against> {
    Some(Against { other: Some(other), faster: chance_below(one, two, 1.0)?, cheaper: chance_cheaper(one, two) })
}

/// Likelihood that one candidate is cheaper than the other one; `None` without prices.
fn chance_cheaper(one: &Candidate, other: &Candidate) -> Option<f64> {
    match (one.usd_per_hour()?, other.usd_per_hour()?) {
        (one_usd, other_usd) if one_usd > 0.0 => chance_below(one, other, other_usd / one_usd),
        (_, other_usd) => Some(f64::from(u8::from(other_usd > 0.0))),
    }
}

/// Likelihood that one candidate takes less than `factor` times the other one's time.
fn chance_below(one: &Candidate, other: &Candidate, factor: f64) -> Option<f64> {
    let correlation = if one.errs_like(other) { 1.0 } else { ERROR_CORRELATION };
    comparison::chance_below(one.time.as_ref()?, other.time.as_ref()?, factor, correlation)
}

impl Decision {
    /// The best option, if it is not today's engine.
    #[must_use]
    pub fn best_option(&self) -> Option<&DecisionOption> {
        self.best.map(|best| &self.options[best])
    }

    /// Places of the recommended options: the best one, and its near ties. Empty: today's engine.
    pub fn recommended(&self) -> impl Iterator<Item = usize> {
        self.best.into_iter().chain(self.near_ties.iter().map(|tie| tie.other))
    }

    /// Whether the option at this place is recommended; `None`: today's engine.
    #[must_use]
    pub fn recommends(&self, place: Option<usize>) -> bool {
        match place {
            Some(place) => self.recommended().any(|other| other == place),
            None => self.best.is_none() && !self.lists_front(),
        }
    }

    /// Whether the decision is to stay with today's engine. Where the Pareto front is listed, nothing is recommended.
    #[must_use]
    pub fn recommends_to_stay(&self) -> bool {
        self.verdict == Verdict::Stay && !self.lists_front()
    }

    /// Whether today's engine is on the Pareto front of time and cost; `None` without its price, or if only an option that cannot be
    /// judged is predicted to be as fast and as cheap, and faster or cheaper.
    #[must_use]
    pub fn is_today_efficient(&self) -> Option<bool> {
        Points::of(&self.options, &self.baseline, self.time_digits()).front(point_today(&self.baseline)?)
    }

    /// The same with its near ties, which [`judge`] does not look for.
    #[must_use]
    pub fn with_near_ties(mut self) -> Self {
        self.near_ties = self.find_near_ties();
        self
    }

    /// Its near ties, which [`judge`] does not look for.
    pub(crate) fn find_near_ties(&self) -> Vec<NearTie> {
        self.first_near_ties(MOST_NEAR_TIES)
    }

    /// Whether it has any of them.
    pub(crate) fn has_near_tie(&self) -> bool {
        !self.first_near_ties(1).is_empty()
    }

    /// So many of its near ties.
    fn first_near_ties(&self, most: usize) -> Vec<NearTie> {
        let Some(best) = self.best else { return Vec::new() };
        let by_time = self.is_by_time();
        let others = self.options.iter().enumerate().filter(|(place, option)| {
            *place != best && is_judged(&option.candidate) && self.verdict_on(option) == self.verdict
        });
        let costs = others.filter_map(|(place, option)| Some((place, expected_cost(option, by_time)?)));
        let mut costs: Vec<(usize, f64)> = costs.collect();
        costs.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        let is_of_best = |place: usize| self.options[place].candidate.errs_like(&self.options[best].candidate);
        let mut ties: Vec<NearTie> = Vec::new();
        for (other, _) in costs {
            if ties.len() == most {
                break;
            }
            let named = std::iter::once(best).chain(ties.iter().map(|tie| tie.other));
            let likelihoods: Option<Vec<f64>> = named.map(|one| self.about_the_same(one, other)).collect();
            match likelihoods.as_deref() {
                Some([likelihood, ..]) => ties.push(NearTie { other, likelihood: *likelihood }),
                // That a cluster or a version of the best engine costs more says nothing about other engines, so the search goes on behind it.
                _ if ties.is_empty() && !is_of_best(other) => break,
                _ => {}
            }
        }
        ties
    }

    /// Likelihood that the option at one place is cheaper than that at another, or where time decides, faster; `None` if the errors can
    /// tell, or without one of the prices.
    fn about_the_same(&self, one: usize, other: usize) -> Option<f64> {
        let [one, other] = [one, other].map(|place| &self.options[place].candidate);
        let likelihood = if self.is_by_time() { chance_below(one, other, 1.0) } else { chance_cheaper(one, other) }?;
        (likelihood <= ABOUT_THE_SAME).then_some(likelihood)
    }

    /// Whether both options can be recommended together, with some limit and some price of today's machines: the errors cannot tell which of
    /// them is better, or one of them runs on today's machines and the other one does not.
    #[must_use]
    pub fn may_tie(&self, one: usize, other: usize) -> bool {
        let [of_one, of_other] = [one, other].map(|place| &self.options[place]);
        if !is_judged(&of_one.candidate) || !is_judged(&of_other.candidate) {
            return false;
        }
        if !self.is_by_time() && of_one.candidate.is_on_same_machines != of_other.candidate.is_on_same_machines {
            return true;
        }
        // The best option is that with the larger saving.
        let [best, other] = if of_one.saving >= of_other.saving { [one, other] } else { [other, one] };
        self.about_the_same(best, other).is_some()
    }

    /// Cost of a run today, US dollars.
    #[must_use]
    pub fn today_usd(&self) -> Option<Cost> {
        self.baseline.usd_per_hour().map(|price| Cost::new(&self.baseline.time, price))
    }

    /// Expected saving of a month, US dollars: that of the best option, 0 if there is none; `None` where the Pareto front is listed.
    #[must_use]
    pub fn saving_per_month(&self) -> Option<f64> {
        let runs = self.objective.runs_per_month?;
        if self.is_by_time() || self.lists_front() {
            return None;
        }
        Some(runs * self.best_option().map_or(Some(0.0), |option| option.saving)?)
    }

    /// Whether savings are in seconds: the least time was wanted, or a price is missing.
    #[must_use]
    pub fn is_by_time(&self) -> bool {
        self.lacks_price || self.objective.goal == Goal::Time
    }

    /// Whether today's run breaks the time limit, or the budget of the least time. An option then only has to keep the limit: it may cost more,
    /// or take longer, than today.
    #[must_use]
    pub fn is_limit_broken_today(&self) -> bool {
        breaks_limit(&self.baseline, &self.objective)
    }
}
