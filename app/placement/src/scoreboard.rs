//! The measured queries that come with the program, each predicted by fits that did not see it, and decisions from these
//! predictions, for the command line and the window.

use crossover_plan::shipped::{Scoreboard, clusters_left_out, decide_measured, from_plans_alone, measured_sets};
use crossover_study::Watch;

/// Predictions of all shipped queries: of each set first with its queries left out, then, if the same engines were measured on
/// another cluster, with its cluster left out; last, queries from their plans alone. With the decisions about the queries that ran in
/// three engines. Nothing if it was cancelled.
///
/// # Errors
/// A file of the program cannot be read.
pub(crate) fn scoreboard(watch: &Watch<'_>) -> Result<Option<Scoreboard>, String> {
    let sets = measured_sets()?;
    let mut fits = Vec::new();
    for set in &sets {
        fits.push(set.fit());
        if watch.step().is_none() {
            return Ok(None);
        }
    }
    let mut scored = Vec::new();
    for ((set, fit), by_cluster) in sets.iter().zip(&fits).zip(clusters_left_out(&sets, &fits)) {
        scored.extend(fit.as_ref().map(|fit| set.queries_left_out(fit)));
        scored.extend(by_cluster);
    }
    scored.extend(from_plans_alone()?);
    let decisions = decide_measured(&sets, &scored)?;
    Ok(Some(Scoreboard { sets: scored, decisions: Some(decisions) }))
}
