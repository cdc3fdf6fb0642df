//! Decisions about queries that ran in three engines, from predictions by fits that did not see the query, beside what was
//! measured.

use std::array;

use crossover_decision::{Baseline, Candidate, Goal, Objective, PredictedTime, Price, TimeLimit, Verdict, decide};
use crossover_engine::truth::TOO_CLOSE;
use crossover_engine::{Engine, ScoredQuery};
use serde::Serialize;

use super::{GLUTEN_ON_C5D, LeftOutOf, MeasuredSet, RAPIDS_ON_L4, ScoredSet};

/// Engines that each query ran in: today's, then the options.
pub const ENGINES: usize = 3;
/// The sets of the options, in their order.
const OPTIONS: [&str; ENGINES - 1] = [GLUTEN_ON_C5D, RAPIDS_ON_L4];
/// Place of today's engine.
const TODAY: usize = 0;
/// Seconds of an hour.
const HOUR: f64 = 3600.0;

/// What a decision is to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The least cost, whatever time it takes.
    Cost,
    /// The least cost of runs that are not slower than today's: what `decide` finds unless it is given another goal.
    CostInTime,
    /// The least time of runs that are not dearer than today's.
    Time,
}

impl Wanted {
    /// All of them, in the order of [`DecidedQuery::choices`].
    pub const ALL: [Self; 3] = [Self::Cost, Self::CostInTime, Self::Time];

    /// In tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Cost => "least cost",
            Self::CostInTime => "least cost, not slower than today",
            Self::Time => "least time, not more expensive than today",
        }
    }

    fn objective(self) -> Objective {
        match self {
            Self::Cost => Objective { time_limit: TimeLimit::Factor(f64::INFINITY), ..Objective::default() },
            Self::CostInTime => Objective::default(),
            Self::Time => Objective { goal: Goal::Time, ..Objective::default() },
        }
    }
}

/// An engine on its machines.
#[derive(Debug, Clone, PartialEq)]
pub struct DecidedEngine {
    /// Short name: "RAPIDS".
    pub name: &'static str,
    /// The engine and its machines: "RAPIDS 25.12 (L4), 4 × g6.2xlarge".
    pub title: String,
    /// Price of all its machines, US dollars per hour.
    pub usd_per_hour: f64,
}

/// What a decision recommends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Move, try or stay.
    pub verdict: Verdict,
    /// Place of the recommended engine; 0: today's.
    pub engine: usize,
    /// Likelihood that it meets the goal; `None` for today's.
    pub likelihood: Option<f64>,
}

/// A query with its measured runs, and what was decided about it without those of the options.
#[derive(Debug, Clone, PartialEq)]
pub struct DecidedQuery {
    /// The query.
    pub query: String,
    /// Measured time in each engine, seconds.
    pub seconds: [f64; ENGINES],
    /// Cost of these runs, US dollars.
    pub usd: [f64; ENGINES],
    /// What is recommended for each of [`Wanted::ALL`].
    pub choices: [Choice; Wanted::ALL.len()],
}

impl DecidedQuery {
    /// What is recommended for a goal.
    #[must_use]
    pub fn choice(&self, wanted: Wanted) -> &Choice {
        &self.choices[wanted as usize]
    }

    /// Place of the engine that cost least.
    #[must_use]
    pub fn cheapest(&self) -> usize {
        place_of_least(&self.usd)
    }

    /// Place of the engine that took the least time.
    #[must_use]
    pub fn fastest(&self) -> usize {
        place_of_least(&self.seconds)
    }

    /// Measured cost of a run in this engine beyond that of the cheapest one, US dollars.
    #[must_use]
    pub fn regret(&self, engine: usize) -> f64 {
        self.usd[engine] - self.usd[self.cheapest()]
    }

