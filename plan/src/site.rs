//! Learning in a scenario: what a trial of its query teaches about the engine that ran it, and the prediction before that.

use crossover_decision::PredictedTime;
use crossover_placement::{LearnedTrial, Placement};
use crossover_quantity::text::counted;

use crate::decide::{alternatives_of, workload};
use crate::import::{Cluster, Import, Query};
use crate::learn::{LearnError, learn};

/// What the log of a trial teaches about its engine, as [`learn`] finds it: from all queries of the study's application, or else from its
/// query alone, on the machines of the study. What was learned before does not count, so that no trial counts twice.
///
/// # Errors
/// As [`learn`].
pub fn learn_for(study: &Placement, trial: &Import) -> Result<LearnedTrial, LearnError> {
    let mut before = study.clone();
    before.forget_learned();
    let own = own_log(&before);
    let learning = learn(&before, &alternatives_of(&before), &[own, trial.clone()])?;
    let gpu = before.engines.as_deref().map(|engines| engines.gpu.name.as_str());
    let is_of_study = gpu == Some(learning.profile.engines.gpu.name.as_str());
    Ok(LearnedTrial {
        runs: format!("{} of {}", counted(learning.queries.len() as f64, "query"), trial.file),
        option: learning.option,
        mean_ratio: learning.posterior.mean_error.exp(),
        error_factors_90: [learning.error_factor_90, learning.posterior.error_factor_90],
        profile: learning.profile,
        before: if is_of_study { before.profile() } else { None },
    })
}

/// The time that was predicted for the option of the study's trial before something was learned; `None` if nothing was, or without a trial.
#[must_use]
pub fn predicted_before(study: &Placement) -> Option<PredictedTime> {
    study.decision.as_deref()?.learned.as_ref()?;
    let mut before = study.clone();
    before.forget_learned();
    workload(&before)?.tried?.predicted.time
}

/// The log of the study's query: with all queries of its application, if the study has them. Its machines are those of the study, which the
/// user may have corrected.
fn own_log(study: &Placement) -> Import {
    let Some(query) = study.query.as_deref() else { return Import::default() };
    let kept = query.application.as_ref().map(|kept| Import::from(&**kept)).filter(|kept| !kept.queries.is_empty());
    let alone = || {
        let plan = &query.plan;
        let only = Query {
            id: plan.query.clone(),
            description: plan.description.clone(),
            duration_seconds: study.engines.as_deref().and_then(|engines| engines.measured_seconds),
            plan: plan.clone(),
            ..Query::default()
        };
        Import { engine: plan.engine.clone(), file: plan.file.clone(), queries: vec![only], ..Import::default() }
    };
    Import { cluster: Cluster::default(), ..kept.unwrap_or_else(alone) }
}
