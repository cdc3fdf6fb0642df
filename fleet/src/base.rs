//! The base of a fleet: the engines, on machines of their own, that it compares.

use std::fs;
use std::path::Path;

use crossover_engine::{Engine, Engines, Profile};
use crossover_files::atomic::write;
use crossover_files::digest::hex;
use crossover_placement::Placement;
use crossover_plan::decide::alternatives_of;
use crossover_plan::options::{Alternatives, PROFILES};
use crossover_plan::scenario::{Machines, scenario};
use crossover_plan::today::{entered_instead, is_same_engine, is_spark, on_machines_of};
use crossover_plan::{Cluster, Import, Query};
use crossover_quantity::provenance::Sources;
use crossover_scenario::{Scenario, read};
use sha2::{Digest as _, Sha256};

use crate::error::FleetError;

/// Version of the formulas and of the ledger's records; changed with them, so that older records are not reused.
const VERSION: &str = "fleet 15";
/// Name of its scenario in a folder of results.
pub(crate) const NAME: &str = "base.ron";
/// The scenario of a job for a Spark cluster.
pub(crate) const NAME_OF_JOB: &str = "spark/base.ron";
/// Largest scenario that is read, bytes.
const LARGEST: u64 = 1 << 26;

/// The engines that a fleet compares.
#[derive(Debug, Clone, PartialEq)]
pub struct Base {
    /// Name of the scenario.
    pub name: String,
    /// Digest of the version and the scenario.
    pub digest: String,
    /// The same for plans of other engines, which use this base and those beside it.
    digest_of_plans: String,
    /// The engines.
    engines: Engines,
    /// The study without a query.
    study: Placement,
    /// Bases for other engines.
    beside: Vec<Self>,
    /// Sources of the engines' numbers, by path in them.
    sources: Sources,
    /// What could run the queries of its CPU engine, beside its GPU engine.
    alternatives: Alternatives,
    /// Whether today's engine is on its machines, whatever a log says of them.
    is_on_machines: bool,
    /// The scenario as it is kept beside the results.
    text: String,
}

