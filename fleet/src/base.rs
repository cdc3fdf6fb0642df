//! What a fleet is measured against: engines on machines of their own.

use std::fs;
use std::path::Path;

use crossover_engine::Engines;
use crossover_files::atomic::write;
use crossover_files::digest::hex;
use crossover_placement::Placement;
use crossover_placement::variant::Variant;
use crossover_plan::scenario::{Machines, scenario};
use crossover_plan::{Cluster, Import, Query};
use crossover_quantity::provenance::Provenance;
use crossover_scenario::{Scenario, read};
use sha2::{Digest as _, Sha256};

use crate::error::FleetError;

/// What answers mean; another number where the formulas or the records of the ledger change, so that older ones are not
/// taken for new ones.
const VERSION: &str = "fleet 4";
/// Name of its scenario in a folder of results.
pub(crate) const NAME: &str = "base.ron";
/// Where else it is: what a job for a Spark cluster was given.
pub(crate) const NAME_OF_JOB: &str = "spark/base.ron";
/// Largest scenario that is read, bytes.
const LARGEST: u64 = 1 << 26;

/// Words in names of engines that are Spark, in small letters.
const OF_SPARK: [&str; 3] = ["spark", "databricks", "rapids"];

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
    /// Bases for other engines.
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

    /// Both bases, each for its own CPU engine. One of Spark comes first, whichever was named first: results keep that one.
    #[must_use]
    pub fn beside(self, other: Self) -> Self {
        let is_turned = other.is_of_spark() && !self.is_of_spark();
        let (mut first, mut second) = if is_turned { (other, self) } else { (self, other) };
        let others = std::mem::take(&mut second.beside);
        first.beside.push(second);
        first.beside.extend(others);
        first.digested()
    }

    /// The base whose CPU engine is the one of this name, such as `DuckDB`; versions do not matter, and all names of Spark are one.
    #[must_use]
    pub fn of_engine(&self, engine: &str) -> Option<&Self> {
        let first = |name: &str| {
            let word = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            word.to_lowercase()
        };
        let (of_spark, wanted) = (is_spark(engine), first(engine));
        let fits = |base: &&Self| {
            if of_spark { base.is_of_spark() } else { first(&base.engines.cpu.name) == wanted }
        };
        std::iter::once(self).chain(&self.beside).find(fits)
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
        if is_moved && engines.anchored_error_factor_90 > 1.0 {
            engines.anchored_error_factor_90 = engines.anchored_error_factor_90.max(engines.gpu.error_factor_90);
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

    /// "The GPU cluster is RAPIDS 25.12 (L4), 4 × g6.2xlarge; today is what each log took on its own machines."
    #[must_use]
    pub fn sentence(&self) -> String {
        let [_, gpu] = self.titles();
        format!("The GPU cluster is {gpu}; today is what each log took on its own machines.")
    }

    /// What one core of its CPU machines costs, and what all of its GPU machines do, US dollars an hour; `None` where a price is
    /// missing.
    #[must_use]
    pub fn usd_per_hour(&self) -> Option<[f64; 2]> {
        let Engines { cpu, gpu, .. } = &self.engines;
        Some([cpu.usd_per_hour? / cpu.lanes, gpu.usd_per_hour? * gpu.machines])
    }

    /// Whether its CPU engine is one that writes logs of Spark.
    #[must_use]
    pub fn is_of_spark(&self) -> bool {
        self.engines.cpu.name.is_empty() || is_spark(&self.engines.cpu.name)
    }
}

/// Whether an engine of this name is Spark: one that runs its plans and writes its logs.
#[must_use]
pub fn is_spark(engine: &str) -> bool {
    let mut words = engine.split(|c: char| !c.is_alphanumeric());
    words.any(|word| OF_SPARK.iter().any(|known| word.eq_ignore_ascii_case(known)))
}
