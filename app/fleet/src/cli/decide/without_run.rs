//! Plans that never ran, such as those of Spark's EXPLAIN: today's time is predicted, too.

use anyhow::{Context as _, Result, bail};
use crossover_decision::growth::GrowthChange;
use crossover_decision::{Decision, decide};
use crossover_engine::Engine;
use crossover_export::decision::{DecidedQuery, DecidedWorkload};
use crossover_fleet::Base;
use crossover_fleet::blocker::Blocker;
use crossover_plan::options::growth::GrowingQuery;
use crossover_plan::options::region::name_region;
use crossover_plan::options::workload_of;
use crossover_plan::{Import, Query};
use crossover_quantity::catalogue::Catalogue;
use jiff::Zoned;

use super::machines::TodaysMachines;
use super::{Question, enter_prices, unnamed_machines, wanted};
use crate::deciding::beside::BesideOptions;
use crate::deciding::differences::warn_of_clusters;

/// Whether a file has plans, and no run of any of them: no start, no end and no failure.
pub(super) fn has_no_run(import: &Import) -> bool {
    let ran = |query: &Query| query.start_ms.is_some() || query.duration_seconds.is_some() || query.failure.is_some();
    !import.queries.is_empty() && import.run.start_ms.is_none() && !import.queries.iter().any(ran)
}

/// The plans of a file, and what decides about them.
pub(super) struct Plans<'a> {
    pub(super) import: &'a Import,
    /// The engines, with the clusters and the machines that the user named.
    pub(super) base: &'a Base,
    /// The GPU engine on the machines of its measurement.
    pub(super) measured: &'a Engine,
    /// The machines that are known; `None` if the user named none.
    pub(super) catalogue: Option<&'a Catalogue>,
    /// Today's machines, if the user named them.
    pub(super) todays: Option<&'a TodaysMachines<'a>>,
    pub(super) question: &'a Question<'a>,
}

/// A decision about a plan, with what is said beside it.
struct Planned {
    decision: Decision,
    growth: Option<GrowthChange>,
    /// How the region of the machines differs from that of the prices.
    region_difference: Option<String>,
}

impl Plans<'_> {
    /// The decision about the only plan, or about the one that the user wants; of several, each alone: without a run, nothing is known of
    /// how often each of them runs.
    ///
    /// # Errors
    /// An unknown query, a trial, or a price that its machines cannot have.
    pub(super) fn decide(&self) -> Result<DecidedWorkload> {
        let Self { import, base, question, todays, .. } = *self;
        let file = import.file.clone();
        if question.trial.is_some() {
            bail!("{file}: --trial needs a log of runs in Spark, and this file has a plan without a run");
        }
        let only = question
            .arguments
            .query
            .as_deref()
            .map(|id| wanted(import, id).with_context(|| file.clone()))
            .transpose()?;
        let queries = only.map_or(import.queries.as_slice(), |place| std::slice::from_ref(&import.queries[place]));
        let each = queries.iter().map(|query| self.query(query).map(|planned| (query, planned)));
        let each = each.collect::<Result<Vec<(&Query, Option<Planned>)>>>()?;

        let (mut decided, id) = if let [(query, planned)] = each.as_slice() {
            let id = query.id.as_str();
            let name = if id.is_empty() { "the query".to_owned() } else { format!("query {id}") };
            let decision = planned.as_ref().map(|planned| planned.decision.clone());
            (DecidedWorkload::new(name, file, decision, "it has no prediction"), Some(id))
        } else {
            let why = "without a run, the time of all plans together is unknown; each is decided alone";
            (DecidedWorkload::new("the plans".to_owned(), file, None, why), None)
        };
        let mut beside = BesideOptions::new(base, import, id);
        if let [(_, Some(planned))] = each.as_slice() {
            decided.growth = planned.growth;
            beside.assume(planned.region_difference.clone());
        }
        if todays.is_none() {
            beside.assume(unnamed_machines(&import.cluster));
        }
        beside.add_remarks(&mut decided, None);
        if only.is_none() {
            let of_query = |(query, planned): (&Query, Option<Planned>)| DecidedQuery {
                id: query.id.clone(),
                description: query.description.clone(),
                seconds: None,
                blocked_by: planned.is_none().then(|| Blocker::NoPlan.label().to_owned()),
                decision: planned.map(|planned| planned.decision),
            };
            decided.queries = each.into_iter().map(of_query).collect();
        }
        Ok(decided)
    }

    /// The decision about a plan; `None` without a prediction.
    fn query(&self, query: &Query) -> Result<Option<Planned>> {
        let Self { import, base, measured, catalogue, todays, question } = *self;
        let arguments = question.arguments;
        let scenario = base.scenario_of(import, query);
        let Some(study) = scenario.placement() else { return Ok(None) };
        let Some((mut baseline, mut candidates)) = workload_of(study, base.alternatives()) else { return Ok(None) };
        let cores = import.cluster.cores_per_machine.map(|cores| cores as f64);
        enter_prices((Some(&mut baseline), candidates.as_mut_slice()), cores, base, arguments, todays)?;
        let region_difference = name_region(Some(&baseline), &mut candidates, import.cluster.settings.region());
        let date = arguments.date.unwrap_or_else(|| Zoned::now().date());
        for candidate in &mut candidates {
            candidate.warn_of_age(date);
        }
        warn_of_clusters(&mut candidates, measured, catalogue);
        let objective = arguments.objective();
        let decision = decide(baseline, candidates, objective);
        let growing = GrowingQuery::new(study, base.alternatives());
        // All of a query's time grows.
        let growth = growing.and_then(|growing| decision.growth_of_a_change(0.0, |growth| growing.at(growth)));
        Ok(Some(Planned { decision, growth, region_difference }))
    }
}
