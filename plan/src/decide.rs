//! The decision about the query of a study, by what the study itself says: its goal, its prices and its clusters to compare.

use crossover_decision::growth::GrowthChange;
use crossover_decision::{
    Baseline, Candidate, Decision, Objective, PredictedTime, Price, PriceBasis, decide, judge, set_price_today,
};
use crossover_engine::Engine;
use crossover_placement::{CandidateCluster, DecisionInputs, Placement, TrialRun};
use crossover_query::NativeEngine;

use crate::import::Import;
use crate::options::growth::GrowingQuery;
use crate::options::region::name_region;
use crate::options::trial::{TrialError, place_of, run_of};
use crate::options::{
    Alternatives, ONE_MACHINE, Unmeasured, alternatives, entered_price_today, moved, price_of, workload_of,
};
use crate::today::is_spark;

/// What a spot price leaves out.
const RECLAIMED: &str = "spot machines may be reclaimed during a run; restarts are not counted";

/// What the user of a study wants; by default the least cost of runs that are not slower than today's.
#[must_use]
pub fn objective(study: &Placement) -> Objective {
    study.decision.as_deref().map_or_else(Objective::default, DecisionInputs::objective)
}

/// What runs the query of a study with engines today, and what could.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// What runs it today.
    pub baseline: Baseline,
    /// What could; an option that was tried has its measured time.
    pub candidates: Vec<Candidate>,
    /// The option that was tried; `None` without a trial of one of them.
    pub tried: Option<Tried>,
    /// "the log ran in eu-west-1; prices are those of us-east-1"; `None` if prices are of the region of the log, or it is not
    /// known.
    pub region_difference: Option<String>,
}

/// An option that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// It with its predicted time.
    pub predicted: Candidate,
    /// All candidates with their predicted times.
    before: Vec<Candidate>,
    /// The run.
    pub run: TrialRun,
}

impl Workload {
    /// The decision.
    #[must_use]
    pub fn decide(&self, objective: Objective) -> Decision {
        decide(self.baseline.clone(), self.candidates.clone(), objective)
    }

    /// The decision before the trial; `None` without a trial.
    #[must_use]
    pub fn decide_before_trial(&self, objective: Objective) -> Option<Decision> {
        let candidates = self.tried.as_ref()?.before.clone();
        Some(decide(self.baseline.clone(), candidates, objective))
    }
}

/// What runs the query of a study with engines today, and what could: the shipped alternatives and the clusters of the study,
/// with the time of its trial. As [`workload_of`].
#[must_use]
pub fn workload(study: &Placement) -> Option<Workload> {
    let (baseline, mut candidates) = workload_of(study, &alternatives_of(study))?;
    let region = study.query.as_deref().and_then(|query| query.plan.settings.region());
    let region_difference = name_region(Some(&baseline), &mut candidates, region);
    let trial = study.decision.as_deref().and_then(|inputs| inputs.trial.as_ref());
    // Titles do not have prices yet: the same machines at another price take the same time.
    let is_tried = |option: &Candidate| trial.is_some_and(|trial| option.title == trial.option);
    let tried: Vec<usize> = (0..candidates.len()).filter(|place| is_tried(&candidates[*place])).collect();
    if let (Some(inputs), Some(engines)) = (&study.decision, &study.engines) {
        name_prices(&mut candidates, &inputs.candidates, &engines.gpu);
    }
    let tried = tried.first().copied().zip(trial).map(|(first, run)| {
        let before = candidates.clone();
        for place in &tried {
            candidates[*place].take_trial(&baseline, PredictedTime::measured(run.seconds));
        }
        Tried { predicted: before[first].clone(), before, run: run.clone() }
    });
    Some(Workload { baseline, candidates, tried, region_difference })
}

/// What runs the application of the query of a study today, and what could, with the prices that the user entered; `region`: that of the
/// log's machines.
#[must_use]
pub fn workload_of_application(
    study: &Placement,
    mut baseline: Baseline,
    mut candidates: Vec<Candidate>,
    region: Option<&str>,
) -> Workload {
    if let (Some(engines), Some(profile)) = (&study.engines, study.profile()) {
        let price = entered_price_today(study, engines, &profile.sources);
        set_price_today(&mut baseline, &mut candidates, price.as_ref());
    }
    let region_difference = name_region(Some(&baseline), &mut candidates, region);
    if let (Some(inputs), Some(engines)) = (&study.decision, &study.engines) {
        name_prices(&mut candidates, &inputs.candidates, &engines.gpu);
    }
    Workload { baseline, candidates, tried: None, region_difference }
}

/// The decision about the query of a study with engines; as [`workload`].
#[must_use]
pub fn decision(study: &Placement) -> Option<Decision> {
    Some(workload(study)?.decide(objective(study)))
}

/// A study with the engines of the recommended option, if that is the measured engine of GPUs on another cluster than the study's;
/// `None` otherwise. Its operators add up to the time of the option.
#[must_use]
pub fn on_recommended(study: &Placement, workload: &Workload) -> Option<Placement> {
    let decision = judge(workload.baseline.clone(), workload.candidates.clone(), objective(study));
    let best = &decision.best_option()?.candidate;
    let engines = study.engines.as_deref()?;
    let clusters = study.decision.iter().flat_map(|inputs| &inputs.candidates);
    let named = clusters.filter(|cluster| cluster.other_gpu.is_empty()).map(|cluster| on(cluster, &engines.gpu));
    let scaled = best.machines.map(|machines| Engine { machines, ..engines.gpu.clone() });
    let cluster = named.chain(scaled).find(|cluster| best.is_titled(&cluster.title()))?;
    if cluster.title() == engines.gpu.title() {
        return None;
    }
    Some(Placement { engines: Some(Box::new(moved(engines, cluster))), ..study.clone() })
}

