//! The decision about the query of a study, by what the study itself says: its goal, its prices and its clusters to compare.

use crossover_decision::{Baseline, Candidate, Decision, Objective, decide};
use crossover_engine::Engine;
use crossover_placement::{CandidateCluster, DecisionInputs, Placement, PriceKind};

use crate::options::{Alternatives, Unmeasured, alternatives, workload_of};

/// What a spot price leaves out.
const RECLAIMED: &str = "spot machines may be reclaimed during a run; restarts are not counted";

/// What the user of a study wants; by default the least cost of runs that are not slower than today's.
#[must_use]
pub fn objective(study: &Placement) -> Objective {
    study.decision.as_deref().map_or_else(Objective::default, DecisionInputs::objective)
}

/// What runs the query of a study with engines today, and what could: the shipped alternatives and the clusters of the study.
/// As [`workload_of`].
#[must_use]
pub fn workload(study: &Placement) -> Option<(Baseline, Vec<Candidate>)> {
    let (mut baseline, mut candidates) = workload_of(study, &alternatives_of(study))?;
    if let (Some(inputs), Some(engines)) = (&study.decision, &study.engines) {
        // An assumed price stays one until the user says what it is.
        if !inputs.today_price.is_on_demand() {
            baseline.price_basis = inputs.today_price.basis();
        }
        if let Some(words) = in_words(inputs.today_price, &inputs.today_region) {
            baseline.price_source = format!("{words}, {}", baseline.price_source);
        }
        name_prices(&mut candidates, &inputs.candidates, &engines.gpu);
    }
    Some((baseline, candidates))
}

/// The decision about the query of a study with engines; as [`workload`].
#[must_use]
pub fn decision(study: &Placement) -> Option<Decision> {
    let (baseline, candidates) = workload(study)?;
    Some(decide(baseline, candidates, objective(study)))
}

/// The shipped alternatives, and the clusters of the study: one with other GPUs than those of the measured engine has no time.
fn alternatives_of(study: &Placement) -> Alternatives {
    let mut all = alternatives(study);
    let (Some(inputs), Some(engines)) = (&study.decision, &study.engines) else { return all };
    let measured = &engines.gpu;
    for candidate in &inputs.candidates {
        if candidate.other_gpu.is_empty() {
            all.clusters.push(on(candidate, measured));
        } else {
            all.unmeasured.push(Unmeasured {
                title: format!("{}, {}", measured.name, candidate.title()),
                why: format!("measured on {} only, not on {}", measured.title(), candidate.other_gpu),
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

/// Adds kind of price and region to the options of the clusters, so that two prices of the same machines can be told apart.
fn name_prices(options: &mut [Candidate], clusters: &[CandidateCluster], measured: &Engine) {
    let mut is_named = vec![false; options.len()];
    for cluster in clusters.iter().filter(|cluster| cluster.other_gpu.is_empty()) {
        let title = on(cluster, measured).title();
        let Some(place) = (0..options.len()).find(|place| !is_named[*place] && options[*place].title == title) else {
            continue;
        };
        is_named[place] = true;
        let option = &mut options[place];
        option.price_basis = cluster.price_kind.basis();
        if let Some(words) = in_words(cluster.price_kind, &cluster.region) {
            option.title = format!("{title} ({words})");
        }
        if cluster.price_kind == PriceKind::Spot {
            option.evidence.distance.push(RECLAIMED.to_owned());
        }
    }
}

/// "spot, eu-west-1"; `None` for a list price without a region.
fn in_words(kind: PriceKind, region: &str) -> Option<String> {
    let kind = (!kind.is_on_demand()).then_some(kind.label());
    let words: Vec<&str> = kind.into_iter().chain((!region.is_empty()).then_some(region)).collect();
    (!words.is_empty()).then(|| words.join(", "))
}
