//! The decision about a log or one of its queries, as the window and the command line make it.

pub(crate) mod beside;
pub(crate) mod differ;
pub(crate) mod differences;
pub(crate) mod growth;

use crossover_decision::Objective;
use crossover_export::decision::{DecidedQuery, DecidedWorkload};
use crossover_fleet::application::{Application, Query};
use crossover_fleet::blocker::Blocker;
use crossover_placement_page::import::note_of_unchanged;

/// Why nothing can be predicted, as the end of a sentence.
pub(crate) fn reason(blocker: Blocker) -> &'static str {
    match blocker {
        Blocker::NoSql => "it has no SQL query",
        Blocker::Running | Blocker::Truncated => "its end is not in the log",
        Blocker::Failed => "it failed",
        Blocker::OnGpu => "it ran on GPUs already",
        Blocker::OtherEngine => "it ran in an engine other than the one that the options were measured against",
        Blocker::WithoutOperator => "more than a quarter of its CPU time belongs to no operator",
        Blocker::OutsideMeasured => "it is outside what was measured",
        Blocker::NoPlan => "its queries have no time or no usable plan",
        Blocker::TooShort => "it is too short",
        other => other.label(),
    }
}

/// The decision about a query of an application.
pub(crate) fn of_query(
    application: &Application,
    query: &Query,
    file: String,
    objective: Objective,
) -> DecidedWorkload {
    let name = if query.id.is_empty() { "the query".to_owned() } else { format!("query {}", query.id) };
    let decision = application.decision_of(query, objective);
    let why = query.blocked_by.map_or("it has no prediction", reason);
    DecidedWorkload::new(name, file, decision, why)
}

/// The decision about an application; `compares_queries`: also of each query's options with each other.
pub(crate) fn of_application(
    application: &Application,
    file: String,
    objective: Objective,
    compares_queries: bool,
) -> DecidedWorkload {
    let summary = &application.summary;
    let name = if summary.name.is_empty() { "the application".to_owned() } else { summary.name.clone() };
    let why = summary.blocked_by.first().copied().map_or("it has no prediction", reason);
    let mut decided = DecidedWorkload::new(name, file, summary.decision(objective), why);
    if summary.staying_seconds > 0.0 && decided.decision.is_some() {
        let note = note_of_unchanged(summary.staying_seconds, summary.seconds.unwrap_or(0.0));
        decided.remarks.notes.push(note);
    }
    let of_query = |query: &Query| DecidedQuery {
        id: query.id.clone(),
        description: query.description.clone(),
        seconds: query.seconds,
        blocked_by: query.blocked_by.filter(|_| !query.has_prediction()).map(|blocker| blocker.label().to_owned()),
        // As with `--query`: the budget is that of a run of the query, and the effort that of the whole move.
        decision: if compares_queries {
            application.decision_of(query, objective)
        } else {
            application.judged_of(query, objective)
        },
    };
    decided.queries = application.queries.iter().map(of_query).collect();
    decided
}
