//! Where an application and its queries have different recommendations, and why.

use crossover_decision::Decision;
use crossover_export::decision::{DecidedQuery, DecidedWorkload};
use crossover_fleet::application::Application;
use crossover_quantity::text::counted_of;
use crossover_quantity::unit::Unit;

/// Queries that a note names.
const NAMED: usize = 3;

/// A note if queries of an application, decided alone, have another recommendation than the application.
pub(crate) fn note_of_application(decided: &DecidedWorkload, application: &Application) -> Option<String> {
    let whole = decided.decision.as_ref()?;
    let alone = decided.queries.iter().filter_map(|query| Some((query, query.decision.as_ref()?)));
    let alone: Vec<(&DecidedQuery, &Decision)> = alone.collect();
    let others: Vec<(&DecidedQuery, &Decision)> =
        alone.iter().copied().filter(|(_, decision)| !whole.agrees_with(decision)).collect();
    if others.is_empty() {
        return None;
    }
    let mut named: Vec<String> = others
        .iter()
        .take(NAMED)
        .map(|(query, decision)| format!("query {}: {}", query.id, recommendation(decision, whole.best)))
        .collect();
    if others.len() > NAMED {
        named.push(format!("and {} more", others.len() - NAMED));
    }
    let is_of_prices = others.iter().any(|(_, decision)| is_dearer(decision, decision.best, whole.best));
    let costs = if is_of_prices { time_outside(application) } else { None };
    let costs = costs.map(|costs| format!("; {costs}")).unwrap_or_default();
    Some(format!("{}: {}{costs}", counted(others.len(), alone.len()), named.join("; ")))
}

/// A note if the application of a query that was decided alone has another recommendation, or another saving by the same one.
pub(crate) fn note_of_query(decision: &Decision, application: &Application) -> Option<String> {
    let whole = application.summary.decision(decision.objective)?;
    let queries = application.queries.len();
    if whole.agrees_with(decision) {
        let saving = whole.other_saving_than(decision)?;
        let costs = || time_outside(application).filter(|_| saving.is_on_dearer_machines);
        let why = saving.of_more_queries(queries).or_else(costs);
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        return Some(format!("for the whole application the expected {} is {}{why}", saving.noun, saving.in_words));
    }
    if queries < 2 {
        return None;
    }
    let costs = if is_dearer(decision, decision.best, whole.best) { time_outside(application) } else { None };
    let costs = costs.map(|costs| format!("; {costs}")).unwrap_or_default();
    Some(format!("the recommendation for the whole application is {}{costs}", recommendation(&whole, decision.best)))
}

/// The recommended option; without one, that today's engine stays, and why the option `instead` is not recommended, or else the
/// likeliest one: "stay (Gluten: expected saving $0.00004, not above the expected regret $0.00006)".
fn recommendation(decision: &Decision, instead: Option<usize>) -> String {
    if let Some(title) = decision.recommended_title(" or ") {
        return title;
    }
    let Some(place) = instead.or_else(|| decision.likeliest_place()) else { return "stay".to_owned() };
    format!("stay ({}: {})", decision.options[place].candidate.title, decision.why(place))
}

/// Whether the machines of one option cost more than those of another; `None`: today's.
fn is_dearer(decision: &Decision, one: Option<usize>, other: Option<usize>) -> bool {
    let price = |place: Option<usize>| match place {
        Some(place) => decision.options[place].candidate.usd_per_hour(),
        None => decision.baseline.usd_per_hour(),
    };
    price(one).zip(price(other)).is_some_and(|(one, other)| one > other)
}

/// "18.39 s of the application’s 43.66 s are outside of queries; they take as long with every option, and cost more on machines
/// with a higher price"; `None` if all of its time is that of queries.
fn time_outside(application: &Application) -> Option<String> {
    let summary = &application.summary;
    let seconds = summary.seconds.filter(|_| summary.staying_seconds > 0.0)?;
    Some(format!(
        "{} of the application’s {} are outside of queries; they take as long with every option, and cost more on \
         machines with a higher price",
        Unit::Seconds.format(summary.staying_seconds),
        Unit::Seconds.format(seconds)
    ))
}

