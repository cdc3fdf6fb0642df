//! Where an application and its queries have different recommendations, and why.

use crossover_decision::Decision;
use crossover_export::decision::DecidedWorkload;
use crossover_fleet::application::Application;
use crossover_quantity::unit::Unit;

/// A note if queries of an application, decided alone, have another recommendation than the application.
pub(super) fn note_of_application(decided: &DecidedWorkload, application: &Application) -> Option<String> {
    let whole = decided.decision.as_ref()?;
    let alone = || decided.queries.iter().filter_map(|query| query.decision.as_ref());
    let others = alone().filter(|decision| decision.best != whole.best).count();
    (others > 0).then(|| {
        format!(
            "{others} of {} queries have another recommendation when they are decided alone: {}",
            alone().count(),
            reason(application)
        )
    })
}

/// A note if the application of a query that was decided alone has another recommendation.
pub(super) fn note_of_query(decision: &Decision, application: &Application) -> Option<String> {
    if application.queries.len() < 2 {
        return None;
    }
    let whole = application.summary.decision(decision.objective)?;
    let what = whole.best_option().map_or(whole.baseline.title.as_str(), |best| best.candidate.title.as_str());
    (whole.best != decision.best)
        .then(|| format!("the recommendation for the whole application is {what}: {}", reason(application)))
}

/// Why both can differ, as the end of a sentence.
fn reason(application: &Application) -> String {
    let summary = &application.summary;
    match summary.seconds.filter(|_| summary.staying_seconds > 0.0) {
        Some(seconds) => format!(
            "{} of the application’s {} are outside of queries; they take as long with every option, and cost more on dearer \
             machines",
            Unit::Seconds.format(summary.staying_seconds),
            Unit::Seconds.format(seconds)
        ),
        None => "options gain different shares of each query’s time".to_owned(),
    }
}