/// The run of the query of a study in the log of a trial, and the option that was tried.
///
/// # Errors
/// The log is of something else: another program, other queries, or an engine or machines that no option has.
pub fn trial_of(study: &Placement, trial: &Import) -> Result<TrialRun, TrialError> {
    let query = study.query.as_deref().ok_or(TrialError::NoPrediction)?;
    if !is_spark(&trial.engine) {
        return Err(TrialError::OtherFormat);
    }
    let (run, seconds) = run_of(&query.plan, trial)?;
    // Titles without kinds of prices: those may change later.
    let (baseline, candidates) = workload_of(study, &alternatives_of(study)).ok_or(TrialError::NoPrediction)?;
    let mut decision = decide(baseline, candidates, objective(study));
    let machines = trial.cluster.machines.map(|machines| machines as f64);
    let place = place_of(NativeEngine::of(&trial.engine), machines, &decision)?;
    let option = decision.options.swap_remove(place).candidate.title;
    Ok(TrialRun { file: trial.file.clone(), query: run.id.clone(), option, seconds })
}

/// The smallest growth of the data that changes a decision about the query of a study; `None` if none up to a hundred times does,
/// if it is not known, or if it is cancelled.
#[must_use]
pub fn growth_of_a_change(
    study: &Placement,
    decision: &Decision,
    is_cancelled: impl Fn() -> bool,
) -> Option<GrowthChange> {
    let alternatives = alternatives_of(study);
    let query = GrowingQuery::new(study, &alternatives)?;
    // All of a query's time grows.
    decision.growth_of_a_change(0.0, |growth| if is_cancelled() { None } else { query.at(growth) })
}

/// The shipped alternatives, and the clusters of the study: one with other GPUs than those of the measured engine has no time.
#[must_use]
pub fn alternatives_of(study: &Placement) -> Alternatives {
    let mut all = alternatives(study);
    let (Some(inputs), Some(engines)) = (&study.decision, &study.engines) else { return all };
    let measured = &engines.gpu;
    for candidate in &inputs.candidates {
        if candidate.other_gpu.is_empty() {
            all.clusters.push((on(candidate, measured), price_of_cluster(study, candidate)));
            // One machine that is named has a time.
            all.unmeasured.retain(|other| candidate.machines > 1.0 || other.title != ONE_MACHINE);
        } else {
            let fitted_to = if measured.fitted_to.is_empty() { measured.title() } else { measured.fitted_to.clone() };
            all.unmeasured.push(Unmeasured {
                title: format!("{}, {}", measured.name, candidate.title()),
                why: format!("measured on {fitted_to} only, not on {}", candidate.other_gpu),
                is_named: true,
            });
        }
    }
    all
}

/// The measured engine on a cluster.
fn on(candidate: &CandidateCluster, measured: &Engine) -> Engine {
    Engine {
        machine: candidate.machine.clone(),
        machines: candidate.machines,
        lanes: candidate.lanes,
        network_gbit_per_s: candidate.network_gbit_per_s.unwrap_or(measured.network_gbit_per_s),
        exchange_memory_gb: candidate.exchange_memory_gb.or(measured.exchange_memory_gb),
        usd_per_hour: candidate.usd_per_hour,
        ..measured.clone()
    }
}

/// Price of one machine of a cluster of the study.
fn price_of_cluster(study: &Placement, cluster: &CandidateCluster) -> Option<Price> {
    let origin = study.sources.get(&format!("decision.candidates.{}.usd_per_hour", cluster.name));
    let price = price_of(cluster.usd_per_hour, origin)?;
    let region = if cluster.region.is_empty() { price.region.clone() } else { Some(cluster.region.clone()) };
    Some(Price { basis: cluster.price_basis, region, ..price })
}

/// Adds basis of the price and region to the options of the clusters, so that two prices of the same machines can be told apart.
fn name_prices(options: &mut [Candidate], clusters: &[CandidateCluster], measured: &Engine) {
    let mut is_named = vec![false; options.len()];
    for cluster in clusters.iter().filter(|cluster| cluster.other_gpu.is_empty()) {
        let title = on(cluster, measured).title();
        let Some(place) = (0..options.len()).find(|place| !is_named[*place] && options[*place].title == title) else {
            continue;
        };
        is_named[place] = true;
        let option = &mut options[place];
        let basis = (!cluster.price_basis.is_on_demand()).then(|| cluster.price_basis.label());
        let words = basis.into_iter().chain((!cluster.region.is_empty()).then_some(cluster.region.as_str()));
        let words = words.collect::<Vec<&str>>().join(", ");
        if !words.is_empty() {
            option.title = format!("{title} ({words})");
        }
        if cluster.price_basis == PriceBasis::Spot {
            option.evidence.distance.push(RECLAIMED.to_owned());
        }
    }
}