/// A scenario that cannot be a base.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaseError {
    /// Another kind of scenario.
    #[error("only placement scenarios have engines")]
    NoPlacement,
    /// It has no engines.
    #[error("it has no engines: choose a scenario with `engines`, or a profile written by `crossover fit`")]
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
        // Refitted alternatives decide anew.
        digest.update(PROFILES.concat());
        digest.update(&text);
        let digest = hex(&digest.finalize()[..16]);
        let sources = study.profile().map(|profile| profile.sources).unwrap_or_default();
        let base = Self {
            name: scenario.name.clone(),
            digest,
            digest_of_plans: String::new(),
            engines,
            study,
            text,
            beside: Vec::new(),
            sources,
            alternatives: Alternatives::default(),
            is_on_machines: false,
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

    /// Digest of the engines for plans of other engines.
    pub(crate) fn digest_of_plans(&self) -> &str {
        &self.digest_of_plans
    }

    /// Whether results with this digest are up to date.
    pub(crate) fn is(&self, digest: &str) -> bool {
        [&self.digest, &self.digest_of_plans].into_iter().any(|own| own == digest)
    }

    /// Both bases, each for its own CPU engine. A Spark base comes first in any order: results keep the first one.
    #[must_use]
    pub fn beside(self, other: Self) -> Self {
        let is_turned = other.is_of_spark() && !self.is_of_spark();
        let (mut first, mut second) = if is_turned { (other, self) } else { (self, other) };
        let others = std::mem::take(&mut second.beside);
        first.beside.push(second);
        first.beside.extend(others);
        first.digested()
    }

    /// The same with more that could run the queries of its CPU engine.
    #[must_use]
    pub fn or(self, alternatives: Alternatives) -> Self {
        Self { alternatives, ..self }
    }

    /// The same with the engines, prices and clusters of the study of a query, as the user entered them: for the application of that query
    /// alone. `None` if the study has no engines.
    #[must_use]
    pub fn as_entered(&self, study: &Placement) -> Option<Self> {
        let Profile { engines, sources } = study.profile()?;
        let alternatives = alternatives_of(study);
        Some(Self { engines, sources, alternatives, is_on_machines: true, ..self.clone() })
    }

    /// That the user entered other machines than those of a log; `None` if they did not, or if the log does not name its own.
    #[must_use]
    pub fn entered_instead(&self, of_log: &Cluster) -> Option<String> {
        if self.is_on_machines { entered_instead(&self.engines.cpu, of_log) } else { None }
    }

    /// What could run the queries of its CPU engine, beside its GPU engine.
    #[must_use]
    pub fn alternatives(&self) -> &Alternatives {
        &self.alternatives
    }

    /// Sources of the engines' numbers, by path in them.
    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The GPU engine on its machines.
    #[must_use]
    pub fn gpu_engine(&self) -> &Engine {
        &self.engines.gpu
    }

    /// The base with a CPU engine of this name, such as `DuckDB`; versions do not matter, and all names of Spark are one.
    #[must_use]
    pub fn of_engine(&self, engine: &str) -> Option<&Self> {
        let fits = |base: &&Self| is_same_engine(engine, &base.engines.cpu.name);
        std::iter::once(self).chain(&self.beside).find(fits)
    }

    /// Writes its scenario into a folder of results, so that the results include their engines.
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

    /// The study without a query, with these engines.
    #[must_use]
    pub fn study_with_engines(&self) -> Placement {
        Placement { engines: Some(Box::new(self.engines.clone())), ..self.study.clone() }
    }

    /// A scenario of a query of a log with these engines, today's on the machines of the log: its prediction is the fleet's.
    #[must_use]
    pub fn scenario_of(&self, import: &Import, query: &Query) -> Scenario {
        let mut scenario = scenario(&self.study_with_engines(), Machines::OfFile, import, query);
        if self.is_on_machines
            && let Some(engines) = scenario.study.placement_mut().and_then(|study| study.engines.as_deref_mut())
        {
            *engines = Engines { measured_seconds: engines.measured_seconds, ..self.engines.clone() };
        }
        scenario
    }

    /// The study without a query.
    pub(crate) fn study(&self) -> &Placement {
        &self.study
    }

    /// The engines on the base's machines, without those of bases beside it.
    pub(crate) fn engines(&self) -> &Engines {
        &self.engines
    }

    /// The engines, today's as the log names it and on its machines.
    pub(crate) fn engines_on(&self, cluster: &Cluster, engine: &str) -> Engines {
        if self.is_on_machines {
            return self.engines.clone();
        }
        on_machines_of(&self.engines, cluster, engine)
    }

    /// Both engines with their machines: "Spark 3.5.3, 8 × c5d.12xlarge".
    #[must_use]
    pub fn titles(&self) -> [String; 2] {
        [self.engines.cpu.title(), self.engines.gpu.title()]
    }

    /// The machine whose core speed and price are assumed for logs: "c5d.12xlarge"; the CPU engine if its machine has no name.
    #[must_use]
    pub fn core_machine(&self) -> String {
        let Engines { cpu, .. } = &self.engines;
        if cpu.machine.is_empty() { cpu.title() } else { cpu.machine.clone() }
    }

    /// "GPU cluster: RAPIDS 25.12 (L4), 4 × g6.2xlarge. Today's times are those of the logs, on the machines that ran them."
    #[must_use]
    pub fn sentence(&self) -> String {
        let [_, gpu] = self.titles();
        format!("GPU cluster: {gpu}. Today's times are those of the logs, on the machines that ran them.")
    }

    /// Price of one core of its CPU machines, and of all its GPU machines, US dollars an hour; `None` if a price is missing.
    #[must_use]
    pub fn usd_per_hour(&self) -> Option<[f64; 2]> {
        let Engines { cpu, gpu, .. } = &self.engines;
        Some([cpu.usd_per_core_hour()?, gpu.usd_per_hour? * gpu.machines])
    }

    /// Whether its CPU engine is Spark.
    #[must_use]
    pub fn is_of_spark(&self) -> bool {
        self.engines.cpu.name.is_empty() || is_spark(&self.engines.cpu.name)
    }
}
