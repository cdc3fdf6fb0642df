//! What a fleet is measured against: engines on machines of their own.

use std::fs;
use std::path::Path;

use crossover_files::atomic::write;
use crossover_files::digest::hex;
use crossover_model::engine::Engines;
use crossover_model::placement::Placement;
use crossover_model::placement::variant::Variant;
use crossover_model::provenance::Provenance;
use crossover_model::scenario::{Scenario, read};
use crossover_plan::scenario::{Machines, scenario};
use crossover_plan::{Cluster, Import, Query};
use sha2::{Digest as _, Sha256};

use crate::error::FleetError;

/// What answers mean; another number where the formulas or the records of the ledger change, so that older ones are not
/// taken for new ones.
const VERSION: &str = "fleet 3";
/// Name of its scenario in a folder of results.
const NAME: &str = "base.ron";
/// Where else it is: what a job for a Spark cluster was given.
const NAME_OF_JOB: &str = "spark/base.ron";
/// Largest scenario that is read, bytes.
const LARGEST: u64 = 1 << 26;

/// Shortest time of a query that a prediction starts from, seconds.
pub(crate) const SHORTEST: f64 = 1e-3;

/// The engines that a fleet is measured against.
#[derive(Debug, Clone, PartialEq)]
pub struct Base {
    /// Name of the scenario.
    pub name: String,
    /// Tells these engines, and what is made of them, from all others.
    pub digest: String,
    /// The same of what plans of other engines are measured with, which is this base and those beside it.
    digest_of_plans: String,
    /// The engines.
    engines: Engines,
    /// The study without a query.
    study: Placement,
    /// Its network and compression.
    variant: Variant,
    /// Bases for plans of other engines.
    beside: Vec<Self>,
    /// The scenario as it is kept beside the results.
    text: String,
}

/// A scenario that no fleet can be measured against.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaseError {
    /// Another kind of scenario.
    #[error("only placement scenarios have engines")]
    NoPlacement,
    /// It has no engines.
    #[error("it has no engines: take a scenario with `engines`, or give a profile of `crossover fit`")]
    NoEngines,
}

impl Base {
    /// The engines of a valid scenario.
    ///
    /// # Errors
    /// [`BaseError`]: it is no placement scenario, or has no engines.
    pub fn new(scenario: &Scenario) -> Result<Self, BaseError> {
        let mut study = scenario.placement().ok_or(BaseError::NoPlacement)?.clone();
        let mut engines = study.engines.as_deref().ok_or(BaseError::NoEngines)?.clone();
        // Every query brings its own.
        engines.measured_seconds = None;
        study.query = None;
        let text = scenario.to_ron();
        let mut digest = Sha256::new();
        digest.update(VERSION);
        digest.update(&text);
        let digest = hex(&digest.finalize()[..16]);
        let variant = Variant::chosen(&study);
        let base = Self {
            name: scenario.name.clone(),
            digest,
            digest_of_plans: String::new(),
            engines,
            variant,
            study,
            text,
            beside: Vec::new(),
        };
        Ok(base.digested())
    }

    /// The same with the digest of all bases.
    fn digested(mut self) -> Self {
        let mut digest = Sha256::new();
        digest.update("plans");
        for base in std::iter::once(&self).chain(&self.beside) {
            digest.update([0]);
            digest.update(&base.digest);
        }
        self.digest_of_plans = hex(&digest.finalize()[..16]);
        self
    }

    /// What tells the engines that plans of other engines are measured with.
    pub(crate) fn digest_of_plans(&self) -> &str {
        &self.digest_of_plans
    }

    /// Whether something that was measured with the engines of this digest need not be measured again.
    pub(crate) fn is(&self, digest: &str) -> bool {
        [&self.digest, &self.digest_of_plans].into_iter().any(|own| own == digest)
    }

    /// The same, with another base beside it for plans of that one's CPU engine.
    #[must_use]
    pub fn beside(mut self, other: Self) -> Self {
        self.beside.push(other);
        self.digested()
    }

    /// The base whose CPU engine is the one of this name, such as `DuckDB`; versions do not matter.
    #[must_use]
    pub fn of_engine(&self, engine: &str) -> Option<&Self> {
        let first = |name: &str| {
            let word = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            word.to_lowercase()
        };
        let wanted = first(engine);
        std::iter::once(self).chain(&self.beside).find(|base| first(&base.engines.cpu.name) == wanted)
    }

