//! Decisions about the shipped queries beside what was measured: what each rule costs, and the decision about each query.

use crossover_decision::Verdict;
use crossover_decision::verdict::MOVE_FROM;
use crossover_decision::words::{known_dollars, price_dollars};
use crossover_engine::truth::TOO_CLOSE;
use crossover_plan::shipped::{Choice, DecidedQuery, MoveScore, Rule, RuleScore, ScoredDecisions, Wanted};
use crossover_quantity::text::{Align, Column, Table, counted, counted_of};
use crossover_quantity::unit::Unit;
use serde::Serialize;

/// "Decisions about 48 queries between Spark, Gluten and RAPIDS".
#[must_use]
pub fn decisions_title(decisions: &ScoredDecisions) -> String {
    let [today, one, other] = names(decisions);
    format!("Decisions about {} between {today}, {one} and {other}", queries(decisions.queries.len()))
}

/// Who decides, from what.
#[must_use]
pub fn decisions_how(decisions: &ScoredDecisions) -> String {
    let [today, one, other] = names(decisions);
    format!(
        "{}. Decisions follow crossover decide, from the measured time in {today}. The times in {one} and {other} are predicted by \
         fits without the query. The chosen engine is compared with the measured runs.",
        decisions.benchmark
    )
}

/// What each rule costs, a row each.
#[must_use]
pub fn decision_rules(decisions: &ScoredDecisions) -> Table {
    let [today, ..] = names(decisions);
    let columns = vec![
        Column::text("rule"),
        Column::number("cost"),
        Column::number("regret"),
        Column::number("regret per query"),
        Column::number("cheapest"),
        Column::number("fastest"),
        Column { title: format!("slower than {today}").into(), align: Align::Right },
    ];
    let count = decisions.queries.len();
    let rows = decisions.rules().into_iter().map(|score| {
        let of_all = |part: usize| format!("{part} of {count}");
        vec![
            rule(decisions, score.rule),
            known_dollars(score.usd),
            known_dollars(score.regret_usd),
            known_dollars(per_query(&score, count)),
            of_all(score.cheapest),
            of_all(score.fastest),
            of_all(score.slower),
        ]
    });
    Table { rows: rows.collect(), columns }
}

/// Whether the decisions are right, and what the figures mean.
#[must_use]
pub fn decision_facts(decisions: &ScoredDecisions) -> Vec<(&'static str, String)> {
    let MoveScore { moves, faster, clear, clear_faster, fastest, tries, stays } = decisions.moves();
    let [today, ..] = names(decisions);
    let by_cost = decisions.score(Rule::Decision(Wanted::Cost));
    let all = decisions.queries.len();
    let factor = |value: f64| Unit::Factor.format(value);
    let prices =
        decisions.engines.iter().map(|engine| format!("{} for {}", price_dollars(engine.usd_per_hour), engine.title));
    vec![
        ("By cost", format!("the recommended engine was the cheapest one for {}", of_queries(by_cost.cheapest, all))),
        (
            "By time",
            format!(
                "an engine that is at least {} likely to be faster than {today} is recommended for {}; {faster} of these {moves} were \
                 faster, {fastest} of them the fastest",
                Unit::Share.format(MOVE_FROM),
                of_queries(moves, all),
            ),
        ),
        (
            "Clear",
            format!(
                "of the {moves} answers, {clear} have a measured speedup below {} or above {}; {clear_faster} of these were faster",
                factor(*TOO_CLOSE.start()),
                factor(*TOO_CLOSE.end())
            ),
        ),
        ("No answer", format!("by time, {tries} of {all} need a trial run, and {stays} of {all} stay in {today}")),
        ("Cost", "measured, of one run of each query in the engine that the rule chooses".to_owned()),
        ("Regret", "that cost minus the cost of the cheapest engine of each query".to_owned()),
        ("Prices per hour", prices.collect::<Vec<String>>().join("; ")),
    ]
}

/// Every query: measured times and costs, and what was decided.
#[must_use]
pub fn decided_queries(decisions: &ScoredDecisions) -> Table {
    let names = names(decisions);
    let number = |title: String| Column { title: title.into(), align: Align::Right };
    let mut columns = vec![Column::text("query")];
    columns.extend(names.map(|name| number(format!("{name} time"))));
    columns.extend(names.map(|name| number(format!("{name} cost"))));
    columns.extend([
        Column::text("least cost"),
        Column::number("regret"),
        Column::text("least time"),
        Column::text("result"),
    ]);
    let rows = decisions.queries.iter().map(|query| {
        let (by_cost, by_time) = (query.choice(Wanted::Cost), query.choice(Wanted::Time));
        let mut row = vec![query.query.clone()];
        row.extend(query.seconds.map(|seconds| Unit::Seconds.format(seconds)));
        row.extend(query.usd.map(known_dollars));
        row.extend([
            chosen(&names, by_cost),
            known_dollars(query.regret(by_cost.engine)),
            chosen(&names, by_time),
            result(query, by_time).to_owned(),
        ]);
        row
    });
    Table { rows: rows.collect(), columns }
}

/// "move: RAPIDS", "try: Gluten", "stay".
fn chosen(names: &[&str; 3], choice: &Choice) -> String {
    match choice.verdict {
        Verdict::Move | Verdict::Try => format!("{}: {}", choice.verdict.label(), names[choice.engine]),
        Verdict::Stay | Verdict::CannotJudge => choice.verdict.label().to_owned(),
    }
}

