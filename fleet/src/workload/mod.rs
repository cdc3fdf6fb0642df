//! Several applications as one workload: the sum of their queries, and the scenario for a search of their cluster.
//!
//! - `volumes`: work and data that take the GPU engine the predicted time
//! - `plan`: one plan, with a node for each class of operators
//! - `scenario`: the study, and the note on what is included

mod plan;
mod scenario;
mod volumes;

use std::collections::{BTreeMap, BTreeSet};

use crossover_plan::Control;
use crossover_plan::today::{is_spark, range_of_versions};

use crate::application::{Application, Parts, Range, Summary};
use crate::base::Base;
use crate::error::FleetError;
use crate::ledger::Outcome;
use crate::outcomes::Outcomes;
use crate::spread::Sum;

pub use scenario::NothingToPlan;

/// The sum of all queries with a prediction of several applications. Queries that ran at once count with their shares of the
/// application's time.
#[derive(Debug, Clone, PartialEq)]
pub struct CombinedWorkload {
    /// Names of the applications.
    pub names: Vec<String>,
    /// Number of applications without such a query, or of another engine than Spark; they are not in the sums.
    pub without: usize,
    /// Number of queries.
    pub queries: u64,
    /// Their time today, seconds.
    pub today_seconds: f64,
    /// Their time on the base's GPU cluster, seconds.
    pub gpu: Range,
    /// Parts of that time, seconds.
    pub parts: Parts,
    /// Cost today and there, US dollars; `None` if a price is missing.
    pub usd: Option<[f64; 2]>,
    /// Unchanged time of these applications outside these queries, seconds.
    pub staying_seconds: f64,
    /// Saving of these applications in the fleet's list.
    pub listed: Listed,
    /// Whether a plan of another engine has a prediction.
    has_others: bool,
    engines: BTreeMap<String, f64>,
    classes: BTreeMap<Key, Class>,
    cluster: Cluster,
}

/// Savings of the same applications in the fleet's list.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Listed {
    /// Saving of all, seconds.
    pub saved_seconds: f64,
    /// Number of applications to move.
    pub moving: usize,
    /// Saving of those, seconds.
    pub moving_seconds: f64,
}

/// Key of a class of operators, in the order of a plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// Its name in the engine.
    class: String,
    /// Kind of its operators.
    kind: String,
    /// Why they stay on CPUs; empty if they can move.
    unsupported: String,
}

/// A class of operators.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Class {
    operators: u64,
    core_seconds: f64,
    today_seconds: f64,
    gpu_seconds: f64,
}

/// The machines of the logs, in seconds of machines and of cores.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Cluster {
    machine_seconds: f64,
    core_seconds: f64,
}

impl CombinedWorkload {
    /// Sums the applications of these logs, by their keys in the ledger. `control` has the progress and can cancel.
    ///
    /// # Errors
    /// The ledger can no longer be read, or the user cancelled.
    pub fn new(outcomes: &Outcomes, logs: &BTreeSet<&str>, base: &Base, control: &Control) -> Result<Self, FleetError> {
        let mut sums = Sums::default();
        control.set_total(logs.len() as u64);
        for known in outcomes.logs().filter(|known| logs.contains(known.head.key.as_str())) {
            control.check().map_err(|_| FleetError::Cancelled)?;
            if let Outcome::Application(application) = outcomes.ledger.log(known)?.outcome {
                sums.add(&application, base);
            }
            control.add(1);
        }
        Ok(sums.total())
    }

    /// Sums applications in memory.
    #[must_use]
    pub fn of<'a>(applications: impl IntoIterator<Item = &'a Application>, base: &Base) -> Self {
        let mut sums = Sums::default();
        for application in applications {
            sums.add(application, base);
        }
        sums.total()
    }

    /// Their engine and its version in the logs: "Spark 3.1.1", of several versions "Spark 3.1.1 … 4.0.0". If they are not all of Apache Spark,
    /// it is the one with the most time.
    #[must_use]
    pub fn engine(&self) -> String {
        let most = || self.engines.iter().max_by(|a, b| a.1.total_cmp(b.1)).map(|(engine, _)| engine.clone());
        range_of_versions(self.engines.keys().map(String::as_str)).or_else(most).unwrap_or_default()
    }

    /// Saving of these queries, seconds.
    #[must_use]
    pub fn saved_seconds(&self) -> f64 {
        self.today_seconds - self.gpu.value
    }
}