    fn new(engines: &[DecidedEngine; ENGINES], options: [&ScoredQuery; ENGINES - 1]) -> Self {
        let [one, other] = options;
        let seconds = [one.cpu_seconds, one.gpu_seconds, other.gpu_seconds];
        let usd = array::from_fn(|place| seconds[place] * engines[place].usd_per_hour / HOUR);
        let today = &engines[TODAY];
        let price = Price::entered(today.usd_per_hour);
        let baseline = Baseline::measured(today.title.clone(), seconds[TODAY], Some(price));
        let candidates = engines[1..].iter().zip(options).map(|(engine, query)| engine.candidate(query));
        let candidates: Vec<Candidate> = candidates.collect();
        let choices = Wanted::ALL.map(|wanted| {
            let decision = decide(baseline.clone(), candidates.clone(), wanted.objective());
            Choice {
                verdict: decision.verdict,
                engine: decision.best.map_or(TODAY, |best| best + 1),
                likelihood: decision.best_option().and_then(|option| option.better),
            }
        });
        Self { query: one.query.clone(), seconds, usd, choices }
    }
}

impl DecidedEngine {
    fn new(name: &'static str, engine: &Engine) -> Result<Self, String> {
        let title = engine.title();
        let of_machine = engine.usd_per_hour.ok_or_else(|| format!("{title} has no price"))?;
        Ok(Self { name, title, usd_per_hour: of_machine * engine.machines })
    }

    /// The engine as an option for a query, with the time that a fit predicts which did not see the query.
    fn candidate(&self, query: &ScoredQuery) -> Candidate {
        let (title, price) = (self.title.clone(), Some(Price::entered(self.usd_per_hour)));
        let Some(range) = query.predicted else {
            let blocked_by = Some("outside what was measured".to_owned());
            return Candidate { title: title.clone(), engine: title, price, blocked_by, ..Candidate::default() };
        };
        let error_factor_90 = if range.is_known() { range.high / range.value } else { 1.0 };
        Candidate::predicted(title, PredictedTime::within(range.value, error_factor_90), price)
    }
}

/// Place of the smallest number, the first of equal ones.
fn place_of_least(numbers: &[f64; ENGINES]) -> usize {
    (1..ENGINES).fold(0, |least, place| if numbers[place] < numbers[least] { place } else { least })
}

/// Decisions about all queries that ran in three engines.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredDecisions {
    /// The queries and the size of their data.
    pub benchmark: &'static str,
    /// The engines: today's, then the options.
    pub engines: [DecidedEngine; ENGINES],
    /// The queries, in the order of the measurements.
    pub queries: Vec<DecidedQuery>,
}

/// A rule that chooses an engine for each query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// What the decision for a goal recommends.
    Decision(Wanted),
    /// The engine at this place, always.
    Always(usize),
    /// The cheapest engine of each query, which only the measurements tell.
    Cheapest,
}

/// What a rule costs, over one run of each query in the engine that it chooses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleScore {
    /// The rule.
    pub rule: Rule,
    /// Measured cost, US dollars.
    pub usd: f64,
    /// What that is more than the cost of the cheapest engine of each query, US dollars.
    pub regret_usd: f64,
    /// Queries for which it chooses the cheapest engine.
    pub cheapest: usize,
    /// Queries for which it chooses the fastest engine.
    pub fastest: usize,
    /// Queries that take longer than in today's engine.
    pub slower: usize,
}

/// What the decisions for the least time are worth. An answer is the verdict to move, which needs no trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct MoveScore {
    /// Queries with an answer.
    pub moves: usize,
    /// Those of them that ran faster than in today's engine.
    pub faster: usize,
    /// Those with a measured speedup that is clear: see [`TOO_CLOSE`].
    pub clear: usize,
    /// The clear ones that ran faster.
    pub clear_faster: usize,
    /// Those for which no engine was faster.
    pub fastest: usize,
    /// Queries for which a trial run decides.
    pub tries: usize,
    /// Queries that stay.
    pub stays: usize,
}

impl ScoredDecisions {
    /// The rules in the order of tables: decisions, one engine for all, and perfect knowledge.
    #[must_use]
    pub fn rules(&self) -> Vec<RuleScore> {
        let decisions = Wanted::ALL.map(Rule::Decision);
        let always: [usize; ENGINES] = array::from_fn(|place| place);
        let rules = decisions.into_iter().chain(always.map(Rule::Always)).chain([Rule::Cheapest]);
        rules.map(|rule| self.score(rule)).collect()
    }

