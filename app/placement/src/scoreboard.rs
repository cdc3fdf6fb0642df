//! The measured queries that come with the program, each predicted by fits that did not see it, for the command line and the
//! window.

use crossover_plan::shipped::{MeasuredSet, ScoredSet, from_plans_alone, measured_sets, other_cluster};
use crossover_study::Watch;

/// Predictions of all shipped queries: of each set first with its queries left out, then, if the same engines were measured on
/// another cluster, with its cluster left out; last, queries from their plans alone. Nothing if it was cancelled.
///
/// # Errors
/// A file of the program cannot be read.
pub(crate) fn scoreboard(watch: &Watch<'_>) -> Result<Option<Vec<ScoredSet>>, String> {
    let sets = measured_sets()?;
    let mut fits = Vec::new();
    for set in &sets {
        fits.push((set.name, set.fit()));
        if watch.step().is_none() {
            return Ok(None);
        }
    }
    let fit_of = |set: &MeasuredSet| fits.iter().find(|(name, _)| *name == set.name).and_then(|(_, fit)| fit.as_ref());
    let mut scored = Vec::new();
    for set in &sets {
        scored.extend(fit_of(set).map(|fit| set.queries_left_out(fit)));
        let other = other_cluster(set, &sets).and_then(|other| Some((other, fit_of(other)?)));
        scored.extend(other.map(|(other, fit)| set.cluster_left_out(other, fit)));
    }
    scored.extend(from_plans_alone()?);
    Ok(Some(scored))
}