/// Sums while applications are added.
#[derive(Default)]
struct Sums {
    names: Vec<String>,
    without: usize,
    queries: u64,
    today_seconds: f64,
    there: Sum,
    parts: Parts,
    /// Dollars, and whether one is missing.
    usd: [f64; 2],
    lacks_price: bool,
    all_seconds: f64,
    listed: Listed,
    has_others: bool,
    engines: BTreeMap<String, f64>,
    classes: BTreeMap<Key, Class>,
    cluster: Cluster,
}

impl Sums {
    fn add(&mut self, application: &Application, base: &Base) {
        let Application { summary, queries } = application;
        if !is_spark(&summary.engine) {
            self.without += 1;
            self.has_others |= summary.predicted_queries > 0;
            return;
        }
        let before = self.today_seconds;
        for query in queries {
            let Some((predicted, seconds)) = query.predicted.as_ref().zip(query.seconds) else { continue };
            // As in the application's sum: a query that ran beside others saves the same fraction of its share.
            let share = query.share_seconds / seconds;
            self.queries += 1;
            self.today_seconds += query.share_seconds;
            self.there.add(&query.repetition, predicted.gpu.value * share, predicted.gpu.high / predicted.gpu.value);
            self.parts = self.parts.plus(&predicted.parts.times(share));
            match query.usd {
                Some(usd) => (0..2).for_each(|side| self.usd[side] += usd[side] * share),
                None => self.lacks_price = true,
            }
            for class in &query.classes {
                let key = Key {
                    class: class.class.clone(),
                    kind: class.kind.clone(),
                    unsupported: class.unsupported.clone().unwrap_or_default(),
                };
                let sum = self.classes.entry(key).or_default();
                sum.operators += class.operators;
                sum.core_seconds += class.core_seconds.unwrap_or(0.0) * share;
                sum.today_seconds += class.today_seconds * share;
                sum.gpu_seconds += class.gpu_seconds * share;
            }
        }
        let seconds = self.today_seconds - before;
        if seconds <= 0.0 {
            self.without += 1;
            return;
        }
        self.names.push(if summary.name.trim().is_empty() { summary.id.clone() } else { summary.name.clone() });
        self.all_seconds += summary.seconds.unwrap_or(seconds).max(seconds);
        *self.engines.entry(summary.engine.clone()).or_default() += seconds;
        self.listed.add(summary);
        let of_log =
            |count: Option<u64>, most: f64| count.filter(|count| *count > 0).map(|count| (count as f64).min(most));
        let machines = of_log(summary.machines, 1e6).unwrap_or(base.engines().cpu.machines);
        let cores = of_log(summary.cores_per_machine, 1e5).unwrap_or(base.engines().cpu.lanes);
        self.cluster.machine_seconds += seconds * machines;
        self.cluster.core_seconds += seconds * machines * cores;
    }

    fn total(mut self) -> CombinedWorkload {
        self.names.sort();
        CombinedWorkload {
            names: self.names,
            without: self.without,
            queries: self.queries,
            gpu: self.there.range(0.0),
            parts: self.parts,
            usd: (!self.lacks_price && self.queries > 0).then_some(self.usd),
            staying_seconds: self.all_seconds - self.today_seconds,
            today_seconds: self.today_seconds,
            listed: self.listed,
            has_others: self.has_others,
            engines: self.engines,
            classes: self.classes,
            cluster: self.cluster,
        }
    }
}

impl Listed {
    fn add(&mut self, summary: &Summary) {
        let saved = summary.saved_seconds().unwrap_or(0.0);
        self.saved_seconds += saved;
        if summary.verdict == crate::application::Verdict::Move {
            self.moving += 1;
            self.moving_seconds += saved;
        }
    }
}