/// Whether the answer by time was right.
fn result(query: &DecidedQuery, by_time: &Choice) -> &'static str {
    let [today, ..] = query.seconds;
    match by_time.verdict {
        Verdict::Move if query.fastest() == by_time.engine => "fastest",
        Verdict::Move if query.seconds[by_time.engine] < today => "faster",
        Verdict::Move => "SLOWER",
        Verdict::Try | Verdict::Stay | Verdict::CannotJudge => "no answer",
    }
}

fn names(decisions: &ScoredDecisions) -> [&'static str; 3] {
    decisions.engines.each_ref().map(|engine| engine.name)
}

/// In tables.
fn rule(decisions: &ScoredDecisions, rule: Rule) -> String {
    match rule {
        Rule::Decision(wanted) => format!("decision: {}", wanted.label()),
        Rule::Always(0) => "always stay".to_owned(),
        Rule::Always(engine) => format!("always {}", decisions.engines[engine].name),
        Rule::Cheapest => "cheapest of each query (in hindsight)".to_owned(),
    }
}

fn per_query(score: &RuleScore, queries: usize) -> f64 {
    score.regret_usd / queries.max(1) as f64
}

fn queries(count: usize) -> String {
    counted(count as f64, "query")
}

fn of_queries(part: usize, all: usize) -> String {
    counted_of(part as f64, all as f64, "query")
}

/// Columns of the decisions in CSV.
pub(super) const DECISION_COLUMNS: [&str; 7] = [
    "least_cost",
    "least_cost_regret_usd",
    "cheapest",
    "least_time",
    "least_time_verdict",
    "least_time_result",
    "fastest",
];

/// Their values for a query; empty where nothing was decided.
pub(super) fn decision_fields(
    decisions: &ScoredDecisions,
    query: Option<&DecidedQuery>,
) -> [String; DECISION_COLUMNS.len()] {
    let Some(query) = query else { return Default::default() };
    let name = |engine: usize| decisions.engines[engine].name.to_owned();
    let (by_cost, by_time) = (query.choice(Wanted::Cost), query.choice(Wanted::Time));
    [
        name(by_cost.engine),
        query.regret(by_cost.engine).to_string(),
        name(query.cheapest()),
        name(by_time.engine),
        by_time.verdict.label().to_owned(),
        result(query, by_time).to_owned(),
        name(query.fastest()),
    ]
}

/// The decisions for programs.
#[derive(Serialize)]
pub(super) struct DecisionsRecord<'a> {
    benchmark: &'a str,
    engines: Vec<EngineRecord<'a>>,
    by_cost: CostRecord,
    by_time: MoveScore,
    rules: Vec<RuleRecord>,
    queries: Vec<DecidedRecord<'a>>,
}

#[derive(Serialize)]
struct EngineRecord<'a> {
    name: &'a str,
    title: &'a str,
    usd_per_hour: f64,
}

/// Queries of which the cheapest engine was recommended.
#[derive(Serialize)]
struct CostRecord {
    right: usize,
    of: usize,
}

#[derive(Serialize)]
struct RuleRecord {
    rule: String,
    usd: f64,
    regret_usd: f64,
    regret_usd_per_query: f64,
    cheapest: usize,
    fastest: usize,
    slower: usize,
}

/// A query: what its runs took and cost, in the order of the engines, and the decisions about it.
#[derive(Serialize)]
struct DecidedRecord<'a> {
    query: &'a str,
    seconds: [f64; 3],
    usd: [f64; 3],
    cheapest: &'a str,
    fastest: &'a str,
    decisions: Vec<ChoiceRecord<'a>>,
}

#[derive(Serialize)]
struct ChoiceRecord<'a> {
    wanted: &'a str,
    verdict: Verdict,
    engine: &'a str,
    likelihood: Option<f64>,
    regret_usd: f64,
}

impl<'a> DecisionsRecord<'a> {
    pub(super) fn new(decisions: &'a ScoredDecisions) -> Self {
        let count = decisions.queries.len();
        let names = names(decisions);
        let engines = decisions.engines.iter().map(|engine| EngineRecord {
            name: engine.name,
            title: &engine.title,
            usd_per_hour: engine.usd_per_hour,
        });
        let rules = decisions.rules().into_iter().map(|score| RuleRecord {
            rule: rule(decisions, score.rule),
            usd: score.usd,
            regret_usd: score.regret_usd,
            regret_usd_per_query: per_query(&score, count),
            cheapest: score.cheapest,
            fastest: score.fastest,
            slower: score.slower,
        });
        let queries = decisions.queries.iter().map(|query| DecidedRecord {
            query: &query.query,
            seconds: query.seconds,
            usd: query.usd,
            cheapest: names[query.cheapest()],
            fastest: names[query.fastest()],
            decisions: Wanted::ALL.map(|wanted| choice_record(query, wanted, &names)).into(),
        });
        Self {
            benchmark: decisions.benchmark,
            engines: engines.collect(),
            by_cost: CostRecord { right: decisions.score(Rule::Decision(Wanted::Cost)).cheapest, of: count },
            by_time: decisions.moves(),
            rules: rules.collect(),
            queries: queries.collect(),
        }
    }
}

fn choice_record(query: &DecidedQuery, wanted: Wanted, names: &[&'static str; 3]) -> ChoiceRecord<'static> {
    let Choice { verdict, engine, likelihood } = *query.choice(wanted);
    ChoiceRecord {
        wanted: wanted.label(),
        verdict,
        engine: names[engine],
        likelihood,
        regret_usd: query.regret(engine),
    }
}