    /// What a rule costs.
    #[must_use]
    pub fn score(&self, rule: Rule) -> RuleScore {
        let mut score = RuleScore { rule, usd: 0.0, regret_usd: 0.0, cheapest: 0, fastest: 0, slower: 0 };
        for query in &self.queries {
            let chosen = match rule {
                Rule::Decision(wanted) => query.choice(wanted).engine,
                Rule::Always(engine) => engine,
                Rule::Cheapest => query.cheapest(),
            };
            score.usd += query.usd[chosen];
            score.regret_usd += query.regret(chosen);
            score.cheapest += usize::from(chosen == query.cheapest());
            score.fastest += usize::from(chosen == query.fastest());
            score.slower += usize::from(query.seconds[chosen] > query.seconds[TODAY]);
        }
        score
    }

    /// What the decisions for the least time are worth.
    #[must_use]
    pub fn moves(&self) -> MoveScore {
        let mut score = MoveScore::default();
        for query in &self.queries {
            let choice = query.choice(Wanted::Time);
            match choice.verdict {
                Verdict::Move => {
                    let speedup = query.seconds[TODAY] / query.seconds[choice.engine];
                    let (is_clear, is_faster) = (!TOO_CLOSE.contains(&speedup), speedup > 1.0);
                    score.moves += 1;
                    score.faster += usize::from(is_faster);
                    score.clear += usize::from(is_clear);
                    score.clear_faster += usize::from(is_clear && is_faster);
                    score.fastest += usize::from(choice.engine == query.fastest());
                }
                Verdict::Try => score.tries += 1,
                Verdict::Stay | Verdict::CannotJudge => score.stays += 1,
            }
        }
        score
    }

    /// What was decided about a query of a set, so that a table of all predictions has each decision once: beside the predictions of the
    /// last option.
    #[must_use]
    pub fn beside(&self, set: &ScoredSet, query: &str) -> Option<&DecidedQuery> {
        let is_of_last = set.name == OPTIONS[ENGINES - 2] && set.left_out == LeftOutOf::Query;
        self.queries.iter().find(|decided| is_of_last && decided.query == query)
    }
}

/// The decisions about the queries that ran in Spark, Gluten and RAPIDS, by the predictions of each that did not see it.
///
/// # Errors
/// A set, a prediction or a price is missing, which would be an error of the program.
pub fn decide_measured(sets: &[MeasuredSet], scored: &[ScoredSet]) -> Result<ScoredDecisions, String> {
    let option = |name: &str| {
        let set = sets.iter().find(|set| set.name == name);
        let left_out = scored.iter().find(|scored| scored.name == name && scored.left_out == LeftOutOf::Query);
        set.zip(left_out).ok_or_else(|| format!("{name} has no predictions of left-out queries"))
    };
    let [(first, of_first), (second, of_second)] = [option(OPTIONS[0])?, option(OPTIONS[1])?];
    let engines = [
        DecidedEngine::new(first.pair[0], &first.engines.cpu)?,
        DecidedEngine::new(first.pair[1], &first.engines.gpu)?,
        DecidedEngine::new(second.pair[1], &second.engines.gpu)?,
    ];
    let queries = of_first.queries.iter().map(|query| {
        let other = of_second.queries.iter().find(|other| other.query == query.query);
        let other = other.ok_or_else(|| format!("{} has no run in {}", query.query, engines[2].title))?;
        Ok(DecidedQuery::new(&engines, [query, other]))
    });
    let queries = queries.collect::<Result<Vec<DecidedQuery>, String>>()?;
    Ok(ScoredDecisions { benchmark: first.benchmark, engines, queries })
}

#[cfg(test)]
mod tests {
    use super::super::measured_sets;
    use super::*;