    /// Keeps its scenario in a folder of results, so that whoever looks into them knows the engines.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn keep(&self, folder: &Path) -> Result<(), FleetError> {
        let path = folder.join(NAME);
        if fs::read(&path).is_ok_and(|kept| kept == self.text.as_bytes()) {
            return Ok(());
        }
        Ok(write(&path, self.text.as_bytes())?)
    }

    /// The base with this digest, if it is kept in a folder of results.
    #[must_use]
    pub fn of_results(folder: &Path, digest: &str) -> Option<Self> {
        [NAME, NAME_OF_JOB].into_iter().find_map(|name| {
            let path = folder.join(name);
            fs::metadata(&path).ok().filter(|file| file.is_file() && file.len() <= LARGEST)?;
            let base = Self::new(&read(&fs::read_to_string(path).ok()?).ok()?).ok()?;
            (base.digest == digest).then_some(base)
        })
    }

    /// A scenario of a query of a log, in these engines, today's on the machines of the log: it answers what a fleet says of the
    /// query.
    #[must_use]
    pub fn scenario_of(&self, import: &Import, query: &Query) -> Scenario {
        let mut scenario = scenario(&self.study, Machines::OfFile, import, query);
        let Some(study) = scenario.study.placement_mut() else { return scenario };
        let measured_seconds = query.duration_seconds.filter(|seconds| *seconds >= SHORTEST);
        study.engines = Some(Box::new(Engines { measured_seconds, ..self.engines_on(&import.cluster) }));
        let told = [
            ("cpu.machines", import.cluster.machines.is_some()),
            ("cpu.lanes", import.cluster.cores_per_machine.is_some()),
            ("measured_seconds", measured_seconds.is_some()),
        ];
        for (field, _) in told.into_iter().filter(|(_, is_told)| *is_told) {
            study.sources.insert(format!("engines.{field}"), Provenance::Imported { file: import.file.clone() });
        }
        scenario
    }

    /// The study, and the network and compression that it chooses.
    pub(crate) fn study(&self) -> (&Placement, Variant) {
        (&self.study, self.variant)
    }

    /// The engines on the base's machines, without those of bases beside it.
    pub(crate) fn engines(&self) -> &Engines {
        &self.engines
    }

    /// The engines, today's on the machines of a log: their numbers are of the base only as far as the log does not tell.
    /// Where the machines are others than those that the errors were measured on, the error of a GPU's time that knows
    /// nothing of a measured one holds.
    pub(crate) fn engines_on(&self, cluster: &Cluster) -> Engines {
        let mut engines = self.engines.clone();
        let cpu = &mut engines.cpu;
        let before = (cpu.machines, cpu.lanes);
        if let Some(machines) = cluster.machines.filter(|machines| *machines > 0) {
            cpu.machines = (machines as f64).min(1e6);
        }
        if let Some(cores) = cluster.cores_per_machine.filter(|cores| *cores > 0) {
            cpu.lanes = (cores as f64).min(1e5);
        }
        // A plan without its machine was hardly made on the base's.
        let is_moved = cluster.cores_per_machine.is_none()
            || (cpu.machines - before.0).abs() > 0.5
            || (cpu.lanes / before.1 - 1.0).abs() > 0.1;
        // Without errors that are known, none is made up.
        if is_moved && engines.anchored_within > 1.0 {
            engines.anchored_within = engines.anchored_within.max(engines.gpu.within);
        }
        // What a core of the base costs, each core of the log costs.
        if let Some(usd) = engines.cpu.usd_per_hour {
            engines.cpu.usd_per_hour = Some(usd * engines.cpu.lanes / before.1);
        }
        engines
    }

    /// Both engines with their machines: "Spark 3.5.3, 8 × c5d.12xlarge".
    #[must_use]
    pub fn titles(&self) -> [String; 2] {
        [self.engines.cpu.title(), self.engines.gpu.title()]
    }

    /// Whether prices of both sides are known.
    #[must_use]
    pub fn has_prices(&self) -> bool {
        self.engines.cpu.usd_per_hour.is_some() && self.engines.gpu.usd_per_hour.is_some()
    }

    /// Whether its CPU engine is one that writes these logs.
    #[must_use]
    pub fn is_of_spark(&self) -> bool {
        self.engines.cpu.name.is_empty() || is_spark(&self.engines.cpu.name)
    }
}

/// Whether an engine of this name is Spark.
pub(crate) fn is_spark(engine: &str) -> bool {
    ["Spark", "Databricks"].iter().any(|name| engine.starts_with(name))
}
