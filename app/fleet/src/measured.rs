//! The engines that results were measured with: kept with the results, shipped, or named by the user. Spark logs have one
//! base; plans of other engines have the base of their engine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crossover_fleet::ledger::LedgerEntry;
use crossover_fleet::opened::open;
use crossover_fleet::{Base, Outcomes};
use crossover_plan::today::is_spark;

use super::FleetState;
use super::shipped::{self, with_digest};

/// The engines that results were measured with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    logs: MeasuredBase,
    /// Plans of other engines than Spark, by the engine's name.
    plans: BTreeMap<String, MeasuredBase>,
}

/// The base that the results of one engine were measured with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum MeasuredBase {
    /// These engines.
    Base(Arc<Base>),
    /// Plans: the shipped engines, unless the run named a base for them, which results do not keep.
    Shipped(Arc<Base>),
    /// Engines that are not kept with the results, by their digest.
    Unknown(String),
    /// Plans: engines of a base that the run named, which results do not keep.
    NotKept,
    /// Several bases.
    Several,
    /// There are no such results.
    NoResults,
}

/// An engine without results.
const NO_RESULTS: &MeasuredBase = &MeasuredBase::NoResults;

impl Measured {
    /// Of results in a folder.
    pub(super) fn of(folder: &Path, outcomes: &Outcomes) -> Self {
        let mut logs: BTreeSet<&str> = BTreeSet::new();
        let mut plans: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for log in outcomes.logs() {
            // What is left out was measured with nothing.
            let Ok(summary) = &log.outcome else { continue };
            let digests = if is_spark(&summary.engine) { &mut logs } else { plans.entry(&summary.engine).or_default() };
            digests.insert(&log.head.base);
        }
        let kept = |digest: &str| Base::of_results(folder, digest).or_else(|| with_digest(digest)).map(Arc::new);
        let mut digests = logs.into_iter();
        let logs = match (digests.next(), digests.next()) {
            (Some(digest), None) => {
                kept(digest).map_or_else(|| MeasuredBase::Unknown(digest.to_owned()), MeasuredBase::Base)
            }
            (None, _) => MeasuredBase::NoResults,
            (Some(_), Some(_)) => MeasuredBase::Several,
        };
        // Bases are searched in order for the engine of a plan; this one is the first.
        let first = outcomes.ledger.done().and_then(|done| kept(&done.base));
        let plans = plans.into_iter().map(|(engine, digests)| {
            let has_engine = |base: &Base| base.of_engine(engine).is_some();
            let with = match &first {
                _ if digests.len() > 1 => MeasuredBase::Several,
                Some(first) if has_engine(first) => MeasuredBase::Base(Arc::clone(first)),
                _ => shipped::all()
                    .find(has_engine)
                    .map_or(MeasuredBase::NotKept, |base| MeasuredBase::Shipped(Arc::new(base))),
            };
            (engine.to_owned(), with)
        });
        Self { logs, plans: plans.collect() }
    }

    /// What logs of Spark were measured with.
    pub(super) fn logs(&self) -> &MeasuredBase {
        &self.logs
    }

    /// What results of an engine were measured with.
    pub(super) fn of_engine(&self, engine: &str) -> &MeasuredBase {
        if is_spark(engine) { &self.logs } else { self.plans.get(engine).unwrap_or(NO_RESULTS) }
    }

    /// The GPU cluster of each engine, and problems of engines that are not available.
    pub(super) fn in_words(&self, kept: Option<&FleetState>) -> (String, Vec<String>) {
        let (mut clusters, mut problems) = (Vec::new(), Vec::new());
        match (&self.logs, self.logs.base(kept)) {
            (MeasuredBase::NoResults, _) => {}
            (_, Some(base)) => {
                let others =
                    "Also compared: other numbers of these GPU machines, and other engines on today’s machines.";
                clusters.push(format!("{} {others}", base.sentence()));
            }
            (with, None) => problems.push(with.why_not().to_owned()),
        }
        for (engine, with) in &self.plans {
            let of = format!("GPU cluster for {engine} plans:");
            match with {
                MeasuredBase::Base(base) => clusters.push(format!("{of} {}.", gpu(base))),
                MeasuredBase::Shipped(base) => {
                    clusters.push(format!("{of} {} (shipped), unless --base named another.", gpu(base)));
                }
                MeasuredBase::NotKept => clusters.push(format!("{of} that of another --base.")),
                MeasuredBase::Several => problems.push(format!(
                    "Plans of {engine} were predicted with different engines: read all of them again with the same engines"
                )),
                MeasuredBase::Unknown(_) | MeasuredBase::NoResults => {}
            }
        }
        (clusters.join(" "), problems)
    }
}

impl MeasuredBase {
    /// The engines, also where the user named them.
    pub(super) fn base<'a>(&'a self, kept: Option<&'a FleetState>) -> Option<&'a Arc<Base>> {
        match self {
            Self::Base(base) | Self::Shipped(base) => Some(base),
            Self::Unknown(digest) => kept?.named.iter().find(|base| base.digest == *digest),
            Self::NotKept | Self::Several | Self::NoResults => None,
        }
    }

    /// Why these engines cannot be used for planning.
    pub(super) fn why_not(&self) -> &'static str {
        match self {
            Self::Base(_) | Self::Shipped(_) => "",
            Self::Unknown(_) => {
                "The engines of these predictions are not stored; choose the scenario given with --base"
            }
            Self::NotKept => {
                "The engines of these plans come from another --base, which the results do not store: run `crossover import` \
                 with that --base"
            }
            Self::Several => {
                "Logs of these results were predicted with different engines: read all of them again with the same engines"
            }
            Self::NoResults => "There is no Spark log among these: open a plan and find a cluster for its query",
        }
    }
}

fn gpu(base: &Base) -> String {
    let [_, gpu] = base.titles();
    gpu
}

/// Results of other engines than these in a folder; `None`: reading logs into it loses nothing.
pub(super) fn others(out: &Path, base: &Base) -> Option<Measured> {
    let opened = open(out).ok()?;
    let is_of_others = opened.outcomes.ledger.done().is_some_and(|done| done.base != base.digest);
    let differs = |log: &LedgerEntry| match &log.outcome {
        // A left-out log loses nothing when it is read again.
        Err(_) => false,
        Ok(summary) if is_spark(&summary.engine) => log.head.base != base.digest,
        // Of a plan the digest is that of all bases together.
        Ok(summary) => is_of_others || base.of_engine(&summary.engine).is_none(),
    };
    opened.outcomes.logs().any(differs).then(|| Measured::of(out, &opened.outcomes))
}