    fn shipped() -> ScoredDecisions {
        let sets = measured_sets().expect("the files of the program");
        let scored = sets.iter().filter_map(|set| Some(set.queries_left_out(&set.fit()?)));
        decide_measured(&sets, &scored.collect::<Vec<ScoredSet>>()).expect("sets of the options")
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-4, "{found}, expected {expected}");
    }

    /// The goals for decisions about queries that no fit has seen.
    #[test]
    fn decisions_by_cost_are_right_in_95_and_by_time_in_90_of_100_answers() {
        let shipped = shipped();
        assert_eq!(shipped.queries.len(), 48);
        let by_cost = shipped.score(Rule::Decision(Wanted::Cost));
        assert!(by_cost.cheapest as f64 >= 0.95 * 48.0, "{by_cost:?}");
        let moves = shipped.moves();
        assert!(moves.faster as f64 >= 0.9 * moves.moves as f64, "{moves:?}");
        // An answer for a few queries would be none.
        assert!(moves.moves >= 24, "{moves:?}");
        assert_eq!(moves.moves + moves.tries + moves.stays, 48);
    }

    /// Sums over the measured times of scenarios/truth at 8 × $2.304 and 4 × $0.9776 an hour, made by a script outside of the program.
    #[test]
    fn rules_that_need_no_prediction_cost_what_was_measured() {
        let shipped = shipped();
        assert_near(shipped.engines[0].usd_per_hour, 18.432);
        assert_near(shipped.engines[1].usd_per_hour, 18.432);
        assert_near(shipped.engines[2].usd_per_hour, 3.9104);
        for (rule, regret, slower) in [
            (Rule::Always(0), 3.135_37, 0),
            (Rule::Always(1), 2.023_78, 10),
            (Rule::Always(2), 0.054_32, 12),
            (Rule::Cheapest, 0.0, 11),
        ] {
            let score = shipped.score(rule);
            assert_near(score.regret_usd, regret);
            assert_near(score.usd, 0.683_96 + regret);
            assert_eq!(score.slower, slower, "{rule:?}");
        }
        // Only q93 cost less in Gluten than in RAPIDS.
        let in_gluten: Vec<&DecidedQuery> = shipped.queries.iter().filter(|query| query.cheapest() != 2).collect();
        assert_eq!(in_gluten.iter().map(|query| query.query.as_str()).collect::<Vec<_>>(), ["q93"]);
        assert_near(in_gluten[0].regret(2), 0.054_32);
    }

    /// No rule without predictions costs less than the decision.
    #[test]
    fn the_decision_by_cost_regrets_no_more_than_one_engine_for_all() {
        let shipped = shipped();
        let decided = shipped.score(Rule::Decision(Wanted::Cost)).regret_usd;
        for engine in 0..ENGINES {
            assert!(decided <= shipped.score(Rule::Always(engine)).regret_usd + 1e-12, "{engine}");
        }
        let [_, in_time, by_time] = Wanted::ALL.map(|wanted| shipped.score(Rule::Decision(wanted)));
        let always = shipped.score(Rule::Always(2));
        assert!(in_time.slower < always.slower && by_time.slower < always.slower, "{in_time:?}, {by_time:?}");
    }

    #[test]
    fn both_options_ran_against_the_same_runs_of_today() {
        let sets = measured_sets().expect("the files of the program");
        let [one, other] = OPTIONS.map(|name| sets.iter().find(|set| set.name == name).expect("a set"));
        assert_eq!(one.engines.cpu.title(), other.engines.cpu.title());
        for run in &one.runs {
            let same = other.runs.iter().find(|other| other.query == run.query).expect("the same queries");
            assert_eq!(run.cpu_seconds, same.cpu_seconds, "{}", run.query);
        }
    }

    #[test]
    fn a_query_without_a_prediction_stays() {
        let engines = ["Old", "Side", "New"].map(|name| DecidedEngine {
            name,
            title: format!("{name}, 2 × machine"),
            usd_per_hour: 1.0,
        });
        let query = ScoredQuery {
            query: "q1".to_owned(),
            cpu_seconds: 10.0,
            gpu_seconds: 5.0,
            predicted_cpu_seconds: None,
            predicted: None,
            constant: None,
        };
        let decided = DecidedQuery::new(&engines, [&query, &query]);
        for choice in decided.choices {
            assert_eq!((choice.verdict, choice.engine, choice.likelihood), (Verdict::CannotJudge, 0, None));
        }
        assert_eq!((decided.cheapest(), decided.fastest()), (1, 1));
    }
}