/// "1 of 4 queries has another recommendation when it is decided alone"
fn counted(others: usize, all: usize) -> String {
    let what = "another recommendation when";
    match (others, all) {
        (1, 1) => format!("the query has {what} it is decided alone"),
        (1, all) => format!("{} has {what} it is decided alone", counted_of(1.0, all as f64, "query")),
        (others, all) => {
            let queries = counted_of(others as f64, all as f64, "query");
            format!("{queries} have {what} they are decided alone")
        }
    }
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Objective, PredictedTime, Price, Verdict, decide, judge};
    use crossover_fleet::application::{Query, Summary};

    use super::*;

    #[test]
    fn one_query_has_and_several_have() {
        assert_eq!(counted(1, 1), "the query has another recommendation when it is decided alone");
        assert!(counted(1, 4).starts_with("1 of 4 queries has "));
        assert!(counted(2, 4).starts_with("2 of 4 queries have "));
    }

    /// At equal prices nothing depends on them: a query of 17 s is 70 % likely to gain, and its regret is above its saving.
    #[test]
    fn a_query_that_stays_has_the_rule_of_its_verdict_and_no_word_on_more_expensive_machines() {
        let decision = |today: f64| {
            let time = PredictedTime { known_seconds: 0.0, median_seconds: 10.0, deviation: Some(1.0) };
            let option = Candidate::predicted("option", time, Some(Price::entered(1.0)));
            let baseline = Baseline::measured("today", today, Some(Price::entered(1.0)));
            judge(baseline, vec![option], Objective::default())
        };
        let (whole, query) = (decision(30.0), decision(17.0));
        assert_eq!((whole.verdict, query.verdict), (Verdict::Try, Verdict::Stay));
        let mut decided = DecidedWorkload::new("shop".to_owned(), "shop.log".to_owned(), Some(whole), "");
        decided.queries = vec![DecidedQuery {
            id: "2".to_owned(),
            description: String::new(),
            seconds: Some(17.0),
            blocked_by: None,
            decision: Some(query),
        }];
        let summary = Summary { seconds: Some(30.0), staying_seconds: 5.0, ..Summary::default() };
        let note = note_of_application(&decided, &Application { summary, queries: Vec::new() }).expect("a note");
        assert!(note.contains("query 2: stay (option: expected saving $"), "{note}");
        assert!(
            note.contains("not above the expected regret $") && !note.contains("machines with a higher price"),
            "{note}"
        );
    }

    /// 22 s of a query become 5.5 s; 18 s outside of it stay, and cost more at 1.2 dollars an hour than at one.
    #[test]
    fn an_application_that_saves_less_than_its_only_query_by_the_same_option_is_named_with_its_saving() {
        let parts = |staying: f64| {
            let time = PredictedTime { known_seconds: staying, median_seconds: 5.5, deviation: Some(0.1) };
            let option = Candidate::predicted("option", time, Some(Price::entered(1.2)));
            let baseline = Baseline::measured("today", 22.0 + staying, Some(Price::entered(1.0)));
            (baseline, vec![option])
        };
        let decided = |staying: f64| {
            let (baseline, candidates) = parts(staying);
            decide(baseline, candidates, Objective::default())
        };
        let (baseline, candidates) = parts(18.0);
        let summary = Summary {
            seconds: Some(40.0),
            staying_seconds: 18.0,
            baseline: Some(baseline),
            candidates,
            ..Summary::default()
        };
        let application = Application { summary, queries: vec![Query::default()] };
        let note = note_of_query(&decided(0.0), &application).expect("a note");
        let saving = decided(18.0).saving_in_words().expect("prices");
        let says = format!(
            "for the whole application the expected saving is {saving}: 18 s of the application’s 40 s are outside"
        );
        assert!(note.starts_with(&says), "{note}");
        assert_eq!(note_of_query(&decided(18.0), &application), None);
        // An application of two such queries becomes 11 s of 44 s.
        let (baseline, candidates) = (Some(parts(22.0).0), parts(5.5).1);
        let summary = Summary { staying_seconds: 0.0, baseline, candidates, ..application.summary };
        let two = Application { summary, queries: vec![Query::default(), Query::default()] };
        let note = note_of_query(&decided(0.0), &two).expect("a note");
        assert!(note.ends_with(": that of its 2 queries together"), "{note}");
    }
}
